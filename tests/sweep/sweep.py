# SPDX-License-Identifier: Apache-2.0
"""The kill sweep: a service dies at its n-th call across its border, is started again, and everything still ends right, once.

A street is one house for many points. Each point has a round of requests of its own, over every road, and only the swept
service is killed. `make sweep` goes through all points of all services; test_sweep.py takes some, test_rows.py the named ones.
"""
import argparse
import base64
import collections
import concurrent.futures
import contextlib
import http.server
import itertools
import json
import os
import pathlib
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "walk"))

from house import ASAN, BOOTSTRAP, OWNER_URI, ROOT, SERVICES, STATE, House, digest_of, execution_of, now, policy, rfc3339  # noqa: E402
import history  # noqa: E402
import schemas  # noqa: E402

PRELOAD = ROOT / os.environ.get("B", "build") / "tests/sweep/preload.so"
# Dying before any other call is dying after the one before it: nothing goes on meanwhile. What these leave behind does.
TWO_SIDED = ("produce", "commit", "perform", "spawn")
STARTING = ("send prepare", "send describe", "answer prepare", "sync describe")  # nothing but these, in the order in which they are written
PATIENCE = 40


class Receiver:
    """Takes webhooks. The path /flaky refuses each message once."""

    def __init__(self):
        self.calls, self.lock = collections.defaultdict(list), threading.Lock()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                with receiver.lock:
                    calls = receiver.calls[self.headers["webhook-id"]]
                    calls.append(body)
                    status = 500 if self.path == "/flaky" and len(calls) == 1 else 204
                self.send_response(status)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads, block_on_close = True, False

            def handle_error(self, *_):
                pass  # callers die in the middle

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


PROGRAM = """#!/bin/sh
file=$(mktemp "$1/XXXXXXXX") && cat >"$file" && mv "$file" "$file.json"
"""


def street_policy():
    document = policy()
    document["approvals"]["brief"]["ttl"] = "1s"
    document["classes"][0]["valid_for"] = "1s"
    document["limits"] = [{"id": "one", "match": {"targets": ["one-*"]}, "key": ["target"], "count": {"max": 1, "per": "1h"}, "exceeded": "BLOCK"},
                          {"id": "pairs", "match": {"actions": ["credential.rotate"]}, "key": ["agent_id"], "count": {"max": 1_000_000, "per": "1h"}, "exceeded": "BLOCK"}]
    document["limits"] += [{**document["limits"][1], "id": "asked", "match": {"actions": ["deployment.production"]}, "count_on": "decision"},
                           {**document["limits"][1], "id": "runs", "match": {"actions": ["deployment.staging"], "targets": ["customer-api"]}, "count_on": "execution",
                            "release_on_failure": True}]
    return document


