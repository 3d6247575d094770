/* SPDX-License-Identifier: Apache-2.0 */
/* test_policy_load.c - what a document must hold, and that nothing is loaded that can't be honoured whole. */
#include "tests/unit/policy/documents.h"
#include "tests/unit/policy/slow_pattern.h"

#include <stdio.h>
#include <stdlib.h>

static const char sound[] =
    "{'countersign': 'policy/v1', 'policy': 'acme-agents', 'version': 14, 'tenants': ['acme'],"
    " 'description': 'What agents may do.',"
    " 'classes': ["
    "  {'id': 'read', 'actions': ['**.read', '**.list'], 'default': 'ALLOW', 'valid_for': '5m'},"
    "  {'id': 'change', 'actions': ['deployment.**'], 'except': ['**.read'], 'default': 'REQUIRE_APPROVAL',"
    "   'approval': 'release', 'requires': ['environment', 'plan.delete'],"
    "   'failure': {'evaluation_timeout': 'hold', 'no_eligible_approver': 'hold'}},"
    "  {'id': 'other', 'actions': ['**'], 'default': 'BLOCK'}],"
    " 'approvals': {"
    "  'release': {'any_of': [{'group': 'release-managers', 'quorum': 2}], 'ttl': '2h',"
    "   'grant': {'uses': 1, 'valid_for': '10m'}},"
    "  'security': {'any_of': [{'group': 'security-oncall', 'quorum': 1}], 'ttl': '30m'}},"
    " 'rules': ["
    "  {'id': 'untested', 'match': {'actions': ['deployment.production']}, 'decision': 'BLOCK', 'reason': "
    "'No.'},"
    "  {'id': 'risky', 'match': {'actions': ['deployment.*'], 'agents': ['coding-*'], 'targets': "
    "['customer-*'],"
    "   'tenants': ['ac*']}, 'except': {'agents': ['coding-safe']}, 'decision': 'REQUIRE_APPROVAL',"
    "   'approval': 'security'}]}";

static void
value_refused(struct arena *arena, const struct value *document, const char *code, const char *field)
{
	struct error error = {0};

	if (policy_load(arena, document, &error))
		fail_msg("not refused: %s at %s expected", code, field);
	assert_int_equal(error.kind, ERROR_INVALID);
	if (strcmp(error.code, code) != 0 || strcmp(error.field, field) != 0)
		fail_msg("%s at %s expected, but got %s at %s (%s)", code, field, error.code, error.field,
			 error.text);
	assert_true(error.text[0] != '\0');
}

static void
refused(struct arena *arena, const char *text, const char *code, const char *field)
{
	value_refused(arena, parse(arena, text), code, field);
}

static void
a_sound_document_is_loaded(void **state)
{
	const struct policy *policy = load(*state, sound);
	size_t count;

	assert_string_equal(policy_name(policy), "acme-agents");
	assert_int_equal(policy_version(policy), 14);
	assert_true(policy_covers(policy, "acme"));
	assert_false(policy_covers(policy, "default"));
	assert_false(policy_covers(policy, "acm"));
	assert_string_equal(policy_tenants(policy, &count)[0], "acme");
	assert_int_equal(count, 1);
	assert_string_equal(policy_groups(policy, &count)[0], "release-managers");
	assert_string_equal(policy_groups(policy, &count)[1], "security-oncall");
	assert_int_equal(count, 2);
}

static void
the_least_document_blocks_everything_for_the_default_tenant(void **state)
{
	const struct policy *policy =
	    load(*state, "{'countersign': 'policy/v1', 'policy': 'p', 'version': 1,"
			 " 'classes': [{'id': 'c', 'actions': ['**'], 'default': 'BLOCK'}]}");
	const struct policy_request request = {
	    .tenant = "default", .agent_id = "a", .action = "b", .target = "c"};
	struct policy_decision decision;
	size_t count;

	assert_true(policy_covers(policy, "default"));
	assert_false(policy_covers(policy, "other"));
	policy_groups(policy, &count);
	assert_int_equal(count, 0);
	policy_decide(policy, &request, 1, *state, &decision);
	assert_int_equal(decision.verdict, POLICY_BLOCK);
	assert_string_equal(decision.class_id, "c");
}

static void
a_star_among_the_tenants_stands_for_all(void **state)
{
	const struct policy *policy = load(*state, edit(*state, sound, "['acme']", "['*']"));

	assert_true(policy_covers(policy, "acme"));
	assert_true(policy_covers(policy, "anybody"));
}

/* One edit of the sound document, and how it is refused. */
struct fault {
	const char *find, *replace, *code, *field;
};

static void
check_faults(struct arena *arena, const struct fault *faults, size_t count)
{
	for (size_t i = 0; i < count; i++)
		refused(arena, edit(arena, sound, faults[i].find, faults[i].replace), faults[i].code,
			faults[i].field);
}

