/* SPDX-License-Identifier: Apache-2.0 */
/* service_clock.c - the clock of waits and limits, and pauses that grow. Never asked about deadlines of requests. */
#include "common/service/service_private.h"

#include <time.h>

enum { BACKOFF_FIRST = 100 * 1000, BACKOFF_LAST = 5000 * 1000 };

int64_t
service_backoff_next(struct service_backoff *backoff)
{
	uint32_t random;

	backoff->step = backoff->step == 0 ? BACKOFF_FIRST : 2 * backoff->step;
	if (backoff->step > BACKOFF_LAST)
		backoff->step = BACKOFF_LAST;
	crypto_random(&random, sizeof random);
	return backoff->step / 2 + (int64_t)random % (backoff->step / 2 + 1);
}

void
service_backoff_reset(struct service_backoff *backoff)
{
	backoff->step = 0;
}
