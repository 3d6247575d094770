/* SPDX-License-Identifier: Apache-2.0 */
/* json_scan.c - token by token over JSON text. Exact for well-formed text; for any other it may be wrong, but never reads beyond. */
#include "common/message/json_scan.h"
#include "common/message/path.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* An object or list that is open. */
struct level {
	bool is_map;
	bool is_named; /* the member's name was read */
	struct text name;
	size_t index;
};

struct scan {
	struct text rest;
	size_t depth, depth_max;
	struct level levels[JSON_SCAN_DEPTH_MAX];
};

static void
scan_begin(struct scan *scan, struct text text, size_t depth_max)
{
	assert(depth_max <= JSON_SCAN_DEPTH_MAX);
	scan->rest = text;
	scan->depth = 0;
	scan->depth_max = depth_max;
}

/* With both quotes; without the second when the text ends first. */
static size_t
string_length(struct text text)
{
	for (size_t i = 1; i < text.length; i++) {
		if (text.bytes[i] == '"')
			return i + 1;
		if (text.bytes[i] == '\\')
			i++;
	}
	return text.length;
}

static bool
is_number_start(char byte)
{
	return byte == '-' || (byte >= '0' && byte <= '9');
}

static size_t
number_length(struct text text)
{
	size_t length = 1;

	while (length < text.length
	       && (is_number_start(text.bytes[length]) || memchr("+.eE", text.bytes[length], 4)))
		length++;
	return length;
}

/* A string, a number, or one byte of anything else. Length 0: the end. */
static struct text
next_token(struct scan *scan)
{
	struct text token = scan->rest;

	if (token.length == 0)
		return token;
	if (token.bytes[0] == '"')
		token.length = string_length(token);
	else
		token.length = is_number_start(token.bytes[0]) ? number_length(token) : 1;
	scan->rest.bytes += token.length;
	scan->rest.length -= token.length;
	return token;
}

/* False when the text ends inside it. */
static bool
is_closed(struct text string)
{
	return string.length > 1 && string.bytes[string.length - 1] == '"';
}

/* False when that is deeper than allowed. */
static bool
open_level(struct scan *scan, bool is_map)
{
	if (scan->depth == scan->depth_max)
		return false;
	scan->levels[scan->depth++] = (struct level){.is_map = is_map};
	return true;
}

/* Keeps the path. False when a token opens more levels than allowed. */
static bool
follow(struct scan *scan, struct text token)
{
	struct level *level = scan->depth ? &scan->levels[scan->depth - 1] : NULL;

	switch (token.bytes[0]) {
	case '{':
	case '[':
		return open_level(scan, token.bytes[0] == '{');
	case '}':
	case ']':
		if (level)
			scan->depth--;
		break;
	case ',':
		if (level) {
			level->index++;
			level->is_named = false;
		}
		break;
	case '"':
		if (level && level->is_map && !level->is_named && is_closed(token)) {
			level->name = (struct text){token.bytes + 1, token.length - 2};
			level->is_named = true;
		}
		break;
	default:
		break;
	}
	return true;
}

bool
json_scan_depth(struct text text, size_t depth)
{
	struct scan scan;
	struct text token;

	scan_begin(&scan, text, depth);
	while ((token = next_token(&scan)).length)
		if (!follow(&scan, token))
			return false;
	return true;
}

static const char *
path_so_far(struct arena *arena, const struct scan *scan)
{
	struct buffer path = {.arena = arena};

	for (size_t i = 0; i < scan->depth; i++) {
		const struct level *level = &scan->levels[i];

		if (!level->is_map)
			path_add_index(&path, level->index);
		else if (level->is_named)
			path_add_name(&path, level->name);
	}
	return path.length ? path.bytes : "";
}

const char *
json_scan_path(struct arena *arena, struct text text)
{
	struct scan scan;
	struct text token;

	scan_begin(&scan, text, JSON_SCAN_DEPTH_MAX);
	while ((token = next_token(&scan)).length)
		if (!follow(&scan, token))
			break;
	return path_so_far(arena, &scan);
}

/* 1e-400 is no 0. The C locale is the program's. */
static bool
becomes_zero(struct arena *arena, struct text number)
{
	const char *text = arena_copy(arena, number.bytes, number.length);
	size_t mantissa = strcspn(text, "eE");

	if (strcspn(text, "123456789") >= mantissa)
		return false;
	return strtod(text, NULL) == 0;
}

static int
hex_digit(char byte)
{
	const char *digits = "0123456789abcdef0123456789ABCDEF";
	const char *found = byte ? strchr(digits, byte) : NULL;

	return found ? (int)(found - digits) % 16 : -1;
}

/* The code unit of an escape \uXXXX that starts the text; 0 for anything else. */
static unsigned
escaped_unit(struct text text)
{
	unsigned unit = 0;

	if (text.length < 6 || text.bytes[0] != '\\' || text.bytes[1] != 'u')
		return 0;
	for (size_t i = 2; i < 6; i++) {
		int digit = hex_digit(text.bytes[i]);

		if (digit < 0)
			return 0;
		unit = unit * 16 + (unsigned)digit;
	}
	return unit;
}

static struct text
rest_from(struct text text, size_t at)
{
	return (struct text){text.bytes + at, text.length - at};
}

/* Every \uD800-\uDBFF is followed by its \uDC00-\uDFFF, and none of those stands alone. */
static bool
surrogates_are_paired(struct text string)
{
	for (size_t i = 0; i + 1 < string.length; i++) {
		if (string.bytes[i] != '\\')
			continue;

		unsigned unit = escaped_unit(rest_from(string, i));

		if (unit >= 0xDC00 && unit <= 0xDFFF)
			return false;
		if (unit < 0xD800 || unit > 0xDFFF) {
			i++; /* the escaped character: it may be a backslash */
			continue;
		}
		unit = string.length >= i + 12 ? escaped_unit(rest_from(string, i + 6)) : 0;
		if (unit < 0xDC00 || unit > 0xDFFF)
			return false;
		i += 11;
	}
	return true;
}

bool
json_scan_check(struct arena *arena, struct text text, size_t depth, struct error *error)
{
	struct scan scan;
	struct text token;

	scan_begin(&scan, text, depth);
	while ((token = next_token(&scan)).length) {
		if (!follow(&scan, token))
			return error_set_field(error, ERROR_INVALID, "too_deep", path_so_far(arena, &scan),
					       "nested deeper than %zu levels", depth);
		if (is_number_start(token.bytes[0]) && becomes_zero(arena, token))
			return error_set_field(error, ERROR_INVALID, "number_range", path_so_far(arena, &scan),
					       "a number too small to be told from 0");
		if (token.bytes[0] == '"' && !surrogates_are_paired(token))
			return error_set_field(error, ERROR_INVALID, "encoding", path_so_far(arena, &scan),
					       "half a surrogate pair");
	}
	return true;
}
