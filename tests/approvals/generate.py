# SPDX-License-Identifier: Apache-2.0
"""Random histories of approvals in the form of README, each from a seed and its number alone."""

import argparse
import collections
import json
import random
import sys

import model

OPENED_AT = 1_800_000_000_000_000
LAST = (1 << 63) - 1
KINDS = {
    "APPROVE_GIVEN": 56,
    "DENY_GIVEN": 10,
    "RECUSE_GIVEN": 5,
    "COMMENT_GIVEN": 4,
    "EXTEND_GIVEN": 8,
    "WITHDRAW_GIVEN": 3,
    "REVOKE_GIVEN": 5,
    "OVERRIDE_GIVEN": 3,
    "REVIEW_GIVEN": 3,
    "TIME_CHECK": 14,
    "OPENED": 0.5,
}
STATES = {"NONE", "PENDING", "APPROVED", "DENIED", "EXPIRED", "CANCELLED", "REVOKED"}
VERDICTS = {"TAKEN", "REPEATED", "REFUSED"}
REFUSALS = """not_open digest_mismatch approval_expired already_decided responder_is_requester excluded not_a_member recused
    denied_before stage_not_open reason_required too_many_voters not_requester not_extendable not_later beyond_maximum not_granted
    not_an_approver authorization_expired not_overridable not_overridden responder_is_overrider already_reviewed""".split()
EFFECTS = "ANNOUNCE ASK CANCEL CLOSE DENY EXPIRE EXTEND GRANT OVERRIDE REMIND REVIEW REVOKE STEPS VOTE".split()


class Shape:
    """How large things may be."""

    def __init__(self, rng):
        self.demands = rng.choice([1, 1, 1, 2, 2, 3])
        self.stages = [1, 1, 2, 2, 3]
        self.asks = [1, 1, 1, 2, 2, 3]
        self.quorums = rng.choice([[1], [1, 1, 2], [1, 1, 2], [1, 2, 3]])
        self.steps = rng.choice([0, 0, 0, 1, 1, 2, 3])
        self.persons = rng.randint(3, 6)
        self.events = rng.randint(6, 12)
        self.membership = rng.choice([0.4, 0.6, 0.8, 0.9])
        self.deny_quorums = [1, 1, 2, 2]
        self.distinct = 0.4
        self.all = 0.5
        self.has_deadline = 0.75
        self.denies = 1
        self.overridable = rng.choice([0, 0.8, 1])
        self.bad = rng.choice([0, 0.03, 0.1])  # how often facts stand against an answer


def crowd(shape, rng):
    """More persons than an approval has voters."""
    shape.demands, shape.stages, shape.asks, shape.steps = rng.choice([1, 2]), [1], [1, 2], rng.choice([0, 0, 1])
    shape.persons, shape.events = 160, rng.randint(150, 170)
    shape.quorums, shape.deny_quorums = rng.choice([[100], [100], [60]]), [100]
    shape.membership, shape.distinct, shape.bad, shape.has_deadline = 0.97, 0, 0, 0


def broad(shape, rng):
    """As many demands, stages and asks as there may be."""
    shape.demands, shape.stages, shape.asks, shape.steps = rng.choice([11, 16]), [1, 2], [1, 2], rng.choice([0, 4, 16])
    shape.quorums, shape.membership, shape.bad = [1], 0.9, 0


def wide(shape, rng):
    """As many ways as there may be, or more."""
    shape.demands, shape.stages, shape.asks, shape.steps = 1, [6], rng.choice([[4], [4], [5]]), rng.choice([0, 0, 0, 1])
    shape.quorums, shape.membership, shape.distinct, shape.all, shape.bad = [1], 0.9, 1, 0, 0
    shape.events = 14


def long(shape, rng):
    """As many stages as a demand may have, or more."""
    shape.demands, shape.stages, shape.asks = rng.choice([1, 2]), [8, 8, 9], [2]
    shape.quorums, shape.membership, shape.bad, shape.events = [1], 0.9, 0, 14


def grim(shape, rng):
    """Several denies are needed, and steps come between them."""
    shape.deny_quorums, shape.denies = [2, 2, 3], 6
    shape.demands, shape.steps, shape.membership = 1, rng.choice([1, 2]), 0.9


