/* SPDX-License-Identifier: Apache-2.0 */
/* reader.c - reads topics as they are, without a group and without positions: for gates, auditors and the command line. */
#include "common/bus/bus_private.h"
#include "common/clock/clock.h"

#include <stdlib.h>
#include <string.h>

enum { ANSWER_MS = 10000 };

/* One partition of one topic, read up to `high`, which was its end at the opening. */
struct stretch {
	rd_kafka_topic_t *topic; /* borrowed from the reader's topics */
	int32_t partition;
	int64_t next, high;
	bool started, over;
};

struct bus_reader {
	struct bus_client client;
	rd_kafka_queue_t *queue;
	rd_kafka_topic_t **topics;
	size_t topic_count;
	struct stretch *stretches;
	size_t count;
	bool follow;
};

/* ------------------------------------------------------------------ open */

static const struct bus_setting preferences[] = {
    {.name = "fetch.wait.max.ms", .value = "100"},
    {.name = "fetch.error.backoff.ms", .value = "100"},
    {.name = "fetch.queue.backoff.ms", .value = "10", .optional = true}, /* from 2.2 */
    {.name = "queued.max.messages.kbytes", .value = "16384"},
    {.name = "queued.min.messages", .value = "20000"},
    {.name = NULL},
};

/* The end of a partition is told, since its last offsets may hold no record (transaction marks, compacted ones). */
static const struct bus_setting guarantees[] = {
    {.name = "enable.partition.eof", .value = "true"}, {.name = "auto.offset.reset", .value = "error"},
    {.name = "enable.auto.commit", .value = "false"},  {.name = "isolation.level", .value = "read_committed"},
    {.name = "check.crcs", .value = "true"},	       {.name = NULL},
};

static bool
add_stretch(struct bus_reader *reader, rd_kafka_topic_t *topic, int32_t partition, struct error *error)
{
	const char *name = rd_kafka_topic_name(topic);
	int64_t low, high;
	rd_kafka_resp_err_t code = bus_ask_ends(&reader->client, name, partition, &low, &high,
						clock_monotonic() + ANSWER_MS * INT64_C(1000));

	if (code)
		return bus_error_asked(error, &reader->client, code, name, NULL);
	reader->stretches = memory_grow(reader->stretches, reader->count + 1, sizeof *reader->stretches);
	reader->stretches[reader->count++] = (struct stretch){
	    .topic = topic, .partition = partition, .next = low, .high = high, .over = low >= high};
	return true;
}

static bool
add_stretches(struct bus_reader *reader, rd_kafka_topic_t *topic, struct error *error)
{
	const char *name = rd_kafka_topic_name(topic);
	const struct rd_kafka_metadata *metadata = NULL;
	rd_kafka_resp_err_t code = rd_kafka_metadata(reader->client.handle, 0, topic, &metadata, ANSWER_MS);
	bool ok = true;

	if (code)
		return bus_error_asked(error, &reader->client, code, name, NULL);
	if (metadata->topic_cnt != 1)
		ok = error_set(error, ERROR_UNAVAILABLE, "kafka",
			       "%s: the broker did not say anything about it", name);
	else if (metadata->topics[0].err)
		ok = bus_error(error, metadata->topics[0].err, name, NULL);
	for (int i = 0; ok && i < metadata->topics[0].partition_cnt; i++)
		ok = add_stretch(reader, topic, metadata->topics[0].partitions[i].id, error);
	rd_kafka_metadata_destroy(metadata);
	return ok;
}

static bool
add_topic(struct bus_reader *reader, const char *name, struct error *error)
{
	rd_kafka_topic_t *topic = rd_kafka_topic_new(reader->client.handle, name, NULL);

	if (!topic)
		return bus_error(error, rd_kafka_last_error(), name, NULL);
	reader->topics[reader->topic_count++] = topic;
	return add_stretches(reader, topic, error);
}

static bool
start(struct bus_reader *reader, struct stretch *stretch, struct error *error)
{
	if (rd_kafka_consume_start_queue(stretch->topic, stretch->partition, stretch->next, reader->queue))
		return bus_error(error, rd_kafka_last_error(), rd_kafka_topic_name(stretch->topic), NULL);
	stretch->started = true;
	return true;
}

static bool
start_all(struct bus_reader *reader, bool at_end, struct error *error)
{
	bool ok = true;

	for (size_t i = 0; ok && i < reader->count; i++) {
		if (at_end) {
			reader->stretches[i].next = reader->stretches[i].high;
			reader->stretches[i].over = true;
		}
		if (reader->follow || !reader->stretches[i].over)
			ok = start(reader, &reader->stretches[i], error);
	}
	return ok;
}

struct opening {
	const char *const *topics;
	size_t count;
	bool follow, at_end;
};

