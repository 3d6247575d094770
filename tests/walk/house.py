# SPDX-License-Identifier: Apache-2.0
"""A whole Countersign for one story: own database, own topics, real binaries on real servers.

Verbs: publish, expect, advance (by waiting), kill, start. Needs COUNTERSIGN_KAFKA_BOOTSTRAP_SERVERS and
COUNTERSIGN_DATABASE_URI (the owner's), as deploy/dev/with-servers sets them.
"""
import base64
import contextlib
import json
import hashlib
import os
import pathlib
import secrets
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time
import urllib.parse
import urllib.request
from datetime import datetime, timedelta, timezone

import psycopg
from confluent_kafka.admin import AdminClient
from confluent_kafka import Consumer, Producer, TopicPartition, OFFSET_BEGINNING
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from pair import BOOTSTRAP, ROOT, STATE

BIN = pathlib.Path(os.environ.get("COUNTERSIGN_BIN", ROOT / "build" / "bin"))
SERVICES = ("evaluator", "resolver", "recorder", "notifier", "relay")
OUTPUTS = ("approvals", "authorizations", "incidents", "quarantine", "checkpoints", "directory")
OWNER_URI = os.environ.get("COUNTERSIGN_DATABASE_URI", "")
BARE = not {"COUNTERSIGN_WRAP", "COUNTERSIGN_BIN"} & set(os.environ)  # neither valgrind nor a sanitizer is there to need memory of its own
# for a process that is given LD_PRELOAD: the sanitizer's library does not come first then
ASAN = {"ASAN_OPTIONS": ":".join(filter(None, (os.environ.get("ASAN_OPTIONS"), "verify_asan_link_order=0")))}


def b64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def b64url_decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


_ports_given = set()


def free_port() -> int:
    """Below those that the kernel hands out, and for each lane of its own: who takes it later, or again, must find it free still."""
    for _ in range(1000):
        port = 10000 + 2500 * (os.environ.get("LANES_NAME") == "second") + secrets.randbelow(2500)
        with socket.socket() as s, contextlib.suppress(OSError):
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            s.bind(("127.0.0.1", port))
            if port not in _ports_given:
                _ports_given.add(port)
                return port
    raise AssertionError("no free port")


def rfc3339(at: datetime) -> str:
    return at.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def now() -> datetime:
    return datetime.now(timezone.utc)


def digest_of(request: dict) -> str:
    """request_digest for requests of plain ASCII strings, booleans and small integers, where RFC 8785 is plain sorted JSON."""
    parts = {"tenant": request.get("tenant", "default"), "agent_id": request["agent_id"], "action": request["action"],
             "target": request["target"], "context": request.get("context", {})}
    if "execution" in request:
        parts["execution"] = request["execution"]
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha-256:" + hashlib.sha256(text.encode()).hexdigest()


def execution_of(name: str) -> dict:
    """What would run, and nothing else would."""
    return {"kind": "argv", "digest": "sha-256:" + hashlib.sha256(name.encode()).hexdigest(), "summary": "deploy customer-api"}


def usual(request_id: str) -> dict:
    """No two would run the same: the second would be refused as long as people are asked about the first."""
    return {"request_id": request_id, "agent_id": "coding-agent-production", "action": "deployment.production", "target": "customer-api",
            "context": {"environment": "production", "tests_passed": True}, "execution": execution_of(request_id)}


class Key:
    """An Ed25519 key of a person or a bot, and the JWS that it makes."""

    def __init__(self):
        self.private = Ed25519PrivateKey.generate()
        raw = self.private.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
        self.x = b64url(raw)
        jwk = json.dumps({"crv": "Ed25519", "kty": "OKP", "x": self.x}, separators=(",", ":"))
        self.kid = b64url(hashlib.sha256(jwk.encode()).digest())

    def jwk(self) -> str:
        return json.dumps({"kty": "OKP", "crv": "Ed25519", "x": self.x})

    def pem(self) -> bytes:
        return self.private.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                                          serialization.NoEncryption())

    def detached(self, value: bytes, typ="countersign-response", alg="EdDSA", kid=None) -> str:
        header = b64url(json.dumps({"alg": alg, "kid": kid or self.kid, "typ": typ}).encode())
        return header + ".." + b64url(self.private.sign((header + "." + b64url(value)).encode()))


