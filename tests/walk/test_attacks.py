# SPDX-License-Identifier: Apache-2.0
"""Who has no right to it gets nothing by it: forged words, borrowed ids, races at the last moment, hands in the database."""
import json
import re
import secrets
import threading
import time
from datetime import timedelta

import psycopg
import pytest

from house import Key, digest_of, now, policy, rfc3339

WALKERS = ("evaluator", "resolver", "recorder", "relay")
FIELDS = re.compile(r'time=[-0-9:.TZ]+( [a-z_]+=("([^"\\\x00-\x1f\x7f]|\\[^\x00-\x1f])*"|[^ "=\\]+))*')
GOOD = {"agent_id": "a", "action": "logs.read", "target": "t"}


def pending(house, **members):
    request_id = house.ask(**members)
    key = request_id if members.get("tenant", "default") == "default" else f"{members['tenant']}/{request_id}"
    house.word(key, "PENDING")
    return request_id


def result(house, response_id, expected):
    house.eventually("SELECT result FROM response WHERE response_id = %s", response_id, expected=[(expected,)])


def quarantined(house, code, **members):
    return house.observer.wait(
        lambda e: e.topic == "quarantine" and e.body["reason"]["code"] == code
        and all(e.body.get(n) == v for n, v in members.items()), 20, f"quarantine as {code}")


# ---------------------------------------------------------------- words that are somebody else's

def forge(house, event, key=None, body=None, sequence=None):
    """A record on authorizations by somebody who stole the right to write there."""
    headers = [(n, (str(sequence) if sequence is not None and n == "countersign-sequence" else v).encode())
               for n, v in event.headers.items()]
    house.publish("authorizations", event.raw if body is None else json.dumps(body).encode(), key=key or event.key, headers=headers)


def waiting(house, request_id, *more, timeout="3s"):
    return house.cli("wait", request_id, "--timeout", timeout, "--jwks", str(house.folder / "countersign.jwks"), *more, check=False)


@pytest.fixture
def forgery(build):
    house = build(policy=policy(), services=("evaluator", "resolver", "relay"))
    house.forged, house.allowed = True, {"stray"}
    house.person("alice", "release-managers")
    return house


def test_a_granted_word_under_the_key_of_another_request_grants_nothing(forgery):
    first = pending(forgery)
    forgery.answer(first, "alice")
    granted = forgery.word(first, "GRANTED")
    second = pending(forgery)
    forge(forgery, granted, key=second, sequence=10 ** 9)
    done = waiting(forgery, second, "--digest", granted.body["request_digest"])
    assert done.returncode == 3, done.stdout + done.stderr


def test_a_forged_pending_word_does_not_hide_the_final_one(forgery):
    request_id = pending(forgery)
    word = forgery.word(request_id, "PENDING")
    forge(forgery, word, sequence=10 ** 18)
    forgery.answer(request_id, "alice")
    forgery.word(request_id, "GRANTED")
    assert waiting(forgery, request_id, timeout="10s").returncode == 0


def test_a_grant_whose_end_was_moved_is_not_believed(build):
    house = build(policy=policy(), services=("evaluator",))
    house.no_quiet = house.forged = True
    house.allowed = {"stray"}
    house.observer.close()  # what it would see here is not ours
    request_id = house.ask(action="deployment.staging")
    digest = house.digest(request_id)
    token = house.one("SELECT token FROM authorization_status WHERE request_id = %s", request_id)
    body = json.loads(house.one("SELECT payload FROM ledger_event WHERE key = %s", request_id))
    assert body["token"] == token
    for end, code in (("2999-01-01T00:00:00.000000Z", 124), (body["expires_at"], 0)):
        house.publish("authorizations", {**body, "expires_at": end}, key=request_id)
        done = waiting(house, request_id, "--digest", digest)
        assert done.returncode == code, done.stderr


