/* SPDX-License-Identifier: Apache-2.0 */
/* policy_linting.h - what the checks of policy_lint.h share. Private to this room. */
#ifndef COUNTERSIGN_POLICY_LINTING_H
#define COUNTERSIGN_POLICY_LINTING_H

#include "common/cel/ast.h"
#include "common/policy/policy_lint.h"
#include "common/policy/policy_read.h"

struct policy_linting {
	const struct policy_lint_ask *ask;
	const struct policy *policy;
	struct policy_lint *lint;
	struct arena *arena;   /* of the result, and of what all checks share */
	struct arena *scratch; /* of one check */
	struct policy_reader reader;
	struct place root, rules, classes;
	const struct policy_rule **in_order; /* the rules as the document has them */
	struct policy_set covered;	     /* rules that W01 was told about */
};

/* The places in a document. */
struct place policy_linting_rule(const struct policy_linting *linting, const struct policy_rule *rule);

/* A finding at a place, or at the name of the member there; its text is one line. */
void policy_linting_add(struct policy_linting *linting, const char *code, const char *word,
			const struct place *place, const char *format, ...) CS_PRINTF(5, 6);
/* A finding within an expression: `position` in its code points. */
void policy_linting_add_within(struct policy_linting *linting, const char *code, const char *word,
			       const struct policy_expression *expression, uint32_t position,
			       const char *format, ...) CS_PRINTF(6, 7);
/* Something was not checked to the end. */
void policy_linting_note(struct policy_linting *linting, const char *format, ...) CS_PRINTF(2, 3);

/* Work that a check may do yet, in steps of some ten nanoseconds. */
struct policy_allowance {
	uint64_t left;
};
/* False when it is used up: then whoever asks stops, and makes a note. */
bool policy_allowance_take(struct policy_allowance *allowance, uint64_t steps);

/* ------------------------------------------------------------------ patterns (policy_cover.c) */

/* Does every text that `inner` matches also match `outer`? False also when it can't be told. */
bool policy_pattern_covers(const char *outer, const char *inner);
/* Is there a text that both match? Exact for actions; false also when it can't be told. */
bool policy_pattern_meets(const char *left, const char *right);
/* Whoever is given an allowance says false when it is used up. */
/* Some pattern of `outer` covers each of `inner`. An empty `inner` is anything, and so is an empty `outer`. */
bool policy_strings_cover(const struct policy_strings *outer, const struct policy_strings *inner,
			  struct policy_allowance *allowance);
/* Every request that the inner scope matches matches the outer one. */
bool policy_scope_covers(const struct policy_scope *outer, const struct policy_scope *inner,
			 struct policy_allowance *allowance);
/* Is some action of the pattern of the class / are all? The fallback is not looked at as such. False when the allowance is used up. */
bool policy_class_meets(const struct policy_class *class, const char *pattern,
			struct policy_allowance *allowance);
bool policy_class_covers(const struct policy_class *class, const char *pattern,
			 struct policy_allowance *allowance);
/* The patterns of a rule's actions: "**" where it names none. */
struct policy_strings policy_actions_of(const struct policy_scope *match);

/* ------------------------------------------------------------------ expressions (policy_lint_tree.c) */

/* The name of an operator or function, and how many operands it has. */
bool policy_node_is(const struct cel_node *node, const char *name, size_t arguments);
/* The children of a node; returns how many, at most POLICY_CHILDREN_MAX + its arguments. `n` from 0; NULL behind the last. */
const struct cel_node *policy_node_child(const struct cel_node *node, size_t n);
/* A literal, a negated number, or duration('…') as a value; false when the node is none. */
bool policy_node_constant(const struct cel_node *node, struct cel_value *value);
/* One text for what means the same: operands of == && || sorted, a constant to the right, double negation gone. */
const char *policy_node_normal(const struct cel_node *node, bool negated, struct arena *arena);
/* Where a node begins, in code points of its expression. */
uint32_t policy_node_begins(const struct policy_expression *expression, const struct cel_node *node);
/* The tree of an expression, in the arena; NULL only when it does not parse, which the loader has refused. */
const struct cel_node *policy_node_of(const struct policy_expression *expression, struct arena *arena);

