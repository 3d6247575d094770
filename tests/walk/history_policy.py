# SPDX-License-Identifier: Apache-2.0
"""What a policy demands, decided a second time from the document alone: slowly, plainly and by the book (the rules' numbers
are those at the head of common/policy/policy_decide.c)."""
import functools
import re

import history_condition
from history_condition import ERROR
from history_contexts import taken
from history_tools import parse

STRICTNESS = ("ALLOW", "REQUIRE_APPROVAL", "BLOCK")
UNITS = {"h": 3_600_000_000, "m": 60_000_000, "s": 1_000_000, "ms": 1000, "us": 1}
VALID_FOR = "15m"


def duration(text):
    return sum(round(float(number) * UNITS[unit]) for number, unit in re.findall(r"([\d.]+)(ms|us|h|m|s)", text))


@functools.lru_cache(maxsize=100_000)
def matches(pattern, text):
    """Segments between the separators . / and : with * inside of one and ** for any number of them."""
    p, t = re.split(r"([./:])", pattern), re.split(r"([./:])", text)

    def fits(i, j):
        if i >= len(p):
            return j >= len(t)
        if p[i] == "**":
            return any(fits(i + 2, k) for k in range(j, len(t) + 2, 2))
        if j >= len(t) or not re.fullmatch(".*".join(map(re.escape, p[i].split("*"))), t[j], re.DOTALL):
            return False
        before = i == 0 or j == 0 or p[i - 1] == t[j - 1]
        behind = i + 1 >= len(p) or j + 1 >= len(t) or p[i + 1] == t[j + 1]
        return before and behind and fits(i + 2, j + 2)
    return fits(0, 0)


def any_matches(patterns, text):
    return any(matches(pattern, text) for pattern in patterns)


def in_scope(scope, request):
    names = {"actions": "action", "agents": "agent_id", "targets": "target", "tenants": "tenant"}
    return all(not scope.get(n) or any_matches(scope[n], request[member]) for n, member in names.items())


def is_there(context, path):
    for name in path.split("."):
        if not isinstance(context, dict) or name not in context:
            return False
        context = context[name]
    return context is not None


class Demand:
    """A verdict with its code and rules; whom it asks, and the terms."""

    def __init__(self, verdict, code, rules=(), profiles=(), document=None, classes=(), advice=()):
        self.verdict, self.code, self.rules = verdict, code, sorted(rules)
        self.remediation = " ".join(dict.fromkeys(advice)) or None
        named = document["approvals"] if profiles else {}
        self.needs = [(name, named[name]["any_of"][0]["group"], named[name]["any_of"][0]["quorum"]) for name in sorted(set(profiles))]
        self.ttl = min((duration(named[name]["ttl"]) for name in profiles), default=None)
        terms = [named[name].get("grant", {}).get("valid_for", VALID_FOR) for name in profiles] or \
            [c.get("valid_for", VALID_FOR) for c in classes]
        self.valid_for = min(map(duration, terms), default=None)


def demand(document, request, late):
    """request: tenant, agent_id, action, target, context; late: its deadline had passed."""
    context = taken(document, request["context"])
    if context is None:  # 1a
        return Demand("BLOCK", "invalid_request")
    request = request | {"context": context}
    usual = [c for c in document["classes"] if c["actions"] != ["**"] and any_matches(c["actions"], request["action"])
             and not any_matches(c.get("except", ()), request["action"])]
    classes = usual or [c for c in document["classes"] if c["actions"] == ["**"]]  # 2
    default = max((c["default"] for c in classes), key=STRICTNESS.index)  # 3
    if not all(is_there(request["context"], path) for c in classes for path in c.get("requires", ())):  # 4
        return Demand("BLOCK", "missing_input")
    if late and not all(c.get("failure", {}).get("evaluation_timeout") == "hold" for c in classes):  # 5
        return Demand("BLOCK", "evaluation_timeout")
    rules = [r for r in document.get("rules", ()) if in_scope(r.get("match", {}), request)
             and not ("except" in r and in_scope(r["except"], request))]  # 6
    came = [(r, history_condition.condition(r, request)) for r in rules if r.get("mode") != "shadow"]  # 7
    counting = [r for r, truth in came if truth is True]
    blocking = any("on_error" in c for c in classes)
    raising = {r["id"]: "BLOCK" if blocking else r["decision"] for r, truth in came if truth is ERROR}
    base = max((r["decision"] for r in counting), key=STRICTNESS.index, default=default)
    verdict = max([base, *raising.values()], key=STRICTNESS.index)  # 8
    speaking = [r for r, truth in came if truth is True and r["decision"] == verdict
                or raising.get(r["id"], "ALLOW") == verdict != "ALLOW"]
    asking = speaking + ([] if counting else [c for c in classes if c["default"] == verdict])
    code = "rule_error" if verdict != base else "rule" if counting else "class_default"
    names = [r["id"] for r in speaking]
    if late and verdict == "ALLOW":  # 9
        verdict, code, names, asking = "REQUIRE_APPROVAL", "evaluation_timeout", [], classes
    profiles = [one["approval"] for one in asking] if verdict == "REQUIRE_APPROVAL" else []  # 10
    advice = [r["remediation"] for r in sorted(counting, key=lambda r: r["id"]) if r["decision"] == verdict and "remediation" in r]
    return Demand(verdict, code, names, profiles, document, classes, advice)


def demand_of(view, decision):
    """Of a decision that names a policy; None where nothing is said about it (a policy outgrown, a request that was refused)."""
    request = view.requests[decision["tenant"], decision["request_id"]]
    policy = view.policies.get((decision["policy_id"], decision["policy_version"]))
    if policy is None or not request["valid"] or decision["reason_code"].startswith("too_many_"):
        return None
    late = decision["n"] == 0 and request["deadline"] is not None and decision["decided_at"] > request["deadline"]
    asked = policy["digest"], request["tenant"], request["agent_id"], request["action"], request["target"], request["context"], late
    if asked not in view.demands:
        facts = {n: request[n] for n in ("tenant", "agent_id", "action", "target")} | {"context": parse(request["context"])}
        view.demands[asked] = demand(view.document(policy), facts, late)
    return view.demands[asked]
