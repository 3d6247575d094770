/* SPDX-License-Identifier: Apache-2.0 */
/*
 * consumer.c - a group member that reads from positions of ours. librdkafka decides which partitions, never from where: the one
 * thing done with it is rd_kafka_assign with explicit offsets, for starting, starting over, pausing and going on alike.
 */
#include "common/bus/consumer_private.h"
#include "common/clock/clock.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { ASK_AGAIN_US = 1000000 };

static struct bus_consumer *
consumer_of(void *opaque)
{
	struct bus_consumer *consumer = opaque;

	assert(consumer && consumer->client.magic == BUS_CLIENT_MAGIC);
	return consumer;
}

static struct flow *
flow_of(struct bus_consumer *consumer, int32_t partition)
{
	for (size_t i = 0; i < consumer->flow_count; i++)
		if (consumer->flows[i].partition == partition)
			return &consumer->flows[i];
	return NULL;
}

/*
 * Waits until librdkafka's main thread has stopped what an assignment took away: a second one before that makes it stop the
 * same partition twice and abort ("Assertion `rktp->rktp_started' failed", 2.0.2 and 2.8.0). Its queue is served in order:
 * behind one question the stop is asked for, behind two it is done, behind three it is noted.
 */
static void
settle(struct bus_consumer *consumer)
{
	rd_kafka_topic_partition_list_t *list;

	for (int i = 0; i < 3; i++) {
		list = NULL;
		rd_kafka_assignment(consumer->client.handle, &list);
		if (list)
			rd_kafka_topic_partition_list_destroy(list);
	}
}

/* Gives librdkafka the flows, or none. Old records of theirs are behind a barrier then and never come out. */
static rd_kafka_resp_err_t
fetch(struct bus_consumer *consumer, bool none)
{
	rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new((int)consumer->flow_count);
	rd_kafka_resp_err_t code;

	for (size_t i = 0; !none && i < consumer->flow_count; i++) {
		const struct flow *flow = &consumer->flows[i];

		if (!flow->lost && !flow->held)
			rd_kafka_topic_partition_list_add(list, consumer->topic, flow->partition)->offset =
			    flow->next;
	}
	code = rd_kafka_assign(consumer->client.handle, list);
	settle(consumer);
	rd_kafka_topic_partition_list_destroy(list);
	return code;
}

/* ------------------------------------------------------------------ the group's word */

void
bus_consumer_stop(struct bus_consumer *consumer)
{
	free(consumer->flows);
	consumer->flows = NULL;
	consumer->flow_count = 0;
	consumer->paused = false;
}

static void
let_go(struct bus_consumer *consumer)
{
	bus_consumer_stop(consumer);
	consumer->revoked = consumer->revoked || consumer->holds;
	consumer->holds = false;
	consumer->assigned = false;
}

static void
take_offer(struct bus_consumer *consumer, const rd_kafka_topic_partition_list_t *list)
{
	bus_consumer_stop(consumer);
	free(consumer->offered);
	consumer->offered_count = (size_t)list->cnt;
	consumer->offered = memory_take((size_t)list->cnt * sizeof *consumer->offered + 1);
	for (int i = 0; i < list->cnt; i++)
		consumer->offered[i] = (struct bus_partition){
		    .topic = consumer->topic, .partition = list->elems[i].partition, .offset = -1};
	consumer->holds = true;
	consumer->assigned = true;
}

/*
 * An offer is answered at once with an empty assignment, the real one follows with bus_assign. Left unanswered, it
 * would stop the whole group: librdkafka asks for nothing back before the answer, so a member that joins waits until
 * this one's database is there again.
 */
