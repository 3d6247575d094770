# SPDX-License-Identifier: Apache-2.0
"""The tools of a policy's author: what the tests of a policy do not see, and what a change comes to."""
import hashlib
import json
import re
import shutil
import subprocess

import pytest
import yaml

from house import BIN, ROOT, policy

EXAMPLES = ["deploy/policies/delivery.yaml", "deploy/policies/payments.yaml", "deploy/policies/health.yaml",
            "deploy/policies/infrastructure.yaml", "tests/policy/acme.yaml"]


def run(*arguments, status=0, stdin=None):
    done = subprocess.run([str(BIN / "countersign"), *map(str, arguments)], capture_output=True, text=True, input=stdin, timeout=60)
    assert done.returncode == status, done.stdout + done.stderr
    return done


SMALL = {"countersign": "policy/v1", "policy": "small", "version": 1,
         "inputs": {"n": {"type": "int"}, "ok": {"type": "bool"}, "currency": {"type": "string", "max": 3}},
         "classes": [{"id": "a", "actions": ["a.**"], "default": "BLOCK"}, {"id": "other", "actions": ["**"], "default": "BLOCK"}],
         "approvals": {"p": {"any_of": [{"group": "g", "quorum": 1}], "ttl": "1h"}, "q": {"any_of": [{"group": "h", "quorum": 1}], "ttl": "1h"}}}


def small(tmp_path, rules, cases=(), name="small", **more):
    """A policy and the tests beside it, a case being (what is patched, what is expected)."""
    path = tmp_path / f"{name}.json"
    path.write_text(json.dumps({**SMALL, "rules": [{"match": {"actions": ["a.b"]}, **rule} for rule in rules], **more}))
    suite = {"countersign": "policy-test/v1", "policy": "small", "now": "2026-03-04T10:00:00Z",
             "fixtures": {"f": {"agent_id": "x", "action": "a.b", "target": "t", "context": {"n": 5, "ok": True}}},
             "cases": [{"name": f"case {n}", "request": "f", "patch": patch, "expect": expect} for n, (patch, expect) in enumerate(cases)]}
    (tmp_path / f"{name}.test.json").write_text(json.dumps(suite))
    return path


def mutants(path, status=0):
    """(rule, change) → what is said of it, of those that survive; and the counts."""
    out = run("policy", "test", path, "--mutate", status=status).stdout
    found = {tuple(m[0].split(", ", 1)): m[1] for m in re.findall(r"^#   survived: (.*)\n#     (.*)$", out, re.M)}
    seen, survived, harmless, no_policy = map(int, re.search(
        r"^# mutants: (\d+) seen by a test, (\d+) survived, (\d+) of them harmless; (\d+) were no policy$", out, re.M).groups())
    assert survived == len(found) and harmless == sum(text.startswith("harmless") for text in found.values())
    return found, seen, no_policy


# ---------------------------------------------------------------- policy test --mutate

ALLOW, BLOCK = {"decision": "ALLOW"}, {"decision": "BLOCK"}


def test_each_small_mistake_is_made_once_and_a_test_that_asks_nothing_sees_none(tmp_path):
    path = small(tmp_path, [{"id": "r", "when": "context.n <= 5 && !context.ok || context.n == -1", "unless": "context.n > 9", "decision": "ALLOW"}],
                 [({"action": "z.z"}, BLOCK)])
    found, seen, _ = mutants(path)
    when = "context.n <= 5 && !context.ok || context.n == -1"
    assert seen == 0 and [change for _, change in found] == [
        f"when: {when} becomes context.n <= 5 && !context.ok && context.n == -1",
        "when: context.n <= 5 && !context.ok becomes context.n <= 5 || !context.ok",
        "when: context.n <= 5 becomes context.n < 5", "when: context.n <= 5 becomes context.n >= 5",
        "when: context.n <= 5 becomes context.n <= 4", "when: context.n <= 5 becomes context.n <= 6",
        "when: !context.ok becomes context.ok",
        "when: context.n == -1 becomes context.n != -1", "when: context.n == -1 becomes context.n == -2",
        "when: context.n == -1 becomes context.n == 0", "without its when",
        "unless: context.n > 9 becomes context.n >= 9", "unless: context.n > 9 becomes context.n < 9",
        "unless: context.n > 9 becomes context.n > 8", "unless: context.n > 9 becomes context.n > 10", "without its unless",
        "the rule is removed"]


