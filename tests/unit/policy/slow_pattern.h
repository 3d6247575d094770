/* SPDX-License-Identifier: Apache-2.0 */
/* slow_pattern.h - the meaning of a pattern in the plainest way: segments beside each other, every run tried. */
#ifndef COUNTERSIGN_TESTS_SLOW_PATTERN_H
#define COUNTERSIGN_TESTS_SLOW_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct parts {
	char segments[64][64];
	char separators[64]; /* [i] stands behind segment i; 0 = none */
	size_t count;
};

static inline struct parts
split(const char *text)
{
	struct parts parts = {.count = 1};
	size_t length = 0;

	for (; *text; text++) {
		if (*text == '.' || *text == '/' || *text == ':') {
			parts.separators[parts.count++ - 1] = *text;
			length = 0;
		} else {
			parts.segments[parts.count - 1][length++] = *text;
		}
	}
	return parts;
}

static inline bool
slow_segment(const char *pattern, const char *text)
{
	if (*pattern == '\0')
		return *text == '\0';
	if (*pattern == '*')
		return slow_segment(pattern + 1, text) || (*text && slow_segment(pattern, text + 1));
	return *pattern == *text && slow_segment(pattern + 1, text + 1);
}

static inline bool
slow_match(const struct parts *pattern, size_t p, const struct parts *text, size_t t)
{
	if (p == pattern->count)
		return t == text->count;
	if (strcmp(pattern->segments[p], "**") == 0)
		return slow_match(pattern, p + 1, text, t)
		       || (t < text->count && slow_match(pattern, p, text, t + 1));
	if (t == text->count || !slow_segment(pattern->segments[p], text->segments[t]))
		return false;
	if (p > 0 && t > 0 && pattern->separators[p - 1] != text->separators[t - 1])
		return false;
	if (p + 1 < pattern->count && t + 1 < text->count && pattern->separators[p] != text->separators[t])
		return false;
	return slow_match(pattern, p + 1, text, t + 1);
}

static inline bool
slow_pattern_match(const char *pattern, const char *text)
{
	const struct parts p = split(pattern), t = split(text);

	return slow_match(&p, 0, &t, 0);
}

/* The same numbers in every run. */
static inline uint64_t
next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

#endif
