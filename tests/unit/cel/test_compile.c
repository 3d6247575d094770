/* SPDX-License-Identifier: Apache-2.0 */
/* test_compile.c - what names stand for, with and without the checker; what is refused when a program is made; what a program reads. */
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

/* The checker's names and the compiler's own are the same. */
static void
both_ways(const char *source, const char *value)
{
	for (int checked = 0; checked < 2; checked++) {
		e.checked = checked;
		if (strcmp(expression_value(&e, source), value) != 0)
			fail_msg("%s, %schecked: %s, expected %s", source, checked ? "" : "un",
				 expression_value(&e, source), value);
	}
}

static void
the_longest_qualified_name_wins(void **state)
{
	struct cel_entry entry = {cel_string("b", 1), cel_string("field", 5)};

	(void)state;
	expression_declare(&e, "a", "map<string, string>", cel_map(e.arena, &entry, 1));
	both_ways("a.b", "'field'");
	expression_declare(&e, "a.b", "int", cel_int(2));
	both_ways("a.b", "2");
	both_ways("a['b']", "'field'");
	both_ways("{'b': 5}.b", "5");
	both_ways("{'': 6}['']", "6");
	both_ways("{'': 6}[?'']", "some 6");
	both_ways("a[?'']", "none");
	expression_declare(&e, "a.b.c", "int", cel_int(3));
	both_ways("a.b.c", "3");
	both_ways("a.b + a.b.c", "5");
}

static void
a_container_is_searched_from_inside_to_outside(void **state)
{
	(void)state;
	cel_set_container(e.env, "com.example");
	expression_declare(&e, "com.example.y", "bool", cel_bool(true));
	expression_declare(&e, "y", "string", cel_string("string", 6));
	expression_declare(&e, "com.z", "int", cel_int(1));
	expression_declare(&e, "z", "int", cel_int(2));
	expression_declare(&e, "example.w", "int", cel_int(3));
	both_ways("y", "true");
	both_ways(".y", "'string'");
	both_ways("z", "1");
	both_ways(".z", "2");
	both_ways("example.y", "true");
	both_ways("com.example.y", "true");
	both_ways(".com.example.y", "true");
	both_ways("example.w", "3");
}

