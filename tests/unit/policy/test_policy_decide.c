/* SPDX-License-Identifier: Apache-2.0 */
/* test_policy_decide.c - one policy, many requests; each case carries the number of the rule it is about. */
#include "tests/unit/policy/documents.h"

#include <stdio.h>

enum { RULES = 11, NOW = 1000 };

static const char document[] =
    "{'countersign': 'policy/v1', 'policy': 'p', 'version': 1, 'tenants': ['acme', 'other'],"
    " 'classes': ["
    "  {'id': 'read', 'actions': ['**.read', '**.list'], 'default': 'ALLOW', 'valid_for': '5m'},"
    "  {'id': 'change', 'actions': ['deployment.**', 'repo.**'], 'except': ['**.list'],"
    "   'default': 'REQUIRE_APPROVAL', 'approval': 'release'},"
    "  {'id': 'source', 'actions': ['repo.**'], 'default': 'REQUIRE_APPROVAL', 'approval': 'security'},"
    "  {'id': 'money', 'actions': ['payment.**'], 'requires': ['currency', 'amount.minor'], 'default': "
    "'BLOCK'},"
    "  {'id': 'refund', 'actions': ['payment.refund'], 'requires': ['reason', 'currency'], 'default': "
    "'ALLOW'},"
    "  {'id': 'open', 'actions': ['open.**'], 'default': 'ALLOW', 'valid_for': '20m', 'approval': 'release',"
    "   'failure': {'evaluation_timeout': 'hold', 'no_eligible_approver': 'hold'}},"
    "  {'id': 'quick', 'actions': ['open.quick.**'], 'default': 'ALLOW', 'valid_for': '3m', 'approval': "
    "'security',"
    "   'failure': {'evaluation_timeout': 'hold'}},"
    "  {'id': 'shut', 'actions': ['open.shut'], 'default': 'ALLOW'},"
    "  {'id': 'grim', 'actions': ['open.grim'], 'default': 'BLOCK', 'approval': 'security',"
    "   'failure': {'evaluation_timeout': 'hold', 'no_eligible_approver': 'hold'}},"
    "  {'id': 'data', 'actions': ['data.**'], 'default': 'REQUIRE_APPROVAL', 'approval': 'privacy',"
    "   'failure': {'no_eligible_approver': 'hold'}},"
    "  {'id': 'sure', 'actions': ['signed.**', 'open.signed'], 'identity': 'verified', 'requires': ['x'], "
    "'default': 'ALLOW'},"
    "  {'id': 'slow', 'actions': ['slow.**'], 'no_deadline': true, 'default': 'REQUIRE_APPROVAL', "
    "'approval': "
    "'endless'},"
    "  {'id': 'slow-not', 'actions': ['slow.not'], 'default': 'REQUIRE_APPROVAL', 'approval': 'endless'},"
    "  {'id': 'slow-too', 'actions': ['slow.too'], 'no_deadline': true, 'default': 'REQUIRE_APPROVAL', "
    "'approval': 'release'},"
    "  {'id': 'rescue', 'actions': ['rescue.**'], 'default': 'REQUIRE_APPROVAL', 'approval': 'release', "
    "'fallback': {'group': 'chiefs', 'quorum': 2}, 'failure': {'no_eligible_approver': 'escalate'}},"
    "  {'id': 'rescue-too', 'actions': ['rescue.two.**'], 'default': 'ALLOW', 'fallback': {'group': 'owls', "
    "'quorum': 1}, 'failure': {'no_eligible_approver': 'escalate'}},"
    "  {'id': 'rescue-held', 'actions': ['rescue.two.held'], 'default': 'ALLOW', "
    "'failure': {'no_eligible_approver': 'hold'}},"
    "  {'id': 'rescue-not', 'actions': ['rescue.not'], 'default': 'ALLOW'},"
    "  {'id': 'watch', 'actions': ['watch.**'], 'default': 'REQUIRE_APPROVAL', 'approval': 'eyes', "
    "'fallback': {'group': 'chiefs', 'quorum': 1}, 'failure': {'no_eligible_approver': 'escalate'}},"
    "  {'id': 'watch-too', 'actions': ['watch.two'], 'default': 'ALLOW', 'fallback': {'group': 'owls', "
    "'quorum': 1}, 'failure': {'no_eligible_approver': 'escalate'}},"
    "  {'id': 'rest', 'actions': ['**'], 'default': 'BLOCK'}],"
    " 'approvals': {'endless': {'any_of': [{'group': 'patient', 'quorum': 1}], 'ttl': 'none'},"
    "  'eyes': {'all_of': [{'group': 'left', 'quorum': 1}, {'group': 'right', 'quorum': 1}], 'distinct': "
    "true, "
    "'ttl': '2h', 'grant': {'valid_for': '10m'}},"
    "  'release': {'any_of': [{'group': 'managers', 'quorum': 2}], 'ttl': '2h', 'grant': "
    "{'valid_for': "
    "'10m'}},"
    "  'security': {'any_of': [{'group': 'oncall', 'quorum': 1}], 'ttl': '30m', 'grant': {'uses': 1}},"
    "  'privacy': {'any_of': [{'group': 'officers', 'quorum': 1}], 'ttl': '8h', 'grant': {'valid_for': "
    "'1h'}}},"
    " 'rules': ["
    "  {'id': 'z-allow', 'match': {'actions': ['deployment.staging']}, 'decision': 'ALLOW', 'reason': "
    "'Staging.'},"
    "  {'id': 'risky', 'match': {'actions': ['deployment.production']}, 'decision': 'REQUIRE_APPROVAL',"
    "   'approval': 'security', 'reason': 'Production.'},"
    "  {'id': 'risky-too', 'match': {'actions': ['deployment.production'], 'targets': ['customer-*']},"
    "   'decision': 'REQUIRE_APPROVAL', 'approval': 'release', 'reason': 'Customers.'},"
    "  {'id': 'risky-again', 'match': {'actions': ['deployment.*'], 'targets': ['customer-api']},"
    "   'decision': 'REQUIRE_APPROVAL', 'approval': 'release'},"
    "  {'id': 'routine', 'match': {'actions': ['deployment.production']}, 'decision': 'ALLOW', 'reason': "
    "'Routine.'},"
    "  {'id': 'frozen', 'match': {'agents': ['frozen-*']}, 'except': {'actions': ['**.read'], 'targets': "
    "['public']},"
    "   'decision': 'BLOCK', 'reason': 'Frozen.'},"
    "  {'id': 'a-frozen', 'match': {'agents': ['frozen-1'], 'tenants': ['ac*']}, 'decision': 'BLOCK',"
    "   'reason': 'Frozen, too.'},"
    "  {'id': 'paid', 'match': {'actions': ['payment.*'], 'agents': ['till']}, 'decision': 'ALLOW'},"
    "  {'id': 'export', 'match': {'actions': ['data.export', 'open.*']}, 'except': {'agents': ['agent', "
    "'till']},"
    "   'decision': 'REQUIRE_APPROVAL', 'approval': 'privacy', 'reason': 'Leaves us.'},"
    "  {'id': 'grim', 'match': {'actions': ['open.grim'], 'targets': ['nice']}, 'decision': 'ALLOW'}]}";

