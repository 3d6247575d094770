/* SPDX-License-Identifier: Apache-2.0 */
/* evaluate_loop.c - the rounds of a comprehension: its variables, and what its accumulator becomes. */
#include "common/cel/evaluate_state.h"
#include "common/cel/cost.h"

void
cel_loop_start(struct state *s, const struct cel_instruction *i)
{
	struct cel_value *frame = s->stack + i->a;

	if (frame[FRAME_RANGE].kind != CEL_LIST && frame[FRAME_RANGE].kind != CEL_MAP) {
		if (frame[FRAME_RANGE].kind != CEL_ERROR)
			frame[FRAME_RANGE] = cel_fail(&s->machine, CEL_NO_SUCH_OVERLOAD, NULL);
		s->top = frame + 1;
		go(s, i->b);
		return;
	}
	frame[FRAME_CURSOR] = cel_uint(0);
	frame[FRAME_FIRST] = frame[FRAME_SECOND] = cel_null();
	s->top = frame + FRAME_SIZE;
}

static bool
next_item(struct cel_value *frame, bool two)
{
	const struct cel_list *list = frame[FRAME_RANGE].as.list;
	size_t place = frame[FRAME_CURSOR].as.natural;

	if (place >= list->count)
		return false;
	frame[FRAME_CURSOR].as.natural++;
	frame[FRAME_FIRST] = two ? cel_int((int64_t)place) : list->items[place];
	frame[FRAME_SECOND] = list->items[place];
	return true;
}

static bool
next_entry(struct cel_value *frame)
{
	size_t position = frame[FRAME_CURSOR].as.natural;
	const struct cel_entry *entry = cel_map_next(frame[FRAME_RANGE].as.map, &position);

	if (!entry)
		return false;
	frame[FRAME_CURSOR].as.natural = position;
	frame[FRAME_FIRST] = entry->key;
	frame[FRAME_SECOND] = entry->value;
	return true;
}

void
cel_loop_next(struct state *s, const struct cel_instruction *i)
{
	struct cel_value *frame = s->stack + i->a;

	if (frame[FRAME_RANGE].kind == CEL_LIST ? !next_item(frame, i->count == 2) : !next_entry(frame))
		go(s, i->b);
	else if (!cel_machine_charge(&s->machine, CEL_COST_STEP))
		cel_fail(&s->machine, CEL_COST, NULL);
}

void
cel_loop_guard(struct state *s, const struct cel_instruction *i)
{
	struct cel_value condition = *--s->top;

	s->machine.cost += CEL_COST_STEP;
	if (is(condition, true))
		return;
	if (!is(condition, false))
		s->stack[i->a + FRAME_ACCUMULATOR] = not_bool(s, condition);
	go(s, i->b);
}

void
cel_loop_append(struct state *s, const struct cel_instruction *i)
{
	struct cel_value *accumulator = s->stack + i->a + FRAME_ACCUMULATOR;

	s->machine.cost += CEL_COST_STEP;
	*accumulator = cel_build_append(&s->machine, *accumulator, *--s->top);
}

void
cel_loop_insert(struct state *s, const struct cel_instruction *i)
{
	struct cel_value *accumulator = s->stack + i->a + FRAME_ACCUMULATOR;

	s->machine.cost += CEL_COST_STEP;
	s->top -= i->count == 1 ? 1 : 2;
	*accumulator = i->count == 1 ? cel_build_merge(&s->machine, *accumulator, s->top[0])
				     : cel_build_insert(&s->machine, *accumulator, s->top[0], s->top[1]);
}

void
cel_loop_end(struct state *s, const struct cel_instruction *i)
{
	s->stack[i->a] = s->top[-1];
	s->top = s->stack + i->a + 1;
}
