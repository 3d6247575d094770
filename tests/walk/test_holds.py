# SPDX-License-Identifier: Apache-2.0
"""Stop the line: what a hold matches is not granted while it stands, is refused or waits as it says, and is decided again afterwards."""
import json
import threading
import time
from datetime import timedelta

import pytest

from ending import finish
from house import House, now, policy, rfc3339

SERVICES = ("evaluator", "resolver", "relay")
ROUNDS = 50


@pytest.fixture(scope="module")
def house(request):
    house = House(policy=policy(), services=SERVICES)
    for person in ("alice", "anna"):
        house.person(person, "release-managers")
    yield house
    finish(house, request)


def hold(house, *options, reason="The cluster moves.", role="operator"):
    """The number of a new hold."""
    return int(house.cli("hold", "add", *options, "--reason", reason, role=role).stdout)


def lift(house, *holds):
    house.cli("hold", "lift", *map(str, holds), role="operator")


def listed(house, number, *options):
    return next((h for h in json.loads(house.cli("hold", "list", *options, "-o", "json").stdout) if h["hold"] == str(number)), None)


def test_what_a_hold_refuses_is_denied_and_told_which_and_why(house):
    number = hold(house, "--class", "deployment", "--refuse", "--by", "olga")
    for action in ("deployment.staging", "deployment.production"):
        word = house.word(house.ask(action=action), "DENIED")
        assert word.body["reason"] == {"code": "held", "text": f"Hold {number}: The cluster moves."}
        assert word.body["decision"] == ("ALLOW" if action == "deployment.staging" else "REQUIRE_APPROVAL") and word.body["next_action"] == "request"
        assert house.words(word.key) == ["DENIED"]
    house.word(house.ask(action="logs.read"), "GRANTED")  # of another class
    assert house.word(house.ask(action="data.export"), "DENIED").body["reason"]["code"] == "rule"
    assert listed(house, number)["waits"] == 0 and listed(house, number)["added_by"] == "olga"
    lift(house, number)
    house.word(house.ask(action="deployment.staging"), "GRANTED")


def test_what_a_hold_queues_waits_is_visible_and_decided_again_when_it_is_lifted(house):
    number = hold(house, "--class", "deployment", "--queue")
    allowed, asked, blocked = (house.ask(action=f"deployment.{kind}") for kind in ("staging", "production", "staging"))
    for request_id in (allowed, asked, blocked):
        word = house.word(request_id, "PENDING")
        assert word.body["reason"] == {"code": "held", "text": f"Hold {number}: The cluster moves."}
        assert "approval_id" not in word.body and word.body["held_until"] > rfc3339(now()) and word.body["next_action"] == "wait"
    shown = json.loads(house.cli("show", allowed, "-o", "json").stdout)
    assert shown["standing"] == "held" and shown["hold"][0]["hold"] == str(number) and shown["hold"][0]["reason"] == "The cluster moves."
    assert listed(house, number)["waits"] == 3
    deadline = time.monotonic() + 20
    while house.metrics("evaluator")["countersign_requests_held"] != 3 and time.monotonic() < deadline:
        time.sleep(0.2)
    assert house.metrics("evaluator")["countersign_requests_held"] == 3
    assert house.sql("SELECT count(*) FROM approval WHERE request_id IN (%s, %s)", allowed, asked) == [(0,)]
    lift(house, number)
    house.word(allowed, "GRANTED")
    assert house.expect("approvals", asked, state="OPEN").body["explanation_digest"]
    house.answer(asked, "alice")
    house.word(asked, "GRANTED")
    assert house.words(allowed) == house.words(asked) == ["PENDING", "GRANTED"]
    assert house.sql("SELECT n, verdict FROM decision WHERE request_id = %s ORDER BY n", allowed) == [(0, "ALLOW"), (1, "ALLOW")]
    assert listed(house, number) is None and listed(house, number, "--all")["state"] == "lifted"


