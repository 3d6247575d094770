# SPDX-License-Identifier: Apache-2.0
"""A class may say hold instead of closed: where it would be denied for want of people or of time, people are asked."""
from house import policy

LONG_AGO = "2026-01-01T00:00:00Z"


def holding(name, cell, **members):
    """The usual policy, but this class says hold in this cell; secrets are not read at all."""
    document = policy()
    document["classes"] = [{**c, **members, "failure": {cell: "hold"}} if c["id"] == name else c for c in document["classes"]]
    document["rules"].append({"id": "no-secrets", "match": {"actions": ["secrets.read"]}, "decision": "BLOCK", "reason": "Secrets stay."})
    return document


def test_where_nobody_may_answer_yet_hold_keeps_the_question_open_until_somebody_may(build):
    house = build(policy=holding("deployment", "no_eligible_approver"), services=("evaluator", "resolver", "relay"))
    request_id = house.ask()
    assert house.word(request_id, "PENDING").body["decision"] == "REQUIRE_APPROVAL"
    assert house.expect("approvals", request_id, state="OPEN").body["needs"][0]["group"] == "release-managers"
    late = house.ask(deadline=LONG_AGO)  # the other cell of this class is closed
    assert house.word(late, "DENIED").body["reason"]["code"] == "evaluation_timeout"
    house.person("alice", "release-managers")
    house.answer(request_id, "alice")
    assert house.word(request_id, "GRANTED").body["responses"][0]["responder"] == "alice"
    assert house.words(request_id) == ["PENDING", "GRANTED"]


def test_a_deadline_that_has_passed_asks_people_where_the_class_says_hold(build):
    held = holding("read", "evaluation_timeout", approval="release")
    house = build(policy=held, services=("evaluator", "resolver", "relay"))
    nobody = house.ask()  # the other cell of this class is closed
    assert house.word(nobody, "DENIED").body["reason"]["code"] == "no_eligible_approver"
    house.person("alice", "release-managers")
    request_id = house.ask(action="logs.read", deadline=LONG_AGO)
    word = house.word(request_id, "PENDING")
    assert word.body["decision"] == "REQUIRE_APPROVAL" and word.body["reason"]["code"] == "evaluation_timeout"
    blocked = house.ask(action="secrets.read", deadline=LONG_AGO)
    assert house.word(blocked, "DENIED").body["rules"] == ["no-secrets"]
    in_time = house.ask(action="logs.read", deadline="2999-01-01T00:00:00Z")
    assert house.word(in_time, "GRANTED").body["reason"]["code"] == "class_default"
    house.answer(request_id, "alice")
    assert house.word(request_id, "GRANTED").body["reason"]["code"] == "approved"
    assert house.words(request_id) == ["PENDING", "GRANTED"]
