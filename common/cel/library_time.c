/* SPDX-License-Identifier: Apache-2.0 */
/* library_time.c - timestamp and duration: making them, their arithmetic, their parts, their text. */
#include "common/cel/function.h"
#include "common/cel/time.h"

/* --- conversions --- */

static struct cel_value
unchanged(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)machine;
	(void)count;
	return arguments[0];
}

static struct cel_value
timestamp_of_string(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	struct cel_value value;
	enum cel_code code;

	(void)count;
	if (!cel_charge_bytes(machine, arguments[0].extra))
		return cel_fail(machine, CEL_COST, NULL);
	code = cel_timestamp_parse(arguments[0].as.bytes, arguments[0].extra, &value);
	if (code == CEL_RANGE)
		return cel_fail(machine, code, "a timestamp lies in the years 1 to 9999");
	if (code != CEL_OK)
		return cel_fail(machine, code, "no timestamp: expected RFC 3339, like '2026-01-31T12:00:00Z'");
	return value;
}

static struct cel_value
timestamp_of_int(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)count;
	if (arguments[0].as.integer < CEL_SECONDS_LEAST || arguments[0].as.integer > CEL_SECONDS_MOST)
		return cel_fail(machine, CEL_RANGE, "a timestamp lies in the years 1 to 9999");
	return cel_timestamp(arguments[0].as.integer, 0);
}

static struct cel_value
duration_of_string(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	struct cel_value value;
	enum cel_code code;

	(void)count;
	if (!cel_charge_bytes(machine, arguments[0].extra))
		return cel_fail(machine, CEL_COST, NULL);
	code = cel_duration_parse(arguments[0].as.bytes, arguments[0].extra, &value);
	if (code == CEL_RANGE)
		return cel_fail(machine, code, "a duration is shorter than 293 years");
	if (code != CEL_OK)
		return cel_fail(
		    machine, code,
		    "no duration: expected numbers with the units h, m, s, ms, us, ns, like '1h30m'");
	return value;
}

static struct cel_value
string_of_timestamp(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	char text[CEL_TIME_TEXT_SIZE];

	(void)count;
	return cel_make_string(machine, text, cel_timestamp_text(arguments[0], text));
}

static struct cel_value
string_of_duration(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	char text[CEL_TIME_TEXT_SIZE];

	(void)count;
	return cel_make_string(machine, text, cel_duration_text(arguments[0], text));
}

/* Of a timestamp its seconds, of a duration its nanoseconds: it is what the value holds. */
static struct cel_value
int_of_time(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)machine;
	(void)count;
	return cel_int(arguments[0].as.integer);
}

/* --- arithmetic --- */

static struct cel_value
make_timestamp(struct cel_machine *machine, __int128 nanoseconds)
{
	int64_t seconds;

	if (nanoseconds < (__int128)CEL_SECONDS_LEAST * CEL_NANOSECONDS
	    || nanoseconds >= ((__int128)CEL_SECONDS_MOST + 1) * CEL_NANOSECONDS)
		return cel_fail(machine, CEL_RANGE, "a timestamp lies in the years 1 to 9999");
	seconds = (int64_t)(nanoseconds / CEL_NANOSECONDS);
	if (nanoseconds % CEL_NANOSECONDS < 0)
		seconds--;
	return cel_timestamp(seconds, (uint32_t)(nanoseconds - (__int128)seconds * CEL_NANOSECONDS));
}

static struct cel_value
make_duration(struct cel_machine *machine, __int128 nanoseconds)
{
	if (nanoseconds < INT64_MIN || nanoseconds > INT64_MAX)
		return cel_fail(machine, CEL_RANGE, "a duration is shorter than 293 years");
	return cel_duration((int64_t)nanoseconds);
}

static __int128
nanoseconds_of(struct cel_value value)
{
	return value.kind == CEL_DURATION
		   ? value.as.integer
		   : (__int128)value.as.integer * CEL_NANOSECONDS + (int64_t)value.extra;
}

static struct cel_value
add_to_timestamp(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)count;
	return make_timestamp(machine, nanoseconds_of(arguments[0]) + nanoseconds_of(arguments[1]));
}

static struct cel_value
add_durations(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)count;
	return make_duration(machine, nanoseconds_of(arguments[0]) + nanoseconds_of(arguments[1]));
}

static struct cel_value
subtract_from_timestamp(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)count;
	return make_timestamp(machine, nanoseconds_of(arguments[0]) - nanoseconds_of(arguments[1]));
}

static struct cel_value
subtract_to_duration(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)count;
	return make_duration(machine, nanoseconds_of(arguments[0]) - nanoseconds_of(arguments[1]));
}

/* --- parts of a timestamp: in UTC, or in the zone that the second argument names --- */

enum part {
	YEAR,
	MONTH,
	DATE,
	DAY_OF_MONTH,
	DAY_OF_WEEK,
	DAY_OF_YEAR,
	HOURS,
	MINUTES,
	SECONDS,
	MILLISECONDS
};

