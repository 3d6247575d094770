/* SPDX-License-Identifier: Apache-2.0 */
/* fault.c - what is wrong with a source, and where. */
#include "common/cel/ast.h"
#include "common/value/value.h"

#include <stdio.h>
#include <string.h>

static bool
continues(char byte)
{
	return ((unsigned char)byte & 0xc0) == 0x80;
}

static void
locate(struct cel_fault *fault, const char *source, size_t length)
{
	uint32_t left = fault->position;

	fault->line = 1;
	fault->column = 1;
	for (size_t i = 0; i < length && left > 0; i++) {
		if (continues(source[i]))
			continue;
		left--;
		fault->column++;
		if (source[i] == '\n') {
			fault->line++;
			fault->column = 1;
		}
	}
}

/* A text that was cut may end within a character. */
static void
trim(char *text)
{
	size_t length = strlen(text), back = 0;

	while (back < 3 && back < length && continues(text[length - 1 - back]))
		back++;
	if (back == length)
		return;
	unsigned char lead = (unsigned char)text[length - 1 - back];
	size_t need = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc0 ? 1 : 0;
	if (back < need)
		text[length - 1 - back] = '\0';
}

/* What would break the line, or is no UTF-8, becomes a question mark. */
static void
make_one_line(char *text)
{
	size_t length = strlen(text), kept = 0;

	for (size_t i = 0, step; i < length; i += step) {
		uint32_t point;

		step = value_utf8_decode(text + i, length - i, &point);
		if (step == 0 || point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0x2028
		    || point == 0x2029) {
			step = step ? step : 1;
			text[kept++] = '?';
		} else {
			memmove(text + kept, text + i, step);
			kept += step;
		}
	}
	text[kept] = '\0';
}

void *
cel_fault_add(struct cel_faults *faults, const char *source, size_t length, enum cel_code code,
	      uint32_t position, const char *format, ...)
{
	struct cel_fault fault = {.code = code, .position = position};
	size_t place = faults->count;
	va_list arguments;

	va_start(arguments, format);
	if (vsnprintf(fault.text, sizeof fault.text, format, arguments) >= (int)sizeof fault.text)
		trim(fault.text);
	va_end(arguments);
	make_one_line(fault.text);
	locate(&fault, source, length);

	while (place > 0 && faults->items[place - 1].position > position)
		place--;
	if (place == CEL_FAULTS_MAX)
		return NULL;
	size_t behind = faults->count - place;
	if (faults->count == CEL_FAULTS_MAX)
		behind--;
	else
		faults->count++;
	memmove(&faults->items[place + 1], &faults->items[place], behind * sizeof fault);
	faults->items[place] = fault;
	return NULL;
}
