# SPDX-License-Identifier: Apache-2.0
"""The ledger's chains hold, and the topics say what the ledger says: all of it, in order, byte for byte."""
import hashlib
import json
import struct

from history_tools import b64url, claims_of, derived, kid_of, microseconds, murmur2, verifies

PUBLISHED = ("approvals", "authorizations", "incidents", "quarantine", "checkpoints", "directory")


def judge(view, violate):
    view.heads = {h["chain"]: h for h in view.tables["ledger_head"]}
    view.at = {(e["chain"], e["sequence"]): e for e in view.tables["ledger_event"]}
    judge_chains(view, violate)
    judge_ids(view, violate)
    judge_checkpoints(view, violate)
    judge_directory(view, violate)
    judge_topics(view, violate)


# ---------------------------------------------------------------- chains

def field(raw):
    return struct.pack(">Q", len(raw)) + raw


def number(value):
    return struct.pack(">QQ", 8, value)


def hash_of(batch, events):
    parts = [field(b"countersign-ledger-v1"), field(batch["prev_hash"])]
    parts += map(number, (batch["chain"], batch["first"], batch["last"], batch["created_at"]))
    for e in events:
        parts.append(number(e["sequence"]))
        parts += [field(e[n].encode()) for n in ("event_id", "topic", "key", "headers")]
        parts.append(field(e["payload"]))
    return hashlib.sha256(b"".join(parts)).digest()


def judge_chains(view, violate):
    if sorted(view.heads) != list(range(view.chains)):
        violate("chains", "ledger_head", f"chains {sorted(view.heads)} of {view.chains}")
    batches, counts = {}, {}
    for batch in sorted(view.tables["ledger_batch"], key=lambda b: (b["chain"], b["first"])):
        batches.setdefault(batch["chain"], []).append(batch)
    for chain, sequence in view.at:
        counts[chain] = counts.get(chain, 0) + 1
        if not 0 < sequence <= view.heads.get(chain, {"sequence": 0})["sequence"]:
            violate("behind-the-end", f"{chain}/{sequence}", "an event that the head does not know")
    for chain, head in view.heads.items():
        if counts.get(chain, 0) != head["sequence"]:
            violate("gap", str(chain), f"{counts.get(chain, 0)} events, the head is at {head['sequence']}")
        last, hash_before = 0, bytes(32)
        for batch in batches.get(chain, ()):
            where = f"{chain}/{batch['first']}-{batch['last']}"
            events = [view.at[chain, s] for s in range(batch["first"], batch["last"] + 1) if (chain, s) in view.at]
            if batch["first"] != last + 1 or len(events) != batch["last"] - last:
                violate("gap", where, f"the batch before ends at {last}, {len(events)} events are there")
            if batch["prev_hash"] != hash_before:
                violate("hash", where, "does not hang on the batch before")
            if hash_of(batch, events) != batch["hash"]:
                violate("hash", where, "is not the hash of its events")
            if any(e["created_at"] != batch["created_at"] for e in events):
                violate("hash", where, "its events are of another time")
            last, hash_before = batch["last"], batch["hash"]
        if (last, hash_before) != (head["sequence"], head["hash"]):
            violate("hash", str(chain), f"the head is not the end of the last batch, {last}")


def judge_ids(view, violate):
    """An event is once in the ledger, and its headers and body speak of it alone."""
    for event_id, events in view.events.items():
        if len(events) > 1:
            violate("doubled-event", event_id, f"at {[(e['chain'], e['sequence']) for e in events]}")
    quarantined = {q["quarantine_id"]: q for q in view.tables["quarantine"]}
    for row in quarantined.values():
        event, who = view.event(row["quarantine_id"], "quarantine"), f"{row['origin_topic']}/{row['origin_partition']}/{row['origin_offset']}"
        if event is None:
            violate("unsaid", who, "its quarantine is not in the ledger once")
            continue
        body = view.body(event)
        said = {"code": body.get("reason", {}).get("code"), "digest": body.get("digest"), "size": body.get("size"),
                "request_id": body.get("request_id"), "tenant": body.get("tenant")}
        if any(row[n] != value for n, value in said.items()) or event["key"] != who or event["chain"] != row["origin_partition"] % view.chains:
            violate("said", who, f"the event of its quarantine says {said}, key {event['key']}, chain {event['chain']}")
    for event in view.tables["ledger_event"]:
        where = f"{event['chain']}/{event['sequence']}"
        headers = dict(map(tuple, json.loads(event["headers"])))
        if event["topic"] == "quarantine" and event["event_id"] not in quarantined:
            violate("made-up", where, "an event of quarantine that no row knows")
        if event["topic"] not in PUBLISHED or headers.get("ce_id") != event["event_id"] or \
                view.body(event).get("event_id", event["event_id"]) != event["event_id"]:
            violate("event-id", where, f"topic {event['topic']}, id {event['event_id']}, headers {headers.get('ce_id')}")
        if event["topic"] == "approvals":
            judge_signature(view, event, headers, where, violate)


def judge_signature(view, event, headers, where, violate):
    header, _, signature = headers.get("signature", "").partition("..")
    public = view.history.keys.get(kid_of(header))
    if not public or not verifies(public, header, b64url(event["payload"]), signature, "countersign-approval"):
        violate("signature", where, "a notice that is not signed by a key of ours")