def test_a_test_at_the_boundary_sees_it_moved_and_one_beside_it_does_not(tmp_path):
    rule = {"id": "r", "when": "context.n <= 5", "decision": "ALLOW"}
    beside = mutants(small(tmp_path, [rule], [({"context": {"n": 3}}, ALLOW), ({"context": {"n": 9}}, BLOCK)]))[0]
    assert sorted(change for _, change in beside) == [f"when: context.n <= 5 becomes context.n {after}" for after in ("< 5", "<= 4", "<= 6")]
    assert beside["r", "when: context.n <= 5 becomes context.n <= 6"] == (
        'untested: {"action":"a.b","agent_id":"other","context":{"n":6},"target":"other","tenant":"default"} is BLOCK, and would be ALLOW')
    assert mutants(small(tmp_path, [rule], [({}, ALLOW), ({"context": {"n": 6}}, BLOCK)]))[0] == {}


def test_each_operand_of_the_outermost_and_is_left_out_and_what_a_name_stands_for_is_changed_too(tmp_path):
    path = small(tmp_path, [{"id": "r", "let": {"few": "context.n < 5"}, "when": "few && context.ok && context.currency != 'EUR'", "decision": "ALLOW"}],
                 [({"action": "z.z"}, BLOCK)])
    changes = [change for _, change in mutants(path)[0]]
    assert "let.few: context.n < 5 becomes context.n < 6" in changes and "when: without few" in changes
    assert "when: without context.ok" in changes and "when: without context.currency != 'EUR'" in changes


def test_a_mistake_within_a_macro_is_one(tmp_path):
    path = small(tmp_path, [{"id": "r", "when": "[1, context.n].exists(i, i > 4)", "decision": "ALLOW"}], [({"action": "z.z"}, BLOCK)])
    assert "when: i > 4 becomes i >= 4" in [change for _, change in mutants(path)[0]]


def test_a_rule_that_a_stricter_one_covers_is_missed_by_nobody_and_the_report_names_that_one(tmp_path):
    rules = [{"id": "strict", "when": "context.n > 3", "decision": "BLOCK"},
             {"id": "idle", "when": "context.n > 5", "decision": "REQUIRE_APPROVAL", "approval": "p"},
             {"id": "open", "when": "context.n <= 3", "decision": "ALLOW"}]
    found = mutants(small(tmp_path, rules, [({}, BLOCK), ({"context": {"n": 3}}, ALLOW), ({"context": {"n": 4}}, BLOCK), ({"context": {"n": None}}, BLOCK)]))[0]
    assert found["idle", "the rule is removed"] == "harmless in all small requests: covered by strict, the default of its class"
    assert all("covered by strict" in text for (rule, _), text in found.items() if rule == "idle")


def test_of_two_rules_that_decide_alike_each_is_covered_by_the_other(tmp_path):
    rules = [{"id": "wide", "when": "context.n > 3", "decision": "BLOCK"}, {"id": "narrow", "when": "context.n > 5", "decision": "BLOCK"}]
    classes = [{"id": "a", "actions": ["a.**"], "default": "ALLOW"}, SMALL["classes"][1]]
    found = mutants(small(tmp_path, rules, [({}, BLOCK), ({"context": {"n": 3}}, ALLOW), ({"context": {"n": 4}}, BLOCK)], classes=classes))[0]
    assert found["narrow", "the rule is removed"].startswith("harmless in all small requests: covered by wide")
    assert not any("narrow" in text for (rule, _), text in found.items() if rule == "narrow")


def test_who_is_asked_makes_a_difference_too(tmp_path):
    rules = [{"id": "one", "when": "context.n > 3", "decision": "REQUIRE_APPROVAL", "approval": "p"},
             {"id": "two", "when": "context.n > 4", "decision": "REQUIRE_APPROVAL", "approval": "q"}]
    found = mutants(small(tmp_path, rules, [({}, {"decision": "REQUIRE_APPROVAL"})]))[0]
    assert found["two", "the rule is removed"].endswith("is REQUIRE_APPROVAL, and would be REQUIRE_APPROVAL of others, for another time, or with other obligations")


def test_mutants_are_not_tried_while_tests_fail_and_the_status_is_that_of_the_tests(tmp_path):
    path = small(tmp_path, [{"id": "r", "when": "context.n <= 5", "decision": "ALLOW"}], [({}, BLOCK)])
    out = run("policy", "test", path, "--mutate", status=1).stdout
    assert "# mutants: not tried, as tests fail already\n" in out and "survived" not in out


