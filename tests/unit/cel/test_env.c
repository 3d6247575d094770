/* SPDX-License-Identifier: Apache-2.0 */
/* test_env.c - what may be declared, and what is found again. */
#include "common/cel/env.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static struct arena *arena;
static struct cel_env *env;

static int
open_one(void **state)
{
	(void)state;
	arena = arena_open();
	env = cel_env_open(arena);
	return 0;
}

static int
close_one(void **state)
{
	(void)state;
	cel_env_close(env);
	arena_close(arena);
	return 0;
}

static const char *
declare(const char *name)
{
	static struct error error;
	size_t slot;

	memset(&error, 0, sizeof error);
	if (cel_declare(env, name, cel_type_simple(CEL_T_INT), &slot, &error))
		return "ok";
	assert_int_equal(error.kind, ERROR_INVALID);
	return error.code;
}

static void
names_are_identifiers_between_dots(void **state)
{
	static const char *const bad[] = {"", ".", "a.", ".a", "a..b", "1a", "a.1", "a b", "a-b", "\xc3\xa9"};
	static const char *const good[] = {"a", "_", "a.b", "a1.b_2.C", "context"};
	char name[CEL_NAME_MAX + 2];

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		assert_string_equal(declare(bad[i]), "bad_name");
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
		assert_string_equal(declare(good[i]), "ok");
	memset(name, 'n', sizeof name);
	name[CEL_NAME_MAX + 1] = '\0';
	assert_string_equal(declare(name), "bad_name");
	name[CEL_NAME_MAX] = '\0';
	assert_string_equal(declare(name), "ok");
}

static void
a_name_is_declared_once(void **state)
{
	(void)state;
	assert_string_equal(declare("a.b"), "ok");
	assert_string_equal(declare("a.b"), "duplicate_name");
	assert_string_equal(declare("a"), "ok");
}

static void
there_are_1024_variables_at_most_and_each_has_its_slot(void **state)
{
	char name[16];
	size_t slot;

	(void)state;
	for (int i = 0; i < CEL_VARIABLES_MAX; i++) {
		snprintf(name, sizeof name, "v%d", i);
		assert_string_equal(declare(name), "ok");
	}
	assert_string_equal(declare("more"), "too_many");
	assert_int_equal(cel_slot_count(env), CEL_VARIABLES_MAX);
	assert_string_equal(cel_env_variable(env, "v700", &slot)->name, "v700");
	assert_int_equal(slot, 700);
	assert_string_equal(cel_env_variable_at(env, 700)->name, "v700");
	assert_null(cel_env_variable_at(env, CEL_VARIABLES_MAX));
	assert_null(cel_env_variable(env, "v1024", &slot));
}

static void
what_is_declared_is_copied(void **state)
{
	char name[] = "record", field[] = "field";
	struct cel_field fields[] = {{field, cel_type_simple(CEL_T_STRING)}};
	struct cel_type type = {.kind = CEL_T_RECORD, .fields = fields, .field_count = 1};
	struct error error = {0};
	size_t slot;
	const struct cel_variable *variable;

	(void)state;
	assert_true(cel_declare(env, name, &type, &slot, &error));
	memset(name, 'x', sizeof name - 1);
	memset(field, 'x', sizeof field - 1);
	memset(&type, 0, sizeof type);
	fields[0].type = NULL;
	variable = cel_env_variable(env, "record", NULL);
	assert_non_null(variable);
	assert_string_equal(variable->type->fields[0].name, "field");
	assert_int_equal(variable->type->fields[0].type->kind, CEL_T_STRING);
}

static void
the_size_said_last_holds(void **state)
{
	uint64_t max;

	(void)state;
	assert_false(cel_env_size(env, "context.branch", &max));
	cel_declare_size(env, "context.branch", 255);
	cel_declare_size(env, "context.types[]", 3);
	cel_declare_size(env, "context.branch", 100);
	assert_true(cel_env_size(env, "context.branch", &max));
	assert_int_equal(max, 100);
	assert_false(cel_env_size(env, "context", &max));
}

