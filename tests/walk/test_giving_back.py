# SPDX-License-Identifier: Apache-2.0
"""release_on_failure: what a request used is given back when its execution failed and who executed has signed that; once, and to nobody who only says so."""
import secrets
from datetime import timedelta

import pytest

from ending import finish
from house import House
from test_limits import counts, limited

# name: members of a limit of one, by target
KINDS = {"sliding": {}, "fixed": {"window": "fixed"}, "bucket": {"window": "token_bucket"}, "asked": {"count_on": "decision"},
         "run": {"count_on": "execution"}, "run-bucket": {"count_on": "execution", "window": "token_bucket"}}


def gives_back(most, name, **members):
    return {**counts(most, name, key=["target"], release_on_failure=True, **members), "match": {"targets": [f"{name}:*"]}}


@pytest.fixture(scope="module")
def house(request):
    limits = [gives_back(1, name, per="720h", **members) for name, members in KINDS.items()]
    limits += [gives_back(2, "brief", per="1s"), gives_back(2, "soon", per="3s"), gives_back(2, "leaky", per="4s", window="token_bucket"),
               {**counts(1, "hard", key=["target"], per="720h"), "match": {"targets": ["hard:*"]}}]
    document = limited(*limits)
    document["classes"].insert(0, {"id": "short", "actions": ["short.**"], "default": "ALLOW", "valid_for": "1s"})
    house = House(policy=document, services=("evaluator", "resolver", "recorder", "relay"))
    house.document = document
    house.person("alice", "release-managers")
    house.key = house.agent("runner", "coding-agent-*")
    yield house
    finish(house, request)


def microseconds(span):
    return span // timedelta(microseconds=1)


def target_of(kind):
    return f"{kind}:{secrets.token_hex(4)}"


def ask(house, target, word="GRANTED", action="deployment.staging"):
    request_id = house.ask(action=action, target=target)
    house.word(request_id, word)
    return request_id


def report(house, request_id, status="failed", signed=True, judgement="authorized", **members):
    outcome_id = house.report(request_id, status, key=house.key if signed else None, **members)
    house.eventually("SELECT judgement FROM outcome WHERE outcome_id = %s", outcome_id, expected=[(judgement,)])
    return outcome_id


def used(house, target):
    return [row[0] for row in house.sql("SELECT used FROM limit_usage WHERE key = %s", f'["{target}"]')]


@pytest.mark.parametrize("kind", KINDS)
def test_a_failure_that_is_signed_gives_back_what_was_used_and_no_other_does(house, kind):
    target, released = target_of(kind), f'countersign_limit_uses_released_total{{policy="walk",limit="{kind}"}}'
    before = house.metrics("recorder").get(released, 0)
    first = ask(house, target)
    ask(house, target, "DENIED")
    report(house, first, "started")
    assert used(house, target) == [1]
    report(house, first)
    assert used(house, target) == [0]
    again = house.said[-1]
    house.publish("outcomes", again[4], key=first, headers=again[5])
    report(house, first, "rolled_back")
    second = ask(house, target)
    report(house, second, signed=False)
    assert used(house, target) == [1]  # nobody knows who says so
    report(house, second, judgement="executed_twice")
    assert used(house, target) == [1]  # and what was said first stands
    ask(house, target, "DENIED")
    assert house.metrics("recorder")[released] == before + 1


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_given_back_counts_again_when_somebody_reports_otherwise(house, kind):
    target = target_of(kind)
    first = ask(house, target)
    report(house, first)
    second = ask(house, target)
    report(house, second, "started")
    report(house, first, "succeeded", signed=False, judgement="executed_twice")
    assert used(house, target) == [2]  # both were done, whatever the limit says
    report(house, second)
    assert used(house, target) == [1]
    ask(house, target, "DENIED")
    report(house, first, judgement="executed_twice")
    assert used(house, target) == [1]  # once given back, and never again


@pytest.mark.parametrize("kind", ["sliding", "bucket", "run"])
@pytest.mark.parametrize("status", ["started", "succeeded", "rolled_back"])
def test_what_is_no_failure_gives_nothing_back(house, kind, status):
    target = target_of(kind)
    report(house, ask(house, target), status)
    assert used(house, target) == [1]
    ask(house, target, "DENIED")


def test_a_limit_that_does_not_say_so_gives_nothing_back(house):
    target = target_of("hard")
    report(house, ask(house, target))
    assert used(house, target) == [1]


@pytest.mark.parametrize("kind", ["sliding", "bucket", "run"])
def test_a_failure_that_is_an_incident_gives_nothing_back(house, kind):
    for first, judgement in (({"digest": "sha-256:" + "0" * 64}, "executed_with_other_digest"), ({"authorization": "another"}, "executed_without_authorization")):
        target = target_of(kind)
        request_id = ask(house, target)
        report(house, request_id, judgement=judgement, **first)
        assert used(house, target) == [1]
        report(house, request_id, judgement="executed_twice")
        assert used(house, target) == [1]
        ask(house, target, "DENIED")


def test_a_failure_after_something_that_was_not_authorized_gives_nothing_back(house):
    target = target_of("sliding")
    request_id = ask(house, target)
    report(house, request_id, "started", signed=False, judgement="executed_with_other_digest", digest="sha-256:" + "0" * 64)
    report(house, request_id)
    assert used(house, target) == [1]


