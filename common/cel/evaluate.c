/* SPDX-License-Identifier: Apache-2.0 */
/* evaluate.c - the machine: one loop over instructions, one stack whose depth the compiler computed, no recursion. Errors are values that go
 * through; only what ran out (cost, deadline, memory) ends it at once. */
#include "common/cel/evaluate_state.h"
#include "common/cel/cost.h"
#include "common/regex/regex.h"

#include <string.h>

enum { STACK_SMALL = 64 };

/* --- names and fields --- */

static inline struct cel_value
slot_value(struct state *s, uint32_t slot)
{
	struct cel_value value = s->slots[slot];

	s->machine.cost += CEL_COST_STEP;
	return __builtin_expect(value.kind == CEL_ABSENT, 0) ? cel_fail(&s->machine, CEL_UNBOUND, NULL) : value;
}

/* In a record the field lies where the type has it; anything else is searched for. NULL: not there, or no map. */
static inline const struct cel_value *
field_of(struct cel_value container, struct cel_value name, uint16_t hint)
{
	const struct cel_map *map = container.as.map;
	const struct cel_entry *entry;

	if (container.kind != CEL_MAP)
		return NULL;
	if (hint >= map->count)
		return cel_map_find(map, name);
	entry = &map->entries[hint];
	if (entry->key.kind != CEL_STRING || entry->key.extra != name.extra
	    || memcmp(entry->key.as.bytes, name.as.bytes, name.extra) != 0)
		return cel_map_find(map, name);
	return entry->value.kind == CEL_ABSENT ? NULL : &entry->value;
}

static inline void
select_field(struct state *s, const struct cel_instruction *i, uint32_t name)
{
	struct cel_value container = s->top[-1], field = s->program->constants[name];
	const struct cel_value *found = field_of(container, field, i->count);

	s->machine.cost += CEL_COST_STEP;
	if (__builtin_expect(found != NULL, 1))
		put(s, *found);
	else if (container.kind != CEL_ERROR)
		put(s, cel_select(&s->machine, container, field, false));
}

static void
field_optional(struct state *s, const struct cel_instruction *i)
{
	s->machine.cost += CEL_COST_STEP;
	if (s->top[-1].kind != CEL_ERROR)
		put(s, cel_select(&s->machine, s->top[-1], s->program->constants[i->a], true));
}

static void
has_field(struct state *s, const struct cel_instruction *i)
{
	struct cel_value container = s->top[-1], field = s->program->constants[i->a];

	s->machine.cost += CEL_COST_STEP;
	if (container.kind == CEL_MAP)
		put(s, cel_bool(field_of(container, field, i->count) != NULL));
	else if (container.kind != CEL_ERROR)
		put(s, cel_has(&s->machine, container, field));
}

static void
index_value(struct state *s, bool optional)
{
	s->machine.cost += CEL_COST_STEP;
	if (!pair_failed(s))
		put(s, cel_index(&s->machine, s->top[-1], s->top[0], optional));
}

/* --- comparison --- */

static inline void
compare(struct state *s, struct cel_value right, bool negated)
{
	struct cel_value left = s->top[-1];

	if (left.kind == CEL_STRING && right.kind == CEL_STRING) {
		s->machine.cost += CEL_COST_STEP + 1;
		put(s, cel_bool((left.extra == right.extra
				 && (left.extra == 0 || memcmp(left.as.bytes, right.as.bytes, left.extra) == 0))
				!= negated));
		return;
	}
	s->machine.cost += CEL_COST_STEP;
	put(s, cel_same(&s->machine, left, right, negated));
}

static inline void
relate(struct state *s, struct cel_value right, enum cel_relation relation)
{
	s->machine.cost += CEL_COST_STEP + 1;
	put(s, cel_relate(&s->machine, s->top[-1], right, relation));
}

static void
in(struct state *s)
{
	s->machine.cost += CEL_COST_STEP;
	if (!pair_failed(s))
		put(s, cel_in(&s->machine, s->top[-1], s->top[0]));
}

