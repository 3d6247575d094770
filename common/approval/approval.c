/* SPDX-License-Identifier: Apache-2.0 */
/*
 * approval.c - one step in the life of an approval: what time has brought, then the row of the table that the event
 * finds. What no row is for is refused.
 */
#include "common/approval/approval.h"
#include "common/approval/approval_count.h"

static const struct approval_transition *
find_transition(const struct approval *approval, const struct approval_event *event)
{
	size_t count;
	const struct approval_transition *rows = approval_transitions(&count);

	for (size_t i = 0; i < count; i++)
		if (rows[i].from == approval->state && rows[i].event == event->kind
		    && (!rows[i].holds || rows[i].holds(approval, event)))
			return &rows[i];
	return NULL;
}

static void
apply(struct approval_step *step, const struct approval_event *event)
{
	switch (event->kind) {
	case APPROVAL_APPROVE_GIVEN:
	case APPROVAL_DENY_GIVEN:
	case APPROVAL_RECUSE_GIVEN:
		approval_count_vote(&step->next, event, &step->counted);
		break;
	case APPROVAL_OVERRIDE_GIVEN:
		approval_count_vote(&step->next, event, &step->counted);
		step->next.overridden = true;
		break;
	case APPROVAL_REVIEW_GIVEN:
		step->next.reviewed = true;
		break;
	case APPROVAL_EXTEND_GIVEN:
		step->next.deadline = event->deadline;
		break;
	case APPROVAL_TIME_CHECK:
		if (step->effects & APPROVAL_EFFECT_REMIND)
			step->next.reminded_at = event->now;
		break;
	default:
		break; /* the state is all that changes */
	}
}

struct approval_step
approval_step(struct approval approval, struct approval_event event)
{
	struct approval_step step = {
	    .next = approval, .verdict = APPROVAL_REFUSED, .refusal = APPROVAL_REFUSAL_NOT_OPEN};
	const struct approval_transition *row;
	unsigned of_time = 0;

	if (approval.state == APPROVAL_PENDING && !approval_is_overdue(&approval, event.now)) {
		if (!approval_is_well_formed(&approval))
			return step;
		if (approval_take_steps(&step.next, event.now))
			of_time = APPROVAL_EFFECT_STEPS | APPROVAL_EFFECT_ANNOUNCE;
	}
	row = find_transition(&step.next, &event);
	if (row) {
		step.verdict = row->verdict;
		step.refusal = row->refusal;
		step.effects = row->effects;
		if (row->verdict == APPROVAL_TAKEN)
			apply(&step, &event);
		step.next.state = row->to;
	}
	if (of_time && event.kind == APPROVAL_TIME_CHECK)
		step.verdict = APPROVAL_TAKEN; /* that is what it is for */
	step.effects |= of_time;
	return step;
}
