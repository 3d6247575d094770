/* SPDX-License-Identifier: Apache-2.0 */
/* limits.h - what is used of the policies' limits, under lock, and what a transaction uses of them. */
#ifndef COUNTERSIGN_LIMITS_H
#define COUNTERSIGN_LIMITS_H

#include "common/journal/journal.h"
#include "common/policy/policy.h"
#include "common/service/service.h"

/*
 * Which counters a request is about is known when it is decided, and they must be locked before the clock is read by which it is
 * decided. So everything is decided once to see what is asked for, locked, and decided again; where no limit is asked for, the first
 * time counts, and no round trip is made:
 *
 *   do {
 *           limits_begin(limits);
 *           … decide, with limits_used, each request after limits_take of the one before …
 *   } while (limits_settle(limits, &again, error) && again);
 *   … limits_send
 */
struct limits;

/* Declares the series that are counted here. */
void limits_declare(struct monitor *monitor);

/* Of one transaction; lives in its arena. */
struct limits *limits_open(struct work *work, struct journal *journal);

/* Forgets what was taken. */
void limits_begin(struct limits *limits);
/* For policy_request.used: what others have used, and this transaction has taken. Nothing while it is not locked yet. */
bool limits_used(void *limits, const struct policy_counter *counter, struct policy_usage *used);
/* The same for whoever decides nothing, as a shadow does: what was not asked for by others is not locked for it, and nothing of it used. */
bool limits_seen(void *limits, const struct policy_counter *counter, struct policy_usage *used);
/* The request is granted by this decision: from now on what it takes is used. */
void limits_take(struct limits *limits, const char *tenant, const char *request_id,
		 const struct policy_decision *decision);
/* Counts the limits that the decision found exceeded. */
void limits_note(struct limits *limits, const struct policy_decision *decision);
/*
 * Locks what was asked for and is not locked, in one order for everybody, then reads the clock and what is used. *again: something
 * was, so everything is to be decided by what is known now, at work->now. Before any row that others may wait for is written.
 */
bool limits_settle(struct limits *limits, bool *again, struct error *error) CS_MUST_CHECK;
/* Queues the rows. UNAVAILABLE "run_again" when something was decided about a counter that is not locked. */
bool limits_send(struct limits *limits, struct error *error) CS_MUST_CHECK;

#endif
