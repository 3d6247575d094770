# SPDX-License-Identifier: Apache-2.0
"""Nothing was granted without the people whom the policy demanded, each with a key, a group and a right of his own, in time."""
import history_identity
import history_override
import history_people
from history_approval import demands_of, is_met, same, standing, ways_of
from history_policy import demand_of, unite
from history_tools import SECOND, b64url, derived, key_of, kid_of, microseconds, parse, verifies

SLACK = 1 * SECOND  # between a change's own clock and the commit that shows it to others
WINDOW = 5 * 60 * SECOND
REFUSALS_TOLD = 20
OPERATORS = "operators"
VOTERS_MAX = 128


class Directory:
    """Who was what at a moment, from the history of the directory."""

    def __init__(self, view, violate):
        self.members, self.owners, self.keys, self.revoked, self.over = {}, {}, {}, {}, {}
        for change in sorted(view.tables["directory_history"], key=lambda c: c["n"]):
            self.take(change)
        now = {(m["tenant"], m["group_name"], m["person"]) for m in view.tables["group_member"]}
        then = {member for member, spans in self.members.items() if spans[-1][1] is None}
        for member in now ^ then:
            violate("directory", "/".join(member), "the table and its history say different things")
        for key in view.tables["signing_key"]:
            if key["public_key"] != self.keys.get(key["kid"], {}).get("public") or key["revoked_at"] != self.revoked.get(key["kid"]):
                violate("directory", key["kid"], "the key is not what its history says")
        owners = {(a["tenant"], a["agent_id"]): a["owner"] for a in view.tables["agent"]}
        for agent in {*owners, *self.owners}:
            last = self.owners.get(agent, [(0, None)])[-1][1]
            if owners.get(agent) != last:
                violate("directory", "/".join(agent), f"owned by {owners.get(agent)}, its history says {last}")

    def take(self, change):
        old, new, at = change["old_row"], change["new_row"], change["at"]
        if change["relation"] == "group_member":
            if old:
                self.members[old["tenant"], old["group_name"], old["person"]][-1][1] = at
            if new:
                self.members.setdefault((new["tenant"], new["group_name"], new["person"]), []).append([at, None])
        elif change["relation"] == "agent":
            for row, owner in ((old, None), (new, new and new["owner"])):
                if row:
                    self.owners.setdefault((row["tenant"], row["agent_id"]), []).append((at, owner))
        elif new:
            self.keys[new["kid"]] = {"tenant": new["tenant"], "owner": new["owner"], "kind": new["kind"],
                                     "groups": new["speaks_for_groups"], "agents": new["agents"],
                                     "since": self.keys.get(new["kid"], {"since": at})["since"],
                                     "public": bytes.fromhex(new["public_key"][2:]), "for": new["speaks_for"]}
            self.revoked[new["kid"]] = revoked = new["revoked_at"] and microseconds(new["revoked_at"])
            if revoked is not None:  # it counts from its moment on, and not before anybody said so
                self.over[new["kid"]] = min(max(at, revoked), self.over.get(new["kid"], max(at, revoked)))

    def is_member(self, tenant, group, person, at):
        return any(since <= at and (until is None or until >= at - SLACK) for since, until in self.members.get((tenant, group, person), ()))

    def always_member(self, tenant, group, person, at):
        return any(since <= at - SLACK and (until is None or until >= at) for since, until in self.members.get((tenant, group, person), ()))

    def may_own(self, tenant, agent, person, at):
        """He was its owner, or may have been seen as such."""
        owned = [owner for since, owner in self.owners.get((tenant, agent), ()) if since <= at - SLACK]
        later = [owner for since, owner in self.owners.get((tenant, agent), ()) if at - SLACK < since <= at]
        return person in owned[-1:] + later

    def always_owner(self, tenant, agent, person, at):
        """He was its owner for sure: also a moment before."""
        owned = [owner for since, owner in self.owners.get((tenant, agent), ()) if since <= at - SLACK]
        later = [owner for since, owner in self.owners.get((tenant, agent), ()) if at - SLACK < since <= at]
        return bool(owned) and owned[-1] == person and all(owner == person for owner in later)

    def speaks(self, kid, tenant, person, at):
        """The public key, if it spoke for this person then."""
        key = self.keys.get(kid)
        if not key or key["tenant"] != tenant or key["since"] > at:
            return None
        if self.was_revoked(kid, at):
            return None
        return key["public"] if self.may_answer(key, tenant, person, at, self.is_member) else None

    def is_agent(self, kid, row, person, at):
        """The key may speak as the agent of the request, and who says so is that agent."""
        key = self.keys.get(kid)
        return person == row["agent_id"] and bool(key) and key["tenant"] == row["tenant"] and key["since"] <= at \
            and not self.was_revoked(kid, at) and history_identity.speaks_as(key, person)

    def was_revoked(self, kid, at):
        return kid in self.over and self.over[kid] < at - SLACK

    def may_answer(self, key, tenant, person, at, is_member):
        if key["kind"] == "bot":
            return bool(set(key["for"]) & {"*", person}) or any(is_member(tenant, g, person, at) for g in key["groups"])
        return key["kind"] == "person" and key["owner"] == person


