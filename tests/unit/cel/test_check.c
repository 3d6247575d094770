/* SPDX-License-Identifier: Apache-2.0 */
/* test_check.c - what types expressions have, what is refused before it runs, and in which words. */
#include "common/cel/cel.h"

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
	const struct cel_tree *tree;
	const struct cel_checked *checked;
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

static void
declare_function(struct fixture *f, const char *name, const char *signature)
{
	struct error error = {0};

	assert_true(cel_declare_function(f->env, name, signature, &error));
}

/* As a policy declares its inputs. */
static const struct cel_type *
context(struct fixture *f)
{
	struct cel_field *plan = arena_take_array(f->arena, 2, sizeof *plan);
	struct cel_field *fields = arena_take_array(f->arena, 6, sizeof *fields);

	plan[0] = (struct cel_field){"delete", type(f, "int")};
	plan[1] = (struct cel_field){"types", type(f, "list<string>")};
	fields[0] = (struct cel_field){"branch", type(f, "string")};
	fields[1] = (struct cel_field){"amount_minor", type(f, "int")};
	fields[2] = (struct cel_field){"tests_passed", type(f, "bool")};
	fields[3] = (struct cel_field){"credential_age", type(f, "duration")};
	fields[4] = (struct cel_field){"plan", cel_type_record(f->arena, plan, 2)};
	fields[5] = (struct cel_field){"labels", type(f, "map<string, string>")};
	return cel_type_record(f->arena, fields, 6);
}

