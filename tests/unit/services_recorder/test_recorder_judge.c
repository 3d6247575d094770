/* SPDX-License-Identifier: Apache-2.0 */
/* test_recorder_judge.c - what an outcome means, by the numbers of recorder_judge.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "services/recorder/recorder.h"

#include <string.h>

enum { IN_TIME = 1000, END = 2000, LATE = 3000 };

static const char event_id[] = "11111111-1111-5111-8111-111111111111";
static const char token[] = "a.b.c";
static char digest[CRYPTO_DIGEST_TEXT_SIZE];

static struct recorder_facts
granted(void)
{
	return (struct recorder_facts){.known = true,
				       .status = "GRANTED",
				       .event_id = event_id,
				       .token = token,
				       .digest = digest,
				       .expires_at = END};
}

static struct outcome
reported(enum outcome_status status)
{
	struct outcome outcome = {.status = status, .has_digest = true};

	memset(outcome.request_digest, 7, sizeof outcome.request_digest);
	crypto_digest_text(outcome.request_digest, digest);
	return outcome;
}

/* Judges as the service does: what it found is remembered for the next. */
static void
expect(struct recorder_facts *facts, struct outcome outcome, int64_t at, enum recorder_judgement judgement)
{
	assert_string_equal(recorder_judgement_name(recorder_judge(facts, &outcome, at)),
			    recorder_judgement_name(judgement));
	recorder_remember(facts, &outcome, judgement);
}

static void
one_execution_in_time_is_authorized_and_may_end_later(void **state)
{
	struct recorder_facts facts = granted();

	(void)state;
	expect(&facts, reported(OUTCOME_STARTED), END - 1, RECORDER_AUTHORIZED);
	expect(&facts, reported(OUTCOME_FAILED), LATE, RECORDER_AUTHORIZED);
	expect(&facts, reported(OUTCOME_ROLLED_BACK), LATE, RECORDER_AUTHORIZED);
}

static void
reports_of_one_execution_may_come_in_any_order(void **state)
{
	struct recorder_facts facts = granted();

	(void)state;
	expect(&facts, reported(OUTCOME_SUCCEEDED), IN_TIME, RECORDER_AUTHORIZED);
	expect(&facts, reported(OUTCOME_STARTED), IN_TIME, RECORDER_AUTHORIZED);
}

static void
rule_1_without_a_request_or_a_final_word_there_is_no_authorization(void **state)
{
	struct recorder_facts unknown = {0}, pending = {.known = true};

	(void)state;
	expect(&unknown, reported(OUTCOME_STARTED), IN_TIME, RECORDER_WITHOUT_AUTHORIZATION);
	expect(&pending, reported(OUTCOME_SUCCEEDED), IN_TIME, RECORDER_WITHOUT_AUTHORIZATION);
}

static void
rule_2_whatever_is_no_grant_is_a_denial(void **state)
{
	static const char *const statuses[] = {"DENIED", "EXPIRED", "CANCELLED", "granted", ""};

	(void)state;
	for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
		struct recorder_facts facts = granted();

		facts.status = statuses[i];
		expect(&facts, reported(OUTCOME_STARTED), IN_TIME, RECORDER_AFTER_DENIAL);
	}
}

static void
rule_3_the_authorization_that_is_named_must_be_the_one_that_was_given(void **state)
{
	static const struct {
		const char *named;
		enum recorder_judgement judgement;
	} cases[] = {
	    {NULL, RECORDER_AUTHORIZED},
	    {event_id, RECORDER_AUTHORIZED},
	    {token, RECORDER_AUTHORIZED},
	    {"a.b.C", RECORDER_WITHOUT_AUTHORIZATION},
	    {"22222222-2222-5222-8222-222222222222", RECORDER_WITHOUT_AUTHORIZATION},
	    {"", RECORDER_WITHOUT_AUTHORIZATION},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct recorder_facts facts = granted();
		struct outcome outcome = reported(OUTCOME_STARTED);

		outcome.authorization = cases[i].named;
		expect(&facts, outcome, IN_TIME, cases[i].judgement);
	}
}

