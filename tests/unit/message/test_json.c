/* SPDX-License-Identifier: Apache-2.0 */
/* test_json.c - what the strict reader takes, what it refuses, and that every limit lies where it should. */
#include "common/message/json.h"
#include "common/canonical/canonical.h"
#include "tests/unit/message/message_test.h"

#include <math.h>

static struct value *
parse(struct arena *arena, const char *text)
{
	struct error error = {0};
	struct value *value = json_parse(arena, text, strlen(text), &json_limits_request, &error);

	if (!value)
		fail_msg("%.200s: %s at \"%s\": %s", text, error.code, error.field, error.text);
	return value;
}

static void
refuse_bytes(struct arena *arena, const char *bytes, size_t length, const char *code, const char *field)
{
	struct error error = {0};

	assert_null(json_parse(arena, bytes, length, &json_limits_request, &error));
	assert_refused(&error, code, field, bytes);
}

static void
refuse(struct arena *arena, const char *text, const char *code, const char *field)
{
	refuse_bytes(arena, text, strlen(text), code, field);
}

static void
kinds_are_told_apart_as_written(void **state)
{
	struct value *map =
	    parse(*state, " {\"n\":null,\"b\":true,\"i\":100,\"r\":100.0,\"e\":1e2,\"s\":\"x\",\"l\":[],"
			  "\"m\":{}}\r\n\t ");
	static const enum value_kind kinds[] = {VALUE_NULL, VALUE_BOOL,	  VALUE_INT,  VALUE_REAL,
						VALUE_REAL, VALUE_STRING, VALUE_LIST, VALUE_MAP};

	assert_int_equal(map->as.map.count, 8);
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(map->as.map.members[i].value->kind, kinds[i]);
	assert_true(map->as.map.members[1].value->as.boolean);
}

static void
members_keep_their_order_and_a_list_may_be_the_top(void **state)
{
	struct value *list = parse(*state, "[{\"z\":1,\"a\":[true,false]},\"\\u00e9\\ud83d\\ude00\"]");
	struct value *map = list->as.list.items[0];

	assert_int_equal(list->as.list.count, 2);
	assert_string_equal(map->as.map.members[0].name.bytes, "z");
	assert_string_equal(map->as.map.members[1].name.bytes, "a");
	assert_false(value_get(map, "a")->as.list.items[1]->as.boolean);
	assert_string_equal(list->as.list.items[1]->as.string.bytes, "é😀");
	assert_int_equal(list->as.list.items[1]->as.string.length, 6);
}

static void
exact_integers_stay_exact(void **state)
{
	struct value *map =
	    parse(*state, "{\"a\":9007199254740991,\"b\":-9007199254740991,\"c\":-0,\"d\":0}");

	assert_true(value_get(map, "a")->as.integer == INT64_C(9007199254740991));
	assert_true(value_get(map, "b")->as.integer == -INT64_C(9007199254740991));
	assert_int_equal(value_get(map, "c")->kind, VALUE_INT);
	assert_int_equal(value_get(map, "c")->as.integer, 0);
}

static void
numbers_that_would_be_changed_are_refused(void **state)
{
	static const char *const numbers[] = {
	    "9007199254740992",
	    "-9007199254740992",
	    "9007199254740993",
	    "9223372036854775807",
	    "9223372036854775808",
	    "-9223372036854775809",
	    "1e400",
	    "-1e400",
	    "1e309",
	    "1e-400",
	    "-1e-400",
	    "2e-324",
	    "0.1e-323",
	    "1E-500",
	    "9007199254740992.0",
	    "9007199254740993.0",
	    "-1e16",
	    "1e20",
	    "999999999999999868928.0",
	};

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		refuse(*state, arena_format(*state, "{\"x\":{\"n\":[1,%s]}}", numbers[i]), "number_range",
		       "x.n[1]");
	refuse(*state, arena_format(*state, "{\"n\":0.%s1}", repeated(*state, "0", 400)), "number_range", "n");
	refuse(*state, arena_format(*state, "{\"n\":%s}", repeated(*state, "9", 60000)), "number_range", "n");
}

