# SPDX-License-Identifier: Apache-2.0
"""The directory of a tenant as one file: the difference first, whole or not at all, and the second time nothing."""
import json
import secrets
from datetime import timedelta

import pytest

from house import Key, now, policy, rfc3339


@pytest.fixture
def tenant():
    return "t-" + secrets.token_hex(4)


def apply(house, tenant, document, *options, check=True):
    text = document if isinstance(document, str) else json.dumps({"countersign": "directory/v1", **document})
    return house.cli("directory", "apply", "-", "--tenant", tenant, *options, stdin=text, check=check)


def changes(done):
    return [(c["change"], c["what"], c["name"], c["detail"]) for c in json.loads(done.stdout)]


def members(house, tenant):
    return house.sql("SELECT group_name, person FROM group_member WHERE tenant = %s ORDER BY 1, 2", tenant)


def test_what_the_file_says_is_so_afterwards_and_the_second_time_there_is_nothing_to_change(shared, tenant):
    alice, bot, agent = Key(), Key(), Key()
    document = {"groups": [{"name": "crew", "members": ["bob", "alice"]}], "agents": [{"id": "payments-1", "owner": "carol"}],
                "keys": [{"public_key": alice.x, "owner": "alice"},
                         {"public_key": bot.x, "owner": "chat", "kind": "bot", "speaks_for": ["bob"], "groups": ["crew"]},
                         {"public_key": agent.x, "owner": "treasurer", "kind": "agent", "agents": ["payments-*"]}]}
    done = apply(shared, tenant, document, "-o", "json")
    kids = sorted((k.kid, d) for k, d in ((alice, "person of alice"), (bot, "bot of chat, speaks for bob, speaks for groups crew"),
                                          (agent, "agent of treasurer, signs for payments-*")))
    assert changes(done) == [("add", "group", "crew", "alice"), ("add", "group", "crew", "bob"), ("add", "agent", "payments-1", "owner carol")] \
        + [("add", "key", kid, detail) for kid, detail in kids]
    assert members(shared, tenant) == [("crew", "alice"), ("crew", "bob")]
    again = apply(shared, tenant, document)
    assert again.stdout == "" and "nothing to change" in again.stderr


def test_what_is_exported_is_what_apply_takes(shared, tenant):
    bot = Key()
    apply(shared, tenant, {"groups": [{"name": "a: #b", "members": ["x, 'y'", "\u00e9 \"z\""]}], "agents": [],
                           "keys": [{"public_key": bot.x, "owner": "chat", "kind": "bot", "speaks_for": ["*"],
                                     "revoked_at": rfc3339(now() + timedelta(days=1))}]})
    for form in ((), ("-o", "json")):
        exported = shared.cli("directory", "export", "--tenant", tenant, *form).stdout
        assert "nothing to change" in apply(shared, tenant, exported).stderr
    other = tenant + "-b"
    document = json.loads(shared.cli("directory", "export", "--tenant", tenant, "-o", "json").stdout)
    apply(shared, other, {**document, "tenant": other, "keys": []})
    assert members(shared, other) == members(shared, tenant)


def test_a_dry_run_says_the_difference_and_changes_nothing(shared, tenant):
    done = apply(shared, tenant, {"groups": [{"name": "crew", "members": ["bob"]}]}, "--dry-run")
    assert "crew" in done.stdout and "1 to change, nothing was changed" in done.stderr
    assert members(shared, tenant) == []


