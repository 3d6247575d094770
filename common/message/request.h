/* SPDX-License-Identifier: Apache-2.0 */
/* request.h - what an agent wants to do (topic requests). Parsed once, at the door; after it nobody sees JSON. */
#ifndef COUNTERSIGN_REQUEST_H
#define COUNTERSIGN_REQUEST_H

#include "common/jws/jws.h"
#include "common/message/record.h"
#include "common/value/value.h"

#define REQUEST_TYP "countersign-request"
#define REQUEST_ID_MAX 128
#define REQUEST_TENANT_MAX 64 /* 1-64 of a-z 0-9 _ - (a tenant is part of keys: no '/', no upper case) */

struct request {
	const char *tenant, *request_id;
	const char *agent_id, *action, *target;
	const struct value *context;			       /* a map, never NULL after success */
	const struct value *execution;			       /* a map or NULL */
	int64_t deadline;				       /* microseconds; 0 = none */
	const char *on_behalf_of, *parent_request_id, *reason; /* or NULL */
	const char *traceparent;
	const char *key;			   /* our Kafka key: request_id, or tenant/request_id */
	const char *context_json, *execution_json; /* RFC 8785 text; execution_json NULL when there is none */
	uint8_t digest[CRYPTO_SHA256_SIZE];	   /* request_digest of messages.md */
	char digest_text[CRYPTO_DIGEST_TEXT_SIZE];
	/* SHA-256 over the RFC 8785 form of the whole body without issued_at, with request_id and tenant filled in: tells a repeat from a
	 * conflict */
	uint8_t content_hash[CRYPTO_SHA256_SIZE];
	int64_t issued_at;	    /* 0: it does not say */
	int64_t appended_at;	    /* the broker's clock for this record, 0 when the producer set it */
	const char *signature_text; /* the header; NULL: it is not signed, and who asks is a claim */
	const void *value;	    /* of a signed one: the signed bytes, borrowed */
	size_t value_length;
	struct jws signature; /* of a signed one; nothing of it is verified */
};

/*
 * Bytes to struct, every limit of messages.md and policy.md 4.2 checked. Errors: ERROR_INVALID with code and field; those
 * of the envelope, "unknown_field", "missing_field", "wrong_type", "bad_value", "id_mismatch" (ce_id beside another
 * request_id); of a signed one also "signature_malformed", "signature_algorithm", "signature_type", and "missing_field" for
 * request_id, tenant and issued_at, which must be in the signed bytes themselves. Form only: whose signature it is, is not asked. On failure request->request_id,
 * tenant and key are set when they could be read and are well-formed (all three or none), so that the caller can be
 * answered; nothing else may be used then. Of a value that is no JSON they are ce_id or the record key and tenant
 * "default", unless the bytes might name others.
 */
bool request_parse(struct arena *arena, const struct record *record, struct request *request,
		   struct error *error) CS_MUST_CHECK;

/* The same from an already opened body, for the command line (submit) and tests; record parts are NULL there. */
bool request_digest(struct arena *arena, struct request *request, struct error *error) CS_MUST_CHECK;

/* 1-128 of A-Z a-z 0-9 . _ : - */
bool request_id_valid(const char *text, size_t length);
bool request_tenant_valid(const char *text, size_t length);
/* The output key: request_id for tenant "default", else tenant/request_id. In the arena. */
const char *request_key(struct arena *arena, const char *tenant, const char *request_id);
/* Kafka's murmur2 of the key, sign bit cleared, modulo count: the partition of the Java client and of murmur2_random. */
uint32_t request_key_slot(const char *key, uint32_t count);

#endif
