/* SPDX-License-Identifier: Apache-2.0 */
/* test_producer.c - every send is reported, in order per partition, and nothing overtakes what failed. */
#include "tests/unit/bus/broker.h"

#include <librdkafka/rdkafka_mock.h>

enum { LEASE = 30 * SECOND, MOST = 20000 };

/* What was reported: per tag, and in which order. */
struct reports {
	int64_t tags[MOST];
	size_t count, failed;
	struct error last; /* of the last that failed */
};

static void
take_report(void *context, int64_t tag, const struct error *error)
{
	struct reports *reports = context;

	assert_true(reports->count < MOST);
	reports->tags[reports->count++] = tag;
	if (error) {
		reports->failed++;
		reports->last = *error;
	}
}

static struct bus_producer *
open_producer(const struct bus_options *how, int64_t lease)
{
	struct error error = {0};
	struct bus_producer *producer = bus_producer_open(how, lease, &error);

	if (!producer)
		fail_msg("%s", error.text);
	return producer;
}

static bool
send_text(struct bus_producer *producer, const char *topic, const char *key, int64_t tag, struct error *error)
{
	char value[32];
	int length = snprintf(value, sizeof value, "%lld", (long long)tag);
	struct record_header headers[] = {{"ce_id", "id", 2}, {"empty", NULL, 0}};
	struct bus_send send = {.topic = topic,
				.key = key,
				.key_length = key ? strlen(key) : 0,
				.value = value,
				.value_length = (size_t)length,
				.headers = headers,
				.header_count = 2};

	return bus_send(producer, &send, tag, error);
}

static void
await_reports(struct bus_producer *producer, struct reports *reports)
{
	int64_t deadline = now_us() + 30 * SECOND;

	while (bus_producer_pending(producer) > 0 && now_us() < deadline)
		bus_producer_poll(producer, 100000, take_report, reports);
	assert_int_equal(bus_producer_pending(producer), 0);
}

/* Reads a topic to its end; calls check for each record. Returns how many there were. */
static size_t
read_all(const char *topic, void (*check)(const struct record *record, size_t index))
{
	struct error error = {0};
	struct bus_reader *reader = bus_reader_open(options(), &topic, 1, false, &error);
	struct bus_poll poll;
	size_t count = 0;
	bool at_end = false;

	assert_non_null(reader);
	while (!at_end) {
		bus_reader_next(reader, SECOND, &poll, &at_end);
		if (poll.happening == BUS_FAULT)
			fail_msg("%s", poll.error.text);
		if (poll.happening == BUS_RECORD) {
			check(&poll.record, count++);
			bus_release(poll.handle);
		}
	}
	bus_reader_close(reader);
	return count;
}

static void
expect_in_order(const struct record *record, size_t index)
{
	char value[32];

	snprintf(value, sizeof value, "%zu", index);
	assert_int_equal(record->offset, index);
	assert_int_equal(record->value_length, strlen(value));
	assert_memory_equal(record->value, value, strlen(value));
	assert_int_equal(record->header_count, 2);
	assert_string_equal(record->headers[0].name, "ce_id");
	assert_memory_equal(record->headers[0].value, "id", 2);
	assert_null(record->headers[1].value);
}

static void
what_is_sent_arrives_once_and_in_order(void **state)
{
	enum { SENDS = 5000 };
	const char *topic = make_topic("order", 1);
	struct bus_producer *producer = open_producer(options(), LEASE);
	static struct reports reports;
	struct error error = {0};

	(void)state;
	for (int64_t tag = 0; tag < SENDS; tag++)
		if (!send_text(producer, topic, "key", tag, &error))
			fail_msg("%s", error.text);
	await_reports(producer, &reports);
	assert_int_equal(reports.count, SENDS);
	assert_int_equal(reports.failed, 0);
	for (int64_t tag = 0; tag < SENDS; tag++)
		assert_int_equal(reports.tags[tag], tag);
	assert_false(bus_producer_fatal(producer));
	bus_producer_close(producer, SECOND);
	assert_int_equal(read_all(topic, expect_in_order), SENDS);
}

