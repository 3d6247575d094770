# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the stories: one shared house for stories that only add requests, a house of its own for those that break things."""
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from ending import finish  # noqa: E402
from house import BOOTSTRAP, OWNER_URI, House, policy  # noqa: E402


def pytest_configure(config):
    if not BOOTSTRAP or not OWNER_URI:
        raise pytest.UsageError("no servers: run `make walk`, or deploy/dev/with-servers COMMAND")


@pytest.fixture(scope="session")
def shared(request):
    """A house for stories that leave it as they found it, but for their own requests."""
    house = House(policy=policy(), services=("evaluator", "resolver", "recorder", "relay"))
    house.person("alice", "release-managers")
    house.person("bob", "release-managers")
    house.person("mallory")
    house.person("pia", "pair")
    house.person("paul", "pair")
    house.cli("agents", "add", "coding-agent-production", "--owner", "bob")
    yield house
    finish(house, request)


@pytest.fixture
def build(request):
    """Makes houses; each is finished when the story ends."""
    houses = []

    def make(*arguments, **named):
        houses.append(House(*arguments, **named))
        return houses[-1]
    yield make
    for house in houses:
        finish(house, request)
