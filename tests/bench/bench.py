# SPDX-License-Identifier: Apache-2.0
"""The benchmark: Countersign beside the limit of its servers. bench.py [PART...]; what was measured is printed and in build/bench.json."""
import json
import os
import pathlib
import secrets
import shutil
import signal
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "walk"))

from house import BOOTSTRAP, ROOT, House, policy  # noqa: E402

TOOLS = pathlib.Path(os.environ.get("B", "build")) / "tests" / "bench"
TICK = os.sysconf("SC_CLK_TCK")
COUNT = int(os.environ.get("N", "100000"))
ROUNDS = int(os.environ.get("ROUNDS", "3"))
SECONDS = 120
ALLOWED, ASKED = "deployment.staging", "deployment.production"


def load(*arguments):
    done = subprocess.run([TOOLS / "load", *map(str, arguments)], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout


def cpu_of(pid):
    """Seconds of both kinds that a process has used."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def server(name):
    """Process id of a server of this checkout, or None when it is somebody else's."""
    path = ROOT / ".run" / f"{name}.pid"
    return int(path.read_text().split()[0]) if path.exists() else None


def machine():
    """Seconds that all processors were busy, and that they were given to other machines."""
    fields = [int(field) / TICK for field in pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]
    return {"busy": sum(fields[:3]) + sum(fields[5:7]), "stolen": fields[7]}


def kafka_cpu():
    pid = server("kafka")
    return cpu_of(pid) if pid else 0


class Side:
    """What is measured: a database, topics, and processes that make words of requests."""

    def __init__(self, name):
        self.name = name
        self.house = House(services=("evaluator", "relay"), policy=policy(), start=False, observe=False,
                           settings={"relay": {"relay.checkpoint_interval": "60s"}})

    def new_run(self):
        return "b" + secrets.token_hex(3)

    def topic(self, name):
        return self.house.prefix + name

    def fill(self, count, action=ALLOWED):
        run = self.new_run()
        load("fill", BOOTSTRAP, self.topic("requests"), run, count, action)
        return run

    def words(self):
        return int(load("ends", BOOTSTRAP, self.topic("authorizations")))

    def watch(self, before, count, seconds=SECONDS):
        command = [TOOLS / "load", "watch", BOOTSTRAP, self.topic("authorizations"), str(before), str(count), str(seconds)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)

    def backends(self):
        return self.house.sql("SELECT usename, pid FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()"
                              " AND backend_type = 'client backend'",
                              self.house.name)

    def cpu(self):
        used = {name: cpu_of(process.pid) for name, process in self.processes().items()}
        for user, pid in self.backends():
            used["postgres for " + user.replace("countersign_", "")] = cpu_of(pid)
        return used

    def round(self, count, action=ALLOWED):
        """A backlog is there, the processes start, and the clock runs from the first word to the last."""
        self.stop()
        self.fill(count, action)
        self.house.db.execute("CHECKPOINT")
        before, machine_before, kafka_before = self.words(), machine(), kafka_cpu()
        with self.watch(before, count) as watch:
            begin = time.monotonic()
            self.start()
            lines = [tuple(map(int, line.split())) for line in watch.stdout]
        assert watch.returncode == 0, f"{self.name}: see above"
        cpu = {**self.cpu(), "kafka": kafka_cpu() - kafka_before}
        whole = {what: used - machine_before[what] for what, used in machine().items()}
        whole["others"] = whole.pop("busy") - sum(cpu.values())
        (first, some), (last, all_) = next(line for line in lines if line[1] > 0), lines[-1]
        return {"rate": (all_ - some) / (last - first) * 1e6, "seconds": (last - first) / 1e6, "start": first / 1e6 - begin,
                "cpu_us": {name: round(used / count * 1e6, 1) for name, used in {**cpu, **whole}.items()}}

    def close(self):
        self.stop()
        self.house.close()
        shutil.rmtree(self.house.folder, ignore_errors=True)


class Countersign(Side):
    def __init__(self, name="countersign", services=("evaluator", "relay")):
        super().__init__(name)
        self.running = services

    def processes(self):
        return self.house.processes

    def start(self):
        for service in self.running:
            if service not in self.house.processes:
                self.house.start(service, wait=False)

    def ready(self):
        for service in self.running:
            self.house.wait_ready(service)

    def stop(self):
        for service in list(self.house.processes):
            process = self.house.processes.pop(service)
            process.terminate()
            assert process.wait(30) == 0, service

    def sample(self):
        """One request that was decided, for the limit to copy."""
        before = self.words()
        self.start()
        self.ready()
        run = self.fill(1)
        with self.watch(before, 1, 30) as watch:
            watch.stdout.read()
        self.house.eventually("SELECT count(*) FROM ledger_event WHERE key = %s", run + "-00000000", expected=[(1,)])
        return run + "-00000000"


class Limit(Side):
    """The program of the limit, on tables of its own. Bare ones have their keys and indexes, but no foreign keys, checks and triggers."""

    def __init__(self, name, like, batch, bare=True):
        super().__init__(name)
        self.like, self.batch, self.process = like, batch, None
        self.sample = like.sample()
        house = self.house
        house.sql("INSERT INTO consumer_position SELECT 'evaluator', %s, p, 0, 1, 'bench', now() FROM generate_series(0, 5) p"
                  " RETURNING 1", self.topic("requests"))
        house.db.execute("INSERT INTO relay_position SELECT chain, 1, 'bench', 1, now() FROM ledger_head ON CONFLICT DO NOTHING")
        if bare:
            self.strip()

    def strip(self):
        self.house.db.execute("""
            DO $$ DECLARE c record; BEGIN
                FOR c IN SELECT conrelid::regclass AS t, conname FROM pg_constraint
                          WHERE connamespace = 'countersign'::regnamespace AND contype IN ('f', 'c') ORDER BY contype DESC LOOP
                    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', c.t, c.conname);
                END LOOP;
                FOR c IN SELECT tgrelid::regclass AS t, tgname FROM pg_trigger
                          WHERE NOT tgisinternal AND tgrelid IN ('ledger_event'::regclass, 'consumer_position'::regclass) LOOP
                    EXECUTE format('DROP TRIGGER %I ON %s', c.tgname, c.t);
                END LOOP;
            END $$""")

    def processes(self):
        return {"limit": self.process}

    def start(self):
        command = [TOOLS / "limit", BOOTSTRAP, self.like.house.owner_uri, self.sample, self.house.owner_uri,
                   self.house.prefix, str(self.batch)]
        self.process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)

    def ready(self):
        pass

    def stop(self):
        if self.process:
            self.process.send_signal(signal.SIGTERM)
            said = self.process.communicate(timeout=30)[0]
            assert self.process.returncode == 0, said
            self.said = said.strip()
        self.process = None


# ---------------------------------------------------------------- parts


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


def part_profile():
    """Where the processors' time goes while a backlog is worked off: perf's view of each process."""
    side = Countersign()
    try:
        side.round(COUNT // 4)
        side.stop()
        side.fill(COUNT)
        with side.watch(side.words(), COUNT) as watch:
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


PARTS = {"rate": part_rate}
BY_NAME = {"profile": part_profile}


def main():
    out = ROOT / "build" / "bench.json"
    found = json.loads(out.read_text()) if out.exists() else {}
    for name in sys.argv[1:] or PARTS:
        found[name] = (PARTS | BY_NAME)[name]()
        found[name]["at"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        out.write_text(json.dumps(found, indent=1) + "\n")
    print(f"\n{out.relative_to(ROOT)}")


main()
