# SPDX-License-Identifier: Apache-2.0
"""10,000 requests of mixed kinds at once, every service restarted once in the middle."""
import time

from house import SERVICES, policy
from test_faults import Load, exactly_once, people

MANY = 10_000


def test_ten_thousand_requests_at_once_give_ten_thousand_words(build):
    house = build(policy=policy(), services=SERVICES)
    people(house)
    expected = {}
    for n in range(MANY):
        kind, members, word = Load.KINDS[n % 4]
        house.ask(f"{kind}-{n}", flush=False, **members)
        house.producer.poll(0)
        expected[f"{kind}-{n}"] = word
    assert house.producer.flush(120) == 0
    deadline = time.monotonic() + 60
    while house.one("SELECT count(*) FROM request") < MANY // 4 and time.monotonic() < deadline:
        time.sleep(0.05)
    for service in SERVICES:
        assert house.stop(service) == 0
        house.start(service, wait=False)
    for service in SERVICES:
        house.wait_ready(service)
    exactly_once(house, expected, timeout=120)
    assert sum(len(words) for words in house.all_words().values()) == MANY
    assert house.one("SELECT count(*) FROM quarantine") == MANY // 4
