/* SPDX-License-Identifier: Apache-2.0 */
/* parser.c - the grammar, from the conditional down to the unary operators. What is smaller is in member.c. */
#include "common/cel/syntax.h"
#include "common/cel/grammar.h"

#include <stdio.h>
#include <string.h>

static const struct operator
{
	enum token_kind token;
	const char *name;
	int rank; /* the higher binds the tighter; all of them from left to right */
}
binaries[] = {
    {TOKEN_LESS, "_<_", 1},	   {TOKEN_LESS_EQUAL, "_<=_", 1}, {TOKEN_MORE, "_>_", 1},
    {TOKEN_MORE_EQUAL, "_>=_", 1}, {TOKEN_EQUAL, "_==_", 1},	  {TOKEN_NOT_EQUAL, "_!=_", 1},
    {TOKEN_IN, "@in", 1},	   {TOKEN_PLUS, "_+_", 2},	  {TOKEN_MINUS, "_-_", 2},
    {TOKEN_STAR, "_*_", 3},	   {TOKEN_SLASH, "_/_", 3},	  {TOKEN_PERCENT, "_%_", 3},
};

void
cel_parser_fault(struct parser *parser, uint32_t position, const char *format, ...)
{
	char text[sizeof((struct cel_fault *)0)->text];
	va_list arguments;

	parser->failed = true;
	if (parser->stopped || parser->recovering)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	cel_fault_add(parser->faults, parser->source, parser->length, CEL_SYNTAX, position, "%s", text);
}

void
cel_parser_stop(struct parser *parser, enum cel_code code, uint32_t position, const char *format, ...)
{
	char text[sizeof((struct cel_fault *)0)->text];
	va_list arguments;

	parser->failed = true;
	if (parser->stopped)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	cel_fault_add(parser->faults, parser->source, parser->length, code, position, "%s", text);
	parser->stopped = true;
	cel_parser_advance(parser);
}

void
cel_parser_take(struct parser *parser)
{
	parser->recovering = parser->recovering && parser->token.kind == TOKEN_END;
	cel_parser_advance(parser);
}

static bool
opens(enum token_kind kind)
{
	return kind == TOKEN_OPEN_PAREN || kind == TOKEN_OPEN_BRACKET || kind == TOKEN_OPEN_BRACE;
}

static bool
closes(enum token_kind kind)
{
	return kind == TOKEN_CLOSE_PAREN || kind == TOKEN_CLOSE_BRACKET || kind == TOKEN_CLOSE_BRACE;
}

/* Where an expression that went wrong can be given up and the next one be read. */
static bool
parts(enum token_kind kind)
{
	return kind == TOKEN_AND || kind == TOKEN_OR || kind == TOKEN_COMMA || kind == TOKEN_COLON
	       || kind == TOKEN_QUESTION;
}

void
cel_parser_recover(struct parser *parser, bool to_close)
{
	size_t open = 0;

	parser->recovering = true;
	for (; parser->token.kind != TOKEN_END; cel_parser_advance(parser)) {
		enum token_kind kind = parser->token.kind;

		if (open == 0 && (closes(kind) || (parts(kind) && !to_close)))
			return;
		if (opens(kind))
			open++;
		else if (closes(kind))
			open--;
	}
}

struct cel_node *
cel_parser_call(struct parser *parser, const char *name, uint32_t position, const struct nodes *arguments)
{
	struct syntax *call = cel_parser_node(parser, CEL_N_CALL, position);

	call->node.name = name;
	call->node.arguments = arguments->items;
	call->node.argument_count = arguments->count;
	if (arguments->count) {
		uint32_t start = cel_syntax(arguments->items[0])->outer_start;

		call->node.start = call->outer_start = start < call->node.start ? start : call->node.start;
	}
	call->node.end = call->outer_end = parser->previous_end;
	return cel_parser_seal(parser, call);
}

/* Over two that were read one after the other. */
static struct cel_node *
make_binary(struct parser *parser, const char *name, uint32_t position,
	    const struct cel_node *const operands[2])
{
	struct nodes both = {0};

	cel_nodes_add(parser, &both, operands[0], false);
	cel_nodes_add(parser, &both, operands[1], false);
	struct cel_node *call = cel_parser_call(parser, name, position, &both);
	struct syntax *syntax = (struct syntax *)call;
	call->end = syntax->outer_end = cel_syntax(operands[1])->outer_end;
	return call;
}

