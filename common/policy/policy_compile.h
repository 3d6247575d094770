/* SPDX-License-Identifier: Apache-2.0 */
/* policy_compile.h - source to programs, against what a policy declares. Private to this room. */
#ifndef COUNTERSIGN_POLICY_COMPILE_H
#define COUNTERSIGN_POLICY_COMPILE_H

#include "common/policy/policy_condition.h"

#define POLICY_CONJUNCTS_MAX 64 /* of one condition */

struct policy_compiler {
	struct arena *arena;   /* of the policy */
	struct arena *scratch; /* of what is only needed for compiling: free once the faults were read */
	struct cel_env *env;
	struct policy_bindings bindings;
};

/*
 * Compiles named expressions: in any order, each may read others, but in the end not itself. `container` NULL: they are seen by every
 * expression of the environment, else by those only that are compiled while it is the environment's container. faults[i] belongs to the i-th of them and starts
 * zeroed; false when one has any.
 */
bool policy_compile_bindings(struct policy_compiler *compiler, const char *container, const char *const *names,
			     const char *const *sources, size_t count, struct cel_faults *faults) CS_MUST_CHECK;

/* when, unless: source or NULL. False when either has faults. */
bool policy_compile_condition(struct policy_compiler *compiler, const char *when, const char *unless,
			      struct policy_condition *condition, struct cel_faults *when_faults,
			      struct cel_faults *unless_faults) CS_MUST_CHECK;

/* Any other expression of a type that is expected (NULL: any), as one conjunct. */
bool policy_compile_expression(struct policy_compiler *compiler, const char *source,
			       const struct cel_type *expected, struct policy_conjunct *expression,
			       struct cel_faults *faults) CS_MUST_CHECK;

#endif
