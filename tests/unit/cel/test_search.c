/* SPDX-License-Identifier: Apache-2.0 */
/* test_search.c - a string in a string is found where looking at every place finds it, and soon. */
#include "common/cel/search.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static size_t
look_everywhere(const char *text, size_t length, const char *pattern, size_t size)
{
	for (size_t i = 0; i + size <= length; i++)
		if (memcmp(text + i, pattern, size) == 0)
			return i;
	return SIZE_MAX;
}

static uint32_t
next(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

static void
it_is_found_where_looking_at_every_place_finds_it(void **state)
{
	uint32_t seed = 1;
	size_t found = 0;

	(void)state;
	for (int i = 0; i < 500000; i++) {
		char text[24], pattern[10];
		size_t length = next(&seed) % 24, size = next(&seed) % 10, letters = 1 + next(&seed) % 3, at;

		for (size_t j = 0; j < sizeof text; j++)
			text[j] = (char)('a' + next(&seed) % letters);
		for (size_t j = 0; j < sizeof pattern; j++)
			pattern[j] = (char)('a' + next(&seed) % letters);
		at = cel_search(text, length, pattern, size);
		assert_int_equal(at, look_everywhere(text, length, pattern, size));
		found += at != SIZE_MAX;
	}
	assert_in_range(found, 100000, 400000);
}

/* A quarter of a thousand million comparisons, were every place looked at. */
static void
text_that_almost_matches_everywhere_is_no_slower(void **state)
{
	static char text[32768], pattern[16384];

	(void)state;
	memset(text, 'a', sizeof text);
	memset(pattern, 'a', sizeof pattern);
	for (int i = 0; i < 200; i++) {
		pattern[0] = 'b';
		pattern[sizeof pattern - 1] = 'a';
		assert_int_equal(cel_search(text, sizeof text, pattern, sizeof pattern), SIZE_MAX);
		pattern[0] = 'a';
		pattern[sizeof pattern - 1] = 'b';
		assert_int_equal(cel_search(text, sizeof text, pattern, sizeof pattern), SIZE_MAX);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(it_is_found_where_looking_at_every_place_finds_it),
	    cmocka_unit_test(text_that_almost_matches_everywhere_is_no_slower),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
