/* SPDX-License-Identifier: Apache-2.0 */
/*
 * approval_table.c - one table says what may become of an approval. The rows of a state and an event are tried from the
 * top; the first whose guard holds is taken. Steps whose time has come are taken before.
 */
#include "common/approval/approval.h"
#include "common/approval/approval_guard.h"

/* ------------------------------------------------------------------ the table */

#define OPENS (APPROVAL_EFFECT_ANNOUNCE | APPROVAL_EFFECT_ASK)
#define COUNTS (APPROVAL_EFFECT_VOTE | APPROVAL_EFFECT_ANNOUNCE)
#define EXTENDS (COUNTS | APPROVAL_EFFECT_EXTEND)
#define ENDS (APPROVAL_EFFECT_CLOSE | APPROVAL_EFFECT_ANNOUNCE)
#define GRANTS (COUNTS | ENDS | APPROVAL_EFFECT_GRANT)
#define GRANTS_BY_TIME (ENDS | APPROVAL_EFFECT_GRANT)
#define DENIES (COUNTS | ENDS | APPROVAL_EFFECT_DENY)
#define CANCELS (COUNTS | ENDS | APPROVAL_EFFECT_CANCEL)
#define REVOKES (COUNTS | ENDS | APPROVAL_EFFECT_REVOKE)
#define EXPIRES (ENDS | APPROVAL_EFFECT_EXPIRE)
#define REMINDS APPROVAL_EFFECT_REMIND
#define OVERRIDES (GRANTS | APPROVAL_EFFECT_OVERRIDE)
#define REVIEWS (COUNTS | APPROVAL_EFFECT_REVIEW)

#define WHEN(guard) #guard, approval_when_##guard
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

/* How the rows of every answer begin. */
#define ANSWER(event)                                                                                        \
	REFUSES(NONE, event, ALWAYS, NOT_OPEN, "nobody asked"),                                              \
	    TOO_LATE(event, WHEN(overdue_other_digest), OTHER_DIGEST,                                        \
		     "late, and he was shown something else"),                                               \
	    TOO_LATE(event, WHEN(overdue), EXPIRED, "late: it ends by its deadline"),                        \
	    REFUSES(PENDING, event, WHEN(other_digest), OTHER_DIGEST, "he was shown something else")

/* A final state answers this one so. */
#define ENDED(state, event, refusal, comment)                                                                \
	REFUSES(state, event, WHEN(other_digest), OTHER_DIGEST, "he was shown something else"),              \
	    REFUSES(state, event, ALWAYS, refusal, comment)

/* What was granted by an override is looked at by somebody else, once, whether it was revoked or not. */
#define REVIEWED(state)                                                                                      \
	REFUSES(state, REVIEW_GIVEN, WHEN(other_digest), OTHER_DIGEST, "he was shown something else"),       \
	    REFUSES(state, REVIEW_GIVEN, WHEN(not_overridden), NOT_OVERRIDDEN, "people granted it"),         \
	    REFUSES(state, REVIEW_GIVEN, WHEN(requester), REQUESTER, "nobody looks at his own request"),     \
	    REFUSES(state, REVIEW_GIVEN, WHEN(overrider), OVERRIDER, "nobody looks at what he did himself"), \
	    REFUSES(state, REVIEW_GIVEN, WHEN(excluded), EXCLUDED, "asked were others of his groups"),       \
	    REFUSES(state, REVIEW_GIVEN, WHEN(not_a_member), NOT_ELIGIBLE, "he was not passed over"),        \
	    REFUSES(state, REVIEW_GIVEN, WHEN(recused), RECUSED, "he stepped aside"),                        \
	    REFUSES(state, REVIEW_GIVEN, WHEN(reviewed), REVIEWED, "another was first"),                     \
	    REFUSES(state, REVIEW_GIVEN, WHEN(no_reason), NO_REASON, "he must say what he found"),           \
	    TAKES(state, REVIEW_GIVEN, ALWAYS, state, REVIEWS, "the review is closed")

