/* SPDX-License-Identifier: Apache-2.0 */
/* cost_refuse.c - the estimate from outside, and what a person can do when it is too high. */
#include "common/cel/cost_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PATHS_MAX 64	  /* of those that are tried for what would help */
#define EXCERPT_MAX 60	  /* bytes of source that a message shows */
#define CHARACTER_BYTES 4 /* at most, in UTF-8; who declares a string counts characters */

static uint64_t
estimate(const struct cel_cost_question *question, struct cost_walk *walk)
{
	walk->local = NULL;
	walk->excessive = NULL;
	return cost_node(walk, question->node).units;
}

/* With a path's size supposed to be this. */
static uint64_t
estimate_with(const struct cel_cost_question *question, struct arena *arena, const char *path, uint64_t max)
{
	struct cost_walk walk = {
	    .sizes = {.env = question->env, .arena = arena, .supposed = path, .supposed_max = max},
	    .checked = question->checked,
	};

	return estimate(question, &walk);
}

/* Can a person say how large it may be? Of what lies in a list or under any key only what its texts are, by an enum. */
static bool
can_be_declared(const struct cost_asked *asked)
{
	const char *inside = strchr(asked->path, '[');

	return !inside || (asked->in_bytes && strcmp(inside, "[]") == 0);
}

/* What a smaller size of helps most, NULL when there is none, and the estimate with it at 1. */
static const struct cost_asked *
best_path(const struct cel_cost_question *question, struct arena *arena, const struct cost_walk *walk,
	  bool declared_too, uint64_t *lowest)
{
	const struct cost_asked *best = NULL;

	for (size_t i = 0; i < walk->sizes.asked_count; i++) {
		const struct cost_asked *asked = &walk->sizes.asked[i];
		uint64_t declared, units;

		if (!can_be_declared(asked)
		    || (!declared_too && cel_env_size(question->env, asked->path, &declared)))
			continue;
		units = estimate_with(question, arena, asked->path, 1);
		if (units >= *lowest)
			continue;
		*lowest = units;
		best = asked;
	}
	return best;
}

/* The largest size of the path with which it would be accepted. */
static uint64_t
enough(const struct cel_cost_question *question, struct arena *arena, const char *path)
{
	uint64_t good = 1, bad = CEL_SIZE_VALUES;

	while (bad - good > 1) {
		uint64_t middle = good + (bad - good) / 2;

		if (estimate_with(question, arena, path, middle) <= question->max)
			good = middle;
		else
			bad = middle;
	}
	return good;
}

static const char *
excerpt(const struct cel_cost_question *question, struct arena *arena, const struct cel_node *node)
{
	const struct cel_tree *tree = question->tree;
	size_t end = node->end, length;

	if (node->end <= node->start || node->end > tree->source_length)
		return "it";
	length = end - node->start;
	if (length <= EXCERPT_MAX)
		return arena_copy(arena, tree->source + node->start, length);
	length = EXCERPT_MAX;
	while (length > 0 && ((unsigned char)tree->source[node->start + length] & 0xc0) == 0x80)
		length--;
	return arena_format(arena, "%.*s…", (int)length, tree->source + node->start);
}

static const char *
units_text(struct arena *arena, uint64_t units)
{
	return units == UINT64_MAX ? "any number of units" : arena_format(arena, "%" PRIu64 " units", units);
}

static const char *
advice_of(const struct cel_cost_question *question, struct arena *arena, const struct cost_asked *best,
	  bool would_do)
{
	const char *path = best ? best->path : "", *inside = strchr(path, '[');
	uint64_t most = would_do ? enough(question, arena, path) : 0;

	if (!best)
		return "";
	if (inside && would_do)
		return arena_format(arena,
				    "; an enum for %.*s, of words of %" PRIu64 " bytes or less, would do",
				    (int)(inside - path), path, most);
	if (inside)
		return arena_format(arena, "; an enum for %.*s would help most", (int)(inside - path), path);
	if (best->in_bytes)
		most /= CHARACTER_BYTES;
	return most ? arena_format(arena, "; a declared max of %" PRIu64 " or less for %s would do", most, path)
		    : arena_format(arena, "; a smaller max for %s would help most", path);
}

static void
refuse(const struct cel_cost_question *question, struct arena *arena, const struct cost_walk *walk,
       uint64_t units, struct cel_faults *faults)
{
	const struct cel_node *node = walk->excessive ? walk->excessive : question->node;
	uint64_t lowest = units;
	const struct cost_asked *best = best_path(question, arena, walk, false, &lowest);

	if (lowest > question->max) { /* what is not declared is not all */
		lowest = units;
		best = best_path(question, arena, walk, true, &lowest);
	}
	cel_fault_add(faults, question->tree->source, question->tree->source_length, CEL_COST, node->position,
		      "may cost %s, %" PRIu64 " are allowed: %s%s", units_text(arena, units), question->max,
		      excerpt(question, arena, node),
		      advice_of(question, arena, best, lowest <= question->max));
}

uint64_t
cel_cost_estimate(const struct cel_cost_question *question, struct arena *arena, struct cel_faults *faults)
{
	struct cost_asked asked[PATHS_MAX];
	struct cost_walk walk = {
	    .sizes = {.env = question->env, .arena = arena, .asked = asked, .asked_room = PATHS_MAX},
	    .checked = question->checked,
	    .max = question->max,
	};
	uint64_t units = estimate(question, &walk);

	if (question->max > 0 && units > question->max)
		refuse(question, arena, &walk, units, faults);
	return units;
}
