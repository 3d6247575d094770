# SPDX-License-Identifier: Apache-2.0
"""What countersign-approvals(7) says, once more, as plainly as possible. Histories come in and answers go out as README tells."""

import itertools
import json
import sys

ANSWERS = {"APPROVE_GIVEN", "DENY_GIVEN", "RECUSE_GIVEN", "COMMENT_GIVEN", "EXTEND_GIVEN", "WITHDRAW_GIVEN", "REVOKE_GIVEN"}
ANSWERS |= {"OVERRIDE_GIVEN", "REVIEW_GIVEN"}
MET = 32
NEVER = (1 << 63) - 1
LIMITS = {"demand": 16, "stage": 32, "ask": 32, "step": 16}
STAGES_OF_A_DEMAND = 8
QUORUMS = range(1, 101)
VOTERS = 128
WAYS = 4096


class Refused(Exception):
    pass


class Repeated(Exception):
    pass


class Stage:
    def __init__(self, demand, every, asks):
        self.demand = demand
        self.every = every  # all of its own asks, else any of them
        self.asks = asks
        self.asks_of_steps = []

    def ways(self):
        """Each a list of asks that meet this stage together."""
        own = [self.asks] if self.every and self.asks else [[ask] for ask in self.asks]
        return own + [[ask] for ask in self.asks_of_steps]

    def asked(self):
        return self.asks + self.asks_of_steps


def is_well_formed(a):
    for name, limit in LIMITS.items():
        if a[name + "_count"] > limit or a[name + "_count"] != len(a[name + "s"]):
            return False
    demands, stages, asks, steps = a["demands"], a["stages"], a["asks"], a["steps"]
    if a["state"] != "NONE" or a["voter_count"] or a["steps_taken"] or not demands:
        return False
    of_stages = [stage["demand"] for stage in stages]
    if any(demand >= len(demands) for demand in of_stages):
        return False
    if [demand for demand, _ in itertools.groupby(of_stages)] != list(range(len(demands))):
        return False
    if any(of_stages.count(demand) > STAGES_OF_A_DEMAND for demand in range(len(demands))):
        return False
    if any(demand["deny_quorum"] not in QUORUMS for demand in demands):
        return False
    for ask in asks:
        if ask["quorum"] not in QUORUMS or ask["stage"] >= len(stages) or ask["active"] == ask["of_step"]:
            return False
    if any(not any(ask["stage"] == i and not ask["of_step"] for ask in asks) for i in range(len(stages))):
        return False
    if [step["at"] for step in steps] != sorted(step["at"] for step in steps):
        return False
    if any(step["demand"] >= len(demands) or step["at"] <= a["opened_at"] for step in steps):
        return False
    if sorted(step["ask"] for step in steps if step["kind"] != "NOTIFY") != [i for i, ask in enumerate(asks) if ask["of_step"]]:
        return False
    if a["opened_at"] <= 0 or a["deadline"] and a["deadline"] <= a["opened_at"]:
        return False
    if a["latest"] < 0 or a["remind_before"] < 0 or a["remind_every"] < 0:
        return False
    return all(ways_of_demand(a, i) <= WAYS for i, demand in enumerate(demands) if demand["distinct"])


def ways_of_demand(a, demand):
    """A step that may come is one more way for each of its demand's stages."""
    steps = sum(step["demand"] == demand and step["kind"] != "NOTIFY" for step in a["steps"])
    ways = 1
    for i, stage in enumerate(a["stages"]):
        if stage["demand"] == demand:
            own = sum(ask["stage"] == i and not ask["of_step"] for ask in a["asks"])
            ways *= (1 if stage["all"] else own) + steps
    return ways


