# SPDX-License-Identifier: Apache-2.0
"""The command line: data on stdout, messages on stderr, documented exit codes, nothing hidden on a terminal."""
import json
import os
import secrets
import stat
import subprocess

import pytest
import yaml

from house import BIN, Key, policy

COMMANDS = ["submit", "wait", "show", "list", "approve", "deny", "outcome", "people list", "people remove", "directory apply", "directory export", "groups add", "groups remove", "groups list",
            "agents add", "agents remove", "agents list", "keys generate", "keys add", "keys revoke", "keys list", "keys jwks",
            "policy check", "policy lint", "policy test", "policy explain", "policy fmt", "policy convert", "policy diff", "policy replay", "policy activate", "policy rollback", "policy show", "policy list", "cel", "topics apply", "topics check", "migrate",
            "ledger verify", "deliveries list", "deliveries replay", "quarantine list", "quarantine show"]


def bare(*arguments):
    return subprocess.run([str(BIN / "countersign"), *arguments], capture_output=True, text=True, timeout=30)


@pytest.fixture(scope="module")
def keyed(shared, tmp_path_factory):
    """Key files of a person who may approve."""
    folder = tmp_path_factory.mktemp("keys")
    made = shared.cli("keys", "generate", "--out", str(folder / "kim.pem"))
    shared.cli("keys", "add", "-", "--owner", "kim", stdin=made.stdout)
    shared.cli("groups", "add", "release-managers", "kim")
    return folder / "kim.pem"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command):
    for done in (bare(*command.split(), "--help"), bare("help", *command.split()), bare(*command.split(), "-h")):
        assert done.returncode == 0 and done.stdout.startswith(f"Usage: countersign {command}") and done.stderr == ""


def test_the_overview_names_every_command():
    done = bare("--help")
    assert done.returncode == 0 and all(command in done.stdout for command in COMMANDS)
    assert bare().returncode == 2 and bare("--version").stdout.startswith("countersign 0.")


@pytest.mark.parametrize("before", [(), ("--config", "x"), ("--set", "tenant=a"), ("-o", "json", "--verbose")])
def test_options_without_a_command_are_understood(before):
    assert bare(*before, "--help").stdout == bare("--help").stdout and bare(*before, "--help").returncode == 0
    assert bare(*before, "--print-config").stdout == bare("--print-config").stdout
    assert bare(*before, "--version").stdout == bare("--version").stdout
    alone = bare(*before)
    assert alone.returncode == 2 and alone.stdout == "" and "which command?" in alone.stderr


def test_the_first_word_of_a_command_lists_how_it_may_go_on():
    named = [command for command in COMMANDS if command.startswith("policy ")]
    for done in (bare("policy", "--help"), bare("help", "policy")):
        assert done.returncode == 0 and done.stderr == "" and all(command in done.stdout for command in named)
    for done in (bare("policy"), bare("policy", "nonsense")):
        assert done.returncode == 2 and done.stdout == "" and all(command in done.stderr for command in named)


@pytest.mark.parametrize("arguments", [("nonsense",), ("policy", "nonsense"), ("show",), ("show", "a", "b"), ("list", "--nonsense"),
                                       ("list", "--state", "sideways"), ("list", "--limit", "-3"), ("keys", "add", "x"),
                                       ("wait", "not an id"), ("list", "-o", "yaml"), ("wait", "x", "--timeout", "soon")])
def test_wrong_usage_is_exit_2_and_says_so_on_stderr(arguments):
    done = bare(*arguments)
    assert done.returncode == 2 and done.stdout == "" and "countersign" in done.stderr


def test_a_wrong_word_is_answered_with_a_suggestion():
    assert "countersign approve" in bare("aprove").stderr + bare("approv").stderr


def test_submit_and_wait_for_each_verdict(shared):
    jwks = str(shared.folder / "countersign.jwks")
    base = ("submit", "--agent", "a", "--target", "t", "--wait", "--timeout", "20s", "--jwks", jwks, "-o", "json")
    granted = shared.cli(*base, "--action", "deployment.staging")
    assert json.loads(granted.stdout)["status"] == "GRANTED"
    denied = shared.cli(*base, "--action", "data.export", check=False)
    assert denied.returncode == 5 and json.loads(denied.stdout)["status"] == "DENIED"
    pending = shared.cli(*base[:-5], "2s", *base[-4:], "--action", "deployment.production", check=False)
    assert pending.returncode == 3 and json.loads(pending.stdout)["status"] == "PENDING"


