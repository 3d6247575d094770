# SPDX-License-Identifier: Apache-2.0
"""Limits: so much and not one more, whoever decides and however often, and what is over counts no more."""
import json

import psycopg
import pytest

from ending import finish
from house import House, policy
from test_faults import waits_for_a_lock

INPUTS = {"amount_minor": {"type": "int", "min": 0, "max": 1_000_000}, "currency": {"type": "string", "enum": ["EUR", "USD"]},
          "customer": {"type": "string", "max": 200, "sensitive": True}, "environment": {"type": "string"}, "tests_passed": {"type": "bool"}}


def limited(*limits, version=1, **changes):
    document = policy(version, inputs=INPUTS, limits=list(limits), **changes)
    document["rules"].append({"id": "refunds", "match": {"actions": ["payment.refund"]}, "decision": "ALLOW", "reason": "Refunds."})
    return document


def counts(most, id="refunds", key=("agent_id",), per="1h", exceeded="BLOCK", **members):
    return {"id": id, "match": {"actions": ["payment.*"]}, "key": list(key), "count": {"max": most, "per": per}, "exceeded": exceeded, **members}


def sums(most, id="spend", key=("tenant", "context.currency"), per="24h", exceeded="BLOCK", **members):
    return {"id": id, "match": {"actions": ["payment.*"]}, "key": list(key), "sum": {"of": "context.amount_minor", "max": most, "per": per},
            "exceeded": exceeded, **members}


def refund(house, amount=100, agent="agent-1", **members):
    context = {"amount_minor": amount, "currency": "EUR", **members.pop("context", {})}
    return house.ask(agent_id=agent, action="payment.refund", target="order", context=context, **members)


def verdicts(house, *ids, ordered=True):
    """Of requests at the same moment nobody knows which is first, unless they are in one partition."""
    found = [house.expect("authorizations", i).body["status"] for i in ids]
    return found if ordered else sorted(found)


def used(house, limit="refunds"):
    return house.sql("SELECT key, used, uses FROM limit_usage WHERE limit_id = %s AND used > 0 ORDER BY key", limit)


def both(house):
    """Waits until two evaluators share the partitions."""
    house.eventually("SELECT count(DISTINCT owner) FROM consumer_position WHERE topic LIKE '%%requests'", expected=[(2,)], timeout=40)


def held(house):
    """All heads of the ledger in somebody's hand: a batch waits with all that it has done and not committed."""
    other = psycopg.connect(house.owner_uri)
    other.execute("SELECT FROM countersign.ledger_head FOR UPDATE")
    return other


def test_two_evaluators_and_a_burst_over_all_partitions_grant_exactly_as_much_as_is_allowed(build):
    race = {**counts(3, "race", key=["target"]), "match": {"targets": ["race"]}}
    house = build(policy=limited(counts(25), sums(7_000), race), services=("evaluator", "relay"))
    house.start("evaluator", "-2")
    both(house)
    racing = {"agent_id": "racer", "action": "payment.refund", "target": "race", "context": {"amount_minor": 0, "currency": "EUR"}}
    house.word(house.ask(**racing), "GRANTED")
    with held(house) as other:
        close = [house.ask(**racing, flush=False) for _ in range(24)]
        house.producer.flush(30)
        house.eventually("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'countersign-evaluator'"
                         " AND wait_event_type = 'Lock'", expected=[(2,)])  # one has used it and not committed, the other waits for it
        other.rollback()
    assert verdicts(house, *close).count("GRANTED") == 2 and used(house, "race") == [('["race"]', 3, 3)]
    asked = [refund(house, 100, agent=f"agent-{n % 3}", flush=False) for n in range(240)]
    house.producer.flush(30)
    house.eventually("SELECT count(*) FROM decision", expected=[(265,)], timeout=60)
    more = [refund(house, 100, agent="agent-1") for _ in range(5)]
    words = verdicts(house, *asked, *more)
    assert words.count("GRANTED") == 70 and house.one("SELECT count(*) FROM decision WHERE verdict = 'ALLOW'") == 73
    assert [row[1:] for row in used(house, "spend")] == [(7000, 70)]
    assert sum(row[1] for row in used(house)) == 73 and all(row[1] <= 25 for row in used(house))
    exceeded = [house.metrics(f"evaluator{n}").get('countersign_limits_exceeded_total{policy="walk",limit="spend"}', 0) for n in ("", "-2")]
    assert all(exceeded), exceeded


