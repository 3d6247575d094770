/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_json.c - the strict reader and the canonical writer: what is read is written, read again as an equal value and written
 * to the same bytes; no member that stands in the text is lost, so no name stood twice.
 */
#include "common/canonical/canonical.h"
#include "common/message/json.h"
#include "tests/fuzz/fuzz.h"

/* Members as the text has them: colons outside of strings. */
static size_t
colons(const char *bytes, size_t length)
{
	bool inside = false;
	size_t count = 0;

	for (size_t i = 0; i < length; i++) {
		if (inside && bytes[i] == '\\')
			i++;
		else if (bytes[i] == '"')
			inside = !inside;
		else if (!inside && bytes[i] == ':')
			count++;
	}
	return count;
}

static size_t
members(const struct value *value)
{
	size_t count = value->kind == VALUE_MAP ? value->as.map.count : 0;

	for (size_t i = 0; value->kind == VALUE_LIST && i < value->as.list.count; i++)
		count += members(value->as.list.items[i]);
	for (size_t i = 0; value->kind == VALUE_MAP && i < value->as.map.count; i++)
		count += members(value->as.map.members[i].value);
	return count;
}

/* The first code unit of UTF-16. */
static uint32_t
unit(uint32_t point)
{
	return point < 0x10000 ? point : 0xD7C0 + (point >> 10);
}

/* The order of RFC 8785 3.2.3, character by character. */
static int
compare(struct text left, struct text right)
{
	while (left.length && right.length) {
		uint32_t one = 0, other = 0;
		size_t step = value_utf8_decode(left.bytes, left.length, &one);

		assert(step && value_utf8_decode(right.bytes, right.length, &other));
		if (one != other)
			return unit(one) != unit(other) ? (int)unit(one) - (int)unit(other)
							: (int)one - (int)other;
		left = (struct text){left.bytes + step, left.length - step};
		right = (struct text){right.bytes + step, right.length - step};
	}
	return (left.length > 0) - (right.length > 0);
}

static void
check_order(const struct value *value)
{
	for (size_t i = 0; value->kind == VALUE_LIST && i < value->as.list.count; i++)
		check_order(value->as.list.items[i]);
	for (size_t i = 0; value->kind == VALUE_MAP && i < value->as.map.count; i++) {
		const struct value_member *member = &value->as.map.members[i];

		assert(canonical_compare(member->name, member->name) == 0);
		if (i > 0) {
			int order = canonical_compare(member[-1].name, member->name);
			int expected = compare(member[-1].name, member->name);

			assert(order && (order < 0) == (expected < 0) && expected);
		}
		check_order(member->value);
	}
}

static void
check(struct arena *arena, const uint8_t *bytes, size_t length, const struct json_limits *limits)
{
	struct error error = {0};
	const struct value *value = json_parse(arena, bytes, length, limits, &error);

	if (!value) {
		fuzz_refused(&error, ERROR_INVALID);
		return;
	}
	assert(value->kind == VALUE_MAP || value->kind == VALUE_LIST);
	assert(members(value) == colons((const char *)bytes, length));
	check_order(value);

	struct text text = fuzz_canonical(arena, value);
	const struct value *again = json_parse(arena, text.bytes, text.length, limits, &error);

	if (!again && strcmp(error.code, "too_large") == 0)
		return; /* 1e20 is longer in canonical form */
	assert(again && value_equal(value, again) && value_equal(again, value));
	assert(fuzz_same(text, fuzz_canonical(arena, again)));
	assert(members(again) == members(value));
}

static void
check_outline(struct arena *arena, const uint8_t *bytes, size_t length)
{
	const struct value *outline = json_outline(arena, bytes, length);
	struct error error = {0};
	const struct value *value = json_parse(arena, bytes, length, &json_limits_request, &error);

	if (outline)
		assert(outline->kind == VALUE_MAP && fuzz_canonical(arena, outline).length > 0);
	if (!value || value->kind != VALUE_MAP)
		return;
	assert(outline && outline->as.map.count == value->as.map.count);
	for (size_t i = 0; i < value->as.map.count; i++) {
		const struct value_member *member = &value->as.map.members[i];

		if (member->value->kind == VALUE_STRING && member->value->as.string.length <= 256)
			assert(fuzz_equal(value_get_string(outline, member->name.bytes),
					  member->value->as.string.bytes));
	}
}

int
FUZZ_TARGET(json)(const uint8_t *bytes, size_t length)
{
	struct arena *arena = arena_open();

	check(arena, bytes, length, &json_limits_request);
	check(arena, bytes, length, &json_limits_event);
	check(arena, bytes, length, &json_limits_policy);
	check_outline(arena, bytes, length);
	arena_close(arena);
	return 0;
}
