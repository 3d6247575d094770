/* SPDX-License-Identifier: Apache-2.0 */
/* policy_document.c - text to policy. What can't be honoured whole does not become a document at all. */
#include "common/message/policy_document.h"
#include "common/canonical/canonical.h"
#include "common/message/json.h"

static bool
digest(struct arena *arena, const struct value *value, struct policy_document *document, struct error *error)
{
	struct buffer text = {.arena = arena};

	if (!canonical_format(&text, value, error))
		return false;
	document->canonical = text.bytes;
	document->canonical_length = text.length;
	crypto_sha256(text.bytes, text.length, document->digest);
	crypto_digest_text(document->digest, document->digest_text);
	return true;
}

bool
policy_document_parse(struct arena *arena, const void *bytes, size_t length, struct policy_document *out,
		      struct error *error)
{
	struct policy_document document = {0};
	struct value *value = json_parse(arena, bytes, length, &json_limits_policy, error);

	*out = document;
	if (!value)
		return false;
	document.policy = policy_load(arena, value, error);
	if (!document.policy || !digest(arena, value, &document, error))
		return false;
	*out = document;
	return true;
}
