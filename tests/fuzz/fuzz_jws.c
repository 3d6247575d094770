/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_jws.c - a compact JWS; behind a line feed the payload of a detached one. Signing is deterministic, so the only text that
 * may verify is the one that we would have signed ourselves. The input as it is, also as a protected header.
 */
#include "common/jws/header.h"
#include "common/jws/jws.h"
#include "tests/fuzz/fuzz.h"

#define TYP "countersign-authorization+jwt"

/* Which of the two spellings of the algorithm and which order of members the signer chose is his: the rest is not. */
static void
check_verified(struct arena *arena, const struct jws *jws, struct text token, const char *ours)
{
	const char *end = ours + strcspn(ours, ".");
	const char *behind = memchr(token.bytes, '.', token.length);

	assert(strcmp(jws->header.kid, crypto_key_thumbprint(fuzz_key())) == 0);
	if ((size_t)(behind - token.bytes) == (size_t)(end - ours)
	    && memcmp(token.bytes, ours, (size_t)(end - ours)) == 0)
		assert(fuzz_same(token, (struct text){ours, strlen(ours)}));
	(void)arena;
}

static void
check_attached(struct arena *arena, struct text token)
{
	struct error error = {0};
	struct jws jws;

	if (!jws_parse(arena, token.bytes, token.length, TYP, false, &jws, &error)) {
		fuzz_refused(&error, ERROR_INVALID);
		return;
	}
	assert(token.length <= JWS_COMPACT_MAX && jws.payload_length > 0);
	assert(strcmp(jws.header.typ, TYP) == 0);
	assert(!jws_verify(arena, &jws, crypto_key_public(fuzz_key()), "", 0)); /* it is not detached */
	if (jws_verify(arena, &jws, crypto_key_public(fuzz_key()), NULL, 0))
		check_verified(arena, &jws, token,
			       jws_sign(arena, fuzz_key(), TYP, jws.payload, jws.payload_length));

	/* one spelling only: the three parts written again are the text */
	size_t header = strcspn(jws.signing_input, ".");
	const char *again = arena_format(arena, "%.*s.%s.%s", (int)header, token.bytes,
					 crypto_base64url_format(arena, jws.payload, jws.payload_length),
					 crypto_base64url_format(arena, jws.signature, sizeof jws.signature));

	assert(fuzz_same(token, (struct text){again, strlen(again)}));
}

static void
check_detached(struct arena *arena, struct text token, struct text payload)
{
	struct error error = {0};
	struct jws jws;

	if (!jws_parse(arena, token.bytes, token.length, TYP, true, &jws, &error)) {
		fuzz_refused(&error, ERROR_INVALID);
		return;
	}
	assert(!jws.payload && !jws_verify(arena, &jws, crypto_key_public(fuzz_key()), NULL, 0));
	if (jws_verify(arena, &jws, crypto_key_public(fuzz_key()), payload.bytes, payload.length))
		check_verified(arena, &jws, token,
			       jws_sign_detached(arena, fuzz_key(), TYP, payload.bytes, payload.length));
}

static void
check_header(struct arena *arena, struct text text)
{
	struct jws_header header, again;

	if (!jws_header_parse(text.bytes, text.length, &header))
		return;
	assert(header.alg[0] && header.kid[0] && header.typ[0] && fuzz_one_line(header.typ));

	const char *written = jws_header_format(arena, header.kid, header.typ);
	bool ok = jws_header_parse(written, strlen(written), &again);

	assert(ok && strcmp(again.kid, header.kid) == 0 && strcmp(again.typ, header.typ) == 0);
}

int
FUZZ_TARGET(jws)(const uint8_t *bytes, size_t length)
{
	struct arena *arena = arena_open();
	struct text payload = {(const char *)bytes, length};
	struct text token = fuzz_split(&payload, '\n');

	check_header(arena, (struct text){(const char *)bytes, length});
	check_attached(arena, token);
	check_detached(arena, token, payload);
	arena_close(arena);
	return 0;
}