def test_wait_says_when_nothing_came(shared):
    done = shared.cli("wait", "never-asked-" + secrets.token_hex(4), "--timeout", "1s", check=False)
    assert done.returncode == 124 and "no answer came" in done.stderr


def test_wait_ignores_an_answer_that_its_key_did_not_sign(shared, tmp_path):
    (tmp_path / "other.jwks").write_text(json.dumps({"keys": [json.loads(Key().jwk())]}))
    request_id = shared.ask(action="deployment.staging")
    shared.word(request_id, "GRANTED")
    done = shared.cli("wait", request_id, "--timeout", "2s", "--jwks", str(tmp_path / "other.jwks"), check=False)
    assert done.returncode == 124 and "ignored an answer" in done.stderr
    assert shared.cli("wait", request_id, "--timeout", "10s", "--jwks", str(shared.folder / "countersign.jwks")).returncode == 0


def test_submit_refuses_what_the_evaluator_would_refuse(shared):
    done = shared.cli("submit", "--agent", "a", "--target", "t", "--action", "Upper.Case", check=False)
    assert done.returncode == 1 and "action" in done.stderr and done.stdout == ""


def test_submit_reads_a_file_and_a_pipe(shared, tmp_path):
    request = {"agent_id": "a", "action": "logs.read", "target": "t", "request_id": "piped-" + secrets.token_hex(5)}
    done = shared.cli("submit", "-", "-o", "json", stdin=json.dumps(request))
    answer = json.loads(done.stdout)
    assert answer["request_id"] == request["request_id"] and answer["request_digest"].startswith("sha-256:")
    assert shared.word(request["request_id"], "GRANTED").body["request_digest"] == answer["request_digest"]


def test_approve_and_deny_by_the_beginning_of_the_id(shared, keyed):
    request_id = shared.ask("unmistakable-" + secrets.token_hex(8))
    shared.word(request_id, "PENDING")
    done = shared.cli("approve", request_id[:21], "--as", "kim", "--key", str(keyed), "--reason", "fine")
    assert "counted" in done.stderr and done.stdout == ""
    shared.word(request_id, "GRANTED")
    late = shared.cli("deny", request_id, "--as", "kim", "--key", str(keyed), check=False)
    assert late.returncode == 5 and "already_decided" in late.stderr


def test_an_ambiguous_beginning_is_refused(shared, keyed):
    stem = "twin-" + secrets.token_hex(4)
    for suffix in ("-a", "-b"):
        shared.word(shared.ask(stem + suffix), "PENDING")
    done = shared.cli("approve", stem, "--as", "kim", "--key", str(keyed), check=False)
    assert done.returncode == 1 and "several requests begin with" in done.stderr
    assert shared.words(stem + "-a") == ["PENDING"]


def test_outcome_and_show_tell_the_whole_life(shared, keyed):
    request_id = shared.ask()
    shared.word(request_id, "PENDING")
    shared.cli("approve", request_id, "--as", "kim", "--key", str(keyed))
    shared.word(request_id, "GRANTED")
    for status in ("started", "failed"):
        shared.cli("outcome", request_id, "--status", status, "--reported-by", "deployer", "--detail", "2 of 5")
        shared.eventually("SELECT count(*) FROM outcome WHERE request_id = %s AND status = %s", request_id, status, expected=[(1,)])
    whole = json.loads(shared.cli("show", request_id, "-o", "json", role="auditor").stdout)
    assert whole["standing"] == "authorized, reported as failed"
    assert [w["status"] for w in whole["authorizations"]] == ["PENDING", "GRANTED"]
    assert [o["status"] for o in whole["outcomes"]] == ["started", "failed"]
    assert whole["responses"][0]["responder"] == "kim" and whole["request"]["context"]["tests_passed"] is True
    text = shared.cli("show", request_id, role="auditor").stdout
    assert "authorized, reported as failed" in text and "kim" in text


def test_list_filters_and_is_newest_first(shared):
    request_id = shared.ask()
    shared.word(request_id, "PENDING")
    listed = json.loads(shared.cli("list", "--state", "pending", "-o", "json", role="auditor").stdout)
    assert listed[0]["request_id"] == request_id and {r["status"] for r in listed} == {"PENDING"}
    assert len(json.loads(shared.cli("list", "--limit", "2", "-o", "json").stdout)) == 2
    assert shared.cli("list", "--limit", "1").stdout.startswith("REQUEST ID")


