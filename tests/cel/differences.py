# SPDX-License-Identifier: Apache-2.0
"""Where other implementations differ and we stay, each with an expression that shows it; test_differential.py sees that each still does."""
import dataclasses
import json
import re
import typing


@dataclasses.dataclass
class Known:
    oracle: str
    name: str
    why: str
    example: str  # an expression without variables, on which the two differ
    fits: typing.Callable[[typing.Any], bool]  # is this case of the kind?


def failed(case, *codes):
    return case.ours.get("code") in codes


def theirs(case, *texts):
    return isinstance(case.theirs, str) and any(text in case.theirs for text in texts)


def has(case, pattern):
    return re.search(pattern, case.expression) is not None


def readable(answer):
    """The answer as a text in which bytes are characters."""
    return re.sub(r'"bytes": "([0-9a-f]*)"', lambda match: bytes.fromhex(match[1]).decode(errors="replace"), json.dumps(answer))


KNOWN = [
    Known("cel-go", "literals are looked at where they stand",
          "Its validators refuse a bad format, as they do a bad literal of a timestamp or a duration, before anything runs, also in a branch that is never taken; here a "
          "format is an error when it is evaluated.",
          'true || "%d".format(["x"]) == ""',
          lambda case: theirs(case, "invalid timestamp argument", "invalid duration argument", "arguments supplied to string.format", "could not parse formatting clause",
                              "error during formatting", "simple literal arguments must be numeric", "invalid single argument value", "invalid matches argument", "unexpected end of string",
                              "out of range")),
    Known("cel-go", "the milliseconds of a duration are the whole",
          "duration.getMilliseconds() converts, where the suite (timestamps/duration_converters/get_milliseconds) takes the part; cel-go leaves that test out.",
          'duration("1.5s").getMilliseconds() == 500', lambda case: has(case, r"getMilliseconds\(\)")),
    Known("cel-go", "a key may repeat", "The suite (fields/qualified_identifier_resolution/map_value_repeat_key) wants an error; cel-go leaves that test out.",
          '{"a": 1, "a": 2}', lambda case: failed(case, "duplicate_key")),
    Known("cel-go", "no zone is UTC", 'Go takes "" for UTC; the language has names of the database and offsets.', 'timestamp(0).getHours("")',
          lambda case: failed(case, "conversion") and has(case, r'get\w+\(""\)')),
    Known("cel-go", "a search may begin behind the end", "The suite (string_ext/value_errors) wants an error; cel-go leaves those tests out.", '"a".lastIndexOf("a", 30)',
          lambda case: has(case, r"ndexOf\(") and (failed(case, "range") or has(case, r"lastIndexOf\(.*,"))),
    Known("cel-go", "an optional part of what has no parts is none", "Neither a map nor a list: an error, which a restrictive rule needs.", 'dyn(true).?a',
          lambda case: failed(case, "no_such_overload") and has(case, r"\.\?|\[\?|optional")),
    Known("cel-go", "has() of what has no parts is false", "Neither a map nor a message: an error, which a restrictive rule needs.", "has(dyn(true).a)",
          lambda case: failed(case, "no_such_overload") and has(case, r"has\(")),
    Known("cel-go", "or() takes what is no optional", "Its second operand is not looked at; here it is an error.", "optional.none().or(dyn(1))",
          lambda case: failed(case, "no_such_overload") and has(case, r"\.or\(")),
    Known("cel-go", "an index into none is not evaluated", "The operand is none, so the index is passed over, and an error in it; here all operands are evaluated.",
          'optional.none()[?int("x")]', lambda case: "error" in case.ours and has(case, r"\[\?|optional.*\[")),
    Known("cel-go", "a duration as a string goes through a double", "Digits beyond those of a double are lost.", 'string(duration("474683309.999999999s")) == "474683309.999999999s"',
          lambda case: case.theirs is False and re.search(r"\d{7}\.\d{6,9}s|s\d{6,9}\.\d{7}", readable(case.ours) + case.expression)),
    Known("cel-go", "base64 may end in bits that are nothing", "Two texts for the same bytes; RFC 4648 3.5 lets a reader refuse.", 'base64.decode("1d")',
          lambda case: failed(case, "conversion") and has(case, r"base64\.decode")),
    Known("cel-go", "numbers of two types are compared", "The REPL switches that on in the checker; the language leaves it to the run time.", "1 < 2.0",
          lambda case: "numbers of two types do not mix" in case.ours.get("error", "")),
    Known("cel-go", "the checker knows no negative duration, the run time does", "There is no such overload.", '-dyn(duration("1s"))',
          lambda case: failed(case, "no_such_overload") and has(case, "-")),
    Known("cel-go", "NaN is compared with anything", "A double and a bool have no order.", "dyn(0.0/0.0) < dyn(true)",
          lambda case: failed(case, "no_such_overload") and has(case, "0.0/0.0|[<>]")),
    Known("cel-go", "anything can be a key", "Keys are int, uint, bool and string.", "{dyn(1.5): 1}", lambda case: "error" in case.ours and (failed(case, "type") or has(case, r"\{[a-z]|, [a-z][^:]*: "))),
    Known("cel-go", "the items of an empty literal have the type of some overload", "They could be anything.",
          "{}.transformMap(k, v, size(k.substring(1).substring(k.size()))) == {}", lambda case: theirs(case, "no matching overload") and has(case, r"\{\}|\[\]")),
    Known("cel-go", "bytes that are no UTF-8 become a string that is none", "Formatted, what is ill-formed is U+FFFD.", '"%s".format([b"\\xc3"])',
          lambda case: case.theirs is False and "\ufffd" in json.dumps(case.ours.get("value"), ensure_ascii=False)),
    Known("cel-go", "the longest durations are too long", "A difference of times within a second of the ends of int64 nanoseconds is an overflow there.",
          'timestamp("1969-12-31T23:59:59.9Z") - timestamp("2262-04-11T23:47:16Z") == duration("-9223372036.1s")',
          lambda case: theirs(case, "overflow") and "9223372036" in json.dumps(case.ours) + case.expression + json.dumps(case.used)),
    Known("cel-go", "the hours of a duration go through a double", "Hours, minutes and seconds are rounded up near the next whole.",
          '(timestamp("2024-02-29T23:59:59.999999999Z") - timestamp(0)).getHours() == 474791',
          lambda case: case.theirs is False and has(case, r"get(Hours|Minutes|Seconds)\(\)")),
    Known("cel-go", "an empty optional is no zero value", "Of all that says nothing of its type only none() counts as something there; ofNonZeroValue() of what is absent "
          "has a value then.", "optional.ofNonZeroValue(optional.none()).hasValue()",
          lambda case: case.theirs is False and has(case, r"ofNonZeroValue\(.*(\?|optional)")),
    Known("cel-go", "bytes are looked for in a map", "An internal error of Go.", 'dyn(b"a") in {true: 1}', lambda case: theirs(case, "unhashable type")),
    Known("cel-go", "literals of zones are looked at when they are met", "Here those that no function takes refuse the expression when it is loaded, with those of times and "
          "addresses.", 'true || timestamp(0).getHours("Atlantis") == 0', lambda case: failed(case, "conversion") and case.ours.get("stage") == "compile"),
    Known("cel-go", "regular expressions are compiled when they are met", "Here those that are literals are compiled when the expression is loaded, and a bad one refuses it.",
          'true || matches("a", "[")', lambda case: failed(case, "regex")),
    Known("cel-go", "a map has no order", "Its entries come in any order, another each time; here in that in which they were put.",
          '{1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 7: 7, 8: 8, 9: 9}.map(k, k)', lambda case: case.theirs is False and has(case, r"transformList|\.(map|filter)\(")),
    Known("cel-go", "a list has a reverse", "The REPL has an extension for lists.", "dyn([1]).reverse()", lambda case: failed(case, "no_such_overload") and has(case, r"reverse\(\)")),
    Known("cel-go", "a variable that is an item of a list of types is lost", "", "cel.bind(z0, [int, uint][3], 1)", lambda case: theirs(case, "undefined type")),
    Known("cel-go", "the greatest of three numbers of one type has that type", "Here that of two has; of more it may be any.", 'math.greatest(1, 2, 3) == "a"',
          lambda case: theirs(case, "no matching overload") and has(case, r"math\.(least|greatest)\(.*,.*,")),
    Known("cel-go", "no least or greatest of a list that was put together", "A list of unknown items has no overload when it runs.", "math.least([] + dyn([10]))",
          lambda case: theirs(case, "no such overload: math.@m")),
    Known("cel-go", "what an empty optional holds has the type of some overload", "It could be anything.", "optional.of(1).orValue(-optional.none().value())",
          lambda case: theirs(case, "no matching overload") and has(case, r"optional\.none\(\)")),
    Known("cel-go", "an index beyond those of int64 is an error where one may be missing", "No list has it.", "dyn([1])[?18446744073709551615u].hasValue()",
          lambda case: theirs(case, "unsupported index value")),
    Known("cel-go", "an untyped number out of an optional is not converted", "string() and uint() of the same number elsewhere are.", "uint(dyn(optional.of(2147483648)).value())",
          lambda case: isinstance(case.theirs, str) and re.search(r"no such overload: \w+\(int\)", case.theirs) is not None and has(case, r"optional|\[\?")),
    Known("cel-go", "an optional selection looks for a string in a map that has none", "The types say that it is never there.", "{1: 7}.?a",
          lambda case: failed(case, "no_such_field") and "a selection needs string keys" in case.ours["error"]),
    Known("cel-go", "literals that are no keys are looked at when they are met", "Here the index of a value of unknown type is an error when it is evaluated.",
          'true || dyn({1: 2})[b"a"] == 1', lambda case: theirs(case, "invalid qualifier type")),
    Known("bufbuild", "timestamps of an int are in milliseconds", "The suite has them in seconds.", "timestamp(1)", lambda case: has(case, r"timestamp\(|int\(")),
    Known("bufbuild", "what is no number is NaN as a double, or 0", "double() and int() of any string; the suite wants errors.", 'double("x")',
          lambda case: "error" in case.ours and has(case, r"(double|int)\(")),
    Known("bufbuild", "the day of a month with a zone counts from one", "The suite counts from 0.", 'timestamp(0).getDayOfMonth("UTC") == 0', lambda case: has(case, r"get(DayOfMonth|Date)\(\"")),
    Known("bufbuild", "the first hour of a day in a zone by name is the next day's", "It has Intl say 24:31 for 00:31, and adds that to the day.",
          'timestamp("2009-02-13T23:31:30Z").getDayOfWeek("Europe/Berlin") == 6', lambda case: has(case, r"get(DayOfWeek|DayOfYear|Month|FullYear)\(\"[A-Z]")),
    Known("bufbuild", "a field that is null is not there", "null is a value.", "has({\"a\": null}.a)", lambda case: has(case, r"has\(")),
    Known("bufbuild", "matches() is a method only", "The language has the function as well.", 'matches("a", "a")', lambda case: has(case, r"(?<!\.)matches\(")),
    Known("bufbuild", "a format with arguments over is an error", "cel-go passes over them when it runs.", '"%d".format([1, 2])', lambda case: has(case, r"\.format\(")),
    Known("bufbuild", "a search from behind an empty string's end is an error", "It is not there.", '"".indexOf("a", 0)', lambda case: has(case, r"ndexOf\(.*,")),
    Known("bufbuild", "regular expressions are compiled when they are met", "Here those that are literals are compiled when the expression is loaded, and a bad one refuses it.",
          'true || "a".matches("[")', lambda case: failed(case, "regex")),
    Known("bufbuild", "numbers and times become the strings of JavaScript", "The suite leaves open how a double is written; digits of fractions come by threes there.", "string(1e10)",
          lambda case: has(case, r"string\(|format\(")),
    Known("bufbuild", "F is no bool", "The suite has f, F, false and the like.", 'bool("F")', lambda case: has(case, r"bool\(")),
    Known("bufbuild", "an empty duration is none", "Numbers with units are expected.", 'duration("")', lambda case: failed(case, "conversion") and has(case, r"duration\(")),
    Known("bufbuild", "nanoseconds are rounded to milliseconds", "Then the second, or the year, is the next.", 'timestamp("2024-02-29T23:59:59.999999999Z").getHours()',
          lambda case: has(case, r"get[A-Z]") and re.search("999999999Z|0.000000001s", case.expression + json.dumps(case.used))),
    Known("bufbuild", "the year 1 has the zones of JavaScript", "Its day of the week is another.", 'timestamp("0001-01-01T00:00:00Z").getDayOfWeek("Europe/Berlin")',
          lambda case: has(case, r"get[A-Z]") and "0001-01-01" in case.expression + json.dumps(case.used)),
    Known("bufbuild", "a list has an item at false", "An index is a number.", "[1][dyn(false)]", lambda case: failed(case, "no_such_overload") and has(case, r"\[")),
    Known("bufbuild", "a time is looked for in a map", "No key is one, so it is not in it.", 'dyn(duration("1s")) in {"a": 1}', lambda case: isinstance(case.theirs.get("error"), str) and "'@in'" in case.theirs["error"]),
    Known("bufbuild", "the names of zones are of any case", "The database's names are as they are.", 'timestamp(0).getHours("utc")', lambda case: has(case, '"utc"')),
    Known("bufbuild", "characters are counted as UTF-16 has them", "The language counts code points.", '"😀".lastIndexOf("")', lambda case: re.search("😀|👩", case.expression + json.dumps(case.used, ensure_ascii=False))),
    Known("bufbuild", "an integer beyond 2^53 is compared with a double exactly", "The suite (comparisons/lt_dyn_int_big_lossy_double and others) makes it a double first.",
          "dyn(9007199254740993) == 9007199254740992.0",
          lambda case: has(case, "[=!<>]") and "error" not in case.ours and re.search(r"\d{16}", case.expression + readable(case.used))),
    Known("bufbuild", "a limit of parts is cut to 32 bits", "A large one leaves none.", '"a,b".split(",", 9007199254740992)', lambda case: has(case, r"split\(.*,")),
    Known("bufbuild", "a key may repeat", "The suite wants an error, also across types.", "{1: 1, dyn(1u): 2}", lambda case: failed(case, "duplicate_key")),
    Known("bufbuild", "an empty text is replaced where it was replaced before", "It stands before each character, once.", '"ab".replace("", "x")', lambda case: has(case, r"replace\(")),
    Known("bufbuild", "the minus of a uint is a mistake of the syntax", "It is one of types, which is absorbed where there is no checker.", "true || -3u == 1u",
          lambda case: "error" in case.theirs and "but expecting" in case.theirs["error"]),
    Known("bufbuild", "a uint is divided as an int", "The larger half of them is an overflow.", "9223372036854775808u / 1u",
          lambda case: "error" in case.theirs and "overflow during divide" in case.theirs["error"]),
    Known("bufbuild", "the least int has a remainder by -1", "cel-go has an overflow, as in the division.", "dyn(-9223372036854775807 - 1) % -1", lambda case: failed(case, "overflow") and has(case, "%")),
    Known("bufbuild", "an int is a duration", "There is no such conversion.", "duration(dyn(1))", lambda case: failed(case, "no_such_overload") and has(case, r"duration\(")),
    Known("bufbuild", "a double is the key of a map", "Keys are int, uint, bool and string.", "{dyn(1.0): 1}", lambda case: failed(case, "no_such_overload") and has(case, r"\{")),
]
