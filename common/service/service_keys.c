/* SPDX-License-Identifier: Apache-2.0 */
/* service_keys.c - the configuration keys that services share, and the one table of a service out of them and its own. */
#include "common/service/service_private.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#define MS INT64_C(1000)
#define SECOND (1000 * MS)
#define DAY (86400 * SECOND)
#define KEY(member) offsetof(struct service_config, member)

const struct config_key service_keys[] = {
    {.name = "database.uri",
     .type = CONFIG_SECRET,
     .offset = KEY(database_uri),
     .fallback = "",
     .sentence = "PostgreSQL as a libpq URI; what it leaves out is taken from the PG* variables."},
    {.name = "database.statement_timeout",
     .type = CONFIG_DURATION,
     .offset = KEY(statement_timeout),
     .fallback = "10s",
     .min = 100 * MS,
     .max = 600 * SECOND,
     .sentence = "A statement that takes longer is given up and run again."},
    {.name = "database.lock_timeout",
     .type = CONFIG_DURATION,
     .offset = KEY(lock_timeout),
     .fallback = "5s",
     .min = 10 * MS,
     .max = 600 * SECOND,
     .sentence = "A wait for a row lock that takes longer is given up and tried again."},
    {.name = "topics.prefix",
     .type = CONFIG_STRING,
     .offset = KEY(topics_prefix),
     .fallback = "countersign.",
     .sentence = "Stands before the name of every topic and consumer group."},
    {.name = "log.level",
     .type = CONFIG_CHOICE,
     .offset = KEY(log_level),
     .fallback = "info",
     .choices = "error|warn|info|debug",
     .sentence = "Least important kind of event that is logged."},
    {.name = "monitor.address",
     .type = CONFIG_STRING,
     .offset = KEY(monitor_address),
     .fallback = "127.0.0.1",
     .sentence = "IP address on which /livez, /readyz and /metrics answer."},
    {.name = "monitor.port",
     .type = CONFIG_INTEGER,
     .offset = KEY(monitor_port),
     .fallback = "0",
     .min = 0,
     .max = 65535,
     .sentence = "Port at that address; with 0 nothing listens."},
    {.name = NULL},
};

/* Only explained: what is given is handed through as it is. */
static const struct config_key kafka_keys[] = {
    {.name = "kafka.bootstrap.servers", .type = CONFIG_LIST, .sentence = "Kafka brokers, each as host:port."},
    {.name = NULL},
};

static const struct config_key batch_keys[] = {
    {.name = "batch.max_records",
     .type = CONFIG_INTEGER,
     .offset = offsetof(struct service_batch_config, max_records),
     .fallback = "1000",
     .min = 1,
     .max = 10000,
     .sentence = "Most records that are fetched in one go; those of one partition share a transaction."},
    {.name = "batch.max_bytes",
     .type = CONFIG_BYTES,
     .offset = offsetof(struct service_batch_config, max_bytes),
     .fallback = "1MiB",
     .min = 1024,
     .max = 64 * 1024 * 1024,
     .sentence = "Once so many bytes were fetched in one go, no more records are taken."},
    {.name = "quarantine.keep",
     .type = CONFIG_DURATION,
     .offset = offsetof(struct service_batch_config, quarantine_keep),
     .fallback = "7d",
     .min = SECOND,
     .max = 3650 * DAY,
     .sentence = "How long the raw bytes of a quarantined record are kept for repair."},
    {.name = NULL},
};

static const struct config_key signing_keys[] = {
    {.name = "signing.key_file",
     .type = CONFIG_STRING,
     .offset = offsetof(struct service_signing_config, key_file),
     .sentence = "PEM file (PKCS#8, mode 0600) of the Ed25519 key that signs what this service says."},
    {.name = "authorization.issuer",
     .type = CONFIG_STRING,
     .offset = offsetof(struct service_signing_config, issuer),
     .fallback = "countersign",
     .sentence = "Claim iss of the authorizations."},
    {.name = "authorization.audience",
     .type = CONFIG_STRING,
     .offset = offsetof(struct service_signing_config, audience),
     .fallback = "countersign",
     .sentence = "Claim aud of the authorizations."},
    {.name = NULL},
};

/* A copy of the keys for a struct that lies `offset` bytes inside the service's. */
static struct config_key *
moved(const struct config_key *keys, size_t offset)
{
	struct config_key *copy;
	size_t count = 0;

	if (offset == 0)
		return NULL;
	while (keys[count].name)
		count++;
	copy = memory_take((count + 1) * sizeof *copy);
	memcpy(copy, keys, count * sizeof *copy);
	for (size_t i = 0; i < count; i++)
		copy[i].offset += offset;
	return copy;
}

void
service_table_open(struct service_table *table, const struct service *service, void *config)
{
	const struct config_key *const *own = service->table->key_lists;
	struct service_config *common = config;
	size_t count = 0;

	while (own && own[count])
		count++;
	*table = (struct service_table){.batch = moved(batch_keys, service->batch_config_offset),
					.signing = moved(signing_keys, service->signing_config_offset)};
	table->lists = memory_take((count + 4) * sizeof *table->lists);

	size_t n = 0;

	table->lists[n++] = service_keys;
	if (table->batch)
		table->lists[n++] = table->batch;
	if (table->signing)
		table->lists[n++] = table->signing;
	for (size_t i = 0; i < count; i++)
		if (own[i] != service_keys)
			table->lists[n++] = own[i];
	table->table = (struct config_table){.key_lists = table->lists,
					     .through_prefix = "kafka.",
					     .through = &common->kafka,
					     .through_keys = kafka_keys};
}

void
service_table_close(struct service_table *table)
{
	free(table->batch);
	free(table->signing);
	free(table->lists);
}

static bool
is_address(const char *text)
{
	unsigned char bytes[sizeof(struct in6_addr)];

	return inet_pton(AF_INET, text, bytes) == 1 || inet_pton(AF_INET6, text, bytes) == 1;
}

bool
service_config_check(const struct service_config *config, struct error *error)
{
	static const char topic_characters[] =
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-";
	const char *prefix = config->topics_prefix;

	if (strlen(prefix) > 200 || prefix[strspn(prefix, topic_characters)] != '\0')
		return error_set_field(error, ERROR_BROKEN, "config", "topics.prefix",
				       "topics.prefix: at most 200 letters, digits, dots and hyphens");
	if (!is_address(config->monitor_address))
		return error_set_field(error, ERROR_BROKEN, "config", "monitor.address",
				       "monitor.address: an IP address, not a name");
	return true;
}
