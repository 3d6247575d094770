# SPDX-License-Identifier: Apache-2.0
"""Anything malformed is quarantined with its reason, its caller is told where it can be told, and the partition goes on."""
import json
import secrets

import pytest

GOOD = {"agent_id": "a", "action": "logs.read", "target": "t"}


def text(**members):
    return json.dumps({**GOOD, **members}).encode()


# name, the value, the code, the field (None: any)
UNREADABLE = [
    ("no value at all", None, "empty", None),
    ("an empty value", b"", "empty", None),
    ("white space", b"  \n ", "empty", None),
    ("a scalar", b"42", "not_an_object", None),
    ("an array", b"[]", "not_an_object", None),
    ("ill-formed UTF-8", b'{"agent_id":"\xff\xfe"}', "encoding", None),
    ("a byte order mark", b"\xef\xbb\xbf" + text(), "encoding", None),
    ("an escaped NUL", text(target="x").replace(b'"x"', b'"x\\u0000"'), "encoding", None),
    ("a lone surrogate", text(target="x").replace(b'"x"', b'"x\\ud800"'), "encoding", None),
    ("a raw control character", text(target="x").replace(b'"x"', b'"x\x01"'), "syntax", None),
    ("a trailing comma", b'{"agent_id":"a",}', "syntax", None),
    ("two documents", text() + text(), "syntax", None),
    ("a duplicate key", text()[:-1] + b',"action":"data.export"}', "duplicate_key", None),
    ("an amount that is given twice", text(context={"amount": 0}).replace(b'"amount": 0', b'"amount": 1, "amount": 1000000'), "duplicate_key", None),
    ("not a number", text(context={"n": 0}).replace(b'"n": 0', b'"n": NaN'), "syntax", None),
    ("a number too large", text(context={"n": 0}).replace(b'"n": 0', b'"n": 1e400'), "number_range", None),
    ("2 to the 63rd", text(context={"n": 2 ** 63}), "number_range", None),
    ("2 to the 53rd plus 1", text(context={"n": 2 ** 53 + 1}), "number_range", None),
    ("a number that vanishes", text(context={"n": 0}).replace(b'"n": 0', b'"n": 1e-400'), "number_range", None),
    ("a number of 50,000 digits", text(context={"n": 0}).replace(b'"n": 0', b'"n": ' + b"9" * 50000), "number_range", None),
    ("17 levels", text(context=json.loads('{"a":' * 15 + "[1]" + "}" * 15)), "too_deep", None),
    ("2,049 levels", b'{"context":' * 2049 + b"1" + b"}" * 2049, "too_deep", None),
    ("257 members", text(context={f"k{i}": 1 for i in range(257)}), "too_many_members", None),
    ("1,025 items", text(context={"l": [1] * 1025}), "too_many_items", None),
    ("a long string", text(context={"s": "x" * 8193}), "string_too_long", None),
    ("a long key", text(context={"k" * 129: 1}), "key_too_long", None),
    ("a value over 64 KiB", text(context={f"s{i}": "x" * 8000 for i in range(9)}), "too_large", None),
]
READABLE = [
    ("an unknown member", {"agent": "x"}, "unknown_field", "agent"),
    ("an action in upper case", {"action": "Deployment.production"}, "bad_value", "action"),
    ("an action with an empty segment", {"action": "deployment..production"}, "bad_value", "action"),
    ("no target", {"target": None}, "missing_field", "target"),
    ("an empty agent", {"agent_id": ""}, "bad_value", "agent_id"),
    ("a target of 257 bytes", {"target": "x" * 257}, "bad_value", "target"),
    ("a line feed in the target", {"target": "a\nb"}, "bad_value", "target"),
    ("a context that is a list", {"context": [1]}, "wrong_type", "context"),
    ("a target that is a number", {"target": 5}, "wrong_type", "target"),
    ("a deadline that is no time", {"deadline": "tomorrow"}, "bad_value", "deadline"),
    ("a deadline without end", {"deadline": "infinity"}, "bad_value", "deadline"),
]


def quarantined(house, key, code):
    return house.observer.wait(
        lambda e: e.topic == "quarantine" and e.body["reason"]["code"] == code and e.body.get("request_id") == key, 20,
        f"quarantine of {key} as {code}")


@pytest.mark.parametrize("value,code", [pytest.param(v, c, id=n) for n, v, c, _ in UNREADABLE])
def test_what_cannot_be_parsed_is_quarantined_and_its_caller_told_by_the_record_key(shared, value, code):
    key = "bad-" + secrets.token_hex(6)
    shared.publish("requests", value, key=key)
    event = quarantined(shared, key, code)
    assert event.body["origin"]["topic"] == shared.prefix + "requests"
    word = shared.word(key, "DENIED")
    assert word.body["reason"]["code"] == "invalid_request" and word.body["next_action"] == "request"
    raw = shared.sql("SELECT value FROM quarantine_raw WHERE quarantine_id = %s::uuid", event.event_id)
    assert raw == [(value,)] or (value and len(value) > 65536 and raw[0][0] == value[:1024])
    assert b"x" * 100 not in event.raw


@pytest.mark.parametrize("members,code,field", [pytest.param(m, c, f, id=n) for n, m, c, f in READABLE])
def test_a_member_that_breaks_a_rule_is_named(shared, members, code, field):
    request_id = "bad-" + secrets.token_hex(6)
    request = {name: value for name, value in {**GOOD, "request_id": request_id, **members}.items() if value is not None}
    shared.publish("requests", request)
    event = quarantined(shared, request_id, code)
    assert event.body["reason"]["field"] == field
    assert shared.word(request_id, "DENIED").body["reason"]["code"] == "invalid_request"


