/* SPDX-License-Identifier: Apache-2.0 */
/* policy_rules.c - which rules are about a request, what each of them says, and what they say together. The numbers are those at the head
 * of policy_decide.c. */
#include "common/policy/policy_deciding.h"
#include "common/policy/policy_facts.h"

#include <assert.h>

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

static bool
scope_matches(const struct policy_scope *scope, const struct policy_request *request)
{
	return list_matches(&scope->actions, request->action) && rest_matches(scope, request);
}

bool
policy_is_about(const struct policy_scope *match, const struct policy_scope *except, bool has_except,
		const struct policy_request *request)
{
	return scope_matches(match, request) && !(has_except && scope_matches(except, request));
}

/* The index has matched the actions. */
static bool
is_about(const struct policy_rule *rule, const struct policy_request *request)
{
	return rest_matches(&rule->match, request)
	       && !(rule->has_except && scope_matches(&rule->except, request));
}

/* Rules 6 and 11. */
bool
policy_find_candidates(struct policy_deciding *deciding, int64_t now)
{
	const struct policy *policy = deciding->policy;
	struct policy_set set = policy_set_make(deciding->arena, policy);

	policy_index_find(policy, deciding->request->action, &set);
	deciding->indexed = policy_set_count(&set);
	deciding->candidates =
	    arena_take_array(deciding->arena, deciding->indexed, sizeof *deciding->candidates);
	for (size_t i = policy_set_next(&set, 0); i != SIZE_MAX; i = policy_set_next(&set, i + 1)) {
		const struct policy_rule *rule = &policy->rules[i];

		if (is_about(rule, deciding->request) && (rule->expires == 0 || now < rule->expires))
			deciding->candidates[deciding->candidate_count++].rule = rule;
	}
	return deciding->candidate_count <= POLICY_CANDIDATES_MAX
	       || policy_deciding_block(deciding, "too_many_rules");
}

struct policy_meter *
policy_deciding_meter(struct policy_deciding *deciding, int64_t now)
{
	struct policy_meter *meter = &deciding->meter;
	const struct policy_names *names = deciding->policy->names;
	struct arena *arena = deciding->arena;

	if (meter->slots)
		return meter;
	*meter = (struct policy_meter){
	    .arena = arena,
	    .bindings = &names->bindings,
	    .slots = arena_take_array(arena, cel_slot_count(names->env), sizeof *meter->slots),
	    .known = arena_take_array(arena, names->bindings.count, sizeof *meter->known),
	    .expired = deciding->request->expired,
	    .context = deciding->request->clock,
	    .others = meter->others,
	};
	policy_facts_fill(deciding->policy, deciding->request, &deciding->context, now, arena, meter->slots);
	if (deciding->has_params)
		meter->slots[POLICY_FACT_PARAMS] = deciding->params;
	return meter;
}

/* Rule 7. A condition that is written and not compiled would hold always: the loader has made sure that there is none. */
void
policy_ask_conditions(struct policy_deciding *deciding, int64_t now)
{
	for (size_t i = 0; i < deciding->candidate_count; i++) {
		struct policy_candidate *candidate = &deciding->candidates[i];
		const struct policy_rule *rule = candidate->rule;

		assert(rule->condition.count || (!rule->when && !rule->unless));
		candidate->outcome =
		    rule->condition.count
			? policy_condition_ask(&rule->condition, policy_deciding_meter(deciding, now))
			: (struct policy_outcome){.truth = POLICY_TRUE};
	}
}

static enum policy_verdict
stricter(enum policy_verdict left, enum policy_verdict right)
{
	return left > right ? left : right;
}

static bool
counts(const struct policy_candidate *candidate)
{
	return candidate->outcome.truth == POLICY_TRUE && !candidate->rule->is_shadow;
}

/* To what an error raises the decision: ALLOW when it does not. */
static enum policy_verdict
raised_to(const struct policy_deciding *deciding, const struct policy_candidate *candidate)
{
	if (candidate->outcome.truth != POLICY_ERROR || candidate->rule->is_shadow)
		return POLICY_ALLOW;
	return deciding->errors_block ? POLICY_BLOCK : candidate->rule->verdict;
}

