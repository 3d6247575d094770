/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compile_loop.c - comprehensions: loops within one frame. What a list or a map is built of step by step grows in place, so that the work is
 * as much as the result has items.
 */
#include "common/cel/compile.h"

#include <string.h>

/* The step `accumulator + [item]`, or cel.@mapInsert(accumulator, …): what is added, and when. */
struct building {
	enum cel_op op;			  /* OP_APPEND, OP_INSERT */
	const struct cel_node *condition; /* of `condition ? add : accumulator`, or NULL */
	const struct cel_node *const *added;
	size_t added_count;
};

static bool
is_ident(const struct cel_node *node, const char *name)
{
	return node->kind == CEL_N_IDENT && strcmp(node->name, name) == 0;
}

static bool
is_call(const struct cel_node *node, const char *name, size_t arguments)
{
	return node->kind == CEL_N_CALL && strcmp(node->name, name) == 0 && node->argument_count == arguments;
}

static bool mentions(const struct cel_node *node, const char *name);

static bool
loop_mentions(const struct cel_node *node, const char *name)
{
	bool hidden = strcmp(node->loop.accumulator, name) == 0;
	bool hidden_within = hidden || strcmp(node->loop.iterator, name) == 0
			     || (node->loop.second && strcmp(node->loop.second, name) == 0);

	if (mentions(node->loop.range, name) || mentions(node->loop.init, name))
		return true;
	if (!hidden && mentions(node->loop.result, name))
		return true;
	return !hidden_within && (mentions(node->loop.condition, name) || mentions(node->loop.step, name));
}

/* Does it read the variable of this name (not one within that hides it)? */
static bool
mentions(const struct cel_node *node, const char *name)
{
	if (node->kind == CEL_N_COMPREHENSION)
		return loop_mentions(node, name);
	if (is_ident(node, name) || (node->operand && mentions(node->operand, name)))
		return true;
	for (size_t i = 0; i < node->argument_count; i++)
		if (mentions(node->arguments[i], name))
			return true;
	return false;
}

static bool
any_mentions(const struct cel_node *const *nodes, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (mentions(nodes[i], name))
			return true;
	return false;
}

static bool
is_insert(const struct cel_node *node)
{
	if (node->kind != CEL_N_CALL || (node->argument_count != 2 && node->argument_count != 3))
		return false;
	return strcmp(node->name, "cel.@mapInsert") == 0
	       || (node->operand && is_ident(node->operand, "cel") && strcmp(node->name, "@mapInsert") == 0);
}

/* A map of one entry that is written where it is inserted need not be made. */
static void
literal_entry(struct building *building)
{
	const struct cel_node *map = building->added[0];

	if (building->added_count != 1 || map->kind != CEL_N_MAP || map->argument_count != 2 || map->optional)
		return;
	building->added = (const struct cel_node *const *)map->arguments;
	building->added_count = 2;
}

/* Adding to the accumulator and nothing else with it, from an empty start: then nobody sees it grow. */
static bool
is_building(const struct cel_node *loop, struct building *building)
{
	const char *name = loop->loop.accumulator;
	const struct cel_node *step = loop->loop.step, *init = loop->loop.init;

	*building = (struct building){0};
	if (init->argument_count > 0 || strcmp(name, loop->loop.iterator) == 0
	    || (loop->loop.second && strcmp(name, loop->loop.second) == 0))
		return false;
	if (is_call(step, "_?_:_", 3) && is_ident(step->arguments[2], name)) {
		building->condition = step->arguments[0];
		step = step->arguments[1];
	}
	if (init->kind == CEL_N_LIST && is_call(step, "_+_", 2) && step->arguments[1]->kind == CEL_N_LIST
	    && step->arguments[1]->argument_count == 1 && !step->arguments[1]->optional) {
		building->op = OP_APPEND;
		building->added = (const struct cel_node *const *)step->arguments[1]->arguments;
		building->added_count = 1;
	} else if (init->kind == CEL_N_MAP && is_insert(step)) {
		building->op = OP_INSERT;
		building->added = (const struct cel_node *const *)step->arguments + 1;
		building->added_count = step->argument_count - 1;
		literal_entry(building);
	} else {
		return false;
	}
	return is_ident(step->arguments[0], name) && !mentions(loop->loop.condition, name)
	       && !any_mentions(building->added, building->added_count, name)
	       && !(building->condition && mentions(building->condition, name));
}

/* The accumulator's frame; `place` is where the range lies. */
struct frame {
	uint32_t place;
	size_t guard; /* the instruction that skips a step; SIZE_MAX: none */
};

