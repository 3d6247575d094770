/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy_decide.c - what holds for one request. The rules of combination, by the numbers that the tests carry:
 *
 *  1. Nothing to decide by: without a policy, or with one for other tenants, BLOCK no_policy. A request without tenant,
 *     agent_id, action or target is BLOCK missing_input.
 *  1a. The context does not satisfy the declared inputs: BLOCK invalid_request, naming the field. Defaults are filled in first.
 *  2. An action is covered by every class with a matching pattern in `actions` and none in `except`; the fallback
 *     class covers it when no other does.
 *  3. Of several classes the strictest default counts, `requires` are united, a cell holds only where all say hold,
 *     `valid_for` is the least. Their order means nothing, but for which of equals lends its name.
 * 3a. A class says identity: verified, and who asks is not: BLOCK identity_not_verified; no rule is asked.
 *  4. A required path that is absent or null: BLOCK missing_input with all that is missing; no rule is asked.
 *  5. The deadline has passed and the cell is closed: BLOCK evaluation_timeout; no rule is asked.
 *  6. A rule is a candidate when every list of `match` holds a pattern that matches and not every list of `except` does,
 *     and it has not expired.
 *  7. Each candidate is asked: when AND NOT unless, in three values. True counts, false does not, an error is reported; of a rule that
 *     restricts it raises: the decision is at least the rule's. In a class with on_error BLOCK any error raises to that. What is not
 *     evaluated when time or units run out is an error. A rule in shadow mode is asked and reported, no more.
 *  8. The base is the strictest decision of those that count (BLOCK > REQUIRE_APPROVAL > ALLOW), and the default when none does; the
 *     result is the strictest of the base and of what raises. The order of rules means nothing.
 * 8a. Unless it is BLOCK by now, each limit that is about the request is checked: one that this request would exceed raises as in 7, and
 *     so does an error in its condition, a key or an amount that is missing, and a usage that is not known.
 *  9. The deadline has passed and the cell holds: ALLOW becomes REQUIRE_APPROVAL, asking whom the classes name. What
 *     is stricter stays as it is.
 * 10. REQUIRE_APPROVAL asks the profiles of all who said so at that level (rules that count or raise, classes whose default was
 *     used), the same profile once; `ttl` and the
 *     grant's `valid_for` are the least of theirs, `hold_for` is the most; `extend_to` is the least where all have it, reminders are those of all. ALLOW lasts for the least `valid_for` of the classes.
 * 11. What outgrows a message is BLOCK: more than POLICY_CANDIDATES_MAX candidates too_many_rules; more than
 *     POLICY_REQUIREMENTS_MAX profiles, or more stages, asks and steps of them than one approval holds, too_many_requirements.
 * 12. Several documents, an organisation's and a tenant's: each is asked as above, with its own names, and the strictest verdict stands
 *     (policy_layers.c). What rule 7 says of on_error holds for the errors of all. A default counts when no rule of its own document
 *     does; that of a class with `floor: false` when no rule of any does. Whoever is at the level of the result asks its people, and
 *     equal names of two documents are two profiles. One document that closes by rules 1 to 6 closes.
 * 13. Unless it is BLOCK: the obligations of all rules that count, of whatever level, and of those that could not be evaluated are united, over
 *     all documents. Of two values of one the stricter stands (policy_obligations.h); where there is none, or they are too many, it is BLOCK.
 */
#include "common/policy/policy.h"
#include "common/policy/policy_deciding.h"
#include "common/policy/policy_read.h"

#include <string.h>

bool
policy_deciding_block(struct policy_deciding *deciding, const char *code)
{
	struct policy_decision *decision = deciding->decision;

	decision->verdict = POLICY_BLOCK;
	decision->reason_code = code;
	return false;
}

/* Rule 3: the strictest lends its name, of equals the first. */
static void
speaks(struct policy_deciding *deciding, const struct policy_class *class)
{
	if (!deciding->speaker || class->verdict > deciding->speaker->verdict)
		deciding->speaker = class;
}

