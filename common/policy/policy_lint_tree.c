/* SPDX-License-Identifier: Apache-2.0 */
/* policy_lint_tree.c - syntax trees as the checks look at them. */
#include "common/policy/policy_linting.h"
#include "common/policy/policy_values.h"

#include <stdlib.h>
#include <string.h>

enum { TERMS_MAX = 64 };

bool
policy_node_is(const struct cel_node *node, const char *name, size_t arguments)
{
	return node->kind == CEL_N_CALL && !node->operand && node->argument_count == arguments
	       && strcmp(node->name, name) == 0;
}

const struct cel_node *
policy_node_child(const struct cel_node *node, size_t n)
{
	const struct cel_node *const inner[] = {node->operand,	      node->loop.range, node->loop.init,
						node->loop.condition, node->loop.step,	node->loop.result};

	for (size_t i = 0; i < sizeof inner / sizeof *inner; i++)
		if (inner[i] && n-- == 0)
			return inner[i];
	return n < node->argument_count ? node->arguments[n] : NULL;
}

uint32_t
policy_node_begins(const struct policy_expression *expression, const struct cel_node *node)
{
	uint32_t count = 0;

	for (size_t i = 0; i < node->start && i < expression->length; i++)
		count += ((unsigned char)expression->source[i] & 0xc0) != 0x80;
	return count;
}

const struct cel_node *
policy_node_of(const struct policy_expression *expression, struct arena *arena)
{
	struct cel_faults faults = {0};
	const struct cel_tree *tree =
	    cel_parse(arena, expression->source, expression->length, 0, NULL, &faults);

	return tree ? tree->root : NULL;
}

bool
policy_node_constant(const struct cel_node *node, struct cel_value *value)
{
	int64_t nanoseconds;

	if (node->kind == CEL_N_LITERAL) {
		*value = node->value;
		return true;
	}
	if (policy_node_is(node, "-_", 1) && node->arguments[0]->kind == CEL_N_LITERAL) {
		*value = node->arguments[0]->value;
		if (value->kind == CEL_INT)
			return !__builtin_sub_overflow(0, value->as.integer, &value->as.integer);
		value->as.real = -value->as.real;
		return value->kind == CEL_DOUBLE;
	}
	if (!policy_node_is(node, "duration", 1) || node->arguments[0]->kind != CEL_N_LITERAL
	    || node->arguments[0]->value.kind != CEL_STRING)
		return false;
	*value = node->arguments[0]->value;
	if (!policy_duration_parse((struct text){value->as.bytes, value->extra}, &nanoseconds))
		return false;
	*value = cel_duration(nanoseconds);
	return true;
}

/* ------------------------------------------------------------------ one text for what means the same */

static const char *
mirrored(const char *name)
{
	static const char *const pairs[][2] = {{"_<_", "_>_"},	 {"_>_", "_<_"},   {"_<=_", "_>=_"},
					       {"_>=_", "_<=_"}, {"_==_", "_==_"}, {"_!=_", "_!=_"}};

	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		if (strcmp(pairs[i][0], name) == 0)
			return pairs[i][1];
	return NULL;
}

static int
compare_texts(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static void
add_terms(const struct cel_node *node, const char *connective, bool negated, struct arena *arena,
	  const char **terms, size_t *count)
{
	if (policy_node_is(node, connective, 2) && *count < TERMS_MAX - 1) {
		add_terms(node->arguments[0], connective, negated, arena, terms, count);
		add_terms(node->arguments[1], connective, negated, arena, terms, count);
	} else if (*count < TERMS_MAX) {
		terms[(*count)++] = policy_node_normal(node, negated, arena);
	}
}

/* The operands of a chain, sorted, each once; a negated && is the || of what it negates. */
static const char *
normal_chain(const struct cel_node *node, const char *connective, bool negated, struct arena *arena)
{
	const char **terms = arena_take_array(arena, TERMS_MAX, sizeof *terms);
	struct buffer text = {.arena = arena};
	size_t count = 0;
	bool is_and = (connective[1] == '&') != negated;

	add_terms(node, connective, negated, arena, terms, &count);
	if (count >= TERMS_MAX - 1) /* there may be more: nothing is equal to it but itself */
		return arena_format(arena, "%s%s", negated ? "!" : "", cel_unparse(arena, node));
	qsort(terms, count, sizeof *terms, compare_texts);
	buffer_add_text(&text, is_and ? "and(" : "or(");
	for (size_t i = 0; i < count; i++)
		if (i == 0 || strcmp(terms[i - 1], terms[i]) != 0)
			buffer_add_format(&text, "%s;", terms[i]);
	buffer_add_byte(&text, ')');
	return text.bytes;
}

static const char *
normal_relation(const struct cel_node *node, bool negated, struct arena *arena)
{
	const char *left = cel_unparse(arena, node->arguments[0]),
		   *right = cel_unparse(arena, node->arguments[1]);
	const char *name = node->name;
	struct cel_value unused;
	bool turn = policy_node_constant(node->arguments[0], &unused);

	if (negated && (strcmp(name, "_==_") == 0 || strcmp(name, "_!=_") == 0)) {
		name = name[1] == '=' ? "_!=_" : "_==_";
		negated = false;
	}
	if (!turn && !policy_node_constant(node->arguments[1], &unused))
		turn = strcmp(left, right) > 0;
	if (turn) {
		const char *other = left;

		name = mirrored(name);
		left = right;
		right = other;
	}
	return arena_format(arena, "%s%s %s %s", negated ? "!" : "", left, name, right);
}

const char *
policy_node_normal(const struct cel_node *node, bool negated, struct arena *arena)
{
	if (policy_node_is(node, "!_", 1))
		return policy_node_normal(node->arguments[0], !negated, arena);
	if (policy_node_is(node, "_&&_", 2) || policy_node_is(node, "_||_", 2))
		return normal_chain(node, node->name, negated, arena);
	if (node->kind == CEL_N_CALL && node->argument_count == 2 && !node->operand && mirrored(node->name))
		return normal_relation(node, negated, arena);
	return arena_format(arena, "%s%s", negated ? "!" : "", cel_unparse(arena, node));
}

void
policy_looking_add(const struct policy_looking *looking, const char *code, const char *word,
		   const struct cel_node *node, const char *text)
{
	policy_linting_add_within(looking->linting, code, word, looking->expression, node->position, "%s",
				  text);
}

const struct policy_field *
policy_looking_input(const struct policy_looking *looking, const struct cel_node *node)
{
	const struct policy *policy = looking->linting->policy;
	const char *path = policy_input_path(node, looking->linting->scratch);

	return path && policy->has_inputs ? policy_find_field(&policy->inputs, path, strlen(path)) : NULL;
}
