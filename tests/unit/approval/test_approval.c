/* SPDX-License-Identifier: Apache-2.0 */
/* test_approval.c - the life of an approval: as stories, and whole, against the same rules written as plain code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/approval/approval.h"
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

enum { NOW = 1000, DEADLINE = 2000 };

#define VOTE APPROVAL_EFFECT_VOTE
#define CLOSE APPROVAL_EFFECT_CLOSE
#define ANNOUNCE APPROVAL_EFFECT_ANNOUNCE
#define GRANT APPROVAL_EFFECT_GRANT
#define DENY APPROVAL_EFFECT_DENY
#define EXPIRE APPROVAL_EFFECT_EXPIRE
#define ASK APPROVAL_EFFECT_ASK

/* Two groups: two of the first, one of the second. */
static struct approval
open_approval(void)
{
	const struct approval_event opening = {
	    .kind = APPROVAL_OPENED, .now = NOW, .deadline = DEADLINE, .requirement_count = 2, .quorums = {2, 1}};
	struct approval nothing = {0};
	struct approval_step step = approval_step(nothing, opening);

	assert_int_equal(step.verdict, APPROVAL_TAKEN);
	assert_int_equal(step.next.state, APPROVAL_PENDING);
	assert_int_equal(step.effects, ANNOUNCE | ASK);
	return step.next;
}

/* A person in the groups of `eligible` who saw the right thing, asked for nothing and did not vote yet. */
static struct approval_event
vote(enum approval_event_kind kind, uint32_t eligible)
{
	return (struct approval_event){.kind = kind, .now = NOW, .eligible = eligible, .digest_matches = true};
}

/* Steps, checks what comes out, and goes on from there. */
static void
expect(struct approval *approval, struct approval_event event, enum approval_verdict verdict,
       enum approval_state state, unsigned effects)
{
	struct approval_step step = approval_step(*approval, event);

	assert_int_equal(step.verdict, verdict);
	assert_int_equal(step.refusal, APPROVAL_REFUSAL_NONE);
	assert_int_equal(step.next.state, state);
	assert_int_equal(step.effects, effects);
	*approval = step.next;
}

static void
expect_refusal(struct approval *approval, struct approval_event event, enum approval_refusal refusal,
	       enum approval_state state, unsigned effects)
{
	struct approval_step step = approval_step(*approval, event);

	assert_int_equal(step.verdict, APPROVAL_REFUSED);
	assert_int_equal(step.refusal, refusal);
	assert_int_equal(step.next.state, state);
	assert_int_equal(step.effects, effects);
	assert_int_equal(step.counted, 0);
	assert_memory_equal(step.next.requirements, approval->requirements, sizeof approval->requirements);
	*approval = step.next;
}

static void
what_was_asked_is_what_was_opened(void **state)
{
	struct approval approval = open_approval();

	(void)state;
	assert_int_equal(approval.deadline, DEADLINE);
	assert_int_equal(approval.requirement_count, 2);
	assert_int_equal(approval.requirements[0].quorum, 2);
	assert_int_equal(approval.requirements[0].votes, 0);
	assert_int_equal(approval.requirements[1].quorum, 1);
	assert_int_equal(approval.requirements[1].votes, 0);
}

static void
it_is_granted_when_every_group_has_its_quorum(void **state)
{
	struct approval approval = open_approval();

	(void)state;
	expect(&approval, vote(APPROVAL_APPROVE_GIVEN, 1), APPROVAL_TAKEN, APPROVAL_PENDING, VOTE | ANNOUNCE);
	expect(&approval, vote(APPROVAL_APPROVE_GIVEN, 1), APPROVAL_TAKEN, APPROVAL_PENDING, VOTE | ANNOUNCE);
	expect(&approval, vote(APPROVAL_APPROVE_GIVEN, 1), APPROVAL_TAKEN, APPROVAL_PENDING, VOTE | ANNOUNCE);
	assert_int_equal(approval.requirements[0].votes, 3);
	assert_int_equal(approval.requirements[1].votes, 0);
	expect(&approval, vote(APPROVAL_APPROVE_GIVEN, 2), APPROVAL_TAKEN, APPROVAL_APPROVED,
	       VOTE | CLOSE | ANNOUNCE | GRANT);
}