/* An operator that is followed by what cannot follow an operand is the commonest slip: one fault, then on with the next part. */
static struct cel_node *
parse_operand(struct parser *parser)
{
	struct cel_node *node = cel_parser_unary(parser);
	enum token_kind kind = parser->token.kind;

	if (kind == TOKEN_END || closes(kind) || parts(kind) || (kind >= TOKEN_IN && kind <= TOKEN_PERCENT))
		return node;
	if (kind != TOKEN_BAD)
		cel_parser_fault(parser, parser->token.position,
				 "%s cannot follow here; an operator is missing",
				 cel_token_text(parser, &parser->token));
	cel_parser_recover(parser, false);
	return node;
}

static const struct
operator* find_binary(const struct parser *parser, int rank)
{
	for (size_t i = 0; i < sizeof binaries / sizeof binaries[0]; i++)
		if (binaries[i].token == parser->token.kind && binaries[i].rank >= rank)
			return &binaries[i];
	return NULL;
}

/* Operators that bind at least so tightly. */
static struct cel_node *
parse_binary(struct parser *parser, int rank)
{
	struct cel_node *left = parse_operand(parser);
	const struct operator* found;

	while ((found = find_binary(parser, rank)) != NULL) {
		uint32_t position = parser->token.position;

		cel_parser_take(parser);
		const struct cel_node *operands[2] = {left, parse_binary(parser, found->rank + 1)};
		left = make_binary(parser, found->name, position, operands);
	}
	return left;
}

/* The terms of a chain and the places of the operators between them. */
struct chain {
	const char *name;
	struct nodes terms;
	uint32_t *positions;
};

/* A tree of the operators from first to last that is as low as can be: these two operators do not care which is done first. */
static const struct cel_node *
balance(struct parser *parser, const struct chain *chain, size_t first, size_t count)
{
	size_t left = count / 2, middle = first + left;

	if (count == 0)
		return chain->terms.items[first];
	const struct cel_node *operands[2] = {
	    balance(parser, chain, first, left),
	    balance(parser, chain, middle + 1, count - left - 1),
	};
	return make_binary(parser, chain->name, chain->positions[middle], operands);
}

static struct cel_node *
parse_chain(struct parser *parser, enum token_kind operator_kind)
{
	bool is_or = operator_kind == TOKEN_OR;
	struct chain chain = {.name = is_or ? "_||_" : "_&&_"};
	size_t room = 0;

	for (;;) {
		struct cel_node *term = is_or ? parse_chain(parser, TOKEN_AND) : parse_binary(parser, 1);

		if (chain.terms.count == 0 && parser->token.kind != operator_kind)
			return term;
		cel_nodes_add(parser, &chain.terms, term, false);
		if (parser->token.kind != operator_kind)
			break;
		if (chain.terms.count > room) {
			uint32_t *more = arena_take_array(parser->arena, 2 * room + 8, sizeof *more);

			if (room)
				memcpy(more, chain.positions, room * sizeof *more);
			chain.positions = more;
			room = 2 * room + 8;
		}
		chain.positions[chain.terms.count - 1] = parser->token.position;
		cel_parser_take(parser);
	}
	return (struct cel_node *)balance(parser, &chain, 0, chain.terms.count - 1);
}

static struct cel_node *
parse_conditional(struct parser *parser)
{
	struct nodes arguments = {0};

	cel_nodes_add(parser, &arguments, parse_chain(parser, TOKEN_OR), false);
	if (parser->token.kind != TOKEN_QUESTION)
		return (struct cel_node *)arguments.items[0];
	uint32_t position = parser->token.position;
	cel_parser_take(parser);
	cel_nodes_add(parser, &arguments, parse_chain(parser, TOKEN_OR), false);
	if (parser->token.kind != TOKEN_COLON) {
		cel_parser_fault(parser, parser->token.position,
				 "':' and the other value of '?' are missing before %s",
				 cel_token_text(parser, &parser->token));
		parser->recovering = true;
		return (struct cel_node *)arguments.items[0];
	}
	cel_parser_take(parser);
	cel_nodes_add(parser, &arguments, cel_parser_expression(parser), false);
	struct cel_node *call = cel_parser_call(parser, "_?_:_", position, &arguments);
	call->end = ((struct syntax *)call)->outer_end = cel_syntax(arguments.items[2])->outer_end;
	return call;
}

