/* SPDX-License-Identifier: Apache-2.0 */
/* relay_headers.c - from the stored text [["name","value"],…] to Kafka headers, with the event's place in the ledger behind. */
#include "services/relay/relay.h"

#include "common/message/json.h"

#include <string.h>

static const struct json_limits limits = {
    .bytes = 64 * 1024, .depth = 4, .keys = 16, .items = 1024, .string = 32 * 1024, .key = 128};

static bool
is_text(const struct value *value)
{
	return value->kind == VALUE_STRING;
}

static bool
take_pair(const struct value *pair, struct record_header *header)
{
	if (pair->kind != VALUE_LIST || pair->as.list.count != 2 || !is_text(pair->as.list.items[0])
	    || !is_text(pair->as.list.items[1]))
		return false;
	*header = (struct record_header){.name = pair->as.list.items[0]->as.string.bytes,
					 .value = pair->as.list.items[1]->as.string.bytes,
					 .length = pair->as.list.items[1]->as.string.length};
	return true;
}

static void
add_number(struct arena *arena, struct record_header *header, const char *name, int64_t number)
{
	struct buffer text = {.arena = arena};

	buffer_add_format(&text, "%lld", (long long)number);
	*header = (struct record_header){.name = name, .value = text.bytes, .length = text.length};
}

bool
relay_headers(struct arena *arena, const char *stored, uint32_t chain, int64_t sequence,
	      const struct record_header **headers, size_t *count, struct error *error)
{
	struct error refused = {0};
	const struct value *list = json_parse(arena, stored, strlen(stored), &limits, &refused);
	struct record_header *out;
	bool ok = list && list->kind == VALUE_LIST;

	out = arena_take_array(arena, (ok ? list->as.list.count : 0) + 2, sizeof *out);
	*count = 0;
	for (size_t i = 0; ok && i < list->as.list.count; i++)
		ok = take_pair(list->as.list.items[i], &out[(*count)++]);
	if (!ok)
		return error_set(error, ERROR_BROKEN, "ledger",
				 "chain %u, sequence %lld: its headers are not what we write",
				 (unsigned)chain, (long long)sequence);
	add_number(arena, &out[(*count)++], "countersign-chain", chain);
	add_number(arena, &out[(*count)++], "countersign-sequence", sequence);
	*headers = out;
	return true;
}
