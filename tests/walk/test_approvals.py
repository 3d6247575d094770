# SPDX-License-Identifier: Apache-2.0
"""The right people, in the right number, in time: stages, alternatives, distinct people, and what happens when nobody answers."""
import json
from datetime import timedelta

import pytest

from asking import answer, ask, waits
from ending import finish
from house import House, now, rfc3339


def asks(*groups):
    return [{"group": group, "quorum": quorum} for group, quorum in groups]


GRANT = {"valid_for": "15m"}
PROFILES = {
    "either": {"any_of": asks(("managers", 2), ("directors", 1)), "ttl": "1h"},
    "both": {"all_of": asks(("managers", 1), ("directors", 1)), "distinct": True, "ttl": "1h"},
    "lax": {"all_of": asks(("managers", 1), ("directors", 1)), "ttl": "1h"},
    "staged": {"stages": [{"any_of": asks(("managers", 1))}, {"all_of": asks(("directors", 1), ("legal", 1))}], "distinct": True, "ttl": "1h"},
    "tough": {"any_of": asks(("managers", 2)), "deny_quorum": 2, "ttl": "1h"},
    "reasoned": {"any_of": asks(("managers", 1)), "require_reason": True, "exclude": ["requester", "agent_owner", "on_behalf_of"], "ttl": "1h"},
    "held": {"any_of": asks(("managers", 1)), "hold_for": "5m", "ttl": "1h"},
    "added": {"any_of": asks(("managers", 2)), "escalate": [{"after": "1s", "to": asks(("directors", 1))[0]}], "ttl": "1h"},
    "replaced": {"any_of": asks(("managers", 2)), "ttl": "1h",
                 "escalate": [{"after": "1s", "to": asks(("directors", 1))[0], "how": "replace"},
                              {"after": "2s", "to": asks(("legal", 1))[0], "how": "notify"}]},
    "late": {"any_of": asks(("managers", 2)), "ttl": "2s", "escalate": [{"after": "1s", "to": asks(("nobody", 1))[0]}]},
    "counted": {"any_of": asks(("managers", 2)), "escalate": [{"after": "3s", "to": asks(("managers", 1))[0]}], "ttl": "1h"},
    "longer": {"any_of": asks(("managers", 1)), "ttl": "1h", "extend_to": "2h"},
    "reminding": {"any_of": asks(("managers", 1)), "ttl": "1h", "remind_every": "1s"},
    "patient": {"any_of": asks(("managers", 1)), "ttl": "none", "remind_every": "2s"},
    "silent": {"any_of": asks(("managers", 2)), "ttl": "none"},
    "empty-stage": {"stages": [{"any_of": asks(("managers", 1))}, {"any_of": asks(("nobody", 1))}], "ttl": "1h"},
    "half-empty": {"any_of": asks(("nobody", 1), ("managers", 1)), "ttl": "1h"},
}


def document(version=1, profiles=None, **changes):
    profiles = profiles or PROFILES
    return {
        "countersign": "policy/v1", "policy": "people", "version": version, "tenants": ["default"],
        "classes": [{"id": "patient", "actions": ["ask.patient", "ask.silent", "ask.several"], "no_deadline": True, "default": "BLOCK"},
                    {"id": "several", "actions": ["ask.several"], "default": "BLOCK"}, {"id": "other", "actions": ["**"], "default": "BLOCK"}],
        "approvals": {name: {"grant": GRANT, **profile} for name, profile in profiles.items()},
        "rules": [{"id": name, "match": {"actions": [f"ask.{name}", "ask.several"] if name in ("held", "lax") else [f"ask.{name}"]},
                   "decision": "REQUIRE_APPROVAL", "approval": name} for name in profiles], **changes}


@pytest.fixture(scope="module")
def town(request, tmp_path_factory):
    targets = tmp_path_factory.mktemp("approvals") / "targets.json"
    targets.write_text(json.dumps({"targets": [{"name": group, "channel": "log", "groups": [group]} for group in ("managers", "directors", "legal")]}))
    house = House(policy=document(), services=("evaluator", "resolver", "relay", "notifier"),
                  settings={"notifier": {"notifier.targets_file": str(targets)}})
    house.person("mia", "managers")
    house.person("max", "managers")
    house.person("dora", "directors", "managers")
    house.person("dirk", "directors")
    house.person("lara", "legal")
    house.person("otto", "operators")
    house.person("owen", "managers")
    house.cli("agents", "add", "owned", "--owner", "owen")
    yield house
    finish(house, request)


