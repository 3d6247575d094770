/* SPDX-License-Identifier: Apache-2.0 */
/* test_consumer.c - a group member on a real broker: who has what, from where, what a record holds, and how one leaves. */
#include "tests/unit/bus/member.h"

/* ------------------------------------------------------------------ assignment */

/* Positions are claimed in a database that may be away for longer than a session lasts. */
static void
nothing_flows_before_we_say_from_where_and_the_member_stays(void **state)
{
	const char *topic = make_topic("late", 1);
	struct bus_consumer *consumer = join(own_name("group"), topic);
	const struct bus_partition *given;
	struct bus_poll poll;

	(void)state;
	put(topic, 0, 10);
	await(consumer, BUS_ASSIGNED, &poll);
	assert_int_equal(bus_assignment(consumer, &given), 1);
	assert_string_equal(given[0].topic, topic);
	assert_int_equal(given[0].partition, 0);
	assert_int_equal(bus_session_timeout(consumer), 6 * SECOND);
	expect_silence(consumer, bus_session_timeout(consumer) + 3 * SECOND);
	start_at(consumer, 3);
	for (int64_t offset = 3; offset < 10; offset++)
		expect_record(consumer, offset);
	expect_silence(consumer, SECOND);
	leave(consumer);
}

static void
one_whose_positions_are_not_claimed_yet_does_not_hold_up_another_that_joins(void **state)
{
	const char *topic = make_topic("pending", PARTITIONS), *group = own_name("group");
	struct bus_consumer *first = join(group, topic), *second;
	struct bus_partition stale[PARTITIONS];
	const struct bus_partition *given;
	struct error error = {0};
	struct bus_poll poll;
	int64_t began;

	(void)state;
	await(first, BUS_ASSIGNED, &poll);
	assert_int_equal(bus_assignment(first, &given), PARTITIONS);
	memcpy(stale, given, sizeof stale);
	stale[0].offset = stale[1].offset = 0;
	second = join(group, topic);
	began = now_us();
	await(first, BUS_REVOKED, &poll);
	assert_in_range(now_us() - began, 0, 6 * SECOND);
	assert_int_equal(bus_assignment(first, &given), 0);
	assert_false(bus_assign(first, stale, PARTITIONS, &error));
	assert_int_equal(error.kind, ERROR_CONFLICT);
	await(first, BUS_ASSIGNED, &poll);
	await(second, BUS_ASSIGNED, &poll);
	assert_int_equal(bus_assignment(first, &given), 1);
	error_clear(&error);
	assert_false(bus_assign(first, stale, PARTITIONS, &error)); /* one of the two is the other's now */
	assert_int_equal(error.kind, ERROR_CONFLICT);
	leave(second);
	leave(first);
}

/* The claim took so long that the partitions went elsewhere, and we learn it only after we began. */
static void
a_revocation_that_is_not_polled_yet_ends_what_was_started_late(void **state)
{
	const char *topic = make_topic("unseen", PARTITIONS), *group = own_name("group");
	struct bus_consumer *first = join(group, topic), *second;
	struct bus_poll poll;

	(void)state;
	put(topic, 0, 100);
	put(topic, 1, 100);
	await(first, BUS_ASSIGNED, &poll);
	second = join(group, topic);
	usleep(4 * SECOND);
	start_at(first, 0); /* the revocation lies in the queue */
	do {
		bus_poll(first, STEP, &poll);
		bus_release(poll.handle);
	} while (poll.happening == BUS_RECORD || poll.happening == BUS_NOTHING);
	assert_int_equal(poll.happening, BUS_REVOKED);
	await(first, BUS_ASSIGNED, &poll);
	start_at(first, 50);
	for (int64_t offset = 50; offset < 100; offset++)
		expect_record(first, offset);
	await(second, BUS_ASSIGNED, &poll);
	leave(first);
	leave(second);
}

static void
a_member_without_a_partition_is_told_so(void **state)
{
	const char *topic = make_topic("few", 1), *group = own_name("group");
	struct bus_consumer *members[2] = {join(group, topic), NULL};
	const struct bus_partition *given;
	struct error error = {0};
	struct bus_poll poll;
	size_t held = 0;

	(void)state;
	await(members[0], BUS_ASSIGNED, &poll);
	members[1] = join(group, topic);
	await(members[0], BUS_REVOKED, &poll);
	for (int i = 0; i < 2; i++) {
		await(members[i], BUS_ASSIGNED, &poll);
		held += bus_assignment(members[i], &given);
		if (bus_assignment(members[i], &given) == 0)
			assert_true(bus_assign(members[i], NULL, 0, &error));
	}
	assert_int_equal(held, 1);
	leave(members[0]);
	leave(members[1]);
}