static void
what_this_version_cannot_honour_is_refused_by_name(void **state)
{
	static const struct fault faults[] = {
	    {"'valid_for'", "'irreversible': true, 'valid_for'", "unsupported_key", "classes[0].irreversible"},
	    {"'valid_for'", "'failure': {'unavailable': 'open'}, 'valid_for'", "unsupported_key",
	     "classes[0].failure.unavailable"},
	    {"'evaluation_timeout'", "'unavailable': 'closed', 'evaluation_timeout'", "unsupported_key",
	     "classes[1].failure.unavailable"},
	    {"'evaluation_timeout'", "'approval_queued': 'hold', 'evaluation_timeout'", "unsupported_key",
	     "classes[1].failure.approval_queued"},
	    {"'evaluation_timeout'", "'ignored': 'record', 'evaluation_timeout'", "unsupported_key",
	     "classes[1].failure.ignored"},
	    {"'evaluation_timeout'", "'downstream_failure': 'record', 'evaluation_timeout'",
	     "unsupported_key", "classes[1].failure.downstream_failure"},
	    {"'any_of'", "'exclude': ['last_approver'], 'any_of'", "unsupported_key",
	     "approvals.release.exclude"},
	    {"'quorum': 2", "'quorum': 2, 'filter': 'x'", "unsupported_key",
	     "approvals.release.any_of[0].filter"},
	    {"'uses': 1", "'uses': 2", "unsupported_key", "approvals.release.grant.uses"},
	};

	check_faults(*state, faults, COUNT_OF(faults));
}

static void
what_nobody_knows_is_refused_by_name(void **state)
{
	static const struct fault faults[] = {
	    {"'tenants'", "'tenant'", "unknown_key", "tenant"},
	    {"'tenants'", "'Rules': [], 'tenants'", "unknown_key", "Rules"},
	    {"'tenants'", "'\\u0001\\u00e9 x': [], 'tenants'", "unknown_key", "????x"},
	    {"'valid_for'", "'decision': 'BLOCK', 'valid_for'", "unknown_key", "classes[0].decision"},
	    {"'evaluation_timeout'", "'timeout'", "unknown_key", "classes[1].failure.timeout"},
	    {"'any_of'", "'anyof'", "unknown_key", "approvals.release.anyof"},
	    {"'quorum': 2", "'quorums': 2", "unknown_key", "approvals.release.any_of[0].quorums"},
	    {"'uses': 1", "'use': 1", "unknown_key", "approvals.release.grant.use"},
	    {"'decision': 'BLOCK'", "'default': 'BLOCK'", "unknown_key", "rules[0].default"},
	    {"'agents': ['coding-*']", "'agent': ['coding-*']", "unknown_key", "rules[1].match.agent"},
	    {"'except': {'agents'", "'except': {'agent'", "unknown_key", "rules[1].except.agent"},
	};

	check_faults(*state, faults, COUNT_OF(faults));
}

static void
what_must_be_there_is_missed_by_name(void **state)
{
	static const struct fault faults[] = {
	    {"'countersign': 'policy/v1', ", "", "missing_key", "countersign"},
	    {"'policy': 'acme-agents', ", "", "missing_key", "policy"},
	    {"'version': 14, ", "", "missing_key", "version"},
	    {"{'id': 'read', ", "{", "missing_key", "classes[0].id"},
	    {"'actions': ['**.read', '**.list'], ", "", "missing_key", "classes[0].actions"},
	    {"'default': 'ALLOW', ", "", "missing_key", "classes[0].default"},
	    {"'approval': 'release', ", "", "missing_key", "classes[1].approval"},
	    {"'any_of': [{'group': 'release-managers', 'quorum': 2}], ", "", "missing_key",
	     "approvals.release.any_of"},
	    {"'group': 'release-managers', ", "", "missing_key", "approvals.release.any_of[0].group"},
	    {", 'quorum': 2", "", "missing_key", "approvals.release.any_of[0].quorum"},
	    {" 'ttl': '2h',", "", "missing_key", "approvals.release.ttl"},
	    {"{'id': 'untested', ", "{", "missing_key", "rules[0].id"},
	    {"'decision': 'BLOCK', ", "", "missing_key", "rules[0].decision"},
	    {",   'approval': 'security'", "", "missing_key", "rules[1].approval"},
	};

	check_faults(*state, faults, COUNT_OF(faults));
	refused(*state, "{'countersign': 'policy/v1', 'policy': 'p', 'version': 1}", "missing_key", "classes");
}

