/* SPDX-License-Identifier: Apache-2.0 */
/* notifier.h - approvals in, messages to people out: what the files of this service share. */
#ifndef COUNTERSIGN_NOTIFIER_H
#define COUNTERSIGN_NOTIFIER_H

#include "common/journal/journal.h"
#include "common/service/service.h"
#include "services/notifier/card.h"
#include "services/notifier/sender.h"
#include "services/notifier/targets.h"

struct notifier_config {
	struct service_config service;
	struct service_batch_config batch;
	char *targets_file;	 /* notifier.targets_file */
	int64_t attempts;	 /* delivery.attempts */
	int64_t backoff;	 /* delivery.backoff */
	int64_t lease;		 /* delivery.lease */
	int64_t parallel;	 /* delivery.parallel */
	int64_t webhook_timeout; /* webhook.timeout */
	char *allow_private;	 /* webhook.allow_private */
	char *ports;		 /* webhook.ports */
	int64_t command_timeout; /* command.timeout */
};

struct notifier {
	struct service_context *context;
	const struct notifier_config *config;
	struct arena *own;     /* as long as the service */
	struct arena *scratch; /* of some approvals at a time */
	struct journal *journal;
	struct targets targets;
	struct channel_settings settings;
	atomic_bool abandoned;
	struct sender *sender;
	struct attempt *finished; /* not recorded yet, in the order in which they ended */
	int64_t *rest_until;	  /* by target: its receiver asked for patience */
	int64_t bury_at, pending_at, dead_at, outcomes_at; /* these and rest_until by CLOCK_MONOTONIC */
};

bool notifier_open(struct service_context *context, void **state, struct error *error) CS_MUST_CHECK;
bool notifier_handle(void *state, struct work *work, const struct record *records, size_t count,
		     struct error *error) CS_MUST_CHECK;
void notifier_committed(void *state);
void notifier_close(void *state);

/* ------------------------------------------------------------------ notifier_plan.c: who is to be told what */

/*
 * Rows for all that these approvals have to say to anybody now and did not say yet. ids: distinct, in ascending order;
 * known[i]: whether there is such an approval. Needs work->now.
 */
bool notifier_plan(struct notifier *notifier, struct work *work, const char *const *ids, size_t count,
		   bool *known, struct error *error) CS_MUST_CHECK;

/* Approvals whose cards are in memory together, in `scratch`. */
#define NOTIFIER_AT_ONCE 32
/* The cards of those of these approvals that there are, in the order of ids; at most NOTIFIER_AT_ONCE. */
bool notifier_cards(struct notifier *notifier, struct work *work, const char *const *ids, size_t count,
		    struct card **cards, size_t *card_count, struct error *error) CS_MUST_CHECK;
/* All that these cards have to say and did not say yet; where one holds an outcome, that too. Needs work->now. */
bool notifier_plan_cards(struct notifier *notifier, struct work *work, const struct card *cards, size_t count,
			 struct error *error) CS_MUST_CHECK;

/* ------------------------------------------------------------------ notifier_outcome.c: what became of it */

/* Plans what is to be told of outcomes that nobody was told of. */
bool notifier_tell_outcomes(struct notifier *notifier, struct arena *arena, bool *again,
			    struct error *error) CS_MUST_CHECK;

/* ------------------------------------------------------------------ notifier_tick.c: what happens by time */

bool notifier_tick(void *state, struct arena *arena, bool *again, struct error *error) CS_MUST_CHECK;

/* ------------------------------------------------------------------ notifier_record.c: how attempts ended */

/* Takes what has ended from the sender. */
void notifier_collect(struct notifier *notifier);
/* Collects and records. What could not be recorded is kept for the next call. */
bool notifier_record(struct notifier *notifier, struct arena *arena, bool *any,
		     struct error *error) CS_MUST_CHECK;

#endif
