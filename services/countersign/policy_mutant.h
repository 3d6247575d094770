/* SPDX-License-Identifier: Apache-2.0 */
/* policy_mutant.h - a policy with one small mistake in it: would its tests see that? */
#ifndef COUNTERSIGN_POLICY_MUTANT_H
#define COUNTERSIGN_POLICY_MUTANT_H

#include "common/value/value.h"

struct policy_mutant {
	const char *rule;	     /* its id */
	const char *change;	     /* for people: "when: a <= 5 becomes a < 5" */
	size_t position;	     /* of the rule in the document */
	const struct value *mutated; /* the rule instead; NULL: it is gone */
};

struct policy_mutants {
	struct policy_mutant *items;
	size_t count, room;
};

/*
 * All mutants of the rules of a document that is a good policy, in its order; the rule's `when`, `unless` and `let` are changed on their syntax trees:
 * == and !=, < and <=, > and >=, < and >, <= and >=, && and || in each other's place; an int that something is compared with one more
 * and one less, a duration longer and shorter by a second (where it is whole seconds, else by a nanosecond); a `!` left out; one of
 * several operands of the top-level && left out. Then the whole of `when`, where it has but one, and of `unless`, and the rule. In the arena.
 */
struct policy_mutants policy_mutants_of(struct arena *arena, const struct value *document);

/* The document with the mutant in its place; borrows from both. */
const struct value *policy_mutant_document(struct arena *arena, const struct value *document,
					   const struct policy_mutant *mutant);

#endif
