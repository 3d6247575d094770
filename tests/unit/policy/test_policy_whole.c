/* SPDX-License-Identifier: Apache-2.0 */
/* test_policy_whole.c - everything a document may say, read and kept; and what is wrong with it, by the codes of the manual. */
#include "tests/unit/policy/documents.h"

#include "common/policy/policy_private.h"

static const char sound[] =
    "{'countersign': 'policy/v1', 'policy': 'acme', 'version': 1,"
    " 'inputs': {"
    "  'risk': {'type': 'string', 'enum': ['low', 'high'], 'description': 'How bad it may get.'},"
    "  'amount': {'type': 'int', 'min': 0}, 'share': {'type': 'double', 'max': 1, 'default': 0.5},"
    "  'tags': {'type': 'list<string>', 'max': 8}, 'force': {'type': 'bool', 'default': false},"
    "  'age': {'type': 'duration', 'min': '0', 'max': '720h'}, 'at': {'type': 'timestamp', 'min': "
    "'2026-01-01T00:00:00Z'},"
    "  'secret': {'type': 'string', 'sensitive': true}, 'free': 'map', 'who': {'type': 'string', 'required': "
    "true},"
    "  'plan': {'type': 'map', 'fields': {'delete': 'int', 'types': 'list<string>', 'deep': {'type': 'map', "
    "'fields': {'x': 'bool'}}}},"
    "  'lines': {'type': 'list<map>', 'fields': {'sum': {'type': 'int', 'min': 0}}}},"
    " 'params': {'most': {'type': 'int', 'value': 5000, 'max': 10000}, 'target': {'type': 'list<string>', "
    "'value': ['a']}},"
    " 'let': {'small': 'context.amount <= params.most'},"
    " 'classes': [{'id': 'read', 'actions': ['**.read'], 'default': 'ALLOW', 'failure': {'unavailable': "
    "'open', 'approval_queued': 'hold',"
    "   'ignored': 'tighten', 'downstream_failure': 'escalate', 'no_eligible_approver': 'escalate'}, "
    "'on_error': 'BLOCK',"
    "   'floor': false, 'identity': 'verified', 'irreversible': true, 'fallback': {'group': 'rescue', "
    "'quorum': 2}, 'requires': ['risk', 'plan.delete', "
    "'free.x.y']},"
    "  {'id': 'other', 'actions': ['**'], 'default': 'BLOCK'}],"
    " 'approvals': {'two': {'all_of': [{'group': 'b', 'quorum': 2, 'filter': 'x'}, {'group': 'a', 'quorum': "
    "1}], 'distinct': true,"
    "   'deny_quorum': 2, 'exclude': ['requester', 'last_approver'], 'require_reason': true, 'override': "
    "'o', 'ttl': '2h', "
    "'hold_for': '5m', 'extend_to': '3h', 'remind_before': '10m', 'remind_every': '20m',"
    "   'escalate': [{'after': '30m', 'to': {'group': 'c', 'quorum': 1}}, {'after': '1h', 'to': {'group': "
    "'d', 'quorum': 1}, 'how': 'replace'}],"
    "   'grant': {'uses': 3, 'valid_for': '10m'}},"
    "  'one': {'any_of': [{'group': 'a', 'quorum': 1}, {'group': 'e', 'quorum': 2}], 'ttl': 'none'},"
    "  'staged': {'stages': [{'any_of': [{'group': 'a', 'quorum': 1}]}, {'all_of': [{'group': 'b', 'quorum': "
    "1}, "
    "{'group': 'e', 'quorum': 1}]}], 'distinct': true, 'ttl': '1h'}},"
    " 'rules': [{'id': 'r', 'match': {'actions': ['a.b']}, 'let': {'big': '!small'}, 'when': 'big', "
    "'unless': 'context.force',"
    "   'decision': 'ALLOW', 'obligations': {'watermark': true, 'redact': ['x', {'y': 1}]}, 'mode': 'shadow',"
    "   'severity': 'high', 'owner': 'team-x', 'expires': '2027-01-01T00:00:00Z', 'reason': 'Of "
    "{context.amount}.'},"
    "  {'id': 's', 'match': {'actions': ['a.c']}, 'decision': 'BLOCK', 'remediation': 'Ask less.'}],"
    " 'limits': [{'id': 'l', 'match': {'actions': ['a.b']}, 'when': 'true', 'key': ['tenant', "
    "'context.risk', 'request_digest'],"
    "   'sum': {'of': 'context.amount', 'max': 500, 'per': '24h'}, 'window': 'token_bucket', 'warn_at': 0.8, "
    "'exceeded': 'REQUIRE_APPROVAL',"
    "   'approval': 'two', 'count_on': 'grant', 'release_on_failure': true, 'reason': 'Too much.'},"
    "  {'id': 'k', 'key': ['agent_id'], 'count': {'max': 20, 'per': '1h'}, 'exceeded': 'BLOCK',"
    "   'count_on': 'execution', 'report_within': '90s'}],"
    " 'invariants': [{'id': 'i', 'match': {'actions': ['a.b']}, 'assume': 'context.force', 'assert': "
    "'size(decision) > 3', 'reason': 'Never.'}]}";

