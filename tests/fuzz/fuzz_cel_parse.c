/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_cel_parse.c - any bytes as a source. What parses keeps within the limits, and its unparsed text parses to an equal tree; what does
 * not is refused with faults in the order of the source.
 */
#include "common/cel/cel.h"
#include "tests/fuzz/fuzz.h"

static bool same_node(const struct cel_node *left, const struct cel_node *right);

static bool
same_arguments(const struct cel_node *left, const struct cel_node *right)
{
	size_t entries = left->kind == CEL_N_MAP ? left->argument_count / 2 : left->argument_count;

	if (left->argument_count != right->argument_count)
		return false;
	for (size_t i = 0; i < left->argument_count; i++)
		if (!same_node(left->arguments[i], right->arguments[i]))
			return false;
	for (size_t i = 0; left->kind != CEL_N_CALL && i < entries; i++)
		if ((left->optional && left->optional[i]) != (right->optional && right->optional[i]))
			return false;
	for (size_t i = 0; left->fields && i < left->argument_count; i++)
		if (strcmp(left->fields[i], right->fields[i]) != 0)
			return false;
	return true;
}

static bool
same_loop(const struct cel_node *left, const struct cel_node *right)
{
	return fuzz_equal(left->loop.iterator, right->loop.iterator)
	       && fuzz_equal(left->loop.second, right->loop.second)
	       && fuzz_equal(left->loop.accumulator, right->loop.accumulator)
	       && same_node(left->loop.range, right->loop.range)
	       && same_node(left->loop.init, right->loop.init)
	       && same_node(left->loop.condition, right->loop.condition)
	       && same_node(left->loop.step, right->loop.step)
	       && same_node(left->loop.result, right->loop.result);
}

static bool
same_literal(struct cel_value left, struct cel_value right)
{
	if (left.kind != right.kind)
		return false;
	if (left.kind == CEL_DOUBLE)
		return memcmp(&left.as.real, &right.as.real, sizeof left.as.real) == 0;
	if (left.kind == CEL_STRING || left.kind == CEL_BYTES)
		return left.extra == right.extra
		       && (left.extra == 0 || memcmp(left.as.bytes, right.as.bytes, left.extra) == 0);
	if (left.kind == CEL_BOOL)
		return left.as.boolean == right.as.boolean;
	return left.kind == CEL_NULL || left.as.natural == right.as.natural;
}

static bool
same_node(const struct cel_node *left, const struct cel_node *right)
{
	if (!left || !right)
		return left == right;
	if (left->kind != right->kind || !fuzz_equal(left->name, right->name)
	    || left->test_only != right->test_only || !same_node(left->operand, right->operand))
		return false;
	switch (left->kind) {
	case CEL_N_LITERAL:
		return same_literal(left->value, right->value);
	case CEL_N_COMPREHENSION:
		return same_loop(left, right);
	default:
		return same_arguments(left, right);
	}
}

static uint32_t
characters(const uint8_t *bytes, size_t length)
{
	uint32_t count = 0;

	for (size_t i = 0; i < length; i++)
		count += (bytes[i] & 0xc0) != 0x80;
	return count;
}

static void
check_faults(const struct cel_faults *faults, const uint8_t *bytes, size_t length)
{
	assert(faults->count >= 1 && faults->count <= CEL_FAULTS_MAX);
	for (size_t i = 0; i < faults->count; i++) {
		const struct cel_fault *fault = &faults->items[i];

		assert(fault->code != CEL_OK && fault->code < CEL_CODE_COUNT && cel_code_name(fault->code));
		assert(fault->text[0] && fuzz_one_line(fault->text));
		assert(fault->line >= 1 && fault->column >= 1);
		assert(fault->position <= characters(bytes, length));
		assert(i == 0 || faults->items[i - 1].position <= fault->position);
	}
}

static void
check_tree(struct arena *arena, const struct cel_tree *tree, unsigned flags)
{
	static const struct cel_limits wide = {.source = 1u << 20, .literal_items = CEL_LITERAL_ITEMS_MAX};
	struct cel_faults faults = {0};
	const char *text = cel_unparse(arena, tree->root);
	const struct cel_tree *again = cel_parse(arena, text, strlen(text), flags, &wide, &faults);

	assert(tree->node_count >= 1 && tree->node_count <= CEL_NODES_MAX);
	assert(again && same_node(tree->root, again->root));
	assert(strcmp(text, cel_unparse(arena, again->root)) == 0);
	assert(cel_conjuncts(tree->root, NULL, 0) >= 1);
}

int
FUZZ_TARGET(cel_parse)(const uint8_t *bytes, size_t length)
{
	static const unsigned flags[] = {0, CEL_WITHOUT_MACROS, CEL_WITHOUT_OPTIONALS};
	struct arena *arena = arena_open();

	for (size_t i = 0; i < COUNT_OF(flags); i++) {
		struct cel_faults faults = {0};
		const struct cel_tree *tree =
		    cel_parse(arena, (const char *)bytes, length, flags[i], NULL, &faults);

		if (tree)
			check_tree(arena, tree, flags[i]);
		else
			check_faults(&faults, bytes, length);
	}
	arena_close(arena);
	return 0;
}