# ---------------------------------------------------------------- in one house

@pytest.fixture(scope="module")
def house(request):
    limits = [counts(3), {**counts(1, "transfers", exceeded="REQUIRE_APPROVAL", approval="pair"), "match": {"actions": ["payment.transfer"]}},
              {**counts(2, "releases", key=["target"]), "match": {"actions": ["deployment.production"]}},
              {**counts(1, "canaries", key=["target"], exceeded="REQUIRE_APPROVAL", approval="pair"), "match": {"actions": ["deployment.canary"]}},
              {**sums(1000, "per-customer", key=["context.customer"], warn_at=0.8), "match": {"actions": ["payment.refund"]},
               "when": "has(context.customer)"}]
    limits[0]["match"] = {"actions": ["payment.refund"]}
    for name, window in (("held", "sliding"), ("held-bucket", "token_bucket")):
        limits.append({**counts(2, name, key=["target"], count_on="decision", window=window), "match": {"targets": [name]}})
    for name, window in (("run", "sliding"), ("run-bucket", "token_bucket")):
        limits.append({**counts(1, name, key=["target"], count_on="execution", window=window, report_within="1s"), "match": {"targets": [name]}})
    document = limited(*limits)
    document["classes"].insert(0, {"id": "short", "actions": ["short.**"], "default": "ALLOW", "valid_for": "1s"})
    document["rules"].append({"id": "transfers", "match": {"actions": ["payment.transfer"]}, "decision": "ALLOW"})
    house = House(policy=document, services=("evaluator", "resolver", "recorder", "relay"))
    house.document = document
    house.person("alice", "release-managers")
    for person in ("pia", "paul"):
        house.person(person, "pair")
    yield house
    finish(house, request)


def explained(house, request_id, limit, n=0):
    explanation = house.one("SELECT explanation FROM decision WHERE request_id = %s AND n = %s", request_id, n)
    return next(one for one in explanation["limits"] if one["limit"] == limit)


def test_a_request_that_is_said_again_counts_once(house):
    first = refund(house, agent="again")
    for _ in range(3):
        house.publish("requests", house.last_request, key=first)
    house.word(first, "GRANTED")
    rest = [refund(house, agent="again") for _ in range(4)]
    words = verdicts(house, *rest)
    assert sorted(words) == ["DENIED"] * 2 + ["GRANTED"] * 2
    assert ('["again"]', 3, 3) in used(house)
    late = rest[words.index("DENIED")]
    denied = house.word(late, "DENIED").body
    assert denied["reason"]["code"] == "limit_exceeded" and "refunds" in denied["reason"]["text"]
    shown = explained(house, late, "refunds")
    assert {**shown, "resets_at": None} == {"limit": "refunds", "exceeded": True, "key": '["again"]', "used": 3, "amount": 1, "max": 3, "resets_at": None}
    granted = house.one("SELECT decided_at + interval '1 hour' FROM decision WHERE request_id = %s", first)
    assert shown["resets_at"] == granted.strftime("%Y-%m-%dT%H:%M:%S.%f").rstrip("0") + "Z"


def test_what_is_blocked_or_refused_uses_nothing(house):
    assert verdicts(house, refund(house, agent="careful", context={"colour": "red"}), refund(house, agent="careful", context={"currency": None})) == ["DENIED", "DENIED"]
    assert verdicts(house, *[refund(house, agent="careful") for _ in range(4)], ordered=False) == ["DENIED"] + ["GRANTED"] * 3


