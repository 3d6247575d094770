# SPDX-License-Identifier: Apache-2.0
"""The suite as the specification's own repository has it (tests/simple/testdata/*.textproto), in the shape that the npm package gives it."""
import base64
import pathlib
import re

TOKEN = re.compile(
    r"""\s+|\#[^\n]*|(?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(?P<extension>\[[\w./]+\])|(?P<word>-?[\w.+]+(?:-\d+)?)|(?P<mark>[{}<>:\[\],;])""",
    re.S,
)
REPEATED = {"section", "test", "type_env", "bindings", "entries", "values", "errors", "overloads", "params", "parameter_types", "type_params"}
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
INTEGERS = {"int64_value", "uint64_value"}


def unquote(token):
    """The bytes of a string."""

    def one(match):
        text = match[1]
        if text[0] in "01234567":
            return bytes([int(text, 8)])
        if text[0] in "xX":
            return bytes([int(text[1:], 16)])
        if text[0] in "uU":
            return chr(int(text[1:], 16)).encode()
        return ESCAPES.get(text, text).encode("utf-8")

    parts, end = [], 0
    body = token[1:-1]
    for match in re.finditer(r"\\([0-7]{1,3}|[xX][0-9a-fA-F]{1,2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", body, re.S):
        parts += [body[end : match.start()].encode(), one(match)]
        end = match.end()
    return b"".join(parts + [body[end:].encode()])


def tokens(text):
    position = 0
    while position < len(text):
        match = TOKEN.match(text, position)
        if not match:
            raise ValueError(text[position : position + 40])
        position = match.end()
        if match.lastgroup:
            yield match.lastgroup, match[0]


class Reader:
    def __init__(self, text):
        self.list = list(tokens(text)) + [("end", "")]
        self.at = 0

    def peek(self):
        return self.list[self.at]

    def take(self):
        self.at += 1
        return self.list[self.at - 1]

    def scalar(self):
        kind, text = self.take()
        if kind != "string":
            return text
        parts = [unquote(text)]
        while self.peek()[0] == "string":
            parts.append(unquote(self.take()[1]))
        return b"".join(parts)

    def value(self):
        if self.peek()[1] in "{<":
            close = {"{": "}", "<": ">"}[self.take()[1]]
            return self.message(close)
        return self.scalar()

    def message(self, close):
        fields = {}
        while self.peek()[1] != close:
            name = self.take()[1]
            if self.peek()[1] == ":":
                self.take()
            if self.peek()[1] == "[":
                self.take()
                items = []
                while self.peek()[1] != "]":
                    items.append(self.value())
                    if self.peek()[1] == ",":
                        self.take()
                self.take()
                fields.setdefault(name, []).extend(items)
            elif name in REPEATED:
                fields.setdefault(name, []).append(self.value())
            else:
                fields[name] = self.value()
            if self.peek()[1] in (",", ";"):
                self.take()
        self.take()
        return fields


def camel(name):
    return re.sub(r"_([a-z])", lambda match: match[1].upper(), name)


def span(inner):
    """A Timestamp or a Duration as JSON writes it."""
    return int(inner.get("seconds", 0)), int(inner.get("nanos", 0))


def any_value(name, inner):
    kind = name[1:-1].rpartition("/")[2]
    if kind == "google.protobuf.Duration":
        seconds, nanos = span(inner)
        total = seconds * 10**9 + nanos
        digits = f"{abs(total) % 10**9:09}".rstrip("0")
        return {"@type": kind, "value": f"{'-' if total < 0 else ''}{abs(total) // 10**9}{'.' if digits else ''}{digits}s"}
    if kind == "google.protobuf.Timestamp":
        seconds, nanos = span(inner)
        return {"@type": kind, "value": moment(seconds) + (f".{nanos:09}".rstrip("0") if nanos else "") + "Z"}
    return {"@type": kind}


def moment(seconds):
    days, rest = divmod(seconds, 86400)
    days += 719468
    era, day_of_era = divmod(days, 146097)
    year = (day_of_era - day_of_era // 1460 + day_of_era // 36524 - day_of_era // 146096) // 365
    day_of_year = day_of_era - (365 * year + year // 4 - year // 100)
    month = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * month + 2) // 5 + 1
    month = month + 3 if month < 10 else month - 9
    return f"{year + era * 400 + (month <= 2):04}-{month:02}-{day:02}T{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}"


def json_of(name, value):
    """As the JSON form has it."""
    if isinstance(value, list):
        return [json_of(name, item) for item in value]
    if isinstance(value, dict):
        for key, inner in value.items():
            if key.startswith("["):
                return any_value(key, inner)
        return {camel(key): json_of(key, inner) for key, inner in value.items()}
    if name == "bytes_value":
        return base64.b64encode(value).decode()
    if isinstance(value, bytes):
        return value.decode()
    if name == "double_value":
        return {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}.get(value.lower()) or float(value)
    if value in ("true", "false"):
        return value == "true"
    if value == "NULL_VALUE":
        return None
    return value


def test_of(message):
    test = json_of("", message)
    if "bindings" in test:
        test["bindings"] = {bound["key"]: bound["value"] for bound in test["bindings"]}
    return test


def load(folder):
    files = []
    for path in sorted(pathlib.Path(folder).glob("*.textproto")):
        reader = Reader(path.read_text())
        file = reader.message("")
        suites = [{"name": section["name"].decode(), "tests": [{"original": test_of(test)} for test in section.get("test", [])]}
                  for section in file.get("section", [])]
        files.append({"name": path.stem, "suites": suites})
    return {"name": "conformance", "suites": files}
