/* SPDX-License-Identifier: Apache-2.0 */
/* story_answer.c - what a person answered, whether it counted, and why not, in words. */
#include "services/countersign/story_stages.h"
#include <string.h>

struct wording {
	const char *code, *text;
};

static const char *
worded(const struct wording *wordings, const char *code)
{
	for (; wordings->code; wordings++)
		if (!strcmp(wordings->code, code))
			return wordings->text;
	return NULL;
}

/* What somebody did, and what somebody wanted to do whose answer was refused. */
static const struct wording did[] = {
    {"approve", "approved"},
    {"deny", "denied"},
    {"recuse", "stepped aside; no answer of theirs counts any more"},
    {"comment", "remarked"},
    {"extend", "gave people more time"},
    {"withdraw", "took the request back"},
    {"revoke", "took the grant back"},
    {"override", "let it through alone, past everybody who was asked"},
    {"review", "looked at what had been let through"},
    {0},
};
static const struct wording wanted[] = {
    {"approve", "wanted to approve"},
    {"deny", "wanted to deny"},
    {"recuse", "wanted to step aside"},
    {"comment", "wanted to remark"},
    {"extend", "wanted to give people more time"},
    {"withdraw", "wanted to take the request back"},
    {"revoke", "wanted to take the grant back"},
    {"override", "wanted to let it through alone"},
    {"review", "wanted to close the review"},
    {0},
};
/* @ is the person. */
static const struct wording refused[] = {
    {"excluded", "the policy does not let this person answer here"},
    {"not_a_member", "@ is in no group that is asked"},
    {"recused", "@ had stepped aside before"},
    {"denied_before", "@ had denied before, and that stands"},
    {"stage_not_open", "it was not the turn of this person's groups"},
    {"reason_required", "@ gave no reason, and the policy wants one"},
    {"too_many_voters", "too many people had answered"},
    {"not_requester", "only the agent itself can take its request back"},
    {"not_extendable", "the policy gives no more time"},
    {"not_later", "that would have been less time, not more"},
    {"beyond_maximum", "that is more time than the policy gives"},
    {"not_granted", "nothing had been granted"},
    {"not_an_approver", "only who approved it, or an operator, can take it back"},
    {"authorization_expired", "the authorization had ended already"},
    {"not_overridable", "the policy lets nobody go past those who are asked"},
    {"not_overridden", "nobody had let it through alone"},
    {"responder_is_overrider", "@ had let it through, so somebody else has to look at it"},
    {"already_reviewed", "somebody else had looked at it already"},
    {"held", "the line was stopped for it"},
    {"policy_changed", "the policies of that moment asked others as well"},
    {"digest_mismatch", "@ had been shown another request than this one"},
    {"approval_expired", "the time to answer was over"},
    {"already_decided", "it had been decided already"},
    {"not_open", "nobody was being asked"},
    {0},
};

/* Whose request it is: nobody decides about their own. */
static void
add_own(struct buffer *out, const struct teller *teller, const char *person)
{
	static const struct {
		const char *member, *text;
	} ties[] = {{"agent_id", "is the agent that asked"},
		    {"owner", "answers for this agent"},
		    {"signed_by", "holds the key that signed it"},
		    {"on_behalf_of", "is the one it was asked for"}};

	buffer_add_text(out, "nobody approves what is their own");
	for (size_t i = 0; i < sizeof ties / sizeof *ties; i++) {
		const char *name = value_get_string(teller->request, ties[i].member);
		if (!name || strcmp(name, person) != 0)
			continue;
		buffer_add_text(out, ", and ");
		story_name(out, person);
		buffer_add_format(out, " %s", ties[i].text);
		return;
	}
}

static void
add_verb(struct buffer *out, const struct wording *wordings, const char *before, const char *verdict)
{
	const char *text = worded(wordings, verdict);

	buffer_add_format(out, " %s", text ? text : before);
	if (!text)
		story_name(out, verdict);
}

static void
add_refusal(struct teller *teller, const struct value *row, struct buffer *out)
{
	const char *result = value_get_string(row, "result"), *why = worded(refused, result);

	add_verb(out, wanted, "wanted to answer ", value_get_string(row, "verdict"));
	story_quote(out, value_get_string(row, "reason"));
	buffer_add_text(out, ". Refused: ");
	if (!strcmp(result, "responder_is_requester"))
		add_own(out, teller, value_get_string(row, "responder"));
	else if (why && *why == '@') {
		story_name(out, value_get_string(row, "responder"));
		buffer_add_text(out, why + 1);
	} else
		buffer_add_text(out, why ? why : "it could not count");
	buffer_add_format(out, " (%s).", result);
}

void
story_answer(struct teller *teller, const struct value *row, struct buffer *out)
{
	const char *verdict = value_get_string(row, "verdict"), *result = value_get_string(row, "result");
	bool is_vote = !strcmp(verdict, "approve") || !strcmp(verdict, "deny") || !strcmp(verdict, "recuse");
	size_t length;

	story_name(out, value_get_string(row, "responder"));
	if (!strcmp(result, "repeated")) {
		add_verb(out, did, "answered ", verdict);
		buffer_add_text(out, " once more; that changes nothing.");
		return;
	}
	if (strcmp(result, "counted") != 0) {
		add_refusal(teller, row, out);
		return;
	}
	add_verb(out, did, "answered ", verdict);
	length = out->length;
	if (is_vote && teller->stages)
		stages_answered(out, teller->stages, row);
	if (out->length > length)
		return;
	story_quote(out, value_get_string(row, "reason"));
	buffer_add_text(out, ".");
}
