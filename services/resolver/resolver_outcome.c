/* SPDX-License-Identifier: Apache-2.0 */
/* resolver_outcome.c - what a step of an approval says to the world: notices on the way, one final word at the end. */
#include "services/resolver/resolver.h"

#include <string.h>

/* ------------------------------------------------------------------ notices */

static const char *
result_of(enum approval_state state)
{
	switch (state) {
	case APPROVAL_APPROVED:
		return authorization_status_name(AUTHORIZATION_GRANTED);
	case APPROVAL_DENIED:
		return authorization_status_name(AUTHORIZATION_DENIED);
	case APPROVAL_EXPIRED:
		return authorization_status_name(AUTHORIZATION_EXPIRED);
	case APPROVAL_CANCELLED:
		return authorization_status_name(AUTHORIZATION_CANCELLED);
	case APPROVAL_REVOKED:
		return authorization_status_name(AUTHORIZATION_REVOKED);
	default:
		return NULL;
	}
}

/* The database has all; a message holds the last ones, so that it can never outgrow a message. */
static size_t
shown(const struct resolver_approval *approval)
{
	return approval->answer_count < RESOLVER_VOTES_SHOWN ? approval->answer_count : RESOLVER_VOTES_SHOWN;
}

static const struct authorization_response *
answers_of(const struct resolver_approval *approval)
{
	return approval->answers + (approval->answer_count - shown(approval));
}

/* Who ends it by that is named beside those who voted. */
static bool
is_end(const char *verdict)
{
	return strcmp(verdict, "withdraw") == 0 || strcmp(verdict, "revoke") == 0
	       || strcmp(verdict, "override") == 0;
}

/* Those who approved or denied, and stand by it; and who ended it. */
static const struct authorization_response *
votes_of(struct arena *arena, const struct resolver_approval *approval, size_t *count)
{
	struct authorization_response *votes = arena_take_array(arena, approval->answer_count, sizeof *votes);
	size_t all = 0;

	for (size_t i = 0; i < approval->answer_count; i++) {
		const struct authorization_response *answer = &approval->answers[i];
		unsigned n = resolver_voter(approval, answer->responder);
		enum approval_vote vote =
		    n < approval->now.voter_count ? approval->now.voters[n].vote : APPROVAL_VOTE_NONE;

		if ((vote == APPROVAL_VOTE_APPROVE && strcmp(answer->verdict, "approve") == 0)
		    || (vote == APPROVAL_VOTE_DENY && strcmp(answer->verdict, "deny") == 0)
		    || is_end(answer->verdict))
			votes[all++] = *answer;
	}
	*count = all < RESOLVER_VOTES_SHOWN ? all : RESOLVER_VOTES_SHOWN;
	return votes + (all - *count);
}

/* The card as it is now, whatever caused it to be sent. */
static struct notice
card(struct resolver_effects *effects, struct resolver_approval *approval, const char *cause)
{
	struct notice notice = word_notice(effects->work, &approval->about);

	notice.approval_id = approval->approval_id;
	notice.state = approval->now.state == APPROVAL_PENDING ? "CHANGED" : "CLOSED";
	notice.cause = cause;
	notice.n = approval->notices++;
	notice.needs =
	    asking_needs(effects->work->arena, &approval->now, &approval->asking, &notice.need_count);
	notice.rules = approval->decision.rules;
	notice.rule_count = approval->decision.rule_count;
	notice.reason_text = approval->reason_text;
	notice.obligations = approval->obligations;
	notice.opened_at = approval->now.opened_at;
	notice.approval_deadline = approval->now.deadline;
	notice.responses = answers_of(approval);
	notice.response_count = shown(approval);
	notice.overridden_by = approval->overrider;
	notice.reviewed_by = approval->reviewer;
	notice.result = result_of(approval->now.state);
	approval->touched = true;
	return notice;
}

bool
resolver_announce_refusal(struct resolver_effects *effects, struct resolver_approval *approval,
			  const struct resolver_item *item, const char *code, struct error *error)
{
	approval->touched = true;
	if (approval->refusals++ >= RESOLVER_REFUSALS_ANNOUNCED)
		return true;

	struct notice notice = card(effects, approval, "response_refused");

	notice.refused_response_id = item->response.response_id;
	notice.refused_responder = item->response.responder;
	notice.refused_code = code;
	return word_announce(effects->work, &notice, error);
}

/* Decided again, and no word comes of it yet. */
static bool
announce_change(struct resolver_effects *effects, struct resolver_approval *approval, struct error *error)
{
	struct notice notice = card(effects, approval, "policy_changed");

	notice.explanation_digest = approval->decision.explanation_digest;
	approval->decision.explanation_digest = NULL; /* it is said once */
	return word_announce(effects->work, &notice, error);
}

static bool
announce(struct resolver_effects *effects, struct resolver_approval *approval, const char *cause,
	 struct error *error)
{
	struct notice notice = card(effects, approval, cause);

	return word_announce(effects->work, &notice, error);
}

/* ------------------------------------------------------------------ final words */