def test_the_request_that_is_shown_for_a_survivor_is_the_test_that_was_missing(tmp_path):
    shutil.copy(ROOT / "tests/policy/acme.yaml", tmp_path / "acme.yaml")
    suite = yaml.safe_load((ROOT / "tests/policy/acme.test.yaml").read_text())
    suite["now"] = "2026-03-04T10:00:00Z"
    (tmp_path / "acme.test.yaml").write_text(yaml.safe_dump(suite))
    found = mutants(tmp_path / "acme.yaml")[0]
    untested = [text for text in found.values() if text.startswith("untested: ")]
    assert len(found) == 15 and len(untested) == 10
    for n, text in enumerate(untested):
        request, verdict = re.fullmatch(r"untested: (\{.*\}) is ([A-Z_]+), and would be .*", text).groups()
        suite["fixtures"][f"shown-{n}"] = json.loads(request)
        (tmp_path / "shown.json").write_text(request)
        why = json.loads(run("policy", "explain", tmp_path / "shown.json", "--policy", tmp_path / "acme.yaml", "-o", "json").stdout)
        suite["cases"].append({"name": f"shown {n}", "request": f"shown-{n}",
                               "expect": {"decision": verdict, "obligations": why.get("obligations", {})}})
    (tmp_path / "acme.test.yaml").write_text(yaml.safe_dump(suite))
    assert [text for text in mutants(tmp_path / "acme.yaml")[0].values() if not text.startswith("harmless")] == []


@pytest.mark.parametrize("example", EXAMPLES[:4])
def test_the_tests_of_the_examples_see_every_mistake_that_could_do_harm(example):
    found, seen, no_policy = mutants(ROOT / example)
    assert seen > 20 and no_policy == 0 and all(text.startswith("harmless") for text in found.values())


def test_an_invariant_is_tried_on_words_that_the_input_can_hold(tmp_path):
    path = small(tmp_path, [{"id": "foreign", "when": "context.currency != 'EUR'", "decision": "ALLOW"}],
                 invariants=[{"id": "never", "assert": "decision != 'ALLOW'"}])
    assert '"currency":"ano"' in run("policy", "lint", path, status=1).stderr.replace('"currency":"oth"', '"currency":"ano"')


# ---------------------------------------------------------------- policy lint

DOUBTS = [{"id": "never", "when": "context.n > 5 && context.n < 5", "decision": "BLOCK"},
          {"id": "absent", "when": "context.ok", "decision": "ALLOW"}]


def test_what_is_wrong_or_doubtful_is_shown_in_its_line_and_only_what_is_wrong_fails(tmp_path):
    path = small(tmp_path, DOUBTS)
    done = run("policy", "lint", path, status=1)
    line = path.read_text()
    assert f"{path}:1:{line.index('context.n < 5') + 1 + 10}: E06 rules[0].when: with what is before it, this can't be true for any value" in done.stderr
    assert done.stdout == "" and re.search(r"^ +1 \| .*\n +\| +\^$", done.stderr, re.M)
    assert done.stderr.endswith(f"{path}: 1 error, 3 warnings (E06 1, W05 2, W09 1)\n")
    found = json.loads(run("policy", "lint", path, "-o", "json", status=1).stdout)
    assert [(one["severity"], one["code"], one["path"]) for one in found] == [
        ("error", "E06", "rules[0].when"), ("warning", "W05", "rules[0].when"), ("warning", "W05", "rules[1].when"), ("warning", "W09", "rules[1].when")]


def test_warnings_do_not_fail_unless_they_are_named(tmp_path):
    path = small(tmp_path, DOUBTS[1:])
    assert "0 errors, 2 warnings (W05 1, W09 1)" in run("policy", "lint", path).stderr
    assert "1 error, 1 warning (W05 1, W09 1)" in run("policy", "lint", path, "--error", "W04,W05", status=1).stderr
    run("policy", "lint", path, "--error", "W04")
    assert "--error: there is no check W99" in run("policy", "lint", path, "--error", "W05,W99", status=2).stderr