class Round:
    """Requests over every road, and what must come of each. `tag` makes their ids its own."""

    def __init__(self, house, tag):
        self.house, self.tag = house, tag
        self.expected = collections.Counter()
        self.digests = {}
        self.steps = [(None, self.ask)]

    def id(self, kind):
        return f"{self.tag}-{kind}"

    def must(self, kind, words=(), verdict=None, state=None, **facts):
        request_id = self.id(kind)
        self.expected.update([("request", request_id)] * bool(words))
        self.expected.update(("word", request_id, n, word) for n, word in enumerate(words))
        self.expected.update(("status", request_id, word) for word in words)
        self.expected.update([("decision", request_id, 0, verdict)] if verdict else [])
        if state:
            groups = ["pair"] if kind == "pair" else ["release-managers"]
            self.expected.update([("approval", request_id, state)])
            self.expected.update([("decision", request_id, 1, verdict)] if state in ("APPROVED", "REVOKED") else [])  # again, at the last vote
            told = [("hook", "approval.opened"), ("hook", "approval.closed")] + [("hook", "approval.revoked")] * (state == "REVOKED")
            told += [("program", "approval.opened"), ("flaky", "approval.opened")] if groups == ["pair"] else []
            self.expected.update(("delivery", request_id, target, what, "sent") for target, what in told)
        for name, values in facts.items():
            self.expected.update((name, request_id, *((value,) if isinstance(value, str) else value)) for value in values)

    # ------------------------------------------------------------ what is said

    def request(self, kind, action, send=True, times=1, key=None, **members):
        request = {"request_id": self.id(kind), "agent_id": "coding-agent-production", "action": action, "target": "customer-api",
                   "context": {"environment": "production", "tests_passed": True}, "execution": execution_of(self.id(kind)), **members}
        self.digests[kind] = digest_of(request)
        for _ in range(times if send else 0):
            self.house.publish("requests", request, key=key or self.id(kind), flush=False)
        return request

    def vote(self, kind, person, verdict="approve", times=1, **members):
        response_id = f"{self.id(kind)}-{person}-{next(self.numbers)}"
        response = {"response_id": response_id, "tenant": "default", "request_id": self.id(kind), "verdict": verdict,
                    "responder": person, "issued_at": rfc3339(now()), "request_digest": self.digests[kind]}
        raw = json.dumps(response).encode()
        headers = [] if members.get("unsigned") else [("signature", self.house.keys[person].detached(raw).encode())]
        for _ in range(times):
            self.house.publish("responses", raw, key=self.id(kind), headers=headers, flush=False)

    def report(self, kind, *statuses, times=1, name=None, signed=False):
        for n, status in enumerate(statuses):
            outcome = {"outcome_id": name or f"{self.id(kind)}-{n}", "tenant": "default", "request_id": self.id(kind), "status": status,
                       "request_digest": self.digests[kind], "reported_by": "deployer", "occurred_at": "2026-11-30T09:00:00Z", **({"issued_at": rfc3339(now())} if signed else {})}
            raw = json.dumps(outcome).encode()
            headers = [("signature", self.house.keys["payer"].detached(raw, typ="countersign-outcome").encode())] if signed else []
            for _ in range(times):
                self.house.publish("outcomes", raw, key=self.id(kind), headers=headers, flush=False)

    numbers = itertools.count()

    # ------------------------------------------------------------ the roads

    def ask(self):
        """What comes before its request, and the requests."""
        early, known = self.request("early", "deployment.production", send=False), self.request("known", "deployment.staging", send=False)
        self.request("never", "deployment.production", send=False)
        self.vote("early", "alice")
        self.vote("never", "alice")
        self.report("known", "started")
        self.report("never", "started")
        allow = self.request("allow", "deployment.staging", times=3)
        self.house.publish("requests", {**allow, "target": "other"}, key=self.id("allow"), flush=False)
        self.request("twice", "deployment.staging")
        for kind in ("fail", "contest"):
            self.request(kind, "deployment.staging", agent_id="payer")
        self.request("silent", "logs.read")
        for kind in ("one", "more"):  # one partition, and what the first uses is all that there is
            self.request(kind, "deployment.staging", key=self.id("one"), target=f"one-{self.tag}")
        self.hold("held")
        self.request("held", "deployment.staging", target=f"held-{self.tag}")
        self.request("kept", "deployment.production", target=f"kept-{self.tag}")
        self.request("block", "data.export")
        self.house.publish("requests", {"request_id": self.id("bad"), "nonsense": 1}, key=self.id("bad"), flush=False)
        self.house.publish("requests", b"{", key=self.id("garbage"), flush=False)
        for kind in ("approve", "deny", "refuse"):
            self.request(kind, "deployment.production")
        for kind in ("late1", "late2", "late3"):
            self.request(kind, "deployment.brief")
        self.request("pair", "credential.rotate")
        for kind in ("withdraw", "revoke"):
            self.request(kind, "deployment.production", agent_id="payer")
        self.flush()
        self.must("allow", ["GRANTED"], "ALLOW", use=["runs"], outcome=[("started", "authorized"), ("succeeded", "authorized")],
                  quarantine=["id_conflict", "id_conflict"])
        self.must("twice", ["GRANTED"], "ALLOW", use=["runs"], outcome=[("started", "authorized"), ("started", "executed_twice")], incident=["executed_twice"])
        self.must("fail", ["GRANTED"], "ALLOW", use=["runs back"], outcome=[("started", "authorized"), ("failed", "authorized")])
        self.must("contest", ["GRANTED"], "ALLOW", use=["runs"], outcome=[("failed", "authorized"), ("succeeded", "executed_twice")], incident=["executed_twice"])
        self.must("one", ["GRANTED"], "ALLOW", use=["one"])
        self.must("more", ["DENIED"], "BLOCK")
        self.must("held", ["PENDING", "GRANTED"], "ALLOW")
        self.expected["decision", self.id("held"), 1, "ALLOW"] += 1  # again, once it was held no more
        self.must("kept", ["PENDING", "GRANTED"], "REQUIRE_APPROVAL", "APPROVED", use=["asked"], vote=[("alice", "approve", "counted")])
        self.must("block", ["DENIED"], "BLOCK", outcome=[("succeeded", "executed_after_denial")], incident=["executed_after_denial"])
        self.must("bad", ["DENIED"], "BLOCK", quarantine=["unknown_field"])
        self.must("garbage", ["DENIED"], "BLOCK", quarantine=["syntax"])
        self.must("approve", ["PENDING", "GRANTED"], "REQUIRE_APPROVAL", "APPROVED", use=["asked"], vote=[("alice", "approve", "counted")],
                  outcome=[("succeeded", "authorized")])
        self.must("deny", ["PENDING", "DENIED"], "REQUIRE_APPROVAL", "DENIED", vote=[("alice", "deny", "counted")], quarantine=["signature_missing"])
        self.must("refuse", ["PENDING", "GRANTED"], "REQUIRE_APPROVAL", "APPROVED", use=["asked"],
                  vote=[("mallory", "approve", "not_a_member"), ("bob", "approve", "counted"), ("alice", "approve", "already_decided")])
        self.expected.update(("delivery", self.id(kind), "hook", f"approval.outcome.{self.id(kind)}-0", "sent") for kind in ("approve", "revoke"))
        for kind in ("late1", "late2", "late3"):
            self.must(kind, ["PENDING", "EXPIRED"], "REQUIRE_APPROVAL", "EXPIRED")
        self.must("pair", ["PENDING", "GRANTED"], "REQUIRE_APPROVAL", "APPROVED", use=["pairs"],
                  vote=[("pia", "approve", "counted"), ("pia", "approve", "repeated"), ("paul", "approve", "counted")])
        self.must("withdraw", ["PENDING", "CANCELLED"], "REQUIRE_APPROVAL", "CANCELLED",
                  vote=[("payer", "withdraw", "counted"), ("alice", "approve", "already_decided")])
        self.must("revoke", ["PENDING", "GRANTED", "REVOKED"], "REQUIRE_APPROVAL", "REVOKED", use=["asked"],
                  vote=[("alice", "approve", "counted"), ("bob", "revoke", "not_an_approver"), ("alice", "revoke", "counted")],
                  outcome=[("started", "executed_after_revocation")], incident=["executed_after_revocation"])
        self.must("early", ["PENDING", "GRANTED"], "REQUIRE_APPROVAL", "APPROVED", use=["asked"], vote=[("alice", "approve", "counted")])
        self.must("known", ["GRANTED"], "ALLOW", use=["runs"], outcome=[("started", "authorized")])
        self.must("never", outcome=[("started", "executed_without_authorization")], incident=["executed_without_authorization"],
                  quarantine=["request_unknown"])
        asked = [self.id(kind) for kind in ("approve", "deny", "refuse", "pair", "late1", "late2", "late3", "withdraw", "revoke")]
        self.steps = [
            (lambda: self.stored("approval", asked) == 9, self.answer),
            (lambda: self.stored("shelf", [self.id("early")]) == 1, lambda: self.publish("requests", early)),
            (lambda: self.stored("shelf", [self.id("known")]) == 1, lambda: self.publish("requests", known)),
            (lambda: self.stored("shelf", [self.id("never")]) == 2, self.give_up),
            (lambda: self.stored("held_request", [self.id("held")]) == 1, lambda: self.lift("held")),
            (lambda: self.stored("approval", [self.id("kept")]) == 1, self.keep),
            (lambda: self.stored("authorization_status", [self.id(k) for k in ("allow", "twice", "block", "fail", "contest")], "final") == 5, self.act)]

    def answer(self):
        self.vote("approve", "alice", times=2)
        self.vote("deny", "mallory", unsigned=True)
        self.vote("deny", "alice", "deny")
        for person in ("mallory", "bob", "alice"):
            self.vote("refuse", person)
        for person in ("pia", "pia", "paul"):
            self.vote("pair", person)
        self.vote("withdraw", "payer", "withdraw", times=2)
        self.vote("withdraw", "alice")
        self.vote("revoke", "alice")
        self.vote("revoke", "bob", "revoke")
        self.vote("revoke", "alice", "revoke", times=2)
        self.flush()
        self.steps.append((lambda: self.stored("authorization_status", [self.id("revoke")], "status = 'REVOKED'") == 1,
                           lambda: (self.report("revoke", "started"), self.flush())))
        self.steps.append((lambda: self.stored("authorization_status", [self.id("approve")], "final") == 1,
                           lambda: (self.report("approve", "succeeded", times=2), self.flush())))

    def act(self):
        self.report("allow", "started", "succeeded", times=2)
        self.report("allow", "failed", name=f"{self.id('allow')}-1")
        self.report("twice", "started", "started")
        self.report("block", "succeeded")
        self.report("fail", "started", "failed", times=2, signed=True)
        self.report("contest", "failed", times=2, signed=True)
        self.report("contest", "succeeded", name=f"{self.id('contest')}-1")
        self.flush()

    def give_up(self):
        """The time that a record may wait on the shelf passes."""
        self.house.db.execute("UPDATE shelf SET shelved_at = shelved_at - interval '1 hour' WHERE request_id = %s", (self.id("never"),))

    def hold(self, kind):
        self.house.db.execute("INSERT INTO hold (target, refuses, reason, added_by) VALUES (%s, false, 'sweep', 'sweep')", (f"{kind}-{self.tag}",))

    def lift(self, kind):
        self.house.db.execute("UPDATE hold SET lifted_by = 'sweep' WHERE target = %s", (f"{kind}-{self.tag}",))

    def keep(self):
        """The last vote comes under a hold."""
        self.hold("kept")
        self.vote("kept", "alice")
        self.flush()
        self.steps.append((lambda: self.stored("approval", [self.id("kept")], "held_by IS NOT NULL") == 1, lambda: self.lift("kept")))

    def publish(self, topic, value):
        self.house.publish(topic, value, key=value["request_id"])

    def flush(self):
        assert self.house.producer.flush(30) == 0

    def stored(self, table, ids, condition="true"):
        return self.house.one(f"SELECT count(*) FROM {table} WHERE request_id = ANY (%s) AND {condition}", ids)

    # ------------------------------------------------------------ what came of it

    QUERY = """
        SELECT 'request', request_id, NULL, NULL, NULL, NULL FROM request WHERE request_id = ANY (%(ids)s)
        UNION ALL SELECT 'word', key, (row_number() OVER (PARTITION BY key ORDER BY sequence) - 1)::text,
               convert_from(payload, 'UTF8')::jsonb->>'status', NULL, NULL
          FROM ledger_event WHERE key = ANY (%(ids)s) AND topic = 'authorizations'
        UNION ALL SELECT 'status', request_id, status, NULL, NULL, NULL FROM authorization_status WHERE request_id = ANY (%(ids)s)
        UNION ALL SELECT 'decision', request_id, n::text, verdict, NULL, NULL FROM decision WHERE request_id = ANY (%(ids)s)
        UNION ALL SELECT 'approval', request_id, state, NULL, NULL, NULL FROM approval WHERE request_id = ANY (%(ids)s)
        UNION ALL SELECT 'vote', request_id, responder, verdict, result, NULL FROM response WHERE request_id = ANY (%(ids)s)
        UNION ALL SELECT 'outcome', request_id, status, judgement, NULL, NULL FROM outcome WHERE request_id = ANY (%(ids)s)
        UNION ALL SELECT 'incident', request_id, kind, NULL, NULL, NULL FROM incident WHERE request_id = ANY (%(ids)s)
        UNION ALL SELECT 'quarantine', request_id, code, NULL, NULL, NULL FROM quarantine WHERE request_id = ANY (%(ids)s)
        UNION ALL SELECT 'use', request_id, limit_id || CASE WHEN released_at IS NOT NULL THEN ' back' WHEN limit_use.held_until IS NULL THEN '' ELSE ' held' END, NULL, NULL, NULL
          FROM limit_use JOIN limit_counter USING (counter) WHERE request_id = ANY (%(ids)s)
        UNION ALL SELECT 'shelf', request_id, NULL, NULL, NULL, NULL FROM shelf WHERE request_id = ANY (%(ids)s)
        UNION ALL SELECT 'delivery', request_id, target, kind, state, NULL FROM delivery WHERE request_id = ANY (%(ids)s)"""

    def found(self):
        ids = sorted({fact[1] for fact in self.expected})
        rows = self.house.db.execute(self.QUERY, {"ids": ids}).fetchall()
        return collections.Counter(tuple(int(v) if i == 2 and v.isdigit() else v for i, v in enumerate(row) if v is not None) for row in rows)

    def advance(self):
        """Takes every step whose time has come."""
        for step in list(self.steps):
            if step[0] is None or step[0]():
                self.steps.remove(step)
                step[1]()


