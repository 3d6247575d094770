# SPDX-License-Identifier: Apache-2.0
"""An organisation's policy and a tenant's decide together: the stricter stands, and whoever is asked by either must answer."""
import json

import pytest

from ending import finish
from house import House


def profile(group, quorum=1, ttl="1h", valid_for="15m"):
    return {"any_of": [{"group": group, "quorum": quorum}], "ttl": ttl, "grant": {"valid_for": valid_for}}


def organisation(version=1, rules=(), **changes):
    return {
        "countersign": "policy/v1", "policy": "house-rules", "version": version, "tenants": ["*"],
        "inputs": {"amount": {"type": "int", "max": 1000}, "region": {"type": "string", "sensitive": True}},
        "params": {"most": {"type": "int", "value": 500, "min": 100, "max": 800}},
        "classes": [{"id": "deployment", "actions": ["deployment.**"], "default": "REQUIRE_APPROVAL", "approval": "people"},
                    {"id": "report", "actions": ["report.**"], "default": "BLOCK", "floor": False},
                    {"id": "other", "actions": ["**"], "default": "ALLOW"}],
        "approvals": {"people": profile("security", valid_for="10m")},
        "rules": [{"id": "no-exports", "match": {"actions": ["data.export"]}, "decision": "BLOCK", "reason": "Data does not leave."},
                  {"id": "two-houses", "match": {"actions": ["credential.rotate"]}, "decision": "REQUIRE_APPROVAL", "approval": "people"},
                  {"id": "no-large", "match": {"actions": ["payment.refund"]}, "when": "context.amount > params.most", "decision": "BLOCK"},
                  *rules], **changes}


def own(version=1, rules=(), **changes):
    return {
        "countersign": "policy/v1", "policy": "own", "version": version, "tenants": ["default"],
        "inputs": {"amount": {"type": "int", "default": 1}, "region": {"type": "string"}, "note": {"type": "string"},
                   "numbers": {"type": "list<int>", "max": 30}},
        "classes": [{"id": "other", "actions": ["**"], "default": "ALLOW"}],
        "approvals": {"people": profile("owners", ttl="30m"), "audit": profile("auditors")},
        "rules": [{"id": "all-is-fine", "match": {"actions": ["deployment.**", "data.**", "report.**"]}, "decision": "ALLOW"},
                  {"id": "two-houses", "match": {"actions": ["credential.rotate"]}, "decision": "REQUIRE_APPROVAL", "approval": "people"},
                  {"id": "small", "match": {"actions": ["payment.refund"]}, "when": "context.amount <= 900", "decision": "ALLOW"},
                  *rules], **changes}


@pytest.fixture(scope="module")
def town(request):
    house = House(policy=organisation(), services=("evaluator", "resolver", "relay"))
    house.activate(own())
    for person, group in (("sam", "security"), ("olga", "owners"), ("ada", "auditors")):
        house.person(person, group)
    yield house
    finish(house, request)


def ask(house, action, context=None, **members):
    return house.ask(action=action, context=context or {}, **members)


def explanation(house, request_id, n=0):
    return house.sql("SELECT explanation FROM decision WHERE request_id = %s AND n = %s", request_id, n)[0][0]


def needs(house, request_id):
    return house.sql("SELECT q.policy_id, q.profile, q.group_name FROM approval a JOIN approval_requirement q USING (approval_id)"
                     " WHERE a.request_id = %s ORDER BY q.n", request_id)


def layers(*versions):
    return list(zip(("house-rules", "own"), versions))


def test_what_the_organisation_blocks_no_tenant_allows(town):
    request_id = ask(town, "data.export")
    word = town.word(request_id, "DENIED")
    assert word.body["rules"] == ["no-exports"] and word.body["policy"]["id"] == "own"
    assert [(one["id"], one["version"]) for one in word.body["layers"]] == layers(1, 1)
    assert town.sql("SELECT verdict, reason_code, policy_id, policy_version FROM decision WHERE request_id = %s", request_id) == [
        ("BLOCK", "rule", "own", 1)]
    why = explanation(town, request_id)
    assert [one["id"] for one in why["policy"]] == ["house-rules", "own"]
    assert [(one["policy"], one["rule"]) for one in why["because"]] == [("house-rules", "no-exports")]
    assert [(one["policy"], one["rule"], one["result"]) for one in why["considered"]] == [("own", "all-is-fine", "yes")]


def test_what_neither_restricts_is_allowed_and_a_default_without_floor_gives_way(town):
    for action in ("repo.read", "report.monthly"):
        assert town.word(ask(town, action), "GRANTED").body["decision"] == "ALLOW"
    other = ask(town, "report.monthly", tenant="elsewhere")
    assert town.word(f"elsewhere/{other}", "DENIED").body["reason"]["code"] == "class_default"
    assert town.sql("SELECT policy_id, layers FROM decision WHERE request_id = %s", other) == [("house-rules", None)]


