# SPDX-License-Identifier: Apache-2.0
"""The history checker finds what it is for: each kind of violation is planted in a copy of one real history, and told by its rule."""
import ast
import json
import pathlib
import secrets

import pytest

import history
from history_policy import matches
from history_tools import canonical, parse
from house import House, Key, digest_of, policy
from plants import PLANTS, Plant
import plants_effects, plants_flood, plants_holds, plants_identity, plants_inputs, plants_ledger, plants_limits, plants_news, plants_override, plants_people, plants_votes, plants_words  # noqa: E401, F401


# on what is granted at once, and on what people grant
LIMITS = [{"id": f"often-{n}", "match": {"actions": [action]}, "key": ["agent_id", "tenant"], "count": {"max": 100, "per": "1h"}, "exceeded": "BLOCK"}
          for n, action in enumerate(("deployment.staging", "deployment.production"))]
LIMITS[0]["release_on_failure"] = True
LIMITS += [{**LIMITS[0], "id": "executions", "count": {"max": 1000, "per": "1h"}, "count_on": "execution"},
           {**LIMITS[1], "id": "questions", "count": {"max": 1000, "per": "1h"}, "count_on": "decision"}]


def staged(version, **changes):
    """The usual policy, in which a third may stand in for a pair that does not answer."""
    document = policy(version, limits=LIMITS, **changes)
    document["approvals"]["release"]["override"] = "breakers"
    document["approvals"]["ghosts"] = {"any_of": [{"group": "ghosts", "quorum": 1}], "ttl": "1h"}
    document["classes"][:0] = [
        {"id": "stranded", "actions": ["stranded.**"], "default": "REQUIRE_APPROVAL", "approval": "ghosts"},
        {"id": "rescued", "actions": ["rescued.**"], "default": "REQUIRE_APPROVAL", "approval": "ghosts",
         "failure": {"no_eligible_approver": "escalate"}, "fallback": {"group": "release-managers", "quorum": 1}}]
    document["approvals"]["pair"]["escalate"] = [{"after": "30m", "to": {"group": "release-managers", "quorum": 1}}]
    return document


