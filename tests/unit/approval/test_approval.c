/* SPDX-License-Identifier: Apache-2.0 */
/* test_approval.c - approve, deny, recuse: who may, in which order it is said who may not, and what it makes of the approval. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/approval/story.h"

enum { ANN = 1, BOB, CYD, DAN, EVE };

/* Two profiles: two of the first group, one of the second. */
static struct story
two_and_one(void)
{
	struct story story = begin();

	plain_demand(&story, 2);
	plain_demand(&story, 1);
	opens(&story);
	return story;
}

/* ------------------------------------------------------------------ opened */

static void
what_was_asked_is_what_was_opened(void **state)
{
	struct story story = two_and_one();

	(void)state;
	assert_int_equal(story.approval.deadline, DEADLINE);
	assert_int_equal(story.approval.voter_count, 0);
	assert_int_equal(approval_open_asks(&story.approval), 3);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(approval_votes(&story.approval, i), 0);
		assert_int_equal(approval_current_stage(&story.approval, i), i);
	}
}

static void
opened_again_it_is_a_repetition_in_every_state(void **state)
{
	struct approval_event event = {.kind = APPROVAL_OPENED, .now = OPENED_AT};

	(void)state;
	for (int i = APPROVAL_PENDING; i < APPROVAL_STATES; i++) {
		struct story story = two_and_one();

		story.approval.state = (enum approval_state)i;
		expect_repeated(&story, event);
	}
}

static void
what_was_never_opened_takes_nothing(void **state)
{
	(void)state;
	for (int kind = APPROVAL_APPROVE_GIVEN; kind < APPROVAL_EVENTS; kind++) {
		struct story story = begin();

		plain_demand(&story, 1);
		expect_refused(&story, event_of(&story, (enum approval_event_kind)kind, ANN, 1),
			       APPROVAL_REFUSAL_NOT_OPEN);
	}
}

static void
what_the_table_does_not_know_is_refused(void **state)
{
	struct story odd = two_and_one(), pending = odd;

	(void)state;
	odd.approval.state = APPROVAL_STATES;
	expect_refused(&odd, event_of(&odd, APPROVAL_APPROVE_GIVEN, ANN, 3), APPROVAL_REFUSAL_NOT_OPEN);
	expect_refused(&pending, event_of(&pending, APPROVAL_EVENTS, ANN, 3), APPROVAL_REFUSAL_NOT_OPEN);
}

/* ------------------------------------------------------------------ approve */

static void
it_is_approved_when_every_demand_is_met(void **state)
{
	struct story story = two_and_one();

	(void)state;
	approves(&story, ANN, 1, APPROVAL_PENDING);
	approves(&story, BOB, 1, APPROVAL_PENDING);
	assert_int_equal(approval_current_stage(&story.approval, 0), APPROVAL_STAGES_MAX);
	approves(&story, CYD, 1, APPROVAL_PENDING); /* one may vote in what is met */
	assert_int_equal(approval_votes(&story.approval, 0), 3);
	assert_int_equal(approval_votes(&story.approval, 1), 0);
	approves(&story, DAN, 2, APPROVAL_APPROVED);
}

static void
a_person_in_both_groups_counts_for_both_but_once(void **state)
{
	struct story story = two_and_one();

	(void)state;
	approves(&story, ANN, 3, APPROVAL_PENDING);
	assert_int_equal(story.counted, 3);
	assert_int_equal(approval_votes(&story.approval, 0), 1);
	assert_int_equal(approval_votes(&story.approval, 1), 1);
	expect_repeated(&story, event_of(&story, APPROVAL_APPROVE_GIVEN, ANN, 3));
	assert_int_equal(approval_votes(&story.approval, 0), 1);
	assert_int_equal(story.approval.voter_count, 1);
	approves(&story, BOB, 1, APPROVAL_APPROVED);
}

static void
bits_behind_the_last_ask_mean_nothing(void **state)
{
	struct story story = two_and_one();
	struct approval_event event = event_of(&story, APPROVAL_APPROVE_GIVEN, ANN, ~UINT32_C(3));

	(void)state;
	event.excluded = ~UINT32_C(3);
	expect_refused(&story, event, APPROVAL_REFUSAL_NOT_ELIGIBLE);
	approves(&story, ANN, UINT32_MAX, APPROVAL_PENDING);
	assert_int_equal(story.counted, 3);
}

