/* SPDX-License-Identifier: Apache-2.0 */
/* snapshot_private.h - what a snapshot is made of. Private to this room. */
#ifndef COUNTERSIGN_SNAPSHOT_PRIVATE_H
#define COUNTERSIGN_SNAPSHOT_PRIVATE_H

#include "common/snapshot/snapshot.h"

struct snapshot {
	const struct log *log;
	struct monitor *monitor;
	struct arena *arena; /* everything of the loaded generation */
	int64_t generation;
	struct snapshot_policy *policies, *shadows;
	size_t count, shadow_count;
	/* of the transaction at hand */
	struct store_rows *asked, *asked_holds; /* the generation; the holds */
	struct snapshot_hold *holds;		/* by id */
	size_t hold_count;
};

/* From the rows that were asked for. */
void snapshot_read_holds(struct snapshot *snapshot, struct arena *arena);

#endif
