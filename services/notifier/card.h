/* SPDX-License-Identifier: Apache-2.0 */
/* card.h - what people are told about an approval: exact members for programs, and a text that they can read as it is. Pure. */
#ifndef COUNTERSIGN_NOTIFIER_CARD_H
#define COUNTERSIGN_NOTIFIER_CARD_H

#include "common/message/notice.h"

#define CARD_MAX 20000 /* bytes of the whole body, as Standard Webhooks asks for */

#define CARD_BEFORE_MAX 9 /* failures of before that are counted */

/* What was reported of it. */
struct card_outcome {
	const char *outcome_id, *status, *judgement, *reported_by;
	const char *code, *detail; /* or NULL */
	int64_t at;
};

/* The last of those that failed lately, of the same agent, action and target. */
struct card_before {
	const char *request_id, *status;
	const char *code, *detail; /* or NULL */
};

struct card {
	const char *approval_id, *tenant, *request_id, *request_digest;
	const char *agent_id, *action, *target;
	const struct value *context, *execution;   /* execution may be NULL */
	const char *context_text, *execution_text; /* their RFC 8785 forms */
	const char *reason, *on_behalf_of;	   /* what the agent says; or NULL */
	const char *signed_by_kid,
	    *signed_by_owner;		 /* whose signature the request carries; NULL: who asks is a claim */
	const char *why;		 /* why people are asked */
	const struct value *obligations; /* what a grant will carry: a map, or NULL */
	const char *const *rules;
	size_t rule_count;
	const struct notice_need *needs;
	size_t need_count;
	const struct authorization_response *responses;
	size_t response_count;
	const char *const *told; /* groups that are told since nobody answered, though not asked */
	size_t told_count;
	int64_t opened_at, deadline, closed_at; /* closed_at 0: it is open; deadline 0: none */
	const char *overridden_by;		/* who let it through alone, at closed_at; or NULL */
	const char *reviewed_by;		/* who looked at that; NULL: nobody has */
	int64_t revoked_at;			/* 0: it was not */
	int64_t reminded_at;			/* those who have not answered, last; 0: never */
	int64_t failed_before;			/* so many, CARD_BEFORE_MAX: or more */
	struct card_before before;		/* where failed_before is not 0 */
	const struct card_outcome *outcome;	/* with CARD_OUTCOME; else NULL */
	const char *result;			/* the final status, or REVOKED; NULL: it is open */
};

enum card_event {
	CARD_OPENED,
	CARD_CHANGED,
	CARD_REMINDED,
	CARD_CLOSED,
	CARD_REVOKED,
	CARD_OUTCOME,
	CARD_OVERRIDDEN
};

/* What is left out of a body that would be too large; named by data.cut, and in the text. */
enum card_cut {
	CARD_CUT_TEXT_CONTEXT = 1,   /* of the text only */
	CARD_CUT_TEXT_EXECUTION = 2, /* of the text only */
	CARD_CUT_CONTEXT = 4,
	CARD_CUT_EXECUTION = 8,
	CARD_CUT_REASONS = 16 /* what people gave as theirs */
};

/*
 * The body of a message in RFC 8785 form: {"type": "approval.opened", "timestamp": when that was, "data": {…, "text": …}}.
 * What has to be cut is replaced as a whole by its size and digest. ERROR_BROKEN "card_malformed" when it has no such form.
 */
bool card_format(struct arena *arena, const struct card *card, enum card_event event, const char *delivery_id,
		 struct buffer *out, struct error *error) CS_MUST_CHECK;

/* The text for people; `cut` says what to leave out (card_text.c). */
const char *card_text(struct arena *arena, const struct card *card, enum card_event event, unsigned cut);
/* "sha-256:…" of a text. */
const char *card_digest(struct arena *arena, const char *text);

#endif
