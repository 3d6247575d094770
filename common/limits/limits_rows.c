/* SPDX-License-Identifier: Apache-2.0 */
/* limits_rows.c - counters from rows and back. The lock comes first, the clock and everything that is used are read under it. */
#include "common/limits/limits_private.h"
#include "common/sheet/sheet.h"

#include <string.h>

enum { ROUNDS = 4 };

/* ------------------------------------------------------------------ places */

static enum policy_window
window_of(const char *name)
{
	return strcmp(name, policy_window_name(POLICY_WINDOW_FIXED)) == 0     ? POLICY_WINDOW_FIXED
	       : strcmp(name, policy_window_name(POLICY_WINDOW_SLIDING)) == 0 ? POLICY_WINDOW_SLIDING
									      : POLICY_WINDOW_TOKEN_BUCKET;
}

/* As its row says it; columns from `first` on. */
static struct counter *
recalled(struct limits *limits, const struct store_rows *rows, size_t row)
{
	struct store_bytes id = store_row_bytes(rows, row, 4);
	struct policy_counter *what = arena_take(limits->work->arena, sizeof *what);
	size_t before = limits->count;
	struct counter *counter;

	*what = (struct policy_counter){.policy = store_row_text(rows, row, 5),
					.limit = store_row_text(rows, row, 6),
					.fields = store_row_text(rows, row, 7),
					.measure = store_row_text(rows, row, 8),
					.shown = store_row_text(rows, row, 9),
					.window = window_of(store_row_text(rows, row, 10)),
					.max = store_row_int(rows, row, 11),
					.per = store_row_int(rows, row, 12)};
	counter = limits_counter(limits, id.bytes, what);
	if (limits->count > before)
		counter->recalled = true;
	return counter;
}

static void
read_holding(struct limits *limits, const struct store_rows *rows, size_t row, bool uses_too)
{
	const char *tenant = store_row_text(rows, row, 0), *request_id = store_row_text(rows, row, 1);

	if (!store_row_null(rows, row, 3))
		limits->places[limits->place_count++] =
		    (struct limits_place){.tenant = tenant,
					  .request_id = request_id,
					  .amount = store_row_int(rows, row, 2),
					  .until = store_row_time(rows, row, 3),
					  .counter = recalled(limits, rows, row),
					  .releases = store_row_bool(rows, row, 13)};
	else if (uses_too)
		limits->kept[limits->kept_count++] = (struct limits_kept){
		    .tenant = tenant, .request_id = request_id, .counter = recalled(limits, rows, row)};
}

static bool
recall(struct limits *limits, const char *const *tenants, const char *const *request_ids, size_t count,
       bool uses_too, struct error *error)
{
	struct work *work = limits->work;
	struct sheet asked = sheet_open(work->arena, STATEMENT_LIMITS_RECALL, "tt");

	for (size_t i = 0; i < count; i++)
		sheet_add(&asked, store_text(tenants[i]), store_text(request_ids[i]));

	struct store_rows *rows = sheet_query(&asked, work->store, error);

	if (!rows)
		return false;
	limits->recalls = true;
	limits->place_count = limits->kept_count = 0;
	limits->places = arena_take_array(work->arena, store_rows_count(rows), sizeof *limits->places);
	limits->kept = arena_take_array(work->arena, store_rows_count(rows), sizeof *limits->kept);
	for (size_t i = 0; i < store_rows_count(rows); i++)
		read_holding(limits, rows, i, uses_too);
	limits->recalled_count = limits->kept_count;
	return true;
}

bool
limits_recall(struct limits *limits, const char *const *tenants, const char *const *request_ids, size_t count,
	      struct error *error)
{
	return recall(limits, tenants, request_ids, count, false, error);
}

bool
limits_recall_uses(struct limits *limits, const char *const *tenants, const char *const *request_ids,
		   size_t count, struct error *error)
{
	return recall(limits, tenants, request_ids, count, true, error);
}

/* ------------------------------------------------------------------ locking and reading */

