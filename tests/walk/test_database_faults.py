# SPDX-License-Identifier: Apache-2.0
"""PostgreSQL dies, falls silent, locks and fills up, above all around COMMIT: nothing is lost, nothing happens twice."""
import datetime
import ipaddress
import os
import random
import signal
import time

import psycopg
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from commit_wire import Wire
from flood import Flood
from house import OWNER_URI, policy
from machine import Postgres
from pair import pid_of, server
from test_faults import readiness, waits_for_a_lock

WALKERS = ("evaluator", "resolver", "recorder", "relay")


def behind(build, wire, settings=None):
    """A house whose services reach the database through the wire only."""
    house = build(policy=policy(), services=WALKERS, start=False, settings=settings)
    house.person("alice", "release-managers")
    for service in WALKERS:
        house.settings.setdefault(service, {})["database.uri"] = wire.through(house.role_uri(service))
    for service in WALKERS:
        house.start(service, wait=False)
    for service in WALKERS:
        house.wait_ready(service)
    return house


@pytest.fixture
def wire():
    wire = Wire(OWNER_URI, statements=("store_commit", "relay_advance"))
    yield wire
    wire.close()


def unknown(house):
    return sum(house.metrics(service)["countersign_unknown_commits_total"] for service in WALKERS)


def until(condition, timeout=30, what=None):
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, what() if what else "in vain"
        time.sleep(0.05)


# ---------------------------------------------------------------- around COMMIT

def test_a_hundred_connections_that_die_at_commit_lose_and_double_nothing(wire, build):
    house = behind(build, wire, {service: {"batch.max_records": "5"} for service in ("evaluator", "resolver", "recorder")})
    fates = random.Random(20)
    wire.plan = lambda n: fates.choice(("before", "during", "after")) if n % 2 == 0 and wire.lost.total() < 100 else None
    load = Flood(house, pause=0.03)
    load.start()
    until(lambda: wire.lost.total() >= 100, timeout=60)
    load.finish()
    assert min(wire.lost[fate] for fate in ("before", "during", "after")) > 20
    assert unknown(house) > 20


def test_a_connection_that_falls_silent_at_commit_is_given_up_in_time(wire, build):
    house = behind(build, wire, {service: {"database.statement_timeout": "500ms"} for service in WALKERS})
    fates = iter(("unheard", "unanswered") * 2)
    load = Flood(house, pause=0.03)
    load.start()
    until(lambda: len(house.all_words()) > 100)
    began = time.monotonic()
    wire.plan = lambda n: next(fates, None) if n % 3 == 0 else None
    until(lambda: wire.lost.total() == 4)
    load.finish()
    assert time.monotonic() - began < 30
    silent = [house.log(service).count('reason="no answer in time"') for service in WALKERS]
    assert sum(silent) == 4 and unknown(house) >= 2, silent


def test_a_server_that_is_killed_again_and_again_loses_and_doubles_nothing(build):
    house = build(policy=policy(), services=WALKERS)
    house.person("alice", "release-managers")
    load = Flood(house, pause=0.03, rounds=300)
    load.start()
    for _ in range(2):
        known = len(house.all_words())
        until(lambda: len(house.all_words()) > known + 50)
        pid = pid_of("postgres")
        try:
            os.kill(pid, signal.SIGQUIT)  # an immediate stop: nothing is finished, its log is replayed at the start
            until(lambda: not os.path.exists(f"/proc/{pid}") or ") Z " in open(f"/proc/{pid}/stat").read())
        finally:
            server("start", "postgres")
        house.reconnect()
    load.finish()


# ---------------------------------------------------------------- locks

def test_a_deadlock_is_run_again_and_leaves_no_gap(build):
    house = build(policy=policy(), services=("evaluator", "relay"))
    expected = {}
    for n in range(2):
        with psycopg.connect(house.owner_uri) as other:
            other.execute("SET deadlock_timeout = '30s'")  # so that it is the service whose turn it is to die
            other.execute("SELECT FROM countersign.ledger_head FOR UPDATE")
            expected.update({house.ask(f"r-{n}-{i}", flush=False, action="deployment.staging"): ["GRANTED"] for i in range(20)})
            assert house.producer.flush(30) == 0
            waits_for_a_lock(house, "evaluator")  # its position is locked, it waits for the head
            other.execute("SELECT FROM countersign.consumer_position WHERE consumer_group LIKE '%evaluator' FOR UPDATE")
        house.eventually("SELECT count(*) FROM authorization_status", expected=[(len(expected),)])
    assert "SQLSTATE 40P01" in house.log("evaluator")
    house.quiet()
    assert house.all_words() == expected


