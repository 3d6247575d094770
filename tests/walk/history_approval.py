# SPDX-License-Identifier: Apache-2.0
"""What an approval asks, put together again from its rows, and whether the answers meet it: slowly and plainly, as
countersign-approvals(7) says it."""
import itertools

MET = 32


def demands_of(requirements, steps, opened_at):
    """The demands of one approval, as history_policy.stages_of has those of a profile, with the numbers of their rows besides."""
    demands = []
    for row in requirements:
        if row["demand"] == len(demands):
            demands.append({"profile": row["profile"], "policy": row["policy_id"], "distinct": row["distinct_persons"],
                            "deny_quorum": row["deny_quorum"], "require_reason": row["require_reason"], "is_fallback": row["fallback"], "override": row["override_group"], "stages": [], "steps": [],
                            "rows": [], "numbers": [], "since": row["added_at"] or opened_at})
        demand = demands[row["demand"]]
        demand["rows"].append(row["n"])
        if row["of_step"]:
            continue
        if row["stage"] not in demand["numbers"]:
            demand["numbers"].append(row["stage"])
            demand["stages"].append((row["stage_all"], []))
        demand["stages"][-1][1].append((row["group_name"], row["quorum"]))
    quorums = {row["n"]: row["quorum"] for row in requirements}
    for step in sorted(steps, key=lambda s: (s["at"], s["n"])):
        demand = demands[step["demand"]]
        demand["steps"].append((step["at"] - demand["since"], step["how"], step["group_name"], quorums.get(step["requirement"])))
    return demands


def same(demand, wanted):
    """An approval's demand and that of a policy, or what stands in for that: nothing but what a step that only tells asks may differ."""
    if demand["is_fallback"]:
        wanted = wanted["fallback"]
    if wanted is None:
        return False
    def plain(steps):
        return [(after, how, group, quorum if how != "notify" else None) for after, how, group, quorum in steps]

    def stages(those):
        return [(whole or len(asks) == 1, asks) for whole, asks in those]
    return all(demand[n] == wanted[n] for n in ("distinct", "deny_quorum", "require_reason", "override")) \
        and stages(demand["stages"]) == stages(wanted["stages"]) and plain(demand["steps"]) == plain(wanted["steps"])


def ways_of(demand, requirements, steps):
    """For each stage the ways to meet it, each a list of rows."""
    ways = {}
    for number, (whole, _) in zip(demand["numbers"], demand["stages"]):
        rows = [r for r in requirements if r["stage"] == number and not r["of_step"]]
        ways[number] = [rows] if whole else [[row] for row in rows]
    for step in sorted(steps, key=lambda s: (s["at"], s["n"])):
        if step["stage"] in ways and step["how"] != "notify":
            ask = [r for r in requirements if r["n"] == step["requirement"]]
            ways[step["stage"]] = ([] if step["how"] == "replace" else ways[step["stage"]]) + [ask]
    return [ways[number] for number in demand["numbers"]]


def can_share(asks, persons):
    """Does everybody's counting for one ask only leave enough for each? asks: (key, quorum); persons: key to a set."""
    seats, given = [key for key, quorum in asks for _ in range(quorum)], {}

    def seat(n, tried):
        for person in sorted(persons[seats[n]] - tried):
            tried.add(person)
            if person not in given or seat(given[person], tried):
                given[person] = n
                return True
        return False
    return all(seat(n, set()) for n in range(len(seats)))


def is_met(ways, persons, distinct):
    """ways: for each stage the alternatives, each a list of (key, quorum); persons: who counts for a key."""
    if not distinct:
        return all(any(all(len(persons[key]) >= quorum for key, quorum in way) for way in stage) for stage in ways)
    return any(can_share([ask for way in choice for ask in way], persons) for choice in itertools.product(*ways))


def standing(responses, at):
    """Everybody's answer that stands at that moment: person to verdict."""
    rank = {"approve": 1, "deny": 2, "recuse": 3}
    found = {}
    for r in responses:
        if r["result"] == "counted" and r["verdict"] in rank and r["received_at"] <= at:
            if rank[r["verdict"]] > rank.get(found.get(r["responder"]), 0):
                found[r["responder"]] = r["verdict"]
    return found
