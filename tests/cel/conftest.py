# SPDX-License-Identifier: Apache-2.0
"""What is compared with other people's work needs the packages of `deploy/dev/setup test`."""
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True, scope="session")
def packages():
    if not (ROOT / "build/npm/node_modules/@bufbuild/cel-spec").is_dir():
        pytest.fail("npm's @bufbuild/cel-spec is missing: run `deploy/dev/setup test`")
