/* SPDX-License-Identifier: Apache-2.0 */
/* test_policy_index.c - the index finds what looking at every rule finds, no more and no less, and finds it fast. */
#include "tests/unit/policy/documents.h"
#include "tests/unit/policy/slow_pattern.h"

#include "common/policy/policy_private.h"
#include <time.h>

static const struct policy *
load_rules(struct arena *arena, const char *rules)
{
	return load(
	    arena,
	    arena_format(arena,
			 "{'countersign': 'policy/v1', 'policy': 'p', 'version': 1,"
			 " 'classes': [{'id': 'c', 'actions': ['**'], 'default': 'BLOCK'}], 'rules': [%s]}",
			 rules));
}

/* Every rule is looked at; its patterns are matched by the matcher that tries everything. */
static bool
covers(const struct policy_rule *rule, const char *action)
{
	const struct policy_strings *actions = &rule->match.actions;

	for (size_t i = 0; i < actions->count; i++)
		if (slow_pattern_match(actions->items[i], action))
			return true;
	return actions->count == 0;
}

static size_t
compare(struct arena *arena, const struct policy *policy, const char *action)
{
	struct policy_set set = policy_set_make(arena, policy);
	size_t next, found = 0;

	policy_index_find(policy, action, &set);
	next = policy_set_next(&set, 0);
	for (size_t i = 0; i < policy->rule_count; i++) {
		bool expected = covers(&policy->rules[i], action), actual = next == i;

		if (expected != actual)
			fail_msg("\"%s\": %s %s, but the index says otherwise", action, policy->rules[i].id,
				 expected ? "covers it" : "does not cover it");
		if (actual)
			next = policy_set_next(&set, i + 1);
		found += expected;
	}
	assert_int_equal(next, SIZE_MAX);
	assert_int_equal(policy_set_count(&set), found);
	return found;
}

/* Most often plain letters, so that there is something to find. */
static const char *
random_pattern(uint64_t *seed, struct arena *arena)
{
	static const char *const segments[] = {"a",  "b", "c", "a",  "b",  "c",	 "ab", "a-b", "a_b",
					       "ba", "*", "*", "**", "**", "a*", "*b", "a*b", "*-*"};
	size_t length = 1 + next_random(seed) % 5;

	for (;;) {
		struct buffer text = {.arena = arena};
		struct error error = {0};

		for (size_t i = 0; i < length; i++)
			buffer_add_format(&text, "%s%s", i ? "." : "",
					  segments[next_random(seed) % COUNT_OF(segments)]);
		if (policy_pattern_check(text.bytes, "", &error))
			return text.bytes;
	}
}

static const char *
random_rules(uint64_t *seed, struct arena *arena, size_t count)
{
	struct buffer text = {.arena = arena};

	buffer_add_text(&text, "");
	for (size_t i = 0; i < count; i++) {
		buffer_add_format(&text, "%s{'id': 'r%zu', 'decision': 'BLOCK'", i ? "," : "", i);
		if (next_random(seed) % 20)
			buffer_add_format(&text, ", 'match': {'actions': ['%s', 'a.only%zu']}",
					  random_pattern(seed, arena), i);
		buffer_add_text(&text, "}");
	}
	return text.bytes;
}

static const char *
random_action(uint64_t *seed, struct arena *arena)
{
	static const char *const segments[] = {"a", "b", "c", "ab", "a-b", "a_b", "ba", "bab", "x", "only3"};
	static const char *const odd[] = {"", "*", "**", "a*", "A", "\u00e9"};
	struct buffer text = {.arena = arena};
	size_t length = 1 + next_random(seed) % 6;

	for (size_t i = 0; i < length; i++) {
		bool is_odd = next_random(seed) % 30 == 0;

		if (i)
			buffer_add_byte(&text, next_random(seed) % 30 ? '.' : "/:"[next_random(seed) % 2]);
		buffer_add_text(&text, is_odd ? odd[next_random(seed) % COUNT_OF(odd)]
					      : segments[next_random(seed) % COUNT_OF(segments)]);
	}
	return text.bytes ? text.bytes : "";
}

static void
it_finds_what_looking_at_every_rule_finds(void **state)
{
	uint64_t seed = 4711;
	size_t found = 0, compared = 0;

	for (int round = 0; round < 500; round++) {
		arena_reset(*state);

		const struct policy *policy =
		    load_rules(*state, random_rules(&seed, *state, next_random(&seed) % 150));

		for (int i = 0; i < 40; i++) {
			found += compare(*state, policy, random_action(&seed, *state));
			compared += policy->rule_count;
		}
	}
	if (found < compared / 50 || found > compared / 2)
		fail_msg("%zu of %zu: the test compares too little", found, compared);
}

