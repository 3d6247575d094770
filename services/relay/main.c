/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - the relay: what it is called, what it reads from its configuration, which statements it needs. */
#include "services/relay/relay.h"

#define KEY(member) offsetof(struct relay_config, member)
#define SECOND INT64_C(1000000)

static const struct config_key relay_keys[] = {
    {.name = "signing.key_file",
     .type = CONFIG_STRING,
     .offset = KEY(key_file),
     .sentence = "PEM file (PKCS#8, mode 0600) of the Ed25519 key that signs the checkpoints."},
    {.name = "relay.lease",
     .type = CONFIG_DURATION,
     .offset = KEY(lease),
     .fallback = "15s",
     .min = 3 * SECOND,
     .max = 600 * SECOND,
     .sentence =
	 "How long a chain stays this relay's without renewal; after a crash another relay waits that long."},
    {.name = "relay.poll",
     .type = CONFIG_DURATION,
     .offset = KEY(poll),
     .fallback = "200ms",
     .min = SECOND / 100,
     .max = 60 * SECOND,
     .sentence = "How often the ledger is looked at when nobody says that something is new."},
    {.name = "relay.checkpoint_interval",
     .type = CONFIG_DURATION,
     .offset = KEY(checkpoint_interval),
     .fallback = "60s",
     .min = SECOND / 10,
     .max = 86400 * SECOND,
     .sentence = "How often the head of a chain is signed, if it has moved."},
    {.name = NULL},
};
static const struct config_key *const lists[] = {service_keys, relay_keys, NULL};
static const struct config_table table = {.key_lists = lists};

static const char *const outputs[] = {TOPIC_APPROVALS,
				      TOPIC_AUTHORIZATIONS,
				      TOPIC_INCIDENTS,
				      TOPIC_QUARANTINE,
				      TOPIC_CHECKPOINTS,
				      TOPIC_DIRECTORY,
				      NULL};

static const enum statement statements[] = {
    STATEMENT_RELAY_CLAIM,	     STATEMENT_RELAY_ADVANCE,	      STATEMENT_RELAY_POSITION,
    STATEMENT_RELAY_RELEASE,	     STATEMENT_RELAY_HEADS,	      STATEMENT_RELAY_EVENTS,
    STATEMENT_RELAY_CHECKPOINT_HEAD, STATEMENT_RELAY_CHECKPOINT_LAST, STATEMENT_RELAY_CHECKPOINT,
};

static const struct service relay = {
    .name = "relay",
    .purpose = "Publishes the ledger's events to Kafka in ledger order, and signs its checkpoints.",
    .outputs = outputs,
    .wake = "countersign_ledger",
    .table = &table,
    .config_size = sizeof(struct relay_config),
    .statements = statements,
    .statement_count = sizeof statements / sizeof *statements,
    .tick_config_offset = KEY(poll),
    .open = relay_open,
    .tick = relay_tick,
    .close = relay_close,
};

int
main(int argc, char **argv)
{
	return service_run(&relay, argc, argv);
}
