/* SPDX-License-Identifier: Apache-2.0 */
/* test_approval_stages.c - stages in their order, all_of and any_of, and persons who count for one ask only. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/approval/story.h"

enum { ANN = 1, BOB, CYD, DAN, EVE, FAY };

/* ------------------------------------------------------------------ stages */

static void
stages_open_one_after_the_other(void **state)
{
	struct story story = begin();
	uint32_t first, second, third;

	(void)state;
	demand(&story);
	stage(&story, false);
	first = ask(&story, 1);
	stage(&story, false);
	second = ask(&story, 1);
	stage(&story, false);
	third = ask(&story, 1);
	opens(&story);
	assert_int_equal(approval_open_asks(&story.approval), first);
	expect_refused(&story, event_of(&story, APPROVAL_APPROVE_GIVEN, ANN, second), APPROVAL_REFUSAL_STAGE);
	expect_refused(&story, event_of(&story, APPROVAL_DENY_GIVEN, ANN, second | third),
		       APPROVAL_REFUSAL_STAGE);
	approves(&story, BOB, first, APPROVAL_PENDING);
	assert_int_equal(approval_open_asks(&story.approval), first | second);
	assert_int_equal(approval_current_stage(&story.approval, 0), 1);
	approves(&story, ANN, second, APPROVAL_PENDING);
	assert_int_equal(approval_open_asks(&story.approval), first | second | third);
	approves(&story, CYD, third, APPROVAL_APPROVED);
}

static void
an_approve_counts_for_later_stages_too(void **state)
{
	struct story story = begin();

	(void)state;
	demand(&story);
	stage(&story, false);
	ask(&story, 2);
	stage(&story, false);
	ask(&story, 1);
	opens(&story);
	approves(&story, ANN, 3, APPROVAL_PENDING);
	assert_int_equal(story.counted, 3);
	assert_int_equal(approval_current_stage(&story.approval, 0), 0);
	approves(&story, BOB, 1, APPROVAL_APPROVED);
}

static void
a_stage_that_is_met_no_more_is_open_again(void **state)
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
	approves(&story, ANN, 1, APPROVAL_PENDING);
	assert_int_equal(approval_open_asks(&story.approval), 3);
	denies(&story, ANN, 1, APPROVAL_PENDING);
	assert_int_equal(approval_open_asks(&story.approval), 1);
	expect_refused(&story, event_of(&story, APPROVAL_APPROVE_GIVEN, BOB, 2), APPROVAL_REFUSAL_STAGE);
	approves(&story, CYD, 1, APPROVAL_PENDING);
	approves(&story, BOB, 2, APPROVAL_APPROVED);
}

static void
each_demand_has_a_stage_of_its_own_that_is_open(void **state)
{
	struct story story = begin();

	(void)state;
	for (int i = 0; i < 2; i++) {
		demand(&story);
		stage(&story, false);
		ask(&story, 1);
		stage(&story, false);
		ask(&story, 1);
	}
	opens(&story);
	assert_int_equal(approval_open_asks(&story.approval), 1 | 4);
	approves(&story, ANN, 4, APPROVAL_PENDING);
	assert_int_equal(approval_current_stage(&story.approval, 0), 0);
	assert_int_equal(approval_current_stage(&story.approval, 1), 3);
	approves(&story, BOB, 8, APPROVAL_PENDING);
	assert_int_equal(approval_open_asks(&story.approval), 1 | 4 | 8);
	approves(&story, CYD, 1, APPROVAL_PENDING);
	approves(&story, DAN, 2, APPROVAL_APPROVED);
}

static void
all_of_wants_every_ask_and_any_of_one(void **state)
{
	(void)state;
	for (int all = 0; all < 2; all++) {
		struct story story = begin();

		demand(&story);
		stage(&story, all);
		ask(&story, 2);
		ask(&story, 1);
		opens(&story);
		assert_int_equal(approval_open_asks(&story.approval), 3);
		approves(&story, ANN, 1, APPROVAL_PENDING);
		if (all) {
			approves(&story, BOB, 2, APPROVAL_PENDING);
			approves(&story, CYD, 1, APPROVAL_APPROVED);
		} else {
			approves(&story, BOB, 2, APPROVAL_APPROVED);
		}
	}
}

