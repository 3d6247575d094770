# SPDX-License-Identifier: Apache-2.0
"""`countersign show` tells the life of a request to somebody who has not read the manual: who, what, when and why, in order."""
import json
import re
from datetime import timedelta

import pytest

from ending import finish
from house import House, now, rfc3339


def ask_of(group, quorum=1):
    return {"group": group, "quorum": quorum}


def document(version=1, **profiles):
    base = {
        "staged": {"stages": [{"any_of": [ask_of("managers")]}, {"all_of": [ask_of("security"), ask_of("legal")]}], "distinct": True,
                   "escalate": [{"after": "8s", "to": ask_of("officers")}], "ttl": "1h", "extend_to": "3h"},
        "instead": {"any_of": [ask_of("managers", 2), ask_of("security")], "ttl": "4s",
                    "escalate": [{"after": "1s", "to": ask_of("legal"), "how": "notify"}, {"after": "1200ms", "to": ask_of("officers"), "how": "replace"}]},
        "plain": {"any_of": [ask_of("managers")], "require_reason": True, "ttl": "1h"},
    }
    base.update(profiles)
    return {
        "countersign": "policy/v1", "policy": "told", "version": version, "tenants": ["default"],
        "classes": [{"id": "free", "actions": ["free.**"], "default": "ALLOW"}, {"id": "other", "actions": ["**"], "default": "BLOCK"}],
        "approvals": {name: {"grant": {"valid_for": "15m"}, **profile} for name, profile in base.items()},
        "rules": [{"id": f"asks-{name}", "match": {"actions": [f"ask.{name}", "ask.all"] if name != "instead" else ["ask.instead"]},
                   "decision": "REQUIRE_APPROVAL", "approval": name, "reason": f"It is {name}."} for name in base]}


@pytest.fixture(scope="module")
def town(request):
    house = House(policy=document(), services=("evaluator", "resolver", "recorder", "relay"))
    for person, *groups in (("mia", "managers", "security"), ("max", "managers"), ("sue", "security"), ("lara", "legal"), ("olga", "officers"), ("ned",),
                            ("carol", "managers")):
        house.person(person, *groups)
    house.cli("agents", "add", "coding-agent-production", "--owner", "carol")
    yield house
    finish(house, request)


def told(house, request_id):
    """The sentences, each in one line without its time, as they stand on the terminal; the same as the JSON has."""
    text = house.cli("show", request_id, role="auditor").stdout
    assert text.startswith(f"Request {request_id}\n\n") and all(len(line) <= 110 for line in text.splitlines())
    lines = re.sub(r"\n {10}", " ", text).splitlines()[2:]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d, times in UTC", lines[0])
    story = json.loads(house.cli("show", request_id, "-o", "json").stdout)["story"]
    assert [line[10:] for line in lines[1:-2]] == [s["text"] for s in story] and [s["at"] for s in story] == sorted(s["at"] for s in story)
    assert all(re.fullmatch(r"\d\d:\d\d:\d\d  ", line[:10]) for line in lines[1:-2])
    return [re.sub(r"(until|from) [\d :-]+\d", r"\1 then", s["text"]) for s in story] + lines[-1:]


def answer(house, request_id, person, verdict="approve", expect="counted", **members):
    house.answer(request_id, person, verdict, response_id=f"{person}-{verdict}-{expect}-{request_id}", **members)
    house.eventually("SELECT result FROM response WHERE response_id = %s", f"{person}-{verdict}-{expect}-{request_id}", expected=[(expect,)])


def test_the_life_of_what_two_stages_agreed_to(town):
    request_id = town.ask(action="ask.staged", on_behalf_of="max", context={"risk": "high"}, reason="fix \u202eof 1881")
    town.word(request_id, "PENDING")
    answer(town, request_id, "ned", expect="not_a_member")
    answer(town, request_id, "carol", expect="responder_is_requester", reason="it is fine")
    answer(town, request_id, "max", expect="responder_is_requester")
    answer(town, request_id, "sue", expect="stage_not_open")
    answer(town, request_id, "mia", "comment", reason="who is \"on call\"?")
    answer(town, request_id, "mia", "extend", deadline=rfc3339(now() + timedelta(hours=2)))
    answer(town, request_id, "mia", reason="change 1881")
    answer(town, request_id, "mia", expect="repeated")
    answer(town, request_id, "sue")
    town.eventually("SELECT steps_taken FROM approval WHERE request_id = %s", request_id, expected=[(1,)])
    assert told(town, request_id)[-1] == "Now: waiting for approval: who may answer now is in managers, security, legal, officers."
    answer(town, request_id, "olga")
    town.word(request_id, "GRANTED")
    town.report(request_id, "started")
    town.report(request_id, "failed", code="health", detail="2 of 5")
    town.eventually("SELECT count(*) FROM outcome WHERE request_id = %s", request_id, expected=[(2,)])
    assert told(town, request_id) == [
        "coding-agent-production asked for ask.staged on customer-api on behalf of max: \"fix \\u{202e}of 1881\". It said: risk high. carol answers for"
        " this agent. It was not signed: who asked is a claim.",
        "The policies were asked: people must agree (rule asks-staged of policy told, version 1). It is staged.",
        "Asked to approve: in stage 1 one member of managers, then in stage 2 one member of security and one member of legal (nobody counts twice),"
        " until then.",
        "ned wanted to approve. Refused: ned is in no group that is asked (not_a_member).",
        "carol wanted to approve: \"it is fine\". Refused: nobody approves what is their own, and carol answers for this agent (responder_is_requester).",
        "max wanted to approve. Refused: nobody approves what is their own, and max is the one it was asked for (responder_is_requester).",
        "sue wanted to approve. Refused: it was not the turn of this person's groups (stage_not_open).",
        "mia remarked: \"who is \\\"on call\\\"?\".",
        "mia gave people more time.",
        "mia approved as a member of managers and security: \"change 1881\". That completes stage 1 of 2.",
        "mia approved once more; that changes nothing.",
        "sue approved as a member of security. That is not enough yet.",
        "Nobody had completed stage 2 in time, so it was escalated: one member of officers may approve as well.",
        "olga approved as a member of officers. That completes stage 2 of 2. That is all that was asked for.",
        "The policies of that moment were asked once more; they want no more than that (rule asks-staged of policy told, version 1).",
        "GRANTED: exactly what was asked for may be done, until then. Approved by mia, sue, olga.",
        "deployer reported that it started.",
        "deployer reported that it failed (health): \"2 of 5\".",
        "Now: authorized, reported as failed."]


