/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - the recorder: what executors report comes in, outcomes are kept, incidents go out. */
#include "services/recorder/recorder.h"

#define SECOND INT64_C(1000000)
#define DAY (86400 * SECOND)

int
main(int argc, char **argv)
{
	static const struct config_key own[] = {
	    {.name = "shelf.limit",
	     .type = CONFIG_DURATION,
	     .offset = offsetof(struct recorder_config, shelf_limit),
	     .fallback = "10m",
	     .min = SECOND,
	     .max = DAY,
	     .sentence =
		 "How long an outcome may wait for a request that is not there yet; then it is an incident."},
	    {.name = "recorder.report_within",
	     .type = CONFIG_DURATION,
	     .offset = offsetof(struct recorder_config, report_within),
	     .fallback = "0s",
	     .min = 0,
	     .max = 365 * DAY,
	     .sentence = "An authorization that nobody reported on so long after its end is an incident of "
			 "low severity; 0s: it never is."},
	    {.name = NULL},
	};
	static const struct config_key *const keys[] = {own, NULL};
	static const struct config_table table = {.key_lists = keys};
	static const enum statement statements[] = {
	    STATEMENT_WORK_OUTCOMES,	   STATEMENT_RECORDER_KNOWN,	STATEMENT_RECORDER_REQUESTS,
	    STATEMENT_RECORDER_OUTCOME,	   STATEMENT_RECORDER_INCIDENT, STATEMENT_RECORDER_UNREPORTED,
	    STATEMENT_RECORDER_FORGET_RAW, STATEMENT_SHELF_COUNT,	STATEMENT_SHELF_PUT,
	    STATEMENT_SHELF_KNOWN,	   STATEMENT_SHELF_OVERDUE,	STATEMENT_RECORDER_FORGET_LIMITS,
	    STATEMENT_LIMITS_RECALL,	   STATEMENT_LIMITS_LOCK,	STATEMENT_LIMITS_LOAD,
	    STATEMENT_LIMITS_KEEP,	   STATEMENT_LIMITS_USE,	STATEMENT_LIMITS_DROP,
	    STATEMENT_LIMITS_END,	   STATEMENT_LIMITS_USES,	STATEMENT_LIMITS_RELEASE,
	    STATEMENT_KEYRING_KEYS,
	};
	static const struct service service = {
	    .name = "recorder",
	    .purpose = "Keeps what executors report, and turns what must not happen into incidents.",
	    .input = TOPIC_OUTCOMES,
	    .table = &table,
	    .config_size = sizeof(struct recorder_config),
	    .batch_config_offset = offsetof(struct recorder_config, batch),
	    .tick_us = 200 * 1000,
	    .statements = statements,
	    .statement_count = sizeof statements / sizeof *statements,
	    .open = recorder_open,
	    .handle = recorder_handle,
	    .committed = recorder_committed,
	    .tick = recorder_tick,
	    .close = recorder_close,
	};

	return service_run(&service, argc, argv);
}
