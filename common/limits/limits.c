/* SPDX-License-Identifier: Apache-2.0 */
/* limits.c - counters from rows and back. The lock comes first, the clock and everything that is used are read under it. */
#include "common/limits/limits.h"

#include "common/crypto/crypto.h"
#include "common/limits/bucket.h"
#include "common/sheet/sheet.h"

#include <assert.h>
#include <string.h>

enum { SLOTS = 1024, ROUNDS = 4 };

struct counter {
	struct counter *next; /* in its slot */
	uint8_t id[CRYPTO_SHA256_SIZE];
	const struct policy_counter *what; /* of the first who asked */
	bool locked;
	int64_t used, oldest, over_at; /* as they are without what is taken here; oldest 0: nothing is used */
	int64_t stored;		       /* used, as its row has it still */
	int64_t taken;
	struct bucket bucket; /* of a token_bucket: as it is at work->now, without what is taken here */
};

struct take {
	struct counter *counter;
	const char *tenant, *request_id;
	int64_t amount;
	bool warns;
};

struct limits {
	struct work *work;
	struct journal *journal;
	struct counter **slots;
	struct counter **all; /* in the order in which they were asked for */
	size_t count, room, locked;
	struct take *takes;
	size_t take_count, take_room;
	int rounds;
};

void
limits_declare(struct monitor *monitor)
{
	monitor_counter(monitor, "limit_uses_total", "Granted requests by the limits that they used.",
			"policy,limit");
	monitor_counter(monitor, "limit_warnings_total",
			"Granted requests with which as much of a limit was used as its warn_at says.",
			"policy,limit");
	monitor_counter(monitor, "limits_exceeded_total", "Decisions that found a limit exceeded.",
			"policy,limit");
}

struct limits *
limits_open(struct work *work, struct journal *journal)
{
	struct limits *limits = arena_take(work->arena, sizeof *limits);

	*limits = (struct limits){.work = work, .journal = journal};
	return limits;
}

void
limits_begin(struct limits *limits)
{
	for (size_t i = 0; i < limits->count; i++)
		limits->all[i]->taken = 0;
	limits->take_count = 0;
}

/* ------------------------------------------------------------------ finding */

static void
add_part(struct buffer *name, const char *part)
{
	buffer_add_format(name, "%zu:", strlen(part));
	buffer_add_text(name, part);
}

static void
identify(struct arena *arena, const struct policy_counter *what, uint8_t id[CRYPTO_SHA256_SIZE])
{
	struct buffer name = {.arena = arena};

	add_part(&name, what->policy);
	add_part(&name, what->limit);
	add_part(&name, what->fields);
	add_part(&name, what->measure);
	add_part(&name, what->key);
	crypto_sha256(name.bytes, name.length, id);
}

static struct counter *
add(struct limits *limits, const struct policy_counter *what, const uint8_t *id, struct counter **slot)
{
	struct arena *arena = limits->work->arena;
	struct counter *counter = arena_take(arena, sizeof *counter);

	*counter = (struct counter){.next = *slot, .what = what};
	memcpy(counter->id, id, sizeof counter->id);
	*slot = counter;
	if (limits->count == limits->room) {
		size_t room = limits->room ? 2 * limits->room : 16;
		struct counter **all = arena_take_array(arena, room, sizeof *all);

		if (limits->count)
			memcpy(all, limits->all, limits->count * sizeof *all);
		limits->all = all;
		limits->room = room;
	}
	limits->all[limits->count++] = counter;
	return counter;
}

static struct counter *
find(struct limits *limits, const struct policy_counter *what, bool add_it)
{
	struct arena *arena = limits->work->arena;
	uint8_t id[CRYPTO_SHA256_SIZE];
	struct counter **slot;

	if (!limits->slots)
		limits->slots = arena_take_array(arena, SLOTS, sizeof *limits->slots);
	identify(arena, what, id);
	slot = &limits->slots[(id[0] | id[1] << 8) % SLOTS];
	for (struct counter *counter = *slot; counter; counter = counter->next)
		if (memcmp(counter->id, id, sizeof id) == 0)
			return counter;
	return add_it ? add(limits, what, id, slot) : NULL;
}

