/* SPDX-License-Identifier: Apache-2.0 */
/* visible.c - escapes for cards and references. */
#include "common/visible/visible.h"

#include "common/canonical/canonical.h"
#include "common/visible/characters.h"

#include <inttypes.h>

/* Characters that look like the blank but are another one, and what Unicode uses privately, can't be told by eye either. */
static bool
is_unclear(uint32_t point)
{
	return character_is_control(point) || character_disguises(point) || point == 0x00A0 || point == 0x1680
	       || (point >= 0x2000 && point <= 0x200A) || point == 0x202F || point == 0x205F
	       || point == 0x3000 || (point >= 0xE000 && point <= 0xF8FF) || point >= 0xF0000;
}

bool
visible_is_unclear(const char *bytes, size_t length)
{
	for (size_t at = 0, step; at < length; at += step) {
		uint32_t point = 0;

		step = value_utf8_decode(bytes + at, length - at, &point);
		if (step == 0 || is_unclear(point))
			return true;
	}
	return false;
}

static void
add(struct buffer *out, const char *bytes, size_t length, bool quoted)
{
	for (size_t at = 0, step; at < length; at += step) {
		uint32_t point = 0;

		step = value_utf8_decode(bytes + at, length - at, &point);
		if (step == 0)
			buffer_add_format(out, "\\x%02x", (unsigned char)bytes[at]);
		else if (is_unclear(point))
			buffer_add_format(out, "\\u{%x}", (unsigned)point);
		else if (quoted && (point == '"' || point == '\\'))
			buffer_add_format(out, "\\%c", (char)point);
		else
			buffer_add(out, bytes + at, step);
		step += step == 0;
	}
}

void
visible_add(struct buffer *out, const char *bytes, size_t length)
{
	buffer_add_text(out, "");
	add(out, bytes, length, false);
}

void
visible_quote(struct buffer *out, const char *bytes, size_t length)
{
	buffer_add_byte(out, '"');
	add(out, bytes, length, true);
	buffer_add_byte(out, '"');
}

static void
add_list(struct buffer *out, const struct value *list)
{
	buffer_add_byte(out, '[');
	for (size_t i = 0; i < list->as.list.count; i++) {
		buffer_add_text(out, i > 0 ? ", " : "");
		visible_value(out, list->as.list.items[i]);
	}
	buffer_add_byte(out, ']');
}

static void
add_map(struct buffer *out, const struct value *map)
{
	buffer_add_byte(out, '{');
	for (size_t i = 0; i < map->as.map.count; i++) {
		const struct value_member *member = &map->as.map.members[i];

		buffer_add_text(out, i > 0 ? ", " : "");
		visible_quote(out, member->name.bytes, member->name.length);
		buffer_add_text(out, ": ");
		visible_value(out, member->value);
	}
	buffer_add_byte(out, '}');
}

void
visible_value(struct buffer *out, const struct value *value)
{
	char number[CANONICAL_NUMBER_SIZE];

	switch (value->kind) {
	case VALUE_NULL:
		buffer_add_text(out, "null");
		break;
	case VALUE_BOOL:
		buffer_add_text(out, value->as.boolean ? "true" : "false");
		break;
	case VALUE_INT:
		buffer_add_format(out, "%" PRId64, value->as.integer);
		break;
	case VALUE_REAL:
		canonical_number(number, value->as.real);
		buffer_add_text(out, number);
		break;
	case VALUE_STRING:
		visible_quote(out, value->as.string.bytes, value->as.string.length);
		break;
	case VALUE_LIST:
		add_list(out, value);
		break;
	case VALUE_MAP:
		add_map(out, value);
		break;
	}
}
