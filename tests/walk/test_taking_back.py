# SPDX-License-Identifier: Apache-2.0
"""What was asked is taken back by the agent that asked, what was granted by who granted it or by an operator; and by nobody else."""
import json
import secrets
import signal
import time

import pytest

from ending import finish
from house import House, Key, policy

WITHIN = [{"id": "asked", "match": {"agents": ["counting-*"]}, "key": ["agent_id"], "count": {"max": 1, "per": "1h"}, "exceeded": "BLOCK", "count_on": "decision"},
          {"id": "granted", "match": {"agents": ["granting-*"]}, "key": ["agent_id"], "count": {"max": 1, "per": "1h"}, "exceeded": "BLOCK"},
          {"id": "run", "match": {"agents": ["running-*"]}, "key": ["agent_id"], "count": {"max": 1, "per": "1h"}, "exceeded": "BLOCK",
           "count_on": "execution", "report_within": "1s"}]


def document(version=1):
    found = policy(version, limits=WITHIN)
    found["approvals"]["brief"].update(ttl="1h", grant={"uses": 1, "valid_for": "2s"})
    return found


@pytest.fixture(scope="module")
def town(request, tmp_path_factory):
    targets = tmp_path_factory.mktemp("taking-back") / "targets.json"
    targets.write_text(json.dumps({"targets": [{"name": "journal", "channel": "log"}]}))
    house = House(policy=document(), settings={"notifier": {"notifier.targets_file": str(targets)}})
    for person, group in (("alice", "release-managers"), ("bob", "release-managers"), ("otto", "operators"), ("pia", "pair"), ("paul", "pair")):
        house.person(person, group)
    house.agent("deployer", "deployer-*", "counting-*")
    house.agent("other", "other-*")
    yield house
    finish(house, request)


def ask(town, agent="deployer", **members):
    request_id = town.ask(agent_id=agent, **members)
    town.word(request_id, "PENDING")
    return request_id


def took(town, response_id, result="counted"):
    town.eventually("SELECT result FROM response WHERE response_id = %s", response_id, expected=[(result,)])


def answer(town, request_id, person, verdict="approve", expect="counted", **members):
    response_id = town.answer(request_id, person, verdict, **members)
    took(town, response_id, expect)
    return response_id


def withdraw(town, request_id, agent="deployer", key="deployer", expect="counted", **members):
    return answer(town, request_id, agent, "withdraw", expect, key=town.keys[key], **members)


def granted(town, **members):
    request_id = ask(town, **members)
    answer(town, request_id, "alice")
    town.word(request_id, "GRANTED")
    return request_id


def state(town, request_id):
    return town.one("SELECT state FROM approval WHERE request_id = %s", request_id)


def quarantined(town, request_id, code):
    town.eventually("SELECT code FROM quarantine WHERE request_id = %s", request_id, expected=[(code,)])


def cards(town, request_id, *kinds):
    """The texts that were sent, by what they tell."""
    town.eventually("SELECT kind FROM delivery WHERE request_id = %s AND state = 'sent' ORDER BY kind", request_id, expected=[(k,) for k in sorted(kinds)])
    return {kind: json.loads(bytes(body))["data"]["text"] for kind, body in town.sql("SELECT kind, body FROM delivery WHERE request_id = %s", request_id)}


# ---------------------------------------------------------------- withdraw

def test_an_agent_takes_back_what_it_asks(town):
    request_id = ask(town)
    withdraw(town, request_id, reason="built it again")
    word = town.word(request_id, "CANCELLED")
    assert word.body["reason"] == {"code": "withdrawn", "text": "Withdrawn by deployer."} and word.body["next_action"] == "none"
    assert [(r["responder"], r["verdict"], r["reason"]) for r in word.body["responses"]] == [("deployer", "withdraw", "built it again")]
    closed = town.expect("approvals", request_id, state="CLOSED")
    assert (closed.body["cause"], closed.body["result"]) == ("withdrawn", "CANCELLED")
    assert closed.sequence < word.sequence and town.words(request_id) == ["PENDING", "CANCELLED"]
    told = cards(town, request_id, "approval.opened", "approval.closed")
    assert told["approval.closed"].startswith("Closed, CANCELLED: ") and 'Withdrawn by "deployer": "built it again"\n' in told["approval.closed"]
    assert town.cli("show", request_id).stdout.rstrip().endswith("Now: taken back.")