static bool
lock(struct limits *limits, struct error *error)
{
	struct work *work = limits->work;
	struct sheet sheet = sheet_open(work->arena, STATEMENT_LIMITS_LOCK, "bttttttnn");
	struct store_rows *unused = NULL;

	for (size_t i = limits->locked; i < limits->count; i++) {
		const struct counter *counter = limits->all[i];
		const struct policy_counter *what = counter->what;

		sheet_add(&sheet, store_bytes(counter->id, sizeof counter->id), store_text(what->policy),
			  store_text(what->limit), store_text(what->fields), store_text(what->measure),
			  store_text(what->shown), store_text(policy_window_name(what->window)),
			  store_int(what->max), store_int(what->per));
	}
	return sheet_ask(&sheet, work->store, &unused, error) && work_ask_now(work, error)
	       && store_settle(work->store, error) && work_take_now(work, error);
}

/* One that was no bucket until now lacks all that its window still counts. */
static struct bucket
read_bucket(const struct store_rows *rows, size_t row, const struct counter *counter, int64_t now)
{
	struct bucket bucket = {.max = counter->what->max, .per = counter->what->per, .level = counter->used};

	if (!store_row_bool(rows, row, 2))
		return bucket;
	bucket.level = store_row_int(rows, row, 3);
	bucket.part = store_row_int(rows, row, 4);
	if (store_row_int(rows, row, 5) != bucket.per && bucket.part) {
		bucket.level++; /* parts of another size */
		bucket.part = 0;
	}
	return bucket_after(bucket, now - store_row_time(rows, row, 6));
}

static void
read_counter(const struct store_rows *rows, size_t row, struct counter *counter, int64_t now)
{
	counter->used = store_row_int(rows, row, 0);
	counter->oldest = store_row_time(rows, row, 1);
	counter->over_at = store_row_time(rows, row, 7);
	counter->stored = store_row_int(rows, row, 8);
	counter->held = store_row_int(rows, row, 9);
	counter->frees_at = store_row_time(rows, row, 10);
	counter->since = store_row_time(rows, row, 11);
	if (counter->frees_at >= LIMITS_OPEN)
		counter->frees_at = 0;
	if (limits_is_bucket(counter))
		counter->bucket = read_bucket(rows, row, counter, now);
}

static bool
load(struct limits *limits, struct error *error)
{
	struct work *work = limits->work;
	struct sheet sheet = sheet_open(work->arena, STATEMENT_LIMITS_LOAD, "bnn");

	for (size_t i = 0; i < limits->count; i++)
		sheet_add(&sheet, store_bytes(limits->all[i]->id, CRYPTO_SHA256_SIZE),
			  store_time(limits_window_begins(limits->all[i]->what, work->now)),
			  store_time(work->now));

	struct store_rows *rows = sheet_query(&sheet, work->store, error);

	if (!rows)
		return false;
	if (store_rows_count(rows) != limits->count)
		return error_set(error, ERROR_BROKEN, "limits", "a counter is not there although it is locked");
	for (size_t i = 0; i < limits->count; i++)
		read_counter(rows, i, limits->all[i], work->now);
	limits->locked = limits->count;
	limits->stale = false;
	return limits_load_kept(limits, error);
}

bool
limits_settle(struct limits *limits, bool *again, struct error *error)
{
	*again = limits->locked < limits->count || limits->stale;
	if (!*again)
		return true;
	/* another one each time, since time passes: let time pass */
	if (limits->rounds++ == ROUNDS)
		return error_set(error, ERROR_UNAVAILABLE, STORE_RUN_AGAIN, "limits change with the clock");
	return lock(limits, error) && load(limits, error);
}

/* ------------------------------------------------------------------ writing */

static int64_t
later(int64_t left, int64_t right)
{
	return left > right ? left : right;
}

