/* SPDX-License-Identifier: Apache-2.0 */
/* test_check_unify.c - which type fits where, and what free variables become by it. */
#include "common/cel/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

struct fixture {
	struct cel_unifier unifier;
	struct cel_instance instance; /* one letter is one variable through a test */
};

static int
set_up(void **state)
{
	struct arena *arena = arena_open();
	struct fixture *f = arena_take(arena, sizeof *f);

	f->unifier.arena = arena;
	f->unifier.work_max = CEL_UNIFY_WORK_MAX;
	*state = f;
	return 0;
}

static int
tear_down(void **state)
{
	struct fixture *f = *state;

	arena_close(f->unifier.arena);
	return 0;
}

static const struct cel_type *
type(struct fixture *f, const char *text)
{
	struct error error = {0};
	const struct cel_type *parsed = cel_type_parse(f->unifier.arena, text, &error);

	assert_non_null(parsed);
	return cel_unify_instantiate(&f->unifier, parsed, &f->instance);
}

static bool
fits(struct fixture *f, const char *from, const char *to)
{
	return cel_unify_assignable(&f->unifier, type(f, from), type(f, to));
}

static void
assert_is(struct fixture *f, const char *text, const char *expected)
{
	const struct cel_type *resolved = cel_unify_resolve(&f->unifier, type(f, text), true);

	assert_string_equal(cel_type_text(f->unifier.arena, resolved), expected);
}

static void
assert_join(struct fixture *f, const char *left, const char *right, const char *expected)
{
	const struct cel_type *joined = cel_unify_join(&f->unifier, type(f, left), type(f, right));

	assert_string_equal(cel_type_text(f->unifier.arena, cel_unify_resolve(&f->unifier, joined, true)),
			    expected);
}

static void
a_type_fits_itself_and_no_other(void **state)
{
	static const char *const texts[] = {"bool",   "int",	  "uint",      "double",
					    "string", "bytes",	  "timestamp", "duration",
					    "net.IP", "net.CIDR", "list<int>", "map<string, int>"};
	size_t count = sizeof texts / sizeof texts[0];

	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < count; j++)
			assert_int_equal(fits(*state, texts[i], texts[j]), i == j);
}

static void
dyn_fits_everything_in_both_directions(void **state)
{
	assert_true(fits(*state, "dyn", "int"));
	assert_true(fits(*state, "int", "dyn"));
	assert_true(fits(*state, "list<dyn>", "list<int>"));
	assert_true(fits(*state, "map<dyn, string>", "map<int, dyn>"));
	assert_false(fits(*state, "map<dyn, string>", "map<int, int>"));
}

static void
null_fits_what_may_be_null(void **state)
{
	assert_true(fits(*state, "null_type", "wrapper<int>"));
	assert_true(fits(*state, "wrapper<int>", "null_type"));
	assert_true(fits(*state, "null_type", "timestamp"));
	assert_true(fits(*state, "null_type", "optional<int>"));
	assert_true(fits(*state, "null_type", "set<int>"));
	assert_false(fits(*state, "null_type", "int"));
	assert_false(fits(*state, "null_type", "string"));
	assert_false(fits(*state, "null_type", "list<int>"));
	assert_false(fits(*state, "map<string, int>", "null_type"));
}

static void
a_wrapper_fits_its_scalar(void **state)
{
	assert_true(fits(*state, "wrapper<int>", "int"));
	assert_true(fits(*state, "int", "wrapper<int>"));
	assert_true(fits(*state, "wrapper<int>", "wrapper<int>"));
	assert_false(fits(*state, "wrapper<int>", "string"));
	assert_false(fits(*state, "wrapper<int>", "wrapper<string>"));
	assert_join(*state, "int", "wrapper<int>", "wrapper<int>");
	assert_join(*state, "wrapper<int>", "int", "wrapper<int>");
	assert_join(*state, "wrapper<int>", "null_type", "wrapper<int>");
	assert_join(*state, "null_type", "wrapper<int>", "wrapper<int>");
}

static void
a_variable_becomes_what_it_meets(void **state)
{
	assert_true(fits(*state, "list<A>", "list<int>"));
	assert_is(*state, "A", "int");
	assert_false(fits(*state, "string", "A"));
	assert_is(*state, "A", "int");
}

static void
a_variable_widens_to_dyn(void **state)
{
	assert_true(fits(*state, "int", "A"));
	assert_true(fits(*state, "dyn", "A"));
	assert_is(*state, "list<A>", "list<dyn>");
}

static void
variables_are_chained(void **state)
{
	assert_true(fits(*state, "A", "B"));
	assert_true(fits(*state, "B", "C"));
	assert_true(fits(*state, "string", "A"));
	assert_is(*state, "map<B, C>", "map<string, string>");
}

static void
a_variable_never_holds_itself(void **state)
{
	assert_false(fits(*state, "A", "list<A>"));
	assert_true(fits(*state, "A", "list<B>"));
	assert_false(fits(*state, "B", "A"));
	assert_is(*state, "A", "list<dyn>");
}

