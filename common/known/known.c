/* SPDX-License-Identifier: Apache-2.0 */
/* known.c - a table of ids with open addressing, never more than half full. */
#include "common/known/known.h"

#include <assert.h>
#include <string.h>

struct entry {
	const char *scope, *id;
	uint8_t digest[CRYPTO_SHA256_SIZE];
};

struct known {
	struct entry *entries;
	size_t size, count; /* size is a power of two */
	struct arena *arena;
};

struct known *
known_open(struct arena *arena, size_t expected)
{
	struct known *known = arena_take(arena, sizeof *known);

	known->arena = arena;
	known->size = 16;
	while (known->size < 2 * expected)
		known->size *= 2;
	known->entries = arena_take_array(arena, known->size, sizeof *known->entries);
	return known;
}

/* FNV-1a; the NUL of the first part separates the two. */
static uint64_t
hash_of(const char *scope, const char *id)
{
	const char *const parts[] = {scope, id};
	uint64_t hash = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < 2; i++)
		for (const char *c = parts[i];; c++) {
			hash = (hash ^ (unsigned char)*c) * UINT64_C(1099511628211);
			if (*c == '\0')
				break;
		}
	return hash;
}

/* Where it is, or the free place where it would be. */
static struct entry *
place(const struct known *known, const char *scope, const char *id)
{
	size_t at = (size_t)hash_of(scope, id) & (known->size - 1);

	for (;; at = (at + 1) & (known->size - 1)) {
		struct entry *entry = &known->entries[at];

		if (!entry->id || (strcmp(entry->id, id) == 0 && strcmp(entry->scope, scope) == 0))
			return entry;
	}
}

static void
grow(struct known *known)
{
	struct entry *old = known->entries;
	size_t size = known->size;

	known->size *= 2;
	known->entries = arena_take_array(known->arena, known->size, sizeof *known->entries);
	for (size_t i = 0; i < size; i++)
		if (old[i].id)
			*place(known, old[i].scope, old[i].id) = old[i];
}

void
known_add(struct known *known, const char *scope, const char *id, const uint8_t digest[CRYPTO_SHA256_SIZE])
{
	if (2 * (known->count + 1) > known->size)
		grow(known);

	struct entry *entry = place(known, scope, id);

	assert(!entry->id);
	entry->scope = scope;
	entry->id = id;
	memcpy(entry->digest, digest, CRYPTO_SHA256_SIZE);
	known->count++;
}

const uint8_t *
known_find(const struct known *known, const char *scope, const char *id)
{
	const struct entry *entry = place(known, scope, id);

	return entry->id ? entry->digest : NULL;
}

struct known *
known_load(struct arena *arena, const struct store_rows *rows, size_t more)
{
	struct known *known = known_open(arena, store_rows_count(rows) + more);

	for (size_t row = 0; row < store_rows_count(rows); row++) {
		struct store_bytes digest = store_row_bytes(rows, row, 2);

		assert(digest.length == CRYPTO_SHA256_SIZE);
		known_add(known, store_row_text(rows, row, 0), store_row_text(rows, row, 1), digest.bytes);
	}
	return known;
}
