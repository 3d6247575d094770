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
	compiling->tree = cel_parse(compiler->arena, source, strlen(source), 0, NULL, compiling->faults);
	if (!compiling->tree)
		return false;
	compiling->checked =
	    cel_check(compiler->env, compiler->arena, compiling->tree, expected, compiling->faults);
	return compiling->checked != NULL;
}

static size_t
find_let(const struct policy_lets *lets, const char *name)
{
	for (size_t i = 0; i < lets->count; i++)
		if (strcmp(lets->items[i].name, name) == 0)
			return i;
	return SIZE_MAX;
}

static void
add_let(size_t *lets, size_t *count, size_t let)
{
	for (size_t i = 0; i < *count; i++)
		if (lets[i] == let)
			return;
	lets[(*count)++] = let;
}

/* Those that the program reads, each behind those that it reads itself. */
static const size_t *
lets_of(struct policy_compiler *compiler, const struct cel_program *program, size_t *count)
{
	size_t read_count;
	const char *const *reads = cel_program_reads(program, &read_count);
	size_t *found = arena_take_array(compiler->arena, compiler->lets.count, sizeof *found);

	*count = 0;
	for (size_t i = 0; i < read_count; i++) {
		size_t length = strcspn(reads[i], ".[");
		const char *name = arena_copy(compiler->arena, reads[i], length);
		size_t at = find_let(&compiler->lets, name);

		if (at == SIZE_MAX)
			continue;
		for (size_t j = 0; j < compiler->lets.items[at].let_count; j++)
			add_let(found, count, compiler->lets.items[at].lets[j]);
		add_let(found, count, at);
	}
	return found;
}

static bool
compile_node(struct policy_compiler *compiler, const struct compiling *compiling, const struct cel_node *node,
	     struct policy_conjunct *conjunct)
{
	conjunct->program = cel_compile(compiler->env, compiling->tree, node, compiling->checked,
					CEL_COST_MAX, compiling->faults);
	if (!conjunct->program)
		return false;
	conjunct->text =
	    arena_copy(compiler->arena, compiling->tree->source + node->start, node->end - node->start);
	conjunct->position = node->position;
	conjunct->lets = lets_of(compiler, conjunct->program, &conjunct->let_count);
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

static bool
compile_let(struct policy_compiler *compiler, struct named *named, struct cel_faults *faults)
{
	struct compiling compiling = {.tree = named->tree, .faults = faults};
	struct policy_conjunct expression = {0};
	struct policy_let let = {.name = named->name};
	struct error error = {0};

	compiling.checked = cel_check(compiler->env, compiler->arena, named->tree, NULL, faults);
	if (!compiling.checked || !compile_node(compiler, &compiling, named->tree->root, &expression))
		return false;
	if (!cel_declare(compiler->env, named->name, cel_checked_type(compiling.checked, named->tree->root),
			 &let.slot, &error)) {
		cel_fault_add(faults, named->source, strlen(named->source), CEL_UNDECLARED, 0, "%s",
			      error.text);
		return false;
	}
	let.program = expression.program;
	let.lets = expression.lets;
	let.let_count = expression.let_count;
	compiler->lets.items[compiler->lets.count++] = let;
	return true;
}

bool
policy_compile_lets(struct policy_compiler *compiler, const char *const *names, const char *const *sources,
		    size_t count, struct cel_faults *faults)
{
	struct named *named = arena_take_array(compiler->arena, count, sizeof *named);
	bool good = true, moved = true;

	compiler->lets.items = arena_take_array(compiler->arena, count, sizeof *compiler->lets.items);
	for (size_t i = 0; i < count; i++) {
		named[i] = (struct named){.name = names[i], .source = sources[i]};
		named[i].tree = cel_parse(compiler->arena, sources[i], strlen(sources[i]), 0, NULL, &faults[i]);
		good = good && named[i].tree;
	}
	while (good && moved) {
		moved = false;
		for (size_t i = 0; i < count; i++) {
			if (named[i].done || reads_waiting(named[i].tree->root, named, count))
				continue;
			good = compile_let(compiler, &named[i], &faults[i]) && good;
			named[i].done = moved = true;
		}
	}
	for (size_t i = 0; good && i < count; i++)
		if (!named[i].done) {
			cel_fault_add(&faults[i], sources[i], strlen(sources[i]), CEL_UNDECLARED, 0,
				      "%s reads itself, straight or through others", names[i]);
			good = false;
		}
	return good;
}