static void
as_many_demands_as_there_may_be_are_as_good_as_one(void **state)
{
	struct story story = begin();

	(void)state;
	for (unsigned i = 0; i < APPROVAL_DEMANDS_MAX; i++)
		plain_demand(&story, 1);
	opens(&story);
	for (unsigned i = 0; i + 1 < APPROVAL_DEMANDS_MAX; i++)
		approves(&story, 1 + i, BIT(i), APPROVAL_PENDING);
	approves(&story, APPROVAL_DEMANDS_MAX, BIT(APPROVAL_DEMANDS_MAX - 1), APPROVAL_APPROVED);
}

static void
a_hundred_of_a_hundred_and_no_one_less(void **state)
{
	struct story story = begin();

	(void)state;
	plain_demand(&story, APPROVAL_QUORUM_MAX);
	opens(&story);
	for (unsigned i = 1; i < APPROVAL_QUORUM_MAX; i++)
		approves(&story, i, 1, APPROVAL_PENDING);
	approves(&story, APPROVAL_QUORUM_MAX, 1, APPROVAL_APPROVED);
}

/* ------------------------------------------------------------------ deny */

static void
one_deny_ends_it_for_good(void **state)
{
	struct story story = two_and_one();

	(void)state;
	approves(&story, ANN, 1, APPROVAL_PENDING);
	denies(&story, BOB, 2, APPROVAL_DENIED);
	assert_int_equal(story.counted, 2);
	expect_refused(&story, event_of(&story, APPROVAL_APPROVE_GIVEN, CYD, 3), APPROVAL_REFUSAL_DECIDED);
	expect_refused(&story, event_of(&story, APPROVAL_DENY_GIVEN, CYD, 3), APPROVAL_REFUSAL_DECIDED);
}

static void
who_approved_may_still_deny_and_then_the_approve_counts_no_more(void **state)
{
	struct story story = begin();

	(void)state;
	plain_demand(&story, 2);
	story.approval.demands[0].deny_quorum = 2;
	opens(&story);
	approves(&story, ANN, 1, APPROVAL_PENDING);
	denies(&story, ANN, 1, APPROVAL_PENDING);
	assert_int_equal(story.approval.voter_count, 1);
	assert_int_equal(approval_votes(&story.approval, 0), 0);
	approves(&story, BOB, 1, APPROVAL_PENDING);
	approves(&story, CYD, 1, APPROVAL_APPROVED);
}

static void
a_deny_is_not_taken_back(void **state)
{
	struct story story = begin();

	(void)state;
	plain_demand(&story, 1);
	story.approval.demands[0].deny_quorum = 3;
	opens(&story);
	denies(&story, ANN, 1, APPROVAL_PENDING);
	expect_refused(&story, event_of(&story, APPROVAL_APPROVE_GIVEN, ANN, 1),
		       APPROVAL_REFUSAL_DENIED_BEFORE);
	expect_refused(&story, event_of(&story, APPROVAL_RECUSE_GIVEN, ANN, 1), APPROVAL_REFUSAL_DENIED_BEFORE);
	expect_repeated(&story, event_of(&story, APPROVAL_DENY_GIVEN, ANN, 1));
	denies(&story, BOB, 1, APPROVAL_PENDING);
	denies(&story, CYD, 1, APPROVAL_DENIED);
}

static void
the_deny_quorum_is_reached_within_one_demand(void **state)
{
	struct story story = begin();

	(void)state;
	demand(&story);
	stage(&story, false);
	ask(&story, 2);
	ask(&story, 2);
	plain_demand(&story, 2);
	story.approval.demands[0].deny_quorum = story.approval.demands[1].deny_quorum = 2;
	opens(&story);
	denies(&story, ANN, 1, APPROVAL_PENDING);
	denies(&story, BOB, 4, APPROVAL_PENDING); /* one deny in each */
	denies(&story, CYD, 2, APPROVAL_DENIED);  /* the other ask of the first */
}

static void
a_deny_counts_for_what_was_open_when_it_was_given(void **state)
{
	struct story story = begin();

	(void)state;
	demand(&story);
	story.approval.demands[0].deny_quorum = 2;
	stage(&story, false);
	ask(&story, 1);
	stage(&story, false);
	ask(&story, 1);
	opens(&story);
	denies(&story, ANN, 3, APPROVAL_PENDING);
	assert_int_equal(story.counted, 1);
	expect_refused(&story, event_of(&story, APPROVAL_DENY_GIVEN, BOB, 2), APPROVAL_REFUSAL_STAGE);
	approves(&story, CYD, 1, APPROVAL_PENDING);
	denies(&story, BOB, 2, APPROVAL_DENIED);
}

