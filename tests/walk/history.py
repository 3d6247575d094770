# SPDX-License-Identifier: Apache-2.0
"""The history checker: what was sent, what the database holds and what the topics hold must be one history.

load() takes a snapshot of all three, judge() is a pure function of it and says what it violates, each as
"rule: id: evidence". The rules are in history_*.py beside this file. A story that breaks a rule on purpose names it in
house.allowed; nothing else is let off.
"""
import gc
import json
import os
import secrets
import sys
import time

import psycopg
from confluent_kafka import Consumer, KafkaError, TopicPartition, TIMESTAMP_LOG_APPEND_TIME

import history_effects
import history_flood
import history_holds
import history_inputs
import history_ledger
import history_limits
import history_news
import history_override
import history_votes
import history_words
from history_tools import SECOND, b64url_decode, microseconds, parse

INPUTS = {"requests": "evaluator", "responses": "resolver", "outcomes": "recorder", "approvals": "notifier"}
OUTPUTS = ("approvals", "authorizations", "incidents", "quarantine", "checkpoints", "directory")
TABLES = ("installation", "consumer_position", "agent", "group_member", "signing_key", "directory_history", "policy", "policy_shadow", "request",
          "decision", "approval", "approval_requirement", "approval_step", "approval_review", "open_approval", "open_ask", "response",
          "authorization_status", "outcome", "incident", "quarantine",
          "quarantine_raw", "shelf", "ledger_head", "ledger_batch", "ledger_event", "relay_position", "checkpoint", "delivery",
          "delivery_target", "outcome_news", "setback", "limit_counter", "limit_use", "hold", "held_request")
RULES = (history_inputs, history_words, history_votes, history_override, history_ledger, history_effects, history_limits, history_flood, history_holds, history_news)


class Record:
    """One record of a topic; at in microseconds, None when it is not the broker's time."""
    __slots__ = ("topic", "partition", "offset", "key", "value", "headers", "at")

    def __init__(self, topic, partition, offset, key, value, headers, at=None):
        self.topic, self.partition, self.offset, self.key, self.value = topic, partition, offset, key, value
        self.headers, self.at = headers, at

    def __repr__(self):
        return f"{self.topic}/{self.partition}/{self.offset}"

    @property
    def place(self):
        return self.topic, self.partition, self.offset

    def header(self, name):
        """The last one of that name as text, else None."""
        found = [value for n, value in self.headers or () if n == name]
        return found[-1].decode(errors="replace") if found and found[-1] is not None else None


class History:
    """A snapshot: plain data, so that a deep copy can be changed and judged again."""

    def __init__(self):
        self.prefix, self.tables, self.said, self.records = "", {}, [], []
        self.begins, self.ends, self.seen_until = {}, {}, {}  # (topic, partition): offset
        self.running, self.keys, self.targets, self.shelf_limit, self.now = set(), {}, [], {}, 0
        self.unseen = 5  # seconds for which what is dated may not be committed yet: others judge without it


class View:
    """A history with the ways through it that several rules go."""

    def __init__(self, history):
        self.history, self.tables = history, history.tables
        t = history.tables
        self.sent = {r.place: r for r in history.records}
        self.requests = {(r["tenant"], r["request_id"]): r for r in t["request"]}
        self.told = {}  # words and notices by their key
        self.decisions, self.words, self.requirements, self.responses, self.outcomes, self.events = {}, {}, {}, {}, {}, {}
        for row in sorted(t["decision"], key=lambda d: d["n"]):
            self.decisions.setdefault((row["tenant"], row["request_id"]), []).append(row)
        self.held = {(row["tenant"], row["request_id"]): row for row in t["held_request"]}
        # from the decision on that did not only hold it
        self.courses = {request: found[1:] if request in self.held and len(found) > 1 else found for request, found in self.decisions.items()}
        for row in t["authorization_status"]:
            self.words.setdefault((row["tenant"], row["request_id"]), []).append(row)
        self.approvals = {(a["tenant"], a["request_id"]): a for a in t["approval"]}
        for row in sorted(t["approval_requirement"], key=lambda r: r["n"]):
            self.requirements.setdefault(row["approval_id"], []).append(row)
        self.reviews = {r["approval_id"]: r for r in t["approval_review"]}
        self.steps = {}
        for row in sorted(t["approval_step"], key=lambda s: s["n"]):
            self.steps.setdefault(row["approval_id"], []).append(row)
        for row in sorted(t["response"], key=lambda r: (r["received_at"], r["kid"], r["response_id"])):
            self.responses.setdefault(row["approval_id"], []).append(row)
        for row in sorted(t["outcome"], key=lambda o: (o["received_at"], o["origin_partition"], o["origin_offset"])):
            self.outcomes.setdefault((row["tenant"], row["request_id"]), []).append(row)
        for row in t["ledger_event"]:
            self.events.setdefault(row["event_id"], []).append(row)
            if row["topic"] in ("authorizations", "approvals"):
                self.told.setdefault(row["key"], []).append(row)
        self.documents, self.bodies, self.demands = {}, {}, {}
        self.uses = None
        self.revocations = {}  # of keys: when it was said, and from when on
        for change in t["directory_history"]:
            key = change["relation"] == "signing_key" and change["new_row"]
            if key and key["revoked_at"]:
                self.revocations.setdefault(key["kid"], []).append((change["at"], microseconds(key["revoked_at"])))
        self.policies = {(p["policy_id"], p["version"]): p for p in t["policy"]}
        self.chains = t["installation"][0]["chains"]
        self.positions = {(p["consumer_group"][len(history.prefix):], p["partition"]): p["next_offset"]
                          for p in t["consumer_position"]}

    def body(self, event):
        """Of a ledger event; empty when it can't be read, which is a violation of its own."""
        if id(event) not in self.bodies:
            try:
                body = json.loads(event["payload"])
            except ValueError:
                body = None
            self.bodies[id(event)] = body if isinstance(body, dict) else {}
        return self.bodies[id(event)]

    def document(self, policy):
        """Of a row of policy."""
        if policy["digest"] not in self.documents:
            self.documents[policy["digest"]] = parse(policy["document"])
        return self.documents[policy["digest"]]

    def event(self, event_id, topic):
        """The ledger's event of that id, None unless there is exactly one and it is of that topic."""
        found = self.events.get(event_id, [])
        return found[0] if len(found) == 1 and found[0]["topic"] == topic else None

    def revoked(self, request):
        """When what was granted was taken back, else None."""
        found = [w["decided_at"] for w in self.words.get(request, ()) if w["status"] == "REVOKED"]
        return found[0] if found else None

    def final(self, request):
        found = [w for w in self.words.get(request, ()) if w["final"]]
        return found[0] if len(found) == 1 else None


