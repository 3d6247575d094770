# SPDX-License-Identifier: Apache-2.0
"""Every request has its decisions, at most one question to people, and exactly one final word, each said in the ledger."""
from history_flood import UNASKED
from history_policy import demand_by, demand_of, policies_of, unite
from history_tools import SECOND, canonical, claims_of, derived, digest_text, key_of, microseconds, murmur2

HELD = (["held"], ["held_too_long"])  # what a hold can make of an ALLOW
FINAL_OF = {"APPROVED": "GRANTED", "DENIED": "DENIED", "EXPIRED": "EXPIRED", "CANCELLED": "CANCELLED", "REVOKED": "GRANTED"}


def judge(view, violate):
    policies = Policies(view.tables["policy"], view.tables["policy_shadow"], violate)
    for request in {*view.requests, *view.decisions, *view.words, *view.approvals}:
        who = key_of(*request)
        if request not in view.requests:
            violate("made-up", who, "decided, asked or answered, and never stored as a request")
            continue
        judge_decisions(view, request, who, policies, violate)
        judge_words(view, request, who, violate)
        if request in view.approvals:
            judge_approval(view, request, who, violate)
    judge_events(view, violate)


# ---------------------------------------------------------------- decisions and the policies that they name

class Policies:
    def __init__(self, rows, shadows, violate):
        self.by_generation = sorted(rows, key=lambda p: p["generation"])
        self.shadows = sorted(shadows, key=lambda p: p["generation"])
        self.begun = sorted([(p["generation"], p["activated_at"]) for p in rows] + [(s["generation"], s["at"]) for s in shadows])
        for number, row in enumerate(sorted([*rows, *shadows], key=lambda p: p["generation"]), 1):
            who = f"{row['policy_id']}/{row['version']}"
            if row["generation"] != number:
                violate("policy", who, f"generation {row['generation']}, expected {number}")
            if row["document"] is not None and row["digest"] != digest_text(row["document"].encode()):
                violate("policy", who, "the digest is not that of the document")

    def active(self, generation, tenant):
        """Those that covered the tenant after that activation, the organisation's first; none when two are of one kind."""
        newest = {p["policy_id"]: p for p in self.by_generation if p["generation"] <= generation}
        organisation = [p for p in newest.values() if "*" in p["tenants"]]
        own = [p for p in newest.values() if "*" not in p["tenants"] and tenant in p["tenants"]]
        return organisation + own if len(organisation) < 2 and len(own) < 2 else []


    def in_shadow(self, generation, tenant):
        """Each with those that would decide if it were active."""
        newest = {s["policy_id"]: s for s in self.shadows if s["generation"] <= generation}
        for shadow in sorted(newest.values(), key=lambda s: s["policy_id"]):
            active = [p for p in self.by_generation if p["policy_id"] == shadow["policy_id"]
                      and shadow["generation"] < p["generation"] <= generation and p["version"] >= (shadow["version"] or 0)]
            if shadow["document"] is None or active or not {"*", tenant} & set(shadow["tenants"]):
                continue
            others = [p for p in self.active(generation, tenant) if p["policy_id"] != shadow["policy_id"]
                      and ("*" in p["tenants"]) != ("*" in shadow["tenants"])]
            yield shadow, sorted([shadow, *others], key=lambda p: "*" not in p["tenants"])


def judge_shadows(view, decision, who, policies, violate):
    """What was recorded of shadows is what they would have said; that they change nothing the rest of these rules sees."""
    if decision["explanation"] is None:
        return
    told, wanted = decision["explanation"].get("shadows", []), list(policies.in_shadow(decision["generation"], decision["tenant"]))
    if [(t["id"], t["version"], t["digest"]) for t in told] != [(s["policy_id"], s["version"], s["digest"]) for s, _ in wanted[:4]]:
        violate("shadow", who, f"{[(t['id'], t['version']) for t in told]} are told, in the shadow were {[s['policy_id'] for s, _ in wanted]}")
        return
    for one, (_, layers) in zip(told, wanted):
        if "error" in one or one["reason_code"].startswith("too_many_"):
            continue
        said, would = (one["decision"], one["reason_code"], one["rules"]), demand_by(view, layers, decision)
        if said != (would.verdict, would.code, would.rules):
            violate("shadow", who, f"{one['id']} is told to say {said}, it would say {(would.verdict, would.code, would.rules)}")


