/* SPDX-License-Identifier: Apache-2.0 */
/* test_reader.c - whole topics, read without a group: to the end that was there, on from there, or from now on. */
#include "tests/unit/bus/broker.h"

static struct bus_reader *
open_reader(const char *const *topics, size_t count, bool follow)
{
	struct error error = {0};
	struct bus_reader *reader = bus_reader_open(options(), topics, count, follow, &error);

	if (!reader)
		fail_msg("%s", error.text);
	return reader;
}

/* Reads until the end or until nothing comes for two seconds. Returns how many records there were. */
static int
read_on(struct bus_reader *reader, bool *at_end)
{
	struct bus_poll poll;
	int count = 0;

	*at_end = false;
	do {
		bus_reader_next(reader, 2 * SECOND, &poll, at_end);
		if (poll.happening == BUS_FAULT)
			fail_msg("%s", poll.error.text);
		count += poll.happening == BUS_RECORD;
		bus_release(poll.handle);
	} while (poll.happening == BUS_RECORD);
	return count;
}

static void
everything_in_several_topics_is_read_to_the_end(void **state)
{
	const char *topics[] = {make_topic("one", 3), make_topic("two", 1)};
	struct bus_reader *reader;
	bool at_end;

	(void)state;
	put(topics[0], 0, 700);
	put(topics[0], 2, 30);
	put(topics[1], 0, 400);
	reader = open_reader(topics, 2, false);
	put(topics[0], 0, 50); /* comes after the opening */
	assert_int_equal(read_on(reader, &at_end), 1130);
	assert_true(at_end);
	assert_int_equal(read_on(reader, &at_end), 0);
	assert_true(at_end);
	bus_reader_close(reader);
}

static void
an_empty_topic_is_at_its_end_at_once(void **state)
{
	const char *topic = make_topic("empty", 2);
	struct bus_reader *reader = open_reader(&topic, 1, false);
	struct bus_poll poll;
	bool at_end;

	(void)state;
	bus_reader_next(reader, 10 * SECOND, &poll, &at_end);
	assert_int_equal(poll.happening, BUS_NOTHING);
	assert_true(at_end);
	bus_reader_close(reader);
}

static void
following_goes_on_after_the_end(void **state)
{
	const char *topic = make_topic("follow", 1);
	struct bus_reader *reader;
	bool at_end;

	(void)state;
	put(topic, 0, 5);
	reader = open_reader(&topic, 1, true);
	assert_false(bus_reader_caught_up(reader));
	assert_int_equal(read_on(reader, &at_end), 5);
	assert_true(bus_reader_caught_up(reader));
	assert_false(at_end);
	put(topic, 0, 7);
	assert_int_equal(read_on(reader, &at_end), 7);
	assert_false(at_end);
	bus_reader_close(reader);
}

static void
from_the_end_only_what_comes_later_is_read(void **state)
{
	const char *topic = make_topic("later", 2);
	struct error error = {0};
	struct bus_reader *reader;
	struct bus_poll poll;
	bool at_end;

	(void)state;
	put(topic, 0, 5);
	reader = bus_reader_open_at_end(options(), &topic, 1, &error);
	assert_non_null(reader);
	assert_true(bus_reader_caught_up(reader));
	put(topic, 0, 1);
	put(topic, 1, 1);
	for (int i = 0; i < 2; i++) {
		bus_reader_next(reader, 10 * SECOND, &poll, &at_end);
		assert_int_equal(poll.happening, BUS_RECORD);
		assert_int_equal(poll.record.offset, poll.record.partition == 0 ? 5 : 0);
		bus_release(poll.handle);
	}
	assert_int_equal(read_on(reader, &at_end), 0);
	assert_false(at_end);
	bus_reader_close(reader);
}

/* The last offsets of the log hold no record then, and what was taken back was never said. */
static void
an_aborted_transaction_at_the_end_is_passed(void **state)
{
	const char *topic = make_topic("aborted", 1);
	rd_kafka_t *client = foreign(RD_KAFKA_PRODUCER, "transactional.id", own_name("t"));
	struct bus_reader *reader;
	bool at_end;

	(void)state;
	put(topic, 0, 3);
	assert_null(rd_kafka_init_transactions(client, 15000));
	assert_null(rd_kafka_begin_transaction(client));
	rd_kafka_producev(client, RD_KAFKA_V_TOPIC(topic), RD_KAFKA_V_PARTITION(0),
			  RD_KAFKA_V_VALUE((void *)(uintptr_t)"x", 1), RD_KAFKA_V_END);
	assert_int_equal(rd_kafka_flush(client, 10000), 0);
	assert_null(rd_kafka_abort_transaction(client, 15000));
	rd_kafka_destroy(client);
	reader = open_reader(&topic, 1, false);
	assert_int_equal(read_on(reader, &at_end), 3);
	assert_true(at_end);
	bus_reader_close(reader);
}

static void
a_missing_topic_is_said_at_the_opening(void **state)
{
	const char *topic = own_name("missing");
	struct error error = {0};

	(void)state;
	assert_null(bus_reader_open(options(), &topic, 1, false, &error));
	assert_int_equal(error.kind, ERROR_BROKEN);
	assert_string_equal(error.code, "unknown_topic");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(everything_in_several_topics_is_read_to_the_end),
	    cmocka_unit_test(an_empty_topic_is_at_its_end_at_once),
	    cmocka_unit_test(following_goes_on_after_the_end),
	    cmocka_unit_test(from_the_end_only_what_comes_later_is_read),
	    cmocka_unit_test(an_aborted_transaction_at_the_end_is_passed),
	    cmocka_unit_test(a_missing_topic_is_said_at_the_opening),
	};

	return cmocka_run_group_tests_name("bus/reader", tests, NULL, NULL);
}