static void
emit_addition(struct compiler *c, const struct cel_node *step, const struct building *building,
	      struct frame *frame)
{
	frame->guard = SIZE_MAX;
	if (building->condition) {
		compile_node(c, building->condition);
		frame->guard =
		    compile_emit(c, step, (struct cel_instruction){.op = OP_GUARD, .a = frame->place}, -1);
	}
	for (size_t i = 0; i < building->added_count; i++)
		compile_node(c, building->added[i]);
	compile_emit(c, step,
		     (struct cel_instruction){.op = (uint8_t)building->op,
					      .count = building->op == OP_INSERT && building->added_count == 1,
					      .a = frame->place},
		     -(int)building->added_count);
}

static bool
always(const struct cel_node *node)
{
	return node->kind == CEL_N_LITERAL && node->value.kind == CEL_BOOL && node->value.as.boolean;
}

/* From the head of the loop to behind it. The variables are visible. */
static void
emit_rounds(struct compiler *c, const struct cel_node *node, const struct building *building)
{
	struct frame frame = {.place = (uint32_t)(c->depth - FRAME_SIZE), .guard = SIZE_MAX};
	size_t head = compile_here(c), next, leave = SIZE_MAX;

	next = compile_emit(
	    c, node,
	    (struct cel_instruction){.op = OP_NEXT, .count = node->loop.second ? 2 : 1, .a = frame.place}, 0);
	if (!always(node->loop.condition)) {
		compile_node(c, node->loop.condition);
		leave = compile_emit(c, node, (struct cel_instruction){.op = OP_WHILE}, -1);
	}
	if (building) {
		emit_addition(c, node->loop.step, building, &frame);
	} else {
		compile_node(c, node->loop.step);
		compile_emit(c, node, (struct cel_instruction){.op = OP_STORE, .a = frame.place}, -1);
	}
	if (frame.guard != SIZE_MAX)
		compile_patch_b(c, frame.guard);
	compile_emit(c, node, (struct cel_instruction){.op = OP_JUMP, .a = (uint32_t)head}, 0);
	compile_patch_b(c, next);
	if (leave != SIZE_MAX)
		compile_patch_b(c, leave);
}

/* cel.bind(name, value, result): a loop over nothing. The value lies where a range would. */
static void
compile_bind(struct compiler *c, const struct cel_node *node)
{
	const struct local *outside = c->locals;
	struct local bound = {.name = node->loop.accumulator, .place = (uint32_t)c->depth, .outer = outside};

	compile_node(c, node->loop.init);
	c->locals = &bound;
	compile_node(c, node->loop.result);
	c->locals = outside;
	compile_emit(c, node, (struct cel_instruction){.op = OP_SLIDE, .a = bound.place}, -1);
}

static void
emit_result(struct compiler *c, const struct cel_node *node, const struct building *building,
	    const struct local *accumulator)
{
	uint32_t place = accumulator->place - FRAME_ACCUMULATOR;

	if (building && building->op == OP_INSERT)
		compile_emit(c, node, (struct cel_instruction){.op = OP_FINISH, .a = place}, 0);
	c->locals = accumulator;
	compile_node(c, node->loop.result);
	compile_emit(c, node, (struct cel_instruction){.op = OP_SLIDE, .a = place}, -FRAME_SIZE);
}

void
compile_loop(struct compiler *c, const struct cel_node *node)
{
	const struct local *outside = c->locals;
	uint32_t place = (uint32_t)c->depth;
	struct local accumulator = {node->loop.accumulator, place + FRAME_ACCUMULATOR, outside};
	struct local first = {node->loop.iterator, place + FRAME_FIRST, &accumulator};
	struct local second = {node->loop.second, place + FRAME_SECOND, &first};
	struct building building;
	bool builds = is_building(node, &building);
	size_t loop;

	if (node->loop.range->kind == CEL_N_LIST && node->loop.range->argument_count == 0) {
		compile_bind(c, node);
		return;
	}
	compile_node(c, node->loop.range);
	if (builds)
		compile_emit(c, node,
			     (struct cel_instruction){.op = OP_BUILDER, .count = building.op == OP_INSERT}, 1);
	else
		compile_node(c, node->loop.init);
	loop = compile_emit(c, node, (struct cel_instruction){.op = OP_LOOP, .a = place},
			    FRAME_SIZE - FRAME_CURSOR);
	c->locals = node->loop.second ? &second : &first;
	emit_rounds(c, node, builds ? &building : NULL);
	emit_result(c, node, builds ? &building : NULL, &accumulator);
	c->locals = outside;
	compile_patch_b(c, loop);
}
