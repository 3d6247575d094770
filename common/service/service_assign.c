/* SPDX-License-Identifier: Apache-2.0 */
/* service_assign.c - whose partitions, and from where: the group gives them, the position row makes them ours. */
#include "common/service/service_private.h"
#include "common/clock/clock.h"

#include <stdlib.h>
#include <string.h>

#define SECOND INT64_C(1000000)

struct service_partition *
service_partition(struct service_loop *loop, int32_t number)
{
	for (size_t i = 0; i < loop->partition_count; i++)
		if (loop->partitions[i].position.partition == number)
			return &loop->partitions[i];
	return NULL;
}

static size_t
count_in(const struct service_loop *loop, enum service_partition_state state)
{
	size_t count = 0;

	for (size_t i = 0; i < loop->partition_count; i++)
		count += loop->partitions[i].state == state;
	return count;
}

void
service_assignment_gauge(struct service_loop *loop)
{
	struct monitor *monitor = loop->context.monitor;

	monitor_set(monitor, "partitions", "claiming", (double)count_in(loop, PARTITION_CLAIMING));
	monitor_set(monitor, "partitions", "owned", (double)count_in(loop, PARTITION_OWNED));
	monitor_set(monitor, "partitions", "resting", (double)count_in(loop, PARTITION_RESTING));
	monitor_set(monitor, "partitions", "halted", (double)count_in(loop, PARTITION_HALTED));
}

/* A stand-by member with no partition is as ready as any. */
static void
tell_readiness(struct service_loop *loop)
{
	struct monitor *monitor = loop->context.monitor;

	if (loop->assigning)
		monitor_ready(monitor, "assignment", false, "partitions are being taken over");
	else if (count_in(loop, PARTITION_HALTED) > 0)
		monitor_ready(monitor, "assignment", false,
			      "a partition is halted: what comes next can't be read");
	else if (count_in(loop, PARTITION_RESTING) > 0)
		monitor_ready(monitor, "assignment", false, "a partition rests before it is taken over again");
	else
		monitor_ready(monitor, "assignment", true, "");
	service_assignment_gauge(loop);
}

static void
forget_partitions(struct service_loop *loop)
{
	service_hand_clear(&loop->hand);
	free(loop->partitions);
	loop->partitions = NULL;
	loop->partition_count = 0;
	loop->assigning = false;
	loop->paused = false; /* a new assignment starts unpaused */
	monitor_set(loop->context.monitor, "consumer_paused", "", 0);
}

void
service_assigned(struct service_loop *loop)
{
	const struct bus_partition *given;
	size_t count = bus_assignment(loop->consumer, &given);

	forget_partitions(loop);
	loop->partitions = memory_take((count + 1) * sizeof *loop->partitions);
	loop->partition_count = count;
	for (size_t i = 0; i < count; i++)
		loop->partitions[i] = (struct service_partition){
		    .state = PARTITION_CLAIMING,
		    .position = {.group = loop->group, .topic = loop->topic, .partition = given[i].partition}};
	loop->assigning = true;
	loop->assign_at = 0;
	tell_readiness(loop);
}

void
service_revoked(struct service_loop *loop)
{
	if (loop->hand.records > 0)
		log_info(&loop->log, "records_dropped", log_text("reason", "revoked"),
			 log_number("records", loop->hand.records));
	forget_partitions(loop);
	monitor_ready(loop->context.monitor, "assignment", false, "nothing is assigned");
	service_assignment_gauge(loop);
}

/* ------------------------------------------------------------------ out of the ordinary */

static void
alarm_halted(struct service_loop *loop, struct service_partition *partition)
{
	partition->again_at = clock_monotonic() + 60 * SECOND;
	log_error(&loop->log, "halted", log_text("topic", loop->topic),
		  log_number("partition", partition->position.partition),
		  log_number("next_offset", partition->position.next_offset),
		  log_text("code", partition->why.code), log_text("reason", partition->why.text));
}

/* Neither jumped over nor begun anew: either would be a loss or a replay. The records before it may be finished. */
void
service_lost_position(struct service_loop *loop, int32_t number, const struct error *why)
{
	struct service_partition *partition = service_partition(loop, number);

	if (!partition)
		return;
	partition->state = PARTITION_HALTED;
	partition->why = *why;
	alarm_halted(loop, partition);
	tell_readiness(loop);
}

