/* SPDX-License-Identifier: Apache-2.0 */
/* value.h - values of the Common Expression Language. Pure: small, passed by value; what they point to lies in an arena. */
#ifndef COUNTERSIGN_CEL_VALUE_H
#define COUNTERSIGN_CEL_VALUE_H

#include "common/error/error.h"
#include "common/memory/memory.h"
#include <stdint.h>

/* Why an evaluation has no value. The words for machines are those of cel_code_name: "no_such_field", "overflow" … */
enum cel_code {
	CEL_OK,
	CEL_NO_SUCH_FIELD,
	CEL_NO_SUCH_OVERLOAD, /* operands of types that the operator or function does not take, also at run time */
	CEL_OVERFLOW,
	CEL_DIVISION_BY_ZERO, /* also remainder by zero */
	CEL_RANGE,	      /* a result or argument outside what its type can hold or its function takes */
	CEL_INDEX,	      /* a list index out of bounds or not integral */
	CEL_CONVERSION,
	CEL_DUPLICATE_KEY,
	CEL_REGEX,
	CEL_COST, /* too many units, or the deadline has passed */
	CEL_UNBOUND,
	CEL_NOT_BOOL,
	CEL_DEPTH,
	CEL_MEMORY,
	CEL_SYNTAX,	/* of the source; load time only */
	CEL_UNDECLARED, /* name or function; load time only */
	CEL_TYPE_ERROR, /* load time only */
	CEL_CODE_COUNT
};
const char *cel_code_name(enum cel_code code); /* "ok", "no_such_field", …, "syntax", "undeclared", "type" */

enum cel_kind {
	CEL_ABSENT, /* in a record: a declared field that is not there. Never on the machine's stack */
	CEL_ERROR,
	CEL_NULL,
	CEL_BOOL,
	CEL_INT,
	CEL_UINT,
	CEL_DOUBLE,
	CEL_STRING,
	CEL_BYTES,
	CEL_LIST,
	CEL_MAP,
	CEL_TIMESTAMP,
	CEL_DURATION,
	CEL_TYPE,
	CEL_OPTIONAL,
	CEL_IP,
	CEL_CIDR,
	CEL_KIND_COUNT
};

struct cel_list;
struct cel_map;
struct cel_type;
struct cel_address;

struct cel_value {
	uint8_t kind; /* enum cel_kind */
	uint8_t code; /* enum cel_code, with CEL_ERROR */
	/* CEL_STRING and CEL_BYTES: bytes; CEL_TIMESTAMP: nanoseconds, 0 to 999,999,999; CEL_ERROR: where in the source, in code
	 * points from 0 */
	uint32_t extra;
	union {
		bool boolean;
		int64_t integer; /* CEL_INT; CEL_DURATION in nanoseconds; CEL_TIMESTAMP in seconds since 1970 UTC, years 1 to 9999 */
		uint64_t natural; /* CEL_UINT */
		double real;
		const char *bytes; /* CEL_STRING (well-formed UTF-8, U+0000 may occur) and CEL_BYTES; not NUL-terminated, never NULL */
		const struct cel_list *list;
		const struct cel_map *map;
		const struct cel_type *type;
		const struct cel_value *optional;  /* NULL: none */
		const struct cel_address *address; /* CEL_IP and CEL_CIDR */
		const char *text;		   /* CEL_ERROR: what it is about, for people, or NULL */
	} as;
};

struct cel_list {
	size_t count;
	const struct cel_value *items;
};

struct cel_entry {
	struct cel_value key, value;
};

/*
 * Keys are int, uint, bool or string, all distinct also across int and uint. A record (a map with declared fields) has one
 * entry for every declared field in the order of the declaration, CEL_ABSENT where it is not there; `count` counts those
 * entries too, so look things up with cel_map_find and walk with cel_map_next.
 */
