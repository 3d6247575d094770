/* SPDX-License-Identifier: Apache-2.0 */
/* check.h - one run of the type checker, for check*.c alone. Pure. */
#ifndef COUNTERSIGN_CEL_CHECK_H
#define COUNTERSIGN_CEL_CHECK_H

#include "common/cel/check_unify.h"
#include "common/cel/env.h"

/* What a node's name turned out to mean. */
struct check_meaning {
	bool is_variable;
	size_t slot;			   /* of the variable */
	const struct cel_type *type_value; /* the type whose name it is, or NULL */
	const char *function;		   /* qualified, where it is not the node's own name */
};

struct cel_checked {
	const struct cel_type **types; /* by id; NULL: no value of its own */
	struct check_meaning *meanings;
	size_t room;
};

/* A comprehension's variable; the innermost first. */
struct check_scope {
	const char *name;
	const struct cel_type *type;
	const struct check_scope *outer;
};

struct checker {
	struct cel_env *env;
	struct arena *arena;
	const struct cel_tree *tree;
	struct cel_faults *faults;
	struct cel_unifier unifier;
	struct cel_instance declared; /* the parameters in the types of declared variables */
	const struct check_scope *scope;
	struct cel_checked *checked;
	unsigned depth;
	bool failed;
};

/* The type of what could not be typed: fits everywhere, so that one fault is told once. */
extern const struct cel_type check_unknown;

/* --- check.c --- */
const struct cel_type *check_node(struct checker *checker, const struct cel_node *node);
/* The node's type as far as it is known; check_unknown before it was checked. */
const struct cel_type *check_type_of(struct checker *checker, const struct cel_node *node);
struct check_meaning *check_meaning_of(struct checker *checker, const struct cel_node *node);

/* --- check_name.c --- */
const struct check_scope *check_local(const struct checker *checker, const char *name);
/* "a.b.c" of a chain of selections from an identifier that is no comprehension's variable; false where it is none, or too long. */
bool check_qualified(const struct checker *checker, const struct cel_node *node, char name[CEL_CANDIDATE_MAX]);
/* The type of the variable or type that the name means under the container, kept as the node's meaning; NULL when there is none. */
const struct cel_type *check_lookup(struct checker *checker, const struct cel_node *node, const char *name);
/* The function, and in `found` (may be NULL) its whole name. */
const struct cel_function_entry *check_function(const struct checker *checker, const char *name,
						const char **found);
const struct cel_type *check_identifier(struct checker *checker, const struct cel_node *node);

/* --- check_select.c --- */
const struct cel_type *check_select(struct checker *checker, const struct cel_node *node);
const struct cel_type *check_optional_select(struct checker *checker, const struct cel_node *node);
/* x['field'] of a record, NULL where it is none. */
const struct cel_type *check_record_index(struct checker *checker, const struct cel_node *node);
/* 'field' in record: a field that is not declared is never there. */
void check_record_in(struct checker *checker, const struct cel_node *node);

/* --- check_call.c --- */
const struct cel_type *check_call(struct checker *checker, const struct cel_node *node);

/* --- check_operator.c: the signatures of the operators, and how people write them --- */
const struct cel_signature *check_operator(const char *name);
/* "+" of "_+_"; NULL where it is no operator of one or two operands. */
const char *check_operator_sign(const char *name);

/* --- check_fault.c --- */
/* All return check_unknown. */
const struct cel_type *check_fault(struct checker *checker, enum cel_code code, uint32_t position,
				   const char *format, ...) CS_PRINTF(4, 5);
const struct cel_type *check_fault_name(struct checker *checker, const struct cel_node *node);
const struct cel_type *check_fault_function(struct checker *checker, const struct cel_node *node,
					    const char *name);
/* Is it nearly the name of a macro? Then its arguments are no faults of their own. */
bool check_is_like_macro(const char *name);
const struct cel_type *check_fault_field(struct checker *checker, const struct cel_node *node,
					 const struct cel_type *record, const char *field);
/* No overload takes the arguments (the receiver first). */
const struct cel_type *check_fault_overload(struct checker *checker, const struct cel_node *node,
					    const struct cel_signature *signatures,
					    const struct cel_type *const *arguments, size_t count);
/* "list<int>", "{create, delete, …}" of a record. */
const char *check_type_text(struct checker *checker, const struct cel_type *type);

/* --- check_near.c --- */
/* The known name that a misspelt one is nearest to. Starts with `wanted` and the rest zeroed. */
struct check_nearest {
	const char *wanted;
	const char *name; /* NULL: none is near enough */
	size_t distance;
};
void check_nearest_try(struct check_nearest *nearest, const char *name);

#endif
