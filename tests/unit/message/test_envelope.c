/* SPDX-License-Identifier: Apache-2.0 */
/* test_envelope.c - the three ways a record may come, and what headers may not do. */
#include "common/message/envelope.h"
#include "tests/unit/message/message_test.h"

#define TRACE "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
#define STRUCTURED "application/cloudevents+json"
#define ATTRIBUTES "\"specversion\":\"1.0\",\"id\":\"e-1\",\"source\":\"/agents\",\"type\":\"x.v1\""

enum { HEADERS = 70 };

/* A record and its headers, which live as long. */
struct sample {
	struct record record;
	struct record_header headers[HEADERS];
};

static struct sample *
sample(struct arena *arena, const char *value)
{
	struct sample *sample = arena_take(arena, sizeof *sample);

	sample->record = record_of(value);
	sample->record.headers = sample->headers;
	return sample;
}

static struct sample *
with_bytes(struct sample *sample, const char *name, const void *bytes, size_t length)
{
	sample->headers[sample->record.header_count++] = (struct record_header){name, bytes, length};
	return sample;
}

static struct sample *
with(struct sample *sample, const char *name, const char *value)
{
	return with_bytes(sample, name, value, value ? strlen(value) : 0);
}

static struct sample *
binary(struct arena *arena)
{
	return with(with(with(with(sample(arena, "{\"a\":1}"), "ce_specversion", "1.0"), "ce_id", "e-1"),
			 "ce_source", "/agents"),
		    "ce_type", "x.v1");
}

static struct sample *
structured(struct arena *arena, const char *members)
{
	return with(sample(arena, arena_format(arena, "{%s}", members)), "content-type", STRUCTURED);
}

static struct envelope
opened(struct arena *arena, const struct sample *sample)
{
	struct envelope envelope;
	struct error error = {0};

	if (!envelope_open(arena, &sample->record, &envelope, &error))
		fail_msg("%s at \"%s\": %s", error.code, error.field, error.text);
	assert_int_equal(envelope.body->kind, VALUE_MAP);
	assert_ptr_equal(envelope.signed_bytes, sample->record.value);
	assert_int_equal(envelope.signed_length, sample->record.value_length);
	return envelope;
}

static struct envelope
refused(struct arena *arena, const struct sample *sample, const char *code, const char *field)
{
	struct envelope envelope;
	struct error error = {0};

	assert_false(envelope_open(arena, &sample->record, &envelope, &error));
	assert_refused(&error, code, field, sample->record.value ? sample->record.value : "(none)");
	assert_null(envelope.body);
	return envelope;
}

static void
plain_json_needs_no_header(void **state)
{
	struct envelope envelope = opened(*state, sample(*state, "{\"a\":1}"));

	assert_null(envelope.ce_id);
	assert_null(envelope.signature);
	assert_null(envelope.traceparent);
	assert_false(envelope.ce_id_unclear);
	assert_int_equal(value_get(envelope.body, "a")->as.integer, 1);
}

static void
binary_mode_gives_its_id(void **state)
{
	struct envelope envelope =
	    opened(*state, with(with(binary(*state), "content-type", "Application/JSON; charset=utf-8"),
				"ce_time", "any"));

	assert_string_equal(envelope.ce_id, "e-1");
	assert_false(envelope.is_structured);
	opened(*state, with(binary(*state), "content-type", "application/vnd.acme+json"));
}

static void
structured_mode_opens_the_data(void **state)
{
	struct envelope envelope =
	    opened(*state, structured(*state, ATTRIBUTES
				      ",\"datacontenttype\":\"application/json\",\"subject\":\"s\",\"ext\":1,"
				      "\"traceparent\":\"" TRACE "\",\"data\":{\"a\":1}"));

	assert_string_equal(envelope.ce_id, "e-1");
	assert_true(envelope.is_structured);
	assert_string_equal(envelope.traceparent, TRACE);
	assert_int_equal(value_get(envelope.body, "a")->as.integer, 1);
	opened(*state, with(sample(*state, "{" ATTRIBUTES ",\"data\":{}}"), "content-type",
			    "APPLICATION/CloudEvents+JSON; charset=UTF-8"));
}

static void
the_envelope_takes_nothing_from_the_depth_of_the_data(void **state)
{
	const char *open = repeated(*state, "[", 15), *close = repeated(*state, "]", 15);

	opened(*state,
	       structured(*state, arena_format(*state, ATTRIBUTES ",\"data\":{\"d\":%s%s}", open, close)));
	refused(*state,
		structured(*state, arena_format(*state, ATTRIBUTES ",\"data\":{\"d\":[%s%s]}", open, close)),
		"too_deep", "data.d[0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]");
	opened(*state, sample(*state, arena_format(*state, "{\"d\":%s%s}", open, close)));
}

