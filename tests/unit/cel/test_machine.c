/* SPDX-License-Identifier: Apache-2.0 */
/* test_machine.c - what a function may ask of the evaluation that calls it, up to each limit and beyond. */
#include "common/cel/machine.h"
#include "common/memory/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct arena *arena;
static struct cel_machine machine;
static unsigned looks, looks_until_expired;

static bool
expired(void *context)
{
	(void)context;
	return ++looks > looks_until_expired;
}

static int
open_one(void **state)
{
	(void)state;
	arena = arena_open();
	looks = 0;
	looks_until_expired = UINT32_MAX;
	cel_machine_start(&machine, &(struct cel_run){.memory_max = 1024, .string_max = 16, .cost_max = 5000},
			  arena);
	return 0;
}

static int
close_one(void **state)
{
	(void)state;
	arena_close(arena);
	return 0;
}

static void
units_are_charged_up_to_the_limit_and_not_one_more(void **state)
{
	(void)state;
	assert_true(cel_charge(&machine, 4999));
	assert_true(cel_charge(&machine, 1));
	assert_true(cel_charge(&machine, 0));
	assert_int_equal(machine.halt, CEL_OK);
	assert_false(cel_charge(&machine, 1));
	assert_int_equal(machine.halt, CEL_COST);
}

static void
a_charge_without_measure_does_not_wrap_around(void **state)
{
	(void)state;
	assert_true(cel_charge(&machine, 10));
	assert_false(cel_charge(&machine, UINT64_MAX));
	assert_false(cel_charge(&machine, UINT64_MAX));
	cel_machine_start(&machine, &(struct cel_run){.cost_max = UINT64_MAX, .expired = expired}, arena);
	assert_true(cel_charge(&machine, UINT64_MAX));
	assert_true(cel_charge(&machine, 1));
	assert_int_equal(looks, 1);
}

static void
bytes_cost_a_tenth_each_rounded_up(void **state)
{
	(void)state;
	assert_true(cel_charge_bytes(&machine, 0));
	assert_int_equal(machine.cost, 0);
	assert_true(cel_charge_bytes(&machine, 1));
	assert_int_equal(machine.cost, 1);
	assert_true(cel_charge_bytes(&machine, 10));
	assert_int_equal(machine.cost, 2);
	assert_true(cel_charge_bytes(&machine, 11));
	assert_int_equal(machine.cost, 4);
	assert_false(cel_charge_bytes(&machine, SIZE_MAX));
}

static void
the_deadline_is_looked_at_once_in_so_many_units(void **state)
{
	(void)state;
	cel_machine_start(&machine, &(struct cel_run){.cost_max = 100000, .expired = expired}, arena);
	for (int i = 0; i < 10 * CEL_POLL_UNITS; i++)
		assert_true(cel_charge(&machine, 1));
	assert_int_equal(looks, 10);
	looks_until_expired = 10;
	for (int i = 0; i < CEL_POLL_UNITS - 1; i++)
		assert_true(cel_charge(&machine, 1));
	assert_false(cel_charge(&machine, 1));
	assert_int_equal(machine.halt, CEL_COST);
}

static void
a_limit_below_one_look_is_kept_with_a_deadline_too(void **state)
{
	(void)state;
	cel_machine_start(&machine, &(struct cel_run){.cost_max = 100, .expired = expired}, arena);
	assert_true(cel_charge(&machine, 100));
	assert_int_equal(looks, 0);
	assert_false(cel_charge(&machine, 1));
	assert_int_equal(machine.halt, CEL_COST);
}

static void
memory_is_taken_up_to_the_limit(void **state)
{
	char *bytes = cel_take(&machine, 1000);

	(void)state;
	assert_non_null(bytes);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(bytes[i], 0);
	assert_non_null(cel_take(&machine, 16));
	assert_null(cel_take(&machine, 1));
	assert_int_equal(machine.halt, CEL_MEMORY);
	assert_null(cel_take(&machine, SIZE_MAX));
	assert_null(cel_take(&machine, SIZE_MAX - 15));
}

static void
small_pieces_are_not_free(void **state)
{
	size_t count = 0;

	(void)state;
	while (cel_take(&machine, 1))
		count++;
	assert_int_equal(count, 1024 / 16);
}

static void
a_string_is_copied_and_has_a_length_at_most(void **state)
{
	char text[] = "0123456789abcdef!";
	struct cel_value value = cel_make_string(&machine, text, 16);

	(void)state;
	memset(text, 'x', 16);
	assert_int_equal(value.kind, CEL_STRING);
	assert_int_equal(value.extra, 16);
	assert_memory_equal(value.as.bytes, "0123456789abcdef", 16);
	assert_int_equal(cel_string_max(&machine), 16);
	assert_int_equal(cel_make_string(&machine, text, 17).code, CEL_MEMORY);
	assert_int_equal(cel_make_string(&machine, NULL, 0).kind, CEL_STRING);
}

