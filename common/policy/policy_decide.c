/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy_decide.c - what holds for one request. The rules of combination, by the numbers that the tests carry:
 *
 *  1. Nothing to decide by: without a policy, or with one for other tenants, BLOCK no_policy. A request without tenant,
 *     agent_id, action or target is BLOCK missing_input.
 *     So is everything by a policy that holds what is not honoured here yet: not_honoured.
 *  1a. The context does not satisfy the declared inputs: BLOCK invalid_request, naming the field. Defaults are filled in first.
 *  2. An action is covered by every class with a matching pattern in `actions` and none in `except`; the fallback
 *     class covers it when no other does.
 *  3. Of several classes the strictest default counts, `requires` are united, a cell holds only where all say hold,
 *     `valid_for` is the least. Their order means nothing, but for which of equals lends its name.
 *  4. A required path that is absent or null: BLOCK missing_input with all that is missing; no rule is asked.
 *  5. The deadline has passed and the cell is closed: BLOCK evaluation_timeout; no rule is asked.
 *  6. A rule is a candidate when every list of `match` holds a pattern that matches and not every list of `except` does.
 *  7. The strictest decision among the candidates counts (BLOCK > REQUIRE_APPROVAL > ALLOW). Their order means nothing.
 *  8. Without a candidate the default counts.
 *  9. The deadline has passed and the cell holds: ALLOW becomes REQUIRE_APPROVAL, asking whom the classes name. What
 *     is stricter stays as it is.
 * 10. REQUIRE_APPROVAL asks the profiles of all who said so at that level, the same profile once; `ttl` and the
 *     grant's `valid_for` are the least of theirs. ALLOW lasts for the least `valid_for` of the classes.
 * 11. What outgrows a message is BLOCK: more than POLICY_CANDIDATES_MAX candidates too_many_rules, more than
 *     POLICY_REQUIREMENTS_MAX profiles too_many_requirements.
 */
#include "common/policy/policy.h"
#include "common/policy/policy_read.h"

#include <string.h>

/* One decision on its way. */
struct deciding {
	const struct policy *policy;
	const struct policy_request *request;
	struct arena *arena;
	struct policy_decision *decision;
	const struct policy_class **classes; /* those that cover the action, in the document's order */
	size_t class_count;
	const struct policy_class *speaker;    /* the one that lends its name */
	const struct policy_rule **candidates; /* by id */
	size_t candidate_count;
	const struct policy_profile *profiles[POLICY_REQUIREMENTS_MAX]; /* who is asked, by name */
	size_t profile_count;
	bool too_many_profiles;
	struct policy_datum context; /* as the declared inputs read it */
};

/* Always false: nothing that follows can change it. */
static bool
block(struct deciding *deciding, const char *code)
{
	struct policy_decision *decision = deciding->decision;

	decision->verdict = POLICY_BLOCK;
	decision->reason_code = code;
	return false;
}

/* Rule 3: the strictest lends its name, of equals the first. */
static void
speaks(struct deciding *deciding, const struct policy_class *class)
{
	if (!deciding->speaker || class->verdict > deciding->speaker->verdict)
		deciding->speaker = class;
}

/* Rule 1. */
static bool
can_decide(struct deciding *deciding)
{
	const struct policy_request *request = deciding->request;
	const char *const names[] = {"action", "agent_id", "target", "tenant"};
	const char *const values[] = {request->action, request->agent_id, request->target, request->tenant};
	const char **missing = arena_take_array(deciding->arena, sizeof names / sizeof *names, sizeof *missing);

	if (!deciding->policy)
		return block(deciding, "no_policy");
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!values[i])
			missing[deciding->decision->missing_count++] = names[i];
	deciding->decision->missing = missing;
	if (deciding->decision->missing_count)
		return block(deciding, "missing_input");
	if (!policy_covers(deciding->policy, request->tenant))
		return block(deciding, "no_policy");
	return !deciding->policy->is_undecidable || block(deciding, "not_honoured");
}

/* Rule 1a. */
static bool
is_valid(struct deciding *deciding)
{
	struct error *refusal = arena_take(deciding->arena, sizeof *refusal);

	if (!policy_inputs(deciding->policy)
	    || policy_read_context(&deciding->policy, 1, deciding->request->context, deciding->arena,
				   &deciding->context, refusal))
		return true;
	deciding->decision->refusal = refusal;
	return block(deciding, "invalid_request");
}

