/* SPDX-License-Identifier: Apache-2.0 */
/* bus_topics.c - the table of topics. */
#include "common/bus/bus_topics.h"

#include <assert.h>

/* What others write comes under the broker's clock, small, and not compressed: a compressed record could be a bomb. */
enum topic_side { INPUT, OUTPUT };

struct topic_row {
	const char *name;
	enum topic_side side;
	const char *cleanup, *retention_ms;
};

#define DAYS_7 "604800000"
#define DAYS_30 "2592000000"
#define DAYS_365 "31536000000"

/* None is compacted: of a key the highest sequence counts, and a relay that was superseded can still write an old word behind a
 * newer one. Compaction would keep that, and a REVOKED would be gone while the GRANTED before it stays. */
static const struct topic_row rows[] = {
    {"requests", INPUT, "delete", DAYS_7},     {"approvals", OUTPUT, "delete", DAYS_30},
    {"responses", INPUT, "delete", DAYS_30},   {"authorizations", OUTPUT, "delete", DAYS_30},
    {"outcomes", INPUT, "delete", DAYS_30},    {"incidents", OUTPUT, "delete", DAYS_30},
    {"quarantine", OUTPUT, "delete", DAYS_30}, {"checkpoints", OUTPUT, "delete", DAYS_365},
    {"directory", OUTPUT, "delete", DAYS_365},
};

enum { ROWS = sizeof rows / sizeof *rows, MOST_SETTINGS = 8 };

static void
add(struct bus_topic *topic, struct config_pair *settings, const char *name, const char *value)
{
	assert(topic->setting_count < MOST_SETTINGS);
	settings[topic->setting_count++] =
	    (struct config_pair){.name = (char *)(uintptr_t)name, .value = (char *)(uintptr_t)value};
}

static void
fill(const struct topic_row *row, struct bus_topic *topic, struct config_pair *settings)
{
	bool input = row->side == INPUT;

	topic->settings = settings;
	add(topic, settings, "cleanup.policy", row->cleanup);
	add(topic, settings, "retention.ms", row->retention_ms);
	add(topic, settings, "max.message.bytes", "1048576");
	add(topic, settings, "message.timestamp.type", input ? "LogAppendTime" : "CreateTime");
	add(topic, settings, "compression.type", input ? "uncompressed" : "producer");
	add(topic, settings, "unclean.leader.election.enable", "false");
	if (topic->replication >= 3)
		add(topic, settings, "min.insync.replicas", "2");
}

const struct bus_topic *
bus_topics_wanted(const char *prefix, int32_t partitions, int16_t replication, struct arena *arena,
		  size_t *count)
{
	struct bus_topic *topics = arena_take_array(arena, ROWS, sizeof *topics);

	for (size_t i = 0; i < ROWS; i++) {
		topics[i].name = arena_format(arena, "%s%s", prefix, rows[i].name);
		topics[i].partitions = partitions;
		topics[i].replication = replication;
		fill(&rows[i], &topics[i], arena_take_array(arena, MOST_SETTINGS, sizeof(struct config_pair)));
	}
	*count = ROWS;
	return topics;
}
