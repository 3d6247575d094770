/* SPDX-License-Identifier: Apache-2.0 */
/* test_format.c - format() in expressions: every conversion, every type, every mistake. */
#include "tests/unit/cel/evaluate.h"

static void
puts_values_in_their_places(void **state)
{
	(void)state;
	ALL_TRUE("'no substitution'.format([]) == 'no substitution'", "''.format([]) == ''",
		 "'%%'.format([]) == '%'", "'%%%s%%'.format(['text']) == '%text%'",
		 "'%s%%'.format(['right']) == 'right%'", "'%d %s'.format([1, 'A']) == '1 A'",
		 "'é%sé'.format(['ü']) == 'éüé'", "'%s'.format(['%s']) == '%s'",
		 "'%s'.format([1, 2, 3]) == '1'");
}

static void
writes_every_type_as_text(void **state)
{
	(void)state;
	ALL_TRUE(
	    "'%s'.format([null]) == 'null'", "'%s %s'.format([true, false]) == 'true false'",
	    "'%s'.format([-9223372036854775808]) == '-9223372036854775808'",
	    "'%s'.format([18446744073709551615u]) == '18446744073709551615'",
	    "'%s'.format(['a\\x00b']) == 'a\\x00b'", "'%s'.format([b'xyz']) == 'xyz'",
	    "'%s'.format([b'a\\xff\\xfeb\\xc3']) == 'a\\ufffdb\\ufffd'", "'%s'.format([type('')]) == 'string'",
	    "'%s'.format([type(timestamp(0))]) == 'google.protobuf.Timestamp'",
	    "'%s'.format([timestamp('2023-02-03T23:31:20+00:00')]) == '2023-02-03T23:31:20Z'",
	    "'%s'.format([duration('1h45m47.5s')]) == '6347.5s'", "'%s'.format([[]]) == '[]'",
	    "'%s'.format([{}]) == '{}'", "'%s'.format([['abc', 3.14, null, [9, 8], timestamp(0)]]) == '[abc, 3.14, null, [9, 8], 1970-01-01T00:00:00Z]'",
	    "'%s'.format([{'b': 1, 'a': [2], 'ab': {}}]) == '{a: [2], ab: {}, b: 1}'",
	    "'%s'.format([{10: 'x', 9u: 'y', true: 'z', 'm': 0}]) == '{10: x, 9: y, m: 0, true: z}'",
	    "'%s'.format([{'1': 'a', 1: 'b', 'true': 'c', true: 'd'}]) == '{1: a, 1: b, true: c, true: d}'");
	ALL_FAIL("no_such_overload", "'%s'.format([ip('1.2.3.4')])", "'%s'.format([optional.of(1)])",
		 "'%s'.format([[optional.none()]])");
}

static void
writes_doubles_with_the_fewest_digits(void **state)
{
	(void)state;
	ALL_TRUE("'%s'.format([0.1]) == '0.1'", "'%s'.format([64.0]) == '64'", "'%s'.format([-0.0]) == '-0'",
		 "'%s'.format([0.0]) == '0'", "'%s'.format([1e21]) == '1000000000000000000000'",
		 "'%s'.format([-1.5e22]) == '-15000000000000000000000'",
		 "'%s'.format([1.25e-7]) == '0.000000125'", "'%s'.format([-1e-7]) == '-0.0000001'",
		 "'%s'.format([5e-324]).size() == 326", "'%s'.format([1.7976931348623157e308]).size() == 309",
		 "'%s'.format([1.7976931348623157e308]).startsWith('17976931348623157000')",
		 "'%s'.format([2.2250738585072014e-308]).endsWith('00022250738585072014')",
		 "'%s %s %s'.format([double('NaN'), 1.0/0.0, -1.0/0.0]) == 'NaN Infinity -Infinity'",
		 "'%d'.format([3.14]) == '3.14'", "'%d'.format([double('NaN')]) == 'NaN'",
		 "'%s'.format([123456789012345680.0]) == '123456789012345680'");
}

