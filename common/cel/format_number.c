/* SPDX-License-Identifier: Apache-2.0 */
/* format_number.c - the conversions of format() that write numbers. */
#include "common/canonical/canonical.h"
#include "common/cel/format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	REAL_SIZE = 512
}; /* a double has at most 309 digits before the point, 343 behind it when they are the fewest */

/* NaN and the infinities have names in every conversion. */
static bool
put_not_finite(struct formatter *formatter, double real)
{
	if (isnan(real))
		return format_put(formatter, "NaN");
	return format_put(formatter, real < 0 ? "-Infinity" : "Infinity");
}

/* "1.5e-7" without its exponent: the digits stay, the point moves. `text` holds at least one digit, and an exponent. */
static void
without_exponent(const char *text, char plain[REAL_SIZE])
{
	const char *digits = text + (*text == '-'), *e = strchr(text, 'e');
	int point = 1 + atoi(e + 1), put = 0, written = 0;

	if (*text == '-')
		plain[put++] = '-';
	if (point <= 0) {
		plain[put++] = '0';
		plain[put++] = '.';
		for (int zero = point; zero < 0; zero++)
			plain[put++] = '0';
	}
	for (const char *digit = digits; digit < e; digit++) {
		if (*digit == '.')
			continue;
		if (written++ == point && point > 0)
			plain[put++] = '.';
		plain[put++] = *digit;
	}
	while (written++ < point)
		plain[put++] = '0';
	plain[put] = '\0';
}

bool
format_real(struct formatter *formatter, double real)
{
	char text[CANONICAL_NUMBER_SIZE], plain[REAL_SIZE];

	if (!isfinite(real))
		return put_not_finite(formatter, real);
	if (real == 0)
		return format_put(formatter, signbit(real) ? "-0" : "0");
	canonical_number(text, real);
	if (!strchr(text, 'e'))
		return format_put(formatter, text);
	without_exponent(text, plain);
	return format_put(formatter, plain);
}

bool
format_integer(struct formatter *formatter, struct cel_value value, unsigned base, bool capital)
{
	bool negative = value.kind == CEL_INT && value.as.integer < 0;
	uint64_t left = value.kind == CEL_UINT ? value.as.natural : (uint64_t)value.as.integer;
	const char *digits = capital ? "0123456789ABCDEF" : "0123456789abcdef";
	char text[72];
	size_t at = sizeof text - 1;

	text[at] = '\0';
	if (negative)
		left = -left;
	do
		text[--at] = digits[left % base];
	while ((left /= base) != 0);
	if (negative)
		text[--at] = '-';
	return format_put(formatter, text + at);
}

bool
format_decimal(struct formatter *formatter, struct cel_value value)
{
	if (value.kind == CEL_DOUBLE)
		return format_real(formatter, value.as.real);
	if (value.kind != CEL_INT && value.kind != CEL_UINT)
		return format_refuse(formatter, CEL_NO_SUCH_OVERLOAD, "%d takes an int, a uint or a double");
	return format_integer(formatter, value, 10, false);
}

/* %f and %e: C's, whose rounding is exact and to even. */
bool
format_rounded(struct formatter *formatter, struct cel_value value, char conversion, int precision)
{
	double real = value.as.real;
	char text[REAL_SIZE];

	if (value.kind == CEL_INT)
		real = (double)value.as.integer;
	else if (value.kind == CEL_UINT)
		real = (double)value.as.natural;
	else if (value.kind != CEL_DOUBLE)
		return format_refuse(formatter, CEL_NO_SUCH_OVERLOAD,
				     "%f and %e take an int, a uint or a double");
	if (!isfinite(real))
		return put_not_finite(formatter, real);
	if (conversion == 'f')
		snprintf(text, sizeof text, "%.*f", precision, real);
	else
		snprintf(text, sizeof text, "%.*e", precision, real);
	return format_put(formatter, text);
}

bool
format_binary(struct formatter *formatter, struct cel_value value)
{
	if (value.kind == CEL_BOOL)
		return format_put(formatter, value.as.boolean ? "1" : "0");
	if (value.kind != CEL_INT && value.kind != CEL_UINT)
		return format_refuse(formatter, CEL_NO_SUCH_OVERLOAD, "%b takes an int, a uint or a bool");
	return format_integer(formatter, value, 2, false);
}

bool
format_octal(struct formatter *formatter, struct cel_value value)
{
	if (value.kind != CEL_INT && value.kind != CEL_UINT)
		return format_refuse(formatter, CEL_NO_SUCH_OVERLOAD, "%o takes an int or a uint");
	return format_integer(formatter, value, 8, false);
}

bool
format_hex(struct formatter *formatter, struct cel_value value, bool capital)
{
	const char *digits = capital ? "0123456789ABCDEF" : "0123456789abcdef";

	if (value.kind == CEL_INT || value.kind == CEL_UINT)
		return format_integer(formatter, value, 16, capital);
	if (value.kind != CEL_STRING && value.kind != CEL_BYTES)
		return format_refuse(formatter, CEL_NO_SUCH_OVERLOAD,
				     "%x and %X take an int, a uint, a string or bytes");
	for (uint32_t i = 0; i < value.extra && !formatter->out.failed; i++) {
		unsigned byte = (unsigned char)value.as.bytes[i];

		cel_write(&formatter->out, (const char[]){digits[byte >> 4], digits[byte & 15]}, 2);
	}
	return true;
}
