/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_approval_names.c - the table as people see it: its names, its diagram, and that what can be reached is what it
 * draws. REGENERATE=1 writes diagram.txt anew.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/approval/approval.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GOLDEN "tests/unit/approval/diagram.txt"

enum { NOW = 1000 };

static void
every_state_and_refusal_has_its_own_name(void **state)
{
	(void)state;
	for (int i = 0; i < APPROVAL_STATES; i++)
		for (int j = 0; j < i; j++)
			assert_string_not_equal(approval_state_name((enum approval_state)i),
						approval_state_name((enum approval_state)j));
	for (int i = 0; i < APPROVAL_REFUSALS; i++)
		for (int j = 0; j < i; j++)
			assert_string_not_equal(approval_refusal_code((enum approval_refusal)i),
						approval_refusal_code((enum approval_refusal)j));
	assert_string_equal(approval_state_name(APPROVAL_NONE), "NONE");
	assert_string_equal(approval_state_name(APPROVAL_CANCELLED), "CANCELLED");
	assert_string_equal(approval_refusal_code(APPROVAL_REFUSAL_NOT_OPEN), "not_open");
	assert_string_equal(approval_refusal_code(APPROVAL_REFUSAL_OTHER_DIGEST), "digest_mismatch");
	assert_string_equal(approval_refusal_code(APPROVAL_REFUSAL_EXPIRED), "approval_expired");
	assert_string_equal(approval_refusal_code(APPROVAL_REFUSAL_DECIDED), "already_decided");
	assert_string_equal(approval_refusal_code(APPROVAL_REFUSAL_REQUESTER), "responder_is_requester");
	assert_string_equal(approval_refusal_code(APPROVAL_REFUSAL_NOT_ELIGIBLE), "not_a_member");
}

/* The states that the rows connect with NONE, as bits. */
static unsigned
drawn_states(void)
{
	size_t count;
	const struct approval_transition *rows = approval_transitions(&count);
	unsigned states = 1u << APPROVAL_NONE, before;

	do {
		before = states;
		for (size_t i = 0; i < count; i++)
			if (states & (1u << rows[i].from))
				states |= 1u << rows[i].to;
	} while (states != before);
	return states;
}

/* Drives approval_step from `approval` with every event there is; one requirement with a quorum of 2. */
static void
drive(struct approval approval, unsigned *states, int depth)
{
	*states |= 1u << approval.state;
	if (depth == 0)
		return;
	for (unsigned n = 0; n < APPROVAL_EVENTS * 32; n++) {
		struct approval_event event = {.kind = (enum approval_event_kind)(n / 32),
					       .now = NOW + (int64_t)(n & 1),
					       .digest_matches = n & 2,
					       .responder_is_requester = n & 4,
					       .voted_before = n & 8,
					       .eligible = (n & 16) != 0,
					       .deadline = NOW + 1,
					       .requirement_count = 1,
					       .quorums = {2}};
		struct approval_step step = approval_step(approval, event);

		if (step.next.state != approval.state
		    || step.next.requirements[0].votes != approval.requirements[0].votes)
			drive(step.next, states, depth - 1);
	}
}

static void
the_states_that_can_be_reached_are_those_that_are_drawn(void **state)
{
	struct approval nothing = {0};
	unsigned reached = 0;

	(void)state;
	drive(nothing, &reached, 5);
	assert_int_equal(reached, drawn_states());
	assert_int_equal(reached, 1u << APPROVAL_NONE | 1u << APPROVAL_PENDING | 1u << APPROVAL_APPROVED
				      | 1u << APPROVAL_DENIED | 1u << APPROVAL_EXPIRED);
}

/* Only the last row of a state and an event may be without a guard, and it must be: so nothing falls through. */
static void
every_state_has_an_answer_to_every_event(void **state)
{
	size_t count;
	const struct approval_transition *rows = approval_transitions(&count);

	(void)state;
	for (int from = 0; from < APPROVAL_STATES; from++) {
		for (int event = 0; event < APPROVAL_EVENTS; event++) {
			const struct approval_transition *last = NULL;

			for (size_t i = 0; i < count; i++) {
				if ((int)rows[i].from != from || (int)rows[i].event != event)
					continue;
				assert_true(!last || last->holds);
				assert_int_equal(rows[i].holds == NULL, rows[i].guard[0] == '\0');
				assert_true(rows[i].comment[0] != '\0');
				last = &rows[i];
			}
			if (!last || last->holds)
				fail_msg("%s has no answer to event %d",
					 approval_state_name((enum approval_state)from), event);
		}
	}
}

static void
the_diagram_is_the_one_that_was_reviewed(void **state)
{
	char drawn[4096], golden[4096] = "";
	size_t length = approval_diagram(drawn, sizeof drawn);
	const char *mode = getenv("REGENERATE") ? "w+" : "r";
	FILE *file = fopen(GOLDEN, mode);

	(void)state;
	assert_true(length < sizeof drawn);
	assert_int_equal(length, strlen(drawn));
	if (!file)
		fail_msg("%s can't be opened: run from the top of the tree", GOLDEN);
	if (mode[0] == 'w')
		fwrite(drawn, 1, length, file);
	rewind(file);
	golden[fread(golden, 1, sizeof golden - 1, file)] = '\0';
	fclose(file);
	assert_string_equal(drawn, golden);
}

static void
a_diagram_that_does_not_fit_is_cut(void **state)
{
	char whole[4096], part[4096];
	size_t length = approval_diagram(whole, sizeof whole);

	(void)state;
	assert_int_equal(approval_diagram(NULL, 0), length);
	for (size_t size = 1; size <= length + 1; size++) {
		memset(part, 'x', sizeof part);
		assert_int_equal(approval_diagram(part, size), length);
		assert_int_equal(strlen(part), size - 1);
		assert_memory_equal(part, whole, size - 1);
		assert_int_equal(part[size], 'x');
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_state_and_refusal_has_its_own_name),
	    cmocka_unit_test(the_states_that_can_be_reached_are_those_that_are_drawn),
	    cmocka_unit_test(every_state_has_an_answer_to_every_event),
	    cmocka_unit_test(the_diagram_is_the_one_that_was_reviewed),
	    cmocka_unit_test(a_diagram_that_does_not_fit_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
