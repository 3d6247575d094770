# SPDX-License-Identifier: Apache-2.0
"""What a policy demands, decided a second time from the document alone: slowly, plainly and by the book (the rules' numbers
are those at the head of common/policy/policy_decide.c)."""
import functools
import re

import history_condition
import history_limits
from history_condition import ERROR
from history_contexts import taken
from history_tools import canonical, parse

STRICTNESS = ("ALLOW", "REQUIRE_APPROVAL", "BLOCK")
UNITS = {"h": 3_600_000_000, "m": 60_000_000, "s": 1_000_000, "ms": 1000, "us": 1}
VALID_FOR = "15m"
DAY = 24 * UNITS["h"]


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


def stages_of(name, profile):
    """What one profile wants, as approval_requirement and approval_step keep it."""
    stages = profile.get("stages", [profile])
    return {"profile": name, "distinct": profile.get("distinct", False), "deny_quorum": profile.get("deny_quorum", 1),
            "require_reason": profile.get("require_reason", False), "override": profile.get("override"),
            "stages": [("all_of" in s, [(a["group"], a["quorum"]) for a in s.get("all_of", s.get("any_of"))]) for s in stages],
            "steps": [(duration(s["after"]), s.get("how", "add"), s["to"]["group"], s["to"]["quorum"])
                      for s in profile.get("escalate", ())]}


class Demand:
    """A verdict with its code and rules; whom it asks, for whose policy, and the terms."""

    def __init__(self, verdict, code, rules=(), asked=(), valid_for=(), advice=(), endless=False):
        """asked: for each document that asks, the document and the names of its profiles; endless: what has no ttl has none."""
        self.remediation, self.obligations, self.nobody = " ".join(advice) or None, {}, "closed"
        self.verdict, self.code, self.rules = verdict, code, sorted(set(rules))
        self.needs, self.owners, self.hold_for, ttls, terms = [], [], 0, [], list(valid_for)
        for document, profiles in asked:
            for name in sorted(set(profiles)):
                profile = document["approvals"][name]
                self.needs.append(stages_of(name, profile))
                self.owners.append(document["policy"])
                ttls += [] if profile["ttl"] == "none" and endless else [DAY if profile["ttl"] == "none" else duration(profile["ttl"])]
                self.hold_for = max(self.hold_for, duration(profile.get("hold_for", "")))
                terms.append(duration(profile.get("grant", {}).get("valid_for", VALID_FOR)))
        self.ttl, self.valid_for = min(ttls, default=None), min(terms, default=None)


    def set_nobody(self, voices):
        """What becomes of a need that nobody could meet: of several classes the strictest; whom they ask instead."""
        cells = {c.get("failure", {}).get("no_eligible_approver", "closed") for v in voices for c in v.classes}
        self.nobody = next(word for word in ("closed", "hold", "escalate") if word in cells)
        for need, owner in zip(self.needs, self.owners):
            instead = {}
            for ask in [c["fallback"] for v in voices if v.document["policy"] == owner for c in v.classes if "fallback" in c]:
                instead[ask["group"]] = max(instead.get(ask["group"], 0), ask["quorum"])
            need["fallback"] = {**need, "stages": [(True, list(instead.items()))], "steps": [], "distinct": need["distinct"] and len(instead) > 1} if self.nobody == "escalate" else None


