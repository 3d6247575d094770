# SPDX-License-Identifier: Apache-2.0
"""The walk over a Kafka with TLS, passwords and rights: each service with no right but those that its manual names."""
import json
import time

import pytest

from house import SERVICES, House, policy
from secured import (ALTER_CONFIGS, CREATE, DELETE, DESCRIBE, DESCRIBE_CONFIGS, GROUP, PREFIXED, READ, SCRAM_WORKS, TOPIC, WRITE,
                     SecuredBroker)
from test_faults import readiness
from test_kafka_faults import told_in_order, until

INPUTS = {"evaluator": "requests", "resolver": "responses", "recorder": "outcomes", "notifier": "approvals"}
OUTPUTS = ("approvals", "authorizations", "incidents", "quarantine", "checkpoints", "directory")


def rights(prefix):
    """What countersign-service(7) and countersign(1) say under "Broker rights"."""
    rules = [(service, TOPIC, prefix + topic, READ) for service, topic in INPUTS.items()]
    rules += [(service, GROUP, prefix + service, READ) for service in INPUTS]
    rules += [("relay", TOPIC, prefix + topic, WRITE) for topic in OUTPUTS]
    rules += [("agent", TOPIC, prefix + topic, WRITE) for topic in ("requests", "responses", "outcomes")]
    rules += [("auditor", TOPIC, prefix, READ, PREFIXED)]
    rules += [("operator", TOPIC, prefix, operation, PREFIXED)
              for operation in (CREATE, DESCRIBE_CONFIGS, ALTER_CONFIGS, READ, WRITE, DELETE)]
    return rules


@pytest.fixture(scope="module")
def broker(tmp_path_factory):
    broker = SecuredBroker(tmp_path_factory.mktemp("kafka")).start()
    yield broker
    broker.stop()


@pytest.fixture(scope="module")
def idle(broker):
    """A house in which nothing runs yet; every story starts one service in it, in a way of its own."""
    broker.allow(*rights("idle."))
    house = House(services=(), prefix="idle.", kafka=broker.login)
    house.config("evaluator")
    yield house
    house.close()


