/* SPDX-License-Identifier: Apache-2.0 */
/* finding.h - what is wrong with a document, several things at once, for its author. Pure. */
#ifndef COUNTERSIGN_FINDING_H
#define COUNTERSIGN_FINDING_H

#include "common/value/spot.h"

#define FINDINGS_MAX 20

struct finding {
	const char *code;  /* "E01" … "E09" and "W01" … of the manual; static */
	const char *word;  /* the same more closely, as in struct error: "unknown_key"; static */
	const char *path;  /* "rules[3].match", "" for the whole */
	const char *text;  /* one line for people: what is wrong, what was expected, the nearest known name */
	struct stretch at; /* line 0: not known */
	size_t inside; /* `at` is that of a string, and this 1 + the number of the character in its value that is meant; 0: all of it */
};

/* The first `max` of them in the order in which they were found; starts zeroed but for arena and max (1 to FINDINGS_MAX). */
struct findings {
	struct arena *arena;
	size_t max;
	struct finding items[FINDINGS_MAX];
	size_t count;
};

struct findings findings_open(struct arena *arena, size_t max);
/* Nothing more fits: who looks for more looks in vain. */
bool findings_full(const struct findings *findings);
/* Adds one; path and text are copied. What does not fit is dropped. Always returns false. */
bool findings_add(struct findings *findings, struct finding finding);
/* The first one as an error of kind ERROR_INVALID, its word as the code and its path as the field. Always returns false; without a
 * finding nothing is set. */
bool findings_first(const struct findings *findings, struct error *error);
/* By line and column; those of one place stay in their order. */
void findings_sort(struct findings *findings);

/*
 * The one of the names (ended by NULL) that was most likely meant: with the fewest letters changed, added, left out or swapped,
 * a third of them at most; case counts little. NULL when none is near. Of equals the first.
 */
const char *finding_nearest(const char *name, const char *const *names);

#endif
