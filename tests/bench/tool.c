/* SPDX-License-Identifier: Apache-2.0 */
/* tool.c - what the programs of the benchmark share. */
#include "tests/bench/tool.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ANSWER_MS = 30000, FULL_MS = 10, AGAIN_US = 20000 };

void
die(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	exit(1);
}

int64_t
tool_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000;
}

/* A message that is not delivered is a run that counts for nothing. */
static void
on_report(rd_kafka_t *client, const rd_kafka_message_t *message, void *opaque)
{
	(void)client;
	(void)opaque;
	if (message->err)
		die("not delivered: %s", rd_kafka_err2str(message->err));
}

rd_kafka_t *
tool_client(rd_kafka_type_t type, const char *bootstrap, const char *const *settings)
{
	rd_kafka_conf_t *configuration = rd_kafka_conf_new();
	char text[512] = "";
	rd_kafka_t *client;

	if (rd_kafka_conf_set(configuration, "bootstrap.servers", bootstrap, text, sizeof text))
		die("%s", text);
	for (; *settings; settings += 2)
		if (rd_kafka_conf_set(configuration, settings[0], settings[1], text, sizeof text))
			die("%s", text);
	if (type == RD_KAFKA_PRODUCER)
		rd_kafka_conf_set_dr_msg_cb(configuration, on_report);
	client = rd_kafka_new(type, configuration, text, sizeof text);
	if (!client)
		die("%s", text);
	return client;
}

int
tool_partitions(rd_kafka_t *client, const char *name)
{
	const struct rd_kafka_metadata *metadata;
	rd_kafka_topic_t *topic = rd_kafka_topic_new(client, name, NULL);
	rd_kafka_resp_err_t code = rd_kafka_metadata(client, 0, topic, &metadata, ANSWER_MS);
	int count;

	if (code)
		die("%s: %s", name, rd_kafka_err2str(code));
	count = metadata->topic_cnt == 1 ? metadata->topics[0].partition_cnt : 0;
	if (count == 0)
		die("%s: no such topic", name);
	rd_kafka_metadata_destroy(metadata);
	rd_kafka_topic_destroy(topic);
	return count;
}

/* Once; a broker that has just come back does not know its partitions yet. */
static rd_kafka_resp_err_t
ask_ends(rd_kafka_t *client, rd_kafka_topic_partition_list_t *list)
{
	rd_kafka_resp_err_t code;

	for (int i = 0; i < list->cnt; i++)
		list->elems[i].offset = RD_KAFKA_OFFSET_END;
	code = rd_kafka_offsets_for_times(client, list, ANSWER_MS);
	for (int i = 0; !code && i < list->cnt; i++)
		code = list->elems[i].err;
	return code;
}

int64_t
tool_ends(rd_kafka_t *client, const char *topic, int partitions, int64_t *ends)
{
	rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(partitions);
	int64_t until = tool_now() + ANSWER_MS * INT64_C(1000), sum = 0;
	rd_kafka_resp_err_t code;

	for (int i = 0; i < partitions; i++)
		rd_kafka_topic_partition_list_add(list, topic, i);
	while ((code = ask_ends(client, list))) {
		if (tool_now() > until)
			die("%s: its ends: %s", topic, rd_kafka_err2str(code));
		usleep(AGAIN_US);
	}
	for (int i = 0; i < partitions; i++) {
		sum += list->elems[i].offset;
		if (ends)
			ends[list->elems[i].partition] = list->elems[i].offset;
	}
	rd_kafka_topic_partition_list_destroy(list);
	return sum;
}

void
tool_produce(rd_kafka_t *producer, rd_kafka_topic_t *topic, const char *key, const void *value, size_t length,
	     rd_kafka_headers_t *take_headers)
{
	rd_kafka_resp_err_t code;

	while ((code = rd_kafka_producev(producer, RD_KAFKA_V_RKT(topic), RD_KAFKA_V_KEY(key, strlen(key)),
					 RD_KAFKA_V_VALUE((void *)(uintptr_t)value, length),
					 RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
					 RD_KAFKA_V_HEADERS(take_headers), RD_KAFKA_V_END))
	       == RD_KAFKA_RESP_ERR__QUEUE_FULL)
		rd_kafka_poll(producer, FULL_MS);
	if (code)
		die("%s: %s", rd_kafka_topic_name(topic), rd_kafka_err2str(code));
}
