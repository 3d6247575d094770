/* SPDX-License-Identifier: Apache-2.0 */
/*
 * approval.c - one table says what may become of an approval; approval_step() only looks it up. The rows of a state
 * and an event are tried from the top, the first whose guard holds is taken. What no row is for is refused.
 */
#include "common/approval/approval.h"

/* The guards. Facts about people come with the event; what is counted is in the approval. */

static bool
well_formed(const struct approval *approval, const struct approval_event *event)
{
	(void)approval;
	if (event->requirement_count < 1 || event->requirement_count > APPROVAL_REQUIREMENTS_MAX)
		return false;
	for (unsigned i = 0; i < event->requirement_count; i++)
		if (event->quorums[i] < 1)
			return false; /* nobody's consent is no consent */
	return true;
}

static bool
overdue(const struct approval *approval, const struct approval_event *event)
{
	return approval->deadline != 0 && event->now >= approval->deadline;
}

static bool
other_digest(const struct approval *approval, const struct approval_event *event)
{
	(void)approval;
	return !event->digest_matches;
}

static bool
overdue_other_digest(const struct approval *approval, const struct approval_event *event)
{
	return overdue(approval, event) && other_digest(approval, event);
}

static bool
requester(const struct approval *approval, const struct approval_event *event)
{
	(void)approval;
	return event->responder_is_requester;
}

/* The requirements whose group the responder is in. */
static uint32_t
eligible(const struct approval *approval, const struct approval_event *event)
{
	if (approval->requirement_count > APPROVAL_REQUIREMENTS_MAX)
		return 0;
	return event->eligible & ((UINT32_C(1) << approval->requirement_count) - 1);
}

static bool
not_a_member(const struct approval *approval, const struct approval_event *event)
{
	return eligible(approval, event) == 0;
}

static bool
voted_before(const struct approval *approval, const struct approval_event *event)
{
	(void)approval;
	return event->voted_before;
}

static struct approval
with_vote(struct approval approval, uint32_t counted)
{
	for (unsigned i = 0; i < APPROVAL_REQUIREMENTS_MAX; i++)
		if (counted & (UINT32_C(1) << i) && approval.requirements[i].votes < INT64_MAX)
			approval.requirements[i].votes++;
	return approval;
}

/* This vote was the last that was missing. */
static bool
quorum_met(const struct approval *approval, const struct approval_event *event)
{
	struct approval then = with_vote(*approval, eligible(approval, event));

	if (then.requirement_count < 1 || then.requirement_count > APPROVAL_REQUIREMENTS_MAX)
		return false;
	for (unsigned i = 0; i < then.requirement_count; i++)
		if (then.requirements[i].quorum < 1 || then.requirements[i].votes < then.requirements[i].quorum)
			return false;
	return true;
}

/* The table. */

#define OPENS (APPROVAL_EFFECT_ANNOUNCE | APPROVAL_EFFECT_ASK)
#define COUNTS (APPROVAL_EFFECT_VOTE | APPROVAL_EFFECT_ANNOUNCE)
#define GRANTS                                                                                               \
	(APPROVAL_EFFECT_VOTE | APPROVAL_EFFECT_CLOSE | APPROVAL_EFFECT_ANNOUNCE | APPROVAL_EFFECT_GRANT)
#define DENIES                                                                                               \
	(APPROVAL_EFFECT_VOTE | APPROVAL_EFFECT_CLOSE | APPROVAL_EFFECT_ANNOUNCE | APPROVAL_EFFECT_DENY)
#define EXPIRES (APPROVAL_EFFECT_CLOSE | APPROVAL_EFFECT_ANNOUNCE | APPROVAL_EFFECT_EXPIRE)

#define WHEN(guard) #guard, guard
#define ALWAYS "", NULL

#define TAKES(from, event, guard, to, effects, comment)                                                      \
	{APPROVAL_##from, APPROVAL_##event,	 guard,	  APPROVAL_##to,                                     \
	 APPROVAL_TAKEN,  APPROVAL_REFUSAL_NONE, effects, comment}
#define REPEATS(from, event, guard, comment)                                                                 \
	{APPROVAL_##from,   APPROVAL_##event,	   guard, APPROVAL_##from,                                   \
	 APPROVAL_REPEATED, APPROVAL_REFUSAL_NONE, 0,	  comment}
