# SPDX-License-Identifier: Apache-2.0
"""What the comparisons with other people's implementations share: our side is a small C program, theirs is npm's."""
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = os.environ.get("B", "build")
SANITIZER = BUILD.partition("/san-")[2].replace("-", ",")  # as the Makefile names its folders
LIBRARIES = ["-luuid", "-lcrypto", "-lsodium", "-lm"]


@pytest.fixture
def oracle():
    """Runs a script beside the tests under node, with the packages that the set-up installed."""

    def run(script, package, text):
        if not (ROOT / "build/npm/node_modules" / package).is_dir():
            pytest.fail(f"npm's {package} is missing: run `deploy/dev/setup test`")
        return subprocess.run(
            ["node", f"tests/oracle/{script}"], cwd=ROOT, input=text, capture_output=True, check=False
        )

    return run


@pytest.fixture
def program():
    """Builds tests/oracle/<name>.c with the rooms that it needs, and gives its path."""

    def build(name, rooms):
        sources = [f"tests/oracle/{name}.c"]
        for room in rooms:
            sources += sorted(str(path.relative_to(ROOT)) for path in (ROOT / "common" / room).glob("*.c"))
        objects = [f"{BUILD}/{source[:-2]}.o" for source in sources]
        # a make of its own, not a part of one that may run us
        environment = {key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
        subprocess.run(["make", "-s", f"SAN={SANITIZER}", *objects], cwd=ROOT, env=environment, check=True)
        sanitizer = [f"-fsanitize={SANITIZER}"] if SANITIZER else []
        binary = f"{BUILD}/tests/oracle/{name}"
        subprocess.run(["gcc", "-pie", *sanitizer, *objects, *LIBRARIES, "-o", binary], cwd=ROOT, check=True)
        return ROOT / binary

    return build
