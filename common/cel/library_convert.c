/* SPDX-License-Identifier: Apache-2.0 */
/* library_convert.c - conversions between bool, int, uint, double, string and bytes. Those of time are in library_time.c. */
#include "common/cel/library_standard.h"
#include "common/value/value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct cel_value
out_of_range(struct cel_machine *machine)
{
	return cel_fail(machine, CEL_RANGE, NULL);
}

static struct cel_value
not_convertible(struct cel_machine *machine)
{
	return cel_fail(machine, CEL_CONVERSION, NULL);
}

struct cel_value
cel_as_it_is(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)machine;
	(void)count;
	return arguments[0];
}

struct cel_value
cel_to_type(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)machine;
	(void)count;
	return (struct cel_value){.kind = CEL_TYPE, .as.type = cel_type_of_value(arguments[0])};
}

/* --- numbers --- */

struct cel_value
cel_uint_to_int(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)count;
	if (arguments[0].as.natural > INT64_MAX)
		return out_of_range(machine);
	return cel_int((int64_t)arguments[0].as.natural);
}

/* Toward zero. The limits themselves are refused: a double that is one of them may stand for what is beyond. */
struct cel_value
cel_double_to_int(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	double real = arguments[0].as.real;

	(void)count;
	if (!(real > -0x1p63 && real < 0x1p63))
		return out_of_range(machine);
	return cel_int((int64_t)real);
}

struct cel_value
cel_int_to_uint(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)count;
	if (arguments[0].as.integer < 0)
		return out_of_range(machine);
	return cel_uint((uint64_t)arguments[0].as.integer);
}

struct cel_value
cel_double_to_uint(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	double real = arguments[0].as.real;

	(void)count;
	if (!(real >= 0 && real < 0x1p64))
		return out_of_range(machine);
	return cel_uint((uint64_t)real);
}

struct cel_value
cel_int_to_double(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)machine;
	(void)count;
	return cel_double((double)arguments[0].as.integer);
}

struct cel_value
cel_uint_to_double(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)machine;
	(void)count;
	return cel_double((double)arguments[0].as.natural);
}

/* --- from strings --- */

/* Decimal digits and nothing else. */
static bool
read_digits(const char *text, size_t length, uint64_t *number)
{
	*number = 0;
	for (size_t i = 0; i < length; i++) {
		if (text[i] < '0' || text[i] > '9' || __builtin_mul_overflow(*number, 10u, number)
		    || __builtin_add_overflow(*number, (uint64_t)(text[i] - '0'), number))
			return false;
	}
	return length > 0;
}

struct cel_value
cel_string_to_int(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	const char *text = arguments[0].as.bytes;
	size_t length = arguments[0].extra, sign = length > 0 && (text[0] == '-' || text[0] == '+');
	bool negative = sign && text[0] == '-';
	uint64_t number;

	(void)count;
	if (!cel_charge_bytes(machine, length))
		return cel_fail(machine, CEL_COST, NULL);
	if (!read_digits(text + sign, length - sign, &number) || number > (uint64_t)INT64_MAX + negative)
		return not_convertible(machine);
	return cel_int((int64_t)(negative ? 0 - number : number));
}

struct cel_value
cel_string_to_uint(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	uint64_t number;

	(void)count;
	if (!cel_charge_bytes(machine, arguments[0].extra))
		return cel_fail(machine, CEL_COST, NULL);
	if (!read_digits(arguments[0].as.bytes, arguments[0].extra, &number))
		return not_convertible(machine);
	return cel_uint(number);
}

/* [sign] digits [. digits] [e [sign] digits], with a digit before or behind the point. strtod alone would take more. */
static bool
is_decimal(const char *text)
{
	size_t digits;

	text += *text == '-' || *text == '+';
	digits = strspn(text, "0123456789");
	text += digits;
	if (*text == '.') {
		size_t more = strspn(++text, "0123456789");

		text += more;
		digits += more;
	}
	if (digits == 0)
		return false;
	if (*text == 'e' || *text == 'E') {
		text++;
		text += *text == '-' || *text == '+';
		digits = strspn(text, "0123456789");
		if (digits == 0)
			return false;
		text += digits;
	}
	return *text == '\0';
}

static bool
same_word(const char *text, const char *word)
{
	while (*word && (*text | 0x20) == *word) {
		text++;
		word++;
	}
	return *word == '\0' && *text == '\0';
}

static bool
is_no_number_word(const char *text)
{
	return same_word(text, "nan");
}

static bool
is_infinity_word(const char *text)
{
	text += *text == '-' || *text == '+';
	return same_word(text, "inf") || same_word(text, "infinity");
}

