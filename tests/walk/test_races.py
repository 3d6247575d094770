# SPDX-License-Identifier: Apache-2.0
"""Two things at the same moment, many times: whichever comes first, there is one end, and it is the right one. ROUNDS says how often."""
import os
import random
import time

import pytest

from ending import finish
from flood import send_answer, send_request
from house import House, digest_of, policy, usual

ROUNDS = int(os.environ.get("ROUNDS", "1000"))
FEWER = int(os.environ.get("ROUNDS", "50"))  # of those that take longer

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
    for person in ("pia", "paul", "olga"):
        house.person(person, "pair")
    first = house.keys["pia"]
    house.keys.update({"pia.again": house.person("pia"), "pia": first})
    house.cli("agents", "add", "coding-agent-production", "--owner", "olga")
    house.db.execute(LINGERS)
    yield house
    finish(house, request)


def pairs(house, send, rounds=ROUNDS):
    """So often two things, in the one order or the other. Now and then the first is looked at before the second is sent."""
    order = random.Random(29)
    for n in range(rounds):
        acts = list(send(n, order))
        order.shuffle(acts)
        for act in acts[:-1]:
            act()
            if order.random() < 0.1:
                assert house.producer.flush(30) == 0
                time.sleep(order.random() * 0.05)
        acts[-1]()
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
    assert ROUNDS // 20 < sum(verdict == "approve" for verdict in counted.values()) < ROUNDS - ROUNDS // 20  # it is no matter of who is who
    assert house.one("SELECT count(*) FROM approval WHERE state = 'PENDING'") == 0


def opened(house, name, rounds, **members):
    """So many questions: their digests."""
    digests = {n: send_request(house, f"{name}-{n}", **members) for n in range(rounds)}
    assert house.producer.flush(30) == 0
    house.eventually("SELECT count(*) FROM approval WHERE request_id LIKE %s", f"{name}-%", expected=[(rounds,)], timeout=120)
    return digests


def results(house, name):
    """Of every request the results of its responses, in the order of their names."""
    found = {}
    for request_id, response_id, result in house.sql("SELECT request_id, response_id, result FROM response WHERE request_id LIKE %s ORDER BY response_id",
                                                     f"{name}-%"):
        found.setdefault(request_id, {})[response_id.removesuffix("-" + request_id)] = result
    return found


def answer_at_deadlines(house, order, numbers):
    """So many questions that are open for two seconds, each answered at about its end."""
    digests = {n: send_request(house, f"brief-{n}", action="deployment.brief") for n in numbers}
    assert house.producer.flush(30) == 0
    ids = [f"brief-{n}" for n in numbers]
    house.eventually("SELECT count(*) FROM approval WHERE request_id = ANY (%s)", ids, expected=[(len(ids),)], timeout=60)
    begin = time.monotonic()
    left = dict(house.sql("SELECT request_id, extract(epoch FROM deadline - clock_timestamp())::float8 FROM approval WHERE request_id = ANY (%s)", ids))
    due = {n: begin + left[f"brief-{n}"] + order.uniform(-0.25, 0.05) for n in numbers}
    for n in sorted(due, key=due.get):
        time.sleep(max(0, due[n] - time.monotonic()))
        send_answer(house, f"brief-{n}", digests[n], "alice")
        house.producer.poll(0)
    assert house.producer.flush(30) == 0


def test_an_answer_at_its_deadline_counts_before_it_and_at_no_other_time(house):
    order = random.Random(31)
    for first in range(0, FEWER, 50):
        answer_at_deadlines(house, order, range(first, min(first + 50, FEWER)))
    house.eventually("SELECT count(*) FROM response WHERE request_id LIKE 'brief-%%'", expected=[(FEWER,)], timeout=60)
    house.eventually("SELECT count(*) FROM approval WHERE request_id LIKE 'brief-%%' AND state = 'PENDING'", expected=[(0,)], timeout=60)
    rows = house.sql("SELECT v.received_at < a.deadline, a.closed_at < a.deadline, v.result, a.state FROM response v JOIN approval a USING (approval_id)"
                     " WHERE v.request_id LIKE 'brief-%%'")
    assert {row for row in rows} == {(True, True, "counted", "APPROVED"), (False, False, "approval_expired", "EXPIRED")}
    house.quiet()
    words = house.all_words()
    for n in range(FEWER):
        assert words[f"brief-{n}"] in (["PENDING", "GRANTED"], ["PENDING", "EXPIRED"])


