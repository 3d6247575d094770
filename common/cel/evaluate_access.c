/* SPDX-License-Identifier: Apache-2.0 */
/* evaluate_access.c - looking into values: fields, indices, membership, equality, order; and the choice of an overload. */
#include "common/cel/evaluate.h"
#include "common/cel/cost.h"

#include <string.h>

static struct cel_value
no_overload(struct cel_machine *machine)
{
	return cel_fail(machine, CEL_NO_SUCH_OVERLOAD, NULL);
}

static struct cel_value
none(void)
{
	return (struct cel_value){.kind = CEL_OPTIONAL};
}

/* --- fields and indices --- */

/* The place of a list that a key means. CEL_OK, CEL_INDEX, CEL_NO_SUCH_OVERLOAD. */
static enum cel_code
list_place(const struct cel_list *list, struct cel_value key, size_t *place)
{
	uint64_t number;

	switch (key.kind) {
	case CEL_INT:
		number = key.as.integer < 0 ? UINT64_MAX : (uint64_t)key.as.integer;
		break;
	case CEL_UINT:
		number = key.as.natural;
		break;
	case CEL_DOUBLE:
		number = key.as.real >= 0 && key.as.real < 0x1p53 ? (uint64_t)key.as.real : UINT64_MAX;
		if (number != UINT64_MAX && (double)number != key.as.real)
			return CEL_INDEX;
		break;
	default:
		return CEL_NO_SUCH_OVERLOAD;
	}
	*place = number;
	return number < list->count ? CEL_OK : CEL_INDEX;
}

/* What lies under the key, or NULL with *code: CEL_NO_SUCH_FIELD and CEL_INDEX say that there is nothing, others that the question is wrong. */
static const struct cel_value *
find(struct cel_value container, struct cel_value key, enum cel_code *code)
{
	const struct cel_value *found;
	size_t place;

	*code = CEL_NO_SUCH_OVERLOAD;
	if (container.kind == CEL_LIST) {
		*code = list_place(container.as.list, key, &place);
		return *code == CEL_OK ? &container.as.list->items[place] : NULL;
	}
	if (container.kind != CEL_MAP)
		return NULL;
	found = cel_map_find(container.as.map, key);
	if (key.kind == CEL_BOOL || key.kind == CEL_INT || key.kind == CEL_UINT || key.kind == CEL_DOUBLE
	    || key.kind == CEL_STRING)
		*code = CEL_NO_SUCH_FIELD;
	return found;
}

/* Half an index is no index at all, where nothing could be. */
static bool
is_whole(struct cel_value key)
{
	return key.kind != CEL_DOUBLE || __builtin_trunc(key.as.real) == key.as.real;
}

/* Through an optional everything is optional: a.?b.c is a.?b.?c. */
static struct cel_value
access(struct cel_machine *machine, struct cel_value container, struct cel_value key, bool optional)
{
	bool through = container.kind == CEL_OPTIONAL;
	const struct cel_value *found;
	enum cel_code code;

	if (through) {
		if (!container.as.optional)
			return none();
		container = *container.as.optional;
	}
	found = find(container, key, &code);
	if (!through && !optional)
		return found ? *found : cel_fail(machine, code, NULL);
	if (found)
		return cel_make_optional(machine, *found);
	return code == CEL_NO_SUCH_FIELD || (code == CEL_INDEX && is_whole(key))
		   ? none()
		   : cel_fail(machine, code, NULL);
}

struct cel_value
cel_index(struct cel_machine *machine, struct cel_value container, struct cel_value key, bool optional)
{
	return access(machine, container, key, optional);
}

/* A list has no fields, though it has indices. */
static bool
has_fields(struct cel_value container)
{
	if (container.kind == CEL_OPTIONAL && container.as.optional)
		container = *container.as.optional;
	return container.kind == CEL_MAP || container.kind == CEL_OPTIONAL;
}

struct cel_value
cel_select(struct cel_machine *machine, struct cel_value container, struct cel_value name, bool optional)
{
	struct cel_value result;

	if (!has_fields(container))
		return no_overload(machine);
	result = access(machine, container, name, optional);
	if (result.kind == CEL_ERROR && result.code == CEL_NO_SUCH_FIELD)
		result.as.text =
		    name.as.bytes; /* a constant: it ends with a NUL and lives as long as the program */
	return result;
}

