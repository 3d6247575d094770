/* SPDX-License-Identifier: Apache-2.0 */
/* type.c - types: the fixed ones, those made of others, their names and texts. They are read in type_parse.c. */
#include "common/cel/type.h"

#include <string.h>

static const struct cel_type dyn = {.kind = CEL_T_DYN};

#define SIMPLE(KIND) [KIND] = {.kind = KIND}
#define OVER_DYN(KIND, COUNT) [KIND] = {.kind = KIND, .parameters = {&dyn, &dyn}, .parameter_count = COUNT}
static const struct cel_type simple[] = {
    SIMPLE(CEL_T_DYN),
    SIMPLE(CEL_T_NULL),
    SIMPLE(CEL_T_BOOL),
    SIMPLE(CEL_T_INT),
    SIMPLE(CEL_T_UINT),
    SIMPLE(CEL_T_DOUBLE),
    SIMPLE(CEL_T_STRING),
    SIMPLE(CEL_T_BYTES),
    SIMPLE(CEL_T_TIMESTAMP),
    SIMPLE(CEL_T_DURATION),
    OVER_DYN(CEL_T_LIST, 1),
    OVER_DYN(CEL_T_MAP, 2),
    [CEL_T_RECORD] = {.kind = CEL_T_MAP, .parameters = {&dyn, &dyn}, .parameter_count = 2},
    OVER_DYN(CEL_T_OPTIONAL, 1),
    OVER_DYN(CEL_T_TYPE, 1),
    SIMPLE(CEL_T_IP),
    SIMPLE(CEL_T_CIDR),
    [CEL_T_PARAM] = {.kind = CEL_T_DYN},
    [CEL_T_WRAPPER] = {.kind = CEL_T_DYN},
    [CEL_T_ABSTRACT] = {.kind = CEL_T_DYN},
};

/* At run time, and (where `text` is NULL) as people write it. */
static const struct {
	const char *name, *text;
} names[] = {
    [CEL_T_DYN] = {"dyn", NULL},
    [CEL_T_NULL] = {"null_type", NULL},
    [CEL_T_BOOL] = {"bool", NULL},
    [CEL_T_INT] = {"int", NULL},
    [CEL_T_UINT] = {"uint", NULL},
    [CEL_T_DOUBLE] = {"double", NULL},
    [CEL_T_STRING] = {"string", NULL},
    [CEL_T_BYTES] = {"bytes", NULL},
    [CEL_T_TIMESTAMP] = {"google.protobuf.Timestamp", "timestamp"},
    [CEL_T_DURATION] = {"google.protobuf.Duration", "duration"},
    [CEL_T_LIST] = {"list", NULL},
    [CEL_T_MAP] = {"map", NULL},
    [CEL_T_RECORD] = {"map", NULL},
    [CEL_T_OPTIONAL] = {"optional_type", "optional"},
    [CEL_T_TYPE] = {"type", NULL},
    [CEL_T_IP] = {"net.IP", NULL},
    [CEL_T_CIDR] = {"net.CIDR", NULL},
    [CEL_T_PARAM] = {"dyn", NULL},
    [CEL_T_WRAPPER] = {"wrapper", NULL},
    [CEL_T_ABSTRACT] = {"dyn", NULL},
};

static const enum cel_type_kind of_kind[CEL_KIND_COUNT] = {
    [CEL_NULL] = CEL_T_NULL,	     [CEL_BOOL] = CEL_T_BOOL,
    [CEL_INT] = CEL_T_INT,	     [CEL_UINT] = CEL_T_UINT,
    [CEL_DOUBLE] = CEL_T_DOUBLE,     [CEL_STRING] = CEL_T_STRING,
    [CEL_BYTES] = CEL_T_BYTES,	     [CEL_LIST] = CEL_T_LIST,
    [CEL_MAP] = CEL_T_MAP,	     [CEL_TIMESTAMP] = CEL_T_TIMESTAMP,
    [CEL_DURATION] = CEL_T_DURATION, [CEL_TYPE] = CEL_T_TYPE,
    [CEL_OPTIONAL] = CEL_T_OPTIONAL, [CEL_IP] = CEL_T_IP,
    [CEL_CIDR] = CEL_T_CIDR,
};