def test_one_person_with_two_keys_is_not_two_and_who_answers_for_the_agent_is_none(house):
    digests = opened(house, "alone", FEWER, action="credential.rotate")

    def send(n, order):
        return tuple(lambda key=key, person=person: send_answer(house, f"alone-{n}", digests[n], key, responder=person)
                     for key, person in (("pia", "pia"), ("pia.again", "pia"), ("olga", "olga")))
    pairs(house, send, FEWER)
    house.eventually("SELECT count(*) FROM response WHERE request_id LIKE 'alone-%%'", expected=[(3 * FEWER,)], timeout=60)
    for found in results(house, "alone").values():
        assert sorted((found["pia"], found["pia.again"])) == ["counted", "repeated"] and found["olga"] == "responder_is_requester"
    assert house.sql("SELECT state, count(*) FROM approval WHERE request_id LIKE 'alone-%%' GROUP BY 1") == [("PENDING", FEWER)]
    for n in range(FEWER):
        send_answer(house, f"alone-{n}", digests[n], "paul")
    assert house.producer.flush(30) == 0
    house.eventually("SELECT count(*) FROM authorization_status WHERE status = 'GRANTED' AND request_id LIKE 'alone-%%'", expected=[(FEWER,)], timeout=60)


def test_what_was_shown_another_request_approves_nothing(house):
    digests = opened(house, "other", FEWER)
    pairs(house, lambda n, order: (lambda: send_answer(house, f"other-{n}", digests[(n + 1) % FEWER], "alice"),
                                   *([lambda: send_answer(house, f"other-{n}", digests[n], "anna")] if n % 2 else [])), FEWER)
    house.eventually("SELECT count(*) FROM response WHERE request_id LIKE 'other-%%'", expected=[(FEWER + FEWER // 2,)], timeout=60)
    for request_id, found in results(house, "other").items():
        assert found == {"alice": "digest_mismatch", **({"anna": "counted"} if int(request_id.split("-")[1]) % 2 else {})}
    states = dict(house.sql("SELECT request_id, state FROM approval WHERE request_id LIKE 'other-%%'"))
    assert states == {f"other-{n}": "APPROVED" if n % 2 else "PENDING" for n in range(FEWER)}
    house.quiet()
    told = [e.key for e in house.observer.find(lambda e: e.topic == "approvals" and e.body.get("refused", {}).get("code") == "digest_mismatch")]
    assert sorted(told) == sorted(states)  # each was told, and audited


def test_an_answer_without_a_request_waits_no_longer_than_it_may_and_is_not_taken_later(house):
    house.settings["resolver"]["shelf.limit"] = "1s"
    house.stop("resolver")
    house.start("resolver")
    order, begin, due = random.Random(30), time.monotonic(), {}
    for n in range(FEWER):
        send_answer(house, f"never-{n}", digest_of(usual(f"never-{n}")), "alice")
        due[n] = 0.5 + order.random()
        house.producer.poll(0)
    assert house.producer.flush(30) == 0
    for n in sorted(due, key=due.get):  # at about the moment when the shelf is cleared
        if n % 3:
            time.sleep(max(0, begin + due[n] - time.monotonic()))
            send_request(house, f"never-{n}")
            house.producer.poll(0)
    assert house.producer.flush(30) == 0
    asked = [n for n in range(FEWER) if n % 3]
    house.eventually("SELECT count(*) FROM approval WHERE request_id LIKE 'never-%%'", expected=[(len(asked),)], timeout=60)
    house.eventually("SELECT count(*) FROM shelf", expected=[(0,)], timeout=60)
    house.quiet()
    counted = {request_id for request_id, in house.sql("SELECT request_id FROM response WHERE result = 'counted' AND request_id LIKE 'never-%%'")}
    turned_away = [request_id for request_id, in house.sql("SELECT request_id FROM quarantine WHERE code = 'request_unknown' AND request_id LIKE 'never-%%'")]
    assert sorted([*counted, *turned_away]) == sorted(f"never-{n}" for n in range(FEWER))  # each one or the other
    words = house.all_words()
    for n in asked:
        assert words[f"never-{n}"] == (["PENDING", "GRANTED"] if f"never-{n}" in counted else ["PENDING"])
    assert counted and len(turned_away) > FEWER // 3
