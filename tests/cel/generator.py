# SPDX-License-Identifier: Apache-2.0
"""Random expressions over random variables: mostly well-typed, sometimes not, with everything that the language has.

Types are texts ("list<int>"), values are in the typed form of `countersign cel --batch`.
"""
import itertools
import re
import struct

SCALARS = ["bool", "int", "uint", "double", "string", "bytes", "timestamp", "duration"]
ORDERED = SCALARS
ITEMS = ["int", "string", "double", "bool", "uint"]
KEYS = ["string", "int", "bool", "uint"]
INTS = [0, 0, 1, 1, -1, 2, 3, 5, 7, 10, -13, 64, 255, 2**31, 2**53, 2**53 + 1, 2**63 - 1, -(2**63)]
UINTS = [0, 1, 2, 3, 7, 10, 255, 2**53 + 1, 2**63, 2**64 - 1]
DOUBLES = [0.0, -0.0, 1.0, -1.0, 1.5, -2.5, 0.1, 2.0, 3.7, 1e10, 1e300, -1e300, 5e-324, 9007199254740993.0,
           9223372036854775807.0, -9223372036854775808.0, 18446744073709551615.0, float("inf"), float("nan")]
STRINGS = ["", "a", "b", "abc", "ABC", "abcabc", "é", "😀é", "a b", " x ", "\t\n", "1", "-12", "1.5", "0x10", "true", "TRUE",
           "True", "tRUE", "f", "0", "NaN", "2024-02-29T12:30:45.123Z", "2023-02-30T00:00:00Z", "1h30m", "1.5s", "-2ms", "1d",
           "quote\"'", "back\\slash", "a,b,,c", "\U0001f469\u200d\U0001f692"]
BYTES = [b"", b"a", b"abc", b"\xff\x00", "é".encode(), b"\xc3", b"true"]
TIMES = ["1970-01-01T00:00:00Z", "2024-02-29T23:59:59.999999999Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z",
         "2009-02-13T23:31:30Z", "2024-03-31T01:30:00.5Z", "1969-12-31T23:59:59.9Z"]
DURATIONS = ["0s", "1s", "-1.5s", "3600s", "0.000000001s", "90061.001s", "9223372036s", "-9223372036s", "86400s"]
PATTERNS = ["a", "^a", "b$", "^abc$", "[a-c]+", "a|b", "(a+)+$", "^.$", "\\\\d+", "é", "^\\\\s*$", "(?i)abc", "", "[", "a(?=b)", "\\\\pL",
            "(a)\\\\1", "^(?:a|b|c){2,}$", "\\\\bx\\\\b", "a{2}"]
ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "US/Central", "-08:00", "+05:30", "02:00", "+14:30", "Nowhere/Land",
         "", "utc"]
FORMATS = ["%s", "%d", "%.2f", "%e", "%.3e", "%x", "%X", "%o", "%b", "%%", "%", "%s and %s", "%d%%", "%q", "%.0f", "%f"]
PARTS = ["getFullYear", "getMonth", "getDate", "getDayOfMonth", "getDayOfWeek", "getDayOfYear", "getHours", "getMinutes",
         "getSeconds", "getMilliseconds"]


def escape(text):
    """Inside double quotes; quotes and backslashes by their numbers, since the REPL of cel-go counts quotes."""
    return "".join({'"': "\\x22", "'": "\\x27", "\\": "\\x5c", "\n": "\\n", "\t": "\\t"}.get(c, c) for c in text)


