/* SPDX-License-Identifier: Apache-2.0 */
/* test_value.c - values say what was put in, find their members, and are equal by meaning. */
#include "common/value/value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

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
each_kind_holds_its_content(void **state)
{
	assert_int_equal(value_null(*state)->kind, VALUE_NULL);
	assert_true(value_bool(*state, true)->as.boolean);
	assert_true(value_int(*state, INT64_MIN)->as.integer == INT64_MIN);
	assert_true(value_real(*state, 0.5)->as.real == 0.5);
	assert_int_equal(value_list(*state)->as.list.count, 0);
	assert_int_equal(value_map(*state)->as.map.count, 0);
}

static void
texts_are_copied(void **state)
{
	char source[] = "abcdef";
	struct value *value = value_text(*state, source, 3);

	source[0] = 'x';
	assert_int_equal(value->as.string.length, 3);
	assert_string_equal(value->as.string.bytes, "abc");
	assert_int_equal(value_text(*state, NULL, 0)->as.string.length, 0);
}

static void
no_string_is_null(void **state)
{
	assert_int_equal(value_string(*state, NULL)->kind, VALUE_NULL);
	assert_int_equal(value_string(*state, "")->kind, VALUE_STRING);
}

static void
lists_keep_their_order_while_they_grow(void **state)
{
	struct value *list = value_list(*state);

	for (int i = 0; i < 1000; i++)
		value_append(*state, list, value_int(*state, i));
	assert_int_equal(list->as.list.count, 1000);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(list->as.list.items[i]->as.integer, i);
}

static void
maps_keep_their_order_and_find_each_member(void **state)
{
	struct value *map = value_map(*state);
	char name[16] = "";

	for (int i = 300; i > 0; i--) {
		strcpy(name, arena_format(*state, "n%d", i));
		value_set(*state, map, name, value_int(*state, i));
	}
	strcpy(name, "overwritten"); /* names were copied */
	assert_string_equal(map->as.map.members[0].name.bytes, "n300");
	for (int i = 1; i <= 300; i++)
		assert_int_equal(value_get(map, arena_format(*state, "n%d", i))->as.integer, i);
}

static void
what_is_not_there_is_null(void **state)
{
	struct value *map = value_map(*state);

	value_set(*state, map, "name", value_int(*state, 1));
	assert_null(value_get(map, "nam"));
	assert_null(value_get(map, "names"));
	assert_null(value_get(NULL, "name"));
	assert_null(value_get(value_list(*state), "name"));
	assert_null(value_get_string(map, "name"));
	assert_null(value_get_string(map, "other"));
}

static void
an_absent_text_sets_no_member(void **state)
{
	struct value *map = value_map(*state);

	value_set_string(*state, map, "absent", NULL);
	value_set_string(*state, map, "empty", "");
	assert_int_equal(map->as.map.count, 1);
	assert_string_equal(value_get_string(map, "empty"), "");
}

static struct value *
pair(struct arena *arena, const char *first, const char *second)
{
	struct value *map = value_map(arena);

	value_set(arena, map, first, value_string(arena, first));
	value_set(arena, map, second, value_string(arena, second));
	return map;
}

static void
maps_are_equal_in_any_order(void **state)
{
	assert_true(value_equal(pair(*state, "a", "b"), pair(*state, "b", "a")));
	assert_false(value_equal(pair(*state, "a", "b"), pair(*state, "a", "c")));
	assert_false(value_equal(pair(*state, "a", "b"), value_map(*state)));
}

static void
a_missing_member_is_not_a_null_member(void **state)
{
	struct value *with = value_map(*state), *without = value_map(*state);

	value_set(*state, with, "a", value_null(*state));
	value_set(*state, without, "b", value_null(*state));
	assert_false(value_equal(with, without));
	assert_false(value_equal(with, value_map(*state)));
}

static void
lists_are_equal_only_in_order(void **state)
{
	struct value *one = value_list(*state), *other = value_list(*state);

	value_append(*state, one, value_int(*state, 1));
	value_append(*state, one, value_int(*state, 2));
	value_append(*state, other, value_int(*state, 2));
	value_append(*state, other, value_int(*state, 1));
	assert_false(value_equal(one, other));
	assert_true(value_equal(one, one));
	assert_false(value_equal(one, value_list(*state)));
}

static void
numbers_are_equal_by_value(void **state)
{
	struct value *whole = value_int(*state, 100);

	assert_true(value_equal(whole, value_real(*state, 100.0)));
	assert_true(value_equal(value_real(*state, 100.0), whole));
	assert_false(value_equal(whole, value_real(*state, 100.5)));
	assert_true(value_equal(value_real(*state, -0.0), value_int(*state, 0)));
	assert_false(value_equal(whole, value_string(*state, "100")));
	assert_false(value_equal(value_int(*state, 1), value_bool(*state, true)));
}

/* As doubles they would be the same. */
static void
large_integers_are_not_rounded_before_they_are_compared(void **state)
{
	struct value *odd = value_int(*state, 9007199254740993);

	assert_false(value_equal(odd, value_int(*state, 9007199254740992)));
	assert_false(value_equal(odd, value_real(*state, 9007199254740992.0)));
	assert_false(value_equal(value_int(*state, INT64_MAX), value_real(*state, 0x1p63)));
	assert_true(value_equal(value_int(*state, INT64_MIN), value_real(*state, -0x1p63)));
	assert_false(value_equal(value_int(*state, 0), value_real(*state, 1e300)));
}

static void
every_kind_has_its_name(void **state)
{
	static const char *const names[] = {"null", "bool", "int", "real", "string", "list", "map"};

	(void)state;
	for (int kind = VALUE_NULL; kind <= VALUE_MAP; kind++)
		assert_string_equal(value_kind_name((enum value_kind)kind), names[kind]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(each_kind_holds_its_content, open_arena, close_arena),
	    cmocka_unit_test_setup_teardown(texts_are_copied, open_arena, close_arena),
	    cmocka_unit_test_setup_teardown(no_string_is_null, open_arena, close_arena),
	    cmocka_unit_test_setup_teardown(lists_keep_their_order_while_they_grow, open_arena, close_arena),
	    cmocka_unit_test_setup_teardown(maps_keep_their_order_and_find_each_member, open_arena, close_arena),
	    cmocka_unit_test_setup_teardown(what_is_not_there_is_null, open_arena, close_arena),
	    cmocka_unit_test_setup_teardown(an_absent_text_sets_no_member, open_arena, close_arena),
	    cmocka_unit_test_setup_teardown(maps_are_equal_in_any_order, open_arena, close_arena),
	    cmocka_unit_test_setup_teardown(a_missing_member_is_not_a_null_member, open_arena, close_arena),
	    cmocka_unit_test_setup_teardown(lists_are_equal_only_in_order, open_arena, close_arena),
	    cmocka_unit_test_setup_teardown(numbers_are_equal_by_value, open_arena, close_arena),
	    cmocka_unit_test_setup_teardown(large_integers_are_not_rounded_before_they_are_compared,
					    open_arena, close_arena),
	    cmocka_unit_test(every_kind_has_its_name),
	};

	return cmocka_run_group_tests_name("value", tests, NULL, NULL);
}