static void
rule_4_what_was_run_must_be_what_was_authorized(void **state)
{
	struct recorder_facts facts = granted();
	struct outcome other = reported(OUTCOME_STARTED), none = reported(OUTCOME_STARTED);

	(void)state;
	other.request_digest[31] ^= 1;
	none.has_digest = false;
	expect(&facts, other, IN_TIME, RECORDER_OTHER_DIGEST);
	expect(&facts, none, IN_TIME, RECORDER_OTHER_DIGEST);
}

static void
rule_5_a_second_start_or_end_is_a_second_execution(void **state)
{
	struct recorder_facts facts = granted();

	(void)state;
	expect(&facts, reported(OUTCOME_STARTED), IN_TIME, RECORDER_AUTHORIZED);
	expect(&facts, reported(OUTCOME_STARTED), IN_TIME, RECORDER_TWICE);
	expect(&facts, reported(OUTCOME_SUCCEEDED), IN_TIME, RECORDER_AUTHORIZED);
	expect(&facts, reported(OUTCOME_FAILED), IN_TIME, RECORDER_TWICE);
	expect(&facts, reported(OUTCOME_SUCCEEDED), LATE, RECORDER_TWICE);
}

static void
rule_5_a_start_that_was_an_incident_was_a_start_all_the_same(void **state)
{
	struct recorder_facts facts = granted();
	struct outcome other = reported(OUTCOME_STARTED);

	(void)state;
	other.request_digest[0] ^= 1;
	expect(&facts, other, IN_TIME, RECORDER_OTHER_DIGEST);
	expect(&facts, reported(OUTCOME_STARTED), IN_TIME, RECORDER_TWICE);
}

static void
rule_6_what_begins_after_the_revocation_is_too_late_and_what_began_before_may_end(void **state)
{
	static const enum outcome_status statuses[] = {OUTCOME_STARTED, OUTCOME_SUCCEEDED, OUTCOME_FAILED,
						       OUTCOME_ROLLED_BACK};

	(void)state;
	for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
		struct recorder_facts before = granted(), at = granted(), late = granted();

		before.revoked_at = at.revoked_at = late.revoked_at = IN_TIME + 1;
		expect(&before, reported(statuses[i]), IN_TIME, RECORDER_AUTHORIZED);
		expect(&at, reported(statuses[i]), IN_TIME + 1, RECORDER_AFTER_REVOCATION);
		expect(&late, reported(statuses[i]), LATE, RECORDER_AFTER_REVOCATION);
	}

	struct recorder_facts facts = granted();

	facts.revoked_at = IN_TIME + 1;
	expect(&facts, reported(OUTCOME_STARTED), IN_TIME, RECORDER_AUTHORIZED);
	expect(&facts, reported(OUTCOME_SUCCEEDED), LATE, RECORDER_AUTHORIZED);
	expect(&facts, reported(OUTCOME_STARTED), LATE, RECORDER_TWICE);
}

static void
rule_7_what_begins_at_the_end_or_later_is_too_late(void **state)
{
	static const enum outcome_status statuses[] = {OUTCOME_STARTED, OUTCOME_SUCCEEDED, OUTCOME_FAILED,
						       OUTCOME_ROLLED_BACK};

	(void)state;
	for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
		struct recorder_facts in_time = granted(), at_end = granted();

		expect(&in_time, reported(statuses[i]), END - 1, RECORDER_AUTHORIZED);
		expect(&at_end, reported(statuses[i]), END, RECORDER_AFTER_EXPIRY);
	}
}

static void
rule_7_a_start_that_came_too_late_does_not_make_its_end_authorized(void **state)
{
	struct recorder_facts facts = granted();

	(void)state;
	expect(&facts, reported(OUTCOME_STARTED), LATE, RECORDER_AFTER_EXPIRY);
	expect(&facts, reported(OUTCOME_SUCCEEDED), LATE, RECORDER_AFTER_EXPIRY);
}