static void
a_container_may_be_long_and_names_too(void **state)
{
	char container[CEL_SOURCE_MAX], name[600];

	(void)state;
	memset(container, 'c', 255);
	container[255] = '\0';
	memset(name, 'n', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	cel_set_container(e.env, container);
	expression_declare(&e, "v", "int", cel_int(1));
	both_ways("v", "1");
	assert_string_equal((e.checked = false, expression_value(&e, name)), "unbound at 0");
}

static void
a_comprehensions_variable_shadows(void **state)
{
	(void)state;
	expression_declare(&e, "y", "int", cel_int(42));
	expression_declare(&e, "y.z", "int", cel_int(43));
	both_ways("[0].exists(y, y == 0)", "true");
	both_ways("[{'z': 0}].exists(y, y.z == 0)", "true");
	both_ways("[{'z': 0}].exists(y, .y.z == 43)", "true");
	both_ways("[{'z': 0}].exists(y, .y == 42)", "true");
	both_ways("[1].exists(y, [0].exists(y, y == 0))", "true");
	both_ways("[1].all(y, [0].all(y, y == 0) && y == 1)", "true");
	both_ways("[1].map(y, y) + [y]", "[1, 42]");
	both_ways("cel.bind(y, 5, y + 1) + y", "48");
}

static void
a_comprehensions_variable_shadows_a_container_and_its_functions(void **state)
{
	(void)state;
	cel_set_container(e.env, "com.example");
	expression_declare(&e, "com.example.y", "int", cel_int(42));
	expression_declare(&e, "com.example.y.z", "int", cel_int(43));
	expression_declare(&e, "y.z", "int", cel_int(44));
	both_ways("[0].exists(y, y == 0)", "true");
	both_ways("[{'z': 0}].exists(y, y.z == 0)", "true");
	both_ways("[{'z': 0}].exists(y, .y.z == 44)", "true");
	both_ways("[1].exists(y, [0].exists(y, y == 0))", "true");
	both_ways("y", "42");
	both_ways("y.z", "43");
	both_ways("optional.of(1)", "some 1");
	e.checked = false;
	assert_string_equal(expression_value(&e, "[1].map(optional, optional.of(1))"), "unbound at 29");
}

static void
types_are_values_that_variables_hide(void **state)
{
	(void)state;
	both_ways("type(1) == int", "true");
	both_ways("type([1]) == list", "true");
	both_ways("type({}) == map", "true");
	both_ways("type(null) == null_type", "true");
	both_ways("type(type(1)) == type", "true");
	both_ways("type(optional.none()) == optional_type", "true");
	both_ways("google.protobuf.Timestamp", "google.protobuf.Timestamp");
	both_ways("[1].exists(int, int == 1)", "true");
	cel_set_container(e.env, "google.protobuf");
	both_ways("Duration", "google.protobuf.Duration");
	expression_declare(&e, "Duration", "int", cel_int(1));
	expression_declare(&e, "google", "dyn", cel_int(2));
	expression_declare(&e, "int", "int", cel_int(3));
	both_ways("Duration", "google.protobuf.Duration");
	both_ways(".Duration", "1");
	both_ways(".google.protobuf.Timestamp", "google.protobuf.Timestamp");
	both_ways("google", "2");
	both_ways("int", "3");
	e.checked = false;
	assert_string_equal(expression_value(&e, "int.x"), "no_such_overload at 3");
}

static void
unknown_names_are_errors_when_they_are_reached(void **state)
{
	static const struct expected all[] = {
	    {"nowhere", "unbound at 0"},
	    {"nowhere.a.b", "unbound at 0"},
	    {"nothing(1)", "unbound at 7"},
	    {"'a'.nothing()", "unbound at 11"},
	    {"size(1)", "no_such_overload at 4"},
	    {"size('a', 'b')", "no_such_overload at 4"},
	    {"'a'.dyn()", "no_such_overload at 7"},
	    {"M{}", "fault undeclared at 1"},
	    {"false && M{a: 1}.a", "fault undeclared at 10"},
	};

	(void)state;
	EXPRESSION_ALL(&e, all);
}

static void
a_function_without_code_is_for_the_checker_only(void **state)
{
	struct error error = {0};

	(void)state;
	assert_true(cel_declare_function(e.env, "risk", "(string):int", &error));
	assert_true(cel_declare_function(e.env, "a.f", "(int):int", &error));
	both_ways("risk('a') > 3 || true", "true");
	both_ways("risk('a')", "unbound at 4");
	both_ways("a.f(1)", "unbound at 3");
	e.checked = true;
	assert_string_equal(expression_value(&e, "risk(1)"), "fault no_such_overload at 4");
	assert_false(cel_declare_function(e.env, "g", "string", &error));
	assert_string_equal(error.code, "bad_signature");
}

static void
a_pattern_that_is_a_literal_is_compiled_with_the_program(void **state)
{
	static const char *const wrong[] = {"(",     "a(?=b)",	"(a)\\\\1",
					    "[z-a]", "a{1001}", "\\\\C\\\\p{No such}"};
	char source[64];

	(void)state;
	both_ways("'abc'.matches('b')", "true");
	both_ways("matches('abc', '^b')", "false");
	both_ways("'abc'.matches('')", "true");
	both_ways("''.matches('^$')", "true");
	e.checked = false;
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		snprintf(source, sizeof source, "false && 'abc'.matches('%s')", wrong[i]);
		assert_string_equal(expression_value(&e, source), "fault regex at 23");
		snprintf(source, sizeof source, "'abc'.matches(dyn('%s'))", wrong[i]);
		assert_string_equal(expression_value(&e, source), "regex at 13");
	}
	assert_string_equal(expression_value(&e, "1.matches('a') || true"), "true");
	assert_string_equal(expression_value(&e, "dyn(1).matches('a') || true"), "true");
	assert_string_equal(expression_value(&e, "dyn(1).matches('a')"), "no_such_overload at 14");
	assert_string_equal(expression_value(&e, "'abc'.matches(1)"), "no_such_overload at 13");
}

