/* SPDX-License-Identifier: Apache-2.0 */
/* test_card.c - the body that is sent, and that nothing an agent writes can look like a line of ours. */
#include "services/notifier/card.h"
#include "common/visible/visible.h"

#include "common/message/json.h"

#include <stdio.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define SECOND INT64_C(1000000)

static struct arena *arena;

static int
open_arena(void **state)
{
	(void)state;
	arena = arena_open();
	return 0;
}

static int
close_arena(void **state)
{
	(void)state;
	arena_close(arena);
	return 0;
}

static struct value *
json(const char *text)
{
	struct error error = {0};
	struct value *value = json_parse(arena, text, strlen(text), &json_limits_event, &error);

	if (!value)
		fail_msg("%s: %s", error.text, text);
	return value;
}

static void
set_context(struct card *card, const char *text)
{
	card->context_text = text;
	card->context = json(text);
}

static struct card
usual(void)
{
	static const struct notice_need needs[] = {{.profile = "release",
						    .group = "release-managers",
						    .quorum = 2,
						    .votes = 1,
						    .stage = 1,
						    .all = true,
						    .asked = true}};
	static const struct authorization_response responses[] = {
	    {.responder = "alice", .verdict = "approve", .reason = "reviewed", .at = 1790000060 * SECOND}};
	static const char *const rules[] = {"prod"};
	struct card card = {
	    .approval_id = "5ded1542-6d11-5f73-ae49-eada00e323e7",
	    .tenant = "default",
	    .request_id = "r-1",
	    .request_digest = "sha-256:00",
	    .agent_id = "agent",
	    .action = "deployment.production",
	    .target = "customer-api",
	    .reason = "a fix",
	    .why = "Production.",
	    .rules = rules,
	    .rule_count = 1,
	    .needs = needs,
	    .need_count = 1,
	    .responses = responses,
	    .response_count = 1,
	    .opened_at = 1790000000 * SECOND,
	    .deadline = 1790003600 * SECOND,
	};

	set_context(&card, "{\"risk\":\"high\"}");
	return card;
}

static const struct value *
format(const struct card *card, enum card_event event)
{
	struct error error = {0};
	struct buffer out;

	if (!card_format(arena, card, event, "11111111-2222-5333-8444-555555555555", &out, &error))
		fail_msg("%s", error.text);
	assert_true(out.length <= CARD_MAX);
	return json(out.bytes);
}

/* ------------------------------------------------------------------ bodies */

static void
without_a_deadline_there_is_none_to_answer_before(void **state)
{
	struct card card = usual();
	const char *text;

	(void)state;
	card.deadline = 0;
	text = value_get_string(value_get(format(&card, CARD_OPENED), "data"), "text");
	assert_non_null(strstr(text, "\nDeadline: none\n"));
	assert_null(strstr(text, "Answer before"));
}

static void
the_body_is_this_to_the_byte(void **state)
{
	struct card card = usual();
	struct error error = {0};
	struct buffer out;

	(void)state;
	assert_true(
	    card_format(arena, &card, CARD_CHANGED, "11111111-2222-5333-8444-555555555555", &out, &error));
	assert_string_equal(
	    out.bytes,
	    "{\"data\":{\"action\":\"deployment.production\",\"agent_id\":\"agent\","
	    "\"approval_deadline\":\"2026-09-21T15:13:20.000000Z\","
	    "\"approval_id\":\"5ded1542-6d11-5f73-ae49-eada00e323e7\",\"context\":{\"risk\":\"high\"},"
	    "\"delivery_id\":\"11111111-2222-5333-8444-555555555555\","
	    "\"needs\":[{\"group\":\"release-managers\",\"of\":\"all\",\"profile\":\"release\",\"quorum\":2,"
	    "\"stage\":1,\"votes\":1}],"
	    "\"opened_at\":\"2026-09-21T14:13:20.000000Z\",\"reason\":\"a "
	    "fix\",\"request_digest\":\"sha-256:00\","
	    "\"request_id\":\"r-1\",\"responses\":[{\"at\":\"2026-09-21T14:14:20.000000Z\",\"reason\":"
	    "\"reviewed\","
	    "\"responder\":\"alice\",\"verdict\":\"approve\"}],\"rules\":[\"prod\"],\"state\":\"CHANGED\","
	    "\"target\":\"customer-api\",\"tenant\":\"default\",\"text\":\""
	    "Answered, and still open: agent \\\"agent\\\" wants \\\"deployment.production\\\" on "
	    "\\\"customer-api\\\"\\n"
	    "Why you are asked: \\\"Production.\\\"\\nContext:\\n  \\\"risk\\\": \\\"high\\\"\\n"
	    "The agent's reason: \\\"a fix\\\"\\nIdentity: not verified, the agent's name is a "
	    "claim\\nNeeds 2 of group \\\"release-managers\\\", has 1\\n"
	    "Approved by \\\"alice\\\": \\\"reviewed\\\"\\nAnswer before: 2026-09-21T15:13:20Z\\n"
	    "Tenant: \\\"default\\\"\\nRequest: \\\"r-1\\\"\\nDigest: sha-256:00\\n"
	    "Approval: 5ded1542-6d11-5f73-ae49-eada00e323e7\\n\",\"why\":\"Production.\"},"
	    "\"timestamp\":\"2026-09-21T14:14:20.000000Z\",\"type\":\"approval.changed\"}");
}

