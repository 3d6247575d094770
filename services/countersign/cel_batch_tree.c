/* SPDX-License-Identifier: Apache-2.0 */
/* cel_batch_tree.c - a syntax tree as JSON. */
#include "services/countersign/cel_batch.h"
#include "services/countersign/cel_codec.h"
#include <inttypes.h>
#include <string.h>

static void
add_name(struct buffer *out, const char *member, const char *name)
{
	buffer_add_format(out, ",\"%s\":", member);
	cel_codec_quote(out, name, strlen(name));
}

static void
add_node(struct buffer *out, const char *member, const struct cel_node *node)
{
	if (!node)
		return;
	buffer_add_format(out, ",\"%s\":", member);
	cel_batch_tree(out, node);
}

static void
add_arguments(struct buffer *out, const char *member, const struct cel_node *node)
{
	buffer_add_format(out, ",\"%s\":[", member);
	for (size_t i = 0; i < node->argument_count; i++) {
		buffer_add_text(out, i ? "," : "");
		cel_batch_tree(out, node->arguments[i]);
	}
	buffer_add_byte(out, ']');
}

/* The indices of those that begin with a question mark. */
static void
add_optional(struct buffer *out, const struct cel_node *node)
{
	size_t count = node->kind == CEL_N_MAP ? node->argument_count / 2 : node->argument_count;
	bool first = true;

	if (!node->optional)
		return;
	buffer_add_text(out, ",\"optional\":[");
	for (size_t i = 0; i < count; i++)
		if (node->optional[i]) {
			buffer_add_format(out, "%s%zu", first ? "" : ",", i);
			first = false;
		}
	buffer_add_byte(out, ']');
}

static void
add_fields(struct buffer *out, const struct cel_node *node)
{
	buffer_add_text(out, ",\"fields\":[");
	for (size_t i = 0; i < node->argument_count; i++) {
		buffer_add_text(out, i ? "," : "");
		cel_codec_quote(out, node->fields[i], strlen(node->fields[i]));
	}
	buffer_add_byte(out, ']');
	add_arguments(out, "values", node);
	add_optional(out, node);
}

static void
add_loop(struct buffer *out, const struct cel_node *node)
{
	add_name(out, "iterator", node->loop.iterator);
	if (node->loop.second)
		add_name(out, "second", node->loop.second);
	add_name(out, "accumulator", node->loop.accumulator);
	add_node(out, "range", node->loop.range);
	add_node(out, "init", node->loop.init);
	add_node(out, "condition", node->loop.condition);
	add_node(out, "step", node->loop.step);
	add_node(out, "result", node->loop.result);
}

void
cel_batch_tree(struct buffer *out, const struct cel_node *node)
{
	static const char *const kinds[] = {
	    [CEL_N_LITERAL] = "literal", [CEL_N_IDENT] = "ident",	[CEL_N_SELECT] = "select",
	    [CEL_N_CALL] = "call",	 [CEL_N_LIST] = "list",		[CEL_N_MAP] = "map",
	    [CEL_N_STRUCT] = "struct",	 [CEL_N_COMPREHENSION] = "loop"};

	buffer_add_format(out, "{\"kind\":\"%s\",\"position\":%" PRIu32, kinds[node->kind], node->position);
	if (node->kind == CEL_N_LITERAL) {
		buffer_add_text(out, ",\"value\":");
		cel_codec_write(out, node->value);
	}
	if (node->name && node->kind != CEL_N_LITERAL)
		add_name(out, "name", node->name);
	add_node(out, "operand", node->operand);
	if (node->kind == CEL_N_SELECT && node->test_only)
		buffer_add_text(out, ",\"test\":true");
	if (node->kind == CEL_N_CALL)
		add_arguments(out, "arguments", node);
	if (node->kind == CEL_N_LIST || node->kind == CEL_N_MAP) {
		add_arguments(out, "items", node);
		add_optional(out, node);
	}
	if (node->kind == CEL_N_STRUCT)
		add_fields(out, node);
	if (node->kind == CEL_N_COMPREHENSION)
		add_loop(out, node);
	buffer_add_byte(out, '}');
}
