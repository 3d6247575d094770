# SPDX-License-Identifier: Apache-2.0
"""`countersign cel`: an expression for a person, lines of them for a program."""
import json
import subprocess

import pytest
from tool import PROGRAM, batch, run


def cel(*arguments, text=""):
    return subprocess.run([PROGRAM, "cel", *arguments], input=text.encode(), capture_output=True, check=False)


def said(*arguments, text=""):
    done = cel(*arguments, text=text)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_a_value_is_printed_with_its_type():
    assert said("1 + 1") == (0, "2\nint\n", "")
    assert said("{'a': [1u, 2.0], 'b': b'\\xff'}") == (0, '{"a": [1u, 2.0], "b": b"\\xff"}\nmap<string, dyn>\n', "")
    assert said("timestamp('2024-02-29T00:00:00Z') + duration('1.5s')") == (0, 'timestamp("2024-02-29T00:00:01.5Z")\ntimestamp\n', "")
    assert said("optional.of(1)")[1] == "optional.of(1)\noptional<int>\n"
    assert said("type(1)")[1].startswith("int\n") and said("null")[1] == "null\nnull_type\n"


def test_what_is_printed_is_an_expression_that_has_the_value():
    for expression in ["-0.0", "1e300", "5e-324", "0.1", "'a\"\\\\b\\n\\x01é'", "b'a\\x00\\xff\"'", "[1, [2u]]", "{1: true, 'a': null}", "duration('-0.000000001s')",
                       "timestamp('0001-01-01T00:00:00Z')", "timestamp('9999-12-31T23:59:59.999999999Z')", "timestamp('2000-02-29T12:00:00Z')", "optional.none()", "ip('2001:db8::1')",
                       "cidr('10.1.2.3/8')", "-9223372036854775808", "18446744073709551615u", "int"]:
        printed = said("--", expression)[1].split("\n")[0]
        assert run(printed)["value"] == run(expression)["value"], (expression, printed)


def test_variables_come_from_a_file(tmp_path):
    file = tmp_path / "request.json"
    file.write_text('{"context": {"amount": 4200, "rate": 1.0, "tags": ["a", null, true]}}')
    assert said("context.amount <= 5000 && context.rate == 1.0 && context.tags == ['a', null, true]", "--bind", file) == (0, "true\nbool\n", "")
    assert said("context.amount", "--bind", "-", text=file.read_text()) == (0, "4200\nint\n", "")
    file.write_text("[1]")
    assert said("1", "--bind", file)[0] == 1 and "object" in said("1", "--bind", file)[2]
    assert said("1", "--bind", tmp_path / "nowhere")[0] == 1


def test_a_fault_is_shown_with_its_line_and_a_caret():
    code, out, err = said("true &&\n  1 + 'a' == 2")
    assert code == 1 and out == ""
    assert "2:5: " in err and "(no_such_overload)" in err and "\n    1 + 'a' == 2\n      ^\n" in err
    code, out, err = said("'é' + (1 / 0 == 1 ? 'a' : 'b')")
    assert code == 1 and out == "" and "1:10: " in err and "(division_by_zero)" in err and "\n           ^\n" in err
    assert "undeclared" in said("contxt")[2]


def test_several_faults_are_shown_at_once():
    err = said("a + b + c")[2]
    assert err.count("^") == 3 and err.count("undeclared") == 3


def test_a_source_cannot_play_with_the_terminal():
    assert "\x1b" not in said("1 + \x1b[2J")[2] and "\x1b" not in said("'\x1b[2J'")[1]


def test_usage():
    assert said()[0] == 2 and said("1", "2")[0] == 2 and said("--batch", "1")[0] == 2 and said("--batch", "--bind", "x")[0] == 2
    for wrong in ("0", "-1", "x", "1000000001", ""):
        assert said("1", "--cost-max", wrong)[0] == 2


