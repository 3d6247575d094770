/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy_lint_request.c - what only shows in requests: E09, W02. For every action that the rules tell apart all small requests are decided
 * (policy_values.h). E09 needs one that shows it. W02 says that there is none, and so only of rules whose conditions, and those of all others
 * about the same actions, tell no more requests apart than were tried.
 */
#include "common/policy/policy_deciding.h"
#include "common/policy/policy_linting.h"
#include "common/policy/policy_obligations.h"
#include "common/policy/policy_values.h"

#include <stdlib.h>
#include <string.h>

enum {
	REQUESTS_MAX = 300000, /* of all actions; one that takes long counts for several */
	UNITS_OF_ONE = 32,
	ACTION_REQUESTS_MAX = 4096,
	SAMPLE = 500, /* where all are too many, for E09 */
	CROWD_MAX = 64,
	PATTERNS_MAX = 64,
	TELLING_STEPS = 100000000,
	READING_STEPS = 4 /* for a byte of an expression */
};

/* What the requests have shown of a rule. */
struct shown {
	bool was_true;	   /* or, of one that restricts, raised */
	bool had_effect;   /* something would have been decided otherwise without it */
	bool is_undecided; /* not everything was tried */
	bool is_simple;
};

struct trying {
	struct policy_linting *linting;
	struct shown *shown;	 /* by rule */
	struct policy_set *told; /* rules that E09 was told about */
	struct policy_set found;
	struct arena *domain_arena, *request_arena;
	struct policy_allowance requests, steps;
	size_t left_out; /* actions */
};

/* ------------------------------------------------------------------ what would be decided without one of them */

struct outcome {
	enum policy_verdict verdict;
	bool default_used;
	uint64_t profiles[POLICY_PROFILES_MAX / 64];
};

static bool
is_gone(const struct trying *trying, const struct policy_rule *rule)
{
	size_t n = (size_t)(rule - trying->linting->policy->rules);

	return trying->linting->covered.words[n / 64] >> n % 64 & 1;
}

static enum policy_verdict
raised_to(const struct policy_deciding *deciding, const struct policy_candidate *candidate)
{
	return deciding->errors_block ? POLICY_BLOCK : candidate->rule->verdict;
}

static bool
is_silent(const struct trying *trying, const struct policy_candidate *candidate,
	  const struct policy_rule *without)
{
	return candidate->rule == without || candidate->rule->is_shadow
	       || candidate->outcome.truth == POLICY_FALSE || is_gone(trying, candidate->rule);
}

static void
ask(struct outcome *outcome, const struct policy *policy, const struct policy_profile *profile)
{
	size_t n = (size_t)(profile - policy->profiles);

	if (profile)
		outcome->profiles[n / 64] |= UINT64_C(1) << n % 64;
}

/* Rules 8 and 10 of policy_decide.c once more, over the candidates but one. */
static struct outcome
combine(const struct trying *trying, const struct policy_deciding *deciding, const struct policy_rule *without)
{
	const struct policy *policy = trying->linting->policy;
	struct outcome outcome = {.verdict = POLICY_ALLOW, .default_used = true};

	for (size_t i = 0; i < deciding->candidate_count; i++) {
		const struct policy_candidate *candidate = &deciding->candidates[i];

		if (is_silent(trying, candidate, without) || candidate->outcome.truth == POLICY_ERROR)
			continue;
		outcome.default_used = false;
		if (candidate->rule->verdict > outcome.verdict)
			outcome.verdict = candidate->rule->verdict;
	}
	if (outcome.default_used)
		outcome.verdict = deciding->speaker->verdict;
	for (size_t i = 0; i < deciding->candidate_count; i++) {
		const struct policy_candidate *candidate = &deciding->candidates[i];

		if (!is_silent(trying, candidate, without) && candidate->outcome.truth == POLICY_ERROR
		    && raised_to(deciding, candidate) > outcome.verdict)
			outcome.verdict = raised_to(deciding, candidate);
	}
	if (outcome.verdict != POLICY_REQUIRE_APPROVAL)
		return outcome;
	for (size_t i = 0; i < deciding->candidate_count; i++)
		if (!is_silent(trying, &deciding->candidates[i], without))
			ask(&outcome, policy, deciding->candidates[i].rule->profile);
	for (size_t i = 0; outcome.default_used && i < deciding->class_count; i++)
		if (deciding->classes[i]->verdict == POLICY_REQUIRE_APPROVAL)
			ask(&outcome, policy, deciding->classes[i]->profile);
	return outcome;
}

