# SPDX-License-Identifier: Apache-2.0
"""Random histories through the model and through the C driver; the first that differ are made small and told in words."""

import argparse
import copy
import json
import multiprocessing
import subprocess
import sys
import time

import generate
import model
import properties

CHUNK = 2000


def run(driver, histories):
    """The driver's answers, in order; of one that fails, what it said."""
    text = "".join(json.dumps(history) + "\n" for history in histories)
    done = subprocess.run([driver], input=text, capture_output=True, text=True)
    lines = done.stdout.splitlines()
    if done.returncode == 0 and len(lines) == len(histories):
        return [json.loads(line) for line in lines]
    if len(histories) == 1:
        return [f"the driver ended with {done.returncode}, {len(lines)} lines\n{done.stderr[-2000:]}"]
    middle = len(histories) // 2
    return run(driver, histories[:middle]) + run(driver, histories[middle:])


def differences(history, expected, given):
    """Sentences; empty when both agree and nothing is at fault."""
    if isinstance(given, str):
        return [given]
    found = []
    latest = 0
    for number, (one, other) in enumerate(zip(expected, given)):
        now = history["events"][number]["now"]
        latest = max(now, latest)
        for name in one:
            if name == "next_time" and now < latest:
                continue  # what is due already may be told by either clock, the one before it was put right or after
            if other.get(name, "nothing") != one[name]:
                found.append(f"event {number}, {name}: the model says {one[name]}, the driver {other.get(name, 'nothing')}")
        if found:
            break
    found += [f"the driver: {fault}" for fault in properties.faults(history, given)]
    if found:
        found += [f"the model: {fault}" for fault in properties.faults(history, expected)]
    return found


def chunk(work):
    driver, seed, first, count = work
    made = [generate.history(seed, number) for number in range(first, first + count)]
    answers = run(driver, [history for history, _ in made]) if driver else [expected for _, expected in made]
    measure = generate.Measure()
    bad = []
    for number, ((history, expected), given) in enumerate(zip(made, answers), first):
        measure.add(history, expected)
        if differences(history, expected, given):
            bad.append(number)
    return measure, bad


# Making it smaller


def without(mask, bit):
    return mask & ((1 << bit) - 1) | mask >> bit + 1 << bit


def drop_ask(h, i):
    a = h["approval"]
    del a["asks"][i]
    a["ask_count"] -= 1
    for step in a["steps"]:
        step["ask"] -= step["kind"] != "NOTIFY" and step["ask"] > i
    for event in h["events"]:
        event["eligible"], event["excluded"] = without(event["eligible"], i), without(event["excluded"], i)


def drop_step(h, i):
    step = h["approval"]["steps"].pop(i)
    h["approval"]["step_count"] -= 1
    if step["kind"] != "NOTIFY":
        drop_ask(h, step["ask"])


def drop_stage(h, i):
    a = h["approval"]
    for j in reversed([j for j, ask in enumerate(a["asks"]) if ask["stage"] == i and not ask["of_step"]]):
        drop_ask(h, j)
    del a["stages"][i]
    a["stage_count"] -= 1
    for ask in a["asks"]:
        ask["stage"] -= ask["stage"] > i
    for ask in a["asks"]:
        if ask["of_step"]:
            ask["stage"] = 0


def drop_demand(h, i):
    a = h["approval"]
    for j in reversed([j for j, step in enumerate(a["steps"]) if step["demand"] == i]):
        drop_step(h, j)
    for j in reversed([j for j, stage in enumerate(a["stages"]) if stage["demand"] == i]):
        drop_stage(h, j)
    del a["demands"][i]
    a["demand_count"] -= 1
    for thing in a["stages"] + a["steps"]:
        thing["demand"] -= thing["demand"] > i
    for event in h["events"]:
        for name in ("overrides", "override_excluded"):
            event[name] = without(event[name], i)


def put(thing, name, value):
    def change():
        if thing[name] == value:
            raise ValueError
        thing[name] = value

    return change


def smaller(history):
    """All that are smaller by one thing."""

    def changes(h):
        a = h["approval"]
        several = [lambda i=i: h["events"].pop(i) for i in range(len(h["events"]))]
        for what, drop in (("demands", drop_demand), ("steps", drop_step), ("stages", drop_stage), ("asks", drop_ask)):
            several += [lambda i=i, drop=drop: drop(h, i) for i in range(len(a[what]))]
        for name in ("deadline", "latest", "remind_before", "remind_every"):
            several.append(put(a, name, 0))
        for demand in a["demands"]:
            several += [put(demand, "deny_quorum", 1), put(demand, "distinct", False), put(demand, "require_reason", False), put(demand, "overridable", False)]
        several += [put(stage, "all", False) for stage in a["stages"]]
        several += [put(ask, "quorum", 1) for ask in a["asks"]]
        for event in h["events"]:
            several += [put(event, name, False) for name in ("responder_is_requester", "requester_verified", "is_operator")]
            several += [put(event, name, True) for name in ("digest_matches", "has_reason")]
            several += [put(event, "excluded", 0), put(event, "eligible", 0), put(event, "override_excluded", 0)]
            several += [
                put(event, "eligible", event["eligible"] & ~(1 << i)) for i in range(len(a["asks"])) if event["eligible"] >> i & 1
            ]
        return several

    for i in range(len(changes(history))):
        candidate = copy.deepcopy(history)
        try:
            changes(candidate)[i]()
        except (ValueError, IndexError, KeyError):
            continue
        if candidate["events"]:
            yield candidate


