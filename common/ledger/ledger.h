/* SPDX-License-Identifier: Apache-2.0 */
/* ledger.h - the hash of one ledger batch: one definition for whoever appends and whoever verifies. */
#ifndef COUNTERSIGN_LEDGER_H
#define COUNTERSIGN_LEDGER_H

#include "common/crypto/crypto.h"

/* One event as stored. */
struct ledger_entry {
	int64_t sequence;
	const char *event_id, *topic, *key, *headers;
	const void *payload;
	size_t payload_length;
};

/*
 * hash = SHA-256 over length-prefixed fields (crypto_hash_add_field): the text "countersign-ledger-v1", prev_hash, chain, first,
 * last, created_at (microseconds since 1970), then for each event in order: sequence, event_id, topic, key, headers,
 * payload. Numbers as fields of 8 big-endian bytes.
 */
struct ledger_hash;
struct ledger_hash *ledger_hash_open(const uint8_t prev_hash[CRYPTO_SHA256_SIZE], uint32_t chain,
				     int64_t first, int64_t last, int64_t created_at);
void ledger_hash_add(struct ledger_hash *hash, const struct ledger_entry *entry);
void ledger_hash_close(struct ledger_hash *take_hash, uint8_t digest[CRYPTO_SHA256_SIZE]);

#endif