def test_requests_of_one_batch_see_each_other_in_order(house):
    house.stop("evaluator")
    asked = [refund(house, agent="batch", request_id=f"batch-{n}", flush=False) for n in range(6)]
    house.producer.flush(30)
    house.start("evaluator")
    words = dict(zip(asked, verdicts(house, *asked)))
    assert list(words.values()).count("GRANTED") == 3
    for partition in range(6):
        ordered = [r for r, in house.sql("SELECT request_id FROM request WHERE origin_partition = %s AND agent_id = 'batch' ORDER BY origin_offset", partition)]
        granted = [words[r] == "GRANTED" for r in ordered]
        assert granted == sorted(granted, reverse=True)


def test_a_limit_that_asks_is_granted_by_people_and_counts_on(house):
    transfer = {"agent_id": "mover", "action": "payment.transfer", "context": {"amount_minor": 1, "currency": "EUR"}}
    ids = [house.ask(**transfer)]
    house.word(ids[0], "GRANTED")
    ids.append(house.ask(**transfer))
    house.word(ids[1], "PENDING")
    assert used(house, "transfers") == [('["mover"]', 1, 1)]
    for person in ("pia", "paul"):
        house.answer(ids[1], person)
    house.word(ids[1], "GRANTED")
    assert used(house, "transfers") == [('["mover"]', 2, 2)]


def test_a_question_uses_nothing_until_it_is_granted_and_is_blocked_when_others_were_faster(house):
    asked = [house.ask(action="deployment.production", target="shop") for _ in range(4)]
    for request_id in asked:
        house.word(request_id, "PENDING")
    assert house.sql("SELECT count(*) FROM limit_use JOIN limit_counter USING (counter) WHERE limit_id = 'releases'") == [(0,)]
    house.answer(asked[0], "alice", "deny")
    house.word(asked[0], "DENIED")
    for request_id in asked[1:]:
        house.answer(request_id, "alice", flush=False)
    house.producer.flush(30)
    words = [next(w for w in (house.observer.wait(lambda e: e.topic == "authorizations" and e.key == r and e.body["status"] != "PENDING", 20),)) for r in asked[1:]]
    assert sorted(w.body["status"] for w in words) == ["DENIED", "GRANTED", "GRANTED"]
    denied = next(w.body for w in words if w.body["status"] == "DENIED")
    assert denied["reason"]["code"] == "limit_exceeded" and denied["decision"] == "BLOCK"
    assert used(house, "releases") == [('["shop"]', 2, 2)]


def test_a_limit_that_was_reached_meanwhile_asks_once_more(house):
    first, second = house.ask(action="deployment.canary", target="web"), house.ask(action="deployment.canary", target="web")
    house.word(first, "PENDING"), house.word(second, "PENDING")
    house.answer(first, "alice")
    house.word(first, "GRANTED")
    house.answer(second, "alice")
    house.expect("approvals", second, cause="policy_changed")
    for person in ("pia", "paul"):
        house.answer(second, person)
    house.word(second, "GRANTED")
    assert house.words(second) == ["PENDING", "GRANTED"] and used(house, "canaries") == [('["web"]', 2, 2)]


def test_a_key_that_is_sensitive_is_shown_to_nobody_and_a_warning_is_told(house):
    before = house.metrics("evaluator").get('countersign_limit_warnings_total{policy="walk",limit="per-customer"}', 0)
    ids = []
    for amount, word in ((799, "GRANTED"), (1, "GRANTED"), (200, "GRANTED"), (201, "DENIED")):
        ids.append(refund(house, amount, agent=f"keen-{amount}", context={"customer": "Erika Mustermann"}))
        house.word(ids[-1], word)
    for request_id in ids:
        assert explained(house, request_id, "per-customer")["key"] == "(hidden)"
    assert [row[1] for row in used(house, "per-customer")] == [1000] and used(house, "per-customer")[0][0] == '["(hidden)"]'
    assert house.metrics("evaluator")['countersign_limit_warnings_total{policy="walk",limit="per-customer"}'] == before + 2
    assert [explained(house, r, "per-customer").get("warns", False) for r in ids] == [False, True, True, True]
    assert "Mustermann" not in house.log("evaluator")


