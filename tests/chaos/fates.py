# SPDX-License-Identifier: Apache-2.0
"""What breaks and when: every target has its own list of blows, drawn from the seed, and a thread that deals them out."""
import os
import pathlib
import signal
import threading
import time

import psycopg

from house import OWNER_URI, SERVICES
from pair import pid_of, server

SESSION, LEASE = 6.0, 3.0  # seconds after which the group, and other relays, give up one that is silent
ALL = SERVICES + ("postgres", "kafka", "policy")


class Blow:
    def __init__(self, at, target, kind, lasts=0.0, **how):
        self.at, self.target, self.kind, self.lasts, self.how = at, target, kind, lasts, how

    def __str__(self):
        how = "".join(f", {name} {value:.2f}" if isinstance(value, float) else f", {name} {value}" for name, value in self.how.items())
        return f"{self.at:6.2f}  {self.target:9}  {self.kind}" + (f" for {self.lasts:.2f} s" if self.lasts else "") + how


def blow_at_service(r, at, target):
    kind = r.choice(("kill", "kill", "kill twice", "end", "stop", "stop long", "second", "second", "take-over"))
    if kind == "kill":
        return Blow(at, target, kind, r.uniform(0, 1.5))
    if kind == "kill twice":
        return Blow(at, target, kind, r.uniform(0.02, 1))
    if kind == "end":
        return Blow(at, target, kind, r.uniform(0, 1))
    if kind == "stop":
        return Blow(at, target, kind, r.uniform(0.2, 2.5))
    if kind == "stop long":
        return Blow(at, target, kind, SESSION + r.uniform(0.2, 2))
    if kind == "second":
        return Blow(at, target, kind, r.uniform(1, 4), leaves=r.choice(("ended", "killed")))
    return Blow(at, target, kind, (LEASE if target == "relay" else SESSION) + r.uniform(0.5, 2.5), leaves=r.choice(("ended", "killed")))


def blow_at_postgres(r, at):
    kind = r.choice(("terminate", "terminate", "crash", "crash", "read-only", "restart fast", "restart immediate", "freeze", "freeze", "lock"))
    if kind == "terminate":
        return Blow(at, "postgres", kind, times=r.randint(1, 12))
    if kind == "crash":
        return Blow(at, "postgres", kind)
    if kind == "freeze":
        return Blow(at, "postgres", kind, r.choice((r.uniform(0.2, 2), r.uniform(6, 9))))
    return Blow(at, "postgres", kind, r.uniform(0.1, 2.5))


def blow_at_kafka(r, at):
    kind = r.choices(("freeze", "restart", "kill"), (8, 1, 1))[0]  # its start takes longer than everything else
    return Blow(at, "kafka", kind, r.uniform(0.2, 8) if kind == "freeze" else r.uniform(0, 2))


def draw(r, span):
    """Seven to twelve blows, two at one target never at once; now and then several services are killed at one moment."""
    blows = []

    def free(target, at, lasts):
        return all(b.target != target or b.at + b.lasts + 0.5 < at or at + lasts + 0.5 < b.at for b in blows)
    if r.random() < 0.4:
        at = r.uniform(1, span - 1)
        for target in r.sample(SERVICES, r.randint(2, 5)):
            blows.append(Blow(at, target, "kill", r.uniform(0, 0.5)))
    count = r.randint(7, 12)
    while len(blows) < count:
        target, at = r.choices(ALL, (4, 3, 2, 2, 4, 5, 3, 2))[0], r.uniform(0.5, span)
        blow = blow_at_postgres(r, at) if target == "postgres" else blow_at_kafka(r, at) if target == "kafka" \
            else Blow(at, "policy", "activate") if target == "policy" else blow_at_service(r, at, target)
        if free(target, at, blow.lasts):
            blows.append(blow)
    return sorted(blows, key=lambda b: b.at)


# ------------------------------------------------------------ dealing them out

def wait_until_gone(pid):
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            if pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return
        except OSError:
            return
        time.sleep(0.02)
    raise AssertionError(f"process {pid} does not end")


