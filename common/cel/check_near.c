/* SPDX-License-Identifier: Apache-2.0 */
/* check_near.c - how far a misspelt name is from a known one: letters added, lost, exchanged or swapped with their neighbour. */
#include "common/cel/check.h"

#include <string.h>

#define LENGTH_MAX 64 /* of names that are compared */

static char
lower(char letter)
{
	return letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter;
}

static size_t
least(size_t a, size_t b, size_t c)
{
	size_t ab = a < b ? a : b;

	return ab < c ? ab : c;
}

/* Case does not count, for camelCase is where people slip. Neither is longer than LENGTH_MAX. */
static size_t
distance(const char *left, const char *right)
{
	size_t rows[3][LENGTH_MAX + 1];
	size_t length = strlen(right);
	size_t *before = rows[0], *last = rows[1], *row = rows[2];

	for (size_t j = 0; j <= length; j++)
		last[j] = before[j] = j;
	for (size_t i = 1; left[i - 1]; i++) {
		size_t *oldest = before;

		row[0] = i;
		for (size_t j = 1; j <= length; j++) {
			char l = lower(left[i - 1]), r = lower(right[j - 1]);

			row[j] = least(last[j] + 1, row[j - 1] + 1, last[j - 1] + (l != r));
			if (i > 1 && j > 1 && l == lower(right[j - 2]) && lower(left[i - 2]) == r
			    && before[j - 2] + 1 < row[j])
				row[j] = before[j - 2] + 1;
		}
		before = last;
		last = row;
		row = oldest;
	}
	return last[length];
}

void
check_nearest_try(struct check_nearest *nearest, const char *name)
{
	size_t wanted = strlen(nearest->wanted), length = strlen(name);
	size_t longer = wanted > length ? wanted : length, shorter = wanted < length ? wanted : length;
	size_t found;

	if (longer > LENGTH_MAX || longer < 2)
		return;
	found = distance(nearest->wanted, name);
	if (found >= shorter || found > (longer < 3 ? 1 : longer / 3))
		return; /* nothing, or too little, is left of it */
	/* of two that are as near, the first by the alphabet: hash tables have no order */
	if (nearest->name
	    && (found > nearest->distance || (found == nearest->distance && strcmp(name, nearest->name) >= 0)))
		return;
	nearest->name = name;
	nearest->distance = found;
}
