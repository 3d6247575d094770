/* SPDX-License-Identifier: Apache-2.0 */
/* webhook.c - the parts of Standard Webhooks that need no connection; curl reads URLs and dates, since curl is who uses them. */
#include "services/notifier/webhook.h"

#include "common/crypto/crypto.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SECOND INT64_C(1000000)
enum { SECRET_MIN = 24, SECRET_MAX = 64, SECRETS_MAX = 8, PORT_MAX = 65535 };

/* ------------------------------------------------------------------ secrets */

static bool
parse_secret(struct arena *arena, const char *line, size_t length, struct webhook_secret *secret)
{
	static const char prefix[] = "whsec_";
	const size_t skip = sizeof prefix - 1;

	if (length <= skip || memcmp(line, prefix, skip) != 0)
		return false;
	secret->bytes = crypto_base64_parse(arena, line + skip, length - skip, &secret->length);
	return secret->bytes && secret->length >= SECRET_MIN && secret->length <= SECRET_MAX;
}

bool
webhook_secrets_parse(struct arena *arena, const char *text, struct webhook_secrets *secrets,
		      struct error *error)
{
	*secrets =
	    (struct webhook_secrets){.items = arena_take_array(arena, SECRETS_MAX, sizeof *secrets->items)};
	for (size_t length; *text != '\0'; text += length + (text[length] == '\n')) {
		length = strcspn(text, "\n");

		size_t used = length > 0 && text[length - 1] == '\r' ? length - 1 : length;

		if (used == 0)
			continue;
		if (secrets->count == SECRETS_MAX)
			return error_set(error, ERROR_INVALID, "secret", "more than %d secrets", SECRETS_MAX);
		if (!parse_secret(arena, text, used, &secrets->items[secrets->count++]))
			return error_set(error, ERROR_INVALID, "secret",
					 "secret %zu is not \"whsec_\" and base64 of %d to %d bytes",
					 secrets->count, SECRET_MIN, SECRET_MAX);
	}
	if (secrets->count == 0)
		return error_set(error, ERROR_INVALID, "secret", "there is no secret in it");
	return true;
}

const char *
webhook_signature(struct arena *arena, const struct webhook_secrets *secrets, const char *id,
		  int64_t timestamp, const void *body, size_t length)
{
	struct buffer content = {.arena = arena};
	struct buffer out = {.arena = arena};
	uint8_t mac[CRYPTO_SHA256_SIZE];

	buffer_add_format(&content, "%s.%" PRId64 ".", id, timestamp);
	buffer_add(&content, body, length);
	for (size_t i = 0; i < secrets->count; i++) {
		crypto_hmac_sha256(secrets->items[i].bytes, secrets->items[i].length, content.bytes,
				   content.length, mac);
		buffer_add_format(&out, "%sv1,%s", i > 0 ? " " : "",
				  crypto_base64_format(arena, mac, sizeof mac));
	}
	return out.bytes;
}

/* ------------------------------------------------------------------ URLs */

static const char host_fault[] = "its host must be a plain name (write others in punycode) or an address";

/* Copies a part into the arena and frees it; NULL when the URL has none. */
static const char *
part(struct arena *arena, CURLU *url, CURLUPart what)
{
	char *text = NULL;
	const char *copy = NULL;

	if (curl_url_get(url, what, &text, what == CURLUPART_PORT ? CURLU_DEFAULT_PORT : 0) == CURLUE_OK)
		copy = arena_string(arena, text);
	curl_free(text);
	return copy;
}

static bool
is_plain_name(const char *host)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-";
	size_t length = strlen(host);

	return length > 0 && length <= 253 && strspn(host, letters) == length && host[0] != '.'
	       && host[length - 1] != '.';
}

