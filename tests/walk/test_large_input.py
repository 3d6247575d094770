# SPDX-License-Identifier: Apache-2.0
"""On a topic without our settings, where records of any size come through: refused before they are read, in bounded memory and time."""
import json
import time

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, ConfigResource

from house import BARE, BOOTSTRAP, policy

MB = 1000 * 1000
GOOD = {"agent_id": "a", "action": "logs.read", "target": "t"}


def text(context):
    return b'{"agent_id":"a","action":"logs.read","target":"t","context":%s}' % context


def padded(size):
    """A good request of exactly so many bytes."""
    return json.dumps(GOOD).encode().ljust(size)


# name, value, code (None: it is taken)
LARGE = [
    ("10 MB of text", text(b'{"s":"%s"}' % (b"x" * 10 * MB)), "too_large"),
    ("10 MB that are nothing", b"\xff" * 10 * MB, "too_large"),
    ("30 MB that take no room on the way", b" " * 30 * MB, "too_large"),
    ("64 KiB and one byte", padded(65537), "too_large"),
    ("64 KiB", padded(65536), None),
    ("2,049 levels", text(b'{"a":' * 2047 + b"[1]" + b"}" * 2047), "too_deep"),
    ("30,000 levels", b"[" * 30000 + b"]" * 30000, "too_deep"),
    ("17 levels", text(b'{"a":' * 15 + b"[1]" + b"}" * 15), "too_deep"),
    ("16 levels", text(b'{"a":' * 14 + b"[1]" + b"}" * 14), None),
    ("100,000 members", text(b"{%s}" % b",".join(b'"k%d":1' % n for n in range(100000))), "too_large"),
    ("7,000 members", text(b"{%s}" % b",".join(b'"%d":1' % n for n in range(7000))), "too_many_members"),
    ("a number of 200,000 digits", text(b'{"n":%s}' % (b"9" * 200000)), "too_large"),
    ("a number of 60,000 digits", text(b'{"n":%s}' % (b"9" * 60000)), "number_range"),
]


def id_of(name, again):
    return f"{name}-{again}".replace(",", "").replace(" ", "-")


def peak(house, service):
    """The most memory that it ever had, in MB."""
    status = open(f"/proc/{house.processes[service].pid}/status").read()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


@pytest.fixture
def house(build):
    house = build(policy=policy(), services=("evaluator", "relay"))
    admin, settings = AdminClient({"bootstrap.servers": BOOTSTRAP}), {"max.message.bytes": str(100 * MB), "compression.type": "producer"}
    for done in admin.alter_configs([ConfigResource(ConfigResource.Type.TOPIC, house.prefix + "requests", settings)]).values():
        done.result(20)
    house.producer = Producer({"bootstrap.servers": BOOTSTRAP, "message.max.bytes": 100 * MB, "compression.type": "zstd", "partitioner": "murmur2_random"})
    return house


def test_what_is_too_large_costs_neither_memory_nor_time_and_the_partition_goes_on(house):
    house.word(house.ask("before", action="logs.read"), "GRANTED")
    before, began = peak(house, "evaluator"), time.monotonic()
    for again in range(3):
        for name, value, _ in LARGE:
            house.publish("requests", value, key=id_of(name, again), partition=1)
    house.publish("requests", {**GOOD, "request_id": "after"}, partition=1)
    house.word("after", "GRANTED", timeout=60)
    assert time.monotonic() - began < 60
    house.quiet()
    for again in range(3):
        for name, value, code in LARGE:
            key = id_of(name, again)
            rows = house.sql("SELECT code, size, octet_length(value) FROM quarantine JOIN quarantine_raw USING (quarantine_id) WHERE request_id = %s", key)
            assert rows == ([] if code is None else [(code, len(value), 1024 if code == "too_large" else len(value))]), name
            assert house.words(key) == ["GRANTED" if code is None else "DENIED"]
    if BARE:
        assert peak(house, "evaluator") - before < 150, (before, peak(house, "evaluator"))
