/* SPDX-License-Identifier: Apache-2.0 */
/* test_consumer.c - a group member on a real broker: who has what, from where, and that no record is lost or comes twice. */
#include "tests/unit/bus/broker.h"

enum { PARTITIONS = 2, PATIENCE = 20 * SECOND, STEP = 100000 };

static struct bus_consumer *
join_with(const char *group, const char *topic, const struct bus_options *how)
{
	struct error error = {0};
	struct bus_consumer *consumer = bus_consumer_open(how, group, topic, &error);

	if (!consumer)
		fail_msg("%s", error.text);
	return consumer;
}

static struct bus_consumer *
join(const char *group, const char *topic)
{
	return join_with(group, topic, options());
}

static void
leave(struct bus_consumer *consumer)
{
	bus_consumer_close(consumer, PATIENCE);
}

/* Polls until it happens; records and other news on the way are not expected. */
static void
await(struct bus_consumer *consumer, enum bus_happening wanted, struct bus_poll *poll)
{
	int64_t deadline = now_us() + PATIENCE;

	do
		bus_poll(consumer, STEP, poll);
	while (poll->happening == BUS_NOTHING && now_us() < deadline);
	if (poll->happening != wanted)
		fail_msg("%d happened instead of %d: %s", (int)poll->happening, (int)wanted, poll->error.text);
}

/* Starts all that the group gave at one offset. */
static void
start_at(struct bus_consumer *consumer, int64_t offset)
{
	const struct bus_partition *given;
	struct bus_partition wanted[16];
	size_t count = bus_assignment(consumer, &given);
	struct error error = {0};

	assert_in_range(count, 1, 16);
	for (size_t i = 0; i < count; i++) {
		wanted[i] = given[i];
		wanted[i].offset = offset;
	}
	if (!bus_assign(consumer, wanted, count, &error))
		fail_msg("%s", error.text);
}

static struct bus_consumer *
join_and_start(const char *topic, int64_t offset)
{
	struct bus_consumer *consumer = join(own_name("group"), topic);
	struct bus_poll poll;

	await(consumer, BUS_ASSIGNED, &poll);
	start_at(consumer, offset);
	return consumer;
}

/* The next record; it must be this one. */
static void
expect_record(struct bus_consumer *consumer, int64_t offset)
{
	struct bus_poll poll;
	char value[32];

	await(consumer, BUS_RECORD, &poll);
	assert_int_equal(poll.record.offset, offset);
	snprintf(value, sizeof value, "%lld", (long long)offset);
	assert_int_equal(poll.record.value_length, strlen(value));
	assert_memory_equal(poll.record.value, value, strlen(value));
	bus_release(poll.handle);
}

static void
expect_silence(struct bus_consumer *consumer, int64_t time)
{
	int64_t deadline = now_us() + time;
	struct bus_poll poll;

	while (now_us() < deadline) {
		bus_poll(consumer, STEP, &poll);
		assert_int_equal(poll.happening, BUS_NOTHING);
	}
}

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

/* ------------------------------------------------------------------ pause */

static void
pausing_in_mid_stream_loses_nothing_and_doubles_nothing(void **state)
{
	enum { RECORDS = 20000, ROUNDS = 60 };
	const char *topic = make_topic("pause", 1);
	struct bus_consumer *consumer;
	int64_t next = 0;

	(void)state;
	put(topic, 0, RECORDS);
	consumer = join_and_start(topic, 0);
	srand(11);
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = rand() % 300; i > 0; i--)
			expect_record(consumer, next++);
		bus_pause(consumer);
		bus_pause(consumer);
		if (round % 10 == 0)
			expect_silence(consumer, 500000);
		bus_resume(consumer);
		bus_resume(consumer);
	}
	while (next < RECORDS)
		expect_record(consumer, next++);
	expect_silence(consumer, SECOND);
	leave(consumer);
}

static void
a_pause_before_the_first_record_goes_on_at_the_start(void **state)
{
	const char *topic = make_topic("early", 1);
	struct bus_consumer *consumer;

	(void)state;
	put(topic, 0, 1000);
	consumer = join_and_start(topic, 0);
	for (int64_t offset = 0; offset < 500; offset++)
		expect_record(consumer, offset);
	start_at(consumer, 20);
	bus_pause(consumer);
	expect_silence(consumer, 500000);
	bus_resume(consumer);
	for (int64_t offset = 20; offset < 1000; offset++)
		expect_record(consumer, offset);
	start_at(consumer, 5);
	bus_pause(consumer);
	start_at(consumer, 7); /* a start undoes the pause */
	expect_record(consumer, 7);
	leave(consumer);
}