def test_waiting_for_a_grant_that_has_ended_is_no_grant(shared):
    request_id = pending(shared, action="deployment.passing")
    shared.answer(request_id, "alice")
    shared.word(request_id, "GRANTED")
    time.sleep(1.5)
    done = waiting(shared, request_id, timeout="20s")
    assert done.returncode == 5 and "ended" in done.stderr


def test_the_tenant_in_a_submitted_file_is_the_one_whose_answer_is_awaited(shared, tmp_path):
    request_id = "t-" + secrets.token_hex(4)
    (tmp_path / "r.json").write_text(json.dumps({**GOOD, "tenant": "acme", "request_id": request_id}))
    done = shared.cli("submit", str(tmp_path / "r.json"), "--wait", "--timeout", "20s", check=False)
    assert done.returncode == 5 and "no_policy" in done.stdout, done.stdout + done.stderr


# ---------------------------------------------------------------- ids

def test_two_tenants_with_one_id_have_two_words(shared):
    request_id = "same-" + secrets.token_hex(4)
    for tenant in ("default", "acme"):
        shared.publish("requests", {**GOOD, "tenant": tenant, "request_id": request_id}, key="k", partition=1)
    shared.word(request_id, "GRANTED")
    shared.word("acme/" + request_id, "DENIED")
    shared.publish("requests", GOOD, key="acme/" + request_id)
    quarantined(shared, "bad_value")
    shared.quiet()
    assert shared.words(request_id) == ["GRANTED"] and shared.words("acme/" + request_id) == ["DENIED"]


def test_a_bad_twin_in_the_same_batch_spends_the_id_and_the_good_one_is_a_conflict(shared):
    ids = ["twin-" + secrets.token_hex(4) for _ in range(20)]
    for request_id in ids:
        shared.publish("requests", {**GOOD, "request_id": request_id, "nonsense": 1}, key="k", partition=0, flush=False)
        shared.publish("requests", {**GOOD, "request_id": request_id}, key="k", partition=0, flush=False)
    assert shared.producer.flush(30) == 0
    for request_id in ids:
        shared.word(request_id, "DENIED")
        quarantined(shared, "id_conflict", request_id=request_id)
        assert shared.words(request_id) == ["DENIED"]


def test_one_new_id_on_all_partitions_at_once_gets_one_word(build):
    house = build(policy=policy(), services=("evaluator", "relay"))
    house.start("evaluator", "b")
    house.start("evaluator", "c")
    ids = [f"race-{n}" for n in range(150)]
    for request_id in ids:
        for partition in range(6):
            house.publish("requests", {**GOOD, "request_id": request_id, "target": f"t{partition % 3}"}, key="k",
                          partition=partition, flush=False)
    assert house.producer.flush(30) == 0
    house.eventually("SELECT sum(next_offset) FROM consumer_position WHERE topic LIKE '%%requests'", expected=[(900,)], timeout=90)
    house.quiet(60)
    words = house.all_words()
    assert words == {request_id: ["GRANTED"] for request_id in ids}
    assert house.one("SELECT count(*) FROM quarantine WHERE code = 'id_conflict'") == 150 * 4
    assert house.one("SELECT count(*) FROM quarantine") == 150 * 4


@pytest.mark.parametrize("one,other", [("1", "1.0"), ("1", "1e0"), ("0", "-0"), ("0", "-0.0"), ("100", "1E2")])
def test_numbers_that_are_equal_have_one_digest_and_are_a_repeat(shared, one, other):
    request_id = "n-" + secrets.token_hex(5)
    for text in (one, other):
        shared.publish("requests", b'{"agent_id":"a","action":"logs.read","target":"t","request_id":"%s","context":{"n":%s}}'
                       % (request_id.encode(), text.encode()), key=request_id)
    shared.publish("requests", {**GOOD, "request_id": request_id, "target": "u"}, key=request_id)
    quarantined(shared, "id_conflict", request_id=request_id)
    assert shared.one("SELECT count(*) FROM quarantine WHERE request_id = %s", request_id) == 1
    shared.word(request_id, "GRANTED")
    assert shared.words(request_id) == ["GRANTED"]