static void
reals_near_the_edge_and_zeros_of_any_spelling_pass(void **state)
{
	struct value *map =
	    parse(*state, "{\"a\":5e-324,\"b\":1.7976931348623157e308,\"c\":0e-400,\"d\":0.000e9,"
			  "\"e\":-0.0,\"f\":1e-5,\"g\":9007199254740991.0,\"h\":1e21}");

	assert_true(value_get(map, "a")->as.real == 4.9406564584124654e-324);
	assert_true(value_get(map, "b")->as.real == 1.7976931348623157e308);
	assert_true(value_get(map, "c")->as.real == 0 && value_get(map, "d")->as.real == 0);
	assert_false(signbit(value_get(map, "e")->as.real)); /* one digest, so one value */
	assert_int_equal(value_get(map, "g")->kind, VALUE_REAL);
	assert_true(value_get(map, "h")->as.real == 1e21);
}

/* We read back what we stored, and what an agent sends again may have been through a canonicalizer. */
static void
what_passes_passes_in_its_canonical_form_as_the_same_value(void **state)
{
	static const char *const numbers[] = {
	    "0",
	    "-0.0",
	    "9007199254740991",
	    "-9007199254740991.0",
	    "1e15",
	    "9.007199254740991e15",
	    "1e21",
	    "1e22",
	    "-1.5e300",
	    "5e-324",
	    "0.1",
	    "1e-7",
	    "123e-2",
	    "4.5e15",
	    "0.1e1",
	    "1e0",
	    "4503599627370497.5",
	};

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		struct value *value = parse(*state, arena_format(*state, "{\"n\":[%s]}", numbers[i]));
		struct buffer text = {.arena = *state};
		struct error error = {0};

		assert_true(canonical_format(&text, value, &error));
		assert_true(value_equal(value, parse(*state, text.bytes)));
	}
}

static void
what_we_wrote_may_be_deeper_than_what_we_take(void **state)
{
	const char *deep = arena_format(*state, "%s%s", repeated(*state, "[", 32), repeated(*state, "]", 32));
	struct error error = {0};

	assert_non_null(json_parse(*state, deep, strlen(deep), &json_limits_event, &error));
	deep = arena_format(*state, "[%s]", deep);
	assert_null(json_parse(*state, deep, strlen(deep), &json_limits_event, &error));
	assert_string_equal(error.code, "too_deep");
}

static void
nothing_and_white_space_are_empty(void **state)
{
	struct error error = {0};

	refuse(*state, "", "empty", "");
	refuse(*state, " \t\r\n", "empty", "");
	assert_null(json_parse(*state, NULL, 0, &json_limits_request, &error));
	assert_refused(&error, "empty", "", "NULL");
}

static void
a_single_value_is_no_object(void **state)
{
	static const char *const scalars[] = {"1",	 "-1",	 "-0", "\"text\"", "true",
					      " false ", "null", "\"", "1e400"};

	for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
		refuse(*state, scalars[i], "not_an_object", "");
}