def judge_decisions(view, request, who, policies, violate):
    decisions, row = view.decisions.get(request, []), view.requests[request]
    if [d["n"] for d in decisions] != list(range(len(decisions))) or not decisions:
        violate("decision", who, f"decisions numbered {[d['n'] for d in decisions]}")
    for decision in decisions:
        judge_policy(view, decision, who, policies, violate)
        judge_shadows(view, decision, who, policies, violate)
        if decision["decided_at"] < row["received_at"]:
            violate("decision", who, f"decision {decision['n']} is older than the request")
        if not row["valid"] and (decision["verdict"], decision["reason_code"]) != ("BLOCK", "invalid_request"):
            violate("decision", who, f"the request is invalid, and the decision {decision['verdict']} {decision['reason_code']}")
    judge_explanations(view, decisions, who, violate)
    if len(decisions) > 1 and request not in view.approvals and request not in view.held:
        violate("decision", who, "decided again without a question to people")


def judge_explanations(view, decisions, who, violate):
    """Each is fixed by one event of its moment, and no event speaks of another."""
    stored = [digest_text(canonical(d["explanation"]).encode()) for d in decisions if d["explanation"] is not None]
    said = [body["explanation_digest"] for body in map(view.body, view.told.get(who, ())) if "explanation_digest" in body]
    if sorted(stored) != sorted(said):
        violate("explanation", who, f"stored are {stored}, the ledger says {said}")


def judge_policy(view, decision, who, policies, violate):
    """The policy that it names is the one of its moment, and says what it is said to say."""
    layers = [(p["policy_id"], p["version"], p["digest"]) for p in policies.active(decision["generation"], decision["tenant"])]
    if decision["policy_id"] is None:
        if decision["verdict"] != "BLOCK" or decision["reason_code"] != "invalid_request" and layers:
            violate("decision-policy", who, f"{decision['verdict']} by {decision['reason_code']} without a policy")
        return
    named = decision["policy_id"], decision["policy_version"], decision["policy_digest"]
    said = [(one["id"], one["version"], one["digest"]) for one in decision["layers"]] if decision["layers"] else [named]
    if said != layers or named != layers[-1] or bool(decision["layers"]) != (len(layers) > 1):
        violate("decision-policy", who, f"{said} was not what decided in generation {decision['generation']}")
        return
    active = policies_of(view, decision)
    after = [at for generation, at in policies.begun if generation > decision["generation"]]
    if decision["decided_at"] < max(p["activated_at"] for p in active) or after and decision["decided_at"] > after[0]:
        violate("decision-policy", who, f"decided at {decision['decided_at']}, when generation {decision['generation']} did not hold")
    wanted = demand_of(view, decision)
    if wanted and (decision["verdict"], decision["reason_code"], decision["rules"]) != (wanted.verdict, wanted.code, wanted.rules):
        violate("wrong-verdict", who, f"decision {decision['n']} is {decision['verdict']} by {decision['reason_code']} {decision['rules']},"
                f" the policy says {wanted.verdict} by {wanted.code} {wanted.rules}")
    elif wanted and "{context." not in str(wanted.remediation) and decision["remediation"] != wanted.remediation:
        violate("remediation", who, f"decision {decision['n']} advises {decision['remediation']!r}, the policy {wanted.remediation!r}")
    if wanted and (decision["obligations"] or {}) != wanted.obligations:
        violate("obligations", who, f"decision {decision['n']} obliges to {decision['obligations']}, the policy to {wanted.obligations}")


# ---------------------------------------------------------------- words