def granted(house, request_id, *people):
    word = house.word(request_id, "GRANTED")
    assert sorted(r["responder"] for r in word.body["responses"]) == sorted(people)
    assert house.expect("approvals", request_id, state="CLOSED").body["result"] == "GRANTED"
    return word


def escalated(house, request_id, steps=1):
    house.eventually("SELECT steps_taken FROM approval WHERE request_id = %s", request_id, expected=[(steps,)])


def open_now(event):
    return [(need["group"], need["stage"]) for need in event.body["needs"] if need["open"]]


def told(house, request_id, *expected):
    """Who has been told what, in the end; a change and a reminder without their numbers."""
    house.eventually("SELECT DISTINCT target, substring(kind FROM '^approval\\.[a-z]+') AS what FROM delivery WHERE request_id = %s AND state = 'sent'"
                     " ORDER BY target, what", request_id, expected=sorted((target, f"approval.{what}") for target, what in expected))


def test_of_several_groups_one_suffices(town):
    request_id = ask(town, "either")
    assert open_now(town.expect("approvals", request_id, state="OPEN")) == [("managers", 1), ("directors", 1)]
    answer(town, request_id, "mia")
    waits(town, request_id)
    answer(town, request_id, "dirk")
    granted(town, request_id, "mia", "dirk")
    request_id = ask(town, "either")
    answer(town, request_id, "mia")
    answer(town, request_id, "max")
    granted(town, request_id, "mia", "max")


def test_of_all_groups_every_one_must_agree_and_distinct_are_distinct_people(town):
    request_id = ask(town, "both")
    answer(town, request_id, "dora")
    waits(town, request_id)  # in both groups, and one person
    answer(town, request_id, "dora", expect="repeated")
    answer(town, request_id, "dirk")
    granted(town, request_id, "dora", "dirk")  # he is the director, then, and she the manager
    request_id = ask(town, "lax")
    answer(town, request_id, "dora")
    granted(town, request_id, "dora")


def test_stages_open_one_after_the_other(town):
    request_id = ask(town, "staged")
    assert open_now(town.expect("approvals", request_id, state="OPEN")) == [("managers", 1)]
    answer(town, request_id, "lara", expect="stage_not_open")
    answer(town, request_id, "mia", expect="counted")
    changed = town.expect("approvals", request_id, state="CHANGED", cause="response")
    assert ("legal", 2) in open_now(changed) and ("directors", 2) in open_now(changed)
    told(town, request_id, ("managers", "opened"), ("legal", "opened"), ("directors", "opened"))
    answer(town, request_id, "lara")
    waits(town, request_id)
    answer(town, request_id, "dora")
    granted(town, request_id, "mia", "lara", "dora")
    shown = town.cli("show", request_id).stdout
    assert "in stage 2 one member of directors and one member of legal" in " ".join(shown.split())


def test_a_deny_quorum_of_two_takes_two_denies(town):
    request_id = ask(town, "tough")
    answer(town, request_id, "mia", "deny")
    waits(town, request_id)
    answer(town, request_id, "mia", "approve", expect="denied_before")
    answer(town, request_id, "mia", "deny", expect="repeated")
    answer(town, request_id, "max", "approve")
    answer(town, request_id, "max", "deny")  # he may think better of it
    assert town.word(request_id, "DENIED").body["reason"]["code"] == "denied_by_approver"
    request_id = ask(town, "tough")
    answer(town, request_id, "mia", "deny")
    answer(town, request_id, "max")
    answer(town, request_id, "dora")
    granted(town, request_id, "mia", "max", "dora")  # she denied, and that was not enough


def test_the_requester_its_owner_and_whom_it_serves_never_answer(town):
    request_id = ask(town, "reasoned", agent_id="owned", on_behalf_of="max")
    answer(town, request_id, "owen", reason="mine", expect="responder_is_requester")
    answer(town, request_id, "max", reason="for me", expect="responder_is_requester")
    answer(town, request_id, "lara", reason="me too", expect="not_a_member")
    answer(town, request_id, "mia", expect="reason_required")
    answer(town, request_id, "mia", "deny", expect="reason_required")
    waits(town, request_id)
    answer(town, request_id, "mia", reason="seen it")
    granted(town, request_id, "mia")


