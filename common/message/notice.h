/* SPDX-License-Identifier: Apache-2.0 */
/* notice.h - what approvers' bots are told (topic approvals): opened, changed, closed; enough to render a card. */
#ifndef COUNTERSIGN_NOTICE_H
#define COUNTERSIGN_NOTICE_H

#include "common/message/authorization.h"

#define NOTICE_TYP "countersign-approval"

struct notice_need {
	const char *profile, *group;
	int64_t quorum, votes;
	const char *policy; /* whose profile it is, where several policies decided; else NULL */
	int64_t stage;	    /* of its profile, from 1 */
	bool all;	    /* all of its stage must be met; else one of it */
	bool distinct;	    /* a person counts for one need of the profile */
	bool fallback;	    /* it is asked since nobody could answer what the profile asks */
	bool escalated;	    /* it is asked since nobody answered, and stands in for its whole stage */
	bool open;	    /* its members may answer now */
	bool asked;	    /* they could at some time */
};

struct notice {
	const char *approval_id, *tenant, *request_id, *key;
	uint32_t chain;
	const char *state; /* "OPEN", "CHANGED", "CLOSED" */
	const char *cause; /* "opened", "response", "response_refused", "expired", "approved", "denied" */
	int64_t n;	   /* counts the notices of one approval from 0: part of the event id */
	const char *agent_id, *action, *target;
	const struct value *context;		   /* a map */
	const struct value *execution;		   /* or NULL */
	const char *request_reason, *on_behalf_of; /* or NULL */
	const char *signed_by_kid,
	    *signed_by_owner; /* whose signature the request carries; NULL: who asks is a claim */
	const char *digest_text;
	const struct notice_need *needs;
	size_t need_count;
	const char *const *rules;
	size_t rule_count;
	const char *explanation_digest; /* of the decision that was made with it, where no word says it; or NULL */
	const char *reason_text;	/* why people are asked */
	const struct value *obligations; /* what a grant will carry: a map, or NULL */
	int64_t opened_at, approval_deadline;
	const struct authorization_ahead *ahead; /* OPEN only: of each group that is asked, each once */
	size_t ahead_count;
	const struct authorization_response *responses;
	size_t response_count;
	const char *overridden_by; /* who let it through alone; or NULL */
	const char *reviewed_by;   /* who looked at that; or NULL */
	const char *result;	   /* on CLOSED: the final status; else NULL */
	int64_t hold_id;	   /* it would be granted, and this hold stands in its way; 0: none does */
	const char *hold_reason;
	/* with cause response_refused: */
	const char *refused_response_id, *refused_responder, *refused_code;
	int64_t at;
	const char *traceparent, *source;
	const struct crypto_key *sign_with;
};
/* event_id derives from (tenant, request_id, "approval", n). Signed by header `signature`, typ NOTICE_TYP. */
bool notice_event(struct arena *arena, const struct notice *notice, struct event *event,
		  struct error *error) CS_MUST_CHECK;

#endif
