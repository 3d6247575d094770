# SPDX-License-Identifier: Apache-2.0
"""Nothing was granted without the people whom the policy demanded, each with a key, a group and a right of his own, in time."""
from history_tools import SECOND, b64url, key_of, microseconds, parse, verifies

SLACK = 1 * SECOND  # between a change's own clock and the commit that shows it to others
WINDOW = 5 * 60 * SECOND


class Directory:
    """Who was what at a moment, from the history of the directory."""

    def __init__(self, view, violate):
        self.members, self.owners, self.keys, self.revoked = {}, {}, {}, {}
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
            self.keys[new["kid"]] = {"tenant": new["tenant"], "owner": new["owner"], "bot": new["kind"] == "bot", "since": at,
                                     "public": bytes.fromhex(new["public_key"][2:]), "for": new["speaks_for"]}
            self.revoked[new["kid"]] = new["revoked_at"] and microseconds(new["revoked_at"])

    def is_member(self, tenant, group, person, at):
        return any(since <= at and (until is None or until >= at - SLACK) for since, until in self.members.get((tenant, group, person), ()))

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
        if self.revoked[kid] is not None and self.revoked[kid] < at - SLACK:
            return None
        return key["public"] if (set(key["for"]) & {"*", person} if key["bot"] else key["owner"] == person) else None


def judge(view, violate):
    directory = Directory(view, violate)
    for response in view.tables["response"]:
        judge_response(view, directory, response, violate)
    for request, approval in view.approvals.items():
        who = key_of(*request)
        votes = [v for v in view.responses.get(approval["approval_id"], ()) if v["result"] == "counted"]
        judge_requirements(view, request, approval, who, violate)
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
        return
    request, approval = (response["tenant"], response["request_id"]), view.approvals.get((response["tenant"], response["request_id"]))
    row, person = view.requests.get(request), response["responder"]
    if not approval or not row or approval["approval_id"] != response["approval_id"]:
        violate("vote", who, "counted for no question")
        return
    if directory.speaks(response["kid"], response["tenant"], person, at) is None:
        violate("vote", who, f"its key did not speak for {person} then")
    if person in (row["agent_id"], row["on_behalf_of"]) or directory.always_owner(row["tenant"], row["agent_id"], person, at):
        violate("vote", who, f"{person} asked, is asked for, or owns the agent")
    if response["request_digest"] != row["request_digest"]:
        violate("vote", who, f"about {response['request_digest']}, the request is {row['request_digest']}")
    if at >= approval["deadline"] or at < approval["opened_at"] or approval["closed_at"] and at > approval["closed_at"]:
        violate("vote-late", who, f"counted at {at}: opened {approval['opened_at']}, deadline {approval['deadline']}, closed {approval['closed_at']}")
    record = view.sent.get((response["origin_topic"], response["origin_partition"], response["origin_offset"]))
    moments = [at] + ([record.at] if record and record.at else [])
    if all(abs(response["issued_at"] - moment) > WINDOW for moment in moments):
        violate("vote-late", who, f"issued at {response['issued_at']}, counted at {at}")
    needs = {r["n"]: r for r in view.requirements.get(approval["approval_id"], ())}
    groups = [needs[n]["group_name"] for n in response["counted_for"] if n in needs] if response["verdict"] == "approve" else \
        [r["group_name"] for r in needs.values()]
    member = [g for g in groups if directory.is_member(response["tenant"], g, person, at)]
    if response["verdict"] == "approve" and (len(member) != len(response["counted_for"]) or not member) or not member:
        violate("vote", who, f"{person} counted for {response['counted_for']}, a member of {member} then")


# ---------------------------------------------------------------- what was asked, and whether it was met

def judge_requirements(view, request, approval, who, violate):
    needs = view.requirements.get(approval["approval_id"], [])
    if not needs or [r["n"] for r in needs] != list(range(len(needs))):
        violate("requirements", who, f"numbered {[r['n'] for r in needs]}")
    first = (view.decisions.get(request) or [None])[0]
    policy = first and next((p for p in view.tables["policy"] if (p["policy_id"], p["version"]) == (
        first["policy_id"], first["policy_version"])), None)
    if not policy:
        return
    document = view.document(policy)
    profiles = {r["approval"] for r in document.get("rules", ()) if r["id"] in first["rules"] and "approval" in r}
    if first["reason_code"] == "class_default":
        profiles = {c["approval"] for c in document["classes"] if c["id"] == first["class_id"] and "approval" in c}
    for profile in profiles:
        asked = document["approvals"][profile]["any_of"][0]
        if not any((r["profile"], r["group_name"], r["quorum"]) == (profile, asked["group"], asked["quorum"]) for r in needs):
            violate("requirements", who, f"profile {profile} asks {asked}, the question {needs}")


def judge_grant(view, directory, request, approval, votes, who, violate):
    row, final, at = view.requests[request], view.final(request), approval["closed_at"]
    again = view.decisions.get(request, [])[1:]
    if not at or not again or again[-1]["verdict"] == "BLOCK" or again[-1]["decided_at"] != at:
        violate("grant", who, f"granted at {at}, decided again {[(d['verdict'], d['decided_at']) for d in again]}")
        return
    if final and not 0 < final["expires_at"] - final["not_before"] <= approval["valid_for_us"]:
        violate("grant", who, f"good for {final['expires_at'] - final['not_before']}, at most {approval['valid_for_us']}")
    if any(v["verdict"] == "deny" for v in votes):
        violate("grant", who, "somebody had denied it")

    def stands(vote, need):
        person = vote["responder"]
        return (vote["verdict"] == "approve" and need["n"] in vote["counted_for"] and vote["received_at"] <= at < approval["deadline"]
                and vote["request_digest"] == row["request_digest"] and person not in (row["agent_id"], row["on_behalf_of"])
                and not directory.always_owner(row["tenant"], row["agent_id"], person, at)
                and directory.speaks(vote["kid"], row["tenant"], person, at) is not None
                and directory.is_member(row["tenant"], need["group_name"], person, at))
    for need in view.requirements.get(approval["approval_id"], ()):
        persons = {v["responder"] for v in votes if stands(v, need)}
        if len(persons) < need["quorum"]:
            violate("grant", who, f"{need['group_name']} had to be {need['quorum']}, there were {sorted(persons)}")


def judge_denial(view, request, approval, votes, final, who, violate):
    denies = [v for v in votes if v["verdict"] == "deny"]
    if final["reason_code"] == "denied_by_approver":
        if len(denies) != 1 or denies[0]["received_at"] != approval["closed_at"]:
            violate("denial", who, f"denied by {[(v['responder'], v['received_at']) for v in denies]}, closed at {approval['closed_at']}")
    elif denies or view.decisions[request][-1]["verdict"] != "BLOCK" and final["reason_code"] != "too_many_requirements":
        violate("denial", who, f"denied for {final['reason_code']}, and the last decision is {view.decisions[request][-1]['verdict']}")
