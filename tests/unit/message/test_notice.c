/* SPDX-License-Identifier: Apache-2.0 */
/* test_notice.c - what bots are told of an approval: opened, changed, a response refused, closed. */
#include "common/message/notice.h"
#include "tests/unit/message/event_test.h"

static const char *const rules[] = {"prod-deploy-risky"};
static const struct notice_need needs[] = {{.profile = "release",
					    .group = "release-managers",
					    .quorum = 2,
					    .votes = 1,
					    .stage = 1,
					    .all = true,
					    .distinct = true,
					    .open = true},
					   {.profile = "security",
					    .group = "security-oncall",
					    .quorum = 1,
					    .stage = 2,
					    .fallback = true,
					    .escalated = true}};
static const struct authorization_ahead ahead[] = {{"release-managers", 0}, {"security-oncall", 3}};
static const struct authorization_response responses[] = {
    {"alice@example.com", "approve", "Change CHG-1042 is on.", TEST_TIME}};

static struct notice
opened(struct arena *arena)
{
	struct value *context = value_map(arena), *execution = value_map(arena);

	value_set_string(arena, context, "change_risk", "high");
	value_set(arena, context, "tests_passed", value_bool(arena, true));
	value_set_string(arena, execution, "kind", "argv");
	value_set_string(arena, execution, "digest", TEST_DIGEST);
	value_set_string(arena, execution, "summary", "deploy customer-api");
	return (struct notice){
	    .approval_id = "0a7d1f6e-8f0c-5b1e-9a55-3f1f5d9e2b10",
	    .tenant = "acme",
	    .request_id = "r-1",
	    .key = "acme/r-1",
	    .chain = 1,
	    .state = "OPEN",
	    .cause = "opened",
	    .agent_id = "coding-agent-production",
	    .action = "deployment.production",
	    .target = "customer-api",
	    .context = context,
	    .execution = execution,
	    .request_reason = "Ship the fix.",
	    .on_behalf_of = "carol@example.com",
	    .digest_text = TEST_DIGEST,
	    .needs = needs,
	    .need_count = 2,
	    .rules = rules,
	    .rule_count = 1,
	    .reason_text = "High-risk production changes need a release manager.",
	    .opened_at = TEST_TIME,
	    .approval_deadline = TEST_TIME + INT64_C(7200000000),
	    .ahead = ahead,
	    .ahead_count = 2,
	    .at = TEST_TIME,
	    .traceparent = TEST_TRACE,
	    .source = "/countersign/evaluator",
	    .sign_with = key,
	};
}

static struct event
said(struct arena *arena, const struct notice *notice)
{
	struct event event;
	struct error error = {0};

	if (!notice_event(arena, notice, &event, &error))
		fail_msg("%s: %s", error.code, error.text);
	return event;
}

static void
what_a_grant_will_oblige_to_is_told_and_nothing_where_there_is_nothing(void **state)
{
	struct notice notice = opened(*state);
	struct value *obligations = value_map(*state);

	assert_null(strstr(said(*state, &notice).payload, "obligations"));
	value_set(*state, obligations, "watermark", value_bool(*state, true));
	notice.obligations = obligations;
	assert_non_null(strstr(said(*state, &notice).payload, "\"obligations\":{\"watermark\":true}"));
}

static void
who_signed_is_told_and_nothing_where_nobody_did(void **state)
{
	struct notice notice = opened(*state);

	assert_null(strstr(said(*state, &notice).payload, "signed_by"));
	notice.signed_by_kid = "the-kid";
	notice.signed_by_owner = "treasurer";
	assert_non_null(strstr(said(*state, &notice).payload,
			       "\"signed_by\":{\"kid\":\"the-kid\",\"owner\":\"treasurer\"}"));
}

static void
a_card_can_be_made_of_the_opening_alone(void **state)
{
	struct notice notice = opened(*state);
	struct event event = said(*state, &notice);

	assert_golden(*state, &event, "approval_opened");
	assert_string_equal(event.topic, "approvals");
	assert_string_equal(event.key, "acme/r-1");
	assert_string_equal(event.event_id.text, id_event("acme", "r-1", "approval", 0).text);
	assert_null(strstr(event.payload, "\"result\""));
}

static void
a_vote_changes_it(void **state)
{
	struct notice notice = opened(*state);

	notice.state = "CHANGED";
	notice.cause = "response";
	notice.n = 1;
	notice.responses = responses;
	notice.response_count = 1;
	notice.execution = NULL;
	notice.request_reason = notice.on_behalf_of = NULL;
	notice.approval_deadline = 0;

	struct event event = said(*state, &notice);

	assert_golden(*state, &event, "approval_changed");
	assert_string_equal(event.event_id.text, id_event("acme", "r-1", "approval", 1).text);
}

static void
a_refused_response_is_visible_with_its_code(void **state)
{
	struct notice notice = opened(*state);

	notice.state = "CHANGED";
	notice.cause = "response_refused";
	notice.n = 2;
	notice.refused_response_id = "resp-1";
	notice.refused_responder = "mallory@example.com";
	notice.refused_code = "not_a_member";

	struct event event = said(*state, &notice);

	assert_golden(*state, &event, "approval_response_refused");
}

static void
what_stands_in_the_way_of_a_grant_is_told(void **state)
{
	struct notice notice = opened(*state);

	notice.state = "CHANGED";
	notice.cause = "held";
	notice.hold_id = 7;
	notice.hold_reason = "Audit.";

	struct event event = said(*state, &notice);

	assert_non_null(strstr(event.payload, "\"hold\":{\"id\":7,\"reason\":\"Audit.\"}"));
	notice.hold_id = 0;
	event = said(*state, &notice);
	assert_null(strstr(event.payload, "\"hold\""));
}

static void
the_end_says_the_result(void **state)
{
	struct notice notice = opened(*state);

	notice.state = "CLOSED";
	notice.cause = "approved";
	notice.n = 3;
	notice.responses = responses;
	notice.response_count = 1;
	notice.result = "GRANTED";

	struct event event = said(*state, &notice);

	assert_golden(*state, &event, "approval_closed");
	assert_non_null(strstr(event.headers, "countersign.approval.closed.v1"));
}

static void
say(void *context)
{
	struct arena *arena = arena_open();

	said(arena, context);
}

static void
a_state_that_does_not_exist_ends_the_process(void **state)
{
	struct notice notice = opened(*state);

	notice.state = "PENDING";
	assert_aborts(say, &notice);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(who_signed_is_told_and_nothing_where_nobody_did),
	    cmocka_unit_test(a_card_can_be_made_of_the_opening_alone),
	    cmocka_unit_test(a_vote_changes_it),
	    cmocka_unit_test(a_refused_response_is_visible_with_its_code),
	    cmocka_unit_test(what_stands_in_the_way_of_a_grant_is_told),
	    cmocka_unit_test(the_end_says_the_result),
	    cmocka_unit_test(what_a_grant_will_oblige_to_is_told_and_nothing_where_there_is_nothing),
	    cmocka_unit_test(a_state_that_does_not_exist_ends_the_process),
	};

	return cmocka_run_group_tests_name("notice", tests, open_all, close_all);
}
