/* SPDX-License-Identifier: Apache-2.0 */
/* policy_pattern.c - patterns over segments. The separators are part of the pattern: "a.b" is not "a/b". */
#include "common/policy/policy.h"
#include "common/policy/policy_private.h"

#include <string.h>

enum { STARS_MAX = 8 };

/* A segment stands between two separators; `end` points at the one behind it or at the final NUL. */
struct segment {
	const char *start, *end;
};

static struct segment
segment_at(const char *start)
{
	const char *end = start;

	while (*end && !policy_is_separator(*end))
		end++;
	return (struct segment){start, end};
}

/* False behind the last one. */
static bool
segment_next(struct segment *segment)
{
	if (*segment->end == '\0')
		return false;
	*segment = segment_at(segment->end + 1);
	return true;
}

static bool
segment_is_run(struct segment segment)
{
	return segment.end - segment.start == 2 && memcmp(segment.start, "**", 2) == 0;
}

/* One star may be moved at a time: the last one met; those before it took the least they could, which is enough. */
static bool
segment_match(struct segment pattern, struct segment text)
{
	const char *p = pattern.start, *t = text.start;
	const char *star = NULL, *resume = NULL;

	while (t < text.end) {
		if (p < pattern.end && *p == '*') {
			star = ++p;
			resume = t;
		} else if (p < pattern.end && *p == *t) {
			p++;
			t++;
		} else if (star) {
			p = star;
			t = ++resume;
		} else {
			return false;
		}
	}
	while (p < pattern.end && *p == '*')
		p++;
	return p == pattern.end;
}

bool
policy_pattern_check(const char *pattern, const char *field, struct error *error)
{
	struct segment segment = segment_at(pattern);
	size_t length = strlen(pattern), stars = 0;

	if (length == 0 || length > POLICY_PATTERN_MAX)
		return error_set_field(error, ERROR_INVALID, "bad_pattern", field,
				       "a pattern has 1 to %d bytes", POLICY_PATTERN_MAX);
	do {
		bool run = segment_is_run(segment);

		for (const char *p = segment.start; p < segment.end; p++) {
			stars += *p == '*';
			if (!run && p[0] == '*' && p[1] == '*')
				return error_set_field(error, ERROR_INVALID, "bad_pattern", field,
						       "\"**\" stands for whole segments only");
		}
		stars -= run; /* "**" is one star */
	} while (segment_next(&segment));
	if (stars > STARS_MAX)
		return error_set_field(error, ERROR_INVALID, "bad_pattern", field,
				       "a pattern has at most %d stars", STARS_MAX);
	return true;
}

/* The separators around a segment must be those of the pattern, as far as both have one. */
static bool
separators_match(const char *pattern, struct segment p, const char *text, struct segment t)
{
	bool before = p.start > pattern && t.start > text;
	bool behind = *p.end != '\0' && *t.end != '\0';

	return (!before || p.start[-1] == t.start[-1]) && (!behind || *p.end == *t.end);
}

/* As segment_match, a level higher: "**" is the star, segments are the characters. */
static bool
segments_match(const char *pattern, const char *text)
{
	struct segment p = segment_at(pattern), t = segment_at(text), after_run = p, resume = t;
	bool p_left = true, t_left = true, run = false;

	while (t_left) {
		if (p_left && segment_is_run(p)) {
			run = true;
			p_left = segment_next(&p);
			if (!p_left)
				return true;
			after_run = p;
			resume = t;
		} else if (p_left && separators_match(pattern, p, text, t) && segment_match(p, t)) {
			p_left = segment_next(&p);
			t_left = segment_next(&t);
		} else if (run) {
			t_left = segment_next(&resume);
			t = resume;
			p = after_run;
			p_left = true;
		} else {
			return false;
		}
	}
	while (p_left && segment_is_run(p))
		p_left = segment_next(&p);
	return !p_left;
}

/* Up to the first star a pattern is what it says, but that the separator before a "**" may be missing with all that follows it. */
bool
policy_pattern_match(const char *pattern, const char *text)
{
	size_t i = 0;

	while (pattern[i] != '\0' && pattern[i] != '*' && pattern[i] == text[i])
		i++;
	if (pattern[i] == '\0')
		return text[i] == '\0';
	if (pattern[i] != '*')
		return text[i] == '\0' && policy_is_separator(pattern[i]) && segments_match(pattern, text);
	if (pattern[i + 1] == '\0')
		return *segment_at(text + i).end == '\0';
	return strcmp(pattern + i, "**") == 0 || segments_match(pattern, text);
}
