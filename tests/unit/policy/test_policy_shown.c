/* SPDX-License-Identifier: Apache-2.0 */
/* test_policy_shown.c - reasons that name inputs in braces: what is filled in, and what must never be. */
#include "tests/unit/policy/documents.h"

#include "common/policy/policy_explain.h"

static const char document[] =
    "{'countersign': 'policy/v1', 'policy': 'acme', 'version': 1, 'tenants': ['*'],"
    " 'inputs': {'amount': {'type': 'int'}, 'share': {'type': 'double', 'default': 0.5}, 'branch': {'type': "
    "'string'},"
    "  'force': {'type': 'bool'}, 'tags': {'type': 'list<string>'}, 'age': {'type': 'duration', 'default': "
    "'1h'},"
    "  'ssn': {'type': 'string', 'sensitive': true}, 'free': {'type': 'map'},"
    "  'plan': {'type': 'map', 'fields': {'delete': {'type': 'int'}, 'key': {'type': 'string', 'sensitive': "
    "true}}},"
    "  'patient': {'type': 'map', 'sensitive': true, 'fields': {'name': {'type': 'string'}}}},"
    " 'classes': [{'id': 'other', 'actions': ['**'], 'default': 'BLOCK'}],"
    " 'rules': [{'id': 'r', 'decision': 'BLOCK', 'reason': 'REASON'}]}";

static const char *
reason_of(struct arena *arena, const char *reason, const char *context, const struct value **explained)
{
	const struct policy *policy = load(arena, edit(arena, document, "REASON", reason));
	const struct policy_request request = {
	    .tenant = "t", .agent_id = "bot", .action = "a.b", .target = "x", .context = parse(arena, context)};
	struct policy_decision decision;

	policy_decide(policy, &request, 2, arena, &decision);
	assert_string_equal(decision.reason_code, "rule");
	if (explained)
		*explained = policy_explain(&decision, arena);
	return decision.reason_text;
}

