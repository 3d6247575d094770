/* SPDX-License-Identifier: Apache-2.0 */
/* jwks.c - keys and tokens as others hand them over: read strictly, and compared member by member. */
#include "services/countersign/jwks.h"
#include "common/jws/jws.h"
#include "common/message/authorization.h"
#include "common/message/json.h"
#include "common/message/rfc3339.h"
#include <string.h>

/* The x of a JWK with crv Ed25519 that can be used; NULL otherwise. */
static const uint8_t *
raw_key(struct arena *arena, const struct value *jwk)
{
	const char *crv = value_get_string(jwk, "crv"), *x = value_get_string(jwk, "x");
	size_t size = 0;
	const uint8_t *raw =
	    x && crv && !strcmp(crv, "Ed25519") ? crypto_base64url_parse(arena, x, strlen(x), &size) : NULL;

	return raw && size == CRYPTO_ED25519_PUBLIC_SIZE && crypto_public_usable(raw) ? raw : NULL;
}

bool
jwk_parse(struct arena *arena, const char *bytes, size_t length,
	  uint8_t public_key[CRYPTO_ED25519_PUBLIC_SIZE], struct error *error)
{
	const struct value *map = json_parse(arena, bytes, length, &json_limits_request, error);
	const char *kty = value_get_string(map, "kty");
	const uint8_t *raw = kty && !strcmp(kty, "OKP") ? raw_key(arena, map) : NULL;

	if (!map)
		return error_wrap(error, "public key");
	if (value_get(map, "d"))
		return error_set(error, ERROR_INVALID, "public_key",
				 "this is a private key: register its public half");
	if (!raw)
		return error_set(error, ERROR_INVALID, "public_key",
				 "not an Ed25519 public key (JWK with kty OKP, crv Ed25519, x)");
	memcpy(public_key, raw, CRYPTO_ED25519_PUBLIC_SIZE);
	return true;
}

bool
jwks_parse(struct arena *arena, const char *bytes, size_t length, struct jwks *jwks, struct error *error)
{
	const struct value *map = json_parse(arena, bytes, length, &json_limits_policy, error);
	const struct value *keys = value_get(map, "keys");

	jwks->count = 0;
	if (!map)
		return false;
	for (size_t i = 0;
	     keys && keys->kind == VALUE_LIST && i < keys->as.list.count && jwks->count < JWKS_MAX; i++) {
		const uint8_t *raw = raw_key(arena, keys->as.list.items[i]);

		if (!raw)
			continue;
		memcpy(jwks->keys[jwks->count].public_key, raw, CRYPTO_ED25519_PUBLIC_SIZE);
		crypto_thumbprint(raw, jwks->keys[jwks->count++].kid);
	}
	return jwks->count > 0 || error_set(error, ERROR_INVALID, "jwks", "no Ed25519 key in it");
}

struct value *
jwks_verify(struct arena *arena, const struct jwks *jwks, const char *token, const char *typ,
	    struct error *error)
{
	struct jws jws;
	if (!jws_parse(arena, token, strlen(token), typ, false, &jws, error))
		return NULL;
	for (size_t i = 0; i < jwks->count; i++)
		if (!strcmp(jwks->keys[i].kid, jws.header.kid)) {
			if (jws_verify(arena, &jws, jwks->keys[i].public_key, NULL, 0))
				return json_parse(arena, jws.payload, jws.payload_length, &json_limits_event,
						  error);
			error_set(error, ERROR_INVALID, "signature_invalid", "the signature does not hold");
			return NULL;
		}
	error_set(error, ERROR_INVALID, "unknown_key", "signed by key %s, which is not among those given",
		  jws.header.kid);
	return NULL;
}

static bool
same(const struct value *left, const struct value *right, const char *name)
{
	const char *a = value_get_string(left, name), *b = value_get_string(right, name);
	return (!a && !b) || (a && b && !strcmp(a, b));
}

/* The end of a grant in the token is that of the body, cut to seconds. */
static bool
ends_alike(const struct value *claims, const struct value *word)
{
	const struct value *end = value_get(claims, "exp");
	const char *text = value_get_string(word, "expires_at");
	int64_t time;

	if (!text)
		return !end;
	return end && end->kind == VALUE_INT && rfc3339_parse(text, strlen(text), &time)
	       && time / 1000000 == end->as.integer;
}

bool
jwks_vouch(struct arena *arena, const struct jwks *jwks, const struct value *word, struct error *error)
{
	static const char *const alike[] = {"request_id", "tenant", "status", "request_digest"};
	const char *token = value_get_string(word, "token");
	const struct value *claims = token ? jwks_verify(arena, jwks, token, AUTHORIZATION_TYP, error) : NULL;
	bool ok = claims && ends_alike(claims, word);

	if (!token)
		return error_set(error, ERROR_INVALID, "signature_missing", "it is not signed");
	for (size_t i = 0; i < sizeof alike / sizeof *alike; i++)
		ok = ok && same(claims, word, alike[i]);
	return ok
	       || error_set(error, ERROR_INVALID, "signature_mismatch",
			    "its token says something else than its body");
}