static void
what_is_almost_json_is_refused(void **state)
{
	static const char *const texts[] = {
	    "{",
	    "[",
	    "{\"a\"",
	    "{\"a\":",
	    "{\"a\":1",
	    "[1,]",
	    "{\"a\":1,}",
	    "{,}",
	    "{\"a\":NaN}",
	    "{\"a\":Infinity}",
	    "{\"a\":-Infinity}",
	    "{\"a\":01}",
	    "{\"a\":+1}",
	    "{\"a\":1.}",
	    "{\"a\":.5}",
	    "{\"a\":1e}",
	    "{\"a\":0x10}",
	    "{'a':1}",
	    "{a:1}",
	    "{\"a\":1}//x",
	    "/*x*/{\"a\":1}",
	    "{\"a\":1} {\"b\":2}",
	    "{\"a\":1}]",
	    "{\"a\":1}x",
	    "nonsense",
	    "tru",
	    "nul",
	    "{\"a\":tRue}",
	    "{\"a\":\"\x01\"}",
	    "{\"a\":\"\n\"}",
	    "{\"a\":\"\\x\"}",
	    "{\"a\":\"\\u12\"}",
	    "{\"a\":\"x}",
	    "]",
	    "}",
	    "}}}}[[[[",
	    "{\"a\" 1}",
	    "[1 2]",
	    "{\"a\":1 \"b\":2}",
	    "\x1e{}",
	    "{\"a\":1}\xc2\xa0",
	    "\\",
	    "{\"\\",
	    "{\"a\":-}",
	    "{1:2}",
	};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		refuse(*state, texts[i], "syntax", "");
}