def test_a_hold_ends_by_itself_at_its_time(house):
    number = hold(house, "--target", "brief-*", "--queue", "--until", rfc3339(now() + timedelta(seconds=2)))
    request_id = house.ask(action="deployment.staging", target="brief-1")
    house.word(request_id, "PENDING")
    word = house.word(request_id, "GRANTED")
    assert house.sql("SELECT %s >= until FROM hold WHERE hold_id = %s", word.body["decided_at"], number) == [(True,)]


def test_an_approval_whose_last_vote_comes_under_a_hold_waits_and_is_granted_by_a_decision_after_it(house):
    request_id, other = house.ask(target="kept"), house.ask(target="free")
    house.word(request_id, "PENDING")
    number = hold(house, "--target", "kept", "--queue")
    for asked in (request_id, other):
        house.answer(asked, "alice")
    house.word(other, "GRANTED")
    card = house.expect("approvals", request_id, cause="held")
    assert card.body["hold"] == {"id": number, "reason": "The cluster moves."} and card.body["state"] == "CHANGED"
    assert card.body["responses"][0]["responder"] == "alice"
    house.answer(request_id, "alice", "comment", reason="why does nothing happen?")
    house.expect("approvals", request_id, cause="commented")
    shown = json.loads(house.cli("show", request_id, "-o", "json").stdout)
    assert shown["standing"] == "held" and listed(house, number)["waits"] == 1
    time.sleep(1)
    assert house.words(request_id) == ["PENDING"]
    lift(house, number)
    word = house.word(request_id, "GRANTED")
    assert word.body["reason"]["code"] == "approved"
    assert house.sql("SELECT word.decided_at >= lifted_at FROM hold, authorization_status AS word"
                     " WHERE hold_id = %s AND request_id = %s AND final", number, request_id) == [(True,)]


def test_people_may_still_deny_what_waits_for_a_hold(house):
    request_id = house.ask(target="kept")
    house.word(request_id, "PENDING")
    number = hold(house, "--target", "kept", "--queue")
    house.answer(request_id, "alice")
    house.expect("approvals", request_id, cause="held")
    house.answer(request_id, "anna", "deny")
    assert house.word(request_id, "DENIED").body["reason"]["code"] == "denied_by_approver"
    lift(house, number)


def test_a_hold_that_refuses_denies_at_the_last_vote(house):
    request_id = house.ask(target="kept")
    house.word(request_id, "PENDING")
    number = hold(house, "--target", "kept", "--refuse")
    house.answer(request_id, "alice")
    assert house.word(request_id, "DENIED").body["reason"] == {"code": "held", "text": f"Hold {number}: The cluster moves."}
    lift(house, number)


def test_an_approval_that_waits_for_a_hold_expires_at_its_deadline(house):
    request_id = house.ask(action="deployment.brief", target="kept")
    house.word(request_id, "PENDING")
    number = hold(house, "--target", "kept", "--queue")
    house.answer(request_id, "alice")
    assert house.word(request_id, "EXPIRED").body["reason"]["code"] == "approval_expired"
    lift(house, number)
    assert house.words(request_id) == ["PENDING", "EXPIRED"]


def test_what_a_hold_names_must_all_match_and_patterns_go_by_segments(house):
    number = hold(house, "--agent", "nightly-*", "--target", "db/**", "--class", "deployment", "--refuse")
    ask = {"agent_id": "nightly-7", "target": "db/eu/1", "action": "deployment.staging"}
    assert house.word(house.ask(**ask), "DENIED").body["reason"]["code"] == "held"
    for other in ({"agent_id": "daily-7"}, {"target": "cache/eu"}, {"action": "logs.read"}, {"agent_id": "nightly/7"}):
        house.word(house.ask(**{**ask, **other}), "GRANTED")
    lift(house, number)


