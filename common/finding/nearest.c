/* SPDX-License-Identifier: Apache-2.0 */
/* nearest.c - the name that was meant: edit distance with swaps, after Damerau and Levenshtein (optimal string alignment). */
#include "common/finding/finding.h"

#include <string.h>

enum {
	NAME_MAX_BYTES = 64,
	OTHER = 4,
	OTHER_CASE = 1 /* what a letter in another case costs, against any other change */
};

static char
lower(char letter)
{
	return letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter;
}

static size_t
change_cost(char left, char right)
{
	if (left == right)
		return 0;
	return lower(left) == lower(right) ? OTHER_CASE : OTHER;
}

static size_t
least(size_t left, size_t right)
{
	return left < right ? left : right;
}

/* Row by row; a swap looks two rows back. */
static size_t
distance(const char *from, size_t from_length, const char *to, size_t to_length)
{
	size_t rows[3][NAME_MAX_BYTES + 1];

	for (size_t j = 0; j <= to_length; j++)
		rows[0][j] = j * OTHER;
	for (size_t i = 1; i <= from_length; i++) {
		size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *twice = rows[(i + 1) % 3];

		row[0] = i * OTHER;
		for (size_t j = 1; j <= to_length; j++) {
			row[j] = least(least(above[j], row[j - 1]) + OTHER,
				       above[j - 1] + change_cost(from[i - 1], to[j - 1]));
			if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
				row[j] = least(row[j], twice[j - 2] + OTHER);
		}
	}
	return rows[from_length % 3][to_length];
}

const char *
finding_nearest(const char *name, const char *const *names)
{
	size_t length = strlen(name), best = SIZE_MAX;
	const char *nearest = NULL;

	if (length == 0 || length > NAME_MAX_BYTES)
		return NULL;
	for (; *names; names++) {
		size_t other = strlen(*names);

		if (other > NAME_MAX_BYTES)
			continue;

		size_t far = distance(name, length, *names, other), longer = length > other ? length : other;

		if (far < best && far * 3 <= longer * OTHER) {
			best = far;
			nearest = *names;
		}
	}
	return nearest;
}