class Voice:
    """What one of the documents says by itself."""

    def __init__(self, document, request):
        self.document, self.request = document, request
        usual = [c for c in document["classes"] if c["actions"] != ["**"] and any_matches(c["actions"], request["action"])
                 and not any_matches(c.get("except", ()), request["action"])]
        self.classes = usual or [c for c in document["classes"] if c["actions"] == ["**"]]  # 2
        self.stranger = not request["verified"] and any(c.get("identity") == "verified" for c in self.classes)  # 3a
        self.missing = not all(is_there(request["context"], path) for c in self.classes for path in c.get("requires", ()))  # 4
        self.holds = all(c.get("failure", {}).get("evaluation_timeout") == "hold" for c in self.classes)  # 5
        self.blocking = any("on_error" in c for c in self.classes)

    def ask(self):
        rules = [r for r in self.document.get("rules", ()) if in_scope(r.get("match", {}), self.request)
                 and not ("except" in r and in_scope(r["except"], self.request))]  # 6
        self.came = [(r, history_condition.condition(r, self.request)) for r in rules if r.get("mode") != "shadow"]  # 7
        self.counting = [r for r, truth in self.came if truth is True]

    def say(self, blocking, others_count):
        defaults = [c for c in self.classes if not self.counting and (c.get("floor", True) or not others_count)]  # 12
        raising = {r["id"]: "BLOCK" if blocking else r["decision"] for r, truth in self.came if truth is ERROR}
        base = max([r["decision"] for r in self.counting] + [c["default"] for c in defaults], key=STRICTNESS.index, default="ALLOW")
        self.verdict = max([base, *raising.values()], key=STRICTNESS.index)  # 3, 8
        self.silent = not self.counting and not defaults and self.verdict == "ALLOW"
        speaking = [r for r, truth in self.came if truth is True and r["decision"] == self.verdict
                    or raising.get(r["id"], "ALLOW") == self.verdict != "ALLOW"]
        self.asking = speaking + [c for c in defaults if c["default"] == self.verdict]
        self.code = "rule_error" if self.verdict != base else "rule" if self.counting else "class_default"
        self.rules = [r["id"] for r in speaking]

    def bound(self, limits):  # 8a
        if self.verdict == "BLOCK":
            return
        stricter = max([self.verdict, *(limit["exceeded"] for limit in limits)], key=STRICTNESS.index)
        if stricter != self.verdict:
            self.verdict, self.code, self.rules, self.asking, self.silent = stricter, "limit_exceeded", [], [], False
        self.asking = self.asking + [limit for limit in limits if limit["exceeded"] == self.verdict]

    def end(self, late):
        if late and self.verdict == "ALLOW":  # 9
            self.verdict, self.code, self.rules, self.asking, self.silent = "REQUIRE_APPROVAL", "evaluation_timeout", [], self.classes, False
        self.profiles = [one["approval"] for one in self.asking] if self.verdict == "REQUIRE_APPROVAL" else []  # 10


def unite(duties, more):
    """Adds obligations; says of which names no value can satisfy both."""
    quarrels = set()
    for name, value in more.items():
        had = duties.get(name, value)
        if isinstance(had, list) and isinstance(value, list):
            value = sorted({canonical(one): one for one in had + value}.items())
            duties[name] = [one for _, one in value]
        elif isinstance(had, bool) and isinstance(value, bool):
            duties[name] = had or value
        elif canonical(had) == canonical(value):
            duties[name] = had
        else:
            quarrels.add(name)
    return quarrels


def with_params(document, documents):
    """With the values that others give for its params."""
    given = {name: one["value"] for d in documents for name, one in d.get("params", {}).items() if one.get("of") == document["policy"]}
    return document | {"params": {n: p | {"value": given.get(n, p["value"])} for n, p in document.get("params", {}).items()}}


