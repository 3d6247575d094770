/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compile_name.c - what identifiers and chains of selections stand for. A comprehension's variable comes first, unless a leading dot asks
 * for the root; then the longest qualified name that is a variable or a type, from the innermost container outwards.
 */
#include "common/cel/compile.h"

#include <string.h>

enum {
	CHAIN_MAX = 64
}; /* selections in a row that are looked at for a qualified name; longer ones name nothing */

/* An identifier and the selections on it: nodes[0] is the identifier, nodes[count - 1] the whole. */
struct chain {
	const struct cel_node *nodes[CHAIN_MAX];
	size_t count;
};

/* What the head of a chain means, the first `used` nodes of it. */
struct meaning {
	size_t used; /* 0: nothing */
	const struct local *local;
	const struct cel_type *type; /* as a value */
	size_t slot;
};

static bool
chain_of(const struct cel_node *node, struct chain *chain)
{
	size_t count = 0;

	for (const struct cel_node *n = node; n; n = n->operand) {
		if (n->kind != CEL_N_IDENT && (n->kind != CEL_N_SELECT || n->test_only))
			return false;
		if (++count > CHAIN_MAX)
			return false;
		if (n->kind == CEL_N_IDENT)
			break;
	}
	chain->count = count;
	for (const struct cel_node *n = node; count > 0; n = n->operand)
		chain->nodes[--count] = n;
	return chain->nodes[0]->kind == CEL_N_IDENT;
}

/* "a.b.c" of the first `used` nodes; empty when it is too long to name anything. */
static void
join(const struct chain *chain, size_t used, char name[CEL_CANDIDATE_MAX])
{
	size_t length = 0;

	for (size_t i = 0; i < used; i++) {
		size_t more = strlen(chain->nodes[i]->name);

		if (length + more + 2 > CEL_CANDIDATE_MAX) {
			name[0] = '\0';
			return;
		}
		if (i > 0)
			name[length++] = '.';
		memcpy(name + length, chain->nodes[i]->name, more);
		length += more;
	}
	name[length] = '\0';
}

const struct local *
compile_local(const struct compiler *c, const char *name)
{
	const struct local *local = c->locals;

	while (local && strcmp(local->name, name) != 0)
		local = local->outer;
	return local;
}

/* What a whole name means, by the first candidate that means anything. What is a variable the checker says, if there was one. */
static bool
means(const struct compiler *c, const char *name, struct meaning *meaning)
{
	char candidate[CEL_CANDIDATE_MAX];

	for (size_t i = 0; cel_env_candidate(c->env, name, i, candidate); i++) {
		if (!c->checked && cel_env_variable(c->env, candidate, &meaning->slot))
			return true;
		meaning->type = cel_env_type(candidate);
		if (meaning->type)
			return true;
	}
	return false;
}

static struct meaning
meaning_of(const struct compiler *c, const struct chain *chain)
{
	char name[CEL_CANDIDATE_MAX];
	struct meaning meaning = {.local = compile_local(c, chain->nodes[0]->name)};

	if (meaning.local) {
		meaning.used = 1;
		return meaning;
	}
	for (meaning.used = chain->count; meaning.used > 0; meaning.used--) {
		if (c->checked && cel_checked_slot(c->checked, chain->nodes[meaning.used - 1], &meaning.slot))
			break;
		join(chain, meaning.used, name);
		if (means(c, name, &meaning))
			break;
	}
	return meaning;
}

bool
compile_variable(const struct compiler *c, const struct cel_node *node, size_t *slot)
{
	struct chain chain;
	struct meaning meaning;

	if (!chain_of(node, &chain))
		return false;
	meaning = meaning_of(c, &chain);
	*slot = meaning.slot;
	return meaning.used == chain.count && !meaning.local && !meaning.type;
}

/* --- selections on records --- */

static uint16_t
hint_of(const struct cel_type *type, const char *name)
{
	if (type && type->kind == CEL_T_RECORD)
		for (size_t i = 0; i < type->field_count && i < NO_HINT; i++)
			if (strcmp(type->fields[i].name, name) == 0)
				return (uint16_t)i;
	return NO_HINT;
}

/* The type of what a field of this type holds, where that is known. */
static const struct cel_type *
type_of_field(const struct cel_type *type, const char *name)
{
	uint16_t hint = hint_of(type, name);

	return hint == NO_HINT ? NULL : type->fields[hint].type;
}

static const struct cel_type *
checked_type(const struct compiler *c, const struct cel_node *node)
{
	return c->checked ? cel_checked_type(c->checked, node) : NULL;
}

