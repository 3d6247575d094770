/* SPDX-License-Identifier: Apache-2.0 */
/* test_policy_obligations.c - what whoever is authorized must do as well: united, and what contradicts itself closes. Rule 13. */
#include "tests/unit/policy/documents.h"

#include "common/canonical/canonical.h"
#include "common/policy/policy_explain.h"
#include "common/policy/policy_obligations.h"

static const char document[] =
    "{'countersign': 'policy/v1', 'policy': 'acme', 'version': 1, 'tenants': ['TENANT'],"
    " 'inputs': {'n': {'type': 'int'}, 'shy': {'type': 'bool'}},"
    " 'classes': [{'id': 'a', 'actions': ['a.**'], 'default': 'ALLOW', 'floor': false},"
    "  {'id': 'other', 'actions': ['**'], 'default': 'BLOCK'}],"
    " 'approvals': {'p': {'any_of': [{'group': 'g', 'quorum': 1}], 'ttl': '1h'}}, 'rules': [RULES]}";

static const char *
text_of(struct arena *arena, const struct value *value)
{
	struct buffer text = {.arena = arena};
	struct error error = {0};

	if (!value)
		return "-";
	assert_true(canonical_format(&text, value, &error));
	return text.bytes;
}

static const struct policy *
policy_with(struct arena *arena, const char *tenant, const char *rules)
{
	return load(arena, edit(arena, edit(arena, document, "TENANT", tenant), "RULES", rules));
}

static struct policy_decision
decide(struct arena *arena, const char *rules, const char *context)
{
	struct policy_request *request = arena_take(arena, sizeof *request);
	struct policy_decision decision;

	*request = (struct policy_request){
	    .tenant = "t", .agent_id = "bot", .action = "a.b", .target = "x", .context = parse(arena, context)};
	policy_decide(policy_with(arena, "*", rules), request, 2, arena, &decision);
	return decision;
}

static void
check(struct arena *arena, const char *rules, const char *context, enum policy_verdict verdict,
      const char *code, const char *obligations)
{
	struct policy_decision decision = decide(arena, rules, context);
	const struct value *explained = value_get(policy_explain(&decision, arena), "obligations");

	assert_int_equal(decision.verdict, verdict);
	assert_string_equal(decision.reason_code, code);
	assert_string_equal(text_of(arena, decision.obligations), obligations);
	assert_string_equal(text_of(arena, explained), obligations);
}

#define ALLOWS(id, obligations) "{'id': '" id "', 'decision': 'ALLOW', 'obligations': " obligations "}"
#define ASKS(id, obligations)                                                                                \
	"{'id': '" id "', 'decision': 'REQUIRE_APPROVAL', 'approval': 'p', 'obligations': " obligations "}"

static void
those_of_all_rules_that_count_are_united(void **state)
{
	check(*state, "{'id': 'r', 'decision': 'ALLOW'}", "{}", POLICY_ALLOW, "rule", "-");
	check(*state, ALLOWS("r", "{'w': true, 'keep': {'days': 30}}"), "{}", POLICY_ALLOW, "rule",
	      "{\"keep\":{\"days\":30},\"w\":true}");
	check(*state, ALLOWS("r", "{'w': 1}") "," ALLOWS("s", "{'v': 'x'}"), "{}", POLICY_ALLOW, "rule",
	      "{\"v\":\"x\",\"w\":1}");
	/* a milder rule is not the one that decides, and obliges all the same */
	check(*state, ALLOWS("r", "{'w': 1}") "," ASKS("s", "{'v': 2}"), "{}", POLICY_REQUIRE_APPROVAL,
	      "rule", "{\"v\":2,\"w\":1}");
	check(*state, ALLOWS("r", "{'w': 1}") ",{'id': 's', 'decision': 'BLOCK'}", "{}", POLICY_BLOCK, "rule",
	      "-");
	/* what is false or in shadow does not */
	check(*state,
	      ALLOWS("r", "{'w': 1}") ",{'id': 's', 'when': 'context.n > 1', 'decision': 'ALLOW', "
				      "'obligations': {'v': 1}},"
				      "{'id': 't', 'mode': 'shadow', 'decision': 'ALLOW', 'obligations': "
				      "{'w': 2}}",
	      "{'n': 1}", POLICY_ALLOW, "rule", "{\"w\":1}");
}