def test_without_any_readable_id_it_is_quarantined_and_nobody_is_answered(shared):
    before = len(shared.observer.find(lambda e: e.topic == "authorizations"))
    shared.publish("requests", b'{"agent_id": 1', key=b"no spaces allowed")
    marker = shared.ask(action="logs.read")
    shared.word(marker, "GRANTED")
    shared.eventually("SELECT count(*) >= 1 FROM quarantine WHERE request_id IS NULL AND origin_topic = %s",
                      shared.prefix + "requests", expected=[(True,)])
    assert len(shared.observer.find(lambda e: e.topic == "authorizations")) == before + 1


def test_the_same_id_with_other_content_is_a_conflict_and_the_first_word_stands(shared):
    request_id = shared.ask(action="logs.read")
    shared.word(request_id, "GRANTED")
    shared.publish("requests", {**shared.last_request, "target": "something-else"}, key=request_id)
    event = shared.observer.wait(lambda e: e.topic == "quarantine" and e.body.get("request_id") == request_id, 20)
    assert event.body["reason"]["code"] == "id_conflict"
    assert shared.words(request_id) == ["GRANTED"]
    assert shared.one("SELECT target FROM request WHERE request_id = %s", request_id) == "customer-api"


def test_an_invalid_repeat_of_a_known_id_is_quarantined_only(shared):
    request_id = shared.ask(action="logs.read")
    shared.word(request_id, "GRANTED")
    shared.publish("requests", {**shared.last_request, "nonsense": 1}, key=request_id)
    quarantined(shared, request_id, "unknown_field")
    assert shared.words(request_id) == ["GRANTED"]


def test_body_and_header_must_agree_on_the_id(shared):
    request_id = "two-names-" + secrets.token_hex(4)
    headers = [("ce_specversion", b"1.0"), ("ce_id", b"another"), ("ce_source", b"/a"), ("ce_type", b"t"),
               ("content-type", b"application/json")]
    shared.publish("requests", {**GOOD, "request_id": request_id}, headers=headers, key="k")
    shared.observer.wait(lambda e: e.topic == "quarantine" and e.body["reason"]["code"] == "id_mismatch", 20)
    shared.word(request_id, "DENIED")
    assert shared.words("another") == [] and shared.words("k") == []


def test_a_duplicate_key_spelled_with_an_escape_is_found_and_no_id_is_believed(shared):
    """Where a member may be hidden behind an escape, the record key is not taken for the id: nobody is answered."""
    key = "escaped-" + secrets.token_hex(6)
    shared.publish("requests", text()[:-1] + b',"\\u0061ction":"data.export"}', key=key)
    shared.observer.wait(lambda e: e.topic == "quarantine" and e.body["reason"]["code"] == "duplicate_key"
                         and "request_id" not in e.body and "u0061" in e.body["reason"]["field"], 20)
    assert shared.words(key) == []


@pytest.mark.parametrize("headers,code", [
    pytest.param([("ce_id", b"a"), ("ce_id", b"b")], "duplicate_header", id="a repeated control header"),
    pytest.param([("x", b"y")] * 65, "too_many_headers", id="65 headers"),
    pytest.param([(f"x{n}", b"y") for n in range(1000)], "too_many_headers", id="1,000 headers"),
    pytest.param([("x", b"y" * 990_000)], "too_many_headers", id="a header of a megabyte"),
    pytest.param([("x", b"y" * 70000)], "too_many_headers", id="70 KB of headers"),
])
def test_headers_have_limits(shared, headers, code):
    key = "headers-" + secrets.token_hex(6)
    shared.publish("requests", text(), key=key, headers=headers)
    shared.observer.wait(lambda e: e.topic == "quarantine" and e.body["reason"]["code"] == code, 20)


def test_integers_that_differ_by_one_are_not_the_same(shared):
    request_id = "exact-" + secrets.token_hex(6)
    for number in (2 ** 53 - 1, 2 ** 53 - 2):
        shared.publish("requests", text(context={"amount_minor": number}), key=request_id)
    quarantined(shared, request_id, "id_conflict")
    shared.word(request_id, "GRANTED")
    assert shared.words(request_id) == ["GRANTED"]
    assert shared.one("SELECT context FROM request WHERE request_id = %s", request_id) == '{"amount_minor":9007199254740991}'


@pytest.mark.parametrize("trace", [b"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\nx-injected: 1", b"\r\n\r\nHTTP/1.1 200", None, b"\xff"])
def test_a_trace_that_is_none_goes_nowhere(shared, trace):
    request_id = "trace-" + secrets.token_hex(6)
    shared.publish("requests", text(action="deployment.production", target=request_id), key=request_id, headers=[("traceparent", trace)])
    shared.word(request_id, "PENDING")
    for topic in ("authorizations", "approvals"):
        assert "traceparent" not in shared.expect(topic, request_id).headers
    assert shared.one("SELECT traceparent FROM request WHERE request_id = %s", request_id) is None


def test_strange_headers_are_ignored(shared):
    key = "headers-" + secrets.token_hex(6)
    shared.publish("requests", text(), key=key, headers=[("x", None), ("y", b"\xff\x00"), ("z\r\nw", b"a\r\nb")])
    shared.word(key, "GRANTED")


def test_good_and_bad_in_one_batch_do_not_hinder_each_other(shared):
    keys = [f"mixed-{secrets.token_hex(4)}-{i}" for i in range(60)]
    for i, key in enumerate(keys):
        shared.publish("requests", text() if i % 3 else b"{", key=key, partition=2, flush=False)
    assert shared.producer.flush(30) == 0
    for i, key in enumerate(keys):
        shared.word(key, "GRANTED" if i % 3 else "DENIED")
