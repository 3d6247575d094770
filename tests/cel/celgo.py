# SPDX-License-Identifier: Apache-2.0
"""cel-go, by the REPL of npm's @cerbos/cerbos-linux-x64.

The REPL prints values without their types, so it is asked whether a value is what we say that it is: the answer is true, false or an error.
Variables are bound by a macro, so that its checker knows their types (cel.bind would do, but it appends to an empty list in place).
"""
import pathlib
import re
import subprocess

from generator import inside, literal

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build/npm/node_modules/@cerbos/cerbos-linux-x64/cerbos-linux-x64"
NAMES = {"timestamp": "google.protobuf.Timestamp", "duration": "google.protobuf.Duration", "null": "null_type"}


ZEROS = {"int": "0", "uint": "0u", "double": "0.0", "bool": "false", "string": '""', "map<string,int>": '{"": 0}'}


def start_of(kind, value, untyped):
    """An expression that has the value and the type."""
    text = literal(value)
    if untyped:
        return f"dyn({text})"
    if text == "[]":
        return f"(true ? [] : [{ZEROS[inside(kind)[0]]}])"
    if text == "{}":
        key, item = inside(kind)
        return f"(true ? {{}} : {{{ZEROS[key]}: {ZEROS[item]}}})"
    return text


def bound(expression, case):
    """The expression with each variable that the case uses around it."""
    for name, value in case.used.items():
        start = start_of(case.variables[name][0], value, case.untyped(name))
        expression = f"[{start}].map({name}, {expression})[0]"
    return expression


def is_value(path, value):
    """Conditions that hold when the value at the path is this one, types included."""
    (kind, inner), = value.items()
    if kind == "null":
        return [f"{path} == null"]
    if kind == "list":
        conditions = [f"type({path}) == list", f"size({path}) == {len(inner)}"]
        for index, item in enumerate(inner):
            conditions += is_value(f"{path}[{index}]", item)
        return conditions
    if kind == "map":
        conditions = [f"type({path}) == map", f"size({path}) == {len(inner)}"]
        for key, item in inner:
            conditions += is_value(f"{path}[{literal(key)}]", item)
            conditions.append(f"{path}.exists(k, k == {literal(key)} && type(k) == {next(iter(key))})")
        return conditions
    if kind == "optional":
        if inner is None:
            return [f"!{path}.hasValue()"]
        return [f"{path}.hasValue()"] + is_value(f"{path}.value()", inner)
    conditions = [f"type({path}) == {NAMES.get(kind, kind)}"]
    if kind == "double" and inner == "NaN":
        return conditions + [f"{path} != {path}"]
    conditions.append(f"{path} == {literal(value)}")
    if kind == "double" and float(inner) == 0:
        conditions.append(f"1.0 / {path} {'<' if inner.startswith('-') else '>'} 0.0")
    return conditions


def question(case):
    """What is asked, in one line: the expression alone when we say that it fails."""
    if "error" in case.ours:
        return bound(case.expression, case)
    return bound(f"cel.bind(rr, dyn({case.expression}), {' && '.join(is_value('rr', case.ours['value']))})", case)


def is_error(answer):
    return isinstance(answer, str) and answer.startswith(("ERROR: ", "Error: "))


def ask(questions):
    """True, False, or a text that says what is wrong, for each."""
    text = "".join(line + "\n" for line in questions)
    result = subprocess.run([PROGRAM, "repl"], input=text.encode(), capture_output=True, check=True).stdout.decode(errors="replace")
    answers = [part.strip() for part in re.split(r"^-> ", result, flags=re.M)[1:]]
    assert len(answers) == len(questions) + 1, f"{len(questions)} questions, {len(answers)} answers"
    return [{"_ = true": True, "_ = false": False}.get(answer, answer) for answer in answers[: len(questions)]]
