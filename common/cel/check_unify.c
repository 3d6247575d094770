/* SPDX-License-Identifier: Apache-2.0 */
/* check_unify.c - assignability over free variables. The rules are those of cel-go's checker, for its tests are the measure: a variable
 * that is bound may still become more general, `dyn` fits everything in both directions, null fits what may be null. */
#include "common/cel/check_unify.h"

#include <stdio.h>
#include <string.h>

/* A free type variable; its address is what it is. */
struct variable {
	struct cel_type type; /* first: a CEL_T_PARAM in the checker's hands always is one */
	const struct cel_type *bound;
	char name[16];
};

struct cel_bound {
	struct variable *variable;
	const struct cel_type *before;
};

enum substitution { NO, NO_AND_BOUND, YES };

static const struct cel_type string_type = {.kind = CEL_T_STRING};
static const struct cel_type dyn_type = {.kind = CEL_T_DYN};
/* What a record is to whatever asks for a map. */
static const struct cel_type record_as_map = {
    .kind = CEL_T_MAP, .parameters = {&string_type, &dyn_type}, .parameter_count = 2};

static bool assignable(struct cel_unifier *unifier, const struct cel_type *from, const struct cel_type *to);

const struct cel_type *
cel_unify_fresh(struct cel_unifier *unifier)
{
	struct variable *variable = arena_take(unifier->arena, sizeof *variable);

	snprintf(variable->name, sizeof variable->name, "_%u", unifier->variables++);
	variable->type = (struct cel_type){.kind = CEL_T_PARAM, .name = variable->name};
	return &variable->type;
}

static struct variable *
variable_of(const struct cel_type *type)
{
	return (struct variable *)(uintptr_t)type;
}

static void
bind(struct cel_unifier *unifier, struct variable *variable, const struct cel_type *type)
{
	if (unifier->trail_count == unifier->trail_room) {
		size_t room = unifier->trail_room ? 2 * unifier->trail_room : 64;
		struct cel_bound *trail = arena_take_array(unifier->arena, room, sizeof *trail);

		if (unifier->trail_count > 0)
			memcpy(trail, unifier->trail, unifier->trail_count * sizeof *trail);
		unifier->trail = trail;
		unifier->trail_room = room;
	}
	unifier->trail[unifier->trail_count++] = (struct cel_bound){variable, variable->bound};
	variable->bound = type;
}

static void
undo(struct cel_unifier *unifier, size_t mark)
{
	while (unifier->trail_count > mark) {
		struct cel_bound *last = &unifier->trail[--unifier->trail_count];

		last->variable->bound = last->before;
	}
}

static bool
tired(struct cel_unifier *unifier)
{
	if (unifier->work >= unifier->work_max)
		return true;
	unifier->work++;
	return false;
}

static bool
occurs(struct cel_unifier *unifier, const struct cel_type *variable, const struct cel_type *within)
{
	if (variable == within || tired(unifier))
		return true;
	if (within->kind == CEL_T_PARAM)
		return variable_of(within)->bound && occurs(unifier, variable, variable_of(within)->bound);
	for (size_t i = 0; i < within->parameter_count; i++)
		if (occurs(unifier, variable, within->parameters[i]))
			return true;
	return false;
}

static bool
less_specific(const struct cel_type *left, const struct cel_type *right)
{
	if (left->kind == CEL_T_DYN || left->kind == CEL_T_PARAM)
		return true;
	if (left->kind == CEL_T_WRAPPER && right->kind != CEL_T_WRAPPER)
		return right->kind == CEL_T_NULL || cel_type_same(left->parameters[0], right);
	if (right->kind == CEL_T_NULL)
		return true;
	if (left->kind != right->kind || left->parameter_count != right->parameter_count)
		return false;
	switch (left->kind) {
	case CEL_T_TYPE:
		return true;
	case CEL_T_LIST:
	case CEL_T_MAP:
	case CEL_T_OPTIONAL:
	case CEL_T_ABSTRACT:
		for (size_t i = 0; i < left->parameter_count; i++)
			if (!less_specific(left->parameters[i], right->parameters[i]))
				return false;
		return left->kind != CEL_T_ABSTRACT || strcmp(left->name, right->name) == 0;
	default:
		return cel_type_same(left, right);
	}
}

static bool
is_record(const struct cel_type *type)
{
	return type->kind == CEL_T_RECORD;
}

/* The more general of two of which one fits where the other is expected. */
static const struct cel_type *
most_general(const struct cel_type *left, const struct cel_type *right)
{
	if (is_record(left) && !is_record(right) && right->kind == CEL_T_MAP)
		left = &record_as_map;
	if (is_record(right) && !is_record(left) && left->kind == CEL_T_MAP)
		right = &record_as_map;
	if (is_record(left) && is_record(right) && !cel_type_same(left, right))
		return &record_as_map;
	return less_specific(left, right) ? left : right;
}

/* Whether a type may stand for a variable, by what the variable stands for already. */
static enum substitution
substitute(struct cel_unifier *unifier, const struct cel_type *type, const struct cel_type *param)
{
	struct variable *variable = variable_of(param);
	const struct cel_type *bound = variable->bound;

	if (type == param)
		return YES;
	if (!bound) {
		if (occurs(unifier, param, type))
			return NO;
		bind(unifier, variable, type);
		return YES;
	}
	if (cel_type_same(type, bound))
		return YES;
	if (!assignable(unifier, type, bound))
		return NO_AND_BOUND;
	const struct cel_type *wider = most_general(type, bound);
	if (wider != variable->bound && !occurs(unifier, param, wider))
		bind(unifier, variable, wider);
	return YES;
}

