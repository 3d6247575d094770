/* SPDX-License-Identifier: Apache-2.0 */
/* store_ledger.h - appending to the ledger: the last thing a writing transaction does before COMMIT. */
#ifndef COUNTERSIGN_STORE_LEDGER_H
#define COUNTERSIGN_STORE_LEDGER_H

#include "common/message/event.h"
#include "common/store/store.h"

/*
 * Locks the heads of the events' chains in ascending order, gives each event the next sequence of its chain in the order
 * of the array, stores events, one batch row per chain with its hash (common/ledger), moves the heads, and notifies the
 * relay. Nothing may be locked after it. No events: does nothing.
 */
bool store_ledger_append(struct store *store, struct arena *arena, const struct event *events, size_t count,
			 struct error *error) CS_MUST_CHECK;

#endif
