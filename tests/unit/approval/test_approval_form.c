/* SPDX-License-Identifier: Apache-2.0 */
/* test_approval_form.c - which approvals can be opened: one that can, and everything that is wrong with one by itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/approval/story.h"

/* Two demands, the first with two stages and two steps: asks 0 and 1 are of stage 0, 2 of stage 1, 3 of the step, 4 of stage 2. */
static struct story
good(void)
{
	struct story story = begin();

	demand(&story);
	stage(&story, true);
	ask(&story, 1);
	ask(&story, 2);
	stage(&story, false);
	ask(&story, 1);
	step_at(&story, 1500, APPROVAL_STEP_REPLACE, 1);
	step_at(&story, 1500, APPROVAL_STEP_NOTIFY, 0);
	demand(&story);
	stage(&story, false);
	ask(&story, 1);
	return story;
}

static void
expect_bad(const struct approval *approval)
{
	struct story story = {.approval = *approval};

	assert_false(approval_is_well_formed(approval));
	if (approval->state == APPROVAL_NONE)
		expect_refused(&story, (struct approval_event){.kind = APPROVAL_OPENED, .now = OPENED_AT},
			       APPROVAL_REFUSAL_NOT_OPEN);
}

static void
a_good_one_is_good_in_every_state_that_it_comes_into(void **state)
{
	struct story story = good();

	(void)state;
	assert_true(approval_is_well_formed(&story.approval));
	opens(&story);
	assert_true(approval_is_well_formed(&story.approval));
	approves(&story, 1, 5, APPROVAL_PENDING);
	approves(&story, 2, 23, APPROVAL_PENDING);
	happens(&story, look(&story, 1600));
	assert_int_equal(story.approval.steps_taken, 2);
	assert_true(approval_is_well_formed(&story.approval));
	approves(&story, 3, 8, APPROVAL_APPROVED);
	assert_true(approval_is_well_formed(&story.approval));
}

/* Each line spoils one thing. */
#define BAD(spoils)                                                                                          \
	do {                                                                                                 \
		struct story story = good();                                                                 \
		struct approval *a = &story.approval;                                                        \
                                                                                                             \
		spoils;                                                                                      \
		expect_bad(a);                                                                               \
	} while (0)
#define GOOD(changes)                                                                                        \
	do {                                                                                                 \
		struct story story = good();                                                                 \
		struct approval *a = &story.approval;                                                        \
                                                                                                             \
		changes;                                                                                     \
		assert_true(approval_is_well_formed(a));                                                     \
	} while (0)

static void
counts_and_indices_are_in_their_ranges(void **state)
{
	static const unsigned wrong[] = {0, 33, 200, UINT32_MAX};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(wrong); i++) {
		BAD(a->demand_count = wrong[i]);
		BAD(a->stage_count = wrong[i]);
		BAD(a->ask_count = wrong[i]);
		BAD(a->step_count = wrong[i]);
		if (wrong[i] == 0)
			continue;
		BAD(a->voter_count = wrong[i]);
		BAD(a->steps_taken = wrong[i]);
		BAD(a->stages[1].demand = wrong[i]);
		BAD(a->asks[0].stage = wrong[i]);
		BAD(a->asks[3].stage = wrong[i]);
		BAD(a->steps[0].demand = wrong[i]);
		BAD(a->steps[1].demand = wrong[i]);
		BAD(a->steps[0].ask = wrong[i]);
	}
	BAD(a->demand_count = 1);
	BAD(a->demand_count = 3); /* without a stage */
	BAD(a->stage_count = 2);
	BAD(a->stage_count = 4); /* without an ask */
	BAD(a->ask_count = 4);
	BAD(a->ask_count = 6);
	BAD(a->step_count = APPROVAL_STEPS_MAX + 1);
	BAD(a->state = APPROVAL_STATES);
	BAD(a->steps[0].kind = APPROVAL_STEP_NOTIFY + 1);
}

static void
quorums_are_of_one_to_a_hundred(void **state)
{
	static const int64_t wrong[] = {
	    0, -1, INT64_MIN, APPROVAL_QUORUM_MAX + 1, INT64_MAX, (INT64_C(1) << 32) + 1};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(wrong); i++) {
		BAD(a->asks[0].quorum = wrong[i]);
		BAD(a->asks[3].quorum = wrong[i]);
		BAD(a->demands[1].deny_quorum = wrong[i]);
	}
	GOOD(a->asks[0].quorum = APPROVAL_QUORUM_MAX);
	GOOD(a->demands[1].deny_quorum = APPROVAL_QUORUM_MAX);
}

static void
stages_stand_in_the_order_of_their_demands(void **state)
{
	(void)state;
	BAD(a->stages[0].demand = 1);
	BAD(a->stages[1].demand = 1; a->stages[2].demand = 0);
	GOOD(a->stages[1].demand = 1);
}

static void
a_demand_has_at_most_eight_stages(void **state)
{
	(void)state;
	for (int count = APPROVAL_DEMAND_STAGES_MAX; count <= APPROVAL_DEMAND_STAGES_MAX + 1; count++) {
		struct story story = begin();

		demand(&story);
		for (int i = 0; i < count; i++) {
			stage(&story, false);
			ask(&story, 1);
		}
		assert_int_equal(approval_is_well_formed(&story.approval), count <= APPROVAL_DEMAND_STAGES_MAX);
	}
}