static void
a_map_says_what_is_wrong_with_its_keys_at_the_place_of_the_call(void **state)
{
	struct cel_entry *entries = cel_take(&machine, 2 * sizeof *entries);
	struct cel_value map;

	(void)state;
	machine.position = 17;
	entries[0] = (struct cel_entry){cel_int(1), cel_null()};
	entries[1] = (struct cel_entry){cel_uint(1), cel_null()};
	map = cel_make_map(&machine, entries, 2);
	assert_int_equal(map.kind, CEL_ERROR);
	assert_int_equal(map.code, CEL_DUPLICATE_KEY);
	assert_int_equal(map.extra, 17);
	entries[1].key = cel_null();
	assert_int_equal(cel_make_map(&machine, entries, 2).code, CEL_NO_SUCH_OVERLOAD);
	assert_int_equal(machine.halt, CEL_OK);
	entries[1].key = cel_uint(2);
	assert_int_equal(cel_make_map(&machine, entries, 2).as.map->present, 2);
}

static void
a_map_that_has_no_room_is_an_error(void **state)
{
	struct cel_entry *entries = arena_take_array(arena, 100, sizeof *entries);

	(void)state;
	for (int i = 0; i < 100; i++)
		entries[i] = (struct cel_entry){cel_int(i), cel_null()};
	assert_int_equal(cel_make_map(&machine, entries, 100).code, CEL_MEMORY);
	assert_int_equal(machine.halt, CEL_MEMORY);
}

static void
only_what_ran_out_ends_the_evaluation(void **state)
{
	struct cel_value error;

	(void)state;
	machine.position = 5;
	error = cel_fail(&machine, CEL_RANGE, "too far");
	assert_int_equal(error.kind, CEL_ERROR);
	assert_int_equal(error.code, CEL_RANGE);
	assert_int_equal(error.extra, 5);
	assert_string_equal(error.as.text, "too far");
	assert_int_equal(machine.halt, CEL_OK);
	cel_fail(&machine, CEL_COST, NULL);
	assert_int_equal(machine.halt, CEL_COST);
}

static void
a_list_and_an_optional_hold_what_they_are_given(void **state)
{
	struct cel_value *items = cel_take(&machine, 2 * sizeof *items), list, optional;

	(void)state;
	items[1] = cel_int(3);
	list = cel_make_list(&machine, items, 2);
	assert_int_equal(list.kind, CEL_LIST);
	assert_int_equal(list.as.list->items[1].as.integer, 3);
	optional = cel_make_optional(&machine, cel_int(4));
	assert_int_equal(optional.kind, CEL_OPTIONAL);
	assert_int_equal(optional.as.optional->as.integer, 4);
}

static void
what_is_not_said_is_limited_as_the_design_says(void **state)
{
	char *text = memory_take(CEL_STRING_MAX + 1);

	(void)state;
	cel_machine_start(&machine, &(struct cel_run){0}, arena);
	assert_true(cel_charge(&machine, 10000));
	assert_false(cel_charge(&machine, 1));
	assert_int_equal(machine.halt, CEL_COST);

	cel_machine_start(&machine, &(struct cel_run){0}, arena);
	assert_non_null(cel_take(&machine, 256 * 1024));
	assert_null(cel_take(&machine, 1));
	assert_int_equal(machine.halt, CEL_MEMORY);
	cel_machine_start(&machine, &(struct cel_run){0}, arena);
	assert_null(cel_take(&machine, 256 * 1024 + 1));

	cel_machine_start(&machine, &(struct cel_run){0}, arena);
	memset(text, 'x', 8193);
	assert_int_equal(cel_make_string(&machine, text, 8192).kind, CEL_STRING);
	assert_int_equal(cel_make_string(&machine, text, 8193).code, CEL_MEMORY);
	free(text);
}

int
main(void)
{
#define TEST(NAME) cmocka_unit_test_setup_teardown(NAME, open_one, close_one)
	const struct CMUnitTest tests[] = {
	    TEST(units_are_charged_up_to_the_limit_and_not_one_more),
	    TEST(a_charge_without_measure_does_not_wrap_around),
	    TEST(bytes_cost_a_tenth_each_rounded_up),
	    TEST(the_deadline_is_looked_at_once_in_so_many_units),
	    TEST(a_limit_below_one_look_is_kept_with_a_deadline_too),
	    TEST(memory_is_taken_up_to_the_limit),
	    TEST(small_pieces_are_not_free),
	    TEST(a_string_is_copied_and_has_a_length_at_most),
	    TEST(a_map_says_what_is_wrong_with_its_keys_at_the_place_of_the_call),
	    TEST(a_map_that_has_no_room_is_an_error),
	    TEST(only_what_ran_out_ends_the_evaluation),
	    TEST(a_list_and_an_optional_hold_what_they_are_given),
	    TEST(what_is_not_said_is_limited_as_the_design_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
