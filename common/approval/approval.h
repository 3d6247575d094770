/* SPDX-License-Identifier: Apache-2.0 */
/*
 * approval.h - the life of one approval. Pure: no clock, no I/O, no memory; the next state is returned, not written.
 * countersign-approvals(7) says the same in words.
 */
#ifndef COUNTERSIGN_APPROVAL_H
#define COUNTERSIGN_APPROVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define APPROVAL_DEMANDS_MAX 16
#define APPROVAL_STAGES_MAX 32	     /* of all demands together */
#define APPROVAL_DEMAND_STAGES_MAX 8 /* of one demand */
#define APPROVAL_ASKS_MAX 32	     /* of all stages together, those of steps included: bits of a mask */
#define APPROVAL_STEPS_MAX 16
#define APPROVAL_VOTERS_MAX 128
#define APPROVAL_QUORUM_MAX 100
/* Of a demand that is distinct: the product over its stages of the ways to meet each. A stage with `all` has one, another as many as
 * asks; each ADD or REPLACE of the demand is one more in each of its stages. */
#define APPROVAL_WAYS_MAX 4096

enum approval_state {
	APPROVAL_NONE, /* before it is opened */
	APPROVAL_PENDING,
	APPROVAL_APPROVED,
	APPROVAL_DENIED,
	APPROVAL_EXPIRED,
	APPROVAL_CANCELLED,
	APPROVAL_REVOKED, /* it had been APPROVED */
	APPROVAL_STATES
};

enum approval_event_kind {
	APPROVAL_OPENED,
	/* verified responses, by verdict */
	APPROVAL_APPROVE_GIVEN,
	APPROVAL_DENY_GIVEN,
	APPROVAL_RECUSE_GIVEN,
	APPROVAL_COMMENT_GIVEN,
	APPROVAL_EXTEND_GIVEN,
	APPROVAL_WITHDRAW_GIVEN,
	APPROVAL_REVOKE_GIVEN,
	APPROVAL_OVERRIDE_GIVEN,
	APPROVAL_REVIEW_GIVEN,
	APPROVAL_TIME_CHECK, /* the sweeper looks at the clock */
	APPROVAL_EVENTS
};

/* A quorum of one group. */
struct approval_ask {
	unsigned stage; /* in struct approval.stages; of a step's ask: where it stands since it was taken */
	int64_t quorum; /* 1 to APPROVAL_QUORUM_MAX */
	bool of_step;	/* it is asked from its step on, and stands in for its whole stage */
	bool active;	/* it is asked now */
};

/* Those of the first demand come first, in their order, then those of the second, and so on. */
struct approval_stage {
	unsigned demand;
	bool all; /* all of its asks must be met; else one of them */
};

/* What one profile of a policy wants. All demands must be met. */
struct approval_demand {
	int64_t deny_quorum; /* 1 to APPROVAL_QUORUM_MAX */
	bool distinct;	     /* a person counts for one of its asks */
	bool require_reason;
	bool overridable; /* it names people who may go past it */
};

enum approval_step_kind {
	APPROVAL_STEP_ADD,     /* its ask is one more way to meet the stage that is open then */
	APPROVAL_STEP_REPLACE, /* the only way */
	APPROVAL_STEP_NOTIFY   /* somebody is told; it has no ask */
};

/* What happens when nobody has answered by then. A demand that is met by then leaves its steps out. */
struct approval_timed_step {
	int64_t at; /* microseconds since 1970 */
	enum approval_step_kind kind;
	unsigned demand;
	unsigned ask;	/* not with NOTIFY */
	unsigned stage; /* once taken: that it was taken for, or APPROVAL_STAGES_MAX: the demand was met */
};

enum approval_vote {
	APPROVAL_VOTE_NONE,
	APPROVAL_VOTE_APPROVE,
	APPROVAL_VOTE_DENY,
	APPROVAL_VOTE_RECUSED,
	APPROVAL_VOTE_OVERRIDE /* never while it is PENDING */
};

/* One person, by whichever keys. */
struct approval_voter {
	enum approval_vote vote;
	uint32_t counts; /* APPROVE: the asks that he counts for; DENY: those that were open to him when he denied */
};