/* Rules 2 and 3. */
static void
find_classes(struct deciding *deciding)
{
	const struct policy *policy = deciding->policy;
	const char *action = deciding->request->action;

	deciding->classes = arena_take_array(deciding->arena, policy->class_count, sizeof *deciding->classes);
	for (size_t i = 0; i < policy->class_count; i++) {
		const struct policy_class *class = &policy->classes[i];

		if (class != policy->fallback && policy_strings_match(&class->actions, action)
		    && !policy_strings_match(&class->except, action))
			deciding->classes[deciding->class_count++] = class;
	}
	if (deciding->class_count == 0)
		deciding->classes[deciding->class_count++] = policy->fallback;
	for (size_t i = 0; i < deciding->class_count; i++)
		speaks(deciding, deciding->classes[i]);
}

static bool
is_present(const struct deciding *deciding, const char *path)
{
	const struct policy_type *inputs = policy_inputs(deciding->policy);

	return inputs ? policy_context_has(inputs, &deciding->context, path)
		      : policy_value_has(deciding->request->context, path);
}

/* Rule 4. */
static bool
has_required(struct deciding *deciding)
{
	const struct policy_class *usual_speaker = deciding->speaker;
	size_t room = 0, count = 0;

	for (size_t i = 0; i < deciding->class_count; i++)
		room += deciding->classes[i]->requires.count;

	const char **missing = arena_take_array(deciding->arena, room, sizeof *missing);

	deciding->speaker = NULL;
	for (size_t i = 0; i < deciding->class_count; i++) {
		const struct policy_class *class = deciding->classes[i];
		size_t before = count;

		for (size_t j = 0; j < class->requires.count; j++)
			if (!is_present(deciding, class->requires.items[j]))
				missing[count++] = class->requires.items[j];
		if (count > before)
			speaks(deciding, class);
	}
	if (count == 0) {
		deciding->speaker = usual_speaker;
		return true;
	}
	deciding->decision->missing = missing;
	deciding->decision->missing_count = policy_strings_distinct(missing, count);
	return block(deciding, "missing_input");
}

/* Rule 5. */
static bool
is_in_time(struct deciding *deciding, bool late)
{
	const struct policy_class *usual_speaker = deciding->speaker;

	if (!late)
		return true;
	deciding->speaker = NULL;
	for (size_t i = 0; i < deciding->class_count; i++)
		if (deciding->classes[i]->cells.evaluation_timeout != POLICY_TIMEOUT_HOLD)
			speaks(deciding, deciding->classes[i]);
	if (deciding->speaker)
		return block(deciding, "evaluation_timeout");
	deciding->speaker = usual_speaker;
	return true;
}

static bool
list_matches(const struct policy_strings *patterns, const char *text)
{
	return patterns->count == 0 || policy_strings_match(patterns, text);
}

/* All but the actions, which the index knows for `match`. */
static bool
rest_matches(const struct policy_scope *scope, const struct policy_request *request)
{
	return list_matches(&scope->agents, request->agent_id)
	       && list_matches(&scope->targets, request->target)
	       && list_matches(&scope->tenants, request->tenant);
}

/* Rules 6 and 11. */
static bool
find_candidates(struct deciding *deciding)
{
	const struct policy *policy = deciding->policy;
	const struct policy_request *request = deciding->request;
	struct policy_set set = policy_set_make(deciding->arena, policy);

	policy_index_find(policy, request->action, &set);
	deciding->candidates =
	    arena_take_array(deciding->arena, policy_set_count(&set), sizeof *deciding->candidates);
	for (size_t i = policy_set_next(&set, 0); i != SIZE_MAX; i = policy_set_next(&set, i + 1)) {
		const struct policy_rule *rule = &policy->rules[i];

		if (rest_matches(&rule->match, request)
		    && !(rule->has_except && list_matches(&rule->except.actions, request->action)
			 && rest_matches(&rule->except, request)))
			deciding->candidates[deciding->candidate_count++] = rule;
	}
	return deciding->candidate_count <= POLICY_CANDIDATES_MAX || block(deciding, "too_many_rules");
}

/* Rule 10: sorted by name, each once. */
static void
ask(struct deciding *deciding, const struct policy_profile *profile)
{
	size_t at = 0;

	while (at < deciding->profile_count && strcmp(deciding->profiles[at]->name, profile->name) < 0)
		at++;
	if (at < deciding->profile_count && deciding->profiles[at] == profile)
		return;
	if (deciding->profile_count == POLICY_REQUIREMENTS_MAX) {
		deciding->too_many_profiles = true;
		return;
	}
	memmove(&deciding->profiles[at + 1], &deciding->profiles[at],
		(deciding->profile_count - at) * sizeof *deciding->profiles);
	deciding->profiles[at] = profile;
	deciding->profile_count++;
}

