/* SPDX-License-Identifier: Apache-2.0 */
/* map.c - maps: small ones are searched from the front, larger ones through a hash table over the entries. */
#include "common/cel/value.h"

#include <string.h>

#define SMALL 8 /* entries that are compared faster than a key is hashed */

/* A key as it is found: integers of both types are one kind, a whole number written as a double is that integer. */
struct key {
	enum { KEY_NONE, KEY_BOOL, KEY_NUMBER, KEY_STRING } kind;
	bool negative;
	uint64_t bits; /* of the number in two's complement; of the bool; the length */
	const char *bytes;
};

static struct key
whole_number(double real)
{
	struct key key = {.kind = KEY_NUMBER, .negative = real < 0};

	/* the limits are exact in a double; a NaN is within none */
	if (!(real >= -0x1p63 && real < 0x1p64))
		return (struct key){.kind = KEY_NONE};
	key.bits = real < 0 ? (uint64_t)(int64_t)real : (uint64_t)real;
	double back = real < 0 ? (double)(int64_t)real : (double)key.bits;
	if (back != real)
		return (struct key){.kind = KEY_NONE};
	return key;
}

static struct key
key_of(struct cel_value value)
{
	switch (value.kind) {
	case CEL_BOOL:
		return (struct key){.kind = KEY_BOOL, .bits = value.as.boolean};
	case CEL_INT:
		return (struct key){KEY_NUMBER, value.as.integer < 0, (uint64_t)value.as.integer, NULL};
	case CEL_UINT:
		return (struct key){.kind = KEY_NUMBER, .bits = value.as.natural};
	case CEL_DOUBLE:
		return whole_number(value.as.real);
	case CEL_STRING:
		return (struct key){.kind = KEY_STRING, .bits = value.extra, .bytes = value.as.bytes};
	default:
		return (struct key){.kind = KEY_NONE};
	}
}

static bool
same_string(const struct cel_value *value, const struct key *key)
{
	return value->kind == CEL_STRING && value->extra == key->bits
	       && (key->bits == 0 || memcmp(value->as.bytes, key->bytes, key->bits) == 0);
}

/* Keys that lie in a map are no doubles. */
static bool
same_key(const struct cel_value *value, const struct key *key)
{
	if (key->kind == KEY_STRING)
		return same_string(value, key);
	if (key->kind == KEY_BOOL)
		return value->kind == CEL_BOOL && value->as.boolean == (key->bits != 0);
	if (value->kind == CEL_INT)
		return (uint64_t)value->as.integer == key->bits && (value->as.integer < 0) == key->negative;
	return value->kind == CEL_UINT && value->as.natural == key->bits && !key->negative;
}

static uint64_t
mix(uint64_t hash, uint64_t bits)
{
	hash = (hash ^ bits) * 0x9e3779b97f4a7c15u;
	return hash ^ (hash >> 32);
}

static uint64_t
hash_of(const struct key *key)
{
	uint64_t hash = mix(key->kind, key->bits);

	if (key->kind != KEY_STRING)
		return hash;
	for (size_t i = 0; i < key->bits; i += sizeof(uint64_t)) {
		uint64_t bits = 0;
		size_t rest = key->bits - i;

		memcpy(&bits, key->bytes + i, rest < sizeof bits ? rest : sizeof bits);
		hash = mix(hash, bits);
	}
	return hash;
}

static const struct cel_entry *
find_entry(const struct cel_map *map, const struct key *key)
{
	if (!map->index) {
		for (size_t i = 0; i < map->count; i++)
			if (same_key(&map->entries[i].key, key))
				return &map->entries[i];
		return NULL;
	}
	/* the table is at most half full, so there is always an empty place to end at */
	for (size_t place = hash_of(key) & map->index_mask; map->index[place] != 0;
	     place = (place + 1) & map->index_mask)
		if (same_key(&map->entries[map->index[place] - 1].key, key))
			return &map->entries[map->index[place] - 1];
	return NULL;
}

const struct cel_value *
cel_map_find(const struct cel_map *map, struct cel_value key)
{
	struct key wanted = key_of(key);
	const struct cel_entry *entry = wanted.kind == KEY_NONE ? NULL : find_entry(map, &wanted);

	return entry && entry->value.kind != CEL_ABSENT ? &entry->value : NULL;
}

const struct cel_entry *
cel_map_next(const struct cel_map *map, size_t *position)
{
	while (*position < map->count) {
		const struct cel_entry *entry = &map->entries[(*position)++];

		if (entry->value.kind != CEL_ABSENT)
			return entry;
	}
	return NULL;
}

static uint32_t *
index_open(struct arena *arena, struct cel_map *map, size_t count)
{
	size_t places = 2 * SMALL;

	while (places < 2 * count)
		places *= 2;
	uint32_t *index = arena_take_array(arena, places, sizeof *index);
	map->index = index;
	map->index_mask = places - 1;
	return index;
}

/* Puts the next entry into the map, unless its key is there already. */
static enum cel_code
add_entry(struct cel_map *map, uint32_t *index)
{
	const struct cel_entry *entry = &map->entries[map->count];
	struct key key = key_of(entry->key);

	if (key.kind == KEY_NONE || entry->key.kind == CEL_DOUBLE)
		return CEL_NO_SUCH_OVERLOAD;
	if (find_entry(map, &key))
		return CEL_DUPLICATE_KEY;
	map->count++;
	map->present += entry->value.kind != CEL_ABSENT;
	if (index) {
		size_t place = hash_of(&key) & map->index_mask;

		while (index[place] != 0)
			place = (place + 1) & map->index_mask;
		index[place] = (uint32_t)map->count;
	}
	return CEL_OK;
}

struct cel_value
cel_map(struct arena *arena, const struct cel_entry *entries, size_t count)
{
	struct cel_map *map = arena_take(arena, sizeof *map);
	uint32_t *index = count > SMALL ? index_open(arena, map, count) : NULL;

	map->entries = entries;
	while (map->count < count) {
		enum cel_code code = add_entry(map, index);

		if (code != CEL_OK)
			return cel_error(code, 0);
	}
	return (struct cel_value){.kind = CEL_MAP, .as.map = map};
}
