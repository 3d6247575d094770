/* SPDX-License-Identifier: Apache-2.0 */
/* collection.c - the grammar of lists, maps and structs. */
#include "common/cel/grammar.h"

#include <string.h>

static void
check_items(struct parser *parser, size_t count)
{
	if (count > parser->limits.literal_items)
		cel_parser_stop(parser, CEL_COST, parser->token.position,
				"a literal has more than %u items or entries", parser->limits.literal_items);
}

/* A comma may stand before the bracket, also when there are no items. */
static bool
another(struct parser *parser, enum token_kind closing, size_t count)
{
	if (count > 0 && parser->token.kind != TOKEN_COMMA)
		return false;
	if (parser->token.kind == TOKEN_COMMA) {
		cel_parser_take(parser);
		if (count == 0)
			return false;
	}
	return parser->token.kind != closing && parser->token.kind != TOKEN_END;
}

struct cel_node *
cel_parser_list(struct parser *parser)
{
	struct token open = parser->token;
	struct nodes items = {0};

	cel_parser_take(parser);
	while (another(parser, TOKEN_CLOSE_BRACKET, items.count)) {
		check_items(parser, items.count + 1);
		bool optional = cel_parser_optional(parser, parser->token.position);
		cel_nodes_add(parser, &items, cel_parser_expression(parser), optional);
	}
	cel_parser_close(parser, TOKEN_CLOSE_BRACKET, &open);
	struct syntax *list = cel_parser_spanning(parser, CEL_N_LIST, &open);
	list->node.arguments = items.items;
	list->node.argument_count = items.count;
	list->node.optional = items.optional;
	return cel_parser_seal(parser, list);
}

/* The colon between a key or field and its value; without one the value is not read. */
static struct cel_node *
parse_value(struct parser *parser)
{
	if (parser->token.kind == TOKEN_COLON) {
		cel_parser_take(parser);
		return cel_parser_expression(parser);
	}
	cel_parser_fault(parser, parser->token.position, "':' and a value are expected here, not %s",
			 cel_token_text(parser, &parser->token));
	cel_parser_recover(parser, false);
	return cel_parser_bad(parser);
}

struct cel_node *
cel_parser_map(struct parser *parser)
{
	struct token open = parser->token;
	struct nodes both = {0}, keys = {0};

	cel_parser_take(parser);
	while (another(parser, TOKEN_CLOSE_BRACE, keys.count)) {
		check_items(parser, keys.count + 1);
		bool optional = cel_parser_optional(parser, parser->token.position);
		struct cel_node *key = cel_parser_expression(parser);
		cel_nodes_add(parser, &keys, key, optional);
		cel_nodes_add(parser, &both, key, false);
		cel_nodes_add(parser, &both, parse_value(parser), false);
	}
	cel_parser_close(parser, TOKEN_CLOSE_BRACE, &open);
	struct syntax *map = cel_parser_spanning(parser, CEL_N_MAP, &open);
	map->node.arguments = both.items;
	map->node.argument_count = both.count;
	map->node.optional = keys.optional;
	return cel_parser_seal(parser, map);
}

/* The field's name, or NULL with a fault. */
static const char *
take_field(struct parser *parser)
{
	if (parser->token.kind != TOKEN_IDENT && parser->token.kind != TOKEN_QUOTED_IDENT) {
		cel_parser_missing(parser, "the name of a field");
		return NULL;
	}
	const char *name = cel_token_name(parser, &parser->token);
	cel_parser_take(parser);
	return name;
}

/* Makes room for one more name, where the others are as many as the values. */
static const char **
grow_names(struct parser *parser, const char **names, size_t count)
{
	if (count % 16 != 0)
		return names;
	const char **more = arena_take_array(parser->arena, count + 16, sizeof *more);
	if (count > 0)
		memcpy(more, names, count * sizeof *more);
	return more;
}

struct cel_node *
cel_parser_struct(struct parser *parser, const char *name, uint32_t start)
{
	struct token open = parser->token;
	struct nodes values = {0};
	const char **names = NULL, *field;

	cel_parser_take(parser);
	while (another(parser, TOKEN_CLOSE_BRACE, values.count)) {
		check_items(parser, values.count + 1);
		bool optional = cel_parser_optional(parser, parser->token.position);
		if ((field = take_field(parser)) == NULL)
			break;
		names = grow_names(parser, names, values.count);
		names[values.count] = field;
		cel_nodes_add(parser, &values, parse_value(parser), optional);
	}
	cel_parser_close(parser, TOKEN_CLOSE_BRACE, &open);
	struct syntax *node = cel_parser_spanning(parser, CEL_N_STRUCT, &open);
	node->node.start = node->outer_start = start;
	node->node.name = name;
	node->node.arguments = values.items;
	node->node.argument_count = values.count;
	node->node.fields = names;
	node->node.optional = values.optional;
	return cel_parser_seal(parser, node);
}
