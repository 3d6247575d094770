/* SPDX-License-Identifier: Apache-2.0 */
/* bucket.c - per-ths of a unit in 128 bits: max times per is more than 64 hold. */
#include "common/limits/bucket.h"

#define LONGEST (INT64_MAX / 4)

typedef __int128 wide;

static wide
parts_of(struct bucket bucket)
{
	return (wide)bucket.level * (wide)bucket.per + (wide)bucket.part;
}

static struct bucket
with_less(struct bucket bucket, wide less)
{
	wide parts = parts_of(bucket);

	parts = less < parts ? parts - less : 0;
	bucket.level = (int64_t)(parts / (wide)bucket.per);
	bucket.part = (int64_t)(parts % (wide)bucket.per);
	return bucket;
}

static wide
filled_in(struct bucket bucket, int64_t elapsed)
{
	return elapsed > 0 ? (wide)elapsed * (wide)bucket.max : 0;
}

struct bucket
bucket_after(struct bucket bucket, int64_t elapsed)
{
	return with_less(bucket, filled_in(bucket, elapsed));
}

/* With it a bucket lacks at most `amount` more than without it, and that difference shrinks at most as fast as the bucket is filled. */
struct bucket
bucket_give_back(struct bucket bucket, int64_t amount, int64_t elapsed)
{
	wide taken = (wide)amount * (wide)bucket.per, filled = filled_in(bucket, elapsed);

	return filled < taken ? with_less(bucket, taken - filled) : bucket;
}

int64_t
bucket_missing(struct bucket bucket)
{
	return bucket.part > 0 && bucket.level < INT64_MAX ? bucket.level + 1 : bucket.level;
}

static int64_t
time_for(wide parts, int64_t max)
{
	wide time = (parts + (wide)max - 1) / (wide)max;

	return time < LONGEST ? (int64_t)time : LONGEST;
}

int64_t
bucket_next(struct bucket bucket)
{
	return time_for(bucket.part || !bucket.level ? (wide)bucket.part : (wide)bucket.per, bucket.max);
}

int64_t
bucket_full(struct bucket bucket)
{
	return time_for(parts_of(bucket), bucket.max);
}
