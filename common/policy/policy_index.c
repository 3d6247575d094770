/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy_index.c - from an action to the rules whose actions cover it, without looking at the others. A pattern is
 * found by its plain text, else by its first segment, else by its last; only patterns that are open at both ends are
 * tried every time. Agents, targets and tenants are not indexed.
 */
#include "common/policy/policy.h"
#include "common/policy/policy_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_BITS = 64 };

struct key {
	const char *bytes;
	size_t length;
};

struct policy_set
policy_set_make(struct arena *arena, const struct policy *policy)
{
	size_t count = policy->rule_count / WORD_BITS + 1;

	return (struct policy_set){arena_take_array(arena, count, sizeof(uint64_t)), count};
}

static void
set_add(struct policy_set *set, size_t member)
{
	set->words[member / WORD_BITS] |= UINT64_C(1) << (member % WORD_BITS);
}

size_t
policy_set_next(const struct policy_set *set, size_t from)
{
	size_t i = from / WORD_BITS;

	if (i >= set->word_count)
		return SIZE_MAX;

	uint64_t word = set->words[i] & (UINT64_MAX << (from % WORD_BITS));

	while (word == 0) {
		if (++i == set->word_count)
			return SIZE_MAX;
		word = set->words[i];
	}
	return i * WORD_BITS + (size_t)__builtin_ctzll(word);
}

size_t
policy_set_count(const struct policy_set *set)
{
	size_t count = 0;

	for (size_t i = policy_set_next(set, 0); i != SIZE_MAX; i = policy_set_next(set, i + 1))
		count++;
	return count;
}

static struct key
first_segment(const char *text)
{
	return (struct key){text, strcspn(text, POLICY_SEPARATORS)};
}

static struct key
last_segment(const char *text)
{
	size_t end = strlen(text), start = end;

	while (start > 0 && !strchr(POLICY_SEPARATORS, text[start - 1]))
		start--;
	return (struct key){text + start, end - start};
}

static bool
is_plain(struct key key)
{
	return !memchr(key.bytes, '*', key.length);
}

static struct key
whole(const char *text)
{
	return (struct key){text, strlen(text)};
}

static enum policy_index_kind
index_kind(const char *pattern, struct key *key)
{
	*key = whole(pattern);
	if (is_plain(*key))
		return POLICY_INDEX_EXACT;
	*key = first_segment(pattern);
	if (is_plain(*key))
		return POLICY_INDEX_FIRST;
	*key = last_segment(pattern);
	if (is_plain(*key))
		return POLICY_INDEX_LAST;
	*key = (struct key){"", 0};
	return POLICY_INDEX_OPEN;
}

static int
key_compare(struct key left, struct key right)
{
	size_t shorter = left.length < right.length ? left.length : right.length;
	int order = memcmp(left.bytes, right.bytes, shorter);

	return order ? order : (left.length > right.length) - (left.length < right.length);
}

static struct key
entry_key(const struct policy_index_entry *entry)
{
	return (struct key){entry->key, entry->key_length};
}

static int
entry_compare(const void *left, const void *right)
{
	const struct policy_index_entry *a = left, *b = right;
	int order = key_compare(entry_key(a), entry_key(b));

	return order ? order : (a->rule > b->rule) - (a->rule < b->rule);
}

/* The first entry whose key is not less. */
static size_t
lower_bound(const struct policy_index_entry *entries, size_t count, struct key key)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (key_compare(entry_key(&entries[middle]), key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void
find_kind(const struct policy_index *index, enum policy_index_kind kind, struct key key, const char *action,
	  struct policy_set *set)
{
	const struct policy_index_entry *entries = index->entries[kind];
	size_t count = index->counts[kind];

	for (size_t i = lower_bound(entries, count, key);
	     i < count && key_compare(entry_key(&entries[i]), key) == 0; i++)
		if (policy_pattern_match(entries[i].pattern, action))
			set_add(set, entries[i].rule);
}

void
policy_index_find(const struct policy *policy, const char *action, struct policy_set *set)
{
	const struct policy_index *index = &policy->index;

	find_kind(index, POLICY_INDEX_EXACT, whole(action), action, set);
	find_kind(index, POLICY_INDEX_FIRST, first_segment(action), action, set);
	find_kind(index, POLICY_INDEX_LAST, last_segment(action), action, set);
	find_kind(index, POLICY_INDEX_OPEN, (struct key){"", 0}, action, set);
	for (size_t i = 0; i < index->everywhere_count; i++)
		set_add(set, index->everywhere[i]);
}

static void
count_entries(const struct policy *policy, struct policy_index *index)
{
	struct key key;

	for (size_t i = 0; i < policy->rule_count; i++) {
		const struct policy_strings *actions = &policy->rules[i].match.actions;

		for (size_t j = 0; j < actions->count; j++)
			index->counts[index_kind(actions->items[j], &key)]++;
		index->everywhere_count += actions->count == 0;
	}
}

static void
fill_entries(const struct policy *policy, struct policy_index *index)
{
	size_t filled[POLICY_INDEX_KINDS] = {0}, everywhere = 0;

	for (size_t i = 0; i < policy->rule_count; i++) {
		const struct policy_strings *actions = &policy->rules[i].match.actions;

		for (size_t j = 0; j < actions->count; j++) {
			struct key key;
			enum policy_index_kind kind = index_kind(actions->items[j], &key);

			index->entries[kind][filled[kind]++] =
			    (struct policy_index_entry){key.bytes, key.length, actions->items[j], i};
		}
		if (actions->count == 0)
			index->everywhere[everywhere++] = i;
	}
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

static bool
check_rule_candidates(const struct policy *policy, const struct policy_rule *rule, struct policy_set *set,
		      struct error *error)
{
	static const char *const anything[] = {"**"};
	const struct policy_strings *actions = &rule->match.actions;
	const char *const *patterns = actions->count ? actions->items : anything;
	size_t count = actions->count ? actions->count : 1;
	char example[POLICY_PATTERN_MAX + 1], field[ERROR_FIELD_SIZE];

	for (size_t i = 0; i < count; i++) {
		memset(set->words, 0, set->word_count * sizeof *set->words);
		policy_index_find(policy, example_of(patterns[i], example), set);
		if (policy_set_count(set) <= POLICY_CANDIDATES_MAX)
			continue;
		snprintf(field, sizeof field, "rules[%zu].match.actions", rule->position);
		return error_set_field(error, ERROR_INVALID, "too_many", field,
				       "more than %d rules cover one action of this rule",
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

bool
policy_index_build(struct arena *arena, struct policy *policy, struct error *error)
{
	struct policy_index *index = &policy->index;

	count_entries(policy, index);
	for (int kind = 0; kind < POLICY_INDEX_KINDS; kind++)
		index->entries[kind] = arena_take_array(arena, index->counts[kind], sizeof **index->entries);
	index->everywhere = arena_take_array(arena, index->everywhere_count, sizeof *index->everywhere);
	fill_entries(policy, index);
	for (int kind = 0; kind < POLICY_INDEX_KINDS; kind++)
		qsort(index->entries[kind], index->counts[kind], sizeof **index->entries, entry_compare);
	return check_candidates(arena, policy, error);
}
