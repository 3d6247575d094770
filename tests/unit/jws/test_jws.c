/* SPDX-License-Identifier: Apache-2.0 */
/* test_jws.c - signatures, attached and detached, that verify; and everything near to one that must not. */
#include "common/jws/jws.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define TYPE "countersign-response"

struct desk {
	struct arena *arena;
	struct crypto_key *key;
};

/* The key of RFC 8037 A.1, so that what is signed is the same every time. */
static int
open_desk(void **state)
{
	static const char pem[] = "-----BEGIN PRIVATE KEY-----\n"
				  "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n"
				  "-----END PRIVATE KEY-----\n";
	char path[] = "/tmp/countersign-key-XXXXXX";
	struct desk *desk = memory_take(sizeof *desk);
	struct error error = {0};
	int fd = mkstemp(path);

	assert_int_equal(write(fd, pem, sizeof pem - 1), sizeof pem - 1);
	close(fd);
	desk->arena = arena_open();
	desk->key = crypto_key_load(path, &error);
	unlink(path);
	assert_non_null(desk->key);
	*state = desk;
	return 0;
}

static int
close_desk(void **state)
{
	struct desk *desk = *state;

	crypto_key_close(desk->key);
	arena_close(desk->arena);
	free(desk);
	return 0;
}

static struct jws
parse(struct desk *desk, const char *text, bool detached)
{
	struct jws jws;
	struct error error = {0};

	if (!jws_parse(desk->arena, text, strlen(text), TYPE, detached, &jws, &error))
		fail_msg("%s: %s", error.code, error.text);
	return jws;
}

static bool
verify(struct desk *desk, const struct jws *jws, const char *detached)
{
	return jws_verify(desk->arena, jws, crypto_key_public(desk->key), detached,
			  detached ? strlen(detached) : 0);
}

static void
an_attached_signature_brings_its_payload_and_verifies(void **state)
{
	struct desk *desk = *state;
	struct jws jws = parse(desk, jws_sign(desk->arena, desk->key, TYPE, "{\"a\":1}", 7), false);

	assert_string_equal(jws.header.alg, "EdDSA");
	assert_string_equal(jws.header.kid, crypto_key_thumbprint(desk->key));
	assert_string_equal(jws.header.typ, TYPE);
	assert_int_equal(jws.payload_length, 7);
	assert_memory_equal(jws.payload, "{\"a\":1}", 7);
	assert_true(verify(desk, &jws, NULL));
}

/* Ed25519 is deterministic, so the whole text is known: this one is by the npm package jose. */
static void
the_text_of_a_signature_is_always_the_same(void **state)
{
	struct desk *desk = *state;

	assert_string_equal(jws_sign(desk->arena, desk->key, TYPE, "{\"a\":1}", 7),
			    "eyJhbGciOiJFZERTQSIsImtpZCI6ImtQcktfcW14VldhWVZBOXd3QkY2SXVvM3ZWeno3VHhIQ1R3WEJ5"
			    "Z3JTNGsiLCJ0eXAiOiJjb3VudGVyc2lnbi1yZXNwb25zZSJ9.eyJhIjoxfQ.4RrXP5AW-pFBsFZVU_"
			    "uTc7rWkCD8xV6ALUyVtOMvmx35wZKf66SrR4bEqETrpqRtQAbJRGr3oOA40YmaH8vnBQ");
}

/* RFC 7515 appendix F: the detached form is the attached one without its middle. */
static void
the_detached_form_is_the_attached_one_without_its_middle(void **state)
{
	struct desk *desk = *state;
	const char *attached = jws_sign(desk->arena, desk->key, TYPE, "payload", 7);
	const char *detached = jws_sign_detached(desk->arena, desk->key, TYPE, "payload", 7);
	int header = (int)(strchr(attached, '.') - attached);
	struct jws jws = parse(desk, detached, true);

	assert_string_equal(arena_format(desk->arena, "%.*s.%s", header, attached, strrchr(attached, '.')),
			    detached);
	assert_null(jws.payload);
	assert_true(verify(desk, &jws, "payload"));
}

static void
a_detached_signature_fits_no_other_bytes(void **state)
{
	struct desk *desk = *state;
	struct jws jws = parse(desk, jws_sign_detached(desk->arena, desk->key, TYPE, "payload", 7), true);

	assert_false(verify(desk, &jws, "payloaD"));
	assert_false(verify(desk, &jws, "payload "));
	assert_false(verify(desk, &jws, ""));
	assert_false(verify(desk, &jws, NULL));
}

