/* SPDX-License-Identifier: Apache-2.0 */
/* webhook.h - Standard Webhooks without a network: secrets, signatures, URLs and what a receiver asks for. */
#ifndef COUNTERSIGN_NOTIFIER_WEBHOOK_H
#define COUNTERSIGN_NOTIFIER_WEBHOOK_H

#include "common/error/error.h"
#include "common/memory/memory.h"

#include <stdint.h>

struct webhook_secret {
	const uint8_t *bytes;
	size_t length;
};

struct webhook_secrets {
	struct webhook_secret *items;
	size_t count;
};

/* Lines of "whsec_" and base64 of 24 to 64 bytes; the first is the newest. INVALID "secret" otherwise; never cites it. */
bool webhook_secrets_parse(struct arena *arena, const char *text, struct webhook_secrets *secrets,
			   struct error *error) CS_MUST_CHECK;
/* "v1,…", one for each secret, separated by blanks: over id, ".", timestamp, "." and body. */
const char *webhook_signature(struct arena *arena, const struct webhook_secrets *secrets, const char *id,
			      int64_t timestamp, const void *body, size_t length);

struct webhook_url {
	const char *text;
	const char *host; /* as curl reads it: numbers in any form are dotted decimal; IPv6 without brackets */
	uint16_t port;
	bool is_https, is_numeric;
};
/*
 * http or https with a host of ASCII letters, digits, dots and hyphens or an IPv6 address; no user, no password, no
 * fragment. INVALID "url" otherwise; never cites it, it may hold a secret.
 */
bool webhook_url_parse(struct arena *arena, const char *text, struct webhook_url *url,
		       struct error *error) CS_MUST_CHECK;
/* "443, 8443" or "any". INVALID "ports" when the list is none. */
bool webhook_port_listed(const char *ports, uint16_t port, bool *listed, struct error *error) CS_MUST_CHECK;

#define WEBHOOK_RETRY_AFTER_MAX (INT64_C(86400) * 1000000)
/* Microseconds that a Retry-After asks for, in seconds or as an HTTP date; 0: nothing that can be read; a day at most. */
int64_t webhook_retry_after(const char *text, int64_t now_seconds);

#endif
