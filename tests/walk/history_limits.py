# SPDX-License-Identifier: Apache-2.0
"""Limits, counted a second time from the stored decisions alone, and what the database counts beside it."""
import hashlib

import history_condition
import history_policy
from history_condition import ERROR
from history_contexts import taken
from history_tools import key_of


class Use:
    """What one granted request used of one limit."""

    def __init__(self, request, order, at, amount, limit, counter):
        self.request, self.order, self.at, self.amount, self.limit, self.counter = request, order, at, amount, limit, counter

    def counts(self, limit, now):
        return self.at >= begins(limit, now)


def measure_of(limit):
    return limit.get("count") or limit["sum"]


def begins(limit, now):
    """The first instant whose uses count."""
    per = history_policy.duration(measure_of(limit)["per"])
    return now - now % per if limit.get("window") == "fixed" else now - per + 1


def ends(limit, at):
    per = history_policy.duration(measure_of(limit)["per"])
    return at - at % per + per if limit.get("window") == "fixed" else at + per


def text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    return '"' + "".join(f"\\u{ord(c):04x}" if ord(c) < 32 or c in '"\\' else c for c in value) + '"'


def at_path(request, path):
    value = request
    for name in path.split("."):
        if not isinstance(value, dict) or value.get(name) is None:
            return None
        value = value[name]
    return value


def identity(policy_id, limit, request):
    """The counter that the limit has for this request; None when a field of its key is not there."""
    fields = sorted(limit["key"])
    values = [at_path(request, path) for path in fields]
    if None in values:
        return None
    parts = [policy_id, limit["id"], ",".join(fields), limit["sum"]["of"] if "sum" in limit else "", f"[{','.join(map(text, values))}]"]
    return hashlib.sha256(b"".join(f"{len(p.encode())}:{p}".encode() for p in parts)).digest()


def about(view, decision):
    """(document, limit, counter, amount) for every limit that is about the request; counter None: nobody can say what it counts."""
    row, policies = view.requests[decision["tenant"], decision["request_id"]], history_policy.policies_of(view, decision)
    documents = [] if None in policies or not row["valid"] else [view.document(p) for p in policies]
    if not any(d.get("limits") for d in documents):
        return
    facts = history_policy.facts_of(row)
    documents = [history_policy.with_params(d, documents) for d in documents]
    for document, context in zip(documents, taken(documents, facts["context"]) or ()):
        request = facts | {"context": context, "request_digest": row["request_digest"],
                           "params": {n: p["value"] for n, p in document["params"].items()}}
        for limit in document.get("limits", ()):
            if not history_policy.in_scope(limit.get("match", {}), request) or "except" in limit and history_policy.in_scope(limit["except"], request):
                continue
            truth = history_condition.condition({n: limit[n] for n in ("when",) if n in limit}, request)
            amount = at_path(request, limit["sum"]["of"]) if "sum" in limit else 1
            if truth is not False:
                yield document, limit, None if truth is ERROR or amount is None else identity(document["policy"], limit, request), amount


def uses(view):
    """By counter, in the order in which they were granted."""
    if view.uses is None:
        view.uses = {}
        for request, words in view.words.items():
            if [w for w in words if w["status"] == "GRANTED"] and view.decisions.get(request) and request in view.requests:
                add_uses(view, request, view.decisions[request][-1])
        for found in view.uses.values():
            found.sort(key=lambda use: use.order)
    return view.uses


def add_uses(view, request, decision):
    for _, limit, counter, amount in about(view, decision):
        if counter and amount:
            view.uses.setdefault(counter, []).append(Use(request, place(view, decision), decision["decided_at"], amount, limit, counter))


def place(view, decision):
    """Decisions of one moment are those of one transaction, in the order of what was taken in it."""
    request = decision["tenant"], decision["request_id"]
    origin = view.requests[request]
    if decision["n"] and request in view.approvals:
        votes = [r for r in view.responses.get(view.approvals[request]["approval_id"], ())
                 if r["result"] == "counted" and r["received_at"] == decision["decided_at"]]
        origin = votes[-1] if votes else origin
    return decision["decided_at"], origin["origin_partition"], origin["origin_offset"]


def missing(limit, before, now):
    """From a bucket that is filled evenly; a unit that is not full yet is missing."""
    most, per = measure_of(limit)["max"], history_policy.duration(measure_of(limit)["per"])
    parts, last = 0, 0
    for use in before:
        parts, last = max(0, parts - (use.at - last) * most) + use.amount * per, use.at
    return -(-max(0, parts - (now - last) * most) // per)


def used_before(view, decision, limit, counter):
    order = place(view, decision)
    if limit.get("window") == "token_bucket":
        return missing(limit, [use for use in uses(view).get(counter, ()) if use.order < order], decision["decided_at"])
    return sum(use.amount for use in uses(view).get(counter, ()) if use.order < order and use.counts(limit, decision["decided_at"]))


def exceeded(view, decision):
    """The limits that this decision found exceeded, each with its document."""
    return [(document, limit) for document, limit, counter, amount in about(view, decision)
            if counter is None or used_before(view, decision, limit, counter) + amount > measure_of(limit)["max"]]


# ---------------------------------------------------------------- the rules

def judge(view, violate):
    if history_policy.any_limits(view):
        judge_grants(view, violate)
    judge_rows(view, violate)


def judge_grants(view, violate):
    """An ALLOW never exceeds anything, and what people grant never what blocks."""
    for request, words in view.words.items():
        if not [w for w in words if w["status"] == "GRANTED"] or not view.decisions.get(request) or request not in view.requests:
            continue
        decision = view.decisions[request][-1]
        for _, limit in exceeded(view, decision):
            if decision["verdict"] == "ALLOW" or limit["exceeded"] == "BLOCK":
                violate("over-limit", key_of(*request), f"granted by {decision['verdict']}, and {limit['id']} was exceeded")


def judge_rows(view, violate):
    rows = {(r["counter"], r["tenant"], r["request_id"]): r for r in view.tables["limit_use"]}
    expected = {(use.counter, *use.request): use for found in uses(view).values() for use in found}
    for who, row in rows.items():
        use = expected.get(who)
        if use is None or (row["amount"], row["at"]) != (use.amount, use.at):
            violate("limit-use", key_of(*who[1:]), f"{row['amount']} at {row['at']}, expected {use and (use.amount, use.at)}")
    for who, use in expected.items():
        if who not in rows and ends(use.limit, use.at) > view.history.now:
            violate("limit-use", key_of(*who[1:]), f"{use.amount} of {use.limit['id']} at {use.at} is not kept")
    for counter in view.tables["limit_counter"]:
        total = sum(r["amount"] for r in view.tables["limit_use"] if r["counter"] == counter["counter"])
        if counter["used"] != total:
            violate("limit-counter", counter["key"], f"{counter['limit_id']} says {counter['used']}, its uses are {total}")
