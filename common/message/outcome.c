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

/* The body belongs to the envelope that was just opened: it may be completed. */
static bool
hash_content(struct arena *arena, struct value *body, struct outcome *outcome, struct error *error)
{
	struct buffer text = {.arena = arena};

	if (!value_get(body, "tenant"))
		value_set_string(arena, body, "tenant", outcome->tenant);
	if (!canonical_format(&text, body, error))
		return false;
	crypto_sha256(text.bytes, text.length, outcome->content_hash);
	return true;
}

bool
outcome_parse(struct arena *arena, const struct record *record, struct outcome *outcome, struct error *error)
{
	struct envelope envelope;
	struct body body = {.outcome = {.tenant = "default"}};

	*outcome = (struct outcome){0};
	if (!envelope_open(arena, record, &envelope, error)
	    || !fields_read(arena, &outcome_fields, envelope.body, &body, error)
	    || !read_status(body.status, &body.outcome.status, error)
	    || !hash_content(arena, envelope.body, &body.outcome, error))
		return false;
	*outcome = body.outcome;
	outcome->has_digest = true; /* required, so far */
	outcome->traceparent = envelope.traceparent;
	outcome->key = request_key(arena, outcome->tenant, outcome->request_id);
	return true;
}

char *
outcome_format(struct arena *arena, const struct outcome *outcome, size_t *length)
{
	struct value *map = value_map(arena);
	struct buffer text = {.arena = arena};
	struct error error = {0};
	char digest[CRYPTO_DIGEST_TEXT_SIZE], occurred_at[RFC3339_SIZE];

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
	if (!canonical_format(&text, map, &error))
		return NULL;
	*length = text.length;
	return text.bytes;
}
