/* SPDX-License-Identifier: Apache-2.0 */
/* bucket.h - what is missing from a bucket of `max` units that is filled evenly, whole in `per` microseconds. Exact. Pure. */
#ifndef COUNTERSIGN_BUCKET_H
#define COUNTERSIGN_BUCKET_H

#include <stdint.h>

struct bucket {
	int64_t max, per; /* > 0 */
	int64_t level;	  /* whole units that are missing, >= 0 */
	int64_t part;	  /* what is missing beyond, in per-ths of a unit: 0 to per - 1 */
};

/* After so many microseconds. Time that goes back fills nothing. */
struct bucket bucket_after(struct bucket bucket, int64_t elapsed);
/*
 * Without `amount` units that were taken `elapsed` microseconds ago: what may have been filled up of them since is not given back, so that
 * no more is there than if they had never been taken. At most as long as the bucket was filled at this pace.
 */
struct bucket bucket_give_back(struct bucket bucket, int64_t amount, int64_t elapsed);
/* What is missing, in whole units: a unit that is not full yet is missing. */
int64_t bucket_missing(struct bucket bucket);
/* In how many microseconds one unit less is missing, 0 when none is; and in how many nothing is, at most INT64_MAX / 4. */
int64_t bucket_next(struct bucket bucket);
int64_t bucket_full(struct bucket bucket);

#endif
