/* SPDX-License-Identifier: Apache-2.0 */
/* policy_profile.c - the approvals of a document: whom a REQUIRE_APPROVAL asks, how many of them, for how long. */
#include "common/policy/policy.h"
#include "common/policy/policy_read.h"

#include <string.h>

enum { QUORUM_MAX = 100, USES_MAX = 1000 };

const struct policy_profile *
policy_find_profile(const struct policy *policy, const char *name)
{
	for (size_t i = 0; i < policy->profile_count; i++)
		if (policy->profiles[i].name && strcmp(policy->profiles[i].name, name) == 0)
			return &policy->profiles[i];
	return NULL;
}

static const char *const *
profile_names(const struct place *place)
{
	const struct policy *policy = place->reader->policy;
	const char **names = arena_take_array(place->reader->arena, policy->profile_count + 1, sizeof *names);
	size_t count = 0;

	for (size_t i = 0; i < policy->profile_count; i++)
		if (policy->profiles[i].name)
			names[count++] = policy->profiles[i].name;
	return names;
}

bool
policy_load_approval(const struct place *owner, bool needed, const struct policy_profile **profile)
{
	struct place approval = policy_place_member(owner, "approval");
	const char *name;

	if (!needed && approval.value)
		return policy_refuse_as(&approval, "E05", "bad_value",
					"nobody is ever asked here: the decision must be REQUIRE_APPROVAL");
	if (!needed)
		return true;
	if (!approval.value)
		return policy_refuse_as(&approval, "E05", "missing_key",
					"must be there: the name of the approval that asks people");
	if (!policy_read_id(&approval, &name))
		return false;
	*profile = policy_find_profile(owner->reader->policy, name);
	return *profile
	       || policy_refuse_unknown(&approval, "unknown_approval", name, profile_names(owner),
					"is not among the approvals");
}

/* Whom to ask. */

bool
policy_load_ask(const struct place *place, struct policy_ask *ask)
{
	static const char *const known[] = {"group", "quorum", "filter", NULL};
	static const char *const gaps[] = {"filter", NULL};

	if (!policy_read_map(place, known))
		return false;

	struct place group = policy_place_member(place, "group"),
		     quorum = policy_place_member(place, "quorum");
	struct place filter = policy_place_member(place, "filter");
	bool good = policy_read_id(&group, &ask->group);

	good = policy_read_integer(&quorum, 1, QUORUM_MAX, &ask->quorum) && good;
	good = policy_read_expression_if(&filter, &ask->filter) && good;
	policy_note_gaps(place, gaps);
	return good;
}

/* A group is asked once: two quorums of one group would be one question. */
static bool
group_is_new(const struct place *place, const struct policy_ask *asks, size_t number)
{
	struct place group = policy_place_member(place, "group");

	for (size_t i = 0; i < number; i++)
		if (asks[i].group && strcmp(asks[i].group, asks[number].group) == 0)
			return policy_refuse(&group, "duplicate_id", "this group is asked already");
	return true;
}

static bool
load_asks(const struct place *place, struct policy_stage *stage)
{
	bool good = true;

	if (!policy_read_list(place, POLICY_REQUIREMENTS_MAX))
		return false;
	stage->ask_count = place->value->as.list.count;
	stage->asks = arena_take_array(place->reader->arena, stage->ask_count, sizeof *stage->asks);
	for (size_t i = 0; i < stage->ask_count && !policy_reader_is_full(place); i++) {
		struct place item = policy_place_item(place, i);

		good = policy_load_ask(&item, &stage->asks[i]) && group_is_new(&item, stage->asks, i) && good;
	}
	return good;
}

/* Exactly one of any_of and all_of. */
static bool
load_stage(const struct place *place, struct policy_stage *stage)
{
	struct place any_of = policy_place_member(place, "any_of"),
		     all_of = policy_place_member(place, "all_of");

	stage->all = all_of.value;
	if (any_of.value && all_of.value)
		return policy_refuse_name(&all_of, "bad_value", "stands beside any_of: it is one or the other");
	return load_asks(all_of.value ? &all_of : &any_of, stage);
}

static bool
load_stages(const struct place *stages, struct policy_profile *profile)
{
	static const char *const known[] = {"any_of", "all_of", NULL};
	bool good = true;

	if (!policy_read_list(stages, POLICY_STAGES_MAX))
		return false;
	profile->stage_count = stages->value->as.list.count;
	profile->stages =
	    arena_take_array(stages->reader->arena, profile->stage_count, sizeof *profile->stages);
	for (size_t i = 0; i < profile->stage_count && !policy_reader_is_full(stages); i++) {
		struct place item = policy_place_item(stages, i);

		good = policy_read_map(&item, known) && load_stage(&item, &profile->stages[i]) && good;
	}
	return good;
}

