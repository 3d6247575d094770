/* SPDX-License-Identifier: Apache-2.0 */
/* test_map.c - keys are found across the types of numbers, in small maps and in large ones; none is there twice. */
#include "common/cel/value.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define MANY 300

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

/* This entry, and so many others with keys that no test asks for. */
static struct cel_value
map_with(struct cel_value key, struct cel_value value, size_t others)
{
	struct cel_entry *entries = arena_take_array(arena, others + 1, sizeof *entries);

	for (size_t i = 0; i < others; i++)
		entries[i] = (struct cel_entry){text(arena_format(arena, "other-%zu", i)), cel_null()};
	entries[others] = (struct cel_entry){key, value};
	return cel_map(arena, entries, others + 1);
}

static bool
has(struct cel_value map, struct cel_value key)
{
	assert_int_equal(map.kind, CEL_MAP);
	return cel_map_find(map.as.map, key) != NULL;
}

static const size_t sizes[] = {0, 7, 8, MANY}; /* around the size from which on there is a hash table */

static void
a_number_is_found_by_the_same_number_of_any_type(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		struct cel_value one = map_with(cel_int(1), cel_bool(true), sizes[i]);
		struct cel_value negative = map_with(cel_int(-1), cel_bool(true), sizes[i]);
		struct cel_value largest = map_with(cel_uint(UINT64_MAX), cel_bool(true), sizes[i]);
		struct cel_value zero = map_with(cel_uint(0), cel_bool(true), sizes[i]);

		assert_true(has(one, cel_int(1)) && has(one, cel_uint(1)) && has(one, cel_double(1)));
		assert_false(has(one, cel_double(1.5)) || has(one, cel_int(-1)) || has(one, cel_bool(true)));
		assert_true(has(negative, cel_int(-1)) && has(negative, cel_double(-1)));
		assert_false(has(negative, cel_uint(UINT64_MAX)));
		assert_true(has(largest, cel_uint(UINT64_MAX)));
		assert_false(has(largest, cel_int(-1)) || has(largest, cel_double(0x1p64)));
		assert_true(has(zero, cel_double(-0.0)));
	}
}

static void
doubles_that_are_no_integers_are_not_found(void **state)
{
	struct cel_value map = map_with(cel_int(INT64_MIN), cel_null(), 0);

	(void)state;
	assert_true(has(map, cel_double(-0x1p63)));
	assert_false(has(map, cel_double(0x1p63)));
	assert_false(has(map, cel_double(NAN)));
	assert_false(has(map, cel_double(INFINITY)));
	assert_false(has(map, cel_double(-INFINITY)));
	assert_false(has(map, cel_double(-0x1p64)));
}

static void
texts_and_bools_are_found_as_they_are(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		struct cel_value name = map_with(text("branch"), cel_null(), sizes[i]);
		struct cel_value empty = map_with(text(""), cel_null(), sizes[i]);
		struct cel_value truth = map_with(cel_bool(true), cel_null(), sizes[i]);

		assert_true(has(name, text("branch")));
		assert_false(has(name, text("branc")) || has(name, text("branch "))
			     || has(name, text("BRANCH")));
		assert_false(has(name, cel_bytes("branch", 6)));
		assert_true(has(empty, text("")));
		assert_true(has(truth, cel_bool(true)));
		assert_false(has(truth, cel_bool(false)) || has(truth, cel_int(1)));
	}
}

static void
what_can_be_no_key_is_never_found(void **state)
{
	struct cel_value map = map_with(cel_int(0), cel_null(), 0);

	(void)state;
	assert_false(has(map, cel_null()));
	assert_false(has(map, cel_list(arena, NULL, 0)));
	assert_false(has(map, map));
	assert_false(has(map, cel_timestamp(0, 0)));
}

static void
every_entry_of_a_large_map_is_found(void **state)
{
	struct cel_entry entries[MANY];

	(void)state;
	for (int i = 0; i < MANY; i++) {
		struct cel_value key = i % 3 == 0   ? cel_int(i - 100)
				       : i % 3 == 1 ? cel_uint((uint64_t)i << 40)
						    : text(arena_format(arena, "a-longer-name-%d", i));
		entries[i] = (struct cel_entry){key, cel_int(i)};
	}
	struct cel_value map = cel_map(arena, entries, MANY);
	for (int i = 0; i < MANY; i++) {
		const struct cel_value *value = cel_map_find(map.as.map, entries[i].key);

		assert_non_null(value);
		assert_int_equal(value->as.integer, i);
	}
	assert_int_equal(map.as.map->present, MANY);
}

