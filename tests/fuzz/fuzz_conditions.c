/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_conditions.c - requests decided by documents with conditions: those in deploy/policies and conditions.yaml, which has
 * everything that a condition can have. The properties of the design's 10.5: the same again, byte for byte (Q5); the same by all rules
 * as by those that the index finds (Q6); what erred and restricts is never outdone, so no ALLOW stands beside it (Q4); the same as a second
 * combination of the candidates makes of it. Units, memory and time have an end, and who runs out of time decides no milder. The explanation is
 * JSON that names the decision and every candidate once, and holds nothing of an input that is sensitive. With a second document above
 * it conditions.yaml decides no milder, and neither does that one (rule 12 of policy_decide.c).
 */
#include "common/message/json.h"
#include "common/policy/policy_explain.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/situation.h"
#include "tests/properties/combination.h"

/* of one decision: its conditions may keep what they made, of which little costs little */
enum { MEMORY_MAX = 2 << 20, EXPLAINED_MAX = 1 << 20 };

enum { ABOVE = 5, POLICIES };

static const struct situation_policy *
policy_at(size_t number)
{
	static const char *const paths[POLICIES] = {
	    "tests/fuzz/conditions.yaml",    "deploy/policies/delivery.yaml",
	    "deploy/policies/health.yaml",   "deploy/policies/infrastructure.yaml",
	    "deploy/policies/payments.yaml", "tests/fuzz/conditions_above.yaml"};
	static struct situation_policy policies[POLICIES];
	static struct arena *arena;

	if (!arena) {
		arena = arena_open();
		for (size_t i = 0; i < POLICIES; i++)
			situation_read(arena, paths[i], &policies[i]);
	}
	return &policies[number];
}

/* Half of the inputs are for the one that has everything. */
static const struct situation_policy *
policy_of(uint8_t number)
{
	return policy_at(number % 2 ? 0 : number / 2 % ABOVE);
}

/* ------------------------------------------------------------------ one decision */

/* 10.3 and 10.4 from the other side: an ALLOW has nothing that speaks against it. */
static void
check_allow(const struct policy_decision *decision)
{
	const struct policy_deciding *trail = decision->trail;

	for (size_t i = 0; i < trail->candidate_count; i++) {
		const struct policy_candidate *one = &trail->candidates[i];

		assert(one->rule->is_shadow || one->outcome.truth == POLICY_FALSE
		       || one->rule->verdict == POLICY_ALLOW);
		assert(one->outcome.truth != POLICY_ERROR || one->rule->is_shadow || !trail->errors_block);
	}
	for (size_t i = 0; decision->default_used && i < trail->class_count; i++)
		assert(trail->classes[i]->verdict == POLICY_ALLOW);
	assert(!decision->missing_count && !decision->refusal && decision->valid_for > 0);
	assert(decision->default_used || decision->rule_count);
}

/* 10.4: what is not clear is too much, and what is too much raises. */
static void
check_limits(const struct policy_decision *decision)
{
	const struct policy_deciding *trail = decision->trail;

	for (size_t i = 0; i < trail->check_count; i++) {
		const struct policy_check *check = &trail->checks[i];
		bool is_clear = check->outcome.truth == POLICY_TRUE && check->counter.key && !check->unknown
				&& check->used.amount >= 0 && check->amount >= 0;

		assert(check->exceeded == (!is_clear || check->used.amount > check->limit->max - check->amount));
		assert(!check->exceeded || decision->verdict >= check->limit->exceeded);
	}
}

static void
check_errors(const struct policy_decision *decision)
{
	const struct policy_deciding *trail = decision->trail;

	for (size_t i = 0; i < trail->candidate_count; i++) {
		const struct policy_candidate *one = &trail->candidates[i];

		if (one->outcome.truth == POLICY_ERROR && !one->rule->is_shadow)
			assert(decision->verdict >= (trail->errors_block ? POLICY_BLOCK : one->rule->verdict));
	}
}

