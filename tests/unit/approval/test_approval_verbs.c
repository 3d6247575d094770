/* SPDX-License-Identifier: Apache-2.0 */
/* test_approval_verbs.c - comment, extend, withdraw, revoke: answers that are no votes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/approval/story.h"

enum { ANN = 1, BOB, CYD, LATEST = 3000, GRANT_ENDS = 5000 };

static struct story
two_wanted(void)
{
	struct story story = begin();

	demand(&story);
	story.approval.demands[0].deny_quorum = 2;
	stage(&story, false);
	ask(&story, 2);
	stage(&story, false);
	ask(&story, 1);
	story.approval.latest = LATEST;
	opens(&story);
	return story;
}

/* Three of the first group's rows of refusals, for a verb that operators may use as well. */
static void
expect_for_members_and_operators(struct story *story, struct approval_event event)
{
	event.eligible = 0;
	event.is_operator = false;
	event.excluded = 1;
	expect_refused(story, event, APPROVAL_REFUSAL_EXCLUDED);
	event.excluded = 0;
	expect_refused(story, event, APPROVAL_REFUSAL_NOT_ELIGIBLE);
}

/* ------------------------------------------------------------------ comment */

static void
a_comment_changes_nothing(void **state)
{
	struct story story = two_wanted();
	struct approval before = story.approval;

	(void)state;
	expect(&story, event_of(&story, APPROVAL_COMMENT_GIVEN, ANN, 1), APPROVAL_PENDING, COUNTED);
	assert_int_equal(story.counted, 0);
	assert_memory_equal(&before, &story.approval, sizeof before);
}

static void
a_comment_is_for_who_has_to_do_with_it(void **state)
{
	struct story story = two_wanted();
	struct approval_event event = event_of(&story, APPROVAL_COMMENT_GIVEN, ANN, 2);

	(void)state;
	expect_for_members_and_operators(&story, event);
	expect(&story, event, APPROVAL_PENDING, COUNTED); /* of a stage that is not open */
	event.eligible = 0;
	event.excluded = 1;
	event.is_operator = true;
	expect(&story, event, APPROVAL_PENDING, COUNTED);
	event.is_operator = false;
	event.responder_is_requester = true;
	expect(&story, event, APPROVAL_PENDING, COUNTED);
}

static void
a_comment_may_be_made_whatever_one_answered(void **state)
{
	struct story story = two_wanted();

	(void)state;
	approves(&story, ANN, 1, APPROVAL_PENDING);
	denies(&story, BOB, 1, APPROVAL_PENDING);
	recuses(&story, CYD, 1);
	for (unsigned person = ANN; person <= CYD; person++)
		expect(&story, event_of(&story, APPROVAL_COMMENT_GIVEN, person, 1), APPROVAL_PENDING, COUNTED);
}

static void
a_comment_says_something(void **state)
{
	struct story story = two_wanted();
	struct approval_event event = event_of(&story, APPROVAL_COMMENT_GIVEN, ANN, 0);

	(void)state;
	event.has_reason = false;
	expect_for_members_and_operators(&story, event);
	event.eligible = 1;
	expect_refused(&story, event, APPROVAL_REFUSAL_NO_REASON);
	event.is_operator = event.responder_is_requester = true;
	expect_refused(&story, event, APPROVAL_REFUSAL_NO_REASON);
}

static void
a_comment_takes_no_voters_place(void **state)
{
	struct story story = two_wanted();

	(void)state;
	for (unsigned i = 1; i <= APPROVAL_VOTERS_MAX; i++)
		recuses(&story, i, 1);
	expect(&story, event_of(&story, APPROVAL_COMMENT_GIVEN, 200, 1), APPROVAL_PENDING, COUNTED);
}

/* ------------------------------------------------------------------ extend */

static struct approval_event
extension(const struct story *story, unsigned person, uint32_t eligible, int64_t deadline)
{
	struct approval_event event = event_of(story, APPROVAL_EXTEND_GIVEN, person, eligible);

	event.deadline = deadline;
	return event;
}

