/* SPDX-License-Identifier: Apache-2.0 */
/* tree.c - making nodes, measuring them, and what can be asked of a tree. */
#include "common/cel/syntax.h"

#include <string.h>

const struct syntax *
cel_syntax(const struct cel_node *node)
{
	return (const struct syntax *)node;
}

bool
cel_node_is_bad(const struct cel_node *node)
{
	return cel_syntax(node)->bad;
}

struct syntax *
cel_parser_node(struct parser *parser, enum cel_node_kind kind, uint32_t position)
{
	struct syntax *node = arena_take(parser->arena, sizeof *node);

	if (++parser->nodes > parser->limits.nodes)
		cel_parser_stop(parser, CEL_COST, position, "the expression has more than %u parts",
				parser->limits.nodes);
	node->node.kind = kind;
	node->node.id = parser->nodes;
	node->node.position = position;
	node->node.start = node->outer_start = parser->token.start;
	node->node.end = node->outer_end = parser->token.end;
	return node;
}

struct cel_node *
cel_parser_bad(struct parser *parser)
{
	struct syntax *node = cel_parser_node(parser, CEL_N_LITERAL, parser->token.position);

	node->node.value = cel_null();
	node->bad = true;
	return &node->node;
}

static void
measure(struct syntax *node, const struct cel_node *child, bool in_loop)
{
	if (!child)
		return;
	uint32_t loops = cel_syntax(child)->loops + in_loop, height = cel_syntax(child)->height + 1;
	if (loops > node->loops)
		node->loops = loops;
	if (height > node->height)
		node->height = height;
}

/* What runs once has the empty list for its range. */
static bool
repeats(const struct cel_node *node)
{
	const struct cel_node *range = node->loop.range;

	return range->kind != CEL_N_LIST || range->argument_count > 0;
}

struct cel_node *
cel_parser_seal(struct parser *parser, struct syntax *node)
{
	struct cel_node *self = &node->node;
	bool loop = self->kind == CEL_N_COMPREHENSION && repeats(self);

	measure(node, self->operand, false);
	for (size_t i = 0; i < self->argument_count; i++)
		measure(node, self->arguments[i], false);
	if (self->kind == CEL_N_COMPREHENSION) {
		measure(node, self->loop.range, false);
		measure(node, self->loop.init, false);
		measure(node, self->loop.condition, loop);
		measure(node, self->loop.step, loop);
		measure(node, self->loop.result, loop);
	}
	if (node->height > parser->limits.depth)
		cel_parser_stop(parser, CEL_DEPTH, self->position,
				"more than %u operators, calls or brackets lie within each other here",
				parser->limits.depth);
	if (node->loops > parser->limits.comprehensions)
		cel_parser_stop(parser, CEL_DEPTH, self->position,
				"more than %u comprehensions lie within each other here",
				parser->limits.comprehensions);
	return self;
}

static void
note_optional(struct parser *parser, struct nodes *nodes)
{
	if (!nodes->optional)
		nodes->optional = arena_take_array(parser->arena, nodes->room, sizeof *nodes->optional);
	nodes->optional[nodes->count - 1] = true;
}

static void
grow(struct parser *parser, struct nodes *nodes)
{
	size_t room = nodes->room ? 2 * nodes->room : 4;
	const struct cel_node **items = arena_take_array(parser->arena, room, sizeof(void *));

	if (nodes->count)
		memcpy(items, nodes->items, nodes->count * sizeof(void *));
	if (nodes->optional) {
		bool *optional = arena_take_array(parser->arena, room, sizeof *optional);

		memcpy(optional, nodes->optional, nodes->count * sizeof *optional);
		nodes->optional = optional;
	}
	nodes->items = items;
	nodes->room = room;
}

void
cel_nodes_add(struct parser *parser, struct nodes *nodes, const struct cel_node *node, bool optional)
{
	if (nodes->count == nodes->room)
		grow(parser, nodes);
	nodes->items[nodes->count++] = node;
	if (optional)
		note_optional(parser, nodes);
}

static size_t
collect(const struct cel_node *node, const struct cel_node **conjuncts, size_t room, size_t count)
{
	if (node->kind == CEL_N_CALL && !node->operand && node->argument_count == 2
	    && strcmp(node->name, "_&&_") == 0) {
		count = collect(node->arguments[0], conjuncts, room, count);
		return collect(node->arguments[1], conjuncts, room, count);
	}
	if (count < room)
		conjuncts[count] = node;
	return count + 1;
}

size_t
cel_conjuncts(const struct cel_node *root, const struct cel_node **conjuncts, size_t room)
{
	return collect(root, conjuncts, room, 0);
}
