/* SPDX-License-Identifier: Apache-2.0 */
/* tool.h - what the programs of the benchmark share: they end with a line on stderr as soon as anything fails. */
#ifndef COUNTERSIGN_TESTS_BENCH_TOOL_H
#define COUNTERSIGN_TESTS_BENCH_TOOL_H

#include <librdkafka/rdkafka.h>
#include <stdbool.h>
#include <stdint.h>

_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Microseconds of the monotonic clock; the same clock for all processes of a machine. */
int64_t tool_now(void);
/* A client with these settings (name, value, ..., NULL) on top of bootstrap.servers. */
rd_kafka_t *tool_client(rd_kafka_type_t type, const char *bootstrap, const char *const *settings);
/* Number of partitions of a topic. */
int tool_partitions(rd_kafka_t *client, const char *topic);
/* The ends of all partitions of a topic, in one request; returns their sum. ends[] may be NULL. */
int64_t tool_ends(rd_kafka_t *client, const char *topic, int partitions, int64_t *ends);
/* Hands a message to a producer, and waits while its queue is full. Takes the headers. */
void tool_produce(rd_kafka_t *producer, rd_kafka_topic_t *topic, const char *key, const void *value,
		  size_t length, rd_kafka_headers_t *take_headers);

#endif
