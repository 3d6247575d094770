/* SPDX-License-Identifier: Apache-2.0 */
/* random_policy.c - random documents, and requests that often have something to do with them. */
#include "tests/properties/random_policy.h"

#include "tests/unit/policy/slow_pattern.h"

#include <stdio.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

enum { PROFILES_MANY = 20, LIST_MAX = 3 };

static const char *const verdicts[] = {"ALLOW", "REQUIRE_APPROVAL", "BLOCK"};
static const char *const action_patterns[] = {"a",  "a.b", "a.*",  "**.b", "a.**",
					      "**", "*",   "a*.b", "ab.b", "b"};
static const char *const agent_patterns[] = {"bot", "bot-*", "*", "human"};
static const char *const target_patterns[] = {"db/*", "db/**", "web", "**/main"};
static const char *const tenant_patterns[] = {"acme", "b*"};

size_t
random_below(uint64_t *seed, size_t limit)
{
	return (size_t)(next_random(seed) % limit);
}

bool
random_one_in(uint64_t *seed, size_t chances)
{
	return random_below(seed, chances) == 0;
}

uint64_t
random_seed(uint64_t number)
{
	uint64_t mixed = number + UINT64_C(0x9e3779b97f4a7c15);

	mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (mixed ^ (mixed >> 31)) | 1;
}

/* ------------------------------------------------------------------ documents */

static struct value *
random_strings(uint64_t *seed, struct arena *arena, const char *const *from, size_t count)
{
	struct value *list = value_list(arena);
	size_t wanted = 1 + random_below(seed, LIST_MAX), start = random_below(seed, count);

	for (size_t i = 0; i < wanted && i < count; i++)
		value_append(arena, list, value_string(arena, from[(start + i) % count]));
	return list;
}

#define SOME(seed, arena, from) random_strings(seed, arena, from, COUNT_OF(from))

static void
set_scope(uint64_t *seed, struct arena *arena, struct value *map, const char *name)
{
	struct value *scope = value_map(arena);

	if (!random_one_in(seed, 4))
		value_set(arena, scope, "actions", SOME(seed, arena, action_patterns));
	if (random_one_in(seed, 5))
		value_set(arena, scope, "agents", SOME(seed, arena, agent_patterns));
	if (random_one_in(seed, 5))
		value_set(arena, scope, "targets", SOME(seed, arena, target_patterns));
	if (random_one_in(seed, 8))
		value_set(arena, scope, "tenants", SOME(seed, arena, tenant_patterns));
	if (scope->as.map.count)
		value_set(arena, map, name, scope);
}

static void
set_condition(uint64_t *seed, struct arena *arena, struct random_policy *policy, struct value *map,
	      const char *name)
{
	struct buffer text = {.arena = arena};

	random_condition(seed, policy, &text);
	value_set_string(arena, map, name, text.bytes);
}

static void
set_profile(uint64_t *seed, struct arena *arena, const struct random_policy *policy, struct value *map)
{
	value_set_string(arena, map, "approval",
			 arena_format(arena, "p%zu", random_below(seed, policy->profile_count)));
}

static size_t
set_minutes(uint64_t *seed, struct arena *arena, struct value *map, const char *name)
{
	size_t minutes = 1 + random_below(seed, 60);

	value_set_string(arena, map, name, arena_format(arena, "%zum", minutes));
	return minutes;
}

static struct value *
random_obligations(uint64_t *seed, struct arena *arena)
{
	static const char *const words[] = {"ssn", "name", "address"};
	struct value *map = value_map(arena);

	if (random_one_in(seed, 2))
		value_set(arena, map, "redact", SOME(seed, arena, words));
	if (random_one_in(seed, 2))
		value_set(arena, map, "watermark", value_bool(arena, random_one_in(seed, 2)));
	if (random_one_in(seed, 6) || map->as.map.count == 0)
		value_set(arena, map, "days", value_int(arena, (int64_t)random_below(seed, 2)));
	return map;
}

