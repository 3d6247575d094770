/* SPDX-License-Identifier: Apache-2.0 */
/* compile_reads.c - which paths an expression can read: a variable, and the fields that are selected from it by name. */
#include "common/cel/compile.h"

#include <string.h>

enum { STEPS_MAX = 64 };

static bool
is_word(const char *text, size_t length)
{
	if (length == 0 || (text[0] >= '0' && text[0] <= '9'))
		return false;
	for (size_t i = 0; i < length; i++)
		if (!((text[i] >= 'a' && text[i] <= 'z') || (text[i] >= 'A' && text[i] <= 'Z')
		      || (text[i] >= '0' && text[i] <= '9') || text[i] == '_' || text[i] == '-'))
			return false;
	return true;
}

/* The operand that a node selects from by a word: a field, or an index by a literal. NULL: it does something else. */
static const struct cel_node *
step_of(const struct cel_node *node, struct cel_value *word)
{
	const struct cel_node *operand;

	if (node->kind == CEL_N_SELECT) {
		operand = node->operand;
		*word = cel_string(node->name, strlen(node->name));
	} else if (node->kind == CEL_N_CALL && !node->operand && node->argument_count == 2
		   && (strcmp(node->name, "_[_]") == 0 || strcmp(node->name, "_[?_]") == 0
		       || strcmp(node->name, "_?._") == 0)
		   && node->arguments[1]->kind == CEL_N_LITERAL
		   && node->arguments[1]->value.kind == CEL_STRING) {
		operand = node->arguments[0];
		*word = node->arguments[1]->value;
	} else {
		return NULL;
	}
	return is_word(word->as.bytes, word->extra) ? operand : NULL;
}

static void
add_path(struct compiler *c, const char *path)
{
	const char **paths = c->reads.items;

	for (size_t i = 0; i < c->reads.count; i++)
		if (strcmp(paths[i], path) == 0)
			return;
	path = arena_string(c->arena, path);
	*(const char **)compile_grow(c, &c->reads, sizeof path) = path;
}

/* Is the node a path? Then it is added; one that is too long is cut, which says that more is read. */
static bool
add_node(struct compiler *c, const struct cel_node *node)
{
	struct cel_value words[STEPS_MAX];
	char path[CEL_CANDIDATE_MAX];
	size_t slot, length, count = 0;

	while (!compile_variable(c, node, &slot)) {
		if (count == STEPS_MAX || !(node = step_of(node, &words[count])))
			return false;
		count++;
	}
	length = strlen(cel_env_variable_at(c->env, slot)->name);
	memcpy(path, cel_env_variable_at(c->env, slot)->name, length);
	while (count-- > 0 && length + 2 + words[count].extra <= sizeof path) {
		path[length++] = '.';
		memcpy(path + length, words[count].as.bytes, words[count].extra);
		length += words[count].extra;
	}
	path[length] = '\0';
	add_path(c, path);
	return true;
}

static void
walk_loop(struct compiler *c, const struct cel_node *node)
{
	const struct local *outside = c->locals;
	struct local accumulator = {.name = node->loop.accumulator, .outer = outside};
	struct local first = {.name = node->loop.iterator, .outer = &accumulator};
	struct local second = {.name = node->loop.second, .outer = &first};

	compile_reads(c, node->loop.range);
	compile_reads(c, node->loop.init);
	c->locals = node->loop.second ? &second : &first;
	compile_reads(c, node->loop.condition);
	compile_reads(c, node->loop.step);
	c->locals = &accumulator;
	compile_reads(c, node->loop.result);
	c->locals = outside;
}

void
compile_reads(struct compiler *c, const struct cel_node *node)
{
	if (node->kind == CEL_N_COMPREHENSION) {
		walk_loop(c, node);
		return;
	}
	if (add_node(c, node))
		return;
	if (node->operand)
		compile_reads(c, node->operand);
	for (size_t i = 0; i < node->argument_count; i++)
		compile_reads(c, node->arguments[i]);
}