static void
every_stage_asks_somebody_from_the_beginning(void **state)
{
	(void)state;
	BAD(a->asks[2].stage = 0);
	BAD(a->asks[4].active = false);
	BAD(a->asks[3].active = true);
}

static void
steps_and_their_asks_belong_together(void **state)
{
	(void)state;
	BAD(a->steps[0].kind = APPROVAL_STEP_NOTIFY);			/* an ask of nobody's */
	BAD(a->steps[0].ask = 0);					/* one that is of no step */
	BAD(a->asks[0].of_step = true);					/* one of no step's */
	BAD(a->steps[1].kind = APPROVAL_STEP_ADD; a->steps[1].ask = 3); /* one of two */
}

static void
times_are_in_their_order(void **state)
{
	(void)state;
	BAD(a->opened_at = 0);
	BAD(a->opened_at = -1);
	BAD(a->deadline = OPENED_AT);
	BAD(a->deadline = -1);
	BAD(a->latest = -1);
	BAD(a->remind_before = -1);
	BAD(a->remind_every = -1);
	BAD(a->reminded_at = -1);
	BAD(a->grant_ends = -1);
	BAD(a->steps[0].at = OPENED_AT);
	BAD(a->steps[0].at = 1501);
	BAD(a->steps[1].at = 1499);
	GOOD(a->deadline = 0);
	GOOD(a->deadline = OPENED_AT + 1);
	GOOD(a->latest = DEADLINE - 1); /* then nothing extends it */
	GOOD(a->steps[1].at = INT64_MAX);
	GOOD(a->remind_before = INT64_MAX; a->remind_every = INT64_MAX);
}

static void
what_is_opened_has_no_past(void **state)
{
	(void)state;
	BAD(a->voter_count = 1);
	BAD(a->steps_taken = 1; a->asks[3].active = true);
	BAD(a->reminded_at = 1);
	BAD(a->grant_ends = 1);
}

static void
what_came_of_one_says_how(void **state)
{
	(void)state;
#define TAKEN                                                                                                \
	a->state = APPROVAL_PENDING;                                                                         \
	a->steps_taken = 1;                                                                                  \
	a->steps[0].stage = a->asks[3].stage = 1;                                                            \
	a->asks[3].active = true;                                                                            \
	a->asks[2].active = false
	GOOD(TAKEN);
	BAD(TAKEN; a->asks[2].active = true);
	BAD(TAKEN; a->asks[3].active = false);
	BAD(TAKEN; a->asks[0].active = false);
	BAD(TAKEN; a->asks[3].stage = 0);
	BAD(TAKEN; a->steps[0].stage = 2);
	BAD(TAKEN; a->steps[0].stage = 7);
	BAD(TAKEN; a->steps_taken = 3);
	GOOD(a->state = APPROVAL_PENDING; a->steps_taken = 1; a->steps[0].stage = APPROVAL_STAGES_MAX);
	GOOD(a->state = APPROVAL_PENDING; a->voter_count = 1; a->voters[0].vote = APPROVAL_VOTE_RECUSED);
	GOOD(a->state = APPROVAL_APPROVED; a->grant_ends = 1);
	BAD(a->state = APPROVAL_PENDING; a->voter_count = 1; a->voters[0].counts = 32);
	BAD(a->state = APPROVAL_PENDING; a->voter_count = 1; a->voters[0].vote = APPROVAL_VOTE_RECUSED + 1);
}

static struct approval
ways(unsigned stages, unsigned asks, unsigned steps, bool all, bool distinct)
{
	struct story story = begin();

	demand(&story);
	story.approval.demands[0].distinct = distinct;
	for (unsigned i = 0; i < stages; i++) {
		stage(&story, all);
		for (unsigned j = 0; j < asks; j++)
			ask(&story, 1);
	}
	for (unsigned i = 0; i < steps; i++)
		step_at(&story, 1500, i % 2 ? APPROVAL_STEP_ADD : APPROVAL_STEP_REPLACE, 1);
	step_at(&story, 1500, APPROVAL_STEP_NOTIFY, 1);
	return story.approval;
}

static void
there_are_at_most_4096_ways_where_persons_are_distinct(void **state)
{
	static const struct {
		unsigned stages, asks, steps;
		bool all, good;
	} cases[] = {{6, 4, 0, false, true}, {7, 4, 0, false, false}, {8, 4, 0, true, true},
		     {6, 1, 3, false, true}, {6, 1, 4, false, false}, {6, 2, 3, true, true},
		     {8, 2, 2, true, false}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		for (int distinct = 0; distinct < 2; distinct++) {
			struct approval approval =
			    ways(cases[i].stages, cases[i].asks, cases[i].steps, cases[i].all, distinct);

			assert_int_equal(approval_is_well_formed(&approval), cases[i].good || !distinct);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_good_one_is_good_in_every_state_that_it_comes_into),
	    cmocka_unit_test(counts_and_indices_are_in_their_ranges),
	    cmocka_unit_test(quorums_are_of_one_to_a_hundred),
	    cmocka_unit_test(stages_stand_in_the_order_of_their_demands),
	    cmocka_unit_test(a_demand_has_at_most_eight_stages),
	    cmocka_unit_test(every_stage_asks_somebody_from_the_beginning),
	    cmocka_unit_test(steps_and_their_asks_belong_together),
	    cmocka_unit_test(times_are_in_their_order),
	    cmocka_unit_test(what_is_opened_has_no_past),
	    cmocka_unit_test(what_came_of_one_says_how),
	    cmocka_unit_test(there_are_at_most_4096_ways_where_persons_are_distinct),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
