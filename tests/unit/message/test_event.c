/* SPDX-License-Identifier: Apache-2.0 */
/* test_event.c - headers and bytes of whatever we say. */
#include "common/message/event.h"
#include "tests/unit/message/event_test.h"

static struct event_parts
parts_of(struct arena *arena)
{
	return (struct event_parts){
	    .event_id = id_event("acme", "r-1", "test", 0),
	    .chain = 3,
	    .topic = TOPIC_INCIDENTS,
	    .key = "acme/r-1",
	    .type = "countersign.test.done.v1",
	    .subject = "r-1",
	    .source = "/countersign/test",
	    .time = TEST_TIME,
	    .body = value_map(arena),
	};
}

static void
headers_are_cloudevents_in_binary_mode_in_a_fixed_order(void **state)
{
	struct event_parts parts = parts_of(*state);
	struct event event;
	struct error error = {0};

	parts.traceparent = TEST_TRACE;
	assert_true(event_make(*state, &parts, &event, &error));
	assert_string_equal(
	    event.headers,
	    arena_format(
		*state,
		"[[\"ce_specversion\",\"1.0\"],[\"ce_id\",\"%s\"],[\"ce_type\",\"countersign.test.done.v1\"],"
		"[\"ce_source\",\"/countersign/test\"],[\"ce_subject\",\"r-1\"],"
		"[\"ce_time\",\"2026-11-30T09:00:00.123456Z\"],[\"content-type\",\"application/json\"],"
		"[\"traceparent\",\"" TEST_TRACE "\"]]",
		parts.event_id.text));
	assert_string_equal(event.key, "acme/r-1");
	assert_string_equal(event.topic, "incidents");
	assert_string_equal(event.request_id, "r-1");
	assert_string_equal(event.payload, "{}");
	assert_string_equal(event.event_id.text, parts.event_id.text);
	assert_int_equal(event.chain, 3);
}

static void
what_is_absent_has_no_header(void **state)
{
	struct event_parts parts = parts_of(*state);
	struct event event;
	struct error error = {0};

	parts.subject = NULL;
	assert_true(event_make(*state, &parts, &event, &error));
	assert_null(strstr(event.headers, "ce_subject"));
	assert_null(strstr(event.headers, "traceparent"));
	assert_null(strstr(event.headers, "signature"));
	assert_null(strstr(event.headers, "null"));
	assert_null(event.request_id);
}

static void
the_signature_is_over_the_payload_and_for_its_type_only(void **state)
{
	struct event_parts parts = parts_of(*state);
	struct event event;
	struct error error = {0};
	struct jws jws;

	parts.sign_with = key;
	parts.sign_typ = "countersign-test";
	assert_true(event_make(*state, &parts, &event, &error));

	const char *start = strstr(event.headers, "[\"signature\",\"");

	assert_non_null(start);
	start += strlen("[\"signature\",\"");

	size_t length = strcspn(start, "\"");

	assert_false(jws_parse(*state, start, length, "countersign-other", true, &jws, &error));
	error_clear(&error);
	assert_true(jws_parse(*state, start, length, "countersign-test", true, &jws, &error));
	assert_true(jws_verify(*state, &jws, crypto_key_public(key), event.payload, event.payload_length));
	assert_false(jws_verify(*state, &jws, crypto_key_public(key), "{ }", 3));
}

static struct error
failure(struct arena *arena, const char *name, const char *text)
{
	struct event_parts parts = parts_of(arena);
	struct value *body = value_map(arena);
	struct event event;
	struct error error = {0};

	value_set_string(arena, body, name, text);
	parts.body = body;
	if (event_make(arena, &parts, &event, &error))
		assert_int_equal(event.payload_length, strlen(text) + strlen(name) + strlen("{\"\":\"\"}"));
	return error;
}

static void
what_no_broker_would_take_is_our_fault(void **state)
{
	size_t most = EVENT_PAYLOAD_MAX - strlen("{\"a\":\"\"}");
	struct error error = failure(*state, "a", repeated(*state, "x", most));

	assert_int_equal(error.kind, ERROR_NONE);
	error = failure(*state, "a", repeated(*state, "x", most + 1));
	assert_int_equal(error.kind, ERROR_BROKEN);
	assert_string_equal(error.code, "event_too_large");
	error = failure(*state, "a", "\xff");
	assert_int_equal(error.kind, ERROR_BROKEN);
	assert_string_equal(error.code, "event_malformed");
	assert_string_equal(error.field, "a");
}

static void
a_bad_source_is_our_fault_too(void **state)
{
	struct event_parts parts = parts_of(*state);
	struct event event;
	struct error error = {0};

	parts.source = "\xff";
	assert_false(event_make(*state, &parts, &event, &error));
	assert_int_equal(error.kind, ERROR_BROKEN);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(headers_are_cloudevents_in_binary_mode_in_a_fixed_order),
	    cmocka_unit_test(what_is_absent_has_no_header),
	    cmocka_unit_test(the_signature_is_over_the_payload_and_for_its_type_only),
	    cmocka_unit_test(what_no_broker_would_take_is_our_fault),
	    cmocka_unit_test(a_bad_source_is_our_fault_too),
	};

	return cmocka_run_group_tests_name("event", tests, open_all, close_all);
}
