/* SPDX-License-Identifier: Apache-2.0 */
/* library_strings.c - the strings extension of cel-go, its version 5: positions count code points from 0, case is ASCII's alone. */
#include "common/cel/text.h"
#include "common/value/value.h"

#include <string.h>

/* Counts one pass over the strings among the first `strings` arguments. */
static bool
charge(struct cel_machine *machine, const struct cel_value *arguments, size_t strings)
{
	size_t bytes = 0;

	for (size_t i = 0; i < strings; i++)
		bytes += arguments[i].kind == CEL_STRING ? arguments[i].extra : 0;
	return cel_charge_bytes(machine, bytes);
}

static struct cel_value
too_expensive(struct cel_machine *machine)
{
	return cel_fail(machine, CEL_COST, NULL);
}

static struct cel_value
out_of_range(struct cel_machine *machine)
{
	return cel_fail(machine, CEL_RANGE, "a position outside the string");
}

/* A part of the string; nothing is copied. */
static struct cel_value
part_of(struct cel_text text, size_t from, size_t to)
{
	return cel_string(text.bytes + from, to - from);
}

/* --- positions --- */

static struct cel_value
char_at(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	struct cel_text text = cel_text_of(arguments[0]);
	size_t at;

	(void)count;
	if (!charge(machine, arguments, 1))
		return too_expensive(machine);
	if (!cel_text_offset(text, arguments[1].as.integer, &at))
		return out_of_range(machine);
	return at == text.length ? cel_string("", 0) : part_of(text, at, at + cel_text_step(text, at));
}

static struct cel_value
substring(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	struct cel_text text = cel_text_of(arguments[0]);
	size_t from, to = text.length;

	if (!charge(machine, arguments, 1))
		return too_expensive(machine);
	if (!cel_text_offset(text, arguments[1].as.integer, &from)
	    || (count == 3 && !cel_text_offset(text, arguments[2].as.integer, &to)))
		return out_of_range(machine);
	if (from > to)
		return cel_fail(machine, CEL_RANGE, "the end lies before the start");
	return part_of(text, from, to);
}

/* A byte's position, counted in code points; -1 for SIZE_MAX. */
static struct cel_value
position(struct cel_text text, size_t byte)
{
	text.length = byte;
	return cel_int(byte == SIZE_MAX ? -1 : (int64_t)cel_text_points(text));
}

static struct cel_value
index_of(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	struct cel_text text = cel_text_of(arguments[0]);
	size_t from = 0;

	if (!charge(machine, arguments, 2))
		return too_expensive(machine);
	if (count == 3 && !cel_text_offset(text, arguments[2].as.integer, &from))
		return out_of_range(machine);
	return position(text, cel_text_find(text, cel_text_of(arguments[1]), from));
}

static struct cel_text
reversed_bytes(struct cel_text text, char *room)
{
	for (size_t i = 0; i < text.length; i++)
		room[i] = text.bytes[text.length - 1 - i];
	return (struct cel_text){room, text.length};
}

/* The last match that begins at or before the third argument. Searched for from behind, bytes turned round, for linear time. */
static struct cel_value
last_index_of(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	struct cel_text text = cel_text_of(arguments[0]), part = cel_text_of(arguments[1]), before = text;
	size_t start = text.length, found;
	char *room;

	if (!charge(machine, arguments, 2))
		return too_expensive(machine);
	if (count == 3 && !cel_text_offset(text, arguments[2].as.integer, &start))
		return out_of_range(machine);
	if (part.length > text.length)
		return cel_int(-1);
	before.length = start < text.length - part.length ? start + part.length : text.length;
	room = cel_take(machine, before.length + part.length);
	if (!room)
		return cel_fail(machine, CEL_MEMORY, NULL);
	found = cel_text_find(reversed_bytes(before, room), reversed_bytes(part, room + before.length), 0);
	return position(text, found == SIZE_MAX ? found : before.length - found - part.length);
}

/* --- other characters --- */

