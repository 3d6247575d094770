/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cel_codec.h - values of the expression language as JSON that keeps their types, and as text for people. The typed form is an object with
 * one member, whose name is the type:
 *
 *   {"null":null} {"bool":true} {"int":"-1"} {"uint":"1"} {"double":"1.5"} (also "NaN", "Infinity", "-Infinity", "-0")
 *   {"string":"a"} {"bytes":"6162"} (hexadecimal) {"list":[V, …]} {"map":[[V, V], …]} (key, value)
 *   {"timestamp":"2024-02-29T00:00:00.000000001Z"} {"duration":"1.5s"} {"type":"int"}
 *   {"optional":V} {"optional":null} {"ip":"192.0.2.1"} {"cidr":"192.0.2.0/24"}
 *
 * V is a value in the same form. Numbers are strings, since few readers of JSON keep 64 bits.
 */
#ifndef COUNTERSIGN_CEL_CODEC_H
#define COUNTERSIGN_CEL_CODEC_H

#include "common/cel/cel.h"
#include "common/value/value.h"

/* Errors: ERROR_INVALID "bad_value". What it points to lies in the arena. At most as deep as json_parse lets it be. */
bool cel_codec_read(struct arena *arena, const struct value *json, struct cel_value *value,
		    struct error *error) CS_MUST_CHECK;
/* Plain JSON: a number without fraction and exponent is an int, any other a double; objects are maps. */
struct cel_value cel_codec_plain(struct arena *arena, const struct value *json);
/* Appends the typed form; of any value but an error. */
void cel_codec_write(struct buffer *out, struct cel_value value);
/* Appends an expression that has the value, as far as there is one (`duration("1.5s")`), else something like it. */
void cel_codec_text(struct buffer *out, struct cel_value value);
/* Appends a JSON string with its quotes; well-formed UTF-8, also with U+0000. */
void cel_codec_quote(struct buffer *out, const char *bytes, size_t length);

#endif
