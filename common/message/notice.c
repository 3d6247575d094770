/* SPDX-License-Identifier: Apache-2.0 */
/* notice.c - a card's worth of an approval as an event. */
#include "common/message/notice.h"
#include "common/message/body.h"

#include <assert.h>
#include <string.h>

/* How a state ends the event's type. */
static const char *
type_of(const char *state)
{
	if (strcmp(state, "OPEN") == 0)
		return "countersign.approval.opened.v1";
	if (strcmp(state, "CLOSED") == 0)
		return "countersign.approval.closed.v1";
	assert(strcmp(state, "CHANGED") == 0);
	return "countersign.approval.changed.v1";
}

static struct value *
request_of(struct arena *arena, const struct notice *notice)
{
	struct value *request = value_map(arena);

	value_set_string(arena, request, "agent_id", notice->agent_id);
	value_set_string(arena, request, "action", notice->action);
	value_set_string(arena, request, "target", notice->target);
	value_set(arena, request, "context", (struct value *)notice->context);
	if (notice->execution)
		value_set(arena, request, "execution", (struct value *)notice->execution);
	value_set_string(arena, request, "on_behalf_of", notice->on_behalf_of);
	value_set_string(arena, request, "reason", notice->request_reason);
	body_set_signed_by(arena, request, notice->signed_by_kid, notice->signed_by_owner);
	return request;
}

static struct value *
needs_of(struct arena *arena, const struct notice *notice)
{
	struct value *needs = value_list(arena);

	for (size_t i = 0; i < notice->need_count; i++) {
		struct value *need = value_map(arena);

		value_set_string(arena, need, "policy", notice->needs[i].policy);
		value_set_string(arena, need, "profile", notice->needs[i].profile);
		value_set_string(arena, need, "group", notice->needs[i].group);
		value_set(arena, need, "quorum", value_int(arena, notice->needs[i].quorum));
		value_set(arena, need, "votes", value_int(arena, notice->needs[i].votes));
		value_set(arena, need, "stage", value_int(arena, notice->needs[i].stage));
		value_set_string(arena, need, "of", notice->needs[i].all ? "all" : "any");
		value_set(arena, need, "open", value_bool(arena, notice->needs[i].open));
		if (notice->needs[i].distinct)
			value_set(arena, need, "distinct", value_bool(arena, true));
		if (notice->needs[i].fallback)
			value_set(arena, need, "fallback", value_bool(arena, true));
		if (notice->needs[i].escalated)
			value_set(arena, need, "escalated", value_bool(arena, true));
		value_append(arena, needs, need);
	}
	return needs;
}

static void
set_refused(struct arena *arena, struct value *body, const struct notice *notice)
{
	if (strcmp(notice->cause, "response_refused") != 0)
		return;

	struct value *refused = value_map(arena);

	value_set_string(arena, refused, "response_id", notice->refused_response_id);
	value_set_string(arena, refused, "responder", notice->refused_responder);
	value_set_string(arena, refused, "code", notice->refused_code);
	value_set(arena, body, "refused", refused);
}

static void
set_hold(struct arena *arena, struct value *body, const struct notice *notice)
{
	struct value *hold;

	if (!notice->hold_id)
		return;
	hold = value_map(arena);
	value_set(arena, hold, "id", value_int(arena, notice->hold_id));
	value_set_string(arena, hold, "reason", notice->hold_reason);
	value_set(arena, body, "hold", hold);
}

static struct value *
body_of(struct arena *arena, const struct notice *notice, const struct id *event_id)
{
	struct value *body = value_map(arena);

	value_set_string(arena, body, "event_id", event_id->text);
	value_set_string(arena, body, "approval_id", notice->approval_id);
	value_set_string(arena, body, "request_id", notice->request_id);
	value_set_string(arena, body, "tenant", notice->tenant);
	value_set_string(arena, body, "state", notice->state);
	value_set_string(arena, body, "cause", notice->cause);
	value_set(arena, body, "request", request_of(arena, notice));
	value_set_string(arena, body, "request_digest", notice->digest_text);
	value_set(arena, body, "needs", needs_of(arena, notice));
	body_set_strings(arena, body, "rules", notice->rules, notice->rule_count);
	value_set_string(arena, body, "explanation_digest", notice->explanation_digest);
	value_set_string(arena, body, "reason", notice->reason_text);
	if (notice->obligations)
		value_set(arena, body, "obligations", (struct value *)(uintptr_t)notice->obligations);
	body_set_time(arena, body, "opened_at", notice->opened_at);
	body_set_time_or_null(arena, body, "approval_deadline", notice->approval_deadline);
	if (strcmp(notice->state, "OPEN") == 0)
		body_set_ahead(arena, body, notice->ahead, notice->ahead_count);
	body_set_responses(arena, body, notice->responses, notice->response_count);
	value_set_string(arena, body, "overridden_by", notice->overridden_by);
	value_set_string(arena, body, "reviewed_by", notice->reviewed_by);
	value_set_string(arena, body, "result", notice->result);
	set_hold(arena, body, notice);
	set_refused(arena, body, notice);
	return body;
}

bool
notice_event(struct arena *arena, const struct notice *notice, struct event *event, struct error *error)
{
	assert(notice->tenant && notice->request_id && notice->key && notice->approval_id && notice->cause);
	assert(notice->context && notice->digest_text);

	struct id event_id = id_event(notice->tenant, notice->request_id, "approval", notice->n);
	struct event_parts parts = {
	    .event_id = event_id,
	    .chain = notice->chain,
	    .topic = TOPIC_APPROVALS,
	    .key = notice->key,
	    .type = type_of(notice->state),
	    .subject = notice->request_id,
	    .source = notice->source,
	    .traceparent = notice->traceparent,
	    .sign_with = notice->sign_with,
	    .sign_typ = NOTICE_TYP,
	    .time = notice->at,
	    .body = body_of(arena, notice, &event_id),
	};

	return event_make(arena, &parts, event, error);
}
