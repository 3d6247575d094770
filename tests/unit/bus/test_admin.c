/* SPDX-License-Identifier: Apache-2.0 */
/* test_admin.c - topics on a real broker: made once, never by asking, compared and altered without harm to others' settings. */
#include "common/bus/bus_topics.h"
#include "tests/unit/bus/broker.h"

static struct bus_admin *
open_admin(void)
{
	struct error error = {0};
	struct bus_admin *admin = bus_admin_open(options(), &error);

	if (!admin)
		fail_msg("%s", error.text);
	return admin;
}

struct differences {
	int count;
	char text[512];
};

static void
take_difference(void *context, const char *name, const char *wanted, const char *found)
{
	struct differences *differences = context;

	differences->count++;
	snprintf(differences->text, sizeof differences->text, "%s: %s, not %s", name, found, wanted);
}

static struct differences
compare(struct bus_admin *admin, const struct bus_topic *topic)
{
	struct differences differences = {0};
	struct error error = {0};

	if (!bus_topic_compare(admin, topic, take_difference, &differences, &error))
		fail_msg("%s", error.text);
	return differences;
}

static int32_t
partitions_of(struct bus_admin *admin, const char *topic)
{
	struct error error = {0};
	int32_t count = -1;

	if (!bus_partition_count(admin, topic, &count, &error))
		fail_msg("%s", error.text);
	return count;
}

static struct config_pair
pair(const char *name, const char *value)
{
	return (struct config_pair){.name = (char *)(uintptr_t)name, .value = (char *)(uintptr_t)value};
}

static void
all_wanted_topics_are_made_as_wanted_and_only_once(void **state)
{
	struct bus_admin *admin = open_admin();
	struct arena *arena = arena_open();
	const char *prefix = own_name("");
	struct error error = {0};
	size_t count;
	const struct bus_topic *topics = bus_topics_wanted(prefix, 6, 1, arena, &count);
	bool created;

	(void)state;
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(partitions_of(admin, topics[i].name), 0);
		if (!bus_topic_create(admin, &topics[i], &created, &error))
			fail_msg("%s", error.text);
		assert_true(created);
		assert_int_equal(partitions_of(admin, topics[i].name), 6);
		assert_true(bus_topic_create(admin, &topics[i], &created, &error));
		assert_false(created);
		struct differences differences = compare(admin, &topics[i]);

		if (differences.count > 0)
			fail_msg("%s %s", topics[i].name, differences.text);
	}
	arena_close(arena);
	bus_admin_close(admin);
}

static void
asking_for_a_topic_does_not_make_it(void **state)
{
	struct bus_admin *admin = open_admin();
	const char *name = own_name("asked");

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_int_equal(partitions_of(admin, name), 0);
	bus_admin_close(admin);
}

static void
altering_sets_what_differs_and_leaves_what_somebody_else_set(void **state)
{
	struct config_pair first[] = {pair("retention.ms", "1000000"), pair("segment.ms", "7200000")};
	struct config_pair ours[] = {pair("retention.ms", "604800000"),
				     pair("compression.type", "uncompressed")};
	struct config_pair theirs[] = {pair("segment.ms", "7200000")};
	struct bus_admin *admin = open_admin();
	struct bus_topic topic = {
	    .name = make_topic_with("alter", 1, first, 2), .settings = ours, .setting_count = 2};
	struct bus_topic others = {.name = topic.name, .settings = theirs, .setting_count = 1};
	struct error error = {0};

	(void)state;
	assert_int_equal(compare(admin, &topic).count, 2);
	if (!bus_topic_alter(admin, &topic, &error))
		fail_msg("%s", error.text);
	assert_int_equal(compare(admin, &topic).count, 0);
	assert_int_equal(compare(admin, &others).count, 0);
	assert_true(bus_topic_alter(admin, &topic, &error));
	assert_int_equal(compare(admin, &topic).count, 0);
	bus_admin_close(admin);
}

