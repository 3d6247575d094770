/* SPDX-License-Identifier: Apache-2.0 */
/* test_library_strings.c - functions over strings in expressions. */
#include "tests/unit/cel/evaluate.h"

static void
counts_code_points(void **state)
{
	(void)state;
	ALL_TRUE("'tacocat'.charAt(3) == 'o'", "'tacocat'.charAt(7) == ''", "''.charAt(0) == ''",
		 "'😀é'.charAt(1) == 'é'", "'ta©o©αT'.substring(2, 6) == '©o©α'",
		 "'tacocat'.substring(4) == 'cat'", "'tacocat'.substring(7) == ''",
		 "'😀é'.substring(2) == ''", "''.substring(0, 0) == ''", "'a\\x00b'.substring(1) == '\\x00b'");
	ALL_FAIL("range", "'tacocat'.charAt(8)", "'tacocat'.charAt(-1)", "'é'.charAt(2)", "'é'.substring(2)",
		 "'abc'.substring(-1)", "'abc'.substring(4)", "'abc'.substring(2, 1)",
		 "'abc'.substring(1, 4)", "'abc'.substring(0, -1)", "'abc'.substring(9223372036854775807)",
		 "'abc'.charAt(-9223372036854775808)");
	ALL_FAIL("no_such_overload", "dyn(42).charAt(2)", "'a'.charAt(dyn(1u))", "'a'.charAt(dyn(true))",
		 "'a'.substring(0, 1, 2)");
}

static void
finds_from_the_front(void **state)
{
	(void)state;
	ALL_TRUE("'hello mellow'.indexOf('') == 0", "'hello mellow'.indexOf('ello') == 1",
		 "'hello mellow'.indexOf('jello') == -1", "'hello mellow'.indexOf('', 2) == 2",
		 "'hello mellow'.indexOf('ello', 2) == 7", "'hello'.indexOf('', 5) == 5",
		 "'hello'.indexOf('o', 5) == -1", "''.indexOf('') == 0", "''.indexOf('a') == -1",
		 "'ta©o©αT'.indexOf('©', 3) == 4", "'ta©o©αT'.indexOf('©α', 5) == -1",
		 "'aaab'.indexOf('aab') == 1", "'hello'.indexOf('ello', 1) == 1",
		 "'hello'.indexOf('ello', 2) == -1");
	ALL_FAIL("range", "'hello'.indexOf('o', 6)", "'hello'.indexOf('', 6)", "'hello'.indexOf('o', -1)",
		 "'é'.indexOf('x', 2)");
	ALL_FAIL("no_such_overload", "dyn(24).indexOf('2')", "'hello'.indexOf(dyn(true))",
		 "'42'.indexOf('4', 0, 1)");
}

static void
finds_from_the_end(void **state)
{
	(void)state;
	ALL_TRUE("'hello mellow'.lastIndexOf('') == 12", "'hello mellow'.lastIndexOf('ello') == 7",
		 "'hello mellow'.lastIndexOf('jello') == -1", "'hello mellow'.lastIndexOf('ello', 6) == 1",
		 "'hello mellow'.lastIndexOf('ello', 7) == 7", "'tacocat'.lastIndexOf('', 3) == 3",
		 "''.lastIndexOf('') == 0", "''.lastIndexOf('@@') == -1",
		 "'bananananana'.lastIndexOf('nana', 7) == 6", "'aaaa'.lastIndexOf('aa') == 2",
		 "'ta©o©αT'.lastIndexOf('©', 3) == 2", "'ta©o©αT'.lastIndexOf('©α', 4) == 4",
		 "'abc'.lastIndexOf('a', 0) == 0", "'abc'.lastIndexOf('b', 0) == -1",
		 "'abc'.lastIndexOf('abcd', 3) == -1", "'abc'.lastIndexOf('c', 3) == 2");
	ALL_FAIL("range", "'abc'.lastIndexOf('a', 4)", "'abc'.lastIndexOf('abcd', 4)",
		 "'abc'.lastIndexOf('a', -1)");
}

static void
changes_ascii_letters_alone(void **state)
{
	(void)state;
	ALL_TRUE("'TacoCÆt @[`{ Xii'.lowerAscii() == 'tacocÆt @[`{ xii'",
		 "'tacoCαt @[`{ xii'.upperAscii() == 'TACOCαT @[`{ XII'", "'AZaz'.lowerAscii() == 'azaz'",
		 "'AZaz'.upperAscii() == 'AZAZ'", "''.lowerAscii() == ''");
}

static void
replaces(void **state)
{
	(void)state;
	ALL_TRUE("'hello hello'.replace('he', 'we') == 'wello wello'",
		 "'hello hello'.replace('he', 'we', -1) == 'wello wello'",
		 "'hello hello'.replace('he', 'we', 1) == 'wello hello'",
		 "'hello hello'.replace('he', 'we', 0) == 'hello hello'",
		 "'hello hello'.replace('', '_') == '_h_e_l_l_o_ _h_e_l_l_o_'",
		 "'é😀'.replace('', '_') == '_é_😀_'", "'é😀'.replace('', '_', 2) == '_é_😀'",
		 "''.replace('', '_') == '_'", "''.replace('a', '_') == ''",
		 "'hello hello'.replace('h', '') == 'ello ello'", "'aaa'.replace('aa', 'b') == 'ba'",
		 "'aaa'.replace('a', '') == ''", "'abc'.replace('c', 'd') == 'abd'",
		 "'abc'.replace('abc', '') == ''", "'abc'.replace('', '') == 'abc'");
	ALL_FAIL("no_such_overload", "'42'.replace(dyn(2), '1')", "'42'.replace('2', '1', 1, false)");
}