/* A decision in one line. */
static const char *
told(struct arena *arena, const struct policy_decision *decision)
{
	struct buffer line = {.arena = arena};

	buffer_add_format(&line, "%s %s", policy_verdict_name(decision->verdict), decision->reason_code);
	if (decision->class_id)
		buffer_add_format(&line, " class=%s", decision->class_id);
	for (size_t i = 0; i < decision->rule_count; i++)
		buffer_add_format(&line, "%s%s", i ? "," : " rules=", decision->rules[i]);
	for (size_t i = 0; i < decision->missing_count; i++)
		buffer_add_format(&line, "%s%s", i ? "," : " missing=", decision->missing[i]);
	for (size_t i = 0; i < decision->requirement_count; i++)
		buffer_add_format(&line, "%s%s(%lld of %s)",
				  i ? "," : " asks=", decision->requirements[i].profile,
				  (long long)decision->requirements[i].quorum, decision->requirements[i].group);
	if (decision->ttl)
		buffer_add_format(&line, " ttl=%lldm", (long long)(decision->ttl / MINUTE));
	if (decision->valid_for)
		buffer_add_format(&line, " valid=%lldm", (long long)(decision->valid_for / MINUTE));
	if (decision->hold_if_nobody)
		buffer_add_text(&line, " hold");
	for (size_t i = 0; decision->escalate_if_nobody && i < decision->requirement_count; i++) {
		struct policy_requirement other = policy_requirement_escalate(&decision->requirements[i]);

		for (size_t j = 0; j < other.terms->stages[0].ask_count; j++)
			buffer_add_format(&line, "%s(%lld of %s)",
					  j ? "+" : " else=", (long long)other.terms->stages[0].asks[j].quorum,
					  other.terms->stages[0].asks[j].group);
		if (other.terms->distinct)
			buffer_add_text(&line, " distinct");
	}
	return line.bytes;
}

