# SPDX-License-Identifier: Apache-2.0
"""The conformance suite of the Common Expression Language, every test of it that needs no protobuf message.

It comes from npm's @bufbuild/cel-spec; SUITE=folder takes it from a checkout of the specification (tests/simple/testdata), which is newer.
"""
import collections
import os

import pytest
import suite
import textproto
import trees
from tool import batch

SUITE = os.environ.get("SUITE")

# How many tests without messages the suite has by file: those of the design page, and, where this package is older, those it has.
FREE = {
    "basic": 43, "comparisons": 334, "conversions": 109, "fields": 60, "fp_math": 30, "integer_math": 64, "lists": 39, "logic": 30,
    "macros": 44, "namespace": (14, 3), "parse": 193, "plumbing": 5, "string": 51, "timestamps": (78, 76), "type_deductions": 26,
    "macros2": 46, "optionals": 59, "string_ext": (213, 206), "math_ext": 199, "network_ext": (69, None), "bindings_ext": (8, 5),
    "encoders_ext": 4,
}
# An optimiser's internal form, and files that are about messages throughout.
LEFT_OUT = {"block_ext", "dynamic", "enums", "proto2", "proto2_ext", "proto3", "unknowns", "wrappers"}
RENAMED = {"type_deduction": "type_deductions"}


def cases_of(file):
    return [(section["name"], test) for section in file.get("suites", []) for test in section["tests"]]


@pytest.fixture(scope="module")
def files():
    whole = textproto.load(SUITE) if SUITE else suite.load("conformance")
    return {RENAMED.get(file["name"], file["name"]): cases_of(file) for file in whole["suites"]}


def run(tests):
    """The misses among the tests without messages, and how many were run."""
    cases = []
    for section, test in tests:
        try:
            cases.append((section, test["original"], suite.line(test["original"]), suite.expectation(test["original"])))
        except suite.Message:
            pass
    misses = []
    for (section, test, line, expected), answer in zip(cases, batch([line for _, _, line, _ in cases])):
        if not suite.met(expected, answer):
            misses.append(f"{section}/{test['name']}: {line}\n    expected {expected}\n    answered {answer}")
    return misses, len(cases)


def test_every_test_without_messages_passes(files, capsys):
    misses, lines, known = [], [], set(LEFT_OUT)
    for name, counts in FREE.items():
        designed, here = counts if isinstance(counts, tuple) else (counts, counts)
        here = designed if SUITE else here
        if here is None:
            continue
        known.add(name)
        missed, count = run(files[name])
        misses += [f"{name}/{miss}" for miss in missed]
        lines.append(f"  {name:16} {count - len(missed):4} of {count:4}   suite {designed:4}")
        assert count == here, name
    assert set(files) == known
    with capsys.disabled():
        print("\nconformance tests passed, by file (none is left out):\n" + "\n".join(lines))
    assert not misses, f"{len(misses)} misses\n" + "\n".join(misses)


def test_what_has_a_message_only_as_a_vehicle_parses(files):
    """White space, comments, names of fields: 26 tests of the parser in which something of a message is built."""
    tests = [test for section, test in files["parse"] if "expr" in test["original"]]
    cases = []
    for test in tests:
        try:
            suite.line(test["original"])
        except suite.Message:
            cases.append(test)
    answers = batch([{"expr": test["original"]["expr"], "stop": "parse", "tree": True} for test in cases])
    assert len(cases) == 26
    for test, answer in zip(cases, answers):
        assert answer.get("ok"), (test["original"]["expr"], answer)
        assert SUITE or trees.normal(trees.text(answer["tree"])) == trees.normal(test["ast"]), test["original"]["expr"]


def macros_differ(expression):
    """The trees of the package were made with the standard macros only."""
    return any(f".{name}(" in expression for name in ("optMap", "optFlatMap", "bind", "transformList", "transformMap", "transformMapEntry"))


def test_the_trees_are_those_of_cel_go(files, capsys):
    agreeing = collections.Counter()
    differing = []
    for name in sorted(set(files) - {"block_ext", "macros2"}):
        tests = [test for _, test in files[name] if "ast" in test and not macros_differ(test["original"]["expr"])]
        options = [{"macros": False} if test["original"].get("disableMacros") else {} for test in tests]
        answers = batch([{"expr": test["original"]["expr"], "stop": "parse", "tree": True, **more} for test, more in zip(tests, options)])
        for test, answer in zip(tests, answers):
            same = "tree" in answer and trees.normal(trees.text(answer["tree"])) == trees.normal(test["ast"])
            agreeing[name] += same
            if not same:
                differing.append((name, test["original"]["expr"], trees.normal(test["ast"]), answer if "tree" not in answer else trees.text(answer["tree"])))
    with capsys.disabled():
        print(f"\nsyntax trees like those of cel-go: {sum(agreeing.values())}, others: {len(differing)}")
    assert SUITE or sum(agreeing.values()) + len(differing) == 2181  # a checkout of the specification has no trees
    assert not differing, "\n".join(map(str, differing[:20]))
