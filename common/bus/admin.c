/* SPDX-License-Identifier: Apache-2.0 */
/* admin.c - makes, compares and alters topics. Asks and waits for the answer; nothing here creates a topic by asking for it. */
#include "common/bus/bus_private.h"
#include "common/clock/clock.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ANSWER_MS = 15000, CREATE_MS = 10000 };

struct bus_admin {
	struct bus_client client;
	rd_kafka_queue_t *queue;
};

static const struct bus_setting none[] = {{.name = NULL}};

/* A consumer without a group: only consumers may ask for metadata without creating the topic. */
struct bus_admin *
bus_admin_open(const struct bus_options *options, struct error *error)
{
	struct bus_admin *admin = memory_take(sizeof *admin);
	struct bus_start start = {.type = RD_KAFKA_CONSUMER, .preferences = none, .guarantees = none};

	if (!bus_client_open(&admin->client, options, &start, error)) {
		free(admin);
		return NULL;
	}
	admin->queue = rd_kafka_queue_new(admin->client.handle);
	return admin;
}

void
bus_admin_close(struct bus_admin *admin)
{
	if (!admin)
		return;
	rd_kafka_queue_destroy(admin->queue);
	bus_client_close(&admin->client);
	free(admin);
}

const char *
bus_cluster_id(struct bus_admin *admin, struct arena *arena, int64_t timeout_us, struct error *error)
{
	char *id = rd_kafka_clusterid(admin->client.handle, bus_milliseconds(timeout_us));
	const char *copy = NULL;

	if (id)
		copy = arena_string(arena, id);
	else
		bus_error_asked(error, &admin->client, RD_KAFKA_RESP_ERR__TIMED_OUT,
				"ask for the cluster's id", "no broker answered in time");
	rd_kafka_mem_free(admin->client.handle, id);
	return copy;
}

/* ------------------------------------------------------------------ partitions */

static bool
count_partitions(const struct rd_kafka_metadata *metadata, const char *topic, int32_t *count,
		 struct error *error)
{
	if (metadata->topic_cnt != 1)
		return error_set(error, ERROR_UNAVAILABLE, "kafka",
				 "%s: the broker did not say anything about it", topic);
	if (metadata->topics[0].err == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART)
		*count = 0;
	else if (metadata->topics[0].err)
		return bus_error(error, metadata->topics[0].err, topic, NULL);
	else
		*count = metadata->topics[0].partition_cnt;
	return true;
}

bool
bus_partition_count(struct bus_admin *admin, const char *topic, int32_t *count, struct error *error)
{
	const struct rd_kafka_metadata *metadata = NULL;
	rd_kafka_topic_t *handle = rd_kafka_topic_new(admin->client.handle, topic, NULL);
	rd_kafka_resp_err_t code =
	    handle ? rd_kafka_metadata(admin->client.handle, 0, handle, &metadata, ANSWER_MS)
		   : rd_kafka_last_error();
	bool ok = metadata ? count_partitions(metadata, topic, count, error)
			   : bus_error_asked(error, &admin->client, code, topic, NULL);

	if (metadata)
		rd_kafka_metadata_destroy(metadata);
	if (handle)
		rd_kafka_topic_destroy(handle);
	return ok;
}

/* ------------------------------------------------------------------ asking */

static rd_kafka_AdminOptions_t *
admin_options(struct bus_admin *admin, rd_kafka_admin_op_t operation)
{
	rd_kafka_AdminOptions_t *options = rd_kafka_AdminOptions_new(admin->client.handle, operation);

	rd_kafka_AdminOptions_set_request_timeout(options, ANSWER_MS, NULL, 0);
	if (operation == RD_KAFKA_ADMIN_OP_CREATETOPICS)
		rd_kafka_AdminOptions_set_operation_timeout(options, CREATE_MS, NULL, 0);
	return options;
}

/* Waits for the answer of that type; NULL with *error when there is none or it is a failure as a whole. */
static rd_kafka_event_t *
answer(struct bus_admin *admin, rd_kafka_event_type_t type, const char *topic, struct error *error)
{
	rd_kafka_event_t *event = NULL;
	int64_t deadline = clock_monotonic() + (ANSWER_MS + CREATE_MS) * INT64_C(1000);

	do { /* a late answer to an earlier question is not ours */
		rd_kafka_event_destroy(event);
		event = rd_kafka_queue_poll(admin->queue, bus_remaining(deadline));
	} while (event && rd_kafka_event_type(event) != type && clock_monotonic() < deadline);
	if (event && rd_kafka_event_type(event) == type && !rd_kafka_event_error(event))
		return event;
	bus_error_asked(error, &admin->client,
			event ? rd_kafka_event_error(event) : RD_KAFKA_RESP_ERR__TIMED_OUT, topic,
			event ? rd_kafka_event_error_string(event) : NULL);
	rd_kafka_event_destroy(event);
	return NULL;
}

/* ------------------------------------------------------------------ create */

