/* SPDX-License-Identifier: Apache-2.0 */
/* ledger.c - the hash over one batch of the ledger. */
#include "common/ledger/ledger.h"

#include <stdlib.h>
#include <string.h>

static const char version[] = "countersign-ledger-v1";

struct ledger_hash {
	struct crypto_hash *hash;
};

static void
add_text(struct ledger_hash *hash, const char *text)
{
	crypto_hash_add_field(hash->hash, text, strlen(text));
}

struct ledger_hash *
ledger_hash_open(const uint8_t prev_hash[CRYPTO_SHA256_SIZE], uint32_t chain, int64_t first, int64_t last,
		 int64_t created_at)
{
	struct ledger_hash *hash = memory_take(sizeof *hash);

	hash->hash = crypto_hash_open();
	add_text(hash, version);
	crypto_hash_add_field(hash->hash, prev_hash, CRYPTO_SHA256_SIZE);
	crypto_hash_add_number(hash->hash, chain);
	crypto_hash_add_number(hash->hash, first);
	crypto_hash_add_number(hash->hash, last);
	crypto_hash_add_number(hash->hash, created_at);
	return hash;
}

/* An empty payload is a field of no bytes, not an absent one. */
void
ledger_hash_add(struct ledger_hash *hash, const struct ledger_entry *entry)
{
	crypto_hash_add_number(hash->hash, entry->sequence);
	add_text(hash, entry->event_id);
	add_text(hash, entry->topic);
	add_text(hash, entry->key);
	add_text(hash, entry->headers);
	crypto_hash_add_field(hash->hash, entry->payload_length ? entry->payload : "", entry->payload_length);
}

void
ledger_hash_close(struct ledger_hash *take_hash, uint8_t digest[CRYPTO_SHA256_SIZE])
{
	crypto_hash_close(take_hash->hash, digest);
	free(take_hash);
}