def judge(view, violate):
    directory = Directory(view, violate)
    history_identity.judge(view, directory, violate)
    history_people.judge(view, directory, violate)
    for response in view.tables["response"]:
        judge_response(view, directory, response, violate)
    for row in view.tables["quarantine"]:
        if row["service"] == "resolver":
            judge_quarantine(view, directory, row, violate)
    for request, approval in view.approvals.items():
        who = key_of(*request)
        judge_refusals(view, approval, who, violate)
        votes = [v for v in view.responses.get(approval["approval_id"], ()) if v["result"] == "counted"]
        judge_requirements(view, request, approval, who, violate)
        if approval["state"] == "CANCELLED" and [v["received_at"] for v in votes if v["verdict"] == "withdraw"] != [approval["closed_at"]]:
            violate("denial", who, f"cancelled at {approval['closed_at']}, withdrawn at {[v['received_at'] for v in votes if v['verdict'] == 'withdraw']}")
        if any(w["status"] == "GRANTED" for w in view.words.get(request, ())):
            judge_grant(view, directory, request, approval, votes, who, violate)
        final = view.final(request)
        if final and final["status"] == "DENIED":
            judge_denial(view, request, approval, votes, final, who, violate)


# ---------------------------------------------------------------- one response

def judge_response(view, directory, response, violate):
    who, at = f"{response['kid']}/{response['response_id']}", response["received_at"]
    key = directory.keys.get(response["kid"])
    header, _, signature = response["signature"].partition("..")
    payload = b64url(response["value"])
    if not key or not verifies(key["public"], header, payload, signature, "countersign-response"):
        violate("signature", who, "stored as verified, and it is not")
    if response["result"] != "counted":
        if not may_be_refused(view, directory, response):
            violate("refused-vote", who, f"{response['responder']} {response['verdict']}, refused as {response['result']} for no reason")
        return
    request, approval = (response["tenant"], response["request_id"]), view.approvals.get((response["tenant"], response["request_id"]))
    row, person = view.requests.get(request), response["responder"]
    if not approval or not row or approval["approval_id"] != response["approval_id"]:
        violate("vote", who, "counted for no question")
        return
    if response["verdict"] == "withdraw":
        if not directory.is_agent(response["kid"], row, person, at):
            violate("vote", who, f"withdrawn by {person}, whose key does not speak as {row['agent_id']}")
    elif directory.speaks(response["kid"], response["tenant"], person, at) is None:
        violate("vote", who, f"its key did not speak for {person} then")
    if response["verdict"] not in ("comment", "withdraw", "revoke") and (person in (row["agent_id"], row["on_behalf_of"], row["verified_owner"])
                                                                         or directory.always_owner(row["tenant"], row["agent_id"], person, at)):
        violate("vote", who, f"{person} asked, is asked for, or owns the agent")
    if response["request_digest"] != row["request_digest"]:
        violate("vote", who, f"about {response['request_digest']}, the request is {row['request_digest']}")
    if response["verdict"] == "revoke":
        judge_revoke(view, directory, response, approval, who, violate)
    elif response["verdict"] == "review":
        if at < (approval["closed_at"] or at + 1):
            violate("vote-late", who, f"reviewed at {at}, closed at {approval['closed_at']}")
    elif approval["deadline"] and at >= approval["deadline"] or at < approval["opened_at"] or approval["closed_at"] and at > approval["closed_at"]:
        violate("vote-late", who, f"counted at {at}: opened {approval['opened_at']}, deadline {approval['deadline']}, closed {approval['closed_at']}")
    record = view.sent.get((response["origin_topic"], response["origin_partition"], response["origin_offset"]))
    moments = [at] + ([record.at] if record and record.at else [])
    if all(abs(response["issued_at"] - moment) > WINDOW for moment in moments):
        violate("vote-late", who, f"issued at {response['issued_at']}, counted at {at}")
    judge_membership(view, directory, response, row, approval, who, violate)


