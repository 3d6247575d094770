/* SPDX-License-Identifier: Apache-2.0 */
/* approval_form.c - which approvals are well-formed: those that the rest of this room may be asked about. */
#include "common/approval/approval_count.h"

static bool
is_quorum(int64_t quorum)
{
	return quorum >= 1 && quorum <= APPROVAL_QUORUM_MAX; /* nobody's consent is no consent */
}

static bool
counts_are_in_range(const struct approval *approval)
{
	return approval->state < APPROVAL_STATES && approval->demand_count >= 1
	       && approval->demand_count <= APPROVAL_DEMANDS_MAX
	       && approval->stage_count <= APPROVAL_STAGES_MAX && approval->ask_count <= APPROVAL_ASKS_MAX
	       && approval->step_count <= APPROVAL_STEPS_MAX && approval->voter_count <= APPROVAL_VOTERS_MAX
	       && approval->steps_taken <= approval->step_count;
}

static bool
times_are_in_range(const struct approval *approval)
{
	for (unsigned i = 0; i < approval->step_count; i++)
		if (approval->steps[i].at <= approval->opened_at
		    || (i > 0 && approval->steps[i].at < approval->steps[i - 1].at))
			return false;
	return approval->opened_at > 0 && (approval->deadline == 0 || approval->deadline > approval->opened_at)
	       && approval->latest >= 0 && approval->remind_before >= 0 && approval->remind_every >= 0
	       && approval->reminded_at >= 0 && approval->grant_ends >= 0;
}

/* Each demand has stages, and they stand in the order of the demands. */
static bool
stages_are_good(const struct approval *approval)
{
	unsigned stages[APPROVAL_DEMANDS_MAX] = {0}, last = 0;

	for (unsigned i = 0; i < approval->stage_count; i++) {
		unsigned demand = approval->stages[i].demand;

		if (demand >= approval->demand_count || demand < last)
			return false;
		if (++stages[demand] > APPROVAL_DEMAND_STAGES_MAX)
			return false;
		last = demand;
	}
	for (unsigned i = 0; i < approval->demand_count; i++)
		if (stages[i] == 0 || !is_quorum(approval->demands[i].deny_quorum))
			return false;
	return true;
}

/* Every stage asks somebody. */
static bool
asks_are_good(const struct approval *approval)
{
	unsigned asked[APPROVAL_STAGES_MAX] = {0};

	for (unsigned i = 0; i < approval->ask_count; i++) {
		const struct approval_ask *ask = &approval->asks[i];

		if (!is_quorum(ask->quorum) || ask->stage >= approval->stage_count)
			return false;
		asked[ask->stage] += !ask->of_step;
	}
	for (unsigned i = 0; i < approval->stage_count; i++)
		if (asked[i] == 0)
			return false;
	return true;
}

static bool
step_is_good(const struct approval *approval, unsigned index)
{
	const struct approval_timed_step *step = &approval->steps[index];

	if (step->kind > APPROVAL_STEP_NOTIFY || step->demand >= approval->demand_count)
		return false;
	if (step->kind != APPROVAL_STEP_NOTIFY
	    && (step->ask >= approval->ask_count || !approval->asks[step->ask].of_step))
		return false;
	if (index >= approval->steps_taken || step->stage == APPROVAL_STAGES_MAX)
		return true;
	return step->stage < approval->stage_count && approval->stages[step->stage].demand == step->demand
	       && (step->kind == APPROVAL_STEP_NOTIFY || approval->asks[step->ask].stage == step->stage);
}

/* Each step but NOTIFY has an ask of its own. */
static bool
steps_are_good(const struct approval *approval)
{
	uint32_t theirs = 0, of_steps = 0;

	for (unsigned i = 0; i < approval->step_count; i++) {
		if (!step_is_good(approval, i))
			return false;
		if (approval->steps[i].kind == APPROVAL_STEP_NOTIFY)
			continue;
		if (theirs & APPROVAL_BIT(approval->steps[i].ask))
			return false;
		theirs |= APPROVAL_BIT(approval->steps[i].ask);
	}
	for (unsigned i = 0; i < approval->ask_count; i++)
		if (approval->asks[i].of_step)
			of_steps |= APPROVAL_BIT(i);
	return theirs == of_steps;
}

