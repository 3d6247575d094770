/* SPDX-License-Identifier: Apache-2.0 */
/*
 * card_text.c - the card as plain lines. Every line begins with a word of ours; what others chose stands in quotation marks with
 * nothing unseen in it, so that no agent can write a line of the card.
 */
#include "services/notifier/card.h"
#include "common/visible/visible.h"

#include "common/message/rfc3339.h"

#include <inttypes.h>
#include <string.h>

static void
add_quoted(struct buffer *out, const char *text)
{
	visible_quote(out, text, strlen(text));
}

static void
add_line(struct buffer *out, const char *label, const char *text)
{
	if (!text)
		return;
	buffer_add_format(out, "%s: ", label);
	add_quoted(out, text);
	buffer_add_byte(out, '\n');
}

/* Who asks is what the request says of itself, unless a registered key has signed it. */
static void
add_identity(struct buffer *out, const struct card *card)
{
	if (!card->signed_by_kid)
		buffer_add_text(out, "Identity: not verified, the agent's name is a claim\n");
	else
		add_line(out, "Identity: verified, signed by a key of", card->signed_by_owner);
}

static void
add_time(struct buffer *out, const char *label, int64_t at)
{
	char text[RFC3339_SIZE];

	if (at == 0) {
		buffer_add_text(out, "Deadline: none\n");
		return;
	}
	rfc3339_format(at, text);
	buffer_add_format(out, "%s: %.19sZ\n", label, text);
}

static void
add_headline(struct buffer *out, const struct card *card, enum card_event event)
{
	if (event == CARD_OUTCOME)
		buffer_add_format(out, "Reported as %s",
				  strcmp(card->outcome->status, "rolled_back") == 0 ? "rolled back"
										    : card->outcome->status);
	else if (event == CARD_REVOKED)
		buffer_add_text(out, "Revoked, it may not be executed any more");
	else if (event == CARD_OVERRIDDEN)
		buffer_add_text(out, "Overridden, one person let it through without those who were asked");
	else if (card->result && event == CARD_CLOSED)
		buffer_add_format(out, "Closed, %s", card->result);
	else if (card->result)
		buffer_add_format(out, "Approval was asked for and is closed, %s", card->result);
	else
		buffer_add_text(out, event == CARD_CHANGED    ? "Answered, and still open"
				     : event == CARD_REMINDED ? "Still waiting for approval"
							      : "Approval needed");
	buffer_add_text(out, ": agent ");
	add_quoted(out, card->agent_id);
	buffer_add_text(out, " wants ");
	add_quoted(out, card->action);
	buffer_add_text(out, " on ");
	add_quoted(out, card->target);
	buffer_add_byte(out, '\n');
}

/* A report is a claim of whoever reports, and what must not have happened is said to be that. */
static void
add_outcome(struct buffer *out, const struct card_outcome *outcome)
{
	if (strcmp(outcome->judgement, "authorized") != 0)
		add_line(out, "This must not have happened", outcome->judgement);
	add_line(out, "Reported by", outcome->reported_by);
	add_line(out, "Code", outcome->code);
	add_line(out, "Detail", outcome->detail);
}

static void
add_attempt(struct buffer *out, const struct card *card)
{
	if (!card->failed_before)
		return;
	buffer_add_format(out, "Attempt: %" PRId64 "%s, request ", card->failed_before + 1,
			  card->failed_before >= CARD_BEFORE_MAX ? " or more" : "");
	add_quoted(out, card->before.request_id);
	buffer_add_text(out, strcmp(card->before.status, "failed") == 0 ? " failed before"
									: " was rolled back before");
	for (int i = 0; i < 2; i++) {
		const char *said = i == 0 ? card->before.code : card->before.detail;

		if (!said)
			continue;
		buffer_add_text(out, ", ");
		add_quoted(out, said);
	}
	buffer_add_byte(out, '\n');
}

/* "Needs", or how it goes on within one stage. */
static const char *
needing(const struct card *card, size_t n)
{
	const struct notice_need *need = &card->needs[n], *before = n ? &card->needs[n - 1] : NULL;

	if (!before || strcmp(before->profile, need->profile) != 0 || before->stage != need->stage)
		return "Needs";
	return need->all ? "and" : "or";
}

