/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_keys.c - a public key in PEM, base64 of both kinds, a digest, an access list: each is the whole input. What is read is
 * written as the text that was read.
 */
#include "common/crypto/owner.h"
#include "tests/fuzz/fuzz.h"

static void
check_key(const uint8_t *bytes, size_t length)
{
	uint8_t public_key[CRYPTO_ED25519_PUBLIC_SIZE], again[CRYPTO_ED25519_PUBLIC_SIZE];
	static const uint8_t signature[CRYPTO_ED25519_SIGNATURE_SIZE];
	char thumbprint[CRYPTO_THUMBPRINT_SIZE];
	struct error error = {0};

	if (!crypto_public_parse((const char *)bytes, length, public_key, &error)) {
		fuzz_refused(&error, ERROR_INVALID);
		return;
	}
	/* one key and nothing else, and none for which anybody could sign */
	const char *end = memmem(bytes, length, "-----END PUBLIC KEY-----", 24);

	assert(end);
	for (end += 24; end < (const char *)bytes + length; end++)
		assert(strchr(" \t\r\n", *end));
	assert(public_key[0] > 1 || memcmp(public_key + 1, signature, sizeof public_key - 1) != 0);
	crypto_thumbprint(public_key, thumbprint);
	assert(strlen(thumbprint) == CRYPTO_THUMBPRINT_SIZE - 1);
	assert(!crypto_verify(public_key, bytes, length, signature));

	bool ok = crypto_public_parse((const char *)bytes, length, again, &error);

	assert(ok && memcmp(public_key, again, sizeof again) == 0);
}

static void
check_base64(struct arena *arena, const uint8_t *bytes, size_t length)
{
	const char *text = (const char *)bytes;
	struct text whole = {text, length};
	size_t size = 0;
	const uint8_t *read = crypto_base64url_parse(arena, text, length, &size);

	if (read) {
		const char *again = crypto_base64url_format(arena, read, size);

		assert(fuzz_same(whole, (struct text){again, strlen(again)}));
	}
	read = crypto_base64_parse(arena, text, length, &size);
	if (read) {
		const char *again = crypto_base64_format(arena, read, size);

		assert(fuzz_same(whole, (struct text){again, strlen(again)}));
	}
	text = crypto_base64url_format(arena, bytes, length);
	read = crypto_base64url_parse(arena, text, strlen(text), &size);
	assert(read && size == length && (!length || memcmp(read, bytes, length) == 0));
}

static void
check_digest(const char *text)
{
	uint8_t digest[CRYPTO_SHA256_SIZE];
	char again[CRYPTO_DIGEST_TEXT_SIZE];

	if (text && crypto_digest_parse(text, digest)) {
		crypto_digest_text(digest, again);
		assert(strcmp(text, again) == 0);
	}
}

int
FUZZ_TARGET(keys)(const uint8_t *bytes, size_t length)
{
	struct arena *arena = arena_open();

	check_key(bytes, length);
	check_base64(arena, bytes, length);
	check_digest(fuzz_string(arena, bytes, length));
	if (crypto_acl_alone(bytes, length, 1000))
		assert(length >= 4 && (length - 4) % 8 == 0);
	arena_close(arena);
	return 0;
}
