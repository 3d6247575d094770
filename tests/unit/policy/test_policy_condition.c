/* SPDX-License-Identifier: Apache-2.0 */
/* test_policy_condition.c - what the conditions of one decision may take together, up to each limit and beyond. */
#include "tests/unit/policy/documents.h"

#include "common/policy/policy_deciding.h"
#include <stdio.h>

enum { RULES_MOST = 200 };

/* "r0" … are all asked, "z" after them; the numbers of the request make any of them as dear as the estimate allows. */
static const struct policy *
load_heavy(struct arena *arena, size_t rules)
{
	struct buffer text = {.arena = arena};

	buffer_add_text(&text,
			"{'countersign': 'policy/v1', 'policy': 'p', 'version': 1, 'tenants': ['*'],"
			" 'inputs': {'l': {'type': 'list<int>', 'max': 22}, 'b': 'bool'},"
			" 'classes': [{'id': 'all', 'actions': ['**'], 'default': 'BLOCK'}], 'rules': [");
	for (size_t i = 0; i < rules; i++)
		buffer_add_format(
		    &text,
		    "{'id': 'r%zu', 'when': 'context.l.all(v, context.l.all(w, v + w < 1000 || w "
		    "== %zu))', 'decision': 'ALLOW'},",
		    i, i);
	buffer_add_text(&text, "{'id': 'z', 'when': 'context.b', 'decision': 'BLOCK'}]}");
	return load(arena, text.bytes);
}

static const struct policy_request *
request(struct arena *arena)
{
	struct policy_request *request = arena_take(arena, sizeof *request);

	*request = (struct policy_request){.tenant = "t", .agent_id = "bot", .action = "a", .target = "x"};
	request->context = parse(
	    arena, "{'b': false, 'l': [1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4]}");
	return request;
}

static struct policy_decision
decide(struct arena *arena, const struct policy *policy)
{
	struct policy_decision decision;

	policy_decide(policy, request(arena), 1, arena, &decision);
	return decision;
}

/* What a rule's condition sees, and what it takes. */
struct asking {
	const struct policy_condition *condition;
	struct policy_meter meter;
	uint64_t cost;
};

static struct asking
prepare(struct arena *arena, const struct policy *policy, size_t rule)
{
	struct policy_decision decision = decide(arena, policy);
	struct asking asking = {&policy->rules[rule].condition, decision.trail->meter, 0};

	asking.meter.cost = asking.meter.polled = 0;
	assert_int_equal(policy_condition_ask(asking.condition, &asking.meter).truth, POLICY_TRUE);
	asking.cost = asking.meter.cost;
	return asking;
}

static void
a_decision_has_two_hundred_thousand_units_and_not_one_more(void **state)
{
	struct asking asking = prepare(*state, load_heavy(*state, 1), 0);
	struct policy_condition nothing = {0};
	struct policy_outcome outcome;

	assert_in_range(asking.cost, 1000, CEL_COST_MAX);
	asking.meter.cost = POLICY_COST_MAX - asking.cost;
	assert_int_equal(policy_condition_ask(asking.condition, &asking.meter).truth, POLICY_TRUE);
	assert_int_equal(asking.meter.cost, POLICY_COST_MAX);
	outcome = policy_condition_ask(asking.condition, &asking.meter);
	assert_int_equal(outcome.truth, POLICY_ERROR);
	assert_int_equal(outcome.code, CEL_COST);

	asking.meter.exhausted = false;
	asking.meter.cost = POLICY_COST_MAX - asking.cost + 1;
	outcome = policy_condition_ask(asking.condition, &asking.meter);
	assert_int_equal(outcome.truth, POLICY_ERROR);
	assert_int_equal(outcome.code, CEL_COST);
	assert_true(asking.meter.exhausted);
	assert_int_equal(policy_condition_ask(&nothing, &asking.meter).truth, POLICY_TRUE);
}

static void
what_units_do_not_reach_errs_and_what_restricts_raises(void **state)
{
	const struct policy *one = load_heavy(*state, 1);
	uint64_t heavy = prepare(*state, one, 0).cost;
	struct policy_decision decision = decide(*state, one);
	size_t most = (POLICY_COST_MAX - (decision.trail->meter.cost - heavy)) / heavy;

	assert_in_range(most, 2, RULES_MOST);
	decision = decide(*state, load_heavy(*state, most));
	assert_int_equal(decision.verdict, POLICY_ALLOW);
	assert_int_equal(decision.error_count, 0);
	decision = decide(*state, load_heavy(*state, most + 1));
	assert_int_equal(decision.verdict, POLICY_BLOCK);
	assert_string_equal(decision.reason_code, "rule_error");
	assert_string_equal(decision.errors[decision.error_count - 1], "z");
}

static void
two_documents_have_one_purse(void **state)
{
	const struct policy *one = load_heavy(*state, 1), *layers[2];
	uint64_t heavy = prepare(*state, one, 0).cost, light = decide(*state, one).trail->meter.cost - heavy;
	size_t all = (POLICY_COST_MAX - 2 * light) / heavy;
	struct policy_decision decision;

	for (size_t over = 0; over < 2; over++) {
		layers[0] = load_heavy(*state, all / 2);
		layers[1] = load_heavy(*state, all - all / 2 + over);
		policy_decide_layers(layers, 2, request(*state), 1, *state, &decision);
		assert_int_equal(decision.verdict, over ? POLICY_BLOCK : POLICY_ALLOW);
		assert_int_equal(decision.error_count > 0, over);
	}
}

