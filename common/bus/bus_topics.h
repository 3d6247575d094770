/* SPDX-License-Identifier: Apache-2.0 */
/* bus_topics.h - the topics that Countersign needs, and how each must be set; deploy/topics.conf says the same to people. */
#ifndef COUNTERSIGN_BUS_TOPICS_H
#define COUNTERSIGN_BUS_TOPICS_H

#include "common/bus/bus.h"

/*
 * All topics, their names with the prefix, in the arena. replication -1 leaves the number to the cluster; from three
 * replicas on, two must have a record before it counts.
 */
const struct bus_topic *bus_topics_wanted(const char *prefix, int32_t partitions, int16_t replication,
					  struct arena *arena, size_t *count);

#endif
