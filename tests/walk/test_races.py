# SPDX-License-Identifier: Apache-2.0
"""Two things at the same moment, a thousand times: whichever comes first, there is one end, and it is the right one."""
import random
import time

import pytest

from ending import finish
from flood import send_answer, send_request
from house import House, digest_of, policy, usual

ROUNDS = 1000

# The window between a look and the act that follows from it, some times open for longer than the other side needs.
LINGERS = """CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(random() * 0.05); RETURN NULL; END $$;
    CREATE TRIGGER linger BEFORE INSERT ON shelf FOR EACH STATEMENT EXECUTE FUNCTION linger();
    CREATE TRIGGER linger AFTER INSERT ON request FOR EACH STATEMENT EXECUTE FUNCTION linger();
    CREATE TRIGGER linger BEFORE INSERT ON response FOR EACH STATEMENT EXECUTE FUNCTION linger()"""


@pytest.fixture(scope="module")
def house(request):
    house = House(policy=policy(), services=("evaluator", "resolver", "relay"), settings={"resolver": {"batch.max_records": "50"}})
    for person in ("alice", "anna"):
        house.person(person, "release-managers")
    house.db.execute(LINGERS)
    yield house
    finish(house, request)


def pairs(house, send):
    """So often two things, in the one order or the other. Now and then the first is looked at before the second is sent."""
    order = random.Random(29)
    for n in range(ROUNDS):
        acts = list(send(n, order))
        order.shuffle(acts)
        acts[0]()
        if order.random() < 0.1:
            assert house.producer.flush(30) == 0
            time.sleep(order.random() * 0.05)
        acts[1]()
        house.producer.poll(0)
    assert house.producer.flush(30) == 0


def test_an_answer_and_its_request_at_the_same_moment_meet(house):
    def send(n, order):
        return (lambda: send_request(house, f"meet-{n}")), (lambda: send_answer(house, f"meet-{n}", digest_of(usual(f"meet-{n}")), "alice"))
    pairs(house, send)
    house.eventually("SELECT count(*) FROM authorization_status WHERE status = 'GRANTED' AND request_id LIKE 'meet-%%'", expected=[(ROUNDS,)], timeout=60)
    house.quiet()
    words = house.all_words()
    assert [words[f"meet-{n}"] for n in range(ROUNDS)] == [["PENDING", "GRANTED"]] * ROUNDS
    assert house.sql("SELECT count(*) FROM shelf") == house.sql("SELECT count(*) FROM quarantine") == [(0,)]
    assert house.sql("SELECT result, count(*) FROM response GROUP BY 1") == [("counted", ROUNDS)]
    assert 0 < house.metrics("resolver")["countersign_shelved_total"] < ROUNDS  # both ways were gone


def test_yes_and_no_at_the_same_moment_give_one_word_and_the_other_is_told(house):
    digests = {n: send_request(house, f"both-{n}") for n in range(ROUNDS)}
    assert house.producer.flush(30) == 0
    house.eventually("SELECT count(*) FROM approval WHERE request_id LIKE 'both-%%'", expected=[(ROUNDS,)], timeout=60)

    def send(n, order):
        people = ["alice", "anna"]
        order.shuffle(people)
        return (lambda: send_answer(house, f"both-{n}", digests[n], people[0], "approve")), \
            (lambda: send_answer(house, f"both-{n}", digests[n], people[1], "deny"))
    pairs(house, send)
    house.eventually("SELECT count(*) FROM response WHERE request_id LIKE 'both-%%'", expected=[(2 * ROUNDS,)], timeout=60)
    house.quiet()
    words, ends = house.all_words(), {"approve": "GRANTED", "deny": "DENIED"}
    counted = dict(house.sql("SELECT request_id, verdict FROM response WHERE result = 'counted' AND request_id LIKE 'both-%%'"))
    lost = dict(house.sql("SELECT request_id, response_id FROM response WHERE result = 'already_decided' AND request_id LIKE 'both-%%'"))
    told = {e.key: e.body["refused"] for e in house.observer.find(lambda e: e.topic == "approvals" and "refused" in e.body)}
    for n in range(ROUNDS):
        request_id = f"both-{n}"
        assert words[request_id] == ["PENDING", ends[counted[request_id]]]
        assert (told[request_id]["response_id"], told[request_id]["code"]) == (lost[request_id], "already_decided")
    assert 50 < sum(verdict == "approve" for verdict in counted.values()) < ROUNDS - 50  # it is no matter of who is who
    assert house.one("SELECT count(*) FROM approval WHERE state = 'PENDING'") == 0
