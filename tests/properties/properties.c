/* SPDX-License-Identifier: Apache-2.0 */
/* properties.c - one random rule set after the other on trial. */
#include "tests/properties/properties.h"
#include "tests/properties/random_policy.h"

#include "common/canonical/canonical.h"
#include "common/policy/policy_explain.h"
#include "tests/unit/policy/slow_pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOW = 10000000, REQUESTS = 3 };

const char *const property_names[PROPERTIES] = {
    "Q1 order", "Q2 adding", "Q3 withholding", "Q4 errors", "Q5 same", "Q6 index", "slow", "late", "copy"};

/* One rule set on trial. */
struct trial {
	struct arena *arena;
	uint64_t number, seed;
	enum flaw flaw;
	bool is_flawed; /* decided by the broken copy, violations are counted; else by the product, and the first ends it */
	struct random_policy random;
	const struct policy *policy;
	size_t requests;		  /* of REQUESTS; heavy ones take long */
	size_t *violations, *comparisons; /* by property */
};

/* ------------------------------------------------------------------ deciding and comparing */

static struct policy_decision
decide(const struct trial *trial, const struct policy *policy, const struct policy_request *request)
{
	struct policy_decision decision;

	if (trial->is_flawed)
		combination_decide(policy, request, NOW, trial->flaw, trial->arena, &decision);
	else
		policy_decide(policy, request, NOW, trial->arena, &decision);
	return decision;
}

static const char *
json(struct arena *arena, const struct value *value)
{
	struct buffer text = {.arena = arena};
	struct error error = {0};

	return canonical_format(&text, value, &error) ? text.bytes : "(no JSON)";
}

static const char *
explained(struct arena *arena, const struct policy_decision *decision)
{
	return json(arena, policy_explain(decision, arena));
}

static void
check(const struct trial *trial, enum property property, bool holds, const struct policy_request *request,
      const struct policy_decision *before, const struct policy_decision *after)
{
	trial->comparisons[property]++;
	if (holds)
		return;
	trial->violations[property]++;
	if (trial->is_flawed)
		return;
	fprintf(stderr,
		"violation of %s: make properties COUNT=1 SEED=%llu\n  before %s\n  after  %s\n"
		"  request %s %s %s %s %s\n  policy %s\n",
		property_names[property], (unsigned long long)trial->number,
		combination_line(trial->arena, before), combination_line(trial->arena, after),
		request->tenant, request->agent_id, request->action, request->target,
		json(trial->arena, request->context), json(trial->arena, trial->random.document));
	if (property == Q1 || property == Q5)
		fprintf(stderr, "  explained %s\n  and       %s\n", explained(trial->arena, before),
			explained(trial->arena, after));
}

static bool
asks(const struct policy_decision *decision, const char *profile)
{
	for (size_t i = 0; i < decision->requirement_count; i++)
		if (strcmp(decision->requirements[i].profile, profile) == 0)
			return true;
	return false;
}

static bool
is_held(const struct policy_decision *decision)
{
	return decision->verdict == POLICY_REQUIRE_APPROVAL
	       && strcmp(decision->reason_code, "evaluation_timeout") == 0;
}

static bool
is_looser(const struct trial *trial, const struct policy_decision *after, const struct policy_decision *before)
{
	if (after->verdict != before->verdict || after->verdict == POLICY_BLOCK)
		return after->verdict < before->verdict;
	if (is_held(after) || is_held(before))
		return false;
	for (size_t i = 0; i < before->requirement_count; i++)
		if (!asks(after, before->requirements[i].profile))
			return true;
	return combination_end(after->ttl) > combination_end(before->ttl)
	       || after->valid_for > before->valid_for || !combination_keeps(trial->arena, after, before);
}

static void
check_not_looser(const struct trial *trial, enum property property, const struct policy_request *request,
		 const struct policy_decision *before, const struct policy_decision *after)
{
	check(trial, property, !is_looser(trial, after, before), request, before, after);
}

static void
check_same(const struct trial *trial, enum property property, const struct policy_request *request,
	   const struct policy_decision *before, const struct policy_decision *after)
{
	check(trial, property, combination_is_same(before, after), request, before, after);
}

static void
check_same_bytes(const struct trial *trial, enum property property, const struct policy_request *request,
		 const struct policy_decision *before, const struct policy_decision *after)
{
	const char *one = explained(trial->arena, before), *other = explained(trial->arena, after);

	check(trial, property, strcmp(one, other) == 0, request, before, after);
}

