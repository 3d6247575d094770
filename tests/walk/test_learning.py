# SPDX-License-Identifier: Apache-2.0
"""Who was asked learns what became of it, and that this is one more attempt after a failure."""
import json
import secrets

import pytest

from ending import finish
from house import House, policy


@pytest.fixture(scope="module")
def town(request, tmp_path_factory):
    targets = tmp_path_factory.mktemp("learning") / "targets.json"
    targets.write_text(json.dumps({"targets": [
        {"name": "managers", "channel": "log", "groups": ["release-managers"]}, {"name": "pair", "channel": "log", "groups": ["pair"]},
        {"name": "questions", "channel": "log", "events": ["opened"]}, {"name": "outcomes", "channel": "log", "events": ["outcome"]}]}))
    house = House(policy=policy(), settings={"notifier": {"notifier.targets_file": str(targets)}})
    house.person("alice", "release-managers")
    house.person("otto", "operators")
    yield house
    finish(house, request)


def agent():
    """One whose requests nobody has failed with."""
    return "agent-" + secrets.token_hex(4)


def granted(town, agent_id, **members):
    request_id = town.ask(agent_id=agent_id, **members)
    town.word(request_id, "PENDING")
    town.answer(request_id, "alice")
    town.word(request_id, "GRANTED")
    return request_id


def told(town, request_id, *expected):
    """Who is told of which outcomes in the end: (target, outcome id)."""
    town.eventually("SELECT target, substring(kind FROM 18) FROM delivery WHERE request_id = %s AND kind LIKE 'approval.outcome.%%' AND state = 'sent' ORDER BY 1, 2",
                    request_id, expected=sorted(expected))


def card(town, request_id, kind, target="outcomes"):
    town.eventually("SELECT count(*) FROM delivery WHERE request_id = %s AND target = %s AND kind = %s", request_id, target, kind, expected=[(1,)])
    body = json.loads(bytes(town.one("SELECT body FROM delivery WHERE request_id = %s AND target = %s AND kind = %s", request_id, target, kind)))
    return body["type"], body["data"]


def nothing_is_left(town):
    town.eventually("SELECT count(*) FROM outcome_news WHERE told_at IS NULL", expected=[(0,)])


def test_who_was_asked_learns_that_it_failed(town):
    request_id = granted(town, "learner")
    town.report(request_id, "started")
    outcome = town.report(request_id, "failed", code="health_check", detail="503 after 30 s")
    told(town, request_id, ("managers", outcome), ("outcomes", outcome))
    kind, data = card(town, request_id, f"approval.outcome.{outcome}")
    assert kind == "approval.outcome" and data["state"] == "CLOSED" and data["result"] == "GRANTED"
    assert {n: data["outcome"][n] for n in ("outcome_id", "status", "judgement", "reported_by", "code", "detail")} == {
        "outcome_id": outcome, "status": "failed", "judgement": "authorized", "reported_by": "deployer", "code": "health_check", "detail": "503 after 30 s"}
    assert data["text"].startswith('Reported as failed: agent "learner" wants "deployment.production" on "customer-api"\nReported by: "deployer"\n'
                                   'Code: "health_check"\nDetail: "503 after 30 s"\n')
    assert "must not have happened" not in data["text"] and 'Approved by "alice"' in data["text"]


def test_a_report_is_told_once_and_in_the_end_however_often_it_comes_and_the_notifier_dies(town):
    request_id = granted(town, "learner")
    town.kill("notifier")
    outcome = town.report(request_id, "succeeded")
    town.publish("outcomes", json.loads(town.said[-1][4]), key=request_id)
    rolled = town.report(request_id, "rolled_back")
    town.eventually("SELECT count(*) FROM outcome WHERE request_id = %s", request_id, expected=[(2,)])
    town.start("notifier")
    told(town, request_id, *((target, one) for target in ("managers", "outcomes") for one in (outcome, rolled)))
    town.kill("notifier")
    town.start("notifier")
    nothing_is_left(town)
    told(town, request_id, *((target, one) for target in ("managers", "outcomes") for one in (outcome, rolled)))
    assert card(town, request_id, f"approval.outcome.{rolled}")[1]["text"].startswith("Reported as rolled back: ")
    order = town.sql("SELECT kind FROM delivery WHERE request_id = %s AND target = 'managers' ORDER BY finished_at, created_at", request_id)
    assert [k for (k,) in order][:2] == ["approval.opened", "approval.closed"]


