/* SPDX-License-Identifier: Apache-2.0 */
/* test_error.c - the first cause is kept, wrapped on the way up, and never overflows or ends in half a character. */
#include "common/error/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void
the_first_writer_wins(void **state)
{
	struct error error = {0};

	(void)state;
	assert_false(error_set(&error, ERROR_INVALID, "first", "the %s cause", "first"));
	assert_false(error_set(&error, ERROR_BROKEN, "second", "a consequence"));
	assert_false(error_set_field(&error, ERROR_CONFLICT, "third", "field", "another"));
	assert_int_equal(error.kind, ERROR_INVALID);
	assert_string_equal(error.code, "first");
	assert_string_equal(error.field, "");
	assert_string_equal(error.text, "the first cause");
}

static void
a_field_error_names_the_field(void **state)
{
	struct error error = {0};

	(void)state;
	assert_false(error_set_field(&error, ERROR_INVALID, "too_long", "context.amount", "longer than %d", 9));
	assert_string_equal(error.code, "too_long");
	assert_string_equal(error.field, "context.amount");
	assert_string_equal(error.text, "longer than 9");
}

static void
wrapping_puts_words_in_front(void **state)
{
	struct error error = {0};

	(void)state;
	error_set(&error, ERROR_UNAVAILABLE, "connection", "connection lost");
	assert_false(error_wrap(&error, "insert %s", "approval"));
	assert_false(error_wrap(&error, "batch %d", 7));
	assert_string_equal(error.text, "batch 7: insert approval: connection lost");
	assert_int_equal(error.kind, ERROR_UNAVAILABLE);
}

static void
wrapping_nothing_stays_nothing(void **state)
{
	struct error error = {0};

	(void)state;
	assert_false(error_wrap(&error, "what"));
	assert_int_equal(error.kind, ERROR_NONE);
	assert_string_equal(error.text, "");
}

static void
a_cleared_error_can_be_set_again(void **state)
{
	struct error error = {0};

	(void)state;
	error_set_field(&error, ERROR_INVALID, "one", "field", "one");
	error_clear(&error);
	assert_int_equal(error.kind, ERROR_NONE);
	error_set(&error, ERROR_FENCED, "two", "two");
	assert_string_equal(error.code, "two");
	assert_string_equal(error.field, "");
}

static void
what_is_too_long_is_cut(void **state)
{
	struct error error = {0};
	char longer[2000];

	(void)state;
	memset(longer, 'x', sizeof longer - 1);
	longer[sizeof longer - 1] = '\0';
	error_set_field(&error, ERROR_INVALID, longer, longer, "%s", longer);
	assert_int_equal(strlen(error.code), ERROR_CODE_SIZE - 1);
	assert_int_equal(strlen(error.field), ERROR_FIELD_SIZE - 1);
	assert_int_equal(strlen(error.text), ERROR_TEXT_SIZE - 1);
	error_wrap(&error, "%s", longer);
	assert_int_equal(strlen(error.text), ERROR_TEXT_SIZE - 1);
}

static void
what_just_fits_is_not_cut(void **state)
{
	struct error error = {0};
	char fits[ERROR_FIELD_SIZE];

	(void)state;
	memset(fits, 'x', sizeof fits - 3);
	memcpy(fits + sizeof fits - 3, "\xc3\xa9", 3);
	error_set_field(&error, ERROR_INVALID, "code", fits, "%s", fits);
	assert_string_equal(error.field, fits);
	assert_string_equal(error.text, fits);
}

/* A field is a path of names that others chose; half a character would make the report itself ill-formed. */
static void
a_cut_never_leaves_half_a_character(void **state)
{
	static const char *const characters[] = {"\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
	char text[2 * ERROR_TEXT_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof characters / sizeof *characters; i++) {
		size_t size = strlen(characters[i]);

		for (size_t shift = 0; shift < size; shift++) {
			struct error error = {0};

			memset(text, 'x', shift);
			text[shift] = '\0';
			while (strlen(text) + size < sizeof text)
				strcat(text, characters[i]);
			error_set_field(&error, ERROR_INVALID, "code", text, "%s", text);
			assert_int_equal((strlen(error.field) - shift) % size, 0);
			assert_int_equal((strlen(error.text) - shift) % size, 0);
			assert_true(strlen(error.field) + size >= ERROR_FIELD_SIZE);
			assert_true(strlen(error.text) + size >= ERROR_TEXT_SIZE);
		}
	}
}

static void
every_kind_has_its_name(void **state)
{
	(void)state;
	assert_string_equal(error_kind_name(ERROR_NONE), "none");
	assert_string_equal(error_kind_name(ERROR_INVALID), "invalid");
	assert_string_equal(error_kind_name(ERROR_CONFLICT), "conflict");
	assert_string_equal(error_kind_name(ERROR_UNAVAILABLE), "unavailable");
	assert_string_equal(error_kind_name(ERROR_FENCED), "fenced");
	assert_string_equal(error_kind_name(ERROR_BROKEN), "broken");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_first_writer_wins),
	    cmocka_unit_test(a_field_error_names_the_field),
	    cmocka_unit_test(wrapping_puts_words_in_front),
	    cmocka_unit_test(wrapping_nothing_stays_nothing),
	    cmocka_unit_test(a_cleared_error_can_be_set_again),
	    cmocka_unit_test(what_is_too_long_is_cut),
	    cmocka_unit_test(what_just_fits_is_not_cut),
	    cmocka_unit_test(a_cut_never_leaves_half_a_character),
	    cmocka_unit_test(every_kind_has_its_name),
	};

	return cmocka_run_group_tests_name("error", tests, NULL, NULL);
}
