/* SPDX-License-Identifier: Apache-2.0 */
/* policy_facts.h - what the expressions of a policy may name, and what those names stand for in one request. Private to this room. */
#ifndef COUNTERSIGN_POLICY_FACTS_H
#define COUNTERSIGN_POLICY_FACTS_H

#include "common/cel/cel.h"
#include "common/policy/policy_input.h"
#include "common/policy/policy_private.h"

/* agent_id, action, target, tenant, now, params, and context where inputs are declared. Each has the slot of its place here. */
enum policy_fact {
	POLICY_FACT_AGENT_ID,
	POLICY_FACT_ACTION,
	POLICY_FACT_TARGET,
	POLICY_FACT_TENANT,
	POLICY_FACT_NOW,
	POLICY_FACT_PARAMS,
	POLICY_FACT_CONTEXT,
	POLICY_FACT_COUNT
};

/* Opens the environment of a policy whose inputs and params are read; the arena closes it. */
struct cel_env *policy_facts_declare(struct arena *arena, const struct policy *policy);

/* The type of an input as expressions see it. */
const struct cel_type *policy_facts_type(struct arena *arena, const struct policy_type *type);
/* A value of this type; CEL_ABSENT for a datum that is not there. Borrows the datum's texts. */
struct cel_value policy_facts_value(struct arena *arena, const struct policy_type *type,
				    const struct policy_datum *datum);

/* Fills slots[POLICY_FACT_COUNT]; the params are those that the policy has ready. now: microseconds since 1970 UTC. */
void policy_facts_fill(const struct policy *policy, const struct policy_request *request,
		       const struct policy_datum *context, int64_t now, struct arena *arena,
		       struct cel_value *slots);

#endif