class Event:
    """One record as a foreign client saw it."""

    def __init__(self, message, prefix):
        self.topic = message.topic()[len(prefix):]
        self.partition, self.offset = message.partition(), message.offset()
        self.key = message.key().decode()
        self.raw = message.value()
        self.body = json.loads(self.raw)
        self.headers = {name: value.decode() for name, value in message.headers() or []}
        self.chain = int(self.headers["countersign-chain"])
        self.sequence = int(self.headers["countersign-sequence"])
        self.event_id = self.headers.get("ce_id", "")

    def __repr__(self):
        return f"<{self.topic}[{self.partition}]@{self.offset} {self.raw.decode()}>"


class Observer(threading.Thread):
    """Reads every topic that Countersign writes, from the beginning, with a client of another make."""

    def __init__(self, prefix, kafka, partitions):
        super().__init__(daemon=True)
        self.prefix, self.events, self.seen_ids = prefix, [], {}
        self.changed, self.ending = threading.Condition(), False
        self.consumer = Consumer({**kafka, "group.id": "observer-" + secrets.token_hex(6),
                                  "enable.auto.commit": False, "auto.offset.reset": "earliest",
                                  "fetch.wait.max.ms": 50, "topic.metadata.refresh.interval.ms": 5000, "log_level": 0})
        self.consumer.assign([TopicPartition(prefix + topic, p, OFFSET_BEGINNING)
                              for topic in OUTPUTS for p in range(partitions)])

    def run(self):
        while not self.ending:
            message = self.consumer.poll(0.1)
            if message is None or message.error():
                continue
            event = Event(message, self.prefix)
            with self.changed:
                self.events.append(event)
                self.seen_ids.setdefault(event.event_id, []).append(event)
                self.changed.notify_all()
        self.consumer.close()

    def find(self, predicate):
        with self.changed:
            return [e for e in self.events if predicate(e)]

    def wait(self, predicate, timeout, what="event"):
        deadline = time.monotonic() + timeout
        with self.changed:
            looked = 0
            while True:
                for event in self.events[looked:]:
                    if predicate(event):
                        return event
                looked = len(self.events)
                left = deadline - time.monotonic()
                if left <= 0:
                    raise AssertionError(f"no {what} within {timeout} s; seen: {self.events[-8:]}")
                self.changed.wait(left)

    def close(self):
        self.ending = True
        self.join(10)


_numbers = iter(range(10**9))
_role_passwords = {}


def role_password(role):
    """The same as deploy/dev/processes.sh gives it: services that `make up` left running are not locked out."""
    secret = STATE / "roles.secret"
    secret = secret.read_text() if secret.exists() else secrets.token_hex(24)
    return hashlib.sha256(f"{secret} {role}".encode()).hexdigest()[:48]