static void
it_finds_the_rules_of_actions_with_many_segments(void **state)
{
	const struct policy *policy = load_rules(
	    *state, "{'id': 'a', 'decision': 'BLOCK', 'match': {'actions': ['**.z']}},"
		    "{'id': 'b', 'decision': 'BLOCK', 'match': {'actions': ['a.**.a.**.z', 'q']}},"
		    "{'id': 'c', 'decision': 'BLOCK', 'match': {'actions': ['**.q.**', 'a.*.**']}},"
		    "{'id': 'd', 'decision': 'BLOCK'}");

	/* up to 62 by the tree, one by one from there */
	for (size_t count = 1; count < 130; count++) {
		struct buffer text = {.arena = *state};

		for (size_t i = 1; i < count; i++)
			buffer_add_text(&text, "a.");
		buffer_add_text(&text, "z");

		struct policy_set set = policy_set_make(*state, policy);

		policy_index_find(policy, text.bytes, &set);
		assert_int_equal(policy_set_next(&set, 0), 0);
		assert_int_equal(policy_set_next(&set, 1) == 1, count >= 3);
		assert_int_equal(policy_set_next(&set, 2) == 2, count >= 2);
		assert_int_equal(policy_set_next(&set, 3), 3);
	}
}

/* The worst that a request and a policy can do to each other. */
static void
many_runs_and_many_segments_do_not_multiply(void **state)
{
	struct buffer rules = {.arena = *state}, action = {.arena = *state};

	for (size_t i = 0; i < 200; i++)
		buffer_add_format(&rules,
				  "%s{'id': 'r%zu', 'decision': 'BLOCK',"
				  " 'match': {'actions': ['**.a.**.a.**.a.**.a.**.a.**.a.**.b%zu.**']}}",
				  i ? "," : "", i, i);
	for (size_t i = 0; i < 61; i++)
		buffer_add_text(&action, "a.");
	buffer_add_text(&action, "c");

	const struct policy *policy = load_rules(*state, rules.bytes);
	struct policy_set set = policy_set_make(*state, policy);
	clock_t start = clock();

	for (size_t i = 0; i < 100; i++)
		policy_index_find(policy, action.bytes, &set);
	assert_int_equal(policy_set_count(&set), 0);
	/* microseconds each; the number of ways to place seven runs is beyond any clock */
	assert_true(clock() - start < CLOCKS_PER_SEC);
}

static void
a_thousand_actions_may_have_a_star_inside_a_segment(void **state)
{
	struct buffer rules = {.arena = *state};
	struct error error = {0};

	for (size_t i = 0; i < 1024; i++)
		buffer_add_format(&rules,
				  "%s{'id': 'r%04zu', 'decision': 'BLOCK', 'match': {'actions': ['a%zu-*']}}",
				  i ? "," : "", i, i);

	const struct policy *policy = load_rules(*state, rules.bytes);

	assert_int_equal(compare(*state, policy, "a77-x"), 1);
	assert_int_equal(compare(*state, policy, "a77x"), 0);
	assert_null(policy_load(
	    *state,
	    parse(*state, arena_format(*state,
				       "{'countersign': 'policy/v1', 'policy': 'p', 'version': 1,"
				       " 'classes': [{'id': 'c', 'actions': ['**'], 'default': 'BLOCK'}],"
				       " 'rules': [%s, {'id': 'z', 'decision': 'BLOCK', 'match': {'actions': "
				       "['b.*', 'b-*.c']}}]}",
				       rules.bytes)),
	    &error));
	assert_string_equal(error.code, "too_many");
	assert_string_equal(error.field, "rules[1024].match.actions");
}

static void
all_rules_together_name_a_hundred_thousand_actions(void **state)
{
	for (size_t last = 672; last <= 673; last++) {
		struct buffer rules = {.arena = *state};
		struct error error = {0};

		for (size_t i = 0; i < 98; i++) {
			size_t count = i < 97 ? 1024 : last; /* 97 * 1024 + 672 = 100000 */

			buffer_add_format(&rules,
					  "%s{'id': 'r%02zu', 'decision': 'BLOCK', 'match': {'actions': [",
					  i ? "," : "", i);
			for (size_t j = 0; j < count; j++)
				buffer_add_format(&rules, "%s'%zu.%zu'", j ? "," : "", i, j);
			buffer_add_text(&rules, "]}}");
		}

		const struct policy *policy = policy_load(
		    *state,
		    parse(*state, arena_format(*state,
					       "{'countersign': 'policy/v1', 'policy': 'p', 'version': 1,"
					       " 'classes': [{'id': 'c', 'actions': ['**'], 'default': "
					       "'BLOCK'}], 'rules': [%s]}",
					       rules.bytes)),
		    &error);

		assert_int_equal(policy != NULL, last == 672);
		if (!policy)
			assert_string_equal(error.field, "rules[97].match.actions");
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    STORY(it_finds_what_looking_at_every_rule_finds),
	    STORY(it_finds_the_rules_of_actions_with_many_segments),
	    STORY(many_runs_and_many_segments_do_not_multiply),
	    STORY(a_thousand_actions_may_have_a_star_inside_a_segment),
	    STORY(all_rules_together_name_a_hundred_thousand_actions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
