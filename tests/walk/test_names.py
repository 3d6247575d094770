# SPDX-License-Identifier: Apache-2.0
"""Names that mean harm: at a public and a private address at once, or somewhere else each time that they are looked up."""
import base64
import json
import secrets

import pytest

from house import policy
from machine import Machine
from test_notifying import Receiver


@pytest.fixture
def machine():
    machine = Machine()
    yield machine
    machine.close()


def test_a_name_is_called_at_the_address_that_was_looked_at_or_not_at_all(build, machine, tmp_path):
    listed = Receiver("127.0.0.1")
    inside = Receiver("127.0.0.2", port=listed.port)  # where nothing may be sent to
    (tmp_path / "secret").write_text("whsec_" + base64.b64encode(secrets.token_bytes(32)).decode())
    (tmp_path / "secret").chmod(0o600)
    (tmp_path / "targets.json").write_text(json.dumps({"targets": [
        {"name": name, "channel": "webhook", "url": f"{scheme}://{name}.story:{listed.port}/", "secret_file": str(tmp_path / "secret"),
         "allow_http": True} for name, scheme in (("both", "https"), ("turning", "http"))]}))
    house = build(policy=policy(), services=("evaluator", "notifier", "relay"), start=False, settings={"notifier": {
        "notifier.targets_file": str(tmp_path / "targets.json"), "webhook.allow_private": "127.0.0.1/32", "webhook.ports": "any",
        "delivery.attempts": "4", "delivery.backoff": "100ms"}})
    house.person("alice", "release-managers")
    house.start("evaluator"), house.start("relay"), house.start("notifier", env=machine.env)
    for n in range(2):
        house.word(house.ask(), "PENDING")
        house.eventually("SELECT target, state, last_code FROM delivery WHERE state <> 'pending' ORDER BY created_at, target",
                         expected=[("both", "dead", "address_refused"), ("turning", "sent", "http_204")] * (n + 1))
    assert house.one("SELECT sum(attempts) FROM delivery WHERE target = 'turning'") == 3  # the second time it turned
    assert listed.count("/") == 2 and inside.calls == {}
    listed.close(), inside.close()
