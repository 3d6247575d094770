/* SPDX-License-Identifier: Apache-2.0 */
/* policy_compile.c - parse, check against the declared inputs, cut at the top-level &&, compile. */
#include "common/policy/policy_compile.h"

#include <string.h>

/* A source on its way. */
struct compiling {
	const struct cel_tree *tree;
	const struct cel_checked *checked;
	struct cel_faults *faults;
};

static bool
open_source(struct policy_compiler *compiler, const char *source, const struct cel_type *expected,
	    struct compiling *compiling)
{
	compiling->tree = cel_parse(compiler->scratch, source, strlen(source), 0, NULL, compiling->faults);
	if (!compiling->tree)
		return false;
	compiling->checked =
	    cel_check(compiler->env, compiler->scratch, compiling->tree, expected, compiling->faults);
	return compiling->checked != NULL;
}

/* The one whose value a path reads ("leaves", "let_3.leaves", "leaves.size"), or SIZE_MAX. */
static size_t
find_binding(const struct policy_bindings *bindings, const char *path)
{
	for (size_t i = 0; i < bindings->count; i++) {
		const char *variable = bindings->items[i].variable;
		size_t length = strlen(variable);

		if (strncmp(variable, path, length) == 0
		    && (path[length] == '\0' || path[length] == '.' || path[length] == '['))
			return i;
	}
	return SIZE_MAX;
}

static void
add_binding(size_t *bindings, size_t *count, size_t binding)
{
	for (size_t i = 0; i < *count; i++)
		if (bindings[i] == binding)
			return;
	bindings[(*count)++] = binding;
}

/* Those that the program reads, each behind those that it reads itself. */
static void
find_bindings(struct policy_compiler *compiler, struct policy_program *program)
{
	size_t read_count, count = 0;
	const char *const *reads = cel_program_reads(program->program, &read_count);
	size_t *found = arena_take_array(compiler->scratch, compiler->bindings.count, sizeof *found);

	for (size_t i = 0; i < read_count; i++) {
		size_t at = find_binding(&compiler->bindings, reads[i]);

		if (at == SIZE_MAX)
			continue;

		const struct policy_program *inner = &compiler->bindings.items[at].value;

		for (size_t j = 0; j < inner->binding_count; j++)
			add_binding(found, &count, inner->bindings[j]);
		add_binding(found, &count, at);
	}
	if (count)
		program->bindings = memcpy(arena_take_array(compiler->arena, count, sizeof *found), found,
					   count * sizeof *found);
	program->binding_count = count;
}

static bool
compile_node(struct policy_compiler *compiler, const struct compiling *compiling, const struct cel_node *node,
	     struct policy_conjunct *conjunct)
{
	conjunct->ask.program = cel_compile(compiler->env, compiling->tree, node, compiling->checked,
					    CEL_COST_MAX, compiling->faults);
	if (!conjunct->ask.program)
		return false;
	conjunct->text =
	    arena_copy(compiler->arena, compiling->tree->source + node->start, node->end - node->start);
	conjunct->position = node->position;
	find_bindings(compiler, &conjunct->ask);
	return true;
}

bool
policy_compile_expression(struct policy_compiler *compiler, const char *source, const struct cel_type *expected,
			  struct policy_conjunct *expression, struct cel_faults *faults)
{
	struct compiling compiling = {.faults = faults};

	return open_source(compiler, source, expected, &compiling)
	       && compile_node(compiler, &compiling, compiling.tree->root, expression);
}

static bool
compile_when(struct policy_compiler *compiler, const char *when, struct policy_conjunct *conjuncts,
	     size_t *count, struct cel_faults *faults)
{
	struct compiling compiling = {.faults = faults};
	const struct cel_node *nodes[POLICY_CONJUNCTS_MAX];

	if (!open_source(compiler, when, cel_type_simple(CEL_T_BOOL), &compiling))
		return false;

	size_t found = cel_conjuncts(compiling.tree->root, nodes, POLICY_CONJUNCTS_MAX);

	if (found > POLICY_CONJUNCTS_MAX) {
		cel_fault_add(faults, when, strlen(when), CEL_COST, compiling.tree->root->position,
			      "has %zu terms between &&, at most %d can be", found, POLICY_CONJUNCTS_MAX);
		return false;
	}
	for (size_t i = 0; i < found; i++)
		if (!compile_node(compiler, &compiling, nodes[i], &conjuncts[(*count)++]))
			return false;
	return true;
}

bool
policy_compile_condition(struct policy_compiler *compiler, const char *when, const char *unless,
			 struct policy_condition *condition, struct cel_faults *when_faults,
			 struct cel_faults *unless_faults)
{
	struct policy_conjunct conjuncts[POLICY_CONJUNCTS_MAX + 1] = {0};
	size_t count = 0;
	bool good = !when || compile_when(compiler, when, conjuncts, &count, when_faults);