def test_what_was_withdrawn_is_over_and_may_be_asked_again(town):
    request_id = ask(town)
    asked = town.last_request
    withdraw(town, request_id)
    town.word(request_id, "CANCELLED")
    answer(town, request_id, "alice", expect="already_decided")
    withdraw(town, request_id, expect="already_decided")
    answer(town, request_id, "alice", "revoke", expect="already_decided")
    assert town.sql("SELECT count(*) FROM open_approval WHERE request_digest = (SELECT request_digest FROM request WHERE request_id = %s)", request_id) == [(0,)]
    again = town.ask(**{**asked, "request_id": None})
    town.word(again, "PENDING")
    answer(town, again, "alice")
    town.word(again, "GRANTED")


def test_who_withdrew_stays_named(town):
    request_id = town.ask_signed("deployer", action="sealed.ask")
    town.word(request_id, "PENDING")
    withdraw(town, request_id)
    answer(town, request_id, "alice", expect="already_decided")
    refused = town.expect("approvals", request_id, cause="response_refused").body
    assert [(r["responder"], r["verdict"]) for r in refused["responses"]] == [("deployer", "withdraw")] and refused["result"] == "CANCELLED"


def test_nobody_takes_back_what_another_asks(town):
    request_id = ask(town, agent="deployer-7")
    withdraw(town, request_id, agent="other", key="other", expect="not_requester")
    withdraw(town, request_id, agent="deployer-7", key="other", expect="not_requester")
    withdraw(town, request_id, agent="deployer-7", key="alice", expect="not_requester")
    withdraw(town, request_id, agent="alice", key="alice", expect="not_requester")
    withdraw(town, request_id, agent="deployer", key="deployer", expect="not_requester")  # its key may speak for the agent, and it says that it is another
    withdraw(town, request_id, agent="deployer-7", digest="sha-256:" + "0" * 64, expect="digest_mismatch")
    answer(town, request_id, "deployer-7", "deny", key=town.keys["deployer"], expect="responder_not_key_owner")  # it asks, and answers nothing
    refused = town.expect("approvals", request_id, cause="response_refused")
    assert refused.body["refused"]["code"] == "not_requester"
    assert state(town, request_id) == "PENDING" and town.words(request_id) == ["PENDING"]
    withdraw(town, request_id, agent="deployer-7")
    town.word(request_id, "CANCELLED")


def test_without_a_registered_key_nothing_is_taken_back(town):
    request_id = ask(town)
    town.answer(request_id, "deployer", "withdraw", signature=None)
    quarantined(town, request_id, "signature_missing")
    request_id = ask(town)
    town.answer(request_id, "deployer", "withdraw", key=Key())
    quarantined(town, request_id, "unknown_key")
    stranger = Key()
    town.cli("keys", "add", "-", "--owner", "deployer", "--agent", "--tenant", "acme", stdin=stranger.jwk())
    request_id = ask(town)
    town.answer(request_id, "deployer", "withdraw", key=stranger)  # of another tenant
    quarantined(town, request_id, "unknown_key")
    old = town.agent("leaving-" + secrets.token_hex(3))
    agent = town.one("SELECT owner FROM signing_key WHERE kid = %s", old.kid)
    request_id = ask(town, agent=agent)
    town.cli("keys", "revoke", old.kid)
    town.answer(request_id, agent, "withdraw", key=old)
    quarantined(town, request_id, "revoked_key")
    assert state(town, request_id) == "PENDING"


def test_what_is_granted_or_over_is_not_withdrawn(town):
    request_id = granted(town)
    withdraw(town, request_id, expect="already_decided")
    assert town.words(request_id) == ["PENDING", "GRANTED"]
    allowed = town.ask(agent_id="deployer", action="deployment.staging")
    town.word(allowed, "GRANTED")
    withdraw(town, allowed, expect="no_approval")


def test_a_withdrawal_survives_its_resolver(town):
    request_id = ask(town)
    town.kill("resolver")
    response_id = town.answer(request_id, "deployer", "withdraw")
    town.start("resolver")
    town.word(request_id, "CANCELLED")
    town.stop("resolver", signal.SIGTERM)
    town.start("resolver")
    took(town, response_id)
    withdraw(town, request_id, expect="already_decided")
    assert town.words(request_id) == ["PENDING", "CANCELLED"]


def test_a_withdrawal_that_comes_before_its_request_waits_for_it(town):
    from house import digest_of, usual
    request = {**usual("early-" + secrets.token_hex(4)), "agent_id": "deployer"}
    response_id = town.answer(request["request_id"], "deployer", "withdraw", digest=digest_of(request))
    town.eventually("SELECT count(*) FROM shelf WHERE request_id = %s", request["request_id"], expected=[(1,)])
    town.publish("requests", request, key=request["request_id"])
    town.word(request["request_id"], "CANCELLED")
    took(town, response_id)


