# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the stories: one shared house for stories that only add requests, a house of its own for those that break things."""
import os
import pathlib
import shutil
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from house import BOOTSTRAP, OWNER_URI, House, policy  # noqa: E402
import history  # noqa: E402
import schemas  # noqa: E402


def pytest_configure(config):
    if not BOOTSTRAP or not OWNER_URI:
        raise pytest.UsageError("no servers: run `make walk`, or deploy/dev/with-servers COMMAND")


def finish(house, request):
    """Every story ends so: all that was recorded is published, every message that was seen is as its schema says, the ledger
    verifies, and what was sent, stored and said is one history."""
    try:
        if not getattr(house, "no_quiet", False):
            house.quiet()
        schemas.check_all(house.observer.events)
        if not getattr(house, "forged", False):
            proof = house.cli("ledger", "verify", "--kafka", "--jwks", str(house.folder / "countersign.jwks"), check=False)
            assert proof.returncode == 0, proof.stdout + proof.stderr
        history.check(house)
    finally:
        house.close()
        keep = os.environ.get("COUNTERSIGN_KEEP_LOGS")
        failed = request.session.testsfailed
        if failed:
            for log in sorted(house.folder.glob("*.log")):
                print(f"---- {log.name}\n{log.read_text(errors='replace')[-4000:]}")
        if not failed and not keep:
            shutil.rmtree(house.folder, ignore_errors=True)


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
