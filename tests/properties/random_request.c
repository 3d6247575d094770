/* SPDX-License-Identifier: Apache-2.0 */
/* random_request.c - requests whose context mostly satisfies the inputs of random_policy.c. */
#include "tests/properties/random_policy.h"

#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static const char *const actions[] = {"a", "b", "a.b", "ab.b", "a.c", "b.a.b"};
static const char *const agents[] = {"bot", "bot-1", "human"};
static const char *const targets[] = {"db/main", "db/a/main", "web", "db"};
static const char *const tenants[] = {"acme", "beta"};

static struct value *
random_items(uint64_t *seed, struct arena *arena, bool texts, size_t most)
{
	static const char *const words[] = {"a", "b", "low", "high"};
	struct value *list = value_list(arena);

	for (size_t i = most > 9 && random_one_in(seed, 2) ? most : random_below(seed, most + 1); i > 0; i--)
		value_append(arena, list,
			     texts ? value_string(arena, words[random_below(seed, COUNT_OF(words))])
				   : value_int(arena, (int64_t)random_below(seed, 6) - 1));
	return list;
}

static struct value *
random_dynamic(uint64_t *seed, struct arena *arena)
{
	switch (random_below(seed, 5)) {
	case 0:
		return value_int(arena, (int64_t)random_below(seed, 4));
	case 1:
		return value_bool(arena, random_one_in(seed, 2));
	case 2:
		return value_string(arena, "a");
	case 3:
		return value_null(arena);
	default:
		return value_real(arena, 0.5);
	}
}

static struct value *
random_members(uint64_t *seed, struct arena *arena, bool is_record)
{
	struct value *map = value_map(arena);

	if (!is_record) {
		if (!random_one_in(seed, 4))
			value_set(arena, map, "k", random_dynamic(seed, arena));
		if (!random_one_in(seed, 4))
			value_set(arena, map, "j", random_dynamic(seed, arena));
		return map;
	}
	if (!random_one_in(seed, 6))
		value_set(arena, map, "x", value_int(arena, (int64_t)random_below(seed, 8) - 1));
	if (!random_one_in(seed, 6))
		value_set_string(arena, map, "y", random_one_in(seed, 2) ? "a" : "low");
	if (!random_one_in(seed, 6))
		value_set(arena, map, "z", value_bool(arena, random_one_in(seed, 2)));
	if (!random_one_in(seed, 6))
		value_set(arena, map, "l", random_items(seed, arena, true, 3));
	return map;
}

/* Of the input's type, but for a few. */
static struct value *
random_value(uint64_t *seed, struct arena *arena, const struct random_policy *policy, const char *name)
{
	static const char *const words[] = {"low", "high", "a", "b"}, *const texts[] = {"a", "ab", "", "12",
											"low"};
	static const char *const times[] = {"1970-01-01T00:00:00Z", "1969-12-31T22:30:00+01:00",
					    "2026-03-04T10:00:00.5Z"},
				 *const spans[] = {"10m", "0", "90s", "-1h", "2h"};
	static const int64_t numbers[] = {0, 1, 2, 5, 100, 1000, 4999};

	if (random_one_in(seed, policy->is_heavy ? 2000 : 250))
		return random_one_in(seed, 2) ? value_null(arena) : value_list(arena);
	switch (name[0]) {
	case 'b':
		return value_bool(arena, random_one_in(seed, 2));
	case 's':
		return value_string(arena, name[1] == '1' ? words[random_below(seed, COUNT_OF(words))]
							  : texts[random_below(seed, COUNT_OF(texts))]);
	case 'n':
		return value_int(arena,
				 numbers[random_below(seed, COUNT_OF(numbers))] * (name[1] == '1' ? 1 : -1));
	case 'd':
		return value_real(arena, (double)random_below(seed, 5) / 4);
	case 't':
		return value_string(arena, times[random_below(seed, COUNT_OF(times))]);
	case 'u':
		return value_string(arena, spans[random_below(seed, COUNT_OF(spans))]);
	case 'l':
		if (name[1] == '1')
			return random_items(seed, arena, true, 4);
		return random_items(seed, arena, false, policy->is_heavy ? 22 : 4);
	default:
		return random_members(seed, arena, name[0] == 'm');
	}
}

struct policy_request
random_policy_request(uint64_t *seed, struct arena *arena, const struct random_policy *policy)
{
	struct value *context = value_map(arena);
	size_t rarity = policy->is_heavy ? 60 : random_one_in(seed, 2) ? 30 : 5;

	for (size_t i = 0; i < RANDOM_PATHS; i++)
		if (!strchr(random_paths[i], '.') && !random_one_in(seed, rarity))
			value_set(arena, context, random_paths[i],
				  random_value(seed, arena, policy, random_paths[i]));
	return (struct policy_request){.tenant = tenants[random_below(seed, COUNT_OF(tenants))],
				       .agent_id = agents[random_below(seed, COUNT_OF(agents))],
				       .action = actions[random_below(seed, COUNT_OF(actions))],
				       .target = targets[random_below(seed, COUNT_OF(targets))],
				       .context = context};
}

static struct value *
without(struct arena *arena, const struct value *map, const char *name, size_t length, struct value *instead)
{
	struct value *rest = value_map(arena);
	bool found = false;

	for (size_t i = 0; i < map->as.map.count; i++) {
		const struct value_member *member = &map->as.map.members[i];
		bool is_it = member->name.length == length && memcmp(member->name.bytes, name, length) == 0;

		found = found || is_it;
		if (!is_it || instead)
			value_set(arena, rest, member->name.bytes, is_it ? instead : member->value);
	}
	return found ? rest : NULL;
}

struct value *
random_context_without(struct arena *arena, const struct value *context, size_t path)
{
	const char *name = random_paths[path], *dot = strchr(name, '.');

	if (!dot)
		return without(arena, context, name, strlen(name), NULL);

	char above[2] = {name[0]};
	const struct value *map = value_get(context, above);
	struct value *less =
	    map && map->kind == VALUE_MAP ? without(arena, map, dot + 1, strlen(dot + 1), NULL) : NULL;

	return less ? without(arena, context, above, 1, less) : NULL;
}

bool
random_usage(void *usage, const struct policy_counter *counter, struct policy_usage *usage_of)
{
	const char *limit = counter->limit, *key = counter->key;
	uint64_t hash = random_seed((uint64_t)limit[1]);

	(void)usage;
	for (const char *c = key; *c; c++)
		hash = random_seed(hash ^ (uint64_t)(unsigned char)*c);
	usage_of->amount = (int64_t)(hash % 8) * (limit[1] % 2 ? 1 : 100);
	return hash % 16 != 0;
}
