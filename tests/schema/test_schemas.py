# SPDX-License-Identifier: Apache-2.0
"""The schemas against what the code takes and writes: the golden files of the unit tests are judged by both."""
import base64
import copy
import hashlib
import json
import pathlib

import jsonschema
import pytest
import yaml
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "common" / "message" / "schema"
GOLDEN = ROOT / "tests" / "golden"
TEST_KEY = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"  # RFC 8037 A.2
NAMES = ("request", "response", "outcome", "authorization", "approval", "incident", "quarantine", "checkpoint", "directory")
INPUTS = ("request", "response", "outcome")

# Refused by the code for what a schema can't say: bytes, headers, keys, duplicates, real instants, sizes of nested values.
BEYOND_SCHEMA = {
    "ce_id", "key", "signature", "content-type", "ce_specversion", "data", "data_base64", "specversion",
}
BEYOND_CODES = {
    "empty", "syntax", "encoding", "duplicate_key", "duplicate_header", "number_range", "too_large", "too_deep",
    "too_many_items", "too_many_members", "string_too_long", "key_too_long", "id_mismatch", "cloudevent",
    "signature_missing", "signature_type", "signature_malformed",
}
BEYOND_CASES = {
    "no_id_anywhere",  # the id may come from outside the body
    "target_of_bytes_not_characters", "deadline_that_is_no_date", "deadline_before_1970", "deadline_of_1970_itself",
    "deadline_with_a_leap_second", "deadline_in_year_10000",
}


def load(name):
    return json.loads((SCHEMAS / f"{name}.schema.json").read_text())


def validator(name):
    return jsonschema.Draft202012Validator(load(name))


def errors(name, document):
    return [f"{'/'.join(map(str, e.absolute_path))}: {e.message[:200]}" for e in validator(name).iter_errors(document)]


def cases(kind, verdict):
    return sorted((GOLDEN / kind / verdict).glob("*.expect"))


