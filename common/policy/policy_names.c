/* SPDX-License-Identifier: Apache-2.0 */
/* policy_names.c - what a policy is called and whom it names. */
#include "common/policy/policy.h"
#include "common/policy/policy_private.h"
#include "common/policy/policy_read.h"

#include <string.h>

const char *
policy_verdict_name(enum policy_verdict verdict)
{
	switch (verdict) {
	case POLICY_ALLOW:
		return "ALLOW";
	case POLICY_REQUIRE_APPROVAL:
		return "REQUIRE_APPROVAL";
	case POLICY_BLOCK:
		break;
	}
	return "BLOCK";
}

const char *
policy_name(const struct policy *policy)
{
	return policy->name;
}

int64_t
policy_version(const struct policy *policy)
{
	return policy->version;
}

bool
policy_is_organisation(const struct policy *policy)
{
	for (size_t i = 0; i < policy->tenants.count; i++)
		if (strcmp(policy->tenants.items[i], "*") == 0)
			return true;
	return false;
}

bool
policy_covers(const struct policy *policy, const char *tenant)
{
	for (size_t i = 0; i < policy->tenants.count; i++)
		if (strcmp(policy->tenants.items[i], "*") == 0 || strcmp(policy->tenants.items[i], tenant) == 0)
			return true;
	return false;
}

const char *const *
policy_tenants(const struct policy *policy, size_t *count)
{
	*count = policy->tenants.count;
	return policy->tenants.items;
}

const char *const *
policy_groups(const struct policy *policy, size_t *count)
{
	*count = policy->groups.count;
	return policy->groups.items;
}

/* ------------------------------------------------------------------ all of them */

static size_t
asks_of(const struct policy_profile *profile)
{
	size_t count = profile->step_count + (profile->override ? 1 : 0);

	for (size_t i = 0; i < profile->stage_count; i++)
		count += profile->stages[i].ask_count;
	return count;
}

void
policy_collect_groups(struct arena *arena, struct policy *policy)
{
	size_t count = 0, room = policy->class_count;

	for (size_t i = 0; i < policy->profile_count; i++)
		room += asks_of(&policy->profiles[i]);

	const char **groups = arena_take_array(arena, room, sizeof *groups);

	for (size_t i = 0; i < policy->profile_count; i++) {
		const struct policy_profile *profile = &policy->profiles[i];

		for (size_t j = 0; j < profile->stage_count; j++)
			for (size_t k = 0; k < profile->stages[j].ask_count; k++)
				groups[count++] = profile->stages[j].asks[k].group;
		for (size_t j = 0; j < profile->step_count; j++)
			groups[count++] = profile->steps[j].to.group;
		if (profile->override)
			groups[count++] = profile->override;
	}
	for (size_t i = 0; i < policy->class_count; i++)
		if (policy->classes[i].fallback.group)
			groups[count++] = policy->classes[i].fallback.group;
	policy->groups = (struct policy_strings){groups, policy_strings_distinct(groups, count)};
}
