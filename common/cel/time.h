/* SPDX-License-Identifier: Apache-2.0 */
/* time.h - points in time and spans of it: their text and the calendar. Inside common/cel, and for inputs at the door. Pure. */
#ifndef COUNTERSIGN_CEL_TIME_H
#define COUNTERSIGN_CEL_TIME_H

#include "common/cel/value.h"

#define CEL_SECONDS_LEAST INT64_C(-62135596800) /* 0001-01-01T00:00:00Z */
#define CEL_SECONDS_MOST INT64_C(253402300799)	/* 9999-12-31T23:59:59Z */
#define CEL_NANOSECONDS INT64_C(1000000000)	/* in a second */
#define CEL_TIME_TEXT_SIZE 48

/*
 * RFC 3339: "2009-02-13T23:31:30.123Z" or with an offset "+01:00" in the place of Z, capital T and Z, at most nine digits of a
 * fraction. CEL_OK, CEL_CONVERSION when it is not of that form or no such day or second exists (30 February, a leap second), CEL_RANGE outside
 * the years 1 to 9999 of UTC. *value is set only when all is well; so below.
 */
enum cel_code cel_timestamp_parse(const char *text, size_t length, struct cel_value *value) CS_MUST_CHECK;
/*
 * "1h30m", "-1.5h", "0": numbers with a fraction or not, each with one of h, m, s, ms, us, ns, in any order; one sign in front. What is
 * less than a nanosecond is cut off. CEL_CONVERSION, CEL_RANGE.
 */
enum cel_code cel_duration_parse(const char *text, size_t length, struct cel_value *value) CS_MUST_CHECK;
/* The text of string(): "2009-02-13T23:31:30.123Z" with no more digits than it takes; "-5400.5s". Returns its length; NUL-terminated. */
size_t cel_timestamp_text(struct cel_value timestamp, char text[CEL_TIME_TEXT_SIZE]);
size_t cel_duration_text(struct cel_value duration, char text[CEL_TIME_TEXT_SIZE]);

/* A second by the proleptic Gregorian calendar. */
struct cel_calendar {
	int64_t year;
	int month, day;	 /* from 1 */
	int day_of_week; /* Sunday is 0 */
	int day_of_year; /* from 0 */
	int hour, minute, second;
};
/* seconds: since 1970 UTC, or moved by an offset to be read as local time; within the years -1 to 10,001. */
struct cel_calendar cel_calendar(int64_t seconds);

/*
 * How far a zone is east of UTC, in seconds, at a time: "UTC", a fixed offset "+02:00" (sign optional, hours to 23), or a name of the
 * database of zones. False when it is none of these.
 */
bool cel_zone_offset(const char *zone, size_t length, int64_t seconds, int32_t *offset) CS_MUST_CHECK;

#endif
