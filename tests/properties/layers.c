/* SPDX-License-Identifier: Apache-2.0 */
/* layers.c - two random documents beside each other, compared with each alone. */
#include "tests/properties/layers.h"
#include "tests/properties/combination.h"
#include "tests/properties/random_policy.h"

#include "common/canonical/canonical.h"
#include "common/policy/policy_explain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOW = 10000000, REQUESTS = 3 };

const char *const layers_property_names[LAYERS_PROPERTIES] = {"loosens", "exact", "swapped", "shown", "shadow"};

struct trial {
	struct arena *arena;
	uint64_t number;
	enum layers_flaw flaw;
	struct random_policy random[2];
	struct policy *policies[2], *together[2]; /* the same, broken on wish */
	struct layers_tally *tally;
};

static const char *
json(struct arena *arena, const struct value *value)
{
	struct buffer text = {.arena = arena};
	struct error error = {0};

	return canonical_format(&text, value, &error) ? text.bytes : "(no JSON)";
}

static void
check(const struct trial *trial, enum layers_property property, bool holds,
      const struct policy_request *request, const struct policy_decision *alone,
      const struct policy_decision *both)
{
	trial->tally->comparisons[property]++;
	if (holds)
		return;
	trial->tally->violations[property]++;
	if (trial->flaw != LAYERS_SOUND)
		return;
	fprintf(stderr,
		"violation of layers %s: number %llu\n  alone %s\n  both  %s\n  request %s %s %s %s %s\n"
		"  first  %s\n  second %s\n",
		layers_property_names[property], (unsigned long long)trial->number,
		combination_line(trial->arena, alone), combination_line(trial->arena, both), request->tenant,
		request->agent_id, request->action, request->target, json(trial->arena, request->context),
		json(trial->arena, trial->random[0].document), json(trial->arena, trial->random[1].document));
}

/* ------------------------------------------------------------------ deciding, soundly or not */

/* Of two that are asked under the same name the last stays. */
static void
mix_profiles(struct policy_decision *decision)
{
	size_t kept = 0;

	for (size_t i = 0; i < decision->requirement_count; i++) {
		bool again = false;

		for (size_t j = i + 1; j < decision->requirement_count; j++)
			again = again
				|| strcmp(decision->requirements[i].profile, decision->requirements[j].profile)
				       == 0;
		if (!again)
			decision->requirements[kept++] = decision->requirements[i];
	}
	decision->requirement_count = kept;
}

static struct policy_decision
decide_both(const struct trial *trial, const struct policy_request *request, bool swapped)
{
	const struct policy *layers[] = {trial->together[swapped], trial->together[!swapped]};
	struct policy_decision decision;

	if (trial->flaw == LAYERS_LAST_WINS)
		policy_decide(trial->together[1], request, NOW, trial->arena, &decision);
	else
		policy_decide_layers(layers, 2, request, NOW, trial->arena, &decision);
	if (trial->flaw == LAYERS_PROFILES_MIXED)
		mix_profiles(&decision);
	return decision;
}

/* ------------------------------------------------------------------ comparing */

static bool
asks(const struct policy_decision *decision, const struct policy_requirement *wanted, const char *policy)
{
	for (size_t i = 0; i < decision->requirement_count; i++) {
		const struct policy_requirement *one = &decision->requirements[i];

		if (one->policy && strcmp(one->policy, policy) == 0 && strcmp(one->profile, wanted->profile) == 0
		    && strcmp(one->group, wanted->group) == 0 && one->quorum == wanted->quorum)
			return true;
	}
	return false;
}

/* closed, hold, escalate */
static int
leniency(const struct policy_decision *decision)
{
	return decision->escalate_if_nobody ? 2 : decision->hold_if_nobody;
}

static bool
is_looser(const struct trial *trial, const struct policy_decision *both, const struct policy_decision *alone,
	  const char *policy)
{
	if (both->verdict != alone->verdict || alone->verdict == POLICY_BLOCK)
		return both->verdict < alone->verdict;
	for (size_t i = 0; i < alone->requirement_count; i++)
		if (!asks(both, &alone->requirements[i], policy))
			return true;
	return !combination_keeps(trial->arena, both, alone)
	       || combination_end(both->ttl) > combination_end(alone->ttl) || both->valid_for > alone->valid_for
	       || (both->verdict != POLICY_ALLOW && leniency(both) > leniency(alone));
}

static bool
declares_too_little(const struct policy_decision *alone)
{
	return alone->refusal && strcmp(alone->refusal->code, "undeclared_field") == 0;
}

static bool
blocks_errors(const struct trial *trial)
{
	for (int i = 0; i < 2; i++)
		for (size_t j = 0; j < trial->policies[i]->class_count; j++)
			if (trial->policies[i]->classes[j].errors_block)
				return true;
	return false;
}

/* They have one purse of units: what is left over for the second depends on which is the first. */
static bool
is_exhausted(const struct policy_decision *decision)
{
	for (size_t i = 0; i < decision->trail->layer_count; i++)
		if (decision->trail->layers[i].meter.exhausted)
			return true;
	return false;
}

static void
check_exact(const struct trial *trial, const struct policy_request *request,
	    const struct policy_decision *alone, const struct policy_decision *both)
{
	enum policy_verdict stricter =
	    alone[0].verdict > alone[1].verdict ? alone[0].verdict : alone[1].verdict;

	if (declares_too_little(&alone[0]) || declares_too_little(&alone[1])
	    || (blocks_errors(trial) && both->error_count)
	    || strcmp(both->reason_code, "too_many_requirements") == 0
	    || strcmp(both->reason_code, "too_many_obligations") == 0
	    || strcmp(both->reason_code, "obligation_conflict") == 0)
		return;
	check(trial, LAYERS_EXACT, both->verdict == stricter || is_exhausted(both), request, &alone[0], both);
}