static void
a_value_of_another_type_is_refused(void **state)
{
	static const struct fault faults[] = {
	    {"'policy/v1'", "1", "wrong_type", "countersign"},
	    {"'policy/v1'", "'policy/v2'", "bad_value", "countersign"},
	    {"'acme-agents'", "null", "wrong_type", "policy"},
	    {"14", "'14'", "wrong_type", "version"},
	    {"14", "14.0", "wrong_type", "version"},
	    {"14", "true", "wrong_type", "version"},
	    {"['acme']", "'acme'", "wrong_type", "tenants"},
	    {"['acme']", "[1]", "wrong_type", "tenants[0]"},
	    {"'What agents may do.'", "null", "wrong_type", "description"},
	    {"['**.read', '**.list']", "'**.read'", "wrong_type", "classes[0].actions"},
	    {"'**.list'", "7", "wrong_type", "classes[0].actions[1]"},
	    {"'ALLOW'", "true", "wrong_type", "classes[0].default"},
	    {"'5m'", "300", "wrong_type", "classes[0].valid_for"},
	    {"'release', 'requires'", "null, 'requires'", "wrong_type", "classes[1].approval"},
	    {"['environment', 'plan.delete']", "'environment'", "wrong_type", "classes[1].requires"},
	    {"{'evaluation_timeout': 'hold', 'no_eligible_approver': 'hold'}", "null", "wrong_type",
	     "classes[1].failure"},
	    {"'evaluation_timeout': 'hold'", "'evaluation_timeout': true", "wrong_type",
	     "classes[1].failure.evaluation_timeout"},
	    {"[{'group': 'release-managers', 'quorum': 2}]", "{}", "wrong_type", "approvals.release.any_of"},
	    {"{'group': 'release-managers', 'quorum': 2}", "'x'", "wrong_type", "approvals.release.any_of[0]"},
	    {"{'uses': 1, 'valid_for': '10m'}", "[]", "wrong_type", "approvals.release.grant"},
	    {"'uses': 1", "'uses': '1'", "wrong_type", "approvals.release.grant.uses"},
	    {"{'id': 'untested', ", "5, {'id': 'untested', ", "wrong_type", "rules[0]"},
	    {"{'actions': ['deployment.production']}", "['deployment.production']", "wrong_type",
	     "rules[0].match"},
	    {"{'actions': ['deployment.production']}", "null", "wrong_type", "rules[0].match"},
	    {"'except': {'agents': ['coding-safe']}", "'except': null", "wrong_type", "rules[1].except"},
	    {"'No.'", "['No.']", "wrong_type", "rules[0].reason"},
	};
	static const char *const maps[] = {"[]", "null", "7", "'x'", "true", "1.5"};

	check_faults(*state, faults, COUNT_OF(faults));
	for (size_t i = 0; i < COUNT_OF(maps); i++)
		value_refused(*state, value_get(parse(*state, arena_format(*state, "{'x': %s}", maps[i])), "x"),
			      "wrong_type", "");
	value_refused(*state, NULL, "missing_key", "");
	for (size_t i = 0; i < COUNT_OF(maps); i++)
		refused(
		    *state,
		    arena_format(*state,
				 "{'countersign': 'policy/v1', 'policy': 'p', 'version': 1, 'approvals': %s,"
				 " 'classes': [{'id': 'c', 'actions': ['**'], 'default': 'BLOCK'}]}",
				 maps[i]),
		    "wrong_type", "approvals");
	refused(*state, "{'countersign': 'policy/v1', 'policy': 'p', 'version': 1, 'classes': {}}",
		"wrong_type", "classes");
	refused(*state,
		"{'countersign': 'policy/v1', 'policy': 'p', 'version': 1, 'rules': {},"
		" 'classes': [{'id': 'c', 'actions': ['**'], 'default': 'BLOCK'}]}",
		"wrong_type", "rules");
}

static void
a_value_out_of_its_bounds_is_refused(void **state)
{
	static const struct fault faults[] = {
	    {"'acme-agents'", "''", "bad_value", "policy"},
	    {"'acme-agents'", "'acme agents'", "bad_value", "policy"},
	    {"'acme-agents'", "'acme/agents'", "bad_value", "policy"},
	    {"14", "0", "bad_value", "version"},
	    {"14", "-1", "bad_value", "version"},
	    {"['acme']", "[]", "bad_value", "tenants"},
	    {"['acme']", "['Acme']", "bad_value", "tenants[0]"},
	    {"['acme']", "['acme', 'a*']", "bad_value", "tenants[1]"},
	    {"['acme']", "['acme', 'x', 'acme']", "duplicate_id", "tenants"},
	    {"'What agents may do.'", "'What\\nnot.'", "bad_value", "description"},
	    {"'What agents may do.'", "''", "bad_value", "description"},
	    {"'id': 'read'", "'id': 'r\\u00e9ad'", "bad_value", "classes[0].id"},
	    {"'id': 'read'", "'id': ''", "bad_value", "classes[0].id"},
	    {"'ALLOW'", "'allow'", "bad_value", "classes[0].default"},
	    {"'ALLOW'", "'DENY'", "bad_value", "classes[0].default"},
	    {"'environment', 'plan.delete'", "", "bad_value", "classes[1].requires"},
	    {"'plan.delete'", "''", "bad_value", "classes[1].requires[1]"},
	    {"'plan.delete'", "'.delete'", "bad_value", "classes[1].requires[1]"},
	    {"'plan.delete'", "'plan.'", "bad_value", "classes[1].requires[1]"},
	    {"'plan.delete'", "'plan..delete'", "bad_value", "classes[1].requires[1]"},
	    {"'plan.delete'", "'environment'", "duplicate_id", "classes[1].requires"},
	    {"'evaluation_timeout': 'hold'", "'evaluation_timeout': 'open'", "bad_value",
	     "classes[1].failure.evaluation_timeout"},
	    {"[{'group': 'release-managers', 'quorum': 2}]", "[]", "bad_value", "approvals.release.any_of"},
	    {"'release-managers'", "'release managers'", "bad_value", "approvals.release.any_of[0].group"},
	    {"'quorum': 2", "'quorum': 0", "bad_value", "approvals.release.any_of[0].quorum"},
	    {"'quorum': 2", "'quorum': 101", "bad_value", "approvals.release.any_of[0].quorum"},
	    {"'uses': 1", "'uses': 0", "bad_value", "approvals.release.grant.uses"},
	    {"'release': {'any_of'", "'rel ease': {'any_of'", "bad_value", "approvals.rel?ease"},
	    {"'decision': 'BLOCK'", "'decision': 'ASK'", "bad_value", "rules[0].decision"},
	    {"'No.'", "''", "bad_value", "rules[0].reason"},
	    {"'No.'", "'No.\\nNo.'", "bad_value", "rules[0].reason"},
	    {"'No.'", "'No.\\u007f'", "bad_value", "rules[0].reason"},
	    {"'No.'", "'No.\\u0085'", "bad_value", "rules[0].reason"},
	};

	check_faults(*state, faults, COUNT_OF(faults));
	load(*state, edit(*state, sound, "'No.'", "'No \\u00a0\\u00e9\\u20ac.'"));
}

