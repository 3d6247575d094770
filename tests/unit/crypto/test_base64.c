/* SPDX-License-Identifier: Apache-2.0 */
/* test_base64.c - RFC 4648's samples, and that no two texts are read as the same bytes. */
#include "common/crypto/crypto.h"

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

static const struct {
	const char *bytes, *padded, *url;
} samples[] = {
    {"", "", ""},
    {"f", "Zg==", "Zg"},
    {"fo", "Zm8=", "Zm8"},
    {"foo", "Zm9v", "Zm9v"},
    {"foob", "Zm9vYg==", "Zm9vYg"},
    {"fooba", "Zm9vYmE=", "Zm9vYmE"},
    {"foobar", "Zm9vYmFy", "Zm9vYmFy"},
    {"\xfb\xef\xbe", "++++", "----"},
    {"\xff\xff\xff", "////", "____"},
};

static void
the_samples_are_written_and_read(void **state)
{
	for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
		size_t size = strlen(samples[i].bytes), length = 99;
		const uint8_t *read;

		assert_string_equal(crypto_base64_format(*state, samples[i].bytes, size), samples[i].padded);
		assert_string_equal(crypto_base64url_format(*state, samples[i].bytes, size), samples[i].url);
		read = crypto_base64_parse(*state, samples[i].padded, strlen(samples[i].padded), &length);
		assert_int_equal(length, size);
		assert_memory_equal(read, samples[i].bytes, size + 1); /* with its NUL */
		read = crypto_base64url_parse(*state, samples[i].url, strlen(samples[i].url), &length);
		assert_int_equal(length, size);
		assert_memory_equal(read, samples[i].bytes, size + 1);
	}
}

static void
every_byte_at_every_place_comes_back(void **state)
{
	uint8_t bytes[9];

	for (unsigned byte = 0; byte < 256; byte++)
		for (size_t size = 1; size <= sizeof bytes; size++) {
			const char *text;
			const uint8_t *again;
			size_t length;

			memset(bytes, (int)byte, size);
			text = crypto_base64url_format(*state, bytes, size);
			again = crypto_base64url_parse(*state, text, strlen(text), &length);
			assert_non_null(again);
			assert_int_equal(length, size);
			assert_memory_equal(again, bytes, size);
		}
}

static void
base64url_refuses_what_it_would_not_write(void **state)
{
	static const char *const texts[] = {
	    "Zg==", "Zm8=", "Z",  "A",	"AAAAA", "Zm9vY",  "Zm9v\n",  " Zm9v", "Zm 9v",	     "Zm9v=",
	    "Zm+v", "Zm/v", "Zh", "Zv", "Zm9",	 "Zm9vYh", "Zm9vYmF", "=",     "Zm\xc3\xa9", "Zm9."};
	size_t length;

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (crypto_base64url_parse(*state, texts[i], strlen(texts[i]), &length))
			fail_msg("taken: %s", texts[i]);
	assert_null(crypto_base64url_parse(*state, "Zm\0v", 4, &length));
}

static void
base64_refuses_what_it_would_not_write(void **state)
{
	static const char *const texts[] = {
	    "Zg",   "Zg=",  "Zm8",  "Zm9v=",	"Zm9v====", "====",   "=",    "Zh==",
	    "Zm9=", "Zm-v", "Zm_v", "Zg==Zg==", "Z===",	    "Zm9v\n", "Zm 9", "Zg==\n"};
	size_t length;

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (crypto_base64_parse(*state, texts[i], strlen(texts[i]), &length))
			fail_msg("taken: %s", texts[i]);
}

/* All texts of two letters: those read are as many as there are bytes, each once. */
static void
no_two_texts_mean_the_same_byte(void **state)
{
	bool seen[256] = {false};
	int taken = 0;

	for (int first = 1; first < 256; first++)
		for (int second = 1; second < 256; second++) {
			const char text[2] = {(char)first, (char)second};
			size_t length;
			const uint8_t *bytes = crypto_base64url_parse(*state, text, 2, &length);

			if (!bytes)
				continue;
			assert_int_equal(length, 1);
			assert_false(seen[bytes[0]]);
			seen[bytes[0]] = true;
			taken++;
		}
	assert_int_equal(taken, 256);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(the_samples_are_written_and_read, open_arena, close_arena),
	    cmocka_unit_test_setup_teardown(every_byte_at_every_place_comes_back, open_arena, close_arena),
	    cmocka_unit_test_setup_teardown(base64url_refuses_what_it_would_not_write, open_arena, close_arena),
	    cmocka_unit_test_setup_teardown(base64_refuses_what_it_would_not_write, open_arena, close_arena),
	    cmocka_unit_test_setup_teardown(no_two_texts_mean_the_same_byte, open_arena, close_arena),
	};

	return cmocka_run_group_tests_name("base64", tests, NULL, NULL);
}
