/* SPDX-License-Identifier: Apache-2.0 */
/* test_literal.c - what the text of each literal means, and which texts mean nothing. */
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
check(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *shape = shape_of(arena, rows[i].source, 0);

		if (strcmp(shape, rows[i].shape) != 0)
			fail_msg("%s\n became  %s\n and not %s", rows[i].source, shape, rows[i].shape);
	}
}
#define CHECK(ROWS) check(ROWS, sizeof ROWS / sizeof ROWS[0])

/* The source has one fault, at its first character. */
static void
check_refused(const char *const *sources, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *shape = shape_of(arena, sources[i], 0);

		if (strncmp(shape, "1:1 ", 4) != 0 || strchr(shape, ';'))
			fail_msg("%s became %s", sources[i], shape);
	}
}
#define CHECK_REFUSED(ROWS) check_refused(ROWS, sizeof ROWS / sizeof ROWS[0])

static void
integers_are_decimal_or_hexadecimal(void **state)
{
	static const struct row rows[] = {
	    {"0", "0"},
	    {"007", "7"},
	    {"0x1F", "31"},
	    {"0xabcdefABCDEF", "188900977659375"},
	    {"9223372036854775807", "9223372036854775807"},
	    {"-9223372036854775808", "-9223372036854775808"},
	    {"-0x8000000000000000", "-9223372036854775808"},
	    {"0x7fffffffffffffff", "9223372036854775807"},
	    {"- 5", "-5"},
	    {"-0", "0"},
	    {"0u", "0u"},
	    {"18446744073709551615u", "18446744073709551615u"},
	    {"0xFFFFFFFFFFFFFFFFU", "18446744073709551615u"},
	};
	static const char *const refused[] = {
	    "9223372036854775808",	  "-9223372036854775809",    "18446744073709551616u",
	    "0x8000000000000000",	  "0x10000000000000000u",    "-0x8000000000000001",
	    "99999999999999999999999999", "0xfffffffffffffffffffff",
	};

	(void)state;
	CHECK(rows);
	CHECK_REFUSED(refused);
}

static void
doubles_have_a_point_or_an_exponent(void **state)
{
	static const struct row rows[] = {
	    {"0.0", "0d"},     {".5", "0.5d"},	      {"1e3", "1000d"},
	    {"1E+3", "1000d"}, {"1.5e-3", "0.0015d"}, {"-.25", "-0.25d"},
	    {"-0.0", "-0d"},   {"1e-999", "0d"},      {"1.7976931348623157e308", "1.79769e+308d"},
	    {"-1e0", "-1d"},
	};
	static const char *const refused[] = {"1e999", "1.8e308", "-1.99e90000009"};

	(void)state;
	CHECK(rows);
	CHECK_REFUSED(refused);
}

static void
a_point_without_digits_behind_it_selects(void **state)
{
	static const struct row rows[] = {
	    {"1.e5", "(. 1 e5)"},
	    {"1.size()", "(.size 1)"},
	    {"1 .a", "(. 1 a)"},
	    {"0x1.a", "(. 1 a)"},
	};

	(void)state;
	CHECK(rows);
}

static void
strings_have_either_quote_and_may_be_tripled(void **state)
{
	static const struct row rows[] = {
	    {"''", "\"\""},
	    {"\"\"", "\"\""},
	    {"'a\"b'", "\"a\"b\""},
	    {"\"a'b\"", "\"a'b\""},
	    {"''''''", "\"\""},
	    {"'''a'b''c'''", "\"a'b''c\""},
	    {"\"\"\"a\nb\"\"\"", "\"a<0a>b\""},
	    {"'''a\r\nb\rc'''", "\"a<0a>b<0a>c\""},
	    {"'''\\''''", "\"'\""},
	    {"'\xf0\x9f\x98\x81'", "\"\xf0\x9f\x98\x81\""},
	};

	(void)state;
	CHECK(rows);
}

