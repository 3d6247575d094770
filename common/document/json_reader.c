/* SPDX-License-Identifier: Apache-2.0 */
/* json_reader.c - JSON as people write it, by RFC 8259, with the place of everything. Takes what json_parse takes and nothing else. */
#include "common/document/building.h"

#include <string.h>

struct reader {
	const struct building *building;
	const char *at, *end;
	size_t character; /* how many stand before `at` */
	size_t depth;
};

static bool read_value(struct reader *reader, struct node *node);

static char
peek(const struct reader *reader)
{
	return reader->at < reader->end ? *reader->at : '\0';
}

static void
step(struct reader *reader)
{
	do
		reader->at++;
	while (reader->at < reader->end && ((unsigned char)*reader->at & 0xc0) == 0x80);
	reader->character++;
}

static struct stretch
here(const struct reader *reader)
{
	return building_stretch(reader->building, reader->character,
				reader->character + (reader->at < reader->end));
}

static struct stretch
since(const struct reader *reader, size_t start)
{
	return building_stretch(reader->building, start, reader->character);
}

static void
skip_blanks(struct reader *reader)
{
	while (reader->at < reader->end && strchr(" \t\r\n", *reader->at))
		step(reader);
}

static bool
expected(const struct reader *reader, const char *what)
{
	if (reader->at == reader->end)
		return building_refuse(reader->building, here(reader), "syntax",
				       "the text ends where there must be %s", what);
	if (*reader->at == '#' || *reader->at == '/')
		return building_refuse(reader->building, here(reader), "syntax",
				       "JSON has no comments; YAML has");
	if (*reader->at == '\'')
		return building_refuse(reader->building, here(reader), "syntax",
				       "JSON quotes with \", not with '");
	return building_refuse(reader->building, here(reader), "syntax", "expected %s", what);
}

/* Strings. */

static int
hex_digit(char letter)
{
	static const char digits[] = "0123456789abcdef0123456789ABCDEF";
	const char *found = letter ? strchr(digits, letter) : NULL;

	return found ? (int)((found - digits) % 16) : -1;
}

/* Behind \u. */
static bool
read_unit(struct reader *reader, uint32_t *unit)
{
	*unit = 0;
	for (int i = 0; i < 4; i++) {
		int digit = hex_digit(peek(reader));

		if (digit < 0)
			return expected(reader, "four hexadecimal digits behind \\u");
		*unit = *unit * 16 + (uint32_t)digit;
		step(reader);
	}
	return true;
}

static void
add_point(struct buffer *text, uint32_t point)
{
	if (point < 0x80) {
		buffer_add_byte(text, (char)point);
	} else if (point < 0x800) {
		buffer_add_byte(text, (char)(0xc0 | point >> 6));
		buffer_add_byte(text, (char)(0x80 | (point & 0x3f)));
	} else if (point < 0x10000) {
		buffer_add_byte(text, (char)(0xe0 | point >> 12));
		buffer_add_byte(text, (char)(0x80 | (point >> 6 & 0x3f)));
		buffer_add_byte(text, (char)(0x80 | (point & 0x3f)));
	} else {
		buffer_add_byte(text, (char)(0xf0 | point >> 18));
		buffer_add_byte(text, (char)(0x80 | (point >> 12 & 0x3f)));
		buffer_add_byte(text, (char)(0x80 | (point >> 6 & 0x3f)));
		buffer_add_byte(text, (char)(0x80 | (point & 0x3f)));
	}
}

static bool
read_unicode(struct reader *reader, size_t start, struct buffer *text)
{
	uint32_t point, low;

	if (!read_unit(reader, &point))
		return false;
	if (point == 0)
		return building_refuse(reader->building, since(reader, start), "encoding", "a zero character");
	if (point >= 0xd800 && point < 0xdc00 && reader->end - reader->at >= 6 && reader->at[0] == '\\'
	    && reader->at[1] == 'u') {
		step(reader);
		step(reader);
		if (!read_unit(reader, &low))
			return false;
		if (low >= 0xdc00 && low < 0xe000)
			point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
	}
	if (point >= 0xd800 && point < 0xe000)
		return building_refuse(reader->building, since(reader, start), "encoding",
				       "half a surrogate pair");
	add_point(text, point);
	return true;
}

static bool
read_escape(struct reader *reader, struct buffer *text)
{
	static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
	size_t start = reader->character;

	step(reader);

	char letter = peek(reader);
	const char *found = letter ? strchr(letters, letter) : NULL;

	if (found) {
		buffer_add_byte(text, meanings[found - letters]);
		step(reader);
		return true;
	}
	if (letter != 'u')
		return building_refuse(
		    reader->building, since(reader, start), "syntax",
		    "behind \\ stands one of \" \\ / b f n r t u; a backslash itself is \\\\");
	step(reader);
	return read_unicode(reader, start, text);
}

static bool
read_string(struct reader *reader, struct text *string, struct stretch *at)
{
	struct buffer text = {.arena = reader->building->arena};
	size_t start = reader->character;

	buffer_add_text(&text, "");
	step(reader);
	while (peek(reader) != '"') {
		if (reader->at == reader->end)
			return building_refuse(reader->building,
					       building_stretch(reader->building, start, start + 1), "syntax",
					       "the text ends inside this string");
		if ((unsigned char)*reader->at < 0x20)
			return building_refuse(
			    reader->building,
			    *reader->at == '\n' ? building_stretch(reader->building, start, start + 1)
						: here(reader),
			    "syntax",
			    *reader->at == '\n' ? "this string does not end in its line"
						: "a control character: write it as an escape");
		if (*reader->at == '\\') {
			if (!read_escape(reader, &text))
				return false;
			continue;
		}

		const char *from = reader->at;

		step(reader);
		buffer_add(&text, from, (size_t)(reader->at - from));
	}
	step(reader);
	*at = since(reader, start);
	*string = (struct text){text.bytes, text.length};
	return true;
}

