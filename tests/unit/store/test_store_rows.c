/* SPDX-License-Identifier: Apache-2.0 */
/* test_store_rows.c - values to PostgreSQL's binary formats and back, without a server: what goes in comes out. */
#include "common/store/store_private.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

/* Encodes for a type and reads the bytes back as a row of one column of that type. */
static struct store_rows *
there_and_back(struct arena *arena, struct store_param param, Oid type)
{
	struct store_value value;
	struct error error = {0};
	PGresult *result = PQmakeEmptyPGresult(NULL, PGRES_TUPLES_OK);
	PGresAttDesc column = {.name = (char[]){"x"}, .typid = type, .format = 1};
	struct store_rows *rows;

	if (!store_param_encode(arena, &param, type, &value, &error))
		fail_msg("%s: %s", error.code, error.text);
	assert_int_equal(PQsetResultAttrs(result, 1, &column), 1);
	assert_int_equal(
	    PQsetvalue(result, 0, 0, (char *)(uintptr_t)value.bytes, value.bytes ? value.length : -1), 1);
	rows = store_rows_copy(arena, result);
	PQclear(result);
	return rows;
}

static void
refuses(struct arena *arena, struct store_param param, Oid type, enum error_kind kind)
{
	struct store_value value;
	struct error error = {0};

	assert_false(store_param_encode(arena, &param, type, &value, &error));
	assert_int_equal(error.kind, kind);
}

static int
open_arena(void **state)
{
	*state = arena_open();
	return 0;
}

static int
close_arena(void **state)
{
	arena_close(*state);
	return 0;
}

static void
numbers_keep_their_value_in_each_width(void **state)
{
	static const int64_t numbers[] = {0,	     1,		-1,	   INT16_MAX, INT16_MIN,
					  INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		int64_t number = numbers[i];

		assert_int_equal(store_row_int(there_and_back(*state, store_int(number), TYPE_INT8), 0, 0),
				 number);
		if (number >= INT32_MIN && number <= INT32_MAX)
			assert_int_equal(
			    store_row_int(there_and_back(*state, store_int(number), TYPE_INT4), 0, 0), number);
		if (number >= INT16_MIN && number <= INT16_MAX)
			assert_int_equal(
			    store_row_int(there_and_back(*state, store_int(number), TYPE_INT2), 0, 0), number);
	}
	assert_true(store_row_real(there_and_back(*state, store_int(-7), TYPE_FLOAT8), 0, 0) == -7.0);
}

static void
a_number_too_large_for_its_column_is_refused_and_not_cut(void **state)
{
	refuses(*state, store_int((int64_t)INT32_MAX + 1), TYPE_INT4, ERROR_INVALID);
	refuses(*state, store_int((int64_t)INT32_MIN - 1), TYPE_INT4, ERROR_INVALID);
	refuses(*state, store_int(INT16_MAX + 1), TYPE_INT2, ERROR_INVALID);
	refuses(*state, store_int_list((const int64_t[]){1, (int64_t)1 << 40}, 2), TYPE_INT4_LIST,
		ERROR_INVALID);
}

static void
times_keep_their_microsecond_on_both_sides_of_1970_and_2000(void **state)
{
	static const int64_t times[] = {
	    1, -1, STORE_EPOCH, STORE_EPOCH - 1, STORE_EPOCH + 1, INT64_C(1790000000123456), INT64_C(-1)};

	for (size_t i = 0; i < sizeof times / sizeof *times; i++)
		assert_int_equal(
		    store_row_time(there_and_back(*state, store_time(times[i]), TYPE_TIMESTAMPTZ), 0, 0),
		    times[i]);
}

/* PostgreSQL's infinities are the ends of its range: never is not stored by accident, and is read as far away. */
static void
no_time_becomes_infinity_and_infinity_is_not_near(void **state)
{
	PGresult *result = PQmakeEmptyPGresult(NULL, PGRES_TUPLES_OK);
	PGresAttDesc column = {.name = (char[]){"x"}, .typid = TYPE_TIMESTAMPTZ, .format = 1};
	struct store_rows *rows;

	refuses(*state, store_time(INT64_MIN), TYPE_TIMESTAMPTZ, ERROR_INVALID);
	refuses(*state, store_time(INT64_MIN + STORE_EPOCH), TYPE_TIMESTAMPTZ, ERROR_INVALID);
	assert_int_equal(PQsetResultAttrs(result, 1, &column), 1);
	assert_int_equal(PQsetvalue(result, 0, 0, (char[]){"\x7f\xff\xff\xff\xff\xff\xff\xff"}, 8), 1);
	assert_int_equal(PQsetvalue(result, 1, 0, (char[]){"\x80\0\0\0\0\0\0\0"}, 8), 1);
	rows = store_rows_copy(*state, result);
	assert_int_equal(store_row_time(rows, 0, 0), INT64_MAX);
	assert_int_equal(store_row_time(rows, 1, 0), INT64_MIN);
	PQclear(result);
}

static void
bytes_keep_their_zeros_and_nothing_is_not_empty(void **state)
{
	struct store_bytes bytes =
	    store_row_bytes(there_and_back(*state, store_bytes("ab\0cd", 5), TYPE_BYTEA), 0, 0);

	assert_int_equal(bytes.length, 5);
	assert_memory_equal(bytes.bytes, "ab\0cd", 5);
	assert_true(store_row_null(there_and_back(*state, store_bytes(NULL, 0), TYPE_BYTEA), 0, 0));
	assert_false(store_row_null(there_and_back(*state, store_bytes("", 0), TYPE_BYTEA), 0, 0));
}