static void
candidates_go_from_the_inside_out(void **state)
{
	char candidate[CEL_CANDIDATE_MAX];
	static const char *const expected[] = {"a.b.c.x.y", "a.b.x.y", "a.x.y", "x.y"};

	(void)state;
	cel_set_container(env, "a.b.c");
	for (size_t i = 0; i < 4; i++) {
		assert_true(cel_env_candidate(env, "x.y", i, candidate));
		assert_string_equal(candidate, expected[i]);
	}
	assert_false(cel_env_candidate(env, "x.y", 4, candidate));
	assert_true(cel_env_candidate(env, ".x.y", 0, candidate));
	assert_string_equal(candidate, "x.y");
	assert_false(cel_env_candidate(env, ".x.y", 1, candidate));
	cel_set_container(env, NULL);
	assert_true(cel_env_candidate(env, "x", 0, candidate));
	assert_string_equal(candidate, "x");
	assert_false(cel_env_candidate(env, "x", 1, candidate));
}

static void
a_signature_says_which_kinds_are_taken(void **state)
{
	struct cel_value two[] = {cel_string("a", 1), cel_string("b", 1)},
			 numbers[] = {cel_int(1), cel_uint(1), cel_int(2)};
	struct error error = {0};
	const struct cel_signature *s;

	(void)state;
	s = cel_env_function(env, "contains")->signatures;
	assert_true(cel_signature_takes(s, true, two, 2));
	assert_false(cel_signature_takes(s, false, two, 2));
	assert_false(cel_signature_takes(s, true, two, 1));
	assert_false(cel_signature_takes(s, true, numbers, 2));
	assert_true(cel_declare_function(env, "most", "(int...):int", &error));
	s = cel_env_function(env, "most")->signatures;
	assert_false(cel_signature_takes(s, false, numbers, 0));
	assert_true(cel_signature_takes(s, false, numbers, 1));
	assert_false(cel_signature_takes(s, false, numbers, 2));
	numbers[1] = cel_int(3);
	assert_true(cel_signature_takes(s, false, numbers, 3));
	assert_true(cel_declare_function(env, "maybe", "(wrapper<int>, list<map<string, A>>):bool", &error));
	s = cel_env_function(env, "maybe")->signatures;
	numbers[0] = cel_null();
	numbers[1] = cel_list(arena, NULL, 0);
	assert_true(cel_signature_takes(s, false, numbers, 2));
	numbers[1] = cel_error(CEL_COST, 0);
	assert_false(cel_signature_takes(s, false, numbers, 2));
}

static void
a_signature_that_cannot_be_read_is_refused(void **state)
{
	static const char *const bad[] = {"",
					  "int",
					  "(int",
					  "(int)",
					  "(int):",
					  "(int:int",
					  "string(int):int",
					  "(<):int",
					  "(int):a b",
					  "():int extra",
					  "(int,int,int,int,int,int,int,int,int):int"};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct error error = {0};

		assert_false(cel_declare_function(env, "f", bad[i], &error));
		assert_int_equal(error.kind, ERROR_INVALID);
		assert_null(cel_env_function(env, "f"));
	}
}

static void
every_function_is_walked_once(void **state)
{
	const struct cel_function_entry *f;
	size_t count = 0, sizes = 0;

	(void)state;
	for (f = cel_env_next_function(env, NULL); f; f = cel_env_next_function(env, f)) {
		assert_ptr_equal(cel_env_function(env, f->name), f);
		sizes += strcmp(f->name, "size") == 0;
		count++;
	}
	assert_int_equal(sizes, 1);
	assert_true(count > 50);
}

static void
a_pattern_is_compiled_once(void **state)
{
	struct error error = {0};
	const struct regex *regex = cel_env_regex(env, "a+", 2, &error);

	(void)state;
	assert_non_null(regex);
	assert_ptr_equal(cel_env_regex(env, "a+b", 2, &error), regex);
	assert_true(cel_env_regex(env, "a+b", 3, &error) != regex);
	assert_null(cel_env_regex(env, "(", 1, &error));
	assert_string_equal(error.code, "regex");
	cel_env_close(NULL);
}

int
main(void)
{
#define TEST(NAME) cmocka_unit_test_setup_teardown(NAME, open_one, close_one)
	const struct CMUnitTest tests[] = {
	    TEST(names_are_identifiers_between_dots),
	    TEST(a_name_is_declared_once),
	    TEST(there_are_1024_variables_at_most_and_each_has_its_slot),
	    TEST(what_is_declared_is_copied),
	    TEST(the_size_said_last_holds),
	    TEST(candidates_go_from_the_inside_out),
	    TEST(a_signature_says_which_kinds_are_taken),
	    TEST(a_signature_that_cannot_be_read_is_refused),
	    TEST(every_function_is_walked_once),
	    TEST(a_pattern_is_compiled_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