bool
policy_any_counts(const struct policy_deciding *deciding)
{
	for (size_t i = 0; i < deciding->candidate_count; i++)
		if (counts(&deciding->candidates[i]))
			return true;
	return false;
}

/* Rule 12. */
bool
policy_default_counts(const struct policy_deciding *deciding, const struct policy_class *class)
{
	return deciding->default_used && (class->is_floor || !deciding->elsewhere);
}

/* The strictest of the defaults that count, and its class speaks; ALLOW when none does, and then it is silent. */
static enum policy_verdict
default_of(struct policy_deciding *deciding)
{
	const struct policy_class *strictest = NULL;

	for (size_t i = 0; i < deciding->class_count; i++) {
		const struct policy_class *class = deciding->classes[i];

		if (policy_default_counts(deciding, class)
		    && (!strictest || class->verdict > strictest->verdict))
			strictest = class;
	}
	deciding->is_silent = !strictest;
	if (strictest)
		deciding->speaker = strictest;
	return strictest ? strictest->verdict : POLICY_ALLOW;
}

/* Rule 8, first half. */
static enum policy_verdict
base_of(struct policy_deciding *deciding)
{
	enum policy_verdict base = POLICY_ALLOW;

	deciding->is_silent = false;
	deciding->default_used = !policy_any_counts(deciding);
	if (deciding->default_used)
		return default_of(deciding);
	for (size_t i = 0; i < deciding->candidate_count; i++)
		if (counts(&deciding->candidates[i]))
			base = stricter(base, deciding->candidates[i].rule->verdict);
	return base;
}

/* Rule 10, who is asked. */
static void
ask_profiles(struct policy_deciding *deciding)
{
	for (size_t i = 0; i < deciding->candidate_count; i++)
		if (deciding->candidates[i].decides)
			policy_deciding_ask(deciding, deciding->candidates[i].rule->profile);
	for (size_t i = 0; i < deciding->class_count; i++)
		if (policy_default_counts(deciding, deciding->classes[i])
		    && deciding->classes[i]->verdict == POLICY_REQUIRE_APPROVAL)
			policy_deciding_ask(deciding, deciding->classes[i]->profile);
}

/* Whose decision it is: of those at its level. An ALLOW is never raised to. */
static void
name_rules(struct policy_deciding *deciding)
{
	struct policy_decision *decision = deciding->decision;
	const char **ids = arena_take_array(deciding->arena, deciding->candidate_count, sizeof *ids);
	const char **errors = arena_take_array(deciding->arena, deciding->candidate_count, sizeof *errors);

	for (size_t i = 0; i < deciding->candidate_count; i++) {
		struct policy_candidate *candidate = &deciding->candidates[i];
		enum policy_verdict raised = raised_to(deciding, candidate);

		candidate->decides = (counts(candidate) && candidate->rule->verdict == decision->verdict)
				     || (raised != POLICY_ALLOW && raised == decision->verdict);
		if (candidate->decides)
			ids[decision->rule_count++] = candidate->rule->id;
		if (candidate->outcome.truth == POLICY_ERROR && !candidate->rule->is_shadow)
			errors[decision->error_count++] = candidate->rule->id;
	}
	decision->rules = ids;
	decision->errors = errors;
}

/* Rule 8. */
void
policy_apply_rules(struct policy_deciding *deciding)
{
	struct policy_decision *decision = deciding->decision;

	for (size_t i = 0; i < deciding->class_count; i++)
		deciding->errors_block = deciding->errors_block || deciding->classes[i]->errors_block;

	enum policy_verdict base = base_of(deciding);

	decision->verdict = base;
	decision->default_used = deciding->default_used;
	for (size_t i = 0; i < deciding->candidate_count; i++)
		decision->verdict = stricter(decision->verdict, raised_to(deciding, &deciding->candidates[i]));
	decision->reason_code = decision->verdict != base ? "rule_error"
				: deciding->default_used  ? "class_default"
							  : "rule";
	deciding->is_silent = deciding->is_silent && decision->verdict == POLICY_ALLOW;
	name_rules(deciding);
	if (decision->verdict == POLICY_REQUIRE_APPROVAL)
		ask_profiles(deciding);
}