def judge_revoke(view, directory, response, approval, who, violate):
    """He took back what he had approved, or is an operator; and it had been granted."""
    tenant, person, at = response["tenant"], response["responder"], response["received_at"]
    approved = any(v["responder"] == person and v["verdict"] in ("approve", "override") and v["result"] == "counted" and v["received_at"] <= at
                   for v in view.responses.get(approval["approval_id"], ()))
    if not approved and not directory.is_member(tenant, OPERATORS, person, at):
        violate("vote", who, f"{person} took back what he had not approved")
    if approval["revoked_at"] != at or at < (approval["closed_at"] or at):
        violate("vote-late", who, f"taken back at {at}, granted at {approval['closed_at']}, revoked at {approval['revoked_at']}")


def judge_membership(view, directory, response, row, approval, who, violate):
    """He counted for what he could count for, said why where he had to, and was asked at all."""
    tenant, person, at = response["tenant"], response["responder"], response["received_at"]
    needs = {r["n"]: r for r in view.requirements.get(approval["approval_id"], ())}
    if response["verdict"] in ("approve", "deny"):
        groups = [needs[n]["group_name"] for n in response["counted_for"] if n in needs]
        member = [g for g in groups if directory.is_member(tenant, g, person, at)]
        if len(member) != len(response["counted_for"]) or not member:
            violate("vote", who, f"{person} counted for {response['counted_for']}, a member of {member} then")
        if not response["reason"] and any(needs[n]["require_reason"] and needs[n]["stage"] == min(
                r["stage"] for r in needs.values() if r["demand"] == needs[n]["demand"] and r["stage"] is not None)
                for n in response["counted_for"] if n in needs):
            violate("vote", who, "without a reason where one is demanded")
        return
    if response["verdict"] == "override":
        history_override.judge_overrider(directory, response, needs.values(), who, violate)
    if response["verdict"] in ("withdraw", "revoke", "override"):
        return
    groups = {r["group_name"] for r in needs.values()}
    groups |= {OPERATORS} if response["verdict"] not in ("recuse", "review") else set()
    asked = any(directory.is_member(tenant, g, person, at) for g in groups)
    own = response["verdict"] == "comment" and (person in (row["agent_id"], row["on_behalf_of"])
                                                or directory.may_own(tenant, row["agent_id"], person, at))
    if response["counted_for"] or not asked and not own:
        violate("vote", who, f"{person} gave a {response['verdict']} and was not asked")


