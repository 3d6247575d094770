/* SPDX-License-Identifier: Apache-2.0 */
/* asking.c - from what a policy demands to an approval and back to words. */
#include "common/asking/asking.h"

#include <assert.h>
#include <string.h>

/* ------------------------------------------------------------------ from a policy */

static bool
fits(const struct approval *approval, const struct policy_profile *profile)
{
	size_t stages = approval->stage_count + profile->stage_count, asks = approval->ask_count,
	       steps = approval->step_count + profile->step_count;

	for (size_t i = 0; i < profile->stage_count; i++)
		asks += profile->stages[i].ask_count;
	for (size_t i = 0; i < profile->step_count; i++)
		asks += profile->steps[i].how != POLICY_ESCALATE_NOTIFY;
	return approval->demand_count < APPROVAL_DEMANDS_MAX && stages <= APPROVAL_STAGES_MAX
	       && asks <= APPROVAL_ASKS_MAX && steps <= APPROVAL_STEPS_MAX;
}

static unsigned
add_ask(struct approval *approval, struct asking *asking, const struct policy_ask *wanted,
	struct approval_ask ask)
{
	unsigned n = approval->ask_count++;

	ask.quorum = wanted->quorum;
	approval->asks[n] = ask;
	asking->groups[n] = wanted->group;
	asking->ahead[n] = -1;
	return n;
}

static void
add_stage(struct approval *approval, struct asking *asking, const struct policy_stage *wanted, unsigned demand)
{
	unsigned n = approval->stage_count++;

	approval->stages[n] = (struct approval_stage){.demand = demand, .all = wanted->all};
	for (size_t i = 0; i < wanted->ask_count; i++)
		add_ask(approval, asking, &wanted->asks[i], (struct approval_ask){.stage = n, .active = true});
}

static enum approval_step_kind
kind_of(enum policy_escalation how)
{
	return how == POLICY_ESCALATE_ADD	? APPROVAL_STEP_ADD
	       : how == POLICY_ESCALATE_REPLACE ? APPROVAL_STEP_REPLACE
						: APPROVAL_STEP_NOTIFY;
}

static void
add_step(struct approval *approval, struct asking *asking, const struct policy_step *wanted, unsigned demand,
	 int64_t since)
{
	struct approval_timed_step step = {
	    .at = since + wanted->after, .kind = kind_of(wanted->how), .demand = demand};
	unsigned row = approval->step_count, at = approval->step_count++;

	if (step.kind != APPROVAL_STEP_NOTIFY)
		step.ask = add_ask(approval, asking, &wanted->to, (struct approval_ask){.of_step = true});
	for (; at > approval->steps_taken && approval->steps[at - 1].at > step.at; at--) {
		approval->steps[at] = approval->steps[at - 1];
		asking->step_groups[at] = asking->step_groups[at - 1];
		asking->step_rows[at] = asking->step_rows[at - 1];
	}
	approval->steps[at] = step;
	asking->step_groups[at] = wanted->to.group;
	asking->step_rows[at] = row;
}

bool
asking_add(struct approval *approval, struct asking *asking, const struct policy_requirement *wanted,
	   int64_t since)
{
	const struct policy_profile *profile = wanted->terms;
	unsigned demand = approval->demand_count;

	if (!fits(approval, profile))
		return false;
	approval->demand_count++;
	approval->demands[demand] = (struct approval_demand){.deny_quorum = profile->deny_quorum,
							     .distinct = profile->distinct,
							     .require_reason = profile->require_reason,
							     .overridable = profile->override != NULL};
	asking->profiles[demand] = wanted->profile;
	asking->policies[demand] = wanted->policy;
	asking->overrides[demand] = profile->override;
	asking->fallback[demand] = wanted->is_fallback;
	asking->since[demand] = since;
	for (size_t i = 0; i < profile->stage_count; i++)
		add_stage(approval, asking, &profile->stages[i], demand);
	for (size_t i = 0; i < profile->step_count; i++)
		add_step(approval, asking, &profile->steps[i], demand, since);
	return true;
}

/* ------------------------------------------------------------------ is it demanded already? */

static unsigned
first_stage(const struct approval *approval, unsigned demand)
{
	unsigned n = 0;

	while (n < approval->stage_count && approval->stages[n].demand != demand)
		n++;
	return n;
}

/* The asks of one stage that no step has brought, in order. */
static bool
has_stage(const struct approval *approval, const struct asking *asking, unsigned stage,
	  const struct policy_stage *wanted)
{
	size_t found = 0;

	for (unsigned i = 0; i < approval->ask_count; i++) {
		const struct approval_ask *ask = &approval->asks[i];

		if (ask->of_step || ask->stage != stage)
			continue;
		if (found == wanted->ask_count || ask->quorum != wanted->asks[found].quorum
		    || strcmp(asking->groups[i], wanted->asks[found].group) != 0)
			return false;
		found++;
	}
	return found == wanted->ask_count
	       && (wanted->ask_count == 1 || approval->stages[stage].all == wanted->all);
}

static bool
has_steps(const struct approval *approval, const struct asking *asking, unsigned demand,
	  const struct policy_profile *wanted)
{
	size_t found = 0;

	for (unsigned i = 0; i < approval->step_count; i++) {
		const struct approval_timed_step *step = &approval->steps[i];
		const struct policy_step *other = &wanted->steps[found];

		if (step->demand != demand)
			continue;
		if (found == wanted->step_count || step->kind != kind_of(other->how)
		    || step->at - asking->since[demand] != other->after
		    || strcmp(asking->step_groups[i], other->to.group) != 0
		    || (step->kind != APPROVAL_STEP_NOTIFY
			&& approval->asks[step->ask].quorum != other->to.quorum))
			return false;
		found++;
	}
	return found == wanted->step_count;
}

/* NULL is nobody. */
static bool
is_group(const char *had, const char *wanted)
{
	return had && wanted ? strcmp(had, wanted) == 0 : had == wanted;
}

static bool
is_demand(const struct approval *approval, const struct asking *asking, unsigned demand,
	  const struct policy_profile *wanted)
{
	const struct approval_demand *had = &approval->demands[demand];
	unsigned first = first_stage(approval, demand), count = 0;

	if (had->deny_quorum != wanted->deny_quorum || had->distinct != wanted->distinct
	    || had->require_reason != wanted->require_reason
	    || !is_group(asking->overrides[demand], wanted->override))
		return false;
	while (first + count < approval->stage_count && approval->stages[first + count].demand == demand)
		count++;
	if (count != wanted->stage_count)
		return false;
	for (unsigned i = 0; i < count; i++)
		if (!has_stage(approval, asking, first + i, &wanted->stages[i]))
			return false;
	return has_steps(approval, asking, demand, wanted);
}

bool
asking_has(const struct approval *approval, const struct asking *asking, const struct policy_requirement *wanted)
{
	for (unsigned i = 0; i < approval->demand_count; i++)
		if (is_demand(approval, asking, i, wanted->terms))
			return true;
	return false;
}