static void
starting_over_comes_back_to_exactly_where_we_say(void **state)
{
	enum { RECORDS = 3000, ROUNDS = 40 };
	const char *topic = make_topic("again", 1);
	struct bus_consumer *consumer;

	(void)state;
	put(topic, 0, RECORDS);
	consumer = join_and_start(topic, 0);
	srand(7);
	for (int round = 0; round < ROUNDS; round++) {
		int from = rand() % RECORDS, to = from + rand() % (RECORDS - from);

		if (round % 8 == 3)
			usleep(200000); /* let it fetch ahead */
		start_at(consumer, from);
		for (int64_t offset = from; offset < to; offset++)
			expect_record(consumer, offset);
	}
	start_at(consumer, 0);
	for (int64_t offset = 0; offset < RECORDS; offset++)
		expect_record(consumer, offset);
	expect_silence(consumer, SECOND);
	leave(consumer);
}

/* librdkafka aborts when it is to stop a partition that it is still stopping. */
static void
starting_over_many_times_at_once_is_no_harm(void **state)
{
	enum { RECORDS = 200, ROUNDS = 500 };
	const char *topic = make_topic("hasty", 1);
	struct bus_consumer *consumer;

	(void)state;
	put(topic, 0, RECORDS);
	consumer = join_and_start(topic, 0);
	for (int round = 0; round < ROUNDS; round++) {
		start_at(consumer, round % RECORDS);
		bus_pause(consumer);
		bus_resume(consumer);
		start_at(consumer, (round + 1) % RECORDS);
		if (round % 50 == 0)
			expect_record(consumer, (round + 1) % RECORDS);
	}
	start_at(consumer, 190);
	for (int64_t offset = 190; offset < RECORDS; offset++)
		expect_record(consumer, offset);
	leave(consumer);
}

/* ------------------------------------------------------------------ records */

static void
put_odd_ones(const char *topic)
{
	rd_kafka_t *client = foreign(RD_KAFKA_PRODUCER, NULL, NULL);

	rd_kafka_producev(client, RD_KAFKA_V_TOPIC(topic), RD_KAFKA_V_PARTITION(0), RD_KAFKA_V_KEY("k\0y", 3),
			  RD_KAFKA_V_VALUE(NULL, 0), RD_KAFKA_V_TIMESTAMP(1700000000123), RD_KAFKA_V_END);
	rd_kafka_producev(client, RD_KAFKA_V_TOPIC(topic), RD_KAFKA_V_PARTITION(0),
			  RD_KAFKA_V_VALUE((void *)(uintptr_t)"", 0), RD_KAFKA_V_END);
	rd_kafka_producev(client, RD_KAFKA_V_TOPIC(topic), RD_KAFKA_V_PARTITION(0),
			  RD_KAFKA_V_VALUE((void *)(uintptr_t)"v", 1), RD_KAFKA_V_HEADER("a", "1", 1),
			  RD_KAFKA_V_HEADER("a", NULL, 0), RD_KAFKA_V_HEADER("\xFF", "\r\n\0", 3),
			  RD_KAFKA_V_END);
	assert_int_equal(rd_kafka_flush(client, 10000), 0);
	rd_kafka_destroy(client);
}

static void
expect_headers(const struct record *record)
{
	assert_int_equal(record->header_count, 3);
	assert_string_equal(record->headers[0].name, "a");
	assert_int_equal(record->headers[0].length, 1);
	assert_memory_equal(record->headers[0].value, "1", 1);
	assert_string_equal(record->headers[1].name, "a");
	assert_null(record->headers[1].value);
	assert_string_equal(record->headers[2].name, "\xFF");
	assert_int_equal(record->headers[2].length, 3);
	assert_memory_equal(record->headers[2].value, "\r\n\0", 3);
}

static void
a_record_is_lent_as_it_is(void **state)
{
	const char *topic = make_topic("odd", 1);
	struct bus_consumer *consumer;
	struct bus_poll polls[3];

	(void)state;
	put_odd_ones(topic);
	consumer = join_and_start(topic, 0);
	for (int i = 0; i < 3; i++)
		await(consumer, BUS_RECORD, &polls[i]);
	assert_string_equal(polls[0].record.topic, topic);
	assert_int_equal(polls[0].record.key_length, 3);
	assert_memory_equal(polls[0].record.key, "k\0y", 3);
	assert_null(polls[0].record.value);
	assert_int_equal(polls[0].record.timestamp, INT64_C(1700000000123000));
	assert_false(polls[0].record.timestamp_is_append);
	assert_non_null(polls[1].record.value);
	assert_int_equal(polls[1].record.value_length, 0);
	assert_null(polls[1].record.key);
	expect_headers(&polls[2].record);
	for (int i = 0; i < 3; i++)
		bus_release(polls[i].handle);
	leave(consumer);
}

