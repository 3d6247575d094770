# SPDX-License-Identifier: Apache-2.0
"""What implementers of the language get wrong, row by row; and what the suite of the package does not have: addresses and shadowed names."""
import pytest
from tool import batch, run

TRUE = {"bool": True}


def all_true(expressions, **members):
    answers = batch([{"expr": expression, **members} for expression in expressions])
    wrong = [(expression, answer) for expression, answer in zip(expressions, answers) if answer.get("value") != TRUE]
    assert not wrong, "\n".join(map(str, wrong))


def all_fail(cases, **members):
    """{expression: code}"""
    answers = batch([{"expr": expression, **members} for expression in cases])
    wrong = [(expression, code, answer) for (expression, code), answer in zip(cases.items(), answers) if answer.get("code") != code]
    assert not wrong, "\n".join(map(str, wrong))


def test_an_error_is_absorbed_by_what_decides_without_it_on_either_side():
    all_true([
        "(1/0 == 1) || true", "true || (1/0 == 1)", "!((1/0 == 1) && false)", "!(false && (1/0 == 1))", "[1,2].exists(x, 1/(x-1) == 1 && x == 2)",
        "[0, 1].exists(x, 1/x == 1)", "[1, 0].exists(x, 1/x == 1)", "![0, 1].all(x, 1/x != 1)", "![1, 0].all(x, 1/x != 1)",
    ])
    all_true(["!(false && dyn(32))", "true || dyn('a')", "!(dyn(32) && false)", "!(false && 32)", "x || true", "true || f(1)"], check=False)


def test_an_error_stays_one_where_nothing_decides():
    all_fail({
        "(1/0 == 1) || false": "division_by_zero", "false || (1/0 == 1)": "division_by_zero", "(1/0 == 1) && true": "division_by_zero",
        "[0, 2].exists(x, 1/x == 1)": "division_by_zero", "[0, 1].all(x, 1/x == 1)": "division_by_zero",
        "[0, 1].exists_one(x, 1/x == 1)": "division_by_zero", "[0, 1].map(x, 1/x)": "division_by_zero", "[0, 1].filter(x, 1/x == 1)": "division_by_zero",
    })


def test_a_condition_that_fails_is_the_result_and_the_other_branch_is_not_looked_at():
    all_true(["true ? true : 1/0 == 1", "false ? 1/0 == 1 : true", "dyn(true) ? true : dyn(1/0 == 1)"])
    all_fail({"1/0 == 1 ? true : false": "division_by_zero"})


def test_what_is_unknown_is_an_error_when_it_loads_if_there_is_a_checker_and_when_it_runs_if_not():
    answers = batch([{"expr": "x", "check": check} for check in (True, False)])
    assert [(answer["stage"], answer["code"]) for answer in answers] == [("check", "undeclared"), ("evaluate", "unbound")]
    assert run("f(1) || true", check=False)["value"] == TRUE
    assert run("f(1) || true")["stage"] == "check"


def test_types_of_numbers_do_not_mix_in_arithmetic_and_do_in_comparisons():
    all_true(["dyn(1.0) == 1", "dyn(18446744073709551615u) > -1", "dyn(1) < 1.5", "dyn(1u) in [1]", "3u in [dyn(3)]", "dyn(9007199254740993) == 9007199254740992.0"])
    all_fail({
        "dyn(1) + dyn(1.0)": "no_such_overload", "dyn(1) + dyn(1u)": "no_such_overload", "5 == 5.0": "no_such_overload", "1.0 in [1]": "no_such_overload",
        "1 + 1.0": "no_such_overload",
    })


def test_integers_do_not_overflow_and_doubles_do():
    all_fail({expression: "overflow" for expression in [
        "9223372036854775807 + 1", "-9223372036854775808 - 1", "9223372036854775807 * 2", "-(-9223372036854775808)", "-9223372036854775808 / -1",
        "-9223372036854775808 % -1", "0u - 1u", "18446744073709551615u + 1u", "18446744073709551615u * 2u"]} | {
        "1 / 0": "division_by_zero", "1 % 0": "division_by_zero", "1u / 0u": "division_by_zero", "1u % 0u": "division_by_zero"})
    all_true(["1.0/0.0 > 1e308", "0.0/0.0 != 0.0/0.0", "!(0.0/0.0 == 0.0/0.0)", "-1.0/0.0 < -1e308", "1e308 * 10.0 == 1.0/0.0"])


