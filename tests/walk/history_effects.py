# SPDX-License-Identifier: Apache-2.0
"""What was done is judged as it must be, incidents and deliveries are there once, positions and the shelf are where they belong."""
import json

from history_tools import SECOND, derived, key_of, microseconds

INPUTS = {"requests": "evaluator", "responses": "resolver", "outcomes": "recorder", "approvals": "notifier"}
SHELF_PER_REQUEST = 32


def judge(view, violate):
    judge_outcomes(view, violate)
    judge_incidents(view, violate)
    judge_positions(view, violate)
    judge_shelf(view, violate)
    judge_deliveries(view, violate)


# ---------------------------------------------------------------- outcomes

def judgements(view, outcome, word, revoked, before):
    """What may be said of it, the reports before it in hand."""
    started = any(o["status"] == "started" for o in before)
    ended = any(o["status"] in ("succeeded", "failed") for o in before)
    in_time = any(o["judgement"] == "authorized" for o in before)
    record = view.sent.get((outcome["origin_topic"], outcome["origin_partition"], outcome["origin_offset"]))
    reached = record.at if record and record.at else outcome["received_at"]
    if not word:
        return {"executed_without_authorization"}
    young = {"executed_without_authorization"} if word["decided_at"] > outcome["received_at"] - view.history.unseen * SECOND else set()
    if word["decided_at"] > outcome["received_at"]:
        return young
    if word["status"] != "GRANTED":
        return young | {"executed_after_denial"}
    body = json.loads(record.value) if record else {}
    named = body.get("data", body).get("authorization")
    if named is not None and named not in (word["event_id"], word["token"]):
        return {"executed_without_authorization"}
    if outcome["request_digest"] != word["request_digest"]:
        return young | {"executed_with_other_digest"}
    if outcome["status"] == "started" and started or outcome["status"] in ("succeeded", "failed") and ended:
        return young | {"executed_twice"}
    begins = outcome["status"] == "started" or not in_time
    if begins and revoked and outcome["received_at"] >= revoked and reached >= revoked:
        return young | {"executed_after_revocation"}
    if begins and reached >= (word["expires_at"] or 0):
        return young | {"executed_after_expiry"}
    return young | {"authorized"}


def judge_outcomes(view, violate):
    incidents = {i["incident_id"]: i for i in view.tables["incident"]}
    for request, outcomes in view.outcomes.items():
        word = view.final(request)
        for n, outcome in enumerate(outcomes):
            who = f"{outcome['tenant']}/{outcome['outcome_id']}"
            allowed = judgements(view, outcome, word, view.revoked(request), outcomes[:n])
            if outcome["judgement"] not in allowed:
                violate("judgement", who, f"{outcome['judgement']}, expected {' or '.join(sorted(allowed))}")
            event_id = word and word["event_id"]
            if outcome["joined_with"] not in (None, event_id) or outcome["judgement"] == "authorized" and not outcome["joined_with"]:
                violate("judgement", who, f"joined with {outcome['joined_with']}, the final word is {event_id}")
            if outcome["judgement"] == "authorized":
                continue
            incident = incidents.get(derived(*request, f"incident.{outcome['judgement']}.{outcome['outcome_id']}", 0))
            if not incident or incident["kind"] != outcome["judgement"] or outcome["outcome_id"] not in incident["evidence"]:
                violate("no-incident", who, f"{outcome['judgement']}, and no incident says so")


def judge_incidents(view, violate):
    due = {derived(o["tenant"], o["request_id"], f"incident.{o['judgement']}.{o['outcome_id']}", 0)
           for o in view.tables["outcome"] if o["judgement"] != "authorized"}
    for row in view.tables["incident"]:
        request = row["tenant"], row["request_id"]
        if row["kind"] == "authorized_never_reported":
            word = view.final(request)
            early = [o for o in view.outcomes.get(request, ()) if o["received_at"] < row["at"] - view.history.unseen * SECOND]
            if not word or word["status"] != "GRANTED" or (view.revoked(request) or row["at"]) < row["at"] - view.history.unseen * SECOND or row["at"] < word["expires_at"] or early or \
                    row["incident_id"] != derived(*request, f"incident.{row['kind']}.{word['event_id']}", 0):
                violate("made-up", row["incident_id"], f"{row['kind']} of {key_of(*request)}")
        elif row["kind"] == "approval_flood":
            if [w["reason_code"] for w in view.words.get(request, ())] != ["too_many_open"] or row["evidence"] != [row["request_id"]] or \
                    row["incident_id"] != derived(*request, f"incident.approval_flood.{row['subject']}", 0):
                violate("made-up", row["incident_id"], f"{row['kind']} of {key_of(*request)}")
        elif row["incident_id"] not in due:
            violate("made-up", row["incident_id"], f"{row['kind']} of {key_of(*request)}, and no outcome is one")
        event = view.event(row["incident_id"], "incidents")
        if event is None:
            violate("unsaid", row["incident_id"], "the incident is not in the ledger once")
            continue
        body = view.body(event)
        said = {n: body.get(n) for n in ("kind", "severity", "tenant", "request_id", "text", "evidence")}
        for column, value in {**said, "at": microseconds(body.get("at", ""))}.items():
            if row[column] != value:
                violate("said", row["incident_id"], f"{column} is {row[column]!r}, the event says {value!r}")