/* Every record of every partition once and in order, whichever are held back meanwhile; of those nothing comes out. */
static void
partitions_that_are_held_back_wait_while_the_others_flow(void **state)
{
	enum { RECORDS = 3000, ROUNDS = 40 };
	const char *topic = make_topic("hold", PARTITIONS);
	struct bus_consumer *consumer;
	int64_t next[PARTITIONS] = {0}, taken = 0;
	struct bus_poll poll;

	(void)state;
	for (int32_t partition = 0; partition < PARTITIONS; partition++)
		put(topic, partition, RECORDS);
	consumer = join_and_start(topic, 0);
	for (int round = 0; taken < PARTITIONS * RECORDS; round++) {
		const int32_t held = (int32_t)(round % PARTITIONS);
		size_t count = round < ROUNDS ? 1 : 0;
		int64_t end = round < ROUNDS ? taken + 50 : PARTITIONS * RECORDS;

		bus_hold(consumer, &held, count);
		bus_hold(consumer, &held, count);
		while (taken < end) {
			await(consumer, BUS_RECORD, &poll);
			assert_true(count == 0 || poll.record.partition != held);
			assert_int_equal(poll.record.offset, next[poll.record.partition]++);
			bus_release(poll.handle);
			taken++;
		}
	}
	bus_pause(consumer);
	bus_hold(consumer, &(int32_t){0}, 1);
	put(topic, 0, 1);
	put(topic, 1, 1);
	expect_silence(consumer, SECOND);
	bus_resume(consumer);
	await(consumer, BUS_RECORD, &poll);
	assert_int_equal(poll.record.partition, 1);
	bus_release(poll.handle);
	expect_silence(consumer, SECOND);
	start_at(consumer, RECORDS); /* a start holds nothing back */
	for (int i = 0; i < 2; i++) {
		await(consumer, BUS_RECORD, &poll);
		assert_int_equal(poll.record.offset, RECORDS);
		bus_release(poll.handle);
	}
	leave(consumer);
}

static void
a_pause_is_forgotten_with_the_partitions(void **state)
{
	const char *topic = make_topic("forget", PARTITIONS), *group = own_name("group");
	struct bus_consumer *first = join(group, topic), *second;
	struct bus_poll poll;

	(void)state;
	put(topic, 0, 10);
	put(topic, 1, 10);
	await(first, BUS_ASSIGNED, &poll);
	start_at(first, 0);
	bus_pause(first);
	second = join(group, topic);
	await(first, BUS_REVOKED, &poll);
	bus_resume(first);
	await(first, BUS_ASSIGNED, &poll);
	expect_silence(first, 500000);
	start_at(first, 0);
	for (int64_t offset = 0; offset < 10; offset++)
		expect_record(first, offset);
	await(second, BUS_ASSIGNED, &poll);
	leave(second);
	await(first, BUS_REVOKED, &poll);
	await(first, BUS_ASSIGNED, &poll);
	start_at(first, 9);
	await(first, BUS_RECORD, &poll);
	bus_release(poll.handle);
	await(first, BUS_RECORD, &poll);
	bus_release(poll.handle);
	leave(first);
}

/* ------------------------------------------------------------------ faults */

static void
a_position_behind_the_end_stops_its_partition_alone(void **state)
{
	const char *topic = make_topic("behind", PARTITIONS);
	struct bus_consumer *consumer = join(own_name("group"), topic);
	struct bus_partition wanted[PARTITIONS] = {{topic, 0, 500}, {topic, 1, 0}};
	struct error error = {0};
	struct bus_poll poll;
	int records = 0, lost = 0;

	(void)state;
	put(topic, 0, 10);
	put(topic, 1, 10);
	await(consumer, BUS_ASSIGNED, &poll);
	assert_true(bus_assign(consumer, wanted, PARTITIONS, &error));
	for (int64_t deadline = now_us() + 5 * SECOND; now_us() < deadline;) {
		bus_poll(consumer, STEP, &poll);
		if (poll.happening == BUS_RECORD) {
			assert_int_equal(poll.record.partition, 1);
			records++;
		} else if (poll.happening == BUS_LOST_POSITION) {
			assert_int_equal(poll.partition, 0);
			assert_string_equal(poll.error.code, "lost_position");
			lost++;
			bus_pause(consumer);
			bus_resume(consumer); /* does not start it again */
		}
		bus_release(poll.handle);
	}
	assert_int_equal(records, 10);
	assert_int_equal(lost, 1);
	leave(consumer);
}

