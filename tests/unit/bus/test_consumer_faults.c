/* SPDX-License-Identifier: Apache-2.0 */
/* test_consumer_faults.c - a group member whose position, topic, broker or time is lost. */
#include "tests/unit/bus/member.h"

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

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_position_behind_the_end_stops_its_partition_alone),
	    cmocka_unit_test(a_position_before_what_is_kept_is_lost_and_not_jumped),
	    cmocka_unit_test(who_did_not_poll_in_time_has_nothing_any_more),
	    cmocka_unit_test(a_missing_topic_is_said_and_not_made),
	    cmocka_unit_test(brokers_that_are_away_are_waited_for),
	};

	return cmocka_run_group_tests_name("bus/consumer_faults", tests, NULL, NULL);
}
