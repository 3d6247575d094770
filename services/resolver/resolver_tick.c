/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resolver_tick.c - what happens by time: the shelf is drained, overdue approvals expire. Each turn is a transaction of its
 * own that can be run again; two instances may do the same at once.
 */
#include "services/resolver/resolver.h"

#include <string.h>
#include <time.h>

#define SECOND INT64_C(1000000)
enum { AT_ONCE = 100, DRAIN_EVERY = 200 * 1000 };

static int64_t
clock_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * SECOND + now.tv_nsec / 1000;
}

/* Ends a turn: commits what it did, or leaves everything as it was. */
static bool
finish(struct resolver *resolver, struct work *work, bool ok, bool anything, struct error *error)
{
	bool done = ok && anything && work_commit(work, error);

	if (done)
		journal_publish(resolver->journal);
	else
		work_rollback(work);
	return done || (ok && !anything);
}

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
	bool ok = work_begin(resolver->context, arena, &work, error)
		  && find_overdue(&work, &ids, &count, error)
		  && (count == 0 || expire(resolver, &work, ids, count, error));

	*again = *again || count == AT_ONCE;
	return finish(resolver, &work, ok, count > 0, error);
}

/* ------------------------------------------------------------------ the shelf */

static bool
apply(struct resolver *resolver, struct work *work, const struct shelf_taken *taken, struct error *error)
{
	struct resolver_intake intake;

	if (!resolver_intake(resolver, work, taken->records, taken->count, true, &intake, error)
	    || !work_now(work, error))
		return false;

	struct resolver_effects effects = resolver_effects_open(resolver, work, taken->count);

	return resolver_apply(&effects, &intake, error)
	       && resolver_effects_send(&effects, &intake.approvals, error);
}

static bool
is_same(const struct record *left, const struct record *right)
{
	return left->offset == right->offset && left->partition == right->partition
	       && strcmp(left->topic, right->topic) == 0;
}

/* A record that fails alone is refused for the reason for which it failed; if it is still there, another instance may have it. */
static bool
set_aside(struct resolver *resolver, struct arena *arena, const struct record *failing,
	  const struct error *reason, struct error *error)
{
	struct shelf_taken taken = {0};
	struct work work;
	bool ok =
	    work_begin(resolver->context, arena, &work, error) && shelf_take_known(&work, 1, &taken, error);
	bool there = ok && taken.count == 1 && is_same(taken.records, failing);

	if (there)
		ok = work_now(&work, error) && work_quarantine(&work, taken.records, reason, NULL, NULL, error);
	return finish(resolver, &work, ok, there, error);
}

static bool
drain_once(struct resolver *resolver, struct arena *arena, struct shelf_taken *taken, struct error *error)
{
	struct work work;
	bool ok = work_begin(resolver->context, arena, &work, error)
		  && shelf_take_known(&work, resolver->drain_limit, taken, error)
		  && (taken->count == 0 || apply(resolver, &work, taken, error));

	return finish(resolver, &work, ok, taken->count > 0, error);
}

/* All together as long as that goes well; after a failure one by one, until one by one goes well. */
static bool
drain(struct resolver *resolver, struct arena *arena, bool *again, struct error *error)
{
	struct shelf_taken taken = {0};
	struct error reason = {0};
	size_t limit = resolver->drain_limit;

	journal_begin(resolver->journal);
	if (drain_once(resolver, arena, &taken, &reason)) {
		*again = *again || taken.count == limit;
		resolver->drain_limit = AT_ONCE;
		return true;
	}
	journal_begin(resolver->journal);
	if (reason.kind == ERROR_INVALID && taken.count == 1)
		return set_aside(resolver, arena, taken.records, &reason, error);
	if (reason.kind == ERROR_INVALID || reason.kind == ERROR_CONFLICT) {
		resolver->drain_limit = 1;
		*again = *again || limit > 1;
		return true;
	}
	*error = reason;
	return false;
}

static bool
give_up(struct resolver *resolver, struct work *work, const struct shelf_taken *taken, struct error *error)
{
	struct error reason = {0};
	bool ok = work_now(work, error);

	error_set_field(&reason, ERROR_INVALID, "request_unknown", "request_id",
			"no such request came in time");
	for (size_t i = 0; ok && i < taken->count; i++) {
		struct response response;
		struct error ignored = {0};
		bool readable = response_parse(work->arena, &taken->records[i], &response, &ignored);

		journal_count(resolver->journal, "responses_refused_total", reason.code);
		ok = work_quarantine(work, &taken->records[i], &reason, readable ? response.tenant : NULL,
				     readable ? response.request_id : NULL, error);
	}
	return ok;
}

static bool
clear_shelf(struct resolver *resolver, struct arena *arena, bool *again, struct error *error)
{
	struct shelf_taken taken = {0};
	struct work work;

	journal_begin(resolver->journal);

	bool ok = work_begin(resolver->context, arena, &work, error)
		  && shelf_take_overdue(&work, resolver->config->shelf_limit, AT_ONCE, &taken, error)
		  && (taken.count == 0 || give_up(resolver, &work, &taken, error));

	*again = *again || taken.count == AT_ONCE;
	return finish(resolver, &work, ok, taken.count > 0, error);
}

/* ------------------------------------------------------------------ gauges */

static bool
gauge(struct resolver *resolver, struct arena *arena, struct error *error)
{
	struct monitor *monitor = resolver->context->monitor;
	struct work work;
	struct store_rows *rows = NULL;

	if (work_begin(resolver->context, arena, &work, error))
		rows = store_query(work.store, arena, STATEMENT_RESOLVER_OPEN, NULL, 0, error);
	if (rows) {
		monitor_set(monitor, "approvals_open", "", (double)store_row_int(rows, 0, 0));
		monitor_set(monitor, "approvals_oldest_open_seconds", "", store_row_real(rows, 0, 1));
	}
	work_rollback(&work);
	return rows != NULL;
}

/* ------------------------------------------------------------------ the tick */

/* A shelf that takes long to look through is looked at less often. */
static bool
tend_shelf(struct resolver *resolver, struct arena *arena, bool *again, struct error *error)
{
	int64_t begun = clock_now();
	bool ok = drain(resolver, arena, again, error);

	arena_reset(arena);
	ok = ok && clear_shelf(resolver, arena, again, error);
	arena_reset(arena);
	resolver->drain_at = *again ? 0 : begun + DRAIN_EVERY + 10 * (clock_now() - begun);
	return ok;
}

bool
resolver_tick(void *state, struct arena *arena, bool *again, struct error *error)
{
	struct resolver *resolver = state;

	journal_begin(resolver->journal);
	if (!sweep(resolver, arena, again, error))
		return false;
	arena_reset(arena);
	if (clock_now() >= resolver->drain_at && !tend_shelf(resolver, arena, again, error))
		return false;
	if (clock_now() < resolver->gauge_at)
		return true;
	resolver->gauge_at = clock_now() + 5 * SECOND;
	return gauge(resolver, arena, error);
}
