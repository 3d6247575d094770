/* SPDX-License-Identifier: Apache-2.0 */
/*
 * service_time.c - the database's time is the only one that deadlines go by, and it must not go back: what was over would
 * be open again. A small step back is no time at all, as in a leap second; after a large one, such as a fail-over to a
 * host with another clock, nothing is decided before the time that was seen is reached again.
 */
#include "common/service/service_private.h"
#include "common/clock/clock.h"

#define SECOND INT64_C(1000000)
enum { LEAST = 5 * 1000 * 1000, LOOK_EVERY = 1000 * 1000, ALARM_EVERY = 60 * 1000 * 1000 };

bool
service_time_take(struct service_time *time, int64_t *now, struct error *error)
{
	time->behind = time->latest > *now ? time->latest - *now : 0;
	if (time->behind > LEAST)
		return error_set(
		    error, ERROR_UNAVAILABLE, "clock_back",
		    "the clock of the database stands %lld s before a time that it showed earlier",
		    (long long)(time->behind / SECOND));
	if (time->behind > 0)
		*now = time->latest;
	time->latest = *now;
	return true;
}

/* ------------------------------------------------------------------ the look */

/* What it shows, and the latest time that it showed to whoever moved a position: also before we were started. */
static bool
look(struct service_loop *loop, int64_t *now, struct error *error)
{
	struct service_time *time = &loop->time;
	struct store_rows *rows =
	    store_query(loop->context.store, loop->arena, STATEMENT_SERVICE_TIME, NULL, 0, error);

	if (!rows)
		return false;
	*now = store_row_time(rows, 0, 0);
	if (time->latest < store_row_time(rows, 0, 1))
		time->latest = store_row_time(rows, 0, 1);
	return true;
}

static void
tell(struct service_loop *loop, const struct error *error)
{
	bool good = error->kind == ERROR_NONE;

	monitor_set(loop->context.monitor, "database_clock_behind_seconds", "",
		    (double)loop->time.behind / (double)SECOND);
	monitor_ready(loop->context.monitor, "clock", good, error->text);
	if (!good && clock_monotonic() >= loop->time.alarm_at) {
		log_error(&loop->log, "database_clock_back", log_text("reason", error->text),
			  log_number("behind_ms", loop->time.behind / 1000));
		loop->time.alarm_at = clock_monotonic() + ALARM_EVERY;
	}
	if (good && loop->time.held)
		log_info(&loop->log, "database_clock_good");
	if (good)
		loop->time.alarm_at = 0;
	loop->time.held = !good;
}

bool
service_time_good(struct service_loop *loop)
{
	struct error error = {0};
	int64_t now;
	bool seen;

	if (!loop->consumer || clock_monotonic() < loop->time.look_at)
		return !loop->time.held;
	seen = look(loop, &now, &error);
	arena_reset(loop->arena);
	if (!seen) {
		if (error.kind == ERROR_BROKEN)
			loop->broken = error;
		else
			service_database_away(loop, &error);
		return false;
	}
	if (service_time_take(&loop->time, &now, &error))
		error_clear(&error);
	tell(loop, &error);
	loop->time.look_at = clock_monotonic() + LOOK_EVERY;
	return !loop->time.held;
}