static rd_kafka_NewTopic_t *
new_topic(const struct bus_topic *topic, struct error *error)
{
	char reason[ERROR_TEXT_SIZE];
	rd_kafka_NewTopic_t *made =
	    rd_kafka_NewTopic_new(topic->name, topic->partitions, topic->replication, reason, sizeof reason);
	rd_kafka_resp_err_t code = RD_KAFKA_RESP_ERR_NO_ERROR;

	if (!made) {
		error_set(error, ERROR_BROKEN, "refused", "%s: %s", topic->name, reason);
		return NULL;
	}
	for (size_t i = 0; i < topic->setting_count && !code; i++)
		code = rd_kafka_NewTopic_set_config(made, topic->settings[i].name, topic->settings[i].value);
	if (code) {
		bus_error(error, code, topic->name, NULL);
		rd_kafka_NewTopic_destroy(made);
		made = NULL;
	}
	return made;
}

static bool
was_created(const rd_kafka_event_t *event, const char *topic, bool *created, struct error *error)
{
	size_t count = 0;
	const rd_kafka_topic_result_t **results = rd_kafka_CreateTopics_result_topics(
	    rd_kafka_event_CreateTopics_result((rd_kafka_event_t *)(uintptr_t)event), &count);
	rd_kafka_resp_err_t code =
	    count == 1 ? rd_kafka_topic_result_error(results[0]) : RD_KAFKA_RESP_ERR__BAD_MSG;

	*created = code == RD_KAFKA_RESP_ERR_NO_ERROR;
	if (!code || code == RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS)
		return true;
	return bus_error(error, code, topic,
			 count == 1 ? rd_kafka_topic_result_error_string(results[0]) : NULL);
}

/* The controller says "created" before the brokers know: whoever comes next would be told that there is no such topic. */
static void
await_topic(struct bus_admin *admin, const struct bus_topic *topic)
{
	const struct timespec pause = {.tv_nsec = 50 * 1000000};
	int64_t deadline = clock_monotonic() + CREATE_MS * INT64_C(1000), low, high;
	struct error error = {0};
	int32_t count = 0;

	while (bus_partition_count(admin, topic->name, &count, &error) && count == 0
	       && clock_monotonic() < deadline)
		nanosleep(&pause, NULL);
	for (int32_t i = 0; i < count; i++)
		bus_ask_ends(&admin->client, topic->name, i, &low, &high, deadline);
}

bool
bus_topic_create(struct bus_admin *admin, const struct bus_topic *topic, bool *created, struct error *error)
{
	rd_kafka_NewTopic_t *wanted = new_topic(topic, error);
	rd_kafka_AdminOptions_t *options;
	rd_kafka_event_t *event;
	bool ok;

	*created = false;
	if (!wanted)
		return false;
	options = admin_options(admin, RD_KAFKA_ADMIN_OP_CREATETOPICS);
	rd_kafka_CreateTopics(admin->client.handle, &wanted, 1, options, admin->queue);
	rd_kafka_AdminOptions_destroy(options);
	rd_kafka_NewTopic_destroy(wanted);
	event = answer(admin, RD_KAFKA_EVENT_CREATETOPICS_RESULT, topic->name, error);
	ok = event && was_created(event, topic->name, created, error);
	if (*created)
		await_topic(admin, topic);
	rd_kafka_event_destroy(event);
	return ok;
}

/* ------------------------------------------------------------------ settings */

/* The one resource of an answer, borrowed from the event. */
static const rd_kafka_ConfigResource_t *
only_resource(const rd_kafka_ConfigResource_t **resources, size_t count, const char *topic, struct error *error)
{
	if (count != 1) {
		error_set(error, ERROR_UNAVAILABLE, "kafka", "%s: %zu answers instead of one", topic, count);
		return NULL;
	}
	if (!rd_kafka_ConfigResource_error(resources[0]))
		return resources[0];
	bus_error(error, rd_kafka_ConfigResource_error(resources[0]), topic,
		  rd_kafka_ConfigResource_error_string(resources[0]));
	return NULL;
}

/* Reads all settings of a topic. The event owns what comes back in *found. */
static rd_kafka_event_t *
describe(struct bus_admin *admin, const char *topic, const rd_kafka_ConfigResource_t **found,
	 struct error *error)
{
	rd_kafka_ConfigResource_t *wanted = rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, topic);
	rd_kafka_AdminOptions_t *options = admin_options(admin, RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS);
	const rd_kafka_ConfigResource_t **resources;
	rd_kafka_event_t *event;
	size_t count;

	rd_kafka_DescribeConfigs(admin->client.handle, &wanted, 1, options, admin->queue);
	rd_kafka_AdminOptions_destroy(options);
	rd_kafka_ConfigResource_destroy(wanted);
	event = answer(admin, RD_KAFKA_EVENT_DESCRIBECONFIGS_RESULT, topic, error);
	if (!event)
		return NULL;
	resources =
	    rd_kafka_DescribeConfigs_result_resources(rd_kafka_event_DescribeConfigs_result(event), &count);
	*found = only_resource(resources, count, topic, error);
	if (!*found) {
		rd_kafka_event_destroy(event);
		event = NULL;
	}
	return event;
}

