/* SPDX-License-Identifier: Apache-2.0 */
/* clock.c - one look at CLOCK_MONOTONIC. */
#include "common/clock/clock.h"

#include <time.h>

int64_t
clock_monotonic(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int64_t
clock_computing(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}
