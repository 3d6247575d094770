/* SPDX-License-Identifier: Apache-2.0 */
/* text.c - positions in code points, searching, and text that grows. */
#include "common/cel/text.h"

#include "common/cel/search.h"

#include <string.h>

static bool
begins_point(char byte)
{
	return ((unsigned char)byte & 0xC0) != 0x80;
}

size_t
cel_text_points(struct cel_text text)
{
	size_t points = 0;

	for (size_t i = 0; i < text.length; i++)
		points += begins_point(text.bytes[i]);
	return points;
}

bool
cel_text_offset(struct cel_text text, int64_t index, size_t *offset)
{
	size_t at = 0;

	if (index < 0 || (uint64_t)index > text.length)
		return false;
	for (; index > 0 && at < text.length; index--)
		at += cel_text_step(text, at);
	*offset = at;
	return index == 0;
}

size_t
cel_text_step(struct cel_text text, size_t offset)
{
	size_t end = offset + 1;

	while (end < text.length && !begins_point(text.bytes[end]))
		end++;
	return end - offset;
}

/* No character's bytes occur within those of others, so that bytes can be compared. */
size_t
cel_text_find(struct cel_text text, struct cel_text part, size_t from)
{
	size_t found = cel_search(text.bytes + from, text.length - from, part.bytes, part.length);

	return found == SIZE_MAX ? found : from + found;
}

/* Makes room for more; false, and failed, when there is none. */
static bool
grow(struct cel_writer *writer, size_t more)
{
	size_t most = cel_string_max(writer->machine), room = writer->room ? writer->room : 64;
	char *bytes;

	if (writer->failed || more > most || writer->length > most - more) {
		writer->failed = true;
		return false;
	}
	if (writer->length + more <= writer->room)
		return true;
	while (room < writer->length + more)
		room *= 2;
	bytes = cel_take(writer->machine, room);
	if (!bytes) {
		writer->failed = true;
		return false;
	}
	if (writer->length > 0)
		memcpy(bytes, writer->bytes, writer->length);
	writer->bytes = bytes;
	writer->room = room;
	return true;
}

void
cel_write(struct cel_writer *writer, const char *bytes, size_t length)
{
	if (length == 0 || !grow(writer, length))
		return;
	memcpy(writer->bytes + writer->length, bytes, length);
	writer->length += length;
}

void
cel_write_text(struct cel_writer *writer, const char *text)
{
	cel_write(writer, text, strlen(text));
}

struct cel_value
cel_written(struct cel_writer *writer)
{
	if (writer->failed)
		return cel_fail(writer->machine, CEL_MEMORY, "a string became too long");
	if (!cel_charge_bytes(writer->machine, writer->length))
		return cel_fail(writer->machine, CEL_COST, NULL);
	return cel_string(writer->length ? writer->bytes : "", writer->length);
}
