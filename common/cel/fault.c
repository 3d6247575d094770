/* SPDX-License-Identifier: Apache-2.0 */
/* fault.c - what is wrong with a source, and where. */
#include "common/cel/ast.h"

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
