/* SPDX-License-Identifier: Apache-2.0 */
/* limits_private.h - the counters of a transaction, what requests hold of them, and what it takes. Private to this room. */
#ifndef COUNTERSIGN_LIMITS_PRIVATE_H
#define COUNTERSIGN_LIMITS_PRIVATE_H

#include "common/crypto/crypto.h"
#include "common/limits/bucket.h"
#include "common/limits/limits.h"

/* Of a place that a question holds: until people have answered. */
#define LIMITS_OPEN (INT64_C(8000) * 366 * 86400 * 1000000)

struct counter {
	struct counter *next; /* in its slot */
	uint8_t id[CRYPTO_SHA256_SIZE];
	const struct policy_counter *what; /* of the first who asked */
	bool recalled;			   /* nobody has asked: `what` is what its row says */
	int64_t since;			   /* the limit is as it is */
	int64_t used, oldest, over_at; /* as they are without what is taken here; oldest 0: nothing is used */
	int64_t stored;		       /* used, as its row has it still */
	int64_t held,
	    frees_at; /* what is held beside it, and when the first place of it is free; 0: none is, by time alone */
	int64_t taken, claimed; /* here: what counts from now on, and what is held */
	int64_t claimed_until;	/* the latest end of what is held here and ends by time */
	bool touched;		/* places of it were made or given up here, or uses of it given back */
	struct bucket bucket;	/* of a token_bucket: as it is at work->now, without what is taken here */
};

/* A place that a request held before this transaction. */
struct limits_place {
	struct counter *counter;
	const char *tenant, *request_id;
	int64_t amount, until;
	bool releases;	 /* of the limit it is about */
	bool is_taken;	 /* here: its row is written anew */
	bool is_dropped; /* here: its row goes */
	bool is_ended;	 /* here: it is held until `until`, which is earlier than its row says */
};

struct limits_take {
	struct counter *counter;
	const char *tenant, *request_id;
	int64_t amount, until; /* until 0: it counts from now on */
	bool warns, is_told, is_dropped, releases;
};

/* What a request has used and may get back; as its row says it under the lock, then as it is here. */
struct limits_kept {
	struct counter *counter;
	const char *tenant, *request_id;
	int64_t amount, at; /* amount 0: it is not there (any more) */
	bool is_released;
	bool is_new;	 /* counts since this transaction */
	bool is_changed; /* its row is to say so */
};

struct limits {
	struct work *work;
	struct journal *journal;
	struct counter **slots;
	struct counter **all; /* in the order in which they were asked for */
	size_t count, room, locked;
	bool stale; /* a counter was read as another limit than it is */
	struct limits_take *takes;
	size_t take_count, take_room;
	struct limits_place *places;
	size_t place_count;
	bool recalls;		  /* places were looked for */
	struct limits_kept *kept; /* with room for each place that becomes a use */
	size_t kept_count;
	size_t recalled_count;		 /* of them, those that have a row of before */
	const char *tenant, *request_id; /* who is decided about */
	int rounds;
};

/* limits.c: the counter of this id. NULL: it is not there, and `what` is NULL. */
struct counter *limits_counter(struct limits *limits, const uint8_t *id, const struct policy_counter *what);
/* The counter that is asked for; NULL: it is not there, and not to be added. */
struct counter *limits_find(struct limits *limits, const struct policy_counter *what, bool add);
bool limits_is_of(const char *tenant, const char *request_id, const char *other_tenant, const char *other_id);
/* The first instant whose uses count at `now`. */
int64_t limits_window_begins(const struct policy_counter *what, int64_t now);
int64_t limits_window_ends(const struct policy_counter *what, int64_t since);
bool limits_is_bucket(const struct counter *counter);
/* The bucket with what is taken here. */
struct bucket limits_filled(const struct counter *counter);
int64_t limits_sum(int64_t left, int64_t right); /* at most INT64_MAX */
/* limits_release.c: a place that holds has become a use that may be given back. */
void limits_keep(struct limits *limits, const struct limits_place *place);
/* Reads under the lock what uses are there, and writes what became of them. */
bool limits_load_kept(struct limits *limits, struct error *error) CS_MUST_CHECK;
bool limits_send_kept(struct limits *limits, struct error *error) CS_MUST_CHECK;
const char *limits_labels(const struct limits *limits, const struct policy_counter *what);

#endif
