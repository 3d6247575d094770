/* SPDX-License-Identifier: Apache-2.0 */
/* path.h - where in a document something is: "context.plan.types[3]", safe to print whatever the names are. */
#ifndef COUNTERSIGN_PATH_H
#define COUNTERSIGN_PATH_H

#include "common/value/value.h"

/* The way from the root to a value, on the stack of whoever walks; made into text only when there is an error. */
struct path {
	const struct path *above;
	struct text name; /* of a member; bytes NULL: */
	size_t index;	  /* of a list */
};

/* In the arena; "" for the root (NULL). */
const char *path_text(struct arena *arena, const struct path *path);

/* Appends a step. Names are cut; control characters, invisible ones and bytes that are no UTF-8 are escaped. */
void path_add_name(struct buffer *text, struct text name);
void path_add_index(struct buffer *text, size_t index);

#endif