static struct policy *
whole(struct arena *arena, const char *text, struct findings *findings)
{
	*findings = findings_open(arena, FINDINGS_MAX);
	return policy_load_whole(arena, parse(arena, text), NULL, findings);
}

static const struct policy *
good(struct arena *arena, const char *text)
{
	struct findings findings;
	const struct policy *policy = whole(arena, text, &findings);

	if (!policy)
		fail_msg("%s %s at %s: %s", findings.items[0].code, findings.items[0].word,
			 findings.items[0].path, findings.items[0].text);
	return policy;
}

static void
every_key_is_read_and_kept(void **state)
{
	const struct policy *policy = good(*state, sound);
	const struct policy_class *class = &policy->classes[0];
	const struct policy_profile *two = &policy->profiles[0], *one = &policy->profiles[1];
	const struct policy_rule *rule = &policy->rules[0];
	const struct policy_limit *count = &policy->limits[0], *sum = &policy->limits[1];
	size_t groups;

	assert_int_equal(class->cells.unavailable, POLICY_UNAVAILABLE_OPEN);
	assert_int_equal(class->cells.approval_queued, POLICY_QUEUED_HOLD);
	assert_int_equal(class->cells.ignored, POLICY_AFTER_TIGHTEN);
	assert_int_equal(class->cells.downstream_failure, POLICY_AFTER_ESCALATE);
	assert_int_equal(class->cells.no_eligible_approver, POLICY_NOBODY_ESCALATE);
	assert_int_equal(class->cells.evaluation_timeout, POLICY_TIMEOUT_CLOSED);
	assert_true(class->errors_block && !class->is_floor && class->verified_identity && class->irreversible);
	assert_true(policy->classes[1].is_floor && !policy->classes[1].errors_block);
	assert_int_equal(two->stage_count, 1);
	assert_true(two->stages[0].all && two->distinct && two->require_reason);
	assert_int_equal(two->stages[0].ask_count, 2);
	assert_string_equal(two->stages[0].asks[0].group, "b");
	assert_string_equal(two->stages[0].asks[0].filter->source, "x");
	assert_int_equal(two->extend_to, 3 * HOUR);
	assert_int_equal(two->remind_before, 10 * MINUTE);
	assert_int_equal(two->remind_every, 20 * MINUTE);
	assert_int_equal(two->exclude, POLICY_EXCLUDE_REQUESTER | POLICY_EXCLUDE_LAST_APPROVER);
	assert_int_equal(two->deny_quorum, 2);
	assert_string_equal(two->override, "o");
	assert_int_equal(two->hold_for, 5 * MINUTE);
	assert_int_equal(two->uses, 3);
	assert_int_equal(two->steps[0].how, POLICY_ESCALATE_ADD);
	assert_int_equal(two->steps[1].how, POLICY_ESCALATE_REPLACE);
	assert_int_equal(two->steps[1].after, HOUR);
	assert_true(!one->stages[0].all && one->ttl == 0 && one->uses == 1);
	assert_int_equal(policy->profiles[2].stage_count, 2);
	assert_true(!policy->profiles[2].stages[0].all && policy->profiles[2].stages[1].all);
	assert_int_equal(policy->profiles[2].stages[1].ask_count, 2);
	policy_groups(policy, &groups);
	assert_int_equal(groups, 7);
	assert_string_equal(rule->when->source, "big");
	assert_string_equal(rule->when->path, "rules[0].when");
	assert_string_equal(rule->unless->source, "context.force");
	assert_string_equal(rule->lets.items[0].name, "big");
	assert_string_equal(policy->lets.items[0].value.path, "let.small");
	assert_true(rule->is_shadow);
	assert_int_equal(rule->expires, INT64_C(1798761600) * 1000000);
	assert_string_equal(rule->severity, "high");
	assert_string_equal(
	    value_get_string(value_get(rule->obligations, "redact")->as.list.items[1], "z") ? "z" : "", "");
	assert_string_equal(count->id, "k");
	assert_true(!count->sum_of && count->max == 20 && count->per == HOUR && count->exceeded == POLICY_BLOCK);
	assert_string_equal(sum->sum_of, "context.amount");
	assert_int_equal(count->count_on, POLICY_COUNT_EXECUTION);
	assert_int_equal(count->report_within, INT64_C(90) * 1000000);
	assert_int_equal(sum->window, POLICY_WINDOW_TOKEN_BUCKET);
	assert_int_equal(sum->count_on, POLICY_COUNT_GRANT);
	assert_true(sum->release_on_failure && sum->warn_at == 0.8 && sum->profile == two);
	assert_string_equal(sum->key.items[0], "context.risk");
	assert_string_equal(policy->invariants[0].assertion.source, "size(decision) > 3");
	assert_string_equal(policy->params[0].field.name, "most");
	assert_int_equal(policy->params[0].value.as.integer, 5000);
}

