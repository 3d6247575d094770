/* SPDX-License-Identifier: Apache-2.0 */
/* error.c - filling, wrapping and cutting the texts of struct error. Pure: formats into the caller's struct only. */
#include "common/error/error.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Drops what a cut left of a UTF-8 character at the end, so that the text can still be printed as JSON. */
static void
drop_cut_character(char *text, size_t length)
{
	size_t start = length;

	while (start > 0 && length - start < 4 && ((unsigned char)text[start - 1] & 0xC0) == 0x80)
		start--;
	if (start == 0)
		return;

	unsigned char lead = (unsigned char)text[start - 1];
	size_t wanted = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;

	if (length - (start - 1) < wanted)
		text[start - 1] = '\0';
}

static void
fill(char *text, size_t size, const char *from)
{
	size_t length = strnlen(from, size);

	if (length == size)
		length = size - 1;
	memcpy(text, from, length);
	text[length] = '\0';
	if (from[length] != '\0')
		drop_cut_character(text, length);
}

static void
fill_format(char *text, size_t size, const char *format, va_list arguments)
{
	int length = vsnprintf(text, size, format, arguments);

	if (length < 0)
		text[0] = '\0';
	else if ((size_t)length >= size)
		drop_cut_character(text, size - 1);
}

static void
set(struct error *error, enum error_kind kind, const char *code, const char *field, const char *format,
    va_list arguments)
{
	assert(kind != ERROR_NONE);
	if (error->kind != ERROR_NONE)
		return;
	error->kind = kind;
	fill(error->code, sizeof error->code, code);
	fill(error->field, sizeof error->field, field);
	fill_format(error->text, sizeof error->text, format, arguments);
}

bool
error_set(struct error *error, enum error_kind kind, const char *code, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	set(error, kind, code, "", format, arguments);
	va_end(arguments);
	return false;
}

bool
error_set_field(struct error *error, enum error_kind kind, const char *code, const char *field,
		const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	set(error, kind, code, field, format, arguments);
	va_end(arguments);
	return false;
}

bool
error_wrap(struct error *error, const char *format, ...)
{
	char wrapped[2 * ERROR_TEXT_SIZE + 2];
	va_list arguments;

	if (error->kind == ERROR_NONE)
		return false;
	va_start(arguments, format);
	fill_format(wrapped, ERROR_TEXT_SIZE, format, arguments);
	va_end(arguments);

	size_t length = strlen(wrapped);

	memcpy(wrapped + length, ": ", 2);
	memcpy(wrapped + length + 2, error->text, strlen(error->text) + 1);
	fill(error->text, sizeof error->text, wrapped);
	return false;
}

void
error_clear(struct error *error)
{
	error->kind = ERROR_NONE;
	error->code[0] = error->field[0] = error->text[0] = '\0';
}

const char *
error_kind_name(enum error_kind kind)
{
	switch (kind) {
	case ERROR_NONE:
		return "none";
	case ERROR_INVALID:
		return "invalid";
	case ERROR_CONFLICT:
		return "conflict";
	case ERROR_UNAVAILABLE:
		return "unavailable";
	case ERROR_FENCED:
		return "fenced";
	case ERROR_BROKEN:
		return "broken";
	}
	return "unknown";
}
