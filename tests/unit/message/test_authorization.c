/* SPDX-License-Identifier: Apache-2.0 */
/* test_authorization.c - the word on a request: its bytes, its token, and grants that must never be written. */
#include "common/message/authorization.h"
#include "common/message/json.h"
#include "tests/unit/message/event_test.h"

#define MINUTE (INT64_C(60) * 1000000)

static const char *const rules[] = {"prod-deploy-risky", "prod-freeze"};

static struct authorization
granted(void)
{
	return (struct authorization){
	    .tenant = "default",
	    .request_id = "r-1",
	    .key = "r-1",
	    .chain = 2,
	    .agent_id = "coding-agent-production",
	    .digest_text = TEST_DIGEST,
	    .status = AUTHORIZATION_GRANTED,
	    .decision = "ALLOW",
	    .reason_code = "rule",
	    .reason_text = "Tested, low or medium risk, from main.",
	    .rules = rules,
	    .rule_count = 1,
	    .policy_id = "acme-agents",
	    .policy_version = 14,
	    .policy_digest = TEST_DIGEST,
	    .decided_at = TEST_TIME,
	    .not_before = TEST_TIME,
	    .expires_at = TEST_TIME + 15 * MINUTE,
	    .source = "/countersign/evaluator",
	};
}

static struct authorization
as(enum authorization_status status, const char *decision, const char *code)
{
	struct authorization authorization = granted();

	authorization.status = status;
	authorization.decision = decision;
	authorization.reason_code = code;
	authorization.not_before = authorization.expires_at = 0;
	return authorization;
}

static struct authorization_issuer
issuer(void)
{
	return (struct authorization_issuer){key, "https://countersign.example", "acme-gates"};
}

static struct event
spoken(struct arena *arena, const struct authorization *authorization, const char **token)
{
	struct authorization_issuer by = issuer();
	struct event event;
	struct error error = {0};

	if (!authorization_event(arena, &by, authorization, &event, token, &error))
		fail_msg("%s: %s", error.code, error.text);
	return event;
}

static struct value *
body_of(struct arena *arena, const struct event *event)
{
	struct error error = {0};
	struct value *body =
	    json_parse(arena, event->payload, event->payload_length, &json_limits_request, &error);

	assert_non_null(body);
	return body;
}

static void
a_grant_is_signed_and_says_the_same_twice(void **state)
{
	struct authorization authorization = granted();
	const char *token = NULL;
	struct event event = spoken(*state, &authorization, &token);

	assert_golden(*state, &event, "authorization_granted");
	assert_string_equal(event.topic, "authorizations");
	assert_string_equal(event.event_id.text, id_event("default", "r-1", "authorization.GRANTED", 0).text);
	assert_string_equal(value_get_string(body_of(*state, &event), "token"), token);
	assert_string_equal(
	    claims_of(*state, token, AUTHORIZATION_TYP),
	    arena_format(*state,
			 "{\"aud\":\"acme-gates\",\"decision\":\"ALLOW\",\"exp\":1796030100,"
			 "\"iat\":1796029200,\"iss\":\"https://countersign.example\",\"jti\":\"%s\","
			 "\"nbf\":1796029200,\"policy\":{\"digest\":\"" TEST_DIGEST
			 "\",\"id\":\"acme-agents\",\"version\":14},"
			 "\"request_digest\":\"" TEST_DIGEST
			 "\",\"request_id\":\"r-1\",\"status\":\"GRANTED\","
			 "\"sub\":\"coding-agent-production\",\"tenant\":\"default\"}",
			 event.event_id.text));
}

static void
the_same_word_has_the_same_bytes(void **state)
{
	struct authorization authorization = granted();
	const char *token = NULL, *again = NULL;
	struct event first = spoken(*state, &authorization, &token);
	struct event second = spoken(*state, &authorization, &again);

	assert_string_equal(first.payload, second.payload);
	assert_string_equal(first.headers, second.headers);
	assert_string_equal(token, again);
}

static void
what_a_grant_obliges_to_is_said_and_signed_with_it_alone(void **state)
{
	struct authorization grant = granted(), denied = as(AUTHORIZATION_DENIED, "BLOCK", "rule");
	struct value *obligations = value_map(*state);
	const char *token = NULL;

	value_set(*state, obligations, "watermark", value_bool(*state, true));
	grant.obligations = denied.obligations = obligations;
	assert_non_null(
	    strstr(spoken(*state, &grant, &token).payload, "\"obligations\":{\"watermark\":true}"));
	assert_non_null(
	    strstr(claims_of(*state, token, AUTHORIZATION_TYP), "\"obligations\":{\"watermark\":true}"));
	assert_null(strstr(spoken(*state, &denied, &token).payload, "obligations"));
	assert_null(strstr(claims_of(*state, token, AUTHORIZATION_TYP), "obligations"));
}

