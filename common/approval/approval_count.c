/* SPDX-License-Identifier: Apache-2.0 */
/* approval_count.c - who counts for what: asks, stages, demands, denies; and how an answer comes to count. */
#include "common/approval/approval_count.h"

/* ------------------------------------------------------------------ asks */

uint32_t
approval_asks(const struct approval *approval)
{
	return approval->ask_count < APPROVAL_ASKS_MAX ? APPROVAL_BIT(approval->ask_count) - 1 : UINT32_MAX;
}

uint32_t
approval_demand_asks(const struct approval *approval, unsigned demand)
{
	uint32_t asks = 0;

	for (unsigned i = 0; i < approval->ask_count; i++)
		if (!approval->asks[i].of_step && approval->stages[approval->asks[i].stage].demand == demand)
			asks |= APPROVAL_BIT(i);
	for (unsigned i = 0; i < approval->step_count; i++)
		if (approval->steps[i].demand == demand && approval->steps[i].kind != APPROVAL_STEP_NOTIFY)
			asks |= APPROVAL_BIT(approval->steps[i].ask);
	return asks;
}

unsigned
approval_ways(const struct approval *approval, unsigned stage, uint32_t ways[APPROVAL_ASKS_MAX])
{
	uint32_t together = 0;
	unsigned count = 0;

	for (unsigned i = 0; i < approval->ask_count; i++) {
		const struct approval_ask *ask = &approval->asks[i];

		if (!ask->active || ask->stage != stage)
			continue;
		if (approval->stages[stage].all && !ask->of_step)
			together |= APPROVAL_BIT(i);
		else
			ways[count++] = APPROVAL_BIT(i);
	}
	if (together)
		ways[count++] = together;
	return count;
}

/* ------------------------------------------------------------------ approvals */

void
approval_tally(const struct approval *approval, struct approval_tally *tally)
{
	tally->approvers = 0;
	for (unsigned i = 0; i < approval->ask_count; i++)
		tally->votes[i] = 0;
	for (unsigned i = 0; i < approval->voter_count; i++) {
		const struct approval_voter *voter = &approval->voters[i];

		if (voter->vote != APPROVAL_VOTE_APPROVE)
			continue;
		tally->counts[tally->approvers++] = voter->counts;
		for (unsigned j = 0; j < approval->ask_count; j++)
			tally->votes[j] += voter->counts >> j & 1;
	}
}

int64_t
approval_votes(const struct approval *approval, unsigned ask)
{
	int64_t votes = 0;

	for (unsigned i = 0; i < approval->voter_count; i++)
		votes += approval->voters[i].vote == APPROVAL_VOTE_APPROVE
			 && approval->voters[i].counts & APPROVAL_BIT(ask);
	return votes;
}

static bool
way_is_met(const struct approval *approval, const struct approval_tally *tally, uint32_t way)
{
	for (unsigned i = 0; i < approval->ask_count; i++)
		if (way & APPROVAL_BIT(i) && tally->votes[i] < approval->asks[i].quorum)
			return false;
	return true;
}

static bool
stage_is_met(const struct approval *approval, const struct approval_tally *tally, unsigned stage)
{
	uint32_t ways[APPROVAL_ASKS_MAX];
	unsigned count = approval_ways(approval, stage, ways);

	for (unsigned i = 0; i < count; i++)
		if (way_is_met(approval, tally, ways[i]))
			return true;
	return false;
}

static unsigned
current_stage(const struct approval *approval, const struct approval_tally *tally, unsigned demand)
{
	if (approval->demands[demand].distinct)
		return approval_distinct_stage(approval, tally, demand);
	for (unsigned i = 0; i < approval->stage_count; i++)
		if (approval->stages[i].demand == demand && !stage_is_met(approval, tally, i))
			return i;
	return APPROVAL_STAGES_MAX;
}

unsigned
approval_current_stage(const struct approval *approval, unsigned demand)
{
	struct approval_tally tally;

	approval_tally(approval, &tally);
	return current_stage(approval, &tally, demand);
}

uint32_t
approval_open_asks(const struct approval *approval)
{
	unsigned current[APPROVAL_DEMANDS_MAX];
	struct approval_tally tally;
	uint32_t open = 0;

	approval_tally(approval, &tally);
	for (unsigned i = 0; i < approval->demand_count; i++)
		current[i] = current_stage(approval, &tally, i);
	for (unsigned i = 0; i < approval->ask_count; i++) {
		const struct approval_ask *ask = &approval->asks[i];

		if (ask->active && ask->stage <= current[approval->stages[ask->stage].demand])
			open |= APPROVAL_BIT(i);
	}
	return open;
}

bool
approval_is_met(const struct approval *approval)
{
	struct approval_tally tally;

	approval_tally(approval, &tally);
	for (unsigned i = 0; i < approval->demand_count; i++)
		if (current_stage(approval, &tally, i) != APPROVAL_STAGES_MAX)
			return false;
	return approval->demand_count > 0;
}

/* ------------------------------------------------------------------ denies */

bool
approval_is_denied(const struct approval *approval)
{
	for (unsigned i = 0; i < approval->demand_count; i++) {
		uint32_t asks = approval_demand_asks(approval, i);
		int64_t denies = 0;

		for (unsigned j = 0; j < approval->voter_count; j++)
			denies += approval->voters[j].vote == APPROVAL_VOTE_DENY
				  && approval->voters[j].counts & asks;
		if (denies >= approval->demands[i].deny_quorum)
			return true;
	}
	return false;
}

/* ------------------------------------------------------------------ one answer */

uint32_t
approval_eligible(const struct approval *approval, const struct approval_event *event)
{
	return event->eligible & approval_asks(approval);
}

enum approval_vote
approval_vote_of(const struct approval *approval, const struct approval_event *event)
{
	return event->voter < approval->voter_count && event->voter < APPROVAL_VOTERS_MAX
		   ? approval->voters[event->voter].vote
		   : APPROVAL_VOTE_NONE;
}

void
approval_count_vote(struct approval *approval, const struct approval_event *event, uint32_t *counted)
{
	struct approval_voter voter = {.vote = APPROVAL_VOTE_RECUSED};

	if (event->kind == APPROVAL_APPROVE_GIVEN)
		voter = (struct approval_voter){APPROVAL_VOTE_APPROVE, approval_eligible(approval, event)};
	if (event->kind == APPROVAL_OVERRIDE_GIVEN)
		voter.vote = APPROVAL_VOTE_OVERRIDE;
	if (event->kind == APPROVAL_DENY_GIVEN)
		voter = (struct approval_voter){APPROVAL_VOTE_DENY, approval_eligible(approval, event)
									& approval_open_asks(approval)};
	*counted = voter.counts;
	approval->voters[event->voter < approval->voter_count ? event->voter : approval->voter_count++] = voter;
}