void
bus_consumer_rebalance(rd_kafka_t *handle, rd_kafka_resp_err_t code, rd_kafka_topic_partition_list_t *list,
		       void *opaque)
{
	struct bus_consumer *consumer = consumer_of(opaque);
	bool given = list && code == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS;
	rd_kafka_resp_err_t answer;

	log_info(&consumer->client.log, given ? "assigned" : "revoked", log_text("topic", consumer->topic),
		 log_number("partitions", list ? list->cnt : 0),
		 log_text("lost", rd_kafka_assignment_lost(handle) ? "true" : "false"));
	if (given)
		take_offer(consumer, list);
	else
		let_go(consumer);
	answer = given ? fetch(consumer, true) : rd_kafka_assign(handle, NULL);
	if (answer)
		log_warn(&consumer->client.log, "rebalance_failed",
			 log_text("code", rd_kafka_err2name(answer)));
	rd_kafka_yield(handle); /* so that bus_poll can tell at once */
}

size_t
bus_assignment(const struct bus_consumer *consumer, const struct bus_partition **partitions)
{
	*partitions = consumer->offered;
	return consumer->holds ? consumer->offered_count : 0;
}

/* ------------------------------------------------------------------ start, pause, go on */

static bool
is_ours(const struct bus_consumer *consumer, const struct bus_partition *wanted)
{
	if (!consumer->holds || strcmp(wanted->topic, consumer->topic) != 0)
		return false;
	for (size_t i = 0; i < consumer->offered_count; i++)
		if (consumer->offered[i].partition == wanted->partition)
			return true;
	return false;
}

bool
bus_assign(struct bus_consumer *consumer, const struct bus_partition *partitions, size_t count,
	   struct error *error)
{
	rd_kafka_resp_err_t code;

	if (!consumer->holds)
		return error_set(error, ERROR_CONFLICT, "revoked", "the partitions of %s were taken back",
				 consumer->topic);
	for (size_t i = 0; i < count; i++) {
		assert(partitions[i].offset >= 0); /* negative ones mean "the end" and the like to librdkafka */
		if (!is_ours(consumer, &partitions[i]))
			return error_set(error, ERROR_CONFLICT, "revoked",
					 "partition %d of %s is not ours any more",
					 (int)partitions[i].partition, partitions[i].topic);
	}
	bus_consumer_stop(consumer);
	consumer->flows = memory_take(count * sizeof *consumer->flows + 1);
	consumer->flow_count = count;
	for (size_t i = 0; i < count; i++)
		consumer->flows[i] = (struct flow){.partition = partitions[i].partition,
						   .next = partitions[i].offset,
						   .hint = partitions[i].offset};
	code = fetch(consumer, false);
	if (code)
		bus_consumer_stop(consumer);
	return !code || bus_error(error, code, "start fetching", NULL);
}

/*
 * Not rd_kafka_pause_partitions: its flag outlives an assignment, and resuming goes back to positions that librdkafka
 * remembers itself (wrongly before 2.4.0). An empty assignment drops what was fetched, and going on names the offsets.
 */
void
bus_pause(struct bus_consumer *consumer)
{
	if (consumer->paused || consumer->flow_count == 0)
		return;
	consumer->paused = true;
	fetch(consumer, true);
}

void
bus_resume(struct bus_consumer *consumer)
{
	rd_kafka_resp_err_t code;

	if (!consumer->paused)
		return;
	code = fetch(consumer, false);
	if (code)
		log_warn(&consumer->client.log, "resume_failed", log_text("code", rd_kafka_err2name(code)));
	else
		consumer->paused = false;
}

static bool
is_among(int32_t partition, const int32_t *partitions, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (partitions[i] == partition)
			return true;
	return false;
}

void
bus_hold(struct bus_consumer *consumer, const int32_t *partitions, size_t count)
{
	rd_kafka_resp_err_t code = RD_KAFKA_RESP_ERR_NO_ERROR;
	bool changed = false;

	for (size_t i = 0; i < consumer->flow_count; i++) {
		bool held = is_among(consumer->flows[i].partition, partitions, count);

		changed = changed || held != consumer->flows[i].held;
		consumer->flows[i].held = held;
	}
	if (changed && !consumer->paused)
		code = fetch(consumer, false);
	if (code)
		log_warn(&consumer->client.log, "hold_failed", log_text("code", rd_kafka_err2name(code)));
}

