/* SPDX-License-Identifier: Apache-2.0 */
/* test_value.c - what is equal, what comes before what, and the names of the codes. */
#include "common/cel/type.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static struct arena *arena;

static int
open_arena(void **state)
{
	(void)state;
	arena = arena_open();
	return 0;
}

static int
close_arena(void **state)
{
	(void)state;
	arena_close(arena);
	return 0;
}

static struct cel_value
text(const char *bytes)
{
	return cel_string(bytes, strlen(bytes));
}

static bool
equal(struct cel_value left, struct cel_value right)
{
	uint64_t units = 0;
	bool same = cel_equal(left, right, &units);

	assert_true(units > 0);
	assert_int_equal(cel_equal(right, left, &units), same);
	return same;
}

static struct cel_value
list_of(struct cel_value first, struct cel_value second)
{
	struct cel_value *items = arena_take_array(arena, 2, sizeof *items);

	items[0] = first;
	items[1] = second;
	return cel_list(arena, items, 2);
}

static struct cel_value
map_of(struct cel_value key, struct cel_value value, struct cel_value key2, struct cel_value value2)
{
	struct cel_entry *entries = arena_take_array(arena, 2, sizeof *entries);

	entries[0] = (struct cel_entry){key, value};
	entries[1] = (struct cel_entry){key2, value2};
	return cel_map(arena, entries, 2);
}

/* The order, or 9 when there is none. */
static int
order(struct cel_value left, struct cel_value right)
{
	int found, other;

	if (!cel_order(left, right, &found)) {
		assert_false(cel_order(right, left, &other));
		return 9;
	}
	assert_true(cel_order(right, left, &other));
	assert_int_equal(other, found == 2 ? 2 : -found);
	return found;
}

static void
a_value_has_sixteen_bytes(void **state)
{
	(void)state;
	assert_int_equal(sizeof(struct cel_value), 16);
}

static void
numbers_are_equal_across_their_types(void **state)
{
	(void)state;
	assert_true(equal(cel_int(1), cel_uint(1)));
	assert_true(equal(cel_int(1), cel_double(1)));
	assert_true(equal(cel_uint(1), cel_double(1)));
	assert_true(equal(cel_double(0.0), cel_double(-0.0)));
	assert_false(equal(cel_int(-1), cel_uint(UINT64_MAX)));
	assert_false(equal(cel_int(INT64_MIN), cel_uint((uint64_t)INT64_MAX + 1)));
	assert_false(equal(cel_int(1), cel_double(1.5)));
}

static void
an_integer_against_a_double_is_compared_as_a_double(void **state)
{
	(void)state;
	assert_true(equal(cel_int(9007199254740993), cel_double(9007199254740992.0)));
	assert_false(equal(cel_int(9007199254740993), cel_int(9007199254740992)));
	assert_true(equal(cel_uint(UINT64_MAX), cel_double(0x1p64)));
	assert_int_equal(order(cel_int(INT64_MAX), cel_double(0x1p63)), 0);
}

static void
a_nan_equals_nothing_and_has_no_place(void **state)
{
	(void)state;
	assert_false(equal(cel_double(NAN), cel_double(NAN)));
	assert_false(equal(cel_int(0), cel_double(NAN)));
	assert_int_equal(order(cel_double(NAN), cel_double(NAN)), 2);
	assert_int_equal(order(cel_double(NAN), cel_int(1)), 2);
}

static void
nothing_is_turned_into_another_type(void **state)
{
	const struct cel_value values[] = {
	    cel_null(),
	    cel_bool(false),
	    cel_int(0),
	    text(""),
	    cel_bytes("", 0),
	    cel_list(arena, NULL, 0),
	    cel_map(arena, NULL, 0),
	    cel_timestamp(0, 0),
	    cel_duration(0),
	    {.kind = CEL_OPTIONAL},
	    {.kind = CEL_TYPE, .as.type = cel_type_simple(CEL_T_INT)},
	};

	(void)state;
	for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
		for (size_t j = 0; j < sizeof values / sizeof values[0]; j++)
			assert_int_equal(equal(values[i], values[j]), i == j);
}

static void
texts_are_equal_byte_for_byte(void **state)
{
	(void)state;
	assert_true(equal(text("branch"), text("branch")));
	assert_false(equal(text("branch"), text("brancH")));
	assert_false(equal(text("branch"), text("branches")));
	assert_false(equal(cel_string("a\0b", 3), cel_string("a\0c", 3)));
	assert_false(equal(cel_string("e\xcc\x81", 3), cel_string("\xc3\xa9", 2)));
	assert_true(equal(cel_bytes("\xff", 1), cel_bytes("\xff", 1)));
}

static void
lists_are_equal_item_by_item(void **state)
{
	(void)state;
	assert_true(equal(list_of(cel_int(1), text("a")), list_of(cel_uint(1), text("a"))));
	assert_false(equal(list_of(cel_int(1), cel_int(2)), list_of(cel_int(2), cel_int(1))));
	assert_false(equal(list_of(cel_int(1), cel_int(2)), cel_list(arena, NULL, 0)));
	assert_false(equal(list_of(cel_double(NAN), cel_int(1)), list_of(cel_double(NAN), cel_int(1))));
	assert_true(equal(list_of(list_of(cel_int(1), cel_int(2)), cel_null()),
			  list_of(list_of(cel_int(1), cel_int(2)), cel_null())));
}