static void
an_attached_signature_is_not_for_bytes_from_elsewhere(void **state)
{
	struct desk *desk = *state;
	struct jws jws = parse(desk, jws_sign(desk->arena, desk->key, TYPE, "payload", 7), false);

	assert_false(verify(desk, &jws, "payload"));
}

static void
another_key_does_not_verify(void **state)
{
	struct desk *desk = *state;
	struct jws jws = parse(desk, jws_sign(desk->arena, desk->key, TYPE, "payload", 7), false);
	uint8_t other[CRYPTO_ED25519_PUBLIC_SIZE];

	memcpy(other, crypto_key_public(desk->key), sizeof other);
	other[0] ^= 1;
	assert_false(jws_verify(desk->arena, &jws, other, NULL, 0));
}

/* Whatever letter is changed: either the text is refused, or the signature does not verify. */
static void
no_letter_of_a_signature_can_be_changed(void **state)
{
	struct desk *desk = *state;
	char *text = jws_sign(desk->arena, desk->key, TYPE, "{\"a\":1}", 7);
	size_t length = strlen(text);

	for (size_t i = 0; i < length; i++) {
		char kept = text[i];
		struct error error = {0};
		struct jws jws;

		text[i] = kept == 'A' ? 'B' : 'A';
		if (jws_parse(desk->arena, text, length, TYPE, false, &jws, &error))
			assert_false(verify(desk, &jws, NULL));
		text[i] = kept;
	}
}

/* A JWS with this header, properly signed by the key: only its form is at fault. */
static char *
signed_with(struct desk *desk, const char *header, const char *payload)
{
	const char *input =
	    arena_format(desk->arena, "%s.%s", crypto_base64url_format(desk->arena, header, strlen(header)),
			 crypto_base64url_format(desk->arena, payload, strlen(payload)));
	uint8_t signature[CRYPTO_ED25519_SIGNATURE_SIZE];

	crypto_key_sign(desk->key, input, strlen(input), signature);
	return arena_format(desk->arena, "%s.%s", input,
			    crypto_base64url_format(desk->arena, signature, sizeof signature));
}

static void
check_refused(struct desk *desk, const char *text, bool detached, const char *code)
{
	struct jws jws;
	struct error error = {0};

	if (jws_parse(desk->arena, text, strlen(text), TYPE, detached, &jws, &error))
		fail_msg("taken, not %s: %s", code, text);
	assert_int_equal(error.kind, ERROR_INVALID);
	assert_string_equal(error.code, code);
}

static const char *
header(struct desk *desk, const char *alg, const char *typ)
{
	return arena_format(desk->arena, "{\"alg\":\"%s\",\"kid\":\"%s\",\"typ\":\"%s\"}", alg,
			    crypto_key_thumbprint(desk->key), typ);
}

static void
both_names_of_the_algorithm_are_taken(void **state)
{
	struct desk *desk = *state;
	struct jws jws = parse(desk, signed_with(desk, header(desk, "Ed25519", TYPE), "x"), false);

	assert_string_equal(jws.header.alg, "Ed25519");
	assert_true(verify(desk, &jws, NULL));
}

static void
no_other_algorithm_is_taken(void **state)
{
	static const char *const names[] = {"none",  "None",  "HS256",	"ES256",  "RS256",
					    "Ed448", "eddsa", "EdDSA ", "ed25519"};
	struct desk *desk = *state;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		check_refused(desk, signed_with(desk, header(desk, names[i], TYPE), "x"), false,
			      "signature_algorithm");
}

static void
a_signature_for_one_purpose_is_none_for_another(void **state)
{
	static const char *const types[] = {"countersign-request", "countersign-responses",
					    "Countersign-response", "JWT"};
	struct desk *desk = *state;

	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		check_refused(desk, signed_with(desk, header(desk, "EdDSA", types[i]), "x"), false,
			      "signature_type");
}

static void
a_critical_extension_is_refused(void **state)
{
	struct desk *desk = *state;
	const char *with_crit = arena_format(
	    desk->arena,
	    "{\"alg\":\"EdDSA\",\"b64\":false,\"crit\":[\"b64\"],\"kid\":\"%s\",\"typ\":\"" TYPE "\"}",
	    crypto_key_thumbprint(desk->key));

	check_refused(desk, signed_with(desk, with_crit, "x"), false, "signature_malformed");
}

static void
a_kid_that_is_no_thumbprint_is_refused(void **state)
{
	static const char *const kids[] = {"key-1", "AAAA", "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4",
					   "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4l",
					   "../../../etc/passwd"};
	struct desk *desk = *state;

	for (size_t i = 0; i < sizeof kids / sizeof *kids; i++) {
		const char *text = arena_format(
		    desk->arena, "{\"alg\":\"EdDSA\",\"kid\":\"%s\",\"typ\":\"" TYPE "\"}", kids[i]);

		check_refused(desk, signed_with(desk, text, "x"), false, "signature_malformed");
	}
}

