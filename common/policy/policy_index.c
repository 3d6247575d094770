/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy_index.c - from an action to the rules whose actions cover it, without looking at the others. The patterns
 * are sorted by their segments, so that those with a common beginning lie side by side: a tree whose nodes are ranges.
 * Walking it keeps, per node, the set of all places in the action where a walk could stand, so that no node is visited
 * twice, however many "**" there are. A segment with a star inside counts as "*" here. What the walk finds is matched
 * again, so the index can't add a rule. Agents, targets and tenants are not indexed.
 */
#include "common/policy/policy.h"
#include "common/policy/policy_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	FEW = 12 /* patterns, sooner matched than walked through */,
	SEGMENTS_MAX = 62,
	PARTIAL_MAX = 1024,
	ACTIONS_MAX = 100000
};

/* Bit i: i segments of the action are behind us. */
typedef uint64_t places;

struct part {
	const char *bytes;
	size_t length;
};

struct search {
	const struct policy_index *index;
	const char *action;
	struct part segments[SEGMENTS_MAX];
	places same[SEGMENTS_MAX]; /* where the same segment stands */
	size_t count;
	struct policy_set *found;
};

/* Neighbours in the order of the index that share their first segments. */
struct range {
	size_t low, high;
};

static struct part
segment_of(const char *start)
{
	size_t length = 0;

	while (start[length] && !policy_is_separator(start[length]))
		length++;
	return (struct part){start, length};
}

static int
part_compare(struct part left, struct part right)
{
	size_t shorter = left.length < right.length ? left.length : right.length;
	int order = memcmp(left.bytes, right.bytes, shorter);

	return order ? order : (left.length > right.length) - (left.length < right.length);
}

/* The first entry of the range whose segment at `offset` is not less; with `behind`, that is greater. */
static size_t
bound(const struct search *search, struct range range, size_t offset, struct part segment, bool behind)
{
	while (range.low < range.high) {
		size_t middle = range.low + (range.high - range.low) / 2;
		int order = part_compare(segment_of(search->index->entries[middle].skeleton + offset), segment);

		if (order < 0 || (behind && order == 0))
			range.low = middle + 1;
		else
			range.high = middle;
	}
	return range.low;
}

static void
add_if_covered(const struct search *search, const struct policy_index_entry *entry)
{
	if (policy_pattern_match(entry->pattern, search->action))
		policy_set_add(search->found, entry->rule);
}

static void walk(const struct search *search, struct range range, size_t offset, places here);

/* Goes on with the entries of the range whose next segment is this one. */
static void
follow(const struct search *search, struct range range, size_t offset, struct part segment, places then)
{
	const struct policy_index_entry *entries = search->index->entries;
	struct range next = {bound(search, range, offset, segment, false), 0};

	if (next.low == range.high
	    || part_compare(segment_of(entries[next.low].skeleton + offset), segment) != 0)
		return;
	next.high = bound(search, (struct range){next.low, range.high}, offset, segment, true);
	offset += segment.length;
	for (; next.low < next.high && entries[next.low].skeleton[offset] == '\0'; next.low++)
		if (then >> search->count & 1)
			add_if_covered(search, &entries[next.low]);
	if (next.low < next.high)
		walk(search, next, offset + 1, then);
}

/* No entry of the range ends before `offset`, and there is one. Only the end of a segment comes before a star. */
static void
walk(const struct search *search, struct range range, size_t offset, places here)
{
	places all = (UINT64_C(2) << search->count) - 1;
	char first = search->index->entries[range.low].skeleton[offset];

	for (size_t i = 0; i < search->count; i++) {
		places those = here & search->same[i];

		if (those >> i & 1 && (those & ((UINT64_C(1) << i) - 1)) == 0)
			follow(search, range, offset, search->segments[i], those << 1);
	}
	if (first > '*' && first != '.')
		return;
	if (here << 1 & all)
		follow(search, range, offset, (struct part){"*", 1}, here << 1 & all);
	follow(search, range, offset, (struct part){"**", 2}, all & ~((here & -here) - 1));
}

/* False when it has more segments than fit. */
static bool
split(struct search *search)
{
	const char *start = search->action;

	for (;;) {
		if (search->count == SEGMENTS_MAX)
			return false;

		struct part segment = segment_of(start);

		search->segments[search->count++] = segment;
		if (start[segment.length] == '\0')
			break;
		start += segment.length + 1;
	}
	memset(search->same, 0, search->count * sizeof *search->same);
	for (size_t i = 0; i < search->count; i++)
		for (size_t j = i; j < search->count; j++)
			if (part_compare(search->segments[i], search->segments[j]) == 0) {
				search->same[i] |= UINT64_C(1) << j;
				search->same[j] |= UINT64_C(1) << i;
			}
	return true;
}

void
policy_index_find(const struct policy *policy, const char *action, struct policy_set *set)
{
	const struct policy_index *index = &policy->index;
	struct search search; /* its arrays are filled as far as they are used */

	search.index = index;
	search.action = action;
	search.found = set;
	search.count = 0;

	if (index->count == 0)
		return;
	if (index->count > FEW && split(&search)) {
		walk(&search, (struct range){0, index->count}, 0, 1);
		return;
	}
	for (size_t i = 0; i < index->count; i++)
		add_if_covered(&search, &index->entries[i]);
}

