# SPDX-License-Identifier: Apache-2.0
"""What was sent left its trace exactly once, and nothing has a trace that was not sent."""
import json
import re

from history_tools import ID, TENANT, canonical, derived, digest_text, kid_of, microseconds, parse, request_digest, sha256

TABLES = {"request": "requests", "response": "responses", "outcome": "outcomes"}
SERVICES = {"requests": "evaluator", "responses": "resolver", "outcomes": "recorder", "approvals": "notifier"}
PLAIN = re.compile(r"[A-Za-z0-9 _/:-][A-Za-z0-9 ._/:-]{0,99}")
ACTION = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+){0,9}")


def place(row):
    return row["origin_topic"], row["origin_partition"], row["origin_offset"]


def show(at):
    return "/".join(map(str, at))


class Understood:
    """An input as its sender meant it: the body, and the id that the envelope gives."""

    def __init__(self, record):
        self.body, self.ce_id = None, record.header("ce_id")
        try:
            value = parse(record.value) if record.value else None
        except ValueError:
            value = None
        if isinstance(value, dict) and (record.header("content-type") or "").lower().startswith("application/cloudevents"):
            self.ce_id, value = value.get("id"), value.get("data")
        if isinstance(value, dict):
            self.body = value
        self.key = record.key.decode(errors="replace") if record.key else None

    @property
    def tenant(self):
        return self.text("tenant", "default")

    @property
    def request_id(self):
        return self.text("request_id") or self.ce_id or self.key

    def text(self, name, otherwise=None):
        value = (self.body or {}).get(name, otherwise)
        return value if isinstance(value, str) else None


def requests_hash(understood):
    body = {name: value for name, value in understood.body.items() if name != "issued_at"}
    return sha256(canonical({"request_id": understood.request_id, "tenant": understood.tenant, **body}).encode())


def outcome_hash(understood):
    body = {name: value for name, value in understood.body.items() if name != "issued_at"}
    return sha256(canonical({"tenant": understood.tenant, **body}).encode())


def is_plain_execution(execution):
    return execution is None or (isinstance(execution, dict) and set(execution) == {"kind", "digest", "summary"} and execution["kind"] == "argv"
                                 and isinstance(execution["digest"], str) and bool(re.fullmatch("sha-256:[0-9a-f]{64}", execution["digest"]))
                                 and isinstance(execution["summary"], str) and bool(PLAIN.fullmatch(execution["summary"])))


def is_plainly_good(record):
    """A request that nobody can find a fault with. False: it may be good all the same."""
    if record.headers or not record.value or len(record.value) > 8000 or not record.value.isascii() or b"\\" in record.value:
        return False
    try:
        pairs = json.loads(record.value, object_pairs_hook=lambda pairs: pairs)
        body = json.loads(record.value)
    except (ValueError, RecursionError):
        return False
    context = body.get("context", {}) if isinstance(body, dict) else None
    if not isinstance(body, dict) or not isinstance(context, dict) or len(pairs) != len(body):
        return False
    names = {"request_id", "agent_id", "action", "target"}
    if not names <= set(body) <= names | {"context", "tenant", "reason", "execution"} or len(context) > 16:
        return False
    if not is_plain_execution(body.get("execution")):
        return False
    listed = next((value for n, value in pairs if n == "context"), [])
    texts = [body[n] for n in ("agent_id", "target")] + [v for v in context.values() if isinstance(v, str)]
    return (all(isinstance(t, str) and PLAIN.fullmatch(t) for t in texts) and isinstance(body["request_id"], str)
            and bool(ID.fullmatch(body["request_id"])) and isinstance(body.get("tenant", "x"), str)
            and bool(TENANT.fullmatch(body.get("tenant", "x"))) and isinstance(body["action"], str)
            and bool(ACTION.fullmatch(body["action"])) and len(body["action"]) <= 100 and len(listed) == len(context)
            and bool(PLAIN.fullmatch(body.get("reason", "x")) if isinstance(body.get("reason", "x"), str) else False)
            and all(re.fullmatch(r"[a-z_]{1,40}", n) for n in context)
            and all(isinstance(v, (bool, str)) or isinstance(v, int) and abs(v) < 2 ** 53 for v in context.values()))


# ---------------------------------------------------------------- rows against the records that they came from