/* Rule 1. */
bool
policy_can_decide(struct policy_deciding *deciding)
{
	const struct policy_request *request = deciding->request;
	const char *const names[] = {"action", "agent_id", "target", "tenant"};
	const char *const values[] = {request->action, request->agent_id, request->target, request->tenant};
	const char **missing = arena_take_array(deciding->arena, sizeof names / sizeof *names, sizeof *missing);

	if (!deciding->policy)
		return policy_deciding_block(deciding, "no_policy");
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!values[i])
			missing[deciding->decision->missing_count++] = names[i];
	deciding->decision->missing = missing;
	if (deciding->decision->missing_count)
		return policy_deciding_block(deciding, "missing_input");
	return policy_covers(deciding->policy, request->tenant) || policy_deciding_block(deciding, "no_policy");
}

/* Rule 1a. */
static bool
is_valid(struct policy_deciding *deciding)
{
	struct error *refusal = arena_take(deciding->arena, sizeof *refusal);

	if (!policy_inputs(deciding->policy)
	    || policy_read_context(&deciding->policy, 1, deciding->request->context, deciding->arena,
				   &deciding->context, refusal))
		return true;
	deciding->decision->refusal = refusal;
	return policy_deciding_block(deciding, "invalid_request");
}

/* Rules 2 and 3. */
static void
find_classes(struct policy_deciding *deciding)
{
	const struct policy *policy = deciding->policy;
	const char *action = deciding->request->action;

	deciding->classes = arena_take_array(deciding->arena, policy->class_count, sizeof *deciding->classes);
	for (size_t i = 0; i < policy->class_count; i++) {
		const struct policy_class *class = &policy->classes[i];

		if (class != policy->fallback && policy_strings_match(&class->actions, action)
		    && !policy_strings_match(&class->except, action))
			deciding->classes[deciding->class_count++] = class;
	}
	if (deciding->class_count == 0)
		deciding->classes[deciding->class_count++] = policy->fallback;
	for (size_t i = 0; i < deciding->class_count; i++)
		speaks(deciding, deciding->classes[i]);
}

static bool
has_class(const struct policy_deciding *deciding, const char *class_id)
{
	for (size_t i = 0; i < deciding->class_count; i++)
		if (strcmp(deciding->classes[i]->id, class_id) == 0)
			return true;
	return false;
}

bool
policy_is_of_class(const struct policy_decision *decision, const char *class_id)
{
	const struct policy_deciding *trail = decision->trail;
	bool is = has_class(trail, class_id);

	for (size_t i = 0; !is && i < trail->layer_count; i++)
		is = has_class(&trail->layers[i], class_id);
	return is;
}

static bool
is_present(const struct policy_deciding *deciding, const char *path)
{
	const struct policy_type *inputs = policy_inputs(deciding->policy);

	return inputs ? policy_context_has(inputs, &deciding->context, path)
		      : policy_value_has(deciding->request->context, path);
}

/* Rule 3a. */
static bool
is_known(struct policy_deciding *deciding)
{
	const struct policy_class *usual_speaker = deciding->speaker;

	if (deciding->request->is_verified)
		return true;
	deciding->speaker = NULL;
	for (size_t i = 0; i < deciding->class_count; i++)
		if (deciding->classes[i]->verified_identity)
			speaks(deciding, deciding->classes[i]);
	if (deciding->speaker)
		return policy_deciding_block(deciding, "identity_not_verified");
	deciding->speaker = usual_speaker;
	return true;
}

/* Rule 4. */
bool
policy_has_required(struct policy_deciding *deciding)
{
	find_classes(deciding);
	if (!is_known(deciding))
		return false;

	const struct policy_class *usual_speaker = deciding->speaker;
	size_t room = 0, count = 0;

	for (size_t i = 0; i < deciding->class_count; i++)
		room += deciding->classes[i]->requires.count;

	const char **missing = arena_take_array(deciding->arena, room, sizeof *missing);

	deciding->speaker = NULL;
	for (size_t i = 0; i < deciding->class_count; i++) {
		const struct policy_class *class = deciding->classes[i];
		size_t before = count;

		for (size_t j = 0; j < class->requires.count; j++)
			if (!is_present(deciding, class->requires.items[j]))
				missing[count++] = class->requires.items[j];
		if (count > before)
			speaks(deciding, class);
	}
	if (count == 0) {
		deciding->speaker = usual_speaker;
		return true;
	}
	deciding->decision->missing = missing;
	deciding->decision->missing_count = policy_strings_distinct(missing, count);
	return policy_deciding_block(deciding, "missing_input");
}

