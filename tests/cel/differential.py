# SPDX-License-Identifier: Apache-2.0
"""Random expressions here and at other people's: differential.py COUNT SEED. What differs is ours to mend, or listed in differences.py."""
import collections
import itertools
import json
import pathlib
import random
import re
import subprocess
import sys

import celgo
import suite
from differences import KNOWN
from generator import Generator, literal
from tool import batch

ROOT = pathlib.Path(__file__).resolve().parents[2]
FEATURES = {
    "bufbuild": ["core", "strings"],  # with a limit of replacements of an empty text it does not end
    "cel-go": ["core", "strings", "math", "optionals", "macros2", "bindings", "encoders", "reverse", "replacements"],
}
LIMITS = ["--node-max", "100000", "--depth-max", "100", "--loop-max", "8", "--source-max", "100000", "--cost-max", "1000000"]
EACH = 25  # expressions over the same variables
ROUND = 20000  # expressions at a time: the others take long to begin
OURS_ALONE = {"cost", "memory", "depth"}  # our limits, which they have not


class Case:
    def __init__(self, expression, variables, dynamic):
        self.expression, self.variables, self.dynamic = expression, variables, dynamic
        self.used = {name: value for name, (_, value) in variables.items() if re.search(rf"\b{name}\b", expression)}
        self.ours = self.theirs = None

    def untyped(self, name):
        return self.dynamic or "dyn" in self.variables[name][0]

    def line(self, check):
        types = {name: "dyn" if self.untyped(name) else self.variables[name][0].replace("null", "null_type") for name in self.used}
        return {"expr": self.expression, "bindings": self.used, "types": types, "check": check}

    def __str__(self):
        return f"{self.expression}\n    with {json.dumps(self.used, ensure_ascii=False)}{' as dyn' if self.dynamic else ''}\n" \
               f"    ours   {json.dumps(self.ours, ensure_ascii=False)}\n    theirs {json.dumps(self.theirs, ensure_ascii=False)}"


def cases_of(seed, count, features):
    source = random.Random(seed)
    generator = Generator(source, features)
    for number in range(count):
        if number % EACH == 0:
            generator.activate()
        yield Case(generator.expression(), generator.variables, number % 2 == 1)


def for_bufbuild(case):
    """Lists and maps with times in them can't be read back when they were bound: they are written out."""
    expression, bindings = case.expression, dict(case.used)
    for name, value in case.used.items():
        if next(iter(value)) in ("list", "map") and re.search('"(timestamp|duration)"', json.dumps(value)):
            del bindings[name]
            expression = re.sub(rf"\b{name}\b", lambda _, text=literal(value): text, expression)
    return {"expr": expression, "bindings": bindings}


def with_bufbuild(cases):
    """It has no checker: neither has ours here."""
    for case, answer in zip(cases, batch([case.line(False) for case in cases], *LIMITS)):
        case.ours = answer
    text = "".join(json.dumps(for_bufbuild(case)) + "\n" for case in cases)
    result = subprocess.run(["node", "tests/cel/bufbuild.mjs"], cwd=ROOT, input=text.encode(), capture_output=True, check=True)
    for case, answer in zip(cases, result.stdout.decode().split("\n")[:-1], strict=True):
        case.theirs = json.loads(answer)
    return [case for case in cases if not agree(case)]


def agree(case):
    if "error" in case.ours or "error" in case.theirs:
        return "error" in case.ours and "error" in case.theirs
    return suite.same(case.ours["value"], case.theirs["value"])


def with_celgo(cases):
    for case, answer in zip(cases, batch([case.line(True) for case in cases], *LIMITS)):
        case.ours = answer
    answers = celgo.ask([celgo.question(case) for case in cases])
    for case, answer in zip(cases, answers):
        case.theirs = answer
    return [case for case in cases if not (celgo.is_error(case.theirs) if "error" in case.ours else case.theirs is True)]


ORACLES = {"bufbuild": with_bufbuild, "cel-go": with_celgo}


def name_of(oracle, case):
    """That of a known difference or of a limit of ours, or None."""
    if case.ours.get("code") in OURS_ALONE:
        return "limit"
    return next((known.name for known in KNOWN if known.oracle == oracle and known.fits(case)), None)


def compare(oracle, count, seed, tell=lambda case: None):
    """What differs and is not known (the first hundred, each told at once), and the counts: of all, of values among them, of differences by name."""
    counts = collections.Counter()
    unknown = []
    cases = cases_of(f"{oracle} {seed}", count, FEATURES[oracle])
    while part := list(itertools.islice(cases, ROUND)):
        for case in ORACLES[oracle](part):
            name = name_of(oracle, case)
            counts[name or "unknown"] += 1
            if not name and len(unknown) < 100:
                unknown.append(case)
                tell(case)
        counts["all"] += len(part)
        counts["values"] += sum("value" in case.ours for case in part)
    return unknown, counts


def main():
    count, seed = int(sys.argv[1]), sys.argv[2]
    failed = False
    for oracle in sys.argv[3:] or ORACLES:
        unknown, counts = compare(oracle, count, seed, lambda case: print(case, flush=True))
        print(f"{oracle}: seed {seed}, {dict(counts)}", flush=True)
        failed = failed or bool(unknown)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
