/* SPDX-License-Identifier: Apache-2.0 */
/* policy_condition.c - asking conditions: three values, one purse for all of a decision. Nothing opens by being slow. */
#include "common/policy/policy_condition.h"

/* Looked at once in so many units, as asking for the time takes longer than a small condition. */
static bool
is_expired(struct policy_meter *meter)
{
	if (!meter->expired || meter->cost - meter->polled < CEL_POLL_UNITS)
		return false;
	meter->polled = meter->cost;
	return meter->expired(meter->context);
}

static struct cel_value
evaluate(struct policy_meter *meter, const struct cel_program *program)
{
	uint64_t spent = meter->cost + meter->others;
	uint64_t left = spent < POLICY_COST_MAX ? POLICY_COST_MAX - spent : 0;
	struct cel_run run = {.slots = meter->slots,
			      .cost_max = left < CEL_COST_MAX ? left : CEL_COST_MAX,
			      .expired = meter->expired,
			      .context = meter->context};

	if (meter->exhausted || left == 0) {
		meter->exhausted = true;
		return cel_error(CEL_COST, 0);
	}

	struct cel_value value = cel_evaluate(program, &run, meter->arena);

	meter->cost += run.cost;
	if (run.cost >= left || is_expired(meter))
		meter->exhausted = true;
	return value;
}

struct cel_value
policy_program_run(const struct policy_program *program, struct policy_meter *meter)
{
	for (size_t i = 0; i < program->binding_count; i++) {
		size_t n = program->bindings[i];
		const struct policy_binding *binding = &meter->bindings->items[n];

		if (meter->known[n])
			continue;
		/* what it reads itself stands before it */
		meter->slots[binding->slot] = evaluate(meter, binding->value.program);
		meter->known[n] = true;
	}
	return evaluate(meter, program->program);
}

static struct policy_outcome
erred(const struct policy_conjunct *conjunct, enum cel_code code, uint32_t position)
{
	return (struct policy_outcome){
	    .truth = POLICY_ERROR, .decider = conjunct, .code = code, .position = position};
}

static struct policy_outcome
ask_one(const struct policy_conjunct *conjunct, struct policy_meter *meter)
{
	struct cel_value value = policy_program_run(&conjunct->ask, meter);

	if (value.kind == CEL_ERROR)
		return erred(conjunct, value.code, value.extra);
	if (value.kind != CEL_BOOL)
		return erred(conjunct, CEL_NOT_BOOL, conjunct->position);
	return value.as.boolean != conjunct->of_unless
		   ? (struct policy_outcome){.truth = POLICY_TRUE}
		   : (struct policy_outcome){.truth = POLICY_FALSE, .decider = conjunct};
}

struct policy_outcome
policy_condition_ask(const struct policy_condition *condition, struct policy_meter *meter)
{
	struct policy_outcome outcome = {.truth = POLICY_TRUE};

	if (condition->count && meter->exhausted)
		return erred(NULL, CEL_COST, 0);
	for (size_t i = 0; i < condition->count && outcome.truth != POLICY_FALSE; i++) {
		struct policy_outcome one = ask_one(&condition->conjuncts[i], meter);

		if (one.truth == POLICY_FALSE || outcome.truth == POLICY_TRUE)
			outcome = one;
	}
	return outcome;
}
