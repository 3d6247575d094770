/* SPDX-License-Identifier: Apache-2.0 */
/*
 * number.c - a double as ECMAScript's Number::toString writes it: the fewest digits that read back equal, in its layout.
 * snprintf and strtod do the arithmetic, so the process must stay in the C locale (nothing of ours calls setlocale).
 */
#include "common/canonical/canonical.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 0.d1d2d3... times 10 to the power of point: the digits say which, point says where the decimal point stands. */
struct decimal {
	char digits[20];
	int count;
	int point;
};

static void
strip_zeros(struct decimal *decimal)
{
	while (decimal->count > 1 && decimal->digits[decimal->count - 1] == '0')
		decimal->count--;
}

static void
decimal_of_integer(struct decimal *decimal, uint64_t integer)
{
	char reversed[sizeof decimal->digits];
	int count = 0;

	do
		reversed[count++] = (char)('0' + integer % 10);
	while ((integer /= 10) != 0);
	for (int i = 0; i < count; i++)
		decimal->digits[i] = reversed[count - 1 - i];
	decimal->count = decimal->point = count;
	strip_zeros(decimal);
}

/* Integers below 2^53 are their own fewest digits: any shorter decimal is another integer, and that is another double. */
static bool
decimal_by_counting(struct decimal *decimal, double number)
{
	if (number >= 0x1p53 || (double)(uint64_t)number != number)
		return false;
	decimal_of_integer(decimal, (uint64_t)number);
	return true;
}

/*
 * Most numbers that people write have few digits: n / 10^k with both exact is correctly rounded, so what compares equal
 * reads back equal, and with at most 15 digits no other decimal of 15 digits does (DBL_DIG), so none is shorter.
 */
static bool
decimal_by_scaling(struct decimal *decimal, double number)
{
	static const double powers[] = {1e1, 1e2, 1e3, 1e4, 1e5, 1e6};

	if (number < 1e-3 || number >= 1e15)
		return false;
	for (int k = 0; k < (int)(sizeof powers / sizeof *powers); k++) {
		double scaled = number * powers[k] + 0.5;

		if (scaled >= 1e15)
			return false;

		uint64_t integer = (uint64_t)scaled;

		if (integer != 0 && (double)integer / powers[k] == number) {
			decimal_of_integer(decimal, integer);
			decimal->point -= k + 1;
			return true;
		}
	}
	return false;
}

/* Prints with that many significant digits; true when the text reads back equal. */
static bool
decimal_of_precision(struct decimal *decimal, double number, int precision)
{
	char text[CANONICAL_NUMBER_SIZE];

	snprintf(text, sizeof text, "%.*e", precision - 1, number); /* d.ddde+xx, or de+xx */

	const char *exponent = strchr(text, 'e');

	decimal->digits[0] = text[0];
	memcpy(decimal->digits + 1, text + 2, (size_t)(precision - 1));
	decimal->count = precision;
	decimal->point = atoi(exponent + 1) + 1;
	return strtod(text, NULL) == number;
}

static double
decimal_read(const struct decimal *decimal)
{
	char text[CANONICAL_NUMBER_SIZE];

	snprintf(text, sizeof text, "%.*se%d", decimal->count, decimal->digits,
		 decimal->point - decimal->count);
	return strtod(text, NULL);
}

/* One more in the last digit. A carry out of the first digit does not occur where this is used; it would be refused. */
static bool
decimal_next(struct decimal *decimal)
{
	int last = decimal->count - 1;

	while (last >= 0 && decimal->digits[last] == '9')
		decimal->digits[last--] = '0';
	if (last < 0)
		return false;
	decimal->digits[last]++;
	return true;
}

/*
 * The doubles below a power of two lie twice as dense as those above. So the nearest decimal of 16 digits may lie below and
 * read back as the neighbour, when the next one above is farther away but still reads back equal, as with 2^-44.
 */
static bool
decimal_above_power_of_two(struct decimal *decimal, double number)
{
	int exponent;

	if (frexp(number, &exponent) != 0.5)
		return false;
	decimal_of_precision(decimal, number, DBL_DIG + 1);
	return decimal_next(decimal) && decimal_read(decimal) == number;
}

/* 17 digits always read back equal. Below DBL_MIN fewer than 15 digits may be exact, so all precisions are tried. */
static void
decimal_of_double(struct decimal *decimal, double number)
{
	if (decimal_by_counting(decimal, number) || decimal_by_scaling(decimal, number))
		return;
	for (int precision = number < DBL_MIN ? 1 : DBL_DIG; precision <= DBL_DECIMAL_DIG; precision++) {
		if (decimal_of_precision(decimal, number, precision))
			break;
		if (precision == DBL_DIG + 1 && decimal_above_power_of_two(decimal, number))
			break;
	}
	strip_zeros(decimal);
}

static char *
put(char *at, const char *digits, int count)
{
	memcpy(at, digits, (size_t)count);
	return at + count;
}

static char *
put_zeros(char *at, int count)
{
	memset(at, '0', (size_t)count);
	return at + count;
}

static char *
put_exponential(char *at, const struct decimal *decimal)
{
	*at++ = decimal->digits[0];
	if (decimal->count > 1) {
		*at++ = '.';
		at = put(at, decimal->digits + 1, decimal->count - 1);
	}
	return at + sprintf(at, "e%+d", decimal->point - 1);
}

/* The cases of ECMA-262 Number::toString, in its order; n there is point here, k is count. */
static char *
put_decimal(char *at, const struct decimal *decimal)
{
	if (decimal->count <= decimal->point && decimal->point <= 21) {
		at = put(at, decimal->digits, decimal->count);
		return put_zeros(at, decimal->point - decimal->count);
	}
	if (0 < decimal->point && decimal->point <= 21) {
		at = put(at, decimal->digits, decimal->point);
		*at++ = '.';
		return put(at, decimal->digits + decimal->point, decimal->count - decimal->point);
	}
	if (-6 < decimal->point && decimal->point <= 0) {
		at = put(at, "0.", 2);
		at = put_zeros(at, -decimal->point);
		return put(at, decimal->digits, decimal->count);
	}
	return put_exponential(at, decimal);
}

void
canonical_number(char text[CANONICAL_NUMBER_SIZE], double number)
{
	struct decimal decimal;
	char *at = text;

	assert(isfinite(number));
	if (number < 0) /* -0 is not */
		*at++ = '-';
	decimal_of_double(&decimal, fabs(number));
	at = put_decimal(at, &decimal);
	*at = '\0';
}
