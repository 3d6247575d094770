/* SPDX-License-Identifier: Apache-2.0 */
/* value.c - making, comparing and ordering values. Maps are in map.c. */
#include "common/cel/value.h"
#include "common/cel/type.h"

#include <string.h>

#define EQUAL_DEPTH_MAX                                                                                      \
	1024 /* deeper than the nesting that sources, requests and cel.bind together can make */

static const char *const code_names[CEL_CODE_COUNT] = {
    [CEL_OK] = "ok",
    [CEL_NO_SUCH_FIELD] = "no_such_field",
    [CEL_NO_SUCH_OVERLOAD] = "no_such_overload",
    [CEL_OVERFLOW] = "overflow",
    [CEL_DIVISION_BY_ZERO] = "division_by_zero",
    [CEL_RANGE] = "range",
    [CEL_INDEX] = "index",
    [CEL_CONVERSION] = "conversion",
    [CEL_DUPLICATE_KEY] = "duplicate_key",
    [CEL_REGEX] = "regex",
    [CEL_COST] = "cost",
    [CEL_UNBOUND] = "unbound",
    [CEL_NOT_BOOL] = "not_bool",
    [CEL_DEPTH] = "depth",
    [CEL_MEMORY] = "memory",
    [CEL_SYNTAX] = "syntax",
    [CEL_UNDECLARED] = "undeclared",
    [CEL_TYPE_ERROR] = "type",
};

const char *
cel_code_name(enum cel_code code)
{
	return (unsigned)code < CEL_CODE_COUNT ? code_names[code] : "unknown";
}

struct cel_value
cel_list(struct arena *arena, const struct cel_value *items, size_t count)
{
	struct cel_list *list = arena_take(arena, sizeof *list);

	*list = (struct cel_list){count, items};
	return (struct cel_value){.kind = CEL_LIST, .as.list = list};
}

static int
order_of(bool less, bool more)
{
	return more - less;
}

/* 2 when one of them is no number. */
static int
order_doubles(double left, double right)
{
	if (left != left || right != right)
		return 2;
	return order_of(left<right, left> right);
}

static bool
is_number(struct cel_value value)
{
	return value.kind == CEL_INT || value.kind == CEL_UINT || value.kind == CEL_DOUBLE;
}

static double
as_double(struct cel_value value)
{
	if (value.kind == CEL_INT)
		return (double)value.as.integer;
	return value.kind == CEL_UINT ? (double)value.as.natural : value.as.real;
}

/* An integer against a double goes by way of double, though that loses digits above 2^53: so says the conformance suite. */
static int
order_numbers(struct cel_value left, struct cel_value right)
{
	if (left.kind == CEL_DOUBLE || right.kind == CEL_DOUBLE)
		return order_doubles(as_double(left), as_double(right));
	if (left.kind == CEL_INT && right.kind == CEL_INT)
		return order_of(left.as.integer<right.as.integer, left.as.integer> right.as.integer);
	if (left.kind == CEL_INT && left.as.integer < 0)
		return -1;
	if (right.kind == CEL_INT && right.as.integer < 0)
		return 1;
	/* none is negative: the bits of both are those of a natural number */
	uint64_t less = left.kind == CEL_INT ? (uint64_t)left.as.integer : left.as.natural;
	uint64_t more = right.kind == CEL_INT ? (uint64_t)right.as.integer : right.as.natural;
	return order_of(less<more, less> more);
}

static int
order_bytes(struct cel_value left, struct cel_value right)
{
	uint32_t both = left.extra < right.extra ? left.extra : right.extra;
	int order = both ? memcmp(left.as.bytes, right.as.bytes, both) : 0;

	return order ? order_of(order < 0, order > 0)
		     : order_of(left.extra<right.extra, left.extra> right.extra);
}

