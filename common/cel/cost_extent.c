/* SPDX-License-Identifier: Apache-2.0 */
/* cost_extent.c - how large values can be: by declared maxima, by the request's limits where none is declared, by what made them. */
#include "common/cel/cost_extent.h"

#include <string.h>

#define DEPTH_MAX 16 /* of values within each other, as of a request */

static const struct cel_type dyn_type = {.kind = CEL_T_DYN};
static const struct cel_type int_type = {.kind = CEL_T_INT};
static const struct cel_type string_type = {.kind = CEL_T_STRING};

uint64_t
cost_add(uint64_t left, uint64_t right)
{
	uint64_t sum;

	return __builtin_add_overflow(left, right, &sum) ? UINT64_MAX : sum;
}

uint64_t
cost_multiply(uint64_t left, uint64_t right)
{
	uint64_t product;

	return __builtin_mul_overflow(left, right, &product) ? UINT64_MAX : product;
}

static void
ask(struct cost_sizes *sizes, const char *path, bool in_bytes)
{
	for (size_t i = 0; i < sizes->asked_count; i++)
		if (strcmp(sizes->asked[i].path, path) == 0)
			return;
	if (sizes->asked_count < sizes->asked_room)
		sizes->asked[sizes->asked_count++] = (struct cost_asked){path, in_bytes};
}

static uint64_t
size_of(struct cost_sizes *sizes, const char *path, uint64_t undeclared, bool in_bytes)
{
	uint64_t max = undeclared;

	if (!path)
		return undeclared;
	ask(sizes, path, in_bytes);
	if (sizes->supposed && strcmp(sizes->supposed, path) == 0)
		return sizes->supposed_max;
	return cel_env_size(sizes->env, path, &max) ? max : undeclared;
}

static const struct cel_type *
plain(const struct cel_type *type)
{
	while (type->kind == CEL_T_OPTIONAL || type->kind == CEL_T_WRAPPER)
		type = type->parameters[0];
	return type;
}

static uint64_t
optionals(const struct cel_type *type)
{
	uint64_t count = 0;

	for (; type->kind == CEL_T_OPTIONAL || type->kind == CEL_T_WRAPPER; type = type->parameters[0])
		count += type->kind == CEL_T_OPTIONAL;
	return count;
}

struct cost_extent
cost_extent_of(struct cost_sizes *sizes, const struct cel_type *type, const char *path)
{
	struct cost_extent extent = {.optionals = optionals(type), .type = plain(type), .path = path};

	switch (extent.type->kind) {
	case CEL_T_STRING:
	case CEL_T_BYTES:
		extent.bytes = size_of(sizes, path, CEL_SIZE_STRING, true);
		break;
	case CEL_T_LIST:
		extent.items = size_of(sizes, path, CEL_SIZE_LIST, false);
		break;
	case CEL_T_MAP:
		extent.items = size_of(sizes, path, CEL_SIZE_MAP, false);
		break;
	case CEL_T_RECORD:
		extent.items = extent.type->field_count;
		break;
	case CEL_T_DYN:
	case CEL_T_PARAM:
	case CEL_T_ABSTRACT:
		extent.bytes = size_of(sizes, path, CEL_SIZE_STRING, false);
		extent.items = size_of(sizes, path, CEL_SIZE_LIST, false);
		break;
	default:
		break;
	}
	return extent;
}

struct cost_extent
cost_extent_anything(void)
{
	return (struct cost_extent){.bytes = CEL_SIZE_STRING, .items = CEL_SIZE_LIST, .type = &dyn_type};
}

struct cost_extent
cost_extent_made(const struct cel_type *type)
{
	struct cost_extent extent = {.optionals = optionals(type), .type = plain(type)};

	extent.bytes = cost_extent_has_bytes(&extent) ? CEL_STRING_MAX : 0;
	extent.items = cost_extent_has_items(&extent) ? CEL_SIZE_MADE : 0;
	return extent;
}

struct cost_extent
cost_extent_scalar(void)
{
	return (struct cost_extent){.type = &int_type};
}

struct cost_extent
cost_extent_string(uint64_t bytes)
{
	return (struct cost_extent){.bytes = bytes < CEL_STRING_MAX ? bytes : CEL_STRING_MAX,
				    .type = &string_type};
}

static const struct cost_extent *
kept(struct arena *arena, struct cost_extent extent)
{
	struct cost_extent *copy = arena_take(arena, sizeof *copy);

	*copy = extent;
	return copy;
}

struct cost_extent
cost_extent_list(struct arena *arena, uint64_t items, struct cost_extent value)
{
	return (struct cost_extent){
	    .items = items, .type = cel_type_simple(CEL_T_LIST), .value = kept(arena, value)};
}

struct cost_extent
cost_extent_map(struct arena *arena, uint64_t items, struct cost_extent key, struct cost_extent value)
{
	key.items = 0; /* no list and no map is a key, whatever its type says */
	key.key = key.value = NULL;
	return (struct cost_extent){.items = items,
				    .type = cel_type_simple(CEL_T_MAP),
				    .key = kept(arena, key),
				    .value = kept(arena, value)};
}

bool
cost_extent_has_bytes(const struct cost_extent *extent)
{
	switch (extent->type->kind) {
	case CEL_T_STRING:
	case CEL_T_BYTES:
	case CEL_T_DYN:
	case CEL_T_PARAM:
	case CEL_T_ABSTRACT:
		return true;
	default:
		return false;
	}
}

