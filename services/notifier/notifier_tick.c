/* SPDX-License-Identifier: Apache-2.0 */
/* notifier_tick.c - due deliveries are claimed, and sent when the claim is committed; what can't be sent any more is ended. */
#include "services/notifier/notifier.h"
#include "common/clock/clock.h"

#include <assert.h>
#include <string.h>

#define SECOND INT64_C(1000000)
enum { BURY_AT_ONCE = 1000 };

/* ------------------------------------------------------------------ claims */

/* The targets that can take more now, as columns of the statement. */
struct lanes {
	const char **channels, **targets;
	int64_t *rooms, *leases;
	size_t count;
};

static struct lanes
open_lanes(const struct notifier *notifier, struct arena *arena)
{
	size_t all = notifier->targets.count;
	struct lanes lanes = {
	    .channels = arena_take_array(arena, all, sizeof *lanes.channels),
	    .targets = arena_take_array(arena, all, sizeof *lanes.targets),
	    .rooms = arena_take_array(arena, all, sizeof *lanes.rooms),
	    .leases = arena_take_array(arena, all, sizeof *lanes.leases),
	};

	for (size_t i = 0; i < all; i++) {
		const struct target *target = &notifier->targets.items[i];
		size_t room = sender_room(notifier->sender, i);

		if (room == 0 || notifier->rest_until[i] > clock_monotonic())
			continue;
		lanes.channels[lanes.count] = target->channel->name;
		lanes.targets[lanes.count] = target->name;
		lanes.rooms[lanes.count] = (int64_t)room;
		lanes.leases[lanes.count++] =
		    target->channel->longest(&notifier->settings) + notifier->config->lease;
	}
	return lanes;
}

/* Everything is copied: the attempt outlives the transaction. */
static void
start(struct notifier *notifier, const struct store_rows *rows, size_t row)
{
	struct arena *arena = arena_open();
	struct attempt *attempt = arena_take(arena, sizeof *attempt);
	struct store_bytes body = store_row_bytes(rows, row, 9);
	int lane = targets_find(&notifier->targets, store_row_text(rows, row, 4), store_row_text(rows, row, 5));

	assert(lane >= 0);
	attempt->arena = arena;
	attempt->lane = (size_t)lane;
	attempt->channel = notifier->targets.items[lane].channel;
	attempt->n = store_row_int(rows, row, 7);
	attempt->epoch = store_row_int(rows, row, 8);
	attempt->send = (struct channel_send){
	    .settings = &notifier->settings,
	    .target = &notifier->targets.items[lane],
	    .delivery_id = arena_string(arena, store_row_text(rows, row, 0)),
	    .approval_id = arena_string(arena, store_row_text(rows, row, 1)),
	    .tenant = arena_string(arena, store_row_text(rows, row, 2)),
	    .request_id = arena_string(arena, store_row_text(rows, row, 3)),
	    .kind = arena_string(arena, store_row_text(rows, row, 6)),
	    .body = arena_copy(arena, body.bytes, body.length),
	    .length = body.length,
	};
	sender_start(notifier->sender, attempt);
}

static bool
claim(struct notifier *notifier, struct arena *arena, bool *again, struct error *error)
{
	struct lanes lanes = open_lanes(notifier, arena);
	const struct store_param params[] = {
	    store_text_list(lanes.channels, lanes.count), store_text_list(lanes.targets, lanes.count),
	    store_int_list(lanes.rooms, lanes.count), store_int_list(lanes.leases, lanes.count),
	    store_int(notifier->config->attempts)};
	struct store_rows *rows = NULL;
	struct work work;

	if (lanes.count == 0)
		return true;
	journal_begin(notifier->journal);
	if (work_begin(notifier->context, arena, &work, error))
		rows = store_query(work.store, arena, STATEMENT_NOTIFIER_CLAIM, params, 5, error);

	size_t count = rows ? store_rows_count(rows) : 0;

	if (!journal_finish(notifier->journal, &work, rows != NULL, count > 0, error))
		return false;
	for (size_t row = 0; row < count; row++)
		start(notifier, rows, row);
	*again = *again || count > 0;
	return true;
}