void
service_partition_rest(struct service_loop *loop, struct service_partition *partition, int64_t pause_us)
{
	partition->state = PARTITION_RESTING;
	partition->again_at = clock_monotonic() + pause_us;
	tell_readiness(loop);
}

/* Nothing rebalanced within its time: what rests is claimed anew, and fetching starts over for all. */
static void
wake_partitions(struct service_loop *loop, int64_t now)
{
	for (size_t i = 0; i < loop->partition_count; i++) {
		struct service_partition *partition = &loop->partitions[i];

		if (now < partition->again_at)
			continue;
		if (partition->state == PARTITION_HALTED)
			alarm_halted(loop, partition);
		if (partition->state == PARTITION_RESTING) {
			partition->state = PARTITION_CLAIMING;
			loop->assigning = true;
		}
	}
}

/* ------------------------------------------------------------------ claiming */

/* Only a partition that was never read begins where its records begin; Kafka is not asked about any other. */
static bool
beginning(struct service_loop *loop, const struct service_partition *partition, int64_t *offset,
	  struct error *error)
{
	struct store_position row = partition->position;
	struct error missing = {0};
	int64_t high;

	if (store_position_read(loop->context.store, &row, &missing)) {
		*offset = row.next_offset;
		return true;
	}
	if (missing.kind != ERROR_FENCED) {
		*error = missing;
		return false;
	}
	if (bus_watermarks(loop->consumer, loop->topic, row.partition, offset, &high, SECOND, error))
		return true;
	service_kafka_fault(loop, error);
	return false;
}

static bool
claim(struct service_loop *loop, struct service_partition *partition, struct error *error)
{
	struct store_position *position = &partition->position;
	int64_t offset;

	if (!beginning(loop, partition, &offset, error)
	    || !store_position_claim(loop->context.store, position, offset, loop->instance, error))
		return false;
	partition->state = PARTITION_OWNED;
	log_info(&loop->log, "claimed", log_text("topic", loop->topic),
		 log_number("partition", position->partition),
		 log_number("next_offset", position->next_offset), log_number("epoch", position->epoch));
	return true;
}

/* From where our own position says; what is in hand comes again and is dropped by its offset, so it goes now. */
static bool
start_fetching(struct service_loop *loop, struct error *error)
{
	struct bus_partition *starts = memory_take((loop->partition_count + 1) * sizeof *starts);
	size_t count = 0;
	bool ok;

	service_hand_clear(&loop->hand);
	for (size_t i = 0; i < loop->partition_count; i++)
		if (loop->partitions[i].state == PARTITION_OWNED)
			starts[count++] =
			    (struct bus_partition){.topic = loop->topic,
						   .partition = loop->partitions[i].position.partition,
						   .offset = loop->partitions[i].position.next_offset};
	ok = bus_assign(loop->consumer, starts, count, error);
	free(starts);
	return ok;
}

static void
claim_failed(struct service_loop *loop, const struct error *error)
{
	switch (error->kind) {
	case ERROR_BROKEN:
		loop->broken = *error;
		break;
	case ERROR_CONFLICT: /* revoked meanwhile: the next poll says so, and a new assignment follows */
		loop->assigning = false;
		log_info(&loop->log, "assignment_gone", log_text("reason", error->text));
		break;
	default:
		loop->assign_at = clock_monotonic() + SECOND;
		if (!store_connected(loop->context.store))
			service_database_away(loop, error);
		else
			log_warn(&loop->log, "assignment_waits", log_text("code", error->code),
				 log_text("reason", error->text));
	}
}

void
service_assign_turn(struct service_loop *loop)
{
	struct error error = {0};
	bool ok = true;

	wake_partitions(loop, clock_monotonic());
	if (!loop->assigning || clock_monotonic() < loop->assign_at || !service_database_ready(loop))
		return;
	for (size_t i = 0; ok && i < loop->partition_count; i++)
		if (loop->partitions[i].state == PARTITION_CLAIMING)
			ok = claim(loop, &loop->partitions[i], &error);
	ok = ok && start_fetching(loop, &error);
	if (!ok) {
		claim_failed(loop, &error);
		return;
	}
	loop->assigning = false;
	service_database_good(loop);
	tell_readiness(loop);
}