/* One fetch asks for 128 KiB, an input record may have more. */
static void
records_larger_than_a_fetch_come_through(void **state)
{
	enum { SIZE = 250000, RECORDS = 100 };
	const char *topic = make_topic("large", 1);
	rd_kafka_t *client = foreign(RD_KAFKA_PRODUCER, NULL, NULL);
	char *value = memory_take(SIZE);
	struct bus_consumer *consumer;
	struct bus_poll poll;

	(void)state;
	for (int i = 0; i < RECORDS; i++)
		assert_int_equal(rd_kafka_producev(client, RD_KAFKA_V_TOPIC(topic), RD_KAFKA_V_PARTITION(0),
						   RD_KAFKA_V_VALUE(value, i % 3 ? 10 : SIZE),
						   RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END),
				 RD_KAFKA_RESP_ERR_NO_ERROR);
	assert_int_equal(rd_kafka_flush(client, 30000), 0);
	rd_kafka_destroy(client);
	free(value);
	consumer = join_and_start(topic, 0);
	for (int i = 0; i < RECORDS; i++) {
		await(consumer, BUS_RECORD, &poll);
		assert_int_equal(poll.record.offset, i);
		assert_int_equal(poll.record.value_length, i % 3 ? 10 : SIZE);
		bus_release(poll.handle);
	}
	leave(consumer);
}

static void
the_time_of_the_broker_is_told_apart(void **state)
{
	struct config_pair append = {.name = (char *)(uintptr_t)"message.timestamp.type",
				     .value = (char *)(uintptr_t)"LogAppendTime"};
	const char *topic = make_topic_with("append", 1, &append, 1);
	struct bus_consumer *consumer;
	struct bus_poll poll;

	(void)state;
	put_odd_ones(topic);
	consumer = join_and_start(topic, 0);
	await(consumer, BUS_RECORD, &poll);
	assert_true(poll.record.timestamp_is_append);
	assert_in_range(poll.record.timestamp / 1000000, (uint64_t)time(NULL) - 60, (uint64_t)time(NULL) + 60);
	bus_release(poll.handle);
	leave(consumer);
}

/* ------------------------------------------------------------------ hints, lag, leaving */

static int64_t
committed(const char *group, const char *topic)
{
	rd_kafka_t *client = foreign(RD_KAFKA_CONSUMER, "group.id", group);
	rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
	int64_t offset;

	rd_kafka_topic_partition_list_add(list, topic, 0);
	assert_int_equal(rd_kafka_committed(client, list, 10000), 0);
	offset = list->elems[0].offset;
	rd_kafka_topic_partition_list_destroy(list);
	rd_kafka_destroy(client);
	return offset;
}

static void
kafka_hears_how_far_we_are_but_is_never_asked(void **state)
{
	const char *topic = make_topic("hint", 1), *group = own_name("group");
	struct bus_consumer *consumer = join(group, topic);
	struct bus_poll poll;

	(void)state;
	put(topic, 0, 10);
	await(consumer, BUS_ASSIGNED, &poll);
	bus_hint(consumer, topic, 0, 3); /* nothing flows yet: not ours to say */
	assert_int_equal(bus_lag(consumer, topic, 0, 0), -1);
	start_at(consumer, 0);
	expect_record(consumer, 0);
	assert_int_equal(bus_lag(consumer, topic, 0, 4), 6);
	assert_int_equal(bus_lag(consumer, topic, 0, 11), 0);
	bus_hint(consumer, topic, 0, 7);
	expect_record(consumer, 1);
	leave(consumer);
	assert_int_equal(committed(group, topic), 7);

	consumer = join(group, topic);
	await(consumer, BUS_ASSIGNED, &poll);
	start_at(consumer, 2);
	expect_record(consumer, 2);
	leave(consumer);
}

static void
leaving_has_a_deadline(void **state)
{
	const char *topic = make_topic("leave", 1);
	struct bus_consumer *consumer;
	struct bus_poll poll;
	int64_t began;

	(void)state;
	put(topic, 0, 1);
	consumer = join_and_start(topic, 0);
	await(consumer, BUS_RECORD, &poll); /* a record that is kept makes librdkafka wait for ever */
	began = now_us();
	bus_consumer_close(consumer, SECOND);
	assert_in_range(now_us() - began, SECOND, 2 * SECOND);
	bus_release(poll.handle);
	usleep(2 * SECOND); /* what was left behind ends now */
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(nothing_flows_before_we_say_from_where_and_the_member_stays),
	    cmocka_unit_test(one_whose_positions_are_not_claimed_yet_does_not_hold_up_another_that_joins),
	    cmocka_unit_test(a_revocation_that_is_not_polled_yet_ends_what_was_started_late),
	    cmocka_unit_test(a_member_without_a_partition_is_told_so),
	    cmocka_unit_test(starting_over_comes_back_to_exactly_where_we_say),
	    cmocka_unit_test(starting_over_many_times_at_once_is_no_harm),
	    cmocka_unit_test(a_record_is_lent_as_it_is),
	    cmocka_unit_test(records_larger_than_a_fetch_come_through),
	    cmocka_unit_test(the_time_of_the_broker_is_told_apart),
	    cmocka_unit_test(kafka_hears_how_far_we_are_but_is_never_asked),
	    cmocka_unit_test(leaving_has_a_deadline),
	};

	return cmocka_run_group_tests_name("bus/consumer", tests, NULL, NULL);
}