static void
writes_numbers_in_other_bases(void **state)
{
	(void)state;
	ALL_TRUE("'%d %d'.format([-5, 7u]) == '-5 7'", "'%b %b %b'.format([5, -5, 64u]) == '101 -101 1000000'",
		 "'%o %o'.format([11, 65535u]) == '13 177777'", "'%x %X'.format([30, -30]) == '1e -1E'",
		 "'%x'.format([18446744073709551615u]) == 'ffffffffffffffff'",
		 "'%x'.format([-9223372036854775808]) == '-8000000000000000'",
		 "'%b'.format([-9223372036854775808]) == "
		 "'-1000000000000000000000000000000000000000000000000000000000000000'",
		 "'%x %X'.format(['Hello ü', b'\\x00\\xff']) == '48656c6c6f20c3bc 00FF'",
		 "'%x'.format(['']) == ''", "'%b'.format([0]) == '0'");
}

static void
rounds_to_even(void **state)
{
	(void)state;
	ALL_TRUE("'%f'.format([2.71828]) == '2.718280'", "'%f %f'.format([2, 3u]) == '2.000000 3.000000'",
		 "'%.0f'.format([2.5]) == '2'", "'%.0f'.format([1.5]) == '2'",
		 "'%.3f'.format([1.2345]) == '1.234'", "'%.3f'.format([-123.4999]) == '-123.500'",
		 "'%.1e'.format([-3.14]) == '-3.1e+00'", "'%e'.format([1052.032911275]) == '1.052033e+03'",
		 "'%e'.format([0]) == '0.000000e+00'", "'%.0e'.format([1e300]) == '1e+300'",
		 "'%.100f'.format([1]).size() == 102", "'%f'.format([1e308]).size() == 316",
		 "'%.100f'.format([-1.7e308]).size() == 411",
		 "'%f %e'.format([1.0/0.0, -1.0/0.0]) == 'Infinity -Infinity'",
		 "'%f'.format([double('NaN')]) == 'NaN'", "'%.00002f'.format([1]) == '1.00'");
}

static void
refuses_mistakes(void **state)
{
	(void)state;
	ALL_FAIL("conversion", "'%'.format([1])", "'%a'.format([1])", "'%E'.format([0.5])",
		 "'%S'.format([1])", "'%5d'.format([1])", "'% d'.format([1])", "'%.f'.format([1])",
		 "'%.'.format([1])", "'%.3'.format([1])", "'%.101f'.format([1])",
		 "'%.99999999999999999999f'.format([1])", "'%.-1f'.format([1])", "'%.2s'.format(['a'])",
		 "'%.2d'.format([1])", "'%é'.format([1])", "'%s%'.format([1])");
	ALL_FAIL("range", "'%s'.format([])", "'%d %d %d'.format([0, 1])");
	ALL_FAIL("no_such_overload", "'%b'.format(['abc'])", "'%d'.format([duration('1s')])",
		 "'%d'.format(['1'])", "'%o'.format(['a'])", "'%o'.format([1.0])", "'%x'.format([0.5])",
		 "'%b'.format([0.5])", "'%d'.format([null])", "'%e'.format([null])", "'%f'.format(['1'])",
		 "'%x'.format([true])", "'%X'.format([null])", "'%o'.format([true])", "'%d'.format([true])",
		 "'%s'.format(dyn('a'))");
}

static void
does_not_follow_nesting_without_end(void **state)
{
	(void)state;
	ALL_TRUE("'%s'.format([[[[[[1]]]]]]) == '[[[[[1]]]]]'");
	ALL_FAIL(
	    "memory",
	    "'%s'.format([[['']].map(x, [x, x]).map(x, [x, x]).map(x, [x, x]).map(x, [x, x]).map(x, [x, x])"
	    ".map(x, [x, x]).map(x, [x, x]).map(x, [x, x]).map(x, [x, x]).map(x, [x, x]).map(x, [x, x])"
	    ".map(x, [x, x]).map(x, [x, x]).map(x, [x, x])])");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(puts_values_in_their_places),
	    cmocka_unit_test(writes_every_type_as_text),
	    cmocka_unit_test(writes_doubles_with_the_fewest_digits),
	    cmocka_unit_test(writes_numbers_in_other_bases),
	    cmocka_unit_test(rounds_to_even),
	    cmocka_unit_test(refuses_mistakes),
	    cmocka_unit_test(does_not_follow_nesting_without_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