def test_when_one_of_two_holds_is_lifted_the_other_one_keeps_what_waits(house):
    first, second = hold(house, "--target", "both", "--queue"), hold(house, "--target", "both", "--queue", reason="Audit.")
    request_id, asked = house.ask(action="deployment.staging", target="both"), house.ask(target="both")
    for waiting in (request_id, asked):
        assert house.word(waiting, "PENDING").body["reason"]["text"].startswith(f"Hold {first}: ")
    lift(house, first)
    house.eventually("SELECT count(*) FROM held_request WHERE hold_id = %s AND ended_at IS NULL", second, expected=[(2,)])
    assert house.words(request_id) == ["PENDING"] and listed(house, second)["waits"] == 2
    third = hold(house, "--target", "both", "--refuse", reason="No more.")
    lift(house, second)
    for waiting in (request_id, asked):
        assert house.word(waiting, "DENIED").body["reason"]["text"] == f"Hold {third}: No more."
    lift(house, third)


def test_one_that_refuses_goes_before_one_that_queues(house):
    queue, refuse = hold(house, "--target", "strict", "--queue"), hold(house, "--target", "strict", "--refuse")
    assert house.word(house.ask(action="deployment.staging", target="strict"), "DENIED").body["reason"]["text"].startswith(f"Hold {refuse}: ")
    for over in (refuse, queue):
        request_id = house.ask(action="data.export", target="strict")
        assert house.word(request_id, "DENIED").body["rules"] == ["no-exports"], "what is BLOCK stays BLOCK"
        lift(house, over)


def test_a_hold_of_one_tenant_leaves_the_others_alone(build):
    house = build(policy=policy(tenants=["default", "acme"]), services=SERVICES)
    number = hold(house, "--tenant", "acme", "--queue")
    held = house.ask(action="deployment.staging", tenant="acme")
    assert house.word("acme/" + held, "PENDING").body["reason"]["code"] == "held"
    house.word(house.ask(action="deployment.staging"), "GRANTED")
    everywhere = hold(house, "--everything", "--refuse")
    for tenant in ("default", "acme"):
        request_id = house.ask(action="deployment.staging", tenant=tenant)
        house.word(request_id if tenant == "default" else "acme/" + request_id, "DENIED")
    lift(house, number)
    house.word("acme/" + held, "DENIED")
    assert {h["hold"]: h.get("tenant") for h in json.loads(house.cli("hold", "list", "--all", "-o", "json").stdout)} \
        == {str(number): "acme", str(everywhere): None}


def test_what_waited_is_decided_by_the_policy_of_the_moment_when_it_is_lifted(build):
    house = build(policy=policy(), services=SERVICES)
    house.person("alice", "release-managers")
    number = hold(house, "--everything", "--queue")
    freed, stopped, asked, voted = (house.ask(action=f"deployment.{a}") for a in ("production", "staging", "brief", "rotate"))
    for request_id in (freed, stopped, asked, voted):
        house.word(request_id, "PENDING")
    rules = [{"id": "no-staging", "match": {"actions": ["deployment.staging"]}, "decision": "BLOCK"},
             {"id": "free", "match": {"actions": ["deployment.production"]}, "decision": "ALLOW",
              "obligations": {"ticket": "now"}}]
    house.activate(policy(2, rules=rules))
    assert house.words(stopped) == ["PENDING"]
    lift(house, number)
    assert house.word(freed, "GRANTED").body["obligations"] == {"ticket": "now"}
    assert house.word(stopped, "DENIED").body["rules"] == ["no-staging"]
    for request_id in (asked, voted):
        house.expect("approvals", request_id, state="OPEN")
        house.answer(request_id, "alice")
        house.word(request_id, "GRANTED")


def test_a_restart_loses_nothing_that_waits_and_what_waits_too_long_expires(build):
    house = build(policy=policy(), services=SERVICES, settings={"evaluator": {"holds.limit": "8s"}})
    house.person("alice", "release-managers")
    voted = house.ask(target="kept")
    house.word(voted, "PENDING")
    long, short = hold(house, "--target", "long", "--queue"), hold(house, "--target", "kept", "--queue")
    forgotten, kept = house.ask(action="deployment.staging", target="long"), house.ask(action="deployment.staging", target="kept")
    for request_id in (forgotten, kept):
        house.word(request_id, "PENDING")
    house.answer(voted, "alice")
    house.expect("approvals", voted, cause="held")
    for service in ("evaluator", "resolver"):
        house.kill(service)
    lift(house, short)
    for service in ("evaluator", "resolver"):
        house.start(service)
    for request_id in (kept, voted):
        house.word(request_id, "GRANTED")
    word = house.word(forgotten, "EXPIRED")
    assert word.body["reason"]["code"] == "held_too_long" and word.body["next_action"] == "request"
    lift(house, long)
    time.sleep(1)
    assert house.words(forgotten) == ["PENDING", "EXPIRED"]


