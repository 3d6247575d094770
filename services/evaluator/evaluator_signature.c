/* SPDX-License-Identifier: Apache-2.0 */
/* evaluator_signature.c - signed requests: who asks is known, or nobody asks. */
#include "services/evaluator/evaluator.h"

static bool
is_signed(const struct evaluator_item *item)
{
	return item->refusal.kind == ERROR_NONE && item->request.signature_text;
}

static struct sheet
keys_of(struct work *work, const struct evaluator_intake *intake)
{
	struct sheet asked = keyring_open(work->arena);

	for (size_t i = 0; i < intake->count; i++)
		if (is_signed(&intake->items[i]))
			keyring_add(&asked, intake->items[i].request.signature.header.kid,
				    intake->items[i].request.tenant, NULL);
	return asked;
}

static bool
check_agent(const struct keyring_key *key, const struct request *request, struct error *error)
{
	return keyring_speaks_as(key, request->agent_id)
	       || error_set_field(error, ERROR_INVALID, "agent_not_key_owner", "signature",
				  "the key is not registered for this agent");
}

static void
verify(struct arena *arena, const struct keyring_key *key, struct evaluator_item *item)
{
	const struct request *request = &item->request;

	if (!keyring_check(key, &item->refusal)
	    || !keyring_verify(arena, key, &request->signature, request->value, request->value_length,
			       &item->refusal)
	    || !check_agent(key, request, &item->refusal)) {
		evaluator_withhold(item);
		return;
	}
	item->key = key;
	item->about.verified_kid = key->kid;
	item->about.verified_owner = key->owner;
}

bool
evaluator_verify(struct work *work, struct evaluator_intake *intake, struct error *error)
{
	struct sheet asked = keys_of(work, intake);
	struct store_rows *rows;

	if (asked.count == 0)
		return true;
	rows = sheet_query(&asked, work->store, error);
	for (size_t i = 0, row = 0; rows && i < intake->count; i++)
		if (is_signed(&intake->items[i]))
			verify(work->arena, keyring_read(work->arena, rows, row++), &intake->items[i]);
	return rows != NULL;
}

bool
evaluator_ask_keys(struct work *work, struct evaluator_intake *intake, struct error *error)
{
	struct sheet asked = keys_of(work, intake);

	return asked.count == 0 || sheet_ask(&asked, work->store, &intake->keys, error);
}

void
evaluator_recheck(struct arena *arena, struct evaluator_intake *intake)
{
	for (size_t i = 0, row = 0; intake->keys && i < intake->count; i++) {
		struct evaluator_item *item = &intake->items[i];
		const struct keyring_key *key;

		if (!is_signed(item))
			continue;
		key = keyring_read(arena, intake->keys, row++);
		if (!keyring_check(key, &item->refusal) || !check_agent(key, &item->request, &item->refusal))
			evaluator_withhold(item);
	}
}
