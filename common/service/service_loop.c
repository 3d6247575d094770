/* SPDX-License-Identifier: Apache-2.0 */
/* service_loop.c - one turn after the other: poll, gather, run, tick. Polling never stops, so the member stays in its group. */
#include "common/service/service_private.h"
#include "common/clock/clock.h"

#include <string.h>
#include <unistd.h>

#define SECOND INT64_C(1000000)
enum { POLL_LONGEST = 100 * 1000, RETRY_POLL = 20 * 1000, FAULT_LASTS = 10 * 1000 * 1000 };

/* ------------------------------------------------------------------ the database, when it is away */

void
service_database_away(struct service_loop *loop, const struct error *error)
{
	bool connected = store_connected(loop->context.store);
	int64_t pause = service_backoff_next(&loop->backoff);

	loop->retry_at = clock_monotonic() + pause;
	loop->away = true;
	monitor_ready(loop->context.monitor, "database", false, error->text);
	log_warn(&loop->log, connected ? "database_busy" : "database_away", log_text("code", error->code),
		 log_text("reason", error->text), log_number("pause_ms", pause / 1000));
}

void
service_database_good(struct service_loop *loop)
{
	service_backoff_reset(&loop->backoff);
	loop->retry_at = 0;
	if (!loop->away)
		return;
	loop->away = false;
	monitor_ready(loop->context.monitor, "database", true, "");
	log_info(&loop->log, "database_back");
}

static bool
new_session(struct service_loop *loop)
{
	struct error error = {0};

	if (store_reconnect(loop->context.store, &error)) {
		monitor_add(loop->context.monitor, "database_reconnects_total", "", 1);
		/* who has work at hand is ready when it is done: a session alone does not show that anything can be written */
		if (loop->hand.count == 0 && !loop->service->tick)
			monitor_ready(loop->context.monitor, "database", true, "");
		loop->tick_at = 0;	/* notifications were lost meanwhile */
		loop->time.look_at = 0; /* it may be another server */
		return true;
	}
	if (error.kind == ERROR_BROKEN)
		loop->broken = error;
	else
		service_database_away(loop, &error);
	return false;
}

bool
service_database_ready(struct service_loop *loop)
{
	if (clock_monotonic() < loop->retry_at || loop->broken.kind != ERROR_NONE)
		return false;
	return (store_connected(loop->context.store) || new_session(loop)) && service_time_good(loop);
}

/* ------------------------------------------------------------------ Kafka */

static void
kafka_good(struct service_loop *loop)
{
	if (loop->kafka_good)
		return;
	loop->kafka_good = true;
	monitor_ready(loop->context.monitor, "kafka", true, "");
	log_info(&loop->log, "kafka_back");
}

void
service_kafka_fault(struct service_loop *loop, const struct error *error)
{
	if (error->kind == ERROR_BROKEN) {
		loop->broken = *error;
		return;
	}
	monitor_ready(loop->context.monitor, "kafka", false, error->text);
	if (loop->kafka_good)
		log_warn(&loop->log, "kafka_away", log_text("code", error->code),
			 log_text("reason", error->text));
	loop->kafka_good = false;
	loop->fault_until = clock_monotonic() + FAULT_LASTS;
}

/* An idle topic says nothing when the brokers are there again; that no new fault comes has to do. */
static void
forget_fault(struct service_loop *loop, int64_t now)
{
	if (now >= loop->fault_until)
		kafka_good(loop);
}

/* Partitions of which something waits in hand are held back, the others flow; while nothing can run all are paused. */
static void
set_paused(struct service_loop *loop)
{
	bool waiting = loop->hand.count > 0, nothing_runs = loop->away || loop->time.held;
	int32_t *held = arena_take_array(loop->arena, loop->hand.count, sizeof *held);

	for (size_t i = 0; i < loop->hand.count; i++)
		held[i] = loop->hand.batches[i].partition;
	if (waiting && nothing_runs)
		bus_pause(loop->consumer);
	bus_hold(loop->consumer, held, loop->hand.count);
	if (!waiting || !nothing_runs)
		bus_resume(loop->consumer);
	arena_reset(loop->arena);
	if (loop->paused == waiting)
		return;
	loop->paused = waiting;
	monitor_set(loop->context.monitor, "consumer_paused", "", waiting);
	log_info(&loop->log, waiting ? "paused" : "resumed", log_number("partitions", loop->hand.count),
		 log_number("records_in_hand", loop->hand.records));
}

static void
keep(struct service_loop *loop, const struct bus_poll *poll)
{
	struct service_partition *partition = service_partition(loop, poll->record.partition);

	kafka_good(loop);
	if (partition && partition->state == PARTITION_OWNED)
		service_hand_add(&loop->hand, poll->handle, &poll->record);
	else
		bus_release(poll->handle); /* it will come again to whoever owns it */
}