/* Whoever leaves a field out gets nothing for less. */
static void
a_rule_that_could_not_be_evaluated_obliges(void **state)
{
	static const char rules[] =
	    "{'id': 'r', 'decision': 'ALLOW'},{'id': 's', 'when': 'context.n > 1', 'decision': "
	    "'ALLOW', 'obligations': {'v': 1}}";

	check(*state, rules, "{'n': 2}", POLICY_ALLOW, "rule", "{\"v\":1}");
	check(*state, rules, "{}", POLICY_ALLOW, "rule", "{\"v\":1}");
	check(*state, rules, "{'n': 1}", POLICY_ALLOW, "rule", "-");
}

static void
the_stricter_of_two_values_stands(void **state)
{
	check(*state, ALLOWS("r", "{'w': false}") "," ALLOWS("s", "{'w': true}"), "{}", POLICY_ALLOW, "rule",
	      "{\"w\":true}");
	check(*state, ALLOWS("r", "{'w': false}") "," ALLOWS("s", "{'w': false}"), "{}", POLICY_ALLOW, "rule",
	      "{\"w\":false}");
	check(*state, ALLOWS("r", "{'w': ['c', 'a']}") "," ALLOWS("s", "{'w': ['b', 'a', {'x': 1}]}"), "{}",
	      POLICY_ALLOW, "rule", "{\"w\":[\"a\",\"b\",\"c\",{\"x\":1}]}");
	check(*state, ALLOWS("r", "{'w': {'x': 1, 'y': 2}}") "," ALLOWS("s", "{'w': {'y': 2.0, 'x': 1}}"),
	      "{}", POLICY_ALLOW, "rule", "{\"w\":{\"x\":1,\"y\":2}}");
}

static void
what_nobody_can_satisfy_is_blocked_and_named(void **state)
{
	static const char *const pairs[][2] = {
	    {"1", "2"},	     {"1", "true"},   {"'a'", "['a']"}, {"'a'", "'b'"}, {"{'x': 1}", "{'x': 2}"},
	    {"[]", "false"}, {"0.5", "'0.5'"}};

	for (size_t i = 0; i < COUNT_OF(pairs); i++) {
		const char *rules = arena_format(
		    *state,
		    ALLOWS("r", "{'w': %s}") "," ASKS("s", "{'v': 1, 'w': %s}") "," ALLOWS("t", "{'v': 1}"),
		    pairs[i][0], pairs[i][1]);
		struct policy_decision decision = decide(*state, rules, "{}");
		const struct value *because = value_get(policy_explain(&decision, *state), "because");

		assert_int_equal(decision.verdict, POLICY_BLOCK);
		assert_string_equal(decision.reason_code, "obligation_conflict");
		assert_string_equal(decision.reason_text,
				    "Different values of the obligation w, by the rules r, s.");
		assert_int_equal(decision.rule_count, 2);
		assert_string_equal(decision.rules[0], "r");
		assert_string_equal(decision.rules[1], "s");
		assert_null(decision.obligations);
		assert_int_equal(decision.requirement_count, 0);
		assert_int_equal(because->as.list.count, 2);
	}
}

static void
of_several_contradictions_the_least_name_is_told_whatever_the_order(void **state)
{
	struct policy_decision decision = decide(
	    *state, ALLOWS("r", "{'b': 1}") "," ALLOWS("s", "{'b': 2, 'a': 1}") "," ALLOWS("t", "{'a': 2}"),
	    "{}");

	assert_string_equal(decision.reason_text, "Different values of the obligation a, by the rules s, t.");
}

static char *
many(struct arena *arena, size_t count, size_t length)
{
	struct buffer text = {.arena = arena};

	for (size_t i = 0; i < count; i++)
		buffer_add_format(&text,
				  "%s{'id': 'r%zu', 'decision': 'ALLOW', 'obligations': {'n%zu': '%0*d'}}",
				  i ? "," : "", i, i, (int)length, 0);
	return text.bytes;
}

