# SPDX-License-Identifier: Apache-2.0
"""People are not asked twice about the same, and no agent, class or group has open approvals without end."""
import json

import pytest

from house import House, policy, usual

SERVICES = ("evaluator", "resolver", "relay")


@pytest.fixture(scope="module")
def house(request):
    from ending import finish
    house = House(policy=policy(), services=SERVICES,
                  settings={"evaluator": {"approvals.open_per_agent": "3", "approvals.open_per_class": "8", "approvals.open_per_group": "5"}})
    for person in ("alice", "bob"):
        house.person(person, "release-managers")
        house.person(person, "pair")
    yield house
    finish(house, request)


def first_words(house, ids):
    """The first word on each, in their order."""
    return [house.observer.wait(lambda e, r=r: e.topic == "authorizations" and e.key == r, 60, f"the word on {r}").body["status"] for r in ids]


def answered(house, request_id, verdict="deny"):
    house.answer(request_id, "alice", verdict)
    return house.word(request_id, "DENIED" if verdict == "deny" else "GRANTED")


def test_what_is_asked_already_is_not_asked_again_until_it_is_answered(house):
    first = house.ask(agent_id="twice")
    asked = house.last_request
    house.word(first, "PENDING")
    second = house.ask("second-of-" + first, **{n: v for n, v in asked.items() if n != "request_id"})
    word = house.word(second, "DENIED")
    assert word.body["reason"]["code"] == "duplicate_open" and word.body["duplicate_of"] == first and first in word.body["reason"]["text"]
    assert word.body["decision"] == "REQUIRE_APPROVAL" and word.body["next_action"] == "none" and word.body["token"]
    assert house.sql("SELECT count(*) FROM approval WHERE request_id = %s", second) == [(0,)]
    answered(house, first, "approve")
    third = house.ask("third-of-" + first, **{n: v for n, v in asked.items() if n != "request_id"})
    house.word(third, "PENDING")  # one grant is for one request: people are asked again
    assert house.words(second) == ["DENIED"]
    answered(house, third)


def test_the_same_of_another_agent_is_another_question(house):
    ids = [house.ask(agent_id=agent, execution={"kind": "argv", "digest": "sha-256:" + "2" * 64, "summary": "the same"})
           for agent in ("one", "another")]
    for request_id in ids:
        house.word(request_id, "PENDING")
    for request_id in ids:
        answered(house, request_id)


def test_two_evaluators_ask_the_same_once(house):
    house.start("evaluator", "-second")
    try:
        same = {"agent_id": "hasty", "execution": {"kind": "argv", "digest": "sha-256:" + "3" * 64, "summary": "the same"}}
        ids = [house.ask(f"at-once-{n}", flush=False, **same) for n in range(20)]
        assert house.producer.flush(30) == 0
        pending = [r for r, status in zip(ids, first_words(house, ids)) if status == "PENDING"]
        assert len(pending) == 1
        assert {house.word(r, "DENIED").body["duplicate_of"] for r in ids if r not in pending} == set(pending)
        answered(house, pending[0])
    finally:
        house.stop("evaluator-second")


def floods(house, refused, text):
    """Refused, each with its reason, and told as one incident."""
    for request_id in refused:
        word = house.word(request_id, "DENIED")
        assert word.body["reason"]["code"] == "too_many_open" and text in word.body["reason"]["text"]
        assert word.body["next_action"] == "request"


def test_an_agent_that_asks_without_end_is_refused_and_one_incident_tells_it(house):
    ids = []
    for n in range(6):
        ids.append(house.ask(agent_id="restless"))
        first_words(house, ids[-1:])
    for request_id in ids[:3]:
        house.word(request_id, "PENDING")
    floods(house, ids[3:], "agent restless: 3")
    assert house.sql("SELECT request_id, severity FROM incident WHERE subject = 'agent restless'") == [(ids[3], "medium")]
    assert house.expect("incidents", ids[3]).body["text"].startswith("agent restless has 3 open approvals")
    other = house.ask(agent_id="calm")
    house.word(other, "PENDING")  # others are not refused for it
    answered(house, ids[0])
    again = house.ask(agent_id="restless")
    house.word(again, "PENDING")  # there is room again
    for request_id in (*ids[1:3], again, other):
        answered(house, request_id)
    assert house.metrics("evaluator")['countersign_flood_total{of="agent"}'] == 3


