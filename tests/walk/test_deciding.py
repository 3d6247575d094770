# SPDX-License-Identifier: Apache-2.0
"""A request is decided: ALLOW, BLOCK, REQUIRE_APPROVAL, each once, each with its reason."""
import json
import time
from datetime import timedelta

import psycopg

from house import digest_of, now, policy
from test_faults import waits_for_a_lock

SEED = (b'{"agent_id": "coding-agent-production", "action": "deployment.production", "target": "customer-api",\n'
        b' "context": {"repository": "customer-api", "branch": "main", "environment": "production",\n'
        b'             "tests_passed": true, "protected_branch": true, "change_risk": "high"}}')


def test_an_allowed_action_is_granted_at_once_and_never_pending(shared):
    request_id = shared.ask(action="deployment.staging")
    event = shared.word(request_id, "GRANTED")
    assert event.body["decision"] == "ALLOW"
    assert event.body["reason"]["code"] == "rule" and event.body["rules"] == ["staging-is-free"]
    assert event.body["request_digest"] == digest_of(shared.last_request)
    assert event.body["policy"]["id"] == "walk" and event.body["policy"]["version"] >= 1
    assert shared.words(request_id) == ["GRANTED"]


def test_a_blocked_action_is_denied_at_once_with_the_rule_that_did_it(shared):
    request_id = shared.ask(action="data.export")
    event = shared.word(request_id, "DENIED")
    assert event.body["decision"] == "BLOCK" and event.body["rules"] == ["no-exports"]
    assert event.body["reason"] == {"code": "rule", "text": event.body["reason"]["text"]}
    assert "Data does not leave." in event.body["reason"]["text"]
    assert shared.words(request_id) == ["DENIED"]


def test_an_action_that_no_rule_names_gets_its_class_default(shared):
    request_id = shared.ask(action="secrets.print")
    assert shared.word(request_id, "DENIED").body["reason"]["code"] == "class_default"
    request_id = shared.ask(action="logs.read")
    assert shared.word(request_id, "GRANTED").body["reason"]["code"] == "class_default"


def test_a_class_whose_inputs_are_missing_blocks_and_names_them(shared):
    request_id = shared.ask(action="payment.refund", context={"amount_minor": 100})
    event = shared.word(request_id, "DENIED")
    assert event.body["reason"]["code"] == "missing_input" and "currency" in event.body["reason"]["text"]


def test_an_action_that_needs_people_is_pending_and_the_approval_tells_what_they_must_know(shared):
    request_id = shared.ask(reason="release 1.2.3")
    word = shared.word(request_id, "PENDING")
    notice = shared.expect("approvals", request_id, state="OPEN")
    assert word.body["approval_id"] == notice.body["approval_id"]
    assert notice.body["request"]["action"] == "deployment.production"
    assert notice.body["request"]["reason"] == "release 1.2.3"
    assert notice.body["needs"][0]["group"] == "release-managers"
    assert notice.body["request_digest"] == word.body["request_digest"] == digest_of(shared.last_request)
    assert notice.headers["signature"].count(".") == 2


def asks_people(house, request_id):
    """What the seed's example must come to; answered at once, so that it may be asked again."""
    digest = digest_of(json.loads(SEED))
    assert house.word(request_id, "PENDING").body["request_digest"] == digest
    house.answer(request_id, "alice", "deny", digest=digest)
    house.word(request_id, "DENIED")


def test_the_seeds_example_byte_for_byte_takes_its_id_from_the_record_key(shared):
    key = f"seed-key-{time.time_ns()}"
    shared.publish("requests", SEED, key=key)
    asks_people(shared, key)


def test_the_seeds_example_byte_for_byte_takes_its_id_from_the_cloudevents_header(shared):
    ce_id = f"seed-ce-{time.time_ns()}"
    headers = [("ce_specversion", b"1.0"), ("ce_id", ce_id.encode()), ("ce_source", b"/agents/coding"),
               ("ce_type", b"agent.request"), ("content-type", b"application/json")]
    shared.publish("requests", SEED, key="another-key", headers=headers)
    asks_people(shared, ce_id)


def test_a_structured_cloudevent_is_opened(shared):
    ce_id = f"structured-{time.time_ns()}"
    envelope = {"specversion": "1.0", "id": ce_id, "source": "/agents/coding", "type": "agent.request", "data": json.loads(SEED)}
    shared.publish("requests", envelope, headers=[("content-type", b"application/cloudevents+json; charset=UTF-8")])
    asks_people(shared, ce_id)


def test_the_trace_that_came_in_goes_out(shared):
    trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    request_id = f"traced-{time.time_ns()}"
    shared.publish("requests", {"request_id": request_id, "agent_id": "a", "action": "logs.read", "target": "t"},
                   headers=[("traceparent", trace.encode())])
    assert shared.word(request_id, "GRANTED").headers["traceparent"] == trace