def judge(history, heard=None):
    """All violations, none of them let off. heard: a set that is told which lines of the rules have complained."""
    view, found = View(history), []

    def violate(rule, what, evidence):
        found.append(f"{rule}: {what}: {evidence}")
        if heard is not None:
            heard.add((os.path.basename(sys._getframe(1).f_code.co_filename), sys._getframe(1).f_lineno))
    for rules in RULES:
        rules.judge(view, violate)
    return found


# ---------------------------------------------------------------- taking the snapshot

def _select(cursor):
    """A SELECT for each table, with times as microseconds and bytes in hexadecimal."""
    forms = {"timestamp with time zone": "(extract(epoch FROM {0}) * 1000000)::bigint AS {0}", "bytea": "encode({0}, 'hex') AS {0}"}
    columns = {}
    for table, column, kind in cursor.execute("SELECT table_name, column_name, data_type FROM information_schema.columns"
                                              " WHERE table_schema = 'countersign' ORDER BY ordinal_position"):
        columns.setdefault(table, []).append((column, kind))
    for table in TABLES:
        listed = ", ".join(forms.get(kind, "{0}").format(f'"{column}"') for column, kind in columns[table])
        yield table, [c for c, kind in columns[table] if kind == "bytea"], \
            f"SELECT coalesce(json_agg(t), '[]')::text FROM (SELECT {listed} FROM countersign.{table}) AS t"


def _tables(house):
    tables = {}
    with psycopg.connect(house.owner_uri) as connection:
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        for table, bytes_of, query in list(_select(connection)):
            rows = tables[table] = json.loads(connection.execute(query).fetchone()[0])
            for column in bytes_of:
                for row in rows:
                    if row[column] is not None:
                        row[column] = bytes.fromhex(row[column])
        now = connection.execute("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint").fetchone()[0]
    return tables, now


def _consumer(house):
    return Consumer({**house.kafka("auditor"), "group.id": "history-" + secrets.token_hex(6), "enable.auto.commit": False,
                     "auto.offset.reset": "earliest", "enable.partition.eof": True, "fetch.wait.max.ms": 20,
                     "queued.max.messages.kbytes": 65536})


def _offsets(house, consumer, which, topics):
    """Where the topics' partitions begin (-2) or end (-1), by one question."""
    asked = [TopicPartition(house.prefix + topic, partition, which) for topic in topics for partition in range(house.partitions)]
    return {(p.topic, p.partition): p.offset for p in consumer.offsets_for_times(asked, timeout=30)}


def _record(message):
    kind, at = message.timestamp()
    try:
        headers = message.headers() or []
    except UnicodeDecodeError:
        headers = None
    return Record(message.topic(), message.partition(), message.offset(), message.key(), message.value(), headers,
                  at * 1000 if kind == TIMESTAMP_LOG_APPEND_TIME else None)


