/* SPDX-License-Identifier: Apache-2.0 */
/* backoff.c - the table, with full jitter: many who failed together do not come back together. */
#include "services/notifier/backoff.h"

#include <assert.h>

int64_t
backoff_pause(int64_t first, int64_t attempt, bool slow, uint64_t random)
{
	static const int64_t steps[] = {1, 6, 24, 120, 360, 1440, 3600, 7200};
	const int64_t last = sizeof steps / sizeof *steps - 1;
	int64_t step = attempt - 1 + slow;

	assert(attempt >= 1 && first >= 0);

	int64_t longest = steps[step < last ? step : last] * first;
	int64_t shortest = slow ? longest / 2 : 0;

	return shortest + (int64_t)(random % (uint64_t)(longest - shortest + 1));
}
