/* SPDX-License-Identifier: Apache-2.0 */
/* test_time.c - the calendar against the C library's, and text that comes back as it went. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/cel/time.h"

#include <string.h>
#include <time.h>

static uint64_t random_state = 88172645463325252ULL;

static uint64_t
next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	return random_state ^= random_state << 17;
}

static void
agree_at(int64_t seconds)
{
	struct cel_calendar date = cel_calendar(seconds);
	time_t time = seconds;
	struct tm tm;

	assert_non_null(gmtime_r(&time, &tm));
	assert_int_equal(date.year, tm.tm_year + 1900);
	assert_int_equal(date.month, tm.tm_mon + 1);
	assert_int_equal(date.day, tm.tm_mday);
	assert_int_equal(date.day_of_week, tm.tm_wday);
	assert_int_equal(date.day_of_year, tm.tm_yday);
	assert_int_equal(date.hour, tm.tm_hour);
	assert_int_equal(date.minute, tm.tm_min);
	assert_int_equal(date.second, tm.tm_sec);
}

static void
the_calendar_is_that_of_the_c_library(void **state)
{
	(void)state;
	for (int64_t day = CEL_SECONDS_LEAST / 86400 - 400; day <= CEL_SECONDS_MOST / 86400 + 400; day++)
		agree_at(day * 86400 + (int64_t)(next_random() % 86400));
}

static void
text_comes_back_as_it_went(void **state)
{
	char text[CEL_TIME_TEXT_SIZE], again[CEL_TIME_TEXT_SIZE];
	struct cel_value read, value;
	size_t length;

	(void)state;
	for (int i = 0; i < 100000; i++) {
		uint64_t span = (uint64_t)(CEL_SECONDS_MOST - CEL_SECONDS_LEAST) + 1;

		value = cel_timestamp(CEL_SECONDS_LEAST + (int64_t)(next_random() % span),
				      (uint32_t)(next_random() % 1000000000));
		length = cel_timestamp_text(value, text);
		assert_int_equal(length, strlen(text));
		assert_int_equal(cel_timestamp_parse(text, strlen(text), &read), CEL_OK);
		assert_int_equal(read.as.integer, value.as.integer);
		assert_int_equal(read.extra, value.extra);
		value = cel_duration((int64_t)next_random() >> next_random() % 64);
		length = cel_duration_text(value, again);
		assert_int_equal(length, strlen(again));
		assert_int_equal(cel_duration_parse(again, strlen(again), &read), CEL_OK);
		assert_int_equal(read.as.integer, value.as.integer);
	}
}

static void
what_is_refused_changes_nothing(void **state)
{
	struct cel_value value = cel_int(7);

	(void)state;
	assert_int_equal(cel_timestamp_parse("x", 1, &value), CEL_CONVERSION);
	assert_int_equal(cel_timestamp_parse("0000-01-01T00:00:00Z", 20, &value), CEL_RANGE);
	assert_int_equal(cel_duration_parse("1", 1, &value), CEL_CONVERSION);
	assert_int_equal(cel_duration_parse("9999999h", 8, &value), CEL_RANGE);
	assert_int_equal(value.kind, CEL_INT);
	assert_int_equal(value.as.integer, 7);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_calendar_is_that_of_the_c_library),
	    cmocka_unit_test(text_comes_back_as_it_went),
	    cmocka_unit_test(what_is_refused_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
