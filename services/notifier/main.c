/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - the notifier: approvals come in, people are told. */
#include "services/notifier/notifier.h"

#define SECOND INT64_C(1000000)
#define MINUTE (60 * SECOND)
#define AT(member) offsetof(struct notifier_config, member)

static const struct config_key own[] = {
    {"notifier.targets_file", CONFIG_STRING, AT(targets_file), "", 0, 0, NULL,
     "JSON file that says who is told; without one nobody is."},
    {"delivery.attempts", CONFIG_INTEGER, AT(attempts), "9", 1, 100, NULL,
     "How often a message is tried before it is given up."},
    {"delivery.backoff", CONFIG_DURATION, AT(backoff), "5s", 1000, 10 * MINUTE,
     NULL, "Longest pause after the first failure; the later ones are 6, 24, 120, 360, 1440, 3600 and 7200 times as long."},
    {"delivery.lease", CONFIG_DURATION, AT(lease), "15s", SECOND / 10, 10 * MINUTE,
     NULL, "How much longer than its time-out an attempt may take before another instance tries the message again."},
    {"delivery.parallel", CONFIG_INTEGER, AT(parallel), "4", 1, 32, NULL,
     "Attempts that may run at once for each target."},
    {"webhook.timeout", CONFIG_DURATION, AT(webhook_timeout), "15s", SECOND / 10, 5 * MINUTE, NULL,
     "Deadline of one webhook call, from looking up the name to the last byte of the answer."},
    {"webhook.allow_private", CONFIG_LIST, AT(allow_private), "", 0, 0,
     NULL, "Networks that webhooks may call although they are not public, for example 10.1.0.0/16; the only ones for http."},
    {"webhook.ports", CONFIG_LIST, AT(ports), "443", 0, 0, NULL, "Ports that webhooks may call, or any."},
    {"command.timeout", CONFIG_DURATION, AT(command_timeout), "10s", SECOND / 10, 5 * MINUTE, NULL,
     "How long a command may run before it is ended."},
    {.name = NULL},
};

int
main(int argc, char **argv)
{
	static const struct config_key *const keys[] = {own, NULL};
	static const struct config_table table = {.key_lists = keys};
	static const enum statement statements[] = {
	    STATEMENT_NOTIFIER_CARDS,	STATEMENT_NOTIFIER_PLAN, STATEMENT_NOTIFIER_CLAIM,
	    STATEMENT_NOTIFIER_RECORD,	STATEMENT_NOTIFIER_BURY, STATEMENT_NOTIFIER_DISABLE,
	    STATEMENT_NOTIFIER_PENDING, STATEMENT_NOTIFIER_DEAD, STATEMENT_NOTIFIER_OUTCOMES,
	};
	static const struct service service = {
	    .name = "notifier",
	    .purpose = "Tells people that they are asked, and what became of it.",
	    .input = TOPIC_APPROVALS,
	    .table = &table,
	    .config_size = sizeof(struct notifier_config),
	    .batch_config_offset = offsetof(struct notifier_config, batch),
	    .tick_us = 100 * 1000,
	    .statements = statements,
	    .statement_count = sizeof statements / sizeof *statements,
	    .open = notifier_open,
	    .handle = notifier_handle,
	    .committed = notifier_committed,
	    .tick = notifier_tick,
	    .close = notifier_close,
	};

	return service_run(&service, argc, argv);
}
