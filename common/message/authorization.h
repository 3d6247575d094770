/* SPDX-License-Identifier: Apache-2.0 */
/* authorization.h - the word on a request (topic authorizations): PENDING, then one final word, signed; a grant may be revoked. */
#ifndef COUNTERSIGN_AUTHORIZATION_H
#define COUNTERSIGN_AUTHORIZATION_H

#include "common/crypto/crypto.h"
#include "common/message/event.h"

#define AUTHORIZATION_TYP "countersign-authorization+jwt"

enum authorization_status {
	AUTHORIZATION_PENDING,
	AUTHORIZATION_GRANTED,
	AUTHORIZATION_DENIED,
	AUTHORIZATION_EXPIRED,
	AUTHORIZATION_CANCELLED,
	AUTHORIZATION_REVOKED, /* after GRANTED */
};
const char *authorization_status_name(enum authorization_status status); /* "PENDING", … */

/* One counted vote as the public may see it. */
struct authorization_response {
	const char *responder, *verdict, *reason; /* "approve", "deny", …; reason or NULL */
	int64_t at;
};

/* How many open approvals asked a group when people were asked. */
struct authorization_ahead {
	const char *group;
	int64_t open;
};

struct authorization {
	const char *tenant, *request_id, *key;
	uint32_t chain;
	const char *agent_id;	 /* for the token's sub; NULL for an invalid request */
	const char *digest_text; /* "sha-256:…" or NULL (invalid_request) */
	enum authorization_status status;
	const char *decision; /* "ALLOW", "REQUIRE_APPROVAL", "BLOCK" */
	const char *reason_code, *reason_text;
	const char *const *rules;
	size_t rule_count;
	const char *explanation_digest; /* of the decision that was made with this word; or NULL */
	const char *policy_id;		/* NULL: none was asked */
	int64_t policy_version;
	const char *policy_digest;
	const struct value *obligations; /* GRANTED only: a map, or NULL */
	const char *remediation;	 /* what the agent could do instead, or NULL; not said with GRANTED */
	const struct value *layers;	 /* NULL unless several decided: a list of {id, version, digest} */
	const char *approval_id;	 /* or NULL */
	const char *overridden_by;	 /* who let it through alone, past everybody who was asked; or NULL */
	const char *duplicate_of;	 /* with duplicate_open: the request that asks the same; else NULL */
	const struct authorization_response *responses;
	size_t response_count;
	int64_t decided_at;
	int64_t not_before, expires_at; /* GRANTED only, else 0 */
	int64_t approval_deadline;	/* PENDING only, 0 = none */
	int64_t held_until; /* PENDING of what is held: when it ends at the latest; 0: people are asked */
	const struct authorization_ahead *ahead; /* PENDING only: of each group that is asked, each once */
	size_t ahead_count;
	const char *traceparent;
	const char *source;
};

/* What signs and for whom: from the configuration. */
struct authorization_issuer {
	const struct crypto_key *key;
	const char *issuer, *audience;
};

/*
 * The event with its body and, for every final word, its token: a compact JWS of typ AUTHORIZATION_TYP with iss, aud, sub,
 * iat, nbf, exp, jti (= event_id), tenant, request_id, request_digest, status, decision, policy, and the obligations of a grant. The event_id derives
 * from (tenant, request_id, "authorization." status, 0). REVOKED names that of the GRANTED that it takes back (revokes), in both; what one person
 * let through alone says by whom (overridden_by), in both. next_action: GRANTED and PENDING "none"/"wait"; DENIED
 * "none", but invalid_request "request" …; EXPIRED "request". PENDING has no token.
 */
bool authorization_event(struct arena *arena, const struct authorization_issuer *issuer,
			 const struct authorization *authorization, struct event *event, const char **token,
			 struct error *error) CS_MUST_CHECK;

#endif