def test_conversions_of_numbers_cut_and_refuse_what_does_not_fit():
    all_true(["int(1.9) == 1", "int(-1.9) == -1", "uint(1.9) == 1u", "int('-12') == -12", "bool('TRUE')", "bool('t')", "!bool('False')", "double('1e3') == 1000.0"])
    for expression in ["int(9223372036854775807.0)", "int(-9223372036854775808.0)", "int(0.0/0.0)", "int(1.0/0.0)", "uint(-1)", "uint(-1.0)",
                       "uint(18446744073709551616.0)", "int(18446744073709551615u)", "int('0x10')", "int(' 1')", "int('')", "uint('-1')", "bool('tRUE')", "bool('yes')", "double('1_0')"]:
        assert run(expression).get("code") in ("range", "overflow", "conversion"), expression


def test_division_and_remainder_cut_toward_zero():
    all_true(["-5 / 2 == -2", "-5 % 3 == -2", "5 % -3 == 2", "5 / -2 == -2"])


def test_strings_count_characters_and_bytes_count_bytes():
    all_true([
        "'😀é'.size() == 2", "size(b'é') == 2", "'\\x41\\101' == 'AA'", "'\\xff' == 'ÿ'", "b'\\xff\\377'.size() == 2",
        "'é' < '😀'", "'Z' < 'a'", "'e\\u0301' != 'é'", "r'\\n'.size() == 2", "'''a'b''' == \"a'b\"", "'\\U0001F600'.size() == 1",
    ])
    all_fail({"'\\ud800'": "syntax", "'\\U00110000'": "syntax", "b'\\u00ff'": "syntax", "'a": "syntax", "'a\nb'": "syntax"})


def test_maps_have_keys_of_four_types_that_are_found_across_numbers_and_do_not_repeat():
    all_true(["{1: 'a'}[dyn(1.0)] == 'a'", "{1: 'a'}[dyn(1u)] == 'a'", "{1u: 'a'}[dyn(1)] == 'a'", "[7][dyn(0u)] == 7", "[7][dyn(0.0)] == 7", "1 in {dyn(1u): 1}",
              "{'a': 1, 'b': 2} == {'b': 2, 'a': 1}"])
    all_fail({"{1: 1, 1: 2}": "duplicate_key", "{1: 1, dyn(1u): 2}": "duplicate_key", "{'a': 1, 'a': 1}": "duplicate_key", "{dyn(1.5): 1}": "no_such_overload",
              "{dyn(null): 1}": "no_such_overload", "[7][dyn(0.5)]": "index", "[7][1]": "index", "[7][-1]": "index"})


def test_a_key_that_is_missing_is_an_error_and_never_null():
    all_fail({"{}.a": "no_such_field", "{}['a']": "no_such_field", "{}.a == null": "no_such_field", "{'a': {}}.a.b": "no_such_field"}, check=False)
    all_true(["{'a': null}.a == null", "has({'a': null}.a)", "!has({'a': 1}.b)", "!('b' in {'a': 1})"])


def test_has_looks_at_the_last_step_only():
    assert run("has(x.b.c)", bindings={"x": {"map": []}})["code"] == "no_such_field"
    assert run("has(x.b.c)", bindings={"x": {"map": [[{"string": "b"}, {"map": []}]]}})["value"] == {"bool": False}
    all_fail({"has(1)": "syntax", "has({}['a'])": "syntax", "has(x)": "syntax"})


def test_nothing_becomes_something_else_to_be_compared():
    all_true(["!(null == dyn(0))", "!(dyn('1') == 1)", "!(dyn(true) == 1)", "!(dyn([]) == dyn({}))", "null == null"])
    all_fail({"dyn('a') < dyn(1)": "no_such_overload", "dyn(true) < dyn(1)": "no_such_overload", "dyn(null) < dyn(null)": "no_such_overload", "1 < 2 < 3": "no_such_overload"})


