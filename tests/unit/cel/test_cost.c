/* SPDX-License-Identifier: Apache-2.0 */
/* test_cost.c - the static estimate: what it adds up and what it says when that is too much. */
#include "common/cel/cost.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

struct fixture {
	struct arena *arena;
	struct cel_env *env;
	struct cel_faults faults;
};

static const struct cel_type *
type(struct fixture *f, const char *text)
{
	struct error error = {0};
	const struct cel_type *parsed = cel_type_parse(f->arena, text, &error);

	assert_non_null(parsed);
	return parsed;
}

static void
declare(struct fixture *f, const char *name, const struct cel_type *of)
{
	struct error error = {0};
	size_t slot;

	assert_true(cel_declare(f->env, name, of, &slot, &error));
}

static int
set_up(void **state)
{
	struct arena *arena = arena_open();
	struct fixture *f = arena_take(arena, sizeof *f);
	struct cel_field *fields = arena_take_array(arena, 2, sizeof *fields);

	f->arena = arena;
	f->env = cel_env_open(arena);
	fields[0] = (struct cel_field){"branch", type(f, "string")};
	fields[1] = (struct cel_field){"tags", type(f, "list<string>")};
	declare(f, "text", type(f, "string"));
	declare(f, "number", type(f, "int"));
	declare(f, "words", type(f, "list<string>"));
	declare(f, "numbers", type(f, "list<int>"));
	declare(f, "labels", type(f, "map<string, string>"));
	declare(f, "grid", type(f, "list<list<int>>"));
	declare(f, "context", cel_type_record(arena, fields, 2));
	declare(f, "any", type(f, "dyn"));
	*state = f;
	return 0;
}

static int
tear_down(void **state)
{
	struct fixture *f = *state;

	cel_env_close(f->env);
	arena_close(f->arena);
	return 0;
}

static uint64_t
estimate(struct fixture *f, const char *source, uint64_t max)
{
	const struct cel_tree *tree;
	const struct cel_checked *checked;

	f->faults = (struct cel_faults){0};
	tree = cel_parse(f->arena, source, strlen(source), 0, NULL, &f->faults);
	checked = tree ? cel_check(f->env, f->arena, tree, NULL, &f->faults) : NULL;
	if (!checked)
		fail_msg("%s: %s", source, f->faults.items[0].text);
	struct cel_cost_question question = {f->env, tree, tree->root, checked, max};
	return cel_cost_estimate(&question, f->arena, &f->faults);
}

static void
costs(struct fixture *f, const char *source, uint64_t units)
{
	uint64_t found = estimate(f, source, 0);

	assert_int_equal(f->faults.count, 0);
	if (found != units)
		fail_msg("%s costs %llu, not %llu", source, (unsigned long long)found,
			 (unsigned long long)units);
}

static void
refused(struct fixture *f, const char *source, uint64_t max, const char *text)
{
	assert_true(estimate(f, source, max) > max);
	assert_int_equal(f->faults.count, 1);
	assert_int_equal(f->faults.items[0].code, CEL_COST);
	assert_string_equal(f->faults.items[0].text, text);
}

static void
weights_are_those_of_the_contract(void **state)
{
	costs(*state, "1", 0);
	costs(*state, "number", 1);
	costs(*state, "context.branch", 2);
	costs(*state, "context.branch == 'main'", 4);
	costs(*state, "number < 3", 3);
	costs(*state, "number == 1 && number == 2", 7);
	costs(*state, "number == 1 ? number : 2", 5);
	costs(*state, "[number, 1]", 11);
	costs(*state, "[1, 2]", 0);
	costs(*state, "number in [1, 2, 3]", 5);
	costs(*state, "context.branch in ['main', 'next', 'stable']", 4);
	costs(*state, "{'a': number}", 31);
	costs(*state, "has(context.branch)", 2);
	costs(*state, "optional.of(1) == optional.of(1)", 5);
}