struct approval {
	enum approval_state state;
	int64_t opened_at;
	int64_t deadline;      /* microseconds since 1970; 0 = none. At the deadline itself it is over. */
	int64_t latest;	       /* to which it may be extended; 0 = not at all */
	int64_t remind_before; /* once, so long before the deadline; 0 = not */
	int64_t remind_every;  /* since it was opened; 0 = not */
	int64_t reminded_at;   /* 0 = never */
	bool overridden;       /* APPROVED by one person past all demands; still so when it is REVOKED */
	bool reviewed;	       /* what was overridden: another person has looked at it */
	int64_t grant_ends; /* APPROVED: the end of the authorization; set by the shell that speaks the word */
	unsigned demand_count, stage_count, ask_count, step_count, voter_count;
	unsigned steps_taken;
	struct approval_demand demands[APPROVAL_DEMANDS_MAX];
	struct approval_stage stages[APPROVAL_STAGES_MAX];
	struct approval_ask asks[APPROVAL_ASKS_MAX];
	struct approval_timed_step steps[APPROVAL_STEPS_MAX]; /* by time */
	struct approval_voter voters[APPROVAL_VOTERS_MAX];
};

/* Facts the shell looked up under the row's lock; `now` is the database's clock read after the locks. */
struct approval_event {
	enum approval_event_kind kind;
	int64_t now;
	unsigned voter; /* index of this person in voters; voter_count: nothing of him is there yet */
	uint32_t eligible; /* bit i: he is a member of ask i's group now and not excluded from its demand; also of asks that are not
			    * active */
	uint32_t excluded; /* likewise, a member and excluded */
	uint32_t overrides; /* bit i: he is a member of demand i's override group now and not excluded from it */
	uint32_t override_excluded; /* likewise, a member and excluded */
	bool responder_is_requester; /* he is the agent, its registered owner, or the one it acts on behalf of */
	bool requester_verified;     /* the response is signed by a key of the agent itself */
	bool is_operator;
	bool digest_matches; /* he was shown what is stored */
	bool has_reason;
	int64_t deadline; /* with EXTEND_GIVEN: the one that is wanted */
};

enum approval_verdict {
	APPROVAL_TAKEN,	   /* the event had its effect */
	APPROVAL_REPEATED, /* nothing changes, and that is right (second vote of one person, sweep too early) */
	APPROVAL_REFUSED   /* see refusal */
};

/* Why; the table says in which order they are looked for. */
enum approval_refusal {
	APPROVAL_REFUSAL_NONE,
	APPROVAL_REFUSAL_NOT_OPEN,	 /* "not_open": no such question, or one that nobody could answer */
	APPROVAL_REFUSAL_OTHER_DIGEST,	 /* "digest_mismatch" */
	APPROVAL_REFUSAL_EXPIRED,	 /* "approval_expired" */
	APPROVAL_REFUSAL_DECIDED,	 /* "already_decided" */
	APPROVAL_REFUSAL_REQUESTER,	 /* "responder_is_requester" */
	APPROVAL_REFUSAL_EXCLUDED,	 /* "excluded": by the profile */
	APPROVAL_REFUSAL_NOT_ELIGIBLE,	 /* "not_a_member" */
	APPROVAL_REFUSAL_RECUSED,	 /* "recused": he had stepped aside */
	APPROVAL_REFUSAL_DENIED_BEFORE,	 /* "denied_before": his deny stands */
	APPROVAL_REFUSAL_STAGE,		 /* "stage_not_open": he is asked later */
	APPROVAL_REFUSAL_NO_REASON,	 /* "reason_required" */
	APPROVAL_REFUSAL_VOTERS,	 /* "too_many_voters" */
	APPROVAL_REFUSAL_NOT_REQUESTER,	 /* "not_requester": withdrawing is for the agent's own key */
	APPROVAL_REFUSAL_NOT_EXTENDABLE, /* "not_extendable" */
	APPROVAL_REFUSAL_NOT_LATER,	 /* "not_later": than the deadline that it has */
	APPROVAL_REFUSAL_BEYOND_MAXIMUM, /* "beyond_maximum" */
	APPROVAL_REFUSAL_NOT_GRANTED,	 /* "not_granted": nothing is there to revoke */
	APPROVAL_REFUSAL_NOT_APPROVER, /* "not_an_approver": revoking is for who approved, and for operators */
	APPROVAL_REFUSAL_OVER,	       /* "authorization_expired": nothing is left to revoke */
	APPROVAL_REFUSAL_NOT_OVERRIDABLE, /* "not_overridable": one of its demands names nobody for that */
	APPROVAL_REFUSAL_NOT_OVERRIDDEN,  /* "not_overridden": nothing is there to review */
	APPROVAL_REFUSAL_OVERRIDER,	  /* "responder_is_overrider": nobody reviews what he did himself */
	APPROVAL_REFUSAL_REVIEWED,	  /* "already_reviewed" */
	APPROVAL_REFUSALS
};

