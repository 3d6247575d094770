/* SPDX-License-Identifier: Apache-2.0 */
/* evaluator.h - requests in, decisions and words out: what the files of this service share. */
#ifndef COUNTERSIGN_EVALUATOR_H
#define COUNTERSIGN_EVALUATOR_H

#include "common/asking/asking.h"
#include "common/journal/journal.h"
#include "common/keyring/keyring.h"
#include "common/known/known.h"
#include "common/message/report.h"
#include "common/message/request.h"
#include "common/service/service.h"
#include "common/snapshot/snapshot.h"
#include "common/word/word.h"

struct evaluator_config {
	struct service_config service;
	struct service_batch_config batch;
	struct service_signing_config signing;
	int64_t open_per_agent, open_per_class, open_per_group; /* approvals.open_per_…; 0: no limit */
	int64_t held_limit;					/* holds.limit */
};

struct evaluator {
	struct service_context *context;
	const struct evaluator_config *config;
	struct snapshot *snapshot;
	struct journal *journal;
	struct arena *rows; /* of one portion, until it is sent */
	int64_t gauge_at;   /* by CLOCK_MONOTONIC */
};

bool evaluator_open(struct service_context *context, void **state, struct error *error) CS_MUST_CHECK;
bool evaluator_handle(void *state, struct work *work, const struct record *records, size_t count,
		      struct error *error) CS_MUST_CHECK;
void evaluator_committed(void *state);
void evaluator_close(void *state);

/* ------------------------------------------------------------------ evaluator_intake.c: what came */

enum evaluator_fate {
	EVALUATOR_NEW, /* to be decided */
	EVALUATOR_INVALID, /* can't be taken (its form, or the policy's inputs), but its sender can be told: a new id */
	EVALUATOR_UNREADABLE, /* can't be taken, and nobody can be told: no id, or one that has its word */
	EVALUATOR_REPEATED,   /* known, with the same content */
	EVALUATOR_CONFLICTING /* known, with other content */
};

struct evaluator_item {
	const struct record *record;
	struct request request;
	struct word_request about; /* the same, for those who speak of it */
	struct error refusal;	   /* why it can't be taken; kind NONE: it can */
	enum evaluator_fate fate;
	uint8_t content_hash[CRYPTO_SHA256_SIZE];
	const struct keyring_key *key; /* of a signed one, once it is verified */
	/* of the new ones */
	struct policy_decision decision;
	struct word_decision stored;
	const struct snapshot_hold *hold; /* what holds it; NULL: nothing does */
	bool nobody; /* a requirement can't be met by anybody, those who stand in included */
	struct policy_requirement *fallbacks; /* with escalate_if_nobody: what may stand in for each requirement */
	const char *flood_code,
	    *flood_text;	  /* why people are not asked although they should be; NULL: they are */
	const char *duplicate_of; /* with duplicate_open: the request that asks the same; else NULL */
	const struct authorization_ahead *ahead; /* what is open for the groups that are asked, each once */
	size_t ahead_count;
	/* of those that were held and are decided again: new, but without a record, and stored already */
	int64_t decided; /* so many decisions there are; 0: it was not held */
	int64_t held_by, held_until;
	bool is_over; /* it was held for too long */
};

struct evaluator_intake {
	struct evaluator_item *items; /* one for each record */
	size_t count;
	struct store_rows *known; /* which of their ids were taken before */
	struct store_rows *keys;  /* of the signed ones, again under the policies' lock; NULL: none is */
};

bool evaluator_parse(struct arena *arena, const struct record *records, struct evaluator_intake *intake,
		     struct error *error) CS_MUST_CHECK;
/* Queues the look-up of their ids. */
bool evaluator_ask(struct work *work, struct evaluator_intake *intake, struct error *error) CS_MUST_CHECK;
/* Once it is settled: each record's fate at `now`, in offset order. */
void evaluator_sort(struct arena *arena, struct evaluator_intake *intake, int64_t now);
/* It is not taken, for the reason in its refusal: only its id is spoken of. */
void evaluator_withhold(struct evaluator_item *item);

