/* SPDX-License-Identifier: Apache-2.0 */
/* policy_read.h - reading a policy document member by member, each refusal with its path and spot. Private to this room. */
#ifndef COUNTERSIGN_POLICY_READ_H
#define COUNTERSIGN_POLICY_READ_H

#include "common/finding/finding.h"
#include "common/policy/policy_private.h"

/* What all places of one document share. */
struct policy_reader {
	struct arena *arena;
	struct findings *findings; /* what is wrong; the document is good when there is nothing in it */
	struct policy *policy;	   /* what has been read of it */
};

/* A spot in the document and what is there; a chain on the stack, spelt out as a path only when something is wrong. */
struct place {
	const struct policy_reader *reader;
	const struct place *above;
	const char *name; /* NULL: item `index` of a list */
	size_t index;
	const struct value *value; /* NULL: absent */
	const struct spot *spot;   /* NULL: absent, or the document came without */
};

struct place policy_place_root(const struct policy_reader *reader, const struct value *document,
			       const struct spot *spot);
struct place policy_place_member(const struct place *map, const char *name);
/* The n-th member of a map, whatever its name. */
struct place policy_place_nth(const struct place *map, size_t n);
struct place policy_place_item(const struct place *list, size_t index);
/* "rules[3].match", "" for the root; in the reader's arena. */
const char *policy_place_path(const struct place *place);

/*
 * Something is wrong at this place: a finding whose word this is. Its code is the word's usual one, or `code`. The _name functions
 * point at the member's name. Always false.
 */
bool policy_refuse(const struct place *place, const char *word, const char *format, ...) CS_PRINTF(3, 4);
bool policy_refuse_as(const struct place *place, const char *code, const char *word, const char *format, ...)
    CS_PRINTF(4, 5);
bool policy_refuse_name(const struct place *place, const char *word, const char *format, ...) CS_PRINTF(3, 4);
/* As policy_refuse, with the nearest of the names for a hint ("unknown approval …: did you mean …?"). */
bool policy_refuse_unknown(const struct place *place, const char *word, const char *unknown,
			   const char *const *names, const char *what);
/* There is no input of this path. */
bool policy_refuse_input(const struct place *place, const char *path);
/* As many findings as fit: whoever loops may stop. */
bool policy_reader_is_full(const struct place *place);

/* What the document says here belongs to the language, but is not honoured yet. */
void policy_note_gap(const struct place *place);
/* One for every member that is there. */
void policy_note_gaps(const struct place *map, const char *const *names);

/*
 * The policy_read_ functions find fault with what is absent ("missing_key"), of another type ("wrong_type") or
 * out of bounds ("bad_value", "too_many"); true when the value can be used. Whether the document is good, the findings tell. Texts are copied into the reader's arena.
 */
/* A map. Unknown members are findings, but no reason not to read the known ones. */
bool policy_read_map(const struct place *place, const char *const *known);
/* A list or a map, as asked, without anything in it. */
bool policy_is_empty(const struct place *place, enum value_kind kind);
/* A map with members of any names, 1 to `max`. */
bool policy_read_open_map(const struct place *place, size_t max);
/* A list of 1 to `max` items. */
bool policy_read_list(const struct place *place, size_t max);
/* 1 to `max` bytes without control characters. */
bool policy_read_text(const struct place *place, size_t max, const char **text);
/* 1 to 64 of a-z A-Z 0-9 _ . - */
bool policy_read_id(const struct place *place, const char **id);
/* The name of a member, which must be such an id; or what expressions can have behind a dot:
 * letters, digits, _; or a variable, which is no reserved word either. */
