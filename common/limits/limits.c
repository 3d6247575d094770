/* SPDX-License-Identifier: Apache-2.0 */
/* limits.c - what is used, as it looks to one who decides. */
#include "common/limits/limits_private.h"

#include <assert.h>
#include <string.h>

enum { SLOTS = 1024 };

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
	for (size_t i = 0; i < limits->count; i++) {
		struct counter *counter = limits->all[i];

		counter->taken = counter->claimed = counter->claimed_until = 0;
		counter->touched = false;
	}
	for (size_t i = 0; i < limits->place_count; i++)
		limits->places[i].is_taken = limits->places[i].is_dropped = false;
	limits->take_count = 0;
}

int64_t
limits_sum(int64_t left, int64_t right)
{
	return __builtin_add_overflow(left, right, &left) ? INT64_MAX : left;
}

const char *
limits_labels(const struct limits *limits, const struct policy_counter *what)
{
	return arena_format(limits->work->arena, "%s\n%s", what->policy, what->limit);
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

struct counter *
limits_counter(struct limits *limits, const uint8_t *id, const struct policy_counter *what)
{
	struct counter **slot;

	if (!limits->slots)
		limits->slots = arena_take_array(limits->work->arena, SLOTS, sizeof *limits->slots);
	slot = &limits->slots[(id[0] | id[1] << 8) % SLOTS];
	for (struct counter *counter = *slot; counter; counter = counter->next)
		if (memcmp(counter->id, id, sizeof counter->id) == 0)
			return counter;
	return what ? add(limits, what, id, slot) : NULL;
}

struct counter *
limits_find(struct limits *limits, const struct policy_counter *what, bool add_it)
{
	uint8_t id[CRYPTO_SHA256_SIZE];
	struct counter *counter;

	identify(limits->work->arena, what, id);
	counter = limits_counter(limits, id, add_it ? what : NULL);
	if (counter && counter->recalled && add_it) {
		counter->what = what;
		counter->recalled = false;
		limits->stale = true;
	}
	return counter;
}

/* ------------------------------------------------------------------ windows */

int64_t
limits_window_begins(const struct policy_counter *what, int64_t now)
{
	if (what->window == POLICY_WINDOW_FIXED)
		return now - now % what->per; /* since 1970, in UTC */
	return now - what->per + 1;
}

int64_t
limits_window_ends(const struct policy_counter *what, int64_t since)
{
	return limits_window_begins(what, since)
	       + (what->window == POLICY_WINDOW_FIXED ? what->per : 2 * what->per - 1);
}

bool
limits_is_bucket(const struct counter *counter)
{
	return counter->what->window == POLICY_WINDOW_TOKEN_BUCKET;
}

struct bucket
limits_filled(const struct counter *counter)
{
	struct bucket bucket = counter->bucket;

	bucket.level = limits_sum(bucket.level, counter->taken);
	return bucket;
}

/* ------------------------------------------------------------------ deciding */

bool
limits_is_of(const char *tenant, const char *request_id, const char *other_tenant, const char *other_id)
{
	return strcmp(request_id, other_id) == 0 && strcmp(tenant, other_tenant) == 0;
}

void
limits_about(struct limits *limits, const char *tenant, const char *request_id)
{
	limits->tenant = tenant;
	limits->request_id = request_id;
}

/* What of what is held is the place of the request that is decided about. A new one holds nothing. */
static int64_t
own(const struct limits *limits, const struct counter *counter)
{
	int64_t amount = 0;

	for (size_t i = 0; i < limits->place_count; i++) {
		const struct limits_place *place = &limits->places[i];

		if (place->counter == counter && !place->is_taken && place->until > limits->work->now
		    && limits_is_of(place->tenant, place->request_id, limits->tenant, limits->request_id))
			amount = limits_sum(amount, place->amount);
	}
	for (size_t i = 0; limits->recalls && i < limits->take_count; i++) {
		const struct limits_take *take = &limits->takes[i];

		if (take->counter == counter && take->until && !take->is_dropped
		    && limits_is_of(take->tenant, take->request_id, limits->tenant, limits->request_id))
			amount = limits_sum(amount, take->amount);
	}
	return amount;
}

/* With what is held here, and without the places that have become something else here. */
static int64_t
held(const struct limits *limits, const struct counter *counter)
{
	int64_t amount = limits_sum(counter->held, counter->claimed);

	for (size_t i = 0; i < limits->place_count; i++) {
		const struct limits_place *place = &limits->places[i];

		if (place->counter == counter && place->is_taken && place->until > limits->work->now)
			amount -= place->amount;
	}
	return amount;
}

static int64_t
resets_at(const struct limits *limits, const struct counter *counter, bool used)
{
	int64_t now = limits->work->now, since = counter->oldest ? counter->oldest : now, at = 0;

	if (used)
		at = limits_is_bucket(counter) ? now + bucket_next(limits_filled(counter))
					       : limits_window_ends(counter->what, since);
	return counter->frees_at && (!at || counter->frees_at < at) ? counter->frees_at : at;
}

static bool
tell_used(const struct limits *limits, const struct counter *counter, struct policy_usage *used)
{
	int64_t others = limits_is_bucket(counter) ? bucket_missing(counter->bucket) : counter->used, places;

	if (__builtin_add_overflow(others, counter->taken, &others))
		return false;
	places = held(limits, counter);
	places = places == INT64_MAX ? places : places - own(limits, counter);
	if (__builtin_add_overflow(others, places, &used->amount))
		return false;
	if (used->amount > 0)
		used->resets_at = resets_at(limits, counter, others > 0);
	return true;
}

bool
limits_used(void *state, const struct policy_counter *what, struct policy_usage *used)
{
	struct limits *limits = state;

	return tell_used(limits, limits_find(limits, what, true), used);
}

bool
limits_seen(void *state, const struct policy_counter *what, struct policy_usage *used)
{
	struct limits *limits = state;
	const struct counter *counter = limits_find(limits, what, false);

	return !counter || tell_used(limits, counter, used);
}

void
limits_note(struct limits *limits, const struct policy_decision *decision)
{
	size_t count;
	const struct policy_use *uses = policy_uses(decision, limits->work->arena, &count);

	for (size_t i = 0; i < count; i++)
		if (uses[i].exceeded)
			journal_count(limits->journal, "limits_exceeded_total",
				      limits_labels(limits, uses[i].counter));
}