def expectation(path):
    lines = [line.partition(" ") for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return {word: text for word, _, text in lines if word != "header"}


def body(path):
    document = json.loads(path.with_suffix(".json").read_bytes())
    return document["data"] if "specversion" in document else document


def events():
    return sorted(GOLDEN.glob("event/*.payload.json"))


def canonical(value):
    """RFC 8785 for what the golden files hold; written apart from the code that it judges."""
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(canonical(name) + ":" + canonical(value[name]) for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, float):
        if value == int(value) and abs(value) < 1e21:
            return str(int(value))
        return repr(value).replace("e-0", "e-")
    return json.dumps(value, ensure_ascii=False)


def base64url(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def verified(token, payload=None):
    """Header and payload of a compact JWS by the test key; `payload` for a detached one."""
    header, middle, signature = token.split(".")
    if payload is not None:
        assert middle == ""
        middle = base64.urlsafe_b64encode(payload).decode().rstrip("=")
    Ed25519PublicKey.from_public_bytes(base64url(TEST_KEY)).verify(base64url(signature), f"{header}.{middle}".encode())
    return json.loads(base64url(header)), base64url(middle)


@pytest.mark.parametrize("name", NAMES)
def test_each_schema_is_one_and_closed(name):
    schema = load(name)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["additionalProperties"] is False and schema["description"]
    assert all("description" in member or "enum" in member or "type" in member or "oneOf" in member
               for member in schema["properties"].values())
    for example in schema.get("examples", []):
        assert errors(name, example) == []


@pytest.mark.parametrize("path", [p for kind in INPUTS for p in cases(kind, "good")], ids=lambda p: p.stem)
def test_what_the_code_takes_the_schema_takes(path):
    assert errors(path.parts[-3], body(path)) == []


@pytest.mark.parametrize("path", [p for kind in INPUTS for p in cases(kind, "bad")], ids=lambda p: p.stem)
def test_what_the_schema_can_see_it_refuses_like_the_code(path):
    expected = expectation(path)
    if expected["code"] in BEYOND_CODES or expected.get("field") in BEYOND_SCHEMA or path.stem in BEYOND_CASES:
        return
    assert errors(path.parts[-3], json.loads(path.with_suffix(".json").read_bytes())) != []


@pytest.mark.parametrize("path", cases("request", "good"), ids=lambda p: p.stem)
def test_the_request_digest_is_what_ten_lines_of_python_say(path):
    request, expected = body(path), expectation(path)
    digested = {name: request[name] for name in ("agent_id", "action", "target")}
    digested["tenant"] = request.get("tenant", "default")
    digested["context"] = request.get("context", {})
    if "execution" in request:
        digested["execution"] = request["execution"]
    assert "sha-256:" + hashlib.sha256(canonical(digested).encode()).hexdigest() == expected["digest"]


@pytest.mark.parametrize("path", events(), ids=lambda p: p.name.split(".")[0])
def test_what_the_code_writes_is_valid_and_canonical(path):
    text = path.read_text().rstrip("\n")
    document = json.loads(text)
    name = path.name.split(".")[0].split("_")[0]
    assert errors(name, document) == []
    assert canonical(document) == text
    assert json.loads(json.dumps(document)) == document


@pytest.mark.parametrize("path", events(), ids=lambda p: p.name.split(".")[0])
def test_one_member_more_or_a_required_one_less_is_invalid(path):
    name = path.name.split(".")[0].split("_")[0]
    document = json.loads(path.read_text())
    assert errors(name, {**document, "surprise": 1}) != []
    for member in load(name)["required"]:
        less = copy.deepcopy(document)
        del less[member]
        assert errors(name, less) != [], member


@pytest.mark.parametrize("path", events(), ids=lambda p: p.name.split(".")[0])
def test_headers_are_those_of_a_cloudevent(path):
    headers = dict(json.loads(pathlib.Path(str(path).replace("payload", "headers")).read_text()))
    document = json.loads(path.read_text())
    assert headers["ce_specversion"] == "1.0" and headers["content-type"] == "application/json"
    assert headers["ce_type"].startswith(f"countersign.{path.name.split('.')[0].split('_')[0]}.")
    assert headers["ce_type"].endswith(".v1")
    assert document.get("event_id", headers["ce_id"]) == headers["ce_id"]
    assert document.get("request_id") == headers.get("ce_subject")


@pytest.mark.parametrize("path", [p for p in events() if p.name.startswith("authorization")],
                         ids=lambda p: p.name.split(".")[0])
def test_a_token_says_what_its_body_says(path):
    document = json.loads(path.read_text())
    if document["status"] == "PENDING":
        assert "token" not in document
        return
    header, payload = verified(document["token"])
    claims = json.loads(payload)
    assert header["typ"] == "countersign-authorization+jwt" and header["alg"] == "EdDSA"
    assert claims["jti"] == document["event_id"]
    for member in ("tenant", "request_id", "request_digest", "status", "decision", "policy"):
        assert claims.get(member) == document.get(member)
    assert ("exp" in claims) == (document["status"] == "GRANTED")


def test_a_card_and_a_checkpoint_are_signed_by_the_service():
    for path in GOLDEN.glob("event/approval_*.payload.json"):
        payload = path.read_text().rstrip("\n").encode()
        signature = dict(json.loads(pathlib.Path(str(path).replace("payload", "headers")).read_text()))["signature"]
        assert verified(signature, payload)[0]["typ"] == "countersign-approval"
        with pytest.raises(InvalidSignature):
            verified(signature, payload + b" ")
    document = json.loads((GOLDEN / "event" / "checkpoint.payload.json").read_text())
    token = document.pop("token")
    assert verified(token)[1].decode() == canonical(document)


@pytest.mark.parametrize("change", [
    {"status": "GRANTED", "token": None}, {"expires_at": None}, {"not_before": None}, {"request_digest": None},
    {"policy": None}, {"decision": "BLOCK"}, {"status": "PENDING"}, {"status": "DENIED"}, {"status": "CLAIMED"},
    {"approval_deadline": None, "status": "GRANTED", "approval_deadline_null": True}, {"reason": {"code": "because"}},
    {"request_digest": "sha-256:" + "A" * 64}, {"decided_at": "2026-11-30T09:00:00Z"}, {"token": "a..b"},
])
def test_a_grant_that_lacks_or_confuses_something_is_invalid(change):
    document = json.loads((GOLDEN / "event" / "authorization_granted.payload.json").read_text())
    change = dict(change)
    if change.pop("approval_deadline_null", False):
        document["approval_deadline"] = change.pop("approval_deadline")
    for name, value in change.items():
        if value is None:
            del document[name]
        else:
            document[name] = value
    assert errors("authorization", document) != []


def references(node):
    if isinstance(node, dict):
        if "$ref" in node:
            yield node["$ref"]
        for value in node.values():
            yield from references(value)
    elif isinstance(node, list):
        for value in node:
            yield from references(value)


def test_the_asyncapi_document_refers_to_every_schema_and_to_nothing_that_is_not_there():
    document = yaml.safe_load((SCHEMAS / "asyncapi.yaml").read_text())
    files = set()
    assert document["asyncapi"] == "3.0.0"
    for reference in references(document):
        if reference.startswith("#/"):
            node = document
            for part in reference[2:].split("/"):
                node = node[part]
        else:
            assert (SCHEMAS / reference).is_file()
            files.add((SCHEMAS / reference).name)
    assert files == {f"{name}.schema.json" for name in NAMES} == {p.name for p in SCHEMAS.glob("*.json")}


def test_the_asyncapi_document_has_what_kafka_needs_to_know():
    document = yaml.safe_load((SCHEMAS / "asyncapi.yaml").read_text())
    for name, channel in document["channels"].items():
        assert channel["address"] == channel["bindings"]["kafka"]["topic"] == f"countersign.{name}"
        direction = "receive" if name in ("requests", "responses", "outcomes") else "send"
        operation = document["operations"][direction + name.capitalize()]
        assert operation["action"] == direction and operation["channel"]["$ref"] == f"#/channels/{name}"
    for message in document["components"]["messages"].values():
        assert message["bindings"]["kafka"]["key"]["type"] == "string"
