/* SPDX-License-Identifier: Apache-2.0 */
/* policy_profile.c - the approvals of a document: whom a REQUIRE_APPROVAL asks, how many of them, for how long. */
#include "common/policy/policy.h"
#include "common/policy/policy_read.h"

#include <string.h>

enum { QUORUM_MAX = 100 };

const struct policy_profile *
policy_find_profile(const struct policy *policy, const char *name)
{
	for (size_t i = 0; i < policy->profile_count; i++)
		if (strcmp(policy->profiles[i].name, name) == 0)
			return &policy->profiles[i];
	return NULL;
}

static bool
load_any_of(const struct place *any_of, struct policy_profile *profile)
{
	static const char *const known[] = {"group", "quorum", NULL};
	static const char *const later[] = {"filter", NULL};

	if (!policy_read_list(any_of, 1))
		return false;

	struct place ask = policy_place_item(any_of, 0);

	if (!policy_read_map(&ask, known, later))
		return false;

	struct place group = policy_place_member(&ask, "group"), quorum = policy_place_member(&ask, "quorum");

	return policy_read_id(&group, &profile->group)
	       && policy_read_integer(&quorum, 1, QUORUM_MAX, &profile->quorum);
}

static bool
load_grant(const struct place *grant, struct policy_profile *profile)
{
	static const char *const known[] = {"uses", "valid_for", NULL};
	static const char *const none[] = {NULL};
	int64_t once;

	profile->valid_for = POLICY_VALID_FOR_DEFAULT;
	if (!grant->value)
		return true;
	if (!policy_read_map(grant, known, none))
		return false;

	struct place uses = policy_place_member(grant, "uses"),
		     valid_for = policy_place_member(grant, "valid_for");

	return (!uses.value || policy_read_integer(&uses, 1, 1, &once))
	       && (!valid_for.value || policy_read_duration(&valid_for, &profile->valid_for));
}

static bool
load_profile(const struct place *place, struct policy_profile *profile)
{
	static const char *const known[] = {"any_of", "ttl", "grant", NULL};
	static const char *const later[] = {"all_of",	      "distinct", "deny_quorum", "exclude",
					    "require_reason", "escalate", "hold_for",	 NULL};

	if (!policy_read_map(place, known, later))
		return false;

	struct place any_of = policy_place_member(place, "any_of"), ttl = policy_place_member(place, "ttl");
	struct place grant = policy_place_member(place, "grant");

	return load_any_of(&any_of, profile) && policy_read_duration(&ttl, &profile->ttl)
	       && load_grant(&grant, profile);
}

static bool
id_is_valid(const struct place *map, const char *name, const char **id)
{
	struct value text = {.kind = VALUE_STRING, .as.string = {name, strlen(name)}};
	struct place place = policy_place_member(map, name);

	place.value = &text;
	return policy_read_id(&place, id);
}

static void
collect_groups(struct arena *arena, struct policy *policy)
{
	const char **groups = arena_take_array(arena, policy->profile_count, sizeof *groups);

	for (size_t i = 0; i < policy->profile_count; i++)
		groups[i] = policy->profiles[i].group;
	policy->groups =
	    (struct policy_strings){groups, policy_strings_distinct(groups, policy->profile_count)};
}

bool
policy_load_profiles(const struct place *root, struct policy *policy)
{
	struct place approvals = policy_place_member(root, "approvals");
	const struct value *map = approvals.value;

	if (!map)
		return true;
	if (map->kind != VALUE_MAP)
		return policy_refuse(&approvals, "wrong_type", "must be a map");
	if (map->as.map.count > POLICY_PROFILES_MAX)
		return policy_refuse(&approvals, "too_many", "has more than %d members", POLICY_PROFILES_MAX);
	policy->profiles = arena_take_array(root->reader->arena, map->as.map.count, sizeof *policy->profiles);
	for (size_t i = 0; i < map->as.map.count; i++) {
		const char *name = map->as.map.members[i].name.bytes;
		struct policy_profile *profile = &policy->profiles[i];
		struct place place = policy_place_member(&approvals, name);

		if (!id_is_valid(&approvals, name, &profile->name) || !load_profile(&place, profile))
			return false;
	}
	policy->profile_count = map->as.map.count;
	collect_groups(root->reader->arena, policy);
	return true;
}