def chance(rng, likely):
    return rng.random() < likely


def approval(rng, shape):
    demands, stages, asks, steps, groups = [], [], [], [], []
    left = 32 - shape.steps
    for demand in range(shape.demands):
        demands.append(
            {
                "deny_quorum": rng.choice(shape.deny_quorums),
                "distinct": chance(rng, shape.distinct),
                "require_reason": chance(rng, 0.15 if shape.events < 100 else 0.4),
                "overridable": chance(rng, shape.overridable),
            }
        )
        for position in range(rng.choice(shape.stages)):
            many = min(rng.choice(shape.asks), left - (shape.demands - demand - 1))
            if many < 1 or position and many < 2:
                break
            left -= many
            stages.append({"demand": demand, "all": chance(rng, shape.all)})
            for _ in range(many):
                asks.append({"stage": len(stages) - 1, "quorum": rng.choice(shape.quorums), "of_step": False, "active": True})
                groups.append(rng.randrange(5))
    times = sorted(rng.randint(1, 40) if chance(rng, 0.8) else 10 for _ in range(shape.steps))
    for time in times:
        kind = rng.choice(["ADD", "ADD", "REPLACE", "REPLACE", "NOTIFY"])
        demand = rng.randrange(len(demands))
        step = {"at": OPENED_AT + time, "kind": kind, "demand": demand, "ask": 0, "stage": 0}
        if kind != "NOTIFY":
            step["ask"] = len(asks)
            first = [i for i, stage in enumerate(stages) if stage["demand"] == demand][0]
            asks.append({"stage": first, "quorum": rng.choice(shape.quorums), "of_step": True, "active": False})
            groups.append(rng.randrange(5))
        steps.append(step)
    if chance(rng, 0.3):
        mixed = list(range(len(asks)))
        rng.shuffle(mixed)
        asks, groups = [asks[i] for i in mixed], [groups[i] for i in mixed]
        for step in steps:
            if step["kind"] != "NOTIFY":
                step["ask"] = mixed.index(step["ask"])
    deadline = OPENED_AT + rng.randint(15, 80) if chance(rng, shape.has_deadline) else 0
    latest = (deadline or OPENED_AT + 30) + rng.choice([0, 5, 20, 50]) if chance(rng, 0.7) else 0
    return groups, {
        "state": "NONE",
        "opened_at": OPENED_AT,
        "deadline": deadline,
        "latest": latest,
        "remind_before": rng.choice([0, 0, 1, 5, 10]),
        "remind_every": rng.choice([0, 0, 0, 1, 7, 20]),
        "reminded_at": 0,
        "grant_ends": 0,
        "demand_count": len(demands),
        "stage_count": len(stages),
        "ask_count": len(asks),
        "step_count": len(steps),
        "voter_count": 0,
        "steps_taken": 0,
        "demands": demands,
        "stages": stages,
        "asks": asks,
        "steps": steps,
        "voters": [],
    }


def far(rng, a):
    """Times as late as a number can say."""
    late = [LAST, LAST - 1, 1 << 62]
    for name in rng.sample(["deadline", "latest", "remind_before", "remind_every"], rng.randint(1, 3)):
        a[name] = rng.choice(late)
    if a["steps"] and chance(rng, 0.5):
        a["steps"][-1]["at"] = rng.choice(late)


