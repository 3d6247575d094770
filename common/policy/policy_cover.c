/* SPDX-License-Identifier: Apache-2.0 */
/* policy_cover.c - patterns against patterns: which covers which, which meet. Over segments as policy_pattern.c has them, and inside a
 * segment over characters, the same way: "**" among segments is what "*" is among characters. */
#include "common/policy/policy_linting.h"

#include <string.h>

enum { SEGMENTS_MAX = POLICY_PATTERN_MAX / 2 + 2 };

struct part {
	const char *start, *end;
	char before, behind; /* separators; 0: none */
	bool is_run;	     /* "**" */
};

struct parts {
	struct part items[SEGMENTS_MAX];
	size_t count;
};

static void
split(const char *pattern, struct parts *parts)
{
	char before = 0;

	parts->count = 0;
	for (const char *start = pattern; parts->count < SEGMENTS_MAX; start++) {
		const char *end = start;

		while (*end && !policy_is_separator(*end))
			end++;
		parts->items[parts->count++] =
		    (struct part){start, end, before, *end, end - start == 2 && memcmp(start, "**", 2) == 0};
		if (!*end)
			break;
		before = *end;
		start = end;
	}
}

/* What the two kinds of question have in common: two lists are walked side by side, `stays` says when one may step alone. */
enum question { COVERS, MEETS };

/* Every text of the inner segment is one of the outer. Both without "**". Row j: the outer's first j characters are behind us. */
static bool
segment_answers(enum question question, const struct part *left, const struct part *right)
{
	bool rows[2][POLICY_PATTERN_MAX + 2];
	size_t lefts = (size_t)(left->end - left->start), rights = (size_t)(right->end - right->start);

	for (size_t i = lefts + 1; i-- > 0;) {
		bool *row = rows[i % 2], *below = rows[(i + 1) % 2];
		bool left_star = i < lefts && left->start[i] == '*';

		for (size_t j = rights + 1; j-- > 0;) {
			bool right_star = j < rights && right->start[j] == '*';

			if (i == lefts && j == rights)
				row[j] = true;
			else if (left_star)
				row[j] = below[j] || (j < rights && row[j + 1]);
			else if (right_star && question == MEETS)
				row[j] = row[j + 1] || (i < lefts && below[j]);
			else
				row[j] = !right_star && i < lefts && j < rights
					 && left->start[i] == right->start[j] && below[j + 1];
		}
	}
	return rows[0][0];
}

static bool
part_answers(enum question question, const struct part *left, const struct part *right)
{
	if ((left->before && right->before && left->before != right->before)
	    || (left->behind && right->behind && left->behind != right->behind))
		return false;
	return segment_answers(question, left, right);
}

static bool
answer(enum question question, const char *left_pattern, const char *right_pattern)
{
	struct parts lefts, rights;
	bool rows[2][SEGMENTS_MAX + 1];

	split(left_pattern, &lefts);
	split(right_pattern, &rights);
	for (size_t i = lefts.count + 1; i-- > 0;) {
		bool *row = rows[i % 2], *below = rows[(i + 1) % 2];
		bool left_run = i < lefts.count && lefts.items[i].is_run;

		for (size_t j = rights.count + 1; j-- > 0;) {
			bool right_run = j < rights.count && rights.items[j].is_run;

			if (i == lefts.count && j == rights.count)
				row[j] = true;
			else if (left_run)
				row[j] = below[j] || (j < rights.count && row[j + 1]);
			else if (right_run && question == MEETS)
				row[j] = row[j + 1] || (i < lefts.count && below[j]);
			else
				row[j] = !right_run && i < lefts.count && j < rights.count && below[j + 1]
					 && part_answers(question, &lefts.items[i], &rights.items[j]);
		}
	}
	return rows[0][0];
}

static bool
is_plain(const char *pattern)
{
	return !strchr(pattern, '*');
}

/* One segment at least, any: "**", "*.**", "**.*". */
static bool
is_all(const char *pattern)
{
	struct parts parts;
	size_t runs = 0;

	split(pattern, &parts);
	for (size_t i = 0; i < parts.count; i++) {
		size_t length = (size_t)(parts.items[i].end - parts.items[i].start);

		if (!parts.items[i].is_run && (length != 1 || *parts.items[i].start != '*'))
			return false;
		runs += parts.items[i].is_run;
		if (parts.items[i].behind && parts.items[i].behind != '.')
			return false;
	}
	return runs > 0 && parts.count - runs <= 1;
}

bool
policy_pattern_covers(const char *outer, const char *inner)
{
	if (strcmp(outer, inner) == 0 || strcmp(outer, "**") == 0)
		return true;
	if (is_plain(inner))
		return policy_pattern_match(outer, inner);
	return !is_plain(outer) && answer(COVERS, outer, inner);
}

bool
policy_pattern_meets(const char *left, const char *right)
{
	if (is_plain(left))
		return policy_pattern_match(right, left);
	if (is_plain(right))
		return policy_pattern_match(left, right);
	return answer(MEETS, left, right);
}

struct policy_strings
policy_actions_of(const struct policy_scope *match)
{
	static const char *anything[] = {"**"};

	return match->actions.count ? match->actions : (struct policy_strings){anything, 1};
}

/* What comparing two patterns may take, in steps. */
static uint64_t
steps_of(const char *left, const char *right)
{
	size_t lefts = strlen(left), rights = strlen(right);

	return 4 + (is_plain(left) || is_plain(right) ? lefts + rights : lefts * rights) / 4;
}

static bool
some_covers(const struct policy_strings *outer, const char *inner, struct policy_allowance *allowance)
{
	for (size_t i = 0; i < outer->count; i++)
		if (!policy_allowance_take(allowance, steps_of(outer->items[i], inner)))
			return false;
		else if (policy_pattern_covers(outer->items[i], inner))
			return true;
	return false;
}

static bool
some_meets(const struct policy_strings *patterns, const char *pattern, struct policy_allowance *allowance)
{
	for (size_t i = 0; i < patterns->count; i++)
		if (!policy_allowance_take(allowance, steps_of(patterns->items[i], pattern)))
			return false;
		else if (policy_pattern_meets(patterns->items[i], pattern))
			return true;
	return false;
}

bool
policy_strings_cover(const struct policy_strings *outer, const struct policy_strings *inner,
		     struct policy_allowance *allowance)
{
	if (outer->count == 0)
		return true;
	if (inner->count == 0)
		return some_covers(outer, "**", allowance);
	for (size_t i = 0; i < inner->count; i++)
		if (!some_covers(outer, inner->items[i], allowance))
			return false;
	return true;
}

bool
policy_scope_covers(const struct policy_scope *outer, const struct policy_scope *inner,
		    struct policy_allowance *allowance)
{
	return policy_strings_cover(&outer->actions, &inner->actions, allowance)
	       && policy_strings_cover(&outer->agents, &inner->agents, allowance)
	       && policy_strings_cover(&outer->targets, &inner->targets, allowance)
	       && policy_strings_cover(&outer->tenants, &inner->tenants, allowance);
}

bool
policy_class_meets(const struct policy_class *class, const char *pattern, struct policy_allowance *allowance)
{
	return some_meets(&class->actions, pattern, allowance)
	       && !some_covers(&class->except, pattern, allowance);
}

bool
policy_class_covers(const struct policy_class *class, const char *pattern, struct policy_allowance *allowance)
{
	bool covered = some_covers(&class->actions, pattern, allowance);

	for (size_t i = 0; i < class->actions.count && !covered; i++)
		covered = is_all(class->actions.items[i]);
	return covered && !some_meets(&class->except, pattern, allowance) && allowance->left > 0;
}
