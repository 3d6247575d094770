# SPDX-License-Identifier: Apache-2.0
"""
The delivery policy beside the same rules in cel-go, OPA and Cedar: the same requests, interleaved rounds of one run. A peer whose
toolchain or packages are not at hand is left out, which is said. Numbers are printed only where all decided the same.
"""
import json
import os
import pathlib
import shutil
import statistics
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
PEERS = ROOT / "tests" / "bench" / "peers"
POLICY = ROOT / "deploy" / "policies" / "delivery.yaml"
BUILD_SECONDS = 1200
AIM = 5
AGENTS = ("coding-agent-production", "intern-agent")
WHOLE = {"repository": "customer-api", "branch": "main", "environment": "production", "tests_passed": True, "change_risk": "low",
         "protected_branch": True, "force": False}
# what each is built with, how, and the program that comes of it
RECIPES = {
    "cel-go": ("go", ["go", "build", "-mod=readonly", "-trimpath", "-o"], "cel-go"),
    "OPA": ("go", ["go", "build", "-mod=readonly", "-trimpath", "-o"], "opa"),
    "Cedar": ("cargo", ["cargo", "build", "--release", "--target-dir"], "cedar"),
}


def request(agent, action, left_out=(), **context):
    given = {name: value for name, value in {**WHOLE, **context}.items() if name not in left_out}
    return {"request_id": "b00000-00000001", "agent_id": agent, "action": action, "target": "customer-api", "context": given}


def requests():
    """Every rule true and false, every class's default, and what restricts or allows without its field."""
    made = []
    for agent in AGENTS:
        made += [request(agent, "deployment.production", change_risk=risk, tests_passed=tests, branch=branch)
                 for risk in ("low", "medium", "high", "critical") for tests in (True, False) for branch in ("main", "fix/login")]
        made += [request(agent, action, environment=environment) for action in ("deployment.staging", "deployment.development")
                 for environment in ("development", "staging", "production")]
        made += [request(agent, "repo.push", protected_branch=protected, force=force) for protected in (True, False) for force in (True, False)]
        made += [request(agent, action) for action in ("repo.read", "deployment.status", "repo.tag", "mail.send")]
        made += [request(agent, "deployment.production", [name], **context) for name in ("tests_passed", "change_risk", "branch", "force")
                 for context in ({}, {"change_risk": "high"})]
        made += [request(agent, "repo.push", left_out, force=force) for left_out in (["protected_branch"], ["force"]) for force in (True, False)]
        made.append(request(agent, "deployment.staging", ["environment"]))
    return made


def version_of(name):
    text = (PEERS / RECIPES[name][2] / ("Cargo.toml" if name == "Cedar" else "go.mod")).read_text()
    line = next(line for line in text.splitlines() if any(word in line for word in ("cedar-policy =", "cel-go v", "/opa v")))
    return line.split()[-1].strip('"=v')


def build(name):
    """The program, or why there is none."""
    tool, command, folder = RECIPES[name]
    out = pathlib.Path(os.environ.get("B", "build")).resolve() / "tests" / "bench" / "peers" / folder
    source = out / "source"
    if not shutil.which(tool):
        return None, f"{tool} is not installed"
    shutil.copytree(PEERS / folder, source, dirs_exist_ok=True)  # what is resolved and built stays out of the tree
    target = out / "target"
    command = [*command, str(target)] + (["."] if tool == "go" else [])
    try:
        done = subprocess.run(command, cwd=source, capture_output=True, text=True, timeout=BUILD_SECONDS,
                              env={**os.environ, "GOTOOLCHAIN": "local"})
    except subprocess.TimeoutExpired:
        return None, f"{tool} took more than {BUILD_SECONDS} s"
    if done.returncode:
        said = [line.strip() for line in done.stderr.splitlines() if line.strip() and not line.startswith("go: downloading")]
        return None, f"{tool}: {said[0] if tool == 'go' else next((line for line in said if line.startswith('error')), said[-1])}"
    return target if tool == "go" else target / "release" / "countersign-bench-cedar", None


def ask(command):
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True, cwd=ROOT).stdout)


def same(found, asked):
    """The decisions, if all made the same."""
    ours = found["countersign"]["decisions"]
    assert len(ours) == len(asked) and set(ours) == {"ALLOW", "REQUIRE_APPROVAL", "BLOCK"}, ours
    for name, said in found.items():
        for one, was, is_ in zip(asked, ours, said["decisions"], strict=True):
            assert was == is_, f"{name} says {is_} where we say {was}: {json.dumps(one)}"
    return ours


def part(table, rounds):
    asked, absent = requests(), {}
    folder = pathlib.Path(os.environ["B"]) / "tests" / "bench" / "peers"
    file = folder / "requests"
    file.write_text("".join(json.dumps(one, separators=(",", ":")) + "\n" for one in asked))
    commands = {"countersign": [folder / "countersign", POLICY, file]}
    for name in RECIPES:
        program, why = build(name)
        if program:
            commands[name] = [program, file]
        else:
            absent[name] = why
            print(f"{name} is left out: {why}")
    found = [{name: ask(command) for name, command in commands.items()} for _ in range(rounds)]
    for one in found:
        same(one, asked)
    result = {"requests": len(asked), "rounds": found, "absent": absent, "medians_ns": {}, "ratios": {}}
    for name in commands:
        result["medians_ns"][name] = {key: statistics.median(one[name][key] for one in found) for key in ("value_ns", "json_ns")}
        result["ratios"][name] = {key: statistics.median(one[name][key] / one["countersign"][key] for one in found)
                                  for key in ("value_ns", "json_ns")}
    explained = result["explained_ns"] = statistics.median(one["countersign"]["explained_ns"] for one in found)
    table(f"One decision by the delivery policy, nanoseconds, {len(asked)} requests that all decide the same",
          ["", "request as a value", "of ours", "from JSON text", "of ours"],
          [[name if name == "countersign" else f"{name} {version_of(name)}", took["value_ns"], result["ratios"][name]["value_ns"],
            took["json_ns"], result["ratios"][name]["json_ns"]] for name, took in result["medians_ns"].items()]
          + [["countersign, with its explanation as JSON", "", "", explained, explained / result["medians_ns"]["countersign"]["json_ns"]]])
    peers = {name: ratios for name, ratios in result["ratios"].items() if name != "countersign"}
    if peers:
        for key, text in (("value_ns", "as a value"), ("json_ns", "from JSON")):
            fastest = min(peers, key=lambda name: peers[name][key])
            result[f"fastest_{key}"] = {"peer": fastest, "ratio": peers[fastest][key]}
            print(f"  {text}: the fastest peer, {fastest}, takes {peers[fastest][key]:.2f} times as long (aim {AIM})")
    return result
