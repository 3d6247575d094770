/* SPDX-License-Identifier: Apache-2.0 */
/* known.h - the ids that were taken before, in the database or earlier in this batch, with the digests of what they said. */
#ifndef COUNTERSIGN_KNOWN_H
#define COUNTERSIGN_KNOWN_H

#include "common/crypto/crypto.h"
#include "common/store/store.h"

/* An id has two parts: tenant and request id, tenant and outcome id, key and response id. Lives in the arena. */
struct known;
struct known *known_open(struct arena *arena, size_t expected);
/* From rows of (scope, id, digest as bytea), borrowed, with room for so many more. */
struct known *known_load(struct arena *arena, const struct store_rows *rows, size_t more);
/* Borrows both parts, copies the digest. The id must not be there yet. */
void known_add(struct known *known, const char *scope, const char *id,
	       const uint8_t digest[CRYPTO_SHA256_SIZE]);
/* The digest, or NULL. */
const uint8_t *known_find(const struct known *known, const char *scope, const char *id);

#endif