def spoil(rng, a):
    """One thing that no approval may be opened with."""
    ask = rng.choice(a["asks"])
    demand = rng.choice(a["demands"])
    own = [i for i, ask in enumerate(a["asks"]) if not ask["of_step"]]

    def quorum():
        ask["quorum"] = rng.choice([0, -1, 101, 1 << 40, (1 << 32) + 1])

    def deny_quorum():
        demand["deny_quorum"] = rng.choice([0, -1, 101, (1 << 32) + 1])

    def counts():
        name, limit = rng.choice([("demand", 16), ("stage", 32), ("ask", 32), ("step", 16)])
        a[name + "_count"] = rng.choice([limit + 1, 1 << 31, (1 << 32) - 1])

    def nothing_asked():
        a.update(demand_count=0, stage_count=0, ask_count=0, step_count=0, demands=[], stages=[], asks=[], steps=[])

    def demand_without_stage():
        a["demands"].append(dict(demand))
        a["demand_count"] += 1

    def stage_without_ask():
        a["stages"].append({"demand": len(a["demands"]) - 1, "all": chance(rng, 0.5)})
        a["stage_count"] += 1

    def stage_of_no_demand():
        rng.choice(a["stages"])["demand"] = rng.choice([len(a["demands"]), 16, (1 << 32) - 1])

    def demand_in_two_pieces():
        a["stages"].append({"demand": 0, "all": False})
        a["stage_count"] += 1
        a["asks"].append({"stage": len(a["stages"]) - 1, "quorum": 1, "of_step": False, "active": True})
        a["ask_count"] += 1
        if len(a["demands"]) == 1:
            a["demands"].append(dict(demand))
            a["demand_count"] += 1

    def ask_of_no_stage():
        a["asks"][rng.choice(own)]["stage"] = rng.choice([len(a["stages"]), 32, (1 << 32) - 1])

    def ask_not_asked():
        a["asks"][rng.choice(own)]["active"] = False

    def ask_of_no_step():
        a["asks"].append({"stage": 0, "quorum": 1, "of_step": True, "active": False})
        a["ask_count"] += 1

    def step():
        if not a["steps"]:
            return quorum()
        one = rng.choice(a["steps"])
        return rng.choice([lambda: step_demand(one), lambda: step_ask(one), step_order])()

    def step_demand(one):
        one["demand"] = rng.choice([len(a["demands"]), (1 << 32) - 1])

    def step_ask(one):
        one["kind"] = rng.choice(["ADD", "REPLACE"])
        one["ask"] = rng.choice([rng.choice(own), len(a["asks"]), (1 << 32) - 1])

    def step_order():
        a["steps"].append({"at": a["steps"][-1]["at"] - 1, "kind": "NOTIFY", "demand": 0, "ask": 0, "stage": 0})
        a["step_count"] += 1

    def deadline():
        a["deadline"] = rng.choice([OPENED_AT, OPENED_AT - 1, -1])

    def latest():
        a["deadline"] = a["deadline"] or OPENED_AT + 10
        a["latest"] = rng.choice([-1, a["deadline"] - 1])

    def reminders():
        a[rng.choice(["remind_before", "remind_every"])] = -1

    def begun():
        a["steps_taken"] = 1

    def voted():
        a["voter_count"] = rng.choice([1, 129, (1 << 32) - 1])
        a["voters"] = [{"vote": "APPROVE", "counts": 1}]

    rng.choice(
        [
            quorum,
            deny_quorum,
            counts,
            nothing_asked,
            demand_without_stage,
            stage_without_ask,
            stage_of_no_demand,
            demand_in_two_pieces,
            ask_of_no_stage,
            ask_not_asked,
            ask_of_no_step,
            step,
            deadline,
            latest,
            reminders,
            begun,
            voted,
        ]
    )()
    for name, limit in model.LIMITS.items():
        del a[name + "s"][limit:]  # its count says that there are more


class Person:
    def __init__(self, rng, shape):
        self.shape = shape
        self.is_operator = chance(rng, 0.12)
        self.is_requester = shape.events < 100 and chance(rng, 0.12)
        self.has_agent_key = self.is_requester and chance(rng, 0.6)
        self.join(rng)

    def join(self, rng):
        self.groups = {group for group in range(5) if chance(rng, self.shape.membership)}
        self.excluded_from = {demand for demand in range(self.shape.demands) if chance(rng, 0.06)}
        may = rng.choice([0, 0.8, 1, 1])
        self.may_override = {demand for demand in range(self.shape.demands) if chance(rng, may)}

    def changes(self, rng):
        if chance(rng, 0.3):
            self.join(rng)
        else:
            self.groups ^= {rng.randrange(5)}
        if chance(rng, 0.2):
            self.excluded_from ^= {rng.randrange(self.shape.demands)}