def test_what_waits_uses_nothing_of_a_limit(build):
    limit = {"id": "one", "match": {"actions": ["deployment.staging"]}, "key": ["tenant"], "count": {"max": 1, "per": "1h"}, "exceeded": "BLOCK"}
    house = build(policy=policy(limits=[limit]), services=SERVICES)
    number = hold(house, "--target", "kept", "--queue")
    held = house.ask(action="deployment.staging", target="kept")
    house.word(held, "PENDING")
    house.word(house.ask(action="deployment.staging", target="free"), "GRANTED")
    lift(house, number)
    assert house.word(held, "DENIED").body["reason"]["code"] == "limit_exceeded"


@pytest.mark.parametrize("effect", ["--refuse", "--queue"])
def test_once_hold_add_has_returned_nothing_that_it_matches_is_granted(build, effect):
    house = build(policy=policy(), services=SERVICES)
    house.person("alice", "release-managers")
    house.start("evaluator", "-second")
    house.start("resolver", "-second")
    ending, sent = threading.Event(), []

    def flood():
        while not ending.is_set():
            sent.append(house.ask(action="deployment.staging", flush=False))
            house.producer.poll(0.002)
    flooding = threading.Thread(target=flood)
    flooding.start()
    try:
        for round_number in range(ROUNDS):
            number = hold(house, "--class", "deployment", effect)
            last = house.one("SELECT coalesce(max(event_id::text), '') FROM authorization_status WHERE status = 'GRANTED'"), \
                house.one("SELECT count(*) FROM authorization_status WHERE status = 'GRANTED'")
            time.sleep(0.03)
            assert (house.one("SELECT coalesce(max(event_id::text), '') FROM authorization_status WHERE status = 'GRANTED'"),
                    house.one("SELECT count(*) FROM authorization_status WHERE status = 'GRANTED'")) == last, f"round {round_number}"
            lift(house, number)
            time.sleep(0.01)
    finally:
        ending.set()
        flooding.join()
    assert house.producer.flush(60) == 0
    house.eventually("SELECT count(*) FROM authorization_status WHERE final", expected=[(len(sent),)])
    granted = house.one("SELECT count(*) FROM authorization_status WHERE status = 'GRANTED'")
    held = house.one("SELECT count(*) FROM authorization_status WHERE reason_code = 'held'")
    assert granted > 0 and held > 0