def judge_words(view, request, who, violate):
    words, row, approval = view.words.get(request, []), view.requests[request], view.approvals.get(request)
    held, waits = request in view.held, request in view.held and view.held[request]["ended_at"] is None
    first = None if waits else (view.courses.get(request) or [{"verdict": None}])[0]["verdict"]
    final = [w for w in words if w["final"]]
    pending = [w for w in words if w["status"] == "PENDING"]
    judge_revocation(view, request, words, final, who, violate)
    if len(final) > 1 or len(pending) > 1:
        violate("one-word", who, f"words {[w['status'] for w in words]}")
    if not final and not (pending and (waits or approval and approval["state"] == "PENDING")):
        violate("no-word", who, f"words {[w['status'] for w in words]}, question {approval and approval['state']}")
    if bool(pending) != bool(approval or held):
        violate("pending", who, f"PENDING said {len(pending)} times, question {approval and approval['state']}")
    statuses = {w["status"] for w in final}
    if first == "ALLOW" and (statuses != {"GRANTED"} and [w["reason_code"] for w in final] not in HELD or approval):
        violate("verdict", who, f"ALLOW became {statuses}")
    if first == "BLOCK" and (statuses != {"DENIED"} or approval):
        violate("verdict", who, f"BLOCK became {statuses}")
    if first == "REQUIRE_APPROVAL" and not approval and [w["reason_code"] for w in final] not in UNASKED:
        violate("verdict", who, f"nobody was asked, and it became {statuses}")
    if "GRANTED" in statuses and not row["valid"]:
        violate("verdict", who, "an invalid request was granted")
    if first == "ALLOW" and "GRANTED" in statuses:
        wanted = demand_of(view, view.courses[request][0])
        if wanted and final[0]["expires_at"] - final[0]["not_before"] != wanted.valid_for:
            violate("terms", who, f"good for {final[0]['expires_at'] - final[0]['not_before']}, the policy says {wanted.valid_for}")
    for word in words:
        judge_word(view, word, row, who, violate)
    for word in final:
        if any(word["decided_at"] <= p["decided_at"] for p in pending):
            violate("pending", who, "said after the final word")


def judge_revocation(view, request, words, final, who, violate):
    """One more word, on a grant that had not ended, and only where people or operators took it back."""
    revoked, approval = [w for w in words if w["status"] == "REVOKED"], view.approvals.get(request)
    at = revoked[0]["decided_at"] if revoked else None
    if len(revoked) > 1 or revoked and not (final and final[0]["status"] == "GRANTED" and final[0]["decided_at"] <= at < final[0]["expires_at"]):
        violate("revoked", who, f"REVOKED at {[w['decided_at'] for w in revoked]}, final word {[(w['status'], w['expires_at']) for w in final]}")
    by = [v for v in view.tables["response"] if (v["tenant"], v["request_id"], v["verdict"], v["result"]) == (*request, "revoke", "counted")]
    if [v["received_at"] for v in by] != [w["decided_at"] for w in revoked]:
        violate("revoked", who, f"REVOKED at {at}, revocations counted at {[v['received_at'] for v in by]}")
    if approval and (approval["state"] == "REVOKED", approval["revoked_at"]) != (bool(revoked), at):
        violate("revoked", who, f"REVOKED at {at}, the question is {approval['state']} since {approval['revoked_at']}")


