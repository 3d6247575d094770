/* SPDX-License-Identifier: Apache-2.0 */
/* test_digest.c - SHA-256 and HMAC by their published values, chained fields by an independent computation. */
#include "common/crypto/crypto.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* The 64 hexadecimal digits of a digest or MAC. */
static const char *
hex(const uint8_t digest[CRYPTO_SHA256_SIZE])
{
	static char text[CRYPTO_DIGEST_TEXT_SIZE];

	crypto_digest_text(digest, text);
	return text + strlen("sha-256:");
}

static void
sha256_gives_the_published_values(void **state)
{
	uint8_t digest[CRYPTO_SHA256_SIZE];
	char *million = memory_take(1000000);

	(void)state;
	crypto_sha256("", 0, digest);
	assert_string_equal(hex(digest), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	crypto_sha256(NULL, 0, digest);
	assert_string_equal(hex(digest), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	crypto_sha256("abc", 3, digest);
	assert_string_equal(hex(digest), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	memset(million, 'a', 1000000);
	crypto_sha256(million, 1000000, digest);
	assert_string_equal(hex(digest), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	free(million);
}

/* RFC 4231, cases 1, 2 and 6; and an empty key, which is a key. */
static void
hmac_gives_the_published_values(void **state)
{
	uint8_t mac[CRYPTO_SHA256_SIZE], key[131];

	(void)state;
	memset(key, 0x0b, 20);
	crypto_hmac_sha256(key, 20, "Hi There", 8, mac);
	assert_string_equal(hex(mac), "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
	crypto_hmac_sha256("Jefe", 4, "what do ya want for nothing?", 28, mac);
	assert_string_equal(hex(mac), "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
	memset(key, 0xaa, sizeof key);
	crypto_hmac_sha256(key, sizeof key, "Test Using Larger Than Block-Size Key - Hash Key First", 54, mac);
	assert_string_equal(hex(mac), "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
	crypto_hmac_sha256(NULL, 0, NULL, 0, mac);
	assert_string_equal(hex(mac), "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
}

/* The published vector of Standard Webhooks. */
static void
a_webhook_signature_comes_out(void **state)
{
	static const char secret[] = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
	static const char signedtext[] = "msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{\"test\": 2432232314}";
	struct arena *arena = arena_open();
	uint8_t mac[CRYPTO_SHA256_SIZE];
	size_t length;
	const uint8_t *key = crypto_base64_parse(arena, secret, strlen(secret), &length);

	(void)state;
	assert_non_null(key);
	crypto_hmac_sha256(key, length, signedtext, strlen(signedtext), mac);
	assert_string_equal(crypto_base64_format(arena, mac, sizeof mac),
			    "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
	arena_close(arena);
}

static void
a_digest_is_read_back_from_its_text(void **state)
{
	uint8_t digest[CRYPTO_SHA256_SIZE], again[CRYPTO_SHA256_SIZE];
	char text[CRYPTO_DIGEST_TEXT_SIZE];

	(void)state;
	crypto_sha256("abc", 3, digest);
	crypto_digest_text(digest, text);
	assert_string_equal(text, "sha-256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	assert_true(crypto_digest_parse(text, again));
	assert_memory_equal(digest, again, sizeof digest);
}

static void
no_other_text_is_a_digest(void **state)
{
	static const char *const texts[] = {
	    "",
	    "sha-256:",
	    "sha-256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015a",
	    "sha-256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad0",
	    "sha-256:BA7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
	    "sha-256:ga7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
	    "sha-256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015a ",
	    "SHA-256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
	    "sha_256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
	    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
	};
	uint8_t digest[CRYPTO_SHA256_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (crypto_digest_parse(texts[i], digest))
			fail_msg("taken: %s", texts[i]);
}

static void
hashing_in_portions_is_hashing_at_once(void **state)
{
	struct crypto_hash *hash = crypto_hash_open();
	uint8_t digest[CRYPTO_SHA256_SIZE];

	(void)state;
	crypto_hash_add(hash, "a", 1);
	crypto_hash_add(hash, "", 0);
	crypto_hash_add(hash, "bc", 2);
	crypto_hash_close(hash, digest);
	assert_string_equal(hex(digest), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

/* By Python: sha256 over struct.pack('>Q', length) + bytes for each, absent as 2**64-1, the number as '>q'. */
static void
fields_are_hashed_with_their_lengths(void **state)
{
	struct crypto_hash *hash = crypto_hash_open();
	uint8_t digest[CRYPTO_SHA256_SIZE];

	(void)state;
	crypto_hash_add_field(hash, "ab", 2);
	crypto_hash_add_field(hash, "c", 1);
	crypto_hash_add_field(hash, NULL, 0);
	crypto_hash_add_field(hash, "", 0);
	crypto_hash_add_number(hash, -2);
	crypto_hash_close(hash, digest);
	assert_string_equal(hex(digest), "f8627d35e2b481abe7917085a465dfee429f3189a62312af01a4dbdd01a94d60");
}

static void
hash_two_fields(const char *one, const char *other, uint8_t digest[CRYPTO_SHA256_SIZE])
{
	struct crypto_hash *hash = crypto_hash_open();

	crypto_hash_add_field(hash, one, one ? strlen(one) : 0);
	crypto_hash_add_field(hash, other, other ? strlen(other) : 0);
	crypto_hash_close(hash, digest);
}

static void
where_a_field_ends_and_whether_it_is_there_makes_a_difference(void **state)
{
	static const char *const pairs[][2] = {{"a", "bc"}, {"ab", "c"},   {"abc", ""},
					       {"", "abc"}, {"abc", NULL}, {NULL, "abc"}};
	uint8_t digests[6][CRYPTO_SHA256_SIZE];

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		hash_two_fields(pairs[i][0], pairs[i][1], digests[i]);
		for (size_t j = 0; j < i; j++)
			assert_memory_not_equal(digests[i], digests[j], CRYPTO_SHA256_SIZE);
	}
}

static void
equality_looks_at_every_byte(void **state)
{
	(void)state;
	assert_true(crypto_equal("abcdef", "abcdef", 6));
	assert_false(crypto_equal("abcdef", "abcdeg", 6));
	assert_false(crypto_equal("abcdef", "bbcdef", 6));
	assert_true(crypto_equal("abcdef", "abcdeg", 5));
	assert_true(crypto_equal("", "", 0));
}

static void
random_bytes_differ_and_fill_what_was_asked(void **state)
{
	uint8_t one[64] = {0}, other[64] = {0};

	(void)state;
	crypto_random(one, 32);
	crypto_random(other, 32);
	assert_memory_not_equal(one, other, 32);
	for (size_t i = 32; i < 64; i++)
		assert_int_equal(one[i], 0);
	crypto_random(one, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(sha256_gives_the_published_values),
	    cmocka_unit_test(hmac_gives_the_published_values),
	    cmocka_unit_test(a_webhook_signature_comes_out),
	    cmocka_unit_test(a_digest_is_read_back_from_its_text),
	    cmocka_unit_test(no_other_text_is_a_digest),
	    cmocka_unit_test(hashing_in_portions_is_hashing_at_once),
	    cmocka_unit_test(fields_are_hashed_with_their_lengths),
	    cmocka_unit_test(where_a_field_ends_and_whether_it_is_there_makes_a_difference),
	    cmocka_unit_test(equality_looks_at_every_byte),
	    cmocka_unit_test(random_bytes_differ_and_fill_what_was_asked),
	};

	return cmocka_run_group_tests_name("digest", tests, NULL, NULL);
}