static void
a_person_in_both_groups_counts_for_both_but_once(void **state)
{
	struct approval approval = open_approval();
	struct approval_step step = approval_step(approval, vote(APPROVAL_APPROVE_GIVEN, 3));
	struct approval_event again = vote(APPROVAL_APPROVE_GIVEN, 3);

	(void)state;
	assert_int_equal(step.counted, 3);
	assert_int_equal(step.next.state, APPROVAL_PENDING);
	assert_int_equal(step.next.requirements[0].votes, 1);
	assert_int_equal(step.next.requirements[1].votes, 1);
	approval = step.next;

	again.voted_before = true;
	expect(&approval, again, APPROVAL_REPEATED, APPROVAL_PENDING, 0);
	assert_int_equal(approval.requirements[0].votes, 1);
	assert_int_equal(approval_step(approval, again).counted, 0);

	expect(&approval, vote(APPROVAL_APPROVE_GIVEN, 1), APPROVAL_TAKEN, APPROVAL_APPROVED,
	       VOTE | CLOSE | ANNOUNCE | GRANT);
}

static void
who_approved_may_still_deny(void **state)
{
	struct approval approval = open_approval();
	struct approval_event second = vote(APPROVAL_DENY_GIVEN, 1);

	(void)state;
	expect(&approval, vote(APPROVAL_APPROVE_GIVEN, 1), APPROVAL_TAKEN, APPROVAL_PENDING, VOTE | ANNOUNCE);
	second.voted_before = true;
	expect(&approval, second, APPROVAL_TAKEN, APPROVAL_DENIED, VOTE | CLOSE | ANNOUNCE | DENY);
}

static void
one_deny_ends_it_for_good(void **state)
{
	struct approval approval = open_approval();

	(void)state;
	expect(&approval, vote(APPROVAL_APPROVE_GIVEN, 1), APPROVAL_TAKEN, APPROVAL_PENDING, VOTE | ANNOUNCE);
	expect(&approval, vote(APPROVAL_DENY_GIVEN, 2), APPROVAL_TAKEN, APPROVAL_DENIED,
	       VOTE | CLOSE | ANNOUNCE | DENY);
	expect_refusal(&approval, vote(APPROVAL_APPROVE_GIVEN, 3), APPROVAL_REFUSAL_DECIDED, APPROVAL_DENIED,
		       0);
	expect_refusal(&approval, vote(APPROVAL_DENY_GIVEN, 3), APPROVAL_REFUSAL_DECIDED, APPROVAL_DENIED, 0);
}

static void
the_requester_is_refused_even_as_a_member(void **state)
{
	struct approval approval = open_approval();
	struct approval_event event = vote(APPROVAL_APPROVE_GIVEN, 3);

	(void)state;
	event.responder_is_requester = true;
	expect_refusal(&approval, event, APPROVAL_REFUSAL_REQUESTER, APPROVAL_PENDING, 0);
	event.kind = APPROVAL_DENY_GIVEN;
	expect_refusal(&approval, event, APPROVAL_REFUSAL_REQUESTER, APPROVAL_PENDING, 0);
}