static void
a_cloudevent_must_be_whole(void **state)
{
	static const char *const names[] = {"ce_specversion", "ce_id", "ce_source", "ce_type"};

	for (size_t missing = 0; missing < 4; missing++) {
		struct sample *without = sample(*state, "{}"), *empty = sample(*state, "{}"),
			      *none = sample(*state, "{}");

		for (size_t i = 0; i < 4; i++) {
			const char *value = i ? "x" : "1.0";

			if (i != missing)
				with(without, names[i], value);
			with(empty, names[i], i == missing ? "" : value);
			with(none, names[i], i == missing ? NULL : value);
		}
		refused(*state, without, "cloudevent", names[missing]);
		refused(*state, empty, "cloudevent", names[missing]);
		refused(*state, none, "cloudevent", names[missing]);
	}
	assert_string_equal(
	    refused(*state, with(sample(*state, "{}"), "ce_id", "e-1"), "cloudevent", "ce_specversion").ce_id,
	    "e-1");
}

static void
other_versions_and_content_types_are_refused(void **state)
{
	struct sample *event = binary(*state);

	event->headers[0] = header("ce_specversion", "0.3");
	refused(*state, event, "cloudevent", "ce_specversion");
	refused(*state, with(binary(*state), "content-type", "application/avro"), "cloudevent", "content-type");
	refused(*state, with(binary(*state), "content-type", "text/plain"), "cloudevent", "content-type");
	refused(*state, with(binary(*state), "content-type", "application/json5"), "cloudevent",
		"content-type");
	refused(*state, with(sample(*state, "{}"), "content-type", "application/cloudevents+avro"),
		"cloudevent", "content-type");
	refused(*state, with(sample(*state, "[]"), "content-type", "application/cloudevents-batch+json"),
		"cloudevent", "content-type");
	refused(*state, with(sample(*state, "{}"), "content-type", "application/cloudevents"), "cloudevent",
		"content-type");
}

static void
a_structured_event_must_be_whole(void **state)
{
	refused(*state, structured(*state, "\"id\":\"e\",\"source\":\"s\",\"type\":\"t\",\"data\":{}"),
		"cloudevent", "specversion");
	refused(
	    *state,
	    structured(*state,
		       "\"specversion\":\"0.3\",\"id\":\"e\",\"source\":\"s\",\"type\":\"t\",\"data\":{}"),
	    "cloudevent", "specversion");
	refused(*state,
		structured(*state, "\"specversion\":\"1.0\",\"source\":\"s\",\"type\":\"t\",\"data\":{}"),
		"cloudevent", "id");
	refused(*state,
		structured(*state,
			   "\"specversion\":\"1.0\",\"id\":7,\"source\":\"s\",\"type\":\"t\",\"data\":{}"),
		"cloudevent", "id");
	refused(*state,
		structured(*state,
			   "\"specversion\":\"1.0\",\"id\":\"e\",\"source\":\"\",\"type\":\"t\",\"data\":{}"),
		"cloudevent", "source");
	refused(*state, structured(*state, "\"specversion\":\"1.0\",\"id\":\"e\",\"source\":\"s\",\"data\":{}"),
		"cloudevent", "type");
	refused(*state, structured(*state, ATTRIBUTES ",\"data_base64\":\"e30=\",\"data\":{}"), "cloudevent",
		"data_base64");
	refused(*state, structured(*state, ATTRIBUTES ",\"datacontenttype\":\"text/xml\",\"data\":{}"),
		"cloudevent", "datacontenttype");
	refused(*state, structured(*state, ATTRIBUTES ",\"datacontenttype\":null,\"data\":{}"), "cloudevent",
		"datacontenttype");
	refused(*state, structured(*state, ATTRIBUTES), "not_an_object", "data");
	refused(*state, structured(*state, ATTRIBUTES ",\"data\":[]"), "not_an_object", "data");
	refused(*state, structured(*state, ATTRIBUTES ",\"data\":\"{}\""), "not_an_object", "data");
	refused(*state, with(sample(*state, "[]"), "content-type", STRUCTURED), "not_an_object", "");
}

static void
a_header_beside_a_structured_event_may_not_contradict_it(void **state)
{
	struct envelope envelope =
	    opened(*state, with(structured(*state, ATTRIBUTES ",\"data\":{}"), "ce_id", "e-1"));

	assert_string_equal(envelope.ce_id, "e-1");
	envelope = refused(*state, with(structured(*state, ATTRIBUTES ",\"data\":{}"), "ce_id", "e-2"),
			   "id_mismatch", "ce_id");
	assert_null(envelope.ce_id);
	assert_true(envelope.ce_id_unclear);
}

static void
no_value_and_no_object_have_their_codes(void **state)
{
	struct sample *none = sample(*state, "");

	refused(*state, none, "empty", "");
	none->record.value = NULL;
	refused(*state, none, "empty", "");
	refused(*state, sample(*state, "  \n"), "empty", "");
	refused(*state, sample(*state, "[{\"a\":1}]"), "not_an_object", "");
	refused(*state, sample(*state, "\"x\""), "not_an_object", "");
	refused(*state, sample(*state, "{\"a\":1,\"a\":2}"), "duplicate_key", "a");
}

