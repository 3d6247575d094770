/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - the evaluator: requests come in, decisions and words go out. */
#include "services/evaluator/evaluator.h"

int
main(int argc, char **argv)
{
	static const struct config_key *const keys[] = {NULL};
	static const struct config_table table = {.key_lists = keys};
	static const enum statement statements[] = {
	    STATEMENT_SNAPSHOT_LOCK,	  STATEMENT_SNAPSHOT_GENERATION, STATEMENT_SNAPSHOT_POLICIES,
	    STATEMENT_SNAPSHOT_SHADOWS,	  STATEMENT_EVALUATOR_KNOWN,	 STATEMENT_EVALUATOR_KNOWN_ONE,
	    STATEMENT_EVALUATOR_ELIGIBLE, STATEMENT_EVALUATOR_REQUEST,	 STATEMENT_APPROVALS_OPEN,
	    STATEMENT_APPROVALS_REQUIRE,  STATEMENT_APPROVALS_STEPS,	 STATEMENT_WORD_DECISION,
	    STATEMENT_WORD_SPOKEN,	  STATEMENT_LIMITS_LOCK,	 STATEMENT_LIMITS_LOAD,
	    STATEMENT_LIMITS_KEEP,	  STATEMENT_LIMITS_USE,		 STATEMENT_LIMITS_DROP,
	    STATEMENT_KEYRING_KEYS,
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
	    .close = evaluator_close,
	};

	return service_run(&service, argc, argv);
}
