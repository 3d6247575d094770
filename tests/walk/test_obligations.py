# SPDX-License-Identifier: Apache-2.0
"""What whoever is authorized must do as well, and what whoever is not could do instead: from the policy to message, token, row and card."""
import json

import pytest

from ending import finish
from house import House, policy

FREEZE = {"id": "labelled", "match": {"actions": ["deployment.production"]}, "decision": "ALLOW",
          "obligations": {"announce": True, "redact": ["name"]}}


def obliging(version=1, *more):
    document = policy(version)
    document["rules"] += [
        {"id": "marked", "match": {"actions": ["deployment.staging", "deployment.brief"]}, "decision": "ALLOW",
         "obligations": {"watermark": True, "redact": ["ssn"]}},
        {"id": "release", "match": {"actions": ["deployment.production"]}, "decision": "REQUIRE_APPROVAL", "approval": "release",
         "obligations": {"redact": ["ssn"], "retention": {"days": 30}}, "remediation": "Deploy to staging first."},
        {"id": "also", "match": {"actions": ["deployment.staging"]}, "decision": "ALLOW", "obligations": {"redact": ["insurance_id"]}},
        {"id": "no-exports-at-all", "match": {"actions": ["data.export"]}, "decision": "BLOCK", "remediation": "Ask for a report instead."},
        *more]
    return document


@pytest.fixture(scope="module")
def duty(request, tmp_path_factory):
    targets = tmp_path_factory.mktemp("targets") / "targets.json"
    targets.write_text(json.dumps({"targets": [{"name": "journal", "channel": "log"}]}))
    house = House(policy=obliging(), settings={"notifier": {"notifier.targets_file": str(targets)}})
    house.person("alice", "release-managers")
    yield house
    finish(house, request)


def row(house, request_id, n=0):
    return house.sql("SELECT obligations, explanation->'obligations', remediation FROM decision WHERE request_id = %s AND n = %s", request_id, n)[0]


def test_an_allow_says_what_it_obliges_to_in_message_token_row_and_explanation(duty):
    request_id = duty.ask(action="deployment.staging")
    word = duty.word(request_id, "GRANTED")
    expected = {"watermark": True, "redact": ["insurance_id", "ssn"]}
    assert word.body["obligations"] == expected and duty.check_token(word)["obligations"] == expected
    assert row(duty, request_id) == (expected, expected, None)
    shown = json.loads(duty.cli("show", request_id, "-o", "json").stdout)
    assert json.loads(shown["decisions"][0]["obligations"]) == expected


def test_what_is_allowed_without_any_says_nothing_of_it(duty):
    request_id = duty.ask(action="logs.read")
    word = duty.word(request_id, "GRANTED")
    assert "obligations" not in word.body and "obligations" not in duty.check_token(word) and row(duty, request_id) == (None, None, None)


def test_people_see_what_a_grant_will_oblige_to_and_the_grant_carries_it(duty):
    request_id, expected = duty.ask(), {"redact": ["ssn"], "retention": {"days": 30}}
    pending = duty.word(request_id, "PENDING")
    assert "obligations" not in pending.body and pending.body["remediation"] == "Deploy to staging first."
    assert duty.expect("approvals", request_id, state="OPEN").body["obligations"] == expected
    duty.eventually("SELECT count(*) FROM delivery WHERE request_id = %s AND kind = 'approval.opened'", request_id, expected=[(1,)])
    card = json.loads(duty.sql("SELECT convert_from(body, 'UTF8') FROM delivery WHERE request_id = %s AND kind = 'approval.opened'", request_id)[0][0])
    assert card["data"]["obligations"] == expected
    assert 'A grant obliges to:\n  "redact": ["ssn"]\n  "retention": {"days": 30}\n' in card["data"]["text"]
    duty.answer(request_id, "alice")
    word = duty.word(request_id, "GRANTED")
    assert word.body["obligations"] == expected == duty.check_token(word)["obligations"] and "remediation" not in word.body


def test_a_denied_agent_hears_what_it_could_do_instead(duty):
    blocked, refused = duty.ask(action="data.export"), duty.ask()
    word = duty.word(blocked, "DENIED")
    assert word.body["remediation"] == "Ask for a report instead." == row(duty, blocked)[2] and "obligations" not in word.body
    duty.word(refused, "PENDING")
    duty.answer(refused, "alice", "deny")
    word = duty.word(refused, "DENIED")
    assert word.body["remediation"] == "Deploy to staging first." and "obligations" not in word.body


