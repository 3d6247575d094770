/* SPDX-License-Identifier: Apache-2.0 */
/* policy_values.h - which requests a policy tells apart, and walking through them. Private to this room. */
#ifndef COUNTERSIGN_POLICY_VALUES_H
#define COUNTERSIGN_POLICY_VALUES_H

#include "common/policy/policy_private.h"

#define POLICY_DIMENSIONS_MAX 64
#define POLICY_DIMENSION_VALUES_MAX 64

/* One input and the values that are tried for it; NULL: absent. */
struct policy_dimension {
	const char *path; /* without "context." */
	const struct policy_field *field;
	const struct value *values[POLICY_DIMENSION_VALUES_MAX];
	size_t count;
};

struct policy_domain {
	const char *tenant;
	struct policy_strings actions, agents, targets;
	struct policy_dimension *dimensions;
	size_t dimension_count;
	bool is_cut; /* there was more to tell apart than fits: no walk is exhaustive */
};

/* What the expressions of the invariant, and of the rules and limits that can speak where it is about, tell apart. In the arena. */
struct policy_domain policy_domain_of(const struct policy *policy, const struct policy_invariant *invariant,
				      struct arena *arena);

/* A name that the pattern covers: its stars stand for "x". In the arena. */
const char *policy_pattern_instance(struct arena *arena, const char *pattern);

/* What these rules tell apart among the requests for one action. */
struct policy_domain policy_domain_among(const struct policy *policy, const char *action,
					 const struct policy_set *rules, struct arena *arena);

/* Adds what an expression reads and the constants that stand beside it. */
void policy_domain_read(struct policy_domain *domain, const struct policy *policy, const char *source,
			struct arena *arena);
/* "plan.delete" of context.plan.delete; NULL when the node is no such chain. In the arena where it is longer than one name. */
const char *policy_input_path(const struct cel_node *node, struct arena *arena);
/* The dimension of an input, made when it is new; NULL when there is no such input or no room. */
struct policy_dimension *policy_domain_dimension(struct policy_domain *domain, const struct policy *policy,
						 const char *path, struct arena *arena);

/* A request as people write it, {tenant, agent_id, action, target, context}: a copy that outlives the request's arena. */
struct value *policy_domain_written(const struct policy_request *request, struct arena *arena);

/* All combinations in order, or so many that a fixed seed draws. */
struct policy_walk {
	const struct policy_domain *domain;
	bool exhaustive;
	uint64_t left, seed;
	uint64_t next; /* number of the next combination */
};
struct policy_walk policy_walk_open(const struct policy_domain *domain, uint64_t most, uint64_t sample);
/* The next request, in the scratch arena; false at the end. */
bool policy_walk_next(struct policy_walk *walk, struct arena *scratch, struct policy_request *request);

#endif
