# SPDX-License-Identifier: Apache-2.0
"""The two lanes in which stories are told: a small checkout of other stories, which need no servers."""
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest

from pair import ROOT

SLOW = """
import os, pathlib, time
def test_a_number_{n}():
    lanes = pathlib.Path("lanes")
    lanes.mkdir(exist_ok=True)
    (lanes / str(os.getpid())).touch()
    deadline = time.monotonic() + 30
    while len(list(lanes.iterdir())) < {lanes}:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    pathlib.Path("told").open("a").write("{n} ")
    print("this was said by {n}")
    time.sleep({seconds})
    assert {n} != {wrong}
"""
KILLED = """
import os, time
def test_that_dies():
    time.sleep(0.5)
    os._exit(9)
"""


@pytest.fixture
def checkout(tmp_path):
    for name in ("tests", "deploy/dev"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("lanes.py", "conftest.py", "pytest.ini"):
        shutil.copy(ROOT / "tests" / name, tmp_path / "tests")
    servers = tmp_path / "deploy/dev/with-servers"
    servers.write_text('#!/bin/sh\nexec "$@"\n')
    servers.chmod(0o755)
    return tmp_path


def stories(checkout, count, seconds=0.1, wrong=None, lanes=1):
    """Each waits until it is told in so many lanes."""
    for n in range(count):
        (checkout / f"tests/test_{n}.py").write_text(SLOW.format(n=n, seconds=seconds, wrong=wrong, lanes=lanes))


def lanes(checkout):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("COUNTERSIGN_", "LANES_"))}
    return subprocess.Popen([sys.executable, "-B", checkout / "tests/lanes.py", "tests"], env=environment, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True)


def test_every_story_is_told_once_and_both_lanes_tell_some(checkout):
    stories(checkout, 12, lanes=2)
    done = lanes(checkout)
    out = done.communicate(timeout=60)[0]
    assert done.returncode == 0, out
    assert sorted((checkout / "told").read_text().split(), key=int) == [str(n) for n in range(12)]
    passed = [int(n) for n in re.findall(r"=+ (\d+) passed in ", out)]
    assert len(passed) == 2 and sum(passed) == 12 and min(passed) > 0, out
    assert len(re.findall(r"^\[(?:first|second)\] tests/test_\d+.py: 1 passed in \d s$", out, re.M)) == 12


def test_one_that_fails_is_shown_in_full_and_fails_the_whole(checkout):
    stories(checkout, 4, wrong=2)
    done = lanes(checkout)
    out = done.communicate(timeout=60)[0]
    assert done.returncode == 1, out
    assert "assert 2 != 2" in out and "this was said by 2" in out and "this was said by 1" not in out
    assert re.search(r"^\[(first|second)\] tests/test_2.py: 1 failed in", out, re.M)
    assert len((checkout / "told").read_text().split()) == 4


def test_lanes_that_die_fail_the_whole_and_all_other_stories_are_told(checkout):
    stories(checkout, 6)
    for n in (0, 1, 4):
        (checkout / f"tests/test_{n}.py").write_text(KILLED)
    done = lanes(checkout)
    out = done.communicate(timeout=60)[0]
    assert done.returncode == 9, out
    assert sorted((checkout / "told").read_text().split()) == ["2", "3", "5"], out


def test_an_interrupt_ends_both_and_what_they_said_is_not_lost(checkout):
    stories(checkout, 4, seconds=60)
    done = lanes(checkout)
    told = checkout / "told"
    deadline = time.monotonic() + 30
    while not told.exists() or len(told.read_text().split()) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    done.send_signal(signal.SIGINT)
    out = done.communicate(timeout=30)[0]
    assert done.returncode == 130, out
    assert out.count("KeyboardInterrupt") >= 2, out
