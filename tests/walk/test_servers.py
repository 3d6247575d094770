# SPDX-License-Identifier: Apache-2.0
"""The servers of a checkout, where there has been another before."""
import os
import pathlib
import re
import shutil
import subprocess

from house import ROOT


def folders(checkout):
    """Where the data of this path lies: beside it, or for root, who may not run PostgreSQL, in /var/tmp."""
    return [p.parent for p in pathlib.Path("/var/tmp").glob("countersign-*/checkout") if p.read_text() == str(checkout / ".run")] \
        if os.getuid() == 0 else [checkout / ".run"]


def servers(checkout, *arguments, **variables):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("COUNTERSIGN_")} | variables
    return subprocess.run([checkout / "deploy/dev/servers", *arguments], env=environment, capture_output=True, text=True, timeout=60)


def test_a_checkout_laid_anew_where_another_lay_starts_with_data_of_its_own(tmp_path):
    checkout = tmp_path / "checkout"
    seen = []
    try:
        for _ in range(2):
            shutil.rmtree(checkout, ignore_errors=True)
            shutil.copytree(ROOT / "deploy/dev", checkout / "deploy/dev")
            start = servers(checkout, "start", "postgres")
            assert start.returncode == 0, start.stderr
            assert servers(checkout, "stop", "postgres").returncode == 0
            seen.append(folders(checkout))
        assert [len(s) for s in seen] == [1, 1], "the first one's data is left behind"
    finally:
        servers(checkout, "erase")
    assert not any(p.exists() for p in folders(checkout) if os.getuid() == 0)


def test_a_database_that_refuses_its_checkout_is_said_at_once(tmp_path):
    checkout = tmp_path / "checkout"
    shutil.copytree(ROOT / "deploy/dev", checkout / "deploy/dev")
    try:
        assert servers(checkout, "start", "postgres").returncode == 0
        assert servers(checkout, "stop", "postgres").returncode == 0
        known = checkout / ".run/servers.env"
        known.write_text("".join(line if "password" not in line else "postgres_password=another\n" for line in known.open()))
        start = servers(checkout, "start", "postgres")
        assert start.returncode == 1 and "has another password" in start.stderr, start.stderr
        assert "stopped" in servers(checkout, "status", "postgres").stdout
    finally:
        servers(checkout, "erase")


def test_a_checkout_may_have_two_pairs_at_once_and_erase_forgets_both(tmp_path):
    checkout = tmp_path / "checkout"
    shutil.copytree(ROOT / "deploy/dev", checkout / "deploy/dev")
    second = {"COUNTERSIGN_STATE": ".run/second"}
    try:
        for state in ({}, second):
            start = servers(checkout, "start", "postgres", **state)
            assert start.returncode == 0, start.stderr
        ports = [re.search(r"running, 127.0.0.1:(\d+)", servers(checkout, "status", "postgres", **state).stdout)[1] for state in ({}, second)]
        assert ports[0] != ports[1]
        assert servers(checkout, "stop", "postgres").returncode == 0
        assert "running" in servers(checkout, "status", "postgres", **second).stdout
        assert servers(checkout, "start", "postgres").returncode == 0
        data = [p.parent for p in pathlib.Path("/var/tmp").glob("countersign-*/checkout") if str(checkout) in p.read_text()]
    finally:
        servers(checkout, "erase")
    assert "stopped" in servers(checkout, "status", "postgres", **second).stdout
    assert not (checkout / ".run/pgdata").exists() and not (checkout / ".run/second/pgdata").exists()
    assert not any(p.exists() for p in data)
    assert os.getuid() != 0 or len(data) == 2
