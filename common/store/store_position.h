/* SPDX-License-Identifier: Apache-2.0 */
/* store_position.h - how far a consumer has come: fence, de-duplication and commit record in one row. */
#ifndef COUNTERSIGN_STORE_POSITION_H
#define COUNTERSIGN_STORE_POSITION_H

#include "common/store/store.h"

struct store_position {
	const char *group, *topic; /* borrowed */
	int32_t partition;
	int64_t next_offset, epoch;
};

/* In a transaction of its own: takes the partition over, epoch + 1. No row yet: begins at `low`. Fills epoch and next_offset. */
bool store_position_claim(struct store *store, struct store_position *position, int64_t low,
			  const char *owner, struct error *error) CS_MUST_CHECK;
/*
 * First statement of a batch: queues the compare-and-set from position->next_offset to end. 0 rows: FENCED, told like all
 * failures of what was queued by the next store_query, store_settle or store_commit. *position is not changed.
 */
bool store_position_advance(struct store *store, const struct store_position *position, int64_t end,
			    struct error *error) CS_MUST_CHECK;
/* Outside a transaction: what the row says now. */
bool store_position_read(struct store *store, struct store_position *position,
			 struct error *error) CS_MUST_CHECK;

#endif
