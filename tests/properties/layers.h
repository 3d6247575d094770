/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layers.h - what must hold for two random documents that decide together (rule 12 of policy_decide.c).
 *
 * loosens      Beside another document no decision becomes looser, as properties.h says it, and each requirement is asked under its own document's
 *              name: whichever of the two was there first. Unless it had been refused alone for a field that it does not declare.
 * exact        It is no stricter than the stricter of both alone: unless a class blocks errors, or more is asked than one question holds.
 * swapped      The documents in another order: the same verdict, code, names and terms.
 * shown        Each rule of the explanation names its document.
 * shadow       What others decide about the same request afterwards, as in the shadow, changes nothing of the decision and its explanation.
 */
#ifndef COUNTERSIGN_TESTS_LAYERS_H
#define COUNTERSIGN_TESTS_LAYERS_H

#include "common/memory/memory.h"

#include <stddef.h>
#include <stdint.h>

enum layers_property {
	LAYERS_LOOSENS,
	LAYERS_EXACT,
	LAYERS_SWAPPED,
	LAYERS_SHOWN,
	LAYERS_SHADOW,
	LAYERS_PROPERTIES
};
extern const char *const layers_property_names[LAYERS_PROPERTIES];

/* What is broken, to see it found. */
enum layers_flaw {
	LAYERS_SOUND,
	LAYERS_LAST_WINS,	/* the tenant's document alone decides */
	LAYERS_DEFAULT_YIELDS,	/* no default is a floor */
	LAYERS_PROFILES_MIXED,	/* of equal profiles the last is asked */
	LAYERS_CONTEXT_OF_LAST, /* only the tenant's declarations are looked at */
	LAYERS_SHADOW_COUNTS,	/* what is in the shadow takes the place of the decision */
	LAYERS_FLAWS
};

struct layers_tally {
	size_t violations[LAYERS_PROPERTIES], comparisons[LAYERS_PROPERTIES];
	size_t sets, refused, verdicts[3], mixed; /* mixed: the two alone were of different verdicts */
};

/* Makes two documents of a number and tries everything on them. With a flaw violations are counted, else printed as well. */
void layers_try(struct arena *arena, uint64_t number, enum layers_flaw flaw, struct layers_tally *tally);

#endif