static void
what_to_do_instead_is_said_with_all_but_a_grant(void **state)
{
	struct authorization grant = granted(), pending = as(AUTHORIZATION_PENDING, "REQUIRE_APPROVAL", "rule");
	const char *token = NULL;

	grant.remediation = pending.remediation = "Ask for less.";
	pending.approval_id = "0a7d1f6e-8f0c-5b1e-9a55-3f1f5d9e2b10";
	assert_null(strstr(spoken(*state, &grant, &token).payload, "remediation"));
	assert_non_null(
	    strstr(spoken(*state, &pending, &token).payload, "\"remediation\":\"Ask for less.\""));
}

static void
the_explanation_is_fixed_in_the_ledger_and_not_in_the_token(void **state)
{
	struct authorization grant = granted();
	const char *token = NULL;

	assert_null(strstr(spoken(*state, &grant, &token).payload, "explanation_digest"));
	grant.explanation_digest = "sha-256:00";
	assert_non_null(
	    strstr(spoken(*state, &grant, &token).payload, "\"explanation_digest\":\"sha-256:00\""));
	assert_null(strstr(claims_of(*state, token, AUTHORIZATION_TYP), "explanation"));
}

static void
a_token_never_outlives_the_grant(void **state)
{
	struct authorization authorization = granted();
	const char *token = NULL;

	authorization.expires_at = INT64_C(1796030100999999);
	spoken(*state, &authorization, &token);
	assert_non_null(strstr(claims_of(*state, token, AUTHORIZATION_TYP), "\"exp\":1796030100,"));
}

static const struct authorization_ahead ahead[] = {{"release-managers", 2}, {"sre-oncall", 0}};

static void
pending_has_no_token_and_perhaps_a_deadline(void **state)
{
	struct authorization authorization = as(AUTHORIZATION_PENDING, "REQUIRE_APPROVAL", "rule");
	const char *token = "";

	authorization.approval_id = "0a7d1f6e-8f0c-5b1e-9a55-3f1f5d9e2b10";
	authorization.approval_deadline = TEST_TIME + 120 * MINUTE;
	authorization.ahead = ahead;
	authorization.ahead_count = 2;
	authorization.rule_count = 2;
	authorization.traceparent = TEST_TRACE;

	struct event event = spoken(*state, &authorization, &token);

	assert_golden(*state, &event, "authorization_pending");
	assert_null(token);
	assert_null(strstr(event.payload, "token"));
	authorization.approval_deadline = 0;
	event = spoken(*state, &authorization, &token);
	assert_golden(*state, &event, "authorization_pending_without_deadline");
	assert_int_equal(value_get(body_of(*state, &event), "approval_deadline")->kind, VALUE_NULL);
}

static void
an_override_is_named_in_the_word_and_in_its_token(void **state)
{
	struct authorization authorization = granted();
	const char *token = NULL;

	authorization.overridden_by = "olga";
	authorization.reason_code = "overridden";

	struct event event = spoken(*state, &authorization, &token);

	assert_non_null(strstr(event.payload, "\"overridden_by\":\"olga\""));
	assert_non_null(strstr(claims_of(*state, token, AUTHORIZATION_TYP), "\"overridden_by\":\"olga\""));
}

static void
a_grant_after_approval_names_who_approved(void **state)
{
	static const struct authorization_response responses[] = {
	    {"alice@example.com", "approve", "Change CHG-1042 is on.", TEST_TIME - 2 * MINUTE},
	    {"bob@example.com", "approve", NULL, TEST_TIME - MINUTE},
	};
	struct authorization authorization = granted();
	const char *token = NULL;

	authorization.tenant = "acme";
	authorization.key = "acme/r-1";
	authorization.decision = "REQUIRE_APPROVAL";
	authorization.approval_id = "0a7d1f6e-8f0c-5b1e-9a55-3f1f5d9e2b10";
	authorization.responses = responses;
	authorization.response_count = 2;

	struct event event = spoken(*state, &authorization, &token);

	assert_golden(*state, &event, "authorization_granted_after_approval");
	assert_string_equal(event.key, "acme/r-1");
}