/* False when nothing more is there at once, or something else than a record came. */
static bool
poll_once(struct service_loop *loop, int64_t timeout)
{
	struct bus_poll poll = {0};

	bus_poll(loop->consumer, timeout, &poll);
	switch (poll.happening) {
	case BUS_RECORD:
		keep(loop, &poll);
		return true;
	case BUS_ASSIGNED:
		service_assigned(loop);
		break;
	case BUS_REVOKED:
		service_revoked(loop);
		break;
	case BUS_LOST_POSITION:
		service_lost_position(loop, poll.partition, &poll.error);
		break;
	case BUS_FAULT:
		service_kafka_fault(loop, &poll.error);
		break;
	case BUS_NOTHING:
		break;
	}
	return false;
}

/*
 * What is there at once, bounded; nothing of partitions of which something waits in hand. While all are paused this only
 * keeps us in the group.
 */
static void
gather(struct service_loop *loop, int64_t timeout)
{
	const size_t records = loop->hand.records, bytes = loop->hand.bytes;

	while (poll_once(loop, timeout) && loop->hand.records < records + (size_t)loop->batch.max_records
	       && loop->hand.bytes < bytes + (size_t)loop->batch.max_bytes)
		timeout = 0;
}

/* ------------------------------------------------------------------ ticks */

static void
tick_waits(struct service_loop *loop, const struct error *error)
{
	loop->tick_wait = service_backoff_next(&loop->tick_backoff);
	log_warn(&loop->log, "tick_waits", log_text("code", error->code), log_text("reason", error->text),
		 log_number("pause_ms", loop->tick_wait / 1000));
}

static void
tick_failed(struct service_loop *loop, const struct error *error)
{
	switch (error->kind) {
	case ERROR_BROKEN:
		loop->broken = *error;
		break;
	case ERROR_UNAVAILABLE:
		if (strcmp(error->code, STORE_RUN_AGAIN) == 0 && store_connected(loop->context.store))
			tick_waits(loop, error);
		else
			service_database_away(loop, error);
		break;
	default: /* somebody else was first, or one of ours is wrong: the next tick looks again */
		log_warn(&loop->log, "tick_failed", log_text("kind", error_kind_name(error->kind)),
			 log_text("code", error->code), log_text("reason", error->text));
	}
}

static void
tick(struct service_loop *loop)
{
	struct error error = {0};
	bool again = false;

	if (!loop->service->tick || clock_monotonic() < loop->tick_at || !service_database_ready(loop))
		return;
	if (loop->service->tick(loop->state, loop->arena, &again, &error)) {
		service_backoff_reset(&loop->tick_backoff);
		loop->tick_wait = 0;
		if (store_connected(loop->context.store) && !service_hand_waits(&loop->hand))
			service_database_good(loop);
	} else {
		store_rollback(loop->context.store);
		tick_failed(loop, &error);
		again = false;
	}
	arena_reset(loop->arena);
	loop->tick_at = again ? 0 : clock_monotonic() + loop->tick_us + loop->tick_wait;
}

/* ------------------------------------------------------------------ turns */

/* A tick that is due waits for the database and for its clock: else the loop would turn idle at full speed without them. */
static int64_t
next_tick(const struct service_loop *loop)
{
	int64_t at = loop->tick_at > loop->retry_at ? loop->tick_at : loop->retry_at;

	return loop->time.held && loop->time.look_at > at ? loop->time.look_at : at;
}

static int64_t
until_next(const struct service_loop *loop, int64_t now)
{
	int64_t wait = POLL_LONGEST;

	if (loop->service->tick && next_tick(loop) - now < wait)
		wait = next_tick(loop) - now;
	if ((loop->hand.records > 0 || loop->assigning) && wait > RETRY_POLL)
		wait = RETRY_POLL;
	return wait > 0 ? wait : 0;
}

static void
gauges(struct service_loop *loop, int64_t now)
{
	if (now < loop->gauge_at)
		return;
	loop->gauge_at = now + SECOND;
	service_lag_gauge(loop);
	service_assignment_gauge(loop);
	forget_fault(loop, now);
}

static void
turn_of_records(struct service_loop *loop, int64_t now)
{
	bool ready;

	gather(loop, until_next(loop, now));
	ready = service_database_ready(loop); /* also with nothing to do: it keeps an eye on the clock */
	if (ready && loop->hand.count > 0)
		service_batches_run(loop);
	set_paused(loop);
	service_assign_turn(loop);
	gauges(loop, now);
}

/* Nothing to poll: the wait for the next tick is one for a notification. */
static void
turn_of_ticks(struct service_loop *loop, int64_t now)
{
	int64_t wait = until_next(loop, now);

	if (!store_connected(loop->context.store))
		usleep((useconds_t)(wait > RETRY_POLL ? wait : RETRY_POLL));
	else if (wait > 0 && store_wait(loop->context.store, wait))
		loop->tick_at = 0;
}

bool
service_loop(struct service_loop *loop, struct error *error)
{
	while (!service_stopping() && loop->broken.kind == ERROR_NONE) {
		int64_t now = clock_monotonic();

		monitor_alive(loop->context.monitor);
		service_notify_turn(&loop->notify, now);
		if (loop->consumer)
			turn_of_records(loop, now);
		else
			turn_of_ticks(loop, now);
		tick(loop);
	}
	*error = loop->broken;
	return error->kind == ERROR_NONE;
}
