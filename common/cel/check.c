/* SPDX-License-Identifier: Apache-2.0 */
/* check.c - deduces the types of a tree: the entry, literals, comprehensions. Names, selections and calls have files of their own. */
#include "common/cel/check.h"

#include <string.h>

#define DEPTH_MAX 1000 /* of the walk; chains as a + a + a … are deep on their left */

const struct cel_type check_unknown = {.kind = CEL_T_DYN};

static void
make_room(struct checker *checker, uint32_t id)
{
	struct cel_checked *checked = checker->checked;
	size_t room = (size_t)id + 1;

	if (room <= checked->room)
		return;
	if (room < 2 * checked->room)
		room = 2 * checked->room;
	const struct cel_type **types = arena_take_array(checker->arena, room, sizeof(const struct cel_type *));
	struct check_meaning *meanings = arena_take_array(checker->arena, room, sizeof *meanings);
	if (checked->room > 0) {
		memcpy(types, checked->types, checked->room * sizeof(const struct cel_type *));
		memcpy(meanings, checked->meanings, checked->room * sizeof *meanings);
	}
	*checked = (struct cel_checked){types, meanings, room};
}

const struct cel_type *
check_type_of(struct checker *checker, const struct cel_node *node)
{
	const struct cel_type *type =
	    node->id < checker->checked->room ? checker->checked->types[node->id] : NULL;

	return type ? cel_unify_resolve(&checker->unifier, type, false) : &check_unknown;
}

struct check_meaning *
check_meaning_of(struct checker *checker, const struct cel_node *node)
{
	make_room(checker, node->id);
	return &checker->checked->meanings[node->id];
}

/* --- literals --- */

/* What an item marked with ? adds to its list or map: what the optional holds. */
static const struct cel_type *
unwrapped(struct checker *checker, const struct cel_node *node, const struct cel_type *type, bool optional)
{
	if (!optional || type->kind == CEL_T_DYN)
		return type;
	const struct cel_type *inner = cel_unify_fresh(&checker->unifier);
	if (cel_unify_assignable(&checker->unifier, type, cel_type_optional(checker->arena, inner)))
		return cel_unify_resolve(&checker->unifier, inner, false);
	return check_fault(checker, CEL_TYPE_ERROR, node->position,
			   "an item marked with ? must be an optional, found %s",
			   check_type_text(checker, type));
}

static const struct cel_type *
check_list(struct checker *checker, const struct cel_node *node)
{
	const struct cel_type *items = NULL;

	for (size_t i = 0; i < node->argument_count; i++) {
		const struct cel_node *item = node->arguments[i];
		const struct cel_type *type = check_node(checker, item);

		type = unwrapped(checker, item, type, node->optional && node->optional[i]);
		items = cel_unify_join(&checker->unifier, items, type);
	}
	return cel_type_list(checker->arena, items ? items : cel_unify_fresh(&checker->unifier));
}

/* What it is as a key: anything when it can be none, lest types of keys within keys double with every step. */
static const struct cel_type *
check_key(struct checker *checker, const struct cel_node *key)
{
	const struct cel_type *type = cel_unify_resolve(&checker->unifier, check_node(checker, key), false);

	switch (type->kind) {
	case CEL_T_DYN:
	case CEL_T_PARAM:
	case CEL_T_BOOL:
	case CEL_T_INT:
	case CEL_T_UINT:
	case CEL_T_STRING:
	case CEL_T_WRAPPER:
		return type;
	default:
		return check_fault(checker, CEL_TYPE_ERROR, key->position,
				   "a map's key must be a string, int, uint or bool, found %s",
				   check_type_text(checker, type));
	}
}

static const struct cel_type *
check_map(struct checker *checker, const struct cel_node *node)
{
	const struct cel_type *keys = NULL, *values = NULL;

	for (size_t i = 0; i + 1 < node->argument_count; i += 2) {
		const struct cel_node *value = node->arguments[i + 1];
		const struct cel_type *key_type = check_key(checker, node->arguments[i]);
		const struct cel_type *type = check_node(checker, value);

		type = unwrapped(checker, value, type, node->optional && node->optional[i / 2]);
		keys = cel_unify_join(&checker->unifier, keys, key_type);
		values = cel_unify_join(&checker->unifier, values, type);
	}
	if (!keys)
		keys = cel_unify_fresh(&checker->unifier);
	if (!values)
		values = cel_unify_fresh(&checker->unifier);
	return cel_type_map(checker->arena, keys, values);
}

static const struct cel_type *
check_struct(struct checker *checker, const struct cel_node *node)
{
	if (check_lookup(checker, node, node->name))
		return check_fault(checker, CEL_TYPE_ERROR, node->position,
				   "'%s' is no message, and messages cannot be made here", node->name);
	return check_fault(
	    checker, CEL_UNDECLARED, node->position,
	    "unknown message '%s'; messages cannot be made here, a map is written {'field': value}",
	    node->name);
}

/* --- comprehensions --- */

/* The types of the iterators over a range; *second is that of the second of two, or NULL. */
static const struct cel_type *
check_range(struct checker *checker, const struct cel_node *node, const struct cel_type **second)
{
	const struct cel_node *range = node->loop.range;
	const struct cel_type *type = cel_unify_resolve(&checker->unifier, check_node(checker, range), false);
	static const struct cel_type string = {.kind = CEL_T_STRING}, integer = {.kind = CEL_T_INT};

	*second = &check_unknown;
	switch (type->kind) {
	case CEL_T_LIST:
		*second = type->parameters[0];
		return node->loop.second ? &integer : type->parameters[0];
	case CEL_T_MAP:
		*second = type->parameters[1];
		return type->parameters[0];
	case CEL_T_RECORD:
		return &string;
	case CEL_T_DYN:
		return &check_unknown;
	case CEL_T_PARAM:
		/* bound to dyn, lest what follows makes it something that has no elements */
		cel_unify_assignable(&checker->unifier, &check_unknown, type);
		return &check_unknown;
	default:
		return check_fault(checker, CEL_TYPE_ERROR, range->position,
				   "expected a list or a map to go through, found %s",
				   check_type_text(checker, type));
	}
}

