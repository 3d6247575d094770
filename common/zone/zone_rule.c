/* SPDX-License-Identifier: Apache-2.0 */
/* zone_rule.c - daylight saving time by rule: reading it and living by it. */
#include "common/zone/zone_private.h"

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
is_digit(char byte)
{
	return byte >= '0' && byte <= '9';
}

static bool
is_letter(char byte)
{
	return (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
}

/* A decimal number of at most three digits. */
static bool
read_number(struct text *text, int least, int most, int *number)
{
	const char *start = text->at;

	*number = 0;
	while (text->at < text->end && is_digit(*text->at) && text->at - start < 3)
		*number = *number * 10 + (*text->at++ - '0');
	return text->at > start && *number >= least && *number <= most;
}

/* Three letters or more, or letters, digits and signs between < and >. */
static bool
skip_name(struct text *text)
{
	const char *start = text->at;

	if (next_is(text, '<')) {
		while (text->at < text->end
		       && (is_letter(*text->at) || is_digit(*text->at) || *text->at == '+' || *text->at == '-'))
			text->at++;
		return text->at - start > 3 && next_is(text, '>');
	}
	while (text->at < text->end && is_letter(*text->at))
		text->at++;
	return text->at - start >= 3;
}

/* [+-]hh[:mm[:ss]], in seconds. */
static bool
read_time(struct text *text, int hours_most, int32_t *seconds)
{
	bool negative = next_is(text, '-');
	int hour, minute = 0, second = 0;

	if (!negative)
		(void)next_is(text, '+');
	if (!read_number(text, 0, hours_most, &hour)
	    || (next_is(text, ':')
		&& (!read_number(text, 0, 59, &minute)
		    || (next_is(text, ':') && !read_number(text, 0, 59, &second)))))
		return false;
	*seconds = hour * HOUR + minute * MINUTE + second;
	if (negative)
		*seconds = -*seconds;
	return true;
}

static bool
read_turn(struct text *text, struct zone_turn *turn)
{
	bool ok;

	*turn = (struct zone_turn){.kind = ZONE_TURN_DAY, .seconds = 2 * HOUR};
	if (next_is(text, 'J')) {
		turn->kind = ZONE_TURN_JULIAN;
		ok = read_number(text, 1, 365, &turn->day);
	} else if (next_is(text, 'M')) {
		turn->kind = ZONE_TURN_WEEK;
		ok = read_number(text, 1, 12, &turn->month) && next_is(text, '.')
		     && read_number(text, 1, 5, &turn->week) && next_is(text, '.')
		     && read_number(text, 0, 6, &turn->day);
	} else {
		ok = read_number(text, 0, 365, &turn->day);
	}
	return ok && (!next_is(text, '/') || read_time(text, 167, &turn->seconds));
}

bool
zone_rule_parse(const char *bytes, size_t length, struct zone_rule *rule)
{
	struct text text = {bytes, bytes + length};
	int32_t west;

	*rule = (struct zone_rule){0};
	if (!skip_name(&text) || !read_time(&text, 24, &west))
		return false;
	rule->standard = rule->daylight = -west;
	if (text.at == text.end)
		return true;
	rule->turns = true;
	rule->daylight = rule->standard + HOUR;
	if (!skip_name(&text))
		return false;
	if (text.at < text.end && *text.at != ',') {
		if (!read_time(&text, 24, &west))
			return false;
		rule->daylight = -west;
	}
	return next_is(&text, ',') && read_turn(&text, &rule->begin) && next_is(&text, ',')
	       && read_turn(&text, &rule->end) && text.at == text.end;
}

static bool
is_leap(int64_t year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int64_t
floor_divide(int64_t dividend, int64_t divisor)
{
	return dividend / divisor - (dividend % divisor < 0);
}

/* Days from 1 January 1970 to 1 January of a year of the Gregorian calendar. */
static int64_t
days_before_year(int64_t year)
{
	int64_t before = year - 1;

	return before * 365 + floor_divide(before, 4) - floor_divide(before, 100) + floor_divide(before, 400)
	       - 719162;
}

static int64_t
year_of(int64_t day)
{
	int64_t year = 1970 + floor_divide(day * 400, 146097);

	while (days_before_year(year + 1) <= day)
		year++;
	while (days_before_year(year) > day)
		year--;
	return year;
}

/* The day (since 1970) of Mm.w.d: the w-th such weekday of the month, the last one when there are fewer. */
static int64_t
weekday_of_month(const struct zone_turn *turn, int64_t year)
{
	static const int before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};
	int leap = is_leap(year), month = turn->month - 1;
	int length = before[month + 1] - before[month] + (month == 1 && leap);
	int64_t first = days_before_year(year) + before[month] + (month > 1 && leap);
	int64_t weekday = ((first + 4) % 7 + 7) % 7; /* 1 January 1970 was a Thursday */
	int64_t day = (turn->day - weekday + 7) % 7 + (turn->week - 1) * 7;

	return first + (day < length ? day : day - 7);
}

/* When the clocks are turned in that year, given how far they were east of UTC until then. */
static int64_t
turning_time(const struct zone_turn *turn, int64_t year, int32_t offset)
{
	int64_t day;

	if (turn->kind == ZONE_TURN_WEEK)
		day = weekday_of_month(turn, year);
	else if (turn->kind == ZONE_TURN_DAY)
		day = days_before_year(year) + turn->day;
	else
		day = days_before_year(year) + turn->day - 1 + (turn->day > 59 && is_leap(year));
	return day * DAY + turn->seconds - offset;
}

/* The last turn counts, be it of the year before or of the next, since turns may lie some days outside their year. */
int32_t
zone_rule_offset(const struct zone_rule *rule, int64_t time)
{
	int64_t year = year_of(floor_divide(time, DAY)), last = INT64_MIN;
	bool daylight = false;

	if (!rule->turns)
		return rule->standard;
	for (int64_t y = year - 1; y <= year + 1; y++) {
		int64_t begin = turning_time(&rule->begin, y, rule->standard);
		int64_t end = turning_time(&rule->end, y, rule->daylight);

		if (end <= time && end > last) {
			last = end;
			daylight = false;
		}
		if (begin <= time && begin >= last) { /* at once: it never ends */
			last = begin;
			daylight = true;
		}
	}
	return daylight ? rule->daylight : rule->standard;
}
