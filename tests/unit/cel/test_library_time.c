/* SPDX-License-Identifier: Apache-2.0 */
/* test_library_time.c - timestamps and durations in expressions. */
#include "tests/unit/cel/evaluate.h"

static void
reads_rfc_3339(void **state)
{
	(void)state;
	ALL_TRUE("timestamp('2009-02-13T23:31:30Z') == timestamp(1234567890)",
		 "timestamp('2009-02-14T00:31:30+01:00') == timestamp(1234567890)",
		 "timestamp('2009-02-13T20:01:30-03:30') == timestamp(1234567890)",
		 "timestamp('1970-01-01T00:00:00-00:00') == timestamp(0)",
		 "timestamp('1969-12-31T23:59:59.5Z') + duration('500ms') == timestamp(0)",
		 "timestamp('2000-02-29T00:00:00Z') < timestamp('2000-03-01T00:00:00Z')",
		 "timestamp('0001-01-01T00:00:00Z') == timestamp(-62135596800)",
		 "timestamp('9999-12-31T23:59:59.999999999Z') > timestamp(253402300799)",
		 "timestamp(timestamp(1)) == timestamp(1)");
}

static void
refuses_what_is_no_time(void **state)
{
	(void)state;
	ALL_FAIL("conversion", "timestamp('')", "timestamp('2009-02-13')", "timestamp('2009-02-13T23:31:30')",
		 "timestamp('2009-02-13 23:31:30Z')", "timestamp('2009-02-13t23:31:30Z')",
		 "timestamp('2009-02-13T23:31:30z')", "timestamp('2009-02-13T23:31:30ZZ')",
		 "timestamp('2009-02-13T23:31:30 Z')", "timestamp(' 2009-02-13T23:31:30Z')",
		 "timestamp('2009-2-13T23:31:30Z')", "timestamp('+2009-02-13T23:31:30Z')",
		 "timestamp('10000-01-01T00:00:00Z')", "timestamp('2009-02-30T00:00:00Z')",
		 "timestamp('2009-02-29T00:00:00Z')", "timestamp('1900-02-29T00:00:00Z')",
		 "timestamp('2009-04-31T00:00:00Z')", "timestamp('2009-00-13T00:00:00Z')",
		 "timestamp('2009-13-13T00:00:00Z')", "timestamp('2009-02-00T00:00:00Z')",
		 "timestamp('2009-02-13T24:00:00Z')", "timestamp('2009-02-13T23:60:00Z')",
		 "timestamp('2016-12-31T23:59:60Z')", "timestamp('2009-02-13T23:31:30.Z')",
		 "timestamp('2009-02-13T23:31:30,5Z')", "timestamp('2009-02-13T23:31:30.0000000001Z')",
		 "timestamp('2009-02-13T23:31:30+0100')", "timestamp('2009-02-13T23:31:30+24:00')",
		 "timestamp('2009-02-13T23:31:30+01:60')", "timestamp('2009-02-13T23:31:30+1:00')",
		 "timestamp('2009-02-13T23:31:30Z\\x00')");
	ALL_FAIL("range", "timestamp('0000-01-01T00:00:00Z')", "timestamp('0000-12-31T23:00:00-01:00')",
		 "timestamp('0001-01-01T00:00:00+00:01')", "timestamp('9999-12-31T23:59:59-00:01')",
		 "timestamp(-62135596801)", "timestamp(253402300800)", "timestamp(9223372036854775807)");
}

static void
reads_durations(void **state)
{
	(void)state;
	ALL_TRUE("duration('1h30m') == duration('5400s')", "duration('-1.5h') == duration('-90m')",
		 "duration('+1h') == duration('1h')", "duration('0') == duration('0s')",
		 "duration('-0') == duration('0h')", "duration('1h34us') == duration('3600000034000ns')",
		 "duration('1ms') == duration('1000us')", "duration('1us') == duration('1000ns')",
		 "duration('.5s') == duration('500ms')", "duration('1.s') == duration('1s')",
		 "duration('1s1h1s') == duration('3602s')", "duration('1.9999ns') == duration('1ns')",
		 "duration('0.000000001s') == duration('1ns')",
		 "duration('0.333333333333333333333333333333h') == duration('1199.999999999s')",
		 "duration('9223372036854775807ns') > duration('9223372036.854775806s')",
		 "duration('-9223372036854775808ns') < duration('-9223372036.854775807s')",
		 "duration(duration('1s')) == duration('1s')");
}

