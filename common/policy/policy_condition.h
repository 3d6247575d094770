/* SPDX-License-Identifier: Apache-2.0 */
/* policy_condition.h - the expressions of a policy: compiled once, asked for each decision. Private to this room. */
#ifndef COUNTERSIGN_POLICY_CONDITION_H
#define COUNTERSIGN_POLICY_CONDITION_H

#include "common/cel/cel.h"

#define POLICY_COST_MAX 200000 /* units of one decision, over all its expressions */

/* One operand of the top-level && of `when`, or the whole of `unless`. */
struct policy_conjunct {
	const struct cel_program *program;
	const char *text;  /* as it was written */
	uint32_t position; /* where it starts in its expression, in code points from 0 */
	bool of_unless;	   /* what is true speaks against the rule */
	const size_t *lets; /* the named expressions that it reads, in an order in which they can be evaluated */
	size_t let_count;
};

struct policy_condition {
	const struct policy_conjunct *conjuncts;
	size_t count; /* 0: always true */
};

/* A named expression; its value has a slot like a variable. */
struct policy_let {
	const char *name;
	const struct cel_program *program;
	size_t slot;
	const size_t *lets; /* those that it reads itself */
	size_t let_count;
};

struct policy_lets {
	struct policy_let *items;
	size_t count;
};

enum policy_truth { POLICY_FALSE, POLICY_TRUE, POLICY_ERROR };

/* What a condition came to. */
struct policy_outcome {
	enum policy_truth truth;
	const struct policy_conjunct
	    *decider; /* the first that is false, or the first that erred; NULL when true or never evaluated */
	enum cel_code code; /* with POLICY_ERROR */
	uint32_t position;  /* of the sub-expression that erred, in its expression; with POLICY_ERROR */
};

/* What the conditions of one decision share. */
struct policy_meter {
	struct arena *arena;
	const struct policy_lets *lets;
	struct cel_value *slots; /* of the environment's variables; those of the lets are filled when they are first read */
	bool *known;			/* by let */
	bool (*expired)(void *context); /* NULL: no deadline */
	void *context;
	uint64_t cost;	/* units so far */
	bool exhausted; /* out of units or of time: whatever is not evaluated yet errs */
};

/*
 * when AND NOT unless in three-valued logic: false when a conjunct is false, whatever erred beside it; else an error when one erred;
 * else true. After the meter is exhausted every condition that is not empty is POLICY_ERROR with CEL_COST, unasked.
 */
struct policy_outcome policy_condition_ask(const struct policy_condition *condition,
					   struct policy_meter *meter);

/* The value of any one program of the policy under the same meter. */
struct cel_value policy_meter_run(struct policy_meter *meter, const struct cel_program *program,
				  const size_t *lets, size_t let_count);

#endif
