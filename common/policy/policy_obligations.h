/* SPDX-License-Identifier: Apache-2.0 */
/* policy_obligations.h - what whoever is authorized must do as well, of several rules or decisions together. Pure. */
#ifndef COUNTERSIGN_POLICY_OBLIGATIONS_H
#define COUNTERSIGN_POLICY_OBLIGATIONS_H

#include "common/value/value.h"

#define POLICY_OBLIGATIONS_MAX 64	  /* names, of one rule and of one decision */
#define POLICY_OBLIGATIONS_BYTES_MAX 2048 /* of their RFC 8785 form, likewise */
#define POLICY_OBLIGATION_DEPTH_MAX 4	  /* lists and maps within each other in one value */

/*
 * The stricter of two values of one obligation: of equal ones that one, of true and false true, of two lists the list of all of both, each
 * item once, by their RFC 8785 form. NULL: neither is, nobody can satisfy both. Which of them is left makes no difference.
 */
struct value *policy_obligation_unite(struct arena *arena, const struct value *left, const struct value *right);
/* A copy; a list as policy_obligation_unite makes it. */
struct value *policy_obligation_copy(struct arena *arena, const struct value *value);

/*
 * The obligations of both maps (NULL: none), in the arena; NULL when both have none. On failure NULL with *conflict: the name that has
 * two values, of several the least, or "" when they are more than POLICY_OBLIGATIONS_MAX or _BYTES_MAX.
 */
struct value *policy_obligations_unite(struct arena *arena, const struct value *left,
				       const struct value *right, const char **conflict);

#endif
