# SPDX-License-Identifier: Apache-2.0
"""No run is without an end. A story that takes too long fails by pytest-timeout, which shows where every thread is, and its
fixtures finish. What that cannot interrupt, a call into a C library that never returns or a fixture that hangs after a failure,
ends the whole process, and the stacks are shown too."""
import faulthandler
import os
import sys

import pytest

import lanes

LIMIT = 600  # seconds for a fixture or a story; pytest.ini has the one that lets a story fail


def pytest_configure(config):
    config.last_resort = os.dup(sys.__stderr__.fileno())  # not the one that is captured
    lanes.register(config)


def arm(config):
    if not config.option.usepdb:
        faulthandler.dump_traceback_later(LIMIT, exit=True, file=config.last_resort)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    arm(item.config)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item):
    arm(item.config)


@pytest.hookimpl(trylast=True)
def pytest_exception_interact(node):
    arm(node.config)  # pytest has taken it away