def test_names_that_look_alike_are_different(shared):
    request_id = "u-" + secrets.token_hex(5)
    shared.publish("requests", {**GOOD, "request_id": request_id, "target": "caf\u00e9"}, key=request_id)
    shared.publish("requests", {**GOOD, "request_id": request_id, "target": "cafe\u0301"}, key=request_id)
    quarantined(shared, "id_conflict", request_id=request_id)


# ---------------------------------------------------------------- bursts

def test_a_burst_from_a_stock_producer_is_taken(build):
    """The limit of a topic is for batches: one that a producer fills in a burst must not be refused whole."""
    from confluent_kafka import Producer
    from house import BOOTSTRAP
    house = build(policy=policy(), services=("evaluator", "relay"))
    refused, producer = [], Producer({"bootstrap.servers": BOOTSTRAP, "linger.ms": 200})
    for n in range(4000):
        producer.produce(house.prefix + "requests", key=f"burst-{n}", value=json.dumps({**GOOD, "context": {"pad": "x" * 300}}),
                         on_delivery=lambda error, _: error and refused.append(error))
    assert producer.flush(60) == 0
    assert refused == []
    house.eventually("SELECT count(*) FROM authorization_status WHERE status = 'GRANTED'", expected=[(4000,)], timeout=60)


@pytest.mark.parametrize("codec", ["gzip", "lz4", "zstd", "snappy"])
def test_a_bomb_does_not_get_past_the_broker(shared, codec):
    from confluent_kafka import Producer
    from house import BOOTSTRAP
    reports, producer = [], Producer({"bootstrap.servers": BOOTSTRAP, "compression.type": codec, "message.max.bytes": 100_000_000})
    for size in (900_000, 20_000_000):
        producer.produce(shared.prefix + "requests", value=b" " * size, key="bomb", partition=3,
                         on_delivery=lambda error, _: reports.append(error and error.name()))
        assert producer.flush(60) == 0
    assert reports == [None, "MSG_SIZE_TOO_LARGE"]
    after = "after-" + secrets.token_hex(4)
    shared.publish("requests", {**GOOD, "request_id": after}, partition=3)
    shared.word(after, "GRANTED")


# ---------------------------------------------------------------- votes

def test_a_person_in_two_groups_counts_for_both_and_votes_once(build):
    both = policy()
    both["approvals"]["sec"] = {"any_of": [{"group": "security", "quorum": 2}], "ttl": "1h"}
    both["rules"].append({"id": "also-security", "match": {"actions": ["credential.rotate"]}, "decision": "REQUIRE_APPROVAL",
                          "approval": "sec"})
    house = build(policy=both, services=("evaluator", "resolver", "relay"))
    house.person("pia", "pair", "security")
    house.person("paul", "pair")
    house.person("sam", "security")
    second = Key()
    house.cli("keys", "add", "-", "--owner", "pia", stdin=second.jwk())
    request_id = pending(house, action="credential.rotate")
    house.answer(request_id, "pia")
    again = house.answer(request_id, "pia", key=second)
    result(house, again, "repeated")
    house.answer(request_id, "paul")
    house.observer.wait(lambda e: e.topic == "approvals" and e.key == request_id and len(e.body["responses"]) == 2, 20)
    time.sleep(0.5)
    assert house.words(request_id) == ["PENDING"]
    house.answer(request_id, "sam")
    assert len(house.word(request_id, "GRANTED").body["responses"]) == 3


def test_a_bot_does_not_speak_for_the_requester(shared):
    bot = Key()
    shared.cli("keys", "add", "-", "--owner", "b-" + secrets.token_hex(3), "--bot", "--speaks-for", "*", stdin=bot.jwk())
    request_id = pending(shared)
    for person in ("bob", "coding-agent-production"):
        result(shared, shared.answer(request_id, person, key=bot), "responder_is_requester")
    assert shared.words(request_id) == ["PENDING"]