struct cel_node *
cel_parser_expression(struct parser *parser)
{
	if (parser->level > parser->limits.depth) {
		cel_parser_stop(parser, CEL_DEPTH, parser->token.position,
				"more than %u brackets or conditionals lie within each other here",
				parser->limits.depth);
		return cel_parser_bad(parser);
	}
	parser->level++;
	struct cel_node *node = parse_conditional(parser);
	parser->level--;
	return node;
}

/* How many code points; false with the place of the first byte that is no well-formed UTF-8 (RFC 3629). */
static bool
count_code_points(const char *source, size_t length, size_t *points)
{
	const unsigned char *at = (const unsigned char *)source, *end = at + length;

	for (*points = 0; at < end; ++*points) {
		unsigned lead = *at++;
		unsigned more = lead < 0x80   ? 0
				: lead < 0xc2 ? 4
				: lead < 0xe0 ? 1
				: lead < 0xf0 ? 2
				: lead < 0xf5 ? 3
					      : 4;

		if (more == 4 || (size_t)(end - at) < more)
			return false;
		/* neither longer than need be, nor a surrogate, nor above 10ffff */
		if ((lead == 0xe0 && *at < 0xa0) || (lead == 0xed && *at > 0x9f)
		    || (lead == 0xf0 && *at < 0x90) || (lead == 0xf4 && *at > 0x8f))
			return false;
		for (; more > 0; more--)
			if ((*at++ & 0xc0) != 0x80)
				return false;
	}
	return true;
}

static uint32_t
limit_or(uint32_t limit, uint32_t constant)
{
	return limit ? limit : constant;
}

static struct cel_limits
limits_of(const struct cel_limits *limits)
{
	struct cel_limits given = limits ? *limits : (struct cel_limits){0};

	return (struct cel_limits){
	    .source = limit_or(given.source, CEL_SOURCE_MAX),
	    .nodes = limit_or(given.nodes, CEL_NODES_MAX),
	    .depth = limit_or(given.depth, CEL_DEPTH_MAX),
	    .literal_items = limit_or(given.literal_items, CEL_LITERAL_ITEMS_MAX),
	    .comprehensions = limit_or(given.comprehensions, CEL_COMPREHENSIONS_MAX),
	};
}

static bool
source_is_fit(struct parser *parser, const char *source, size_t length)
{
	size_t points = 0;

	/* a code point has four bytes at most, so nothing that is longer need be counted */
	bool fits = length <= 4 * (size_t)parser->limits.source && length < UINT32_MAX / 2;
	if (fits && !count_code_points(source, length, &points)) {
		cel_fault_add(parser->faults, source, length, CEL_SYNTAX, (uint32_t)points,
			      "the source is no well-formed UTF-8 here");
		return false;
	}
	if (fits && points <= parser->limits.source)
		return true;
	cel_fault_add(parser->faults, "", 0, CEL_COST, 0, "the source is longer than %u characters",
		      parser->limits.source);
	return false;
}

const struct cel_tree *
cel_parse(struct arena *arena, const char *source, size_t length, unsigned flags,
	  const struct cel_limits *limits, struct cel_faults *faults)
{
	struct parser parser = {.arena = arena, .flags = flags, .limits = limits_of(limits), .faults = faults};

	if (!source_is_fit(&parser, source, length))
		return NULL;
	parser.source = arena_copy(arena, source, length);
	parser.length = (uint32_t)length;
	cel_parser_advance(&parser);
	const struct cel_node *root = cel_parser_expression(&parser);
	if (parser.token.kind != TOKEN_END)
		cel_parser_fault(&parser, parser.token.position,
				 "%s closes or parts nothing; the end was expected",
				 cel_token_text(&parser, &parser.token));
	if (parser.failed)
		return NULL;
	struct cel_tree *tree = arena_take(arena, sizeof *tree);
	*tree = (struct cel_tree){arena, parser.source, length, root, parser.nodes};
	return tree;
}