/* Takes the brackets off an IPv6 address; an address with a zone is nobody's but this host's. */
static bool
read_host(struct arena *arena, const char *text, struct webhook_url *url)
{
	uint8_t bytes[16];
	size_t length = strlen(text);

	url->host = text;
	url->is_numeric = inet_pton(AF_INET, text, bytes) == 1;
	if (url->is_numeric || text[0] != '[')
		return is_plain_name(text);
	if (length < 3 || text[length - 1] != ']')
		return false;
	url->host = arena_copy(arena, text + 1, length - 2);
	url->is_numeric = true;
	return inet_pton(AF_INET6, url->host, bytes) == 1;
}

static const char *
url_fault(struct arena *arena, CURLU *parts, struct webhook_url *url)
{
	const char *scheme = part(arena, parts, CURLUPART_SCHEME);
	const char *host = part(arena, parts, CURLUPART_HOST);
	const char *port = part(arena, parts, CURLUPART_PORT);

	if (!scheme || (strcmp(scheme, "https") != 0 && strcmp(scheme, "http") != 0))
		return "it must begin with https://";
	url->is_https = strcmp(scheme, "https") == 0;
	if (part(arena, parts, CURLUPART_FRAGMENT))
		return "a fragment is never sent";
	if (part(arena, parts, CURLUPART_ZONEID) || !host || !read_host(arena, host, url))
		return host_fault;
	url->port = port ? (uint16_t)strtoul(port, NULL, 10) : 0;
	return url->port == 0 ? "it has no port" : NULL;
}

/* curl forgives one slash, three of them, and an empty user; what is forgiven is read differently by somebody else. */
static const char *
spelling_fault(const char *text)
{
	const char *host = text + strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");

	if (strncmp(host, "://", strlen("://")) != 0 || host[strlen("://")] == '/')
		return "it must begin with https:// and a host";
	host += strlen("://");

	size_t length = strcspn(host, "/?#");

	if (memchr(host, '@', length))
		return "a user or password in it would be sent to anybody who asks; use a secret_file";
	return memchr(host, '%', length) ? host_fault : NULL;
}

bool
webhook_url_parse(struct arena *arena, const char *text, struct webhook_url *url, struct error *error)
{
	CURLU *parts = curl_url();
	const char *fault = spelling_fault(text);

	*url = (struct webhook_url){.text = arena_string(arena, text)};
	if (!fault
	    && (!parts || curl_url_set(parts, CURLUPART_URL, text, CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK))
		fault = "it can't be read";
	if (!fault)
		fault = url_fault(arena, parts, url);
	curl_url_cleanup(parts);
	return fault ? error_set(error, ERROR_INVALID, "url", "%s", fault) : true;
}

bool
webhook_port_listed(const char *ports, uint16_t port, bool *listed, struct error *error)
{
	*listed = strcmp(ports, "any") == 0;
	if (*listed)
		return true;
	for (const char *at = ports + strspn(ports, " ,"); *at != '\0'; at += strspn(at, " ,")) {
		char *end;
		unsigned long number = *at >= '1' && *at <= '9' ? strtoul(at, &end, 10) : 0;

		if (number == 0 || number > PORT_MAX || !strchr(" ,", *end))
			return error_set(error, ERROR_INVALID, "ports",
					 "must be port numbers separated by commas, or any");
		*listed = *listed || number == port;
		at = end;
	}
	return true;
}

/* ------------------------------------------------------------------ answers */

int64_t
webhook_retry_after(const char *text, int64_t now_seconds)
{
	int64_t seconds;

	text += strspn(text, " \t");

	size_t digits = strspn(text, "0123456789");

	if (digits > 0) {
		if (text[digits + strspn(text + digits, " \t")] != '\0')
			return 0;
		seconds = digits > 9 ? INT64_MAX / SECOND : strtoll(text, NULL, 10);
	} else {
		time_t at = curl_getdate(text, NULL);

		seconds = at < 0 ? 0 : (int64_t)at - now_seconds;
	}
	if (seconds <= 0)
		return 0;
	return seconds < WEBHOOK_RETRY_AFTER_MAX / SECOND ? seconds * SECOND : WEBHOOK_RETRY_AFTER_MAX;
}