/* Two of one group, or one of another: one of each is not enough of the first, but enough of the second. */
static void
votes_for_alternatives_are_not_added_up(void **state)
{
	struct story story = begin();

	(void)state;
	demand(&story);
	stage(&story, false);
	ask(&story, 3);
	ask(&story, 3);
	opens(&story);
	approves(&story, ANN, 1, APPROVAL_PENDING);
	approves(&story, BOB, 1, APPROVAL_PENDING);
	approves(&story, CYD, 2, APPROVAL_PENDING);
	approves(&story, DAN, 2, APPROVAL_PENDING);
	approves(&story, EVE, 1, APPROVAL_APPROVED);
}

/* ------------------------------------------------------------------ distinct */

static struct story
two_stages(bool distinct)
{
	struct story story = begin();

	demand(&story);
	story.approval.demands[0].distinct = distinct;
	stage(&story, false);
	ask(&story, 1);
	stage(&story, false);
	ask(&story, 1);
	opens(&story);
	return story;
}

static void
one_person_meets_two_stages_only_where_it_is_not_distinct(void **state)
{
	struct story once = two_stages(true), twice = two_stages(false);

	(void)state;
	approves(&twice, ANN, 3, APPROVAL_APPROVED);
	approves(&once, ANN, 3, APPROVAL_PENDING);
	assert_int_equal(approval_current_stage(&once.approval, 0), 1);
	assert_int_equal(approval_votes(&once.approval, 0), 1);
	assert_int_equal(approval_votes(&once.approval, 1), 1);
	expect_repeated(&once, event_of(&once, APPROVAL_APPROVE_GIVEN, ANN, 3));
	approves(&once, BOB, 1, APPROVAL_APPROVED); /* so that Ann can be spared for the second */
}

static void
demands_do_not_share_persons_out(void **state)
{
	struct story story = begin();

	(void)state;
	for (int i = 0; i < 2; i++) {
		plain_demand(&story, 1);
		story.approval.demands[i].distinct = true;
	}
	opens(&story);
	approves(&story, ANN, 3, APPROVAL_APPROVED);
}

/* Ann can do all, Bob the first two, Cyd the first only: a chain of changes is needed for whoever comes last. */
static void
persons_change_places_for_one_another(void **state)
{
	static const unsigned orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
					     {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
	static const uint32_t able[] = {7, 3, 1};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(orders); i++) {
		struct story story = begin();

		demand(&story);
		story.approval.demands[0].distinct = true;
		stage(&story, true);
		ask(&story, 1);
		ask(&story, 1);
		ask(&story, 1);
		opens(&story);
		for (unsigned j = 0; j < 3; j++)
			approves(&story, ANN + orders[i][j], able[orders[i][j]],
				 j == 2 ? APPROVAL_APPROVED : APPROVAL_PENDING);
	}
}

/* Enough for every ask by itself, enough persons in all, and still not enough: three can do nothing but the first. */
static void
two_asks_can_compete_for_too_few(void **state)
{
	struct story story = begin();

	(void)state;
	demand(&story);
	story.approval.demands[0].distinct = true;
	stage(&story, true);
	ask(&story, 1);
	ask(&story, 2);
	ask(&story, 2);
	opens(&story);
	approves(&story, ANN, 1, APPROVAL_PENDING);
	approves(&story, BOB, 1, APPROVAL_PENDING);
	approves(&story, CYD, 2 | 4, APPROVAL_PENDING);
	approves(&story, DAN, 2 | 4, APPROVAL_PENDING);
	approves(&story, EVE, 2 | 4, APPROVAL_PENDING);
	approves(&story, FAY, 1 | 4, APPROVAL_APPROVED);
}

/*
 * The first stage can be met by the first or the second ask. The first one in the list takes away whom the second stage
 * needs; that the other serves better is found out.
 */