static void
escapes_stand_for_one_character(void **state)
{
	static const struct row rows[] = {
	    {"'\\a\\b\\f\\n\\r\\t\\v'", "\"<07><08><0c><0a><0d><09><0b>\""},
	    {"'\\\\\\'\\\"\\`\\?'", "\"\\'\"`?\""},
	    {"'\\x41\\X42'", "\"AB\""},
	    {"'\\xff'", "\"\xc3\xbf\""},
	    {"'\\101\\377'", "\"A\xc3\xbf\""},
	    {"'\\u00e9'", "\"\xc3\xa9\""},
	    {"'\\u263A'", "\"\xe2\x98\xba\""},
	    {"'\\U0001F601'", "\"\xf0\x9f\x98\x81\""},
	    {"'\\U0010ffff'", "\"\xf4\x8f\xbf\xbf\""},
	    {"'\\ud7ff\\ue000'", "\"\xed\x9f\xbf\xee\x80\x80\""},
	    {"'a\\x00b'", "\"a<00>b\""},
	};
	static const char *const refused[] = {
	    "'\\q'",	     "'\\4'",	      "'\\40'",	       "'\\08'",
	    "'\\x'",	     "'\\xF'",	      "'\\xFh'",       "'\\u123'",
	    "'\\u12 4'",     "'\\U1234567'",  "'\\ud800'",     "'\\udfff'",
	    "'\\U0000d800'", "'\\U00110000'", "'\\Uffffffff'", "'\\ud83d\\ude01'",
	    "'\\ '",	     "'\\\xc3\xa9'",  "'''\\\n'''",
	};

	(void)state;
	CHECK(rows);
	CHECK_REFUSED(refused);
}

static void
bytes_take_numbers_as_bytes_and_have_no_characters(void **state)
{
	static const struct row rows[] = {
	    {"b''", "b\"\""},
	    {"b'abc'", "b\"<61><62><63>\""},
	    {"B\"\xc3\xbf\"", "b\"<c3><bf>\""},
	    {"b'\\xff\\377\\000'", "b\"<ff><ff><00>\""},
	    {"b'''a\nb'''", "b\"<61><0a><62>\""},
	    {"b'\\n'", "b\"<0a>\""},
	};
	static const char *const refused[] = {"b'\\u0041'", "b'\\U00000041'", "b'\\400'"};

	(void)state;
	CHECK(rows);
	CHECK_REFUSED(refused);
}

static void
raw_literals_have_no_escapes(void **state)
{
	static const struct row rows[] = {
	    {"r'\\d+\\.'", "\"\\d+\\.\""}, {"R\"\\\"", "\"\\\""},
	    {"r'''\\'''", "\"\\\""},	   {"br'\\xff'", "b\"<5c><78><66><66>\""},
	    {"bR\"\\\"", "b\"<5c>\""},	   {"Br'''a'b'''", "b\"<61><27><62>\""},
	};

	(void)state;
	CHECK(rows);
}

static void
a_prefix_that_is_none_is_a_name(void **state)
{
	static const struct row rows[] = {
	    {"r", "r"},
	    {"br", "br"},
	    {"rb'a'", "1:3 a string cannot follow here; an operator is missing"},
	    {"b 'a'", "1:3 a string cannot follow here; an operator is missing"},
	};

	(void)state;
	CHECK(rows);
}

static void
a_string_that_is_not_closed_is_told_where_it_begins(void **state)
{
	static const struct row rows[] = {
	    {"a == 'b", "1:6 this string is not closed on its line"},
	    {"a == 'b\n' && c",
	     "1:6 this string is not closed on its line; 2:1 this string is not closed on its line"},
	    {"a == 'b\\'", "1:6 this string is not closed on its line"},
	    {"a == 'b\\\n'",
	     "1:6 this string is not closed on its line; 2:1 this string is not closed on its line"},
	    {"a == '''b''", "1:6 this string is not closed: three quotes are missing"},
	};

	(void)state;
	CHECK(rows);
}

static void
true_false_and_null_are_literals(void **state)
{
	static const struct row rows[] = {
	    {"true", "true"}, {"false", "false"},	{"null", "null"},
	    {"True", "True"}, {"nullable", "nullable"}, {"[true,false,null]", "(list true false null)"},
	};

	(void)state;
	CHECK(rows);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(integers_are_decimal_or_hexadecimal),
	    cmocka_unit_test(doubles_have_a_point_or_an_exponent),
	    cmocka_unit_test(a_point_without_digits_behind_it_selects),
	    cmocka_unit_test(strings_have_either_quote_and_may_be_tripled),
	    cmocka_unit_test(escapes_stand_for_one_character),
	    cmocka_unit_test(bytes_take_numbers_as_bytes_and_have_no_characters),
	    cmocka_unit_test(raw_literals_have_no_escapes),
	    cmocka_unit_test(a_prefix_that_is_none_is_a_name),
	    cmocka_unit_test(a_string_that_is_not_closed_is_told_where_it_begins),
	    cmocka_unit_test(true_false_and_null_are_literals),
	};

	return cmocka_run_group_tests_name("cel literals", tests, open_arena, close_arena);
}
