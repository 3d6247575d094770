/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - the resolver: what people answer comes in, approvals move, final words go out. */
#include "services/resolver/resolver.h"

#define MINUTE INT64_C(60000000)

int
main(int argc, char **argv)
{
	static const struct config_key own[] = {
	    {.name = "shelf.limit",
	     .type = CONFIG_DURATION,
	     .offset = offsetof(struct resolver_config, shelf_limit),
	     .fallback = "10m",
	     .min = 1000000,
	     .max = 24 * 60 * MINUTE,
	     .sentence = "How long a response may wait for a request that is not there yet."},
	    {.name = NULL},
	};
	static const struct config_key *const keys[] = {own, NULL};
	static const struct config_table table = {.key_lists = keys};
	static const enum statement statements[] = {
	    STATEMENT_SNAPSHOT_LOCK,	     STATEMENT_SNAPSHOT_GENERATION, STATEMENT_SNAPSHOT_POLICIES,
	    STATEMENT_SNAPSHOT_SHADOWS,	     STATEMENT_KEYRING_KEYS,	    STATEMENT_RESOLVER_KNOWN,
	    STATEMENT_RESOLVER_LOCATE,	     STATEMENT_RESOLVER_LOCK,	    STATEMENT_RESOLVER_REQUESTS,
	    STATEMENT_RESOLVER_REQUIREMENTS, STATEMENT_RESOLVER_STEPS,	    STATEMENT_RESOLVER_TAKE,
	    STATEMENT_APPROVALS_STEPS,	     STATEMENT_RESOLVER_VOTES,	    STATEMENT_RESOLVER_MEMBERS,
	    STATEMENT_RESOLVER_RESPONSE,     STATEMENT_RESOLVER_SAVE,	    STATEMENT_RESOLVER_OVERDUE,
	    STATEMENT_RESOLVER_OPEN,	     STATEMENT_APPROVALS_REQUIRE,   STATEMENT_WORD_DECISION,
	    STATEMENT_WORD_SPOKEN,	     STATEMENT_SHELF_COUNT,	    STATEMENT_SHELF_PUT,
	    STATEMENT_SHELF_KNOWN,	     STATEMENT_SHELF_OVERDUE,	    STATEMENT_LIMITS_LOCK,
	    STATEMENT_LIMITS_LOAD,	     STATEMENT_LIMITS_KEEP,	    STATEMENT_LIMITS_USE,
	    STATEMENT_LIMITS_RECALL,	     STATEMENT_LIMITS_DROP,	    STATEMENT_LIMITS_END,
	    STATEMENT_WORK_OUTCOMES,	     STATEMENT_PEOPLE_ELIGIBLE,	    STATEMENT_SNAPSHOT_HOLDS,
	    STATEMENT_RESOLVER_REVIEW,	     STATEMENT_RESOLVER_REVIEWED,
	};
	static const struct service service = {
	    .name = "resolver",
	    .purpose = "Applies people's answers and deadlines to approvals, and says the final word.",
	    .input = TOPIC_RESPONSES,
	    .table = &table,
	    .config_size = sizeof(struct resolver_config),
	    .batch_config_offset = offsetof(struct resolver_config, batch),
	    .signing_config_offset = offsetof(struct resolver_config, signing),
	    .tick_us = 200 * 1000,
	    .statements = statements,
	    .statement_count = sizeof statements / sizeof *statements,
	    .open = resolver_open,
	    .handle = resolver_handle,
	    .committed = resolver_committed,
	    .tick = resolver_tick,
	    .close = resolver_close,
	};

	return service_run(&service, argc, argv);
}
