/* SPDX-License-Identifier: Apache-2.0 */
/* test_outcome.c - what tests/golden/outcome can't show: what tells a repeat from a conflict, and the bytes we send. */
#include "common/message/outcome.h"
#include "tests/unit/message/event_test.h"

#define REST                                                                                                 \
	"\"request_id\":\"r-1\",\"request_digest\":\"" TEST_DIGEST "\",\"reported_by\":\"runner\","          \
	"\"occurred_at\":\"2026-11-30T09:00:00.123456Z\""

static struct outcome
parsed(struct arena *arena, const char *value)
{
	struct record record = record_of(value);
	struct outcome outcome;
	struct error error = {0};

	if (!outcome_parse(arena, &record, &outcome, &error))
		fail_msg("%s: %s at \"%s\": %s", value, error.code, error.field, error.text);
	return outcome;
}

static void
a_repeat_has_the_same_content_and_a_conflict_has_not(void **state)
{
	struct outcome first = parsed(*state, "{\"outcome_id\":\"o\",\"status\":\"started\"," REST "}");
	struct outcome again = parsed(
	    *state, "{ " REST ", \"status\" : \"started\", \"outcome_id\":\"o\",\"tenant\":\"default\"}");

	assert_memory_equal(first.content_hash, again.content_hash, sizeof first.content_hash);
	assert_string_equal(again.key, "r-1");
	again = parsed(*state, "{\"outcome_id\":\"o\",\"status\":\"failed\"," REST "}");
	assert_memory_not_equal(first.content_hash, again.content_hash, sizeof first.content_hash);
	again = parsed(*state, "{\"outcome_id\":\"o\",\"status\":\"started\",\"tenant\":\"acme\"," REST "}");
	assert_memory_not_equal(first.content_hash, again.content_hash, sizeof first.content_hash);
	assert_string_equal(again.key, "acme/r-1");
}

static void
what_is_sent_is_canonical(void **state)
{
	struct outcome outcome = parsed(*state, "{\"outcome_id\":\"o\",\"status\":\"rolled_back\"," REST "}");
	size_t length = 0;
	const char *text = outcome_format(*state, &outcome, &length);

	assert_string_equal(text,
			    "{\"occurred_at\":\"2026-11-30T09:00:00.123456Z\",\"outcome_id\":\"o\","
			    "\"reported_by\":\"runner\","
			    "\"request_digest\":\"" TEST_DIGEST
			    "\",\"request_id\":\"r-1\",\"status\":\"rolled_back\",\"tenant\":\"default\"}");
	assert_int_equal(length, strlen(text));
	outcome.detail = "\xff";
	assert_null(outcome_format(*state, &outcome, &length));
}

static void
nothing_is_left_of_a_bad_one(void **state)
{
	struct record record = record_of("{\"outcome_id\":\"o\",\"status\":\"done\"," REST "}");
	struct outcome outcome;
	struct error error = {0};

	memset(&outcome, 0xAA, sizeof outcome);
	assert_false(outcome_parse(*state, &record, &outcome, &error));
	assert_null(outcome.outcome_id);
	assert_null(outcome.key);
	assert_false(outcome.has_digest);
}

#define WITH(more) "{\"outcome_id\":\"o\",\"status\":\"failed\"," REST more "}"
#define ISSUED ",\"issued_at\":\"2026-11-30T09:00:01Z\""
#define ACME ",\"tenant\":\"acme\""

/* Parses with this signature; whom a refused one is about is known. */
static void
refused(struct arena *arena, const char *value, const char *signature, const char *code, const char *field,
	const char *tenant)
{
	const struct record_header headers[] = {header("signature", signature)};
	struct record record = record_of(value);
	struct outcome outcome;
	struct error error = {0};

	record.headers = headers;
	record.header_count = 1;
	assert_false(outcome_parse(arena, &record, &outcome, &error));
	assert_refused(&error, code, field, value);
	assert_string_equal(outcome.tenant, tenant);
	assert_string_equal(outcome.request_id, "r-1");
	assert_null(outcome.outcome_id);
	assert_null(outcome.signature_text);
}

static void
a_signed_outcome_is_not_taken_for_an_unsigned_one(void **state)
{
	refused(*state, WITH(ACME ISSUED), "a..b", "signature_malformed", "signature", "acme");
	refused(*state, WITH(ACME ISSUED), NULL, "signature_malformed", "signature", "acme");
	refused(*state, WITH(ISSUED), "a..b", "missing_field", "tenant", "default");
	refused(*state, WITH(ACME), "a..b", "missing_field", "issued_at", "acme");
}

static void
what_is_signed_is_kept_as_it_came(void **state)
{
	static const char value[] = WITH(ACME ISSUED);
	const char *signature = jws_sign_detached(*state, key, OUTCOME_TYP, value, strlen(value)),
		   *of_a_request = jws_sign_detached(*state, key, "countersign-request", value, strlen(value));
	const struct record_header headers[] = {header("signature", signature)};
	struct record record = record_of(value);
	struct outcome outcome;
	struct error error = {0};

	refused(*state, value, of_a_request, "signature_type", "signature", "acme");
	record.headers = headers;
	record.header_count = 1;
	assert_true(outcome_parse(*state, &record, &outcome, &error));
	assert_int_equal(outcome.value_length, strlen(value));
	assert_memory_equal(outcome.value, value, strlen(value));
	assert_string_equal(outcome.signature.header.typ, OUTCOME_TYP);
	assert_true(outcome.issued_at == outcome.occurred_at + 1000000 - 123456);
}

static void
when_it_was_signed_makes_no_other_outcome(void **state)
{
	struct outcome first = parsed(*state, WITH(ACME ISSUED)), none = parsed(*state, WITH(ACME));

	assert_null(first.signature_text);
	assert_memory_equal(first.content_hash, none.content_hash, sizeof first.content_hash);
	assert_true(first.issued_at && !none.issued_at);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_repeat_has_the_same_content_and_a_conflict_has_not),
	    cmocka_unit_test(what_is_sent_is_canonical),
	    cmocka_unit_test(nothing_is_left_of_a_bad_one),
	    cmocka_unit_test(a_signed_outcome_is_not_taken_for_an_unsigned_one),
	    cmocka_unit_test(what_is_signed_is_kept_as_it_came),
	    cmocka_unit_test(when_it_was_signed_makes_no_other_outcome),
	};

	return cmocka_run_group_tests_name("outcome", tests, open_all, close_all);
}
