/* SPDX-License-Identifier: Apache-2.0 */
/* recorder_signature.c - signed outcomes: who reports is known, or it is no report. */
#include "services/recorder/recorder.h"

static bool
is_signed(const struct recorder_item *item)
{
	return item->refusal.kind == ERROR_NONE && item->outcome.signature_text;
}

/* Of a request that is not there nobody knows who may speak for it. */
static bool
check_agent(const struct keyring_key *key, const struct recorder_item *item, struct error *error)
{
	const char *agent_id = item->request->agent_id;

	return !agent_id || keyring_speaks_as(key, agent_id)
	       || error_set_field(error, ERROR_INVALID, "agent_not_key_owner", "signature",
				  "the key is not registered for the agent of this request");
}

static void
verify(struct arena *arena, const struct keyring_key *key, struct recorder_item *item)
{
	const struct outcome *outcome = &item->outcome;

	if (keyring_check(key, &item->refusal)
	    && keyring_verify(arena, key, &outcome->signature, outcome->value, outcome->value_length,
			      &item->refusal)
	    && check_agent(key, item, &item->refusal))
		item->key = key;
}

bool
recorder_verify(struct work *work, struct recorder_intake *intake, struct error *error)
{
	struct sheet asked = keyring_open(work->arena);
	struct store_rows *rows;

	for (size_t i = 0; i < intake->count; i++)
		if (is_signed(&intake->items[i]))
			keyring_add(&asked, intake->items[i].outcome.signature.header.kid,
				    intake->items[i].outcome.tenant, NULL);
	if (asked.count == 0)
		return true;
	rows = sheet_query(&asked, work->store, error);
	for (size_t i = 0, row = 0; rows && i < intake->count; i++)
		if (is_signed(&intake->items[i]))
			verify(work->arena, keyring_read(work->arena, rows, row++), &intake->items[i]);
	return rows != NULL;
}

bool
recorder_check_fresh(const struct recorder_item *item, int64_t now, struct error *error)
{
	const struct outcome *outcome = &item->outcome;

	return !item->key || item->from_shelf
	       || keyring_is_fresh(outcome->issued_at, outcome->appended_at, now)
	       || error_set_field(error, ERROR_INVALID, "stale", "issued_at",
				  "a signed outcome is taken within five minutes of issued_at");
}