static int64_t
part_of(const struct cel_calendar *date, uint32_t nanoseconds, enum part part)
{
	const int64_t parts[] = {
	    [YEAR] = date->year,
	    [MONTH] = date->month - 1,
	    [DATE] = date->day,
	    [DAY_OF_MONTH] = date->day - 1,
	    [DAY_OF_WEEK] = date->day_of_week,
	    [DAY_OF_YEAR] = date->day_of_year,
	    [HOURS] = date->hour,
	    [MINUTES] = date->minute,
	    [SECONDS] = date->second,
	    [MILLISECONDS] = nanoseconds / 1000000,
	};

	return parts[part];
}

static struct cel_value
get(struct cel_machine *machine, const struct cel_value *arguments, size_t count, enum part part)
{
	struct cel_calendar date;
	int32_t offset = 0;

	if (count == 2
	    && !cel_zone_offset(arguments[1].as.bytes, arguments[1].extra, arguments[0].as.integer, &offset))
		return cel_fail(
		    machine, CEL_CONVERSION,
		    "no time zone: expected a name like 'Europe/Paris' or an offset like '+02:00'");
	date = cel_calendar(arguments[0].as.integer + offset);
	return cel_int(part_of(&date, arguments[0].extra, part));
}

static struct cel_value
get_year(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	return get(machine, arguments, count, YEAR);
}

static struct cel_value
get_month(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	return get(machine, arguments, count, MONTH);
}

static struct cel_value
get_date(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	return get(machine, arguments, count, DATE);
}

static struct cel_value
get_day_of_month(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	return get(machine, arguments, count, DAY_OF_MONTH);
}

static struct cel_value
get_day_of_week(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	return get(machine, arguments, count, DAY_OF_WEEK);
}

static struct cel_value
get_day_of_year(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	return get(machine, arguments, count, DAY_OF_YEAR);
}

static struct cel_value
get_hours(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	return get(machine, arguments, count, HOURS);
}

static struct cel_value
get_minutes(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	return get(machine, arguments, count, MINUTES);
}

static struct cel_value
get_seconds(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	return get(machine, arguments, count, SECONDS);
}

static struct cel_value
get_milliseconds(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	return get(machine, arguments, count, MILLISECONDS);
}

/* --- a duration in units; its milliseconds are those of the last second --- */

static struct cel_value
duration_hours(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)machine;
	(void)count;
	return cel_int(arguments[0].as.integer / (3600 * CEL_NANOSECONDS));
}

static struct cel_value
duration_minutes(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)machine;
	(void)count;
	return cel_int(arguments[0].as.integer / (60 * CEL_NANOSECONDS));
}

static struct cel_value
duration_seconds(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)machine;
	(void)count;
	return cel_int(arguments[0].as.integer / CEL_NANOSECONDS);
}

static struct cel_value
duration_milliseconds(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)machine;
	(void)count;
	return cel_int(arguments[0].as.integer / 1000000 % 1000);
}

const struct cel_overload cel_library_time[] = {
    {"timestamp", "(string):timestamp", timestamp_of_string},
    {"timestamp", "(int):timestamp", timestamp_of_int},
    {"timestamp", "(timestamp):timestamp", unchanged},
    {"duration", "(string):duration", duration_of_string},
    {"duration", "(duration):duration", unchanged},
    {"string", "(timestamp):string", string_of_timestamp},
    {"string", "(duration):string", string_of_duration},
    {"int", "(timestamp):int", int_of_time},
    {"int", "(duration):int", int_of_time},
    {"_+_", "(timestamp,duration):timestamp", add_to_timestamp},
    {"_+_", "(duration,timestamp):timestamp", add_to_timestamp},
    {"_+_", "(duration,duration):duration", add_durations},
    {"_-_", "(timestamp,timestamp):duration", subtract_to_duration},
    {"_-_", "(timestamp,duration):timestamp", subtract_from_timestamp},
    {"_-_", "(duration,duration):duration", subtract_to_duration},
    {"getFullYear", "timestamp.():int", get_year},
    {"getFullYear", "timestamp.(string):int", get_year},
    {"getMonth", "timestamp.():int", get_month},
    {"getMonth", "timestamp.(string):int", get_month},
    {"getDate", "timestamp.():int", get_date},
    {"getDate", "timestamp.(string):int", get_date},
    {"getDayOfMonth", "timestamp.():int", get_day_of_month},
    {"getDayOfMonth", "timestamp.(string):int", get_day_of_month},
    {"getDayOfWeek", "timestamp.():int", get_day_of_week},
    {"getDayOfWeek", "timestamp.(string):int", get_day_of_week},
    {"getDayOfYear", "timestamp.():int", get_day_of_year},
    {"getDayOfYear", "timestamp.(string):int", get_day_of_year},
    {"getHours", "timestamp.():int", get_hours},
    {"getHours", "timestamp.(string):int", get_hours},
    {"getMinutes", "timestamp.():int", get_minutes},
    {"getMinutes", "timestamp.(string):int", get_minutes},
    {"getSeconds", "timestamp.():int", get_seconds},
    {"getSeconds", "timestamp.(string):int", get_seconds},
    {"getMilliseconds", "timestamp.():int", get_milliseconds},
    {"getMilliseconds", "timestamp.(string):int", get_milliseconds},
    {"getHours", "duration.():int", duration_hours},
    {"getMinutes", "duration.():int", duration_minutes},
    {"getSeconds", "duration.():int", duration_seconds},
    {"getMilliseconds", "duration.():int", duration_milliseconds},
    {0},
};
