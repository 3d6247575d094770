# SPDX-License-Identifier: Apache-2.0
"""The approvals of common/approval beside the model of them. Seed and count are always the same here; `make histories` takes others."""
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
DRIVER = HERE.parents[1] / os.environ.get("B", "build") / "tests/approvals/driver"


def test_200_000_histories_go_the_same_way_here_and_in_the_model():
    done = subprocess.run([sys.executable, "-B", HERE / "compare.py", DRIVER, "--seed", "1", "--count", "200000"],
                          capture_output=True, text=True)
    print(done.stdout, done.stderr)
    assert done.returncode == 0
    assert "200000 histories" in done.stdout and "no difference" in done.stdout