/* "Approved by alice, bob." */
static const char *
names(struct arena *arena, const char *what, const struct resolver_approval *approval, enum approval_vote vote)
{
	struct buffer text = {.arena = arena};
	size_t count = 0;

	buffer_add_text(&text, what);
	for (unsigned i = 0; i < approval->now.voter_count; i++) {
		if (approval->now.voters[i].vote != vote || count++ >= RESOLVER_NAMES_MAX)
			continue;
		buffer_add_format(&text, "%s%s", count > 1 ? ", " : " ", approval->persons[i]);
	}
	if (count > RESOLVER_NAMES_MAX)
		buffer_add_format(&text, " and %zu more", count - RESOLVER_NAMES_MAX);
	buffer_add_text(&text, ".");
	return text.bytes;
}

static struct authorization
final_word(struct resolver_effects *effects, const struct resolver_approval *approval,
	   const struct word_decision *decision)
{
	struct authorization word = word_make(effects->work, &approval->about, decision);

	word.approval_id = approval->approval_id;
	word.overridden_by = approval->overrider;
	word.responses = votes_of(effects->work->arena, approval, &word.response_count);
	return word;
}

static bool
speak(struct resolver_effects *effects, const struct resolver_approval *approval,
      const struct authorization *word, struct error *error)
{
	struct journal *journal = effects->resolver->journal;

	journal_count(journal, "approvals_closed_total", approval_state_name(approval->now.state));
	journal_note(journal, "resolved", log_text("tenant", word->tenant),
		     log_text("request_id", word->request_id), log_text("approval_id", word->approval_id),
		     log_text("status", authorization_status_name(word->status)),
		     log_text("code", word->reason_code), log_text("policy", word->policy_id),
		     log_number("policy_version", word->policy_version));
	if (word->status == AUTHORIZATION_REVOKED)
		limits_end(effects->limits, word->tenant, word->request_id,
			   approval->now.grant_ends - word->decided_at);
	else if (word->status != AUTHORIZATION_GRANTED)
		limits_drop(effects->limits, word->tenant, word->request_id);
	return word_speak(&effects->words, word, error);
}

static bool
grant(struct resolver_effects *effects, struct resolver_approval *approval,
      const struct word_decision *decision, struct error *error)
{
	struct authorization word = final_word(effects, approval, decision);

	word.status = AUTHORIZATION_GRANTED;
	word.reason_code = approval->overrider ? "overridden" : "approved";
	word.reason_text = approval->overrider
			       ? arena_format(effects->work->arena, "Overridden by %s.", approval->overrider)
			       : names(effects->work->arena, "Approved by", approval, APPROVAL_VOTE_APPROVE);
	word.not_before = effects->work->now + approval->hold_for;
	word.expires_at = word.not_before + approval->valid_for;
	word.obligations = approval->obligations;
	approval->now.grant_ends = word.expires_at;
	return speak(effects, approval, &word, error);
}

static bool
deny(struct resolver_effects *effects, const struct resolver_approval *approval, struct error *error)
{
	struct authorization word = final_word(effects, approval, &approval->decision);

	word.status = AUTHORIZATION_DENIED;
	word.reason_code = "denied_by_approver";
	word.reason_text = names(effects->work->arena, "Denied by", approval, APPROVAL_VOTE_DENY);
	return speak(effects, approval, &word, error);
}

static bool
expire(struct resolver_effects *effects, const struct resolver_approval *approval, struct error *error)
{
	struct authorization word = final_word(effects, approval, &approval->decision);

	word.status = AUTHORIZATION_EXPIRED;
	word.reason_code = "approval_expired";
	word.reason_text = "The question was not answered in time.";
	return speak(effects, approval, &word, error);
}

static bool
cancel(struct resolver_effects *effects, const struct resolver_approval *approval,
       const struct resolver_item *item, struct error *error)
{
	struct authorization word = final_word(effects, approval, &approval->decision);

	word.status = AUTHORIZATION_CANCELLED;
	word.reason_code = "withdrawn";
	word.reason_text = arena_format(effects->work->arena, "Withdrawn by %s.", item->response.responder);
	return speak(effects, approval, &word, error);
}

/* One more word: the grant stays what it was, until now. */
static bool
revoke(struct resolver_effects *effects, const struct resolver_approval *approval,
       const struct resolver_item *item, struct error *error)
{
	struct authorization word = final_word(effects, approval, &approval->decision);

	word.status = AUTHORIZATION_REVOKED;
	word.explanation_digest = NULL; /* the grant has said it */
	word.reason_code = "revoked";
	word.reason_text = arena_format(effects->work->arena, "Revoked by %s.", item->response.responder);
	return speak(effects, approval, &word, error);
}

/* People agreed, the policy of now does not: its reasons are the word's. */
static bool
block(struct resolver_effects *effects, const struct resolver_approval *approval,
      const struct word_decision *decision, struct error *error)
{
	struct authorization word = final_word(effects, approval, decision);

	word.status = AUTHORIZATION_DENIED;
	return speak(effects, approval, &word, error);
}

