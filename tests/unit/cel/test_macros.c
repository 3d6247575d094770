/* SPDX-License-Identifier: Apache-2.0 */
/* test_macros.c - what each macro becomes, and what is no macro. */
#include "tests/unit/cel/shape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

struct row {
	const char *source, *shape;
};

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

static void
check(const struct row *rows, size_t count, unsigned flags)
{
	for (size_t i = 0; i < count; i++) {
		const char *shape = shape_of(arena, rows[i].source, flags);

		if (strcmp(shape, rows[i].shape) != 0)
			fail_msg("%s\n became  %s\n and not %s", rows[i].source, shape, rows[i].shape);
	}
}
#define CHECK(ROWS) check(ROWS, sizeof ROWS / sizeof ROWS[0], 0)

#define NOT_FALSE "(@not_strictly_false @result)"
#define NOT_TRUE "(@not_strictly_false (!_ @result))"

static void
has_tests_a_field(void **state)
{
	static const struct row rows[] = {
	    {"has(a.b)", "(has a b)"},
	    {"has(a.b.c)", "(has (. a b) c)"},
	    {"has(a[0].b)", "(has (_[_] a 0) b)"},
	    {"has({'a': 1}.a)", "(has (map \"a\" 1) a)"},
	    {"has(a.`b-c`)", "(has a b-c)"},
	    {"has(a)", "1:5 has() tests a field: has(a.b)"},
	    {"has(a.b())", "1:8 has() tests a field: has(a.b)"},
	    {"has(a[0])", "1:6 has() tests a field: has(a.b)"},
	    {"has(has(a.b))", "1:8 has() tests a field: has(a.b)"},
	};

	(void)state;
	CHECK(rows);
}

static void
all_and_exists_end_early_and_absorb_errors(void **state)
{
	static const struct row rows[] = {
	    {"l.all(x, x > 0)", "(for x @result l true " NOT_FALSE " (_&&_ @result (_>_ x 0)) @result)"},
	    {"l.exists(x, p)", "(for x @result l false " NOT_TRUE " (_||_ @result p) @result)"},
	    {"m.all(k, v, p)", "(for k,v @result m true " NOT_FALSE " (_&&_ @result p) @result)"},
	    {"m.exists(k, v, p)", "(for k,v @result m false " NOT_TRUE " (_||_ @result p) @result)"},
	};

	(void)state;
	CHECK(rows);
}

static void
exists_one_counts(void **state)
{
#define ONE(VARIABLES)                                                                                       \
	"(for " VARIABLES " @result l 0 true (_?_:_ p (_+_ @result 1) @result) (_==_ @result 1))"
	static const struct row rows[] = {
	    {"l.exists_one(x, p)", ONE("x")},
	    {"l.existsOne(x, p)", ONE("x")},
	    {"l.exists_one(i, x, p)", ONE("i,x")},
	    {"l.existsOne(i, x, p)", ONE("i,x")},
	};

	(void)state;
	CHECK(rows);
}

static void
map_and_filter_gather_a_list(void **state)
{
	static const struct row rows[] = {
	    {"l.map(x, f)", "(for x @result l (list) true (_+_ @result (list f)) @result)"},
	    {"l.map(x, p, f)",
	     "(for x @result l (list) true (_?_:_ p (_+_ @result (list f)) @result) @result)"},
	    {"l.filter(x, p)",
	     "(for x @result l (list) true (_?_:_ p (_+_ @result (list x)) @result) @result)"},
	    {"m.transformList(k, v, f)", "(for k,v @result m (list) true (_+_ @result (list f)) @result)"},
	    {"m.transformList(k, v, p, f)",
	     "(for k,v @result m (list) true (_?_:_ p (_+_ @result (list f)) @result) @result)"},
	};

	(void)state;
	CHECK(rows);
}

static void
the_transforms_gather_a_map(void **state)
{
	static const struct row rows[] = {
	    {"m.transformMap(k, v, f)",
	     "(for k,v @result m (map) true (cel.@mapInsert @result k f) @result)"},
	    {"m.transformMap(k, v, p, f)",
	     "(for k,v @result m (map) true (_?_:_ p (cel.@mapInsert @result k f) @result) @result)"},
	    {"m.transformMapEntry(k, v, {f: v})",
	     "(for k,v @result m (map) true (cel.@mapInsert @result (map f v)) @result)"},
	    {"m.transformMapEntry(k, v, p, {f: v})",
	     "(for k,v @result m (map) true (_?_:_ p (cel.@mapInsert @result (map f v)) @result) @result)"},
	};

	(void)state;
	CHECK(rows);
}

static void
bind_names_a_value_for_an_expression(void **state)
{
	static const struct row rows[] = {
	    {"cel.bind(x, a, x + x)", "(for #unused x (list) a false x (_+_ x x))"},
	    {"a.bind(x, a, x)", "(.bind a x a x)"},
	    {"cel.bind(x, a)", "(.bind cel x a)"},
	    {".cel.bind(x, a, b)", "(.bind .cel x a b)"},
	};

	(void)state;
	CHECK(rows);
}