class House:
    def __init__(self, services=SERVICES, policy=None, settings=None, start=True, prefix=None, observe=True, kafka=None,
                 partitions=6, server=None):
        """kafka: how a client connects as this user (a service, agent, operator or auditor); the private broker asks nobody.
        partitions: of each topic, and chains of the ledger.
        server: the owner's URI of another PostgreSQL than the one that all stories share."""
        self.kafka = kafka or (lambda user: {"bootstrap.servers": BOOTSTRAP})
        self.partitions = partitions
        self.server = server or OWNER_URI
        self.name = f"w{os.getpid()}x{next(_numbers)}"
        self.prefix = prefix or self.name + "."
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="countersign-walk-"))
        self.settings = {name: dict(values) for name, values in (settings or {}).items()}
        self.services, self.processes, self.ports = services, {}, {}
        self.passwords, self.keys, self.said, self.allowed = {}, {}, [], set()
        self._make_database()
        self.cli("migrate")
        self._make_roles()
        self.cli("topics", "apply")
        self.cli("keys", "generate", "--out", str(self.folder / "signing.pem"))
        (self.folder / "countersign.jwks").write_text(self.cli("keys", "jwks", str(self.folder / "signing.pem")).stdout)
        self.producer = Producer({**self.kafka("agent"), "linger.ms": 2, "partitioner": "murmur2_random", "log_level": 0})
        self.observer = Observer(self.prefix, self.kafka("auditor"), partitions) if observe else None
        if observe:
            self.observer.start()
        self.db = psycopg.connect(self.owner_uri, autocommit=True)
        self.db.execute("SET search_path = countersign; SET TimeZone = 'UTC'")
        if policy is not None:
            self.activate(policy)
        if start:
            for service in services:
                self.start(service, wait=False)
            for service in services:
                self.wait_ready(service)

    # ------------------------------------------------------------ servers and processes

    def _make_database(self):
        with psycopg.connect(self.server, autocommit=True) as owner:
            owner.execute(f'CREATE DATABASE "{self.name}"')
        self.owner_uri = self.uri()

    def uri(self, user=None, password=None):
        parts = urllib.parse.urlsplit(self.server)
        at = f"{user}:{password}@{parts.hostname}:{parts.port}" if user else parts.netloc
        return urllib.parse.urlunsplit((parts.scheme, at, "/" + self.name, parts.query, ""))

    def _make_roles(self):
        """Logins for the roles that migrate made; they are the cluster's, so the passwords are set once a run."""
        for role in SERVICES + ("operator", "auditor"):
            if (self.server, role) not in _role_passwords:
                _role_passwords[self.server, role] = role_password(f"countersign_{role}")
                with psycopg.connect(self.server, autocommit=True) as owner:
                    owner.execute(f"ALTER ROLE countersign_{role} LOGIN PASSWORD '{_role_passwords[self.server, role]}'")

    def role_uri(self, role):
        return self.uri("countersign_" + role, _role_passwords[self.server, role])

    def config(self, service, instance=""):
        values = {"database.uri": self.role_uri(service), **{"kafka." + name: value for name, value in self.kafka(service).items()},
                  "topics.prefix": self.prefix, "monitor.port": str(self.ports.setdefault(service, free_port()))}
        if service in ("evaluator", "resolver", "relay"):
            values["signing.key_file"] = str(self.folder / "signing.pem")
        if service == "evaluator":  # one agent asks nearly everything here
            values.update({f"approvals.open_per_{of}": "0" for of in ("agent", "class", "group")})
        if service == "relay":
            values["relay.checkpoint_interval"] = "1s"
        values.update(self.settings.get(service, {}))
        path = self.folder / f"{service}{instance}.conf"
        path.write_text("".join(f"{k} = {v}\n" for k, v in values.items()))
        path.chmod(0o600)
        return path

    def start(self, service, instance="", wait=True, env=None):
        name = service + instance
        first = self.ports.pop(service, None) if instance else None
        path = self.config(service, instance)
        self.ports[name] = self.ports[service]
        if first:
            self.ports[service] = first  # the first one keeps its own
        log = open(self.folder / f"{name}.log", "ab")
        command = os.environ.get("COUNTERSIGN_WRAP", "").split() + [str(BIN / service), "--config", str(path)]
        self.processes[name] = subprocess.Popen(command, stderr=log, stdout=log, stdin=subprocess.DEVNULL,
                                                env={**{k: v for k, v in os.environ.items() if not k.startswith("COUNTERSIGN_")}, **(env or {})})
        log.close()
        if wait:
            self.wait_ready(name)

    def wait_ready(self, name, timeout=90):
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            if self.processes[name].poll() is not None:
                raise AssertionError(f"{name} ended with {self.processes[name].returncode}: {self.log(name)[-2000:]}")
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.ports[name]}/readyz", timeout=2):
                    return
            except OSError:
                time.sleep(0.05)
        raise AssertionError(f"{name} is not ready after {timeout} s: {self.log(name)[-2000:]}")

    def stop(self, name, sig=signal.SIGTERM, timeout=20):
        process = self.processes.pop(name)
        process.send_signal(sig)
        return process.wait(timeout)

    def kill(self, name):
        return self.stop(name, signal.SIGKILL)

    def log(self, name):
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def metrics(self, name):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.ports[name]}/metrics", timeout=5) as answer:
            lines = answer.read().decode().splitlines()
        return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in lines if line and line[0] != "#"}

    def processor_time(self, name):
        """Seconds that the process has computed."""
        fields = pathlib.Path(f"/proc/{self.processes[name].pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def cli_environment(self, role=None):
        """As `countersign` finds everything, itself included."""
        kafka = {"COUNTERSIGN_KAFKA_" + name.upper().replace(".", "_"): value for name, value in self.kafka("operator").items()}
        return {**os.environ, **kafka, "COUNTERSIGN_DATABASE_URI": self.role_uri(role) if role else self.owner_uri,
                "COUNTERSIGN_TOPICS_PREFIX": self.prefix, "COUNTERSIGN_TOPICS_REPLICATION": "1",
                "COUNTERSIGN_TOPICS_PARTITIONS": str(self.partitions), "COUNTERSIGN_LEDGER_CHAINS": str(self.partitions),
                "PATH": f"{BIN.resolve()}:{os.environ['PATH']}"}

    def cli(self, *arguments, check=True, role=None, stdin=None, settings=()):
        done = subprocess.run([str(BIN / "countersign"), *arguments, *(f"--set={s}" for s in settings)],
                              env=self.cli_environment(role), input=stdin, capture_output=True, text=True, timeout=120)
        if check and done.returncode != 0:
            raise AssertionError(f"countersign {' '.join(arguments)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    # ------------------------------------------------------------ directory and policy

    def activate(self, policy):
        """A document, or the file of one; its people may come later."""
        if isinstance(policy, pathlib.Path):
            return self.cli("policy", "activate", str(policy), "--warn", "E03")
        path = self.folder / f"policy-{policy['policy']}-{policy['version']}.json"
        path.write_text(json.dumps(policy))
        return self.cli("policy", "activate", str(path), "--warn", "E03")

    def person(self, name, *groups, tenant="default"):
        """A person with a registered key, in these groups."""
        key = Key()
        self.cli("keys", "add", "-", "--owner", name, "--tenant", tenant, stdin=key.jwk())
        for group in groups:
            self.cli("groups", "add", group, name, "--tenant", tenant)
        self.keys[name] = key
        return key

    def agent(self, name, *patterns, tenant="default"):
        """A registered key that signs requests as this agent, and as those whose ids the patterns cover."""
        key = self.keys[name] = Key()
        more = ["--agents", ",".join(patterns)] if patterns else []
        self.cli("keys", "add", "-", "--owner", name, "--agent", *more, "--tenant", tenant, stdin=key.jwk())
        return key

    # ------------------------------------------------------------ publish

    def publish(self, topic, value, key=None, headers=None, partition=None, flush=True):
        """Bytes as they are; anything else as JSON."""
        raw = value if value is None or isinstance(value, bytes) else json.dumps(value).encode()
        more = {} if partition is None else {"partition": partition}
        sent = [(name, text.encode() if isinstance(text, str) else text) for name, text in headers or []]

        def delivered(error, message):
            assert error is None, f"{message.topic()}: {error}"
            self.said.append((message.topic(), message.partition(), message.offset(), message.key(), raw, sent))
        self.producer.produce(self.prefix + topic, value=raw, key=key, headers=headers or [], on_delivery=delivered, **more)
        if flush:
            assert self.producer.flush(30) == 0
        return raw

    def ask(self, request_id=None, flush=True, **members):
        """A request of the usual kind, with what is given put over it. Returns its id."""
        request_id = request_id or "r-" + secrets.token_hex(6)
        request = {**usual(request_id), **members}
        request = {name: value for name, value in request.items() if value is not None}
        self.publish("requests", request, key=request.get("request_id"), flush=flush)
        self.last_request = request
        return request["request_id"]

    def ask_signed(self, agent, key=None, typ="countersign-request", signature=..., **members):
        """A request of the class that takes only signed ones; members are put over the usual ones, None takes one away."""
        request = {"request_id": "s-" + secrets.token_hex(6), "tenant": "default", "agent_id": agent, "action": "sealed.act",
                   "target": "vault", "context": {}, "issued_at": rfc3339(now())}
        request = {name: value for name, value in {**request, **members}.items() if value is not None}
        raw = json.dumps(request).encode()
        if signature is ...:
            signature = (key or self.keys[agent]).detached(raw, typ=typ)
        self.publish("requests", raw, key=request.get("request_id"), headers=[("signature", signature)])
        self.last_request = request
        return request.get("request_id")

    def answer(self, request_id, person, verdict="approve", digest=None, key=None, signature=..., headers=None, raw=None,
               flush=True, **members):
        """A signed response; members are put over the usual ones, None takes one away."""
        key = key or self.keys.get(person)
        response = {"response_id": "a-" + secrets.token_hex(6), "tenant": "default", "request_id": request_id,
                    "verdict": verdict, "responder": person, "issued_at": rfc3339(now()),
                    "request_digest": digest or self.digest(request_id, members.get("tenant", "default"))}
        response.update(members)
        response = {name: value for name, value in response.items() if value is not None}
        raw = raw if raw is not None else json.dumps(response).encode()
        if signature is ...:
            signature = key.detached(raw)
        all_headers = list(headers or []) + ([("signature", signature.encode())] if signature is not None else [])
        self.publish("responses", raw, key=request_id, headers=all_headers, flush=flush)
        return response["response_id"] if "response_id" in response else None

    def delete_records(self, topic, partition, before):
        """Deletes what lies before an offset. Spoken by hand, for the Python client has no such call: DeleteRecords v1."""
        def text(value):
            return struct.pack(f">h{len(value)}s", len(value), value.encode())
        body = struct.pack(">hhi", 21, 1, 1) + text("walk") + struct.pack(">i", 1) + text(self.prefix + topic) + \
            struct.pack(">iiqi", 1, partition, before, 10000)
        host, _, port = BOOTSTRAP.split(",")[0].rpartition(":")
        with socket.create_connection((host, int(port)), timeout=15) as broker, broker.makefile("rb") as answer:
            broker.sendall(struct.pack(">i", len(body)) + body)
            size, = struct.unpack(">i", answer.read(4))
            low, error = struct.unpack(">qh", answer.read(size)[-10:])
        assert (low, error) == (before, 0), f"DeleteRecords: error {error}, the log begins at {low}"

    def report(self, request_id, status, digest=None, flush=True, key=None, typ="countersign-outcome", signature=..., **members):
        """An outcome, signed if there is a key; members are put over the usual ones, None takes one away."""
        outcome = {"outcome_id": "o-" + secrets.token_hex(6), "tenant": "default", "request_id": request_id,
                   "status": status, "request_digest": digest or self.digest(request_id), "reported_by": "deployer",
                   "occurred_at": rfc3339(now()), **({"issued_at": rfc3339(now())} if key else {})}
        outcome.update(members)
        raw = json.dumps({name: value for name, value in outcome.items() if value is not None}).encode()
        if signature is ...:
            signature = key.detached(raw, typ=typ) if key else None
        self.publish("outcomes", raw, key=request_id, flush=flush, headers=[("signature", signature)] if key or signature else None)
        return outcome["outcome_id"]

    # ------------------------------------------------------------ expect

    def sql(self, query, *parameters):
        try:
            return self.db.execute(query, parameters).fetchall()
        except psycopg.OperationalError:
            if not self.db.closed:
                raise
            self.reconnect()  # another story restarted the database
            return self.db.execute(query, parameters).fetchall()

    def one(self, query, *parameters):
        rows = self.sql(query, *parameters)
        assert len(rows) == 1, f"{len(rows)} rows: {query}"
        return rows[0][0] if len(rows[0]) == 1 else rows[0]

    def eventually(self, query, *parameters, expected, timeout=60):
        deadline = time.monotonic() + timeout
        while True:
            rows = self.sql(query, *parameters)
            if rows == expected:
                return
            if time.monotonic() > deadline:
                raise AssertionError(f"{query} {parameters}: {rows}, expected {expected}")
            time.sleep(0.05)

    def digest(self, request_id, tenant="default"):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            rows = self.sql("SELECT request_digest FROM request WHERE tenant = %s AND request_id = %s", tenant, request_id)
            if rows:
                return rows[0][0]
            time.sleep(0.02)
        raise AssertionError(f"request {request_id} was not stored")

    def expect(self, topic, key, timeout=60, **members):
        """The first event on a topic for a key whose body has these members."""
        return self.observer.wait(
            lambda e: e.topic == topic and e.key == key and all(e.body.get(n) == v for n, v in members.items()),
            timeout, f"{topic} event of {key} with {members}")

    def word(self, key, status, timeout=60):
        """The word with this status on a request; a final one has a token that holds and says the same."""
        event = self.expect("authorizations", key, timeout, status=status)
        if status != "PENDING":
            self.check_token(event)
        return event

    def words(self, key):
        """Statuses on a key, each event id once, by sequence."""
        found = {e.event_id: e for e in self.observer.find(lambda e: e.topic == "authorizations" and e.key == key)}
        return [e.body["status"] for e in sorted(found.values(), key=lambda e: e.sequence)]

    def all_words(self):
        """The same for every key at once."""
        found, words = {}, {}
        for event in self.observer.find(lambda e: e.topic == "authorizations"):
            found[event.event_id] = event
        for event in sorted(found.values(), key=lambda e: e.sequence):
            words.setdefault(event.key, []).append(event.body["status"])
        return words

    def check_token(self, event):
        header, payload, signature = event.body["token"].split(".")
        keys = {k["kid"]: k for k in json.loads((self.folder / "countersign.jwks").read_text())["keys"]}
        head, claims = json.loads(b64url_decode(header)), json.loads(b64url_decode(payload))
        assert head["typ"] == "countersign-authorization+jwt" and head["alg"] == "EdDSA"
        public = Ed25519PublicKey.from_public_bytes(b64url_decode(keys[head["kid"]]["x"]))
        public.verify(b64url_decode(signature), f"{header}.{payload}".encode())
        for name in ("request_id", "tenant", "status", "request_digest"):
            assert claims.get(name) == event.body.get(name), name
        assert claims["jti"] == event.event_id == event.body["event_id"]
        return claims

    # ------------------------------------------------------------ the end

    def quiet(self, timeout=30):
        """Waits until all that was recorded is published."""
        self.eventually("SELECT count(*) FROM ledger_head h JOIN relay_position p USING (chain) WHERE p.next_sequence <= h.sequence"
                        " AND EXISTS (SELECT FROM ledger_event e WHERE e.chain = h.chain AND e.sequence >= p.next_sequence AND e.topic <> 'checkpoints')",
                        expected=[(0,)], timeout=timeout)
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            wanted = {r[0] for r in self.sql("SELECT event_id::text FROM ledger_event WHERE topic <> 'checkpoints'")}
            if wanted <= set(self.observer.seen_ids):
                return
            time.sleep(0.05)
        raise AssertionError("events were recorded but did not reach their topics")

    def reconnect(self):
        """After the database was restarted."""
        self.db.close()
        self.db = psycopg.connect(self.owner_uri, autocommit=True)
        self.db.execute("SET search_path = countersign; SET TimeZone = 'UTC'")

    @contextlib.contextmanager
    def database_closed(self):
        """The house's database takes no connections for a while, as if it were away."""
        with psycopg.connect(self.server, autocommit=True) as owner:
            owner.execute(f'ALTER DATABASE "{self.name}" ALLOW_CONNECTIONS false')
            owner.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (self.name,))
            try:
                yield
            finally:
                owner.execute(f'ALTER DATABASE "{self.name}" ALLOW_CONNECTIONS true')
        self.reconnect()

    def _delete_topics(self):
        """Some forty houses of 48 partitions each are more than the broker's memory is for."""
        admin = AdminClient({**self.kafka("operator"), "log_level": 0})
        names = [t for t in admin.list_topics(timeout=10).topics if t.startswith(self.prefix)]
        for done in admin.delete_topics(names).values() if names else ():
            done.result(20)

    def close(self):
        for name in list(self.processes):
            process = self.processes.pop(name)
            if process.poll() is None:
                process.terminate()
            try:
                process.wait(25)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if self.observer:
            self.observer.close()
        self._delete_topics()
        self.db.close()
        with psycopg.connect(self.server, autocommit=True) as owner:
            owner.execute(f'DROP DATABASE IF EXISTS "{self.name}" WITH (FORCE)')


def policy(version=1, name="walk", **changes):
    """The policy that most stories use."""
    document = {
        "countersign": "policy/v1", "policy": name, "version": version, "tenants": ["default"],
        "classes": [
            {"id": "read", "actions": ["**.read"], "default": "ALLOW"},
            {"id": "deployment", "actions": ["deployment.**"], "default": "REQUIRE_APPROVAL", "approval": "release"},
            {"id": "sealed", "actions": ["sealed.**"], "default": "ALLOW", "identity": "verified"},
            {"id": "money", "actions": ["payment.**"], "default": "BLOCK", "requires": ["amount_minor", "currency"]},
            {"id": "other", "actions": ["**"], "default": "BLOCK"},
        ],
        "approvals": {
            "release": {"any_of": [{"group": "release-managers", "quorum": 1}], "ttl": "1h", "grant": {"uses": 1, "valid_for": "15m"}},
            "pair": {"any_of": [{"group": "pair", "quorum": 2}], "ttl": "1h", "grant": {"uses": 1, "valid_for": "15m"}},
            "brief": {"any_of": [{"group": "release-managers", "quorum": 1}], "ttl": "2s", "grant": {"uses": 1, "valid_for": "1s"}},
            "passing": {"any_of": [{"group": "release-managers", "quorum": 1}], "ttl": "1h", "grant": {"uses": 1, "valid_for": "1s"}},
        },
        "rules": [
            {"id": "staging-is-free", "match": {"actions": ["deployment.staging"]}, "decision": "ALLOW", "reason": "Staging may break."},
            {"id": "sealed-asks", "match": {"actions": ["sealed.ask"]}, "decision": "REQUIRE_APPROVAL", "approval": "release"},
            {"id": "no-exports", "match": {"actions": ["data.export"]}, "decision": "BLOCK", "reason": "Data does not leave."},
            {"id": "two-people", "match": {"actions": ["credential.rotate"]}, "decision": "REQUIRE_APPROVAL", "approval": "pair", "reason": "Two people."},
            {"id": "be-quick", "match": {"actions": ["deployment.brief"]}, "decision": "REQUIRE_APPROVAL", "approval": "brief", "reason": "Two seconds."},
            {"id": "soon-over", "match": {"actions": ["deployment.passing"]}, "decision": "REQUIRE_APPROVAL", "approval": "passing", "reason": "One second."},
        ],
    }
    document.update(changes)
    return document
