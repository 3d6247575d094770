/* SPDX-License-Identifier: Apache-2.0 */
/* test_rfc3339.c - instants as text and back, and the texts that are none. */
#include "common/message/rfc3339.h"
#include "tests/unit/message/message_test.h"

#include <time.h>

#define MAXIMUM INT64_C(253402300799999999)

static int64_t
parse(const char *text)
{
	int64_t microseconds = -1;

	if (!rfc3339_parse(text, strlen(text), &microseconds))
		fail_msg("refused: %s", text);
	return microseconds;
}

static void
formats_and_reads_back_the_same_instant(void **state)
{
	static const int64_t instants[] = {0,
					   1,
					   999999,
					   1000000,
					   INT64_C(951782400000000),
					   INT64_C(1795861234567890),
					   MAXIMUM,
					   INT64_C(4102444800000000) - 1};
	char text[RFC3339_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof instants / sizeof *instants; i++) {
		rfc3339_format(instants[i], text);
		assert_true(parse(text) == instants[i]);
	}
	rfc3339_format(0, text);
	assert_string_equal(text, "1970-01-01T00:00:00.000000Z");
	rfc3339_format(MAXIMUM, text);
	assert_string_equal(text, "9999-12-31T23:59:59.999999Z");
}

static void
agrees_with_the_c_library_on_every_day(void **state)
{
	char ours[RFC3339_SIZE], theirs[RFC3339_SIZE];

	(void)state;
	for (int64_t second = 43199; second * 1000000 <= MAXIMUM; second += 86400) {
		time_t when = second;
		struct tm tm;

		rfc3339_format(second * 1000000, ours);
		gmtime_r(&when, &tm);
		strftime(theirs, sizeof theirs, "%Y-%m-%dT%H:%M:%S.000000Z", &tm);
		if (strcmp(ours, theirs) != 0 || parse(ours) != second * 1000000)
			fail_msg("%s is %s", ours, theirs);
	}
}

static void
offsets_fractions_and_letters_of_either_case(void **state)
{
	(void)state;
	assert_true(parse("1996-12-19T16:39:57-08:00") == INT64_C(851042397000000)); /* RFC 3339 5.8 */
	assert_true(parse("1996-12-20T00:39:57Z") == INT64_C(851042397000000));
	assert_true(parse("1985-04-12t23:20:50.52z") == INT64_C(482196050520000));
	assert_true(parse("2026-11-30T09:00:00.123456789Z") == parse("2026-11-30T09:00:00.123456Z"));
	assert_true(parse("2026-11-30T09:00:00.1-00:00") == parse("2026-11-30T09:00:00.100000Z"));
	assert_true(parse("2026-11-30T23:59:59+23:59") == parse("2026-11-30T00:00:59Z"));
	assert_true(parse("2000-02-29T00:00:00Z") == INT64_C(951782400000000));
}

static void
the_range_is_that_of_the_instant(void **state)
{
	int64_t unused;
	static const char *const outside[] = {"1970-01-01T00:00:00+00:01", "1969-12-31T23:59:59Z",
					      "9999-12-31T23:59:59-00:01", "0000-01-01T00:00:00Z",
					      "1968-12-31T23:59:59-23:59"};

	(void)state;
	assert_true(parse("1969-12-31T23:59:59-00:01") == INT64_C(59000000));
	assert_true(parse("9999-12-31T23:59:59.999999Z") == MAXIMUM);
	for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
		assert_false(rfc3339_parse(outside[i], strlen(outside[i]), &unused));
}

static void
refuses_what_is_no_instant(void **state)
{
	static const char *const texts[] = {
	    "",
	    "2026-11-30",
	    "2026-11-30T09:00:00",
	    "2026-11-30T09:00Z",
	    "2026-11-30 09:00:00Z",
	    "2026-11-30T09:00:00.Z",
	    "2026-11-30T09:00:00.1234567890Z",
	    "2026-11-30T09:00:00,5Z",
	    "2026-11-30T09:00:60Z",
	    "2026-11-30T24:00:00Z",
	    "2026-11-30T09:60:00Z",
	    "2026-11-31T09:00:00Z",
	    "2026-13-01T09:00:00Z",
	    "2026-00-01T09:00:00Z",
	    "2026-01-00T09:00:00Z",
	    "2026-02-29T09:00:00Z",
	    "2100-02-29T09:00:00Z",
	    "2026-11-30T09:00:00+24:00",
	    "2026-11-30T09:00:00+01:60",
	    "2026-11-30T09:00:00+0100",
	    "2026-11-30T09:00:00+01",
	    "2026-11-30T09:00:00ZZ",
	    "2026-11-30T09:00:00Z ",
	    " 2026-11-30T09:00:00Z",
	    "+2026-11-30T09:00:00Z",
	    "26-11-30T09:00:00Z",
	    "12026-11-30T09:00:00Z",
	    "2026-1-30T09:00:00Z",
	    "2026-11-30T9:00:00Z",
	    "infinity",
	    "now",
	    "1764493200",
	};
	int64_t unused;

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (rfc3339_parse(texts[i], strlen(texts[i]), &unused))
			fail_msg("taken: %s", texts[i]);
	assert_false(rfc3339_parse("2026-11-30T09:00:00Z\0", 21, &unused));
	for (size_t length = 0; length < 20; length++)
		assert_false(rfc3339_parse("2026-11-30T09:00:00Z", length, &unused));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(formats_and_reads_back_the_same_instant),
	    cmocka_unit_test(agrees_with_the_c_library_on_every_day),
	    cmocka_unit_test(offsets_fractions_and_letters_of_either_case),
	    cmocka_unit_test(the_range_is_that_of_the_instant),
	    cmocka_unit_test(refuses_what_is_no_instant),
	};

	return cmocka_run_group_tests_name("rfc3339", tests, NULL, NULL);
}