class Town:
    """A house in which everything has happened that a history knows, and the ids of it."""

    def __init__(self, folder):
        (folder / "targets.json").write_text(json.dumps({"targets": [{"name": "journal", "channel": "log"}]}))
        self.house = house = House(policy=staged(1), settings={"evaluator": {"approvals.open_per_agent": "6"}, "notifier": {"notifier.targets_file": str(folder / "targets.json")}})
        for person, group in (("alice", "release-managers"), ("bob", "release-managers"), ("pia", "pair"), ("paul", "pair")):
            house.person(person, group)
        house.cli("agents", "add", "coding-agent-production", "--owner", "bob")
        self.allowed = house.ask(action="deployment.staging")
        request = house.last_request
        self.blocked = house.ask(action="data.export")
        self.invalid, self.stranger = house.ask(nonsense=1), house.ask(tenant="acme", action="deployment.staging")
        self.granted, self.denied, self.open = house.ask(), house.ask(), house.ask()
        asked = house.last_request
        self.signed, self.foreign = house.ask_signed("payments-1", key=house.agent("payments", "payments-*")), \
            house.ask_signed("another-agent", key=house.keys["payments"])
        self.pair, self.brief = house.ask(action="credential.rotate"), house.ask(action="deployment.brief")
        for request_id in (self.granted, self.denied, self.open, self.pair):
            house.word(request_id, "PENDING")
        self.again = house.ask(**{**asked, "request_id": None})
        house.word(self.again, "DENIED")
        self.flood = [house.ask(action="deployment.waiting") for _ in range(4)]
        house.publish("requests", b"no JSON at all", key="a key")
        for request_id, verdict in ((self.granted, "approve"), (self.denied, "deny")):
            house.word(request_id, "PENDING")
            house.answer(request_id, "alice", verdict)
        self.refused = house.answer(self.open, "bob")
        house.answer(self.open, "mallory", key=Key())
        self.repeat(house, request)
        early = {"agent_id": "a", "action": "deployment.production", "target": "t"}
        self.early = "early-" + secrets.token_hex(4)
        house.answer(self.early, "alice", digest=digest_of(early))
        house.eventually("SELECT count(*) FROM shelf", expected=[(1,)])
        for person in ("pia", "paul"):
            house.word(self.pair, "PENDING")
            house.answer(self.pair, person)
        house.word(self.allowed, "GRANTED")
        self.done, self.twice = house.report(self.allowed, "succeeded"), house.report(self.allowed, "succeeded")
        self.wrong = house.report(self.blocked, "started")
        for request_id, word in ((self.granted, "GRANTED"), (self.pair, "GRANTED"), (self.denied, "DENIED"), (self.brief, "EXPIRED")):
            house.word(request_id, word)
        self.take_back(house)
        self.override(house)
        self.fail(house)
        house.activate(staged(2))
        stricter = policy(3, rules=[{"id": "stop", "match": {"actions": ["deployment.**"]}, "decision": "BLOCK"}])
        house.cli("policy", "shadow", "-", stdin=json.dumps(stricter))
        self.later = house.ask(action="deployment.staging")
        self.stranded, self.rescued = house.ask(action="stranded.x", agent_id="lost"), house.ask(action="rescued.x", agent_id="lost")
        house.word(self.stranded, "DENIED")
        house.word(self.rescued, "PENDING")
        house.word(self.later, "GRANTED")
        house.expect("incidents", self.blocked)
        self.hold(house)

    def hold(self, house):
        """What was refused, what waited and was decided again, what waited too long, and what still waits: a request, and an approval."""
        def add(*options):
            return house.cli("hold", "add", *options, "--reason", "The cluster moves.").stdout.strip()

        def ask(target, action="deployment.staging", word="PENDING"):
            request_id = house.ask(action=action, target=target, agent_id="holder")
            house.word(request_id, word)
            return request_id
        number = add("--class", "deployment", "--queue")
        self.freed = ask("freed")
        house.cli("hold", "lift", number)
        house.word(self.freed, "GRANTED")
        add("--target", "stopped", "--refuse")
        self.stopped = ask("stopped", word="DENIED")
        self.kept = ask("kept", "deployment.production")
        add("--target", "kept", "--queue")
        house.answer(self.kept, "alice")
        house.expect("approvals", self.kept, cause="held")
        add("--target", "waiting", "--queue")
        for limit in ("1s", "24h"):
            house.stop("evaluator")
            house.settings["evaluator"]["holds.limit"] = limit
            house.start("evaluator")
            self.outlived = ask("waiting") if limit == "1s" else self.outlived
            house.word(self.outlived, "EXPIRED")
        self.waiting = ask("waiting")

    def take_back(self, house):
        """One that its agent withdraws, and one that is revoked, which is executed all the same."""
        house.person("otto", "operators")
        self.withdrawn, self.revoked = house.ask(agent_id="payments-2"), house.ask(agent_id="payments-3")
        for request_id in (self.withdrawn, self.revoked):
            house.word(request_id, "PENDING")
        house.answer(self.withdrawn, "payments-2", "withdraw", key=house.keys["payments"])
        house.answer(self.revoked, "alice")
        house.word(self.revoked, "GRANTED")
        house.answer(self.revoked, "alice", "revoke")
        house.word(self.revoked, "REVOKED")
        house.word(self.withdrawn, "CANCELLED")
        self.failed = house.report(self.pair, "failed", detail="no answer")
        house.report(self.revoked, "started")
        house.expect("incidents", self.revoked)

    def override(self, house):
        """Two that one person lets through alone, of which one is reviewed."""
        house.person("olga", "breakers")
        self.overridden, self.reviewed = house.ask(), house.ask(agent_id="another")
        for request_id in (self.overridden, self.reviewed):
            house.word(request_id, "PENDING")
            house.answer(request_id, "olga", "override", reason="the shop is down")
            house.word(request_id, "GRANTED")
        house.answer(self.reviewed, "olga", "review", reason="me again")
        house.answer(self.reviewed, "alice", "review", reason="it was needed")
        house.expect("approvals", self.reviewed, cause="reviewed")
        house.eventually("SELECT count(*) FROM approval_review WHERE closed_at IS NOT NULL", expected=[(1,)])

    def fail(self, house):
        """One that failed, which is signed, one of which others say otherwise, and one that a stranger has signed."""
        key = house.keys["payments"]
        self.broken, self.contested = (house.ask(action="deployment.staging", agent_id="payments-4") for _ in range(2))
        for request_id in (self.broken, self.contested):
            house.word(request_id, "GRANTED")
            self.failure = house.report(request_id, "failed", key=key)
        house.report(self.contested, "succeeded")
        house.report(self.broken, "rolled_back", key=house.agent("stranger"))
        house.expect("incidents", self.contested)

    def repeat(self, house, request):
        """The same id once more: with the same bytes, with the same meaning, and with another."""
        house.publish("requests", request, key=self.allowed)
        house.publish("requests", json.dumps(request, indent=2).encode(), key=self.allowed)
        house.publish("requests", {**request, "target": "another"}, key=self.allowed)


@pytest.fixture(scope="module")
def town(request, tmp_path_factory):
    from ending import finish
    town = Town(tmp_path_factory.mktemp("town"))
    history.settle(town.house)
    town.history = history.load(town.house)
    yield town
    finish(town.house, request)