/* ------------------------------------------------------------------ rights */

static bool
is_denial(rd_kafka_resp_err_t code)
{
	return code == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED
	       || code == RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED;
}

static void
deny(struct bus_consumer *consumer)
{
	consumer->denied = true;
	consumer->ask_at = clock_monotonic() + ASK_AGAIN_US;
}

/*
 * librdkafka says once that a topic must not be read, and goes on trying in silence. A hint needs the same rights and is
 * answered, so hints are repeated until they are taken.
 */
static void
ask_whether_we_may(struct bus_consumer *consumer)
{
	rd_kafka_topic_partition_list_t *list;

	if (!consumer->denied || consumer->flow_count == 0 || clock_monotonic() < consumer->ask_at)
		return;
	list = rd_kafka_topic_partition_list_new((int)consumer->flow_count);
	for (size_t i = 0; i < consumer->flow_count; i++)
		rd_kafka_topic_partition_list_add(list, consumer->topic, consumer->flows[i].partition)->offset =
		    consumer->flows[i].hint;
	rd_kafka_commit(consumer->client.handle, list, 1);
	rd_kafka_topic_partition_list_destroy(list);
	consumer->ask_at = clock_monotonic() + ASK_AGAIN_US;
}

/* Failures of hints are ignored, but for those that say that we may not. */
void
bus_consumer_hinted(rd_kafka_t *handle, rd_kafka_resp_err_t code, rd_kafka_topic_partition_list_t *list,
		    void *opaque)
{
	struct bus_consumer *consumer = consumer_of(opaque);

	(void)handle;
	for (int i = 0; list && !is_denial(code) && i < list->cnt; i++)
		if (list->elems[i].err)
			code = list->elems[i].err;
	if (is_denial(code)) {
		deny(consumer);
		if (consumer->client.fault.kind == ERROR_NONE)
			bus_error(&consumer->client.fault, code, consumer->topic, NULL);
	} else if (!code) {
		consumer->denied = false;
	}
}

/* ------------------------------------------------------------------ poll */

static bool
tell(struct bus_consumer *consumer, struct bus_poll *poll)
{
	struct error *fault = &consumer->client.fault;

	if (consumer->revoked) {
		poll->happening = BUS_REVOKED;
		consumer->revoked = false;
	} else if (fault->kind != ERROR_NONE) {
		poll->happening = BUS_FAULT;
		poll->error = *fault;
		error_clear(fault);
	} else if (consumer->assigned) {
		poll->happening = BUS_ASSIGNED;
		consumer->assigned = false;
	}
	return poll->happening != BUS_NOTHING;
}

/* Records of a partition that does not flow, or that were handed out before, are old ones: not ours to act on. */
static void
take_record(struct bus_consumer *consumer, rd_kafka_message_t *take_message, struct bus_poll *poll)
{
	struct flow *flow = consumer->paused ? NULL : flow_of(consumer, take_message->partition);

	if (!flow || flow->lost || flow->held || take_message->offset < flow->next) {
		log_debug(&consumer->client.log, "stale_record",
			  log_number("partition", take_message->partition),
			  log_number("offset", take_message->offset));
		rd_kafka_message_destroy(take_message);
		return;
	}
	flow->next = take_message->offset + 1;
	bus_record_lend(take_message, poll);
}

static bool
stops_partition(rd_kafka_resp_err_t code)
{
	return code == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET || code == RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE
	       || code == RD_KAFKA_RESP_ERR__BAD_MSG || code == RD_KAFKA_RESP_ERR__BAD_COMPRESSION
	       || code == RD_KAFKA_RESP_ERR_INVALID_MSG || code == RD_KAFKA_RESP_ERR__UNDERFLOW
	       || code == RD_KAFKA_RESP_ERR__NOT_IMPLEMENTED;
}

