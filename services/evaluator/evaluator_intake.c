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

/* The ids of the batch that the database knows, with the digests of what they said. */
static struct known *
load_known(struct work *work, const struct evaluator_item *items, size_t count, struct error *error)
{
	struct sheet ids = sheet_open(work->arena, STATEMENT_EVALUATOR_KNOWN, "tt");

	for (size_t i = 0; i < count; i++)
		if (items[i].request.request_id)
			sheet_add(&ids, store_text(items[i].request.tenant),
				  store_text(items[i].request.request_id));

	struct store_rows *rows = sheet_query(&ids, work->store, error);

	return rows ? known_load(work->arena, rows, count) : NULL;
}

static enum evaluator_fate
fate_of(const struct evaluator_item *item, struct known *known)
{
	const struct request *request = &item->request;
	bool readable = item->refusal.kind == ERROR_NONE;

	if (!request->request_id)
		return EVALUATOR_UNREADABLE;

	const uint8_t *before = known_find(known, request->tenant, request->request_id);

	if (!before) {
		known_add(known, request->tenant, request->request_id, item->content_hash);
		return readable ? EVALUATOR_NEW : EVALUATOR_INVALID;
	}
	if (!readable)
		return EVALUATOR_UNREADABLE;
	return memcmp(before, item->content_hash, CRYPTO_SHA256_SIZE) == 0 ? EVALUATOR_REPEATED
									   : EVALUATOR_CONFLICTING;
}

bool
evaluator_intake(struct work *work, const struct record *records, size_t count, struct evaluator_item **items,
		 struct error *error)
{
	struct evaluator_item *list = arena_take_array(work->arena, count, sizeof *list);

	for (size_t i = 0; i < count; i++)
		if (!parse(work->arena, &records[i], &list[i], error))
			return false;

	struct known *known = load_known(work, list, count, error);

	if (!known)
		return false;
	for (size_t i = 0; i < count; i++)
		list[i].fate = fate_of(&list[i], known);
	*items = list;
	return true;
}