/* ------------------------------------------------------------------ recuse */

static void
who_steps_aside_counts_no_more_and_is_asked_no_more(void **state)
{
	struct story story = two_and_one();

	(void)state;
	approves(&story, ANN, 1, APPROVAL_PENDING);
	approves(&story, BOB, 1, APPROVAL_PENDING);
	recuses(&story, ANN, 1);
	assert_int_equal(story.counted, 0);
	assert_int_equal(approval_votes(&story.approval, 0), 1);
	expect_refused(&story, event_of(&story, APPROVAL_APPROVE_GIVEN, ANN, 3), APPROVAL_REFUSAL_RECUSED);
	expect_refused(&story, event_of(&story, APPROVAL_DENY_GIVEN, ANN, 3), APPROVAL_REFUSAL_RECUSED);
	expect_repeated(&story, event_of(&story, APPROVAL_RECUSE_GIVEN, ANN, 1));
	approves(&story, CYD, 2, APPROVAL_PENDING);
	approves(&story, DAN, 1, APPROVAL_APPROVED);
}

static void
one_may_step_aside_from_a_stage_that_is_not_open_and_without_a_reason(void **state)
{
	struct story story = begin();
	struct approval_event event;

	(void)state;
	demand(&story);
	story.approval.demands[0].require_reason = true;
	stage(&story, false);
	ask(&story, 1);
	stage(&story, false);
	ask(&story, 1);
	opens(&story);
	event = event_of(&story, APPROVAL_RECUSE_GIVEN, ANN, 2);
	event.has_reason = false;
	expect(&story, event, APPROVAL_PENDING, COUNTED);
}

/* ------------------------------------------------------------------ who may not */

static void
the_requester_is_refused_even_as_a_member(void **state)
{
	static const enum approval_event_kind kinds[] = {APPROVAL_APPROVE_GIVEN, APPROVAL_DENY_GIVEN,
							 APPROVAL_RECUSE_GIVEN, APPROVAL_EXTEND_GIVEN};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		struct story story = two_and_one();
		struct approval_event event = event_of(&story, kinds[i], ANN, 3);

		event.responder_is_requester = true;
		event.is_operator = true;
		expect_refused(&story, event, APPROVAL_REFUSAL_REQUESTER);
	}
}

static void
who_is_excluded_where_he_is_asked_is_told_so(void **state)
{
	struct story story = two_and_one();
	struct approval_event event = event_of(&story, APPROVAL_APPROVE_GIVEN, ANN, 0);

	(void)state;
	expect_refused(&story, event, APPROVAL_REFUSAL_NOT_ELIGIBLE);
	event.excluded = 1;
	expect_refused(&story, event, APPROVAL_REFUSAL_EXCLUDED);
	event.eligible = 2; /* excluded from one demand, not from the other */
	expect(&story, event, APPROVAL_PENDING, COUNTED);
	assert_int_equal(story.counted, 2);
}

static void
a_reason_is_wanted_by_the_demands_he_votes_in_now(void **state)
{
	struct story story = begin();
	struct approval_event event;

	(void)state;
	plain_demand(&story, 2);
	demand(&story);
	story.approval.demands[1].require_reason = true;
	stage(&story, false);
	ask(&story, 1);
	stage(&story, false);
	ask(&story, 1);
	opens(&story);
	for (int kind = APPROVAL_APPROVE_GIVEN; kind <= APPROVAL_DENY_GIVEN; kind++) {
		event = event_of(&story, (enum approval_event_kind)kind, ANN, 3);
		event.has_reason = false;
		expect_refused(&story, event, APPROVAL_REFUSAL_NO_REASON);
	}
	event = event_of(&story, APPROVAL_APPROVE_GIVEN, ANN,
			 1 | 4); /* of the demand that wants one, a later stage */
	event.has_reason = false;
	expect(&story, event, APPROVAL_PENDING, COUNTED);
	assert_int_equal(story.counted, 5);
}

