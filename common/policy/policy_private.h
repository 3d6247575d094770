/* SPDX-License-Identifier: Apache-2.0 */
/* policy_private.h - a loaded policy from inside, shared by the files of this room alone. */
#ifndef COUNTERSIGN_POLICY_PRIVATE_H
#define COUNTERSIGN_POLICY_PRIVATE_H

#include "common/finding/finding.h"
#include "common/policy/policy.h"
#include "common/policy/policy_profile.h"
#include "common/policy/policy_condition.h"
#include "common/policy/policy_input.h"

#define POLICY_PATTERN_MAX 256
#define POLICY_VALID_FOR_DEFAULT (INT64_C(15) * 60 * 1000000)
#define POLICY_TTL_DEFAULT                                                                                   \
	(INT64_C(24) * 3600 * 1000000) /* of `ttl: none` where a class does not let it stand */
#define POLICY_REASON_MAX 1024	       /* of one rule, and of a decision */

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

/* CEL as it stands in the document; not looked into here. */
struct policy_expression {
	const char *source; /* NUL-terminated, UTF-8 */
	size_t length;
	const char *path;  /* "rules[3].when" */
	struct stretch at; /* where it stands in the text of the document; line 0: not known */
};

struct policy_let {
	const char *name;
	struct policy_expression value;
};

struct policy_lets {
	struct policy_let *items; /* sorted by name */
	size_t count;
};

/* The six cells of the failure matrix; the first of each is what holds where none is written. */
enum policy_cell_timeout { POLICY_TIMEOUT_CLOSED, POLICY_TIMEOUT_HOLD };
enum policy_cell_unavailable { POLICY_UNAVAILABLE_CLOSED, POLICY_UNAVAILABLE_OPEN };
enum policy_cell_queued { POLICY_QUEUED_CLOSED, POLICY_QUEUED_HOLD };
enum policy_cell_nobody { POLICY_NOBODY_CLOSED, POLICY_NOBODY_HOLD, POLICY_NOBODY_ESCALATE };
/* ignored and downstream_failure; recording is what happens anyway */
enum policy_cell_after { POLICY_AFTER_RECORD, POLICY_AFTER_ESCALATE, POLICY_AFTER_TIGHTEN };

struct policy_cells {
	enum policy_cell_timeout evaluation_timeout;
	enum policy_cell_unavailable unavailable;
	enum policy_cell_queued approval_queued;
	enum policy_cell_nobody no_eligible_approver;
	enum policy_cell_after ignored, downstream_failure;
};

struct policy_class {
	const char *id;
	struct policy_strings actions, except, requires;
	enum policy_verdict verdict; /* when no rule speaks */
	const struct policy_profile *profile;
	int64_t valid_for;
	struct policy_cells cells;
	struct policy_ask fallback; /* with no_eligible_approver: escalate, else group NULL */
	bool errors_block;	    /* on_error: BLOCK */
	bool is_floor;		    /* of an organisation's policy; the default */
	bool verified_identity;	    /* identity: verified */
	bool irreversible;
	bool no_deadline; /* approvals with `ttl: none` have none */
};

struct policy_rule {
	const char *id;
	size_t position; /* in the document, for messages */
	struct policy_scope match, except;
	bool has_except;
	enum policy_verdict verdict;
	const struct policy_profile *profile;
	const char *reason; /* or NULL, as all that follows */
	const struct policy_expression *when, *unless;
	struct policy_lets lets;
	struct policy_condition condition; /* of the three */
	const struct value *obligations;   /* a map */
	const char *remediation, *severity, *owner;
	bool is_shadow;	 /* mode: shadow */
	int64_t expires; /* microseconds since 1970 UTC; 0: never. On ALLOW alone */
};

struct policy_limit {
	const char *id;
	size_t position;
	struct policy_scope match, except;
	bool has_except;
	const struct policy_expression *when; /* or NULL */
	struct policy_condition condition;    /* of it */
	const char *fields;		      /* of the key, joined with commas */
	struct policy_strings key; /* paths: agent_id, action, target, tenant, request_digest, context.…; sorted */
	const char *sum_of; /* "context.amount_minor": a declared number of at least 0; NULL: it counts */
	int64_t max;
	int64_t per;	/* microseconds */
	double warn_at; /* share of max, 0 to 1; 0: no warning */
	enum policy_window window;
	enum policy_count_on count_on;
	int64_t report_within; /* microseconds; with POLICY_COUNT_EXECUTION */
	bool release_on_failure;
	enum policy_verdict exceeded; /* never ALLOW */
	const struct policy_profile *profile;
	const char *reason; /* or NULL */
};

struct policy_invariant {
	const char *id;
	size_t position;
	struct policy_scope match, except;
	bool has_except;
	const struct policy_expression *assume; /* or NULL: always */
	struct policy_expression assertion;
	struct policy_program assumes, asserts; /* of the two; assumes.program NULL: always */
	const char *reason;			/* or NULL */
};

/* A named constant. */
struct policy_param {
	struct policy_field field; /* name, type and bounds */
	struct policy_datum value;
};

/* A value for a param of an organisation's document. */
struct policy_override {
	const char *name, *of; /* the param, the name of that document */
	const struct value *value;
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

/* What its expressions may name. */
struct policy_names {
	struct cel_env *env;
	struct policy_bindings bindings;
	struct cel_value params;
	size_t decision_slot, approvals_slot; /* what invariants may name beside all that */
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
	bool bad_inputs;	     /* while it is read: nobody can tell what is declared */
	bool has_inputs;	     /* declared, though it may be none */
	struct policy_type inputs;   /* a map */
	struct policy_param *params; /* sorted by name */
	size_t param_count;
	struct policy_override *overrides; /* for other documents; in the document's order */
	size_t override_count;
	struct policy_lets lets;
	struct policy_limit *limits; /* sorted by id, as the invariants */
	size_t limit_count;
	struct policy_invariant *invariants;
	size_t invariant_count;
	const struct policy_names *names;
	struct findings gaps; /* what this version does not honour */
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

#endif
