/* SPDX-License-Identifier: Apache-2.0 */
/* work.c - one transaction and what it will say. The order of its steps is written here and in service_batch.c, nowhere else. */
#include "common/service/service_private.h"

#include "common/message/request.h"
#include "common/store/store_ledger.h"

#include <string.h>

bool
work_begin(struct service_context *context, struct arena *arena, struct work *work, struct error *error)
{
	*work = (struct work){.context = context, .store = context->store, .arena = arena};
	return store_begin(work->store, error);
}

static bool
take_time(const struct work *work, int64_t *now, struct error *error)
{
	struct service_time *time = work->context->time;

	return !time || service_time_take(time, now, error);
}

bool
work_time(const struct work *work, int64_t *now, struct error *error)
{
	return store_now(work->store, now, error) && take_time(work, now, error);
}

bool
work_now(struct work *work, struct error *error)
{
	return work_time(work, &work->now, error);
}

bool
work_ask_now(struct work *work, struct error *error)
{
	return store_ask(work->store, work->arena, STATEMENT_STORE_NOW, NULL, 0, &work->clock, error);
}

bool
work_take_now(struct work *work, struct error *error)
{
	work->now = store_row_time(work->clock, 0, 0);
	return take_time(work, &work->now, error);
}

struct arena *
work_scratch(const struct work *work)
{
	arena_reset(work->context->scratch);
	return work->context->scratch;
}

static struct event
copy_of(struct arena *arena, const struct event *event)
{
	struct event copy = *event;

	copy.key = arena_string(arena, event->key);
	copy.headers = arena_string(arena, event->headers);
	copy.payload = arena_copy(arena, event->payload, event->payload_length);
	copy.request_id = arena_string(arena, event->request_id);
	return copy;
}

void
work_event(struct work *work, const struct event *event)
{
	if (work->event_count == work->event_room) {
		size_t room = work->event_room ? 2 * work->event_room : 16;
		struct event *events = arena_take_array(work->arena, room, sizeof *events);

		if (work->event_count > 0)
			memcpy(events, work->events, work->event_count * sizeof *events);
		work->events = events;
		work->event_room = room;
	}
	work->events[work->event_count++] = copy_of(work->arena, event);
}

bool
work_commit(struct work *work, struct error *error)
{
	bool unknown = false;

	if (!store_ledger_append(work->store, work->arena, work->events, work->event_count, error)
	    || !store_commit(work->store, &unknown, error)) {
		if (unknown)
			monitor_add(work->context->monitor, "unknown_commits_total", "", 1);
		return false;
	}
	work_committed(work);
	return true;
}

void
work_rollback(struct work *work)
{
	store_rollback(work->store);
}

uint32_t
work_chain(const struct work *work, const char *key)
{
	return request_key_slot(key, work->context->chains);
}

#define OUTCOMES_LOCK 1379090258 /* first key of the advisory locks; the second is a chain */

bool
work_lock_outcomes(struct work *work, const int64_t *chains, size_t count, struct error *error)
{
	const struct store_param params[] = {store_int(OUTCOMES_LOCK), store_int_list(chains, count)};

	return count == 0 || store_queue(work->store, STATEMENT_WORK_OUTCOMES, params, 2, -1, error);
}
