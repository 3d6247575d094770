/* SPDX-License-Identifier: Apache-2.0 */
/* test_type.c - types are read as people write them, written as they are read, and named as the language names them. */
#include "common/cel/type.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
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

static const struct cel_type *
parse(const char *text)
{
	struct error error = {0};
	const struct cel_type *type = cel_type_parse(arena, text, &error);

	if (!type)
		assert_string_equal(error.code, "bad_type");
	return type;
}

static void
types_are_written_as_they_are_read(void **state)
{
	static const struct {
		const char *text, *again, *name;
	} rows[] = {
	    {"dyn", "dyn", "dyn"},
	    {"null_type", "null_type", "null_type"},
	    {"bool", "bool", "bool"},
	    {"int", "int", "int"},
	    {"uint", "uint", "uint"},
	    {"double", "double", "double"},
	    {"string", "string", "string"},
	    {"bytes", "bytes", "bytes"},
	    {"timestamp", "timestamp", "google.protobuf.Timestamp"},
	    {"google.protobuf.Timestamp", "timestamp", "google.protobuf.Timestamp"},
	    {"google.protobuf.Duration", "duration", "google.protobuf.Duration"},
	    {"list", "list<dyn>", "list"},
	    {"list<string>", "list<string>", "list"},
	    {"map", "map<dyn, dyn>", "map"},
	    {"map<string,list<int>>", "map<string, list<int>>", "map"},
	    {"optional<int>", "optional<int>", "optional_type"},
	    {"optional_type<int>", "optional<int>", "optional_type"},
	    {"type", "type", "type"},
	    {"type<int>", "type<int>", "type"},
	    {"net.IP", "net.IP", "net.IP"},
	    {"net.CIDR", "net.CIDR", "net.CIDR"},
	    {"wrapper<int>", "wrapper<int>", "int"},
	    {"A", "A", "A"},
	    {"map<K, V>", "map<K, V>", "map"},
	    {"acme.Thing", "acme.Thing", "acme.Thing"},
	    {"tuple<int, A, dyn>", "tuple<int, A, dyn>", "tuple"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const struct cel_type *type = parse(rows[i].text);

		assert_non_null(type);
		assert_string_equal(cel_type_text(arena, type), rows[i].again);
		assert_string_equal(cel_type_name(type), rows[i].name);
		assert_true(cel_type_same(type, parse(rows[i].again)));
	}
}

static void
what_is_no_type_is_refused(void **state)
{
	static const char *const bad[] = {
	    "",
	    " ",
	    "int int",
	    "int<int>",
	    "list<int",
	    "list<>",
	    "list<int,int>",
	    "map<int>",
	    "map<a,b,c,d>",
	    "a..b",
	    ".a",
	    "a.",
	    "1",
	    "list<int>>",
	    "A<int>",
	    "wrapper",
	    "wrapper<dyn>",
	    "wrapper<list<int>>",
	    "list[int]",
	    "tuple<a,b,c,d>",
	};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (parse(bad[i]))
			fail_msg("'%s' was read", bad[i]);
}

static void
types_nest_eight_deep_and_no_deeper(void **state)
{
	(void)state;
	assert_non_null(parse("list<list<list<list<list<list<list<int>>>>>>>"));
	assert_null(parse("list<list<list<list<list<list<list<list<int>>>>>>>>"));
}

static void
names_have_a_length(void **state)
{
	char name[256] = {0};

	(void)state;
	memset(name, 'a', 128);
	assert_non_null(parse(name));
	name[128] = 'a';
	assert_null(parse(name));
}

static void
types_are_the_same_by_what_they_are_made_of(void **state)
{
	(void)state;
	assert_true(cel_type_same(parse("list<int>"), cel_type_list(arena, cel_type_simple(CEL_T_INT))));
	assert_true(cel_type_same(parse("type"), cel_type_of(arena, cel_type_simple(CEL_T_DYN))));
	assert_false(cel_type_same(parse("list<int>"), parse("list<uint>")));
	assert_false(cel_type_same(parse("list<int>"), parse("optional<int>")));
	assert_false(cel_type_same(parse("A"), parse("B")));
	assert_false(cel_type_same(parse("a.b"), parse("a.c")));
	assert_false(cel_type_same(parse("a<int>"), parse("a")));
	assert_true(cel_type_same(parse("map<string, dyn>"), cel_type_map(arena, cel_type_simple(CEL_T_STRING),
									  cel_type_simple(CEL_T_DYN))));
	assert_true(cel_type_same(parse("optional<int>"), cel_type_optional(arena, cel_type_simple(CEL_T_INT))));
}

static void
a_record_is_told_apart_by_its_fields_and_written_as_a_map(void **state)
{
	const struct cel_field one[] = {{"a", cel_type_simple(CEL_T_INT)}, {"b", cel_type_simple(CEL_T_BOOL)}};
	const struct cel_field two[] = {{"a", cel_type_simple(CEL_T_INT)}, {"c", cel_type_simple(CEL_T_BOOL)}};
	const struct cel_type *record = cel_type_record(arena, one, 2);

	(void)state;
	assert_string_equal(cel_type_text(arena, record), "map<string, dyn>");
	assert_string_equal(cel_type_name(record), "map");
	assert_true(cel_type_same(record, cel_type_record(arena, one, 2)));
	assert_false(cel_type_same(record, cel_type_record(arena, two, 2)));
	assert_false(cel_type_same(record, cel_type_record(arena, one, 1)));
	assert_false(cel_type_same(record, parse("map<string, dyn>")));
}

static void
values_have_the_type_that_the_language_tells(void **state)
{
	static const struct {
		struct cel_value value;
		const char *name;
	} rows[] = {
	    {{.kind = CEL_NULL}, "null_type"},
	    {{.kind = CEL_BOOL}, "bool"},
	    {{.kind = CEL_INT}, "int"},
	    {{.kind = CEL_UINT}, "uint"},
	    {{.kind = CEL_DOUBLE}, "double"},
	    {{.kind = CEL_STRING}, "string"},
	    {{.kind = CEL_BYTES}, "bytes"},
	    {{.kind = CEL_LIST}, "list"},
	    {{.kind = CEL_MAP}, "map"},
	    {{.kind = CEL_TIMESTAMP}, "google.protobuf.Timestamp"},
	    {{.kind = CEL_DURATION}, "google.protobuf.Duration"},
	    {{.kind = CEL_TYPE}, "type"},
	    {{.kind = CEL_OPTIONAL}, "optional_type"},
	    {{.kind = CEL_IP}, "net.IP"},
	    {{.kind = CEL_CIDR}, "net.CIDR"},
	};

	(void)state;
	assert_int_equal(sizeof rows / sizeof rows[0], CEL_KIND_COUNT - 2); /* all but absent and error */
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		assert_string_equal(cel_type_name(cel_type_of_value(rows[i].value)), rows[i].name);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(types_are_written_as_they_are_read),
	    cmocka_unit_test(what_is_no_type_is_refused),
	    cmocka_unit_test(types_nest_eight_deep_and_no_deeper),
	    cmocka_unit_test(names_have_a_length),
	    cmocka_unit_test(types_are_the_same_by_what_they_are_made_of),
	    cmocka_unit_test(a_record_is_told_apart_by_its_fields_and_written_as_a_map),
	    cmocka_unit_test(values_have_the_type_that_the_language_tells),
	};

	return cmocka_run_group_tests_name("cel types", tests, open_arena, close_arena);
}
