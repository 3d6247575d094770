/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_policy_properties.c - random policies against a second, plain implementation without index or order, and the
 * properties that must hold for every policy (Q1, Q2 and Q6 of the design: order, adding, index).
 */
#include "tests/unit/policy/documents.h"
#include "tests/unit/policy/slow_pattern.h"

#include <stdio.h>
#include <stdlib.h>

enum { NOW = 1000, LIST_MAX = 3, RULES_MAX = 140, CLASSES_MAX = 6, PROFILES_MAX = 20 };

struct list {
	const char *items[LIST_MAX];
	size_t count;
};

struct scope {
	struct list actions, agents, targets, tenants;
};

struct rule {
	char id[24];
	struct scope match, except;
	enum policy_verdict verdict;
	size_t profile;
};

struct class
{
	char id[24];
	struct list actions, except, requires;
	enum policy_verdict verdict;
	size_t profile;
	int64_t valid_for; /* minutes */
	bool late_hold, nobody_hold;
};

struct profile {
	char name[24];
	int64_t quorum, ttl, valid_for; /* minutes */
};

struct model {
	struct rule rules[RULES_MAX];
	struct class classes[CLASSES_MAX]; /* the last is the fallback */
	struct profile profiles[PROFILES_MAX];
	size_t rule_count, class_count, profile_count;
};

static const char *const action_patterns[] = {"a",    "a.b",  "a.b.c",	"a.*",	   "*.b",  "**.b", "a.**",
					      "**",   "*",    "b.**.c", "**.a.**", "a*.b", "*.*",  "ab",
					      "ab.b", "*b.c", "a.*.c",	"**.c",	   "b",	   "b.b"};
static const char *const actions[] = {"a",   "b",     "ab",    "c",	"a.b", "b.b",	"ab.b",
				      "a.c", "a.b.c", "b.a.c", "a.a.c", "b.c", "c.c.b", "ab.c"};
static const char *const agent_patterns[] = {"bot", "bot-*", "*", "human", "**"};
static const char *const agents[] = {"bot", "bot-1", "human", "bot/1"};
static const char *const target_patterns[] = {"db/*", "db/**", "web", "**/main", "db/main"};
static const char *const targets[] = {"db/main", "db/a/main", "web", "db"};
static const char *const tenant_patterns[] = {"acme", "b*"};
static const char *const tenants[] = {"acme", "beta"};
static const char *const paths[] = {"x", "y.z", "w"};

static size_t
below(uint64_t *seed, size_t limit)
{
	return (size_t)(next_random(seed) % limit);
}

static bool
one_in(uint64_t *seed, size_t chances)
{
	return below(seed, chances) == 0;
}

/* At least `least` different ones. */
static struct list
random_list(uint64_t *seed, const char *const *from, size_t count, size_t least)
{
	struct list list = {.count = 0};
	size_t wanted = least + below(seed, LIST_MAX + 1 - least);

	for (size_t tries = 0; list.count < wanted && tries < 10; tries++) {
		const char *item = from[below(seed, count)];
		bool known = false;

		for (size_t i = 0; i < list.count; i++)
			known = known || list.items[i] == item;
		if (!known)
			list.items[list.count++] = item;
	}
	return list;
}

#define SOME(seed, from, least) random_list(seed, from, COUNT_OF(from), least)

static struct scope
random_scope(uint64_t *seed)
{
	struct scope scope = {0};

	if (!one_in(seed, 4))
		scope.actions = SOME(seed, action_patterns, 1);
	if (one_in(seed, 3))
		scope.agents = SOME(seed, agent_patterns, 1);
	if (one_in(seed, 3))
		scope.targets = SOME(seed, target_patterns, 1);
	if (one_in(seed, 6))
		scope.tenants = SOME(seed, tenant_patterns, 1);
	return scope;
}

static size_t
scope_size(const struct scope *scope)
{
	return scope->actions.count + scope->agents.count + scope->targets.count + scope->tenants.count;
}

static enum policy_verdict
random_verdict(uint64_t *seed)
{
	return (enum policy_verdict)below(seed, 3);
}

