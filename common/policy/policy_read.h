/* SPDX-License-Identifier: Apache-2.0 */
/* policy_read.h - reading a policy document member by member, each refusal with its path. Private to this room. */
#ifndef COUNTERSIGN_POLICY_READ_H
#define COUNTERSIGN_POLICY_READ_H

#include "common/policy/policy_private.h"

/* What all places of one document share. */
struct policy_reader {
	struct arena *arena;
	struct error *error;
};

/* A spot in the document and what is there; a chain on the stack, spelt out as a path only when something is wrong. */
struct place {
	const struct policy_reader *reader;
	const struct place *above;
	const char *name; /* NULL: item `index` of a list */
	size_t index;
	const struct value *value; /* NULL: absent */
};

struct place policy_place_root(const struct policy_reader *reader, const struct value *document);
struct place policy_place_member(const struct place *map, const char *name);
struct place policy_place_item(const struct place *list, size_t index);

/* ERROR_INVALID at this place. Always false. */
bool policy_refuse(const struct place *place, const char *code, const char *format, ...) CS_PRINTF(3, 4);

/*
 * The policy_read_ functions refuse what is absent ("missing_key"), of another type ("wrong_type") or
 * out of bounds ("bad_value", "too_many"). Texts are copied into the reader's arena.
 */
/* A map that holds nothing but `known`; what is in `later` belongs to the language, but not to this version. */
bool policy_read_map(const struct place *place, const char *const *known,
		     const char *const *later) CS_MUST_CHECK;
/* A list of 1 to `max` items. */
bool policy_read_list(const struct place *place, size_t max) CS_MUST_CHECK;
/* 1 to `max` bytes without control characters. */
bool policy_read_text(const struct place *place, size_t max, const char **text) CS_MUST_CHECK;
/* 1 to 64 of a-z A-Z 0-9 _ . - */
bool policy_read_id(const struct place *place, const char **id) CS_MUST_CHECK;
bool policy_read_integer(const struct place *place, int64_t min, int64_t max, int64_t *integer) CS_MUST_CHECK;
/* "1h30m", 1s to 30d; microseconds. */
bool policy_read_duration(const struct place *place, int64_t *duration) CS_MUST_CHECK;
/* One of the words, which end with NULL. */
bool policy_read_word(const struct place *place, const char *const *words, size_t *word) CS_MUST_CHECK;
bool policy_read_verdict(const struct place *place, enum policy_verdict *verdict) CS_MUST_CHECK;
/* A list of distinct texts, each read by `read`. */
typedef bool policy_read_string(const struct place *place, const char **string);
bool policy_read_strings(const struct place *place, policy_read_string *read,
			 struct policy_strings *strings) CS_MUST_CHECK;

/* Items of such lists. Patterns over agents and targets; over actions and tenants, whose letters are fewer. */
policy_read_string policy_read_pattern, policy_read_action_pattern, policy_read_tenant_pattern;
policy_read_string policy_read_tenant; /* a tenant's name or "*" */
policy_read_string policy_read_path;   /* "plan.delete" */

/* The member `approvals`, into policy->profiles and policy->groups. */
bool policy_load_profiles(const struct place *root, struct policy *policy) CS_MUST_CHECK;
/* NULL when there is none of this name. */
const struct policy_profile *policy_find_profile(const struct policy *policy, const char *name);

#endif
