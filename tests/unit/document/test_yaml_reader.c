/* SPDX-License-Identifier: Apache-2.0 */
/* test_yaml_reader.c - YAML with the data of JSON and no more. */
#include "tests/unit/document/document_test.h"

/* A YAML text and the canonical JSON of the same data. */
static void
means(struct arena *arena, const char *text, const char *json)
{
	struct document document = read_text(arena, DOCUMENT_YAML, text);

	if (strcmp(canonical(arena, document.value), json) != 0)
		fail_msg("%s expected, is %s for:\n%s", json, canonical(arena, document.value), text);
}

static void
plain_scalars_are_those_of_the_core_schema_that_json_has(void **state)
{
	static const char *const scalars[][2] = {{"", "null"},
						 {"~", "null"},
						 {"null", "null"},
						 {"Null", "null"},
						 {"NULL", "null"},
						 {"true", "true"},
						 {"True", "true"},
						 {"TRUE", "true"},
						 {"false", "false"},
						 {"False", "false"},
						 {"FALSE", "false"},
						 {"0", "0"},
						 {"7", "7"},
						 {"-7", "-7"},
						 {"+7", "7"},
						 {"007", "7"},
						 {"-0", "0"},
						 {"0.0", "0"},
						 {"-0.0", "0"},
						 {"1.5", "1.5"},
						 {"1.", "1"},
						 {".5", "0.5"},
						 {"-.5", "-0.5"},
						 {"1e3", "1000"},
						 {"1E+3", "1000"},
						 {"15e-1", "1.5"},
						 {"1.e1", "10"},
						 {"9007199254740991", "9007199254740991"},
						 {"1e21", "1e+21"},
						 {"yes", "\"yes\""},
						 {"no", "\"no\""},
						 {"on", "\"on\""},
						 {"off", "\"off\""},
						 {"y", "\"y\""},
						 {"nULL", "\"nULL\""},
						 {"tRue", "\"tRue\""},
						 {"0o7", "\"0o7\""},
						 {"0x1F", "\"0x1F\""},
						 {"0b1", "\"0b1\""},
						 {"1_000", "\"1_000\""},
						 {"1,000", "\"1,000\""},
						 {"2026-01-01", "\"2026-01-01\""},
						 {"12:30", "\"12:30\""},
						 {"12:30:45", "\"12:30:45\""},
						 {".inf", "\".inf\""},
						 {"-.INF", "\"-.INF\""},
						 {".nan", "\".nan\""},
						 {".", "\".\""},
						 {"-", "[null]"},
						 {"+", "\"+\""},
						 {"1e", "\"1e\""},
						 {"1e+", "\"1e+\""},
						 {"e1", "\"e1\""},
						 {"1.2.3", "\"1.2.3\""},
						 {"--1", "\"--1\""},
						 {"1 2", "\"1 2\""},
						 {"'true'", "\"true\""},
						 {"\"7\"", "\"7\""},
						 {"''", "\"\""},
						 {"\"null\"", "\"null\""},
						 {"a b", "\"a b\""},
						 {"<<", "\"<<\""},
						 {"=", "\"=\""}};

	for (size_t i = 0; i < COUNT_OF(scalars); i++)
		means(*state,
		      strcmp(scalars[i][0], "-") == 0 ? "k:\n -"
						      : arena_format(*state, "k: %s\n", scalars[i][0]),
		      arena_format(*state, "{\"k\":%s}", scalars[i][1]));
}

static void
blocks_flows_and_quotes_are_read(void **state)
{
	means(*state, "a: 1\nb:\n  - x\n  - {c: [1, two, 'th''ree', \"f\\u00f6ur\"]}\n",
	      "{\"a\":1,\"b\":[\"x\",{\"c\":[1,\"two\",\"th'ree\",\"f\xc3\xb6ur\"]}]}");
	means(*state, "a: |\n  one\n   two\n\n  three\nb: >-\n  one\n  two\n\n  three\n",
	      "{\"a\":\"one\\n two\\n\\nthree\\n\",\"b\":\"one two\\nthree\"}");
	means(*state, "# a comment\n--- # another\na: b # c\n...\n", "{\"a\":\"b\"}");
	means(*state, "a: context.x != 'a b' && context.y\n", "{\"a\":\"context.x != 'a b' && context.y\"}");
	means(*state, "a: 'x: y #z'\n", "{\"a\":\"x: y #z\"}");
	means(*state, "\"a\\tb\": 1\n'1': 2\n\"true\": 3\n", "{\"1\":2,\"a\\tb\":1,\"true\":3}");
	means(*state, "{\"a\": [1, 2.5, \"x\", null, true], \"b\": {}}",
	      "{\"a\":[1,2.5,\"x\",null,true],\"b\":{}}");
	means(*state, "a: {}\nb: []\r\nc: \"\xf0\x9f\x98\x80\"\r\n",
	      "{\"a\":{},\"b\":[],\"c\":\"\xf0\x9f\x98\x80\"}");
	means(*state, "- 1\n- 2\n", "[1,2]");
}

