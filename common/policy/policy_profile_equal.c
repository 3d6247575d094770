/* SPDX-License-Identifier: Apache-2.0 */
/* policy_profile_equal.c - do two profiles demand the same of the same people? */
#include "common/policy/policy_profile.h"

#include <string.h>

static bool
asks_equal(const struct policy_ask *left, const struct policy_ask *right)
{
	return strcmp(left->group, right->group) == 0 && left->quorum == right->quorum;
}

static bool
stages_equal(const struct policy_stage *left, const struct policy_stage *right)
{
	bool same = left->ask_count == right->ask_count && (left->all == right->all || left->ask_count == 1);

	for (size_t i = 0; same && i < left->ask_count; i++)
		same = asks_equal(&left->asks[i], &right->asks[i]);
	return same;
}

static bool
steps_equal(const struct policy_step *left, const struct policy_step *right)
{
	return left->after == right->after && left->how == right->how && asks_equal(&left->to, &right->to);
}

/* NULL is nobody. */
static bool
groups_equal(const char *left, const char *right)
{
	return left && right ? strcmp(left, right) == 0 : left == right;
}

bool
policy_profile_equal(const struct policy_profile *left, const struct policy_profile *right)
{
	bool same = left->stage_count == right->stage_count && left->step_count == right->step_count
		    && left->distinct == right->distinct && left->require_reason == right->require_reason
		    && left->deny_quorum == right->deny_quorum
		    && groups_equal(left->override, right->override);

	for (size_t i = 0; same && i < left->stage_count; i++)
		same = stages_equal(&left->stages[i], &right->stages[i]);
	for (size_t i = 0; same && i < left->step_count; i++)
		same = steps_equal(&left->steps[i], &right->steps[i]);
	return same;
}
