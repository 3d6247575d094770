/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_consumer_group.c - members come, go, pause, start over and claim late while records flow. The positions are kept here as
 * the database keeps them, with an owner's epoch as the fence: no record may be missing, none may count twice.
 */
#include "tests/unit/bus/broker.h"

enum { PARTITIONS = 4, RECORDS = 8000, MEMBERS = 3, LIMIT = 90 * SECOND, CLAIM_LATEST = 200000 };

struct position {
	int64_t next;
	int epoch; /* of the owner; who claims makes it higher */
};

struct member {
	struct bus_consumer *consumer; /* NULL: away */
	int epochs[PARTITIONS];	       /* as claimed; 0: not ours */
	int64_t expected[PARTITIONS];
	int64_t claim_at; /* 0: nothing to claim */
};

struct group {
	const char *topic, *name;
	struct position positions[PARTITIONS];
	struct member members[MEMBERS];
	size_t fenced, counted, joined;
};

static void
claim(struct group *group, struct member *member)
{
	const struct bus_partition *given;
	struct bus_partition wanted[PARTITIONS];
	size_t count = bus_assignment(member->consumer, &given);
	struct error error = {0};

	member->claim_at = 0;
	for (size_t i = 0; i < count; i++) {
		int32_t partition = given[i].partition;

		wanted[i] = given[i];
		wanted[i].offset = member->expected[partition] = group->positions[partition].next;
		member->epochs[partition] = ++group->positions[partition].epoch;
	}
	if (!bus_assign(member->consumer, wanted, count, &error))
		assert_int_equal(error.kind, ERROR_CONFLICT);
}

/* The one compare-and-set: owner and position must both be ours. */
static void
count_record(struct group *group, struct member *member, const struct record *record)
{
	int32_t partition = record->partition;
	struct position *position = &group->positions[partition];

	assert_int_equal(record->offset, member->expected[partition]); /* nothing jumped over, nothing twice */
	member->expected[partition]++;
	if (position->epoch != member->epochs[partition] || position->next != record->offset) {
		group->fenced++;
		return;
	}
	position->next++;
	group->counted++;
}

static void
serve(struct group *group, struct member *member)
{
	struct bus_poll poll;

	bus_poll(member->consumer, 0, &poll);
	switch (poll.happening) {
	case BUS_RECORD:
		assert_true(member->claim_at == 0); /* nothing flows before the claim */
		count_record(group, member, &poll.record);
		bus_release(poll.handle);
		break;
	case BUS_ASSIGNED:
		member->claim_at = now_us() + 1 + rand() % CLAIM_LATEST;
		break;
	case BUS_REVOKED:
		member->claim_at = 0;
		memset(member->epochs, 0, sizeof member->epochs);
		break;
	case BUS_NOTHING:
		break;
	default:
		fail_msg("%d happened: %s", (int)poll.happening, poll.error.text);
	}
	if (member->claim_at && now_us() >= member->claim_at)
		claim(group, member);
}

static void
come_or_go(struct group *group, struct member *member)
{
	struct error error = {0};

	if (member->consumer) {
		bus_consumer_close(member->consumer, 0); /* it leaves by itself while the others go on */
		*member = (struct member){.consumer = NULL};
		return;
	}
	member->consumer = bus_consumer_open(options(), group->name, group->topic, &error);
	if (!member->consumer)
		fail_msg("%s", error.text);
	group->joined++;
}

static void
disturb(struct group *group)
{
	struct member *member = &group->members[rand() % MEMBERS];

	if (rand() % 40 == 0)
		come_or_go(group, member);
	else if (!member->consumer)
		return;
	else if (rand() % 10 == 0)
		bus_pause(member->consumer);
	else if (rand() % 2 == 0)
		bus_resume(member->consumer);
	else if (rand() % 5 == 0 && member->claim_at == 0)
		claim(group, member); /* start over, as after a lost fence */
}

static bool
is_done(const struct group *group)
{
	for (int i = 0; i < PARTITIONS; i++)
		if (group->positions[i].next < RECORDS)
			return false;
	return true;
}

static void
every_record_counts_once_whoever_comes_and_goes(void **state)
{
	struct group group = {.topic = make_topic("group", PARTITIONS), .name = own_name("group")};
	int64_t deadline = now_us() + LIMIT, disturbed = 0;

	(void)state;
	srand(42);
	for (int32_t i = 0; i < PARTITIONS; i++)
		put(group.topic, i, RECORDS);
	come_or_go(&group, &group.members[0]);
	while (!is_done(&group) && now_us() < deadline) {
		for (int i = 0; i < MEMBERS; i++)
			for (int n = 0; n < 3 && group.members[i].consumer; n++)
				serve(&group, &group.members[i]);
		if (now_us() - disturbed > 10000) {
			disturb(&group);
			disturbed = now_us();
		}
		usleep(500); /* time for something to happen */
	}
	print_message("  %zu counted, %zu fenced off, %zu times joined\n", group.counted, group.fenced,
		      group.joined);
	assert_true(is_done(&group));
	assert_int_equal(group.counted, PARTITIONS * RECORDS);
	for (int i = 0; i < MEMBERS; i++)
		bus_consumer_close(group.members[i].consumer, 20 * SECOND);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_record_counts_once_whoever_comes_and_goes)};

	return cmocka_run_group_tests_name("bus/consumer_group", tests, NULL, NULL);
}