def test_the_same_request_again_is_answered_with_silence(shared):
    before = shared.metrics("evaluator").get("countersign_requests_repeated_total", 0)
    request_id = shared.ask(action="deployment.staging")
    shared.word(request_id, "GRANTED")
    for _ in range(2):
        shared.publish("requests", shared.last_request, key=request_id)
    shared.publish("requests", json.dumps(shared.last_request, indent=3).encode(), key=request_id)
    marker = shared.ask(action="logs.read", request_id=request_id + "-after")
    shared.word(marker, "GRANTED")
    time.sleep(0.5)
    assert shared.words(request_id) == ["GRANTED"]
    assert shared.sql("SELECT count(*) FROM decision WHERE request_id = %s", request_id) == [(1,)]
    assert shared.sql("SELECT count(*) FROM quarantine WHERE request_id = %s", request_id) == [(0,)]
    assert shared.metrics("evaluator")["countersign_requests_repeated_total"] == before + 3


def test_a_tenant_without_a_policy_is_denied(shared):
    request_id = shared.ask(tenant="stranger", action="logs.read")
    event = shared.word("stranger/" + request_id, "DENIED")
    assert event.body["reason"]["code"] == "no_policy"


def test_a_deadline_that_has_passed_closes(shared):
    request_id = shared.ask(action="logs.read", deadline="2026-01-01T00:00:00Z")
    assert shared.word(request_id, "DENIED").body["reason"]["code"] == "evaluation_timeout"


def test_a_deadline_that_passes_while_a_policy_is_being_activated_closes(shared):
    with psycopg.connect(shared.owner_uri) as other:
        other.execute("SELECT pg_advisory_xact_lock(4850181421)")
        deadline = now() + timedelta(seconds=2)
        request_id = shared.ask(action="logs.read", deadline=deadline.strftime("%Y-%m-%dT%H:%M:%S.%fZ"))
        waits_for_a_lock(shared, "evaluator")
        assert now() < deadline
        time.sleep((deadline - now()).total_seconds() + 0.1)
    assert shared.word(request_id, "DENIED").body["reason"]["code"] == "evaluation_timeout"


def test_without_any_policy_everything_is_denied(build):
    house = build(services=("evaluator", "relay"))
    request_id = house.ask(action="logs.read")
    assert house.word(request_id, "DENIED").body["reason"]["code"] == "no_policy"


INPUTS = {"environment": {"type": "string", "enum": ["staging", "production"]}, "amount": {"type": "int", "min": 0, "max": 100},
          "started": {"type": "timestamp"}, "force": {"type": "bool", "default": False}, "who": {"type": "string", "required": True},
          "plan": {"type": "map", "fields": {"delete": "int"}}}


def test_a_context_that_the_inputs_do_not_take_is_denied_by_name_and_nothing_of_it_is_kept(build):
    house = build(policy=policy(inputs=INPUTS, classes=[{"id": "all", "actions": ["**"], "default": "ALLOW", "requires": ["force"]}], rules=[]),
                  services=("evaluator", "relay"))
    good = {"who": "x", "environment": "staging", "amount": 100.0, "started": "2026-01-01T00:00:00+01:00", "plan": {"delete": 0}}
    for change, code, field in [({"colour": "red-hot-secret"}, "undeclared_field", "context.colour"), ({"amount": 1.5}, "wrong_type", "context.amount"),
                                ({"amount": 101}, "out_of_range", "context.amount"), ({"environment": "dev"}, "not_in_enum", "context.environment"),
                                ({"started": "today"}, "bad_timestamp", "context.started"), ({"plan": {"drop": 1}}, "undeclared_field", "context.plan.drop"),
                                ({"who": None}, "wrong_type", "context.who")]:
        request_id = house.ask(action="a.b", context=good | change)
        word = house.word(request_id, "DENIED")
        assert word.body["decision"] == "BLOCK" and word.body["reason"]["code"] == "invalid_request"
        assert word.body["reason"]["text"].startswith(f"{field}: {code}: ") and "red-hot-secret" not in str(word.body)
        assert house.sql("SELECT valid, context, agent_id FROM request WHERE request_id = %s", request_id) == [(False, None, None)]
        assert house.sql("SELECT reason_code, policy_id, policy_version FROM decision WHERE request_id = %s", request_id) == [("invalid_request", "walk", 1)]
        assert house.sql("SELECT code FROM quarantine WHERE request_id = %s", request_id) == [(code,)]
    house.publish("requests", house.last_request, key=request_id)  # the same again is answered with silence
    request_id = house.ask(action="a.b", context=good)
    assert house.word(request_id, "GRANTED").body["reason"]["code"] == "class_default"
    assert house.sql("SELECT count(*) FROM quarantine") == [(7,)]


def test_a_policy_whose_inputs_no_longer_take_the_context_grants_nothing_at_the_last_vote(build):
    house = build(policy=policy(), services=("evaluator", "resolver", "relay"))
    house.person("kim", "release-managers")
    request_id = house.ask(context={"colour": "red"})
    house.word(request_id, "PENDING")
    house.activate(policy(2, inputs=INPUTS | {"amount_minor": "int", "currency": "string"}))
    house.answer(request_id, "kim")
    assert house.word(request_id, "DENIED").body["reason"]["code"] == "invalid_request"
