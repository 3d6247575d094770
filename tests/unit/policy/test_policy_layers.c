/* SPDX-License-Identifier: Apache-2.0 */
/* test_policy_layers.c - an organisation's and a tenant's document decide together, and none loosens the other. */
#include "tests/unit/policy/documents.h"

#include "common/policy/policy_explain.h"

#include <stdio.h>

enum { NOW = 1000000 };

#define APPROVALS                                                                                            \
	"'approvals': {'people': {'any_of': [{'group': '%s', 'quorum': %d}], 'ttl': '1h', 'grant': "         \
	"{'valid_for': '%dm'}}}"

struct parts {
	const char *inputs, *classes, *rules, *limits, *params;
	const char *group;
	int quorum, minutes;
};

#define ALLOW_ALL "[{'id': 'all', 'actions': ['**'], 'default': 'ALLOW'}]"
#define ASK_ALL "[{'id': 'all', 'actions': ['**'], 'default': 'REQUIRE_APPROVAL', 'approval': 'people'}]"
#define BLOCK_ALL "[{'id': 'all', 'actions': ['**'], 'default': 'BLOCK'}]"

static const struct policy *
make(struct arena *arena, const char *name, const char *tenant, struct parts parts)
{
	struct buffer text = {.arena = arena};

	buffer_add_format(&text,
			  "{'countersign': 'policy/v1', 'policy': '%s', 'version': 1, 'tenants': ['%s'],",
			  name, tenant);
	if (parts.inputs)
		buffer_add_format(&text, "'inputs': %s,", parts.inputs);
	if (parts.params)
		buffer_add_format(&text, "'params': %s,", parts.params);
	if (parts.rules)
		buffer_add_format(&text, "'rules': %s,", parts.rules);
	if (parts.limits)
		buffer_add_format(&text, "'limits': %s,", parts.limits);
	buffer_add_format(&text, "'classes': %s," APPROVALS "}", parts.classes ? parts.classes : ALLOW_ALL,
			  parts.group ? parts.group : "g", parts.quorum ? parts.quorum : 1,
			  parts.minutes ? parts.minutes : 15);

	struct findings findings = findings_open(arena, FINDINGS_MAX);
	struct policy *policy = policy_load_whole(arena, parse(arena, text.bytes), NULL, &findings);

	if (!policy)
		fail_msg("%s at %s: %s in %s", findings.items[0].code, findings.items[0].path,
			 findings.items[0].text, text.bytes);
	return policy;
}

static const struct policy *
organisation(struct arena *arena, struct parts parts)
{
	return make(arena, "org", "*", parts);
}

static const struct policy *
tenant(struct arena *arena, struct parts parts)
{
	return make(arena, "acme", "acme", parts);
}

static struct policy_request request = {.tenant = "acme", .agent_id = "bot", .action = "pay.out", .target = "x"};

static struct policy_decision
decide(struct arena *arena, const struct policy *org, const struct policy *own, const char *context)
{
	const struct policy *layers[] = {org, own};
	struct policy_decision decision;

	request.context = context ? parse(arena, context) : NULL;
	policy_decide_layers(layers, 2, &request, NOW, arena, &decision);
	assert_non_null(decision.reason_text);
	return decision;
}

static enum policy_verdict
verdict(struct arena *arena, const struct policy *org, const struct policy *own, const char *context)
{
	return decide(arena, org, own, context).verdict;
}

#define RULE(id, decision) "[{'id': '" id "', 'decision': '" decision "'}]"
#define ASKING(id) "[{'id': '" id "', 'decision': 'REQUIRE_APPROVAL', 'approval': 'people'}]"

static void
the_strictest_of_both_stands(void **state)
{
	static const char *const rules[] = {RULE("r", "ALLOW"), ASKING("r"), RULE("r", "BLOCK")};

	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++) {
			struct policy_decision decision =
			    decide(*state, organisation(*state, (struct parts){.rules = rules[i]}),
				   tenant(*state, (struct parts){.rules = rules[j]}), NULL);

			assert_int_equal(decision.verdict, i > j ? i : j);
			assert_string_equal(decision.reason_code, "rule");
			assert_int_equal(decision.rule_count, 1);
		}
}