/* What null fits besides null: wrappers, and what has no zero that one would write. */
static bool
nullable(const struct cel_type *type)
{
	switch (type->kind) {
	case CEL_T_NULL:
	case CEL_T_WRAPPER:
	case CEL_T_TIMESTAMP:
	case CEL_T_DURATION:
	case CEL_T_OPTIONAL:
	case CEL_T_IP:
	case CEL_T_CIDR:
	case CEL_T_ABSTRACT:
		return true;
	default:
		return false;
	}
}

static bool
parameters_fit(struct cel_unifier *unifier, const struct cel_type *from, const struct cel_type *to)
{
	if (from->parameter_count != to->parameter_count)
		return false;
	if (from->kind == CEL_T_ABSTRACT && strcmp(from->name, to->name) != 0)
		return false;
	for (size_t i = 0; i < from->parameter_count; i++)
		if (!assignable(unifier, from->parameters[i], to->parameters[i]))
			return false;
	return true;
}

/* Neither is a variable or dyn. */
static bool
structure_fits(struct cel_unifier *unifier, const struct cel_type *from, const struct cel_type *to)
{
	if (from->kind == CEL_T_NULL)
		return nullable(to);
	if (to->kind == CEL_T_NULL)
		return nullable(from);
	if (from->kind == CEL_T_WRAPPER)
		from = from->parameters[0];
	if (to->kind == CEL_T_WRAPPER)
		to = to->parameters[0];
	if (is_record(from) && is_record(to))
		return true;
	if (is_record(from))
		from = &record_as_map;
	if (is_record(to))
		to = &record_as_map;
	if (from->kind != to->kind)
		return false;
	return from->kind == CEL_T_TYPE || parameters_fit(unifier, from, to);
}

static bool
assignable(struct cel_unifier *unifier, const struct cel_type *from, const struct cel_type *to)
{
	if (tired(unifier))
		return false;
	if (to->kind == CEL_T_PARAM) {
		enum substitution answer = substitute(unifier, from, to);

		if (answer != NO)
			return answer == YES;
	}
	if (from->kind == CEL_T_PARAM)
		return substitute(unifier, to, from) == YES;
	if (from->kind == CEL_T_DYN || to->kind == CEL_T_DYN)
		return true;
	return structure_fits(unifier, from, to);
}

bool
cel_unify_assignable(struct cel_unifier *unifier, const struct cel_type *from, const struct cel_type *to)
{
	return cel_unify_all(unifier, &from, &to, 1);
}

bool
cel_unify_all(struct cel_unifier *unifier, const struct cel_type *const *from,
	      const struct cel_type *const *to, size_t count)
{
	size_t mark = unifier->trail_count;

	for (size_t i = 0; i < count; i++)
		if (!assignable(unifier, from[i], to[i])) {
			undo(unifier, mark);
			return false;
		}
	return true;
}

const struct cel_type *
cel_unify_join(struct cel_unifier *unifier, const struct cel_type *previous, const struct cel_type *current)
{
	if (!previous)
		return current;
	return cel_unify_assignable(unifier, previous, current) ? most_general(previous, current) : &dyn_type;
}

const struct cel_type *
cel_unify_resolve(struct cel_unifier *unifier, const struct cel_type *type, bool free_to_dyn)
{
	if (tired(unifier))
		return &dyn_type;
	if (type->kind == CEL_T_PARAM) {
		const struct cel_type *bound = variable_of(type)->bound;

		if (bound)
			return cel_unify_resolve(unifier, bound, free_to_dyn);
		return free_to_dyn ? &dyn_type : type;
	}
	const struct cel_type *parameters[CEL_TYPE_PARAMETERS_MAX];
	bool changed = false;

	for (size_t i = 0; i < type->parameter_count; i++) {
		parameters[i] = cel_unify_resolve(unifier, type->parameters[i], free_to_dyn);
		changed |= parameters[i] != type->parameters[i];
	}
	if (!changed)
		return type;
	struct cel_type *copy = arena_take(unifier->arena, sizeof *copy);

	*copy = *type;
	memcpy(copy->parameters, parameters, type->parameter_count * sizeof parameters[0]);
	return copy;
}

static const struct cel_type *
parameter_of(struct cel_unifier *unifier, const char *name, struct cel_instance *instance)
{
	for (size_t i = 0; i < instance->count; i++)
		if (strcmp(instance->names[i], name) == 0)
			return instance->types[i];
	if (instance->count == sizeof instance->names / sizeof instance->names[0])
		return &dyn_type;
	instance->names[instance->count] = name;
	return instance->types[instance->count++] = cel_unify_fresh(unifier);
}

const struct cel_type *
cel_unify_instantiate(struct cel_unifier *unifier, const struct cel_type *type, struct cel_instance *instance)
{
	if (type->kind == CEL_T_PARAM)
		return parameter_of(unifier, type->name, instance);
	const struct cel_type *parameters[CEL_TYPE_PARAMETERS_MAX];
	bool changed = false;

	for (size_t i = 0; i < type->parameter_count; i++) {
		parameters[i] = cel_unify_instantiate(unifier, type->parameters[i], instance);
		changed |= parameters[i] != type->parameters[i];
	}
	if (!changed)
		return type;
	struct cel_type *copy = arena_take(unifier->arena, sizeof *copy);

	*copy = *type;
	memcpy(copy->parameters, parameters, type->parameter_count * sizeof parameters[0]);
	return copy;
}