static void
a_failed_attempt_binds_nothing(void **state)
{
	struct fixture *f = *state;
	const struct cel_type *from[] = {type(f, "A"), type(f, "int")};
	const struct cel_type *to[] = {type(f, "int"), type(f, "string")};

	assert_false(cel_unify_all(&f->unifier, from, to, 2));
	assert_true(fits(f, "A", "string"));
	assert_is(f, "A", "string");
}

static void
joins_are_the_more_general_or_dyn(void **state)
{
	assert_join(*state, "int", "int", "int");
	assert_join(*state, "int", "string", "dyn");
	assert_join(*state, "int", "dyn", "dyn");
	assert_join(*state, "list<int>", "list<dyn>", "list<dyn>");
	assert_join(*state, "list<dyn>", "list<int>", "list<dyn>");
	assert_join(*state, "optional<int>", "null_type", "optional<int>");
	assert_join(*state, "list<A>", "list<list<int>>", "list<list<int>>");
}

static void
records_are_maps_to_whoever_asks_for_maps(void **state)
{
	struct fixture *f = *state;
	struct cel_field fields[] = {{"a", type(f, "int")}, {"b", type(f, "string")}};
	const struct cel_type *two = cel_type_record(f->unifier.arena, fields, 2);
	const struct cel_type *one = cel_type_record(f->unifier.arena, fields, 1);
	const struct cel_type *map = type(f, "map<A, B>");
	const struct cel_type *strings = type(f, "map<string, string>");

	assert_true(cel_unify_assignable(&f->unifier, two, map));
	assert_is(f, "map<A, B>", "map<string, dyn>");
	assert_false(cel_unify_assignable(&f->unifier, two, type(f, "map<int, dyn>")));
	assert_false(cel_unify_assignable(&f->unifier, two, type(f, "list<string>")));
	assert_ptr_equal(cel_unify_join(&f->unifier, two, two), two);
	assert_string_equal(cel_type_text(f->unifier.arena, cel_unify_join(&f->unifier, two, strings)),
			    "map<string, dyn>");
	assert_int_equal(cel_unify_join(&f->unifier, one, two)->kind, CEL_T_MAP);
}

static void
types_that_grow_without_end_are_given_up(void **state)
{
	struct fixture *f = *state;
	const struct cel_type *pair = cel_type_simple(CEL_T_INT), *other = pair;

	for (int i = 0; i < 40; i++) { /* 2^40 leaves */
		pair = cel_type_map(f->unifier.arena, pair, pair);
		other = cel_type_map(f->unifier.arena, other, other);
	}
	assert_false(cel_unify_assignable(&f->unifier, pair, other));
	assert_true(f->unifier.work >= f->unifier.work_max);
	assert_int_equal(cel_unify_resolve(&f->unifier, pair, true)->kind, CEL_T_DYN);
}

static void
assert_nearest(const char *wanted, const char *const *names, const char *expected)
{
	struct check_nearest nearest = {.wanted = wanted};

	for (size_t i = 0; names[i]; i++)
		check_nearest_try(&nearest, names[i]);
	if (expected)
		assert_string_equal(nearest.name ? nearest.name : "nothing", expected);
	else
		assert_null(nearest.name);
}

static void
the_nearest_name_is_found(void **state)
{
	static const char *const names[] = {"context", "agent_id", "startsWith", "action", "size", "x", NULL};

	(void)state;
	assert_nearest("contxt", names, "context");
	assert_nearest("cotnext", names, "context");
	assert_nearest("startswith", names, "startsWith");
	assert_nearest("agentid", names, "agent_id");
	assert_nearest("actions", names, "action");
	assert_nearest("weather", names, NULL);
	assert_nearest("y", names, NULL);
	assert_nearest("", names, NULL);
}

static void
of_two_as_near_the_first_by_the_alphabet_is_named(void **state)
{
	static const char *const one[] = {"bar1", "bar2", NULL}, *const other[] = {"bar2", "bar1", NULL};

	(void)state;
	assert_nearest("bar3", one, "bar1");
	assert_nearest("bar3", other, "bar1");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(a_type_fits_itself_and_no_other, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(dyn_fits_everything_in_both_directions, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(null_fits_what_may_be_null, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(a_wrapper_fits_its_scalar, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(a_variable_becomes_what_it_meets, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(a_variable_widens_to_dyn, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(variables_are_chained, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(a_variable_never_holds_itself, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(a_failed_attempt_binds_nothing, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(joins_are_the_more_general_or_dyn, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(records_are_maps_to_whoever_asks_for_maps, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(types_that_grow_without_end_are_given_up, set_up, tear_down),
	    cmocka_unit_test(the_nearest_name_is_found),
	    cmocka_unit_test(of_two_as_near_the_first_by_the_alphabet_is_named),
	};

	return cmocka_run_group_tests_name("check_unify", tests, NULL, NULL);
}
