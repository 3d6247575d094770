# SPDX-License-Identifier: Apache-2.0
"""Executors sign: who reported is kept where a key that may speak as the agent has signed, and a signature that is there and wrong never passes for none."""
import json
import secrets
from datetime import timedelta

import pytest

from house import Key, now, rfc3339
from test_outcomes import granted


@pytest.fixture(scope="module")
def town(shared):
    shared.agent("runner", "coding-agent-*", "eu:**")
    return shared


def refused(house, request_id, outcome_id, code, field="signature"):
    house.observer.wait(lambda e: e.topic == "quarantine" and e.body["reason"]["code"] == code and e.body["reason"].get("field") == field
                        and e.body.get("request_id") == request_id, 20, f"quarantine {code}")
    assert house.one("SELECT count(*) FROM outcome WHERE outcome_id = %s", outcome_id) == 0


def signer(house, outcome_id):
    house.eventually("SELECT count(*) FROM outcome WHERE outcome_id = %s", outcome_id, expected=[(1,)])
    return house.one("SELECT verified_owner, verified_kid FROM outcome WHERE outcome_id = %s", outcome_id)


@pytest.mark.parametrize("agent", ["runner", "coding-agent-production", "eu:bank/2"])
def test_a_signed_outcome_of_the_agent_or_of_one_that_its_pattern_covers_is_taken(town, agent):
    request_id = town.ask(action="deployment.staging", agent_id=agent)
    town.word(request_id, "GRANTED")
    outcome_id = town.report(request_id, "succeeded", key=town.keys["runner"])
    assert signer(town, outcome_id) == ("runner", town.keys["runner"].kid)
    shown = town.cli("show", request_id).stdout
    assert "deployer reported that it succeeded. It was signed by runner." in shown
    told = json.loads(town.cli("show", request_id, "-o", "json").stdout)["outcomes"][0]
    assert (told["signed_by"], told["signed_with"], told["reported_by"]) == ("runner", town.keys["runner"].kid, "deployer")


def test_an_unsigned_outcome_is_a_claim_as_before(town):
    request_id = granted(town)
    assert signer(town, town.report(request_id, "succeeded")) == (None, None)
    assert "signed by" not in town.cli("show", request_id).stdout.partition("deployer reported")[2].partition("\n")[0]
    assert signer(town, town.report(granted(town), "succeeded", issued_at=rfc3339(now() - timedelta(days=1)))) == (None, None)


def revoked(house):
    key = house.agent("gone-" + secrets.token_hex(3), "coding-agent-*")
    house.cli("keys", "revoke", key.kid)
    return key


def of_a_person(house):
    key = Key()
    house.cli("keys", "add", "-", "--owner", "coding-agent-production", stdin=key.jwk())
    return key


@pytest.mark.parametrize("key, code", [
    (lambda house: Key(), "unknown_key"), (revoked, "revoked_key"), (of_a_person, "agent_not_key_owner"),
    (lambda house: house.agent("far-" + secrets.token_hex(3), "coding-agent-*", tenant="acme"), "unknown_key"),
    (lambda house: house.agent("other-" + secrets.token_hex(3)), "agent_not_key_owner")],
    ids=["unknown", "revoked", "a person", "another tenant", "another agent"])
def test_an_outcome_by_a_key_that_may_not_speak_as_the_agent_is_refused(town, key, code):
    request_id = granted(town)
    refused(town, request_id, town.report(request_id, "failed", key=key(town)), code)


@pytest.mark.parametrize("members, code, field", [
    ({"signature": "a..b"}, "signature_malformed", "signature"), ({"signature": ""}, "signature_malformed", "signature"),
    ({"signature": None}, "signature_malformed", "signature"), ({"typ": "countersign-request"}, "signature_type", "signature"),
    ({"tenant": None}, "missing_field", "tenant"), ({"issued_at": None}, "missing_field", "issued_at"),
    ({"issued_at": rfc3339(now() - timedelta(minutes=10))}, "stale", "issued_at"), ({"issued_at": rfc3339(now() + timedelta(minutes=30))}, "stale", "issued_at")],
    ids=["malformed", "empty", "without value", "of a request", "no tenant", "no issued_at", "old", "from the future"])
def test_what_is_wrong_with_a_signature_is_never_taken_as_unsigned(town, members, code, field):
    request_id = granted(town)
    refused(town, request_id, town.report(request_id, "failed", key=town.keys["runner"], **members), code, field)


def test_an_outcome_that_was_changed_on_its_way_is_refused(town):
    request_id = granted(town)
    signature = town.keys["runner"].detached(b"{}", typ="countersign-outcome")
    refused(town, request_id, town.report(request_id, "failed", key=town.keys["runner"], signature=signature), "signature_invalid")


def test_a_signed_outcome_counts_once_and_signing_again_is_no_other_report(town):
    request_id = granted(town)
    outcome_id = town.report(request_id, "failed", key=town.keys["runner"], occurred_at="2026-12-01T00:00:00Z")
    repeated = town.metrics("recorder").get("countersign_outcomes_repeated_total", 0)
    for key in (town.keys["runner"], None):
        town.report(request_id, "failed", key=key, outcome_id=outcome_id, occurred_at="2026-12-01T00:00:00Z",
                    issued_at=rfc3339(now() - timedelta(minutes=20)))
    marker = town.report(request_id, "rolled_back")
    signer(town, marker)
    assert town.metrics("recorder")["countersign_outcomes_repeated_total"] == repeated + 2
    assert signer(town, outcome_id)[0] == "runner"
    town.report(request_id, "succeeded", key=town.keys["runner"], outcome_id=outcome_id)
    town.observer.wait(lambda e: e.topic == "quarantine" and e.body.get("request_id") == request_id, 20, "conflict")
    assert town.sql("SELECT code FROM quarantine WHERE request_id = %s", request_id) == [("id_conflict",)]


@pytest.mark.parametrize("key, code", [("runner", None), ("stranger", "agent_not_key_owner")])
def test_a_signed_outcome_that_comes_before_its_request_waits_for_it(town, key, code):
    town.agent("stranger")
    request_id = "early-" + secrets.token_hex(4)
    request = {"agent_id": "coding-agent-7", "action": "deployment.staging", "target": "t", "request_id": request_id}
    outcome_id = town.report(request_id, "started", digest="sha-256:" + "0" * 64, key=town.keys[key])
    town.eventually("SELECT count(*) FROM shelf WHERE request_id = %s", request_id, expected=[(1,)])
    town.publish("requests", request, key=request_id)
    if code:
        refused(town, request_id, outcome_id, code)
    else:
        assert signer(town, outcome_id)[0] == "runner"
