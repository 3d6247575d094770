/* SPDX-License-Identifier: Apache-2.0 */
/* building.c - limits and places of what is being read, whichever form it has. */
#include "common/document/building.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INTEGER_MAX INT64_C(9007199254740991) /* 2^53 - 1 */

static bool
is_limit(const char *word)
{
	static const char *const words[] = {
	    "too_large",    "too_deep", "too_many_members", "too_many_items", "string_too_long",
	    "key_too_long", NULL};

	for (size_t i = 0; words[i]; i++)
		if (strcmp(words[i], word) == 0)
			return true;
	return false;
}

bool
building_refuse(const struct building *building, struct stretch at, const char *word, const char *format, ...)
{
	char text[ERROR_TEXT_SIZE];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	return findings_add(
	    building->findings,
	    (struct finding){
		.code = is_limit(word) ? "E04" : "E01", .word = word, .path = "", .text = text, .at = at});
}

struct stretch
building_stretch(const struct building *building, size_t start, size_t end)
{
	size_t low = 0, high = building->line_count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (building->lines[middle] <= start)
			low = middle;
		else
			high = middle;
	}
	return (struct stretch){.line = (uint32_t)low + 1,
				.column = (uint32_t)(start - building->lines[low]) + 1,
				.start = (uint32_t)start,
				.end = (uint32_t)end};
}

/* Line feeds are what every editor counts, also those of CR LF. */
static bool
count_lines(struct building *building)
{
	struct text text = building->source;
	size_t count = 1, characters = 0, line = 0;

	for (const char *at = text.bytes; (at = memchr(at, '\n', text.length - (size_t)(at - text.bytes))); at++)
		count++;
	building->lines = arena_take_array(building->arena, count, sizeof *building->lines);
	building->line_count = 1;
	for (size_t at = 0; at < text.length; characters++) {
		uint32_t point;
		size_t length = value_utf8_decode(text.bytes + at, text.length - at, &point);

		if (length == 0 || point == 0)
			return building_refuse(building, building_stretch(building, characters, characters + 1),
					       "encoding", length ? "a zero byte" : "is not UTF-8");
		at += length;
		if (point != '\n')
			continue;
		building->lines[++line] = (uint32_t)characters + 1;
		building->line_count++;
	}
	return true;
}

bool
building_begin(struct building *building)
{
	static const struct stretch nowhere = {.line = 1, .column = 1};
	struct text text = building->source;

	if (text.length > building->limits->bytes)
		return building_refuse(building, nowhere, "too_large", "%zu bytes, more than %zu",
				       text.length, building->limits->bytes);
	if (text.length == 0)
		return building_refuse(building, nowhere, "empty", "there is nothing in it");
	if (text.length >= 3 && memcmp(text.bytes, "\xEF\xBB\xBF", 3) == 0)
		return building_refuse(building, nowhere, "encoding",
				       "begins with a byte order mark: save it without");
	return count_lines(building);
}

struct value *
building_string(const struct building *building, struct stretch at, struct text text)
{
	if (text.length <= building->limits->string)
		return value_text(building->arena, text.bytes, text.length);
	building_refuse(building, at, "string_too_long", "more bytes in a string than %zu",
			building->limits->string);
	return NULL;
}

/* 1e-400 is no 0. */
static bool
becomes_zero(const char *text, double real)
{
	size_t mantissa = strcspn(text, "eE");

	return real == 0 && strcspn(text, "123456789") < mantissa;
}