/* What ends by time may still be reported on as long again as the window is. */
static int64_t
over_at(const struct limits *limits, const struct counter *counter, int64_t used)
{
	int64_t now = limits->work->now;
	int64_t at = later(counter->over_at, used ? limits_window_ends(counter->what, now) : now);

	if (counter->claimed_until)
		at = later(at, limits_window_ends(counter->what, counter->claimed_until));
	return limits_is_bucket(counter) ? later(at, now + bucket_full(limits_filled(counter))) : at;
}

static void
keep(struct limits *limits, struct sheet *sheet, const struct counter *counter)
{
	const struct policy_counter *what = counter->what;
	int64_t used = limits_sum(counter->used, counter->taken);
	struct bucket bucket = {0};

	if (used == counter->stored && !counter->touched)
		return;
	if (limits_is_bucket(counter))
		bucket = limits_filled(counter);
	sheet_add(sheet, store_bytes(counter->id, sizeof counter->id),
		  store_text(policy_window_name(what->window)), store_int(what->max), store_int(what->per),
		  store_int(used), store_int(bucket.level), store_int(bucket.part),
		  store_time(limits->work->now), store_time(over_at(limits, counter, used)));
}

static void
tell(struct limits *limits, const struct limits_take *take)
{
	const struct policy_counter *what = take->counter->what;
	const char *labels = limits_labels(limits, what);

	if (take->is_told || take->until >= LIMITS_OPEN)
		return;
	journal_count(limits->journal, "limit_uses_total", labels);
	if (!take->warns)
		return;
	journal_count(limits->journal, "limit_warnings_total", labels);
	journal_warn(limits->journal, "limit_warns", log_text("policy", what->policy),
		     log_text("limit", what->limit), log_text("key", what->shown),
		     log_text("tenant", take->tenant), log_text("request_id", take->request_id),
		     log_number("max", what->max));
}

static void
write_uses(struct limits *limits, struct sheet *uses, struct sheet *dropped, struct sheet *ended)
{
	for (size_t i = 0; i < limits->take_count; i++) {
		const struct limits_take *take = &limits->takes[i];

		if (take->is_dropped)
			continue;
		sheet_add(uses, store_bytes(take->counter->id, CRYPTO_SHA256_SIZE), store_text(take->tenant),
			  store_text(take->request_id), store_int(take->amount),
			  store_time(limits->work->now), store_time(take->until), store_int(take->releases));
		tell(limits, take);
	}
	for (size_t i = 0; i < limits->place_count; i++) {
		const struct limits_place *place = &limits->places[i];

		if (place->is_dropped)
			sheet_add(dropped, store_bytes(place->counter->id, CRYPTO_SHA256_SIZE),
				  store_text(place->tenant), store_text(place->request_id));
		else if (place->is_ended)
			sheet_add(ended, store_bytes(place->counter->id, CRYPTO_SHA256_SIZE),
				  store_text(place->tenant), store_text(place->request_id),
				  store_time(place->until));
	}
}

/* The counters last: until when places are held is read from these. */
bool
limits_send(struct limits *limits, struct error *error)
{
	struct work *work = limits->work;
	struct sheet counters = sheet_open(work->arena, STATEMENT_LIMITS_KEEP, "btnnnnnnn");
	struct sheet uses = sheet_open(work->arena, STATEMENT_LIMITS_USE, "bttnnnn");
	struct sheet dropped = sheet_open(work->arena, STATEMENT_LIMITS_DROP, "btt");
	struct sheet ended = sheet_open(work->arena, STATEMENT_LIMITS_END, "bttn");

	if (limits->locked < limits->count || limits->stale)
		return error_set(error, ERROR_UNAVAILABLE, STORE_RUN_AGAIN,
				 "a limit was asked for that was not foreseen");
	write_uses(limits, &uses, &dropped, &ended);
	for (size_t i = 0; i < limits->count; i++)
		keep(limits, &counters, limits->all[i]);
	return sheet_send(&dropped, work->store, error) && sheet_send(&ended, work->store, error)
	       && sheet_send(&uses, work->store, error) && limits_send_kept(limits, error)
	       && sheet_send(&counters, work->store, error);
}