static void
of_the_defaults_the_stricter_stands_when_no_rule_counts(void **state)
{
	static const char *const classes[] = {ALLOW_ALL, ASK_ALL, BLOCK_ALL};

	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++) {
			struct policy_decision decision =
			    decide(*state, organisation(*state, (struct parts){.classes = classes[i]}),
				   tenant(*state, (struct parts){.classes = classes[j]}), NULL);

			assert_int_equal(decision.verdict, i > j ? i : j);
			assert_true(decision.default_used);
			assert_int_equal(decision.requirement_count, i > 1 || j > 1 ? 0 : (i == 1) + (j == 1));
		}
}

static void
a_default_is_a_floor_for_the_rules_of_the_other(void **state)
{
	const struct policy *asks = organisation(*state, (struct parts){.classes = ASK_ALL});
	const struct policy *allows = tenant(*state, (struct parts){.rules = RULE("r", "ALLOW")});
	struct policy_decision decision = decide(*state, asks, allows, NULL);

	assert_int_equal(decision.verdict, POLICY_REQUIRE_APPROVAL);
	assert_string_equal(decision.reason_code, "class_default");
	assert_int_equal(decision.requirement_count, 1);
	assert_string_equal(decision.requirements[0].policy, "org");
	assert_int_equal(decision.rule_count, 0);
	/* and the other way round */
	assert_int_equal(verdict(*state, organisation(*state, (struct parts){.rules = RULE("r", "ALLOW")}),
				 tenant(*state, (struct parts){.classes = BLOCK_ALL}), NULL),
			 POLICY_BLOCK);
	/* its own rules are what a default is there for */
	assert_int_equal(
	    verdict(*state,
		    organisation(*state, (struct parts){.classes = BLOCK_ALL, .rules = RULE("r", "ALLOW")}),
		    allows, NULL),
	    POLICY_ALLOW);
}

#define YIELDING "[{'id': 'all', 'actions': ['**'], 'default': 'BLOCK', 'floor': false}]"
#define MIXED                                                                                                \
	"[{'id': 'pay', 'actions': ['pay.**'], 'default': 'BLOCK', 'floor': false},"                         \
	" {'id': 'out', 'actions': ['pay.out'], 'default': 'REQUIRE_APPROVAL', 'approval': 'people'},"       \
	" {'id': 'all', 'actions': ['**'], 'default': 'BLOCK'}]"

static void
a_default_that_is_no_floor_gives_way_to_a_rule(void **state)
{
	const struct policy *yields = organisation(*state, (struct parts){.classes = YIELDING});
	const struct policy *allows = tenant(*state, (struct parts){.rules = RULE("r", "ALLOW")});
	struct policy_decision decision = decide(*state, yields, allows, NULL);

	assert_int_equal(decision.verdict, POLICY_ALLOW);
	assert_string_equal(decision.reason_code, "rule");
	/* not to a default */
	assert_int_equal(verdict(*state, yields, tenant(*state, (struct parts){.classes = ALLOW_ALL}), NULL),
			 POLICY_BLOCK);
	/* nor to a rule that does not count */
	assert_int_equal(
	    verdict(*state, yields,
		    tenant(*state, (struct parts){.inputs = "{'n': {'type': 'int'}}",
						  .rules = "[{'id': 'r', 'when': 'context.n > 0',"
							   "  'decision': 'ALLOW'}]"}),
		    NULL),
	    POLICY_BLOCK);
	assert_int_equal(verdict(*state, yields,
				 tenant(*state, (struct parts){.rules = "[{'id': 'r', 'decision': 'ALLOW',"
									" 'mode': 'shadow'}]"}),
				 NULL),
			 POLICY_BLOCK);
	/* of several classes the floors are left */
	decision = decide(*state, organisation(*state, (struct parts){.classes = MIXED}), allows, NULL);
	assert_int_equal(decision.verdict, POLICY_REQUIRE_APPROVAL);
	assert_string_equal(decision.class_id, "out");
}

static void
equal_profiles_of_two_documents_are_two(void **state)
{
	const struct policy *org = organisation(
	    *state, (struct parts){.rules = ASKING("r"), .group = "board", .quorum = 2, .minutes = 20});
	const struct policy *own =
	    tenant(*state, (struct parts){.rules = ASKING("r"), .group = "board", .quorum = 1, .minutes = 5});
	struct policy_decision decision = decide(*state, org, own, NULL);

	assert_int_equal(decision.requirement_count, 2);
	assert_string_equal(decision.requirements[0].policy, "org");
	assert_int_equal(decision.requirements[0].quorum, 2);
	assert_string_equal(decision.requirements[1].policy, "acme");
	assert_int_equal(decision.requirements[1].quorum, 1);
	assert_string_equal(decision.requirements[1].profile, "people");
	assert_int_equal(decision.valid_for, 5 * MINUTE);
	assert_int_equal(decision.rule_count, 1); /* of the same name: once */
}