static void
expect(struct checker *checker, const struct cel_node *node, const struct cel_type *expected, const char *what)
{
	const struct cel_type *type = check_type_of(checker, node);

	if (!cel_unify_assignable(&checker->unifier, type, expected))
		check_fault(checker, CEL_TYPE_ERROR, node->position, "%s must be %s, found %s", what,
			    check_type_text(checker, cel_unify_resolve(&checker->unifier, expected, false)),
			    check_type_text(checker, type));
}

static const struct cel_type *
check_comprehension(struct checker *checker, const struct cel_node *node)
{
	const struct check_scope *outer = checker->scope;
	const struct cel_type *second;
	const struct cel_type *first = check_range(checker, node, &second);
	struct check_scope accumulator = {node->loop.accumulator, check_node(checker, node->loop.init), outer};
	struct check_scope iterator = {node->loop.iterator, first, &accumulator};
	struct check_scope iterator2 = {node->loop.second, second, &iterator};

	checker->scope = node->loop.second ? &iterator2 : &iterator;
	check_node(checker, node->loop.condition);
	expect(checker, node->loop.condition, cel_type_simple(CEL_T_BOOL), "the condition");
	check_node(checker, node->loop.step);
	expect(checker, node->loop.step, accumulator.type, "each step's result");
	checker->scope = &accumulator;
	check_node(checker, node->loop.result);
	checker->scope = outer;
	return check_type_of(checker, node->loop.result);
}

/* --- the walk --- */

static const struct cel_type *
check_kind(struct checker *checker, const struct cel_node *node)
{
	switch (node->kind) {
	case CEL_N_LITERAL:
		return cel_type_of_value(node->value);
	case CEL_N_IDENT:
		return check_identifier(checker, node);
	case CEL_N_SELECT:
		return check_select(checker, node);
	case CEL_N_CALL:
		return check_call(checker, node);
	case CEL_N_LIST:
		return check_list(checker, node);
	case CEL_N_MAP:
		return check_map(checker, node);
	case CEL_N_STRUCT:
		return check_struct(checker, node);
	case CEL_N_COMPREHENSION:
		return check_comprehension(checker, node);
	}
	return &check_unknown;
}

const struct cel_type *
check_node(struct checker *checker, const struct cel_node *node)
{
	const struct cel_type *type;

	if (checker->depth >= DEPTH_MAX)
		return check_fault(checker, CEL_DEPTH, node->position, "nested too deep");
	checker->depth++;
	type = check_kind(checker, node);
	checker->depth--;
	make_room(checker, node->id);
	checker->checked->types[node->id] = type;
	return type;
}

static void
finish(struct checker *checker, const struct cel_type *expected)
{
	const struct cel_node *root = checker->tree->root;

	if (expected)
		expect(checker, root, cel_unify_instantiate(&checker->unifier, expected, &checker->declared),
		       "the result");
	for (size_t id = 0; id < checker->checked->room; id++)
		if (checker->checked->types[id])
			checker->checked->types[id] =
			    cel_unify_resolve(&checker->unifier, checker->checked->types[id], true);
	if (checker->unifier.work >= checker->unifier.work_max && !checker->failed)
		check_fault(checker, CEL_DEPTH, root->position, "its types are too large to be deduced");
}

const struct cel_checked *
cel_check(struct cel_env *env, struct arena *arena, const struct cel_tree *tree,
	  const struct cel_type *expected, struct cel_faults *faults)
{
	struct checker checker = {
	    .env = env,
	    .arena = arena,
	    .tree = tree,
	    .faults = faults,
	    .unifier = {.arena = arena,
			.work_max = CEL_UNIFY_WORK_MAX + CEL_UNIFY_WORK_NODE * (uint64_t)tree->node_count},
	    .checked = arena_take(arena, sizeof(struct cel_checked)),
	};

	make_room(&checker, tree->node_count);
	check_node(&checker, tree->root);
	finish(&checker, expected);
	return checker.failed ? NULL : checker.checked;
}

const struct cel_type *
cel_checked_type(const struct cel_checked *checked, const struct cel_node *node)
{
	return node->id < checked->room ? checked->types[node->id] : NULL;
}

static const struct check_meaning *
meaning(const struct cel_checked *checked, const struct cel_node *node)
{
	return node->id < checked->room ? &checked->meanings[node->id] : NULL;
}

bool
cel_checked_slot(const struct cel_checked *checked, const struct cel_node *node, size_t *slot)
{
	const struct check_meaning *found = meaning(checked, node);

	if (!found || !found->is_variable)
		return false;
	*slot = found->slot;
	return true;
}

const struct cel_type *
cel_checked_type_value(const struct cel_checked *checked, const struct cel_node *node)
{
	const struct check_meaning *found = meaning(checked, node);

	return found ? found->type_value : NULL;
}

const char *
cel_checked_function(const struct cel_checked *checked, const struct cel_node *node)
{
	const struct check_meaning *found = meaning(checked, node);

	return found ? found->function : NULL;
}