# a sequence counts also what is rolled back
FAILS_TO_SERIALIZE = "".join(f"CREATE SEQUENCE appends_countersign_{service};" for service in WALKERS) + """
    CREATE FUNCTION unserializable() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = countersign AS
    $$ BEGIN IF nextval('appends_' || session_user) % 3 = 1 THEN RAISE serialization_failure; END IF; RETURN NULL; END $$;
    CREATE TRIGGER unserializable AFTER INSERT ON ledger_batch FOR EACH STATEMENT EXECUTE FUNCTION unserializable()"""


def test_a_transaction_that_cannot_be_serialized_is_run_again_and_leaves_no_gap(build):
    house = build(policy=policy(), services=WALKERS)
    house.person("alice", "release-managers")
    house.db.execute(FAILS_TO_SERIALIZE)  # of each service the first that appends to the ledger, and every third from there
    load = Flood(house, pause=0.05, rounds=20)
    load.start()
    load.join(30)
    load.finish()
    for service in ("evaluator", "resolver"):
        assert "SQLSTATE 40001" in house.log(service)
    assert house.metrics("evaluator")['countersign_batches_repeated_total{reason="unavailable"}'] > 0


def test_an_approval_that_somebody_has_locked_is_waited_for_and_the_others_go_on(build):
    house = build(policy=policy(), services=("evaluator", "resolver", "relay"), settings={"resolver": {"database.lock_timeout": "500ms"}})
    house.person("alice", "release-managers")
    ids = [house.ask(f"r-{n}") for n in range(24)]
    house.eventually("SELECT count(*) FROM approval", expected=[(24,)])
    locked = ids.pop()
    elsewhere = [i for i, in house.sql("SELECT request_id FROM request WHERE origin_partition <> (SELECT origin_partition FROM request"
                                       " WHERE request_id = %s) ORDER BY 1", locked)]
    with psycopg.connect(house.owner_uri) as other:
        other.execute("SELECT FROM countersign.approval WHERE request_id = %s FOR UPDATE", (locked,))
        house.answer(locked, "alice")
        waits_for_a_lock(house, "resolver")
        for request_id in elsewhere[:8]:  # one after the other, each longer than the wait before
            house.answer(request_id, "alice")
            house.word(request_id, "GRANTED", timeout=3)
        assert house.words(locked) == ["PENDING"]
    house.word(locked, "GRANTED")
    assert house.words(locked) == ["PENDING", "GRANTED"]
    assert house.metrics("resolver")['countersign_batches_repeated_total{reason="unavailable"}'] >= 2
    assert "SQLSTATE 55P03" in house.log("resolver")


# ---------------------------------------------------------------- a server of the story's own

@pytest.fixture(scope="module")
def elsewhere():
    server = Postgres()
    yield server
    server.close()


def test_a_full_disk_is_waited_for_and_nothing_is_skipped(build, elsewhere):
    house = build(policy=policy(), services=WALKERS, server=elsewhere.uri)
    house.person("alice", "release-managers")
    load = Flood(house, pause=0.03)
    load.start()
    try:
        until(lambda: len(house.all_words()) > 100)
        elsewhere.machine.disk(full=True)
        for service in ("evaluator", "resolver", "recorder"):
            until(lambda: readiness(house, service)[0] == 503, what=lambda: house.log(service)[-3000:])
            assert "SQLSTATE 53100" in readiness(house, service)[1]
            until(lambda: house.metrics(service)["countersign_consumer_paused"] == 1)
        known = house.one("SELECT max(at) FROM (SELECT max(decided_at) AS at FROM decision UNION SELECT max(received_at) FROM response) AS last")
        time.sleep(1)
        assert house.one("SELECT count(*) FROM decision WHERE decided_at > %s", known) == 0
    finally:
        elsewhere.machine.disk(full=False)
    load.finish()
    assert house.one("SELECT count(*) FROM quarantine") == len(load.expected) / 5  # those that no policy could decide, and no others
    for service in WALKERS:
        house.wait_ready(service)