def test_a_batch_that_was_rolled_back_or_killed_uses_nothing(house):
    for n, end in enumerate(("terminated", "killed")):
        agent = f"unlucky-{n}"
        with held(house) as other:
            asked = [refund(house, agent=agent) for _ in range(5)]
            waits_for_a_lock(house, "evaluator")
            if end == "killed":
                house.kill("evaluator")
            else:
                house.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
                          " AND application_name LIKE '%%evaluator%%'")
            other.rollback()
        if end == "killed":
            house.start("evaluator")
        assert verdicts(house, *asked, ordered=False) == ["DENIED"] * 2 + ["GRANTED"] * 3
        assert (f'["{agent}"]', 3, 3) in used(house)


def test_a_new_version_of_the_policy_goes_on_counting(house):
    assert verdicts(house, *[refund(house, agent="patient") for _ in range(3)]) == ["GRANTED"] * 3
    house.document["version"] += 1
    house.document["limits"][0]["count"]["max"] = 4
    house.activate(house.document)
    try:
        assert verdicts(house, *[refund(house, agent="patient") for _ in range(2)], ordered=False) == ["DENIED", "GRANTED"]
    finally:
        house.document["version"] += 1
        house.document["limits"][0]["count"]["max"] = 3
        house.activate(house.document)
    assert verdicts(house, refund(house, agent="patient")) == ["DENIED"]


def test_what_is_over_is_forgotten(house):
    house.document["version"] += 1
    house.document["limits"].append({**counts(9, "brief", per="1s"), "match": {"actions": ["payment.refund"]}})
    house.activate(house.document)
    house.word(refund(house, agent="passing"), "GRANTED")
    assert house.one("SELECT count(*) FROM limit_counter WHERE limit_id = 'brief'") == 1
    kept = house.one("SELECT count(*) FROM limit_counter WHERE over_at > clock_timestamp()")
    house.eventually("SELECT over_at < clock_timestamp() FROM limit_counter WHERE limit_id = 'brief'", expected=[(True,)])
    house.stop("recorder")
    house.start("recorder")
    house.eventually("SELECT count(*) FROM limit_counter WHERE limit_id = 'brief'", expected=[(0,)])
    assert house.one("SELECT count(*) FROM limit_use JOIN limit_counter USING (counter) WHERE limit_id = 'brief'") == 0
    assert house.one("SELECT count(*) FROM limit_counter") >= kept - 1 > 0


# ---------------------------------------------------------------- places: before people have answered, before anybody has reported

def holds(house, limit):
    """Places and uses of a limit with one key."""
    return house.sql("SELECT held, used FROM limit_usage WHERE limit_id = %s", limit)


def question(house, target, word="PENDING", action="deployment.production"):
    request_id = house.ask(action=action, target=target)
    house.word(request_id, word)
    return request_id


@pytest.mark.parametrize("target", ["held", "held-bucket"])
def test_a_question_holds_its_place_until_people_have_answered(house, target):
    first, second = question(house, target), question(house, target)
    late = question(house, target, "DENIED")
    assert explained(house, late, target)["used"] == 2 and holds(house, target) == [(2, 2)]
    house.answer(first, "alice", "deny")
    house.word(first, "DENIED")
    third = question(house, target)
    question(house, target, "DENIED")
    for request_id in (second, third):
        house.answer(request_id, "alice")
        house.word(request_id, "GRANTED")
    assert holds(house, target) == [(0, 2)]
    question(house, target, "DENIED")


