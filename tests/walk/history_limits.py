# SPDX-License-Identifier: Apache-2.0
"""Limits, counted a second time from the stored decisions alone, and what the database counts beside it."""
import hashlib

import history_condition
import history_policy
from history_condition import ERROR
from history_contexts import taken
from history_tools import key_of


OPEN = 200_000_000_000 * 1_000_000  # of the place of a question: thousands of years


class Use:
    """
    What one request holds and uses of one limit: a place while `held` is before and it is not past `until`, a use from `counted` on, that was
    `released` and counted `again` after that.
    """

    def __init__(self, request, limit, amount):
        self.request, self.limit, self.amount = request, limit, amount
        self.held = self.until = self.counted = self.released = self.again = None  # all but until: orders, which begin with the time

    def holds(self, order):
        return self.held is not None and self.held < order and not self.counted_by(order) and order[0] <= self.until

    def counted_by(self, order):
        return self.counted is not None and self.counted < order

    def counts(self, order):
        """Since when, if it does."""
        if not self.counted_by(order):
            return None
        if self.again and self.again < order:
            return self.again[0]
        return None if self.released and self.released < order else self.counted[0]

    @property
    def at(self):
        return (self.again or self.counted)[0]


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
    """By counter."""
    if view.uses is None:
        view.uses = {}
        for request, decisions in view.courses.items():
            if request in view.requests and not (request in view.held and view.held[request]["ended_at"] is None):
                for counter, use in uses_of(view, request, decisions).items():
                    view.uses.setdefault(counter, []).append(use)
    return view.uses


def uses_of(view, request, decisions):
    found, final = {}, view.final(request)
    granted = final is not None and final["status"] == "GRANTED"
    for decision in decisions:
        if decision["verdict"] != "REQUIRE_APPROVAL" or decision["n"] and final and not granted and final["decided_at"] == decision["decided_at"]:
            continue
        for _, limit, counter, amount in about(view, decision):
            if counter and amount and limit.get("count_on") == "decision" and counter not in found:
                found[counter] = Use(request, limit, amount)
                found[counter].held, found[counter].until = place(view, decision), final["decided_at"] if final else OPEN
    if granted:
        grant(view, request, decisions[-1], final, found)
    return found


def grant(view, request, decision, word, found):
    for _, limit, counter, amount in about(view, decision):
        if not counter or not amount:
            continue
        use = found.setdefault(counter, Use(request, limit, amount))
        if limit.get("count_on") != "execution":
            use.counted = place(view, decision)
            give_back(view, request, word, use, counter)
            continue
        ends_at = min(word["expires_at"], view.revoked(request) or word["expires_at"]) + history_policy.duration(limit.get("report_within", "5m"))
        use.held, use.until = place(view, decision), ends_at - 1
        reports = [o["received_at"] for o in view.outcomes.get(request, ()) if o["joined_with"] == word["event_id"]]
        if reports and ends_at >= begins(limit, min(reports)):
            use.counted = (min(reports),)
            give_back(view, request, word, use, counter)


def give_back(view, request, word, use, counter):
    """A failure that is signed and as authorized gives back, if nothing was reported before it that was not; what was reported after it takes again."""
    reports = view.outcomes.get(request, ()) if use.limit.get("release_on_failure") else ()
    sound = True
    for report in reports:
        kept, at = use.counted[0] >= begins(use.limit, report["received_at"]), report["received_at"]
        if report["judgement"] != "authorized":
            sound = False
            if use.released and not use.again and kept:
                use.again = (at,)
        elif report["status"] == "failed" and report["verified_kid"] and sound and kept and not use.released and not changed(view, counter, use, at):
            use.released = (at,)


def changed(view, counter, use, at):
    """A bucket of another size gives nothing back of what was taken before."""
    since = [c["since"] for c in view.tables["limit_counter"] if c["counter"] == counter]
    return use.limit.get("window") == "token_bucket" and since and use.counted[0] < since[0] <= at


def place(view, decision):
    """Decisions of one moment are those of one transaction, in the order of what was taken in it."""
    request = decision["tenant"], decision["request_id"]
    origin = view.requests[request]
    if decision["n"] and request in view.approvals:
        votes = [r for r in view.responses.get(view.approvals[request]["approval_id"], ())
                 if r["result"] == "counted" and r["received_at"] == decision["decided_at"]]
        origin = votes[-1] if votes else origin
    return decision["decided_at"], origin["origin_partition"], origin["origin_offset"]


def missing(limit, before, order):
    """From a bucket that is filled evenly; a unit that is not full yet is missing, and what may have been filled is not given back."""
    most, per = measure_of(limit)["max"], history_policy.duration(measure_of(limit)["per"])
    parts, last, now, steps = 0, 0, order[0], []
    for use in before:
        steps.append((use.counted[0], 0, use.amount * per))
        if use.released and use.released < order:
            steps.append((use.released[0], 1, -max(0, use.amount * per - (use.released[0] - use.counted[0]) * most)))
        if use.again and use.again < order:
            steps.append((use.again[0], 2, use.amount * per))
    for at, _, change in sorted(steps):
        parts, last = max(0, max(0, parts - (at - last) * most) + change), at
    return -(-max(0, parts - (now - last) * most) // per)


def used_before(view, decision, limit, counter):
    """By others; what the request holds itself is not in its way."""
    order, now = place(view, decision), decision["decided_at"]
    others = [use for use in uses(view).get(counter, ()) if use.request != (decision["tenant"], decision["request_id"])]
    used = missing(limit, [use for use in others if use.counted_by(order)], order) if limit.get("window") == "token_bucket" \
        else sum(use.amount for use in others if (use.counts(order) or 0) >= begins(limit, now))
    return used + sum(use.amount for use in others if use.holds(order))


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
    expected = {(counter, *use.request): use for counter, found in uses(view).items() for use in found}
    for who, row in rows.items():
        if (use := expected.get(who)) is None or not fits(row, use):
            violate("limit-use", key_of(*who[1:]), f"{row['amount']} at {row['at']} until {row['held_until']}, given back {row['released_at']}, expected {use and vars(use)}")
    for who, use in expected.items():
        until = ends(use.limit, use.at) if use.counted else use.until
        if who not in rows and until > view.history.now and (use.counted or not view.final(use.request) or use.limit.get("count_on") == "execution"):
            violate("limit-use", key_of(*who[1:]), f"{use.amount} of {use.limit['id']} ({use.counted or use.held}) is not kept")
    for counter in view.tables["limit_counter"]:
        of_it = [r for r in view.tables["limit_use"] if r["counter"] == counter["counter"]]
        total = sum(r["amount"] for r in of_it if r["held_until"] is None and r["released_at"] is None)
        if counter["used"] != total:
            violate("limit-counter", counter["key"], f"{counter['limit_id']} says {counter['used']}, its uses are {total}")
        if [r for r in of_it if r["held_until"] is not None and r["held_until"] > counter["held_until"]]:
            violate("limit-counter", counter["key"], f"{counter['limit_id']} holds a place for longer than until {counter['held_until']}")


def fits(row, use):
    """The row is what is to be kept of the use."""
    if use.counted:
        released = use.released[0] if use.released and not use.again else None
        return (row["amount"], row["at"], row["held_until"], row["released_at"]) == (use.amount, use.at, None, released)
    if row["held_until"] is None or (row["amount"], row["at"]) != (use.amount, use.held[0]):
        return False
    return row["held_until"] > OPEN if use.until == OPEN else row["held_until"] == use.until + 1
