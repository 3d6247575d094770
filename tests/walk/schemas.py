# SPDX-License-Identifier: Apache-2.0
"""Validates what was seen on the topics against the published JSON Schemas."""
import json
import pathlib

import jsonschema

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "common" / "message" / "schema"
NAMES = {"approvals": "approval", "authorizations": "authorization", "incidents": "incident", "quarantine": "quarantine",
         "checkpoints": "checkpoint", "directory": "directory"}


def _validator(name):
    schema = json.loads((FOLDER / f"{name}.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def check_all(events):
    validators = {topic: _validator(name) for topic, name in NAMES.items()}
    for event in events:
        faults = [f"{'/'.join(map(str, e.absolute_path))}: {e.message}" for e in validators[event.topic].iter_errors(event.body)]
        assert not faults, f"{event}: {faults}"
        assert event.headers["ce_specversion"] == "1.0" and event.headers["content-type"] == "application/json"
        assert event.headers["ce_type"].startswith("countersign.") and event.headers["ce_type"].endswith(".v1")
        assert event.headers["ce_id"] == event.body.get("event_id", event.headers["ce_id"])
        assert event.headers["ce_source"].startswith("/countersign/") and "ce_time" in event.headers
    by_id = {}
    for event in events:
        assert by_id.setdefault(event.event_id, event).raw == event.raw, f"two texts under one id: {event}"
