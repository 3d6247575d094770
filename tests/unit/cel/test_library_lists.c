/* SPDX-License-Identifier: Apache-2.0 */
/* test_library_lists.c - sums, the least and the greatest of lists, and glob, which is held against a plain reading of its rule. */
#include "tests/unit/cel/evaluate.h"

#include "common/cel/function.h"
#include "common/cel/machine.h"

#include <time.h>

static void
adds_up(void **state)
{
	(void)state;
	ALL_TRUE("[1, 2, 3].sum() == 6", "[1u, 2u].sum() == 3u", "[0.5, 0.25].sum() == 0.75",
		 "[duration('1m'), duration('1s')].sum() == duration('61s')", "[7].sum() == 7",
		 "[].sum() == 0", "[9223372036854775807, -1].sum() == 9223372036854775806",
		 "math.isInf([1.7e308, 1.7e308].sum())", "type([1u].sum()) == uint");
	ALL_FAIL("overflow", "[9223372036854775807, 1].sum()", "[-9223372036854775808, -1].sum()",
		 "[18446744073709551615u, 1u].sum()");
	ALL_FAIL("range", "[duration('9223372036854775807ns'), duration('1ns')].sum()");
	ALL_FAIL("no_such_overload", "dyn([1, 1u]).sum()", "dyn([1, 1.0]).sum()", "dyn(['a']).sum()",
		 "dyn([true]).sum()", "dyn([null, 1]).sum()", "dyn([1, 'a', 2]).sum()",
		 "dyn([timestamp(0)]).sum()", "dyn('a').sum()");
}

static void
takes_the_least_and_the_greatest(void **state)
{
	(void)state;
	ALL_TRUE("[3, 1, 2].min() == 1", "[3, 1, 2].max() == 3", "[1u].min() == 1u",
		 "[1.5, -0.5].min() == -0.5", "[duration('1m'), duration('1s')].max() == duration('1m')",
		 "dyn([1, 2.5, 2u]).max() == 2.5", "type(dyn([1.0, 1]).min()) == double");
	ALL_FAIL("range", "[].min()", "[].max()", "[1.0, 0.0/0.0].min()", "[0.0/0.0, 1.0].max()");
	ALL_FAIL("no_such_overload", "dyn(['a', 'b']).min()", "dyn([1, 'b']).max()",
		 "dyn([1, duration('1s')]).max()", "dyn([true]).min()");
}

static void
matches_the_whole_text(void **state)
{
	(void)state;
	ALL_TRUE("glob('', '')", "!glob('a', '')", "!glob('', 'a')", "glob('', '*')", "glob('', '**')",
		 "!glob('', '?')", "glob('abc', 'abc')", "!glob('abcd', 'abc')", "!glob('xabc', 'abc')",
		 "glob('abc', '*')", "glob('abc', 'a*')", "glob('abc', '*c')", "glob('abc', '*b*')",
		 "glob('abc', 'a*c')", "!glob('abc', 'a*b')", "glob('abc', '??\?')", "!glob('abc', '?\?')",
		 "!glob('abc', '???\?')", "glob('abc', 'a?c')", "glob('é😀', '?\?')", "!glob('é', '?\?')",
		 "glob('é😀x', '?*x')", "glob('é😀x', 'é?x')", "!glob('éx', 'é?x')", "glob('a/b.c', 'a*c')",
		 "glob('a\\nb', 'a?b')", "glob('abab', '*ab')", "glob('aab', '*ab')", "!glob('ab', '*ab?')",
		 "glob('coding-agent-7', 'coding-agent-*')");
}

static void
takes_everything_else_literally(void **state)
{
	(void)state;
	ALL_TRUE("glob('[a]', '[a]')", "!glob('a', '[a]')", "glob('\\\\*', '\\\\*')",
		 "glob('\\\\abc', '\\\\*')", "!glob('*', '\\\\*')", "glob('a.b', 'a.b')",
		 "!glob('axb', 'a.b')", "glob('{a,b}', '{a,b}')", "glob('^a$', '^a$')", "!glob('ABC', 'abc')",
		 "glob('a\\x00b', 'a\\x00b')");
	ALL_FAIL("no_such_overload", "glob(dyn(1), '*')", "glob('a', dyn(b'*'))");
}