static void
what_json_has_not_is_refused_where_it_stands(void **state)
{
	static const char *const texts[][2] = {
	    {"a: &x 1\nb: 2\n", "yaml_form 1:4"},
	    {"a: 1\nb: *x\n", "yaml_form 2:4"},
	    {"a: &x [1]\n", "yaml_form 1:4"},
	    {"a: &x {b: 1}\n", "yaml_form 1:4"},
	    {"a: !!int '1'\n", "yaml_form 1:4"},
	    {"a: !context.tests_passed\n", "yaml_form 1:4"},
	    {"a: ! x\n", "yaml_form 1:4"},
	    {"a: !!map {}\n", "yaml_form 1:4"},
	    {"a: !x []\n", "yaml_form 1:4"},
	    {"%YAML 1.1\n---\na: 1\n", "yaml_form 1:1"},
	    {"%TAG ! tag:x,2026:\n---\na: 1\n", "yaml_form 1:1"},
	    {"a: 1\n---\nb: 2\n", "yaml_form 2:1"},
	    {"a: 1\n...\n---\n...\n", "yaml_form 3:1"},
	    {"<<: {a: 1}\n", "yaml_form 1:1"},
	    {"1: x\n", "yaml_form 1:1"},
	    {"true: x\n", "yaml_form 1:1"},
	    {"~: x\n", "yaml_form 1:1"},
	    {": x\n", "syntax 1:1"},
	    {"[a, b]: x\n", "yaml_form 1:1"},
	    {"{a: 1}: x\n", "yaml_form 1:1"},
	    {"? [a]\n: x\n", "yaml_form 1:3"},
	    {"a: 1\nb: 2\na: 3\n", "duplicate_key 3:1"},
	    {"a: 1\n\"a\": 3\n", "duplicate_key 2:1"},
	    {"a: {b: 1, c: 2, b: 3}\n", "duplicate_key 1:17"},
	    {"a: 9007199254740992\n", "number_range 1:4"},
	    {"a: -9007199254740992\n", "number_range 1:4"},
	    {"a: 99999999999999999999\n", "number_range 1:4"},
	    {"a: 1e400\n", "number_range 1:4"},
	    {"a: 1e-400\n", "number_range 1:4"},
	    {"a: 1e17\n", "number_range 1:4"},
	    {"a: \"x\\0y\"\n", "encoding 1:4"},
	    {"\"a\\0\": 1\n", "encoding 1:1"},
	    {"a: x: y\n", "syntax 1:5"},
	    {"a: [1, 2\nb: 3\n", "syntax 2:2"},
	    {"a: 'x\n", "syntax 2:1"},
	    {"a: \"\\q\"\n", "syntax 1:5"},
	    {"a: @x\n", "syntax 1:4"},
	    {"a: 1\n  b: 2\n", "syntax 2:4"},
	    {"a:\n\t- 1\n", "syntax 2:1"},
	    {"a: \x01\n", "encoding 1:4"},
	    {"\xc3\xb6: \x01\n", "encoding 1:4"},
	    {"a: \xff\n", "encoding 1:4"},
	    {"\xef\xbb\xbf"
	     "a: 1\n",
	     "encoding 1:1"},
	    {"", "empty 1:1"},
	    {"\n# nothing\n", "empty 1:1"},
	    {"---\n...\n", "not_an_object 2:1"},
	    {"just a text\n", "not_an_object 1:1"},
	    {"7", "not_an_object 1:1"},
	};

	for (size_t i = 0; i < COUNT_OF(texts); i++)
		refused(*state, DOCUMENT_YAML, texts[i][0], texts[i][1]);
	assert_string_equal(refusal(*state, DOCUMENT_YAML, "a: b\0c", 6), "encoding 1:5");
	assert_string_equal(refusal(*state, DOCUMENT_YAML, "a\0: 1\0", 8), "encoding 1:2");
}