static void
a_pattern_that_could_never_match_is_refused(void **state)
{
	static const struct fault faults[] = {
	    {"'**.list'", "'**list'", "bad_pattern", "classes[0].actions[1]"},
	    {"'**.list'", "'Repo.list'", "bad_pattern", "classes[0].actions[1]"},
	    {"'**.list'", "'repo/list'", "bad_pattern", "classes[0].actions[1]"},
	    {"'**.list'", "'repo..list'", "bad_pattern", "classes[0].actions[1]"},
	    {"'**.list'", "'.list'", "bad_pattern", "classes[0].actions[1]"},
	    {"'**.list'", "'list.'", "bad_pattern", "classes[0].actions[1]"},
	    {"'**.list'", "'**.read'", "duplicate_id", "classes[0].actions"},
	    {"'**.list'", "''", "bad_value", "classes[0].actions[1]"},
	    {"'except': ['**.read']", "'except': ['**read']", "bad_pattern", "classes[1].except[0]"},
	    {"'except': ['**.read']", "'except': []", "bad_value", "classes[1].except"},
	    {"['deployment.production']", "['Deployment.production']", "bad_pattern",
	     "rules[0].match.actions[0]"},
	    {"['deployment.production']", "[]", "bad_value", "rules[0].match.actions"},
	    {"{'actions': ['deployment.production']}", "{}", "bad_value", "rules[0].match"},
	    {"'coding-*'", "'coding-**'", "bad_pattern", "rules[1].match.agents[0]"},
	    {"'coding-*'", "'coding\\t'", "bad_value", "rules[1].match.agents[0]"},
	    {"'ac*'", "'Ac*'", "bad_pattern", "rules[1].match.tenants[0]"},
	    {"'except': {'agents': ['coding-safe']}", "'except': {}", "bad_value", "rules[1].except"},
	    {"'except': {'agents': ['coding-safe']}", "'except': {'agents': []}", "bad_value",
	     "rules[1].except.agents"},
	};

	check_faults(*state, faults, COUNT_OF(faults));
	load(*state, edit(*state, sound, "'customer-*'", "'Customer/\\u00c4*:x'"));
}

static void
people_are_named_where_they_may_be_asked_and_nowhere_else(void **state)
{
	static const struct fault faults[] = {
	    {"'valid_for'", "'approval': 'release', 'valid_for'", "bad_value", "classes[0].approval"},
	    {"'default': 'BLOCK'", "'default': 'BLOCK', 'approval': 'release'", "bad_value",
	     "classes[2].approval"},
	    {"'decision': 'BLOCK'", "'decision': 'BLOCK', 'approval': 'release'", "bad_value",
	     "rules[0].approval"},
	    {"'decision': 'BLOCK'", "'decision': 'ALLOW', 'approval': 'release'", "bad_value",
	     "rules[0].approval"},
	    {"'approval': 'release'", "'approval': 'releases'", "unknown_approval", "classes[1].approval"},
	    {"'approval': 'security'", "'approval': 'Security'", "unknown_approval", "rules[1].approval"},
	    /* hold asks people, whatever the default is */
	    {"'valid_for'", "'failure': {'evaluation_timeout': 'hold'}, 'valid_for'", "missing_key",
	     "classes[0].approval"},
	    {"'default': 'BLOCK'", "'default': 'BLOCK', 'failure': {'evaluation_timeout': 'hold'}",
	     "missing_key", "classes[2].approval"},
	};

	check_faults(*state, faults, COUNT_OF(faults));
	load(*state, edit(*state, sound, "'valid_for'",
			  "'approval': 'release', 'failure': {'evaluation_timeout': 'hold'}, 'valid_for'"));
	load(*state,
	     edit(*state, sound, "'valid_for'", "'failure': {'no_eligible_approver': 'hold'}, 'valid_for'"));
	load(*state,
	     edit(*state, sound, "'valid_for'", "'failure': {'evaluation_timeout': 'closed'}, 'valid_for'"));
}