static void
a_policy_with_gaps_is_loaded_by_no_service(void **state)
{
	const struct policy *policy = good(*state, sound);
	struct error error = {0};

	assert_in_range(policy_gaps(policy)->count, 5, FINDINGS_MAX);
	assert_string_equal(policy_gaps(policy)->items[0].code, "E10");
	assert_null(policy_load(*state, parse(*state, sound), &error));
	assert_string_equal(error.code, "unsupported_key");
}

/* Many people may be asked in ways that services don't know: decisions are right all the same. */
static void
a_policy_whose_gaps_are_the_services_is_decided_by(void **state)
{
	static const char text[] =
	    "{'countersign': 'policy/v1', 'policy': 'p', 'version': 1, 'classes': [{'id': 'c', 'actions': "
	    "['**'],"
	    " 'default': 'REQUIRE_APPROVAL', 'approval': 'x', 'failure': {'ignored': 'record'}}],"
	    " 'approvals': {'x': {'all_of': [{'group': 'a', 'quorum': 1}, {'group': 'b', 'quorum': 1}], "
	    "'ttl': '1h'}}}";
	const struct policy *policy = good(*state, text);
	const struct policy_request request = {
	    .tenant = "default", .agent_id = "x", .action = "a.b", .target = "t"};
	struct policy_decision decision;
	struct error error = {0};

	assert_int_equal(policy_gaps(policy)->count, 1);
	policy_decide(policy, &request, 1, *state, &decision);
	assert_int_equal(decision.verdict, POLICY_REQUIRE_APPROVAL);
	assert_string_equal(decision.requirements[0].profile, "x");
	assert_null(policy_load(*state, parse(*state, text), &error));
}

/* What a use may be given back for is said by the limit when it is taken. */
static void
a_use_says_whether_a_failure_gives_it_back(void **state)
{
	static const char text[] =
	    "{'countersign': 'policy/v1', 'policy': 'p', 'version': 1, 'classes': [{'id': 'c', 'actions': "
	    "['**'], 'default': 'ALLOW'}],"
	    " 'limits': [{'id': 'a', 'key': ['tenant'], 'count': {'max': 1, 'per': '1h'}, 'exceeded': "
	    "'BLOCK',"
	    " 'release_on_failure': true},"
	    " {'id': 'b', 'key': ['tenant'], 'count': {'max': 1, 'per': '1h'}, 'exceeded': 'BLOCK',"
	    " 'release_on_failure': false},"
	    " {'id': 'c', 'key': ['tenant'], 'count': {'max': 1, 'per': '1h'}, 'exceeded': 'BLOCK'}]}";
	const struct policy *policy = good(*state, text);
	const struct policy_request request = {
	    .tenant = "default", .agent_id = "x", .action = "a.b", .target = "t"};
	struct policy_decision decision;
	const struct policy_use *uses;
	size_t count;

	assert_int_equal(policy_gaps(policy)->count, 0);
	policy_decide(policy, &request, 1, *state, &decision);
	assert_int_equal(decision.verdict, POLICY_ALLOW);
	uses = policy_uses(&decision, *state, &count);
	assert_int_equal(count, 3);
	assert_true(uses[0].releases && !uses[1].releases && !uses[2].releases);
}

struct fault {
	const char *find, *replace, *what, *path;
};

/* The only finding as "E01 word". */
static void
check_faults(struct arena *arena, const struct fault *faults, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct findings findings;
		const char *text = edit(arena, sound, faults[i].find, faults[i].replace), *got;

		if (whole(arena, text, &findings))
			fail_msg("%s was taken", faults[i].replace);
		got = arena_format(arena, "%s %s", findings.items[0].code, findings.items[0].word);
		if (strcmp(got, faults[i].what) != 0 || strcmp(findings.items[0].path, faults[i].path) != 0)
			fail_msg("%s at %s expected, got %s at %s (%s) for %s", faults[i].what, faults[i].path,
				 got, findings.items[0].path, findings.items[0].text, faults[i].replace);
		if (findings.count > 1)
			fail_msg("%s: one fault, %zu findings: %s at %s", faults[i].replace, findings.count,
				 findings.items[1].text, findings.items[1].path);
	}
}

