/* SPDX-License-Identifier: Apache-2.0 */
/* cost_function.c - what calls cost and how large their results are: functions, by a table; operators are in cost_operator.c. */
#include "common/cel/cost_private.h"

#include <string.h>

/* How large a result is. */
enum shape {
	BY_TYPE,  /* as large as an expression can make a value of its type */
	SCALAR,	  /* no string, list or map */
	SHORT,	  /* a string of at most SHORT_BYTES */
	FIRST,	  /* no larger than the first argument */
	OPTIONAL, /* an optional of the first argument */
	TEXT,	  /* a string no longer than the first argument, or short */
	DOUBLE,	  /* a string or bytes at most twice as long as the first argument, or short */
	SUM,	  /* both arguments behind each other */
	ANY,	  /* one of the arguments */
	ITEM,	  /* an optional of an item of the first argument */
	PIECES,	  /* a list of at most as many pieces as the first argument has bytes, and one */
	JOINED,	  /* the strings of the first argument with the second between them */
};

#define SHORT_BYTES 64
#define ALL 0xff

/* Which arguments (a bit each) are passed over how often, by their bytes or their items, and how often the result. */
static const struct function {
	const char *name;
	uint8_t which, bytes, items, result;
	enum shape shape;
} functions[] = {
    {"_+_", ALL, 1, 1, 0, SUM},
    {"_-_", 0, 0, 0, 0, SCALAR},
    {"_*_", 0, 0, 0, 0, SCALAR},
    {"_/_", 0, 0, 0, 0, SCALAR},
    {"_%_", 0, 0, 0, 0, SCALAR},
    {"-_", 0, 0, 0, 0, SCALAR},
    {"dyn", 0, 0, 0, 0, FIRST},
    {"type", 0, 0, 0, 0, SCALAR},
    {"bool", 1, 1, 0, 0, SCALAR},
    {"int", 1, 1, 0, 0, SCALAR},
    {"uint", 1, 1, 0, 0, SCALAR},
    {"double", 1, 1, 0, 0, SCALAR},
    {"timestamp", 1, 1, 0, 0, SCALAR},
    {"duration", 1, 1, 0, 0, SCALAR},
    {"string", 1, 1, 0, 1, TEXT},
    {"bytes", 1, 1, 0, 0, FIRST},
    {"size", 1, 1, 0, 0, SCALAR},
    {"contains", 3, 1, 0, 0, SCALAR},
    {"startsWith", 2, 1, 0, 0, SCALAR},
    {"endsWith", 2, 1, 0, 0, SCALAR},
    {"charAt", 1, 1, 0, 0, SHORT},
    {"indexOf", 3, 1, 0, 0, SCALAR},
    {"lastIndexOf", 3, 1, 0, 0, SCALAR},
    {"lowerAscii", 1, 2, 0, 0, FIRST},
    {"upperAscii", 1, 2, 0, 0, FIRST},
    {"reverse", 1, 2, 2, 0, FIRST},
    {"trim", 1, 1, 0, 0, FIRST},
    {"substring", 1, 1, 0, 0, FIRST},
    {"strings.quote", 1, 1, 0, 1, DOUBLE},
    {"replace", 7, 1, 0, 1, BY_TYPE},
    {"split", 3, 1, 0, 1, PIECES},
    {"join", 1, 0, 1, 1, JOINED},
    {"base64.encode", 1, 1, 0, 1, DOUBLE},
    {"base64.decode", 1, 2, 0, 0, FIRST},
    {"optional.of", 0, 0, 0, 0, OPTIONAL},
    {"optional.ofNonZeroValue", 0, 0, 0, 0, OPTIONAL},
    {"optional.none", 0, 0, 0, 0, SCALAR},
    {"optional.unwrap", 1, 0, 1, 0, FIRST},
    {"unwrapOpt", 1, 0, 1, 0, FIRST},
    {"value", 0, 0, 0, 0, FIRST},
    {"hasValue", 0, 0, 0, 0, SCALAR},
    {"or", 0, 0, 0, 0, ANY},
    {"orValue", 0, 0, 0, 0, ANY},
    {"first", 0, 0, 0, 0, ITEM},
    {"last", 0, 0, 0, 0, ITEM},
    {"sum", 1, 0, 1, 0, SCALAR},
    {"min", 1, 0, 1, 0, SCALAR},
    {"max", 1, 0, 1, 0, SCALAR},
    {"glob", 3, 1, 0, 0, SCALAR},
    {"ip", 1, 1, 0, 0, SCALAR},
    {"cidr", 1, 1, 0, 0, SCALAR},
    {"isIP", 1, 1, 0, 0, SCALAR},
    {"isCIDR", 1, 1, 0, 0, SCALAR},
    {"ip.isCanonical", 1, 1, 0, 0, SCALAR},
    {"containsIP", 2, 1, 0, 0, SCALAR},
    {"containsCIDR", 2, 1, 0, 0, SCALAR},
};

static const struct function mathematical = {NULL, ALL, 0, 1, 0, SCALAR};
static const struct function unlisted = {NULL, ALL, 3, 3, 2, BY_TYPE};

static const struct function *
find(const char *name)
{
	for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
		if (strcmp(functions[i].name, name) == 0)
			return &functions[i];
	return strncmp(name, "math.", 5) == 0 ? &mathematical : &unlisted;
}

