/* SPDX-License-Identifier: Apache-2.0 */
/* unparse.c - a tree as source again. */
#include "common/cel/syntax.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How tight things hold together; an operand in a place that asks for more gets parentheses. */
enum rank { ANY, OR, AND, RELATION, SUM, PRODUCT, UNARY, MEMBER };

static const struct operator
{
	const char *name, *text;
	enum rank rank;
}
operators[] = {
    {"_?_:_", NULL, ANY},	{"_||_", " || ", OR},	    {"_&&_", " && ", AND},
    {"_<_", " < ", RELATION},	{"_<=_", " <= ", RELATION}, {"_>_", " > ", RELATION},
    {"_>=_", " >= ", RELATION}, {"_==_", " == ", RELATION}, {"_!=_", " != ", RELATION},
    {"@in", " in ", RELATION},	{"_+_", " + ", SUM},	    {"_-_", " - ", SUM},
    {"_*_", " * ", PRODUCT},	{"_/_", " / ", PRODUCT},    {"_%_", " % ", PRODUCT},
    {"!_", "!", UNARY},		{"-_", "-", UNARY},	    {"_[_]", "[", MEMBER},
    {"_[?_]", "[?", MEMBER},	{"_?._", ".?", MEMBER},
};

static void write_node(struct buffer *out, const struct cel_node *node, enum rank place);

static const struct
operator* operator_of(const struct cel_node *node)
{
	if (node->kind != CEL_N_CALL || node->operand)
		return NULL;
	for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
		if (strcmp(operators[i].name, node->name) == 0)
			return &operators[i];
	return NULL;
}

static const struct cel_node *
as_written(const struct cel_node *node)
{
	return node->macro ? node->macro : node;
}

static void
write_character(struct buffer *out, unsigned char byte, bool bytes)
{
	static const char letters[] = "abfnrtv\\'", meanings[] = "\a\b\f\n\r\t\v\\'";
	const char *place = byte ? strchr(meanings, byte) : NULL;

	if (place)
		buffer_add_format(out, "\\%c", letters[place - meanings]);
	else if (byte < ' ' || byte == 0x7f || (bytes && byte >= 0x80))
		buffer_add_format(out, "\\x%02x", byte);
	else
		buffer_add_byte(out, (char)byte);
}

static void
write_text(struct buffer *out, struct cel_value value)
{
	buffer_add_text(out, value.kind == CEL_BYTES ? "b'" : "'");
	for (uint32_t i = 0; i < value.extra; i++)
		write_character(out, (unsigned char)value.as.bytes[i], value.kind == CEL_BYTES);
	buffer_add_byte(out, '\'');
}

/* The fewest digits that read as the same number, with a point or an exponent so that it stays a double. */
static void
write_double(struct buffer *out, double real)
{
	char text[40];

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, real);
		if (strtod(text, NULL) == real)
			break;
	}
	buffer_add_text(out, text);
	if (text[strcspn(text, ".en")] == '\0')
		buffer_add_text(out, ".0");
}

static void
write_literal(struct buffer *out, struct cel_value value)
{
	switch (value.kind) {
	case CEL_BOOL:
		buffer_add_text(out, value.as.boolean ? "true" : "false");
		break;
	case CEL_INT:
		buffer_add_format(out, "%" PRId64, value.as.integer);
		break;
	case CEL_UINT:
		buffer_add_format(out, "%" PRIu64 "u", value.as.natural);
		break;
	case CEL_DOUBLE:
		write_double(out, value.as.real);
		break;
	case CEL_STRING:
	case CEL_BYTES:
		write_text(out, value);
		break;
	default:
		buffer_add_text(out, "null");
	}
}

static void
write_field(struct buffer *out, const char *name, size_t length)
{
	const char *quote = cel_is_identifier(name, length) ? "" : "`";

	buffer_add_text(out, quote);
	buffer_add(out, name, length);
	buffer_add_text(out, quote);
}

static void
write_items(struct buffer *out, const struct cel_node *node)
{
	for (size_t i = 0; i < node->argument_count; i++) {
		buffer_add_text(out, i ? ", " : "");
		buffer_add_text(out, node->optional && node->optional[i] ? "?" : "");
		write_node(out, node->arguments[i], ANY);
	}
}

static void
write_entries(struct buffer *out, const struct cel_node *node)
{
	buffer_add_byte(out, '{');
	for (size_t i = 0; i + 1 < node->argument_count; i += 2) {
		buffer_add_text(out, i ? ", " : "");
		buffer_add_text(out, node->optional && node->optional[i / 2] ? "?" : "");
		write_node(out, node->arguments[i], ANY);
		buffer_add_text(out, ": ");
		write_node(out, node->arguments[i + 1], ANY);
	}
	buffer_add_byte(out, '}');
}

static void
write_struct(struct buffer *out, const struct cel_node *node)
{
	buffer_add_text(out, node->name);
	buffer_add_byte(out, '{');
	for (size_t i = 0; i < node->argument_count; i++) {
		buffer_add_text(out, i ? ", " : "");
		buffer_add_text(out, node->optional && node->optional[i] ? "?" : "");
		write_field(out, node->fields[i], strlen(node->fields[i]));
		buffer_add_text(out, ": ");
		write_node(out, node->arguments[i], ANY);
	}
	buffer_add_byte(out, '}');
}

