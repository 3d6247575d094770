# SPDX-License-Identifier: Apache-2.0
"""What is asked, answered and reported during a random schedule, and what may become of it.

A tale is everything that is sent about one request id: records with their moments, drawn from the seed alone, and the
results that are legal whatever breaks meanwhile. Most have one; where timing decides, there are a few.
"""
import json

from house import digest_of, execution_of, now, rfc3339

AGENT = "coding-agent-production"
PENDING, GRANTED, DENIED, EXPIRED = "PENDING", "GRANTED", "DENIED", "EXPIRED"
TAKEN, QUARANTINED, SHELVED, EITHER = "taken", "quarantined", "shelved", "either"
PARTITIONS = 6


class Step:
    """One record: when and where it is sent, how its bytes are made then, and what must become of it."""

    def __init__(self, at, topic, make, becomes, key, partition=None):
        self.at, self.topic, self.make, self.becomes, self.key, self.partition = max(at, 0.0), topic, make, becomes, key, partition
        self.origin = None  # topic, partition and offset, once the broker has told

    def send(self, house):
        value, headers = self.make(house)
        more = {} if self.partition is None else {"partition": self.partition}

        def delivered(error, message):
            assert error is None, f"{message.topic()}: {error}"
            self.origin = (self.topic, message.partition(), message.offset())
            house.said.append((message.topic(), message.partition(), message.offset(), message.key(), value, headers))
        house.producer.produce(house.prefix + self.topic, value=value, key=self.key, headers=headers, on_delivery=delivered, **more)


class Tale:
    def __init__(self, request_id, kind, at):
        self.id, self.kind, self.at = request_id, kind, at
        self.steps, self.words, self.results, self.judgements, self.request = [], set(), {}, {()}, None

    def __repr__(self):
        return f"{self.id} ({', '.join(f'{s.topic} at {s.at:.2f} as {s.origin}' for s in self.steps)})"

    def may_become(self, *words):
        self.words = {w if isinstance(w, tuple) else (w,) for w in words}

    def ask(self, after=0.0, becomes=TAKEN, partition=None, **members):
        request = {"request_id": self.id, "agent_id": AGENT, "action": "deployment.production", "target": "customer-api",
                   "context": {"environment": "production", "tests_passed": True}, "execution": execution_of(self.id), **members}
        self.request = self.request or request
        self.send("requests", after, json.dumps(request).encode(), becomes, partition=partition)

    def send(self, topic, after, value, becomes, key=..., partition=None):
        self.steps.append(Step(self.at + after, topic, lambda house: (value, []), becomes, self.id if key is ... else key, partition))

    def vote(self, after, person, *results, verdict="approve", n=None, becomes=TAKEN, signer=None, forged=False, **members):
        """A signed answer under the id of its number; results are those that its row may have."""
        name = f"{self.id}-v{len(self.steps) if n is None else n}"

        def make(house):
            response = {"response_id": name, "tenant": "default", "request_id": self.id, "verdict": verdict, "responder": person,
                        "issued_at": rfc3339(now()), "request_digest": digest_of(self.request), **members}
            raw = json.dumps(response).encode()
            key = house.keys[signer or person]
            return raw, [("signature", key.detached(raw + b" " if forged else raw).encode())]
        self.steps.append(Step(self.at + after, "responses", make, becomes, self.id))
        if results:
            self.results[name] = set(results)
        return self.steps[-1]

    def again(self, after, step):
        """The very bytes of an earlier step once more."""
        step.make = remembered(step.make)
        self.steps.append(Step(self.at + after, step.topic, step.make, step.becomes, step.key))

    def report(self, after, status, n=None, becomes=TAKEN, **members):
        name = f"{self.id}-o{len(self.steps) if n is None else n}"

        def make(_):
            outcome = {"outcome_id": name, "tenant": "default", "request_id": self.id, "status": status, "reported_by": "deployer",
                       "request_digest": digest_of(self.request), "occurred_at": rfc3339(now()), **members}
            return json.dumps(outcome).encode(), []
        self.steps.append(Step(self.at + after, "outcomes", make, becomes, self.id))
        return self.steps[-1]


def remembered(make):
    made = []

    def once(house):
        if not made:
            made.append(make(house))
        return made[0]
    return once


# ------------------------------------------------------------ how long after its request something is sent

def soon(r):
    return r.choice((r.uniform(0, 0.02), r.uniform(0, 1.5), r.uniform(1.5, 6)))