static inline void
in_set(struct state *s, const struct cel_set *set)
{
	s->machine.cost += CEL_COST_STEP;
	if (s->top[-1].kind != CEL_ERROR)
		put(s, cel_in_set(&s->machine, s->top[-1], set));
}

/* --- logic --- */

/* The left side did not decide, or the machine had not come here. `decides`: false for &&, true for ||. */
static inline void
combine(struct state *s, bool decides)
{
	struct cel_value right = *--s->top, left = s->top[-1];

	if (is(left, decides) || is(right, decides))
		put(s, cel_bool(decides));
	else if (left.kind != CEL_BOOL)
		put(s, not_bool(s, left));
	else if (right.kind != CEL_BOOL)
		put(s, not_bool(s, right));
	/* otherwise both are the other one, and so is the left */
}

static void
negate(struct state *s)
{
	struct cel_value value = s->top[-1];

	s->machine.cost += CEL_COST_STEP;
	if (value.kind == CEL_BOOL)
		put(s, cel_bool(!value.as.boolean));
	else if (value.kind != CEL_ERROR)
		put(s, cel_fail(&s->machine, CEL_NO_SUCH_OVERLOAD, NULL));
}

static void
branch(struct state *s, const struct cel_instruction *i)
{
	struct cel_value condition = *--s->top;

	s->machine.cost += CEL_COST_STEP;
	if (is(condition, true))
		return;
	if (is(condition, false)) {
		go(s, i->a);
		return;
	}
	push(s, not_bool(s, condition));
	go(s, i->b);
}

static void
or_else(struct state *s, const struct cel_instruction *i)
{
	struct cel_value value = s->top[-1];

	if (value.kind != CEL_OPTIONAL || !value.as.optional)
		return;
	s->machine.cost += CEL_COST_STEP;
	if (i->count == 1)
		put(s, *value.as.optional);
	go(s, i->a);
}

/* --- calls and literals --- */

static void
call(struct state *s, const struct cel_instruction *i)
{
	s->top -= i->count;
	*s->top = cel_call(&s->machine, s->program->functions[i->a], i->b, s->top, i->count);
	s->top++;
}

/* The weight of a search: text times pattern. */
static void
matches(struct state *s, const struct cel_instruction *i)
{
	struct cel_value text = s->top[-1];
	uint64_t product = (uint64_t)text.extra * i->b;

	s->machine.cost += CEL_COST_STEP;
	if (text.kind == CEL_ERROR)
		return;
	if (text.kind != CEL_STRING)
		put(s, cel_fail(&s->machine, CEL_NO_SUCH_OVERLOAD, NULL));
	else if (!cel_machine_charge(&s->machine,
				     (product + CEL_COST_REGEX_DIVISOR - 1) / CEL_COST_REGEX_DIVISOR))
		put(s, cel_fail(&s->machine, CEL_COST, NULL));
	else
		put(s, cel_bool(regex_search(s->program->regexes[i->a], text.extra ? text.as.bytes : "",
					     text.extra)));
}

static void
collect(struct state *s, const struct cel_instruction *i)
{
	const char *flags = i->b == NO_FLAGS ? NULL : s->program->constants[i->b].as.bytes;

	if (i->op == OP_LIST) {
		s->machine.cost += CEL_COST_LIST;
		s->top -= i->a;
		*s->top = cel_collect_list(&s->machine, s->top, i->a, flags);
	} else {
		s->machine.cost += CEL_COST_MAP;
		s->top -= 2 * (size_t)i->a;
		*s->top = cel_collect_map(&s->machine, s->top, i->a, flags);
	}
	s->top++;
}

/* --- the loop --- */

