/* SPDX-License-Identifier: Apache-2.0 */
/* evaluator.c - the order of one batch: policies, intake, clock, decision, answer. */
#include "services/evaluator/evaluator.h"

#include <stdlib.h>

bool
evaluator_open(struct service_context *context, void **state, struct error *error)
{
	struct evaluator *evaluator = memory_take(sizeof *evaluator);

	(void)error;
	evaluator->snapshot = snapshot_open(context->log, context->monitor);
	evaluator->journal = journal_open(context->log, context->monitor);
	monitor_counter(context->monitor, "decisions_total", "First decisions on requests.", "verdict");
	monitor_counter(context->monitor, "requests_repeated_total",
			"Requests that were known, with the same content.", "");
	monitor_counter(context->monitor, "requests_refused_total", "Requests that were not taken.", "code");
	*state = evaluator;
	return true;
}

bool
evaluator_handle(void *state, struct work *work, const struct record *records, size_t count, struct error *error)
{
	struct evaluator *evaluator = state;
	struct evaluator_item *items;

	journal_begin(evaluator->journal);
	return snapshot_refresh(evaluator->snapshot, work, error)
	       && evaluator_intake(work, records, count, &items, error) && work_now(work, error)
	       && evaluator_decide(evaluator, work, items, count, error)
	       && evaluator_answer(evaluator, work, items, count, error);
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
	free(evaluator);
}
