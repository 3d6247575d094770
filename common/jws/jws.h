/* SPDX-License-Identifier: Apache-2.0 */
/* jws.h - compact and detached JSON Web Signatures (RFC 7515, 8037, 9864) with Ed25519 and nothing else. */
#ifndef COUNTERSIGN_JWS_H
#define COUNTERSIGN_JWS_H

#include "common/crypto/crypto.h"

#define JWS_HEADER_MAX 1024   /* bytes of an encoded protected header we are willing to read */
#define JWS_COMPACT_MAX 65536 /* bytes of a whole compact JWS */

/* The protected header, its values checked: exactly alg, kid, typ (cty and anything else, above all crit, is refused). */
struct jws_header {
	char alg[16]; /* "EdDSA" or "Ed25519" */
	char kid[CRYPTO_THUMBPRINT_SIZE];
	char typ[64];
};

/* header.payload.signature over the payload bytes; alg "EdDSA", kid the key's thumbprint. In the arena. */
char *jws_sign(struct arena *arena, const struct crypto_key *key, const char *typ, const void *payload,
	       size_t length);
/* header..signature (RFC 7515 appendix F). */
char *jws_sign_detached(struct arena *arena, const struct crypto_key *key, const char *typ,
			const void *payload, size_t length);

/*
 * Takes a JWS apart without trusting it: form, limits, header members, alg, and typ equal to `typ`. For a detached one
 * the payload part must be empty; otherwise *payload (arena) is the decoded payload. Errors: INVALID
 * "signature_malformed", "signature_algorithm", "signature_type".
 */
struct jws {
	struct jws_header header;
	const char *signing_input; /* "header.payload" (attached), "header." (detached), borrowed from the text */
	size_t signing_input_length;
	const uint8_t *payload; /* attached only */
	size_t payload_length;
	uint8_t signature[CRYPTO_ED25519_SIGNATURE_SIZE];
};
bool jws_parse(struct arena *arena, const char *text, size_t length, const char *typ, bool detached,
	       struct jws *jws, struct error *error) CS_MUST_CHECK;

/* True when the signature is by this key over the signing input (detached: over header "." base64url(payload)). */
bool jws_verify(struct arena *arena, const struct jws *jws,
		const uint8_t public_key[CRYPTO_ED25519_PUBLIC_SIZE], const void *detached_payload,
		size_t detached_length) CS_MUST_CHECK;

#endif
