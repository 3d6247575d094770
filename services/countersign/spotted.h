/* SPDX-License-Identifier: Apache-2.0 */
/* spotted.h - reading what people write for the command line: values with their places, and findings about them. */
#ifndef COUNTERSIGN_SPOTTED_H
#define COUNTERSIGN_SPOTTED_H

#include "common/document/document.h"

/* A spot in a document; value NULL: there is none. */
struct spotted {
	const struct value *value;
	const struct spot *spot;
	const char *path; /* "cases[2].name", "" for the whole */
};

struct spotted_reader {
	struct arena *arena;
	struct findings *findings;
};

/* Adds a finding of code E01 at the spot. Always false. */
bool spotted_refuse(const struct spotted_reader *reader, const struct spotted *place, const char *word,
		    const char *text);
/* The member of a map; without a value where there is none, or it is no map. */
struct spotted spotted_member(const struct spotted_reader *reader, const struct spotted *map, const char *name);
/* The i-th item of a list. */
struct spotted spotted_item(const struct spotted_reader *reader, const struct spotted *list, size_t i);
/* A map, perhaps with findings for members that are not known (ended by NULL); false: no map, which is a finding. */
bool spotted_check_map(const struct spotted_reader *reader, const struct spotted *place,
		       const char *const *known);
/* A string; NULL: none, which is a finding. */
const char *spotted_text(const struct spotted_reader *reader, const struct spotted *place);

#endif
