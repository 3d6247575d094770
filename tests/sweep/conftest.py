# SPDX-License-Identifier: Apache-2.0
"""The house in which the points of one file are tried; when they are through, its whole history is checked."""
import pytest

from sweep import Street


@pytest.fixture(scope="module")
def street():
    street = Street()
    good = False
    try:
        yield street
        street.check()
        good = True
    finally:
        street.close(keep=not good)