def test_a_policy_that_was_changed_meanwhile_adds_its_own_and_takes_none_away(build, tmp_path):
    (tmp_path / "targets.json").write_text(json.dumps({"targets": [{"name": "journal", "channel": "log"}]}))
    house = build(policy=obliging(), services=("evaluator", "resolver", "relay", "notifier"),
                  settings={"notifier": {"notifier.targets_file": str(tmp_path / "targets.json")}})
    house.person("alice", "release-managers"), house.person("bob", "release-managers")
    added, quarrel = house.ask(), house.ask(target="quarrel")
    for request_id in (added, quarrel):
        house.word(request_id, "PENDING")
    changed = policy(2)
    changed["rules"] += [FREEZE, {"id": "longer", "match": {"actions": ["deployment.production"], "targets": ["quarrel"]}, "decision": "ALLOW",
                                  "obligations": {"retention": {"days": 90}}}]
    house.activate(changed)
    for request_id in (added, quarrel):
        house.answer(request_id, "alice")
    word, expected = house.word(added, "GRANTED"), {"redact": ["name", "ssn"], "retention": {"days": 30}, "announce": True}
    assert word.body["obligations"] == expected == house.check_token(word)["obligations"]
    assert row(house, added, 0)[0] == {"redact": ["ssn"], "retention": {"days": 30}} and row(house, added, 1)[0] == FREEZE["obligations"]
    word = house.word(quarrel, "DENIED")
    assert word.body["reason"]["code"] == "obligation_conflict" and "retention" in word.body["reason"]["text"]
    late = house.answer(quarrel, "bob")
    house.expect("approvals", quarrel, cause="response_refused", refused={"code": "already_decided", "responder": "bob", "response_id": late})
    house.eventually("SELECT count(*) FROM delivery WHERE request_id = %s AND kind = 'approval.closed' AND state = 'sent'", quarrel, expected=[(1,)])


def test_what_a_hold_refused_obliges_to_nothing_and_is_no_obstacle(build, tmp_path):
    """The decision that ended it contradicts the one that opened it, and nobody looked, since the hold denied it first."""
    (tmp_path / "targets.json").write_text(json.dumps({"targets": [{"name": "journal", "channel": "log"}]}))
    house = build(policy=obliging(), services=("evaluator", "resolver", "relay", "notifier"),
                  settings={"notifier": {"notifier.targets_file": str(tmp_path / "targets.json")}})
    house.person("alice", "release-managers"), house.person("bob", "release-managers")
    request_id = house.ask(target="quarrel")
    house.word(request_id, "PENDING")
    changed = policy(2)
    changed["rules"] += [{"id": "longer", "match": {"actions": ["deployment.production"], "targets": ["quarrel"]}, "decision": "ALLOW",
                          "obligations": {"retention": {"days": 90}}}]
    house.activate(changed)
    house.cli("hold", "add", "--target", "quarrel", "--refuse", "--reason", "stop", role="operator")
    house.answer(request_id, "alice")
    assert house.word(request_id, "DENIED").body["reason"]["code"] == "held"
    late = house.answer(request_id, "bob")
    house.expect("approvals", request_id, cause="response_refused", refused={"code": "already_decided", "responder": "bob", "response_id": late})
    house.eventually("SELECT count(*) FROM delivery WHERE request_id = %s AND kind = 'approval.closed' AND state = 'sent'", request_id, expected=[(1,)])


def test_two_duties_that_nobody_can_do_both_close(build):
    """A field decides between them: where it is missing neither is ruled out."""
    document = obliging()
    document["inputs"] = {"red": {"type": "bool"}, "amount_minor": {"type": "int"}, "currency": {"type": "string"}}
    document["rules"] += [{"id": "red", "match": {"actions": ["deployment.staging"]}, "when": "context.red", "decision": "ALLOW",
                           "obligations": {"colour": "red"}},
                          {"id": "blue", "match": {"actions": ["deployment.staging"]}, "unless": "context.red", "decision": "ALLOW",
                           "obligations": {"colour": "blue"}}]
    house = build(policy=document, services=("evaluator", "relay"))
    clear, unclear = (house.ask(action="deployment.staging", context=context) for context in ({"red": True}, {}))
    assert house.word(clear, "GRANTED").body["obligations"]["colour"] == "red"
    word = house.word(unclear, "DENIED")
    assert word.body["decision"] == "BLOCK" and word.body["rules"] == ["blue", "red"]
    assert word.body["reason"] == {"code": "obligation_conflict",
                                   "text": "Different values of the obligation colour, by the rules blue, red."}
