/* SPDX-License-Identifier: Apache-2.0 */
/*
 * service_batch.c - the one transaction of a batch, and what each way of failing means. The order inside is the promise:
 * position, effects, ledger, COMMIT, and only then memory and Kafka learn that the records are taken.
 */
#include "common/service/service_private.h"

#include "common/clock/clock.h"
#include "common/store/store_ledger.h"

#include <assert.h>
#include <string.h>

enum { STUBBORN = 5, REST_AFTER_CONFLICT = 60 * 1000 * 1000 };

enum verdict {
	GO_ON,	/* the next records of the batch, or the same in another way */
	LATER,	/* it stays in hand */
	FORGET, /* its records are not ours any more */
};

/* The records of one transaction. */
struct attempt {
	struct service_batch *batch;
	struct service_partition *partition;
	const struct record *records;
	size_t count;
	int64_t end;
};

/* ------------------------------------------------------------------ the transaction */

static bool
effects(struct service_loop *loop, struct work *work, const struct attempt *attempt, struct error *error)
{
	const struct error *refusal = &attempt->batch->refusal;

	if (refusal->kind != ERROR_NONE)
		return work_quarantine(work, attempt->records, refusal, NULL, NULL, error);
	return loop->service->handle(loop->state, work, attempt->records, attempt->count, error);
}

static bool
transact(struct service_loop *loop, const struct attempt *attempt, bool *unknown, struct error *error)
{
	struct store *store = loop->context.store;
	struct work work;
	bool ok = work_begin(&loop->context, loop->arena, &work, error)
		  && store_position_advance(store, &attempt->partition->position, attempt->end, error)
		  && effects(loop, &work, attempt, error)
		  && store_ledger_append(store, loop->arena, work.events, work.event_count, error)
		  && store_commit(store, unknown, error);

	if (ok)
		work_committed(&work);
	else
		work_rollback(&work);
	assert(ok || error->kind != ERROR_NONE);
	arena_reset(loop->arena);
	return ok;
}

static void
taken(struct service_loop *loop, const struct attempt *attempt)
{
	struct store_position *position = &attempt->partition->position;
	struct service_batch *batch = attempt->batch;

	position->next_offset = attempt->end;
	batch->done += attempt->count;
	service_batch_unburden(batch);
	service_database_good(loop);
	bus_hint(loop->consumer, loop->topic, position->partition, attempt->end);
	monitor_add(loop->context.monitor, "records_consumed_total", "", (int64_t)attempt->count);
	monitor_add(loop->context.monitor, "batches_total", "", 1);
	if (loop->service->committed)
		loop->service->committed(loop->state);
}

/* ------------------------------------------------------------------ whose is it? */

static void
fence_lost(struct service_loop *loop, struct service_partition *partition, const struct store_position *row)
{
	monitor_add(loop->context.monitor, "fence_losses_total", "", 1);
	log_warn(&loop->log, "fenced", log_text("topic", loop->topic), log_number("partition", row->partition),
		 log_number("my_epoch", partition->position.epoch), log_number("epoch", row->epoch),
		 log_number("my_next_offset", partition->position.next_offset),
		 log_number("next_offset", row->next_offset));
	service_partition_rest(loop, partition, 2 * bus_session_timeout(loop->consumer));
}

static enum verdict
answer_missing(struct service_loop *loop, const struct attempt *attempt, const struct error *error)
{
	struct store_position none = {.partition = attempt->batch->partition};

	if (error->kind == ERROR_FENCED) { /* somebody has removed the row */
		fence_lost(loop, attempt->partition, &none);
		return FORGET;
	}
	if (error->kind == ERROR_BROKEN)
		loop->broken = *error;
	else
		service_database_away(loop, error);
	return LATER;
}

/*
 * Our transaction changed no position row, or nobody told us whether it did. The row tells: it stands at our end under
 * our epoch only if we moved it there. Else it is as before (run it again), or somebody else's, or went back with a
 * fail-over: then the row is the truth, and we start over from it.
 */
static enum verdict
ask_row(struct service_loop *loop, const struct attempt *attempt)
{
	struct store_position row = attempt->partition->position;
	struct error error = {0};

	if (!store_position_read(loop->context.store, &row, &error))
		return answer_missing(loop, attempt, &error);
	if (row.epoch == attempt->partition->position.epoch && row.next_offset == attempt->end) {
		log_warn(&loop->log, "commit_was_done", log_text("topic", loop->topic),
			 log_number("partition", row.partition), log_number("next_offset", row.next_offset));
		taken(loop, attempt);
		return GO_ON;
	}
	if (row.epoch != attempt->partition->position.epoch
	    || row.next_offset != attempt->partition->position.next_offset) {
		fence_lost(loop, attempt->partition, &row);
		return FORGET;
	}
	/* As before, or the old session is still about to commit: then the next run waits for its lock and is fenced. */
	if (!attempt->batch->ask) {
		error_set(&error, ERROR_UNAVAILABLE, "position",
			  "the position was refused and yet is what it was");
		service_database_away(loop, &error);
		return LATER;
	}
	attempt->batch->ask = false;
	return GO_ON;
}

/* ------------------------------------------------------------------ ways of failing */

