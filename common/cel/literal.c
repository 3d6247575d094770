/* SPDX-License-Identifier: Apache-2.0 */
/* literal.c - what the text of a literal means. */
#include "common/cel/syntax.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A string or bytes literal that is being read, without its quotes. */
struct text {
	const char *at, *end;
	struct buffer out;
	bool bytes;
	const char *wrong; /* what is wrong, or NULL */
};

static int
hex_value(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	if (digit >= 'a' && digit <= 'f')
		return digit - 'a' + 10;
	return digit >= 'A' && digit <= 'F' ? digit - 'A' + 10 : -1;
}

static bool
number_of(const char *text, uint32_t length, unsigned base, uint64_t *number)
{
	*number = 0;
	for (uint32_t i = 0; i < length; i++)
		if (__builtin_mul_overflow(*number, (uint64_t)base, number)
		    || __builtin_add_overflow(*number, (uint64_t)hex_value(text[i]), number))
			return false;
	return true;
}

/* Digits, decimal or after 0x, and perhaps a u. */
static bool
read_natural(const struct parser *parser, const struct token *token, uint64_t *number)
{
	const char *text = parser->source + token->start;
	uint32_t length = token->end - token->start - (token->kind == TOKEN_UINT);
	bool hex = length > 2 && text[0] == '0' && text[1] == 'x';

	return hex ? number_of(text + 2, length - 2, 16, number) : number_of(text, length, 10, number);
}

static bool
read_integer(const struct parser *parser, const struct token *token, bool negative, struct cel_value *value)
{
	uint64_t number;

	if (!read_natural(parser, token, &number) || number > (uint64_t)INT64_MAX + negative)
		return false;
	*value = cel_int(negative ? (int64_t)(0 - number) : (int64_t)number);
	return true;
}

static bool
read_double(const struct parser *parser, const struct token *token, bool negative, struct cel_value *value)
{
	const char *text = arena_copy(parser->arena, parser->source + token->start, token->end - token->start);
	double real = strtod(text, NULL);

	*value = cel_double(negative ? -real : real);
	return !isinf(real);
}

static void
add_code_point(struct text *text, uint32_t point)
{
	char bytes[4];
	size_t length = 0;

	if (point >= 0xd800 && point <= 0xdfff) {
		text->wrong = "is half of a surrogate pair, no character";
		return;
	}
	if (point > 0x10ffff) {
		text->wrong = "is no character: the last is 10ffff";
		return;
	}
	if (point < 0x80) {
		bytes[length++] = (char)point;
	} else if (point < 0x800) {
		bytes[length++] = (char)(0xc0 | point >> 6);
		bytes[length++] = (char)(0x80 | (point & 0x3f));
	} else {
		if (point < 0x10000) {
			bytes[length++] = (char)(0xe0 | point >> 12);
		} else {
			bytes[length++] = (char)(0xf0 | point >> 18);
			bytes[length++] = (char)(0x80 | (point >> 12 & 0x3f));
		}
		bytes[length++] = (char)(0x80 | (point >> 6 & 0x3f));
		bytes[length++] = (char)(0x80 | (point & 0x3f));
	}
	buffer_add(&text->out, bytes, length);
}

/* So many digits of a number in this base, all of which must be there. */
static bool
read_digits(struct text *text, int count, int base, uint32_t *number)
{
	*number = 0;
	for (int i = 0; i < count; i++) {
		int digit = text->at < text->end ? hex_value(*text->at) : -1;

		if (digit < 0 || digit >= base)
			return false;
		*number = *number * (uint32_t)base + (uint32_t)digit;
		text->at++;
	}
	return true;
}

