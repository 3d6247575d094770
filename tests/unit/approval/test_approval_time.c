/* SPDX-License-Identifier: Apache-2.0 */
/* test_approval_time.c - the deadline, the steps, the reminders. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/approval/story.h"

enum { ANN = 1, BOB, CYD, DAN };

#define TAKEN (STEPS | ANNOUNCE)

/* ------------------------------------------------------------------ the deadline */

static struct story
one_wanted(void)
{
	struct story story = begin();

	plain_demand(&story, 1);
	opens(&story);
	return story;
}

/* Whatever it is that comes: before the deadline it is looked at, at and after it the approval expires. */
static void
at_the_deadline_it_is_over(void **state)
{
	static const int64_t times[] = {DEADLINE - 1, DEADLINE, DEADLINE + 1, INT64_MAX};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(times); i++) {
		for (int kind = APPROVAL_OPENED; kind < APPROVAL_EVENTS; kind++) {
			struct story story = one_wanted();
			struct approval_event event = event_of(&story, (enum approval_event_kind)kind, ANN, 1);
			struct approval_step step;

			event.now = times[i];
			event.requester_verified = true;
			step = happens(&story, event);
			if (times[i] < DEADLINE) {
				assert_int_not_equal(step.next.state, APPROVAL_EXPIRED);
				continue;
			}
			assert_int_equal(step.next.state, APPROVAL_EXPIRED);
			assert_int_equal(step.effects, EXPIRED_THEN);
			assert_int_equal(step.refusal, kind == APPROVAL_TIME_CHECK ? APPROVAL_REFUSAL_NONE
										   : APPROVAL_REFUSAL_EXPIRED);
		}
	}
}

static void
late_and_of_another_digest_it_expires_all_the_same(void **state)
{
	(void)state;
	for (int kind = APPROVAL_APPROVE_GIVEN; kind < APPROVAL_TIME_CHECK; kind++) {
		struct story story = one_wanted();
		struct approval_event event = event_of(&story, (enum approval_event_kind)kind, ANN, 1);
		struct approval_step step;

		event.now = DEADLINE;
		event.digest_matches = false;
		step = happens(&story, event);
		assert_int_equal(step.refusal, APPROVAL_REFUSAL_OTHER_DIGEST);
		assert_int_equal(step.next.state, APPROVAL_EXPIRED);
		assert_int_equal(step.effects, EXPIRED_THEN);
	}
}

static void
it_expires_once(void **state)
{
	struct story story = one_wanted();

	(void)state;
	expect(&story, look(&story, DEADLINE), APPROVAL_EXPIRED, EXPIRED_THEN);
	expect_repeated(&story, look(&story, DEADLINE));
	/* the clock of the database may go back a little: what is over stays over */
	story.now = DEADLINE - 1;
	expect_refused(&story, event_of(&story, APPROVAL_APPROVE_GIVEN, ANN, 1), APPROVAL_REFUSAL_EXPIRED);
}

static void
without_a_deadline_it_stays_open(void **state)
{
	struct story story = one_wanted();

	(void)state;
	story.approval.deadline = 0;
	expect_repeated(&story, look(&story, INT64_MAX));
	assert_int_equal(approval_next_time(&story.approval), INT64_MAX);
	approves(&story, ANN, 1, APPROVAL_APPROVED);
}

static void
a_look_too_early_is_a_repetition(void **state)
{
	struct story story = one_wanted();

	(void)state;
	assert_int_equal(approval_next_time(&story.approval), DEADLINE);
	expect_repeated(&story, look(&story, OPENED_AT));
	expect_repeated(&story, look(&story, DEADLINE - 1));
}

/* ------------------------------------------------------------------ steps */

