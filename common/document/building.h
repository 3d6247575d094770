/* SPDX-License-Identifier: Apache-2.0 */
/* building.h - what both readers share: values and spots side by side, limits, and places. Private to this room. */
#ifndef COUNTERSIGN_BUILDING_H
#define COUNTERSIGN_BUILDING_H

#include "common/document/document.h"
#include "common/message/json.h"

struct building {
	struct arena *arena;
	struct findings *findings;
	const struct json_limits *limits;
	struct text source;
	uint32_t *lines; /* where each begins, in characters */
	size_t line_count;
};

/* A value and where it stands. value NULL: none. */
struct node {
	struct value *value;
	struct spot spot;
};

/* A list or map that is being read. */
struct container {
	bool is_map;
	struct stretch at;
	struct value_member *members; /* of a list their names are not used */
	struct spot *spots;
	size_t count, room;
};

/* Size, encoding, and that there is something. Counts the lines. */
bool building_begin(struct building *building) CS_MUST_CHECK;
/* From and to in characters. */
struct stretch building_stretch(const struct building *building, size_t start, size_t end);
/* A finding. Always false. */
bool building_refuse(const struct building *building, struct stretch at, const char *word, const char *format,
		     ...) CS_PRINTF(4, 5);

/* Values of their limits; NULL with a finding when they are beyond. */
struct value *building_string(const struct building *building, struct stretch at, struct text text);
/* `text` is a decimal number as JSON or YAML write it: sign, digits, perhaps a fraction and an exponent. */
struct value *building_number(const struct building *building, struct stretch at, struct text text);

/* The name of the next member, an empty one for an item. */
bool building_add(const struct building *building, struct container *container, struct text name,
		  struct stretch name_at, struct node node) CS_MUST_CHECK;
/* False when there are duplicate names. */
bool building_close(const struct building *building, const struct container *container,
		    struct node *node) CS_MUST_CHECK;

/* Each reads building->source whole. False with findings. */
bool building_read_json(const struct building *building, struct node *root) CS_MUST_CHECK;
bool building_read_yaml(const struct building *building, struct node *root) CS_MUST_CHECK;

#endif