static void
emit_field(struct compiler *c, const struct cel_node *node, const struct cel_type *type)
{
	compile_emit(c, node,
		     (struct cel_instruction){.op = node->test_only ? OP_HAS : OP_FIELD,
					      .count = hint_of(type, node->name),
					      .a = compile_text(c, node->name)},
		     0);
}

/* The variable and the selections on it from chain->nodes[used] on. */
static void
emit_slot(struct compiler *c, const struct chain *chain, const struct meaning *meaning)
{
	const struct cel_type *type = cel_env_variable_at(c->env, meaning->slot)->type;
	size_t used = meaning->used;
	const struct cel_node *node = chain->nodes[used - 1];

	if (used == chain->count) {
		compile_emit(c, node, (struct cel_instruction){.op = OP_SLOT, .a = (uint32_t)meaning->slot}, 1);
		return;
	}
	node = chain->nodes[used];
	compile_emit(c, node,
		     (struct cel_instruction){.op = OP_SLOT_FIELD,
					      .count = hint_of(type, node->name),
					      .a = (uint32_t)meaning->slot,
					      .b = compile_text(c, node->name)},
		     1);
	for (used++; used < chain->count; used++) {
		type = type_of_field(type, node->name);
		node = chain->nodes[used];
		emit_field(c, node, type);
	}
}

static void
emit_local(struct compiler *c, const struct chain *chain, const struct local *local)
{
	compile_emit(c, chain->nodes[0], (struct cel_instruction){.op = OP_LOCAL, .a = local->place}, 1);
	for (size_t i = 1; i < chain->count; i++)
		emit_field(c, chain->nodes[i], checked_type(c, chain->nodes[i - 1]));
}

static void
compile_chain(struct compiler *c, const struct chain *chain)
{
	struct meaning meaning = meaning_of(c, chain);

	if (meaning.used == 0) {
		compile_error(c, chain->nodes[0], CEL_UNBOUND, chain->nodes[0]->name);
		return;
	}
	if (meaning.local) {
		emit_local(c, chain, meaning.local);
		return;
	}
	if (!meaning.type) {
		emit_slot(c, chain, &meaning);
		return;
	}
	struct cel_value type = {.kind = CEL_TYPE, .as.type = meaning.type};
	compile_emit(c, chain->nodes[0],
		     (struct cel_instruction){.op = OP_CONSTANT, .a = compile_constant(c, type)}, 1);
	for (size_t i = meaning.used; i < chain->count; i++)
		emit_field(c, chain->nodes[i], NULL);
}

void
compile_ident(struct compiler *c, const struct cel_node *node)
{
	struct chain chain = {.nodes = {node}, .count = 1};

	compile_chain(c, &chain);
}

void
compile_select(struct compiler *c, const struct cel_node *node)
{
	struct chain chain;

	if (chain_of(node, &chain)) {
		compile_chain(c, &chain);
		return;
	}
	compile_node(c, node->operand);
	emit_field(c, node, checked_type(c, node->operand));
}

/* --- functions --- */

static const struct cel_function_entry *
means_function(const struct compiler *c, const char *name, bool member)
{
	char candidate[CEL_CANDIDATE_MAX];

	for (size_t i = 0; cel_env_candidate(c->env, name, i, candidate); i++) {
		const struct cel_function_entry *function = cel_env_function(c->env, candidate);

		for (const struct cel_signature *s = function ? function->signatures : NULL; s; s = s->next)
			if (s->member == member)
				return function;
	}
	return NULL;
}

const struct cel_function_entry *
compile_qualified(struct compiler *c, const struct cel_node *call)
{
	char name[CEL_CANDIDATE_MAX];
	struct chain chain;
	size_t length;

	if (c->checked) {
		const char *known = cel_checked_function(c->checked, call);

		return known ? cel_env_function(c->env, known) : NULL;
	}
	if (!chain_of(call->operand, &chain) || compile_local(c, chain.nodes[0]->name))
		return NULL;
	join(&chain, chain.count, name);
	length = strlen(name);
	if (length == 0 || length + 1 + strlen(call->name) >= CEL_CANDIDATE_MAX)
		return NULL;
	name[length] = '.';
	memcpy(name + length + 1, call->name, strlen(call->name) + 1);
	return means_function(c, name, false);
}

const struct cel_function_entry *
compile_global(struct compiler *c, const struct cel_node *call)
{
	const char *known = c->checked ? cel_checked_function(c->checked, call) : NULL;

	return known ? cel_env_function(c->env, known) : means_function(c, call->name, false);
}
