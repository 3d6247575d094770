/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_card.c - a request's card for people's eyes. It fits, every line of its text begins with a word of ours, and nothing in
 * it is unseen or begins a new line; the input as it is, made visible, is one line too.
 */
#include "common/visible/characters.h"
#include "common/message/json.h"
#include "common/message/request.h"
#include "services/notifier/card.h"
#include "common/visible/visible.h"
#include "tests/fuzz/fuzz.h"

static void
check_seen(struct text text)
{
	uint32_t point;

	for (size_t at = 0, step; at < text.length; at += step) {
		step = value_utf8_decode(text.bytes + at, text.length - at, &point);
		assert(step && !character_is_control(point) && !character_disguises(point));
	}
}

static void
check_text(const char *bytes)
{
	static const char *const starts[] = {"Approval needed: agent ",
					     "Answered, and still open: agent ",
					     "Still waiting for approval: agent ",
					     "Closed, GRANTED: agent ",
					     "Approval was asked for and is closed, GRANTED: agent ",
					     "Why you are asked: ",
					     "Would run:",
					     "Context:",
					     "  \"",
					     "The agent's reason: ",
					     "On behalf of, says the agent: ",
					     "Identity: not verified, the agent's name is a claim",
					     "Identity: verified, signed by a key of: ",
					     "Needs ",
					     "Stage ",
					     "Approved by ",
					     "Denied by ",
					     "Attempt: ",
					     "Reported as failed: agent ",
					     "This must not have happened: ",
					     "Reported by: ",
					     "Code: ",
					     "Detail: ",
					     "Withdrawn by ",
					     "Revoked by ",
					     "Revoked, it may not be executed any more: agent ",
					     "Left out: ",
					     "Answer before: ",
					     "Was open until: ",
					     "Tenant: ",
					     "Request: ",
					     "Digest: ",
					     "Approval: "};
	struct text rest = {bytes, strlen(bytes)};

	while (rest.length) {
		struct text line = fuzz_split(&rest, '\n');
		bool known = false;

		check_seen(line);
		for (size_t i = 0; i < COUNT_OF(starts); i++)
			known = known || strncmp(line.bytes, starts[i], strlen(starts[i])) == 0;
		assert(known);
	}
}

static void
check_card(struct arena *arena, const struct card *card, enum card_event event)
{
	struct buffer out;
	struct error error = {0};
	bool ok = card_format(arena, card, event, "11111111-2222-5333-8444-555555555555", &out, &error);

	assert(ok && out.length <= CARD_MAX);

	const struct value *body = json_parse(arena, out.bytes, out.length, &json_limits_event, &error);
	const char *text = value_get_string(value_get(body, "data"), "text");

	assert(body && text);
	check_text(text);
	assert(fuzz_equal(value_get_string(value_get(body, "data"), "request_digest"), card->request_digest));
}

static void
check_request(struct arena *arena, const struct request *request)
{
	static const struct notice_need needs[] = {
	    {.profile = "release",
	     .group = "release-managers",
	     .quorum = 2,
	     .votes = 1,
	     .stage = 1,
	     .all = true,
	     .asked = true},
	    {.profile = "release", .group = "directors", .quorum = 1, .stage = 2, .escalated = true}};
	static const char *const rules[] = {"prod"};
	const struct authorization_response responses[] = {{.responder = request->agent_id,
							    .verdict = "approve",
							    .reason = request->reason,
							    .at = 1790000060000000}};
	struct card card = {.approval_id = "5ded1542-6d11-5f73-ae49-eada00e323e7",
			    .tenant = request->tenant,
			    .request_id = request->request_id,
			    .request_digest = request->digest_text,
			    .agent_id = request->agent_id,
			    .action = request->action,
			    .target = request->target,
			    .context = request->context,
			    .context_text = request->context_json,
			    .execution = request->execution,
			    .execution_text = request->execution_json,
			    .reason = request->reason,
			    .on_behalf_of = request->on_behalf_of,
			    .why = "Production.",
			    .rules = rules,
			    .rule_count = 1,
			    .needs = needs,
			    .need_count = request->reason ? COUNT_OF(needs) : 1,
			    .opened_at = 1790000000000000,
			    .deadline = 1790003600000000};

	check_card(arena, &card, CARD_OPENED);
	card.responses = responses;
	card.response_count = 1;
	check_card(arena, &card, CARD_CHANGED);
	card.result = "GRANTED";
	card.closed_at = card.deadline;
	check_card(arena, &card, CARD_CLOSED);
	card.failed_before = request->reason ? 1 : CARD_BEFORE_MAX;
	card.before =
	    (struct card_before){request->request_id, "failed", request->on_behalf_of, request->reason};
	card.outcome = &(struct card_outcome){.outcome_id = request->request_id,
					      .status = "failed",
					      .judgement = request->reason ? "authorized" : "executed_twice",
					      .reported_by = request->agent_id,
					      .code = request->on_behalf_of,
					      .detail = request->reason,
					      .at = card.deadline};
	check_card(arena, &card, CARD_OUTCOME);
}

int
FUZZ_TARGET(card)(const uint8_t *bytes, size_t length)
{
	struct arena *arena = arena_open();
	struct fuzz_record *input = fuzz_record(arena, bytes, length);
	struct buffer out = {.arena = arena};
	struct error error = {0};
	struct request request;

	visible_add(&out, (const char *)bytes, length);
	check_seen((struct text){out.bytes, out.length});
	if (request_parse(arena, &input->record, &request, &error))
		check_request(arena, &request);
	arena_close(arena);
	return 0;
}
