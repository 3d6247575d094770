/* SPDX-License-Identifier: Apache-2.0 */
/* policy_model.h - invariants tried on every small request that the policy itself suggests. Pure. */
#ifndef COUNTERSIGN_POLICY_MODEL_H
#define COUNTERSIGN_POLICY_MODEL_H

#include "common/policy/policy.h"

#define POLICY_MODEL_MAX                                                                                     \
	(1u << 20) /* requests of one invariant that are all tried; of more a sample of POLICY_MODEL_SAMPLE is */
#define POLICY_MODEL_SAMPLE 100000

/* What became of one invariant. */
struct policy_proof {
	const char *invariant; /* its id */
	uint64_t tried;	       /* requests */
	uint64_t assumed;      /* of those: it was about them, and its assumption was true */
	bool exhaustive;       /* all small requests were tried */
	bool holds;
	/* when it does not: a request {tenant, agent_id, action, target, context} that shows it, and what is decided about it */
	const struct value *request;
	enum policy_verdict verdict;
};

size_t policy_invariant_count(const struct policy *policy);
/*
 * Tries the n-th invariant (in the order of their ids). A request is made for every action, agent and target that the patterns of
 * invariant and rules tell apart, and for every combination of the inputs that the expressions read: absent; each bool and enum word; each
 * constant that stands in an expression beside the input, the numbers and durations next to it, its bounds; two strings and one list that
 * no expression names. Of more than POLICY_MODEL_MAX combinations a sample is tried, the same every time. A request that the inputs refuse
 * is none. An assumption that is no clear true is not one; an assertion that is no clear true does not hold.
 */
struct policy_proof policy_invariant_try(const struct policy *policy, size_t n, int64_t now,
					 struct arena *arena);

#endif