static bool
starts_point(char byte)
{
	return ((unsigned char)byte & 0xC0) != 0x80;
}

/* The rule, read from left to right, trying everything. */
static bool
plainly(const char *text, const char *pattern)
{
	if (*pattern == '\0')
		return *text == '\0';
	if (*pattern == '*')
		return plainly(text, pattern + 1) || (*text && plainly(text + 1, pattern));
	if (*text == '\0')
		return false;
	if (*pattern != '?')
		return *text == *pattern && plainly(text + 1, pattern + 1);
	for (text++; !starts_point(*text); text++)
		;
	return plainly(text, pattern + 1);
}

static struct cel_value
call_glob(const char *text, size_t text_length, const char *pattern, size_t pattern_length)
{
	struct cel_run run = {.cost_max = 1000000};
	struct cel_machine machine;
	const struct cel_overload *overload = cel_library_lists;

	while (strcmp(overload->name, "glob") != 0)
		overload++;
	cel_machine_start(&machine, &run, NULL);
	return overload->call(
	    &machine,
	    (const struct cel_value[]){cel_string(text, text_length), cel_string(pattern, pattern_length)}, 2);
}

static uint64_t random_state = 88172645463325252ULL;

static size_t
pick(size_t count)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % count;
}

static void
make_text(char *text, size_t pieces, const char *const *from, size_t count)
{
	*text = '\0';
	while (pieces-- > 0)
		strcat(text, from[pick(count)]);
}

static void
agrees_with_the_rule_tried_plainly(void **state)
{
	static const char *const pieces[] = {"a", "b", "é", "è", "😀", "*", "?", "*", "?"};
	char text[256], pattern[256];
	int matched = 0;

	(void)state;
	for (int i = 0; i < 300000; i++) {
		make_text(text, pick(i % 50 ? 8 : 60), pieces, i % 50 ? 5 : 2);
		make_text(pattern, pick(i % 50 ? 7 : 60), pieces, i % 50 ? 9 : 2);
		if (i % 50
		    == 0) { /* long ones, past the first words of the sets: the text with a hole and a star */
			strcpy(pattern, text);
			if (*pattern) {
				pattern[pick(strlen(pattern))] = i % 3 ? '?' : 'b';
				strcat(pattern, "*");
			}
		}

		struct cel_value value = call_glob(text, strlen(text), pattern, strlen(pattern));

		if (value.kind != CEL_BOOL || value.as.boolean != plainly(text, pattern))
			fail_msg("glob('%s', '%s')", text, pattern);
		matched += value.as.boolean;
	}
	assert_true(matched > 10000);
}

static void
no_pattern_is_slow_and_none_is_endless(void **state)
{
	static char text[8192];
	char pattern[256];
	struct timespec from, to;

	(void)state;
	memset(text, 'a', sizeof text);
	for (size_t i = 0; i < 255; i++)
		pattern[i] = i % 2 ? 'a' : '*';
	pattern[254] = 'b';
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	for (int i = 0; i < 10; i++)
		assert_false(call_glob(text, sizeof text, pattern, 255).as.boolean);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	assert_true((double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) * 1e-9 < 0.5);
	memset(pattern, '?', 255);
	assert_true(call_glob(text, 255, pattern, 255).as.boolean);
	assert_false(call_glob(text, 254, pattern, 255).as.boolean);
	assert_false(call_glob(text, 256, pattern, 255).as.boolean);
	pattern[254] = '*';
	assert_true(call_glob(text, sizeof text, pattern, 255).as.boolean);
	assert_int_equal(call_glob(text, 1, text, 256).code, CEL_RANGE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(adds_up),
	    cmocka_unit_test(takes_the_least_and_the_greatest),
	    cmocka_unit_test(matches_the_whole_text),
	    cmocka_unit_test(takes_everything_else_literally),
	    cmocka_unit_test(agrees_with_the_rule_tried_plainly),
	    cmocka_unit_test(no_pattern_is_slow_and_none_is_endless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