static void
there_is_no_place_for_the_129th(void **state)
{
	struct story story = begin();

	(void)state;
	plain_demand(&story, APPROVAL_QUORUM_MAX);
	story.approval.demands[0].deny_quorum = APPROVAL_QUORUM_MAX;
	opens(&story);
	for (unsigned i = 1; i <= APPROVAL_VOTERS_MAX; i++)
		recuses(&story, i, 1);
	for (int kind = APPROVAL_APPROVE_GIVEN; kind <= APPROVAL_RECUSE_GIVEN; kind++)
		expect_refused(&story, event_of(&story, (enum approval_event_kind)kind, 200, 1),
			       APPROVAL_REFUSAL_VOTERS);
	expect_repeated(&story, event_of(&story, APPROVAL_RECUSE_GIVEN, 7, 1));
	assert_int_equal(story.approval.voter_count, APPROVAL_VOTERS_MAX);
}

static void
who_has_a_place_may_change_his_answer_when_all_are_taken(void **state)
{
	struct story story = begin();

	(void)state;
	plain_demand(&story, APPROVAL_QUORUM_MAX);
	story.approval.demands[0].deny_quorum = APPROVAL_QUORUM_MAX;
	opens(&story);
	for (unsigned i = 1; i <= APPROVAL_QUORUM_MAX - 1; i++)
		approves(&story, i, 1, APPROVAL_PENDING);
	for (unsigned i = APPROVAL_QUORUM_MAX; i <= APPROVAL_VOTERS_MAX; i++)
		recuses(&story, i, 1);
	denies(&story, 1, 1, APPROVAL_PENDING);
	recuses(&story, 2, 1);
	assert_int_equal(approval_votes(&story.approval, 0), APPROVAL_QUORUM_MAX - 3);
}

/* Everything is wrong; from line to line one thing less. */
static void
what_is_wrong_is_said_in_a_fixed_order(void **state)
{
	(void)state;
	for (int kind = APPROVAL_APPROVE_GIVEN; kind <= APPROVAL_RECUSE_GIVEN; kind++) {
		bool recuse = kind == APPROVAL_RECUSE_GIVEN;
		struct story story = begin();
		struct approval_event event;

		demand(&story);
		story.approval.demands[0] =
		    (struct approval_demand){.deny_quorum = 100, .require_reason = true};
		stage(&story, false);
		ask(&story, 100);
		stage(&story, false);
		ask(&story, 1);
		opens(&story);
		event = event_of(&story, (enum approval_event_kind)kind, ANN, 0);
		event.responder_is_requester = true;
		event.digest_matches = event.has_reason = false;
		event.excluded = 1;
		expect_refused(&story, event, APPROVAL_REFUSAL_OTHER_DIGEST);
		event.digest_matches = true;
		expect_refused(&story, event, APPROVAL_REFUSAL_REQUESTER);
		event.responder_is_requester = false;
		expect_refused(&story, event, APPROVAL_REFUSAL_EXCLUDED);
		event.excluded = 0;
		expect_refused(&story, event, APPROVAL_REFUSAL_NOT_ELIGIBLE);
		event.eligible = 2;
		for (unsigned i = 1; i <= APPROVAL_VOTERS_MAX; i++)
			recuses(&story, i, 1);
		event.voter = 3;
		if (recuse)
			expect_repeated(&story, event);
		else
			expect_refused(&story, event, APPROVAL_REFUSAL_RECUSED);
		event.voter = APPROVAL_VOTERS_MAX;
		if (!recuse) {
			expect_refused(&story, event, APPROVAL_REFUSAL_STAGE);
			event.eligible = 1;
			expect_refused(&story, event, APPROVAL_REFUSAL_NO_REASON);
			event.has_reason = true;
		}
		expect_refused(&story, event, APPROVAL_REFUSAL_VOTERS);
		story.approval.voter_count = event.voter = 5;
		expect(&story, event, APPROVAL_PENDING, COUNTED);
	}
}

/* ------------------------------------------------------------------ final states */