def literal(value):
    """An expression that has the value."""
    (kind, inner), = value.items()
    if kind == "null":
        return "null"
    if kind == "bool":
        return "true" if inner else "false"
    if kind == "int":
        return inner
    if kind == "uint":
        return inner + "u"
    if kind == "double":
        return {"NaN": "(0.0/0.0)", "Infinity": "(1.0/0.0)", "-Infinity": "(-1.0/0.0)"}.get(inner) or (
            inner if re.search("[.e]", inner) else inner + ".0")
    if kind == "string":
        return '"' + escape(inner) + '"'
    if kind == "bytes":
        return 'b"' + re.sub("..", lambda m: "\\x" + m[0], inner) + '"'
    if kind in ("timestamp", "duration"):
        return f'{kind}("{inner}")'
    if kind == "type":
        return {"null_type": "type(null)"}.get(inner, inner)
    if kind == "list":
        return "[" + ", ".join(map(literal, inner)) + "]"
    if kind == "map":
        return "{" + ", ".join(f"{literal(key)}: {literal(item)}" for key, item in inner) + "}"
    if kind == "optional":
        return "optional.none()" if inner is None else f"optional.of({literal(inner)})"
    raise ValueError(kind)


def double_text(number):
    if number != number:
        return "NaN"
    if number in (float("inf"), float("-inf")):
        return "Infinity" if number > 0 else "-Infinity"
    return repr(number)


def inside(kind):
    """list<map<string,int>> gives ["map<string,int>"]; map<string,int> gives ["string", "int"]."""
    text = kind[kind.index("<") + 1 : -1]
    depth = 0
    for position, character in enumerate(text):
        depth += (character == "<") - (character == ">")
        if character == "," and depth == 0:
            return [text[:position], text[position + 1 :]]
    return [text]


