/* SPDX-License-Identifier: Apache-2.0 */
/* policy_walk.c - a number to a request: each combination of a domain has one, counted in mixed radix. */
#include "common/policy/policy_read.h"
#include "common/policy/policy_values.h"

#include <string.h>

/* The number of combinations, UINT64_MAX when it is beyond that. */
static uint64_t
combinations(const struct policy_domain *domain)
{
	uint64_t count = (uint64_t)domain->actions.count * domain->agents.count * domain->targets.count;

	for (size_t i = 0; i < domain->dimension_count; i++)
		if (__builtin_mul_overflow(count, domain->dimensions[i].count, &count))
			return UINT64_MAX;
	return count;
}

struct policy_walk
policy_walk_open(const struct policy_domain *domain, uint64_t most, uint64_t sample)
{
	uint64_t count = combinations(domain);
	bool all = count <= most;

	return (struct policy_walk){.domain = domain,
				    .exhaustive = all && !domain->is_cut,
				    .left = all ? count : sample,
				    .seed = all ? 0 : 1};
}

/* A fixed sequence: the linear congruential generator of Knuth's MMIX, its upper half. */
static uint64_t
draw(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 32;
}

/* The next choice among so many: a digit of the number, or drawn. */
static size_t
choose(struct policy_walk *walk, uint64_t *number, size_t count)
{
	size_t digit = (size_t)(*number % count);

	if (walk->seed)
		return (size_t)(draw(&walk->seed) % count);
	*number /= count;
	return digit;
}

/* Puts a value under a path of names. */
static void
set_path(struct arena *arena, struct value *map, const char *path, const struct value *value)
{
	for (;;) {
		size_t length = strcspn(path, ".");
		const char *name = arena_copy(arena, path, length);
		struct value *inner = value_get(map, name);

		if (path[length] == '\0') {
			if (!inner)
				value_set(arena, map, name, (struct value *)(uintptr_t)value);
			return;
		}
		if (!inner) {
			inner = value_map(arena);
			value_set(arena, map, name, inner);
		}
		if (inner->kind != VALUE_MAP)
			return;
		map = inner;
		path += length + 1;
	}
}

bool
policy_walk_next(struct policy_walk *walk, struct arena *scratch, struct policy_request *request)
{
	const struct policy_domain *domain = walk->domain;
	uint64_t number = walk->next++;
	struct value *context = value_map(scratch);

	if (walk->left == 0)
		return false;
	walk->left--;
	*request = (struct policy_request){
	    .tenant = domain->tenant,
	    .action = domain->actions.items[choose(walk, &number, domain->actions.count)],
	    .agent_id = domain->agents.items[choose(walk, &number, domain->agents.count)],
	    .target = domain->targets.items[choose(walk, &number, domain->targets.count)],
	    .context = context,
	    .is_verified = true, /* what is refused for being unsigned is refused whatever else it says */
	};
	for (size_t i = 0; i < domain->dimension_count; i++) {
		const struct policy_dimension *dimension = &domain->dimensions[i];
		const struct value *value = dimension->values[choose(walk, &number, dimension->count)];

		if (value)
			set_path(scratch, context, dimension->path, value);
	}
	return true;
}

struct value *
policy_domain_written(const struct policy_request *request, struct arena *arena)
{
	struct value *map = value_map(arena);

	value_set_string(arena, map, "tenant", request->tenant);
	value_set_string(arena, map, "agent_id", request->agent_id);
	value_set_string(arena, map, "action", request->action);
	value_set_string(arena, map, "target", request->target);
	value_set(arena, map, "context", policy_copy_value(arena, request->context));
	return map;
}
