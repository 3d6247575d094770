/* SPDX-License-Identifier: Apache-2.0 */
/* member.c - the grammar of operands: names, literals, parentheses, and what can follow them: selections, calls, indices. */
#include "common/cel/grammar.h"

#include <string.h>

static const char *const reserved[] = {
    "as",  "break", "const",   "continue",  "else",   "for", "function", "if",	  "import",
    "let", "loop",  "package", "namespace", "return", "var", "void",	 "while",
};

static bool
is_reserved(const char *name)
{
	for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
		if (strcmp(reserved[i], name) == 0)
			return true;
	return false;
}

char *
cel_token_name(const struct parser *parser, const struct token *token)
{
	uint32_t quote = token->kind == TOKEN_QUOTED_IDENT;

	return arena_copy(parser->arena, parser->source + token->start + quote,
			  token->end - token->start - 2 * quote);
}

struct cel_node *
cel_parser_missing(struct parser *parser, const char *expected)
{
	bool known = parser->token.kind == TOKEN_BAD;

	if (!known)
		cel_parser_fault(parser, parser->token.position, "%s is expected here, not %s", expected,
				 cel_token_text(parser, &parser->token));
	struct cel_node *bad = cel_parser_bad(parser);
	if (known)
		cel_parser_advance(parser);
	cel_parser_recover(parser, false);
	return bad;
}

void
cel_parser_close(struct parser *parser, enum token_kind closing, const struct token *open)
{
	if (parser->token.kind != closing) {
		cel_parser_fault(parser, parser->token.position,
				 "%s cannot follow here; the '%c' at character %u is not closed",
				 cel_token_text(parser, &parser->token), parser->source[open->start],
				 open->position + 1);
		cel_parser_recover(parser, true);
	}
	if (parser->token.kind == closing)
		cel_parser_take(parser);
}

struct syntax *
cel_parser_spanning(struct parser *parser, enum cel_node_kind kind, const struct token *first)
{
	struct syntax *node = cel_parser_node(parser, kind, first->position);

	node->node.start = node->outer_start = first->start;
	node->node.end = node->outer_end = parser->previous_end;
	return node;
}

bool
cel_parser_optional(struct parser *parser, uint32_t position)
{
	if (parser->token.kind != TOKEN_QUESTION)
		return false;
	if (parser->flags & CEL_WITHOUT_OPTIONALS)
		cel_parser_fault(parser, position, "optional values ('?') cannot be used here");
	cel_parser_take(parser);
	return true;
}

static void
parse_arguments(struct parser *parser, struct nodes *arguments)
{
	struct token open = parser->token;

	cel_parser_take(parser);
	if (parser->token.kind != TOKEN_CLOSE_PAREN) {
		cel_nodes_add(parser, arguments, cel_parser_expression(parser), false);
		while (parser->token.kind == TOKEN_COMMA) {
			cel_parser_take(parser);
			cel_nodes_add(parser, arguments, cel_parser_expression(parser), false);
		}
	}
	cel_parser_close(parser, TOKEN_CLOSE_PAREN, &open);
}

/* An identifier's or selections' dotted name. */
static const char *
dotted_name(struct parser *parser, const struct cel_node *node)
{
	if (node->kind == CEL_N_IDENT)
		return node->name;
	return arena_format(parser->arena, "%s.%s", dotted_name(parser, node->operand), node->name);
}

static struct cel_node *
expand(struct parser *parser, struct cel_node *call)
{
	return parser->flags & CEL_WITHOUT_MACROS ? call : cel_macro(parser, call);
}