class Generator:
    def __init__(self, random, features):
        self.random = random
        self.features = set(features)
        self.rules = {}  # by type, with the sums of their weights
        self.variables = {}
        self.scope = []  # (name, type) of the macros around
        self.loops = 0

    # values

    def value(self, kind):
        pick = self.random.choice
        if kind == "dyn":
            return self.value(pick(SCALARS + ["null", "list<int>", "map<string,int>"]))
        if kind == "null":
            return {"null": None}
        if kind == "bool":
            return {"bool": pick([True, False])}
        if kind == "int":
            return {"int": str(pick(INTS) if self.random.random() < 0.8 else self.random.randrange(-100, 1000))}
        if kind == "uint":
            return {"uint": str(pick(UINTS))}
        if kind == "double":
            return {"double": double_text(self.number())}
        if kind == "string":
            return {"string": pick(STRINGS)}
        if kind == "bytes":
            return {"bytes": pick(BYTES).hex()}
        if kind == "timestamp":
            return {"timestamp": pick(TIMES)}
        if kind == "duration":
            return {"duration": pick(DURATIONS)}
        if kind == "type":
            return {"type": pick(SCALARS[:6] + ["list", "map"])}
        if kind.startswith("list"):
            return {"list": [self.value(inside(kind)[0]) for _ in range(self.random.randrange(4))]}
        if kind.startswith("optional"):
            return {"optional": None if self.random.random() < 0.3 else self.value(inside(kind)[0])}
        key, item = inside(kind)
        pairs = {literal(k): (k, self.value(item)) for k in (self.value(key) for _ in range(self.random.randrange(4)))}
        return {"map": [list(pair) for pair in pairs.values()]}

    def number(self):
        if self.random.random() < 0.8:
            return self.random.choice(DOUBLES)
        return struct.unpack("<d", self.random.randbytes(8))[0]

    def activate(self):
        """New variables."""
        kinds = ["bool", "int", "int", "uint", "double", "string", "string", "bytes", "timestamp", "duration", "list<int>", "list<string>",
                 "list<dyn>", "map<string,int>", "map<string,string>", "map<int,string>", "map<string,dyn>", "map<string,map<string,int>>",
                 "dyn", "dyn", "null"]
        self.variables = {f"v{number}": (kind, self.value(kind)) for number, kind in enumerate(kinds)}
        self.variables["rec"] = ("map<string,dyn>", {"map": [
            [{"string": "a"}, self.value("int")], [{"string": "b"}, self.value("string")], [{"string": "n"}, {"null": None}],
            [{"string": "if"}, self.value("list<int>")]]})

    # expressions

    def expression(self):
        """A text; the variables that it uses are in it as words."""
        self.scope, self.loops = [], 0
        return self.make(self.kind(), self.random.choice([1, 2, 2, 3, 3, 4]))

    def kind(self):
        kinds = ["bool"] * 6 + SCALARS + ["int", "string", "list<int>", "list<string>", "map<string,int>", "dyn", "type", "list<dyn>"]
        if "optionals" in self.features:
            kinds += ["optional<int>", "optional<string>"]
        return self.random.choice(kinds)

    def make(self, kind, depth):
        """An expression of the type; now and then of another, now and then under dyn()."""
        chance = self.random.random()
        if chance < 0.02:
            return self.make(self.kind(), depth)
        if chance < 0.06:
            wrong = self.random.random() < 0.4
            return f"dyn({self.make(self.kind() if wrong else kind, depth - 1)})"
        if depth <= 0 or chance < 0.12:
            return self.leaf(kind)
        if self.random.random() < 0.1:
            return self.leaf(kind)
        if kind not in self.rules:
            own = [rule for rule in RULES if rule[0] in self.features and self.fits(rule[1], kind)]
            self.rules[kind] = [rule[3] for rule in own], list(itertools.accumulate(rule[2] for rule in own))
        templates, weights = self.rules[kind]
        template = self.random.choices(templates, cum_weights=weights)[0]
        return template(self, kind, depth) if callable(template) else self.fill(template, kind, depth)

    def fits(self, pattern, kind):
        if pattern == kind or pattern == "*":
            return True
        return pattern in ("list", "map", "optional") and kind.startswith(pattern + "<")

    def fill(self, template, kind, depth):
        """Replaces {type} by an expression of the type; T stands for one ordered type throughout, A for a type of items, K of keys."""
        chosen = {"T": self.random.choice(ORDERED), "A": self.random.choice(ITEMS), "K": self.random.choice(KEYS), "SELF": kind}
        if "<" in kind:
            chosen["ITEM"] = inside(kind)[-1]
            chosen["KEY"] = inside(kind)[0]
        pools = {"pattern": PATTERNS, "zone": ZONES, "format": FORMATS, "part": PARTS, "name": ["a", "b", "n", "if", "zz"]}

        def replace(match):
            word = re.sub(r"\b(SELF|ITEM|KEY|T|A|K)\b", lambda m: chosen[m[0]], match[1])
            return self.random.choice(pools[word]) if word in pools else self.make(word, depth - 1)

        return re.sub(r"\{([\w<>,]+)\}", replace, template)

    def leaf(self, kind):
        names = [name for name, (own, _) in self.variables.items() if own == kind]
        names += [name for name, own in self.scope if own == kind] * 3
        if kind == "dyn":
            names += [name for name, _ in self.scope]
        if names and self.random.random() < 0.6:
            return self.random.choice(names)
        text = literal(self.value(kind))
        return f"({text})" if text.startswith("-") else text

    def loop(self, names, kinds, body, depth):
        """The body of a macro, which sees its variables."""
        self.scope += zip(names, kinds)
        self.loops += 1
        text = self.make(body, depth - 1)
        self.loops -= 1
        del self.scope[len(self.scope) - len(names) :]
        return text

    def names(self, count):
        return [f"{letter}{self.loops}" for letter in "xy"[:count]]


def range_of(self, depth):
    """A list or a map to walk through, and the types of index or key and of item."""
    item, key = self.random.choice(ITEMS), self.random.choice(KEYS)
    if self.loops < 2 and self.random.random() < 0.7:
        return self.make(f"list<{item}>", depth - 1), "int", item
    return self.make(f"map<{key},{item}>", depth - 1), key, item


def quantifier(self, kind, depth):
    walked, first, item = range_of(self, depth)
    (name,) = self.names(1)
    is_map = not first == "int" or walked.startswith("{")
    body = self.loop([name], [first if is_map else item], "bool", depth)
    return f"{walked}.{self.random.choice(['all', 'exists', 'exists_one'])}({name}, {body})"