#define REQUIRES(input) "[{'id': 'all', 'actions': ['**'], 'default': 'ALLOW', 'requires': ['" input "']}]"

static void
what_either_requires_must_be_there(void **state)
{
	const struct policy *org =
	    organisation(*state, (struct parts){.inputs = "{'a': {'type': 'int'}}", .classes = REQUIRES("a")});
	const struct policy *own =
	    tenant(*state, (struct parts){.inputs = "{'b': {'type': 'int'},"
						    " 'a': {'type': 'int', 'default': 1}}",
					  .classes = REQUIRES("b")});
	struct policy_decision decision = decide(*state, org, own, "{}");

	assert_int_equal(decision.verdict, POLICY_BLOCK);
	assert_string_equal(decision.reason_code, "missing_input");
	assert_int_equal(decision.missing_count, 2);
	assert_string_equal(decision.missing[0], "a"); /* the tenant's default is none for the organisation */
	assert_string_equal(decide(*state, org, own, "{'a': 1}").missing[0], "b");
	assert_int_equal(decide(*state, org, own, "{'b': 1}").missing_count, 1);
	assert_int_equal(verdict(*state, org, own, "{'a': 1, 'b': 1}"), POLICY_ALLOW);
}

#define WHEN(when, decision) "[{'id': 'r', 'when': '" when "', 'decision': '" decision "'}]"

static void
a_value_must_satisfy_both_declarations(void **state)
{
	const struct policy *org =
	    organisation(*state, (struct parts){.inputs = "{'n': {'type': 'int', 'max': 10}}",
						.rules = WHEN("context.n > 5", "BLOCK")});
	const struct policy *loose =
	    tenant(*state, (struct parts){.inputs = "{'n': {'type': 'int', 'max': 99}}"});
	const struct policy *text = tenant(*state, (struct parts){.inputs = "{'n': {'type': 'string'}}"});
	const struct policy *filled =
	    tenant(*state, (struct parts){.inputs = "{'n': {'type': 'int', 'default': 1}}",
					  .rules = WHEN("context.n < 5", "ALLOW")});
	struct policy_decision decision = decide(*state, org, loose, "{'n': 11}");

	assert_int_equal(decision.verdict, POLICY_BLOCK);
	assert_string_equal(decision.reason_code, "invalid_request");
	assert_string_equal(decision.refusal->code, "out_of_range");
	assert_int_equal(verdict(*state, org, loose, "{'n': 6}"), POLICY_BLOCK);
	assert_int_equal(verdict(*state, org, loose, "{'n': 4}"), POLICY_ALLOW);
	/* of two kinds nothing can be both */
	assert_string_equal(decide(*state, org, text, "{'n': 4}").reason_code, "invalid_request");
	assert_string_equal(decide(*state, org, text, "{'n': '4'}").reason_code, "invalid_request");
	/* absent: the tenant's default fills nothing in for the organisation, whose rule errs and raises */
	decision = decide(*state, org, filled, "{}");
	assert_int_equal(decision.verdict, POLICY_BLOCK);
	assert_string_equal(decision.reason_code, "rule_error");
}

static void
a_field_is_undeclared_when_none_declares_it(void **state)
{
	const struct policy *a = organisation(*state, (struct parts){.inputs = "{'a': {'type': 'int'}}"});
	const struct policy *b = tenant(*state, (struct parts){.inputs = "{'b': {'type': 'int'}}"});
	const struct policy *open = tenant(*state, (struct parts){0});
	const struct policy *map = tenant(*state, (struct parts){.inputs = "{'a': {'type': 'map'}}"});

	assert_int_equal(verdict(*state, a, b, "{'a': 1, 'b': 2}"), POLICY_ALLOW);
	assert_string_equal(decide(*state, a, b, "{'c': 1}").refusal->code, "undeclared_field");
	/* a document without inputs opens nothing */
	assert_string_equal(decide(*state, a, open, "{'c': 1}").refusal->code, "undeclared_field");
	assert_string_equal(decide(*state, organisation(*state, (struct parts){0}), b, "{'c': 1}").refusal->code,
			    "undeclared_field");
	assert_string_equal(decide(*state, a, map, "{'a': {'c': 1}}").refusal->code, "wrong_type");
}

