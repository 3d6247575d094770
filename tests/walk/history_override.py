# SPDX-License-Identifier: Apache-2.0
"""What one person let through alone is marked everywhere as that, was that person's to let through, and is reviewed by another."""
from history_tools import claims_of, key_of


def overrides(view, approval, votes):
    """Whether one of these answers let it through: at the moment of the grant, with a reason, and marked."""
    review = view.reviews.get(approval["approval_id"])
    return bool(review) and any(v["verdict"] == "override" and v["reason"] and v["received_at"] == approval["closed_at"]
                                and (v["responder"], v["reason"]) == (review["overrider"], review["reason"]) for v in votes)


def judge_overrider(directory, response, needs, who, violate):
    """A member of the override group of every demand, and says why."""
    groups = {r["demand"]: r["override_group"] for r in needs}
    lacking = [g for g in groups.values() if not g or not directory.is_member(response["tenant"], g, response["responder"], response["received_at"])]
    if lacking or not groups or not response["reason"]:
        violate("override", who, f"{response['responder']} overrode {groups} because {response['reason']}, and is not in {lacking}")


def may_be_refused(view, directory, response, approval):
    """The codes that only overriding and reviewing have."""
    review, verdict = view.reviews.get(approval["approval_id"]), response["verdict"]
    groups = [r["override_group"] for r in view.requirements.get(approval["approval_id"], ())]
    return {
        "not_overridable": verdict == "override" and None in groups,
        "policy_changed": verdict == "override" and any(d["decided_at"] == response["received_at"]
                                                        for d in view.decisions.get((response["tenant"], response["request_id"]), ())[1:]),
        "held": verdict == "override" and any(h["added_at"] <= response["received_at"] and (h["lifted_at"] or response["received_at"]) >= response["received_at"]
                                              for h in view.tables["hold"]),
        "not_overridden": verdict == "review" and (not review or review["opened_at"] > response["received_at"]),
        "responder_is_overrider": verdict == "review" and review and review["overrider"] == response["responder"],
        "already_reviewed": verdict == "review" and review and review["closed_at"] is not None and review["closed_at"] <= response["received_at"],
    }


def judge(view, violate):
    by_id = {a["approval_id"]: request for request, a in view.approvals.items()}
    for approval_id, review in view.reviews.items():
        request = by_id.get(approval_id)
        if request != (review["tenant"], review["request_id"]):
            violate("override", approval_id, "a review of no question")
            continue
        judge_review(view, view.approvals[request], review, key_of(*request), violate)
    for request, approval in view.approvals.items():
        judge_marks(view, request, approval, key_of(*request), violate)


def judge_review(view, approval, review, who, violate):
    votes = [v for v in view.responses.get(approval["approval_id"], ()) if v["result"] == "counted"]
    if approval["state"] not in ("APPROVED", "REVOKED") or review["opened_at"] != approval["closed_at"] or not overrides(view, approval, votes):
        violate("override", who, f"{review['overrider']} overrode at {review['opened_at']}, and it is {approval['state']} since {approval['closed_at']}")
    closed = [(v["responder"], v["reason"], v["received_at"]) for v in votes if v["verdict"] == "review"]
    said = [(review["reviewer"], review["finding"], review["closed_at"])] if review["closed_at"] else []
    if closed != said or review["reviewer"] == review["overrider"]:
        violate("override", who, f"overridden by {review['overrider']}, reviewed by {closed}, closed {said}")


def judge_marks(view, request, approval, who, violate):
    """The words, their tokens and the notices name who overrode, and nobody else is named so."""
    review = view.reviews.get(approval["approval_id"])
    by = review and review["overrider"]
    counted = [v for v in view.responses.get(approval["approval_id"], ()) if v["result"] == "counted"]
    if not review and approval["state"] in ("APPROVED", "REVOKED") and any(v["verdict"] in ("override", "review") for v in counted):
        violate("override", who, "overridden, and no review was opened")
    for word in view.words.get(request, ()):
        event = view.event(word["event_id"], "authorizations")
        wanted = by if word["status"] in ("GRANTED", "REVOKED") else None
        told = claims_of(word["token"], view.history.keys, "countersign-authorization+jwt") if word["token"] else None
        named = [view.body(event).get("overridden_by") if event else wanted] + [told.get("overridden_by") if told else wanted]
        if named != [wanted, wanted]:
            violate("override", who, f"{word['status']} names {named}, overridden by {by}")
        if (word["reason_code"] == "overridden") != (word["status"] == "GRANTED" and by is not None):
            violate("override", who, f"{word['status']} by {word['reason_code']}, overridden by {by}")
    for event in view.told.get(who, ()):
        body = view.body(event)
        if body.get("approval_id") == approval["approval_id"] and "cause" in body and body.get("overridden_by") != (by if body.get("state") == "CLOSED" else None):
            violate("override", who, f"a notice {body.get('cause')} names {body.get('overridden_by')}, overridden by {by}")