def _read(house, consumer):
    """Every record of every topic, up to an end that lies behind what was in the database when this was called."""
    topics = [*INPUTS, *(t for t in OUTPUTS if t not in INPUTS)]
    parts = [TopicPartition(house.prefix + topic, p, 0) for topic in topics for p in range(house.partitions)]
    for part, begin in zip(parts, _offsets(house, consumer, -2, topics).values()):
        part.offset = begin
    consumer.assign(parts)
    records, ended, deadline = [], set(), time.monotonic() + 60
    while len(ended) < len(parts):
        assert time.monotonic() < deadline, "the topics could not be read to their end"
        for message in consumer.consume(20000, 0.05):
            if not message.error():
                records.append(_record(message))
            elif message.error().code() == KafkaError._PARTITION_EOF:
                ended.add((message.topic(), message.partition()))
    return records, {(p.topic, p.partition): p.offset for p in parts}


def _running(house):
    alive = {n.split("-")[0] for n, process in house.processes.items() if process.poll() is None}
    return set() if getattr(house, "no_quiet", False) else {s for s in (*INPUTS.values(), "relay") if any(a.startswith(s) for a in alive)}


def _limit(house, service):
    text = house.settings.get(service, {}).get("shelf.limit", "10m")
    return int(text[:-1]) * {"s": 1, "m": 60, "h": 3600}[text[-1]] * SECOND


def load(house):
    """The snapshot. First where the topics end, then the database, then the topics: so nothing can be missed by order."""
    history = History()
    history.prefix, history.running = house.prefix, _running(house)
    history.unseen = getattr(house, "unseen", history.unseen)
    consumer = _consumer(house)
    try:
        history.seen_until = _offsets(house, consumer, -1, [*INPUTS, *OUTPUTS])
        history.tables, history.now = _tables(house)
        history.records, history.begins = _read(house, consumer)
        history.ends = _offsets(house, consumer, -1, INPUTS)
    finally:
        consumer.close()
    history.said = [Record(*said) for said in house.said]
    keys = house.folder / "countersign.jwks"
    history.keys = {k["kid"]: b64url_decode(k["x"]) for k in json.loads(keys.read_text())["keys"]} if keys.exists() else {}
    targets = house.settings.get("notifier", {}).get("notifier.targets_file")
    if targets:
        with open(targets) as file:
            history.targets = json.load(file)["targets"]
    history.shelf_limit = {service: _limit(house, service) for service in ("resolver", "recorder")}
    return history


# ---------------------------------------------------------------- for stories

def settle(house, timeout=30):
    """Waits until the services that run have done all that there is to do."""
    allowed, running, deadline = getattr(house, "allowed", set()), _running(house), time.monotonic() + timeout
    if not running:
        return
    consumer = _consumer(house)
    try:
        while time.monotonic() < deadline and not _is_settled(house, consumer, running, allowed):
            time.sleep(0.05)
    finally:
        consumer.close()


def _is_settled(house, consumer, running, allowed):
    if "relay" in running and house.sql("SELECT FROM ledger_head h JOIN relay_position p USING (chain) JOIN ledger_event e USING (chain)"
                                        " WHERE e.sequence >= p.next_sequence AND e.topic <> 'checkpoints' LIMIT 1"):
        return False
    if "position" not in allowed:
        ends = _offsets(house, consumer, -1, INPUTS)
        positions = {(topic, part): at for topic, part, at in house.sql("SELECT topic, partition, next_offset FROM consumer_position")}
        if any(positions.get((house.prefix + topic, part), 0) < end for topic, service in INPUTS.items() if service in running
               for part in range(house.partitions) for end in [ends[house.prefix + topic, part]]):
            return False
    if "notifier" in running and house.sql("SELECT FROM outcome_news WHERE told_at IS NULL LIMIT 1"):
        return False
    if "resolver" in running and house.sql("SELECT FROM approval WHERE state = 'PENDING' AND deadline <= clock_timestamp() LIMIT 1"):
        return False
    if "evaluator" in running and house.sql("SELECT FROM held_request JOIN hold USING (hold_id) WHERE ended_at IS NULL"
                                            " AND (lifted_at IS NOT NULL OR least(until, expires_at) <= clock_timestamp()) LIMIT 1"):
        return False
    if "resolver" in running and house.sql("SELECT FROM approval JOIN hold ON hold_id = held_by"
                                           " WHERE lifted_at IS NOT NULL OR until <= clock_timestamp() LIMIT 1"):
        return False
    return not house.sql("SELECT FROM shelf JOIN request USING (tenant, request_id) WHERE service = ANY (%s) LIMIT 1", list(running))


def violations(house, looks=3):
    """Waits for quiet, then says what is wrong, each as "rule: id: evidence", without what the story allows itself. A deadline may
    end a question just then, and what comes of it is still on its way; what is wrong is so at the next look too."""
    settle(house)
    gc.disable()  # much is made and nothing thrown away
    try:
        found = [v for v in judge(load(house)) if v.split(":")[0] not in getattr(house, "allowed", ())]
    finally:
        gc.enable()
    return violations(house, looks - 1) if found and looks > 1 and _running(house) else found


def check(house):
    found = violations(house)
    more = f"\n... and {len(found) - 40} more" if len(found) > 40 else ""
    assert not found, f"{len(found)} violations of the history:\n" + "\n".join(found[:40]) + more