/* A lock that somebody holds, a deadlock: this batch waits and is run again, the others need not. */
static enum verdict
busy(struct service_loop *loop, const struct attempt *attempt, const struct error *error)
{
	int64_t pause = service_backoff_next(&attempt->batch->backoff);

	attempt->batch->not_before = clock_monotonic() + pause;
	attempt->batch->away = false;
	log_warn(&loop->log, "batch_waits", log_text("topic", loop->topic),
		 log_number("partition", attempt->batch->partition),
		 log_number("offset", attempt->records->offset), log_text("code", error->code),
		 log_text("reason", error->text), log_number("pause_ms", pause / 1000));
	return LATER;
}

static enum verdict
away(struct service_loop *loop, const struct attempt *attempt, bool unknown, const struct error *error)
{
	if (!unknown && strcmp(error->code, STORE_RUN_AGAIN) == 0 && store_connected(loop->context.store))
		return busy(loop, attempt, error);
	attempt->batch->away = true;
	if (unknown) {
		attempt->batch->ask = true;
		attempt->batch->unknown_end = attempt->end;
		monitor_add(loop->context.monitor, "unknown_commits_total", "", 1);
		log_warn(&loop->log, "commit_unknown", log_text("topic", loop->topic),
			 log_number("partition", attempt->batch->partition), log_number("end", attempt->end));
	}
	service_database_away(loop, error);
	return LATER;
}

/* One that meets a conflict alone waits for somebody's transaction; it is never quarantined for that. */
static enum verdict
conflict(struct service_loop *loop, const struct attempt *attempt, const struct error *error)
{
	struct service_batch *batch = attempt->batch;

	if (attempt->count > 1) {
		batch->single = true;
		return GO_ON;
	}
	if (++batch->conflicts < STUBBORN) {
		batch->not_before = clock_monotonic() + service_backoff_next(&batch->backoff);
		return LATER;
	}
	log_error(&loop->log, "stubborn", log_text("topic", loop->topic),
		  log_number("partition", batch->partition), log_number("offset", attempt->records->offset),
		  log_text("code", error->code), log_text("reason", error->text));
	service_partition_rest(loop, attempt->partition, REST_AFTER_CONFLICT);
	return FORGET;
}

static enum verdict
invalid(struct service_loop *loop, const struct attempt *attempt, const struct error *error)
{
	struct service_batch *batch = attempt->batch;

	if (attempt->count > 1) {
		batch->single = true;
		return GO_ON;
	}
	if (batch->refusal.kind != ERROR_NONE) /* not even quarantine takes it: no reason to lose it */
		return conflict(loop, attempt, error);
	batch->refusal = *error;
	return GO_ON;
}

static enum verdict
failed(struct service_loop *loop, const struct attempt *attempt, bool unknown, const struct error *error)
{
	monitor_add(loop->context.monitor, "batches_repeated_total", error_kind_name(error->kind), 1);
	switch (error->kind) {
	case ERROR_UNAVAILABLE:
		return away(loop, attempt, unknown, error);
	case ERROR_FENCED:
		return ask_row(loop, attempt);
	case ERROR_CONFLICT:
		return conflict(loop, attempt, error);
	case ERROR_INVALID:
		return invalid(loop, attempt, error);
	case ERROR_BROKEN:
	case ERROR_NONE:
		break;
	}
	loop->broken = *error; /* nothing is quarantined for our own faults */
	return LATER;
}

/* ------------------------------------------------------------------ batches */

static enum verdict
try_records(struct service_loop *loop, const struct attempt *attempt)
{
	struct error error = {0};
	bool unknown = false;

	if (attempt->batch->ask)
		return ask_row(loop, attempt);
	if (transact(loop, attempt, &unknown, &error)) {
		taken(loop, attempt);
		return GO_ON;
	}
	return failed(loop, attempt, unknown, &error);
}

/* Kafka gives some records twice, after a rebalance above all: the position knows. */
static void
skip_taken(struct service_loop *loop, struct service_batch *batch, int64_t next_offset)
{
	while (batch->done < batch->count && batch->records[batch->done].offset < next_offset) {
		batch->done++;
		service_batch_unburden(batch);
		monitor_add(loop->context.monitor, "records_repeated_total", "", 1);
	}
}

/* LATER when it is to stay in hand. */
static enum verdict
run(struct service_loop *loop, struct service_batch *batch)
{
	struct service_partition *partition = service_partition(loop, batch->partition);
	bool ours = partition && (partition->state == PARTITION_OWNED || partition->state == PARTITION_HALTED);
	enum verdict verdict = ours ? GO_ON : FORGET;

	while (verdict == GO_ON) {
		skip_taken(loop, batch, partition->position.next_offset);
		if (batch->done == batch->count)
			return GO_ON;
		if (service_stopping() || !store_connected(loop->context.store)
		    || clock_monotonic() < batch->not_before)
			return LATER;

		struct attempt attempt = {.batch = batch,
					  .partition = partition,
					  .records = batch->records + batch->done,
					  .count = service_batch_next(batch)};

		attempt.end = attempt.records[attempt.count - 1].offset + 1;
		verdict = try_records(loop, &attempt);
		monitor_alive(loop->context.monitor);
	}
	return verdict;
}

void
service_batches_run(struct service_loop *loop)
{
	for (size_t i = 0; i < loop->hand.count && loop->broken.kind == ERROR_NONE;)
		if (run(loop, &loop->hand.batches[i]) == LATER)
			i++;
		else
			service_hand_drop(&loop->hand, i);
}
