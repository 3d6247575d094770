/* SPDX-License-Identifier: Apache-2.0 */
/* policy_time.c - instants and durations as they are written in documents and requests. */
#include "common/policy/policy_input.h"
#include "common/policy/policy_read.h"

#include <string.h>

enum { DURATION_MAX_BYTES = 32, NANOSECOND_DIGITS = 9 };

#define SECOND INT64_C(1000000)
#define DURATION_MAX (INT64_C(30) * 24 * 3600 * SECOND)

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Takes digits from the front; how many there were. */
static size_t
take_digits(struct text *text)
{
	size_t count = 0;

	while (text->length && is_digit(text->bytes[0])) {
		text->bytes++;
		text->length--;
		count++;
	}
	return count;
}

static bool
take(struct text *text, char letter)
{
	if (text->length == 0 || text->bytes[0] != letter)
		return false;
	text->bytes++;
	text->length--;
	return true;
}

/* "ms" before "m". */
static bool
take_unit(struct text *text, int64_t *nanoseconds)
{
	static const struct {
		const char *name;
		int64_t nanoseconds;
	} units[] = {{"ns", 1},
		     {"us", 1000},
		     {"ms", 1000000},
		     {"s", 1000 * SECOND},
		     {"m", 60 * 1000 * SECOND},
		     {"h", 3600 * 1000 * SECOND}};

	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		size_t length = strlen(units[i].name);

		if (text->length < length || memcmp(text->bytes, units[i].name, length) != 0)
			continue;
		text->bytes += length;
		text->length -= length;
		*nanoseconds = units[i].nanoseconds;
		return true;
	}
	return false;
}

/* One "90m" or "1.5h" from the front, subtracted from *total: the least of all has no positive. */
static bool
take_part(struct text *text, int64_t *total)
{
	const char *whole = text->bytes;
	size_t whole_digits = take_digits(text), fraction_digits = 0;
	const char *fraction = text->bytes + 1;
	int64_t unit, amount = 0;

	if (whole_digits == 0)
		return false;
	if (take(text, '.') && (fraction_digits = take_digits(text)) == 0)
		return false;
	if (!take_unit(text, &unit))
		return false;
	for (size_t i = 0; i < whole_digits; i++)
		if (__builtin_mul_overflow(amount, 10, &amount)
		    || __builtin_sub_overflow(amount, whole[i] - '0', &amount))
			return false;
	if (__builtin_mul_overflow(amount, unit, &amount) || __builtin_add_overflow(*total, amount, total))
		return false;
	for (size_t i = 0; i < fraction_digits; i++) {
		unit = unit % 10 == 0 ? unit / 10 : 0;
		if (unit == 0 && fraction[i] != '0')
			return false;
		if (__builtin_sub_overflow(*total, unit * (fraction[i] - '0'), total))
			return false;
	}
	return true;
}

bool
policy_duration_parse(struct text text, int64_t *nanoseconds)
{
	bool is_negative = take(&text, '-');
	int64_t total = 0;

	if (!is_negative)
		take(&text, '+');
	if (text.length == 0)
		return false;
	if (!(text.length == 1 && text.bytes[0] == '0'))
		while (text.length)
			if (!take_part(&text, &total))
				return false;
	return __builtin_mul_overflow(total, is_negative ? 1 : -1, nanoseconds) == 0;
}

bool
policy_read_duration(const struct place *place, int64_t *duration)
{
	const char *text;
	int64_t total;

	if (!policy_read_text(place, DURATION_MAX_BYTES, &text))
		return false;
	if (!is_digit(text[0]) || strcmp(text, "0") == 0
	    || !policy_duration_parse((struct text){text, strlen(text)}, &total))
		return policy_refuse(place, "bad_value",
				     "must be a duration as \"90s\", \"30m\" or \"1h30m\", at most 720h");
	*duration = total / 1000;
	if (total % 1000 != 0 || *duration < SECOND || *duration > DURATION_MAX)
		return policy_refuse(place, "bad_value", "must be 1s to 720h, in whole microseconds");
	return true;
}

/* Exactly so many digits from the front. */
static bool
take_number(struct text *text, size_t digits, int *number)
{
	*number = 0;
	for (size_t i = 0; i < digits; i++) {
		if (text->length == 0 || !is_digit(text->bytes[0]))
			return false;
		*number = *number * 10 + (text->bytes[0] - '0');
		take(text, text->bytes[0]);
	}
	return true;
}

static bool
take_either(struct text *text, char one, char other)
{
	return take(text, one) || take(text, other);
}

static int
days_in(int year, int month)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return days[month - 1] + (month == 2 && leap);
}

/* Days from 1970-01-01 in the proleptic Gregorian calendar: years are counted from March, so that the leap day is their last. */
static int64_t
days_since_1970(int year, int month, int day)
{
	int64_t years = month > 2 ? year : year - 1, months = month > 2 ? month - 3 : month + 9;
	int64_t leap_days = years / 4 - years / 100 + years / 400;

	return years * 365 + leap_days + (months * 153 + 2) / 5 + day - 719469;
}

static bool
take_fraction(struct text *text, uint32_t *nanoseconds)
{
	size_t digits = 0;

	*nanoseconds = 0;
	if (!take(text, '.'))
		return true;
	for (; text->length && is_digit(text->bytes[0]); digits++) {
		if (digits == NANOSECOND_DIGITS)
			return false;
		*nanoseconds = *nanoseconds * 10 + (uint32_t)(text->bytes[0] - '0');
		take(text, text->bytes[0]);
	}
	for (size_t i = digits; i < NANOSECOND_DIGITS; i++)
		*nanoseconds *= 10;
	return digits > 0;
}

/* Seconds east of UTC. */
static bool
take_offset(struct text *text, int64_t *offset)
{
	int hour, minute, sign = text->length && text->bytes[0] == '-' ? -1 : 1;

	*offset = 0;
	if (take_either(text, 'Z', 'z'))
		return true;
	if (!take_either(text, '+', '-') || !take_number(text, 2, &hour) || !take(text, ':')
	    || !take_number(text, 2, &minute) || hour > 23 || minute > 59)
		return false;
	*offset = (int64_t)sign * (hour * 3600 + minute * 60);
	return true;
}

bool
policy_timestamp_parse(struct text text, int64_t *seconds, uint32_t *nanoseconds)
{
	static const int64_t first = -INT64_C(62135596800), last = INT64_C(253402300799); /* years 1 and 9999 */
	int year, month, day, hour, minute, second;
	int64_t offset;

	if (!take_number(&text, 4, &year) || !take(&text, '-') || !take_number(&text, 2, &month)
	    || !take(&text, '-') || !take_number(&text, 2, &day) || !take_either(&text, 'T', 't')
	    || !take_number(&text, 2, &hour) || !take(&text, ':') || !take_number(&text, 2, &minute)
	    || !take(&text, ':') || !take_number(&text, 2, &second) || !take_fraction(&text, nanoseconds)
	    || !take_offset(&text, &offset) || text.length)
		return false;
	if (year < 1 || month < 1 || month > 12 || day < 1 || day > days_in(year, month) || hour > 23
	    || minute > 59 || second > 59)
		return false;
	*seconds = days_since_1970(year, month, day) * 86400 + hour * 3600 + minute * 60 + second - offset;
	return *seconds >= first && *seconds <= last;
}