def test_of_many_findings_twenty_are_shown_and_the_rest_is_counted(tmp_path):
    path = small(tmp_path, [{"id": f"r{n}", "when": f"context.n > {n} && context.n < {n}", "decision": "BLOCK"} for n in range(30)])
    done = run("policy", "lint", path, status=1)
    assert done.stderr.count(" E06 rules[") == 20 and "30 errors, 30 warnings (E06 30, W05 30); 40 of them are not shown" in done.stderr
    assert len(json.loads(run("policy", "lint", path, "-o", "json", status=1).stdout)) == 20


# What is left, all of it so: an ALLOW that an absent field takes away and a restriction that it raises are what the tests of the examples
# show (W05), and every context and name is a claim (W09, W14). In ACME's a rule only gives its default a reason (W02), and one restriction
# is avoided by its default (W06).
LEFT = {"delivery": {"W05": 6, "W09": 3, "W14": 3}, "payments": {"W05": 4, "W09": 1, "W14": 1}, "health": {"W05": 3, "W09": 1, "W14": 1},
        "infrastructure": {"W05": 5, "W09": 2, "W14": 1}, "acme": {"W02": 1, "W05": 10, "W06": 1, "W09": 6, "W14": 3}}


@pytest.mark.parametrize("example", EXAMPLES)
def test_of_the_examples_lint_says_what_is_so_and_no_more(example):
    counts = re.search(r"0 errors, \d+ warnings \((.*?)\)", run("policy", "lint", ROOT / example).stderr).group(1)
    assert {one.split()[0]: int(one.split()[1]) for one in counts.split(", ")} == LEFT[(ROOT / example).stem]


# ---------------------------------------------------------------- policy fmt, policy convert

NASTY = ["", " ", "yes", "No", "~", "null", "TRUE", "1", "1.5", "0x1F", "1_000", "12:30", "2026-01-01", "1e3", ".inf", "-", "- a", "? a", ": a", "a: b", "a:",
         "a #b", "#a", "a#b", "!a", "&a", "*a", "%a", "@a", "`a", "|", ">", "'a'", "it's", 'say "a"', "it's \"a\"", "a\\b", "it's a\\b", "[a]", "{a}", "a, b",
         "a]b", "<<", "=", "a ", " a", "a\nb", "a\tb", "\u0001", "\u007f", "\u0085", "\u2028", "\ufeff", "\u200b", "\u202e", "ü", "😀", "\U000e0041", "---", "...", "2h", "1h30m",
         "24", "http://x/y:1", "y", "n", "a" * 1000, "Straße, 3: 'x' #1"]


def example_policies(tmp_path):
    reasons = [text for text in NASTY if text.strip() and text.isprintable()]
    nasty = small(tmp_path, [{"id": f"r{n}", "decision": "BLOCK", "reason": text} for n, text in enumerate(reasons)], name="nasty",
                  params={"words": {"type": "list<string>", "value": NASTY}})
    return [ROOT / example for example in EXAMPLES] + [nasty]


def read(text, form):
    return json.loads(text) if form == "json" else yaml.safe_load(text)


def test_a_policy_is_the_same_in_both_forms_there_and_back(tmp_path):
    for path in example_policies(tmp_path):
        data = yaml.safe_load(path.read_text()) if path.suffix == ".yaml" else json.loads(path.read_text())
        texts = {}
        for form in ("json", "yaml"):
            texts[form] = run("policy", "convert", path, "--to", form).stdout
            (tmp_path / f"there.{form}").write_text(texts[form])
            assert read(texts[form], form) == data
        for form in ("json", "yaml"):
            assert run("policy", "convert", tmp_path / f"there.{form}", "--to", "json").stdout == texts["json"]
            assert run("policy", "convert", tmp_path / f"there.{form}", "--to", "yaml").stdout == texts["yaml"]
            assert run("policy", "fmt", tmp_path / f"there.{form}").stdout == texts[form]


@pytest.mark.parametrize("example", EXAMPLES[:4])
def test_the_digest_of_an_example_is_that_of_its_other_form(example, tmp_path):
    (tmp_path / "other.json").write_text(run("policy", "convert", ROOT / example, "--to", "json").stdout)
    one, other = (json.loads(run("policy", "check", path, "-o", "json").stdout) for path in (ROOT / example, tmp_path / "other.json"))
    assert one == other and one["digest"].startswith("sha-256:")


