# SPDX-License-Identifier: Apache-2.0
"""Conditions a second time: as much of the expression language as the stories' policies use, evaluated slowly from the text.

What it does not know is an AssertionError, never a value. An expression comes to True, False or ERROR, which the other operand
of && and || absorbs."""
import functools
import re

from history_contexts import duration

ERROR = type("Error", (), {"__repr__": lambda self: "error"})()
TOKEN = re.compile(r"""\s*(?:(?P<number>\d+\.\d+|\d+)|(?P<name>[A-Za-z_]\w*)|(?P<text>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
                   r"""|(?P<sign>\|\||&&|==|!=|<=|>=|[-+*!<>()\[\],.?:]))""")
LEVELS = (("||",), ("&&",), ("==", "!=", "<", "<=", ">", ">=", "in"), ("+", "-"), ("*",))


@functools.lru_cache(maxsize=10_000)
def tokens(source):
    found, at = [], 0
    while source[at:].strip():
        match = TOKEN.match(source, at)
        assert match, f"unknown in {source!r} at {at}"
        found.append((match.lastgroup, match.group(match.lastgroup)))
        at = match.end()
    return tuple(found) + (("end", ""),)


class Reading:
    """Recursive descent to nested tuples."""

    def __init__(self, source):
        self.tokens, self.at = tokens(source), 0

    def peek(self):
        return self.tokens[self.at][1]

    def take(self, wanted=None):
        kind, text = self.tokens[self.at]
        assert wanted is None or text == wanted, f"{wanted} expected, {text} found"
        self.at += 1
        return kind, text

    def level(self, n=0):
        if n == len(LEVELS):
            return self.unary()
        left = self.level(n + 1)
        while self.peek() in LEVELS[n]:
            sign = self.take()[1]
            left = (sign, left, self.level(n + 1))
        return left

    def unary(self):
        if self.peek() in ("!", "-"):
            return (self.take()[1] + "_", self.unary())
        return self.member(self.primary())

    def arguments(self, end):
        found = []
        while self.peek() != end:
            found.append(self.level())
            if self.peek() != end:
                self.take(",")
        self.take(end)
        return found

    def primary(self):
        kind, text = self.take()
        if text == "(":
            inner = self.level()
            self.take(")")
            return inner
        if text == "[":
            return ("list", *self.arguments("]"))
        if kind == "number":
            return ("value", float(text) if "." in text else int(text))
        if kind == "text":
            return ("value", re.sub(r"\\(.)", r"\1", text[1:-1]))
        assert kind == "name", text
        if text in ("true", "false", "null"):
            return ("value", {"true": True, "false": False, "null": None}[text])
        if self.peek() == "(":
            self.take()
            return ("call", text, *self.arguments(")"))
        return ("name", text)

    def member(self, operand):
        while self.peek() in (".", "["):
            if self.take()[1] == "[":
                operand = ("index", operand, *self.arguments("]"))
                continue
            name = self.take()[1]
            if self.peek() == "(":
                self.take()
                operand = ("method", name, operand, *self.arguments(")"))
            else:
                operand = ("select", name, operand)
        return operand


@functools.lru_cache(maxsize=10_000)
def read(source):
    reading = Reading(source)
    tree = reading.level()
    assert reading.peek() == "", f"left over in {source!r}"
    return tree


class Failed(Exception):
    """An evaluation without a value."""


def boolean(value):
    if not isinstance(value, bool):
        raise Failed
    return value


def of_one_kind(left, right):
    numbers = all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in (left, right))
    return numbers or type(left) is type(right)


def tried(tree, names):
    try:
        return boolean(evaluate(tree, names))
    except Failed:
        return ERROR


def any_of(results):
    results = list(results)
    if True in results:
        return True
    if ERROR in results:
        raise Failed
    return False


def negated(value):
    return ERROR if value is ERROR else not value


def compared(sign, left, right):
    if sign in ("==", "!="):
        same = of_one_kind(left, right) and left == right
        return same if sign == "==" else not same
    if not of_one_kind(left, right):
        raise Failed
    return {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}[sign]


def method(name, operand, arguments, names):
    if name in ("exists", "all"):
        assert arguments[0][0] == "name"
        results = [tried(arguments[1], {**names, arguments[0][1]: item}) for item in operand]
        return any_of(results) if name == "exists" else not any_of(map(negated, results))
    values = [evaluate(a, names) for a in arguments]
    assert name in ("startsWith", "endsWith", "contains", "size"), name
    if name == "size":
        return len(operand)
    if not all(isinstance(v, str) for v in (operand, *values)):
        raise Failed
    return {"startsWith": operand.startswith, "endsWith": operand.endswith, "contains": operand.__contains__}[name](*values)


def evaluate(tree, names):
    kind, *rest = tree
    if kind == "value":
        return rest[0]
    if kind == "list":
        return [evaluate(item, names) for item in rest]
    if kind == "name":
        if rest[0] not in names:
            raise Failed
        return names[rest[0]]
    if kind == "select":
        operand = evaluate(rest[1], names)
        if not isinstance(operand, dict) or rest[0] not in operand:
            raise Failed
        return operand[rest[0]]
    if kind == "||":
        return any_of(tried(t, names) for t in rest)
    if kind == "&&":
        return not any_of(negated(tried(t, names)) for t in rest)
    if kind == "!_":
        return not boolean(evaluate(rest[0], names))
    if kind == "in":
        return any(compared("==", evaluate(rest[0], names), item) for item in evaluate(rest[1], names))
    if kind == "call" and rest[0] == "has":
        assert rest[1][0] == "select", rest[1]
        operand = evaluate(rest[1][2], names)
        if not isinstance(operand, dict):
            raise Failed
        return rest[1][1] in operand
    if kind == "call":
        assert rest[0] in ("duration", "size"), rest[0]
        value = evaluate(rest[1], names)
        return duration(value) if rest[0] == "duration" else len(value)
    if kind == "method":
        return method(rest[0], evaluate(rest[1], names), rest[2:], names)
    assert kind in ("==", "!=", "<", "<=", ">", ">="), kind
    return compared(kind, evaluate(rest[0], names), evaluate(rest[1], names))


def condition(rule, names):
    """when AND NOT unless."""
    parts = [tried(read(rule["when"]), names)] if "when" in rule else []
    parts += [negated(tried(read(rule["unless"]), names))] if "unless" in rule else []
    return False if False in parts else ERROR if ERROR in parts else True