static void
names_mean_what_their_own_document_says(void **state)
{
	const struct policy *org = organisation(
	    *state, (struct parts){.inputs = "{'n': {'type': 'int'}}",
				   .params = "{'most': {'type': 'int', 'value': 5}}",
				   .classes = "[{'id': 'money', 'actions': ['pay.**'], 'default': 'BLOCK'},"
					      " {'id': 'all', 'actions': ['**'], 'default': 'BLOCK'}]",
				   .rules = WHEN("context.n <= params.most", "ALLOW")});
	const struct policy *own = tenant(
	    *state, (struct parts){.inputs = "{'n': {'type': 'int'}}",
				   .params = "{'most': {'type': 'int', 'value': 500}}",
				   .classes = "[{'id': 'money', 'actions': ['pay.**'], 'default': 'ALLOW'},"
					      " {'id': 'all', 'actions': ['**'], 'default': 'ALLOW'}]",
				   .rules = WHEN("context.n <= params.most", "ALLOW")});

	assert_int_equal(verdict(*state, org, own, "{'n': 5}"), POLICY_ALLOW);
	assert_int_equal(verdict(*state, org, own, "{'n': 6}"), POLICY_BLOCK);
}

#define BOUNDED                                                                                              \
	"{'most': {'type': 'int', 'value': 5, 'min': 1, 'max': 10}, 'free': {'type': 'int', 'value': 5},"    \
	" 'word': {'type': 'string', 'value': 'a', 'enum': ['a', 'b']}}"

static void
a_tenant_gives_a_param_of_the_organisation_within_its_bounds(void **state)
{
	static const struct {
		const char *params, *code;
		int64_t n;
		enum policy_verdict verdict;
	} cases[] = {
	    {"{'most': {'of': 'org', 'value': 10}}", NULL, 10, POLICY_ALLOW},
	    {"{'most': {'of': 'org', 'value': 10}}", NULL, 11, POLICY_BLOCK},
	    {"{'most': {'of': 'org', 'value': 10.0}}", NULL, 10, POLICY_ALLOW},
	    {"{'most': {'of': 'org', 'value': 1}}", NULL, 2, POLICY_BLOCK},
	    {"{'word': {'of': 'org', 'value': 'b'}}", NULL, 5, POLICY_ALLOW},
	    {"{'most': {'of': 'other', 'value': 10}}", NULL, 6, POLICY_BLOCK},
	    {"{'most': {'type': 'int', 'value': 10, 'max': 10}}", NULL, 6, POLICY_BLOCK},
	    {"{'most': {'of': 'org', 'value': 11}}", "out_of_range", 1, POLICY_BLOCK},
	    {"{'most': {'of': 'org', 'value': 0}}", "out_of_range", 1, POLICY_BLOCK},
	    {"{'most': {'of': 'org', 'value': '7'}}", "wrong_type", 1, POLICY_BLOCK},
	    {"{'most': {'of': 'org', 'value': null}}", "wrong_type", 1, POLICY_BLOCK},
	    {"{'word': {'of': 'org', 'value': 'c'}}", "not_in_enum", 1, POLICY_BLOCK},
	    {"{'free': {'of': 'org', 'value': 6}}", "not_overridable", 1, POLICY_BLOCK},
	    {"{'nil': {'of': 'org', 'value': 6}}", "unknown_param", 1, POLICY_BLOCK},
	};
	const struct policy *org = organisation(
	    *state, (struct parts){.inputs = "{'n': {'type': 'int'}}",
				   .params = BOUNDED,
				   .classes = BLOCK_ALL,
				   .rules = WHEN("context.n <= params.most && params.free == 5", "ALLOW")});

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const struct policy *own = tenant(*state, (struct parts){.params = cases[i].params});
		struct error error = {0};
		char context[32];
		struct policy_decision decision;

		snprintf(context, sizeof context, "{'n': %d}", (int)cases[i].n);
		decision = decide(*state, org, own, context);
		assert_int_equal(decision.verdict, cases[i].verdict);
		assert_int_equal(policy_params_fit(own, org, *state, &error), cases[i].code == NULL);
		assert_int_equal(strcmp(decision.reason_code, "bad_param") == 0, cases[i].code != NULL);
		if (cases[i].code) {
			assert_string_equal(error.code, cases[i].code);
			assert_memory_equal(error.field, "params.", 7);
		}
	}
}