struct decided {
	int rule;
	const char *name;
	struct policy_request request; /* tenant acme, agent "agent", target "target" unless said otherwise */
	const char *context;
	const char *expected;
};

static const struct decided cases[] = {
    {1, "a tenant that the policy is not for", {.tenant = "third", .action = "a.read"}, "{}", "BLOCK no_policy"},
    {1,
     "a tenant that the policy is for",
     {.tenant = "other", .action = "a.read"},
     "{}",
     "ALLOW class_default class=read valid=5m"},

    {2,
     "a class with a pattern that matches",
     {.action = "deployment.x"},
     "{}",
     "REQUIRE_APPROVAL class_default class=change asks=release(2 of managers) ttl=120m valid=10m"},
    {2,
     "an exception takes the action out of a class",
     {.action = "deployment.list"},
     "{}",
     "ALLOW class_default class=read valid=5m"},
    {2,
     "the fallback covers what no other does",
     {.action = "credential.rotate"},
     "{}",
     "BLOCK class_default class=rest"},
    {2,
     "the fallback says nothing where another class speaks",
     {.action = "file.read"},
     "{}",
     "ALLOW class_default class=read valid=5m"},

    {11,
     "no deadline where the class says so",
     {.action = "slow.x"},
     "{}",
     "REQUIRE_APPROVAL class_default class=slow asks=endless(1 of patient) valid=15m"},
    {11,
     "a day where one of the classes does not",
     {.action = "slow.not"},
     "{}",
     "REQUIRE_APPROVAL class_default class=slow asks=endless(1 of patient) ttl=1440m valid=15m"},
    {11,
     "the deadline of another profile",
     {.action = "slow.too"},
     "{}",
     "REQUIRE_APPROVAL class_default class=slow asks=endless(1 of patient),release(2 of managers) ttl=120m "
     "valid=10m"},
    {11,
     "whom the class escalates to where nobody could approve",
     {.action = "rescue.one"},
     "{}",
     "REQUIRE_APPROVAL class_default class=rescue asks=release(2 of managers) ttl=120m valid=10m "
     "else=(2 of chiefs)"},
    {11,
     "all whom the classes escalate to",
     {.action = "rescue.two"},
     "{}",
     "REQUIRE_APPROVAL class_default class=rescue asks=release(2 of managers) ttl=120m valid=10m "
     "else=(2 of chiefs)+(1 of owls)"},
    {11,
     "one group that stands in for several needs no telling apart",
     {.action = "watch.one"},
     "{}",
     "REQUIRE_APPROVAL class_default class=watch asks=eyes(1 of left) ttl=120m valid=10m "
     "else=(1 of chiefs)"},
    {11,
     "several that stand in are as distinct as those they stand in for",
     {.action = "watch.two"},
     "{}",
     "REQUIRE_APPROVAL class_default class=watch asks=eyes(1 of left) ttl=120m valid=10m "
     "else=(1 of chiefs)+(1 of owls) distinct"},
    {11,
     "hold is stricter than escalate",
     {.action = "rescue.two.held"},
     "{}",
     "REQUIRE_APPROVAL class_default class=rescue asks=release(2 of managers) ttl=120m valid=10m hold"},
    {11,
     "closed is the strictest",
     {.action = "rescue.not"},
     "{}",
     "REQUIRE_APPROVAL class_default class=rescue asks=release(2 of managers) ttl=120m valid=10m"},
    {3,
     "the strictest default of two",
     {.action = "deployment.read"},
     "{}",
     "REQUIRE_APPROVAL class_default class=change asks=release(2 of managers) ttl=120m valid=10m"},
    {3,
     "equally strict classes ask all their people; the first lends its name",
     {.action = "repo.push"},
     "{}",
     "REQUIRE_APPROVAL class_default class=change asks=release(2 of managers),security(1 of oncall) ttl=30m "
     "valid=10m"},
    {3,
     "a class that demands a verified identity takes nobody who is not known, whatever else is missing",
     {.action = "signed.act"},
     "{}",
     "BLOCK identity_not_verified class=sure"},
    {3,
     "one of several classes that demands it is enough, and says so",
     {.action = "open.signed"},
     "{'x': 1}",
     "BLOCK identity_not_verified class=sure"},
    {3,
     "who is known is decided about as usual",
     {.action = "open.signed", .is_verified = true},
     "{'x': 1}",
     "ALLOW class_default class=open valid=15m"},
    {3,
     "whose identity is verified gives what is required all the same",
     {.action = "signed.act", .is_verified = true},
     "{}",
     "BLOCK missing_input class=sure missing=x"},
    {3,
     "a verified identity opens no other class",
     {.action = "credential.rotate", .is_verified = true},
     "{}",
     "BLOCK class_default class=rest"},
    {3,
     "three classes",
     {.action = "repo.read"},
     "{}",
     "REQUIRE_APPROVAL class_default class=change asks=release(2 of managers),security(1 of oncall) ttl=30m "
     "valid=10m"},
    {3,
     "what two classes require is united",
     {.action = "payment.refund"},
     "{}",
     "BLOCK missing_input class=money missing=amount.minor,currency,reason"},
    {3,
     "the class that misses something lends its name",
     {.action = "payment.refund"},
     "{'currency': 'EUR', 'amount': {'minor': 1}}",
     "BLOCK missing_input class=refund missing=reason"},
    {3,
     "the least validity of two classes",
     {.action = "open.quick.x"},
     "{}",
     "ALLOW class_default class=open valid=3m"},
    {3,
     "a cell holds only where all say hold",
     {.action = "open.quick", .agent_id = "x"},
     "{}",
     "REQUIRE_APPROVAL rule class=open rules=export asks=privacy(1 of officers) ttl=480m valid=60m"},
    {3,
     "a cell that holds",
     {.action = "open.x", .agent_id = "x"},
     "{}",
     "REQUIRE_APPROVAL rule class=open rules=export asks=privacy(1 of officers) ttl=480m valid=60m hold"},

    {4,
     "everything is there",
     {.action = "payment.x", .agent_id = "till"},
     "{'currency': 'EUR', 'amount': {'minor': 0}}",
     "ALLOW rule class=money rules=paid valid=15m"},
    {4,
     "false, zero and empty are there",
     {.action = "payment.x", .agent_id = "till"},
     "{'currency': '', 'amount': {'minor': false}}",
     "ALLOW rule class=money rules=paid valid=15m"},
    {4,
     "a context without anything",
     {.action = "payment.x", .agent_id = "till"},
     "{}",
     "BLOCK missing_input class=money missing=amount.minor,currency"},
    {4,
     "no context at all",
     {.action = "payment.x", .agent_id = "till"},
     NULL,
     "BLOCK missing_input class=money missing=amount.minor,currency"},
    {4,
     "null is missing",
     {.action = "payment.x", .agent_id = "till"},
     "{'currency': null, 'amount': {'minor': null}}",
     "BLOCK missing_input class=money missing=amount.minor,currency"},
    {4,
     "nothing lies inside what is no map",
     {.action = "payment.x", .agent_id = "till"},
     "{'currency': 'EUR', 'amount': 5}",
     "BLOCK missing_input class=money missing=amount.minor"},
    {4,
     "nothing lies inside a list",
     {.action = "payment.x", .agent_id = "till"},
     "{'currency': 'EUR', 'amount': [{'minor': 5}]}",
     "BLOCK missing_input class=money missing=amount.minor"},
    {4,
     "a name with a dot in it is no path",
     {.action = "payment.x", .agent_id = "till"},
     "{'currency': 'EUR', 'amount.minor': 5}",
     "BLOCK missing_input class=money missing=amount.minor"},
    {4,
     "a longer or shorter name is another one",
     {.action = "payment.x", .agent_id = "till"},
     "{'currency': 'EUR', 'amounts': {'minor': 5}, 'amoun': {'minor': 5}, 'amount': {'minors': 1, 'mino': "
     "1}}",
     "BLOCK missing_input class=money missing=amount.minor"},
    {4,
     "missing goes before a passed deadline",
     {.action = "payment.x", .deadline = NOW - 1},
     "{}",
     "BLOCK missing_input class=money missing=amount.minor,currency"},

    {5,
     "after the deadline",
     {.action = "file.read", .deadline = NOW - 1},
     "{}",
     "BLOCK evaluation_timeout class=read"},
    {5, "at the deadline", {.action = "file.read", .deadline = NOW}, "{}", "ALLOW class_default class=read valid=5m"},
    {5,
     "before the deadline",
     {.action = "file.read", .deadline = NOW + 1},
     "{}",
     "ALLOW class_default class=read valid=5m"},
    {5,
     "a closed cell asks no rule",
     {.action = "deployment.staging", .deadline = 1},
     "{}",
     "BLOCK evaluation_timeout class=change"},
    {5,
     "one closed cell closes, and its class lends its name",
     {.action = "open.shut", .deadline = 1},
     "{}",
     "BLOCK evaluation_timeout class=shut"},

    {6,
     "a rule that names an action",
     {.action = "deployment.staging"},
     "{}",
     "ALLOW rule class=change rules=z-allow valid=15m"},
    {6,
     "all lists must match: the target does not",
     {.action = "deployment.staging", .target = "customer-ap"},
     "{}",
     "ALLOW rule class=change rules=z-allow valid=15m"},
    {6,
     "all lists must match: they do",
     {.action = "deployment.staging", .target = "customer-api"},
     "{}",
     "REQUIRE_APPROVAL rule class=change rules=risky-again asks=release(2 of managers) ttl=120m valid=10m"},
    {6,
     "all lists must match: the agent does not",
     {.action = "open.x", .agent_id = "agent"},
     "{}",
     "ALLOW class_default class=open valid=20m"},
    {6,
     "a rule that names no action covers them all",
     {.action = "file.read", .agent_id = "frozen-2"},
     "{}",
     "BLOCK rule class=read rules=frozen"},
    {6,
     "an exception needs all its lists: only the action",
     {.action = "file.read", .agent_id = "frozen-2", .target = "x"},
     "{}",
     "BLOCK rule class=read rules=frozen"},
    {6,
     "an exception needs all its lists: only the target",
     {.action = "file.list", .agent_id = "frozen-2", .target = "public"},
     "{}",
     "BLOCK rule class=read rules=frozen"},
    {6,
     "an exception needs all its lists: both",
     {.action = "file.read", .agent_id = "frozen-2", .target = "public"},
     "{}",
     "ALLOW class_default class=read valid=5m"},
    {6,
     "one pattern of an exception's list is enough",
     {.action = "data.export", .agent_id = "till"},
     "{}",
     "REQUIRE_APPROVAL class_default class=data asks=privacy(1 of officers) ttl=480m valid=60m hold"},
    {6,
     "a rule for the tenant",
     {.action = "file.list", .agent_id = "frozen-1"},
     "{}",
     "BLOCK rule class=read rules=a-frozen,frozen"},
    {6,
     "a rule for another tenant",
     {.tenant = "other", .action = "file.list", .agent_id = "frozen-1"},
     "{}",
     "BLOCK rule class=read rules=frozen"},

    {7,
     "REQUIRE_APPROVAL goes before ALLOW",
     {.action = "deployment.production"},
     "{}",
     "REQUIRE_APPROVAL rule class=change rules=risky asks=security(1 of oncall) ttl=30m valid=15m"},
    {7,
     "BLOCK goes before both",
     {.action = "deployment.production", .agent_id = "frozen-9"},
     "{}",
     "BLOCK rule class=change rules=frozen"},
    {7,
     "a rule's ALLOW goes before a default of BLOCK",
     {.action = "open.grim", .target = "nice"},
     "{}",
     "ALLOW rule class=grim rules=grim valid=15m"},

    {8,
     "the default where no rule speaks",
     {.action = "deployment.test"},
     "{}",
     "REQUIRE_APPROVAL class_default class=change asks=release(2 of managers) ttl=120m valid=10m"},
    {8, "a default of BLOCK", {.action = "open.grim"}, "{}", "BLOCK class_default class=grim"},

    {9,
     "an ALLOW that comes too late asks whom the class names",
     {.action = "open.x", .deadline = NOW - 1},
     "{}",
     "REQUIRE_APPROVAL evaluation_timeout class=open asks=release(2 of managers) ttl=120m valid=10m hold"},
    {9,
     "and of several classes all",
     {.action = "open.quick.x", .deadline = NOW - 1},
     "{}",
     "REQUIRE_APPROVAL evaluation_timeout class=open asks=release(2 of managers),security(1 of oncall) "
     "ttl=30m valid=10m"},
    {9,
     "and for a rule's ALLOW, too",
     {.action = "open.grim", .target = "nice", .deadline = NOW - 1},
     "{}",
     "REQUIRE_APPROVAL evaluation_timeout class=grim asks=release(2 of managers),security(1 of oncall) "
     "ttl=30m valid=10m hold"},
    {9,
     "at the deadline nothing changes",
     {.action = "open.x", .deadline = NOW},
     "{}",
     "ALLOW class_default class=open valid=20m"},
    {9,
     "REQUIRE_APPROVAL stays as it is",
     {.action = "open.x", .agent_id = "x", .deadline = 1},
     "{}",
     "REQUIRE_APPROVAL rule class=open rules=export asks=privacy(1 of officers) ttl=480m valid=60m hold"},
    {9,
     "BLOCK by a rule stays",
     {.action = "open.x", .agent_id = "frozen-1", .deadline = 1},
     "{}",
     "BLOCK rule class=open rules=a-frozen,frozen"},
    {9, "BLOCK by default stays", {.action = "open.grim", .deadline = 1}, "{}", "BLOCK class_default class=grim"},

    {10,
     "two rules with one profile ask once; the least terms of all",
     {.action = "deployment.production", .target = "customer-api"},
     "{}",
     "REQUIRE_APPROVAL rule class=change rules=risky,risky-again,risky-too "
     "asks=release(2 of managers),security(1 of oncall) ttl=30m valid=10m"},
    {10,
     "the class is not asked where a rule decided",
     {.action = "deployment.production", .target = "x"},
     "{}",
     "REQUIRE_APPROVAL rule class=change rules=risky asks=security(1 of oncall) ttl=30m valid=15m"},
    {10,
     "an ALLOW by a rule lasts as long as the class says",
     {.action = "open.grim", .target = "nice"},
     "{}",
     "ALLOW rule class=grim rules=grim valid=15m"},
};