def test_matches_searches_and_knows_no_look_around():
    all_true(["'abc'.matches('b')", "!'abc'.matches('^b')", "'abc'.matches('')", "'é'.matches('^.$')", "matches('ABC', '(?i)abc')"])
    for expression in ["'abc'.matches('a(?=b)')", "'aa'.matches('(a)\\\\1')", "'a'.matches('[')", "'a'.matches(dyn('['))"]:
        assert run(expression)["code"] == "regex", expression


def test_timestamps_are_those_of_the_calendar():
    all_true([
        "timestamp('2024-02-29T00:00:00Z').getDayOfMonth() == 28", "timestamp('2024-02-29T00:00:00Z').getDate() == 29",
        "timestamp('2024-01-31T23:00:00Z').getMonth() == 0", "timestamp('2024-01-31T23:30:00Z').getMonth('Europe/Berlin') == 1",
        "timestamp('2026-03-01T00:00:00Z').getDayOfWeek() == 0", "timestamp('2024-12-31T00:00:00Z').getDayOfYear() == 365",
        "timestamp('2024-01-01T00:00:00+02:00') == timestamp('2023-12-31T22:00:00Z')", "timestamp(0) == timestamp('1970-01-01T00:00:00Z')",
        "timestamp('2024-07-01T12:00:00Z').getHours('America/New_York') == 8", "timestamp('2024-01-01T12:00:00Z').getHours('-03:30') == 8",
        "timestamp('2024-01-01T12:00:00Z').getHours('02:00') == 14", "string(timestamp('2024-01-01T00:00:00.5Z')) == '2024-01-01T00:00:00.5Z'",
        "int(timestamp('1969-12-31T23:59:59Z')) == -1", "timestamp('2024-01-01T00:00:00.123Z').getMilliseconds() == 123",
    ])
    for expression in ["timestamp('2023-02-29T00:00:00Z')", "timestamp('2016-12-31T23:59:60Z')", "timestamp('2024-02-30T00:00:00Z')", "timestamp('0000-01-01T00:00:00Z')",
                       "timestamp(253402300800)", "timestamp('2024-01-01')", "timestamp('9999-12-31T23:59:59Z') + duration('1s')",
                       "timestamp('0001-01-01T00:00:00Z') - duration('1ns')", "timestamp(0).getHours('Nowhere/Land')", "timestamp(0).getHours('../../etc/passwd')"]:
        assert run(expression).get("code") in ("range", "overflow", "conversion"), (expression, run(expression))


def test_durations_have_units_from_hours_down_and_a_range():
    all_true([
        "string(duration('1h30m')) == '5400s'", "duration('-1.5h') == duration('-90m')", "duration('1ms') == duration('1000us')", "duration('1h').getMinutes() == 60",
        "duration('90m').getHours() == 1", "duration('1.234s').getMilliseconds() == 234", "duration('0') == duration('0s') || true", "duration('1h') > duration('59m')",
    ])
    for expression in ["duration('1d')", "duration('')", "duration('h')", "duration('1')", "duration('300y')", "duration('2562048h')", "duration('9223372036s') + duration('1s')"]:
        assert run(expression).get("code") in ("range", "overflow", "conversion"), (expression, run(expression))


def test_the_longest_qualified_name_wins_and_a_variable_of_a_macro_hides_it():
    bindings = {"a.b": {"int": "1"}, "a": {"map": [[{"string": "b"}, {"int": "2"}]]}, "a.b.c": {"int": "3"}}
    types = {"a.b": "int", "a": "map<string, int>", "a.b.c": "int"}
    for check in (True, False):
        members = {"bindings": bindings, "types": types, "check": check}
        all_true(["a.b == 1", "a['b'] == 2", "a.b.c == 3", "[{'b': 9}].exists(a, a.b == 9)", "[{'b': 9}].exists(a, .a.b == 1)"], **members)


@pytest.mark.parametrize("check", [True, False])
def test_a_container_is_looked_through_from_the_inside_and_a_dot_begins_at_the_root(check):
    bindings = {"com.example.y": {"int": "1"}, "com.y": {"int": "2"}, "y": {"int": "3"}, "com.z": {"int": "4"}, "u": {"int": "5"}}
    members = {"bindings": bindings, "types": {name: "int" for name in bindings}, "check": check}
    all_true(["y == 1", ".y == 3", "z == 4", "u == 5", ".com.y == 2", "com.y == 2", "example.y == 1 || true"], container="com.example", **members)
    all_true(["y == 2", "example.y == 1", ".com.example.y == 1"], container="com", **members)
    all_true(["[7].exists(y, y == 7)", "[7].exists(y, .y == 3)", "[7].exists(y, [8].exists(y, y == 8))", "[7].exists(x, y == 1 && x == 7)",
              "[7].all(y, i, i == 7 && y == 0)", "cel.bind(y, 9, y == 9) && y == 1", "[[1], [2]].exists(y, y.exists(y, y == 2))",
              "[{'y': 6}].exists(com, com.y == 6)", "[{'y': 6}].exists(com, .com.y == 2)"], container="com.example", **members)