static void
inputs_are_checked(void **state)
{
	static const struct fault faults[] = {
	    {"'amount': {'type': 'int', 'min': 0}", "'amount': {'type': 'integer', 'min': 0}",
	     "E01 bad_value", "inputs.amount.type"},
	    {"'free': 'map'", "'free': 'maps'", "E01 bad_value", "inputs.free"},
	    {"'free': 'map'", "'free': 7", "E01 wrong_type", "inputs.free"},
	    {"'free': 'map'", "'free': 'list<>'", "E01 bad_value", "inputs.free"},
	    {"'free': 'map'", "'free': {'type': 'map', 'field': {}}", "E01 unknown_key", "inputs.free.field"},
	    {"'free': 'map'", "'free': {'type': 'map', 'fields': {}}", "E01 bad_value", "inputs.free.fields"},
	    {"'free': 'map'", "'free': {'type': 'map', 'fields': {'a.b': 'int'}}", "E01 bad_value",
	     "inputs.free.fields.a.b"},
	    {"'free': 'map'", "'free': {'type': 'map', 'default': {}}", "E01 bad_value", "inputs.free.default"},
	    {"'free': 'map'", "'free': {'max': 3}", "E01 missing_key", "inputs.free.type"},
	    {"'lines': {'type': 'list<map>'", "'lines': {'type': 'list<int>'", "E01 bad_value",
	     "inputs.lines.fields"},
	    {"'share': {'type': 'double', 'max': 1,", "'share': {'type': 'double', 'max': '1',",
	     "E02 wrong_value_type", "inputs.share.max"},
	    {"'share': {'type': 'double', 'max': 1,", "'share': {'type': 'double', 'max': 0.4,",
	     "E01 bad_value", "inputs.share.default"},
	    {"'share': {'type': 'double', 'max': 1,", "'share': {'type': 'double', 'min': 2, 'max': 1,",
	     "E01 bad_value", "inputs.share.max"},
	    {"'default': 0.5", "'default': 0.5, 'required': true", "E01 bad_value", "inputs.share.default"},
	    {"'default': 0.5", "'default': null", "E02 wrong_value_type", "inputs.share.default"},
	    {"'default': false", "'default': 'false'", "E02 wrong_value_type", "inputs.force.default"},
	    {"'default': false", "'max': 1", "E01 bad_value", "inputs.force.max"},
	    {"'amount': {'type': 'int', 'min': 0}", "'amount': {'type': 'int', 'min': 0, 'default': -1}",
	     "E01 bad_value", "inputs.amount.default"},
	    {"'amount': {'type': 'int', 'min': 0}", "'amount': {'type': 'int', 'min': 0, 'default': 1.5}",
	     "E02 wrong_value_type", "inputs.amount.default"},
	    {"['low', 'high'], 'description'", "['low', 'low'], 'description'", "E01 duplicate_id",
	     "inputs.risk.enum[1]"},
	    {"['low', 'high'], 'description'", "['low', 1], 'description'", "E02 wrong_value_type",
	     "inputs.risk.enum[1]"},
	    {"['low', 'high'], 'description'", "[], 'description'", "E01 bad_value", "inputs.risk.enum"},
	    {"['low', 'high'], 'description'", "['low', 'high'], 'default': 'none', 'description'",
	     "E01 bad_value", "inputs.risk.default"},
	    {"'max': 8", "'max': -1", "E01 bad_value", "inputs.tags.max"},
	    {"'max': '720h'", "'max': '30d'", "E02 wrong_value_type", "inputs.age.max"},
	    {"'2026-01-01T00:00:00Z'", "'2026-02-30T00:00:00Z'", "E02 wrong_value_type", "inputs.at.min"},
	    {"'sensitive': true", "'sensitive': 'yes'", "E01 wrong_type", "inputs.secret.sensitive"},
	    {"'plan.delete', 'free.x.y'", "'plan.delate', 'free.x.y'", "E02 unknown_input",
	     "classes[0].requires[1]"},
	    {"'value': 5000", "'value': 10001", "E01 bad_value", "params.most.value"},
	    {"'value': 5000", "'value': '5000'", "E02 wrong_value_type", "params.most.value"},
	    {"'value': 5000, ", "", "E01 missing_key", "params.most.value"},
	    {"'params': {'most'", "'params': {'1most'", "E01 bad_value", "params.1most"},
	    {"{'small': ", "{'context': ", "E01 bad_value", "let.context"},
	    {"{'small': ", "{'in': ", "E01 bad_value", "let.in"},
	    {"{'small': ", "{'a-b': ", "E01 bad_value", "let.a-b"},
	    {"'context.amount <= params.most'", "''", "E01 bad_value", "let.small"},
	    {"'context.amount <= params.most'", "true", "E01 wrong_type", "let.small"},
	};

	check_faults(*state, faults, COUNT_OF(faults));
}

