# SPDX-License-Identifier: Apache-2.0
"""The private Kafka and PostgreSQL of this run, for those who stop, kill and start them. A run has a pair of its own, whose state is
where COUNTERSIGN_STATE says."""
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
STATE = ROOT / os.environ.get("COUNTERSIGN_STATE", ".run")
BOOTSTRAP = os.environ.get("COUNTERSIGN_KAFKA_BOOTSTRAP_SERVERS", "")


def private():
    """Whether the servers of this run are that pair, not somebody's own."""
    known = STATE / "servers.env"
    return known.exists() and f"kafka_port={BOOTSTRAP.rpartition(':')[2]}" in known.read_text().split()


def pid_of(name):
    return int((STATE / f"{name}.pid").read_text().split()[0])


def server(action, name, attempts=1):
    """Stops or starts one of the two; other stories have them too, so it is started again in any case. On a busy machine a start may
    take longer than the script waits for it: then another attempt may do."""
    assert private(), "needs private servers: run it through deploy/dev/with-servers"
    environment = {k: v for k, v in os.environ.items() if not k.startswith("COUNTERSIGN_")} | {"COUNTERSIGN_STATE": str(STATE)}
    for left in reversed(range(attempts)):
        done = subprocess.run([ROOT / "deploy/dev/servers", action, name], check=not left, env=environment, stdout=subprocess.DEVNULL)
        if done.returncode == 0:
            return