static void
only_a_tenants_document_gives_params_and_its_own_stay_its_own(void **state)
{
	static const char document[] =
	    "{'countersign': 'policy/v1', 'policy': 'p', 'version': 1, 'tenants': ['t'],"
	    " 'params': {'most': {'of': 'org', 'value': 7}}, 'classes': " BLOCK_ALL ", 'rules': []}";
	struct findings findings = findings_open(*state, 4);

	assert_non_null(load(*state, document));
	assert_null(policy_load_whole(*state, parse(*state, edit(*state, document, "['t']", "['*']")), NULL,
				      &findings));
	assert_string_equal(findings.items[0].path, "params.most.of");
	findings = findings_open(*state, 4);
	assert_null(policy_load_whole(
	    *state,
	    parse(*state, edit(*state, document, "[]",
			       "[{'id': 'r', 'when': 'params.most > 1', 'decision': 'ALLOW'}]")),
	    NULL, &findings));
	assert_string_equal(findings.items[0].code, "E02");
	findings = findings_open(*state, 4);
	assert_null(policy_load_whole(
	    *state, parse(*state, edit(*state, document, "'value': 7", "'type': 'int', 'value': 7")), NULL,
	    &findings));
	assert_string_equal(findings.items[0].word, "unknown_key");
}

static void
an_error_of_one_raises_with_on_error_of_the_other(void **state)
{
	const struct policy *org = organisation(
	    *state, (struct parts){.classes = "[{'id': 'all', 'actions': ['**'], 'default': 'ALLOW',"
					      " 'on_error': 'BLOCK'}]"});
	const struct policy *own = tenant(*state, (struct parts){.inputs = "{'n': {'type': 'int'}}",
								 .rules = WHEN("context.n > 0", "ALLOW")});

	assert_int_equal(verdict(*state, org, own, "{'n': 1}"), POLICY_ALLOW);
	assert_int_equal(verdict(*state, org, own, "{}"), POLICY_BLOCK);
}

static bool
used(void *usage, const struct policy_counter *counter, struct policy_usage *used_of)
{
	(void)usage;
	used_of->amount = strcmp(counter->limit, "full") == 0 ? 1 : 0;
	return true;
}

#define LIMIT(id, exceeded)                                                                                   \
	"[{'id': '" id "', 'key': ['agent_id'], 'count': {'max': 1, 'per': '1h'}, 'exceeded': '" exceeded "'" \
	", 'approval': 'people'}]"

static void
a_limit_of_either_raises(void **state)
{
	static const char blocking[] =
	    "[{'id': 'full', 'key': ['agent_id'], 'count': {'max': 1, 'per': '1h'},"
	    " 'exceeded': 'BLOCK'}]";
	const struct policy *free =
	    tenant(*state, (struct parts){.limits = LIMIT("free", "REQUIRE_APPROVAL")});
	const struct policy *full =
	    tenant(*state, (struct parts){.limits = LIMIT("full", "REQUIRE_APPROVAL")});
	const struct policy *asks = organisation(*state, (struct parts){.rules = ASKING("r")});

	request.used = used;
	assert_int_equal(verdict(*state, organisation(*state, (struct parts){.limits = blocking}), free, NULL),
			 POLICY_BLOCK);
	assert_int_equal(verdict(*state, organisation(*state, (struct parts){0}), free, NULL), POLICY_ALLOW);

	struct policy_decision decision = decide(*state, asks, full, NULL);

	assert_int_equal(decision.verdict, POLICY_REQUIRE_APPROVAL);
	assert_int_equal(decision.requirement_count, 2);
	assert_int_equal(decision.limit_count, 1);
	assert_string_equal(decision.reason_code, "rule");
	request.used = NULL;
}

