/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load.c - gives requests to a topic and watches what comes out of another, as cheaply as can be: watching asks the
 * broker where the partitions end and reads no record.
 */
#include "tests/bench/tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FLUSH_MS = 120000, LOOK_US = 10000, ANSWER_MS = 30000 };

static const char usage[] =
    "load fill BOOTSTRAP TOPIC RUN COUNT ACTION [CONTEXT] produces COUNT requests with the ids RUN-00000000 "
    "and so on\n"
    "load watch BOOTSTRAP TOPIC BEFORE COUNT SECONDS     until COUNT more than BEFORE are there: "
    "\"microseconds there\" lines\n"
    "load ends BOOTSTRAP TOPIC                           how many records the topic ever had\n"
    "load ping BOOTSTRAP REQUESTS WORDS RUN COUNT ACTION one at a time: microseconds from each request to "
    "its first word";

static const char usual_context[] = "{\"branch\":\"main\",\"commit\":\"4c1f9a7d2e6b803517ac\","
				    "\"environment\":\"staging\",\"files_changed\":12,\"tests_passed\":true}";

static size_t
render(char *text, size_t size, const char *id, const char *action, const char *context)
{
	int length =
	    snprintf(text, size,
		     "{\"request_id\":\"%s\",\"agent_id\":\"coding-agent-production\",\"action\":\"%s\","
		     "\"target\":\"customer-api-%s\",\"context\":%s,"
		     "\"reason\":\"Release of the customer API, change 1881\"}",
		     id, action, id, context);

	if (length < 0 || (size_t)length >= size)
		die("a request does not fit");
	return (size_t)length;
}

/* ------------------------------------------------------------------ fill */

static void
fill(const char *bootstrap, const char *name, const char *run, long count, const char *action,
     const char *context)
{
	static const char *const settings[] = {"acks",
					       "all",
					       "linger.ms",
					       "20",
					       "partitioner",
					       "murmur2_random",
					       "queue.buffering.max.messages",
					       "200000",
					       NULL};
	rd_kafka_t *producer = tool_client(RD_KAFKA_PRODUCER, bootstrap, settings);
	rd_kafka_topic_t *topic = rd_kafka_topic_new(producer, name, NULL);
	char id[64], text[1024];

	for (long i = 0; i < count; i++) {
		snprintf(id, sizeof id, "%s-%08ld", run, i);
		tool_produce(producer, topic, id, text, render(text, sizeof text, id, action, context), NULL);
		if (i % 1000 == 0)
			rd_kafka_poll(producer, 0);
	}
	if (rd_kafka_flush(producer, FLUSH_MS))
		die("%s: not delivered in time", name);
	rd_kafka_topic_destroy(topic);
	rd_kafka_destroy(producer);
}

/* ------------------------------------------------------------------ watch */

static rd_kafka_t *
reader(const char *bootstrap)
{
	static const char *const settings[] = {"fetch.wait.max.ms", "500", NULL};

	return tool_client(RD_KAFKA_CONSUMER, bootstrap, settings);
}

static void
watch(const char *bootstrap, const char *name, int64_t before, int64_t count, int64_t seconds)
{
	rd_kafka_t *client = reader(bootstrap);
	int partitions = tool_partitions(client, name);
	int64_t begin = tool_now(), there = -1, now = begin;

	while (there < count) {
		int64_t sum = tool_ends(client, name, partitions, NULL) - before;

		now = tool_now();
		if (sum != there)
			printf("%lld %lld\n", (long long)now, (long long)sum);
		there = sum;
		if (there < count && now > begin + seconds * 1000000)
			die("%s: %lld of %lld after %lld s", name, (long long)there, (long long)count,
			    (long long)seconds);
		usleep(LOOK_US);
	}
	rd_kafka_destroy(client);
}

static void
ends(const char *bootstrap, const char *name)
{
	rd_kafka_t *client = reader(bootstrap);

	printf("%lld\n", (long long)tool_ends(client, name, tool_partitions(client, name), NULL));
	rd_kafka_destroy(client);
}

/* ------------------------------------------------------------------ ping */

static rd_kafka_queue_t *
follow(rd_kafka_t *client, const char *name)
{
	int partitions = tool_partitions(client, name);
	int64_t *from = calloc((size_t)partitions, sizeof *from);
	rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(partitions);
	rd_kafka_resp_err_t code;

	tool_ends(client, name, partitions, from);
	for (int i = 0; i < partitions; i++)
		rd_kafka_topic_partition_list_add(list, name, i)->offset = from[i];
	code = rd_kafka_assign(client, list);
	if (code)
		die("%s: %s", name, rd_kafka_err2str(code));
	rd_kafka_topic_partition_list_destroy(list);
	free(from);
	return rd_kafka_queue_get_consumer(client);
}

static void
await(rd_kafka_queue_t *words, const char *id)
{
	int64_t until = tool_now() + ANSWER_MS * INT64_C(1000);
	bool found = false;

	while (!found) {
		rd_kafka_message_t *message = rd_kafka_consume_queue(words, 1000);

		if (message && message->err)
			die("words: %s", rd_kafka_message_errstr(message));
		found = message && message->key_len == strlen(id)
			&& memcmp(message->key, id, message->key_len) == 0;
		if (message)
			rd_kafka_message_destroy(message);
		if (!found && tool_now() > until)
			die("no word on %s", id);
	}
}

static void
ping(const char *bootstrap, const char *requests, const char *words, const char *run, long count,
     const char *action)
{
	static const char *const settings[] = {"acks",		 "all", "linger.ms", "0", "partitioner",
					       "murmur2_random", NULL};
	static const char *const reading[] = {"group.id", "bench", "fetch.wait.max.ms", "500", NULL};
	rd_kafka_t *producer = tool_client(RD_KAFKA_PRODUCER, bootstrap, settings);
	rd_kafka_t *consumer = tool_client(RD_KAFKA_CONSUMER, bootstrap, reading);
	rd_kafka_topic_t *topic = rd_kafka_topic_new(producer, requests, NULL);
	rd_kafka_queue_t *queue = follow(consumer, words);
	char id[64], text[1024];

	sleep(1); /* the consumer's connections and first fetches */
	for (long i = 0; i < count; i++) {
		int64_t begin;

		snprintf(id, sizeof id, "%s-%08ld", run, i);

		size_t length = render(text, sizeof text, id, action, usual_context);

		begin = tool_now();
		tool_produce(producer, topic, id, text, length, NULL);
		await(queue, id);
		printf("%lld\n", (long long)(tool_now() - begin));
		rd_kafka_poll(producer, 0);
	}
	rd_kafka_flush(producer, FLUSH_MS);
	rd_kafka_topic_destroy(topic);
	rd_kafka_queue_destroy(queue);
	rd_kafka_destroy(producer);
	rd_kafka_consumer_close(consumer);
	rd_kafka_destroy(consumer);
}

int
main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if ((argc == 7 || argc == 8) && strcmp(what, "fill") == 0)
		fill(argv[2], argv[3], argv[4], atol(argv[5]), argv[6], argc == 8 ? argv[7] : usual_context);
	else if (argc == 7 && strcmp(what, "watch") == 0)
		watch(argv[2], argv[3], atoll(argv[4]), atoll(argv[5]), atoll(argv[6]));
	else if (argc == 4 && strcmp(what, "ends") == 0)
		ends(argv[2], argv[3]);
	else if (argc == 8 && strcmp(what, "ping") == 0)
		ping(argv[2], argv[3], argv[4], argv[5], atol(argv[6]), argv[7]);
	else
		die("%s", usage);
	return 0;
}
