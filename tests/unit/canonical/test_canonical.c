/* SPDX-License-Identifier: Apache-2.0 */
/* test_canonical.c - RFC 8785's samples and the test pairs that go with it, typed as values; and what has no canonical form. */
#include "common/canonical/canonical.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static int
open_arena(void **state)
{
	*state = arena_open();
	return 0;
}

static int
close_arena(void **state)
{
	arena_close(*state);
	return 0;
}

static const char *
canonical(struct arena *arena, const struct value *value)
{
	struct buffer out = {.arena = arena};
	struct error error = {0};

	if (!canonical_format(&out, value, &error))
		fail_msg("%s: %s", error.field, error.text);
	return out.bytes;
}

/* {"name": "text", ...} of pairs that end with NULL. */
static struct value *
texts(struct arena *arena, const char *const *pairs)
{
	struct value *map = value_map(arena);

	for (; *pairs; pairs += 2)
		value_set(arena, map, pairs[0], value_string(arena, pairs[1]));
	return map;
}

static struct value *
with(struct arena *arena, struct value *map, const char *name, struct value *value)
{
	value_set(arena, map, name, value);
	return map;
}

static struct value *
list(struct arena *arena, struct value *const *items)
{
	struct value *value = value_list(arena);

	for (; *items; items++)
		value_append(arena, value, *items);
	return value;
}
#define LIST(arena, ...) list(arena, (struct value *const[]){__VA_ARGS__, NULL})

/* 3.2.2 to 3.2.4: the example of the text, to the byte. */
static void
the_example_of_the_text_comes_out(void **state)
{
	struct value *map = value_map(*state);

	with(*state, map, "numbers",
	     LIST(*state, value_real(*state, 333333333.33333329), value_real(*state, 1E30),
		  value_real(*state, 4.50), value_real(*state, 2e-3),
		  value_real(*state, 0.000000000000000000000000001)));
	with(*state, map, "string", value_string(*state, "\xe2\x82\xac$\x0f\nA'B\"\\\\\"/"));
	with(*state, map, "literals",
	     LIST(*state, value_null(*state), value_bool(*state, true), value_bool(*state, false)));
	assert_string_equal(
	    canonical(*state, map),
	    "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],"
	    "\"string\":\"\xe2\x82\xac$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}");
}

/* 3.2.3: the emoji is two surrogates in UTF-16, which sort before U+FB33. */
static void
members_are_sorted_by_utf16_code_units(void **state)
{
	struct value *map = texts(
	    *state, (const char *const[]){"\xe2\x82\xac", "Euro Sign", "\r", "Carriage Return",
					  "\xef\xac\xb3", "Hebrew Letter Dalet With Dagesh", "1", "One",
					  "\xf0\x9f\x98\x80", "Emoji: Grinning Face", "\xc2\x80", "Control",
					  "\xc3\xb6", "Latin Small Letter O With Diaeresis", NULL});

	assert_string_equal(
	    canonical(*state, map),
	    "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\xc2\x80\":\"Control\","
	    "\"\xc3\xb6\":\"Latin Small Letter O With Diaeresis\",\"\xe2\x82\xac\":\"Euro Sign\","
	    "\"\xf0\x9f\x98\x80\":\"Emoji: Grinning Face\",\"\xef\xac\xb3\":\"Hebrew Letter Dalet With "
	    "Dagesh\"}");
}

static void
arrays_keep_their_order_and_their_maps_are_sorted(void **state)
{
	struct value *map = value_map(*state);

	with(*state, map, "d", value_bool(*state, true));
	with(*state, map, "10", value_null(*state));
	with(*state, map, "1", value_list(*state));
	assert_string_equal(canonical(*state, LIST(*state, value_int(*state, 56), map)),
			    "[56,{\"1\":[],\"10\":null,\"d\":true}]");
}

