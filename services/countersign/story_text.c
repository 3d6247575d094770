/* SPDX-License-Identifier: Apache-2.0 */
/* story_text.c - names and quotations within the sentences of a story, and the sentences on the terminal. */
#include "common/visible/visible.h"
#include "services/countersign/story.h"
#include <string.h>

#define WIDTH 110 /* of a line, in characters */
#define INDENT 10 /* of a sentence, behind its time */

/* ------------------------------------------------------------------ parts of sentences */

static bool
is_plain(const char *name)
{
	for (const char *at = name; *at; at++)
		if (!((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9')
		      || strchr("._:@/+-*", *at)))
			return false;
	return *name != '\0';
}

void
story_name(struct buffer *out, const char *name)
{
	if (!name)
		buffer_add_text(out, "somebody");
	else if (is_plain(name))
		buffer_add_text(out, name);
	else
		visible_quote(out, name, strlen(name));
}

void
story_quote(struct buffer *out, const char *text)
{
	if (!text)
		return;
	buffer_add_text(out, ": ");
	visible_quote(out, text, strlen(text));
}

void
story_time(struct buffer *out, const char *at, const char *day)
{
	if (strncmp(at, day, 10) != 0)
		buffer_add_format(out, "%.10s ", at);
	buffer_add_format(out, "%.8s", at + 11);
}

/* ------------------------------------------------------------------ on the terminal */

static size_t
width_of(const char *bytes, size_t length)
{
	size_t width = 0;

	for (size_t i = 0; i < length; i++)
		width += (bytes[i] & 0xc0) != 0x80;
	return width;
}

static void
print_folded(const char *text)
{
	size_t column = INDENT;

	while (*text) {
		size_t length = strcspn(text, " "), width = width_of(text, length);

		if (column > INDENT && column + 1 + width > WIDTH) {
			printf("\n%*s", INDENT, "");
			column = INDENT;
		} else if (column > INDENT) {
			putchar(' ');
			column++;
		}
		fwrite(text, 1, length, stdout);
		column += width;
		text += length + (text[length] == ' ');
	}
	putchar('\n');
}

void
story_print(const struct value *story)
{
	const char *day = "";

	for (size_t i = 0; i < story->as.list.count; i++) {
		const char *at = value_get_string(story->as.list.items[i], "at");

		if (strncmp(at, day, 10) != 0)
			printf("%s%.10s, times in UTC\n", i ? "\n" : "", at);
		day = at;
		printf("%-*.8s", INDENT, at + 11);
		print_folded(value_get_string(story->as.list.items[i], "text"));
	}
}
