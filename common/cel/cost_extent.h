/* SPDX-License-Identifier: Apache-2.0 */
/* cost_extent.h - how large a value can be at most, by what is declared. For cost*.c alone. Pure. */
#ifndef COUNTERSIGN_CEL_COST_EXTENT_H
#define COUNTERSIGN_CEL_COST_EXTENT_H

#include "common/cel/cost.h"
#include "common/cel/env.h"

#define CEL_SIZE_KEY 128      /* bytes of a map's key */
#define CEL_SIZE_VALUES 32768 /* within each other, of all that a request can hold: two bytes each */
#define CEL_SIZE_MADE 16384   /* items of what an expression makes: 16 bytes each of CEL_MEMORY_MAX */

/* An optional is as large as what it holds, and `optionals` says how many of them are around it. */
struct cost_extent {
	uint64_t optionals;
	uint64_t bytes;		     /* if it is a string or bytes */
	uint64_t items;		     /* if it is a list or a map */
	const struct cel_type *type; /* dyn where nothing is known */
	const char *path;	     /* what is declared of it and of what it holds; NULL: nothing */
	const struct cost_extent *key,
	    *value; /* of its items, where the expression made it; NULL: by type and path */
};

/* A path whose size was asked for. */
struct cost_asked {
	const char *path;
	bool in_bytes; /* it is a string or bytes */
};

/* Where sizes come from. One path may be said to have another size than is declared, to see what that would help. */
struct cost_sizes {
	const struct cel_env *env;
	struct arena *arena;
	const char *supposed; /* NULL: none */
	uint64_t supposed_max;
	struct cost_asked *asked; /* each once; for what would help */
	size_t asked_count, asked_room;
};

uint64_t cost_add(uint64_t left, uint64_t right); /* both saturate */
uint64_t cost_multiply(uint64_t left, uint64_t right);

struct cost_extent cost_extent_of(struct cost_sizes *sizes, const struct cel_type *type, const char *path);
/* What nothing is known of. */
struct cost_extent cost_extent_anything(void);
/* A value that an expression made, of this type. */
struct cost_extent cost_extent_made(const struct cel_type *type);
/* Of a bool, a number, a time. */
struct cost_extent cost_extent_scalar(void);
struct cost_extent cost_extent_string(uint64_t bytes);
struct cost_extent cost_extent_list(struct arena *arena, uint64_t items, struct cost_extent value);
struct cost_extent cost_extent_map(struct arena *arena, uint64_t items, struct cost_extent key,
				   struct cost_extent value);

struct cost_extent cost_extent_key(struct cost_sizes *sizes, const struct cost_extent *of);
struct cost_extent cost_extent_value(struct cost_sizes *sizes, const struct cost_extent *of);
struct cost_extent cost_extent_field(struct cost_sizes *sizes, const struct cost_extent *of, const char *name);
struct cost_extent cost_extent_join(struct cost_sizes *sizes, struct cost_extent left,
				    struct cost_extent right);

/* Values within each other, itself included: what comparing it can look at. */
uint64_t cost_extent_values(struct cost_sizes *sizes, const struct cost_extent *extent);
/* Can it be a string or bytes, a list or a map? */
bool cost_extent_has_bytes(const struct cost_extent *extent);
bool cost_extent_has_items(const struct cost_extent *extent);

#endif