const struct cel_type *
cel_type_simple(enum cel_type_kind kind)
{
	return &simple[kind];
}

static const struct cel_type *
over(struct arena *arena, enum cel_type_kind kind, const struct cel_type *first, const struct cel_type *second)
{
	struct cel_type *type = arena_take(arena, sizeof *type);

	*type =
	    (struct cel_type){.kind = kind, .parameters = {first, second}, .parameter_count = second ? 2 : 1};
	return type;
}

const struct cel_type *
cel_type_list(struct arena *arena, const struct cel_type *item)
{
	return over(arena, CEL_T_LIST, item, NULL);
}

const struct cel_type *
cel_type_map(struct arena *arena, const struct cel_type *key, const struct cel_type *value)
{
	return over(arena, CEL_T_MAP, key, value);
}

const struct cel_type *
cel_type_optional(struct arena *arena, const struct cel_type *inner)
{
	return over(arena, CEL_T_OPTIONAL, inner, NULL);
}

const struct cel_type *
cel_type_of(struct arena *arena, const struct cel_type *inner)
{
	return over(arena, CEL_T_TYPE, inner, NULL);
}

const struct cel_type *
cel_type_record(struct arena *arena, const struct cel_field *fields, size_t count)
{
	struct cel_type *type = arena_take(arena, sizeof *type);

	*type = (struct cel_type){.kind = CEL_T_RECORD, .fields = fields, .field_count = count};
	return type;
}

const struct cel_type *
cel_type_of_value(struct cel_value value)
{
	return &simple[value.kind < CEL_KIND_COUNT ? of_kind[value.kind] : CEL_T_DYN];
}

const char *
cel_type_name(const struct cel_type *type)
{
	if (type->kind == CEL_T_WRAPPER)
		return names[type->parameters[0]->kind].name;
	if ((type->kind == CEL_T_PARAM || type->kind == CEL_T_ABSTRACT) && type->name)
		return type->name;
	return names[type->kind].name;
}

static void
add_text(struct buffer *out, const struct cel_type *type)
{
	if (type->kind == CEL_T_RECORD) {
		buffer_add_text(out, "map<string, dyn>");
		return;
	}
	if ((type->kind == CEL_T_PARAM || type->kind == CEL_T_ABSTRACT) && type->name)
		buffer_add_text(out, type->name);
	else
		buffer_add_text(out, names[type->kind].text ? names[type->kind].text : names[type->kind].name);
	if (type->parameter_count == 0 || (type->kind == CEL_T_TYPE && type->parameters[0]->kind == CEL_T_DYN))
		return;
	for (size_t i = 0; i < type->parameter_count; i++) {
		buffer_add_text(out, i ? ", " : "<");
		add_text(out, type->parameters[i]);
	}
	buffer_add_byte(out, '>');
}

const char *
cel_type_text(struct arena *arena, const struct cel_type *type)
{
	struct buffer out = {.arena = arena};

	add_text(&out, type);
	return out.bytes;
}

static bool
same_name(const char *left, const char *right)
{
	return left == right || (left && right && strcmp(left, right) == 0);
}

static bool
same_fields(const struct cel_type *left, const struct cel_type *right)
{
	if (left->field_count != right->field_count)
		return false;
	for (size_t i = 0; i < left->field_count; i++)
		if (strcmp(left->fields[i].name, right->fields[i].name) != 0
		    || !cel_type_same(left->fields[i].type, right->fields[i].type))
			return false;
	return true;
}

bool
cel_type_same(const struct cel_type *left, const struct cel_type *right)
{
	if (left == right)
		return true;
	if (left->kind != right->kind || left->parameter_count != right->parameter_count)
		return false;
	if ((left->kind == CEL_T_PARAM || left->kind == CEL_T_ABSTRACT) && !same_name(left->name, right->name))
		return false;
	for (size_t i = 0; i < left->parameter_count; i++)
		if (!cel_type_same(left->parameters[i], right->parameters[i]))
			return false;
	return same_fields(left, right);
}