bool
cost_extent_has_items(const struct cost_extent *extent)
{
	switch (extent->type->kind) {
	case CEL_T_LIST:
	case CEL_T_MAP:
	case CEL_T_RECORD:
	case CEL_T_DYN:
	case CEL_T_PARAM:
	case CEL_T_ABSTRACT:
		return true;
	default:
		return false;
	}
}

struct cost_extent
cost_extent_key(struct cost_sizes *sizes, const struct cost_extent *of)
{
	(void)sizes;
	if (of->key)
		return *of->key;
	if (of->type->kind == CEL_T_MAP && plain(of->type->parameters[0])->kind <= CEL_T_DOUBLE
	    && plain(of->type->parameters[0])->kind != CEL_T_DYN)
		return cost_extent_scalar();
	if (of->type->kind == CEL_T_MAP || of->type->kind == CEL_T_RECORD)
		return cost_extent_string(CEL_SIZE_KEY);
	return cost_extent_anything(); /* of dyn: a list's items are what one variable goes through */
}

struct cost_extent
cost_extent_value(struct cost_sizes *sizes, const struct cost_extent *of)
{
	const struct cel_type *type = &dyn_type;
	const char *path = of->path ? arena_format(sizes->arena, "%s[]", of->path) : NULL;

	if (of->value)
		return *of->value;
	if (of->type->kind == CEL_T_LIST)
		type = of->type->parameters[0];
	else if (of->type->kind == CEL_T_MAP)
		type = of->type->parameters[1];
	return cost_extent_of(sizes, type, path);
}

struct cost_extent
cost_extent_field(struct cost_sizes *sizes, const struct cost_extent *of, const char *name)
{
	uint64_t max;
	const char *path = of->path ? arena_format(sizes->arena, "%s.%s", of->path, name) : NULL;

	if (of->value)
		return *of->value;
	if (of->type->kind == CEL_T_RECORD) {
		for (size_t i = 0; i < of->type->field_count; i++)
			if (strcmp(of->type->fields[i].name, name) == 0)
				return cost_extent_of(sizes, of->type->fields[i].type, path);
		return cost_extent_anything();
	}
	if (of->type->kind == CEL_T_MAP && (!path || !cel_env_size(sizes->env, path, &max)))
		return cost_extent_value(sizes, of);
	return cost_extent_of(sizes, of->type->kind == CEL_T_MAP ? of->type->parameters[1] : &dyn_type, path);
}

static uint64_t
larger(uint64_t left, uint64_t right)
{
	return left > right ? left : right;
}

/* What the items of one side are, for a join: without paths where nothing but a path is known, for that has no end. */
static struct cost_extent
items_of(struct cost_sizes *sizes, const struct cost_extent *of)
{
	if (of->value || of->type->kind == CEL_T_LIST || of->type->kind == CEL_T_MAP)
		return cost_extent_value(sizes, of);
	return cost_extent_anything();
}

static bool
is_anything(const struct cost_extent *extent)
{
	return !extent->value && extent->type->kind != CEL_T_LIST && extent->type->kind != CEL_T_MAP;
}

struct cost_extent
cost_extent_join(struct cost_sizes *sizes, struct cost_extent left, struct cost_extent right)
{
	struct cost_extent joined = {
	    .optionals = larger(left.optionals, right.optionals),
	    .bytes = larger(left.bytes, right.bytes),
	    .items = larger(left.items, right.items),
	    .type = cel_type_same(left.type, right.type) ? left.type : &dyn_type,
	};

	if (joined.items == 0 || (is_anything(&left) && is_anything(&right)))
		return joined;
	struct cost_extent value = left.items ? items_of(sizes, &left) : items_of(sizes, &right);
	struct cost_extent key = left.items ? cost_extent_key(sizes, &left) : cost_extent_key(sizes, &right);
	if (left.items && right.items) {
		value = cost_extent_join(sizes, value, items_of(sizes, &right));
		key = cost_extent_join(sizes, key, cost_extent_key(sizes, &right));
	}
	joined.value = kept(sizes->arena, value);
	joined.key = kept(sizes->arena, key);
	return joined;
}

static uint64_t
values(struct cost_sizes *sizes, const struct cost_extent *extent, unsigned depth)
{
	uint64_t sum = cost_add(1, extent->optionals);
	struct cost_extent value;

	if (!cost_extent_has_items(extent) || extent->items == 0)
		return sum;
	if (depth >= DEPTH_MAX)
		return CEL_SIZE_VALUES;
	if (extent->type->kind == CEL_T_RECORD) {
		for (size_t i = 0; i < extent->type->field_count; i++) {
			value = cost_extent_field(sizes, extent, extent->type->fields[i].name);
			sum = cost_add(sum, values(sizes, &value, depth + 1));
		}
		return sum;
	}
	if (!extent->value && extent->type->kind == CEL_T_DYN)
		return CEL_SIZE_VALUES;
	value = cost_extent_value(sizes, extent);
	return cost_add(sum, cost_multiply(extent->items, values(sizes, &value, depth + 1)));
}

uint64_t
cost_extent_values(struct cost_sizes *sizes, const struct cost_extent *extent)
{
	return values(sizes, extent, 0);
}