static void
delete_records(const char *topic, int64_t before)
{
	rd_kafka_t *client = foreign(RD_KAFKA_PRODUCER, NULL, NULL);
	rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
	rd_kafka_queue_t *queue = rd_kafka_queue_new(client);
	rd_kafka_DeleteRecords_t *deletion;
	rd_kafka_event_t *event;

	rd_kafka_topic_partition_list_add(list, topic, 0)->offset = before;
	deletion = rd_kafka_DeleteRecords_new(list);
	rd_kafka_DeleteRecords(client, &deletion, 1, NULL, queue);
	event = rd_kafka_queue_poll(queue, 15000);
	assert_non_null(event);
	assert_int_equal(rd_kafka_event_error(event), 0);
	rd_kafka_event_destroy(event);
	rd_kafka_DeleteRecords_destroy(deletion);
	rd_kafka_topic_partition_list_destroy(list);
	rd_kafka_queue_destroy(queue);
	rd_kafka_destroy(client);
}

static void
a_position_before_what_is_kept_is_lost_and_not_jumped(void **state)
{
	const char *topic = make_topic("deleted", 1);
	struct bus_consumer *consumer;
	struct error error = {0};
	struct bus_poll poll;
	int64_t low, high;

	(void)state;
	put(topic, 0, 10);
	delete_records(topic, 5);
	consumer = join_and_start(topic, 3);
	await(consumer, BUS_LOST_POSITION, &poll);
	expect_silence(consumer, 2 * SECOND);
	assert_true(bus_watermarks(consumer, topic, 0, &low, &high, 5 * SECOND, &error));
	assert_int_equal(low, 5);
	assert_int_equal(high, 10);
	start_at(consumer, low);
	expect_record(consumer, 5);
	leave(consumer);
}

/* Another may hold our partitions by now: nothing that was fetched before may come out. */
static void
who_did_not_poll_in_time_has_nothing_any_more(void **state)
{
	const char *topic = make_topic("stall", 1);
	struct bus_consumer *consumer =
	    join_with(own_name("group"), topic, options_with("max.poll.interval.ms", "6000", NULL, NULL));
	struct error error = {0};
	struct bus_partition stale = {topic, 0, 1};
	struct bus_poll poll;

	(void)state;
	put(topic, 0, 100);
	await(consumer, BUS_ASSIGNED, &poll);
	start_at(consumer, 0);
	expect_record(consumer, 0);
	usleep(8 * SECOND);
	await(consumer, BUS_REVOKED, &poll);
	assert_false(bus_assign(consumer, &stale, 1, &error));
	assert_int_equal(error.kind, ERROR_CONFLICT);
	await(consumer, BUS_ASSIGNED, &poll);
	start_at(consumer, 1);
	expect_record(consumer, 1);
	leave(consumer);
}

static void
a_missing_topic_is_said_and_not_made(void **state)
{
	struct bus_consumer *consumer = join(own_name("group"), own_name("missing"));
	struct bus_poll poll;

	(void)state;
	await(consumer, BUS_FAULT, &poll);
	assert_int_equal(poll.error.kind, ERROR_BROKEN);
	assert_string_equal(poll.error.code, "unknown_topic");
	leave(consumer);
}

static void
brokers_that_are_away_are_waited_for(void **state)
{
	struct config_pair pair = {.name = (char *)(uintptr_t)"bootstrap.servers",
				   .value = (char *)(uintptr_t)"127.0.0.1:1"};
	struct config_pairs through = {&pair, 1};
	struct log quiet = {.level = LOG_ERROR, .service = "test"};
	struct bus_options away = {.through = &through, .client_id = "countersign-test", .log = &quiet};
	struct bus_consumer *consumer = join_with("group", "topic", &away);
	int64_t began;

	(void)state;
	expect_silence(consumer, 2 * SECOND);
	began = now_us();
	leave(consumer);
	assert_in_range(now_us() - began, 0, 5 * SECOND);
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
	    cmocka_unit_test(pausing_in_mid_stream_loses_nothing_and_doubles_nothing),
	    cmocka_unit_test(a_pause_before_the_first_record_goes_on_at_the_start),
	    cmocka_unit_test(partitions_that_are_held_back_wait_while_the_others_flow),
	    cmocka_unit_test(a_pause_is_forgotten_with_the_partitions),
	    cmocka_unit_test(a_position_behind_the_end_stops_its_partition_alone),
	    cmocka_unit_test(a_position_before_what_is_kept_is_lost_and_not_jumped),
	    cmocka_unit_test(who_did_not_poll_in_time_has_nothing_any_more),
	    cmocka_unit_test(a_missing_topic_is_said_and_not_made),
	    cmocka_unit_test(brokers_that_are_away_are_waited_for),
	    cmocka_unit_test(a_record_is_lent_as_it_is),
	    cmocka_unit_test(records_larger_than_a_fetch_come_through),
	    cmocka_unit_test(the_time_of_the_broker_is_told_apart),
	    cmocka_unit_test(kafka_hears_how_far_we_are_but_is_never_asked),
	    cmocka_unit_test(leaving_has_a_deadline),
	};

	return cmocka_run_group_tests_name("bus/consumer", tests, NULL, NULL);
}
