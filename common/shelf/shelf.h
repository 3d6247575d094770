/* SPDX-License-Identifier: Apache-2.0 */
/* shelf.h - records that came before the request they are about, kept until it is there or their time is over. Bounded. */
#ifndef COUNTERSIGN_SHELF_H
#define COUNTERSIGN_SHELF_H

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

/* A record as it came, with those headers that mean something to us. Lives in the arena. */
struct shelf_taken {
	struct record *records;
	size_t count;
};
/* Takes off, in the order of their origins, at most `limit` records of this service whose request is there now. */
bool shelf_take_known(struct work *work, size_t limit, struct shelf_taken *taken,
		      struct error *error) CS_MUST_CHECK;
/* Takes off those that have waited for longer than `age_us` and whose request is still unknown. */
bool shelf_take_overdue(struct work *work, int64_t age_us, size_t limit, struct shelf_taken *taken,
			struct error *error) CS_MUST_CHECK;

#endif