def test_limits_are_those_of_a_policy_unless_others_are_asked_for():
    deep = "[" * 40 + "]" * 40
    wide = "[" + ",".join(["1"] * 300) + "]"
    long = "'" + "a" * 3000 + "'"
    many = " + ".join(["1"] * 20) + " + size([" + ",".join(["1+1"] * 250) + "])"
    loops = "[1].all(a, [1].all(b, [1].all(c, [1].all(d, true))))"
    dear = "[1,2,3,4,5,6,7,8,9,10].map(a, [1,2,3,4,5,6,7,8,9,10].map(b, [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20].map(c, a + b + c))).size()"
    for expression, option, loop in [(deep, "--depth-max", "2"), (wide, "--item-max", "2"), (long, "--source-max", "2"), (many, "--node-max", "2"), (loops, "--loop-max", "9"),
                                     (dear, "--cost-max", "9")]:
        code, _, err = said(expression, "--loop-max", loop) if option != "--loop-max" else said(expression)
        assert code == 1 and ("(depth)" in err or "(cost)" in err), (option, err)
        assert said(expression, "--loop-max", loop, option, "1000000")[0] == 0, (option, said(expression, option, "1000000")[2])
    doubled = "['aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'].map(x, [x, x, x, x, x, x, x, x, x, x].map(y, y + x)).size()"
    assert "(memory)" in said(doubled, "--memory-max", "500")[2] and said(doubled)[0] == 0


def test_each_line_of_a_batch_is_answered():
    answers = batch([
        {"expr": "x + 1", "bindings": {"x": {"int": "9223372036854775806"}}, "types": {"x": "int"}},
        {"expr": "x + 1", "bindings": {"x": {"int": "9223372036854775807"}}},
        {"expr": "x + 'a'", "types": {"x": "int"}},
        {"expr": "1 +"},
    ])
    assert answers[0]["value"] == {"int": "9223372036854775807"} and answers[0]["type"] == "int" and answers[0]["stage"] == "value" and answers[0]["cost"] > 0
    assert {key: answers[1][key] for key in ("code", "position", "line", "column", "stage")} == {
        "code": "overflow", "position": 2, "line": 1, "column": 3, "stage": "evaluate"}
    assert (answers[2]["code"], answers[2]["stage"], answers[2]["position"]) == ("no_such_overload", "check", 2)
    assert (answers[3]["code"], answers[3]["stage"]) == ("syntax", "parse")


@pytest.mark.parametrize("value", [
    {"null": None}, {"bool": True}, {"int": "-9223372036854775808"}, {"uint": "18446744073709551615"}, {"double": "-0"}, {"double": "NaN"}, {"double": "-Infinity"},
    {"double": "0.1"}, {"double": "5e-324"}, {"double": "1.7976931348623157e+308"}, {"string": "a\u0000é\"\\😀\n"}, {"bytes": "00ff41"}, {"bytes": ""}, {"list": []}, {"list": [{"list": [{"int": "1"}]}]},
    {"map": [[{"int": "1"}, {"string": "a"}], [{"bool": True}, {"null": None}]]}, {"timestamp": "0001-01-01T00:00:00Z"}, {"timestamp": "9999-12-31T23:59:59.999999999Z"},
    {"timestamp": "2000-02-29T00:00:00.5Z"}, {"timestamp": "1969-12-31T23:59:59.999Z"}, {"timestamp": "1900-03-01T00:00:00Z"}, {"duration": "-0.000000001s"}, {"duration": "9223372036.854775807s"},
    {"duration": "-9223372036.854775808s"}, {"type": "int"}, {"type": "list"}, {"optional": None}, {"optional": {"optional": {"int": "1"}}}, {"ip": "192.0.2.1"}, {"ip": "2001:db8::1"},
    {"cidr": "192.0.2.7/24"}, {"cidr": "::/0"},
], ids=str)
def test_a_typed_value_comes_back_as_it_went(value):
    assert run("x", bindings={"x": value})["value"] == value


