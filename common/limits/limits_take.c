/* SPDX-License-Identifier: Apache-2.0 */
/* limits_take.c - what requests take of the counters: uses, and places that become uses or are given up. */
#include "common/limits/limits_private.h"

#include <string.h>

static struct limits_take *
room_for_a_take(struct limits *limits)
{
	if (limits->take_count == limits->take_room) {
		size_t room = limits->take_room ? 2 * limits->take_room : 16;
		struct limits_take *takes = arena_take_array(limits->work->arena, room, sizeof *takes);

		if (limits->take_count)
			memcpy(takes, limits->takes, limits->take_count * sizeof *takes);
		limits->takes = takes;
		limits->take_room = room;
	}
	return &limits->takes[limits->take_count++];
}

/* The request's place in the counter, of before; NULL: it holds none that is not something else by now. */
static struct limits_place *
place_of(struct limits *limits, const struct counter *counter, const char *tenant, const char *request_id)
{
	for (size_t i = 0; i < limits->place_count; i++) {
		struct limits_place *place = &limits->places[i];

		if (place->counter == counter && !place->is_taken
		    && limits_is_of(place->tenant, place->request_id, tenant, request_id))
			return place;
	}
	return NULL;
}

/* One that this transaction has made gives way to what comes instead. */
static void
forget_claims(struct limits *limits, const struct limits_take *instead)
{
	for (size_t i = 0; limits->recalls && i < limits->take_count; i++) {
		struct limits_take *take = &limits->takes[i];

		if (take->counter != instead->counter || take->is_dropped || !take->until
		    || !limits_is_of(take->tenant, take->request_id, instead->tenant, instead->request_id))
			continue;
		take->is_dropped = true;
		take->counter->claimed -= take->amount;
	}
}

static void
put(struct limits *limits, struct limits_take take)
{
	struct counter *counter = take.counter;
	struct limits_place *place = place_of(limits, counter, take.tenant, take.request_id);

	forget_claims(limits, &take);
	if (place)
		place->is_taken = true;
	counter->touched = counter->touched || place || take.until;
	if (take.until)
		counter->claimed = limits_sum(counter->claimed, take.amount);
	else
		counter->taken = limits_sum(counter->taken, take.amount);
	if (take.until && take.until < LIMITS_OPEN && take.until > counter->claimed_until)
		counter->claimed_until = take.until;
	*room_for_a_take(limits) = take;
}

static void
put_use(struct limits *limits, const char *tenant, const char *request_id, const struct policy_use *use,
	int64_t until)
{
	if (use->counter->key && use->amount)
		put(limits, (struct limits_take){.counter = limits_find(limits, use->counter, true),
						 .tenant = tenant,
						 .request_id = request_id,
						 .amount = use->amount,
						 .until = until,
						 .warns = use->warns,
						 .releases = use->releases});
}

/* It holds one of before, or of this transaction. */
static bool
has_place(struct limits *limits, const struct policy_use *use, const char *tenant, const char *request_id)
{
	const struct counter *counter = limits_find(limits, use->counter, true);

	for (size_t i = 0; limits->recalls && i < limits->take_count; i++) {
		const struct limits_take *take = &limits->takes[i];

		if (take->counter == counter && take->until && !take->is_dropped
		    && limits_is_of(take->tenant, take->request_id, tenant, request_id))
			return true;
	}
	return place_of(limits, counter, tenant, request_id);
}

void
limits_ask(struct limits *limits, const char *tenant, const char *request_id,
	   const struct policy_decision *decision)
{
	size_t count;
	const struct policy_use *uses = policy_uses(decision, limits->work->arena, &count);

	for (size_t i = 0; i < count; i++)
		if (uses[i].count_on == POLICY_COUNT_DECISION && uses[i].counter->key
		    && !has_place(limits, &uses[i], tenant, request_id))
			put_use(limits, tenant, request_id, &uses[i], LIMITS_OPEN);
}

/* What it held while people were asked and is not about it any more. */
static void
give_up(struct limits *limits, const char *tenant, const char *request_id)
{
	for (size_t i = 0; limits->recalls && i < limits->take_count; i++) {
		struct limits_take *take = &limits->takes[i];

		if (take->until == LIMITS_OPEN
		    && limits_is_of(take->tenant, take->request_id, tenant, request_id))
			take->is_dropped = true;
	}
	for (size_t i = 0; i < limits->place_count; i++) {
		struct limits_place *place = &limits->places[i];

		if (!place->is_taken && limits_is_of(place->tenant, place->request_id, tenant, request_id))
			place->is_dropped = place->counter->touched = true;
	}
}

void
limits_take(struct limits *limits, const char *tenant, const char *request_id,
	    const struct policy_decision *decision, int64_t expires_at)
{
	size_t count;
	const struct policy_use *uses = policy_uses(decision, limits->work->arena, &count);

	for (size_t i = 0; i < count; i++)
		put_use(limits, tenant, request_id, &uses[i],
			uses[i].count_on == POLICY_COUNT_EXECUTION ? expires_at + uses[i].report_within : 0);
	give_up(limits, tenant, request_id);
}

void
limits_drop(struct limits *limits, const char *tenant, const char *request_id)
{
	for (size_t i = 0; i < limits->take_count; i++)
		if (limits_is_of(limits->takes[i].tenant, limits->takes[i].request_id, tenant, request_id))
			limits->takes[i].is_dropped = true;
	give_up(limits, tenant, request_id);
}

/* Not of one that has ended, be it a moment ago. */
static int64_t
ends_earlier(const struct limits *limits, int64_t until, int64_t earlier)
{
	return until - earlier > limits->work->now ? until - earlier : limits->work->now;
}

void
limits_end(struct limits *limits, const char *tenant, const char *request_id, int64_t earlier)
{
	for (size_t i = 0; i < limits->take_count; i++) {
		struct limits_take *take = &limits->takes[i];

		if (take->until && take->until < LIMITS_OPEN
		    && limits_is_of(take->tenant, take->request_id, tenant, request_id))
			take->until = ends_earlier(limits, take->until, earlier);
	}
	for (size_t i = 0; i < limits->place_count; i++) {
		struct limits_place *place = &limits->places[i];

		if (place->is_taken || place->is_dropped || place->until >= LIMITS_OPEN
		    || place->until <= limits->work->now
		    || !limits_is_of(place->tenant, place->request_id, tenant, request_id))
			continue;
		place->until = ends_earlier(limits, place->until, earlier);
		place->is_ended = place->counter->touched = true;
	}
}

static void
execute(struct limits *limits, const struct limits_place *place)
{
	put(limits, (struct limits_take){.counter = place->counter,
					 .tenant = place->tenant,
					 .request_id = place->request_id,
					 .amount = place->amount,
					 .is_told = true,
					 .releases = place->releases});
	if (place->releases)
		limits_keep(limits, place);
}

void
limits_execute(struct limits *limits, const char *tenant, const char *request_id)
{
	for (size_t i = 0; i < limits->place_count; i++) {
		struct limits_place *place = &limits->places[i];

		if (place->is_taken || !limits_is_of(place->tenant, place->request_id, tenant, request_id))
			continue;
		if (place->until < limits_window_begins(place->counter->what, limits->work->now))
			place->counter->touched = true; /* with the look at the counter its row went */
		else
			execute(limits, place);
	}
}