static void
classes_and_cells_are_checked(void **state)
{
	static const struct fault faults[] = {
	    {"'unavailable': 'open'", "'unavailable': 'hold'", "E01 bad_value",
	     "classes[0].failure.unavailable"},
	    {"'approval_queued': 'hold'", "'approval_queued': 'open'", "E01 bad_value",
	     "classes[0].failure.approval_queued"},
	    {"'ignored': 'tighten'", "'ignored': 'closed'", "E01 bad_value", "classes[0].failure.ignored"},
	    {"'downstream_failure': 'escalate'", "'downstream_failure': 'open'", "E01 bad_value",
	     "classes[0].failure.downstream_failure"},
	    {"'no_eligible_approver': 'escalate'", "'no_eligible_approver': 'open'", "E01 bad_value",
	     "classes[0].failure.no_eligible_approver"},
	    {"'ignored': 'tighten'", "'evaluation_timeout': 'open'", "E01 bad_value",
	     "classes[0].failure.evaluation_timeout"},
	    /* open is the gate's, where everything is allowed anyway */
	    {"'default': 'ALLOW', 'failure'", "'default': 'BLOCK', 'failure'", "E05 bad_value",
	     "classes[0].failure.unavailable"},
	    {"'on_error': 'BLOCK'", "'on_error': 'ALLOW'", "E01 bad_value", "classes[0].on_error"},
	    {"'floor': false", "'floor': 'false'", "E01 wrong_type", "classes[0].floor"},
	    {"'identity': 'verified'", "'identity': 'signed'", "E01 bad_value", "classes[0].identity"},
	    {"'irreversible': true", "'irreversible': 1", "E01 wrong_type", "classes[0].irreversible"},
	    {"'irreversible': true", "'no_deadline': 'yes'", "E01 wrong_type", "classes[0].no_deadline"},
	    {"'fallback': {'group': 'rescue', 'quorum': 2}, ", "", "E05 missing_key", "classes[0].fallback"},
	    {"'group': 'rescue', 'quorum': 2", "'group': 'rescue'", "E01 missing_key",
	     "classes[0].fallback.quorum"},
	    {"'no_eligible_approver': 'escalate'", "'no_eligible_approver': 'hold'", "E05 bad_value",
	     "classes[0].fallback"},
	    {"'actions': ['**'], 'default'", "'actions': ['*.**'], 'default'", "E05 no_fallback_class",
	     "classes"},
	};

	check_faults(*state, faults, COUNT_OF(faults));
}

