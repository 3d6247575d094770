/* SPDX-License-Identifier: Apache-2.0 */
/* cel_codec_write.c - values as typed JSON and as text. */
#include "services/countersign/cel_codec.h"
#include "common/canonical/canonical.h"
#include "services/countersign/cel_time.h"
#include <arpa/inet.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
cel_codec_quote(struct buffer *out, const char *bytes, size_t length)
{
	buffer_add_byte(out, '"');
	for (size_t i = 0; i < length; i++) {
		unsigned char byte = (unsigned char)bytes[i];

		if (byte == '"' || byte == '\\')
			buffer_add_byte(out, '\\');
		if (byte < 0x20)
			buffer_add_format(out, "\\u%04x", byte);
		else
			buffer_add_byte(out, bytes[i]);
	}
	buffer_add_byte(out, '"');
}

/* The fewest digits that give the same number again. */
static void
add_double(struct buffer *out, double real)
{
	char text[CANONICAL_NUMBER_SIZE] = "NaN";

	if (isinf(real))
		snprintf(text, sizeof text, "%s", real < 0 ? "-Infinity" : "Infinity");
	else if (real == 0)
		snprintf(text, sizeof text, "%s", signbit(real) ? "-0" : "0");
	else if (!isnan(real))
		canonical_number(text, real);
	buffer_add_text(out, text);
}

static void
add_bytes(struct buffer *out, struct cel_value value)
{
	for (uint32_t i = 0; i < value.extra; i++)
		buffer_add_format(out, "%02x", (unsigned)(unsigned char)value.as.bytes[i]);
}

static void
add_address(struct buffer *out, struct cel_value value)
{
	char text[INET6_ADDRSTRLEN];
	const struct cel_address *address = value.as.address;

	inet_ntop(address->length == 4 ? AF_INET : AF_INET6, address->bytes, text, sizeof text);
	buffer_add_text(out, text);
	if (value.kind == CEL_CIDR)
		buffer_add_format(out, "/%u", address->prefix);
}

/* What stands between the quotes of the typed form. */
static void
add_scalar(struct buffer *out, struct cel_value value)
{
	char text[CEL_TIME_SIZE];

	switch (value.kind) {
	case CEL_INT:
		buffer_add_format(out, "%" PRId64, value.as.integer);
		break;
	case CEL_UINT:
		buffer_add_format(out, "%" PRIu64, value.as.natural);
		break;
	case CEL_DOUBLE:
		add_double(out, value.as.real);
		break;
	case CEL_BYTES:
		add_bytes(out, value);
		break;
	case CEL_TIMESTAMP:
		cel_time_write(value, text);
		buffer_add_text(out, text);
		break;
	case CEL_DURATION:
		cel_duration_write(value, text);
		buffer_add_text(out, text);
		break;
	case CEL_TYPE:
		buffer_add_text(out, cel_type_name(value.as.type));
		break;
	default:
		add_address(out, value);
	}
}

static void
write_list(struct buffer *out, const struct cel_list *list)
{
	buffer_add_byte(out, '[');
	for (size_t i = 0; i < list->count; i++) {
		buffer_add_text(out, i ? "," : "");
		cel_codec_write(out, list->items[i]);
	}
	buffer_add_byte(out, ']');
}

static void
write_map(struct buffer *out, const struct cel_map *map)
{
	const struct cel_entry *entry;
	bool first = true;

	buffer_add_byte(out, '[');
	for (size_t position = 0; (entry = cel_map_next(map, &position)); first = false) {
		buffer_add_text(out, first ? "[" : ",[");
		cel_codec_write(out, entry->key);
		buffer_add_byte(out, ',');
		cel_codec_write(out, entry->value);
		buffer_add_byte(out, ']');
	}
	buffer_add_byte(out, ']');
}

static const char *const names[CEL_KIND_COUNT] = {
    [CEL_NULL] = "null",	 [CEL_BOOL] = "bool",
    [CEL_INT] = "int",		 [CEL_UINT] = "uint",
    [CEL_DOUBLE] = "double",	 [CEL_STRING] = "string",
    [CEL_BYTES] = "bytes",	 [CEL_LIST] = "list",
    [CEL_MAP] = "map",		 [CEL_TIMESTAMP] = "timestamp",
    [CEL_DURATION] = "duration", [CEL_TYPE] = "type",
    [CEL_OPTIONAL] = "optional", [CEL_IP] = "ip",
    [CEL_CIDR] = "cidr",
};

