/* SPDX-License-Identifier: Apache-2.0 */
/* evaluate.h - for the tests of the libraries: what an expression is, unchecked, since they are about what happens at run time. */
#ifndef COUNTERSIGN_TESTS_UNIT_CEL_EVALUATE_H
#define COUNTERSIGN_TESTS_UNIT_CEL_EVALUATE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/cel/cel.h"

#include <string.h>

/* "true", or the code of the error, or "not true". */
static inline const char *
evaluate(const char *source)
{
	struct arena *arena = arena_open();
	struct cel_env *env = cel_env_open(arena);
	struct cel_faults faults = {0};
	const struct cel_tree *tree =
	    cel_parse(arena, source, strlen(source), 0, &(struct cel_limits){.source = 20000}, &faults);
	const struct cel_program *program = tree ? cel_compile(env, tree, tree->root, NULL, 0, &faults) : NULL;
	struct cel_run run = {0};
	const char *result = cel_code_name(faults.items[0].code);

	if (program) {
		struct cel_value value = cel_evaluate(program, &run, arena);

		result = value.kind == CEL_ERROR		      ? cel_code_name(value.code)
			 : value.kind == CEL_BOOL && value.as.boolean ? "true"
								      : "not true";
	}
	cel_env_close(env);
	arena_close(arena);
	return result;
}

static inline void
all_are(const char *expected, const char *const *sources, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(evaluate(sources[i]), expected) != 0)
			fail_msg("%s: %s, expected %s", sources[i], evaluate(sources[i]), expected);
}

/* Each source is a bool that is to be true, or an error with this code. */
#define ALL_TRUE(...)                                                                                        \
	all_are("true", (const char *const[]){__VA_ARGS__},                                                  \
		sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))
#define ALL_FAIL(code, ...)                                                                                  \
	all_are(code, (const char *const[]){__VA_ARGS__},                                                    \
		sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

#endif