static void
whichever_serves_best(void **state)
{
	struct story story = begin();

	(void)state;
	demand(&story);
	story.approval.demands[0].distinct = true;
	stage(&story, false);
	ask(&story, 1);
	ask(&story, 1);
	stage(&story, false);
	ask(&story, 1);
	opens(&story);
	approves(&story, ANN, 1 | 4, APPROVAL_PENDING);
	assert_int_equal(approval_current_stage(&story.approval, 0), 1);
	approves(&story, BOB, 2, APPROVAL_APPROVED);
}

/* A stage that was met by one way is met by another later: what is open never jumps back by more votes. */
static void
more_approves_never_close_a_stage(void **state)
{
	struct story story = begin();
	unsigned current = 0;

	(void)state;
	demand(&story);
	story.approval.demands[0].distinct = true;
	for (int i = 0; i < 4; i++) {
		stage(&story, i % 2);
		ask(&story, 1);
		ask(&story, 1 + i / 2);
	}
	opens(&story);
	for (unsigned i = 1; story.approval.state == APPROVAL_PENDING; i++) {
		struct approval_event event =
		    event_of(&story, APPROVAL_APPROVE_GIVEN, i, 0xff & (0x9d * i | 3));

		assert_true(i < 40);
		happens(&story, event);
		assert_true(approval_current_stage(&story.approval, 0) >= current);
		current = approval_current_stage(&story.approval, 0);
	}
}

static void
who_steps_aside_is_missed_by_all_that_he_could_have_met(void **state)
{
	struct story story = two_stages(true);

	(void)state;
	approves(&story, ANN, 3, APPROVAL_PENDING);
	recuses(&story, ANN, 3);
	assert_int_equal(approval_current_stage(&story.approval, 0), 0);
	approves(&story, BOB, 1, APPROVAL_PENDING);
	approves(&story, CYD, 2, APPROVAL_APPROVED);
}

static void
an_ask_of_a_step_counts_like_the_others(void **state)
{
	struct story story = begin();
	uint32_t boss;

	(void)state;
	demand(&story);
	story.approval.demands[0].distinct = true;
	stage(&story, true);
	ask(&story, 1);
	ask(&story, 1);
	boss = step_at(&story, 1500, APPROVAL_STEP_ADD, 2);
	stage(&story, false);
	story.approval.asks[story.approval.ask_count++] = (struct approval_ask){1, 1, false, true};
	opens(&story);
	approves(&story, ANN, 1 | boss, APPROVAL_PENDING);
	expect(&story, look(&story, 1500), APPROVAL_PENDING, STEPS | ANNOUNCE);
	approves(&story, BOB, boss | 8, APPROVAL_PENDING);
	assert_int_equal(approval_current_stage(&story.approval, 0), 1); /* both are needed for the step's ask */
	approves(&story, CYD, boss, APPROVAL_APPROVED);			 /* and now Bob is spared */
}

/* ------------------------------------------------------------------ distinct, against every way of giving persons away */

/* Whether `person` and those after it can be given so that what is wanted of each ask is there. */
static bool
can_give(const uint32_t *able, unsigned persons, int64_t *wanted, unsigned asks)
{
	bool all = true;

	for (unsigned i = 0; i < asks; i++)
		all = all && wanted[i] <= 0;
	if (all || persons == 0)
		return all;
	if (can_give(able, persons - 1, wanted, asks))
		return true;
	for (unsigned i = 0; i < asks; i++) {
		bool found;

		if (!(able[persons - 1] & BIT(i)) || wanted[i] <= 0)
			continue;
		wanted[i]--;
		found = can_give(able, persons - 1, wanted, asks);
		wanted[i]++;
		if (found)
			return true;
	}
	return false;
}

/* Every choice of ways of the stages from `stage` to the last. */
static bool
can_meet(const struct approval *approval, const uint32_t *able, unsigned persons, int64_t *wanted,
	 unsigned stage, unsigned stages)
{
	bool met = false;

	if (stage == stages)
		return can_give(able, persons, wanted, approval->ask_count);
	for (unsigned i = 0; i < approval->ask_count && !met; i++) {
		if (approval->asks[i].stage != stage)
			continue;
		for (unsigned j = 0; j < approval->ask_count; j++)
			if (approval->asks[j].stage == stage && (approval->stages[stage].all || i == j))
				wanted[j] = approval->asks[j].quorum;
		met = can_meet(approval, able, persons, wanted, stage + 1, stages);
		for (unsigned j = 0; j < approval->ask_count; j++)
			if (approval->asks[j].stage == stage)
				wanted[j] = 0;
	}
	return met;
}