static void
a_later_deadline_is_given(void **state)
{
	struct story story = two_wanted();

	(void)state;
	expect(&story, extension(&story, ANN, 1, DEADLINE + 1), APPROVAL_PENDING,
	       COUNTED | APPROVAL_EFFECT_EXTEND);
	assert_int_equal(story.approval.deadline, DEADLINE + 1);
	expect_refused(&story, extension(&story, ANN, 1, DEADLINE + 1), APPROVAL_REFUSAL_NOT_LATER);
	expect_refused(&story, extension(&story, ANN, 1, DEADLINE), APPROVAL_REFUSAL_NOT_LATER);
	expect_refused(&story, extension(&story, ANN, 1, LATEST + 1), APPROVAL_REFUSAL_BEYOND_MAXIMUM);
	expect(&story, extension(&story, ANN, 1, LATEST), APPROVAL_PENDING, COUNTED | APPROVAL_EFFECT_EXTEND);
	expect_refused(&story, extension(&story, ANN, 1, INT64_MAX), APPROVAL_REFUSAL_BEYOND_MAXIMUM);
	assert_int_equal(story.approval.voter_count, 0);
	story.now = DEADLINE;
	approves(&story, ANN, 1, APPROVAL_PENDING);
	story.now = LATEST - 1;
	approves(&story, BOB, 1 | 2, APPROVAL_APPROVED);
}

static void
extending_is_for_who_may_vote_now_and_for_operators(void **state)
{
	struct story story = two_wanted();
	struct approval_event event = extension(&story, ANN, 2, DEADLINE + 1);

	(void)state;
	expect_for_members_and_operators(&story, event);
	expect_refused(&story, event, APPROVAL_REFUSAL_STAGE);
	recuses(&story, ANN, 2);
	event.voter = 0;
	expect_refused(&story, event, APPROVAL_REFUSAL_RECUSED);
	event.is_operator = true;
	expect(&story, event, APPROVAL_PENDING, COUNTED | APPROVAL_EFFECT_EXTEND);
	event.responder_is_requester = true;
	expect_refused(&story, event, APPROVAL_REFUSAL_REQUESTER);
}

static void
who_voted_may_extend(void **state)
{
	struct story story = two_wanted();

	(void)state;
	approves(&story, ANN, 1, APPROVAL_PENDING);
	denies(&story, BOB, 1, APPROVAL_PENDING);
	expect(&story, extension(&story, ANN, 1, DEADLINE + 1), APPROVAL_PENDING,
	       COUNTED | APPROVAL_EFFECT_EXTEND);
	expect(&story, extension(&story, BOB, 1, DEADLINE + 2), APPROVAL_PENDING,
	       COUNTED | APPROVAL_EFFECT_EXTEND);
	assert_int_equal(approval_votes(&story.approval, 0), 1);
}

static void
what_is_firm_is_not_extended(void **state)
{
	struct story firm = two_wanted(), endless = two_wanted(), past = two_wanted();

	(void)state;
	firm.approval.latest = 0;
	expect_refused(&firm, extension(&firm, ANN, 1, DEADLINE + 1), APPROVAL_REFUSAL_NOT_EXTENDABLE);
	expect_refused(&firm, extension(&firm, ANN, 1, DEADLINE), APPROVAL_REFUSAL_NOT_EXTENDABLE);
	endless.approval.deadline = 0;
	expect_refused(&endless, extension(&endless, ANN, 1, DEADLINE + 1), APPROVAL_REFUSAL_NOT_EXTENDABLE);
	past.approval.latest = DEADLINE - 1;
	expect_refused(&past, extension(&past, ANN, 1, DEADLINE + 1), APPROVAL_REFUSAL_BEYOND_MAXIMUM);
	assert_int_equal(past.approval.deadline, DEADLINE);
}

/* ------------------------------------------------------------------ withdraw */

static void
only_the_agents_own_key_takes_its_request_back(void **state)
{
	struct story story = two_wanted();
	struct approval_event event = event_of(&story, APPROVAL_WITHDRAW_GIVEN, ANN, 1);

	(void)state;
	event.is_operator = event.responder_is_requester = true;
	event.has_reason = false;
	expect_refused(&story, event, APPROVAL_REFUSAL_NOT_REQUESTER);
	event.requester_verified = true;
	expect(&story, event, APPROVAL_CANCELLED, COUNTED | ENDED(CANCEL));
	assert_int_equal(story.approval.voter_count, 0);
	expect_refused(&story, event, APPROVAL_REFUSAL_DECIDED);
}

/* ------------------------------------------------------------------ revoke */

static struct story
granted(void)
{
	struct story story = two_wanted();

	recuses(&story, CYD, 1);
	approves(&story, ANN, 1, APPROVAL_PENDING);
	approves(&story, BOB, 3, APPROVAL_APPROVED);
	story.approval.grant_ends = GRANT_ENDS;
	return story;
}