static void
an_added_ask_is_one_more_way(void **state)
{
	(void)state;
	for (int by_step = 0; by_step < 2; by_step++) {
		struct story story = begin();
		uint32_t boss;

		demand(&story);
		stage(&story, true);
		ask(&story, 1);
		ask(&story, 1);
		boss = step_at(&story, 1500, APPROVAL_STEP_ADD, 1);
		opens(&story);
		assert_int_equal(approval_open_asks(&story.approval), 3);
		assert_int_equal(approval_next_time(&story.approval), 1500);
		story.now = 1499;
		expect_refused(&story, event_of(&story, APPROVAL_APPROVE_GIVEN, ANN, boss),
			       APPROVAL_REFUSAL_STAGE);
		expect(&story, look(&story, 1500), APPROVAL_PENDING, TAKEN);
		assert_int_equal(approval_open_asks(&story.approval), 3 | boss);
		assert_int_equal(story.approval.steps[0].stage, 0);
		assert_int_equal(approval_next_time(&story.approval), DEADLINE);
		expect_repeated(&story, look(&story, 1500));
		if (by_step) {
			approves(&story, ANN, boss, APPROVAL_APPROVED);
		} else {
			approves(&story, ANN, 1, APPROVAL_PENDING);
			approves(&story, BOB, 2, APPROVAL_APPROVED);
		}
	}
}

static void
a_replacement_is_the_only_way(void **state)
{
	struct story story = begin();
	uint32_t added, boss;

	(void)state;
	demand(&story);
	story.approval.demands[0].deny_quorum = 2;
	stage(&story, false);
	ask(&story, 2);
	added = step_at(&story, 1400, APPROVAL_STEP_ADD, 2);
	boss = step_at(&story, 1500, APPROVAL_STEP_REPLACE, 1);
	opens(&story);
	approves(&story, ANN, 1 | added, APPROVAL_PENDING);
	denies(&story, BOB, 1, APPROVAL_PENDING);
	expect(&story, look(&story, 1500), APPROVAL_PENDING, TAKEN);
	assert_int_equal(story.approval.steps_taken, 2);
	assert_int_equal(approval_open_asks(&story.approval), boss);
	expect_refused(&story, event_of(&story, APPROVAL_APPROVE_GIVEN, CYD, 1 | added),
		       APPROVAL_REFUSAL_STAGE);
	denies(&story, DAN, boss, APPROVAL_DENIED); /* Bob's deny stands */
}

static void
votes_from_before_count_for_the_steps_ask(void **state)
{
	struct story story = begin();
	uint32_t boss;

	(void)state;
	plain_demand(&story, 2);
	boss = step_at(&story, 1500, APPROVAL_STEP_REPLACE, 1);
	opens(&story);
	approves(&story, ANN, 1 | boss, APPROVAL_PENDING);
	expect(&story, look(&story, 1500), APPROVAL_APPROVED, TAKEN | ENDED(GRANT));
}

/* An answer takes the step; the next look at the clock grants. */
static void
what_a_step_has_met_is_granted_by_the_next_look(void **state)
{
	struct story story = begin();
	struct approval_event event;
	struct approval_step step;
	uint32_t boss;

	(void)state;
	plain_demand(&story, 2);
	story.approval.demands[0].deny_quorum = 3;
	boss = step_at(&story, 1500, APPROVAL_STEP_ADD, 1);
	opens(&story);
	approves(&story, ANN, 1 | boss, APPROVAL_PENDING);
	story.now = 1500;
	event = event_of(&story, APPROVAL_APPROVE_GIVEN, ANN, 1);
	step = happens(&story, event);
	assert_int_equal(step.verdict, APPROVAL_REPEATED);
	assert_int_equal(step.effects, TAKEN);
	assert_true(approval_next_time(&story.approval) <= 1500);
	denies(&story, BOB, 1, APPROVAL_PENDING);
	expect(&story, look(&story, 1501), APPROVAL_APPROVED, ENDED(GRANT));
}

