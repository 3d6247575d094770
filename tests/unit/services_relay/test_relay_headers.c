/* SPDX-License-Identifier: Apache-2.0 */
/* test_relay_headers.c - stored headers come out as they are, in the usual spelling and in any other, and nothing else does. */
#include "services/relay/relay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static int
set_up(void **state)
{
	*state = arena_open();
	return 0;
}

static int
tear_down(void **state)
{
	arena_close(*state);
	return 0;
}

static const struct record_header *
read_headers(struct arena *arena, const char *stored, size_t *count)
{
	const struct record_header *headers = NULL;
	struct error error = {0};

	assert_true(relay_headers(arena, stored, 5, 9223372036854775807, &headers, count, &error));
	return headers;
}

static void
expect_header(const struct record_header *header, const char *name, const char *value)
{
	assert_string_equal(header->name, name);
	assert_int_equal(header->length, strlen(value));
	assert_memory_equal(header->value, value, strlen(value));
}

static void
expect_refused(struct arena *arena, const char *stored)
{
	const struct record_header *headers = NULL;
	struct error error = {0};
	size_t count;

	if (relay_headers(arena, stored, 5, 7, &headers, &count, &error))
		fail_msg("was taken: %s", stored);
	assert_int_equal(error.kind, ERROR_BROKEN);
	assert_non_null(strstr(error.text, "chain 5, sequence 7"));
}

static void
the_usual_spelling_and_the_place_behind_it(void **state)
{
	size_t count;
	const struct record_header *headers =
	    read_headers(*state, "[[\"ce_id\",\"0d3c\"],[\"empty\",\"\"],[\"a, b\",\"[x]{}:\"]]", &count);

	assert_int_equal(count, 5);
	expect_header(&headers[0], "ce_id", "0d3c");
	expect_header(&headers[1], "empty", "");
	expect_header(&headers[2], "a, b", "[x]{}:");
	expect_header(&headers[3], "countersign-chain", "5");
	expect_header(&headers[4], "countersign-sequence", "9223372036854775807");
}

static void
escapes_and_other_letters_mean_what_json_says(void **state)
{
	size_t count;
	const struct record_header *headers = read_headers(
	    *state, "[[\"plain\",\"1\"],[\"\\u0061\",\"say \\\"no\\\" \\\\ \\n\"],[\"subject\",\"Größe\"]]",
	    &count);

	assert_int_equal(count, 5);
	expect_header(&headers[0], "plain", "1");
	expect_header(&headers[1], "a", "say \"no\" \\ \n");
	expect_header(&headers[2], "subject", "Größe");
}

static void
none_and_many(void **state)
{
	struct buffer text = {.arena = *state};
	size_t count;

	read_headers(*state, "[]", &count);
	assert_int_equal(count, 2);
	buffer_add_byte(&text, '[');
	for (int i = 0; i < 40; i++)
		buffer_add_format(&text, "%s[\"h%d\",\"%d\"]", i ? "," : "", i, i * i);
	buffer_add_byte(&text, ']');

	const struct record_header *headers = read_headers(*state, text.bytes, &count);

	assert_int_equal(count, 42);
	expect_header(&headers[39], "h39", "1521");
	expect_header(&headers[40], "countersign-chain", "5");
}

static void
what_we_do_not_write_is_refused(void **state)
{
	static const char *const texts[] = {
	    "",
	    "[",
	    "{}",
	    "[[\"a\"]]",
	    "[[\"a\",\"b\",\"c\"]]",
	    "[[\"a\",1]]",
	    "[[\"a\",null]]",
	    "[\"a\",\"b\"]",
	    "[[\"a\",\"b\"]",
	    "[[\"a\",\"b\"],]",
	    "[[\"a\",\"b\"]]x",
	    "[[\"a\",\"b\"]][[\"a\",\"b\"]]",
	    "[[\"a\",\"b]]",
	    "[[\"a\",\"\x01\"]]",
	    "[[\"a\",\"\xff\"]]",
	    "[[\"a\",\"\\ud800\"]]",
	};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		expect_refused(*state, texts[i]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(the_usual_spelling_and_the_place_behind_it, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(escapes_and_other_letters_mean_what_json_says, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(none_and_many, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(what_we_do_not_write_is_refused, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("relay_headers", tests, NULL, NULL);
}