static struct policy_request
request_of(struct arena *arena, const struct decided *decided)
{
	struct policy_request request = decided->request;

	request.tenant = request.tenant ? request.tenant : "acme";
	request.agent_id = request.agent_id ? request.agent_id : "agent";
	request.target = request.target ? request.target : "target";
	request.context = decided->context ? parse(arena, decided->context) : NULL;
	return request;
}

static void
each_case_is_decided_by_its_rule(void **state)
{
	const struct policy *policy = load(*state, document);

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct policy_request request = request_of(*state, &cases[i]);
		struct policy_decision decision;

		policy_decide(policy, &request, NOW, *state, &decision);
		if (strcmp(told(*state, &decision), cases[i].expected) != 0)
			fail_msg("rule %d, %s:\n  expected %s\n  but was  %s", cases[i].rule, cases[i].name,
				 cases[i].expected, told(*state, &decision));
	}
}

/* Rule 11 has its own stories below. */
static void
every_rule_has_a_case(void **state)
{
	bool seen[RULES + 1] = {[11] = true};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		seen[cases[i].rule] = true;
	for (int rule = 1; rule <= RULES; rule++)
		if (!seen[rule])
			fail_msg("no case is about rule %d", rule);
}

static void
rule_1_without_a_policy_everything_is_blocked(void **state)
{
	const struct policy_request request = {
	    .tenant = "acme", .agent_id = "a", .action = "file.read", .target = "t"};
	struct policy_decision decision;

	policy_decide(NULL, &request, NOW, *state, &decision);
	assert_string_equal(told(*state, &decision), "BLOCK no_policy");
	assert_null(decision.class_id);
}