class Authority:
    """A certificate authority, and the servers that it vouches for."""

    def __init__(self, name):
        self.key, self.name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
        self.certificate = self.sign(self.name, self.key, [x509.BasicConstraints(ca=True, path_length=None)])

    def sign(self, subject, key, extensions, days=1):
        today = datetime.datetime.now(datetime.timezone.utc)
        made = (x509.CertificateBuilder().subject_name(subject).issuer_name(self.name).public_key(key.public_key())
                .serial_number(x509.random_serial_number()).not_valid_before(today - datetime.timedelta(days=2))
                .not_valid_after(today + datetime.timedelta(days=days)))
        for extension in extensions:
            made = made.add_extension(extension, critical=False)
        return made.sign(self.key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)

    def server(self, name="db.example", days=1):
        key = ec.generate_private_key(ec.SECP256R1())
        names = x509.SubjectAlternativeName([x509.DNSName(name), x509.IPAddress(ipaddress.ip_address("127.0.0.2"))])
        return self.sign(x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)]), key, [names], days), \
            key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())


def over_tls(house, root):
    """The evaluator's URI of that database by its name, with this authority alone."""
    path = house.folder / f"{random.randrange(10**9)}.crt"
    path.write_bytes(root.certificate)
    uri = house.role_uri("evaluator").replace("@127.0.0.1:", "@db.example:")
    return f"{uri}?hostaddr=127.0.0.1&sslmode=verify-full&sslrootcert={path}"


def waits_because(house, words):
    """It tries again and again, says why, and is not ready."""
    until(lambda: words in house.log("evaluator"), what=lambda: house.log("evaluator"))
    until(lambda: words in readiness(house, "evaluator")[1], what=lambda: readiness(house, "evaluator"))
    assert readiness(house, "evaluator")[0] == 503
    assert house.processes["evaluator"].poll() is None
    assert house.sql("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'countersign-evaluator'") == [(0,)]


def test_a_database_that_cannot_prove_who_it_is_gets_nothing_to_do(build, elsewhere):
    ours, theirs = Authority("ours"), Authority("theirs")
    house = build(policy=policy(), services=("evaluator", "relay"), server=elsewhere.uri, start=False)
    house.start("relay")
    request_id = house.ask(action="deployment.staging")
    for root, certificate, words in (
            (theirs, ours.server(), "certificate verify failed"),
            (ours, ours.server("other.example"), "does not match host name"),
            (ours, ours.server(days=-1), "certificate verify failed")):
        elsewhere.certify(*certificate)
        house.settings["evaluator"] = {"database.uri": over_tls(house, root)}
        house.start("evaluator", wait=False)
        waits_because(house, words)
        assert house.stop("evaluator") == 0
        (house.folder / "evaluator.log").unlink()
    house.start("evaluator", wait=False)
    waits_because(house, "certificate verify failed")
    elsewhere.certify(*ours.server())  # renewed while it waits
    house.word(request_id, "GRANTED")
    assert house.sql("SELECT ssl FROM pg_stat_activity JOIN pg_stat_ssl USING (pid) WHERE application_name = 'countersign-evaluator'") == [(True,)]
    elsewhere.certify(*theirs.server())  # the session that there is goes on, the next one is refused
    house.word(house.ask(action="deployment.staging"), "GRANTED")
    house.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'countersign-evaluator'")
    waits_because(house, "certificate verify failed")
    elsewhere.certify(*ours.server())
    house.word(house.ask(action="deployment.staging"), "GRANTED")


def test_a_wrong_password_ends_the_service_with_the_reason_and_without_the_password(build, elsewhere):
    house = build(policy=policy(), services=("evaluator",), server=elsewhere.uri, start=False)
    house.settings["evaluator"] = {"database.uri": house.uri("countersign_evaluator", "not-the-password")}
    house.start("evaluator", wait=False)
    assert house.processes.pop("evaluator").wait(20) == 1
    assert "code=login_refused" in house.log("evaluator") and "28P01" in house.log("evaluator")
    assert "not-the-password" not in house.log("evaluator")