/* `count` times a text. */
static const char *
times(struct arena *arena, size_t count, const char *text)
{
	struct buffer buffer = {.arena = arena};

	buffer_add_text(&buffer, "");
	for (size_t i = 0; i < count; i++)
		buffer_add_text(&buffer, text);
	return buffer.bytes;
}

static const char *
counted(struct arena *arena, size_t count, const char *format, const char *behind)
{
	struct buffer buffer = {.arena = arena};

	buffer_add_text(&buffer, "");
	for (size_t i = 0; i < count; i++)
		buffer_add_format(&buffer, "%s%zu%s", format, i, behind);
	return buffer.bytes;
}

static void
every_limit_holds_just_below_and_just_above(void **state)
{
	struct arena *arena = *state;

	read_text(arena, DOCUMENT_YAML,
		  arena_format(arena, "%s1%s", times(arena, 16, "["), times(arena, 16, "]")));
	refused(arena, DOCUMENT_YAML,
		arena_format(arena, "%s1%s", times(arena, 17, "["), times(arena, 17, "]")), "too_deep 1:17");
	refused(arena, DOCUMENT_YAML, times(arena, 100000, "["), "too_deep 1:17");
	refused(arena, DOCUMENT_YAML, times(arena, 100000, "- "), "too_deep 1:33");
	read_text(arena, DOCUMENT_YAML, times(arena, 20000, "- 1\n"));
	refused(arena, DOCUMENT_YAML, times(arena, 20001, "- 1\n"), "too_many_items 1:1");
	read_text(arena, DOCUMENT_YAML, counted(arena, 20000, "k", ": 1\n"));
	refused(arena, DOCUMENT_YAML, counted(arena, 20001, "k", ": 1\n"), "too_many_members 1:1");
	read_text(arena, DOCUMENT_YAML, arena_format(arena, "a: %s", times(arena, 8192, "x")));
	refused(arena, DOCUMENT_YAML, arena_format(arena, "a: %s", times(arena, 8193, "x")),
		"string_too_long 1:4");
	read_text(arena, DOCUMENT_YAML, arena_format(arena, "%s: 1", times(arena, 128, "x")));
	refused(arena, DOCUMENT_YAML, arena_format(arena, "%s: 1", times(arena, 129, "x")), "key_too_long 1:1");
	read_text(arena, DOCUMENT_YAML,
		  arena_format(arena, "a: 1\n\n\n\n%s", times(arena, 4 * 1024 * 1024 / 4 - 2, "# x\n")));
	refused(arena, DOCUMENT_YAML,
		arena_format(arena, "a: 1\n\n\n\n\n%s", times(arena, 4 * 1024 * 1024 / 4 - 2, "# x\n")),
		"too_large 1:1");
}

static void
values_and_names_know_their_places(void **state)
{
	struct document document =
	    read_text(*state, DOCUMENT_YAML, "\xc3\xb6: 1\nrules:\n  - id: \"x\"\n    w: |\n      a\n");
	const struct spot *spot = document.spot, *rule;

	assert_int_equal(spot->value.line, 1);
	assert_int_equal(spot->below[0].name.column, 1);
	assert_int_equal(spot->below[0].value.column, 4);
	assert_int_equal(spot->below[1].name.line, 2);
	assert_int_equal(spot->below[1].value.line, 3);
	rule = &spot->below[1].below[0];
	assert_int_equal(rule->value.line, 3);
	assert_int_equal(rule->value.column, 5);
	assert_int_equal(rule->name.line, 0);
	assert_int_equal(rule->below[0].value.column, 9);
	assert_int_equal(rule->below[0].value.end - rule->below[0].value.start, 3);
	assert_int_equal(rule->below[1].name.line, 4);
	assert_int_equal(rule->below[1].value.line, 4);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    STORY(plain_scalars_are_those_of_the_core_schema_that_json_has),
	    STORY(blocks_flows_and_quotes_are_read),
	    STORY(what_json_has_not_is_refused_where_it_stands),
	    STORY(every_limit_holds_just_below_and_just_above),
	    STORY(values_and_names_know_their_places),
	};

	return cmocka_run_group_tests_name("yaml_reader", tests, NULL, NULL);
}
