/* SPDX-License-Identifier: Apache-2.0 */
/* cost.h - what an evaluation costs: the weights that the machine counts with, and the estimate, made before anything runs, that
 * bounds the count. Inside common/cel only. Pure. */
#ifndef COUNTERSIGN_CEL_COST_H
#define COUNTERSIGN_CEL_COST_H

#include "common/cel/cel.h"

/*
 * What the machine counts, in units. The estimate assumes no more than this of it; counting less is fine.
 *   a constant                                     0
 *   a variable (also a comprehension's)            CEL_COST_STEP
 *   a selection, has(), an index, .?, [?           CEL_COST_STEP
 *   a call of an operator or function              CEL_COST_STEP, and what its code charges on top (cel_charge, cel_charge_bytes)
 *   && || ?: !                                     CEL_COST_STEP and the operands that are evaluated, at most all of && and ||, one branch of ?:
 *   a list or map literal                          CEL_COST_LIST, CEL_COST_MAP, and its items; a list of nothing but literals 0
 *   a comprehension                                its range and its accumulator's start; for every element CEL_COST_STEP, the condition and
 *                                                  the step; its result. `accumulator + [x]` appends: CEL_COST_STEP and x, nothing for the list
 *   ==, !=, in, <, <=, >, >=                       CEL_COST_STEP, and 1 for every pair of values looked at (cel_equal's units); in a list
 *                                                  of string literals or in a map: one pair
 *
 * What a function's code may charge: for every pass over a string or bytes (an argument or the result) CEL_COST_STRING_TENTHS tenths
 * of a unit a byte, every charge rounded up to whole units; for every pass over a list or map CEL_COST_STEP an item; matches: the bytes of the text times
 * those of the pattern, by CEL_COST_REGEX_DIVISOR, and where the pattern is no literal CEL_COST_REGEX_OPEN and CEL_COST_REGEX_OPEN_BYTE
 * times the pattern's bytes for compiling it. The passes of each function are in the table of cost.c.
 */
#define CEL_COST_STEP 1
#define CEL_COST_LIST 10
#define CEL_COST_MAP 30
#define CEL_COST_STRING_TENTHS 1
#define CEL_COST_REGEX_OPEN 100
#define CEL_COST_REGEX_OPEN_BYTE 10
#define CEL_COST_REGEX_DIVISOR 40 /* 0.25 a byte of the pattern, times 0.1 a byte of the text */

/* What no declaration says: no larger than a request can hold it. */
#define CEL_SIZE_STRING 8192 /* bytes */
#define CEL_SIZE_LIST 1024   /* items */
#define CEL_SIZE_MAP 256     /* entries */

struct cel_cost_question {
	struct cel_env *env;
	const struct cel_tree *tree;
	const struct cel_node *node;	   /* the root, or one part of the tree */
	const struct cel_checked *checked; /* NULL: every type may be anything */
	uint64_t max;			   /* units; 0: only asked, nothing refused */
};

/*
 * The most units that evaluating the node can take, UINT64_MAX when there is no bound below that. Over max a CEL_COST fault is added that
 * names the sub-expression that costs most and, where there is one, the path whose declared size would help. The arena is for scratch.
 */
uint64_t cel_cost_estimate(const struct cel_cost_question *question, struct arena *arena,
			   struct cel_faults *faults);

#endif
