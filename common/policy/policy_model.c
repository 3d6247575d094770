/* SPDX-License-Identifier: Apache-2.0 */
/* policy_model.c - small requests by the policy's own constants, and whether what must hold for all holds for them. */
#include "common/policy/policy_model.h"
#include "common/policy/policy_deciding.h"
#include "common/policy/policy_values.h"

#include <string.h>

/* One invariant on trial. */
struct trial {
	const struct policy *policy;
	const struct policy_invariant *invariant;
	int64_t now;
	struct arena *arena;   /* of the result */
	struct arena *scratch; /* of one request */
	struct policy_domain domain;
	struct policy_proof proof;
};

static bool
is_true(struct policy_meter *meter, const struct policy_program *program)
{
	struct cel_value value = policy_program_run(program, meter);

	return value.kind == CEL_BOOL && value.as.boolean;
}

static struct cel_value
approvals_of(const struct policy_decision *decision, struct arena *arena)
{
	struct cel_value *names = arena_take_array(arena, decision->requirement_count, sizeof *names);

	for (size_t i = 0; i < decision->requirement_count; i++)
		names[i] =
		    cel_string(decision->requirements[i].profile, strlen(decision->requirements[i].profile));
	return cel_list(arena, names, decision->requirement_count);
}

/* The values of a decision's expressions, and the outcome beside them; a purse of its own. */
static struct policy_meter *
claims_of(struct trial *trial, struct policy_deciding *deciding, const struct policy_decision *decision)
{
	const struct policy_names *names = trial->policy->names;
	struct policy_meter *meter = policy_deciding_meter(deciding, trial->now);
	const char *verdict = policy_verdict_name(decision->verdict);

	meter->cost = meter->polled = 0;
	meter->exhausted = false;
	meter->slots[names->decision_slot] = cel_string(verdict, strlen(verdict));
	meter->slots[names->approvals_slot] = approvals_of(decision, trial->scratch);
	return meter;
}

/* False when the invariant does not hold for this request. */
static bool
holds_for(struct trial *trial, const struct policy_request *request)
{
	const struct policy_invariant *invariant = trial->invariant;
	struct policy_decision decision;

	trial->proof.tried++;
	if (!policy_is_about(&invariant->match, &invariant->except, invariant->has_except, request))
		return true;
	policy_decide(trial->policy, request, trial->now, trial->scratch, &decision);
	if (decision.refusal)
		return true;

	struct policy_deciding deciding = *decision.trail;
	struct policy_meter *meter = claims_of(trial, &deciding, &decision);

	if (invariant->assumes.program && !is_true(meter, &invariant->assumes))
		return true;
	trial->proof.assumed++;
	if (is_true(meter, &invariant->asserts))
		return true;
	trial->proof.request = policy_domain_written(request, trial->arena);
	trial->proof.verdict = decision.verdict;
	return false;
}

static bool
try_all(struct trial *trial)
{
	struct policy_walk walk = policy_walk_open(&trial->domain, POLICY_MODEL_MAX, POLICY_MODEL_SAMPLE);
	struct policy_request request;

	trial->proof.exhaustive = walk.exhaustive;
	while (policy_walk_next(&walk, trial->scratch, &request)) {
		bool good = holds_for(trial, &request);

		arena_reset(trial->scratch);
		if (!good)
			return false;
	}
	return true;
}

size_t
policy_invariant_count(const struct policy *policy)
{
	return policy->invariant_count;
}

struct policy_proof
policy_invariant_try(const struct policy *policy, size_t n, int64_t now, struct arena *arena)
{
	struct trial trial = {.policy = policy,
			      .invariant = &policy->invariants[n],
			      .now = now,
			      .arena = arena,
			      .scratch = arena_open(),
			      .proof.invariant = policy->invariants[n].id};

	trial.domain = policy_domain_of(policy, trial.invariant, arena);
	trial.proof.holds = try_all(&trial);
	arena_close(trial.scratch);
	return trial.proof;
}