static void
sizes_are_declared_or_as_a_request_allows(void **state)
{
	struct fixture *f = *state;

	costs(f, "numbers.all(n, n > 0)", 1 + 1024 * (1 + 2 + 2 + 3) + 1);
	cel_declare_size(f->env, "numbers", 10);
	costs(f, "numbers.all(n, n > 0)", 1 + 10 * (1 + 2 + 2 + 3) + 1);
	costs(f, "size(text)", 2 + 8192 / 10 + 1);
	cel_declare_size(f->env, "text", 100);
	costs(f, "size(text)", 2 + 100 / 10 + 1);
	costs(f, "size(context.tags[0])", 4 + 8192 / 10 + 1);
	cel_declare_size(f->env, "context.tags[]", 20);
	costs(f, "size(context.tags[0])", 4 + 20 / 10 + 1);
	costs(f, "size(context['branch'])", 3 + 8192 / 10 + 1);
	cel_declare_size(f->env, "context.branch", 20);
	costs(f, "size(context['branch'])", 3 + 20 / 10 + 1);
}

static void
a_simple_rule_costs_little_whatever_is_declared(void **state)
{
	struct fixture *f = *state;

	assert_true(estimate(f, "context.branch.startsWith('release/') && number <= 5000", 0) < 20);
	assert_true(estimate(f, "context.tags.exists(t, t in ['a', 'b'])", 0) < 10000);
	cel_declare_size(f->env, "context.tags", 32);
	assert_true(estimate(f, "context.tags.exists(t, t in ['a', 'b'])", 0) < 350);
	/* the counter of what was found is a number all the time */
	assert_true(estimate(f, "context.tags.exists_one(t, t in ['a', 'b'])", 0) < 350);
	assert_true(estimate(f, "context.tags.exists_one(i, t, i > 1 && t == 'a')", 0) < 400);
}

static void
a_refusal_names_the_expression_and_the_path_that_would_help(void **state)
{
	struct fixture *f = *state;

	refused(f, "number == 1 && context.tags.exists(t, t.contains('x'))", 10000,
		"may cost 848903 units, 10000 are allowed: context.tags.exists(t, t.contains('x')); a "
		"declared max of 12 "
		"or less for context.tags would do");
	cel_declare_size(f->env, "context.tags", 100);
	refused(f, "context.tags.exists(t, t.contains('x'))", 10000,
		"may cost 82903 units, 10000 are allowed: context.tags.exists(t, t.contains('x')); an "
		"enum for context.tags, of words of 899 bytes or less, would do");
	/* characters, of which one takes four bytes at most */
	refused(
	    f, "text.matches('^(a|b)+$')",
	    500, "may cost 1846 units, 500 are allowed: text.matches('^(a|b)+$'); a declared max of 553 or less for text would do");
	refused(
	    f, "any.all(r, r[0] > 9)",
	    500, "may cost 9218 units, 500 are allowed: any.all(r, r[0] > 9); a declared max of 55 or less for any would do");
	refused(f, "grid.exists(r, r.exists(c, c > 9))", 10000,
		"may cost 9445378 units, 10000 are allowed: grid.exists(r, r.exists(c, c > 9)); a declared "
		"max of 1 or less for grid would do");
	assert_int_equal(estimate(f, "[1, 2, number]", 11), 11);
	assert_int_equal(f->faults.count, 0);
	refused(f, "[1, 2, number]", 10, "may cost 11 units, 10 are allowed: [1, 2, number]");
	refused(f, "[1, 2, number]", 5, "may cost 11 units, 5 are allowed: [1, 2, number]");
}

static void
nested_loops_multiply(void **state)
{
	struct fixture *f = *state;

	refused(f, "words.all(a, words.all(b, a != b))", 10000,
		"may cost 9444354 units, 10000 are allowed: words.all(a, words.all(b, a != b)); a declared "
		"max of 32 or "
		"less for words "
		"would do");
	cel_declare_size(f->env, "words", 32);
	assert_true(estimate(f, "words.all(a, words.all(b, a != b))", 10000) <= 10000);
}

static void
what_is_bound_once_is_paid_once(void **state)
{
	costs(*state, "cel.bind(x, number, x + x)", 1 + 3);
}

int
main(void)
{
#define TEST(NAME) cmocka_unit_test_setup_teardown(NAME, set_up, tear_down)
	const struct CMUnitTest tests[] = {
	    TEST(weights_are_those_of_the_contract),
	    TEST(sizes_are_declared_or_as_a_request_allows),
	    TEST(a_simple_rule_costs_little_whatever_is_declared),
	    TEST(a_refusal_names_the_expression_and_the_path_that_would_help),
	    TEST(nested_loops_multiply),
	    TEST(what_is_bound_once_is_paid_once),
	};

	return cmocka_run_group_tests_name("cost", tests, NULL, NULL);
}