static void
splits_and_joins(void **state)
{
	(void)state;
	ALL_TRUE("'hello hello hello'.split(' ') == ['hello', 'hello', 'hello']", "'a b c'.split(' ', 0) == []",
		 "'a b c'.split(' ', 1) == ['a b c']", "'a b c'.split(' ', 2) == ['a', 'b c']",
		 "'a b c'.split(' ', -1) == ['a', 'b', 'c']", "'a b c'.split(' ', 9) == ['a', 'b', 'c']",
		 "' a '.split(' ') == ['', 'a', '']", "'é😀x'.split('') == ['é', '😀', 'x']",
		 "'é😀x'.split('', 2) == ['é', '😀x']", "''.split('') == []", "''.split(' ') == ['']",
		 "''.split(' ', 0) == []", "'aaa'.split('aa') == ['', 'a']", "['x', 'y'].join() == 'xy'",
		 "['x', 'y'].join('-') == 'x-y'", "[].join() == ''", "[].join('-') == ''",
		 "['', ''].join('-') == '-'", "['a'].join('-') == 'a'",
		 "'a b c'.split(' ').join(' ') == 'a b c'");
	ALL_FAIL("no_such_overload", "dyn(['a', 1]).join('-')", "dyn([1]).join()", "'42'.split(dyn(2))",
		 "['a'].join(dyn(1))");
}

static void
trims_what_unicode_calls_white_space(void **state)
{
	(void)state;
	ALL_TRUE("'  \\ttrim\\n    '.trim() == 'trim'",
		 "' \\u0085\\u00a0\\u1680\\u2000\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000'.trim() == ''",
		 "'\\u180etext\\u200b\\ufeff'.trim() == '\\u180etext\\u200b\\ufeff'",
		 "' a b '.trim() == 'a b'", "''.trim() == ''", "'\\u001f\\u200b'.trim().size() == 2");
}

static void
reverses_and_quotes(void **state)
{
	(void)state;
	ALL_TRUE(
	    "'Ta©o😀t'.reverse() == 't😀o©aT'", "''.reverse() == ''", "strings.quote('a\"b') == '\"a\\\\\"b\"'",
	    "strings.quote('\\a\\b\\f\\n\\r\\t\\v\\\\') == '\"\\\\a\\\\b\\\\f\\\\n\\\\r\\\\t\\\\v\\\\\\\\\"'",
	    "strings.quote('é\\x00\\x01') == '\"é\\x00\\x01\"'", "strings.quote('') == '\"\"'");
}

/* A text of 2^n letters that differ from each other in nothing. */
#define LONG(n) "[''].map(x, 'a')" n "[0]"
#define TWICE ".map(x, x + x)"
#define EIGHT TWICE TWICE TWICE TWICE TWICE TWICE TWICE TWICE

static void
what_grows_too_long_is_an_error(void **state)
{
	(void)state;
	ALL_TRUE("cel.bind(s, " LONG(EIGHT TWICE TWICE TWICE TWICE TWICE) ", s.size() == 8192)",
		 "cel.bind(s, " LONG(EIGHT TWICE TWICE TWICE TWICE) ", s.replace('a', 'bc').size() == 8192)");
	ALL_FAIL("memory",
		 "cel.bind(s, " LONG(EIGHT TWICE TWICE TWICE TWICE) ", s.replace('a', 'bcd').size() > 0)",
		 "cel.bind(s, " LONG(EIGHT TWICE TWICE TWICE TWICE) ", [s, s, s].join().size() > 0)",
		 "cel.bind(s, " LONG(EIGHT TWICE TWICE TWICE TWICE) ", strings.quote(s + s).size() > 0)",
		 "cel.bind(s, " LONG(EIGHT TWICE TWICE TWICE TWICE) ", '%s %s'.format([s, s]).size() > 0)",
		 "cel.bind(s, " LONG(EIGHT TWICE TWICE TWICE TWICE) ", '%x'.format([s + 'a']).size() > 0)");
}

static void
no_text_takes_more_than_its_cost(void **state)
{
	(void)state;
	ALL_TRUE(
	    "cel.bind(s, " LONG(EIGHT TWICE TWICE TWICE TWICE) ", s.lastIndexOf('b' + s.substring(1)) == -1)",
	    "cel.bind(s, " LONG(EIGHT TWICE TWICE TWICE TWICE) ", s.indexOf(s.substring(2048) + 'b') == -1)");
	ALL_FAIL("cost",
		 "cel.bind(s, " LONG(
		     EIGHT TWICE TWICE TWICE TWICE TWICE) ", s.split('').join().split('').size() > 0)");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(counts_code_points),
	    cmocka_unit_test(finds_from_the_front),
	    cmocka_unit_test(finds_from_the_end),
	    cmocka_unit_test(changes_ascii_letters_alone),
	    cmocka_unit_test(replaces),
	    cmocka_unit_test(splits_and_joins),
	    cmocka_unit_test(trims_what_unicode_calls_white_space),
	    cmocka_unit_test(reverses_and_quotes),
	    cmocka_unit_test(what_grows_too_long_is_an_error),
	    cmocka_unit_test(no_text_takes_more_than_its_cost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
