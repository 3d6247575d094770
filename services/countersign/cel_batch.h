/* SPDX-License-Identifier: Apache-2.0 */
/* cel_batch.h - expressions as lines of JSON, answers as lines of JSON. */
#ifndef COUNTERSIGN_CEL_BATCH_H
#define COUNTERSIGN_CEL_BATCH_H

#include "common/value/value.h"
#include "services/countersign/cel_trial.h"
#include <stdio.h>

#define CEL_BATCH_LINE_MAX (1024u * 1024) /* bytes of one line */

/*
 * Reads a line of a batch: a struct cel_trial whose limits are those of `defaults`. The members, all but expr optional: expr, bindings
 * (name: typed value), types (name: type), functions (name: [signature, …]), container, check (true), macros (true), stop
 * ("parse" or "check": no further than that), tree (true: the answer has it).
 */
bool cel_batch_read(struct arena *arena, const char *line, size_t length, const struct cel_trial *defaults,
		    struct cel_trial *trial, bool *with_tree, struct error *error) CS_MUST_CHECK;
/* Appends the answer to a trial, without a line feed. */
void cel_batch_answer(struct buffer *out, const struct cel_trial *trial, bool with_tree);
/* Appends the syntax tree as JSON (countersign(1) says how). */
void cel_batch_tree(struct buffer *out, const struct cel_node *node);
/* Answers every line at once. False when a line could not be read as one of a batch. */
bool cel_batch_run(FILE *in, FILE *out, const struct cel_trial *defaults);

#endif
