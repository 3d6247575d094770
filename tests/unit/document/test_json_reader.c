/* SPDX-License-Identifier: Apache-2.0 */
/* test_json_reader.c - JSON with places: takes what json_parse takes, as the same value, and says of the rest what was expected. */
#include "tests/unit/document/document_test.h"

static void
every_text_is_read_as_json_parse_reads_it(void **state)
{
	static const char *const texts[] = {
	    "{}", "[]", " [ ] ", "{\"a\":1}", "[1,-0,0.5,1e3,1E+3,1e-3,-1.5]", "[true,false,null]",
	    "[\"\",\"a\",\"\\u00f6\"]", "[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]", "[\"\\ud83d\\ude00\"]",
	    "[\"\\uD83D\\uDE00\"]", "[\"\xf0\x9f\x98\x80\"]", "[9007199254740991,-9007199254740991]",
	    "[1e21,1.5e300]", "{\"a\":{\"b\":[{}]}}", "{\"\":1}", "[\"\x7f\"]", "[\"\\u0001\\u001f\"]",
	    "\r\n\t[1]\r\n",
	    /* and these by neither */
	    "", " ", "{", "[", "}", "]", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "{\"a\"}", "{\"a\":}",
	    "{\"a\":1,}", "{a:1}", "{'a':1}", "{1:2}", "{\"a\":1 \"b\":2}", "{\"a\":1}{}", "[1]x", "[01]",
	    "[1.]", "[.5]", "[+1]", "[-]", "[1e]", "[1e+]", "[0x1]", "[NaN]", "[Infinity]", "[True]", "[nul]",
	    "[nulll]", "[\"a]", "[\"a\nb\"]", "[\"\\q\"]", "[\"\\u12\"]", "[\"\\u12g4\"]", "[\"\\ud83d\"]",
	    "[\"\\ude00\"]", "[\"\\ud83d\\u0041\"]", "[\"\\ud83dx\"]", "[\"\\u0000\"]", "[\"\t\"]",
	    "[9007199254740992]", "[1e400]", "[1e-400]", "[1e17]", "{\"a\":1,\"a\":2}",
	    "{\"a\":1,\"\\u0061\":2}", "[1]//", "[1/**/]", "#\n[1]", "\xef\xbb\xbf[1]", "[\"\xff\"]",
	    "[\"\xc0\x80\"]", "[\"\xed\xa0\x80\"]", "7", "\"x\"", "true", "null",
	    "[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]", "[\"\\", "[\"\\u", "[tru"};
	size_t taken = 0;

	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		struct findings findings = findings_open(*state, FINDINGS_MAX);
		struct document document;
		struct error error = {0};
		size_t length = strlen(texts[i]);
		const struct value *value = json_parse(*state, texts[i], length, &json_limits_policy, &error);
		bool read = document_read(*state, "d", texts[i], length, DOCUMENT_JSON, &document, &findings);

		if (read != (value != NULL))
			fail_msg("json_parse and document_read differ about %s (%s)", texts[i],
				 read ? error.code : findings.items[0].text);
		if (read)
			assert_true(value_equal(value, document.value));
		else if (strcmp(findings.items[0].word, error.code) != 0)
			fail_msg("%s: %s by json_parse, %s here", texts[i], error.code, findings.items[0].word);
		taken += read;
	}
	assert_int_equal(taken, 18);
}

static void
a_refusal_says_where_and_what_was_expected(void **state)
{
	static const struct {
		const char *text, *place, *says;
	} texts[] = {
	    {"{\n  \"a\": 1,\n}", "syntax 2:9", "comma"},
	    {"{\n  \"a\": 1\n  \"b\": 2\n}", "syntax 3:3", "comma or }"},
	    {"{\n  a: 1\n}", "syntax 2:3", "double quotes"},
	    {"{'a': 1}", "syntax 1:2", "not with '"},
	    {"{\"a\" 1}", "syntax 1:6", "colon"},
	    {"{\"a\": True}", "syntax 1:7", "did you mean true"},
	    {"{\"a\": ALLOW}", "syntax 1:7", "double quotes"},
	    {"{\"\xc3\xb6\": x y}", "syntax 1:7", "double quotes"},
	    {"{\"a\": [1, 2}", "syntax 1:12", "comma or ]"},
	    {"{\"a\": 1", "syntax 1:8", "ends"},
	    {"{\"a\": \"x\n}", "syntax 1:7", "in its line"},
	    {"{\"a\": \"x", "syntax 1:7", "inside this string"},
	    {"{\"a\": \"\\d\"}", "syntax 1:8", "backslash"},
	    {"{\"a\": 1} // x", "syntax 1:10", "comments"},
	    {"{\"a\": 1} x", "syntax 1:10", "nothing more"},
	    {"{\"a\": 012}", "syntax 1:8", "0"},
	    {"{\"a\": 1,\n \"b\": 1,\n \"a\": 2}", "duplicate_key 3:2", "line 1"},
	};

	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		struct findings findings = findings_open(*state, FINDINGS_MAX);
		struct document document;

		refused(*state, DOCUMENT_JSON, texts[i].text, texts[i].place);
		assert_false(document_read(*state, "d", texts[i].text, strlen(texts[i].text), DOCUMENT_JSON,
					   &document, &findings));
		if (!strstr(findings.items[0].text, texts[i].says))
			fail_msg("%s is not said of %s: %s", texts[i].says, texts[i].text,
				 findings.items[0].text);
	}
}

static void
several_names_that_stand_twice_are_all_told(void **state)
{
	static const char text[] = "{\"a\": 1, \"b\": 2,\n \"a\": 3, \"b\": 4, \"a\": 5}";
	struct findings findings = findings_open(*state, FINDINGS_MAX);
	struct document document;

	assert_false(document_read(*state, "d", text, strlen(text), DOCUMENT_JSON, &document, &findings));
	assert_int_equal(findings.count, 3);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    STORY(every_text_is_read_as_json_parse_reads_it),
	    STORY(a_refusal_says_where_and_what_was_expected),
	    STORY(several_names_that_stand_twice_are_all_told),
	};

	return cmocka_run_group_tests_name("json_reader", tests, NULL, NULL);
}
