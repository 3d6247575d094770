/* SPDX-License-Identifier: Apache-2.0 */
/* consumer_private.h - a group member as consumer.c runs it and consumer_open.c makes and ends it. */
#ifndef COUNTERSIGN_BUS_CONSUMER_PRIVATE_H
#define COUNTERSIGN_BUS_CONSUMER_PRIVATE_H

#include "common/bus/bus_private.h"

/* A partition that flows: what comes next, so that nothing is handed out twice. */
struct flow {
	int32_t partition;
	int64_t next, hint; /* hint: how far we said that we are */
	bool lost; /* its position is out of range or unreadable: stopped until the next bus_assign */
	bool held; /* by us, while the others flow */
};

struct bus_consumer {
	struct bus_client client;
	/* owned */
	char *topic;
	struct bus_partition *offered; /* what the group gave us last */
	size_t offered_count;
	struct flow *flows; /* what bus_assign started; empty until then */
	size_t flow_count;

	int64_t session_timeout;
	bool holds;  /* the group says that `offered` is ours */
	bool paused; /* by us */
	bool denied; /* the broker has said that we may not; asked again at ask_at whether we may */
	int64_t ask_at;
	/* to be told by the next bus_poll, in this order */
	bool revoked, assigned;
};

/* Forgets what flows; librdkafka is told by whoever calls. */
void bus_consumer_stop(struct bus_consumer *consumer);
/* librdkafka's callbacks. */
void bus_consumer_rebalance(rd_kafka_t *handle, rd_kafka_resp_err_t code,
			    rd_kafka_topic_partition_list_t *list, void *opaque);
void bus_consumer_hinted(rd_kafka_t *handle, rd_kafka_resp_err_t code, rd_kafka_topic_partition_list_t *list,
			 void *opaque);

#endif