static void
approvals_are_checked(void **state)
{
	static const struct fault faults[] = {
	    {"'all_of'", "'any_of': [{'group': 'z', 'quorum': 1}], 'all_of'", "E01 bad_value",
	     "approvals.two.all_of"},
	    {"'all_of': [{'group': 'b', 'quorum': 2, 'filter': 'x'}, {'group': 'a', 'quorum': 1}], "
	     "'distinct': true,",
	     "", "E01 missing_key", "approvals.two.any_of"},
	    {"{'group': 'a', 'quorum': 1}], 'distinct'", "{'group': 'b', 'quorum': 1}], 'distinct'",
	     "E01 duplicate_id", "approvals.two.all_of[1].group"},
	    {"'any_of': [", "'distinct': true, 'any_of': [", "E01 bad_value", "approvals.one.distinct"},
	    {"'deny_quorum': 2", "'deny_quorum': 0", "E01 bad_value", "approvals.two.deny_quorum"},
	    {"'last_approver'", "'nobody'", "E01 bad_value", "approvals.two.exclude[1]"},
	    {"'last_approver'", "'requester'", "E01 duplicate_id", "approvals.two.exclude[1]"},
	    {"'require_reason': true", "'require_reason': 'deny'", "E01 wrong_type",
	     "approvals.two.require_reason"},
	    {"'override': 'o'", "'override': ['o']", "E01 wrong_type", "approvals.two.override"},
	    {"'hold_for': '5m'", "'hold_for': '10m'", "E01 bad_value", "approvals.two.hold_for"},
	    {"'after': '1h'", "'after': '30m'", "E01 bad_value", "approvals.two.escalate[1].after"},
	    {"'after': '1h'", "'after': '2h'", "E01 bad_value", "approvals.two.escalate[1].after"},
	    {"'how': 'replace'", "'how': 'shout'", "E01 bad_value", "approvals.two.escalate[1].how"},
	    {"'extend_to': '3h'", "'extend_to': '1h'", "E01 bad_value", "approvals.two.extend_to"},
	    {"'remind_before': '10m'", "'remind_before': '2h'", "E01 bad_value", "approvals.two.remind_before"},
	    {"'remind_every': '20m'", "'remind_every': 20", "E01 wrong_type", "approvals.two.remind_every"},
	    {"'stages': [", "'any_of': [{'group': 'z', 'quorum': 1}], 'stages': [", "E01 bad_value",
	     "approvals.staged.stages"},
	    {"{'all_of': [{'group': 'b', 'quorum': 1}", "{'any_of': [], 'all_of': [{'group': 'b', 'quorum': 1}",
	     "E01 bad_value", "approvals.staged.stages[1].all_of"},
	    {"{'all_of': [{'group': 'b', 'quorum': 1}", "{'ttl': '1h', 'all_of': [{'group': 'b', 'quorum': 1}",
	     "E01 unknown_key", "approvals.staged.stages[1].ttl"},
	    {"'stages': [", "'stages': [{}, ", "E01 missing_key", "approvals.staged.stages[0].any_of"},
	    {"'uses': 3", "'uses': 1001", "E01 bad_value", "approvals.two.grant.uses"},
	    {"'ttl': 'none'", "'ttl': 'never'", "E01 bad_value", "approvals.one.ttl"},
	    {"'filter': 'x'", "'filter': ''", "E01 bad_value", "approvals.two.all_of[0].filter"},
	};

	check_faults(*state, faults, COUNT_OF(faults));
}

static void
rules_are_checked(void **state)
{
	static const struct fault faults[] = {
	    {"'when': 'big'", "'when': true", "E01 wrong_type", "rules[0].when"},
	    {"'when': 'big'", "'when': ' \\n'", "E01 bad_value", "rules[0].when"},
	    {"'when': 'big'", "'when': 'a\\u0001'", "E01 bad_value", "rules[0].when"},
	    {"'unless': 'context.force'", "'unless': null", "E01 wrong_type", "rules[0].unless"},
	    {"{'big': '!small'}", "{'small': 'true'}", "E01 duplicate_id", "rules[0].let.small"},
	    {"{'watermark': true,", "{'water mark': true,", "E01 bad_value", "rules[0].obligations.water?mark"},
	    {"{'watermark': true,", "{'watermark': null,", "E01 bad_value", "rules[0].obligations.watermark"},
	    {"{'watermark': true,", "{'watermark': 'a\\u200b',", "E01 bad_value",
	     "rules[0].obligations.watermark"},
	    {"{'watermark': true,", "{'watermark': ['a\\n'],", "E01 bad_value",
	     "rules[0].obligations.watermark[0]"},
	    {"{'watermark': true,", "{'watermark': {'a b': 1},", "E01 bad_value",
	     "rules[0].obligations.watermark.a?b"},
	    {"{'watermark': true,", "{'watermark': [[[[[1]]]]],", "E04 too_large",
	     "rules[0].obligations.watermark[0][0][0][0][0]"},
	    {"'mode': 'shadow'", "'mode': 'dry'", "E01 bad_value", "rules[0].mode"},
	    {"'severity': 'high'", "'severity': 'hi'", "E01 bad_value", "rules[0].severity"},
	    {"'owner': 'team-x'", "'owner': ''", "E01 bad_value", "rules[0].owner"},
	    {"'expires': '2027-01-01T00:00:00Z'", "'expires': '2027-01-01'", "E01 bad_value",
	     "rules[0].expires"},
	    {"{context.amount}", "{context.amuont}", "E02 unknown_input", "rules[0].reason"},
	    {"{context.amount}", "{context.secret}", "E01 bad_value", "rules[0].reason"},
	    {"'Ask less.'", "'Ask for {context.secret}.'", "E01 bad_value", "rules[1].remediation"},
	    {"'BLOCK', 'remediation'", "'ALLOW', 'remediation'", "E01 bad_value", "rules[1].remediation"},
	};
	struct findings findings;

	check_faults(*state, faults, COUNT_OF(faults));
	/* a restriction does not lapse, and obliges nobody */
	assert_null(whole(
	    *state,
	    edit(*state, sound, "'decision': 'ALLOW', 'obligations'", "'decision': 'BLOCK', 'obligations'"),
	    &findings));
	assert_int_equal(findings.count, 2);
	assert_string_equal(findings.items[0].path, "rules[0].obligations");
	assert_string_equal(findings.items[1].path, "rules[0].expires");
}