def test_values_are_judged_by_both_declarations_and_a_default_of_the_tenant_is_none_of_the_organisations(town):
    for context, word, code in (({"amount": 400}, "GRANTED", "rule"), ({"amount": 600}, "DENIED", "rule"), ({"amount": 1001}, "DENIED", "invalid_request"),
                                ({}, "DENIED", "rule_error"), ({"amount": 400, "note": "x"}, "GRANTED", "rule"),
                                ({"amount": 400, "colour": "x"}, "DENIED", "invalid_request")):
        event = town.word(ask(town, "payment.refund", context), word)
        assert event.body["reason"]["code"] == code, context


def test_the_organisations_default_asks_whatever_the_tenant_allows(town):
    request_id = ask(town, "deployment.production")
    town.word(request_id, "PENDING")
    assert needs(town, request_id) == [("house-rules", "people", "security")]
    town.answer(request_id, "sam")
    word = town.word(request_id, "GRANTED")
    assert [(one["id"], one["version"]) for one in word.body["layers"]] == layers(1, 1)


def test_where_both_ask_both_must_be_met_though_their_profiles_have_one_name(town):
    request_id = ask(town, "credential.rotate")
    town.word(request_id, "PENDING")
    assert needs(town, request_id) == [("house-rules", "people", "security"), ("own", "people", "owners")]
    notice = town.expect("approvals", request_id)
    assert [(one["policy"], one["profile"], one["group"]) for one in notice.body["needs"]] == needs(town, request_id)
    assert town.sql("SELECT (deadline - opened_at)::text, valid_for_us FROM approval WHERE request_id = %s", request_id) == [("00:30:00", 600_000_000)]
    town.answer(request_id, "olga")
    town.eventually("SELECT count(*) FROM response WHERE request_id = %s", request_id, expected=[(1,)])
    assert town.words(request_id) == ["PENDING"]
    town.answer(request_id, "sam")
    town.word(request_id, "GRANTED")
    shown = json.loads(town.cli("show", request_id, "-o", "json").stdout)
    assert [one["policy"] for one in shown["needs"]] == ["house-rules", "own"]


def test_the_dry_run_decides_as_the_evaluator_did(town, tmp_path):
    request = {"request_id": "dry", "agent_id": "bot", "action": "payment.refund", "target": "x", "context": {"amount": 600, "region": "north"}}
    town.publish("requests", request, key="dry")
    town.word("dry", "DENIED")
    for name, document in (("request", request), ("org", organisation()), ("own", own())):
        (tmp_path / f"{name}.json").write_text(json.dumps(document))
    for arguments in ((), ("--policy", str(tmp_path / "own.json"), "--with", str(tmp_path / "org.json")),
                      ("--policy", str(tmp_path / "org.json"), "--with", str(tmp_path / "own.json"))):
        assert json.loads(town.cli("policy", "explain", str(tmp_path / "request.json"), *arguments, "-o", "json").stdout) == explanation(town, "dry")
    text = town.cli("policy", "explain", str(tmp_path / "request.json")).stdout
    assert "rule no-large of house-rules says BLOCK" in text and "rule small of own (ALLOW): yes, but a stricter one decides" in text
    done = town.cli("policy", "explain", str(tmp_path / "request.json"), "--policy", str(tmp_path / "own.json"), "--with", str(tmp_path / "own.json"), check=False)
    assert done.returncode == 1 and "the same policy" in done.stderr
    (tmp_path / "own.test.json").write_text(json.dumps({
        "countersign": "policy-test/v1", "policy": "own", "now": "2026-03-04T10:00:00Z", "fixtures": {"refund": request},
        "cases": [{"name": "the organisation's rule", "request": "refund", "expect": {"decision": "BLOCK", "rules": ["no-large"]}}]}))
    assert town.cli("policy", "test", str(tmp_path / "own.json"), check=False).returncode == 1
    assert town.cli("policy", "test", str(tmp_path / "own.json"), "--with", str(tmp_path / "org.json")).returncode == 0


def test_an_organisation_has_one_policy_and_so_has_each_tenant(town, tmp_path):
    for name, tenants in (("rival", ["*"]), ("rival", ["elsewhere", "default"])):
        done = town.cli("policy", "activate", "-", stdin=json.dumps({**own(), "policy": name, "tenants": tenants}), check=False)
        assert done.returncode == 1 and "one policy" in done.stderr
    # under the organisation's name it would take the organisation's policy away
    done = town.cli("policy", "activate", "-", "--warn", "E03", stdin=json.dumps({**own(9), "policy": "house-rules"}), check=False)
    assert done.returncode == 1 and ("is the organisation's" in done.stderr or "one policy" in done.stderr)
    done = town.cli("policy", "activate", "-", "--warn", "E03", stdin=json.dumps({**own(9), "policy": "house-rules", "tenants": ["elsewhere"]}), check=False)
    assert done.returncode == 1 and "is the organisation's" in done.stderr
    states = {(one["policy"], one["state"]) for one in json.loads(town.cli("policy", "list", "-o", "json").stdout)}
    assert states == {("house-rules", "active"), ("own", "active")}


