/* SPDX-License-Identifier: Apache-2.0 */
/* cost_private.h - one run of the static estimate, for cost*.c alone. Pure. */
#ifndef COUNTERSIGN_CEL_COST_PRIVATE_H
#define COUNTERSIGN_CEL_COST_PRIVATE_H

#include "common/cel/cost_extent.h"

/* A comprehension's variable; the innermost first. */
struct cost_local {
	const char *name;
	struct cost_extent extent;
	const struct cost_local *outer;
};

struct cost_walk {
	struct cost_sizes sizes;
	const struct cel_checked *checked; /* NULL: unchecked */
	const struct cost_local *local;
	uint64_t max;			  /* 0: none */
	const struct cel_node *excessive; /* the first node that alone is over max, those within it are not; NULL: none */
};

/* What evaluating a node takes at most, and how large its value can be. */
struct cost_answer {
	uint64_t units;
	struct cost_extent extent;
};

/* --- cost.c --- */
struct cost_answer cost_node(struct cost_walk *walk, const struct cel_node *node);
bool cost_is_constant_list(const struct cel_node *node);
/* What the one or two variables of a comprehension over the range are. */
void cost_iterators(struct cost_walk *walk, const struct cel_node *node, const struct cost_extent *range,
		    struct cost_extent *first, struct cost_extent *second);

/* --- cost_function.c --- */
/* Functions with more operands take any number of them: those from the fourth on are as the largest of them. */
#define COST_OPERAND_LAST 3

struct cost_operands {
	struct cost_answer answers[COST_OPERAND_LAST + 1]; /* the receiver first */
	size_t count, total;
	uint64_t units;
};

/* The receiver, where it is a value, and the arguments. */
struct cost_operands cost_operands_of(struct cost_walk *walk, const struct cel_node *node);
struct cost_answer cost_function(struct cost_walk *walk, const struct cel_node *node, const char *name);

/* --- cost_operator.c: also calls of functions --- */
struct cost_answer cost_call(struct cost_walk *walk, const struct cel_node *node);

#endif
