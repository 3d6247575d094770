/* SPDX-License-Identifier: Apache-2.0 */
/* cel_codec_read.c - typed and plain JSON to values. */
#include "services/countersign/cel_codec.h"
#include "services/countersign/cel_time.h"
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool
bad(struct error *error, const char *kind)
{
	return error_set(error, ERROR_INVALID, "bad_value", "no value of the type \"%s\"", kind);
}

/* The whole text as a number, without blanks before it. */
static bool
is_number(const struct value *json, const char *end)
{
	const char *text = json->as.string.bytes;

	return *text && (*text == '-' || (*text >= '0' && *text <= '9')) && *end == '\0' && errno != ERANGE;
}

static bool
read_int(struct arena *arena, const struct value *json, struct cel_value *value, struct error *error)
{
	char *end;

	(void)arena;
	errno = 0;
	*value = cel_int(strtoll(json->as.string.bytes, &end, 10));
	return is_number(json, end) || bad(error, "int");
}

static bool
read_uint(struct arena *arena, const struct value *json, struct cel_value *value, struct error *error)
{
	char *end;

	(void)arena;
	errno = 0;
	*value = cel_uint(strtoull(json->as.string.bytes, &end, 10));
	return (is_number(json, end) && *json->as.string.bytes != '-') || bad(error, "uint");
}

static bool
read_double(struct arena *arena, const struct value *json, struct cel_value *value, struct error *error)
{
	const char *text = json->as.string.bytes;
	char *end;

	(void)arena;
	errno = 0;
	*value = cel_double(strtod(text, &end));
	if (!strcmp(text, "NaN") || !strcmp(text, "Infinity") || !strcmp(text, "-Infinity"))
		return true;
	errno = 0; /* the smallest ones are reported as out of range */
	return is_number(json, end) || bad(error, "double");
}

static bool
read_string(struct arena *arena, const struct value *json, struct cel_value *value, struct error *error)
{
	(void)arena;
	(void)error;
	*value = cel_string(json->as.string.bytes, json->as.string.length);
	return true;
}

static int
digit(char character)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = character ? strchr(digits, character | 0x20) : NULL;

	return at ? (int)(at - digits) : -1;
}

static bool
read_bytes(struct arena *arena, const struct value *json, struct cel_value *value, struct error *error)
{
	const char *text = json->as.string.bytes;
	size_t length = json->as.string.length / 2;
	char *bytes = arena_take(arena, length + 1);

	for (size_t i = 0; i < length; i++) {
		int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);

		if (high < 0 || low < 0)
			return bad(error, "bytes");
		bytes[i] = (char)(high << 4 | low);
	}
	*value = cel_bytes(bytes, length);
	return json->as.string.length % 2 == 0 || bad(error, "bytes");
}

static bool
read_timestamp(struct arena *arena, const struct value *json, struct cel_value *value, struct error *error)
{
	(void)arena;
	return cel_time_read(json->as.string.bytes, value) || bad(error, "timestamp");
}

static bool
read_duration(struct arena *arena, const struct value *json, struct cel_value *value, struct error *error)
{
	(void)arena;
	return cel_duration_read(json->as.string.bytes, value) || bad(error, "duration");
}

static bool
read_type(struct arena *arena, const struct value *json, struct cel_value *value, struct error *error)
{
	const struct cel_type *type = cel_type_parse(arena, json->as.string.bytes, error);

	*value = (struct cel_value){.kind = CEL_TYPE, .as.type = type};
	return type != NULL;
}

static bool
read_address(struct arena *arena, const struct value *json, bool network, struct cel_value *value)
{
	char *text = arena_string(arena, json->as.string.bytes), *slash = strchr(text, '/'), *end;
	struct cel_address *address = arena_take(arena, sizeof *address);
	unsigned long prefix = 0;

	if ((slash != NULL) != network)
		return false;
	if (network) {
		*slash = '\0';
		prefix = strtoul(slash + 1, &end, 10);
		if (slash[1] < '0' || slash[1] > '9' || *end || prefix > 128)
			return false;
	}
	address->length = strchr(text, ':') ? 16 : 4;
	address->prefix = (uint8_t)prefix;
	*value = (struct cel_value){.kind = network ? CEL_CIDR : CEL_IP, .as.address = address};
	return prefix <= address->length * 8u
	       && inet_pton(address->length == 4 ? AF_INET : AF_INET6, text, address->bytes) == 1;
}

static bool
read_ip(struct arena *arena, const struct value *json, struct cel_value *value, struct error *error)
{
	return read_address(arena, json, false, value) || bad(error, "ip");
}

static bool
read_cidr(struct arena *arena, const struct value *json, struct cel_value *value, struct error *error)
{
	return read_address(arena, json, true, value) || bad(error, "cidr");
}

static bool
read_bool(struct arena *arena, const struct value *json, struct cel_value *value, struct error *error)
{
	(void)arena;
	(void)error;
	*value = cel_bool(json->as.boolean);
	return true;
}

