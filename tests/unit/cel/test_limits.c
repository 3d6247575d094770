/* SPDX-License-Identifier: Apache-2.0 */
/* test_limits.c - what the language demands can be read within the usual limits; each limit holds to the last one. */
#include "tests/unit/cel/shape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
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

/* before, part so many times, middle, part so many times, after */
struct pattern {
	const char *before, *part, *middle, *closing, *after;
};

static const char *
repeat(const struct pattern *pattern, size_t count)
{
	struct buffer out = {.arena = arena};

	buffer_add_text(&out, pattern->before ? pattern->before : "");
	for (size_t i = 0; i < count; i++)
		buffer_add_text(&out, pattern->part);
	buffer_add_text(&out, pattern->middle ? pattern->middle : "");
	for (size_t i = 0; i < count; i++)
		buffer_add_text(&out, pattern->closing ? pattern->closing : "");
	buffer_add_text(&out, pattern->after ? pattern->after : "");
	return out.bytes;
}

/* CEL_OK when it is read, else the code of the one fault. */
static enum cel_code
outcome(const char *source, const struct cel_limits *limits)
{
	struct cel_faults faults = {0};

	if (cel_parse(arena, source, strlen(source), 0, limits, &faults))
		return CEL_OK;
	assert_int_equal(faults.count, 1);
	return faults.items[0].code;
}

/* So many are read, one more is refused with this code. */
static void
check_edge(const struct pattern *pattern, size_t count, const struct cel_limits *limits, enum cel_code code)
{
	if (outcome(repeat(pattern, count), limits) != CEL_OK)
		fail_msg("%s was refused", repeat(pattern, count));
	if (outcome(repeat(pattern, count + 1), limits) != code)
		fail_msg("%s was read", repeat(pattern, count + 1));
}