/* Exactly one of any_of, all_of and stages. */
static bool
load_questions(const struct place *place, struct policy_profile *profile)
{
	struct place any_of = policy_place_member(place, "any_of"),
		     all_of = policy_place_member(place, "all_of"),
		     stages = policy_place_member(place, "stages");

	if (stages.value && (any_of.value || all_of.value))
		return policy_refuse_name(&stages, "bad_value",
					  "stands beside any_of or all_of: it is one or the other");
	if (stages.value)
		return load_stages(&stages, profile);
	profile->stage_count = 1;
	profile->stages = arena_take_array(place->reader->arena, 1, sizeof *profile->stages);
	return load_stage(place, &profile->stages[0]);
}

/* When nobody answers. */

static bool
load_step(const struct place *place, struct policy_step *step)
{
	static const char *const known[] = {"after", "to", "how", NULL};
	static const char *const hows[] = {"add", "notify", "replace", NULL};

	if (!policy_read_map(place, known))
		return false;

	struct place after = policy_place_member(place, "after"), to = policy_place_member(place, "to");
	struct place how = policy_place_member(place, "how");
	size_t word = POLICY_ESCALATE_ADD;
	bool good = policy_read_duration(&after, &step->after);

	good = policy_load_ask(&to, &step->to) && good;
	good = (!how.value || policy_read_word(&how, hows, &word)) && good;
	step->how = (enum policy_escalation)word;
	return good;
}

static bool
load_steps(const struct place *place, struct policy_profile *profile)
{
	bool good = true;

	if (!place->value)
		return true;
	if (!policy_read_list(place, POLICY_STEPS_MAX))
		return false;
	profile->step_count = place->value->as.list.count;
	profile->steps = arena_take_array(place->reader->arena, profile->step_count, sizeof *profile->steps);
	for (size_t i = 0; i < profile->step_count && !policy_reader_is_full(place); i++) {
		struct place item = policy_place_item(place, i), after;

		if (!load_step(&item, &profile->steps[i])) {
			good = false;
			continue;
		}
		after = policy_place_member(&item, "after");
		if (i > 0 && profile->steps[i].after <= profile->steps[i - 1].after)
			good = policy_refuse(&after, "bad_value", "must be later than the step before it");
		else if (profile->ttl && profile->steps[i].after >= profile->ttl)
			good = policy_refuse(&after, "bad_value", "must be before the ttl ends");
	}
	return good;
}

/* On what terms. */

static bool
load_ttl(const struct place *place, struct policy_profile *profile)
{
	if (place->value && place->value->kind == VALUE_STRING
	    && strcmp(place->value->as.string.bytes, "none") == 0)
		return true;
	return policy_read_duration(place, &profile->ttl);
}

/* None of them has a meaning without an end. */
static bool
load_deadline(const struct place *place, struct policy_profile *profile)
{
	struct place extend_to = policy_place_member(place, "extend_to"),
		     before = policy_place_member(place, "remind_before"),
		     every = policy_place_member(place, "remind_every");
	bool good = !extend_to.value || policy_read_duration(&extend_to, &profile->extend_to);

	good = (!before.value || policy_read_duration(&before, &profile->remind_before)) && good;
	good = (!every.value || policy_read_duration(&every, &profile->remind_every)) && good;
	if (!good)
		return false;
	if (extend_to.value && (!profile->ttl || profile->extend_to < profile->ttl))
		return policy_refuse(&extend_to, "bad_value", "must not be shorter than the ttl");
	if (before.value && (!profile->ttl || profile->remind_before >= profile->ttl))
		return policy_refuse(&before, "bad_value", "must be shorter than the ttl");
	return true;
}

static bool
load_exclude(const struct place *place, struct policy_profile *profile)
{
	static const char *const words[] = {"requester", "agent_owner", "last_approver", "on_behalf_of", NULL};
	bool good = true;

	if (!place->value)
		return true;
	if (!policy_read_list(place, sizeof words / sizeof *words - 1))
		return false;
	for (size_t i = 0; i < place->value->as.list.count; i++) {
		struct place item = policy_place_item(place, i);
		size_t word;

		if (!policy_read_word(&item, words, &word))
			good = false;
		else if (profile->exclude & 1u << word)
			good = policy_refuse(&item, "duplicate_id", "stands here twice");
		else
			profile->exclude |= 1u << word;
		if (profile->exclude & POLICY_EXCLUDE_LAST_APPROVER)
			policy_note_gap(place);
	}
	return good;
}

static bool
load_grant(const struct place *grant, struct policy_profile *profile)
{
	static const char *const known[] = {"uses", "valid_for", NULL};

	if (!grant->value)
		return true;
	if (!policy_read_map(grant, known))
		return false;

	struct place uses = policy_place_member(grant, "uses"),
		     valid_for = policy_place_member(grant, "valid_for");
	bool good = !uses.value || policy_read_integer(&uses, 1, USES_MAX, &profile->uses);

	good = (!valid_for.value || policy_read_duration(&valid_for, &profile->valid_for)) && good;
	if (good && profile->uses > 1)
		policy_note_gap(&uses);
	return good;
}