	if (unless) {
		struct policy_conjunct *last = &conjuncts[count];

		if (!policy_compile_expression(compiler, unless, cel_type_simple(CEL_T_BOOL), last,
					       unless_faults))
			return false;
		last->of_unless = true;
		count++;
	}
	if (!good)
		return false;

	struct policy_conjunct *kept = arena_take_array(compiler->arena, count, sizeof *kept);

	if (count)
		memcpy(kept, conjuncts, count * sizeof *kept);
	*condition = (struct policy_condition){.conjuncts = kept, .count = count};
	return true;
}

/* ------------------------------------------------------------------ let: in the order in which they can be evaluated */

struct named {
	const char *name, *source;
	const struct cel_tree *tree;
	bool done;
};

static bool reads_waiting(const struct cel_node *node, const struct named *named, size_t count);

static bool
any_reads_waiting(const struct cel_node *const *nodes, size_t node_count, const struct named *named,
		  size_t count)
{
	for (size_t i = 0; i < node_count; i++)
		if (nodes[i] && reads_waiting(nodes[i], named, count))
			return true;
	return false;
}

/* Does it read a named expression that is not compiled yet? The parser has bounded the depth. */
static bool
reads_waiting(const struct cel_node *node, const struct named *named, size_t count)
{
	const struct cel_node *const inner[] = {node->operand,	      node->loop.range, node->loop.init,
						node->loop.condition, node->loop.step,	node->loop.result};

	if (node->kind == CEL_N_IDENT)
		for (size_t i = 0; i < count; i++)
			if (!named[i].done && strcmp(named[i].name, node->name + (node->name[0] == '.')) == 0)
				return true;
	return any_reads_waiting(inner, sizeof inner / sizeof *inner, named, count)
	       || any_reads_waiting(node->arguments, node->argument_count, named, count);
}

static struct policy_binding *
new_binding(struct policy_compiler *compiler)
{
	struct policy_bindings *bindings = &compiler->bindings;

	if (bindings->count == bindings->room) {
		size_t room = bindings->room ? 2 * bindings->room : 16;
		struct policy_binding *items = arena_take_array(compiler->arena, room, sizeof *items);

		if (bindings->count)
			memcpy(items, bindings->items, bindings->count * sizeof *items);
		bindings->items = items;
		bindings->room = room;
	}
	return &bindings->items[bindings->count];
}

static bool
compile_binding(struct policy_compiler *compiler, const char *container, const struct named *named,
		struct cel_faults *faults)
{
	struct compiling compiling = {.tree = named->tree, .faults = faults};
	struct policy_conjunct expression = {0};
	struct policy_binding *binding = new_binding(compiler);
	struct error error = {0};

	compiling.checked = cel_check(compiler->env, compiler->scratch, named->tree, NULL, faults);
	if (!compiling.checked || !compile_node(compiler, &compiling, named->tree->root, &expression))
		return false;
	*binding = (struct policy_binding){.name = named->name, .value = expression.ask};
	binding->variable =
	    container ? arena_format(compiler->arena, "%s.%s", container, named->name) : named->name;
	if (!cel_declare(compiler->env, binding->variable,
			 cel_checked_type(compiling.checked, named->tree->root), &binding->slot, &error)) {
		cel_fault_add(faults, named->source, strlen(named->source), CEL_UNDECLARED, 0, "%s",
			      error.text);
		return false;
	}
	compiler->bindings.count++;
	return true;
}

static bool
parse_all(struct policy_compiler *compiler, struct named *named, size_t count, struct cel_faults *faults)
{
	bool good = true;

	for (size_t i = 0; i < count; i++) {
		named[i].tree = cel_parse(compiler->scratch, named[i].source, strlen(named[i].source), 0,
					  NULL, &faults[i]);
		good = good && named[i].tree;
	}
	return good;
}

/* Those that read nothing that waits, until none is left or nothing moves. */
static bool
compile_in_order(struct policy_compiler *compiler, const char *container, struct named *named, size_t count,
		 struct cel_faults *faults)
{
	bool good = true;

	for (bool moved = true; moved;) {
		moved = false;
		for (size_t i = 0; i < count; i++) {
			if (named[i].done || reads_waiting(named[i].tree->root, named, count))
				continue;
			good = compile_binding(compiler, container, &named[i], &faults[i]) && good;
			named[i].done = moved = true;
		}
	}
	return good;
}

bool
policy_compile_bindings(struct policy_compiler *compiler, const char *container, const char *const *names,
			const char *const *sources, size_t count, struct cel_faults *faults)
{
	struct named *named = arena_take_array(compiler->scratch, count, sizeof *named);

	for (size_t i = 0; i < count; i++)
		named[i] = (struct named){.name = names[i], .source = sources[i]};
	if (!parse_all(compiler, named, count, faults))
		return false;

	bool good = compile_in_order(compiler, container, named, count, faults);

	for (size_t i = 0; i < count; i++)
		if (!named[i].done) {
			cel_fault_add(&faults[i], sources[i], strlen(sources[i]), CEL_UNDECLARED, 0,
				      "%s reads itself, straight or through others", names[i]);
			good = false;
		}
	return good;
}
