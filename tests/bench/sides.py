# SPDX-License-Identifier: Apache-2.0
"""What is measured: Countersign, and the limit beside it, each on a database and topics of its own."""
import json
import os
import pathlib
import secrets
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "walk"))

from house import BOOTSTRAP, ROOT, SERVICES, House, policy  # noqa: E402
from pair import pid_of, private  # noqa: E402

TOOLS = pathlib.Path(os.environ.get("B", "build")) / "tests" / "bench"
TICK = os.sysconf("SC_CLK_TCK")
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


def machine():
    """Seconds that all processors were busy, and that they were given to other machines."""
    fields = [int(field) / TICK for field in pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]
    return {"busy": sum(fields[:3]) + sum(fields[5:7]), "stolen": fields[7]}


def kafka_cpu():
    return cpu_of(pid_of("kafka")) if private() else 0


class Side:
    """What is measured: a database, topics, and processes that make words of requests."""

    def __init__(self, name, active=None, **settings):
        self.name = name
        self.house = House(services=("evaluator", "relay"), policy=active or policy(), start=False, observe=False,
                           settings={"relay": {"relay.checkpoint_interval": "60s"}, **settings})

    def new_run(self):
        return "b" + secrets.token_hex(3)

    def topic(self, name):
        return self.house.prefix + name

    def wait_words(self, before, count, seconds=SECONDS):
        with self.watch(before, count, seconds) as watch:
            lines = [tuple(map(int, line.split())) for line in watch.stdout]
        assert watch.returncode == 0, f"{self.name}: see above"
        return lines

    def ping(self, count, action=ALLOWED):
        """Microseconds from each of count requests, one at a time, to the word on it."""
        self.start()
        self.ready()
        run = self.new_run()
        return [int(line) for line in load("ping", BOOTSTRAP, self.topic("requests"), self.topic("authorizations"), run, count, action).split()]

    def fill(self, count, action=ALLOWED, context=None):
        run = self.new_run()
        load("fill", BOOTSTRAP, self.topic("requests"), run, count, action, *([json.dumps(context, separators=(",", ":"))] if context else []))
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

    def round(self, count, action=ALLOWED, context=None):
        """A backlog is there, the processes start, and the clock runs from the first word to the last."""
        self.stop()
        run = self.fill(count, action, context)
        self.house.db.execute("CHECKPOINT")
        self.prepare()
        before, machine_before, kafka_before = self.words(), machine(), kafka_cpu()
        with self.watch(before, count) as watch:
            begin = time.monotonic()
            self.start()
            lines = [tuple(map(int, line.split())) for line in watch.stdout]
        ended = time.time()
        assert watch.returncode == 0, f"{self.name}: see above"
        cpu = {**self.cpu(), "kafka": kafka_cpu() - kafka_before}
        whole = {what: used - machine_before[what] for what, used in machine().items()}
        whole["others"] = whole.pop("busy") - sum(cpu.values())
        (first, some), (last, all_) = next(line for line in lines if line[1] > 0), lines[-1]
        return {"run": run, "ended": ended, "rate": (all_ - some) / max(last - first, 1) * 1e6, "seconds": (last - first) / 1e6, "start": first / 1e6 - begin,
                "cpu_us": {name: round(used / count * 1e6, 1) for name, used in {**cpu, **whole}.items()}}

    def close(self):
        self.stop()
        self.house.close()
        shutil.rmtree(self.house.folder, ignore_errors=True)


class Countersign(Side):
    def __init__(self, name="countersign", services=("evaluator", "relay"), **settings):
        super().__init__(name, **settings)
        self.running = services

    def processes(self):
        return self.house.processes

    def prepare(self):
        """All but the evaluator run already: its first commit is the first that they hear of."""
        for service in self.running:
            if service != "evaluator" and service not in self.house.processes:
                self.house.start(service)

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

    def sample(self, action=ALLOWED):
        """One request that was decided, to be copied."""
        before = self.words()
        self.start()
        self.ready()
        run = self.fill(1, action)
        self.wait_words(before, 1, 30)
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
                          WHERE NOT tgisinternal LOOP
                    EXECUTE format('DROP TRIGGER %I ON %s', c.tgname, c.t);
                END LOOP;
            END $$""")

    def processes(self):
        return {"limit": self.process}

    def prepare(self):
        pass

    def start(self):
        if self.process:
            return
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