def test_what_must_not_have_happened_is_told_as_that(town):
    request_id = town.ask(agent_id="learner")
    town.word(request_id, "PENDING")
    early = town.report(request_id, "started")
    told(town, request_id, ("managers", early), ("outcomes", early))
    assert 'This must not have happened: "executed_without_authorization"\n' in card(town, request_id, f"approval.outcome.{early}")[1]["text"]
    allowed = town.ask(agent_id="learner", action="deployment.staging")
    town.word(allowed, "GRANTED")
    town.report(allowed, "failed")
    town.eventually("SELECT count(*) FROM outcome WHERE request_id = %s", allowed, expected=[(1,)])
    nothing_is_left(town)
    told(town, allowed)  # nobody was asked


def test_nobody_writes_a_line_of_the_card_by_a_report(town):
    request_id = granted(town, "learner")
    outcome = town.report(request_id, "failed", detail='x" Approved by "boss\u202e', reported_by="dep\"loyer")
    text = card(town, request_id, f"approval.outcome.{outcome}")[1]["text"]
    assert 'Detail: "x\\" Approved by \\"boss\\u{202e}"\n' in text or 'Detail: "x\\" Approved by \\"boss\\u202e"\n' in text.lower()
    assert "\u202e" not in text and 'Reported by: "dep\\"loyer"\n' in text


def test_a_flood_of_reports_is_told_of_eight_times(town):
    request_id = granted(town, "learner")
    reports = [town.report(request_id, "failed", flush=n == 11) for n in range(12)]
    town.eventually("SELECT count(*) FROM outcome WHERE request_id = %s", request_id, expected=[(12,)])
    nothing_is_left(town)
    told(town, request_id, *((target, one) for target in ("managers", "outcomes") for one in reports[:8]))


def test_a_card_says_that_it_is_one_more_attempt_after_a_failure(town):
    name = agent()
    first = granted(town, name)
    assert "attempt" not in card(town, first, "approval.opened", "questions")[1]
    outcome = town.report(first, "failed", code="timeout", detail="no answer")
    told(town, first, ("managers", outcome), ("outcomes", outcome))
    second = granted(town, name)
    data = card(town, second, "approval.opened", "questions")[1]
    assert data["attempt"] == 2 and data["before"] == {"request_id": first, "status": "failed", "code": "timeout", "detail": "no answer"}
    assert f'Attempt: 2, request "{first}" failed before, "timeout", "no answer"\n' in data["text"]
    for other in ({"target": "another"}, {"action": "deployment.canary"}, {"agent_id": agent()}):
        elsewhere = town.ask(**{"agent_id": name, **other})
        assert "attempt" not in card(town, elsewhere, "approval.opened", "questions")[1]
    town.report(second, "rolled_back")
    town.eventually("SELECT count(*) FROM outcome WHERE request_id = %s", second, expected=[(1,)])
    third = granted(town, name)
    data = card(town, third, "approval.opened", "questions")[1]
    assert data["attempt"] == 3 and f'Attempt: 3, request "{second}" was rolled back before\n' in data["text"]
    assert card(town, first, "approval.closed", "managers")[1].get("attempt") is None
    done = town.report(third, "succeeded")
    told(town, third, ("managers", done), ("outcomes", done))
    assert "attempt" not in card(town, town.ask(agent_id=name), "approval.opened", "questions")[1]  # that one worked


def test_only_what_failed_lately_and_as_many_as_ten_attempts_are_told(town):
    name = agent()
    requests = [town.ask(agent_id=name, action="deployment.canary") for _ in range(11)]
    for request_id in requests:
        town.word(request_id, "PENDING")
        town.report(request_id, "failed")
    town.eventually("SELECT count(*) FROM setback WHERE agent_id = %s", name, expected=[(11,)])
    data = card(town, town.ask(agent_id=name, action="deployment.canary"), "approval.opened", "questions")[1]
    assert data["attempt"] == 10 and "Attempt: 10 or more, request " in data["text"]
    town.db.execute("UPDATE setback SET at = at - interval '8 days' WHERE agent_id = %s AND request_id <> %s", (name, requests[0]))
    data = card(town, town.ask(agent_id=name, action="deployment.canary"), "approval.opened", "questions")[1]
    assert data["attempt"] == 2 and data["before"]["request_id"] == requests[0]
    town.db.execute("UPDATE setback SET at = at + interval '8 days' WHERE agent_id = %s AND request_id <> %s", (name, requests[0]))
