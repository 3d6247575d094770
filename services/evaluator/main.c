/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - the evaluator: requests come in, decisions and words go out. */
#include "services/evaluator/evaluator.h"

#define HOUR INT64_C(3600000000)

enum { OPEN_MAX = 1000000 };

int
main(int argc, char **argv)
{
	static const struct config_key own[] = {
	    {.name = "approvals.open_per_agent",
	     .type = CONFIG_INTEGER,
	     .offset = offsetof(struct evaluator_config, open_per_agent),
	     .fallback = "100",
	     .min = 0,
	     .max = OPEN_MAX,
	     .sentence = "So many approvals of one agent may be open; further requests that need one are "
			 "refused. 0: no limit."},
	    {.name = "approvals.open_per_class",
	     .type = CONFIG_INTEGER,
	     .offset = offsetof(struct evaluator_config, open_per_class),
	     .fallback = "1000",
	     .min = 0,
	     .max = OPEN_MAX,
	     .sentence = "Likewise, of one action class."},
	    {.name = "approvals.open_per_group",
	     .type = CONFIG_INTEGER,
	     .offset = offsetof(struct evaluator_config, open_per_group),
	     .fallback = "1000",
	     .min = 0,
	     .max = OPEN_MAX,
	     .sentence = "Likewise, that ask one group."},
	    {.name = "holds.limit",
	     .type = CONFIG_DURATION,
	     .offset = offsetof(struct evaluator_config, held_limit),
	     .fallback = "24h",
	     .min = 1000000,
	     .max = 366 * 24 * HOUR,
	     .sentence =
		 "How long a request waits at most while a hold stands in its way; then it is EXPIRED."},
	    {.name = NULL},
	};
	static const struct config_key *const keys[] = {own, NULL};
	static const struct config_table table = {.key_lists = keys};
	static const enum statement statements[] = {
	    STATEMENT_SNAPSHOT_LOCK,	 STATEMENT_SNAPSHOT_GENERATION,
	    STATEMENT_SNAPSHOT_POLICIES, STATEMENT_SNAPSHOT_SHADOWS,
	    STATEMENT_EVALUATOR_KNOWN,	 STATEMENT_EVALUATOR_KNOWN_ONE,
	    STATEMENT_PEOPLE_ELIGIBLE,	 STATEMENT_EVALUATOR_REQUEST,
	    STATEMENT_APPROVALS_OPEN,	 STATEMENT_APPROVALS_REQUIRE,
	    STATEMENT_APPROVALS_STEPS,	 STATEMENT_WORD_DECISION,
	    STATEMENT_WORD_SPOKEN,	 STATEMENT_LIMITS_LOCK,
	    STATEMENT_LIMITS_LOAD,	 STATEMENT_LIMITS_KEEP,
	    STATEMENT_LIMITS_USE,	 STATEMENT_LIMITS_DROP,
	    STATEMENT_LIMITS_END,	 STATEMENT_KEYRING_KEYS,
	    STATEMENT_FLOOD_OPEN,	 STATEMENT_FLOOD_COUNT,
	    STATEMENT_FLOOD_KEEP,	 STATEMENT_FLOOD_TOLD,
	    STATEMENT_FLOOD_INCIDENT,	 STATEMENT_SNAPSHOT_HOLDS,
	    STATEMENT_HELD_KEEP,	 STATEMENT_HELD_RELEASE,
	    STATEMENT_HELD_DUE,		 STATEMENT_HELD_COUNT,
	};
	static const struct service service = {
	    .name = "evaluator",
	    .purpose = "Decides requests: allowed, blocked, or people must be asked.",
	    .input = TOPIC_REQUESTS,
	    .table = &table,
	    .config_size = sizeof(struct evaluator_config),
	    .batch_config_offset = offsetof(struct evaluator_config, batch),
	    .signing_config_offset = offsetof(struct evaluator_config, signing),
	    .statements = statements,
	    .statement_count = sizeof statements / sizeof *statements,
	    .open = evaluator_open,
	    .handle = evaluator_handle,
	    .committed = evaluator_committed,
	    .tick_us = 200 * 1000,
	    .tick = evaluator_tick,
	    .close = evaluator_close,
	};

	return service_run(&service, argc, argv);
}
