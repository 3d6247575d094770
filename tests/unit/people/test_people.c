/* SPDX-License-Identifier: Apache-2.0 */
/* test_people.c - which demands can be met by the people that there are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "common/people/people.h"

#define MINUTE INT64_C(60000000)

static struct policy_ask managers[] = {{"managers", 1, NULL}},
			 both[] = {{"managers", 1, NULL}, {"legal", 2, NULL}}, legal[] = {{"legal", 1, NULL}};
static struct policy_stage any[] = {{both, 2, false}}, all[] = {{both, 2, true}},
			   two[] = {{managers, 1, false}, {legal, 1, false}};
static struct policy_step added[] = {{MINUTE, {"board", 1, NULL}, POLICY_ESCALATE_ADD}},
			  told[] = {{MINUTE, {"board", 1, NULL}, POLICY_ESCALATE_NOTIFY}};

static bool
met(struct policy_profile terms, const struct people_answerers *asks)
{
	struct policy_requirement wanted = {.profile = "p", .terms = &terms};

	terms.deny_quorum = 1;
	return people_can_meet(&wanted, asks);
}

static void
every_stage_must_have_enough(void **state)
{
	struct people_answerers asks[] = {{.count = 1}, {.count = 1}};

	(void)state;
	assert_true(met((struct policy_profile){.stages = any, .stage_count = 1}, asks));
	assert_false(met((struct policy_profile){.stages = all, .stage_count = 1}, asks));
	assert_true(met((struct policy_profile){.stages = two, .stage_count = 2}, asks));
	asks[1].count = 0;
	assert_false(met((struct policy_profile){.stages = two, .stage_count = 2}, asks));
	asks[0].count = 0;
	assert_false(met((struct policy_profile){.stages = any, .stage_count = 1}, asks));
}

static void
a_step_that_asks_is_one_more_way_to_meet_the_only_stage(void **state)
{
	const struct people_answerers asks[] = {{.count = 0}, {.count = 0}, {.count = 1}};

	(void)state;
	assert_true(met(
	    (struct policy_profile){.stages = all, .stage_count = 1, .steps = added, .step_count = 1}, asks));
	assert_false(met(
	    (struct policy_profile){.stages = all, .stage_count = 1, .steps = told, .step_count = 1}, asks));
	assert_false(met(
	    (struct policy_profile){.stages = two, .stage_count = 2, .steps = added, .step_count = 1}, asks));
}

static void
distinct_takes_distinct_people(void **state)
{
	static const char *const one[] = {"ada", "ben"}, *const other[] = {"ada", "ben", "cleo"};
	struct people_answerers asks[] = {{2, one, 2}, {2, one, 2}};
	struct policy_profile terms = {.stages = all, .stage_count = 1, .distinct = true};

	(void)state;
	assert_int_equal(people_that_matter(&terms), 3);
	assert_false(met(terms, asks));
	asks[1] = (struct people_answerers){3, other, 3};
	assert_true(met(terms, asks));
	asks[0] = (struct people_answerers){1, other + 2, 1}; /* then ada and ben are the lawyers */
	assert_true(met(terms, asks));
	asks[1] = (struct people_answerers){2, other + 1, 2};
	assert_false(met(terms, asks));
	terms.distinct = false;
	assert_true(met(terms, asks));
	assert_int_equal(people_that_matter(&terms), 0);
}

static void
distinct_stages_share_nobody_either(void **state)
{
	static const char *const ada[] = {"ada"}, *const ben[] = {"ben"};
	struct people_answerers asks[] = {{1, ada, 1}, {1, ada, 1}};
	struct policy_profile terms = {.stages = two, .stage_count = 2, .distinct = true};

	(void)state;
	assert_false(met(terms, asks));
	asks[1].persons = ben;
	assert_true(met(terms, asks));
}

static void
more_people_than_an_approval_has_voters_are_not_nobody(void **state)
{
	static struct policy_ask groups[12];
	static struct policy_stage whole[] = {{groups, 12, true}};
	static const char *names[144];
	static char texts[144][8];
	struct people_answerers asks[12];

	(void)state;
	for (size_t i = 0; i < 144; i++) {
		snprintf(texts[i], sizeof texts[i], "p%zu", i);
		names[i] = texts[i];
	}
	for (size_t i = 0; i < 12; i++) {
		groups[i] = (struct policy_ask){texts[i], 1, NULL};
		asks[i] = (struct people_answerers){12, names + 12 * i, 12};
	}
	assert_true(met((struct policy_profile){.stages = whole, .stage_count = 1, .distinct = true}, asks));
	asks[11] = (struct people_answerers){0, NULL, 0};
	assert_false(met((struct policy_profile){.stages = whole, .stage_count = 1, .distinct = true}, asks));
}

int
main(void)
{
	const struct CMUnitTest stories[] = {
	    cmocka_unit_test(every_stage_must_have_enough),
	    cmocka_unit_test(a_step_that_asks_is_one_more_way_to_meet_the_only_stage),
	    cmocka_unit_test(distinct_takes_distinct_people),
	    cmocka_unit_test(distinct_stages_share_nobody_either),
	    cmocka_unit_test(more_people_than_an_approval_has_voters_are_not_nobody),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