static void
refuses_what_is_no_duration(void **state)
{
	(void)state;
	ALL_FAIL("conversion", "duration('')", "duration('-')", "duration('1')", "duration('00')",
		 "duration('s')", "duration('.s')", "duration('1d')", "duration('1w')", "duration('1H')",
		 "duration('1 h')", "duration(' 1h')", "duration('1h ')", "duration('1h-1m')",
		 "duration('--1h')", "duration('1e3s')", "duration('0x1s')", "duration('1..0s')",
		 "duration('1.0.0s')", "duration('1m1')", "duration('1\\u00b5s')", "duration('1s\\x00')",
		 "duration('99999999999999999999h1')");
	ALL_FAIL("range", "duration('9223372036854775808ns')", "duration('-9223372036854775809ns')",
		 "duration('2562048h')", "duration('99999999999999999999999999s')",
		 "duration('18446744073709551616ns')", "duration('2562047h48m')", "duration('320000000000s')");
}

static void
adds_and_subtracts_within_range(void **state)
{
	(void)state;
	ALL_TRUE(
	    "timestamp(100) + duration('1.5s') == timestamp('1970-01-01T00:01:41.5Z')",
	    "duration('1.5s') + timestamp(100) == timestamp('1970-01-01T00:01:41.5Z')",
	    "timestamp(0) - duration('1ns') == timestamp('1969-12-31T23:59:59.999999999Z')",
	    "timestamp(-5) - duration('-1500ms') == timestamp('1969-12-31T23:59:56.5Z')",
	    "timestamp('1970-01-01T00:00:01.25Z') - timestamp('1969-12-31T23:59:59.75Z') == duration('1.5s')",
	    "timestamp(0) - timestamp(1) == duration('-1s')",
	    "duration('1h') + duration('-2h') == duration('-1h')",
	    "duration('1h') - duration('90m') == duration('-30m')",
	    "timestamp('9999-12-31T23:59:59.999999998Z') + duration('1ns') == "
	    "timestamp('9999-12-31T23:59:59.999999999Z')",
	    "timestamp('0001-01-01T00:00:00.000000001Z') - duration('1ns') == "
	    "timestamp('0001-01-01T00:00:00Z')");
	ALL_FAIL("range", "timestamp('9999-12-31T23:59:59.999999999Z') + duration('1ns')",
		 "timestamp('0001-01-01T00:00:00Z') - duration('1ns')",
		 "timestamp('9999-12-31T23:59:59Z') - duration('-9223372036854775808ns')",
		 "timestamp('9999-12-31T23:59:59Z') - timestamp('0001-01-01T00:00:00Z')",
		 "duration('9223372036854775807ns') + duration('1ns')",
		 "duration('-9223372036854775808ns') - duration('1ns')",
		 "duration('0s') - duration('-9223372036854775808ns')");
	ALL_FAIL("no_such_overload", "dyn(timestamp(0)) + timestamp(0)", "dyn(timestamp(0)) + 1",
		 "dyn(duration('1s')) - timestamp(0)", "dyn(duration('1s')) + 1");
}

static void
takes_timestamps_apart(void **state)
{
	(void)state;
	ALL_TRUE("timestamp('2009-02-13T23:31:30.987654321Z').getMilliseconds() == 987",
		 "timestamp(1234567890).getFullYear() == 2009", "timestamp(1234567890).getMonth() == 1",
		 "timestamp(1234567890).getDate() == 13", "timestamp(1234567890).getDayOfMonth() == 12",
		 "timestamp(1234567890).getDayOfWeek() == 5", "timestamp(1234567890).getDayOfYear() == 43",
		 "timestamp(1234567890).getHours() == 23", "timestamp(1234567890).getMinutes() == 31",
		 "timestamp(1234567890).getSeconds() == 30",
		 "timestamp('2024-12-31T00:00:00Z').getDayOfYear() == 365",
		 "timestamp('2023-12-31T00:00:00Z').getDayOfYear() == 364",
		 "timestamp('2024-03-01T00:00:00Z').getDayOfYear() == 60",
		 "timestamp('2024-02-29T00:00:00Z').getDate() == 29",
		 "timestamp('0001-01-01T00:00:00Z').getDayOfWeek() == 1",
		 "timestamp('9999-12-31T23:59:59Z').getDayOfWeek() == 5",
		 "timestamp('1969-12-31T23:59:59Z').getDayOfWeek() == 3",
		 "timestamp('1969-12-31T23:59:59Z').getSeconds() == 59");
}