class Point:
    """Where a service died, and what was wrong afterwards."""

    def __init__(self, service, tag, call, lost=(), doubled=()):
        self.service, self.tag, self.call = service, tag, call  # call: "killed 12 after sync store_commit", or "" when it lived
        self.lost, self.doubled = list(lost), list(doubled)
        _, _, self.side, self.name = call.split(" ", 3) if call else ("", "", "", "")
        self.side = "after" if self.side == "at" else self.side

    def __str__(self):
        wrong = "".join(f"\n  {what}: {item}" for what in ("lost", "doubled") for item in getattr(self, what)[:12])
        return f"{self.service} {self.tag}: {self.call or 'not killed'}{wrong}"


class Street:
    def __init__(self):
        if not BOOTSTRAP or not OWNER_URI:
            raise SystemExit("no servers: run `make sweep`, or deploy/dev/with-servers COMMAND")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="countersign-sweep-"))
        self.receiver, self.rounds, self.numbers = Receiver(), [], itertools.count(1)
        (self.folder / "program").write_text(PROGRAM)
        (self.folder / "program").chmod(0o755)
        (self.folder / "cards").mkdir()
        (self.folder / "secret").write_text("whsec_" + base64.b64encode(secrets.token_bytes(32)).decode() + "\n")
        (self.folder / "secret").chmod(0o600)
        hook = {"channel": "webhook", "secret_file": str(self.folder / "secret"), "allow_http": True}
        (self.folder / "targets.json").write_text(json.dumps({"targets": [
            {"name": "hook", "url": self.receiver.url + "/hook", "events": ["opened", "closed", "outcome"], **hook},
            {"name": "flaky", "url": self.receiver.url + "/flaky", "groups": ["pair"], "events": ["opened"], **hook},
            {"name": "program", "channel": "command", "groups": ["pair"], "events": ["opened"],
             "argv": [str(self.folder / "program"), str(self.folder / "cards")]}]}))
        member = {"quarantine.keep": "1s"}
        self.house = House(policy=street_policy(), partitions=2, settings={
            # a member that comes back under its name need not wait until the group has missed it
            **{service: {**member, "kafka.group.instance.id": service} for service in SERVICES if service != "relay"},
            "relay": {"relay.lease": "3s"},
            "recorder": {**member, "kafka.group.instance.id": "recorder", "recorder.report_within": "1s"},
            "notifier": {**member, "kafka.group.instance.id": "notifier", "notifier.targets_file": str(self.folder / "targets.json"),
                         "webhook.allow_private": "127.0.0.1/32", "webhook.ports": "any", "webhook.timeout": "1s",
                         "command.timeout": "1s", "delivery.backoff": "50ms", "delivery.lease": "100ms"}})
        for person, group in (("alice", "release-managers"), ("bob", "release-managers"), ("pia", "pair"), ("paul", "pair")):
            self.house.person(person, group)
        self.house.person("mallory")
        self.house.agent("payer")

    # ------------------------------------------------------------ a point

    def arm(self, service, at, side="after", path=""):
        """Starts the service so that it dies at a call; at 0 it lives."""
        if service in self.house.processes:
            self.house.kill(service)
            self.run_out(service)
        self.report = self.folder / f"calls-{next(self.numbers)}"
        self.report.touch()
        self.house.start(service, wait=False, env={**ASAN, "LD_PRELOAD": str(PRELOAD), "SWEEP_REPORT": str(self.report), "SWEEP_AT": str(at),
                                                   "SWEEP_SIDE": side, "SWEEP_PATH": path})

    def run_out(self, service):
        """What a dead process had leased is given up only in time; that time passes."""
        if service == "relay":
            self.house.db.execute("UPDATE relay_position SET lease_until = clock_timestamp()")
        if service == "notifier":
            self.house.db.execute("UPDATE delivery SET lease_until = clock_timestamp() WHERE lease_until > clock_timestamp()")

    def calls(self):
        """The numbered calls of the armed process."""
        lines = (line.split(" ", 1) for line in self.report.read_text().splitlines())
        return [name for number, name in lines if number.isdigit()]

    def killed(self):
        """Where it was; another thread may have got a word in before it was over."""
        return next((line for line in self.report.read_text().splitlines() if line.startswith("killed")), "")

    def died(self, service):
        process = self.house.processes[service]
        if process.poll() is None:
            return False
        assert process.returncode == -signal.SIGKILL and self.killed(), f"{service} ended with {process.returncode}: {self.house.log(service)[-2000:]}"
        return True

    def revive(self, service):
        self.house.processes.pop(service)
        self.run_out(service)
        self.house.start(service, wait=False)

    def start_only(self, service, at, side):
        """A point before the service is ready; None when it got ready."""
        self.arm(service, at, side)
        ready = False
        while not ready and not self.died(service):
            ready = self.is_ready(service)
        if ready:
            return None
        self.house.processes.pop(service)
        return Point(service, "start", self.killed())

    def is_ready(self, service):
        try:
            self.house.wait_ready(service, timeout=0.06)
            return True
        except AssertionError:
            return False

    def point(self, service, at, side="after", path="", kind=Round):
        """A round during which the service dies at that call and comes back."""
        one = kind(self.house, f"{service}-{at or 'x'}{side[0]}-{next(self.numbers)}")
        self.arm(service, at, side, path)
        self.rounds.append(one)
        revived, deadline, (lost, doubled) = False, time.monotonic() + PATIENCE, ([1], [])
        said, said_at, wait = 0, time.monotonic(), 5 if path else 0.3  # how long after its last call one that lives is believed
        while time.monotonic() < deadline and (lost or doubled or at and not revived and time.monotonic() < said_at + wait):
            time.sleep(0.02)
            if not revived and self.died(service):
                self.revive(service)
                revived = True
            if self.report.stat().st_size > said:
                said, said_at = self.report.stat().st_size, time.monotonic()
            one.advance()
            found = one.found()
            lost, doubled = self.compare(one.expected, found)
            if not one.steps and not lost and not doubled:
                lost, doubled = self.seen(one)
            elif one.steps:
                lost = lost or ["steps"]
        return Point(service, one.tag, self.killed(), lost, doubled)

    def rest(self, service):
        """The next point is another service's."""
        self.house.kill(service)
        self.run_out(service)
        self.house.start(service)

    @staticmethod
    def compare(expected, found):
        return sorted(map(str, (expected - found).elements())), sorted(map(str, (found - expected).elements()))

    def seen(self, one):
        """What is recorded of this round was said as well: on the topics, to the receiver and to the program."""
        ids = sorted({fact[1] for fact in one.expected})
        events = self.house.sql("SELECT event_id::text, topic, payload FROM ledger_event WHERE key = ANY (%s)", ids)
        sent = self.house.sql("SELECT delivery_id::text, target, body FROM delivery WHERE request_id = ANY (%s)", ids)
        lost, doubled = [], []
        for event_id, topic, payload in events:
            there = self.house.observer.seen_ids.get(event_id, [])
            if not there:
                lost.append(f"event {event_id} on {topic}")
            if any(e.raw != payload or e.topic != topic for e in there):
                doubled.append(f"event {event_id} on {topic} with another text")
            if len(there) > 1 and not one.tag.startswith("relay"):
                doubled.append(f"event {event_id} on {topic}, and the relay was not killed")
        cards = self.cards()
        for delivery_id, target, body in sent:
            calls = cards[delivery_id] if target == "program" else self.receiver.calls.get(delivery_id, [])
            if not calls:
                lost.append(f"delivery {delivery_id} to {target}")
            if any(call != body for call in calls):
                doubled.append(f"delivery {delivery_id} to {target} with another text")
        return lost, doubled

    def cards(self):
        """What the program was given, by delivery. Of a notifier that dies while it writes it gets a part, which is no JSON."""
        cards = collections.defaultdict(list)
        for path in (self.folder / "cards").glob("*.json"):
            with contextlib.suppress(ValueError):
                card = path.read_bytes()
                cards[json.loads(card)["data"]["delivery_id"]].append(card)
        return cards

    # ------------------------------------------------------------ all of it

    def late(self):
        """What comes of a round only when the recorder looks for it: a grant that nobody reported on, once."""
        if "recorder" in self.house.processes:
            self.house.kill("recorder")
        time.sleep(2)
        for service in SERVICES:
            if service not in self.house.processes:
                self.house.start(service)
        silent = [one.id("silent") for one in self.rounds if "silent" in one.digests]
        query = "SELECT request_id, kind FROM incident WHERE request_id = ANY (%s) ORDER BY 1"
        self.house.eventually(query, silent, expected=sorted((i, "authorized_never_reported") for i in silent), timeout=PATIENCE)

    def check(self):
        """Everything of all rounds again, the ledger, and the history."""
        self.late()
        self.house.quiet()
        for one in self.rounds:
            lost, doubled = self.compare(one.expected, one.found())
            assert not lost and not doubled, f"{one.tag}: in the end lost {lost}, doubled {doubled}"
        known = {d for d, in self.house.sql("SELECT delivery_id::text FROM delivery")}
        assert set(self.receiver.calls) <= known, "a message that was never recorded"
        schemas.check_all(self.house.observer.events)
        proof = self.house.cli("ledger", "verify", "--kafka", "--jwks", str(self.house.folder / "countersign.jwks"), check=False)
        assert proof.returncode == 0, proof.stdout + proof.stderr
        history.check(self.house)

    def close(self, keep=False):
        self.house.close()
        self.receiver.close()
        if not keep:
            shutil.rmtree(self.folder, ignore_errors=True)
            shutil.rmtree(self.house.folder, ignore_errors=True)