/* The grant comes before: an authorization that is over before it begins would be none. */
static bool
load_hold_for(const struct place *place, struct policy_profile *profile)
{
	if (!place->value)
		return true;
	if (!policy_read_duration(place, &profile->hold_for))
		return false;
	return profile->hold_for < profile->valid_for
	       || policy_refuse(place, "bad_value", "must be shorter than the grant's valid_for");
}

static bool
load_terms(const struct place *place, struct policy_profile *profile)
{
	struct place ttl = policy_place_member(place, "ttl"), grant = policy_place_member(place, "grant");
	struct place distinct = policy_place_member(place, "distinct"),
		     deny_quorum = policy_place_member(place, "deny_quorum");
	struct place exclude = policy_place_member(place, "exclude"),
		     require_reason = policy_place_member(place, "require_reason");
	struct place escalate = policy_place_member(place, "escalate"),
		     hold_for = policy_place_member(place, "hold_for"),
		     override = policy_place_member(place, "override");
	bool good = load_ttl(&ttl, profile) && load_deadline(place, profile);

	good = load_grant(&grant, profile) && good;
	good = (!distinct.value || policy_read_bool(&distinct, &profile->distinct)) && good;
	good = (!deny_quorum.value || policy_read_integer(&deny_quorum, 1, QUORUM_MAX, &profile->deny_quorum))
	       && good;
	good = load_exclude(&exclude, profile) && good;
	good = (!require_reason.value || policy_read_bool(&require_reason, &profile->require_reason)) && good;
	good = (!override.value || policy_read_id(&override, &profile->override)) && good;
	good = load_steps(&escalate, profile) && good;
	good = load_hold_for(&hold_for, profile) && good;
	return good;
}

/* What one approval can hold, and what is told apart within the time of one answer. */
static bool
check_size(const struct place *place, const struct policy_profile *profile)
{
	size_t asks = 0, ways = 1;

	for (size_t i = 0; i < profile->stage_count; i++) {
		const struct policy_stage *stage = &profile->stages[i];
		size_t alternatives = stage->all ? 1 : stage->ask_count;

		asks += stage->ask_count;
		for (size_t j = 0; j < profile->step_count; j++)
			alternatives += profile->steps[j].how != POLICY_ESCALATE_NOTIFY;
		ways = ways > POLICY_WAYS_MAX ? ways : ways * alternatives;
	}
	for (size_t j = 0; j < profile->step_count; j++)
		asks += profile->steps[j].how != POLICY_ESCALATE_NOTIFY;
	if (asks > POLICY_ASKS_MAX)
		return policy_refuse(place, "too_many", "asks more than %d groups, those of steps included",
				     POLICY_ASKS_MAX);
	return !profile->distinct || ways <= POLICY_WAYS_MAX
	       || policy_refuse(place, "too_many",
				"has more than %d ways to be met; distinct takes fewer alternatives",
				POLICY_WAYS_MAX);
}

static bool
check_distinct(const struct place *place, const struct policy_profile *profile)
{
	struct place distinct = policy_place_member(place, "distinct");

	return !profile->distinct || profile->stage_count > 1 || profile->stages[0].all
	       || policy_refuse_name(
		   &distinct, "bad_value",
		   "means nothing with one any_of: one person counts over all_of or stages");
}

static bool
load_profile(const struct place *place, struct policy_profile *profile)
{
	static const char *const known[] = {"any_of",	   "all_of",	    "stages",	      "distinct",
					    "deny_quorum", "exclude",	    "require_reason", "ttl",
					    "extend_to",   "remind_before", "remind_every",   "override",
					    "escalate",	   "hold_for",	    "grant",	      NULL};

	profile->valid_for = POLICY_VALID_FOR_DEFAULT;
	profile->uses = profile->deny_quorum = 1;
	if (!policy_read_map(place, known))
		return false;

	bool good = load_questions(place, profile);

	good = load_terms(place, profile) && good;
	return good && check_distinct(place, profile) && check_size(place, profile);
}

void
policy_load_profiles(const struct place *root)
{
	struct place approvals = policy_place_member(root, "approvals");
	const struct value *map = approvals.value;
	struct policy *policy = root->reader->policy;
	bool good = true;

	if (!map || policy_is_empty(&approvals, VALUE_MAP)
	    || !policy_read_open_map(&approvals, POLICY_PROFILES_MAX))
		return;
	policy->profile_count = map->as.map.count;
	policy->profiles =
	    arena_take_array(root->reader->arena, policy->profile_count, sizeof *policy->profiles);
	for (size_t i = 0; i < map->as.map.count && !policy_reader_is_full(root); i++) {
		struct place place = policy_place_nth(&approvals, i);

		good = policy_read_id_name(&place, &policy->profiles[i].name) && good;
		good = load_profile(&place, &policy->profiles[i]) && good;
	}
}
