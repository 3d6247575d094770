/* SPDX-License-Identifier: Apache-2.0 */
/* lexer.c - the next token of a source. The source is well-formed UTF-8; what a literal means is in literal.c. */
#include "common/cel/syntax.h"

#include <stdio.h>
#include <string.h>

static const struct word {
	const char *text;
	enum token_kind kind;
} words[] = {
    {"true", TOKEN_TRUE},
    {"false", TOKEN_FALSE},
    {"null", TOKEN_NULL},
    {"in", TOKEN_IN},
};

/* Longer ones first. */
static const struct word marks[] = {
    {"==", TOKEN_EQUAL},       {"!=", TOKEN_NOT_EQUAL},	   {"<=", TOKEN_LESS_EQUAL}, {">=", TOKEN_MORE_EQUAL},
    {"&&", TOKEN_AND},	       {"||", TOKEN_OR},	   {"<", TOKEN_LESS},	     {">", TOKEN_MORE},
    {"+", TOKEN_PLUS},	       {"-", TOKEN_MINUS},	   {"*", TOKEN_STAR},	     {"/", TOKEN_SLASH},
    {"%", TOKEN_PERCENT},      {"!", TOKEN_NOT},	   {"?", TOKEN_QUESTION},    {":", TOKEN_COLON},
    {",", TOKEN_COMMA},	       {".", TOKEN_DOT},	   {"(", TOKEN_OPEN_PAREN},  {")", TOKEN_CLOSE_PAREN},
    {"[", TOKEN_OPEN_BRACKET}, {"]", TOKEN_CLOSE_BRACKET}, {"{", TOKEN_OPEN_BRACE},  {"}", TOKEN_CLOSE_BRACE},
};

/* What people write who know other languages: the fault says the right way, and it is read as that. */
static const struct {
	const char *text, *advice;
	enum token_kind kind;
} slips[] = {
    {"&", "'&' is no operator; write '&&'", TOKEN_AND},
    {"|", "'|' is no operator; write '||'", TOKEN_OR},
    {"=", "'=' is no operator; write '=='", TOKEN_EQUAL},
};

static bool
is_digit(int byte)
{
	return byte >= '0' && byte <= '9';
}

static bool
is_hex(int byte)
{
	return is_digit(byte) || (byte >= 'a' && byte <= 'f') || (byte >= 'A' && byte <= 'F');
}

static bool
is_letter(int byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
}

/* The byte so far ahead, or -1 behind the end. */
static int
peek(const struct parser *parser, uint32_t ahead)
{
	return ahead < parser->length - parser->at ? (unsigned char)parser->source[parser->at + ahead] : -1;
}

static void
skip(struct parser *parser, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes; i++)
		parser->position += ((unsigned char)parser->source[parser->at++] & 0xc0) != 0x80;
}

static bool
comes(const struct parser *parser, const char *text)
{
	size_t length = strlen(text);

	return length <= parser->length - parser->at && memcmp(parser->source + parser->at, text, length) == 0;
}

static void
skip_line(struct parser *parser)
{
	while (peek(parser, 0) != -1 && peek(parser, 0) != '\n')
		skip(parser, 1);
}

static bool
is_blank(int byte)
{
	return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n' || byte == '\f';
}

static void
skip_blanks(struct parser *parser)
{
	for (;;) {
		if (is_blank(peek(parser, 0)))
			skip(parser, 1);
		else if (comes(parser, "//"))
			skip_line(parser);
		else
			return;
	}
}

static enum token_kind
complain(struct parser *parser, const char *text)
{
	parser->failed = true;
	if (!parser->stopped)
		cel_fault_add(parser->faults, parser->source, parser->length, CEL_SYNTAX,
			      parser->token.position, "%s", text);
	return TOKEN_BAD;
}