static struct rule
random_rule(uint64_t *seed, const struct model *model, size_t number)
{
	struct rule rule = {.match = random_scope(seed), .verdict = random_verdict(seed)};

	if (one_in(seed, 3))
		rule.except = random_scope(seed);
	if (model->profile_count == PROFILES_MAX && !one_in(seed, 50))
		rule.verdict = POLICY_REQUIRE_APPROVAL; /* so that sometimes too many are asked */
	rule.profile = below(seed, model->profile_count);
	rule.id[0] = (char)('a' + below(seed, 26));
	snprintf(rule.id + 1, sizeof rule.id - 1, "%zu", number);
	return rule;
}

static void
random_class(uint64_t *seed, const struct model *model, struct class *class, size_t number)
{
	static const char *const patterns[] = {"a", "a.**", "**.b", "b.*", "*.c", "ab.**", "*.*", "**.a.**"};

	*class = (struct class){.verdict = random_verdict(seed), .valid_for = 1 + (int64_t)below(seed, 5)};
	snprintf(class->id, sizeof class->id, "c%zu", number);
	class->actions = SOME(seed, patterns, 1);
	if (one_in(seed, 3))
		class->except = SOME(seed, patterns, 1);
	if (one_in(seed, 3))
		class->requires = SOME(seed, paths, 1);
	class->late_hold = one_in(seed, 2);
	class->nobody_hold = one_in(seed, 2);
	class->profile = below(seed, model->profile_count);
}

static void
random_model(uint64_t *seed, struct model *model)
{
	model->profile_count = one_in(seed, 10) ? PROFILES_MAX : 1 + below(seed, 4);
	for (size_t i = 0; i < model->profile_count; i++) {
		model->profiles[i] = (struct profile){.quorum = 1 + (int64_t)below(seed, 3),
						      .ttl = 1 + (int64_t)below(seed, 100),
						      .valid_for = 1 + (int64_t)below(seed, 100)};
		snprintf(model->profiles[i].name, sizeof model->profiles[i].name, "p%zu", i);
	}
	model->class_count = 1 + below(seed, CLASSES_MAX);
	for (size_t i = 0; i < model->class_count; i++)
		random_class(seed, model, &model->classes[i], i);

	struct class *fallback = &model->classes[model->class_count - 1];

	fallback->actions = (struct list){{"**"}, 1};
	fallback->except.count = 0;
	model->rule_count = model->profile_count == PROFILES_MAX ? below(seed, RULES_MAX) : below(seed, 9);
	for (size_t i = 0; i < model->rule_count; i++)
		model->rules[i] = random_rule(seed, model, i);
}

/* From the model to a document. */

static void
set_list(struct arena *arena, struct value *map, const char *name, const struct list *list)
{
	struct value *items = value_list(arena);

	for (size_t i = 0; i < list->count; i++)
		value_append(arena, items, value_string(arena, list->items[i]));
	if (list->count)
		value_set(arena, map, name, items);
}

static void
set_scope(struct arena *arena, struct value *map, const char *name, const struct scope *scope)
{
	struct value *lists = value_map(arena);

	set_list(arena, lists, "actions", &scope->actions);
	set_list(arena, lists, "agents", &scope->agents);
	set_list(arena, lists, "targets", &scope->targets);
	set_list(arena, lists, "tenants", &scope->tenants);
	if (scope_size(scope))
		value_set(arena, map, name, lists);
}

static void
set_minutes(struct arena *arena, struct value *map, const char *name, int64_t minutes)
{
	value_set_string(arena, map, name, arena_format(arena, "%lldm", (long long)minutes));
}

static struct value *
class_value(struct arena *arena, const struct model *model, const struct class *class)
{
	struct value *value = value_map(arena), *failure = value_map(arena);

	value_set_string(arena, value, "id", class->id);
	set_list(arena, value, "actions", &class->actions);
	set_list(arena, value, "except", &class->except);
	set_list(arena, value, "requires", &class->requires);
	value_set_string(arena, value, "default", policy_verdict_name(class->verdict));
	if (class->verdict == POLICY_REQUIRE_APPROVAL || class->late_hold)
		value_set_string(arena, value, "approval", model->profiles[class->profile].name);
	set_minutes(arena, value, "valid_for", class->valid_for);
	value_set_string(arena, failure, "evaluation_timeout", class->late_hold ? "hold" : "closed");
	if (class->nobody_hold)
		value_set_string(arena, failure, "no_eligible_approver", "hold");
	value_set(arena, value, "failure", failure);
	return value;
}

