/* SPDX-License-Identifier: Apache-2.0 */
/* broker.h - what the tests of this room share: the real broker, topics of their own, records put where a test wants them. */
#ifndef COUNTERSIGN_TESTS_BROKER_H
#define COUNTERSIGN_TESTS_BROKER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/bus/bus.h"

#include <librdkafka/rdkafka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SECOND = 1000000 };

static const struct log test_log = {.level = LOG_ERROR, .service = "test"};

static inline int64_t
now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* Without a broker these tests fail: one that is silently left out proves nothing. */
static inline char *
bootstrap(void)
{
	char *servers = getenv("COUNTERSIGN_KAFKA_BOOTSTRAP_SERVERS");

	if (!servers || !*servers)
		fail_msg("COUNTERSIGN_KAFKA_BOOTSTRAP_SERVERS is not set: run under deploy/dev/with-servers");
	return servers;
}

/* Options against the broker and up to two more keys (NULL: none), valid until the next call. */
static inline const struct bus_options *
options_with(const char *name, const char *value, const char *name2, const char *value2)
{
	static struct config_pair pairs[3];
	static struct config_pairs through;
	static struct bus_options options;

	pairs[0] = (struct config_pair){.name = (char *)(uintptr_t)"bootstrap.servers", .value = bootstrap()};
	pairs[1] = (struct config_pair){.name = (char *)(uintptr_t)name, .value = (char *)(uintptr_t)value};
	pairs[2] = (struct config_pair){.name = (char *)(uintptr_t)name2, .value = (char *)(uintptr_t)value2};
	through = (struct config_pairs){.items = pairs, .count = name2 ? 3u : name ? 2u : 1u};
	options = (struct bus_options){.through = &through, .client_id = "countersign-test", .log = &test_log};
	return &options;
}

static inline const struct bus_options *
options(void)
{
	return options_with(NULL, NULL, NULL, NULL);
}

/* A name that no other run and no other test has. */
static inline const char *
own_name(const char *word)
{
	static char names[16][160];
	static unsigned count;
	char *name = names[count++ % 16];

	snprintf(name, sizeof names[0], "test.%lld.%d.%u.%s", (long long)time(NULL), (int)getpid(), count,
		 word);
	return name;
}

static inline const char *
make_topic_with(const char *word, int32_t partitions, const struct config_pair *settings, size_t setting_count)
{
	struct bus_topic topic = {.name = own_name(word),
				  .partitions = partitions,
				  .replication = 1,
				  .settings = settings,
				  .setting_count = setting_count};
	struct error error = {0};
	struct bus_admin *admin = bus_admin_open(options(), &error);
	bool created = false;

	assert_non_null(admin);
	if (!bus_topic_create(admin, &topic, &created, &error))
		fail_msg("%s", error.text);
	assert_true(created);
	bus_admin_close(admin);
	return topic.name;
}

static inline const char *
make_topic(const char *word, int32_t partitions)
{
	return make_topic_with(word, partitions, NULL, 0);
}

/* A client of the test's own, for what the room itself never does. */
static inline rd_kafka_t *
foreign(rd_kafka_type_t type, const char *name, const char *value)
{
	rd_kafka_conf_t *configuration = rd_kafka_conf_new();
	char reason[256];
	rd_kafka_t *client;

	assert_int_equal(rd_kafka_conf_set(configuration, "bootstrap.servers", bootstrap(), NULL, 0),
			 RD_KAFKA_CONF_OK);
	if (name)
		assert_int_equal(rd_kafka_conf_set(configuration, name, value, NULL, 0), RD_KAFKA_CONF_OK);
	client = rd_kafka_new(type, configuration, reason, sizeof reason);
	assert_non_null(client);
	return client;
}

/* Values are their offsets as text, so that a record says where it was put. */
static inline void
put(const char *topic, int32_t partition, int count)
{
	rd_kafka_t *client = foreign(RD_KAFKA_PRODUCER, "queue.buffering.max.messages", "1000000");
	char value[32];

	for (int i = 0; i < count; i++) {
		int length = snprintf(value, sizeof value, "%d", i);

		assert_int_equal(rd_kafka_producev(client, RD_KAFKA_V_TOPIC(topic),
						   RD_KAFKA_V_PARTITION(partition),
						   RD_KAFKA_V_VALUE(value, (size_t)length),
						   RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END),
				 RD_KAFKA_RESP_ERR_NO_ERROR);
	}
	assert_int_equal(rd_kafka_flush(client, 30000), RD_KAFKA_RESP_ERR_NO_ERROR);
	rd_kafka_destroy(client);
}

#endif
