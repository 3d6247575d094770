# SPDX-License-Identifier: Apache-2.0
"""What breaks comes back: services killed and restarted, servers restarted, policies changed, all under load."""
import contextlib
import signal
import threading
import time
import urllib.error
import urllib.request

import psycopg
import pytest

from house import OWNER_URI, SERVICES, policy
from pair import server

WALKERS = ("evaluator", "resolver", "recorder", "relay")


def people(house):
    house.person("alice", "release-managers")
    house.person("pia", "pair")
    house.person("paul", "pair")


class Load(threading.Thread):
    """Asks without pause until told to stop; every request has an id that says what must come of it."""
    KINDS = [("allow", {"action": "deployment.staging"}, "GRANTED"), ("block", {"action": "data.export"}, "DENIED"),
             ("ask", {"action": "deployment.production"}, "PENDING"), ("bad", {"nonsense": 1}, "DENIED")]

    def __init__(self, house, pause=0.005):
        super().__init__(daemon=True)
        self.house, self.pause, self.ending, self.expected, self.failure = house, pause, False, {}, None

    def run(self):
        n = 0
        try:
            while not self.ending:
                kind, members, word = self.KINDS[n % 4]
                request_id = f"{kind}-{n}"
                self.house.ask(request_id, flush=False, **members)
                self.house.producer.poll(0)
                self.expected[request_id] = word
                n += 1
                time.sleep(self.pause)
            assert self.house.producer.flush(60) == 0
        except Exception as failure:  # told to the story by finish()
            self.failure = failure

    def finish(self):
        self.ending = True
        self.join(90)
        assert self.failure is None and not self.is_alive()
        return self.expected


def exactly_once(house, expected, timeout=60):
    """Each request has exactly the word it must have, in the database and on the topic, and nothing else has one."""
    house.eventually("SELECT count(*) FROM request", expected=[(len(expected),)], timeout=timeout)
    house.quiet(timeout)
    stored = {}
    for request_id, status in house.sql("SELECT request_id, status FROM authorization_status"):
        stored.setdefault(request_id, []).append(status)
    wanted = {i: [w] for i, w in expected.items()}
    assert wanted == stored
    assert wanted == house.all_words()
    assert house.one("SELECT count(*) FROM decision") == len(expected)


@pytest.mark.parametrize("service", WALKERS)
def test_a_service_that_is_killed_under_load_goes_on_where_it_was(build, service):
    house = build(policy=policy(), services=WALKERS, settings={"relay": {"relay.lease": "3s"}})
    people(house)
    load = Load(house)
    load.start()
    for _ in range(2 if service == "evaluator" else 1):
        time.sleep(0.7)
        house.kill(service)
        house.start(service)
    exactly_once(house, load.finish())


def test_twenty_sigterms_under_load_are_obeyed_in_time_and_lose_nothing(build):
    house = build(policy=policy(), services=SERVICES)
    people(house)
    load = Load(house)
    load.start()
    for _ in range(4):  # of five services
        time.sleep(0.5)
        began = time.monotonic()
        for service in SERVICES:
            house.processes[service].terminate()
        for service in SERVICES:
            assert house.processes.pop(service).wait(20) == 0, house.log(service)
        assert time.monotonic() - began < 20
        for service in SERVICES:
            house.start(service, wait=False)
        for service in SERVICES:
            house.wait_ready(service)
    exactly_once(house, load.finish())


def test_a_second_evaluator_joins_and_leaves_and_every_request_is_decided_once(build):
    house = build(policy=policy(), services=WALKERS)
    people(house)
    load = Load(house)
    load.start()
    for n in range(2):
        house.start("evaluator", f"-second-{n}")
        time.sleep(2)
        assert house.stop(f"evaluator-second-{n}") == 0
        time.sleep(1)
    exactly_once(house, load.finish())


@pytest.mark.parametrize("name", ["postgres", "kafka"])
def test_a_server_that_restarts_is_waited_for(build, name):
    house = build(policy=policy(), services=SERVICES)
    people(house)
    load = Load(house, pause=0.01)
    load.start()
    time.sleep(1)
    try:
        server("stop", name)
        time.sleep(3)
        for service in SERVICES:
            assert house.processes[service].poll() is None, house.log(service)
    finally:
        server("start", name)
    if name == "postgres":
        house.reconnect()
    time.sleep(2)
    exactly_once(house, load.finish(), timeout=90)
    for service in SERVICES:
        house.wait_ready(service)


