/* SPDX-License-Identifier: Apache-2.0 */
/* outcome.h - what happened downstream (topic outcomes), reported by whoever executed. A claim, recorded as such. */
#ifndef COUNTERSIGN_OUTCOME_H
#define COUNTERSIGN_OUTCOME_H

#include "common/jws/jws.h"
#include "common/message/record.h"
#include "common/value/value.h"

#define OUTCOME_TYP "countersign-outcome"

enum outcome_status { OUTCOME_STARTED, OUTCOME_SUCCEEDED, OUTCOME_FAILED, OUTCOME_ROLLED_BACK };

struct outcome {
	const char *outcome_id, *tenant, *request_id;
	enum outcome_status status;
	bool has_digest;
	uint8_t request_digest[CRYPTO_SHA256_SIZE];
	const char *authorization; /* token or event id, or NULL; <= 8 KiB */
	const char *reported_by;
	int64_t occurred_at;
	const char *code, *detail; /* or NULL; one line, <= 128 bytes and <= 1 KiB */
	const char *traceparent;
	const char *key; /* output key of the request */
	/* of the RFC 8785 form of the whole body without issued_at, tenant filled in */
	uint8_t content_hash[CRYPTO_SHA256_SIZE];
	int64_t issued_at;	    /* 0: it does not say */
	int64_t appended_at;	    /* the broker's clock for this record, 0 when the producer set it */
	const char *signature_text; /* the header; NULL: it is not signed, and a claim */
	const void *value;	    /* of a signed one: the signed bytes, borrowed */
	size_t value_length;
	struct jws signature; /* of a signed one; nothing of it is verified */
};

/*
 * tenant defaults to "default"; outcome_id, request_id, status, request_digest, reported_by, occurred_at are required. Of a signed one also
 * tenant and issued_at, in the signed bytes themselves; then ERROR_INVALID "signature_malformed", "signature_algorithm" or
 * "signature_type", field "signature", too. Form only: whose signature it is, is not asked. On failure only tenant and request_id may be
 * used, both or none: whom it was about.
 */
bool outcome_parse(struct arena *arena, const struct record *record, struct outcome *outcome,
		   struct error *error) CS_MUST_CHECK;
/* The bytes to send. NULL when a string is no UTF-8. */
char *outcome_format(struct arena *arena, const struct outcome *outcome, size_t *length);
const char *outcome_status_name(enum outcome_status status);

#endif