def tell(pids, what):
    for pid in pids:
        try:
            os.kill(pid, what)
        except ProcessLookupError:
            pass  # its client has left


class Fates:
    """Deals out one schedule to one town. What it finds broken by itself goes into problems."""

    def __init__(self, town, blows):
        self.town, self.house, self.blows, self.problems, self.story, self.began = town, town.house, blows, [], [], None
        self.threads = [threading.Thread(target=self.deal, args=(target,), daemon=True) for target in ALL]

    def say(self, target, text):
        self.story.append((time.monotonic() - self.began, target, text))

    def begin(self, began):
        self.began = began
        for thread in self.threads:
            thread.start()

    def join(self, timeout):
        end = time.monotonic() + timeout
        for thread in self.threads:
            thread.join(max(0.1, end - time.monotonic()))
            if thread.is_alive():
                self.problems.append("a fault did not come to its end in time")

    def deal(self, target):
        hands = {"postgres": self.at_postgres, "kafka": self.at_kafka, "policy": self.at_policy}.get(target, self.at_service)
        for blow in self.blows:
            if blow.target == target:
                time.sleep(max(0.0, self.began + blow.at - time.monotonic()))
                try:
                    hands(blow)
                except Exception as failure:  # the other threads go on, the run is a failure
                    self.say(target, f"{blow.kind}: {failure!r}")
                    self.problems.append(f"{target}, {blow.kind}: {failure!r}")

    # -------------------------------------------------------- services

    def start(self, service, instance=""):
        self.house.start(service, instance, wait=False)
        self.say(service + instance, "started")

    def alive(self, name):
        """Whether it runs still: it must, whatever else was done to its surroundings."""
        code = self.house.processes[name].poll()
        if code is not None:
            self.say(name, f"has ended by itself with {code}")
            self.problems.append(f"{name} ended by itself with {code}: {self.house.log(name)[-600:]}")
        return code is None

    def kill(self, name):
        if self.alive(name):
            self.say(name, "SIGKILL")
        self.house.kill(name)

    def end(self, name):
        if self.alive(name):
            self.say(name, "SIGTERM")
        code = self.house.stop(name)
        self.say(name, f"ended with {code}")
        if code != 0:
            self.problems.append(f"{name} ended with {code} when it was asked to: {self.house.log(name)[-600:]}")

    def leave(self, name, how):
        self.end(name) if how == "ended" else self.kill(name)

    def sleeping(self, name, seconds):
        process = self.house.processes[name]
        if self.alive(name):
            self.say(name, "SIGSTOP")
            process.send_signal(signal.SIGSTOP)
        try:
            time.sleep(seconds)
        finally:
            process.send_signal(signal.SIGCONT)
            self.say(name, "SIGCONT")

    def at_service(self, blow):
        name, second = blow.target, f"-second-{self.town.next()}"
        if blow.kind in ("kill", "kill twice"):
            self.kill(name)
            time.sleep(blow.lasts if blow.kind == "kill" else 0)
            self.start(name)
            if blow.kind == "kill twice":
                time.sleep(blow.lasts)
                self.kill(name)
                self.start(name)
        elif blow.kind == "end":
            self.end(name)
            time.sleep(blow.lasts)
            self.start(name)
        elif blow.kind in ("stop", "stop long"):
            self.sleeping(name, blow.lasts)
        elif blow.kind == "second":
            self.start(name, second)
            time.sleep(blow.lasts)
            self.leave(name + second, blow.how["leaves"])
        else:
            self.start(name, second)
            time.sleep(0.3)
            self.sleeping(name, blow.lasts)
            self.leave(name + second, blow.how["leaves"])

    # -------------------------------------------------------- PostgreSQL

    def backends(self, owner):
        return [row[0] for row in owner.execute("SELECT pid FROM pg_stat_activity WHERE datname = %s AND application_name LIKE 'countersign-%%'",
                                                (self.house.name,)).fetchall()]

    def at_postgres(self, blow):
        if blow.kind.startswith("restart"):
            self.restart_postgres(blow)
            return
        with psycopg.connect(OWNER_URI, autocommit=True) as owner:
            {"terminate": self.terminate, "crash": self.crash, "read-only": self.read_only, "freeze": self.freeze,
             "lock": self.lock}[blow.kind](owner, blow)

    def restart_postgres(self, blow):
        self.say("postgres", blow.kind)
        try:
            if blow.kind == "restart immediate":
                pid = pid_of("postgres")
                os.kill(pid, signal.SIGQUIT)
                wait_until_gone(pid)
            server("stop", "postgres")
            time.sleep(blow.lasts)
        finally:
            server("start", "postgres", attempts=3)
        self.say("postgres", "is back")

    def terminate(self, owner, blow):
        for _ in range(blow.how["times"]):
            pids = self.backends(owner)
            owner.execute("SELECT pg_terminate_backend(pid) FROM unnest(%s::int[]) AS pid", (pids,))
            self.say("postgres", f"terminated {len(pids)} connections")
            time.sleep(0.1)

    def crash(self, owner, _):
        """One backend killed: PostgreSQL throws out everybody and recovers."""
        pids = self.backends(owner)
        self.say("postgres", f"SIGKILL to {len(pids[:1])} of {len(pids)} backends")
        tell(pids[:1], signal.SIGKILL)
        time.sleep(0.2)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                psycopg.connect(OWNER_URI).close()
                self.say("postgres", "is back")
                return
            except psycopg.OperationalError:
                time.sleep(0.05)
        raise AssertionError("PostgreSQL does not recover")

    def read_only(self, owner, blow):
        owner.execute(f'ALTER DATABASE "{self.house.name}" SET default_transaction_read_only = on')
        try:
            pids = self.backends(owner)
            owner.execute("SELECT pg_terminate_backend(pid) FROM unnest(%s::int[]) AS pid", (pids,))
            self.say("postgres", "is read-only")
            time.sleep(blow.lasts)
        finally:
            owner.execute(f'ALTER DATABASE "{self.house.name}" RESET default_transaction_read_only')
            self.say("postgres", "takes writes again")

    def freeze(self, owner, blow):
        """The services' backends hold still, with all their locks: to a client the server is silent, and may yet commit."""
        pids = self.backends(owner)
        try:
            tell(pids, signal.SIGSTOP)
            self.say("postgres", f"SIGSTOP to {len(pids)} backends")
            time.sleep(blow.lasts)
        finally:
            tell(pids, signal.SIGCONT)
            self.say("postgres", "SIGCONT to them")

    def lock(self, _, blow):
        with psycopg.connect(self.house.owner_uri) as other:
            other.execute("SELECT FROM countersign.ledger_head ORDER BY chain FOR UPDATE")
            self.say("postgres", "all heads of the ledger are locked")
            time.sleep(blow.lasts)
        self.say("postgres", "they are free again")

    # -------------------------------------------------------- Kafka and the policy

    def at_kafka(self, blow):
        pid = pid_of("kafka")
        if blow.kind == "freeze":
            os.kill(pid, signal.SIGSTOP)
            self.say("kafka", "SIGSTOP")
            try:
                time.sleep(blow.lasts)
            finally:
                os.kill(pid, signal.SIGCONT)
                self.say("kafka", "SIGCONT")
            return
        self.say("kafka", "stopped" if blow.kind == "restart" else "SIGKILL")
        try:
            if blow.kind == "kill":
                os.kill(pid, signal.SIGKILL)
                wait_until_gone(pid)
            server("stop", "kafka")
            time.sleep(blow.lasts)
        finally:
            server("start", "kafka", attempts=3)
        self.say("kafka", "is back")

    def at_policy(self, _):
        version = self.town.next()
        path = self.house.folder / f"policy-{version}.json"
        path.write_text(self.town.policy_text(version))
        done = self.house.cli("policy", "activate", str(path), "--warn", "E03", check=False)
        self.say("policy", f"version {version} " + ("is active" if done.returncode == 0 else f"was not activated: {done.stderr.strip()[-120:]}"))