struct cel_value
cel_string_to_double(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	size_t length = arguments[0].extra;
	double real;
	char *text;

	(void)count;
	if (!cel_charge_bytes(machine, length))
		return cel_fail(machine, CEL_COST, NULL);
	text = cel_take(machine, length + 1);
	if (!text)
		return cel_fail(machine, CEL_MEMORY, NULL);
	if (length > 0)
		memcpy(text, arguments[0].as.bytes, length);
	if (strlen(text) != length)
		return not_convertible(machine);
	if (is_no_number_word(text))
		return cel_double(__builtin_nan(""));
	if (is_infinity_word(text))
		return cel_double(text[0] == '-' ? -__builtin_inf() : __builtin_inf());
	if (!is_decimal(text))
		return not_convertible(machine);
	real = strtod(text, NULL);
	return __builtin_isinf(real) ? not_convertible(machine) : cel_double(real);
}

struct cel_value
cel_string_to_bool(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	static const struct {
		const char *word;
		bool boolean;
	} words[] = {
	    {"true", true},   {"True", true},	{"TRUE", true},	  {"t", true},	{"T", true},  {"1", true},
	    {"false", false}, {"False", false}, {"FALSE", false}, {"f", false}, {"F", false}, {"0", false},
	};

	(void)count;
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (arguments[0].extra == strlen(words[i].word)
		    && memcmp(arguments[0].as.bytes, words[i].word, arguments[0].extra) == 0)
			return cel_bool(words[i].boolean);
	return not_convertible(machine);
}

struct cel_value
cel_string_to_bytes(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)machine;
	(void)count;
	return cel_bytes(arguments[0].as.bytes, arguments[0].extra);
}

/* --- to strings --- */

struct cel_value
cel_bool_to_string(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)machine;
	(void)count;
	return arguments[0].as.boolean ? cel_string("true", 4) : cel_string("false", 5);
}

struct cel_value
cel_int_to_string(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	char text[32];
	int length = snprintf(text, sizeof text, "%lld", (long long)arguments[0].as.integer);

	(void)count;
	return cel_make_string(machine, text, (size_t)length);
}

struct cel_value
cel_uint_to_string(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	char text[32];
	int length = snprintf(text, sizeof text, "%llu", (unsigned long long)arguments[0].as.natural);

	(void)count;
	return cel_make_string(machine, text, (size_t)length);
}

/* The fewest digits of "d.ddde+XX" that read back as the number. */
static void
shortest(double real, char text[CEL_DOUBLE_TEXT])
{
	for (int digits = 0; digits <= 16; digits++) {
		snprintf(text, CEL_DOUBLE_TEXT, "%.*e", digits, real);
		if (strtod(text, NULL) == real)
			return;
	}
}

/* As cel-go writes them: an exponent below -4, or of 6 and more, is written. */
size_t
cel_double_text(double real, char text[CEL_DOUBLE_TEXT])
{
	char digits[CEL_DOUBLE_TEXT];
	const char *exponent;
	long power, places;

	if (__builtin_isnan(real) || __builtin_isinf(real)) {
		snprintf(text, CEL_DOUBLE_TEXT, "%s",
			 __builtin_isnan(real) ? "NaN"
			 : real < 0	       ? "-Inf"
					       : "+Inf");
		return strlen(text);
	}
	shortest(real, digits);
	exponent = strchr(digits, 'e');
	power = strtol(exponent + 1, NULL, 10);
	if (power < -4 || power >= 6) {
		memcpy(text, digits, CEL_DOUBLE_TEXT);
		return strlen(text);
	}
	places = exponent - digits - (digits[0] == '-'); /* one digit, or d.ddd */
	places = (places > 1 ? places - 2 : 0) - power;	 /* behind the point */
	snprintf(text, CEL_DOUBLE_TEXT, "%.*f", places > 0 ? (int)places : 0, real);
	return strlen(text);
}

struct cel_value
cel_double_to_string(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	char text[CEL_DOUBLE_TEXT];
	size_t length = cel_double_text(arguments[0].as.real, text);

	(void)count;
	return cel_make_string(machine, text, length);
}

/* Bytes that are no UTF-8 are no string. */
struct cel_value
cel_bytes_to_string(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	const char *bytes = arguments[0].as.bytes;
	size_t length = arguments[0].extra, used;
	uint32_t point;

	(void)count;
	if (!cel_charge_bytes(machine, length))
		return cel_fail(machine, CEL_COST, NULL);
	for (size_t i = 0; i < length; i += used) {
		used = value_utf8_decode(bytes + i, length - i, &point);
		if (used == 0)
			return not_convertible(machine);
	}
	return cel_string(bytes, length);
}
