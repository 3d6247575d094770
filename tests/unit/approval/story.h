/* SPDX-License-Identifier: Apache-2.0 */
/* story.h - approvals to tell stories about: built piece by piece, answered by persons with numbers. */
#ifndef STORY_H
#define STORY_H

#include "common/approval/approval.h"
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
#define BIT(ask) (UINT32_C(1) << (ask))

enum { OPENED_AT = 1000, DEADLINE = 2000, NOBODY = 0, PERSONS = 256 };

#define VOTE APPROVAL_EFFECT_VOTE
#define CLOSE APPROVAL_EFFECT_CLOSE
#define ANNOUNCE APPROVAL_EFFECT_ANNOUNCE
#define ASK APPROVAL_EFFECT_ASK
#define STEPS APPROVAL_EFFECT_STEPS
#define COUNTED (VOTE | ANNOUNCE)
#define ENDED(word) (CLOSE | ANNOUNCE | APPROVAL_EFFECT_##word)
#define EXPIRED_THEN ENDED(EXPIRE)

struct story {
	struct approval approval;
	unsigned place[PERSONS]; /* of a person among the voters, from 1; 0 = none yet */
	int64_t now;
	uint32_t counted; /* by the last answer */
};

/* ------------------------------------------------------------------ what is asked */

static inline struct story
begin(void)
{
	return (struct story){.approval = {.opened_at = OPENED_AT, .deadline = DEADLINE}, .now = OPENED_AT + 1};
}

static inline unsigned
demand(struct story *story)
{
	story->approval.demands[story->approval.demand_count] = (struct approval_demand){.deny_quorum = 1};
	return story->approval.demand_count++;
}

/* One more stage of the newest demand. */
static inline unsigned
stage(struct story *story, bool all)
{
	story->approval.stages[story->approval.stage_count] =
	    (struct approval_stage){story->approval.demand_count - 1, all};
	return story->approval.stage_count++;
}

/* One more ask of the newest stage; its bit. */
static inline uint32_t
ask(struct story *story, int64_t quorum)
{
	story->approval.asks[story->approval.ask_count] =
	    (struct approval_ask){story->approval.stage_count - 1, quorum, false, true};
	return BIT(story->approval.ask_count++);
}

/* A demand with one stage and one ask. */
static inline uint32_t
plain_demand(struct story *story, int64_t quorum)
{
	demand(story);
	stage(story, false);
	return ask(story, quorum);
}

/* One more step of the newest demand; its ask's bit. */
static inline uint32_t
step_at(struct story *story, int64_t at, enum approval_step_kind kind, int64_t quorum)
{
	struct approval *approval = &story->approval;
	struct approval_timed_step *step = &approval->steps[approval->step_count++];

	*step = (struct approval_timed_step){.at = at, .kind = kind, .demand = approval->demand_count - 1};
	if (kind == APPROVAL_STEP_NOTIFY)
		return 0;
	step->ask = approval->ask_count;
	approval->asks[approval->ask_count] = (struct approval_ask){.quorum = quorum, .of_step = true};
	return BIT(approval->ask_count++);
}

/* ------------------------------------------------------------------ what happens */

/* What a person does who saw the right thing, says why, and is in the groups of `eligible`. */
static inline struct approval_event
event_of(const struct story *story, enum approval_event_kind kind, unsigned person, uint32_t eligible)
{
	unsigned place = story->place[person];

	return (struct approval_event){.kind = kind,
				       .now = story->now,
				       .voter = place ? place - 1 : story->approval.voter_count,
				       .eligible = eligible,
				       .digest_matches = true,
				       .has_reason = true};
}

