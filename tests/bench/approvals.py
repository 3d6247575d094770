# SPDX-License-Identifier: Apache-2.0
"""What approvals cost: opened, answered and expired while few are open and while many are; the sweeper beside COPY; an answer beside the floor."""
import json
import os
import statistics
import time

import psycopg
from confluent_kafka import OFFSET_END, Consumer, Producer, TopicPartition

from sides import ASKED, BOOTSTRAP, Countersign, Limit
from house import now, rfc3339
from stored import store

FEW, MANY = 100, int(os.environ.get("OPEN", "100000"))
SWEPT = 10_000


def with_open(number):
    """Countersign with so many approvals that wait."""
    side = Countersign(services=("resolver", "relay", "evaluator"))
    side.house.person("alice", "release-managers")
    for _ in range(number % 6 or 6):
        sample = side.sample(ASKED)
    side.stop()
    store(side.house, sample, (number - 1) // 6 * 6, run="o00000")
    assert side.house.one("SELECT count(*) FROM approval WHERE state = 'PENDING'") == number
    return side


def ids_of(run, numbers):
    return [f"{run}-{n:08}" for n in numbers]


def resolved(side, count):
    """The resolver works a backlog off: seconds from its first word to its last, and the processor time of all that has a part in it."""
    side.house.db.execute("CHECKPOINT")
    side.house.start("relay")
    before = side.words()
    with side.watch(before, count) as watch:
        side.house.start("resolver")
        lines = [tuple(map(int, line.split())) for line in watch.stdout]
    assert watch.returncode == 0
    (first, some), (last, there) = next(line for line in lines if line[1] > 0), lines[-1]
    used = {name: seconds / count * 1e6 for name, seconds in side.cpu().items() if "evaluator" not in name}
    side.stop()
    return {"processor": sum(used.values()), "elapsed": (last - first) / max(there - some, 1), "cpu_us": used}


def overdue(side, ids, due="clock_timestamp()"):
    """Their deadline is now, or then."""
    side.house.db.execute(f"UPDATE approval SET deadline = {due}, next_at = {due} WHERE request_id = ANY (%s)", (ids,))


def life(side, count):
    """Twice so many are opened; half of them are answered, half of them expire."""
    found = side.round(2 * count, ASKED)
    side.stop()
    house, ids = side.house, ids_of(found["run"], range(2 * count))
    opened = {"processor": sum(us for what, us in found["cpu_us"].items() if what not in ("others", "stolen", "kafka")),
              "elapsed": 1e6 / found["rate"], "cpu_us": found["cpu_us"]}
    digests = dict(house.sql("SELECT request_id, request_digest FROM request WHERE request_id = ANY (%s)", ids))
    for request_id in ids[:count]:
        house.answer(request_id, "alice", digest=digests[request_id], flush=False)
        house.producer.poll(0)
    assert house.producer.flush(60) == 0
    answered = resolved(side, count)
    overdue(side, ids[count:])
    expired = resolved(side, count)
    states = dict(house.sql("SELECT state, count(*) FROM approval WHERE request_id = ANY (%s) GROUP BY 1", ids))
    assert states == {"APPROVED": count, "EXPIRED": count}, states
    return {"opening": opened, "answering": answered, "expiring": expired}


def few_and_many(table, count, rounds):
    found = {"few": [], "many": []}
    big = with_open(MANY)
    try:
        life(big, 500)
        for _ in range(rounds):
            small = with_open(FEW)
            try:
                life(small, 500)
                found["few"].append(life(small, count))
            finally:
                small.close()
            found["many"].append(life(big, count))
    finally:
        big.close()
    result, rows = {"few": FEW, "many": MANY, "count": count, "rounds": found}, []
    for step in ("opening", "answering", "expiring"):
        result[step] = {}
        for cost in ("processor", "elapsed"):
            medians = {name: statistics.median(lives[step][cost] for lives in of) for name, of in found.items()}
            ratio = statistics.median(m[step][cost] / f[step][cost] for f, m in zip(found["few"], found["many"]))
            result[step][cost] = {"medians_us": medians, "ratio": ratio}
            rows.append([f"{step}, {cost}", medians["few"], medians["many"], ratio])
    table(f"Microseconds an approval, medians of {rounds} rounds of {count:,} (aim: many/few 1.10)", ["", f"{FEW:,} open", f"{MANY:,} open", "many/few"], rows)
    return result


# ---------------------------------------------------------------- the sweeper


def copy_rows(house, count):
    """Seconds to write so many rows of the size and with the indexes of words, with COPY, committed."""
    house.db.execute("DROP TABLE IF EXISTS copied; CREATE TABLE copied (LIKE authorization_status INCLUDING ALL)")
    rows = house.sql("SELECT * FROM authorization_status WHERE status = 'EXPIRED' LIMIT 1")[0]
    names = [c.name for c in house.db.execute("SELECT * FROM authorization_status LIMIT 0").description]
    kept = [(name, value) for name, value in zip(names, rows) if name != "final"]
    with psycopg.connect(house.owner_uri) as db:
        db.execute("SET search_path = countersign")
        begin = time.monotonic()
        with db.cursor().copy(f"COPY copied ({', '.join(name for name, _ in kept)}) FROM STDIN") as copy:
            for n in range(count):
                copy.write_row([f"{value}-{n}" if name == "request_id" else f"{n:08x}-0000-0000-0000-000000000000" if name == "event_id" else value
                                for name, value in kept])
        db.commit()
        return time.monotonic() - begin


def sweep_once(side):
    """Seconds from the moment at which all of them are overdue until the last one is expired and committed."""
    found = side.round(SWEPT, ASKED)
    side.stop()
    side.house.start("resolver")
    due = side.house.one("SELECT (clock_timestamp() + interval '3 seconds')::text")
    overdue(side, ids_of(found["run"], range(SWEPT)), f"'{due}'::timestamptz")
    side.house.db.execute("VACUUM ANALYZE approval")
    late = side.house.one(f"SELECT extract(epoch FROM '{due}'::timestamptz - clock_timestamp())::float8")
    assert late > 0, "it was due before it was told so"
    time.sleep(late)
    begin = time.monotonic()
    while side.house.one(f"SELECT EXISTS (SELECT FROM approval WHERE state = 'PENDING' AND next_at <= '{due}'::timestamptz)"):
        time.sleep(0.01)
    seconds = time.monotonic() - begin
    before = side.words()
    side.house.start("relay")
    side.wait_words(before, SWEPT)  # none of them comes in the middle of the next round
    side.stop()
    assert side.house.one("SELECT count(*) FROM approval WHERE state = 'EXPIRED' AND request_id LIKE %s", found["run"] + "-%") == SWEPT
    return seconds


def sweeping(table, rounds):
    side, swept, copied = with_open(FEW), [], []
    try:
        for _ in range(rounds):
            swept.append(sweep_once(side))
            copied.append(statistics.median(copy_rows(side.house, SWEPT) for _ in range(3)))
    finally:
        side.close()
    ratios = [s / c for s, c in zip(swept, copied)]
    table(f"Seconds for {SWEPT:,} overdue approvals to expire, and for as many words with COPY (aim: 10 times)",
          ["", *(f"round {i + 1}" for i in range(rounds)), "median"],
          [["sweeper", *swept, statistics.median(swept)], ["COPY", *copied, statistics.median(copied)], ["ratio", *ratios, statistics.median(ratios)]])
    return {"count": SWEPT, "sweeper_s": swept, "copy_s": copied, "ratio": statistics.median(ratios)}


# ---------------------------------------------------------------- an answer


def reader_of(side, topic):
    """Reads from now on, and does not wait for more than there is."""
    consumer = Consumer({"bootstrap.servers": BOOTSTRAP, "group.id": "bench-" + side.house.name, "enable.auto.commit": False,
                         "fetch.wait.max.ms": 500, "log_level": 0})
    consumer.assign([TopicPartition(side.topic(topic), p, OFFSET_END) for p in range(6)])
    while consumer.poll(1.0):
        pass
    return consumer


def produce(producer, topic, **record):
    """Seconds until the broker has it, by the clock of the report."""
    at = []
    begin = time.perf_counter()
    producer.produce(topic, on_delivery=lambda error, _: at.append((error, time.perf_counter())), **record)
    while not at:
        producer.poll(1.0)
    assert at[0][0] is None
    return begin, at[0][1]


def floor(side, producer, count):
    """Seconds of one commit, and of one produce, each by itself, one at a time."""
    commits, sends = [], []
    side.house.db.execute("CREATE TABLE IF NOT EXISTS floor (n int8 PRIMARY KEY, text text)")
    with psycopg.connect(side.house.owner_uri) as db:
        db.execute("SET search_path = countersign; SET synchronous_commit = on")
        db.commit()
        for n in range(count):
            db.execute("INSERT INTO floor SELECT coalesce(max(n), 0) + 1, repeat('x', 500) FROM floor")
            begin = time.perf_counter()
            db.commit()
            commits.append(time.perf_counter() - begin)
            begin, end = produce(producer, side.topic("outcomes"), key="floor", value=b"x" * 1000)
            sends.append(end - begin)
    return commits, sends


def answer_once(side, producer, reader, request_id, digest):
    """Seconds until the final word on an answer is read: since it is sent, and since Kafka has it."""
    value = json.dumps({"response_id": "t-" + request_id, "tenant": "default", "request_id": request_id, "verdict": "approve", "responder": "alice",
                        "issued_at": rfc3339(now()), "request_digest": digest}).encode()
    signature = side.house.keys["alice"].detached(value)
    begin, there = produce(producer, side.topic("responses"), key=request_id, value=value, headers={"signature": signature})
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        message = reader.poll(1.0)
        if message and not message.error() and message.key() == request_id.encode():
            return time.perf_counter() - begin, time.perf_counter() - there
    raise AssertionError(f"no word on {request_id}")


def answer_round(side, producer, count):
    """The medians of answer_once, one answer at a time."""
    found = side.round(count + 20, ASKED)
    side.stop()
    ids = ids_of(found["run"], range(count + 20))
    digests = dict(side.house.sql("SELECT request_id, request_digest FROM request WHERE request_id = ANY (%s)", ids))
    for service in ("resolver", "relay"):
        side.house.start(service)
    reader = reader_of(side, "authorizations")
    taken = [answer_once(side, producer, reader, request_id, digests[request_id]) for request_id in ids][20:]
    reader.close()
    side.stop()
    return [statistics.median(seconds) for seconds in zip(*taken)]


def answering(table, rounds, count=300):
    """Beside one commit and one produce by themselves, and beside the limit, which reads, commits once and produces once as well."""
    side = with_open(FEW)
    limit = Limit("limit", side, 1000)
    producer = Producer({"bootstrap.servers": BOOTSTRAP, "linger.ms": 0, "partitioner": "murmur2_random", "log_level": 0})
    found = {name: [] for name in ("sent to word", "there to word", "one commit", "one produce", "limit, sent to word")}
    try:
        limit.ping(50)
        for _ in range(rounds):
            sent, there = answer_round(side, producer, count)
            found["limit, sent to word"].append(statistics.median(limit.ping(count)) / 1e6)
            limit.stop()
            commits, sends = floor(side, producer, count)
            for name, value in (("sent to word", sent), ("there to word", there), ("one commit", statistics.median(commits)),
                                ("one produce", statistics.median(sends))):
                found[name].append(value)
    finally:
        limit.close()
        side.close()
    ratios = {"there to word, of one commit and one produce":
              [t / (c + p) for t, c, p in zip(found["there to word"], found["one commit"], found["one produce"])],
              "sent to word, of the limit": [s / x for s, x in zip(found["sent to word"], found["limit, sent to word"])]}
    table(f"Milliseconds from an answer to the final word, p50 of {count}, one at a time, and the floor (aim: twice)",
          ["", *(f"round {i + 1}" for i in range(rounds)), "median"],
          [[name, *(v * 1000 for v in values), statistics.median(values) * 1000] for name, values in found.items()]
          + [[name, *values, statistics.median(values)] for name, values in ratios.items()])
    return {"count": count, "seconds": found, "ratios": {name: statistics.median(values) for name, values in ratios.items()}}


def part(table, count, rounds):
    return {"answer": answering(table, rounds), "sweep": sweeping(table, rounds), "open": few_and_many(table, count, rounds)}