static struct cel_value
map_bytes(struct cel_machine *machine, const struct cel_value *arguments, char first, char last)
{
	struct cel_text text = cel_text_of(arguments[0]);
	char *bytes;

	if (!charge(machine, arguments, 1) || !cel_charge_bytes(machine, text.length))
		return too_expensive(machine);
	bytes = cel_take(machine, text.length);
	if (!bytes)
		return cel_fail(machine, CEL_MEMORY, NULL);
	for (size_t i = 0; i < text.length; i++)
		bytes[i] = text.bytes[i] >= first && text.bytes[i] <= last ? (char)(text.bytes[i] ^ 0x20)
									   : text.bytes[i];
	return cel_string(bytes, text.length);
}

static struct cel_value
lower_ascii(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)count;
	return map_bytes(machine, arguments, 'A', 'Z');
}

static struct cel_value
upper_ascii(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)count;
	return map_bytes(machine, arguments, 'a', 'z');
}

static struct cel_value
reverse(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	struct cel_text text = cel_text_of(arguments[0]);
	char *bytes;

	(void)count;
	if (!charge(machine, arguments, 1) || !cel_charge_bytes(machine, text.length))
		return too_expensive(machine);
	bytes = cel_take(machine, text.length);
	if (!bytes)
		return cel_fail(machine, CEL_MEMORY, NULL);
	for (size_t at = 0, step; at < text.length; at += step) {
		step = cel_text_step(text, at);
		memcpy(bytes + text.length - at - step, text.bytes + at, step);
	}
	return cel_string(bytes, text.length);
}

/* Unicode's White_Space. */
static bool
is_space(uint32_t point)
{
	return (point >= 0x9 && point <= 0xD) || point == 0x20 || point == 0x85 || point == 0xA0
	       || point == 0x1680 || (point >= 0x2000 && point <= 0x200A) || point == 0x2028
	       || point == 0x2029 || point == 0x202F || point == 0x205F || point == 0x3000;
}

static struct cel_value
trim(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	struct cel_text text = cel_text_of(arguments[0]);
	size_t from = text.length, to = 0;
	uint32_t point;

	(void)count;
	if (!charge(machine, arguments, 1))
		return too_expensive(machine);
	for (size_t at = 0, step; at < text.length; at += step) {
		step = value_utf8_decode(text.bytes + at, text.length - at, &point);
		if (step == 0)
			return cel_fail(machine, CEL_CONVERSION, "the string is no UTF-8"); /* it is, always */
		if (is_space(point))
			continue;
		from = at < from ? at : from;
		to = at + step;
	}
	return from < to ? part_of(text, from, to) : cel_string("", 0);
}

static struct cel_value
quote(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	static const char escaped[] = "\a\b\f\n\r\t\v\\\"", letters[] = "abfnrtv\\\"";
	struct cel_writer writer = {.machine = machine};
	struct cel_text text = cel_text_of(arguments[0]);

	(void)count;
	if (!charge(machine, arguments, 1))
		return too_expensive(machine);
	cel_write(&writer, "\"", 1);
	for (size_t at = 0; at < text.length; at++) {
		const char *escape = text.bytes[at] ? strchr(escaped, text.bytes[at]) : NULL;

		if (escape)
			cel_write(&writer, (const char[]){'\\', letters[escape - escaped]}, 2);
		else
			cel_write(&writer, text.bytes + at, 1);
	}
	cel_write(&writer, "\"", 1);
	return cel_written(&writer);
}

/* --- cutting and joining --- */

/* The next place to cut at or behind `from`: before the found text, *length bytes long; between characters when that is empty. */
static size_t
next_cut(struct cel_text text, struct cel_text separator, size_t from)
{
	if (separator.length > 0)
		return cel_text_find(text, separator, from);
	return from < text.length && from + cel_text_step(text, from) < text.length
		   ? from + cel_text_step(text, from)
		   : SIZE_MAX;
}

/* How many parts: at most `limit`. */
static size_t
count_parts(struct cel_text text, struct cel_text separator, uint64_t limit)
{
	size_t parts = 1;

	for (size_t at = 0, cut; parts < limit && (cut = next_cut(text, separator, at)) != SIZE_MAX; parts++)
		at = cut + separator.length;
	return parts;
}

