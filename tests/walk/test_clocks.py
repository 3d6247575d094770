# SPDX-License-Identifier: Apache-2.0
"""Time: deadlines go by the clock of the database and no other, to the microsecond, and it must not go back."""
import json
import time
from datetime import datetime, timedelta

import psycopg
import pytest

from ending import finish
from house import House, now, policy
from machine import Machine, Postgres
from test_faults import readiness, waits_for_a_lock

WALKERS = ("evaluator", "resolver", "recorder", "relay")
MICROSECOND, MILLISECOND = timedelta(microseconds=1), timedelta(milliseconds=1)


@pytest.fixture(scope="module")
def elsewhere():
    """A database on a machine whose clock the stories set."""
    server = Postgres()
    yield server
    server.close()


@pytest.fixture
def clock(elsewhere):
    elsewhere.machine.clock(0)
    return elsewhere.machine


@pytest.fixture
def machine():
    machine = Machine()
    yield machine
    machine.close()


def until(condition, timeout=20, what=None):
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, what() if what else "in vain"
        time.sleep(0.05)


def moment(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


@pytest.mark.parametrize("hours", [1, -1])
def test_the_clock_of_a_service_decides_nothing(build, machine, hours):
    machine.clock(hours * 3600)
    house = build(policy=policy(), services=WALKERS, start=False)
    house.person("alice", "release-managers")
    for service in WALKERS:
        house.start(service, env=machine.env)
        logged = moment(house.log(service).split()[0].partition("=")[2])
        assert abs(logged - now() - timedelta(hours=hours)) < timedelta(minutes=1)  # it does live at that hour
    quick, brief = house.ask(), house.ask(action="deployment.brief")
    house.answer(quick, "alice")
    word = house.word(quick, "GRANTED").body
    assert abs(moment(word["decided_at"]) - now()) < timedelta(seconds=20)
    assert moment(word["expires_at"]) - moment(word["decided_at"]) == timedelta(minutes=15)
    expired = house.word(brief, "EXPIRED").body
    assert abs(moment(expired["decided_at"]) - now()) < timedelta(seconds=20)
    late = house.ask(deadline=(now() - timedelta(minutes=1)).strftime("%Y-%m-%dT%H:%M:%SZ"))
    assert house.word(late, "DENIED").body["reason"]["code"] == "evaluation_timeout"
    in_time = house.ask(action="logs.read", deadline=(now() + timedelta(minutes=1)).strftime("%Y-%m-%dT%H:%M:%SZ"))
    assert house.word(in_time, "GRANTED")
    house.report(quick, "started")
    house.eventually("SELECT judgement FROM outcome", expected=[("authorized",)])


def held(house, service):
    status, text = readiness(house, service)
    return status == 503 and "before a time that it showed earlier" in text


def test_a_clock_that_goes_back_opens_nothing_again_and_is_told(build, elsewhere, clock):
    house = build(policy=policy(), services=WALKERS, server=elsewhere.uri)
    house.person("alice", "release-managers")
    over, open_ = house.ask(action="deployment.brief"), house.ask()
    house.word(over, "PENDING"), house.word(open_, "PENDING")
    house.stop("resolver")  # nobody is there to say that it is over
    deadline = house.one("SELECT deadline FROM approval WHERE request_id = %s", over)
    until(lambda: house.one("SELECT clock_timestamp() > %s", deadline))
    house.word(house.ask(action="deployment.staging"), "GRANTED")
    clock.clock(-600)
    assert house.one("SELECT clock_timestamp() < %s", deadline)
    house.start("resolver", wait=False)  # it did not see the time that was
    for request_id in (over, open_):
        house.answer(request_id, "alice")
    asked = house.ask(action="deployment.staging")
    for service in ("evaluator", "resolver", "recorder"):
        until(lambda: held(house, service), what=lambda: house.log(service)[-3000:])
        assert 590 < house.metrics(service)["countersign_database_clock_behind_seconds"] < 601
        assert "level=error" in [line for line in house.log(service).splitlines() if "event=database_clock_back" in line][0]
        assert house.processes[service].poll() is None
    began = {service: house.processor_time(service) for service in WALKERS}
    time.sleep(1)
    assert all(house.processor_time(service) - began[service] < 0.2 for service in WALKERS), "waiting is no work"
    assert house.words(asked) == [] and house.words(over) == house.words(open_) == ["PENDING"]
    assert house.sql("SELECT count(*) FROM response") == [(0,)]
    clock.clock(0)
    house.word(open_, "GRANTED"), house.word(asked, "GRANTED"), house.word(over, "EXPIRED")
    assert house.words(over) == ["PENDING", "EXPIRED"]
    for service in WALKERS:
        house.wait_ready(service)


def test_a_second_that_comes_twice_is_none(build, elsewhere, clock):
    house = build(policy=policy(), services=WALKERS, server=elsewhere.uri)
    house.person("alice", "release-managers")
    house.allowed = {"nobody"}  # in the second that comes again she is asked before she joined
    for step in (-1, 0, -1, 0):
        clock.clock(step)
        request_id = house.ask()
        house.word(request_id, "PENDING")
        house.answer(request_id, "alice")
        house.word(request_id, "GRANTED")
    ordered = house.sql("SELECT created_at FROM ledger_batch JOIN ledger_event USING (chain, created_at) WHERE topic = 'authorizations' ORDER BY created_at")
    assert len(ordered) == 8
    for service in WALKERS:
        assert "clock_back" not in house.log(service)


@pytest.fixture(scope="module")
def precise_house(elsewhere, request):
    unhurried = policy()
    unhurried["approvals"]["brief"]["ttl"] = "20s"
    house = House(policy=unhurried, services=("evaluator", "resolver", "relay"), server=elsewhere.uri)
    house.person("alice", "release-managers")
    yield house
    elsewhere.machine.thaw()
    finish(house, request)


@pytest.fixture
def precise(precise_house, elsewhere):
    """Each of these stories jumps to the end of its question, and the next one goes on from there."""
    elsewhere.machine.thaw()
    return precise_house, elsewhere.machine


def asked(house):
    """A question, and the time at which it is over."""
    request_id = house.ask(action="deployment.brief")
    house.word(request_id, "PENDING")
    return request_id, house.one("SELECT deadline FROM approval WHERE request_id = %s", request_id)


@pytest.mark.parametrize("distance,word,result", [
    (-MILLISECOND, "GRANTED", "counted"), (-MICROSECOND, "GRANTED", "counted"), (timedelta(0), "EXPIRED", "approval_expired"),
    (MICROSECOND, "EXPIRED", "approval_expired"), (MILLISECOND, "EXPIRED", "approval_expired")])
def test_an_answer_counts_before_its_deadline_and_not_at_it(precise, distance, word, result):
    house, clock = precise
    request_id, deadline = asked(house)
    clock.freeze(deadline + distance)
    response = house.answer(request_id, "alice", issued_at=(deadline - MILLISECOND).strftime("%Y-%m-%dT%H:%M:%S.%fZ"))
    assert moment(house.word(request_id, word).body["decided_at"]) == deadline + distance
    house.eventually("SELECT result FROM response WHERE response_id = %s", response, expected=[(result,)])
    assert house.words(request_id) == ["PENDING", word]


@pytest.mark.parametrize("after,word", [(-MICROSECOND, "GRANTED"), (MICROSECOND, "EXPIRED")])
def test_an_answer_that_waited_for_a_lock_counts_by_the_time_at_which_it_got_it(precise, after, word):
    house, clock = precise
    request_id, deadline = asked(house)
    clock.freeze(deadline - MILLISECOND)
    with psycopg.connect(house.owner_uri) as other:
        other.execute("SELECT FROM countersign.approval WHERE request_id = %s FOR UPDATE", (request_id,))
        house.answer(request_id, "alice", issued_at=(deadline - MILLISECOND).strftime("%Y-%m-%dT%H:%M:%S.%fZ"))
        waits_for_a_lock(house, "resolver")
        clock.freeze(deadline + after)
    assert moment(house.word(request_id, word).body["decided_at"]) == deadline + after
    assert house.words(request_id) == ["PENDING", word]


def test_what_was_used_counts_until_its_window_is_over_and_no_longer(build, elsewhere, clock):
    per = timedelta(seconds=4)
    limits = [{"id": "sliding", "match": {"actions": ["deployment.staging"]}, "key": ["target"], "count": {"max": 1, "per": "4s"}, "exceeded": "BLOCK"},
              {"id": "fixed", "match": {"actions": ["logs.read"]}, "key": ["target"], "count": {"max": 1, "per": "4s"}, "exceeded": "BLOCK", "window": "fixed"},
              {"id": "bucket", "match": {"actions": ["mail.read"]}, "key": ["target"], "count": {"max": 4, "per": "4s"}, "exceeded": "BLOCK", "window": "token_bucket"}]
    house = build(policy=policy(limits=limits), services=("evaluator", "relay"), server=elsewhere.uri, partitions=1)  # at one moment, in order

    def said(action):
        return house.expect("authorizations", house.ask(action=action)).body
    try:
        first = moment(said("deployment.staging")["decided_at"])
        for distance, status in ((-MICROSECOND, "DENIED"), (timedelta(0), "GRANTED"), (MICROSECOND, "DENIED")):
            clock.freeze(first + per + distance)
            word = said("deployment.staging")
            assert (word["status"], moment(word["decided_at"])) == (status, first + per + distance)
        end = first + 2 * per - timedelta(microseconds=int((first + per).timestamp() * 1e6) % 4_000_000)
        assert end.timestamp() % 4 == 0 and end > first + per
        clock.freeze(end - MICROSECOND)
        assert [said("logs.read")["status"] for _ in range(2)] == ["GRANTED", "DENIED"]
        clock.freeze(end)
        assert [said("logs.read")["status"] for _ in range(2)] == ["GRANTED", "DENIED"]
        assert [said("mail.read")["status"] for _ in range(5)] == ["GRANTED"] * 4 + ["DENIED"]
        for seconds, words in ((1, ["GRANTED", "DENIED"]), (3, ["GRANTED", "GRANTED", "DENIED"])):
            clock.freeze(end + timedelta(seconds=seconds) - MICROSECOND)
            assert said("mail.read")["status"] == ("DENIED" if seconds == 1 else "GRANTED")
            clock.freeze(end + timedelta(seconds=seconds))
            assert [said("mail.read")["status"] for _ in words[seconds // 2:]] == words[seconds // 2:]
    finally:
        clock.thaw()
    house.eventually("SELECT clock_timestamp() > %s", end + timedelta(seconds=3), expected=[(True,)])


def test_times_without_end_are_refused(shared):
    request_id = shared.ask()
    shared.word(request_id, "PENDING")
    shared.answer(request_id, "alice", issued_at="infinity")
    shared.observer.wait(lambda e: e.topic == "quarantine" and e.body.get("request_id") == request_id
                         and e.body["reason"] == {**e.body["reason"], "code": "bad_value", "field": "issued_at"}, 20)
    late = shared.answer(request_id, "alice", issued_at="9999-12-31T23:59:59Z")
    shared.eventually("SELECT result FROM response WHERE response_id = %s", late, expected=[("stale",)])
    assert shared.words(request_id) == ["PENDING"]
    for place, members in (("approvals.long.ttl", {"ttl": "8000000000s"}), ("approvals.long.grant.valid_for", {"grant": {"uses": 1, "valid_for": "721h"}})):
        endless = {"any_of": [{"group": "g", "quorum": 1}], "ttl": "1h", "grant": {"uses": 1, "valid_for": "15m"}, **members}
        (shared.folder / "endless.json").write_text(json.dumps(policy(99, name="endless", tenants=["nobody"], approvals={**policy()["approvals"], "long": endless})))
        refused = shared.cli("policy", "activate", str(shared.folder / "endless.json"), check=False)
        assert refused.returncode != 0 and place in refused.stderr