static struct value *
rule_value(struct arena *arena, const struct model *model, const struct rule *rule)
{
	struct value *value = value_map(arena);

	value_set_string(arena, value, "id", rule->id);
	set_scope(arena, value, "match", &rule->match);
	set_scope(arena, value, "except", &rule->except);
	value_set_string(arena, value, "decision", policy_verdict_name(rule->verdict));
	if (rule->verdict == POLICY_REQUIRE_APPROVAL)
		value_set_string(arena, value, "approval", model->profiles[rule->profile].name);
	return value;
}

static struct value *
profile_value(struct arena *arena, const struct profile *profile)
{
	struct value *value = value_map(arena), *list = value_list(arena), *ask = value_map(arena);
	struct value *grant = value_map(arena);

	value_set_string(arena, ask, "group", "people");
	value_set(arena, ask, "quorum", value_int(arena, profile->quorum));
	value_append(arena, list, ask);
	value_set(arena, value, "any_of", list);
	set_minutes(arena, value, "ttl", profile->ttl);
	set_minutes(arena, grant, "valid_for", profile->valid_for);
	value_set(arena, value, "grant", grant);
	return value;
}

static const struct policy *
load_model(struct arena *arena, const struct model *model)
{
	struct value *document = value_map(arena), *classes = value_list(arena), *approvals = value_map(arena);
	struct value *rules = value_list(arena), *all = value_list(arena);
	struct error error = {0};

	value_append(arena, all, value_string(arena, "*"));
	value_set_string(arena, document, "countersign", "policy/v1");
	value_set_string(arena, document, "policy", "random");
	value_set(arena, document, "version", value_int(arena, 1));
	value_set(arena, document, "tenants", all);
	for (size_t i = 0; i < model->class_count; i++)
		value_append(arena, classes, class_value(arena, model, &model->classes[i]));
	value_set(arena, document, "classes", classes);
	for (size_t i = 0; i < model->profile_count; i++)
		value_set(arena, approvals, model->profiles[i].name, profile_value(arena, &model->profiles[i]));
	value_set(arena, document, "approvals", approvals);
	for (size_t i = 0; i < model->rule_count; i++)
		value_append(arena, rules, rule_value(arena, model, &model->rules[i]));
	value_set(arena, document, "rules", rules);

	const struct policy *policy = policy_load(arena, document, &error);

	if (!policy)
		fail_msg("%s at %s: %s", error.code, error.field, error.text);
	return policy;
}

/* The second implementation: walks the model as it stands, knows nothing of policy.h but the decision's shape. */

struct verdict {
	enum policy_verdict verdict;
	const char *code, *class_id;
	bool rules[RULES_MAX], profiles[PROFILES_MAX], missing[COUNT_OF(paths)];
	int64_t ttl, valid_for;
	bool hold;
};

static bool
any(const struct list *list, const char *text)
{
	for (size_t i = 0; i < list->count; i++)
		if (slow_pattern_match(list->items[i], text))
			return true;
	return false;
}

static bool
in_scope(const struct scope *scope, const struct policy_request *request)
{
	return (!scope->actions.count || any(&scope->actions, request->action))
	       && (!scope->agents.count || any(&scope->agents, request->agent_id))
	       && (!scope->targets.count || any(&scope->targets, request->target))
	       && (!scope->tenants.count || any(&scope->tenants, request->tenant));
}

static bool
applies(const struct rule *rule, const struct policy_request *request)
{
	return in_scope(&rule->match, request)
	       && !(scope_size(&rule->except) && in_scope(&rule->except, request));
}

static void
cover(const struct model *model, const struct policy_request *request, bool *covers)
{
	bool covered = false;

	for (size_t i = 0; i + 1 < model->class_count; i++) {
		covers[i] = any(&model->classes[i].actions, request->action)
			    && !any(&model->classes[i].except, request->action);
		covered = covered || covers[i];
	}
	covers[model->class_count - 1] = !covered;
}

