/* SPDX-License-Identifier: Apache-2.0 */
/* test_unparse.c - a tree is written as source that is the same tree again, with no more parentheses than it needs. */
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

static const char *
unparse(const char *source)
{
	struct cel_faults faults = {0};
	const struct cel_tree *tree = cel_parse(arena, source, strlen(source), 0, NULL, &faults);

	if (!tree)
		fail_msg("%s: %s", source, faults.items[0].text);
	return cel_unparse(arena, tree->root);
}

static void
sources_are_written_plainly_and_stay_the_same_tree(void **state)
{
	static const struct {
		const char *source, *again; /* NULL: the same */
	} rows[] = {
	    {"a", NULL},
	    {".a.b", NULL},
	    {"( ( a ) )", "a"},
	    {"1+2*3", "1 + 2 * 3"},
	    {"(1 + 2) * 3", NULL},
	    {"(1 * 2) + 3", "1 * 2 + 3"},
	    {"1 - (2 - 3)", NULL},
	    {"(1 - 2) - 3", "1 - 2 - 3"},
	    {"a < (b == c)", NULL},
	    {"(a < b) == c", "a < b == c"},
	    {"a in [1, 2]", NULL},
	    {"a && b && c && d", NULL},
	    {"(a && b) && c", "a && b && c"},
	    {"a && (b && c)", NULL},
	    {"(a || b || c) || (d || e || f)", "a || b || c || d || e || f"},
	    {"a || (b || (c || d))", NULL},
	    {"(a || b) && c", NULL},
	    {"a || b && c", NULL},
	    {"a ? b : c ? d : e", NULL},
	    {"(a ? b : c) ? d : e", NULL},
	    {"a ? (b ? c : d) : e", NULL},
	    {"(a ? b : c) || d", NULL},
	    {"!a", NULL},
	    {"!(a && b)", NULL},
	    {"!!a", "a"},
	    {"!(!a)", NULL},
	    {"-a", NULL},
	    {"-(-a)", NULL},
	    {"-(1)", NULL},
	    {"-(-1)", NULL},
	    {"-(1.5).a()", "-(1.5.a())"},
	    {"-(1.a())", NULL},
	    {"-1u", "-(1u)"},
	    {"!-1", NULL},
	    {"4--4", "4 - -4"},
	    {"(a + b).c", NULL},
	    {"(-a).c", NULL},
	    {"-a.c", NULL},
	    {"(a ? b : c)[0]", NULL},
	    {"a[b ? c : d]", NULL},
	    {"a.?b[?0].?`x-y`", NULL},
	    {"[?a, b, ?c]", NULL},
	    {"{?'k': v, 1: 2u}", NULL},
	    {"{}.a", NULL},
	    {"a.b.C{x: 1, ?`y-z`: [2]}", NULL},
	    {"A{}", NULL},
	    {"f()", NULL},
	    {"a.f(1, b ? c : d)", NULL},
	    {".f(a)", NULL},
	    {"a.`in`.`b c`.if", NULL},
	    {"has(a.b)", NULL},
	    {"has(a.`b-c`)", NULL},
	    {"l.all(x, x > 0 && has(x.y))", NULL},
	    {"m.transformMap(k, v, v > 0, v + 1)", NULL},
	    {"cel.bind(x, a + b, x * x)", NULL},
	    {"a.?b.optMap(x, x + 1).orValue(0)", NULL},
	    {"(a || b).map(x, x)", NULL},
	    {"9223372036854775807", NULL},
	    {"-9223372036854775808", NULL},
	    {"0x1F", "31"},
	    {"18446744073709551615u", NULL},
	    {"1.0", NULL},
	    {"0.1", NULL},
	    {"-0.0", NULL},
	    {"1e100", "1e+100"},
	    {"1e15", "1e+15"},
	    {"1e14", "100000000000000.0"},
	    {"0.30000000000000004", NULL},
	    {"1.7976931348623157e308", "1.7976931348623157e+308"},
	    {"5e-324", "4.94065645841247e-324"},
	    {"\"it's\"", "'it\\'s'"},
	    {"r'\\d'", "'\\\\d'"},
	    {"'''a\nb'''", "'a\\nb'"},
	    {"'\\x00\\x1b\\x7f'", NULL},
	    {"'\\u00e9\\U0001F601'", "'\xc3\xa9\xf0\x9f\x98\x81'"},
	    {"b'a\\xff\\x00'", NULL},
	    {"b'\\t\\''", NULL},
	    {"[true, false, null]", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const char *again = unparse(rows[i].source);

		assert_string_equal(again, rows[i].again ? rows[i].again : rows[i].source);
		assert_string_equal(shape_of(arena, again, 0), shape_of(arena, rows[i].source, 0));
		assert_string_equal(unparse(again), again);
	}
}

static void
a_part_of_a_tree_is_written_too(void **state)
{
	struct cel_faults faults = {0};
	const struct cel_node *conjuncts[2];
	const char *source = "a == 1&&(b||c)";
	const struct cel_tree *tree = cel_parse(arena, source, strlen(source), 0, NULL, &faults);

	(void)state;
	assert_int_equal(cel_conjuncts(tree->root, conjuncts, 2), 2);
	assert_string_equal(cel_unparse(arena, conjuncts[0]), "a == 1");
	assert_string_equal(cel_unparse(arena, conjuncts[1]), "b || c");
}

static void
chains_of_every_length_are_written_without_parentheses(void **state)
{
	struct buffer source = {.arena = arena};

	(void)state;
	buffer_add_text(&source, "a");
	for (int i = 0; i < 64; i++) {
		buffer_add_text(&source, " && a");
		assert_string_equal(unparse(source.bytes), source.bytes);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(sources_are_written_plainly_and_stay_the_same_tree),
	    cmocka_unit_test(a_part_of_a_tree_is_written_too),
	    cmocka_unit_test(chains_of_every_length_are_written_without_parentheses),
	};

	return cmocka_run_group_tests_name("cel unparse", tests, open_arena, close_arena);
}
