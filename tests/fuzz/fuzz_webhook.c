/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_webhook.c - a URL, a list of ports, a Retry-After and secrets, a line each; the secrets are all the rest. A URL that is
 * taken goes where it seems to go: its host can be found in it, no user, one port; a pause is never negative nor too long.
 */
#include "services/notifier/webhook.h"
#include "tests/fuzz/fuzz.h"

#include <arpa/inet.h>

static void
check_url(struct arena *arena, const char *text)
{
	struct webhook_url url, again;
	struct error error = {0};
	uint8_t address[16];

	if (!webhook_url_parse(arena, text, &url, &error)) {
		fuzz_refused(&error, ERROR_INVALID);
		return;
	}
	assert(strcmp(url.text, text) == 0 && url.host[0] && url.port);
	assert(url.is_numeric
	       == (inet_pton(AF_INET, url.host, address) == 1 || inet_pton(AF_INET6, url.host, address) == 1));
	assert(url.host[strspn(url.host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-:")]
	       == 0);
	if (!url.is_numeric)
		assert(strcasestr(text, url.host) && !strchr(url.host, ':'));

	/* what stands between "://" and the path is the host and perhaps a port */
	const char *host = strstr(text, "://");

	assert(host && strncasecmp(text, "http", 4) == 0);
	host += 3;
	assert(!memchr(host, '@', strcspn(host, "/?#")) && !memchr(host, '\\', strcspn(host, "/?#")));

	bool bare = strchr(url.host, ':') != NULL;
	const char *plain = arena_format(arena, "%s://%s%s%s:%u/", url.is_https ? "https" : "http",
					 bare ? "[" : "", url.host, bare ? "]" : "", url.port);
	bool ok = webhook_url_parse(arena, plain, &again, &error);

	assert(ok && strcmp(again.host, url.host) == 0 && again.port == url.port);
	assert(again.is_https == url.is_https && again.is_numeric == url.is_numeric);
}

static void
check_secrets(struct arena *arena, const char *text)
{
	struct webhook_secrets secrets;
	struct error error = {0};

	if (!webhook_secrets_parse(arena, text, &secrets, &error)) {
		fuzz_refused(&error, ERROR_INVALID);
		return;
	}
	assert(secrets.count >= 1 && secrets.count <= 8);
	for (size_t i = 0; i < secrets.count; i++)
		assert(secrets.items[i].length >= 24 && secrets.items[i].length <= 64);

	const char *signature = webhook_signature(arena, &secrets, "id", 1790000000, "{}", 2);
	size_t commas = 0;

	for (const char *at = signature; *at; at++)
		commas += *at == ',';
	assert(commas == secrets.count && strncmp(signature, "v1,", 3) == 0);
}

static char *
next_line(struct arena *arena, struct text *rest)
{
	struct text line = fuzz_split(rest, '\n');

	return arena_copy(arena, line.bytes, line.length);
}

int
FUZZ_TARGET(webhook)(const uint8_t *bytes, size_t length)
{
	struct arena *arena = arena_open();
	struct text rest = {(const char *)bytes, length};
	struct error error = {0};
	bool listed = false;

	check_url(arena, next_line(arena, &rest));
	if (webhook_port_listed(next_line(arena, &rest), 443, &listed, &error))
		fuzz_split(&rest, '\0');
	else
		fuzz_refused(&error, ERROR_INVALID);

	int64_t pause = webhook_retry_after(next_line(arena, &rest), 1790000000);

	assert(pause >= 0 && pause <= WEBHOOK_RETRY_AFTER_MAX);
	check_secrets(arena, arena_copy(arena, rest.bytes, rest.length));
	arena_close(arena);
	return 0;
}