static void
rule_1_an_incomplete_request_is_blocked(void **state)
{
	const struct policy *policy = load(*state, document);
	const struct policy_request whole = {
	    .tenant = "acme", .agent_id = "a", .action = "file.read", .target = "t"};
	const struct policy_request nothing = {0};
	struct policy_request request = whole;
	struct policy_decision decision;

	request.action = NULL;
	policy_decide(policy, &request, NOW, *state, &decision);
	assert_string_equal(told(*state, &decision), "BLOCK missing_input missing=action");
	request = whole;
	request.target = NULL;
	policy_decide(policy, &request, NOW, *state, &decision);
	assert_string_equal(told(*state, &decision), "BLOCK missing_input missing=target");
	policy_decide(policy, &nothing, NOW, *state, &decision);
	assert_string_equal(told(*state, &decision),
			    "BLOCK missing_input missing=action,agent_id,target,tenant");
}

static void
rule_4_a_context_that_is_no_map_holds_nothing(void **state)
{
	const struct policy *policy = load(*state, document);
	const struct policy_request request = {.tenant = "acme",
					       .agent_id = "till",
					       .action = "payment.x",
					       .target = "t",
					       .context = value_string(*state, "currency")};
	struct policy_decision decision;

	policy_decide(policy, &request, NOW, *state, &decision);
	assert_string_equal(told(*state, &decision),
			    "BLOCK missing_input class=money missing=amount.minor,currency");
}