def test_foreign_text_cannot_play_with_the_terminal(shared):
    request_id = "hostile-" + secrets.token_hex(5)
    shared.ask(request_id, action="logs.read", context={"note": "\u001b[2J\u202egnp.exe\u200b"})
    shared.word(request_id, "GRANTED")
    text = shared.cli("show", request_id).stdout
    assert "\u001b" not in text and "\u202e" not in text and "\u200b" not in text
    assert "202e" in text


def test_an_empty_database_is_told_from_a_missing_request(shared):
    done = shared.cli("show", "no-such-request", check=False)
    assert done.returncode == 1 and "no request" in done.stderr


def test_a_private_key_is_written_for_its_owner_only_and_never_over_another_file(shared, tmp_path):
    path = tmp_path / "key.pem"
    shared.cli("keys", "generate", "--out", str(path))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    before = path.read_bytes()
    assert shared.cli("keys", "generate", "--out", str(path), check=False).returncode == 1 and path.read_bytes() == before
    path.chmod(0o644)
    done = shared.cli("keys", "jwks", str(path), check=False)
    assert done.returncode == 1 and str(path) in done.stderr


def test_a_key_is_registered_once_and_a_private_one_never(shared, tmp_path):
    key = Key()
    kid = shared.cli("keys", "add", "-", "--owner", "kai", stdin=key.jwk()).stdout.strip()
    assert kid == key.kid
    again = shared.cli("keys", "add", "-", "--owner", "mallory", stdin=key.jwk(), check=False)
    assert again.returncode == 1 and "already" in again.stderr
    private = json.dumps({**json.loads(key.jwk()), "d": "x"})
    assert "private" in shared.cli("keys", "add", "-", "--owner", "kai", stdin=private, check=False).stderr
    shared.cli("keys", "generate", "--out", str(tmp_path / "kai.pem"))
    assert "private" in shared.cli("keys", "add", str(tmp_path / "kai.pem"), "--owner", "kai", check=False).stderr
    listed = json.loads(shared.cli("keys", "list", "-o", "json").stdout)
    assert [k["owner"] for k in listed if k["kid"] == kid] == ["kai"]


def test_a_key_id_that_begins_with_a_dash_is_no_option(shared):
    kid = "-4nSTjOJozYGJBWHN9o5HSC37DyukxfxEHGrKTrUapk"
    done = shared.cli("keys", "revoke", kid, "--tenant", "default", check=False)
    assert done.returncode == 1 and "no such key" in done.stderr


def test_every_change_of_the_directory_is_remembered(shared):
    shared.cli("groups", "add", "temporary", "zoe")
    shared.cli("groups", "remove", "temporary", "zoe")
    rows = shared.sql("SELECT operation FROM directory_history WHERE relation = 'group_member' AND coalesce(new_row, old_row)->>'person' = 'zoe' ORDER BY n")
    assert rows == [("INSERT",), ("DELETE",)]


@pytest.mark.parametrize("change,field", [
    ({"let": {"x": "nobody"}}, "let"), ({"inputs": {"x": "text"}}, "inputs.x"), ({"surprise": 1}, "surprise"),
    ({"rules": [{"id": "r", "when": "nobody", "decision": "ALLOW"}]}, "rules[0].when"),
    ({"rules": [{"id": "r", "unless": "nobody", "decision": "ALLOW"}]}, "rules[0].unless"),
    ({"rules": [{"id": "r", "obligations": {"x": None}, "decision": "ALLOW"}]}, "rules[0].obligations.x"),
    ({"classes": [{"id": "r", "actions": ["a.*"], "default": "ALLOW"}]}, "classes"),
    ({"countersign": "policy/v2"}, "countersign"),
])
def test_a_policy_that_cannot_be_honoured_whole_is_not_loaded_and_the_key_is_named(shared, change, field):
    done = shared.cli("policy", "activate", "-", stdin=json.dumps(policy(99, **change)), check=False)
    assert done.returncode == 1 and field in done.stderr
    assert shared.sql("SELECT count(*) FROM policy WHERE version = 99") == [(0,)]


def test_a_policy_in_yaml_has_the_digest_of_the_same_in_json_and_is_stored_as_json(shared, tmp_path):
    (tmp_path / "p.json").write_text(json.dumps(policy(7, name="both")))
    (tmp_path / "p.yaml").write_text("# the same\n" + yaml.safe_dump(policy(7, name="both")))
    said = [json.loads(bare("-o", "json", "policy", "check", str(tmp_path / name)).stdout) for name in ("p.json", "p.yaml")]
    assert said[0] == said[1] and said[0]["digest"].startswith("sha-256:")
    stdin = (tmp_path / "p.yaml").read_text()
    assert json.loads(shared.cli("-o", "json", "policy", "check", "-", stdin=stdin).stdout)["digest"] == said[0]["digest"]