static bool
is_same(const struct outcome *left, const struct outcome *right)
{
	return left->verdict == right->verdict
	       && memcmp(left->profiles, right->profiles, sizeof left->profiles) == 0;
}

/* An ALLOW has had its say where the decision is ALLOW; what restricts where it makes a difference. */
static void
note_effects(struct trying *trying, const struct policy_deciding *deciding)
{
	const struct policy_rule *first = trying->linting->policy->rules;
	struct outcome whole = combine(trying, deciding, NULL);

	for (size_t i = 0; i < deciding->candidate_count; i++) {
		const struct policy_candidate *candidate = &deciding->candidates[i];
		struct shown *shown = &trying->shown[candidate->rule - first];
		bool allows = candidate->rule->verdict == POLICY_ALLOW;

		if (is_silent(trying, candidate, NULL) || (allows && candidate->outcome.truth == POLICY_ERROR))
			continue;
		shown->was_true = shown->was_true || candidate->outcome.truth == POLICY_TRUE;
		if (shown->had_effect)
			continue;
		if (allows) {
			shown->had_effect = whole.verdict == POLICY_ALLOW
					    || (whole.verdict != POLICY_BLOCK && candidate->rule->obligations);
		} else {
			struct outcome less = combine(trying, deciding, candidate->rule);

			shown->had_effect = !is_same(&whole, &less);
		}
	}
}

/* ------------------------------------------------------------------ E09 */

/* The name of the obligation about which two rules contradict each other, or NULL. */
static const char *
find_conflict(struct arena *arena, const struct policy_rule *left, const struct policy_rule *right)
{
	const struct value *map = left->obligations;

	for (size_t i = 0; map && right->obligations && i < map->as.map.count; i++) {
		const struct value_member *member = &map->as.map.members[i];
		const struct value *other = value_get(right->obligations, member->name.bytes);

		if (other && !policy_obligation_unite(arena, member->value, other))
			return member->name.bytes;
	}
	return NULL;
}

static bool
obliges(const struct policy_candidate *candidate)
{
	return candidate->outcome.truth == POLICY_TRUE && !candidate->rule->is_shadow
	       && candidate->rule->obligations;
}

static void
tell_conflict(struct trying *trying, const struct policy_rule *rule, const struct policy_rule *other,
	      const char *name, const struct policy_request *request)
{
	struct policy_linting *linting = trying->linting;
	struct place place = policy_linting_rule(linting, rule),
		     obligations = policy_place_member(&place, "obligations"),
		     member = policy_place_member(&obligations, name);

	policy_linting_add(
	    linting, "E09", "obligation_conflict", &member,
	    "rule %s obliges to another %.64s, and both count for %.128s by %.64s on %.64s: give "
	    "them one value, or keep them apart",
	    other->id, name, request->action, request->agent_id, request->target);
}

/* Each rule is told about once, against the first that contradicts it. */
static void
look_for_conflicts(struct trying *trying, const struct policy_deciding *deciding)
{
	const struct policy_rule *first = trying->linting->policy->rules;

	for (size_t i = 0; i < deciding->candidate_count; i++)
		for (size_t j = 0; obliges(&deciding->candidates[i]) && j < deciding->candidate_count; j++) {
			const struct policy_rule *rule = deciding->candidates[i].rule,
						 *other = deciding->candidates[j].rule;
			size_t n = (size_t)(rule - first);
			const char *name;

			if (other->position >= rule->position || !obliges(&deciding->candidates[j])
			    || policy_set_next(trying->told, n) == n)
				continue;
			if ((name = find_conflict(trying->request_arena, rule, other))) {
				policy_set_add(trying->told, n);
				tell_conflict(trying, rule, other, name, deciding->request);
			}
		}
}

/* ------------------------------------------------------------------ is everything tried? */

/* Patterns of which two have some texts in common, but neither covers the other: those texts are not tried. */
static bool
crosses(struct trying *trying, const char *const *patterns, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < i; j++) {
			const char *left = patterns[i], *right = patterns[j];

			if (!strchr(left, '*') || !strchr(right, '*') || strcmp(left, right) == 0)
				continue;
			if (!policy_allowance_take(&trying->steps, 200)
			    || (policy_pattern_meets(left, right) && !policy_pattern_covers(left, right)
				&& !policy_pattern_covers(right, left)))
				return true;
		}
	return false;
}