def test_while_the_database_is_away_a_service_still_ends_when_told_to(build):
    house = build(policy=policy(), services=("evaluator",))
    house.no_quiet = True
    with house.database_closed():
        house.ask()
        time.sleep(1)
        began = time.monotonic()
        assert house.stop("evaluator") == 0
        assert time.monotonic() - began < 20


def test_while_the_database_is_away_nobody_turns_idle_at_full_speed(build):
    house = build(policy=policy(), services=SERVICES)
    with house.database_closed():
        time.sleep(1)
        began = {service: house.processor_time(service) for service in SERVICES}
        time.sleep(3)
        for service in SERVICES:
            assert house.processor_time(service) - began[service] < 0.3, service
    house.word(house.ask(action="deployment.staging"), "GRANTED")


def test_while_kafka_is_away_every_service_still_ends_when_told_to(build):
    house = build(policy=policy(), services=SERVICES, settings={"relay": {"relay.lease": "3s"}})
    people(house)
    request_id = house.ask(action="deployment.brief")
    house.word(request_id, "PENDING")
    try:
        server("stop", "kafka")
        house.eventually("SELECT state FROM approval", expected=[("EXPIRED",)])  # the relay has something to say and cannot
        began = time.monotonic()
        for service in SERVICES:
            house.processes[service].terminate()
        assert [house.processes.pop(service).wait(20) for service in SERVICES] == [0] * len(SERVICES)
        assert time.monotonic() - began < 20
    finally:
        server("start", "kafka")
    house.start("relay")
    house.word(request_id, "EXPIRED")


def waits_for_a_lock(house, service, waits=True):
    house.eventually("SELECT count(*) > 0 FROM pg_stat_activity WHERE datname = current_database()"
                     " AND application_name = %s AND wait_event_type = 'Lock'", "countersign-" + service, expected=[(waits,)])


def test_a_second_sigterm_ends_a_service_at_once_and_nothing_is_lost(build):
    house = build(policy=policy(), services=("evaluator", "relay"))
    with psycopg.connect(house.owner_uri) as other:
        other.execute("LOCK TABLE countersign.decision IN ACCESS EXCLUSIVE MODE")
        request_id = house.ask(action="deployment.staging")
        waits_for_a_lock(house, "evaluator")
        evaluator = house.processes.pop("evaluator")
        evaluator.terminate()
        time.sleep(1)
        assert evaluator.poll() is None  # it waits for the end of the statement
        evaluator.terminate()
        assert evaluator.wait(2) == 128 + signal.SIGTERM
    assert "second signal" in house.log("evaluator")
    house.start("evaluator")
    house.word(request_id, "GRANTED")
    house.quiet()
    assert house.words(request_id) == ["GRANTED"] and house.one("SELECT count(*) FROM decision") == 1


# The decision on a request waits while its name is locked, that on the first one without asking for the lock: no limit of locks ends it.
WAITS = """CREATE FUNCTION waits() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN
        WHILE NEW.request_id = 'first' AND NOT pg_try_advisory_xact_lock(hashtext('first')) LOOP PERFORM pg_sleep(0.02); END LOOP;
        PERFORM pg_advisory_xact_lock(hashtext(NEW.request_id));
        RETURN NEW;
    END $$;
    CREATE TRIGGER waits BEFORE INSERT ON decision FOR EACH ROW EXECUTE FUNCTION waits()"""