# ---------------------------------------------------------------- revoke

def test_who_granted_takes_it_back(town):
    request_id = granted(town)
    word = town.word(request_id, "GRANTED")
    answer(town, request_id, "alice", "revoke", reason="wrong branch")
    revoked = town.word(request_id, "REVOKED")
    claims = town.check_token(revoked)
    assert revoked.body["revokes"] == claims["revokes"] == word.event_id and revoked.sequence > word.sequence
    assert revoked.body["reason"] == {"code": "revoked", "text": "Revoked by alice."}
    assert ("alice", "revoke", "wrong branch") in [(r["responder"], r["verdict"], r.get("reason")) for r in revoked.body["responses"]]
    assert "exp" not in claims and "expires_at" not in revoked.body
    closed = town.expect("approvals", request_id, cause="revoked")
    assert (closed.body["state"], closed.body["result"]) == ("CLOSED", "REVOKED")
    assert town.sql("SELECT state, revoked_at > closed_at FROM approval WHERE request_id = %s", request_id) == [("REVOKED", True)]
    told = cards(town, request_id, "approval.opened", "approval.closed", "approval.revoked")
    assert told["approval.closed"].startswith("Closed, GRANTED: ")
    assert told["approval.revoked"].startswith("Revoked, it may not be executed any more: ")
    assert 'Revoked by "alice": "wrong branch"\n' in told["approval.revoked"]


PROGRAM = """#!/bin/sh
card=$(cat)
case $card in *'"type":"approval.closed"'*) [ -e "$1.refused" ] || { touch "$1.refused"; exit 1; } ;; esac
printf '%s\\n' "$card" >>"$1"
"""


def test_a_revocation_is_not_told_before_the_grant(build, tmp_path):
    (tmp_path / "program").write_text(PROGRAM)
    (tmp_path / "program").chmod(0o755)
    (tmp_path / "targets.json").write_text(json.dumps({"targets": [{"name": "slow", "channel": "command", "argv": [str(tmp_path / "program"), str(tmp_path / "told")]}]}))
    house = build(policy=document(), settings={"notifier": {"notifier.targets_file": str(tmp_path / "targets.json"), "delivery.backoff": "2s"}})
    house.person("alice", "release-managers")
    request_id = granted(house)
    answer(house, request_id, "alice", "revoke")
    cards(house, request_id, "approval.opened", "approval.closed", "approval.revoked")
    assert [json.loads(line)["type"] for line in (tmp_path / "told").read_text().splitlines()] == ["approval.opened", "approval.closed", "approval.revoked"]


def test_who_comes_late_is_told_of_both(town):
    request_id = ask(town)
    cards(town, request_id, "approval.opened")
    town.stop("notifier")
    for verdict in ("approve", "revoke"):
        answer(town, request_id, "alice", verdict)
    town.expect("approvals", request_id, cause="revoked")
    town.start("notifier")
    told = cards(town, request_id, "approval.opened", "approval.closed", "approval.revoked")
    assert told["approval.closed"].startswith("Closed, REVOKED: ")  # it is known by then


def test_a_grant_that_was_revoked_need_not_be_reported(build):
    house = build(policy=document(), services=("evaluator", "resolver", "recorder", "relay"), settings={"recorder": {"recorder.report_within": "1s"}})
    house.person("alice", "release-managers")
    revoked, silent = (granted(house, action="deployment.brief") for _ in range(2))
    answer(house, revoked, "alice", "revoke")
    house.eventually("SELECT request_id, kind FROM incident", expected=[(silent, "authorized_never_reported")])
    house.eventually("SELECT expires_at + interval '2 seconds' < clock_timestamp() FROM authorization_status WHERE request_id = %s AND status = 'GRANTED'",
                     revoked, expected=[(True,)])
    assert house.sql("SELECT count(*) FROM incident") == [(1,)]


def test_who_asks_later_sees_that_it_was_revoked(town):
    request_id = granted(town)
    jwks = str(town.folder / "countersign.jwks")
    assert town.cli("wait", request_id, "--jwks", jwks, "--timeout", "30s").returncode == 0
    answer(town, request_id, "otto", "revoke")
    town.word(request_id, "REVOKED")
    waited = town.cli("wait", request_id, "--jwks", jwks, "--timeout", "30s", check=False)
    assert waited.returncode == 5 and "REVOKED" in waited.stdout
    assert request_id in town.cli("list", "--state", "revoked").stdout and request_id not in town.cli("list", "--state", "granted").stdout
    assert "granted, and the grant was taken back" in town.cli("show", request_id).stdout


