/* SPDX-License-Identifier: Apache-2.0 */
/* approval_time.c - what time alone does to an approval: its end, its steps, its reminders. */
#include "common/approval/approval_count.h"

bool
approval_is_overdue(const struct approval *approval, int64_t now)
{
	return approval->deadline != 0 && now >= approval->deadline;
}

/* ------------------------------------------------------------------ steps */

static void
take(struct approval *approval, struct approval_timed_step *step)
{
	step->stage = approval_current_stage(approval, step->demand);
	if (step->stage == APPROVAL_STAGES_MAX || step->kind == APPROVAL_STEP_NOTIFY)
		return;
	for (unsigned i = 0; i < approval->ask_count && step->kind == APPROVAL_STEP_REPLACE; i++)
		if (approval->asks[i].active && approval->asks[i].stage == step->stage)
			approval->asks[i].active = false;
	approval->asks[step->ask].stage = step->stage;
	approval->asks[step->ask].active = true;
}

bool
approval_take_steps(struct approval *approval, int64_t now)
{
	unsigned before = approval->steps_taken;

	while (approval->steps_taken < approval->step_count && approval->steps[approval->steps_taken].at <= now)
		take(approval, &approval->steps[approval->steps_taken++]);
	return approval->steps_taken > before;
}

/* ------------------------------------------------------------------ reminders */

/* The moment before the deadline at which people are reminded; 0: there is none after the opening. */
static int64_t
last_call(const struct approval *approval)
{
	int64_t at = approval->deadline - approval->remind_before;

	return approval->deadline != 0 && approval->remind_before > 0 && at > approval->opened_at ? at : 0;
}

bool
approval_reminder_is_due(const struct approval *approval, int64_t now)
{
	int64_t call = last_call(approval), age;

	if (call != 0 && call <= now && approval->reminded_at < call)
		return true;
	if (approval->remind_every <= 0 || now <= approval->opened_at)
		return false;
	age = now - approval->opened_at;
	return age >= approval->remind_every && approval->reminded_at < now - age % approval->remind_every;
}

/* The next moment at which one is due, given when the last one was sent. */
static int64_t
next_reminder(const struct approval *approval)
{
	int64_t next = INT64_MAX, call = last_call(approval), from = approval->opened_at;

	if (call > approval->reminded_at)
		next = call;
	if (approval->remind_every <= 0)
		return next;
	if (approval->reminded_at > from)
		from = approval->reminded_at - (approval->reminded_at - from) % approval->remind_every;
	if (from <= INT64_MAX - approval->remind_every && from + approval->remind_every < next)
		next = from + approval->remind_every;
	return next;
}

int64_t
approval_next_time(const struct approval *approval)
{
	int64_t next;

	if (approval->state != APPROVAL_PENDING)
		return INT64_MAX;
	if (!approval_is_well_formed(approval))
		return approval->deadline != 0 ? approval->deadline : INT64_MAX; /* that is all it takes */
	if (approval_is_met(approval))						 /* by a step */
		return approval->steps_taken > 0 ? approval->steps[approval->steps_taken - 1].at
						 : approval->opened_at;
	next = next_reminder(approval);
	if (approval->deadline != 0 && approval->deadline < next)
		next = approval->deadline;
	if (approval->steps_taken < approval->step_count && approval->steps[approval->steps_taken].at < next)
		next = approval->steps[approval->steps_taken].at;
	return next;
}