static void
what_a_step_has_met_may_be_undone_before_the_next_look(void **state)
{
	struct story story = begin();
	struct approval_event event;
	uint32_t boss;

	(void)state;
	plain_demand(&story, 2);
	boss = step_at(&story, 1500, APPROVAL_STEP_ADD, 1);
	opens(&story);
	approves(&story, ANN, 1 | boss, APPROVAL_PENDING);
	story.now = 1500;
	event = event_of(&story, APPROVAL_RECUSE_GIVEN, ANN, 1);
	expect(&story, event, APPROVAL_PENDING, COUNTED | TAKEN);
	expect_repeated(&story, look(&story, 1501));
	expect(&story, look(&story, DEADLINE), APPROVAL_EXPIRED, EXPIRED_THEN);
}

static void
steps_come_before_the_answer_of_that_moment(void **state)
{
	struct story story = begin();
	struct approval_event event;
	uint32_t boss;

	(void)state;
	plain_demand(&story, 1);
	boss = step_at(&story, 1500, APPROVAL_STEP_REPLACE, 1);
	opens(&story);
	story.now = 1500;
	event = event_of(&story, APPROVAL_APPROVE_GIVEN, ANN, boss);
	expect(&story, event, APPROVAL_APPROVED, TAKEN | COUNTED | ENDED(GRANT));
	assert_int_equal(story.counted, boss);
}

static void
a_refused_answer_takes_them_as_well(void **state)
{
	struct story story = begin();
	struct approval_event event;
	struct approval_step step;

	(void)state;
	plain_demand(&story, 1);
	step_at(&story, 1500, APPROVAL_STEP_REPLACE, 1);
	step_at(&story, 1600, APPROVAL_STEP_NOTIFY, 0);
	opens(&story);
	story.now = 1500;
	event = event_of(&story, APPROVAL_APPROVE_GIVEN, ANN, 1); /* is asked no more */
	step = happens(&story, event);
	assert_int_equal(step.refusal, APPROVAL_REFUSAL_STAGE);
	assert_int_equal(step.effects, TAKEN);
	event.now = 1600;
	event.digest_matches = false;
	step = happens(&story, event);
	assert_int_equal(step.refusal, APPROVAL_REFUSAL_OTHER_DIGEST);
	assert_int_equal(step.effects, TAKEN);
	assert_int_equal(story.approval.steps_taken, 2);
}

static void
who_is_only_told_is_not_asked(void **state)
{
	struct story story = begin();

	(void)state;
	plain_demand(&story, 1);
	step_at(&story, 1500, APPROVAL_STEP_NOTIFY, 0);
	opens(&story);
	expect(&story, look(&story, 1500), APPROVAL_PENDING, TAKEN);
	assert_int_equal(approval_open_asks(&story.approval), 1);
	assert_int_equal(story.approval.steps[0].stage, 0);
}

static void
a_demand_that_is_met_leaves_its_steps_out_for_good(void **state)
{
	struct story story = begin();
	uint32_t boss;

	(void)state;
	plain_demand(&story, 1);
	story.approval.demands[0].deny_quorum = 2;
	boss = step_at(&story, 1500, APPROVAL_STEP_REPLACE, 1);
	plain_demand(&story, 1);
	opens(&story);
	approves(&story, ANN, 1, APPROVAL_PENDING);
	expect(&story, look(&story, 1500), APPROVAL_PENDING, TAKEN);
	assert_int_equal(story.approval.steps[0].stage, APPROVAL_STAGES_MAX);
	assert_int_equal(approval_open_asks(&story.approval), 1 | 4);
	recuses(&story, ANN, 1); /* now it is met no more, but the step is over */
	expect_repeated(&story, look(&story, 1600));
	expect_refused(&story, event_of(&story, APPROVAL_APPROVE_GIVEN, BOB, boss), APPROVAL_REFUSAL_STAGE);
	approves(&story, BOB, 1, APPROVAL_PENDING);
	approves(&story, CYD, 4, APPROVAL_APPROVED);
}

