# SPDX-License-Identifier: Apache-2.0
"""People answer: approve, deny, too late, and every answer that must not count, each by its code."""
import json
import secrets
import time
from datetime import timedelta

import pytest

from house import Key, digest_of, now, policy, rfc3339, usual


def pending(house, **members):
    request_id = house.ask(**members)
    house.word(request_id, "PENDING")
    return request_id


def refused(house, request_id, response_id, code):
    """Announced on approvals, recorded with its code, and the question is as open as before."""
    event = house.observer.wait(
        lambda e: e.topic == "approvals" and e.body.get("refused", {}).get("response_id") == response_id, 20,
        f"refusal of {response_id}")
    assert event.body["cause"] == "response_refused" and event.body["refused"]["code"] == code
    assert house.sql("SELECT result FROM response WHERE response_id = %s", response_id) == [(code,)]


def quarantined(house, request_id, code):
    event = house.observer.wait(
        lambda e: e.topic == "quarantine" and e.body["reason"]["code"] == code and e.body.get("request_id") == request_id,
        20, f"quarantine {code}")
    assert house.sql("SELECT count(*) FROM quarantine WHERE quarantine_id = %s::uuid", event.event_id) == [(1,)]
    assert house.sql("SELECT count(*) FROM response WHERE request_id = %s", request_id) == [(0,)]


def still_pending(house, request_id):
    assert house.words(request_id) == ["PENDING"]
    assert house.sql("SELECT state FROM approval WHERE request_id = %s", request_id) == [("PENDING",)]


def test_a_member_approves_and_the_request_is_granted(shared):
    request_id = pending(shared)
    shared.answer(request_id, "alice", reason="looks right")
    word = shared.word(request_id, "GRANTED")
    assert word.body["decision"] == "REQUIRE_APPROVAL" and word.body["responses"][0]["responder"] == "alice"
    closed = shared.expect("approvals", request_id, state="CLOSED")
    assert closed.body["result"] == "GRANTED" and closed.body["needs"][0]["votes"] == 1
    assert shared.words(request_id) == ["PENDING", "GRANTED"]
    assert shared.sql("SELECT responder, result FROM response WHERE request_id = %s", request_id) == [("alice", "counted")]


def test_a_member_denies_and_that_is_final(shared):
    request_id = pending(shared)
    shared.answer(request_id, "alice", "deny", reason="not on a Friday")
    word = shared.word(request_id, "DENIED")
    assert word.body["reason"]["code"] == "denied_by_approver"
    late = shared.answer(request_id, "alice")
    refused(shared, request_id, late, "already_decided")
    assert shared.words(request_id) == ["PENDING", "DENIED"]


def test_reject_is_another_word_for_deny(shared):
    request_id = pending(shared)
    shared.answer(request_id, "alice", "reject")
    assert shared.word(request_id, "DENIED").body["reason"]["code"] == "denied_by_approver"


def test_two_people_are_two_people(shared):
    request_id = pending(shared, action="credential.rotate")
    shared.answer(request_id, "pia")
    shared.expect("approvals", request_id, state="CHANGED", cause="response")
    again = shared.answer(request_id, "pia")
    shared.eventually("SELECT result FROM response WHERE response_id = %s", again, expected=[("repeated",)])
    still_pending(shared, request_id)
    shared.answer(request_id, "paul")
    word = shared.word(request_id, "GRANTED")
    assert sorted(r["responder"] for r in word.body["responses"]) == ["paul", "pia"]


def rotation(house, *people):
    """Two questions to a pair of their own, each with the first one's vote on it."""
    group = "pair"
    names = [f"{p}-{secrets.token_hex(3)}" for p in people]
    for name in names:
        house.person(name, group)
    request_id = pending(house, action="credential.rotate")
    house.answer(request_id, names[0])
    house.expect("approvals", request_id, state="CHANGED")
    return request_id, names


def second_vote_does_not_suffice(house, request_id, name):
    response = house.answer(request_id, name)
    house.eventually("SELECT result FROM response WHERE response_id = %s", response, expected=[("counted",)])
    still_pending(house, request_id)


