# SPDX-License-Identifier: Apache-2.0
"""What a policy's declared inputs make of a context, a second time: slowly and plainly."""
import datetime
import re
from fractions import Fraction

NANOSECONDS = {"h": 3_600_000_000_000, "m": 60_000_000_000, "s": 1_000_000_000, "ms": 1_000_000, "us": 1000, "ns": 1}
PART = r"(\d+(?:\.\d+)?)(ns|us|ms|s|m|h)"
STAMP = re.compile(r"(\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?([Zz]|[+-]\d\d:\d\d)")


class Refused(Exception):
    pass


def duration(text):
    sign, rest = re.fullmatch(r"([+-]?)(.*)", text, re.DOTALL).groups()
    if rest != "0" and not re.fullmatch(f"(?:{PART})+", rest):
        raise Refused
    value = sum(Fraction(number) * NANOSECONDS[unit] for number, unit in re.findall(PART, rest)) * (-1 if sign == "-" else 1)
    if Fraction(value).denominator != 1 or not -2**63 <= value < 2**63:
        raise Refused
    return int(value)


def timestamp(text):
    """Nanoseconds since 1970."""
    match = STAMP.fullmatch(text)
    try:
        moment = datetime.datetime.strptime(match[1].upper() + "+0000", "%Y-%m-%dT%H:%M:%S%z")
        hours, minutes = (0, 0) if match[3] in "Zz" else (int(match[3][1:3]), int(match[3][4:]))
    except (TypeError, ValueError) as why:
        raise Refused from why
    if hours > 23 or minutes > 59:
        raise Refused
    offset = (hours * 3600 + minutes * 60) * (-1 if match[3][0] == "-" else 1)
    seconds = (moment - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)) // datetime.timedelta(seconds=1) - offset
    if not -62135596800 <= seconds <= 253402300799:
        raise Refused
    return seconds * 10**9 + int((match[2] or "").ljust(9, "0"))


def scalar(kind, value):
    """As something that can be compared."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind == "bool" and isinstance(value, bool) or kind == "string" and isinstance(value, str):
        return value
    if kind == "int" and number and value == int(value) and -2**63 <= value < 2**63:
        return int(value)
    if kind == "double" and number:
        return float(value)
    if kind in ("timestamp", "duration") and isinstance(value, str):
        return {"timestamp": timestamp, "duration": duration}[kind](value)
    raise Refused


def read(kind, fields, value):
    if kind.startswith("list<"):
        if not isinstance(value, list):
            raise Refused
        return [read(kind[5:-1], fields, item) for item in value]
    if kind != "map":
        return scalar(kind, value)
    if not isinstance(value, dict):
        raise Refused
    return value if fields is None else members(fields, value)


def check(field, kind, value):
    size = value if kind in ("int", "double", "timestamp", "duration") else len(value) if kind != "bool" else 0
    for name, holds in (("min", lambda bound: size >= bound), ("max", lambda bound: size <= bound)):
        if name in field and not holds(scalar(kind, field[name]) if kind in ("int", "double", "timestamp", "duration") else field[name]):
            raise Refused
    listed = value if isinstance(value, list) else [value]
    while listed and isinstance(listed[0], list):
        listed = [item for one in listed for item in one]
    if "enum" in field and not all(item in field["enum"] for item in listed):
        raise Refused


def members(fields, context):
    """The context with its defaults; Refused when the fields don't take it."""
    result = {}
    for name, value in context.items():
        if name not in fields:
            raise Refused
        field = fields[name] if isinstance(fields[name], dict) else {"type": fields[name]}
        result[name] = read(field["type"], field.get("fields"), value)
        check(field, field["type"], result[name])
    for name, field in fields.items():
        if name in result or not isinstance(field, dict):
            continue
        if field.get("required"):
            raise Refused
        if "default" in field:
            result[name] = field["default"]
    return result


def taken(documents, context):
    """The context as each document's rules see it, or None: it must satisfy all that declare inputs, and be declared by one of them."""
    declaring = [d["inputs"] for d in documents if "inputs" in d]
    if declaring and not set(context) <= {name for inputs in declaring for name in inputs}:
        return None
    try:
        return [members(d["inputs"], {n: v for n, v in context.items() if n in d["inputs"]}) if "inputs" in d else context
                for d in documents]
    except Refused:
        return None