static void
two_steps_of_one_moment_come_in_their_order(void **state)
{
	struct story story = begin();
	uint32_t boss, chief;

	(void)state;
	demand(&story);
	stage(&story, false);
	ask(&story, 2);
	stage(&story, false);
	ask(&story, 1);
	boss = step_at(&story, 1500, APPROVAL_STEP_ADD, 1);
	chief = step_at(&story, 1500, APPROVAL_STEP_REPLACE, 1);
	opens(&story);
	approves(&story, ANN, 1 | boss, APPROVAL_PENDING);
	expect(&story, look(&story, 1500), APPROVAL_PENDING, TAKEN);
	/* the first one met the first stage, so the second one is for the second */
	assert_int_equal(story.approval.steps[0].stage, 0);
	assert_int_equal(story.approval.steps[1].stage, 1);
	assert_int_equal(approval_open_asks(&story.approval), 1 | boss | chief);
	expect_refused(&story, event_of(&story, APPROVAL_APPROVE_GIVEN, BOB, 2), APPROVAL_REFUSAL_STAGE);
	approves(&story, BOB, chief, APPROVAL_APPROVED);
}

static void
all_steps_whose_time_has_come_are_taken_at_once(void **state)
{
	struct story story = begin();

	(void)state;
	plain_demand(&story, 1);
	for (int i = 0; i < APPROVAL_STEPS_MAX; i++)
		step_at(&story, 1100 + i, APPROVAL_STEP_ADD, 1);
	opens(&story);
	expect(&story, look(&story, 1103), APPROVAL_PENDING, TAKEN);
	assert_int_equal(story.approval.steps_taken, 4);
	assert_int_equal(approval_next_time(&story.approval), 1104);
	expect(&story, look(&story, 1900), APPROVAL_PENDING, TAKEN);
	assert_int_equal(story.approval.steps_taken, APPROVAL_STEPS_MAX);
	assert_int_equal(approval_open_asks(&story.approval), BIT(17) - 1);
	approves(&story, ANN, BIT(16), APPROVAL_APPROVED);
}

static void
no_step_is_taken_of_what_is_over(void **state)
{
	struct story late = begin(), approved;

	(void)state;
	plain_demand(&late, 1);
	step_at(&late, 1500, APPROVAL_STEP_ADD, 1);
	opens(&late);
	approved = late;
	expect(&late, look(&late, DEADLINE), APPROVAL_EXPIRED, EXPIRED_THEN);
	assert_int_equal(late.approval.steps_taken, 0);
	approves(&approved, ANN, 1, APPROVAL_APPROVED);
	expect_repeated(&approved, look(&approved, 1600));
	assert_int_equal(approved.approval.steps_taken, 0);
}

static void
a_step_after_the_deadline_comes_only_if_it_is_extended(void **state)
{
	struct story story = begin();
	struct approval_event event;

	(void)state;
	plain_demand(&story, 1);
	step_at(&story, DEADLINE + 10, APPROVAL_STEP_ADD, 1);
	story.approval.latest = DEADLINE + 100;
	opens(&story);
	assert_int_equal(approval_next_time(&story.approval), DEADLINE);
	event = event_of(&story, APPROVAL_EXTEND_GIVEN, ANN, 1);
	event.deadline = DEADLINE + 100;
	expect(&story, event, APPROVAL_PENDING, COUNTED | APPROVAL_EFFECT_EXTEND);
	assert_int_equal(approval_next_time(&story.approval), DEADLINE + 10);
	expect(&story, look(&story, DEADLINE + 10), APPROVAL_PENDING, TAKEN);
}

/* ------------------------------------------------------------------ reminders */

static void
one_reminder_before_the_deadline(void **state)
{
	struct story story = one_wanted();

	(void)state;
	story.approval.remind_before = 100;
	assert_int_equal(approval_next_time(&story.approval), DEADLINE - 100);
	expect_repeated(&story, look(&story, DEADLINE - 101));
	expect(&story, look(&story, DEADLINE - 100), APPROVAL_PENDING, APPROVAL_EFFECT_REMIND);
	assert_int_equal(story.approval.reminded_at, DEADLINE - 100);
	assert_int_equal(approval_next_time(&story.approval), DEADLINE);
	expect_repeated(&story, look(&story, DEADLINE - 50));
}