def whenever(r):
    """Also before its request."""
    return r.choice((r.uniform(-1, 0), soon(r)))


def elsewhere(r):
    """Two partitions: the records are about one id, and nothing orders them."""
    return r.sample(range(PARTITIONS), 2)


# ------------------------------------------------------------ the tales

def allowed(t, r):
    t.ask(action=r.choice(("deployment.staging", "logs.read")))
    t.may_become(GRANTED)


def blocked(t, r):
    t.ask(action=r.choice(("data.export", "payment.refund", "unheard.of")))
    t.may_become(DENIED)


def impatient(t, r):
    t.ask(action="deployment.staging", deadline="2026-01-01T00:00:00Z")
    t.may_become(DENIED)


def repeated(t, r):
    for after in (0, soon(r), soon(r))[:r.randint(2, 3)]:
        t.ask(after, action="deployment.staging")
    t.may_become(GRANTED)


def repeated_elsewhere(t, r):
    for partition in elsewhere(r):
        t.ask(r.choice((0, 0, soon(r))), action="data.export", partition=partition)
    t.may_become(DENIED)


def conflicting(t, r):
    t.ask(action="deployment.staging")
    t.ask(soon(r), QUARANTINED, action="data.export")
    t.may_become(GRANTED)


def conflicting_elsewhere(t, r):
    one, other = elsewhere(r)
    t.ask(0, EITHER, action="deployment.staging", partition=one)
    t.ask(r.choice((0, 0, soon(r))), EITHER, action="data.export", partition=other)
    t.may_become(GRANTED, DENIED)


def malformed(t, r):
    value = r.choice((b'{"agent_id": "a",}', b"42", b"", None, b'{"agent_id": "\xff"}', b'{"nonsense": 1}'))
    for after in (0, soon(r))[:r.randint(1, 2)]:
        t.send("requests", after, value, QUARANTINED)
    t.may_become(DENIED)


def garbage(t, r):
    """Nobody's: not even an id can be read."""
    t.send(r.choice(("requests", "responses", "outcomes")), 0, r.choice((b"\x00\x01", b"{", b"[]", None)), QUARANTINED, key=None,
           partition=r.randrange(PARTITIONS))
    t.may_become(())


def unanswered(t, r):
    t.ask()
    t.may_become((PENDING,))


def approved(t, r):
    t.ask()
    vote = t.vote(whenever(r), "alice", "counted")
    if r.random() < 0.3:
        t.again(soon(r), vote)
    t.may_become((PENDING, GRANTED))


def approved_twice(t, r):
    t.ask()
    for person in r.sample(("alice", "carol"), 2):
        t.vote(whenever(r), person, "counted", "already_decided")
    t.may_become((PENDING, GRANTED))


def denied(t, r):
    t.ask()
    t.vote(whenever(r), "carol", "counted", verdict="deny")
    t.may_become((PENDING, DENIED))


def disputed(t, r):
    t.ask()
    after = whenever(r)
    for person, verdict in r.sample((("alice", "approve"), ("carol", "deny")), 2):
        t.vote(after, person, "counted", "already_decided", verdict=verdict)
    t.may_become((PENDING, GRANTED), (PENDING, DENIED))


def forgotten(t, r):
    t.ask(action="deployment.brief")
    t.may_become((PENDING, EXPIRED))


def nearly_late(t, r):
    t.ask(action="deployment.brief")
    t.vote(r.uniform(-0.5, 3), "alice", "counted", "approval_expired")
    t.may_become((PENDING, GRANTED), (PENDING, EXPIRED))


def by_two(t, r):
    t.ask(action="credential.rotate")
    for person in r.sample(("pia", "paul"), 2):
        t.vote(whenever(r), person, "counted")
    t.may_become((PENDING, GRANTED))


def by_one_of_two(t, r):
    t.ask(action="credential.rotate")
    for _ in range(2):
        t.vote(whenever(r), "pia", "counted", "repeated")
    t.may_become((PENDING,))


def denied_by_the_other(t, r):
    t.ask(action="credential.rotate")
    t.vote(whenever(r), "pia", "counted", "already_decided")
    t.vote(whenever(r), "paul", "counted", verdict="deny")
    t.may_become((PENDING, DENIED))


