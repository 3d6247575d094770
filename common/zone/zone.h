/* SPDX-License-Identifier: Apache-2.0 */
/* zone.h - time zones from the system's database (tzfile(5), RFC 9636). */
#ifndef COUNTERSIGN_ZONE_H
#define COUNTERSIGN_ZONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct zone; /* immutable, lives as long as the process */

/*
 * By its name ("Europe/Berlin"), read once from /usr/share/zoneinfo and kept, at most 1,024 of them (there are some 600); from any thread.
 * NULL when the database has no such zone, its file is damaged or counts leap seconds, or the name could leave the database's folder;
 * also for "localtime", "posixrules" and what lies in posix/ and right/.
 */
const struct zone *zone_find(const char *name, size_t length);
/* Seconds east of UTC at this time (seconds since 1970 UTC). */
int32_t zone_offset(const struct zone *zone, int64_t time);

#endif