# ---------------------------------------------------------------- positions and the shelf

def judge_positions(view, violate):
    history = view.history
    for row in view.tables["consumer_position"]:
        service = row["consumer_group"][len(history.prefix):]
        topic = row["topic"][len(history.prefix):]
        where = f"{row['consumer_group']} {row['topic']}/{row['partition']}"
        if INPUTS.get(topic) != service:
            violate("position", where, "a group that reads another topic than its own")
            continue
        if row["next_offset"] > history.ends[row["topic"], row["partition"]]:
            violate("position", where, f"{row['next_offset']}, the log ends at {history.ends[row['topic'], row['partition']]}")
        if service in history.running and row["next_offset"] < history.seen_until[row["topic"], row["partition"]]:
            violate("position", where, f"{row['next_offset']}, the log ends at {history.seen_until[row['topic'], row['partition']]}")
    for (topic, partition), end in history.seen_until.items():
        service = INPUTS.get(topic[len(history.prefix):])
        if service in history.running and end > history.begins.get((topic, partition), 0) and (service, partition) not in view.positions:
            violate("position", f"{topic}/{partition}", "nobody has taken it")


def judge_shelf(view, violate):
    history, by_request = view.history, {}
    for row in view.tables["shelf"]:
        where = f"{row['origin_topic']}/{row['origin_partition']}/{row['origin_offset']}"
        request = row["service"], row["tenant"], row["request_id"]
        by_request[request] = by_request.get(request, 0) + 1
        if row["service"] not in history.running:
            continue
        if request[1:] in view.requests:
            violate("shelf", where, f"waits for {row['request_id']}, which is there")
        if row["shelved_at"] + history.shelf_limit[row["service"]] + 10 * SECOND < history.now:
            violate("shelf", where, "waits for too long")
    for request, count in by_request.items():
        if count > SHELF_PER_REQUEST:
            violate("shelf", "/".join(request), f"{count} wait for it")


# ---------------------------------------------------------------- deliveries

def wants(target, tenant, groups, event):
    return event in target.get("events", ("opened", "closed", "outcome")) and tenant in target.get("tenants", (tenant,)) \
        and (not target.get("groups") or bool(set(groups) & set(target["groups"])))


def judge_deliveries(view, violate):
    there = {}
    for row in view.tables["delivery"]:
        who = f"{row['channel']}/{row['target']} {row['kind']} of {row['request_id']}"
        there[row["approval_id"], row["channel"], row["target"], row["kind"]] = row
        if row["delivery_id"] != derived(row["approval_id"], row["channel"], row["target"], row["kind"]):
            violate("event-id", who, row["delivery_id"])
        approval = view.approvals.get((row["tenant"], row["request_id"]))
        if not approval or approval["approval_id"] != row["approval_id"]:
            violate("made-up", who, "a delivery about no question")
        elif row["kind"] == "approval.closed" and approval["state"] == "PENDING" or row["kind"] == "approval.revoked" and approval["state"] != "REVOKED" \
                or row["kind"] == "approval.overridden" and row["approval_id"] not in view.reviews:
            violate("made-up", who, "tells an end that has not come")
        if (row["state"] == "pending") != (row["finished_at"] is None) or row["state"] == "sent" and row["attempts"] < 1:
            violate("delivery", who, f"{row['state']}, finished at {row['finished_at']}, {row['attempts']} attempts")
        body = json.loads(row["body"]).get("data", {})
        if (body.get("delivery_id"), body.get("approval_id"), body.get("tenant")) != (row["delivery_id"], row["approval_id"], row["tenant"]):
            violate("delivery", who, "its body speaks of something else")
    if "notifier" not in view.history.running:
        return
    for request, approval in view.approvals.items():
        groups = [r["group_name"] for r in view.requirements.get(approval["approval_id"], ()) if approval["asked"] >> r["n"] & 1]
        for target in view.history.targets:
            every = [r["group_name"] for r in view.requirements.get(approval["approval_id"], ())]
            told = (approval["approval_id"], target["channel"], target["name"], "approval.overridden")
            if approval["approval_id"] in view.reviews and wants(target, request[0], every, "opened") and told not in there:
                violate("untold", key_of(*request), f"{target['channel']}/{target['name']} was not told that it was overridden")
            for event in ("opened", *["closed"] * (approval["state"] != "PENDING"), *["revoked"] * (approval["state"] == "REVOKED")):
                told = (approval["approval_id"], target["channel"], target["name"], f"approval.{event}")
                if wants(target, request[0], groups, "closed" if event == "revoked" else event) and told not in there:
                    violate("untold", key_of(*request), f"{target['channel']}/{target['name']} was not told that it was {event}")