def quantifier_two(self, kind, depth):
    walked, first, item = range_of(self, depth)
    names = self.names(2)
    body = self.loop(names, [first, item], "bool", depth)
    return f"{walked}.{self.random.choice(['all', 'exists', 'existsOne'])}({', '.join(names)}, {body})"


def mapped(self, kind, depth):
    item = self.random.choice(ITEMS)
    walked = self.make(f"list<{item}>", depth - 1)
    (name,) = self.names(1)
    body = self.loop([name], [item], inside(kind)[0], depth)
    if self.random.random() < 0.3:
        return f"{walked}.map({name}, {self.loop([name], [item], 'bool', depth)}, {body})"
    return f"{walked}.map({name}, {body})"


def filtered(self, kind, depth):
    (name,) = self.names(1)
    return f"{self.make(kind, depth - 1)}.filter({name}, {self.loop([name], [inside(kind)[0]], 'bool', depth)})"


def transformed(self, kind, depth):
    walked, first, item = range_of(self, depth)
    names = self.names(2)
    condition = f"{self.loop(names, [first, item], 'bool', depth)}, " if self.random.random() < 0.3 else ""
    return f"{walked}.transformList({', '.join(names)}, {condition}{self.loop(names, [first, item], inside(kind)[0], depth)})"


def transformed_map(self, kind, depth):
    key, item = inside(kind)
    other = self.random.choice(ITEMS)
    names = self.names(2)
    walked = self.make(f"map<{key},{other}>", depth - 1)
    return f"{walked}.transformMap({', '.join(names)}, {self.loop(names, [key, other], item, depth)})"


def bound(self, kind, depth):
    other = self.random.choice(SCALARS)
    name = f"z{self.loops}"
    return f"cel.bind({name}, {self.make(other, depth - 1)}, {self.loop([name], [other], kind, depth)})"


def opt_mapped(self, kind, depth):
    other = self.random.choice(["int", "string"])
    name = f"o{self.loops}"
    return f"{self.make(f'optional<{other}>', depth - 1)}.optMap({name}, {self.loop([name], [other], inside(kind)[0], depth)})"


def listed(self, kind, depth):
    return "[" + ", ".join(self.make(inside(kind)[0], depth - 1) for _ in range(self.random.randrange(4))) + "]"


def entries(self, kind, depth):
    key, item = inside(kind)
    return "{" + ", ".join(f"{self.make(key, 0)}: {self.make(item, depth - 1)}" for _ in range(self.random.randrange(3))) + "}"


# (feature, type, weight, template or function)
RULES = [("core", "*", 2, "({bool} ? {SELF} : {SELF})"), ("core", "*", 1, "[{SELF}, {SELF}][{int}]"), ("core", "*", 1, '{"a": {SELF}, "b": {SELF}}.{name}'),
         ("core", "*", 1, '{"a": {SELF}}[{string}]'), ("core", "*", 1, "{1: {SELF}}[{int}]")]
RULES += [("core", "bool", weight, template) for weight, template in [
    (8, "({bool} && {bool})"), (8, "({bool} || {bool})"), (4, "!{bool}"), (6, "({T} == {T})"), (4, "({T} != {T})"), (4, "({T} < {T})"),
    (3, "({T} <= {T})"), (3, "({T} > {T})"), (3, "({T} >= {T})"), (4, "({A} in {list<A>})"), (3, "({K} in {map<K,int>})"),
    (2, "({list<A>} == {list<A>})"), (2, "({map<K,A>} == {map<K,A>})"), (2, "({dyn} == {dyn})"), (2, "({dyn} < {dyn})"), (1, "({dyn} in {list<dyn>})"),
    (2, "{string}.startsWith({string})"), (2, "{string}.endsWith({string})"), (2, "{string}.contains({string})"),
    (3, '{string}.matches("{pattern}")'), (1, 'matches({string}, "{pattern}")'), (1, "{string}.matches({string})"), (3, "has(rec.{name})"),
    (1, "has({map<string,A>}.{name})"), (1, "bool({string})"), (1, "({type} == {type})"), (1, "({list<A>} != {list<A>})"), (1, "({bool} == {dyn})")]]