def test_every_fault_of_a_policy_is_shown_in_its_line_with_what_was_meant(tmp_path):
    path = tmp_path / "p.yaml"
    path.write_text("countersign: policy/v1\npolicy: p\nversion: 1\nclasses:\n  - {id: c, actions: ['**'], default: BLOK}\n"
                    "rules:\n  - id: r\n    wehn: 'true'\n    decision: ALLOW\n")
    done = bare("policy", "check", str(path))
    assert done.returncode == 1 and done.stdout == ""
    assert f'{path}:5:39: E01 classes[0].default: is none of the words that may stand here: did you mean "BLOCK"?' in done.stderr
    assert f'{path}:8:5: E01 rules[0].wehn: there is no such key: did you mean "when"?\n    8 |     wehn: \'true\'\n      |     ^~~~\n' in done.stderr
    assert "2 errors" in done.stderr
    found = json.loads(bare("-o", "json", "policy", "check", str(path)).stdout)
    assert [(one["code"], one["word"], one["line"]) for one in found] == [("E01", "bad_value", 5), ("E01", "unknown_key", 8)]


def test_what_a_policy_holds_for_a_terminal_stays_in_the_file(tmp_path):
    path = tmp_path / "p.json"
    path.write_text('{"policy": "\x1b[31m\u202e", "\u202eclasses": 1}')
    done = bare("policy", "check", str(path))
    assert done.returncode == 1 and "\x1b" not in done.stderr and "\u202e" not in done.stderr


def test_versions_only_rise_and_a_tenant_has_one_policy(shared):
    done = shared.cli("policy", "activate", "-", stdin=json.dumps(policy(1)), check=False)
    assert done.returncode == 1 and "versions only rise" in done.stderr
    done = shared.cli("policy", "activate", "-", stdin=json.dumps(policy(1, name="rival")), check=False)
    assert done.returncode == 1 and "one policy" in done.stderr
    assert json.loads(shared.cli("policy", "show").stdout)["policy"] == "walk"


def test_an_error_that_lint_finds_refuses_the_activation_and_a_warning_only_where_it_is_named(shared):
    absent = {"inputs": {"n": "int"}, "classes": [{"id": "other", "actions": ["**"], "default": "BLOCK"}], "rules": [{"id": "r", "when": "context.n > 5", "decision": "BLOCK"}]}
    never = {"rules": [{"id": "r", "when": "context.n > 5 && context.n < 5", "decision": "BLOCK"}]}
    for change, options, code in ((absent | never, (), "E06"), (absent, ("--error", "W05"), "W05")):
        done = shared.cli("policy", "activate", "-", *options, stdin=json.dumps(policy(98, **change)), check=False)
        assert done.returncode == 1 and f" {code} rules[0].when: " in done.stderr and " 1 error, " in done.stderr
    assert shared.sql("SELECT count(*) FROM policy WHERE version = 98") == [(0,)]
    done = shared.cli("policy", "activate", "-", "--warn", "E03", "--error", "W13", stdin=json.dumps(policy(98, **absent)), check=False)
    assert done.returncode == 1 and "W13 there are no tests beside it" in done.stderr
    done = shared.cli("policy", "activate", "-", "--warn", "E03", stdin=json.dumps(policy(3, name="warned", tenants=["elsewhere"], **absent)))
    assert " W05 rules[0].when: " in done.stderr and "is active" in done.stderr


def test_a_rule_that_no_test_decides_is_told_and_refused_where_that_is_named(shared, tmp_path):
    rules = [{"id": f"rule-{n}", "match": {"actions": [f"deployment.{n}"]}, "decision": "BLOCK"} for n in "ab"]
    document = {"countersign": "policy/v1", "policy": "tested", "version": 1, "tenants": ["tested"], "rules": rules,
                "classes": [{"id": "other", "actions": ["**"], "default": "ALLOW"}]}
    request = {"agent_id": "x", "action": "deployment.a", "target": "t"}
    cases = [{"name": "a", "request": "f", "expect": {"decision": "BLOCK"}}]
    suite = {"countersign": "policy-test/v1", "policy": "tested", "now": "2026-03-04T10:00:00Z", "fixtures": {"f": request}, "cases": cases}
    (tmp_path / "p.json").write_text(json.dumps(document))
    (tmp_path / "p.test.json").write_text(json.dumps(suite))
    done = shared.cli("policy", "activate", str(tmp_path / "p.json"), "--error", "W13", check=False)
    assert done.returncode == 1 and "W13 no test is decided by rule rule-b" in done.stderr and "rule-a" not in done.stderr
    (tmp_path / "p.test.json").write_text(json.dumps({**suite, "cases": cases + [{"name": "b", "request": "f", "patch": {"action": "deployment.b"}, "expect": {"decision": "BLOCK"}}]}))
    done = shared.cli("policy", "activate", str(tmp_path / "p.json"), "--error", "W13")
    assert "W13" not in done.stderr and "is active" in done.stderr