static void
the_order_in_a_list_of_policies_is_no_difference(void **state)
{
	struct config_pair one[] = {pair("cleanup.policy", "compact,delete")};
	struct config_pair other[] = {pair("cleanup.policy", "delete,compact")};
	struct config_pair less[] = {pair("cleanup.policy", "delete")};
	struct bus_admin *admin = open_admin();
	struct bus_topic topic = {.name = make_topic_with("list", 1, one, 1), .setting_count = 1};

	(void)state;
	topic.settings = other;
	assert_int_equal(compare(admin, &topic).count, 0);
	topic.settings = less;
	assert_int_equal(compare(admin, &topic).count, 1);
	bus_admin_close(admin);
}

static void
what_the_broker_refuses_is_said(void **state)
{
	struct config_pair nonsense[] = {pair("retention.ms", "soon")}, unknown[] = {pair("retention.us", "1")};
	struct bus_admin *admin = open_admin();
	struct bus_topic topic = {
	    .name = own_name("bad"), .partitions = 1, .replication = 1, .settings = nonsense, .setting_count = 1};
	struct error error = {0};
	bool created;

	(void)state;
	assert_false(bus_topic_create(admin, &topic, &created, &error));
	assert_int_equal(error.kind, ERROR_BROKEN);
	assert_string_equal(error.code, "refused");
	error_clear(&error);
	topic.setting_count = 0;
	topic.replication = 3; /* there is one broker */
	assert_false(bus_topic_create(admin, &topic, &created, &error));
	assert_int_equal(error.kind, ERROR_BROKEN);
	error_clear(&error);
	assert_false(bus_topic_compare(admin, &topic, take_difference, NULL, &error)); /* there is no such topic */
	assert_string_equal(error.code, "unknown_topic");
	error_clear(&error);
	assert_false(bus_topic_alter(admin, &topic, &error));
	assert_string_equal(error.code, "unknown_topic");
	error_clear(&error);
	topic.replication = 1;
	topic.settings = unknown;
	topic.setting_count = 1;
	assert_false(bus_topic_create(admin, &topic, &created, &error));
	assert_int_equal(error.kind, ERROR_BROKEN);
	bus_admin_close(admin);
}

static void
the_cluster_has_an_id(void **state)
{
	struct bus_admin *admin = open_admin();
	struct arena *arena = arena_open();
	struct error error = {0};
	const char *id = bus_cluster_id(admin, arena, 10 * SECOND, &error);

	(void)state;
	assert_non_null(id);
	assert_int_equal(strlen(id), 22);
	arena_close(arena);
	bus_admin_close(admin);
}

static void
brokers_that_are_away_are_told_in_time(void **state)
{
	struct config_pair away = pair("bootstrap.servers", "127.0.0.1:1");
	struct config_pairs through = {&away, 1};
	struct bus_options how = {.through = &through, .client_id = "countersign-test", .log = &test_log};
	struct arena *arena = arena_open();
	struct error error = {0};
	struct bus_admin *admin = bus_admin_open(&how, &error);
	int64_t began = now_us();

	(void)state;
	assert_non_null(admin);
	assert_null(bus_cluster_id(admin, arena, SECOND, &error));
	assert_int_equal(error.kind, ERROR_UNAVAILABLE);
	assert_in_range(now_us() - began, SECOND, 3 * SECOND);
	bus_admin_close(admin);
	arena_close(arena);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(all_wanted_topics_are_made_as_wanted_and_only_once),
	    cmocka_unit_test(asking_for_a_topic_does_not_make_it),
	    cmocka_unit_test(altering_sets_what_differs_and_leaves_what_somebody_else_set),
	    cmocka_unit_test(the_order_in_a_list_of_policies_is_no_difference),
	    cmocka_unit_test(what_the_broker_refuses_is_said),
	    cmocka_unit_test(the_cluster_has_an_id),
	    cmocka_unit_test(brokers_that_are_away_are_told_in_time),
	};

	return cmocka_run_group_tests_name("bus/admin", tests, NULL, NULL);
}
