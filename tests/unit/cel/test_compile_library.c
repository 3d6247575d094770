/* SPDX-License-Identifier: Apache-2.0 */
/* test_compile_library.c - what becomes of library functions that are called with literals. */
#include "tests/unit/cel/evaluate.h"

/* Compiles what was checked; the only fault, or CEL_OK. */
static struct cel_fault
fault_of(const char *source, const char *container)
{
	struct arena *arena = arena_open();
	struct cel_env *env = cel_env_open(arena);
	struct cel_faults faults = {0};
	struct error error = {0};
	size_t slot;

	cel_set_container(env, container);
	assert_true(cel_declare(env, "now", cel_type_simple(CEL_T_TIMESTAMP), &slot, &error));
	assert_true(cel_declare_function(env, "own.timestamp", "(string):timestamp", &error));

	const struct cel_tree *tree = cel_parse(arena, source, strlen(source), 0, NULL, &faults);

	assert_non_null(tree);

	const struct cel_checked *checked = cel_check(env, arena, tree, NULL, &faults);

	assert_non_null(checked);

	const struct cel_program *program = cel_compile(env, tree, tree->root, checked, 0, &faults);

	assert_int_equal(program == NULL, faults.count == 1);
	assert_true(faults.count <= 1);
	cel_env_close(env);
	arena_close(arena);
	return faults.items[0];
}

static void
is_refused(const char *source, uint32_t position)
{
	struct cel_fault fault = fault_of(source, NULL);

	assert_int_equal(fault.code, CEL_CONVERSION);
	assert_int_equal(fault.position, position);
}

static void
who_had_it_checked_is_told_of_literals_that_never_work(void **state)
{
	(void)state;
	is_refused("timestamp('2026-02-30T00:00:00Z') < now", 10);
	is_refused("timestamp('0000-01-01T00:00:00Z') < now", 10);
	is_refused("now + duration('1 day') < now", 15);
	is_refused("ip('10.0.0') == ip('10.0.0.1')", 3);
	is_refused("cidr('10.0.0.0/33').containsIP('10.0.0.1')", 5);
	is_refused("now.getHours('Europe/Atlantis') < 8", 13);
	is_refused("now.getDayOfWeek('+25:00') < 6", 17);
	is_refused("[ip('10.0.0.1'), ip('10.0.0')].size() == 2", 20);
	is_refused("true || now.getMilliseconds('../../etc/localtime') == 0", 28);
}

static void
what_works_is_taken(void **state)
{
	static const char *const sources[] = {"timestamp('2026-02-28T00:00:00Z') < now",
					      "now - timestamp('2026-02-28T00:00:00Z') < duration('1h')",
					      "now.getHours('Europe/Berlin') < 8",
					      "now.getHours('UTC') < 8",
					      "now.getHours('-08:00') < 8",
					      "ip('10.0.0.1') in [ip('10.0.0.1'), ip('::1')]",
					      "cidr('10.0.0.0/8').containsIP('10.0.0.1')",
					      "now.getHours(string(now)) < 8"};

	(void)state;
	for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
		assert_int_equal(fault_of(sources[i], NULL).code, CEL_OK);
}

static void
a_function_of_that_name_elsewhere_may_take_anything(void **state)
{
	(void)state;
	assert_int_equal(fault_of("timestamp('yesterday') < now", "own").code, CEL_OK);
	assert_int_equal(fault_of(".timestamp('yesterday') < now", "own").code, CEL_CONVERSION);
}

static void
unchecked_it_is_an_error_like_others(void **state)
{
	(void)state;
	ALL_TRUE("timestamp('yesterday') == timestamp(0) || true",
		 "now.getHours('Europe/Atlantis') == 0 || true", "ip('x') == ip('y') || true");
	ALL_FAIL("conversion", "timestamp('yesterday') == timestamp(0)",
		 "duration('1 day') == duration('1s')", "[ip('x')].size() == 1");
	ALL_FAIL("range", "timestamp('0000-01-01T00:00:00Z') == timestamp(0)");
}

static void
values_made_before_are_the_same(void **state)
{
	(void)state;
	ALL_TRUE("timestamp('2009-02-13T23:31:30Z') == timestamp('2009-02-13T' + '23:31:30Z')",
		 "duration('90m') == duration('90' + 'm')", "ip('::1') == ip('::' + '1')",
		 "cidr('10.0.0.0/8') == cidr('10.0.0.0' + '/8')",
		 "ip('10.0.0.1') in [ip('10.0.0.2'), ip('10.0.0.1')]",
		 "!(ip('10.0.0.1') in [ip('10.0.0.2'), ip('::1')])", "duration('1h') in [duration('60m')]",
		 "type(ip('::1')) == net.IP",
		 "timestamp('1970-01-01T00:00:01Z') < timestamp('1970-01-01T00:00:01.5Z')",
		 "timestamp(timestamp('1970-01-01T00:00:01Z')) == timestamp(1)",
		 "string(cidr('10.1.0.0/8')) == '10.1.0.0/8'", "{'a': duration('1s')}.a == duration('1000ms')",
		 "[1, 2].exists(x, timestamp(x) == timestamp('1970-01-01T00:00:02Z'))");
}

/* What a checked expression over an empty list `items` of this type is. */
static bool
holds_of_nothing(const char *type, const char *source)
{
	struct arena *arena = arena_open();
	struct cel_env *env = cel_env_open(arena);
	struct cel_faults faults = {0};
	struct error error = {0};
	size_t slot;

	assert_true(cel_declare(env, "items", cel_type_parse(arena, type, &error), &slot, &error));

	const struct cel_tree *tree = cel_parse(arena, source, strlen(source), 0, NULL, &faults);
	const struct cel_checked *checked = tree ? cel_check(env, arena, tree, NULL, &faults) : NULL;
	const struct cel_program *program =
	    checked ? cel_compile(env, tree, tree->root, checked, 0, &faults) : NULL;
	struct cel_value empty = cel_list(arena, NULL, 0);
	struct cel_run run = {.slots = &empty};

	assert_non_null(program);

	struct cel_value value = cel_evaluate(program, &run, arena);
	bool holds = value.kind == CEL_BOOL && value.as.boolean;

	cel_env_close(env);
	arena_close(arena);
	return holds;
}

static void
the_sum_of_nothing_has_the_type_of_its_items(void **state)
{
	(void)state;
	assert_true(holds_of_nothing(
	    "list<duration>",
	    "items.sum() == duration('0s') && items.sum() + duration('1s') < duration('2s')"));
	assert_true(holds_of_nothing("list<double>", "items.sum() + 0.5 == 0.5"));
	assert_true(holds_of_nothing("list<uint>", "items.sum() + 1u == 1u"));
	assert_true(holds_of_nothing("list<int>", "items.sum() + 1 == 1"));
	assert_true(holds_of_nothing("list<duration>", "items.map(x, x + x).sum() == duration('0s')"));
	assert_true(holds_of_nothing("list<dyn>", "items.sum() == 0"));
	ALL_TRUE("[duration('1s'), duration('2s')].sum() == duration('3s')");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(who_had_it_checked_is_told_of_literals_that_never_work),
	    cmocka_unit_test(what_works_is_taken),
	    cmocka_unit_test(a_function_of_that_name_elsewhere_may_take_anything),
	    cmocka_unit_test(unchecked_it_is_an_error_like_others),
	    cmocka_unit_test(values_made_before_are_the_same),
	    cmocka_unit_test(the_sum_of_nothing_has_the_type_of_its_items),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