/* ------------------------------------------------------------------ a step */

/* What was answered is shown to all, a remark too. */
static void
add_answer(struct resolver_effects *effects, struct resolver_approval *approval,
	   const struct resolver_item *item)
{
	resolver_add_answer(effects->work->arena, approval,
			    (struct authorization_response){
				.responder = item->response.responder,
				.verdict = response_verdict_name(item->response.verdict),
				.reason = item->response.reason,
				.at = effects->work->now,
			    });
}

static void
keep_steps(struct resolver_effects *effects, const struct resolver_approval *approval, unsigned before)
{
	for (unsigned i = before; i < approval->now.steps_taken; i++)
		sheet_add(&effects->taken, store_uuid(approval->approval_id),
			  store_int(approval->asking.step_rows[i]), store_int(approval->now.steps[i].stage));
}

static const char *
cause_of(const struct approval_step *step, const struct resolver_item *item)
{
	if (step->verdict == APPROVAL_TAKEN && item)
		return item->response.verdict == RESPONSE_RECUSE    ? "recused"
		       : item->response.verdict == RESPONSE_COMMENT ? "commented"
		       : item->response.verdict == RESPONSE_EXTEND  ? "extended"
		       : item->response.verdict == RESPONSE_REVIEW  ? "reviewed"
								    : "response";
	return step->effects & APPROVAL_EFFECT_STEPS ? "escalated" : "reminded";
}

/* A hold stands in its way. It is told once of each, and otherwise only of what else happens to it. */
static bool
keep_waiting(struct resolver_effects *effects, struct resolver_approval *approval,
	     const struct snapshot_hold *hold, bool answered, struct error *error)
{
	bool told = approval->held_by == hold->hold_id;
	struct notice notice;

	approval->now.state = APPROVAL_PENDING;
	approval->held_by = hold->hold_id;
	if (told && !answered)
		return true;
	notice = card(effects, approval, told ? "response" : "held");
	notice.hold_id = hold->hold_id;
	notice.hold_reason = hold->reason;
	return word_announce(effects->work, &notice, error);
}

/* The last vote has come. What people granted is looked at once more before it is said. */
static bool
perform_grant(struct resolver_effects *effects, struct resolver_approval *approval,
	      const struct approval *before, const struct resolver_item *item, struct error *error)
{
	const struct snapshot_hold *hold;
	struct word_decision deciding;
	enum resolver_again again;

	if (!resolver_decide_again(effects, approval, &again, &deciding, &hold, error))
		return false;
	switch (again) {
	case RESOLVER_STANDS:
		if (approval->now.overridden)
			resolver_open_review(effects, approval, item);
		return announce(effects, approval, approval->overrider ? "overridden" : "approved", error)
		       && grant(effects, approval, &deciding, error);
	case RESOLVER_ASKS:
		approval->now.state = APPROVAL_PENDING;
		if (approval->now.overridden)
			resolver_undo_override(approval, before, "policy_changed");
		return announce_change(effects, approval, error);
	case RESOLVER_WAITS:
		if (!approval->now.overridden)
			return keep_waiting(effects, approval, hold, item != NULL, error);
		resolver_undo_override(approval, before, "held");
		return approval->now.steps_taken == before->steps_taken
		       || announce(effects, approval, "escalated", error);
	case RESOLVER_BLOCKS:
	case RESOLVER_NOBODY:
		break;
	}
	approval->now.state = APPROVAL_DENIED;
	approval->now.overridden = false;
	return announce(effects, approval, "denied", error) && block(effects, approval, &deciding, error);
}

bool
resolver_perform(struct resolver_effects *effects, struct resolver_approval *approval,
		 const struct approval_step *step, const struct resolver_item *item, struct error *error)
{
	const struct approval before = approval->now;

	if (step->effects == 0)
		return true;
	approval->now = step->next;
	approval->touched = true;
	if (step->effects & APPROVAL_EFFECT_STEPS)
		keep_steps(effects, approval, before.steps_taken);
	if (step->verdict == APPROVAL_TAKEN && item)
		add_answer(effects, approval, item);
	if (step->effects & APPROVAL_EFFECT_GRANT)
		return perform_grant(effects, approval, &before, item, error);
	if (step->effects & APPROVAL_EFFECT_DENY)
		return announce(effects, approval, "denied", error) && deny(effects, approval, error);
	if (step->effects & APPROVAL_EFFECT_EXPIRE)
		return announce(effects, approval, "expired", error) && expire(effects, approval, error);
	if (step->effects & APPROVAL_EFFECT_CANCEL)
		return announce(effects, approval, "withdrawn", error)
		       && cancel(effects, approval, item, error);
	if (step->effects & APPROVAL_EFFECT_REVOKE)
		return announce(effects, approval, "revoked", error) && revoke(effects, approval, item, error);
	if (step->effects & APPROVAL_EFFECT_REVIEW)
		resolver_close_review(effects, approval, item);
	return announce(effects, approval, cause_of(step, item), error);
}