static void
and_another_one_when_the_deadline_is_extended(void **state)
{
	struct story story = one_wanted();
	struct approval_event event;

	(void)state;
	story.approval.remind_before = 100;
	story.approval.latest = DEADLINE + 500;
	expect(&story, look(&story, DEADLINE - 90), APPROVAL_PENDING, APPROVAL_EFFECT_REMIND);
	event = event_of(&story, APPROVAL_EXTEND_GIVEN, ANN, 1);
	event.deadline = DEADLINE + 5; /* its moment is before the reminder that was sent */
	expect(&story, event, APPROVAL_PENDING, COUNTED | APPROVAL_EFFECT_EXTEND);
	assert_int_equal(approval_next_time(&story.approval), DEADLINE + 5);
	event.deadline = DEADLINE + 500;
	expect(&story, event, APPROVAL_PENDING, COUNTED | APPROVAL_EFFECT_EXTEND);
	assert_int_equal(approval_next_time(&story.approval), DEADLINE + 400);
	expect(&story, look(&story, DEADLINE + 400), APPROVAL_PENDING, APPROVAL_EFFECT_REMIND);
}

static void
reminders_come_every_so_often_since_the_opening(void **state)
{
	struct story story = one_wanted();

	(void)state;
	story.approval.remind_every = 300;
	assert_int_equal(approval_next_time(&story.approval), 1300);
	expect_repeated(&story, look(&story, 1299));
	expect(&story, look(&story, 1310), APPROVAL_PENDING, APPROVAL_EFFECT_REMIND);
	assert_int_equal(approval_next_time(&story.approval), 1600); /* not 1610 */
	expect_repeated(&story, look(&story, 1599));
	expect(&story, look(&story, 1600), APPROVAL_PENDING, APPROVAL_EFFECT_REMIND);
	expect_repeated(&story, look(&story, 1600));
	assert_int_equal(approval_next_time(&story.approval), 1900);
}

static void
several_that_are_due_are_one(void **state)
{
	struct story story = one_wanted();

	(void)state;
	story.approval.remind_every = 10;
	story.approval.remind_before = 500;
	expect(&story, look(&story, 1995), APPROVAL_PENDING, APPROVAL_EFFECT_REMIND);
	expect_repeated(&story, look(&story, 1999));
	assert_int_equal(approval_next_time(&story.approval), DEADLINE);
}

static void
nobody_is_reminded_of_what_he_was_just_asked(void **state)
{
	struct story story = one_wanted();

	(void)state;
	story.approval.remind_before = DEADLINE - OPENED_AT; /* the opening itself */
	expect_repeated(&story, look(&story, OPENED_AT));
	story.approval.remind_before = INT64_MAX;
	expect_repeated(&story, look(&story, OPENED_AT + 1));
	assert_int_equal(approval_next_time(&story.approval), DEADLINE);
}

static void
a_clock_that_went_back_reminds_of_nothing(void **state)
{
	struct story story = one_wanted();

	(void)state;
	story.approval.remind_every = 100;
	expect(&story, look(&story, 1500), APPROVAL_PENDING, APPROVAL_EFFECT_REMIND);
	expect_repeated(&story, look(&story, 1400));
	expect_repeated(&story, look(&story, 0));
	expect_repeated(&story, look(&story, INT64_MIN));
	assert_int_equal(approval_next_time(&story.approval), 1600);
}

static void
a_reminder_in_a_step_of_the_same_moment_is_sent_as_well(void **state)
{
	struct story story = begin();

	(void)state;
	plain_demand(&story, 1);
	step_at(&story, 1500, APPROVAL_STEP_ADD, 1);
	story.approval.remind_every = 500;
	opens(&story);
	expect(&story, look(&story, 1500), APPROVAL_PENDING, TAKEN | APPROVAL_EFFECT_REMIND);
}

