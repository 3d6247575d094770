# SPDX-License-Identifier: Apache-2.0
"""What the README shows runs as it stands there."""
import json
import os
import queue
import re
import subprocess
import threading
import uuid

import psycopg

from house import BOOTSTRAP, ROOT, Key, policy

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


def commands(house, folder, kind):
    done = subprocess.run(["sh", "-ec", blocks(kind)[0]], cwd=folder, env=house.cli_environment(), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr


class Bot:
    """The README's bot, as it stands there, with its standard input and what it prints."""

    def __init__(self, house, folder):
        script, = blocks("python bot")
        assert len(script.splitlines()) <= 60
        commands(house, folder, "sh bot")
        environment = {**os.environ, "KAFKA": BOOTSTRAP, "PREFIX": house.prefix, "JWKS": str(house.folder / "countersign.jwks"),
                       "BOT_KEY": str(folder / "bot.pem")}
        self.process = subprocess.Popen(["/usr/bin/python3", "-c", script], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.lines = queue.Queue()
        threading.Thread(target=lambda: [self.lines.put(line) for line in self.process.stdout], daemon=True).start()

    def hears(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def says(self, *words):
        """Its next line that has all of this; those before it are passed over."""
        passed = []
        while True:
            try:
                passed.append(self.lines.get(timeout=30))
            except queue.Empty:
                raise AssertionError(f"no line with {words}: {passed}") from None
            if all(word in passed[-1] for word in words):
                return passed[-1]


def test_the_bot_shows_signed_cards_only_and_answers_for_its_people(build, tmp_path):
    house = build(policy=policy(), services=("evaluator", "resolver", "relay"))
    house.allowed |= {"stray", "changed", "partition"}  # cards that are not ours, and ours in a wrong place
    house.forged = True
    for person, *groups in (("alice", "release-managers"), ("bob",), ("mallory", "release-managers")):
        house.person(person, *groups)
    bot = Bot(house, tmp_path)
    try:
        request_id = house.ask("readme-1", reason="\u202etxt")
        assert "\\u202etxt" in bot.says("readme-1", "opened", "needs ['1 of release-managers']"), "what turns the line round is shown"
        genuine = house.expect("approvals", request_id)
        forged = json.loads(genuine.raw)
        forged["request"]["target"] = "harmless"
        forged["event_id"] = str(uuid.uuid4())
        raw, headers = json.dumps(forged).encode(), {**genuine.headers, "ce_id": forged["event_id"], "countersign-sequence": str(10**9)}
        for signature in (None, headers["signature"], Key().detached(raw, typ="countersign-approval"),
                          house.keys["alice"].detached(raw, typ="countersign-approval")):
            given = {**headers, "signature": signature}
            house.publish("approvals", raw, key=request_id, headers=[(n, v) for n, v in given.items() if v])
        for _ in range(4):
            bot.says("forged, not shown", "readme-1")
        bot.hears("mallory approve readme-1")  # for whom it may not speak
        house.publish("approvals", genuine.raw, key="readme-2", headers=list(genuine.headers.items()))  # of another request, under this one's name
        house.ask("readme-2")
        bot.says("readme-2", "opened")
        bot.hears("alice approve no-such-request")
        bot.says("no such card")
        bot.hears("bob approve readme-1")
        bot.says("response_refused", "not_a_member")
        bot.hears("alice approve readme-1 change 1881, reviewed")
        bot.says("readme-1", "approved", "GRANTED")
        word = house.word(request_id, "GRANTED").body
        assert [(r["responder"], r["reason"]) for r in word["responses"]] == [("alice", "change 1881, reviewed")]
        assert house.sql("SELECT responder, result FROM response ORDER BY received_at") == [
            ("mallory", "responder_not_key_owner"), ("bob", "not_a_member"), ("alice", "counted")]
        bot.hears("alice deny readme-2")
        house.word("readme-2", "DENIED")
    finally:
        bot.process.kill()
        bot.process.wait()


def test_an_approver_begins_with_these_commands_and_what_the_policy_says_is_asked(build, tmp_path):
    head = "countersign: policy/v1\npolicy: readme\nversion: 1\nclasses: [{id: all, actions: ['**'], default: REQUIRE_APPROVAL, approval: release}]\n"
    (tmp_path / "readme.yaml").write_text(head + blocks("yaml approvals")[0])
    house = build(policy=tmp_path / "readme.yaml", services=("evaluator", "resolver", "relay"))
    house.person("sam", "security")
    house.cli("groups", "add", "release-managers", "somebody")  # nobody is asked who could not answer
    house.ask("deploy-prod-42")
    house.word("deploy-prod-42", "PENDING")
    commands(house, tmp_path, "sh approver")
    house.answer("deploy-prod-42", "sam")
    word = house.word("deploy-prod-42", "GRANTED").body
    assert [(r["responder"], r.get("reason")) for r in word["responses"]] == [("alice", "change 1881, reviewed"), ("sam", None)]
    assert house.sql("SELECT extract(epoch FROM at - opened_at)::int, group_name FROM approval_step JOIN approval USING (approval_id)") == [(1800, "duty-officers")]


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
    import jsonschema
    example, = [b for b in blocks("json") if "response_id" in b]
    body = json.loads(example)
    body["request_digest"] = "sha-256:" + "0" * 64
    schema = json.loads((ROOT / "common/message/schema/response.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(body)


def test_the_readmes_diagram_is_the_one_that_the_table_prints():
    diagram, = blocks("mermaid")
    assert diagram == (ROOT / "tests/unit/approval/diagram.txt").read_text()
