/* SPDX-License-Identifier: Apache-2.0 */
/* policy_difference.h - what a change of one rule comes to: a small request that is decided otherwise, or why there is none. Pure. */
#ifndef COUNTERSIGN_POLICY_DIFFERENCE_H
#define COUNTERSIGN_POLICY_DIFFERENCE_H

#include "common/policy/policy.h"

#define POLICY_DIFFERENCE_MAX                                                                                \
	(1u << 16) /* requests that are all tried; of more a sample of POLICY_DIFFERENCE_SAMPLE is */
#define POLICY_DIFFERENCE_SAMPLE 50000
#define POLICY_COVERS_MAX 8

struct policy_difference {
	const struct value *request; /* decided otherwise: {tenant, agent_id, action, target, context}; NULL: none was found */
	enum policy_verdict before, after; /* with a request */
	/* Without one: the rules that decided wherever this rule itself came to something else, and no harm was done; sorted by id, which
	 * are those of the policies. */
	const char *covers[POLICY_COVERS_MAX];
	size_t cover_count;
	size_t touched;	 /* requests in which the rule itself came to something else */
	bool by_default; /* a class's default decided one of those */
	bool exhaustive; /* all small requests were tried */
};

/* The same verdict, asking the same people for as long, granting for as long, obliging to the same. Reasons and names of rules may differ. */
bool policy_decision_equal(const struct policy_decision *left, const struct policy_decision *right);

/*
 * Compares two policies that differ in one rule of the first, which may be gone from the second, on the small requests (policy_model.h)
 * that the rule's `match` is about; nothing is used up of any limit.
 */
struct policy_difference policy_difference_find(const struct policy *before, const struct policy *after,
						const char *rule, int64_t now, struct arena *arena);

#endif
