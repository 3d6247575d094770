/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorder_judge.c - what an outcome means beside the final word. Pure. The first that holds is it:
 *
 *  1. The request is unknown, or has no final word: executed without authorization.
 *  2. The final word is no grant (DENIED, EXPIRED, CANCELLED): executed after denial.
 *  3. It names another authorization than the one that was given: executed without authorization.
 *  4. Something else was run than what was authorized: executed with other digest.
 *  5. A second start, or a second end, under an id of its own: executed twice. Reports of one execution may come in any
 *     order, and rolling back may follow an end.
 *  6. It was reported when the authorization had been revoked, and no report came before that: executed after revocation.
 *  7. It was reported when the authorization had ended, and no report came before its end: executed after expiry.
 *     What began in time may end later.
 *
 * An outcome is a claim of whoever reports. Nothing here makes it more than that; a signature tells who claims.
 */
#include "services/recorder/recorder.h"

#include <string.h>

static const struct {
	const char *name, *severity, *text;
} judgements[RECORDER_JUDGEMENTS] = {
    [RECORDER_AUTHORIZED] = {"authorized", "low", "As authorized."},
    [RECORDER_WITHOUT_AUTHORIZATION] = {"executed_without_authorization", "critical",
					"An execution was reported for which there is no authorization."},
    [RECORDER_AFTER_DENIAL] = {"executed_after_denial", "critical",
			       "An execution was reported although the final word was no grant."},
    [RECORDER_OTHER_DIGEST] = {"executed_with_other_digest", "critical",
			       "Something else was executed than what was authorized."},
    [RECORDER_TWICE] = {"executed_twice", "high",
			"A second execution was reported for an authorization of one."},
    [RECORDER_AFTER_REVOCATION] = {"executed_after_revocation", "critical",
				   "An execution was reported when its authorization had been revoked."},
    [RECORDER_AFTER_EXPIRY] = {"executed_after_expiry", "high",
			       "An execution was reported when its authorization had ended."},
};

const char *
recorder_judgement_name(enum recorder_judgement judgement)
{
	return judgements[judgement].name;
}

const char *
recorder_judgement_severity(enum recorder_judgement judgement)
{
	return judgements[judgement].severity;
}

const char *
recorder_judgement_text(enum recorder_judgement judgement)
{
	return judgements[judgement].text;
}

/* The id of the word, or its token as it was given, byte for byte. */
static bool
names_another(const struct recorder_facts *facts, const struct outcome *outcome)
{
	const char *named = outcome->authorization;

	return named && strcmp(named, facts->event_id) != 0
	       && (!facts->token || strcmp(named, facts->token) != 0);
}

static bool
other_digest(const struct recorder_facts *facts, const struct outcome *outcome)
{
	char digest[CRYPTO_DIGEST_TEXT_SIZE];

	crypto_digest_text(outcome->request_digest, digest);
	return !facts->digest || !outcome->has_digest || strcmp(digest, facts->digest) != 0;
}

static bool
ends(const struct outcome *outcome)
{
	return outcome->status == OUTCOME_SUCCEEDED || outcome->status == OUTCOME_FAILED;
}

static bool
is_second(const struct recorder_facts *facts, const struct outcome *outcome)
{
	return (outcome->status == OUTCOME_STARTED && facts->started) || (ends(outcome) && facts->ended);
}

/* What began in time may end later. */
static bool
begins(const struct recorder_facts *facts, const struct outcome *outcome)
{
	return outcome->status == OUTCOME_STARTED || !facts->began_in_time;
}

enum recorder_judgement
recorder_judge(const struct recorder_facts *facts, const struct outcome *outcome, int64_t at)
{
	if (!facts->known || !facts->status)
		return RECORDER_WITHOUT_AUTHORIZATION;
	if (strcmp(facts->status, "GRANTED") != 0)
		return RECORDER_AFTER_DENIAL;
	if (names_another(facts, outcome))
		return RECORDER_WITHOUT_AUTHORIZATION;
	if (other_digest(facts, outcome))
		return RECORDER_OTHER_DIGEST;
	if (is_second(facts, outcome))
		return RECORDER_TWICE;
	if (begins(facts, outcome) && facts->revoked_at && at >= facts->revoked_at)
		return RECORDER_AFTER_REVOCATION;
	if (begins(facts, outcome) && at >= facts->expires_at)
		return RECORDER_AFTER_EXPIRY;
	return RECORDER_AUTHORIZED;
}

bool
recorder_gives_back(const struct recorder_facts *facts, const struct outcome *outcome,
		    enum recorder_judgement judgement)
{
	return outcome->status == OUTCOME_FAILED && judgement == RECORDER_AUTHORIZED && !facts->disputed;
}

void
recorder_remember(struct recorder_facts *facts, const struct outcome *outcome, enum recorder_judgement judgement)
{
	facts->started = facts->started || outcome->status == OUTCOME_STARTED;
	facts->ended = facts->ended || ends(outcome);
	facts->began_in_time = facts->began_in_time || judgement == RECORDER_AUTHORIZED;
	facts->disputed = facts->disputed || judgement != RECORDER_AUTHORIZED;
}
