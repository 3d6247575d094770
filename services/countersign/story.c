/* SPDX-License-Identifier: Apache-2.0 */
/* story.c - what has been recorded of a request, put in the order of time and told in sentences. */
#include "services/countersign/story_stages.h"
#include "common/visible/visible.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A reason of ours or of a policy, as a sentence. */
static void
add_sentence(struct buffer *out, const char *text)
{
	size_t length = text ? strlen(text) : 0;

	if (!length)
		return;
	visible_add(out, text, length);
	if (!strchr(".!?", text[length - 1]))
		buffer_add_text(out, ".");
}

/* ------------------------------------------------------------------ what can happen to a request */

static void
add_context(struct buffer *out, const struct value *context)
{
	if (!context || context->kind != VALUE_MAP || !context->as.map.count)
		return;
	buffer_add_text(out, " It said: ");
	for (size_t i = 0; i < context->as.map.count; i++) {
		const struct value_member *member = &context->as.map.members[i];

		buffer_add_text(out, i ? ", " : "");
		story_name(out, member->name.bytes);
		buffer_add_text(out, " ");
		if (member->value->kind == VALUE_STRING)
			story_name(out, member->value->as.string.bytes);
		else
			visible_value(out, member->value);
	}
	buffer_add_text(out, ".");
}

static void
tell_request(struct teller *teller, const struct value *row, struct buffer *out)
{
	const char *owner = value_get_string(row, "owner"), *signer = value_get_string(row, "signed_by");
	const char *served = value_get_string(row, "on_behalf_of"), *reason = value_get_string(row, "reason");

	(void)teller;
	story_name(out, value_get_string(row, "agent_id"));
	buffer_add_text(out, " asked for ");
	story_name(out, value_get_string(row, "action"));
	buffer_add_text(out, " on ");
	story_name(out, value_get_string(row, "target"));
	if (served) {
		buffer_add_text(out, " on behalf of ");
		story_name(out, served);
	}
	story_quote(out, reason);
	buffer_add_text(out, ".");
	add_context(out, value_get(row, "context"));
	if (owner) {
		buffer_add_text(out, " ");
		story_name(out, owner);
		buffer_add_text(out, " answers for this agent.");
	}
	if (signer) {
		buffer_add_text(out, " It was signed by ");
		story_name(out, signer);
		buffer_add_text(out, ".");
	} else {
		buffer_add_text(out, " It was not signed: who asked is a claim.");
	}
}

static void
add_rules(struct buffer *out, const struct value *row)
{
	const struct value *rules = value_get(row, "rules"), *version = value_get(row, "version");
	const char *policy = value_get_string(row, "policy");

	if (!policy)
		return;
	buffer_add_text(out, " (");
	for (size_t i = 0; rules && i < rules->as.list.count; i++) {
		buffer_add_text(out, i ? ", " : "rule ");
		story_name(out, rules->as.list.items[i]->as.string.bytes);
	}
	buffer_add_text(out, rules && rules->as.list.count ? " of policy " : "policy ");
	story_name(out, policy);
	if (version && version->kind == VALUE_INT)
		buffer_add_format(out, ", version %lld", (long long)version->as.integer);
	buffer_add_text(out, ")");
}

static bool
wants_more(const struct stages *stages, const char *at)
{
	for (unsigned i = 0; stages && i < stages->approval.demand_count; i++)
		if (stages->added_at[i] && !strcmp(stages->added_at[i], at))
			return true;
	return false;
}

/* What was held opens its approval by a later decision than the first. */
static bool
opens(const struct teller *teller, const struct value *row)
{
	const struct value *approvals = value_get(teller->whole, "approval");

	return approvals && approvals->as.list.count
	       && !strcmp(value_get_string(approvals->as.list.items[0], "opened_at"),
			  value_get_string(row, "at"));
}