static const struct policy *
load(const struct trial *trial)
{
	struct findings findings = findings_open(trial->arena, FINDINGS_MAX);
	const struct policy *policy = policy_load_whole(trial->arena, trial->random.document, NULL, &findings);

	if (!policy && strcmp(findings.items[0].code, "E04") != 0) {
		fprintf(stderr, "%s %s at %s: %s\n  %s\n", findings.items[0].code, findings.items[0].word,
			findings.items[0].path, findings.items[0].text,
			json(trial->arena, trial->random.document));
		exit(1);
	}
	return policy;
}

/* ------------------------------------------------------------------ the properties */

static void
check_errors(const struct trial *trial, const struct policy_request *request,
	     const struct policy_decision *decision)
{
	const struct policy_deciding *trail = decision->trail;

	if (!combination_was_asked(decision))
		return;
	for (size_t i = 0; i < trail->candidate_count; i++) {
		const struct policy_rule *rule = trail->candidates[i].rule;
		enum policy_verdict least = trail->errors_block ? POLICY_BLOCK : rule->verdict;
		bool asked = decision->verdict != POLICY_REQUIRE_APPROVAL || least != POLICY_REQUIRE_APPROVAL
			     || asks(decision, rule->profile->name);

		if (trail->candidates[i].outcome.truth != POLICY_ERROR || rule->is_shadow)
			continue;
		check(trial, Q4, decision->verdict >= least && asked, request, decision, decision);
	}
}

static void
check_index(const struct trial *trial, const struct policy_request *request,
	    const struct policy_decision *decision)
{
	if (!combination_was_asked(decision))
		return;

	struct policy_decision all = combination_without_index(decision, NOW, trial->arena);

	check_same(trial, Q6, request, decision, &all);
}

static void
check_same_again(const struct trial *trial, const struct policy_request *request,
		 const struct policy_decision *decision)
{
	struct policy_request again = *request;
	struct value *turned = value_map(trial->arena);

	for (size_t i = request->context->as.map.count; i > 0; i--)
		value_set(trial->arena, turned, request->context->as.map.members[i - 1].name.bytes,
			  request->context->as.map.members[i - 1].value);
	if (!decision->refusal)
		again.context = turned;

	struct policy_decision other = decide(trial, trial->policy, &again);

	check_same(trial, Q5, request, decision, &other);
	check_same_bytes(trial, Q5, request, decision, &other);
}

static void
check_withholding(const struct trial *trial, const struct policy_request *request,
		  const struct policy_decision *before)
{
	if (before->refusal || before->trail->meter.exhausted)
		return;
	for (size_t path = 0; path < RANDOM_PATHS; path++) {
		struct policy_request less = *request;

		less.context = random_context_without(trial->arena, request->context, path);
		if (path % 2 != trial->number / 2 % 2) /* the others another time */
			continue;
		if (!less.context || (trial->random.outside >> path & 1)
		    || (trial->random.is_heavy && path % 8 != trial->number % 8))
			continue;

		struct policy_decision after = decide(trial, trial->policy, &less);

		check_not_looser(trial, Q3, &less, before, &after);
		check_errors(trial, &less, &after);
	}
}

struct clock {
	size_t polls, last; /* it has expired at the last-th, 0: never */
};

static bool
expired(void *context)
{
	struct clock *clock = context;

	clock->polls++;
	return clock->last != 0 && clock->polls >= clock->last;
}

static void
check_slow(struct trial *trial, const struct policy_request *request, const struct policy_decision *before)
{
	struct clock clock = {0};
	struct policy_request slow = *request;

	slow.expired = expired;
	slow.clock = &clock;
	decide(trial, trial->policy, &slow);
	if (combination_was_asked(before))
		check(trial, SLOW, before->verdict >= combination_unhurried(before, NOW, trial->arena),
		      request, before, before);
	for (size_t polls = clock.polls, i = 0; i < 4 && i < polls; i++) {
		clock = (struct clock){.last = 1 + random_below(&trial->seed, polls)};

		struct policy_decision after = decide(trial, trial->policy, &slow);

		check_not_looser(trial, SLOW, request, before, &after);
		check_errors(trial, request, &after);
	}
}

static void
check_late(const struct trial *trial, const struct policy_request *request, const struct policy_decision *before)
{
	struct policy_request late = *request;

	late.deadline = NOW - 1;

	struct policy_decision after = decide(trial, trial->policy, &late);

	check(trial, LATE, !is_looser(trial, &after, before) && after.verdict != POLICY_ALLOW, request,
	      before, &after);
	check_withholding(trial, &late, &after);
}