static void
exactly_one_class_is_the_fallback(void **state)
{
	static const struct fault faults[] = {
	    {"'actions': ['**']", "'actions': ['*.**']", "no_fallback_class", "classes"},
	    {"'actions': ['**']", "'actions': ['**', 'x']", "bad_value", "classes[2].actions"},
	    {"'actions': ['**.read', '**.list']", "'actions': ['**']", "bad_value", "classes[2].actions"},
	    {"'default': 'BLOCK'", "'except': ['x'], 'default': 'BLOCK'", "bad_value", "classes[2].except"},
	    {"'id': 'other'", "'id': 'change'", "duplicate_id", "classes[2].id"},
	    {"'id': 'risky'", "'id': 'untested'", "duplicate_id", "rules[1].id"},
	};

	check_faults(*state, faults, COUNT_OF(faults));
}

/* What a ttl means, or 0 when it is refused. */
static int64_t
ttl_of(struct arena *arena, const char *duration)
{
	const char *text =
	    arena_format(arena,
			 "{'countersign': 'policy/v1', 'policy': 'p', 'version': 1, 'classes': [{'id': 'c', "
			 "'actions': ['**'],"
			 " 'default': 'REQUIRE_APPROVAL', 'approval': 'a'}],"
			 " 'approvals': {'a': {'any_of': [{'group': 'g', 'quorum': 1}], 'ttl': '%s'}}}",
			 duration);
	const struct policy_request request = {
	    .tenant = "default", .agent_id = "a", .action = "b", .target = "c"};
	struct policy_decision decision;
	struct error error = {0};
	const struct policy *policy = policy_load(arena, parse(arena, text), &error);

	if (!policy) {
		assert_string_equal(error.code,
				    strcmp(duration, "none") == 0 ? "unsupported_key" : "bad_value");
		assert_string_equal(error.field, "approvals.a.ttl");
		return 0;
	}
	policy_decide(policy, &request, 1, arena, &decision);
	return decision.ttl;
}

static void
a_duration_is_written_as_in_cel(void **state)
{
	static const struct {
		const char *text;
		int64_t microseconds; /* 0 = refused */
	} examples[] = {
	    {"1s", 1000000},
	    {"30m", 30 * MINUTE},
	    {"1h30m", 90 * MINUTE},
	    {"1h30m5s", 90 * MINUTE + 5000000},
	    {"5400s", 90 * MINUTE},
	    {"1.5h", 90 * MINUTE},
	    {"0.25h", 15 * MINUTE},
	    {"1500ms", 1500000},
	    {"1s1us", 1000001},
	    {"1.000001s", 1000001},
	    {"1000000000ns", 1000000},
	    {"1s1000ns", 1000001},
	    {"720h", 720 * HOUR},
	    {"719h59m60s", 720 * HOUR},
	    {"0001h", HOUR},
	    {"1.500000000000000h", 90 * MINUTE},
	    {"720h1us", 0},
	    {"720h0.0000001s", 0},
	    {"721h", 0},
	    {"999ms", 0},
	    {"999999us", 0},
	    {"0s", 0},
	    {"0", 0},
	    {"1", 0},
	    {"30", 0},
	    {"1d", 0},
	    {"1D", 0},
	    {"1H", 0},
	    {"-1h", 0},
	    {"+1h", 0},
	    {"1 h", 0},
	    {" 1h", 0},
	    {"1h ", 0},
	    {"h", 0},
	    {"1.h", 0},
	    {".5h", 0},
	    {"1..5h", 0},
	    {"1.5.5h", 0},
	    {"1hh", 0},
	    {"1hm", 0},
	    {"1h30", 0},
	    {"1msx", 0},
	    {"1e3s", 0},
	    {"0x10s", 0},
	    {"1.0000001s", 0},
	    {"2562047h", 0},
	    {"2562047.9h", 0},
	    {"9223372036854775807ns", 0},
	    {"99999999999999999999999s", 0},
	    {"9999999999999999h", 0},
	    {"1s0.00000000000000000000000009s", 0},
	    {"0.9999999999999999999999999999h", 0},
	    {"720h720h720h720h720h720h720h720h", 0},
	    {"1s1s1s1s1s1s1s1s1s1s1s1s1s1s1s1s", 16000000},
	    {"1s1s1s1s1s1s1s1s1s1s1s1s1s1s1s1s1s", 0},
	};

	for (size_t i = 0; i < COUNT_OF(examples); i++) {
		int64_t ttl = ttl_of(*state, examples[i].text);

		if (ttl != examples[i].microseconds)
			fail_msg("%s: %lld, not %lld", examples[i].text, (long long)examples[i].microseconds,
				 (long long)ttl);
	}
}

