/* SPDX-License-Identifier: Apache-2.0 */
/* shelf.h - records that came before the request they are about, kept until it is there or their time is over. Bounded. */
#ifndef COUNTERSIGN_SHELF_H
#define COUNTERSIGN_SHELF_H

#include "common/journal/journal.h"
#include "common/message/record.h"
#include "common/service/service.h"

#define SHELF_PER_REQUEST 32 /* records of one service that may wait for one request */
#define SHELF_ALL 100000     /* records of one service that may wait at all */

/* A record that is to wait. */
struct shelf_item {
	const struct record *record;
	const char *tenant, *request_id;
	bool full; /* set by shelf_put: there is no room for it */
};
/* Queues the rows of those for whom there is room. Needs work->now. Instances that put at the same moment may exceed the bounds by what they have in hand. */
bool shelf_put(struct work *work, struct shelf_item *items, size_t count, struct error *error) CS_MUST_CHECK;

/*
 * Whoever empties the shelf of his service: from a tick, in transactions of their own, each of which can be run again.
 * `apply` gets records whose request is there now, in the order of their origins; `give_up` those that waited for longer than
 * limit_us. Both are called after a shelf row was deleted and before the clock was read (work_now is theirs), and count
 * and log by the journal.
 */
struct shelf_keeper {
	struct service_context *context;
	struct journal *journal;
	int64_t limit_us;
	void *state; /* handed to both */
	bool (*apply)(void *state, struct work *work, const struct record *records, size_t count,
		      struct error *error);
	bool (*give_up)(void *state, struct work *work, const struct record *records, size_t count,
			struct error *error);
	/* the keeper's own; start zeroed */
	bool one_by_one;   /* a record is in the way of the others */
	int64_t next_look; /* by CLOCK_MONOTONIC */
};
/*
 * Looks at most every 200 ms; after a look that took long the next one comes later, by 2 s at most. Sets *again when there
 * is more to do. Empties the arena.
 */
bool shelf_tend(struct shelf_keeper *keeper, struct arena *arena, bool *again,
		struct error *error) CS_MUST_CHECK;

#endif