static void
maps_are_equal_whatever_their_order_and_the_types_of_their_numbers(void **state)
{
	(void)state;
	assert_true(equal(map_of(cel_int(1), text("a"), text("k"), cel_null()),
			  map_of(text("k"), cel_null(), cel_uint(1), text("a"))));
	assert_false(equal(map_of(cel_int(1), text("a"), cel_int(2), text("b")),
			   map_of(cel_int(1), text("a"), cel_int(3), text("b"))));
	assert_false(equal(map_of(cel_int(1), text("a"), cel_int(2), text("b")),
			   map_of(cel_int(1), text("a"), cel_int(2), text("c"))));
	assert_false(equal(map_of(cel_int(1), text("a"), cel_int(2), text("b")), cel_map(arena, NULL, 0)));
}

static void
an_absent_field_counts_as_no_entry(void **state)
{
	(void)state;
	struct cel_value absent = {.kind = CEL_ABSENT};

	assert_true(equal(map_of(text("a"), cel_int(1), text("b"), absent),
			  map_of(text("c"), absent, text("a"), cel_int(1))));
	assert_false(equal(map_of(text("a"), cel_int(1), text("b"), absent),
			   map_of(text("b"), cel_int(1), text("a"), absent)));
	assert_false(equal(map_of(text("a"), cel_int(1), text("b"), absent),
			   map_of(text("a"), cel_int(1), text("b"), cel_null())));
}

static void
types_are_equal_by_what_they_are_at_run_time(void **state)
{
	const struct cel_type *ints = cel_type_list(arena, cel_type_simple(CEL_T_INT));
	struct cel_value left = {.kind = CEL_TYPE, .as.type = ints};
	struct cel_value right = {.kind = CEL_TYPE, .as.type = cel_type_simple(CEL_T_LIST)};
	struct cel_value other = {.kind = CEL_TYPE, .as.type = cel_type_simple(CEL_T_MAP)};

	(void)state;
	assert_true(equal(left, right));
	assert_false(equal(left, other));
}

static void
optionals_and_addresses_are_equal_by_what_they_hold(void **state)
{
	struct cel_value one = cel_int(1), also_one = cel_uint(1), two = cel_int(2);
	struct cel_address small = {{10}, 4, 8}, smaller = {{10}, 4, 9}, large = {{10}, 16, 8};
	struct cel_value none = {.kind = CEL_OPTIONAL}, some = {.kind = CEL_OPTIONAL, .as.optional = &one};

	(void)state;
	assert_true(equal(none, none));
	assert_false(equal(none, some));
	assert_true(equal(some, (struct cel_value){.kind = CEL_OPTIONAL, .as.optional = &also_one}));
	assert_false(equal(some, (struct cel_value){.kind = CEL_OPTIONAL, .as.optional = &two}));
	struct cel_value cidr = {.kind = CEL_CIDR, .as.address = &small};
	assert_true(equal(cidr, cidr));
	assert_false(equal(cidr, (struct cel_value){.kind = CEL_CIDR, .as.address = &smaller}));
	assert_false(equal(cidr, (struct cel_value){.kind = CEL_CIDR, .as.address = &large}));
	assert_false(equal(cidr, (struct cel_value){.kind = CEL_IP, .as.address = &small}));
}

static void
numbers_have_one_order_across_their_types(void **state)
{
	(void)state;
	assert_int_equal(order(cel_uint(UINT64_MAX), cel_int(-1)), 1);
	assert_int_equal(order(cel_int(INT64_MAX), cel_uint((uint64_t)INT64_MAX + 1)), -1);
	assert_int_equal(order(cel_int(2), cel_uint(2)), 0);
	assert_int_equal(order(cel_int(2), cel_double(2.5)), -1);
	assert_int_equal(order(cel_uint(3), cel_double(2.5)), 1);
	assert_int_equal(order(cel_int(INT64_MIN), cel_double(-INFINITY)), 1);
	assert_int_equal(order(cel_int(INT64_MIN), cel_int(INT64_MAX)), -1);
}

static void
texts_are_ordered_by_their_bytes(void **state)
{
	(void)state;
	assert_int_equal(order(text("a"), text("b")), -1);
	assert_int_equal(order(text("a"), text("ab")), -1);
	assert_int_equal(order(text(""), text("a")), -1);
	assert_int_equal(order(text("z"), text("\xc3\xa9")), -1);
	assert_int_equal(order(text("a"), text("a")), 0);
	assert_int_equal(order(cel_bytes("\xff", 1), cel_bytes("\x01\x02", 2)), 1);
	assert_int_equal(order(cel_bytes("", 0), text("")), 9);
}