def test_who_steps_aside_counts_no_more(town):
    request_id = ask(town, "lax")
    answer(town, request_id, "mia")
    answer(town, request_id, "mia", "recuse")
    town.expect("approvals", request_id, state="CHANGED", cause="recused")
    answer(town, request_id, "mia", expect="recused")
    answer(town, request_id, "dirk")
    waits(town, request_id)
    answer(town, request_id, "max")
    granted(town, request_id, "dirk", "max")


def test_a_remark_changes_nothing_and_is_shown(town):
    request_id = ask(town, "lax")
    answer(town, request_id, "mia", "comment", expect="reason_required")
    answer(town, request_id, "otto", "comment", reason="looking at it")
    event = town.expect("approvals", request_id, state="CHANGED", cause="commented")
    assert [(r["responder"], r["verdict"], r["reason"]) for r in event.body["responses"]] == [("otto", "comment", "looking at it")]
    answer(town, request_id, "otto", expect="not_a_member")
    waits(town, request_id)
    answer(town, request_id, "dora")
    granted(town, request_id, "dora")


def test_the_grant_begins_when_it_was_held_for_long_enough(town):
    request_id = ask(town, "held")
    answer(town, request_id, "mia")
    body = granted(town, request_id, "mia").body
    waited, _ = town.one("SELECT extract(epoch FROM not_before - decided_at), extract(epoch FROM expires_at - not_before) FROM authorization_status"
                       " WHERE request_id = %s AND status = 'GRANTED'", request_id)
    assert waited == 300 and body["not_before"] > body["decided_at"]


def test_what_several_profiles_demand_is_united(town):
    request_id = ask(town, "several")
    assert [need["profile"] for need in town.expect("approvals", request_id, state="OPEN").body["needs"]] == ["held", "lax", "lax"]
    answer(town, request_id, "mia")
    waits(town, request_id)
    answer(town, request_id, "dirk")
    granted(town, request_id, "mia", "dirk")
    assert town.one("SELECT extract(epoch FROM not_before - decided_at) FROM authorization_status WHERE request_id = %s AND status = 'GRANTED'",
                    request_id) == 300


def test_when_nobody_answers_another_group_may(town):
    request_id = ask(town, "added")
    assert open_now(town.expect("approvals", request_id, state="OPEN")) == [("managers", 1)]
    event = town.expect("approvals", request_id, state="CHANGED", cause="escalated")
    assert open_now(event) == [("managers", 1), ("directors", 1)]
    answer(town, request_id, "dirk")
    granted(town, request_id, "dirk")


def test_a_group_that_is_replaced_is_asked_no_more(town):
    request_id = ask(town, "replaced")
    escalated(town, request_id, 2)
    told(town, request_id, ("managers", "opened"), ("directors", "opened"), ("legal", "opened"))
    answer(town, request_id, "max", expect="stage_not_open")
    waits(town, request_id)
    answer(town, request_id, "dirk")
    granted(town, request_id, "dirk")
    assert "replaced" in town.cli("show", request_id, "--records").stdout


def test_votes_that_were_there_meet_a_step_when_its_time_comes(town):
    request_id = ask(town, "counted")
    answer(town, request_id, "mia")
    granted(town, request_id, "mia")
    assert town.sql("SELECT steps_taken, closed_at > (SELECT max(at) FROM approval_step s WHERE s.approval_id = a.approval_id)"
                    " FROM approval a WHERE request_id = %s", request_id) == [(1, True)]


def test_who_does_not_answer_is_reminded_and_it_ends_all_the_same(town):
    request_id = ask(town, "reminding")
    town.expect("approvals", request_id, state="CHANGED", cause="reminded")
    told(town, request_id, ("managers", "opened"), ("managers", "reminded"))
    answer(town, request_id, "mia")
    granted(town, request_id, "mia")
    request_id = ask(town, "late")
    town.word(request_id, "EXPIRED")
    answer(town, request_id, "mia", expect="approval_expired")