static void
no_locale_has_a_say_in_the_order(void **state)
{
	struct value *map =
	    texts(*state, (const char *const[]){"peach", "This sorting order",
						"p\xc3\xa9"
						"ch\xc3\xa9",
						"is wrong according to French",
						"p\xc3\xaa"
						"che",
						"but canonicalization MUST", "sin", "ignore locale", NULL});

	assert_string_equal(canonical(*state, map),
			    "{\"peach\":\"This sorting order\",\"p\xc3\xa9"
			    "ch\xc3\xa9\":\"is wrong according to French\",\"p\xc3\xaa"
			    "che\":\"but canonicalization MUST\",\"sin\":\"ignore locale\"}");
}

static void
structures_are_sorted_at_every_depth(void **state)
{
	struct value *inner =
	    with(*state, texts(*state, (const char *const[]){"f", "hi", NULL}), "F", value_int(*state, 5));
	struct value *one =
	    with(*state, with(*state, value_map(*state), "f", inner), "\n", value_real(*state, 56.0));
	struct value *yes = texts(*state, (const char *const[]){"e", "yes", "E", "no", NULL});
	struct value *map = with(*state, value_map(*state), "1", one);

	with(*state, with(*state, map, "10", value_map(*state)), "", value_string(*state, "empty"));
	with(*state, with(*state, map, "a", value_map(*state)), "111", LIST(*state, yes));
	with(*state, map, "A", value_map(*state));
	assert_string_equal(canonical(*state, map),
			    "{\"\":\"empty\",\"1\":{\"\\n\":56,\"f\":{\"F\":5,\"f\":\"hi\"}},\"10\":{},"
			    "\"111\":[{\"E\":\"no\",\"e\":\"yes\"}],\"A\":{},\"a\":{}}");
}

static void
texts_are_not_normalized(void **state)
{
	struct value *map = texts(*state, (const char *const[]){"Unnormalized Unicode", "A\xcc\x8a", NULL});

	assert_string_equal(canonical(*state, map), "{\"Unnormalized Unicode\":\"A\xcc\x8a\"}");
}

static void
weird_names_are_sorted_and_escaped_too(void **state)
{
	struct value *map = texts(
	    *state,
	    (const char *const[]){"\xe2\x82\xac", "Euro Sign", "\r", "Carriage Return", "\n", "Newline", "1",
				  "One", "\xc2\x80", "Control\x7f", "\xf0\x9f\x98\x82", "Smiley", "\xc3\xb6",
				  "Latin Small Letter O With Diaeresis", "\xef\xac\xb3",
				  "Hebrew Letter Dalet With Dagesh", "</script>", "Browser Challenge", NULL});

	assert_string_equal(
	    canonical(*state, map),
	    "{\"\\n\":\"Newline\",\"\\r\":\"Carriage Return\",\"1\":\"One\",\"</script>\":\"Browser "
	    "Challenge\","
	    "\"\xc2\x80\":\"Control\x7f\",\"\xc3\xb6\":\"Latin Small Letter O With Diaeresis\","
	    "\"\xe2\x82\xac\":\"Euro Sign\",\"\xf0\x9f\x98\x82\":\"Smiley\",\"\xef\xac\xb3\":"
	    "\"Hebrew Letter Dalet With Dagesh\"}");
}

static void
control_characters_have_the_short_escape_or_lower_case_hex(void **state)
{
	static const char *const shorts[] = {['\b'] = "\"\\b\"", ['\t'] = "\"\\t\"", ['\n'] = "\"\\n\"",
					     ['\f'] = "\"\\f\"", ['\r'] = "\"\\r\"", [31] = NULL};

	for (int byte = 1; byte < 32; byte++) {
		char text[2] = {(char)byte, '\0'};
		const char *expected =
		    shorts[byte] ? shorts[byte] : arena_format(*state, "\"\\u%04x\"", (unsigned)byte);

		assert_string_equal(canonical(*state, value_string(*state, text)), expected);
	}
	assert_string_equal(canonical(*state, value_string(*state, "\x7f/<>&'")), "\"\x7f/<>&'\"");
}

