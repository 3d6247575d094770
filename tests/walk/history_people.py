# SPDX-License-Identifier: Apache-2.0
"""Where nobody could answer nobody is asked, unless the class waits for them; and others are asked only in their place."""
from history_approval import demands_of, is_met
from history_policy import demand_of
from history_tools import key_of


def judge(view, directory, violate):
    people = {}
    for tenant, group, person in directory.members:
        people.setdefault((tenant, group), set()).add(person)
    for request, decisions in view.courses.items():
        first = demand_of(view, decisions[0]) if request in view.requests and decisions[0]["policy_id"] else None
        if first and first.verdict == "REQUIRE_APPROVAL":
            judge_asking(view, directory, people, request, first, violate)


def judge_asking(view, directory, people, request, wanted, violate):
    who, row, approval = key_of(*request), view.requests[request], view.approvals.get(request)
    at = view.courses[request][0]["decided_at"]

    def answerable(need, surely):
        return can_answer(directory, people, row, need, at, surely)
    if not approval:
        if any(w["reason_code"] == "no_eligible_approver" for w in view.words.get(request, ())) and (
                wanted.nobody == "hold" or all(answerable(need, True) or wanted.nobody == "escalate" and answerable(need["fallback"], True) for need in wanted.needs)):
            violate("nobody", who, f"denied though somebody could answer, or was to be waited for ({wanted.nobody})")
        return
    needs, steps = view.requirements.get(approval["approval_id"], ()), view.steps.get(approval["approval_id"], ())
    for demand, need in zip(demands_of(needs, steps, approval["opened_at"]), wanted.needs):
        if demand["is_fallback"] and answerable(need, True):
            violate("nobody", who, f"others are asked instead of {need['stages']}, who could answer")
        asked = need["fallback"] if demand["is_fallback"] else need
        if asked and wanted.nobody != "hold" and not answerable(asked, False):
            violate("nobody", who, f"asked {asked['stages']}, of whom too few could answer")


def can_answer(directory, people, row, need, at, surely):
    """For sure; or else: perhaps, at a moment that is not that clear."""
    is_member, owns = (directory.always_member, directory.may_own) if surely else (directory.is_member, directory.always_owner)
    never = {row["agent_id"], row["on_behalf_of"], row["verified_owner"]}

    def those_of(group):
        return {p for p in people.get((row["tenant"], group), ())
                if p not in never and is_member(row["tenant"], group, p, at) and not owns(row["tenant"], row["agent_id"], p, at)}
    by_step = len(need["stages"]) == 1 and any(how != "notify" and len(those_of(group)) >= quorum for _, how, group, quorum in need["steps"])
    asks = [(n, whole, [((n, m), quorum) for m, (_, quorum) in enumerate(asks)]) for n, (whole, asks) in enumerate(need["stages"])]
    persons = {(n, m): those_of(group) for n, (_, asks) in enumerate(need["stages"]) for m, (group, _) in enumerate(asks)}
    return by_step or is_met([[those] if whole else [[ask] for ask in those] for _, whole, those in asks], persons, need["distinct"])
