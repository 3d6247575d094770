/* SPDX-License-Identifier: Apache-2.0 */
/* request_key.c - the forms of ids and tenants, and the Kafka key and slot that follow from them. */
#include "common/message/request.h"

#include <assert.h>
#include <string.h>

#define LOWER "abcdefghijklmnopqrstuvwxyz"
#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"

static bool
consists_of(const char *text, size_t length, size_t most, const char *alphabet)
{
	if (!text || length == 0 || length > most)
		return false;
	for (size_t i = 0; i < length; i++)
		if (text[i] == '\0' || !strchr(alphabet, text[i]))
			return false;
	return true;
}

bool
request_id_valid(const char *text, size_t length)
{
	return consists_of(text, length, REQUEST_ID_MAX, LOWER UPPER DIGITS "._:-");
}

bool
request_tenant_valid(const char *text, size_t length)
{
	return consists_of(text, length, REQUEST_TENANT_MAX, LOWER DIGITS "_-");
}

const char *
request_key(struct arena *arena, const char *tenant, const char *request_id)
{
	if (strcmp(tenant, "default") == 0)
		return arena_string(arena, request_id);
	return arena_format(arena, "%s/%s", tenant, request_id);
}

static uint32_t
byte_at(const char *bytes, size_t index)
{
	return (unsigned char)bytes[index];
}

/* org.apache.kafka.common.utils.Utils.murmur2: 32 bits, little-endian words, this seed. */
static uint32_t
murmur2(const char *bytes, size_t length)
{
	const uint32_t m = 0x5bd1e995;
	uint32_t hash = UINT32_C(0x9747b28c) ^ (uint32_t)length;
	size_t whole = length / 4 * 4;

	for (size_t i = 0; i < whole; i += 4) {
		uint32_t word = byte_at(bytes, i) | byte_at(bytes, i + 1) << 8 | byte_at(bytes, i + 2) << 16
				| byte_at(bytes, i + 3) << 24;

		word *= m;
		word ^= word >> 24;
		hash = hash * m ^ word * m;
	}
	for (size_t i = length; i > whole; i--)
		hash ^= byte_at(bytes, i - 1) << 8 * (i - 1 - whole);
	if (length > whole)
		hash *= m;
	hash = (hash ^ hash >> 13) * m;
	return hash ^ hash >> 15;
}

uint32_t
request_key_slot(const char *key, uint32_t count)
{
	assert(count > 0);
	return (murmur2(key, strlen(key)) & UINT32_C(0x7fffffff)) % count;
}
