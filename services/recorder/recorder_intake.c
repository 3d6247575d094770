/* SPDX-License-Identifier: Apache-2.0 */
/* recorder_intake.c - from records to items: parsed, and with all that they are about as it is under the locks. */
#include "services/recorder/recorder.h"

#include "common/message/authorization.h"

#include <string.h>

static bool
parse(struct arena *arena, const struct record *record, struct recorder_item *item, struct error *error)
{
	item->record = record;
	if (outcome_parse(arena, record, &item->outcome, &item->refusal))
		return true;
	if (item->refusal.kind != ERROR_INVALID)
		*error = item->refusal;
	return item->refusal.kind == ERROR_INVALID;
}

static bool
is_taken(const struct recorder_item *item)
{
	return item->refusal.kind == ERROR_NONE;
}

/* Two instances may have two outcomes of one request in hand: each sees what the other did, in some order. */
static bool
lock(struct work *work, const struct recorder_intake *intake, struct error *error)
{
	int64_t *chains = arena_take_array(work->arena, intake->count, sizeof *chains);
	size_t count = 0;

	for (size_t i = 0; i < intake->count; i++)
		if (is_taken(&intake->items[i]))
			chains[count++] = work_chain(work, intake->items[i].outcome.key);
	return work_lock_outcomes(work, chains, count, error);
}

static bool
load_known(struct work *work, struct recorder_intake *intake, struct error *error)
{
	struct sheet asked = sheet_open(work->arena, STATEMENT_RECORDER_KNOWN, "tt");

	for (size_t i = 0; i < intake->count; i++)
		if (is_taken(&intake->items[i]))
			sheet_add(&asked, store_text(intake->items[i].outcome.tenant),
				  store_text(intake->items[i].outcome.outcome_id));

	struct store_rows *rows = sheet_query(&asked, work->store, error);

	if (rows)
		intake->known = known_load(work->arena, rows, intake->count);
	return rows != NULL;
}

/* ------------------------------------------------------------------ the requests */

static struct recorder_request *
find_before(const struct recorder_intake *intake, size_t n)
{
	const struct outcome *outcome = &intake->items[n].outcome;

	for (size_t i = 0; i < n; i++) {
		struct recorder_request *request = intake->items[i].request;

		if (request && strcmp(request->request_id, outcome->request_id) == 0
		    && strcmp(request->tenant, outcome->tenant) == 0)
			return request;
	}
	return NULL;
}

static void
read_earlier(const struct store_rows *rows, size_t row, struct recorder_request *request)
{
	size_t count = 0;
	const char *const *ids = store_row_list(rows, row, 9, &count);

	for (size_t i = 0; i < count && i < RECORDER_EVIDENCE_MAX; i++)
		request->earlier[request->earlier_count++] = ids[i];
}

static struct recorder_request *
read_request(struct arena *arena, const struct store_rows *rows, size_t row, const struct outcome *outcome)
{
	struct recorder_request *request = arena_take(arena, sizeof *request);

	request->tenant = outcome->tenant;
	request->request_id = outcome->request_id;
	request->agent_id = store_row_text(rows, row, 11);
	request->facts = (struct recorder_facts){
	    .known = store_row_bool(rows, row, 0),
	    .status = store_row_text(rows, row, 1),
	    .event_id = store_row_text(rows, row, 2),
	    .token = store_row_text(rows, row, 3),
	    .digest = store_row_text(rows, row, 4),
	    .expires_at = store_row_time(rows, row, 5),
	    .started = store_row_bool(rows, row, 6),
	    .ended = store_row_bool(rows, row, 7),
	    .began_in_time = store_row_bool(rows, row, 8),
	    .revoked_at = store_row_time(rows, row, 10),
	    .disputed = store_row_bool(rows, row, 12),
	};
	read_earlier(rows, row, request);
	return request;
}

/* Rows come in the order asked, one for each item; items about one request share what the first of them found. */
static bool
load_requests(struct work *work, struct recorder_intake *intake, struct error *error)
{
	struct sheet asked = sheet_open(work->arena, STATEMENT_RECORDER_REQUESTS, "tt");

	for (size_t i = 0; i < intake->count; i++)
		if (is_taken(&intake->items[i]))
			sheet_add(&asked, store_text(intake->items[i].outcome.tenant),
				  store_text(intake->items[i].outcome.request_id));
	if (asked.count == 0)
		return true;

	struct store_rows *rows = sheet_query(&asked, work->store, error);
	size_t row = 0;

	for (size_t i = 0; rows && i < intake->count; i++) {
		struct recorder_item *item = &intake->items[i];

		if (!is_taken(item))
			continue;
		item->request = find_before(intake, i);
		if (!item->request)
			item->request = read_request(work->arena, rows, row, &item->outcome);
		row++;
	}
	return rows != NULL;
}

bool
recorder_intake(struct work *work, const struct record *records, size_t count, struct recorder_intake *intake,
		struct error *error)
{
	*intake = (struct recorder_intake){.count = count};
	intake->items = arena_take_array(work->arena, count, sizeof *intake->items);
	for (size_t i = 0; i < count; i++)
		if (!parse(work->arena, &records[i], &intake->items[i], error))
			return false;
	return lock(work, intake, error) && load_known(work, intake, error)
	       && load_requests(work, intake, error);
}

/* ------------------------------------------------------------------ limits */

static bool
is_granted(const struct recorder_item *item)
{
	const char *status = item->request ? item->request->facts.status : NULL;

	return status && strcmp(status, authorization_status_name(AUTHORIZATION_GRANTED)) == 0;
}

/* After the requests are known: a grant that is seen here has its places and uses written. */
bool
recorder_recall(struct recorder *recorder, struct work *work, struct recorder_intake *intake,
		struct error *error)
{
	const char **tenants = arena_take_array(work->arena, intake->count, sizeof *tenants);
	const char **request_ids = arena_take_array(work->arena, intake->count, sizeof *request_ids);
	size_t count = 0;
	bool locked = false;

	intake->limits = limits_open(work, recorder->journal);
	for (size_t i = 0; i < intake->count; i++) {
		const struct recorder_item *item = &intake->items[i];

		if (!is_granted(item) || find_before(intake, i))
			continue;
		tenants[count] = item->request->tenant;
		request_ids[count++] = item->request->request_id;
	}
	if (count
	    && (!limits_recall_uses(intake->limits, tenants, request_ids, count, error)
		|| !limits_settle(intake->limits, &locked, error)))
		return false;
	return locked || work_now(work, error);
}
