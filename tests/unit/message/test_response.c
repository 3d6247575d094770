/* SPDX-License-Identifier: Apache-2.0 */
/* test_response.c - what tests/golden/response can't show: borrowed bytes, the signature over them, strings that have no form. */
#include "common/message/response.h"
#include "tests/unit/message/event_test.h"

static struct response
answer(void)
{
	struct response response = {
	    .response_id = "resp-1",
	    .tenant = "default",
	    .request_id = "r-1",
	    .responder = "alice@example.com",
	    .verdict = RESPONSE_APPROVE,
	    .issued_at = TEST_TIME,
	};

	assert_true(crypto_digest_parse(TEST_DIGEST, response.request_digest));
	return response;
}

static void
what_is_sent_is_canonical(void **state)
{
	struct response response = answer();
	size_t length = 0;
	const char *text = response_format(*state, &response, &length);

	assert_string_equal(text,
			    "{\"issued_at\":\"2026-11-30T09:00:00.123456Z\",\"request_digest\":\"" TEST_DIGEST
			    "\",\"request_id\":\"r-1\",\"responder\":\"alice@example.com\","
			    "\"response_id\":\"resp-1\",\"tenant\":\"default\",\"verdict\":\"approve\"}");
	assert_int_equal(length, strlen(text));
}

static void
strings_that_are_no_utf8_are_not_sent(void **state)
{
	struct response response = answer();
	size_t length = 0;

	response.reason = "caf\xe9";
	assert_null(response_format(*state, &response, &length));
}

static void
one_byte_changed_is_another_message(void **state)
{
	struct response response = answer(), read;
	struct error error = {0};
	size_t length = 0;
	char *value = response_format(*state, &response, &length);
	struct record_header headers[1] = {
	    header("signature", jws_sign_detached(*state, key, RESPONSE_TYP, value, length))};
	struct record record = record_of(value);

	record.headers = headers;
	record.header_count = 1;
	assert_true(response_parse(*state, &record, &read, &error));
	assert_ptr_equal(read.value, value);
	assert_string_equal(read.signature.header.kid, crypto_key_thumbprint(key));
	assert_memory_equal(read.request_digest, response.request_digest, sizeof read.request_digest);
	assert_true(jws_verify(*state, &read.signature, crypto_key_public(key), read.value, read.value_length));
	for (size_t i = 0; i < length; i++) {
		value[i] ^= 1;
		assert_false(jws_verify(*state, &read.signature, crypto_key_public(key), read.value,
					read.value_length));
		value[i] ^= 1;
	}
}

static void
the_producers_clock_is_no_append_time(void **state)
{
	struct response response = answer(), read;
	struct error error = {0};
	size_t length = 0;
	struct record record = record_of(response_format(*state, &response, &length));

	record.timestamp = TEST_TIME;
	assert_false(response_parse(*state, &record, &read, &error));
	assert_string_equal(error.code, "signature_missing");
	assert_true(read.appended_at == 0);
	error_clear(&error);
	record.timestamp_is_append = true;
	assert_false(response_parse(*state, &record, &read, &error));
	assert_true(read.appended_at == TEST_TIME);
	error_clear(&error);
	record.timestamp = -1;
	assert_false(response_parse(*state, &record, &read, &error));
	assert_true(read.appended_at == 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(what_is_sent_is_canonical),
	    cmocka_unit_test(strings_that_are_no_utf8_are_not_sent),
	    cmocka_unit_test(one_byte_changed_is_another_message),
	    cmocka_unit_test(the_producers_clock_is_no_append_time),
	};

	return cmocka_run_group_tests_name("response", tests, open_all, close_all);
}
