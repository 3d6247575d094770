/* SPDX-License-Identifier: Apache-2.0 */
/* member.h - what the tests of a group's member share: joining, starting, and waiting for what must come next. */
#ifndef COUNTERSIGN_TESTS_MEMBER_H
#define COUNTERSIGN_TESTS_MEMBER_H

#include "tests/unit/bus/broker.h"

enum { PARTITIONS = 2, PATIENCE = 20 * SECOND, STEP = 100000 };

static inline struct bus_consumer *
join_with(const char *group, const char *topic, const struct bus_options *how)
{
	struct error error = {0};
	struct bus_consumer *consumer = bus_consumer_open(how, group, topic, &error);

	if (!consumer)
		fail_msg("%s", error.text);
	return consumer;
}

static inline struct bus_consumer *
join(const char *group, const char *topic)
{
	return join_with(group, topic, options());
}

static inline void
leave(struct bus_consumer *consumer)
{
	bus_consumer_close(consumer, PATIENCE);
}

/* Polls until it happens; records and other news on the way are not expected. */
static inline void
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
static inline void
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

static inline struct bus_consumer *
join_and_start(const char *topic, int64_t offset)
{
	struct bus_consumer *consumer = join(own_name("group"), topic);
	struct bus_poll poll;

	await(consumer, BUS_ASSIGNED, &poll);
	start_at(consumer, offset);
	return consumer;
}

/* The next record; it must be this one. */
static inline void
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

static inline void
expect_silence(struct bus_consumer *consumer, int64_t time)
{
	int64_t deadline = now_us() + time;
	struct bus_poll poll;

	while (now_us() < deadline) {
		bus_poll(consumer, STEP, &poll);
		assert_int_equal(poll.happening, BUS_NOTHING);
	}
}

#endif
