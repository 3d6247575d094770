/* SPDX-License-Identifier: Apache-2.0 */
/* compile_emit.c - writing instructions and constants down. */
#include "common/cel/compile.h"

#include <assert.h>
#include <string.h>

void *
compile_grow(struct compiler *c, struct growing *array, size_t size)
{
	if (array->count == array->room) {
		void *grown = arena_take_array(c->arena, 2 * array->room, size);

		memcpy(grown, array->items, array->count * size);
		array->items = grown;
		array->room *= 2;
	}
	return memset((char *)array->items + array->count++ * size, 0, size);
}

size_t
compile_emit(struct compiler *c, const struct cel_node *node, struct cel_instruction instruction, int effect)
{
	struct cel_instruction *next = compile_grow(c, &c->code, sizeof *next);

	*next = instruction;
	next->position = node->position;
	assert(effect >= 0 || c->depth >= (size_t)-effect);
	c->depth = effect >= 0 ? c->depth + (size_t)effect : c->depth - (size_t)-effect;
	if (c->depth > c->depth_max)
		c->depth_max = c->depth;
	return c->code.count - 1;
}

size_t
compile_here(const struct compiler *c)
{
	return c->code.count;
}

void
compile_patch_a(struct compiler *c, size_t instruction)
{
	((struct cel_instruction *)c->code.items)[instruction].a = (uint32_t)c->code.count;
}

void
compile_patch_b(struct compiler *c, size_t instruction)
{
	((struct cel_instruction *)c->code.items)[instruction].b = (uint32_t)c->code.count;
}

/* The very same value; numbers of different types, and a zero and a negative zero, are not. */
static bool
identical(struct cel_value left, struct cel_value right)
{
	if (left.kind != right.kind || left.code != right.code || left.extra != right.extra)
		return false;
	if (left.kind == CEL_STRING || left.kind == CEL_BYTES)
		return left.extra == 0 || memcmp(left.as.bytes, right.as.bytes, left.extra) == 0;
	if (left.kind == CEL_BOOL)
		return left.as.boolean == right.as.boolean;
	return left.kind == CEL_NULL || left.as.natural == right.as.natural;
}

uint32_t
compile_constant(struct compiler *c, struct cel_value value)
{
	const struct cel_value *constants = c->constants.items;
	struct cel_value *added;

	for (size_t i = 0; i < c->constants.count; i++)
		if (identical(constants[i], value))
			return (uint32_t)i;
	added = compile_grow(c, &c->constants, sizeof *added);
	*added = value;
	if (value.kind == CEL_STRING || value.kind == CEL_BYTES)
		added->as.bytes = arena_copy(c->arena, value.extra ? value.as.bytes : "", value.extra);
	return (uint32_t)(c->constants.count - 1);
}

uint32_t
compile_text(struct compiler *c, const char *text)
{
	return compile_constant(c, cel_string(text, strlen(text)));
}

void
compile_error(struct compiler *c, const struct cel_node *node, enum cel_code code, const char *text)
{
	struct cel_value error = cel_error(code, node->position);

	error.as.text = arena_string(c->arena, text);
	compile_emit(c, node, (struct cel_instruction){.op = OP_CONSTANT, .a = compile_constant(c, error)}, 1);
}

void
compile_fault(struct compiler *c, const struct cel_node *node, enum cel_code code, const char *text)
{
	c->failed = true;
	cel_fault_add(c->faults, c->tree->source, c->tree->source_length, code, node->position, "%s", text);
}