void
cel_codec_write(struct buffer *out, struct cel_value value)
{
	buffer_add_format(out, "{\"%s\":", names[value.kind]);
	if (value.kind == CEL_NULL)
		buffer_add_text(out, "null");
	else if (value.kind == CEL_BOOL)
		buffer_add_text(out, value.as.boolean ? "true" : "false");
	else if (value.kind == CEL_STRING)
		cel_codec_quote(out, value.as.bytes, value.extra);
	else if (value.kind == CEL_LIST)
		write_list(out, value.as.list);
	else if (value.kind == CEL_MAP)
		write_map(out, value.as.map);
	else if (value.kind == CEL_OPTIONAL && value.as.optional)
		cel_codec_write(out, *value.as.optional);
	else if (value.kind == CEL_OPTIONAL)
		buffer_add_text(out, "null");
	else {
		buffer_add_byte(out, '"');
		add_scalar(out, value);
		buffer_add_byte(out, '"');
	}
	buffer_add_byte(out, '}');
}

static void
text_list(struct buffer *out, const struct cel_list *list)
{
	buffer_add_byte(out, '[');
	for (size_t i = 0; i < list->count; i++) {
		buffer_add_text(out, i ? ", " : "");
		cel_codec_text(out, list->items[i]);
	}
	buffer_add_byte(out, ']');
}

static void
text_map(struct buffer *out, const struct cel_map *map)
{
	const struct cel_entry *entry;
	bool first = true;

	buffer_add_byte(out, '{');
	for (size_t position = 0; (entry = cel_map_next(map, &position)); first = false) {
		buffer_add_text(out, first ? "" : ", ");
		cel_codec_text(out, entry->key);
		buffer_add_text(out, ": ");
		cel_codec_text(out, entry->value);
	}
	buffer_add_byte(out, '}');
}

static void
text_bytes(struct buffer *out, struct cel_value value)
{
	buffer_add_text(out, "b\"");
	for (uint32_t i = 0; i < value.extra; i++) {
		unsigned char byte = (unsigned char)value.as.bytes[i];

		buffer_add_format(
		    out, byte < 0x20 || byte >= 0x7f || byte == '"' || byte == '\\' ? "\\x%02x" : "%c", byte);
	}
	buffer_add_byte(out, '"');
}

/* A double is told from an int. */
static void
text_double(struct buffer *out, double real)
{
	size_t before = out->length;

	add_double(out, real);
	if (isfinite(real) && !strpbrk(out->bytes + before, ".e"))
		buffer_add_text(out, ".0");
}

/* A scalar in a call that makes it. */
static void
text_call(struct buffer *out, const char *function, struct cel_value value)
{
	buffer_add_format(out, "%s(\"", function);
	add_scalar(out, value);
	buffer_add_text(out, "\")");
}

void
cel_codec_text(struct buffer *out, struct cel_value value)
{
	switch (value.kind) {
	case CEL_NULL:
		buffer_add_text(out, "null");
		break;
	case CEL_BOOL:
		buffer_add_text(out, value.as.boolean ? "true" : "false");
		break;
	case CEL_UINT:
		add_scalar(out, value);
		buffer_add_byte(out, 'u');
		break;
	case CEL_DOUBLE:
		text_double(out, value.as.real);
		break;
	case CEL_STRING:
		cel_codec_quote(out, value.as.bytes, value.extra);
		break;
	case CEL_BYTES:
		text_bytes(out, value);
		break;
	case CEL_LIST:
		text_list(out, value.as.list);
		break;
	case CEL_MAP:
		text_map(out, value.as.map);
		break;
	case CEL_OPTIONAL:
		buffer_add_text(out, value.as.optional ? "optional.of(" : "optional.none(");
		if (value.as.optional)
			cel_codec_text(out, *value.as.optional);
		buffer_add_byte(out, ')');
		break;
	case CEL_TIMESTAMP:
	case CEL_DURATION:
	case CEL_IP:
	case CEL_CIDR:
		text_call(out, names[value.kind], value);
		break;
	default:
		add_scalar(out, value);
	}
}
