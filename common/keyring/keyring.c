/* SPDX-License-Identifier: Apache-2.0 */
/* keyring.c - one look-up for all who verify, and the few rules about what a key is worth. */
#include "common/keyring/keyring.h"
#include "common/policy/policy.h"

#include <assert.h>
#include <string.h>

struct sheet
keyring_open(struct arena *arena)
{
	return sheet_open(arena, STATEMENT_KEYRING_KEYS, "ttt");
}

void
keyring_add(struct sheet *asked, const char *kid, const char *tenant, const char *person)
{
	sheet_add(asked, store_text(kid), store_text(tenant), store_text(person));
}

const struct keyring_key *
keyring_read(struct arena *arena, const struct store_rows *rows, size_t row)
{
	struct keyring_key *key;

	if (store_row_null(rows, row, 0))
		return NULL;
	key = arena_take(arena, sizeof *key);
	key->kid = store_row_text(rows, row, 0);
	key->owner = store_row_text(rows, row, 1);
	key->is_agent = strcmp(store_row_text(rows, row, 2), "agent") == 0;
	key->public_key = store_row_bytes(rows, row, 3);
	key->agents = store_row_list(rows, row, 4, &key->agent_count);
	key->revoked = store_row_bool(rows, row, 5);
	key->answers = !store_row_null(rows, row, 6) && store_row_bool(rows, row, 6);
	assert(key->public_key.length == CRYPTO_ED25519_PUBLIC_SIZE);
	return key;
}

bool
keyring_check(const struct keyring_key *key, struct error *error)
{
	if (!key)
		return error_set_field(error, ERROR_INVALID, "unknown_key", "signature",
				       "no key of this tenant has the kid of the signature");
	return !key->revoked
	       || error_set_field(error, ERROR_INVALID, "revoked_key", "signature", "the key has been revoked");
}

bool
keyring_verify(struct arena *arena, const struct keyring_key *key, const struct jws *signature,
	       const void *value, size_t length, struct error *error)
{
	return jws_verify(arena, signature, key->public_key.bytes, value, length)
	       || error_set_field(error, ERROR_INVALID, "signature_invalid", "signature",
				  "the signature is not by this key over these bytes");
}

bool
keyring_speaks_as(const struct keyring_key *key, const char *agent_id)
{
	if (!key->is_agent)
		return false;
	if (strcmp(key->owner, agent_id) == 0)
		return true;
	for (size_t i = 0; i < key->agent_count; i++) {
		struct error unused = {0};

		if (policy_pattern_check(key->agents[i], "agents", &unused)
		    && policy_pattern_match(key->agents[i], agent_id))
			return true;
	}
	return false;
}

static bool
is_near(int64_t left, int64_t right)
{
	return left - right <= KEYRING_WINDOW_US && right - left <= KEYRING_WINDOW_US;
}

bool
keyring_is_fresh(int64_t issued_at, int64_t appended_at, int64_t now)
{
	return is_near(issued_at, now)
	       || (appended_at != 0 && appended_at <= now && is_near(issued_at, appended_at));
}
