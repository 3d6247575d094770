/* SPDX-License-Identifier: Apache-2.0 */
/* policy_condition.h - the expressions of a policy, compiled once, asked for each decision. Private to this room. */
#ifndef COUNTERSIGN_POLICY_CONDITION_H
#define COUNTERSIGN_POLICY_CONDITION_H

#include "common/cel/cel.h"

#define POLICY_COST_MAX 200000 /* units of one decision, over all its expressions */

/* An expression with the named ones that it reads, in an order in which they can be evaluated. */
struct policy_program {
	const struct cel_program *program;
	const size_t *bindings;
	size_t binding_count;
};

/* One operand of the top-level && of `when`, or the whole of `unless`. */
struct policy_conjunct {
	struct policy_program ask;
	const char *text;  /* as it was written */
	uint32_t position; /* where it starts in its expression, in code points from 0 */
	bool of_unless;	   /* what is true speaks against the rule */
};

struct policy_condition {
	const struct policy_conjunct *conjuncts;
	size_t count; /* 0: always true */
};

/* A named expression (`let`); its value has a slot like a variable. */
struct policy_binding {
	const char *name;     /* as it is written in expressions */
	const char *variable; /* as it is declared: with the container of its rule in front */
	size_t slot;
	struct policy_program value;
};

struct policy_bindings {
	struct policy_binding *items;
	size_t count, room;
};

enum policy_truth { POLICY_FALSE, POLICY_TRUE, POLICY_ERROR };

/* What a condition came to. */
struct policy_outcome {
	enum policy_truth truth;
	/* the first that is false, or the first that erred; NULL when it is true or nothing was evaluated */
	const struct policy_conjunct *decider;
	enum cel_code code; /* with POLICY_ERROR */
	uint32_t position;  /* of the sub-expression that erred, in its expression; with POLICY_ERROR */
};

/* What the expressions of one decision share. */
struct policy_meter {
	struct arena *arena;
	const struct policy_bindings *bindings;
	struct cel_value *slots; /* of the environment's variables; those of the bindings are filled when they are first read */
	bool *known;			/* by binding */
	bool (*expired)(void *context); /* NULL: no deadline */
	void *context;
	uint64_t cost;	 /* units so far */
	uint64_t others; /* units that other documents of the same decision took so far */
	uint64_t polled; /* of them when the deadline was last looked at */
	bool exhausted;	 /* out of units or of time: whatever is not evaluated yet errs */
};

/*
 * when AND NOT unless in three-valued logic: false when a conjunct is false, whatever erred beside it; else an error when one erred;
 * else true. Once the meter is exhausted every condition that is not empty is POLICY_ERROR with CEL_COST, unasked.
 */
struct policy_outcome policy_condition_ask(const struct policy_condition *condition,
					   struct policy_meter *meter);

/* The value of any one program under the same meter; CEL_ERROR with CEL_COST once it is exhausted. */
struct cel_value policy_program_run(const struct policy_program *program, struct policy_meter *meter);

#endif
