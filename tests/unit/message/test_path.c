/* SPDX-License-Identifier: Apache-2.0 */
/* test_path.c - paths as people read them, whatever the names in them are. */
#include "common/message/path.h"
#include "common/visible/characters.h"
#include "tests/unit/message/message_test.h"

static const char *
name(struct arena *arena, const char *bytes)
{
	struct path path = {.name = {bytes, strlen(bytes)}};

	return path_text(arena, &path);
}

static void
names_are_joined_by_dots_and_items_counted_from_0(void **state)
{
	struct path context = {.name = {"context", 7}};
	struct path plan = {.above = &context, .name = {"plan", 4}};
	struct path item = {.above = &plan, .index = 3};
	struct path below = {.above = &item, .name = {"x", 1}};

	assert_string_equal(path_text(*state, &below), "context.plan[3].x");
	assert_string_equal(path_text(*state, NULL), "");
	assert_string_equal(path_text(*state, &(struct path){.index = 0}), "[0]");
}

static void
what_could_harm_a_terminal_or_a_log_is_escaped(void **state)
{
	assert_string_equal(name(*state, "a\x1b[31m\r\n\t\x7f"), "a\\u{1b}[31m\\u{d}\\u{a}\\u{9}\\u{7f}");
	assert_string_equal(name(*state, "\xc2\x9b"), "\\u{9b}"); /* C1 */
	assert_string_equal(name(*state, "ab\xe2\x80\xae"), "ab\\u{202e}");
	assert_string_equal(name(*state, "\xff\xc0\xafz"), "\\xff\\xc0\\xafz");
	assert_string_equal(name(*state, ""), "\"\"");
	assert_string_equal(name(*state, "é 李 \"quoted\""), "é 李 \"quoted\"");
}

static void
long_names_are_cut_between_characters(void **state)
{
	assert_string_equal(name(*state, repeated(*state, "x", 64)), repeated(*state, "x", 64));
	assert_string_equal(name(*state, repeated(*state, "x", 65)),
			    arena_format(*state, "%s…", repeated(*state, "x", 64)));
	assert_string_equal(name(*state, arena_format(*state, "%sé!", repeated(*state, "x", 63))),
			    arena_format(*state, "%sé…", repeated(*state, "x", 63)));
}

static void
characters_are_sorted_as_unicode_has_them(void **state)
{
	static const uint32_t controls[] = {0, 0x1F, 0x7F, 0x80, 0x9F},
			      printable[] = {0x20, 0x7E, 0xA0, 0x10FFFF};
	static const uint32_t hidden[] = {0xAD,	  0x34F,   0x61C,   0x115F,  0x1160,  0x17B4,  0x17B5,
					  0x180B, 0x180F,  0x200B,  0x200F,  0x2028,  0x202E,  0x2060,
					  0x206F, 0x3164,  0xFE00,  0xFE0F,  0xFEFF,  0xFFA0,  0xFFF0,
					  0xFFFB, 0x1BCA0, 0x1BCA3, 0x1D173, 0x1D17A, 0xE0000, 0xE0FFF};
	static const uint32_t beside[] = {0xAC,	   0xAE,    0x34E,   0x350,   0x61B,   0x61D,  0x115E,
					  0x1161,  0x17B3,  0x17B6,  0x180A,  0x1810,  0x200A, 0x2010,
					  0x2027,  0x202F,  0x205F,  0x2070,  0x3163,  0x3165, 0xFDFF,
					  0xFE10,  0xFEFE,  0xFF00,  0xFF9F,  0xFFA1,  0xFFEF, 0xFFFC,
					  0x1BC9F, 0x1BCA4, 0x1D172, 0x1D17B, 0xDFFFF, 0xE1000};

	(void)state;
	for (size_t i = 0; i < sizeof controls / sizeof *controls; i++)
		assert_true(character_is_control(controls[i]) && character_breaks_line(controls[i]));
	for (size_t i = 0; i < sizeof printable / sizeof *printable; i++)
		assert_false(character_is_control(printable[i]) || character_breaks_line(printable[i])
			     || character_disguises(printable[i]));
	assert_true(character_breaks_line(0x2028) && character_breaks_line(0x2029));
	assert_false(character_breaks_line(0x2027) || character_breaks_line(0x202A));
	for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
		assert_true(character_disguises(hidden[i]));
	for (size_t i = 0; i < sizeof beside / sizeof *beside; i++)
		assert_false(character_disguises(beside[i]));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(names_are_joined_by_dots_and_items_counted_from_0),
	    cmocka_unit_test(what_could_harm_a_terminal_or_a_log_is_escaped),
	    cmocka_unit_test(long_names_are_cut_between_characters),
	    cmocka_unit_test(characters_are_sorted_as_unicode_has_them),
	};

	return cmocka_run_group_tests_name("path", tests, open_arena, close_arena);
}