static bool
is_chain(const struct cel_node *node, const char *name)
{
	return node->kind == CEL_N_CALL && !node->operand && strcmp(node->name, name) == 0;
}

/* How many terms of one chain of && or || make this shape, or 0 when the parser would not have made it of one. */
static size_t
chain_terms(const struct cel_node *node, const char *name)
{
	if (!is_chain(node, name))
		return 1;
	size_t left = chain_terms(node->arguments[0], name), right = chain_terms(node->arguments[1], name);
	return left && right && left == (left + right - 1) / 2 + 1 ? left + right : 0;
}

static void
write_chain(struct buffer *out, const struct cel_node *node, const struct operator* self)
{
	/* a part that is a chain itself and no part of this one gets parentheses */
	enum rank inner = chain_terms(node, self->name) ? self->rank : self->rank + 1;

	write_node(out, node->arguments[0], inner);
	buffer_add_text(out, self->text);
	write_node(out, node->arguments[1], inner);
}

static void
write_conditional(struct buffer *out, const struct cel_node *node)
{
	write_node(out, node->arguments[0], OR);
	buffer_add_text(out, " ? ");
	write_node(out, node->arguments[1], OR);
	buffer_add_text(out, " : ");
	write_node(out, node->arguments[2], ANY);
}

/* A minus before a number would become part of it, and one before another would undo it. */
static void
write_unary(struct buffer *out, const struct cel_node *node, const struct operator* self)
{
	struct buffer operand = {.arena = out->arena};

	write_node(&operand, node->arguments[0], MEMBER);
	bool merges = self->text[0] == '-'
		      && (*operand.bytes == '-' || (*operand.bytes >= '0' && *operand.bytes <= '9'));
	buffer_add_text(out, self->text);
	buffer_add_text(out, merges ? "(" : "");
	buffer_add(out, operand.bytes, operand.length);
	buffer_add_text(out, merges ? ")" : "");
}

static void
write_member(struct buffer *out, const struct cel_node *node, const struct operator* self)
{
	write_node(out, node->arguments[0], MEMBER);
	buffer_add_text(out, self->text);
	if (self->text[0] == '.') {
		write_field(out, node->arguments[1]->value.as.bytes, node->arguments[1]->value.extra);
		return;
	}
	write_node(out, node->arguments[1], ANY);
	buffer_add_byte(out, ']');
}

static void
write_operator(struct buffer *out, const struct cel_node *node, const struct operator* self)
{
	switch (self->rank) {
	case ANY:
		write_conditional(out, node);
		break;
	case OR:
	case AND:
		write_chain(out, node, self);
		break;
	case UNARY:
		write_unary(out, node, self);
		break;
	case MEMBER:
		write_member(out, node, self);
		break;
	default:
		write_node(out, node->arguments[0], self->rank);
		buffer_add_text(out, self->text);
		write_node(out, node->arguments[1], self->rank + 1);
	}
}

static void
write_call(struct buffer *out, const struct cel_node *node)
{
	if (node->operand) {
		write_node(out, node->operand, MEMBER);
		buffer_add_byte(out, '.');
	}
	buffer_add_text(out, node->name);
	buffer_add_byte(out, '(');
	write_items(out, node);
	buffer_add_byte(out, ')');
}

static void
write_select(struct buffer *out, const struct cel_node *node)
{
	buffer_add_text(out, node->test_only ? "has(" : "");
	write_node(out, node->operand, MEMBER);
	buffer_add_byte(out, '.');
	write_field(out, node->name, strlen(node->name));
	buffer_add_text(out, node->test_only ? ")" : "");
}

static void
write_plain(struct buffer *out, const struct cel_node *node)
{
	switch (node->kind) {
	case CEL_N_LITERAL:
		write_literal(out, node->value);
		break;
	case CEL_N_IDENT:
		buffer_add_text(out, node->name);
		break;
	case CEL_N_SELECT:
		write_select(out, node);
		break;
	case CEL_N_LIST:
		buffer_add_byte(out, '[');
		write_items(out, node);
		buffer_add_byte(out, ']');
		break;
	case CEL_N_MAP:
		write_entries(out, node);
		break;
	case CEL_N_STRUCT:
		write_struct(out, node);
		break;
	case CEL_N_CALL:
		write_call(out, node);
		break;
	case CEL_N_COMPREHENSION: /* the parser makes none that was not written as a macro */
		buffer_add_text(out, "...");
	}
}

static void
write_node(struct buffer *out, const struct cel_node *node, enum rank place)
{
	const struct cel_node *written = as_written(node);
	const struct operator* self = operator_of(written);

	if (!self) {
		write_plain(out, written);
		return;
	}
	buffer_add_text(out, self->rank < place ? "(" : "");
	write_operator(out, written, self);
	buffer_add_text(out, self->rank < place ? ")" : "");
}

const char *
cel_unparse(struct arena *arena, const struct cel_node *node)
{
	struct buffer out = {.arena = arena};

	write_node(&out, node, ANY);
	return out.bytes;
}
