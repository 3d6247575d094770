# SPDX-License-Identifier: Apache-2.0
"""Conditions, decisions and loading in the library itself, beside plain C; the aims are those of a quiet core."""
import json
import os
import statistics
import subprocess


def policy(program, rounds, table):
    found = [json.loads(subprocess.run([program], stdout=subprocess.PIPE, check=True).stdout) for _ in range(rounds)]

    def median(read):
        return statistics.median(read(one) for one in found)

    plain = median(lambda one: one["plain_ns"])
    rows = [["strcmp and branch in C", plain, 1.0, ""]]
    result = {"rounds": found, "plain_ns": plain, "ratios": {}}
    for name, text, aim in (("simple", "four comparisons", 100), ("regex", "a regular expression", 1000),
                            ("comprehension", "exists over 8 strings", 1000)):
        took = median(lambda one: one[f"{name}_ns"])
        result["ratios"][name] = median(lambda one: one[f"{name}_ns"] / one["plain_ns"])
        rows.append([text, took, result["ratios"][name], f"{aim} ns"])
    table("One condition, nanoseconds", ["", "median", "of plain C", "aim"], rows)
    keys = ("decide_p50_us", "decide_p99_us", "p50_us", "p99_us", "written_p50_us", "written_p99_us")
    rows = []
    for n, shape in enumerate(found[0]["decisions"]):
        medians = {key: median(lambda one: one["decisions"][n][key]) for key in keys}
        first = next(i for i, one in enumerate(found[0]["decisions"]) if one["candidates"] == shape["candidates"])
        growth = median(lambda one: one["decisions"][n]["p50_us"] / one["decisions"][first]["p50_us"])
        rows.append([f"{shape['rules']:,} rules, {shape['candidates']} candidates", *medians.values(), growth])
        result.setdefault("decisions", []).append({"rules": shape["rules"], "candidates": shape["candidates"], **medians, "growth": growth})
    table("One decision, microseconds (aim with explanation: p50 20, p99 50; growth 1.1)",
          ["", "p50", "p99", "explained p50", "p99", "as JSON p50", "p99", "growth"], rows)
    result["load"] = {key: median(lambda one: one["load"][key]) for key in ("ms", "kib_a_rule")}
    table("Load, check and compile 10,000 rules", ["", "median", "aim"],
          [["milliseconds", result["load"]["ms"], "500"], ["KiB a rule", result["load"]["kib_a_rule"], "1"]])
    return result


def part(table):
    return policy(os.path.join(os.environ["B"], "tests/bench/policy"), int(os.environ.get("ROUNDS", "3")), table)
