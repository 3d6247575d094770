/* SPDX-License-Identifier: Apache-2.0 */
/* test_zone_parse.c - files of the time zone database, whole and damaged, and the rules at their ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/zone/zone_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool
reads(const char *text, struct zone_rule *rule)
{
	char *copy = malloc(strlen(text) + 1); /* without a NUL within reach of the sanitizer */
	bool ok;

	memcpy(copy, text, strlen(text));
	ok = zone_rule_parse(copy, strlen(text), rule);
	free(copy);
	return ok;
}

static void
reads_rules(void **state)
{
	struct zone_rule rule;

	(void)state;
	assert_true(reads("UTC0", &rule));
	assert_int_equal(rule.standard, 0);
	assert_false(rule.turns);
	assert_true(reads("<+0530>-5:30", &rule));
	assert_int_equal(rule.standard, 19800);
	assert_true(reads("<-00>0:00:01", &rule));
	assert_int_equal(rule.standard, -1);
	assert_true(reads("CET-1CEST,M3.5.0,M10.5.0/3", &rule));
	assert_int_equal(rule.standard, 3600);
	assert_int_equal(rule.daylight, 7200);
	assert_true(rule.turns);
	assert_int_equal(rule.begin.seconds, 7200);
	assert_int_equal(rule.end.seconds, 10800);
	assert_true(reads("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", &rule));
	assert_int_equal(rule.begin.seconds, -3600);
	assert_true(reads("IST-2IDT,M3.4.4/26,M10.5.0", &rule));
	assert_int_equal(rule.begin.seconds, 26 * 3600);
	assert_true(reads("IST-1GMT0,M10.5.0,M3.5.0/1", &rule));
	assert_int_equal(rule.daylight, 0);
	assert_true(reads("AAA3BBB,J59/-167,365/167:59:59", &rule));
	assert_int_equal(rule.begin.day, 59);
	assert_int_equal(rule.end.day, 365);
}

static void
refuses_what_is_no_rule(void **state)
{
	static const char *const texts[] = {"",
					    "UTC",
					    "UT0",
					    "<+0>0",
					    "<+05",
					    "<+05>",
					    "<a b>0",
					    "UTC0 ",
					    "UTC25",
					    "UTC0:60",
					    "UTC0:0:60",
					    "UTC0:",
					    "UTC+-1",
					    "CET-1CEST",
					    "CET-1CEST,",
					    "CET-1CEST,M3.5.0",
					    "CET-1CEST,M3.5.0,",
					    "CET-1CEST,M3.5.0,M10.5.0x",
					    "CET-1CEST,M13.5.0,M10.5.0",
					    "CET-1CEST,M0.5.0,M10.5.0",
					    "CET-1CEST,M3.0.0,M10.5.0",
					    "CET-1CEST,M3.6.0,M10.5.0",
					    "CET-1CEST,M3.5.7,M10.5.0",
					    "CET-1CEST,J0,M10.5.0",
					    "CET-1CEST,J366,M10.5.0",
					    "CET-1CEST,366,M10.5.0",
					    "CET-1CEST,M3.5.0/168,M10.5.0",
					    "CET-1CEST,M3.5.0/,M10.5.0",
					    "CET-1CEST,M0003.5.0,M10.5.0"};
	struct zone_rule rule;

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (reads(texts[i], &rule))
			fail_msg("\"%s\" was taken", texts[i]);
}

static int32_t
offset(const char *text, int year, int month, int day, int hour)
{
	struct tm tm = {.tm_year = year - 1900, .tm_mon = month - 1, .tm_mday = day, .tm_hour = hour};
	struct zone_rule rule;

	assert_true(reads(text, &rule));
	return zone_rule_offset(&rule, timegm(&tm));
}