def test_a_vote_does_not_outlive_its_key(shared):
    request_id, (first, second) = rotation(shared, "vera", "walt")
    shared.cli("keys", "revoke", shared.keys[first].kid)
    second_vote_does_not_suffice(shared, request_id, second)
    shared.person(first)  # a new key: the person may vote again, and is still one person
    shared.answer(request_id, first)
    word = shared.word(request_id, "GRANTED")
    assert sorted(r["responder"] for r in word.body["responses"]) == sorted([first, second])


def test_a_vote_does_not_outlive_its_membership(shared):
    request_id, (first, second) = rotation(shared, "xena", "yuri")
    shared.cli("groups", "remove", "pair", first)
    second_vote_does_not_suffice(shared, request_id, second)
    shared.answer(request_id, "pia")
    word = shared.word(request_id, "GRANTED")
    assert sorted(r["responder"] for r in word.body["responses"]) == sorted(["pia", second])


def test_a_vote_does_not_outlive_a_change_of_the_agents_owner(shared):
    agent = "agent-" + secrets.token_hex(3)
    shared.cli("agents", "add", agent, "--owner", "somebody-else")
    request_id = pending(shared, action="credential.rotate", agent_id=agent)
    shared.answer(request_id, "pia")
    shared.expect("approvals", request_id, state="CHANGED")
    shared.cli("agents", "add", agent, "--owner", "pia")
    second_vote_does_not_suffice(shared, request_id, "paul")


def test_who_approved_may_still_deny_before_it_is_decided(shared):
    request_id = pending(shared, action="credential.rotate")
    shared.answer(request_id, "pia")
    shared.expect("approvals", request_id, state="CHANGED")
    shared.answer(request_id, "pia", "deny", reason="I was wrong")
    assert shared.word(request_id, "DENIED").body["reason"]["code"] == "denied_by_approver"
    assert shared.sql("SELECT verdict, result FROM response WHERE request_id = %s ORDER BY received_at", request_id) == \
        [("approve", "counted"), ("deny", "counted")]


def test_nobody_answers_and_the_question_expires(shared):
    request_id = pending(shared, action="deployment.brief")
    word = shared.word(request_id, "EXPIRED", timeout=15)
    assert word.body["reason"]["code"] == "approval_expired"
    late = shared.answer(request_id, "alice")
    refused(shared, request_id, late, "approval_expired")
    assert shared.words(request_id) == ["PENDING", "EXPIRED"]


def test_an_unsigned_answer_is_quarantined(shared):
    request_id = pending(shared)
    shared.answer(request_id, "alice", signature=None)
    quarantined(shared, request_id, "signature_missing")
    still_pending(shared, request_id)


def test_an_answer_signed_by_another_key_under_her_name_is_quarantined(shared):
    request_id = pending(shared)
    forged = Key()
    value = json.dumps({"response_id": "x-" + secrets.token_hex(6), "tenant": "default", "request_id": request_id,
                        "verdict": "approve", "responder": "alice", "issued_at": rfc3339(now()),
                        "request_digest": shared.digest(request_id)}).encode()
    shared.answer(request_id, "alice", raw=value, signature=forged.detached(value, kid=shared.keys["alice"].kid))
    quarantined(shared, request_id, "signature_invalid")
    still_pending(shared, request_id)


def test_an_answer_by_an_unknown_key_is_quarantined(shared):
    request_id = pending(shared)
    shared.answer(request_id, "alice", key=Key())
    quarantined(shared, request_id, "unknown_key")
    still_pending(shared, request_id)


def test_an_answer_by_a_revoked_key_is_quarantined(shared):
    request_id = pending(shared)
    key = shared.person("rita-" + secrets.token_hex(3), "release-managers")
    shared.cli("keys", "revoke", key.kid)
    shared.answer(request_id, "rita", key=key)
    quarantined(shared, request_id, "revoked_key")
    still_pending(shared, request_id)


@pytest.mark.parametrize("typ", ["countersign-request", "countersign-outcome", "JWT"])
def test_a_signature_made_for_something_else_does_not_count(shared, typ):
    request_id = pending(shared)
    value = json.dumps({"response_id": "x-" + secrets.token_hex(6), "tenant": "default", "request_id": request_id,
                        "verdict": "approve", "responder": "alice", "issued_at": rfc3339(now()),
                        "request_digest": shared.digest(request_id)}).encode()
    shared.answer(request_id, "alice", raw=value, signature=shared.keys["alice"].detached(value, typ=typ))
    quarantined(shared, request_id, "signature_type")
    still_pending(shared, request_id)


