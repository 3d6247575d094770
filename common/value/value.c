/* SPDX-License-Identifier: Apache-2.0 */
/* value.c - building, reading and comparing values. Pure: memory comes from the arena that is handed in. */
#include "common/value/value.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { ROOM_FIRST = 8 };

static struct value *
value_of(struct arena *arena, enum value_kind kind)
{
	struct value *value = arena_take(arena, sizeof *value);

	value->kind = kind;
	return value;
}

struct value *
value_null(struct arena *arena)
{
	return value_of(arena, VALUE_NULL);
}

struct value *
value_bool(struct arena *arena, bool boolean)
{
	struct value *value = value_of(arena, VALUE_BOOL);

	value->as.boolean = boolean;
	return value;
}

struct value *
value_int(struct arena *arena, int64_t integer)
{
	struct value *value = value_of(arena, VALUE_INT);

	value->as.integer = integer;
	return value;
}

struct value *
value_real(struct arena *arena, double real)
{
	struct value *value = value_of(arena, VALUE_REAL);

	assert(isfinite(real));
	value->as.real = real;
	return value;
}

struct value *
value_text(struct arena *arena, const char *bytes, size_t length)
{
	struct value *value = value_of(arena, VALUE_STRING);

	assert(length == 0 || !memchr(bytes, '\0', length));
	value->as.string.bytes = arena_copy(arena, bytes, length);
	value->as.string.length = length;
	return value;
}

struct value *
value_string(struct arena *arena, const char *text)
{
	return text ? value_text(arena, text, strlen(text)) : value_null(arena);
}

struct value *
value_list(struct arena *arena)
{
	return value_of(arena, VALUE_LIST);
}

struct value *
value_map(struct arena *arena)
{
	return value_of(arena, VALUE_MAP);
}

/* Room for one more element; returns the array to use from now on. */
static void *
with_room(struct arena *arena, void *array, size_t count, size_t *room, size_t size)
{
	if (count < *room)
		return array;

	size_t more = *room ? 2 * *room : ROOM_FIRST;
	void *larger = arena_take_array(arena, more, size);

	if (count)
		memcpy(larger, array, count * size);
	*room = more;
	return larger;
}

void
value_append(struct arena *arena, struct value *list, struct value *item)
{
	assert(list->kind == VALUE_LIST && item);
	list->as.list.items = with_room(arena, list->as.list.items, list->as.list.count, &list->as.list.room,
					sizeof *list->as.list.items);
	list->as.list.items[list->as.list.count++] = item;
}

static bool
text_equal(struct text left, struct text right)
{
	return left.length == right.length && memcmp(left.bytes, right.bytes, left.length) == 0;
}

static struct value *
find(const struct value *map, struct text name)
{
	for (size_t i = 0; i < map->as.map.count; i++)
		if (text_equal(map->as.map.members[i].name, name))
			return map->as.map.members[i].value;
	return NULL;
}

void
value_set(struct arena *arena, struct value *map, const char *name, struct value *value)
{
	struct text text = {name, strlen(name)};

	assert(map->kind == VALUE_MAP && value);
	assert(!find(map, text));
	text.bytes = arena_copy(arena, name, text.length);
	map->as.map.members = with_room(arena, map->as.map.members, map->as.map.count, &map->as.map.room,
					sizeof *map->as.map.members);
	map->as.map.members[map->as.map.count++] = (struct value_member){text, value};
}

void
value_set_string(struct arena *arena, struct value *map, const char *name, const char *text)
{
	if (text)
		value_set(arena, map, name, value_string(arena, text));
}

struct value *
value_get(const struct value *map, const char *name)
{
	if (!map || map->kind != VALUE_MAP)
		return NULL;
	return find(map, (struct text){name, strlen(name)});
}

const char *
value_get_string(const struct value *map, const char *name)
{
	const struct value *value = value_get(map, name);

	return value && value->kind == VALUE_STRING ? value->as.string.bytes : NULL;
}

/* Exactly, without rounding the integer to a double first. */
static bool
integer_equals_real(int64_t integer, double real)
{
	if (!(real >= -0x1p63 && real < 0x1p63))
		return false;
	return (int64_t)real == integer && (double)(int64_t)real == real;
}

static bool
number_equal(const struct value *left, const struct value *right)
{
	if (left->kind == right->kind)
		return left->kind == VALUE_INT ? left->as.integer == right->as.integer
					       : left->as.real == right->as.real;
	return left->kind == VALUE_INT ? integer_equals_real(left->as.integer, right->as.real)
				       : integer_equals_real(right->as.integer, left->as.real);
}

static bool
list_equal(const struct value *left, const struct value *right)
{
	if (left->as.list.count != right->as.list.count)
		return false;
	for (size_t i = 0; i < left->as.list.count; i++)
		if (!value_equal(left->as.list.items[i], right->as.list.items[i]))
			return false;
	return true;
}

/* Names are distinct in each, so equal counts and every left member on the right is equality. */
static bool
map_equal(const struct value *left, const struct value *right)
{
	if (left->as.map.count != right->as.map.count)
		return false;
	for (size_t i = 0; i < left->as.map.count; i++) {
		const struct value *other = find(right, left->as.map.members[i].name);

		if (!other || !value_equal(left->as.map.members[i].value, other))
			return false;
	}
	return true;
}

static bool
is_number(const struct value *value)
{
	return value->kind == VALUE_INT || value->kind == VALUE_REAL;
}

bool
value_equal(const struct value *left, const struct value *right)
{
	if (is_number(left) && is_number(right))
		return number_equal(left, right);
	if (left->kind != right->kind)
		return false;
	switch (left->kind) {
	case VALUE_NULL:
		return true;
	case VALUE_BOOL:
		return left->as.boolean == right->as.boolean;
	case VALUE_STRING:
		return text_equal(left->as.string, right->as.string);
	case VALUE_LIST:
		return list_equal(left, right);
	case VALUE_MAP:
		return map_equal(left, right);
	case VALUE_INT:
	case VALUE_REAL:
		break; /* above */
	}
	return false;
}

const char *
value_kind_name(enum value_kind kind)
{
	static const char *const names[] = {"null", "bool", "int", "real", "string", "list", "map"};

	return (size_t)kind < sizeof names / sizeof *names ? names[kind] : "unknown";
}
