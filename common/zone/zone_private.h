/* SPDX-License-Identifier: Apache-2.0 */
/* zone_private.h - what a file of the time zone database says (RFC 9636), inside the room. Pure. */
#ifndef COUNTERSIGN_ZONE_PRIVATE_H
#define COUNTERSIGN_ZONE_PRIVATE_H

#include "common/zone/zone.h"

#define ZONE_FILE_MAX (64 * 1024)   /* bytes; the largest known one has less than 4 KiB */
#define ZONE_OFFSET_MAX (26 * 3600) /* RFC 9636, 3.2 and 3.3.1 allow less than that */

/* One of the two turning points of a year. */
struct zone_turn {
	enum {
		ZONE_TURN_JULIAN,
		ZONE_TURN_DAY,
		ZONE_TURN_WEEK
	} kind;		 /* Jn without 29 February, n from 0 with it, Mm.w.d */
	int day;	 /* 1 to 365; 0 to 365; 0 to 6, Sunday is 0 */
	int month, week; /* ZONE_TURN_WEEK: 1 to 12, 1 to 5, 5 being the last */
	int32_t seconds; /* of local time after midnight, -167 to 167 hours */
};

/* Daylight saving time as the string at the end of a file tells it, for the time after all that is listed. */
struct zone_rule {
	int32_t standard, daylight; /* seconds east of UTC */
	bool turns;		    /* is there daylight saving time? */
	struct zone_turn begin, end;
};

/* Reads "CET-1CEST,M3.5.0,M10.5.0/3" and its like: POSIX's TZ, with the hours of RFC 9636, 3.3.1. False when it is not of that form. */
bool zone_rule_parse(const char *text, size_t length, struct zone_rule *rule);
int32_t zone_rule_offset(const struct zone_rule *rule, int64_t time);

/* A new zone with this name (copied) from the content of a file. NULL when that is damaged, or counts leap seconds as if they were time. */
struct zone *zone_parse(const char *name, size_t name_length, const uint8_t *bytes, size_t length);
void zone_free(struct zone *zone);
bool zone_is_named(const struct zone *zone, const char *name, size_t length);

#endif