def test_a_section_says_all_there_is_and_what_it_does_not_name_is_gone(shared, tenant):
    first, second = Key(), Key()
    apply(shared, tenant, {"groups": [{"name": "crew", "members": ["alice", "bob"]}], "agents": [{"id": "a", "owner": "carol"}],
                           "keys": [{"public_key": first.x, "owner": "alice"}, {"public_key": second.x, "owner": "bob"}]})
    done = apply(shared, tenant, {"groups": [{"name": "crew", "members": ["alice"]}], "keys": [{"public_key": first.x, "owner": "alice"}]}, "-o", "json")
    assert changes(done) == [("remove", "group", "crew", "bob"), ("revoke", "key", second.kid, "person of bob")]
    assert shared.one("SELECT owner FROM agent WHERE tenant = %s", tenant) == "carol"  # agents are not in the file
    assert shared.one("SELECT revoked_at <= now() FROM signing_key WHERE kid = %s", second.kid)
    done = apply(shared, tenant, {"agents": [{"id": "a", "owner": "dora"}]}, "-o", "json")
    assert changes(done) == [("change", "agent", "a", "owner dora, was owner carol")]


def test_a_key_changes_for_whom_it_speaks_and_when_it_ends_and_nothing_else(shared, tenant):
    key, later = Key(), rfc3339(now() + timedelta(hours=2))
    bot = {"public_key": key.x, "owner": "chat", "kind": "bot", "speaks_for": ["bob"]}
    apply(shared, tenant, {"keys": [bot]})
    apply(shared, tenant, {"keys": [{**bot, "speaks_for": ["bob", "alice"], "revoked_at": later}]})
    assert shared.one("SELECT speaks_for, revoked_at > now() FROM signing_key WHERE kid = %s", key.kid) == (["alice", "bob"], True)
    for wrong, what in (({"owner": "other"}, "registered once"), ({}, "is revoked from"),
                        ({"revoked_at": rfc3339(now() + timedelta(hours=9))}, "is revoked from")):
        refused = apply(shared, tenant, {"keys": [{**bot, **wrong}]}, check=False)
        assert refused.returncode == 1 and what in refused.stderr and "stdin:1:" in refused.stderr
    assert "nothing to change" in apply(shared, tenant, {"keys": [{**bot, "speaks_for": ["alice", "bob"], "revoked_at": later}]}).stderr


def test_it_is_applied_whole_or_not_at_all(shared, tenant):
    taken = Key()
    shared.cli("keys", "add", "-", "--owner", "alice", "--tenant", tenant + "-other", stdin=taken.jwk())
    refused = apply(shared, tenant, {"groups": [{"name": "crew", "members": ["bob"]}], "keys": [{"public_key": taken.x, "owner": "alice"}]}, check=False)
    assert refused.returncode == 1 and "another tenant" in refused.stderr
    assert members(shared, tenant) == []


@pytest.mark.parametrize("text, place, what", [
    ("countersign: directory/v1\ngruops: []\n", ":2:9:", "did you mean groups?"),
    ("countersign: directory/v2\n", ":1:14:", "must be directory/v1"),
    ("countersign: directory/v1\ngroups:\n  - name: crew\n", ":3:5:", "members"),
    ("countersign: directory/v1\ngroups:\n  - name: crew\n    members: [bob, 7]\n", ":4:20:", "must be a text"),
    ("countersign: directory/v1\ngroups:\n  - {name: crew, members: [bob, bob]}\n", ":3:", "more than once"),
    ("countersign: directory/v1\nagents: {a: b}\n", ":2:9:", "must be a list"),
    ("countersign: directory/v1\nkeys:\n  - {public_key: abc, owner: bob}\n", ":3:18:", "Ed25519"),
    ("countersign: directory/v1\nkeys:\n  - {owner: bob}\n", ":3:5:", "public_key"),
    ("countersign: directory/v1\nkeys:\n  - {public_key: %s, owner: chat, kind: bot}\n" % Key().x, ":3:5:", "speaks for"),
    ("countersign: directory/v1\nkeys:\n  - {public_key: %s, owner: bob, groups: [x]}\n" % Key().x, ":3:", "kind bot"),
    ("countersign: directory/v1\nkeys:\n  - {public_key: %s, owner: a, kind: agent, agents: ['a**']}\n" % Key().x, ":3:", "agents"),
    ("countersign: directory/v1\ntenant: A\n", ":2:9:", "a-z"),
], ids=lambda value: None if "\n" in str(value) else str(value).strip(":"))
def test_what_is_wrong_with_a_file_is_said_at_its_place_and_nothing_is_changed(shared, tenant, text, place, what):
    refused = apply(shared, tenant, text, check=False)
    assert refused.returncode == 1 and what in refused.stderr, refused.stderr
    assert "stdin" + place in refused.stderr and "^" in refused.stderr, refused.stderr