def test_keys_come_in_the_order_of_the_manual_and_names_of_the_author_stay_in_his(tmp_path):
    path = tmp_path / "p.json"
    rule = {"reason": "because", "decision": "BLOCK", "when": "context.b > 1", "match": {"agents": ["x"], "actions": ["a"]}, "id": "r"}
    path.write_text(json.dumps({"rules": [rule], "classes": [{"default": "BLOCK", "actions": ["**"], "id": "c"}],
                                "inputs": {"b": {"max": 9, "type": "int"}, "a": "bool"}, "version": 1, "policy": "p", "countersign": "policy/v1"}))
    assert run("policy", "convert", path, "--to", "yaml").stdout == """\
countersign: policy/v1
policy: p
version: 1

inputs:
  b: {type: int, max: 9}
  a: bool

classes:
  - {id: c, actions: ['**'], default: BLOCK}

rules:
  - id: r
    match: {actions: [a], agents: [x]}
    when: context.b > 1
    decision: BLOCK
    reason: because
"""


BARE = "countersign: policy/v1\npolicy: p\nversion: 1\nclasses: [{id: c, actions: ['**'], default: BLOCK}]\n"


@pytest.mark.parametrize("text", ["# above\n" + BARE, BARE + "# below\n", BARE + "description: x # beside\n", BARE + "description: |-  # of the sign\n  x\n",
                                  BARE + "description: |-\n  x\n# behind a block\n", BARE.replace("[{", "[ # inside\n {"), BARE + "description: 'ü' # x"])
def test_a_file_with_comments_is_not_written(text, tmp_path):
    path = tmp_path / "p.yaml"
    path.write_text(text)
    assert "comments" in run("policy", "fmt", path, "--write", status=1).stderr and path.read_text() == text
    done = run("policy", "fmt", path)
    assert "its comments are not in what is printed" in done.stderr and "#" not in done.stdout
    assert sorted(p.name for p in tmp_path.iterdir()) == ["p.yaml"]


@pytest.mark.parametrize("text", [BARE, BARE + "description: a#b\n", BARE + "description: 'a # b'\n", BARE + 'description: "ü # b"\n',
                                  BARE + "description: |-\n  # no comment\n", BARE + "description: >-\n  a # b\n"])
def test_a_file_without_comments_is_written_keeps_its_rights_and_is_left_alone_once_it_is_laid_out(text, tmp_path):
    path, link = tmp_path / "p.yaml", tmp_path / "link.yaml"
    path.write_text(text)
    path.chmod(0o640)
    link.symlink_to(path)
    wanted = run("policy", "fmt", path)
    assert wanted.stderr == ""
    run("policy", "fmt", link, "--write")
    assert path.read_text() == wanted.stdout and path.stat().st_mode & 0o777 == 0o640 and link.is_symlink()
    before = path.stat().st_ino
    run("policy", "fmt", path, "--write")
    assert path.stat().st_ino == before and sorted(p.name for p in tmp_path.iterdir()) == ["link.yaml", "p.yaml"]


def test_what_is_no_policy_is_not_laid_out(tmp_path):
    path = tmp_path / "p.yaml"
    path.write_text(BARE + "colour: red\n")
    assert "colour" in run("policy", "fmt", path, "--write", status=1).stderr and path.read_text() == BARE + "colour: red\n"
    assert run("policy", "convert", path, "--to", "json", status=1).stdout == ""
    assert run("policy", "convert", path, "--to", "xml", status=2).stdout == "" and run("policy", "fmt", "-", "--write", status=2, stdin=BARE).stdout == ""


# ---------------------------------------------------------------- policy diff, policy replay

RULES = [{"id": "few", "when": "context.n <= 5", "unless": "context.n < -9", "decision": "ALLOW"}, {"id": "gone", "when": "context.n > 90", "decision": "BLOCK"},
         {"id": "ask", "when": "context.n > 5", "decision": "REQUIRE_APPROVAL", "approval": "p"}]
NEW_RULES = [{"id": "ask", "when": "context.n > 3", "decision": "REQUIRE_APPROVAL", "approval": "p"}, {"id": "new", "when": "context.n == 50", "decision": "BLOCK"},
             {"id": "few", "when": "context.n <= 5", "decision": "ALLOW", "reason": "few"}]
CLASSES = [{"id": "other", "actions": ["**"], "default": "BLOCK"}, {"id": "a", "actions": ["a.**"], "default": "REQUIRE_APPROVAL", "approval": "p"}]