static void
only_groups_that_were_asked_count(void **state)
{
	struct approval approval = open_approval();

	(void)state;
	expect_refusal(&approval, vote(APPROVAL_APPROVE_GIVEN, 0), APPROVAL_REFUSAL_NOT_ELIGIBLE,
		       APPROVAL_PENDING, 0);
	expect_refusal(&approval, vote(APPROVAL_DENY_GIVEN, 0), APPROVAL_REFUSAL_NOT_ELIGIBLE,
		       APPROVAL_PENDING, 0);
	/* bits behind the last requirement mean nothing */
	expect_refusal(&approval, vote(APPROVAL_APPROVE_GIVEN, ~UINT32_C(3)), APPROVAL_REFUSAL_NOT_ELIGIBLE,
		       APPROVAL_PENDING, 0);
	expect_refusal(&approval, vote(APPROVAL_DENY_GIVEN, ~UINT32_C(3)), APPROVAL_REFUSAL_NOT_ELIGIBLE,
		       APPROVAL_PENDING, 0);
	assert_int_equal(approval_step(approval, vote(APPROVAL_APPROVE_GIVEN, UINT32_MAX)).counted, 3);
}

static void
at_the_deadline_it_is_over(void **state)
{
	static const int64_t times[] = {DEADLINE - 1, DEADLINE, DEADLINE + 1};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(times); i++) {
		struct approval approve = open_approval(), deny = approve, check = approve, opened = approve;
		struct approval_event event = vote(APPROVAL_APPROVE_GIVEN, 3);

		approve.requirements[0].votes = 1; /* one is missing */
		event.now = times[i];
		if (times[i] < DEADLINE) {
			expect(&approve, event, APPROVAL_TAKEN, APPROVAL_APPROVED,
			       VOTE | CLOSE | ANNOUNCE | GRANT);
			event.kind = APPROVAL_DENY_GIVEN;
			expect(&deny, event, APPROVAL_TAKEN, APPROVAL_DENIED, VOTE | CLOSE | ANNOUNCE | DENY);
			event.kind = APPROVAL_DEADLINE_CHECK;
			expect(&check, event, APPROVAL_REPEATED, APPROVAL_PENDING, 0);
			event.kind = APPROVAL_OPENED;
			expect(&opened, event, APPROVAL_REPEATED, APPROVAL_PENDING, 0);
			continue;
		}
		expect_refusal(&approve, event, APPROVAL_REFUSAL_EXPIRED, APPROVAL_EXPIRED,
			       CLOSE | ANNOUNCE | EXPIRE);
		event.kind = APPROVAL_DENY_GIVEN;
		expect_refusal(&deny, event, APPROVAL_REFUSAL_EXPIRED, APPROVAL_EXPIRED,
			       CLOSE | ANNOUNCE | EXPIRE);
		event.kind = APPROVAL_DEADLINE_CHECK;
		expect(&check, event, APPROVAL_TAKEN, APPROVAL_EXPIRED, CLOSE | ANNOUNCE | EXPIRE);
		event.kind = APPROVAL_OPENED;
		expect_refusal(&opened, event, APPROVAL_REFUSAL_EXPIRED, APPROVAL_EXPIRED,
			       CLOSE | ANNOUNCE | EXPIRE);
	}
}

static void
without_a_deadline_it_stays_open(void **state)
{
	struct approval approval = open_approval();
	struct approval_event check = {.kind = APPROVAL_DEADLINE_CHECK, .now = INT64_MAX};

	(void)state;
	approval.deadline = 0;
	expect(&approval, check, APPROVAL_REPEATED, APPROVAL_PENDING, 0);
}

static void
it_expires_once(void **state)
{
	struct approval approval = open_approval();
	struct approval_event check = {.kind = APPROVAL_DEADLINE_CHECK, .now = DEADLINE};

	(void)state;
	expect(&approval, check, APPROVAL_TAKEN, APPROVAL_EXPIRED, CLOSE | ANNOUNCE | EXPIRE);
	expect(&approval, check, APPROVAL_REPEATED, APPROVAL_EXPIRED, 0);
	/* the clock of the database may go back a little: what is over stays over */
	expect_refusal(&approval, vote(APPROVAL_APPROVE_GIVEN, 3), APPROVAL_REFUSAL_EXPIRED, APPROVAL_EXPIRED,
		       0);
}

