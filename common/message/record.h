/* SPDX-License-Identifier: Apache-2.0 */
/* record.h - one Kafka record as the bus lends it: bytes, not trusted, not parsed. */
#ifndef COUNTERSIGN_RECORD_H
#define COUNTERSIGN_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A header; value may be NULL, names may repeat, neither need be UTF-8. */
struct record_header {
	const char *name; /* NUL-terminated */
	const void *value;
	size_t length;
};

struct record {
	const char *topic; /* full name, with the prefix */
	int32_t partition;
	int64_t offset;
	int64_t timestamp;	  /* microseconds since 1970; -1 = none */
	bool timestamp_is_append; /* the broker's clock set it, not the producer's */
	const void *key;	  /* may be NULL */
	size_t key_length;
	const void *value; /* NULL = no value at all (a tombstone) */
	size_t value_length;
	const struct record_header *headers;
	size_t header_count;
};

#endif
