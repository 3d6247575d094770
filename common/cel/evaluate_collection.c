/* SPDX-License-Identifier: Apache-2.0 */
/* evaluate_collection.c - lists and maps: made from what is on the stack, or grown by a loop. */
#include "common/cel/evaluate.h"

#include <string.h>

static struct cel_value
no_overload(struct cel_machine *machine)
{
	return cel_fail(machine, CEL_NO_SUCH_OVERLOAD, NULL);
}

static const struct cel_value *
first_error(const struct cel_value *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (values[i].kind == CEL_ERROR)
			return &values[i];
	return NULL;
}

/* The item that a place marked with ? has: false with *wrong when it is no optional, false without when there is none. */
static bool
unwrap(struct cel_value *item, bool optional, bool *wrong)
{
	if (!optional)
		return true;
	if (item->kind != CEL_OPTIONAL) {
		*wrong = true;
		return false;
	}
	if (!item->as.optional)
		return false;
	*item = *item->as.optional;
	return true;
}

struct cel_value
cel_collect_list(struct cel_machine *machine, const struct cel_value *items, size_t count, const char *flags)
{
	const struct cel_value *error = first_error(items, count);
	struct cel_value *copy;
	bool wrong = false;
	size_t kept = 0;

	if (error)
		return *error;
	copy = cel_take(machine, count * sizeof *copy);
	if (!copy)
		return cel_fail(machine, CEL_MEMORY, NULL);
	for (size_t i = 0; i < count; i++) {
		copy[kept] = items[i];
		kept += unwrap(&copy[kept], flags && flags[i], &wrong);
	}
	return wrong ? no_overload(machine) : cel_make_list(machine, copy, kept);
}

struct cel_value
cel_collect_map(struct cel_machine *machine, const struct cel_value *pairs, size_t count, const char *flags)
{
	const struct cel_value *error = first_error(pairs, 2 * count);
	struct cel_entry *entries;
	bool wrong = false;
	size_t kept = 0;

	if (error)
		return *error;
	entries = cel_take(machine, count * sizeof *entries);
	if (!entries)
		return cel_fail(machine, CEL_MEMORY, NULL);
	for (size_t i = 0; i < count; i++) {
		entries[kept] = (struct cel_entry){pairs[2 * i], pairs[2 * i + 1]};
		kept += unwrap(&entries[kept].value, flags && flags[i], &wrong);
	}
	return wrong ? no_overload(machine) : cel_make_map(machine, entries, kept);
}

/* --- grown by a loop --- */

/* A list that has room for more; the value points to its head. */
struct list_builder {
	struct cel_list list;
	size_t room;
};

/* A map that cannot be searched before it is finished. */
struct map_builder {
	struct cel_map map;
	size_t room;
};

enum { ROOM_FIRST = 4 };

struct cel_value
cel_build(struct cel_machine *machine, bool map)
{
	struct list_builder *list;
	struct map_builder *entries;

	if (map) {
		entries = cel_take(machine, sizeof *entries);
		return entries ? (struct cel_value){.kind = CEL_MAP, .as.map = &entries->map}
			       : cel_fail(machine, CEL_MEMORY, NULL);
	}
	list = cel_take(machine, sizeof *list);
	return list ? (struct cel_value){.kind = CEL_LIST, .as.list = &list->list}
		    : cel_fail(machine, CEL_MEMORY, NULL);
}

/* The same items with room for twice as many; NULL: no memory. */
static void *
grow(struct cel_machine *machine, const void *items, size_t size, size_t count, size_t *room)
{
	size_t wider = *room ? 2 * *room : ROOM_FIRST;
	void *grown = cel_take(machine, wider * size);

	if (!grown)
		return NULL;
	if (count > 0)
		memcpy(grown, items, count * size);
	*room = wider;
	return grown;
}

struct cel_value
cel_build_append(struct cel_machine *machine, struct cel_value accumulator, struct cel_value item)
{
	struct list_builder *builder = (struct list_builder *)(uintptr_t)accumulator.as.list;
	struct cel_value *items;

	if (accumulator.kind == CEL_ERROR)
		return accumulator;
	if (item.kind == CEL_ERROR)
		return item;
	items = (struct cel_value *)(uintptr_t)builder->list.items;
	if (builder->list.count == builder->room)
		items = grow(machine, items, sizeof *items, builder->list.count, &builder->room);
	if (!items)
		return cel_fail(machine, CEL_MEMORY, NULL);
	items[builder->list.count++] = item;
	builder->list.items = items;
	return accumulator;
}

struct cel_value
cel_build_insert(struct cel_machine *machine, struct cel_value accumulator, struct cel_value key,
		 struct cel_value value)
{
	struct map_builder *builder = (struct map_builder *)(uintptr_t)accumulator.as.map;
	struct cel_entry *entries;

	if (accumulator.kind == CEL_ERROR)
		return accumulator;
	if (key.kind == CEL_ERROR || value.kind == CEL_ERROR)
		return key.kind == CEL_ERROR ? key : value;
	entries = (struct cel_entry *)(uintptr_t)builder->map.entries;
	if (builder->map.count == builder->room)
		entries = grow(machine, entries, sizeof *entries, builder->map.count, &builder->room);
	if (!entries)
		return cel_fail(machine, CEL_MEMORY, NULL);
	entries[builder->map.count++] = (struct cel_entry){key, value};
	builder->map.entries = entries;
	return accumulator;
}

struct cel_value
cel_build_merge(struct cel_machine *machine, struct cel_value accumulator, struct cel_value map)
{
	const struct cel_entry *entry;
	size_t position = 0;

	if (accumulator.kind == CEL_ERROR)
		return accumulator;
	if (map.kind == CEL_ERROR)
		return map;
	if (map.kind != CEL_MAP)
		return no_overload(machine);
	while ((entry = cel_map_next(map.as.map, &position)) != NULL) {
		if (!cel_charge(machine, 1))
			return cel_fail(machine, CEL_COST, NULL);
		accumulator = cel_build_insert(machine, accumulator, entry->key, entry->value);
	}
	return accumulator;
}

struct cel_value
cel_build_finish(struct cel_machine *machine, struct cel_value accumulator)
{
	if (accumulator.kind == CEL_ERROR)
		return accumulator;
	return cel_make_map(machine, accumulator.as.map->entries, accumulator.as.map->count);
}