/* What must hold of every step, whatever it is about. */
static inline void
check_sense(const struct approval *before, const struct approval_event *event, const struct approval_step *step)
{
	const struct approval *after = &step->next;
	bool was_final = before->state > APPROVAL_PENDING, is_final = after->state > APPROVAL_PENDING;
	bool revoked = before->state == APPROVAL_APPROVED && after->state == APPROVAL_REVOKED;
	unsigned of_time = step->effects & STEPS ? STEPS | ANNOUNCE : 0;

	assert_true(!was_final || after->state == before->state || revoked);
	assert_int_equal((step->effects & CLOSE) != 0, (!was_final && is_final) || revoked);
	assert_int_equal((step->effects & ASK) != 0,
			 before->state == APPROVAL_NONE && after->state == APPROVAL_PENDING);
	assert_int_equal((step->effects & APPROVAL_EFFECT_GRANT) != 0,
			 !was_final && after->state == APPROVAL_APPROVED);
	assert_int_equal((step->effects & APPROVAL_EFFECT_DENY) != 0,
			 !was_final && after->state == APPROVAL_DENIED);
	assert_int_equal((step->effects & APPROVAL_EFFECT_EXPIRE) != 0,
			 !was_final && after->state == APPROVAL_EXPIRED);
	assert_int_equal((step->effects & APPROVAL_EFFECT_CANCEL) != 0,
			 !was_final && after->state == APPROVAL_CANCELLED);
	assert_int_equal((step->effects & APPROVAL_EFFECT_REVOKE) != 0, revoked);
	assert_int_equal((step->effects & APPROVAL_EFFECT_OVERRIDE) != 0,
			 !was_final && after->state == APPROVAL_APPROVED && after->overridden);
	assert_int_equal((step->effects & APPROVAL_EFFECT_REVIEW) != 0, !before->reviewed && after->reviewed);
	assert_true(after->overridden >= before->overridden && after->reviewed >= before->reviewed);
	assert_int_equal(step->refusal != APPROVAL_REFUSAL_NONE, step->verdict == APPROVAL_REFUSED);
	assert_true(step->verdict == APPROVAL_TAKEN || step->counted == 0);
	assert_true(step->verdict != APPROVAL_REPEATED || step->effects == of_time);
	assert_true(step->verdict != APPROVAL_REFUSED || step->effects == of_time
		    || step->effects == EXPIRED_THEN);
	assert_int_equal((step->effects & STEPS) != 0, after->steps_taken > before->steps_taken);
	assert_true(after->steps_taken >= before->steps_taken && after->voter_count >= before->voter_count);
	if (step->verdict != APPROVAL_TAKEN
	    || (event->kind > APPROVAL_RECUSE_GIVEN && event->kind != APPROVAL_OVERRIDE_GIVEN))
		assert_true(memcmp(after->voters, before->voters, sizeof after->voters) == 0);
	if (step->effects == 0)
		assert_true(memcmp(after, before, sizeof *after) == 0);
	if (after->state != before->state && before->state != APPROVAL_NONE && before->deadline
	    && event->now >= before->deadline && !was_final)
		assert_int_equal(after->state, APPROVAL_EXPIRED);
}

static inline struct approval_step
happens(struct story *story, struct approval_event event)
{
	struct approval_step step = approval_step(story->approval, event);

	check_sense(&story->approval, &event, &step);
	story->approval = step.next;
	story->counted = step.counted;
	return step;
}

/* It is taken; then it is in `state`, and the shell must do `effects`. */
static inline void
expect(struct story *story, struct approval_event event, enum approval_state state, unsigned effects)
{
	struct approval_step step = happens(story, event);

	assert_string_equal(approval_refusal_code(step.refusal), approval_refusal_code(APPROVAL_REFUSAL_NONE));
	assert_int_equal(step.verdict, APPROVAL_TAKEN);
	assert_string_equal(approval_state_name(step.next.state), approval_state_name(state));
	assert_int_equal(step.effects, effects);
}

static inline void
expect_repeated(struct story *story, struct approval_event event)
{
	struct approval_step step = happens(story, event);

	assert_int_equal(step.verdict, APPROVAL_REPEATED);
	assert_int_equal(step.effects, 0);
}

/* Refused, and nothing else changes. */
static inline void
expect_refused(struct story *story, struct approval_event event, enum approval_refusal refusal)
{
	struct approval_step step = happens(story, event);

	assert_string_equal(approval_refusal_code(step.refusal), approval_refusal_code(refusal));
	assert_int_equal(step.effects, 0);
}

static inline void
opens(struct story *story)
{
	struct approval_event event = {.kind = APPROVAL_OPENED, .now = story->approval.opened_at};

	expect(story, event, APPROVAL_PENDING, ANNOUNCE | ASK);
}

/* A person answers, it counts, and it stays or becomes `state`. */
static inline void
answers(struct story *story, enum approval_event_kind kind, unsigned person, uint32_t eligible,
	enum approval_state state)
{
	struct approval_event event = event_of(story, kind, person, eligible);
	unsigned effects = COUNTED;

	if (state == APPROVAL_APPROVED)
		effects |= ENDED(GRANT);
	if (state == APPROVAL_DENIED)
		effects |= ENDED(DENY);
	if (!story->place[person])
		story->place[person] = story->approval.voter_count + 1;
	expect(story, event, state, effects);
	assert_int_equal(story->approval.voter_count >= story->place[person], true);
}

static inline void
approves(struct story *story, unsigned person, uint32_t eligible, enum approval_state state)
{
	answers(story, APPROVAL_APPROVE_GIVEN, person, eligible, state);
}

static inline void
denies(struct story *story, unsigned person, uint32_t eligible, enum approval_state state)
{
	answers(story, APPROVAL_DENY_GIVEN, person, eligible, state);
}

static inline void
recuses(struct story *story, unsigned person, uint32_t eligible)
{
	answers(story, APPROVAL_RECUSE_GIVEN, person, eligible, APPROVAL_PENDING);
}

static inline struct approval_event
look(struct story *story, int64_t now)
{
	story->now = now;
	return (struct approval_event){.kind = APPROVAL_TIME_CHECK, .now = now};
}

#endif