def by_approval_id(house, approval_id, digest, key, tenant="default"):
    body = {"response_id": "p-" + secrets.token_hex(6), "tenant": tenant, "approval_id": approval_id, "verdict": "approve",
            "responder": "alice", "issued_at": rfc3339(now()), "request_digest": digest}
    raw = json.dumps(body).encode()
    house.publish("responses", raw, headers=[("signature", key.detached(raw).encode())])


def test_a_key_of_another_tenant_counts_for_nothing(shared):
    stranger = Key()
    shared.cli("keys", "add", "-", "--owner", "alice", "--tenant", "acme", stdin=stranger.jwk())
    shared.cli("groups", "add", "release-managers", "alice", "--tenant", "acme")
    request_id = pending(shared)
    shared.answer(request_id, "alice", key=stranger)
    quarantined(shared, "unknown_key", request_id=request_id)
    approval_id = shared.one("SELECT approval_id::text FROM approval WHERE request_id = %s", request_id)
    digest = shared.digest(request_id)
    by_approval_id(shared, approval_id, digest, stranger, tenant="acme")
    quarantined(shared, "no_approval")
    response = shared.answer(request_id, "alice", key=stranger, tenant="acme", digest=digest)
    shared.eventually("SELECT count(*) FROM shelf WHERE tenant = 'acme' AND request_id = %s", request_id, expected=[(1,)])
    assert shared.words(request_id) == ["PENDING"]


def test_a_vote_by_approval_id_counts_and_both_ids_are_refused(shared):
    request_id = pending(shared)
    approval_id = shared.one("SELECT approval_id::text FROM approval WHERE request_id = %s", request_id)
    shared.answer(request_id, "alice", approval_id=approval_id)
    quarantined(shared, "bad_value", request_id=request_id)
    by_approval_id(shared, approval_id, shared.digest(request_id), shared.keys["alice"])
    shared.word(request_id, "GRANTED")


def test_the_bytes_are_signed_and_not_what_they_mean(shared):
    request_id = pending(shared)
    body = {"response_id": "w-" + secrets.token_hex(6), "tenant": "default", "request_id": request_id, "verdict": "approve",
            "responder": "alice", "issued_at": rfc3339(now()), "request_digest": shared.digest(request_id)}
    signature = shared.keys["alice"].detached(json.dumps(body).encode())
    shared.answer(request_id, "alice", raw=json.dumps(body, indent=1).encode(), signature=signature)
    quarantined(shared, "signature_invalid", request_id=request_id)
    assert shared.words(request_id) == ["PENDING"]


def test_a_vote_that_waited_for_the_row_across_the_deadline_is_late(build):
    house = build(policy=policy(), services=("evaluator", "resolver", "relay"))
    house.person("alice", "release-managers")
    request_id = pending(house, action="deployment.brief")
    with psycopg.connect(house.owner_uri) as other:
        other.execute("SELECT FROM countersign.approval WHERE request_id = %s FOR UPDATE", (request_id,))
        house.answer(request_id, "alice")
        time.sleep(3)
    word = house.word(request_id, "EXPIRED")
    assert word.body["reason"]["code"] == "approval_expired"
    house.quiet()
    assert house.words(request_id) == ["PENDING", "EXPIRED"]


def test_a_key_revoked_while_its_vote_waited_for_the_row_counts_for_nothing(build):
    house = build(policy=policy(), services=("evaluator", "resolver", "relay"))
    key = house.person("alice", "release-managers")
    request_id = pending(house)
    with psycopg.connect(house.owner_uri) as other:
        other.execute("SELECT FROM countersign.approval WHERE request_id = %s FOR UPDATE", (request_id,))
        house.answer(request_id, "alice")
        time.sleep(1)
        house.cli("keys", "revoke", key.kid)
    quarantined(house, "revoked_key", request_id=request_id)
    assert house.words(request_id) == ["PENDING"]


