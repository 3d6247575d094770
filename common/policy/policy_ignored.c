/* SPDX-License-Identifier: Apache-2.0 */
/* policy_ignored.c - what a request says and no rule has asked about. */
#include "common/policy/policy_deciding.h"

#include <string.h>

enum { SEEN_MAX = 32 };

struct ignoring {
	const struct value *context;
	bool *is_read; /* of each member */
	size_t unread;
	const char *seen[SEEN_MAX]; /* paths that need no second look: many rules ask about few */
	size_t seen_count;
};

/* Is the path that of the member, or of something in it? "context" is that of all of them. */
static bool
is_within(const char *path, struct text name)
{
	static const char context[] = "context.";
	const char *rest = path + strlen(context);

	if (strncmp(path, context, strlen(context)) != 0)
		return strcmp(path, "context") == 0;
	return strncmp(rest, name.bytes, name.length) == 0
	       && (rest[name.length] == '\0' || rest[name.length] == '.' || rest[name.length] == '[');
}

static void
note_path(struct ignoring *ignoring, const char *path)
{
	for (size_t i = 0; i < ignoring->seen_count; i++)
		if (strcmp(ignoring->seen[i], path) == 0)
			return;
	if (ignoring->seen_count < SEEN_MAX)
		ignoring->seen[ignoring->seen_count++] = path;
	for (size_t i = 0; i < ignoring->context->as.map.count; i++)
		if (!ignoring->is_read[i] && is_within(path, ignoring->context->as.map.members[i].name)) {
			ignoring->is_read[i] = true;
			ignoring->unread--;
		}
}

static void
note_program(struct ignoring *ignoring, const struct cel_program *program)
{
	size_t count;
	const char *const *paths = cel_program_reads(program, &count);

	for (size_t i = 0; i < count; i++)
		note_path(ignoring, paths[i]);
}

/* Its conditions, and the named expressions that they read. */
static void
note_rule(struct ignoring *ignoring, const struct policy_rule *rule, const struct policy_bindings *bindings)
{
	for (size_t i = 0; i < rule->condition.count; i++) {
		const struct policy_program *ask = &rule->condition.conjuncts[i].ask;

		note_program(ignoring, ask->program);
		for (size_t j = 0; j < ask->binding_count; j++)
			note_program(ignoring, bindings->items[ask->bindings[j]].value.program);
	}
}

const char *const *
policy_ignored(const struct policy_deciding *const *trails, size_t trail_count, const struct value *context,
	       struct arena *arena, size_t *count)
{
	struct ignoring ignoring = {.context = context, .unread = context->as.map.count};
	const char **names = arena_take_array(arena, context->as.map.count, sizeof *names);
	size_t found = 0;

	ignoring.is_read = arena_take_array(arena, context->as.map.count, sizeof *ignoring.is_read);
	for (size_t i = 0; i < trail_count; i++)
		for (size_t j = 0; j < trails[i]->candidate_count && ignoring.unread; j++)
			note_rule(&ignoring, trails[i]->candidates[j].rule,
				  &trails[i]->policy->names->bindings);
	for (size_t i = 0; i < context->as.map.count; i++)
		if (!ignoring.is_read[i])
			names[found++] = context->as.map.members[i].name.bytes;
	*count = policy_strings_distinct(names, found);
	return names;
}