static struct cel_value
split(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	struct cel_text text = cel_text_of(arguments[0]), separator = cel_text_of(arguments[1]);
	uint64_t limit =
	    count == 3 && arguments[2].as.integer >= 0 ? (uint64_t)arguments[2].as.integer : UINT64_MAX;
	size_t parts = 0, at = 0;
	struct cel_value *items;

	if (!charge(machine, arguments, 2))
		return too_expensive(machine);
	if (limit > 0 && (text.length > 0 || separator.length > 0))
		parts = count_parts(text, separator, limit);
	if (!cel_charge(machine, parts))
		return too_expensive(machine);
	items = parts <= text.length + 1 ? cel_take(machine, parts * sizeof *items) : NULL;
	if (!items)
		return cel_fail(machine, CEL_MEMORY, NULL);
	for (size_t i = 0; i + 1 < parts; i++) {
		size_t cut = next_cut(text, separator, at);

		items[i] = part_of(text, at, cut);
		at = cut + separator.length;
	}
	if (parts > 0)
		items[parts - 1] = part_of(text, at, text.length);
	return cel_make_list(machine, items, parts);
}

static struct cel_value
join(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	const struct cel_list *list = arguments[0].as.list;
	struct cel_text separator = count == 2 ? cel_text_of(arguments[1]) : (struct cel_text){"", 0};
	struct cel_writer writer = {.machine = machine};

	if (!cel_charge(machine, list->count))
		return too_expensive(machine);
	for (size_t i = 0; i < list->count && !writer.failed; i++) {
		if (list->items[i].kind != CEL_STRING)
			return cel_fail(machine, CEL_NO_SUCH_OVERLOAD, "join takes a list of strings");
		if (i > 0)
			cel_write(&writer, separator.bytes, separator.length);
		cel_write(&writer, list->items[i].as.bytes, list->items[i].extra);
	}
	return cel_written(&writer);
}

/* The next place where `old` is; when that is empty, the next character's beginning, or the end. */
static size_t
next_match(struct cel_text text, struct cel_text old, size_t from, bool first)
{
	if (old.length > 0 || first)
		return cel_text_find(text, old, from);
	return from < text.length ? from + cel_text_step(text, from) : SIZE_MAX;
}

static struct cel_value
replace(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	struct cel_text text = cel_text_of(arguments[0]), old = cel_text_of(arguments[1]);
	uint64_t left =
	    count == 4 && arguments[3].as.integer >= 0 ? (uint64_t)arguments[3].as.integer : UINT64_MAX;
	struct cel_writer writer = {.machine = machine};
	size_t at = 0, copied = 0, match;

	if (!charge(machine, arguments, 3))
		return too_expensive(machine);
	for (bool first = true; left > 0 && !writer.failed; left--, first = false) {
		match = next_match(text, old, at, first);
		if (match == SIZE_MAX)
			break;
		cel_write(&writer, text.bytes + copied, match - copied);
		cel_write(&writer, arguments[2].as.bytes, arguments[2].extra);
		at = copied = match + old.length;
	}
	if (copied == 0 && writer.length == 0 && !writer.failed)
		return arguments[0]; /* nothing was found */
	cel_write(&writer, text.bytes + copied, text.length - copied);
	return cel_written(&writer);
}

static struct cel_value
format(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)count;
	if (!charge(machine, arguments, 1))
		return too_expensive(machine);
	return cel_format(machine, cel_text_of(arguments[0]), arguments[1].as.list);
}

const struct cel_overload cel_library_strings[] = {
    {"charAt", "string.(int):string", char_at},
    {"format", "string.(list<dyn>):string", format},
    {"indexOf", "string.(string):int", index_of},
    {"indexOf", "string.(string,int):int", index_of},
    {"join", "list<string>.():string", join},
    {"join", "list<string>.(string):string", join},
    {"lastIndexOf", "string.(string):int", last_index_of},
    {"lastIndexOf", "string.(string,int):int", last_index_of},
    {"lowerAscii", "string.():string", lower_ascii},
    {"replace", "string.(string,string):string", replace},
    {"replace", "string.(string,string,int):string", replace},
    {"reverse", "string.():string", reverse},
    {"split", "string.(string):list<string>", split},
    {"split", "string.(string,int):list<string>", split},
    {"strings.quote", "(string):string", quote},
    {"substring", "string.(int):string", substring},
    {"substring", "string.(int,int):string", substring},
    {"trim", "string.():string", trim},
    {"upperAscii", "string.():string", upper_ascii},
    {0},
};