/* ------------------------------------------------------------------ windows */

/* The first instant whose uses count at `now`. */
static int64_t
window_begins(const struct policy_counter *what, int64_t now)
{
	if (what->window == POLICY_WINDOW_FIXED)
		return now - now % what->per; /* since 1970, in UTC */
	return now - what->per + 1;
}

static int64_t
window_ends(const struct policy_counter *what, int64_t since)
{
	return window_begins(what, since)
	       + (what->window == POLICY_WINDOW_FIXED ? what->per : 2 * what->per - 1);
}

static bool
is_bucket(const struct counter *counter)
{
	return counter->what->window == POLICY_WINDOW_TOKEN_BUCKET;
}

/* ------------------------------------------------------------------ deciding */

/* The bucket with what is taken here. */
static struct bucket
filled(const struct counter *counter)
{
	struct bucket bucket = counter->bucket;

	if (__builtin_add_overflow(bucket.level, counter->taken, &bucket.level))
		bucket.level = INT64_MAX;
	return bucket;
}

static bool
tell_used(const struct limits *limits, const struct counter *counter, struct policy_usage *used)
{
	int64_t now = limits->work->now, since = counter->oldest ? counter->oldest : now;
	int64_t others = is_bucket(counter) ? bucket_missing(counter->bucket) : counter->used;

	if (__builtin_add_overflow(others, counter->taken, &used->amount))
		return false;
	if (used->amount > 0)
		used->resets_at = is_bucket(counter) ? now + bucket_next(filled(counter))
						     : window_ends(counter->what, since);
	return true;
}

bool
limits_used(void *state, const struct policy_counter *what, struct policy_usage *used)
{
	struct limits *limits = state;

	return tell_used(limits, find(limits, what, true), used);
}

bool
limits_seen(void *state, const struct policy_counter *what, struct policy_usage *used)
{
	struct limits *limits = state;
	const struct counter *counter = find(limits, what, false);

	return !counter || tell_used(limits, counter, used);
}

static const char *
labels_of(const struct limits *limits, const struct policy_counter *what)
{
	return arena_format(limits->work->arena, "%s\n%s", what->policy, what->limit);
}

void
limits_note(struct limits *limits, const struct policy_decision *decision)
{
	size_t count;
	const struct policy_use *uses = policy_uses(decision, limits->work->arena, &count);

	for (size_t i = 0; i < count; i++)
		if (uses[i].exceeded)
			journal_count(limits->journal, "limits_exceeded_total",
				      labels_of(limits, uses[i].counter));
}

static struct take *
room_for_a_take(struct limits *limits)
{
	if (limits->take_count == limits->take_room) {
		size_t room = limits->take_room ? 2 * limits->take_room : 16;
		struct take *takes = arena_take_array(limits->work->arena, room, sizeof *takes);

		if (limits->take_count)
			memcpy(takes, limits->takes, limits->take_count * sizeof *takes);
		limits->takes = takes;
		limits->take_room = room;
	}
	return &limits->takes[limits->take_count++];
}

