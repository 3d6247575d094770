/* SPDX-License-Identifier: Apache-2.0 */
/* shape.h - a tree as one line of brackets, so that tests can say what they expect of it. */
#ifndef COUNTERSIGN_TEST_SHAPE_H
#define COUNTERSIGN_TEST_SHAPE_H

#include "common/cel/ast.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static inline void
shape_value(struct buffer *out, struct cel_value value)
{
	switch (value.kind) {
	case CEL_NULL:
		buffer_add_text(out, "null");
		break;
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
		buffer_add_format(out, "%gd", value.as.real);
		break;
	default:
		buffer_add_text(out, value.kind == CEL_BYTES ? "b\"" : "\"");
		for (uint32_t i = 0; i < value.extra; i++)
			if (value.kind == CEL_BYTES || (unsigned char)value.as.bytes[i] < ' ')
				buffer_add_format(out, "<%02x>", (unsigned char)value.as.bytes[i]);
			else
				buffer_add_byte(out, value.as.bytes[i]);
		buffer_add_byte(out, '"');
	}
}

static inline void shape_node(struct buffer *out, const struct cel_node *node);

static inline void
shape_arguments(struct buffer *out, const struct cel_node *node)
{
	for (size_t i = 0; i < node->argument_count; i++) {
		size_t entry = node->kind == CEL_N_MAP ? i / 2 : i;

		buffer_add_byte(out, ' ');
		if (node->optional && node->optional[entry] && (node->kind != CEL_N_MAP || i % 2 == 0))
			buffer_add_byte(out, '?');
		if (node->kind == CEL_N_STRUCT)
			buffer_add_format(out, "%s:", node->fields[i]);
		shape_node(out, node->arguments[i]);
	}
}

static inline void
shape_loop(struct buffer *out, const struct cel_node *node)
{
	const struct cel_node *parts[] = {node->loop.range, node->loop.init, node->loop.condition,
					  node->loop.step, node->loop.result};

	buffer_add_format(out, "(for %s%s%s %s", node->loop.iterator, node->loop.second ? "," : "",
			  node->loop.second ? node->loop.second : "", node->loop.accumulator);
	for (size_t i = 0; i < 5; i++) {
		buffer_add_byte(out, ' ');
		shape_node(out, parts[i]);
	}
	buffer_add_byte(out, ')');
}

static inline void
shape_node(struct buffer *out, const struct cel_node *node)
{
	switch (node->kind) {
	case CEL_N_LITERAL:
		shape_value(out, node->value);
		return;
	case CEL_N_IDENT:
		buffer_add_text(out, node->name);
		return;
	case CEL_N_SELECT:
		buffer_add_text(out, node->test_only ? "(has " : "(. ");
		shape_node(out, node->operand);
		buffer_add_format(out, " %s)", node->name);
		return;
	case CEL_N_COMPREHENSION:
		shape_loop(out, node);
		return;
	case CEL_N_CALL:
		buffer_add_format(out, "(%s%s", node->operand ? "." : "", node->name);
		if (node->operand) {
			buffer_add_byte(out, ' ');
			shape_node(out, node->operand);
		}
		break;
	case CEL_N_LIST:
		buffer_add_text(out, "(list");
		break;
	case CEL_N_MAP:
		buffer_add_text(out, "(map");
		break;
	case CEL_N_STRUCT:
		buffer_add_format(out, "(new %s", node->name);
	}
	shape_arguments(out, node);
	buffer_add_byte(out, ')');
}

/* Or the faults: "1:5 text", one after the other. */
static inline const char *
shape_of(struct arena *arena, const char *source, unsigned flags)
{
	struct buffer out = {.arena = arena};
	struct cel_faults faults = {0};
	const struct cel_tree *tree = cel_parse(arena, source, strlen(source), flags, NULL, &faults);

	if (tree)
		shape_node(&out, tree->root);
	for (size_t i = 0; i < faults.count; i++)
		buffer_add_format(&out, "%s%u:%u %s", i ? "; " : "", faults.items[i].line,
				  faults.items[i].column, faults.items[i].text);
	return out.bytes;
}

#endif