static void
texts_of_another_form_are_refused(void **state)
{
	struct desk *desk = *state;
	const char *good = jws_sign(desk->arena, desk->key, TYPE, "payload", 7);
	const char *detached = jws_sign_detached(desk->arena, desk->key, TYPE, "payload", 7);
	char *spaced = arena_format(desk->arena, "%s ", good);
	char *cut = arena_string(desk->arena, good);

	check_refused(desk, "", false, "signature_malformed");
	check_refused(desk, ".", false, "signature_malformed");
	check_refused(desk, "..", false, "signature_malformed");
	check_refused(desk, "..", true, "signature_malformed");
	check_refused(desk, "a.b.c", false, "signature_malformed");
	check_refused(desk, arena_format(desk->arena, "%s.x", good), false, "signature_malformed");
	check_refused(desk, arena_format(desk->arena, "%s=", good), false, "signature_malformed");
	check_refused(desk, spaced, false, "signature_malformed");
	check_refused(desk, spaced + 1, false, "signature_malformed");
	cut[strlen(cut) - 2] = '\0';
	check_refused(desk, cut, false, "signature_malformed");
	*strrchr(cut, '.') = '\0';
	check_refused(desk, cut, false, "signature_malformed");
	check_refused(desk, arena_format(desk->arena, "%s.", cut), false, "signature_malformed");
	check_refused(desk, good, true, "signature_malformed");
	check_refused(desk, detached, false, "signature_malformed");
	check_refused(desk, signed_with(desk, header(desk, "EdDSA", TYPE), ""), false, "signature_malformed");
	check_refused(desk, "{\"protected\":\"\",\"payload\":\"\",\"signature\":\"\"}", false,
		      "signature_malformed");
}

static void
what_is_too_long_is_refused_before_it_is_read(void **state)
{
	struct desk *desk = *state;
	char *large = arena_take(desk->arena, 2 * JWS_COMPACT_MAX);
	const char *wide = arena_format(desk->arena, "%1000s%s", "", header(desk, "EdDSA", TYPE));
	struct jws jws;

	check_refused(desk, signed_with(desk, wide, "x"), false, "signature_malformed");
	memset(large, 'x', 49000);
	check_refused(desk, jws_sign(desk->arena, desk->key, TYPE, large, 49000), false, "signature_malformed");
	jws = parse(desk, jws_sign(desk->arena, desk->key, TYPE, large, 48000), false);
	assert_int_equal(jws.payload_length, 48000);
	assert_true(verify(desk, &jws, NULL));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(an_attached_signature_brings_its_payload_and_verifies, open_desk,
					    close_desk),
	    cmocka_unit_test_setup_teardown(the_text_of_a_signature_is_always_the_same, open_desk, close_desk),
	    cmocka_unit_test_setup_teardown(the_detached_form_is_the_attached_one_without_its_middle,
					    open_desk, close_desk),
	    cmocka_unit_test_setup_teardown(a_detached_signature_fits_no_other_bytes, open_desk, close_desk),
	    cmocka_unit_test_setup_teardown(an_attached_signature_is_not_for_bytes_from_elsewhere, open_desk,
					    close_desk),
	    cmocka_unit_test_setup_teardown(another_key_does_not_verify, open_desk, close_desk),
	    cmocka_unit_test_setup_teardown(no_letter_of_a_signature_can_be_changed, open_desk, close_desk),
	    cmocka_unit_test_setup_teardown(both_names_of_the_algorithm_are_taken, open_desk, close_desk),
	    cmocka_unit_test_setup_teardown(no_other_algorithm_is_taken, open_desk, close_desk),
	    cmocka_unit_test_setup_teardown(a_signature_for_one_purpose_is_none_for_another, open_desk,
					    close_desk),
	    cmocka_unit_test_setup_teardown(a_critical_extension_is_refused, open_desk, close_desk),
	    cmocka_unit_test_setup_teardown(a_kid_that_is_no_thumbprint_is_refused, open_desk, close_desk),
	    cmocka_unit_test_setup_teardown(texts_of_another_form_are_refused, open_desk, close_desk),
	    cmocka_unit_test_setup_teardown(what_is_too_long_is_refused_before_it_is_read, open_desk,
					    close_desk),
	};

	return cmocka_run_group_tests_name("jws", tests, NULL, NULL);
}
