/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resolver_tick.c - what happens by time: the shelf is drained, what time does to approvals is done. Each turn is a transaction of its
 * own that can be run again; two instances may do the same at once.
 */
#include "services/resolver/resolver.h"
#include "common/clock/clock.h"

#include <time.h>

#define SECOND INT64_C(1000000)
enum { AT_ONCE = 100 };

/* ------------------------------------------------------------------ overdue approvals */

static bool
find_overdue(struct work *work, const char ***ids, size_t *count, struct error *error)
{
	struct store_param limit = store_int(AT_ONCE);
	struct store_rows *rows =
	    store_query(work->store, work->arena, STATEMENT_RESOLVER_OVERDUE, &limit, 1, error);

	if (!rows)
		return false;
	*count = store_rows_count(rows);
	*ids = arena_take_array(work->arena, *count, sizeof **ids);
	for (size_t i = 0; i < *count; i++)
		(*ids)[i] = store_row_text(rows, i, 0);
	return true;
}

static bool
expire(struct resolver *resolver, struct work *work, const char *const *ids, size_t count, struct error *error)
{
	struct resolver_approvals approvals;

	if (!resolver_load(work, ids, count, &approvals, error) || !work_now(work, error))
		return false;

	struct resolver_effects effects = resolver_effects_open(resolver, work, 0);

	if (!resolver_foresee(&effects, &approvals, error))
		return false;
	for (size_t i = 0; i < approvals.count; i++)
		if (!resolver_apply_deadline(&effects, &approvals.items[i], error))
			return false;
	return resolver_effects_send(&effects, &approvals, error);
}

static bool
sweep(struct resolver *resolver, struct arena *arena, bool *again, struct error *error)
{
	struct work work;
	const char **ids;
	size_t count = 0;

	journal_begin(resolver->journal);

	/* what meets a question may be due by time: it is decided again, and policies are locked before approvals */
	bool ok = work_begin(resolver->context, arena, &work, error)
		  && snapshot_refresh(resolver->snapshot, &work, error)
		  && find_overdue(&work, &ids, &count, error)
		  && (count == 0 || expire(resolver, &work, ids, count, error));

	*again = *again || count >= AT_ONCE;
	return journal_finish(resolver->journal, &work, ok, count > 0, error);
}

/* ------------------------------------------------------------------ the shelf */

/* As handle does, but for their age: it was looked at when they were put there. */
bool
resolver_apply_shelved(void *state, struct work *work, const struct record *records, size_t count,
		       struct error *error)
{
	struct resolver *resolver = state;
	struct resolver_intake intake;

	if (!resolver_intake(resolver, work, records, count, true, &intake, error) || !work_now(work, error))
		return false;

	struct resolver_effects effects = resolver_effects_open(resolver, work, count);

	return resolver_foresee(&effects, &intake.approvals, error) && resolver_apply(&effects, &intake, error)
	       && resolver_effects_send(&effects, &intake.approvals, error);
}

bool
resolver_give_up(void *state, struct work *work, const struct record *records, size_t count, struct error *error)
{
	struct resolver *resolver = state;
	struct error reason = {0};
	bool ok = work_now(work, error);

	error_set_field(&reason, ERROR_INVALID, "request_unknown", "request_id",
			"no such request came in time");
	for (size_t i = 0; ok && i < count; i++) {
		struct response response;
		struct error ignored = {0};
		bool readable = response_parse(work->arena, &records[i], &response, &ignored);

		journal_count(resolver->journal, "responses_refused_total", reason.code);
		ok = work_quarantine(work, &records[i], &reason, readable ? response.tenant : NULL,
				     readable ? response.request_id : NULL, error);
	}
	return ok;
}

/* ------------------------------------------------------------------ gauges */

static bool
gauge(struct resolver *resolver, struct arena *arena, struct error *error)
{
	struct monitor *monitor = resolver->context->monitor;
	struct work work;
	struct store_rows *rows = NULL;

	journal_begin(resolver->journal);
	if (work_begin(resolver->context, arena, &work, error))
		rows = store_query(work.store, arena, STATEMENT_RESOLVER_OPEN, NULL, 0, error);
	if (rows) {
		monitor_set(monitor, "approvals_open", "", (double)store_row_int(rows, 0, 0));
		monitor_set(monitor, "approvals_held", "", (double)store_row_int(rows, 0, 2));
		monitor_set(monitor, "approvals_oldest_open_seconds", "", store_row_real(rows, 0, 1));
	}
	return journal_finish(resolver->journal, &work, rows != NULL, false, error);
}

/* ------------------------------------------------------------------ the tick */

bool
resolver_tick(void *state, struct arena *arena, bool *again, struct error *error)
{
	struct resolver *resolver = state;

	if (!sweep(resolver, arena, again, error))
		return false;
	arena_reset(arena);
	if (!shelf_tend(&resolver->shelf, arena, again, error))
		return false;
	if (clock_monotonic() < resolver->gauge_at)
		return true;
	resolver->gauge_at = clock_monotonic() + 5 * SECOND;
	return gauge(resolver, arena, error);
}
