/* SPDX-License-Identifier: Apache-2.0 */
/* evaluate_state.h - the stack and the next instruction, for evaluate.c and evaluate_loop.c alone. */
#ifndef COUNTERSIGN_CEL_EVALUATE_STATE_H
#define COUNTERSIGN_CEL_EVALUATE_STATE_H

#include "common/cel/evaluate.h"

struct state {
	struct cel_machine machine;
	const struct cel_program *program;
	const struct cel_value *slots;
	struct cel_value *stack, *top; /* top: behind the last */
	const struct cel_instruction *next;
};

static inline void
push(struct state *s, struct cel_value value)
{
	*s->top++ = value;
}

static inline void
go(struct state *s, uint32_t instruction)
{
	s->next = s->program->code + instruction;
}

/* Replaces the topmost value. */
static inline void
put(struct state *s, struct cel_value value)
{
	s->top[-1] = value;
}

/* Of the two topmost values one is an error: then it is the result, the left one first. */
static inline bool
pair_failed(struct state *s)
{
	s->top--;
	if (s->top[-1].kind == CEL_ERROR)
		return true;
	if (s->top[0].kind != CEL_ERROR)
		return false;
	s->top[-1] = s->top[0];
	return true;
}

static inline bool
is(struct cel_value value, bool boolean)
{
	return value.kind == CEL_BOOL && value.as.boolean == boolean;
}

static inline struct cel_value
not_bool(struct state *s, struct cel_value value)
{
	return value.kind == CEL_ERROR ? value : cel_fail(&s->machine, CEL_NOT_BOOL, NULL);
}

/* The instructions of the same names; `loop_start` OP_LOOP, `loop_end` OP_SLIDE. */
void cel_loop_start(struct state *s, const struct cel_instruction *i);
void cel_loop_next(struct state *s, const struct cel_instruction *i);
void cel_loop_guard(struct state *s, const struct cel_instruction *i);
void cel_loop_append(struct state *s, const struct cel_instruction *i);
void cel_loop_insert(struct state *s, const struct cel_instruction *i);
void cel_loop_end(struct state *s, const struct cel_instruction *i);

#endif