static void
limits_and_invariants_are_checked(void **state)
{
	static const struct fault faults[] = {
	    {"'key': ['agent_id'], ", "", "E01 missing_key", "limits[1].key"},
	    {"'key': ['agent_id'], ", "'key': ['agent'], ", "E01 bad_value", "limits[1].key[0]"},
	    {"'key': ['agent_id'], ", "'key': ['context.rizk'], ", "E02 unknown_input", "limits[1].key[0]"},
	    {"'key': ['agent_id'], ", "'key': ['context.tags'], ", "E02 wrong_value_type", "limits[1].key[0]"},
	    {"'count': {", "'sum': {'of': 'context.amount', 'max': 1, 'per': '1h'}, 'count': {",
	     "E01 bad_value", "limits[1].sum"},
	    {"'count': {'max': 20, 'per': '1h'}, ", "", "E01 missing_key", "limits[1].count"},
	    {"'max': 20, ", "", "E01 missing_key", "limits[1].count.max"},
	    {"'max': 20", "'max': 0", "E01 bad_value", "limits[1].count.max"},
	    {"'of': 'context.amount'", "'of': 'amount'", "E01 bad_value", "limits[0].sum.of"},
	    {"'of': 'context.amount'", "'of': 'context.share'", "E02 wrong_value_type", "limits[0].sum.of"},
	    {"'amount': {'type': 'int', 'min': 0}", "'amount': {'type': 'int'}", "E01 bad_value",
	     "limits[0].sum.of"},
	    {"'amount': {'type': 'int', 'min': 0}", "'amount': {'type': 'int', 'min': -1}", "E01 bad_value",
	     "limits[0].sum.of"},
	    {"'window': 'token_bucket'", "'window': 'rolling'", "E01 bad_value", "limits[0].window"},
	    {"'warn_at': 0.8", "'warn_at': 80", "E01 bad_value", "limits[0].warn_at"},
	    {"'warn_at': 0.8", "'warn_at': 0", "E01 bad_value", "limits[0].warn_at"},
	    {"'exceeded': 'BLOCK'", "'exceeded': 'ALLOW'", "E01 bad_value", "limits[1].exceeded"},
	    {"'exceeded': 'BLOCK'", "'exceeded': 'BLOCK', 'approval': 'two'", "E05 bad_value",
	     "limits[1].approval"},
	    {"'approval': 'two', 'count_on'", "'count_on'", "E05 missing_key", "limits[0].approval"},
	    {"'count_on': 'grant'", "'count_on': 'vote'", "E01 bad_value", "limits[0].count_on"},
	    {"'count_on': 'execution'", "'count_on': 'decision'", "E01 bad_value", "limits[1].report_within"},
	    {"'report_within': '90s'", "'report_within': '0s'", "E01 bad_value", "limits[1].report_within"},
	    {"'id': 'k'", "'id': 'l'", "E01 duplicate_id", "limits[1].id"},
	    {"'assert': 'size(decision) > 3', ", "", "E01 missing_key", "invariants[0].assert"},
	    {"'assume': 'context.force'", "'assumes': 'context.force'", "E01 unknown_key",
	     "invariants[0].assumes"},
	};
	static const char keys[] = "'key': ['agent_id', 'action', 'target', 'tenant', 'request_digest', "
				   "'context.risk', 'context.amount', 'context.force']";
	struct findings findings;

	check_faults(*state, faults, COUNT_OF(faults));
	good(*state, edit(*state, sound, "'warn_at': 0.8", "'warn_at': 1"));
	good(*state, edit(*state, sound, "'key': ['agent_id']", keys));
	assert_null(whole(
	    *state, edit(*state, sound, "'key': ['agent_id']", edit(*state, keys, "]", ", 'context.who']")),
	    &findings));
	assert_string_equal(findings.items[0].path, "limits[1].key");
}

static const char *
many(struct arena *arena, size_t count, const char *text)
{
	struct buffer buffer = {.arena = arena};

	for (size_t i = 0; i < count; i++)
		buffer_add_text(&buffer, text);
	return buffer.bytes;
}

static const char *
counted(struct arena *arena, size_t count, const char *before, const char *behind)
{
	struct buffer buffer = {.arena = arena};

	for (size_t i = 0; i < count; i++)
		buffer_add_format(&buffer, "%s%s%zu%s", i ? "," : "", before, i, behind);
	return buffer.bytes;
}