/* ------------------------------------------------------------------ evaluator_signature.c: who asks */

/*
 * Whose signatures the signed ones carry. One that is wrong, or by a key that may not speak as the agent, is a refusal: it never counts
 * as unsigned. Asks nothing when none is signed.
 */
bool evaluator_verify(struct work *work, struct evaluator_intake *intake, struct error *error) CS_MUST_CHECK;
/* Queues the look-up of the same keys: one that was revoked meanwhile counts for nothing. */
bool evaluator_ask_keys(struct work *work, struct evaluator_intake *intake, struct error *error) CS_MUST_CHECK;
/* Once it is settled. */
void evaluator_recheck(struct arena *arena, struct evaluator_intake *intake);

/* ------------------------------------------------------------------ evaluator_people.c: is there anybody to ask */

/* A new request about which people must be asked. */
bool evaluator_asks_people(const struct evaluator_item *item);
/* Nobody could approve it, and the class does not wait for somebody who can. */
bool evaluator_leads_nowhere(const struct evaluator_item *item);
/*
 * Asks whom the class names instead, where nobody could meet a requirement and it says so; sets `nobody` of those whose question could
 * not be met by anybody.
 */
bool evaluator_look_for_people(struct work *work, struct evaluator_item *items, size_t count,
			       struct error *error) CS_MUST_CHECK;

/* ------------------------------------------------------------------ evaluator_answer.c: what becomes of it */

/* The sheets of one batch, sent in the order in which their rows refer to each other. */
struct evaluator_answers {
	struct evaluator *evaluator;
	struct work *work;
	struct arena *arena; /* of the rows */
	struct sheet requests, held, released, approvals, lines;
	struct asking_sheets asked;
	struct words words;
};

/* Decides the new ones, with the policies of the snapshot and the people of now; what they take of limits is in `limits`. */
bool evaluator_decide(struct evaluator *evaluator, struct work *work, struct limits *limits,
		      struct evaluator_item *items, size_t count, struct error *error) CS_MUST_CHECK;
/* Rows, words, notices and quarantine of every item. */
bool evaluator_answer(struct evaluator *evaluator, struct work *work, const struct evaluator_item *items,
		      size_t count, struct error *error) CS_MUST_CHECK;
/* Notes and says the word on an item. */
bool evaluator_speak(struct evaluator_answers *answers, const struct evaluator_item *item,
		     const struct authorization *word, struct error *error) CS_MUST_CHECK;

/* ------------------------------------------------------------------ evaluator_ask.c: people are asked */

/* The approval, its OPEN, and PENDING unless that has been said. */
bool evaluator_ask_people(struct evaluator_answers *answers, const struct evaluator_item *item,
			  struct error *error) CS_MUST_CHECK;

/* ------------------------------------------------------------------ evaluator_held.c: not now */

/* Looks whether a hold stands in its way, or it was held for too long. What is BLOCK is so whatever holds it. */
bool evaluator_is_held(const struct evaluator *evaluator, const struct work *work, struct evaluator_item *item);
/* What becomes of one that is. */
bool evaluator_answer_held(struct evaluator_answers *answers, const struct evaluator_item *item,
			   struct error *error) CS_MUST_CHECK;
/* It is held no more. */
void evaluator_release(struct evaluator_answers *answers, const struct evaluator_item *item);
/* Decides again what is held no more, some of it in one transaction. */
bool evaluator_tick(void *state, struct arena *arena, bool *again, struct error *error) CS_MUST_CHECK;

/* ------------------------------------------------------------------ evaluator_flood.c: not twice, not without end */

/* Sets flood_code of those that ask what is asked already, or that are too many, and what is ahead of the others; tells of a flood once an hour. Needs work->now. */
bool evaluator_stem(struct evaluator *evaluator, struct work *work, struct evaluator_item *items,
		    size_t count, struct error *error) CS_MUST_CHECK;
/* So many open approvals asked the group, one of those that the item asks, when the item was looked at. */
int64_t evaluator_ahead(const struct evaluator_item *item, const char *group);

#endif