def test_a_deadline_is_extended_as_far_as_the_policy_lets_it(town):
    request_id = ask(town, "longer")
    before = town.one("SELECT deadline FROM approval WHERE request_id = %s", request_id)
    answer(town, request_id, "mia", "extend", deadline=rfc3339(now() + timedelta(hours=3)), expect="beyond_maximum")
    answer(town, request_id, "mia", "extend", deadline=rfc3339(now() + timedelta(minutes=3)), expect="not_later")
    answer(town, request_id, "lara", "extend", deadline=rfc3339(now() + timedelta(minutes=90)), expect="not_a_member")
    answer(town, request_id, "mia", "extend", deadline=rfc3339(now() + timedelta(minutes=90)))
    event = town.expect("approvals", request_id, state="CHANGED", cause="extended")
    after = town.one("SELECT deadline FROM approval WHERE request_id = %s", request_id)
    assert after > before and event.body["approval_deadline"] == rfc3339(after)
    answer(town, request_id, "mia")
    granted(town, request_id, "mia")
    request_id = ask(town, "lax")
    answer(town, request_id, "dora", "extend", deadline=rfc3339(now() + timedelta(minutes=90)), expect="not_extendable")


def test_what_has_no_deadline_waits_listed_and_reminded_of_until_it_is_answered(town):
    request_id = ask(town, "patient")
    assert town.word(request_id, "PENDING").body["approval_deadline"] is None
    assert town.expect("approvals", request_id, state="OPEN").body["approval_deadline"] is None
    told(town, request_id, ("managers", "opened"), ("managers", "reminded"))
    assert town.expect("approvals", request_id, cause="reminded").body["approval_deadline"] is None
    listed = [row for row in json.loads(town.cli("list", "--state", "pending", "--output", "json").stdout) if row["request_id"] == request_id]
    assert len(listed) == 1 and listed[0]["approval_deadline"] == "none"
    assert "without a deadline" in town.cli("show", request_id).stdout
    answer(town, request_id, "mia", "extend", deadline=rfc3339(now() + timedelta(minutes=90)), expect="not_extendable")
    waits(town, request_id)
    answer(town, request_id, "mia")
    granted(town, request_id, "mia")
    request_id = ask(town, "silent")  # nothing happens by time
    assert town.sql("SELECT deadline, next_at FROM approval WHERE request_id = %s", request_id) == [(None, None)]
    answer(town, request_id, "mia")
    answer(town, request_id, "max", "deny")
    assert town.word(request_id, "DENIED").body["reason"]["code"] == "denied_by_approver"


def test_a_stage_that_nobody_could_meet_is_no_question(town):
    for profile, status in (("empty-stage", "DENIED"), ("half-empty", "PENDING")):
        request_id = town.ask(action=f"ask.{profile}", context={})
        assert town.expect("authorizations", request_id).body["status"] == status
    answer(town, request_id, "mia")
    granted(town, request_id, "mia")


def test_what_the_policy_of_the_last_vote_demands_is_asked_as_well(town):
    request_id = ask(town, "held", agent_id="second")
    stays = ask(town, "lax", agent_id="second")
    town.activate(document(2, {**PROFILES, "held": {"stages": [{"any_of": asks(("managers", 1))}, {"any_of": asks(("legal", 1))}], "ttl": "1h"}}))
    answer(town, request_id, "mia")
    event = town.expect("approvals", request_id, state="CHANGED", cause="policy_changed")
    assert ("legal", 2) in open_now(event)
    waits(town, request_id)
    answer(town, stays, "dora")
    granted(town, stays, "dora")
    answer(town, request_id, "lara")
    granted(town, request_id, "mia", "lara")


def test_who_stepped_aside_stays_aside_when_the_key_is_revoked(town):
    town.person("rita", "managers")
    request_id = ask(town, "lax")
    answer(town, request_id, "rita")
    first = town.keys["rita"]
    second = town.person("rita")
    answer(town, request_id, "rita", "recuse", key=second)
    town.cli("keys", "revoke", second.kid)
    answer(town, request_id, "rita", expect="recused", key=first)
    answer(town, request_id, "dirk")
    waits(town, request_id)
    answer(town, request_id, "mia")
    granted(town, request_id, "dirk", "mia")


def test_who_left_the_group_meanwhile_counts_no_more_and_may_answer_for_another(town):
    town.person("lena", "managers")
    request_id = ask(town, "either")
    answer(town, request_id, "lena")
    town.cli("groups", "remove", "managers", "lena")
    answer(town, request_id, "mia")
    waits(town, request_id)
    town.cli("groups", "add", "directors", "lena")
    answer(town, request_id, "lena")
    granted(town, request_id, "lena", "mia")