def demand(documents, request, late, exceeded=()):
    """documents: the organisation's first; request: tenant, agent_id, action, target, context; late: its deadline had passed;
    exceeded: the limits that were, each with its document."""
    documents = [with_params(d, documents) for d in documents]
    contexts = taken(documents, request["context"])
    if contexts is None:  # 1a
        return Demand("BLOCK", "invalid_request")
    voices = [Voice(d, request | {"context": c, "params": {n: p["value"] for n, p in d["params"].items()}}) for d, c in zip(documents, contexts)]
    if any(v.missing or v.stranger for v in voices):
        strangers = [v.stranger for v in voices if v.missing or v.stranger]
        if strangers[0]:  # of two the organisation's lends its code
            return Demand("BLOCK", "identity_not_verified")
        return Demand("BLOCK", "missing_input")
    if late and not all(v.holds for v in voices):
        return Demand("BLOCK", "evaluation_timeout")
    for voice in voices:
        voice.ask()
    for voice in voices:
        voice.say(any(v.blocking for v in voices), any(v.counting for v in voices if v is not voice))
    blocked = any(v.verdict == "BLOCK" and not v.silent for v in voices)
    for voice in voices:
        voice.bound([limit for document, limit in exceeded if document["policy"] == voice.document["policy"] and not blocked])
        voice.end(late)
    verdict = max((v.verdict for v in voices if not v.silent), key=STRICTNESS.index)
    heard = [v for v in voices if v.verdict == verdict and not v.silent]
    code = min((v.code for v in heard), key=("rule", "rule_error", "limit_exceeded", "evaluation_timeout", "class_default").index)
    terms = [duration(c.get("valid_for", VALID_FOR)) for v in voices for c in v.classes if verdict == v.verdict == "ALLOW"]
    advice = [" ".join(dict.fromkeys(r["remediation"] for r in sorted(v.counting, key=lambda r: r["id"])
                                     if r["decision"] == verdict and "remediation" in r)) for v in heard]
    duties, quarrels = {}, set()  # 13
    for voice in voices if verdict != "BLOCK" else ():
        for rule in [r for r, truth in voice.came if truth is not False]:
            quarrels |= unite(duties, rule.get("obligations", {}))
    if quarrels:
        return Demand("BLOCK", "obligation_conflict", [r["id"] for v in voices for r, truth in v.came
                                                       if truth is not False and min(quarrels) in r.get("obligations", {})])
    whole = Demand(verdict, code, [r for v in heard for r in v.rules], [(v.document, v.profiles) for v in heard], terms,
                   [text for text in dict.fromkeys(advice) if text], all(c.get("no_deadline", False) for v in voices for c in v.classes))
    whole.obligations = duties
    whole.set_nobody(voices)
    return whole


def policies_of(view, decision):
    """The rows of the policies that it names, the organisation's first; None for one that is not there."""
    named = [(one["id"], one["version"]) for one in decision["layers"] or ()] or [(decision["policy_id"], decision["policy_version"])]
    return [view.policies.get(one) for one in named]


def any_limits(view):
    return any(view.document(p).get("limits") for p in view.tables["policy"])


def is_verified(view, request, decision):
    """Somebody has signed it; when it is decided again, with a key that was not revoked by then from before it was taken."""
    said = view.revocations.get(request["verified_kid"], ()) if decision["n"] else ()
    return request["verified_kid"] is not None and not any(at <= decision["decided_at"] and since <= request["received_at"] for at, since in said)


def facts_of(request, verified=False):
    return {n: request[n] for n in ("tenant", "agent_id", "action", "target")} | \
        {"context": parse(request["context"]), "verified": verified}


def demand_of(view, decision):
    """Of a decision that names a policy; None where nothing is said about it (a policy outgrown, a request that was refused)."""
    request = view.requests[decision["tenant"], decision["request_id"]]
    policies = policies_of(view, decision)
    if None in policies or not request["valid"] or decision["reason_code"].startswith("too_many_"):
        return None
    return demand_by(view, policies, decision)


def demand_by(view, policies, decision):
    """By these rows of policies, of the request that the decision is about."""
    request = view.requests[decision["tenant"], decision["request_id"]]
    verified = is_verified(view, request, decision)
    late = decision["n"] == 0 and request["deadline"] is not None and decision["decided_at"] > request["deadline"]
    digests = tuple(p["digest"] for p in policies)
    exceeded = history_limits.exceeded(view, decision)
    asked = (digests, request["tenant"], request["agent_id"], request["action"], request["target"], request["context"], verified, late,
             tuple((document["policy"], limit["id"]) for document, limit in exceeded))
    if asked not in view.demands:
        view.demands[asked] = demand([view.document(p) for p in policies], facts_of(request, verified), late, exceeded)
    return view.demands[asked]