static void
nothing_is_revoked_that_was_not_granted(void **state)
{
	struct story story = two_wanted();
	struct approval_event event = event_of(&story, APPROVAL_REVOKE_GIVEN, ANN, 1);

	(void)state;
	event.is_operator = true;
	expect_refused(&story, event, APPROVAL_REFUSAL_NOT_GRANTED);
	event.digest_matches = false;
	expect_refused(&story, event, APPROVAL_REFUSAL_OTHER_DIGEST);
}

static void
who_approved_may_revoke_and_so_may_operators(void **state)
{
	struct story story = granted();
	struct approval_event event = event_of(&story, APPROVAL_REVOKE_GIVEN, 9, 3);

	(void)state;
	expect_refused(&story, event, APPROVAL_REFUSAL_NOT_APPROVER);
	expect_refused(&story, event_of(&story, APPROVAL_REVOKE_GIVEN, CYD, 3), APPROVAL_REFUSAL_NOT_APPROVER);
	event.digest_matches = false;
	expect_refused(&story, event, APPROVAL_REFUSAL_OTHER_DIGEST);
	event.digest_matches = event.is_operator = true;
	expect(&story, event, APPROVAL_REVOKED, COUNTED | ENDED(REVOKE));
	story = granted();
	event = event_of(&story, APPROVAL_REVOKE_GIVEN, ANN, 0); /* he left the group meanwhile */
	expect(&story, event, APPROVAL_REVOKED, COUNTED | ENDED(REVOKE));
	expect_refused(&story, event, APPROVAL_REFUSAL_DECIDED);
}

static void
who_took_the_approve_back_did_not_approve(void **state)
{
	struct story story = two_wanted();

	(void)state;
	approves(&story, ANN, 1, APPROVAL_PENDING);
	denies(&story, ANN, 1, APPROVAL_PENDING);
	approves(&story, BOB, 3, APPROVAL_PENDING);
	recuses(&story, BOB, 3);
	approves(&story, CYD, 3, APPROVAL_PENDING);
	approves(&story, 7, 1, APPROVAL_APPROVED);
	story.approval.grant_ends = GRANT_ENDS;
	expect_refused(&story, event_of(&story, APPROVAL_REVOKE_GIVEN, ANN, 1), APPROVAL_REFUSAL_NOT_APPROVER);
	expect_refused(&story, event_of(&story, APPROVAL_REVOKE_GIVEN, BOB, 1), APPROVAL_REFUSAL_NOT_APPROVER);
}

static void
an_authorization_that_has_ended_is_not_revoked(void **state)
{
	struct story story = granted();
	struct approval_event event = event_of(&story, APPROVAL_REVOKE_GIVEN, 9, 0);

	(void)state;
	event.now = GRANT_ENDS;
	expect_refused(&story, event, APPROVAL_REFUSAL_NOT_APPROVER); /* is said first */
	event.is_operator = true;
	expect_refused(&story, event, APPROVAL_REFUSAL_OVER);
	event.now = GRANT_ENDS - 1; /* long after the deadline of the question */
	expect(&story, event, APPROVAL_REVOKED, COUNTED | ENDED(REVOKE));
}

/* ------------------------------------------------------------------ override and review */

static struct story
overridable(void)
{
	struct story story = two_wanted();

	for (unsigned i = 0; i < story.approval.demand_count; i++)
		story.approval.demands[i].overridable = true;
	return story;
}

static struct approval_event
override_of(const struct story *story, unsigned person)
{
	struct approval_event event = event_of(story, APPROVAL_OVERRIDE_GIVEN, person, 0);

	event.overrides = 0xffff;
	return event;
}

static void
one_of_the_override_group_goes_past_everybody(void **state)
{
	struct story story = overridable();
	struct approval_event event = override_of(&story, 9);

	(void)state;
	event.has_reason = false;
	expect_refused(&story, event, APPROVAL_REFUSAL_NO_REASON);
	event.has_reason = true;
	event.overrides = 0;
	expect_refused(&story, event, APPROVAL_REFUSAL_NOT_ELIGIBLE);
	event.override_excluded = 0xffff;
	expect_refused(&story, event, APPROVAL_REFUSAL_EXCLUDED);
	event.overrides = 0xffff;
	event.responder_is_requester = true;
	expect_refused(&story, event, APPROVAL_REFUSAL_REQUESTER);
	event.responder_is_requester = false;
	expect(&story, event, APPROVAL_APPROVED, COUNTED | ENDED(GRANT) | APPROVAL_EFFECT_OVERRIDE);
	assert_true(story.approval.overridden);
	assert_false(story.approval.reviewed);
}