static void
check_decision(const struct policy_decision *decision)
{
	assert(decision->reason_code && fuzz_one_line(decision->reason_text));
	assert(strlen(decision->reason_text) <= POLICY_REASON_MAX);
	assert(!strstr(decision->reason_text, SITUATION_SECRET));
	assert(decision->trail->meter.cost <= POLICY_COST_MAX + CEL_COST_MAX);
	if (combination_was_asked(decision)) {
		check_errors(decision);
		check_limits(decision);
	}
	if (decision->verdict == POLICY_ALLOW)
		check_allow(decision);
	else if (decision->verdict == POLICY_REQUIRE_APPROVAL)
		assert(decision->requirement_count && decision->ttl > 0 && decision->valid_for > 0);
}

/* ------------------------------------------------------------------ the explanation */

static size_t
count_named(const struct value *list, const char *rule)
{
	size_t count = 0;

	for (size_t i = 0; i < list->as.list.count; i++)
		count += fuzz_equal(value_get_string(list->as.list.items[i], "rule"), rule);
	return count;
}

static void
check_explained(struct arena *arena, const struct policy_decision *decision, struct text text)
{
	static const struct json_limits limits = {EXPLAINED_MAX, 16,   20000, 20000,
						  EXPLAINED_MAX, 1024, false};
	const struct policy_deciding *trail = decision->trail;
	struct error error = {0};
	const struct value *map = json_parse(arena, text.bytes, text.length, &limits, &error);

	assert(map && fuzz_equal(value_get_string(map, "decision"), policy_verdict_name(decision->verdict)));
	assert(fuzz_equal(value_get_string(map, "reason_code"), decision->reason_code));
	assert(fuzz_equal(value_get_string(map, "reason"), decision->reason_text));
	assert(!memmem(text.bytes, text.length, SITUATION_SECRET, strlen(SITUATION_SECRET)));

	const struct value *because = value_get(map, "because"), *others = value_get(map, "considered");

	assert(because->as.list.count + others->as.list.count == trail->candidate_count);
	for (size_t i = 0; i < trail->candidate_count; i++)
		assert(count_named(because, trail->candidates[i].rule->id)
			   + count_named(others, trail->candidates[i].rule->id)
		       == 1);
	assert(value_get(map, "errors")->as.list.count == decision->error_count);
	assert(value_get(value_get(map, "cost"), "units")->as.integer == (int64_t)trail->meter.cost);
}

static struct text
explain(struct arena *arena, const struct policy_decision *decision)
{
	return fuzz_canonical(arena, policy_explain(decision, arena));
}

/* ------------------------------------------------------------------ and again */

static struct policy_decision
decide(struct arena *arena, const struct policy *policy, const struct situation *situation,
       const struct policy_request *request)
{
	struct policy_decision decision;
	size_t before = arena_used(arena);

	policy_decide(policy, request, situation->now, arena, &decision);
	assert(arena_used(arena) - before <= MEMORY_MAX);
	return decision;
}

static void
check_again(struct arena *arena, const struct policy *policy, const struct situation *situation,
	    const struct policy_decision *before, struct text explained)
{
	struct policy_request request = situation->request;
	struct value *turned = value_map(arena);

	for (size_t i = request.context->as.map.count; i > 0; i--)
		value_set(arena, turned, request.context->as.map.members[i - 1].name.bytes,
			  request.context->as.map.members[i - 1].value);
	if (!before->refusal) /* which names the first that is wrong */
		request.context = turned;

	struct policy_decision again = decide(arena, policy, situation, &request);

	assert(combination_is_same(before, &again));
	assert(fuzz_same(explained, explain(arena, &again)));
}

static void
check_combination(struct arena *arena, const struct situation *situation, const struct policy_decision *decision)
{
	struct policy_decision other;

	if (!combination_was_asked(decision) || situation->request.deadline)
		return;
	other = combination_without_index(decision, situation->now, arena);
	assert(combination_is_same(decision, &other));
	if (decision->trail->meter.exhausted)
		return;
	combination_decide(decision->trail->policy, &situation->request, situation->now, FLAW_NONE, arena,
			   &other);
	assert(combination_is_same(decision, &other));
}