static void
values_stand_where_the_reason_names_them(void **state)
{
	static const struct {
		const char *reason, *context, *filled;
	} rows[] = {
	    {"Of {context.amount} minor units.", "{'amount': 4200}", "Of 4200 minor units."},
	    {"{context.amount}{context.amount}", "{'amount': -1}", "-1-1"},
	    {"{context.amount}", "{'amount': 100.0}", "100"},
	    {"{context.share}", "{'share': 0.25}", "0.25"},
	    {"{context.force}", "{'force': false}", "false"},
	    {"To {context.branch}.", "{'branch': 'main'}", "To \"main\"."},
	    {"{context.tags}, {context.plan}", "{'tags': ['a', 'b'], 'plan': {'delete': 1}}",
	     "(2 items), (1 members)"},
	    {"{context.plan.delete}", "{'plan': {'delete': 3}}", "3"},
	    {"{context.free.a.b}", "{'free': {'a': {'b': 'c'}}}", "\"c\""},
	    /* what is not there */
	    {"{context.amount}", "{}", "(absent)"},
	    {"{context.plan.delete}", "{}", "(absent)"},
	    {"{context.free.a}", "{'free': {'b': 1}}", "(absent)"},
	    {"{context.share} {context.age}", "{}", "0.5 (default)"},
	    /* what is no placeholder */
	    {"{context.}{amount} {context.amount", "{'amount': 1}", "{context.}{amount} {context.amount"},
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_string_equal(reason_of(*state, rows[i].reason, rows[i].context, NULL), rows[i].filled);
}

/* It can neither pass for our words nor begin a line, and is not looked at again. */
static void
a_text_of_the_request_is_a_quoted_short_and_visible_one(void **state)
{
	static const struct {
		const char *context, *filled;
	} rows[] = {
	    {"{'branch': '(absent)'}", "\"(absent)\""},
	    {"{'branch': '{context.amount}', 'amount': 7}", "\"{context.amount}\""},
	    {"{'branch': 'a\\nApproved by ben'}", "\"a\\u{a}Approved by ben\""},
	    {"{'branch': '\\u202e\\u200b\\\\'}", "\"\\u{202e}\\u{200b}\\\\\""},
	    {"{'branch': '\\\"'}", "\"\\\"\""},
	    {"{'branch': '0123456789012345678901234567890123456789012345678901234567890123'}",
	     "\"0123456789012345678901234567890123456789012345678901234567890123\""},
	    {"{'branch': '01234567890123456789012345678901234567890123456789012345678901234'}",
	     "\"0123456789012345678901234567890123456789012345678901234567890123…\""},
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_string_equal(reason_of(*state, "{context.branch}", rows[i].context, NULL),
				    rows[i].filled);
}

static void
the_whole_line_stays_within_its_bound(void **state)
{
	struct buffer reason = {.arena = *state};
	const struct value *explained;

	for (int i = 0; i < 20; i++)
		buffer_add_text(&reason, "{context.branch} ");

	const char *filled = reason_of(
	    *state, reason.bytes,
	    "{'branch': '\\u200b\\u200b\\u200b\\u200b\\u200b\\u200b\\u200b\\u200b\\u200b\\u200b\\u200b'}",
	    &explained);

	assert_in_range(strlen(filled), 1000, 1024);
	assert_string_equal(filled + strlen(filled) - strlen("…"), "…");
	assert_string_equal(value_get_string(value_get(explained, "because")->as.list.items[0], "reason"),
			    filled);
}

static void
the_explanation_tells_the_filled_reason(void **state)
{
	const struct value *explained;

	reason_of(*state, "Of {context.amount}.", "{'amount': 5}", &explained);
	assert_string_equal(value_get_string(explained, "reason"), "Of 5.");
	assert_string_equal(value_get_string(value_get(explained, "because")->as.list.items[0], "reason"),
			    "Of 5.");
}

static void
a_sensitive_input_and_what_is_in_one_is_never_named(void **state)
{
	static const char *const reasons[][2] = {{"{context.ssn}", "bad_value"},
						 {"{context.plan.key}", "bad_value"},
						 {"{context.patient}", "bad_value"},
						 {"{context.patient.name}", "bad_value"},
						 {"{context.amount} {context.ssn}", "bad_value"},
						 {"{context. {context.ssn}", "unknown_input"},
						 {"{context.patient.nothing}", "unknown_input"},
						 {"{context.ssn }", "unknown_input"}};

	for (size_t i = 0; i < COUNT_OF(reasons); i++) {
		struct error error = {0};

		assert_null(policy_load(*state, parse(*state, edit(*state, document, "REASON", reasons[i][0])),
					&error));
		assert_string_equal(error.code, reasons[i][1]);
		assert_string_equal(error.field, "rules[0].reason");
	}
}

static const char advising[] =
    "{'countersign': 'policy/v1', 'policy': 'acme', 'version': 1, 'tenants': ['*'],"
    " 'inputs': {'amount': {'type': 'int'}, 'missing': {'type': 'bool'}},"
    " 'classes': [{'id': 'other', 'actions': ['**'], 'default': 'ALLOW'}],"
    " 'approvals': {'p': {'any_of': [{'group': 'g', 'quorum': 1}], 'ttl': '1h'}},"
    " 'rules': [{'id': 'a', 'when': 'context.amount > 10', 'decision': 'REQUIRE_APPROVAL', 'approval': 'p', "
    "'remediation': 'Ask for 10.'},"
    "  {'id': 'b', 'when': 'context.amount > 20', 'decision': 'REQUIRE_APPROVAL', 'approval': 'p', "
    "'remediation': 'Not {context.amount}.'},"
    "  {'id': 'c', 'when': 'context.amount > 20', 'decision': 'REQUIRE_APPROVAL', 'approval': 'p', "
    "'remediation': 'Ask for 10.'},"
    "  {'id': 'd', 'when': 'context.amount > 30', 'decision': 'BLOCK', 'remediation': 'Ask somebody else.'},"
    "  {'id': 'e', 'match': {'agents': ['odd']}, 'when': 'context.missing', 'decision': 'BLOCK', "
    "'remediation': 'Never said.'}]}";

static void
what_to_do_instead_is_said_by_the_rules_that_decide(void **state)
{
	static const struct {
		const char *agent, *context, *advice;
	} rows[] = {
	    {"bot", "{'amount': 5}", NULL},
	    {"bot", "{'amount': 15}", "Ask for 10."},
	    {"bot", "{'amount': 25}", "Ask for 10. Not 25."},
	    {"bot", "{'amount': 35}", "Ask somebody else."},
	    /* of what could not be evaluated nothing is known */
	    {"odd", "{'amount': 25}", NULL},
	};
	const struct policy *policy = load(*state, advising);

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct policy_request request = {.tenant = "t",
						       .agent_id = rows[i].agent,
						       .action = "a.b",
						       .target = "x",
						       .context = parse(*state, rows[i].context)};
		struct policy_decision decision;

		policy_decide(policy, &request, 2, *state, &decision);

		const char *explained = value_get_string(policy_explain(&decision, *state), "remediation");

		assert_true(!decision.remediation == !rows[i].advice && !explained == !rows[i].advice);
		if (rows[i].advice) {
			assert_string_equal(decision.remediation, rows[i].advice);
			assert_string_equal(explained, rows[i].advice);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    STORY(values_stand_where_the_reason_names_them),
	    STORY(a_text_of_the_request_is_a_quoted_short_and_visible_one),
	    STORY(the_whole_line_stays_within_its_bound),
	    STORY(the_explanation_tells_the_filled_reason),
	    STORY(a_sensitive_input_and_what_is_in_one_is_never_named),
	    STORY(what_to_do_instead_is_said_by_the_rules_that_decide),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