def test_somebody_elses_name_is_refused(shared):
    request_id = pending(shared)
    response = shared.answer(request_id, "alice", key=shared.keys["mallory"])
    refused(shared, request_id, response, "responder_not_key_owner")
    still_pending(shared, request_id)


def test_a_bot_speaks_for_those_it_may_speak_for_only(shared):
    bot = Key()
    shared.cli("keys", "add", "-", "--owner", "bot", "--bot", "--speaks-for", "alice", stdin=bot.jwk())
    request_id = pending(shared)
    response = shared.answer(request_id, "bob", key=bot)
    refused(shared, request_id, response, "responder_not_key_owner")
    shared.answer(request_id, "alice", key=bot)
    assert shared.word(request_id, "GRANTED").body["responses"][0]["responder"] == "alice"


def test_who_is_not_in_the_group_is_refused(shared):
    request_id = pending(shared)
    refused(shared, request_id, shared.answer(request_id, "mallory"), "not_a_member")
    refused(shared, request_id, shared.answer(request_id, "mallory", "deny"), "not_a_member")
    still_pending(shared, request_id)


def test_who_left_the_group_is_refused_although_he_was_in_it_when_asked(shared):
    name = "leaver-" + secrets.token_hex(3)
    shared.person(name, "release-managers")
    request_id = pending(shared)
    shared.cli("groups", "remove", "release-managers", name)
    refused(shared, request_id, shared.answer(request_id, name), "not_a_member")
    still_pending(shared, request_id)


def test_the_owner_of_the_agent_may_not_approve_what_it_asks(shared):
    request_id = pending(shared)
    refused(shared, request_id, shared.answer(request_id, "bob"), "responder_is_requester")
    still_pending(shared, request_id)


def test_whom_the_agent_serves_may_not_approve_either(shared):
    request_id = pending(shared, on_behalf_of="alice")
    refused(shared, request_id, shared.answer(request_id, "alice"), "responder_is_requester")
    still_pending(shared, request_id)


def test_an_answer_to_another_digest_is_refused(shared):
    request_id = pending(shared)
    refused(shared, request_id, shared.answer(request_id, "alice", digest="sha-256:" + "0" * 64), "digest_mismatch")
    still_pending(shared, request_id)


@pytest.mark.parametrize("minutes", [-6, 6])
def test_an_answer_from_another_time_is_refused(shared, minutes):
    request_id = pending(shared)
    response = shared.answer(request_id, "alice", issued_at=rfc3339(now() + timedelta(minutes=minutes)))
    refused(shared, request_id, response, "stale")
    still_pending(shared, request_id)


def test_an_answer_that_was_in_time_when_the_broker_took_it_counts_although_we_were_late(build):
    house = build(policy=policy(), services=("evaluator", "resolver", "relay"))
    house.person("alice", "release-managers")
    in_time, too_old = pending(house), pending(house)
    house.stop("resolver")
    sent = now()
    house.answer(in_time, "alice", issued_at=rfc3339(sent - timedelta(minutes=5, seconds=-6)))
    stale = house.answer(too_old, "alice", issued_at=rfc3339(sent - timedelta(minutes=5, seconds=1)))
    assert now() - sent < timedelta(seconds=5)
    time.sleep(6.5)  # by our clock both are too old now
    house.start("resolver")
    house.word(in_time, "GRANTED")
    refused(house, too_old, stale, "stale")
    still_pending(house, too_old)


def test_refusals_are_all_recorded_but_no_more_than_twenty_of_a_question_are_announced(shared):
    request_id = pending(shared)
    for n in range(25):
        shared.answer(request_id, "mallory", reason=f"try {n}")
    query = "SELECT result, count(*) FROM response WHERE request_id = %s GROUP BY 1"
    shared.eventually(query, request_id, expected=[("not_a_member", 25)])
    shared.answer(request_id, "alice")
    shared.expect("approvals", request_id, state="CLOSED")  # comes after all that was said before it
    told = {e.event_id for e in shared.observer.find(lambda e: e.key == request_id and e.body.get("cause") == "response_refused")}
    assert len(told) == 20
    assert shared.one("SELECT refusals FROM approval WHERE request_id = %s", request_id) == 25


