/* SPDX-License-Identifier: Apache-2.0 */
/* approval_guard.c - what must hold for a row of the table to be taken. */
#include "common/approval/approval_guard.h"
#include "common/approval/approval_count.h"

/* ------------------------------------------------------------------ guards: the approval, its time */

bool
approval_when_well_formed(const struct approval *approval, const struct approval_event *event)
{
	(void)event;
	return approval_is_well_formed(approval);
}

bool
approval_when_overdue(const struct approval *approval, const struct approval_event *event)
{
	return approval_is_overdue(approval, event->now);
}

bool
approval_when_other_digest(const struct approval *approval, const struct approval_event *event)
{
	(void)approval;
	return !event->digest_matches;
}

bool
approval_when_overdue_other_digest(const struct approval *approval, const struct approval_event *event)
{
	return approval_when_overdue(approval, event) && approval_when_other_digest(approval, event);
}

bool
approval_when_all_met(const struct approval *approval, const struct approval_event *event)
{
	(void)event;
	return approval_is_met(approval);
}

bool
approval_when_reminder_due(const struct approval *approval, const struct approval_event *event)
{
	return approval_reminder_is_due(approval, event->now);
}

/* ------------------------------------------------------------------ guards: who answers */

bool
approval_when_requester(const struct approval *approval, const struct approval_event *event)
{
	(void)approval;
	return event->responder_is_requester;
}

bool
approval_when_not_a_member(const struct approval *approval, const struct approval_event *event)
{
	return approval_eligible(approval, event) == 0;
}

bool
approval_when_excluded(const struct approval *approval, const struct approval_event *event)
{
	return approval_when_not_a_member(approval, event) && event->excluded & approval_asks(approval);
}

bool
approval_when_recused(const struct approval *approval, const struct approval_event *event)
{
	return approval_vote_of(approval, event) == APPROVAL_VOTE_RECUSED;
}

bool
approval_when_denied_before(const struct approval *approval, const struct approval_event *event)
{
	return approval_vote_of(approval, event) == APPROVAL_VOTE_DENY;
}

bool
approval_when_approved_before(const struct approval *approval, const struct approval_event *event)
{
	return approval_vote_of(approval, event) == APPROVAL_VOTE_APPROVE;
}

bool
approval_when_stage_not_open(const struct approval *approval, const struct approval_event *event)
{
	return !(approval_eligible(approval, event) & approval_open_asks(approval));
}

bool
approval_when_too_many_voters(const struct approval *approval, const struct approval_event *event)
{
	return event->voter >= approval->voter_count && approval->voter_count >= APPROVAL_VOTERS_MAX;
}

bool
approval_when_no_reason(const struct approval *approval, const struct approval_event *event)
{
	(void)approval;
	return !event->has_reason;
}

/* One of the demands in which he may vote now wants a reason. */
bool
approval_when_reason_missing(const struct approval *approval, const struct approval_event *event)
{
	uint32_t asked;

	if (event->has_reason)
		return false;
	asked = approval_eligible(approval, event) & approval_open_asks(approval);
	for (unsigned i = 0; i < approval->demand_count; i++)
		if (approval->demands[i].require_reason && asked & approval_demand_asks(approval, i))
			return true;
	return false;
}

/* ------------------------------------------------------------------ guards: what the answer makes of it */

static struct approval
with_it(const struct approval *approval, const struct approval_event *event)
{
	struct approval then = *approval;
	uint32_t counted;

	approval_count_vote(&then, event, &counted);
	return then;
}

bool
approval_when_last_approve(const struct approval *approval, const struct approval_event *event)
{
	struct approval then = with_it(approval, event);

	return approval_is_met(&then);
}

bool
approval_when_deny_quorum(const struct approval *approval, const struct approval_event *event)
{
	struct approval then = with_it(approval, event);

	return approval_is_denied(&then);
}

/* ------------------------------------------------------------------ guards: what only some may do */

bool
approval_when_not_about_him(const struct approval *approval, const struct approval_event *event)
{
	return approval_when_not_a_member(approval, event) && !event->responder_is_requester
	       && !event->is_operator;
}

bool
approval_when_not_about_him_excluded(const struct approval *approval, const struct approval_event *event)
{
	return approval_when_not_about_him(approval, event) && approval_when_excluded(approval, event);
}

bool
approval_when_no_operator_excluded(const struct approval *approval, const struct approval_event *event)
{
	return !event->is_operator && approval_when_excluded(approval, event);
}

bool
approval_when_no_operator_not_a_member(const struct approval *approval, const struct approval_event *event)
{
	return !event->is_operator && approval_when_not_a_member(approval, event);
}

bool
approval_when_no_operator_recused(const struct approval *approval, const struct approval_event *event)
{
	return !event->is_operator && approval_when_recused(approval, event);
}

bool
approval_when_no_operator_stage_not_open(const struct approval *approval, const struct approval_event *event)
{
	return !event->is_operator && approval_when_stage_not_open(approval, event);
}

bool
approval_when_not_extendable(const struct approval *approval, const struct approval_event *event)
{
	(void)event;
	return approval->deadline == 0 || approval->latest == 0;
}

bool
approval_when_not_later(const struct approval *approval, const struct approval_event *event)
{
	return event->deadline <= approval->deadline;
}

bool
approval_when_beyond_maximum(const struct approval *approval, const struct approval_event *event)
{
	return event->deadline > approval->latest;
}

bool
approval_when_not_the_agent(const struct approval *approval, const struct approval_event *event)
{
	(void)approval;
	return !event->requester_verified;
}

bool
approval_when_not_an_approver(const struct approval *approval, const struct approval_event *event)
{
	return !event->is_operator && !approval_when_approved_before(approval, event)
	       && approval_vote_of(approval, event) != APPROVAL_VOTE_OVERRIDE;
}

bool
approval_when_authorization_over(const struct approval *approval, const struct approval_event *event)
{
	return approval->grant_ends != 0 && event->now >= approval->grant_ends;
}

/* ------------------------------------------------------------------ guards: past all demands */

static uint32_t
all_demands(const struct approval *approval)
{
	return APPROVAL_BIT(approval->demand_count) - 1;
}

bool
approval_when_not_overridable(const struct approval *approval, const struct approval_event *event)
{
	(void)event;
	for (unsigned i = 0; i < approval->demand_count; i++)
		if (!approval->demands[i].overridable)
			return true;
	return false;
}

bool
approval_when_may_not_override(const struct approval *approval, const struct approval_event *event)
{
	return (event->overrides & all_demands(approval)) != all_demands(approval);
}

/* He would, but for that. */
bool
approval_when_override_excluded(const struct approval *approval, const struct approval_event *event)
{
	uint32_t groups = event->overrides | event->override_excluded;

	return approval_when_may_not_override(approval, event)
	       && (groups & all_demands(approval)) == all_demands(approval);
}

bool
approval_when_not_overridden(const struct approval *approval, const struct approval_event *event)
{
	(void)event;
	return !approval->overridden;
}

bool
approval_when_overrider(const struct approval *approval, const struct approval_event *event)
{
	return approval_vote_of(approval, event) == APPROVAL_VOTE_OVERRIDE;
}

bool
approval_when_reviewed(const struct approval *approval, const struct approval_event *event)
{
	(void)event;
	return approval->reviewed;
}