static void
a_limit_raises_also_where_the_default_has_given_way(void **state)
{
	const struct policy *allows = tenant(*state, (struct parts){.rules = RULE("r", "ALLOW")});
	const struct policy *limited = organisation(
	    *state, (struct parts){.classes = YIELDING, .limits = LIMIT("full", "REQUIRE_APPROVAL")});
	struct policy_decision decision;

	request.used = used;
	decision = decide(*state, limited, allows, NULL);
	request.used = NULL;
	assert_int_equal(decision.verdict, POLICY_REQUIRE_APPROVAL);
	assert_string_equal(decision.reason_code, "limit_exceeded");
	assert_int_equal(decision.requirement_count, 1);
	assert_string_equal(decision.requirements[0].policy, "org");
	assert_int_equal(decide(*state, limited, allows, NULL).verdict, POLICY_ALLOW);
}

#define HOLDS                                                                                                \
	"[{'id': 'all', 'actions': ['**'], 'default': 'ALLOW', 'approval': 'people',"                        \
	" 'failure': {'evaluation_timeout': 'hold'}}]"

static void
what_comes_late_is_held_only_where_both_hold(void **state)
{
	const struct policy *holds = organisation(*state, (struct parts){.classes = HOLDS});
	struct policy_decision decision;

	request.deadline = NOW - 1;
	decision = decide(*state, holds, tenant(*state, (struct parts){0}), NULL);
	assert_string_equal(decision.reason_code, "evaluation_timeout");
	assert_int_equal(decision.verdict, POLICY_BLOCK);
	decision = decide(*state, holds, tenant(*state, (struct parts){.classes = HOLDS}), NULL);
	assert_int_equal(decision.verdict, POLICY_REQUIRE_APPROVAL);
	assert_int_equal(decision.requirement_count, 2);
	request.deadline = 0;
}

static void
one_that_can_not_decide_blocks(void **state)
{
	const struct policy *open = organisation(*state, (struct parts){0});
	const struct policy *elsewhere = make(*state, "other", "other", (struct parts){0});
	const struct policy *layers[] = {open, NULL};
	struct policy_decision decision;

	assert_string_equal(decide(*state, open, elsewhere, NULL).reason_code, "no_policy");
	policy_decide_layers(layers, 2, &request, NOW, *state, &decision);
	assert_int_equal(decision.verdict, POLICY_BLOCK);
	policy_decide_layers(NULL, 0, &request, NOW, *state, &decision);
	assert_string_equal(decision.reason_code, "no_policy");

	const struct policy *many[POLICY_LAYERS_MAX + 1];

	for (size_t i = 0; i < COUNT_OF(many); i++)
		many[i] = open;
	policy_decide_layers(many, COUNT_OF(many), &request, NOW, *state, &decision);
	assert_int_equal(decision.verdict, POLICY_BLOCK);
	assert_non_null(policy_explain(&decision, *state));
}

static void
more_requirements_than_a_question_holds_block(void **state)
{
	const struct policy *layers[2];

	for (int l = 0; l < 2; l++) {
		struct buffer text = {.arena = *state};

		buffer_add_format(
		    &text,
		    "{'countersign': 'policy/v1', 'policy': 'p%d', 'version': 1, 'tenants': ['%s'],"
		    "'classes': " ALLOW_ALL ", 'approvals': {",
		    l, l ? "acme" : "*");
		for (int i = 0; i < 9; i++)
			buffer_add_format(&text,
					  "%s'a%d': {'any_of': [{'group': 'g', 'quorum': 1}], 'ttl': '1h'}",
					  i ? "," : "", i);
		buffer_add_text(&text, "}, 'rules': [");
		for (int i = 0; i < 9; i++)
			buffer_add_format(
			    &text, "%s{'id': 'r%d', 'decision': 'REQUIRE_APPROVAL', 'approval': 'a%d'}",
			    i ? "," : "", i, i);
		buffer_add_text(&text, "]}");
		layers[l] = load(*state, text.bytes);
	}

	struct policy_decision decision = decide(*state, layers[0], layers[1], NULL);

	assert_int_equal(decision.verdict, POLICY_BLOCK);
	assert_string_equal(decision.reason_code, "too_many_requirements");
	assert_int_equal(decision.requirement_count, 0);
}

static const struct value *
member(const struct value *list, size_t n, const char *name)
{
	assert_non_null(list);
	assert_int_equal(list->kind, VALUE_LIST);
	assert_true(n < list->as.list.count);
	return value_get(list->as.list.items[n], name);
}