static const char *
value_of(const rd_kafka_ConfigResource_t *resource, const char *name)
{
	size_t count;
	const rd_kafka_ConfigEntry_t **entries = rd_kafka_ConfigResource_configs(resource, &count);

	for (size_t i = 0; i < count; i++)
		if (strcmp(rd_kafka_ConfigEntry_name(entries[i]), name) == 0)
			return rd_kafka_ConfigEntry_value(entries[i]);
	return NULL;
}

/* "compact,delete" and "delete,compact" are one and the same list. */
static bool
same_list(const char *wanted, const char *found)
{
	const char *comma = strchr(wanted, ',');
	char turned[64];

	if (strcmp(wanted, found) == 0)
		return true;
	if (!comma || strchr(comma + 1, ','))
		return false;
	snprintf(turned, sizeof turned, "%s,%.*s", comma + 1, (int)(comma - wanted), wanted);
	return strcmp(turned, found) == 0;
}

bool
bus_topic_compare(struct bus_admin *admin, const struct bus_topic *topic,
		  void (*differs)(void *context, const char *name, const char *wanted, const char *found),
		  void *context, struct error *error)
{
	const rd_kafka_ConfigResource_t *resource;
	rd_kafka_event_t *event = describe(admin, topic->name, &resource, error);

	for (size_t i = 0; event && i < topic->setting_count; i++) {
		const struct config_pair *setting = &topic->settings[i];
		const char *found = value_of(resource, setting->name);

		if (!same_list(setting->value, found ? found : ""))
			differs(context, setting->name, setting->value, found ? found : "");
	}
	rd_kafka_event_destroy(event);
	return event != NULL;
}

static bool
is_wanted(const struct bus_topic *topic, const char *name)
{
	for (size_t i = 0; i < topic->setting_count; i++)
		if (strcmp(topic->settings[i].name, name) == 0)
			return true;
	return false;
}

/*
 * AlterConfigs replaces all of a topic's own settings (the incremental one came with librdkafka 2.3): those that somebody
 * set and we have no opinion on are written back as they are.
 */
static rd_kafka_ConfigResource_t *
merged(const struct bus_topic *topic, const rd_kafka_ConfigResource_t *found, struct error *error)
{
	rd_kafka_ConfigResource_t *wanted = rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, topic->name);
	size_t count;
	const rd_kafka_ConfigEntry_t **entries = rd_kafka_ConfigResource_configs(found, &count);
	rd_kafka_resp_err_t code = RD_KAFKA_RESP_ERR_NO_ERROR;

	for (size_t i = 0; i < count && !code; i++) {
		const char *name = rd_kafka_ConfigEntry_name(entries[i]),
			   *value = rd_kafka_ConfigEntry_value(entries[i]);

		if (rd_kafka_ConfigEntry_source(entries[i]) == RD_KAFKA_CONFIG_SOURCE_DYNAMIC_TOPIC_CONFIG
		    && !is_wanted(topic, name))
			code = value ? rd_kafka_ConfigResource_set_config(wanted, name, value)
				     : RD_KAFKA_RESP_ERR__INVALID_ARG; /* a secret could not be written back */
	}
	for (size_t i = 0; i < topic->setting_count && !code; i++)
		code = rd_kafka_ConfigResource_set_config(wanted, topic->settings[i].name,
							  topic->settings[i].value);
	if (code) {
		bus_error(error, code, topic->name, "its settings can not be put together");
		rd_kafka_ConfigResource_destroy(wanted);
		wanted = NULL;
	}
	return wanted;
}

static bool
write_settings(struct bus_admin *admin, rd_kafka_ConfigResource_t *wanted, const char *topic,
	       struct error *error)
{
	rd_kafka_AdminOptions_t *options = admin_options(admin, RD_KAFKA_ADMIN_OP_ALTERCONFIGS);
	const rd_kafka_ConfigResource_t **resources;
	rd_kafka_event_t *event;
	size_t count;
	bool ok = false;

	rd_kafka_AlterConfigs(admin->client.handle, &wanted, 1, options, admin->queue);
	rd_kafka_AdminOptions_destroy(options);
	event = answer(admin, RD_KAFKA_EVENT_ALTERCONFIGS_RESULT, topic, error);
	if (event) {
		resources =
		    rd_kafka_AlterConfigs_result_resources(rd_kafka_event_AlterConfigs_result(event), &count);
		ok = only_resource(resources, count, topic, error) != NULL;
	}
	rd_kafka_event_destroy(event);
	return ok;
}

bool
bus_topic_alter(struct bus_admin *admin, const struct bus_topic *topic, struct error *error)
{
	const rd_kafka_ConfigResource_t *found;
	rd_kafka_event_t *event = describe(admin, topic->name, &found, error);
	rd_kafka_ConfigResource_t *wanted = event ? merged(topic, found, error) : NULL;
	bool ok = wanted && write_settings(admin, wanted, topic->name, error);

	if (wanted)
		rd_kafka_ConfigResource_destroy(wanted);
	rd_kafka_event_destroy(event);
	return ok;
}