static unsigned
random_below(uint64_t *seed, unsigned limit)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)((*seed >> 33) % limit);
}

static void
it_is_exact(void **state)
{
	uint64_t seed = 20261201;
	unsigned met = 0, rounds = 4000;

	(void)state;
	for (unsigned round = 0; round < rounds; round++) {
		struct story story = begin();
		struct approval *approval = &story.approval;
		uint32_t able[7];
		unsigned persons = 1 + random_below(&seed, 7), expected = 0;
		unsigned stages = 1 + random_below(&seed, 3);
		int64_t wanted[APPROVAL_ASKS_MAX] = {0};

		demand(&story);
		approval->demands[0].distinct = true;
		for (unsigned i = 0; i < stages; i++) {
			unsigned asks = 1 + random_below(&seed, 3);

			stage(&story, random_below(&seed, 2));
			for (unsigned j = 0; j < asks; j++)
				ask(&story, 1 + random_below(&seed, 2));
		}
		assert_true(approval_is_well_formed(approval));
		approval->state = APPROVAL_PENDING;
		for (unsigned i = 0; i < persons; i++) {
			able[i] = (random_below(&seed, 512) | random_below(&seed, 512))
				  & (BIT(approval->ask_count) - 1);
			approval->voters[approval->voter_count++] =
			    (struct approval_voter){APPROVAL_VOTE_APPROVE, able[i]};
		}
		while (expected < stages && can_meet(approval, able, persons, wanted, 0, expected + 1))
			expected++;
		assert_int_equal(approval_current_stage(approval, 0),
				 expected == stages ? APPROVAL_STAGES_MAX : expected);
		met += expected == stages;
	}
	assert_in_range(met, rounds / 5, rounds * 4 / 5); /* or it says little */
}

/* The most that is asked of it: 12 ways doubled, all but the last stage easy, and 128 persons. */
static void
the_hardest_question_is_answered(void **state)
{
	struct story story = begin();

	(void)state;
	demand(&story);
	story.approval.demands[0].distinct = true;
	for (unsigned i = 0; i < 6; i++) {
		stage(&story, false);
		for (unsigned j = 0; j < 4; j++)
			ask(&story, 18);
	}
	stage(&story, false);
	ask(&story, 21);
	assert_true(approval_is_well_formed(&story.approval));
	opens(&story);
	for (unsigned i = 0; i < APPROVAL_VOTERS_MAX; i++)
		story.approval.voters[story.approval.voter_count++] =
		    (struct approval_voter){APPROVAL_VOTE_APPROVE, BIT(25) - 1};
	assert_int_equal(approval_current_stage(&story.approval, 0), 6);
	story.approval.asks[24].quorum = 20;
	assert_int_equal(approval_current_stage(&story.approval, 0), APPROVAL_STAGES_MAX);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(stages_open_one_after_the_other),
	    cmocka_unit_test(an_approve_counts_for_later_stages_too),
	    cmocka_unit_test(a_stage_that_is_met_no_more_is_open_again),
	    cmocka_unit_test(each_demand_has_a_stage_of_its_own_that_is_open),
	    cmocka_unit_test(all_of_wants_every_ask_and_any_of_one),
	    cmocka_unit_test(votes_for_alternatives_are_not_added_up),
	    cmocka_unit_test(one_person_meets_two_stages_only_where_it_is_not_distinct),
	    cmocka_unit_test(demands_do_not_share_persons_out),
	    cmocka_unit_test(persons_change_places_for_one_another),
	    cmocka_unit_test(two_asks_can_compete_for_too_few),
	    cmocka_unit_test(whichever_serves_best),
	    cmocka_unit_test(more_approves_never_close_a_stage),
	    cmocka_unit_test(who_steps_aside_is_missed_by_all_that_he_could_have_met),
	    cmocka_unit_test(an_ask_of_a_step_counts_like_the_others),
	    cmocka_unit_test(it_is_exact),
	    cmocka_unit_test(the_hardest_question_is_answered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
