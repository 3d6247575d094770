/* SPDX-License-Identifier: Apache-2.0 */
/* card.c - the body: everything if it fits, else as little left out as makes it fit, and never silently. */
#include "services/notifier/card.h"

#include "common/canonical/canonical.h"
#include "common/message/body.h"

#include <string.h>

const char *
card_digest(struct arena *arena, const char *text)
{
	uint8_t digest[CRYPTO_SHA256_SIZE];
	char *out = arena_take(arena, CRYPTO_DIGEST_TEXT_SIZE);

	crypto_sha256(text, strlen(text), digest);
	crypto_digest_text(digest, out);
	return out;
}

/* ------------------------------------------------------------------ members */

static struct value *
cut_value(struct arena *arena, const char *text)
{
	struct value *value = value_map(arena);

	value_set(arena, value, "cut_bytes", value_int(arena, (int64_t)strlen(text)));
	value_set_string(arena, value, "digest", card_digest(arena, text));
	return value;
}

/* Outside of what was cut, so that no agent can write a context that looks as if it was. */
static struct value *
cut_names(struct arena *arena, unsigned cut)
{
	struct value *names = value_list(arena);

	if (cut & CARD_CUT_CONTEXT)
		value_append(arena, names, value_string(arena, "context"));
	if (cut & CARD_CUT_EXECUTION)
		value_append(arena, names, value_string(arena, "execution"));
	if (cut & CARD_CUT_REASONS)
		value_append(arena, names, value_string(arena, "responses.reason"));
	return names;
}

static void
set_request(struct arena *arena, struct value *data, const struct card *card, unsigned cut)
{
	value_set_string(arena, data, "request_id", card->request_id);
	value_set_string(arena, data, "request_digest", card->request_digest);
	value_set_string(arena, data, "agent_id", card->agent_id);
	value_set_string(arena, data, "action", card->action);
	value_set_string(arena, data, "target", card->target);
	value_set(arena, data, "context",
		  cut & CARD_CUT_CONTEXT ? cut_value(arena, card->context_text)
					 : (struct value *)card->context);
	if (card->execution)
		value_set(arena, data, "execution",
			  cut & CARD_CUT_EXECUTION ? cut_value(arena, card->execution_text)
						   : (struct value *)card->execution);
	value_set_string(arena, data, "reason", card->reason);
	value_set_string(arena, data, "on_behalf_of", card->on_behalf_of);
	body_set_signed_by(arena, data, card->signed_by_kid, card->signed_by_owner);
}

static void
set_needs(struct arena *arena, struct value *data, const struct card *card)
{
	struct value *needs = value_list(arena);

	for (size_t i = 0; i < card->need_count; i++) {
		struct value *need = value_map(arena);

		value_set_string(arena, need, "policy", card->needs[i].policy);
		value_set_string(arena, need, "profile", card->needs[i].profile);
		value_set_string(arena, need, "group", card->needs[i].group);
		value_set(arena, need, "quorum", value_int(arena, card->needs[i].quorum));
		value_set(arena, need, "votes", value_int(arena, card->needs[i].votes));
		value_set(arena, need, "stage", value_int(arena, card->needs[i].stage));
		value_set_string(arena, need, "of", card->needs[i].all ? "all" : "any");
		value_append(arena, needs, need);
	}
	value_set(arena, data, "needs", needs);
}

static void
set_responses(struct arena *arena, struct value *data, const struct card *card, unsigned cut)
{
	struct authorization_response *shown =
	    arena_take_array(arena, card->response_count, sizeof *card->responses);

	for (size_t i = 0; i < card->response_count; i++) {
		shown[i] = card->responses[i];
		if (cut & CARD_CUT_REASONS)
			shown[i].reason = NULL;
	}
	body_set_responses(arena, data, shown, card->response_count);
}

/* How often the same was tried in vain, and the last time. */
static void
set_attempt(struct arena *arena, struct value *data, const struct card *card)
{
	struct value *before = value_map(arena);

	if (!card->failed_before)
		return;
	value_set_string(arena, before, "request_id", card->before.request_id);
	value_set_string(arena, before, "status", card->before.status);
	value_set_string(arena, before, "code", card->before.code);
	value_set_string(arena, before, "detail", card->before.detail);
	value_set(arena, data, "attempt", value_int(arena, card->failed_before + 1));
	value_set(arena, data, "before", before);
}

static void
set_outcome(struct arena *arena, struct value *data, const struct card *card)
{
	struct value *outcome = value_map(arena);

	value_set_string(arena, outcome, "outcome_id", card->outcome->outcome_id);
	value_set_string(arena, outcome, "status", card->outcome->status);
	value_set_string(arena, outcome, "judgement", card->outcome->judgement);
	value_set_string(arena, outcome, "reported_by", card->outcome->reported_by);
	value_set_string(arena, outcome, "code", card->outcome->code);
	value_set_string(arena, outcome, "detail", card->outcome->detail);
	body_set_time(arena, outcome, "at", card->outcome->at);
	value_set(arena, data, "outcome", outcome);
}

