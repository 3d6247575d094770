/* SPDX-License-Identifier: Apache-2.0 */
/* authorization.c - the word on a request as a body and as a token that says the same. */
#include "common/message/authorization.h"
#include "common/message/body.h"

#include <assert.h>
#include <string.h>

#define SECOND INT64_C(1000000)

/* The name, and how it ends the event's type. */
static const struct {
	const char *name, *type;
} statuses[] = {
    [AUTHORIZATION_PENDING] = {"PENDING", "countersign.authorization.pending.v1"},
    [AUTHORIZATION_GRANTED] = {"GRANTED", "countersign.authorization.granted.v1"},
    [AUTHORIZATION_DENIED] = {"DENIED", "countersign.authorization.denied.v1"},
    [AUTHORIZATION_EXPIRED] = {"EXPIRED", "countersign.authorization.expired.v1"},
    [AUTHORIZATION_CANCELLED] = {"CANCELLED", "countersign.authorization.cancelled.v1"},
    [AUTHORIZATION_REVOKED] = {"REVOKED", "countersign.authorization.revoked.v1"},
};

const char *
authorization_status_name(enum authorization_status status)
{
	assert((size_t)status < sizeof statuses / sizeof *statuses);
	return statuses[status].name;
}

/* A denial that a better request or a better moment could change; not one that a rule or a person wanted. */
static bool
may_ask_again(const char *reason_code)
{
	static const char *const codes[] = {
	    "invalid_request",	    "missing_input",	     "evaluation_timeout", "no_policy",
	    "no_eligible_approver", "identity_not_verified", "too_many_open",	   "held"};

	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
		if (strcmp(codes[i], reason_code) == 0)
			return true;
	return false;
}

/* A known id's word is never spoken twice, so asking again takes a new request. */
static const char *
next_action(const struct authorization *authorization)
{
	switch (authorization->status) {
	case AUTHORIZATION_PENDING:
		return "wait";
	case AUTHORIZATION_EXPIRED:
		return "request";
	case AUTHORIZATION_DENIED:
		return may_ask_again(authorization->reason_code) ? "request" : "none";
	case AUTHORIZATION_GRANTED:
	case AUTHORIZATION_CANCELLED:
	case AUTHORIZATION_REVOKED:
		break;
	}
	return "none";
}

static void
set_policy(struct arena *arena, struct value *map, const struct authorization *authorization)
{
	if (!authorization->policy_id)
		return;

	struct value *policy = value_map(arena);

	value_set_string(arena, policy, "id", authorization->policy_id);
	value_set(arena, policy, "version", value_int(arena, authorization->policy_version));
	value_set_string(arena, policy, "digest", authorization->policy_digest);
	value_set(arena, map, "policy", policy);
	if (authorization->layers)
		value_set(arena, map, "layers", (struct value *)(uintptr_t)authorization->layers);
}

/* A word says what it says once: what it is about and its status are its id. */
static struct id
id_of(struct arena *arena, const struct authorization *authorization, enum authorization_status status)
{
	const char *kind = arena_format(arena, "authorization.%s", authorization_status_name(status));

	return id_event(authorization->tenant, authorization->request_id, kind, 0);
}

/* What body and token have in common. */
static struct value *
common_members(struct arena *arena, const struct authorization *authorization)
{
	struct value *map = value_map(arena);

	value_set_string(arena, map, "tenant", authorization->tenant);
	value_set_string(arena, map, "request_id", authorization->request_id);
	value_set_string(arena, map, "request_digest", authorization->digest_text);
	value_set_string(arena, map, "status", authorization_status_name(authorization->status));
	value_set_string(arena, map, "decision", authorization->decision);
	set_policy(arena, map, authorization);
	if (authorization->status == AUTHORIZATION_GRANTED && authorization->obligations)
		value_set(arena, map, "obligations", (struct value *)(uintptr_t)authorization->obligations);
	value_set_string(arena, map, "overridden_by", authorization->overridden_by);
	if (authorization->status == AUTHORIZATION_REVOKED)
		value_set_string(arena, map, "revokes",
				 id_of(arena, authorization, AUTHORIZATION_GRANTED).text);
	return map;
}