/* ------------------------------------------------------------------ one rule set */

static bool
counts_in(const struct policy_decision *decision, const char *id)
{
	const struct policy_deciding *trail = decision->trail;

	for (size_t i = 0; i < trail->candidate_count; i++)
		if (strcmp(trail->candidates[i].rule->id, id) == 0)
			return trail->candidates[i].outcome.truth != POLICY_FALSE
			       && !trail->candidates[i].rule->is_shadow;
	return false;
}

static void
check_adding(struct trial *trial, const struct policy_request *requests, const struct policy_decision *before)
{
	enum policy_verdict added = random_policy_add(&trial->seed, trial->arena, &trial->random);
	const struct value *rules = value_get(trial->random.document, "rules");
	const char *id = value_get_string(rules->as.list.items[rules->as.list.count - 1], "id");
	const struct policy *longer = load(trial);

	for (size_t i = 0; longer && i < trial->requests; i++) {
		struct policy_decision after = decide(trial, longer, &requests[i]);

		check_errors(trial, &requests[i], &after);
		if (added == POLICY_BLOCK || !counts_in(&after, id) || !before[i].default_used)
			check_not_looser(trial, Q2, &requests[i], &before[i], &after);
	}
}

static void
check_order(struct trial *trial, const struct policy_request *requests, const struct policy_decision *before)
{
	bool classes = random_one_in(&trial->seed, 2);

	random_policy_shuffle(&trial->seed, trial->random.document, classes);

	const struct policy *shuffled = load(trial);

	for (size_t i = 0; shuffled && i < trial->requests; i++) {
		struct policy_decision after = decide(trial, shuffled, &requests[i]);

		check_same(trial, Q1, &requests[i], &before[i], &after);
		if (!classes && !trial->is_flawed)
			check_same_bytes(trial, Q1, &requests[i], &before[i], &after);
	}
	if (trial->random.is_heavy || !random_one_in(&trial->seed, 4))
		return;
	random_policy_join(trial->arena, trial->random.document);

	const struct policy *joined = load(trial);

	for (size_t i = 0; joined && i < trial->requests; i++) {
		struct policy_decision after = decide(trial, joined, &requests[i]);

		check_same(trial, Q1, &requests[i], &before[i], &after);
	}
}

static void
check_request(struct trial *trial, const struct policy_request *request, const struct policy_decision *decision)
{
	check_errors(trial, request, decision);
	check_withholding(trial, request, decision);
	if (trial->random.is_heavy)
		check_slow(trial, request, decision);
	if (trial->is_flawed)
		return;

	struct policy_decision copy;

	combination_decide(trial->policy, request, NOW, FLAW_NONE, trial->arena, &copy);
	if (!decision->trail->meter.exhausted) /* else the limits found less units left the second time */
		check_same(trial, COPY, request, decision, &copy);
	if (random_one_in(&trial->seed, 4))
		check_late(trial, request, decision);
	check_same_again(trial, request, decision);
	check_index(trial, request, decision);
}

void
properties_try(struct arena *arena, uint64_t number, bool is_flawed, enum flaw flaw, struct tally *tally)
{
	struct policy_request requests[REQUESTS];
	struct policy_decision decisions[REQUESTS];
	struct trial trial = {.arena = arena,
			      .number = number,
			      .seed = random_seed(number),
			      .flaw = flaw,
			      .is_flawed = is_flawed,
			      .violations = tally->violations,
			      .comparisons = tally->comparisons};

	arena_reset(arena);
	random_policy_make(&trial.seed, arena, &trial.random);
	trial.policy = load(&trial);
	tally->sets++;
	if (!trial.policy) {
		tally->refused++;
		return;
	}
	trial.requests = trial.random.is_heavy ? 1 : REQUESTS;
	for (size_t i = 0; i < trial.requests; i++) {
		requests[i] = random_policy_request(&trial.seed, arena, &trial.random);
		requests[i].used = random_usage;
		decisions[i] = decide(&trial, trial.policy, &requests[i]);
		tally->verdicts[decisions[i].verdict]++;
		tally->errors += decisions[i].error_count != 0;
		tally->exhausted += decisions[i].trail->meter.exhausted;
		check_request(&trial, &requests[i], &decisions[i]);
	}
	check_order(&trial, requests, decisions);
	check_adding(&trial, requests, decisions);
}
