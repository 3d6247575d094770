/* SPDX-License-Identifier: Apache-2.0 */
/* cel.h - the Common Expression Language: declare, compile, run. Pure: no clock, no I/O, nothing outside the arenas but the
 * compiled regular expressions, which cel_env_close frees. */
#ifndef COUNTERSIGN_CEL_H
#define COUNTERSIGN_CEL_H

#include "common/cel/ast.h"

#define CEL_COST_MAX 10000	    /* units of one evaluation */
#define CEL_MEMORY_MAX (256 * 1024) /* bytes of one evaluation */
#define CEL_STRING_MAX (8 * 1024)   /* bytes of one string or bytes value that an expression makes */
#define CEL_POLL_UNITS 1024	    /* the deadline is looked at once in so many units */

/* What expressions may name. Read-only after the last declaration; programs made from it live as long as it does. */
struct cel_env;

/* All libraries of function.h. The environment lives in the arena; close it before the arena. */
struct cel_env *cel_env_open(struct arena *arena);
void cel_env_close(struct cel_env *env); /* NULL is fine */

/* A variable, its name dotted or not ("context", "a.b"); the slot it has in an activation. The names and types are copied. Errors:
 * ERROR_INVALID "duplicate_name", "bad_name", "too_many" (over 1,024). */
bool cel_declare(struct cel_env *env, const char *name, const struct cel_type *type, size_t *slot,
		 struct error *error) CS_MUST_CHECK;
/* A function that has a signature and no code: for checking only (calls are CEL_UNBOUND at run time). */
bool cel_declare_function(struct cel_env *env, const char *name, const char *signature,
			  struct error *error) CS_MUST_CHECK;
/* The namespace in which names are looked up first, from inside to outside ("a.b" tries a.b.x, a.x, x). NULL or "": none. */
void cel_set_container(struct cel_env *env, const char *container);
size_t cel_slot_count(const struct cel_env *env);

/* Sizes that declared inputs can have at most, for the static estimate: a path ("context.branch", items of a list or values of a map
 * "context.types[]", the value of one key "context.labels.team") and the bytes, items or entries at most. What is not said here is
 * taken to be as large as a request allows. */
void cel_declare_size(struct cel_env *env, const char *path, uint64_t max);

/* Deduces the types of a tree: what each node is, by id. NULL with faults. `expected` NULL: any. Gradual: dyn joins everything. */
struct cel_checked;
const struct cel_checked *cel_check(struct cel_env *env, struct arena *arena, const struct cel_tree *tree,
				    const struct cel_type *expected, struct cel_faults *faults) CS_MUST_CHECK;
/* NULL for a node that is no value: the parts of a qualified name. */
const struct cel_type *cel_checked_type(const struct cel_checked *checked, const struct cel_node *node);

/* What the checker found out about names, for the compiler. The variable that an identifier or a chain of selections stands for. */
bool cel_checked_slot(const struct cel_checked *checked, const struct cel_node *node, size_t *slot);
/* The type whose name an identifier or a chain of selections is (`int`, `google.protobuf.Timestamp`), or NULL. */
const struct cel_type *cel_checked_type_value(const struct cel_checked *checked, const struct cel_node *node);
/* The qualified name of the function that a call means ("math.greatest" in `math.greatest(1, 2)`, whose receiver is then no value), or
 * NULL where the name is the node's own. */
const char *cel_checked_function(const struct cel_checked *checked, const struct cel_node *node);

/* Compiled; lives in the environment's arena. */
struct cel_program;

/*
 * Compiles one node of a tree (the root, or one conjunct). checked NULL: unchecked, names are looked up by the same rules, and unknown
 * ones are CEL_UNBOUND at run time. Regular expressions that are literals are compiled now. Errors: faults, among them CEL_COST when
 * the static estimate is over `cost_max` (0: no estimate) with the sub-expression and the path whose size would have to be declared.
 */
const struct cel_program *cel_compile(struct cel_env *env, const struct cel_tree *tree,
				      const struct cel_node *node, const struct cel_checked *checked,
				      uint64_t cost_max, struct cel_faults *faults) CS_MUST_CHECK;

/* The paths that it can read, each once, sorted: "context.branch", "agent_id". */
const char *const *cel_program_reads(const struct cel_program *program, size_t *count);
/* The static estimate in units, UINT64_MAX when it has no bound. */
uint64_t cel_program_cost(const struct cel_program *program);

struct cel_run {
	const struct cel_value *slots; /* of the environment's variables, cel_slot_count of them; CEL_ABSENT: unbound */
	uint64_t cost_max;	       /* 0: CEL_COST_MAX */
	size_t memory_max, string_max;	/* 0: the constants */
	bool (*expired)(void *context); /* has the deadline passed? NULL: none */
	void *context;
	uint64_t cost; /* out: the units that it took */
};

/* A value or a CEL_ERROR with code and position; deterministic. What it points to lies in the arena, the slots or the program. */
struct cel_value cel_evaluate(const struct cel_program *program, struct cel_run *run, struct arena *arena);

#endif
