/* SPDX-License-Identifier: Apache-2.0 */
/* cost_function.c - what calls cost and how large their results are: operators one by one, functions by a table. */
#include "common/cel/cost_private.h"

#include <string.h>

/* How large a result is. */
enum shape {
	BY_TYPE, /* as large as an expression can make a value of its type */
	SCALAR,	 /* no string, list or map */
	SHORT,	 /* a string of at most SHORT_BYTES */
	FIRST,	 /* no larger than the first argument */
	FIRST_4, /* four times the first argument's bytes */
	SUM,	 /* both arguments behind each other */
	ANY,	 /* one of the arguments */
	ITEM,	 /* an item of the first argument */
	PIECES,	 /* a list of at most as many pieces as the first argument has bytes, and one */
};

#define SHORT_BYTES 64

/* Passes over every argument and over the result. */
static const struct function {
	const char *name;
	uint8_t arguments, result;
	enum shape shape;
} functions[] = {
    {"_+_", 1, 1, SUM},
    {"_-_", 0, 0, SCALAR},
    {"_*_", 0, 0, SCALAR},
    {"_/_", 0, 0, SCALAR},
    {"_%_", 0, 0, SCALAR},
    {"-_", 0, 0, SCALAR},
    {"dyn", 0, 0, FIRST},
    {"type", 0, 0, SCALAR},
    {"size", 1, 0, SCALAR},
    {"contains", 2, 0, SCALAR},
    {"startsWith", 1, 0, SCALAR},
    {"endsWith", 1, 0, SCALAR},
    {"string", 1, 1, FIRST_4},
    {"bytes", 1, 1, FIRST},
    {"charAt", 1, 1, SHORT},
    {"lowerAscii", 1, 1, FIRST},
    {"upperAscii", 1, 1, FIRST},
    {"trim", 2, 1, FIRST},
    {"reverse", 2, 1, FIRST},
    {"substring", 2, 1, FIRST},
    {"strings.quote", 2, 1, FIRST_4},
    {"split", 3, 1, PIECES},
    {"base64.encode", 1, 1, FIRST_4},
    {"base64.decode", 1, 1, FIRST},
    {"optional.of", 0, 0, FIRST},
    {"optional.ofNonZeroValue", 1, 0, FIRST},
    {"optional.none", 0, 0, SCALAR},
    {"value", 0, 0, FIRST},
    {"hasValue", 0, 0, SCALAR},
    {"or", 0, 0, ANY},
    {"orValue", 0, 0, ANY},
    {"sum", 1, 0, SCALAR},
    {"min", 2, 0, ITEM},
    {"max", 2, 0, ITEM},
    {"distinct", 2, 1, FIRST},
    {"sort", 2, 1, FIRST},
    {"slice", 1, 1, FIRST},
};

static const struct function unlisted = {NULL, 3, 2, BY_TYPE};

static const struct function *
find(const char *name)
{
	for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
		if (strcmp(functions[i].name, name) == 0)
			return &functions[i];
	return &unlisted;
}

static uint64_t
tenths(uint64_t bytes)
{
	return cost_add(bytes / 10 * CEL_COST_STRING_TENTHS, 1);
}

/* So many passes over the value, each rounded up. */
static uint64_t
pass(const struct cost_extent *extent, unsigned passes)
{
	uint64_t units = 0;

	if (cost_extent_has_bytes(extent))
		units = tenths(extent->bytes);
	if (cost_extent_has_items(extent) && extent->items > units)
		units = extent->items;
	return cost_multiply(units, passes);
}

struct operands {
	struct cost_answer answers[4]; /* the receiver first; of more than three the fourth is the largest of the rest */
	size_t count;
	uint64_t units;
};

static void
add_operand(struct cost_walk *walk, struct operands *operands, const struct cel_node *node)
{
	struct cost_answer answer = cost_node(walk, node);

	operands->units = cost_add(operands->units, answer.units);
	if (operands->count < 4)
		operands->answers[operands->count++] = answer;
	else
		operands->answers[3].extent =
		    cost_extent_join(&walk->sizes, operands->answers[3].extent, answer.extent);
}

static struct operands
operands_of(struct cost_walk *walk, const struct cel_node *node)
{
	struct operands operands = {0};
	bool receiver = node->operand
			&& !(walk->checked && cel_checked_function(walk->checked, node)
			     && !cel_checked_type(walk->checked, node->operand));

	if (receiver)
		add_operand(walk, &operands, node->operand);
	for (size_t i = 0; i < node->argument_count; i++)
		add_operand(walk, &operands, node->arguments[i]);
	return operands;
}

static struct cost_extent
made(const struct cost_walk *walk, const struct cel_node *node)
{
	const struct cel_type *type = walk->checked ? cel_checked_type(walk->checked, node) : NULL;

	return cost_extent_made(type ? type : cel_type_simple(CEL_T_DYN));
}

static struct cost_extent
times_four(struct cost_extent extent)
{
	return cost_extent_string(
	    cost_add(SHORT_BYTES, cost_extent_has_bytes(&extent) ? cost_multiply(4, extent.bytes) : 0));
}

