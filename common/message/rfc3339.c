/* SPDX-License-Identifier: Apache-2.0 */
/* rfc3339.c - instants as text and back, by the proleptic Gregorian calendar. Knows no time zones and no clock. */
#include "common/message/rfc3339.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define SECOND INT64_C(1000000)
#define DAY (INT64_C(86400) * SECOND)
#define INSTANT_MAX (INT64_C(253402300800) * SECOND - 1) /* 9999-12-31T23:59:59.999999Z */

struct cursor {
	const char *at, *end;
};

/* Days since 1970-01-01. Years begin in March, so that the leap day is the last; 400 years have 146097 days. */
static int64_t
days_from_date(int64_t year, int64_t month, int64_t day)
{
	year -= month <= 2;

	int64_t era = year / 400;
	int64_t year_of_era = year % 400;
	int64_t day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;

	return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

static void
date_from_days(int64_t days, int *year, int *month, int *day)
{
	days += 719468;

	int64_t era = days / 146097;
	int64_t day_of_era = days % 146097;
	int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
	int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
	int64_t shifted = (5 * day_of_year + 2) / 153;

	*day = (int)(day_of_year - (153 * shifted + 2) / 5 + 1);
	*month = (int)(shifted < 10 ? shifted + 3 : shifted - 9);
	*year = (int)(year_of_era + era * 400 + (*month <= 2));
}

void
rfc3339_format(int64_t microseconds, char text[RFC3339_SIZE])
{
	int year, month, day;

	assert(microseconds >= 0 && microseconds <= INSTANT_MAX);
	date_from_days(microseconds / DAY, &year, &month, &day);

	int64_t second = microseconds % DAY / SECOND;
	char wide[96]; /* as wide as the compiler thinks the numbers may be */

	snprintf(wide, sizeof wide, "%04d-%02d-%02dT%02d:%02d:%02d.%06dZ", year, month, day,
		 (int)(second / 3600), (int)(second / 60 % 60), (int)(second % 60),
		 (int)(microseconds % SECOND));
	memcpy(text, wide, RFC3339_SIZE - 1);
	text[RFC3339_SIZE - 1] = '\0';
}

/* Exactly so many digits, with a value in the range. */
static bool
read_number(struct cursor *cursor, int digits, int least, int most, int *number)
{
	*number = 0;
	for (int i = 0; i < digits; i++, cursor->at++) {
		if (cursor->at == cursor->end || *cursor->at < '0' || *cursor->at > '9')
			return false;
		*number = *number * 10 + (*cursor->at - '0');
	}
	return *number >= least && *number <= most;
}

static bool
read_any(struct cursor *cursor, const char *bytes)
{
	if (cursor->at == cursor->end || *cursor->at == '\0' || !strchr(bytes, *cursor->at))
		return false;
	cursor->at++;
	return true;
}

static int
days_in_month(int year, int month)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return month == 2 && leap ? 29 : days[month - 1];
}

static bool
read_date(struct cursor *cursor, int64_t *microseconds)
{
	int year, month, day;

	if (!read_number(cursor, 4, 1969, 9999, &year) || !read_any(cursor, "-")
	    || !read_number(cursor, 2, 1, 12, &month) || !read_any(cursor, "-")
	    || !read_number(cursor, 2, 1, days_in_month(year, month), &day))
		return false;
	*microseconds += days_from_date(year, month, day) * DAY;
	return true;
}

static bool
read_time(struct cursor *cursor, int64_t *microseconds)
{
	int hour, minute, second;

	if (!read_number(cursor, 2, 0, 23, &hour) || !read_any(cursor, ":")
	    || !read_number(cursor, 2, 0, 59, &minute) || !read_any(cursor, ":")
	    || !read_number(cursor, 2, 0, 59, &second))
		return false;
	*microseconds += ((hour * INT64_C(60) + minute) * 60 + second) * SECOND;
	return true;
}

/* None, or a point and 1 to 9 digits. */
static bool
read_fraction(struct cursor *cursor, int64_t *microseconds)
{
	int64_t unit = SECOND;
	int digits = 0;

	if (!read_any(cursor, "."))
		return true;
	for (; cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9'; cursor->at++, digits++) {
		unit /= 10;
		*microseconds += (*cursor->at - '0') * unit;
	}
	return digits >= 1 && digits <= 9;
}

static bool
read_offset(struct cursor *cursor, int64_t *microseconds)
{
	int hour, minute;

	if (read_any(cursor, "Zz"))
		return true;

	int64_t sign =
	    cursor->at < cursor->end && *cursor->at == '-' ? 1 : -1; /* a zone west of Greenwich is behind */

	if (!read_any(cursor, "+-") || !read_number(cursor, 2, 0, 23, &hour) || !read_any(cursor, ":")
	    || !read_number(cursor, 2, 0, 59, &minute))
		return false;
	*microseconds += sign * (hour * INT64_C(60) + minute) * 60 * SECOND;
	return true;
}

/* The year 1969 is read because its last hours may lie in 1970 by UTC; the range is that of the instant. */
bool
rfc3339_parse(const char *text, size_t length, int64_t *microseconds)
{
	struct cursor cursor = {text, text + length};
	int64_t read = 0;

	if (!read_date(&cursor, &read) || !read_any(&cursor, "Tt") || !read_time(&cursor, &read)
	    || !read_fraction(&cursor, &read) || !read_offset(&cursor, &read) || cursor.at != cursor.end)
		return false;
	if (read < 0 || read > INSTANT_MAX)
		return false;
	*microseconds = read;
	return true;
}
