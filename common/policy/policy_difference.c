/* SPDX-License-Identifier: Apache-2.0 */
/* policy_difference.c - two policies on the same small requests. */
#include "common/policy/policy_difference.h"
#include "common/policy/policy_deciding.h"
#include "common/policy/policy_values.h"

#include <string.h>

bool
policy_decision_equal(const struct policy_decision *left, const struct policy_decision *right)
{
	if (left->verdict != right->verdict || left->requirement_count != right->requirement_count
	    || left->ttl != right->ttl || left->valid_for != right->valid_for || left->hold_for != right->hold_for
	    || left->extend_to != right->extend_to || left->remind_before != right->remind_before
	    || left->remind_every != right->remind_every || left->hold_if_nobody != right->hold_if_nobody
	    || left->escalate_if_nobody != right->escalate_if_nobody || !left->obligations != !right->obligations
	    || (left->obligations && !value_equal(left->obligations, right->obligations)))
		return false;
	for (size_t i = 0; i < left->requirement_count; i++) {
		const struct policy_requirement *one = &left->requirements[i], *other = &right->requirements[i];

		if (strcmp(one->profile, other->profile) != 0
		    || !policy_profile_equal(one->terms, other->terms))
			return false;
	}
	return true;
}

static const struct policy_rule *
find_rule(const struct policy *policy, const char *id)
{
	for (size_t i = 0; i < policy->rule_count; i++)
		if (strcmp(policy->rules[i].id, id) == 0)
			return &policy->rules[i];
	return NULL;
}

/* What the rule came to; one that is no candidate counts as false. */
static enum policy_truth
truth_of(const struct policy_decision *decision, const char *rule)
{
	const struct policy_deciding *trail = decision->trail;

	for (size_t i = 0; i < trail->candidate_count; i++)
		if (strcmp(trail->candidates[i].rule->id, rule) == 0)
			return trail->candidates[i].outcome.truth;
	return POLICY_FALSE;
}

/* Keeps the names sorted, each once, the first POLICY_COVERS_MAX. */
static void
add_cover(struct policy_difference *difference, const char *id)
{
	size_t at = 0;

	while (at < difference->cover_count && strcmp(difference->covers[at], id) < 0)
		at++;
	if (difference->cover_count == POLICY_COVERS_MAX
	    || (at < difference->cover_count && strcmp(difference->covers[at], id) == 0))
		return;
	memmove(&difference->covers[at + 1], &difference->covers[at],
		(difference->cover_count - at) * sizeof *difference->covers);
	difference->covers[at] = id;
	difference->cover_count++;
}

/* Nothing came of it: who saw to that? */
static void
note_covers(struct policy_difference *difference, const struct policy_decision *decision, const char *rule)
{
	difference->by_default = difference->by_default || decision->default_used;
	for (size_t i = 0; i < decision->trail->candidate_count; i++) {
		const struct policy_candidate *one = &decision->trail->candidates[i];

		if (one->decides && strcmp(one->rule->id, rule) != 0)
			add_cover(difference, one->rule->id);
	}
}

static bool
is_decided_alike(struct policy_difference *difference, const struct policy *before, const struct policy *after,
		 const struct policy_request *request, const char *rule, int64_t now, struct arena *scratch)
{
	struct policy_decision was, is;

	policy_decide(before, request, now, scratch, &was);
	if (was.refusal)
		return true;
	policy_decide(after, request, now, scratch, &is);
	if (truth_of(&was, rule) == truth_of(&is, rule) && policy_decision_equal(&was, &is))
		return true;
	if (policy_decision_equal(&was, &is)) {
		difference->touched++;
		note_covers(difference, &was, rule);
		note_covers(difference, &is, rule);
		return true;
	}
	difference->before = was.verdict;
	difference->after = is.verdict;
	return false;
}

struct policy_difference
policy_difference_find(const struct policy *before, const struct policy *after, const char *id, int64_t now,
		       struct arena *arena)
{
	struct policy_difference difference = {0};
	const struct policy_rule *rule = find_rule(before, id);
	struct arena *scratch = arena_open();
	struct policy_request request;

	if (rule) {
		const struct policy_invariant about = {.match = rule->match, .assertion.source = "true"};
		struct policy_domain domain = policy_domain_of(before, &about, arena);
		struct policy_walk walk =
		    policy_walk_open(&domain, POLICY_DIFFERENCE_MAX, POLICY_DIFFERENCE_SAMPLE);

		difference.exhaustive = walk.exhaustive;
		while (!difference.request && policy_walk_next(&walk, scratch, &request)) {
			if (!is_decided_alike(&difference, before, after, &request, id, now, scratch))
				difference.request = policy_domain_written(&request, arena);
			arena_reset(scratch);
		}
	}
	arena_close(scratch);
	return difference;
}