RULES += [("core", "int", weight, template) for weight, template in [
    (4, "({int} + {int})"), (4, "({int} - {int})"), (3, "({int} * {int})"), (3, "({int} / {int})"), (3, "({int} % {int})"), (2, "-{int}"),
    (2, "size({string})"), (1, "{string}.size()"), (1, "size({bytes})"), (2, "size({list<A>})"), (1, "{map<K,A>}.size()"), (2, "int({double})"),
    (1, "int({uint})"), (2, "int({string})"), (1, "int({timestamp})"), (1, "int({int})"), (3, "{timestamp}.{part}()"),
    (3, '{timestamp}.{part}("{zone}")'), (2, "{duration}.getHours()"), (1, "{duration}.getMinutes()"), (1, "{duration}.getSeconds()"),
    (1, "{duration}.getMilliseconds()"), (2, "{list<int>}[{int}]"), (1, "rec.a"), (1, "{map<string,int>}[{string}]"), (1, "{map<string,int>}.{name}")]]
RULES += [("core", "uint", weight, template) for weight, template in [
    (3, "({uint} + {uint})"), (3, "({uint} - {uint})"), (2, "({uint} * {uint})"), (2, "({uint} / {uint})"), (2, "({uint} % {uint})"), (2, "uint({int})"),
    (2, "uint({double})"), (1, "uint({string})"), (1, "uint({uint})")]]
RULES += [("core", "double", weight, template) for weight, template in [
    (3, "({double} + {double})"), (3, "({double} - {double})"), (2, "({double} * {double})"), (3, "({double} / {double})"), (2, "-{double}"),
    (2, "double({int})"), (1, "double({uint})"), (2, "double({string})")]]
RULES += [("core", "string", weight, template) for weight, template in [
    (4, "({string} + {string})"), (2, "string({int})"), (1, "string({uint})"), (2, "string({double})"), (1, "string({bool})"), (2, "string({bytes})"),
    (2, "string({timestamp})"), (2, "string({duration})"), (1, "{list<string>}[{int}]"), (1, "rec.b"), (1, "{map<int,string>}[{int}]")]]
RULES += [("core", "bytes", 2, "({bytes} + {bytes})"), ("core", "bytes", 1, "bytes({string})")]
RULES += [("core", "timestamp", weight, template) for weight, template in [
    (3, "({timestamp} + {duration})"), (2, "({timestamp} - {duration})"), (1, "({duration} + {timestamp})"), (2, "timestamp({string})"), (2, "timestamp({int})")]]
RULES += [("core", "duration", weight, template) for weight, template in [
    (3, "({timestamp} - {timestamp})"), (2, "({duration} + {duration})"), (2, "({duration} - {duration})"), (2, "duration({string})")]]
RULES += [("core", "type", 2, "type({T})"), ("core", "type", 1, "type({list<A>})"), ("core", "type", 1, "type({type})"), ("core", "type", 1, "type({dyn})")]
RULES += [("core", "dyn", 3, "rec.{name}"), ("core", "dyn", 2, "{T}"), ("core", "dyn", 1, "{list<dyn>}[{int}]"), ("core", "dyn", 1, "({dyn} + {dyn})"),
          ("core", "dyn", 1, "{map<string,map<string,int>>}.{name}.{name}"), ("core", "dyn", 1, "-{dyn}"), ("core", "dyn", 1, "{dyn}[{dyn}]")]
RULES += [("core", "list", 2, "({SELF} + {SELF})"), ("core", "list", 4, listed), ("core", "list", 4, mapped), ("core", "list", 3, filtered),
          ("core", "map", 4, entries), ("core", "bool", 10, quantifier)]