def sides(name):
    return ("after", "before") if name.startswith(TWO_SIDED) else ("after",)


def numbered(street, service, first=1, count=None):
    """A service's points by number, from its first call on until it lives through two rounds."""
    starting, lived, n = first == 1, 0, first
    while lived < 2 and (count is None or n < first + count):
        for side in ("after", "before"):
            point = street.start_only(service, n, side) if starting else street.point(service, n, side)
            if point is None:
                starting, point = False, street.point(service, n, side)
            yield f"FROM={n} COUNT=1", point
            if side not in sides(point.name):
                break
        lived = 0 if point.call else lived + 1
        n += 1


def points(street, service, first, count, call):
    """By number; and since no round is quite like the last one, by name what no number has met."""
    met, names = set(), {call} if call else set()
    for how, point in () if call else numbered(street, service, first, count):
        met.add((point.side, point.name))
        names.update(name for name in street.calls() if not name.startswith(STARTING))
        yield how, point
    for name in sorted(names if call or count is None else ()):
        for side in sides(name):
            if (side, name) not in met:
                yield f"CALL='{name}'", street.point(service, 1, side, name)
    yield "", street.point(service, 0)


def sweep(service, first, count, call):
    """One service in a house of its own. Says what was hit, and what was wrong."""
    began, hit, kinds = time.monotonic(), collections.Counter(), collections.Counter()
    lost = doubled = 0
    street = Street()
    good = False
    try:
        for how, point in points(street, service, first, count, call):
            kinds["while starting" if point.tag == "start" else how.split("=")[0] if point.call else "without a kill"] += 1
            lost, doubled = lost + len(point.lost), doubled + len(point.doubled)
            hit[" ".join(point.call.split()[2:])] += 1
            if point.lost or point.doubled:
                print(f"WRONG {point}\n  again: make sweep SERVICE={service} {how}", flush=True)
            elif os.environ.get("V"):
                print(point, flush=True)
        street.check()
        good = lost == doubled == 0
    finally:
        if not good:
            print(f"logs: {street.house.folder}")
        street.close(keep=not good)
    print(f"{service}: {kinds['while starting']} points while starting, {kinds['FROM']} while working, {kinds['CALL']} more by name, "
          f"{kinds['without a kill']} rounds without a kill; lost {lost}, doubled {doubled}; {time.monotonic() - began:.0f} s")
    for crossing, times in sorted(hit.items()):
        if crossing:
            print(f"    {times:4} {crossing}")
    return good


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--service", choices=SERVICES)
    arguments.add_argument("--from", dest="first", type=int, default=1)
    arguments.add_argument("--count", type=int)
    arguments.add_argument("--call")
    arguments.add_argument("--jobs", type=int, default=3)
    given = arguments.parse_args()
    if given.service:
        return 0 if sweep(given.service, given.first, given.count, given.call) else 1

    def alone(service):
        done = subprocess.run([sys.executable, "-B", __file__, "--service", service], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        print(done.stdout, end="", flush=True)
        return done.returncode
    jobs = given.jobs if (STATE / "roles.secret").exists() else 1  # elsewhere each run gives the roles passwords of its own
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        failed = [service for service, status in zip(SERVICES, pool.map(alone, SERVICES)) if status]
    print("kill sweep:", f"failed: {' '.join(failed)}" if failed else "nothing lost, nothing doubled")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
