/* SPDX-License-Identifier: Apache-2.0 */
/*
 * within.c - the place of one character of a string value, found by walking over text and meaning together: escapes, doubled
 * quotes, folded lines, indentation. Reads the text alone; what it can't follow it says by standing still.
 */
#include "common/document/document.h"

#include <string.h>

struct walk {
	const char *at, *end;
	size_t character; /* of the text, where `at` is */
	uint32_t line, column;
};

static char
peek(const struct walk *walk, size_t ahead)
{
	return (size_t)(walk->end - walk->at) > ahead ? walk->at[ahead] : '\0';
}

static void
step(struct walk *walk)
{
	if (walk->at == walk->end)
		return;
	if (*walk->at == '\n') {
		walk->line++;
		walk->column = 0;
	}
	do
		walk->at++;
	while (walk->at < walk->end && ((unsigned char)*walk->at & 0xc0) == 0x80);
	walk->character++;
	walk->column++;
}

static void
steps(struct walk *walk, size_t count)
{
	while (count-- > 0)
		step(walk);
}

/* From the first character of the text. */
static struct walk
walk_to(struct text text, struct stretch at)
{
	struct walk walk = {.at = text.bytes, .end = text.bytes + text.length, .line = 1, .column = 1};

	while (walk.character < at.start && walk.at < walk.end)
		step(&walk);
	return walk;
}

static bool
is_blank(char letter)
{
	return letter == ' ' || letter == '\t';
}

static void
skip_blanks(struct walk *walk)
{
	while (is_blank(peek(walk, 0)))
		step(walk);
}

/* Behind a line's end: over empty lines and the indentation. Each line feed but the first is one of the value. */
static size_t
skip_break(struct walk *walk)
{
	size_t breaks = 0;

	while (peek(walk, 0) == '\n' || (peek(walk, 0) == '\r' && peek(walk, 1) == '\n')) {
		steps(walk, peek(walk, 0) == '\r' ? 2 : 1);
		skip_blanks(walk);
		breaks++;
	}
	return breaks;
}

/* An escape in double quotes: how many characters of text it takes. A surrogate pair in JSON is one character of the value. */
static size_t
escape_length(const struct walk *walk)
{
	switch (peek(walk, 1)) {
	case 'x':
		return 4;
	case 'u':
		if (strchr("dD", peek(walk, 2)) && strchr("89abAB", peek(walk, 3)) && peek(walk, 6) == '\\')
			return 12;
		return 6;
	case 'U':
		return 10;
	default:
		return 2;
	}
}

/* One character of a value between quotes. */
static void
step_quoted(struct walk *walk, char quote)
{
	if (quote == '"' && peek(walk, 0) == '\\')
		steps(walk, escape_length(walk));
	else if (quote == '\'' && peek(walk, 0) == '\'')
		steps(walk, 2);
	else
		step(walk);
}

/* Blanks and a line's end are one blank of the value, or as many line feeds as there are empty lines. */
static bool
step_fold(struct walk *walk, size_t *character)
{
	struct walk ahead = *walk;

	skip_blanks(&ahead);
	if (peek(&ahead, 0) != '\n' && peek(&ahead, 0) != '\r')
		return false;

	size_t breaks = skip_break(&ahead);

	if (breaks == 0)
		return false;
	breaks = breaks > 1 ? breaks - 1 : 1;
	*character -= *character < breaks ? *character : breaks;
	*walk = ahead;
	return true;
}

static void
walk_flow(struct walk *walk, size_t character)
{
	char quote = peek(walk, 0) == '"' || peek(walk, 0) == '\'' ? peek(walk, 0) : '\0';

	if (quote)
		step(walk);
	while (character > 0 && walk->at < walk->end) {
		if (step_fold(walk, &character))
			continue;
		step_quoted(walk, quote);
		character--;
	}
}

/* A block behind | or >: the header's line, then lines with the indentation of the first that is not empty. */
static void
walk_block(struct walk *walk, size_t character)
{
	size_t indentation = 0;

	while (walk->at < walk->end && *walk->at != '\n')
		step(walk);
	step(walk);

	struct walk first = *walk;

	while (is_blank(peek(&first, 0)) || peek(&first, 0) == '\n' || peek(&first, 0) == '\r') {
		indentation = peek(&first, 0) == '\n' ? 0 : indentation + 1;
		step(&first);
	}
	for (;;) {
		for (size_t i = 0; i < indentation && is_blank(peek(walk, 0)); i++)
			step(walk);
		for (; character > 0 && walk->at < walk->end && *walk->at != '\n'; character--)
			step(walk);
		if (character == 0 || walk->at == walk->end)
			return;
		step(walk);
		character--;
	}
}

struct stretch
document_within(const struct document *document, struct stretch at, size_t character)
{
	if (at.line == 0)
		return at;

	struct walk walk = walk_to(document->source, at);

	if (peek(&walk, 0) == '|' || peek(&walk, 0) == '>')
		walk_block(&walk, character);
	else
		walk_flow(&walk, character);
	if (walk.character >= at.end)
		return at;
	return (struct stretch){.line = walk.line,
				.column = walk.column,
				.start = (uint32_t)walk.character,
				.end = (uint32_t)walk.character + 1};
}
