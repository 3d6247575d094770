/* SPDX-License-Identifier: Apache-2.0 */
/* test_library_math.c - math.* in expressions. */
#include "tests/unit/cel/evaluate.h"

static void
takes_the_least_and_the_greatest(void **state)
{
	(void)state;
	ALL_TRUE("math.least(1) == 1", "math.least(3, -3) == -3", "math.greatest(3, -3) == 3",
		 "math.least(5.4, 10, 3u, -5.0) == -5.0", "math.greatest(5.4, 10, 3u, -5.0) == 10",
		 "math.greatest([1u, 2u]) == 2u", "math.least([dyn(5.4), 10, 3u]) == 3u",
		 "math.greatest(9223372036854775807, 18446744073709551615u) == 18446744073709551615u",
		 "math.least(-9223372036854775808, 0u) == -9223372036854775808",
		 "type(math.greatest(1, 1.0)) == int", "type(math.greatest(1.0, 1)) == double",
		 "type(math.least(1u, 1.0, 1)) == uint", "math.isNaN(math.least(0.0/0.0))",
		 "math.greatest(-1.0/0.0, 1) == 1");
	ALL_FAIL("range", "math.least([])", "math.greatest([])", "math.least(0.0/0.0, 1.0)",
		 "math.greatest(1.0, 0.0/0.0)", "math.greatest([1.0, 0.0/0.0])");
	ALL_FAIL("no_such_overload", "math.least(dyn('a'))", "math.least(1, dyn('a'))",
		 "math.greatest(dyn(['a']))", "math.greatest(dyn([1]), 2)",
		 "math.greatest(dyn([duration('1s')]))", "math.least(1, 2, dyn([3]))", "math.least(dyn(true))");
}

static void
rounds(void **state)
{
	(void)state;
	ALL_TRUE("math.ceil(1.2) == 2.0", "math.ceil(-1.2) == -1.0", "math.floor(1.2) == 1.0",
		 "math.floor(-1.2) == -2.0", "math.round(1.5) == 2.0", "math.round(-1.5) == -2.0",
		 "math.round(2.5) == 3.0", "math.round(0.49999999999999994) == 0.0",
		 "math.round(4503599627370497.0) == 4503599627370497.0", "math.trunc(-1.9) == -1.0",
		 "math.trunc(1.9) == 1.0", "math.isNaN(math.round(0.0/0.0))",
		 "math.isInf(math.ceil(1.0/0.0))", "math.sqrt(81) == 9.0", "math.sqrt(81u) == 9.0",
		 "math.sqrt(0.25) == 0.5", "math.isNaN(math.sqrt(-1))");
	ALL_FAIL("no_such_overload", "math.ceil(dyn(1))", "math.floor(dyn(1u))", "math.round(dyn('1.0'))",
		 "math.trunc(dyn(null))", "math.sqrt(dyn('4'))");
}

static void
tells_what_a_double_is(void **state)
{
	(void)state;
	ALL_TRUE("math.isNaN(0.0/0.0)", "!math.isNaN(1.0)", "math.isInf(-1.0/0.0)", "!math.isInf(0.0/0.0)",
		 "math.isFinite(1.0)", "!math.isFinite(1.0/0.0)", "!math.isFinite(0.0/0.0)");
	ALL_FAIL("no_such_overload", "math.isNaN(dyn(1))", "math.isInf(dyn(true))", "math.isFinite(dyn(1u))");
}

static void
tells_size_and_sign(void **state)
{
	(void)state;
	ALL_TRUE("math.abs(-11) == 11", "math.abs(1u) == 1u", "math.abs(-1.5) == 1.5",
		 "math.abs(-9223372036854775807) == 9223372036854775807", "math.sign(-42) == -1",
		 "math.sign(0) == 0", "math.sign(42u) == 1u", "math.sign(0u) == 0u", "math.sign(-0.5) == -1.0",
		 "math.sign(0.0) == 0.0", "math.isNaN(math.sign(0.0/0.0))", "type(math.sign(2u)) == uint");
	ALL_FAIL("overflow", "math.abs(-9223372036854775808)");
	ALL_FAIL("no_such_overload", "math.abs(dyn('a'))", "math.sign(dyn(true))");
}

static void
works_on_bits(void **state)
{
	(void)state;
	ALL_TRUE("math.bitAnd(3, 5) == 1", "math.bitAnd(-3, -5) == -7", "math.bitAnd(3u, 2u) == 2u",
		 "math.bitOr(-2, -4) == -2", "math.bitOr(1u, 4u) == 5u", "math.bitXor(4, -2) == -6",
		 "math.bitXor(3u, 5u) == 6u", "math.bitNot(1) == -2",
		 "math.bitNot(0u) == 18446744073709551615u", "math.bitShiftLeft(-1, 2) == -4",
		 "math.bitShiftLeft(1, 63) < 0", "math.bitShiftLeft(1u, 64) == 0u",
		 "math.bitShiftLeft(-1, 9223372036854775807) == 0",
		 "math.bitShiftRight(-1024, 3) == 2305843009213693824", "math.bitShiftRight(-1, 64) == 0",
		 "math.bitShiftRight(1024u, 2) == 256u");
	ALL_FAIL("range", "math.bitShiftLeft(1, -1)", "math.bitShiftRight(1u, -1)",
		 "math.bitShiftRight(1, -9223372036854775808)");
	ALL_FAIL("no_such_overload", "math.bitAnd(dyn(1), 1u)", "math.bitOr(dyn(1.0), 1)",
		 "math.bitNot(dyn(''))", "math.bitShiftLeft(1, dyn(1u))");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(takes_the_least_and_the_greatest),
	    cmocka_unit_test(rounds),
	    cmocka_unit_test(tells_what_a_double_is),
	    cmocka_unit_test(tells_size_and_sign),
	    cmocka_unit_test(works_on_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
