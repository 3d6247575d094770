/* SPDX-License-Identifier: Apache-2.0 */
/* type_parse.c - types as people write them: name, or name<type, type>. */
#include "common/cel/type.h"

#include <string.h>

#define DEPTH_MAX 8
#define NAME_MAX_BYTES 128

struct reader {
	struct arena *arena;
	const char *rest;
	struct error *error;
};

/* What a name means; with parameters it must have exactly `parameters` of them, without any it means the same over dyn. */
static const struct known {
	const char *name;
	enum cel_type_kind kind;
	size_t parameters;
} known[] = {
    {"dyn", CEL_T_DYN, 0},
    {"null_type", CEL_T_NULL, 0},
    {"bool", CEL_T_BOOL, 0},
    {"int", CEL_T_INT, 0},
    {"uint", CEL_T_UINT, 0},
    {"double", CEL_T_DOUBLE, 0},
    {"string", CEL_T_STRING, 0},
    {"bytes", CEL_T_BYTES, 0},
    {"timestamp", CEL_T_TIMESTAMP, 0},
    {"google.protobuf.Timestamp", CEL_T_TIMESTAMP, 0},
    {"duration", CEL_T_DURATION, 0},
    {"google.protobuf.Duration", CEL_T_DURATION, 0},
    {"list", CEL_T_LIST, 1},
    {"map", CEL_T_MAP, 2},
    {"optional", CEL_T_OPTIONAL, 1},
    {"optional_type", CEL_T_OPTIONAL, 1},
    {"type", CEL_T_TYPE, 1},
    {"net.IP", CEL_T_IP, 0},
    {"net.CIDR", CEL_T_CIDR, 0},
    {"wrapper", CEL_T_WRAPPER, 1},
};

static const struct cel_type *
refuse(struct reader *reader, const char *why)
{
	error_set(reader->error, ERROR_INVALID, "bad_type", "%s", why);
	return NULL;
}

static void
skip_blanks(struct reader *reader)
{
	while (*reader->rest == ' ')
		reader->rest++;
}

static bool
starts_name(char byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
}

static bool
goes_on(char byte)
{
	return starts_name(byte) || (byte >= '0' && byte <= '9');
}

/* A dotted name, or NULL. */
static const char *
read_name(struct reader *reader)
{
	const char *start = reader->rest;

	do {
		if (!starts_name(*reader->rest))
			return NULL;
		while (goes_on(*reader->rest))
			reader->rest++;
	} while (*reader->rest == '.' && reader->rest++);
	size_t length = (size_t)(reader->rest - start);
	return length <= NAME_MAX_BYTES ? arena_copy(reader->arena, start, length) : NULL;
}

static const struct known *
find_known(const char *name)
{
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (strcmp(known[i].name, name) == 0)
			return &known[i];
	return NULL;
}

static bool
is_scalar(const struct cel_type *type)
{
	return type->kind >= CEL_T_BOOL && type->kind <= CEL_T_BYTES;
}

/* Takes the parameters that were read; the type gets its kind by the name. */
static const struct cel_type *
finish(struct reader *reader, struct cel_type *type)
{
	const struct known *row = find_known(type->name);

	if (!row) {
		bool letter = type->name[0] >= 'A' && type->name[0] <= 'Z' && type->name[1] == '\0';

		type->kind = letter ? CEL_T_PARAM : CEL_T_ABSTRACT;
		return letter && type->parameter_count ? refuse(reader, "a type parameter has no parameters")
						       : type;
	}
	if (type->parameter_count == 0 && row->kind != CEL_T_WRAPPER)
		return cel_type_simple(row->kind);
	if (type->parameter_count != row->parameters)
		return refuse(reader, "the type has another number of parameters");
	if (row->kind == CEL_T_WRAPPER && !is_scalar(type->parameters[0]))
		return refuse(reader, "only bool, int, uint, double, string and bytes have a wrapper");
	type->kind = row->kind;
	type->name = NULL;
	return type;
}

static const struct cel_type *
read_type(struct reader *reader, unsigned depth)
{
	struct cel_type *type = arena_take(reader->arena, sizeof *type);

	if (depth > DEPTH_MAX)
		return refuse(reader, "the type is nested too deep");
	skip_blanks(reader);
	type->name = read_name(reader);
	if (!type->name)
		return refuse(reader, "a type's name is missing, malformed or too long");
	if (*reader->rest != '<')
		return finish(reader, type);
	do {
		reader->rest++;
		if (type->parameter_count == CEL_TYPE_PARAMETERS_MAX)
			return refuse(reader, "the type has too many parameters");
		const struct cel_type *parameter = read_type(reader, depth + 1);
		if (!parameter)
			return NULL;
		type->parameters[type->parameter_count++] = parameter;
		skip_blanks(reader);
	} while (*reader->rest == ',');
	if (*reader->rest++ != '>')
		return refuse(reader, "a type's parameters are not closed by >");
	return finish(reader, type);
}

const struct cel_type *
cel_type_parse(struct arena *arena, const char *text, struct error *error)
{
	struct reader reader = {arena, text, error};
	const struct cel_type *type = read_type(&reader, 1);

	if (!type)
		return NULL;
	skip_blanks(&reader);
	return *reader.rest == '\0' ? type : refuse(&reader, "something follows the type");
}