/* What is final stays as it is; but for REVOKE_GIVEN and REVIEW_GIVEN. */
#define FINAL(state, refusal, comment)                                                                       \
	ENDED(state, APPROVE_GIVEN, refusal, comment), ENDED(state, DENY_GIVEN, refusal, comment),           \
	    ENDED(state, RECUSE_GIVEN, refusal, comment), ENDED(state, COMMENT_GIVEN, refusal, comment),     \
	    ENDED(state, EXTEND_GIVEN, refusal, comment), ENDED(state, WITHDRAW_GIVEN, refusal, comment),    \
	    ENDED(state, OVERRIDE_GIVEN, refusal, comment),                                                  \
	    REPEATS(state, OPENED, ALWAYS, "delivered again"),                                               \
	    REPEATS(state, TIME_CHECK, ALWAYS, "nothing is left to come")

/* clang-format off */
static const struct approval_transition transitions[] = {
	TAKES   (NONE,     OPENED,        WHEN(well_formed),     PENDING,  OPENS,   "people are asked"),
	REFUSES (NONE,     OPENED,        ALWAYS,                NOT_OPEN,          "a question to nobody would answer itself"),
	TOO_LATE(          OPENED,        WHEN(overdue),         EXPIRED,           "delivered again, too late"),
	REPEATS (PENDING,  OPENED,        ALWAYS,                                   "delivered again"),

	ANSWER  (          APPROVE_GIVEN),
	REFUSES (PENDING,  APPROVE_GIVEN, WHEN(requester),       REQUESTER,         "nobody consents to his own request"),
	REFUSES (PENDING,  APPROVE_GIVEN, WHEN(excluded),        EXCLUDED,          "asked are others of his groups"),
	REFUSES (PENDING,  APPROVE_GIVEN, WHEN(not_a_member),    NOT_ELIGIBLE,      "he was not asked"),
	REFUSES (PENDING,  APPROVE_GIVEN, WHEN(recused),         RECUSED,           "he stepped aside"),
	REFUSES (PENDING,  APPROVE_GIVEN, WHEN(denied_before),   DENIED_BEFORE,     "a deny is not taken back"),
	REPEATS (PENDING,  APPROVE_GIVEN, WHEN(approved_before),                    "one person, one vote"),
	REFUSES (PENDING,  APPROVE_GIVEN, WHEN(stage_not_open),  STAGE,             "others come first"),
	REFUSES (PENDING,  APPROVE_GIVEN, WHEN(reason_missing),  NO_REASON,         "he must say why"),
	REFUSES (PENDING,  APPROVE_GIVEN, WHEN(too_many_voters), VOTERS,            "there is no room for him"),
	TAKES   (PENDING,  APPROVE_GIVEN, WHEN(last_approve),    APPROVED, GRANTS,  "the last vote that was missing"),
	TAKES   (PENDING,  APPROVE_GIVEN, ALWAYS,                PENDING,  COUNTS,  "a vote; others are missing"),

	ANSWER  (          DENY_GIVEN),
	REFUSES (PENDING,  DENY_GIVEN,    WHEN(requester),       REQUESTER,         "nobody decides about his own request"),
	REFUSES (PENDING,  DENY_GIVEN,    WHEN(excluded),        EXCLUDED,          "asked are others of his groups"),
	REFUSES (PENDING,  DENY_GIVEN,    WHEN(not_a_member),    NOT_ELIGIBLE,      "he was not asked"),
	REFUSES (PENDING,  DENY_GIVEN,    WHEN(recused),         RECUSED,           "he stepped aside"),
	REPEATS (PENDING,  DENY_GIVEN,    WHEN(denied_before),                      "one person, one vote"),
	REFUSES (PENDING,  DENY_GIVEN,    WHEN(stage_not_open),  STAGE,             "others come first"),
	REFUSES (PENDING,  DENY_GIVEN,    WHEN(reason_missing),  NO_REASON,         "he must say why"),
	REFUSES (PENDING,  DENY_GIVEN,    WHEN(too_many_voters), VOTERS,            "there is no room for him"),
	TAKES   (PENDING,  DENY_GIVEN,    WHEN(deny_quorum),     DENIED,   DENIES,  "as many as it takes, also of those who had approved"),
	TAKES   (PENDING,  DENY_GIVEN,    ALWAYS,                PENDING,  COUNTS,  "a deny; one alone does not end it"),

	ANSWER  (          RECUSE_GIVEN),
	REFUSES (PENDING,  RECUSE_GIVEN,  WHEN(requester),       REQUESTER,         "he was never asked"),
	REFUSES (PENDING,  RECUSE_GIVEN,  WHEN(excluded),        EXCLUDED,          "asked are others of his groups"),
	REFUSES (PENDING,  RECUSE_GIVEN,  WHEN(not_a_member),    NOT_ELIGIBLE,      "he was not asked"),
	REPEATS (PENDING,  RECUSE_GIVEN,  WHEN(recused),                            "he stepped aside already"),
	REFUSES (PENDING,  RECUSE_GIVEN,  WHEN(denied_before),   DENIED_BEFORE,     "a deny is not taken back"),
	REFUSES (PENDING,  RECUSE_GIVEN,  WHEN(too_many_voters), VOTERS,            "there is no room for him"),
	TAKES   (PENDING,  RECUSE_GIVEN,  ALWAYS,                PENDING,  COUNTS,  "he steps aside; his approve counts no more"),

	ANSWER  (          COMMENT_GIVEN),
	REFUSES (PENDING,  COMMENT_GIVEN, WHEN(not_about_him_excluded), EXCLUDED,   "asked are others of his groups"),
	REFUSES (PENDING,  COMMENT_GIVEN, WHEN(not_about_him),   NOT_ELIGIBLE,      "he was not asked"),
	REFUSES (PENDING,  COMMENT_GIVEN, WHEN(no_reason),       NO_REASON,         "it says nothing"),
	TAKES   (PENDING,  COMMENT_GIVEN, ALWAYS,                PENDING,  COUNTS,  "shown to everybody, counted for nothing"),

	ANSWER  (          EXTEND_GIVEN),
	REFUSES (PENDING,  EXTEND_GIVEN,  WHEN(requester),       REQUESTER,         "nobody gives himself more time"),
	REFUSES (PENDING,  EXTEND_GIVEN,  WHEN(no_operator_excluded), EXCLUDED,     "asked are others of his groups"),
	REFUSES (PENDING,  EXTEND_GIVEN,  WHEN(no_operator_not_a_member), NOT_ELIGIBLE, "he was not asked"),
	REFUSES (PENDING,  EXTEND_GIVEN,  WHEN(no_operator_recused), RECUSED,       "he stepped aside"),
	REFUSES (PENDING,  EXTEND_GIVEN,  WHEN(no_operator_stage_not_open), STAGE,  "others come first"),
	REFUSES (PENDING,  EXTEND_GIVEN,  WHEN(not_extendable),  NOT_EXTENDABLE,    "no deadline, or one that is firm"),
	REFUSES (PENDING,  EXTEND_GIVEN,  WHEN(not_later),       NOT_LATER,         "time is given, never taken"),
	REFUSES (PENDING,  EXTEND_GIVEN,  WHEN(beyond_maximum),  BEYOND_MAXIMUM,    "later than its profiles let it be"),
	TAKES   (PENDING,  EXTEND_GIVEN,  ALWAYS,                PENDING,  EXTENDS, "it stays open for longer"),

	ANSWER  (          WITHDRAW_GIVEN),
	REFUSES (PENDING,  WITHDRAW_GIVEN, WHEN(not_the_agent),  NOT_REQUESTER,     "nobody withdraws what another asks for"),
	TAKES   (PENDING,  WITHDRAW_GIVEN, ALWAYS,               CANCELLED, CANCELS, "the agent does not want it any more"),

	ANSWER  (          REVOKE_GIVEN),
	REFUSES (PENDING,  REVOKE_GIVEN,  ALWAYS,                NOT_GRANTED,       "nothing is there to take back"),
	REFUSES (APPROVED, REVOKE_GIVEN,  WHEN(other_digest),    OTHER_DIGEST,      "he was shown something else"),
	REFUSES (APPROVED, REVOKE_GIVEN,  WHEN(not_an_approver), NOT_APPROVER,      "he did not give it"),
	REFUSES (APPROVED, REVOKE_GIVEN,  WHEN(authorization_over), OVER,           "it has ended by itself"),
	TAKES   (APPROVED, REVOKE_GIVEN,  ALWAYS,                REVOKED,  REVOKES, "an approver or an operator takes it back"),
	ENDED   (DENIED,   REVOKE_GIVEN,                         DECIDED,           "it was denied"),
	ENDED   (EXPIRED,  REVOKE_GIVEN,                         EXPIRED,           "it was never granted"),
	ENDED   (CANCELLED, REVOKE_GIVEN,                        DECIDED,           "it was withdrawn"),
	ENDED   (REVOKED,  REVOKE_GIVEN,                         DECIDED,           "it was revoked"),

	ANSWER  (          OVERRIDE_GIVEN),
	REFUSES (PENDING,  OVERRIDE_GIVEN, WHEN(requester),      REQUESTER,         "nobody lets himself through"),
	REFUSES (PENDING,  OVERRIDE_GIVEN, WHEN(not_overridable), NOT_OVERRIDABLE,  "a demand that nobody may go past"),
	REFUSES (PENDING,  OVERRIDE_GIVEN, WHEN(override_excluded), EXCLUDED,       "others of his groups may"),
	REFUSES (PENDING,  OVERRIDE_GIVEN, WHEN(may_not_override), NOT_ELIGIBLE,    "he may not, or not past all demands"),
	REFUSES (PENDING,  OVERRIDE_GIVEN, WHEN(recused),        RECUSED,           "he stepped aside"),
	REFUSES (PENDING,  OVERRIDE_GIVEN, WHEN(denied_before),  DENIED_BEFORE,     "a deny is not taken back"),
	REFUSES (PENDING,  OVERRIDE_GIVEN, WHEN(no_reason),      NO_REASON,         "he must say why"),
	REFUSES (PENDING,  OVERRIDE_GIVEN, WHEN(too_many_voters), VOTERS,           "there is no room for him"),
	TAKES   (PENDING,  OVERRIDE_GIVEN, ALWAYS,               APPROVED, OVERRIDES, "one person, past everybody who is asked"),

	ANSWER  (          REVIEW_GIVEN),
	REFUSES (PENDING,  REVIEW_GIVEN,  ALWAYS,                NOT_OVERRIDDEN,    "nothing was granted"),
	REVIEWED(APPROVED),
	REVIEWED(REVOKED),
	ENDED   (DENIED,   REVIEW_GIVEN,                         DECIDED,           "it was denied"),
	ENDED   (EXPIRED,  REVIEW_GIVEN,                         EXPIRED,           "it was never granted"),
	ENDED   (CANCELLED, REVIEW_GIVEN,                        DECIDED,           "it was withdrawn"),

	REFUSES (NONE,     TIME_CHECK,    ALWAYS,                NOT_OPEN,          "nobody asked"),
	TAKES   (PENDING,  TIME_CHECK,    WHEN(overdue),         EXPIRED,  EXPIRES, "nobody answered in time"),
	TAKES   (PENDING,  TIME_CHECK,    WHEN(all_met),         APPROVED, GRANTS_BY_TIME, "a step was met by those who had voted"),
	TAKES   (PENDING,  TIME_CHECK,    WHEN(reminder_due),    PENDING,  REMINDS, "some have not answered"),
	REPEATS (PENDING,  TIME_CHECK,    ALWAYS,                                   "there is time left"),

	FINAL   (APPROVED,  DECIDED, "it was granted"),
	FINAL   (DENIED,    DECIDED, "it was denied"),
	FINAL   (EXPIRED,   EXPIRED, "late consent is none"),
	FINAL   (CANCELLED, DECIDED, "it was withdrawn"),
	FINAL   (REVOKED,   DECIDED, "it was revoked"),
};
/* clang-format on */

const struct approval_transition *
approval_transitions(size_t *count)
{
	*count = sizeof transitions / sizeof *transitions;
	return transitions;
}