class Approval:
    def __init__(self, history):
        a = history["approval"]
        self.given = a
        self.grant_for = history["grant_for"]
        self.state = "NONE"
        self.deadline = a["deadline"]
        self.reminded_at = a["reminded_at"]
        self.grant_ends = a["grant_ends"]
        self.steps_taken = a["steps_taken"]
        self.votes = {}  # of a person: (what, the asks it is for)
        self.overridden = self.reviewed = False
        self.stages = []
        self.stages_now = None  # what open_stages() found, until something is answered or asked

    def open(self):
        a = self.given
        for i, stage in enumerate(a["stages"]):
            own = [j for j, ask in enumerate(a["asks"]) if ask["stage"] == i and not ask["of_step"]]
            self.stages.append(Stage(stage["demand"], stage["all"], own))
        self.state = "PENDING"

    # What is met

    def stages_of(self, demand):
        return [i for i, stage in enumerate(self.stages) if stage.demand == demand]

    def approvers(self, ask):
        return {person for person, (what, asks) in self.votes.items() if what == "approve" and ask in asks}

    def quorum(self, ask):
        return self.given["asks"][ask]["quorum"]

    def met_one_by_one(self, stages):
        return all(
            any(all(len(self.approvers(ask)) >= self.quorum(ask) for ask in way) for way in self.stages[i].ways()) for i in stages
        )

    def met_by_distinct_persons(self, stages):
        """Every way of every stage, and for each every choice of persons, is tried."""
        failed = set()

        def from_stage(position, persons):
            if position == len(stages):
                return True
            if (position, persons) in failed:
                return False
            if any(give(way, position, persons) for way in self.stages[stages[position]].ways()):
                return True
            failed.add((position, persons))
            return False

        def give(asks, position, persons):
            if not asks:
                return from_stage(position + 1, persons)
            able = self.approvers(asks[0]) & persons
            return any(
                give(asks[1:], position, persons - set(chosen)) for chosen in itertools.combinations(sorted(able), self.quorum(asks[0]))
            )

        return from_stage(0, frozenset(person for person, (what, _) in self.votes.items() if what == "approve"))

    def open_stage(self, demand):
        """The first stage that is not met, or MET."""
        stages = self.stages_of(demand)
        met = self.met_by_distinct_persons if self.given["demands"][demand]["distinct"] else self.met_one_by_one
        for many in range(1, len(stages) + 1):
            if not met(stages[:many]):
                return stages[many - 1]
        return MET

    def open_stages(self):
        if self.stages_now is None:
            self.stages_now = [self.open_stage(demand) for demand in range(len(self.given["demands"]))]
        return self.stages_now

    def all_met(self):
        return all(stage == MET for stage in self.open_stages())

    def open_asks(self):
        """Those in which people may vote now: of the stages up to the open one."""
        until = self.open_stages()
        return {ask for i, stage in enumerate(self.stages) if i <= until[stage.demand] for ask in stage.asked()}

    def demand_of(self, ask):
        for step in self.given["steps"]:
            if step["kind"] != "NOTIFY" and step["ask"] == ask:
                return step["demand"]
        return self.given["stages"][self.given["asks"][ask]["stage"]]["demand"]

    def is_denied(self):
        for number, demand in enumerate(self.given["demands"]):
            denies = [asks for what, asks in self.votes.values() if what == "deny" and any(self.demand_of(ask) == number for ask in asks)]
            if len(denies) >= demand["deny_quorum"]:
                return True
        return False

    # What happens

    def take(self, event):
        """Its answer; changes this approval."""
        effects = set()
        counted = set()
        verdict, refusal = "TAKEN", ""
        try:
            self.before_anything(event, effects)
            counted = getattr(self, event["kind"].lower())(event, effects) or set()
        except Repeated:
            verdict = "REPEATED"
        except Refused as refused:
            verdict, refusal = "REFUSED", str(refused)
        if "GRANT" in effects:
            self.grant_ends = event["now"] + self.grant_for
        pending = self.state == "PENDING"
        return {
            "verdict": verdict,
            "refusal": refusal,
            "state": self.state,
            "effects": sorted(effects),
            "counted": mask_of(counted),
            "steps_taken": self.steps_taken,
            "deadline": self.deadline,
            "reminded_at": self.reminded_at,
            "overridden": self.overridden,
            "reviewed": self.reviewed,
            "open_asks": mask_of(self.open_asks()) if pending else 0,
            "current_stages": self.open_stages() if pending else [],
            "votes": self.votes_of_asks() if pending else [],
            "next_time": self.next_time(event["now"]) if pending else None,
        }

    def before_anything(self, event, effects):
        if self.state == "NONE":
            if event["kind"] != "OPENED":
                raise Refused("not_open")
        elif self.state != "PENDING":
            if event["kind"] in ("TIME_CHECK", "OPENED"):
                raise Repeated
            if not event["digest_matches"]:
                raise Refused("digest_mismatch")
            if self.state == "EXPIRED":
                raise Refused("approval_expired")
            may_come = {"APPROVED": {"REVOKE_GIVEN", "REVIEW_GIVEN"}, "REVOKED": {"REVIEW_GIVEN"}}
            if event["kind"] not in may_come.get(self.state, ()):
                raise Refused("already_decided")
        elif self.deadline and event["now"] >= self.deadline:
            self.end("EXPIRED", "EXPIRE", effects)
            if event["kind"] in ANSWERS and not event["digest_matches"]:
                raise Refused("digest_mismatch")
            if event["kind"] != "TIME_CHECK":
                raise Refused("approval_expired")
        else:
            self.take_steps(event["now"], effects)
            if event["kind"] in ANSWERS and not event["digest_matches"]:
                raise Refused("digest_mismatch")

    def end(self, state, effect, effects):
        self.state = state
        effects |= {"CLOSE", "ANNOUNCE", effect}

    def take_steps(self, now, effects):
        steps = self.given["steps"]
        while self.steps_taken < len(steps) and steps[self.steps_taken]["at"] <= now:
            step = steps[self.steps_taken]
            number = self.open_stage(step["demand"])
            if number != MET and step["kind"] != "NOTIFY":
                stage = self.stages[number]
                if step["kind"] == "REPLACE":
                    stage.asks, stage.asks_of_steps = [], []
                stage.asks_of_steps.append(step["ask"])
                self.stages_now = None
            self.steps_taken += 1
            effects |= {"STEPS", "ANNOUNCE"}

    def opened(self, event, effects):
        if self.state == "PENDING":
            raise Repeated
        if not is_well_formed(self.given):
            raise Refused("not_open")
        self.open()
        effects |= {"ANNOUNCE", "ASK"}

    def must_be_eligible(self, event):
        if not event["eligible"]:
            raise Refused("excluded" if event["excluded"] else "not_a_member")

    def vote(self, event, vote):
        self.votes[event["person"]] = vote
        self.stages_now = None

    def vote_of(self, event):
        return self.votes.get(event["person"], ("none", set()))[0]

    def must_be_able_to_vote_now(self, event):
        """The asks that the responder is eligible for and in which people may vote now."""
        asks = asks_of(event["eligible"]) & self.open_asks()
        if not asks:
            raise Refused("stage_not_open")
        return asks

    def must_have_reason(self, event, asks):
        if not event["has_reason"] and any(self.given["demands"][self.demand_of(ask)]["require_reason"] for ask in asks):
            raise Refused("reason_required")

    def must_find_a_place(self, event):
        if event["person"] not in self.votes and len(self.votes) == VOTERS:
            raise Refused("too_many_voters")

    def approve_given(self, event, effects):
        if event["responder_is_requester"]:
            raise Refused("responder_is_requester")
        self.must_be_eligible(event)
        if self.vote_of(event) == "recuse":
            raise Refused("recused")
        if self.vote_of(event) == "deny":
            raise Refused("denied_before")
        if self.vote_of(event) == "approve":
            raise Repeated
        self.must_have_reason(event, self.must_be_able_to_vote_now(event))
        self.must_find_a_place(event)
        asks = asks_of(event["eligible"])
        self.vote(event, ("approve", asks))
        effects |= {"VOTE", "ANNOUNCE"}
        if self.all_met():
            self.end("APPROVED", "GRANT", effects)
        return asks

    def deny_given(self, event, effects):
        if event["responder_is_requester"]:
            raise Refused("responder_is_requester")
        self.must_be_eligible(event)
        if self.vote_of(event) == "recuse":
            raise Refused("recused")
        if self.vote_of(event) == "deny":
            raise Repeated
        asks = self.must_be_able_to_vote_now(event)
        self.must_have_reason(event, asks)
        self.must_find_a_place(event)
        self.vote(event, ("deny", asks))
        effects |= {"VOTE", "ANNOUNCE"}
        if self.is_denied():
            self.end("DENIED", "DENY", effects)
        return asks

    def recuse_given(self, event, effects):
        if event["responder_is_requester"]:
            raise Refused("responder_is_requester")
        self.must_be_eligible(event)
        if self.vote_of(event) == "deny":
            raise Refused("denied_before")
        if self.vote_of(event) == "recuse":
            raise Repeated
        self.must_find_a_place(event)
        self.vote(event, ("recuse", set()))
        effects |= {"VOTE", "ANNOUNCE"}

    def comment_given(self, event, effects):
        if not event["is_operator"] and not event["responder_is_requester"]:
            self.must_be_eligible(event)
        if not event["has_reason"]:
            raise Refused("reason_required")
        effects |= {"VOTE", "ANNOUNCE"}

    def extend_given(self, event, effects):
        if event["responder_is_requester"]:
            raise Refused("responder_is_requester")
        if not event["is_operator"]:
            self.must_be_eligible(event)
            if self.vote_of(event) == "recuse":
                raise Refused("recused")
            self.must_be_able_to_vote_now(event)
        if not self.deadline or not self.given["latest"]:
            raise Refused("not_extendable")
        if event["deadline"] <= self.deadline:
            raise Refused("not_later")
        if event["deadline"] > self.given["latest"]:
            raise Refused("beyond_maximum")
        self.deadline = event["deadline"]
        effects |= {"EXTEND", "VOTE", "ANNOUNCE"}

    def withdraw_given(self, event, effects):
        if not event["requester_verified"]:
            raise Refused("not_requester")
        effects.add("VOTE")
        self.end("CANCELLED", "CANCEL", effects)

    def revoke_given(self, event, effects):
        if self.state == "PENDING":
            raise Refused("not_granted")
        if not event["is_operator"] and self.vote_of(event) not in ("approve", "override"):
            raise Refused("not_an_approver")
        if event["now"] >= self.grant_ends:
            raise Refused("authorization_expired")
        effects.add("VOTE")
        self.end("REVOKED", "REVOKE", effects)

    def override_given(self, event, effects):
        if event["responder_is_requester"]:
            raise Refused("responder_is_requester")
        demands = range(len(self.given["demands"]))
        if not all(demand["overridable"] for demand in self.given["demands"]):
            raise Refused("not_overridable")
        may, excluded = event["overrides"], event["override_excluded"]
        if not all(may >> demand & 1 for demand in demands):
            raise Refused("excluded" if all((may | excluded) >> demand & 1 for demand in demands) else "not_a_member")
        if self.vote_of(event) == "recuse":
            raise Refused("recused")
        if self.vote_of(event) == "deny":
            raise Refused("denied_before")
        if not event["has_reason"]:
            raise Refused("reason_required")
        self.must_find_a_place(event)
        self.vote(event, ("override", set()))
        self.overridden = True
        effects |= {"VOTE", "OVERRIDE"}
        self.end("APPROVED", "GRANT", effects)

    def review_given(self, event, effects):
        if not self.overridden:
            raise Refused("not_overridden")
        if event["responder_is_requester"]:
            raise Refused("responder_is_requester")
        if self.vote_of(event) == "override":
            raise Refused("responder_is_overrider")
        self.must_be_eligible(event)
        if self.vote_of(event) == "recuse":
            raise Refused("recused")
        if self.reviewed:
            raise Refused("already_reviewed")
        if not event["has_reason"]:
            raise Refused("reason_required")
        self.reviewed = True
        effects |= {"VOTE", "ANNOUNCE", "REVIEW"}

    def time_check(self, event, effects):
        if self.state == "EXPIRED":
            return
        if self.all_met():
            self.end("APPROVED", "GRANT", effects)
        elif self.reminder_is_due(event["now"]):
            self.reminded_at = event["now"]
            effects.add("REMIND")
        elif not effects:
            raise Repeated

    # What the clock brings

    def reminder_after(self, moment):
        """The first moment after this one at which a reminder is due, or None."""
        a = self.given
        due = []
        if a["remind_before"] and self.deadline and self.deadline - a["remind_before"] > moment:
            due.append(self.deadline - a["remind_before"])
        if a["remind_every"]:
            due.append(moment + a["remind_every"] - (moment - a["opened_at"]) % a["remind_every"])
        return min(due, default=None)

    def next_reminder(self):
        return self.reminder_after(self.reminded_at or self.given["opened_at"])

    def reminder_is_due(self, now):
        return self.next_reminder() is not None and self.next_reminder() <= now

    def next_time(self, now):
        if self.all_met():
            return now
        moments = [step["at"] for step in self.given["steps"][self.steps_taken :]]
        moments += [self.deadline] if self.deadline else []
        moments += [self.next_reminder()] if self.next_reminder() is not None else []
        return max(min(moments), now) if moments and min(moments) < NEVER else None

    def votes_of_asks(self):
        asked = {ask for stage in self.stages for ask in stage.asked()}
        return [len(self.approvers(ask)) if ask in asked else None for ask in range(len(self.given["asks"]))]


def asks_of(mask):
    return {i for i in range(32) if mask >> i & 1}


def mask_of(asks):
    return sum(1 << ask for ask in asks)


def answers(history):
    approval = Approval(history)
    return [approval.take(event) for event in history["events"]]


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(answers(json.loads(line))))
