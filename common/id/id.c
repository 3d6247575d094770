/* SPDX-License-Identifier: Apache-2.0 */
/* id.c - derived and random UUIDs by libuuid, the only file that knows it. */
#include "common/id/id.h"
#include "common/memory/memory.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uuid/uuid.h>

/*
 * Countersign's namespace, 0f1ed41c-9ff2-4726-9bf0-02f925c72e78: drawn once at random (version 4) and never changed. Another
 * namespace is another set of ids for everything that was ever said.
 */
static const uuid_t namespace_uuid = {0x0f, 0x1e, 0xd4, 0x1c, 0x9f, 0xf2, 0x47, 0x26,
				      0x9b, 0xf0, 0x02, 0xf9, 0x25, 0xc7, 0x2e, 0x78};

enum { PREFIX_SIZE = 4 };

static size_t
name_length(const char *const *parts, size_t count)
{
	size_t length = 0;

	for (size_t i = 0; i < count; i++)
		length += PREFIX_SIZE + strlen(parts[i]);
	return length;
}

static char *
put_part(char *at, const char *part)
{
	size_t length = strlen(part);

	assert(length <= UINT32_MAX);
	for (int i = 0; i < PREFIX_SIZE; i++)
		*at++ = (char)(length >> (8 * (PREFIX_SIZE - 1 - i)) & 0xFF);
	memcpy(at, part, length);
	return at + length;
}

static struct id
id_of(const uuid_t uuid)
{
	struct id id;

	uuid_unparse_lower(uuid, id.text);
	return id;
}

struct id
id_derive(const char *const *parts, size_t count)
{
	size_t length = name_length(parts, count);
	char *name = memory_take(length);
	char *at = name;
	uuid_t uuid;

	for (size_t i = 0; i < count; i++)
		at = put_part(at, parts[i]);
	uuid_generate_sha1(uuid, namespace_uuid, name, length);
	free(name);
	return id_of(uuid);
}

struct id
id_event(const char *tenant, const char *request_id, const char *kind, int64_t n)
{
	char number[24];

	snprintf(number, sizeof number, "%lld", (long long)n);
	return id_derive((const char *const[]){tenant, request_id, kind, number}, 4);
}

struct id
id_random(void)
{
	uuid_t uuid;

	uuid_generate_random(uuid);
	return id_of(uuid);
}