static void
every_limit_holds_just_below_and_just_above(void **state)
{
	static const struct {
		const char *find, *before, *unit, *behind;
		size_t limit;
	} lengths[] = {
	    {"'when': 'big'", "'when': 'big//", "x", "'", 2043},
	    {"'when': 'big'", "'when': 'big//", "\u00f6", "'", 2043},
	    {"'when': 'big'", "'when': 'big//", "\u20ac", "'", 2043},
	    {"'remediation': 'Ask less.'", "'remediation': '", "x", "'", 1024},
	    {"'owner': 'team-x'", "'owner': '", "x", "'", 256},
	    {"'params': {'most'", "'params': {'", "x", "': {'type': 'int', 'value': 1}, 'most'", 64},
	    {"{'big': '!small'}", "{'", "x", "': 'true', 'big': '!small'}", 64},
	    {"'free': 'map'", "'free': 'map', '", "x", "': 'int'", 128},
	};
	static const struct {
		const char *find, *before, *item, *tail, *behind;
		size_t limit;
	} lists[] = {
	    {"'free': 'map'", "'free': 'map', ", "'x", "': 'int'", "", 256 - 12},
	    {"['low', 'high'], 'description'", "[", "'x", "'", "], 'description'", 256},
	    {"{'big': '!small'}", "{", "'x", "': 'true'", ", 'big': '!small'}", 255},
	    {"{'watermark': true,", "{", "'x", "': 1", ",", 63},
	    {"'limits': [", "'limits': [",
	     "{'key': ['tenant'], 'count': {'max': 1, 'per': '1h'}, 'exceeded': 'BLOCK', 'id': 'x", "'}", ",",
	     254},
	    {"'invariants': [", "'invariants': [", "{'assert': 'true', 'id': 'x", "'}", ",", 255},
	    {"'any_of': [", "'any_of': [", "{'quorum': 1, 'group': 'x", "'}", ",", 14},
	};
	struct arena *arena = *state;
	struct findings findings;

	for (size_t i = 0; i < COUNT_OF(lengths); i++)
		for (size_t over = 0; over < 2; over++) {
			const char *text = arena_format(arena, "%s%s%s", lengths[i].before,
							many(arena, lengths[i].limit + over, lengths[i].unit),
							lengths[i].behind);

			if ((whole(arena, edit(arena, sound, lengths[i].find, text), &findings) == NULL) != over)
				fail_msg("%s: %zu and %zu over", lengths[i].find, lengths[i].limit, over);
		}
	for (size_t i = 0; i < COUNT_OF(lists); i++)
		for (size_t over = 0; over < 2; over++) {
			const char *text =
			    arena_format(arena, "%s%s%s", lists[i].before,
					 counted(arena, lists[i].limit + over, lists[i].item, lists[i].tail),
					 lists[i].behind);

			if ((whole(arena, edit(arena, sound, lists[i].find, text), &findings) == NULL) != over)
				fail_msg("%s: %zu and %zu over: %s", lists[i].find, lists[i].limit, over,
					 findings.count ? findings.items[0].text : "taken");
			if (over)
				assert_string_equal(findings.items[0].code, "E04");
		}
}

static void
several_faults_are_found_in_one_reading(void **state)
{
	static const char text[] = "{'countersign': 'policy/v2', 'policy': 'a b', 'version': 0, 'tenants': "
				   "['A', 'B'], 'inputs': {'a': 'x', 'b': 'y'},"
				   " 'classes': [{'id': 'c', 'actions': ['A', 'B'], 'default': 'x'}, 7], "
				   "'rules': [{'when': 1, 'unless': 2}]}";
	struct findings findings;

	assert_null(whole(*state, text, &findings));
	assert_int_equal(findings.count, 15);
	assert_string_equal(findings.items[0].path, "countersign");
	assert_string_equal(findings.items[14].path, "rules[0].unless");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    STORY(every_key_is_read_and_kept),
	    STORY(a_policy_with_gaps_is_loaded_by_no_service),
	    STORY(a_policy_whose_gaps_are_the_services_is_decided_by),
	    STORY(a_use_says_whether_a_failure_gives_it_back),
	    STORY(inputs_are_checked),
	    STORY(classes_and_cells_are_checked),
	    STORY(approvals_are_checked),
	    STORY(rules_are_checked),
	    STORY(limits_and_invariants_are_checked),
	    STORY(every_limit_holds_just_below_and_just_above),
	    STORY(several_faults_are_found_in_one_reading),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