struct clock {
	size_t polls, last;
};

static bool
expired(void *context)
{
	struct clock *clock = context;

	return ++clock->polls >= clock->last;
}

/* Once time is up nobody looks at the clock again, but for who had just been told while it evaluated. */
static void
check_slow(struct arena *arena, const struct policy *policy, const struct situation *situation,
	   const struct policy_decision *hurried_not)
{
	struct clock clock = {.last = situation->last};
	struct policy_request request = situation->request;
	struct policy_decision decision;

	request.expired = expired;
	request.clock = &clock;
	decision = decide(arena, policy, situation, &request);
	check_decision(&decision);
	check_explained(arena, &decision, explain(arena, &decision));
	assert(decision.verdict >= hurried_not->verdict);
	assert(clock.polls <= clock.last + 1);
	assert(clock.polls < clock.last || decision.trail->meter.exhausted);
}

/* ------------------------------------------------------------------ with what an organisation says */

static bool
may_be_loosened(const struct policy_decision *alone)
{
	return (alone->refusal && strcmp(alone->refusal->code, "undeclared_field") == 0)
	       || (alone->default_used && !alone->trail->speaker->is_floor);
}

/* Together they are at least as strict as each alone, and what errs in any of them raises. */
static void
check_layers(struct arena *arena, const struct situation *situation, const struct policy *below,
	     const struct policy_decision *alone)
{
	const struct policy *const policies[] = {policy_at(ABOVE)->policy, below};
	struct policy_decision together, again, above;
	const struct policy_deciding *trail;
	struct text explained;

	policy_decide(policies[0], &situation->request, situation->now, arena, &above);
	policy_decide_layers(policies, 2, &situation->request, situation->now, arena, &together);
	policy_decide_layers(policies, 2, &situation->request, situation->now, arena, &again);
	explained = explain(arena, &together);
	assert(combination_is_same(&together, &again) && fuzz_same(explained, explain(arena, &again)));
	assert(together.verdict >= alone->verdict || may_be_loosened(alone));
	assert(together.verdict >= above.verdict || may_be_loosened(&above));
	assert(fuzz_one_line(together.reason_text) && strlen(together.reason_text) <= POLICY_REASON_MAX);
	assert(!strstr(together.reason_text, SITUATION_SECRET));
	assert(!memmem(explained.bytes, explained.length, SITUATION_SECRET, strlen(SITUATION_SECRET)));
	trail = together.trail;
	for (size_t i = 0; i < trail->layer_count; i++)
		for (size_t j = 0; j < trail->layers[i].candidate_count; j++) {
			const struct policy_candidate *one = &trail->layers[i].candidates[j];

			if (one->outcome.truth == POLICY_ERROR && !one->rule->is_shadow)
				assert(together.verdict
				       >= (trail->layers[i].errors_block ? POLICY_BLOCK : one->rule->verdict));
		}
}

int
FUZZ_TARGET(conditions)(const uint8_t *bytes, size_t length)
{
	struct arena *arena = arena_open();
	const struct situation_policy *of = policy_of(length ? bytes[0] : 0);
	struct situation situation;

	if (situation_make(arena, of, bytes + (length > 0), length - (length > 0), &situation)) {
		struct policy_decision decision = decide(arena, of->policy, &situation, &situation.request);
		struct text explained = explain(arena, &decision);

		check_decision(&decision);
		check_explained(arena, &decision, explained);
		check_again(arena, of->policy, &situation, &decision, explained);
		check_combination(arena, &situation, &decision);
		if (of == policy_at(0))
			check_layers(arena, &situation, of->policy, &decision);
		if (situation.last)
			check_slow(arena, of->policy, &situation, &decision);
	}
	arena_close(arena);
	return 0;
}