def two(tmp_path):
    old = small(tmp_path, RULES, name="old")
    return old, small(tmp_path, NEW_RULES, name="new", version=2, classes=CLASSES, inputs={**SMALL["inputs"], "m": {"type": "int"}},
                      approvals={"p": SMALL["approvals"]["p"]})


def asked(**context):
    return {"agent_id": "x", "action": "a.b", "target": "t", "context": context}


def test_a_diff_names_what_was_added_removed_and_changed_and_order_is_no_change(tmp_path):
    old, new = two(tmp_path)
    changes = json.loads(run("policy", "diff", old, new, "-o", "json").stdout)
    assert [(c["part"], c.get("name"), c["change"], c.get("key"), c.get("before"), c.get("after")) for c in changes] == [
        ("policy", None, "changed", "version", 1, 2),
        ("input", "m", "added", None, None, {"type": "int"}),
        ("class", "a", "changed", "default", "BLOCK", "REQUIRE_APPROVAL"),
        ("class", "a", "changed", "approval", None, "p"),
        ("approval", "q", "removed", None, SMALL["approvals"]["q"], None),
        ("rule", "few", "changed", "unless", "context.n < -9", None),
        ("rule", "few", "changed", "reason", None, "few"),
        ("rule", "gone", "removed", None, {"match": {"actions": ["a.b"]}, **RULES[1]}, None),
        ("rule", "ask", "changed", "when", "context.n > 5", "context.n > 3"),
        ("rule", "new", "added", None, None, {"match": {"actions": ["a.b"]}, **NEW_RULES[1]})]
    lines = run("policy", "diff", old, new).stdout.splitlines()
    assert lines[lines.index("rule ask changed: when"):][:3] == ["rule ask changed: when", "  - context.n > 5", "  + context.n > 3"]
    assert "rule gone removed" in lines and "rule new added" in lines and "class a changed: approval" in lines and "  + p" in lines


def test_the_same_policy_in_the_other_form_is_no_difference(tmp_path):
    for example in EXAMPLES:
        (tmp_path / "other.json").write_text(run("policy", "convert", ROOT / example, "--to", "json").stdout)
        assert run("policy", "diff", ROOT / example, tmp_path / "other.json").stdout == "nothing is changed\n"


def groups(out):
    report = json.loads(out)
    return [tuple(g[k] for k in ("direction", "count", "before", "before_by", "after", "after_by")) + (g["examples"],) for g in report["groups"]], \
        report["changed"], report["decisions"]


def test_a_replay_counts_the_decisions_that_change_by_what_decides_and_in_which_direction(tmp_path):
    old, new = two(tmp_path)
    lines = [{"request_id": f"n{n}", **asked(n=n)} for n in (1, 4, 5, 50, 91, 92, 93, 94)] + [
        {"request": asked(), "decided_at": "2026-03-04T10:00:00Z", "verdict": "BLOCK"}, {**asked(n=4), "action": "z.z"}]
    path = tmp_path / "requests.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)) + "\n\n")
    found, changed, decisions = groups(run("policy", "diff", old, new, "--replay", path, "-o", "json").stdout)
    assert (changed, decisions) == (7, 10) and found == [
        ("milder", 4, "BLOCK", "gone", "REQUIRE_APPROVAL", "ask", ["n91", "n92", "n93"]),
        ("stricter", 2, "ALLOW", "few", "REQUIRE_APPROVAL", "ask", ["n4", "n5"]),
        ("stricter", 1, "REQUIRE_APPROVAL", "ask", "BLOCK", "new", ["n50"])]
    text = run("policy", "diff", old, new, "--replay", "-", stdin=path.read_text()).stdout
    assert text.splitlines()[0] == "milder: 4 of BLOCK by gone, then REQUIRE_APPROVAL by ask: n91, n92, n93, …"
    assert text.splitlines()[-1] == "7 of 10 decisions would change"