static void
each_event_has_its_type_state_and_time(void **state)
{
	struct card card = usual();
	const struct value *body, *data;

	(void)state;
	card.response_count = 0;
	body = format(&card, CARD_OPENED);
	assert_string_equal(value_get_string(body, "type"), "approval.opened");
	assert_string_equal(value_get_string(body, "timestamp"), "2026-09-21T14:13:20.000000Z");
	assert_string_equal(value_get_string(value_get(body, "data"), "state"), "OPEN");
	assert_null(value_get(value_get(body, "data"), "result"));
	card.result = "GRANTED";
	card.closed_at = 1790000099 * SECOND;
	body = format(&card, CARD_CLOSED);
	data = value_get(body, "data");
	assert_string_equal(value_get_string(body, "timestamp"), "2026-09-21T14:14:59.000000Z");
	assert_string_equal(value_get_string(data, "state"), "CLOSED");
	assert_string_equal(value_get_string(data, "result"), "GRANTED");
	assert_int_equal(strncmp(value_get_string(data, "text"), "Closed, GRANTED: agent", 22), 0);
	data = value_get(format(&card, CARD_OPENED), "data");
	assert_int_equal(
	    strncmp(value_get_string(data, "text"), "Approval was asked for and is closed, GRANTED", 45), 0);
}

/* ------------------------------------------------------------------ size */

static const char *
context_of(size_t bytes)
{
	struct buffer text = {.arena = arena};

	buffer_add_text(&text, "{\"plan\":\"");
	while (text.length < bytes - 2)
		buffer_add_byte(&text, 'x');
	buffer_add_text(&text, "\"}");
	return text.bytes;
}

static void
what_fits_in_the_body_but_not_in_the_text_too_is_left_out_of_the_text(void **state)
{
	struct card card = usual();
	const struct value *data;

	(void)state;
	set_context(&card, context_of(12000));
	data = value_get(format(&card, CARD_OPENED), "data");
	assert_true(value_equal(value_get(data, "context"), card.context));
	assert_null(value_get(data, "cut"));
	assert_non_null(
	    strstr(value_get_string(data, "text"),
		   arena_format(arena, "Context: 12000 bytes are too much for this text and not shown, %s\n",
				card_digest(arena, card.context_text))));
}

static void
a_context_that_is_too_large_is_replaced_by_its_size_and_digest(void **state)
{
	struct card card = usual();
	const struct value *data, *context;

	(void)state;
	set_context(&card, context_of(60000));
	data = value_get(format(&card, CARD_OPENED), "data");
	context = value_get(data, "context");
	assert_int_equal(value_get(context, "cut_bytes")->as.integer, 60000);
	assert_string_equal(value_get_string(context, "digest"), card_digest(arena, card.context_text));
	assert_true(value_equal(value_get(data, "cut"), json("[\"context\"]")));
}

static void
what_would_run_is_kept_when_the_context_alone_is_too_large(void **state)
{
	struct card card = usual();
	const struct value *data;

	(void)state;
	set_context(&card, context_of(30000));
	card.execution_text = "{\"argv\":[\"rm\",\"-rf\"]}";
	card.execution = json(card.execution_text);
	data = value_get(format(&card, CARD_OPENED), "data");
	assert_true(value_equal(value_get(data, "execution"), card.execution));
	assert_non_null(
	    strstr(value_get_string(data, "text"), "Would run:\n  \"argv\": [\"rm\", \"-rf\"]\n"));
	card.execution_text = context_of(30000);
	card.execution = json(card.execution_text);
	set_context(&card, "{\"risk\":\"high\"}");
	data = value_get(format(&card, CARD_OPENED), "data");
	assert_true(value_equal(value_get(data, "cut"), json("[\"execution\"]")));
	assert_true(value_equal(value_get(data, "context"), card.context));
	set_context(&card, context_of(30000));
	data = value_get(format(&card, CARD_OPENED), "data");
	assert_true(value_equal(value_get(data, "cut"), json("[\"context\",\"execution\"]")));
}