static struct cost_extent
sum(struct cost_walk *walk, const struct cost_extent *left, const struct cost_extent *right)
{
	struct cost_extent both = cost_extent_join(&walk->sizes, *left, *right);

	both.bytes = cost_add(left->bytes, right->bytes);
	both.items = cost_add(left->items, right->items);
	if (both.bytes > CEL_STRING_MAX)
		both.bytes = CEL_STRING_MAX;
	if (both.items > CEL_SIZE_MADE)
		both.items = CEL_SIZE_MADE;
	return both;
}

static struct cost_extent
result_of(struct cost_walk *walk, const struct cel_node *node, enum shape shape, struct operands *operands)
{
	struct cost_extent first = operands->count ? operands->answers[0].extent : cost_extent_scalar();

	switch (shape) {
	case SCALAR:
		return cost_extent_scalar();
	case SHORT:
		return cost_extent_string(SHORT_BYTES);
	case FIRST:
		return first;
	case FIRST_4:
		return times_four(first);
	case SUM:
		return operands->count == 2 ? sum(walk, &first, &operands->answers[1].extent) : first;
	case ANY:
		for (size_t i = 1; i < operands->count; i++)
			first = cost_extent_join(&walk->sizes, first, operands->answers[i].extent);
		return first;
	case ITEM:
		return cost_extent_join(&walk->sizes, first, cost_extent_value(&walk->sizes, &first));
	case PIECES:
		return cost_extent_list(walk->sizes.arena, cost_add(first.bytes, 1),
					cost_extent_string(first.bytes));
	case BY_TYPE:
		break;
	}
	return made(walk, node);
}

static struct cost_answer
cost_function(struct cost_walk *walk, const struct cel_node *node, const char *name)
{
	const struct function *function = find(name);
	struct operands operands = operands_of(walk, node);
	struct cost_answer answer = {.units = cost_add(operands.units, CEL_COST_STEP)};

	for (size_t i = 0; i < operands.count; i++)
		answer.units = cost_add(answer.units, pass(&operands.answers[i].extent, function->arguments));
	answer.extent = result_of(walk, node, function->shape, &operands);
	answer.units = cost_add(answer.units, pass(&answer.extent, function->result));
	return answer;
}

/* --- operators --- */

static struct cost_answer
cost_matches(struct cost_walk *walk, const struct cel_node *node)
{
	struct operands operands = operands_of(walk, node);
	uint64_t text = operands.count == 2 ? operands.answers[0].extent.bytes : 0;
	uint64_t pattern = operands.count == 2 ? operands.answers[1].extent.bytes : 0;
	uint64_t units = cost_multiply(cost_add(text, 1), cost_add(pattern, 1)) / CEL_COST_REGEX_DIVISOR;

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
	struct operands operands = operands_of(walk, node);
	uint64_t left = cost_extent_values(&walk->sizes, &operands.answers[0].extent);
	uint64_t right = cost_extent_values(&walk->sizes, &operands.answers[1].extent);

	return (struct cost_answer){cost_add(cost_add(operands.units, CEL_COST_STEP), smaller(left, right)),
				    cost_extent_scalar()};
}

static struct cost_answer
cost_in(struct cost_walk *walk, const struct cel_node *node)
{
	struct operands operands = operands_of(walk, node);
	struct cost_extent *within = &operands.answers[1].extent;
	uint64_t units = CEL_COST_STEP;

	if (within->type->kind != CEL_T_MAP && within->type->kind != CEL_T_RECORD) {
		struct cost_extent item = cost_extent_value(&walk->sizes, within);
		uint64_t pair = smaller(cost_extent_values(&walk->sizes, &operands.answers[0].extent),
					cost_extent_values(&walk->sizes, &item));

		units = cost_multiply(within->items, pair);
	}
	return (struct cost_answer){cost_add(cost_add(operands.units, CEL_COST_STEP), cost_add(units, 1)),
				    cost_extent_scalar()};
}

static struct cost_answer
cost_index(struct cost_walk *walk, const struct cel_node *node)
{
	struct operands operands = operands_of(walk, node);
	const struct cel_node *index = node->arguments[1];
	struct cost_extent *of = &operands.answers[0].extent;
	struct cost_answer answer = {.units = cost_add(operands.units, CEL_COST_STEP)};

	if (index->kind == CEL_N_LITERAL && index->value.kind == CEL_STRING)
		answer.extent = cost_extent_field(
		    &walk->sizes, of, arena_copy(walk->sizes.arena, index->value.as.bytes, index->value.extra));
	else
		answer.extent = cost_extent_value(&walk->sizes, of);
	return answer;
}

/* One step and the operands; && and || evaluate both when the left does not decide. */
static struct cost_answer
cost_step_only(struct cost_walk *walk, const struct cel_node *node)
{
	return (struct cost_answer){cost_add(operands_of(walk, node).units, CEL_COST_STEP),
				    cost_extent_scalar()};
}

/* Two of these: a value against another one. */
static struct cost_answer
cost_order(struct cost_walk *walk, const struct cel_node *node)
{
	return (struct cost_answer){cost_add(operands_of(walk, node).units, 2 * CEL_COST_STEP),
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