/* As it is written alone, without the quotation marks. */
static void
assert_same_anywhere(struct arena *arena, const char *character, char around)
{
	const char *alone = canonical(arena, value_string(arena, character));
	char fill[24];

	memset(fill, around, sizeof fill);
	for (int before = 0; before < 18; before++)
		for (int behind = 0; behind < 18; behind++) {
			const char *text =
			    arena_format(arena, "%.*s%s%.*s", before, fill, character, behind, fill);

			assert_string_equal(canonical(arena, value_string(arena, text)),
					    arena_format(arena, "\"%.*s%.*s%.*s\"", before, fill,
							 (int)strlen(alone) - 2, alone + 1, behind, fill));
		}
}

/* Bytes are looked at eight at a time; what is beside a quotation mark, a backslash, the ends of ASCII must not hide it. */
static void
a_character_is_written_the_same_wherever_it_stands(void **state)
{
	static const char around[] = " !#a[]~";
	char character[2] = "";

	for (size_t i = 0; around[i]; i++) {
		for (int byte = 1; byte < 128; byte++) {
			character[0] = (char)byte;
			assert_same_anywhere(*state, character, around[i]);
			arena_reset(*state);
		}
		assert_same_anywhere(*state, "\xc3\xa9", around[i]);
	}
}

static void
an_ill_formed_byte_is_refused_wherever_it_stands(void **state)
{
	for (size_t at = 0; at < 20; at++)
		for (int byte = 0x80; byte < 0x100; byte++) {
			char text[21] = "aaaaaaaaaaaaaaaaaaaa";
			struct buffer out = {.arena = *state};
			struct error error = {0};

			text[at] = (char)byte;
			assert_false(canonical_format(&out, value_string(*state, text), &error));
			assert_string_equal(error.code, "encoding");
		}
}

static void
the_order_of_names_is_the_order_of_their_code_units(void **state)
{
	static const char *const rising[] = {"",
					     "a",
					     "a\x01",
					     "aa",
					     "b",
					     "\x7f",
					     "\xc2\x80",
					     "\xed\x9f\xbf",
					     "\xf0\x90\x80\x80",
					     "\xf0\x9f\x98\x80",
					     "\xf4\x8f\xbf\xbf",
					     "\xee\x80\x80",
					     "\xef\xac\xb3",
					     "\xef\xbf\xbf"};
	size_t count = sizeof rising / sizeof *rising;

	(void)state;
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < count; j++) {
			int order = canonical_compare((struct text){rising[i], strlen(rising[i])},
						      (struct text){rising[j], strlen(rising[j])});

			assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
		}
}

static void
large_maps_are_sorted_too(void **state)
{
	struct value *map = value_map(*state);
	const char *text, *last = "";

	for (unsigned i = 0; i < 500; i++)
		value_set(*state, map, arena_format(*state, "%08x", i * 2654435761u), value_int(*state, i));
	text = canonical(*state, map);
	for (int i = 0; i < 500; i++) {
		const char *name = strchr(text, '"') + 1;

		assert_true(strncmp(last, name, 8) < 0);
		last = name;
		text = name + 9;
	}
}

static void
integers_reach_as_far_as_doubles_are_exact(void **state)
{
	assert_string_equal(canonical(*state, value_int(*state, 9007199254740991)), "9007199254740991");
	assert_string_equal(canonical(*state, value_int(*state, -9007199254740991)), "-9007199254740991");
	assert_string_equal(canonical(*state, value_int(*state, 0)), "0");
	assert_string_equal(canonical(*state, value_int(*state, -42)), "-42");
}

static void
the_same_number_has_one_form(void **state)
{
	assert_string_equal(canonical(*state, value_real(*state, 100.0)),
			    canonical(*state, value_int(*state, 100)));
	assert_string_equal(canonical(*state, value_real(*state, -0.0)), "0");
}