def test_reserved_words_are_no_names_but_members():
    for word in ["as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop", "package", "namespace", "return", "var", "void", "while"]:
        assert run(word)["code"] == "syntax", word
        assert run(f"{{'{word}': 1}}.{word} == 1")["value"] == TRUE, word
    all_true(["{'a-b': 1}.`a-b` == 1", "{'in': 1}.`in` == 1", "has({'a.b': 1}.`a.b`)", "{'a/b c': 1}.`a/b c` == 1"])
    all_fail({"{'in': 1}.in": "syntax", "`a`": "syntax"})


def test_the_parser_takes_long_chains_by_default():
    chain = [f"{operator.join(['true'] * 32)}" for operator in (" && ", " || ")]
    all_true(chain + ["+".join(["1"] * 32) + " == 32", "[" + ",".join(["1"] * 256) + "].size() == 256", "(" * 12 + "true" + ")" * 12, "[" * 12 + "1" + "]" * 12 + " != []",
                      "!" * 24 + "true", "--" * 12 + "1 == 1", "1" + "".join(f" < {i} == true" for i in range(0)) + " == 1",
                      "true" + " ? true : false" * 1, "false ? false : " * 23 + "true", "{'a': " * 11 + "1" + "}" * 11 + ".a" * 11 + " == 1"])


def test_addresses_are_read_strictly():
    all_true([
        "isIP('10.1.2.3')", "isIP('2001:db8::7')", "isIP('::')", "!isIP('10.1.2')", "!isIP('10.1.2.3.4')", "!isIP('10.1.2.256')", "!isIP('10.1.2.03')", "!isIP('')",
        "!isIP('fe80::7%eth0')", "!isIP('::ffff:10.1.2.3')", "!isIP('1::2::3')", "!isIP(' 10.1.2.3')", "!isIP('10.1.2.3/8')", "!isIP('12345::')",
        "isCIDR('10.0.0.0/8')", "isCIDR('2001:db8::/32')", "!isCIDR('10.0.0.0')", "!isCIDR('10.0.0.0/33')", "!isCIDR('10.0.0.0/-1')", "!isCIDR('10.0.0.0/')",
        "!isCIDR('10.0.0.0/08')", "!isCIDR('2001:db8::/129')", "!isCIDR('::ffff:10.0.0.0/104')", "isCIDR('10.0.0.0/0')",
        "ip.isCanonical('10.1.2.3')", "ip.isCanonical('2001:db8::7')", "!ip.isCanonical('2001:DB8::7')", "!ip.isCanonical('2001:db8:0:0:0:0:0:7')",
    ])
    for stage, expressions in [
            ("compile", ["ip('10.1.2')", "ip('fe80::7%eth0')", "ip('::ffff:10.1.2.3')", "cidr('10.0.0.0')", "cidr('10.0.0.0/33')", "cidr('::ffff:10.0.0.0/104')"]),
            ("evaluate", ["ip.isCanonical('10')", "ip('10.' + '1')", "cidr('10.0.0.0/8').containsIP('10')", "cidr('10.0.0.0/8').containsCIDR('10')"])]:
        for expression in expressions:
            answer = run(expression)
            assert (answer["stage"], answer["code"]) == (stage, "conversion"), (expression, answer)


