/* SPDX-License-Identifier: Apache-2.0 */
/*
 * search.c - the two-way algorithm of Crochemore and Perrin ("Two-way string-matching", J. ACM 38, 1991): whoever writes text and pattern
 * cannot make it slow. The pattern is cut in two at a place where no shorter repetition crosses; the right part is compared from left to
 * right, then the left part.
 */
#include "common/cel/search.h"

#include <stdint.h>
#include <string.h>

struct cut {
	size_t left;   /* bytes of the left part */
	size_t period; /* of the right part */
};

/* The suffix that is largest by the order of bytes, or by the reverse of that order. */
static struct cut
largest_suffix(const unsigned char *pattern, size_t length, int reverse)
{
	size_t start = 0, candidate = 1, same = 0, period = 1;

	while (candidate + same < length) {
		unsigned char old = pattern[start + same], new = pattern[candidate + same];

		if (old == new) {
			if (++same == period) {
				candidate += period;
				same = 0;
			}
		} else if (reverse ? new > old : new < old) {
			candidate += same + 1;
			same = 0;
			period = candidate - start;
		} else {
			start = candidate++;
			same = 0;
			period = 1;
		}
	}
	return (struct cut){start, period};
}

static struct cut
cut_of(const unsigned char *pattern, size_t length)
{
	struct cut one = largest_suffix(pattern, length, 0), other = largest_suffix(pattern, length, 1);

	return one.left > other.left ? one : other;
}

/* Of a pattern that repeats itself: what is known to match from the last place is not looked at again. */
static size_t
search_periodic(const unsigned char *text, size_t length, const unsigned char *pattern, size_t size,
		struct cut cut)
{
	size_t at = 0, known = 0;

	while (at + size <= length) {
		size_t i = cut.left > known ? cut.left : known;

		while (i < size && pattern[i] == text[at + i])
			i++;
		if (i < size) {
			at += i - cut.left + 1;
			known = 0;
			continue;
		}
		for (i = cut.left; i > known && pattern[i - 1] == text[at + i - 1]; i--)
			;
		if (i <= known)
			return at;
		at += cut.period;
		known = size - cut.period;
	}
	return SIZE_MAX;
}

static size_t
search_plain(const unsigned char *text, size_t length, const unsigned char *pattern, size_t size, struct cut cut)
{
	size_t step = (cut.left > size - cut.left ? cut.left : size - cut.left) + 1, at = 0;

	while (at + size <= length) {
		size_t i = cut.left;

		while (i < size && pattern[i] == text[at + i])
			i++;
		if (i < size) {
			at += i - cut.left + 1;
			continue;
		}
		for (i = cut.left; i > 0 && pattern[i - 1] == text[at + i - 1]; i--)
			;
		if (i == 0)
			return at;
		at += step;
	}
	return SIZE_MAX;
}

size_t
cel_search(const char *text, size_t length, const char *pattern, size_t pattern_length)
{
	const unsigned char *bytes = (const unsigned char *)text, *wanted = (const unsigned char *)pattern;
	const char *found;
	struct cut cut;

	if (pattern_length == 0)
		return 0;
	if (pattern_length > length)
		return SIZE_MAX;
	if (pattern_length == 1) {
		found = memchr(text, wanted[0], length);
		return found ? (size_t)(found - text) : SIZE_MAX;
	}
	cut = cut_of(wanted, pattern_length);
	if (cut.period + cut.left <= pattern_length && memcmp(wanted, wanted + cut.period, cut.left) == 0)
		return search_periodic(bytes, length, wanted, pattern_length, cut);
	return search_plain(bytes, length, wanted, pattern_length, cut);
}
