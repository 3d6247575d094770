/* SPDX-License-Identifier: Apache-2.0 */
/* test_policy_pattern.c - what a pattern covers, by example and against a matcher that tries everything. */
#include "tests/unit/policy/documents.h"
#include "tests/unit/policy/slow_pattern.h"

#include <time.h>

struct example {
	const char *pattern, *text;
	bool covers;
};

static void
check_examples(const struct example *examples, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct error error = {0};

		if (!policy_pattern_check(examples[i].pattern, "", &error))
			fail_msg("%s: %s", examples[i].pattern, error.text);
		if (policy_pattern_match(examples[i].pattern, examples[i].text) != examples[i].covers)
			fail_msg("\"%s\" should %s \"%s\"", examples[i].pattern,
				 examples[i].covers ? "cover" : "not cover", examples[i].text);
	}
}

static void
a_pattern_without_stars_covers_exactly_itself(void **state)
{
	static const struct example examples[] = {
	    {"repo.push", "repo.push", true},
	    {"repo.push", "repo.pushx", false},
	    {"repo.push", "repo.pus", false},
	    {"repo.push", "xrepo.push", false},
	    {"repo.push", "repo/push", false},
	    {"repo.push", "repo.push.", false},
	    {"repo.push", "repo", false},
	    {"repo.push", "", false},
	    {"repo", "Repo", false},
	    {"a..b", "a..b", true},
	    {"a..b", "a.b", false},
	    {"caf\u00e9", "caf\u00e9", true},
	};

	(void)state;
	check_examples(examples, COUNT_OF(examples));
}

static void
one_star_stays_inside_its_segment(void **state)
{
	static const struct example examples[] = {
	    {"coding-agent-*", "coding-agent-7", true},
	    {"coding-agent-*", "coding-agent-", true},
	    {"coding-agent-*", "coding-agent", false},
	    {"coding-agent-*", "coding-agent-a.b", false},
	    {"coding-agent-*", "coding-agent-a/b", false},
	    {"coding-agent-*", "coding-agent-a:b", false},
	    {"repo.*", "repo.push", true},
	    {"repo.*", "repo", false},
	    {"repo.*", "repo.a.b", false},
	    {"*", "repo", true},
	    {"*", "", true},
	    {"*", "a.b", false},
	    {"*.*", "a.b", true},
	    {"*.*", "a/b", false},
	    {"*a*b*", "xxaybxxab", true},
	    {"*a*b*", "ba", false},
	    {"*ab", "aab", true},
	    {"a*a", "a", false},
	    {"a*a", "aa", true},
	};

	(void)state;
	check_examples(examples, COUNT_OF(examples));
}

static void
two_stars_stand_for_any_run_of_segments(void **state)
{
	static const struct example examples[] = {
	    {"**", "", true},
	    {"**", "a", true},
	    {"**", "a.b/c:d", true},
	    {"deployment.**", "deployment", true},
	    {"deployment.**", "deployment.production", true},
	    {"deployment.**", "deployment.production.eu", true},
	    {"deployment.**", "deployments", false},
	    {"deployment.**", "deploymentx.a", false},
	    {"**.read", "read", true},
	    {"**.read", "repo.file.read", true},
	    {"**.read", "repo.unread", false},
	    {"**.read", "repo.read.all", false},
	    {"a.**.z", "a.z", true},
	    {"a.**.z", "a.b.c.z", true},
	    {"a.**.z", "a.b.c", false},
	    {"a.**.b.**.c", "a.x.b.b.c", true},
	    {"a.**.b.**.c", "a.c.b", false},
	    {"**.a.*", "a.b.a.c", true},
	    {"**.**", "a", true},
	    {"**.a.**", "a", true},
	};

	(void)state;
	check_examples(examples, COUNT_OF(examples));
}

static void
a_separator_covers_only_itself(void **state)
{
	static const struct example examples[] = {
	    {"a.**", "a/b", false},    {"a.**", "a.b/c:d", true},     {"**.b", "a/b", false},
	    {"**/b", "a.a/b", true},   {"urn:**", "urn:x.y/z", true}, {"urn:**", "urn.x", false},
	    {"a.**/z", "a.b/z", true}, {"a.**/z", "a.b.z", false},    {"a.**/z", "a.z", false},
	    {"a.**/z", "a/z", false},
	};

	(void)state;
	check_examples(examples, COUNT_OF(examples));
}

