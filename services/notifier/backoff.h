/* SPDX-License-Identifier: Apache-2.0 */
/* backoff.h - how long to wait before the next attempt. Pure. */
#ifndef COUNTERSIGN_NOTIFIER_BACKOFF_H
#define COUNTERSIGN_NOTIFIER_BACKOFF_H

#include <stdbool.h>
#include <stdint.h>

/*
 * After the attempt-th failure (1, 2 …), in microseconds: somewhere between 0 and 1, 6, 24, 120, 360, 1440, 3600, 7200
 * times `first`, by `random`, any number. 5 s, 30 s, 2 min, 10 min, 30 min, 2 h, 5 h, 10 h when first is 5 s. `slow`: the receiver
 * asked for patience: in the upper half of the next longer one.
 */
int64_t backoff_pause(int64_t first, int64_t attempt, bool slow, uint64_t random);

#endif