def masks(a, groups, person):
    """Eligible, excluded."""
    eligible = excluded = 0
    demand_of = {step["ask"]: step["demand"] for step in a["steps"] if step["kind"] != "NOTIFY"}
    for i, ask in enumerate(a["asks"][:32]):
        if i < len(groups) and groups[i] in person.groups:
            demand = demand_of.get(i, a["stages"][ask["stage"]]["demand"] if ask["stage"] < len(a["stages"]) else 0)
            if demand in person.excluded_from:
                excluded |= 1 << i
            else:
                eligible |= 1 << i
    return eligible, excluded


def history(seed, number):
    """It, and what the model answers: events are chosen by the state that it is in, so that much happens before the end."""
    rng = random.Random(seed * 1_000_003 + number)
    shape = Shape(rng)
    if chance(rng, 0.0025):
        crowd(shape, rng)
    elif chance(rng, 0.02):
        broad(shape, rng)
    elif chance(rng, 0.005):
        wide(shape, rng)
    elif chance(rng, 0.005):
        long(shape, rng)
    elif chance(rng, 0.05):
        grim(shape, rng)
    groups, a = approval(rng, shape)
    persons = [Person(rng, shape) for _ in range(shape.persons)]
    if chance(rng, 0.02):
        far(rng, a)
    if chance(rng, 0.03):
        spoil(rng, a)
    made = {"approval": a, "grant_for": rng.choice([1, 5, 40, 1000]), "events": []}
    approved = model.Approval(made)
    answers = []
    now = OPENED_AT + (0 if chance(rng, 0.9) else rng.randint(1, 12))
    pace = rng.choice([0, 1, 3, 8]) if shape.events < 100 else 0
    order = list(range(len(persons)))
    rng.shuffle(order)
    goes_back = chance(rng, 0.03)  # the database's clock is put right
    after_the_end = rng.choice([0, 1, 1, 2, 3, 5])
    for i in range(shape.events):
        if i == 0 and chance(rng, 0.98):
            kind = "OPENED"
        else:
            now = tick(rng, now, moments(approved), pace)
            kind = kind_of(rng, shape, approved)
            if goes_back and chance(rng, 0.2):
                now -= rng.randint(1, 10)
        number = order[i % len(order)] if chance(rng, 0.6) or shape.events > 100 else rng.randrange(len(persons))
        if step_would_meet(approved) and chance(rng, 0.5):
            now = min(a["steps"][approved.steps_taken]["at"], LAST - 10000)
            kind = rng.choice(["TIME_CHECK", "DENY_GIVEN", "RECUSE_GIVEN", "COMMENT_GIVEN", "REVOKE_GIVEN", "REVIEW_GIVEN"])
        if kind in ("DENY_GIVEN", "COMMENT_GIVEN", "EXTEND_GIVEN", "REVOKE_GIVEN", "OVERRIDE_GIVEN", "REVIEW_GIVEN") and shape.events < 100 and approved.votes and chance(rng, 0.5):
            number = rng.choice(list(approved.votes))
        if chance(rng, 0.12):
            persons[number].changes(rng)
        made["events"].append(event(rng, kind, now, approved, groups, number, persons[number], shape))
        answers.append(approved.take(made["events"][-1]))
        if approved.state not in ("NONE", "PENDING"):
            after_the_end -= 1
            if after_the_end < 0:
                break
    return made, answers


def kind_of(rng, shape, approved):
    if shape.events > 100:
        if len(approved.votes) == model.VOTERS and chance(rng, 0.1):
            return "OVERRIDE_GIVEN"
        return rng.choices(["APPROVE_GIVEN", "DENY_GIVEN", "RECUSE_GIVEN"], [50, 40, 5])[0]
    if approved.overridden and chance(rng, 0.6):
        return "REVIEW_GIVEN"
    if approved.state == "APPROVED" and chance(rng, 0.7):
        return "REVOKE_GIVEN"
    return rng.choices(list(KINDS), [often * (shape.denies if kind == "DENY_GIVEN" else 1) for kind, often in KINDS.items()])[0]