def shrink(driver, history):
    while True:
        candidates = list(smaller(history))
        for first in range(0, len(candidates), 200):
            several = candidates[first : first + 200]
            for candidate, given in zip(several, run(driver, several)):
                if differences(candidate, model.answers(candidate), given):
                    history = candidate
                    break
            else:
                continue
            break
        else:
            return history


# Words


def moment(value):
    return str(value - generate.OPENED_AT) if value > generate.OPENED_AT // 2 else f"({value})"


def bits(mask):
    return ",".join(str(i) for i in range(32) if mask >> i & 1) or "none"


def words(history, expected, given):
    a = history["approval"]
    lines = ["times are told from the opening on"]
    lines.append(
        f"deadline {moment(a['deadline'])}, latest {moment(a['latest'])}, reminders {a['remind_before']} before and every "
        f"{a['remind_every']}; a grant is for {history['grant_for']}"
    )
    for i, demand in enumerate(a["demands"]):
        lines.append(f"demand {i}: {', '.join(f'{name} {value}' for name, value in demand.items())}")
    for i, stage in enumerate(a["stages"]):
        lines.append(f"stage {i} of demand {stage['demand']}: {'all' if stage['all'] else 'any'} of")
        for j, ask in enumerate(a["asks"]):
            if ask["stage"] == i and not ask["of_step"]:
                lines.append(f"    ask {j}: {ask['quorum']}{'' if ask['active'] else ', not active'}")
    for i, step in enumerate(a["steps"]):
        ask = a["asks"][step["ask"]]["quorum"] if step["kind"] != "NOTIFY" and step["ask"] < len(a["asks"]) else "?"
        what = "" if step["kind"] == "NOTIFY" else f" ask {step['ask']}: {ask}"
        lines.append(f"step {i} at {moment(step['at'])}: {step['kind']} for demand {step['demand']}{what}")
    for i, event in enumerate(history["events"]):
        facts = [name for name in ("responder_is_requester", "requester_verified", "is_operator") if event[name]]
        facts += [f"not {name}" for name in ("digest_matches", "has_reason") if not event[name]]
        if event["kind"] == "EXTEND_GIVEN":
            facts.append(f"to {moment(event['deadline'])}")
        lines.append(
            f"event {i} at {moment(event['now'])}: {event['kind']} by person {event['person']}, eligible for {bits(event['eligible'])}, "
            f"excluded from {bits(event['excluded'])} {' '.join(facts)}"
        )
        for who, answers in (("model ", expected), ("driver", given)):
            if not isinstance(answers, str) and i < len(answers):
                lines.append(f"        {who}: {told(answers[i])}")
    return "\n".join(lines)


def told(answer):
    one = f"{answer['verdict']} {answer['refusal']} -> {answer['state']} {' '.join(answer['effects'])}; counted {bits(answer['counted'])}"
    if answer["state"] == "PENDING":
        one += f"; open {bits(answer['open_asks'])}, stages {answer['current_stages']}, votes {answer['votes']}"
        one += f", steps {answer['steps_taken']}, next {answer['next_time'] and moment(answer['next_time'])}"
    return one


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("driver", nargs="?", help="without it, the model alone is measured")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the first history's number")
    parser.add_argument("--count", type=int, default=20000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--raw", action="store_true", help="also print the shrunk history as JSON")
    options = parser.parse_args()
    began = time.monotonic()
    end = options.first + options.count
    work = [(options.driver, options.seed, at, min(CHUNK, end - at)) for at in range(options.first, end, CHUNK)]
    measure = generate.Measure()
    bad = []
    with multiprocessing.Pool(options.jobs) as pool:
        for one, several in pool.imap(chunk, work):
            measure.update(one)
            bad += several
            if bad:
                break
    print(measure)
    print(f"  {time.monotonic() - began:.1f} s, seed {options.seed}")
    if bad:
        report(options, bad)
        return 1
    if measure.lacking() and options.count >= 20000:
        print("never occurred: " + ", ".join(measure.lacking()))
        return 1
    print("no difference" if options.driver else "the model's answers have every property")
    return 0


def report(options, bad):
    history, expected = generate.history(options.seed, bad[0])
    if not options.driver:
        print("\n".join(properties.faults(history, expected)))
        print(words(history, expected, expected))
        return
    print(f"{len(bad)} histories differ in this piece; the first is --seed {options.seed} --first {bad[0]} --count 1")
    small = shrink(options.driver, history)
    expected, given = model.answers(small), run(options.driver, [small])[0]
    print("\n".join(differences(small, expected, given)))
    print(words(small, expected, given))
    if options.raw:
        print(json.dumps(small))


if __name__ == "__main__":
    sys.exit(main())