static void
lives_by_rules(void **state)
{
	(void)state;
	/* the day after 28 February and the sixtieth day: the same in most years only */
	assert_int_equal(offset("AAA0BBB,J60/0,J300/0", 2023, 3, 1, 0), 3600);
	assert_int_equal(offset("AAA0BBB,J60/0,J300/0", 2024, 2, 29, 23), 0);
	assert_int_equal(offset("AAA0BBB,J60/0,J300/0", 2024, 3, 1, 0), 3600);
	assert_int_equal(offset("AAA0BBB,59/0,300/0", 2023, 3, 1, 0), 3600);
	assert_int_equal(offset("AAA0BBB,59/0,300/0", 2024, 2, 29, 0), 3600);
	/* weeks: the first, the fourth, the last of months of four and five */
	assert_int_equal(offset("AAA0BBB,M2.1.4/0,M12.1.0", 2024, 1, 31, 23), 0);
	assert_int_equal(offset("AAA0BBB,M2.1.4/0,M12.1.0", 2024, 2, 1, 0), 3600);
	assert_int_equal(offset("AAA0BBB,M2.5.4/0,M12.1.0", 2024, 2, 28, 23), 0);
	assert_int_equal(offset("AAA0BBB,M2.5.4/0,M12.1.0", 2024, 2, 29, 0), 3600);
	assert_int_equal(offset("AAA0BBB,M2.5.4/0,M12.1.0", 2023, 2, 22, 23), 0);
	assert_int_equal(offset("AAA0BBB,M2.5.4/0,M12.1.0", 2023, 2, 23, 0), 3600);
	/* a turn that lies in the year before or after */
	assert_int_equal(offset("AAA0BBB,J2/-48,J32/0", 2023, 12, 30, 23), 0);
	assert_int_equal(offset("AAA0BBB,J2/-48,J32/0", 2023, 12, 31, 0), 3600);
	assert_int_equal(offset("AAA0BBB,J364/72,J32/0", 2024, 1, 1, 23), 0);
	assert_int_equal(offset("AAA0BBB,J364/72,J32/0", 2024, 1, 2, 0), 3600);
	/* it never ends (RFC 9636, 3.3.1) */
	for (int month = 1; month <= 12; month++)
		assert_int_equal(offset("XXX3EDT4,0/0,J365/23", 2024, month, 1, 3), -4 * 3600);
	assert_int_equal(offset("XXX3EDT4,0/0,J365/23", 2024, 12, 31, 23), -4 * 3600);
}

/* --- files --- */

struct file {
	uint8_t bytes[512];
	size_t length;
};

static void
add(struct file *file, uint64_t number, size_t width)
{
	for (size_t i = width; i-- > 0;)
		file->bytes[file->length++] = (uint8_t)(number >> (8 * i));
}

static void
add_header(struct file *file, char version, uint32_t leaps, uint32_t times, uint32_t types)
{
	memcpy(file->bytes + file->length, "TZif", 4);
	file->length += 4;
	add(file, (uint8_t)version, 1);
	file->length += 15;
	add(file, 0, 4);
	add(file, 0, 4);
	add(file, leaps, 4);
	add(file, times, 4);
	add(file, types, 4);
	add(file, 4, 4);
}

/* Two transitions, at -100 and 1000, from 1 hour to 2 and back to 0, with times of so many bytes. */
static void
add_block(struct file *file, size_t width)
{
	add(file, (uint64_t)-100, width);
	add(file, 1000, width);
	add(file, 1, 1);
	add(file, 2, 1);
	for (int hour = 1; hour <= 3; hour++) {
		add(file, (uint64_t)(hour % 3) * 3600, 4);
		add(file, 0, 2);
	}
	add(file, 0, 4);
}

static struct zone *
parse(const struct file *file, size_t length)
{
	uint8_t *copy = malloc(length + 1); /* so that the sanitizer sees the end */
	struct zone *zone;

	memcpy(copy + 1, file->bytes, length);
	zone = zone_parse("x", 1, copy + 1, length);
	free(copy);
	return zone;
}

/* A whole file that counts a leap second: its times are no seconds since 1970. */
static void
refuses_files_that_count_leap_seconds(void **state)
{
	struct file file = {0};

	(void)state;
	for (uint32_t leaps = 0; leaps <= 1; leaps++) {
		struct zone *zone;

		file.length = 0;
		add_header(&file, '\0', leaps, 0, 1);
		file.length += 6 + 4;
		add(&file, 78796800, 4 * leaps);
		add(&file, 1, 4 * leaps);
		zone = parse(&file, file.length);
		assert_int_equal(zone == NULL, leaps);
		zone_free(zone);
	}
}

static struct file
version_2(const char *rule)
{
	struct file file = {0};

	add_header(&file, '2', 0, 0, 1);
	file.length += 6 + 4;
	add_header(&file, '2', 0, 2, 3);
	add_block(&file, 8);
	add(&file, '\n', 1);
	memcpy(file.bytes + file.length, rule, strlen(rule));
	file.length += strlen(rule);
	add(&file, '\n', 1);
	return file;
}