static uint64_t
tenths(uint64_t bytes)
{
	return cost_add(bytes / 10 * CEL_COST_STRING_TENTHS, 1);
}

/* So many passes over the value, by its bytes or by its items, each rounded up. */
static uint64_t
pass(const struct cost_extent *extent, unsigned bytes, unsigned items)
{
	uint64_t by_bytes = 0, by_items = 0;

	if (cost_extent_has_bytes(extent))
		by_bytes = cost_multiply(tenths(extent->bytes), bytes);
	if (cost_extent_has_items(extent))
		by_items = cost_multiply(extent->items, items);
	return by_bytes > by_items ? by_bytes : by_items;
}

static void
add_operand(struct cost_walk *walk, struct cost_operands *operands, const struct cel_node *node)
{
	struct cost_answer answer = cost_node(walk, node);

	operands->units = cost_add(operands->units, answer.units);
	operands->total++;
	if (operands->count <= COST_OPERAND_LAST)
		operands->answers[operands->count++] = answer;
	else
		operands->answers[COST_OPERAND_LAST].extent =
		    cost_extent_join(&walk->sizes, operands->answers[COST_OPERAND_LAST].extent, answer.extent);
}

struct cost_operands
cost_operands_of(struct cost_walk *walk, const struct cel_node *node)
{
	struct cost_operands operands = {0};
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
longer(const struct cost_extent *than, uint64_t times)
{
	uint64_t bytes = cost_extent_has_bytes(than) ? than->bytes : 0;

	return cost_extent_string(cost_add(SHORT_BYTES, cost_multiply(times, bytes)));
}

static struct cost_extent
in_optional(struct cost_extent extent)
{
	extent.optionals = cost_add(extent.optionals, 1);
	return extent;
}

static struct cost_extent
joined(struct cost_walk *walk, struct cost_operands *operands)
{
	struct cost_extent *list = &operands->answers[0].extent;
	struct cost_extent item = cost_extent_value(&walk->sizes, list);
	uint64_t between = operands->count > 1 ? operands->answers[1].extent.bytes : 0;

	return cost_extent_string(cost_multiply(list->items, cost_add(item.bytes, between)));
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
result_of(struct cost_walk *walk, const struct cel_node *node, enum shape shape, struct cost_operands *operands)
{
	struct cost_extent first = operands->count ? operands->answers[0].extent : cost_extent_scalar();

	switch (shape) {
	case SCALAR:
		return cost_extent_scalar();
	case SHORT:
		return cost_extent_string(SHORT_BYTES);
	case FIRST:
		return first;
	case TEXT:
		return longer(&first, 1);
	case DOUBLE:
		return longer(&first, 2);
	case SUM:
		return operands->count == 2 ? sum(walk, &first, &operands->answers[1].extent) : first;
	case ANY:
		for (size_t i = 1; i < operands->count; i++)
			first = cost_extent_join(&walk->sizes, first, operands->answers[i].extent);
		return first;
	case OPTIONAL:
		return in_optional(first);
	case ITEM:
		return in_optional(cost_extent_value(&walk->sizes, &first));
	case PIECES:
		return cost_extent_list(walk->sizes.arena, cost_add(first.bytes, 1),
					cost_extent_string(first.bytes));
	case JOINED:
		return joined(walk, operands);
	case BY_TYPE:
		break;
	}
	return made(walk, node);
}

/* Every value within the list is looked at, and the text has at most CEL_STRING_MAX bytes. */
static struct cost_answer
cost_format(struct cost_walk *walk, const struct cel_node *node)
{
	struct cost_operands operands = cost_operands_of(walk, node);
	struct cost_answer answer = {cost_add(operands.units, CEL_COST_STEP),
				     cost_extent_string(CEL_STRING_MAX)};

	for (size_t i = 0; i < operands.count; i++) {
		answer.units = cost_add(answer.units, pass(&operands.answers[i].extent, 1, 0));
		answer.units =
		    cost_add(answer.units,
			     cost_multiply(2, cost_extent_values(&walk->sizes, &operands.answers[i].extent)));
	}
	answer.units = cost_add(answer.units, tenths(CEL_STRING_MAX));
	return answer;
}

struct cost_answer
cost_function(struct cost_walk *walk, const struct cel_node *node, const char *name)
{
	if (strcmp(name, "format") == 0)
		return cost_format(walk, node);
	const struct function *function = find(name);
	struct cost_operands operands = cost_operands_of(walk, node);
	struct cost_answer answer = {.units = cost_add(operands.units, CEL_COST_STEP)};

	for (size_t i = 0; i < operands.count; i++)
		if (function->which >> i & 1)
			answer.units = cost_add(
			    answer.units,
			    cost_multiply(i == COST_OPERAND_LAST ? operands.total - COST_OPERAND_LAST : 1,
					  pass(&operands.answers[i].extent, function->bytes, function->items)));
	answer.extent = result_of(walk, node, function->shape, &operands);
	answer.units = cost_add(answer.units, pass(&answer.extent, function->result, function->result));
	if (function == &mathematical)
		answer.units = cost_add(answer.units, operands.total);
	return answer;
}