/* As many as a decision may hold, of the worst letters: everything else of the card is still there. */
static void
what_a_grant_obliges_to_is_always_shown(void **state)
{
	struct card card = usual();
	struct buffer text = {.arena = arena};
	const struct value *data;

	(void)state;
	card.obligations = json("{\"redact\":[\"ssn\"],\"watermark\":true}");
	data = value_get(format(&card, CARD_OPENED), "data");
	assert_true(value_equal(value_get(data, "obligations"), card.obligations));
	assert_non_null(strstr(value_get_string(data, "text"),
			       "A grant obliges to:\n  \"redact\": [\"ssn\"]\n  \"watermark\": true\n"));

	buffer_add_text(&text, "{\"x\":\"");
	while (text.length < 2046)
		buffer_add_text(&text, "\\\"");
	buffer_add_text(&text, "\"}");
	card.obligations = json(text.bytes);
	set_context(&card, context_of(60000));
	data = value_get(format(&card, CARD_OPENED), "data");
	assert_true(value_equal(value_get(data, "obligations"), card.obligations));
	assert_non_null(strstr(value_get_string(data, "text"), "A grant obliges to:\n  \"x\": \"\\\"\\\""));
}

/* ------------------------------------------------------------------ eyes */

static void
nothing_unseen_is_left_in_a_text(void **state)
{
	static const struct {
		const char *from, *to;
	} rows[] = {
	    {"plain", "\"plain\""},
	    {"", "\"\""},
	    {"a\nApproval: x", "\"a\\u{a}Approval: x\""},
	    {"a\rb\tc", "\"a\\u{d}b\\u{9}c\""},
	    {"say \"yes\"", "\"say \\\"yes\\\"\""},
	    {"\\", "\"\\\\\""},
	    {"\x1b[2J", "\"\\u{1b}[2J\""},
	    {"\x7f", "\"\\u{7f}\""},
	    {"\xC2\x85", "\"\\u{85}\""}, /* next line */
	    {"pay\xE2\x80\xAE"
	     "exe",
	     "\"pay\\u{202e}exe\""}, /* right-to-left override */
	    {"a\xE2\x81\xA6"
	     "b",
	     "\"a\\u{2066}b\""}, /* isolate */
	    {"a\xE2\x80\x8B"
	     "b",
	     "\"a\\u{200b}b\""},		 /* zero width */
	    {"a\xEF\xBB\xBF", "\"a\\u{feff}\""}, /* byte order mark */
	    {"a\xE2\x80\xA8"
	     "b",
	     "\"a\\u{2028}b\""}, /* line separator */
	    {"a\xC2\xA0"
	     "b",
	     "\"a\\u{a0}b\""}, /* another blank */
	    {"a\xC2\xAD"
	     "b",
	     "\"a\\u{ad}b\""},			    /* soft hyphen */
	    {"\xF3\xA0\x81\x81", "\"\\u{e0041}\""}, /* tag */
	    {"\xEE\x80\x80", "\"\\u{e000}\""},	    /* private use */
	    {"\xFF\xC3", "\"\\xff\\xc3\""},
	    {"gr\xC3\xBC\xC3\x9F", "\"gr\xC3\xBC\xC3\x9F\""},
	    {"\xE2\x86\x92 \xF0\x9F\x9A\x80", "\"\xE2\x86\x92 \xF0\x9F\x9A\x80\""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct buffer out = {.arena = arena};

		visible_quote(&out, rows[i].from, strlen(rows[i].from));
		assert_string_equal(out.bytes, rows[i].to);
	}
}

static void
values_are_shown_as_they_are(void **state)
{
	struct buffer out = {.arena = arena};

	(void)state;
	visible_value(&out, json("{\"a\\n\":[1,-2.5,true,null,{}],\"b\":{\"c\":\"\\u202e\",\"d\":1e21}}"));
	assert_string_equal(
	    out.bytes,
	    "{\"a\\u{a}\": [1, -2.5, true, null, {}], \"b\": {\"c\": \"\\u{202e}\", \"d\": 1e+21}}");
}

static void
who_signed_the_request_is_shown(void **state)
{
	struct card card = usual();
	const struct value *data;

	(void)state;
	card.signed_by_kid = "the-kid";
	card.signed_by_owner = "trea\"surer";
	data = value_get(format(&card, CARD_OPENED), "data");
	assert_string_equal(value_get_string(value_get(data, "signed_by"), "owner"), "trea\"surer");
	assert_string_equal(value_get_string(value_get(data, "signed_by"), "kid"), "the-kid");
	assert_non_null(strstr(value_get_string(data, "text"),
			       "\nIdentity: verified, signed by a key of: \"trea\\\"surer\"\n"));
}

static void
a_revocation_says_so_first_and_who_did_what_has_its_word(void **state)
{
	static const struct authorization_response answers[] = {
	    {.responder = "a", .verdict = "approve"},
	    {.responder = "b", .verdict = "deny"},
	    {.responder = "c", .verdict = "recuse"},
	    {.responder = "d", .verdict = "comment", .reason = "hm"},
	    {.responder = "e", .verdict = "extend"},
	    {.responder = "f", .verdict = "withdraw"},
	    {.responder = "g", .verdict = "revoke", .reason = "no"}};
	struct card card = usual();
	const struct value *body, *data;
	const char *text;

	(void)state;
	card.responses = answers;
	card.response_count = sizeof answers / sizeof *answers;
	card.result = "REVOKED";
	card.closed_at = 1790000099 * SECOND;
	card.revoked_at = 1790000100 * SECOND;
	body = format(&card, CARD_REVOKED);
	data = value_get(body, "data");
	text = value_get_string(data, "text");
	assert_string_equal(value_get_string(body, "type"), "approval.revoked");
	assert_string_equal(value_get_string(body, "timestamp"), "2026-09-21T14:15:00.000000Z");
	assert_string_equal(value_get_string(data, "revoked_at"), "2026-09-21T14:15:00.000000Z");
	assert_string_equal(value_get_string(data, "closed_at"), "2026-09-21T14:14:59.000000Z");
	assert_int_equal(strncmp(text, "Revoked, it may not be executed any more: agent", 47), 0);
	assert_non_null(strstr(text, "\nApproved by \"a\"\nDenied by \"b\"\nStepped aside: \"c\"\n"
				     "Remark of \"d\": \"hm\"\nExtended by \"e\"\nWithdrawn by \"f\"\n"
				     "Revoked by \"g\": \"no\"\n"));
}

static void
an_override_names_who_and_that_it_waits_for_review(void **state)
{
	static const struct authorization_response answers[] = {
	    {.responder = "o", .verdict = "override", .reason = "now"},
	    {.responder = "a", .verdict = "review", .reason = "fine"}};
	struct card card = usual();
	const struct value *body, *data;
	const char *text;

	(void)state;
	card.responses = answers;
	card.response_count = 1;
	card.result = "GRANTED";
	card.closed_at = 1790000099 * SECOND;
	card.overridden_by = "o";
	body = format(&card, CARD_OVERRIDDEN);
	data = value_get(body, "data");
	text = value_get_string(data, "text");
	assert_string_equal(value_get_string(body, "type"), "approval.overridden");
	assert_string_equal(value_get_string(body, "timestamp"), "2026-09-21T14:14:59.000000Z");
	assert_string_equal(value_get_string(data, "overridden_by"), "o");
	assert_int_equal(strncmp(text, "Overridden, one person let it through", 37), 0);
	assert_non_null(strstr(text, "\nOverridden by: \"o\"\nReview: open"));
	assert_non_null(strstr(text, "\nOverridden by \"o\": \"now\"\n"));
	card.response_count = 2;
	card.reviewed_by = "a";
	text = value_get_string(value_get(format(&card, CARD_CLOSED), "data"), "text");
	assert_null(strstr(text, "Review: open"));
	assert_non_null(strstr(text, "\nReviewed by: \"a\"\n"));
	assert_non_null(strstr(text, "\nReviewed by \"a\": \"fine\"\n"));
}

static void
an_outcome_is_told_as_it_was_reported(void **state)
{
	const struct card_outcome failed = {.outcome_id = "o-1",
					    .status = "failed",
					    .judgement = "authorized",
					    .reported_by = "de\"ployer",
					    .code = "timeout",
					    .detail = "no\nanswer",
					    .at = 1790000200 * SECOND};
	static const char begins[] =
	    "Reported as failed: agent \"agent\" wants \"deployment.production\" on \"customer-api\"\n"
	    "Reported by: \"de\\\"ployer\"\nCode: \"timeout\"\nDetail: \"no\\";
	struct card_outcome twice = failed;
	struct card card = usual();
	const struct value *body, *data;

	(void)state;
	card.result = "GRANTED";
	card.outcome = &failed;
	body = format(&card, CARD_OUTCOME);
	data = value_get(body, "data");
	assert_string_equal(value_get_string(body, "type"), "approval.outcome");
	assert_string_equal(value_get_string(body, "timestamp"), "2026-09-21T14:16:40.000000Z");
	assert_string_equal(value_get_string(value_get(data, "outcome"), "detail"), "no\nanswer");
	assert_string_equal(value_get_string(value_get(data, "outcome"), "status"), "failed");
	assert_int_equal(strncmp(value_get_string(data, "text"), begins, sizeof begins - 1), 0);
	assert_null(strstr(value_get_string(data, "text"), "must not have happened"));
	twice.status = "rolled_back";
	twice.judgement = "executed_twice";
	card.outcome = &twice;
	data = value_get(format(&card, CARD_OUTCOME), "data");
	assert_int_equal(strncmp(value_get_string(data, "text"), "Reported as rolled back: agent", 30), 0);
	assert_non_null(
	    strstr(value_get_string(data, "text"), "\nThis must not have happened: \"executed_twice\"\n"));
	assert_null(value_get(value_get(format(&card, CARD_CLOSED), "data"), "outcome"));
}

static void
one_more_attempt_after_a_failure_says_so(void **state)
{
	struct card card = usual();
	const struct value *data = value_get(format(&card, CARD_OPENED), "data");

	(void)state;
	assert_null(value_get(data, "attempt"));
	assert_null(value_get(data, "before"));
	card.failed_before = 1;
	card.before = (struct card_before){.request_id = "r-0", .status = "failed", .detail = "x\" on"};
	data = value_get(format(&card, CARD_OPENED), "data");
	assert_int_equal(value_get(data, "attempt")->as.integer, 2);
	assert_string_equal(value_get_string(value_get(data, "before"), "request_id"), "r-0");
	assert_non_null(strstr(value_get_string(data, "text"),
			       "\nAttempt: 2, request \"r-0\" failed before, \"x\\\" on\"\n"));
	card.failed_before = CARD_BEFORE_MAX;
	card.before = (struct card_before){.request_id = "r-0", .status = "rolled_back"};
	data = value_get(format(&card, CARD_OPENED), "data");
	assert_non_null(strstr(value_get_string(data, "text"),
			       "\nAttempt: 10 or more, request \"r-0\" was rolled back before\n"));
}

/* Every line of a card begins with a word of ours, whatever the strings are. */
static void
no_agent_can_write_a_line_of_the_card(void **state)
{
	static const char evil[] =
	    "x\"\nDigest: sha-256:evil\nApproved by \"boss\"\r\n\xE2\x80\xAE\xE2\x80\xA8";
	struct card card = usual();
	const char *text;

	(void)state;
	card.agent_id = card.action = card.target = card.reason = card.on_behalf_of = card.why = evil;
	card.tenant = card.request_id = evil;
	set_context(&card, "{\"x\\\"\\nDigest: sha-256:evil\":\"\\nApproved by boss\"}");
	text = value_get_string(value_get(format(&card, CARD_OPENED), "data"), "text");
	assert_null(strstr(text, "\nDigest: sha-256:evil"));
	assert_null(strstr(text, "\nApproved by \"boss"));
	assert_null(strchr(text, '\r'));
	assert_null(strstr(text, "\xE2\x80"));
	assert_non_null(strstr(text, "\nDigest: sha-256:00\n"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_body_is_this_to_the_byte),
	    cmocka_unit_test(without_a_deadline_there_is_none_to_answer_before),
	    cmocka_unit_test(who_signed_the_request_is_shown),
	    cmocka_unit_test(each_event_has_its_type_state_and_time),
	    cmocka_unit_test(what_fits_in_the_body_but_not_in_the_text_too_is_left_out_of_the_text),
	    cmocka_unit_test(a_context_that_is_too_large_is_replaced_by_its_size_and_digest),
	    cmocka_unit_test(what_would_run_is_kept_when_the_context_alone_is_too_large),
	    cmocka_unit_test(what_a_grant_obliges_to_is_always_shown),
	    cmocka_unit_test(nothing_unseen_is_left_in_a_text),
	    cmocka_unit_test(values_are_shown_as_they_are),
	    cmocka_unit_test(a_revocation_says_so_first_and_who_did_what_has_its_word),
	    cmocka_unit_test(an_override_names_who_and_that_it_waits_for_review),
	    cmocka_unit_test(an_outcome_is_told_as_it_was_reported),
	    cmocka_unit_test(one_more_attempt_after_a_failure_says_so),
	    cmocka_unit_test(no_agent_can_write_a_line_of_the_card),
	};

	return cmocka_run_group_tests(tests, open_arena, close_arena);
}