static void
a_key_that_is_there_already_is_an_error_also_across_number_types(void **state)
{
	const struct cel_value twice[][2] = {
	    {cel_int(1), cel_int(1)},
	    {cel_int(1), cel_uint(1)},
	    {text("a"), text("a")},
	    {cel_bool(true), cel_bool(true)},
	};

	(void)state;
	for (size_t i = 0; i < sizeof twice / sizeof twice[0]; i++) {
		for (size_t j = 0; j < sizeof sizes / sizeof sizes[0]; j++) {
			struct cel_entry *entries = arena_take_array(arena, sizes[j] + 2, sizeof *entries);

			entries[0] = (struct cel_entry){twice[i][0], cel_null()};
			for (size_t k = 1; k <= sizes[j]; k++)
				entries[k] = (struct cel_entry){cel_int((int64_t)k + 1000), cel_null()};
			entries[sizes[j] + 1] = (struct cel_entry){twice[i][1], cel_null()};
			struct cel_value map = cel_map(arena, entries, sizes[j] + 2);
			assert_int_equal(map.kind, CEL_ERROR);
			assert_int_equal(map.code, CEL_DUPLICATE_KEY);
		}
	}
}

static void
only_bools_integers_and_texts_are_keys(void **state)
{
	const struct cel_value bad[] = {cel_double(1),	   cel_null(),
					cel_bytes("a", 1), cel_list(arena, NULL, 0),
					cel_duration(1),   {.kind = CEL_OPTIONAL}};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct cel_value map = map_with(bad[i], cel_null(), 0);

		assert_int_equal(map.kind, CEL_ERROR);
		assert_int_equal(map.code, CEL_NO_SUCH_OVERLOAD);
	}
}

static void
absent_fields_are_neither_found_nor_walked_nor_counted(void **state)
{
	struct cel_value absent = {.kind = CEL_ABSENT};
	struct cel_entry fields[] = {{text("a"), absent},
				     {text("b"), cel_null()},
				     {text("c"), absent},
				     {text("d"), cel_int(4)},
				     {text("e"), absent}};
	struct cel_value map = cel_map(arena, fields, 5);
	size_t position = 0;

	(void)state;
	assert_int_equal(map.as.map->count, 5);
	assert_int_equal(map.as.map->present, 2);
	assert_false(has(map, text("a")));
	assert_true(has(map, text("b")));
	assert_memory_equal(cel_map_next(map.as.map, &position)->key.as.bytes, "b", 1);
	assert_memory_equal(cel_map_next(map.as.map, &position)->key.as.bytes, "d", 1);
	assert_null(cel_map_next(map.as.map, &position));
	assert_null(cel_map_next(map.as.map, &position));
}

static void
an_empty_map_has_nothing(void **state)
{
	struct cel_value map = cel_map(arena, NULL, 0);
	size_t position = 0;

	(void)state;
	assert_false(has(map, cel_int(0)));
	assert_null(cel_map_next(map.as.map, &position));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_number_is_found_by_the_same_number_of_any_type),
	    cmocka_unit_test(doubles_that_are_no_integers_are_not_found),
	    cmocka_unit_test(texts_and_bools_are_found_as_they_are),
	    cmocka_unit_test(what_can_be_no_key_is_never_found),
	    cmocka_unit_test(every_entry_of_a_large_map_is_found),
	    cmocka_unit_test(a_key_that_is_there_already_is_an_error_also_across_number_types),
	    cmocka_unit_test(only_bools_integers_and_texts_are_keys),
	    cmocka_unit_test(absent_fields_are_neither_found_nor_walked_nor_counted),
	    cmocka_unit_test(an_empty_map_has_nothing),
	};

	return cmocka_run_group_tests_name("cel maps", tests, open_arena, close_arena);
}
