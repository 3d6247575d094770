/* SPDX-License-Identifier: Apache-2.0 */
/* resolver.h - answers of people and deadlines in, final words out: what the files of this service share. */
#ifndef COUNTERSIGN_RESOLVER_H
#define COUNTERSIGN_RESOLVER_H

#include "common/asking/asking.h"
#include "common/journal/journal.h"
#include "common/keyring/keyring.h"
#include "common/known/known.h"
#include "common/message/response.h"
#include "common/service/service.h"
#include "common/shelf/shelf.h"
#include "common/snapshot/snapshot.h"
#include "common/word/word.h"

#define RESOLVER_REFUSALS_ANNOUNCED 20 /* of one approval; the rest is stored and counted */
#define RESOLVER_VOTES_SHOWN 100       /* in one message */
#define RESOLVER_NAMES_MAX 8	       /* in a reason */
#define RESOLVER_OPERATORS "operators" /* the group whose members may do more */

struct resolver_config {
	struct service_config service;
	struct service_batch_config batch;
	struct service_signing_config signing;
	int64_t shelf_limit; /* shelf.limit */
};

struct resolver {
	struct service_context *context;
	const struct resolver_config *config;
	struct snapshot *snapshot;
	struct journal *journal;
	struct shelf_keeper shelf;
	int64_t gauge_at; /* by CLOCK_MONOTONIC */
};

bool resolver_open(struct service_context *context, void **state, struct error *error) CS_MUST_CHECK;
bool resolver_handle(void *state, struct work *work, const struct record *records, size_t count,
		     struct error *error) CS_MUST_CHECK;
void resolver_committed(void *state);
void resolver_close(void *state);

/* ------------------------------------------------------------------ resolver_tick.c: what happens by time */

bool resolver_tick(void *state, struct arena *arena, bool *again, struct error *error) CS_MUST_CHECK;
/* For the keeper of the shelf. */
bool resolver_apply_shelved(void *state, struct work *work, const struct record *records, size_t count,
			    struct error *error) CS_MUST_CHECK;
bool resolver_give_up(void *state, struct work *work, const struct record *records, size_t count,
		      struct error *error) CS_MUST_CHECK;

/* ------------------------------------------------------------------ resolver_approval.c: approvals under lock */

struct resolver_approval {
	const char *approval_id;
	struct word_request about;
	const char *owner;	 /* of the agent, or NULL */
	struct approval now;	 /* as it is, with all that this transaction has done to it */
	struct asking asking;	 /* its names */
	enum approval_state was; /* as it was loaded */
	int64_t notices_before;
	int64_t valid_for, hold_for, notices, refusals;
	unsigned loaded_demands, loaded_asks;	  /* so many are in the database */
	uint32_t asked;				  /* the asks that have been open at some time, as loaded */
	const char *persons[APPROVAL_VOTERS_MAX]; /* now.voter_count of them: who each voter is */
	struct authorization_response *answers;	  /* all that counted when they came, in order */
	size_t answer_count, answer_room;
	struct word_decision decision; /* the one that asks: the latest that says REQUIRE_APPROVAL */
	int64_t decisions, asked_in;   /* how many there are; since it was opened */
	int64_t held_by; /* the hold that kept it from being granted when it was met; 0: none did */
	const struct value *obligations; /* of all of them, which a grant carries; or NULL */
	const char *reason_text;
	const char *not_overridden;	  /* why what was just given as an override is none; or NULL */
	const char *overrider, *reviewer; /* who let it through alone, and who looked at that; or NULL */
	bool touched;
	bool may_end; /* what it granted may be revoked in this transaction */
};

struct resolver_approvals {
	struct resolver_approval *items; /* by id */
	size_t count;
};

/* Locks in the order of ids and loads everything about them as it is under the lock. */
bool resolver_load(struct work *work, const char *const *ids, size_t count,
		   struct resolver_approvals *approvals, struct error *error) CS_MUST_CHECK;
/* By the ids of those that are locked. */
struct store_rows *resolver_ask(struct work *work, enum statement statement,
				const struct resolver_approvals *approvals, struct error *error) CS_MUST_CHECK;
/* The approval that a row of such a statement is about. */
struct resolver_approval *resolver_owner_of(const struct resolver_approvals *approvals,
					    const struct store_rows *rows, size_t row);
/* resolver_asked.c: what they ask and what was answered. */
bool resolver_load_asked(struct work *work, const struct resolver_approvals *approvals,
			 struct error *error) CS_MUST_CHECK;
struct resolver_approval *resolver_find(const struct resolver_approvals *approvals, const char *approval_id);
void resolver_add_answer(struct arena *arena, struct resolver_approval *approval,
			 struct authorization_response answer);
/* His place among the voters; now.voter_count: he is none yet. */
unsigned resolver_voter(const struct resolver_approval *approval, const char *person);
/* For each (tenant, group, person), in order: one row that says whether he is a member now. Columns "ttt". */
struct sheet resolver_membership(struct work *work);
/* Queues what has changed, each against what was loaded. */
bool resolver_save(struct work *work, const struct resolver_approvals *approvals,
		   struct error *error) CS_MUST_CHECK;

