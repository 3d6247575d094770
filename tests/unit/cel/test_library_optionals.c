/* SPDX-License-Identifier: Apache-2.0 */
/* test_library_optionals.c - values that may be missing: made, chained, put into lists and maps, taken out again. */
#include "tests/unit/cel/expression.h"

static struct expression e;

static int
open_one(void **state)
{
	(void)state;
	expression_open(&e);
	return 0;
}

static int
close_one(void **state)
{
	(void)state;
	expression_close(&e);
	return 0;
}

static void
optionals_are_made_and_asked(void **state)
{
	static const struct expected all[] = {
	    {"optional.of(1)", "some 1"},
	    {"optional.of(null).hasValue()", "true"},
	    {"optional.none().hasValue()", "false"},
	    {"optional.of(1).value()", "1"},
	    {"optional.none().value()", "no_such_field at 21"},
	    {"optional.none().value() == 1 || true", "true"},
	    {"optional.of(1) == optional.of(1.0)", "true"},
	    {"optional.of(1) == optional.none()", "false"},
	    {"optional.none() == optional.none()", "true"},
	    {"optional.of(optional.none()).hasValue()", "true"},
	    {"optional.of(1/0)", "division_by_zero at 13"},
	    {"dyn(1).hasValue()", "no_such_overload at 15"},
	};

	(void)state;
	EXPRESSION_ALL(&e, all);
}

static void
zero_values_are_none(void **state)
{
	static const struct expected all[] = {
	    {"[null, false, 0, 0u, 0.0, '', b'', [], {}, duration('0s'), optional.none()]"
	     ".all(z, !optional.ofNonZeroValue(z).hasValue())",
	     "true"},
	    {"[true, 1, 1u, 0.1, 'a', b'a', [0], {0: 0}, duration('1s'), optional.of(0), int]"
	     ".all(z, optional.ofNonZeroValue(z).hasValue())",
	     "true"},
	};

	(void)state;
	EXPRESSION_ALL(&e, all);
}

static void
the_alternative_is_evaluated_only_when_it_is_needed(void **state)
{
	static const struct expected all[] = {
	    {"optional.of(1).orValue(1/0)", "1"},
	    {"optional.none().orValue(1/0)", "division_by_zero at 25"},
	    {"optional.none().orValue(2)", "2"},
	    {"optional.of(1).or(optional.of(1/0))", "some 1"},
	    {"optional.none().or(optional.of(2)).or(optional.of(1/0))", "some 2"},
	    {"optional.none().or(optional.none())", "none"},
	    {"optional.none().or(2)", "no_such_overload at 18"},
	    {"dyn(1).orValue(2)", "no_such_overload at 14"},
	    {"(1/0).orValue(2)", "division_by_zero at 2"},
	};

	(void)state;
	EXPRESSION_ALL(&e, all);
}

static void
selections_through_an_optional_are_optional(void **state)
{
	static const struct expected all[] = {
	    {"{'a': {'b': 1}}.?a", "some {'b': 1}"},
	    {"{'a': {'b': 1}}.?a.b", "some 1"},
	    {"{'a': {'b': 1}}.?a.c", "none"},
	    {"{'a': {'b': 1}}.?c.b.d", "none"},
	    {"{'a': {'b': {'c': 1}}}.?a.b.c.orValue(2)", "1"},
	    {"{'a': null}.?a.b", "no_such_overload at 14"},
	    {"{true: dyn(0)}[?false].absent.hasValue()", "false"},
	    {"{true: dyn(0)}[?true].absent.hasValue()", "no_such_overload at 21"},
	    {"optional.of({'c': {'i': 'x'}}).c['i'].orValue('y')", "'x'"},
	    {"optional.of({'c': {}}).c['i'].orValue('y')", "'y'"},
	    {"optional.none()[0]", "none"},
	    {"optional.of([1])[0]", "some 1"},
	    {"optional.of([1])[1]", "none"},
	    {"[1][?0]", "some 1"},
	    {"[1][?1]", "none"},
	    {"[1][?-1]", "none"},
	    {"[1][?dyn(1.0)]", "none"},
	    {"[1][?dyn(0.5)]", "index at 3"},
	    {"[1][?dyn(0.0 / 0.0)]", "index at 3"},
	    {"[1][?'a']", "no_such_overload at 3"},
	    {"{1u: 2}[?1.0]", "some 2"},
	    {"1[?0]", "no_such_overload at 1"},
	    {"has({}.?x.y)", "false"},
	    {"has({'x': {'y': 'z'}}.?x.y)", "true"},
	    {"has({'x': {}}.?x.y)", "false"},
	    {"has({'x': 1}.?x.y)", "no_such_overload at 3"},
	    {"optional.of([1]).a", "no_such_overload at 16"},
	};

	(void)state;
	EXPRESSION_ALL(&e, all);
}

static void
lists_and_maps_leave_out_what_is_none(void **state)
{
	static const struct expected all[] = {
	    {"[?optional.of(1), 2, ?optional.none()]", "[1, 2]"},
	    {"[?{}.?c, ?optional.none()]", "[]"},
	    {"{?'a': optional.of(1), 'b': 2, ?'c': optional.none()}", "{'a': 1, 'b': 2}"},
	    {"{?'a': optional.none(), 'a': 2}", "{'a': 2}"},
	    {"{?'a': optional.of(1), 'a': 2}", "duplicate_key at 0"},
	    {"[?1]", "no_such_overload at 0"},
	    {"{?'a': 1}", "no_such_overload at 0"},
	    {"[optional.of(1)]", "[some 1]"},
	    {"[?optional.of(1/0)]", "division_by_zero at 15"},
	};

	(void)state;
	EXPRESSION_ALL(&e, all);
}

static void
macros_work_on_what_is_inside(void **state)
{
	static const struct expected all[] = {
	    {"optional.of(42).optMap(y, y + 1)", "some 43"},
	    {"optional.none().optMap(y, 1/0)", "none"},
	    {"{'k': {'s': 'v'}}.?k.optFlatMap(k, k.?s)", "some 'v'"},
	    {"{}.?k.optFlatMap(k, k.?s)", "none"},
	    {"optional.of(1).optMap(y, optional.of(y))", "some some 1"},
	};

	(void)state;
	EXPRESSION_ALL(&e, all);
}

static void
lists_have_a_first_and_a_last_and_are_unwrapped(void **state)
{
	static const struct expected all[] = {
	    {"[1, 2].first()", "some 1"},
	    {"[1, 2].last()", "some 2"},
	    {"[].first()", "none"},
	    {"[].last()", "none"},
	    {"optional.unwrap([optional.of(1), optional.none()])", "[1]"},
	    {"[optional.none(), optional.of(2)].unwrapOpt()", "[2]"},
	    {"[1].unwrapOpt()", "no_such_overload at 13"},
	};

	(void)state;
	EXPRESSION_ALL(&e, all);
}

int
main(void)
{
#define TEST(NAME) cmocka_unit_test_setup_teardown(NAME, open_one, close_one)
	const struct CMUnitTest tests[] = {
	    TEST(optionals_are_made_and_asked),
	    TEST(zero_values_are_none),
	    TEST(the_alternative_is_evaluated_only_when_it_is_needed),
	    TEST(selections_through_an_optional_are_optional),
	    TEST(lists_and_maps_leave_out_what_is_none),
	    TEST(macros_work_on_what_is_inside),
	    TEST(lists_have_a_first_and_a_last_and_are_unwrapped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
