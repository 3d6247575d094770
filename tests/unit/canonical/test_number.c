/* SPDX-License-Identifier: Apache-2.0 */
/* test_number.c - doubles as ECMAScript writes them: RFC 8785's own samples, the borders of its layouts, and the shortest text. */
#include "common/canonical/canonical.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static double
double_of_bits(uint64_t bits)
{
	double number;

	memcpy(&number, &bits, sizeof number);
	return number;
}

static void
the_samples_of_appendix_b_come_out(void **state)
{
	static const struct {
		uint64_t bits;
		const char *text;
	} samples[] = {
	    {0x0000000000000000, "0"},
	    {0x8000000000000000, "0"},
	    {0x0000000000000001, "5e-324"},
	    {0x8000000000000001, "-5e-324"},
	    {0x7fefffffffffffff, "1.7976931348623157e+308"},
	    {0xffefffffffffffff, "-1.7976931348623157e+308"},
	    {0x4340000000000000, "9007199254740992"},
	    {0xc340000000000000, "-9007199254740992"},
	    {0x4430000000000000, "295147905179352830000"},
	    {0x44b52d02c7e14af5, "9.999999999999997e+22"},
	    {0x44b52d02c7e14af6, "1e+23"},
	    {0x44b52d02c7e14af7, "1.0000000000000001e+23"},
	    {0x444b1ae4d6e2ef4e, "999999999999999700000"},
	    {0x444b1ae4d6e2ef4f, "999999999999999900000"},
	    {0x444b1ae4d6e2ef50, "1e+21"},
	    {0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7"},
	    {0x3eb0c6f7a0b5ed8d, "0.000001"},
	    {0x41b3de4355555553, "333333333.3333332"},
	    {0x41b3de4355555554, "333333333.33333325"},
	    {0x41b3de4355555555, "333333333.3333333"},
	    {0x41b3de4355555556, "333333333.3333334"},
	    {0x41b3de4355555557, "333333333.33333343"},
	    {0xbecbf647612f3696, "-0.0000033333333333333333"},
	    {0x43143ff3c1cb0959, "1424953923781206.2"},
	};
	char text[CANONICAL_NUMBER_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
		canonical_number(text, double_of_bits(samples[i].bits));
		assert_string_equal(text, samples[i].text);
	}
}

static void
each_layout_begins_and_ends_where_it_should(void **state)
{
	static const struct {
		double number;
		const char *text;
	} cases[] = {
	    {1, "1"},
	    {-1, "-1"},
	    {10, "10"},
	    {56.0, "56"},
	    {100, "100"},
	    {123456789, "123456789"},
	    {9007199254740991.0, "9007199254740991"},
	    {1e20, "100000000000000000000"},
	    {123456789012345680000.0, "123456789012345680000"},
	    {1e21, "1e+21"},
	    {1.5e21, "1.5e+21"},
	    {1e100, "1e+100"},
	    {0.1, "0.1"},
	    {0.5, "0.5"},
	    {4.50, "4.5"},
	    {2e-3, "0.002"},
	    {123.456, "123.456"},
	    {-99.99, "-99.99"},
	    {0.000001, "0.000001"},
	    {0.00000123, "0.00000123"},
	    {0.0000001, "1e-7"},
	    {1.5e-7, "1.5e-7"},
	    {1e-27, "1e-27"},
	    {0.1 + 0.2, "0.30000000000000004"},
	    {1.0 / 3, "0.3333333333333333"},
	    {999999999999999.9, "999999999999999.9"},
	    {2.2250738585072014e-308, "2.2250738585072014e-308"},
	    {2.225073858507201e-308, "2.225073858507201e-308"}, /* the largest subnormal */
	    {1e-323, "1e-323"},
	};
	char text[CANONICAL_NUMBER_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		canonical_number(text, cases[i].number);
		assert_string_equal(text, cases[i].text);
	}
}

/* The nearest decimal of 16 digits reads back as another double; the next one is right, and 17 digits would be too long. */
static void
powers_of_two_have_the_shortest_text_although_it_is_not_the_nearest(void **state)
{
	char text[CANONICAL_NUMBER_SIZE];

	(void)state;
	canonical_number(text, 0x1p-44);
	assert_string_equal(text, "5.684341886080802e-14");
	canonical_number(text, 0x1p-24);
	assert_string_equal(text, "5.960464477539063e-8");
	canonical_number(text, -0x1p-1022);
	assert_string_equal(text, "-2.2250738585072014e-308");
}

/* Digits of a text, zeros at both ends apart. */
static int
significant_digits(const char *text)
{
	int count = 0, zeros = 0;

	for (; *text && *text != 'e'; text++) {
		if (*text == '0' && count > 0)
			zeros++;
		if (*text >= '1' && *text <= '9') {
			count += zeros + 1;
			zeros = 0;
		}
	}
	return count;
}

/* Some text of so many digits reads back equal: the two decimals around the number are tried. */
static bool
has_text_of_digits(double number, int digits)
{
	char nearest[64], text[64];

	snprintf(nearest, sizeof nearest, "%.*e", digits - 1, number);

	double nudge = pow(10, atoi(strchr(nearest, 'e') + 1) - digits + 1);

	for (int step = -1; step <= 1; step++) {
		snprintf(text, sizeof text, "%.*e", digits - 1, strtod(nearest, NULL) + step * nudge);
		if (strtod(text, NULL) == number)
			return true;
	}
	return false;
}

static void
check_shortest(double number)
{
	char text[CANONICAL_NUMBER_SIZE];
	int digits;

	canonical_number(text, number);
	if (strtod(text, NULL) != number)
		fail_msg("%a is written %s, which is another number", number, text);
	digits = significant_digits(text);
	if (digits > 1 && has_text_of_digits(number, digits - 1))
		fail_msg("%a is written %s, which is not the shortest", number, text);
}

static void
every_power_of_two_and_its_neighbours_are_shortest(void **state)
{
	(void)state;
	for (int exponent = -1074; exponent <= 1023; exponent++) {
		double power = ldexp(1, exponent);

		check_shortest(power);
		check_shortest(nextafter(power, INFINITY));
		if (exponent > -1074)
			check_shortest(nextafter(power, 0));
	}
}

static void
random_numbers_read_back_and_are_shortest(void **state)
{
	uint64_t bits = 0x9E3779B97F4A7C15; /* xorshift, the same every time */

	(void)state;
	for (int i = 0; i < 50000; i++) {
		bits ^= bits << 13;
		bits ^= bits >> 7;
		bits ^= bits << 17;

		double any = double_of_bits(bits),
		       decimal = (double)(int64_t)(bits >> 20) / pow(10, (double)(bits % 20));

		if (isfinite(any) && any != 0)
			check_shortest(any);
		check_shortest(decimal);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_samples_of_appendix_b_come_out),
	    cmocka_unit_test(each_layout_begins_and_ends_where_it_should),
	    cmocka_unit_test(powers_of_two_have_the_shortest_text_although_it_is_not_the_nearest),
	    cmocka_unit_test(every_power_of_two_and_its_neighbours_are_shortest),
	    cmocka_unit_test(random_numbers_read_back_and_are_shortest),
	};

	return cmocka_run_group_tests_name("number", tests, NULL, NULL);
}
