/* SPDX-License-Identifier: Apache-2.0 */
/* test_policy_terms.c - what several profiles demand together: stages, times, and what is more than one approval holds. */
#include "tests/unit/policy/documents.h"

/* A policy whose one class asks the first profile, and whose rules ask the others. */
static const char *
asking(struct arena *arena, const char *first, const char *second)
{
	return arena_format(arena,
			    "{'countersign': 'policy/v1', 'policy': 'p', 'version': 1,"
			    " 'classes': [{'id': 'c', 'actions': ['**'], 'default': 'BLOCK'}],"
			    " 'approvals': {'first': {%s}, 'second': {%s}},"
			    " 'rules': [{'id': 'a', 'decision': 'REQUIRE_APPROVAL', 'approval': 'first'},"
			    "  {'id': 'b', 'decision': 'REQUIRE_APPROVAL', 'approval': 'second'}]}",
			    first, second);
}

static struct policy_decision
decided(struct arena *arena, const char *first, const char *second)
{
	struct error error = {0};
	const struct policy *policy = policy_load(arena, parse(arena, asking(arena, first, second)), &error);
	const struct policy_request request = {
	    .tenant = "default", .agent_id = "x", .action = "a.b", .target = "t"};
	struct policy_decision decision;

	if (!policy)
		fail_msg("%s at %s: %s", error.code, error.field, error.text);
	policy_decide(policy, &request, 1, arena, &decision);
	return decision;
}

#define ONE "'any_of': [{'group': 'a', 'quorum': 1}], 'ttl': '1h'"

static void
the_longest_hold_the_shortest_extension_and_all_reminders_count(void **state)
{
	struct policy_decision decision = decided(
	    *state, ONE ", 'hold_for': '2m', 'extend_to': '3h', 'remind_before': '5m', 'remind_every': '20m'",
	    ONE ", 'hold_for': '3m', 'extend_to': '2h', 'remind_before': '10m', 'remind_every': '30m'");

	assert_int_equal(decision.verdict, POLICY_REQUIRE_APPROVAL);
	assert_int_equal(decision.hold_for, 3 * MINUTE);
	assert_int_equal(decision.extend_to, 120 * MINUTE);
	assert_int_equal(decision.remind_before, 10 * MINUTE);
	assert_int_equal(decision.remind_every, 20 * MINUTE);
	decision = decided(*state, ONE ", 'extend_to': '3h', 'remind_every': '20m'", ONE);
	assert_int_equal(decision.extend_to, 0);
	assert_int_equal(decision.hold_for, 0);
	assert_int_equal(decision.remind_every, 20 * MINUTE);
	assert_int_equal(decision.remind_before, 0);
}

static void
each_profile_keeps_its_stages_and_terms(void **state)
{
	struct policy_decision decision = decided(
	    *state, ONE,
	    "'stages': [{'any_of': [{'group': 'a', 'quorum': 1}]}, {'all_of': [{'group': 'b', 'quorum': 2}, "
	    "{'group': "
	    "'c', 'quorum': 1}]}], 'distinct': true, 'deny_quorum': 2, 'require_reason': true, 'ttl': '1h'");

	assert_int_equal(decision.requirement_count, 2);
	assert_int_equal(decision.requirements[0].terms->stage_count, 1);
	assert_int_equal(decision.requirements[1].terms->stage_count, 2);
	assert_true(decision.requirements[1].terms->stages[1].all);
	assert_int_equal(decision.requirements[1].terms->stages[1].asks[0].quorum, 2);
	assert_true(decision.requirements[1].terms->distinct && decision.requirements[1].terms->require_reason);
	assert_int_equal(decision.requirements[1].terms->deny_quorum, 2);
}

/* 'any_of' with so many groups. */
static const char *
groups(struct arena *arena, int count)
{
	struct buffer text = {.arena = arena};

	buffer_add_text(&text, "'any_of': [");
	for (int i = 0; i < count; i++)
		buffer_add_format(&text, "%s{'group': 'g%d', 'quorum': 1}", i ? ", " : "", i);
	buffer_add_text(&text, "]");
	return text.bytes;
}

/* 'escalate' with so many steps. */
static const char *
steps(struct arena *arena, int count, const char *how)
{
	struct buffer text = {.arena = arena};

	buffer_add_text(&text, ", 'ttl': '1h', 'escalate': [");
	for (int i = 0; i < count; i++)
		buffer_add_format(&text, "%s{'after': '%dm', 'to': {'group': 's%d', 'quorum': 1}, 'how': '%s'}",
				  i ? ", " : "", i + 1, i, how);
	buffer_add_text(&text, "]");
	return text.bytes;
}

