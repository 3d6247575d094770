# SPDX-License-Identifier: Apache-2.0
"""What the README shows runs as it stands there."""
import os
import re
import subprocess

import psycopg

from house import BOOTSTRAP, ROOT

README = (ROOT / "README.md").read_text()


def blocks(kind):
    return re.findall(rf"^```{kind}\n(.*?)^```$", README, re.S | re.M)


def test_the_agents_snippet_asks_and_gets_its_word(shared):
    snippet, = blocks("python agent")
    done = subprocess.run(["/usr/bin/python3", "-c", snippet], env={**os.environ, "KAFKA": BOOTSTRAP, "PREFIX": shared.prefix},
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    request_id, status = done.stdout.split()[:2]
    assert status == "GRANTED" and shared.words(request_id) == ["GRANTED"]


def test_the_agents_snippet_does_not_trust_an_answer_about_something_else(shared):
    """The same snippet, but what it sends is not what it has digested: it must go on waiting."""
    snippet, = blocks("python agent")
    cheated = snippet.replace('{**action, "request_id"', '{**action, "target": "another", "request_id"')
    assert cheated != snippet
    try:
        done = subprocess.run(["/usr/bin/python3", "-c", cheated], env={**os.environ, "KAFKA": BOOTSTRAP, "PREFIX": shared.prefix},
                              capture_output=True, text=True, timeout=8)
    except subprocess.TimeoutExpired:
        return
    raise AssertionError(f"it trusted: {done.stdout}{done.stderr}")


def test_the_auditors_queries_run_for_the_auditor_and_find_what_is_there(shared):
    waiting = shared.ask()
    shared.word(waiting, "PENDING")
    granted = shared.ask()
    shared.word(granted, "PENDING")
    shared.answer(granted, "alice")
    shared.word(granted, "GRANTED")
    denied = shared.ask(action="data.export")
    shared.word(denied, "DENIED")
    shared.report(denied, "started")
    shared.expect("incidents", denied)
    queries = blocks("sql auditor")
    assert len(queries) == 3
    with psycopg.connect(shared.role_uri("auditor")) as auditor:
        found = [auditor.execute(query).fetchall() for query in queries]
    assert waiting in [row[0] for row in found[0]] and granted not in [row[0] for row in found[0]]
    row, = [row for row in found[1] if row[0] == granted]
    assert row[3] == "alice" and row[4] == "no outcome reported"
    assert denied in [row[3] for row in found[2]]


def test_the_chapter_on_policies_goes_from_an_empty_file_to_an_active_policy(build, tmp_path):
    house = build(services=("evaluator", "relay"))
    house.cli("groups", "add", "release-managers", "alice")  # as the chapters before have it
    for name in ("first.yaml", "first.test.yaml"):
        (tmp_path / name).write_text(blocks(f"yaml {re.escape(name)}")[0])
    check, explain, test, activate = blocks("sh policy")
    run = lambda commands: subprocess.run(["sh", "-ec", commands], cwd=tmp_path, env=house.cli_environment(), capture_output=True, text=True, timeout=60)
    for commands in (check, explain, test, activate):
        done = run(commands)
        assert done.returncode == 0, commands + done.stdout + done.stderr
        if commands is explain:
            assert done.stdout == blocks("text explain")[0]
        if commands is test:
            assert "# 5 passed, 0 failed" in done.stdout and "2 of 2 rules" in done.stdout and "never" not in done.stdout
            assert "no-untested-production holds in" in done.stderr
    request_id = house.ask(agent_id="coding-agent-7", action="deployment.production", context={"tests_passed": True, "change_risk": "low"})
    assert house.word(request_id, "GRANTED").body["rules"] == ["routine"]
    second = (tmp_path / "first.yaml").read_text().replace("version: 1", "version: 2")
    (tmp_path / "first.yaml").write_text(second.replace("change_risk == 'low'", "change_risk != 'low'"))
    assert run(activate).returncode == 1 and "E08" in run(activate).stderr, "its tests fail"
    (tmp_path / "first.test.yaml").unlink()
    milder = second.replace("when: '!context.tests_passed'", "when: \"!context.tests_passed && context.change_risk != 'low'\"")
    assert milder != second
    (tmp_path / "first.yaml").write_text(milder)
    assert run(activate).returncode == 1 and "E07" in run(activate).stderr, "its invariant does not hold"


def test_the_readmes_policy_is_a_policy(shared):
    document, = [b for b in blocks("json") if "policy/v1" in b]
    assert shared.cli("policy", "check", "-", stdin=document).returncode == 0


def test_the_readmes_answer_is_what_the_schema_says(shared):
    import json
    import jsonschema
    example, = [b for b in blocks("json") if "response_id" in b]
    body = json.loads(example)
    body["request_digest"] = "sha-256:" + "0" * 64
    schema = json.loads((ROOT / "common/message/schema/response.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(body)


def test_the_readmes_diagram_is_the_one_that_the_table_prints():
    diagram, = blocks("mermaid")
    assert diagram == (ROOT / "tests/unit/approval/diagram.txt").read_text()
