/* SPDX-License-Identifier: Apache-2.0 */
/* test_asking.c - what profiles demand becomes one approval, is known again, and is told in words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/asking/asking.h"

#define SECOND INT64_C(1000000)
#define OPENED (INT64_C(1790000000) * SECOND)

static struct policy_ask managers[] = {{"managers", 1, NULL}},
			 rest[] = {{"directors", 2, NULL}, {"legal", 1, NULL}};
static struct policy_stage stages[] = {{managers, 1, false}, {rest, 2, true}};
static struct policy_step steps[] = {{60 * SECOND, {"board", 1, NULL}, POLICY_ESCALATE_ADD},
				     {90 * SECOND, {"everybody", 1, NULL}, POLICY_ESCALATE_NOTIFY}};

static struct policy_profile
staged(void)
{
	return (struct policy_profile){.name = "staged",
				       .stages = stages,
				       .stage_count = 2,
				       .distinct = true,
				       .require_reason = true,
				       .deny_quorum = 2,
				       .steps = steps,
				       .step_count = 2};
}

static struct policy_profile
plain(void)
{
	return (struct policy_profile){.name = "plain", .stages = stages, .stage_count = 1, .deny_quorum = 1};
}

static struct policy_requirement
by(const struct policy_profile *profile)
{
	return (struct policy_requirement){.profile = profile->name, .policy = "p", .terms = profile};
}

static struct approval
opened(struct asking *asking)
{
	struct approval approval = {.opened_at = OPENED, .deadline = OPENED + 3600 * SECOND};
	struct policy_profile first = plain(), second = staged();
	struct policy_requirement one = by(&first), other = by(&second);

	*asking = (struct asking){0};
	assert_true(asking_add(&approval, asking, &one, OPENED));
	assert_true(asking_add(&approval, asking, &other, OPENED));
	return approval;
}

static void
demands_stand_behind_each_other_and_are_well_formed(void **state)
{
	struct asking asking;
	struct approval approval = opened(&asking);

	(void)state;
	assert_true(approval_is_well_formed(&approval));
	assert_int_equal(approval.demand_count, 2);
	assert_int_equal(approval.stage_count, 3);
	assert_int_equal(approval.ask_count, 5);
	assert_int_equal(approval.step_count, 2);
	assert_true(approval.demands[1].distinct && approval.demands[1].require_reason
		    && !approval.demands[0].distinct);
	assert_int_equal(approval.demands[1].deny_quorum, 2);
	assert_int_equal(approval.stages[2].demand, 1);
	assert_true(approval.stages[2].all && !approval.stages[1].all);
	assert_true(approval.asks[4].of_step && !approval.asks[4].active);
	assert_string_equal(asking.groups[4], "board");
	assert_int_equal(approval.steps[0].at, OPENED + 60 * SECOND);
	assert_int_equal(approval.steps[0].ask, 4);
	assert_int_equal(approval.steps[1].kind, APPROVAL_STEP_NOTIFY);
	assert_string_equal(asking.step_groups[1], "everybody");
}

static void
an_override_group_comes_with_its_demand(void **state)
{
	struct asking asking;
	struct approval approval = opened(&asking);
	struct policy_profile third = plain();
	struct policy_requirement more = by(&third);

	(void)state;
	third.override = "breakers";
	assert_true(asking_add(&approval, &asking, &more, OPENED));
	assert_true(approval.demands[2].overridable && !approval.demands[0].overridable);
	assert_string_equal(asking.overrides[2], "breakers");
	assert_null(asking.overrides[0]);
}

static void
steps_of_several_are_in_the_order_of_their_times_and_keep_their_rows(void **state)
{
	struct asking asking;
	struct approval approval = opened(&asking);
	struct policy_step early[] = {{30 * SECOND, {"board", 2, NULL}, POLICY_ESCALATE_REPLACE}};
	struct policy_profile third = plain();
	struct policy_requirement more;

	(void)state;
	third.steps = early;
	third.step_count = 1;
	more = by(&third);
	assert_true(asking_add(&approval, &asking, &more, OPENED));
	assert_true(approval_is_well_formed(&approval));
	assert_int_equal(approval.steps[0].at, OPENED + 30 * SECOND);
	assert_int_equal(asking.step_rows[0], 2);
	assert_int_equal(asking.step_rows[1], 0);
	assert_int_equal(asking.step_rows[2], 1);
	assert_true(asking_has(&approval, &asking, &more));
}

static void
what_is_demanded_already_is_known_whatever_its_name(void **state)
{
	struct asking asking;
	struct approval approval = opened(&asking);
	struct policy_profile same = staged(), other;
	struct policy_requirement wanted = by(&same);

	(void)state;
	same.name = "renamed";
	assert_true(asking_has(&approval, &asking, &wanted));
	wanted.terms = &other;
	other = staged();
	other.distinct = false;
	assert_false(asking_has(&approval, &asking, &wanted));
	other = staged();
	other.require_reason = false;
	assert_false(asking_has(&approval, &asking, &wanted));
	other = staged();
	other.deny_quorum = 1;
	assert_false(asking_has(&approval, &asking, &wanted));
	other = staged();
	other.override = "breakers";
	assert_false(asking_has(&approval, &asking, &wanted));
	asking.overrides[1] = "breakers";
	assert_true(asking_has(&approval, &asking, &wanted));
	asking.overrides[1] = "others";
	assert_false(asking_has(&approval, &asking, &wanted));
	asking.overrides[1] = NULL;
	other = staged();
	other.stage_count = 1;
	assert_false(asking_has(&approval, &asking, &wanted));
	other = staged();
	other.step_count = 1;
	assert_false(asking_has(&approval, &asking, &wanted));
	struct policy_stage more[] = {
	    {managers, 1, false}, {(struct policy_ask[]){{"directors", 3, NULL}, {"legal", 1, NULL}}, 2, true}};
	other = staged();
	other.stages = more;
	assert_false(asking_has(&approval, &asking, &wanted));
	more[1].asks[0].quorum = 2;
	assert_true(asking_has(&approval, &asking, &wanted));
	more[1].all = false;
	assert_false(asking_has(&approval, &asking, &wanted));
	more[0].all = true; /* of one group all and any are the same */
	more[1].all = true;
	assert_true(asking_has(&approval, &asking, &wanted));
	struct policy_step later[] = {steps[0], steps[1]};
	later[0].after++;
	other = staged();
	other.steps = later;
	assert_false(asking_has(&approval, &asking, &wanted));
}