static void
a_program_says_what_it_reads(void **state)
{
	static const struct {
		const char *source, *reads;
	} all[] = {
	    {"1 + 2", ""},
	    {"agent_id", "agent_id"},
	    {"context.b && context.a && context.b", "context.a context.b"},
	    {"context.plan.types.exists(t, t.startsWith('x'))", "context.plan.types"},
	    {"has(context.a.b) ? context['c'].d : context.?e.f.orValue(1)",
	     "context.a.b context.c.d context.e.f"},
	    {"context", "context"},
	    {"context[agent_id]", "agent_id context"},
	    {"context['a b']", "context"},
	    {"context['a b'].c + context.d", "context context.d"},
	    {"[1].exists(context, context.x == 1)", ""},
	    {"context.l.map(a, context.m)", "context.l context.m"},
	    {"context.l.map(agent_id, agent_id)", "context.l"},
	    {"cel.bind(c, context.x, c.y)", "context.x"},
	    {"context.f()", "context"},
	    {"{'k': context.v, agent_id: [context.w]}", "agent_id context.v context.w"},
	    {"context.x[0].y", "context.x"},
	    {"cut.by.dots.z", "cut.by.dots.z"},
	    {"cut.by", ""},
	    {"int == type(context.x)", "context.x"},
	};

	(void)state;
	expression_declare(&e, "context", "dyn", cel_null());
	expression_declare(&e, "agent_id", "string", cel_null());
	expression_declare(&e, "cut.by.dots", "dyn", cel_null());
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
		struct buffer out = {.arena = e.arena};
		const char *const *reads;
		size_t count;

		assert_non_null(expression_compile(&e, all[i].source));
		reads = cel_program_reads(e.program, &count);
		for (size_t j = 0; j < count; j++)
			buffer_add_format(&out, "%s%s", j ? " " : "", reads[j]);
		assert_string_equal(out.bytes ? out.bytes : "", all[i].reads);
	}
}

static void
one_conjunct_can_be_compiled_alone(void **state)
{
	static const char source[] = "x > 1 && x < 3 && x.y";
	const struct cel_node *conjuncts[4];
	const struct cel_tree *tree;
	const struct cel_program *program;

	(void)state;
	expression_declare(&e, "x", "int", cel_int(2));
	tree = cel_parse(e.arena, source, strlen(source), 0, NULL, &e.faults);
	assert_non_null(tree);
	assert_int_equal(cel_conjuncts(tree->root, conjuncts, 4), 3);
	program = cel_compile(e.env, tree, conjuncts[1], NULL, 0, &e.faults);
	assert_non_null(program);
	assert_true(cel_evaluate(program, &e.run, e.arena).as.boolean);
	program = cel_compile(e.env, tree, conjuncts[2], NULL, 0, &e.faults);
	assert_int_equal(cel_evaluate(program, &e.run, e.arena).code, CEL_NO_SUCH_OVERLOAD);
}

static void
the_static_cost_is_estimated_when_it_is_asked_for(void **state)
{
	(void)state;
	expression_declare(&e, "l", "list<int>", cel_list(e.arena, NULL, 0));
	e.checked = true;
	e.cost_max = CEL_COST_MAX;
	assert_string_equal(expression_value(&e, "l.all(a, l.all(b, a < b))"), "fault cost at 5");
	assert_string_equal(expression_value(&e, "l == [1]"), "false");
	assert_in_range(cel_program_cost(e.program), e.run.cost, CEL_COST_MAX);
	e.cost_max = 0;
	assert_string_equal(expression_value(&e, "l.all(a, l.all(b, a < b))"), "true");
}

/* More of everything than the compiler has room for from the start. */
static void
a_large_program_is_compiled_like_a_small_one(void **state)
{
	char source[2048] = "x in [";
	size_t length = 6;
	struct cel_limits limits = {.nodes = 4096, .source = 4096};
	const struct cel_tree *tree;
	const struct cel_program *program;

	(void)state;
	expression_declare(&e, "x", "int", cel_int(130));
	for (int i = 0; i < 150; i++)
		length += (size_t)snprintf(source + length, sizeof source - length, "x + %d,", i);
	snprintf(source + length, sizeof source - length, "-1]");
	tree = cel_parse(e.arena, source, strlen(source), 0, &limits, &e.faults);
	assert_non_null(tree);
	program = cel_compile(e.env, tree, tree->root, NULL, 0, &e.faults);
	assert_non_null(program);
	assert_true(cel_evaluate(program, &e.run, e.arena).as.boolean);
}

int
main(void)
{
#define TEST(NAME) cmocka_unit_test_setup_teardown(NAME, open_one, close_one)
	const struct CMUnitTest tests[] = {
	    TEST(the_longest_qualified_name_wins),
	    TEST(a_container_is_searched_from_inside_to_outside),
	    TEST(a_container_may_be_long_and_names_too),
	    TEST(a_comprehensions_variable_shadows),
	    TEST(a_comprehensions_variable_shadows_a_container_and_its_functions),
	    TEST(types_are_values_that_variables_hide),
	    TEST(unknown_names_are_errors_when_they_are_reached),
	    TEST(a_function_without_code_is_for_the_checker_only),
	    TEST(a_pattern_that_is_a_literal_is_compiled_with_the_program),
	    TEST(a_program_says_what_it_reads),
	    TEST(one_conjunct_can_be_compiled_alone),
	    TEST(the_static_cost_is_estimated_when_it_is_asked_for),
	    TEST(a_large_program_is_compiled_like_a_small_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
