/* SPDX-License-Identifier: Apache-2.0 */
/* response.h - what a person answers, or an agent that withdraws (topic responses): signed by a registered key, or worth nothing. */
#ifndef COUNTERSIGN_RESPONSE_H
#define COUNTERSIGN_RESPONSE_H

#include "common/jws/jws.h"
#include "common/message/record.h"
#include "common/value/value.h"

#define RESPONSE_TYP "countersign-response"

enum response_verdict {
	RESPONSE_APPROVE,
	RESPONSE_DENY,
	RESPONSE_RECUSE,
	RESPONSE_COMMENT,
	RESPONSE_EXTEND,
	RESPONSE_WITHDRAW,
	RESPONSE_REVOKE,
	RESPONSE_OVERRIDE,
	RESPONSE_REVIEW
};
/* "approve", "deny", "recuse", "comment", "extend", "withdraw", "revoke", "override", "review" */
const char *response_verdict_name(enum response_verdict verdict);

struct response {
	const char *response_id; /* 1-128 of the request id's alphabet */
	const char *tenant;
	const char *request_id;	 /* or NULL when approval_id is given */
	const char *approval_id; /* a UUID in lower case, or NULL */
	const char *responder;	 /* 1-256 bytes, no control characters */
	enum response_verdict verdict;
	uint8_t request_digest[CRYPTO_SHA256_SIZE];
	int64_t issued_at;
	int64_t deadline;	 /* with RESPONSE_EXTEND, and with no other: the one that is wanted; else 0 */
	const char *reason;	 /* or NULL; <= 1 KiB */
	const char *traceparent; /* or NULL */
	int64_t appended_at;	 /* the broker's clock for this record, 0 when the producer set it */
	const void *value;	 /* the signed bytes, borrowed */
	size_t value_length;
	const char *signature_text; /* the header */
	struct jws signature;
};

/*
 * Form only; nothing is trusted yet. Exactly one of request_id and approval_id must be there. ERROR_INVALID codes: those of
 * the envelope, "missing_field", "unknown_field", "wrong_type", "bad_value", "signature_missing", "signature_malformed",
 * "signature_algorithm", "signature_type".
 */
bool response_parse(struct arena *arena, const struct record *record, struct response *response,
		    struct error *error) CS_MUST_CHECK;

/* The other direction, for the command line: the exact bytes to sign and send. NULL when a string is no UTF-8. */
char *response_format(struct arena *arena, const struct response *response, size_t *length);

#endif
