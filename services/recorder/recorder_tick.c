/* SPDX-License-Identifier: Apache-2.0 */
/* recorder_tick.c - what happens by time: the shelf, raw bytes and limits whose time is over, grants that nobody reported on. */
#include "services/recorder/recorder.h"
#include "common/clock/clock.h"

#include <time.h>

#define SECOND INT64_C(1000000)
enum { AT_ONCE = 100 };

/* ------------------------------------------------------------------ what is over */

static bool
forget(struct recorder *recorder, struct arena *arena, enum statement statement, bool *again,
       struct error *error)
{
	struct store_param limit = store_int(AT_ONCE);
	struct store_rows *rows = NULL;
	struct work work;
	size_t count = 0;

	journal_begin(recorder->journal);
	if (work_begin(recorder->context, arena, &work, error))
		rows = store_query(work.store, arena, statement, &limit, 1, error);
	if (rows)
		count = store_rows_count(rows);
	*again = *again || count == AT_ONCE;
	recorder->forget_at = count == AT_ONCE ? 0 : recorder->forget_at;
	return journal_finish(recorder->journal, &work, rows != NULL, count > 0, error);
}

static bool
forget_all(struct recorder *recorder, struct arena *arena, bool *again, struct error *error)
{
	recorder->forget_at = clock_monotonic() + 60 * SECOND;
	return forget(recorder, arena, STATEMENT_RECORDER_FORGET_RAW, again, error)
	       && forget(recorder, arena, STATEMENT_RECORDER_FORGET_LIMITS, again, error);
}

/* ------------------------------------------------------------------ authorized, never reported */

static bool
report_unreported(struct recorder *recorder, struct work *work, const struct store_rows *rows,
		  struct error *error)
{
	struct sheet incidents = recorder_incidents_open(work);

	for (size_t row = 0; row < store_rows_count(rows); row++) {
		const char *event_id = store_row_text(rows, row, 2);
		struct recorder_incident incident = {
		    .tenant = store_row_text(rows, row, 0),
		    .request_id = store_row_text(rows, row, 1),
		    .kind = "authorized_never_reported",
		    .severity = "low",
		    .text = "An authorization has ended and nobody has reported what became of it.",
		    .discriminator = event_id,
		    .evidence = &event_id,
		    .evidence_count = 1,
		    .traceparent = store_row_text(rows, row, 3),
		};

		if (!recorder_report(recorder, work, &incidents, &incident, error))
			return false;
	}
	return sheet_send(&incidents, work->store, error);
}

/* A span of days need not be looked at every few seconds. */
static int64_t
pause_of(int64_t report_within)
{
	int64_t pause = report_within / 100;

	return pause < 10 * SECOND ? 10 * SECOND : pause > 600 * SECOND ? 600 * SECOND : pause;
}

/* What ended before the last look without anything left over need not be looked at again: nothing ends in the past. */
static bool
find_unreported(struct recorder *recorder, struct arena *arena, bool *again, struct error *error)
{
	struct store_rows *rows = NULL;
	struct work work;
	int64_t until = 0;

	journal_begin(recorder->journal);
	if (work_begin(recorder->context, arena, &work, error) && work_now(&work, error)) {
		until = work.now - recorder->config->report_within;

		const struct store_param params[] = {store_time(recorder->reported_until), store_time(until),
						     store_int(AT_ONCE)};

		rows = store_query(work.store, arena, STATEMENT_RECORDER_UNREPORTED, params, 3, error);
	}

	size_t count = rows ? store_rows_count(rows) : 0;
	bool ok = rows && (count == 0 || report_unreported(recorder, &work, rows, error));

	ok = journal_finish(recorder->journal, &work, ok, count > 0, error);
	if (ok && count < AT_ONCE)
		recorder->reported_until = until;
	*again = *again || (ok && count == AT_ONCE);
	recorder->unreported_at =
	    count == AT_ONCE ? 0 : clock_monotonic() + pause_of(recorder->config->report_within);
	return ok;
}

/* ------------------------------------------------------------------ the tick */

bool
recorder_tick(void *state, struct arena *arena, bool *again, struct error *error)
{
	struct recorder *recorder = state;

	if (!shelf_tend(&recorder->shelf, arena, again, error))
		return false;
	if (clock_monotonic() >= recorder->forget_at && !forget_all(recorder, arena, again, error))
		return false;
	arena_reset(arena);
	if (recorder->config->report_within == 0 || clock_monotonic() < recorder->unreported_at)
		return true;
	return find_unreported(recorder, arena, again, error);
}
