/* SPDX-License-Identifier: Apache-2.0 */
/* compile_constant.c - literals of literals are made once, when the program is; those that are searched become sets. */
#include "common/cel/compile.h"

#include <string.h>

static bool
fold_list(struct compiler *c, const struct cel_node *node, struct cel_value *value)
{
	struct cel_value *items = arena_take_array(c->arena, node->argument_count, sizeof *items);

	for (size_t i = 0; i < node->argument_count; i++)
		if (!compile_folded(c, node->arguments[i], &items[i]))
			return false;
	*value = cel_list(c->arena, items, node->argument_count);
	return true;
}

static bool
fold_map(struct compiler *c, const struct cel_node *node, struct cel_value *value)
{
	size_t count = node->argument_count / 2;
	struct cel_entry *entries = arena_take_array(c->arena, count, sizeof *entries);

	for (size_t i = 0; i < count; i++)
		if (!compile_folded(c, node->arguments[2 * i], &entries[i].key)
		    || !compile_folded(c, node->arguments[2 * i + 1], &entries[i].value))
			return false;
	*value = cel_map(c->arena, entries, count);
	return value->kind == CEL_MAP;
}

/* Looked at first, so that nothing is taken from the arena in vain. */
static bool
is_constant(const struct cel_node *node)
{
	if (node->kind == CEL_N_LITERAL || compile_is_made(node))
		return true;
	if ((node->kind != CEL_N_LIST && node->kind != CEL_N_MAP) || node->optional)
		return false;
	for (size_t i = 0; i < node->argument_count; i++)
		if (!is_constant(node->arguments[i]))
			return false;
	return true;
}

bool
compile_folded(struct compiler *c, const struct cel_node *node, struct cel_value *value)
{
	if (!is_constant(node))
		return false;
	if (node->kind == CEL_N_LIST)
		return fold_list(c, node, value);
	if (node->kind == CEL_N_MAP)
		return fold_map(c, node, value);
	if (node->kind == CEL_N_CALL)
		return compile_made(c, node, value);
	*value = node->value;
	if (value->kind == CEL_STRING || value->kind == CEL_BYTES)
		*value = ((const struct cel_value *)c->constants.items)[compile_constant(c, node->value)];
	return true;
}

enum { SET_SMALL = 8 };

/* A set that is no larger is searched from the front. */
static void
lay_out(struct compiler *c, struct cel_set *set)
{
	size_t places = 4 * SET_SMALL;
	uint32_t *table;

	while (places < 2 * set->count)
		places *= 2;
	table = arena_take_array(c->arena, places, sizeof *table);
	set->mask = places - 1;
	for (size_t i = 0; i < set->count; i++) {
		size_t place = cel_set_hash(set->items[i].as.bytes, set->items[i].extra) & set->mask;

		while (table[place] != 0)
			place = (place + 1) & set->mask;
		table[place] = (uint32_t)i + 1;
	}
	set->table = table;
}

uint32_t
compile_set(struct compiler *c, const struct cel_list *list)
{
	struct cel_set *set = compile_grow(c, &c->sets, sizeof *set);

	*set = (struct cel_set){.items = list->items, .count = list->count, .strings = true};
	for (size_t i = 0; i < list->count; i++)
		set->strings = set->strings && list->items[i].kind == CEL_STRING;
	if (set->strings && set->count > SET_SMALL)
		lay_out(c, set);
	return (uint32_t)(c->sets.count - 1);
}
