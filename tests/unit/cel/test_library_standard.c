/* SPDX-License-Identifier: Apache-2.0 */
/* test_library_standard.c - arithmetic, conversions, sizes and text, at and beyond their limits. */
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

static void
integers_that_do_not_fit_are_errors(void **state)
{
	static const struct expected all[] = {
	    {"9223372036854775807 + 1", "overflow at 20"},
	    {"9223372036854775806 + 1", "9223372036854775807"},
	    {"-9223372036854775808 - 1", "overflow at 21"},
	    {"-9223372036854775807 - 1", "-9223372036854775808"},
	    {"-(-9223372036854775808)", "overflow at 0"},
	    {"4611686018427387904 * 2", "overflow at 20"},
	    {"4611686018427387904 * -2", "-9223372036854775808"},
	    {"-9223372036854775808 / -1", "overflow at 21"},
	    {"-9223372036854775808 % -1", "overflow at 21"},
	    {"18446744073709551615u + 1u", "overflow at 22"},
	    {"0u - 1u", "overflow at 3"},
	    {"9223372036854775808u * 2u", "overflow at 21"},
	    {"9223372036854775807u * 2u", "18446744073709551614u"},
	    {"1 / 0", "division_by_zero at 2"},
	    {"1 % 0", "division_by_zero at 2"},
	    {"1u / 0u", "division_by_zero at 3"},
	    {"1u % 0u", "division_by_zero at 3"},
	};

	(void)state;
	EXPRESSION_ALL(&e, all);
}

static void
division_and_remainder_go_toward_zero(void **state)
{
	static const struct expected all[] = {
	    {"-5 / 2", "-2"},
	    {"5 / -2", "-2"},
	    {"-5 % 3", "-2"},
	    {"5 % -3", "2"},
	    {"7u / 2u", "3u"},
	    {"7u % 4u", "3u"},
	    {"2 + 3 * 4 - 6 / 2", "11"},
	};

	(void)state;
	EXPRESSION_ALL(&e, all);
}

static void
doubles_follow_ieee_754_and_are_never_errors(void **state)
{
	static const struct expected all[] = {
	    {"1.0 / 0.0 == double('inf')", "true"},    {"-1.0 / 0.0 == double('-inf')", "true"},
	    {"1.0 / -0.0 == double('-inf')", "true"},  {"0.0 / 0.0 == 0.0 / 0.0", "false"},
	    {"1e308 * 10.0 == double('inf')", "true"}, {"-(1.5)", "-1.5d"},
	    {"0.5 + 0.25 - 0.125 * 2.0", "0.5d"},      {"1.0 % 1.0", "no_such_overload at 4"},
	    {"-'a'", "no_such_overload at 0"},	       {"-1u", "no_such_overload at 0"},
	    {"!1", "no_such_overload at 0"},	       {"true + true", "no_such_overload at 5"},
	    {"null + null", "no_such_overload at 5"},  {"'a' - 'a'", "no_such_overload at 4"},
	};

	(void)state;
	EXPRESSION_ALL(&e, all);
}

static void
conversions_to_integers_refuse_what_does_not_fit(void **state)
{
	static const struct expected all[] = {
	    {"int(9223372036854775807.0)", "range at 3"},
	    {"int(9223372036854774784.0)", "9223372036854774784"},
	    {"int(-9223372036854775808.0)", "range at 3"},
	    {"int(-9223372036854774784.0)", "-9223372036854774784"},
	    {"int(1.9)", "1"},
	    {"int(-1.9)", "-1"},
	    {"int(0.0/0.0)", "range at 3"},
	    {"int(1.0/0.0)", "range at 3"},
	    {"int(9223372036854775807u)", "9223372036854775807"},
	    {"int(9223372036854775808u)", "range at 3"},
	    {"int('-9223372036854775808')", "-9223372036854775808"},
	    {"int('9223372036854775807')", "9223372036854775807"},
	    {"int('9223372036854775808')", "conversion at 3"},
	    {"int('-9223372036854775809')", "conversion at 3"},
	    {"int('18446744073709551616')", "conversion at 3"},
	    {"int('0x10')", "conversion at 3"},
	    {"int('')", "conversion at 3"},
	    {"int('-')", "conversion at 3"},
	    {"int(' 1')", "conversion at 3"},
	    {"int('1.0')", "conversion at 3"},
	    {"int(true)", "no_such_overload at 3"},
	    {"int(null)", "no_such_overload at 3"},
	    {"uint(-1)", "range at 4"},
	    {"uint(1.9)", "1u"},
	    {"uint(-0.5)", "range at 4"},
	    {"uint(18446744073709551615.0)", "range at 4"},
	    {"uint('18446744073709551615')", "18446744073709551615u"},
	    {"uint('18446744073709551616')", "conversion at 4"},
	    {"uint('-1')", "conversion at 4"},
	    {"uint('+1')", "conversion at 4"},
	};

	(void)state;
	EXPRESSION_ALL(&e, all);
}

