/* SPDX-License-Identifier: Apache-2.0 */
/* request.c - the door for requests: whose it is first, so that it can be answered, then everything else. */
#include "common/message/request.h"
#include "common/canonical/canonical.h"
#include "common/message/envelope.h"
#include "common/message/fields.h"
#include "common/message/json.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

static const struct field members[] = {
    {"request_id", FIELD_ID, false, offsetof(struct request, request_id)},
    {"tenant", FIELD_TENANT, false, offsetof(struct request, tenant)},
    {"agent_id", FIELD_NAME, true, offsetof(struct request, agent_id)},
    {"action", FIELD_ACTION, true, offsetof(struct request, action)},
    {"target", FIELD_NAME, true, offsetof(struct request, target)},
    {"context", FIELD_MAP, false, offsetof(struct request, context)},
    {"execution", FIELD_MAP, false, offsetof(struct request, execution)},
    {"deadline", FIELD_TIME, false, offsetof(struct request, deadline)},
    {"on_behalf_of", FIELD_NAME, false, offsetof(struct request, on_behalf_of)},
    {"parent_request_id", FIELD_ID, false, offsetof(struct request, parent_request_id)},
    {"reason", FIELD_LINE, false, offsetof(struct request, reason)},
    {"issued_at", FIELD_TIME, false, offsetof(struct request, issued_at)},
};

static const struct fields request_fields = {members, sizeof members / sizeof *members, NULL};

/* Only checked here; the map itself is what is digested and shown. */
struct execution {
	const char *kind, *summary;
	uint8_t digest[CRYPTO_SHA256_SIZE];
};

static const struct field execution_members[] = {
    {"kind", FIELD_KIND, true, offsetof(struct execution, kind)},
    {"digest", FIELD_DIGEST, true, offsetof(struct execution, digest)},
    {"summary", FIELD_SUMMARY, true, offsetof(struct execution, summary)},
};

static const struct fields execution_fields = {
    execution_members, sizeof execution_members / sizeof *execution_members, "execution"};

/* Who asks, as far as it is known: all three or none. */
static void
name_request(struct arena *arena, struct request *request, const char *tenant, const char *request_id)
{
	request->tenant = tenant;
	request->request_id = request_id;
	request->key = request_key(arena, tenant, request_id);
}

/* A string member of a form, or *text left alone when it is absent. */
static bool
read_name(const struct value *body, const char *name, bool (*is_valid)(const char *, size_t),
	  const char **text, struct error *error)
{
	const struct value *value = value_get(body, name);

	if (!value)
		return true;
	if (value->kind != VALUE_STRING)
		return error_set_field(error, ERROR_INVALID, "wrong_type", name, "a string is expected");
	if (!is_valid(value->as.string.bytes, value->as.string.length))
		return error_set_field(error, ERROR_INVALID, "bad_value", name, "not of the form of a %s",
				       name);
	*text = value->as.string.bytes;
	return true;
}

static bool
id_from_ce_id(const struct envelope *envelope, const char **request_id, struct error *error)
{
	if (!request_id_valid(envelope->ce_id, strlen(envelope->ce_id)))
		return error_set_field(error, ERROR_INVALID, "bad_value", "ce_id",
				       "not of the form of a request_id");
	*request_id = envelope->ce_id;
	return true;
}

static bool
id_from_key(struct arena *arena, const struct record *record, const char **request_id, struct error *error)
{
	if (!record->key || record->key_length == 0)
		return error_set_field(error, ERROR_INVALID, "missing_field", "request_id",
				       "neither request_id nor ce_id nor a record key");
	if (!request_id_valid(record->key, record->key_length))
		return error_set_field(error, ERROR_INVALID, "bad_value", "key",
				       "not of the form of a request_id");
	*request_id = arena_copy(arena, record->key, record->key_length);
	return true;
}

/*
 * The body's request_id, else ce_id, else the record's key. A ce_id that differs from the body's is an error, but the
 * request is named all the same: its sender wrote the body and waits for that id.
 */