# ---------------------------------------------------------------- the directory

def judge_directory(view, violate):
    """Every change is an event, and every event a change."""
    known = {}
    for row in view.tables["directory_history"]:
        tenant = (row["new_row"] or row["old_row"])["tenant"]
        event_id = derived(tenant, "", "directory", row["n"])
        known[event_id] = row
        event = view.event(event_id, "directory")
        if event is None:
            violate("unsaid", f"directory_history {row['n']}", "the change is not in the ledger once")
            continue
        body = view.body(event)
        said = (body.get("tenant"), body.get("number"), microseconds(body.get("at", "")), body.get("by", {}).get("role"), body.get("relation"),
                body.get("operation"), body.get("before"), body.get("after"), event["key"])
        if said != (tenant, row["n"], row["at"], row["by_role"], row["relation"], row["operation"], row["old_row"], row["new_row"], tenant):
            violate("said", f"directory_history {row['n']}", f"the event says {said}, the row {row}")
    for event in view.tables["ledger_event"]:
        if event["topic"] == "directory" and event["event_id"] not in known:
            violate("made-up", f"{event['chain']}/{event['sequence']}", "an event of directory that no row knows")


# ---------------------------------------------------------------- checkpoints

def judge_checkpoints(view, violate):
    ends = {(b["chain"], b["last"]): b for b in view.tables["ledger_batch"]}
    known = set()
    for row in view.tables["checkpoint"]:
        where = f"{row['chain']}/{row['sequence']}"
        batch, claims = ends.get((row["chain"], row["sequence"])), claims_of(row["token"], view.history.keys, "countersign-checkpoint")
        if not batch or batch["hash"] != row["hash"]:
            violate("checkpoint", where, "is not the end of a batch")
        if claims is None or (claims.get("chain"), claims.get("sequence"), claims.get("hash"), microseconds(claims.get("at", ""))) != (
                row["chain"], row["sequence"], "sha-256:" + row["hash"].hex(), row["at"]):
            violate("checkpoint", where, "its token is not by a key of ours, or says something else")
        event = view.at.get((row["chain"], row["event_sequence"]))
        event_id = derived("", row["chain"], "checkpoint", row["sequence"])
        known.add(event_id)
        if not event or event["topic"] != "checkpoints" or event["event_id"] != event_id or row["event_sequence"] != row["sequence"] + 1 \
                or view.body(event).get("token") != row["token"]:
            violate("checkpoint", where, f"its event is not at {row['event_sequence']}")
    for event in view.tables["ledger_event"]:
        if event["topic"] == "checkpoints" and event["event_id"] not in known:
            violate("made-up", f"{event['chain']}/{event['sequence']}", "an event of checkpoints that no row knows")


# ---------------------------------------------------------------- the topics

def place_of(record):
    try:
        return int(record.header("countersign-chain")), int(record.header("countersign-sequence"))
    except (TypeError, ValueError):
        return None


def judge_topics(view, violate):
    history, found, order = view.history, set(), {}
    partitions = 1 + max(partition for _, partition in history.ends)
    for record in history.records:
        topic = record.topic[len(history.prefix):]
        if topic not in PUBLISHED:
            continue
        place = place_of(record)
        event = view.at.get(place)
        if event is None:
            if record.offset < history.seen_until[record.topic, record.partition] or not place or place[0] not in view.heads:
                violate("stray", str(record), f"says that it is {place} of the ledger, which has none such")
            continue
        said = event["topic"], event["key"].encode(), event["payload"], expected_headers(event)
        if said != (topic, record.key, record.value, record.headers):
            violate("changed", str(record), f"differs from {place} of the ledger in "
                    + ", ".join(n for n, a, b in zip(("topic", "key", "value", "headers"), said, (topic, record.key, record.value, record.headers)) if a != b))
        if record.partition != murmur2(event["key"]) % partitions:
            violate("partition", str(record), f"{event['key']} belongs on {murmur2(event['key']) % partitions}")
        if place in found:
            continue
        found.add(place)
        last = order.get((record.topic, record.partition, place[0]), 0)
        if place[1] < last:
            violate("order", str(record), f"{place} came after {last} for the first time")
        order[record.topic, record.partition, place[0]] = max(last, place[1])
    for row in view.tables["relay_position"]:
        head = view.heads.get(row["chain"], {"sequence": 0})["sequence"]
        if row["next_sequence"] > head + 1:
            violate("relay", str(row["chain"]), f"next is {row['next_sequence']}, the chain ends at {head}")
        for sequence in range(1, head + 1):
            event = view.at.get((row["chain"], sequence))
            if (row["chain"], sequence) in found or not event or row_is_young(view, row, event):
                continue
            violate("unpublished", f"{row['chain']}/{sequence}", f"an event of {event['topic']} for {event['key']} is on no topic")


def row_is_young(view, row, event):
    """It need not be on its topic yet."""
    waits = event["sequence"] >= row["next_sequence"]
    return waits and ("relay" not in view.history.running or event["topic"] == "checkpoints")


def expected_headers(event):
    return [(n, v.encode()) for n, v in json.loads(event["headers"])] + [
        ("countersign-chain", str(event["chain"]).encode()), ("countersign-sequence", str(event["sequence"]).encode())]