static struct cel_node *
parse_name(struct parser *parser)
{
	struct token first = parser->token;
	bool rooted = first.kind == TOKEN_DOT;

	if (rooted)
		cel_parser_take(parser);
	if (parser->token.kind != TOKEN_IDENT)
		return cel_parser_missing(parser, "a name");
	struct token ident = parser->token;
	char *name = cel_token_name(parser, &ident);
	bool usable = !is_reserved(name);
	if (!usable)
		cel_parser_fault(parser, ident.position, "'%s' is a reserved word; it cannot be a name", name);
	if (rooted)
		name = arena_format(parser->arena, ".%s", name);
	cel_parser_take(parser);
	if (parser->token.kind == TOKEN_OPEN_PAREN) {
		struct nodes arguments = {0};
		uint32_t position = parser->token.position;

		parse_arguments(parser, &arguments);
		struct cel_node *call = cel_parser_call(parser, name, position, &arguments);
		call->start = ((struct syntax *)call)->outer_start = first.start;
		return expand(parser, call);
	}
	struct syntax *node = cel_parser_spanning(parser, CEL_N_IDENT, &first);
	node->node.position = ident.position;
	node->node.name = name;
	node->bad = !usable;
	return &node->node;
}

static struct cel_node *
parse_parentheses(struct parser *parser)
{
	struct token open = parser->token;

	cel_parser_take(parser);
	struct cel_node *node = cel_parser_expression(parser);
	cel_parser_close(parser, TOKEN_CLOSE_PAREN, &open);
	((struct syntax *)node)->outer_start = open.start;
	((struct syntax *)node)->outer_end = parser->previous_end;
	return node;
}

/* A literal that begins with this token, which is the current one or a minus before it. */
static struct cel_node *
parse_literal(struct parser *parser, const struct token *first)
{
	struct token token = parser->token;
	struct cel_value value = cel_null();

	token.position = first->position;
	bool fine = cel_literal(parser, &token, first->kind == TOKEN_MINUS, &value);
	cel_parser_take(parser);
	struct syntax *node = cel_parser_spanning(parser, CEL_N_LITERAL, first);
	node->node.value = value;
	node->bad = !fine;
	return &node->node;
}

static bool
at_number(const struct parser *parser)
{
	return parser->token.kind == TOKEN_INT || parser->token.kind == TOKEN_DOUBLE;
}

static struct cel_node *
parse_primary(struct parser *parser)
{
	struct token first = parser->token;

	switch (first.kind) {
	case TOKEN_IDENT:
	case TOKEN_DOT:
		return parse_name(parser);
	case TOKEN_OPEN_PAREN:
		return parse_parentheses(parser);
	case TOKEN_OPEN_BRACKET:
		return cel_parser_list(parser);
	case TOKEN_OPEN_BRACE:
		return cel_parser_map(parser);
	case TOKEN_INT:
	case TOKEN_UINT:
	case TOKEN_DOUBLE:
	case TOKEN_STRING:
	case TOKEN_BYTES:
	case TOKEN_TRUE:
	case TOKEN_FALSE:
	case TOKEN_NULL:
		return parse_literal(parser, &first);
	case TOKEN_MINUS: /* after a !, which takes operands only */
		cel_parser_take(parser);
		return at_number(parser) ? parse_literal(parser, &first)
					 : cel_parser_missing(parser, "a number");
	default:
		return cel_parser_missing(parser, "an expression");
	}
}

static struct cel_node *
make_optional_select(struct parser *parser, struct cel_node *operand, const struct token *name,
		     uint32_t position)
{
	struct nodes arguments = {0};
	struct syntax *field = cel_parser_spanning(parser, CEL_N_LITERAL, name);
	const char *text = cel_token_name(parser, name);

	field->node.value = cel_string(text, strlen(text));
	cel_nodes_add(parser, &arguments, operand, false);
	cel_nodes_add(parser, &arguments, &field->node, false);
	return cel_parser_call(parser, "_?._", position, &arguments);
}

static struct cel_node *
parse_method(struct parser *parser, struct cel_node *operand, const char *name)
{
	struct nodes arguments = {0};
	uint32_t position = parser->token.position;

	parse_arguments(parser, &arguments);
	struct syntax *call = cel_parser_node(parser, CEL_N_CALL, position);
	call->node.name = name;
	call->node.operand = operand;
	call->node.arguments = arguments.items;
	call->node.argument_count = arguments.count;
	call->node.start = call->outer_start = cel_syntax(operand)->outer_start;
	call->node.end = call->outer_end = parser->previous_end;
	return expand(parser, cel_parser_seal(parser, call));
}