def test_a_policy_that_asks_people_who_are_not_there_is_not_activated_until_they_are(shared):
    asks = {"rules": [], "classes": [{"id": "other", "actions": ["**"], "default": "REQUIRE_APPROVAL", "approval": "two"}],
            "approvals": {"two": {"any_of": [{"group": "duo", "quorum": 2}], "ttl": "1h"}}}
    text = json.dumps(policy(1, name="people", tenants=["peopled"], **asks))

    def refused(*options):
        done = shared.cli("policy", "activate", "-", *options, stdin=text, check=False)
        assert done.returncode == 1 and "it asks people who are not there" in done.stderr
        assert shared.sql("SELECT count(*) FROM policy WHERE policy_id = 'people'") == [(0,)]
        return done.stderr

    assert "E03 approvals.two.any_of[0].group: nobody is in duo of tenant peopled" in refused()
    shared.cli("groups", "add", "duo", "anna", "--tenant", "peopled")
    assert "E03 approvals.two.any_of[0].quorum: duo of tenant peopled has 1 member" in refused()
    shared.cli("groups", "add", "duo", "bert", "--tenant", "peopled")
    shared.cli("agents", "add", "bot", "--owner", "anna", "--tenant", "peopled")
    assert "every agent there is owned by one of them" in refused()
    shared.cli("agents", "add", "other", "--owner", "carl", "--tenant", "peopled")
    assert "W11 approvals.two.any_of[0].group: who owns bot is in duo" in refused("--error", "W11").replace("it asks people who are not there", "")
    lint = shared.cli("policy", "lint", "-", role="operator", stdin=text)
    assert " W11 approvals.two.any_of[0].group: " in lint.stderr and "E03" not in lint.stderr and "W03" not in lint.stderr
    done = shared.cli("policy", "activate", "-", role="operator", stdin=text)
    assert " W11 " in done.stderr and "policy people version 1 is active" in done.stderr
    assert shared.cli("policy", "activate", "-", "--warn", "E06", stdin=text, check=False).returncode == 2


def test_lint_says_which_names_nobody_asked_for_lately_and_what_it_could_not_look_at(shared, tmp_path):
    shared.word(shared.ask(agent_id="agent-7", action="deployment.staging", target="api"), "GRANTED")
    rules = [{"id": "r", "decision": "BLOCK", "match": {"actions": ["deployment.staging", "deployment.stagin"], "agents": ["agent-*", "bot-*"]}}]
    text, path = json.dumps(policy(97, rules=rules)), tmp_path / "p.json"
    path.write_text(text)
    found = json.loads(shared.cli("policy", "lint", "-", "-o", "json", role="operator", stdin=text).stdout)
    assert [one["path"] for one in found if one["code"] == "W03"] == ["rules[0].match.actions[1]", "rules[0].match.agents[1]"]
    done = shared.cli("policy", "activate", "-", "--warn", "E03", "--error", "W03", stdin=text, check=False)
    assert done.returncode == 1 and " W03 rules[0].match.agents[1]: " in done.stderr and "2 errors" in done.stderr
    for uri, said in (("", "there is no directory here"), ("postgresql://127.0.0.1:1/nothing", "the database could not be read: ")):
        done = subprocess.run([str(BIN / "countersign"), "policy", "lint", str(path)], capture_output=True, text=True, timeout=60,
                              env={**os.environ, "COUNTERSIGN_DATABASE_URI": uri})
        assert done.returncode == 0 and said in done.stderr, done.stderr
        assert " W03 rules" not in done.stderr and "W03: what was asked for lately was not looked at" in done.stderr
        assert "E03, W11: who is in the groups was not looked at" in done.stderr


