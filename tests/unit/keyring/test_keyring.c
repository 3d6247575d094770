/* SPDX-License-Identifier: Apache-2.0 */
/* test_keyring.c - what a registered key is worth: for whom it may speak, and for how long what it signed is new. */
#include "common/keyring/keyring.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define MINUTE INT64_C(60000000)
#define NOW (INT64_C(1000000) * MINUTE)

static void
an_agents_key_speaks_as_its_owner_and_as_those_that_its_patterns_cover(void **state)
{
	static const char *const patterns[] = {"payments-*", "eu/**", "***"};
	const struct keyring_key key = {
	    .owner = "treasurer", .is_agent = true, .agents = patterns, .agent_count = 3};
	static const char *const good[] = {"treasurer", "payments-1", "payments-", "eu/a/b"};
	static const char *const bad[] = {"Treasurer", "treasurer2", "payments", "payments-1.x",
					  "eu.a",      "",	     "x"};

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		if (!keyring_speaks_as(&key, good[i]))
			fail_msg("not as %s", good[i]);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		if (keyring_speaks_as(&key, bad[i]))
			fail_msg("as %s", bad[i]);
}

static void
the_key_of_a_person_or_a_bot_speaks_as_no_agent(void **state)
{
	static const char *const patterns[] = {"**"};
	const struct keyring_key key = {.owner = "alice", .answers = true, .agents = patterns, .agent_count = 1};

	(void)state;
	assert_false(keyring_speaks_as(&key, "alice"));
}

static void
a_key_that_is_not_there_or_revoked_counts_for_nothing(void **state)
{
	const struct keyring_key good = {.owner = "a"}, revoked = {.owner = "a", .revoked = true};
	struct error none = {0}, unknown = {0}, over = {0};

	(void)state;
	assert_true(keyring_check(&good, &none));
	assert_false(keyring_check(NULL, &unknown));
	assert_string_equal(unknown.code, "unknown_key");
	assert_false(keyring_check(&revoked, &over));
	assert_string_equal(over.code, "revoked_key");
	assert_string_equal(over.field, "signature");
}

static void
what_was_signed_is_new_for_five_minutes_by_the_clock(void **state)
{
	(void)state;
	assert_true(keyring_is_fresh(NOW, 0, NOW));
	assert_true(keyring_is_fresh(NOW - 5 * MINUTE, 0, NOW));
	assert_true(keyring_is_fresh(NOW + 5 * MINUTE, 0, NOW));
	assert_false(keyring_is_fresh(NOW - 5 * MINUTE - 1, 0, NOW));
	assert_false(keyring_is_fresh(NOW + 5 * MINUTE + 1, 0, NOW));
	assert_false(keyring_is_fresh(0, 0, NOW));
}

static void
where_we_were_late_the_moment_counts_at_which_the_broker_took_it(void **state)
{
	(void)state;
	assert_true(keyring_is_fresh(NOW - 60 * MINUTE, NOW - 56 * MINUTE, NOW));
	assert_false(keyring_is_fresh(NOW - 60 * MINUTE, NOW - 54 * MINUTE, NOW));
	/* a broker ahead of us shows nothing */
	assert_false(keyring_is_fresh(NOW + 60 * MINUTE, NOW + 60 * MINUTE, NOW));
}

static void
a_signature_counts_over_its_own_bytes_alone(void **state)
{
	struct arena *arena = arena_open();
	struct crypto_key *key;
	struct error error = {0};
	struct jws jws;
	char path[] = "/tmp/countersign-keyring-XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_int_not_equal(fd, -1);
	close(fd);
	unlink(path);
	key = crypto_key_generate(path, &error);
	unlink(path);
	assert_non_null(key);

	const struct keyring_key known = {.owner = "a",
					  .public_key = {crypto_key_public(key), CRYPTO_ED25519_PUBLIC_SIZE}};
	char *text = jws_sign_detached(arena, key, "typ", "bytes", 5);

	assert_true(jws_parse(arena, text, strlen(text), "typ", true, &jws, &error));
	assert_true(keyring_verify(arena, &known, &jws, "bytes", 5, &error));
	assert_false(keyring_verify(arena, &known, &jws, "bytez", 5, &error));
	assert_string_equal(error.code, "signature_invalid");
	crypto_key_close(key);
	arena_close(arena);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(an_agents_key_speaks_as_its_owner_and_as_those_that_its_patterns_cover),
	    cmocka_unit_test(the_key_of_a_person_or_a_bot_speaks_as_no_agent),
	    cmocka_unit_test(a_key_that_is_not_there_or_revoked_counts_for_nothing),
	    cmocka_unit_test(what_was_signed_is_new_for_five_minutes_by_the_clock),
	    cmocka_unit_test(where_we_were_late_the_moment_counts_at_which_the_broker_took_it),
	    cmocka_unit_test(a_signature_counts_over_its_own_bytes_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