/* Rule 5. */
bool
policy_is_in_time(struct policy_deciding *deciding, bool late)
{
	const struct policy_class *usual_speaker = deciding->speaker;

	if (!late)
		return true;
	deciding->speaker = NULL;
	for (size_t i = 0; i < deciding->class_count; i++)
		if (deciding->classes[i]->cells.evaluation_timeout != POLICY_TIMEOUT_HOLD)
			speaks(deciding, deciding->classes[i]);
	if (deciding->speaker)
		return policy_deciding_block(deciding, "evaluation_timeout");
	deciding->speaker = usual_speaker;
	return true;
}

void
policy_deciding_outgrown(struct policy_deciding *deciding)
{
	struct policy_decision *decision = deciding->decision;

	policy_deciding_block(deciding, "too_many_requirements");
	decision->requirement_count = 0;
	decision->ttl = decision->valid_for = decision->hold_for = decision->extend_to = 0;
	decision->remind_before = decision->remind_every = 0;
	decision->hold_if_nobody = decision->escalate_if_nobody = false;
}

/* Rule 10: sorted by name, each once. */
void
policy_deciding_ask(struct policy_deciding *deciding, const struct policy_profile *profile)
{
	size_t at = 0;

	while (at < deciding->profile_count && strcmp(deciding->profiles[at]->name, profile->name) < 0)
		at++;
	if (at < deciding->profile_count && deciding->profiles[at] == profile)
		return;
	if (deciding->profile_count == POLICY_REQUIREMENTS_MAX) {
		deciding->too_many_profiles = true;
		return;
	}
	memmove(&deciding->profiles[at + 1], &deciding->profiles[at],
		(deciding->profile_count - at) * sizeof *deciding->profiles);
	deciding->profiles[at] = profile;
	deciding->profile_count++;
}

/* Rule 9: all classes say hold, or rule 5 had blocked; and who says hold names whom to ask. */
void
policy_apply_hold(struct policy_deciding *deciding)
{
	struct policy_decision *decision = deciding->decision;

	if (decision->verdict != POLICY_ALLOW)
		return;
	decision->verdict = POLICY_REQUIRE_APPROVAL;
	decision->reason_code = "evaluation_timeout";
	decision->rule_count = 0;
	deciding->is_silent = false;
	for (size_t i = 0; i < deciding->class_count; i++)
		policy_deciding_ask(deciding, deciding->classes[i]->profile);
}

static int64_t
lesser(int64_t left, int64_t right)
{
	return left < right ? left : right;
}

void
policy_unite_times(struct policy_decision *decision, struct policy_decision other)
{
	decision->extend_to = lesser(decision->extend_to, other.extend_to);
	if (other.remind_before > decision->remind_before)
		decision->remind_before = other.remind_before;
	if (decision->remind_every == 0 || (other.remind_every && other.remind_every < decision->remind_every))
		decision->remind_every = other.remind_every;
	if (other.hold_for > decision->hold_for)
		decision->hold_for = other.hold_for;
}

bool
policy_has_no_deadline(const struct policy_deciding *deciding)
{
	for (size_t i = 0; i < deciding->class_count; i++)
		if (!deciding->classes[i]->no_deadline)
			return false;
	return true;
}

void
policy_set_ttl(struct policy_decision *decision, bool no_deadline)
{
	decision->ttl = INT64_MAX;
	for (size_t i = 0; i < decision->requirement_count; i++) {
		int64_t ttl = decision->requirements[i].terms->ttl;

		if (ttl || !no_deadline)
			decision->ttl = lesser(decision->ttl, ttl ? ttl : POLICY_TTL_DEFAULT);
	}
	if (decision->ttl == INT64_MAX)
		decision->ttl = 0;
}

