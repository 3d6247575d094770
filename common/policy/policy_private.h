/* SPDX-License-Identifier: Apache-2.0 */
/* policy_private.h - a loaded policy from inside, shared by the files of this room alone. */
#ifndef COUNTERSIGN_POLICY_PRIVATE_H
#define COUNTERSIGN_POLICY_PRIVATE_H

#include "common/policy/policy.h"

#define POLICY_PATTERN_MAX 256
#define POLICY_VALID_FOR_DEFAULT (INT64_C(15) * 60 * 1000000)
#define POLICY_REASON_MAX 1024 /* of one rule, and of a decision */

static inline bool
policy_is_separator(char letter)
{
	return letter == '.' || letter == '/' || letter == ':';
}

struct policy_strings {
	const char **items;
	size_t count;
};

/* What a rule is about: every list that is not empty must hold a pattern that matches. */
struct policy_scope {
	struct policy_strings actions, agents, targets, tenants;
};

struct policy_profile {
	const char *name, *group;
	int64_t quorum, ttl, valid_for;
};

struct policy_class {
	const char *id;
	struct policy_strings actions, except, requires;
	enum policy_verdict verdict; /* when no rule speaks */
	const struct policy_profile *profile;
	int64_t valid_for;
	bool hold_on_timeout, hold_if_nobody;
};

struct policy_rule {
	const char *id;
	size_t position; /* in the document, for messages */
	struct policy_scope match, except;
	bool has_except;
	enum policy_verdict verdict;
	const struct policy_profile *profile;
	const char *reason; /* or NULL */
};

/* One action pattern of one rule. */
struct policy_index_entry {
	const char *skeleton; /* the pattern, but "*" for a segment with a star inside */
	const char *pattern;
	size_t rule;
};

struct policy_index {
	struct policy_index_entry *entries; /* sorted by the segments of their skeletons */
	size_t count;
};

struct policy {
	const char *name;
	int64_t version;
	struct policy_strings tenants, groups;
	struct policy_profile *profiles;
	size_t profile_count;
	struct policy_class *classes; /* in the document's order */
	size_t class_count;
	const struct policy_class *fallback;
	struct policy_rule *rules; /* sorted by id */
	size_t rule_count;
	struct policy_index index;
};

/* A set of rules, one bit each. */
struct policy_set {
	uint64_t *words;
	size_t word_count;
};
struct policy_set policy_set_make(struct arena *arena, const struct policy *policy);
void policy_set_add(struct policy_set *set, size_t member);
/* The next member at or after `from`, or SIZE_MAX. */
size_t policy_set_next(const struct policy_set *set, size_t from);
size_t policy_set_count(const struct policy_set *set);

/* Sorts and leaves each string once; returns how many are left. */
size_t policy_strings_distinct(const char **strings, size_t count);
bool policy_strings_match(const struct policy_strings *patterns, const char *text);

/* Fills policy->index from policy->rules. Errors: ERROR_INVALID "too_many" when one action has too many candidates. */
bool policy_index_build(struct arena *arena, struct policy *policy, struct error *error) CS_MUST_CHECK;
/* Adds the rules whose actions cover this one. */
void policy_index_find(const struct policy *policy, const char *action, struct policy_set *set);

/* reason_text for a decision whose other members are set: one line. */
const char *policy_reason(struct arena *arena, const struct policy_decision *decision,
			  const struct policy_rule *const *candidates, size_t count);

#endif
