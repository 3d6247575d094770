/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_policy.c - a policy document, and what it decides about a few fixed requests and some made of its own patterns. What
 * loads decides the same twice, and the same when it is loaded from its canonical form; ALLOW needs every rule that
 * matches (found without the index) to allow, and every class when there is none.
 */
#include "common/message/policy_document.h"
#include "common/policy/policy_private.h"
#include "tests/fuzz/fuzz.h"

enum { OWN_RULES = 16, OWN_SIZE = 600 };

#define NOW (INT64_C(1790000000) * 1000000)

static bool
some_match(const struct policy_strings *patterns, const char *text)
{
	for (size_t i = 0; i < patterns->count; i++)
		if (policy_pattern_match(patterns->items[i], text))
			return true;
	return false;
}

static bool
scope_matches(const struct policy_scope *scope, const struct policy_request *request)
{
	return (!scope->actions.count || some_match(&scope->actions, request->action))
	       && (!scope->agents.count || some_match(&scope->agents, request->agent_id))
	       && (!scope->targets.count || some_match(&scope->targets, request->target))
	       && (!scope->tenants.count || some_match(&scope->tenants, request->tenant));
}

static bool
speaks(const struct policy_rule *rule, const struct policy_request *request)
{
	return scope_matches(&rule->match, request)
	       && !(rule->has_except && scope_matches(&rule->except, request));
}

/* The strictest of the rules, else of the classes; decisions may be stricter for other reasons, never milder. */
static enum policy_verdict
least_verdict(const struct policy *policy, const struct policy_request *request)
{
	enum policy_verdict verdict = POLICY_ALLOW;
	bool spoken = false, covered = false;

	for (size_t i = 0; i < policy->rule_count; i++) {
		if (!speaks(&policy->rules[i], request))
			continue;
		spoken = true;
		if (policy->rules[i].verdict > verdict)
			verdict = policy->rules[i].verdict;
	}
	for (size_t i = 0; !spoken && i < policy->class_count; i++) {
		const struct policy_class *class = &policy->classes[i];

		if (class == policy->fallback || !some_match(&class->actions, request->action)
		    || some_match(&class->except, request->action))
			continue;
		covered = true;
		if (class->verdict > verdict)
			verdict = class->verdict;
	}
	return spoken || covered ? verdict : policy->fallback->verdict;
}

static void
check_decision(const struct policy *policy, const struct policy_request *request,
	       const struct policy_decision *decision)
{
	assert(decision->verdict >= least_verdict(policy, request));
	assert(decision->reason_code && decision->reason_text);
	assert(strlen(decision->reason_text) <= POLICY_REASON_MAX && fuzz_one_line(decision->reason_text));
	assert(policy_covers(policy, request->tenant) || decision->verdict == POLICY_BLOCK);
	for (size_t i = 1; i < decision->rule_count; i++)
		assert(strcmp(decision->rules[i - 1], decision->rules[i]) < 0);
	if (decision->verdict == POLICY_BLOCK)
		return;
	assert(decision->valid_for > 0);
	if (decision->verdict == POLICY_ALLOW)
		return;
	assert(decision->ttl > 0);
	assert(decision->requirement_count >= 1 && decision->requirement_count <= POLICY_REQUIREMENTS_MAX);
	for (size_t i = 0; i < decision->requirement_count; i++)
		assert(decision->requirements[i].quorum >= 1);
}

static void
check_same(const struct policy_decision *one, const struct policy_decision *other)
{
	assert(one->verdict == other->verdict && one->valid_for == other->valid_for && one->ttl == other->ttl);
	assert(strcmp(one->reason_code, other->reason_code) == 0);
	assert(strcmp(one->reason_text, other->reason_text) == 0);
	assert(fuzz_equal(one->class_id, other->class_id) && one->hold_if_nobody == other->hold_if_nobody
	       && one->escalate_if_nobody == other->escalate_if_nobody);
	assert(one->rule_count == other->rule_count && one->missing_count == other->missing_count);
	assert(one->requirement_count == other->requirement_count);
	for (size_t i = 0; i < one->rule_count; i++)
		assert(strcmp(one->rules[i], other->rules[i]) == 0);
	for (size_t i = 0; i < one->requirement_count; i++)
		assert(strcmp(one->requirements[i].group, other->requirements[i].group) == 0
		       && one->requirements[i].quorum == other->requirements[i].quorum);
}

static void
decide(struct arena *arena, const struct policy *policy, const struct policy *again,
       const struct policy_request *request)
{
	struct policy_decision decisions[3];

	policy_decide(policy, request, NOW, arena, &decisions[0]);
	policy_decide(policy, request, NOW, arena, &decisions[1]);
	policy_decide(again, request, NOW, arena, &decisions[2]);
	check_decision(policy, request, &decisions[0]);
	check_same(&decisions[0], &decisions[1]);
	check_same(&decisions[0], &decisions[2]);
}

/* An example of a pattern: each star is an "x". */
static const char *
example(struct arena *arena, const struct policy_strings *patterns, const char *usual)
{
	if (!patterns->count)
		return usual;

	char *text = arena_string(arena, patterns->items[0]);
	size_t length = 0;

	for (size_t i = 0; text[i]; i++)
		if (text[i] != '*' || i == 0 || text[i - 1] != '*')
			text[length++] = text[i] == '*' ? 'x' : text[i];
	text[length] = '\0';
	return text;
}

static const struct value *
context(struct arena *arena)
{
	struct value *map = value_map(arena), *inner = value_map(arena);

	value_set(arena, inner, "amount", value_int(arena, 5));
	value_set(arena, map, "risk", inner);
	return map;
}

static void
decide_all(struct arena *arena, const struct policy *policy, const struct policy *again)
{
	const struct value *some = context(arena);
	const struct policy_request fixed[] = {
	    {"default", "bot", "deployment.production", "customer-api", some, .deadline = 0},
	    {"default", "bot", "deployment.production", "customer-api", NULL, .deadline = NOW - 1},
	    {"acme", "agent/7", "db.schema.drop", "db/main", some, .deadline = NOW + 1},
	    {"acme", "", "a", "", some, .deadline = 0},
	};

	for (size_t i = 0; i < COUNT_OF(fixed); i++)
		decide(arena, policy, again, &fixed[i]);
	for (size_t i = 0; i < policy->rule_count && i < OWN_RULES; i++) {
		const struct policy_scope *match = &policy->rules[i].match;
		const struct policy_request own = {.tenant = policy->tenants.items[0],
						   .agent_id = example(arena, &match->agents, "bot"),
						   .action = example(arena, &match->actions, "a.b"),
						   .target = example(arena, &match->targets, "t"),
						   .context = some};

		if (strlen(own.action) < OWN_SIZE)
			decide(arena, policy, again, &own);
	}
}

int
FUZZ_TARGET(policy)(const uint8_t *bytes, size_t length)
{
	struct arena *arena = arena_open();
	struct policy_document document, again;
	struct error error = {0};

	if (policy_document_parse(arena, bytes, length, &document, &error)) {
		bool ok = policy_document_parse(arena, document.canonical, document.canonical_length, &again,
						&error);

		assert(ok && strcmp(document.digest_text, again.digest_text) == 0);
		assert(policy_version(document.policy) >= 1 && policy_name(document.policy)[0]);
		decide_all(arena, document.policy, again.policy);
	} else {
		fuzz_refused(&error, ERROR_INVALID);
	}
	arena_close(arena);
	return 0;
}