static void
what_is_wrong_with_a_response_is_said_in_a_fixed_order(void **state)
{
	/* everything is wrong; from row to row one thing less */
	struct approval approval = open_approval(), decided, expired, none = {0};
	struct approval_event event = {
	    .kind = APPROVAL_APPROVE_GIVEN, .now = DEADLINE, .responder_is_requester = true};

	(void)state;
	decided = expired = approval;
	decided.state = APPROVAL_APPROVED;
	expired.state = APPROVAL_EXPIRED;
	for (int kind = 0; kind < 2; kind++) {
		struct approval_event e = event;

		e.kind = kind ? APPROVAL_DENY_GIVEN : APPROVAL_APPROVE_GIVEN;
		assert_int_equal(approval_step(none, e).refusal, APPROVAL_REFUSAL_NOT_OPEN);
		assert_int_equal(approval_step(approval, e).refusal, APPROVAL_REFUSAL_OTHER_DIGEST);
		assert_int_equal(approval_step(decided, e).refusal, APPROVAL_REFUSAL_OTHER_DIGEST);
		assert_int_equal(approval_step(expired, e).refusal, APPROVAL_REFUSAL_OTHER_DIGEST);
		e.digest_matches = true;
		assert_int_equal(approval_step(approval, e).refusal, APPROVAL_REFUSAL_EXPIRED);
		assert_int_equal(approval_step(expired, e).refusal, APPROVAL_REFUSAL_EXPIRED);
		assert_int_equal(approval_step(decided, e).refusal, APPROVAL_REFUSAL_DECIDED);
		e.now = NOW;
		assert_int_equal(approval_step(approval, e).refusal, APPROVAL_REFUSAL_REQUESTER);
		assert_int_equal(approval_step(decided, e).refusal, APPROVAL_REFUSAL_DECIDED);
		e.responder_is_requester = false;
		assert_int_equal(approval_step(approval, e).refusal, APPROVAL_REFUSAL_NOT_ELIGIBLE);
		e.eligible = 1;
		assert_int_equal(approval_step(approval, e).verdict, APPROVAL_TAKEN);
		e.voted_before = true;
		assert_int_equal(approval_step(approval, e).verdict,
				 e.kind == APPROVAL_APPROVE_GIVEN ? APPROVAL_REPEATED : APPROVAL_TAKEN);
		e.eligible = 0;
		assert_int_equal(approval_step(approval, e).refusal, APPROVAL_REFUSAL_NOT_ELIGIBLE);
	}
}

static void
nothing_is_opened_that_nobody_has_to_approve(void **state)
{
	static const struct {
		unsigned count;
		int64_t quorums[3];
	} bad[] = {{0, {1, 1, 1}},
		   {1, {0}},
		   {1, {-1}},
		   {2, {1, 0}},
		   {3, {1, 1, INT64_MIN}},
		   {APPROVAL_REQUIREMENTS_MAX + 1, {1}},
		   {UINT32_MAX, {1}}};
	struct approval_event event = {.kind = APPROVAL_OPENED, .now = NOW, .deadline = DEADLINE};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		struct approval nothing = {0};

		for (size_t j = 0; j < APPROVAL_REQUIREMENTS_MAX; j++)
			event.quorums[j] = j < 3 ? bad[i].quorums[j] : 1;
		event.requirement_count = bad[i].count;
		expect_refusal(&nothing, event, APPROVAL_REFUSAL_NOT_OPEN, APPROVAL_NONE, 0);
	}
}