/* An expression on its way. */
struct policy_looking {
	struct policy_linting *linting;
	const struct policy_expression *expression;
	bool allows; /* of a rule that allows */
};
/* A finding at a node of it. */
void policy_looking_add(const struct policy_looking *looking, const char *code, const char *word,
			const struct cel_node *node, const char *text);
/* The input that a node reads, or NULL. */
const struct policy_field *policy_looking_input(const struct policy_looking *looking,
						const struct cel_node *node);
/* W04 and W07 of a node and all below it; W07 of the inputs of a map. */
void policy_lint_operators(const struct policy_looking *looking, const struct cel_node *node);
void policy_lint_inputs(struct policy_linting *linting, const struct place *map,
			const struct policy_type *type);

/* ------------------------------------------------------------------ what one comparison says of one input (policy_claim.c) */

#define POLICY_CLAIM_WORDS_MAX 256 /* of an enum, as the loader has it */

struct policy_edge {
	bool is_set; /* else there is none on this side */
	bool is_open;
	double real;	 /* of a double */
	int64_t integer; /* of an int; a duration in nanoseconds */
};

/* An input is one of these words, none of these, or between two edges. Edges of ints and durations are closed. */
struct policy_claim {
	const char *path;
	const struct policy_field *field;
	enum { POLICY_CLAIM_AMONG, POLICY_CLAIM_NOT_AMONG, POLICY_CLAIM_BETWEEN } kind;
	const struct cel_value *words;
	size_t word_count;
	struct policy_edge low, high;
	const struct cel_node *input; /* where it is read */
};

/* Reads a comparison of one input with constants, or a bool input by itself. False for anything else. */
bool policy_claim_read(const struct policy *policy, const struct cel_node *node, bool negated,
		       struct arena *arena, struct policy_claim *claim);
/* Of an input that has a default: does the claim hold for that? */
bool policy_claim_admits_default(const struct policy_claim *claim);
/* Can the claims, all of one input, not hold together, whatever value the input may have? False also when it can't be told. */
bool policy_claims_clash(const struct policy_claim *const *claims, size_t count);
/* Where all of `given` hold, all of one input, `then` of the same input holds. False also when it can't be told. */
bool policy_claims_imply(const struct policy_claim *const *given, size_t count,
			 const struct policy_claim *then);
/* The edges that the claims of one input leave, its declared ones included. False when words are among them. */
bool policy_claims_range(const struct policy_claim *const *claims, size_t count, struct policy_edge *low,
			 struct policy_edge *high);

/* ------------------------------------------------------------------ conditions as sets (policy_lint_terms.c) */

/* when && !unless of a rule, cut at its top-level &&. */
struct policy_terms {
	const char **texts; /* normal forms, sorted; those of claims too */
	size_t text_count;
	struct policy_claim *claims; /* of those that are one, in any order */
	const char **claim_texts;    /* theirs */
	size_t claim_count;
	/* Nothing but claims, not of doubles, joined by && || !: requests made of their constants and those next to them tell everything
	 * about it. */
	bool is_simple;
};
struct policy_terms policy_terms_of(const struct policy *policy, const struct policy_rule *rule,
				    struct arena *arena);
/* Where `given` is true, `then` is; where `then` is false, `given` is no error. False also when it can't be told. */
bool policy_terms_imply(const struct policy_terms *given, const struct policy_terms *then,
			struct policy_allowance *allowance);

/* ------------------------------------------------------------------ the checks, in the order in which they are made */

void policy_lint_classes(struct policy_linting *linting);     /* E05, W10, W12, W14, W15 */
void policy_lint_expressions(struct policy_linting *linting); /* E06, E08, W04, W07 */
void policy_lint_reads(struct policy_linting *linting);	      /* W05, W06, W09 */
void policy_lint_pairs(struct policy_linting *linting); /* W01, W08; before the next, which leaves out what W01 has */
void policy_lint_requests(struct policy_linting *linting);  /* E09, W02 */
void policy_lint_catalogue(struct policy_linting *linting); /* W03 */
void policy_lint_directory(struct policy_linting *linting); /* E03, W11 */

#endif
