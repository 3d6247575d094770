/* SPDX-License-Identifier: Apache-2.0 */
/* test_webhook.c - Standard Webhooks by its published vector; URLs, secrets and Retry-After as others write them. */
#include "services/notifier/webhook.h"

#include <curl/curl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define SECOND INT64_C(1000000)
#define DAY (86400 * SECOND)
#define NOW INT64_C(1445412480) /* Wed, 21 Oct 2015 07:28:00 GMT */

static struct arena *arena;

static int
open_arena(void **state)
{
	(void)state;
	arena = arena_open();
	return 0;
}

static int
close_arena(void **state)
{
	(void)state;
	arena_close(arena);
	return 0;
}

/* ------------------------------------------------------------------ signatures */

static const char body[] = "{\"test\": 2432232314}";

static const char *
sign(const char *file)
{
	struct webhook_secrets secrets;
	struct error error = {0};

	assert_true(webhook_secrets_parse(arena, file, &secrets, &error));
	return webhook_signature(arena, &secrets, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, body,
				 sizeof body - 1);
}

static void
the_published_vector_is_signed_as_published(void **state)
{
	(void)state;
	assert_string_equal(sign("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
			    "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

static void
each_secret_signs_so_that_they_can_be_rotated(void **state)
{
	const char *other = sign("whsec_YSBkZW1vIHNlY3JldCBvZiAzMiBieXRlcyBsZW5ndGg=\n");
	const char *both = sign("whsec_YSBkZW1vIHNlY3JldCBvZiAzMiBieXRlcyBsZW5ndGg=\r\n\n"
				"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n");

	(void)state;
	assert_string_equal(both,
			    arena_format(arena, "%s v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", other));
}

static void
secrets_that_are_none_are_refused_and_not_cited(void **state)
{
	static const char *const bad[] = {
	    "",
	    "\n\n",
	    "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
	    "whsec_",
	    "whsec_c2hvcnQ=",
	    "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS",
	    "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa-_",
	    "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw ",
	    "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
	    "whsk_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
	};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct webhook_secrets secrets;
		struct error error = {0};

		if (webhook_secrets_parse(arena, bad[i], &secrets, &error))
			fail_msg("%s was taken", bad[i]);
		assert_int_equal(error.kind, ERROR_INVALID);
		assert_null(strstr(error.text, "MfKQ"));
	}
}

static void
at_most_eight_secrets_are_taken(void **state)
{
	struct buffer text = {.arena = arena};
	struct webhook_secrets secrets;
	struct error error = {0};

	(void)state;
	for (int i = 0; i < 8; i++)
		buffer_add_text(&text, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n");
	assert_true(webhook_secrets_parse(arena, text.bytes, &secrets, &error));
	assert_int_equal(secrets.count, 8);
	buffer_add_text(&text, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n");
	assert_false(webhook_secrets_parse(arena, text.bytes, &secrets, &error));
}

/* ------------------------------------------------------------------ URLs */

static void
urls_are_read_as_curl_will_read_them(void **state)
{
	static const struct {
		const char *text, *host;
		int port;
		bool is_https, is_numeric;
	} good[] = {
	    {"https://bots.example.org/countersign?sig=1", "bots.example.org", 443, true, false},
	    {"https://bots.example.org:8443", "bots.example.org", 8443, true, false},
	    {"http://localhost/", "localhost", 80, false, false},
	    {"HTTPS://Bots.Example.ORG/", "Bots.Example.ORG", 443, true, false},
	    {"http://127.0.0.1:8080/x", "127.0.0.1", 8080, false, true},
	    {"http://2130706433/", "127.0.0.1", 80, false, true},
	    {"http://0x7f.1/", "127.0.0.1", 80, false, true},
	    {"http://0177.0.0.1/", "127.0.0.1", 80, false, true},
	    {"https://[::1]:444/", "::1", 444, true, true},
	    {"https://[::ffff:127.0.0.1]/", "::ffff:127.0.0.1", 443, true, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		struct webhook_url url;
		struct error error = {0};

		if (!webhook_url_parse(arena, good[i].text, &url, &error))
			fail_msg("%s: %s", good[i].text, error.text);
		assert_string_equal(url.host, good[i].host);
		assert_int_equal(url.port, good[i].port);
		assert_int_equal(url.is_https, good[i].is_https);
		assert_int_equal(url.is_numeric, good[i].is_numeric);
	}
}

static void
urls_that_could_mean_two_things_are_refused_and_not_cited(void **state)
{
	static const char *const bad[] = {
	    "",
	    "example.org",
	    "/path",
	    "ftp://example.org/",
	    "file:///etc/passwd",
	    "gopher://example.org/",
	    "https://user@example.org/",
	    "https://user:word@example.org/",
	    "https://@example.org/",
	    "https://example.org/#x",
	    "https://example.org:0/",
	    "https://example.org:70000/",
	    "https://b\xC3\xBC"
	    "cher.example/",
	    "https://example.org./",
	    "https://exa%6dple.org/%",
	    "https://ex ample.org/",
	    "https://[fe80::1%25eth0]/",
	    "https://[fe80::1%eth0]/",
	    "https://[::1/",
	    "https://a_b.example/",
	    "https:///x",
	    "https:/example.org/",
	    "https:/example.org/x://y",
	    "https:/user:word@example.org/?https://x",
	};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct webhook_url url;
		struct error error = {0};

		if (webhook_url_parse(arena, bad[i], &url, &error))
			fail_msg("%s was taken as host %s", bad[i], url.host);
		if (error.kind != ERROR_NONE && strlen(bad[i]) > 9)
			assert_null(strstr(error.text, bad[i] + 8));
	}
}

static void
ports_are_a_list_or_any(void **state)
{
	struct error error = {0};
	bool listed;

	(void)state;
	assert_true(webhook_port_listed("443", 443, &listed, &error) && listed);
	assert_true(webhook_port_listed("443", 80, &listed, &error) && !listed);
	assert_true(webhook_port_listed("443, 8443", 8443, &listed, &error) && listed);
	assert_true(webhook_port_listed("any", 1, &listed, &error) && listed);
	assert_true(webhook_port_listed("", 443, &listed, &error) && !listed);
	static const char *const bad[] = {"https", "443;80", "0", "65536", "44 x", "-1", "443a"};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct error why = {0};

		assert_false(webhook_port_listed(bad[i], 443, &listed, &why));
		assert_int_equal(why.kind, ERROR_INVALID);
	}
}

/* ------------------------------------------------------------------ Retry-After */

static void
retry_after_is_read_in_seconds_and_as_a_date(void **state)
{
	static const struct {
		const char *text;
		int64_t pause;
	} asked[] = {
	    {"0", 0},
	    {"1", SECOND},
	    {"120", 120 * SECOND},
	    {" 120 ", 120 * SECOND},
	    {"86400", DAY},
	    {"86401", DAY},
	    {"999999999999999999999999", DAY},
	    {"-1", 0},
	    {"1.5", 0},
	    {"soon", 0},
	    {"", 0},
	    {"12 monkeys", 0},
	    {"Wed, 21 Oct 2015 07:28:30 GMT", 30 * SECOND},
	    {"Wednesday, 21-Oct-15 07:28:30 GMT", 30 * SECOND},
	    {"Wed Oct 21 07:28:30 2015", 30 * SECOND},
	    {"Wed, 21 Oct 2015 07:27:59 GMT", 0},
	    {"Fri, 31 Dec 1999 23:59:59 GMT", 0},
	    {"Wed, 21 Oct 2099 07:28:00 GMT", DAY},
	    {"Wed, 99 Oct 2015 07:28:30 GMT", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
		if (webhook_retry_after(asked[i].text, NOW) != asked[i].pause)
			fail_msg("%s: %lld", asked[i].text, (long long)webhook_retry_after(asked[i].text, NOW));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_published_vector_is_signed_as_published),
	    cmocka_unit_test(each_secret_signs_so_that_they_can_be_rotated),
	    cmocka_unit_test(secrets_that_are_none_are_refused_and_not_cited),
	    cmocka_unit_test(at_most_eight_secrets_are_taken),
	    cmocka_unit_test(urls_are_read_as_curl_will_read_them),
	    cmocka_unit_test(urls_that_could_mean_two_things_are_refused_and_not_cited),
	    cmocka_unit_test(ports_are_a_list_or_any),
	    cmocka_unit_test(retry_after_is_read_in_seconds_and_as_a_date),
	};

	return cmocka_run_group_tests(tests, open_arena, close_arena);
}