bool
cel_order(struct cel_value left, struct cel_value right, int *order)
{
	if (is_number(left) && is_number(right)) {
		*order = order_numbers(left, right);
		return true;
	}
	if (left.kind != right.kind)
		return false;
	switch (left.kind) {
	case CEL_BOOL:
		*order = left.as.boolean - right.as.boolean;
		return true;
	case CEL_STRING:
	case CEL_BYTES:
		*order = order_bytes(left, right);
		return true;
	case CEL_TIMESTAMP:
		*order = order_of(left.as.integer<right.as.integer, left.as.integer> right.as.integer);
		if (*order == 0)
			*order = order_of(left.extra<right.extra, left.extra> right.extra);
		return true;
	case CEL_DURATION:
		*order = order_of(left.as.integer<right.as.integer, left.as.integer> right.as.integer);
		return true;
	default:
		return false;
	}
}

static bool equal(struct cel_value left, struct cel_value right, uint64_t *units, unsigned depth);

static bool
equal_lists(const struct cel_list *left, const struct cel_list *right, uint64_t *units, unsigned depth)
{
	if (left->count != right->count)
		return false;
	for (size_t i = 0; i < left->count; i++)
		if (!equal(left->items[i], right->items[i], units, depth + 1))
			return false;
	return true;
}

static bool
equal_maps(const struct cel_map *left, const struct cel_map *right, uint64_t *units, unsigned depth)
{
	const struct cel_entry *entry;
	size_t position = 0;

	if (left->present != right->present)
		return false;
	while ((entry = cel_map_next(left, &position)) != NULL) {
		const struct cel_value *other = cel_map_find(right, entry->key);

		if (!other || !equal(entry->value, *other, units, depth + 1))
			return false;
	}
	return true;
}

static bool
equal_addresses(const struct cel_address *left, const struct cel_address *right)
{
	return left->length == right->length && left->prefix == right->prefix
	       && memcmp(left->bytes, right->bytes, left->length) == 0;
}

static bool
equal_optionals(const struct cel_value *left, const struct cel_value *right, uint64_t *units, unsigned depth)
{
	if (!left || !right)
		return !left && !right;
	return equal(*left, *right, units, depth + 1);
}

/* Lists that hold a list twice that holds a list twice … take time doubling with each level: past the limit there is no answer. */
static bool
given_up(uint64_t *units, unsigned depth)
{
	if (*units >= CEL_EQUAL_UNITS_MAX || depth > EQUAL_DEPTH_MAX)
		*units = UINT64_MAX;
	else
		*units += 1;
	return *units == UINT64_MAX;
}

static bool
equal(struct cel_value left, struct cel_value right, uint64_t *units, unsigned depth)
{
	if (given_up(units, depth))
		return false;
	if (left.kind != right.kind)
		return is_number(left) && is_number(right) && order_numbers(left, right) == 0;
	switch (left.kind) {
	case CEL_NULL:
		return true;
	case CEL_BOOL:
		return left.as.boolean == right.as.boolean;
	case CEL_INT:
	case CEL_DURATION:
		return left.as.integer == right.as.integer;
	case CEL_UINT:
		return left.as.natural == right.as.natural;
	case CEL_DOUBLE:
		return left.as.real == right.as.real;
	case CEL_STRING:
	case CEL_BYTES:
		return left.extra == right.extra
		       && (left.extra == 0 || memcmp(left.as.bytes, right.as.bytes, left.extra) == 0);
	case CEL_TIMESTAMP:
		return left.as.integer == right.as.integer && left.extra == right.extra;
	case CEL_LIST:
		return equal_lists(left.as.list, right.as.list, units, depth);
	case CEL_MAP:
		return equal_maps(left.as.map, right.as.map, units, depth);
	case CEL_TYPE: /* list<int> and list<string> are one type at run time */
		return left.as.type == right.as.type
		       || strcmp(cel_type_name(left.as.type), cel_type_name(right.as.type)) == 0;
	case CEL_OPTIONAL:
		return equal_optionals(left.as.optional, right.as.optional, units, depth);
	case CEL_IP:
	case CEL_CIDR:
		return equal_addresses(left.as.address, right.as.address);
	default:
		return false;
	}
}

bool
cel_equal(struct cel_value left, struct cel_value right, uint64_t *units)
{
	uint64_t own = 0;
	bool same = equal(left, right, &own, 0);

	if (__builtin_add_overflow(*units, own, units))
		*units = UINT64_MAX;
	return same;
}
