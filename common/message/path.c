/* SPDX-License-Identifier: Apache-2.0 */
/* path.c - paths as text. The names in them were chosen by others. */
#include "common/message/path.h"
#include "common/visible/characters.h"

enum { NAME_SHOWN = 64 };

static void
add_character(struct buffer *text, const char *bytes, size_t length, uint32_t point)
{
	if (length == 0)
		buffer_add_format(text, "\\x%02x", (unsigned char)bytes[0]);
	else if (character_is_control(point) || character_disguises(point))
		buffer_add_format(text, "\\u{%x}", (unsigned)point);
	else
		buffer_add(text, bytes, length);
}

void
path_add_name(struct buffer *text, struct text name)
{
	size_t at = 0;

	if (text->length)
		buffer_add_byte(text, '.');

	size_t start = text->length;

	while (at < name.length && text->length - start < NAME_SHOWN) {
		uint32_t point = 0;
		size_t length = value_utf8_decode(name.bytes + at, name.length - at, &point);

		add_character(text, name.bytes + at, length, point);
		at += length ? length : 1;
	}
	if (at < name.length)
		buffer_add_text(text, "…");
	if (name.length == 0)
		buffer_add_text(text, "\"\"");
}

void
path_add_index(struct buffer *text, size_t index)
{
	buffer_add_format(text, "[%zu]", index);
}

static void
add_steps(struct buffer *text, const struct path *path)
{
	if (!path)
		return;
	add_steps(text, path->above);
	if (path->name.bytes)
		path_add_name(text, path->name);
	else
		path_add_index(text, path->index);
}

const char *
path_text(struct arena *arena, const struct path *path)
{
	struct buffer text = {.arena = arena};

	add_steps(&text, path);
	return text.length ? text.bytes : "";
}