static void
times_are_ordered_and_bools_too(void **state)
{
	(void)state;
	assert_int_equal(order(cel_timestamp(-1, 999999999), cel_timestamp(0, 0)), -1);
	assert_int_equal(order(cel_timestamp(5, 2), cel_timestamp(5, 1)), 1);
	assert_int_equal(order(cel_duration(-1), cel_duration(1)), -1);
	assert_int_equal(order(cel_bool(false), cel_bool(true)), -1);
	assert_int_equal(order(cel_timestamp(0, 0), cel_duration(0)), 9);
}

static void
what_has_no_order_says_so(void **state)
{
	(void)state;
	assert_int_equal(order(cel_null(), cel_null()), 9);
	assert_int_equal(order(cel_list(arena, NULL, 0), cel_list(arena, NULL, 0)), 9);
	assert_int_equal(order(text("1"), cel_int(1)), 9);
	assert_int_equal(order(cel_bool(true), cel_int(1)), 9);
}

static void
each_pair_that_is_looked_at_is_one_unit(void **state)
{
	uint64_t units = 7;

	(void)state;
	assert_true(cel_equal(cel_int(1), cel_int(1), &units));
	assert_int_equal(units, 8);
	assert_true(cel_equal(list_of(cel_int(1), cel_int(2)), list_of(cel_int(1), cel_int(2)), &units));
	assert_int_equal(units, 11);
	assert_false(cel_equal(list_of(cel_int(1), cel_int(2)), list_of(cel_int(3), cel_int(2)), &units));
	assert_int_equal(units, 13);
}

/* A list of two that are the same list of two that are … this deep: 2^levels items. */
static struct cel_value
doubled(unsigned levels)
{
	struct cel_value value = cel_int(1);

	for (unsigned i = 0; i < levels; i++)
		value = list_of(value, value);
	return value;
}

static void
a_comparison_that_doubles_with_each_level_gives_up_and_costs_everything(void **state)
{
	uint64_t units = 3;

	(void)state;
	assert_true(cel_equal(doubled(15), doubled(15), &units)); /* 2^16 - 1 pairs */
	assert_int_equal(units, 3 + (1 << 16) - 1);
	assert_false(cel_equal(doubled(16), doubled(16), &units)); /* 2^17 - 1 */
	assert_true(units == UINT64_MAX);
	units = 0;
	assert_false(cel_equal(doubled(60), doubled(60), &units));
	assert_true(units == UINT64_MAX);
}

static void
nesting_that_no_source_can_make_gives_up_too(void **state)
{
	uint64_t units = 0;
	struct cel_value left = cel_null(), right = cel_null();

	(void)state;
	for (int i = 0; i < 5000; i++) {
		left = list_of(left, cel_null());
		right = list_of(right, cel_null());
	}
	assert_false(cel_equal(left, right, &units));
	assert_true(units == UINT64_MAX);
}

static void
codes_have_their_words(void **state)
{
	(void)state;
	assert_string_equal(cel_code_name(CEL_OK), "ok");
	assert_string_equal(cel_code_name(CEL_NO_SUCH_FIELD), "no_such_field");
	assert_string_equal(cel_code_name(CEL_DIVISION_BY_ZERO), "division_by_zero");
	assert_string_equal(cel_code_name(CEL_NOT_BOOL), "not_bool");
	assert_string_equal(cel_code_name(CEL_TYPE_ERROR), "type");
	for (int code = 0; code < CEL_CODE_COUNT; code++)
		for (int other = 0; other < code; other++)
			assert_string_not_equal(cel_code_name((enum cel_code)code),
						cel_code_name((enum cel_code)other));
	assert_string_equal(cel_code_name(CEL_CODE_COUNT), "unknown");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_value_has_sixteen_bytes),
	    cmocka_unit_test(numbers_are_equal_across_their_types),
	    cmocka_unit_test(an_integer_against_a_double_is_compared_as_a_double),
	    cmocka_unit_test(a_nan_equals_nothing_and_has_no_place),
	    cmocka_unit_test(nothing_is_turned_into_another_type),
	    cmocka_unit_test(texts_are_equal_byte_for_byte),
	    cmocka_unit_test(lists_are_equal_item_by_item),
	    cmocka_unit_test(maps_are_equal_whatever_their_order_and_the_types_of_their_numbers),
	    cmocka_unit_test(an_absent_field_counts_as_no_entry),
	    cmocka_unit_test(types_are_equal_by_what_they_are_at_run_time),
	    cmocka_unit_test(optionals_and_addresses_are_equal_by_what_they_hold),
	    cmocka_unit_test(numbers_have_one_order_across_their_types),
	    cmocka_unit_test(texts_are_ordered_by_their_bytes),
	    cmocka_unit_test(times_are_ordered_and_bools_too),
	    cmocka_unit_test(what_has_no_order_says_so),
	    cmocka_unit_test(each_pair_that_is_looked_at_is_one_unit),
	    cmocka_unit_test(a_comparison_that_doubles_with_each_level_gives_up_and_costs_everything),
	    cmocka_unit_test(nesting_that_no_source_can_make_gives_up_too),
	    cmocka_unit_test(codes_have_their_words),
	};

	return cmocka_run_group_tests_name("cel values", tests, open_arena, close_arena);
}