static bool
add_patterns(const char **patterns, size_t *count, const struct policy_strings *more)
{
	for (size_t i = 0; i < more->count; i++) {
		if (*count == PATTERNS_MAX)
			return false;
		patterns[(*count)++] = more->items[i];
	}
	return true;
}

static bool
is_plain_list(const struct policy_strings *patterns)
{
	for (size_t i = 0; i < patterns->count; i++)
		if (strchr(patterns->items[i], '*'))
			return false;
	return patterns->count > 0;
}

/* Do the small requests stand for all about this action? */
static bool
tell_everything(struct trying *trying)
{
	const struct policy *policy = trying->linting->policy;
	const char *agents[PATTERNS_MAX], *targets[PATTERNS_MAX];
	size_t agent_count = 0, target_count = 0;

	for (size_t i = policy_set_next(&trying->found, 0); i != SIZE_MAX;
	     i = policy_set_next(&trying->found, i + 1)) {
		const struct policy_rule *rule = &policy->rules[i];

		if (!trying->shown[i].is_simple || rule->match.tenants.count || rule->except.tenants.count
		    || rule->expires)
			return false;
		if (!add_patterns(agents, &agent_count, &rule->match.agents)
		    || !add_patterns(agents, &agent_count, &rule->except.agents)
		    || !add_patterns(targets, &target_count, &rule->match.targets)
		    || !add_patterns(targets, &target_count, &rule->except.targets))
			return false;
	}
	return !crosses(trying, agents, agent_count) && !crosses(trying, targets, target_count);
}

static bool
may_conflict(struct trying *trying)
{
	const struct policy *policy = trying->linting->policy;
	size_t obliging = 0;

	for (size_t i = policy_set_next(&trying->found, 0); i != SIZE_MAX;
	     i = policy_set_next(&trying->found, i + 1))
		obliging += policy->rules[i].obligations != NULL;
	return obliging > 1;
}

static void
leave_undecided(struct trying *trying)
{
	for (size_t i = policy_set_next(&trying->found, 0); i != SIZE_MAX;
	     i = policy_set_next(&trying->found, i + 1))
		trying->shown[i].is_undecided = true;
}

/* ------------------------------------------------------------------ action by action */

static void
decide_all(struct trying *trying, const struct policy_domain *domain, bool effects, bool conflicts)
{
	struct policy_walk walk = policy_walk_open(domain, ACTION_REQUESTS_MAX, SAMPLE);
	struct policy_request request;

	if (!walk.exhaustive || !effects)
		leave_undecided(trying);
	if ((!walk.exhaustive || !effects) && !conflicts)
		return;
	while (policy_walk_next(&walk, trying->request_arena, &request)) {
		struct policy_decision decision;

		if (!policy_allowance_take(&trying->requests, 1)) {
			leave_undecided(trying);
			break;
		}
		policy_decide(trying->linting->policy, &request, trying->linting->ask->now,
			      trying->request_arena, &decision);
		if (!decision.refusal && decision.missing_count == 0
		    && decision.trail->candidate_count <= CROWD_MAX) {
			size_t candidates = decision.trail->candidate_count;

			policy_allowance_take(&trying->requests,
					      (decision.trail->meter.cost + candidates * candidates)
						  / UNITS_OF_ONE);
			if (effects)
				note_effects(trying, decision.trail);
			if (conflicts && combine(trying, decision.trail, NULL).verdict != POLICY_BLOCK)
				look_for_conflicts(trying, decision.trail);
		}
		arena_reset(trying->request_arena);
	}
}

static size_t
length_of(const struct policy_expression *expression)
{
	return expression ? expression->length : 0;
}

static size_t
lets_length(const struct policy_lets *lets)
{
	size_t length = 0;

	for (size_t i = 0; i < lets->count; i++)
		length += lets->items[i].value.length;
	return length;
}

/* The expressions of all rules that were found are read again. */
static bool
may_read(struct trying *trying)
{
	const struct policy *policy = trying->linting->policy;
	size_t length = lets_length(&policy->lets);

	for (size_t i = policy_set_next(&trying->found, 0); i != SIZE_MAX;
	     i = policy_set_next(&trying->found, i + 1))
		length += length_of(policy->rules[i].when) + length_of(policy->rules[i].unless)
			  + lets_length(&policy->rules[i].lets);
	return policy_allowance_take(&trying->steps, length * READING_STEPS);
}