/* What is refused leaves nothing behind what was in the buffer, and names the place and the code, not the value. */
static void
check_refused(struct arena *arena, struct value *value, const char *code, const char *field)
{
	struct buffer out = {.arena = arena};
	struct error error = {0};

	buffer_add_text(&out, "before");
	assert_false(canonical_format(&out, value, &error));
	assert_int_equal(error.kind, ERROR_INVALID);
	assert_string_equal(error.code, code);
	assert_string_equal(error.field, field);
	assert_string_equal(out.bytes, "before");
	assert_int_equal(out.length, 6);
}

/* {"context":{"items":[true, VALUE]}} */
static struct value *
deep(struct arena *arena, struct value *value)
{
	struct value *items = LIST(arena, value_bool(arena, true), value);

	return with(arena, value_map(arena), "context", with(arena, value_map(arena), "items", items));
}

static struct value *
not_a_number(struct arena *arena, double real)
{
	struct value *value = value_real(arena, 0);

	value->as.real = real; /* value_real would not take it */
	return value;
}

static void
numbers_without_an_exact_form_are_refused_by_place(void **state)
{
	check_refused(*state, deep(*state, value_int(*state, 9007199254740992)), "number_range",
		      "context.items[1]");
	check_refused(*state, deep(*state, value_int(*state, -9007199254740992)), "number_range",
		      "context.items[1]");
	check_refused(*state, deep(*state, value_int(*state, INT64_MIN)), "number_range", "context.items[1]");
	check_refused(*state, deep(*state, not_a_number(*state, NAN)), "number_range", "context.items[1]");
	check_refused(*state, not_a_number(*state, -INFINITY), "number_range", "");
}

static void
ill_formed_utf8_is_refused_by_place(void **state)
{
	struct value *named = with(*state, value_map(*state), "bad\xff", value_null(*state));

	check_refused(*state, deep(*state, value_string(*state, "a\xc0\xaf")), "encoding", "context.items[1]");
	check_refused(*state, value_string(*state, "\xed\xa0\x80"), "encoding", "");
	check_refused(*state, deep(*state, named), "encoding", "context.items[1]");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(the_example_of_the_text_comes_out, open_arena, close_arena),
	    cmocka_unit_test_setup_teardown(members_are_sorted_by_utf16_code_units, open_arena, close_arena),
	    cmocka_unit_test_setup_teardown(arrays_keep_their_order_and_their_maps_are_sorted, open_arena,
					    close_arena),
	    cmocka_unit_test_setup_teardown(no_locale_has_a_say_in_the_order, open_arena, close_arena),
	    cmocka_unit_test_setup_teardown(structures_are_sorted_at_every_depth, open_arena, close_arena),
	    cmocka_unit_test_setup_teardown(texts_are_not_normalized, open_arena, close_arena),
	    cmocka_unit_test_setup_teardown(weird_names_are_sorted_and_escaped_too, open_arena, close_arena),
	    cmocka_unit_test_setup_teardown(control_characters_have_the_short_escape_or_lower_case_hex,
					    open_arena, close_arena),
	    cmocka_unit_test_setup_teardown(a_character_is_written_the_same_wherever_it_stands, open_arena,
					    close_arena),
	    cmocka_unit_test_setup_teardown(an_ill_formed_byte_is_refused_wherever_it_stands, open_arena,
					    close_arena),
	    cmocka_unit_test(the_order_of_names_is_the_order_of_their_code_units),
	    cmocka_unit_test_setup_teardown(large_maps_are_sorted_too, open_arena, close_arena),
	    cmocka_unit_test_setup_teardown(integers_reach_as_far_as_doubles_are_exact, open_arena, close_arena),
	    cmocka_unit_test_setup_teardown(the_same_number_has_one_form, open_arena, close_arena),
	    cmocka_unit_test_setup_teardown(numbers_without_an_exact_form_are_refused_by_place, open_arena,
					    close_arena),
	    cmocka_unit_test_setup_teardown(ill_formed_utf8_is_refused_by_place, open_arena, close_arena),
	};

	return cmocka_run_group_tests_name("canonical", tests, NULL, NULL);
}
