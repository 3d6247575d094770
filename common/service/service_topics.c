/* SPDX-License-Identifier: Apache-2.0 */
/* service_topics.c - is this the cluster that the positions are about, and are our topics there? Never creates one. */
#include "common/service/service_private.h"

#include <string.h>
#include <unistd.h>

enum { CLUSTER_TIMEOUT = 5 * 1000 * 1000, LOOKS = 5, BETWEEN_LOOKS = 300 * 1000 };

/* The offsets in the database are about one cluster; on any other they would point at strangers' records. */
static bool
check_cluster(struct service_loop *loop, struct bus_admin *admin, struct error *error)
{
	const char *found = bus_cluster_id(admin, loop->arena, CLUSTER_TIMEOUT, error);

	if (!found)
		return false;
	if (strcmp(found, loop->cluster) != 0)
		return error_set(error, ERROR_BROKEN, "cluster",
				 "this is Kafka cluster %s, but the positions in the database are about %s",
				 found, loop->cluster);
	return true;
}

/* One that has just been created is not known to every broker at once. */
static bool
count_partitions(struct bus_admin *admin, const char *topic, int32_t *count, struct error *error)
{
	bool ok = bus_partition_count(admin, topic, count, error);

	for (int looks = 1; ok && *count == 0 && looks < LOOKS && !service_stopping(); looks++) {
		usleep(BETWEEN_LOOKS);
		ok = bus_partition_count(admin, topic, count, error);
	}
	return ok;
}

static bool
check_topic(struct service_loop *loop, struct bus_admin *admin, const char *logical, struct error *error)
{
	const char *topic = arena_format(loop->arena, "%s%s", loop->config->topics_prefix, logical);
	int32_t count = 0;

	if (!count_partitions(admin, topic, &count, error))
		return false;
	if (count == 0)
		return error_set(error, ERROR_BROKEN, "topics",
				 "topic %s does not exist: run \"countersign topics apply\"", topic);
	if ((uint32_t)count % loop->context.chains != 0)
		return error_set(error, ERROR_BROKEN, "topics",
				 "topic %s has %d partitions; the ledger's %u chains must divide them", topic,
				 (int)count, (unsigned)loop->context.chains);
	return true;
}

bool
service_check_topics(struct service_loop *loop, struct error *error)
{
	const char *const *outputs = loop->service->outputs;
	struct bus_admin *admin = bus_admin_open(&loop->bus, error);
	bool ok = admin && check_cluster(loop, admin, error)
		  && (!loop->service->input || check_topic(loop, admin, loop->service->input, error));

	for (size_t i = 0; ok && outputs && outputs[i]; i++)
		ok = check_topic(loop, admin, outputs[i], error);
	if (admin)
		bus_admin_close(admin);
	return ok;
}
