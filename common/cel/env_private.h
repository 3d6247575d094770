/* SPDX-License-Identifier: Apache-2.0 */
/* env_private.h - how an environment is laid out: for env.c and env_function.c alone. */
#ifndef COUNTERSIGN_CEL_ENV_PRIVATE_H
#define COUNTERSIGN_CEL_ENV_PRIVATE_H

#include "common/cel/env.h"

enum { ENV_BUCKETS = 256 };

struct env_size {
	const char *path;
	uint64_t max;
	struct env_size *next;
};

struct env_regex {
	const char *pattern;
	size_t length;
	struct regex *regex; /* owned */
	struct env_regex *next;
};

struct cel_env {
	struct arena *arena;
	const char *container; /* "" for none */
	struct cel_variable *variables;
	size_t variable_count, variable_room;
	struct cel_function_entry *functions[ENV_BUCKETS];
	struct env_size *sizes[ENV_BUCKETS];
	struct env_regex *regexes[ENV_BUCKETS];
};

/* The bucket of a name. */
size_t cel_env_hash(const char *bytes, size_t length);
void cel_env_add_libraries(struct cel_env *env);

#endif
