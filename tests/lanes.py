# SPDX-License-Identifier: Apache-2.0
"""Stories in two lanes, for they wait more than they compute: lanes.py [PYTEST ARGUMENTS...]

Each lane is a pytest with a Kafka and a PostgreSQL of its own, since stories stop and break these, and takes the next file that nobody has
taken, the longest first. A line is said when a file is done, and all that the lanes have said when both are through. One file alone, or
servers that are somebody's own, are taken by one pytest as usual.

The same file is the program that starts the lanes, and the plugin by which each takes its files (conftest.py registers it).
"""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]
WITH_SERVERS = str(ROOT / "deploy/dev/with-servers")
PYTEST = [sys.executable, "-B", "-m", "pytest"]
LANES = ("first", "second")
OURS = ("COUNTERSIGN_KAFKA_BOOTSTRAP_SERVERS", "COUNTERSIGN_DATABASE_URI")
# seconds that the longest files take alone: only their order matters, and that none comes last
LONG = {"test_faults.py": 224, "test_kafka_faults.py": 118, "test_chaos.py": 115, "test_attacks.py": 87, "test_database_faults.py": 59,
        "test_secured.py": 57, "test_histories.py": 55, "test_notifying.py": 54, "test_sweep.py": 47, "test_differential.py": 43, "test_clocks.py": 29,
        "test_conditions.py": 27, "test_answering.py": 26, "test_races.py": 24, "test_shelf.py": 22, "test_outcomes.py": 20,
        "test_command_line.py": 19, "test_rows.py": 18}


# ------------------------------------------------------------ the plugin

class Lane:
    """Runs those files that this lane is the first to claim. One that is started again, because it died, begins with what it had
    claimed and not begun."""

    def __init__(self, folder, name):
        self.folder, self.name, self.counts = folder, name, {}

    def mark(self, path):
        return self.folder / "claims" / str(path.relative_to(ROOT)).replace("/", "+")

    def claims(self, files):
        for path in sorted(files, key=lambda path: (-LONG.get(path.name, 0), path)):
            try:
                with open(self.mark(path), "x") as mark:
                    mark.write(self.name)
            except FileExistsError:
                if self.mark(path).read_text() != self.name:
                    continue
            yield path

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        if session.testsfailed or session.config.option.collectonly:
            return None  # pytest has its words for that
        files = {}
        for item in session.items:
            files.setdefault(item.path, []).append(item)
        claims = self.claims(files)
        path = next(claims, None)
        while path:
            began, self.counts = time.monotonic(), {}
            self.mark(path).write_text(f"begun by {self.name}")
            *items, last = files[path]
            for item, following in zip(items, files[path][1:]):
                self.tell(session, item, following)
            after = next(claims, None)  # what both need is not taken down between them
            self.tell(session, last, files[after][0] if after else None)
            self.say(path, time.monotonic() - began)
            path = after
        return True

    @staticmethod
    def tell(session, item, following):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.shouldfail:
            raise session.Failed(session.shouldfail)
        if session.shouldstop:
            raise session.Interrupted(session.shouldstop)

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.failed:
            what = report.outcome if report.when == "call" else "error"
            self.counts[what] = self.counts.get(what, 0) + 1

    def say(self, path, seconds):
        counts = ", ".join(f"{count} {what}" for what, count in sorted(self.counts.items()))
        with open(self.folder / "said", "a") as said:
            said.write(f"[{self.name}] {path.relative_to(ROOT)}: {counts} in {seconds:.0f} s\n")

    def pytest_sessionfinish(self):
        (self.folder / "ends" / self.name).touch()


def register(config):
    if folder := os.environ.get("LANES_FOLDER"):
        config.pluginmanager.register(Lane(pathlib.Path(folder), os.environ["LANES_NAME"]))


# ------------------------------------------------------------ the program

class Run:
    """Both lanes, from their start to their last words."""

    def __init__(self, folder, arguments):
        self.folder, self.arguments, self.interrupted, self.lanes, self.codes = folder, arguments, False, {}, []
        for name in ("claims", "ends"):
            (folder / name).mkdir()
        (folder / "said").touch()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self.interrupt)
        for name in LANES:
            self.start(name)

    def start(self, name):
        environment = {**os.environ, "LANES_FOLDER": str(self.folder), "LANES_NAME": name}
        if name != LANES[0]:
            for variable in OURS:
                environment.pop(variable, None)
            environment["COUNTERSIGN_STATE"] = str(ROOT / os.environ.get("COUNTERSIGN_STATE", ".run") / name)
        with open(self.folder / name, "ab") as out:
            lane = subprocess.Popen([WITH_SERVERS, *PYTEST, "-o", "console_output_style=classic", *self.arguments], env=environment,
                                    process_group=0, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT)
        self.lanes[name] = lane, self.begun(name)

    def begun(self, name):
        """How many files a lane has begun."""
        return sum(mark.read_text() == f"begun by {name}" for mark in (self.folder / "claims").iterdir())

    def interrupt(self, number, _):
        self.interrupted = True
        for lane, _ in self.lanes.values():
            if lane.poll() is None:  # Ctrl-C is for all that run in a lane, as a terminal sends it
                os.killpg(lane.pid, number) if number == signal.SIGINT else lane.send_signal(number)

    def follow(self):
        """Says what they say until both have ended. One that died amid its stories is started again for the others."""
        with open(self.folder / "said") as said:
            while self.lanes:
                time.sleep(0.2)
                for name, (lane, begun) in list(self.lanes.items()):
                    if lane.poll() is not None:
                        del self.lanes[name]
                        self.codes.append(lane.returncode)
                        if not self.interrupted and not (self.folder / "ends" / name).exists():
                            self.codes.append(1)
                            if self.begun(name) > begun:
                                self.start(name)
                print(said.read(), end="", flush=True)

    def conclude(self):
        for name in LANES:
            print(f"\n======== {name} lane", flush=True)
            sys.stdout.buffer.write((self.folder / name).read_bytes())
            sys.stdout.buffer.flush()
        failed = [code for code in self.codes if code not in (0, pytest.ExitCode.NO_TESTS_COLLECTED)]
        return 130 if self.interrupted else failed[0] if failed else min(self.codes)


def several(arguments):
    """Whether there is more than one file among the arguments."""
    files = set()
    for argument in arguments:
        path = ROOT / argument.partition("::")[0]
        files.update(path.rglob("test_*.py") if path.is_dir() else [path] if path.is_file() else ())
    return len(files) > 1


def somebodys_own():
    """Whether the variables name servers that are not this checkout's."""
    if not any(name in os.environ for name in OURS):
        return False
    ours = subprocess.run([ROOT / "deploy/dev/servers", "env"], capture_output=True, text=True, timeout=60).stdout
    return f"export {OURS[1]}={os.environ.get(OURS[1])}" not in ours.splitlines()


def main(arguments):
    os.chdir(ROOT)
    if not several(arguments) or somebodys_own():
        os.execv(WITH_SERVERS, [WITH_SERVERS, *PYTEST, *arguments])
    with tempfile.TemporaryDirectory(prefix="countersign-lanes-") as folder:
        run = Run(pathlib.Path(folder), arguments)
        run.follow()
        return run.conclude()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
