/* SPDX-License-Identifier: Apache-2.0 */
/* policy_coverage.h - what a set of decisions has tried of a policy: which rules and limits were decisive, which conditions were seen
 * true and false. Pure. */
#ifndef COUNTERSIGN_POLICY_COVERAGE_H
#define COUNTERSIGN_POLICY_COVERAGE_H

#include "common/policy/policy.h"

struct policy_coverage; /* lives in its arena */

struct policy_coverage *policy_coverage_open(const struct policy *policy, struct arena *arena);
/* Counts a decision by this policy; `scratch` is free afterwards. */
void policy_coverage_add(struct policy_coverage *coverage, const struct policy_decision *decision,
			 struct arena *scratch);

/* One rule or limit, in the order of their ids, rules first. */
struct policy_covered {
	const char *id;
	bool is_limit;
	size_t decisive; /* decisions that it made what they are */
	size_t conjuncts;
};
size_t policy_coverage_count(const struct policy_coverage *coverage);
struct policy_covered policy_coverage_of(const struct policy_coverage *coverage, size_t n);

/* The k-th condition of the n-th: its text, and how often it came to true and to false. */
struct policy_covered_conjunct {
	const char *text;
	size_t seen_true, seen_false;
};
struct policy_covered_conjunct policy_coverage_conjunct(const struct policy_coverage *coverage, size_t n,
							size_t k);

#endif
