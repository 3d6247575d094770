# SPDX-License-Identifier: Apache-2.0
"""Some points of the kill sweep, drawn by a seed; `make sweep` takes all of them. SWEEP_SEED=n draws others."""
import os
import random
import re
import subprocess

import pytest

from sweep import PRELOAD, STARTING, sides
from house import BIN, SERVICES

SEED = os.environ.get("SWEEP_SEED", "1")
POINTS = 4
CARRIES = re.compile(r"PQ(send|exec|put|getResult|getCopyData|getline|flush|pipelineSync|fn|notifies)|lo_"
                     r"|rd_kafka_(produce|consume_|consumer_poll|poll$|commit|offset|seek|query|send_offsets|event_message|queue_poll)"
                     r"|curl_(easy_(perform|send|recv)|multi_(perform|poll|socket)|ws_)|posix_spawnp?$|v?fork$|exec|system$|popen$|wait(pid|3|4)?$")
# Reports are counted where they arrive; a notification is no more than a wake-up; the queue is that of the command line's `topics`.
KNOWN = {"rd_kafka_poll", "PQnotifies", "rd_kafka_queue_poll"}


def symbols(path, which):
    lines = subprocess.run(["nm", "-D", which, path], check=True, capture_output=True, text=True).stdout.splitlines()
    return {line.split()[-1].split("@")[0] for line in lines}


@pytest.mark.parametrize("service", SERVICES)
def test_the_sweep_knows_every_call_by_which_data_crosses_the_border(service):
    used = {name for name in symbols(BIN / service, "--undefined-only") if CARRIES.match(name)}
    assert used - symbols(PRELOAD, "--defined-only") - KNOWN == set()
    assert {"PQflush", "PQgetResult"} <= used


@pytest.mark.parametrize("service", SERVICES)
def test_a_service_that_dies_at_any_call_loses_nothing_and_doubles_nothing(street, service):
    whole = street.point(service, 0)
    assert not whole.call and not whole.lost and not whole.doubled, str(whole)
    calls = street.calls()
    working = [n for n, name in enumerate(calls, 1) if not name.startswith(STARTING)]
    draw = random.Random(f"{SEED} {service}")
    for n in sorted(draw.sample(working, POINTS)):
        side = draw.choice(sides(calls[n - 1]))
        point = street.point(service, n, side)
        print(f"seed {SEED}: {point}")
        assert not point.lost and not point.doubled, str(point)
    street.rest(service)
