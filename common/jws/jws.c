/* SPDX-License-Identifier: Apache-2.0 */
/* jws.c - putting compact JWS together and taking them apart. Which key may sign what is for the caller to know. */
#include "common/jws/jws.h"
#include "common/jws/header.h"

#include <string.h>

/* What jws_sign and jws_sign_detached share: the signature over header "." payload, and which of the two parts to show. */
static char *
sign(struct arena *arena, const struct crypto_key *key, const char *typ, const void *payload, size_t length,
     bool detached)
{
	const char *header = jws_header_format(arena, crypto_key_thumbprint(key), typ);
	struct buffer text = {.arena = arena};
	uint8_t signature[CRYPTO_ED25519_SIGNATURE_SIZE];
	size_t shown;

	buffer_add_text(&text, crypto_base64url_format(arena, header, strlen(header)));
	buffer_add_byte(&text, '.');
	shown = text.length;
	buffer_add_text(&text, crypto_base64url_format(arena, payload, length));
	crypto_key_sign(key, text.bytes, text.length, signature);
	if (detached)
		text.length = shown;
	buffer_add_byte(&text, '.');
	buffer_add_text(&text, crypto_base64url_format(arena, signature, sizeof signature));
	return text.bytes;
}

char *
jws_sign(struct arena *arena, const struct crypto_key *key, const char *typ, const void *payload, size_t length)
{
	return sign(arena, key, typ, payload, length, false);
}

char *
jws_sign_detached(struct arena *arena, const struct crypto_key *key, const char *typ, const void *payload,
		  size_t length)
{
	return sign(arena, key, typ, payload, length, true);
}

/* The three parts between the two dots, borrowed from the text. */
struct parts {
	struct {
		const char *text;
		size_t length;
	} header, payload, signature;
};

static bool
split(const char *text, size_t length, struct parts *parts)
{
	const char *end = text + length;
	const char *first = memchr(text, '.', length);
	const char *second = first ? memchr(first + 1, '.', (size_t)(end - first - 1)) : NULL;

	if (!second || memchr(second + 1, '.', (size_t)(end - second - 1)))
		return false;
	parts->header.text = text;
	parts->header.length = (size_t)(first - text);
	parts->payload.text = first + 1;
	parts->payload.length = (size_t)(second - first - 1);
	parts->signature.text = second + 1;
	parts->signature.length = (size_t)(end - second - 1);
	return true;
}

static bool
malformed(struct error *error, const char *what)
{
	return error_set(error, ERROR_INVALID, "signature_malformed", "%s", what);
}

static bool
read_header(struct arena *arena, const struct parts *parts, struct jws_header *header, struct error *error)
{
	size_t length;
	const uint8_t *text;

	if (parts->header.length > JWS_HEADER_MAX)
		return malformed(error, "the protected header is too long");
	text = crypto_base64url_parse(arena, parts->header.text, parts->header.length, &length);
	if (!text || !jws_header_parse((const char *)text, length, header))
		return malformed(
		    error, "the protected header is not base64url of exactly the strings alg, kid and typ");
	return true;
}

/* The kid is the thumbprint of a key: base64url of 32 bytes. */
static bool
check_kid(struct arena *arena, const char *kid, struct error *error)
{
	size_t length;

	if (!crypto_base64url_parse(arena, kid, strlen(kid), &length) || length != CRYPTO_SHA256_SIZE)
		return malformed(error, "kid is not the SHA-256 thumbprint of a key");
	return true;
}

static bool
check_algorithm(const char *alg, struct error *error)
{
	if (strcmp(alg, "EdDSA") != 0 && strcmp(alg, "Ed25519") != 0)
		return error_set(error, ERROR_INVALID, "signature_algorithm",
				 "alg is neither EdDSA nor Ed25519");
	return true;
}

static bool
check_type(const char *found, const char *typ, struct error *error)
{
	if (strcmp(found, typ) != 0)
		return error_set(error, ERROR_INVALID, "signature_type", "typ is not %s", typ);
	return true;
}

/* An attached payload of no bytes would be the detached form; none of ours is empty. */
static bool
read_payload(struct arena *arena, const struct parts *parts, bool detached, struct jws *jws, struct error *error)
{
	if (detached)
		return parts->payload.length == 0
		       || malformed(error, "a detached signature has an empty middle part");
	if (parts->payload.length == 0)
		return malformed(error, "the payload is missing");
	jws->payload =
	    crypto_base64url_parse(arena, parts->payload.text, parts->payload.length, &jws->payload_length);
	return jws->payload || malformed(error, "the payload is not base64url");
}

static bool
read_signature(struct arena *arena, const struct parts *parts, struct jws *jws, struct error *error)
{
	size_t length;
	const uint8_t *bytes =
	    crypto_base64url_parse(arena, parts->signature.text, parts->signature.length, &length);

	if (!bytes || length != sizeof jws->signature)
		return malformed(error, "the signature is not base64url of 64 bytes");
	memcpy(jws->signature, bytes, length);
	return true;
}

bool
jws_parse(struct arena *arena, const char *text, size_t length, const char *typ, bool detached,
	  struct jws *jws, struct error *error)
{
	struct parts parts;

	*jws = (struct jws){0};
	if (length > JWS_COMPACT_MAX)
		return malformed(error, "a compact signature is too long");
	if (!split(text, length, &parts))
		return malformed(error, "a compact signature has three parts between two dots");
	jws->signing_input = text;
	jws->signing_input_length = parts.header.length + 1 + parts.payload.length;
	return read_header(arena, &parts, &jws->header, error) && check_algorithm(jws->header.alg, error)
	       && check_kid(arena, jws->header.kid, error) && check_type(jws->header.typ, typ, error)
	       && read_payload(arena, &parts, detached, jws, error)
	       && read_signature(arena, &parts, jws, error);
}

bool
jws_verify(struct arena *arena, const struct jws *jws, const uint8_t public_key[CRYPTO_ED25519_PUBLIC_SIZE],
	   const void *detached_payload, size_t detached_length)
{
	struct buffer input = {.arena = arena};

	if (jws->payload)
		return !detached_payload
		       && crypto_verify(public_key, jws->signing_input, jws->signing_input_length,
					jws->signature);
	if (!detached_payload)
		return false;
	buffer_add(&input, jws->signing_input, jws->signing_input_length);
	buffer_add_text(&input, crypto_base64url_format(arena, detached_payload, detached_length));
	return crypto_verify(public_key, input.bytes, input.length, jws->signature);
}