struct cel_value
cel_has(struct cel_machine *machine, struct cel_value container, struct cel_value name)
{
	if (container.kind == CEL_OPTIONAL) {
		if (!container.as.optional)
			return cel_bool(false);
		container = *container.as.optional;
	}
	if (container.kind != CEL_MAP)
		return no_overload(machine);
	return cel_bool(cel_map_find(container.as.map, name) != NULL);
}

/* --- equality, order, membership --- */

struct cel_value
cel_same(struct cel_machine *machine, struct cel_value left, struct cel_value right, bool negated)
{
	uint64_t units = 0;
	bool same = cel_equal(left, right, &units);

	if (!cel_machine_charge(machine, units))
		return cel_fail(machine, CEL_COST, NULL);
	return cel_bool(same != negated);
}

struct cel_value
cel_relate(struct cel_machine *machine, struct cel_value left, struct cel_value right,
	   enum cel_relation relation)
{
	int order;

	if (!cel_order(left, right, &order))
		return no_overload(machine);
	if (order == 2)
		return cel_bool(false);
	switch (relation) {
	case RELATION_LESS:
		return cel_bool(order < 0);
	case RELATION_LESS_EQUAL:
		return cel_bool(order <= 0);
	case RELATION_GREATER:
		return cel_bool(order > 0);
	default:
		return cel_bool(order >= 0);
	}
}

static struct cel_value
among(struct cel_machine *machine, struct cel_value item, const struct cel_value *items, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t units = 0;
		bool same = cel_equal(item, items[i], &units);

		if (!cel_machine_charge(machine, units))
			return cel_fail(machine, CEL_COST, NULL);
		if (same)
			return cel_bool(true);
	}
	return cel_bool(false);
}

struct cel_value
cel_in(struct cel_machine *machine, struct cel_value item, struct cel_value container)
{
	if (container.kind == CEL_LIST)
		return among(machine, item, container.as.list->items, container.as.list->count);
	if (container.kind == CEL_MAP)
		return cel_bool(cel_map_find(container.as.map, item) != NULL);
	return no_overload(machine);
}

static bool
same_string(struct cel_value left, struct cel_value right)
{
	return left.extra == right.extra
	       && (left.extra == 0 || memcmp(left.as.bytes, right.as.bytes, left.extra) == 0);
}

static bool
string_in(struct cel_value item, const struct cel_set *set)
{
	if (!set->table) {
		for (size_t i = 0; i < set->count; i++)
			if (same_string(item, set->items[i]))
				return true;
		return false;
	}
	for (size_t place = cel_set_hash(item.as.bytes, item.extra) & set->mask; set->table[place] != 0;
	     place = (place + 1) & set->mask)
		if (same_string(item, set->items[set->table[place] - 1]))
			return true;
	return false;
}

struct cel_value
cel_in_set(struct cel_machine *machine, struct cel_value item, const struct cel_set *set)
{
	if (!set->strings)
		return among(machine, item, set->items, set->count);
	machine->cost += CEL_COST_STEP;
	return cel_bool(item.kind == CEL_STRING && string_in(item, set));
}

/* --- calls --- */

struct cel_value
cel_call(struct cel_machine *machine, const struct cel_function_entry *function, bool member,
	 const struct cel_value *arguments, size_t count)
{
	bool known = false;

	if (!cel_machine_charge(machine, CEL_COST_STEP))
		return cel_fail(machine, CEL_COST, NULL);
	for (const struct cel_signature *s = function->signatures; s; s = s->next) {
		if (!cel_signature_takes(s, member, arguments, count))
			continue;
		if (s->overload->call)
			return s->overload->call(machine, arguments, count);
		known = true;
	}
	for (size_t i = 0; i < count; i++)
		if (arguments[i].kind == CEL_ERROR)
			return arguments[i];
	return known ? cel_fail(machine, CEL_UNBOUND, function->name) : no_overload(machine);
}
