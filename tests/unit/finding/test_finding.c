/* SPDX-License-Identifier: Apache-2.0 */
/* test_finding.c - several findings at once, and the name that was meant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/finding/finding.h"

static const char *const names[] = {"actions", "agents", "targets", "tenants", "approval",
				    "any_of",  "ttl",	 "when",    NULL};

static void
the_nearest_name_is_told(void **state)
{
	static const struct {
		const char *written, *meant;
	} examples[] = {{"aproval", "approval"},
			{"approvel", "approval"},
			{"approvals", "approval"},
			{"agent", "agents"},
			{"tenant", "tenants"},
			{"target", "targets"},
			{"Actions", "actions"},
			{"ACTIONS", "actions"},
			{"acitons", "actions"},
			{"anyof", "any_of"},
			{"tll", "ttl"},
			{"tt", "ttl"},
			{"wehn", "when"},
			{"whe", "when"},
			{"nonsense", NULL},
			{"x", NULL},
			{"", NULL},
			{"unless", NULL},
			{"approval_of_release", NULL}};

	(void)state;
	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
		const char *nearest = finding_nearest(examples[i].written, names);

		if (!examples[i].meant && nearest)
			fail_msg("%s: %s was not meant", examples[i].written, nearest);
		if (examples[i].meant)
			assert_string_equal(nearest ? nearest : "nothing", examples[i].meant);
	}
}

static void
a_name_of_any_length_is_looked_at_safely(void **state)
{
	char longest[66] = {0};
	const char *const one[] = {longest, NULL};

	(void)state;
	for (size_t i = 0; i < 64; i++)
		longest[i] = 'a';
	assert_ptr_equal(finding_nearest(longest, one), longest);
	longest[64] = 'a';
	assert_null(finding_nearest(longest, one));
	assert_null(finding_nearest("a", one));
}

static void
what_does_not_fit_is_dropped_and_the_first_is_an_error(void **state)
{
	struct arena *arena = arena_open();
	struct findings findings = findings_open(arena, 2);
	struct error error = {0};

	(void)state;
	assert_false(findings_first(&findings, &error));
	assert_int_equal(error.kind, ERROR_NONE);
	for (uint32_t i = 0; i < 3; i++)
		assert_false(findings_add(&findings, (struct finding){.code = "E01",
								      .word = i ? "second" : "first",
								      .path = "a.b",
								      .text = "a text",
								      .at = {.line = 9 - i, .column = 1}}));
	assert_int_equal(findings.count, 2);
	assert_true(findings_full(&findings));
	assert_false(findings_first(&findings, &error));
	assert_int_equal(error.kind, ERROR_INVALID);
	assert_string_equal(error.code, "first");
	assert_string_equal(error.field, "a.b");
	assert_string_equal(error.text, "a text");
	findings_sort(&findings);
	assert_string_equal(findings.items[0].word, "second");
	assert_int_equal(findings.items[0].at.line, 8);
	arena_close(arena);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_nearest_name_is_told),
	    cmocka_unit_test(a_name_of_any_length_is_looked_at_safely),
	    cmocka_unit_test(what_does_not_fit_is_dropped_and_the_first_is_an_error),
	};

	return cmocka_run_group_tests_name("finding", tests, NULL, NULL);
}
