/* SPDX-License-Identifier: Apache-2.0 */
/* cost.c - the static estimate: a walk over the tree that adds up what the machine may count at most. What calls cost is in
 * cost_operator.c and cost_function.c, how large values are in cost_extent.c; who is to blame when it is too much, in cost_refuse.c. */
#include "common/cel/cost_private.h"

#include <string.h>

static const struct cost_local *
find_local(const struct cost_walk *walk, const char *name)
{
	const struct cost_local *local = walk->local;

	while (local && (!local->name || strcmp(local->name, name) != 0))
		local = local->outer;
	return local;
}

/* --- names --- */

static const struct cel_variable *
variable_of(const struct cost_walk *walk, const struct cel_node *node)
{
	size_t slot;

	if (!walk->checked || !cel_checked_slot(walk->checked, node, &slot))
		return NULL;
	return cel_env_variable_at(walk->sizes.env, slot);
}

static struct cost_answer
cost_identifier(struct cost_walk *walk, const struct cel_node *node)
{
	const struct cost_local *local = find_local(walk, node->name);
	const struct cel_variable *variable = variable_of(walk, node);
	struct cost_answer answer = {.units = CEL_COST_STEP, .extent = cost_extent_anything()};

	if (local)
		answer.extent = local->extent;
	else if (variable)
		answer.extent = cost_extent_of(&walk->sizes, variable->type, variable->name);
	return answer;
}

static struct cost_answer
cost_select(struct cost_walk *walk, const struct cel_node *node)
{
	const struct cel_variable *variable = variable_of(walk, node);
	struct cost_answer answer;

	if (variable)
		return (struct cost_answer){CEL_COST_STEP,
					    cost_extent_of(&walk->sizes, variable->type, variable->name)};
	if (walk->checked && cel_checked_type_value(walk->checked, node))
		return (struct cost_answer){CEL_COST_STEP, cost_extent_scalar()};
	answer = cost_node(walk, node->operand);
	uint64_t optionals = answer.extent.optionals;
	answer.units = cost_add(answer.units, CEL_COST_STEP);
	answer.extent = node->test_only ? cost_extent_scalar()
					: cost_extent_field(&walk->sizes, &answer.extent, node->name);
	answer.extent.optionals = cost_add(answer.extent.optionals, optionals);
	return answer;
}

/* --- literals --- */

static struct cost_answer
cost_literal(const struct cel_node *node)
{
	if (node->value.kind == CEL_STRING || node->value.kind == CEL_BYTES)
		return (struct cost_answer){
		    0, {.bytes = node->value.extra, .type = cel_type_of_value(node->value)}};
	return (struct cost_answer){0, cost_extent_scalar()};
}

/* A list of literals is made once, when the program is. (So is a map, but not one with a key that occurs twice.) */
bool
cost_is_constant_list(const struct cel_node *node)
{
	if (node->kind != CEL_N_LIST || node->optional)
		return false;
	for (size_t i = 0; i < node->argument_count; i++)
		if (node->arguments[i]->kind != CEL_N_LITERAL && !cost_is_constant_list(node->arguments[i]))
			return false;
	return true;
}

static struct cost_answer
cost_list(struct cost_walk *walk, const struct cel_node *node)
{
	struct cost_answer answer = {.units = cost_is_constant_list(node) ? 0 : CEL_COST_LIST};
	struct cost_extent value = cost_extent_scalar();

	for (size_t i = 0; i < node->argument_count; i++) {
		struct cost_answer item = cost_node(walk, node->arguments[i]);

		answer.units = cost_add(answer.units, item.units);
		value = i ? cost_extent_join(&walk->sizes, value, item.extent) : item.extent;
	}
	answer.extent = cost_extent_list(walk->sizes.arena, node->argument_count, value);
	return answer;
}

static struct cost_answer
cost_map(struct cost_walk *walk, const struct cel_node *node)
{
	struct cost_answer answer = {.units = CEL_COST_MAP};
	struct cost_extent keys = cost_extent_scalar(), values = keys;

	for (size_t i = 0; i + 1 < node->argument_count; i += 2) {
		struct cost_answer key = cost_node(walk, node->arguments[i]);
		struct cost_answer value = cost_node(walk, node->arguments[i + 1]);

		answer.units = cost_add(answer.units, cost_add(key.units, value.units));
		keys = i ? cost_extent_join(&walk->sizes, keys, key.extent) : key.extent;
		values = i ? cost_extent_join(&walk->sizes, values, value.extent) : value.extent;
	}
	answer.extent = cost_extent_map(walk->sizes.arena, node->argument_count / 2, keys, values);
	return answer;
}

/* --- comprehensions --- */

static bool
is_local(const struct cel_node *node, const char *name)
{
	return node->kind == CEL_N_IDENT && strcmp(node->name, name) == 0;
}

static bool
is_call(const struct cel_node *node, const char *name)
{
	return node->kind == CEL_N_CALL && strcmp(node->name, name) == 0;
}

/* `accumulator + [x]`, or an insertion into the map that the accumulator is: what grows in place. */
static bool
is_addition(const struct cel_node *loop, const struct cel_node *step)
{
	const char *name = loop->loop.accumulator;

	if (is_call(step, "_+_") && step->argument_count == 2)
		return is_local(step->arguments[0], name) && step->arguments[1]->kind == CEL_N_LIST
		       && step->arguments[1]->argument_count == 1;
	return is_call(step, "cel.@mapInsert") && step->argument_count >= 2
	       && is_local(step->arguments[0], name);
}

