/* SPDX-License-Identifier: Apache-2.0 */
/* evaluator.c - the order of one batch: policies, intake, clock, decision, answer. */
#include "services/evaluator/evaluator.h"

#include <stdlib.h>

bool
evaluator_open(struct service_context *context, void **state, struct error *error)
{
	struct evaluator *evaluator = memory_take(sizeof *evaluator);

	(void)error;
	evaluator->context = context;
	evaluator->config = context->config;
	evaluator->snapshot = snapshot_open(context->log, context->monitor);
	evaluator->journal = journal_open(context->log, context->monitor);
	evaluator->rows = arena_open();
	monitor_counter(context->monitor, "decisions_total", "First decisions on requests.", "verdict");
	monitor_counter(context->monitor, "requests_repeated_total",
			"Requests that were known, with the same content.", "");
	monitor_counter(context->monitor, "requests_refused_total", "Requests that were not taken.", "code");
	monitor_counter(context->monitor, "flood_total",
			"Requests that were refused because too many approvals were open.", "of");
	monitor_gauge(context->monitor, "requests_held",
		      "Requests that wait since a hold stands in their way.", "");
	limits_declare(context->monitor);
	*state = evaluator;
	return true;
}

/*
 * All that is to be known before anything is decided, in one round trip behind the position: the policies' lock and their
 * generation, the ids that are taken, the keys of signed requests, and last the clock. It is asked again when loading policies has taken time.
 */
static bool
look(struct evaluator *evaluator, struct work *work, struct evaluator_intake *intake, struct error *error)
{
	bool changed = false;

	return snapshot_ask(evaluator->snapshot, work, error) && evaluator_ask(work, intake, error)
	       && evaluator_ask_keys(work, intake, error) && work_ask_now(work, error)
	       && store_settle(work->store, error) && snapshot_take(evaluator->snapshot, work, &changed, error)
	       && (changed ? work_now(work, error) : work_take_now(work, error));
}

bool
evaluator_handle(void *state, struct work *work, const struct record *records, size_t count, struct error *error)
{
	struct evaluator *evaluator = state;
	struct evaluator_intake intake = {.count = count};
	struct limits *limits = limits_open(work, evaluator->journal);

	journal_begin(evaluator->journal);
	if (!evaluator_parse(work->arena, records, &intake, error) || !evaluator_verify(work, &intake, error)
	    || !look(evaluator, work, &intake, error))
		return false;
	evaluator_sort(work->arena, &intake, work->now);
	return evaluator_decide(evaluator, work, limits, intake.items, count, error)
	       && limits_send(limits, error) && evaluator_answer(evaluator, work, intake.items, count, error);
}

void
evaluator_committed(void *state)
{
	struct evaluator *evaluator = state;

	journal_publish(evaluator->journal);
}

void
evaluator_close(void *state)
{
	struct evaluator *evaluator = state;

	snapshot_close(evaluator->snapshot);
	journal_close(evaluator->journal);
	arena_close(evaluator->rows);
	free(evaluator);
}
