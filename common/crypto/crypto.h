/* SPDX-License-Identifier: Apache-2.0 */
/* crypto.h - digests, MACs, base64 and Ed25519 keys, by OpenSSL's EVP and libsodium. The only room that knows them. */
#ifndef COUNTERSIGN_CRYPTO_H
#define COUNTERSIGN_CRYPTO_H

#include "common/error/error.h"
#include "common/memory/memory.h"
#include <stdint.h>

#define CRYPTO_SHA256_SIZE 32
#define CRYPTO_DIGEST_TEXT_SIZE 73 /* "sha-256:" + 64 lower-case hex + NUL */
#define CRYPTO_ED25519_PUBLIC_SIZE 32
#define CRYPTO_ED25519_SIGNATURE_SIZE 64
#define CRYPTO_THUMBPRINT_SIZE 44 /* 43 base64url characters and NUL */

void crypto_sha256(const void *bytes, size_t length, uint8_t digest[CRYPTO_SHA256_SIZE]);
/* "sha-256:…" of a digest. */
void crypto_digest_text(const uint8_t digest[CRYPTO_SHA256_SIZE], char text[CRYPTO_DIGEST_TEXT_SIZE]);
/* Parses "sha-256:" + 64 lower-case hex, nothing else. */
bool crypto_digest_parse(const char *text, uint8_t digest[CRYPTO_SHA256_SIZE]) CS_MUST_CHECK;
void crypto_hmac_sha256(const void *key, size_t key_length, const void *bytes, size_t length,
			uint8_t mac[CRYPTO_SHA256_SIZE]);
/* Compares in constant time. */
bool crypto_equal(const void *left, const void *right, size_t length) CS_MUST_CHECK;
/* Random bytes of the system; ends the process if it has none. */
void crypto_random(void *bytes, size_t length);

/* Incremental SHA-256 for chained hashes. */
struct crypto_hash;
struct crypto_hash *crypto_hash_open(void);
void crypto_hash_add(struct crypto_hash *hash, const void *bytes, size_t length);
/* Adds an 8-byte big-endian length and then the bytes; NULL bytes count as absent: length 2^64-1 and nothing. */
void crypto_hash_add_field(struct crypto_hash *hash, const void *bytes, size_t length);
void crypto_hash_add_number(struct crypto_hash *hash, int64_t number); /* as a field of 8 big-endian bytes */
void crypto_hash_close(struct crypto_hash *take_hash, uint8_t digest[CRYPTO_SHA256_SIZE]);

/* RFC 4648 5 without padding; standard base64 with padding for webhooks. Results are in the arena, NUL-terminated. */
char *crypto_base64url_format(struct arena *arena, const void *bytes, size_t length);
/* Refuses padding, white space, foreign characters, impossible lengths and non-zero spare bits. NULL when refused. */
uint8_t *crypto_base64url_parse(struct arena *arena, const char *text, size_t length, size_t *out_length);
char *crypto_base64_format(struct arena *arena, const void *bytes, size_t length);
uint8_t *crypto_base64_parse(struct arena *arena, const char *text, size_t length, size_t *out_length);

/* An Ed25519 private key (RFC 8032) with its public half and RFC 7638/8037 thumbprint. */
struct crypto_key;
/*
 * PKCS#8 PEM file. Errors: BROKEN "key_file" (missing, readable by group or others, not Ed25519), naming the file. An
 * access list that names us alone is fine: so systemd hands out credentials.
 */
struct crypto_key *crypto_key_load(const char *path, struct error *error) CS_MUST_CHECK;
/* Makes a new key and writes it to a new file with mode 0600; an existing file is an error. */
struct crypto_key *crypto_key_generate(const char *path, struct error *error) CS_MUST_CHECK;
void crypto_key_close(struct crypto_key *key);
const uint8_t *crypto_key_public(const struct crypto_key *key); /* 32 bytes */
const char *crypto_key_thumbprint(const struct crypto_key *key);
void crypto_key_sign(const struct crypto_key *key, const void *bytes, size_t length,
		     uint8_t signature[CRYPTO_ED25519_SIGNATURE_SIZE]);

/* RFC 8032 verification with a raw public key. Points of small order verify nothing: anybody could sign for them. */
bool crypto_verify(const uint8_t public_key[CRYPTO_ED25519_PUBLIC_SIZE], const void *bytes, size_t length,
		   const uint8_t signature[CRYPTO_ED25519_SIGNATURE_SIZE]) CS_MUST_CHECK;
/* RFC 7638 over {"crv":"Ed25519","kty":"OKP","x":…}, base64url. */
void crypto_thumbprint(const uint8_t public_key[CRYPTO_ED25519_PUBLIC_SIZE],
		       char thumbprint[CRYPTO_THUMBPRINT_SIZE]);
/* False for points of small order. */
bool crypto_public_usable(const uint8_t public_key[CRYPTO_ED25519_PUBLIC_SIZE]) CS_MUST_CHECK;
/* Reads a public key: SPKI PEM file text ("-----BEGIN PUBLIC KEY-----"). INVALID "public_key" otherwise, and for points of small order. */
bool crypto_public_parse(const char *pem, size_t length, uint8_t public_key[CRYPTO_ED25519_PUBLIC_SIZE],
			 struct error *error) CS_MUST_CHECK;

#endif