def test_a_replay_sees_who_is_asked_and_takes_the_time_of_each_decision(tmp_path):
    rule = {"id": "r", "decision": "REQUIRE_APPROVAL", "approval": "p"}
    old, new = small(tmp_path, [rule], name="old"), small(tmp_path, [{**rule, "approval": "q"}], name="new")
    assert groups(run("policy", "diff", old, new, "--replay", "-", "-o", "json", stdin=json.dumps(asked())).stdout)[0] == [
        ("asks otherwise", 1, "REQUIRE_APPROVAL", "r", "REQUIRE_APPROVAL", "r", ["line 1"])]
    lasting = {"id": "r", "decision": "ALLOW"}
    old, new = small(tmp_path, [lasting], name="old"), small(tmp_path, [{**lasting, "expires": "2100-03-01T00:00:00Z"}], name="new")
    lines = [{"request": asked(), "decided_at": f"{year}-03-04T10:00:00Z"} for year in (2099, 2100)] + [asked()]
    assert groups(run("policy", "diff", old, new, "--replay", "-", "-o", "json", stdin="\n".join(map(json.dumps, lines))).stdout) == (
        [("stricter", 1, "ALLOW", "r", "BLOCK", "the default of a", ["line 2"])], 1, 3)


@pytest.mark.parametrize("line, named", [("{", "not JSON"), ("[]", "object"), ('{"request": 1}', "object"), ('{"agent_id": "x"}', "action"),
                                         (json.dumps({"request": asked(), "decided_at": "yesterday"}), "decided_at")])
def test_a_line_that_is_no_request_ends_the_replay_and_is_named(line, named, tmp_path):
    old, new = two(tmp_path)
    done = run("policy", "diff", old, new, "--replay", "-", status=1, stdin=json.dumps(asked(n=1)) + "\n" + line + "\n")
    assert "-:2" in done.stderr and named in done.stderr and done.stdout == ""


def changed(path, tmp_path, name, *replacements):
    text = path.read_text()
    for old, new in replacements:
        assert old in text
        text = text.replace(old, new)
    (tmp_path / name).write_text(text)
    return str(tmp_path / name)


def test_stored_decisions_are_decided_again_and_nothing_is_written(build, tmp_path):
    delivery = ROOT / "deploy/policies/delivery.yaml"
    house = build(policy=delivery, services=("evaluator", "relay"))
    house.person("ann", "release-managers")
    context = {"repository": "api", "branch": "main", "environment": "production", "tests_passed": True, "protected_branch": True}
    for name, more in (("low", {"change_risk": "low"}), ("medium", {"change_risk": "medium"}), ("high", {"change_risk": "high"}),
                       ("red", {"change_risk": "low", "tests_passed": False}), ("wrong", {"change_risk": "none"})):
        house.publish("requests", {"request_id": name, "agent_id": "coding-agent-1", "action": "deployment.production", "target": "api",
                                   "context": {**context, **more}}, key=name)
        house.word(name, "GRANTED" if name in ("low", "medium") else "PENDING" if name == "high" else "DENIED")
    before = house.sql("SELECT (SELECT count(*) FROM countersign.decision), (SELECT count(*) FROM countersign.policy), (SELECT max(generation) FROM countersign.policy_generation)")
    assert groups(house.cli("policy", "replay", str(delivery), "-o", "json").stdout) == ([], 0, 4)
    new = changed(delivery, tmp_path, "new.yaml", ("['low', 'medium']", "['low']"), ("'!context.tests_passed'", "'false && !context.tests_passed'"))
    found, count, decisions = groups(house.cli("policy", "replay", new, "-o", "json", role="operator").stdout)
    assert (count, decisions) == (2, 4)  # what was refused at the door is not kept whole
    assert {(g[0], tuple(g[-1])) for g in found} == {("milder", ("red",)), ("stricter", ("medium",))}
    last = groups(house.cli("policy", "replay", new, "--last", "1", "-o", "json").stdout)
    assert last == ([("milder", 1, "BLOCK", "production-untested", "REQUIRE_APPROVAL", "the default of deployment", ["red"])], 1, 1)
    assert house.cli("policy", "replay", new, "--last", "0", check=False).returncode == 2
    elsewhere = changed(delivery, tmp_path, "elsewhere.yaml", ("tenants: ['*']", "tenants: [elsewhere]"))
    assert groups(house.cli("policy", "replay", elsewhere, "-o", "json").stdout) == ([], 0, 0)
    assert house.sql("SELECT (SELECT count(*) FROM countersign.decision), (SELECT count(*) FROM countersign.policy), (SELECT max(generation) FROM countersign.policy_generation)") == before


# ---------------------------------------------------------------- policy rollback

