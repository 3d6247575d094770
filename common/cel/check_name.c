/* SPDX-License-Identifier: Apache-2.0 */
/* check_name.c - what names mean: a comprehension's variable, a declared variable, a type; the longest qualified name wins. */
#include "common/cel/check.h"

#include <string.h>

const struct check_scope *
check_local(const struct checker *checker, const char *name)
{
	const struct check_scope *scope = checker->scope;

	while (scope && (!scope->name || strcmp(scope->name, name) != 0))
		scope = scope->outer;
	return scope;
}

/* Writes the chain from the right end of the name on; the length before it, SIZE_MAX when it does not fit or is no chain. */
static size_t
write_backwards(const struct cel_node *node, char *name, size_t end)
{
	for (; node->kind == CEL_N_SELECT && !node->test_only; node = node->operand) {
		size_t length = strlen(node->name);

		if (length + 1 > end)
			return SIZE_MAX;
		end -= length;
		memcpy(name + end, node->name, length);
		name[--end] = '.';
	}
	if (node->kind != CEL_N_IDENT || strlen(node->name) > end)
		return SIZE_MAX;
	end -= strlen(node->name);
	memcpy(name + end, node->name, strlen(node->name));
	return end;
}

static const struct cel_node *
leftmost(const struct cel_node *node)
{
	while (node->kind == CEL_N_SELECT && !node->test_only)
		node = node->operand;
	return node;
}

bool
check_qualified(const struct checker *checker, const struct cel_node *node, char name[CEL_CANDIDATE_MAX])
{
	const struct cel_node *root = leftmost(node);

	if (root->kind != CEL_N_IDENT || check_local(checker, root->name))
		return false;
	name[CEL_CANDIDATE_MAX - 1] = '\0';
	size_t start = write_backwards(node, name, CEL_CANDIDATE_MAX - 1);
	if (start == SIZE_MAX)
		return false;
	memmove(name, name + start, CEL_CANDIDATE_MAX - start);
	return true;
}

const struct cel_type *
check_lookup(struct checker *checker, const struct cel_node *node, const char *name)
{
	struct check_meaning *meaning = check_meaning_of(checker, node);
	char candidate[CEL_CANDIDATE_MAX];

	for (size_t i = 0; cel_env_candidate(checker->env, name, i, candidate); i++) {
		const struct cel_variable *variable = cel_env_variable(checker->env, candidate, &meaning->slot);
		const struct cel_type *type;

		if (variable) {
			meaning->is_variable = true;
			return cel_unify_instantiate(&checker->unifier, variable->type, &checker->declared);
		}
		type = cel_env_type(candidate);
		if (type) {
			meaning->type_value = type;
			return cel_type_of(checker->arena, type);
		}
	}
	return NULL;
}

const struct cel_function_entry *
check_function(const struct checker *checker, const char *name, const char **found)
{
	char candidate[CEL_CANDIDATE_MAX];

	for (size_t i = 0; cel_env_candidate(checker->env, name, i, candidate); i++) {
		const struct cel_function_entry *function = cel_env_function(checker->env, candidate);

		if (!function)
			continue;
		if (found)
			*found = function->name;
		return function;
	}
	return NULL;
}

const struct cel_type *
check_identifier(struct checker *checker, const struct cel_node *node)
{
	const struct check_scope *local = check_local(checker, node->name);
	const struct cel_type *type;

	if (local)
		return local->type;
	type = check_lookup(checker, node, node->name);
	return type ? type : check_fault_name(checker, node);
}