def test_what_is_started_after_the_revocation_is_an_incident_and_what_began_before_may_end(town):
    request_id, before = granted(town), granted(town)
    town.report(before, "started")
    town.eventually("SELECT judgement FROM outcome WHERE request_id = %s", before, expected=[("authorized",)])
    for revoked in (request_id, before):
        answer(town, revoked, "alice", "revoke")
        town.word(revoked, "REVOKED")
    town.report(before, "succeeded")
    town.report(request_id, "started")
    incident = town.expect("incidents", request_id)
    assert (incident.body["kind"], incident.body["severity"]) == ("executed_after_revocation", "critical")
    town.eventually("SELECT judgement FROM outcome WHERE request_id = %s ORDER BY received_at", before, expected=[("authorized",), ("authorized",)])
    assert "the grant was taken back, and an outcome was reported" in town.cli("show", request_id).stdout


def test_nobody_else_takes_it_back(town):
    request_id = granted(town)
    answer(town, request_id, "bob", "revoke", expect="not_an_approver")  # he might have approved, and did not
    answer(town, request_id, "pia", "revoke", expect="not_an_approver")
    answer(town, request_id, "alice", "revoke", digest="sha-256:" + "0" * 64, expect="digest_mismatch")
    answer(town, request_id, "deployer", "revoke", expect="responder_not_key_owner")
    assert state(town, request_id) == "APPROVED" and town.words(request_id) == ["PENDING", "GRANTED"]
    answer(town, request_id, "otto", "revoke")
    answer(town, request_id, "otto", "revoke", expect="already_decided")
    answer(town, request_id, "alice", "revoke", expect="already_decided")
    town.word(request_id, "REVOKED")
    assert town.words(request_id) == ["PENDING", "GRANTED", "REVOKED"]


def test_who_left_the_group_takes_nothing_back(town):
    town.person("lea", "release-managers")
    request_id = ask(town)
    answer(town, request_id, "lea")
    town.word(request_id, "GRANTED")
    town.cli("groups", "remove", "release-managers", "lea")
    answer(town, request_id, "lea", "revoke", expect="not_an_approver")
    assert state(town, request_id) == "APPROVED"


def test_only_what_was_granted_and_has_not_ended_is_taken_back(town):
    request_id = ask(town, action="credential.rotate")
    answer(town, request_id, "pia")
    answer(town, request_id, "pia", "revoke", expect="not_granted")
    answer(town, request_id, "otto", "revoke", expect="not_granted")
    answer(town, request_id, "paul", "deny")
    answer(town, request_id, "otto", "revoke", expect="already_decided")
    short = granted(town, action="deployment.brief")
    town.eventually("SELECT expires_at < clock_timestamp() FROM authorization_status WHERE request_id = %s AND status = 'GRANTED'", short, expected=[(True,)])
    answer(town, short, "alice", "revoke", expect="authorization_expired")
    assert town.words(short) == ["PENDING", "GRANTED"]


def test_a_revocation_survives_its_resolver(town):
    request_id = granted(town)
    town.kill("resolver")
    town.answer(request_id, "otto", "revoke")
    town.start("resolver")
    town.word(request_id, "REVOKED")
    town.stop("resolver")
    town.start("resolver")
    answer(town, request_id, "otto", "revoke", expect="already_decided")
    assert town.words(request_id) == ["PENDING", "GRANTED", "REVOKED"]


# ---------------------------------------------------------------- in one batch

@pytest.mark.parametrize("verdicts, results, words", [
    (("approve", "revoke"), ("counted", "counted"), ["PENDING", "GRANTED", "REVOKED"]),
    (("revoke", "approve"), ("not_granted", "counted"), ["PENDING", "GRANTED"]),
    (("approve", "withdraw"), ("counted", "already_decided"), ["PENDING", "GRANTED"]),
    (("withdraw", "approve"), ("counted", "already_decided"), ["PENDING", "CANCELLED"]),
    (("approve", "revoke", "revoke"), ("counted", "counted", "already_decided"), ["PENDING", "GRANTED", "REVOKED"])])