/* ------------------------------------------------------------------ resolver_intake.c: what came */

struct resolver_item {
	const struct record *record;
	struct response response;
	struct error refusal; /* why it is nobody's answer: quarantine; kind NONE: verified */
	const struct keyring_key *key;
	uint8_t value_hash[CRYPTO_SHA256_SIZE];
	bool from_shelf; /* its time was checked when it was put there */
	/* what it is about */
	const char *request_id; /* NULL: it names an approval that is not there */
	bool request_known;
	const char *approval_id;
	struct resolver_approval *approval;
	uint32_t eligible; /* bit i: a member of ask i's group, for the asks that were loaded */
	bool is_operator;
	uint32_t overrides; /* bit i: a member of demand i's override group; with override only */
};

struct resolver_intake {
	struct resolver_item *items;
	size_t count;
	struct known *known; /* responses that were taken */
	struct resolver_approvals approvals;
};

/* Parses, verifies, and looks up and locks all that the verified ones are about. */
bool resolver_intake(struct resolver *resolver, struct work *work, const struct record *records, size_t count,
		     bool from_shelf, struct resolver_intake *intake, struct error *error) CS_MUST_CHECK;

/* ------------------------------------------------------------------ resolver_apply.c: what becomes of it */

/* The sheets of one transaction. */
struct resolver_effects {
	struct resolver *resolver;
	struct work *work;
	struct sheet responses, taken, opened_reviews, closed_reviews;
	struct asking_sheets asked;
	struct words words;
	struct limits *limits;
	struct shelf_item *waiting;
	const struct resolver_item **waiting_items;
	size_t waiting_count;
};
struct resolver_effects resolver_effects_open(struct resolver *resolver, struct work *work, size_t items);
bool resolver_effects_send(struct resolver_effects *effects, const struct resolver_approvals *approvals,
			   struct error *error) CS_MUST_CHECK;
/* Applies every item in order. Needs work->now. */
bool resolver_apply(struct resolver_effects *effects, struct resolver_intake *intake,
		    struct error *error) CS_MUST_CHECK;
/* The sweeper's look at the clock. */
bool resolver_apply_deadline(struct resolver_effects *effects, struct resolver_approval *approval,
			     struct error *error) CS_MUST_CHECK;

/* ------------------------------------------------------------------ resolver_outcome.c: how a step is made true */

/* The words, notices and states of one step. `response_id` etc. of the item matter for refusals; item NULL: the clock. */
bool resolver_perform(struct resolver_effects *effects, struct resolver_approval *approval,
		      const struct approval_step *step, const struct resolver_item *item,
		      struct error *error) CS_MUST_CHECK;
/* Tells bots, within bounds, that a response was refused. */
bool resolver_announce_refusal(struct resolver_effects *effects, struct resolver_approval *approval,
			       const struct resolver_item *item, const char *code,
			       struct error *error) CS_MUST_CHECK;

/* ------------------------------------------------------------------ resolver_override.c: one person past all who are asked */

/* Who overrides must be a member of the override group of every demand, those that this transaction has added as well. */
bool resolver_look_at_overrides(struct resolver_effects *effects, struct resolver_item *item,
				struct error *error) CS_MUST_CHECK;
void resolver_open_review(struct resolver_effects *effects, struct resolver_approval *approval,
			  const struct resolver_item *item);
void resolver_close_review(struct resolver_effects *effects, struct resolver_approval *approval,
			   const struct resolver_item *item);
/* The policy of now asks others as well, or a hold stands in its way: it is as if nobody had overridden, but that they are asked. `code` is
 * what the response is refused with. */
void resolver_undo_override(struct resolver_approval *approval, const struct approval *before,
			    const char *code);

/* ------------------------------------------------------------------ resolver_again.c: the second decision */

enum resolver_again {
	RESOLVER_STANDS, /* what people granted stands */
	RESOLVER_ASKS, /* the policy of now wants more people: requirements were added, the approval stays open */
	RESOLVER_WAITS, /* a hold stands in its way: nothing was decided, the approval stays open and is looked at again when it is over */
	RESOLVER_BLOCKS, /* the policy of now says BLOCK, or more than can be asked, or contradicts what was obliged to before */
	RESOLVER_NOBODY /* likewise, but asks what nobody could answer */
};
/*
 * Locks the limits that deciding again may ask for, and those of which the requests hold places, and reads the clock anew: after the
 * approvals are locked, before anything is applied.
 */
bool resolver_foresee(struct resolver_effects *effects, const struct resolver_approvals *approvals,
		      struct error *error) CS_MUST_CHECK;
/*
 * The last vote is there: the request is decided again by the policies of now and the decision is appended. `deciding` is what
 * the final word is to cite; `valid_for` is lowered to what the policy grants now, what it obliges to now is added to `obligations`. Where it
 * stands, the limits are used. *hold, with RESOLVER_WAITS, is what it waits for.
 */
bool resolver_decide_again(struct resolver_effects *effects, struct resolver_approval *approval,
			   enum resolver_again *again, struct word_decision *deciding,
			   const struct snapshot_hold **hold, struct error *error) CS_MUST_CHECK;

#endif