static void
a_row_that_asks_nobody_is_never_granted(void **state)
{
	static const unsigned counts[] = {0, APPROVAL_REQUIREMENTS_MAX + 1, 32, 33, UINT32_MAX};
	struct approval approval = {.state = APPROVAL_PENDING};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(counts); i++) {
		approval.requirement_count = counts[i];
		expect_refusal(&approval, vote(APPROVAL_APPROVE_GIVEN, UINT32_MAX),
			       APPROVAL_REFUSAL_NOT_ELIGIBLE, APPROVAL_PENDING, 0);
	}
	approval.requirement_count = 1; /* with a quorum of 0 */
	expect(&approval, vote(APPROVAL_APPROVE_GIVEN, 1), APPROVAL_TAKEN, APPROVAL_PENDING, VOTE | ANNOUNCE);
	approval.requirement_count = 2;
	approval.requirements[0].quorum = 1;
	expect(&approval, vote(APPROVAL_APPROVE_GIVEN, 3), APPROVAL_TAKEN, APPROVAL_PENDING, VOTE | ANNOUNCE);
	approval.requirements[1] = (struct approval_requirement){INT64_MAX, INT64_MAX - 1};
	expect(&approval, vote(APPROVAL_APPROVE_GIVEN, 3), APPROVAL_TAKEN, APPROVAL_APPROVED,
	       VOTE | CLOSE | ANNOUNCE | GRANT);
}

static void
sixteen_groups_are_as_good_as_one(void **state)
{
	struct approval_event opening = {.kind = APPROVAL_OPENED,
					 .now = NOW,
					 .deadline = DEADLINE,
					 .requirement_count = APPROVAL_REQUIREMENTS_MAX};
	struct approval approval = {0};

	(void)state;
	for (size_t i = 0; i < APPROVAL_REQUIREMENTS_MAX; i++)
		opening.quorums[i] = 1;
	expect(&approval, opening, APPROVAL_TAKEN, APPROVAL_PENDING, ANNOUNCE | ASK);
	for (unsigned i = 0; i + 1 < APPROVAL_REQUIREMENTS_MAX; i++)
		expect(&approval, vote(APPROVAL_APPROVE_GIVEN, UINT32_C(1) << i), APPROVAL_TAKEN,
		       APPROVAL_PENDING, VOTE | ANNOUNCE);
	expect(&approval, vote(APPROVAL_APPROVE_GIVEN, UINT32_C(1) << (APPROVAL_REQUIREMENTS_MAX - 1)),
	       APPROVAL_TAKEN, APPROVAL_APPROVED, VOTE | CLOSE | ANNOUNCE | GRANT);
}

static void
what_the_table_does_not_know_is_refused(void **state)
{
	struct approval odd = open_approval(), pending = odd;

	(void)state;
	odd.state = APPROVAL_STATES;
	expect_refusal(&odd, vote(APPROVAL_APPROVE_GIVEN, 3), APPROVAL_REFUSAL_NOT_OPEN, APPROVAL_STATES, 0);
	expect_refusal(&pending, vote(APPROVAL_EVENTS, 3), APPROVAL_REFUSAL_NOT_OPEN, APPROVAL_PENDING, 0);
}

