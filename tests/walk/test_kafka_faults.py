# SPDX-License-Identifier: Apache-2.0
"""What a network and a broker can do to the walk: silence, lost answers, refusals, members that are out and do not know it."""
import time

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, ConfigResource

from house import BARE, policy
from test_faults import WALKERS, Load, exactly_once, people, readiness, stalled_evaluator
from wire import COMMIT, HEARTBEAT, JOIN, PRODUCE, SYNC, Wire

MEMORY = 64 * 1024 * 1024
# error codes of the Kafka protocol
NOT_LEADER, TOO_LARGE, NOT_COORDINATOR, TOO_FEW_REPLICAS, ILLEGAL_GENERATION = 6, 10, 16, 19, 22
UNKNOWN_MEMBER, REBALANCE, NOT_ALLOWED = 25, 27, 29
OUT_OF_ORDER, OLD_EPOCH, UNKNOWN_PRODUCER = 45, 47, 59


@pytest.fixture
def wire():
    """Stands before `build` in a story, so that it is there until the house is closed."""
    wire = Wire()
    yield wire
    wire.close()


def over(wire, **more):
    """Settings of a service that reaches the broker over this wire."""
    return {"kafka.bootstrap.servers": wire.address, **more}


def until(condition, timeout=20, what="it"):
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, f"{what} did not come about within {timeout} s"
        time.sleep(0.05)


def told_in_order(house):
    """What is new in a partition comes after all that was told of its chain; what is told again is the same to the byte."""
    told, highest = {}, {}
    for event in sorted(house.observer.find(lambda e: True), key=lambda e: (e.topic, e.partition, e.offset)):
        place = event.topic, event.partition, event.chain
        before = told.setdefault((place, event.sequence), event)
        assert (before.raw, before.key, before.headers) == (event.raw, event.key, event.headers)
        if before is event:
            assert event.sequence > highest.get(place, 0), f"{event} came after {highest[place]}"
            highest[place] = event.sequence


def doubled(house):
    return [events for events in house.observer.seen_ids.values() if len(events) > 1]


def faultless(house, *names):
    """They go on, and complain of nothing but what their Kafka client has seen."""
    for name in names:
        complaints = [line for line in house.log(name).splitlines() if " level=error " in line and " event=kafka " not in line]
        assert house.processes[name].poll() is None and complaints == [], house.log(name)


# ---------------------------------------------------------------- the relay

def test_a_relay_without_kafka_for_longer_than_a_message_may_wait_loses_nothing(wire, build):
    house = build(policy=policy(), services=WALKERS, settings={"relay": over(wire, **{"relay.lease": "3s"})})
    people(house)
    load = Load(house, pause=0.02)
    load.start()
    for fault in (wire.cut, wire.silence):
        said = len(house.observer.find(lambda e: e.topic == "authorizations"))
        until(lambda: len(house.observer.find(lambda e: e.topic == "authorizations")) > said + 50)
        given_up, decided = house.log("relay").count("event=publishing_failed"), house.one("SELECT count(*) FROM decision")
        fault()
        until(lambda: house.log("relay").count("event=publishing_failed") > given_up, what="a message that is given up")
        assert readiness(house, "relay")[0] == 503
        until(lambda: house.one("SELECT count(*) FROM decision") > decided + 50, what="a ledger that runs ahead")
        wire.mend()
    exactly_once(house, load.finish(), timeout=30)
    told_in_order(house)
    house.wait_ready("relay")
    for service in WALKERS:
        assert not BARE or house.metrics(service)["process_resident_memory_bytes"] < MEMORY


def test_answers_that_get_lost_make_the_relay_say_things_twice_and_nothing_twice_true(wire, build):
    house = build(policy=policy(), services=WALKERS,
                  settings={"relay": over(wire, **{"relay.lease": "3s", "kafka.socket.timeout.ms": "400"})})
    people(house)
    load = Load(house, pause=0.02)
    load.start()
    until(lambda: len(house.observer.find(lambda e: e.topic == "authorizations")) > 50)
    lost = wire.fault(PRODUCE, lost=True)  # asked again in time: the broker knows the sequence
    assert lost.met.wait(20)
    wire.fault(PRODUCE, lost=True, times=10**9)  # asked again in vain: given up, and said anew by the next producer
    replaced = house.metrics("relay")["countersign_producers_replaced_total"]
    until(lambda: house.metrics("relay")["countersign_producers_replaced_total"] > replaced)
    wire.mend()
    exactly_once(house, load.finish())
    told_in_order(house)
    assert doubled(house)
    assert all(len({e.raw for e in events}) == 1 for events in doubled(house))
    faultless(house, "relay")