def test_the_life_of_what_nobody_decided(town):
    request_id = town.ask(action="ask.instead", context={})
    town.word(request_id, "PENDING")
    answer(town, request_id, "max")
    town.word(request_id, "EXPIRED")
    answer(town, request_id, "olga", expect="approval_expired")
    town.report(request_id, "started")
    town.expect("incidents", request_id)
    story = told(town, request_id)
    assert story[2:7] == [
        "Asked to approve: 2 members of managers or one member of security, until then.",
        "max approved as a member of managers. That is not enough yet.",
        "Not enough people had answered in time: legal were told.",
        "Not enough people had answered in time, so it was escalated: instead of those who were asked, one member of officers must approve.",
        "EXPIRED: this is neither a yes nor a no. The question was not answered in time."], story
    assert "olga wanted to approve. Refused: the time to answer was over (approval_expired)." in story
    assert any(s.startswith("deployer reported that it started. It should not have: ") for s in story) and any(s.startswith("INCIDENT, ") for s in story)
    assert story[-1] == "Now: not authorized, but somebody reported an outcome."


def test_the_life_of_what_was_denied_allowed_or_blocked(town):
    request_id = town.ask(action="ask.plain", context={}, agent_id="nobody's \"agent\"")
    town.word(request_id, "PENDING")
    answer(town, request_id, "max", expect="reason_required")
    answer(town, request_id, "mia", "recuse")
    answer(town, request_id, "mia", "deny", expect="recused", reason="yet no")
    answer(town, request_id, "max", "deny", reason="not today")
    town.word(request_id, "DENIED")
    story = told(town, request_id)
    assert story[0].startswith("\"nobody's \\\"agent\\\"\" asked for ask.plain on customer-api. It was not signed")
    assert story[3:] == [
        "max wanted to approve. Refused: max gave no reason, and the policy wants one (reason_required).",
        "mia stepped aside; no answer of theirs counts any more.",
        "mia wanted to deny: \"yet no\". Refused: mia had stepped aside before (recused).",
        "max denied: \"not today\".",
        "DENIED: Denied by max.",
        "Now: refused."]
    for action, said, word in (("free.act", "nobody need agree", "GRANTED"), ("never.act", "it must not be done", "DENIED")):
        request_id = town.ask(action=action, context={})
        town.word(request_id, word)
        story = told(town, request_id)
        assert said in story[1] and story[2].startswith(word + ": ") and len(story) == 4


def test_what_a_later_policy_asks_as_well_is_told_where_it_was_asked(town):
    request_id = town.ask(action="ask.plain", context={})
    other = town.ask(action="ask.all", context={})
    for waiting in (request_id, other):
        town.word(waiting, "PENDING")
    assert told(town, other)[2] == ("Asked to approve: for plain one member of managers; and for staged in stage 1 one member of managers, then in stage 2"
                                    " one member of security and one member of legal (nobody counts twice), until then.")
    answer(town, other, "max", reason="for plain and for a stage of the other")
    assert told(town, other)[3].endswith("That is enough for plain. That completes stage 1 of 2.")
    town.activate(document(2, plain={"any_of": [ask_of("legal")], "ttl": "1h"}))
    answer(town, request_id, "max", reason="by the old one")
    town.expect("approvals", request_id, state="CHANGED", cause="policy_changed")
    answer(town, request_id, "lara")
    town.word(request_id, "GRANTED")
    assert told(town, request_id)[3:8] == [
        "max approved as a member of managers: \"by the old one\". That is enough for plain.",
        "The policies of that moment were asked once more; they want more (rule asks-plain of policy told, version 2).",
        "Asked as well: for plain one member of legal.",
        "lara approved as a member of legal. That is all that was asked for.",
        "The policies of that moment were asked once more; they want no more than that (rule asks-plain of policy told, version 2)."]