def may_be_refused(view, directory, response):
    """A refusal has its reason. Where the moment is not clear, both hold."""
    request, at, person = (response["tenant"], response["request_id"]), response["received_at"], response["responder"]
    row, approval = view.requests.get(request), view.approvals.get(request)
    if response["result"] == "no_approval":
        return not approval
    if response["result"] == "not_requester":
        return response["verdict"] == "withdraw" and not (row and directory.is_agent(response["kid"], row, person, at))
    if response["result"] == "responder_not_key_owner":
        key = directory.keys.get(response["kid"])
        return not (key and directory.may_answer(key, response["tenant"], person, at, directory.always_member))
    if response["result"] == "stale":
        return abs(response["issued_at"] - at) > WINDOW
    if not approval:
        return False
    first = demand_of(view, view.courses[request][0]) if view.courses.get(request) else None
    needs = [r for r in view.requirements.get(approval["approval_id"], ()) if first and not r["added_at"]]
    same = [v for v in view.responses.get(approval["approval_id"], ()) if v["result"] == "counted" and v["received_at"] <= at]
    own = [v["verdict"] for v in same if v["responder"] == person]
    final = view.final(request)
    wanted = microseconds(parse(response["value"])["deadline"]) if response["verdict"] == "extend" else None
    limit = (approval["latest"] or approval["opened_at"], approval["deadline"] or approval["opened_at"])
    return {
        "repeated": response["verdict"] in own,
        "recused": "recuse" in own, "denied_before": "deny" in own,
        "stage_not_open": any((r["of_step"] or r["stage"] not in (0, None)) for r in view.requirements.get(approval["approval_id"], ())),
        "reason_required": not response["reason"] and (response["verdict"] in ("comment", "override", "review") or any(r["require_reason"] for r in needs)),
        "too_many_voters": len({v["responder"] for v in same}) >= VOTERS_MAX,
        "not_extendable": not approval["latest"] or not approval["deadline"],
        "not_later": wanted is not None and wanted <= limit[1],
        "beyond_maximum": wanted is not None and wanted > limit[0],
        "not_granted": response["verdict"] == "revoke" and (approval["closed_at"] is None or approval["closed_at"] >= at),
        "not_an_approver": response["verdict"] == "revoke" and not directory.always_member(request[0], OPERATORS, person, at)
        and standing_is(view, directory, response, own),
        "authorization_expired": response["verdict"] == "revoke" and final and final["expires_at"] and at >= final["expires_at"],
        "digest_mismatch": response["request_digest"] != row["request_digest"],
        "approval_expired": approval["deadline"] and at >= approval["deadline"] or approval["state"] == "EXPIRED",
        "already_decided": approval["closed_at"] is not None and approval["closed_at"] <= at and approval["state"] != "EXPIRED",
        "responder_is_requester": person in (row["agent_id"], row["on_behalf_of"], row["verified_owner"]) or directory.may_own(request[0], row["agent_id"], person, at),
        **history_override.may_be_refused(view, directory, response, approval),
        "not_a_member": response["verdict"] == "override" or not any(directory.always_member(request[0], r["group_name"], person, at) for r in needs),
    }.get(response["result"], False)


def standing_is(view, directory, response, own):
    """No approve of his counts: he gave none, took it back, or lost key or group since."""
    if "approve" not in own or set(own) & {"deny", "recuse"}:
        return True
    votes = [v for v in view.responses.get(response["approval_id"], ()) if v["responder"] == response["responder"] and v["verdict"] == "approve"]
    needs = {r["n"]: r for r in view.requirements.get(response["approval_id"], ())}
    return not any(v["kid"] not in directory.over and any(directory.always_member(v["tenant"], needs[n]["group_name"], v["responder"], response["received_at"])
                                                          for n in v["counted_for"]) for v in votes)