/* As the Java client hashes keys; what it gives for these was computed with kafka-clients 4.3.1. */
struct placed {
	const char *key;
	int32_t hash;
};
static const struct placed placed[] = {
    {"21", -973932308},
    {"foobar", -790332482},
    {"a-little-bit-long-string", -985981536},
    {"abc", 479470107},
    {"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971},
};

static void
expect_placed(const struct record *record, size_t index)
{
	(void)index;
	for (size_t i = 0; i < sizeof placed / sizeof *placed; i++)
		if (strlen(placed[i].key) == record->key_length
		    && memcmp(placed[i].key, record->key, record->key_length) == 0)
			assert_int_equal(record->partition, (placed[i].hash & 0x7FFFFFFF) % 6);
}

static void
a_key_falls_where_the_java_client_puts_it(void **state)
{
	const char *topic = make_topic("place", 6);
	struct bus_producer *producer = open_producer(options(), LEASE);
	static struct reports reports;
	struct error error = {0};

	(void)state;
	for (size_t i = 0; i < sizeof placed / sizeof *placed; i++)
		assert_true(send_text(producer, topic, placed[i].key, (int64_t)i, &error));
	await_reports(producer, &reports);
	bus_producer_close(producer, SECOND);
	assert_int_equal(read_all(topic, expect_placed), sizeof placed / sizeof *placed);
}

static void
expect_odd(const struct record *record, size_t index)
{
	if (index == 0) {
		assert_null(record->value);
		assert_int_equal(record->key_length, 1);
	} else {
		assert_non_null(record->value);
		assert_int_equal(record->value_length, 0);
		assert_null(record->key);
	}
}

static void
no_value_and_an_empty_one_are_two_things(void **state)
{
	const char *topic = make_topic("none", 1);
	struct bus_producer *producer = open_producer(options(), LEASE);
	struct bus_send none = {.topic = topic, .key = "k", .key_length = 1},
			empty = {.topic = topic, .value = ""};
	static struct reports reports;
	struct error error = {0};

	(void)state;
	assert_true(bus_send(producer, &none, 1, &error));
	assert_true(bus_send(producer, &empty, INT64_MIN, &error));
	await_reports(producer, &reports);
	assert_int_equal(reports.failed, 0);
	assert_int_equal(reports.tags[1], INT64_MIN);
	bus_producer_close(producer, SECOND);
	assert_int_equal(read_all(topic, expect_odd), 2);
}

static void
a_full_queue_is_told_and_passes(void **state)
{
	const char *topic = make_topic("full", 1);
	struct bus_producer *producer =
	    open_producer(options_with("queue.buffering.max.messages", "100", "linger.ms", "1000"), LEASE);
	static struct reports reports;
	struct error error = {0};
	int64_t tag = 0;
	int refusals = 0;

	(void)state;
	while (tag < 1000) {
		if (send_text(producer, topic, "key", tag, &error)) {
			tag++;
			continue;
		}
		assert_int_equal(error.kind, ERROR_UNAVAILABLE);
		assert_string_equal(error.code, "queue_full");
		error_clear(&error);
		refusals++;
		bus_producer_poll(producer, 100000, take_report, &reports);
	}
	await_reports(producer, &reports);
	assert_true(refusals > 0);
	assert_int_equal(reports.count, 1000);
	assert_int_equal(reports.failed, 0);
	bus_producer_close(producer, SECOND);
	assert_int_equal(read_all(topic, expect_in_order), 1000);
}

static void
what_is_too_large_is_refused_at_once(void **state)
{
	const char *topic = make_topic("large", 1);
	struct bus_producer *producer = open_producer(options(), LEASE);
	size_t size = 2000000;
	struct bus_send send = {.topic = topic, .value = memory_take(size), .value_length = size};
	struct error error = {0};

	(void)state;
	assert_false(bus_send(producer, &send, 1, &error));
	assert_int_equal(error.kind, ERROR_INVALID);
	assert_string_equal(error.code, "too_large");
	assert_int_equal(bus_producer_pending(producer), 0);
	error_clear(&error);
	assert_true(send_text(producer, topic, "key", 2, &error)); /* nothing was broken by it */
	bus_producer_close(producer, 5 * SECOND);
	free((void *)(uintptr_t)send.value);
}

/* ------------------------------------------------------------------ failures */

static int32_t
partitions_of(const char *topic)
{
	struct error error = {0};
	struct bus_admin *admin = bus_admin_open(options(), &error);
	int32_t count = -1;

	assert_non_null(admin);
	assert_true(bus_partition_count(admin, topic, &count, &error));
	bus_admin_close(admin);
	return count;
}

static void
a_missing_topic_is_reported_and_not_made(void **state)
{
	const char *topic = own_name("missing");
	struct bus_producer *producer =
	    open_producer(options_with("topic.metadata.propagation.max.ms", "1000", NULL, NULL), LEASE);
	static struct reports reports;
	struct error error = {0};

	(void)state;
	assert_true(send_text(producer, topic, "key", 1, &error));
	await_reports(producer, &reports);
	assert_int_equal(reports.failed, 1);
	assert_int_equal(reports.last.kind, ERROR_BROKEN);
	assert_string_equal(reports.last.code, "unknown_topic");
	bus_producer_close(producer, 0);
	assert_int_equal(partitions_of(topic), 0);
}

/* The relay's lease ends before librdkafka would give up: each failure is known while the lease is still ours. */
static void
brokers_that_are_away_end_the_producer_within_the_lease(void **state)
{
	struct config_pair pair = {.name = (char *)(uintptr_t)"bootstrap.servers",
				   .value = (char *)(uintptr_t)"127.0.0.1:1"};
	struct config_pairs through = {&pair, 1};
	struct bus_options away = {.through = &through, .client_id = "countersign-test", .log = &test_log};
	struct bus_producer *producer = open_producer(&away, 6 * SECOND);
	static struct reports reports;
	struct error error = {0};
	int64_t began = now_us();

	(void)state;
	for (int64_t tag = 0; tag < 10; tag++)
		assert_true(send_text(producer, "topic", "key", tag, &error));
	await_reports(producer, &reports);
	assert_in_range(now_us() - began, 3 * SECOND, 6 * SECOND);
	assert_int_equal(reports.failed, 10);
	assert_int_equal(reports.last.kind, ERROR_UNAVAILABLE);
	assert_true(bus_producer_fatal(producer));
	assert_false(send_text(producer, "topic", "key", 11, &error));
	assert_int_equal(error.kind, ERROR_BROKEN);
	assert_string_equal(error.code, "fatal");
	bus_producer_close(producer, 0);
}

/* librdkafka's own cluster, for an answer that a real broker does not give on demand. */
static void
after_one_failure_nothing_later_is_sent(void **state)
{
	char reason[256];
	rd_kafka_t *host = rd_kafka_new(RD_KAFKA_PRODUCER, rd_kafka_conf_new(), reason, sizeof reason);
	rd_kafka_mock_cluster_t *mock = rd_kafka_mock_cluster_new(host, 1);
	struct config_pair pair = {.name = (char *)(uintptr_t)"bootstrap.servers",
				   .value = (char *)(uintptr_t)rd_kafka_mock_cluster_bootstraps(mock)};
	struct config_pairs through = {&pair, 1};
	struct bus_options mocked = {.through = &through, .client_id = "countersign-test", .log = &test_log};
	struct bus_producer *producer = open_producer(&mocked, LEASE);
	static struct reports reports;
	struct error error = {0};
	int64_t sent;

	(void)state;
	assert_int_equal(rd_kafka_mock_topic_create(mock, "topic", 1, 1), 0);
	rd_kafka_mock_push_request_errors(mock, 0 /* Produce */, 1,
					  RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
	for (sent = 0; send_text(producer, "topic", "key", sent, &error); sent++)
		usleep(sent < 3 ? 0 : 20000); /* three in the batch that fails, then one each */
	assert_int_equal(error.kind, ERROR_BROKEN);
	assert_string_equal(error.code, "fatal");
	await_reports(producer, &reports);
	bus_producer_poll(producer, 100000, take_report, &reports);
	assert_true(bus_producer_fatal(producer));
	assert_int_equal(reports.count, sent);
	assert_int_equal(reports.failed, sent);
	bus_producer_close(producer, 0);
	rd_kafka_mock_cluster_destroy(mock);
	rd_kafka_destroy(host);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(what_is_sent_arrives_once_and_in_order),
	    cmocka_unit_test(a_key_falls_where_the_java_client_puts_it),
	    cmocka_unit_test(no_value_and_an_empty_one_are_two_things),
	    cmocka_unit_test(a_full_queue_is_told_and_passes),
	    cmocka_unit_test(what_is_too_large_is_refused_at_once),
	    cmocka_unit_test(a_missing_topic_is_reported_and_not_made),
	    cmocka_unit_test(brokers_that_are_away_end_the_producer_within_the_lease),
	    cmocka_unit_test(after_one_failure_nothing_later_is_sent),
	};

	return cmocka_run_group_tests_name("bus/producer", tests, NULL, NULL);
}