static void
conversions_to_doubles_read_decimal_numbers_whole(void **state)
{
	static const struct expected all[] = {
	    {"double(1)", "1d"},
	    {"double(18446744073709551615u) == 18446744073709551616.0", "true"},
	    {"double('1.5')", "1.5d"},
	    {"double('-.5e1')", "-5d"},
	    {"double('5.')", "5d"},
	    {"double('NaN') == double('NaN')", "false"},
	    {"double('Infinity') == 1.0/0.0", "true"},
	    {"double('-inf') == -1.0/0.0", "true"},
	    {"double('1e400')", "conversion at 6"},
	    {"double('')", "conversion at 6"},
	    {"double('.')", "conversion at 6"},
	    {"double('1e')", "conversion at 6"},
	    {"double('0x1p3')", "conversion at 6"},
	    {"double(' 1')", "conversion at 6"},
	    {"double('1 ')", "conversion at 6"},
	    {"double('1\\u00002')", "conversion at 6"},
	    {"double('infinite')", "conversion at 6"},
	};

	(void)state;
	EXPRESSION_ALL(&e, all);
}

static void
conversions_to_and_from_text(void **state)
{
	static const struct expected all[] = {
	    {"string(-9223372036854775808)", "'-9223372036854775808'"},
	    {"string(18446744073709551615u)", "'18446744073709551615'"},
	    {"string(true) + string(false)", "'truefalse'"},
	    {"string(123.456)", "'123.456'"},
	    {"string(-4.5e-3)", "'-0.0045'"},
	    {"string(0.1)", "'0.1'"},
	    {"string(0.1 + 0.2)", "'0.30000000000000004'"},
	    {"string(100.0)", "'100'"},
	    {"string(1e6)", "'1e+06'"},
	    {"string(1234567.5)", "'1.2345675e+06'"},
	    {"string(6.02214e23)", "'6.02214e+23'"},
	    {"string(-1.5e-7)", "'-1.5e-07'"},
	    {"string(5e-324)", "'5e-324'"},
	    {"string(1.0/0.0) + string(-1.0/0.0) + string(0.0/0.0)", "'+Inf-InfNaN'"},
	    {"string(-0.0)", "'-0'"},
	    {"string(b'abc')", "'abc'"},
	    {"string(b'\\303\\251') == '\\u00e9'", "true"},
	    {"string(b'\\xff')", "conversion at 6"},
	    {"string(b'\\xc3')", "conversion at 6"},
	    {"string(null)", "no_such_overload at 6"},
	    {"string([1])", "no_such_overload at 6"},
	    {"bytes('abc')", "b'abc'"},
	    {"bytes('\\u00e9').size()", "2"},
	    {"bool('TRUE') && bool('t') && bool('1') && bool('True')", "true"},
	    {"bool('FALSE') || bool('f') || bool('0') || bool('False') || bool('F')", "false"},
	    {"bool('tRuE')", "conversion at 4"},
	    {"bool('')", "conversion at 4"},
	    {"bool(1)", "no_such_overload at 4"},
	    {"dyn(1/0)", "division_by_zero at 5"},
	};

	(void)state;
	EXPRESSION_ALL(&e, all);
}