def test_topics_check_finds_what_apply_mends(shared):
    assert shared.cli("topics", "check").returncode == 0
    assert shared.cli("topics", "apply").returncode == 0
    wrong = shared.cli("topics", "apply", settings=("topics.partitions=12",), check=False)
    assert wrong.returncode == 1 and "partitions" in wrong.stderr


def test_migrate_again_changes_nothing_and_an_altered_schema_is_refused(build):
    house = build(start=False, services=())
    house.no_quiet = True
    assert "up to date" in house.cli("migrate").stderr
    before = house.one("SELECT checksum FROM schema_migration WHERE version = 1")
    house.db.execute("UPDATE schema_migration SET checksum = 'sha-256:' || repeat('0', 64) WHERE version = 1")
    done = house.cli("migrate", check=False)
    assert done.returncode == 1 and "001_walk" in done.stderr
    assert house.cli("list", check=False).returncode == 1
    house.db.execute("UPDATE schema_migration SET checksum = %s WHERE version = 1", (before,))
    house.db.execute("INSERT INTO schema_migration (version, name, checksum) VALUES (999, '999_future', 'x')")
    done = house.cli("migrate", check=False)
    assert done.returncode == 1 and "newer" in done.stderr
    house.db.execute("DELETE FROM schema_migration WHERE version = 999")


def test_quarantine_shows_raw_bytes_to_the_operator_only(shared):
    key = "raw-" + secrets.token_hex(5)
    shared.publish("requests", b'{"agent_id": "\x1b[2J', key=key)
    shared.word(key, "DENIED")
    listed = json.loads(shared.cli("quarantine", "list", "-o", "json", role="operator").stdout)
    entry, = [q for q in listed if q.get("request_id") == key]
    shown = shared.cli("quarantine", "show", entry["quarantine_id"][:13], role="operator")
    assert "agent_id" in shown.stdout and "\x1b" not in shown.stdout
    hidden = shared.cli("quarantine", "show", entry["quarantine_id"], role="auditor")
    assert "agent_id" not in hidden.stdout and "raw bytes" in hidden.stderr


def test_a_changed_ledger_is_found(build):
    house = build(policy=policy(), services=("evaluator", "relay"))
    for n in range(20):
        house.ask(f"n-{n}", action="logs.read")
    for n in range(20):
        house.word(f"n-{n}", "GRANTED")
    house.quiet()
    verify = ("ledger", "verify", "--kafka", "--jwks", str(house.folder / "countersign.jwks"))
    assert house.cli(*verify).returncode == 0
    change = "SET session_replication_role = replica; UPDATE ledger_event SET payload = {} WHERE key = 'n-3'; RESET session_replication_role"
    original = house.one("SELECT payload FROM ledger_event WHERE key = 'n-3'")
    house.db.execute(change.format("convert_to(replace(convert_from(payload, 'UTF8'), 'GRANTED', 'DENIED'), 'UTF8')"))
    done = house.cli(*verify, check=False)
    assert done.returncode == 1 and "was changed" in done.stderr and "differs from the ledger" in done.stderr
    house.db.execute(change.format("'\\x" + original.hex() + "'::bytea"))
    assert house.cli(*verify).returncode == 0
    explanation = "SET session_replication_role = replica; UPDATE decision SET explanation = {} WHERE request_id = 'n-4'; RESET session_replication_role"
    original = house.one("SELECT explanation::text FROM decision WHERE request_id = 'n-4'")
    for changed in ("explanation || '{\"reason\": \"It was someone else.\"}'", "NULL"):
        house.db.execute(explanation.format(changed))
        done = house.cli(*verify, check=False)
        assert done.returncode == 1 and "of request n-4, was changed or is gone" in done.stderr, done.stderr
    house.db.execute(explanation.format("'" + original.replace("'", "''") + "'::jsonb"))
    assert house.cli(*verify).returncode == 0


def test_a_record_on_the_topic_that_the_ledger_does_not_hold_is_found(build):
    house = build(policy=policy(), services=("evaluator", "relay"))
    house.word(house.ask(action="logs.read"), "GRANTED")
    house.quiet()
    house.publish("incidents", {"kind": "invented"}, key="x", headers=[("countersign-chain", b"0"), ("countersign-sequence", b"99999")])
    done = house.cli("ledger", "verify", "--kafka", check=False)
    assert done.returncode == 1 and "does not hold" in done.stderr
    house.observer.events = [e for e in house.observer.events if e.topic != "incidents"]
    house.forged, house.allowed = True, {"stray"}
