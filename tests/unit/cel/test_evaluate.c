/* SPDX-License-Identifier: Apache-2.0 */
/* test_evaluate.c - what expressions are at run time: errors that are absorbed and those that are not, names, records, limits. Unchecked unless
 * a test says otherwise: then nothing but the machine stands between an operand and its operator. */
#include "tests/unit/cel/expression.h"

static struct expression e;

static int
open_one(void **state)
{
	(void)state;
	expression_open(&e);
	expression_declare(&e, "x", "int", cel_int(7));
	expression_declare(&e, "u", "bool", (struct cel_value){.kind = CEL_ABSENT});
	expression_declare(&e, "d", "dyn", expression_string(&e, "main"));
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
and_and_or_absorb_an_error_on_either_side(void **state)
{
	static const struct expected all[] = {
	    {"(1/0 == 1) || true", "true"},
	    {"true || (1/0 == 1)", "true"},
	    {"(1/0 == 1) && false", "false"},
	    {"false && (1/0 == 1)", "false"},
	    {"(1/0 == 1) || false", "division_by_zero at 2"},
	    {"false || (1/0 == 1)", "division_by_zero at 11"},
	    {"(1/0 == 1) && true", "division_by_zero at 2"},
	    {"true && (1/0 == 1)", "division_by_zero at 10"},
	    {"(1/0 == 1) && (1%0 == 1)", "division_by_zero at 2"},
	    {"false || 1/0 == 1 || true", "true"},
	    {"true && 1/0 == 1 && false", "false"},
	    {"1/0 == 1 && 1/0 == 2 && 1/0 == 3 && false", "false"},
	    {"true || 1/0 == 1 && 1/0 == 2", "true"},
	    {"u || true", "true"},
	    {"u && false", "false"},
	    {"nowhere || true", "true"},
	    {"nothing(1) || true", "true"},
	    {"x.nothing(1) && false", "false"},
	};

	(void)state;
	EXPRESSION_ALL(&e, all);
}

static void
what_is_no_bool_is_an_error_that_is_absorbed_like_any_other(void **state)
{
	static const struct expected all[] = {
	    {"false && 32", "false"},
	    {"32 && false", "false"},
	    {"true || 'a'", "true"},
	    {"'a' || true", "true"},
	    {"true && 32", "not_bool at 5"},
	    {"32 && true", "not_bool at 3"},
	    {"32 || false", "not_bool at 3"},
	    {"1 && 2", "not_bool at 2"},
	    {"null || false", "not_bool at 5"},
	    {"1 ? 2 : 3", "not_bool at 2"},
	};

	(void)state;
	EXPRESSION_ALL(&e, all);
}

/* Of two operands, as cel-spec has it: what decides wins over errors, errors over the rest, the left one over the right one. */
static char
decided(char left, char right, bool and)
{
	char decides = and ? 'f' : 't';

	if (left == decides || right == decides)
		return decides;
	return left == 'e' || right == 'e' ? 'e' : left;
}

static const char *
operand(char value)
{
	return value == 't' ? "(1 == 1)" : value == 'f' ? "(1 == 2)" : "(1/0 == 1)";
}

/* Three operands with two operators, either of them first. */
static void
truth(const char values[3], bool first_and, bool second_and, bool left_first)
{
	char source[128], both = left_first ? decided(values[0], values[1], first_and)
					    : decided(values[1], values[2], second_and);
	char whole = left_first ? decided(both, values[2], second_and) : decided(values[0], both, first_and);
	const char *value, *word = whole == 't' ? "true" : whole == 'f' ? "false" : "division_by_zero";

	snprintf(source, sizeof source, left_first ? "(%s %s %s) %s %s" : "%s %s (%s %s %s)",
		 operand(values[0]), first_and ? "&&" : "||", operand(values[1]), second_and ? "&&" : "||",
		 operand(values[2]));
	value = expression_value(&e, source);
	if (strncmp(value, word, strlen(word)) != 0)
		fail_msg("%s: %s, expected %s", source, value, word);
}

static void
every_mixture_of_three_operands_is_decided_by_the_table(void **state)
{
	static const char values[] = "tfe";

	(void)state;
	for (int i = 0; i < 27 * 8; i++)
		truth((char[]){values[i % 3], values[i / 3 % 3], values[i / 9 % 3]}, i / 27 & 1, i / 54 & 1,
		      i / 108 & 1);
}

static void
the_branch_that_is_not_taken_is_not_evaluated(void **state)
{
	static const struct expected all[] = {
	    {"true ? 1 : 1/0", "1"},
	    {"false ? 1/0 : 2", "2"},
	    {"1/0 == 1 ? 1 : 2", "division_by_zero at 1"},
	    {"(1/0 == 1 ? true : true) || true", "true"},
	    {"true ? (false ? 1 : 2) : 3", "2"},
	    {"[true ? 1 : 2, false ? 3 : 4]", "[1, 4]"},
	};

	(void)state;
	EXPRESSION_ALL(&e, all);
}

static void
all_and_exists_absorb_and_the_other_macros_do_not(void **state)
{
	static const struct expected all[] = {
	    {"[1, 2].exists(i, 1/(i-1) == 1 && i == 2)", "true"},
	    {"[1, 2].exists(i, 1/(i-1) == 2)", "division_by_zero at 18"},
	    {"[1, 2].all(i, 1/(i-1) == 2)", "false"},
	    {"[1, 2].all(i, 1/(i-1) == 1)", "division_by_zero at 15"},
	    {"[1, 2, 3].all(i, 6/(3-i) > 1 && i < 3)", "false"},
	    {"[1, 2].exists_one(i, 1/(i-1) == 1)", "division_by_zero at 22"},
	    {"[2, 1].exists_one(i, 1/(i-1) == 1)", "division_by_zero at 22"},
	    {"[1, 2].map(i, 1/(i-1))", "division_by_zero at 15"},
	    {"[2, 1].map(i, 1/(i-1))", "division_by_zero at 15"},
	    {"[1, 2].filter(i, 1/(i-1) == 1)", "division_by_zero at 18"},
	    {"[2, 1].filter(i, 1/(i-1) == 1)", "division_by_zero at 18"},
	    {"[2, 1, 0].map(i, i < 2, 1/i)", "division_by_zero at 25"},
	    {"[1, 'a'].all(i, i < 2)", "no_such_overload at 18"},
	    {"[5, 'a'].all(i, i < 2)", "false"},
	    {"[1].all(i, 32)", "not_bool at 7"},
	    {"[1].filter(i, 32)", "not_bool at 10"},
	    {"x.exists(i, true)", "no_such_overload at 8"},
	    {"(1/0).exists(i, true)", "division_by_zero at 2"},
	};

	(void)state;
	EXPRESSION_ALL(&e, all);
}

static void
comprehensions_nest_shadow_and_build(void **state)
{
	static const struct expected all[] = {
	    {"[1, 2, 3].map(i, i * i)", "[1, 4, 9]"},
	    {"[1, 2, 3].filter(i, i != 2)", "[1, 3]"},
	    {"[1, 2, 3].map(i, i > 1, i * 2)", "[4, 6]"},
	    {"[].map(i, 1/0)", "[]"},
	    {"[[1, 2], [3]].map(l, l.map(i, i + 1))", "[[2, 3], [4]]"},
	    {"[1, 2].map(i, [i].map(j, j + i))", "[[2], [4]]"},
	    {"[1, 2].map(x, x) + [x]", "[1, 2, 7]"},
	    {"[1].map(x, [2].map(x, x)[0] + x)", "[3]"},
	    {"[1].exists(x, .x == 7 && x == 1)", "true"},
	    {"[3, 4].exists_one(i, i > 3)", "true"},
	    {"[4, 4].exists_one(i, i > 3)", "false"},
	    {"{'a': 1, 'b': 2}.map(k, k)", "['a', 'b']"},
	    {"{'a': 1}.exists(k, v, k == 'a' && v == 1)", "true"},
	    {"[5, 6].exists(i, v, i == 1 && v == 6)", "true"},
	    {"[5, 6].all(i, v, v == i + 5)", "true"},
	    {"[5, 6].existsOne(i, v, v == 6)", "true"},
	    {"[5, 6].transformList(i, v, i * v)", "[0, 6]"},
	    {"[5, 6].transformList(i, v, i > 0, v)", "[6]"},
	    {"{'a': 1}.transformMap(k, v, v + 1)", "{'a': 2}"},
	    {"['a', 'b'].transformMapEntry(i, v, {v: i})", "{'a': 0, 'b': 1}"},
	    {"['a', 'a'].transformMapEntry(i, v, {v: i})", "duplicate_key at 28"},
	    {"[1, 2].transformMapEntry(i, v, i > 0, {v: i, v + 5: i})", "{2: 1, 7: 1}"},
	    {"cel.bind(y, x + 1, y * y)", "64"},
	    {"cel.bind(y, [1, 2], y.map(i, y.size() + i))", "[3, 4]"},
	    {"cel.bind(y, 1/0, true)", "true"},
	    {"cel.bind(y, 1/0, y)", "division_by_zero at 13"},
	};

	(void)state;
	EXPRESSION_ALL(&e, all);
}

/* No macro looks at what it builds, but a tree may. */
static void
a_loop_that_looks_at_what_it_builds_sees_it(void **state)
{
	struct cel_node ident = {.kind = CEL_N_IDENT, .id = 1, .name = "m"},
			item = {.kind = CEL_N_IDENT, .id = 2, .name = "i"};
	struct cel_node one = {.kind = CEL_N_LITERAL, .id = 3, .value = cel_int(1)};
	const struct cel_node *none[1] = {0}, *sized[] = {&ident}, *added[] = {&ident, &item, &one};
	struct cel_node size = {
	    .kind = CEL_N_CALL, .id = 4, .name = "size", .arguments = sized, .argument_count = 1};
	const struct cel_node *compared[] = {&size, &one};
	struct cel_node few = {
	    .kind = CEL_N_CALL, .id = 5, .name = "_<=_", .arguments = compared, .argument_count = 2};
	struct cel_node insert = {
	    .kind = CEL_N_CALL, .id = 6, .name = "cel.@mapInsert", .arguments = added, .argument_count = 3};
	struct cel_node empty = {.kind = CEL_N_MAP, .id = 7, .arguments = none};
	struct cel_node range = {.kind = CEL_N_IDENT, .id = 8, .name = "range"};
	struct cel_node loop = {.kind = CEL_N_COMPREHENSION, .id = 9};
	struct cel_tree tree = {.source = "", .root = &loop, .node_count = 9};
	struct cel_value *items = arena_take_array(e.arena, 4, sizeof *items);
	const struct cel_program *program;
	struct cel_value map;

	(void)state;
	for (int i = 0; i < 4; i++)
		items[i] = cel_int(i);
	expression_declare(&e, "range", "list<int>", cel_list(e.arena, items, 4));
	loop.loop.iterator = "i";
	loop.loop.accumulator = "m";
	loop.loop.range = &range;
	loop.loop.init = &empty;
	loop.loop.condition = &few;
	loop.loop.step = &insert;
	loop.loop.result = &ident;
	program = cel_compile(e.env, &tree, &loop, NULL, 0, &e.faults);
	assert_non_null(program);
	map = cel_evaluate(program, &e.run, e.arena);
	assert_int_equal(map.kind, CEL_MAP);
	assert_int_equal(map.as.map->present, 2);
}

static void
numbers_compare_across_types_and_do_not_mix_in_arithmetic(void **state)
{
	static const struct expected all[] = {
	    {"dyn(1.0) == 1", "true"},
	    {"dyn(1u) == 1", "true"},
	    {"1 != dyn(1.0)", "false"},
	    {"dyn(18446744073709551615u) > -1", "true"},
	    {"dyn(-1) < 0u", "true"},
	    {"dyn(9007199254740993) == 9007199254740992.0", "true"},
	    {"dyn(0.0/0.0) == 0.0/0.0", "false"},
	    {"0.0/0.0 != 0.0/0.0", "true"},
	    {"0.0/0.0 < 1.0", "false"},
	    {"0.0/0.0 >= 1.0", "false"},
	    {"dyn(1) + dyn(1.0)", "no_such_overload at 7"},
	    {"1 + 1u", "no_such_overload at 2"},
	    {"dyn('a') < dyn(1)", "no_such_overload at 9"},
	    {"dyn('1') == 1", "false"},
	    {"null == dyn(0)", "false"},
	    {"null == null", "true"},
	    {"[1, 2.0, 3u] == [1.0, 2u, 3]", "true"},
	    {"{'a': 1} == {'a': 1.0}", "true"},
	    {"{1: 2} == {1u: 2}", "true"},
	    {"[1] == 1", "false"},
	    {"null < null", "no_such_overload at 5"},
	    {"[1] < [2]", "no_such_overload at 4"},
	};

	(void)state;
	EXPRESSION_ALL(&e, all);
}

static void
members_are_found_across_numeric_types(void **state)
{
	static const struct expected all[] = {
	    {"1 in [1.0, 2.0]", "true"},
	    {"3u in [1, 2, 3]", "true"},
	    {"dyn('a') in [1, 2]", "false"},
	    {"'a' in ['b', 'c', 'a']", "true"},
	    {"x in [x]", "true"},
	    {"x in [1, x]", "true"},
	    {"1/0 in [1]", "division_by_zero at 1"},
	    {"1 in [1/0]", "division_by_zero at 7"},
	    {"1 in 1", "no_such_overload at 2"},
	    {"'a' in 'abc'", "no_such_overload at 4"},
	    {"d in ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'main']", "true"},
	    {"d in ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'mainz']", "false"},
	    {"'' in ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', '']", "true"},
	    {"1.0 in {1: 'a'}", "true"},
	    {"1.5 in {1: 'a'}", "false"},
	    {"[] in []", "false"},
	    {"[] in [[]]", "true"},
	};

	(void)state;
	EXPRESSION_ALL(&e, all);
}

static void
indices_and_keys_cross_numeric_types_and_must_be_there(void **state)
{
	static const struct expected all[] = {
	    {"{1: 'a'}[1.0]", "'a'"},
	    {"{1u: 'a'}[1]", "'a'"},
	    {"{1: 'a'}[2]", "no_such_field at 8"},
	    {"{1: 'a'}[1.5]", "no_such_field at 8"},
	    {"{1: 'a'}[[]]", "no_such_overload at 8"},
	    {"[5, 6][1]", "6"},
	    {"[5, 6][1u]", "6"},
	    {"[5, 6][1.0]", "6"},
	    {"[5, 6][1.5]", "index at 6"},
	    {"[5, 6][2]", "index at 6"},
	    {"[5, 6][-1]", "index at 6"},
	    {"[5, 6][0.0/0.0]", "index at 6"},
	    {"[5, 6]['0']", "no_such_overload at 6"},
	    {"'abc'[0]", "no_such_overload at 5"},
	    {"{1: 'a', 1u: 'b'}", "duplicate_key at 0"},
	    {"{'a': 1, 'a': 2} == {} || true", "true"},
	    {"{1.5: 'a'}", "no_such_overload at 0"},
	    {"{[]: 'a'}", "no_such_overload at 0"},
	    {"{x: 1, 7: 2}", "duplicate_key at 0"},
	};

	(void)state;
	EXPRESSION_ALL(&e, all);
}

static void
a_missing_key_is_an_error_and_null_is_a_value(void **state)
{
	static const struct expected all[] = {
	    {"{}.a", "no_such_field at 2"},	   {"{}.a == null", "no_such_field at 2"},
	    {"{'a': null}.a == null", "true"},	   {"has({'a': null}.a)", "true"},
	    {"has({'a': null}.b)", "false"},	   {"has({'a': {}}.a.b)", "false"},
	    {"has({}.a.b)", "no_such_field at 6"}, {"has(x.b)", "no_such_overload at 3"},
	    {"has(u.b)", "unbound at 4"},	   {"x.b", "no_such_overload at 1"},
	    {"[1].b", "no_such_overload at 3"},	   {"null.b", "no_such_overload at 4"},
	};

	(void)state;
	EXPRESSION_ALL(&e, all);
}

static void
a_record_has_only_the_fields_that_are_there(void **state)
{
	static const struct expected all[] = {
	    {"r.name", "'n'"},
	    {"r.gone", "no_such_field at 1"},
	    {"has(r.gone)", "false"},
	    {"has(r.name)", "true"},
	    {"r['name']", "'n'"},
	    {"r['gone']", "no_such_field at 1"},
	    {"r.?gone", "none"},
	    {"r.?name", "some 'n'"},
	    {"'gone' in r", "false"},
	    {"r.map(k, k)", "['name', 'last']"},
	    {"size(r)", "2"},
	    {"r == {'last': 3, 'name': 'n'}", "true"},
	    {"r.never", "no_such_field at 1"},
	};
	static const struct expected wrong[] = {
	    {"r.name", "'n'"},
	    {"r.last", "no_such_field at 1"},
	    {"has(r.last)", "false"},
	};
	struct cel_field fields[] = {
	    {"name", cel_type_simple(CEL_T_STRING)},
	    {"gone", cel_type_simple(CEL_T_STRING)},
	    {"last", cel_type_simple(CEL_T_INT)},
	};
	struct cel_entry entries[] = {
	    {expression_string(&e, "name"), expression_string(&e, "n")},
	    {expression_string(&e, "gone"), {.kind = CEL_ABSENT}},
	    {expression_string(&e, "last"), cel_int(3)},
	};
	struct error error = {0};
	size_t slot;

	(void)state;
	assert_true(cel_declare(e.env, "r", cel_type_record(e.arena, fields, 3), &slot, &error));
	e.slots[slot] = cel_map(e.arena, entries, 3);
	EXPRESSION_ALL(&e, all);
	e.slots[slot] = cel_map(e.arena, entries + 1, 1); /* a map that is not laid out as its type says */
	entries[0].value.as.bytes = "m";
	e.slots[slot] = cel_map(e.arena, (struct cel_entry[]){entries[1], entries[0]}, 2);
	entries[0].value.as.bytes = "n";
	e.slots[slot] = cel_map(e.arena, (struct cel_entry[]){entries[1], entries[0]}, 2);
	EXPRESSION_ALL(&e, wrong);
}

static void
a_deep_expression_gets_a_deeper_stack(void **state)
{
	char source[1024] = "[";
	size_t length = 1;

	(void)state;
	for (int i = 0; i < 100; i++)
		length += (size_t)snprintf(source + length, sizeof source - length, "x,");
	snprintf(source + length, sizeof source - length, "x].size()");
	assert_string_equal(expression_value(&e, source), "101");
}

static void
cost_is_counted_and_ends_the_evaluation_at_its_limit_whatever_would_absorb_it(void **state)
{
	static const char source[] = "true || [1, 2, 3].all(i, i > 0)";
	static const char absorbing[] = "[1, 2, 3].all(i, i > 0) || true";
	uint64_t cost;

	(void)state;
	assert_string_equal(expression_value(&e, source), "true");
	assert_int_equal(e.run.cost, 0);
	assert_string_equal(expression_value(&e, absorbing), "true");
	cost = e.run.cost;
	assert_true(cost > 10);
	e.run.cost_max = cost;
	assert_string_equal(expression_value(&e, absorbing), "true");
	for (e.run.cost_max = 1; e.run.cost_max < cost; e.run.cost_max++)
		assert_memory_equal(expression_value(&e, absorbing), "cost at ", 8);
}

static void
memory_ends_the_evaluation_at_its_limit_whatever_would_absorb_it(void **state)
{
	(void)state;
	e.run.memory_max = 4096;
	assert_string_equal(expression_value(&e, "[1, 2].map(i, 'abc' + 'def') == [] || true"), "true");
	assert_memory_equal(
	    expression_value(
		&e, "[1,2,3,4,5,6,7,8,9].map(i, [1,2,3,4,5,6,7,8,9].map(j, [i, j, x])) == [] || true"),
	    "memory at ", 10);
	e.run.memory_max = 0;
	e.run.string_max = 6;
	assert_string_equal(expression_value(&e, "'abc' + 'def'"), "'abcdef'");
	assert_string_equal(expression_value(&e, "'abc' + 'defg' == '' || true"), "memory at 6");
}

static unsigned looks;

static bool
expired_at_the_third_look(void *context)
{
	(void)context;
	return ++looks == 3;
}

static bool
never_expired(void *context)
{
	(void)context;
	looks++;
	return false;
}

/* A list of 1,024 numbers. */
static void
declare_many(void)
{
	struct cel_value *items = arena_take_array(e.arena, 1024, sizeof *items);

	for (int i = 0; i < 1024; i++)
		items[i] = cel_int(i);
	expression_declare(&e, "many", "list<int>", cel_list(e.arena, items, 1024));
}

static void
the_deadline_is_looked_at_once_in_1024_units_and_ends_the_evaluation(void **state)
{
	static const char source[] = "many.all(i, i + x > 0) || true";

	(void)state;
	declare_many();
	looks = 0;
	e.run.expired = never_expired;
	assert_string_equal(expression_value(&e, source), "true");
	assert_in_range(looks, e.run.cost / CEL_POLL_UNITS - 1, e.run.cost / CEL_POLL_UNITS + 1);
	assert_true(looks > 5);
	looks = 0;
	e.run.expired = expired_at_the_third_look;
	assert_memory_equal(expression_value(&e, source), "cost at ", 8);
	assert_int_equal(looks, 3);
	assert_in_range(e.run.cost, 3 * (CEL_POLL_UNITS - 16), 3 * (CEL_POLL_UNITS + 16));
}

static void
a_growing_list_takes_work_and_memory_by_its_items(void **state)
{
	(void)state;
	declare_many();
	assert_string_equal(expression_value(&e, "many.map(i, i + 1).size() == 1024"), "true");
	assert_true(e.run.cost < 6 * 1024);
	assert_string_equal(expression_value(&e, "many.filter(i, i < 3)"), "[0, 1, 2]");
}

static void
an_evaluation_says_the_same_twice(void **state)
{
	static const char source[] = "[1, 2, 3].map(i, {'a': i}).filter(m, m.a > 1).map(m, m.a) + [x]";

	(void)state;
	assert_string_equal(expression_value(&e, source), "[2, 3, 7]");
	for (int i = 0; i < 3; i++) {
		struct buffer out = {.arena = e.arena};
		uint64_t cost = e.run.cost;

		expression_print(&out, cel_evaluate(e.program, &e.run, e.arena));
		assert_string_equal(out.bytes, "[2, 3, 7]");
		assert_int_equal(e.run.cost, cost);
	}
}

int
main(void)
{
#define TEST(NAME) cmocka_unit_test_setup_teardown(NAME, open_one, close_one)
	const struct CMUnitTest tests[] = {
	    TEST(and_and_or_absorb_an_error_on_either_side),
	    TEST(what_is_no_bool_is_an_error_that_is_absorbed_like_any_other),
	    TEST(every_mixture_of_three_operands_is_decided_by_the_table),
	    TEST(the_branch_that_is_not_taken_is_not_evaluated),
	    TEST(all_and_exists_absorb_and_the_other_macros_do_not),
	    TEST(comprehensions_nest_shadow_and_build),
	    TEST(a_loop_that_looks_at_what_it_builds_sees_it),
	    TEST(numbers_compare_across_types_and_do_not_mix_in_arithmetic),
	    TEST(members_are_found_across_numeric_types),
	    TEST(indices_and_keys_cross_numeric_types_and_must_be_there),
	    TEST(a_missing_key_is_an_error_and_null_is_a_value),
	    TEST(a_record_has_only_the_fields_that_are_there),
	    TEST(a_deep_expression_gets_a_deeper_stack),
	    TEST(cost_is_counted_and_ends_the_evaluation_at_its_limit_whatever_would_absorb_it),
	    TEST(memory_ends_the_evaluation_at_its_limit_whatever_would_absorb_it),
	    TEST(the_deadline_is_looked_at_once_in_1024_units_and_ends_the_evaluation),
	    TEST(a_growing_list_takes_work_and_memory_by_its_items),
	    TEST(an_evaluation_says_the_same_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