void
limits_take(struct limits *limits, const char *tenant, const char *request_id,
	    const struct policy_decision *decision)
{
	size_t count;
	const struct policy_use *uses = policy_uses(decision, limits->work->arena, &count);

	for (size_t i = 0; i < count; i++) {
		struct counter *counter;

		if (!uses[i].counter->key || uses[i].amount == 0)
			continue;
		counter = find(limits, uses[i].counter, true);
		if (__builtin_add_overflow(counter->taken, uses[i].amount, &counter->taken))
			counter->taken = INT64_MAX;
		*room_for_a_take(limits) = (struct take){.counter = counter,
							 .tenant = tenant,
							 .request_id = request_id,
							 .amount = uses[i].amount,
							 .warns = uses[i].warns};
	}
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

static bool
load(struct limits *limits, struct error *error)
{
	struct work *work = limits->work;
	struct sheet sheet = sheet_open(work->arena, STATEMENT_LIMITS_LOAD, "bn");

	for (size_t i = 0; i < limits->count; i++)
		sheet_add(&sheet, store_bytes(limits->all[i]->id, CRYPTO_SHA256_SIZE),
			  store_time(window_begins(limits->all[i]->what, work->now)));

	struct store_rows *rows = sheet_query(&sheet, work->store, error);

	if (!rows)
		return false;
	if (store_rows_count(rows) != limits->count)
		return error_set(error, ERROR_BROKEN, "limits", "a counter is not there although it is locked");
	for (size_t i = 0; i < limits->count; i++) {
		struct counter *counter = limits->all[i];

		counter->locked = true;
		counter->used = store_row_int(rows, i, 0);
		counter->oldest = store_row_time(rows, i, 1);
		counter->over_at = store_row_time(rows, i, 7);
		counter->stored = store_row_int(rows, i, 8);
		if (is_bucket(counter))
			counter->bucket = read_bucket(rows, i, counter, work->now);
	}
	limits->locked = limits->count;
	return true;
}

bool
limits_settle(struct limits *limits, bool *again, struct error *error)
{
	*again = limits->locked < limits->count;
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

static void
keep(struct limits *limits, struct sheet *sheet, const struct counter *counter)
{
	const struct policy_counter *what = counter->what;
	int64_t now = limits->work->now, used = counter->used + counter->taken;
	int64_t over_at = used ? later(counter->over_at, window_ends(what, now)) : now;
	struct bucket bucket = {0};

	if (is_bucket(counter)) {
		bucket = filled(counter);
		over_at = later(over_at, now + bucket_full(bucket));
	}
	if (used == counter->stored)
		return;
	sheet_add(sheet, store_bytes(counter->id, sizeof counter->id),
		  store_text(policy_window_name(what->window)), store_int(what->max), store_int(what->per),
		  store_int(used), store_int(bucket.level), store_int(bucket.part), store_time(now),
		  store_time(over_at));
}

static void
tell(struct limits *limits, const struct take *take)
{
	const struct policy_counter *what = take->counter->what;
	const char *labels = labels_of(limits, what);

	journal_count(limits->journal, "limit_uses_total", labels);
	if (!take->warns)
		return;
	journal_count(limits->journal, "limit_warnings_total", labels);
	journal_warn(limits->journal, "limit_warns", log_text("policy", what->policy),
		     log_text("limit", what->limit), log_text("key", what->shown),
		     log_text("tenant", take->tenant), log_text("request_id", take->request_id),
		     log_number("max", what->max));
}

bool
limits_send(struct limits *limits, struct error *error)
{
	struct work *work = limits->work;
	struct sheet counters = sheet_open(work->arena, STATEMENT_LIMITS_KEEP, "btnnnnnnn");
	struct sheet uses = sheet_open(work->arena, STATEMENT_LIMITS_USE, "bttnn");

	if (limits->locked < limits->count)
		return error_set(error, ERROR_UNAVAILABLE, STORE_RUN_AGAIN,
				 "a limit was asked for that was not foreseen");
	for (size_t i = 0; i < limits->count; i++)
		keep(limits, &counters, limits->all[i]);
	for (size_t i = 0; i < limits->take_count; i++) {
		const struct take *take = &limits->takes[i];

		sheet_add(&uses, store_bytes(take->counter->id, CRYPTO_SHA256_SIZE), store_text(take->tenant),
			  store_text(take->request_id), store_int(take->amount), store_time(work->now));
		tell(limits, take);
	}
	return sheet_send(&counters, work->store, error) && sheet_send(&uses, work->store, error);
}
