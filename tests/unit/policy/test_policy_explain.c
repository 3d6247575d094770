/* SPDX-License-Identifier: Apache-2.0 */
/* test_policy_explain.c - what is told of a decision. */
#include "tests/unit/policy/documents.h"

#include "common/canonical/canonical.h"
#include "common/policy/policy_deciding.h"
#include "common/policy/policy_explain.h"

static const char two_classes[] =
    "{'countersign': 'policy/v1', 'policy': 'acme', 'version': 1, 'tenants': ['*'],"
    " 'classes': [{'id': 'write', 'actions': ['a.**'], 'default': 'REQUIRE_APPROVAL', 'approval': 'people'},"
    "  {'id': 'other', 'actions': ['**'], 'default': 'BLOCK'}],"
    " 'approvals': {'people': {'any_of': [{'group': 'g', 'quorum': 1}], 'ttl': '1h'}}}";

static struct policy_request request = {.tenant = "t", .agent_id = "bot", .action = "a.b", .target = "x"};

static struct policy_decision
decide(const struct policy *policy, struct arena *arena)
{
	struct policy_decision decision;

	policy_decide(policy, &request, 2, arena, &decision);
	return decision;
}

static void
a_decision_that_was_copied_is_explained_as_itself(void **state)
{
	struct policy_decision decision = decide(load(*state, two_classes), *state), other = decision;
	const struct value *approvals;

	/* what stands where it was made is something else by now */
	decision.verdict = POLICY_ALLOW;
	approvals = value_get(policy_explain(&other, *state), "approvals");
	assert_non_null(approvals);
	assert_int_equal(approvals->as.list.count, 1);
	assert_string_equal(value_get_string(approvals->as.list.items[0], "profile"), "people");
	assert_null(value_get(policy_explain(&decision, *state), "approvals"));
}

static const char late[] =
    "{'countersign': 'policy/v1', 'policy': 'acme', 'version': 1, 'tenants': ['*'],"
    " 'classes': [{'id': 'first', 'actions': ['a.b'], 'default': 'ALLOW', 'approval': 'people',"
    "   'failure': {'evaluation_timeout': 'hold'}},"
    "  {'id': 'second', 'actions': ['a.*'], 'default': 'REQUIRE_APPROVAL', 'approval': 'people',"
    "   'failure': {'evaluation_timeout': 'hold'}},"
    "  {'id': 'other', 'actions': ['**'], 'default': 'BLOCK'}],"
    " 'approvals': {'people': {'any_of': [{'group': 'g', 'quorum': 1}], 'ttl': '1h'}},"
    " 'rules': [{'id': 'r', 'match': {'agents': ['human']}, 'decision': 'ALLOW'}]}";

/* Who asks, of the only profile that is asked: "first,second". */
static const char *
askers(const struct policy *policy, struct arena *arena)
{
	struct policy_decision decision = decide(policy, arena);
	const struct value *approvals = value_get(policy_explain(&decision, arena), "approvals");
	struct buffer names = {.arena = arena};

	assert_non_null(approvals);
	assert_int_equal(approvals->as.list.count, 1);

	const struct value *from = value_get(approvals->as.list.items[0], "from");

	for (size_t i = 0; i < from->as.list.count; i++)
		buffer_add_format(&names, "%s%s", i ? "," : "", from->as.list.items[i]->as.string.bytes);
	return names.bytes;
}

static void
of_the_classes_those_are_named_that_ask(void **state)
{
	const struct policy *policy = load(*state, late);

	assert_string_equal(askers(policy, *state), "second");
	request.agent_id = "human";
	request.deadline = 1;
	assert_string_equal(askers(policy, *state), "first,second");
	request.agent_id = "bot";
	request.deadline = 0;
}

/* So many rules that would allow, each of them false at once, dear behind that, and perhaps false once more. */
static const struct policy *
load_dear(struct arena *arena, size_t rules, const char *last)
{
	struct buffer text = {.arena = arena};

	buffer_add_text(&text,
			"{'countersign': 'policy/v1', 'policy': 'p', 'version': 1, 'tenants': ['*'],"
			" 'inputs': {'l': {'type': 'list<int>', 'max': 22}, 'b': 'bool'},"
			" 'classes': [{'id': 'all', 'actions': ['**'], 'default': 'BLOCK'}], 'rules': [");
	for (size_t i = 0; i < rules; i++)
		buffer_add_format(&text,
				  "%s{'id': 'r%zu', 'when': 'context.b && context.l.all(v, context.l.all(w, "
				  "v + w < 1000 || w == %zu))%s', 'decision': 'ALLOW'}",
				  i ? "," : "", i, i, last);
	buffer_add_text(&text, "]}");
	return load(arena, text.bytes);
}

static size_t looks;

static bool
never_over(void *unused)
{
	(void)unused;
	looks++;
	return false;
}

static void
what_would_have_been_allowed_is_sought_without_a_clock_and_not_for_ever(void **state)
{
	struct policy_request full = request;

	full.context = parse(
	    *state, "{'b': false, 'l': [1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4]}");
	full.expired = never_over;
	for (size_t rules = 1; rules < 40; rules += 38) {
		struct policy_decision decision;
		const struct value *first, *again;

		policy_decide(load_dear(*state, rules, " && context.b != false"), &full, 2, *state, &decision);
		assert_true(decision.trail->meter.cost < 1000);
		looks = 0;
		first = policy_explain(&decision, *state);
		again = policy_explain(&decision, *state);
		assert_int_equal(looks, 0);
		assert_int_equal(value_get(first, "nearest_allow") != NULL, rules == 1);
		assert_true(value_equal(first, again));
	}
}