static bool
same_terms(const struct policy_decision *left, const struct policy_decision *right)
{
	bool same = left->requirement_count == right->requirement_count && left->ttl == right->ttl
		    && left->valid_for == right->valid_for && left->hold_if_nobody == right->hold_if_nobody
		    && left->escalate_if_nobody == right->escalate_if_nobody && left->verdict == right->verdict
		    && left->default_used == right->default_used && left->rule_count == right->rule_count
		    && left->error_count == right->error_count && left->missing_count == right->missing_count;

	for (size_t i = 0; same && i < left->requirement_count; i++)
		same = asks(right, &left->requirements[i], left->requirements[i].policy);
	for (size_t i = 0; same && i < left->rule_count; i++)
		same = strcmp(left->rules[i], right->rules[i]) == 0;
	return same;
}

static bool
all_name(const struct value *list)
{
	for (size_t i = 0; list && i < list->as.list.count; i++) {
		const char *policy = value_get_string(list->as.list.items[i], "policy");

		if (!policy || (strcmp(policy, "org") != 0 && strcmp(policy, "own") != 0))
			return false;
	}
	return true;
}

static bool
is_shown(const struct trial *trial, const struct policy_decision *both)
{
	static const char *const lists[] = {"because", "considered", "limits", "approvals", "class"};
	const struct value *map = policy_explain(both, trial->arena);

	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		if (!all_name(value_get(map, lists[i])))
			return false;
	return value_get(map, "policy")->kind == VALUE_LIST;
}

/* The second document is in the shadow of the first, and the first in that of both. */
static void
check_shadow(const struct trial *trial, const struct policy_request *request, struct policy_decision *both)
{
	const char *before = json(trial->arena, policy_explain(both, trial->arena));
	struct policy_decision shadows[2];

	for (int i = 0; i < 2; i++)
		policy_decide(trial->policies[!i], request, NOW, trial->arena, &shadows[i]);
	if (trial->flaw == LAYERS_SHADOW_COUNTS)
		*both = shadows[0];
	check(trial, LAYERS_SHADOW,
	      strcmp(before, json(trial->arena, policy_explain(both, trial->arena))) == 0, request, both, both);
}

/* ------------------------------------------------------------------ two documents */

static struct policy *
load(const struct trial *trial, int layer)
{
	struct findings findings = findings_open(trial->arena, FINDINGS_MAX);

	return policy_load_whole(trial->arena, trial->random[layer].document, NULL, &findings);
}

static struct policy *
broken(const struct trial *trial, int layer)
{
	struct policy *policy = load(trial, layer);

	for (size_t i = 0; trial->flaw == LAYERS_DEFAULT_YIELDS && i < policy->class_count; i++)
		policy->classes[i].is_floor = false;
	for (size_t i = 0;
	     trial->flaw == LAYERS_CONTEXT_OF_LAST && layer == 0 && i < policy->inputs.field_count; i++) {
		struct policy_field *field = (struct policy_field *)(uintptr_t)&policy->inputs.fields[i];

		field->required = false;
		field->min = field->max = NULL;
		field->word_count = 0;
	}
	return policy;
}

/* False: one of them does not load. */
static bool
make(struct trial *trial, uint64_t *seed)
{
	for (int i = 0; i < 2; i++) {
		random_policy_make(seed, trial->arena, &trial->random[i]);
		*value_get(trial->random[i].document, "policy") =
		    *value_string(trial->arena, i ? "own" : "org");
		trial->policies[i] = load(trial, i);
		if (!trial->policies[i])
			return false;
		trial->together[i] = trial->flaw == LAYERS_SOUND ? trial->policies[i] : broken(trial, i);
	}
	return true;
}

static void
try_request(struct trial *trial, uint64_t *seed)
{
	struct policy_request request = random_policy_request(seed, trial->arena, &trial->random[0]);
	struct policy_decision alone[2], both;

	request.used = random_usage;
	if (random_one_in(seed, 6))
		request.deadline = NOW - 1;
	for (int i = 0; i < 2; i++)
		policy_decide(trial->policies[i], &request, NOW, trial->arena, &alone[i]);
	both = decide_both(trial, &request, false);
	trial->tally->verdicts[both.verdict]++;
	trial->tally->mixed += alone[0].verdict != alone[1].verdict;
	for (int i = 0; i < 2; i++)
		if (!declares_too_little(&alone[i]))
			check(trial, LAYERS_LOOSENS, !is_looser(trial, &both, &alone[i], i ? "own" : "org"),
			      &request, &alone[i], &both);
	check_shadow(trial, &request, &both);
	if (trial->flaw != LAYERS_SOUND)
		return;
	check_exact(trial, &request, alone, &both);

	struct policy_decision swapped = decide_both(trial, &request, true);

	check(trial, LAYERS_SWAPPED,
	      same_terms(&both, &swapped) || is_exhausted(&both) || is_exhausted(&swapped), &request,
	      &swapped, &both);
	check(trial, LAYERS_SHOWN, is_shown(trial, &both), &request, &both, &both);
}

void
layers_try(struct arena *arena, uint64_t number, enum layers_flaw flaw, struct layers_tally *tally)
{
	struct trial trial = {.arena = arena, .number = number, .flaw = flaw, .tally = tally};
	uint64_t seed = random_seed(number);

	arena_reset(arena);
	tally->sets++;
	if (!make(&trial, &seed)) {
		tally->refused++;
		return;
	}
	for (size_t i = 0; i < REQUESTS; i++)
		try_request(&trial, &seed);
}
