/* SPDX-License-Identifier: Apache-2.0 */
/* response.c - the door for what people answer. Form only: whose key it is and what it is worth is the resolver's to say. */
#include "common/message/response.h"
#include "common/canonical/canonical.h"
#include "common/message/envelope.h"
#include "common/message/fields.h"
#include "common/message/rfc3339.h"

#include <stddef.h>
#include <string.h>

struct body {
	struct response response;
	const char *verdict;
};

#define PLACE(member) offsetof(struct body, response) + offsetof(struct response, member)

static const struct field members[] = {
    {"response_id", FIELD_ID, true, PLACE(response_id)},
    {"tenant", FIELD_TENANT, true, PLACE(tenant)},
    {"request_id", FIELD_ID, false, PLACE(request_id)},
    {"approval_id", FIELD_UUID, false, PLACE(approval_id)},
    {"verdict", FIELD_WORD, true, offsetof(struct body, verdict)},
    {"responder", FIELD_NAME, true, PLACE(responder)},
    {"request_digest", FIELD_DIGEST, true, PLACE(request_digest)},
    {"issued_at", FIELD_TIME, true, PLACE(issued_at)},
    {"deadline", FIELD_TIME, false, PLACE(deadline)},
    {"reason", FIELD_LINE, false, PLACE(reason)},
};

static const struct fields response_fields = {members, sizeof members / sizeof *members, NULL};

static const char *const verdicts[] = {"approve",  "deny",   "recuse",	 "comment", "extend",
				       "withdraw", "revoke", "override", "review"};

const char *
response_verdict_name(enum response_verdict verdict)
{
	return verdicts[verdict];
}

static bool
read_verdict(const char *word, enum response_verdict *verdict, struct error *error)
{
	if (strcmp(word, "reject") == 0)
		word = response_verdict_name(RESPONSE_DENY);
	for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++)
		if (strcmp(word, verdicts[i]) == 0) {
			*verdict = (enum response_verdict)i;
			return true;
		}
	return error_set_field(
	    error, ERROR_INVALID, "bad_value", "verdict",
	    "expected: approve, deny, reject, recuse, comment, extend, withdraw, revoke, override or review");
}

static bool
check_deadline(const struct response *response, struct error *error)
{
	if (response->verdict == RESPONSE_EXTEND && response->deadline <= 0)
		return error_set_field(error, ERROR_INVALID, "missing_field", "deadline",
				       "required with extend");
	if (response->verdict != RESPONSE_EXTEND && response->deadline != 0)
		return error_set_field(error, ERROR_INVALID, "bad_value", "deadline",
				       "stands with extend only");
	return true;
}

/* One, so that nobody has to ask which of two counts. */
static bool
check_subject(const struct response *response, struct error *error)
{
	if (!response->request_id && !response->approval_id)
		return error_set_field(error, ERROR_INVALID, "missing_field", "request_id",
				       "request_id or approval_id is required");
	if (response->request_id && response->approval_id)
		return error_set_field(error, ERROR_INVALID, "bad_value", "approval_id",
				       "request_id or approval_id, not both");
	return true;
}

static bool
read_signature(struct arena *arena, const struct envelope *envelope, struct response *response,
	       struct error *error)
{
	if (!envelope->signature)
		return error_set_field(error, ERROR_INVALID, "signature_missing", "signature",
				       "a response must be signed");
	response->signature_text = envelope->signature;
	response->value = envelope->signed_bytes;
	response->value_length = envelope->signed_length;
	return jws_parse(arena, envelope->signature, strlen(envelope->signature), RESPONSE_TYP, true,
			 &response->signature, error);
}

bool
response_parse(struct arena *arena, const struct record *record, struct response *response, struct error *error)
{
	struct envelope envelope;
	struct body body = {0};
	bool ok = envelope_open(arena, record, &envelope, error)
		  && fields_read(arena, &response_fields, envelope.body, &body, error)
		  && read_verdict(body.verdict, &body.response.verdict, error)
		  && check_deadline(&body.response, error) && check_subject(&body.response, error)
		  && read_signature(arena, &envelope, &body.response, error);

	*response = body.response;
	response->traceparent = envelope.traceparent;
	if (record->timestamp_is_append && record->timestamp > 0)
		response->appended_at = record->timestamp;
	return ok;
}

char *
response_format(struct arena *arena, const struct response *response, size_t *length)
{
	struct value *map = value_map(arena);
	struct buffer text = {.arena = arena};
	struct error error = {0};
	char digest[CRYPTO_DIGEST_TEXT_SIZE], issued_at[RFC3339_SIZE], deadline[RFC3339_SIZE];

	crypto_digest_text(response->request_digest, digest);
	rfc3339_format(response->issued_at, issued_at);
	value_set_string(arena, map, "response_id", response->response_id);
	value_set_string(arena, map, "tenant", response->tenant);
	value_set_string(arena, map, "request_id", response->request_id);
	value_set_string(arena, map, "approval_id", response->approval_id);
	value_set_string(arena, map, "responder", response->responder);
	value_set_string(arena, map, "verdict", response_verdict_name(response->verdict));
	value_set_string(arena, map, "request_digest", digest);
	value_set_string(arena, map, "issued_at", issued_at);
	value_set_string(arena, map, "reason", response->reason);
	if (response->deadline) {
		rfc3339_format(response->deadline, deadline);
		value_set_string(arena, map, "deadline", deadline);
	}
	if (!canonical_format(&text, map, &error))
		return NULL;
	*length = text.length;
	return text.bytes;
}
