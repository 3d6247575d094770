/* SPDX-License-Identifier: Apache-2.0 */
/* policy_deciding.h - one decision on its way, and afterwards what explains it. Private to this room. */
#ifndef COUNTERSIGN_POLICY_DECIDING_H
#define COUNTERSIGN_POLICY_DECIDING_H

#include "common/policy/policy_input.h"
#include "common/policy/policy_private.h"

struct policy_candidate {
	const struct policy_rule *rule;
	struct policy_outcome outcome;
	bool decides; /* it is one of those that made the decision what it is */
};

/* A limit that is about a request. */
struct policy_check {
	const struct policy_limit *limit;
	struct policy_outcome outcome; /* of its `when` */
	const char *key; /* JSON list of the values; NULL: a field of it is missing, or the amount is */
	int64_t used, amount;
	bool unknown;  /* nobody could say what is used */
	bool exceeded; /* or in error: it raises */
	bool decides;
};

struct policy_deciding {
	const struct policy *policy;
	const struct policy_request *request;
	struct arena *arena;
	struct policy_decision *decision;
	const struct policy_class **classes; /* those that cover the action, in the document's order */
	size_t class_count;
	const struct policy_class *speaker;  /* the one that lends its name */
	bool errors_block;		     /* a class says so */
	size_t indexed;			     /* rules that the index left */
	struct policy_candidate *candidates; /* by id */
	size_t candidate_count;
	bool default_used;
	struct policy_check *checks; /* by id */
	size_t check_count;
	const struct policy_profile *profiles[POLICY_REQUIREMENTS_MAX]; /* who is asked, by name */
	size_t profile_count;
	bool too_many_profiles;
	struct policy_datum context; /* as the declared inputs read it */
	struct policy_meter meter;   /* slots NULL: no condition was asked */
};

/* Makes it BLOCK with this code. Always false: nothing that follows can change it. */
bool policy_deciding_block(struct policy_deciding *deciding, const char *code);
/* Adds a profile to those who are asked, each once, by name. */
void policy_deciding_ask(struct policy_deciding *deciding, const struct policy_profile *profile);

/* policy_rules.c: rules 6, 7, 8, 10 and 11 of policy_decide.c. */
bool policy_find_candidates(struct policy_deciding *deciding, int64_t now) CS_MUST_CHECK;
void policy_ask_conditions(struct policy_deciding *deciding, int64_t now);
void policy_apply_rules(struct policy_deciding *deciding);
/* policy_limits.c: rule 8a. */
void policy_apply_limits(struct policy_deciding *deciding, int64_t now);
/* Is a rule or a limit with these scopes about the request? `match.actions` included. */
bool policy_is_about(const struct policy_scope *match, const struct policy_scope *except, bool has_except,
		     const struct policy_request *request);
/* The values that its conditions see; made when they are first needed. */
struct policy_meter *policy_deciding_meter(struct policy_deciding *deciding, int64_t now);

/* reason_text for a decision whose other members are set: one line. */
const char *policy_reason(const struct policy_deciding *deciding);
/* What the rules that decide advise instead, each text once, in one line; NULL: nothing. */
const char *policy_remediation(const struct policy_deciding *deciding);
/* The text itself, or what of it fits into POLICY_REASON_MAX bytes, with a sign at its end that it was cut. */
const char *policy_line_cut(struct arena *arena, const char *text);

/*
 * What people may see of an input, by its path without "context.": the value as the request has it, or the default, a text cut at 64
 * characters; or, with *is_mark, what stands for it: "(absent)", "(hidden)" for what is sensitive, "(3 items)", "(2 members)", "(default)".
 */
struct value *policy_input_shown(const struct policy_deciding *deciding, const char *path,
				 struct arena *arena, bool *is_mark);
/*
 * A rule's text with its placeholders filled (NULL stays NULL), of at most POLICY_REASON_MAX bytes: a text in quotation marks and made visible
 * (visible.h), other values as JSON, else the mark. What is filled in is not looked at again.
 */
const char *policy_filled(const struct policy_deciding *deciding, const char *template, struct arena *arena);

#endif