static void
behind_one_that_needs_a_single_thing_none_is_nearer_and_none_is_asked(void **state)
{
	struct policy_request full = request;
	struct policy_decision decision;
	const struct value *nearest;

	full.context = parse(
	    *state, "{'b': false, 'l': [1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4]}");
	policy_decide(load_dear(*state, 39, ""), &full, 2, *state, &decision);
	nearest = value_get(policy_explain(&decision, *state), "nearest_allow");
	assert_string_equal(value_get_string(nearest, "rule"), "r0");
	assert_int_equal(value_get(nearest, "needs")->as.list.count, 1);
}

static const char limited[] =
    "{'countersign': 'policy/v1', 'policy': 'acme', 'version': 1, 'tenants': ['*'],"
    " 'inputs': {'amount': {'type': 'int', 'min': 0}, 'owed': {'type': 'int', 'min': 0, 'sensitive': true},"
    "   'plan': {'type': 'map', 'fields': {'who': {'type': 'string', 'sensitive': true}, 'by': 'string'}}},"
    " 'classes': [{'id': 'all', 'actions': ['**'], 'default': 'ALLOW'}],"
    " 'limits': [{'id': 'l', 'key': ['agent_id', 'KEY'], 'sum': {'of': 'SUM', 'max': 5, 'per': '1h'}, "
    "'exceeded': 'BLOCK'}]}";

static bool
much_is_used(void *usage, const struct policy_counter *counter, struct policy_usage *used)
{
	(void)usage;
	(void)counter;
	used->amount = INT64_MAX;
	return true;
}

/* What is told of the only limit, as it is sent. */
static const char *
limit_told(struct arena *arena, const char *key, const char *sum)
{
	struct findings findings = findings_open(arena, 1);
	const char *text = edit(arena, edit(arena, limited, "KEY", key), "SUM", sum);
	const struct policy *policy = policy_load_whole(arena, parse(arena, text), NULL, &findings);
	struct policy_request full = request;
	struct policy_decision decision;
	struct buffer told = {.arena = arena};
	struct error error = {0};

	assert_non_null(policy);
	full.context = parse(arena, "{'amount': 77, 'owed': 88, 'plan': {'who': 'eve', 'by': 'ops'}}");
	full.used = much_is_used;
	policy_decide(policy, &full, 2, arena, &decision);
	assert_int_equal(decision.verdict, POLICY_BLOCK);
	assert_string_equal(decision.reason_code, "limit_exceeded");
	if (!canonical_format(&told, value_get(policy_explain(&decision, arena), "limits"), &error))
		fail_msg("%s", error.text);
	return told.bytes;
}

static void
a_limit_shows_nothing_of_a_sensitive_input(void **state)
{
	assert_string_equal(
	    limit_told(*state, "context.plan.by", "context.amount"),
	    "[{\"amount\":77,\"exceeded\":true,\"key\":\"[\\\"bot\\\",\\\"ops\\\"]\",\"limit\":\"l\","
	    "\"max\":5,\"used\":9007199254740991}]");
	assert_string_equal(
	    limit_told(*state, "context.plan.who", "context.amount"),
	    "[{\"amount\":77,\"exceeded\":true,\"key\":\"(hidden)\",\"limit\":\"l\",\"max\":5,"
	    "\"used\":9007199254740991}]");
	assert_string_equal(limit_told(*state, "target", "context.owed"),
			    "[{\"amount\":\"(hidden)\",\"exceeded\":true,\"key\":\"[\\\"bot\\\",\\\"x\\\"]\","
			    "\"limit\":\"l\",\"max\":5,\"used\":\"(hidden)\"}]");
}

static const char many_reads[] =
    "{'countersign': 'policy/v1', 'policy': 'acme', 'version': 1, 'tenants': ['*'],"
    " 'inputs': {'amount': 'int', 'amount_max': 'int', 'plan': {'type': 'map', 'fields': {'who': 'string'}},"
    "   'through_let': 'bool', 'unless': 'bool', 'elsewhere': 'bool', 'nobody': 'bool'},"
    " 'let': {'named': 'context.through_let'},"
    " 'classes': [{'id': 'all', 'actions': ['**'], 'default': 'BLOCK'}],"
    " 'rules': [{'id': 'q', 'when': 'context.amount_max > 1 && context.plan.who == agent_id', 'decision': "
    "'ALLOW'},"
    "  {'id': 'r', 'when': 'context.amount_max > 2 && named', 'unless': 'context.unless', 'decision': "
    "'ALLOW'},"
    "  {'id': 's', 'match': {'actions': ['z']}, 'when': 'context.elsewhere', 'decision': 'ALLOW'}]}";

static void
a_field_is_ignored_when_no_rule_about_the_action_reads_it(void **state)
{
	struct policy_request full = request;
	struct policy_decision decision;
	struct buffer text = {.arena = *state};
	struct error error = {0};

	full.context =
	    parse(*state, "{'unless': true, 'nobody': true, 'amount': 1, 'amount_max': 7, 'elsewhere': true,"
			  " 'plan': {'who': 'y'}, 'through_let': true}");
	policy_decide(load(*state, many_reads), &full, 2, *state, &decision);
	assert_true(
	    canonical_format(&text, value_get(policy_explain(&decision, *state), "ignored_fields"), &error));
	assert_string_equal(text.bytes, "[\"amount\",\"elsewhere\",\"nobody\"]");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    STORY(a_field_is_ignored_when_no_rule_about_the_action_reads_it),
	    STORY(a_decision_that_was_copied_is_explained_as_itself),
	    STORY(of_the_classes_those_are_named_that_ask),
	    STORY(a_limit_shows_nothing_of_a_sensitive_input),
	    STORY(behind_one_that_needs_a_single_thing_none_is_nearer_and_none_is_asked),
	    STORY(what_would_have_been_allowed_is_sought_without_a_clock_and_not_for_ever),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