/* What the header promises, as plain code that knows no table. Votes, quorums: {2, 1}. */
static struct approval_step
promised(struct approval approval, struct approval_event event)
{
	struct approval_step step = {.next = approval};
	bool response = event.kind == APPROVAL_APPROVE_GIVEN || event.kind == APPROVAL_DENY_GIVEN;
	bool late =
	    approval.state == APPROVAL_PENDING && approval.deadline != 0 && event.now >= approval.deadline;

	if (late) {
		step.next.state = APPROVAL_EXPIRED;
		step.effects = CLOSE | ANNOUNCE | EXPIRE;
		step.verdict = event.kind == APPROVAL_DEADLINE_CHECK ? APPROVAL_TAKEN : APPROVAL_REFUSED;
		if (step.verdict == APPROVAL_REFUSED)
			step.refusal = response && !event.digest_matches ? APPROVAL_REFUSAL_OTHER_DIGEST
									 : APPROVAL_REFUSAL_EXPIRED;
		return step;
	}
	if (approval.state == APPROVAL_NONE && event.kind == APPROVAL_OPENED) {
		step.next = (struct approval){
		    .state = APPROVAL_PENDING, .deadline = event.deadline, .requirement_count = 2};
		step.next.requirements[0].quorum = 2;
		step.next.requirements[1].quorum = 1;
		step.effects = ANNOUNCE | ASK;
		return step;
	}
	step.verdict = APPROVAL_REFUSED;
	if (approval.state == APPROVAL_NONE) {
		step.refusal = APPROVAL_REFUSAL_NOT_OPEN;
		return step;
	}
	if (!response) {
		step.verdict = APPROVAL_REPEATED;
		return step;
	}
	if (!event.digest_matches)
		step.refusal = APPROVAL_REFUSAL_OTHER_DIGEST;
	else if (approval.state == APPROVAL_EXPIRED)
		step.refusal = APPROVAL_REFUSAL_EXPIRED;
	else if (approval.state != APPROVAL_PENDING)
		step.refusal = APPROVAL_REFUSAL_DECIDED;
	else if (event.responder_is_requester)
		step.refusal = APPROVAL_REFUSAL_REQUESTER;
	else if ((event.eligible & 3) == 0)
		step.refusal = APPROVAL_REFUSAL_NOT_ELIGIBLE;
	else if (event.voted_before && event.kind == APPROVAL_APPROVE_GIVEN)
		step.verdict = APPROVAL_REPEATED;
	else
		step.verdict = APPROVAL_TAKEN;
	if (step.verdict != APPROVAL_TAKEN)
		return step;
	if (event.kind == APPROVAL_DENY_GIVEN) {
		step.next.state = APPROVAL_DENIED;
		step.effects = VOTE | CLOSE | ANNOUNCE | DENY;
		return step;
	}
	step.counted = event.eligible & 3;
	step.next.requirements[0].votes += event.eligible & 1;
	step.next.requirements[1].votes += (event.eligible & 2) != 0;
	if (step.next.requirements[0].votes >= 2 && step.next.requirements[1].votes >= 1) {
		step.next.state = APPROVAL_APPROVED;
		step.effects = VOTE | CLOSE | ANNOUNCE | GRANT;
	} else {
		step.effects = VOTE | ANNOUNCE;
	}
	return step;
}

static bool
same_step(const struct approval_step *left, const struct approval_step *right)
{
	return left->verdict == right->verdict && left->refusal == right->refusal
	       && left->counted == right->counted && left->effects == right->effects
	       && left->next.state == right->next.state && left->next.deadline == right->next.deadline
	       && left->next.requirement_count == right->next.requirement_count
	       && memcmp(left->next.requirements, right->next.requirements, sizeof left->next.requirements)
		      == 0;
}

/* What must hold whatever the table says. */
static void
check_sense(const struct approval *approval, const struct approval_event *event,
	    const struct approval_step *step)
{
	bool was_final = approval->state > APPROVAL_PENDING, is_final = step->next.state > APPROVAL_PENDING;

	if (was_final) {
		assert_int_equal(step->next.state, approval->state);
		assert_int_equal(step->effects, 0);
	}
	assert_int_equal((step->effects & CLOSE) != 0, !was_final && is_final);
	assert_int_equal((step->effects & ASK) != 0,
			 approval->state == APPROVAL_NONE && step->next.state == APPROVAL_PENDING);
	assert_int_equal((step->effects & GRANT) != 0, !was_final && step->next.state == APPROVAL_APPROVED);
	assert_int_equal((step->effects & DENY) != 0, !was_final && step->next.state == APPROVAL_DENIED);
	assert_int_equal((step->effects & EXPIRE) != 0, !was_final && step->next.state == APPROVAL_EXPIRED);
	assert_int_equal((step->effects & ANNOUNCE) != 0, step->effects != 0);
	assert_int_equal(step->refusal != APPROVAL_REFUSAL_NONE, step->verdict == APPROVAL_REFUSED);
	if (step->verdict == APPROVAL_REPEATED)
		assert_int_equal(step->effects, 0);
	if (step->effects & GRANT) {
		assert_int_equal(event->kind, APPROVAL_APPROVE_GIVEN);
		assert_true(event->digest_matches && !event->responder_is_requester && !event->voted_before);
		assert_true(approval->deadline == 0 || event->now < approval->deadline);
		assert_true(step->next.requirements[0].votes >= 2 && step->next.requirements[1].votes >= 1);
	}
}