/* Rule 7. */
static void
apply_rules(struct deciding *deciding)
{
	struct policy_decision *decision = deciding->decision;
	const char **ids = arena_take_array(deciding->arena, deciding->candidate_count, sizeof *ids);

	decision->verdict = POLICY_ALLOW;
	for (size_t i = 0; i < deciding->candidate_count; i++)
		if (deciding->candidates[i]->verdict > decision->verdict)
			decision->verdict = deciding->candidates[i]->verdict;
	for (size_t i = 0; i < deciding->candidate_count; i++) {
		if (deciding->candidates[i]->verdict != decision->verdict)
			continue;
		ids[decision->rule_count++] = deciding->candidates[i]->id;
		if (decision->verdict == POLICY_REQUIRE_APPROVAL)
			ask(deciding, deciding->candidates[i]->profile);
	}
	decision->rules = ids;
	decision->reason_code = "rule";
}

/* Rule 8. */
static void
apply_default(struct deciding *deciding)
{
	deciding->decision->verdict = deciding->speaker->verdict;
	deciding->decision->reason_code = "class_default";
	for (size_t i = 0; i < deciding->class_count; i++)
		if (deciding->decision->verdict == POLICY_REQUIRE_APPROVAL
		    && deciding->classes[i]->verdict == POLICY_REQUIRE_APPROVAL)
			ask(deciding, deciding->classes[i]->profile);
}

/* Rule 9: all classes say hold, or rule 5 had blocked; and who says hold names whom to ask. */
static void
apply_hold(struct deciding *deciding)
{
	struct policy_decision *decision = deciding->decision;

	if (decision->verdict != POLICY_ALLOW)
		return;
	decision->verdict = POLICY_REQUIRE_APPROVAL;
	decision->reason_code = "evaluation_timeout";
	decision->rule_count = 0;
	for (size_t i = 0; i < deciding->class_count; i++)
		ask(deciding, deciding->classes[i]->profile);
}

static int64_t
lesser(int64_t left, int64_t right)
{
	return left < right ? left : right;
}

/* Rules 10 and 11. */
static void
apply_terms(struct deciding *deciding)
{
	struct policy_decision *decision = deciding->decision;

	if (deciding->too_many_profiles) {
		block(deciding, "too_many_requirements");
	} else if (decision->verdict == POLICY_ALLOW) {
		decision->valid_for = INT64_MAX;
		for (size_t i = 0; i < deciding->class_count; i++)
			decision->valid_for = lesser(decision->valid_for, deciding->classes[i]->valid_for);
	} else if (decision->verdict == POLICY_REQUIRE_APPROVAL) {
		decision->ttl = decision->valid_for = INT64_MAX;
		for (size_t i = 0; i < deciding->profile_count; i++) {
			const struct policy_profile *profile = deciding->profiles[i];

			/* of several questions the first: who asks people loads no policy with such a profile yet */
			decision->requirements[decision->requirement_count++] = (struct policy_requirement){
			    profile->name, profile->asks[0].group, profile->asks[0].quorum};
			if (profile->ttl)
				decision->ttl = lesser(decision->ttl, profile->ttl);
			decision->valid_for = lesser(decision->valid_for, profile->valid_for);
		}
		decision->hold_if_nobody = true;
		for (size_t i = 0; i < deciding->class_count; i++)
			decision->hold_if_nobody =
			    decision->hold_if_nobody
			    && deciding->classes[i]->cells.no_eligible_approver == POLICY_NOBODY_HOLD;
	}
}

static void
decide(struct deciding *deciding, int64_t now)
{
	bool late = deciding->request->deadline != 0 && now > deciding->request->deadline;

	if (!can_decide(deciding) || !is_valid(deciding))
		return;
	find_classes(deciding);
	if (!has_required(deciding) || !is_in_time(deciding, late) || !find_candidates(deciding))
		return;
	if (deciding->candidate_count)
		apply_rules(deciding);
	else
		apply_default(deciding);
	if (late)
		apply_hold(deciding);
	apply_terms(deciding);
}

void
policy_decide(const struct policy *policy, const struct policy_request *request, int64_t now,
	      struct arena *arena, struct policy_decision *decision)
{
	struct deciding deciding = {.policy = policy, .request = request, .arena = arena, .decision = decision};

	*decision = (struct policy_decision){.verdict = POLICY_BLOCK};
	decide(&deciding, now);
	if (deciding.speaker)
		decision->class_id = deciding.speaker->id;
	decision->reason_text =
	    decision->refusal ? arena_format(arena, "%s: %s: %s", decision->refusal->field,
					     decision->refusal->code, decision->refusal->text)
			      : policy_reason(arena, decision, deciding.candidates, deciding.candidate_count);
}