static void
text_that_is_not_unicode_is_refused(void **state)
{
	static const struct {
		const char *text, *field;
	} cases[] = {
	    {"\xEF\xBB\xBF{\"a\":1}", ""},
	    {"\xFF\xFE{", ""},
	    {"\xFE\xFF", ""},
	    {"{\"a\":\"\\u0000\"}", "a"},
	    {"{\"b\":{\"x\\u0000y\":1}}", "b.x\\u0000y"},
	    {"{\"a\":\"\\ud800\"}", "a"},
	    {"{\"a\":[\"\\udc00\\ud800\"]}", "a[0]"},
	    {"{\"a\":\"\\ud800\\u0041\"}", "a"},
	    {"{\"a\":\"\\udc00\\udc00\"}", "a"},
	    {"{\"a\":\"\\ud83dx\\ude00\"}", "a"},
	    {"{\"a\":\"\\\\\\uDBFF\"}", "a"},
	    {"{\"a\":\"\xff\"}", "a"},
	    {"{\"a\":\"\xc0\xaf\"}", "a"},
	    {"{\"a\":\"\xed\xa0\x80\"}", "a"},
	    {"{\"a\":\"\xe2\x82\"}", "a"},
	    {"{\"a\":\"\xf4\x90\x80\x80\"}", "a"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		refuse(*state, cases[i].text, "encoding", cases[i].field);
	refuse_bytes(*state, "{\"a\":1}", 8, "encoding", ""); /* the NUL behind it */
	refuse_bytes(*state, "{\"a\":\"x\0y\"}", 11, "encoding", "");
	parse(*state, "{\"a\":\"\\\\ud800\"}"); /* a backslash and five letters */
	parse(*state, "{\"a\":\"\\ud83d\\ude00\\uFFFF\"}");
}

static void
a_name_twice_is_refused_however_it_is_spelled(void **state)
{
	refuse(*state, "{\"amount\":1,\"amount\":1000000}", "duplicate_key", "amount");
	refuse(*state, "{\"amount\":1,\"\\u0061mount\":1000000}", "duplicate_key", "\\u0061mount");
	refuse(*state, "{\"context\":{\"plan\":[0,{\"x\":1,\"y\":2,\"x\":3}]}}", "duplicate_key",
	       "context.plan[1].x");
	refuse(*state, "{\"\":1,\"\":1}", "duplicate_key", "\"\"");
	parse(*state, "{\"a\":{\"a\":{\"a\":1}},\"b\":{\"a\":1},\"A\":1}");
}

static const char *
nested(struct arena *arena, size_t depth)
{
	return arena_format(arena, "{\"a\":%s1%s}", repeated(arena, "[", depth - 1),
			    repeated(arena, "]", depth - 1));
}

static void
depth_is_bounded_before_anything_recurses(void **state)
{
	static const size_t depths[] = {17, 100, 2048, 2049, 30000};

	parse(*state, nested(*state, 16));
	for (size_t i = 0; i < sizeof depths / sizeof *depths; i++)
		refuse(*state, nested(*state, depths[i]), "too_deep",
		       "a[0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]");
	refuse(*state, repeated(*state, "[", 65536), "too_deep",
	       "[0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]");
	parse(*state,
	      "{\"a\":\"[[[[[[[[[[[[[[[[[[[[\\\"[[[[[[[[[[[[[[[[[[[[{{{{{{\"}"); /* brackets in a string are no depth */
	parse(*state, "[[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[]]");
}

static void
bytes_are_counted_first(void **state)
{
	size_t most = json_limits_request.bytes;

	parse(*state, arena_format(*state, "{}%s", repeated(*state, " ", most - 2)));
	refuse(*state, arena_format(*state, "{}%s", repeated(*state, " ", most - 1)), "too_large", "");
	refuse(*state, repeated(*state, "x", 10 * 1024 * 1024), "too_large", "");
}

static const char *
members(struct arena *arena, size_t count)
{
	struct buffer text = {.arena = arena};

	buffer_add_text(&text, "{\"m\":{");
	for (size_t i = 0; i < count; i++)
		buffer_add_format(&text, "%s\"k%zu\":1", i ? "," : "", i);
	buffer_add_text(&text, "}}");
	return text.bytes;
}

static void
members_items_strings_and_names_have_their_limits(void **state)
{
	parse(*state, members(*state, 256));
	refuse(*state, members(*state, 257), "too_many_members", "m");
	parse(*state, arena_format(*state, "{\"l\":[1%s]}", repeated(*state, ",1", 1023)));
	refuse(*state, arena_format(*state, "{\"l\":[1%s]}", repeated(*state, ",1", 1024)), "too_many_items",
	       "l");
	parse(*state, arena_format(*state, "{\"s\":\"%s\"}", repeated(*state, "é", 4096)));
	refuse(*state, arena_format(*state, "{\"s\":\"%sx\"}", repeated(*state, "é", 4096)),
	       "string_too_long", "s");
	parse(*state, arena_format(*state, "{\"%s\":1}", repeated(*state, "k", 128)));
	refuse(*state, arena_format(*state, "{\"%s\":1}", repeated(*state, "k", 129)), "key_too_long",
	       arena_format(*state, "%s…", repeated(*state, "k", 64)));
}

static void
a_policy_may_be_larger(void **state)
{
	struct error error = {0};
	const char *text = arena_format(*state, "[0%s]", repeated(*state, ",1", 19999));

	assert_non_null(json_parse(*state, text, strlen(text), &json_limits_policy, &error));
	text = arena_format(*state, "[0%s]", repeated(*state, ",1", 20000));
	assert_null(json_parse(*state, text, strlen(text), &json_limits_policy, &error));
	assert_refused(&error, "too_many_items", "", "20001 items");
	error_clear(&error);
	text = members(*state, 20000);
	assert_non_null(json_parse(*state, text, strlen(text), &json_limits_policy, &error));
	text = members(*state, 20001);
	assert_null(json_parse(*state, text, strlen(text), &json_limits_policy, &error));
	assert_refused(&error, "too_many_members", "m", "20001 members");
	error_clear(&error);
	text = nested(*state, 16);
	assert_non_null(json_parse(*state, text, strlen(text), &json_limits_policy, &error));
	text = nested(*state, 17);
	assert_null(json_parse(*state, text, strlen(text), &json_limits_policy, &error));
	error_clear(&error);
	text = arena_format(*state, "[]%s", repeated(*state, " ", 4 * 1024 * 1024 - 2));
	assert_non_null(json_parse(*state, text, strlen(text), &json_limits_policy, &error));
	text = arena_format(*state, "[]%s", repeated(*state, " ", 4 * 1024 * 1024 - 1));
	assert_null(json_parse(*state, text, strlen(text), &json_limits_policy, &error));
	assert_refused(&error, "too_large", "", "4 MiB and a byte");
}

static void
an_error_never_tells_a_value(void **state)
{
	static const char *const texts[] = {
	    "{\"password\":\"s3cr3t\",}",
	    "{\"password\":s3cr3t}",
	    "{\"password\":\"s3cr3t\xff\"}",
	    "{\"password\":\"s3cr3t\\ud800\"}",
	    "{\"password\":\"s3cr3t\",\"password\":1}",
	    "{\"password\":\"s3cr3t",
	    "s3cr3t",
	    "{\"password\":\"s3cr3t\"}s3cr3t",
	    "{\"password\":\"s3cr3t\\u0000\"}",
	};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct error error = {0};

		assert_null(json_parse(*state, texts[i], strlen(texts[i]), &json_limits_request, &error));
		assert_null(strstr(error.text, "s3cr3t"));
		assert_null(strstr(error.field, "s3cr3t"));
	}
}

static void
names_in_paths_can_do_no_harm(void **state)
{
	refuse(*state, "{\"a\\nb\\u001b[31m\":{\"\\u202e\\u200b\":1e400}}", "number_range",
	       "a\\nb\\u001b[31m.\\u202e\\u200b");
	refuse(*state, "{\"a\\nb\\u001b\":{\"\\u202e\\u200bé\":9007199254740993}}", "number_range",
	       "a\\u{a}b\\u{1b}.\\u{202e}\\u{200b}é");
	refuse(*state, "{\"\xff\xfe\":{\"x\":\"\xff\"}}", "encoding", ""); /* the name was not read */
	refuse(*state, "{\"x\":{\"\xff\":1}}", "encoding", "x");
}

static void
an_outline_tells_the_names_of_what_was_refused_for_a_limit(void **state)
{
	const char *deep =
	    arena_format(*state, "{\"request_id\":\"r-1\",\"data\":{\"tenant\":\"acme\",\"n\":7},\"x\":%s%s}",
			 repeated(*state, "[", 127), repeated(*state, "]", 127));
	struct value *outline = json_outline(*state, deep, strlen(deep));

	assert_string_equal(value_get_string(outline, "request_id"), "r-1");
	assert_string_equal(value_get_string(value_get(outline, "data"), "tenant"), "acme");
	assert_int_equal(value_get(value_get(outline, "data"), "n")->kind, VALUE_NULL);
	assert_int_equal(value_get(outline, "x")->kind, VALUE_NULL);
}

static void
there_is_no_outline_of_what_is_no_json_or_too_much(void **state)
{
	const char *texts[] = {
	    "",
	    "{",
	    "[]",
	    "7",
	    "{\"request_id\":\"a\",\"request_id\":\"b\"}",
	    arena_format(*state, "{\"x\":%s%s}", repeated(*state, "[", 128), repeated(*state, "]", 128)),
	    arena_format(*state, "{\"request_id\":\"a\",\"x\":\"%s\"}", repeated(*state, "x", 256 * 1024)),
	};
	const char *longest = arena_format(*state, "{\"a\":\"%s\",\"b\":\"%s\"}", repeated(*state, "x", 256),
					   repeated(*state, "x", 257));
	struct value *outline = json_outline(*state, longest, strlen(longest));

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		assert_null(json_outline(*state, texts[i], strlen(texts[i])));
	assert_non_null(value_get_string(outline, "a"));
	assert_null(value_get_string(outline, "b"));
}

/* Whatever the bytes are: an answer, no read beyond them, no crash. The sanitizers watch. */
static void
no_cut_and_no_flipped_byte_confuses_it(void **state)
{
	static const char text[] =
	    "{\"a\\u0041\":[1,-2.5e-3,\"\\ud83d\\ude00\\\"\",{\"b\":null}],\"c\":\"é\"}";
	size_t length = sizeof text - 1;
	struct arena *arena = arena_open();

	for (size_t at = 0; at < length; at++) {
		for (int byte = 0; byte < 256; byte++) {
			char *copy = memory_take(length); /* exactly so large: one byte more is a fault */
			struct error error = {0};

			memcpy(copy, text, length);
			copy[at] = (char)byte;
			if (!json_parse(arena, copy, length, &json_limits_request, &error))
				assert_int_equal(error.kind, ERROR_INVALID);
			error_clear(&error);
			if (!json_parse(arena, copy, at, &json_limits_request, &error))
				assert_int_equal(error.kind, ERROR_INVALID);
			(void)!json_outline(arena, copy, at);
			free(copy);
			arena_reset(arena);
		}
	}
	arena_close(arena);
	(void)state;
}

static void
a_string_may_hold_u0000_for_whoever_asks_for_it_and_a_name_never(void **state)
{
	static const char text[] = "{\"a\":\"x\\u0000y\"}", name[] = "{\"x\\u0000y\":1}";
	struct json_limits limits = json_limits_request;
	struct error error = {0};

	limits.nul = true;

	struct value *value = json_parse(*state, text, sizeof text - 1, &limits, &error);

	assert_non_null(value);
	assert_int_equal(value_get(value, "a")->as.string.length, 3);
	assert_memory_equal(value_get(value, "a")->as.string.bytes, "x\0y", 4);
	assert_null(json_parse(*state, name, sizeof name - 1, &limits, &error));
	assert_string_equal(error.code, "encoding");
}

static void
what_was_stored_is_read_or_broken(void **state)
{
	const struct value *value = NULL;
	struct error error = {0};

	assert_true(json_stored(*state, "[{\"a\":1}]", &value, &error));
	assert_int_equal(value->kind, VALUE_LIST);
	assert_true(json_stored(*state, NULL, &value, &error));
	assert_null(value);
	assert_false(json_stored(*state, "{", &value, &error));
	assert_null(value);
	assert_int_equal(error.kind, ERROR_BROKEN);
	assert_string_equal(error.code, "stored_request");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(what_was_stored_is_read_or_broken),
	    cmocka_unit_test(a_string_may_hold_u0000_for_whoever_asks_for_it_and_a_name_never),
	    cmocka_unit_test(kinds_are_told_apart_as_written),
	    cmocka_unit_test(members_keep_their_order_and_a_list_may_be_the_top),
	    cmocka_unit_test(exact_integers_stay_exact),
	    cmocka_unit_test(numbers_that_would_be_changed_are_refused),
	    cmocka_unit_test(reals_near_the_edge_and_zeros_of_any_spelling_pass),
	    cmocka_unit_test(what_passes_passes_in_its_canonical_form_as_the_same_value),
	    cmocka_unit_test(what_we_wrote_may_be_deeper_than_what_we_take),
	    cmocka_unit_test(nothing_and_white_space_are_empty),
	    cmocka_unit_test(a_single_value_is_no_object),
	    cmocka_unit_test(what_is_almost_json_is_refused),
	    cmocka_unit_test(text_that_is_not_unicode_is_refused),
	    cmocka_unit_test(a_name_twice_is_refused_however_it_is_spelled),
	    cmocka_unit_test(depth_is_bounded_before_anything_recurses),
	    cmocka_unit_test(bytes_are_counted_first),
	    cmocka_unit_test(members_items_strings_and_names_have_their_limits),
	    cmocka_unit_test(a_policy_may_be_larger),
	    cmocka_unit_test(an_error_never_tells_a_value),
	    cmocka_unit_test(names_in_paths_can_do_no_harm),
	    cmocka_unit_test(an_outline_tells_the_names_of_what_was_refused_for_a_limit),
	    cmocka_unit_test(there_is_no_outline_of_what_is_no_json_or_too_much),
	    cmocka_unit_test(no_cut_and_no_flipped_byte_confuses_it),
	};

	return cmocka_run_group_tests_name("json", tests, open_arena, close_arena);
}