bool
policy_asks_fit(const struct policy_decision *decision)
{
	size_t stages = 0, asks = 0, steps = 0;

	for (size_t i = 0; i < decision->requirement_count; i++) {
		const struct policy_profile *profile = decision->requirements[i].terms;

		stages += profile->stage_count;
		steps += profile->step_count;
		for (size_t j = 0; j < profile->stage_count; j++)
			asks += profile->stages[j].ask_count;
		for (size_t j = 0; j < profile->step_count; j++)
			asks += profile->steps[j].how != POLICY_ESCALATE_NOTIFY;
	}
	return stages <= POLICY_REQUIREMENTS_STAGES_MAX && asks <= POLICY_REQUIREMENTS_ASKS_MAX
	       && steps <= POLICY_REQUIREMENTS_STEPS_MAX;
}

/* Rules 10 and 11. */
void
policy_apply_terms(struct policy_deciding *deciding)
{
	struct policy_decision *decision = deciding->decision;

	if (deciding->too_many_profiles) {
		policy_deciding_block(deciding, "too_many_requirements");
	} else if (decision->verdict == POLICY_ALLOW) {
		decision->valid_for = INT64_MAX;
		for (size_t i = 0; i < deciding->class_count; i++)
			decision->valid_for = lesser(decision->valid_for, deciding->classes[i]->valid_for);
	} else if (decision->verdict == POLICY_REQUIRE_APPROVAL) {
		decision->valid_for = decision->extend_to = INT64_MAX;
		for (size_t i = 0; i < deciding->profile_count; i++) {
			const struct policy_profile *profile = deciding->profiles[i];

			decision->requirements[decision->requirement_count++] =
			    (struct policy_requirement){.profile = profile->name,
							.group = profile->stages[0].asks[0].group,
							.quorum = profile->stages[0].asks[0].quorum,
							.terms = profile,
							.fallback = policy_fallback_of(deciding, profile)};
			decision->valid_for = lesser(decision->valid_for, profile->valid_for);
			policy_unite_times(decision,
					   (struct policy_decision){.extend_to = profile->extend_to,
								    .remind_before = profile->remind_before,
								    .remind_every = profile->remind_every,
								    .hold_for = profile->hold_for});
		}
		policy_set_ttl(decision, policy_has_no_deadline(deciding));
		policy_set_nobody(decision, deciding, 1);
		if (!policy_asks_fit(decision))
			policy_deciding_outgrown(deciding);
	}
}

static void
decide(struct policy_deciding *deciding, int64_t now)
{
	bool late = deciding->request->deadline != 0 && now > deciding->request->deadline;

	if (!policy_can_decide(deciding) || !is_valid(deciding))
		return;
	if (!policy_has_required(deciding) || !policy_is_in_time(deciding, late)
	    || !policy_find_candidates(deciding, now))
		return;
	policy_ask_conditions(deciding, now);
	policy_apply_rules(deciding);
	policy_apply_limits(deciding, now);
	if (late)
		policy_apply_hold(deciding);
	policy_apply_terms(deciding);
}

struct policy_deciding
policy_deciding_open(const struct policy *policy, const struct policy_request *request, struct arena *arena,
		     struct policy_decision *decision)
{
	*decision = (struct policy_decision){.verdict = POLICY_BLOCK};
	return (struct policy_deciding){
	    .policy = policy, .request = request, .arena = arena, .decision = decision};
}

void
policy_decide(const struct policy *policy, const struct policy_request *request, int64_t now,
	      struct arena *arena, struct policy_decision *decision)
{
	struct policy_deciding *deciding = arena_take(arena, sizeof *deciding);

	*deciding = policy_deciding_open(policy, request, arena, decision);
	decision->trail = deciding;
	decide(deciding, now);
	if (deciding->speaker)
		decision->class_id = deciding->speaker->id;
	decision->reason_text = policy_reason(deciding);
	decision->remediation = policy_remediation(deciding);
	policy_oblige(deciding);
}