enum policy_verdict
random_policy_add(uint64_t *seed, struct arena *arena, struct random_policy *policy)
{
	struct value *rule = value_map(arena);
	size_t verdict = policy->profile_count == PROFILES_MANY ? 1 : random_below(seed, 3);
	uint64_t own = random_seed(*seed); /* whatever they are, everything else is the same */

	if (policy->is_heavy && !random_one_in(seed, 20))
		verdict = policy->profile_count % 2 ? random_below(seed, 2)
						    : 0; /* of many some would always BLOCK */

	/* the letter first, so that its place among the others is anywhere */
	value_set_string(
	    arena, rule, "id",
	    arena_format(arena, "%c%zu", (char)('a' + random_below(seed, 26)), policy->rule_count++));
	if (!policy->is_heavy) {
		set_scope(seed, arena, rule, "match");
		if (random_one_in(seed, 4))
			set_scope(seed, arena, rule, "except");
	}
	value_set_string(arena, rule, "decision", verdicts[verdict]);
	if (verdict == POLICY_REQUIRE_APPROVAL)
		set_profile(seed, arena, policy, rule);
	if (!random_one_in(seed, 6))
		set_condition(seed, arena, policy, rule, "when");
	if (random_one_in(seed, 4))
		set_condition(seed, arena, policy, rule, "unless");
	if (random_one_in(seed, 8))
		value_set_string(arena, rule, "mode", "shadow");
	if (random_one_in(seed, 2))
		value_set_string(arena, rule, "reason", "Because.");
	if (verdict != POLICY_BLOCK && random_one_in(&own, 5))
		value_set(arena, rule, "obligations", random_obligations(&own, arena));
	if (verdict == POLICY_ALLOW && random_one_in(seed, 8))
		value_set_string(arena, rule, "expires",
				 random_one_in(seed, 2) ? "1970-01-01T00:00:01Z" : "2100-01-01T00:00:00Z");
	value_append(arena, value_get(policy->document, "rules"), rule);
	return (enum policy_verdict)verdict;
}

static struct value *
people(struct arena *arena, int64_t quorum)
{
	struct value *ask = value_map(arena);

	value_set_string(arena, ask, "group", "people");
	value_set(arena, ask, "quorum", value_int(arena, quorum));
	return ask;
}

static struct value *
random_class(uint64_t *seed, struct arena *arena, const struct random_policy *policy, size_t number,
	     bool is_last)
{
	static const char *const requires[] = {"b1", "n1", "m.x", "o.k"};
	struct value *class = value_map(arena), *failure = value_map(arena), *all = value_list(arena);
	size_t verdict = random_below(seed, 3);
	bool hold = random_one_in(seed, 2);

	value_append(arena, all, value_string(arena, "**"));
	value_set_string(arena, class, "id", arena_format(arena, "c%zu", number));
	if (is_last)
		value_set(arena, class, "actions", all);
	else
		value_set(arena, class, "actions",
			  random_strings(seed, arena, action_patterns, 5)); /* none of them "**" */
	if (!is_last && random_one_in(seed, 4))
		value_set(arena, class, "except", SOME(seed, arena, action_patterns));
	if (random_one_in(seed, 10))
		value_set(arena, class, "requires", SOME(seed, arena, requires));
	if (random_one_in(seed, 6))
		value_set_string(arena, class, "on_error", "BLOCK");
	value_set_string(arena, class, "default", verdicts[verdict]);
	if (verdict == POLICY_REQUIRE_APPROVAL || hold)
		set_profile(seed, arena, policy, class);
	if (set_minutes(seed, arena, class, "valid_for") % 2)
		value_set(arena, class, "no_deadline", value_bool(arena, true));
	value_set_string(arena, failure, "evaluation_timeout", hold ? "hold" : "closed");
	if (random_one_in(seed, 2)) {
		bool escalates = *seed % 2;

		value_set_string(arena, failure, "no_eligible_approver", escalates ? "escalate" : "hold");
		if (escalates)
			value_set(arena, class, "fallback", people(arena, 1));
	} else {
		value_set_string(arena, failure, "no_eligible_approver", "closed");
	}
	value_set(arena, class, "failure", failure);
	return class;
}

static struct value *
random_profile(uint64_t *seed, struct arena *arena)
{
	struct value *profile = value_map(arena), *list = value_list(arena), *grant = value_map(arena);

	value_append(arena, list, people(arena, 1 + (int64_t)random_below(seed, 3)));
	value_set(arena, profile, "any_of", list);
	if (set_minutes(seed, arena, profile, "ttl") % 4 == 0)
		profile->as.map.members[profile->as.map.count - 1].value = value_string(arena, "none");
	set_minutes(seed, arena, grant, "valid_for");
	value_set(arena, profile, "grant", grant);
	return profile;
}

