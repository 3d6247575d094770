/* SPDX-License-Identifier: Apache-2.0 */
/* policy_coverage.c - counting what decisions have tried. A condition is asked whole again, conjunct by conjunct, with the values of its
 * decision. */
#include "common/policy/policy_coverage.h"
#include "common/policy/policy_deciding.h"

struct tally {
	struct policy_covered what;
	const struct policy_condition *condition;
	size_t *seen_true, *seen_false; /* by conjunct */
};

struct policy_coverage {
	const struct policy *policy;
	struct tally *tallies; /* rules, then limits */
	size_t count;
};

static struct tally
tally_of(struct arena *arena, const char *id, bool is_limit, const struct policy_condition *condition)
{
	return (struct tally){
	    .what = {.id = id, .is_limit = is_limit, .conjuncts = condition->count},
	    .condition = condition,
	    .seen_true = arena_take_array(arena, condition->count, sizeof(size_t)),
	    .seen_false = arena_take_array(arena, condition->count, sizeof(size_t)),
	};
}

struct policy_coverage *
policy_coverage_open(const struct policy *policy, struct arena *arena)
{
	struct policy_coverage *coverage = arena_take(arena, sizeof *coverage);

	coverage->policy = policy;
	coverage->count = policy->rule_count + policy->limit_count;
	coverage->tallies = arena_take_array(arena, coverage->count, sizeof *coverage->tallies);
	for (size_t i = 0; i < policy->rule_count; i++)
		coverage->tallies[i] = tally_of(arena, policy->rules[i].id, false, &policy->rules[i].condition);
	for (size_t i = 0; i < policy->limit_count; i++)
		coverage->tallies[policy->rule_count + i] =
		    tally_of(arena, policy->limits[i].id, true, &policy->limits[i].condition);
	return coverage;
}

static void
add_conjuncts(struct tally *tally, const struct policy_deciding *trail, struct arena *scratch)
{
	struct policy_meter meter = trail->meter;

	meter.arena = scratch;
	meter.cost = 0;
	meter.exhausted = false;
	for (size_t i = 0; meter.slots && i < tally->condition->count; i++) {
		const struct policy_condition one = {&tally->condition->conjuncts[i], 1};
		enum policy_truth truth = policy_condition_ask(&one, &meter).truth;

		tally->seen_true[i] += truth == POLICY_TRUE;
		tally->seen_false[i] += truth == POLICY_FALSE;
	}
}

/* Of several documents the one whose tests these are. */
static const struct policy_deciding *
trail_of(const struct policy_coverage *coverage, const struct policy_decision *decision)
{
	for (size_t i = 0; i < decision->trail->layer_count; i++)
		if (decision->trail->layers[i].policy == coverage->policy)
			return &decision->trail->layers[i];
	return decision->trail;
}

void
policy_coverage_add(struct policy_coverage *coverage, const struct policy_decision *decision,
		    struct arena *scratch)
{
	const struct policy_deciding *trail = trail_of(coverage, decision);

	for (size_t i = 0; i < trail->candidate_count; i++) {
		struct tally *tally = &coverage->tallies[trail->candidates[i].rule - coverage->policy->rules];

		tally->what.decisive += trail->candidates[i].decides;
		add_conjuncts(tally, trail, scratch);
	}
	for (size_t i = 0; i < trail->check_count; i++) {
		size_t n = (size_t)(trail->checks[i].limit - coverage->policy->limits);
		struct tally *tally = &coverage->tallies[coverage->policy->rule_count + n];

		tally->what.decisive += trail->checks[i].decides;
		add_conjuncts(tally, trail, scratch);
	}
}

size_t
policy_coverage_count(const struct policy_coverage *coverage)
{
	return coverage->count;
}

struct policy_covered
policy_coverage_of(const struct policy_coverage *coverage, size_t n)
{
	return coverage->tallies[n].what;
}

struct policy_covered_conjunct
policy_coverage_conjunct(const struct policy_coverage *coverage, size_t n, size_t k)
{
	const struct tally *tally = &coverage->tallies[n];
	const struct policy_conjunct *conjunct = &tally->condition->conjuncts[k];

	return (struct policy_covered_conjunct){conjunct->text, tally->seen_true[k], tally->seen_false[k]};
}
