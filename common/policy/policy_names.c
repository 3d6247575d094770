/* SPDX-License-Identifier: Apache-2.0 */
/* policy_names.c - what a policy is called and whom it names. */
#include "common/policy/policy.h"
#include "common/policy/policy_private.h"

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