@pytest.mark.parametrize("value", [
    1, "a", None, {}, {"int": 1}, {"int": "1", "uint": "1"}, {"int": "9223372036854775808"}, {"int": " 1"}, {"int": "1x"}, {"int": ""}, {"uint": "-1"}, {"double": "x"}, {"double": "0x10 "},
    {"bool": "true"}, {"bytes": "f"}, {"bytes": "fg"}, {"list": {}}, {"map": [[{"int": "1"}]]}, {"map": [[{"double": "1"}, {"int": "1"}]]},
    {"map": [[{"int": "1"}, {"int": "1"}], [{"uint": "1"}, {"int": "1"}]]}, {"timestamp": "2023-02-29T00:00:00Z"}, {"timestamp": "2024-01-01T00:00:00"}, {"timestamp": "2024-01-01T00:00:60Z"},
    {"timestamp": "0000-01-01T00:00:00Z"}, {"timestamp": "2024-01-01T00:00:00.Z"}, {"duration": "1"}, {"duration": "s"}, {"duration": "9223372036.854775808s"}, {"duration": "1h"},
    {"type": "a<"}, {"ip": "10.0.0"}, {"ip": "10.0.0.0/8"}, {"cidr": "10.0.0.0"}, {"cidr": "10.0.0.0/33"}, {"cidr": "10.0.0.0/ 8"}, {"error": "x"},
], ids=str)
def test_what_is_no_typed_value_is_told(value):
    answer = run("1", bindings={"x": value})
    assert answer["stage"] == "line" and answer["code"] in ("bad_value", "bad_type", "bad_line")


@pytest.mark.parametrize("line", ["", "x", "[]", "1", "{}", '{"expr": 1}', '{"expr": "1", "exprs": 1}', '{"expr": "1", "check": "no"}', '{"expr": "1", "bindings": []}', '{"expr": "1", "types": {"x": 1}}',
                                  '{"expr": "1", "types": {"x": "list<"}}', '{"expr": "1", "types": {"1x": "int"}}', '{"expr": "1", "stop": "here"}', '{"expr": "1", "functions": {"f": ["x"]}}',
                                  '{"expr": "1", "functions": {"f": [1]}}', '{"expr": "1"} x', '{"expr": "1", "expr": "2"}', '{"expr": "\\ud800"}'], ids=repr)
def test_a_line_that_is_none_of_a_batch_is_answered_and_told_by_the_exit_code(line):
    done = cel("--batch", text=line + '\n{"expr": "1"}\n')
    answers = [json.loads(answer) for answer in done.stdout.decode().split("\n")[:-1]]
    assert done.returncode == 1 and answers[0]["stage"] == "line" and answers[0]["code"] and answers[1]["value"] == {"int": "1"}


def test_lines_have_an_end():
    line = {"expr": "1 //"}
    room = 1024 * 1024 - len(json.dumps(line))
    for extra, fits in ((0, True), (1, False)):
        text = json.dumps(line | {"expr": line["expr"] + " " * (room + extra)})
        done = cel("--batch", "--source-max", "100000000", text=text + '\n{"expr": "2"}\n')
        answers = [json.loads(answer) for answer in done.stdout.decode().split("\n")[:-1]]
        assert len(answers) == 2 and answers[1]["value"] == {"int": "2"}
        assert ("value" in answers[0]) == fits and (done.returncode == 0) == fits
    assert cel("--batch", text='{"expr": "1"}').stdout.decode().startswith('{"value":{"int":"1"}')
    assert cel("--batch").stdout == b"" and cel("--batch").returncode == 0


def test_a_batch_answers_while_it_is_asked():
    with subprocess.Popen([PROGRAM, "cel", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as asked:
        for number in range(3):
            asked.stdin.write(b'{"expr": "%d"}\n' % number)
            asked.stdin.flush()
            assert json.loads(asked.stdout.readline())["value"] == {"int": str(number)}
        asked.stdin.close()
        assert asked.wait() == 0


def test_declared_functions_are_checked_and_not_called():
    functions = {"f": ["(int, A):list<A>", "string.():int"]}
    assert run("f(1, 2u)", functions=functions, stop="check")["type"] == "list<uint>"
    assert run("'a'.f()", functions=functions, stop="check")["type"] == "int"
    assert run("f('a')", functions=functions, stop="check")["code"] == "no_such_overload"
    assert run("f(1, 2)", functions=functions)["code"] == "unbound"


def test_an_estimate_is_never_below_what_it_costs():
    answers = batch([{"expr": expression} for expression in ["1 + 1", "[1, 2, 3].all(x, x > 0)", "'a'.startsWith('b')", "[1, 2].map(x, x * 2).size() == 2", "'abc'.matches('b+')"]])
    assert all(answer["cost"] <= answer["bound"] for answer in answers)


def test_json_is_the_answer_of_a_batch():
    assert json.loads(said("1 + 1", "-o", "json")[1])["value"] == {"int": "2"}
    code, out, _ = said("1 / 0", "-o", "json")
    assert code == 1 and json.loads(out)["code"] == "division_by_zero"