def judge_word(view, word, row, who, violate):
    status, request = word["status"], (word["tenant"], word["request_id"])
    event = view.event(word["event_id"], "authorizations")
    if word["event_id"] != derived(*request, f"authorization.{status}", 0):
        violate("event-id", who, f"{status} has {word['event_id']}")
    if word["request_digest"] != row["request_digest"]:
        violate("word", who, f"{status} is about {word['request_digest']}, the request is {row['request_digest']}")
    if status == "GRANTED" and not (word["decided_at"] <= (word["not_before"] or 0) < (word["expires_at"] or 0) and (word["approval_id"] or word["not_before"] == word["decided_at"])):
        violate("word", who, "the grant's times contradict each other")
    if word["decision"] not in {d["verdict"] for d in view.decisions.get(request, ())}:
        violate("word", who, f"{status} speaks of {word['decision']}, which was never decided")
    judge_token(view, word, row, who, violate)
    if event is None:
        violate("unsaid", who, f"{status} has no single event in the ledger: {len(view.events.get(word['event_id'], []))}")
        return
    body = view.body(event)
    said = {n: body.get(n) for n in ("event_id", "tenant", "request_id", "status", "decision", "approval_id", "request_digest", "token")}
    said |= {n: microseconds(body[n]) if n in body else None for n in ("decided_at", "not_before", "expires_at")}
    said |= {f"reason_{n}": body.get("reason", {}).get(n) for n in ("code", "text")}
    for column, value in said.items():
        if word[column] != value:
            violate("said", who, f"{status}: {column} is {word[column]!r}, the event says {value!r}")
    advised = {d["remediation"] for d in view.decisions.get(request, ()) if d["verdict"] == word["decision"]}
    if body.get("remediation") not in ({None} if status == "GRANTED" else advised):
        violate("remediation", who, f"{status} advises {body.get('remediation')!r}, decided was {advised}")
    duties = {}
    for decision in view.courses.get(request, ()):
        if status == "GRANTED" and unite(duties, decision["obligations"] or {}):
            violate("obligations", who, f"granted, though decision {decision['n']} contradicts those before")
    told = claims_of(word["token"], view.history.keys, "countersign-authorization+jwt") or {}
    revokes = derived(*request, "authorization.GRANTED", 0) if status == "REVOKED" else None
    if {body.get("revokes"), told.get("revokes")} != {revokes}:
        violate("revoked", who, f"{status} takes back {body.get('revokes')}, its token {told.get('revokes')}, granted was {revokes}")
    if body.get("obligations", {}) != duties or word["final"] and told.get("obligations", {}) != duties:
        violate("obligations", who, f"{status} obliges to {body.get('obligations')}, its token to {told.get('obligations')}, decided was {duties}")
    policy = body.get("policy", {})
    if (policy.get("id"), policy.get("version"), policy.get("digest"), body.get("layers")) not in [
            (d["policy_id"], d["policy_version"], d["policy_digest"], d["layers"]) for d in view.decisions.get(request, ())]:
        violate("said", who, f"{status} names policy {policy} of {body.get('layers')}, which decided nothing here")
    votes = {(v["responder"], v["verdict"]) for v in view.responses.get(word["approval_id"], ()) if v["result"] == "counted"}
    told = {(v["responder"], v["verdict"]) for v in body.get("responses", ())}
    if not told <= votes or status == "GRANTED" and word["approval_id"] and not told:
        violate("said", who, f"{status} names the votes {sorted(told)}, counted were {sorted(votes)}")


