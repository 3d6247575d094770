/* SPDX-License-Identifier: Apache-2.0 */
/* resolver_approval.c - approvals from rows and back. The lock comes first, everything else is read under it. */
#include "services/resolver/resolver.h"

#include "common/message/json.h"
#include "common/message/request.h"
#include "common/policy/policy_obligations.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ finding */

static int
compare_id(const void *id, const void *approval)
{
	return strcmp(id, ((const struct resolver_approval *)approval)->approval_id);
}

struct resolver_approval *
resolver_find(const struct resolver_approvals *approvals, const char *approval_id)
{
	if (!approval_id || approvals->count == 0)
		return NULL;
	return bsearch(approval_id, approvals->items, approvals->count, sizeof *approvals->items, compare_id);
}

struct resolver_approval *
resolver_owner_of(const struct resolver_approvals *approvals, const struct store_rows *rows, size_t row)
{
	struct resolver_approval *approval = resolver_find(approvals, store_row_text(rows, row, 0));

	assert(approval);
	return approval;
}

struct store_rows *
resolver_ask(struct work *work, enum statement statement, const struct resolver_approvals *approvals,
	     struct error *error)
{
	const char **ids = arena_take_array(work->arena, approvals->count, sizeof *ids);

	for (size_t i = 0; i < approvals->count; i++)
		ids[i] = approvals->items[i].approval_id;

	struct store_param param = store_uuid_list(ids, approvals->count);

	return store_query(work->store, work->arena, statement, &param, 1, error);
}

/* ------------------------------------------------------------------ the rows of approvals */

static bool
state_of(const char *name, enum approval_state *state, struct error *error)
{
	for (int i = APPROVAL_PENDING; i < APPROVAL_STATES; i++)
		if (strcmp(approval_state_name((enum approval_state)i), name) == 0) {
			*state = (enum approval_state)i;
			return true;
		}
	return error_set(error, ERROR_BROKEN, "approval_state",
			 "a stored approval is in a state that nobody knows");
}

static bool
read_approval(struct work *work, const struct store_rows *rows, size_t row,
	      struct resolver_approval *approval, struct error *error)
{
	approval->approval_id = store_row_text(rows, row, 0);
	approval->now.deadline = store_row_time(rows, row, 2);
	approval->now.opened_at = store_row_time(rows, row, 3);
	approval->valid_for = store_row_int(rows, row, 4);
	approval->notices = approval->notices_before = store_row_int(rows, row, 5);
	approval->refusals = store_row_int(rows, row, 6);
	approval->reason_text = store_row_text(rows, row, 7);
	approval->about.digest_text = store_row_text(rows, row, 8);
	approval->about.tenant = store_row_text(rows, row, 9);
	approval->about.request_id = store_row_text(rows, row, 10);
	approval->about.key = request_key(work->arena, approval->about.tenant, approval->about.request_id);
	approval->hold_for = store_row_int(rows, row, 11);
	approval->now.steps_taken = (unsigned)store_row_int(rows, row, 12);
	approval->now.latest = store_row_time(rows, row, 13);
	approval->now.remind_before = store_row_int(rows, row, 14);
	approval->now.remind_every = store_row_int(rows, row, 15);
	approval->now.reminded_at = store_row_time(rows, row, 16);
	approval->asked = (uint32_t)store_row_int(rows, row, 17);
	approval->held_by = store_row_int(rows, row, 18);
	if (!state_of(store_row_text(rows, row, 1), &approval->was, error))
		return false;
	approval->now.state = approval->was;
	return true;
}

static bool
lock(struct work *work, const char *const *ids, size_t count, struct resolver_approvals *approvals,
     struct error *error)
{
	struct store_param param = store_uuid_list(ids, count);
	struct store_rows *rows =
	    store_query(work->store, work->arena, STATEMENT_RESOLVER_LOCK, &param, 1, error);

	if (!rows)
		return false;
	approvals->count = store_rows_count(rows);
	approvals->items = arena_take_array(work->arena, approvals->count, sizeof *approvals->items);
	for (size_t i = 0; i < approvals->count; i++)
		if (!read_approval(work, rows, i, &approvals->items[i], error))
			return false;
	return true;
}

/* ------------------------------------------------------------------ the request and its decision */

/*
 * Of all decisions, in their order. They do not contradict each other, or the last of them was DENIED for that: of such an approval it
 * is what was united before.
 */
static bool
read_obligations(struct arena *arena, const char *text, struct resolver_approval *approval, struct error *error)
{
	const struct value *list;
	const char *conflict = NULL;

	if (!json_stored(arena, text, &list, error))
		return false;
	for (size_t i = 0; list && i < list->as.list.count && !conflict; i++) {
		const struct value *united =
		    policy_obligations_unite(arena, approval->obligations, list->as.list.items[i], &conflict);

		if (!conflict)
			approval->obligations = united;
	}
	return !conflict || approval->was == APPROVAL_DENIED
	       || error_set(error, ERROR_BROKEN, "stored_obligations",
			    "stored decisions on a request contradict each other");
}