def test_a_batch_that_is_too_much_is_cut_where_the_room_ends(house):
    ids = [house.ask(agent_id=f"many-{n}", action="credential.rotate", flush=False) for n in range(7)]
    assert house.producer.flush(30) == 0
    pending = [r for r, status in zip(ids, first_words(house, ids)) if status == "PENDING"]
    assert len(pending) == 5
    floods(house, [r for r in ids if r not in pending], "group pair: 5")
    blocked = house.ask(agent_id="many-0", action="data.export")
    house.word(blocked, "DENIED")  # what needs nobody has its own answer
    for request_id in pending:
        answered(house, request_id)


def test_who_asks_is_told_how_many_are_ahead_in_each_group(house):
    house.person("nina", "ahead-managers")
    house.person("omar", "ahead-lawyers")
    document = policy(3)
    document["approvals"]["both"] = {"all_of": [{"group": "ahead-managers", "quorum": 1}, {"group": "ahead-lawyers", "quorum": 1}], "ttl": "1h"}
    document["approvals"]["either"] = {"any_of": [{"group": "ahead-managers", "quorum": 1}], "ttl": "1h",
                                       "escalate": [{"after": "30m", "to": {"group": "ahead-lawyers", "quorum": 1}}]}
    document["rules"] += [{"id": name, "match": {"actions": [f"deployment.{name}"]}, "decision": "REQUIRE_APPROVAL", "approval": name} for name in ("both", "either")]
    house.activate(document)
    told = []
    for n, name in enumerate(("both", "either", "both")):
        told.append(house.ask(agent_id=f"ahead-{n}", action=f"deployment.{name}"))
        house.word(told[-1], "PENDING")
    waiting = [{"ahead-managers": 0, "ahead-lawyers": 0}, {"ahead-managers": 1}, {"ahead-managers": 2, "ahead-lawyers": 1}]
    assert [house.word(r, "PENDING").body["ahead"] for r in told] == waiting
    assert [house.expect("approvals", r, state="OPEN").body["ahead"] for r in told] == waiting
    assert {need["group"]: need.get("ahead") for need in json.loads(house.cli("show", told[2], "--output", "json").stdout)["needs"]} == waiting[2]
    assert {need["group"]: need.get("ahead") for need in json.loads(house.cli("show", told[1], "--output", "json").stdout)["needs"]} == {"ahead-managers": 1, "ahead-lawyers": None}
    house.answer(told[0], "nina", "deny")
    house.word(told[0], "DENIED")
    batch = [f"ahead-batch-{n}" for n in range(3)]
    for request_id in batch:  # one after the other, in one batch
        house.publish("requests", {**usual(request_id), "agent_id": request_id, "action": "deployment.either"}, key=request_id, partition=0, flush=False)
    assert house.producer.flush(30) == 0
    assert [house.word(r, "PENDING").body["ahead"]["ahead-managers"] for r in batch] == [2, 3, 4]
    for request_id in (*told[1:], *batch):
        house.answer(request_id, "nina", "deny")
        house.word(request_id, "DENIED")


def test_a_class_has_room_for_so_many(house):
    document = policy(4)
    document["approvals"]["wide"] = {"any_of": [{"group": "wide", "quorum": 1}], "ttl": "1h"}
    document["rules"].append({"id": "wide", "match": {"actions": ["deployment.wide"]}, "decision": "REQUIRE_APPROVAL", "approval": "wide",
                              "reason": "Another group."})
    house.person("alice", "wide")
    house.activate(document)
    ids = [house.ask(agent_id=f"class-{n}") for n in range(4)] + [house.ask(agent_id=f"wide-{n}", action="deployment.wide") for n in range(4)]
    assert first_words(house, ids) == ["PENDING"] * 8
    late = house.ask(agent_id="class-late", action="deployment.wide")
    floods(house, [late], "class deployment: 8")
    for request_id in ids:
        answered(house, request_id)