static void
try_action(struct trying *trying, const char *action)
{
	const struct policy *policy = trying->linting->policy;
	bool effects, conflicts;
	size_t count;

	memset(trying->found.words, 0, trying->found.word_count * sizeof *trying->found.words);
	policy_index_find(policy, action, &trying->found);
	count = policy_set_count(&trying->found);
	if (count == 0)
		return;
	if (count > CROWD_MAX || trying->requests.left == 0
	    || !policy_allowance_take(&trying->steps, 1500 + trying->found.word_count + count * 20)) {
		trying->left_out++;
		leave_undecided(trying);
		return;
	}
	effects = tell_everything(trying);
	conflicts = may_conflict(trying);
	if ((!effects && !conflicts) || !may_read(trying)) {
		trying->left_out += effects || conflicts;
		leave_undecided(trying);
		return;
	}

	struct policy_domain domain = policy_domain_among(policy, action, &trying->found, trying->domain_arena);

	decide_all(trying, &domain, effects, conflicts);
	arena_reset(trying->domain_arena);
}

static void
try_all(struct trying *trying)
{
	const struct policy *policy = trying->linting->policy;
	struct arena *arena = trying->linting->scratch;
	const char **actions;
	size_t count = 0;

	for (size_t i = 0; i < policy->rule_count; i++)
		count += policy_actions_of(&policy->rules[i].match).count;
	actions = arena_take_array(arena, count, sizeof *actions);
	count = 0;
	for (size_t i = 0; i < policy->rule_count; i++) {
		const struct policy_strings patterns = policy_actions_of(&policy->rules[i].match);

		for (size_t j = 0; j < patterns.count; j++)
			actions[count++] = policy_pattern_instance(arena, patterns.items[j]);
	}
	count = policy_strings_distinct(actions, count);
	for (size_t i = 0; i < count; i++)
		try_action(trying, actions[i]);
}

static void
tell_effects(struct trying *trying)
{
	struct policy_linting *linting = trying->linting;
	const struct policy *policy = linting->policy;

	for (size_t i = 0; i < policy->rule_count; i++) {
		const struct policy_rule *rule = linting->in_order[i];
		const struct shown *shown = &trying->shown[rule - policy->rules];
		struct place place = policy_linting_rule(linting, rule);

		/* of a pattern not every action was tried; what an organisation's policy restricts, it restricts for policies of tenants */
		if (shown->had_effect || !shown->was_true || shown->is_undecided
		    || !is_plain_list(&rule->match.actions)
		    || (rule->verdict != POLICY_ALLOW && policy_covers(policy, "*")))
			continue;
		if (rule->verdict == POLICY_ALLOW)
			policy_linting_add(
			    linting, "W02", "overridden", &place,
			    "allows nothing: wherever it counts, a stricter rule counts or raises too; "
			    "leave it out, or narrow those");
		else
			policy_linting_add(
			    linting, "W02", "no_effect", &place,
			    "changes nothing: wherever it counts or raises, the same is decided "
			    "without it, by other rules or the default of the class");
	}
}

void
policy_lint_requests(struct policy_linting *linting)
{
	const struct policy *policy = linting->policy;
	struct policy_set told = policy_set_make(linting->scratch, policy);
	struct trying trying = {
	    .linting = linting,
	    .shown = arena_take_array(linting->scratch, policy->rule_count, sizeof *trying.shown),
	    .told = &told,
	    .found = policy_set_make(linting->scratch, policy),
	    .domain_arena = arena_open(),
	    .request_arena = arena_open(),
	    .requests = {REQUESTS_MAX},
	    .steps = {TELLING_STEPS}};

	for (size_t i = 0; i < policy->rule_count; i++) {
		trying.shown[i].is_simple =
		    policy_terms_of(policy, &policy->rules[i], trying.domain_arena).is_simple;
		arena_reset(trying.domain_arena);
	}
	try_all(&trying);
	tell_effects(&trying);
	if (trying.left_out)
		policy_linting_note(
		    linting,
		    "E09, W02: of %zu actions not all requests were tried, as there are too many "
		    "rules about one, or too many in all",
		    trying.left_out);
	arena_close(trying.domain_arena);
	arena_close(trying.request_arena);
}
