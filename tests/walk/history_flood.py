# SPDX-License-Identifier: Apache-2.0
"""Nothing is asked twice at a time, what is open is known as open, and who was refused for a flood was part of one."""
from bisect import bisect_left, bisect_right

from history_tools import SECOND, derived, key_of

SLACK = 5 * SECOND  # between the clock that an opening read and the commit of the closing that it saw
UNASKED = (["no_eligible_approver"], ["duplicate_open"], ["too_many_open"], ["held"], ["held_too_long"])
TOLD = 3600 * SECOND
COUNTED = 1000  # of a group without a limit no more


def judge(view, violate):
    alike = {}
    for approval in sorted(view.tables["approval"], key=lambda a: (a["opened_at"], a["approval_id"])):
        alike.setdefault((approval["tenant"], approval["request_digest"]), []).append(approval)
    for (tenant, _), approvals in alike.items():
        for first, second in zip(approvals, approvals[1:]):
            if first["closed_at"] is None or second["opened_at"] < first["closed_at"] - SLACK:
                violate("asked-twice", key_of(tenant, second["request_id"]), f"{first['request_id']} is open and asks the same")
    judge_lines(view, violate)
    judge_ahead(view, violate)
    for request, words in view.words.items():
        for word in words:
            if word["reason_code"] == "duplicate_open":
                judge_duplicate(alike, request, word, violate)
            elif word["reason_code"] == "too_many_open":
                judge_flood(view, request, word, violate)


def judge_lines(view, violate):
    """What is kept for looking it up is what the approvals say."""
    lines = {row["approval_id"]: row for row in view.tables["open_approval"]}
    asks = {(row["approval_id"], row["tenant"], row["group_name"]) for row in view.tables["open_ask"]}
    wanted = set()
    for request, approval in view.approvals.items():
        if approval["state"] != "PENDING":
            continue
        line, row, first = lines.pop(approval["approval_id"], {}), view.requests.get(request, {}), view.courses.get(request, [{}])[0]
        if (line.get("tenant"), line.get("request_digest"), line.get("agent_id"), line.get("class_id")) != \
                (request[0], approval["request_digest"], row.get("agent_id"), first.get("class_id")):
            violate("open-line", key_of(*request), f"is open, and kept as {line}")
        wanted |= {(approval["approval_id"], request[0], need["group_name"]) for need in view.requirements.get(approval["approval_id"], ()) if not need["of_step"]}
    if lines or asks != wanted:
        violate("open-line", "open_approval", f"open, and not so: {sorted(lines)}, {sorted(asks ^ wanted)}")


def judge_ahead(view, violate):
    """Who asks people is told how many open approvals asked each group at that time: as it is stored, and as it was."""
    slack, opened, closed = max(SLACK, view.history.unseen * SECOND), {}, {}
    for (tenant, _), approval in view.approvals.items():
        for group in {need["group_name"] for need in view.requirements.get(approval["approval_id"], ()) if not need["of_step"]}:
            opened.setdefault((tenant, group), []).append(approval["opened_at"])
            closed.setdefault((tenant, group), []).append(approval["closed_at"] or float("inf"))
    for times in (*opened.values(), *closed.values()):
        times.sort()
    for request, approval in view.approvals.items():
        asked = [need for need in view.requirements.get(approval["approval_id"], ()) if not need["of_step"] and need["added_at"] is None]
        stored = {need["group_name"]: need["ahead"] for need in asked}
        told = [view.body(event).get("ahead") for event in (view.event(derived(*request, "authorization.PENDING", 0), "authorizations"),
                                                            view.event(derived(*request, "approval", 0), "approvals"))
                if event and (request not in view.held or event["topic"] == "approvals")]
        if any(ahead != stored for ahead in told):
            violate("ahead", key_of(*request), f"told {told}, stored {stored}")
        for group, ahead in stored.items():
            others, over, at = opened[request[0], group], closed[request[0], group], approval["opened_at"]
            least = bisect_left(others, at - slack) - bisect_right(over, at + slack)
            most = bisect_right(others, at + slack) - bisect_left(over, at - slack) - 1
            if not min(least, COUNTED) <= (-1 if ahead is None else ahead) <= most:
                violate("ahead", key_of(*request), f"{ahead} open approvals of {group} are ahead, there were from {least} to {most}")


def judge_duplicate(alike, request, word, violate):
    if not any(a["request_id"] != request[1] and a["opened_at"] <= word["decided_at"]
               and (a["closed_at"] is None or a["closed_at"] > word["decided_at"] - SLACK)
               for a in alike.get((request[0], word["request_digest"]), ())):
        violate("duplicate", key_of(*request), "nothing of the same content was open")


def judge_flood(view, request, word, violate):
    row, decision = view.requests.get(request, {}), view.courses.get(request, [{}])[0]
    names = {f"agent {row.get('agent_id')}", f"class {decision.get('class_id')}"}
    if not any(i["kind"] == "approval_flood" and i["tenant"] == request[0] and i["at"] <= word["decided_at"] < i["at"] + TOLD
               and (i["subject"] in names or i["subject"].startswith("group ")) for i in view.tables["incident"]):
        violate("flood", key_of(*request), "refused for a flood of which nobody was told")