static void
rule_7_a_late_start_is_late_although_an_end_was_in_time(void **state)
{
	struct recorder_facts facts = granted();

	(void)state;
	expect(&facts, reported(OUTCOME_SUCCEEDED), IN_TIME, RECORDER_AUTHORIZED);
	expect(&facts, reported(OUTCOME_STARTED), LATE, RECORDER_AFTER_EXPIRY);
}

static void
what_the_report_says_of_its_time_does_not_matter(void **state)
{
	struct recorder_facts facts = granted(), again = granted();
	struct outcome early = reported(OUTCOME_STARTED), late = reported(OUTCOME_STARTED);

	(void)state;
	early.occurred_at = 1;
	late.occurred_at = LATE;
	expect(&facts, early, LATE, RECORDER_AFTER_EXPIRY);
	expect(&again, late, IN_TIME, RECORDER_AUTHORIZED);
}

/* An outcome by its status and how it was judged, remembered; did it give back? */
static bool
gave_back(struct recorder_facts *facts, enum outcome_status status, enum recorder_judgement judgement)
{
	struct outcome outcome = reported(status);
	bool gives = recorder_gives_back(facts, &outcome, judgement);

	recorder_remember(facts, &outcome, judgement);
	return gives;
}

static void
only_a_failure_as_authorized_gives_back(void **state)
{
	(void)state;
	for (int status = OUTCOME_STARTED; status <= OUTCOME_ROLLED_BACK; status++)
		for (int judgement = 0; judgement < RECORDER_JUDGEMENTS; judgement++) {
			struct recorder_facts facts = granted();

			assert_int_equal(gave_back(&facts, (enum outcome_status)status,
						   (enum recorder_judgement)judgement),
					 status == OUTCOME_FAILED && judgement == RECORDER_AUTHORIZED);
		}
}

static void
a_failure_gives_nothing_back_after_an_incident(void **state)
{
	struct recorder_facts facts = granted(), calm = granted();

	(void)state;
	assert_false(gave_back(&facts, OUTCOME_STARTED, RECORDER_OTHER_DIGEST));
	assert_false(gave_back(&facts, OUTCOME_FAILED, RECORDER_AUTHORIZED));
	assert_false(gave_back(&calm, OUTCOME_STARTED, RECORDER_AUTHORIZED));
	assert_true(gave_back(&calm, OUTCOME_FAILED, RECORDER_AUTHORIZED));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(one_execution_in_time_is_authorized_and_may_end_later),
	    cmocka_unit_test(reports_of_one_execution_may_come_in_any_order),
	    cmocka_unit_test(rule_1_without_a_request_or_a_final_word_there_is_no_authorization),
	    cmocka_unit_test(rule_2_whatever_is_no_grant_is_a_denial),
	    cmocka_unit_test(rule_3_the_authorization_that_is_named_must_be_the_one_that_was_given),
	    cmocka_unit_test(rule_4_what_was_run_must_be_what_was_authorized),
	    cmocka_unit_test(rule_5_a_second_start_or_end_is_a_second_execution),
	    cmocka_unit_test(rule_5_a_start_that_was_an_incident_was_a_start_all_the_same),
	    cmocka_unit_test(rule_6_what_begins_after_the_revocation_is_too_late_and_what_began_before_may_end),
	    cmocka_unit_test(rule_7_what_begins_at_the_end_or_later_is_too_late),
	    cmocka_unit_test(rule_7_a_start_that_came_too_late_does_not_make_its_end_authorized),
	    cmocka_unit_test(rule_7_a_late_start_is_late_although_an_end_was_in_time),
	    cmocka_unit_test(what_the_report_says_of_its_time_does_not_matter),
	    cmocka_unit_test(only_a_failure_as_authorized_gives_back),
	    cmocka_unit_test(a_failure_gives_nothing_back_after_an_incident),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
