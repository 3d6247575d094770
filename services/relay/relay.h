/* SPDX-License-Identifier: Apache-2.0 */
/*
 * relay.h - the consumer of the ledger that publishes it. One relay per chain at a time by a lease; within a chain nothing
 * is sent before all that was sent earlier is acknowledged, or in one gapless turn with it.
 */
#ifndef COUNTERSIGN_RELAY_H
#define COUNTERSIGN_RELAY_H

#include "common/service/service.h"

struct relay_config {
	struct service_config common;
	char *key_file;		     /* signing.key_file */
	int64_t lease;		     /* relay.lease */
	int64_t poll;		     /* relay.poll */
	int64_t checkpoint_interval; /* relay.checkpoint_interval */
};

/* An event as the ledger has it. Of the turn at hand. */
struct relay_event {
	int64_t sequence; /* 0: none */
	const char *event_id, *topic, *key, *headers;
	struct store_bytes payload;
};

/* One chain as this relay knows it. Times are of our own monotonic clock. */
struct relay_chain {
	uint32_t chain;
	bool mine;
	int64_t epoch, next;	 /* of relay_position */
	int64_t lease_end;	 /* begun before the statement that took or renewed it */
	int64_t head;		 /* last sequence of the ledger, as last seen */
	struct relay_event only; /* the one between the position and the head, if it was one */

	/* after a failure */
	int64_t not_before, pause;

	/* checkpoints */
	int64_t checkpoint_at;
	int64_t checkpoint_event; /* sequence of the last checkpoint's own event; -1: not known */
};

enum relay_fate { RELAY_IN_FLIGHT, RELAY_ACKNOWLEDGED, RELAY_FAILED };

/* One event of the turn in flight; its place in the turn is its tag. */
struct relay_sent {
	struct relay_chain *chain;
	int64_t sequence;
	enum relay_fate fate;
	char topic[24]; /* logical, for the counter */
};

struct relay {
	struct service_context *context;
	const struct relay_config *config;
	struct crypto_key *key;
	struct bus_producer *producer;

	struct relay_chain *chains;
	size_t chain_count;
	size_t first; /* the chain that is served first, another in each turn */
	int64_t claim_at, gauge_at;

	/* the turn in flight */
	struct relay_sent *sent;
	size_t sent_count, sent_room, sent_bytes;
	bool failed;	     /* some of it was not acknowledged */
	struct error reason; /* of the first that was not */
};

bool relay_open(struct service_context *context, void **state, struct error *error);
bool relay_tick(void *state, struct arena *arena, bool *again, struct error *error);
void relay_close(void *state);

/* relay_lease.c */
struct relay_chain *relay_chain(struct relay *relay, int64_t chain);
bool relay_claim(struct relay *relay, struct arena *arena, struct error *error) CS_MUST_CHECK;
/* Moves each chain of ours to to[i] (i = its index; NULL: none moves) and renews its lease. What is not ours any more is let go. */
bool relay_advance(struct relay *relay, struct arena *arena, const int64_t *to,
		   struct error *error) CS_MUST_CHECK;
bool relay_release(struct relay *relay, struct arena *arena, struct error *error) CS_MUST_CHECK;
/* Sending is over when a message could still be on its way at the end of the lease. */
bool relay_may_send(const struct relay *relay, const struct relay_chain *chain);
bool relay_lease_wants_renewal(const struct relay *relay);

/* relay_turn.c: read, send; when everything was reported, advance */
bool relay_turn_start(struct relay *relay, struct arena *arena, struct error *error) CS_MUST_CHECK;
void relay_turn_poll(struct relay *relay, int64_t timeout_us);
bool relay_turn_over(const struct relay *relay);
/* Where each chain may move to by now, by its index. */
int64_t *relay_destinations(struct relay *relay, struct arena *arena);
bool relay_turn_settle(struct relay *relay, struct arena *arena, struct error *error) CS_MUST_CHECK;
/* There is a producer: a message that it can't deliver in half a lease is given up. */
bool relay_producer(struct relay *relay, struct error *error) CS_MUST_CHECK;
/* One statement, which commits by itself. One that was not answered may have been done: all are compare-and-set. */
struct store_rows *relay_ask(struct relay *relay, struct arena *arena, enum statement statement,
			     const struct store_param *params, size_t count, struct error *error) CS_MUST_CHECK;

/* relay_headers.c: the stored headers and the event's place in the ledger. BROKEN when what is stored is not ours. */
bool relay_headers(struct arena *arena, const char *stored, uint32_t chain, int64_t sequence,
		   const struct record_header **headers, size_t *count, struct error *error) CS_MUST_CHECK;

/* relay_checkpoint.c: signs the heads that are due */
bool relay_checkpoints(struct relay *relay, struct arena *arena, struct error *error) CS_MUST_CHECK;

#endif