struct cel_map {
	size_t count;	/* entries, absent ones included */
	size_t present; /* entries that are there: size() */
	const struct cel_entry *entries;
	const uint32_t *index; /* hash table over the entries, or NULL in a small map; owned by value.c */
	size_t index_mask;
};

struct cel_address {
	uint8_t bytes[16]; /* network order; IPv4 uses the first 4 */
	uint8_t length;	   /* 4 or 16 */
	uint8_t prefix;	   /* CEL_CIDR: 0 to 32 or 128 */
};

static inline struct cel_value
cel_bool(bool boolean)
{
	return (struct cel_value){.kind = CEL_BOOL, .as.boolean = boolean};
}

static inline struct cel_value
cel_int(int64_t integer)
{
	return (struct cel_value){.kind = CEL_INT, .as.integer = integer};
}

static inline struct cel_value
cel_uint(uint64_t natural)
{
	return (struct cel_value){.kind = CEL_UINT, .as.natural = natural};
}

static inline struct cel_value
cel_double(double real)
{
	return (struct cel_value){.kind = CEL_DOUBLE, .as.real = real};
}

static inline struct cel_value
cel_null(void)
{
	return (struct cel_value){.kind = CEL_NULL};
}

/* Borrows the bytes. At most UINT32_MAX of them. */
static inline struct cel_value
cel_string(const char *bytes, size_t length)
{
	return (struct cel_value){.kind = CEL_STRING, .extra = (uint32_t)length, .as.bytes = bytes};
}

static inline struct cel_value
cel_bytes(const char *bytes, size_t length)
{
	return (struct cel_value){.kind = CEL_BYTES, .extra = (uint32_t)length, .as.bytes = bytes};
}

static inline struct cel_value
cel_duration(int64_t nanoseconds)
{
	return (struct cel_value){.kind = CEL_DURATION, .as.integer = nanoseconds};
}

static inline struct cel_value
cel_timestamp(int64_t seconds, uint32_t nanoseconds)
{
	return (struct cel_value){.kind = CEL_TIMESTAMP, .extra = nanoseconds, .as.integer = seconds};
}

static inline struct cel_value
cel_error(enum cel_code code, uint32_t position)
{
	return (struct cel_value){.kind = CEL_ERROR, .code = (uint8_t)code, .extra = position};
}

/* Borrow the array. */
struct cel_value cel_list(struct arena *arena, const struct cel_value *items, size_t count);
/* Entries as they are to be found; keys must be valid and distinct (CEL_ERROR with CEL_DUPLICATE_KEY or CEL_NO_SUCH_OVERLOAD
 * otherwise, position 0). Borrows the entries. */
struct cel_value cel_map(struct arena *arena, const struct cel_entry *entries, size_t count);

/* The value under this key, found across int, uint and integral double; NULL when it is not there or absent. */
const struct cel_value *cel_map_find(const struct cel_map *map, struct cel_value key);
/* The first entry at or after *position that is there, *position behind it; NULL at the end. */
const struct cel_entry *cel_map_next(const struct cel_map *map, size_t *position);

#define CEL_EQUAL_UNITS_MAX                                                                                  \
	65536 /* above what inputs and the memory of an evaluation can hold if nothing is in them twice */
/*
 * CEL's ==, over any two values that are no errors: numbers across their types (an integer against a double is compared as
 * double), NaN equals nothing, lists by items, maps by keys; values of different types are not equal. Never fails. `units` is
 * raised by one for each pair of values looked at. A comparison that would look at more than CEL_EQUAL_UNITS_MAX pairs (lists that
 * hold one list many times, over many levels) has no answer: *units becomes UINT64_MAX, which no cost limit allows; charge it
 * before the result is used.
 */
bool cel_equal(struct cel_value left, struct cel_value right, uint64_t *units);
/*
 * CEL's order over two bools, numbers (also of different types), strings (by bytes), bytes, timestamps, durations: -1, 0, 1, and 2
 * with a NaN. False when the two have no order.
 */
bool cel_order(struct cel_value left, struct cel_value right, int *order);

#endif
