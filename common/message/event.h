/* SPDX-License-Identifier: Apache-2.0 */
/* event.h - what we say: one ledger event with its CloudEvents headers, ready to be appended and later published. */
#ifndef COUNTERSIGN_EVENT_H
#define COUNTERSIGN_EVENT_H

#include "common/id/id.h"
#include "common/memory/memory.h"
#include "common/value/value.h"

#define EVENT_PAYLOAD_MAX (900 * 1024) /* below every broker's message.max.bytes */

/* Logical topics; the prefix is put in front by the relay. */
#define TOPIC_REQUESTS "requests"
#define TOPIC_APPROVALS "approvals"
#define TOPIC_RESPONSES "responses"
#define TOPIC_AUTHORIZATIONS "authorizations"
#define TOPIC_OUTCOMES "outcomes"
#define TOPIC_INCIDENTS "incidents"
#define TOPIC_QUARANTINE "quarantine"
#define TOPIC_CHECKPOINTS "checkpoints"
#define TOPIC_DIRECTORY "directory"

struct event {
	struct id event_id;
	uint32_t chain;
	const char *topic;   /* logical name */
	const char *key;     /* Kafka key */
	const char *headers; /* RFC 8785 text of [["name","value"],…], in the order in which they are sent */
	const char *payload; /* RFC 8785 text */
	size_t payload_length;
	const char *request_id; /* for logs; or NULL */
};

/* The parts an event is made of. `signature`: a detached JWS over the payload, or NULL. */
struct event_parts {
	struct id event_id;
	uint32_t chain;
	const char *topic, *key, *type, *subject; /* type: "countersign.authorization.granted.v1" */
	const char *source;			  /* "/countersign/<service>" */
	const char *traceparent;		  /* or NULL */
	const struct crypto_key *sign_with; /* NULL: unsigned; else header signature with typ sign_typ */
	const char *sign_typ;
	int64_t time;
	const struct value *body;
};
/*
 * Formats body and headers into the arena. ERROR_BROKEN "event_too_large" above EVENT_PAYLOAD_MAX, "event_malformed" for a
 * body without an RFC 8785 form. countersign-chain and countersign-sequence are added by whoever publishes.
 */
bool event_make(struct arena *arena, const struct event_parts *parts, struct event *event,
		struct error *error) CS_MUST_CHECK;

#endif
