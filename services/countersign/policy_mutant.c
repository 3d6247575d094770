/* SPDX-License-Identifier: Apache-2.0 */
/* policy_mutant.c - small mistakes, made one at a time on the syntax trees of the rules. */
#include "services/countersign/policy_mutant.h"
#include "common/cel/ast.h"
#include "common/cel/time.h"

#include <inttypes.h>
#include <string.h>

/* The one expression that is being changed. */
struct mutating {
	struct arena *arena;
	struct policy_mutants *mutants;
	const struct value *rule;
	size_t position;
	const char *key; /* "when" */
	const char *let; /* with "let": which */
	const struct cel_node *root;
};

static struct value *
borrow(const struct value *value)
{
	return (struct value *)(uintptr_t)value;
}

/* A map with one member put in another's place, or (value NULL) left out. */
static struct value *
replaced(struct arena *arena, const struct value *map, const char *name, const struct value *value)
{
	struct value *copy = value_map(arena);

	for (size_t i = 0; i < map->as.map.count; i++) {
		const struct value_member *one = &map->as.map.members[i];

		if (strcmp(one->name.bytes, name) != 0)
			value_set(arena, copy, one->name.bytes, one->value);
		else if (value)
			value_set(arena, copy, name, borrow(value));
	}
	return copy;
}

static void
add_mutant(struct mutating *m, const char *change, const struct value *mutated)
{
	struct policy_mutants *all = m->mutants;

	if (all->count == all->room) {
		size_t room = all->room ? 2 * all->room : 64;
		struct policy_mutant *items = arena_take_array(m->arena, room, sizeof *items);

		if (all->count)
			memcpy(items, all->items, all->count * sizeof *items);
		all->items = items;
		all->room = room;
	}
	all->items[all->count++] = (struct policy_mutant){.rule = value_get_string(m->rule, "id"),
							  .change = change,
							  .position = m->position,
							  .mutated = mutated};
}

/* The rule with this source in the place of the expression. */
static const struct value *
with_source(const struct mutating *m, const char *source)
{
	const struct value *text = value_string(m->arena, source);

	if (m->let)
		text = replaced(m->arena, value_get(m->rule, "let"), m->let, text);
	return replaced(m->arena, m->rule, m->key, text);
}

/* ------------------------------------------------------------------ trees */

static const struct cel_node *
as_written(const struct cel_node *node)
{
	return node->macro ? node->macro : node;
}

/* A copy of the tree, as it was written, with one node exchanged. */
static const struct cel_node *
exchanged(struct arena *arena, const struct cel_node *node, const struct cel_node *old,
	  const struct cel_node *new)
{
	if (node == old)
		return new;

	struct cel_node *copy = arena_take(arena, sizeof *copy);

	*copy = *as_written(node);
	if (copy->operand)
		copy->operand = exchanged(arena, copy->operand, old, new);
	copy->arguments = arena_take_array(arena, copy->argument_count, sizeof *copy->arguments);
	for (size_t i = 0; i < copy->argument_count; i++)
		copy->arguments[i] = exchanged(arena, as_written(node)->arguments[i], old, new);
	return copy;
}

static const char *
place_of(const struct mutating *m)
{
	return m->let ? arena_format(m->arena, "let.%s", m->let) : m->key;
}

/* `shown` is the part that people are told of; `old` in it becomes `new`. */
static void
add_exchange(struct mutating *m, const struct cel_node *shown, const struct cel_node *old,
	     const struct cel_node *new)
{
	const char *change =
	    arena_format(m->arena, "%s: %s becomes %s", place_of(m), cel_unparse(m->arena, shown),
			 cel_unparse(m->arena, exchanged(m->arena, shown, old, new)));

	add_mutant(m, change, with_source(m, cel_unparse(m->arena, exchanged(m->arena, m->root, old, new))));
}

static bool
is_operator(const struct cel_node *node, const char *name)
{
	return node->kind == CEL_N_CALL && !node->operand && strcmp(node->name, name) == 0;
}

static void
flip_operators(struct mutating *m, const struct cel_node *node)
{
	static const char *const flips[][2] = {{"_==_", "_!=_"}, {"_<_", "_<=_"},  {"_>_", "_>=_"},
					       {"_<_", "_>_"},	 {"_<=_", "_>=_"}, {"_&&_", "_||_"}};

	for (size_t i = 0; i < sizeof flips / sizeof *flips; i++)
		for (size_t side = 0; side < 2; side++)
			if (is_operator(node, flips[i][side])) {
				struct cel_node *flipped = arena_take(m->arena, sizeof *flipped);

				*flipped = *node;
				flipped->name = flips[i][1 - side];
				add_exchange(m, node, node, flipped);
			}
}

/* What `literal` becomes, CEL_ABSENT when it can't be moved. */
static struct cel_value
moved_int(const struct cel_node *literal, int step)
{
	struct cel_value value = literal->value;

	if (literal->kind != CEL_N_LITERAL || value.kind != CEL_INT
	    || __builtin_add_overflow(value.as.integer, step, &value.as.integer))
		value.kind = CEL_ABSENT;
	return value;
}