/* What follows a dot. `plain` is true as long as the chain could be the name of a type. */
static struct cel_node *
parse_select(struct parser *parser, struct cel_node *operand, bool *plain)
{
	struct token dot = parser->token;

	cel_parser_take(parser);
	bool optional = cel_parser_optional(parser, dot.position);
	struct token name = parser->token;
	if (name.kind >= TOKEN_TRUE && name.kind <= TOKEN_IN)
		return cel_parser_missing(parser,
					  "the name of a field (words like true and in need backticks)");
	if (name.kind != TOKEN_IDENT && name.kind != TOKEN_QUOTED_IDENT)
		return cel_parser_missing(parser, "the name of a field");
	cel_parser_take(parser);
	*plain = *plain && !optional && name.kind == TOKEN_IDENT;
	if (optional)
		return make_optional_select(parser, operand, &name, dot.position);
	if (parser->token.kind == TOKEN_OPEN_PAREN && name.kind == TOKEN_IDENT) {
		*plain = false;
		return parse_method(parser, operand, cel_token_name(parser, &name));
	}
	struct syntax *select = cel_parser_spanning(parser, CEL_N_SELECT, &dot);
	select->node.start = select->outer_start = cel_syntax(operand)->outer_start;
	select->node.operand = operand;
	select->node.name = cel_token_name(parser, &name);
	return cel_parser_seal(parser, select);
}

static struct cel_node *
parse_index(struct parser *parser, struct cel_node *operand)
{
	struct token open = parser->token;
	struct nodes arguments = {0};

	cel_parser_take(parser);
	bool optional = cel_parser_optional(parser, open.position);
	cel_nodes_add(parser, &arguments, operand, false);
	cel_nodes_add(parser, &arguments, cel_parser_expression(parser), false);
	cel_parser_close(parser, TOKEN_CLOSE_BRACKET, &open);
	return cel_parser_call(parser, optional ? "_[?_]" : "_[_]", open.position, &arguments);
}

static struct cel_node *
parse_behind(struct parser *parser, struct cel_node *node, bool plain)
{
	for (;;) {
		if (parser->token.kind == TOKEN_DOT) {
			node = parse_select(parser, node, &plain);
		} else if (parser->token.kind == TOKEN_OPEN_BRACKET) {
			plain = false;
			node = parse_index(parser, node);
		} else if (parser->token.kind == TOKEN_OPEN_BRACE && plain) {
			plain = false;
			node = cel_parser_struct(parser, dotted_name(parser, node),
						 cel_syntax(node)->outer_start);
		} else {
			return node;
		}
	}
}

static struct cel_node *
parse_member(struct parser *parser)
{
	bool parenthesised = parser->token.kind == TOKEN_OPEN_PAREN;
	struct cel_node *node = parse_primary(parser);

	return parse_behind(parser, node, !parenthesised && node->kind == CEL_N_IDENT);
}

struct cel_node *
cel_parser_unary(struct parser *parser)
{
	struct token first = parser->token;
	uint32_t count = 0;

	if (first.kind != TOKEN_NOT && first.kind != TOKEN_MINUS)
		return parse_member(parser);
	for (; parser->token.kind == first.kind; count++)
		cel_parser_take(parser);
	if (count == 1 && first.kind == TOKEN_MINUS && at_number(parser))
		return parse_behind(parser, parse_literal(parser, &first), false);
	struct cel_node *operand = parse_member(parser);
	((struct syntax *)operand)->outer_start = first.start;
	if (count % 2 == 0)
		return operand; /* the operators undo each other */
	struct nodes arguments = {0};
	cel_nodes_add(parser, &arguments, operand, false);
	return cel_parser_call(parser, first.kind == TOKEN_NOT ? "!_" : "-_", first.position, &arguments);
}
