/* SPDX-License-Identifier: Apache-2.0 */
/* word.h - decisions, words and notices as rows and events of one transaction. */
#ifndef COUNTERSIGN_WORD_H
#define COUNTERSIGN_WORD_H

#include "common/limits/limits.h"
#include "common/message/notice.h"
#include "common/sheet/sheet.h"
#include "common/snapshot/snapshot.h"

/* The request that is spoken of. All borrowed. For one that could not be taken only the first three are set. */
struct word_request {
	const char *tenant, *request_id, *key;
	const char *agent_id, *action, *target;
	const struct value *context;			 /* a map */
	const struct value *execution;			 /* or NULL */
	const char *reason, *on_behalf_of, *traceparent; /* or NULL */
	const char *digest_text;
	const char *verified_kid, *verified_owner; /* whose signature it carries; NULL: who asks is a claim */
};

/* A decision as it is stored and cited. */
struct word_decision {
	const char *verdict, *reason_code, *reason_text;
	const char *class_id; /* or NULL */
	const char *const *rules;
	size_t rule_count;
	const char *policy_id, *policy_digest; /* NULL: there was no policy */
	int64_t policy_version, generation; /* of the tenant's own, where an organisation's decided as well */
	const struct value *layers; /* NULL unless several decided: a list of {id, version, digest}, the organisation's first */
	const char *remediation;	 /* or NULL */
	const struct value *obligations; /* a map of at least one, or NULL */
	const char *explanation;	 /* JSON, policy_explain.h; NULL: nothing was evaluated */
	const char *explanation_digest; /* of that text, "sha-256:…"; NULL: there is none, or it was said with an earlier word */
};

#define WORD_DECIDING_MAX                                                                                    \
	5000 /* microseconds of computing that the conditions of one decision may take; what is not evaluated then errs */

/* What a transaction will have decided and said; rows are sent together by words_send. */
struct words {
	struct work *work;
	struct arena *arena;
	struct sheet decisions, spoken;
};
/* The rows are kept in the arena until they are sent. */
struct words words_open(struct work *work, struct arena *arena);

#define WORD_SHADOWS_MAX                                                                                     \
	2000 /* microseconds of computing that all shadows of one decision may take together */

/*
 * Asks the policies that cover the tenant now, under the limits as limits.h says (NULL: there are none), and then those in the shadow, which
 * change nothing and are told in the explanation. deadline 0: the request's is not applied. `stored` NULL: it is only decided, nothing is explained.
 */
void word_decide(const struct snapshot *snapshot, const struct word_request *request, int64_t deadline,
		 struct work *work, struct limits *limits, struct policy_decision *decision,
		 struct word_decision *stored);
/* Adds the n-th decision on a request. */
void word_decided(struct words *words, const struct word_request *request, int64_t n,
		  const struct word_decision *decision);

/* A word filled in as far as request and decision tell; the caller sets status, approval and times, perhaps other reasons. */
struct authorization word_make(const struct work *work, const struct word_request *request,
			       const struct word_decision *decision);
/* Adds it: row and event, signed where it is final. */
bool word_speak(struct words *words, const struct authorization *authorization,
		struct error *error) CS_MUST_CHECK;

/* A notice filled in as far as the request tells. */
struct notice word_notice(const struct work *work, const struct word_request *request);
/* Adds its event. */
bool word_announce(struct work *work, const struct notice *notice, struct error *error) CS_MUST_CHECK;

/* The id of the approval that a request may open. */
struct id word_approval_id(const struct word_request *request);

/* Queues the rows. The rows that they refer to (request, approval) must have been queued before. */
bool words_send(const struct words *words, struct error *error) CS_MUST_CHECK;

#endif
