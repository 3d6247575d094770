/* SPDX-License-Identifier: Apache-2.0 */
/* approval_count.h - between the files of this room: who counts for what. For approvals that are well-formed. */
#ifndef COUNTERSIGN_APPROVAL_COUNT_H
#define COUNTERSIGN_APPROVAL_COUNT_H

#include "common/approval/approval.h"

/* Who approved and for what, read once for several questions. */
struct approval_tally {
	unsigned approvers;
	uint32_t counts[APPROVAL_VOTERS_MAX]; /* of each approver */
	unsigned votes[APPROVAL_ASKS_MAX];    /* how many of them count for an ask */
};

#define APPROVAL_BIT(ask) (UINT32_C(1) << (ask))

/* The asks that there are, as a mask. */
uint32_t approval_asks(const struct approval *approval);
/* Those of one demand, asked now or not. */
uint32_t approval_demand_asks(const struct approval *approval, unsigned demand);
/* The ways to meet a stage, each a mask of asks that must all be met. Returns how many. */
unsigned approval_ways(const struct approval *approval, unsigned stage, uint32_t ways[APPROVAL_ASKS_MAX]);
void approval_tally(const struct approval *approval, struct approval_tally *tally);
/* As approval_current_stage(), for a demand that is distinct. */
unsigned approval_distinct_stage(const struct approval *approval, const struct approval_tally *tally,
				 unsigned demand);

/* Whether all demands are met. What demands nothing never is. */
bool approval_is_met(const struct approval *approval);
/* Whether some demand has as many denies as its deny_quorum. */
bool approval_is_denied(const struct approval *approval);

/* At the deadline itself it is over. */
bool approval_is_overdue(const struct approval *approval, int64_t now);
/* Takes the steps whose time has come; whether there were any. */
bool approval_take_steps(struct approval *approval, int64_t now);
bool approval_reminder_is_due(const struct approval *approval, int64_t now);

/* The asks that he is eligible for. */
uint32_t approval_eligible(const struct approval *approval, const struct approval_event *event);
/* What he said last. */
enum approval_vote approval_vote_of(const struct approval *approval, const struct approval_event *event);
/* With this approve, deny, recuse or override, for which there must be room; `counted` is what it counts for. */
void approval_count_vote(struct approval *approval, const struct approval_event *event, uint32_t *counted);

#endif