static void
read_decision(const struct store_rows *rows, size_t row, struct resolver_approval *approval)
{
	struct word_decision *decision = &approval->decision;

	decision->verdict = store_row_text(rows, row, 10);
	decision->reason_code = store_row_text(rows, row, 11);
	decision->reason_text = store_row_text(rows, row, 12);
	decision->rules = store_row_list(rows, row, 13, &decision->rule_count);
	decision->class_id = store_row_text(rows, row, 14);
	decision->policy_id = store_row_text(rows, row, 15);
	decision->policy_version = store_row_int(rows, row, 16);
	decision->policy_digest = store_row_text(rows, row, 17);
	decision->generation = store_row_int(rows, row, 18);
	approval->decisions = store_row_int(rows, row, 19);
	decision->remediation = store_row_text(rows, row, 21);
}

static bool
load_requests(struct work *work, const struct resolver_approvals *approvals, struct error *error)
{
	struct store_rows *rows = resolver_ask(work, STATEMENT_RESOLVER_REQUESTS, approvals, error);

	if (!rows)
		return false;
	if (store_rows_count(rows) != approvals->count)
		return error_set(error, ERROR_BROKEN, "stored_request",
				 "an approval lacks its request or its decision");
	for (size_t row = 0; row < store_rows_count(rows); row++) {
		struct resolver_approval *approval = resolver_owner_of(approvals, rows, row);
		struct word_request *about = &approval->about;

		about->agent_id = store_row_text(rows, row, 1);
		about->action = store_row_text(rows, row, 2);
		about->target = store_row_text(rows, row, 3);
		about->reason = store_row_text(rows, row, 6);
		about->on_behalf_of = store_row_text(rows, row, 7);
		about->traceparent = store_row_text(rows, row, 8);
		approval->owner = store_row_text(rows, row, 9);
		about->verified_kid = store_row_text(rows, row, 23);
		about->verified_owner = store_row_text(rows, row, 24);
		approval->now.grant_ends = store_row_time(rows, row, 25);
		approval->overrider = store_row_text(rows, row, 27);
		approval->reviewer = store_row_text(rows, row, 28);
		approval->now.overridden = approval->overrider != NULL;
		approval->now.reviewed = approval->reviewer != NULL;
		approval->asked_in = store_row_int(rows, row, 26);
		read_decision(rows, row, approval);
		if (!json_stored(work->arena, store_row_text(rows, row, 4), &about->context, error)
		    || !json_stored(work->arena, store_row_text(rows, row, 5), &about->execution, error)
		    || !json_stored(work->arena, store_row_text(rows, row, 20), &approval->decision.layers, error)
		    || !read_obligations(work->arena, store_row_text(rows, row, 22), approval, error))
			return false;
	}
	return true;
}

bool
resolver_load(struct work *work, const char *const *ids, size_t count, struct resolver_approvals *approvals,
	      struct error *error)
{
	*approvals = (struct resolver_approvals){0};
	if (count == 0)
		return true;
	return lock(work, ids, count, approvals, error) && load_requests(work, approvals, error)
	       && resolver_load_asked(work, approvals, error);
}

struct sheet
resolver_membership(struct work *work)
{
	return sheet_open(work->arena, STATEMENT_RESOLVER_MEMBERS, "ttt");
}

/* ------------------------------------------------------------------ back to rows */

static bool
is_met(const struct approval *approval)
{
	for (unsigned i = 0; i < approval->demand_count; i++)
		if (approval_current_stage(approval, i) != APPROVAL_STAGES_MAX)
			return false;
	return true;
}

/* The hold that it waits for: of what is open and met. */
static int64_t
held_by(const struct resolver_approval *approval)
{
	return approval->now.state == APPROVAL_PENDING && is_met(&approval->now) ? approval->held_by : 0;
}

/* 0: nothing happens by time any more. What is held has its deadline and nothing else. */
static int64_t
next_of(const struct resolver_approval *approval)
{
	const struct approval *now = &approval->now;
	int64_t next = now->state == APPROVAL_PENDING ? approval_next_time(now) : INT64_MAX;

	if (held_by(approval))
		return now->deadline;
	return next == INT64_MAX ? 0 : next;
}

bool
resolver_save(struct work *work, const struct resolver_approvals *approvals, struct error *error)
{
	struct sheet changed = sheet_open(work->arena, STATEMENT_RESOLVER_SAVE, "uttnnnnnnnnnn");

	for (size_t i = 0; i < approvals->count; i++) {
		const struct resolver_approval *approval = &approvals->items[i];

		if (!approval->touched)
			continue;
		assert(approval->was == APPROVAL_PENDING || approval->now.state == approval->was
		       || (approval->was == APPROVAL_APPROVED && approval->now.state == APPROVAL_REVOKED));
		sheet_add(&changed, store_uuid(approval->approval_id),
			  store_text(approval_state_name(approval->was)),
			  store_text(approval_state_name(approval->now.state)),
			  store_int(approval->notices_before), store_int(approval->notices),
			  store_int(approval->refusals), store_int(approval->now.steps_taken),
			  store_int(approval->asked | approval_open_asks(&approval->now)),
			  store_time(approval->now.deadline), store_time(approval->now.reminded_at),
			  store_time(next_of(approval)), store_time(work->now), store_int(held_by(approval)));
	}
	return sheet_send(&changed, work->store, error);
}