static uint32_t
asks_standing_in(const struct approval *approval, unsigned stage)
{
	uint32_t asks = 0;

	for (unsigned i = 0; i < approval->ask_count; i++)
		if (approval->asks[i].stage == stage)
			asks |= APPROVAL_BIT(i);
	return asks;
}

/* What is asked is what the steps that were taken have made of it. */
static bool
what_is_asked_follows_from_steps(const struct approval *approval)
{
	uint32_t active = 0, expected = 0;

	for (unsigned i = 0; i < approval->ask_count; i++) {
		active |= approval->asks[i].active ? APPROVAL_BIT(i) : 0;
		expected |= approval->asks[i].of_step ? 0 : APPROVAL_BIT(i);
	}
	for (unsigned i = 0; i < approval->steps_taken; i++) {
		const struct approval_timed_step *step = &approval->steps[i];

		if (step->kind == APPROVAL_STEP_NOTIFY || step->stage == APPROVAL_STAGES_MAX)
			continue;
		if (step->kind == APPROVAL_STEP_REPLACE)
			expected &= ~asks_standing_in(approval, step->stage);
		expected |= APPROVAL_BIT(step->ask);
	}
	return active == expected;
}

static bool
voters_are_good(const struct approval *approval)
{
	for (unsigned i = 0; i < approval->voter_count; i++)
		if (approval->voters[i].vote > APPROVAL_VOTE_OVERRIDE
		    || approval->voters[i].counts & ~approval_asks(approval))
			return false;
	return true;
}

/* An override ends the question at once. */
static bool
marks_are_good(const struct approval *approval)
{
	bool granted = approval->state == APPROVAL_APPROVED || approval->state == APPROVAL_REVOKED;

	for (unsigned i = 0; i < approval->voter_count; i++)
		if (approval->voters[i].vote == APPROVAL_VOTE_OVERRIDE && approval->state == APPROVAL_PENDING)
			return false;
	return (!approval->overridden || granted) && (!approval->reviewed || approval->overridden);
}

static bool
ways_are_few(const struct approval *approval, unsigned demand)
{
	unsigned asks[APPROVAL_STAGES_MAX] = {0}, of_steps = 0, product = 1;

	for (unsigned i = 0; i < approval->ask_count; i++)
		if (!approval->asks[i].of_step)
			asks[approval->asks[i].stage]++;
	for (unsigned i = 0; i < approval->step_count; i++)
		of_steps +=
		    approval->steps[i].demand == demand && approval->steps[i].kind != APPROVAL_STEP_NOTIFY;
	for (unsigned i = 0; i < approval->stage_count; i++) {
		if (approval->stages[i].demand != demand)
			continue;
		product *= (approval->stages[i].all ? 1 : asks[i]) + of_steps;
		if (product > APPROVAL_WAYS_MAX)
			return false;
	}
	return true;
}

static bool
nothing_has_happened(const struct approval *approval)
{
	return approval->steps_taken == 0 && approval->voter_count == 0 && approval->reminded_at == 0
	       && approval->grant_ends == 0;
}

bool
approval_is_well_formed(const struct approval *approval)
{
	if (!counts_are_in_range(approval) || !times_are_in_range(approval) || !stages_are_good(approval)
	    || !asks_are_good(approval) || !steps_are_good(approval)
	    || !what_is_asked_follows_from_steps(approval) || !voters_are_good(approval)
	    || !marks_are_good(approval))
		return false;
	for (unsigned i = 0; i < approval->demand_count; i++)
		if (approval->demands[i].distinct && !ways_are_few(approval, i))
			return false;
	return approval->state != APPROVAL_NONE || nothing_has_happened(approval);
}