def test_at_the_last_vote_both_policies_of_that_moment_decide(town):
    more, frozen = ask(town, "deployment.audited"), ask(town, "deployment.frozen")
    for request_id in (more, frozen):
        town.word(request_id, "PENDING")
    town.activate(own(2, [{"id": "audited", "match": {"actions": ["deployment.audited"]}, "decision": "REQUIRE_APPROVAL", "approval": "audit"}]))
    town.activate(organisation(2, [{"id": "freeze", "match": {"actions": ["deployment.frozen"]}, "decision": "BLOCK", "reason": "Code freeze."}]))
    town.answer(frozen, "sam")
    assert town.word(frozen, "DENIED").body["rules"] == ["freeze"]
    town.answer(more, "sam")
    town.eventually("SELECT count(*) FROM decision WHERE request_id = %s", more, expected=[(2,)])
    assert town.words(more) == ["PENDING"]
    assert needs(town, more) == [("house-rules", "people", "security"), ("own", "audit", "auditors")]
    town.answer(more, "ada")
    word = town.word(more, "GRANTED")
    assert [(one["id"], one["version"]) for one in word.body["layers"]] == layers(2, 2)
    assert len(explanation(town, more, 1)["approvals"]) == 2


def test_a_tenants_activation_in_the_middle_of_many_requests_changes_all_that_are_decided_behind_it(town):
    before = [ask(town, "repo.push", flush=False) for _ in range(300)]
    town.activate(own(3, [{"id": "stop", "match": {"actions": ["repo.push"]}, "decision": "BLOCK"}]))
    behind = [ask(town, "repo.push", flush=False) for _ in range(100)]
    town.producer.flush(30)
    town.eventually("SELECT count(*) FROM decision JOIN request USING (tenant, request_id) WHERE action = 'repo.push'", expected=[(400,)])
    assert town.sql("SELECT DISTINCT verdict FROM decision WHERE request_id = ANY (%s)", behind) == [("BLOCK",)]
    assert set(town.sql("SELECT DISTINCT verdict, policy_version FROM decision WHERE request_id = ANY (%s)", before)) <= {("ALLOW", 2), ("BLOCK", 3)}
    assert town.sql("SELECT count(*) FROM decision d JOIN policy p ON p.policy_id = 'own' AND p.version = 3"
                    " WHERE d.tenant = 'default' AND d.decided_at > p.activated_at AND d.policy_version < 3") == [(0,)]


# ---------------------------------------------------------------- shadows

def shadows(house, request_id):
    return explanation(house, request_id).get("shadows", [])


def test_a_shadow_that_differs_is_recorded_and_changes_nothing(town):
    stricter = own(4, [{"id": "quiet", "match": {"actions": ["mail.send"]}, "decision": "BLOCK"},
                       {"id": "audited", "match": {"actions": ["deployment.**"]}, "decision": "REQUIRE_APPROVAL", "approval": "audit"}])
    assert "is in the shadow" in town.cli("policy", "shadow", "-", stdin=json.dumps(stricter)).stderr
    sent, posted, asked = ask(town, "mail.send"), ask(town, "chat.post"), ask(town, "deployment.shadowed")
    for request_id in (sent, posted):
        word = town.word(request_id, "GRANTED")
        assert word.body["policy"]["version"] < 4 and [one["id"] for one in word.body["layers"]] == ["house-rules", "own"]
    assert [(one["id"], one["version"], one["decision"], one["rules"], one["differs"]) for one in shadows(town, sent)] == [("own", 4, "BLOCK", ["quiet"], True)]
    assert [(one["decision"], one["differs"]) for one in shadows(town, posted)] == [("ALLOW", False)]
    town.word(asked, "PENDING")
    assert needs(town, asked) == [("house-rules", "people", "security")]
    assert [(one["decision"], one["differs"]) for one in shadows(town, asked)] == [("REQUIRE_APPROVAL", True)]
    town.answer(asked, "sam")
    town.word(asked, "GRANTED")
    assert needs(town, asked) == [("house-rules", "people", "security")]
    assert ("own", 4, "shadow") in {(one["policy"], one["version"], one["state"]) for one in json.loads(town.cli("policy", "list", "-o", "json").stdout)}
    counted = json.loads(town.cli("policy", "shadow", "-o", "json", role="auditor").stdout)
    assert ("own", 4, "ALLOW", "BLOCK", "yes", 1) in {tuple(one[n] for n in ("policy", "version", "decision", "shadow", "differs", "decisions")) for one in counted}
    town.activate(stricter)
    behind = ask(town, "mail.send")
    assert town.word(behind, "DENIED").body["rules"] == ["quiet"] and shadows(town, behind) == []


