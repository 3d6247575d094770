# SPDX-License-Identifier: Apache-2.0
"""Who was asked is told what was reported of it, as it was reported; and what is kept as having failed did, and has not worked since."""
import json

from history_effects import wants
from history_tools import key_of

MOST = 8  # outcomes of one approval that are told
KIND = "approval.outcome."


def is_news(outcome):
    return outcome["status"] != "started" or outcome["judgement"] != "authorized"


def judge(view, violate):
    outcomes = {(o["tenant"], o["outcome_id"]): o for o in view.tables["outcome"]}
    news = {(n["tenant"], n["outcome_id"]): n for n in view.tables["outcome_news"]}
    for (tenant, outcome_id), row in news.items():
        outcome = outcomes.get((tenant, outcome_id))
        approval = outcome and view.approvals.get((tenant, outcome["request_id"]))
        if not approval or approval["approval_id"] != row["approval_id"] or not is_news(outcome):
            violate("made-up", f"{tenant}/{outcome_id}", f"kept to be told to who was asked in {row['approval_id']}")
    for request, reported in view.outcomes.items():
        judge_request(view, request, [o for o in reported if is_news(o)], news, violate)
    judge_deliveries(view, outcomes, news, violate)
    judge_setbacks(view, outcomes, violate)


def judge_request(view, request, reported, news, violate):
    approval = view.approvals.get(request)
    if not approval or any(o["received_at"] < approval["opened_at"] for o in reported):
        return
    kept = [o for o in reported if (o["tenant"], o["outcome_id"]) in news]
    if len(kept) != min(len(reported), MOST):
        violate("untold", key_of(*request), f"{len(reported)} outcomes, {len(kept)} are kept to be told")
    groups = [r["group_name"] for r in view.requirements.get(approval["approval_id"], ()) if approval["asked"] >> r["n"] & 1]
    there = {(d["channel"], d["target"], d["kind"]) for d in view.tables["delivery"] if d["approval_id"] == approval["approval_id"]}
    for outcome in kept if "notifier" in view.history.running else ():
        missing = [t["name"] for t in view.history.targets if wants(t, request[0], groups, "outcome")
                   and (t["channel"], t["name"], KIND + outcome["outcome_id"]) not in there]
        if missing or news[outcome["tenant"], outcome["outcome_id"]]["told_at"] is None:
            violate("untold", key_of(*request), f"{missing} were not told of {outcome['outcome_id']}")


def judge_deliveries(view, outcomes, news, violate):
    for row in view.tables["delivery"]:
        if not row["kind"].startswith(KIND):
            continue
        name = row["tenant"], row["kind"][len(KIND):]
        outcome, said = outcomes.get(name), json.loads(row["body"])["data"].get("outcome", {})
        if not outcome or name not in news or any(said.get(n) != outcome[n] for n in ("outcome_id", "status", "judgement", "reported_by", "code", "detail")):
            violate("made-up", f"{row['target']} {row['kind']}", f"tells {said}, recorded is {outcome}")


def judge_setbacks(view, outcomes, violate):
    """A row for what was reported as failed or rolled back; none where the same has worked later, and perhaps none where it did in the same moment."""
    kept = {(s["tenant"], s["request_id"]): s for s in view.tables["setback"]}
    worked = {}  # by agent, action and target: when it did last
    for outcome in view.tables["outcome"]:
        row = view.requests.get((outcome["tenant"], outcome["request_id"]))
        if row and outcome["status"] == "succeeded" and outcome["judgement"] == "authorized":
            words = row["tenant"], row["agent_id"], row["action"], row["target"]
            worked[words] = max(worked.get(words, 0), outcome["received_at"])
    for request, reported in view.outcomes.items():
        row, failed = view.requests.get(request), [o["received_at"] for o in reported if o["status"] in ("failed", "rolled_back")]
        if not row or not row["valid"]:
            continue
        last = worked.get((row["tenant"], row["agent_id"], row["action"], row["target"]), 0)
        if failed and min(failed) > last and request not in kept:
            violate("setback", key_of(*request), "failed, and has not worked since, and nobody will be told")
    for request, setback in kept.items():
        row, outcome = view.requests.get(request, {}), outcomes.get((setback["tenant"], setback["outcome_id"]), {})
        last = worked.get((setback["tenant"], setback["agent_id"], setback["action"], setback["target"]), 0)
        if (row.get("agent_id"), row.get("action"), row.get("target")) != (setback["agent_id"], setback["action"], setback["target"]) \
                or outcome.get("request_id") != request[1] or outcome["status"] not in ("failed", "rolled_back") or outcome["received_at"] < last - view.history.unseen * 1_000_000:
            violate("setback", key_of(*request), f"kept as failed by {outcome}, the same worked at {last}")
