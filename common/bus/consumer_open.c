/* SPDX-License-Identifier: Apache-2.0 */
/* consumer_open.c - how a group member is set, how it joins and how it leaves. */
#include "common/bus/consumer_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct bus_setting preferences[] = {
    {.name = "fetch.wait.max.ms", .value = "100"},
    {.name = "fetch.error.backoff.ms", .value = "100"},
    {.name = "fetch.queue.backoff.ms", .value = "10", .optional = true}, /* from 2.2 */
    {.name = "fetch.message.max.bytes", .value = "131072"},
    /* What librdkafka keeps of each record takes as much again; less would run empty at full speed, since before 2.2 it looks
     * once a second only whether there is room. */
    {.name = "queued.max.messages.kbytes", .value = "6144"},
    {.name = "queued.min.messages", .value = "20000"},
    {.name = NULL},
};

static const struct bus_setting guarantees[] = {
    {.name = "enable.auto.commit", .value = "false"},
    {.name = "enable.auto.offset.store", .value = "false"},
    {.name = "auto.offset.reset", .value = "error"},
    {.name = "enable.partition.eof", .value = "false"},
    {.name = "partition.assignment.strategy", .value = "range"},
    {.name = "isolation.level", .value = "read_committed"},
    {.name = "check.crcs", .value = "true"},
    {.name = NULL},
};

struct beginning {
	struct bus_consumer *consumer;
	const struct bus_options *options;
	const char *group;
};

static bool
is_given(const struct config_pairs *through, const char *name)
{
	for (size_t i = 0; i < through->count; i++)
		if (strcmp(through->items[i].name, name) == 0)
			return true;
	return false;
}

static bool
begin(rd_kafka_conf_t *configuration, void *context, struct error *error)
{
	const struct beginning *beginning = context;
	char text[32] = "";
	size_t size = sizeof text;
	long milliseconds;

	if (rd_kafka_conf_get(configuration, "session.timeout.ms", text, &size) != RD_KAFKA_CONF_OK)
		return error_set(error, ERROR_BROKEN, "config", "librdkafka knows no session.timeout.ms");
	milliseconds = strtol(text, NULL, 10);
	beginning->consumer->session_timeout = milliseconds * 1000;
	snprintf(text, sizeof text, "%ld", milliseconds < 3 ? 1 : milliseconds / 3);
	rd_kafka_conf_set_rebalance_cb(configuration, bus_consumer_rebalance);
	rd_kafka_conf_set_offset_commit_cb(configuration, bus_consumer_hinted);
	return bus_set(configuration, "group.id", beginning->group, error)
	       && (is_given(beginning->options->through, "heartbeat.interval.ms")
		   || bus_set(configuration, "heartbeat.interval.ms", text, error));
}

static bool
subscribe(struct bus_consumer *consumer, struct error *error)
{
	rd_kafka_topic_partition_list_t *topics = rd_kafka_topic_partition_list_new(1);
	rd_kafka_resp_err_t code;

	rd_kafka_topic_partition_list_add(topics, consumer->topic, RD_KAFKA_PARTITION_UA);
	code = rd_kafka_poll_set_consumer(consumer->client.handle);
	if (!code)
		code = rd_kafka_subscribe(consumer->client.handle, topics);
	rd_kafka_topic_partition_list_destroy(topics);
	return !code || bus_error(error, code, "subscribe", NULL);
}

static void
consumer_free(struct bus_consumer *consumer)
{
	bus_client_close(&consumer->client);
	bus_consumer_stop(consumer);
	free(consumer->offered);
	free(consumer->topic);
	free(consumer);
}

struct bus_consumer *
bus_consumer_open(const struct bus_options *options, const char *group, const char *topic, struct error *error)
{
	struct bus_consumer *consumer = memory_take(sizeof *consumer);
	struct beginning beginning = {.consumer = consumer, .options = options, .group = group};
	struct bus_start start = {.type = RD_KAFKA_CONSUMER,
				  .preferences = preferences,
				  .guarantees = guarantees,
				  .more = begin,
				  .context = &beginning};

	consumer->topic = memory_string(topic);
	if (!bus_client_open(&consumer->client, options, &start, error) || !subscribe(consumer, error)) {
		consumer_free(consumer);
		consumer = NULL;
	}
	return consumer;
}

static void
leave(void *context)
{
	struct bus_consumer *consumer = context;

	rd_kafka_consumer_close(consumer->client.handle);
	consumer_free(consumer);
}

void
bus_consumer_close(struct bus_consumer *consumer, int64_t timeout_us)
{
	struct log log;

	if (!consumer)
		return;
	log = consumer->client.log;
	if (!bus_close_within(leave, consumer, timeout_us))
		log_warn(&log, "left_without_farewell"); /* the group will miss us after the session's time-out */
}