static bool
read_null(struct arena *arena, const struct value *json, struct cel_value *value, struct error *error)
{
	(void)arena;
	(void)json;
	(void)error;
	*value = cel_null();
	return true;
}

static bool
read_list(struct arena *arena, const struct value *json, struct cel_value *value, struct error *error)
{
	size_t count = json->as.list.count;
	struct cel_value *items = arena_take_array(arena, count + 1, sizeof *items);

	for (size_t i = 0; i < count; i++)
		if (!cel_codec_read(arena, json->as.list.items[i], &items[i], error))
			return false;
	*value = cel_list(arena, items, count);
	return true;
}

static bool
read_map(struct arena *arena, const struct value *json, struct cel_value *value, struct error *error)
{
	size_t count = json->as.list.count;
	struct cel_entry *entries = arena_take_array(arena, count + 1, sizeof *entries);

	for (size_t i = 0; i < count; i++) {
		const struct value *pair = json->as.list.items[i];

		if (pair->kind != VALUE_LIST || pair->as.list.count != 2)
			return bad(error, "map");
		if (!cel_codec_read(arena, pair->as.list.items[0], &entries[i].key, error)
		    || !cel_codec_read(arena, pair->as.list.items[1], &entries[i].value, error))
			return false;
	}
	*value = cel_map(arena, entries, count);
	return value->kind != CEL_ERROR || bad(error, "map");
}

static const struct {
	const char *name;
	enum value_kind json;
	bool (*read)(struct arena *arena, const struct value *json, struct cel_value *value,
		     struct error *error);
} kinds[] = {
    {"null", VALUE_NULL, read_null},
    {"bool", VALUE_BOOL, read_bool},
    {"int", VALUE_STRING, read_int},
    {"uint", VALUE_STRING, read_uint},
    {"double", VALUE_STRING, read_double},
    {"string", VALUE_STRING, read_string},
    {"bytes", VALUE_STRING, read_bytes},
    {"list", VALUE_LIST, read_list},
    {"map", VALUE_LIST, read_map},
    {"timestamp", VALUE_STRING, read_timestamp},
    {"duration", VALUE_STRING, read_duration},
    {"type", VALUE_STRING, read_type},
    {"ip", VALUE_STRING, read_ip},
    {"cidr", VALUE_STRING, read_cidr},
};

static bool
read_optional(struct arena *arena, const struct value *json, struct cel_value *value, struct error *error)
{
	struct cel_value *inner = NULL;

	if (json->kind != VALUE_NULL) {
		inner = arena_take(arena, sizeof *inner);
		if (!cel_codec_read(arena, json, inner, error))
			return false;
	}
	*value = (struct cel_value){.kind = CEL_OPTIONAL, .as.optional = inner};
	return true;
}

bool
cel_codec_read(struct arena *arena, const struct value *json, struct cel_value *value, struct error *error)
{
	if (json->kind != VALUE_MAP || json->as.map.count != 1)
		return error_set(error, ERROR_INVALID, "bad_value",
				 "a value is an object with one member, whose name is the type");

	const char *name = json->as.map.members[0].name.bytes;
	const struct value *inner = json->as.map.members[0].value;

	if (!strcmp(name, "optional"))
		return read_optional(arena, inner, value, error);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!strcmp(name, kinds[i].name))
			return inner->kind == kinds[i].json ? kinds[i].read(arena, inner, value, error)
							    : bad(error, name);
	return error_set(error, ERROR_INVALID, "bad_value", "there is no type \"%s\"", name);
}

static struct cel_value
plain_list(struct arena *arena, const struct value *json)
{
	size_t count = json->as.list.count;
	struct cel_value *items = arena_take_array(arena, count + 1, sizeof *items);

	for (size_t i = 0; i < count; i++)
		items[i] = cel_codec_plain(arena, json->as.list.items[i]);
	return cel_list(arena, items, count);
}

static struct cel_value
plain_map(struct arena *arena, const struct value *json)
{
	size_t count = json->as.map.count;
	struct cel_entry *entries = arena_take_array(arena, count + 1, sizeof *entries);

	for (size_t i = 0; i < count; i++) {
		struct text name = json->as.map.members[i].name;

		entries[i].key = cel_string(name.bytes, name.length);
		entries[i].value = cel_codec_plain(arena, json->as.map.members[i].value);
	}
	return cel_map(arena, entries, count);
}

struct cel_value
cel_codec_plain(struct arena *arena, const struct value *json)
{
	switch (json->kind) {
	case VALUE_BOOL:
		return cel_bool(json->as.boolean);
	case VALUE_INT:
		return cel_int(json->as.integer);
	case VALUE_REAL:
		return cel_double(json->as.real);
	case VALUE_STRING:
		return cel_string(json->as.string.bytes, json->as.string.length);
	case VALUE_LIST:
		return plain_list(arena, json);
	case VALUE_MAP:
		return plain_map(arena, json);
	default:
		return cel_null();
	}
}
