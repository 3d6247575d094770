/* SPDX-License-Identifier: Apache-2.0 */
/* approval.h - the life of one approval. Pure: no clock, no I/O, no memory; the next state is returned, not written. */
#ifndef COUNTERSIGN_APPROVAL_H
#define COUNTERSIGN_APPROVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define APPROVAL_REQUIREMENTS_MAX 16

enum approval_state {
	APPROVAL_NONE, /* before it is opened */
	APPROVAL_PENDING,
	APPROVAL_APPROVED,
	APPROVAL_DENIED,
	APPROVAL_EXPIRED,
	APPROVAL_CANCELLED, /* reserved for withdraw; not reachable in this version's table */
	APPROVAL_STATES
};

enum approval_event_kind {
	APPROVAL_OPENED,
	APPROVAL_APPROVE_GIVEN, /* a verified response with verdict approve */
	APPROVAL_DENY_GIVEN,
	APPROVAL_DEADLINE_CHECK, /* the sweeper looks at the clock */
	APPROVAL_EVENTS
};

/* One requirement: a quorum of one group; votes counts distinct persons. */
struct approval_requirement {
	int64_t quorum, votes;
};

struct approval {
	enum approval_state state;
	int64_t deadline; /* microseconds since 1970; 0 = none. At the deadline itself it is over. */
	unsigned requirement_count;
	struct approval_requirement requirements[APPROVAL_REQUIREMENTS_MAX];
};

/* Facts the shell looked up under the row's lock; `now` is the database's clock read after the locks. */
struct approval_event {
	enum approval_event_kind kind;
	int64_t now;
	uint32_t eligible;	     /* bit i: the responder is a member of requirement i's group now */
	bool responder_is_requester; /* he is the agent, its registered owner, or the one it acts on behalf of */
	bool digest_matches;	     /* he was shown what is stored */
	bool voted_before;	     /* this person's approve or deny was counted on this approval */
	/* with OPENED */
	int64_t deadline;
	unsigned requirement_count;
	int64_t quorums[APPROVAL_REQUIREMENTS_MAX];
};

enum approval_verdict {
	APPROVAL_TAKEN,	   /* the event had its effect */
	APPROVAL_REPEATED, /* nothing changes, and that is right (second vote of one person, sweep too early) */
	APPROVAL_REFUSED   /* see refusal */
};

/* Why; in the order in which they are checked. */
enum approval_refusal {
	APPROVAL_REFUSAL_NONE,
	APPROVAL_REFUSAL_NOT_OPEN,     /* "not_open": no such question */
	APPROVAL_REFUSAL_OTHER_DIGEST, /* "digest_mismatch" */
	APPROVAL_REFUSAL_EXPIRED,      /* "approval_expired" */
	APPROVAL_REFUSAL_DECIDED,      /* "already_decided" */
	APPROVAL_REFUSAL_REQUESTER,    /* "responder_is_requester" */
	APPROVAL_REFUSAL_NOT_ELIGIBLE, /* "not_a_member" */
	APPROVAL_REFUSALS
};

/* What the shell must do, in the order of the bits, inside the transaction. */
enum approval_effect {
	APPROVAL_EFFECT_VOTE = 1u << 0, /* store the response as counted, for the requirements in `counted` */
	APPROVAL_EFFECT_CLOSE = 1u << 1, /* store the final state */
	APPROVAL_EFFECT_ANNOUNCE =
	    1u << 2, /* an event on approvals: CHANGED, or CLOSED with CLOSE, or OPEN when opened */
	APPROVAL_EFFECT_GRANT = 1u << 3,  /* the final word on authorizations: GRANTED */
	APPROVAL_EFFECT_DENY = 1u << 4,	  /* DENIED denied_by_approver */
	APPROVAL_EFFECT_EXPIRE = 1u << 5, /* EXPIRED approval_expired */
	APPROVAL_EFFECT_ASK = 1u << 6,	  /* the PENDING word on authorizations */
};

struct approval_step {
	struct approval next;
	enum approval_verdict verdict;
	enum approval_refusal refusal;
	uint32_t counted; /* requirements whose votes rose; none with a deny */
	unsigned effects;
};

/*
 * One transition by the table in approval.c. An event that meets an overdue PENDING approval expires it (effects CLOSE,
 * ANNOUNCE, EXPIRE) whatever else it says; the response itself is then refused as expired. One eligible deny ends it.
 * A person's approve counts once, for every requirement whose group he is in; his deny counts also after it. Final states never change.
 */
struct approval_step approval_step(struct approval approval, struct approval_event event);

const char *approval_state_name(enum approval_state state);	  /* "PENDING", … */
const char *approval_refusal_code(enum approval_refusal refusal); /* "digest_mismatch", … */

/* One row of the table. Of those with one `from` and `event` the first whose guard holds is taken. */
struct approval_transition {
	enum approval_state from;
	enum approval_event_kind event;
	const char *guard; /* its name, "" = always */
	bool (*holds)(const struct approval *approval,
		      const struct approval_event *event); /* the guard; NULL = always */
	enum approval_state to;
	enum approval_verdict verdict;
	enum approval_refusal refusal;
	unsigned effects;
	const char *comment;
};
const struct approval_transition *approval_transitions(size_t *count);

/*
 * The rows that have an effect, as a Mermaid state diagram. Returns its length without the NUL, as snprintf does; what
 * does not fit into `size` is cut.
 */
size_t approval_diagram(char *buffer, size_t size);

#endif