# an error, and whether the broker has the records all the same
REFUSALS = [(OUT_OF_ORDER, False), (OUT_OF_ORDER, True), (OLD_EPOCH, False), (UNKNOWN_PRODUCER, True), (TOO_FEW_REPLICAS, False),
            (NOT_LEADER, True), (NOT_ALLOWED, False), (TOO_LARGE, False)]


def test_whatever_the_broker_refuses_the_relay_goes_on_in_order(wire, build):
    house = build(policy=policy(), services=WALKERS, settings={"relay": over(wire, **{"relay.lease": "3s"})})
    people(house)
    load = Load(house, pause=0.02)
    load.start()
    for error, stored in REFUSALS:
        fault = wire.fault(PRODUCE, error=error, stored=stored)
        assert fault.met.wait(20), house.log("relay")
        fresh = house.ask(action="deployment.staging")
        load.expected[fresh] = "GRANTED"
        house.word(fresh, "GRANTED")
    exactly_once(house, load.finish())
    told_in_order(house)
    assert "event=producer_fatal" in house.log("relay") and "kafka gave this client up" in house.log("relay")
    assert house.processes["relay"].poll() is None


def test_what_an_older_relay_left_on_the_wire_arrives_late_and_moves_nothing_back(wire, build):
    house = build(policy=policy(), services=WALKERS,
                  settings={"relay": over(wire, **{"relay.lease": "3s", "relay.checkpoint_interval": "60s"})})
    people(house)
    first = house.ask()
    house.word(first, "PENDING")
    house.expect("approvals", first)
    late = wire.fault(PRODUCE, held=True, times=10**9)
    second = house.ask()
    assert late.met.wait(20)
    time.sleep(0.5)  # one of its two events may come behind the other
    house.kill("relay")  # what it has sent is on its way
    del house.settings["relay"]["kafka.bootstrap.servers"]
    house.start("relay", "-second")
    for request_id in (first, second):
        house.answer(request_id, "alice")
        house.word(request_id, "GRANTED")
    late.let_go()
    old = house.observer.wait(lambda e: e.topic == "authorizations" and e.key == second and e.body["status"] == "PENDING"
                              and e.offset > house.word(second, "GRANTED").offset, 20, "a late word")
    assert old.sequence < house.word(second, "GRANTED").sequence
    assert house.words(second) == ["PENDING", "GRANTED"]
    done = house.cli("wait", second, "--timeout", "5s", "--jwks", str(house.folder / "countersign.jwks"), check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    told_in_order(house)


# ---------------------------------------------------------------- the consumers

MOVES = [(HEARTBEAT, NOT_COORDINATOR), (HEARTBEAT, UNKNOWN_MEMBER), (JOIN, NOT_COORDINATOR), (SYNC, REBALANCE),
         (HEARTBEAT, ILLEGAL_GENERATION), (JOIN, UNKNOWN_MEMBER)]


def test_a_coordinator_that_moves_and_refuses_doubles_nothing(wire, build):
    house = build(policy=policy(), services=WALKERS, settings={"evaluator": over(wire, **{"kafka.heartbeat.interval.ms": "100"})})
    people(house)
    load = Load(house, pause=0.02)
    load.start()
    for n, (api, error) in enumerate(MOVES):
        fault = wire.fault(api, error=error, stored=n % 2 == 0)
        if api != HEARTBEAT:
            wire.fault(HEARTBEAT, error=REBALANCE)
        assert fault.met.wait(20), (api, error)
    fresh = house.ask(action="deployment.staging")
    load.expected[fresh] = "GRANTED"
    house.word(fresh, "GRANTED", timeout=30)
    exactly_once(house, load.finish())
    told_in_order(house)
    assert house.log("evaluator").count("event=assigned") >= 4
    faultless(house, "evaluator")


def waiting(house):
    return {r[0] for r in house.sql("SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
                                    " AND application_name = 'countersign-evaluator' AND wait_event_type = 'Lock'")}


def test_a_worker_that_stalls_beyond_its_poll_interval_is_fenced_when_it_goes_on(build):
    patient = {"database.lock_timeout": "60s", "database.statement_timeout": "60s", "kafka.max.poll.interval.ms": "6000"}
    house = build(policy=policy(), services=WALKERS, settings={"evaluator": patient})
    with stalled_evaluator(house, 7) as (expected, go_on):
        stalled = waiting(house)
        house.start("evaluator", "-second", wait=False)
        until(lambda: waiting(house) - stalled, what="a claim of what the stalled one holds, after all others")
        go_on()
    exactly_once(house, expected)
    until(lambda: house.metrics("evaluator")["countersign_fence_losses_total"] >= 1, what="a fence around what it held")
    until(lambda: house.metrics("evaluator")['countersign_partitions{state="owned"}']
          + house.metrics("evaluator-second")['countersign_partitions{state="owned"}'] == 6, what="six partitions with one owner each")
    faultless(house, "evaluator", "evaluator-second")


@pytest.mark.parametrize("split", ["kafka is out of its reach", "its group has forgotten it"])
def test_an_evaluator_that_is_out_of_its_group_and_still_has_the_database_doubles_nothing(wire, build, split):
    house = build(policy=policy(), services=WALKERS, settings={"evaluator": over(wire)})
    people(house)
    del house.settings["evaluator"]["kafka.bootstrap.servers"]
    house.start("evaluator", "-second")
    load = Load(house, pause=0.02)
    load.start()
    until(lambda: house.one("SELECT count(*) FROM decision") > 50)
    if split == "kafka is out of its reach":
        wire.cut()
    else:
        for api in (HEARTBEAT, COMMIT):  # it hears that all is well; the broker hears nothing
            wire.fault(api, error=0, stored=False, times=10**9)
    until(lambda: house.metrics("evaluator-second")['countersign_partitions{state="owned"}'] == 6, what="one owner of all")
    if split != "kafka is out of its reach":
        until(lambda: house.metrics("evaluator")["countersign_fence_losses_total"] > 0, what="a fence that holds")
    else:
        assert readiness(house, "evaluator")[0] == 503
    wire.mend()
    fresh = house.ask(action="deployment.staging")
    load.expected[fresh] = "GRANTED"
    house.word(fresh, "GRANTED")
    exactly_once(house, load.finish())
    told_in_order(house)
    faultless(house, "evaluator", "evaluator-second")


# ---------------------------------------------------------------- bombs

def test_on_a_topic_without_our_settings_a_bomb_is_refused_or_halts_its_partition_and_no_other(build):
    house = build(policy=policy(), services=("evaluator", "relay"))
    house.allowed.add("position")  # of the halted partition
    topic = house.prefix + "requests"
    admin = AdminClient(house.kafka("operator"))
    for done in admin.alter_configs([ConfigResource("topic", topic, set_config={"compression.type": "producer"})]).values():
        done.result(20)
    assert house.cli("topics", "check", check=False).returncode != 0
    for partition, (codec, megabytes) in enumerate([("gzip", 15), ("lz4", 15), ("snappy", 15), ("zstd", 15), ("zstd", 90)]):
        bombs = Producer({**house.kafka("agent"), "compression.type": codec, "message.max.bytes": 100_000_000, "log_level": 0})
        bombs.produce(topic, value=b" " * (megabytes * 1_000_000), key="bomb", partition=partition)
        assert bombs.flush(60) == 0
    for partition in range(6):
        house.publish("requests", {"request_id": f"behind-{partition}", "agent_id": "a", "action": "deployment.staging", "target": "t"},
                      partition=partition)
    for partition in (0, 1, 2, 3, 5):
        house.word(f"behind-{partition}", "GRANTED", timeout=40)
    assert house.sql("SELECT code, origin_partition FROM quarantine ORDER BY origin_partition") == [("too_large", n) for n in range(4)]
    until(lambda: f"event=halted topic={topic} partition=4 next_offset=0 code=unreadable" in house.log("evaluator"))
    assert readiness(house, "evaluator")[0] == 503 and house.words("behind-4") == []
    assert not BARE or house.metrics("evaluator")["process_resident_memory_bytes"] < 2 * MEMORY
    house.delete_records("requests", 4, 1)  # nobody can read it, the history's judge no more than we