/* Numbers and words. */

static bool
is_digit(char letter)
{
	return letter >= '0' && letter <= '9';
}

static bool
is_letter(char letter)
{
	return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
}

static bool
skip_digits(struct reader *reader, const char *what)
{
	if (!is_digit(peek(reader)))
		return expected(reader, what);
	while (is_digit(peek(reader)))
		step(reader);
	return true;
}

static bool
skip_number(struct reader *reader)
{
	if (peek(reader) == '-')
		step(reader);
	if (peek(reader) == '0') {
		step(reader);
		if (is_digit(peek(reader)))
			return expected(reader, "no digit: a number does not begin with 0");
	} else if (!skip_digits(reader, "a digit")) {
		return false;
	}
	if (peek(reader) == '.') {
		step(reader);
		if (!skip_digits(reader, "a digit behind the point"))
			return false;
	}
	if (peek(reader) == 'e' || peek(reader) == 'E') {
		step(reader);
		if (peek(reader) == '+' || peek(reader) == '-')
			step(reader);
		if (!skip_digits(reader, "a digit of the exponent"))
			return false;
	}
	return true;
}

static bool
read_number(struct reader *reader, struct node *node)
{
	const char *from = reader->at;
	size_t start = reader->character;

	if (!skip_number(reader))
		return false;
	node->spot.value = since(reader, start);
	node->value = building_number(reader->building, node->spot.value,
				      (struct text){from, (size_t)(reader->at - from)});
	return node->value;
}

static bool
read_word(struct reader *reader, struct node *node)
{
	static const char *const words[] = {"true", "false", "null", NULL};
	const char *from = reader->at;
	size_t start = reader->character, length;

	while (reader->at < reader->end
	       && (is_digit(*reader->at) || strchr("_.-+", *reader->at) || is_letter(*reader->at)
		   || (unsigned char)*reader->at >= 0x80))
		step(reader);
	length = (size_t)(reader->at - from);
	node->spot.value = since(reader, start);
	for (size_t i = 0; words[i]; i++)
		if (strlen(words[i]) == length && memcmp(words[i], from, length) == 0) {
			node->value = i == 2 ? value_null(reader->building->arena)
					     : value_bool(reader->building->arena, i == 0);
			return true;
		}
	if (length == 0)
		return expected(reader, "a value");

	const char *nearest = finding_nearest(arena_copy(reader->building->arena, from, length), words);

	if (nearest)
		return building_refuse(reader->building, node->spot.value, "syntax",
				       "is no value: did you mean %s?", nearest);
	return building_refuse(reader->building, node->spot.value, "syntax",
			       "is no value: a text stands in double quotes");
}

/* Lists and maps. */

static bool
read_name(struct reader *reader, struct text *name, struct stretch *at)
{
	if (peek(reader) != '"')
		return expected(reader, "a name in double quotes");
	if (!read_string(reader, name, at))
		return false;
	skip_blanks(reader);
	if (peek(reader) != ':')
		return expected(reader, "a colon between name and value");
	step(reader);
	skip_blanks(reader);
	return true;
}

static bool
read_member(struct reader *reader, struct container *container)
{
	struct node node = {0};
	struct text name = {"", 0};
	struct stretch at = {0};

	return (!container->is_map || read_name(reader, &name, &at)) && read_value(reader, &node)
	       && building_add(reader->building, container, name, at, node);
}

/* Behind a member: is there another? */
static bool
read_comma(struct reader *reader, const struct container *container, char end, bool *more)
{
	skip_blanks(reader);
	*more = peek(reader) == ',';
	if (peek(reader) == end)
		return true;
	if (!*more)
		return expected(reader, container->is_map ? "a comma or }" : "a comma or ]");

	struct stretch comma = here(reader);

	step(reader);
	skip_blanks(reader);
	if (peek(reader) == end)
		return building_refuse(reader->building, comma, "syntax",
				       "a comma with nothing behind it: take it away");
	return true;
}

static bool
read_container(struct reader *reader, struct node *node)
{
	struct container container = {.is_map = *reader->at == '{', .at = here(reader)};
	char end = container.is_map ? '}' : ']';
	bool more;

	if (reader->depth == reader->building->limits->depth)
		return building_refuse(reader->building, container.at, "too_deep",
				       "nested deeper than %zu levels", reader->depth);
	reader->depth++;
	step(reader);
	skip_blanks(reader);
	more = peek(reader) != end;
	while (more)
		if (!read_member(reader, &container) || !read_comma(reader, &container, end, &more))
			return false;
	step(reader);
	reader->depth--;
	return building_close(reader->building, &container, node);
}

static bool
read_value(struct reader *reader, struct node *node)
{
	struct text string;

	switch (peek(reader)) {
	case '{':
	case '[':
		return read_container(reader, node);
	case '"':
		if (!read_string(reader, &string, &node->spot.value))
			return false;
		node->value = building_string(reader->building, node->spot.value, string);
		return node->value;
	default:
		break;
	}
	return peek(reader) == '-' || is_digit(peek(reader)) ? read_number(reader, node)
							     : read_word(reader, node);
}

bool
building_read_json(const struct building *building, struct node *root)
{
	struct reader reader = {.building = building,
				.at = building->source.bytes,
				.end = building->source.bytes + building->source.length};

	skip_blanks(&reader);
	if (reader.at == reader.end)
		return building_refuse(building, here(&reader), "empty", "there is nothing in it");
	if (!read_value(&reader, root))
		return false;
	skip_blanks(&reader);
	return reader.at == reader.end || expected(&reader, "nothing more: the document ended before this");
}
