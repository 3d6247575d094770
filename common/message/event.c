/* SPDX-License-Identifier: Apache-2.0 */
/* event.c - a body and its CloudEvents attributes as the bytes that go into the ledger and, unchanged, to Kafka. */
#include "common/message/event.h"
#include "common/canonical/canonical.h"
#include "common/jws/jws.h"
#include "common/message/rfc3339.h"

#include <assert.h>

/* What we assembled ourselves has a canonical form: if not, it is our fault and not the input's. */
static bool
format(struct arena *arena, const struct event_parts *parts, const struct value *value, struct text *text,
       struct error *error)
{
	struct buffer buffer = {.arena = arena};
	struct error why = {0};

	if (!canonical_format(&buffer, value, &why))
		return error_set_field(error, ERROR_BROKEN, "event_malformed", why.field, "%s: %s",
				       parts->type, why.text);
	*text = (struct text){buffer.bytes, buffer.length};
	return true;
}

static void
add_header(struct arena *arena, struct value *headers, const char *name, const char *text)
{
	if (!text)
		return;

	struct value *pair = value_list(arena);

	value_append(arena, pair, value_string(arena, name));
	value_append(arena, pair, value_string(arena, text));
	value_append(arena, headers, pair);
}

static struct value *
headers_of(struct arena *arena, const struct event_parts *parts, const char *signature)
{
	struct value *headers = value_list(arena);
	char time[RFC3339_SIZE];

	rfc3339_format(parts->time, time);
	add_header(arena, headers, "ce_specversion", "1.0");
	add_header(arena, headers, "ce_id", parts->event_id.text);
	add_header(arena, headers, "ce_type", parts->type);
	add_header(arena, headers, "ce_source", parts->source);
	add_header(arena, headers, "ce_subject", parts->subject);
	add_header(arena, headers, "ce_time", time);
	add_header(arena, headers, "content-type", "application/json");
	add_header(arena, headers, "traceparent", parts->traceparent);
	add_header(arena, headers, "signature", signature);
	return headers;
}

bool
event_make(struct arena *arena, const struct event_parts *parts, struct event *event, struct error *error)
{
	struct text payload = {0}, headers = {0};
	const char *signature = NULL;

	assert(parts->topic && parts->key && parts->type && parts->source && parts->body);
	if (!format(arena, parts, parts->body, &payload, error))
		return false;
	if (payload.length > EVENT_PAYLOAD_MAX)
		return error_set(error, ERROR_BROKEN, "event_too_large", "%s of %zu bytes, more than %d",
				 parts->type, payload.length, EVENT_PAYLOAD_MAX);
	if (parts->sign_with)
		signature =
		    jws_sign_detached(arena, parts->sign_with, parts->sign_typ, payload.bytes, payload.length);
	if (!format(arena, parts, headers_of(arena, parts, signature), &headers, error))
		return false;
	*event = (struct event){
	    .event_id = parts->event_id,
	    .chain = parts->chain,
	    .topic = parts->topic,
	    .key = arena_string(arena, parts->key),
	    .headers = headers.bytes,
	    .payload = payload.bytes,
	    .payload_length = payload.length,
	    .request_id = arena_string(arena, parts->subject),
	};
	return true;
}
