# SPDX-License-Identifier: Apache-2.0
"""The suites of cel-go's parser, checker and two-variable macros that npm's @bufbuild/cel-spec carries: trees, types, places of errors.

They were made with the standard macros and without the syntax of optionals and of quoted names; what says so is not comparable.
"""
import collections
import re

import suite
import trees
from tool import batch

VARIABLES = {"is": "string", "ii": "int", "iu": "uint", "iz": "bool", "ib": "bytes", "id": "double", "ix": "null_type"}
FUNCTIONS = {"fg_s": ["():string"], "fi_s_s": ["string.():string"]}
FINE_HERE = "[" * 32 + "'not fine'" + "]" * 32  # their limit for this test is 31


def place(error):
    """Line and column of the first error, or None where it has none."""
    found = re.match(r"ERROR: (?:<input>)?:(\d+):(\d+)", error)
    return (int(found[1]), int(found[2])) if found else None


def told(counts, what, capsys):
    with capsys.disabled():
        print(f"\n{what}: " + ", ".join(f"{name} {count}" for name, count in sorted(counts.items())))


def test_the_parser_has_the_trees_and_the_places_of_errors_of_cel_go(capsys):
    tests = suite.load("parsing")["tests"]
    counts, other = collections.Counter(), []
    for test, answer in zip(tests, batch([{"expr": test["original"]["expr"], "stop": "parse", "tree": True} for test in tests])):
        expression, error = test["original"]["expr"], test.get("error", "")
        if "ast" in test:
            agree = "tree" in answer and trees.normal(trees.text(answer["tree"])) == trees.normal(test["ast"])
            counts["same tree" if agree else "other"] += 1
        elif "unsupported syntax" in error:
            agree = counts["not comparable"] = counts["not comparable"] + 1
        elif expression == FINE_HERE:
            agree = "tree" in answer
            counts["within our limit"] += agree
        else:
            agree = "error" in answer and place(error) in (None, (answer["line"], answer["column"]))
            counts["same place of the error" if place(error) else "an error on both sides" if agree else "other"] += 1
        if not agree:
            other.append((expression, error, answer))
    told(counts, "parser", capsys)
    assert not other, "\n".join(map(str, other))
    assert sum(counts.values()) == 194 and counts["same tree"] == 108 and counts["same place of the error"] == 56


def test_the_checker_has_the_types_and_the_places_of_errors_of_cel_go(capsys):
    counts, other, cases = collections.Counter(), [], []
    for test in suite.load("checking")["tests"]:
        try:
            line = suite.line(test["original"])
        except suite.Message:
            counts["about messages"] += 1
            continue
        line |= {"types": VARIABLES | line.get("types", {}), "functions": FUNCTIONS | line.get("functions", {}), "stop": "check"}
        cases.append((test, line))
    for (test, line), answer in zip(cases, batch([line for _, line in cases])):
        error = test.get("error", "")
        if "type" in test:
            agree = type_of(answer) == re.sub(r"\s", "", test["type"])
            counts["same type" if agree else "other"] += 1
        elif "unsupported syntax" in error:
            agree = counts["not comparable"] = counts["not comparable"] + 1
        else:
            agree = "error" in answer and place(error) == (answer["line"], answer["column"])
            counts["same place of the error" if agree else "other"] += 1
        if not agree:
            other.append((line, test.get("type", error), answer))
    told(counts, "checker", capsys)
    assert not other, "\n".join(map(str, other))
    assert sum(counts.values()) == 135 and counts["same type"] == 64 and counts["same place of the error"] == 17


def type_of(answer):
    """As cel-go writes it."""
    text = answer.get("type", "none").replace("optional<", "optional_type<").replace("null_type", "null")
    return text.replace("<", "(").replace(">", ")").replace(" ", "")


def test_macros_of_two_variables_have_the_values_of_cel_go(capsys):
    """cel-go's test wants true of each, unless the error is what it is about; the package has no variables for those that use some."""
    counts, other = collections.Counter(), []
    tests = suite.load("comprehension")["tests"]
    for test, answer in zip(tests, batch([{"expr": test["original"]["expr"]} for test in tests])):
        expression = test["original"]["expr"]
        if answer.get("value") == {"bool": True}:
            counts["true"] += 1
        elif re.search(r"\b[mxy]\b(?!:)", expression) or re.search(r"\.(sort|flatten)\(", expression):
            counts["without their variables or functions"] += 1
        elif "error" in answer:
            counts["an error on both sides"] += 1
        else:
            counts["a value that it looks at by other means"] += 1
            other.append(answer["value"])
    told(counts, "macros of two variables", capsys)
    assert other == [{"map": [[{"string": "a"}, {"string": "WORLD"}], [{"string": "b"}, {"string": "hello"}]]}]
    assert sum(counts.values()) == 92 and counts["true"] == 47 and counts["an error on both sides"] == 26
