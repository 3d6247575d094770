/* SPDX-License-Identifier: Apache-2.0 */
/* cel_trial.h - one expression tried: declared, parsed, checked, compiled, run. */
#ifndef COUNTERSIGN_CEL_TRIAL_H
#define COUNTERSIGN_CEL_TRIAL_H

#include "common/cel/cel.h"

struct cel_variable {
	const char *name, *type; /* type NULL: dyn */
	struct cel_value value;	 /* CEL_ABSENT: unbound */
};

struct cel_signature {
	const char *function, *signature;
};

/* How far a trial went: where it failed, or CEL_STAGE_VALUE. */
enum cel_stage { CEL_STAGE_PARSE, CEL_STAGE_CHECK, CEL_STAGE_COMPILE, CEL_STAGE_EVALUATE, CEL_STAGE_VALUE };
const char *cel_stage_name(enum cel_stage stage);

/* Starts zeroed; in above, out below. */
struct cel_trial {
	const char *source;
	size_t length;
	const char *container; /* or NULL */
	unsigned flags;	       /* enum cel_parse_flags */
	bool unchecked;
	enum cel_stage last; /* CEL_STAGE_PARSE, CEL_STAGE_CHECK or CEL_STAGE_VALUE */
	struct cel_variable *variables;
	size_t variable_count;
	const struct cel_signature *signatures;
	size_t signature_count;
	struct cel_limits limits; /* 0: the constants of ast.h and cel.h */
	uint64_t cost_max;
	size_t memory_max;

	enum cel_stage stage;
	struct cel_faults faults; /* of the source; at least one when the stage is one before CEL_STAGE_EVALUATE, unless it is the last */
	const struct cel_tree *tree;
	const struct cel_type *type; /* deduced, or NULL */
	struct cel_value value;	     /* CEL_STAGE_VALUE: a value; CEL_STAGE_EVALUATE: a CEL_ERROR */
	uint64_t cost;		     /* units of the evaluation */
	uint64_t bound;		     /* the static estimate of a checked one, UINT64_MAX: none */
};

/* False when what is declared is wrong (a name, a type, a signature). Results lie in the arena. */
bool cel_try(struct arena *arena, struct cel_trial *trial, struct error *error) CS_MUST_CHECK;

/* The fault that an evaluation ended with, with line and column. */
struct cel_fault cel_trial_fault(const struct cel_trial *trial);

#endif