static void
an_explanation_says_whose_rule_it_is_and_hides_what_either_hides(void **state)
{
	const struct policy *org =
	    organisation(*state, (struct parts){.inputs = "{'n': {'type': 'int', 'sensitive': true}}",
						.rules = WHEN("context.n > 5", "BLOCK")});
	const struct policy *own = tenant(*state, (struct parts){.inputs = "{'n': {'type': 'int'}}",
								 .rules = WHEN("context.n > 4", "ALLOW")});
	struct policy_decision decision = decide(*state, org, own, "{'n': 6}");
	const struct value *map = policy_explain(&decision, *state);

	assert_string_equal(member(value_get(map, "policy"), 0, "id")->as.string.bytes, "org");
	assert_string_equal(member(value_get(map, "policy"), 1, "id")->as.string.bytes, "acme");
	assert_string_equal(member(value_get(map, "class"), 1, "policy")->as.string.bytes, "acme");
	assert_int_equal(value_get(map, "because")->as.list.count, 1);
	assert_string_equal(member(value_get(map, "because"), 0, "policy")->as.string.bytes, "org");
	/* what the other would have allowed decides nothing */
	assert_string_equal(member(value_get(map, "considered"), 0, "policy")->as.string.bytes, "acme");
	assert_string_equal(member(value_get(map, "considered"), 0, "result")->as.string.bytes, "yes");
	decision = decide(*state, org, own, "{'n': 5}");
	assert_int_equal(decision.verdict, POLICY_ALLOW);
	map = policy_explain(&decision, *state);
	assert_string_equal(value_get(member(value_get(map, "because"), 0, "read"), "context.n")->as.string.bytes,
			    "(hidden)");
}

static void
one_document_is_decided_as_ever(void **state)
{
	const struct policy *org = organisation(*state, (struct parts){.rules = ASKING("r")});
	struct policy_decision decision;

	request.context = NULL;
	policy_decide_layers(&org, 1, &request, NOW, *state, &decision);
	assert_int_equal(decision.verdict, POLICY_REQUIRE_APPROVAL);
	assert_null(decision.requirements[0].policy);

	const struct value *map = policy_explain(&decision, *state);

	assert_int_equal(value_get(map, "policy")->kind, VALUE_MAP);
	assert_null(member(value_get(map, "because"), 0, "policy"));
	assert_null(member(value_get(map, "approvals"), 0, "policy"));
}

static void
inputs_that_no_value_satisfies_in_both_are_told(void **state)
{
	static const struct {
		const char *org, *own, *field; /* NULL: they fit */
	} pairs[] = {
	    {"{'a': {'type': 'int'}}", "{'a': {'type': 'int'}, 'b': {'type': 'string'}}", NULL},
	    {"{'a': {'type': 'int'}}", "{'a': {'type': 'double'}}", NULL},
	    {"{'a': {'type': 'string'}}", "{'a': {'type': 'timestamp'}}", NULL},
	    {"{'a': {'type': 'duration'}}", "{'a': {'type': 'string'}}", NULL},
	    {"{'a': {'type': 'map'}}", "{'a': {'type': 'map', 'fields': {'b': {'type': 'int'}}}}", NULL},
	    {"{'a': {'type': 'string', 'enum': ['x', 'y']}}", "{'a': {'type': 'string', 'enum': ['y', 'z']}}",
	     NULL},
	    {"{'a': {'type': 'int', 'max': 5}}", "{'a': {'type': 'int', 'min': 5}}", NULL},
	    {"{'b': {'type': 'int'}, 'a': {'type': 'int'}}",
	     "{'a': {'type': 'string'}, 'c': {'type': 'bool'}}", "inputs.a"},
	    {"{'a': {'type': 'double'}}", "{'a': {'type': 'bool'}}", "inputs.a"},
	    {"{'a': {'type': 'timestamp'}}", "{'a': {'type': 'duration'}}", "inputs.a"},
	    {"{'a': {'type': 'int'}}", "{'a': {'type': 'timestamp'}}", "inputs.a"},
	    {"{'a': {'type': 'list<int>'}}", "{'a': {'type': 'list<string>'}}", "inputs.a"},
	    {"{'a': {'type': 'list<int>'}}", "{'a': {'type': 'int'}}", "inputs.a"},
	    {"{'a': {'type': 'map', 'fields': {'b': {'type': 'int'}}}}",
	     "{'a': {'type': 'map', 'fields': {'b': {'type': 'bool'}}}}", "inputs.a.b"},
	    {"{'a': {'type': 'map', 'fields': {'b': {'type': 'int', 'required': true}}}}",
	     "{'a': {'type': 'map', 'fields': {'c': {'type': 'bool'}}}}", "inputs.a.b"},
	    {"{'a': {'type': 'string', 'enum': ['x']}}", "{'a': {'type': 'string', 'enum': ['y']}}", "inputs.a"},
	    {"{'a': {'type': 'int', 'enum': [1]}}", "{'a': {'type': 'int', 'enum': [2]}}", "inputs.a"},
	    {"{'a': {'type': 'int', 'max': 5}}", "{'a': {'type': 'int', 'min': 6}}", "inputs.a"},
	    {"{'a': {'type': 'string', 'min': 6}}", "{'a': {'type': 'string', 'max': 5}}", "inputs.a"},
	};
	struct arena *arena = *state;

	for (size_t i = 0; i < COUNT_OF(pairs); i++) {
		const struct policy *org = organisation(arena, (struct parts){.inputs = pairs[i].org});
		const struct policy *own = tenant(arena, (struct parts){.inputs = pairs[i].own});
		struct error error = {0}, mirrored = {0};

		assert_int_equal(policy_inputs_fit(org, own, arena, &error), !pairs[i].field);
		assert_int_equal(policy_inputs_fit(own, org, arena, &mirrored), !pairs[i].field);
		if (!pairs[i].field)
			continue;
		assert_string_equal(error.code, "inputs_clash");
		assert_string_equal(error.field, pairs[i].field);
		assert_string_equal(mirrored.field, pairs[i].field);
		assert_non_null(strstr(error.text, "acme"));
		assert_non_null(strstr(mirrored.text, "org"));
	}
}

