/* SPDX-License-Identifier: Apache-2.0 */
/* spot.h - where in a text the values of a tree were written. Pure; made by whoever read the text. */
#ifndef COUNTERSIGN_SPOT_H
#define COUNTERSIGN_SPOT_H

#include "common/value/value.h"

/* A stretch of a text: line and column from 1, `start` and `end` (exclusive) from 0; all but the line count characters. */
struct stretch {
	uint32_t line, column;
	uint32_t start, end;
};

/* One for each value, in a tree of the same shape. */
struct spot {
	struct stretch value;	  /* quotes included; of a block the first character */
	struct stretch name;	  /* of the member that holds it; line 0: none holds it */
	const struct spot *below; /* of the items of a list or the members of a map, in their order; else NULL */
};

/* The spot of an item or member; NULL in, NULL out. */
static inline const struct spot *
spot_below(const struct spot *spot, size_t index)
{
	return spot ? &spot->below[index] : NULL;
}

#endif
