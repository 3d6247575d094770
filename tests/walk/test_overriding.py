# SPDX-License-Identifier: Apache-2.0
"""One person lets a request through, past everybody who is asked: only who may, with a reason, marked everywhere, and reviewed by another."""
import json

import pytest

from ending import finish
from house import House, policy
from test_taking_back import answer, ask, cards, granted, state, took


def document(version=1, **rules):
    found = policy(version, **rules)
    found["approvals"]["release"]["override"] = "breakers"
    found["approvals"]["staged"] = {"stages": [{"all_of": [{"group": "release-managers", "quorum": 2}]}, {"any_of": [{"group": "board", "quorum": 1}]}],
                                    "ttl": "1h", "override": "breakers"}
    found["approvals"]["two"] = {"any_of": [{"group": "pair", "quorum": 2}], "ttl": "1h", "override": "chiefs"}
    found["rules"] += [{"id": "staged", "match": {"actions": ["deployment.staged"]}, "decision": "REQUIRE_APPROVAL", "approval": "staged"},
                       {"id": "two", "match": {"actions": ["deployment.two"]}, "decision": "REQUIRE_APPROVAL", "approval": "two"},
                       {"id": "two-and-release", "match": {"actions": ["deployment.two"]}, "decision": "REQUIRE_APPROVAL", "approval": "release"},
                       {"id": "firm", "match": {"actions": ["deployment.firm"]}, "decision": "REQUIRE_APPROVAL", "approval": "pair"},
                       {"id": "firm-and-release", "match": {"actions": ["deployment.firm"]}, "decision": "REQUIRE_APPROVAL", "approval": "release"}]
    return found


@pytest.fixture(scope="module")
def town(request, tmp_path_factory):
    targets = tmp_path_factory.mktemp("overriding") / "targets.json"
    targets.write_text(json.dumps({"targets": [{"name": "journal", "channel": "log"}, {"name": "board", "channel": "log", "groups": ["board"]}]}))
    house = House(policy=document(), settings={"notifier": {"notifier.targets_file": str(targets)}})
    for person, *groups in (("alice", "release-managers"), ("bob", "release-managers"), ("olga", "breakers"), ("carl", "breakers", "chiefs"),
                            ("pia", "pair"), ("paul", "pair"), ("bea", "board"), ("rita", "breakers", "release-managers")):
        house.person(person, *groups)
    house.cli("agents", "add", "olgas-agent", "--owner", "olga")
    yield house
    finish(house, request)


def override(town, request_id, person="olga", expect="counted", **members):
    return answer(town, request_id, person, "override", expect, **{"reason": "the shop is down", **members})


def review(town, request_id, person="alice", expect="counted", **members):
    return answer(town, request_id, person, "review", expect, **{"reason": "it was needed", **members})


def overridden(town, **members):
    request_id = ask(town, **members)
    override(town, request_id)
    town.word(request_id, "GRANTED")
    return request_id


def test_one_of_the_override_group_lets_it_through_alone(town):
    request_id = overridden(town)
    word = town.word(request_id, "GRANTED")
    assert word.body["reason"] == {"code": "overridden", "text": "Overridden by olga."} and word.body["overridden_by"] == "olga"
    assert [(r["responder"], r["verdict"], r["reason"]) for r in word.body["responses"]] == [("olga", "override", "the shop is down")]
    assert town.check_token(word)["overridden_by"] == "olga"
    closed = town.expect("approvals", request_id, state="CLOSED")
    assert (closed.body["cause"], closed.body["result"], closed.body["overridden_by"]) == ("overridden", "GRANTED", "olga")
    assert "reviewed_by" not in closed.body and state(town, request_id) == "APPROVED"
    told = town.cli("show", request_id).stdout
    assert "olga let it through alone, past everybody who was asked" in told and "Overridden by olga." in told


def test_who_is_not_in_the_group_overrides_nothing(town):
    request_id = ask(town)
    override(town, request_id, "alice", expect="not_a_member")
    override(town, request_id, "pia", expect="not_a_member")
    override(town, request_id, reason=None, expect="reason_required")
    override(town, request_id, digest="sha-256:" + "0" * 64, expect="digest_mismatch")
    override(town, request_id, key=town.keys["alice"], expect="responder_not_key_owner")
    assert state(town, request_id) == "PENDING" and town.words(request_id) == ["PENDING"]


def test_who_asks_owns_the_agent_or_is_asked_for_overrides_nothing(town):
    for members in ({"agent": "olgas-agent"}, {"on_behalf_of": "olga"}, {"agent": "olga"}):
        request_id = ask(town, **members)
        override(town, request_id, expect="responder_is_requester")
        assert state(town, request_id) == "PENDING"


def test_who_left_the_group_overrides_nothing(town):
    town.person("lea", "breakers")
    request_id = ask(town)
    town.cli("groups", "remove", "breakers", "lea")
    override(town, request_id, "lea", expect="not_a_member")


def test_all_demands_must_let_that_person(town):
    request_id = ask(town, action="deployment.firm")
    override(town, request_id, "carl", expect="not_overridable")
    request_id = ask(town, action="deployment.two")
    override(town, request_id, "olga", expect="not_a_member")
    override(town, request_id, "carl")
    assert town.word(request_id, "GRANTED").body["overridden_by"] == "carl"


def test_a_block_is_never_overridden(town):
    request_id = town.ask(action="data.export")
    town.word(request_id, "DENIED")
    took(town, town.answer(request_id, "olga", "override", reason="I must"), "no_approval")
    assert town.words(request_id) == ["DENIED"]