/* ------------------------------------------------------------------ ends */

static void
note_buried(struct notifier *notifier, const struct store_rows *rows)
{
	for (size_t row = 0; row < store_rows_count(rows); row++) {
		const char *channel = store_row_text(rows, row, 2);

		journal_count(notifier->journal, "deliveries_total",
			      arena_format(notifier->scratch, "%s\ndead", channel));
		journal_warn(notifier->journal, "given_up", log_text("code", store_row_text(rows, row, 5)),
			     log_text("delivery_id", store_row_text(rows, row, 0)),
			     log_text("approval_id", store_row_text(rows, row, 1)),
			     log_text("channel", channel), log_text("target", store_row_text(rows, row, 3)),
			     log_text("kind", store_row_text(rows, row, 4)));
	}
	arena_reset(notifier->scratch);
}

static bool
bury(struct notifier *notifier, struct arena *arena, bool *again, struct error *error)
{
	const struct store_param params[] = {store_int(notifier->config->attempts), store_int(BURY_AT_ONCE)};
	struct store_rows *rows = NULL;
	struct work work;

	if (clock_monotonic() < notifier->bury_at)
		return true;
	journal_begin(notifier->journal);
	if (work_begin(notifier->context, arena, &work, error))
		rows = store_query(work.store, arena, STATEMENT_NOTIFIER_BURY, params, 2, error);

	size_t count = rows ? store_rows_count(rows) : 0;

	if (rows)
		note_buried(notifier, rows);
	notifier->bury_at = clock_monotonic() + SECOND;
	*again = *again || count == BURY_AT_ONCE;
	return journal_finish(notifier->journal, &work, rows != NULL, count > 0, error);
}

/* ------------------------------------------------------------------ gauges */

static bool
look(struct notifier *notifier, struct arena *arena, enum statement statement, struct store_rows **rows,
     struct error *error)
{
	struct work work;

	*rows = NULL;
	if (work_begin(notifier->context, arena, &work, error))
		*rows = store_query(work.store, arena, statement, NULL, 0, error);
	work_rollback(&work);
	return *rows != NULL;
}

/* The dead are counted seldom: nobody deletes them, and there is no index that would make it cheap. */
static bool
gauge(struct notifier *notifier, struct arena *arena, struct error *error)
{
	struct monitor *monitor = notifier->context->monitor;
	struct store_rows *rows;

	if (clock_monotonic() >= notifier->pending_at) {
		if (!look(notifier, arena, STATEMENT_NOTIFIER_PENDING, &rows, error))
			return false;
		monitor_set(monitor, "deliveries_pending", "", (double)store_row_int(rows, 0, 0));
		monitor_set(monitor, "deliveries_oldest_pending_seconds", "", store_row_real(rows, 0, 1));
		notifier->pending_at = clock_monotonic() + 2 * SECOND;
	}
	if (clock_monotonic() >= notifier->dead_at) {
		if (!look(notifier, arena, STATEMENT_NOTIFIER_DEAD, &rows, error))
			return false;
		monitor_set(monitor, "deliveries_dead", "", (double)store_row_int(rows, 0, 0));
		notifier->dead_at = clock_monotonic() + 60 * SECOND;
	}
	return true;
}

/* ------------------------------------------------------------------ the tick */

bool
notifier_tick(void *state, struct arena *arena, bool *again, struct error *error)
{
	struct notifier *notifier = state;

	if (!notifier_record(notifier, arena, again, error))
		return false;
	arena_reset(arena);
	if (!bury(notifier, arena, again, error))
		return false;
	arena_reset(arena);
	if (!notifier_tell_outcomes(notifier, arena, again, error))
		return false;
	arena_reset(arena);
	if (!claim(notifier, arena, again, error))
		return false;
	arena_reset(arena);
	return gauge(notifier, arena, error);
}