static void
strings_count_code_points_and_bytes_count_bytes(void **state)
{
	static const struct expected all[] = {
	    {"size('\\U0001F600\\u00e9')", "2"},
	    {"'\\U0001F600\\u00e9'.size()", "2"},
	    {"size(b'\\303\\251')", "2"},
	    {"size('')", "0"},
	    {"size([1, 2])", "2"},
	    {"{'a': 1}.size()", "1"},
	    {"size(1)", "no_such_overload at 4"},
	    {"'a' + 'b' + ''", "'ab'"},
	    {"b'a' + b'b'", "b'ab'"},
	    {"'a' + b'b'", "no_such_overload at 4"},
	    {"[1] + [] + ['a']", "[1, 'a']"},
	    {"'\\u00e9' < '\\U0001F600'", "true"},
	    {"'Z' < 'a'", "true"},
	    {"'a' < 'aa'", "true"},
	};

	(void)state;
	EXPRESSION_ALL(&e, all);
}

static void
text_is_found_at_the_front_at_the_end_and_within(void **state)
{
	static const struct expected all[] = {
	    {"'hay needle hay'.contains('needle')", "true"},
	    {"'hay'.contains('')", "true"},
	    {"''.contains('')", "true"},
	    {"''.contains('a')", "false"},
	    {"'hay'.contains('hays')", "false"},
	    {"'aaab'.contains('aab')", "true"},
	    {"'abababac'.contains('ababac')", "true"},
	    {"'hay'.startsWith('ha') && 'hay'.endsWith('ay')", "true"},
	    {"'hay'.startsWith('') && 'hay'.endsWith('')", "true"},
	    {"'hay'.startsWith('hays') || 'hay'.endsWith('thay')", "false"},
	    {"'hay'.startsWith('ay') || 'hay'.endsWith('ha')", "false"},
	    {"'hay'.contains(1)", "no_such_overload at 14"},
	    {"contains('hay', 'a')", "unbound at 8"},
	};

	(void)state;
	EXPRESSION_ALL(&e, all);
}

static void
long_text_is_charged_before_it_is_looked_through(void **state)
{
	char *text = arena_take(e.arena, 8192);

	(void)state;
	memset(text, 'a', 8192);
	expression_declare(&e, "text", "string", cel_string(text, 8192));
	assert_string_equal(expression_value(&e, "text.contains('b')"), "false");
	assert_in_range(e.run.cost, 820, 840);
	assert_string_equal(expression_value(&e, "text.matches('(a+)+b')"), "false");
	assert_in_range(e.run.cost, 8192 * 6 / 40, 8192 * 6 / 40 + 10);
	assert_string_equal(expression_value(&e, "text.matches(dyn('(a+)+b'))"), "false");
	assert_true(e.run.cost > 8192 * 6 / 40 + 150);
	e.run.cost_max = 800;
	assert_string_equal(expression_value(&e, "text.contains('b')"), "cost at 13");
	assert_string_equal(expression_value(&e, "text.matches('(a+)+b')"), "cost at 12");
	e.run.cost_max = 0;
	assert_string_equal(expression_value(&e, "(text + 'b').size()"), "memory at 6");
	assert_string_equal(expression_value(&e, "(text + '').size()"), "8192");
}

int
main(void)
{
#define TEST(NAME) cmocka_unit_test_setup_teardown(NAME, open_one, close_one)
	const struct CMUnitTest tests[] = {
	    TEST(integers_that_do_not_fit_are_errors),
	    TEST(division_and_remainder_go_toward_zero),
	    TEST(doubles_follow_ieee_754_and_are_never_errors),
	    TEST(conversions_to_integers_refuse_what_does_not_fit),
	    TEST(conversions_to_doubles_read_decimal_numbers_whole),
	    TEST(conversions_to_and_from_text),
	    TEST(strings_count_code_points_and_bytes_count_bytes),
	    TEST(text_is_found_at_the_front_at_the_end_and_within),
	    TEST(long_text_is_charged_before_it_is_looked_through),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
