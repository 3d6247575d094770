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

/* Digits of a number that is not negative. */
static void
add_number(struct arena *arena, struct record_header *header, const char *name, int64_t number)
{
	char digits[20], *at = digits + sizeof digits;

	do
		*--at = (char)('0' + number % 10);
	while (number /= 10);

	size_t length = (size_t)(digits + sizeof digits - at);

	*header =
	    (struct record_header){.name = name, .value = arena_copy(arena, at, length), .length = length};
}

/* ------------------------------------------------------------------ the usual text */

/* A string of printable ASCII without escapes, ended in place; the byte behind it, or NULL when it is of another kind. */
static char *
cut_string(char *at, const char **text, size_t *length)
{
	char *begin = at + 1;

	if (*at != '"')
		return NULL;
	for (at = begin; *at != '"'; at++)
		if (*at < ' ' || *at > '~' || *at == '\\')
			return NULL;
	*at = '\0';
	*text = begin;
	*length = (size_t)(at - begin);
	return at + 1;
}

static char *
cut_pair(char *at, struct record_header *header)
{
	const char *value = NULL;
	size_t length;

	if (*at++ != '[' || !(at = cut_string(at, &header->name, &length)) || *at++ != ','
	    || !(at = cut_string(at, &value, &header->length)) || *at++ != ']')
		return NULL;
	header->value = value;
	return at;
}

/* How many pairs, written without blanks and escapes, as nearly all are; 0 when the parser has to look. */
static size_t
cut_usual(struct arena *arena, const char *stored, struct record_header *out, size_t room)
{
	char *at = arena_string(arena, stored);
	size_t count = 0;

	if (*at++ != '[')
		return 0;
	while (count < room && (at = cut_pair(at, &out[count]))) {
		count++;
		if (*at == ']')
			return at[1] == '\0' ? count : 0;
		if (*at++ != ',')
			return 0;
	}
	return 0;
}

/* ------------------------------------------------------------------ any other text */

static bool
parse_any(struct arena *arena, const char *stored, struct record_header **out, size_t *count)
{
	struct error refused = {0};
	const struct value *list = json_parse(arena, stored, strlen(stored), &limits, &refused);
	bool ok = list && list->kind == VALUE_LIST;

	if (!ok)
		return false;
	*out = arena_take_array(arena, list->as.list.count + 2, sizeof **out);
	for (*count = 0; ok && *count < list->as.list.count; ++*count)
		ok = take_pair(list->as.list.items[*count], &(*out)[*count]);
	return ok;
}

bool
relay_headers(struct arena *arena, const char *stored, uint32_t chain, int64_t sequence,
	      const struct record_header **headers, size_t *count, struct error *error)
{
	enum { USUAL = 16 };
	struct record_header *out = arena_take_array(arena, USUAL + 2, sizeof *out);

	*count = cut_usual(arena, stored, out, USUAL);
	if (*count == 0 && !parse_any(arena, stored, &out, count))
		return error_set(error, ERROR_BROKEN, "ledger",
				 "chain %u, sequence %lld: its headers are not what we write",
				 (unsigned)chain, (long long)sequence);
	add_number(arena, &out[(*count)++], "countersign-chain", chain);
	add_number(arena, &out[(*count)++], "countersign-sequence", sequence);
	*headers = out;
	return true;
}
