/* SPDX-License-Identifier: Apache-2.0 */
/* library_text.c - what makes or looks through strings, bytes, lists and maps. Each pass over one is charged before it is made. */
#include "common/cel/library_standard.h"
#include "common/cel/cost.h"
#include "common/cel/search.h"
#include "common/regex/regex.h"

#include <string.h>

static struct cel_value
out_of_cost(struct cel_machine *machine)
{
	return cel_fail(machine, CEL_COST, NULL);
}

static struct cel_value
out_of_memory(struct cel_machine *machine)
{
	return cel_fail(machine, CEL_MEMORY, NULL);
}

static struct cel_value
add_bytes(struct cel_machine *machine, const struct cel_value *arguments)
{
	struct cel_value left = arguments[0], right = arguments[1];
	size_t length = (size_t)left.extra + right.extra;
	char *bytes;

	if (length > cel_string_max(machine) || length > UINT32_MAX)
		return out_of_memory(machine);
	if (!cel_charge_bytes(machine, length))
		return out_of_cost(machine);
	bytes = cel_take(machine, length);
	if (!bytes)
		return out_of_memory(machine);
	if (left.extra)
		memcpy(bytes, left.as.bytes, left.extra);
	if (right.extra)
		memcpy(bytes + left.extra, right.as.bytes, right.extra);
	left.as.bytes = bytes;
	left.extra = (uint32_t)length;
	return left;
}

struct cel_value
cel_string_add(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)count;
	return add_bytes(machine, arguments);
}

struct cel_value
cel_bytes_add(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)count;
	return add_bytes(machine, arguments);
}

struct cel_value
cel_list_add(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	const struct cel_list *left = arguments[0].as.list, *right = arguments[1].as.list;
	struct cel_value *items;

	(void)count;
	if (!cel_charge(machine, CEL_COST_STEP * (left->count + right->count)))
		return out_of_cost(machine);
	items = cel_take(machine, (left->count + right->count) * sizeof *items);
	if (!items)
		return out_of_memory(machine);
	if (left->count)
		memcpy(items, left->items, left->count * sizeof *items);
	if (right->count)
		memcpy(items + left->count, right->items, right->count * sizeof *items);
	return cel_make_list(machine, items, left->count + right->count);
}

/* --- maps --- */

static size_t
copy_entries(struct cel_entry *entries, const struct cel_map *map)
{
	const struct cel_entry *entry;
	size_t position = 0, count = 0;

	while ((entry = cel_map_next(map, &position)) != NULL)
		entries[count++] = *entry;
	return count;
}

static struct cel_value
joined_map(struct cel_machine *machine, const struct cel_map *left, const struct cel_map *right)
{
	struct cel_entry *entries;
	size_t count;

	if (!cel_charge(machine, CEL_COST_STEP * (left->present + right->present)))
		return out_of_cost(machine);
	entries = cel_take(machine, (left->present + right->present) * sizeof *entries);
	if (!entries)
		return out_of_memory(machine);
	count = copy_entries(entries, left);
	count += copy_entries(entries + count, right);
	return cel_make_map(machine, entries, count);
}

struct cel_value
cel_map_insert(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	struct cel_entry entry = {arguments[1], arguments[2]};
	struct cel_map one = {.count = 1, .present = 1, .entries = &entry};

	(void)count;
	return joined_map(machine, arguments[0].as.map, &one);
}

struct cel_value
cel_map_merge(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)count;
	return joined_map(machine, arguments[0].as.map, arguments[1].as.map);
}

/* --- sizes --- */

/* Code points: bytes that begin one. */
struct cel_value
cel_string_size(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	int64_t points = 0;

	(void)count;
	if (!cel_charge_bytes(machine, arguments[0].extra))
		return out_of_cost(machine);
	for (uint32_t i = 0; i < arguments[0].extra; i++)
		points += (arguments[0].as.bytes[i] & 0xC0) != 0x80;
	return cel_int(points);
}

struct cel_value
cel_bytes_size(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)machine;
	(void)count;
	return cel_int(arguments[0].extra);
}

struct cel_value
cel_list_size(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)machine;
	(void)count;
	return cel_int((int64_t)arguments[0].as.list->count);
}

struct cel_value
cel_map_size(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)machine;
	(void)count;
	return cel_int((int64_t)arguments[0].as.map->present);
}

/* --- looking for text --- */

struct cel_value
cel_string_contains(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)count;
	if (!cel_charge_bytes(machine, arguments[0].extra) || !cel_charge_bytes(machine, arguments[1].extra))
		return out_of_cost(machine);
	return cel_bool(
	    cel_search(arguments[0].as.bytes, arguments[0].extra, arguments[1].as.bytes, arguments[1].extra)
	    != SIZE_MAX);
}

/* Is the second argument what lies at this place of the first? */
static struct cel_value
lies_at(struct cel_machine *machine, const struct cel_value *arguments, bool end)
{
	struct cel_value text = arguments[0], part = arguments[1];

	if (!cel_charge_bytes(machine, part.extra))
		return out_of_cost(machine);
	if (part.extra > text.extra)
		return cel_bool(false);
	return cel_bool(
	    part.extra == 0
	    || memcmp(text.as.bytes + (end ? text.extra - part.extra : 0), part.as.bytes, part.extra) == 0);
}

struct cel_value
cel_string_starts(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)count;
	return lies_at(machine, arguments, false);
}

struct cel_value
cel_string_ends(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)count;
	return lies_at(machine, arguments, true);
}

/* A pattern that is known only now is compiled now, and thrown away. Those that are literals never come here. */
struct cel_value
cel_string_matches(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	struct cel_value text = arguments[0], pattern = arguments[1];
	uint64_t product = (uint64_t)text.extra * pattern.extra;
	struct error error = {0};
	struct regex *regex;
	bool found;

	(void)count;
	if (!cel_charge(machine, CEL_COST_REGEX_OPEN + CEL_COST_REGEX_OPEN_BYTE * (uint64_t)pattern.extra)
	    || !cel_charge(machine, (product + CEL_COST_REGEX_DIVISOR - 1) / CEL_COST_REGEX_DIVISOR))
		return out_of_cost(machine);
	regex = regex_open(pattern.extra ? pattern.as.bytes : "", pattern.extra, &error);
	if (!regex)
		return cel_fail(machine, CEL_REGEX, NULL);
	found = regex_search(regex, text.extra ? text.as.bytes : "", text.extra);
	regex_close(regex);
	return cel_bool(found);
}
