# SPDX-License-Identifier: Apache-2.0
"""Faults in random order under load; the first seeds in every run, more by `make chaos`."""
import collections
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import chaos  # noqa: E402
import tales  # noqa: E402

FIRST_SEED, SECONDS = 1, 115


def drawn(seed):
    told, blows = chaos.draw(seed)
    return [str(b) for b in blows] + [f"{t.id} {[(s.at, s.topic, s.becomes, s.partition) for s in t.steps]} {t.words}" for t in told]


def test_a_seed_draws_the_same_schedule_every_time_and_another_draws_another():
    assert drawn(7) == drawn(7) != drawn(8)


def test_hundred_seeds_draw_every_kind_of_fault_at_every_target_and_tell_every_tale():
    seen = collections.Counter(f"{b.target} {b.kind}" for seed in range(1, 101) for b in chaos.draw(seed)[1])
    services = {f"{s} {kind}" for s in chaos.SERVICES for kind in
                ("kill", "kill twice", "end", "stop", "stop long", "second", "take-over")}
    servers = {f"postgres {kind}" for kind in ("terminate", "crash", "read-only", "restart fast", "restart immediate", "freeze", "lock")} \
        | {f"kafka {kind}" for kind in ("freeze", "restart", "kill")} | {"policy activate"}
    assert seen.keys() == services | servers
    assert {t.kind for t in chaos.draw(1)[0]} == {kind.__name__ for kind in tales.KINDS}


def test_whatever_breaks_nothing_is_lost_or_doubled_and_nothing_opens(capfd):
    def say(text):
        with capfd.disabled():
            print("\n" + text, end="", flush=True)
    runs = chaos.series(range(FIRST_SEED, FIRST_SEED + 100), say, until=time.monotonic() + SECONDS)
    say(chaos.summary(runs))
    assert [run.report() for run in runs if run.problems] == []
