/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_approval_text.c - the table as people see it: its names, its diagram. What can be reached is what it draws:
 * test_approval_states.c takes every row. REGENERATE=1 writes diagram.txt anew.
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
	assert_string_equal(approval_refusal_code(APPROVAL_REFUSAL_OVER), "authorization_expired");
	assert_string_equal(approval_state_name(APPROVAL_STATES), "UNKNOWN");
	assert_string_equal(approval_refusal_code(APPROVAL_REFUSALS), "unknown");
}

/* Every state is drawn, and each but the first is led to. */
static void
every_state_is_drawn(void **state)
{
	size_t count;
	const struct approval_transition *rows = approval_transitions(&count);

	(void)state;
	for (int i = APPROVAL_PENDING; i < APPROVAL_STATES; i++) {
		bool led_to = false;

		for (size_t j = 0; j < count; j++)
			led_to = led_to || (rows[j].effects && (int)rows[j].to == i && (int)rows[j].from != i);
		assert_true(led_to);
	}
}

/* What is final is left by one way only; that what was overridden is reviewed changes no state. */
static void
only_what_is_granted_can_be_revoked_and_nothing_else_changes_a_final_state(void **state)
{
	size_t count;
	const struct approval_transition *rows = approval_transitions(&count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		bool revokes = rows[i].from == APPROVAL_APPROVED && rows[i].to == APPROVAL_REVOKED
			       && rows[i].event == APPROVAL_REVOKE_GIVEN;

		if (rows[i].from > APPROVAL_PENDING && rows[i].event == APPROVAL_REVIEW_GIVEN)
			assert_int_equal(rows[i].to, rows[i].from);
		else if (rows[i].from > APPROVAL_PENDING)
			assert_int_equal(rows[i].effects != 0 || rows[i].to != rows[i].from, revokes);
		assert_true(rows[i].verdict != APPROVAL_REPEATED || rows[i].effects == 0);
		assert_true(rows[i].effects != 0 || rows[i].verdict != APPROVAL_TAKEN);
		assert_int_equal(rows[i].refusal != APPROVAL_REFUSAL_NONE, rows[i].verdict == APPROVAL_REFUSED);
	}
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
	    cmocka_unit_test(every_state_is_drawn),
	    cmocka_unit_test(only_what_is_granted_can_be_revoked_and_nothing_else_changes_a_final_state),
	    cmocka_unit_test(every_state_has_an_answer_to_every_event),
	    cmocka_unit_test(the_diagram_is_the_one_that_was_reviewed),
	    cmocka_unit_test(a_diagram_that_does_not_fit_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
