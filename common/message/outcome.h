/* SPDX-License-Identifier: Apache-2.0 */
/* outcome.h - what happened downstream (topic outcomes), reported by whoever executed. A claim, recorded as such. */
#ifndef COUNTERSIGN_OUTCOME_H
#define COUNTERSIGN_OUTCOME_H

#include "common/crypto/crypto.h"
#include "common/message/record.h"
#include "common/value/value.h"

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
	const char *key;			  /* output key of the request */
	uint8_t content_hash[CRYPTO_SHA256_SIZE]; /* of the RFC 8785 form of the whole body, tenant filled in */
};

/* tenant defaults to "default"; outcome_id, request_id, status, request_digest, reported_by, occurred_at are required. */
bool outcome_parse(struct arena *arena, const struct record *record, struct outcome *outcome,
		   struct error *error) CS_MUST_CHECK;
/* The bytes to send. NULL when a string is no UTF-8. */
char *outcome_format(struct arena *arena, const struct outcome *outcome, size_t *length);
const char *outcome_status_name(enum outcome_status status);

#endif