def test_a_question_that_nobody_answered_or_could_answer_gives_its_place_back(house):
    house.document["version"] += 1
    house.document["limits"].append({**counts(1, "quick", key=["target"], count_on="decision"), "match": {"targets": ["quick"]}})
    house.activate(house.document)
    nobody = {"action": "deployment.brief", "agent_id": "alice"}  # the only one who could answer asks
    request_id = house.ask(**nobody, target="quick")
    house.word(request_id, "DENIED")
    first = question(house, "quick", action="deployment.brief")
    question(house, "quick", "DENIED", action="deployment.brief")
    house.word(first, "EXPIRED")
    second = question(house, "quick", action="deployment.brief")
    house.word(second, "EXPIRED")
    house.eventually("SELECT held, used FROM limit_usage WHERE limit_id = 'quick'", expected=[(0, 0)])


@pytest.mark.parametrize("target", ["run", "run-bucket"])
def test_what_is_granted_holds_a_place_until_it_is_reported_on_or_too_late(house, target):
    unused = question(house, target, "GRANTED", action="short.walk")
    assert explained(house, question(house, target, "DENIED", action="short.walk"), target)["used"] == 1
    assert holds(house, target)[0][1] == 1
    house.eventually("SELECT held, used FROM limit_usage WHERE limit_id = %s", target, expected=[(0, 0)])
    used = question(house, target, "GRANTED", action="short.walk")
    house.report(used, "started")
    house.eventually("SELECT held, used FROM limit_usage WHERE limit_id = %s", target, expected=[(0, 1)])
    house.report(used, "succeeded")
    house.eventually("SELECT count(*) FROM outcome WHERE request_id = %s", used, expected=[(2,)])
    house.eventually("SELECT bool_and(expires_at + interval '1 second' < clock_timestamp()) FROM authorization_status WHERE request_id = %s AND final", used, expected=[(True,)])
    question(house, target, "DENIED", action="short.walk")
    house.report(unused, "failed")  # late, and counted all the same
    house.eventually("SELECT held, used FROM limit_usage WHERE limit_id = %s", target, expected=[(0, 2)])
    assert explained(house, question(house, target, "DENIED", action="short.walk"), target)["used"] == 2


def test_a_report_that_comes_when_all_is_over_is_taken_like_any_other(house):
    """The place it held went when the counter was looked at; the counter itself is there for what came later."""
    house.document["version"] += 1
    house.document["limits"].append({**counts(9, "over", key=["target"], per="2s", count_on="execution", report_within="1s"), "match": {"targets": ["over"]}})
    house.activate(house.document)
    late = question(house, "over", "GRANTED", action="short.walk")
    house.eventually("SELECT held_until + interval '1500 milliseconds' < clock_timestamp() FROM limit_use WHERE request_id = %s", late, expected=[(True,)])
    question(house, "over", "GRANTED", action="short.walk")
    house.eventually("SELECT held_until + interval '2100 milliseconds' < clock_timestamp() FROM limit_use WHERE request_id = %s", late, expected=[(True,)])
    house.report(late, "succeeded")
    house.eventually("SELECT judgement FROM outcome WHERE request_id = %s", late, expected=[("executed_after_expiry",)])
    assert house.one("SELECT count(*) FROM limit_use WHERE request_id = %s", late) == 0


def test_a_place_is_kept_while_the_recorder_tidies_up(house):
    house.document["version"] += 1
    house.document["limits"].append({**counts(1, "kept", key=["target"], per="1s", count_on="decision"), "match": {"targets": ["kept"]}})
    house.activate(house.document)
    request_id = question(house, "kept")
    house.eventually("SELECT over_at < clock_timestamp() FROM limit_counter WHERE limit_id = 'kept'", expected=[(True,)])
    house.stop("recorder")
    house.start("recorder")
    question(house, "kept", "DENIED")
    house.answer(request_id, "alice", "deny")
    house.word(request_id, "DENIED")
    house.stop("recorder")
    house.start("recorder")
    house.eventually("SELECT count(*) FROM limit_counter WHERE limit_id = 'kept'", expected=[(0,)])