def test_who_denied_or_stepped_aside_does_not_override(town):
    request_id = ask(town, action="deployment.staged")
    answer(town, request_id, "rita", "recuse")
    override(town, request_id, "rita", expect="recused")
    answer(town, request_id, "alice", "deny")
    town.word(request_id, "DENIED")
    override(town, request_id, expect="already_decided")


def test_who_approved_may_override_and_votes_once(town):
    request_id = ask(town, action="deployment.staged")
    answer(town, request_id, "rita")
    override(town, request_id, "rita")
    word = town.word(request_id, "GRANTED")
    assert [(r["responder"], r["verdict"]) for r in word.body["responses"]] == [("rita", "override")]


def test_everybody_who_was_passed_over_is_told(town):
    request_id = overridden(town, action="deployment.staged")
    kinds = [("board", "approval.overridden"), ("journal", "approval.closed"), ("journal", "approval.opened"), ("journal", "approval.overridden")]
    town.eventually("SELECT target, kind FROM delivery WHERE request_id = %s AND state = 'sent' ORDER BY 1, 2", request_id, expected=kinds)
    told = cards(town, request_id, *(kind for _, kind in kinds))["approval.overridden"]
    assert told.startswith("Overridden, one person let it through without those who were asked: ")
    assert 'Overridden by: "olga"\nReview: open; ' in told and 'Overridden by "olga": "the shop is down"\n' in told


def test_another_who_was_asked_reviews_it(town):
    request_id = overridden(town)
    listed = json.loads(town.cli("reviews", "list", "--output", "json").stdout)
    [mine] = [one for one in listed if one["request_id"] == request_id]
    assert (mine["overridden_by"], mine["reason"], mine["groups"]) == ("olga", "the shop is down", ["release-managers"])
    review(town, request_id, "olga", expect="responder_is_overrider")
    review(town, request_id, "pia", expect="not_a_member")
    review(town, request_id, "carl", expect="not_a_member")  # may override, and was not asked
    review(town, request_id, reason=None, expect="reason_required")
    review(town, request_id, digest="sha-256:" + "0" * 64, expect="digest_mismatch")
    done = town.cli("review", request_id, "--as", "alice", "--key", key_of(town, "alice"), "--reason", "it was needed")
    assert "counted" in done.stdout + done.stderr
    card = town.expect("approvals", request_id, cause="reviewed")
    assert (card.body["state"], card.body["result"], card.body["reviewed_by"]) == ("CLOSED", "GRANTED", "alice")
    review(town, request_id, "bob", expect="already_reviewed")
    assert request_id not in town.cli("reviews", "list").stdout
    assert "it was needed" in town.cli("reviews", "list", "--all").stdout
    assert town.words(request_id) == ["PENDING", "GRANTED"] and state(town, request_id) == "APPROVED"


def key_of(town, person):
    path = town.folder / f"{person}.pem"
    path.write_bytes(town.keys[person].pem())
    path.chmod(0o600)
    return str(path)


def test_what_people_granted_or_refused_is_not_reviewed(town):
    request_id = granted(town)
    review(town, request_id, "bob", expect="not_overridden")
    request_id = ask(town)
    review(town, request_id, expect="not_overridden")
    answer(town, request_id, "alice", "deny")
    town.word(request_id, "DENIED")
    review(town, request_id, expect="already_decided")


def test_an_override_is_revoked_by_who_overrode_and_still_reviewed(town):
    request_id = overridden(town)
    answer(town, request_id, "bob", "revoke", expect="not_an_approver")
    answer(town, request_id, "olga", "revoke", reason="the shop is up")
    assert town.word(request_id, "REVOKED").body["overridden_by"] == "olga"
    review(town, request_id)
    assert town.expect("approvals", request_id, cause="reviewed").body["result"] == "REVOKED"


def test_what_is_blocked_by_now_is_not_overridden_and_what_asks_others_asks_them(build):
    house = build(policy=document())
    for person, group in (("alice", "release-managers"), ("olga", "breakers"), ("pia", "pair"), ("paul", "pair"), ("carl", "chiefs"), ("carl", "breakers")):
        house.person(person, group)
    blocked, asked = ask(house), ask(house, target="another")
    more = document(2)
    more["rules"] += [{"id": "both", "match": {"actions": ["deployment.production"], "targets": ["another"]}, "decision": "REQUIRE_APPROVAL", "approval": "two"},
                      {"id": "as-before", "match": {"actions": ["deployment.production"], "targets": ["another"]}, "decision": "REQUIRE_APPROVAL", "approval": "release"},
                      {"id": "stop", "match": {"actions": ["deployment.production"], "targets": [house.last_request["target"] and "customer-api"]}, "decision": "BLOCK"}]
    house.activate(more)
    override(house, blocked)
    word = house.word(blocked, "DENIED")
    assert word.body["reason"]["code"] == "rule" and "overridden_by" not in word.body
    assert house.sql("SELECT count(*) FROM approval_review") == [(0,)]
    override(house, asked, expect="policy_changed")
    house.expect("approvals", asked, cause="policy_changed")
    assert state(house, asked) == "PENDING" and house.sql("SELECT count(*) FROM approval_review") == [(0,)]
    override(house, asked, expect="not_a_member")
    override(house, asked, "carl")
    assert house.word(asked, "GRANTED").body["overridden_by"] == "carl"


def test_while_the_line_is_stopped_nobody_overrides(town):
    request_id = ask(town, target="stopped")
    number = town.cli("hold", "add", "--target", "stopped", "--queue", "--reason", "The cluster moves.", role="operator").stdout.strip()
    override(town, request_id, expect="held")
    assert state(town, request_id) == "PENDING" and town.words(request_id) == ["PENDING"]
    town.cli("hold", "lift", number, role="operator")
    override(town, request_id)
    assert town.word(request_id, "GRANTED").body["overridden_by"] == "olga"