static void
add_limit(uint64_t *seed, struct arena *arena, struct random_policy *policy, struct value *limits)
{
	static const char *const keys[] = {"agent_id", "context.s1", "context.m.y", "context.u1", "tenant"};
	struct value *limit = value_map(arena), *measure = value_map(arena), *key = value_list(arena);
	size_t number = limits->as.list.count;
	bool sums = policy->has_inputs && random_one_in(seed, 2);

	value_set_string(arena, limit, "id", arena_format(arena, "l%zu", number));
	set_scope(seed, arena, limit, "match");
	if (random_one_in(seed, 2))
		set_condition(seed, arena, policy, limit, "when");
	value_append(arena, key, value_string(arena, "action"));
	if (policy->has_inputs)
		value_append(arena, key, value_string(arena, keys[random_below(seed, COUNT_OF(keys))]));
	value_set(arena, limit, "key", key);
	if (sums)
		value_set_string(arena, measure, "of", "context.n1");
	value_set(arena, measure, "max", value_int(arena, sums ? 1000 : 5));
	value_set_string(arena, measure, "per", "1h");
	value_set(arena, limit, sums ? "sum" : "count", measure);
	value_set_string(arena, limit, "exceeded", number % 2 ? "BLOCK" : "REQUIRE_APPROVAL");
	if (number % 2 == 0)
		set_profile(seed, arena, policy, limit);
	value_append(arena, limits, limit);
}

/* ------------------------------------------------------------------ inputs */

struct input {
	const char *name, *type, *words[4];
	int64_t max;		  /* 0: none */
	const char *text_default; /* may have this one */
};

static const struct input inputs[] = {
    {.name = "b1", .type = "bool"},
    {.name = "b2", .type = "bool"},
    {.name = "s1", .type = "string", .words = {"low", "high", "a", "b"}, .text_default = "a"},
    {.name = "s2", .type = "string", .max = 20, .text_default = "b"},
    {.name = "n1", .type = "int", .max = 5000},
    {.name = "n2", .type = "int"},
    {.name = "d1", .type = "double"},
    {.name = "t1", .type = "timestamp", .text_default = "1970-01-01T00:00:00Z"},
    {.name = "u1", .type = "duration", .text_default = "10m"},
    {.name = "l1", .type = "list<string>", .words = {"low", "high", "a", "b"}, .max = 6},
    {.name = "l2", .type = "list<int>", .max = 6},
    {.name = "m", .type = "map"},
    {.name = "o", .type = "map"},
};

static void
set_words(struct arena *arena, struct value *field, const struct input *input)
{
	struct value *words = value_list(arena);

	for (size_t i = 0; i < COUNT_OF(input->words) && input->words[i]; i++)
		value_append(arena, words, value_string(arena, input->words[i]));
	if (input->words[0])
		value_set(arena, field, "enum", words);
}

static struct value *
record_fields(struct arena *arena)
{
	struct value *fields = value_map(arena), *text = value_map(arena), *list = value_map(arena);

	value_set_string(arena, fields, "x", "int");
	value_set_string(arena, text, "type", "string");
	value_set(arena, text, "max", value_int(arena, 10));
	value_set(arena, fields, "y", text);
	value_set_string(arena, fields, "z", "bool");
	value_set_string(arena, list, "type", "list<string>");
	value_set(arena, list, "max", value_int(arena, 4));
	set_words(arena, list, &inputs[9]);
	value_set(arena, fields, "l", list);
	return fields;
}

static struct value *
random_inputs(uint64_t *seed, struct arena *arena, struct random_policy *policy)
{
	struct value *map = value_map(arena);

	for (size_t i = 0; i < COUNT_OF(inputs); i++) {
		const struct input *input = &inputs[i];
		struct value *field = value_map(arena);
		bool is_items = strcmp(input->name, "l2") == 0;

		value_set_string(arena, field, "type", input->type);
		set_words(arena, field, input);
		if (input->max)
			value_set(arena, field, "max",
				  value_int(arena, is_items && policy->is_heavy ? 22 : input->max));
		if (strcmp(input->name, "n1") == 0)
			value_set(arena, field, "min", value_int(arena, 0));
		if (strcmp(input->name, "m") == 0)
			value_set(arena, field, "fields", record_fields(arena));
		if (random_one_in(seed, 40))
			value_set(arena, field, "required", value_bool(arena, true));
		else if (input->text_default && random_one_in(seed, 10)) {
			value_set_string(arena, field, "default", input->text_default);
			for (size_t path = 0; path < RANDOM_PATHS; path++)
				if (strcmp(random_paths[path], input->name) == 0)
					policy->outside |= UINT32_C(1) << path;
		}
		if (random_one_in(seed, 10))
			value_set(arena, field, "sensitive", value_bool(arena, true));
		value_set(arena, map, input->name, field);
	}
	return map;
}