/* `count` times `letter`. */
static const char *
many(struct arena *arena, size_t count, char letter)
{
	char *text = arena_take(arena, count + 1);

	memset(text, letter, count);
	return text;
}

/* Loads with one edit of the sound document; NULL when it went well, else the code. */
static const char *
outcome(struct arena *arena, const char *find, const char *replace)
{
	static struct error error;

	error_clear(&error);
	return policy_load(arena, parse(arena, edit(arena, sound, find, replace)), &error) ? NULL : error.code;
}

static void
every_length_has_its_limit(void **state)
{
	static const struct {
		const char *find, *before, *behind;
		size_t limit;
		char letter;
		const char *code;
	} limits[] = {
	    {"'acme-agents'", "'", "'", 64, 'a', "bad_value"},
	    {"'What agents may do.'", "'", "'", 4096, 'a', "bad_value"},
	    {"['acme']", "['", "']", 64, 'a', "bad_value"},
	    {"'id': 'read'", "'id': '", "'", 64, 'a', "bad_value"},
	    {"'release-managers'", "'", "'", 64, 'a', "bad_value"},
	    {"'security': {",
	     "'x': {'any_of': [{'group': 'g', 'quorum': 1}], 'ttl': '1h'}, 'security': {'any_of': [{'group':"
	     " '",
	     "', 'quorum': 1}], 'ttl': '1h'}, 'y': {", 64, 'a', "bad_value"},
	    {"'id': 'risky'", "'id': '", "'", 64, 'a', "bad_value"},
	    {"'No.'", "'", "'", 1024, 'a', "bad_value"},
	    {"'plan.delete'", "'", "'", 256, 'a', "bad_value"},
	    {"'**.list'", "'", "'", 256, 'a', "bad_value"},
	    {"'coding-*'", "'", "'", 256, 'a', "bad_value"},
	};

	for (size_t i = 0; i < COUNT_OF(limits); i++) {
		const char *fits =
		    arena_format(*state, "%s%s%s", limits[i].before,
				 many(*state, limits[i].limit, limits[i].letter), limits[i].behind);
		const char *too_long =
		    arena_format(*state, "%s%s%s", limits[i].before,
				 many(*state, limits[i].limit + 1, limits[i].letter), limits[i].behind);

		if (outcome(*state, limits[i].find, fits))
			fail_msg("%s with %zu bytes: %s", limits[i].find, limits[i].limit,
				 outcome(*state, limits[i].find, fits));
		if (!outcome(*state, limits[i].find, too_long)
		    || strcmp(outcome(*state, limits[i].find, too_long), limits[i].code) != 0)
			fail_msg("%s with %zu bytes was not refused as it should", limits[i].find,
				 limits[i].limit + 1);
	}
}

static void
every_number_has_its_limit(void **state)
{
	assert_null(outcome(*state, "14", "1"));
	assert_null(outcome(*state, "14", "9007199254740991"));
	assert_null(outcome(*state, "'quorum': 2", "'quorum': 1"));
	assert_null(outcome(*state, "'quorum': 2", "'quorum': 100"));

	/* the JSON reader refuses it as well; here it comes from elsewhere */
	struct value *document = parse(*state, sound);
	struct error error = {0};

	value_get(document, "version")->as.integer = INT64_C(9007199254740992);
	assert_null(policy_load(*state, document, &error));
	assert_string_equal(error.field, "version");
}

/* `count` times `item`, in which %zu counts, with commas. */
static const char *
items(struct arena *arena, size_t count, const char *before, const char *behind)
{
	struct buffer buffer = {.arena = arena};

	buffer_add_text(&buffer, "");
	for (size_t i = 0; i < count; i++)
		buffer_add_format(&buffer, "%s%s%zu%s", i ? "," : "", before, i, behind);
	return buffer.bytes;
}

static const char *
with_lists(struct arena *arena, const char *classes, const char *approvals, const char *rules)
{
	return arena_format(arena,
			    "{'countersign': 'policy/v1', 'policy': 'p', 'version': 1,"
			    " 'classes': [%s{'id': 'c', 'actions': ['**'], 'default': 'BLOCK'}], "
			    "'approvals': {%s}, 'rules': [%s]}",
			    classes, approvals, rules);
}