/* As on topic approvals. */
static const char *
state_of(const struct card *card)
{
	if (card->result)
		return "CLOSED";
	return card->response_count > 0 ? "CHANGED" : "OPEN";
}

static struct value *
data_of(struct arena *arena, const struct card *card, enum card_event event, const char *delivery_id,
	unsigned cut)
{
	struct value *data = value_map(arena);

	value_set_string(arena, data, "delivery_id", delivery_id);
	value_set_string(arena, data, "approval_id", card->approval_id);
	value_set_string(arena, data, "tenant", card->tenant);
	value_set_string(arena, data, "state", state_of(card));
	value_set_string(arena, data, "result", card->result);
	set_request(arena, data, card, cut);
	set_needs(arena, data, card);
	body_set_strings(arena, data, "rules", card->rules, card->rule_count);
	value_set_string(arena, data, "why", card->why);
	if (card->obligations)
		value_set(arena, data, "obligations", (struct value *)(uintptr_t)card->obligations);
	body_set_time(arena, data, "opened_at", card->opened_at);
	body_set_time_or_null(arena, data, "approval_deadline", card->deadline);
	if (card->closed_at)
		body_set_time(arena, data, "closed_at", card->closed_at);
	if (card->revoked_at)
		body_set_time(arena, data, "revoked_at", card->revoked_at);
	value_set_string(arena, data, "overridden_by", card->overridden_by);
	value_set_string(arena, data, "reviewed_by", card->reviewed_by);
	set_responses(arena, data, card, cut);
	set_attempt(arena, data, card);
	if (event == CARD_OUTCOME)
		set_outcome(arena, data, card);
	if (cut & (CARD_CUT_CONTEXT | CARD_CUT_EXECUTION | CARD_CUT_REASONS))
		value_set(arena, data, "cut", cut_names(arena, cut));
	value_set_string(arena, data, "text", card_text(arena, card, event, cut));
	return data;
}

/* ------------------------------------------------------------------ the body */

static int64_t
time_of(const struct card *card, enum card_event event)
{
	if (event == CARD_OUTCOME)
		return card->outcome->at;
	if (event == CARD_REVOKED)
		return card->revoked_at;
	if ((event == CARD_CLOSED || event == CARD_OVERRIDDEN) && card->closed_at)
		return card->closed_at;
	if (event == CARD_REMINDED)
		return card->reminded_at;
	if (event == CARD_CHANGED && card->response_count > 0)
		return card->responses[card->response_count - 1].at;
	return card->opened_at;
}

static bool
format(struct arena *arena, const struct card *card, enum card_event event, const char *delivery_id,
       unsigned cut, struct buffer *out, struct error *error)
{
	static const char *const types[] = {"approval.opened",	  "approval.changed", "approval.reminded",
					    "approval.closed",	  "approval.revoked", "approval.outcome",
					    "approval.overridden"};
	struct value *body = value_map(arena);
	struct error why = {0};

	value_set_string(arena, body, "type", types[event]);
	body_set_time(arena, body, "timestamp", time_of(card, event));
	value_set(arena, body, "data", data_of(arena, card, event, delivery_id, cut));
	*out = (struct buffer){.arena = arena};
	return canonical_format(out, body, &why)
	       || error_set_field(error, ERROR_BROKEN, "card_malformed", why.field, "approval %s: %s",
				  card->approval_id, why.text);
}

bool
card_format(struct arena *arena, const struct card *card, enum card_event event, const char *delivery_id,
	    struct buffer *out, struct error *error)
{
	enum {
		TEXT = CARD_CUT_TEXT_CONTEXT | CARD_CUT_TEXT_EXECUTION,
		CONTEXT = CARD_CUT_TEXT_CONTEXT | CARD_CUT_CONTEXT,
		EXECUTION = CARD_CUT_TEXT_EXECUTION | CARD_CUT_EXECUTION
	};
	static const unsigned tries[] = {0,
					 CARD_CUT_TEXT_CONTEXT,
					 CARD_CUT_TEXT_EXECUTION,
					 TEXT,
					 CONTEXT,
					 EXECUTION,
					 CONTEXT | EXECUTION,
					 CONTEXT | EXECUTION | CARD_CUT_REASONS};
	bool ok = true;

	for (size_t i = 0; ok && i < sizeof tries / sizeof *tries; i++) {
		ok = format(arena, card, event, delivery_id, tries[i], out, error);
		if (ok && out->length <= CARD_MAX)
			break;
	}
	return ok;
}