/* `count` rules that ask `count` profiles for the same action. */
static const char *
many_profiles(struct arena *arena, size_t count)
{
	struct buffer text = {.arena = arena};

	buffer_add_text(&text,
			"{'countersign': 'policy/v1', 'policy': 'p', 'version': 1,"
			" 'classes': [{'id': 'c', 'actions': ['**'], 'default': 'ALLOW'}], 'approvals': {");
	for (size_t i = 0; i < count; i++)
		buffer_add_format(&text, "%s'p%02zu': {'any_of': [{'group': 'g', 'quorum': 1}], 'ttl': '1h'}",
				  i ? "," : "", i);
	buffer_add_text(&text, "}, 'rules': [");
	for (size_t i = 0; i < count; i++)
		buffer_add_format(&text,
				  "%s{'id': 'r%zu', 'decision': 'REQUIRE_APPROVAL', 'approval': 'p%02zu'}",
				  i ? "," : "", i, (i * 7) % count);
	buffer_add_text(&text, "]}");
	return text.bytes;
}

static void
rule_11_more_profiles_than_one_question_holds_are_blocked(void **state)
{
	const struct policy_request request = {
	    .tenant = "default", .agent_id = "a", .action = "b", .target = "t"};
	struct policy_decision decision;

	policy_decide(load(*state, many_profiles(*state, POLICY_REQUIREMENTS_MAX)), &request, NOW, *state,
		      &decision);
	assert_int_equal(decision.verdict, POLICY_REQUIRE_APPROVAL);
	assert_int_equal(decision.requirement_count, POLICY_REQUIREMENTS_MAX);
	for (size_t i = 0; i < decision.requirement_count; i++)
		assert_string_equal(decision.requirements[i].profile, arena_format(*state, "p%02zu", i));

	policy_decide(load(*state, many_profiles(*state, POLICY_REQUIREMENTS_MAX + 1)), &request, NOW, *state,
		      &decision);
	assert_int_equal(decision.verdict, POLICY_BLOCK);
	assert_string_equal(decision.reason_code, "too_many_requirements");
	assert_int_equal(decision.requirement_count, 0);
	assert_int_equal(decision.ttl, 0);
	assert_int_equal(decision.valid_for, 0);
}

