/* SPDX-License-Identifier: Apache-2.0 */
/* resolver.c - the order of one batch: intake under locks, clock, application, rows. */
#include "services/resolver/resolver.h"

#include <stdlib.h>

bool
resolver_open(struct service_context *context, void **state, struct error *error)
{
	struct resolver *resolver = memory_take(sizeof *resolver);
	struct monitor *monitor = context->monitor;

	(void)error;
	resolver->context = context;
	resolver->config = context->config;
	resolver->snapshot = snapshot_open(context->log, monitor);
	resolver->journal = journal_open(context->log, monitor);
	resolver->shelf = (struct shelf_keeper){
	    .context = context,
	    .journal = resolver->journal,
	    .limit_us = resolver->config->shelf_limit,
	    .state = resolver,
	    .apply = resolver_apply_shelved,
	    .give_up = resolver_give_up,
	};
	monitor_counter(monitor, "responses_total", "Verified responses by what became of them.", "result");
	monitor_counter(monitor, "responses_refused_total", "Responses that did not count.", "code");
	monitor_counter(monitor, "responses_repeated_total",
			"Responses that were known, with the same content.", "");
	monitor_counter(monitor, "approvals_closed_total", "Approvals that got their final state.", "state");
	monitor_counter(monitor, "overrides_total", "Approvals that one person let through alone.", "");
	monitor_counter(monitor, "shelved_total", "Responses that came before their request.", "");
	limits_declare(monitor);
	monitor_gauge(monitor, "approvals_open", "Approvals that wait for people.", "");
	monitor_gauge(monitor, "approvals_held", "Those that would be granted if no hold stood in their way.",
		      "");
	monitor_gauge(monitor, "approvals_oldest_open_seconds", "Age of the oldest of them.", "");
	*state = resolver;
	return true;
}

bool
resolver_handle(void *state, struct work *work, const struct record *records, size_t count, struct error *error)
{
	struct resolver *resolver = state;
	struct resolver_intake intake;

	journal_begin(resolver->journal);
	if (!resolver_intake(resolver, work, records, count, false, &intake, error) || !work_now(work, error))
		return false;

	struct resolver_effects effects = resolver_effects_open(resolver, work, count);

	return resolver_foresee(&effects, &intake.approvals, error) && resolver_apply(&effects, &intake, error)
	       && resolver_effects_send(&effects, &intake.approvals, error);
}

void
resolver_committed(void *state)
{
	struct resolver *resolver = state;

	journal_publish(resolver->journal);
}

void
resolver_close(void *state)
{
	struct resolver *resolver = state;

	snapshot_close(resolver->snapshot);
	journal_close(resolver->journal);
	free(resolver);
}
