/* SPDX-License-Identifier: Apache-2.0 */
/*
 * approval_distinct.c - each person counts for one ask only, whichever serves best. Exact: every choice among the ways to
 * meet the stages is tried, and for each choice people are given to asks by augmenting paths, so that a group that
 * could spare somebody does.
 */
#include "common/approval/approval_count.h"

#include <string.h>

enum { NOBODY = UINT8_MAX };

/* Which ask each approver is given to, or NOBODY. */
struct gift {
	uint8_t ask[APPROVAL_VOTERS_MAX];
};

/* One stage's ways, how many of them were tried, and who is given to the asks up to it with the last one tried. */
struct choice {
	uint32_t ways[APPROVAL_ASKS_MAX];
	unsigned count, tried;
	struct gift gift;
};

/* How an ask was come upon: it could spare its `giver` for the ask `taker`. */
struct path {
	uint8_t giver, taker;
};

static void
hand_over(struct gift *gift, const struct path *paths, unsigned giver, unsigned ask, unsigned first)
{
	gift->ask[giver] = (uint8_t)ask;
	while (ask != first) {
		gift->ask[paths[ask].giver] = paths[ask].taker;
		ask = paths[ask].taker;
	}
}

/* One more person for an ask, though others change their places for it. Each ask is looked at once at most. */
static bool
give_one(const struct approval_tally *tally, unsigned first, struct gift *gift)
{
	uint8_t queue[APPROVAL_ASKS_MAX] = {(uint8_t)first};
	struct path paths[APPROVAL_ASKS_MAX];
	uint32_t seen = APPROVAL_BIT(first);

	for (unsigned head = 0, tail = 1; head < tail; head++) {
		unsigned ask = queue[head];

		for (unsigned i = 0; i < tally->approvers; i++) {
			unsigned other = gift->ask[i];

			if (!(tally->counts[i] & APPROVAL_BIT(ask)))
				continue;
			if (other == NOBODY) {
				hand_over(gift, paths, i, ask, first);
				return true;
			}
			if (seen & APPROVAL_BIT(other))
				continue;
			seen |= APPROVAL_BIT(other);
			paths[other] = (struct path){(uint8_t)i, (uint8_t)ask};
			queue[tail++] = (uint8_t)other;
		}
	}
	return false;
}

static bool
give(const struct approval *approval, const struct approval_tally *tally, uint32_t way, struct gift *gift)
{
	for (unsigned i = 0; i < approval->ask_count; i++)
		if (way & APPROVAL_BIT(i) && tally->votes[i] < approval->asks[i].quorum)
			return false; /* not even with everybody */
	for (unsigned i = 0; i < approval->ask_count; i++)
		for (int64_t n = 0; way & APPROVAL_BIT(i) && n < approval->asks[i].quorum; n++)
			if (!give_one(tally, i, gift))
				return false;
	return true;
}

static void
begin_choice(const struct approval *approval, unsigned stage, struct choice *choice)
{
	choice->count = approval_ways(approval, stage, choice->ways);
	choice->tried = 0;
}

unsigned
approval_distinct_stage(const struct approval *approval, const struct approval_tally *tally, unsigned demand)
{
	struct choice choices[APPROVAL_DEMAND_STAGES_MAX];
	unsigned stages[APPROVAL_DEMAND_STAGES_MAX], count = 0, depth = 0, reached = 0;
	struct gift none;

	for (unsigned i = 0; i < approval->stage_count; i++)
		if (approval->stages[i].demand == demand && count < APPROVAL_DEMAND_STAGES_MAX)
			stages[count++] = i;
	memset(&none, NOBODY, sizeof none);
	begin_choice(approval, stages[0], &choices[0]);
	for (;;) {
		struct choice *choice = &choices[depth];

		if (choice->tried == choice->count) {
			if (depth == 0)
				return stages[reached];
			depth--;
			continue;
		}
		choice->gift = depth == 0 ? none : choices[depth - 1].gift;
		if (!give(approval, tally, choice->ways[choice->tried++], &choice->gift))
			continue;
		depth++;
		if (depth > reached)
			reached = depth;
		if (reached == count)
			return APPROVAL_STAGES_MAX;
		begin_choice(approval, stages[depth], &choices[depth]);
	}
}
