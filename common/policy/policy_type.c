/* SPDX-License-Identifier: Apache-2.0 */
/* policy_type.c - types of inputs and params, and values of them as a document writes them. */
#include "common/policy/policy_read.h"

#include <string.h>

enum { TYPE_MAX_BYTES = 64 };

static const char *const kind_names[] = {"absent",    "bool",	  "int",  "double", "string",
					 "timestamp", "duration", "list", "map",    NULL};
static const char *const type_names[] = {"bool",     "int", "double",	    "string", "timestamp",
					 "duration", "map", "list<string>", "list",   NULL};

const char *
policy_type_text(struct arena *arena, const struct policy_type *type)
{
	struct buffer text = {.arena = arena};
	size_t depth = 0;

	for (; type->kind == POLICY_T_LIST; type = type->item, depth++)
		buffer_add_text(&text, "list<");
	buffer_add_text(&text, kind_names[type->kind]);
	while (depth-- > 0)
		buffer_add_byte(&text, '>');
	return text.bytes;
}

/* What stands between list< and >, from outside to inside. False when the text is no type. */
static bool
parse_type(struct arena *arena, struct text text, size_t depth, struct policy_type *type)
{
	static const char before[] = "list<";
	struct policy_type *item = NULL;

	for (enum policy_kind kind = POLICY_T_BOOL; kind <= POLICY_T_MAP; kind++)
		if (kind != POLICY_T_LIST && text.length == strlen(kind_names[kind])
		    && memcmp(text.bytes, kind_names[kind], text.length) == 0) {
			*type = (struct policy_type){.kind = kind};
			return true;
		}
	if (depth == POLICY_TYPE_DEPTH_MAX || text.length <= strlen(before)
	    || memcmp(text.bytes, before, strlen(before)) != 0 || text.bytes[text.length - 1] != '>')
		return false;
	item = arena_take(arena, sizeof *item);
	*type = (struct policy_type){.kind = POLICY_T_LIST, .item = item};
	return parse_type(arena, (struct text){text.bytes + strlen(before), text.length - strlen(before) - 1},
			  depth + 1, item);
}

bool
policy_read_type(const struct place *place, struct policy_type *type)
{
	const char *text;

	if (!policy_read_text(place, TYPE_MAX_BYTES, &text))
		return false;
	if (parse_type(place->reader->arena, (struct text){text, strlen(text)}, 0, type))
		return true;
	return policy_refuse_unknown(place, "bad_value", text, type_names, "is no type");
}

static bool
refuse_kind(const struct place *place, const struct policy_type *type)
{
	static const char *const notes[] = {[POLICY_T_TIMESTAMP] = " in RFC 3339 (\"2026-03-04T10:00:00Z\")",
					    [POLICY_T_DURATION] = " in a string (\"1h30m\")",
					    [POLICY_T_INT] = ", a whole number",
					    [POLICY_T_MAP] = NULL};
	const char *note = notes[type->kind];

	return policy_refuse(place, "wrong_value_type", "must be of type %s%s",
			     policy_type_text(place->reader->arena, type), note ? note : "");
}

static bool
read_text_datum(const struct place *place, const struct policy_type *type, struct policy_datum *datum)
{
	struct text text = place->value->as.string;

	if (type->kind == POLICY_T_TIMESTAMP)
		return policy_timestamp_parse(text, &datum->as.integer, &datum->nanoseconds)
		       || refuse_kind(place, type);
	if (type->kind == POLICY_T_DURATION)
		return policy_duration_parse(text, &datum->as.integer) || refuse_kind(place, type);
	datum->as.string.bytes = arena_copy(place->reader->arena, text.bytes, text.length);
	datum->as.string.length = text.length;
	return true;
}

static bool
read_list_datum(const struct place *place, const struct policy_type *type, struct policy_datum *datum)
{
	size_t count = place->value->as.list.count;
	struct policy_datum *items = arena_take_array(place->reader->arena, count, sizeof *items);

	for (size_t i = 0; i < count; i++) {
		struct place item = policy_place_item(place, i);

		if (!policy_read_datum(&item, type->item, &items[i]))
			return false;
	}
	datum->as.list.items = items;
	datum->as.list.count = count;
	return true;
}

bool
policy_read_datum(const struct place *place, const struct policy_type *type, struct policy_datum *datum)
{
	if (!place->value)
		return policy_refuse(place, "missing_key", "must be there, of type %s",
				     policy_type_text(place->reader->arena, type));

	enum value_kind kind = place->value->kind;

	*datum = (struct policy_datum){.kind = type->kind};
	if (type->kind == POLICY_T_BOOL && kind == VALUE_BOOL)
		datum->as.boolean = place->value->as.boolean;
	else if (type->kind == POLICY_T_INT && kind == VALUE_INT)
		datum->as.integer = place->value->as.integer;
	else if (type->kind == POLICY_T_DOUBLE && kind == VALUE_INT)
		datum->as.real = (double)place->value->as.integer;
	else if (type->kind == POLICY_T_DOUBLE && kind == VALUE_REAL)
		datum->as.real = place->value->as.real;
	else if (kind == VALUE_STRING
		 && (type->kind == POLICY_T_STRING || type->kind == POLICY_T_TIMESTAMP
		     || type->kind == POLICY_T_DURATION))
		return read_text_datum(place, type, datum);
	else if (type->kind == POLICY_T_LIST && kind == VALUE_LIST)
		return read_list_datum(place, type, datum);
	else
		return refuse_kind(place, type);
	return true;
}