/* How many bytes of a literal's prefix come before a quote: r, b, br, in any case; -1 when it is none. */
static int
prefix_length(const struct parser *parser)
{
	uint32_t length = 0;

	if (peek(parser, length) == 'b' || peek(parser, length) == 'B')
		length++;
	if (peek(parser, length) == 'r' || peek(parser, length) == 'R')
		length++;
	return peek(parser, length) == '"' || peek(parser, length) == '\'' ? (int)length : -1;
}

static bool
ends_line(int byte)
{
	return byte == -1 || byte == '\n' || byte == '\r';
}

static enum token_kind
read_string(struct parser *parser, uint32_t prefix)
{
	int first = peek(parser, 0);
	bool bytes = prefix > 0 && (first == 'b' || first == 'B');
	bool raw = prefix > 0 && (prefix == 2 || !bytes);

	skip(parser, prefix);
	int quote = peek(parser, 0);
	bool triple = peek(parser, 1) == quote && peek(parser, 2) == quote;
	skip(parser, triple ? 3 : 1);
	for (;;) {
		int byte = peek(parser, 0);

		if (triple ? byte == -1 : ends_line(byte))
			return complain(parser, triple ? "this string is not closed: three quotes are missing"
						       : "this string is not closed on its line");
		if (byte == '\\' && !raw && (triple ? peek(parser, 1) != -1 : !ends_line(peek(parser, 1))))
			skip(parser, 2);
		else if (byte != quote)
			skip(parser, 1);
		else if (!triple || (peek(parser, 1) == quote && peek(parser, 2) == quote))
			break;
		else
			skip(parser, 1);
	}
	skip(parser, triple ? 3 : 1);
	return bytes ? TOKEN_BYTES : TOKEN_STRING;
}

static uint32_t
digits(const struct parser *parser, uint32_t from)
{
	while (is_digit(peek(parser, from)))
		from++;
	return from;
}

/* Behind an exponent that starts here, or here when there is none. */
static uint32_t
exponent(const struct parser *parser, uint32_t from)
{
	uint32_t number = from + 1;

	if (peek(parser, from) != 'e' && peek(parser, from) != 'E')
		return from;
	if (peek(parser, number) == '+' || peek(parser, number) == '-')
		number++;
	return is_digit(peek(parser, number)) ? digits(parser, number) : from;
}

static enum token_kind
read_number(struct parser *parser)
{
	bool hex = comes(parser, "0x") && is_hex(peek(parser, 2));
	enum token_kind kind = TOKEN_INT;
	uint32_t end = hex ? 2 : digits(parser, 0);

	while (hex && is_hex(peek(parser, end)))
		end++;
	if (!hex) {
		uint32_t whole = end;

		if (peek(parser, end) == '.' && is_digit(peek(parser, end + 1)))
			end = digits(parser, end + 1);
		end = exponent(parser, end);
		kind = end > whole ? TOKEN_DOUBLE : TOKEN_INT;
	}
	if (kind == TOKEN_INT && (peek(parser, end) == 'u' || peek(parser, end) == 'U')) {
		kind = TOKEN_UINT;
		end++;
	}
	skip(parser, end);
	return kind;
}

static enum token_kind
read_word(struct parser *parser)
{
	uint32_t length = 0;

	while (is_letter(peek(parser, length)) || is_digit(peek(parser, length)))
		length++;
	const char *text = parser->source + parser->at;
	skip(parser, length);
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (strlen(words[i].text) == length && memcmp(words[i].text, text, length) == 0)
			return words[i].kind;
	return TOKEN_IDENT;
}

static bool
goes_in_backticks(int byte)
{
	return is_letter(byte) || is_digit(byte) || (byte > 0 && strchr("./- ", byte));
}

static enum token_kind
read_quoted(struct parser *parser)
{
	uint32_t length = 1;

	while (goes_in_backticks(peek(parser, length)))
		length++;
	if (peek(parser, length) == '`' && length > 1) {
		skip(parser, length + 1);
		return TOKEN_QUOTED_IDENT;
	}
	skip_line(parser);
	return complain(
	    parser, "a name in backticks has letters, digits, blanks and the marks _ . - / and is closed by "
		    "a backtick");
}