def test_a_failure_that_comes_too_late_gives_nothing_back(house):
    target = target_of("sliding")
    request_id = ask(house, target, action="short.walk")
    house.eventually("SELECT expires_at < clock_timestamp() FROM authorization_status WHERE request_id = %s AND final", request_id, expected=[(True,)])
    report(house, request_id, judgement="executed_after_expiry")
    assert used(house, target) == [1]


def test_a_use_that_is_out_of_the_window_gives_nothing_back(house):
    target, alone = target_of("brief"), target_of("brief")
    first, other = ask(house, target), ask(house, alone)
    house.eventually("SELECT used FROM limit_usage WHERE key = %s", f'["{target}"]', expected=[(0,)])
    second = ask(house, target)
    report(house, other)
    report(house, first)
    report(house, first, "succeeded", judgement="executed_twice")
    report(house, second)
    assert house.one("SELECT used FROM limit_counter WHERE key = %s", f'["{alone}"]') == 0
    house.eventually("SELECT used FROM limit_usage WHERE key = %s", f'["{target}"]', expected=[(0,)])
    assert house.one("SELECT used FROM limit_counter WHERE key = %s", f'["{target}"]') == 0


def test_what_was_given_back_is_not_taken_off_again_when_its_window_is_over(house):
    target = target_of("soon")
    first, second = ask(house, target), ask(house, target)
    report(house, first)
    assert house.one("SELECT count(*) FROM limit_use WHERE request_id = %s AND released_at IS NOT NULL", first) == 1
    house.eventually("SELECT max(at) < clock_timestamp() - interval '3 seconds' FROM limit_use WHERE request_id = ANY (%s)", [first, second], expected=[(True,)])
    ask(house, target)
    assert house.one("SELECT used FROM limit_counter WHERE key = %s", f'["{target}"]') == 1


def test_a_bucket_gets_back_only_what_cannot_have_been_filled_up_since(house):
    target = target_of("leaky")
    first = ask(house, target)
    second = ask(house, target)
    house.eventually("SELECT at < clock_timestamp() - interval '2200 milliseconds' FROM limit_use WHERE request_id = %s", first, expected=[(True,)])
    level = "SELECT level * per_us + level_part FROM limit_counter WHERE key = %s", f'["{target}"]'
    before, since = house.one(*level), house.one("SELECT at FROM limit_counter WHERE key = %s", f'["{target}"]')
    report(house, first)
    taken, now = house.one("SELECT at, released_at FROM limit_use WHERE request_id = %s", first)
    assert (now - taken).total_seconds() > 2  # half of the bucket in that time: all that it had taken may be there again
    assert house.one(*level) == before - microseconds(now - since) * 2
    third = ask(house, target)
    before, since = house.one(*level), house.one("SELECT at FROM limit_counter WHERE key = %s", f'["{target}"]')
    report(house, third)
    now = house.one("SELECT released_at FROM limit_use WHERE request_id = %s", third)
    filled = microseconds(now - since) * 2
    assert house.one(*level) == max(0, max(0, before - filled) - max(0, 4_000_000 - filled))


def test_of_a_bucket_that_was_changed_nothing_is_given_back_that_was_taken_before(house):
    target = target_of("bucket")
    first = ask(house, target)
    limit = next(one for one in house.document["limits"] if one["id"] == "bucket")
    for most in (2, 1):
        house.document["version"] += 1
        limit["count"]["max"] = most
        house.activate(house.document)
        ask(house, target, "GRANTED" if most == 2 else "DENIED")
    report(house, first)
    assert used(house, target) == [2]


def test_what_people_granted_and_was_revoked_is_given_back_when_it_failed(house):
    target = target_of("asked")
    request_id = ask(house, target, "PENDING", action="deployment.production")
    ask(house, target, "DENIED", action="deployment.production")
    house.answer(request_id, "alice")
    house.word(request_id, "GRANTED")
    report(house, request_id, "started")
    house.answer(request_id, "alice", "revoke")
    house.word(request_id, "REVOKED")
    assert used(house, target) == [1]
    report(house, request_id)
    assert used(house, target) == [0]


def test_several_reports_in_one_batch_are_judged_in_their_order(house):
    targets = [target_of(kind) for kind in KINDS]
    house.stop("recorder")
    asked = [(target, ask(house, target)) for target in targets]
    for target, request_id in asked:
        for status in ("started", "failed"):
            house.report(request_id, status, key=house.key, flush=False)
    for target, request_id in asked[::2]:
        house.report(request_id, "succeeded", flush=False)
    house.producer.flush(30)
    house.start("recorder")
    house.eventually("SELECT count(*) FROM outcome WHERE request_id = ANY(%s)", [r for _, r in asked], expected=[(15,)])
    assert [used(house, target) for target in targets] == [[1], [0]] * 3


def test_two_recorders_give_back_once(house):
    target = target_of("sliding")
    request_id = ask(house, target)
    house.start("recorder", "-2")
    try:
        house.eventually("SELECT count(DISTINCT owner) FROM consumer_position WHERE topic LIKE '%%outcomes'", expected=[(2,)], timeout=40)
        house.report(request_id, "failed", key=house.key)
        _, _, _, key, raw, headers = house.said[-1]
        for partition in range(house.partitions):
            house.publish("outcomes", raw, key=key, partition=partition, headers=headers)
        house.eventually("SELECT count(*) FROM outcome WHERE request_id = %s", request_id, expected=[(1,)])
        assert used(house, target) == [0]
    finally:
        house.stop("recorder-2")
    second = ask(house, target)
    ask(house, target, "DENIED")
    report(house, second)
