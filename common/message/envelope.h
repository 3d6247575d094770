/* SPDX-License-Identifier: Apache-2.0 */
/* envelope.h - what came on an input topic: plain JSON, CloudEvents binary or CloudEvents structured, told apart and opened. */
#ifndef COUNTERSIGN_ENVELOPE_H
#define COUNTERSIGN_ENVELOPE_H

#include "common/message/record.h"
#include "common/value/value.h"

struct envelope {
	const char *ce_id; /* NULL: none; checked against the form of a request id by the message that uses it */
	const char *traceparent;  /* a well-formed W3C traceparent, or NULL (a malformed one is dropped) */
	const char *signature;	  /* the signature header as text, or NULL */
	const void *signed_bytes; /* the record's value, whole: what a detached signature is over */
	size_t signed_length;
	struct value *body; /* the data, a map */
	bool is_structured; /* the body is the event's data, not the whole value */
	bool ce_id_unclear; /* there may be one, but it can't be relied on: repeated, contradicted, not read */
};

/*
 * Opens a record. CloudEvents: specversion must be 1.0 and id, source, type non-empty, in both modes; datacontenttype JSON;
 * in structured mode `data` must be an object (data_base64 is refused). A control header (ce_*, content-type, signature,
 * traceparent) that repeats is ERROR_INVALID "duplicate_header". More than 64 headers or 64 KiB of headers:
 * "too_many_headers". Other codes: "empty" (no value), "not_an_object", "cloudevent", "encoding" (a control header whose
 * name or value is no UTF-8 text), "id_mismatch" (a ce_id header beside another id in structured mode), and those of json_parse.
 * Any ce_ header makes it a CloudEvent that must be whole. A header without value counts as absent, but a signature, which is "" then.
 * On failure envelope->body may still be NULL and ce_id set as far as it was read.
 */
bool envelope_open(struct arena *arena, const struct record *record, struct envelope *envelope,
		   struct error *error) CS_MUST_CHECK;

#endif
