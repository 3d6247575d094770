# SPDX-License-Identifier: Apache-2.0
"""Random expressions have here the values that they have in other implementations.

The seed is always the same unless SEED= gives another: what others do wrong in one of a hundred thousand is found by hand
(`make cel-differential COUNT=n SEED=s`) and not in the middle of something else.
"""
import os
from concurrent.futures import ThreadPoolExecutor

import differential
import pytest
from differences import KNOWN

COUNT = int(os.environ.get("COUNT") or 20000)
SEED = int(os.environ.get("SEED") or 20261130)


@pytest.fixture(scope="module")
def compared():
    """What differs, and the counts, by oracle; they are asked side by side."""
    with ThreadPoolExecutor() as pool:
        yield {oracle: pool.submit(differential.compare, oracle, COUNT, SEED) for oracle in differential.ORACLES}


@pytest.mark.parametrize("oracle", differential.ORACLES)
def test_random_expressions_have_the_values_of(oracle, compared, capsys):
    unknown, counts = compared[oracle].result()
    with capsys.disabled():
        print(f"\n{oracle}: SEED={SEED}, {dict(counts)}")
    assert counts["all"] == COUNT and counts["values"] > COUNT / 4
    assert not unknown, "\n".join(map(str, unknown[:20]))


@pytest.mark.parametrize("known", KNOWN, ids=lambda known: f"{known.oracle}: {known.name}")
def test_a_known_difference_is_still_one(known):
    case = differential.Case(known.example, {}, False)
    assert differential.ORACLES[known.oracle]([case]) == [case]
    assert known.fits(case)
