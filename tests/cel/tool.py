# SPDX-License-Identifier: Apache-2.0
"""The program under test."""
import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / os.environ.get("B", "build") / "bin/countersign"


def batch(lines, *options):
    """The answers of `countersign cel --batch` to these lines."""
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    result = subprocess.run(
        [PROGRAM, "cel", "--batch", *options], input=text.encode(), capture_output=True, check=False
    )
    answers = [json.loads(answer) for answer in result.stdout.decode().split("\n")[:-1]]
    assert len(answers) == len(lines), f"{len(lines)} lines, {len(answers)} answers: {result.stderr.decode()}"
    return answers


def run(expression, **members):
    return batch([{"expr": expression, **members}])[0]