static void
every_list_has_its_limit(void **state)
{
	static const char class_behind[] = "', 'actions': ['x'], 'default': 'BLOCK'}";
	static const char profile_behind[] = "': {'any_of': [{'group': 'g', 'quorum': 1}], 'ttl': '1h'}";
	struct arena *arena = *state;

	load(arena, with_lists(arena, arena_format(arena, "%s,", items(arena, 255, "{'id': 'x", class_behind)),
			       "", ""));
	refused(arena,
		with_lists(arena, arena_format(arena, "%s,", items(arena, 256, "{'id': 'x", class_behind)),
			   "", ""),
		"too_many", "classes");
	load(arena, with_lists(arena, "", items(arena, 256, "'p", profile_behind), ""));
	refused(arena, with_lists(arena, "", items(arena, 257, "'p", profile_behind), ""), "too_many",
		"approvals");
	load(arena, edit(arena, sound, "'coding-*'", items(arena, 1024, "'a", "'")));
	refused(arena, edit(arena, sound, "'coding-*'", items(arena, 1025, "'a", "'")), "too_many",
		"rules[1].match.agents");
	load(arena, edit(arena, sound, "['acme']", arena_format(arena, "[%s]", items(arena, 1024, "'a", "'"))));
	refused(arena,
		edit(arena, sound, "['acme']", arena_format(arena, "[%s]", items(arena, 1025, "'a", "'"))),
		"too_many", "tenants");
}

static const char *
rules(struct arena *arena, size_t count, const char *actions)
{
	struct buffer buffer = {.arena = arena};

	for (size_t i = 0; i < count; i++)
		buffer_add_format(&buffer, "%s{'id': 'r%zu', 'match': {%s%zu']}, 'decision': 'ALLOW'}",
				  i ? "," : "", i, actions, i);
	return buffer.bytes;
}

static void
twenty_thousand_rules_are_loaded_and_no_more(void **state)
{
	struct arena *arena = *state;

	load(arena, with_lists(arena, "", "", rules(arena, POLICY_RULES_MAX, "'actions': ['a.b")));
	refused(arena, with_lists(arena, "", "", rules(arena, POLICY_RULES_MAX + 1, "'actions': ['a.b")),
		"too_many", "rules");
}

static void
one_action_has_a_thousand_candidates_and_no_more(void **state)
{
	/* by name, by pattern, by not naming any; the last is the one too many */
	static const struct {
		const char *actions, *one_more, *field;
	} cases[] = {
	    {"'actions': ['a.b'], 'agents': ['x", "'match': {'actions': ['a.b']}", "rules[0].match.actions"},
	    {"'actions': ['a.b', 'a.b.*'], 'agents': ['x", "'match': {'actions': ['a.**']}",
	     "rules[0].match.actions"},
	    {"'actions': ['a.**'], 'agents': ['x", "'match': {'actions': ['a.*']}", "rules[0].match.actions"},
	    {"'actions': ['*.b'], 'agents': ['x", "'match': {'actions': ['a.b']}", "rules[1024].match.actions"},
	    {"'actions': ['*.b.*'], 'agents': ['x", "'match': {'actions': ['**']}", "rules[0].match.actions"},
	    {"'agents': ['x", "'match': {'actions': ['a.b']}", "rules[0].match.actions"},
	    {"'agents': ['x", "'match': {'targets': ['t']}", "rules[0].match.actions"},
	};
	struct arena *arena = *state;

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const char *fits = rules(arena, POLICY_CANDIDATES_MAX, cases[i].actions);
		const char *too_many =
		    arena_format(arena, "%s, {'id': 'z', %s, 'decision': 'BLOCK'}", fits, cases[i].one_more);
		struct error error = {0};

		load(arena, with_lists(arena, "", "", fits));
		if (policy_load(arena, parse(arena, with_lists(arena, "", "", too_many)), &error))
			fail_msg("case %zu was loaded", i);
		assert_string_equal(error.code, "too_many");
		assert_memory_equal(error.field, "rules[", 6);
		load(arena,
		     with_lists(
			 arena, "", "",
			 arena_format(
			     arena, "%s, {'id': 'z', 'match': {'actions': ['elsewhere']}, 'decision': 'BLOCK'}",
			     i < 5 ? fits : rules(arena, POLICY_CANDIDATES_MAX - 1, cases[i].actions))));
	}
}

/* Whoever still looks there finds something else. */
static void
spoil(struct value *value)
{
	if (value->kind == VALUE_STRING)
		memset((char *)(uintptr_t)value->as.string.bytes, '#', value->as.string.length);
	for (size_t i = 0; value->kind == VALUE_LIST && i < value->as.list.count; i++)
		spoil(value->as.list.items[i]);
	for (size_t i = 0; value->kind == VALUE_MAP && i < value->as.map.count; i++) {
		struct text name = value->as.map.members[i].name;

		memset((char *)(uintptr_t)name.bytes, '#', name.length);
		spoil(value->as.map.members[i].value);
	}
}

static void
the_document_can_go_when_the_policy_is_loaded(void **state)
{
	struct arena *arena = arena_open();
	struct error error = {0};
	struct value *document = parse(arena, sound);
	const struct policy *policy = policy_load(*state, document, &error);
	const struct policy_request request = {
	    .tenant = "acme",
	    .agent_id = "coding-1",
	    .action = "deployment.production",
	    .target = "customer-api",
	    .context = parse(*state, "{'environment': 'x', 'plan': {'delete': 0}}")};
	struct policy_decision decision;

	assert_non_null(policy);
	spoil(document);
	arena_close(arena);
	policy_decide(policy, &request, 1, *state, &decision);
	assert_string_equal(decision.reason_text, "No.");
	assert_string_equal(decision.rules[0], "untested");
	assert_string_equal(policy_name(policy), "acme-agents");
}