static void
more_than_one_approval_holds_is_blocked(void **state)
{
	struct arena *arena = *state;
	const char *sixteen = arena_format(arena, "%s, 'ttl': '1h'", groups(arena, 16));
	struct policy_decision decision = decided(arena, sixteen, sixteen);

	assert_int_equal(decision.verdict, POLICY_REQUIRE_APPROVAL);
	decision =
	    decided(arena, sixteen, arena_format(arena, "%s%s", groups(arena, 16), steps(arena, 1, "add")));
	assert_int_equal(decision.verdict, POLICY_BLOCK);
	assert_string_equal(decision.reason_code, "too_many_requirements");
	assert_int_equal(decision.requirement_count, 0);
	assert_int_equal(decision.ttl, 0);
	decision = decided(arena, sixteen,
			   arena_format(arena, "%s%s", groups(arena, 16), steps(arena, 16, "notify")));
	assert_int_equal(decision.verdict, POLICY_REQUIRE_APPROVAL);
	decision = decided(arena, arena_format(arena, "%s%s", groups(arena, 1), steps(arena, 1, "notify")),
			   arena_format(arena, "%s%s", groups(arena, 1), steps(arena, 16, "notify")));
	assert_int_equal(decision.verdict, POLICY_BLOCK);
	assert_string_equal(decision.reason_code, "too_many_requirements");
}

static void
refused(struct arena *arena, const char *profile, const char *field)
{
	struct error error = {0};

	if (policy_load(arena, parse(arena, asking(arena, profile, ONE)), &error))
		fail_msg("taken: %s", profile);
	assert_string_equal(error.code, "too_many");
	assert_string_equal(error.field, field);
}

static void
a_profile_that_no_approval_could_hold_is_refused(void **state)
{
	struct arena *arena = *state;
	struct buffer wide = {.arena = arena}, tall = {.arena = arena};

	refused(arena, arena_format(arena, "%s, 'ttl': '1h'", groups(arena, 17)), "approvals.first.any_of");
	refused(arena, arena_format(arena, "%s%s", groups(arena, 1), steps(arena, 17, "add")),
		"approvals.first.escalate");
	buffer_add_text(&wide, "'ttl': '1h', 'stages': [");
	for (int i = 0; i < 3; i++)
		buffer_add_format(&wide, "%s{%s}", i ? ", " : "", groups(arena, 11));
	buffer_add_text(&wide, "]");
	refused(arena, wide.bytes, "approvals.first");
	buffer_add_text(&tall, "'ttl': '1h', 'distinct': true, 'stages': [");
	for (int i = 0; i < 8; i++)
		buffer_add_format(&tall, "%s{%s}", i ? ", " : "", groups(arena, i < 7 ? 3 : 2));
	buffer_add_text(&tall, "]");
	refused(arena, tall.bytes, "approvals.first"); /* 3^7 * 2 ways */
}

static void
who_demands_the_same_is_the_same_by_any_name(void **state)
{
	struct policy_decision decision =
	    decided(*state, ONE, ONE ", 'hold_for': '1m', 'grant': {'valid_for': '2m'}");

	assert_true(policy_profile_equal(decision.requirements[0].terms, decision.requirements[1].terms));
	decision = decided(*state, ONE, ONE ", 'require_reason': true");
	assert_false(policy_profile_equal(decision.requirements[0].terms, decision.requirements[1].terms));
	decision = decided(*state, ONE, ONE ", 'override': 'o'");
	assert_false(policy_profile_equal(decision.requirements[0].terms, decision.requirements[1].terms));
	decision =
	    decided(*state, ONE, ONE ", 'escalate': [{'after': '1m', 'to': {'group': 'a', 'quorum': 1}}]");
	assert_false(policy_profile_equal(decision.requirements[0].terms, decision.requirements[1].terms));
	decision = decided(*state, ONE, "'all_of': [{'group': 'a', 'quorum': 1}], 'ttl': '2h'");
	assert_true(policy_profile_equal(decision.requirements[0].terms, decision.requirements[1].terms));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    STORY(the_longest_hold_the_shortest_extension_and_all_reminders_count),
	    STORY(each_profile_keeps_its_stages_and_terms),
	    STORY(more_than_one_approval_holds_is_blocked),
	    STORY(a_profile_that_no_approval_could_hold_is_refused),
	    STORY(who_demands_the_same_is_the_same_by_any_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