/* Two halves of patterns that only an action no rule names brings together. */
static void
rule_11_more_rules_than_one_decision_names_are_blocked(void **state)
{
	struct buffer text = {.arena = *state};
	struct policy_request request = {
	    .tenant = "default", .agent_id = "a", .action = "left.right", .target = "t"};
	struct policy_decision decision;

	buffer_add_text(&text,
			"{'countersign': 'policy/v1', 'policy': 'p', 'version': 1,"
			" 'classes': [{'id': 'c', 'actions': ['**'], 'default': 'ALLOW'}], 'rules': [");
	for (size_t i = 0; i < 513; i++)
		buffer_add_format(&text,
				  "%s{'id': 'l%zu', 'match': {'actions': ['left.*']}, 'decision': 'ALLOW'},"
				  "{'id': 'r%zu', 'match': {'actions': ['*.right'], 'targets': ['%s']}, "
				  "'decision': 'ALLOW'}",
				  i ? "," : "", i, i, i ? "**" : "t");
	buffer_add_text(&text, "]}");

	const struct policy *policy = load(*state, text.bytes);

	policy_decide(policy, &request, NOW, *state, &decision);
	assert_string_equal(told(*state, &decision), "BLOCK too_many_rules class=c");
	request.target = "u";
	policy_decide(policy, &request, NOW, *state, &decision);
	assert_int_equal(decision.verdict, POLICY_BLOCK); /* 1025 still */
	request.action = "left.wrong";
	policy_decide(policy, &request, NOW, *state, &decision);
	assert_int_equal(decision.verdict, POLICY_ALLOW);
	assert_int_equal(decision.rule_count, 513);
}

