/* SPDX-License-Identifier: Apache-2.0 */
/* compile.c - from a tree to a program. Recursion is as deep as the tree, which the parser bounds. */
#include "common/cel/compile.h"
#include "common/cel/cost.h"

#include <stdlib.h>
#include <string.h>

/* A constant with a byte for each item, or NO_FLAGS where none is optional. */
static uint32_t
flags_of(struct compiler *c, const bool *optional, size_t count)
{
	char *flags;
	bool any = false;

	for (size_t i = 0; optional && i < count; i++)
		any = any || optional[i];
	if (!any)
		return NO_FLAGS;
	flags = arena_take(c->arena, count);
	for (size_t i = 0; i < count; i++)
		flags[i] = optional[i];
	return compile_constant(c, cel_bytes(flags, count));
}

static void
compile_collection(struct compiler *c, const struct cel_node *node)
{
	bool map = node->kind == CEL_N_MAP;
	size_t count = map ? node->argument_count / 2 : node->argument_count;
	struct cel_value value;

	if (compile_folded(c, node, &value)) {
		compile_emit(c, node,
			     (struct cel_instruction){.op = OP_CONSTANT, .a = compile_constant(c, value)}, 1);
		return;
	}
	for (size_t i = 0; i < node->argument_count; i++)
		compile_node(c, node->arguments[i]);
	compile_emit(c, node,
		     (struct cel_instruction){.op = map ? OP_MAP : OP_LIST,
					      .a = (uint32_t)count,
					      .b = flags_of(c, node->optional, count)},
		     1 - (int)node->argument_count);
}

static void
compile_literal(struct compiler *c, const struct cel_node *node)
{
	compile_emit(c, node,
		     (struct cel_instruction){.op = OP_CONSTANT, .a = compile_constant(c, node->value)}, 1);
}

/* Where a fault was added nothing has to be right any more, but the stack's depth is kept. */
static void
compile_struct(struct compiler *c, const struct cel_node *node)
{
	compile_fault(c, node, CEL_UNDECLARED, "messages are not known here, only lists and maps");
	compile_error(c, node, CEL_UNBOUND, node->name);
}

void
compile_node(struct compiler *c, const struct cel_node *node)
{
	static void (*const parts[])(struct compiler *, const struct cel_node *) = {
	    [CEL_N_LITERAL] = compile_literal, [CEL_N_IDENT] = compile_ident,
	    [CEL_N_SELECT] = compile_select,   [CEL_N_CALL] = compile_call,
	    [CEL_N_LIST] = compile_collection, [CEL_N_MAP] = compile_collection,
	    [CEL_N_STRUCT] = compile_struct,   [CEL_N_COMPREHENSION] = compile_loop,
	};

	parts[node->kind](c, node);
}

/* A jump that lands on one of its own kind goes where that goes: of a chain of && the first false leaves all. */
static void
thread_jumps(struct compiler *c)
{
	struct cel_instruction *code = c->code.items;

	for (size_t i = c->code.count; i-- > 0;) {
		const struct cel_instruction *landing = &code[code[i].a < c->code.count ? code[i].a : i];

		if ((code[i].op == OP_IF_FALSE || code[i].op == OP_IF_TRUE) && landing->op == code[i].op)
			code[i].a = landing->a;
	}
}

static int
order_paths(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static void *
copied(struct arena *arena, const struct growing *array, size_t size)
{
	if (array->count == 0)
		return NULL;
	return memcpy(arena_take_array(arena, array->count, size), array->items, array->count * size);
}

static struct cel_program *
finish(struct compiler *c)
{
	struct cel_program *program = arena_take(c->arena, sizeof *program);

	thread_jumps(c);
	if (c->reads.count > 0)
		qsort(c->reads.items, c->reads.count, sizeof(char *), order_paths);
	*program = (struct cel_program){
	    .code = copied(c->arena, &c->code, sizeof(struct cel_instruction)),
	    .constants = copied(c->arena, &c->constants, sizeof(struct cel_value)),
	    .functions = copied(c->arena, &c->functions, sizeof(struct cel_function_entry *)),
	    .regexes = copied(c->arena, &c->regexes, sizeof(struct regex *)),
	    .sets = copied(c->arena, &c->sets, sizeof(struct cel_set)),
	    .depth = c->depth_max,
	    .slot_count = cel_slot_count(c->env),
	    .reads = copied(c->arena, &c->reads, sizeof(char *)),
	    .read_count = c->reads.count,
	};
	return program;
}

static void
start(struct compiler *c)
{
	c->arena = cel_env_arena(c->env);
	c->code = (struct growing){c->code_first, 0, CODE_FIRST};
	c->constants = (struct growing){c->constants_first, 0, CONSTANTS_FIRST};
	c->functions = (struct growing){c->functions_first, 0, FEW_FIRST};
	c->regexes = (struct growing){c->regexes_first, 0, FEW_FIRST};
	c->sets = (struct growing){c->sets_first, 0, FEW_FIRST};
	c->reads = (struct growing){c->reads_first, 0, FEW_FIRST};
}

static bool
estimate(const struct compiler *c, const struct cel_node *node, uint64_t cost_max, uint64_t *cost)
{
	struct cel_cost_question question = {
	    .env = c->env,
	    .tree = c->tree,
	    .node = node,
	    .checked = c->checked,
	    .max = cost_max,
	};

	*cost = UINT64_MAX;
	if (cost_max == 0)
		return true;
	*cost = cel_cost_estimate(&question, c->tree->arena, c->faults);
	return *cost <= cost_max;
}

const struct cel_program *
cel_compile(struct cel_env *env, const struct cel_tree *tree, const struct cel_node *node,
	    const struct cel_checked *checked, uint64_t cost_max, struct cel_faults *faults)
{
	struct compiler c;
	struct cel_program *program;
	uint64_t cost;

	memset(&c, 0, offsetof(struct compiler, code_first));
	c.env = env;
	c.tree = tree;
	c.checked = checked;
	c.faults = faults;
	start(&c);
	compile_node(&c, node);
	compile_emit(&c, node, (struct cel_instruction){.op = OP_RETURN}, -1);
	if (c.failed || !estimate(&c, node, cost_max, &cost))
		return NULL;
	compile_reads(&c, node);
	program = finish(&c);
	program->cost = cost;
	return program;
}

const char *const *
cel_program_reads(const struct cel_program *program, size_t *count)
{
	*count = program->read_count;
	return program->reads;
}

uint64_t
cel_program_cost(const struct cel_program *program)
{
	return program->cost;
}