static void
times_at_the_end_of_time_are_counted_right(void **state)
{
	struct story story = one_wanted();

	(void)state;
	story.approval.deadline = 0;
	story.approval.remind_every = INT64_MAX;
	assert_int_equal(approval_next_time(&story.approval), INT64_MAX);
	expect_repeated(&story, look(&story, INT64_MAX));
	story.approval.remind_every = 1;
	expect(&story, look(&story, INT64_MAX), APPROVAL_PENDING, APPROVAL_EFFECT_REMIND);
	assert_int_equal(approval_next_time(&story.approval), INT64_MAX);
	story.approval.deadline = INT64_MAX;
	expect(&story, look(&story, INT64_MAX), APPROVAL_EXPIRED, EXPIRED_THEN);
}

static void
what_nobody_can_answer_has_nothing_but_its_deadline(void **state)
{
	struct story story = one_wanted();

	(void)state;
	story.approval.remind_every = 10;
	story.approval.asks[0].quorum = 0;
	assert_int_equal(approval_next_time(&story.approval), DEADLINE);
	story.approval.deadline = 0;
	assert_int_equal(approval_next_time(&story.approval), INT64_MAX);
	story.approval.ask_count = UINT32_MAX;
	assert_int_equal(approval_next_time(&story.approval), INT64_MAX);
}

static void
nothing_more_comes_of_what_has_ended(void **state)
{
	(void)state;
	for (int final = APPROVAL_NONE; final < APPROVAL_STATES; final++) {
		struct story story = one_wanted();

		story.approval.state = (enum approval_state) final;
		if (final != APPROVAL_PENDING)
			assert_int_equal(approval_next_time(&story.approval), INT64_MAX);
		if (final > APPROVAL_PENDING)
			expect_repeated(&story, look(&story, DEADLINE));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(at_the_deadline_it_is_over),
	    cmocka_unit_test(late_and_of_another_digest_it_expires_all_the_same),
	    cmocka_unit_test(it_expires_once),
	    cmocka_unit_test(without_a_deadline_it_stays_open),
	    cmocka_unit_test(a_look_too_early_is_a_repetition),
	    cmocka_unit_test(an_added_ask_is_one_more_way),
	    cmocka_unit_test(a_replacement_is_the_only_way),
	    cmocka_unit_test(votes_from_before_count_for_the_steps_ask),
	    cmocka_unit_test(what_a_step_has_met_is_granted_by_the_next_look),
	    cmocka_unit_test(what_a_step_has_met_may_be_undone_before_the_next_look),
	    cmocka_unit_test(steps_come_before_the_answer_of_that_moment),
	    cmocka_unit_test(a_refused_answer_takes_them_as_well),
	    cmocka_unit_test(who_is_only_told_is_not_asked),
	    cmocka_unit_test(a_demand_that_is_met_leaves_its_steps_out_for_good),
	    cmocka_unit_test(two_steps_of_one_moment_come_in_their_order),
	    cmocka_unit_test(all_steps_whose_time_has_come_are_taken_at_once),
	    cmocka_unit_test(no_step_is_taken_of_what_is_over),
	    cmocka_unit_test(a_step_after_the_deadline_comes_only_if_it_is_extended),
	    cmocka_unit_test(one_reminder_before_the_deadline),
	    cmocka_unit_test(and_another_one_when_the_deadline_is_extended),
	    cmocka_unit_test(reminders_come_every_so_often_since_the_opening),
	    cmocka_unit_test(several_that_are_due_are_one),
	    cmocka_unit_test(nobody_is_reminded_of_what_he_was_just_asked),
	    cmocka_unit_test(a_clock_that_went_back_reminds_of_nothing),
	    cmocka_unit_test(a_reminder_in_a_step_of_the_same_moment_is_sent_as_well),
	    cmocka_unit_test(times_at_the_end_of_time_are_counted_right),
	    cmocka_unit_test(what_nobody_can_answer_has_nothing_but_its_deadline),
	    cmocka_unit_test(nothing_more_comes_of_what_has_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