def test_who_is_expelled_while_his_vote_waited_for_the_row_is_no_member(build):
    house = build(policy=policy(), services=("evaluator", "resolver", "relay"))
    house.person("alice", "release-managers")
    request_id = pending(house)
    with psycopg.connect(house.owner_uri) as other:
        other.execute("SELECT FROM countersign.approval WHERE request_id = %s FOR UPDATE", (request_id,))
        response = house.answer(request_id, "alice")
        time.sleep(1)
        house.cli("groups", "remove", "release-managers", "alice")
        house.cli("agents", "add", "coding-agent-production", "--owner", "alice")
    house.eventually("SELECT count(*) FROM response WHERE response_id = %s", response, expected=[(1,)])
    assert house.one("SELECT result FROM response WHERE response_id = %s", response) in ("not_a_member", "responder_is_requester")
    assert house.words(request_id) == ["PENDING"]


def test_an_activation_waits_for_the_vote_and_the_vote_for_the_activation(build):
    house = build(policy=policy(), services=("evaluator", "resolver", "relay"))
    house.person("alice", "release-managers")
    request_id = pending(house)
    stricter = policy(2)
    stricter["rules"].append({"id": "freeze", "match": {"actions": ["deployment.**"]}, "decision": "BLOCK"})
    with psycopg.connect(house.owner_uri) as other:
        other.execute("SELECT FROM countersign.approval WHERE request_id = %s FOR UPDATE", (request_id,))
        house.answer(request_id, "alice")
        time.sleep(1)
        activation = threading.Thread(target=house.activate, args=(stricter,))
        activation.start()
        time.sleep(1)
        assert activation.is_alive()  # the vote holds the shared lock
    activation.join(30)
    house.word(request_id, "GRANTED")
    assert house.one("SELECT generation FROM decision WHERE request_id = %s AND n = 1", request_id) == 1


def test_a_policy_that_asks_more_between_votes_gets_what_it_asks(build):
    house = build(policy=policy(), services=("evaluator", "resolver", "relay"))
    house.person("alice", "release-managers")
    house.person("sam", "security")
    house.person("sue", "security")
    request_id = pending(house)
    more = policy(2)
    more["approvals"]["sec"] = {"any_of": [{"group": "security", "quorum": 2}], "ttl": "1h", "grant": {"valid_for": "30s"}}
    more["rules"].append({"id": "sec", "match": {"actions": ["deployment.production"]}, "decision": "REQUIRE_APPROVAL", "approval": "sec"})
    more["rules"].append({"id": "rel", "match": {"actions": ["deployment.production"]}, "decision": "REQUIRE_APPROVAL", "approval": "release"})
    house.activate(more)
    house.answer(request_id, "alice")
    house.expect("approvals", request_id, cause="policy_changed")
    house.answer(request_id, "sam")
    house.observer.wait(lambda e: e.topic == "approvals" and e.key == request_id and len(e.body["responses"]) == 2, 20)
    assert house.words(request_id) == ["PENDING"]
    house.answer(request_id, "sue")
    word = house.word(request_id, "GRANTED")
    assert [r["responder"] for r in word.body["responses"]] == ["alice", "sam", "sue"]
    end = house.one("SELECT expires_at - not_before FROM authorization_status WHERE request_id = %s AND status = 'GRANTED'", request_id)
    assert end == timedelta(seconds=30)