static struct cel_value
run_code(struct state *s)
{
	const struct cel_value *constants = s->program->constants;

	while (__builtin_expect(s->machine.halt == CEL_OK, 1)) {
		const struct cel_instruction *i = s->next++;

		s->machine.position = i->position;
		switch ((enum cel_op)i->op) {
		case OP_CONSTANT:
			push(s, constants[i->a]);
			break;
		case OP_SLOT:
			push(s, slot_value(s, i->a));
			break;
		case OP_SLOT_FIELD:
			push(s, slot_value(s, i->a));
			select_field(s, i, i->b);
			break;
		case OP_LOCAL:
			s->machine.cost += CEL_COST_STEP;
			push(s, s->stack[i->a]);
			break;
		case OP_FIELD:
			select_field(s, i, i->a);
			break;
		case OP_HAS:
			has_field(s, i);
			break;
		case OP_FIELD_OPTIONAL:
			field_optional(s, i);
			break;
		case OP_INDEX:
			index_value(s, false);
			break;
		case OP_INDEX_OPTIONAL:
			index_value(s, true);
			break;
		case OP_NOT:
			negate(s);
			break;
		case OP_EQUAL:
			if (!pair_failed(s))
				compare(s, s->top[0], i->count);
			break;
		case OP_EQUAL_CONSTANT:
			if (s->top[-1].kind != CEL_ERROR)
				compare(s, constants[i->a], i->count);
			break;
		case OP_ORDER:
			if (!pair_failed(s))
				relate(s, s->top[0], i->count);
			break;
		case OP_ORDER_CONSTANT:
			if (s->top[-1].kind != CEL_ERROR)
				relate(s, constants[i->a], i->count);
			break;
		case OP_IN:
			in(s);
			break;
		case OP_IN_SET:
			in_set(s, &s->program->sets[i->a]);
			break;
		case OP_CALL:
			call(s, i);
			break;
		case OP_MATCHES:
			matches(s, i);
			break;
		case OP_LIST:
		case OP_MAP:
			collect(s, i);
			break;
		case OP_IF_FALSE:
			if (is(s->top[-1], false))
				go(s, i->a);
			break;
		case OP_IF_TRUE:
			if (is(s->top[-1], true))
				go(s, i->a);
			break;
		case OP_AND:
			combine(s, false);
			break;
		case OP_OR:
			combine(s, true);
			break;
		case OP_OR_ELSE:
			or_else(s, i);
			break;
		case OP_BRANCH:
			branch(s, i);
			break;
		case OP_JUMP:
			go(s, i->a);
			break;
		case OP_NOT_STRICTLY_FALSE:
			put(s, cel_bool(!is(s->top[-1], false)));
			break;
		case OP_BUILDER:
			push(s, cel_build(&s->machine, i->count));
			break;
		case OP_LOOP:
			cel_loop_start(s, i);
			break;
		case OP_NEXT:
			cel_loop_next(s, i);
			break;
		case OP_WHILE:
			if (is(*--s->top, false))
				go(s, i->b);
			break;
		case OP_GUARD:
			cel_loop_guard(s, i);
			break;
		case OP_STORE:
			s->top--;
			s->stack[i->a + FRAME_ACCUMULATOR] = *s->top;
			break;
		case OP_APPEND:
			cel_loop_append(s, i);
			break;
		case OP_INSERT:
			cel_loop_insert(s, i);
			break;
		case OP_FINISH:
			s->stack[i->a + FRAME_ACCUMULATOR] =
			    cel_build_finish(&s->machine, s->stack[i->a + FRAME_ACCUMULATOR]);
			break;
		case OP_SLIDE:
			cel_loop_end(s, i);
			break;
		case OP_RETURN:
			return s->top[-1];
		}
	}
	return cel_error(s->machine.halt, s->machine.position);
}

/* Steps between two charges are counted without a look at the limit, so there is a last look: it may have been passed since. */
struct cel_value
cel_evaluate(const struct cel_program *program, struct cel_run *run, struct arena *arena)
{
	struct cel_value small[STACK_SMALL];
	struct state s = {.program = program, .slots = run->slots, .next = program->code, .stack = small};
	struct cel_value result;

	cel_machine_start(&s.machine, run, arena);
	if (program->depth > STACK_SMALL)
		s.stack = arena_take_array(arena, program->depth, sizeof *s.stack);
	s.top = s.stack;
	result = run_code(&s);
	if (s.machine.cost > s.machine.cost_max && s.machine.halt == CEL_OK)
		result = cel_error(CEL_COST, s.machine.position);
	run->cost = s.machine.cost;
	return result;
}
