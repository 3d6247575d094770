/* SPDX-License-Identifier: Apache-2.0 */
/* test_utf8.c - every scalar value is read back, and nothing else is: no overlong form, surrogate, or cut character. */
#include "common/value/value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static size_t
encode(uint32_t point, char bytes[4])
{
	size_t length = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
	static const unsigned leads[] = {0, 0, 0xC0, 0xE0, 0xF0};

	for (size_t i = length; i-- > 1; point >>= 6)
		bytes[i] = (char)(0x80 | (point & 0x3F));
	bytes[0] = (char)(leads[length] | point);
	return length;
}

static void
every_scalar_value_is_read_back(void **state)
{
	char bytes[4];
	uint32_t point;

	(void)state;
	for (uint32_t expected = 0; expected <= 0x10FFFF; expected++) {
		size_t length = encode(expected, bytes);

		if (expected >= 0xD800 && expected <= 0xDFFF) {
			assert_int_equal(value_utf8_decode(bytes, length, &point), 0);
			continue;
		}
		assert_int_equal(value_utf8_decode(bytes, length, &point), length);
		assert_int_equal(point, expected);
		assert_int_equal(value_utf8_decode(bytes, length - 1, &point), 0);
	}
}

static void
ill_formed_bytes_are_no_character(void **state)
{
	static const struct {
		const char *bytes, *why;
	} cases[] = {
	    {"\x80", "a continuation byte alone"},
	    {"\xc0\xaf", "overlong in two bytes"},
	    {"\xc1\xbf", "overlong in two bytes"},
	    {"\xe0\x9f\xbf", "overlong in three bytes"},
	    {"\xf0\x8f\xbf\xbf", "overlong in four bytes"},
	    {"\xed\xa0\x80", "a high surrogate"},
	    {"\xed\xbf\xbf", "a low surrogate"},
	    {"\xf4\x90\x80\x80", "above U+10FFFF"},
	    {"\xf5\x80\x80\x80", "a lead byte that does not exist"},
	    {"\xff", "a byte that does not exist"},
	    {"\xc3(", "a lead byte and no continuation"},
	    {"\xe2\x82(", "two bytes of three"},
	    {"\xf0\x9f\x98", "cut at the end"},
	};
	uint32_t point;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (value_utf8_decode(cases[i].bytes, strlen(cases[i].bytes), &point) != 0)
			fail_msg("taken: %s", cases[i].why);
}

static void
one_character_is_read_at_a_time(void **state)
{
	uint32_t point;

	(void)state;
	assert_int_equal(value_utf8_decode("\xe2\x82\xac\xff", 4, &point), 3);
	assert_int_equal(point, 0x20AC);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_scalar_value_is_read_back),
	    cmocka_unit_test(ill_formed_bytes_are_no_character),
	    cmocka_unit_test(one_character_is_read_at_a_time),
	};

	return cmocka_run_group_tests_name("utf8", tests, NULL, NULL);
}
