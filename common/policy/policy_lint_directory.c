/* SPDX-License-Identifier: Apache-2.0 */
/* policy_lint_directory.c - a policy beside what is known of people and requests: E03, W11 by the directory, W03 by the last requests. */
#include "common/policy/policy_linting.h"

#include <inttypes.h>
#include <string.h>

enum { CATALOGUE_STEPS = 100000000 };

/* ------------------------------------------------------------------ who is there */

/* Neighbours in the directory. */
struct stretch_of_members {
	const struct policy_directory_member *items;
	size_t count;
};

static int
compare_member(const struct policy_directory_member *member, const char *tenant, const char *group)
{
	int order = strcmp(member->tenant, tenant);

	return order ? order : strcmp(member->group, group);
}

/* The first that is not before this group; with `behind`, that is behind it. */
static size_t
bound(const struct policy_directory *directory, const char *tenant, const char *group, bool behind)
{
	size_t low = 0, high = directory->member_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = compare_member(&directory->members[middle], tenant, group);

		if (order < 0 || (behind && order == 0))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct stretch_of_members
members_of(const struct policy_directory *directory, const char *tenant, const char *group)
{
	size_t first = bound(directory, tenant, group, false), end = bound(directory, tenant, group, true);

	return (struct stretch_of_members){directory->members + first, end - first};
}

static bool
holds(struct stretch_of_members members, const char *person)
{
	for (size_t i = 0; i < members.count; i++)
		if (strcmp(members.items[i].person, person) == 0)
			return true;
	return false;
}

/* ------------------------------------------------------------------ E03, W11 */

/* One question to people, in one tenant. */
struct question {
	struct policy_linting *linting;
	struct place place; /* of {group, quorum} */
	const struct policy_ask *ask;
	const char *tenant;
};

static struct place
member_of(const struct question *question, const char *name)
{
	return policy_place_member(&question->place, name);
}

/* An owner never answers for what his own agent asks. */
static void
check_owners(const struct question *question, struct stretch_of_members members)
{
	const struct policy_directory *directory = question->linting->ask->directory;
	int64_t agents = 0, stuck = 0;
	const struct policy_directory_owner *example = NULL;
	struct place group = member_of(question, "group"), quorum = member_of(question, "quorum");

	if ((int64_t)members.count - 1 >= question->ask->quorum)
		return;
	for (size_t i = 0; i < directory->owner_count; i++) {
		const struct policy_directory_owner *owner = &directory->owners[i];

		if (strcmp(owner->tenant, question->tenant) != 0)
			continue;
		agents += owner->agents;
		if (holds(members, owner->owner)) {
			stuck += owner->agents;
			example = example ? example : owner;
		}
	}
	if (!stuck)
		return;
	if (stuck == agents)
		policy_linting_add(
		    question->linting, "E03", "quorum_too_large", &quorum,
		    "%" PRId64 " of %zu members of %s in tenant %.64s can never answer: every agent there "
		    "is owned by one of them, and an owner does not answer for his agent; add members, "
		    "or ask for fewer",
		    question->ask->quorum, members.count, question->ask->group, question->tenant);
	else
		policy_linting_add(
		    question->linting, "W11", "owner_alone", &group,
		    "who owns %.64s%s is in %s of tenant %.64s, and without him too few are left to answer "
		    "for it; add members",
		    example->example, stuck > 1 ? " and other agents" : "", question->ask->group,
		    question->tenant);
}

static void
check_members(const struct question *question)
{
	struct stretch_of_members members =
	    members_of(question->linting->ask->directory, question->tenant, question->ask->group);
	struct place group = member_of(question, "group"), quorum = member_of(question, "quorum");

	if (members.count == 0)
		policy_linting_add(question->linting, "E03", "unknown_group", &group,
				   "nobody is in %s of tenant %.64s: what asks it is denied; add members "
				   "(countersign groups add), or name another group",
				   question->ask->group, question->tenant);
	else if ((int64_t)members.count < question->ask->quorum)
		policy_linting_add(
		    question->linting, "E03", "quorum_too_large", &quorum,
		    "%s of tenant %.64s has %zu %s, fewer than must approve; add members, or ask for "
		    "fewer",
		    question->ask->group, question->tenant, members.count,
		    members.count == 1 ? "member" : "members");
	else
		check_owners(question, members);
}

/* A policy for all tenants is one for those that have such a group; if none has, for none. */
static void
check_every_tenant(struct question *question)
{
	const struct policy_directory *directory = question->linting->ask->directory;
	struct place group = member_of(question, "group");
	bool found = false;

	for (size_t i = 0; i < directory->member_count; i++) {
		question->tenant = directory->members[i].tenant;
		if (strcmp(directory->members[i].group, question->ask->group) != 0
		    || (i > 0
			&& compare_member(&directory->members[i - 1], question->tenant, question->ask->group)
			       == 0))
			continue;
		found = true;
		check_members(question);
	}
	if (!found)
		policy_linting_add(question->linting, "E03", "unknown_group", &group,
				   "nobody is in %s of any tenant: what asks it is denied; add members "
				   "(countersign groups add), or name another group",
				   question->ask->group);
}

static void
check_ask(struct policy_linting *linting, struct place place, const struct policy_ask *ask)
{
	const struct policy_strings *tenants = &linting->policy->tenants;
	struct question question = {.linting = linting, .place = place, .ask = ask};

	for (size_t i = 0; i < tenants->count; i++)
		if (strcmp(tenants->items[i], "*") == 0) {
			check_every_tenant(&question);
			return;
		}
	for (size_t i = 0; i < tenants->count; i++) {
		question.tenant = tenants->items[i];
		check_members(&question);
	}
}

static void
check_stage(struct policy_linting *linting, const struct place *place, const struct policy_stage *stage)
{
	struct place asks = policy_place_member(place, stage->all ? "all_of" : "any_of");

	for (size_t i = 0; i < stage->ask_count; i++)
		check_ask(linting, policy_place_item(&asks, i), &stage->asks[i]);
}

/* Somebody must be in it, wherever it is asked for. */
static void
check_override(struct policy_linting *linting, const struct place *place, const char *group)
{
	const struct policy_directory *directory = linting->ask->directory;
	const struct policy_strings *tenants = &linting->policy->tenants;
	struct place override = policy_place_member(place, "override");
	bool anywhere = false;

	for (size_t i = 0; i < directory->member_count; i++)
		anywhere = anywhere || strcmp(directory->members[i].group, group) == 0;
	for (size_t i = 0; i < tenants->count; i++) {
		bool all = strcmp(tenants->items[i], "*") == 0;

		if (all ? !anywhere : members_of(directory, tenants->items[i], group).count == 0)
			policy_linting_add(linting, "E03", "unknown_group", &override,
					   "nobody is in %s of %s%.64s: nobody could override; add members "
					   "(countersign groups add), or name another group",
					   group, all ? "any tenant" : "tenant ", all ? "" : tenants->items[i]);
	}
}

static void
check_profile(struct policy_linting *linting, const struct place *place, const struct policy_profile *profile)
{
	struct place stages = policy_place_member(place, "stages");
	struct place steps = policy_place_member(place, "escalate");

	for (size_t i = 0; i < profile->stage_count; i++) {
		struct place stage = stages.value ? policy_place_item(&stages, i) : *place;

		check_stage(linting, &stage, &profile->stages[i]);
	}
	if (profile->override)
		check_override(linting, place, profile->override);
	for (size_t i = 0; i < profile->step_count; i++) {
		struct place step = policy_place_item(&steps, i);

		if (profile->steps[i].how != POLICY_ESCALATE_NOTIFY)
			check_ask(linting, policy_place_member(&step, "to"), &profile->steps[i].to);
	}
}

void
policy_lint_directory(struct policy_linting *linting)
{
	const struct policy *policy = linting->policy;
	struct place approvals = policy_place_member(&linting->root, "approvals");

	if (!linting->ask->directory) {
		if (policy->groups.count && linting->ask->part == POLICY_LINT_ALL)
			policy_linting_note(linting,
					    "E03, W11: who is in the groups was not looked at, as there "
					    "is no directory here");
		return;
	}
	for (size_t i = 0; i < policy->profile_count; i++) {
		struct place place = policy_place_member(&approvals, policy->profiles[i].name);

		check_profile(linting, &place, &policy->profiles[i]);
	}
	for (size_t i = 0; i < policy->class_count; i++) {
		struct place place = policy_place_item(&linting->classes, i);

		if (policy->classes[i].fallback.group)
			check_ask(linting, policy_place_member(&place, "fallback"),
				  &policy->classes[i].fallback);
	}
}

/* ------------------------------------------------------------------ W03 */

struct names {
	const char *what;
	const char *const *items; /* sorted */
	size_t count;
};

static bool
is_known(const struct names *names, const char *pattern, struct policy_allowance *allowance)
{
	size_t low = 0, high = names->count;

	if (!strchr(pattern, '*')) {
		while (low < high) {
			size_t middle = low + (high - low) / 2;
			int order = strcmp(names->items[middle], pattern);

			if (order == 0)
				return true;
			if (order < 0)
				low = middle + 1;
			else
				high = middle;
		}
		return false;
	}
	for (size_t i = 0; i < names->count && policy_allowance_take(allowance, 8); i++)
		if (policy_pattern_match(pattern, names->items[i]))
			return true;
	return false;
}

/* The policy has them sorted, the document does not. */
static struct place
item_of(const struct place *list, const char *text)
{
	for (size_t i = 0; list->value && i < list->value->as.list.count; i++) {
		struct place item = policy_place_item(list, i);

		if (strcmp(item.value->as.string.bytes, text) == 0)
			return item;
	}
	return *list;
}

static void
check_patterns(struct policy_linting *linting, const struct place *match, const char *member,
	       const struct policy_strings *patterns, const struct names *names,
	       struct policy_allowance *allowance)
{
	struct place list = policy_place_member(match, member);

	for (size_t i = 0; names->count && i < patterns->count && allowance->left; i++) {
		struct place item = item_of(&list, patterns->items[i]);

		if (!is_known(names, patterns->items[i], allowance) && allowance->left)
			policy_linting_add(
			    linting, "W03", "unknown_name",
			    &item, "no request of the last 30 days had such %s: a slip of the pen, or something new?",
			    names->what);
	}
}

void
policy_lint_catalogue(struct policy_linting *linting)
{
	const struct policy *policy = linting->policy;
	const struct policy_catalogue *catalogue = linting->ask->catalogue;
	struct policy_allowance allowance = {CATALOGUE_STEPS};

	if (!catalogue || catalogue->action_count == 0) {
		if (policy->rule_count && (catalogue || linting->ask->part == POLICY_LINT_ALL))
			policy_linting_note(linting, "W03: what was asked for lately was not looked at, as %s",
					    catalogue ? "nothing was" : "there are no requests here");
		return;
	}

	const struct names actions = {"an action", catalogue->actions, catalogue->action_count},
			   agents = {"an agent", catalogue->agents, catalogue->agent_count},
			   targets = {"a target", catalogue->targets, catalogue->target_count};

	for (size_t i = 0; i < policy->rule_count && allowance.left; i++) {
		const struct policy_rule *rule = linting->in_order[i];
		struct place place = policy_linting_rule(linting, rule),
			     match = policy_place_member(&place, "match");

		check_patterns(linting, &match, "actions", &rule->match.actions, &actions, &allowance);
		check_patterns(linting, &match, "agents", &rule->match.agents, &agents, &allowance);
		check_patterns(linting, &match, "targets", &rule->match.targets, &targets, &allowance);
	}
	if (allowance.left == 0)
		policy_linting_note(linting, "W03: too many patterns and too many names to compare them all");
}