static bool
context_has(const struct value *context, const char *path)
{
	const struct value *value =
	    strcmp(path, "y.z") == 0 ? value_get(value_get(context, "y"), "z") : value_get(context, path);

	return value && value->kind != VALUE_NULL;
}

/* The class that lends its name among those of `speaks`. */
static const char *
strictest(const struct model *model, const bool *speaks)
{
	const char *id = NULL;

	for (int verdict = POLICY_BLOCK; verdict >= POLICY_ALLOW && !id; verdict--)
		for (size_t i = 0; i < model->class_count && !id; i++)
			if (speaks[i] && (int)model->classes[i].verdict == verdict)
				id = model->classes[i].id;
	return id;
}

static bool
is_missing(const struct model *model, const struct policy_request *request, const bool *covers,
	   struct verdict *told)
{
	bool speaks[CLASSES_MAX] = {false};

	for (size_t i = 0; i < model->class_count; i++)
		for (size_t j = 0; covers[i] && j < model->classes[i].requires.count; j++)
			for (size_t path = 0; path < COUNT_OF(paths); path++)
				if (model->classes[i].requires.items[j] == paths[path]
				    && !context_has(request->context, paths[path]))
					speaks[i] = told->missing[path] = true;
	if (!strictest(model, speaks))
		return false;
	told->code = "missing_input";
	told->class_id = strictest(model, speaks);
	return true;
}

static bool
is_closed(const struct model *model, const bool *covers, struct verdict *told)
{
	bool speaks[CLASSES_MAX] = {false};

	for (size_t i = 0; i < model->class_count; i++)
		speaks[i] = covers[i] && !model->classes[i].late_hold;
	if (!strictest(model, speaks))
		return false;
	told->code = "evaluation_timeout";
	told->class_id = strictest(model, speaks);
	return true;
}

static void
hear_rules(const struct model *model, const struct policy_request *request, struct verdict *told)
{
	for (int verdict = POLICY_BLOCK; verdict >= POLICY_ALLOW && !told->code; verdict--) {
		for (size_t i = 0; i < model->rule_count; i++) {
			if ((int)model->rules[i].verdict != verdict || !applies(&model->rules[i], request))
				continue;
			told->code = "rule";
			told->verdict = (enum policy_verdict)verdict;
			told->rules[i] = true;
			told->profiles[model->rules[i].profile] |= verdict == POLICY_REQUIRE_APPROVAL;
		}
	}
}

static void
hear_default(const struct model *model, const bool *covers, struct verdict *told)
{
	for (int verdict = POLICY_BLOCK; verdict >= POLICY_ALLOW && !told->code; verdict--) {
		for (size_t i = 0; i < model->class_count; i++) {
			if (!covers[i] || (int)model->classes[i].verdict != verdict)
				continue;
			told->code = "class_default";
			told->verdict = (enum policy_verdict)verdict;
			told->profiles[model->classes[i].profile] |= verdict == POLICY_REQUIRE_APPROVAL;
		}
	}
}

static void
hold(const struct model *model, const bool *covers, struct verdict *told)
{
	if (told->verdict != POLICY_ALLOW)
		return;
	told->verdict = POLICY_REQUIRE_APPROVAL;
	told->code = "evaluation_timeout";
	memset(told->rules, 0, sizeof told->rules);
	for (size_t i = 0; i < model->class_count; i++)
		told->profiles[model->classes[i].profile] |= covers[i];
}

static int64_t
least(int64_t so_far, int64_t other)
{
	return so_far == 0 || other < so_far ? other : so_far;
}

