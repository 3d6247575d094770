# SPDX-License-Identifier: Apache-2.0
"""What comes before its request waits for it on a shelf: not for ever, and not without bounds."""
import secrets
import time

import psycopg
import pytest

from house import digest_of, policy, usual
from test_faults import waits_for_a_lock

ROOM = 32  # for records about one request


def unasked(action):
    """A request that was not sent yet: its id, and its digest."""
    request_id = "early-" + secrets.token_hex(6)
    return request_id, digest_of({**usual(request_id), "action": action})


def turned_away(house, request_id, count):
    """So many of them found the shelf full, each is announced and kept as such, the others wait."""
    house.eventually("SELECT count(*) FROM quarantine WHERE request_id = %s AND code = 'shelf_full'", request_id, expected=[(count,)])
    assert house.one("SELECT count(*) FROM shelf WHERE request_id = %s", request_id) == ROOM
    house.observer.wait(lambda e: e.topic == "quarantine" and e.body.get("request_id") == request_id
                        and e.body["reason"]["code"] == "shelf_full", 20)


def results(house, query, request_id, count):
    """How often each result came, when all have one."""
    house.eventually(f"SELECT sum(n)::int FROM ({query}) AS each", request_id, expected=[(count,)])
    return dict(house.sql(query, request_id))


def test_an_answer_to_a_request_that_never_comes_ends_in_quarantine(build):
    house = build(policy=policy(), services=("evaluator", "resolver", "relay"), settings={"resolver": {"shelf.limit": "2s"}})
    house.person("alice", "release-managers")
    request_id, digest = unasked("deployment.production")
    house.answer(request_id, "alice", digest=digest)
    house.eventually("SELECT count(*) FROM shelf", expected=[(1,)])
    event = house.observer.wait(lambda e: e.topic == "quarantine" and e.body.get("request_id") == request_id, 20)
    assert event.body["reason"]["code"] == "request_unknown"
    assert house.sql("SELECT count(*) FROM shelf") == [(0,)] and house.sql("SELECT count(*) FROM response") == [(0,)]
    house.ask(request_id)  # now it comes after all: the answer is not there any more
    house.word(request_id, "PENDING")
    house.quiet()
    assert house.words(request_id) == ["PENDING"]


def test_answers_to_a_request_that_is_not_there_find_the_shelf_full_at_last(shared):
    request_id, digest = unasked("deployment.production")
    for _ in range(ROOM + 8):
        shared.answer(request_id, "alice", digest=digest)
    turned_away(shared, request_id, 8)
    shared.ask(request_id)
    shared.word(request_id, "GRANTED")
    query = "SELECT result, count(*) AS n FROM response WHERE request_id = %s GROUP BY 1"
    assert results(shared, query, request_id, ROOM) == {"counted": 1, "already_decided": ROOM - 1}
    assert shared.one("SELECT count(*) FROM shelf WHERE request_id = %s", request_id) == 0


def test_reports_on_a_request_that_is_not_there_find_the_shelf_full_at_last(shared):
    request_id, digest = unasked("deployment.staging")
    for _ in range(ROOM + 8):
        shared.report(request_id, "started", digest=digest)
    turned_away(shared, request_id, 8)
    shared.ask(request_id, action="deployment.staging")
    shared.word(request_id, "GRANTED")
    query = "SELECT judgement, count(*) AS n FROM outcome WHERE request_id = %s GROUP BY 1"
    assert results(shared, query, request_id, ROOM) == {"authorized": 1, "executed_twice": ROOM - 1}
    assert shared.one("SELECT count(*) FROM shelf WHERE request_id = %s", request_id) == 0


@pytest.mark.parametrize("service", ["resolver", "recorder"])
def test_a_look_at_the_shelf_that_was_held_up_does_not_put_off_the_next_one_for_long(build, service):
    house = build(policy=policy(), services=("evaluator", service, "relay"))
    house.person("alice", "release-managers")
    action = "deployment.production" if service == "resolver" else "deployment.staging"
    request_id, digest = unasked(action)
    if service == "resolver":
        house.answer(request_id, "alice", digest=digest)
    else:
        house.report(request_id, "started", digest=digest)
    house.eventually("SELECT count(*) FROM shelf", expected=[(1,)])
    with psycopg.connect(house.owner_uri) as other:
        other.execute("LOCK TABLE countersign.shelf IN ACCESS EXCLUSIVE MODE")
        waits_for_a_lock(house, service)
        time.sleep(2)
    waits_for_a_lock(house, service, False)
    house.ask(request_id, action=action)
    house.eventually("SELECT count(*) FROM shelf", expected=[(0,)], timeout=40)
    house.word(request_id, "GRANTED")