static void
tell_decision(struct teller *teller, const struct value *row, struct buffer *out)
{
	const char *verdict = value_get_string(row, "verdict");
	const struct value *number = value_get(row, "n");
	bool again = number && number->kind == VALUE_INT && number->as.integer > 0;

	if (again && !strcmp(verdict, "REQUIRE_APPROVAL") && !opens(teller, row)) {
		buffer_add_format(
		    out, "The policies of that moment were asked once more; they want %s",
		    wants_more(teller->stages, value_get_string(row, "at")) ? "more" : "no more than that");
		add_rules(out, row);
		buffer_add_text(out, ".");
		return;
	}
	buffer_add_text(out, again ? "The policies of that moment were asked once more:"
				   : "The policies were asked:");
	buffer_add_text(out, !strcmp(verdict, "ALLOW")	 ? " nobody need agree"
			     : !strcmp(verdict, "BLOCK") ? " it must not be done"
							 : " people must agree");
	add_rules(out, row);
	buffer_add_text(out, ". ");
	add_sentence(out, value_get_string(row, "text"));
}

static void
tell_approval(struct teller *teller, const struct value *row, struct buffer *out)
{
	const char *deadline = value_get_string(row, "deadline");

	buffer_add_text(out, "Asked to approve: ");
	if (teller->stages)
		stages_asked(out, teller->stages, NULL);
	buffer_add_text(out, deadline ? ", until " : ", without a deadline");
	if (deadline)
		story_time(out, deadline, value_get_string(row, "opened_at"));
	buffer_add_text(out, ".");
}

static void
tell_word(struct teller *teller, const struct value *row, struct buffer *out)
{
	const char *status = value_get_string(row, "status"), *at = value_get_string(row, "at");
	const char *from = value_get_string(row, "not_before"), *until = value_get_string(row, "expires_at");

	(void)teller;
	if (!strcmp(status, "PENDING") && strcmp(value_get_string(row, "code"), "held") != 0)
		return;
	buffer_add_format(out, "%s: ", status);
	if (strcmp(status, "GRANTED") != 0) {
		if (!strcmp(status, "EXPIRED"))
			buffer_add_text(out, "this is neither a yes nor a no. ");
		add_sentence(out, value_get_string(row, "text"));
		return;
	}
	buffer_add_text(out, "exactly what was asked for may be done, ");
	if (from && strcmp(from, at) > 0) {
		buffer_add_text(out, "from ");
		story_time(out, from, at);
		buffer_add_text(out, " ");
	}
	if (until) {
		buffer_add_text(out, "until ");
		story_time(out, until, at);
		buffer_add_text(out, ". ");
	}
	add_sentence(out, value_get_string(row, "text"));
}

static void
tell_outcome(struct teller *teller, const struct value *row, struct buffer *out)
{
	const char *status = value_get_string(row, "status"), *judgement = value_get_string(row, "judgement");
	const char *code = value_get_string(row, "code"), *signer = value_get_string(row, "signed_by");

	(void)teller;
	story_name(out, value_get_string(row, "reported_by"));
	buffer_add_text(out, " reported that it ");
	buffer_add_text(out, !strcmp(status, "rolled_back") ? "was rolled back" : status);
	if (code) {
		buffer_add_text(out, " (");
		story_name(out, code);
		buffer_add_text(out, ")");
	}
	story_quote(out, value_get_string(row, "detail"));
	buffer_add_text(out, ".");
	if (signer) {
		buffer_add_text(out, " It was signed by ");
		story_name(out, signer);
		buffer_add_text(out, ".");
	}
	if (judgement && strcmp(judgement, "authorized") != 0)
		buffer_add_format(out, " It should not have: %s.", judgement);
}

static void
tell_incident(struct teller *teller, const struct value *row, struct buffer *out)
{
	(void)teller;
	buffer_add_format(out, "INCIDENT, %s: ", value_get_string(row, "severity"));
	add_sentence(out, value_get_string(row, "text"));
}

static void
tell_delivery(struct teller *teller, const struct value *row, struct buffer *out)
{
	(void)teller;
	if (strcmp(value_get_string(row, "state"), "dead") != 0)
		return;
	buffer_add_text(out, "Nobody was reached by ");
	story_name(out, value_get_string(row, "channel"));
	buffer_add_text(out, " ");
	story_name(out, value_get_string(row, "target"));
	buffer_add_format(out, " (%s); it was given up.", value_get_string(row, "kind"));
}

static void
tell_quarantine(struct teller *teller, const struct value *row, struct buffer *out)
{
	(void)teller;
	buffer_add_format(out, "A message about it could not be taken (%s): ", value_get_string(row, "code"));
	add_sentence(out, value_get_string(row, "text"));
}

/* ------------------------------------------------------------------ in the order of time */