static void
what_the_language_demands_is_read(void **state)
{
	static const struct pattern patterns[] = {
	    {.before = "a", .part = " || a"},
	    {.before = "a", .part = " && a"},
	    {.before = "a", .part = " < a"},
	    {.before = "a", .part = " + a"},
	    {.before = "a", .part = " * a"},
	    {.before = "a", .part = ".a"},
	    {.before = "a", .part = "[0]"},
	    {.before = "f(a", .part = ", a", .after = ")"},
	    {.before = "[a", .part = ", a", .after = "]"},
	    {.before = "{a: a", .part = ", a: a", .after = "}"},
	    {.before = "A{a: a", .part = ", a: a", .after = "}"},
	    {.part = "(", .middle = "a", .closing = ")"},
	    {.part = "[", .middle = "a", .closing = "]"},
	    {.part = "{0: ", .middle = "a", .closing = "}"},
	    {.part = "f(", .middle = "a", .closing = ")"},
	    {.part = "a[", .middle = "0", .closing = "]"},
	    {.part = "a ? b : ", .middle = "c"},
	    {.part = "!", .middle = "a"},
	    {.part = "-", .middle = "a"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
		if (outcome(repeat(&patterns[i], 32), NULL) != CEL_OK)
			fail_msg("%s was refused", repeat(&patterns[i], 32));
}

static void
depth_is_held_in_every_shape(void **state)
{
	static const struct pattern patterns[] = {
	    {.before = "a", .part = " < a"},
	    {.before = "a", .part = " + a"},
	    {.before = "a", .part = " * a"},
	    {.before = "a", .part = ".a"},
	    {.before = "a", .part = ".f()"},
	    {.before = "a", .part = ".?a"},
	    {.before = "a", .part = "[0]"},
	    {.part = "(", .middle = "a", .closing = ")"},
	    {.part = "[", .middle = "a", .closing = "]"},
	    {.part = "{0: ", .middle = "a", .closing = "}"},
	    {.part = "A{b: ", .middle = "a", .closing = "}"},
	    {.part = "f(", .middle = "a", .closing = ")"},
	    {.part = "a[", .middle = "0", .closing = "]"},
	    {.part = "a ? b : ", .middle = "c"},
	    {.part = "!(", .middle = "a", .closing = ")"},
	    {.part = "-(", .middle = "a", .closing = ")"},
	};
	const struct cel_limits low = {.depth = 5};

	(void)state;
	for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
		check_edge(&patterns[i], CEL_DEPTH_MAX, NULL, CEL_DEPTH);
		check_edge(&patterns[i], 5, &low, CEL_DEPTH);
	}
}

static void
chains_of_and_need_no_depth(void **state)
{
	const struct pattern chain = {.before = "a", .part = "&&a"};
	const struct cel_limits low = {.depth = 5};

	(void)state;
	check_edge(&chain, 31, &low, CEL_DEPTH); /* 32 terms are five levels */
	assert_int_equal(outcome(repeat(&chain, 255), NULL), CEL_OK);
}

static void
what_macros_become_counts_as_depth(void **state)
{
	const struct cel_limits four = {.depth = 4}, three = {.depth = 3};

	(void)state;
	/* a comprehension over a conditional over a sum over a list over the variable */
	assert_int_equal(outcome("a.filter(x, x)", &four), CEL_OK);
	assert_int_equal(outcome("a.filter(x, x)", &three), CEL_DEPTH);
}

static void
the_source_has_a_length_in_characters(void **state)
{
	const struct pattern ascii = {.before = "'", .part = "a", .after = "'"};
	const struct pattern wide = {.before = "'", .part = "\xf0\x9f\x98\x81", .after = "'"};
	const struct cel_limits low = {.source = 10};

	(void)state;
	check_edge(&ascii, CEL_SOURCE_MAX - 2, NULL, CEL_COST);
	check_edge(&wide, CEL_SOURCE_MAX - 2, NULL, CEL_COST);
	check_edge(&ascii, 8, &low, CEL_COST);
}

static void
nodes_are_counted(void **state)
{
	const struct pattern items = {.before = "[[a", .part = ",a", .after = "]]"};
	const struct pattern chain = {.before = "a", .part = "&&a"};
	const struct pattern negated = {.before = "!a", .part = "&&a"};
	const struct cel_limits low = {.nodes = 10};

	(void)state;
	check_edge(&items, 7, &low, CEL_COST);	   /* two lists and eight names */
	check_edge(&chain, 255, NULL, CEL_COST);   /* 256 names and 255 operators; two more are 513 */
	check_edge(&negated, 255, NULL, CEL_COST); /* 512, and 514 */
	assert_int_equal(outcome("a.map(x, x)", &(struct cel_limits){.nodes = 11}), CEL_OK);
	assert_int_equal(outcome("a.map(x, x)", &(struct cel_limits){.nodes = 10}), CEL_COST);
}

static void
literals_have_a_number_of_items(void **state)
{
	const struct pattern list = {.before = "[a", .part = ",a", .after = "]"};
	const struct pattern map = {.before = "{1:a", .part = ",1:a", .after = "}"};
	const struct pattern fields = {.before = "A{b:a", .part = ",b:a", .after = "}"};
	const struct cel_limits low = {.literal_items = 3}, many = {.nodes = 2000};

	(void)state;
	check_edge(&list, 2, &low, CEL_COST);
	check_edge(&map, 2, &low, CEL_COST);
	check_edge(&fields, 2, &low, CEL_COST);
	check_edge(&list, CEL_LITERAL_ITEMS_MAX - 1, NULL, CEL_COST);
	check_edge(&map, CEL_LITERAL_ITEMS_MAX - 1, &many, CEL_COST);
}

static void
comprehensions_lie_in_each_other_twice_at_most(void **state)
{
	static const char *const two[] = {
	    "a.all(x, x.all(y, y))",
	    "a.all(x, x.all(y, y)) && b.all(x, x.all(y, y))",
	    "a.filter(x, x).filter(x, x).filter(x, x).map(x, x)",
	    "a.all(x, b.filter(y, y).filter(y, y).exists(z, z))",
	    "cel.bind(p, a, cel.bind(q, b, cel.bind(r, c, a.all(x, x.all(y, y)))))",
	    "a.?b.optMap(x, x.optMap(y, y.all(z, z.all(w, w))))",
	    "a.all(x, cel.bind(q, x, q.all(y, y)))",
	};
	static const char *const three[] = {
	    "a.all(x, x.all(y, y.all(z, z)))",
	    "a.all(x, cel.bind(q, x, q.all(y, y.all(z, z))))",
	    "a.map(x, x.filter(y, true ? y.exists(z, z) : false))",
	    "a.transformList(k, v, v.map(x, x.map(y, y)))",
	};

	(void)state;
	for (size_t i = 0; i < sizeof two / sizeof two[0]; i++)
		if (outcome(two[i], NULL) != CEL_OK)
			fail_msg("%s was refused", two[i]);
	for (size_t i = 0; i < sizeof three / sizeof three[0]; i++)
		if (outcome(three[i], NULL) != CEL_DEPTH)
			fail_msg("%s was read", three[i]);
	assert_int_equal(outcome(three[0], &(struct cel_limits){.comprehensions = 3}), CEL_OK);
	assert_int_equal(outcome(two[0], &(struct cel_limits){.comprehensions = 1}), CEL_DEPTH);
}

static void
limits_that_are_raised_hold_where_they_are(void **state)
{
	const struct pattern lists = {.part = "[", .middle = "a", .closing = "]"};
	const struct cel_limits high = {.source = 10000, .nodes = 10000, .depth = 500, .literal_items = 10000};

	(void)state;
	check_edge(&lists, 500, &high, CEL_DEPTH);
}

static void
a_limit_that_is_passed_is_the_last_fault(void **state)
{
	struct buffer source = {.arena = arena};
	struct cel_faults faults = {0};

	(void)state;
	buffer_add_text(&source, "if && ");
	for (int i = 0; i < 1000; i++)
		buffer_add_text(&source, "(");
	buffer_add_text(&source, " $ if");
	assert_null(cel_parse(arena, source.bytes, source.length, 0, NULL, &faults));
	assert_int_equal(faults.count, 2);
	assert_int_equal(faults.items[0].code, CEL_SYNTAX);
	assert_int_equal(faults.items[1].code, CEL_DEPTH);
	assert_int_equal(faults.items[1].position, 6 + 33);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(what_the_language_demands_is_read),
	    cmocka_unit_test(depth_is_held_in_every_shape),
	    cmocka_unit_test(chains_of_and_need_no_depth),
	    cmocka_unit_test(what_macros_become_counts_as_depth),
	    cmocka_unit_test(the_source_has_a_length_in_characters),
	    cmocka_unit_test(nodes_are_counted),
	    cmocka_unit_test(literals_have_a_number_of_items),
	    cmocka_unit_test(comprehensions_lie_in_each_other_twice_at_most),
	    cmocka_unit_test(limits_that_are_raised_hold_where_they_are),
	    cmocka_unit_test(a_limit_that_is_passed_is_the_last_fault),
	};

	return cmocka_run_group_tests_name("cel limits", tests, open_arena, close_arena);
}