/* What one addition costs, and the list or map of what it adds. */
static struct cost_answer
cost_addition(struct cost_walk *walk, const struct cel_node *step)
{
	struct cost_answer key, value;

	if (step->argument_count == 2) {
		struct cost_answer added = cost_node(walk, step->arguments[1]);

		/* a map's entries are gone through, a list has one item */
		added.units = cost_add(added.units, cost_add(CEL_COST_STEP, added.extent.items));
		return added;
	}
	key = cost_node(walk, step->arguments[1]);
	value = cost_node(walk, step->arguments[2]);
	return (struct cost_answer){cost_add(CEL_COST_STEP, cost_add(key.units, value.units)),
				    cost_extent_map(walk->sizes.arena, 1, key.extent, value.extent)};
}

static bool
is_scalar(const struct cost_walk *walk, const struct cel_node *node)
{
	const struct cel_type *type = walk->checked ? cel_checked_type(walk->checked, node) : NULL;

	return type && type->kind >= CEL_T_NULL && type->kind <= CEL_T_DOUBLE;
}

/* A step, and in *grown what the accumulator is after `rounds` of them. */
static struct cost_answer
cost_step(struct cost_walk *walk, const struct cel_node *loop, uint64_t rounds, struct cost_extent *grown)
{
	const struct cel_node *step = loop->loop.step;
	uint64_t condition = 0;
	struct cost_answer answer;

	if (is_call(step, "_?_:_") && step->argument_count == 3
	    && is_local(step->arguments[2], loop->loop.accumulator)) {
		condition = cost_add(CEL_COST_STEP, cost_node(walk, step->arguments[0]).units);
		step = step->arguments[1];
	}
	if (!is_addition(loop, step)) {
		answer = cost_node(walk, loop->loop.step);
		if (is_scalar(walk, loop->loop.step))
			*grown = cost_extent_scalar();
		return answer;
	}
	answer = cost_addition(walk, step);
	answer.units = cost_add(answer.units, condition);
	*grown = answer.extent;
	grown->items = cost_multiply(rounds, grown->items);
	if (grown->items > CEL_SIZE_MADE)
		grown->items = CEL_SIZE_MADE;
	return answer;
}

static struct cost_answer
cost_comprehension(struct cost_walk *walk, const struct cel_node *node)
{
	const struct cost_local *outer = walk->local;
	struct cost_answer range = cost_node(walk, node->loop.range), init = cost_node(walk, node->loop.init);
	uint64_t rounds = cost_extent_has_items(&range.extent) ? range.extent.items : 0;
	struct cost_local accumulator = {node->loop.accumulator, init.extent, outer};
	struct cost_local first = {node->loop.iterator, cost_extent_anything(), &accumulator};
	struct cost_local second = {node->loop.second, cost_extent_anything(), &first};
	uint64_t units = cost_add(range.units, init.units);

	if (rounds > 0) {
		struct cost_extent grown = cost_extent_made(cel_type_simple(CEL_T_DYN));
		struct cost_answer step;

		cost_iterators(walk, node, &range.extent, &first.extent, &second.extent);
		/* a counter stays one, whatever is counted */
		accumulator.extent = is_scalar(walk, node->loop.init) && is_scalar(walk, node->loop.step)
					 ? cost_extent_scalar()
					 : grown;
		walk->local = node->loop.second ? &second : &first;
		step = cost_step(walk, node, rounds, &grown);
		step.units =
		    cost_add(cost_add(step.units, CEL_COST_STEP), cost_node(walk, node->loop.condition).units);
		units = cost_add(units, cost_multiply(rounds, step.units));
		accumulator.extent = cost_extent_join(&walk->sizes, init.extent, grown);
	}
	walk->local = &accumulator;
	struct cost_answer result = cost_node(walk, node->loop.result);
	walk->local = outer;
	result.units = cost_add(result.units, units);
	return result;
}

void
cost_iterators(struct cost_walk *walk, const struct cel_node *node, const struct cost_extent *range,
	       struct cost_extent *first, struct cost_extent *second)
{
	struct cost_extent value = cost_extent_value(&walk->sizes, range);
	struct cost_extent key = cost_extent_key(&walk->sizes, range);

	*second = value;
	switch (range->type->kind) {
	case CEL_T_LIST:
		*first = node->loop.second ? cost_extent_scalar() : value;
		break;
	case CEL_T_MAP:
	case CEL_T_RECORD:
		*first = key;
		break;
	default:
		*first = cost_extent_join(&walk->sizes, key, value);
	}
}

/* --- the walk --- */

struct cost_answer
cost_node(struct cost_walk *walk, const struct cel_node *node)
{
	struct cost_answer answer = {.extent = cost_extent_anything()};

	switch (node->kind) {
	case CEL_N_LITERAL:
		answer = cost_literal(node);
		break;
	case CEL_N_IDENT:
		answer = cost_identifier(walk, node);
		break;
	case CEL_N_SELECT:
		answer = cost_select(walk, node);
		break;
	case CEL_N_CALL:
		answer = cost_call(walk, node);
		break;
	case CEL_N_LIST:
		answer = cost_list(walk, node);
		break;
	case CEL_N_MAP:
		answer = cost_map(walk, node);
		break;
	case CEL_N_STRUCT:
		break; /* never runs */
	case CEL_N_COMPREHENSION:
		answer = cost_comprehension(walk, node);
		break;
	}
	if (walk->max > 0 && !walk->excessive && answer.units > walk->max && node->end > node->start)
		walk->excessive = node;
	return answer;
}