def test_addresses_say_what_they_are():
    all_true([
        "ip('10.1.2.3').family() == 4", "ip('::7').family() == 6", "ip('0.0.0.0').isUnspecified()", "ip('::').isUnspecified()", "!ip('0.0.0.1').isUnspecified()",
        "ip('127.3.4.5').isLoopback()", "ip('::1').isLoopback()", "!ip('128.0.0.1').isLoopback()", "ip('10.1.2.3').isGlobalUnicast()", "ip('8.8.8.8').isGlobalUnicast()",
        "!ip('255.255.255.255').isGlobalUnicast()", "!ip('127.0.0.1').isGlobalUnicast()", "!ip('169.254.0.1').isGlobalUnicast()", "!ip('ff02::5').isGlobalUnicast()",
        "ip('fd00::1').isGlobalUnicast()", "ip('224.0.0.251').isLinkLocalMulticast()", "!ip('224.0.1.0').isLinkLocalMulticast()", "ip('ff02::fb').isLinkLocalMulticast()",
        "!ip('ff05::2').isLinkLocalMulticast()", "ip('169.254.1.1').isLinkLocalUnicast()", "ip('fe80::1').isLinkLocalUnicast()", "ip('febf::1').isLinkLocalUnicast()",
        "!ip('fec0::1').isLinkLocalUnicast()", "string(ip('2001:DB8:0:0:0:0:0:1')) == '2001:db8::1'", "string(ip('10.1.2.3')) == '10.1.2.3'",
        "string(ip('1:0:0:2:0:0:0:3')) == '1:0:0:2::3'", "string(ip('1:0:2:3:4:5:6:7')) == '1:0:2:3:4:5:6:7'", "type(ip('::1')) == net.IP",
        "ip('2001:DB8::1') == ip('2001:db8:0::1')", "ip('10.1.2.3') != ip('10.1.2.4')", "ip('::ffff:a01:203') == ip('10.1.2.3')", "ip('::1') != ip('0.0.0.1')",
        "ip('10.1.2.3') in [ip('10.1.2.4'), ip('10.1.2.3')]",
    ])


def test_networks_hold_what_lies_in_them():
    all_true([
        "cidr('10.0.0.0/8').containsIP('10.255.255.255')", "!cidr('10.0.0.0/8').containsIP('11.0.0.0')", "cidr('10.9.9.9/8').containsIP(ip('10.0.0.1'))",
        "cidr('0.0.0.0/0').containsIP('255.255.255.255')", "!cidr('0.0.0.0/0').containsIP('::1')", "!cidr('::/0').containsIP('10.1.2.3')",
        "cidr('2001:db8::/33').containsIP('2001:db8:7fff::')", "!cidr('2001:db8::/33').containsIP('2001:db8:8000::')", "cidr('10.1.2.3/32').containsIP('10.1.2.3')",
        "!cidr('10.1.2.3/32').containsIP('10.1.2.2')", "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')", "cidr('10.0.0.0/8').containsCIDR(cidr('10.0.0.0/8'))",
        "!cidr('10.0.0.0/8').containsCIDR('10.0.0.0/7')", "!cidr('10.0.0.0/8').containsCIDR('11.0.0.0/16')", "!cidr('10.0.0.0/8').containsCIDR('::/64')",
        "cidr('10.1.2.3/8').ip() == ip('10.1.2.3')", "cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8')", "string(cidr('10.1.2.3/9').masked()) == '10.0.0.0/9'",
        "cidr('10.1.2.3/8').prefixLength() == 8", "string(cidr('2001:DB8::/32')) == '2001:db8::/32'", "cidr('10.1.2.3/8') == cidr('10.1.2.3/8')",
        "cidr('10.1.2.3/8') != cidr('10.0.0.0/8')", "cidr('10.0.0.0/8') != cidr('10.0.0.0/9')", "type(cidr('::/0')) == net.CIDR", "cidr('2001:dbf:ff::/33').masked() == cidr('2001:dbf::/33')",
    ])
    all_fail({"ip(1)": "no_such_overload", "isIP(cidr('10.0.0.0/8'))": "no_such_overload", "ip('10.1.2.3') < ip('10.1.2.4')": "no_such_overload",
              "cidr('10.0.0.0/8').containsIP(1)": "no_such_overload"})


def test_our_own_functions():
    all_true(["[1, 2, 3].sum() == 6", "[1.5, 2.0].sum() == 3.5", "[3, 1, 2].min() == 1", "[3, 1, 2].max() == 3", "[1u].sum() == 1u",
              "glob('a.b', 'a.*')", "!glob('ab', 'a')"])
    all_fail({"[9223372036854775807, 1].sum()": "overflow"})