def judge_quarantine(view, directory, row, violate):
    """What was not even taken for somebody's answer really is nobody's."""
    record = view.sent.get((row["origin_topic"], row["origin_partition"], row["origin_offset"]))
    if record is None or row["code"] not in ("signature_missing", "signature_invalid", "unknown_key", "revoked_key"):
        return
    header, _, signature = (record.header("signature") or "").partition("..")
    kid = kid_of(header)
    key, revoked = directory.keys.get(kid), directory.revoked.get(kid)
    good = {
        "signature_missing": not header,
        "signature_invalid": not key or not verifies(key["public"], header, b64url(record.value or b""), signature, "countersign-response"),
        "unknown_key": not key or key["tenant"] != row["tenant"] or key["since"] > row["at"] - SLACK,
        "revoked_key": revoked is not None and revoked <= row["at"],
    }[row["code"]]
    if not good:
        violate("refused-vote", str(record), f"refused as {row['code']} for no reason")


def judge_refusals(view, approval, who, violate):
    """Who was refused is told, unless there are very many."""
    told = [view.body(e).get("refused", {}).get("response_id") for n in range(approval["notices"])
            for e in [view.event(derived(approval["tenant"], approval["request_id"], "approval", n), "approvals")]
            if e and view.body(e).get("cause") == "response_refused"]
    refused = [r["response_id"] for r in view.responses.get(approval["approval_id"], ()) if r["result"] not in ("counted", "repeated")]
    if approval["refusals"] != len(refused) or len(told) != min(len(refused), REFUSALS_TOLD) or not set(told) <= set(refused):
        violate("refusal-untold", who, f"{approval['refusals']} refusals, {len(refused)} responses refused, {len(told)} told")


# ---------------------------------------------------------------- what was asked, and whether it was met

def judge_requirements(view, request, approval, who, violate):
    needs = view.requirements.get(approval["approval_id"], [])
    if not needs or [r["n"] for r in needs] != list(range(len(needs))):
        violate("requirements", who, f"numbered {[r['n'] for r in needs]}")
    first = (view.courses.get(request) or [None])[0]
    wanted = first and demand_of(view, first)
    if not wanted or wanted.verdict != "REQUIRE_APPROVAL":
        return
    asked = demands_of(needs, view.steps.get(approval["approval_id"], ()), approval["opened_at"])
    if len(asked) < len(wanted.needs) or not all(a["profile"] == w["profile"] and same(a, w) for a, w in zip(asked, wanted.needs)):
        violate("requirements", who, f"asks {asked}, the policy {wanted.needs}")
    owners = wanted.owners if first["layers"] else [None] * len(wanted.owners)
    if [a["policy"] for a in asked][:len(owners)] != owners:
        violate("requirements", who, f"of {[a['policy'] for a in asked]}, and they are of {owners}")
    extended = any(v["verdict"] == "extend" and v["result"] == "counted" for v in view.responses.get(approval["approval_id"], ()))
    open_for = approval["deadline"] and approval["deadline"] - approval["opened_at"]
    if (open_for != wanted.ttl and not extended) or wanted.ttl and open_for < wanted.ttl or approval["valid_for_us"] != wanted.valid_for \
            or extended and approval["deadline"] > approval["latest"]:
        violate("terms", who, f"open for {open_for}, good for {approval['valid_for_us']}, the policy says {wanted.ttl} and {wanted.valid_for}")
    for step in view.steps.get(approval["approval_id"], ()):
        if step["stage"] is not None and step["at"] > view.history.now:
            violate("terms", who, f"step {step['n']} was taken before its time")