/* {"n0":"000…"}: nine bytes beside the value, seventeen beside two. */
static void
a_decision_holds_so_many_and_no_more(void **state)
{
	assert_int_equal(decide(*state, many(*state, 64, 1), "{}").verdict, POLICY_ALLOW);
	assert_string_equal(decide(*state, many(*state, 65, 1), "{}").reason_code, "too_many_obligations");
	assert_int_equal(decide(*state, many(*state, 200, 1), "{}").verdict, POLICY_BLOCK);
	assert_int_equal(decide(*state, many(*state, 2, 1015), "{}").verdict, POLICY_ALLOW);
	assert_string_equal(decide(*state, many(*state, 2, 1016), "{}").reason_code, "too_many_obligations");
	assert_int_equal(decide(*state, many(*state, 1, 2039), "{}").verdict, POLICY_ALLOW);

	struct error error = {0};

	assert_null(policy_load(
	    *state,
	    parse(*state, edit(*state, edit(*state, document, "TENANT", "*"), "RULES", many(*state, 1, 2040))),
	    &error));
	assert_string_equal(error.code, "too_large");
	assert_string_equal(error.field, "rules[0].obligations");
}

static void
an_organisation_and_a_tenant_oblige_together(void **state)
{
	const struct policy *layers[] = {policy_with(*state, "*", ALLOWS("org", "{'w': true, 'list': ['b']}")),
					 policy_with(*state, "t", ASKS("own", "{'v': 1, 'list': ['a']}"))};
	const struct policy *quarrel[] = {layers[0], policy_with(*state, "t", ALLOWS("own", "{'w': 1}"))};
	const struct policy_request request = {
	    .tenant = "t", .agent_id = "bot", .action = "a.b", .target = "x", .context = parse(*state, "{}")};
	struct policy_decision decision;

	policy_decide_layers(layers, 2, &request, 2, *state, &decision);
	assert_int_equal(decision.verdict, POLICY_REQUIRE_APPROVAL);
	assert_string_equal(text_of(*state, decision.obligations),
			    "{\"list\":[\"a\",\"b\"],\"v\":1,\"w\":true}");
	policy_decide_layers(quarrel, 2, &request, 2, *state, &decision);
	assert_int_equal(decision.verdict, POLICY_BLOCK);
	assert_string_equal(decision.reason_code, "obligation_conflict");
	assert_string_equal(decision.reason_text,
			    "Different values of the obligation w, by the rules org, own.");
	policy_explain(&decision, *state);
}

static void
two_decisions_are_united_as_two_rules_are(void **state)
{
	const struct value *left = parse(*state, "{'a': [2, 1], 'b': true}"),
			   *right = parse(*state, "{'a': [3], 'b': false, 'c': 1}");
	const char *conflict;

	assert_string_equal(text_of(*state, policy_obligations_unite(*state, left, right, &conflict)),
			    "{\"a\":[1,2,3],\"b\":true,\"c\":1}");
	assert_null(conflict);
	assert_string_equal(text_of(*state, policy_obligations_unite(*state, left, NULL, &conflict)),
			    "{\"a\":[1,2],\"b\":true}");
	assert_null(policy_obligations_unite(*state, NULL, NULL, &conflict));
	assert_null(conflict);
	assert_null(policy_obligations_unite(*state, left, parse(*state, "{'b': 'x'}"), &conflict));
	assert_string_equal(conflict, "b");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    STORY(those_of_all_rules_that_count_are_united),
	    STORY(a_rule_that_could_not_be_evaluated_obliges),
	    STORY(the_stricter_of_two_values_stands),
	    STORY(what_nobody_can_satisfy_is_blocked_and_named),
	    STORY(of_several_contradictions_the_least_name_is_told_whatever_the_order),
	    STORY(a_decision_holds_so_many_and_no_more),
	    STORY(an_organisation_and_a_tenant_oblige_together),
	    STORY(two_decisions_are_united_as_two_rules_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
