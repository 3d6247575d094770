/* SPDX-License-Identifier: Apache-2.0 */
/* test_known.c - the table of ids that were taken before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/known/known.h"

#include <string.h>

static void
finds_what_was_added_and_nothing_else(void **state)
{
	struct arena *arena = arena_open();
	struct known *known = known_open(arena, 2);
	uint8_t one[CRYPTO_SHA256_SIZE] = {1}, two[CRYPTO_SHA256_SIZE] = {2};

	(void)state;
	assert_null(known_find(known, "t", "a"));
	known_add(known, "t", "a", one);
	known_add(known, "u", "a", two);
	assert_memory_equal(known_find(known, "t", "a"), one, sizeof one);
	assert_memory_equal(known_find(known, "u", "a"), two, sizeof two);
	assert_null(known_find(known, "t", "b"));
	assert_null(known_find(known, "", "ta"));
	arena_close(arena);
}

static void
the_two_parts_are_not_one_text(void **state)
{
	struct arena *arena = arena_open();
	struct known *known = known_open(arena, 0);
	uint8_t one[CRYPTO_SHA256_SIZE] = {1};

	(void)state;
	known_add(known, "ab", "c", one);
	assert_null(known_find(known, "a", "bc"));
	assert_null(known_find(known, "abc", ""));
	arena_close(arena);
}

static void
the_digest_is_kept_though_its_source_changes(void **state)
{
	struct arena *arena = arena_open();
	struct known *known = known_open(arena, 1);
	uint8_t digest[CRYPTO_SHA256_SIZE] = {9};

	(void)state;
	known_add(known, "t", "a", digest);
	digest[0] = 8;
	assert_int_equal(known_find(known, "t", "a")[0], 9);
	arena_close(arena);
}

static void
it_grows_beyond_what_was_expected(void **state)
{
	struct arena *arena = arena_open();
	struct known *known = known_open(arena, 1);
	uint8_t digest[CRYPTO_SHA256_SIZE] = {0};

	(void)state;
	for (unsigned i = 0; i < 5000; i++) {
		memcpy(digest, &i, sizeof i);
		known_add(known, i % 2 ? "t" : "u", arena_format(arena, "id-%u", i), digest);
	}
	for (unsigned i = 0; i < 5000; i++) {
		const uint8_t *found = known_find(known, i % 2 ? "t" : "u", arena_format(arena, "id-%u", i));

		assert_non_null(found);
		assert_memory_equal(found, &i, sizeof i);
		assert_null(known_find(known, i % 2 ? "u" : "t", arena_format(arena, "id-%u", i)));
	}
	arena_close(arena);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(finds_what_was_added_and_nothing_else),
	    cmocka_unit_test(the_two_parts_are_not_one_text),
	    cmocka_unit_test(the_digest_is_kept_though_its_source_changes),
	    cmocka_unit_test(it_grows_beyond_what_was_expected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
