/* SPDX-License-Identifier: Apache-2.0 */
/* combination.c - the combination written a second time, from the design's 10.3. */
#include "tests/properties/combination.h"

#include "common/policy/policy_obligations.h"

#include <string.h>

static bool
is_error(const struct policy_candidate *candidate)
{
	return candidate->outcome.truth == POLICY_ERROR && !candidate->rule->is_shadow;
}

static bool
is_counted(const struct policy_candidate *candidate, enum flaw flaw)
{
	bool allows = candidate->rule->verdict == POLICY_ALLOW;

	if (candidate->rule->is_shadow)
		return false;
	if (candidate->outcome.truth == POLICY_TRUE)
		return true;
	return candidate->outcome.truth == POLICY_ERROR
	       && ((flaw == FLAW_ERRORS_MATCH && !allows) || (flaw == FLAW_ALLOW_ERRORS_COUNT && allows));
}

static bool
is_raising(const struct policy_deciding *d, const struct policy_candidate *candidate, enum flaw flaw)
{
	return is_error(candidate) && flaw != FLAW_NOTHING_RAISES && flaw != FLAW_ERRORS_MATCH
	       && (d->errors_block || candidate->rule->verdict != POLICY_ALLOW);
}

static enum policy_verdict
raises_to(const struct policy_deciding *d, const struct policy_candidate *candidate)
{
	return d->errors_block ? POLICY_BLOCK : candidate->rule->verdict;
}

/* Step 1. */
static enum policy_verdict
find_base(struct policy_deciding *d, enum flaw flaw)
{
	const struct policy_candidate *base = NULL;

	for (size_t i = 0; i < d->candidate_count; i++) {
		const struct policy_candidate *one = &d->candidates[i];

		if (!is_counted(one, flaw))
			continue;
		if (!base
		    || (flaw == FLAW_FIRST_WINS ? one->rule->position < base->rule->position
						: one->rule->verdict > base->rule->verdict))
			base = one;
	}
	d->default_used = !base;
	return base ? base->rule->verdict : d->speaker->verdict;
}

/* Step 2, and who is asked. */
static void
combine(struct policy_deciding *d, enum flaw flaw)
{
	struct policy_decision *decision = d->decision;
	const char **ids = arena_take_array(d->arena, d->candidate_count, sizeof *ids);
	enum policy_verdict base = find_base(d, flaw), verdict = base;

	for (size_t i = 0; i < d->candidate_count; i++)
		if (is_raising(d, &d->candidates[i], flaw) && raises_to(d, &d->candidates[i]) > verdict)
			verdict = raises_to(d, &d->candidates[i]);
	decision->verdict = verdict;
	decision->default_used = d->default_used;
	decision->reason_code = verdict > base ? "rule_error" : d->default_used ? "class_default" : "rule";
	for (size_t i = 0; i < d->candidate_count; i++) {
		struct policy_candidate *one = &d->candidates[i];
		bool counts = is_counted(one, flaw) && one->rule->verdict == verdict;
		bool raises = is_raising(d, one, flaw) && raises_to(d, one) == verdict;

		one->decides = counts || raises;
		if (one->decides)
			ids[decision->rule_count++] = one->rule->id;
		if (verdict == POLICY_REQUIRE_APPROVAL && (counts || (raises && flaw != FLAW_ASKS_WHO_COUNTS)))
			policy_deciding_ask(d, one->rule->profile);
	}
	for (size_t i = 0; d->default_used && verdict == POLICY_REQUIRE_APPROVAL && i < d->class_count; i++)
		if (d->classes[i]->verdict == POLICY_REQUIRE_APPROVAL)
			policy_deciding_ask(d, d->classes[i]->profile);
	decision->rules = ids;
}

#define DAY INT64_C(86400000000)

int64_t
combination_end(int64_t ttl)
{
	return ttl ? ttl : INT64_MAX;
}

