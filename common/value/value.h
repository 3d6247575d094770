/* SPDX-License-Identifier: Apache-2.0 */
/* value.h - plain JSON values as the core sees them. Pure: no parser, no I/O; everything lives in an arena. */
#ifndef COUNTERSIGN_VALUE_H
#define COUNTERSIGN_VALUE_H

#include "common/error/error.h"
#include "common/memory/memory.h"
#include <stdint.h>

enum value_kind { VALUE_NULL, VALUE_BOOL, VALUE_INT, VALUE_REAL, VALUE_STRING, VALUE_LIST, VALUE_MAP };

/* UTF-8, no U+0000, NUL-terminated behind `length`. */
struct text {
	const char *bytes;
	size_t length;
};

struct value;

struct value_member {
	struct text name;
	struct value *value;
};

/*
 * VALUE_INT is a number written without fraction and exponent, VALUE_REAL any other (finite). Members keep the order
 * in which they were added and have distinct names.
 */
struct value {
	enum value_kind kind;
	union {
		bool boolean;
		int64_t integer;
		double real;
		struct text string;
		struct {
			struct value **items;
			size_t count, room;
		} list;
		struct {
			struct value_member *members;
			size_t count, room;
		} map;
	} as;
};

struct value *value_null(struct arena *arena);
struct value *value_bool(struct arena *arena, bool boolean);
struct value *value_int(struct arena *arena, int64_t integer);
struct value *value_real(struct arena *arena, double real);			 /* must be finite */
struct value *value_text(struct arena *arena, const char *bytes, size_t length); /* copies */
struct value *value_string(struct arena *arena, const char *text); /* copies; NULL gives VALUE_NULL */
struct value *value_list(struct arena *arena);
struct value *value_map(struct arena *arena);

void value_append(struct arena *arena, struct value *list, struct value *item);
/* Asserts that the name is not there yet (what others wrote was checked at the door). The name is copied. */
void value_set(struct arena *arena, struct value *map, const char *name, struct value *value);
/* value_set unless text is NULL. */
void value_set_string(struct arena *arena, struct value *map, const char *name, const char *text);

/* Borrowed; NULL when map is NULL, no map, or has no such member. */
struct value *value_get(const struct value *map, const char *name);
/* The text of a string member, or NULL. */
const char *value_get_string(const struct value *map, const char *name);
/* Same kind and content; maps without regard to order; 100 and 100.0 are equal. Depth is the caller's concern (<= 64). */
bool value_equal(const struct value *left, const struct value *right);
/* "null", "bool", "int", "real", "string", "list", "map" */
const char *value_kind_name(enum value_kind kind);

/*
 * Reads the one UTF-8 character that starts at bytes[0] and returns how many bytes it takes (1-4), *point being its
 * code point. 0 when length is 0 or the bytes are not well-formed (overlong, surrogate, above U+10FFFF, cut).
 */
size_t value_utf8_decode(const char *bytes, size_t length, uint32_t *point);

#endif
