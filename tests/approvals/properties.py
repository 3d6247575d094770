# SPDX-License-Identifier: Apache-2.0
"""What must hold of every history and its answers, whoever gave them; neither the model nor the C is asked."""

FINAL = {"APPROVED", "DENIED", "EXPIRED", "CANCELLED", "REVOKED"}
WORDS = {"GRANT": "APPROVED", "DENY": "DENIED", "EXPIRE": "EXPIRED", "CANCEL": "CANCELLED", "REVOKE": "REVOKED"}
BY_TIME = {"STEPS", "ANNOUNCE"}
OVER = {"CLOSE", "ANNOUNCE", "EXPIRE"}


def faults(history, answers):
    """A list of sentences; empty when all is well."""
    found = []
    a = history["approval"]
    if len(answers) != len(history["events"]):
        return ["there is not one answer for each event"]
    state, deadline, steps_taken, reminded_at, ends, next_time = "NONE", a["deadline"], a["steps_taken"], a["reminded_at"], 0, None
    approved = {}  # person: the asks that the approve of that person was for
    words = []
    overridden_by, reviewed = None, False
    clock = until = 0  # as told last; the latest that steps were taken by
    put_back = False
    for number, (event, answer) in enumerate(zip(history["events"], answers)):

        def say(what):
            found.append(f"event {number}: {what}")

        effects = set(answer["effects"])
        now, person = event["now"], event["person"]
        put_back |= now < clock
        clock = now
        if state == "PENDING":
            until = max(now, until)
        spoken = [word for word in WORDS if word in effects]
        words += spoken
        if len(spoken) > 1 or len(set(words) - {"REVOKE"}) > 1 or len(words) > len(set(words)):
            say("a second final word")
        if state in FINAL and answer["state"] != state and (state, answer["state"]) != ("APPROVED", "REVOKED"):
            say("a final state changed")
        if ("CLOSE" in effects) != (answer["state"] != state and answer["state"] in FINAL) or spoken and WORDS[spoken[0]] != answer["state"]:
            say("what is said is not the state that it is in")
        if (answer["refusal"] != "") != (answer["verdict"] == "REFUSED"):
            say("refused without a reason, or a reason without being refused")
        if answer["verdict"] == "REPEATED" and effects - BY_TIME or answer["verdict"] == "REFUSED" and effects - BY_TIME - OVER:
            say("what was not taken had an effect")
        if answer["verdict"] != "TAKEN" and answer["counted"]:
            say("what was not taken counted")
        if state == "PENDING" and deadline and now >= deadline and answer["state"] != "EXPIRED":
            say("it went on after its deadline")
        if answer["state"] == "EXPIRED" and state == "PENDING" and not (deadline and now >= deadline):
            say("it expired early")
        if answer["state"] == "EXPIRED" and not (event["kind"] in ("TIME_CHECK", "OPENED") or answer["verdict"] == "REFUSED"):
            say("an answer was taken after the deadline")

        if answer["deadline"] != deadline:
            if event["kind"] != "EXTEND_GIVEN" or "EXTEND" not in effects or not deadline < answer["deadline"] <= a["latest"]:
                say("the deadline changed")
        elif "EXTEND" in effects:
            say("the deadline did not change")
        if answer["steps_taken"] < steps_taken or ("STEPS" in effects) != (answer["steps_taken"] > steps_taken):
            say("steps were taken back, or not said")
        if answer["state"] in ("PENDING", "APPROVED", "DENIED", "CANCELLED") and state == "PENDING":
            if answer["steps_taken"] != sum(step["at"] <= until for step in a["steps"]):
                say("not all the steps whose time has come were taken, or others")
        elif answer["steps_taken"] != steps_taken:
            say("steps were taken in a state that has none")
        if answer["reminded_at"] != (now if "REMIND" in effects else reminded_at):
            say("reminded at another time")

        if event["kind"] == "TIME_CHECK" and state == "PENDING" and not put_back:
            if (answer["verdict"] == "TAKEN") != (next_time is not None and now >= next_time):
                say("the time of the next look was told wrongly")
        if (answer["next_time"] is not None) > (answer["state"] == "PENDING"):
            say("a look at the clock is wanted of what has ended")

        if event["kind"] == "APPROVE_GIVEN" and answer["verdict"] == "TAKEN":
            if answer["counted"] != event["eligible"] or not event["digest_matches"] or event["responder_is_requester"] or person in approved:
                say("an approve counts that should not")
            approved[person] = event["eligible"]
        if event["kind"] in ("DENY_GIVEN", "RECUSE_GIVEN") and answer["verdict"] == "TAKEN":
            approved.pop(person, None)
            if answer["counted"] & ~event["eligible"]:
                say("a deny counts for what it may not")
        if "DENY" in effects and event["kind"] != "DENY_GIVEN":
            say("nobody denied")
        if "CANCEL" in effects and not (event["kind"] == "WITHDRAW_GIVEN" and event["requester_verified"] and event["digest_matches"]):
            say("cancelled by another than the requester")
        if "REVOKE" in effects:
            if state != "APPROVED" or now >= ends or not event["digest_matches"] or not (event["is_operator"] or person in approved or person == overridden_by):
                say("revoked by somebody who may not, or what is over")
        if ("OVERRIDE" in effects) != ("GRANT" in effects and event["kind"] == "OVERRIDE_GIVEN"):
            say("an override that grants nothing, or one that is not marked")
        if "OVERRIDE" in effects:
            overridden_by = person
            approved.pop(person, None)
            many = len(a["demands"])
            if event["overrides"] & (1 << many) - 1 != (1 << many) - 1 or not all(demand["overridable"] for demand in a["demands"]):
                say("overridden by somebody who may not, or what may not be")
            if not event["has_reason"] or not event["digest_matches"] or event["responder_is_requester"]:
                say("overridden without a reason, unseen, or by the requester")
        if "REVIEW" in effects:
            if overridden_by is None or reviewed or person == overridden_by or not event["eligible"] or not event["has_reason"]:
                say("reviewed by somebody who may not, or what need not be")
            reviewed = True
        if answer["overridden"] != (overridden_by is not None) or answer["reviewed"] != reviewed:
            say("marked as what it is not")
        if "GRANT" in effects:
            ends = now + history["grant_for"]
            if event["kind"] not in ("APPROVE_GIVEN", "TIME_CHECK", "OVERRIDE_GIVEN") or not (state == "PENDING"):
                say("granted by something else")
            for demand in range(len(a["demands"])):
                if "OVERRIDE" not in effects and not may_be_met(a, demand, list(approved.values()), answer["steps_taken"]):
                    say(f"granted without enough persons for demand {demand}")
        state, deadline, steps_taken = answer["state"], answer["deadline"], answer["steps_taken"]
        reminded_at, next_time = answer["reminded_at"], answer["next_time"]
    return found


def may_be_met(a, demand, approvals, steps_taken):
    """Whether persons enough approved for one ask of each stage, or of a step of that demand that was taken: met is never less."""
    steps = [step["ask"] for step in a["steps"][:steps_taken] if step["kind"] != "NOTIFY" and step["demand"] == demand]
    wanted = 0
    for number, stage in enumerate(a["stages"]):
        if stage["demand"] != demand:
            continue
        own = [i for i, ask in enumerate(a["asks"]) if ask["stage"] == number and not ask["of_step"]]
        ways = [own] if stage["all"] else [[i] for i in own]
        ways += [[i] for i in steps]
        met = [way for way in ways if all(sum(mask >> i & 1 for mask in approvals) >= a["asks"][i]["quorum"] for i in way)]
        if not met:
            return False
        wanted += min(sum(a["asks"][i]["quorum"] for i in way) for way in met)
    asks = sum(1 << i for i in own_and_steps(a, demand, steps))
    return not a["demands"][demand]["distinct"] or sum(mask & asks != 0 for mask in approvals) >= wanted


def own_and_steps(a, demand, steps):
    return {i for i, ask in enumerate(a["asks"]) if not ask["of_step"] and a["stages"][ask["stage"]]["demand"] == demand} | set(steps)