def step_would_meet(approved):
    if approved.state != "PENDING" or approved.steps_taken == len(approved.given["steps"]):
        return False
    step = approved.given["steps"][approved.steps_taken]
    return step["kind"] != "NOTIFY" and len(approved.approvers(step["ask"])) >= approved.quorum(step["ask"])


def moments(approved):
    """Those at which something may happen."""
    a = approved.given
    if approved.state == "APPROVED":
        return [approved.grant_ends]
    several = [step["at"] for step in a["steps"][approved.steps_taken :]]
    if approved.state == "PENDING" and approved.next_reminder():
        several.append(approved.next_reminder())
    if approved.deadline:
        several.append(approved.deadline)
    return several


def tick(rng, now, moments, pace):
    coming = sorted(moment for moment in moments if now <= moment < LAST - 10000)
    if coming and chance(rng, 0.25):
        return max(now, coming[0] + rng.choice([-1, 0, 0, 0, 1]))
    if coming and chance(rng, 0.03):
        return max(now, coming[-1] + rng.choice([-1, 0, 1]))
    return now + rng.randint(0, pace)


def event(rng, kind, now, approved, groups, number, person, shape):
    a = approved.given
    eligible, excluded = masks(a, groups, person)
    wanted = 0
    if kind == "EXTEND_GIVEN":
        base = rng.choice([approved.deadline, approved.deadline, a["latest"], a["latest"], now, 0])
        wanted = min(max(base + rng.choice([-1, 0, 1, 1, 5, 10]), 0), LAST)
        if approved.deadline < a["latest"] and chance(rng, 0.6):
            wanted = rng.randint(approved.deadline + 1, a["latest"])
    has_agent_key = person.has_agent_key or kind == "WITHDRAW_GIVEN" and chance(rng, 0.3)
    return {
        "kind": kind,
        "now": now,
        "person": number,
        "eligible": eligible,
        "excluded": excluded,
        "overrides": sum(1 << demand for demand in person.may_override - person.excluded_from),
        "override_excluded": sum(1 << demand for demand in person.may_override & person.excluded_from),
        "responder_is_requester": person.is_requester or has_agent_key,
        "requester_verified": has_agent_key,
        "is_operator": person.is_operator,
        "digest_matches": not chance(rng, shape.bad),
        "has_reason": chance(rng, 0.7 if shape.events < 100 or len(approved.votes) == model.VOTERS else 0.95),
        "deadline": wanted,
    }


class Measure:
    def __init__(self):
        self.histories = 0
        self.events = 0
        self.seen = collections.Counter()

    def add(self, history, answers):
        self.histories += 1
        for event, answer in zip(history["events"], answers):
            self.events += 1
            self.seen["verdict", answer["verdict"]] += 1
            if answer["refusal"]:
                self.seen["refusal", answer["refusal"]] += 1
            self.seen["event", event["kind"], answer["verdict"]] += 1
            for effect in answer["effects"]:
                self.seen["effect", effect] += 1
            if "STEPS" in answer["effects"] and "GRANT" in answer["effects"]:
                self.seen["grant", "with steps"] += 1
            if event["kind"] == "TIME_CHECK" and "GRANT" in answer["effects"]:
                self.seen["grant", "at a look at the clock"] += 1
        self.seen["final state", answers[-1]["state"]] += 1

    def update(self, other):
        self.histories += other.histories
        self.events += other.events
        self.seen.update(other.seen)

    def lacking(self):
        wanted = [("verdict", it) for it in VERDICTS] + [("refusal", it) for it in REFUSALS] + [("effect", it) for it in EFFECTS]
        wanted += [("final state", it) for it in STATES] + [("event", it, "TAKEN") for it in KINDS]
        return [" ".join(what) for what in wanted if not self.seen[what]]

    def __str__(self):
        lines = [f"{self.histories} histories, {self.events} events"]
        return "\n".join(lines + [f"  {' '.join(what):44}{count:9}" for what, count in sorted(self.seen.items())])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    options = parser.parse_args()
    for number in range(options.first, options.first + options.count):
        sys.stdout.write(json.dumps(history(options.seed, number)[0]) + "\n")


if __name__ == "__main__":
    main()