/* What the shell must do, in the order of the bits, inside the transaction. */
enum approval_effect {
	APPROVAL_EFFECT_STEPS =
	    1u << 0, /* store the steps from the old steps_taken to the new; tell whom they ask */
	APPROVAL_EFFECT_VOTE =
	    1u << 1, /* store the response with `counted`, and its voter if it made or changed one */
	APPROVAL_EFFECT_EXTEND = 1u << 2, /* store the deadline */
	APPROVAL_EFFECT_REMIND = 1u << 3, /* store reminded_at; tell who has not answered */
	APPROVAL_EFFECT_CLOSE = 1u << 4,  /* store the final state */
	APPROVAL_EFFECT_ANNOUNCE =
	    1u << 5, /* an event on approvals: CHANGED, or CLOSED with CLOSE, or OPEN when opened */
	APPROVAL_EFFECT_ASK = 1u << 6,	   /* the PENDING word on authorizations */
	APPROVAL_EFFECT_GRANT = 1u << 7,   /* the final word: GRANTED */
	APPROVAL_EFFECT_DENY = 1u << 8,	   /* DENIED denied_by_approver */
	APPROVAL_EFFECT_EXPIRE = 1u << 9,  /* EXPIRED approval_expired */
	APPROVAL_EFFECT_CANCEL = 1u << 10, /* CANCELLED withdrawn */
	APPROVAL_EFFECT_REVOKE = 1u << 11, /* REVOKED, after GRANTED */
	APPROVAL_EFFECT_OVERRIDE =
	    1u << 12, /* besides GRANT: by whom; open its review; tell everybody who was passed over */
	APPROVAL_EFFECT_REVIEW = 1u << 13 /* close its review */
};

struct approval_step {
	struct approval next;
	enum approval_verdict verdict;
	enum approval_refusal refusal;
	uint32_t counted; /* what the voter's `counts` is now; 0 where nothing was counted */
	unsigned effects;
};

/*
 * One transition by the table in approval_table.c, in two parts. First, in a PENDING approval that is not overdue, every step whose
 * time has come is taken (effects STEPS, ANNOUNCE); then the event finds the first row of its state and kind whose guard
 * holds. An event that meets an overdue PENDING approval expires it (CLOSE, ANNOUNCE, EXPIRE) whatever else it says; the response
 * itself is then refused as expired, and steps are not taken any more. With OPENED the approval comes whole, in state NONE and with
 * nothing voted. What no row is for is refused as not_open, and so is everything in a PENDING approval that is not overdue and not
 * well-formed. Verdict and refusal are those of the event's row, whether steps were taken or not; but a
 * TIME_CHECK that took steps is TAKEN. OPENED is a repetition when it was opened before.
 */
struct approval_step approval_step(struct approval approval, struct approval_event event);

/*
 * Whether it is one that can be opened (NONE) or can have come of one (the other states). All counts and indices are in their
 * ranges; opened_at is positive; quorums are 1 to APPROVAL_QUORUM_MAX; each demand has a stage, each stage an ask that is not of a step; a step but NOTIFY
 * has an ask of its own, and every ask that is of a step has its step; the deadline is 0 or after opened_at, no other time is
 * negative, every step comes after opened_at and none before the one before it. In NONE nothing is voted, taken or reminded. Only what is
 * APPROVED or REVOKED is overridden, only what is overridden is reviewed, and no override waits in PENDING. Active are the asks
 * that are not of steps, as far as the steps taken leave them, and those of steps taken; a distinct demand has at most
 * APPROVAL_WAYS_MAX ways. The functions below are for what is well-formed.
 */
bool approval_is_well_formed(const struct approval *approval);

/* The asks whose members may vote now: the active ones of each demand's stages up to the first that is not met. */
uint32_t approval_open_asks(const struct approval *approval);
/* How many count for an ask, active or not. Where its demand is distinct, a person that others of its asks could have as well is among them. */
int64_t approval_votes(const struct approval *approval, unsigned ask);
/* The first stage of a demand that is not met, an index into stages; APPROVAL_STAGES_MAX: it is met. */
unsigned approval_current_stage(const struct approval *approval, unsigned demand);
/* When TIME_CHECK will have something to do next, if nothing else happens: microseconds since 1970, perhaps in the past; INT64_MAX:
 * never. Of what is not well-formed it is the deadline. */
int64_t approval_next_time(const struct approval *approval);

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
