/* SPDX-License-Identifier: Apache-2.0 */
/* time.c - the text of points in time and of spans of it, and the calendar. */
#include "common/cel/time.h"

#include "common/zone/zone.h"

#include <stdio.h>
#include <string.h>

enum { MINUTE = 60, HOUR = 3600, DAY = 86400 };

/* What is left to be read. */
struct text {
	const char *at, *end;
};

static bool
next_is(struct text *text, char byte)
{
	if (text->at == text->end || *text->at != byte)
		return false;
	text->at++;
	return true;
}

static bool
is_digit(const struct text *text)
{
	return text->at < text->end && *text->at >= '0' && *text->at <= '9';
}

/* Two or four digits. */
static bool
read_digits(struct text *text, int digits, int most, int *number)
{
	*number = 0;
	for (int i = 0; i < digits; i++) {
		if (!is_digit(text))
			return false;
		*number = *number * 10 + (*text->at++ - '0');
	}
	return *number <= most;
}

/* --- the calendar --- */

/* Days from 1 January 1970; years begin in March, so that the leap day is the last of them. 400 years have 146,097 days. */
static int64_t
days_of_date(int64_t year, int month, int day)
{
	int64_t from_march = month <= 2 ? year - 1 : year;
	int64_t cycle = (from_march >= 0 ? from_march : from_march - 399) / 400;
	int64_t year_of_cycle = from_march - cycle * 400;
	int64_t day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;

	return cycle * 146097 + year_of_cycle * 365 + year_of_cycle / 4 - year_of_cycle / 100 + day_of_year
	       - 719468;
}

static int
days_of_month(int year, int month)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	return days[month - 1] + (month == 2 && leap);
}

struct cel_calendar
cel_calendar(int64_t seconds)
{
	int64_t days = seconds / DAY - (seconds % DAY < 0), second = seconds - days * DAY;
	int64_t shifted = days + 719468, cycle = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
	int64_t day = shifted - cycle * 146097; /* of the cycle */
	int64_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
	int64_t day_of_year = day - (year * 365 + year / 4 - year / 100); /* from 1 March */
	int64_t month = (5 * day_of_year + 2) / 153;
	struct cel_calendar date = {
	    .day = (int)(day_of_year - (153 * month + 2) / 5 + 1),
	    .month = (int)(month < 10 ? month + 3 : month - 9),
	    .day_of_week = (int)(((days + 4) % 7 + 7) % 7), /* 1 January 1970 was a Thursday */
	    .hour = (int)(second / HOUR),
	    .minute = (int)(second / MINUTE % 60),
	    .second = (int)(second % MINUTE),
	};

	date.year = year + cycle * 400 + (date.month <= 2);
	date.day_of_year = (int)(days - days_of_date(date.year, 1, 1));
	return date;
}

/* --- points in time --- */

static bool
read_date(struct text *text, int64_t *days, bool *year_zero)
{
	int year, month, day;

	if (!read_digits(text, 4, 9999, &year) || !next_is(text, '-') || !read_digits(text, 2, 12, &month)
	    || month == 0 || !next_is(text, '-') || !read_digits(text, 2, days_of_month(year, month), &day)
	    || day == 0)
		return false;
	*days = days_of_date(year, month, day);
	*year_zero = year == 0;
	return true;
}

static bool
read_clock(struct text *text, int64_t *seconds)
{
	int hour, minute, second;

	if (!read_digits(text, 2, 23, &hour) || !next_is(text, ':') || !read_digits(text, 2, 59, &minute)
	    || !next_is(text, ':') || !read_digits(text, 2, 59, &second))
		return false;
	*seconds = hour * HOUR + minute * MINUTE + second;
	return true;
}

/* Nothing, or a point and one to nine digits. */
static bool
read_fraction(struct text *text, uint32_t *nanoseconds)
{
	uint32_t unit = CEL_NANOSECONDS;

	*nanoseconds = 0;
	if (!next_is(text, '.'))
		return true;
	if (!is_digit(text))
		return false;
	for (; is_digit(text) && unit > 1; text->at++) {
		unit /= 10;
		*nanoseconds += (uint32_t)(*text->at - '0') * unit;
	}
	return true; /* a tenth digit is no Z */
}

/* +hh:mm, -hh:mm and, where it need not be there, no sign. */
static bool
read_offset(struct text *text, bool sign_needed, int32_t *offset)
{
	bool west = next_is(text, '-'), east = !west && next_is(text, '+');
	int hour, minute;

	if ((sign_needed && !west && !east) || !read_digits(text, 2, 23, &hour) || !next_is(text, ':')
	    || !read_digits(text, 2, 59, &minute))
		return false;
	*offset = hour * HOUR + minute * MINUTE;
	if (west)
		*offset = -*offset;
	return true;
}

enum cel_code
cel_timestamp_parse(const char *bytes, size_t length, struct cel_value *value)
{
	struct text text = {bytes, bytes + length};
	int64_t days, seconds;
	uint32_t nanoseconds;
	int32_t offset = 0;
	bool year_zero;

	if (!read_date(&text, &days, &year_zero) || !next_is(&text, 'T') || !read_clock(&text, &seconds)
	    || !read_fraction(&text, &nanoseconds)
	    || (!next_is(&text, 'Z') && !read_offset(&text, true, &offset)) || text.at != text.end)
		return CEL_CONVERSION;
	seconds += days * DAY - offset;
	if (year_zero || seconds < CEL_SECONDS_LEAST || seconds > CEL_SECONDS_MOST)
		return CEL_RANGE;
	*value = cel_timestamp(seconds, nanoseconds);
	return CEL_OK;
}