static struct value *
params(struct arena *arena)
{
	struct value *map = value_map(arena), *number = value_map(arena), *text = value_map(arena);

	value_set_string(arena, number, "type", "int");
	value_set(arena, number, "value", value_int(arena, 7));
	value_set_string(arena, text, "type", "string");
	value_set_string(arena, text, "value", "a");
	value_set(arena, map, "p", number);
	value_set(arena, map, "q", text);
	return map;
}

void
random_policy_make(uint64_t *seed, struct arena *arena, struct random_policy *policy)
{
	struct value *document = value_map(arena), *classes = value_list(arena), *approvals = value_map(arena);
	struct value *all = value_list(arena), *lets = value_map(arena), *limits = value_list(arena);
	bool is_crowded = random_one_in(seed, 40);

	*policy =
	    (struct random_policy){.document = document,
				   .has_inputs = !random_one_in(seed, 20),
				   .is_heavy = random_one_in(seed, 80),
				   .profile_count = is_crowded ? PROFILES_MANY : 1 + random_below(seed, 4)};
	value_append(arena, all, value_string(arena, "*"));
	value_set_string(arena, document, "countersign", "policy/v1");
	value_set_string(arena, document, "policy", "random");
	value_set(arena, document, "version", value_int(arena, 1));
	value_set(arena, document, "tenants", all);
	if (policy->has_inputs)
		value_set(arena, document, "inputs", random_inputs(seed, arena, policy));
	value_set(arena, document, "params", params(arena));
	for (size_t i = random_below(seed, 3); i > 0; i--) {
		size_t number = policy->let_count;

		set_condition(seed, arena, policy, lets, arena_format(arena, "g%zu", number));
		policy->let_count++; /* it reads only those before it */
	}
	if (policy->let_count)
		value_set(arena, document, "let", lets);

	size_t class_count = 1 + random_below(seed, 3);

	for (size_t i = 0; i < class_count; i++)
		value_append(arena, classes, random_class(seed, arena, policy, i, i + 1 == class_count));
	value_set(arena, document, "classes", classes);
	for (size_t i = 0; i < policy->profile_count; i++)
		value_set(arena, approvals, arena_format(arena, "p%zu", i), random_profile(seed, arena));
	value_set(arena, document, "approvals", approvals);
	value_set(arena, document, "rules", value_list(arena));
	for (size_t i = policy->is_heavy ? 4 + random_below(seed, 100)
			: is_crowded	 ? 30
					 : 1 + random_below(seed, 7);
	     i > 0; i--)
		random_policy_add(seed, arena, policy);
	for (size_t i = random_one_in(seed, 3) ? 1 + random_below(seed, 2) : 0; i > 0; i--)
		add_limit(seed, arena, policy, limits);
	if (limits->as.list.count)
		value_set(arena, document, "limits", limits);
}

/* ------------------------------------------------------------------ the same, written otherwise */

static void
shuffle_items(uint64_t *seed, struct value *list)
{
	for (size_t i = list ? list->as.list.count : 0; i > 1; i--) {
		size_t j = random_below(seed, i);
		struct value *spare = list->as.list.items[i - 1];

		list->as.list.items[i - 1] = list->as.list.items[j];
		list->as.list.items[j] = spare;
	}
}

/* The lists inside a rule, class or limit. */
static void
shuffle_lists(uint64_t *seed, struct value *map)
{
	for (size_t i = 0; i < map->as.map.count; i++) {
		struct value *value = map->as.map.members[i].value;

		if (value->kind == VALUE_LIST)
			shuffle_items(seed, value);
		else if (value->kind == VALUE_MAP)
			shuffle_lists(seed, value);
	}
}

void
random_policy_shuffle(uint64_t *seed, struct value *document, bool classes)
{
	static const char *const parts[] = {"rules", "limits", "classes"};

	for (size_t i = 0; i < COUNT_OF(parts); i++) {
		struct value *list = value_get(document, parts[i]);

		for (size_t j = 0; list && j < list->as.list.count; j++)
			shuffle_lists(seed, list->as.list.items[j]);
		if (i < 2 || classes)
			shuffle_items(seed, list);
	}
	if (value_get(document, "inputs"))
		shuffle_lists(seed, value_get(document, "inputs"));
}

void
random_policy_join(struct arena *arena, struct value *document)
{
	const struct value *rules = value_get(document, "rules");

	for (size_t i = 0; i < rules->as.list.count; i++) {
		struct value *when = value_get(rules->as.list.items[i], "when");

		if (when)
			*when = *value_string(arena, arena_format(arena, "!(!(%s))", when->as.string.bytes));
	}
}