static bool
starts_token(const struct parser *parser)
{
	int byte = peek(parser, 0);

	if (byte == -1 || is_letter(byte) || is_digit(byte) || is_blank(byte))
		return true;
	return byte > 0 && strchr("=!<>&|+-*/%?:,.()[]{}'\"`", byte);
}

static uint32_t
code_point(const struct parser *parser, uint32_t at)
{
	const unsigned char *bytes = (const unsigned char *)parser->source + at;
	uint32_t more = *bytes < 0xc0 ? 0 : *bytes < 0xe0 ? 1 : *bytes < 0xf0 ? 2 : 3;
	uint32_t point = more ? *bytes & (0x3fu >> more) : *bytes;

	for (; more > 0; more--)
		point = point << 6 | (*++bytes & 0x3fu);
	return point;
}

/* One fault for a stretch of characters that belong nowhere; by number, as some look like others or like nothing. */
static enum token_kind
read_strange(struct parser *parser)
{
	uint32_t point = code_point(parser, parser->at);
	char text[64];

	do
		skip(parser, 1);
	while (!starts_token(parser));
	if (point == 0x2018 || point == 0x2019 || point == 0x201c || point == 0x201d)
		return complain(parser, "strings are written in straight quotes, ' or \"");
	if (point > ' ' && point < 0x7f)
		snprintf(text, sizeof text, "'%c' has no place here", (char)point);
	else
		snprintf(text, sizeof text, "the character U+%04X has no place here", (unsigned)point);
	return complain(parser, text);
}

static enum token_kind
read_mark(struct parser *parser)
{
	for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
		if (comes(parser, marks[i].text)) {
			skip(parser, (uint32_t)strlen(marks[i].text));
			return marks[i].kind;
		}
	}
	for (size_t i = 0; i < sizeof slips / sizeof slips[0]; i++) {
		if (comes(parser, slips[i].text)) {
			skip(parser, 1);
			complain(parser, slips[i].advice);
			return slips[i].kind;
		}
	}
	return read_strange(parser);
}

static enum token_kind
read_token(struct parser *parser)
{
	int byte = peek(parser, 0), prefix = prefix_length(parser);

	if (byte == -1)
		return TOKEN_END;
	if (prefix >= 0)
		return read_string(parser, (uint32_t)prefix);
	if (is_digit(byte) || (byte == '.' && is_digit(peek(parser, 1))))
		return read_number(parser);
	if (is_letter(byte))
		return read_word(parser);
	return byte == '`' ? read_quoted(parser) : read_mark(parser);
}

void
cel_parser_advance(struct parser *parser)
{
	parser->previous_end = parser->token.end;
	if (parser->stopped)
		parser->at = parser->length;
	else
		skip_blanks(parser);
	parser->token.start = parser->at;
	parser->token.position = parser->position;
	parser->token.kind = read_token(parser);
	parser->token.end = parser->at;
}

const char *
cel_token_text(const struct parser *parser, const struct token *token)
{
	int length = (int)(token->end - token->start);

	if (token->kind == TOKEN_END)
		return "the end";
	if (token->kind == TOKEN_STRING || token->kind == TOKEN_BYTES)
		return token->kind == TOKEN_STRING ? "a string" : "a bytes literal";
	if (token->kind == TOKEN_BAD)
		return "this";
	return arena_format(parser->arena, "'%.*s%s'", length > 40 ? 40 : length,
			    parser->source + token->start, length > 40 ? "..." : "");
}

bool
cel_is_identifier(const char *text, size_t length)
{
	if (length == 0 || !is_letter((unsigned char)text[0]))
		return false;
	for (size_t i = 0; i < length; i++)
		if (!is_letter((unsigned char)text[i]) && !is_digit((unsigned char)text[i]))
			return false;
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (strlen(words[i].text) == length && memcmp(words[i].text, text, length) == 0)
			return false;
	return true;
}
