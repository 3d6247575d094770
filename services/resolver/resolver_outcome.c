/* SPDX-License-Identifier: Apache-2.0 */
/* resolver_outcome.c - what a step of an approval says to the world: notices on the way, one final word at the end. */
#include "services/resolver/resolver.h"

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
	default:
		return NULL;
	}
}

static struct notice_need *
needs_of(struct arena *arena, const struct resolver_approval *approval)
{
	struct notice_need *needs = arena_take_array(arena, approval->now.requirement_count, sizeof *needs);

	for (unsigned i = 0; i < approval->now.requirement_count; i++)
		needs[i] = (struct notice_need){.policy = approval->requirements[i].policy,
						.profile = approval->requirements[i].profile,
						.group = approval->requirements[i].group,
						.quorum = approval->now.requirements[i].quorum,
						.votes = approval->now.requirements[i].votes};
	return needs;
}

/* The database has all; a message holds the last ones, so that it can never outgrow a message. */
static size_t
shown(const struct resolver_approval *approval)
{
	return approval->vote_count < RESOLVER_VOTES_SHOWN ? approval->vote_count : RESOLVER_VOTES_SHOWN;
}

static struct authorization_response *
votes_of(struct arena *arena, const struct resolver_approval *approval)
{
	size_t count = shown(approval);
	struct authorization_response *votes = arena_take_array(arena, count, sizeof *votes);

	for (size_t i = 0; i < count; i++)
		votes[i] = approval->votes[approval->vote_count - count + i].public;
	return votes;
}

/* The card as it is now, whatever caused it to be sent. */
static struct notice
card(struct resolver_effects *effects, struct resolver_approval *approval, const char *cause)
{
	struct arena *arena = effects->work->arena;
	struct notice notice = word_notice(effects->work, &approval->about);

	notice.approval_id = approval->approval_id;
	notice.state = approval->now.state == APPROVAL_PENDING ? "CHANGED" : "CLOSED";
	notice.cause = cause;
	notice.n = approval->notices++;
	notice.needs = needs_of(arena, approval);
	notice.need_count = approval->now.requirement_count;
	notice.rules = approval->decision.rules;
	notice.rule_count = approval->decision.rule_count;
	notice.reason_text = approval->reason_text;
	notice.obligations = approval->obligations;
	notice.opened_at = approval->opened_at;
	notice.approval_deadline = approval->now.deadline;
	notice.responses = votes_of(arena, approval);
	notice.response_count = shown(approval);
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
names(struct arena *arena, const char *what, const struct resolver_approval *approval, bool approving)
{
	struct buffer text = {.arena = arena};
	size_t count = 0;

	buffer_add_text(&text, what);
	for (size_t i = 0; i < approval->vote_count; i++) {
		if (approval->votes[i].approves != approving || count++ >= RESOLVER_NAMES_MAX)
			continue;
		buffer_add_format(&text, "%s%s", count > 1 ? ", " : " ", approval->votes[i].public.responder);
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
	word.responses = votes_of(effects->work->arena, approval);
	word.response_count = shown(approval);
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
	if (word->status != AUTHORIZATION_GRANTED)
		limits_drop(effects->limits, word->tenant, word->request_id);
	return word_speak(&effects->words, word, error);
}

static bool
grant(struct resolver_effects *effects, const struct resolver_approval *approval,
      const struct word_decision *decision, struct error *error)
{
	struct authorization word = final_word(effects, approval, decision);

	word.status = AUTHORIZATION_GRANTED;
	word.reason_code = "approved";
	word.reason_text = names(effects->work->arena, "Approved by", approval, true);
	word.not_before = effects->work->now;
	word.expires_at = effects->work->now + approval->valid_for;
	word.obligations = approval->obligations;
	return speak(effects, approval, &word, error);
}

static bool
deny(struct resolver_effects *effects, const struct resolver_approval *approval, struct error *error)
{
	struct authorization word = final_word(effects, approval, &approval->decision);

	word.status = AUTHORIZATION_DENIED;
	word.reason_code = "denied_by_approver";
	word.reason_text = names(effects->work->arena, "Denied by", approval, false);
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

static void
count_vote(struct resolver_effects *effects, struct resolver_approval *approval,
	   const struct resolver_item *item)
{
	bool approves = item->response.verdict == RESPONSE_APPROVE;
	struct resolver_vote vote = {
	    .approves = approves,
	    .public = {.responder = item->response.responder,
		       .verdict = approves ? "approve" : "deny",
		       .reason = item->response.reason,
		       .at = effects->work->now},
	};

	resolver_add_vote(effects->work->arena, approval, vote);
}

/* The last vote has come. What people granted is looked at once more before it is said. */
static bool
perform_grant(struct resolver_effects *effects, struct resolver_approval *approval, struct error *error)
{
	struct word_decision deciding;
	enum resolver_again again;

	if (!resolver_decide_again(effects, approval, &again, &deciding, error))
		return false;
	switch (again) {
	case RESOLVER_STANDS:
		return announce(effects, approval, "approved", error)
		       && grant(effects, approval, &deciding, error);
	case RESOLVER_ASKS:
		approval->now.state = APPROVAL_PENDING;
		return announce_change(effects, approval, error);
	case RESOLVER_BLOCKS:
		break;
	}
	approval->now.state = APPROVAL_DENIED;
	return announce(effects, approval, "denied", error) && block(effects, approval, &deciding, error);
}

bool
resolver_perform(struct resolver_effects *effects, struct resolver_approval *approval,
		 const struct approval_step *step, const struct resolver_item *item, struct error *error)
{
	if (step->effects == 0)
		return true;
	approval->now = step->next;
	approval->touched = true;
	if (step->effects & APPROVAL_EFFECT_VOTE)
		count_vote(effects, approval, item);
	if (step->effects & APPROVAL_EFFECT_GRANT)
		return perform_grant(effects, approval, error);
	if (step->effects & APPROVAL_EFFECT_DENY)
		return announce(effects, approval, "denied", error) && deny(effects, approval, error);
	if (step->effects & APPROVAL_EFFECT_EXPIRE)
		return announce(effects, approval, "expired", error) && expire(effects, approval, error);
	return announce(effects, approval, "response", error);
}