struct value *
building_number(const struct building *building, struct stretch at, struct text text)
{
	char *digits = arena_copy(building->arena, text.bytes, text.length);

	if (strcspn(digits, ".eE") == text.length) {
		int64_t integer = strtoll(digits, NULL, 10); /* what is beyond becomes the greatest */

		if (integer >= -INTEGER_MAX && integer <= INTEGER_MAX)
			return value_int(building->arena, integer);
		building_refuse(building, at, "number_range", "an integer beyond 2^53-1");
		return NULL;
	}

	double real = strtod(digits, NULL), size = fabs(real);

	/* RFC 8785 writes a real from 2^53 up to 1e21 as an integer */
	if (isfinite(real) && !becomes_zero(digits, real) && !(size > (double)INTEGER_MAX && size < 1e21))
		return value_real(building->arena, real == 0 ? 0.0 : real);
	building_refuse(building, at, "number_range", "%s",
			becomes_zero(digits, real) ? "a number too small to be told from 0"
						   : "a number beyond 2^53-1 that can't be written exactly");
	return NULL;
}

static void
grow(const struct building *building, struct container *container)
{
	size_t room = container->room ? 2 * container->room : 8;
	struct value_member *members = arena_take_array(building->arena, room, sizeof *members);
	struct spot *spots = arena_take_array(building->arena, room, sizeof *spots);

	if (container->count) {
		memcpy(members, container->members, container->count * sizeof *members);
		memcpy(spots, container->spots, container->count * sizeof *spots);
	}
	container->members = members;
	container->spots = spots;
	container->room = room;
}

bool
building_add(const struct building *building, struct container *container, struct text name,
	     struct stretch name_at, struct node node)
{
	const struct json_limits *limits = building->limits;
	size_t max = container->is_map ? limits->keys : limits->items;

	if (name.length > limits->key)
		return building_refuse(building, name_at, "key_too_long", "more bytes in a name than %zu",
				       limits->key);
	if (container->count == max)
		return building_refuse(building, container->at,
				       container->is_map ? "too_many_members" : "too_many_items",
				       "more %s than %zu", container->is_map ? "members" : "items", max);
	if (container->count == container->room)
		grow(building, container);
	node.spot.name = name_at;
	container->members[container->count] = (struct value_member){name, node.value};
	container->spots[container->count++] = node.spot;
	return true;
}

static int
compare_names(const void *left, const void *right)
{
	const struct value_member *a = *(const struct value_member *const *)left,
				  *b = *(const struct value_member *const *)right;
	size_t shorter = a->name.length < b->name.length ? a->name.length : b->name.length;
	int order = memcmp(a->name.bytes, b->name.bytes, shorter);

	if (order == 0 && a->name.length != b->name.length)
		order = a->name.length < b->name.length ? -1 : 1;
	return order ? order : (a > b) - (a < b);
}

static bool
same_name(const struct value_member *left, const struct value_member *right)
{
	return left->name.length == right->name.length
	       && memcmp(left->name.bytes, right->name.bytes, left->name.length) == 0;
}

static bool
names_are_distinct(const struct building *building, const struct container *map)
{
	const struct value_member **members = arena_take_array(building->arena, map->count, sizeof *members);
	bool good = true;

	for (size_t i = 0; i < map->count; i++)
		members[i] = &map->members[i];
	qsort(members, map->count, sizeof *members, compare_names);
	for (size_t i = 1; i < map->count; i++)
		if (same_name(members[i - 1], members[i]))
			good = building_refuse(building, map->spots[members[i] - map->members].name,
					       "duplicate_key", "this name stands here twice, first in line %u",
					       (unsigned)map->spots[members[i - 1] - map->members].name.line);
	return good;
}

bool
building_close(const struct building *building, const struct container *container, struct node *node)
{
	struct value *value = container->is_map ? value_map(building->arena) : value_list(building->arena);

	if (container->is_map && !names_are_distinct(building, container))
		return false;
	if (container->is_map) {
		value->as.map.members = container->members;
		value->as.map.count = container->count;
		value->as.map.room = container->room;
	} else {
		value->as.list.items =
		    arena_take_array(building->arena, container->count, sizeof *value->as.list.items);
		for (size_t i = 0; i < container->count; i++)
			value->as.list.items[i] = container->members[i].value;
		value->as.list.count = value->as.list.room = container->count;
	}
	node->value = value;
	node->spot = (struct spot){.value = container->at, .below = container->spots};
	return true;
}