def test_who_writes_the_row_by_hand_waits_for_those_who_decide_as_well(house):
    import psycopg
    with psycopg.connect(house.role_uri("operator")) as operator, psycopg.connect(house.owner_uri) as decider:
        for connection in (operator, decider):
            connection.execute("SET search_path = countersign")
        decider.execute("SELECT pg_advisory_xact_lock_shared(4850181421)")
        operator.execute("SET lock_timeout = '300ms'")
        with pytest.raises(psycopg.errors.LockNotAvailable):
            operator.execute("INSERT INTO hold (refuses, reason, added_by) VALUES (true, 'by hand', 'olga')")
        operator.rollback()
        for change in ("DELETE FROM hold", "UPDATE hold SET until = now()", "UPDATE hold SET lifted_at = NULL", "UPDATE hold SET added_at = now()"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                operator.execute("SET search_path = countersign; " + change)
            operator.rollback()


@pytest.mark.parametrize("options, said", [
    (("--everything", "--refuse"), "--reason is required"),
    (("--everything", "--reason", "x"), "either --refuse or --queue"),
    (("--everything", "--refuse", "--queue", "--reason", "x"), "either --refuse or --queue"),
    (("--refuse", "--reason", "x"), "or else --everything"),
    (("--everything", "--class", "read", "--refuse", "--reason", "x"), "or else --everything"),
    (("--target", "a**", "--refuse", "--reason", "x"), "target"),
    (("--agent", "", "--refuse", "--reason", "x"), "agent"),
    (("--class", "", "--refuse", "--reason", "x"), "class"),
    (("--everything", "--refuse", "--reason", ""), "reason: "),
    (("--everything", "--refuse", "--reason", "a\nb"), "reason: "),
    (("--everything", "--refuse", "--reason", "x" * 513), "reason: "),
    (("--everything", "--refuse", "--reason", "x", "--until", "tomorrow"), "until: "),
    (("--everything", "--refuse", "--reason", "x", "--until", "2026-01-01T00:00:00Z"), "until: "),
    (("--everything", "--refuse", "--reason", "x", "--by", ""), "by: ")])
def test_a_hold_that_is_none_is_refused_and_why(house, options, said):
    before = house.one("SELECT count(*) FROM hold")
    done = house.cli("hold", "add", *options, role="operator", check=False)
    assert done.returncode in (1, 2) and said in done.stderr and house.one("SELECT count(*) FROM hold") == before


def test_only_what_stands_can_be_lifted(house):
    number = hold(house, "--target", "nothing", "--queue")
    lift(house, number)
    for bad, code in ((str(number), 1), ("999999", 1), ("0", 2), ("x", 2), ("1x", 2)):
        assert house.cli("hold", "lift", bad, role="operator", check=False).returncode == code, bad


def test_last_votes_and_holds_at_the_same_moment_grant_nothing_that_is_held(build):
    house = build(policy=policy(), services=SERVICES)
    house.person("alice", "release-managers")
    asked = [house.ask(target=f"racing-{n}", flush=False) for n in range(ROUNDS)]
    assert house.producer.flush(30) == 0
    for request_id in asked:
        house.word(request_id, "PENDING")
    digests = {request_id: house.digest(request_id) for request_id in asked}
    waited = 0
    for n, request_id in enumerate(asked):
        voting = threading.Thread(target=house.answer, args=(request_id, "alice"), kwargs={"digest": digests[request_id]})
        voting.start()
        time.sleep(n % 10 * 0.004)
        number = hold(house, "--target", f"racing-{n}", "--queue")
        granted = house.sql("SELECT decided_at < added_at FROM authorization_status, hold WHERE hold_id = %s AND request_id = %s AND final",
                            number, request_id)
        assert granted in ([], [(True,)]), f"round {n}"
        voting.join()
        if not granted:
            house.expect("approvals", request_id, cause="held")
            assert house.sql("SELECT FROM authorization_status WHERE request_id = %s AND final", request_id) == []
            waited += 1
        lift(house, number)
        house.word(request_id, "GRANTED")
    assert 0 < waited


def test_many_approvals_that_wait_for_a_hold_keep_nobody_from_his_end(build):
    house = build(policy=policy(), services=SERVICES)
    house.person("alice", "release-managers")
    asked = [house.ask(target="kept", flush=False) for _ in range(150)]
    assert house.producer.flush(30) == 0
    house.eventually("SELECT count(*) FROM approval", expected=[(150,)])
    number = hold(house, "--target", "kept", "--queue")
    for request_id in asked:
        house.answer(request_id, "alice", flush=False)
    assert house.producer.flush(30) == 0
    house.eventually("SELECT count(*) FROM approval WHERE held_by = %s", number, expected=[(150,)])
    house.word(house.ask(action="deployment.brief"), "EXPIRED", timeout=15)
    before = house.one("SELECT sum(notices) FROM approval WHERE held_by IS NOT NULL")
    busy = house.processor_time("resolver")
    time.sleep(2)
    assert house.one("SELECT sum(notices) FROM approval WHERE held_by IS NOT NULL") == before
    assert house.processor_time("resolver") - busy < 0.5
    lift(house, number)
    for request_id in asked:
        house.word(request_id, "GRANTED")