static void
a_final_state_says_what_it_is(void **state)
{
	(void)state;
	for (int final = APPROVAL_APPROVED; final < APPROVAL_STATES; final++) {
		for (int kind = APPROVAL_APPROVE_GIVEN; kind <= APPROVAL_REVIEW_GIVEN; kind++) {
			struct story story = two_and_one();
			struct approval_event event = event_of(&story, (enum approval_event_kind)kind, ANN, 3);

			event.responder_is_requester = true; /* is said later */
			story.approval.state = (enum approval_state) final;
			event.digest_matches = false;
			expect_refused(&story, event, APPROVAL_REFUSAL_OTHER_DIGEST);
			event.digest_matches = true;
			if (final == APPROVAL_APPROVED && kind == APPROVAL_REVOKE_GIVEN)
				continue;
			if (kind == APPROVAL_REVIEW_GIVEN
			    && (final == APPROVAL_APPROVED || final == APPROVAL_REVOKED))
				continue;
			expect_refused(&story, event,
				       final == APPROVAL_EXPIRED ? APPROVAL_REFUSAL_EXPIRED
								 : APPROVAL_REFUSAL_DECIDED);
			event.now = DEADLINE + 1; /* is not looked at any more */
			expect_refused(&story, event,
				       final == APPROVAL_EXPIRED ? APPROVAL_REFUSAL_EXPIRED
								 : APPROVAL_REFUSAL_DECIDED);
		}
	}
}

/* ------------------------------------------------------------------ what nobody could answer */

static void
a_row_that_asks_nobody_is_never_granted(void **state)
{
	static const unsigned counts[] = {0, APPROVAL_DEMANDS_MAX + 1, 32, 33, UINT32_MAX};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(counts); i++) {
		struct story story = two_and_one();
		struct approval broken = story.approval;

		for (unsigned which = 0; which < 3; which++) {
			unsigned *places[] = {&story.approval.demand_count, &story.approval.stage_count,
					      &story.approval.ask_count};

			*places[which] = counts[i];
			expect_refused(&story, event_of(&story, APPROVAL_APPROVE_GIVEN, ANN, UINT32_MAX),
				       APPROVAL_REFUSAL_NOT_OPEN);
			expect_refused(&story, look(&story, OPENED_AT + 1), APPROVAL_REFUSAL_NOT_OPEN);
			story.approval = broken;
		}
		story.approval.asks[0].quorum = 0;
		expect_refused(&story, event_of(&story, APPROVAL_APPROVE_GIVEN, ANN, UINT32_MAX),
			       APPROVAL_REFUSAL_NOT_OPEN);
		expect(&story, look(&story, DEADLINE), APPROVAL_EXPIRED, EXPIRED_THEN); /* but it ends */
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(what_was_asked_is_what_was_opened),
	    cmocka_unit_test(opened_again_it_is_a_repetition_in_every_state),
	    cmocka_unit_test(what_was_never_opened_takes_nothing),
	    cmocka_unit_test(what_the_table_does_not_know_is_refused),
	    cmocka_unit_test(it_is_approved_when_every_demand_is_met),
	    cmocka_unit_test(a_person_in_both_groups_counts_for_both_but_once),
	    cmocka_unit_test(bits_behind_the_last_ask_mean_nothing),
	    cmocka_unit_test(as_many_demands_as_there_may_be_are_as_good_as_one),
	    cmocka_unit_test(a_hundred_of_a_hundred_and_no_one_less),
	    cmocka_unit_test(one_deny_ends_it_for_good),
	    cmocka_unit_test(who_approved_may_still_deny_and_then_the_approve_counts_no_more),
	    cmocka_unit_test(a_deny_is_not_taken_back),
	    cmocka_unit_test(the_deny_quorum_is_reached_within_one_demand),
	    cmocka_unit_test(a_deny_counts_for_what_was_open_when_it_was_given),
	    cmocka_unit_test(who_steps_aside_counts_no_more_and_is_asked_no_more),
	    cmocka_unit_test(one_may_step_aside_from_a_stage_that_is_not_open_and_without_a_reason),
	    cmocka_unit_test(the_requester_is_refused_even_as_a_member),
	    cmocka_unit_test(who_is_excluded_where_he_is_asked_is_told_so),
	    cmocka_unit_test(a_reason_is_wanted_by_the_demands_he_votes_in_now),
	    cmocka_unit_test(there_is_no_place_for_the_129th),
	    cmocka_unit_test(who_has_a_place_may_change_his_answer_when_all_are_taken),
	    cmocka_unit_test(what_is_wrong_is_said_in_a_fixed_order),
	    cmocka_unit_test(a_final_state_says_what_it_is),
	    cmocka_unit_test(a_row_that_asks_nobody_is_never_granted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
