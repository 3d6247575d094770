# SPDX-License-Identifier: Apache-2.0
"""The approvals of common/approval beside the model of them. Seed and count are always the same here; `make histories` takes others."""
import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
DRIVER = HERE.parents[1] / os.environ.get("B", "build") / "tests/approvals/driver"
PIECE = 50_000  # each has a story's five minutes


@pytest.mark.parametrize("first", range(0, 4 * PIECE, PIECE))
def test_200_000_histories_go_the_same_way_here_and_in_the_model(first):
    done = subprocess.run([sys.executable, "-B", HERE / "compare.py", DRIVER, "--seed", "1", "--first", str(first), "--count", str(PIECE)],
                          capture_output=True, text=True)
    print(done.stdout, done.stderr)
    assert done.returncode == 0
    assert f"{PIECE} histories" in done.stdout and "no difference" in done.stdout