def judge_grant(view, directory, request, approval, votes, who, violate):
    row, final, at = view.requests[request], view.final(request), approval["closed_at"]
    again = view.courses.get(request, [])[1:]
    if not at or not again or again[-1]["verdict"] == "BLOCK" or again[-1]["decided_at"] != at:
        violate("grant", who, f"granted at {at}, decided again {[(d['verdict'], d['decided_at']) for d in again]}")
        return
    demands = [d for d in (demand_of(view, d) for d in view.courses[request]) if d and d.verdict == "REQUIRE_APPROVAL"]
    least = min([d.valid_for for d in demands] + [approval["valid_for_us"]])
    if final and final["expires_at"] - final["not_before"] != least:
        violate("terms", who, f"good for {final['expires_at'] - final['not_before']}, the policy says {least}")
    held = max([d.hold_for for d in demands], default=0)
    if final and final["not_before"] - final["decided_at"] != held:
        violate("terms", who, f"begins {final['not_before'] - final['decided_at']} after the grant, the policy says {held}")
    verdicts = standing(votes, at)

    def stands(vote, group):
        person = vote["responder"]
        return (vote["verdict"] == verdicts.get(person) == "approve" and vote["received_at"] <= at < (approval["deadline"] or at + 1) and vote["request_digest"] == row["request_digest"] and person not in (row["agent_id"], row["on_behalf_of"], row["verified_owner"])
                and not directory.always_owner(row["tenant"], row["agent_id"], person, at)
                and directory.speaks(vote["kid"], row["tenant"], person, at) is not None
                and directory.is_member(row["tenant"], group, person, at))
    needs, steps = view.requirements.get(approval["approval_id"], ()), view.steps.get(approval["approval_id"], ())
    steps = [step for step in steps if step["stage"] is not None and step["at"] <= at]
    asked = demands_of(needs, view.steps.get(approval["approval_id"], ()), approval["opened_at"])
    persons = {r["n"]: {v["responder"] for v in votes if (r["n"] in v["counted_for"] or r["added_at"] and r["added_at"] >= v["received_at"])
                        and stands(v, r["group_name"])} for r in needs}
    overridden = history_override.overrides(view, approval, votes)
    for demand in asked:
        ways = [[[(r["n"], r["quorum"]) for r in way] for way in stage] for stage in ways_of(demand, needs, steps)]
        if not overridden and not is_met(ways, persons, demand["distinct"]):
            violate("grant", who, f"{demand} had to be met, there were {persons}")
        denies = {p for p, verdict in verdicts.items() if verdict == "deny" for v in votes
                  if v["responder"] == p and v["verdict"] == "deny" and set(v["counted_for"]) & set(demand["rows"])}
        if len(denies) >= demand["deny_quorum"]:
            violate("grant", who, f"{sorted(denies)} had denied it")
    wanted = demand_of(view, again[-1])
    for need in wanted.needs if wanted else ():
        groups = {group for _, asks in need["stages"] for group, _ in asks}
        standing_in = {g: {v["responder"] for v in votes if stands(v, g)} for g in groups}
        ways = [[asks] if whole else [[ask] for ask in asks] for whole, asks in need["stages"]]
        if not is_met(ways, standing_in, need["distinct"]) and not any(same(d, need) for d in asked):
            violate("grant", who, f"the policy of that moment asks {need}, there were {standing_in}")


def judge_denial(view, request, approval, votes, final, who, violate):
    denies, duties = [v for v in votes if v["verdict"] == "deny"], {}
    outgrown = ["too_many_requirements", "too_many_obligations", "held", "no_eligible_approver"]
    if any([unite(duties, d["obligations"] or {}) for d in view.courses[request]]):
        outgrown.append("obligation_conflict")
    needs, closed = view.requirements.get(approval["approval_id"], ()), approval["closed_at"]
    quorums = {r["demand"]: r["deny_quorum"] for r in needs}
    denying = {demand: {d["responder"] for d in denies if any(r["n"] in d["counted_for"] for r in needs if r["demand"] == demand)} for demand in quorums}
    if final["reason_code"] == "denied_by_approver":
        if not any(len(denying[d]) >= quorums[d] for d in quorums) or max(d["received_at"] for d in denies) != closed:
            violate("denial", who, f"denied by {[(v['responder'], v['received_at']) for v in denies]}, closed at {closed}")
    elif any(len(denying[d]) >= quorums[d] for d in quorums) or view.decisions[request][-1]["verdict"] != "BLOCK" and final["reason_code"] not in outgrown:
        violate("denial", who, f"denied for {final['reason_code']}, and the last decision is {view.decisions[request][-1]['verdict']}")
