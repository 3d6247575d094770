# SPDX-License-Identifier: Apache-2.0
"""Agents sign: who asks is known where the class demands it, and a signature that is there and wrong never passes for none."""
import json
import secrets
from datetime import timedelta

import pytest

from house import Key, now, rfc3339
from test_answering import refused


@pytest.fixture(scope="module")
def town(shared):
    shared.agent("treasurer", "payments-*", "eu:**")
    return shared


def denied_as(house, request_id, code, refusal):
    word = house.word(request_id, "DENIED")
    assert word.body["reason"]["code"] == code and refusal in word.body["reason"].get("text", "")
    assert house.words(request_id) == ["DENIED"]


def quarantined(house, request_id, code):
    house.observer.wait(lambda e: e.topic == "quarantine" and e.body["reason"]["code"] == code and e.body.get("request_id") == request_id,
                        20, f"quarantine {code}")
    assert house.one("SELECT count(*) FROM request WHERE request_id = %s AND (valid OR verified_kid IS NOT NULL)", request_id) == 0


@pytest.mark.parametrize("agent", ["treasurer", "payments-7", "eu:bank/2"])
def test_a_signed_request_of_the_agent_or_of_one_that_its_pattern_covers_is_taken(town, agent):
    request_id = town.ask_signed(agent, key=town.keys["treasurer"])
    assert town.word(request_id, "GRANTED").body["decision"] == "ALLOW"
    assert town.one("SELECT agent_id, verified_owner, verified_kid, issued_at IS NOT NULL FROM request WHERE request_id = %s", request_id) \
        == (agent, "treasurer", town.keys["treasurer"].kid, True)


def test_an_unsigned_request_is_not_taken_where_identity_is_verified(town):
    request_id = town.ask(action="sealed.act", agent_id="treasurer")
    denied_as(town, request_id, "identity_not_verified", "sealed")
    assert town.expect("authorizations", request_id, status="DENIED").body["next_action"] == "request"
    assert town.one("SELECT verdict, class_id FROM decision WHERE request_id = %s", request_id) == ("BLOCK", "sealed")


def test_elsewhere_a_signed_request_is_decided_as_any_other_and_who_signed_is_kept(town):
    request_id = town.ask_signed("treasurer", action="logs.read")
    town.word(request_id, "GRANTED")
    assert town.one("SELECT verified_owner FROM request WHERE request_id = %s", request_id) == "treasurer"


def revoked(house):
    key = house.agent("gone-" + secrets.token_hex(3), "payments-*")
    house.cli("keys", "revoke", key.kid)
    return key


def of_a_person(house):
    key = Key()
    house.cli("keys", "add", "-", "--owner", "payments-1", stdin=key.jwk())
    return key


def of_another_tenant(house):
    return house.agent("far-" + secrets.token_hex(3), "payments-*", tenant="acme")


@pytest.mark.parametrize("key, code", [
    (lambda house: Key(), "unknown_key"), (revoked, "revoked_key"), (of_another_tenant, "unknown_key"),
    (of_a_person, "agent_not_key_owner"), (lambda house: house.agent("other-" + secrets.token_hex(3)), "agent_not_key_owner")],
    ids=["unknown", "revoked", "another tenant", "a person", "another agent"])
def test_a_signature_by_a_key_that_may_not_speak_as_the_agent_is_refused(town, key, code):
    request_id = town.ask_signed("payments-1", key=key(town), action="logs.read")
    denied_as(town, request_id, "invalid_request", code)
    quarantined(town, request_id, code)


@pytest.mark.parametrize("members, code", [
    ({"signature": "a..b"}, "signature_malformed"), ({"signature": ""}, "signature_malformed"), ({"signature": None}, "signature_malformed"),
    ({"typ": "countersign-response"}, "signature_type"), ({"tenant": None}, "missing_field"), ({"issued_at": None}, "missing_field"),
    ({"issued_at": rfc3339(now() - timedelta(minutes=10))}, "stale"), ({"issued_at": rfc3339(now() + timedelta(minutes=30))}, "stale")],
    ids=["malformed", "empty", "without value", "of a response", "no tenant", "no issued_at", "old", "from the future"])
def test_what_is_wrong_with_a_signature_is_never_taken_as_unsigned(town, members, code):
    request_id = town.ask_signed("treasurer", action="logs.read", **members)
    denied_as(town, request_id, "invalid_request", code)
    quarantined(town, request_id, code)


def test_a_request_that_was_changed_on_its_way_is_refused(town):
    raw = json.dumps({"request_id": "x", "tenant": "default"}).encode()
    request_id = town.ask_signed("treasurer", action="logs.read", signature=town.keys["treasurer"].detached(raw, typ="countersign-request"))
    denied_as(town, request_id, "invalid_request", "signature_invalid")
    quarantined(town, request_id, "signature_invalid")


def test_an_id_outside_of_the_signed_bytes_is_not_enough(town):
    key = "k-" + secrets.token_hex(6)
    raw = json.dumps({"tenant": "default", "agent_id": "treasurer", "action": "logs.read", "target": "t", "issued_at": rfc3339(now())}).encode()
    town.publish("requests", raw, key=key, headers=[("signature", town.keys["treasurer"].detached(raw, typ="countersign-request"))])
    denied_as(town, key, "invalid_request", "missing_field")


