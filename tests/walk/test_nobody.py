# SPDX-License-Identifier: Apache-2.0
"""Where nobody could answer a question it is closed, waits, or goes to others, as the class says: never open, never for ever."""
import json

import pytest

from ending import finish
from house import House

SERVICES = ("evaluator", "resolver", "relay")
ASKS = {
    "ghosts": {"any_of": [{"group": "ghosts", "quorum": 1}], "ttl": "1h"},
    "pair": {"all_of": [{"group": "left", "quorum": 1}, {"group": "right", "quorum": 1}], "distinct": True, "ttl": "1h"},
    "loose": {"all_of": [{"group": "left", "quorum": 1}, {"group": "right", "quorum": 1}], "ttl": "1h"},
    "many": {"any_of": [{"group": "chiefs", "quorum": 3}], "ttl": "1h"},
    "reasoned": {"any_of": [{"group": "ghosts", "quorum": 1}], "require_reason": True, "ttl": "1h"},
}


def classes(cell, **more):
    return [{"id": cell, "actions": [f"{cell}.**"], "default": "BLOCK", "failure": {"no_eligible_approver": cell}, **more}]


def document(version=1, **changes):
    cells = classes("closed") + classes("hold") + classes("escalate", fallback={"group": "chiefs", "quorum": 2})
    cells.append({**classes("escalate", fallback={"group": "nowhere", "quorum": 1})[0], "id": "empty", "actions": ["empty.**"]})
    return {"countersign": "policy/v1", "policy": "cells", "version": version, "tenants": ["default"],
            "classes": cells + [{"id": "other", "actions": ["**"], "default": "BLOCK"}], "approvals": ASKS,
            "rules": [{"id": name, "match": {"actions": [f"*.{name}"]}, "decision": "REQUIRE_APPROVAL", "approval": name} for name in ASKS], **changes}


@pytest.fixture
def house(request):
    house = House(policy=document(), services=SERVICES)
    for person in ("clara", "curt"):
        house.person(person, "chiefs")
    house.person("lea", "left", "right")
    yield house
    finish(house, request)


def denied(house, request_id):
    word = house.word(request_id, "DENIED")
    assert word.body["reason"]["code"] == "no_eligible_approver" and word.body["next_action"] == "request"
    assert house.sql("SELECT count(*) FROM approval WHERE request_id = %s AND state = 'PENDING'", request_id) == [(0,)]


def asked(house, request_id):
    """Whom the first card asks, and whether they stand in for others."""
    house.word(request_id, "PENDING")
    return [(need["group"], need.get("fallback", False)) for need in house.expect("approvals", request_id, state="OPEN").body["needs"]]


def test_the_cell_of_the_class_says_what_becomes_of_it(house):
    denied(house, house.ask(action="closed.ghosts"))
    held = house.ask(action="hold.ghosts")
    assert asked(house, held) == [("ghosts", False)]
    others = house.ask(action="escalate.ghosts")
    assert asked(house, others) == [("chiefs", True)]
    assert house.word(others, "PENDING").body["ahead"] == {"chiefs": 0}
    assert [need["of"] for need in json.loads(house.cli("show", others, "--output", "json").stdout)["needs"]] == ["fallback"]
    denied(house, house.ask(action="empty.ghosts"))  # nobody is there to go to either
    for person in ("clara", "curt"):
        house.answer(others, person)
    word = house.word(others, "GRANTED")
    assert sorted(r["responder"] for r in word.body["responses"]) == ["clara", "curt"]
    house.person("gus", "ghosts")
    house.answer(held, "gus")
    house.word(held, "GRANTED")


def test_those_who_never_answer_are_nobody(house):
    house.person("gus", "ghosts")
    assert asked(house, house.ask(action="closed.ghosts")) == [("ghosts", False)]
    denied(house, house.ask(action="closed.ghosts", on_behalf_of="gus"))
    assert asked(house, house.ask(action="escalate.ghosts", agent_id="gus")) == [("chiefs", True)]
    house.cli("agents", "add", "owned", "--owner", "gus")
    denied(house, house.ask(action="closed.ghosts", agent_id="owned"))
    denied(house, house.ask(action="escalate.ghosts", agent_id="owned", on_behalf_of="clara"))  # and of the chiefs one is too few


def test_a_quorum_that_is_larger_than_the_group_and_one_person_for_two_are_nobody(house):
    denied(house, house.ask(action="closed.many"))
    denied(house, house.ask(action="closed.pair"))  # she is in both groups, and counts once
    assert asked(house, house.ask(action="closed.loose")) == [("left", False), ("right", False)]
    assert asked(house, house.ask(action="escalate.pair")) == [("chiefs", True)]
    house.person("rolf", "right")
    assert asked(house, house.ask(action="closed.pair")) == [("left", False), ("right", False)]


def test_what_the_profile_demands_besides_people_is_demanded_of_others_too(house):
    request_id = house.ask(action="escalate.reasoned")
    assert asked(house, request_id) == [("chiefs", True)]
    response = house.answer(request_id, "clara")
    house.eventually("SELECT result FROM response WHERE response_id = %s", response, expected=[("reason_required",)])


def test_who_came_meanwhile_is_asked_as_well(house):
    request_id = house.ask(action="escalate.ghosts")
    assert asked(house, request_id) == [("chiefs", True)]
    house.person("gus", "ghosts")
    for person in ("clara", "curt"):
        house.answer(request_id, person)
    changed = house.expect("approvals", request_id, cause="policy_changed")
    assert [(need["group"], need["open"]) for need in changed.body["needs"]][-1] == ("ghosts", True)
    assert house.words(request_id) == ["PENDING"]
    house.answer(request_id, "gus")
    house.word(request_id, "GRANTED")


def test_a_later_policy_that_asks_nobody_who_is_there_closes_what_is_open(house):
    ids = [house.ask(action=f"{cell}.loose") for cell in ("closed", "escalate", "hold")]
    for request_id in ids:
        house.word(request_id, "PENDING")
    rules = [{"id": "all", "match": {"actions": ["*.loose"]}, "decision": "REQUIRE_APPROVAL", "approval": "ghosts"}]
    house.activate(document(2, rules=document()["rules"] + rules))
    for request_id in ids:
        house.answer(request_id, "lea")
    denied(house, ids[0])
    for request_id, group in zip(ids[1:], ("chiefs", "ghosts")):
        assert house.expect("approvals", request_id, cause="policy_changed").body["needs"][-1]["group"] == group
    for person in ("clara", "curt"):
        house.answer(ids[1], person)
    house.word(ids[1], "GRANTED")
    assert house.words(ids[2]) == ["PENDING"]


def test_a_fallback_without_people_is_no_policy_to_activate(house):
    path = house.folder / "next.json"
    path.write_text(json.dumps(document(2, approvals={"ghosts": {"any_of": [{"group": "chiefs", "quorum": 1}], "ttl": "1h"}}, rules=[])))
    refused = house.cli("policy", "activate", str(path), check=False)
    assert refused.returncode == 1 and "E03" in refused.stdout + refused.stderr and "nowhere" in refused.stdout + refused.stderr
    house.person("nora", "nowhere")
    house.cli("policy", "activate", str(path))