def test_the_same_answer_again_changes_nothing(shared):
    request_id = pending(shared, action="credential.rotate")
    shared.digest(request_id)
    value = json.dumps({"response_id": "once-" + secrets.token_hex(6), "tenant": "default", "request_id": request_id,
                        "verdict": "approve", "responder": "pia", "issued_at": rfc3339(now()),
                        "request_digest": shared.digest(request_id)}).encode()
    for _ in range(3):
        shared.answer(request_id, "pia", raw=value)
    shared.expect("approvals", request_id, state="CHANGED")
    shared.answer(request_id, "paul")
    shared.word(request_id, "GRANTED")
    assert shared.sql("SELECT count(*) FROM response WHERE request_id = %s AND responder = 'pia'", request_id) == [(1,)]


def test_an_answer_id_with_other_content_is_quarantined(shared):
    request_id = pending(shared, action="credential.rotate")
    response = shared.answer(request_id, "pia")
    shared.expect("approvals", request_id, state="CHANGED")
    shared.answer(request_id, "pia", "deny", response_id=response)
    event = shared.observer.wait(lambda e: e.topic == "quarantine" and e.body.get("request_id") == request_id, 20)
    assert event.body["reason"]["code"] == "id_conflict"
    still_pending(shared, request_id)


def test_an_answer_to_a_request_that_asked_nobody_is_refused(shared):
    request_id = shared.ask(action="deployment.staging")
    shared.word(request_id, "GRANTED")
    response = shared.answer(request_id, "alice", "deny")
    shared.eventually("SELECT result FROM response WHERE response_id = %s", response, expected=[("no_approval",)])
    assert shared.words(request_id) == ["GRANTED"]


def test_an_answer_that_comes_before_its_request_waits_for_it(shared):
    request_id = "early-" + secrets.token_hex(6)
    shared.answer(request_id, "alice", digest=digest_of(usual(request_id)))
    shared.eventually("SELECT count(*) FROM shelf WHERE request_id = %s", request_id, expected=[(1,)])
    shared.ask(request_id=request_id)
    shared.word(request_id, "GRANTED")
    shared.eventually("SELECT count(*) FROM shelf WHERE request_id = %s", request_id, expected=[(0,)])


def test_approve_and_deny_at_the_same_moment_give_one_word(shared):
    shared.person("anna", "release-managers")
    requests = [pending(shared) for _ in range(20)]
    for request_id in requests:
        first, second = ("approve", "deny") if secrets.randbelow(2) else ("deny", "approve")
        shared.answer(request_id, "alice", first)
        shared.answer(request_id, "anna", second)
    for request_id in requests:
        shared.eventually("SELECT count(*) FROM response WHERE request_id = %s", request_id, expected=[(2,)])
    shared.quiet()
    for request_id in requests:
        words = shared.words(request_id)
        assert words in (["PENDING", "GRANTED"], ["PENDING", "DENIED"])
        assert sorted(r[0] for r in shared.sql("SELECT result FROM response WHERE request_id = %s", request_id)) == \
            ["already_decided", "counted"]


def test_a_stricter_policy_that_came_meanwhile_wins_over_the_last_vote(build):
    house = build(policy=policy(), services=("evaluator", "resolver", "relay"))
    house.person("alice", "release-managers")
    request_id = pending(house)
    stricter = policy(2)
    stricter["rules"].append({"id": "freeze", "match": {"actions": ["deployment.production"]}, "decision": "BLOCK",
                              "reason": "Code freeze."})
    house.activate(stricter)
    house.answer(request_id, "alice")
    word = house.word(request_id, "DENIED")
    assert "freeze" in word.body["rules"]
    assert house.sql("SELECT n, verdict, policy_version FROM decision WHERE request_id = %s ORDER BY n", request_id) == \
        [(0, "REQUIRE_APPROVAL", 1), (1, "BLOCK", 2)]


def test_a_question_that_nobody_may_answer_is_closed_at_once(build):
    house = build(policy=policy(), services=("evaluator", "relay"))
    request_id = house.ask()
    assert house.word(request_id, "DENIED").body["reason"]["code"] == "no_eligible_approver"
    house.person("bob", "release-managers")
    house.cli("agents", "add", "coding-agent-production", "--owner", "bob")
    request_id = house.ask()
    assert house.word(request_id, "DENIED").body["reason"]["code"] == "no_eligible_approver"
    assert house.sql("SELECT count(*) FROM approval") == [(0,)]