static void
what_comes_later_counts_its_times_from_then(void **state)
{
	struct asking asking;
	struct approval approval = opened(&asking);
	struct policy_step slow[] = {{5 * SECOND, {"board", 2, NULL}, POLICY_ESCALATE_ADD}};
	struct policy_profile late = plain();
	struct policy_requirement more = by(&late);

	(void)state;
	late.steps = slow;
	late.step_count = 1;
	approval.steps_taken = 1;
	approval.steps[0].stage = 1;
	approval.asks[4].stage = 1;
	approval.asks[4].active = true;
	approval.state = APPROVAL_PENDING;
	assert_true(asking_add(&approval, &asking, &more, OPENED + 70 * SECOND));
	assert_true(approval_is_well_formed(&approval));
	assert_int_equal(approval.steps[1].at, OPENED + 75 * SECOND);
	assert_int_equal(asking.since[2], OPENED + 70 * SECOND);
	assert_true(asking_has(&approval, &asking, &more));
}

static void
what_does_not_fit_changes_nothing(void **state)
{
	struct asking asking = {0};
	struct approval approval = {.opened_at = OPENED}, before;
	struct policy_profile one = staged();
	struct policy_requirement more = by(&one);
	unsigned added = 0;

	(void)state;
	do {
		before = approval;
	} while (asking_add(&approval, &asking, &more, OPENED) && ++added < 100);
	assert_int_equal(added, 8); /* 4 asks each */
	assert_memory_equal(&before, &approval, sizeof before);
	assert_true(approval_is_well_formed(&approval));
}

static void
needs_say_the_stage_of_their_profile_and_what_is_open(void **state)
{
	struct asking asking;
	struct approval approval = opened(&asking);
	struct arena *arena = arena_open();
	size_t count;
	const struct notice_need *needs;

	(void)state;
	approval.state = APPROVAL_PENDING;
	approval.voter_count = 1;
	approval.voters[0] = (struct approval_voter){APPROVAL_VOTE_APPROVE, 0x3};
	needs = asking_needs(arena, &approval, &asking, &count);
	assert_int_equal(count, 4);
	assert_string_equal(needs[0].profile, "plain");
	assert_int_equal(needs[0].votes, 1);
	assert_true(needs[0].open && needs[0].stage == 1 && !needs[0].all);
	assert_string_equal(needs[3].group, "legal");
	assert_true(needs[3].open && needs[3].stage == 2 && needs[3].all && needs[3].distinct);
	approval.voter_count = 0;
	needs = asking_needs(arena, &approval, &asking, &count);
	assert_true(needs[1].open && !needs[2].open);
	approval.state = APPROVAL_DENIED;
	needs = asking_needs(arena, &approval, &asking, &count);
	assert_false(needs[1].open);
	arena_close(arena);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(demands_stand_behind_each_other_and_are_well_formed),
	    cmocka_unit_test(an_override_group_comes_with_its_demand),
	    cmocka_unit_test(steps_of_several_are_in_the_order_of_their_times_and_keep_their_rows),
	    cmocka_unit_test(what_is_demanded_already_is_known_whatever_its_name),
	    cmocka_unit_test(what_comes_later_counts_its_times_from_then),
	    cmocka_unit_test(what_does_not_fit_changes_nothing),
	    cmocka_unit_test(needs_say_the_stage_of_their_profile_and_what_is_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