/* Numbers up to 255 are bytes in a bytes literal, and characters in a string. */
static void
read_numbered(struct text *text, char letter)
{
	bool wide = letter == 'u' || letter == 'U';
	int digits = letter == 'U' ? 8 : letter == 'u' ? 4 : letter == 'x' || letter == 'X' ? 2 : 3;
	uint32_t number;

	if (digits == 3)
		text->at--;
	if (wide && text->bytes)
		text->wrong = "stands for a character, which bytes literals have none of";
	else if (!read_digits(text, digits, digits == 3 ? 8 : 16, &number))
		text->wrong = digits == 3   ? "needs three octal digits"
			      : digits == 2 ? "needs two hexadecimal digits"
			      : digits == 4 ? "needs four hexadecimal digits"
					    : "needs eight hexadecimal digits";
	else if (text->bytes)
		buffer_add_byte(&text->out, (char)number);
	else
		add_code_point(text, number);
}

static void
read_escape(struct text *text)
{
	static const char letters[] = "abfnrtv\\'\"`?", meanings[] = "\a\b\f\n\r\t\v\\'\"`?";
	char letter = text->at < text->end ? *text->at++ : '\0';
	const char *plain = letter ? strchr(letters, letter) : NULL;

	if (plain)
		buffer_add_byte(&text->out, meanings[plain - letters]);
	else if (letter && strchr("xXuU0123", letter))
		read_numbered(text, letter);
	else
		text->wrong = "is no escape";
}

/* Line ends of all systems mean the same. */
static void
read_plain(struct text *text)
{
	char byte = *text->at++;

	if (byte == '\r') {
		byte = '\n';
		if (text->at < text->end && *text->at == '\n')
			text->at++;
	}
	buffer_add_byte(&text->out, byte);
}

static bool
read_text(struct parser *parser, const struct token *token, struct cel_value *value)
{
	const char *start = parser->source + token->start;
	struct text text = {.end = parser->source + token->end, .out = {.arena = parser->arena}};
	bool raw = false;

	for (; *start != '\'' && *start != '"'; start++)
		raw = raw || *start == 'r' || *start == 'R';
	text.bytes = token->kind == TOKEN_BYTES;
	uint32_t quotes = text.end - start >= 6 && start[1] == *start && start[2] == *start ? 3 : 1;
	text.at = start + quotes;
	text.end -= quotes;
	while (text.at < text.end && !text.wrong) {
		const char *escape = text.at;

		if (raw || *text.at != '\\') {
			read_plain(&text);
			continue;
		}
		text.at++;
		read_escape(&text);
		if (text.wrong) {
			int shown = (int)(text.at - escape);

			/* neither half a character nor a line's end */
			while (shown > 1 && (unsigned char)(escape[shown - 1] - ' ') >= 0x80 - ' ')
				shown--;
			cel_parser_fault(parser, token->position, "in this literal '%.*s' %s", shown, escape,
					 text.wrong);
			return false;
		}
	}
	const char *bytes = text.out.length ? text.out.bytes : ""; /* never NULL */

	*value = text.bytes ? cel_bytes(bytes, text.out.length) : cel_string(bytes, text.out.length);
	return true;
}

bool
cel_literal(struct parser *parser, const struct token *token, bool negative, struct cel_value *value)
{
	switch (token->kind) {
	case TOKEN_TRUE:
	case TOKEN_FALSE:
		*value = cel_bool(token->kind == TOKEN_TRUE);
		return true;
	case TOKEN_NULL:
		*value = cel_null();
		return true;
	case TOKEN_STRING:
	case TOKEN_BYTES:
		return read_text(parser, token, value);
	case TOKEN_INT:
		if (read_integer(parser, token, negative, value))
			return true;
		cel_parser_fault(parser, token->position, "this number is outside int, -2^63 to 2^63-1");
		return false;
	case TOKEN_UINT: {
		uint64_t number = 0;
		bool fits = read_natural(parser, token, &number);

		*value = cel_uint(number);
		if (!fits)
			cel_parser_fault(parser, token->position, "this number is outside uint, 0 to 2^64-1");
		return fits;
	}
	default:
		if (read_double(parser, token, negative, value))
			return true;
		cel_parser_fault(parser, token->position, "this number is too large for double");
		return false;
	}
}
