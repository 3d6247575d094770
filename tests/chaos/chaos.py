# SPDX-License-Identifier: Apache-2.0
"""The random schedule: tales are told while blows fall, then everything is healed and must have come out right.

    chaos.py SEEDS [FIRST]    so many seeds one after another; what is drawn from a seed is the same on every machine
"""
import base64
import collections
import http.server
import json
import pathlib
import random
import secrets
import shutil
import sys
import threading
import time
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "walk"))

from confluent_kafka import Consumer, Producer, TopicPartition  # noqa: E402

from house import BOOTSTRAP, ROOT, SERVICES, House, policy  # noqa: E402
import history  # noqa: E402
import pair  # noqa: E402
import schemas  # noqa: E402
import fates  # noqa: E402
import tales  # noqa: E402

SPAN, TALES, DRAIN = 10.0, 400, 90.0  # seconds of blows, tales in them, seconds until all must be quiet
SEEDS_OF_A_TOWN = 5
INPUTS = {"requests": "evaluator", "responses": "resolver", "outcomes": "recorder"}


class Receiver:
    """Takes what the notifier delivers; refuses, delays or breaks off some calls, by the id that is delivered."""

    def __init__(self):
        self.calls, self.taken, self.lock = collections.Counter(), {}, threading.Lock()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body, name = self.rfile.read(int(self.headers["content-length"])), self.headers["webhook-id"]
                with receiver.lock:
                    receiver.calls[name] += 1
                    mood = random.Random(f"{name} {receiver.calls[name]}").random() if receiver.calls[name] < 3 else 1
                    if mood >= 0.05:  # also where the answer is not heard
                        receiver.taken.setdefault(name, set()).add(body)
                if mood < 0.15:
                    if mood > 0.1:
                        time.sleep(1.2)  # longer than the notifier waits
                    self.close_connection = True
                    if mood > 0.05:
                        return
                self.send_response(503 if mood < 0.05 else 204)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads, block_on_close, request_queue_size = True, False, 128

            def handle_error(self, *_):
                pass  # clients are killed

        self.server = Server(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Town:
    """A house with all services, people who answer, and a receiver; it lives through several seeds."""

    def __init__(self):
        if not pair.private():
            raise SystemExit("the servers are broken on purpose: needs the checkout's private ones, through deploy/dev/with-servers")
        self.number, self.lock, self.receiver = 1, threading.Lock(), Receiver()
        patience = {"database.statement_timeout": "2s", "database.lock_timeout": "1s"}
        self.house = House(services=SERVICES, start=False, settings={name: dict(patience) for name in SERVICES})
        self.house.unseen = 15  # a session that is frozen dates a word and commits it when it wakes
        targets = self.house.folder / "targets.json"
        secret = self.house.folder / "webhook.secret"
        secret.write_text(f"whsec_{base64.b64encode(secrets.token_bytes(32)).decode()}\n")
        secret.chmod(0o600)
        targets.write_text(json.dumps({"targets": [{"name": "bot", "channel": "webhook", "allow_http": True, "secret_file": str(secret),
                                                    "url": f"http://127.0.0.1:{self.receiver.port}/bot"}]}))
        self.house.settings["notifier"].update({
            "notifier.targets_file": str(targets), "webhook.allow_private": "127.0.0.1/32", "webhook.ports": "any", "webhook.timeout": "1s",
            "delivery.attempts": "50", "delivery.backoff": "50ms", "delivery.lease": "1s", "delivery.parallel": "16"})
        self.house.settings["relay"]["relay.lease"] = f"{fates.LEASE:.0f}s"
        for person, *groups in (("alice", "release-managers"), ("carol", "release-managers"), ("bob", "release-managers"), ("mallory",),
                                ("pia", "pair"), ("paul", "pair")):
            self.house.person(person, *groups)
        self.house.cli("agents", "add", tales.AGENT, "--owner", "bob")
        self.house.activate(policy(1))
        # in the order of sending; an idempotent producer is broken for good by a broker that was killed, once in some fifty times
        self.house.producer = Producer({"bootstrap.servers": BOOTSTRAP, "linger.ms": 2, "partitioner": "murmur2_random",
                                        "max.in.flight": 1, "reconnect.backoff.max.ms": 500, "log_level": 0})
        self.asker = Consumer({"bootstrap.servers": BOOTSTRAP, "group.id": self.house.name + "-asker", "log_level": 0})
        for service in SERVICES:
            self.house.start(service, wait=False)
        for service in SERVICES:
            self.house.wait_ready(service)

    def next(self):
        with self.lock:
            self.number += 1
            return self.number

    def policy_text(self, version):
        return json.dumps(policy(version))

    def end_of(self, topic):
        """Offsets behind the last record of each partition."""
        return {p: self.asker.get_watermark_offsets(TopicPartition(self.house.prefix + topic, p), timeout=10)[1]
                for p in range(tales.PARTITIONS)}

    def close(self):
        self.receiver.close()
        self.asker.close()
        self.house.close()


# ------------------------------------------------------------ one seed

def draw(seed):
    r = random.Random(f"countersign {seed}")
    blows = fates.draw(r, SPAN)
    return tales.tell(r, seed, TALES, SPAN, [m for b in blows for m in (b.at, b.at + b.lasts)]), blows


class Run:
    def __init__(self, town, seed):
        self.town, self.house, self.seed, self.problems = town, town.house, seed, []
        self.tales, self.blows = draw(seed)
        self.fates = fates.Fates(town, self.blows)
        self.failure, self.drained, self.waiting = None, 0.0, {}

    def speak(self):
        try:
            for step in sorted((s for t in self.tales for s in t.steps), key=lambda s: s.at):
                while (left := self.began + step.at - time.monotonic()) > 0:
                    self.house.producer.poll(min(left, 0.05))
                step.send(self.house)
            assert self.house.producer.flush(90) == 0, "what was sent did not reach Kafka"
        except Exception as failure:
            self.failure = failure

    def live(self):
        """The blows and the tales, until all have fallen, all is sent and everything runs."""
        self.began = time.monotonic()
        speaker = threading.Thread(target=self.speak, daemon=True)
        speaker.start()
        self.fates.begin(self.began)
        self.fates.join(180)
        speaker.join(120)
        assert not speaker.is_alive() and self.failure is None, f"the tales were not told: {self.failure!r}"
        self.healed = time.monotonic()
        self.house.reconnect()
        for service in SERVICES:
            if self.fates.alive(service):
                self.house.wait_ready(service, 60)
            else:
                self.house.start(service)

    # -------------------------------------------------------- until nothing moves any more

    def behind(self, topic, service):
        rows = self.house.sql("SELECT partition, next_offset FROM consumer_position WHERE consumer_group = %s",
                              self.house.prefix + service)
        ends, at = self.town.end_of(topic), dict(rows)
        return {p: (at.get(p, 0), end) for p, end in ends.items() if at.get(p, 0) != end}

    def unquiet(self):
        """The first thing that still has to happen, or None."""
        sql = self.house.sql
        for topic, service in INPUTS.items():
            if behind := self.behind(topic, service):
                return f"{service} has not taken all {topic}: {behind}"
        if rows := sql("SELECT request_id, origin_topic, origin_partition, origin_offset FROM shelf WHERE request_id NOT LIKE '%%-never_asked-%%'"):
            return f"on the shelf: {rows}"
        if rows := sql("SELECT request_id FROM approval WHERE state = 'PENDING' AND deadline < clock_timestamp() + interval '10 minutes'"):
            return f"not expired yet: {rows}"
        try:
            self.house.quiet(0.5)
        except AssertionError as reason:
            return str(reason)
        if behind := self.behind("approvals", "notifier"):
            return f"notifier has not taken all approvals: {behind}"
        if rows := sql("SELECT request_id, kind, attempts, last_code FROM delivery WHERE state = 'pending'"):
            return f"not delivered yet: {rows}"
        return None

    def drain(self):
        deadline, before = self.healed + DRAIN, None
        self.fates.say("all", "is healed")
        while (reason := self.unquiet()) is not None:
            if before != (before := reason.partition(":")[0]):
                self.fates.say("all", f"waiting: {reason[:200]}")
            if time.monotonic() > deadline:
                raise AssertionError(f"not quiet {DRAIN:.0f} s after all was healed: {reason}")
            time.sleep(0.1)
        self.drained = time.monotonic() - self.healed
        self.fates.say("all", "is quiet")

    # -------------------------------------------------------- what came of it

    def rows(self, query):
        """Rows of this seed by their first column, a request id."""
        found = collections.defaultdict(list)
        for request_id, *row in self.house.sql(query + " LIKE %s", f"s{self.seed}-%"):
            found[request_id].append(tuple(row) if len(row) > 1 else row[0])
        return found

    def must(self, holds, text):
        if not holds:
            self.problems.append(text)

    def check_words(self):
        order = {tales.PENDING: 0}
        stored = self.rows("SELECT request_id, status FROM authorization_status WHERE request_id")
        spoken = self.house.all_words()
        decided = self.rows("SELECT request_id, n FROM decision WHERE n = 0 AND request_id")
        states = self.rows("SELECT request_id, state FROM approval WHERE request_id")
        self.must(set(stored) <= {t.id for t in self.tales}, f"words on what was never asked: {set(stored) - {t.id for t in self.tales}}")
        for tale in self.tales:
            words = tuple(sorted(stored[tale.id], key=lambda w: order.get(w, 1)))
            self.must(words in tale.words, f"{tale} has the words {words}, legal are {tale.words}")
            self.must(tuple(spoken.get(tale.id, ())) == words, f"{tale}: recorded {words}, published {spoken.get(tale.id)}")
            self.must(len(decided[tale.id]) == (1 if words else 0), f"{tale} was decided {len(decided[tale.id])} times")
            final = {"PENDING": "PENDING", "GRANTED": "APPROVED"}
            wanted = [final.get(words[-1], words[-1])] if words[:1] == (tales.PENDING,) else []
            self.must(states[tale.id] == wanted, f"{tale}: the approval is {states[tale.id]}, the words are {words}")

    def check_answers(self):
        votes = self.rows("SELECT request_id, response_id, result, verdict FROM response WHERE request_id")
        for tale in self.tales:
            found = {response_id: result for response_id, result, _ in votes[tale.id]}
            self.must(found.keys() == tale.results.keys() and len(found) == len(votes[tale.id]),
                      f"{tale}: answers {found}, sent {tale.results}")
            for response_id, result in found.items():
                self.must(result in tale.results.get(response_id, ()), f"{tale}: {response_id} is {result}, legal {tale.results}")
        late = self.house.sql("SELECT r.request_id FROM response r JOIN approval a USING (approval_id)"
                              " WHERE r.result = 'counted' AND (r.received_at >= a.deadline OR r.request_digest <> a.request_digest)")
        self.must(not late, f"votes that counted late or for another digest: {late}")

    def check_reports(self):
        judged = self.rows("SELECT request_id, judgement FROM outcome WHERE request_id")
        incidents = self.rows("SELECT request_id, kind FROM incident WHERE request_id")
        for tale in self.tales:
            found = tuple(sorted(judged[tale.id]))
            self.must(found in tale.judgements, f"{tale}: outcomes are judged {found}, legal {tale.judgements}")
            self.must(sorted(incidents[tale.id]) == [j for j in found if j != "authorized"],
                      f"{tale}: outcomes {found}, incidents {incidents[tale.id]}")

    def check_origins(self):
        """Each record is either taken, or in quarantine, or waits on the shelf, as it must."""
        prefix = len(self.house.prefix)
        quarantined = {(t[prefix:], p, o) for t, p, o in self.house.sql("SELECT origin_topic, origin_partition, origin_offset FROM quarantine")}
        shelved = {(t[prefix:], p, o) for t, p, o in self.house.sql("SELECT origin_topic, origin_partition, origin_offset FROM shelf")}
        told = {(e.body["origin"]["topic"][prefix:], e.body["origin"]["partition"], e.body["origin"]["offset"])
                for e in self.house.observer.find(lambda e: e.topic == "quarantine")}
        self.must(quarantined == told, f"quarantined {quarantined ^ told} and told are not the same")
        for tale in self.tales:
            where = [(s.becomes, s.origin in quarantined, s.origin in shelved) for s in tale.steps]
            for becomes, in_quarantine, on_shelf in where:
                self.must(becomes == tales.EITHER or in_quarantine == (becomes == tales.QUARANTINED), f"{tale}: of its records {where}")
                self.must(on_shelf == (becomes == tales.SHELVED), f"{tale}: of its records {where}")
            either = [w[1] for w in where if w[0] == tales.EITHER]
            self.must(not either or either.count(False) == 1, f"{tale}: of its records {where}")

    def check_deliveries(self):
        planned = self.rows("SELECT request_id, kind, state, delivery_id::text, body FROM delivery WHERE request_id")
        states = self.rows("SELECT request_id, state FROM approval WHERE request_id")
        for tale in self.tales:
            kinds = sorted(d[0] for d in planned[tale.id] if not d[0].startswith("approval.outcome."))  # of those the history knows
            wanted = [] if tale.id not in states else ["approval.opened"] if states[tale.id] == ["PENDING"] \
                else ["approval.closed", "approval.opened"]
            self.must(kinds == wanted, f"{tale}: planned {kinds}, expected {wanted}")
            for kind, state, delivery_id, body in planned[tale.id]:
                taken = self.town.receiver.taken.get(delivery_id, set())
                self.must(state == "sent" and taken == {body}, f"{tale}: {kind} is {state}, {len(taken)} texts were taken")

    def check_all(self):
        for check in (self.check_words, self.check_answers, self.check_reports, self.check_origins, self.check_deliveries):
            check()
        schemas.check_all(self.house.observer.find(lambda e: True))
        proof = self.house.cli("ledger", "verify", "--kafka", "--jwks", str(self.house.folder / "countersign.jwks"), check=False)
        self.must(proof.returncode == 0, f"ledger verify: {proof.stdout}{proof.stderr}")
        self.problems += history.violations(self.house)

    def go(self):
        try:
            self.live()
            self.drain()
            self.check_all()
        except Exception as failure:
            self.problems.append("".join(traceback.format_exception_only(failure)).strip())
        self.problems = self.fates.problems + self.problems
        return self

    # -------------------------------------------------------- telling it

    def faults(self):
        return collections.Counter(f"{'service' if b.target in SERVICES else b.target} {b.kind}" for b in self.blows)

    def line(self):
        outcome = "ok" if not self.problems else f"FAILED ({len(self.problems)})"
        return f"seed {self.seed}: {outcome}, {len(self.tales)} tales, {sum(len(t.steps) for t in self.tales)} records, " \
               f"{len(self.blows)} faults, quiet {self.drained:.1f} s after the last, {time.monotonic() - self.began:.1f} s in all"

    def report(self):
        """For a person: what was drawn, what happened when, what is wrong."""
        lines = [self.line(), "drawn:"] + [f"  {b}" for b in self.blows] + ["happened:"]
        lines += [f"  {at:6.2f}  {target}: {text}" for at, target, text in sorted(self.fates.story)]
        return "\n".join(lines + ["wrong:"] + [f"  {p}" for p in self.problems[:40]])


# ------------------------------------------------------------ many seeds

def keep(run):
    """The report of every seed, and the logs of one that failed, stay where they are found again."""
    folder = ROOT / "build" / "chaos" / f"seed-{run.seed}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "report").write_text(run.report() + "\n")
    for log in run.house.folder.glob("*.log") if run.problems else ():
        shutil.copy(log, folder)
    return folder


def series(seeds, say=print, until=None):
    """Runs the seeds in order, those that there is time for until that moment; returns the runs."""
    runs, town = [], None
    try:
        for seed in seeds:
            if until is not None and runs and time.monotonic() + max(r.took for r in runs) > until:
                break
            began = time.monotonic()
            if town is None:
                town, lived = Town(), 0
            runs.append(Run(town, seed).go())
            lived += 1
            folder = keep(runs[-1])
            say(f"{runs[-1].report()}\nkept in {folder}" if runs[-1].problems else runs[-1].line())
            if runs[-1].problems or lived == SEEDS_OF_A_TOWN:
                last, town = town, None
                last.close()
                shutil.rmtree(last.house.folder, ignore_errors=True)
            runs[-1].took = time.monotonic() - began
    finally:
        if town:
            town.close()
            shutil.rmtree(town.house.folder, ignore_errors=True)
    return runs


def summary(runs):
    faults = sum((run.faults() for run in runs), collections.Counter())
    failed = [run.seed for run in runs if run.problems]
    return f"{len(runs)} seeds, {sum(len(r.tales) for r in runs)} tales, {sum(len(t.steps) for r in runs for t in r.tales)} records, " \
           f"{sum(faults.values())} faults ({', '.join(f'{kind} {n}' for kind, n in sorted(faults.items()))}), " \
           f"violations {sum(len(r.problems) for r in runs)}" + (f", failed seeds {failed}" if failed else "")


def main():
    count, first = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    runs = series(range(first, first + count), say=lambda text: print(text, flush=True))
    print(summary(runs))
    return any(run.problems for run in runs)


if __name__ == "__main__":
    sys.exit(main())