static void
the_reason_is_one_line_of_bounded_length(void **state)
{
	const struct policy *policy = load(*state, document);
	struct policy_request request = {
	    .tenant = "acme", .agent_id = "a", .action = "deployment.production", .target = "customer-api"};
	struct policy_decision decision;
	struct buffer text = {.arena = *state};

	policy_decide(policy, &request, NOW, *state, &decision);
	assert_string_equal(decision.reason_text, "Production. Rule risky-again. Customers.");
	request.action = "payment.x";
	policy_decide(policy, &request, NOW, *state, &decision);
	assert_string_equal(decision.reason_text, "Missing: amount.minor, currency.");
	request.action = "credential.rotate";
	policy_decide(policy, &request, NOW, *state, &decision);
	assert_string_equal(decision.reason_text, "No rule speaks; this is the default of class rest.");
	request.deadline = 1;
	policy_decide(policy, &request, NOW, *state, &decision);
	assert_string_equal(decision.reason_text, "The deadline passed before this was decided.");
	policy_decide(NULL, &request, NOW, *state, &decision);
	assert_string_equal(decision.reason_text, "No policy is active for this tenant.");

	request.deadline = 0;
	for (size_t padding = 0; padding < 5; padding++) {
		text = (struct buffer){.arena = *state};
		buffer_add_text(
		    &text, "{'countersign': 'policy/v1', 'policy': 'p', 'version': 1, 'tenants': ['acme'],"
			   " 'classes': [{'id': 'c', 'actions': ['**'], 'default': 'ALLOW'}], 'rules': [");
		for (size_t i = 0; i < 8; i++) {
			buffer_add_format(&text, "%s{'id': 'r%zu', 'decision': 'BLOCK', 'reason': '%.*s",
					  i ? "," : "", i, (int)padding, "abcde");
			for (size_t j = 0; j < 100; j++)
				buffer_add_text(&text, "\u20ac");
			buffer_add_text(&text, "'}");
		}
		buffer_add_text(&text, "]}");
		policy_decide(load(*state, text.bytes), &request, NOW, *state, &decision);

		size_t length = strlen(decision.reason_text);

		assert_true(length <= 1024 && length >= 1024 - 2);
		assert_string_equal(decision.reason_text + length - 3, "…");
		assert_int_equal((unsigned char)decision.reason_text[length - 6],
				 0xe2); /* a whole character before it */
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    STORY(each_case_is_decided_by_its_rule),
	    STORY(every_rule_has_a_case),
	    STORY(rule_1_without_a_policy_everything_is_blocked),
	    STORY(rule_1_an_incomplete_request_is_blocked),
	    STORY(rule_4_a_context_that_is_no_map_holds_nothing),
	    STORY(rule_11_more_profiles_than_one_question_holds_are_blocked),
	    STORY(rule_11_more_rules_than_one_decision_names_are_blocked),
	    STORY(the_reason_is_one_line_of_bounded_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