/* Every state, event, deadline around now, guard and vote, each with each. */
static void
every_step_is_the_promised_one(void **state)
{
	static const int64_t deadlines[] = {0, NOW - 1, NOW, NOW + 1};
	size_t steps = 0, granted = 0;

	(void)state;
	for (unsigned n = 0; n < APPROVAL_STATES * APPROVAL_EVENTS * 4 * 8 * 8 * 16; n++) {
		unsigned left = n;
		struct approval approval = {.requirement_count = 2, .requirements = {{2, 0}, {1, 0}}};
		struct approval_event event = {
		    .now = NOW, .deadline = DEADLINE, .requirement_count = 2, .quorums = {2, 1}};

		approval.state = (enum approval_state)(left % APPROVAL_STATES);
		left /= APPROVAL_STATES;
		event.kind = (enum approval_event_kind)(left % APPROVAL_EVENTS);
		left /= APPROVAL_EVENTS;
		approval.deadline = deadlines[left % 4];
		left /= 4;
		event.digest_matches = left & 1;
		event.responder_is_requester = left & 2;
		event.voted_before = left & 4;
		event.eligible = (left >> 3) & 7; /* the third bit stands behind the last requirement */
		approval.requirements[0].votes = (left >> 6) & 3;
		approval.requirements[1].votes = (left >> 8) & 3;
		if (approval.state == APPROVAL_NONE)
			approval = (struct approval){0};

		struct approval_step step = approval_step(approval, event),
				     expected = promised(approval, event);

		if (!same_step(&step, &expected))
			fail_msg("state %s, event %d, deadline %lld, digest %d, requester %d, voted %d, "
				 "eligible %u,"
				 " votes %lld %lld: verdict %d refusal %s next %s effects %#x",
				 approval_state_name(approval.state), event.kind, (long long)approval.deadline,
				 event.digest_matches, event.responder_is_requester, event.voted_before,
				 event.eligible, (long long)approval.requirements[0].votes,
				 (long long)approval.requirements[1].votes, step.verdict,
				 approval_refusal_code(step.refusal), approval_state_name(step.next.state),
				 step.effects);
		check_sense(&approval, &event, &step);
		granted += (step.effects & GRANT) != 0;
		steps++;
	}
	assert_int_equal(steps, 98304);
	/* 2 deadlines that have not passed, a third bit that means nothing, and 9 + 8 + 12 votes that complete {2, 1} */
	assert_int_equal(granted, 2 * 2 * (9 + 8 + 12));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(what_was_asked_is_what_was_opened),
	    cmocka_unit_test(it_is_granted_when_every_group_has_its_quorum),
	    cmocka_unit_test(a_person_in_both_groups_counts_for_both_but_once),
	    cmocka_unit_test(who_approved_may_still_deny),
	    cmocka_unit_test(one_deny_ends_it_for_good),
	    cmocka_unit_test(the_requester_is_refused_even_as_a_member),
	    cmocka_unit_test(only_groups_that_were_asked_count),
	    cmocka_unit_test(at_the_deadline_it_is_over),
	    cmocka_unit_test(without_a_deadline_it_stays_open),
	    cmocka_unit_test(it_expires_once),
	    cmocka_unit_test(what_is_wrong_with_a_response_is_said_in_a_fixed_order),
	    cmocka_unit_test(nothing_is_opened_that_nobody_has_to_approve),
	    cmocka_unit_test(a_row_that_asks_nobody_is_never_granted),
	    cmocka_unit_test(sixteen_groups_are_as_good_as_one),
	    cmocka_unit_test(what_the_table_does_not_know_is_refused),
	    cmocka_unit_test(every_step_is_the_promised_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
