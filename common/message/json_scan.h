/* SPDX-License-Identifier: Apache-2.0 */
/* json_scan.h - a first look at JSON text, without recursion: how deep it is, and what a parser would lose silently. */
#ifndef COUNTERSIGN_JSON_SCAN_H
#define COUNTERSIGN_JSON_SCAN_H

#include "common/value/value.h"

#define JSON_SCAN_DEPTH_MAX 128

/* True when brackets outside strings nest at most `depth` deep, as far as a parser could get. */
bool json_scan_depth(struct text text, size_t depth) CS_MUST_CHECK;

/*
 * "too_deep", and what the parser does not tell: "number_range" for a real that is written other than 0 and becomes 0,
 * "encoding" for half a surrogate pair. Of text that is no JSON, any answer: the parser has the last word.
 */
bool json_scan_check(struct arena *arena, struct text text, size_t depth, struct error *error) CS_MUST_CHECK;

/* The path of the value that is being read where the text ends. */
const char *json_scan_path(struct arena *arena, struct text text);

#endif