static bool
read_names(struct arena *arena, const struct record *record, const struct envelope *envelope,
	   const struct value *body, struct request *request, struct error *error)
{
	const char *tenant = "default", *request_id = NULL;

	if (!read_name(body, "tenant", request_tenant_valid, &tenant, error)
	    || !read_name(body, "request_id", request_id_valid, &request_id, error))
		return false;

	bool differs = request_id && envelope->ce_id && strcmp(request_id, envelope->ce_id) != 0;

	if (!request_id && envelope->ce_id_unclear)
		return error_set_field(error, ERROR_INVALID, "missing_field", "request_id",
				       "no request_id, and no clear ce_id");
	if (!request_id && envelope->ce_id && !id_from_ce_id(envelope, &request_id, error))
		return false;
	if (!request_id && !id_from_key(arena, record, &request_id, error))
		return false;
	name_request(arena, request, tenant, request_id);
	if (differs)
		return error_set_field(error, ERROR_INVALID, "id_mismatch", "ce_id",
				       "ce_id differs from request_id");
	return true;
}

/* Printable ASCII written \u0020 to \u007e, as nobody does who has nothing to hide. */
static bool
escapes_ascii(const char *at, const char *end)
{
	while ((at = memmem(at, (size_t)(end - at), "\\u00", 4)) && end - at > 4) {
		at += 4;
		if (*at >= '2' && *at <= '7')
			return true;
	}
	return false;
}

/* Bytes that are no JSON might hold the member all the same, spelled plainly, with escapes or in another encoding. */
static bool
may_hold(const struct record *record, const char *member)
{
	const char *bytes = record->value;
	size_t length = bytes ? record->value_length : 0;

	return length
	       && (memmem(bytes, length, member, strlen(member)) || memchr(bytes, '\0', length)
		   || escapes_ascii(bytes, bytes + length));
}

/*
 * Whom to answer when there is no body to read: ce_id or the key, for tenant default, but only where the bytes can't say
 * otherwise. A word to the wrong id or tenant would be DENIED at worst, yet it would spend an id that is not the sender's.
 */
static void
guess_names(struct arena *arena, const struct record *record, const struct envelope *envelope,
	    struct request *request)
{
	struct error ignored = {0};
	const char *request_id = NULL;

	if (envelope->is_structured || envelope->ce_id_unclear || may_hold(record, "tenant"))
		return;
	if (envelope->ce_id
		? !id_from_ce_id(envelope, &request_id, &ignored)
		: may_hold(record, "request_id") || !id_from_key(arena, record, &request_id, &ignored))
		return;
	name_request(arena, request, "default", request_id);
}

/* After the envelope failed: what is JSON tells by itself, even if a limit inside it is broken. */
static void
find_names(struct arena *arena, const struct record *record, struct envelope *envelope, struct request *request)
{
	struct error ignored = {0};
	const struct value *outline = json_outline(arena, record->value, record->value_length);

	if (!outline) {
		guess_names(arena, record, envelope, request);
		return;
	}
	if (envelope->is_structured) {
		if (!envelope->ce_id)
			envelope->ce_id = value_get_string(outline, "id");
		outline = value_get(outline, "data");
		if (!outline || outline->kind != VALUE_MAP)
			return;
	}
	(void)read_names(arena, record, envelope, outline, request, &ignored);
}

static bool
canonical_text(struct arena *arena, const struct value *value, struct text *text, struct error *error)
{
	struct buffer buffer = {.arena = arena};

	if (!canonical_format(&buffer, value, error))
		return false;
	*text = (struct text){buffer.bytes, buffer.length};
	return true;
}

/* Of exactly {tenant, agent_id, action, target, context} and execution where there is one. */
static bool
digest_request(struct arena *arena, struct request *request, struct error *error)
{
	struct value *map = value_map(arena);
	struct text text;

	value_set_string(arena, map, "tenant", request->tenant);
	value_set_string(arena, map, "agent_id", request->agent_id);
	value_set_string(arena, map, "action", request->action);
	value_set_string(arena, map, "target", request->target);
	value_set(arena, map, "context", (struct value *)request->context);
	if (request->execution)
		value_set(arena, map, "execution", (struct value *)request->execution);
	if (!canonical_text(arena, map, &text, error))
		return false;
	crypto_sha256(text.bytes, text.length, request->digest);
	crypto_digest_text(request->digest, request->digest_text);
	return true;
}