def test_a_history_that_nobody_touched_has_no_violation(town):
    assert history.judge(town.history) == []
    assert all(town.history.tables[t] for t in history.TABLES if t not in ("shelf", "delivery_target")), "an empty table proves nothing"


HEARD = {}  # plant: the lines of the rules that it made complain


def spoil(town, rule, plant):
    spoiled, heard = Plant(town), set()
    plant(spoiled)
    found = history.judge(spoiled.history, heard)
    assert rule in {v.split(":")[0] for v in found}, found
    HEARD[plant] = heard


@pytest.mark.parametrize("rule, plant", PLANTS, ids=[plant.__name__ for _, plant in PLANTS])
def test_what_was_planted_is_found_by_its_rule(town, rule, plant):
    spoil(town, rule, plant)


def test_no_line_of_the_rules_is_one_that_never_complains(town):
    for rule, plant in PLANTS:
        if plant not in HEARD:
            spoil(town, rule, plant)
    lines = {(path.name, node.lineno) for path in pathlib.Path(__file__).parent.glob("history_*.py")
             for node in ast.walk(ast.parse(path.read_text()))
             if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "violate"}
    silent = sorted(lines - set().union(*HEARD.values()))
    assert len(lines) > 100 and not silent, "\n".join(f"{name}:{line}" for name, line in silent)


# ---------------------------------------------------------------- not in a copy

def rules_broken(house):
    return {v.split(":")[0] for v in history.judge(history.load(house))}


def as_owner(house, change):
    house.db.execute(f"SET session_replication_role = replica; {change}; RESET session_replication_role")


def test_hands_in_a_real_database_and_on_a_real_topic_are_found(build):
    house = build(policy=policy(), services=("evaluator", "relay"))
    first, second = house.ask(action="deployment.staging"), house.ask(action="logs.read")
    granted = house.word(first, "GRANTED")
    house.word(second, "GRANTED")
    headers = [(name, value.encode()) for name, value in granted.headers.items()]
    house.publish("authorizations", granted.raw, key=first, headers=headers)
    assert history.violations(house) == []  # said twice, as it may be
    house.publish("authorizations", granted.raw.replace(b"GRANTED", b"REVOKED"), key=first, headers=headers)
    assert rules_broken(house) == {"changed"}
    for service in house.services:
        house.stop(service)
    as_owner(house, f"UPDATE authorization_status SET expires_at = expires_at + interval '1 day' WHERE request_id = '{second}'")
    assert rules_broken(house) == {"changed", "said", "terms", "token"}
    as_owner(house, f"UPDATE authorization_status SET expires_at = expires_at - interval '1 day' WHERE request_id = '{second}'")
    as_owner(house, "UPDATE consumer_position SET next_offset = next_offset + 1")
    assert rules_broken(house) == {"changed", "position"}
    as_owner(house, "UPDATE consumer_position SET next_offset = 0")
    assert rules_broken(house) == {"changed", "before-position"}
    house.forged, house.allowed = True, {"changed", "before-position"}
    house.observer.events = [e for e in house.observer.events if e.body.get("status") != "REVOKED"]


# ---------------------------------------------------------------- what the rules compute with

@pytest.mark.parametrize("number, text", [
    ("1.0", "1"), ("-0.0", "0"), ("4.50", "4.5"), ("2e-3", "0.002"), ("1e-6", "0.000001"), ("1e-7", "1e-7"), ("1.5e-7", "1.5e-7"),
    ("1e21", "1e+21"), ("1e20", "100000000000000000000"), ("333333333.33333329", "333333333.3333333"), ("123456.789e3", "123456789"),
    ("0.000000000000000000000000001", "1e-27"), ("-1.25", "-1.25"), ("9007199254740991", "9007199254740991"), ("1.7976931348623157e308",
                                                                                                              "1.7976931348623157e+308")])
def test_numbers_have_the_form_of_rfc_8785(number, text):
    assert canonical(parse(f'{{"n":{number},"é":"\\u0007\\u00e9/"}}'.encode())) == f'{{"n":{text},"é":"\\u0007é/"}}'


@pytest.mark.parametrize("pattern, text, expected", [
    ("**", "a.b/c", True), ("a.**", "a", True), ("a.**", "a.b/c", True), ("a.**", "a/b", False), ("**.read", "read", True),
    ("**.read", "x/y.read", True), ("**.read", "x.ready", False), ("a.*.c", "a.b.c", True), ("a.*.c", "a.b.b.c", False),
    ("a.**.c", "a.c", True), ("a.**.c", "a.x/y.c", True), ("d*t.*", "deployment.x", True), ("a", "a.b", False), ("a.b", "a/b", False)])
def test_patterns_match_by_segments(pattern, text, expected):
    assert matches(pattern, text) is expected
