# SPDX-License-Identifier: Apache-2.0
"""The benchmark: Countersign beside the limit of its servers. bench.py [PART...]; what was measured is printed and in build/bench.json."""
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import threading
import time

import approvals
import peers
import policy
from approvals import with_open
from sides import ALLOWED, ASKED, ROOT, SERVICES, Countersign, Limit
from pair import server
from stored import store

COUNT = int(os.environ.get("N", "100000"))
ROUNDS = int(os.environ.get("ROUNDS", "3"))


def table(title, heads, rows):
    rows = [heads] + [[f"{cell:,.0f}" if isinstance(cell, float) and cell >= 100 else f"{cell:.3g}" if isinstance(cell, float) else str(cell)
                       for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(heads))]
    print(f"\n{title}")
    for row in rows:
        print("  " + "  ".join(cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths))))
    sys.stdout.flush()


def part_rate():
    """Sustained decisions a second, beside the limit; interleaved rounds."""
    countersign = Countersign()
    sides = [Limit("limit 1000", countersign, 1000), Limit("limit 100", countersign, 100),
             Limit("limit 1000, checks", countersign, 1000, bare=False), countersign]
    results = {side.name: [] for side in sides}
    try:
        for side in (sides[0], countersign):  # a broker that has just started is slow
            side.round(COUNT // 2)
        for _ in range(ROUNDS):
            for side in sides:
                results[side.name].append(side.round(COUNT))
                side.stop()
                if isinstance(side, Limit):
                    results[side.name][-1]["said"] = side.said
    finally:
        for side in reversed(sides):
            side.close()
    medians = {name: statistics.median(r["rate"] for r in rounds) for name, rounds in results.items()}
    limit = medians["limit 1000"]
    table(f"Decisions a second, {COUNT:,} requests a round", ["", *(f"round {i + 1}" for i in range(ROUNDS)), "median", "of the limit"],
          [[name, *(r["rate"] for r in rounds), medians[name], medians[name] / limit] for name, rounds in results.items()])
    names = list(dict.fromkeys(what for rounds in results.values() for r in rounds for what in r["cpu_us"]))
    table("CPU, microseconds a request, medians", ["", *results],
          [[what, *(statistics.median(r["cpu_us"].get(what, 0) for r in rounds) for rounds in results.values())] for what in names])
    return {"count": COUNT, "rounds": results, "medians": medians, "ratio": medians["countersign"] / limit}


SHIPPED = {"branch": "main", "change_risk": "low", "environment": "staging", "protected_branch": True, "repository": "customer-api",
           "tests_passed": True}


def part_conditions():
    """Sustained decisions a second by a policy without conditions and by the delivery policy, the same requests; interleaved rounds."""
    plain, delivery = Countersign("no condition"), Countersign("delivery", active=ROOT / "deploy" / "policies" / "delivery.yaml")
    sides = {"no condition": (plain, ALLOWED), "delivery, 1 rule asked": (delivery, ALLOWED), "delivery, 3 rules asked": (delivery, ASKED)}
    rounds = {name: [] for name in sides}
    try:
        for side in (plain, delivery):
            side.round(COUNT // 2, ALLOWED, SHIPPED)
        for _ in range(ROUNDS):
            for name, (side, action) in sides.items():
                rounds[name].append(side.round(COUNT, action, SHIPPED))
                side.stop()
        verdicts = {side.name: side.house.sql("SELECT DISTINCT action, verdict FROM request JOIN decision USING (tenant, request_id)")
                    for side in (plain, delivery)}
        assert all(verdict == "ALLOW" for found in verdicts.values() for _, verdict in found), verdicts
    finally:
        delivery.close()
        plain.close()
    costs = {"rate": lambda r: r["rate"], "evaluator": lambda r: r["cpu_us"]["evaluator"], "all": used}
    medians = {name: {what: statistics.median(map(read, found)) for what, read in costs.items()} for name, found in rounds.items()}
    usual = rounds["no condition"]
    ratios = {name: {what: statistics.median(read(r) / read(u) for r, u in zip(found, usual)) for what, read in costs.items()}
              for name, found in rounds.items()}
    table(f"Decisions a second, {COUNT:,} requests a round (aim: 0.95 of those without a condition)",
          ["", *(f"round {i + 1}" for i in range(ROUNDS)), "median", "of no condition"],
          [[name, *(r["rate"] for r in found), medians[name]["rate"], ratios[name]["rate"]] for name, found in rounds.items()])
    table("CPU, microseconds a request, medians", ["", "evaluator", "of no condition", "all of ours", "of no condition"],
          [[name, medians[name]["evaluator"], ratios[name]["evaluator"], medians[name]["all"], ratios[name]["all"]] for name in sides])
    return {"count": COUNT, "rounds": rounds, "medians": medians, "ratios": ratios}


def part_profile():
    """Where the processors' time goes while a backlog is worked off: perf's view of each process."""
    side = Countersign()
    try:
        side.round(COUNT // 4)
        side.stop()
        side.fill(COUNT)
        with side.watch(side.words(), COUNT) as watch:
            side.prepare()
            side.start()
            side.ready()
            pids = {name: process.pid for name, process in side.processes().items()}
            pids.update({f"postgres for {user}": pid for user, pid in side.backends()})
            data = ROOT / "build" / "bench.perf"
            subprocess.run(["perf", "record", "-q", "-F", "999", "-g", "-o", data, "-p", ",".join(map(str, pids.values())), "sleep", "6"],
                           check=True)
            watch.stdout.read()
        for name, pid in pids.items():
            command = ["perf", "report", "-i", data, "--pid", str(pid), "--no-children", "-g", "none", "--percentage", "relative",
                       "--sort", "dso,symbol", "--stdio"]
            lines = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
            print(f"\n{name}", *[line for line in lines if line.strip() and not line.startswith("#")][:25], sep="\n")
        return {"pids": pids}
    finally:
        side.close()


def part_policy():
    """The policy alone: no servers have a part in it."""
    return policy.part(table)


def part_peers():
    """The delivery policy beside the same rules in cel-go, OPA and Cedar."""
    return peers.part(table, ROUNDS)


# ---------------------------------------------------------------- one at a time


def quantile(numbers, part):
    return sorted(numbers)[min(len(numbers) - 1, int(part * len(numbers)))]


def part_latency():
    """Request to word, one at a time."""
    countersign = Countersign()
    sides = [Limit("limit", countersign, 1000), countersign]
    found = {side.name: [] for side in sides}
    try:
        for side in sides:
            side.round(20_000)
        for side in sides:
            side.ping(50)
        for _ in range(ROUNDS):
            for side in sides:
                found[side.name].append(side.ping(1000))
                side.stop()
    finally:
        for side in reversed(sides):
            side.close()
    result = {name: {"p50_us": [quantile(r, 0.5) for r in rounds], "p99_us": [quantile(r, 0.99) for r in rounds]}
              for name, rounds in found.items()}
    for name, what in result.items():
        what["p50"], what["p99"] = statistics.median(what["p50_us"]), statistics.median(what["p99_us"])
    for part in ("p50", "p99"):
        result[f"ratio_{part}"] = result["countersign"][part] / result["limit"][part]
    table(f"Request to word, one at a time, milliseconds ({ROUNDS} rounds of 1,000)",
          ["", *(f"p50, {i + 1}" for i in range(ROUNDS)), "p50", *(f"p99, {i + 1}" for i in range(ROUNDS)), "p99"],
          [[name, *(us / 1000 for us in [*result[name]["p50_us"], result[name]["p50"], *result[name]["p99_us"], result[name]["p99"]])]
           for name in found] + [["ratio", *[""] * ROUNDS, result["ratio_p50"], *[""] * ROUNDS, result["ratio_p99"]]])
    return result


# ---------------------------------------------------------------- many stored


def used(round_):
    """Processor time of our processes and their sessions; the broker's does not depend on what is stored."""
    return sum(us for what, us in round_["cpu_us"].items() if what not in ("others", "stolen", "kafka"))


def timed(side, count, action):
    """A round whose clock runs from the first request's arrival: most of a short one is decided when the first word is out."""
    found = side.round(count, action)
    begin = side.house.one("SELECT extract(epoch FROM min(received_at))::float8 FROM request WHERE tenant = 'default'"
                           " AND request_id >= %s AND request_id < %s", found["run"] + "-", found["run"] + ".")
    return {**found, "seconds": found["ended"] - begin}


def compare(title, small, big, count, action=ALLOWED):
    """
    The cost of a decision where little is stored and where much is, in interleaved rounds. What is measured is stored too, so
    the small side is made anew for each round. The rounds are short, so there are more of them.
    """
    rounds, found = 2 * ROUNDS + 1, {"few": [], "many": []}
    big.round(1000)
    for _ in range(rounds):
        side = small()
        try:
            side.round(1000)
            found["few"].append(timed(side, count, action))
        finally:
            side.close()
        found["many"].append(timed(big, count, action))
        big.stop()
    result, rows = {"rounds": found}, []
    for kind, cost in (("elapsed", lambda r: r["seconds"] / count * 1e6), ("processor", used)):
        values = {name: [cost(r) for r in rounds] for name, rounds in found.items()}
        medians = {name: statistics.median(costs) for name, costs in values.items()}
        result[kind] = {"medians_us": medians, "ratio": medians["many"] / medians["few"]}
        rows += [[f"{kind}, {name}", *costs, medians[name]] for name, costs in values.items()]
        rows.append([f"{kind}, many/few", *[""] * rounds, result[kind]["ratio"]])
    table(title, ["", *(f"round {i + 1}" for i in range(rounds)), "median"], rows)
    return result


def part_stored():
    """The cost of a decision where a thousand and where two million are stored."""
    many, count = int(os.environ.get("MANY", "2000000")) // 6 * 6, COUNT // 20
    big = Countersign()
    try:
        big.sample()
        sample = big.sample()
        big.stop()
        begin = time.monotonic()
        store(big.house, sample, many)
        print(f"\n{many:,} decisions were put in within {time.monotonic() - begin:.0f} s")
        return compare(f"Microseconds a decision, {count:,} a round, where 1,000 are stored and where {many:,} are", Countersign, big, count)
    finally:
        big.close()


def part_open():
    """The cost of a decision while ten and while 100,000 approvals wait for people."""
    many, result = int(os.environ.get("OPEN", "100000")), {}
    big = with_open(many)
    try:
        for name, action, count in (("nobody", ALLOWED, COUNT // 20), ("people", ASKED, COUNT // 40)):
            title = f"Microseconds a decision that asks {name}, {count:,} a round, where 10 approvals are open and where {many:,} are"
            result[name] = compare(title, lambda: with_open(10), big, count, action)
        return result
    finally:
        big.close()


def part_approvals():
    """Opening, answering and expiring, by how many are open; the sweeper beside COPY; an answer beside one commit and one produce."""
    return approvals.part(table, COUNT // 20, ROUNDS)


# ---------------------------------------------------------------- recovery


def part_recovery():
    """From a server's return to a drained backlog, beside the same backlog without the fault."""
    side, found = Countersign(), {"no fault": [], "PostgreSQL returns": [], "the broker returns": []}
    try:
        side.round(COUNT // 2)
        for _ in range(ROUNDS):
            found["no fault"].append(without_fault(side))
            found["PostgreSQL returns"].append(database_returns(side))
            found["the broker returns"].append(broker_returns(side))
    finally:
        side.close()
    medians = {name: statistics.median(seconds) for name, seconds in found.items()}
    table(f"Seconds to a drained backlog of {COUNT:,}", ["", *(f"round {i + 1}" for i in range(ROUNDS)), "median"],
          [[name, *seconds, medians[name]] for name, seconds in found.items()])
    return {"count": COUNT, "seconds": found, "medians": medians}


def drained(side, before, begin):
    side.wait_words(before, COUNT, 300)
    return time.monotonic() - begin


def without_fault(side):
    """The services run, but the database takes no sessions until the backlog is there."""
    side.stop()
    side.fill(COUNT)
    side.prepare()
    before, begin = side.words(), time.monotonic()
    side.start()
    lines = side.wait_words(before, COUNT, 300)
    first = next(at for at, there in lines if there > 0)
    return (lines[-1][0] - first) / 1e6


def database_returns(side):
    side.start()
    side.ready()
    before = side.words()
    server("stop", "postgres")
    side.fill(COUNT)
    time.sleep(5)
    server("start", "postgres")
    begin = time.monotonic()
    seconds = drained(side, before, begin)
    side.house.reconnect()
    return seconds


def broker_returns(side):
    """The backlog is made while the database is closed; it opens when the broker is away, so that all of it is left."""
    side.start()
    side.ready()
    before = side.words()
    with side.house.database_closed():
        side.fill(COUNT)
        server("stop", "kafka")
    time.sleep(5)
    server("start", "kafka")
    return drained(side, before, time.monotonic())


# ---------------------------------------------------------------- memory


class Sampler(threading.Thread):
    """Resident memory of the services, in MiB, until it is ended."""

    def __init__(self, processes):
        super().__init__(daemon=True)
        self.pids = {name: process.pid for name, process in processes.items()}
        self.found, self.ending = {name: [] for name in self.pids}, threading.Event()
        self.start()

    def run(self):
        while not self.ending.wait(0.5):
            for name, pid in self.pids.items():
                status = pathlib.Path(f"/proc/{pid}/status").read_text()
                self.found[name].append(round(int(status.split("VmRSS:")[1].split()[0]) / 1024, 1))

    def end(self):
        self.ending.set()
        self.join()
        return {name: {"most": max(found), "at_half": found[len(found) // 2], "most_after_half": max(found[len(found) // 2:]),
                       "end": found[-1], "samples": found[::max(1, len(found) // 50)]} for name, found in self.found.items()}


def part_memory():
    """Resident memory after many requests, and whether it still grows in the second half."""
    many, result = int(os.environ.get("MANY", "1000000")), {}
    for what, measure, count in (("requests", memory_deciding, many), ("approvals", memory_asking, COUNT)):
        begin = time.monotonic()
        found = result[what] = {"count": count, "services": measure(count)}
        table(f"Resident memory, MiB: {count:,} {what}, {time.monotonic() - begin:.0f} s", ["", "most", "at half", "most after half", "end"],
              [[name, *(f"{values[key]:.1f}" for key in ("most", "at_half", "most_after_half", "end"))]
               for name, values in found["services"].items()])
    return result


def memory_deciding(count):
    side = Countersign()
    try:
        side.start()
        side.ready()
        before, sampler = side.words(), Sampler(side.processes())
        side.fill(count)
        side.wait_words(before, count, 600)
        return sampler.end()
    finally:
        side.close()


def memory_asking(count):
    """Every request is asked about, answered and reported; all five services run."""
    targets = ROOT / "build" / "bench.targets.json"
    targets.write_text(json.dumps({"targets": [{"name": "journal", "channel": "log"}]}))
    side = Countersign(services=SERVICES, notifier={"notifier.targets_file": str(targets)})
    house = side.house
    try:
        house.person("alice", "release-managers")
        side.start()
        side.ready()
        before, sampler = side.words(), Sampler(side.processes())
        run = side.fill(count, ASKED)
        ids = [f"{run}-{i:08}" for i in range(count)]
        side.wait_words(before, count, 600)
        digests = dict(house.sql("SELECT request_id, request_digest FROM request"))
        for request_id in ids:
            house.answer(request_id, "alice", digest=digests[request_id], flush=False)
        house.producer.flush(60)
        side.wait_words(before, 2 * count, 600)
        for request_id in ids:
            house.report(request_id, "succeeded", digest=digests[request_id], flush=False)
        house.producer.flush(60)
        house.eventually("SELECT count(*) FROM outcome", expected=[(count,)], timeout=600)
        house.eventually("SELECT count(*) FROM delivery", expected=[(2 * count,)], timeout=600)
        return sampler.end()
    finally:
        side.close()


PARTS = {"rate": part_rate, "latency": part_latency, "stored": part_stored, "open": part_open, "approvals": part_approvals, "recovery": part_recovery,
         "policy": part_policy, "conditions": part_conditions, "peers": part_peers}
BY_NAME = {"profile": part_profile, "memory": part_memory}


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # whoever is told to end ends the services first
    out = ROOT / "build" / "bench.json"
    found = json.loads(out.read_text()) if out.exists() else {}
    for name in sys.argv[1:] or PARTS:
        found[name] = (PARTS | BY_NAME)[name]()
        found[name]["at"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        out.write_text(json.dumps(found, indent=1) + "\n")
    print(f"\n{out.relative_to(ROOT)}")


main()