RULES += [("strings", kind, weight, template) for kind, weight, template in [
    ("string", 2, "{string}.charAt({int})"), ("string", 2, "{string}.lowerAscii()"), ("string", 2, "{string}.upperAscii()"), ("string", 2, "{string}.trim()"),
    ("string", 2, "{string}.replace({string}, {string})"),
    ("string", 2, "{string}.substring({int})"), ("string", 2, "{string}.substring({int}, {int})"), ("string", 2, "{list<string>}.join()"),
    ("string", 2, "{list<string>}.join({string})"), ("string", 3, '"{format}".format([{T}])'), ("string", 2, '"{format}".format([{dyn}, {A}])'),
    ("string", 1, '"%s".format([{list<A>}])'), ("string", 1, '"%s".format([{map<K,A>}])'), ("string", 1, "strings.quote({string})"),
    ("int", 2, "{string}.indexOf({string})"), ("int", 1, "{string}.indexOf({string}, {int})"), ("int", 2, "{string}.lastIndexOf({string})"),
    ("int", 1, "{string}.lastIndexOf({string}, {int})"), ("list<string>", 3, "{string}.split({string})"), ("list<string>", 1, "{string}.split({string}, {int})")]]
RULES += [("reverse", "string", 1, "{string}.reverse()"), ("replacements", "string", 1, "{string}.replace({string}, {string}, {int})")]
RULES += [("math", kind, weight, template) for kind, weight, template in [
    ("int", 2, "math.greatest({int}, {int})"), ("int", 2, "math.least({list<int>})"), ("double", 2, "math.greatest({double}, {double}, {double})"),
    ("dyn", 2, "math.least({dyn}, {dyn})"), ("int", 1, "math.abs({int})"), ("double", 1, "math.abs({double})"), ("double", 1, "math.ceil({double})"),
    ("double", 1, "math.floor({double})"), ("double", 1, "math.round({double})"), ("double", 1, "math.trunc({double})"), ("int", 1, "math.sign({int})"),
    ("double", 1, "math.sign({double})"), ("bool", 1, "math.isNaN({double})"), ("bool", 1, "math.isInf({double})"), ("bool", 1, "math.isFinite({double})"),
    ("int", 1, "math.bitAnd({int}, {int})"), ("uint", 1, "math.bitOr({uint}, {uint})"), ("int", 1, "math.bitXor({int}, {int})"), ("int", 1, "math.bitNot({int})"),
    ("uint", 1, "math.bitNot({uint})"), ("int", 1, "math.bitShiftLeft({int}, {int})"), ("int", 1, "math.bitShiftRight({int}, {int})"),
    ("uint", 1, "math.bitShiftRight({uint}, {int})")]]
RULES += [("optionals", kind, weight, template) for kind, weight, template in [
    ("optional", 3, "optional.of({ITEM})"), ("optional", 2, "optional.ofNonZeroValue({ITEM})"), ("optional", 1, "optional.none()"),
    ("optional", 2, "{SELF}.or({SELF})"), ("bool", 2, "{optional<int>}.hasValue()"), ("*", 1, "optional.of({SELF}).orValue({SELF})"),
    ("int", 2, "{optional<int>}.orValue({int})"), ("int", 1, "{optional<int>}.value()"), ("optional<int>", 2, "{map<string,int>}.?{name}"),
    ("optional<int>", 2, "{list<int>}[?{int}]"), ("optional<string>", 2, "{map<int,string>}[?{int}]"), ("dyn", 1, "rec.?{name}.orValue({dyn})"),
    ("list<int>", 1, "[?{optional<int>}, {int}]"), ("map<string,int>", 1, '{?"a": {optional<int>}, "b": {int}}'), ("bool", 1, "({optional<int>} == {optional<int>})"),
    ("optional", 2, opt_mapped)]]
RULES += [("macros2", "bool", 4, quantifier_two), ("macros2", "list", 2, transformed), ("macros2", "map", 2, transformed_map)]
RULES += [("bindings", "*", 1, bound)]
RULES += [("encoders", "string", 1, "base64.encode({bytes})"), ("encoders", "bytes", 1, "base64.decode({string})")]