#define REFUSES(from, event, guard, refusal, comment)                                                        \
	{APPROVAL_##from,  APPROVAL_##event,	       guard, APPROVAL_##from,                               \
	 APPROVAL_REFUSED, APPROVAL_REFUSAL_##refusal, 0,     comment}
/* Refused, and the approval ends by its deadline all the same. */
#define TOO_LATE(event, guard, refusal, comment)                                                             \
	{APPROVAL_PENDING, APPROVAL_##event,	       guard,	APPROVAL_EXPIRED,                            \
	 APPROVAL_REFUSED, APPROVAL_REFUSAL_##refusal, EXPIRES, comment}

/* What is final stays as it is. */
#define FINAL(state, refusal, comment)                                                                       \
	REFUSES(state, APPROVE_GIVEN, WHEN(other_digest), OTHER_DIGEST, "he was shown something else"),      \
	    REFUSES(state, APPROVE_GIVEN, ALWAYS, refusal, comment),                                         \
	    REFUSES(state, DENY_GIVEN, WHEN(other_digest), OTHER_DIGEST, "he was shown something else"),     \
	    REFUSES(state, DENY_GIVEN, ALWAYS, refusal, comment),                                            \
	    REPEATS(state, OPENED, ALWAYS, "delivered again"),                                               \
	    REPEATS(state, DEADLINE_CHECK, ALWAYS, "nothing is left to expire")

/* clang-format off */
static const struct approval_transition transitions[] = {
	TAKES   (NONE,    OPENED,         WHEN(well_formed),          PENDING,  OPENS,   "people are asked"),
	REFUSES (NONE,    OPENED,         ALWAYS,                     NOT_OPEN,          "a question to nobody would answer itself"),
	REFUSES (NONE,    APPROVE_GIVEN,  ALWAYS,                     NOT_OPEN,          "nobody asked"),
	REFUSES (NONE,    DENY_GIVEN,     ALWAYS,                     NOT_OPEN,          "nobody asked"),
	REFUSES (NONE,    DEADLINE_CHECK, ALWAYS,                     NOT_OPEN,          "nobody asked"),

	TOO_LATE(         APPROVE_GIVEN,  WHEN(overdue_other_digest), OTHER_DIGEST,      "late, and he was shown something else"),
	TOO_LATE(         APPROVE_GIVEN,  WHEN(overdue),              EXPIRED,           "late consent is none"),
	REFUSES (PENDING, APPROVE_GIVEN,  WHEN(other_digest),         OTHER_DIGEST,      "he was shown something else"),
	REFUSES (PENDING, APPROVE_GIVEN,  WHEN(requester),            REQUESTER,         "nobody consents to his own request"),
	REFUSES (PENDING, APPROVE_GIVEN,  WHEN(not_a_member),         NOT_ELIGIBLE,      "he was not asked"),
	REPEATS (PENDING, APPROVE_GIVEN,  WHEN(voted_before),                            "one person, one vote"),
	TAKES   (PENDING, APPROVE_GIVEN,  WHEN(quorum_met),           APPROVED, GRANTS,  "the last vote that was missing"),
	TAKES   (PENDING, APPROVE_GIVEN,  ALWAYS,                     PENDING,  COUNTS,  "a vote; others are missing"),

	TOO_LATE(         DENY_GIVEN,     WHEN(overdue_other_digest), OTHER_DIGEST,      "late, and he was shown something else"),
	TOO_LATE(         DENY_GIVEN,     WHEN(overdue),              EXPIRED,           "late: it ends by its deadline"),
	REFUSES (PENDING, DENY_GIVEN,     WHEN(other_digest),         OTHER_DIGEST,      "he was shown something else"),
	REFUSES (PENDING, DENY_GIVEN,     WHEN(requester),            REQUESTER,         "nobody decides about his own request"),
	REFUSES (PENDING, DENY_GIVEN,     WHEN(not_a_member),         NOT_ELIGIBLE,      "he was not asked"),
	TAKES   (PENDING, DENY_GIVEN,     ALWAYS,                     DENIED,   DENIES,  "one deny ends it, also of one who had approved"),

	TAKES   (PENDING, DEADLINE_CHECK, WHEN(overdue),              EXPIRED,  EXPIRES, "nobody answered in time"),
	REPEATS (PENDING, DEADLINE_CHECK, ALWAYS,                                        "there is time left"),
	TOO_LATE(         OPENED,         WHEN(overdue),              EXPIRED,           "delivered again, too late"),
	REPEATS (PENDING, OPENED,         ALWAYS,                                        "delivered again"),

	FINAL(APPROVED,  DECIDED, "it was granted"),
	FINAL(DENIED,    DECIDED, "it was denied"),
	FINAL(EXPIRED,   EXPIRED, "late consent is none"),
	FINAL(CANCELLED, DECIDED, "it was withdrawn"),
};
/* clang-format on */

enum { TRANSITIONS = sizeof transitions / sizeof *transitions };

const struct approval_transition *
approval_transitions(size_t *count)
{
	*count = TRANSITIONS;
	return transitions;
}

static const struct approval_transition *
find_transition(const struct approval *approval, const struct approval_event *event)
{
	for (size_t i = 0; i < TRANSITIONS; i++) {
		const struct approval_transition *row = &transitions[i];

		if (row->from == approval->state && row->event == event->kind
		    && (!row->holds || row->holds(approval, event)))
			return row;
	}
	return NULL;
}

static struct approval
opened(const struct approval_event *event)
{
	struct approval approval = {.state = APPROVAL_PENDING,
				    .deadline = event->deadline,
				    .requirement_count = event->requirement_count};

	for (unsigned i = 0; i < event->requirement_count; i++)
		approval.requirements[i].quorum = event->quorums[i];
	return approval;
}

struct approval_step
approval_step(struct approval approval, struct approval_event event)
{
	const struct approval_transition *row = find_transition(&approval, &event);

	if (!row)
		return (struct approval_step){
		    .next = approval, .verdict = APPROVAL_REFUSED, .refusal = APPROVAL_REFUSAL_NOT_OPEN};

	struct approval_step step = {approval, row->verdict, row->refusal, 0, row->effects};

	if (row->verdict == APPROVAL_TAKEN && event.kind == APPROVAL_OPENED)
		step.next = opened(&event);
	if (row->verdict == APPROVAL_TAKEN && event.kind == APPROVAL_APPROVE_GIVEN) {
		step.counted = eligible(&approval, &event);
		step.next = with_vote(approval, step.counted);
	}
	step.next.state = row->to;
	return step;
}
