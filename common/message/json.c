/* SPDX-License-Identifier: Apache-2.0 */
/* json.c - jansson behind a strict door: limits before and after it, its trees made into values, its error texts dropped. */
#include "common/message/json.h"
#include "common/message/json_scan.h"
#include "common/message/path.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#define INTEGER_MAX INT64_C(9007199254740991) /* 2^53 - 1 */
#define OUTLINE_BYTES ((size_t)256 * 1024)    /* what is larger than four bodies may be is not worth it */
#define OUTLINE_STRING 256

const struct json_limits json_limits_request = {
    .bytes = 64 * 1024, .depth = 16, .keys = 256, .items = 1024, .string = 8 * 1024, .key = 128};
const struct json_limits json_limits_policy = {
    .bytes = 4 * 1024 * 1024, .depth = 16, .keys = 20000, .items = 20000, .string = 8 * 1024, .key = 128};
const struct json_limits json_limits_event = {
    .bytes = 1024 * 1024, .depth = 32, .keys = 1024, .items = 20000, .string = 64 * 1024, .key = 128};

struct conversion {
	struct arena *arena;
	const struct json_limits *limits;
	struct error *error;
};

static struct value *convert(struct conversion *conversion, const json_t *json, const struct path *path);

/* Memory that runs out ends the process; it must not look like bad input. */
static void
set_allocator(void)
{
	json_set_alloc_funcs(memory_take, free);
}

static json_t *
load(struct text text, bool nul, json_error_t *why)
{
	static once_flag once = ONCE_FLAG_INIT;

	call_once(&once, set_allocator);
	return json_loadb(text.bytes, text.length, JSON_REJECT_DUPLICATES | (nul ? JSON_ALLOW_NUL : 0), why);
}

static struct value *
refuse(struct conversion *conversion, const struct path *path, const char *code, const char *text, size_t limit)
{
	error_set_field(conversion->error, ERROR_INVALID, code, path_text(conversion->arena, path), "%s %zu",
			text, limit);
	return NULL;
}

static struct value *
convert_integer(struct conversion *conversion, json_int_t integer, const struct path *path)
{
	if (integer > INTEGER_MAX || integer < -INTEGER_MAX) {
		error_set_field(conversion->error, ERROR_INVALID, "number_range",
				path_text(conversion->arena, path), "an integer beyond 2^53-1");
		return NULL;
	}
	return value_int(conversion->arena, integer);
}

/*
 * RFC 8785 writes a real from 2^53 up to 1e21 as an integer, which would be refused when what we stored is read back: so
 * it is refused at once. -0.0 and 0.0 have one digest, so they are one value too.
 */
static struct value *
convert_real(struct conversion *conversion, double real, const struct path *path)
{
	double size = fabs(real);

	if (!isfinite(real) || (size > (double)INTEGER_MAX && size < 1e21)) {
		error_set_field(conversion->error, ERROR_INVALID, "number_range",
				path_text(conversion->arena, path), "an integer beyond 2^53-1");
		return NULL;
	}
	return value_real(conversion->arena, real == 0 ? 0.0 : real);
}

static struct value *
convert_string(struct conversion *conversion, const json_t *json, const struct path *path)
{
	size_t length = json_string_length(json);

	if (length > conversion->limits->string)
		return refuse(conversion, path, "string_too_long", "more bytes in a string than",
			      conversion->limits->string);

	struct value *text = value_text(conversion->arena, "", 0); /* which takes no U+0000 from anybody else */

	text->as.string = (struct text){arena_copy(conversion->arena, json_string_value(json), length), length};
	return text;
}

static struct value *
convert_list(struct conversion *conversion, const json_t *json, const struct path *above)
{
	struct value *list = value_list(conversion->arena);
	size_t count = json_array_size(json);

	if (count > conversion->limits->items)
		return refuse(conversion, above, "too_many_items", "more items in a list than",
			      conversion->limits->items);
	for (size_t i = 0; i < count; i++) {
		struct path path = {.above = above, .index = i};
		struct value *item = convert(conversion, json_array_get(json, i), &path);

		if (!item)
			return NULL;
		value_append(conversion->arena, list, item);
	}
	return list;
}

static bool
convert_member(struct conversion *conversion, struct value *map, void *member, const struct path *above)
{
	struct path path = {.above = above,
			    .name = {json_object_iter_key(member), json_object_iter_key_len(member)}};

	if (path.name.length > conversion->limits->key) {
		refuse(conversion, &path, "key_too_long", "more bytes in a name than", conversion->limits->key);
		return false;
	}

	struct value *value = convert(conversion, json_object_iter_value(member), &path);

	if (!value)
		return false;
	path.name.bytes = arena_copy(conversion->arena, path.name.bytes, path.name.length);
	map->as.map.members[map->as.map.count++] = (struct value_member){path.name, value};
	return true;
}

/* Filled directly and not by value_set: the names are known to be distinct, and a policy has many. */
static struct value *
convert_map(struct conversion *conversion, json_t *json, const struct path *above)
{
	struct value *map = value_map(conversion->arena);
	size_t count = json_object_size(json);

	if (count > conversion->limits->keys)
		return refuse(conversion, above, "too_many_members", "more members in an object than",
			      conversion->limits->keys);
	map->as.map.members = arena_take_array(conversion->arena, count, sizeof *map->as.map.members);
	map->as.map.room = count;
	for (void *member = json_object_iter(json); member; member = json_object_iter_next(json, member))
		if (!convert_member(conversion, map, member, above))
			return NULL;
	return map;
}

