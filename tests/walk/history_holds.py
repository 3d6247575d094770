# SPDX-License-Identifier: Apache-2.0
"""While a hold stands nothing that it matches is granted, nor are people asked; what waited for it was decided again, in time.

Holds are dated while nobody decides, and decisions while no hold is added or lifted: so their times have one order, without any slack."""
from history_policy import any_matches, matches, policies_of
from history_tools import SECOND, derived, key_of, microseconds

FORGOTTEN = 5 * SECOND  # after which the services that run must have looked


def judge(view, violate):
    holds = sorted(view.tables["hold"], key=lambda h: h["hold_id"])
    for before, hold in zip(holds, holds[1:]):
        if before["added_at"] > hold["added_at"]:
            violate("hold", f"hold {hold['hold_id']}", "it is older than the one before it")
    for hold in holds:
        if hold["lifted_at"] is not None and hold["lifted_at"] < hold["added_at"]:
            violate("hold", f"hold {hold['hold_id']}", "it was lifted before it was added")
    for request, words in view.words.items():
        for word in words:
            judge_word(view, holds, request, word, violate)
    for request, row in view.held.items():
        judge_row(view, holds, request, row, violate)
    for request, approval in view.approvals.items():
        judge_approval(view, holds, request, approval, violate)


def classes_of(view, decision):
    """The names of the classes that the deciding policies put the action into."""
    action, found = view.requests[decision["tenant"], decision["request_id"]]["action"], set()
    for document in (view.document(p) for p in policies_of(view, decision) if p):
        usual = {c["id"] for c in document["classes"] if c["actions"] != ["**"] and any_matches(c["actions"], action)
                 and not any_matches(c.get("except", ()), action)}
        found |= usual or {c["id"] for c in document["classes"] if c["actions"] == ["**"]}
    return found


def stands(hold, at):
    return hold["added_at"] <= at and not (hold["lifted_at"] is not None and hold["lifted_at"] <= at) \
        and not (hold["until"] is not None and hold["until"] <= at)


def matching(view, holds, request, at):
    """Those that stood then, and matched the request as it was decided then."""
    standing, row = [h for h in holds if stands(h, at)], view.requests.get(request)
    decided = [d for d in view.decisions.get(request, ()) if d["decided_at"] <= at]
    if not standing or not row or not row["valid"] or not decided:
        return []
    return [h for h in standing if (h["tenant"] or request[0]) == request[0] and (not h["agent"] or matches(h["agent"], row["agent_id"]))
            and (not h["target"] or matches(h["target"], row["target"])) and (not h["class_id"] or h["class_id"] in classes_of(view, decided[-1]))]


def judge_word(view, holds, request, word, violate):
    at, who, code = word["decided_at"], key_of(*request), word["reason_code"]
    standing = matching(view, holds, request, at)
    if word["status"] == "GRANTED" and standing:
        violate("held", who, f"granted at {at}, and there stood {[h['hold_id'] for h in standing]}")
    if code == "held":
        refuses = word["status"] == "DENIED"
        named = [h for h in standing if word["reason_text"] == f"Hold {h['hold_id']}: {h['reason']}"]
        if not named or named[0]["refuses"] != refuses or not refuses and any(h["refuses"] for h in standing):
            violate("held-word", who, f"{word['status']} at {at} says {word['reason_text']!r}, there stood {[h['hold_id'] for h in standing]}")
        if not refuses and view.held.get(request, {}).get("held_at") != at:
            violate("held-word", who, f"PENDING at {at} as held, kept is {view.held.get(request)}")
    if code == "held_too_long" and (word["status"] != "EXPIRED" or not view.held.get(request) or at < view.held[request]["expires_at"]):
        violate("held-word", who, f"{word['status']} at {at}, held is {view.held.get(request)}")


def judge_row(view, holds, request, row, violate):
    """It waits, or it was decided again at that moment; and it is not forgotten."""
    who, words = key_of(*request), view.words.get(request, [])
    if [w["decided_at"] for w in words if w["reason_code"] == "held" and not w["final"]] != [row["held_at"]] or row["expires_at"] <= row["held_at"]:
        violate("held-row", who, f"held since {row['held_at']} until {row['expires_at']}, words {[(w['status'], w['decided_at']) for w in words]}")
    event = view.event(derived(*request, "authorization.PENDING", 0), "authorizations")
    told = event and view.body(event).get("held_until")
    if not told or microseconds(told) != row["expires_at"]:
        violate("held-row", who, f"told is {told}, kept {row['expires_at']}")
    decided = [d["decided_at"] for d in view.decisions.get(request, ())]
    if decided[:1] != [row["held_at"]] or (decided[1:2] or [None])[0] != row["ended_at"]:
        violate("held-row", who, f"held at {row['held_at']}, ended at {row['ended_at']}, decided at {decided}")
    if row["ended_at"] is not None:
        return
    hold = next((h for h in holds if h["hold_id"] == row["hold_id"]), None)
    late = view.history.now - FORGOTTEN
    if "evaluator" in view.history.running and (hold is None or not stands(hold, late) and hold["added_at"] < late or row["expires_at"] < late):
        violate("held-forgotten", who, f"nothing holds it any more, and it was not decided again: {row}")


def judge_approval(view, holds, request, approval, violate):
    who, standing = key_of(*request), matching(view, holds, request, approval["opened_at"])
    if standing:
        violate("held", who, f"people were asked at {approval['opened_at']}, and there stood {[h['hold_id'] for h in standing]}")
    told = [view.body(e)["hold"] for n in range(approval["notices"])
            for e in [view.event(derived(*request, "approval", n), "approvals")] if e and "hold" in view.body(e)]
    numbers = {h["hold_id"]: h["reason"] for h in holds}
    if any(numbers.get(one["id"]) != one["reason"] for one in told):
        violate("held-word", who, f"told is {told}, there are {numbers}")
    if approval["held_by"] is None:
        return
    hold = next((h for h in holds if h["hold_id"] == approval["held_by"]), None)
    late = view.history.now - FORGOTTEN
    if approval["state"] != "PENDING" or hold is None or hold["hold_id"] not in [one["id"] for one in told]:
        violate("held-row", who, f"{approval['state']} waits for {approval['held_by']}, told is {told}")
    elif "resolver" in view.history.running and not stands(hold, late) and hold["added_at"] < late:
        violate("held-forgotten", who, f"hold {hold['hold_id']} is over, and it was not decided again")