def test_a_shadow_is_ended_by_name_and_one_that_does_not_come_to_its_end_is_recorded_so(town):
    long = "context.numbers.all(a, context.numbers.all(b, a + b >= 0))"
    heavy = own(5, [{"id": f"heavy-{n}", "match": {"actions": ["count.up"]}, "when": long, "decision": "BLOCK"} for n in range(40)])
    town.cli("policy", "shadow", "-", stdin=json.dumps(heavy), role="operator")
    request_id = ask(town, "count.up", {"numbers": list(range(30))})
    town.word(request_id, "GRANTED")
    assert [(one["id"], one["error"]) for one in shadows(town, request_id)] == [("own", "cost")]
    assert "no more" in town.cli("policy", "shadow", "--end", "own", role="operator").stderr
    request_id = ask(town, "count.up", {"numbers": [1]})
    town.word(request_id, "GRANTED")
    assert shadows(town, request_id) == []
    done = town.cli("policy", "shadow", "--end", "own", check=False)
    assert done.returncode == 1 and "no policy own is in the shadow" in done.stderr
    done = town.cli("policy", "shadow", "-", stdin=json.dumps(own(4)), check=False)
    assert done.returncode == 1 and "versions only rise" in done.stderr


# ---------------------------------------------------------------- inputs

def test_an_input_that_no_value_could_satisfy_in_both_is_told_before_it_refuses_every_request(town):
    clashing = own(20, inputs={"amount": {"type": "string"}}, rules=[])
    clashing["rules"] = []
    done = town.cli("policy", "activate", "-", "--warn", "E03", stdin=json.dumps(clashing), check=False)
    assert done.returncode == 1 and "inputs.amount" in done.stderr and "is string here and int in policy house-rules" in done.stderr
    done = town.cli("policy", "lint", "-", "--warn", "E03", stdin=json.dumps(clashing), check=False)
    assert done.returncode == 1 and "E11" in done.stderr + done.stdout and "inputs.amount" in done.stderr + done.stdout


# ---------------------------------------------------------------- params

def test_a_tenant_sets_a_param_of_the_organisation_within_the_bounds_that_it_gives(town):
    def given(version, name, value, of="house-rules"):
        return own(version, params={name: {"of": of, "value": value}})
    for document, said in ((given(6, "most", 801), "params.most"), (given(6, "most", "700"), "params.most"), (given(6, "least", 1), "params.least"),
                           (given(6, "most", 700, of="nobody"), "no organisation's policy nobody is active")):
        done = town.cli("policy", "activate", "-", "--warn", "E03", stdin=json.dumps(document), check=False)
        assert done.returncode == 1 and said in done.stderr, done.stderr
    town.activate(given(6, "most", 700))
    for amount, word in ((600, "GRANTED"), (701, "DENIED")):
        assert town.word(ask(town, "payment.refund", {"amount": amount}), word).body["decision"] == ("ALLOW" if word == "GRANTED" else "BLOCK")
    narrower = organisation(3, params={"most": {"type": "int", "value": 500, "min": 100, "max": 600}})
    done = town.cli("policy", "activate", "-", "--warn", "E03", stdin=json.dumps(narrower), check=False)
    assert done.returncode == 1 and "params.most" in done.stderr and "own" in done.stderr


# ---------------------------------------------------------------- limits

def test_a_limit_of_the_organisation_bounds_what_the_tenant_alone_decides(build):
    """Its class has no floor, so that the limit is all that it says."""
    limit = {"id": "reports", "match": {"actions": ["report.**"]}, "key": ["tenant"], "count": {"max": 2, "per": "1h"}, "exceeded": "BLOCK"}
    house = build(policy=organisation(limits=[limit]), services=("evaluator", "relay"))
    house.activate(own(limits=[{**limit, "count": {"max": 9, "per": "1h"}}]))
    asked = [ask(house, "report.send") for _ in range(4)]
    words = {request_id: house.expect("authorizations", request_id).body for request_id in asked}
    assert sorted(word["status"] for word in words.values()) == ["DENIED"] * 2 + ["GRANTED"] * 2
    assert {word["reason"]["code"] for word in words.values() if word["status"] == "DENIED"} == {"limit_exceeded"}
    assert house.sql("SELECT policy_id, used FROM limit_usage ORDER BY policy_id") == [("house-rules", 2), ("own", 2)]