static void
has_changes(struct zone *zone, int32_t later)
{
	assert_non_null(zone);
	assert_int_equal(zone_offset(zone, INT64_MIN / 2), 3600);
	assert_int_equal(zone_offset(zone, -101), 3600);
	assert_int_equal(zone_offset(zone, -100), 7200);
	assert_int_equal(zone_offset(zone, 999), 7200);
	assert_int_equal(zone_offset(zone, 1000), later);
	assert_int_equal(zone_offset(zone, 1LL << 40), later);
	zone_free(zone);
}

static void
reads_files_of_both_kinds(void **state)
{
	struct file old = {0}, new = version_2(""), ruled = version_2("ABC-5");

	(void)state;
	add_header(&old, '\0', 0, 2, 3);
	add_block(&old, 4);
	has_changes(parse(&old, old.length), 0);
	has_changes(parse(&new, new.length), 0);
	has_changes(parse(&ruled, ruled.length), 18000);
}

static void
refuses_files_that_are_cut_anywhere(void **state)
{
	struct file file = version_2("ABC-5");

	(void)state;
	for (size_t length = 0; length < file.length; length++)
		assert_null(parse(&file, length));
	add(&file, 'x', 1);
	assert_null(parse(&file, file.length));
}

static void
refuses_a_changed_byte(struct file file, size_t place, uint8_t byte)
{
	file.bytes[place] = byte;
	assert_null(parse(&file, file.length));
}

static void
refuses_damaged_files(void **state)
{
	struct file file = version_2("ABC-5"), bad = version_2("ABC");
	size_t second = 44 + 10, block = second + 44;

	(void)state;
	assert_null(parse(&bad, bad.length));
	refuses_a_changed_byte(file, 0, 't');
	refuses_a_changed_byte(file, 4, '1');
	refuses_a_changed_byte(file, 4, '9');
	refuses_a_changed_byte(file, second + 1, 'x');
	for (size_t count = 20; count < 44; count += 4) {
		refuses_a_changed_byte(file, second + count, 0xff); /* counts beyond the file */
		refuses_a_changed_byte(file, second + count + 3, 200);
	}
	refuses_a_changed_byte(file, second + 31, 1);	/* counts leap seconds */
	refuses_a_changed_byte(file, second + 39, 0);	/* no types */
	refuses_a_changed_byte(file, block, 0x7f);	/* times that do not rise */
	refuses_a_changed_byte(file, block + 16, 3);	/* a type that is not there */
	refuses_a_changed_byte(file, block + 18, 0x01); /* an offset of years */
}

/* Whatever is changed, nothing outside is read, and what is taken answers for all of time. */
static void
no_damage_does_more_than_that(void **state)
{
	FILE *berlin = fopen("/usr/share/zoneinfo/Europe/Berlin", "rb");
	uint8_t real[ZONE_FILE_MAX];
	uint32_t random = 1;
	size_t length;
	int taken = 0;

	(void)state;
	assert_non_null(berlin);
	length = fread(real, 1, sizeof real, berlin);
	fclose(berlin);
	assert_true(length > 500);
	for (int i = 0; i < 20000; i++) {
		size_t cut = length - (i % 7 ? 0 : (random >> 8) % length);
		uint8_t *copy = malloc(cut + 1);
		struct zone *zone;

		memcpy(copy + 1, real, cut);
		for (int change = i % 3; change >= 0 && cut > 0; change--) {
			random = random * 1664525U + 1013904223U;
			copy[1 + (i % 2 ? (random >> 8) % cut : (random >> 8) % 64 % cut)] =
			    (uint8_t)(random >> 24);
		}
		zone = zone_parse("x", 1, copy + 1, cut);
		free(copy);
		if (!zone)
			continue;
		taken++;
		for (int64_t time = -INT64_C(63000000000); time < INT64_C(260000000000);
		     time += INT64_C(9876543210)) {
			int32_t east = zone_offset(zone, time);

			assert_true(east > -ZONE_OFFSET_MAX && east < ZONE_OFFSET_MAX);
		}
		zone_free(zone);
	}
	assert_true(taken > 100);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(reads_rules),
	    cmocka_unit_test(refuses_what_is_no_rule),
	    cmocka_unit_test(lives_by_rules),
	    cmocka_unit_test(reads_files_of_both_kinds),
	    cmocka_unit_test(refuses_files_that_are_cut_anywhere),
	    cmocka_unit_test(refuses_damaged_files),
	    cmocka_unit_test(refuses_files_that_count_leap_seconds),
	    cmocka_unit_test(no_damage_does_more_than_that),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