/* Of what has one time, the earlier row comes first. */
static const struct {
	const char *section;
	void (*tell)(struct teller *teller, const struct value *row, struct buffer *out);
} kinds[] = {{"decisions", tell_decision},  {"approval", tell_approval},    {"responses", story_answer},
	     {"authorizations", tell_word}, {"outcomes", tell_outcome},	    {"incidents", tell_incident},
	     {"deliveries", tell_delivery}, {"quarantine", tell_quarantine}};

struct moment {
	const char *at;
	size_t number; /* of equal times */
	void (*tell)(struct teller *teller, const struct value *row, struct buffer *out);
	const struct value *row;
	int step; /* or: the step with this number; or -1 - the demand that was added */
};

static int
compare(const void *left, const void *right)
{
	const struct moment *a = left, *b = right;
	int order = strcmp(a->at, b->at);

	return order ? order : (a->number > b->number) - (a->number < b->number);
}

static bool
is_added_first(const struct stages *stages, unsigned demand)
{
	for (unsigned i = 0; i < demand; i++)
		if (stages->added_at[i] && !strcmp(stages->added_at[i], stages->added_at[demand]))
			return false;
	return stages->added_at[demand] != NULL;
}

static size_t
add_stages(struct moment *moments, size_t count, const struct stages *stages)
{
	for (unsigned i = 0; i < stages->approval.step_count; i++)
		if (stages->approval.steps[i].stage < APPROVAL_STAGES_MAX)
			moments[count++] =
			    (struct moment){.at = stages->step_at[i], .number = 1000 + i, .step = (int)i};
	for (unsigned i = 0; i < stages->approval.demand_count; i++)
		if (is_added_first(stages, i))
			moments[count++] =
			    (struct moment){.at = stages->added_at[i], .number = 3900000, .step = -1 - (int)i};
	return count;
}

static size_t
collect(const struct teller *teller, struct moment *moments)
{
	size_t count = 0;

	moments[count++] = (struct moment){.at = value_get_string(teller->request, "received_at"),
					   .tell = tell_request,
					   .row = teller->request};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		const struct value *list = value_get(teller->whole, kinds[i].section);
		for (size_t j = 0; list && j < list->as.list.count; j++) {
			const struct value *row = list->as.list.items[j];
			const char *at = value_get_string(
			    row, strcmp(kinds[i].section, "approval") != 0 ? "at" : "opened_at");
			bool again = kinds[i].tell == tell_decision && j > 0
				     && !opens(teller, row); /* after the vote that caused it */
			size_t number = again ? 3500000 + j : (i + 1) * 1000000 + j;
			if (at)
				moments[count++] = (struct moment){
				    .at = at, .number = number, .tell = kinds[i].tell, .row = row};
		}
	}
	return teller->stages ? add_stages(moments, count, teller->stages) : count;
}

static void
tell_moment(struct teller *teller, const struct moment *moment, struct buffer *out)
{
	if (moment->tell)
		moment->tell(teller, moment->row, out);
	else if (moment->step >= 0)
		stages_step(out, teller->stages, (unsigned)moment->step);
	else {
		buffer_add_text(out, "Asked as well: ");
		stages_asked(out, teller->stages, moment->at);
		buffer_add_text(out, ".");
	}
}

struct value *
story_tell(struct cli *cli, const char *request_id, const struct value *whole, struct error *error)
{
	struct teller teller = {.cli = cli, .whole = whole, .request = value_get(whole, "request")};
	struct value *story = value_list(cli->arena);
	size_t room = 1 + APPROVAL_STEPS_MAX + APPROVAL_DEMANDS_MAX, count;
	struct moment *moments;

	if (!stages_read(cli, request_id, &teller.stages, error))
		return NULL;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (value_get(whole, kinds[i].section))
			room += value_get(whole, kinds[i].section)->as.list.count;
	moments = arena_take_array(cli->arena, room, sizeof *moments);
	count = collect(&teller, moments);
	assert(count <= room);
	qsort(moments, count, sizeof *moments, compare);
	for (size_t i = 0; i < count; i++) {
		struct buffer text = {.arena = cli->arena};
		struct value *line = value_map(cli->arena);

		tell_moment(&teller, &moments[i], &text);
		if (!text.length)
			continue;
		value_set_string(cli->arena, line, "at", moments[i].at);
		value_set_string(cli->arena, line, "text", text.bytes);
		value_append(cli->arena, story, line);
	}
	return story;
}
