/* SPDX-License-Identifier: Apache-2.0 */
/* cost_operator.c - what the language's own operators cost, one by one, and matches, whose pattern counts. */
#include "common/cel/cost_private.h"

#include <string.h>

static struct cost_answer
cost_matches(struct cost_walk *walk, const struct cel_node *node)
{
	struct cost_operands operands = cost_operands_of(walk, node);
	uint64_t text = operands.count == 2 ? operands.answers[0].extent.bytes : 0;
	uint64_t pattern = operands.count == 2 ? operands.answers[1].extent.bytes : 0;
	uint64_t units = cost_multiply(cost_add(text, 1), cost_add(pattern, 1)) / CEL_COST_REGEX_DIVISOR;
	const struct cel_node *last = node->argument_count ? node->arguments[node->argument_count - 1] : node;

	if (last->kind != CEL_N_LITERAL)
		units = cost_add(
		    units, cost_add(CEL_COST_REGEX_OPEN, cost_multiply(CEL_COST_REGEX_OPEN_BYTE, pattern)));
	return (struct cost_answer){cost_add(cost_add(operands.units, CEL_COST_STEP), cost_add(units, 1)),
				    cost_extent_scalar()};
}

static struct cost_answer
cost_choice(struct cost_walk *walk, const struct cel_node *node)
{
	struct cost_answer condition = cost_node(walk, node->arguments[0]);
	struct cost_answer yes = cost_node(walk, node->arguments[1]), no = cost_node(walk, node->arguments[2]);
	uint64_t branch = yes.units > no.units ? yes.units : no.units;

	return (struct cost_answer){cost_add(cost_add(condition.units, CEL_COST_STEP), branch),
				    cost_extent_join(&walk->sizes, yes.extent, no.extent)};
}

static uint64_t
smaller(uint64_t left, uint64_t right)
{
	return left < right ? left : right;
}

static struct cost_answer
cost_equality(struct cost_walk *walk, const struct cel_node *node)
{
	struct cost_operands operands = cost_operands_of(walk, node);
	uint64_t left = cost_extent_values(&walk->sizes, &operands.answers[0].extent);
	uint64_t right = cost_extent_values(&walk->sizes, &operands.answers[1].extent);

	return (struct cost_answer){cost_add(cost_add(operands.units, CEL_COST_STEP), smaller(left, right)),
				    cost_extent_scalar()};
}

/* A list of string literals is searched as a set. */
static bool
is_set(const struct cel_node *node)
{
	if (node->kind != CEL_N_LIST || node->optional)
		return false;
	for (size_t i = 0; i < node->argument_count; i++)
		if (node->arguments[i]->kind != CEL_N_LITERAL || node->arguments[i]->value.kind != CEL_STRING)
			return false;
	return true;
}

static struct cost_answer
cost_in(struct cost_walk *walk, const struct cel_node *node)
{
	struct cost_operands operands = cost_operands_of(walk, node);
	struct cost_extent *within = &operands.answers[1].extent;
	uint64_t units = CEL_COST_STEP;

	if (!is_set(node->arguments[1]) && within->type->kind != CEL_T_MAP
	    && within->type->kind != CEL_T_RECORD) {
		struct cost_extent item = cost_extent_value(&walk->sizes, within);
		uint64_t pair = smaller(cost_extent_values(&walk->sizes, &operands.answers[0].extent),
					cost_extent_values(&walk->sizes, &item));

		units = cost_multiply(within->items, pair);
	}
	return (struct cost_answer){cost_add(cost_add(operands.units, CEL_COST_STEP), units),
				    cost_extent_scalar()};
}

static struct cost_answer
cost_index(struct cost_walk *walk, const struct cel_node *node)
{
	struct cost_operands operands = cost_operands_of(walk, node);
	const struct cel_node *index = node->arguments[1];
	struct cost_extent *of = &operands.answers[0].extent;
	struct cost_answer answer = {.units = cost_add(operands.units, CEL_COST_STEP)};

	if (index->kind == CEL_N_LITERAL && index->value.kind == CEL_STRING)
		answer.extent = cost_extent_field(
		    &walk->sizes, of, arena_copy(walk->sizes.arena, index->value.as.bytes, index->value.extra));
	else
		answer.extent = cost_extent_value(&walk->sizes, of);
	/* optional if what is looked into is, or by .? and [? */
	answer.extent.optionals =
	    cost_add(cost_add(answer.extent.optionals, of->optionals), strcmp(node->name, "_[_]") != 0);
	return answer;
}

/* One step and the operands; && and || evaluate both when the left does not decide. */
static struct cost_answer
cost_step_only(struct cost_walk *walk, const struct cel_node *node)
{
	return (struct cost_answer){cost_add(cost_operands_of(walk, node).units, CEL_COST_STEP),
				    cost_extent_scalar()};
}

/* Two of these: a value against another one. */
static struct cost_answer
cost_order(struct cost_walk *walk, const struct cel_node *node)
{
	return (struct cost_answer){cost_add(cost_operands_of(walk, node).units, 2 * CEL_COST_STEP),
				    cost_extent_scalar()};
}

typedef struct cost_answer coster(struct cost_walk *walk, const struct cel_node *node);

static const struct {
	const char *name;
	size_t arguments;
	coster *cost;
} operators[] = {
    {"_&&_", 2, cost_step_only}, {"_||_", 2, cost_step_only},
    {"!_", 1, cost_step_only},	 {"@not_strictly_false", 1, cost_step_only},
    {"_?_:_", 3, cost_choice},	 {"_==_", 2, cost_equality},
    {"_!=_", 2, cost_equality},	 {"_<_", 2, cost_order},
    {"_<=_", 2, cost_order},	 {"_>_", 2, cost_order},
    {"_>=_", 2, cost_order},	 {"@in", 2, cost_in},
    {"_[_]", 2, cost_index},	 {"_[?_]", 2, cost_index},
    {"_?._", 2, cost_index},
};

struct cost_answer
cost_call(struct cost_walk *walk, const struct cel_node *node)
{
	const char *name = walk->checked ? cel_checked_function(walk->checked, node) : NULL;

	if (!name)
		name = node->name;
	if (strcmp(name, "matches") == 0)
		return cost_matches(walk, node);
	for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
		if (!node->operand && strcmp(operators[i].name, name) == 0
		    && operators[i].arguments == node->argument_count)
			return operators[i].cost(walk, node);
	return cost_function(walk, node, name);
}
