/* SPDX-License-Identifier: Apache-2.0 */
/* outcome.c - the door for what was done. Nobody is believed: it is recorded who says so. */
#include "common/message/outcome.h"
#include "common/canonical/canonical.h"
#include "common/message/envelope.h"
#include "common/message/fields.h"
#include "common/message/request.h"
#include "common/message/rfc3339.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

struct body {
	struct outcome outcome;
	const char *status;
};

#define PLACE(member) offsetof(struct body, outcome) + offsetof(struct outcome, member)

static const struct field members[] = {
    {"outcome_id", FIELD_ID, true, PLACE(outcome_id)},
    {"tenant", FIELD_TENANT, false, PLACE(tenant)},
    {"request_id", FIELD_ID, true, PLACE(request_id)},
    {"status", FIELD_WORD, true, offsetof(struct body, status)},
    {"request_digest", FIELD_DIGEST, true, PLACE(request_digest)},
    {"authorization", FIELD_TOKEN, false, PLACE(authorization)},
    {"reported_by", FIELD_NAME, true, PLACE(reported_by)},
    {"occurred_at", FIELD_TIME, true, PLACE(occurred_at)},
    {"code", FIELD_CODE, false, PLACE(code)},
    {"detail", FIELD_LINE, false, PLACE(detail)},
    {"issued_at", FIELD_TIME, false, PLACE(issued_at)},
};

static const struct fields outcome_fields = {members, sizeof members / sizeof *members, NULL};

static const char *const status_names[] = {"started", "succeeded", "failed", "rolled_back"};

enum { STATUSES = sizeof status_names / sizeof *status_names };

const char *
outcome_status_name(enum outcome_status status)
{
	assert((size_t)status < STATUSES);
	return status_names[status];
}

static bool
read_status(const char *word, enum outcome_status *status, struct error *error)
{
	for (size_t i = 0; i < STATUSES; i++) {
		if (strcmp(word, status_names[i]) == 0) {
			*status = (enum outcome_status)i;
			return true;
		}
	}
	return error_set_field(error, ERROR_INVALID, "bad_value", "status",
			       "expected: started, succeeded, failed or rolled_back");
}

/* Who reports again signs again, with another issued_at: that makes no other report of it. */
static struct value *
content_of(struct arena *arena, const struct value *body)
{
	struct value *content = value_map(arena);

	for (size_t i = 0; i < body->as.map.count; i++)
		if (strcmp(body->as.map.members[i].name.bytes, "issued_at") != 0)
			value_set(arena, content, body->as.map.members[i].name.bytes,
				  body->as.map.members[i].value);
	return content;
}

static bool
hash_content(struct arena *arena, const struct value *body, struct outcome *outcome, struct error *error)
{
	struct value *content = content_of(arena, body);
	struct buffer text = {.arena = arena};

	if (!value_get(content, "tenant"))
		value_set_string(arena, content, "tenant", outcome->tenant);
	if (!canonical_format(&text, content, error))
		return false;
	crypto_sha256(text.bytes, text.length, outcome->content_hash);
	return true;
}

/* What is filled in, or said in a header, is not signed. */
static bool
read_signature(struct arena *arena, const struct envelope *envelope, struct outcome *outcome,
	       struct error *error)
{
	static const char *const signed_members[] = {"tenant", "issued_at"};
	struct error why = {0};

	for (size_t i = 0; i < sizeof signed_members / sizeof *signed_members; i++)
		if (!value_get(envelope->body, signed_members[i]))
			return error_set_field(error, ERROR_INVALID, "missing_field", signed_members[i],
					       "must be in the value of a signed outcome");
	outcome->signature_text = envelope->signature;
	outcome->value = envelope->signed_bytes;
	outcome->value_length = envelope->signed_length;
	return jws_parse(arena, envelope->signature, strlen(envelope->signature), OUTCOME_TYP, true,
			 &outcome->signature, &why)
	       || error_set_field(error, why.kind, why.code, "signature", "%s", why.text);
}

static bool
read_rest(struct arena *arena, const struct envelope *envelope, struct body *body, struct error *error)
{
	return read_status(body->status, &body->outcome.status, error)
	       && (!envelope->signature || read_signature(arena, envelope, &body->outcome, error))
	       && hash_content(arena, envelope->body, &body->outcome, error);
}

bool
outcome_parse(struct arena *arena, const struct record *record, struct outcome *outcome, struct error *error)
{
	struct envelope envelope;
	struct body body = {.outcome = {.tenant = "default"}};

	*outcome = (struct outcome){0};
	if (!envelope_open(arena, record, &envelope, error)
	    || !fields_read(arena, &outcome_fields, envelope.body, &body, error))
		return false;
	if (!read_rest(arena, &envelope, &body, error)) {
		*outcome =
		    (struct outcome){.tenant = body.outcome.tenant, .request_id = body.outcome.request_id};
		return false;
	}
	*outcome = body.outcome;
	outcome->has_digest = true; /* required, so far */
	outcome->traceparent = envelope.traceparent;
	outcome->key = request_key(arena, outcome->tenant, outcome->request_id);
	if (record->timestamp_is_append && record->timestamp > 0)
		outcome->appended_at = record->timestamp;
	return true;
}

char *
outcome_format(struct arena *arena, const struct outcome *outcome, size_t *length)
{
	struct value *map = value_map(arena);
	struct buffer text = {.arena = arena};
	struct error error = {0};
	char digest[CRYPTO_DIGEST_TEXT_SIZE], occurred_at[RFC3339_SIZE], issued_at[RFC3339_SIZE];

	crypto_digest_text(outcome->request_digest, digest);
	rfc3339_format(outcome->occurred_at, occurred_at);
	value_set_string(arena, map, "outcome_id", outcome->outcome_id);
	value_set_string(arena, map, "tenant", outcome->tenant);
	value_set_string(arena, map, "request_id", outcome->request_id);
	value_set_string(arena, map, "status", outcome_status_name(outcome->status));
	value_set_string(arena, map, "request_digest", outcome->has_digest ? digest : NULL);
	value_set_string(arena, map, "authorization", outcome->authorization);
	value_set_string(arena, map, "reported_by", outcome->reported_by);
	value_set_string(arena, map, "occurred_at", occurred_at);
	value_set_string(arena, map, "code", outcome->code);
	value_set_string(arena, map, "detail", outcome->detail);
	if (outcome->issued_at) {
		rfc3339_format(outcome->issued_at, issued_at);
		value_set_string(arena, map, "issued_at", issued_at);
	}
	if (!canonical_format(&text, map, &error))
		return NULL;
	*length = text.length;
	return text.bytes;
}
