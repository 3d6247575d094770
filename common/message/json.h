/* SPDX-License-Identifier: Apache-2.0 */
/* json.h - JSON text to plain values, with every limit checked. The strict reader for whatever others wrote. */
#ifndef COUNTERSIGN_JSON_H
#define COUNTERSIGN_JSON_H

#include "common/value/value.h"

struct json_limits {
	size_t bytes, depth, keys, items, string, key;
	bool nul; /* strings, not names, may hold U+0000: for whoever goes by their length */
};
extern const struct json_limits json_limits_request; /* policy.md 4.2: 64 KiB, 16, 256, 1024, 8 KiB, 128 */
extern const struct json_limits json_limits_event; /* what we wrote ourselves: 1 MiB, 32 levels, as a request lies in it */
extern const struct json_limits json_limits_policy; /* 4 MiB, 16, 20000 keys and items, 8 KiB, 128 */

/*
 * One JSON text, nothing before or behind it but white space. Refused as ERROR_INVALID: "empty", "too_large",
 * "encoding" (ill-formed UTF-8, BOM, U+0000), "syntax", "duplicate_key", "number_range" (integers outside +-(2^53-1),
 * reals that overflow, underflow to 0, or that RFC 8785 writes as such an integer: from 2^53 up to 1e21), "too_deep",
 * "too_many_members", "too_many_items", "string_too_long", "key_too_long", "not_an_object" (a single number, string …; a
 * list is returned). `field` is the path where it can be told. The depth is bounded before jansson recurses. What
 * passes also passes in its RFC 8785 form, as an equal value; -0.0 becomes 0.0.
 */
struct value *json_parse(struct arena *arena, const void *bytes, size_t length,
			 const struct json_limits *limits, struct error *error) CS_MUST_CHECK;

/*
 * What we have stored, with json_limits_policy; *value is NULL where `text` is. What can't be read is ERROR_BROKEN "stored_request",
 * *value NULL.
 */
bool json_stored(struct arena *arena, const char *text, const struct value **value,
		 struct error *error) CS_MUST_CHECK;

/*
 * What can still be told of an object that json_parse refused for a limit somewhere inside: its strings of up to 256 bytes
 * and those of the objects directly in it, everything else as null. Only for finding out whom to answer. NULL when it is
 * no JSON, no object, has a duplicate name, more than 128 levels or more than 256 KiB.
 */
struct value *json_outline(struct arena *arena, const void *bytes, size_t length) CS_MUST_CHECK;

#endif