static struct bus_reader *
open_reader(const struct bus_options *options, const struct opening *opening, struct error *error)
{
	struct bus_reader *reader = memory_take(sizeof *reader);
	struct bus_start begin = {
	    .type = RD_KAFKA_CONSUMER, .preferences = preferences, .guarantees = guarantees};
	bool ok = bus_client_open(&reader->client, options, &begin, error);

	if (ok) {
		reader->follow = opening->follow;
		reader->queue = rd_kafka_queue_new(reader->client.handle);
		reader->topics = memory_take(opening->count * sizeof *reader->topics + 1);
	}
	for (size_t i = 0; ok && i < opening->count; i++)
		ok = add_topic(reader, opening->topics[i], error);
	if (!ok || !start_all(reader, opening->at_end, error)) {
		bus_reader_close(reader);
		reader = NULL;
	}
	return reader;
}

struct bus_reader *
bus_reader_open(const struct bus_options *options, const char *const *topics, size_t count, bool follow,
		struct error *error)
{
	struct opening opening = {.topics = topics, .count = count, .follow = follow};

	return open_reader(options, &opening, error);
}

struct bus_reader *
bus_reader_open_at_end(const struct bus_options *options, const char *const *topics, size_t count,
		       struct error *error)
{
	struct opening opening = {.topics = topics, .count = count, .follow = true, .at_end = true};

	return open_reader(options, &opening, error);
}

/* ------------------------------------------------------------------ next */

static struct stretch *
stretch_of(struct bus_reader *reader, const rd_kafka_message_t *message)
{
	const char *topic = message->rkt ? rd_kafka_topic_name(message->rkt) : "";

	for (size_t i = 0; i < reader->count; i++)
		if (reader->stretches[i].partition == message->partition
		    && strcmp(rd_kafka_topic_name(reader->stretches[i].topic), topic) == 0)
			return &reader->stretches[i];
	return NULL;
}

bool
bus_reader_caught_up(const struct bus_reader *reader)
{
	for (size_t i = 0; i < reader->count; i++)
		if (!reader->stretches[i].over)
			return false;
	return true;
}

static bool
is_over(const struct bus_reader *reader)
{
	return !reader->follow && bus_reader_caught_up(reader);
}

static void
take_record(struct bus_reader *reader, rd_kafka_message_t *take_message, struct bus_poll *poll)
{
	struct stretch *stretch = stretch_of(reader, take_message);
	bool wanted = stretch && take_message->offset >= stretch->next
		      && (reader->follow || take_message->offset < stretch->high);

	if (stretch && take_message->offset + 1 >= stretch->high)
		stretch->over = true;
	if (!wanted) {
		rd_kafka_message_destroy(take_message);
		return;
	}
	stretch->next = take_message->offset + 1;
	bus_record_lend(take_message, poll);
}

static void
take_error(struct bus_reader *reader, rd_kafka_message_t *take_message, struct bus_poll *poll)
{
	struct stretch *stretch = stretch_of(reader, take_message);

	if (take_message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
		if (stretch && take_message->offset >= stretch->high)
			stretch->over = true;
	} else {
		poll->happening = BUS_FAULT;
		bus_error(&poll->error, take_message->err,
			  stretch ? rd_kafka_topic_name(stretch->topic) : "kafka",
			  rd_kafka_message_errstr(take_message));
	}
	rd_kafka_message_destroy(take_message);
}

static void
tell_fault(struct bus_reader *reader, struct bus_poll *poll)
{
	rd_kafka_poll(reader->client.handle, 0); /* errors and logs come by the main queue */
	if (poll->happening != BUS_NOTHING || reader->client.fault.kind == ERROR_NONE)
		return;
	poll->happening = BUS_FAULT;
	poll->error = reader->client.fault;
	error_clear(&reader->client.fault);
}

void
bus_reader_next(struct bus_reader *reader, int64_t timeout_us, struct bus_poll *poll, bool *at_end)
{
	int64_t deadline = clock_monotonic() + (timeout_us > 0 ? timeout_us : 0);
	rd_kafka_message_t *message;

	*poll = (struct bus_poll){.happening = BUS_NOTHING};
	do {
		*at_end = is_over(reader);
		if (*at_end)
			return;
		message = rd_kafka_consume_queue(reader->queue, bus_remaining(deadline));
		if (message && message->err)
			take_error(reader, message, poll);
		else if (message)
			take_record(reader, message, poll);
		tell_fault(reader, poll);
	} while (poll->happening == BUS_NOTHING && clock_monotonic() < deadline);
	*at_end = poll->happening == BUS_NOTHING && is_over(reader);
}

/* ------------------------------------------------------------------ close */

static void
destroy(void *context)
{
	struct bus_reader *reader = context;

	for (size_t i = 0; i < reader->count; i++)
		if (reader->stretches[i].started)
			rd_kafka_consume_stop(reader->stretches[i].topic, reader->stretches[i].partition);
	for (size_t i = 0; i < reader->topic_count; i++)
		rd_kafka_topic_destroy(reader->topics[i]);
	if (reader->queue)
		rd_kafka_queue_destroy(reader->queue);
	bus_client_close(&reader->client);
	free(reader->stretches);
	free(reader->topics);
	free(reader);
}

void
bus_reader_close(struct bus_reader *reader)
{
	enum { DESTROY_US = 5000000 };
	struct log log;

	if (!reader)
		return;
	log = reader->client.log;
	if (!bus_close_within(destroy, reader, DESTROY_US))
		log_warn(&log, "reader_close_hangs");
}