static int
set_up(void **state)
{
	struct arena *arena = arena_open();
	struct fixture *f = arena_take(arena, sizeof *f);

	f->arena = arena;
	f->env = cel_env_open(arena);
	declare(f, "agent_id", type(f, "string"));
	declare(f, "now", type(f, "timestamp"));
	declare(f, "context", context(f));
	declare(f, "any", type(f, "dyn"));
	declare(f, "limit", type(f, "wrapper<int>"));
	declare(f, "a.b", type(f, "string"));
	declare(f, "a.b.c", type(f, "int"));
	declare(f, "numbers", type(f, "list<int>"));
	declare(f, "by_number", type(f, "map<int, string>"));
	declare(f, "maybe", type(f, "optional<map<string, int>>"));
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

static const struct cel_checked *
check(struct fixture *f, const char *source, const struct cel_type *expected)
{
	f->faults = (struct cel_faults){0};
	f->tree = cel_parse(f->arena, source, strlen(source), 0, NULL, &f->faults);
	if (!f->tree)
		fail_msg("%s: %s", source, f->faults.items[0].text);
	f->checked = cel_check(f->env, f->arena, f->tree, expected, &f->faults);
	return f->checked;
}

static void
is(struct fixture *f, const char *source, const char *expected)
{
	const char *text;

	if (!check(f, source, NULL))
		fail_msg("%s: %s", source, f->faults.items[0].text);
	assert_int_equal(f->faults.count, 0);
	text = cel_type_text(f->arena, cel_checked_type(f->checked, f->tree->root));
	if (strcmp(text, expected) != 0)
		fail_msg("%s is %s, not %s", source, text, expected);
}

/* Exactly one fault, at this column. */
static void
refused(struct fixture *f, const char *source, enum cel_code code, uint32_t column, const char *text)
{
	if (check(f, source, NULL))
		fail_msg("%s was accepted", source);
	if (strcmp(f->faults.items[0].text, text) != 0)
		fail_msg("%s\nsays     %s\nexpected %s", source, f->faults.items[0].text, text);
	assert_int_equal(f->faults.count, 1);
	assert_int_equal(f->faults.items[0].code, code);
	assert_int_equal(f->faults.items[0].line, 1);
	assert_int_equal(f->faults.items[0].column, column);
	assert_int_equal(f->faults.items[0].position, column - 1);
}

static void
literals_have_their_types(void **state)
{
	is(*state, "true", "bool");
	is(*state, "1", "int");
	is(*state, "1u", "uint");
	is(*state, "1.5", "double");
	is(*state, "'a'", "string");
	is(*state, "b'a'", "bytes");
	is(*state, "null", "null_type");
	is(*state, "[1, 2]", "list<int>");
	is(*state, "{'a': 1}", "map<string, int>");
}

static void
empty_literals_are_free_until_they_meet_something(void **state)
{
	is(*state, "[]", "list<dyn>");
	is(*state, "{}", "map<dyn, dyn>");
	is(*state, "[] + [1]", "list<int>");
	is(*state, "[[], [1]]", "list<list<int>>");
	is(*state, "[] == [1] ? {} : {'a': 1.0}", "map<string, double>");
	is(*state, "[].map(x, x)[0].foo", "dyn");
}

static void
mixed_literals_are_dyn(void **state)
{
	is(*state, "[1, 'a']", "list<dyn>");
	is(*state, "[1, dyn(2)]", "list<dyn>");
	is(*state, "{'a': 1, 2: 'b'}", "map<dyn, dyn>");
	is(*state, "[1, 'a'][0] + 1", "int");
	is(*state, "[1, 'a'][0]", "dyn");
}

static void
numbers_of_two_known_types_do_not_mix(void **state)
{
	refused(*state, "5 == 5.0", CEL_NO_SUCH_OVERLOAD, 3,
		"int == double: numbers of two types do not mix; convert one side, as in int(…)");
	refused(
	    *state, "1.0 in [1]", CEL_NO_SUCH_OVERLOAD,
	    5, "double in list<int>: the right side must be a list of the left side's type, or a map with such keys");
	refused(*state, "1 < 2u", CEL_NO_SUCH_OVERLOAD, 3,
		"int < uint: numbers of two types do not mix; convert one side, as in int(…)");
	refused(*state, "1 < 2 < 3", CEL_NO_SUCH_OVERLOAD, 7,
		"bool < int is not defined; there is bool < bool, int < int, uint < uint, double < double, "
		"string < string, "
		"bytes < bytes, timestamp < timestamp, duration < duration");
	is(*state, "dyn(5) == 5.0", "bool");
	is(*state, "dyn(1.0) in [1]", "bool");
	is(*state, "1 < dyn(2u)", "bool");
}

static void
what_dyn_gives_is_what_all_that_could_be_meant_give(void **state)
{
	is(*state, "any + any", "dyn");
	is(*state, "any + 1", "int");
	is(*state, "any - now", "duration");
	is(*state, "any - context.credential_age", "dyn");
	is(*state, "any[0]", "dyn");
	is(*state, "size(any)", "int");
	is(*state, "any.a.b && any", "bool");
}

static void
null_is_compared_with_what_may_be_null(void **state)
{
	is(*state, "limit == null", "bool");
	is(*state, "now != null", "bool");
	is(*state, "any == null", "bool");
	is(*state, "limit + 1", "int");
	is(*state, "true ? limit : 42", "wrapper<int>");
	is(*state, "false ? limit : null", "wrapper<int>");
	is(*state, "[limit, 1]", "list<wrapper<int>>");
	is(*state, "[1, limit]", "list<wrapper<int>>");
	refused(*state, "agent_id == null", CEL_NO_SUCH_OVERLOAD, 10,
		"string == null_type: both sides must be of one type");
}

static void
types_are_values(void **state)
{
	is(*state, "int", "type<int>");
	is(*state, "type(1) == int", "bool");
	is(*state, "type(now) == google.protobuf.Timestamp", "bool");
	is(*state, "type(int)", "type<type<int>>");
	is(*state, "type(type(1)) == type", "bool");
	is(*state, "list == type([1]) && map == type({})", "bool");
	is(*state, "type(maybe) == optional_type", "bool");
}

static void
the_compiler_learns_which_type_a_name_is(void **state)
{
	struct fixture *f = *state;

	is(f, "google.protobuf.Duration", "type<duration>");
	assert_int_equal(cel_checked_type_value(f->checked, f->tree->root)->kind, CEL_T_DURATION);
	is(f, "agent_id", "string");
	assert_null(cel_checked_type_value(f->checked, f->tree->root));
}

static void
the_longest_qualified_name_wins(void **state)
{
	struct fixture *f = *state;
	size_t slot = SIZE_MAX;

	is(f, "a.b.c", "int");
	assert_true(cel_checked_slot(f->checked, f->tree->root, &slot));
	assert_int_equal(slot, 6);
	is(f, "a.b", "string");
	assert_true(cel_checked_slot(f->checked, f->tree->root, &slot));
	assert_int_equal(slot, 5);
	is(f, "context.branch", "string");
	assert_false(cel_checked_slot(f->checked, f->tree->root, &slot));
	assert_true(cel_checked_slot(f->checked, f->tree->root->operand, &slot));
	assert_int_equal(slot, 2);
	refused(f, "a.b.d", CEL_NO_SUCH_FIELD, 4, "string has no fields, so no 'd'");
}

static void
containers_are_looked_through_from_inside(void **state)
{
	struct fixture *f = *state;

	declare(f, "com.acme.agent_id", type(f, "int"));
	declare(f, "com.limit", type(f, "bool"));
	cel_set_container(f->env, "com.acme");
	is(f, "agent_id", "int");
	is(f, ".agent_id", "string");
	is(f, "limit", "bool");
	is(f, "now", "timestamp");
	is(f, "acme.agent_id", "int");
}

static void
functions_are_found_by_qualified_names(void **state)
{
	struct fixture *f = *state;

	declare_function(f, "math.half", "(int):int");
	is(f, "math.half(2)", "int");
	assert_string_equal(cel_checked_function(f->checked, f->tree->root), "math.half");
	assert_null(cel_checked_type(f->checked, f->tree->root->operand));
	is(f, "size('a')", "int");
	assert_null(cel_checked_function(f->checked, f->tree->root));
	cel_set_container(f->env, "math");
	is(f, "half(2)", "int");
	assert_string_equal(cel_checked_function(f->checked, f->tree->root), "math.half");
}

static void
a_comprehension_has_its_own_variables(void **state)
{
	is(*state, "numbers.all(n, n > 0)", "bool");
	is(*state, "numbers.map(n, string(n))", "list<string>");
	is(*state, "numbers.filter(n, n > 1)", "list<int>");
	is(*state, "numbers.exists_one(n, n == 1)", "bool");
	is(*state, "by_number.all(k, k > 0)", "bool");
	is(*state, "by_number.all(k, v, k > 0 && v != '')", "bool");
	is(*state, "numbers.all(i, n, i < n)", "bool");
	is(*state, "by_number.transformMap(k, v, size(v))", "map<int, int>");
	is(*state, "by_number.transformList(k, v, k)", "list<int>");
	is(*state, "any.map(x, x)", "list<dyn>");
	is(*state, "cel.bind(x, 1, x + 1)", "int");
	is(*state, "context.all(k, k != '')", "bool");
	refused(*state, "numbers.exists(y, y > 1) && y < 5", CEL_UNDECLARED, 29, "unknown name 'y'");
	refused(*state, "agent_id.all(x, true)", CEL_TYPE_ERROR, 1,
		"expected a list or a map to go through, found string");
	refused(*state, "numbers.all(n, n)", CEL_TYPE_ERROR, 16, "&& expects bool, found int");
}

static void
a_comprehensions_variable_hides_others(void **state)
{
	struct fixture *f = *state;

	is(f, "numbers.map(agent_id, agent_id)", "list<int>");
	is(f, "numbers.map(agent_id, .agent_id)", "list<string>");
	is(f, "[{'b': 1.5}].map(a, a.b)", "list<double>");
	is(f, "numbers.map(x, ['s'].map(x, x))", "list<list<string>>");
	is(f, "[1].map(int, int + 1)", "list<int>");
}

static void
optionals_are_seen_through(void **state)
{
	is(*state, "{'a': 1}.?a", "optional<int>");
	is(*state, "by_number[?1]", "optional<string>");
	is(*state, "maybe.a", "optional<int>");
	is(*state, "maybe.?a", "optional<int>");
	is(*state, "maybe['a']", "optional<int>");
	is(*state, "maybe[?'a']", "optional<int>");
	is(*state, "has(maybe.a)", "bool");
	is(*state, "[?maybe]", "list<map<string, int>>");
	is(*state, "{?'a': {'b': 'c'}.?b}", "map<string, string>");
	is(*state, "context.?branch", "optional<string>");
	is(*state, "context.?plan.delete", "optional<int>");
	is(*state, "context.?plan['delete']", "optional<int>");
	is(*state, "optional.of(1).orValue(2)", "int");
	is(*state, "[optional.none(), optional.of(1)]", "list<optional<int>>");
	refused(*state, "[?1]", CEL_TYPE_ERROR, 3, "an item marked with ? must be an optional, found int");
}

static void
records_have_their_fields_and_no_others(void **state)
{
	is(*state, "context.plan.types", "list<string>");
	is(*state, "context['plan']['delete'] > 0", "bool");
	is(*state, "has(context.branch)", "bool");
	is(*state, "context[agent_id]", "dyn");
	is(*state, "'branch' in context", "bool");
	is(*state, "agent_id in context", "bool");
	is(*state, "size(context)", "int");
	is(*state, "context == {'branch': 'main'}", "bool");
	is(*state, "context.labels.anything", "string");
	refused(*state, "context.brnach == 'main'", CEL_NO_SUCH_FIELD, 8,
		"context has no field 'brnach'; did you mean 'branch'?");
	refused(*state, "context['brnach'] == 'main'", CEL_NO_SUCH_FIELD, 8,
		"context has no field 'brnach'; did you mean 'branch'?");
	refused(*state, "has(context.plan.deleted)", CEL_NO_SUCH_FIELD, 4,
		"context.plan has no field 'deleted'; did you mean 'delete'?");
	refused(*state, "context.plan.create", CEL_NO_SUCH_FIELD, 13,
		"context.plan has no field 'create'; it has delete, types");
	refused(*state, "context.?branhc", CEL_NO_SUCH_FIELD, 8,
		"context has no field 'branhc'; did you mean 'branch'?");
	refused(*state, "'Branch' in context", CEL_NO_SUCH_FIELD, 10,
		"context has no field 'Branch'; did you mean 'branch'?");
	refused(*state, "context[1]", CEL_NO_SUCH_OVERLOAD, 8,
		"a map with the fields branch, amount_minor, tests_passed, credential_age, plan, labels: its "
		"keys are "
		"never int");
}

static void
what_has_no_fields_or_items_is_said(void **state)
{
	refused(*state, "agent_id.name", CEL_NO_SUCH_FIELD, 9, "string has no fields, so no 'name'");
	refused(*state, "by_number.name", CEL_NO_SUCH_FIELD, 10,
		"a selection needs string keys, and the keys of map<int, string> are none");
	refused(*state, "agent_id[0]", CEL_NO_SUCH_OVERLOAD, 9, "string has no items to index");
	refused(*state, "numbers[1u]", CEL_NO_SUCH_OVERLOAD, 8, "a list's index must be int, found uint");
	refused(*state, "by_number['a']", CEL_NO_SUCH_OVERLOAD, 10,
		"the keys of map<int, string> are never string");
	refused(*state, "{1.5: 1}", CEL_TYPE_ERROR, 2,
		"a map's key must be a string, int, uint or bool, found double");
}

static void
types_do_not_double_with_every_step(void **state)
{
	struct fixture *f = *state;
	struct cel_limits limits = {.nodes = 10000, .source = 10000, .depth = 250};
	char source[2000] = "[1]";

	for (int i = 0; i < 100; i++)
		strcat(source, ".map(x, {x: x})");
	f->tree = cel_parse(f->arena, source, strlen(source), 0, &limits, &f->faults);
	assert_non_null(f->tree);
	assert_null(cel_check(f->env, f->arena, f->tree, NULL, &f->faults));
	assert_int_equal(f->faults.count, CEL_FAULTS_MAX);
	assert_string_equal(f->faults.items[0].text,
			    "a map's key must be a string, int, uint or bool, found map<int, int>");
}

static void
the_nearest_known_name_is_told(void **state)
{
	refused(*state, "agentid == 'a'", CEL_UNDECLARED, 1,
		"unknown name 'agentid'; did you mean 'agent_id'?");
	refused(*state, "branch == 'main'", CEL_UNDECLARED, 1,
		"unknown name 'branch'; did you mean 'context.branch'?");
	refused(*state, "numbers.exists(number, numbr == 1)", CEL_UNDECLARED, 24,
		"unknown name 'numbr'; did you mean 'number'?");
	refused(*state, "weather", CEL_UNDECLARED, 1, "unknown name 'weather'");
	refused(*state, "size > 3", CEL_UNDECLARED, 1,
		"'size' is a function, not a value; a call has brackets");
	refused(*state, "agent_id.startswith('a')", CEL_UNDECLARED, 20,
		"unknown function 'startswith'; did you mean 'startsWith'?");
	refused(*state, "numbers.exist(n, n > 1)", CEL_UNDECLARED, 14,
		"unknown function 'exist'; did you mean 'exists'?");
	refused(*state, "frobnicate(1)", CEL_UNDECLARED, 11, "unknown function 'frobnicate'");
	refused(*state, "optionl.of(1)", CEL_UNDECLARED, 11,
		"unknown function 'optionl.of'; did you mean 'optional.of'?");
}

static void
what_an_operator_or_a_function_takes_is_told(void **state)
{
	refused(*state, "!agent_id", CEL_NO_SUCH_OVERLOAD, 1, "!string is not defined; there is !bool");
	refused(*state, "-agent_id", CEL_NO_SUCH_OVERLOAD, 1, "-string is not defined; there is -int, -double");
	refused(*state, "true && agent_id", CEL_TYPE_ERROR, 9, "&& expects bool, found string");
	refused(*state, "1 || true", CEL_TYPE_ERROR, 1, "|| expects bool, found int");
	refused(*state, "agent_id ? 1 : 2", CEL_NO_SUCH_OVERLOAD, 10,
		"the condition must be bool, found string");
	refused(*state, "true ? 1 : 'a'", CEL_NO_SUCH_OVERLOAD, 6,
		"the branches of ? : are int and string, and must be of one type");
	refused(*state, "agent_id == 1", CEL_NO_SUCH_OVERLOAD, 10,
		"string == int: both sides must be of one type");
	refused(*state, "true % true", CEL_NO_SUCH_OVERLOAD, 6,
		"bool % bool is not defined; there is int % int, uint % uint");
	refused(*state, "context.credential_age >= '24h'", CEL_NO_SUCH_OVERLOAD, 24,
		"duration >= string: a duration is written duration('24h')");
	refused(*state, "'2026-01-31' == now", CEL_NO_SUCH_OVERLOAD, 14,
		"string == timestamp: a timestamp is written timestamp('2026-01-31T00:00:00Z')");
	refused(*state, "'a' in agent_id", CEL_NO_SUCH_OVERLOAD, 5,
		"string in string: whether a text is part of another is asked by text.contains(part)");
	refused(
	    *state, "numbers.contains(1)", CEL_NO_SUCH_OVERLOAD, 17,
	    "contains does not take list<int>.(int); whether a list has an item is asked by item in list");
	refused(*state, "numbers.filter(n, n)", CEL_NO_SUCH_OVERLOAD, 15,
		"the condition must be bool, found int");
	refused(*state, "agent_id.startsWith(1)", CEL_NO_SUCH_OVERLOAD, 20,
		"startsWith does not take string.(int); there is string.startsWith(string)");
	refused(*state, "startsWith(agent_id, 'a')", CEL_NO_SUCH_OVERLOAD, 11,
		"startsWith is a method, write x.startsWith(…); there is string.startsWith(string)");
	refused(*state, "bool(1)", CEL_NO_SUCH_OVERLOAD, 5,
		"bool does not take (int); there is bool(bool), bool(string)");
	refused(*state, "'1'.bool()", CEL_NO_SUCH_OVERLOAD, 9,
		"bool is no method, write bool(x …); there is bool(bool), bool(string)");
}

static void
messages_are_refused(void **state)
{
	refused(*state, "Msg{a: 1}", CEL_UNDECLARED, 4,
		"unknown message 'Msg'; messages cannot be made here, a map is written {'field': value}");
	refused(*state, "int{}", CEL_TYPE_ERROR, 4, "'int' is no message, and messages cannot be made here");
}

static void
several_faults_are_told_at_once_in_order(void **state)
{
	struct fixture *f = *state;

	assert_null(check(f, "contxt.a &&\n  nwo == now || 1 + 'a' == 2", NULL));
	assert_int_equal(f->faults.count, 3);
	assert_string_equal(f->faults.items[0].text, "unknown name 'contxt'; did you mean 'context'?");
	assert_string_equal(f->faults.items[1].text, "unknown name 'nwo'; did you mean 'now'?");
	assert_int_equal(f->faults.items[1].line, 2);
	assert_int_equal(f->faults.items[1].column, 3);
	assert_int_equal(f->faults.items[2].code, CEL_NO_SUCH_OVERLOAD);
}

static void
the_result_is_what_was_expected(void **state)
{
	struct fixture *f = *state;

	assert_non_null(check(f, "context.tests_passed", type(f, "bool")));
	assert_non_null(check(f, "any", type(f, "bool")));
	assert_non_null(check(f, "[1]", type(f, "list<A>")));
	assert_null(check(f, "context.branch", type(f, "bool")));
	assert_string_equal(f->faults.items[0].text, "the result must be bool, found string");
	assert_int_equal(f->faults.items[0].code, CEL_TYPE_ERROR);
	assert_null(check(f, "[1]", type(f, "list<string>")));
	assert_string_equal(f->faults.items[0].text, "the result must be list<string>, found list<int>");
}

static void
parameters_of_declared_types_unify(void **state)
{
	struct fixture *f = *state;

	declare_function(f, "set", "(list<T>):set<T>");
	declare_function(f, "tuple", "(T,U,V):tuple<T,U,V>");
	declare_function(f, "sort", "(tuple<T,T,T>):tuple<T,T,T>");
	declare(f, "some", type(f, "set<T>"));
	is(f, "set([1, 2, 3])", "set<int>");
	is(f, "set([1, 2]) == some", "bool");
	is(f, "[tuple(1, 2u, 3.0), tuple(dyn(1), dyn(2u), dyn(3.0))][0]", "tuple<dyn, dyn, dyn>");
	is(f, "sort(tuple(dyn(1), 2u, 3.0))", "tuple<dyn, dyn, dyn>");
	refused(f, "set([1]) == set(['a'])", CEL_NO_SUCH_OVERLOAD, 10,
		"set<int> == set<string>: both sides must be of one type");
}

static void
a_variadic_function_takes_one_or_more(void **state)
{
	struct fixture *f = *state;

	declare_function(f, "most", "(int...):int");
	is(f, "most(1)", "int");
	is(f, "most(1, 2, 3)", "int");
	refused(f, "most()", CEL_NO_SUCH_OVERLOAD, 5, "most does not take (); there is most(int, …)");
	refused(f, "most(1, 'a')", CEL_NO_SUCH_OVERLOAD, 5,
		"most does not take (int, string); there is most(int, …)");
}

int
main(void)
{
#define TEST(NAME) cmocka_unit_test_setup_teardown(NAME, set_up, tear_down)
	const struct CMUnitTest tests[] = {
	    TEST(literals_have_their_types),
	    TEST(empty_literals_are_free_until_they_meet_something),
	    TEST(mixed_literals_are_dyn),
	    TEST(numbers_of_two_known_types_do_not_mix),
	    TEST(what_dyn_gives_is_what_all_that_could_be_meant_give),
	    TEST(null_is_compared_with_what_may_be_null),
	    TEST(types_are_values),
	    TEST(the_compiler_learns_which_type_a_name_is),
	    TEST(the_longest_qualified_name_wins),
	    TEST(containers_are_looked_through_from_inside),
	    TEST(functions_are_found_by_qualified_names),
	    TEST(a_comprehension_has_its_own_variables),
	    TEST(a_comprehensions_variable_hides_others),
	    TEST(optionals_are_seen_through),
	    TEST(records_have_their_fields_and_no_others),
	    TEST(what_has_no_fields_or_items_is_said),
	    TEST(types_do_not_double_with_every_step),
	    TEST(the_nearest_known_name_is_told),
	    TEST(what_an_operator_or_a_function_takes_is_told),
	    TEST(messages_are_refused),
	    TEST(several_faults_are_told_at_once_in_order),
	    TEST(the_result_is_what_was_expected),
	    TEST(parameters_of_declared_types_unify),
	    TEST(a_variadic_function_takes_one_or_more),
	};

	return cmocka_run_group_tests_name("check", tests, NULL, NULL);
}