static void
every_demand_must_let_it(void **state)
{
	struct story story = overridable();
	struct approval_event event = override_of(&story, 9);

	(void)state;
	story.approval.demands[0].overridable = false;
	expect_refused(&story, event, APPROVAL_REFUSAL_NOT_OVERRIDABLE);
}

static void
who_denied_or_stepped_aside_overrides_nothing(void **state)
{
	struct story story = overridable();

	(void)state;
	story.approval.demands[0].deny_quorum = 2;
	denies(&story, ANN, 1, APPROVAL_PENDING);
	recuses(&story, BOB, 1);
	expect_refused(&story, override_of(&story, ANN), APPROVAL_REFUSAL_DENIED_BEFORE);
	expect_refused(&story, override_of(&story, BOB), APPROVAL_REFUSAL_RECUSED);
}

static void
another_who_was_asked_reviews_it_once(void **state)
{
	struct story story = overridable();
	struct approval_event event;

	(void)state;
	expect_refused(&story, event_of(&story, APPROVAL_REVIEW_GIVEN, BOB, 1),
		       APPROVAL_REFUSAL_NOT_OVERRIDDEN);
	story.place[9] = story.approval.voter_count + 1;
	event = override_of(&story, 9);
	event.voter = story.approval.voter_count;
	expect(&story, event, APPROVAL_APPROVED, COUNTED | ENDED(GRANT) | APPROVAL_EFFECT_OVERRIDE);
	expect_refused(&story, event_of(&story, APPROVAL_REVIEW_GIVEN, 9, 1), APPROVAL_REFUSAL_OVERRIDER);
	expect_refused(&story, event_of(&story, APPROVAL_REVIEW_GIVEN, BOB, 0), APPROVAL_REFUSAL_NOT_ELIGIBLE);
	event = event_of(&story, APPROVAL_REVIEW_GIVEN, BOB, 1);
	event.has_reason = false;
	expect_refused(&story, event, APPROVAL_REFUSAL_NO_REASON);
	event.has_reason = true;
	expect(&story, event, APPROVAL_APPROVED, COUNTED | APPROVAL_EFFECT_REVIEW);
	expect_refused(&story, event_of(&story, APPROVAL_REVIEW_GIVEN, CYD, 1), APPROVAL_REFUSAL_REVIEWED);
}

static void
who_overrode_may_revoke_and_it_is_reviewed_all_the_same(void **state)
{
	struct story story = overridable();
	struct approval_event event = override_of(&story, 9);

	(void)state;
	story.place[9] = story.approval.voter_count + 1;
	expect(&story, event, APPROVAL_APPROVED, COUNTED | ENDED(GRANT) | APPROVAL_EFFECT_OVERRIDE);
	story.approval.grant_ends = GRANT_ENDS;
	expect(&story, event_of(&story, APPROVAL_REVOKE_GIVEN, 9, 0), APPROVAL_REVOKED,
	       COUNTED | ENDED(REVOKE));
	assert_true(story.approval.overridden);
	expect(&story, event_of(&story, APPROVAL_REVIEW_GIVEN, BOB, 1), APPROVAL_REVOKED,
	       COUNTED | APPROVAL_EFFECT_REVIEW);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_comment_changes_nothing),
	    cmocka_unit_test(a_comment_is_for_who_has_to_do_with_it),
	    cmocka_unit_test(a_comment_may_be_made_whatever_one_answered),
	    cmocka_unit_test(a_comment_says_something),
	    cmocka_unit_test(a_comment_takes_no_voters_place),
	    cmocka_unit_test(a_later_deadline_is_given),
	    cmocka_unit_test(extending_is_for_who_may_vote_now_and_for_operators),
	    cmocka_unit_test(who_voted_may_extend),
	    cmocka_unit_test(what_is_firm_is_not_extended),
	    cmocka_unit_test(only_the_agents_own_key_takes_its_request_back),
	    cmocka_unit_test(nothing_is_revoked_that_was_not_granted),
	    cmocka_unit_test(who_approved_may_revoke_and_so_may_operators),
	    cmocka_unit_test(who_took_the_approve_back_did_not_approve),
	    cmocka_unit_test(an_authorization_that_has_ended_is_not_revoked),
	    cmocka_unit_test(one_of_the_override_group_goes_past_everybody),
	    cmocka_unit_test(every_demand_must_let_it),
	    cmocka_unit_test(who_denied_or_stepped_aside_overrides_nothing),
	    cmocka_unit_test(another_who_was_asked_reviews_it_once),
	    cmocka_unit_test(who_overrode_may_revoke_and_it_is_reviewed_all_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
