/* SPDX-License-Identifier: Apache-2.0 */
/* id.h - UUIDs. Ids that leave us are derived (version 5), never random, so that work done again says the same ids. */
#ifndef COUNTERSIGN_ID_H
#define COUNTERSIGN_ID_H

#include <stddef.h>
#include <stdint.h>

#define ID_TEXT_SIZE 37 /* 36 characters and NUL */

/* Canonical lower-case text, by value. */
struct id {
	char text[ID_TEXT_SIZE];
};

/*
 * UUIDv5 (RFC 9562 5.5) in Countersign's namespace over the length-prefixed parts: each part as a 4-byte big-endian
 * length and its bytes, so that ("a","bc") differs from ("ab","c"). Parts are NUL-terminated, count of them.
 */
struct id id_derive(const char *const *parts, size_t count);
/* id_derive over (tenant, request_id, kind, n in decimal). */
struct id id_event(const char *tenant, const char *request_id, const char *kind, int64_t n);
/* UUIDv4, for ids that a person's tool chooses (response_id); never for what the services publish. */
struct id id_random(void);

#endif
