/* SPDX-License-Identifier: Apache-2.0 */
/* rfc3339.h - instants as int64 microseconds since 1970-01-01T00:00:00Z. */
#ifndef COUNTERSIGN_RFC3339_H
#define COUNTERSIGN_RFC3339_H

#include "common/error/error.h"
#include <stddef.h>
#include <stdint.h>

#define RFC3339_SIZE 28 /* 2026-11-30T09:00:00.000000Z and NUL */

void rfc3339_format(int64_t microseconds, char text[RFC3339_SIZE]);
/* Any offset, 0 to 9 fraction digits (more than 6 are cut); years 1970 to 9999; "T"/"Z" in either case; no leap second 60. */
bool rfc3339_parse(const char *text, size_t length, int64_t *microseconds) CS_MUST_CHECK;

#endif