static struct cel_value
moved_duration(struct arena *arena, const struct cel_node *literal, int step)
{
	struct cel_value text = literal->value, span;
	char moved[CEL_TIME_TEXT_SIZE];

	if (literal->kind != CEL_N_LITERAL || text.kind != CEL_STRING
	    || cel_duration_parse(text.as.bytes, text.extra, &span) != CEL_OK
	    || __builtin_add_overflow(span.as.integer,
				      span.as.integer % CEL_NANOSECONDS == 0 ? step * CEL_NANOSECONDS : step,
				      &span.as.integer))
		return (struct cel_value){.kind = CEL_ABSENT};
	text.extra = (uint32_t)cel_duration_text(span, moved);
	text.as.bytes = arena_copy(arena, moved, text.extra);
	return text;
}

static void
move_boundary(struct mutating *m, const struct cel_node *comparison, const struct cel_node *side)
{
	bool is_duration = is_operator(side, "duration") && side->argument_count == 1;
	const struct cel_node *literal = is_duration ? side->arguments[0] : side;

	for (int step = -1; step <= 1; step += 2) {
		struct cel_node *moved = arena_take(m->arena, sizeof *moved);

		*moved = *literal;
		moved->value = is_duration ? moved_duration(m->arena, literal, step) : moved_int(literal, step);
		if (moved->value.kind != CEL_ABSENT)
			add_exchange(m, comparison, literal, moved);
	}
}

static void
move_boundaries(struct mutating *m, const struct cel_node *node)
{
	static const char *const comparisons[] = {"_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_"};

	for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++)
		if (is_operator(node, comparisons[i])) {
			move_boundary(m, node, node->arguments[0]);
			move_boundary(m, node, node->arguments[1]);
		}
}

/* The parser has bounded the depth. */
static void
mutate_node(struct mutating *m, const struct cel_node *node)
{
	node = as_written(node);
	flip_operators(m, node);
	move_boundaries(m, node);
	if (is_operator(node, "!_"))
		add_exchange(m, node, node, node->arguments[0]);
	if (node->operand)
		mutate_node(m, node->operand);
	for (size_t i = 0; i < node->argument_count; i++)
		mutate_node(m, node->arguments[i]);
}

/* Each operand of the top-level &&: the other side stands alone instead. */
static void
drop_conjuncts(struct mutating *m, const struct cel_node *node)
{
	for (size_t side = 0; is_operator(node, "_&&_") && side < 2; side++) {
		const struct cel_node *dropped = node->arguments[side];

		if (is_operator(dropped, "_&&_")) {
			drop_conjuncts(m, dropped);
			continue;
		}
		add_mutant(
		    m, arena_format(m->arena, "%s: without %s", place_of(m), cel_unparse(m->arena, dropped)),
		    with_source(m, cel_unparse(m->arena, exchanged(m->arena, m->root, node,
								   node->arguments[1 - side]))));
	}
}

/* ------------------------------------------------------------------ rules */

static const struct cel_node *
parsed(struct mutating *m, const struct value *source)
{
	struct cel_faults faults = {0};
	const struct cel_tree *tree =
	    source && source->kind == VALUE_STRING
		? cel_parse(m->arena, source->as.string.bytes, source->as.string.length, 0, NULL, &faults)
		: NULL;

	return tree ? tree->root : NULL;
}

static void
mutate_expression(struct mutating *m, const struct value *source)
{
	m->root = parsed(m, source);
	if (!m->root)
		return;
	mutate_node(m, m->root);
	if (!m->let)
		drop_conjuncts(m, m->root);
}

static void
mutate_rule(struct mutating *m)
{
	static const char *const keys[] = {"when", "unless"};
	const struct value *let = value_get(m->rule, "let");

	m->key = "let";
	for (size_t i = 0; let && i < let->as.map.count; i++) {
		m->let = let->as.map.members[i].name.bytes;
		mutate_expression(m, let->as.map.members[i].value);
	}
	m->let = NULL;
	for (size_t i = 0; i < 2; i++) {
		m->key = keys[i];
		mutate_expression(m, value_get(m->rule, m->key));
		if (value_get(m->rule, m->key) && (i == 1 || (m->root && !is_operator(m->root, "_&&_"))))
			add_mutant(m, arena_format(m->arena, "without its %s", m->key),
				   replaced(m->arena, m->rule, m->key, NULL));
	}
	add_mutant(m, "the rule is removed", NULL);
}

struct policy_mutants
policy_mutants_of(struct arena *arena, const struct value *document)
{
	struct policy_mutants mutants = {0};
	const struct value *rules = value_get(document, "rules");

	for (size_t i = 0; rules && i < rules->as.list.count; i++) {
		struct mutating m = {
		    .arena = arena, .mutants = &mutants, .rule = rules->as.list.items[i], .position = i};

		mutate_rule(&m);
	}
	return mutants;
}

const struct value *
policy_mutant_document(struct arena *arena, const struct value *document, const struct policy_mutant *mutant)
{
	const struct value *rules = value_get(document, "rules");
	struct value *list = value_list(arena);

	for (size_t i = 0; i < rules->as.list.count; i++) {
		if (i != mutant->position)
			value_append(arena, list, rules->as.list.items[i]);
		else if (mutant->mutated)
			value_append(arena, list, borrow(mutant->mutated));
	}
	return replaced(arena, document, "rules", list);
}
