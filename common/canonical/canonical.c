/* SPDX-License-Identifier: Apache-2.0 */
/* canonical.c - values as RFC 8785 bytes: order of members, strings, and the place that is to blame. Numbers are in number.c. */
#include "common/canonical/canonical.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INTEGER_MAX 9007199254740991 /* 2^53 - 1 */

enum { FEW = 16 };

/* The way from the root to the value at hand, on the stack; made into a path only when there is an error. */
struct place {
	const struct place *above;
	struct text name; /* of a member; bytes NULL: */
	size_t index;	  /* of a list */
};

static bool put_value(struct buffer *out, const struct value *value, const struct place *place,
		      struct error *error);

static void
path_add(struct buffer *path, const struct place *place)
{
	if (!place)
		return;
	path_add(path, place->above);
	if (!place->name.bytes) {
		buffer_add_format(path, "[%zu]", place->index);
		return;
	}
	if (path->length)
		buffer_add_byte(path, '.');
	buffer_add(path, place->name.bytes, place->name.length);
}

static bool
refuse(struct arena *arena, const struct place *place, struct error *error, const char *code, const char *text)
{
	struct buffer path = {.arena = arena};

	path_add(&path, place);
	return error_set_field(error, ERROR_INVALID, code, path.length ? path.bytes : "", "%s", text);
}

/*
 * Among UTF-8 bytes where two names first differ, only the order of U+E000..U+FFFF (EE, EF) and of what UTF-16 writes with
 * surrogates (F0..F4) is the other way round.
 */
static int
utf16_rank(unsigned char byte)
{
	if (byte < 0xEE)
		return byte;
	return byte < 0xF0 ? byte + 5 : byte - 2;
}

int
canonical_compare(struct text left, struct text right)
{
	size_t shared = left.length < right.length ? left.length : right.length;

	for (size_t i = 0; i < shared; i++)
		if (left.bytes[i] != right.bytes[i])
			return utf16_rank((unsigned char)left.bytes[i])
			       - utf16_rank((unsigned char)right.bytes[i]);
	return (left.length > right.length) - (left.length < right.length);
}

