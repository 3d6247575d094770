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
	struct policy_counter counter; /* counter.key NULL: a field of it is missing, or the amount is */
	struct policy_usage used;
	int64_t amount;
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
	bool elsewhere; /* a rule of another layer counts: a default without floor has nothing to say */
	bool is_silent; /* it has no rule that counts, and no default that does */
	/* Of a decision by several documents, which has nothing else of its own but request, arena and decision: theirs, in order. */
	struct policy_deciding *layers;
	size_t layer_count;
	bool has_params; /* another document has given values for its params */
	struct cel_value params;
	const struct policy_deciding *head; /* of one of them: where they all are; else NULL */
};

/* Makes it BLOCK with this code. Always false: nothing that follows can change it. */
bool policy_deciding_block(struct policy_deciding *deciding, const char *code);
/* extend_to, remind_before, remind_every and hold_for of the other are demanded as well. */
void policy_unite_times(struct policy_decision *decision, struct policy_decision other);
/* The least ttl of the requirements, where those without one have none only if that is said of all the action's classes; 0: none. */
void policy_set_ttl(struct policy_decision *decision, bool no_deadline);
/* Do all classes of the action say so? */
bool policy_has_no_deadline(const struct policy_deciding *deciding);
/* policy_nobody.c: the cell no_eligible_approver of all classes of all layers. */
void policy_set_nobody(struct policy_decision *decision, const struct policy_deciding *layers, size_t count);
/* Whom the classes ask instead of a profile of their document, where they all escalate; in the arena. */
const struct policy_profile *policy_fallback_of(const struct policy_deciding *deciding,
						const struct policy_profile *profile);
/* Do the stages, asks and steps of all requirements fit into one approval? */
bool policy_asks_fit(const struct policy_decision *decision);
/* BLOCK too_many_requirements, and nobody is asked. */
void policy_deciding_outgrown(struct policy_deciding *deciding);
/* Adds a profile to those who are asked, each once, by name. */
void policy_deciding_ask(struct policy_deciding *deciding, const struct policy_profile *profile);

/* policy_decide.c, step by step. False: it is BLOCK by now. */
struct policy_deciding policy_deciding_open(const struct policy *policy, const struct policy_request *request,
					    struct arena *arena, struct policy_decision *decision);
bool policy_can_decide(struct policy_deciding *deciding) CS_MUST_CHECK;		   /* rule 1 */
bool policy_has_required(struct policy_deciding *deciding) CS_MUST_CHECK;	   /* rules 2 to 4 */
bool policy_is_in_time(struct policy_deciding *deciding, bool late) CS_MUST_CHECK; /* rule 5 */
void policy_apply_hold(struct policy_deciding *deciding);			   /* rule 9 */
void policy_apply_terms(struct policy_deciding *deciding);			   /* rules 10 and 11 */

/* policy_params.c: what the others give for its params. False: it does not fit, and it is BLOCK. */
bool policy_take_params(struct policy_deciding *deciding) CS_MUST_CHECK;
/* Does this class's default count, of a document of which no rule does? */
bool policy_default_counts(const struct policy_deciding *deciding, const struct policy_class *class);
/* Is there a rule that counts? */
bool policy_any_counts(const struct policy_deciding *deciding);
/* policy_rules.c: rules 6, 7, 8, 10 and 11 of policy_decide.c. */
bool policy_find_candidates(struct policy_deciding *deciding, int64_t now) CS_MUST_CHECK;
void policy_ask_conditions(struct policy_deciding *deciding, int64_t now);
void policy_apply_rules(struct policy_deciding *deciding);
/* policy_limits.c: rule 8a. */
void policy_apply_limits(struct policy_deciding *deciding, int64_t now);
/* With this request as much is used as the limit's warn_at says, or more. */
bool policy_check_warns(const struct policy_check *check);
/* Is a rule or a limit with these scopes about the request? `match.actions` included. */
bool policy_is_about(const struct policy_scope *match, const struct policy_scope *except, bool has_except,
		     const struct policy_request *request);
/* The values that its conditions see; made when they are first needed. */
struct policy_meter *policy_deciding_meter(struct policy_deciding *deciding, int64_t now);

/* policy_obligations.c: rule 13, when everything else is settled: the obligations of all layers, or BLOCK with its reason. */
void policy_oblige(struct policy_deciding *head);

/* reason_text for a decision whose other members are set: one line. */
const char *policy_reason(const struct policy_deciding *deciding);
/* What the rules that decide advise instead, each text once, in one line; NULL: nothing. */
const char *policy_remediation(const struct policy_deciding *deciding);
/* Several of them behind each other, as long as one may be. */
const char *policy_reason_join(struct arena *arena, const char *const *reasons, size_t count);
/* The text itself, or what of it fits into POLICY_REASON_MAX bytes, with a sign at its end that it was cut. */
const char *policy_line_cut(struct arena *arena, const char *text);

/*
 * The members of a context, a map, that no condition of any candidate reads, by name; in the arena, borrowed from the context. The trails
 * are those of one decision's documents.
 */
const char *const *policy_ignored(const struct policy_deciding *const *trails, size_t trail_count,
				  const struct value *context, struct arena *arena, size_t *count);
/* Is an input, by its path without "context.", or a map that it is in, sensitive? What one document calls so no other shows. */
bool policy_is_hidden(const struct policy_deciding *deciding, const char *path);
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