static struct value *
convert(struct conversion *conversion, const json_t *json, const struct path *path)
{
	switch (json_typeof(json)) {
	case JSON_NULL:
		return value_null(conversion->arena);
	case JSON_TRUE:
	case JSON_FALSE:
		return value_bool(conversion->arena, json_is_true(json));
	case JSON_INTEGER:
		return convert_integer(conversion, json_integer_value(json), path);
	case JSON_REAL:
		return convert_real(conversion, json_real_value(json), path);
	case JSON_STRING:
		return convert_string(conversion, json, path);
	case JSON_ARRAY:
		return convert_list(conversion, json, path);
	case JSON_OBJECT:
		return convert_map(conversion, (json_t *)json, path);
	}
	abort(); /* a type that jansson does not have */
}

static const char *
code_of(const json_error_t *why)
{
	switch (json_error_code(why)) {
	case json_error_duplicate_key:
		return "duplicate_key";
	case json_error_numeric_overflow:
		return "number_range";
	case json_error_invalid_utf8:
	case json_error_null_character:
	case json_error_null_byte_in_key:
		return "encoding";
	case json_error_stack_overflow:
		return "too_deep";
	default:
		return "syntax";
	}
}

/* jansson's text quotes the input: only its position is told. */
static void
refuse_text(struct arena *arena, struct text text, const json_error_t *why, struct error *error)
{
	const char *code = code_of(why);
	const char *field = "";

	if (strcmp(code, "syntax") != 0 && why->position > 0 && (size_t)why->position <= text.length)
		field = json_scan_path(arena, (struct text){text.bytes, (size_t)why->position});
	error_set_field(error, ERROR_INVALID, code, field, "%s at line %d, column %d",
			strcmp(code, "syntax") == 0 ? "not JSON" : "JSON that is not taken", why->line,
			why->column);
}

static bool
starts_with(struct text text, const char *start)
{
	return text.length >= strlen(start) && memcmp(text.bytes, start, strlen(start)) == 0;
}

static struct text
without_space(struct text text)
{
	while (text.length && memchr(" \t\r\n", text.bytes[0], 4)) {
		text.bytes++;
		text.length--;
	}
	return text;
}

static bool
is_scalar(struct text text)
{
	return memchr("\"-0123456789", text.bytes[0], 12) || starts_with(text, "true")
	       || starts_with(text, "false") || starts_with(text, "null");
}

static bool
check_text(struct text text, const struct json_limits *limits, struct error *error)
{
	if (text.length > limits->bytes)
		return error_set(error, ERROR_INVALID, "too_large", "%zu bytes, more than %zu", text.length,
				 limits->bytes);
	if (without_space(text).length == 0)
		return error_set(error, ERROR_INVALID, "empty", "nothing there");
	if (starts_with(text, "\xEF\xBB\xBF") || starts_with(text, "\xFE\xFF") || starts_with(text, "\xFF\xFE"))
		return error_set(error, ERROR_INVALID, "encoding", "a byte order mark");
	if (memchr(text.bytes, '\0', text.length))
		return error_set(error, ERROR_INVALID, "encoding", "a zero byte");
	if (is_scalar(without_space(text)))
		return error_set(error, ERROR_INVALID, "not_an_object", "a single value, not an object");
	return true;
}

struct value *
json_parse(struct arena *arena, const void *bytes, size_t length, const struct json_limits *limits,
	   struct error *error)
{
	struct text text = {bytes, length};
	struct conversion conversion = {arena, limits, error};
	struct value *value = NULL;
	json_error_t why;

	if (!check_text(text, limits, error) || !json_scan_check(arena, text, limits->depth, error))
		return NULL;

	json_t *json = load(text, limits->nul, &why);

	if (json)
		value = convert(&conversion, json, NULL);
	else
		refuse_text(arena, text, &why, error);
	json_decref(json);
	return value;
}

bool
json_stored(struct arena *arena, const char *text, const struct value **value, struct error *error)
{
	struct error why = {0};

	*value = text ? json_parse(arena, text, strlen(text), &json_limits_policy, &why) : NULL;
	return *value || !text
	       || error_set(error, ERROR_BROKEN, "stored_request", "a stored request can't be read: %s",
			    why.code);
}

/* Levels below the top object: objects directly in it are outlined too, all else that is no short string is null. */
static struct value *
outline(struct arena *arena, json_t *json, unsigned levels)
{
	if (json_is_string(json) && json_string_length(json) <= OUTLINE_STRING)
		return value_text(arena, json_string_value(json), json_string_length(json));
	if (!json_is_object(json) || levels == 0)
		return value_null(arena);

	struct value *map = value_map(arena);

	map->as.map.members = arena_take_array(arena, json_object_size(json), sizeof *map->as.map.members);
	map->as.map.room = json_object_size(json);
	for (void *member = json_object_iter(json); member; member = json_object_iter_next(json, member)) {
		struct text name = {json_object_iter_key(member), json_object_iter_key_len(member)};

		name.bytes = arena_copy(arena, name.bytes, name.length);
		map->as.map.members[map->as.map.count++] =
		    (struct value_member){name, outline(arena, json_object_iter_value(member), levels - 1)};
	}
	return map;
}

struct value *
json_outline(struct arena *arena, const void *bytes, size_t length)
{
	struct text text = {bytes, length};
	json_error_t why;

	if (length == 0 || length > OUTLINE_BYTES || !json_scan_depth(text, JSON_SCAN_DEPTH_MAX))
		return NULL;

	json_t *json = load(text, false, &why);
	struct value *value = json_is_object(json) ? outline(arena, json, 2) : NULL;

	json_decref(json);
	return value;
}
