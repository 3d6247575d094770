/* SPDX-License-Identifier: Apache-2.0 */
/* cel_time.c - seconds and nanoseconds as text and back. */
#include "services/countersign/cel_time.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NANOSECONDS 1000000000
#define DAY 86400

/* Days since 1970 of a date of the proleptic Gregorian calendar; the year is taken to begin in March. */
static int64_t
days_of(int64_t year, int64_t month, int64_t day)
{
	int64_t y = month <= 2 ? year - 1 : year;
	int64_t day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;

	return y * 365 + y / 4 - y / 100 + y / 400 + day_of_year - 719468;
}

/* ".5", the zeros at the end left out; "" for none. */
static void
fraction(int64_t nanoseconds, char text[16])
{
	size_t length = (size_t)snprintf(text, 16, ".%09" PRId64, nanoseconds);

	while (length && text[length - 1] == '0')
		length--;
	text[length == 1 ? 0 : length] = '\0';
}

/* Days since 1970 to year, month, day. The first guess at the year is early by some. */
static void
date_of(int64_t days, int64_t *year, int64_t *month, int64_t *day)
{
	*year = 1970 + (days >= 0 ? days / 366 : days / 365 - 1);
	while (days_of(*year + 1, 1, 1) <= days)
		++*year;
	*month = 1;
	while (*month < 12 && days_of(*year, *month + 1, 1) <= days)
		++*month;
	*day = days - days_of(*year, *month, 1) + 1;
}

void
cel_time_write(struct cel_value timestamp, char text[CEL_TIME_SIZE])
{
	int64_t seconds = timestamp.as.integer;
	int64_t days = seconds / DAY - (seconds % DAY < 0 ? 1 : 0), rest = seconds - days * DAY;
	int64_t year, month, day;
	char digits[16];

	date_of(days, &year, &month, &day);
	fraction(timestamp.extra, digits);
	snprintf(text, CEL_TIME_SIZE, "%04d-%02d-%02dT%02d:%02d:%02d%sZ", (int)year, (int)month, (int)day,
		 (int)(rest / 3600), (int)(rest / 60 % 60), (int)(rest % 60), digits);
}

/* A point and one to nine digits, or nothing; moves *text behind it. */
static bool
read_fraction(const char **text, int64_t *nanoseconds)
{
	int count = 0;

	*nanoseconds = 0;
	if (**text != '.')
		return true;
	for (++*text; **text >= '0' && **text <= '9'; ++*text, count++)
		if (count < 9)
			*nanoseconds = *nanoseconds * 10 + (**text - '0');
	for (int i = count; i < 9; i++)
		*nanoseconds *= 10;
	return count >= 1 && count <= 9;
}

bool
cel_time_read(const char *text, struct cel_value *timestamp)
{
	unsigned year, month, day, hour, minute, second;
	int length = 0;
	int64_t nanoseconds;

	if (sscanf(text, "%4u-%2u-%2uT%2u:%2u:%2u%n", &year, &month, &day, &hour, &minute, &second, &length) != 6
	    || length != 19 || strspn(text, "0123456789-T:") < 19)
		return false;
	text += length;
	if (!read_fraction(&text, &nanoseconds) || strcmp(text, "Z"))
		return false;
	*timestamp = cel_timestamp(days_of(year, month, day) * DAY + hour * 3600 + minute * 60 + second,
				   (uint32_t)nanoseconds);
	return year >= 1 && month >= 1 && month <= 12 && day >= 1 && hour < 24 && minute < 60 && second < 60
	       && days_of(year, month, day) < days_of(month == 12 ? year + 1 : year, month % 12 + 1, 1);
}

void
cel_duration_write(struct cel_value duration, char text[CEL_TIME_SIZE])
{
	int64_t seconds = duration.as.integer / NANOSECONDS, rest = duration.as.integer % NANOSECONDS;
	bool negative = duration.as.integer < 0;
	char digits[16];

	fraction(negative ? -rest : rest, digits);
	snprintf(text, CEL_TIME_SIZE, "%s%" PRId64 "%ss", negative ? "-" : "", negative ? -seconds : seconds,
		 digits);
}

bool
cel_duration_read(const char *text, struct cel_value *duration)
{
	bool negative = *text == '-';
	int64_t nanoseconds = 0, rest;
	const char *at = text + negative;

	if (*at < '0' || *at > '9')
		return false;
	/* downwards, where there is one more than upwards */
	for (; *at >= '0' && *at <= '9'; at++)
		if (__builtin_mul_overflow(nanoseconds, 10, &nanoseconds)
		    || __builtin_sub_overflow(nanoseconds, *at - '0', &nanoseconds))
			return false;
	if (__builtin_mul_overflow(nanoseconds, NANOSECONDS, &nanoseconds) || !read_fraction(&at, &rest)
	    || __builtin_sub_overflow(nanoseconds, rest, &nanoseconds) || strcmp(at, "s")
	    || (!negative && nanoseconds == INT64_MIN))
		return false;
	*duration = cel_duration(negative ? nanoseconds : -nanoseconds);
	return true;
}
