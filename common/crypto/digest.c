/* SPDX-License-Identifier: Apache-2.0 */
/* digest.c - SHA-256, HMAC, random bytes and their texts. If OpenSSL can't do these, nothing can be trusted: the process ends. */
#include "common/crypto/crypto.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <stdlib.h>
#include <string.h>

static const char prefix[] = "sha-256:";
#define PREFIX_LENGTH (sizeof prefix - 1)

static void
or_end(bool done)
{
	if (!done)
		abort();
}

void
crypto_sha256(const void *bytes, size_t length, uint8_t digest[CRYPTO_SHA256_SIZE])
{
	or_end(EVP_Digest(bytes, length, digest, NULL, EVP_sha256(), NULL) == 1);
}

void
crypto_digest_text(const uint8_t digest[CRYPTO_SHA256_SIZE], char text[CRYPTO_DIGEST_TEXT_SIZE])
{
	static const char hex[] = "0123456789abcdef";
	char *at = text + PREFIX_LENGTH;

	memcpy(text, prefix, PREFIX_LENGTH);
	for (int i = 0; i < CRYPTO_SHA256_SIZE; i++) {
		*at++ = hex[digest[i] >> 4];
		*at++ = hex[digest[i] & 15];
	}
	*at = '\0';
}

static int
hex_value(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	if (digit >= 'a' && digit <= 'f')
		return digit - 'a' + 10;
	return -1;
}

bool
crypto_digest_parse(const char *text, uint8_t digest[CRYPTO_SHA256_SIZE])
{
	const char *at = text + PREFIX_LENGTH;

	if (strnlen(text, CRYPTO_DIGEST_TEXT_SIZE) != CRYPTO_DIGEST_TEXT_SIZE - 1
	    || memcmp(text, prefix, PREFIX_LENGTH) != 0)
		return false;
	for (int i = 0; i < CRYPTO_SHA256_SIZE; i++, at += 2) {
		int high = hex_value(at[0]), low = hex_value(at[1]);

		if (high < 0 || low < 0)
			return false;
		digest[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

void
crypto_hmac_sha256(const void *key, size_t key_length, const void *bytes, size_t length,
		   uint8_t mac[CRYPTO_SHA256_SIZE])
{
	size_t size = 0;

	/* a NULL key would mean "no key yet" to OpenSSL, and NULL bytes "no data yet" */
	or_end(EVP_Q_mac(NULL, "HMAC", NULL, "SHA256", NULL, key_length ? key : "", key_length,
			 length ? bytes : (const void *)"", length, mac, CRYPTO_SHA256_SIZE, &size)
	       && size == CRYPTO_SHA256_SIZE);
}

bool
crypto_equal(const void *left, const void *right, size_t length)
{
	return CRYPTO_memcmp(left, right, length) == 0;
}

void
crypto_random(void *bytes, size_t length)
{
	unsigned char *at = bytes;

	while (length > 0) {
		int portion = length > 1024 * 1024 ? 1024 * 1024 : (int)length;

		or_end(RAND_bytes(at, portion) == 1);
		at += portion;
		length -= (size_t)portion;
	}
}

struct crypto_hash {
	EVP_MD_CTX *context;
};

struct crypto_hash *
crypto_hash_open(void)
{
	struct crypto_hash *hash = memory_take(sizeof *hash);

	hash->context = EVP_MD_CTX_new();
	or_end(hash->context && EVP_DigestInit_ex(hash->context, EVP_sha256(), NULL) == 1);
	return hash;
}

void
crypto_hash_add(struct crypto_hash *hash, const void *bytes, size_t length)
{
	or_end(EVP_DigestUpdate(hash->context, bytes, length) == 1);
}

static void
big_endian(uint64_t number, uint8_t bytes[8])
{
	for (int i = 7; i >= 0; i--, number >>= 8)
		bytes[i] = (uint8_t)(number & 0xFF);
}

void
crypto_hash_add_field(struct crypto_hash *hash, const void *bytes, size_t length)
{
	uint8_t prefixed[8];

	big_endian(bytes ? length : UINT64_MAX, prefixed);
	crypto_hash_add(hash, prefixed, sizeof prefixed);
	if (bytes)
		crypto_hash_add(hash, bytes, length);
}

void
crypto_hash_add_number(struct crypto_hash *hash, int64_t number)
{
	uint8_t bytes[8];

	big_endian((uint64_t)number, bytes);
	crypto_hash_add_field(hash, bytes, sizeof bytes);
}

void
crypto_hash_close(struct crypto_hash *take_hash, uint8_t digest[CRYPTO_SHA256_SIZE])
{
	or_end(EVP_DigestFinal_ex(take_hash->context, digest, NULL) == 1);
	EVP_MD_CTX_free(take_hash->context);
	free(take_hash);
}