def test_what_comes_together_keeps_its_order(town, verdicts, results, words):
    request_id = ask(town)
    town.stop("resolver")
    responses = [town.answer(request_id, "deployer" if verdict == "withdraw" else "alice", verdict) for verdict in verdicts]
    town.start("resolver")
    for response_id, result in zip(responses, results):
        took(town, response_id, result)
    town.word(request_id, words[-1])
    assert town.words(request_id) == words
    assert len(town.sql("SELECT DISTINCT received_at FROM response WHERE request_id = %s AND result = 'counted'", request_id)) == 1


# ---------------------------------------------------------------- limits

def held(town, agent):
    return town.sql("SELECT limit_id, limit_use.held_until IS NOT NULL, limit_use.held_until > clock_timestamp() FROM limit_use JOIN limit_counter USING (counter) WHERE limit_counter.key LIKE %s",
                    f'%"{agent}"%')


def test_what_a_withdrawn_question_held_is_given_back(town):
    first = ask(town, agent="counting-1")
    assert held(town, "counting-1") == [("asked", True, True)]
    second = town.ask(agent_id="counting-1")
    town.word(second, "DENIED")
    withdraw(town, first, agent="counting-1")
    town.word(first, "CANCELLED")
    assert held(town, "counting-1") == []
    ask(town, agent="counting-1")


def test_what_was_granted_counts_though_it_was_revoked(town):
    request_id = granted(town, agent="granting-1")
    answer(town, request_id, "alice", "revoke")
    town.word(request_id, "REVOKED")
    assert held(town, "granting-1") == [("granted", False, None)]
    later = town.ask(agent_id="granting-1")
    town.word(later, "DENIED")


def test_a_place_for_an_execution_is_held_as_long_as_one_may_be_reported(town):
    request_id = granted(town, agent="running-1")
    assert town.word(town.ask(agent_id="running-1"), "DENIED").body["reason"]["code"] == "limit_exceeded"
    answer(town, request_id, "alice", "revoke")
    town.word(request_id, "REVOKED")
    until, revoked = town.one("SELECT limit_use.held_until, revoked_at FROM limit_use JOIN approval USING (tenant, request_id) WHERE request_id = %s", request_id)
    assert (until - revoked).total_seconds() == 1
    town.eventually("SELECT held_until < clock_timestamp() FROM limit_use WHERE request_id = %s", request_id, expected=[(True,)])
    granted(town, agent="running-1")
    reported = granted(town, agent="running-2")
    answer(town, reported, "alice", "revoke")
    town.report(reported, "started")
    town.expect("incidents", reported)
    assert held(town, "running-2") == [("run", False, None)]  # whatever the report says, and however it is judged


def test_a_grant_that_is_revoked_with_the_last_vote_holds_its_place_as_long(town):
    request_id = ask(town, agent="running-3")
    town.stop("resolver")
    for verdict in ("approve", "revoke"):
        town.answer(request_id, "alice", verdict)
    town.start("resolver")
    town.word(request_id, "REVOKED")
    until, revoked = town.one("SELECT limit_use.held_until, revoked_at FROM limit_use JOIN approval USING (tenant, request_id) WHERE request_id = %s", request_id)
    assert (until - revoked).total_seconds() == 1


# ---------------------------------------------------------------- the command line

def pem(town, name):
    path = town.folder / f"{name}.pem"
    path.write_bytes(town.keys[name].pem())
    path.chmod(0o600)
    return str(path)


def test_both_from_the_command_line(town):
    request_id = ask(town)
    done = town.cli("withdraw", request_id, "--as", "deployer", "--key", pem(town, "other"), check=False)
    assert done.returncode == 5 and "not_requester" in done.stderr + done.stdout
    done = town.cli("withdraw", request_id, "--as", "deployer", "--key", pem(town, "deployer"), "--reason", "not needed")
    assert "counted" in done.stderr + done.stdout
    town.word(request_id, "CANCELLED")
    request_id = granted(town)
    done = town.cli("revoke", request_id, "--as", "bob", "--key", pem(town, "bob"), check=False)
    assert done.returncode == 5 and "not_an_approver" in done.stderr + done.stdout
    done = town.cli("revoke", request_id, "--as", "otto", "--key", pem(town, "otto"), "--reason", "an operator says so")
    assert "counted" in done.stderr + done.stdout
    assert "an operator says so" in town.cli("show", request_id).stdout
    town.word(request_id, "REVOKED")
    assert "countersign revoke" in town.cli("revoke", "--help").stdout and "countersign withdraw" in town.cli("withdraw", "--help").stdout
