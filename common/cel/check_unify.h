/* SPDX-License-Identifier: Apache-2.0 */
/* check_unify.h - which type fits where, and what the free type variables become by it. Inside common/cel only. Pure. */
#ifndef COUNTERSIGN_CEL_CHECK_UNIFY_H
#define COUNTERSIGN_CEL_CHECK_UNIFY_H

#include "common/cel/type.h"

struct cel_bound;

/* Starts zeroed but for the arena and work_max. In the types that it is given every CEL_T_PARAM is a variable of its own (cel_unify_fresh). */
struct cel_unifier {
	struct arena *arena;
	struct cel_bound *trail; /* what was bound since, so that a failed attempt leaves nothing behind */
	size_t trail_count, trail_room;
	uint32_t variables;
	uint64_t work, work_max; /* steps so far, and at most: types may grow faster than the source */
};

#define CEL_UNIFY_WORK_MAX 200000 /* of a small tree; CEL_UNIFY_WORK_NODE more for each node */
#define CEL_UNIFY_WORK_NODE 100

/* Variables that stand for the type parameters of one signature. Starts zeroed. */
struct cel_instance {
	const char *names[8];
	const struct cel_type *types[8];
	size_t count;
};

/* A variable that may still be any type. */
const struct cel_type *cel_unify_fresh(struct cel_unifier *unifier);

/* The type with variables for its parameters, the same ones for the same names as before in the instance. */
const struct cel_type *cel_unify_instantiate(struct cel_unifier *unifier, const struct cel_type *type,
					     struct cel_instance *instance);

/*
 * Whether a value of type `from` may stand where `to` is expected; dyn and free variables may be anything. Binds variables, or none
 * when the answer is no. Also no when the work is over work_max.
 */
bool cel_unify_assignable(struct cel_unifier *unifier, const struct cel_type *from, const struct cel_type *to);
/* All of them, or none is bound. */
bool cel_unify_all(struct cel_unifier *unifier, const struct cel_type *const *from,
		   const struct cel_type *const *to, size_t count);

/* What an aggregate of both holds: the more general one, dyn when neither fits. previous NULL: current. */
const struct cel_type *cel_unify_join(struct cel_unifier *unifier, const struct cel_type *previous,
				      const struct cel_type *current);

/* The type with what its variables are bound to; free ones stay, or become dyn at the end. dyn when the work is over the maximum. */
const struct cel_type *cel_unify_resolve(struct cel_unifier *unifier, const struct cel_type *type,
					 bool free_to_dyn);

#endif