static void
takes_them_apart_in_a_zone(void **state)
{
	(void)state;
	ALL_TRUE("timestamp(1234567890).getDate('Australia/Sydney') == 14",
		 "timestamp(1234567890).getHours('02:00') == 1",
		 "timestamp(1234567890).getHours('+02:00') == 1",
		 "timestamp(1234567890).getHours('-02:30') == 21",
		 "timestamp(1234567890).getMinutes('-02:30') == 1",
		 "timestamp(1234567890).getMinutes('Asia/Kathmandu') == 16",
		 "timestamp(1234567890).getHours('UTC') == 23",
		 "timestamp(1234567890).getHours('US/Central') == 17",
		 "timestamp('2024-07-01T12:00:00Z').getHours('Europe/Berlin') == 14",
		 "timestamp('2024-01-01T12:00:00Z').getHours('Europe/Berlin') == 13",
		 "timestamp('9999-12-31T23:59:59Z').getFullYear('+00:01') == 10000",
		 "timestamp('0001-01-01T00:00:00Z').getFullYear('-00:01') == 0",
		 "timestamp('0001-01-01T00:00:00Z').getDayOfYear('-00:01') == 365",
		 "timestamp(1234567890).getMilliseconds('Europe/Berlin') == 0");
	ALL_FAIL("conversion", "timestamp(0).getHours('')", "timestamp(0).getHours('Europe/Atlantis')",
		 "timestamp(0).getHours('../../etc/passwd')", "timestamp(0).getHours('/etc/localtime')",
		 "timestamp(0).getHours('utc')", "timestamp(0).getHours('+2:00')",
		 "timestamp(0).getHours('+02')", "timestamp(0).getHours('+24:00')",
		 "timestamp(0).getHours('+02:60')", "timestamp(0).getHours('+02:00 ')",
		 "timestamp(0).getHours('+-02:00')", "timestamp(0).getMilliseconds('Atlantis')");
	ALL_FAIL("no_such_overload", "timestamp(0).getHours(dyn(1))", "dyn(1).getHours()");
}

static void
says_durations_in_units(void **state)
{
	(void)state;
	ALL_TRUE("duration('10000s').getHours() == 2", "duration('3730s').getMinutes() == 62",
		 "duration('3730s').getSeconds() == 3730",
		 "duration('123.321456789s').getMilliseconds() == 321", "duration('-90m').getHours() == -1",
		 "duration('-1.5s').getMilliseconds() == -500");
	ALL_FAIL("no_such_overload", "dyn(duration('1s')).getFullYear()",
		 "dyn(duration('1s')).getHours('UTC')");
}

static void
writes_them_as_text(void **state)
{
	(void)state;
	ALL_TRUE("string(timestamp('2009-02-14T00:31:30+01:00')) == '2009-02-13T23:31:30Z'",
		 "string(timestamp('2009-02-13T23:31:30.120Z')) == '2009-02-13T23:31:30.12Z'",
		 "string(timestamp('0001-01-01T00:00:00.000000001Z')) == '0001-01-01T00:00:00.000000001Z'",
		 "string(timestamp('9999-12-31T23:59:59.999999999Z')) == '9999-12-31T23:59:59.999999999Z'",
		 "string(duration('1h30m')) == '5400s'", "string(duration('0')) == '0s'",
		 "string(duration('1m1ms')) == '60.001s'", "string(duration('-1ns')) == '-0.000000001s'",
		 "string(duration('-9223372036854775808ns')) == '-9223372036.854775808s'",
		 "int(timestamp('1969-12-31T23:59:59.5Z')) == -1", "int(timestamp(1234567890)) == 1234567890",
		 "int(duration('1us')) == 1000");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(reads_rfc_3339),
	    cmocka_unit_test(refuses_what_is_no_time),
	    cmocka_unit_test(reads_durations),
	    cmocka_unit_test(refuses_what_is_no_duration),
	    cmocka_unit_test(adds_and_subtracts_within_range),
	    cmocka_unit_test(takes_timestamps_apart),
	    cmocka_unit_test(takes_them_apart_in_a_zone),
	    cmocka_unit_test(says_durations_in_units),
	    cmocka_unit_test(writes_them_as_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
