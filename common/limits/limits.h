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
 *
 * What a request uses is one row for each counter. It counts from its time on, as long as the limit's window is; or it holds a place,
 * which counts until its own end and however long that is: that of a question that people have not answered (count_on: decision), or that
 * of an authorization that nobody has reported on (count_on: execution).
 */
struct limits;

/* Declares the series that are counted here. */
void limits_declare(struct monitor *monitor);

/* Of one transaction; lives in its arena. */
struct limits *limits_open(struct work *work, struct journal *journal);

/* Forgets what was taken. */
void limits_begin(struct limits *limits);
/* The request that is decided about from now on: a place that it holds itself is not in its way. */
void limits_about(struct limits *limits, const char *tenant, const char *request_id);
/* For policy_request.used: what others have used, and this transaction has taken. Nothing while it is not locked yet. */
bool limits_used(void *limits, const struct policy_counter *counter, struct policy_usage *used);
/* The same for whoever decides nothing, as a shadow does: what was not asked for by others is not locked for it, and nothing of it used. */
bool limits_seen(void *limits, const struct policy_counter *counter, struct policy_usage *used);
/* People are asked by this decision: what counts on decisions is held until they have answered. */
void limits_ask(struct limits *limits, const char *tenant, const char *request_id,
		const struct policy_decision *decision);
/*
 * The request is granted by this decision: from now on what it takes is used, and of what counts on executions a place is held until its
 * authorization is over (expires_at) and the time for reports with it. What else it held is given up.
 */
void limits_take(struct limits *limits, const char *tenant, const char *request_id,
		 const struct policy_decision *decision, int64_t expires_at);
/* The request is not granted, for ever. Whoever is decided about in the same transaction still finds its places taken. */
void limits_drop(struct limits *limits, const char *tenant, const char *request_id);
/*
 * The grant is revoked, so that its authorization ends `earlier` microseconds before it would have: what was granted counts on, and a place
 * that is held for its execution is held for so much less, since what was begun before may still be reported.
 */
void limits_end(struct limits *limits, const char *tenant, const char *request_id, int64_t earlier);
/*
 * What was granted is being executed: where a place is held for that, it is used from now on. One that ended before the limit's window
 * began is given up instead.
 */
void limits_execute(struct limits *limits, const char *tenant, const char *request_id);
/*
 * The execution of what was granted has failed, and who executed has signed that: what it uses of limits that say so (release_on_failure
 * when it was taken) is given back, once. Of a bucket that is what cannot have been filled up since, and nothing where the limit has changed
 * since. And: what was given back counts again, from now on, if the limit's window still counts what it was. Both after limits_recall_uses, in
 * any order, and after everything that is decided here.
 */
void limits_release(struct limits *limits, const char *tenant, const char *request_id);
void limits_retake(struct limits *limits, const char *tenant, const char *request_id);
/* Counts the limits that the decision found exceeded. */
void limits_note(struct limits *limits, const struct policy_decision *decision);
/*
 * Looks for the places that requests hold, tenants[i] and request_ids[i] together, so that they are locked with everything else. Before
 * limits_settle, and wherever the request is not new. Nobody else may change these places meanwhile, and the texts must live as long as
 * `limits`.
 */
bool limits_recall(struct limits *limits, const char *const *tenants, const char *const *request_ids,
		   size_t count, struct error *error) CS_MUST_CHECK;
/* The same, and for what they have used and may get back. */
bool limits_recall_uses(struct limits *limits, const char *const *tenants, const char *const *request_ids,
			size_t count, struct error *error) CS_MUST_CHECK;
/*
 * Locks what was asked for and is not locked, in one order for everybody, then reads the clock and what is used. *again: something
 * was, so everything is to be decided by what is known now, at work->now. Before any row that others may wait for is written.
 */
bool limits_settle(struct limits *limits, bool *again, struct error *error) CS_MUST_CHECK;
/* Queues the rows. UNAVAILABLE "run_again" when something was decided about a counter that is not locked. */
bool limits_send(struct limits *limits, struct error *error) CS_MUST_CHECK;

#endif
