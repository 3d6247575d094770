/* SPDX-License-Identifier: Apache-2.0 */
/* env.h - what is declared: variables, functions with their signatures, sizes, the container. Inside common/cel only. Pure. */
#ifndef COUNTERSIGN_CEL_ENV_H
#define COUNTERSIGN_CEL_ENV_H

#include "common/cel/cel.h"
#include "common/cel/function.h"

#define CEL_NAME_MAX 255      /* bytes of a declared name, of a container */
#define CEL_CANDIDATE_MAX 512 /* bytes of a candidate; a longer one names nothing */
#define CEL_VARIABLES_MAX 1024

struct regex;

struct cel_variable {
	const char *name;
	const struct cel_type *type;
};

/* One overload of a function, its signature read. */
struct cel_signature {
	const struct cel_overload *overload;	  /* overload->call NULL: there is no code */
	const struct cel_type *const *parameters; /* the receiver is the first */
	const uint32_t *kinds; /* by parameter: which kinds of value it takes, 1 << enum cel_kind */
	size_t parameter_count;
	bool member;   /* x.f(…), not f(…) */
	bool variadic; /* any number of the last parameter, at least one */
	const struct cel_type *result;
	struct cel_signature *next; /* of the same function, in the order of declaration */
};

struct cel_function_entry {
	const char *name;
	struct cel_signature *signatures;
	struct cel_function_entry *next; /* private to env.c */
};

/* By its whole name ("a.b"); NULL when there is none. */
const struct cel_variable *cel_env_variable(const struct cel_env *env, const char *name, size_t *slot);
const struct cel_variable *cel_env_variable_at(const struct cel_env *env, size_t slot);
const struct cel_function_entry *cel_env_function(const struct cel_env *env, const char *name);
/* The type that a name means as a value ("int", "google.protobuf.Timestamp", "optional_type"), or NULL. */
const struct cel_type *cel_env_type(const char *name);
/* The size declared for a path. */
bool cel_env_size(const struct cel_env *env, const char *path, uint64_t *max);

/* Of every function, in no order that means anything: for messages with the nearest name. NULL starts, NULL ends. */
const struct cel_function_entry *cel_env_next_function(const struct cel_env *env,
						       const struct cel_function_entry *after);

/*
 * What a name may mean under the container: candidate 0 is the innermost, the last is the name itself; a leading dot means the root
 * and there is one candidate, without the dot. False when there is no candidate `number`; one that is too long is empty text.
 */
bool cel_env_candidate(const struct cel_env *env, const char *name, size_t number,
		       char candidate[CEL_CANDIDATE_MAX]);

/* Could these arguments be a call of this overload: as many, and of kinds that it takes? */
bool cel_signature_takes(const struct cel_signature *signature, bool member,
			 const struct cel_value *arguments, size_t count);
bool cel_signature_takes_count(const struct cel_signature *signature, bool member, size_t count);
/* Which kinds of value can be of this type, 1 << enum cel_kind each. */
uint32_t cel_type_kinds(const struct cel_type *type);

/* Compiled once for each pattern and kept until the environment is closed. NULL: ERROR_INVALID "regex". */
const struct regex *cel_env_regex(struct cel_env *env, const char *pattern, size_t length,
				  struct error *error) CS_MUST_CHECK;

struct arena *cel_env_arena(struct cel_env *env);

#endif
