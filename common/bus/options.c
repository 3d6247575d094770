/* SPDX-License-Identifier: Apache-2.0 */
/* options.c - which kafka.* keys may be set. Everything goes through but what the guarantees rest on. */
#include "common/bus/bus_private.h"

#include <string.h>

/* A name ending in '.' stands for all keys that begin so. */
struct refusal {
	const char *name, *why;
};

static const char POSITIONS[] = "positions are kept in the database, in the transaction of their effects";
static const char ORDER[] = "events are published in ledger order, without gaps";
static const char REPORTS[] = "an event counts as published only when its delivery was reported";
static const char EAGER[] =
    "the group protocol that stops before it moves a partition is the one that is fenced";
static const char CREATES[] = "topics are made by \"countersign topics apply\" only";
static const char OURS[] = "is set by the program";

static const struct refusal refusals[] = {
    {"enable.auto.commit", POSITIONS},
    {"auto.commit.enable", POSITIONS},
    {"auto.commit.interval.ms", POSITIONS},
    {"enable.auto.offset.store", POSITIONS},
    {"offset.store.", POSITIONS},
    {"auto.offset.reset", "a lost position must raise an alarm, not jump over records"},
    {"enable.partition.eof", OURS},
    {"isolation.level", "records of aborted transactions were never said and must not be acted on"},
    {"check.crcs", "a damaged record must not be decided on"},
    {"topic.blacklist", "a topic that is silently not read is an answer that never comes"},
    {"group.id", "is made of the topics' prefix and the service's name"},
    {"group.protocol", EAGER},
    {"group.protocol.type", EAGER},
    {"group.remote.assignor", EAGER},
    {"partition.assignment.strategy", EAGER},
    {"enable.idempotence", ORDER},
    {"enable.gapless.guarantee", ORDER},
    {"acks", "an event that one broker holds may be lost with it"},
    {"request.required.acks", "an event that one broker holds may be lost with it"},
    {"max.in.flight", ORDER},
    {"max.in.flight.requests.per.connection", ORDER},
    {"retries", ORDER},
    {"message.send.max.retries", ORDER},
    {"queuing.strategy", ORDER},
    {"msg_order_cmp", ORDER},
    {"message.timeout.ms", "must stay below the relay's lease"},
    {"delivery.timeout.ms", "must stay below the relay's lease"},
    {"transactional.id", "the relay is idempotent, not transactional: its position is in the database"},
    {"transaction.timeout.ms", "the relay is idempotent, not transactional: its position is in the database"},
    {"delivery.report.only.error", REPORTS},
    {"partitioner", "a key must fall on the same partition whoever writes it (murmur2_random)"},
    {"allow.auto.create.topics", CREATES},
    {"api.version.request", "old message formats have no headers and no idempotence"},
    {"log.queue", OURS},
    {"enabled_events", OURS},
    {"plugin.library.paths", "foreign code does not enter a process that decides"},
    {"test.", "a test aid of librdkafka's would replace the brokers"},
    {"ut_handle_", "a test aid of librdkafka's"},
};

static bool
names(const struct refusal *refusal, const char *name)
{
	size_t length = strlen(refusal->name);
	bool family = strchr("._", refusal->name[length - 1]) != NULL;

	return family ? strncmp(name, refusal->name, length) == 0 : strcmp(name, refusal->name) == 0;
}

static bool
allowed(const char *name, struct error *error)
{
	char field[ERROR_FIELD_SIZE];

	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
		if (!names(&refusals[i], name))
			continue;
		snprintf(field, sizeof field, "kafka.%s", name);
		return error_set_field(error, ERROR_BROKEN, "config", field, "kafka.%s can not be set: %s",
				       name, refusals[i].why);
	}
	return true;
}

bool
bus_set(rd_kafka_conf_t *configuration, const char *name, const char *value, struct error *error)
{
	char field[ERROR_FIELD_SIZE];
	rd_kafka_conf_res_t result = rd_kafka_conf_set(configuration, name, value, NULL, 0);

	if (result == RD_KAFKA_CONF_OK)
		return true;
	snprintf(field, sizeof field, "kafka.%s", name);
	if (result == RD_KAFKA_CONF_UNKNOWN)
		return error_set_field(error, ERROR_BROKEN, "config", field,
				       "librdkafka %s knows no key \"%s\"", rd_kafka_version_str(), name);
	return error_set_field(error, ERROR_BROKEN, "config", field,
			       "kafka.%s: librdkafka %s does not take this value, or was built without it",
			       name, rd_kafka_version_str());
}

static bool
is_brokers(const char *name)
{
	return strcmp(name, "bootstrap.servers") == 0 || strcmp(name, "metadata.broker.list") == 0;
}

bool
bus_options_check(const struct bus_options *options, struct error *error)
{
	rd_kafka_conf_t *scratch = rd_kafka_conf_new();
	bool brokers = false, ok = true;

	for (size_t i = 0; ok && i < options->through->count; i++) {
		const struct config_pair *pair = &options->through->items[i];

		if (is_brokers(pair->name))
			brokers = pair->value[0] != '\0'; /* the last one counts */
		ok = allowed(pair->name, error) && bus_set(scratch, pair->name, pair->value, error);
	}
	if (ok && !brokers)
		ok = error_set_field(
		    error, ERROR_BROKEN, "config", "kafka.bootstrap.servers",
		    "kafka.bootstrap.servers is needed: host:port of one or more brokers, comma-separated");
	rd_kafka_conf_destroy(scratch);
	return ok;
}
