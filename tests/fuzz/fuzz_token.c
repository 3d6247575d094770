/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_token.c - three texts as the command line reads them: a line with a key or a set of keys, a line with claims, and a word;
 * TOKEN in the word stands for a token that we sign over the claims. A word that is vouched for says what we signed, and
 * no other key than ours vouches for it.
 */
#include "common/jws/jws.h"
#include "common/message/authorization.h"
#include "common/message/json.h"
#include "services/countersign/jwks.h"
#include "tests/fuzz/fuzz.h"

static struct text
with_token(struct arena *arena, struct text text, struct text claims)
{
	const char *at = text.length ? memmem(text.bytes, text.length, "TOKEN", 5) : NULL;
	struct buffer out = {.arena = arena};

	if (!at || !claims.length)
		return text;
	buffer_add(&out, text.bytes, (size_t)(at - text.bytes));
	buffer_add_text(&out, jws_sign(arena, fuzz_key(), AUTHORIZATION_TYP, claims.bytes, claims.length));
	buffer_add(&out, at + 5, text.length - (size_t)(at - text.bytes) - 5);
	return (struct text){out.bytes, out.length};
}

static void
check_key(struct arena *arena, struct text text)
{
	uint8_t public_key[CRYPTO_ED25519_PUBLIC_SIZE];
	struct error error = {0};

	if (jwk_parse(arena, text.bytes, text.length, public_key, &error))
		assert(crypto_public_usable(public_key)
		       && (!text.length || !memmem(text.bytes, text.length, "\"d\"", 3)));
	else
		fuzz_refused(&error, ERROR_INVALID);
}

/* What a reader of the word goes by must be what was signed. */
static void
check_vouched(struct arena *arena, const struct jwks *jwks, const struct value *word)
{
	static const char *const alike[] = {"request_id", "tenant", "status", "request_digest"};
	const char *token = value_get_string(word, "token");
	struct error error = {0};
	struct jws jws;
	bool ours = false, ok = jws_parse(arena, token, strlen(token), AUTHORIZATION_TYP, false, &jws, &error);

	for (size_t i = 0; i < jwks->count; i++)
		ours = ours || strcmp(jwks->keys[i].kid, crypto_key_thumbprint(fuzz_key())) == 0;
	assert(ok && ours && jws_verify(arena, &jws, crypto_key_public(fuzz_key()), NULL, 0));

	const struct value *said =
	    json_parse(arena, jws.payload, jws.payload_length, &json_limits_event, &error);

	assert(said);
	for (size_t i = 0; i < COUNT_OF(alike); i++)
		assert(fuzz_equal(value_get_string(said, alike[i]), value_get_string(word, alike[i])));
	assert(!value_get(said, "exp") == !value_get_string(word, "expires_at"));
}

int
FUZZ_TARGET(token)(const uint8_t *bytes, size_t length)
{
	struct arena *arena = arena_open();
	struct text rest = {(const char *)bytes, length};
	struct text keys = fuzz_split(&rest, '\n'), claims = fuzz_split(&rest, '\n');
	struct text text = with_token(arena, rest, claims);
	struct error error = {0};
	struct jwks jwks;

	check_key(arena, keys);
	if (jwks_parse(arena, keys.bytes, keys.length, &jwks, &error)) {
		const struct value *word =
		    json_parse(arena, text.bytes, text.length, &json_limits_event, &error);

		assert(jwks.count >= 1 && jwks.count <= JWKS_MAX);
		for (size_t i = 0; i < jwks.count; i++)
			assert(crypto_public_usable(jwks.keys[i].public_key));
		if (word && jwks_vouch(arena, &jwks, word, &error))
			check_vouched(arena, &jwks, word);
		else
			fuzz_refused(&error, ERROR_INVALID);
	} else {
		fuzz_refused(&error, ERROR_INVALID);
	}
	arena_close(arena);
	return 0;
}
