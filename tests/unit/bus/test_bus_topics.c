/* SPDX-License-Identifier: Apache-2.0 */
/* test_bus_topics.c - deploy/topics.conf, which people read, and the table, which is applied, say the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/bus/bus_topics.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct bus_topic *
find(const struct bus_topic *topics, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(topics[i].name, name) == 0)
			return &topics[i];
	return NULL;
}

static const char *
setting(const struct bus_topic *topic, const char *name)
{
	for (size_t i = 0; i < topic->setting_count; i++)
		if (strcmp(topic->settings[i].name, name) == 0)
			return topic->settings[i].value;
	return NULL;
}

/* Cuts a comment and the spaces around. */
static char *
trim(char *text)
{
	char *end = text + strcspn(text, "#\n");

	while (end > text && end[-1] == ' ')
		end--;
	*end = '\0';
	return text + strspn(text, " ");
}

/* One "name = value" line of a section. Returns 1 when it is one of the table's settings. */
static size_t
compare_line(const struct bus_topic *topic, char *line)
{
	char *equals = strstr(line, " = ");
	const char *wanted;

	assert_non_null(topic);
	assert_non_null(equals);
	*equals = '\0';
	if (strcmp(line, "key") == 0) {
		assert_true(strlen(equals + 3) > 0);
		return 0;
	}
	if (strcmp(line, "partitions") == 0) {
		assert_int_equal(atoi(equals + 3), topic->partitions);
		return 0;
	}
	wanted = setting(topic, line);
	if (!wanted)
		fail_msg("%s: %s is in the file only", topic->name, line);
	assert_string_equal(equals + 3, wanted);
	return 1;
}

static void
the_page_and_the_table_say_the_same(void **state)
{
	struct arena *arena = arena_open();
	size_t count, sections = 0, lines = 0, wanted = 0;
	const struct bus_topic *topics = bus_topics_wanted("", 6, 1, arena, &count), *topic = NULL;
	FILE *file = fopen("deploy/topics.conf", "r");
	char buffer[256];

	(void)state;
	assert_non_null(file);
	while (fgets(buffer, sizeof buffer, file)) {
		char *line = trim(buffer);

		if (*line == '[') {
			line[strcspn(line, "]")] = '\0';
			topic = find(topics, count, line + 1);
			sections++;
		} else if (*line) {
			lines += compare_line(topic, line);
		}
	}
	fclose(file);
	for (size_t i = 0; i < count; i++)
		wanted += topics[i].setting_count;
	assert_int_equal(sections, count);
	assert_int_equal(lines, wanted);
	arena_close(arena);
}

static void
names_have_the_prefix_and_all_topics_one_number_of_partitions(void **state)
{
	struct arena *arena = arena_open();
	size_t count;
	const struct bus_topic *topics = bus_topics_wanted("acme.", 12, 3, arena, &count);

	(void)state;
	assert_non_null(find(topics, count, "acme.requests"));
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(topics[i].partitions, 12);
		assert_int_equal(topics[i].replication, 3);
		assert_string_equal(setting(&topics[i], "min.insync.replicas"), "2");
	}
	arena_close(arena);
}

/* What others write is where bombs and wrong clocks come in. */
static void
input_is_under_the_brokers_clock_small_and_uncompressed(void **state)
{
	static const char *const inputs[] = {"requests", "responses", "outcomes"};
	struct arena *arena = arena_open();
	size_t count;
	const struct bus_topic *topics = bus_topics_wanted("", 6, -1, arena, &count);

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		const struct bus_topic *topic = find(topics, count, inputs[i]);

		assert_string_equal(setting(topic, "message.timestamp.type"), "LogAppendTime");
		assert_string_equal(setting(topic, "max.message.bytes"), "1048576");
		assert_string_equal(setting(topic, "compression.type"), "uncompressed");
		assert_null(setting(topic, "min.insync.replicas"));
	}
	arena_close(arena);
}

static void
nothing_is_compacted_since_the_last_record_of_a_key_need_not_be_the_one_that_counts(void **state)
{
	struct arena *arena = arena_open();
	size_t count;
	const struct bus_topic *topics = bus_topics_wanted("", 6, 1, arena, &count);

	(void)state;
	for (size_t i = 0; i < count; i++)
		assert_string_equal(setting(&topics[i], "cleanup.policy"), "delete");
	arena_close(arena);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_page_and_the_table_say_the_same),
	    cmocka_unit_test(names_have_the_prefix_and_all_topics_one_number_of_partitions),
	    cmocka_unit_test(input_is_under_the_brokers_clock_small_and_uncompressed),
	    cmocka_unit_test(nothing_is_compacted_since_the_last_record_of_a_key_need_not_be_the_one_that_counts),
	};

	return cmocka_run_group_tests_name("bus/bus_topics", tests, NULL, NULL);
}