static void
opt_map_evaluates_its_operand_once(void **state)
{
	static const struct row rows[] = {
	    {"o.optMap(x, f)",
	     "(for #unused @optional (list) o false @optional (_?_:_ (.hasValue @optional) (optional.of "
	     "(for #unused x (list) (.value @optional) false x f)) (optional.none)))"},
	    {"o.optFlatMap(x, f)",
	     "(for #unused @optional (list) o false @optional (_?_:_ (.hasValue @optional) "
	     "(for #unused x (list) (.value @optional) false x f) (optional.none)))"},
	};
	struct buffer chain = {.arena = arena};
	struct cel_faults faults = {0};

	(void)state;
	CHECK(rows);
	buffer_add_text(&chain, "o");
	for (int i = 0; i < 20; i++)
		buffer_add_text(&chain, ".optMap(x, x)");
	struct cel_limits limits = {.depth = 64};
	const struct cel_tree *tree = cel_parse(arena, chain.bytes, chain.length, 0, &limits, &faults);
	assert_non_null(tree);
	struct buffer shape = {.arena = arena};
	shape_node(&shape, tree->root);
	assert_in_range(shape.length, 20 * 100, 20 * 200); /* and not a million times that */
}

static void
another_number_of_arguments_is_no_macro(void **state)
{
	static const struct row rows[] = {
	    {"has(a.b, c)", "(has (. a b) c)"},
	    {"has()", "(has)"},
	    {"a.has(b.c)", "(.has a (. b c))"},
	    {".has(a.b)", "(.has (. a b))"},
	    {"l.all(x)", "(.all l x)"},
	    {"l.all(x, y, z, w)", "(.all l x y z w)"},
	    {"all(l, x, p)", "(all l x p)"},
	    {"l.map(x)", "(.map l x)"},
	    {"l.map(a, b, c, d)", "(.map l a b c d)"},
	    {"l.filter(x, y, z)", "(.filter l x y z)"},
	    {"l.transformList(x, y)", "(.transformList l x y)"},
	    {"o.optMap(x)", "(.optMap o x)"},
	};

	(void)state;
	CHECK(rows);
}

static void
variables_are_simple_names(void **state)
{
	static const struct row rows[] = {
	    {"l.all(1, p)", "1:7 a simple name is expected here: the macro's variable"},
	    {"l.all(, p)", "1:7 an expression is expected here, not ','"},
	    {"has(99999999999999999999)", "1:5 this number is outside int, -2^63 to 2^63-1"},
	    {"l.all(a.b, p)", "1:8 a simple name is expected here: the macro's variable"},
	    {"l.all(.a, p)", "1:8 a simple name is expected here: the macro's variable"},
	    {"l.all(x, 2, p)", "1:10 a simple name is expected here: the macro's variable"},
	    {"l.all(x, x, p)", "1:10 the macro's variables have one name"},
	    {"cel.bind(1, a, b)", "1:10 a simple name is expected here: the macro's variable"},
	    {"o.optMap(1, a)", "1:10 a simple name is expected here: the macro's variable"},
	    {"l.map(__result__, 1)", "1:7 the variable's name is reserved for the macro itself"},
	    {"l.map(var, var)", "1:7 'var' is a reserved word; it cannot be a name; 1:12 'var' is a reserved "
				"word; it cannot be a name"},
	};

	(void)state;
	CHECK(rows);
}

static void
macros_lie_within_each_other(void **state)
{
	static const struct row rows[] = {
	    {"l.exists(x, has(x.a))",
	     "(for x @result l false " NOT_TRUE " (_||_ @result (has x a)) @result)"},
	    {"has(a.b).filter(c, c)",
	     "(for c @result (has a b) (list) true (_?_:_ c (_+_ @result (list c)) @result) @result)"},
	};

	(void)state;
	CHECK(rows);
}

static void
without_macros_they_are_calls(void **state)
{
	static const struct row rows[] = {
	    {"has(a.b)", "(has (. a b))"},
	    {"has(a)", "(has a)"},
	    {"l.all(x, p)", "(.all l x p)"},
	    {"l.all(1, p)", "(.all l 1 p)"},
	    {"cel.bind(x, a, b)", "(.bind cel x a b)"},
	};

	(void)state;
	check(rows, sizeof rows / sizeof rows[0], CEL_WITHOUT_MACROS);
}

static void
a_macro_remembers_how_it_was_written_and_where(void **state)
{
	struct cel_faults faults = {0};
	const char *source = "a || l.all( x, p )";
	const struct cel_tree *tree = cel_parse(arena, source, strlen(source), 0, NULL, &faults);
	const struct cel_node *loop = tree->root->arguments[1];

	(void)state;
	assert_int_equal(loop->kind, CEL_N_COMPREHENSION);
	assert_string_equal(loop->macro->name, "all");
	assert_int_equal(loop->macro->argument_count, 2);
	assert_int_equal(loop->position, 10);
	assert_int_equal(loop->start, 5);
	assert_int_equal(loop->end, 18);
	assert_int_equal(loop->loop.step->position, 10);
	assert_ptr_equal(loop->loop.step->arguments[1], loop->macro->arguments[1]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(has_tests_a_field),
	    cmocka_unit_test(all_and_exists_end_early_and_absorb_errors),
	    cmocka_unit_test(exists_one_counts),
	    cmocka_unit_test(map_and_filter_gather_a_list),
	    cmocka_unit_test(the_transforms_gather_a_map),
	    cmocka_unit_test(bind_names_a_value_for_an_expression),
	    cmocka_unit_test(opt_map_evaluates_its_operand_once),
	    cmocka_unit_test(another_number_of_arguments_is_no_macro),
	    cmocka_unit_test(variables_are_simple_names),
	    cmocka_unit_test(macros_lie_within_each_other),
	    cmocka_unit_test(without_macros_they_are_calls),
	    cmocka_unit_test(a_macro_remembers_how_it_was_written_and_where),
	};

	return cmocka_run_group_tests_name("cel macros", tests, open_arena, close_arena);
}