def judge_request(view, row, record, violate):
    who = f"{row['tenant']}/{row['request_id']}"
    understood = Understood(record)
    if not row["valid"]:
        refused_bytes = row["content_hash"] in (sha256(record.value or b""), None)
        # what is well-formed, but refused by the inputs, is known by its content
        if not refused_bytes and (understood.body is None or row["content_hash"] != requests_hash(understood)):
            violate("request-bytes", who, f"the digest of the refused bytes is not that of {record}")
        return
    if understood.body is None:
        violate("request-bytes", who, f"{record} holds no such request")
        return
    body = understood.body
    if (understood.tenant, understood.request_id) != (row["tenant"], row["request_id"]):
        violate("request-id", who, f"{record} names {understood.tenant}/{understood.request_id}")
    wanted = {n: body.get(n) for n in ("agent_id", "action", "target", "on_behalf_of", "parent_request_id", "reason")}
    wanted["context"] = canonical(body.get("context", {}))
    wanted["execution"] = canonical(body["execution"]) if "execution" in body else None
    for column in ("deadline", "issued_at"):
        wanted[column] = microseconds(body[column]) if column in body else None
    wanted["content_hash"] = requests_hash(understood)
    for column, value in wanted.items():
        if row[column] != value:
            violate("request-bytes", who, f"{column} is {row[column]!r}, {record} says {value!r}")
    if not {"agent_id", "action", "target"} <= set(body):
        violate("request-bytes", who, f"{record} lacks a required member")
    elif row["request_digest"] != request_digest(body, row["tenant"]):
        violate("request-digest", who, f"{row['request_digest']}, recomputed {request_digest(body, row['tenant'])}")


def judge_response(view, row, record, violate):
    who = f"{row['kid']}/{row['response_id']}"
    body = Understood(record).body
    if row["value"] != record.value or row["signature"] != record.header("signature"):
        violate("response-bytes", who, f"value or signature is not that of {record}")
        return
    verdict = {"reject": "deny"}.get(body and body.get("verdict"), body and body.get("verdict"))
    wanted = {n: body.get(n) for n in ("response_id", "tenant", "responder", "reason", "request_digest")} if body else {}
    wanted |= {"verdict": verdict, "issued_at": microseconds(body["issued_at"])} if body else {"verdict": None}
    wanted["kid"] = kid_of(row["signature"].partition(".")[0])
    for column in ("request_id", "approval_id"):
        if body and column in body:
            wanted[column] = body[column]
    for column, value in wanted.items():
        if row[column] != value and not (column == "approval_id" and row[column] is None):
            violate("response-bytes", who, f"{column} is {row[column]!r}, {record} says {value!r}")


def judge_outcome(view, row, record, violate):
    who = f"{row['tenant']}/{row['outcome_id']}"
    understood = Understood(record)
    body = understood.body or {}
    wanted = {n: body.get(n) for n in ("outcome_id", "request_id", "status", "request_digest", "reported_by", "code", "detail")}
    wanted["tenant"] = body.get("tenant", "default")
    wanted["occurred_at"] = microseconds(body.get("occurred_at", ""))
    wanted["issued_at"] = microseconds(body["issued_at"]) if "issued_at" in body else None
    wanted["content_hash"] = outcome_hash(understood) if body else None
    for column, value in wanted.items():
        if row[column] != value:
            violate("outcome-bytes", who, f"{column} is {row[column]!r}, {record} says {value!r}")


ROWS = {"request": judge_request, "response": judge_response, "outcome": judge_outcome}


def judge_quarantine(view, row, record, raw, violate):
    who = show(place(row))
    value = record.value or b""
    if row["digest"] != digest_text(value) or row["size"] != len(value):
        violate("quarantine-bytes", who, f"digest or size is not that of the record: {row['digest']}, {row['size']}")
    if row["quarantine_id"] != derived("", who, "quarantine", 0):
        violate("quarantine-id", who, row["quarantine_id"])
    if raw and (raw["value"] != (value if len(value) <= 65536 else value[:1024]) and not (raw["value"] is None and record.value is None)
                or (raw["key"] or b"") != (record.key or b"")[:1024]):
        violate("quarantine-bytes", who, "the raw bytes kept are not those of the record")


# ---------------------------------------------------------------- repeats and conflicts

def known_request(view, record):
    """The row that a record repeats or conflicts with, and whether it says the same."""
    understood = Understood(record)
    row = understood.body is not None and view.requests.get((understood.tenant, understood.request_id))
    return row or None, bool(row) and row["content_hash"] == requests_hash(understood)