def test_two_resolvers_and_their_sweepers_end_each_question_once(build):
    house = build(policy=policy(), services=("evaluator", "resolver", "relay"))
    house.person("alice", "release-managers")
    house.start("resolver", "b")
    ids = [house.ask(f"sweep-{n}", flush=False, action="deployment.brief") for n in range(120)]
    assert house.producer.flush(30) == 0
    digest = house.digest(ids[0])
    deadline = house.one("SELECT max(deadline) FROM approval")
    while now() < deadline - timedelta(seconds=0.3):
        time.sleep(0.02)
    for request_id in ids:
        value = json.dumps({"response_id": "a-" + request_id, "tenant": "default", "request_id": request_id, "verdict": "approve",
                            "responder": "alice", "issued_at": rfc3339(now()), "request_digest": digest}).encode()
        house.publish("responses", value, key=request_id, headers=[("signature", house.keys["alice"].detached(value).encode())], flush=False)
    house.producer.flush(30)
    house.eventually("SELECT count(*) FROM response", expected=[(120,)], timeout=60)
    house.eventually("SELECT count(*) FROM approval WHERE state = 'PENDING'", expected=[(0,)], timeout=30)
    house.quiet(60)
    words = house.all_words()
    for request_id in ids:
        assert words[request_id] in (["PENDING", "GRANTED"], ["PENDING", "EXPIRED"])
    assert house.sql("SELECT r.request_id FROM response r JOIN approval a USING (approval_id) WHERE r.result = 'counted'"
                     " AND (r.received_at >= a.deadline OR a.state <> 'APPROVED')") == []


# ---------------------------------------------------------------- outcomes

def test_a_report_in_the_name_of_another_grant_or_digest_is_an_incident(shared):
    request_id = shared.ask(action="deployment.staging")
    word = shared.word(request_id, "GRANTED")
    shared.report(request_id, "started", digest=word.body["request_digest"].upper().replace("SHA", "sha"))
    quarantined(shared, "bad_value", request_id=None)
    cut = word.body["token"][:-4] + "AAAA"
    shared.report(request_id, "started", authorization=cut)
    shared.expect("incidents", request_id, kind="executed_without_authorization")


# ---------------------------------------------------------------- lines and series

def test_nothing_that_others_write_starts_a_line_or_a_series(shared):
    evil = 'x" level=error event=granted\n2026 event=forged \x1b[31m'
    before = len(shared.metrics("evaluator")), len(shared.metrics("resolver")), len(shared.metrics("recorder"))
    for n in range(30):
        shared.publish("requests", {**GOOD, f"un{n}known\n{evil}": 1, "request_id": f"log-{secrets.token_hex(4)}"}, key=evil)
        shared.publish("responses", {f"v{n}{evil}": evil}, key=evil, headers=[("signature", evil.encode())])
        shared.publish("outcomes", {"outcome_id": evil, "status": f"s{n}"}, key=evil)
        shared.publish("requests", {**GOOD, "agent_id": 'a"b=c\\', "reason": 'q" event=forged', "request_id": f"log-{secrets.token_hex(4)}"})
    marker = shared.ask(action="logs.read")
    shared.word(marker, "GRANTED")
    time.sleep(1)
    for service in ("evaluator", "resolver", "recorder"):
        log = shared.log(service)
        assert "\x1b" not in log
        for line in log.splitlines():
            assert FIELDS.fullmatch(line), line
            assert not re.search(r'^[^"]* event=(forged|granted)', line), line
    after = len(shared.metrics("evaluator")), len(shared.metrics("resolver")), len(shared.metrics("recorder"))
    assert all(b - a < 12 for a, b in zip(before, after)), (before, after)


# ---------------------------------------------------------------- hands in the database

