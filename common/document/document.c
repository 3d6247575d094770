/* SPDX-License-Identifier: Apache-2.0 */
/* document.c - from a file's bytes to a document, and from that to a policy. */
#include "common/document/document.h"
#include "common/canonical/canonical.h"
#include "common/document/building.h"

#include <string.h>

static bool
ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), tail = strlen(end);

	return length >= tail && strcmp(text + length - tail, end) == 0;
}

enum document_form
document_form(const char *name, const void *bytes, size_t length)
{
	const char *text = bytes;
	size_t at = 0;

	if (ends_with(name, ".yaml") || ends_with(name, ".yml"))
		return DOCUMENT_YAML;
	if (ends_with(name, ".json"))
		return DOCUMENT_JSON;
	while (at < length && text[at] && strchr(" \t\r\n", text[at]))
		at++;
	return at < length && text[at] == '{' ? DOCUMENT_JSON : DOCUMENT_YAML;
}

bool
document_read(struct arena *arena, const char *name, const void *bytes, size_t length,
	      enum document_form form, struct document *document, struct findings *findings)
{
	struct building building = {
	    .arena = arena, .findings = findings, .limits = &json_limits_policy, .source = {bytes, length}};
	struct node root = {0};

	*document = (struct document){.name = name, .source = {bytes, length}};
	if (!building_begin(&building)
	    || !(form == DOCUMENT_YAML ? building_read_yaml(&building, &root)
				       : building_read_json(&building, &root)))
		return false;
	if (root.value->kind != VALUE_MAP && root.value->kind != VALUE_LIST)
		return building_refuse(&building, root.spot.value, "not_an_object",
				       "a single value, not an object");

	struct spot *spot = arena_take(arena, sizeof *spot);

	*spot = root.spot;
	document->value = root.value;
	document->spot = spot;
	return true;
}

void
document_place(const struct document *document, struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		struct finding *finding = &findings->items[i];

		if (finding->inside && document->value)
			finding->at = document_within(document, finding->at, finding->inside - 1);
		finding->inside = 0;
	}
}

/* What is stored must be read back: the canonical form is longer than some that YAML has. */
static bool
digest(struct arena *arena, const struct document *document, struct policy_document *out,
       struct findings *findings)
{
	struct buffer text = {.arena = arena};
	struct error error = {0};

	if (!canonical_format(&text, document->value, &error))
		return findings_add(findings, (struct finding){.code = "E01",
							       .word = "number_range",
							       .path = error.field,
							       .text = error.text});
	if (text.length > json_limits_policy.bytes)
		return findings_add(findings, (struct finding){.code = "E04",
							       .word = "too_large",
							       .path = "",
							       .text = "is more than 4 MiB as canonical JSON",
							       .at = document->spot->value});
	out->canonical = text.bytes;
	out->canonical_length = text.length;
	crypto_sha256(text.bytes, text.length, out->digest);
	crypto_digest_text(out->digest, out->digest_text);
	return true;
}

bool
document_policy(struct arena *arena, const char *name, const void *bytes, size_t length,
		struct document *document, struct policy_document *out, struct findings *findings)
{
	*out = (struct policy_document){0};
	if (!document_read(arena, name, bytes, length, document_form(name, bytes, length), document, findings))
		return false;
	out->policy = policy_load_whole(arena, document->value, document->spot, findings);
	document_place(document, findings);
	findings_sort(findings);
	return out->policy && digest(arena, document, out, findings);
}