/* The digits of a fraction of nine digits that say something, behind a point; none for 0. */
static size_t
put_fraction(uint32_t nanoseconds, char *text)
{
	size_t length = 10;

	if (nanoseconds == 0)
		return 0;
	text[0] = '.';
	for (size_t i = 9; i > 0; i--, nanoseconds /= 10)
		text[i] = (char)('0' + nanoseconds % 10);
	while (text[length - 1] == '0')
		length--;
	return length;
}

size_t
cel_timestamp_text(struct cel_value timestamp, char text[CEL_TIME_TEXT_SIZE])
{
	struct cel_calendar date = cel_calendar(timestamp.as.integer);
	char wide[96]; /* as wide as the compiler thinks the numbers may be */
	int length = snprintf(wide, sizeof wide, "%04d-%02d-%02dT%02d:%02d:%02d", (int)date.year, date.month,
			      date.day, date.hour, date.minute, date.second);
	size_t put = length > 0 && length < 32 ? (size_t)length : 0;

	memcpy(text, wide, put);
	put += put_fraction(timestamp.extra, text + put);
	text[put++] = 'Z';
	text[put] = '\0';
	return put;
}

/* --- spans of time --- */

/* The nanoseconds of a unit, 0 when it is none. */
static uint64_t
read_unit(struct text *text)
{
	static const struct unit {
		const char *name;
		uint64_t nanoseconds;
	} units[] = {{"ns", 1},
		     {"us", 1000},
		     {"ms", 1000000}, /* before those that they begin with */
		     {"h", UINT64_C(3600000000000)},
		     {"m", UINT64_C(60000000000)},
		     {"s", UINT64_C(1000000000)}};

	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		size_t length = strlen(units[i].name);

		if ((size_t)(text->end - text->at) >= length && memcmp(text->at, units[i].name, length) == 0) {
			text->at += length;
			return units[i].nanoseconds;
		}
	}
	return 0;
}

/* One number with its unit, added to *sum. */
static enum cel_code
add_part(struct text *text, uint64_t *sum)
{
	uint64_t whole = 0, fraction = 0, scale = 1, unit;
	bool digits = is_digit(text), fits = true;

	for (; is_digit(text); text->at++)
		fits = fits && !__builtin_mul_overflow(whole, 10U, &whole)
		       && !__builtin_add_overflow(whole, (uint64_t)(*text->at - '0'), &whole);
	if (next_is(text, '.')) {
		digits = digits || is_digit(text);
		for (; is_digit(text); text->at++) {
			if (scale >= UINT64_C(100000000000000000)) /* far below a nanosecond of an hour */
				continue;
			scale *= 10;
			fraction = fraction * 10 + (uint64_t)(*text->at - '0');
		}
	}
	unit = digits ? read_unit(text) : 0;
	if (unit == 0)
		return CEL_CONVERSION;
	fraction = (uint64_t)((unsigned __int128)fraction * unit / scale);
	if (!fits || __builtin_mul_overflow(whole, unit, &whole)
	    || __builtin_add_overflow(whole, fraction, &whole) || __builtin_add_overflow(*sum, whole, sum))
		return CEL_RANGE;
	return CEL_OK;
}

enum cel_code
cel_duration_parse(const char *bytes, size_t length, struct cel_value *value)
{
	struct text text = {bytes, bytes + length};
	bool negative = next_is(&text, '-'), range = false;
	uint64_t sum = 0;
	enum cel_code code;

	if (!negative)
		(void)next_is(&text, '+');
	if (text.at == text.end)
		return CEL_CONVERSION;
	if (text.end - text.at == 1 && *text.at == '0') { /* the only number that needs no unit */
		*value = cel_duration(0);
		return CEL_OK;
	}
	while (text.at < text.end) {
		code = add_part(&text, &sum);
		if (code == CEL_CONVERSION)
			return code;
		range = range || code == CEL_RANGE;
	}
	if (range || sum > (uint64_t)INT64_MAX + negative)
		return CEL_RANGE;
	*value = cel_duration((int64_t)(negative ? -sum : sum));
	return CEL_OK;
}

size_t
cel_duration_text(struct cel_value duration, char text[CEL_TIME_TEXT_SIZE])
{
	bool negative = duration.as.integer < 0;
	uint64_t magnitude = negative ? -(uint64_t)duration.as.integer : (uint64_t)duration.as.integer;
	int length = snprintf(text, CEL_TIME_TEXT_SIZE, "%s%llu", negative ? "-" : "",
			      (unsigned long long)(magnitude / CEL_NANOSECONDS));
	size_t put = length > 0 ? (size_t)length : 0;

	put += put_fraction((uint32_t)(magnitude % CEL_NANOSECONDS), text + put);
	text[put++] = 's';
	text[put] = '\0';
	return put;
}

/* --- zones --- */

bool
cel_zone_offset(const char *bytes, size_t length, int64_t seconds, int32_t *offset)
{
	struct text text = {bytes, bytes + length};
	const struct zone *zone;

	*offset = 0;
	if (length == 3 && memcmp(bytes, "UTC", 3) == 0)
		return true;
	if (length > 0 && memchr(bytes, ':', length)) /* no name has one */
		return read_offset(&text, false, offset) && text.at == text.end;
	zone = zone_find(bytes, length);
	if (zone)
		*offset = zone_offset(zone, seconds);
	return zone != NULL;
}