@pytest.mark.parametrize("role", ["evaluator", "resolver", "recorder", "notifier", "relay", "operator", "auditor"])
def test_a_role_changes_no_history_and_does_nobody_elses_work(shared, role):
    """What one service's login is good for when it is stolen: its own work, and nothing that was."""
    shared.word(shared.ask(action="logs.read"), "GRANTED")
    facts = ["ledger_event", "ledger_batch", "checkpoint", "request", "decision", "response", "authorization_status", "outcome",
             "incident", "quarantine", "policy", "directory_history", "approval_requirement", "approval_step"]
    attempts = [f"DELETE FROM {table}" for table in facts] + [f"TRUNCATE {table} CASCADE" for table in facts]
    attempts += [f"UPDATE {table} SET {column} = {column}" for table, column in
                 [("ledger_event", "payload"), ("ledger_batch", "hash"), ("request", "context"), ("decision", "verdict"),
                  ("response", "result"), ("authorization_status", "status"), ("outcome", "judgement"), ("policy", "document"),
                  ("directory_history", "by_role"), ("signing_key", "public_key"), ("approval", "request_digest"),
                  ("approval", "opened_at"), ("approval", "latest"), ("approval_step", "at")]]
    attempts += ["INSERT INTO ledger_writer VALUES (current_user, 'authorizations')", "CREATE TABLE countersign.evil (x int)"]
    if role != "operator":
        attempts += ["INSERT INTO group_member VALUES ('default', 'release-managers', 'mallory', now())",
                     "INSERT INTO signing_key VALUES ('k', 'default', 'alice', 'person', sha256('x'), '{}', now(), NULL)",
                     "UPDATE policy_generation SET generation = generation + 1"]
    if role not in ("evaluator", "resolver"):
        attempts += ["INSERT INTO ledger_event VALUES (0, 99999, gen_random_uuid(), 'authorizations', 'k', '[]', '{}', now())",
                     "INSERT INTO authorization_status (tenant, request_id, status, event_id, decision, reason_code, reason_text, decided_at)"
                     " SELECT tenant, request_id, 'DENIED', gen_random_uuid(), 'BLOCK', 'x', 'x', now() FROM request"]
    if role != "resolver":
        attempts += ["UPDATE approval SET state = 'APPROVED', closed_at = now()"]
    for service in {"evaluator", "resolver", "recorder"} - {role}:
        attempts += [f"UPDATE consumer_position SET next_offset = next_offset + 1 WHERE consumer_group LIKE '%%{service}'",
                     f"INSERT INTO consumer_position VALUES ('x.{service}', 't', 0, 0, 1, 'x', now())"]
    with psycopg.connect(shared.role_uri(role), autocommit=True) as connection:
        connection.execute("SET search_path = countersign")
        for attempt in attempts:
            with pytest.raises((psycopg.errors.InsufficientPrivilege, psycopg.errors.RaiseException)):
                connection.execute(attempt.replace("%%", "%"))


def test_an_event_that_was_slipped_behind_the_end_of_a_chain_is_found_and_never_published(build):
    house = build(policy=policy(), services=("evaluator", "relay"))
    house.no_quiet = house.forged = True
    for n in range(12):
        house.ask(f"r-{n}", action="logs.read")
    house.word("r-11", "GRANTED")
    house.eventually("SELECT count(*) FROM request", expected=[(12,)])
    house.kill("evaluator")
    house.stop("relay")
    house.db.execute("UPDATE relay_position SET next_sequence = 1")  # the relay finds the stray one within its next range
    with psycopg.connect(house.role_uri("evaluator"), autocommit=True) as connection:
        connection.execute("INSERT INTO countersign.ledger_event SELECT chain, sequence + 1, gen_random_uuid(), 'authorizations', 'stray',"
                           " '[]', convert_to('{\"status\":\"GRANTED\"}', 'UTF8'), now() FROM countersign.ledger_head")
    found = house.cli("ledger", "verify", check=False)
    assert found.returncode == 1 and "behind the end" in found.stdout + found.stderr
    house.start("relay")
    house.eventually("SELECT count(*) FROM ledger_head h JOIN relay_position p USING (chain) WHERE p.next_sequence <= h.sequence",
                     expected=[(0,)])
    time.sleep(1)
    assert house.observer.find(lambda e: e.key == "stray") == []
    house.db.execute("DELETE FROM ledger_event WHERE key = 'stray'")
