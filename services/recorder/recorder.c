/* SPDX-License-Identifier: Apache-2.0 */
/* recorder.c - the order of one batch: intake under locks, clock, judgement, rows. */
#include "services/recorder/recorder.h"

#include <stdlib.h>

bool
recorder_open(struct service_context *context, void **state, struct error *error)
{
	struct recorder *recorder = memory_take(sizeof *recorder);
	struct monitor *monitor = context->monitor;

	(void)error;
	recorder->context = context;
	recorder->config = context->config;
	recorder->journal = journal_open(context->log, monitor);
	recorder->shelf = (struct shelf_keeper){
	    .context = context,
	    .journal = recorder->journal,
	    .limit_us = recorder->config->shelf_limit,
	    .state = recorder,
	    .apply = recorder_apply_shelved,
	    .give_up = recorder_give_up,
	};
	monitor_counter(monitor, "outcomes_total", "Outcomes by their status.", "status");
	monitor_counter(monitor, "outcomes_repeated_total",
			"Outcomes that were known, with the same content.", "");
	monitor_counter(monitor, "outcomes_refused_total", "Outcomes that were not taken.", "code");
	monitor_counter(monitor, "incidents_total", "Incidents by kind.", "kind");
	monitor_counter(monitor, "limit_uses_released_total",
			"Uses of limits that were given back because the execution failed.", "policy,limit");
	monitor_counter(monitor, "shelved_total", "Outcomes that came before their request.", "");
	*state = recorder;
	return true;
}

static bool
handle(struct recorder *recorder, struct work *work, const struct record *records, size_t count,
       bool from_shelf, bool given_up, struct error *error)
{
	struct recorder_intake intake;

	if (!recorder_intake(work, records, count, &intake, error)
	    || !recorder_recall(recorder, work, &intake, error) || !recorder_verify(work, &intake, error))
		return false;
	for (size_t i = 0; i < count; i++) {
		intake.items[i].from_shelf = from_shelf;
		intake.items[i].given_up = given_up;
	}
	return recorder_record(recorder, work, &intake, error) && limits_send(intake.limits, error);
}

bool
recorder_handle(void *state, struct work *work, const struct record *records, size_t count, struct error *error)
{
	struct recorder *recorder = state;

	journal_begin(recorder->journal);
	return handle(recorder, work, records, count, false, false, error);
}

bool
recorder_apply_shelved(void *state, struct work *work, const struct record *records, size_t count,
		       struct error *error)
{
	return handle(state, work, records, count, true, false, error);
}

bool
recorder_give_up(void *state, struct work *work, const struct record *records, size_t count, struct error *error)
{
	return handle(state, work, records, count, true, true, error);
}

void
recorder_committed(void *state)
{
	struct recorder *recorder = state;

	journal_publish(recorder->journal);
}

void
recorder_close(void *state)
{
	struct recorder *recorder = state;

	journal_close(recorder->journal);
	free(recorder);
}
