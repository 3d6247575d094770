/* SPDX-License-Identifier: Apache-2.0 */
/* policy_condition.c - asking conditions: three values, one purse for all of a decision. Nothing opens by being slow. */
#include "common/policy/policy_condition.h"

static struct cel_value
out_of_units(void)
{
	return cel_error(CEL_COST, 0);
}

static struct cel_value
run(struct policy_meter *meter, const struct cel_program *program)
{
	uint64_t left = meter->cost < POLICY_COST_MAX ? POLICY_COST_MAX - meter->cost : 0;
	struct cel_run run = {.slots = meter->slots,
			      .cost_max = left < CEL_COST_MAX ? left : CEL_COST_MAX,
			      .expired = meter->expired,
			      .context = meter->context};

	if (meter->exhausted || left == 0) {
		meter->exhausted = true;
		return out_of_units();
	}

	struct cel_value value = cel_evaluate(program, &run, meter->arena);

	meter->cost += run.cost;
	if (meter->cost >= POLICY_COST_MAX || (meter->expired && meter->expired(meter->context)))
		meter->exhausted = true;
	return value;
}

struct cel_value
policy_meter_run(struct policy_meter *meter, const struct cel_program *program, const size_t *lets,
		 size_t let_count)
{
	for (size_t i = 0; i < let_count; i++) {
		const struct policy_let *let = &meter->lets->items[lets[i]];

		if (meter->known[lets[i]])
			continue;
		meter->slots[let->slot] = run(meter, let->program); /* those that it reads stand before it */
		meter->known[lets[i]] = true;
	}
	return run(meter, program);
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
	struct cel_value value =
	    policy_meter_run(meter, conjunct->program, conjunct->lets, conjunct->let_count);

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