static void
texts_keep_their_bytes_and_null_stays_null(void **state)
{
	const char *text = "O'Brien \\ \"x\" \xc3\xa9 $1";

	assert_string_equal(store_row_text(there_and_back(*state, store_text(text), TYPE_TEXT), 0, 0), text);
	assert_string_equal(store_row_text(there_and_back(*state, store_text(""), TYPE_TEXT), 0, 0), "");
	assert_null(store_row_text(there_and_back(*state, store_text(NULL), TYPE_TEXT), 0, 0));
}

static void
nulls_read_as_their_fallbacks(void **state)
{
	assert_int_equal(store_row_int(there_and_back(*state, store_null(), TYPE_INT4), 0, 0), 0);
	assert_false(store_row_bool(there_and_back(*state, store_null(), TYPE_BOOL), 0, 0));
	assert_int_equal(store_row_time(there_and_back(*state, store_time_or_null(0), TYPE_TIMESTAMPTZ), 0, 0),
			 0);
	assert_null(store_row_bytes(there_and_back(*state, store_null(), TYPE_BYTEA), 0, 0).bytes);
}

static void
booleans_are_what_they_were(void **state)
{
	assert_true(store_row_bool(there_and_back(*state, store_bool(true), TYPE_BOOL), 0, 0));
	assert_false(store_row_bool(there_and_back(*state, store_bool(false), TYPE_BOOL), 0, 0));
}

static void
uuids_come_back_in_lower_case_and_others_are_refused(void **state)
{
	static const char *const bad[] = {"",
					  "6BA7B810-9DAD-11D1-80B4-00C04FD430C",
					  "6BA7B8109DAD-11D1-80B4-00C04FD430C8a",
					  "6BA7B810-9DAD-11D1-80B4-00C04FD430C8a",
					  "{BA7B810-9DAD-11D1-80B4-00C04FD430C}",
					  "6BA7B810-9DAD-11D1-80B4-00C04FD430Cg",
					  "6BA7B810 9DAD 11D1 80B4 00C04FD430C8"};
	const char *text = "6BA7B810-9DAD-11D1-80B4-00C04FD430C8";

	assert_string_equal(store_row_text(there_and_back(*state, store_uuid(text), TYPE_UUID), 0, 0),
			    "6ba7b810-9dad-11d1-80b4-00c04fd430c8");
	assert_true(store_row_null(there_and_back(*state, store_uuid(NULL), TYPE_UUID), 0, 0));
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		refuses(*state, store_uuid(bad[i]), TYPE_UUID, ERROR_INVALID);
}

static void
lists_keep_their_order_their_nulls_and_their_emptiness(void **state)
{
	static const char *const texts[] = {"a", NULL, "", "{c,\"d\"}"};
	static const int64_t numbers[] = {3, -1, 0};
	size_t count;
	const char *const *items =
	    store_row_list(there_and_back(*state, store_text_list(texts, 4), TYPE_TEXT_LIST), 0, 0, &count);

	assert_int_equal(count, 4);
	assert_string_equal(items[0], "a");
	assert_null(items[1]);
	assert_string_equal(items[2], "");
	assert_string_equal(items[3], "{c,\"d\"}");
	store_row_list(there_and_back(*state, store_text_list(NULL, 0), TYPE_TEXT_LIST), 0, 0, &count);
	assert_int_equal(count, 0);
	store_row_list(there_and_back(*state, store_null(), TYPE_TEXT_LIST), 0, 0, &count);
	assert_int_equal(count, 0);
	for (int wide = 0; wide < 2; wide++) {
		Oid type = wide ? TYPE_INT8_LIST : TYPE_INT4_LIST;
		const int64_t *list =
		    store_row_int_list(there_and_back(*state, store_int_list(numbers, 3), type), 0, 0, &count);

		assert_int_equal(count, 3);
		assert_memory_equal(list, numbers, sizeof numbers);
	}
}

static void
a_parameter_of_another_type_is_our_own_mistake(void **state)
{
	refuses(*state, store_text("1"), TYPE_INT8, ERROR_BROKEN);
	refuses(*state, store_int(1), TYPE_TEXT, ERROR_BROKEN);
	refuses(*state, store_int(1), TYPE_TIMESTAMPTZ, ERROR_BROKEN);
	refuses(*state, store_bytes("x", 1), TYPE_TEXT, ERROR_BROKEN);
	refuses(*state, store_text_list(NULL, 0), TYPE_INT8_LIST, ERROR_BROKEN);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(numbers_keep_their_value_in_each_width, open_arena, close_arena),
	    cmocka_unit_test_setup_teardown(a_number_too_large_for_its_column_is_refused_and_not_cut,
					    open_arena, close_arena),
	    cmocka_unit_test_setup_teardown(times_keep_their_microsecond_on_both_sides_of_1970_and_2000,
					    open_arena, close_arena),
	    cmocka_unit_test_setup_teardown(no_time_becomes_infinity_and_infinity_is_not_near, open_arena,
					    close_arena),
	    cmocka_unit_test_setup_teardown(bytes_keep_their_zeros_and_nothing_is_not_empty, open_arena,
					    close_arena),
	    cmocka_unit_test_setup_teardown(texts_keep_their_bytes_and_null_stays_null, open_arena, close_arena),
	    cmocka_unit_test_setup_teardown(nulls_read_as_their_fallbacks, open_arena, close_arena),
	    cmocka_unit_test_setup_teardown(booleans_are_what_they_were, open_arena, close_arena),
	    cmocka_unit_test_setup_teardown(uuids_come_back_in_lower_case_and_others_are_refused, open_arena,
					    close_arena),
	    cmocka_unit_test_setup_teardown(lists_keep_their_order_their_nulls_and_their_emptiness,
					    open_arena, close_arena),
	    cmocka_unit_test_setup_teardown(a_parameter_of_another_type_is_our_own_mistake, open_arena,
					    close_arena),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