static void
a_control_header_may_come_once(void **state)
{
	static const char *const names[] = {"ce_id",	    "ce_source", "ce_anything",
					    "content-type", "signature", "traceparent"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct envelope envelope =
		    refused(*state, with(with(sample(*state, "{}"), names[i], "a"), names[i], "a"),
			    "duplicate_header", names[i]);

		assert_null(envelope.ce_id);
		assert_true(envelope.ce_id_unclear);
		/* one of them without a value is still one too many */
		refused(*state, with(with(sample(*state, "{}"), names[i], NULL), names[i], "a"),
			"duplicate_header", names[i]);
	}
	refused(*state, with(with(sample(*state, "{}"), "ce_\u200b\r\n", "a"), "ce_\u200b\r\n", "b"),
		"duplicate_header", "ce_\\u{200b}\\u{d}\\u{a}");
	opened(*state, with(with(sample(*state, "{}"), "x-foreign", "a"), "x-foreign", "b"));
	opened(*state, with(with(sample(*state, "{}"), "Signature", "a"), "Signature",
			    "b")); /* header names have a case */
}

static void
foreign_headers_are_passed_over_whatever_they_hold(void **state)
{
	struct envelope envelope =
	    opened(*state, with_bytes(with(with(with(sample(*state, "{}"), "\xff\xfe", "\xff"), "", "x"),
					   "x\r\nce_id: y", "z"),
				      "null", NULL, 1000000));

	assert_null(envelope.ce_id);
	assert_null(envelope.signature);
}

static void
headers_are_counted_and_weighed(void **state)
{
	struct sample *many = sample(*state, "{}");
	const char *big = repeated(*state, "x", 64 * 1024);

	for (size_t i = 0; i < 64; i++)
		with(many, "n", "v");
	opened(*state, many);
	assert_true(refused(*state, with(many, "n", "v"), "too_many_headers", "").ce_id_unclear);
	opened(*state, with_bytes(sample(*state, "{}"), "n", big, 64 * 1024 - 1));
	refused(*state, with_bytes(sample(*state, "{}"), "n", big, 64 * 1024), "too_many_headers", "");
	refused(*state, with_bytes(with(sample(*state, "{}"), "n", "v"), "m", big, 64 * 1024 - 2),
		"too_many_headers", "");
}

static void
control_headers_must_be_text(void **state)
{
	refused(*state, with(binary(*state), "signature", "\xff"), "encoding", "signature");
	refused(*state, with_bytes(binary(*state), "signature", "a\0b", 3), "encoding", "signature");
	refused(*state, with_bytes(sample(*state, "{}"), "content-type", "\xc0\x80", 2), "encoding",
		"content-type");

	/* what is shelved keeps such headers, as text */
	refused(*state, with(binary(*state), "ce_\xff", "1"), "encoding", "ce_\\xff");

	struct envelope envelope =
	    refused(*state, with_bytes(sample(*state, "{}"), "ce_id", "e\0x", 3), "encoding", "ce_id");

	assert_null(envelope.ce_id);
	assert_true(envelope.ce_id_unclear);
}

static void
the_signature_and_a_good_traceparent_are_taken_along(void **state)
{
	struct envelope envelope =
	    opened(*state, with(with(sample(*state, "{}"), "signature", "a..b"), "traceparent", TRACE));

	assert_string_equal(envelope.signature, "a..b");
	assert_string_equal(envelope.traceparent, TRACE);
	envelope = opened(*state, with(with(binary(*state), "ce_traceparent", TRACE), "traceparent", "junk"));
	assert_string_equal(envelope.traceparent, TRACE);
}

static void
a_bad_traceparent_is_dropped(void **state)
{
	static const char *const bad[] = {
	    "",
	    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0",
	    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-011",
	    "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
	    "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
	    "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
	    "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
	    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0\n",
	    "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
	    "00-4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7-01",
	    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7_01",
	    "0g-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
	    "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01",
	    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902bg-01",
	};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_null(opened(*state, with(sample(*state, "{}"), "traceparent", bad[i])).traceparent);
	assert_null(opened(*state, with_bytes(sample(*state, "{}"), "traceparent",
					      "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-\0\0", 55))
			.traceparent);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(plain_json_needs_no_header),
	    cmocka_unit_test(binary_mode_gives_its_id),
	    cmocka_unit_test(structured_mode_opens_the_data),
	    cmocka_unit_test(the_envelope_takes_nothing_from_the_depth_of_the_data),
	    cmocka_unit_test(a_cloudevent_must_be_whole),
	    cmocka_unit_test(other_versions_and_content_types_are_refused),
	    cmocka_unit_test(a_structured_event_must_be_whole),
	    cmocka_unit_test(a_header_beside_a_structured_event_may_not_contradict_it),
	    cmocka_unit_test(no_value_and_no_object_have_their_codes),
	    cmocka_unit_test(a_control_header_may_come_once),
	    cmocka_unit_test(foreign_headers_are_passed_over_whatever_they_hold),
	    cmocka_unit_test(headers_are_counted_and_weighed),
	    cmocka_unit_test(control_headers_must_be_text),
	    cmocka_unit_test(the_signature_and_a_good_traceparent_are_taken_along),
	    cmocka_unit_test(a_bad_traceparent_is_dropped),
	};

	return cmocka_run_group_tests_name("envelope", tests, open_arena, close_arena);
}