bool policy_read_id_name(const struct place *place, const char **id);
bool policy_read_selector(const struct place *place, const char **name);
bool policy_read_variable_name(const struct place *place, const char **name);
bool policy_read_bool(const struct place *place, bool *boolean);
bool policy_read_integer(const struct place *place, int64_t min, int64_t max, int64_t *integer);
/* "1h30m", 1s to 30d; microseconds. */
bool policy_read_duration(const struct place *place, int64_t *duration);
/* One of the words, which end with NULL. */
bool policy_read_word(const struct place *place, const char *const *words, size_t *word);
bool policy_read_verdict(const struct place *place, enum policy_verdict *verdict);
/* Source of 1 to 8,192 bytes (2,048 characters), kept with its place; several lines are fine. */
bool policy_read_expression(const struct place *place, struct policy_expression *expression);
/* The same where it may be absent: *expression stays NULL. */
bool policy_read_expression_if(const struct place *place, const struct policy_expression **expression);
/* A list of distinct texts, each read by `read`. */
typedef bool policy_read_string(const struct place *place, const char **string);
bool policy_read_strings(const struct place *place, policy_read_string *read, struct policy_strings *strings);

/* Items of such lists. Patterns over agents and targets; over actions and tenants, whose letters are fewer. */
policy_read_string policy_read_pattern, policy_read_action_pattern, policy_read_tenant_pattern;
policy_read_string policy_read_tenant; /* a tenant's name or "*" */
policy_read_string policy_read_path; /* "plan.delete": of a declared input, where the document declares any */

/* A value of this type, as it may stand in the document. What does not fit is "wrong_type" with E02. */
bool policy_read_datum(const struct place *place, const struct policy_type *type, struct policy_datum *datum);
/* "int", "list<string>" …; only the maps of a list are open yet. */
bool policy_read_type(const struct place *place, struct policy_type *type);
/* The members min, max and enum of an input or a param, checked against each other. */
bool policy_read_bounds(const struct place *map, struct policy_field *field);

/* Does it keep to min, max and enum of its field? Errors: as policy_read_context, with this path. */
bool policy_datum_fits(const struct policy_field *field, const struct policy_datum *datum, const char *path,
		       struct error *error) CS_MUST_CHECK;
/* Is something other than null under this path? */
bool policy_value_has(const struct value *map, const char *path);

/* The path of the first placeholder in a rule's text, borrowed from it: "amount_minor" of "{context.amount_minor}". */
bool policy_placeholder_find(const char *text, struct text *path);

/* Whom to ask: {group, quorum}. */
bool policy_load_ask(const struct place *place, struct policy_ask *ask);
/* Once profiles and classes are there. */
void policy_collect_groups(struct arena *arena, struct policy *policy);
/* The member `approval` of `owner`: it stands where people may be asked and nowhere else. */
bool policy_load_approval(const struct place *owner, bool needed, const struct policy_profile **profile);
/* `match` or `except` of a rule, a limit, an invariant. */
bool policy_load_scope(const struct place *place, struct policy_scope *scope);
/* Both of them, where they are there. */
void policy_load_scopes(const struct place *owner, struct policy_scope *match, struct policy_scope *except,
			bool *has_except);
/* `let` of the document or of a rule; names that `above` has are taken. */
void policy_load_lets(const struct place *place, const struct policy_lets *above, struct policy_lets *lets);

/* A deep copy; texts too. */
struct value *policy_copy_value(struct arena *arena, const struct value *value);

/* The members of the document, each into its part of the policy; in this order, as later ones name what earlier ones declare. */
void policy_load_inputs(const struct place *root);
void policy_load_params(const struct place *root);
void policy_load_profiles(const struct place *root);
void policy_load_classes(const struct place *root);
void policy_load_rules(const struct place *root);
void policy_load_limits(const struct place *root);
void policy_load_invariants(const struct place *root);
/* Compiles what the others have read. */
void policy_load_conditions(const struct place *root);

/* NULL when there is none of this name. */
const struct policy_profile *policy_find_profile(const struct policy *policy, const char *name);
/* The field of a map with declared fields, or NULL. */
const struct policy_field *policy_field_of(const struct policy_type *map, struct text name);
/* The declared input under a path ("plan.delete", or "plan.x" in an open map), or NULL. `length` bytes of it are looked at. */
const struct policy_field *policy_find_field(const struct policy_type *map, const char *path, size_t length);

#endif