static void
add_needs(struct buffer *out, const struct card *card)
{
	bool staged = false;

	for (size_t i = 0; i < card->need_count; i++)
		staged = staged || card->needs[i].stage > 1;
	for (size_t i = 0; i < card->need_count; i++) {
		const struct notice_need *need = &card->needs[i];

		if (staged)
			buffer_add_format(out, "Stage %" PRId64 ": ", need->stage);
		buffer_add_format(out, "%s %" PRId64 " of group ", needing(card, i), need->quorum);
		add_quoted(out, need->group);
		buffer_add_format(out, ", has %" PRId64 "\n", need->votes);
	}
}

/* How a line about an answer begins. */
static const char *
what_was_answered(const char *verdict)
{
	static const char *const lines[][2] = {
	    {"approve", "Approved by"}, {"deny", "Denied by"},	       {"recuse", "Stepped aside:"},
	    {"comment", "Remark of"},	{"extend", "Extended by"},     {"withdraw", "Withdrawn by"},
	    {"revoke", "Revoked by"},	{"override", "Overridden by"}, {"review", "Reviewed by"}};

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		if (strcmp(verdict, lines[i][0]) == 0)
			return lines[i][1];
	return "Answered by";
}

static void
add_responses(struct buffer *out, const struct card *card, unsigned cut)
{
	for (size_t i = 0; i < card->response_count; i++) {
		const struct authorization_response *response = &card->responses[i];

		buffer_add_format(out, "%s ", what_was_answered(response->verdict));
		add_quoted(out, response->responder);
		if (response->reason && !(cut & CARD_CUT_REASONS)) {
			buffer_add_text(out, ": ");
			add_quoted(out, response->reason);
		}
		buffer_add_byte(out, '\n');
	}
	if (cut & CARD_CUT_REASONS)
		buffer_add_text(out, "Left out: the reasons that people gave\n");
}

/* A member a line, or how much is not shown. */
static void
add_map(struct buffer *out, const char *label, const struct value *map, const char *text, bool is_cut)
{
	if (!map)
		return;
	if (is_cut) {
		buffer_add_format(out, "%s: %zu bytes are too much for this text and not shown, %s\n", label,
				  strlen(text), card_digest(out->arena, text));
		return;
	}
	buffer_add_format(out, "%s:%s\n", label, map->as.map.count == 0 ? " none" : "");
	for (size_t i = 0; i < map->as.map.count; i++) {
		const struct value_member *member = &map->as.map.members[i];

		buffer_add_text(out, "  ");
		visible_quote(out, member->name.bytes, member->name.length);
		buffer_add_text(out, ": ");
		visible_value(out, member->value);
		buffer_add_byte(out, '\n');
	}
}

const char *
card_text(struct arena *arena, const struct card *card, enum card_event event, unsigned cut)
{
	struct buffer out = {.arena = arena};

	add_headline(&out, card, event);
	add_line(&out, "Overridden by", card->overridden_by);
	if (card->overridden_by && !card->reviewed_by)
		buffer_add_text(&out,
				"Review: open; one of those who were asked, and nobody else, closes it\n");
	add_line(&out, "Reviewed by", card->reviewed_by);
	if (event == CARD_OUTCOME)
		add_outcome(&out, card->outcome);
	add_line(&out, "Why you are asked", card->why);
	add_attempt(&out, card);
	add_map(&out, "A grant obliges to", card->obligations, "", false);
	add_map(&out, "Would run", card->execution, card->execution_text, cut & CARD_CUT_TEXT_EXECUTION);
	add_map(&out, "Context", card->context, card->context_text, cut & CARD_CUT_TEXT_CONTEXT);
	add_line(&out, "The agent's reason", card->reason);
	add_line(&out, "On behalf of, says the agent", card->on_behalf_of);
	add_identity(&out, card);
	add_needs(&out, card);
	add_responses(&out, card, cut);
	add_time(&out, card->result ? "Was open until" : "Answer before",
		 card->result && card->closed_at ? card->closed_at : card->deadline);
	add_line(&out, "Tenant", card->tenant);
	add_line(&out, "Request", card->request_id);
	buffer_add_format(&out, "Digest: %s\nApproval: %s\n", card->request_digest, card->approval_id);
	return out.bytes;
}
