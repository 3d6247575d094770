/* SPDX-License-Identifier: Apache-2.0 */
/*
 * producer.c - sends in order and reports every send. After one failure nothing later goes out: what librdkafka calls
 * gapless does not cover messages whose time ran out, so the first failed report ends this producer.
 */
#include "common/bus/bus_private.h"
#include "common/clock/clock.h"

#include <assert.h>
#include <stdlib.h>

static_assert(sizeof(void *) >= sizeof(int64_t), "a tag travels as librdkafka's message opaque");

enum { PURGE_LIMIT_US = 2000000, LEAST_TIMEOUT_MS = 1000 };

struct bus_producer {
	struct bus_client client;
	size_t pending; /* queued, not yet reported */
	bool failed;	/* a report said so: no more sends */
	bool fatal;	/* and everything that was queued is reported */
	/* of the bus_producer_poll that runs */
	bus_delivered *delivered;
	void *context;
};

/* ------------------------------------------------------------------ reports */

static void
on_report(rd_kafka_t *handle, const rd_kafka_message_t *message, void *opaque)
{
	struct bus_producer *producer = opaque;
	struct error error = {0};

	(void)handle;
	assert(producer && producer->client.magic == BUS_CLIENT_MAGIC && producer->pending > 0);
	producer->pending--;
	if (message->err) {
		producer->failed = true;
		bus_error(&error, message->err, rd_kafka_topic_name(message->rkt), NULL);
	}
	if (producer->delivered)
		producer->delivered(producer->context, (int64_t)(intptr_t)message->_private,
				    message->err ? &error : NULL);
}

static bool
say_fatal(const struct bus_producer *producer, struct error *error)
{
	if (rd_kafka_fatal_error(producer->client.handle, NULL, 0))
		return bus_error_fatal(error, &producer->client);
	return error_set(error, ERROR_BROKEN, "fatal",
			 "an earlier event was not delivered, nothing later may overtake it");
}

