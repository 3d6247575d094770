/* SPDX-License-Identifier: Apache-2.0 */
/* expression.h - expressions and variables for the target cel_run, made of the bytes of an input: each byte is a choice. */
#ifndef COUNTERSIGN_TESTS_EXPRESSION_H
#define COUNTERSIGN_TESTS_EXPRESSION_H

#include "common/cel/cel.h"
#include <stddef.h>
#include <stdint.h>

struct choices {
	const uint8_t *bytes;
	size_t left;
};

/* 0 to count - 1; 0 when nothing is left. */
unsigned choose(struct choices *choices, unsigned count);

/* The variables: what each is declared as, and how large it can be at most. */
struct expression_variable {
	const char *name, *type;
	uint64_t size; /* bytes, items or entries; 0: it has none */
};
enum { EXPRESSION_VARIABLES = 15 };
extern const struct expression_variable expression_variables[EXPRESSION_VARIABLES];

/* Values for them, in their order, within their sizes. */
void expression_activate(struct arena *arena, struct choices *choices,
			 struct cel_value values[EXPRESSION_VARIABLES]);
/* A source, well-typed for the most part. */
const char *expression_source(struct arena *arena, struct choices *choices);

#endif