void
combination_set_terms(struct policy_deciding *d)
{
	struct policy_decision *decision = d->decision;

	if (d->too_many_profiles) {
		decision->verdict = POLICY_BLOCK;
		decision->reason_code = "too_many_requirements";
	}
	bool endless = true;

	decision->hold_if_nobody = false;
	decision->escalate_if_nobody = decision->verdict == POLICY_REQUIRE_APPROVAL;
	bool closed = decision->verdict != POLICY_REQUIRE_APPROVAL;

	for (size_t i = 0; i < d->class_count; i++) {
		const struct policy_class *class = d->classes[i];

		if (decision->verdict == POLICY_ALLOW
		    && (decision->valid_for == 0 || class->valid_for < decision->valid_for))
			decision->valid_for = class->valid_for;
		endless = endless && class->no_deadline;
		closed = closed || class->cells.no_eligible_approver == POLICY_NOBODY_CLOSED;
		if (class->cells.no_eligible_approver == POLICY_NOBODY_HOLD)
			decision->hold_if_nobody = true;
	}
	decision->hold_if_nobody = decision->hold_if_nobody && !closed;
	decision->escalate_if_nobody = !closed && !decision->hold_if_nobody;
	for (size_t i = 0; decision->verdict == POLICY_REQUIRE_APPROVAL && i < d->profile_count; i++) {
		const struct policy_profile *profile = d->profiles[i];

		decision->requirements[decision->requirement_count++] =
		    (struct policy_requirement){.profile = profile->name,
						.group = profile->stages[0].asks[0].group,
						.quorum = profile->stages[0].asks[0].quorum,
						.terms = profile};
		int64_t ttl = profile->ttl || endless ? profile->ttl : DAY;

		if (i == 0 || combination_end(ttl) < combination_end(decision->ttl))
			decision->ttl = ttl;
		if (i == 0 || profile->valid_for < decision->valid_for)
			decision->valid_for = profile->valid_for;
	}
}

bool
combination_was_asked(const struct policy_decision *decision)
{
	static const char *const codes[] = {"rule",
					    "class_default",
					    "rule_error",
					    "limit_exceeded",
					    "too_many_requirements",
					    "obligation_conflict",
					    "too_many_obligations"};

	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
		if (strcmp(decision->reason_code, codes[i]) == 0)
			return true;
	return decision->verdict == POLICY_REQUIRE_APPROVAL; /* held for being late */
}

/* A decision on its way after its conditions were asked. */
static struct policy_deciding
begin(const struct policy_decision *from, struct policy_decision *decision, struct arena *arena)
{
	struct policy_deciding d = *from->trail;
	struct policy_candidate *candidates = arena_take_array(arena, d.candidate_count, sizeof *candidates);

	if (d.candidate_count)
		memcpy(candidates, d.candidates, d.candidate_count * sizeof *candidates);
	d.arena = arena;
	d.candidates = candidates;
	d.decision = decision;
	d.profile_count = d.check_count = 0;
	d.too_many_profiles = false;
	*decision = (struct policy_decision){.class_id = from->class_id,
					     .errors = from->errors,
					     .error_count = from->error_count,
					     .reason_text = "",
					     .trail = from->trail};
	return d;
}

void
combination_decide(const struct policy *policy, const struct policy_request *request, int64_t now,
		   enum flaw flaw, struct arena *arena, struct policy_decision *decision)
{
	struct policy_decision product;

	policy_decide(policy, request, now, arena, &product);
	if (!combination_was_asked(&product) || request->deadline) {
		*decision = product;
		return;
	}

	struct policy_deciding d = begin(&product, decision, arena);

	combine(&d, flaw);
	if (!d.meter.exhausted) /* the product has asked the limits with what the rules had left, which was enough */
		d.meter.cost = d.meter.polled = 0;
	policy_apply_limits(&d, now);
	combination_set_terms(&d);
	policy_oblige(&d);
}

enum policy_verdict
combination_unhurried(const struct policy_decision *decision, int64_t now, struct arena *arena)
{
	const struct policy_names *names = decision->trail->policy->names;
	struct policy_decision unhurried;
	struct policy_deciding d = begin(decision, &unhurried, arena);
	struct policy_request request = *d.request;

	request.expired = NULL;
	d.request = &request;
	d.meter = (struct policy_meter){0};
	for (size_t i = 0; i < d.candidate_count; i++) {
		struct policy_meter *meter = policy_deciding_meter(&d, now);

		meter->cost = 0;
		memset(meter->known, 0, names->bindings.count * sizeof *meter->known);
		if (d.candidates[i].rule->condition.count)
			d.candidates[i].outcome = policy_condition_ask(&d.candidates[i].rule->condition, meter);
	}
	combine(&d, FLAW_NONE);
	return unhurried.verdict;
}