/* The `*skip`th value below `value`, counted in the order of the document; what is found becomes something else. */
static bool
damage(struct arena *arena, struct value *value, size_t *skip, uint64_t what)
{
	static const char *const texts[] = {
	    "",	    "x",  "**",	    "a.b", "1h",    "ALLOW", "REQUIRE_APPROVAL", "BLOCK", "hold", "release",
	    "none", "0s", "\u20ac", "*",   "risky", "acme"};

	if ((*skip)-- == 0) {
		struct value *others[] = {value_null(arena),
					  value_bool(arena, true),
					  value_int(arena, (int64_t)(what >> 8) % 200),
					  value_real(arena, 1.5),
					  value_list(arena),
					  value_map(arena),
					  value_string(arena, texts[(what >> 8) % COUNT_OF(texts)]),
					  value_string(arena, texts[(what >> 16) % COUNT_OF(texts)])};

		*value = *others[what % COUNT_OF(others)];
		return true;
	}
	for (size_t i = 0; value->kind == VALUE_LIST && i < value->as.list.count; i++)
		if (damage(arena, value->as.list.items[i], skip, what))
			return true;
	for (size_t i = 0; value->kind == VALUE_MAP && i < value->as.map.count; i++) {
		if (*skip == 0 && what % 3 == 0) { /* a member that is not there */
			value->as.map.members[i] = value->as.map.members[--value->as.map.count];
			return true;
		}
		if (damage(arena, value->as.map.members[i].value, skip, what))
			return true;
	}
	return false;
}

static void
a_damaged_document_is_refused_with_its_place_or_decides(void **state)
{
	static const struct policy_request request = {.tenant = "acme",
						      .agent_id = "coding-1",
						      .action = "deployment.production",
						      .target = "customer-api"};
	uint64_t seed = 31337;
	size_t loaded = 0, refused = 0;

	for (int round = 0; round < 20000; round++) {
		struct error error = {0};
		struct policy_decision decision;

		arena_reset(*state);

		struct value *document = parse(*state, sound);

		for (size_t times = 1 + next_random(&seed) % 2; times > 0; times--) {
			size_t skip = next_random(&seed) % 75;

			damage(*state, document, &skip, next_random(&seed));
		}

		const struct policy *policy = policy_load(*state, document, &error);

		if (!policy) {
			refused++;
			assert_int_equal(error.kind, ERROR_INVALID);
			assert_true(error.code[0] && error.text[0]);
			assert_true(error.field[0] || document->kind != VALUE_MAP
				    || document->as.map.count == 0);
			continue;
		}
		loaded++;
		assert_int_equal(error.kind, ERROR_NONE);
		policy_decide(policy, &request, 1, *state, &decision);
		assert_true(decision.verdict == POLICY_REQUIRE_APPROVAL
				? decision.requirement_count > 0 && decision.ttl > 0
				: decision.requirement_count == 0);
		assert_int_equal(decision.valid_for > 0, decision.verdict != POLICY_BLOCK);
	}
	if (loaded < 1000 || refused < 1000)
		fail_msg("%zu loaded, %zu refused: the test tries too little", loaded, refused);
}

static void
an_earlier_error_is_not_overwritten(void **state)
{
	struct error error = {0};

	error_set(&error, ERROR_BROKEN, "earlier", "something else");
	assert_null(policy_load(*state, parse(*state, "{}"), &error));
	assert_string_equal(error.code, "earlier");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    STORY(a_sound_document_is_loaded),
	    STORY(the_least_document_blocks_everything_for_the_default_tenant),
	    STORY(a_star_among_the_tenants_stands_for_all),
	    STORY(what_this_version_cannot_honour_is_refused_by_name),
	    STORY(what_nobody_knows_is_refused_by_name),
	    STORY(what_must_be_there_is_missed_by_name),
	    STORY(a_value_of_another_type_is_refused),
	    STORY(a_value_out_of_its_bounds_is_refused),
	    STORY(a_pattern_that_could_never_match_is_refused),
	    STORY(people_are_named_where_they_may_be_asked_and_nowhere_else),
	    STORY(exactly_one_class_is_the_fallback),
	    STORY(a_duration_is_written_as_in_cel),
	    STORY(every_length_has_its_limit),
	    STORY(every_number_has_its_limit),
	    STORY(every_list_has_its_limit),
	    STORY(twenty_thousand_rules_are_loaded_and_no_more),
	    STORY(one_action_has_a_thousand_candidates_and_no_more),
	    STORY(the_document_can_go_when_the_policy_is_loaded),
	    STORY(a_damaged_document_is_refused_with_its_place_or_decides),
	    STORY(an_earlier_error_is_not_overwritten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