static void
set_terms(const struct model *model, const bool *covers, struct verdict *told)
{
	size_t asked = 0;

	for (size_t i = 0; i < model->profile_count && told->verdict == POLICY_REQUIRE_APPROVAL; i++)
		asked += told->profiles[i];
	if (asked > POLICY_REQUIREMENTS_MAX) {
		told->verdict = POLICY_BLOCK;
		told->code = "too_many_requirements";
	}
	told->hold = told->verdict == POLICY_REQUIRE_APPROVAL;
	for (size_t i = 0; i < model->class_count; i++) {
		if (covers[i] && told->verdict == POLICY_ALLOW)
			told->valid_for = least(told->valid_for, model->classes[i].valid_for * MINUTE);
		told->hold = told->hold && (!covers[i] || model->classes[i].nobody_hold);
	}
	for (size_t i = 0; i < model->profile_count && told->verdict == POLICY_REQUIRE_APPROVAL; i++) {
		if (!told->profiles[i])
			continue;
		told->ttl = least(told->ttl, model->profiles[i].ttl * MINUTE);
		told->valid_for = least(told->valid_for, model->profiles[i].valid_for * MINUTE);
	}
	if (told->verdict != POLICY_REQUIRE_APPROVAL)
		memset(told->profiles, 0, sizeof told->profiles);
}

static struct verdict
plain_decide(const struct model *model, const struct policy_request *request)
{
	struct verdict told = {.verdict = POLICY_BLOCK};
	bool covers[CLASSES_MAX] = {false}, late = request->deadline != 0 && NOW > request->deadline;

	cover(model, request, covers);
	if (is_missing(model, request, covers, &told) || (late && is_closed(model, covers, &told)))
		return told;
	told.class_id = strictest(model, covers);
	hear_rules(model, request, &told);
	hear_default(model, covers, &told);
	if (late)
		hold(model, covers, &told);
	set_terms(model, covers, &told);
	return told;
}

/* Both as text, so that a difference can be read. */

