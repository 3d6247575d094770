/* SPDX-License-Identifier: Apache-2.0 */
/* test_regex.c - regular expressions: what they match, what is refused, and that no text makes them slow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/memory/memory.h"
#include "common/regex/regex.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool
found(const char *pattern, const char *text)
{
	struct error error = {0};
	struct regex *regex = regex_open(pattern, strlen(pattern), &error);
	bool result;

	assert_non_null(regex);
	result = regex_search(regex, text, strlen(text));
	regex_close(regex);
	return result;
}

static void
refuses(const char *pattern, size_t length)
{
	struct error error = {0};

	assert_null(regex_open(pattern, length, &error));
	assert_int_equal(error.kind, ERROR_INVALID);
	assert_string_equal(error.code, "regex");
	assert_string_not_equal(error.text, "");
	assert_null(strpbrk(error.text, "\n\t\x7f"));
}

static void
searches_anywhere_in_the_text(void **state)
{
	(void)state;
	assert_true(found("b", "abc"));
	assert_true(found("", ""));
	assert_true(found("", "abc"));
	assert_false(found("b", ""));
	assert_false(found("d", "abc"));
	assert_true(found("^abc$", "abc"));
	assert_false(found("^bc", "abc"));
	assert_true(found("(a|b)(c|d)\\d{2}", "xxbd17"));
	assert_false(found("^a.c$", "a\nc"));
	assert_true(found("(?s)^a.c$", "a\nc"));
	assert_true(found("(?i)ABC", "xabcx"));
}

static void
takes_characters_for_characters(void **state)
{
	(void)state;
	assert_true(found("^.$", "😀"));
	assert_true(found("^[é-ñ]$", "ê"));
	assert_true(found("^\\pL+$", "Straße"));
	assert_false(found("^..$", "é"));
}

static void
knows_the_length_of_pattern_and_text(void **state)
{
	struct error error = {0};
	struct regex *regex = regex_open("ab\0cd", 5, &error);

	(void)state;
	assert_non_null(regex);
	assert_true(regex_search(regex, "xab\0cdx", 7));
	assert_false(regex_search(regex, "xabcd", 5));
	assert_false(regex_search(regex, "ab\0cd", 4));
	assert_false(regex_search(regex, NULL, 0));
	regex_close(regex);
	regex_close(NULL);
}

static void
refuses_what_is_no_expression_of_that_syntax(void **state)
{
	static const char *const patterns[] = {"(",	 ")",	    "[a",      "*",	 "a**b\\",
					       "a{2,1}", "(?=a)",   "(?<!a)b", "(a)\\1", "\\C\\",
					       "[b-a]",	 "x{1001}", "(?P<n",   "\n(\t[", "\x7f("};

	(void)state;
	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
		refuses(patterns[i], strlen(patterns[i]));
	refuses("\xff", 1);
	refuses("a\xc3", 2);
}

static void
refuses_what_would_take_too_much_memory(void **state)
{
	(void)state;
	refuses("((((x{100}){100}){100}){100})", 29);
	refuses("(\\pL{1000})", 11);
	refuses("((a{100}){10}b{1000}){10}", 25);
}

static double
seconds(const struct regex *regex, const char *text, size_t length)
{
	struct timespec from, to;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	assert_false(regex_search(regex, text, length));
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	return (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) * 1e-9;
}

static void
no_text_takes_more_than_linear_time(void **state)
{
	static const char *const patterns[] = {"^(a+)+$", "^(a|aa)+$", "(.*)(.*)(.*)(.*)x$", "(a*)*b",
					       "^(([a-z])+.)+[A-Z]([a-z])+$"};
	char *text = memory_take(64 * 1024);
	struct error error = {0};

	(void)state;
	memset(text, 'a', 64 * 1024);
	text[64 * 1024 - 1] = '!';
	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
		struct regex *regex = regex_open(patterns[i], strlen(patterns[i]), &error);

		assert_non_null(regex);
		assert_true(seconds(regex, text, 64 * 1024) < 0.5); /* backtracking would take years */
		regex_close(regex);
	}
	free(text);
}

/* Its automaton has 2^20 states, more than the cache holds: the answer must not depend on that. */
static void
an_automaton_that_does_not_fit_still_answers_rightly(void **state)
{
	struct error error = {0};
	struct regex *regex = regex_open("a[ab]{20}c$", 11, &error);
	char *text = memory_take(64 * 1024);
	uint32_t random = 1;

	(void)state;
	assert_non_null(regex);
	for (size_t i = 0; i < 64 * 1024; i++) {
		random = random * 1664525U + 1013904223U;
		text[i] = random >> 31 ? 'a' : 'b';
	}
	assert_false(regex_search(regex, text, 64 * 1024));
	text[64 * 1024 - 1] = 'c';
	text[64 * 1024 - 22] = 'a';
	assert_true(regex_search(regex, text, 64 * 1024));
	text[64 * 1024 - 22] = 'b';
	assert_false(regex_search(regex, text, 64 * 1024));
	regex_close(regex);
	free(text);
}

static void *
search_often(void *regex)
{
	char text[32];

	for (int i = 0; i < 2000; i++) {
		int length = snprintf(text, sizeof text, "agent-%d-%s", i, i % 2 ? "prod" : "test");

		if (regex_search(regex, text, (size_t)length) != (i % 2 == 1))
			return regex;
	}
	return NULL;
}

static void
several_threads_may_use_one(void **state)
{
	struct error error = {0};
	struct regex *regex = regex_open("^agent-[0-9]+-prod$", 19, &error);
	pthread_t threads[4];
	void *wrong;

	(void)state;
	assert_non_null(regex);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, search_often, regex), 0);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(pthread_join(threads[i], &wrong), 0);
		assert_null(wrong);
	}
	regex_close(regex);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(searches_anywhere_in_the_text),
	    cmocka_unit_test(takes_characters_for_characters),
	    cmocka_unit_test(knows_the_length_of_pattern_and_text),
	    cmocka_unit_test(refuses_what_is_no_expression_of_that_syntax),
	    cmocka_unit_test(refuses_what_would_take_too_much_memory),
	    cmocka_unit_test(no_text_takes_more_than_linear_time),
	    cmocka_unit_test(an_automaton_that_does_not_fit_still_answers_rightly),
	    cmocka_unit_test(several_threads_may_use_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
