/* SPDX-License-Identifier: Apache-2.0 */
/* policy_input_pair.c - what two documents declare under one name: is there a value that satisfies both? */
#include "common/policy/policy_input.h"
#include "common/policy/policy_read.h"

#include <string.h>

struct pair {
	struct arena *arena;
	const char *other; /* whose the right ones are */
	struct error *error;
};

static bool meets(const struct pair *pair, const char *path, const struct policy_field *left,
		  const struct policy_field *right);

static bool
clash(const struct pair *pair, const char *path, const char *text)
{
	return error_set_field(
	    pair->error, ERROR_INVALID, "inputs_clash", path,
	    "%s in policy %s: no value satisfies both, and every request that has one is refused", text,
	    pair->other);
}

/* 100 is an int and a double, a time is a string as well. */
static bool
kinds_meet(enum policy_kind left, enum policy_kind right)
{
	bool number = left == POLICY_T_INT || left == POLICY_T_DOUBLE;
	bool string = left == POLICY_T_STRING || right == POLICY_T_STRING;
	bool time = left == POLICY_T_TIMESTAMP || left == POLICY_T_DURATION || right == POLICY_T_TIMESTAMP
		    || right == POLICY_T_DURATION;

	return left == right || (number && (right == POLICY_T_INT || right == POLICY_T_DOUBLE))
	       || (string && time);
}

static bool
is_same(const struct policy_datum *left, const struct policy_datum *right)
{
	if (left->kind != right->kind)
		return false;
	if (left->kind != POLICY_T_STRING)
		return left->as.integer == right->as.integer;
	return left->as.string.length == right->as.string.length
	       && memcmp(left->as.string.bytes, right->as.string.bytes, left->as.string.length) == 0;
}

static bool
words_meet(const struct policy_field *left, const struct policy_field *right)
{
	for (size_t i = 0; i < left->word_count; i++)
		for (size_t j = 0; j < right->word_count; j++)
			if (is_same(&left->words[i], &right->words[j]))
				return true;
	return !left->word_count || !right->word_count;
}

/* Of whole numbers: sizes, ints and durations. */
static bool
is_below(const struct policy_datum *max, const struct policy_datum *min)
{
	return max && min && max->kind == min->kind
	       && (max->kind == POLICY_T_INT || max->kind == POLICY_T_DURATION)
	       && max->as.integer < min->as.integer;
}

static bool
ranges_meet(const struct policy_field *left, const struct policy_field *right)
{
	return left->type.kind != right->type.kind
	       || (!is_below(left->max, right->min) && !is_below(right->max, left->min));
}

/* What one of them requires in a map, the other must know. */
static bool
has_required(const struct pair *pair, const char *path, const struct policy_type *map,
	     const struct policy_type *other)
{
	for (size_t i = 0; i < map->field_count; i++)
		if (map->fields[i].required
		    && !policy_field_of(other, (struct text){map->fields[i].name, strlen(map->fields[i].name)}))
			return clash(pair, arena_format(pair->arena, "%s.%s", path, map->fields[i].name),
				     "is required by one and not declared by the other");
	return true;
}

static bool
maps_meet(const struct pair *pair, const char *path, const struct policy_type *left,
	  const struct policy_type *right)
{
	if (!left->fields || !right->fields)
		return true;
	for (size_t i = 0; i < left->field_count; i++) {
		const char *name = left->fields[i].name;
		const struct policy_field *there = policy_field_of(right, (struct text){name, strlen(name)});

		if (there
		    && !meets(pair, arena_format(pair->arena, "%s.%s", path, name), &left->fields[i], there))
			return false;
	}
	return has_required(pair, path, left, right) && has_required(pair, path, right, left);
}

/* An empty list satisfies any two: but a list is there for what it may hold. */
static bool
types_meet(const struct pair *pair, const char *path, const struct policy_type *left,
	   const struct policy_type *right)
{
	if (!kinds_meet(left->kind, right->kind))
		return clash(pair, path,
			     arena_format(pair->arena, "is %s here and %s", policy_type_text(pair->arena, left),
					  policy_type_text(pair->arena, right)));
	if (left->kind == POLICY_T_LIST)
		return types_meet(pair, path, left->item, right->item);
	return left->kind != POLICY_T_MAP || right->kind != POLICY_T_MAP || maps_meet(pair, path, left, right);
}

static bool
meets(const struct pair *pair, const char *path, const struct policy_field *left,
      const struct policy_field *right)
{
	if (!types_meet(pair, path, &left->type, &right->type))
		return false;
	if (!words_meet(left, right))
		return clash(pair, path, "has another enum, without one word in common,");
	return ranges_meet(left, right)
	       || clash(pair, path, "has a min and a max that none of its values can have");
}

bool
policy_inputs_fit(const struct policy *policy, const struct policy *other, struct arena *arena,
		  struct error *error)
{
	const struct pair pair = {arena, policy_name(other), error};

	if (!policy->has_inputs || !other->has_inputs)
		return true;
	for (size_t i = 0; i < policy->inputs.field_count; i++) {
		const struct policy_field *field = &policy->inputs.fields[i];
		const struct policy_field *there =
		    policy_field_of(&other->inputs, (struct text){field->name, strlen(field->name)});

		if (there && !meets(&pair, arena_format(arena, "inputs.%s", field->name), field, there))
			return false;
	}
	return true;
}