/* The escape of a byte that RFC 8785 3.2.2.2 does not write as itself. */
static void
put_escape(struct buffer *out, unsigned char byte)
{
	static const char letters[] = "\"\"\\\\\bb\ff\nn\rr\tt"; /* pairs */
	char escape[] = {'\\', 'u', '0', '0', "0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]};

	for (size_t i = 0; i + 1 < sizeof letters; i += 2) {
		if (byte == (unsigned char)letters[i]) {
			escape[1] = letters[i + 1];
			buffer_add(out, escape, 2);
			return;
		}
	}
	buffer_add(out, escape, sizeof escape);
}

static bool
stands_for_itself(unsigned char byte)
{
	return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

/* So many bytes at once: all of them? A byte that does not spoils the difference in its own or in a later one's highest bit. */
static bool
eight_stand_for_themselves(const char *bytes)
{
	const uint64_t each = UINT64_C(0x0101010101010101);
	uint64_t word, quote, backslash;

	memcpy(&word, bytes, sizeof word);
	quote = word ^ each * '"';
	backslash = word ^ each * '\\';
	return !((word | (word - each * 0x20) | (quote - each) | (backslash - each)) & each * 0x80);
}

/* Where the bytes that stand for themselves end. */
static size_t
skip_plain(struct text text, size_t at)
{
	while (text.length - at >= 8 && eight_stand_for_themselves(text.bytes + at))
		at += 8;
	while (at < text.length && stands_for_itself((unsigned char)text.bytes[at]))
		at++;
	return at;
}

/* False when the text is not well-formed UTF-8. */
static bool
put_text(struct buffer *out, struct text text)
{
	size_t copied = 0, at = 0;
	uint32_t point;

	buffer_add_byte(out, '"');
	while ((at = skip_plain(text, at)) < text.length) {
		unsigned char byte = (unsigned char)text.bytes[at];

		if (byte < 0x80) {
			buffer_add(out, text.bytes + copied, at - copied);
			put_escape(out, byte);
			copied = ++at;
		} else {
			size_t length = value_utf8_decode(text.bytes + at, text.length - at, &point);

			if (length == 0)
				return false;
			at += length;
		}
	}
	buffer_add(out, text.bytes + copied, at - copied);
	buffer_add_byte(out, '"');
	return true;
}

static bool
put_string(struct buffer *out, struct text text, const struct place *place, struct error *error)
{
	return put_text(out, text) || refuse(out->arena, place, error, "encoding", "not well-formed UTF-8");
}

static bool
put_integer(struct buffer *out, int64_t integer, const struct place *place, struct error *error)
{
	char text[CANONICAL_NUMBER_SIZE];
	size_t start = sizeof text;

	if (integer > INTEGER_MAX || integer < -INTEGER_MAX)
		return refuse(out->arena, place, error, "number_range",
			      "an integer beyond 2^53-1 has no exact JSON number");
	/* below 1e21 ECMAScript writes all digits */
	for (int64_t rest = integer < 0 ? -integer : integer; start == sizeof text || rest; rest /= 10)
		text[--start] = (char)('0' + rest % 10);
	if (integer < 0)
		text[--start] = '-';
	buffer_add(out, text + start, sizeof text - start);
	return true;
}

static bool
put_real(struct buffer *out, double real, const struct place *place, struct error *error)
{
	char text[CANONICAL_NUMBER_SIZE];

	if (!isfinite(real))
		return refuse(out->arena, place, error, "number_range", "not a finite number");
	canonical_number(text, real);
	buffer_add_text(out, text);
	return true;
}

static bool
put_list(struct buffer *out, const struct value *list, const struct place *above, struct error *error)
{
	buffer_add_byte(out, '[');
	for (size_t i = 0; i < list->as.list.count; i++) {
		struct place place = {.above = above, .index = i};

		if (i)
			buffer_add_byte(out, ',');
		if (!put_value(out, list->as.list.items[i], &place, error))
			return false;
	}
	buffer_add_byte(out, ']');
	return true;
}

static int
compare_members(const void *left, const void *right)
{
	const struct value_member *const *one = left, *const *other = right;

	return canonical_compare((*one)->name, (*other)->name);
}

/* Few are put in order in place: qsort asks for memory. */
static void
sort_members(const struct value_member **members, size_t count)
{
	if (count > FEW) {
		qsort(members, count, sizeof *members, compare_members);
		return;
	}
	for (size_t i = 1; i < count; i++) {
		const struct value_member *one = members[i];
		size_t at = i;

		for (; at > 0 && compare_members(&members[at - 1], &one) > 0; at--)
			members[at] = members[at - 1];
		members[at] = one;
	}
}

/* Pointers to the members in canonical order. What we wrote ourselves is often in order already. */
static const struct value_member **
sorted_members(struct arena *arena, const struct value *map)
{
	size_t count = map->as.map.count;
	const struct value_member **sorted = arena_take_array(arena, count, sizeof *sorted);
	bool in_order = true;

	for (size_t i = 0; i < count; i++) {
		sorted[i] = &map->as.map.members[i];
		in_order = in_order && (i == 0 || compare_members(&sorted[i - 1], &sorted[i]) < 0);
	}
	if (!in_order)
		sort_members(sorted, count);
	return sorted;
}

static bool
put_map(struct buffer *out, const struct value *map, const struct place *above, struct error *error)
{
	const struct value_member **sorted = sorted_members(out->arena, map);

	buffer_add_byte(out, '{');
	for (size_t i = 0; i < map->as.map.count; i++) {
		struct place place = {.above = above, .name = sorted[i]->name};

		if (i)
			buffer_add_byte(out, ',');
		/* the place of a bad name is the map that holds it: the name itself can't be shown */
		if (!put_string(out, sorted[i]->name, above, error))
			return false;
		buffer_add_byte(out, ':');
		if (!put_value(out, sorted[i]->value, &place, error))
			return false;
	}
	buffer_add_byte(out, '}');
	return true;
}

static bool
put_value(struct buffer *out, const struct value *value, const struct place *place, struct error *error)
{
	switch (value->kind) {
	case VALUE_NULL:
		buffer_add_text(out, "null");
		return true;
	case VALUE_BOOL:
		buffer_add_text(out, value->as.boolean ? "true" : "false");
		return true;
	case VALUE_INT:
		return put_integer(out, value->as.integer, place, error);
	case VALUE_REAL:
		return put_real(out, value->as.real, place, error);
	case VALUE_STRING:
		return put_string(out, value->as.string, place, error);
	case VALUE_LIST:
		return put_list(out, value, place, error);
	case VALUE_MAP:
		return put_map(out, value, place, error);
	}
	abort(); /* a kind that does not exist: memory is broken */
}

bool
canonical_format(struct buffer *out, const struct value *value, struct error *error)
{
	size_t start = out->length;
	bool ok = put_value(out, value, NULL, error);

	if (!ok && out->bytes) {
		out->length = start;
		out->bytes[start] = '\0';
	}
	return ok;
}