def judge_token(view, word, row, who, violate):
    if word["status"] == "PENDING":
        if word["token"] is not None:
            violate("token", who, "PENDING has one")
        return
    claims = claims_of(word["token"], view.history.keys, "countersign-authorization+jwt")
    if claims is None:
        violate("token", who, f"that of {word['status']} is not by a key of ours")
        return
    wanted = {"jti": word["event_id"], "iat": word["decided_at"] // SECOND, "sub": row["agent_id"]}
    wanted |= {n: word[n] for n in ("tenant", "request_id", "request_digest", "status", "decision")}
    wanted |= {"nbf": word["not_before"] and word["not_before"] // SECOND, "exp": word["expires_at"] and word["expires_at"] // SECOND}
    for claim, value in wanted.items():
        if claims.get(claim) != value:
            violate("token", who, f"{word['status']}: {claim} is {claims.get(claim)!r}, expected {value!r}")


# ---------------------------------------------------------------- the question to people

def judge_approval(view, request, who, violate):
    approval, final = view.approvals[request], view.final(request)
    state, closed = approval["state"], approval["closed_at"]
    if approval["approval_id"] != derived(*request, "approval_id", 0):
        violate("event-id", who, f"the question has {approval['approval_id']}")
    if approval["request_digest"] != view.requests[request]["request_digest"]:
        violate("approval", who, "people were asked about another digest")
    if (final is None) != (state == "PENDING") or final and FINAL_OF.get(state) != final["status"]:
        violate("approval", who, f"{state}, and the final word is {final and final['status']}")
    if final and closed != final["decided_at"]:
        violate("approval", who, f"closed at {closed}, final word at {final['decided_at']}")
    if state in ("APPROVED", "DENIED", "CANCELLED", "REVOKED") and approval["deadline"] and closed >= approval["deadline"]:
        violate("deadline", who, f"{state} at {closed}, deadline {approval['deadline']}")
    if state == "EXPIRED" and (approval["deadline"] is None or closed < approval["deadline"]):
        violate("deadline", who, f"expired at {closed}, deadline {approval['deadline']}")
    if state == "PENDING" and "resolver" in view.history.running and approval["deadline"] and approval["deadline"] < view.history.now - 5 * SECOND:
        violate("deadline", who, "long over, and nobody has ended it")
    for word in view.words.get(request, ()):
        if word["approval_id"] != approval["approval_id"] and not (request in view.held and word["status"] == "PENDING"):
            violate("word", who, f"{word['status']} speaks of question {word['approval_id']}")
    judge_notices(view, request, approval, final, who, violate)


def judge_notices(view, request, approval, final, who, violate):
    """OPEN first, CLOSED last and only when it is, and none between is missing."""
    events = [view.event(derived(*request, "approval", n), "approvals") for n in range(approval["notices"])]
    if None in events or not events:
        violate("unsaid", who, f"notices {[n for n, e in enumerate(events) if e is None]} of {approval['notices']} are not in the ledger once")
        return
    bodies = [view.body(e) for e in events]
    closed = [n for n, body in enumerate(bodies) if body.get("result")]
    if bodies[0].get("obligations", {}) != (view.courses[request][0]["obligations"] or {}):
        violate("obligations", who, f"people were told of {bodies[0].get('obligations')}, decided was {view.courses[request][0]['obligations']}")
    if [b.get("state") == "OPEN" for b in bodies] != [n == 0 for n in range(len(bodies))]:
        violate("notices", who, f"states {[b.get('state') for b in bodies]}")
    if bool(closed) != (approval["state"] != "PENDING") or any(b.get("state") != "CLOSED" for b in bodies[closed[0] if closed else len(bodies):]):
        violate("notices", who, f"{approval['state']}, states {[b.get('state') for b in bodies]}")
    results = list(dict.fromkeys(bodies[n]["result"] for n in closed))
    if final and results != [final["status"]] + ["REVOKED"] * (approval["state"] == "REVOKED"):
        violate("notices", who, f"result {[b.get('result') for b in bodies]}, final word {final['status']}, {approval['state']}")
    if [e["sequence"] for e in events] != sorted(e["sequence"] for e in events):
        violate("notices", who, f"sequences {[e['sequence'] for e in events]}")
    for body in bodies:
        if (body.get("approval_id"), body.get("request_digest"), body.get("tenant"), body.get("request_id")) != (
                approval["approval_id"], approval["request_digest"], *request):
            violate("said", who, f"a notice is about {body.get('tenant')}/{body.get('request_id')} {body.get('request_digest')}")


# ---------------------------------------------------------------- events without a row

def judge_events(view, violate):
    """What the ledger says comes from a row, and everything about a request is on its own chain."""
    rows = {w["event_id"]: (w["tenant"], w["request_id"]) for w in view.tables["authorization_status"]}
    rows |= {i["incident_id"]: (i["tenant"], i["request_id"]) for i in view.tables["incident"]}
    notices = {derived(*request, "approval", n): request for request, a in view.approvals.items() for n in range(a["notices"])}
    for event in view.tables["ledger_event"]:
        if event["topic"] not in ("authorizations", "incidents", "approvals"):
            continue
        request = (notices if event["topic"] == "approvals" else rows).get(event["event_id"])
        where = f"{event['chain']}/{event['sequence']}"
        if request is None:
            violate("made-up", where, f"an event of {event['topic']} for {event['key']} that no row knows")
        elif event["key"] != key_of(*request):
            violate("key", where, f"{event['key']}, expected {key_of(*request)}")
        if event["chain"] != murmur2(event["key"]) % view.chains:
            violate("chain", where, f"{event['key']} belongs to chain {murmur2(event['key']) % view.chains}")
    for request, row in view.requests.items():
        if row["chain"] != murmur2(key_of(*request)) % view.chains:
            violate("chain", key_of(*request), f"stored with chain {row['chain']}")
    order = {}
    for event in sorted(view.tables["ledger_event"], key=lambda e: (e["chain"], e["sequence"])):
        if event["topic"] == "authorizations":
            order.setdefault((event["chain"], event["key"]), []).append(view.body(event).get("status"))
    for (_, key), statuses in order.items():
        said = statuses[1:] if statuses[0] == "PENDING" else statuses
        if len(said) > 1 and said != ["GRANTED", "REVOKED"] or "PENDING" in said or said == ["REVOKED"]:
            violate("one-word", key, f"the ledger says {statuses}")
