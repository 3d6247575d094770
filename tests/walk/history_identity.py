# SPDX-License-Identifier: Apache-2.0
"""Who asked, and who reported, is known only where a registered key that may speak as the agent has signed, in time; and what was refused for its signature had a bad one."""
from history_inputs import Understood, place
from history_policy import any_matches
from history_tools import SECOND, b64url, kid_of, microseconds, verifies

SLACK = 1 * SECOND
WINDOW = 5 * 60 * SECOND
TYPES = {"evaluator": "countersign-request", "recorder": "countersign-outcome"}
CODES = ("signature_invalid", "unknown_key", "revoked_key", "agent_not_key_owner", "stale")


def is_by(key, record, service):
    header, _, signature = (record.header("signature") or "").partition("..")
    return verifies(key["public"], header, b64url(record.value or b""), signature, TYPES[service])


def speaks_as(key, agent):
    return key["kind"] == "agent" and (key["owner"] == agent or any_matches(key["agents"], agent))


def fresh(issued_at, at, record, waited=0):
    return any(abs(issued_at - moment) <= WINDOW + waited for moment in [at] + ([record.at] if record.at else []))


def judge(view, directory, violate):
    for row in view.tables["request"]:
        record = view.sent.get(place(row))
        if record is not None and row["valid"]:
            judge_signed(directory, "evaluator", row, record, row["agent_id"], violate)
    for row in view.tables["outcome"]:
        record, about = view.sent.get(place(row)), view.requests.get((row["tenant"], row["request_id"]))
        if record is not None:
            there = about is not None and about["received_at"] <= row["received_at"]
            waited = view.history.shelf_limit["recorder"] if about is None or about["received_at"] > (row["issued_at"] or 0) + SLACK else 0
            judge_signed(directory, "recorder", row, record, about["agent_id"] if there else None, violate, waited)
    for row in view.tables["quarantine"]:
        record = view.sent.get(place(row))
        if row["service"] in TYPES and row["code"] in CODES and record is not None:
            judge_refusal(view, directory, row, record, violate)


def judge_signed(directory, service, row, record, agent, violate, waited=0):
    """waited: how long it may have waited for its request, so that its signature counted when it came."""
    who, kid, at = f"{row['tenant']}/{row['request_id']} by {service}", row["verified_kid"], row["received_at"]
    if (record.header("signature") is not None) != (kid is not None):
        violate("identity", who, f"its signature is {record.header('signature')!r}, and the row says {kid}")
    if kid is None:
        return
    key = directory.keys.get(kid)
    if not key or key["tenant"] != row["tenant"] or key["since"] > at or directory.was_revoked(kid, at):
        violate("identity", who, f"key {kid} did not count then")
        return
    if kid_of(record.header("signature").partition(".")[0]) != kid or not is_by(key, record, service):
        violate("identity", who, "taken as signed, and it is not by that key")
    if key["owner"] != row["verified_owner"] or agent is not None and not speaks_as(key, agent):
        violate("identity", who, f"the key of {key['owner']} does not speak as {agent}, the row says {row['verified_owner']}")
    if row["issued_at"] is None or not fresh(row["issued_at"], at, record, waited):
        violate("identity", who, f"issued at {row['issued_at']}, taken at {at}")


def judge_refusal(view, directory, row, record, violate):
    kid = kid_of((record.header("signature") or "").partition(".")[0])
    key, revoked, body = directory.keys.get(kid), directory.revoked.get(kid), Understood(record).body or {}
    about = view.requests.get((row["tenant"], row["request_id"])) if row["service"] == "recorder" else body
    good = {
        "signature_invalid": not key or not is_by(key, record, row["service"]),
        "unknown_key": not key or key["tenant"] != row["tenant"] or key["since"] > row["at"] - SLACK,
        "revoked_key": revoked is not None and revoked <= row["at"],
        "agent_not_key_owner": bool(key) and about is not None and not speaks_as(key, about.get("agent_id") or ""),
        "stale": abs(microseconds(body.get("issued_at", "")) - row["at"]) > WINDOW,
    }[row["code"]]
    if not good:
        violate("refused-good", str(record), f"refused as {row['code']} for no reason")