def known_response(view, record):
    kid = kid_of((record.header("signature") or "").partition(".")[0])
    row = view.responses_by_id.get((kid, Understood(record).text("response_id")))
    return row, bool(row) and row["value"] == record.value


def known_outcome(view, record):
    understood = Understood(record)
    row = understood.body is not None and view.outcomes_by_id.get((understood.tenant, understood.text("outcome_id")))
    return row or None, bool(row) and row["content_hash"] == outcome_hash(understood)


BY_INPUTS = {"undeclared_field", "wrong_type", "not_in_enum", "out_of_range", "bad_timestamp", "bad_duration", "missing_field"}
KNOWN = {"requests": known_request, "responses": known_response, "outcomes": known_outcome}


def judge_trace(view, topic, record, rows, violate):
    """rows: the tables with a row that came from this record, and that row."""
    kinds = sorted(kind for kind, _ in rows)
    row = dict(rows)
    if not rows:
        before, same = KNOWN[topic](view, record)
        if not same:
            violate("lost", str(record), "taken and left no trace" if not before else "a conflict that left no trace")
        return
    refused = row.get("quarantine")
    if kinds == ["quarantine", "request"]:
        if row["request"]["valid"]:
            violate("doubled", str(record), "taken as a request and quarantined as well")
    elif len(kinds) > 1:
        violate("doubled", str(record), f"left several traces: {kinds}")
    elif kinds == ["request"] and not row["request"]["valid"]:
        violate("lost", str(record), "an invalid request that was not quarantined")
    if refused and refused["code"] == "id_conflict":
        before, same = KNOWN[topic](view, record)
        if not before or same:
            violate("refused-good", str(record), "an id_conflict with " + ("the same content" if same else "nothing known"))
    elif refused and topic == "requests":
        if is_plainly_good(record) and not (refused["code"] in BY_INPUTS and any("inputs" in view.document(p) for p in view.policies.values())):
            violate("refused-good", str(record), f"nothing is wrong with it, refused as {refused['code']}")
        if refused["request_id"] and (refused["tenant"], refused["request_id"]) not in view.requests:
            violate("lost", str(record), f"refused as {refused['code']}, and {refused['request_id']} has no word")


# ---------------------------------------------------------------- all of it

def judge(view, violate):
    history, tables = view.history, view.tables
    view.responses_by_id = {(r["kid"], r["response_id"]): r for r in tables["response"]}
    view.outcomes_by_id = {(o["tenant"], o["outcome_id"]): o for o in tables["outcome"]}
    said = {r.place: r for r in history.said}
    for at, record in said.items():
        there = view.sent.get(at)
        if there is None and at[2] >= history.begins.get(at[:2], 0) and at[:2] in history.begins:
            violate("log", show(at), "acknowledged by Kafka, and not there")
        elif there and (there.value, there.key or b"", there.headers) != (record.value, record.key or b"", record.headers):
            violate("log", show(at), "another record than the one that was sent")
    sent = {**said, **view.sent}
    traces = {}
    for kind in ("request", "response", "outcome", "shelf", "quarantine"):
        for row in tables[kind]:
            at = place(row)
            traces.setdefault(at, []).append((kind, row))
            topic = at[0][len(history.prefix):]
            if at not in sent or kind in TABLES and topic != TABLES[kind] or topic not in SERVICES or not at[0].startswith(history.prefix):
                violate("made-up", f"{kind} {row.get('request_id') or row.get('quarantine_id')}", f"nobody sent {show(at)}")
            elif at[2] >= view.positions.get((SERVICES[topic], at[1]), 0):
                violate("before-position", show(at), f"a {kind} of a record that its service has not taken yet")
    raws = {r["quarantine_id"]: r for r in tables["quarantine_raw"]}
    for at, record in sent.items():
        rows, topic = traces.get(at, []), at[0][len(history.prefix):]
        for kind, row in rows:
            if kind in ROWS:
                ROWS[kind](view, row, record, violate)
            elif kind == "quarantine":
                judge_quarantine(view, row, record, raws.get(row["quarantine_id"]), violate)
            elif row["value"] != record.value or (row["key"] or b"") != (record.key or b""):
                violate("shelf-bytes", show(at), "what waits is not what was sent")
        if topic in KNOWN and at[2] < view.positions.get((SERVICES[topic], at[1]), 0):
            judge_trace(view, topic, record, rows, violate)