/* The pattern with "*" for every segment that is neither plain text nor all star; itself when there is none. */
static const char *
skeleton_of(struct arena *arena, const char *pattern)
{
	char skeleton[POLICY_PATTERN_MAX + 1];
	size_t length = 0;
	bool partial = false;

	for (const char *start = pattern;; start++) {
		struct part segment = segment_of(start);
		bool starred = memchr(segment.bytes, '*', segment.length);

		start += segment.length;
		if (starred && strspn(segment.bytes, "*") < segment.length) {
			segment = (struct part){"*", 1};
			partial = true;
		}
		memcpy(skeleton + length, segment.bytes, segment.length);
		length += segment.length;
		skeleton[length++] = *start;
		if (*start == '\0')
			break;
	}
	return partial ? arena_string(arena, skeleton) : pattern;
}

/* As strcmp, but the dot at a segment's end comes before every other letter; patterns of actions have no other. */
static int
skeleton_compare(const char *left, const char *right)
{
	while (*left && *left == *right) {
		left++;
		right++;
	}
	if (*left == '\0' || *right == '\0')
		return (*left != '\0') - (*right != '\0');
	if (*left == '.' || *right == '.')
		return (*right == '.') - (*left == '.');
	return (unsigned char)*left - (unsigned char)*right;
}

static int
entry_compare(const void *left, const void *right)
{
	const struct policy_index_entry *a = left, *b = right;
	int order = skeleton_compare(a->skeleton, b->skeleton);

	return order ? order : (a->rule > b->rule) - (a->rule < b->rule);
}

static bool
refuse(const struct policy_rule *rule, struct error *error, const char *what, int limit)
{
	char field[ERROR_FIELD_SIZE];

	snprintf(field, sizeof field, "rules[%zu].match.actions", rule->position);
	return error_set_field(error, ERROR_INVALID, "too_many", field, "%s, more than %d", what, limit);
}

/* Some action that the pattern covers: itself when it is plain. */
static const char *
example_of(const char *pattern, char example[POLICY_PATTERN_MAX + 1])
{
	size_t length = 0;

	for (const char *p = pattern; *p; p++)
		if (*p != '*')
			example[length++] = *p;
		else if (p[1] != '*')
			example[length++] = 'x';
	example[length] = '\0';
	return example;
}

/* A rule that names no action is for all. */
static struct policy_strings
actions_of(const struct policy_rule *rule)
{
	static const char *anything[] = {"**"};

	return rule->match.actions.count ? rule->match.actions : (struct policy_strings){anything, 1};
}

static bool
check_rule_candidates(const struct policy *policy, const struct policy_rule *rule, struct policy_set *set,
		      struct error *error)
{
	const struct policy_strings actions = actions_of(rule);
	char example[POLICY_PATTERN_MAX + 1];

	for (size_t i = 0; i < actions.count; i++) {
		memset(set->words, 0, set->word_count * sizeof *set->words);
		policy_index_find(policy, example_of(actions.items[i], example), set);
		if (policy_set_count(set) > POLICY_CANDIDATES_MAX)
			return refuse(rule, error, "too many rules cover one action of this rule",
				      POLICY_CANDIDATES_MAX);
	}
	return true;
}

/* Every action that a rule names, and an example of every pattern, must stay within the candidates. */
static bool
check_candidates(struct arena *arena, const struct policy *policy, struct error *error)
{
	struct policy_set set = policy_set_make(arena, policy);

	if (policy->rule_count <= POLICY_CANDIDATES_MAX)
		return true;
	for (size_t i = 0; i < policy->rule_count; i++)
		if (!check_rule_candidates(policy, &policy->rules[i], &set, error))
			return false;
	return true;
}

/* False when there are more partial ones than may be compared one by one. */
static bool
add_entries(struct arena *arena, struct policy *policy, const struct policy_rule *rule, size_t *partial,
	    struct error *error)
{
	const struct policy_strings actions = actions_of(rule);

	for (size_t i = 0; i < actions.count; i++) {
		const char *pattern = actions.items[i], *skeleton = skeleton_of(arena, pattern);

		*partial += skeleton != pattern;
		if (*partial > PARTIAL_MAX)
			return refuse(rule, error, "too many actions of all rules have a star inside a segment",
				      PARTIAL_MAX);
		policy->index.entries[policy->index.count++] =
		    (struct policy_index_entry){skeleton, pattern, (size_t)(rule - policy->rules)};
	}
	return true;
}

bool
policy_index_build(struct arena *arena, struct policy *policy, struct error *error)
{
	struct policy_index *index = &policy->index;
	size_t room = 0, partial = 0;

	for (size_t i = 0; i < policy->rule_count; i++) {
		room += actions_of(&policy->rules[i]).count;
		if (room > ACTIONS_MAX)
			return refuse(&policy->rules[i], error, "too many actions of all rules together",
				      ACTIONS_MAX);
	}
	index->entries = arena_take_array(arena, room, sizeof *index->entries);
	for (size_t i = 0; i < policy->rule_count; i++)
		if (!add_entries(arena, policy, &policy->rules[i], &partial, error))
			return false;
	qsort(index->entries, index->count, sizeof *index->entries, entry_compare);
	return check_candidates(arena, policy, error);
}