static unsigned looks;

static bool
is_over(void *at)
{
	return ++looks >= *(const unsigned *)at;
}

static void
the_clock_is_looked_at_once_in_1024_units_over_all_conditions(void **state)
{
	const struct policy *policy =
	    load(*state, "{'countersign': 'policy/v1', 'policy': 'p', 'version': 1, 'tenants': ['*'],"
			 " 'classes': [{'id': 'all', 'actions': ['**'], 'default': 'BLOCK'}],"
			 " 'rules': [{'id': 'r', 'when': 'action.size() > 0', 'decision': 'ALLOW'}]}");
	struct asking asking = prepare(*state, policy, 0);
	unsigned second = 2;

	asking.meter.expired = is_over;
	asking.meter.context = &second;
	looks = 0;
	assert_in_range(asking.cost, 1, CEL_POLL_UNITS - 1);
	for (unsigned i = 0; i < 2; i++) {
		asking.meter.cost = 5000;
		asking.meter.polled = 5000 + asking.cost - CEL_POLL_UNITS + 1;
		assert_int_equal(policy_condition_ask(asking.condition, &asking.meter).truth, POLICY_TRUE);
		assert_int_equal(looks, i);
		asking.meter.cost = 5000;
		asking.meter.polled = 5000 + asking.cost - CEL_POLL_UNITS;
		assert_int_equal(policy_condition_ask(asking.condition, &asking.meter).truth, POLICY_TRUE);
		assert_int_equal(looks, i + 1);
		assert_int_equal(asking.meter.exhausted, i == 1);
	}
	assert_int_equal(policy_condition_ask(asking.condition, &asking.meter).truth, POLICY_ERROR);
	assert_int_equal(looks, 2);
}

/* With so many characters in it one is as dear as this; each character more makes it dearer by one unit at most. */
static const struct policy *
load_dear(struct arena *arena, size_t characters, struct findings *findings)
{
	static const char text[] =
	    "{'countersign': 'policy/v1', 'policy': 'p', 'version': 1, 'tenants': ['*'],"
	    " 'inputs': {'l': {'type': 'list<int>', 'max': 600}, 't': {'type': 'string', 'max': MAX}},"
	    " 'classes': [{'id': 'all', 'actions': ['**'], 'default': 'BLOCK'}],"
	    " 'rules': [{'id': 'r', 'when': 'context.l.all(n, n > 0) || context.l.all(n, n < 9) || "
	    "context.t.size() > 3', 'decision': 'ALLOW'}]}";

	*findings = findings_open(arena, 1);
	return policy_load_whole(arena,
				 parse(arena, edit(arena, text, "MAX", arena_format(arena, "%zu", characters))),
				 NULL, findings);
}

static void
an_expression_that_may_cost_ten_thousand_units_is_loaded_and_no_dearer_one(void **state)
{
	struct findings findings;
	size_t characters = 1;

	while (characters < 2000 && load_dear(*state, characters, &findings))
		characters++;
	assert_in_range(characters, 2, 1999);
	assert_string_equal(findings.items[0].code, "E04");
	assert_string_equal(findings.items[0].path, "rules[0].when");
	assert_memory_equal(findings.items[0].text, "may cost 10001 units, 10000 are allowed: ", 41);
}

static const struct policy *
load_long(struct arena *arena, int characters, struct findings *findings)
{
	static const char text[] =
	    "{'countersign': 'policy/v1', 'policy': 'p', 'version': 1, 'tenants': ['*'],"
	    " 'inputs': {'t': {'type': 'string', 'max': MAX}},"
	    " 'classes': [{'id': 'all', 'actions': ['**'], 'default': 'BLOCK'}],"
	    " 'rules': [{'id': 'r', 'when': '[1, 2, 3, 4, 5, 6, 7, 8, 9].exists(i, "
	    "context.t.matches(\\\"^(a|b)+$\\\"))',"
	    " 'decision': 'ALLOW'}]}";

	*findings = findings_open(arena, 1);
	return policy_load_whole(arena,
				 parse(arena, edit(arena, text, "MAX", arena_format(arena, "%d", characters))),
				 NULL, findings);
}

static void
the_max_that_a_refusal_advises_is_the_greatest_that_would_do(void **state)
{
	struct findings findings;
	const char *advice;
	int characters;

	assert_null(load_long(*state, 2000, &findings));
	advice = strstr(findings.items[0].text, "; a declared max of ");
	if (!advice || sscanf(advice, "; a declared max of %d or less for context.t would do", &characters) != 1)
		fail_msg("%s", findings.items[0].text);
	assert_non_null(load_long(*state, characters, &findings));
	assert_null(load_long(*state, characters + 1, &findings));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    STORY(a_decision_has_two_hundred_thousand_units_and_not_one_more),
	    STORY(what_units_do_not_reach_errs_and_what_restricts_raises),
	    STORY(two_documents_have_one_purse),
	    STORY(the_clock_is_looked_at_once_in_1024_units_over_all_conditions),
	    STORY(an_expression_that_may_cost_ten_thousand_units_is_loaded_and_no_dearer_one),
	    STORY(the_max_that_a_refusal_advises_is_the_greatest_that_would_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
