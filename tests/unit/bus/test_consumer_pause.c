/* SPDX-License-Identifier: Apache-2.0 */
/* test_consumer_pause.c - a group member that holds back some or all of its partitions: no record is lost or comes twice. */
#include "tests/unit/bus/member.h"

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

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(pausing_in_mid_stream_loses_nothing_and_doubles_nothing),
	    cmocka_unit_test(a_pause_before_the_first_record_goes_on_at_the_start),
	    cmocka_unit_test(partitions_that_are_held_back_wait_while_the_others_flow),
	    cmocka_unit_test(a_pause_is_forgotten_with_the_partitions),
	};

	return cmocka_run_group_tests_name("bus/consumer_pause", tests, NULL, NULL);
}