def test_a_signed_request_counts_once_and_asking_again_is_no_other_request(town):
    request_id = town.ask_signed("treasurer")
    town.word(request_id, "GRANTED")
    request = town.last_request
    for again in (request, {**request, "issued_at": rfc3339(now())}):
        raw = json.dumps(again).encode()
        town.publish("requests", raw, key=request_id, headers=[("signature", town.keys["treasurer"].detached(raw, typ="countersign-request"))])
    marker = town.ask_signed("treasurer", request_id="after-" + request_id)
    town.word(marker, "GRANTED")
    town.publish("requests", {**request, "target": "another"}, key=request_id)
    town.observer.wait(lambda e: e.topic == "quarantine" and e.body.get("request_id") == request_id, 20, "conflict")
    assert town.words(request_id) == ["GRANTED"]
    assert town.sql("SELECT code FROM quarantine WHERE request_id = %s", request_id) == [("id_conflict",)]


def test_approvers_see_who_signed_and_the_last_vote_decides_again_with_it(town):
    request_id = town.ask_signed("payments-9", key=town.keys["treasurer"], action="sealed.ask")
    opened = town.expect("approvals", request_id, state="OPEN").body["request"]
    assert opened["agent_id"] == "payments-9" and opened["signed_by"] == {"kid": town.keys["treasurer"].kid, "owner": "treasurer"}
    shown = town.cli("show", request_id).stdout
    assert "It was signed by treasurer." in shown
    town.answer(request_id, "alice")
    town.word(request_id, "GRANTED")
    assert town.expect("approvals", request_id, state="CLOSED").body["request"]["signed_by"]["owner"] == "treasurer"


def test_approvers_are_not_told_of_a_signer_where_nobody_signed(town):
    request_id = town.ask()
    assert "signed_by" not in town.expect("approvals", request_id, state="OPEN").body["request"]


def test_who_owns_the_key_that_asked_can_not_approve(town):
    town.person("zelda", "release-managers")
    key = Key()
    town.cli("keys", "add", "-", "--owner", "zelda", "--agent", "--agents", "robot-*", stdin=key.jwk())
    request_id = town.ask_signed("robot-1", key=key, action="sealed.ask")
    town.word(request_id, "PENDING")
    refused(town, request_id, town.answer(request_id, "zelda"), "responder_is_requester")


def test_a_key_that_asks_answers_for_nobody(town):
    request_id = town.ask()
    town.word(request_id, "PENDING")
    key = Key()
    town.cli("keys", "add", "-", "--owner", "alice", "--agent", stdin=key.jwk())
    refused(town, request_id, town.answer(request_id, "alice", key=key), "responder_not_key_owner")


def test_a_bot_speaks_for_the_members_of_its_groups_as_they_are_when_it_speaks(town):
    group, bot = "crew-" + secrets.token_hex(3), Key()
    town.cli("groups", "add", group, "alice")
    town.cli("keys", "add", "-", "--owner", "chat", "--bot", "--groups", group, stdin=bot.jwk())
    first, second = town.ask(), town.ask()
    for request_id in (first, second):
        town.word(request_id, "PENDING")
    refused(town, first, town.answer(first, "bob", key=bot), "responder_not_key_owner")
    town.answer(first, "alice", key=bot)
    town.word(first, "GRANTED")
    town.cli("groups", "remove", group, "alice")
    refused(town, second, town.answer(second, "alice", key=bot), "responder_not_key_owner")


def test_a_revocation_counts_from_its_moment_and_only_becomes_earlier(town):
    key = town.agent("leaving-" + secrets.token_hex(3), "leaving-*")
    town.cli("keys", "revoke", key.kid, "--at", rfc3339(now() + timedelta(hours=1)))
    town.word(town.ask_signed("leaving-1", key=key), "GRANTED")
    later = town.cli("keys", "revoke", key.kid, "--at", rfc3339(now() + timedelta(hours=2)), check=False)
    assert later.returncode == 1 and "revoked already" in later.stderr
    town.cli("keys", "revoke", key.kid, "--at", rfc3339(now() - timedelta(minutes=1)))
    denied_as(town, town.ask_signed("leaving-1", key=key), "invalid_request", "revoked_key")
    assert town.cli("keys", "revoke", key.kid, check=False).returncode == 1


@pytest.mark.parametrize("since, status", [(timedelta(minutes=-1), "DENIED"), (None, "GRANTED")], ids=["from before it asked", "from now"])
def test_a_key_revoked_from_before_it_asked_has_shown_nobody_when_it_is_decided_again(town, since, status):
    key = town.agent("stolen-" + secrets.token_hex(3), "stolen-*")
    request_id = town.ask_signed("stolen-1", key=key, action="sealed.ask")
    town.word(request_id, "PENDING")
    town.cli("keys", "revoke", key.kid, *(["--at", rfc3339(now() + since)] if since else []))
    town.answer(request_id, "alice")
    word = town.word(request_id, status)
    assert word.body["reason"]["code"] == ("approved" if status == "GRANTED" else "identity_not_verified")


def test_the_command_line_signs_what_it_submits(town):
    path = town.folder / "treasurer.pem"
    path.write_bytes(town.keys["treasurer"].pem())
    path.chmod(0o600)
    request_id = "cli-" + secrets.token_hex(4)
    done = town.cli("submit", "--id", request_id, "--agent", "payments-2", "--action", "sealed.act", "--target", "vault", "--key", str(path),
                    "--wait", "--timeout", "60s")
    assert "GRANTED" in done.stdout
    assert town.one("SELECT verified_owner FROM request WHERE request_id = %s", request_id) == "treasurer"
