# SPDX-License-Identifier: Apache-2.0
"""Conditions decide: what `countersign policy test` says of an example policy, the evaluator does, and the record tells why."""
import json

import pytest
import yaml

from house import ROOT

POLICIES = ROOT / "deploy/policies"
WORDS = {"ALLOW": "GRANTED", "REQUIRE_APPROVAL": "PENDING", "BLOCK": "DENIED"}


def merged(target, patch):
    """RFC 7396."""
    if not isinstance(patch, dict):
        return patch
    target = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            target.pop(name, None)
        else:
            target[name] = merged(target.get(name), value)
    return target


def explanation(house, request_id):
    return house.sql("SELECT explanation FROM countersign.decision WHERE request_id = %s AND n = 0", request_id)[0][0]


@pytest.mark.parametrize("name", ["delivery", "payments", "health", "infrastructure"])
def test_every_test_of_an_example_policy_comes_true_on_the_road(build, name):
    policy = yaml.safe_load((POLICIES / f"{name}.yaml").read_text())
    suite = yaml.safe_load((POLICIES / f"{name}.test.yaml").read_text())
    house = build(policy=policy, services=("evaluator", "relay"))
    groups = {ask["group"] for profile in policy["approvals"].values() for ask in profile["any_of"]}
    for person in ("ann", "ben"):
        house.person(person, *sorted(groups))
    asked = {}
    for n, case in enumerate(case for case in suite["cases"] if "usage" not in case):  # nobody has used anything
        request_id = f"case-{n}"
        house.publish("requests", {"request_id": request_id, **merged(suite["fixtures"][case["request"]], case.get("patch", {}))}, key=request_id)
        asked[request_id] = case
    for request_id, case in asked.items():
        expect, word = case["expect"], house.word(request_id, WORDS[case["expect"]["decision"]])
        assert word.body["decision"] == expect["decision"], case["name"]
        assert sorted(word.body.get("rules", [])) == sorted(expect.get("rules", [])), case["name"]
        assert expect.get("reason_contains", "") in word.body["reason"]["text"], case["name"]
        why = explanation(house, request_id)
        assert why["reason"] == word.body["reason"]["text"] and why.get("remediation") == word.body.get("remediation"), case["name"]
        if "obligations" in expect:
            assert {n: sorted(v) if isinstance(v, list) else v for n, v in expect["obligations"].items()} == why.get("obligations", {}), case["name"]
        assert why["decision"] == expect["decision"] and why["errors"] == sorted(expect.get("errors", [])), case["name"]
        if "approvals" in expect:
            assert sorted(a["profile"] for a in why["approvals"]) == sorted(expect["approvals"]), case["name"]
        assert why.get("missing", []) == expect.get("missing", []), case["name"]


def test_a_field_that_is_not_declared_or_of_another_type_is_refused_by_name(build):
    policy = yaml.safe_load((POLICIES / "delivery.yaml").read_text())
    house = build(policy=policy, services=("evaluator", "relay"))
    for context, named in (({"tests_passed": "yes"}, "context.tests_passed"), ({"colour": "red"}, "context.colour"),
                           ({"change_risk": "none"}, "context.change_risk")):
        request_id = house.ask(agent_id="coding-agent-1", action="deployment.production", target="api", context=context)
        word = house.word(request_id, "DENIED")
        assert word.body["reason"]["code"] == "invalid_request" and named in word.body["reason"]["text"]


def test_the_dry_run_says_what_the_evaluator_has_stored_and_needs_no_server(build, tmp_path):
    policy = yaml.safe_load((POLICIES / "delivery.yaml").read_text())
    house = build(policy=policy, services=("evaluator", "relay"))
    house.person("ann", "release-managers")
    context = {"repository": "api", "branch": "main", "environment": "production", "tests_passed": True, "protected_branch": True,
               "change_risk": "high"}
    request = {"request_id": "dry", "agent_id": "coding-agent-1", "action": "deployment.production", "target": "api", "context": context}
    house.publish("requests", request, key="dry")
    house.word("dry", "PENDING")
    path = tmp_path / "request.json"
    path.write_text(json.dumps(request))
    dry = json.loads(house.cli("policy", "explain", str(path), "--policy", str(POLICIES / "delivery.yaml"), "-o", "json").stdout)
    assert dry == explanation(house, "dry")
    active = json.loads(house.cli("policy", "explain", str(path), "-o", "json").stdout)
    assert active == dry
    assert dry["because"][0]["rule"] == "production-risky" and dry["because"][0]["read"] == {"context.change_risk": "high"}
    assert dry["nearest_allow"] == {"rule": "production-routine", "needs": ["context.change_risk in ['low', 'medium']"]}