static void
an_invalid_request_is_denied_without_digest_agent_and_policy(void **state)
{
	struct authorization authorization = as(AUTHORIZATION_DENIED, "BLOCK", "invalid_request");
	const char *token = NULL;

	authorization.agent_id = authorization.digest_text = authorization.policy_id = NULL;
	authorization.reason_text = "context.amount: duplicate_key";
	authorization.rule_count = 0;

	struct event event = spoken(*state, &authorization, &token);

	assert_golden(*state, &event, "authorization_denied_invalid_request");
	assert_null(strstr(event.payload, "null"));
	assert_null(strstr(claims_of(*state, token, AUTHORIZATION_TYP), "\"sub\""));
}

static void
a_duplicate_names_the_request_that_stands_for_it(void **state)
{
	struct authorization authorization = as(AUTHORIZATION_DENIED, "REQUIRE_APPROVAL", "duplicate_open");
	const char *token = NULL;

	authorization.duplicate_of = "r-0";

	struct event event = spoken(*state, &authorization, &token);

	assert_string_equal(value_get_string(body_of(*state, &event), "duplicate_of"), "r-0");
	authorization.duplicate_of = NULL;
	event = spoken(*state, &authorization, &token);
	assert_null(value_get(body_of(*state, &event), "duplicate_of"));
}

static void
what_is_held_says_until_when_and_asks_nobody(void **state)
{
	struct authorization authorization = as(AUTHORIZATION_PENDING, "ALLOW", "held");
	const char *token = NULL;

	authorization.held_until = TEST_TIME + INT64_C(3600000000);

	struct event event = spoken(*state, &authorization, &token);
	const struct value *body = body_of(*state, &event);

	assert_string_equal(value_get_string(body, "held_until"), "2026-11-30T10:00:00.123456Z");
	assert_string_equal(value_get_string(body, "next_action"), "wait");
	assert_null(value_get(body, "approval_deadline"));
	assert_null(value_get(body, "ahead"));
	authorization.held_until = 0;
	event = spoken(*state, &authorization, &token);
	assert_null(value_get(body_of(*state, &event), "held_until"));
	assert_non_null(value_get(body_of(*state, &event), "approval_deadline"));
}

static void
every_final_word_is_signed_and_only_a_grant_ends(void **state)
{
	static const enum authorization_status statuses[] = {AUTHORIZATION_DENIED, AUTHORIZATION_EXPIRED,
							     AUTHORIZATION_CANCELLED, AUTHORIZATION_REVOKED};

	for (size_t i = 0; i < 4; i++) {
		struct authorization authorization = as(statuses[i], "REQUIRE_APPROVAL", "denied_by_approver");
		const char *token = NULL;
		struct event event;

		authorization.not_before = authorization.expires_at = TEST_TIME; /* left over: not said */
		event = spoken(*state, &authorization, &token);

		const char *claims = claims_of(*state, token, AUTHORIZATION_TYP);

		assert_non_null(strstr(claims, authorization_status_name(statuses[i])));
		assert_null(strstr(claims, "\"exp\""));
		assert_null(strstr(claims, "\"nbf\""));
		assert_null(strstr(event.payload, "expires_at"));
		assert_null(strstr(event.payload, "not_before"));
		assert_null(strstr(event.payload, "approval_deadline"));
	}
}

static void
a_revocation_names_the_grant_that_it_takes_back(void **state)
{
	struct authorization authorization = granted();
	const char *token = NULL;
	struct event event = spoken(*state, &authorization, &token);
	const char *grant = arena_string(*state, event.event_id.text);

	assert_null(value_get(body_of(*state, &event), "revokes"));
	authorization.status = AUTHORIZATION_REVOKED;
	event = spoken(*state, &authorization, &token);
	assert_string_equal(value_get_string(body_of(*state, &event), "revokes"), grant);
	assert_non_null(strstr(claims_of(*state, token, AUTHORIZATION_TYP),
			       arena_format(*state, "\"revokes\":\"%s\"", grant)));
	assert_string_not_equal(event.event_id.text, grant);
	assert_null(strstr(event.payload, "obligations"));
}