def test_a_rollback_activates_the_older_document_under_a_higher_version_and_it_decides(build):
    house = build(policy=policy(1), services=("evaluator", "relay"))
    first = house.sql("SELECT document FROM countersign.policy")[0][0]
    house.activate({**policy(4), "rules": [{"id": "stop", "match": {"actions": ["**"]}, "decision": "BLOCK"}]})
    blocked = house.ask(agent_id="a", action="deployment.staging", target="t")
    house.word(blocked, "DENIED")
    name = policy(1)["policy"]
    assert f"policy {name} version 5 is active" in house.cli("policy", "rollback", name, "1").stderr
    rows = house.sql("SELECT version, document, digest, generation FROM countersign.policy ORDER BY generation")
    assert [row[0] for row in rows] == [1, 4, 5] and [row[3] for row in rows] == sorted({row[3] for row in rows})
    assert {**json.loads(rows[2][1]), "version": 1} == json.loads(first)
    assert rows[2][2] == "sha-256:" + hashlib.sha256(rows[2][1].encode()).hexdigest()
    granted = house.ask(agent_id="a", action="deployment.staging", target="t")
    house.word(granted, "GRANTED")
    assert house.sql("SELECT policy_version FROM countersign.decision ORDER BY decided_at") == [(4,), (5,)]
    for arguments, named in (((name, "5"), "is the active one"), ((name, "2"), "never a version 2"), (("nobody", "1"), "never a version 1")):
        done = house.cli("policy", "rollback", *arguments, check=False)
        assert done.returncode == 1 and named in done.stderr
    assert house.cli("policy", "rollback", name, "first", check=False).returncode == 2
    assert house.sql("SELECT count(*) FROM countersign.policy")[0][0] == 3


def test_a_rollback_to_what_breaks_its_invariants_or_is_no_policy_any_more_changes_nothing(build):
    house, name = build(services=()), policy(1)["policy"]
    broken = {**policy(1), "invariants": [{"id": "never", "assert": "decision != 'ALLOW'"}]}
    never = {**policy(3), "rules": [{"id": "never", "when": "agent_id == 'a' && agent_id != 'a'", "decision": "ALLOW"}]}
    for document in (broken, {**policy(2), "colour": "red"}, never):  # as if a program of another version had activated them
        text = json.dumps(document, sort_keys=True, separators=(",", ":"))
        house.db.execute("WITH raised AS (UPDATE countersign.policy_generation SET generation = generation + 1 RETURNING generation) "
                         "INSERT INTO countersign.policy (policy_id, version, digest, document, tenants, generation, activated_at) "
                         "SELECT %s, %s, %s, %s, '{default}', generation, now() FROM raised",
                         (name, document["version"], "sha-256:" + hashlib.sha256(text.encode()).hexdigest(), text))
    house.activate(policy(4))
    for version, named in (("1", "invariant"), ("2", "colour"), ("3", "E06 rules[0].when")):
        done = house.cli("policy", "rollback", name, version, check=False)
        assert done.returncode == 1 and named in done.stderr, done.stderr
    assert house.sql("SELECT count(*), max(generation), (SELECT max(generation) FROM countersign.policy_generation) FROM countersign.policy") == [(4, 4, 4)]


def test_the_dry_run_shows_rules_in_the_shadow_and_says_that_nobody_looked_at_what_is_used(tmp_path):
    rules = [{"id": "r", "when": "context.n <= 5", "decision": "ALLOW"}, {"id": "later", "when": "context.n > 1", "decision": "BLOCK", "mode": "shadow"}]
    limit = {"id": "few", "key": ["agent_id"], "count": {"max": 3, "per": "1h"}, "exceeded": "BLOCK"}
    path = small(tmp_path, rules, [({}, BLOCK)], limits=[limit])
    (tmp_path / "request.json").write_text(json.dumps({"agent_id": "bot", "action": "a.b", "target": "t", "context": {"n": 3}}))
    out = run("policy", "explain", tmp_path / "request.json", "--policy", path).stdout
    assert re.search(r"considered +rule later in the shadow \(BLOCK\): yes, but it counts for nothing\n", out), out
    assert re.search(r'limit +few: takes 1 of 3 for \["bot"\]\n', out) and re.search(r"used +nothing: what others have used of limits is not looked at here\n", out), out
    why = json.loads(run("policy", "explain", tmp_path / "request.json", "--policy", path, "-o", "json").stdout)
    assert why["decision"] == "ALLOW" and why["usage"].startswith("nothing") and why["limits"][0]["used"] == 0