/* What is out of range or can't be read must not be jumped over: nothing more of this partition comes out. */
static void
lose_position(struct bus_consumer *consumer, const rd_kafka_message_t *message, struct bus_poll *poll)
{
	struct flow *flow = consumer->paused ? NULL : flow_of(consumer, message->partition);
	bool unreadable = message->err != RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET
			  && message->err != RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE;

	if (!flow || flow->lost || flow->held)
		return;
	flow->lost = true;
	poll->happening = BUS_LOST_POSITION;
	poll->partition = message->partition;
	error_set(&poll->error, ERROR_BROKEN, unreadable ? "unreadable" : "lost_position",
		  "partition %d of %s stops at offset %lld: %s", (int)message->partition, consumer->topic,
		  (long long)flow->next, rd_kafka_message_errstr(message));
}

static void
take_error(struct bus_consumer *consumer, rd_kafka_message_t *take_message, struct bus_poll *poll)
{
	rd_kafka_resp_err_t code = take_message->err;

	if (code == RD_KAFKA_RESP_ERR__MAX_POLL_EXCEEDED) {
		let_go(consumer); /* others may have our partitions already; the revocation follows */
		tell(consumer, poll);
	} else if (stops_partition(code)) {
		lose_position(consumer, take_message, poll);
	} else if (code == RD_KAFKA_RESP_ERR__FATAL) {
		poll->happening = BUS_FAULT;
		bus_error_fatal(&poll->error, &consumer->client);
	} else if (code != RD_KAFKA_RESP_ERR__PARTITION_EOF) {
		if (is_denial(code))
			deny(consumer);
		poll->happening = BUS_FAULT;
		bus_error(&poll->error, code, consumer->topic, rd_kafka_message_errstr(take_message));
	}
	rd_kafka_message_destroy(take_message);
}

void
bus_poll(struct bus_consumer *consumer, int64_t timeout_us, struct bus_poll *poll)
{
	int64_t deadline = clock_monotonic() + (timeout_us > 0 ? timeout_us : 0);
	rd_kafka_message_t *message;

	*poll = (struct bus_poll){.happening = BUS_NOTHING};
	ask_whether_we_may(consumer);
	while (!tell(consumer, poll)) {
		message = rd_kafka_consumer_poll(consumer->client.handle, bus_remaining(deadline));
		if (message && message->err)
			take_error(consumer, message, poll);
		else if (message)
			take_record(consumer, message, poll);
		if (poll->happening != BUS_NOTHING || tell(consumer, poll) || clock_monotonic() >= deadline)
			break;
	}
}

/* ------------------------------------------------------------------ positions */

void
bus_hint(struct bus_consumer *consumer, const char *topic, int32_t partition, int64_t next_offset)
{
	struct flow *flow = flow_of(consumer, partition);
	rd_kafka_topic_partition_list_t *list;

	if (!flow)
		return;
	flow->hint = next_offset;
	list = rd_kafka_topic_partition_list_new(1);
	rd_kafka_topic_partition_list_add(list, topic, partition)->offset = next_offset;
	rd_kafka_commit(consumer->client.handle, list, 1);
	rd_kafka_topic_partition_list_destroy(list);
}

bool
bus_watermarks(struct bus_consumer *consumer, const char *topic, int32_t partition, int64_t *low,
	       int64_t *high, int64_t timeout_us, struct error *error)
{
	rd_kafka_resp_err_t code =
	    bus_ask_ends(&consumer->client, topic, partition, low, high, clock_monotonic() + timeout_us);

	return !code || bus_error(error, code, "ask for the offsets of a partition", NULL);
}

int64_t
bus_lag(struct bus_consumer *consumer, const char *topic, int32_t partition, int64_t next_offset)
{
	int64_t low, high;

	if (rd_kafka_get_watermark_offsets(consumer->client.handle, topic, partition, &low, &high) || high < 0)
		return -1;
	return high > next_offset ? high - next_offset : 0;
}

int64_t
bus_session_timeout(const struct bus_consumer *consumer)
{
	return consumer->session_timeout;
}