static void
the_next_action_says_whether_asking_again_helps(void **state)
{
	static const struct {
		enum authorization_status status;
		const char *code, *next_action;
	} cases[] = {
	    {AUTHORIZATION_PENDING, "rule", "wait"},
	    {AUTHORIZATION_EXPIRED, "approval_expired", "request"},
	    {AUTHORIZATION_CANCELLED, "withdrawn", "none"},
	    {AUTHORIZATION_REVOKED, "revoked", "none"},
	    {AUTHORIZATION_DENIED, "rule", "none"},
	    {AUTHORIZATION_DENIED, "class_default", "none"},
	    {AUTHORIZATION_DENIED, "denied_by_approver", "none"},
	    {AUTHORIZATION_DENIED, "too_many_requirements", "none"},
	    {AUTHORIZATION_DENIED, "invalid_request", "request"},
	    {AUTHORIZATION_DENIED, "missing_input", "request"},
	    {AUTHORIZATION_DENIED, "evaluation_timeout", "request"},
	    {AUTHORIZATION_DENIED, "no_policy", "request"},
	    {AUTHORIZATION_DENIED, "no_eligible_approver", "request"},
	    {AUTHORIZATION_DENIED, "too_many_open", "request"},
	    {AUTHORIZATION_DENIED, "held", "request"},
	    {AUTHORIZATION_EXPIRED, "held_too_long", "request"},
	    {AUTHORIZATION_DENIED, "duplicate_open", "none"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct authorization authorization = as(cases[i].status, "BLOCK", cases[i].code);
		const char *token = NULL;
		struct event event = spoken(*state, &authorization, &token);

		assert_string_equal(value_get_string(body_of(*state, &event), "next_action"),
				    cases[i].next_action);
	}
}

static void
statuses_have_their_own_ids_and_types(void **state)
{
	static const char *const types[] = {"pending", "granted",   "denied",
					    "expired", "cancelled", "revoked"};
	const char *ids[6];

	for (int status = AUTHORIZATION_PENDING; status <= AUTHORIZATION_REVOKED; status++) {
		struct authorization authorization = granted();
		const char *token = NULL;

		authorization.status = (enum authorization_status)status;

		struct event event = spoken(*state, &authorization, &token);

		ids[status] = arena_string(*state, event.event_id.text);
		for (int earlier = 0; earlier < status; earlier++)
			assert_string_not_equal(ids[status], ids[earlier]);
		assert_non_null(strstr(
		    event.headers, arena_format(*state, "\"countersign.authorization.%s.v1\"", types[status])));
	}
}

static void
speak(void *context)
{
	struct arena *arena = arena_open();
	const char *token;

	spoken(arena, context, &token);
}

static void
a_grant_that_is_not_bound_ends_the_process(void **state)
{
	struct authorization cases[7];

	(void)state;
	for (size_t i = 0; i < 7; i++)
		cases[i] = granted();
	cases[0].digest_text = NULL;
	cases[1].agent_id = NULL;
	cases[2].expires_at = 0;
	cases[3].expires_at = cases[3].not_before;
	cases[4].not_before = 0;
	cases[5].decision = "BLOCK";
	cases[6].key = NULL;
	for (size_t i = 0; i < 7; i++)
		assert_aborts(speak, &cases[i]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_grant_is_signed_and_says_the_same_twice),
	    cmocka_unit_test(the_same_word_has_the_same_bytes),
	    cmocka_unit_test(what_a_grant_obliges_to_is_said_and_signed_with_it_alone),
	    cmocka_unit_test(what_to_do_instead_is_said_with_all_but_a_grant),
	    cmocka_unit_test(the_explanation_is_fixed_in_the_ledger_and_not_in_the_token),
	    cmocka_unit_test(a_token_never_outlives_the_grant),
	    cmocka_unit_test(pending_has_no_token_and_perhaps_a_deadline),
	    cmocka_unit_test(an_override_is_named_in_the_word_and_in_its_token),
	    cmocka_unit_test(a_grant_after_approval_names_who_approved),
	    cmocka_unit_test(an_invalid_request_is_denied_without_digest_agent_and_policy),
	    cmocka_unit_test(a_duplicate_names_the_request_that_stands_for_it),
	    cmocka_unit_test(what_is_held_says_until_when_and_asks_nobody),
	    cmocka_unit_test(every_final_word_is_signed_and_only_a_grant_ends),
	    cmocka_unit_test(a_revocation_names_the_grant_that_it_takes_back),
	    cmocka_unit_test(the_next_action_says_whether_asking_again_helps),
	    cmocka_unit_test(statuses_have_their_own_ids_and_types),
	    cmocka_unit_test(a_grant_that_is_not_bound_ends_the_process),
	};

	return cmocka_run_group_tests_name("authorization", tests, open_all, close_all);
}