def test_the_whole_walk_passes_with_no_right_more_than_the_manual_names(build, broker):
    broker.allow(*rights("secured."))
    house = build(policy=policy(), services=SERVICES, prefix="secured.", kafka=broker.login)
    house.person("alice", "release-managers")
    assert house.word(house.ask(action="deployment.staging"), "GRANTED").headers["ce_specversion"] == "1.0"
    house.word(house.ask(action="data.export"), "DENIED")
    request_id = house.ask()
    house.word(request_id, "PENDING")
    house.expect("approvals", request_id)
    house.answer(request_id, "alice")
    house.word(request_id, "GRANTED")
    house.report(request_id, "succeeded")
    house.eventually("SELECT count(*) FROM outcome", expected=[(1,)])
    house.report(house.ask(action="payment.large", context={"amount_minor": 1, "currency": "EUR"}), "succeeded")
    house.observer.wait(lambda e: e.topic == "incidents", 20)
    house.publish("requests", b"nonsense", key="a")
    house.observer.wait(lambda e: e.topic == "quarantine", 20)
    house.observer.wait(lambda e: e.topic == "checkpoints", 20)
    (house.folder / "r.json").write_text(json.dumps({"agent_id": "a", "action": "logs.read", "target": "t"}))
    done = house.cli("submit", str(house.folder / "r.json"), "--wait", "--jwks", str(house.folder / "countersign.jwks"), check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert house.cli("topics", "check", check=False).returncode == 0
    told_in_order(house)


def start(idle, login, instance, **settings):
    """Starts an evaluator with this login."""
    idle.kafka, before = (lambda user: login), idle.kafka
    idle.settings["evaluator"] = settings
    (idle.folder / f"evaluator{instance}.log").unlink(missing_ok=True)
    idle.start("evaluator", instance, wait=False)
    idle.kafka = before
    return "evaluator" + instance


def says(idle, name, *reasons):
    """It ends, or tells one of these reasons."""
    until(lambda: any(reason in idle.log(name) for reason in reasons) or idle.processes[name].poll() is not None, 30, reasons[0])


def never_ready(idle, name, *reasons):
    assert idle.processes[name].poll() is None, idle.log(name)
    for _ in range(5):
        status, text = readiness(idle, name)
        assert status == 503, text
        time.sleep(0.1)
    assert any(reason in idle.log(name) for reason in reasons), idle.log(name)


WAYS = [
    ("a certificate of an unknown authority", {"ssl_ca_location": "other-ca.pem"}, ["certificate verify failed"]),
    ("a certificate of another host", {"listener": "STRANGE"}, ["certificate verify failed"]),
    ("an expired certificate", {"listener": "EXPIRED"}, ["certificate verify failed"]),
    ("a wrong password", {"sasl_password": "guess"}, ["uthentication failed"]),
    ("an unknown user", {"sasl_username": "nobody"}, ["uthentication failed"]),
    ("no encryption", {"security_protocol": "SASL_PLAINTEXT"}, ["no broker answered", "Disconnected"]),
    ("a user without rights", {"user": "agent"}, ["not_authorized"]),
    ("a client library whose SCRAM is too old", {"sasl_mechanisms": "SCRAM-SHA-256"}, ["2.6.1"]),
]


@pytest.fixture(scope="module")
def refused(idle, broker):
    """One evaluator for each way, all at once: to be refused takes its time."""
    for n, (_, change, _) in enumerate(WAYS):
        change = {name: str(broker.folder / value) if name == "ssl_ca_location" else value for name, value in change.items()}
        start(idle, broker.login(**{"user": "evaluator", **change}), f"-{n}")
    yield idle
    left = [idle.processes.pop(name) for name in list(idle.processes)]
    for process in left:
        process.terminate()
    assert {process.wait(20) for process in left} <= {0}


@pytest.mark.parametrize("n", [pytest.param(n, id=way[0]) for n, way in enumerate(WAYS)])
def test_who_is_not_let_in_says_why_and_is_never_ready(refused, n):
    _, change, reasons = WAYS[n]
    if "sasl_mechanisms" in change and SCRAM_WORKS:
        refused.wait_ready(f"evaluator-{n}")
        refused.stop(f"evaluator-{n}")
    else:
        says(refused, f"evaluator-{n}", *reasons)
        never_ready(refused, f"evaluator-{n}", *reasons)


def test_a_topic_that_is_missing_is_not_made_by_asking_for_it(idle, broker):
    broker.allow(("evaluator", TOPIC, "elsewhere.requests", READ), ("evaluator", TOPIC, "elsewhere.", CREATE, PREFIXED))
    name = start(idle, broker.login("evaluator"), "-lost", **{"topics.prefix": "elsewhere."})
    assert idle.processes.pop(name).wait(20) == 1
    assert "elsewhere.requests does not exist" in idle.log(name) and "elsewhere.requests" not in broker.topics()


@pytest.mark.parametrize("kind,name", [(TOPIC, "idle.requests"), (GROUP, "idle.evaluator")])
def test_a_right_that_comes_late_is_enough(idle, broker, kind, name):
    missing = ("evaluator", kind, name, READ)
    broker.withdraw(missing)
    broker.allow(("evaluator", TOPIC, "idle.requests", DESCRIBE))
    started = start(idle, broker.login("evaluator"), "-late")
    says(idle, started, "kafka_away", "not_authorized")
    for _ in range(5):
        assert readiness(idle, started)[0] == 503
        time.sleep(0.1)
    broker.allow(missing)
    idle.ask(action="logs.read")
    idle.wait_ready(started)
    assert idle.stop(started) == 0


def test_rights_that_are_taken_away_and_given_back_lose_nothing(build, broker):
    broker.allow(*rights("taken."))
    house = build(policy=policy(), services=("evaluator", "relay"), prefix="taken.", kafka=broker.login, settings={"relay": {"relay.lease": "3s"}})
    house.word(house.ask(action="deployment.staging"), "GRANTED")
    reads, writes = ("evaluator", TOPIC, "taken.requests", READ), ("relay", TOPIC, "taken.authorizations", WRITE)
    broker.withdraw(writes)
    unheard = [house.ask(action="deployment.staging") for _ in range(20)]
    until(lambda: readiness(house, "relay")[0] == 503)
    broker.withdraw(reads)
    unread = [house.ask(action="deployment.staging") for _ in range(20)]
    until(lambda: readiness(house, "evaluator")[0] == 503)
    time.sleep(11)  # longer than a fault that does not come again is believed in
    assert readiness(house, "evaluator")[0] == 503 and readiness(house, "relay")[0] == 503
    broker.allow(reads, writes)
    for request_id in unheard + unread:
        house.word(request_id, "GRANTED")
    house.wait_ready("evaluator")
    house.wait_ready("relay")
    assert all(house.words(request_id) == ["GRANTED"] for request_id in unheard + unread)
    told_in_order(house)