def test_people_are_listed_with_all_that_they_may_and_leave_it_all_at_once(shared, tenant):
    shared.person("vera", "crew", "board", tenant=tenant)
    shared.cli("agents", "add", "robot", "--owner", "vera", "--tenant", tenant)
    listed = json.loads(shared.cli("people", "list", "--tenant", tenant, "-o", "json").stdout)
    assert listed == [{"person": "vera", "groups": ["board", "crew"], "keys": 1, "agents": ["robot"]}]
    done = shared.cli("people", "remove", "vera", "--tenant", tenant)
    assert "no longer in crew" in done.stderr and "counts for nothing" in done.stderr
    listed = json.loads(shared.cli("people", "list", "vera", "--tenant", tenant, "-o", "json").stdout)
    assert (listed[0]["groups"], listed[0]["keys"]) == ([], 0)
    assert shared.cli("people", "remove", "vera", "--tenant", tenant, check=False).returncode == 1


def test_the_operator_applies_and_the_auditor_may_only_look(shared, tenant):
    document = json.dumps({"countersign": "directory/v1", "groups": [{"name": "crew", "members": ["bob"]}], "agents": [],
                           "keys": [{"public_key": Key().x, "owner": "bob", "revoked_at": rfc3339(now() + timedelta(hours=1))}]})
    shared.cli("directory", "apply", "-", "--tenant", tenant, stdin=document, role="operator")
    assert "crew" in shared.cli("directory", "export", "--tenant", tenant, role="auditor").stdout
    refused = shared.cli("directory", "apply", "-", "--tenant", tenant, stdin='{"countersign":"directory/v1","groups":[]}', role="auditor", check=False)
    assert refused.returncode == 1 and members(shared, tenant) == [("crew", "bob")]


def test_each_change_is_an_event_of_the_ledger_with_who_made_it(build):
    house = build(policy=policy(), services=("relay",))
    house.cli("groups", "add", "crew", "ada", "ben", role="operator")
    house.cli("agents", "add", "bot", "--owner", "ada", role="operator")
    house.cli("groups", "remove", "crew", "ben", role="operator")
    key = Key()
    house.cli("keys", "add", "-", "--owner", "ada", stdin=key.jwk())  # the first one, by the owner of the database
    house.cli("keys", "revoke", key.kid, role="operator")
    house.cli("people", "remove", "ada", role="operator")
    house.cli("groups", "add", "crew", "ada", role="operator")
    house.quiet()
    told = [e.body for e in sorted(house.observer.find(lambda e: e.topic == "directory"), key=lambda e: e.sequence)]
    assert [(b["relation"], b["operation"]) for b in told] == [
        ("group_member", "INSERT"), ("group_member", "INSERT"), ("agent", "INSERT"), ("group_member", "DELETE"), ("signing_key", "INSERT"),
        ("signing_key", "UPDATE"), ("group_member", "DELETE"), ("group_member", "INSERT")]
    assert told[0]["after"]["person"] == "ada" and "before" not in told[0] and told[3]["before"]["person"] == "ben"
    assert told[5]["before"]["revoked_at"] is None and told[5]["after"]["revoked_at"]
    assert {b["by"]["role"] for b in told} == {"countersign_operator", house.one("SELECT session_user::text")} and all(b["by"]["user"] for b in told)
    assert json.loads(house.cli("ledger", "verify", "--kafka", "--output", "json").stdout)["events"] >= 8