static struct value *
body_of(struct arena *arena, const struct authorization *authorization, const struct id *event_id,
	const char *token)
{
	struct value *body = common_members(arena, authorization);
	struct value *reason = value_map(arena);

	value_set_string(arena, reason, "code", authorization->reason_code);
	value_set_string(arena, reason, "text", authorization->reason_text);
	value_set_string(arena, body, "event_id", event_id->text);
	value_set(arena, body, "reason", reason);
	body_set_strings(arena, body, "rules", authorization->rules, authorization->rule_count);
	value_set_string(arena, body, "explanation_digest", authorization->explanation_digest);
	if (authorization->status != AUTHORIZATION_GRANTED)
		value_set_string(arena, body, "remediation", authorization->remediation);
	value_set_string(arena, body, "approval_id", authorization->approval_id);
	value_set_string(arena, body, "duplicate_of", authorization->duplicate_of);
	body_set_responses(arena, body, authorization->responses, authorization->response_count);
	body_set_time(arena, body, "decided_at", authorization->decided_at);
	if (authorization->status == AUTHORIZATION_GRANTED) {
		body_set_time(arena, body, "not_before", authorization->not_before);
		body_set_time(arena, body, "expires_at", authorization->expires_at);
	}
	if (authorization->held_until) {
		body_set_time(arena, body, "held_until", authorization->held_until);
	} else if (authorization->status == AUTHORIZATION_PENDING) {
		body_set_time_or_null(arena, body, "approval_deadline", authorization->approval_deadline);
		body_set_ahead(arena, body, authorization->ahead, authorization->ahead_count);
	}
	value_set_string(arena, body, "next_action", next_action(authorization));
	value_set_string(arena, body, "token", token);
	return body;
}

static void
set_seconds(struct arena *arena, struct value *map, const char *name, int64_t microseconds)
{
	value_set(arena, map, name, value_int(arena, microseconds / SECOND));
}

static struct value *
claims_of(struct arena *arena, const struct authorization_issuer *issuer,
	  const struct authorization *authorization, const struct id *event_id)
{
	struct value *claims = common_members(arena, authorization);

	value_set_string(arena, claims, "iss", issuer->issuer);
	value_set_string(arena, claims, "aud", issuer->audience);
	value_set_string(arena, claims, "sub", authorization->agent_id);
	value_set_string(arena, claims, "jti", event_id->text);
	set_seconds(arena, claims, "iat", authorization->decided_at);
	if (authorization->status == AUTHORIZATION_GRANTED) {
		set_seconds(arena, claims, "nbf", authorization->not_before);
		set_seconds(arena, claims, "exp",
			    authorization->expires_at); /* cut: never longer than expires_at */
	}
	return claims;
}

/* A grant without digest, end or agent would be good for anything, for ever, for anybody. */
static void
check(const struct authorization *authorization)
{
	assert(authorization->tenant && authorization->request_id && authorization->key
	       && authorization->source);
	assert(authorization->decision && authorization->reason_code);
	if (authorization->status != AUTHORIZATION_GRANTED)
		return;
	assert(authorization->digest_text && authorization->agent_id);
	assert(strcmp(authorization->decision, "BLOCK") != 0);
	assert(authorization->not_before > 0 && authorization->expires_at > authorization->not_before);
}

bool
authorization_event(struct arena *arena, const struct authorization_issuer *issuer,
		    const struct authorization *authorization, struct event *event, const char **token,
		    struct error *error)
{
	check(authorization);

	struct id event_id = id_of(arena, authorization, authorization->status);

	*token = NULL;
	if (authorization->status != AUTHORIZATION_PENDING) {
		*token = body_sign(arena, issuer->key, AUTHORIZATION_TYP,
				   claims_of(arena, issuer, authorization, &event_id), error);
		if (!*token)
			return false;
	}

	struct event_parts parts = {
	    .event_id = event_id,
	    .chain = authorization->chain,
	    .topic = TOPIC_AUTHORIZATIONS,
	    .key = authorization->key,
	    .type = statuses[authorization->status].type,
	    .subject = authorization->request_id,
	    .source = authorization->source,
	    .traceparent = authorization->traceparent,
	    .time = authorization->decided_at,
	    .body = body_of(arena, authorization, &event_id, *token),
	};

	return event_make(arena, &parts, event, error);
}