def refused(t, r, *more):
    t.ask()
    ways = (lambda: t.vote(whenever(r), "mallory", "not_a_member", *more),
            lambda: t.vote(whenever(r), "bob", "responder_is_requester", *more),
            lambda: t.vote(whenever(r), "alice", "digest_mismatch", *more, request_digest="sha-256:" + "0" * 64),
            lambda: t.vote(whenever(r), "alice", "responder_not_key_owner", signer="mallory"),
            lambda: t.vote(whenever(r), "alice", becomes=QUARANTINED, forged=True))
    for way in r.sample(ways, r.randint(1, 3)):
        way()
    t.may_become((PENDING,))


def refused_then_approved(t, r):
    refused(t, r, "already_decided")
    t.vote(whenever(r), "carol", "counted")
    t.may_become((PENDING, GRANTED))


def two_verdicts_under_one_id(t, r):
    t.ask()
    after = whenever(r)
    for verdict in r.sample(("approve", "deny"), 2):
        t.vote(after, "alice", "counted", verdict=verdict, n=0, becomes=EITHER)
    t.may_become((PENDING, GRANTED), (PENDING, DENIED))


def pointless(t, r):
    t.ask(action="deployment.staging")
    t.vote(whenever(r), "alice", "no_approval", verdict="deny")
    t.may_become(GRANTED)


def judged(t, *judgements):
    t.judgements = {tuple(sorted(j)) for j in judgements}


def executed(t, r):
    t.ask(action="deployment.staging")
    for status in ("started", r.choice(("succeeded", "failed"))):
        t.report(whenever(r), status)
    t.may_become(GRANTED)
    judged(t, ("authorized", "authorized"))


def executed_twice(t, r):
    t.ask(action="deployment.staging")
    for _ in range(2):
        t.report(whenever(r), "started")
    t.may_become(GRANTED)
    judged(t, ("authorized", "executed_twice"))


def reported_again(t, r):
    t.ask(action="deployment.staging")
    t.again(whenever(r), t.report(whenever(r), "succeeded"))
    t.may_become(GRANTED)
    judged(t, ("authorized",))


def two_reports_under_one_id(t, r):
    t.ask(action="deployment.staging")
    for status in ("succeeded", "failed"):
        t.report(whenever(r), status, n=0, becomes=EITHER)
    t.may_become(GRANTED)
    judged(t, ("authorized",))


def something_else_executed(t, r):
    t.ask(action="deployment.staging")
    t.report(whenever(r), "started", request_digest="sha-256:" + "1" * 64)
    t.may_become(GRANTED)
    judged(t, ("executed_with_other_digest",))


def executed_all_the_same(t, r):
    t.ask(action="data.export")
    t.report(whenever(r), "succeeded")
    t.may_become(DENIED)
    judged(t, ("executed_after_denial",))


def approved_and_executed(t, r):
    t.ask()
    after = whenever(r)
    t.vote(after, "alice", "counted")
    t.report(after + soon(r), "started")
    t.may_become((PENDING, GRANTED))
    judged(t, ("authorized",), ("executed_without_authorization",))


def never_asked(t, r):
    t.request = {"agent_id": AGENT, "action": "deployment.staging", "target": "customer-api"}
    if r.random() < 0.5:
        t.report(0, "started", becomes=SHELVED)
    else:
        t.vote(0, "alice", becomes=SHELVED)
    t.may_become(())


KINDS = {allowed: 4, blocked: 3, impatient: 1, repeated: 2, repeated_elsewhere: 2, conflicting: 2, conflicting_elsewhere: 2, malformed: 2,
         garbage: 2, unanswered: 2, approved: 4, approved_twice: 2, denied: 2, disputed: 3, forgotten: 3, nearly_late: 4, by_two: 4,
         by_one_of_two: 2, denied_by_the_other: 2, refused: 2, refused_then_approved: 2, two_verdicts_under_one_id: 2, pointless: 1,
         executed: 3, executed_twice: 2, reported_again: 2, two_reports_under_one_id: 2, something_else_executed: 1,
         executed_all_the_same: 1, approved_and_executed: 2, never_asked: 1}


def tell(r, seed, count, span, moments):
    """So many tales, of every kind at least one, spread over that many seconds; most begin about one of the moments."""
    kinds = list(KINDS) + r.choices(list(KINDS), list(KINDS.values()), k=count - len(KINDS))
    r.shuffle(kinds)
    tales = []
    for n, kind in enumerate(kinds):
        at = r.gauss(r.choice(moments), r.choice((0.02, 0.3))) if r.random() < 0.7 else r.uniform(0, span)
        tale = Tale(f"s{seed}-{kind.__name__}-{n}", kind.__name__, min(max(at, 0), span + 1))
        kind(tale, r)
        tales.append(tale)
    return tales