struct policy_decision
combination_without_index(const struct policy_decision *indexed, int64_t now, struct arena *arena)
{
	const struct policy *policy = indexed->trail->policy;
	struct policy_decision decision = *indexed;
	struct policy_deciding d = *indexed->trail;

	decision = (struct policy_decision){.class_id = indexed->class_id, .trail = indexed->trail};
	d.decision = &decision;
	d.candidates = arena_take_array(arena, policy->rule_count, sizeof *d.candidates);
	d.candidate_count = d.profile_count = d.check_count = 0;
	d.too_many_profiles = d.default_used = d.errors_block = false;
	d.meter = (struct policy_meter){0};
	for (size_t i = 0; i < policy->rule_count; i++) {
		const struct policy_rule *rule = &policy->rules[i];

		if (policy_is_about(&rule->match, &rule->except, rule->has_except, d.request)
		    && (rule->expires == 0 || now < rule->expires))
			d.candidates[d.candidate_count++].rule = rule;
	}
	policy_ask_conditions(&d, now);
	policy_apply_rules(&d);
	policy_apply_limits(&d, now);
	combination_set_terms(&d);
	policy_oblige(&d);
	return decision;
}

static bool
same_names(const char *const *left, size_t left_count, const char *const *right, size_t right_count)
{
	bool same = left_count == right_count;

	for (size_t i = 0; same && i < left_count; i++)
		same = strcmp(left[i], right[i]) == 0;
	return same;
}

static bool
same_terms(const struct policy_decision *left, const struct policy_decision *right)
{
	bool same = left->ttl == right->ttl && left->valid_for == right->valid_for
		    && left->hold_if_nobody == right->hold_if_nobody
		    && left->escalate_if_nobody == right->escalate_if_nobody
		    && left->requirement_count == right->requirement_count;

	for (size_t i = 0; same && i < left->requirement_count; i++)
		same = strcmp(left->requirements[i].profile, right->requirements[i].profile) == 0
		       && strcmp(left->requirements[i].group, right->requirements[i].group) == 0
		       && left->requirements[i].quorum == right->requirements[i].quorum;
	return same;
}

bool
combination_keeps(struct arena *arena, const struct policy_decision *after, const struct policy_decision *before)
{
	const char *conflict;
	const struct value *united =
	    policy_obligations_unite(arena, after->obligations, before->obligations, &conflict);

	if (!before->obligations)
		return true;
	return after->obligations && united && value_equal(united, after->obligations);
}

bool
combination_is_same(const struct policy_decision *left, const struct policy_decision *right)
{
	return left->verdict == right->verdict && strcmp(left->reason_code, right->reason_code) == 0
	       && left->default_used == right->default_used
	       && same_names(left->rules, left->rule_count, right->rules, right->rule_count)
	       && same_names(left->errors, left->error_count, right->errors, right->error_count)
	       && same_names(left->limits, left->limit_count, right->limits, right->limit_count)
	       && same_names(left->missing, left->missing_count, right->missing, right->missing_count)
	       && same_terms(left, right) && !left->obligations == !right->obligations
	       && (!left->obligations || value_equal(left->obligations, right->obligations));
}

static void
add_names(struct buffer *line, const char *title, const char *const *names, size_t count)
{
	buffer_add_format(line, " %s", title);
	for (size_t i = 0; i < count; i++)
		buffer_add_format(line, ",%s", names[i]);
}

const char *
combination_line(struct arena *arena, const struct policy_decision *decision)
{
	struct buffer line = {.arena = arena};

	buffer_add_format(&line, "%s %s", policy_verdict_name(decision->verdict), decision->reason_code);
	add_names(&line, "rules", decision->rules, decision->rule_count);
	add_names(&line, "errors", decision->errors, decision->error_count);
	add_names(&line, "limits", decision->limits, decision->limit_count);
	add_names(&line, "missing", decision->missing, decision->missing_count);
	buffer_add_text(&line, " asks");
	for (size_t i = 0; i < decision->requirement_count; i++)
		buffer_add_format(&line, ",%s/%s/%lld", decision->requirements[i].profile,
				  decision->requirements[i].group, (long long)decision->requirements[i].quorum);
	buffer_add_format(&line, " ttl %lld valid_for %lld hold %d escalate %d default %d",
			  (long long)decision->ttl, (long long)decision->valid_for, decision->hold_if_nobody,
			  decision->escalate_if_nobody, decision->default_used);
	buffer_add_format(&line, " obliges to %zu",
			  decision->obligations ? decision->obligations->as.map.count : 0);
	return line.bytes;
}