static int
compare_names(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static void
add_names(struct buffer *line, const char *title, const char **names, size_t count)
{
	qsort(names, count, sizeof *names, compare_names);
	buffer_add_format(line, " %s", title);
	for (size_t i = 0; i < count; i++)
		buffer_add_format(line, ",%s", names[i]);
}

static const char *
told_plainly(struct arena *arena, const struct model *model, const struct verdict *told)
{
	struct buffer line = {.arena = arena};
	const char *names[RULES_MAX];
	size_t count = 0;

	buffer_add_format(&line, "%s %s %s", policy_verdict_name(told->verdict), told->code, told->class_id);
	for (size_t i = 0; i < model->rule_count; i++)
		if (told->rules[i])
			names[count++] = model->rules[i].id;
	add_names(&line, "rules", names, count);
	count = 0;
	for (size_t i = 0; i < COUNT_OF(paths); i++)
		if (told->missing[i])
			names[count++] = paths[i];
	add_names(&line, "missing", names, count);
	count = 0;
	for (size_t i = 0; i < model->profile_count; i++)
		if (told->profiles[i])
			names[count++] = arena_format(arena, "%s/people/%lld", model->profiles[i].name,
						      (long long)model->profiles[i].quorum);
	add_names(&line, "asks", names, count);
	buffer_add_format(&line, " %lld %lld %d", (long long)told->ttl, (long long)told->valid_for, told->hold);
	return line.bytes;
}

static const char *
told(struct arena *arena, const struct policy_decision *decision)
{
	struct buffer line = {.arena = arena};
	const char *asks[POLICY_REQUIREMENTS_MAX];

	buffer_add_format(&line, "%s %s %s", policy_verdict_name(decision->verdict), decision->reason_code,
			  decision->class_id);
	buffer_add_text(&line, " rules");
	for (size_t i = 0; i < decision->rule_count; i++)
		buffer_add_format(&line, ",%s", decision->rules[i]);
	buffer_add_text(&line, " missing");
	for (size_t i = 0; i < decision->missing_count; i++)
		buffer_add_format(&line, ",%s", decision->missing[i]);
	for (size_t i = 0; i < decision->requirement_count; i++)
		asks[i] = arena_format(arena, "%s/%s/%lld", decision->requirements[i].profile,
				       decision->requirements[i].group,
				       (long long)decision->requirements[i].quorum);
	buffer_add_text(&line, " asks");
	for (size_t i = 0; i < decision->requirement_count; i++)
		buffer_add_format(&line, ",%s", asks[i]);
	buffer_add_format(&line, " %lld %lld %d", (long long)decision->ttl, (long long)decision->valid_for,
			  decision->hold_if_nobody);
	return line.bytes;
}

static struct policy_request
random_request(uint64_t *seed, struct arena *arena)
{
	struct value *context = value_map(arena), *inner = value_map(arena);
	struct policy_request request = {.tenant = tenants[below(seed, COUNT_OF(tenants))],
					 .agent_id = agents[below(seed, COUNT_OF(agents))],
					 .action = actions[below(seed, COUNT_OF(actions))],
					 .target = targets[below(seed, COUNT_OF(targets))],
					 .context = context};

	if (!one_in(seed, 5))
		value_set(arena, context, "x", one_in(seed, 5) ? value_null(arena) : value_int(arena, 1));
	if (!one_in(seed, 5))
		value_set(arena, inner, "z", value_bool(arena, false));
	if (!one_in(seed, 5))
		value_set(arena, context, "y", inner);
	if (!one_in(seed, 5))
		value_set_string(arena, context, "w", "");
	if (one_in(seed, 3))
		request.deadline = NOW - 1 + (int64_t)below(seed, 3);
	return request;
}

static struct policy_decision
decide(const struct policy *policy, const struct policy_request *request, struct arena *arena)
{
	struct policy_decision decision;

	policy_decide(policy, request, NOW, arena, &decision);
	return decision;
}

static void
both_implementations_decide_the_same(void **state)
{
	uint64_t seed = 20260822;
	size_t codes[3] = {0}, verdicts[3] = {0};

	for (int round = 0; round < 10000; round++) {
		static struct model model;

		arena_reset(*state);
		random_model(&seed, &model);

		const struct policy *policy = load_model(*state, &model);

		for (int i = 0; i < 8; i++) {
			struct policy_request request = random_request(&seed, *state);
			struct verdict plain = plain_decide(&model, &request);
			struct policy_decision decision = decide(policy, &request, *state);
			const char *expected = told_plainly(*state, &model, &plain),
				   *actual = told(*state, &decision);

			if (strcmp(expected, actual) != 0)
				fail_msg("round %d, %s %s %s %s deadline %lld\n  expected %s\n  but was  %s",
					 round, request.tenant, request.agent_id, request.action,
					 request.target, (long long)request.deadline, expected, actual);
			verdicts[decision.verdict]++;
			codes[0] += strcmp(decision.reason_code, "rule") == 0;
			codes[1] += strcmp(decision.reason_code, "class_default") == 0;
			codes[2] += strcmp(decision.reason_code, "too_many_requirements") == 0;
		}
	}
	/* it compared something of everything */
	for (size_t i = 0; i < 3; i++)
		if (codes[i] < 200 || verdicts[i] < 2000)
			fail_msg("too few: %zu of code %zu, %zu of verdict %zu", codes[i], i, verdicts[i], i);
}

static void
shuffle(uint64_t *seed, void *array, size_t count, size_t size)
{
	char spare[sizeof(struct rule) + sizeof(struct class)], *bytes = array;

	for (size_t i = count; i > 1; i--) {
		size_t j = below(seed, i);

		memcpy(spare, bytes + (i - 1) * size, size);
		memmove(bytes + (i - 1) * size, bytes + j * size, size);
		memcpy(bytes + j * size, spare, size);
	}
}

static void
the_order_of_rules_means_nothing(void **state)
{
	uint64_t seed = 7;

	for (int round = 0; round < 3000; round++) {
		static struct model model;

		arena_reset(*state);
		random_model(&seed, &model);

		const struct policy *policy = load_model(*state, &model);

		shuffle(&seed, model.rules, model.rule_count, sizeof *model.rules);

		const struct policy *shuffled = load_model(*state, &model);

		for (int i = 0; i < 5; i++) {
			struct policy_request request = random_request(&seed, *state);
			struct policy_decision before = decide(policy, &request, *state);
			struct policy_decision after = decide(shuffled, &request, *state);

			assert_string_equal(told(*state, &before), told(*state, &after));
			assert_string_equal(before.reason_text, after.reason_text);
		}
	}
}

static void
the_order_of_classes_means_nothing_but_a_name(void **state)
{
	uint64_t seed = 11;

	for (int round = 0; round < 3000; round++) {
		static struct model model;

		arena_reset(*state);
		random_model(&seed, &model);

		const struct policy *policy = load_model(*state, &model);

		shuffle(&seed, model.classes, model.class_count, sizeof *model.classes);

		const struct policy *shuffled = load_model(*state, &model);

		for (int i = 0; i < 5; i++) {
			struct policy_request request = random_request(&seed, *state);
			struct policy_decision before = decide(policy, &request, *state);
			struct policy_decision after = decide(shuffled, &request, *state);

			after.class_id = before.class_id;
			assert_string_equal(told(*state, &before), told(*state, &after));
		}
	}
}

static bool
asks_at_least(const struct policy_decision *more, const struct policy_decision *less)
{
	for (size_t i = 0; i < less->requirement_count; i++) {
		bool asked = false;

		for (size_t j = 0; j < more->requirement_count; j++)
			asked = asked
				|| strcmp(more->requirements[j].profile, less->requirements[i].profile) == 0;
		if (!asked)
			return false;
	}
	return true;
}

static bool
is_looser(const struct policy_decision *after, const struct policy_decision *before)
{
	return after->verdict < before->verdict
	       || (after->verdict == POLICY_REQUIRE_APPROVAL && before->verdict == POLICY_REQUIRE_APPROVAL
		   && (!asks_at_least(after, before) || after->ttl > before->ttl
		       || after->valid_for > before->valid_for));
}

static void
adding_a_rule_never_loosens_what_a_rule_decided(void **state)
{
	uint64_t seed = 13;
	size_t changed = 0;

	for (int round = 0; round < 5000; round++) {
		static struct model model;

		arena_reset(*state);
		random_model(&seed, &model);

		const struct policy *policy = load_model(*state, &model);
		struct rule added = random_rule(&seed, &model, RULES_MAX);

		model.rules[model.rule_count++] = added;

		const struct policy *longer = load_model(*state, &model);

		for (int i = 0; i < 5; i++) {
			struct policy_request request = random_request(&seed, *state);
			struct policy_decision before = decide(policy, &request, *state);
			struct policy_decision after = decide(longer, &request, *state);
			bool by_default = strcmp(before.reason_code, "class_default") == 0
					  || (strcmp(before.reason_code, "evaluation_timeout") == 0
					      && before.verdict == POLICY_REQUIRE_APPROVAL);

			changed += after.verdict != before.verdict;
			if (added.verdict != POLICY_BLOCK && by_default)
				continue;
			if (is_looser(&after, &before))
				fail_msg("adding %s: from %s to %s", policy_verdict_name(added.verdict),
					 told(*state, &before), told(*state, &after));
		}
	}
	assert_true(changed > 1000);
}

static struct value *
without(struct arena *arena, const struct value *map, size_t member)
{
	struct value *rest = value_map(arena);

	for (size_t i = 0; i < map->as.map.count; i++)
		if (i != member)
			value_set(arena, rest, map->as.map.members[i].name.bytes, map->as.map.members[i].value);
	return rest;
}

static void
saying_less_or_coming_late_never_loosens(void **state)
{
	uint64_t seed = 17;

	for (int round = 0; round < 3000; round++) {
		static struct model model;

		arena_reset(*state);
		random_model(&seed, &model);

		const struct policy *policy = load_model(*state, &model);

		for (int i = 0; i < 5; i++) {
			struct policy_request request = random_request(&seed, *state), less = request,
					      late = request;
			struct policy_decision before = decide(policy, &request, *state), after;

			for (size_t j = 0; j < request.context->as.map.count; j++) {
				less.context = without(*state, request.context, j);
				after = decide(policy, &less, *state);
				assert_false(is_looser(&after, &before));
			}
			late.deadline = 1;
			after = decide(policy, &late, *state);
			assert_false(is_looser(&after, &before));
			assert_int_not_equal(after.verdict, POLICY_ALLOW);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    STORY(both_implementations_decide_the_same),
	    STORY(the_order_of_rules_means_nothing),
	    STORY(the_order_of_classes_means_nothing_but_a_name),
	    STORY(adding_a_rule_never_loosens_what_a_rule_decided),
	    STORY(saying_less_or_coming_late_never_loosens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
