/* SPDX-License-Identifier: Apache-2.0 */
/* evaluator_intake.c - from records to items: parsed, and compared with what was taken before. */
#include "services/evaluator/evaluator.h"

#include <assert.h>
#include <string.h>

static void
describe(struct evaluator_item *item)
{
	const struct request *request = &item->request;

	item->about = (struct word_request){
	    .tenant = request->tenant,
	    .request_id = request->request_id,
	    .key = request->key,
	};
	if (item->refusal.kind != ERROR_NONE)
		return;
	item->about.agent_id = request->agent_id;
	item->about.action = request->action;
	item->about.target = request->target;
	item->about.context = request->context;
	item->about.execution = request->execution;
	item->about.reason = request->reason;
	item->about.on_behalf_of = request->on_behalf_of;
	item->about.traceparent = request->traceparent;
	item->about.digest_text = request->digest_text;
}

/* Bad input is an item of its own kind; any other failure is the batch's. */
static bool
parse(struct arena *arena, const struct record *record, struct evaluator_item *item, struct error *error)
{
	item->record = record;
	if (request_parse(arena, record, &item->request, &item->refusal))
		memcpy(item->content_hash, item->request.content_hash, sizeof item->content_hash);
	else
		crypto_sha256(record->value, record->value_length, item->content_hash);
	if (item->refusal.kind != ERROR_NONE && item->refusal.kind != ERROR_INVALID) {
		*error = item->refusal;
		return false;
	}
	describe(item);
	return true;
}

bool
evaluator_parse(struct arena *arena, const struct record *records, struct evaluator_intake *intake,
		struct error *error)
{
	intake->items = arena_take_array(arena, intake->count, sizeof *intake->items);
	for (size_t i = 0; i < intake->count; i++)
		if (!parse(arena, &records[i], &intake->items[i], error))
			return false;
	return true;
}

bool
evaluator_ask(struct work *work, struct evaluator_intake *intake, struct error *error)
{
	const struct request *only = &intake->items[0].request;
	const struct store_param one[] = {store_text(only->tenant), store_text(only->request_id)};
	struct sheet ids = sheet_open(work->arena, STATEMENT_EVALUATOR_KNOWN, "tt");

	if (intake->count == 1)
		return store_ask(work->store, work->arena, STATEMENT_EVALUATOR_KNOWN_ONE, one, 2,
				 &intake->known, error);

	for (size_t i = 0; i < intake->count; i++)
		if (intake->items[i].request.request_id)
			sheet_add(&ids, store_text(intake->items[i].request.tenant),
				  store_text(intake->items[i].request.request_id));
	return sheet_ask(&ids, work->store, &intake->known, error);
}

void
evaluator_withhold(struct evaluator_item *item)
{
	item->key = NULL;
	item->about = (struct word_request){
	    .tenant = item->about.tenant, .request_id = item->about.request_id, .key = item->about.key};
}

/* A signature counts for a moment: what was signed long ago may be somebody else's copy. One that is known already is no news. */
static void
check_fresh(struct evaluator_item *item, int64_t now)
{
	const struct request *request = &item->request;

	if (!item->key || keyring_is_fresh(request->issued_at, request->appended_at, now))
		return;
	error_set_field(&item->refusal, ERROR_INVALID, "stale", "issued_at",
			"a signed request is taken within five minutes of issued_at");
	evaluator_withhold(item);
}

static enum evaluator_fate
fate_of(struct evaluator_item *item, struct known *known, int64_t now)
{
	const struct request *request = &item->request;

	if (!request->request_id)
		return EVALUATOR_UNREADABLE;

	const uint8_t *before = known_find(known, request->tenant, request->request_id);

	if (!before) {
		known_add(known, request->tenant, request->request_id, item->content_hash);
		check_fresh(item, now);
		return item->refusal.kind == ERROR_NONE ? EVALUATOR_NEW : EVALUATOR_INVALID;
	}
	if (item->refusal.kind != ERROR_NONE)
		return EVALUATOR_UNREADABLE;
	return memcmp(before, item->content_hash, CRYPTO_SHA256_SIZE) == 0 ? EVALUATOR_REPEATED
									   : EVALUATOR_CONFLICTING;
}

void
evaluator_sort(struct arena *arena, struct evaluator_intake *intake, int64_t now)
{
	struct known *known = known_load(arena, intake->known, intake->count);

	evaluator_recheck(arena, intake);
	for (size_t i = 0; i < intake->count; i++)
		intake->items[i].fate = fate_of(&intake->items[i], known, now);
}
