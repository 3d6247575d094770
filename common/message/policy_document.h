/* SPDX-License-Identifier: Apache-2.0 */
/* policy_document.h - a policy as text: parsed, loaded, and in the one form that is stored, digested and signed. */
#ifndef COUNTERSIGN_POLICY_DOCUMENT_H
#define COUNTERSIGN_POLICY_DOCUMENT_H

#include "common/crypto/crypto.h"
#include "common/policy/policy.h"

struct policy_document {
	const char *canonical; /* RFC 8785 text, NUL-terminated */
	size_t canonical_length;
	uint8_t digest[CRYPTO_SHA256_SIZE]; /* SHA-256 of it */
	char digest_text[CRYPTO_DIGEST_TEXT_SIZE];
	struct policy *policy;
};

/* Errors: those of json_parse (with json_limits_policy) and of policy_load. Everything lives in the arena. */
bool policy_document_parse(struct arena *arena, const void *bytes, size_t length, struct policy_document *out,
			   struct error *error) CS_MUST_CHECK;

#endif