static void
a_request_is_of_every_class_of_every_document_that_covers_its_action(void **state)
{
	static const char two[] = "[{'id': 'pay', 'actions': ['pay.**'], 'default': 'ALLOW'},"
				  " {'id': 'out', 'actions': ['**.out'], 'default': 'ALLOW'},"
				  " {'id': 'rest', 'actions': ['**'], 'default': 'BLOCK'}]";
	const struct policy *org = organisation(*state, (struct parts){.classes = ALLOW_ALL});
	const struct policy *own = tenant(*state, (struct parts){.classes = two});
	struct policy_decision both = decide(*state, org, own, NULL), one;

	for (size_t i = 0; i < 3; i++)
		assert_true(policy_is_of_class(&both, (const char *const[]){"all", "pay", "out"}[i]));
	assert_false(policy_is_of_class(&both, "rest"));
	assert_false(policy_is_of_class(&both, "pa"));
	policy_decide(own, &request, NOW, *state, &one);
	assert_true(policy_is_of_class(&one, "pay"));
	assert_false(policy_is_of_class(&one, "all"));
	policy_decide(NULL, &request, NOW, *state, &one);
	assert_false(policy_is_of_class(&one, "pay"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    STORY(the_strictest_of_both_stands),
	    STORY(of_the_defaults_the_stricter_stands_when_no_rule_counts),
	    STORY(a_default_is_a_floor_for_the_rules_of_the_other),
	    STORY(a_default_that_is_no_floor_gives_way_to_a_rule),
	    STORY(equal_profiles_of_two_documents_are_two),
	    STORY(what_either_requires_must_be_there),
	    STORY(a_value_must_satisfy_both_declarations),
	    STORY(a_field_is_undeclared_when_none_declares_it),
	    STORY(names_mean_what_their_own_document_says),
	    STORY(a_tenant_gives_a_param_of_the_organisation_within_its_bounds),
	    STORY(only_a_tenants_document_gives_params_and_its_own_stay_its_own),
	    STORY(an_error_of_one_raises_with_on_error_of_the_other),
	    STORY(a_limit_of_either_raises),
	    STORY(a_limit_raises_also_where_the_default_has_given_way),
	    STORY(what_comes_late_is_held_only_where_both_hold),
	    STORY(one_that_can_not_decide_blocks),
	    STORY(more_requirements_than_a_question_holds_block),
	    STORY(an_explanation_says_whose_rule_it_is_and_hides_what_either_hides),
	    STORY(one_document_is_decided_as_ever),
	    STORY(inputs_that_no_value_satisfies_in_both_are_told),
	    STORY(a_request_is_of_every_class_of_every_document_that_covers_its_action),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