static void
a_pattern_that_says_nothing_clear_is_refused(void **state)
{
	char longest[257], too_long[258];
	const char *const good[] = {
	    "a", "*", "**", "*.*.*.*.*.*.*.*", "**.a.**.b.**.c.**.d.*.*.*.*", "a*b*c*d*e*f*g*h*", longest};
	const char *const bad[] = {"",
				   "a**",
				   "**a",
				   "a.b**",
				   "***",
				   "a.***",
				   "**.a**",
				   "*.*.*.*.*.*.*.*.*",
				   "**.a.**.b.**.c.**.d.*.*.*.*.*",
				   too_long};

	(void)state;
	memset(longest, 'a', 256);
	longest[256] = '\0';
	memset(too_long, 'a', 257);
	too_long[257] = '\0';
	for (size_t i = 0; i < COUNT_OF(good); i++) {
		struct error error = {0};

		if (!policy_pattern_check(good[i], "x", &error))
			fail_msg("%s: %s", good[i], error.text);
	}
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		struct error error = {0};

		if (policy_pattern_check(bad[i], "rules[3].match.agents[0]", &error))
			fail_msg("%s was not refused", bad[i]);
		assert_int_equal(error.kind, ERROR_INVALID);
		assert_string_equal(error.code, "bad_pattern");
		assert_string_equal(error.field, "rules[3].match.agents[0]");
	}
}

static void
random_text(uint64_t *seed, const char *letters, size_t max, char *text)
{
	size_t length = next_random(seed) % (max + 1);

	for (size_t i = 0; i < length; i++)
		text[i] = letters[next_random(seed) % strlen(letters)];
	text[length] = '\0';
}

static void
it_agrees_with_a_matcher_that_tries_everything(void **state)
{
	static const char *const alphabets[] = {"ab.*", "ab./*", "a.*", "a.*", "aab..**"};
	uint64_t seed = 88172645463325252;
	size_t compared = 0, covered = 0;

	(void)state;
	while (compared < 2000000) {
		char pattern[16], text[16], letters[] = "ab./";
		struct error error = {0};

		random_text(&seed, alphabets[next_random(&seed) % COUNT_OF(alphabets)], 10, pattern);
		if (!policy_pattern_check(pattern, "", &error))
			continue;

		struct parts p = split(pattern);

		for (int i = 0; i < 8; i++, compared++) {
			random_text(&seed, letters, 8, text);

			struct parts t = split(text);
			bool expected = slow_match(&p, 0, &t, 0);

			covered += expected;
			if (policy_pattern_match(pattern, text) != expected)
				fail_msg("\"%s\" should %s \"%s\"", pattern, expected ? "cover" : "not cover",
					 text);
		}
	}
	if (covered < compared / 100)
		fail_msg("only %zu of %zu texts were covered: the test compares too little", covered, compared);
}

static void
no_pattern_takes_longer_than_both_lengths_together_allow(void **state)
{
	char text[8193], pattern[257];
	clock_t start = clock();

	(void)state;
	memset(text, 'a', 8192);
	text[8192] = '\0';
	memset(pattern, 'a', 256);
	pattern[256] = '\0';
	for (size_t i = 0; i < 8; i++)
		pattern[i * 30] = '*';
	pattern[255] = 'b';
	assert_false(policy_pattern_match(pattern, text));
	for (size_t i = 1; i < 8192; i += 2)
		text[i] = '.';
	assert_false(policy_pattern_match("**.a.**.a.a.**.a.a.a.**.a.a.**.a.**.a.**.b", text));
	/* 2 million steps each at worst; anything exponential would not come back at all */
	assert_true(clock() - start < 2 * CLOCKS_PER_SEC);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_pattern_without_stars_covers_exactly_itself),
	    cmocka_unit_test(one_star_stays_inside_its_segment),
	    cmocka_unit_test(two_stars_stand_for_any_run_of_segments),
	    cmocka_unit_test(a_separator_covers_only_itself),
	    cmocka_unit_test(a_pattern_that_says_nothing_clear_is_refused),
	    cmocka_unit_test(it_agrees_with_a_matcher_that_tries_everything),
	    cmocka_unit_test(no_pattern_takes_longer_than_both_lengths_together_allow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