bool
request_digest(struct arena *arena, struct request *request, struct error *error)
{
	struct text text;

	assert(request->tenant && request->agent_id && request->action && request->target);
	if (!request->context)
		request->context = value_map(arena);
	if (request->request_id && !request->key)
		request->key = request_key(arena, request->tenant, request->request_id);
	if (!canonical_text(arena, request->context, &text, error))
		return false;
	request->context_json = text.bytes;
	request->execution_json = NULL;
	if (request->execution) {
		if (!canonical_text(arena, request->execution, &text, error))
			return false;
		request->execution_json = text.bytes;
	}
	return digest_request(arena, request, error);
}

/* Who asks again signs again, with another issued_at: that makes no other request of it. */
static bool
hash_content(struct arena *arena, const struct value *body, struct request *request, struct error *error)
{
	struct value *content = value_map(arena);
	struct text text;

	for (size_t i = 0; i < body->as.map.count; i++)
		if (strcmp(body->as.map.members[i].name.bytes, "issued_at") != 0)
			value_set(arena, content, body->as.map.members[i].name.bytes,
				  body->as.map.members[i].value);
	if (!value_get(content, "request_id"))
		value_set_string(arena, content, "request_id", request->request_id);
	if (!value_get(content, "tenant"))
		value_set_string(arena, content, "tenant", request->tenant);
	if (!canonical_text(arena, content, &text, error))
		return false;
	crypto_sha256(text.bytes, text.length, request->content_hash);
	return true;
}

/* What a header or the record's key says is not signed. */
static bool
read_signature(struct arena *arena, const struct envelope *envelope, struct request *request,
	       struct error *error)
{
	static const char *const signed_members[] = {"request_id", "tenant", "issued_at"};
	struct error why = {0};

	for (size_t i = 0; i < sizeof signed_members / sizeof *signed_members; i++)
		if (!value_get(envelope->body, signed_members[i]))
			return error_set_field(error, ERROR_INVALID, "missing_field", signed_members[i],
					       "must be in the value of a signed request");
	request->signature_text = envelope->signature;
	request->value = envelope->signed_bytes;
	request->value_length = envelope->signed_length;
	return jws_parse(arena, envelope->signature, strlen(envelope->signature), REQUEST_TYP, true,
			 &request->signature, &why)
	       || error_set_field(error, why.kind, why.code, "signature", "%s", why.text);
}

static bool
read_body(struct arena *arena, const struct envelope *envelope, struct request *request, struct error *error)
{
	struct execution execution;

	if (envelope->signature && !read_signature(arena, envelope, request, error))
		return false;
	if (!fields_read(arena, &request_fields, envelope->body, request, error))
		return false;
	if (value_get(envelope->body, "deadline") && request->deadline == 0)
		return error_set_field(error, ERROR_INVALID, "bad_value", "deadline",
				       "expected: an instant after 1970 began");
	return !request->execution
	       || fields_read(arena, &execution_fields, request->execution, &execution, error);
}

bool
request_parse(struct arena *arena, const struct record *record, struct request *request, struct error *error)
{
	struct envelope envelope;

	*request = (struct request){0};
	if (!envelope_open(arena, record, &envelope, error)) {
		find_names(arena, record, &envelope, request);
		return false;
	}
	request->traceparent = envelope.traceparent;
	if (record->timestamp_is_append && record->timestamp > 0)
		request->appended_at = record->timestamp;
	return read_names(arena, record, &envelope, envelope.body, request, error)
	       && read_body(arena, &envelope, request, error) && request_digest(arena, request, error)
	       && hash_content(arena, envelope.body, request, error);
}
