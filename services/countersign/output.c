/* SPDX-License-Identifier: Apache-2.0 */
/* output.c - tables for people, JSON for programs; foreign text is never let loose on a terminal. */
#include "common/canonical/canonical.h"
#include "services/countersign/cli.h"
#include <inttypes.h>
#include <string.h>

/* Length of the UTF-8 sequence at text, its code point in *code; 1 and U+FFFD for what is ill-formed. */
static size_t
decode(const char *text, uint32_t *code)
{
	const unsigned char *bytes = (const unsigned char *)text;
	size_t length = bytes[0] < 0x80	   ? 1
			: bytes[0] >= 0xf0 ? 4
			: bytes[0] >= 0xe0 ? 3
			: bytes[0] >= 0xc2 ? 2
					   : 0;
	static const unsigned char masks[] = {0, 0x7f, 0x1f, 0x0f, 0x07};

	*code = 0xfffd;
	for (size_t i = 1; i < length; i++)
		if ((bytes[i] & 0xc0) != 0x80)
			return 1;
	if (!length)
		return 1;
	*code = bytes[0] & masks[length];
	for (size_t i = 1; i < length; i++)
		*code = *code << 6 | (bytes[i] & 0x3fu);
	return length;
}

/* Control, soft hyphen, zero-width, bidi and tag characters: what would hide or reorder text. */
static bool
hidden(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xad || code == 0x061c
	       || code == 0x180e || (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e)
	       || (code >= 0x2060 && code <= 0x206f) || code == 0xfeff || (code >= 0xfff9 && code <= 0xfffd)
	       || (code >= 0xe0000 && code <= 0xe0fff);
}

void
cli_print_text(const char *text, FILE *out)
{
	while (*text) {
		uint32_t code;
		size_t length = decode(text, &code);
		if (hidden(code))
			fprintf(out, "\\u{%" PRIx32 "}", code);
		else
			fwrite(text, 1, length, out);
		text += length;
	}
}

static const char *
cell(const struct cli *cli, const struct value *value)
{
	struct buffer buffer = {.arena = cli->arena};
	struct error error = {0};

	if (!value || value->kind == VALUE_NULL)
		return "-";
	if (value->kind == VALUE_STRING)
		return value->as.string.length ? value->as.string.bytes : "-";
	if (value->kind == VALUE_LIST) {
		for (size_t i = 0; i < value->as.list.count; i++) {
			buffer_add_text(&buffer, i ? ", " : "");
			buffer_add_text(&buffer, cell(cli, value->as.list.items[i]));
		}
		return buffer.length ? buffer.bytes : "-";
	}
	return canonical_format(&buffer, value, &error) ? buffer.bytes : "?";
}

/* The cell as it will stand on the terminal, and its width in characters there. */
static const char *
visible(const struct cli *cli, const struct value *value, size_t *width)
{
	struct buffer buffer = {.arena = cli->arena};
	*width = 0;
	for (const char *text = cell(cli, value); *text;) {
		uint32_t code;
		size_t length = decode(text, &code), before = buffer.length;
		if (hidden(code)) {
			buffer_add_format(&buffer, "\\u{%" PRIx32 "}", code);
			*width += buffer.length - before;
		} else {
			buffer_add(&buffer, text, length);
			*width += 1;
		}
		text += length;
	}
	return buffer.length ? buffer.bytes : "";
}

static void
print_json(const struct cli *cli, const struct value *value)
{
	struct buffer buffer = {.arena = cli->arena};
	struct error error = {0};
	if (canonical_format(&buffer, value, &error))
		puts(buffer.bytes);
	else
		cli_fail(&error);
}

static void
pad(size_t width, size_t wanted)
{
	for (; width < wanted; width++)
		putchar(' ');
}

static void
print_heading(const char *const *columns, const size_t *widths)
{
	for (size_t c = 0; columns[c]; c++) {
		for (const char *at = columns[c]; *at; at++)
			putchar(*at == '_' ? ' ' : *at >= 'a' && *at <= 'z' ? *at - 'a' + 'A' : *at);
		if (columns[c + 1])
			pad(strlen(columns[c]), widths[c] + 2);
	}
	putchar('\n');
}

void
cli_print_list(const struct cli *cli, const struct value *list, const char *const *columns)
{
	size_t widths[16] = {0}, width;

	if (cli->json) {
		print_json(cli, list);
		return;
	}
	for (size_t c = 0; columns[c]; c++) {
		widths[c] = strlen(columns[c]);
		for (size_t i = 0; i < list->as.list.count; i++) {
			visible(cli, value_get(list->as.list.items[i], columns[c]), &width);
			widths[c] = width > widths[c] ? width : widths[c];
		}
	}
	print_heading(columns, widths);
	for (size_t i = 0; i < list->as.list.count; i++) {
		for (size_t c = 0; columns[c]; c++) {
			fputs(visible(cli, value_get(list->as.list.items[i], columns[c]), &width), stdout);
			if (columns[c + 1])
				pad(width, widths[c] + 2);
		}
		putchar('\n');
	}
}

void
cli_print_map(const struct cli *cli, const struct value *map)
{
	size_t width;
	if (cli->json) {
		print_json(cli, map);
		return;
	}
	for (size_t i = 0; i < map->as.map.count; i++) {
		printf("%-18s ", map->as.map.members[i].name.bytes);
		puts(visible(cli, map->as.map.members[i].value, &width));
	}
}