@contextlib.contextmanager
def stalled_evaluator(house, count):
    """One that is held up in the transaction of "stalls", of the last partition, with the records of all others in its hand, so many in all.
    Gives what must come of each, and what ends the stall."""
    house.db.execute(WAITS)

    def ask(request_id, partition):
        house.publish("requests", {"request_id": request_id, "agent_id": "a", "action": "deployment.staging", "target": "t"},
                      partition=partition, flush=False)
        return request_id

    def waits(event):
        house.eventually("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                         " AND application_name = 'countersign-evaluator' AND (wait_event_type || wait_event) = %s", event, expected=[(1,)])
    with psycopg.connect(house.owner_uri, autocommit=True) as other:
        for request_id in ("first", "stalls"):
            other.execute("SELECT pg_advisory_lock(hashtext(%s))", (request_id,))
        asked = [ask("first", 5)]
        waits("TimeoutPgSleep")
        asked.append(ask("stalls", 5))
        assert house.producer.flush(30) == 0
        time.sleep(1)  # it is fetched before the others, and handled before them
        asked += [ask(f"behind-{n}", n % 5) for n in range(count - 2)]
        assert house.producer.flush(30) == 0
        time.sleep(1)
        other.execute("SELECT pg_advisory_unlock(hashtext('first'))")
        waits("Lockadvisory")
        yield {request_id: "GRANTED" for request_id in asked}, lambda: other.execute("SELECT pg_advisory_unlock(hashtext('stalls'))")


def test_a_consumer_that_slept_while_another_took_over_is_fenced_when_it_wakes(build):
    house = build(policy=policy(), services=WALKERS, settings={"evaluator": {"database.lock_timeout": "1s", "database.statement_timeout": "30s"}})
    sleeper = house.processes["evaluator"]
    with stalled_evaluator(house, 60) as (expected, go_on):
        sleeper.send_signal(signal.SIGSTOP)
        waits_for_a_lock(house, "evaluator", False)  # the time-out is the server's
        go_on()
        try:
            house.start("evaluator", "-second")
            house.eventually("SELECT count(*) FROM decision", expected=[(60,)], timeout=30)
        finally:
            sleeper.send_signal(signal.SIGCONT)
    deadline = time.monotonic() + 30
    while "event=fenced" not in house.log("evaluator"):
        assert time.monotonic() < deadline, house.log("evaluator")
        time.sleep(0.05)
    exactly_once(house, expected)


def readiness(house, name):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{house.ports[name]}/readyz", timeout=5) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as answer:
        return answer.code, answer.read().decode()


def test_a_partition_whose_next_record_was_deleted_is_halted_and_the_others_go_on(build):
    house = build(policy=policy(), services=("evaluator", "relay"))
    house.allowed = {"position"}

    def send(request_id, partition):
        house.publish("requests", {"request_id": request_id, "agent_id": "a", "action": "deployment.staging", "target": "t"},
                      key=request_id, partition=partition)
    send("before", 2)
    house.word("before", "GRANTED")
    house.stop("evaluator")
    for request_id, partition in (("deleted", 2), ("behind-it", 2), ("beside-it", 3)):
        send(request_id, partition)
    house.delete_records("requests", 2, 2)
    house.start("evaluator", wait=False)
    house.word("beside-it", "GRANTED")
    deadline = time.monotonic() + 30
    while "event=halted" not in house.log("evaluator"):
        assert time.monotonic() < deadline, house.log("evaluator")
        time.sleep(0.05)
    send("still-beside-it", 3)
    house.word("still-beside-it", "GRANTED")
    status, text = readiness(house, "evaluator")
    assert status == 503 and "a partition is halted" in text
    assert house.metrics("evaluator")['countersign_partitions{state="halted"}'] == 1
    assert house.words("behind-it") == []  # neither jumped over nor begun anew
    assert house.one("SELECT next_offset FROM consumer_position WHERE consumer_group LIKE '%%evaluator' AND partition = 2") == 1


REFUSES_ITS_SESSIONS = """CREATE FUNCTION read_only() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'cannot write' USING ERRCODE = 'read_only_sql_transaction'; END $$;
    CREATE TRIGGER read_only BEFORE INSERT OR UPDATE ON consumer_position EXECUTE FUNCTION read_only();
    CREATE TRIGGER read_only BEFORE INSERT OR UPDATE ON ledger_head EXECUTE FUNCTION read_only()"""


@pytest.mark.parametrize("kind", ["for new sessions", "for the sessions that there are"])
def test_a_database_that_is_read_only_for_a_while_is_waited_for(build, kind):
    house = build(policy=policy(), services=SERVICES)
    people(house)
    load = Load(house, pause=0.01)
    load.start()
    time.sleep(0.5)
    with psycopg.connect(OWNER_URI, autocommit=True) as owner:
        if kind == "for new sessions":
            owner.execute(f'ALTER DATABASE "{house.name}" SET default_transaction_read_only = on')
            house.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'countersign-%%'")
        else:
            house.db.execute(REFUSES_ITS_SESSIONS)
        time.sleep(0.5)
        decided = house.one("SELECT count(*) FROM decision")
        until, seen = time.monotonic() + 3, set()
        while time.monotonic() < until:  # a new session alone does not make it ready
            seen.add(readiness(house, "evaluator")[0])
            time.sleep(0.01)
        assert seen == {503}
        assert house.one("SELECT count(*) FROM decision") == decided
        for service in SERVICES:
            assert house.processes[service].poll() is None, house.log(service)
        if kind == "for new sessions":
            owner.execute(f'ALTER DATABASE "{house.name}" RESET default_transaction_read_only')
        else:
            house.db.execute("DROP FUNCTION read_only CASCADE")
    exactly_once(house, load.finish())
    assert house.one("SELECT count(*) FROM decision") > decided
    for service in SERVICES:
        house.wait_ready(service)


def test_a_connection_that_is_terminated_again_and_again_loses_and_doubles_nothing(build):
    house = build(policy=policy(), services=WALKERS)
    people(house)
    load = Load(house)
    load.start()
    for _ in range(30):
        time.sleep(0.1)
        house.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'countersign-%%'")
    exactly_once(house, load.finish())


def test_after_an_activation_no_older_policy_decides_anything(build):
    house = build(policy=policy(), services=("evaluator", "relay"))
    load = Load(house)
    load.start()
    boundaries = []
    for version in range(2, 7):
        time.sleep(0.3)
        house.activate(policy(version))
        boundaries.append((version, house.one("SELECT activated_at FROM policy WHERE version = %s", version)))
    load.finish()
    house.eventually("SELECT count(*) FROM request", expected=[(len(load.expected),)], timeout=60)
    for version, activated in boundaries:
        older = house.sql("SELECT request_id, policy_version, decided_at FROM decision WHERE policy_version < %s AND decided_at > %s", version, activated)
        assert older == []
    assert house.one("SELECT count(DISTINCT policy_version) FROM decision WHERE policy_version IS NOT NULL") >= 3


def test_a_service_on_missing_topics_refuses_to_start_and_says_what_to_do(build):
    house = build(services=("evaluator",), start=False)
    house.no_quiet = True
    house.prefix_of_config = house.name + "-elsewhere."
    house.settings["evaluator"] = {"topics.prefix": house.prefix_of_config}
    house.start("evaluator", wait=False)
    assert house.processes.pop("evaluator").wait(30) == 1
    assert "countersign topics apply" in house.log("evaluator")


def test_a_service_on_another_kafka_cluster_refuses_to_start(build):
    house = build(services=("evaluator",), start=False)
    house.no_quiet = True
    with pytest.raises(psycopg.errors.IntegrityConstraintViolation):  # set once, also for the owner
        house.sql("UPDATE installation SET kafka_cluster = 'another-cluster' RETURNING 1")
    house.db.execute("SET session_replication_role = replica; UPDATE installation SET kafka_cluster = 'another-cluster'; RESET session_replication_role")
    house.start("evaluator", wait=False)
    assert house.processes.pop("evaluator").wait(30) == 1
    assert "another-cluster" in house.log("evaluator")


def test_a_service_without_rights_stops_with_the_reason_and_quarantines_nothing(build):
    house = build(policy=policy(), services=("evaluator", "relay"))
    house.db.execute("REVOKE INSERT ON decision FROM countersign_evaluator")
    house.ask(action="logs.read")
    assert house.processes.pop("evaluator").wait(30) == 1
    assert house.one("SELECT count(*) FROM quarantine") == 0 and house.one("SELECT count(*) FROM request") == 0
    house.db.execute("GRANT INSERT ON decision TO countersign_evaluator")
    house.start("evaluator")
    house.eventually("SELECT count(*) FROM decision", expected=[(1,)])


def test_an_older_relay_that_wakes_up_does_not_move_the_highest_sequence_back(build):
    house = build(policy=policy(), services=WALKERS, settings={"relay": {"relay.lease": "3s"}})
    people(house)
    request_id = house.ask()
    house.word(request_id, "PENDING")
    sleeper = house.processes["relay"]
    sleeper.send_signal(signal.SIGSTOP)
    time.sleep(3.5)
    house.start("relay", "-second")
    house.answer(request_id, "alice")
    house.word(request_id, "GRANTED", timeout=30)
    sleeper.send_signal(signal.SIGCONT)
    time.sleep(1.5)
    assert house.words(request_id) == ["PENDING", "GRANTED"]
