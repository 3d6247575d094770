/* SPDX-License-Identifier: Apache-2.0 */
/* explain.c - a finding as people read it: where, what, and the line with a caret under it. */
#include "common/document/document.h"
#include "common/visible/characters.h"

#include <string.h>

enum {
	WIDTH = 100,
	BEFORE = 60
}; /* characters of a line that are shown; how many of them before the caret at most */

/* The byte at which a character begins. */
static size_t
byte_of(struct text text, size_t character)
{
	size_t at = 0;

	while (at < text.length && character > 0) {
		at++;
		while (at < text.length && ((unsigned char)text.bytes[at] & 0xc0) == 0x80)
			at++;
		character--;
	}
	return at;
}

/* The line around a byte, without its end. */
static struct text
line_around(struct text text, size_t at)
{
	size_t start = at, end = at;

	while (start > 0 && text.bytes[start - 1] != '\n')
		start--;
	while (end < text.length && text.bytes[end] != '\n')
		end++;
	if (end > start && text.bytes[end - 1] == '\r')
		end--;
	return (struct text){text.bytes + start, end - start};
}

/* Characters `from` to `to` of the line, what is not seen or moves the rest as ?; returns how many there were. */
static size_t
add_line(struct buffer *out, struct text line, size_t from, size_t to)
{
	size_t count = 0;

	for (size_t at = 0; at < line.length && count < to; count++) {
		uint32_t point = '?';
		size_t length = value_utf8_decode(line.bytes + at, line.length - at, &point);

		if (count >= from && point == '\t')
			buffer_add_byte(out, ' ');
		else if (count >= from
			 && (length == 0 || character_is_control(point) || character_disguises(point)))
			buffer_add_byte(out, '?');
		else if (count >= from)
			buffer_add(out, line.bytes + at, length);
		at += length ? length : 1;
	}
	return count;
}

static void
add_caret(struct buffer *out, size_t margin, size_t column, size_t width)
{
	buffer_add_format(out, "%*s |%*s^", (int)margin, "", (int)column + 1, "");
	for (size_t i = 1; i < width; i++)
		buffer_add_byte(out, '~');
	buffer_add_byte(out, '\n');
}

static size_t
digits_of(uint32_t number)
{
	size_t count = 1;

	for (; number > 9; number /= 10)
		count++;
	return count;
}

static void
add_picture(struct buffer *out, const struct document *document, struct stretch at)
{
	struct text line = line_around(document->source, byte_of(document->source, at.start));
	size_t column = at.column - 1, from = column > BEFORE ? column - BEFORE : 0;
	size_t width = at.end > at.start ? at.end - at.start : 1;

	buffer_add_format(out, "%5u | ", (unsigned)at.line);

	size_t shown = add_line(out, line, from, from + WIDTH);

	buffer_add_byte(out, '\n');
	if (column > shown) /* behind the end of the line */
		column = shown;
	if (width > shown - column)
		width = shown - column; /* of what goes on in other lines, this one's part */
	add_caret(out, digits_of(at.line) > 5 ? digits_of(at.line) : 5, column - from, width);
}

void
document_explain(struct buffer *out, const struct document *document, const struct finding *finding)
{
	buffer_add_text(out, document->name);
	if (finding->at.line)
		buffer_add_format(out, ":%u:%u", (unsigned)finding->at.line, (unsigned)finding->at.column);
	buffer_add_format(out, ": %s", finding->code);
	if (finding->path[0])
		buffer_add_format(out, " %s:", finding->path);
	buffer_add_format(out, " %s\n", finding->text);
	if (finding->at.line)
		add_picture(out, document, finding->at);
}
