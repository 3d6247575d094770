# SPDX-License-Identifier: Apache-2.0
"""What happened downstream is recorded apart; what must not have happened becomes an incident."""
import secrets
import time

import pytest


def granted(house):
    request_id = house.ask(action="deployment.staging")
    house.word(request_id, "GRANTED")
    return request_id


def judged(house, outcome_id, judgement):
    house.eventually("SELECT judgement FROM outcome WHERE outcome_id = %s", outcome_id, expected=[(judgement,)])


def incidents(house, request_id):
    return [kind for kind, in house.sql("SELECT kind FROM incident WHERE request_id = %s ORDER BY at", request_id)]


def test_a_granted_request_without_an_outcome_is_authorized_not_executed(shared):
    request_id = granted(shared)
    assert "authorized, not executed" in shared.cli("show", request_id).stdout


@pytest.mark.parametrize("end", ["succeeded", "failed"])
def test_started_and_ended_are_recorded_and_the_authorization_stays_what_it_was(shared, end):
    request_id = granted(shared)
    for status in ("started", end):
        judged(shared, shared.report(request_id, status), "authorized")
    assert f"authorized, reported as {end}" in shared.cli("show", request_id).stdout
    assert shared.words(request_id) == ["GRANTED"] and incidents(shared, request_id) == []


def test_rolled_back_may_follow_an_end(shared):
    request_id = granted(shared)
    for status in ("started", "failed", "rolled_back"):
        judged(shared, shared.report(request_id, status), "authorized")
    assert incidents(shared, request_id) == []


def test_executed_while_still_pending_is_an_incident(shared):
    request_id = shared.ask()
    shared.word(request_id, "PENDING")
    shared.report(request_id, "started")
    event = shared.expect("incidents", request_id, kind="executed_without_authorization")
    assert event.body["severity"] in ("high", "critical")
    assert incidents(shared, request_id) == ["executed_without_authorization"]


def test_executed_after_a_denial_is_an_incident(shared):
    request_id = shared.ask(action="data.export")
    shared.word(request_id, "DENIED")
    shared.report(request_id, "succeeded")
    shared.expect("incidents", request_id, kind="executed_after_denial")


def test_executed_after_expiry_is_an_incident(shared):
    request_id = shared.ask(action="deployment.passing")
    shared.word(request_id, "PENDING")
    shared.answer(request_id, "alice")
    shared.word(request_id, "GRANTED")
    time.sleep(1.5)
    shared.report(request_id, "started")
    shared.expect("incidents", request_id, kind="executed_after_expiry")


def test_executed_with_another_digest_is_an_incident(shared):
    request_id = granted(shared)
    judged(shared, shared.report(request_id, "started", digest="sha-256:" + "1" * 64), "executed_with_other_digest")
    shared.expect("incidents", request_id, kind="executed_with_other_digest")


@pytest.mark.parametrize("first,second", [("started", "started"), ("succeeded", "succeeded"), ("succeeded", "failed")])
def test_executed_twice_is_an_incident(shared, first, second):
    request_id = granted(shared)
    judged(shared, shared.report(request_id, first), "authorized")
    judged(shared, shared.report(request_id, second), "executed_twice")
    shared.expect("incidents", request_id, kind="executed_twice")


def test_the_same_report_again_is_not_a_second_execution(shared):
    request_id = granted(shared)
    outcome = {"outcome_id": "o-" + secrets.token_hex(6), "request_id": request_id, "status": "succeeded",
               "request_digest": shared.digest(request_id), "reported_by": "deployer", "occurred_at": "2026-11-30T09:00:00Z"}
    for _ in range(3):
        shared.publish("outcomes", outcome, key=request_id)
    judged(shared, outcome["outcome_id"], "authorized")
    shared.publish("outcomes", {**outcome, "status": "failed"}, key=request_id)
    event = shared.observer.wait(lambda e: e.topic == "quarantine" and e.body.get("request_id") == request_id, 20)
    assert event.body["reason"]["code"] == "id_conflict"
    assert incidents(shared, request_id) == []


def test_a_reference_to_another_authorization_is_an_incident(shared):
    other = granted(shared)
    token = shared.word(other, "GRANTED").body["token"]
    request_id = granted(shared)
    shared.report(request_id, "started", authorization=token)
    shared.expect("incidents", request_id, kind="executed_without_authorization")


def test_the_right_reference_is_taken(shared):
    request_id = granted(shared)
    word = shared.word(request_id, "GRANTED")
    judged(shared, shared.report(request_id, "started", authorization=word.body["token"]), "authorized")
    judged(shared, shared.report(request_id, "succeeded", authorization=word.event_id), "authorized")


def test_a_report_that_comes_before_its_request_waits_for_it(shared):
    from house import digest_of, usual
    request_id = "early-" + secrets.token_hex(6)
    outcome = shared.report(request_id, "started", digest=digest_of({**usual(request_id), "action": "deployment.staging"}))
    shared.eventually("SELECT count(*) FROM shelf WHERE request_id = %s", request_id, expected=[(1,)])
    shared.ask(request_id=request_id, action="deployment.staging")
    shared.word(request_id, "GRANTED")
    shared.eventually("SELECT judgement FROM outcome WHERE outcome_id = %s", outcome, expected=[("authorized",)])


def test_a_report_about_a_request_that_never_comes_becomes_an_incident(build):
    from house import policy
    house = build(policy=policy(), services=("evaluator", "recorder", "relay"), settings={"recorder": {"shelf.limit": "2s"}})
    house.report("never-asked", "succeeded", digest="sha-256:" + "2" * 64)
    event = house.expect("incidents", "never-asked", kind="executed_without_authorization")
    assert event.body["severity"] == "critical"
    house.eventually("SELECT count(*) FROM shelf", expected=[(0,)])


def test_a_grant_that_ended_and_that_nobody_reported_on_is_an_incident_where_that_is_asked_for(build):
    from house import policy
    brief = policy()
    brief["classes"][0]["valid_for"] = "4s"
    house = build(policy=brief, services=("evaluator", "recorder", "relay"), settings={"recorder": {"recorder.report_within": "1s"}})
    reported, silent, going_on = house.ask(action="logs.read"), house.ask(action="logs.read"), house.ask(action="deployment.staging")
    for request_id in (reported, silent, going_on):
        house.word(request_id, "GRANTED")
    house.eventually("SELECT count(*) FROM outcome WHERE outcome_id = %s", house.report(reported, "succeeded"), expected=[(1,)])
    house.stop("recorder")  # it looks for them every ten seconds, and when it starts
    house.eventually("SELECT now() > max(expires_at) + interval '1.5 s' FROM authorization_status WHERE request_id IN (%s, %s)",
                     reported, silent, expected=[(True,)])
    for _ in range(2):  # once, however often it looks
        house.start("recorder")
        event = house.expect("incidents", silent, kind="authorized_never_reported")
        house.stop("recorder")
    assert event.body["severity"] == "low" and event.body["evidence"] == [house.word(silent, "GRANTED").event_id]
    assert house.sql("SELECT request_id, kind FROM incident") == [(silent, "authorized_never_reported")]