/* What is on its way becomes unknown, which is failed to us: it is sent again, and has the same id. */
static void
give_up(struct bus_producer *producer)
{
	int64_t deadline = clock_monotonic() + PURGE_LIMIT_US;
	struct error error = {0};

	say_fatal(producer, &error);
	log_warn(&producer->client.log, "producer_fatal", log_text("text", error.text),
		 log_number("pending", producer->pending));
	rd_kafka_purge(producer->client.handle, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
	while (producer->pending > 0 && clock_monotonic() < deadline)
		rd_kafka_poll(producer->client.handle, 10);
	producer->fatal = true;
}

void
bus_producer_poll(struct bus_producer *producer, int64_t timeout_us, bus_delivered *delivered, void *context)
{
	producer->delivered = delivered;
	producer->context = context;
	/* flush serves reports like poll, and what is queued goes out at once: linger.ms is for those who still send */
	if (producer->pending > 0)
		rd_kafka_flush(producer->client.handle, bus_milliseconds(timeout_us));
	else
		rd_kafka_poll(producer->client.handle, bus_milliseconds(timeout_us));
	if (!producer->fatal && (producer->failed || rd_kafka_fatal_error(producer->client.handle, NULL, 0)))
		give_up(producer);
	producer->delivered = NULL;
	producer->context = NULL;
	error_clear(&producer->client.fault); /* was logged; the reports say it per message */
}

size_t
bus_producer_pending(const struct bus_producer *producer)
{
	return producer->pending;
}

bool
bus_producer_fatal(const struct bus_producer *producer)
{
	return producer->fatal;
}

/* ------------------------------------------------------------------ send */

static rd_kafka_headers_t *
headers_of(const struct bus_send *send)
{
	rd_kafka_headers_t *headers = rd_kafka_headers_new(send->header_count);

	for (size_t i = 0; i < send->header_count; i++) {
		const struct record_header *header = &send->headers[i];
		rd_kafka_resp_err_t code =
		    rd_kafka_header_add(headers, header->name, -1, header->value, (ssize_t)header->length);

		assert(code == RD_KAFKA_RESP_ERR_NO_ERROR);
	}
	return headers;
}

static rd_kafka_resp_err_t
produce(struct bus_producer *producer, const struct bus_send *send, int64_t tag)
{
	rd_kafka_headers_t *headers = headers_of(send);
	rd_kafka_resp_err_t code;

	code = rd_kafka_producev(producer->client.handle, RD_KAFKA_V_TOPIC(send->topic),
				 RD_KAFKA_V_KEY(send->key, send->key_length),
				 RD_KAFKA_V_VALUE((void *)(uintptr_t)send->value, send->value_length),
				 RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_HEADERS(headers),
				 RD_KAFKA_V_OPAQUE((void *)(intptr_t)tag), RD_KAFKA_V_END);
	if (code)
		rd_kafka_headers_destroy(headers); /* ours again when it failed */
	return code;
}

bool
bus_send(struct bus_producer *producer, const struct bus_send *send, int64_t tag, struct error *error)
{
	rd_kafka_resp_err_t code;

	if (producer->failed)
		return say_fatal(producer, error);
	code = produce(producer, send, tag);
	if (code == RD_KAFKA_RESP_ERR__FATAL)
		return say_fatal(producer, error);
	if (code)
		return bus_error(error, code, send->topic, NULL);
	producer->pending++;
	return true;
}

/* ------------------------------------------------------------------ open, close */

static const struct bus_setting preferences[] = {
    {.name = "linger.ms", .value = "5"},
    {.name = "queue.buffering.max.messages", .value = "20000"},
    {.name = "queue.buffering.max.kbytes", .value = "16384"},
    {.name = NULL},
};

static const struct bus_setting guarantees[] = {
    {.name = "enable.idempotence", .value = "true"},
    {.name = "enable.gapless.guarantee", .value = "true"},
    {.name = "acks", .value = "all"},
    {.name = "partitioner", .value = "murmur2_random"},
    {.name = "delivery.report.only.error", .value = "false"},
    {.name = NULL},
};

/* Two thirds of the lease: time is left to advance or to give the position up before another may take it. */
static bool
begin(rd_kafka_conf_t *configuration, void *context, struct error *error)
{
	const int64_t *lease_us = context;
	int64_t milliseconds = *lease_us / 1000 / 3 * 2;
	char text[32];

	if (milliseconds < LEAST_TIMEOUT_MS)
		return error_set(error, ERROR_BROKEN, "config",
				 "the relay's lease is too short to publish within it");
	snprintf(text, sizeof text, "%lld", (long long)milliseconds);
	rd_kafka_conf_set_dr_msg_cb(configuration, on_report);
	return bus_set(configuration, "message.timeout.ms", text, error);
}

struct bus_producer *
bus_producer_open(const struct bus_options *options, int64_t lease_us, struct error *error)
{
	struct bus_producer *producer = memory_take(sizeof *producer);
	struct bus_start start = {.type = RD_KAFKA_PRODUCER,
				  .preferences = preferences,
				  .guarantees = guarantees,
				  .more = begin,
				  .context = &lease_us};

	if (!bus_client_open(&producer->client, options, &start, error)) {
		free(producer);
		producer = NULL;
	}
	return producer;
}

static void
destroy(void *context)
{
	struct bus_producer *producer = context;

	bus_client_close(&producer->client);
	free(producer);
}

/* What could not be sent in time is thrown away: its position was not advanced, so it is sent again by whoever is next. */
void
bus_producer_close(struct bus_producer *producer, int64_t flush_us)
{
	enum { DESTROY_US = 5000000 };
	struct log log;

	if (!producer)
		return;
	log = producer->client.log;
	if (producer->pending > 0)
		rd_kafka_flush(producer->client.handle, bus_milliseconds(flush_us));
	if (producer->pending > 0)
		log_warn(&log, "closed_with_unsent", log_number("pending", producer->pending));
	rd_kafka_purge(producer->client.handle,
		       RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT | RD_KAFKA_PURGE_F_NON_BLOCKING);
	if (!bus_close_within(destroy, producer, DESTROY_US))
		log_warn(&log, "producer_close_hangs");
}
