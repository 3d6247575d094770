/* SPDX-License-Identifier: Apache-2.0 */
/* cel_time.h - instants and durations of the expression language as text, to the nanosecond. */
#ifndef COUNTERSIGN_CEL_TIME_H
#define COUNTERSIGN_CEL_TIME_H

#include "common/cel/value.h"

#define CEL_TIME_SIZE 40 /* of both texts, with NUL */

/* "2024-02-29T00:00:00.5Z", years 0001 to 9999, as many digits behind the point as are needed. */
void cel_time_write(struct cel_value timestamp, char text[CEL_TIME_SIZE]);
bool cel_time_read(const char *text, struct cel_value *timestamp) CS_MUST_CHECK;
/* "-1.5s": seconds and as many digits behind the point as are needed. */
void cel_duration_write(struct cel_value duration, char text[CEL_TIME_SIZE]);
bool cel_duration_read(const char *text, struct cel_value *duration) CS_MUST_CHECK;

#endif
