/* SPDX-License-Identifier: Apache-2.0 */
/* jwks.h - public keys as JSON Web Keys (RFC 7517, 8037), and what a word must say to count under them. Pure. */
#ifndef COUNTERSIGN_JWKS_H
#define COUNTERSIGN_JWKS_H

#include "common/crypto/crypto.h"
#include "common/value/value.h"

#define JWKS_MAX 16

/* Public keys that signatures are checked against. */
struct jwks {
	struct {
		char kid[CRYPTO_THUMBPRINT_SIZE];
		uint8_t public_key[CRYPTO_ED25519_PUBLIC_SIZE];
	} keys[JWKS_MAX];
	size_t count;
};

/* The x of one JWK; INVALID "public_key" for all that is no Ed25519 public JWK, a private one above all. */
bool jwk_parse(struct arena *arena, const char *bytes, size_t length,
	       uint8_t public_key[CRYPTO_ED25519_PUBLIC_SIZE], struct error *error) CS_MUST_CHECK;
/* A set; keys that are not Ed25519 are passed over, none left is INVALID "jwks". */
bool jwks_parse(struct arena *arena, const char *bytes, size_t length, struct jwks *jwks,
		struct error *error) CS_MUST_CHECK;
/* Checks a compact JWS of this typ; its payload, or NULL with the reason. */
struct value *jwks_verify(struct arena *arena, const struct jwks *jwks, const char *token, const char *typ,
			  struct error *error) CS_MUST_CHECK;
/* True when the word has a token by one of the keys, and it says what the word says. INVALID with the reason otherwise. */
bool jwks_vouch(struct arena *arena, const struct jwks *jwks, const struct value *word,
		struct error *error) CS_MUST_CHECK;

#endif
