/* SPDX-License-Identifier: Apache-2.0 */
/* test_zone.c - time zones of the system's database: the C library has its own reader, and both must agree everywhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/zone/zone.h"

#include <ftw.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define FOLDER "/usr/share/zoneinfo/"
#define YEAR 31556952LL

static const struct zone *
find(const char *name)
{
	return zone_find(name, strlen(name));
}

static int64_t
utc(int year, int month, int day, int hour, int minute)
{
	struct tm tm = {
	    .tm_year = year - 1900, .tm_mon = month - 1, .tm_mday = day, .tm_hour = hour, .tm_min = minute};

	return timegm(&tm);
}

static void
knows_when_clocks_are_turned(void **state)
{
	const struct zone *berlin = find("Europe/Berlin"), *sydney = find("Australia/Sydney"),
			  *kathmandu = find("Asia/Kathmandu");

	(void)state;
	assert_non_null(berlin);
	assert_int_equal(zone_offset(berlin, utc(2024, 3, 31, 0, 59)), 3600);
	assert_int_equal(zone_offset(berlin, utc(2024, 3, 31, 1, 0)), 7200);
	assert_int_equal(zone_offset(berlin, utc(2024, 10, 27, 0, 59)), 7200);
	assert_int_equal(zone_offset(berlin, utc(2024, 10, 27, 1, 0)), 3600);
	assert_int_equal(zone_offset(berlin, utc(2999, 7, 1, 0, 0)), 7200); /* by the rule at the file's end */
	assert_int_equal(zone_offset(berlin, utc(9999, 12, 31, 0, 0)), 3600);
	assert_int_equal(zone_offset(berlin, utc(1, 1, 1, 0, 0)), 3208); /* the sun's time */
	assert_non_null(sydney);
	assert_int_equal(zone_offset(sydney, utc(2500, 1, 1, 0, 0)), 11 * 3600);
	assert_int_equal(zone_offset(sydney, utc(2500, 7, 1, 0, 0)), 10 * 3600);
	assert_non_null(kathmandu);
	assert_int_equal(zone_offset(kathmandu, utc(2009, 2, 13, 23, 31)), 20700);
	assert_int_equal(zone_offset(find("UTC"), utc(2009, 2, 13, 23, 31)), 0);
	assert_ptr_equal(find("Europe/Berlin"), berlin);
}

static void
refuses_names_that_are_none(void **state)
{
	static const char *const names[] = {
	    "",
	    "/",
	    "/etc/localtime",
	    "../../../etc/passwd",
	    "Europe/../Europe/Berlin",
	    "Europe//Berlin",
	    "Europe/Berlin/",
	    "Europe/",
	    "Europe",
	    "Europe/Atlantis",
	    "europe/berlin\n",
	    "Europe/Berlin ",
	    ".",
	    "localtime",
	    "posixrules",
	    "posix/Europe/Berlin",
	    "right/Europe/Berlin",
	    "zone.tab",
	    "zone1970.tab",
	    "leapseconds",
	    "tzdata.zi",
	    "A123456789012345678901234567890123456789012345678901234567890123456789"};

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		assert_null(find(names[i]));
	assert_null(zone_find("Europe/Berlin\0", 14));
	assert_null(zone_find("\0", 1));
	assert_non_null(zone_find("Europe/Berlinx", 13));
}

static uint64_t random_state = 88172645463325252ULL;

static uint64_t
next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	return random_state ^= random_state << 17;
}

static int zones;

static void
agree_at(const struct zone *zone, const char *name, time_t time)
{
	struct tm tm;

	assert_non_null(localtime_r(&time, &tm));
	if (zone_offset(zone, time) != tm.tm_gmtoff)
		fail_msg("%s at %lld: %d, the C library says %ld", name, (long long)time,
			 zone_offset(zone, time), tm.tm_gmtoff);
}

/* At random times from 1880 to 2500, and around every change that falls between two of them. */
static int
agree(const char *path, const struct stat *status, int type, struct FTW *place)
{
	const char *name = path + sizeof FOLDER - 1;
	const struct zone *zone = type == FTW_F ? find(name) : NULL;
	time_t before = -90 * YEAR;

	(void)status;
	(void)place;
	if (!zone)
		return 0;
	zones++;
	assert_int_equal(setenv("TZ", name, 1), 0);
	tzset();
	for (time_t time = before; time < 530 * YEAR; time += (time_t)(next_random() % (YEAR / 2))) {
		time_t low = before, high = time;

		agree_at(zone, name, time);
		while (high - low > 1 && zone_offset(zone, low) != zone_offset(zone, high)) {
			time_t middle = low + (high - low) / 2;

			if (zone_offset(zone, middle) == zone_offset(zone, low))
				low = middle;
			else
				high = middle;
		}
		agree_at(zone, name, low);
		agree_at(zone, name, high);
		before = time;
	}
	return 0;
}

static void
agrees_with_the_c_library_about_every_zone(void **state)
{
	(void)state;
	assert_int_equal(nftw(FOLDER, agree, 16, 0), 0);
	assert_true(zones > 300);
}

static void *
find_many(void *data)
{
	static const char *const names[] = {"America/New_York", "Asia/Tokyo",	    "Africa/Cairo",
					    "America/Lima",	"Pacific/Apia",	    "Etc/GMT+5",
					    "Asia/Dubai",	"Antarctica/Troll", "EST5EDT"};
	const struct zone **found = data;

	for (int round = 0; round < 100; round++)
		for (size_t i = 0; i < sizeof names / sizeof *names; i++)
			found[i] = find(names[i]);
	return NULL;
}

static void
several_threads_find_the_same(void **state)
{
	const struct zone *found[4][9] = {{0}};
	pthread_t threads[4];

	(void)state;
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, find_many, found[i]), 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	for (int i = 0; i < 9; i++) {
		assert_non_null(found[0][i]);
		for (int thread = 1; thread < 4; thread++)
			assert_ptr_equal(found[thread][i], found[0][i]);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(several_threads_find_the_same), /* first, so that they race for what nobody has read */
	    cmocka_unit_test(knows_when_clocks_are_turned),
	    cmocka_unit_test(refuses_names_that_are_none),
	    cmocka_unit_test(agrees_with_the_c_library_about_every_zone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
