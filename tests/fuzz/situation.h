/* SPDX-License-Identifier: Apache-2.0 */
/* situation.h - a request, what is used of the limits, and a clock, for the target conditions: made of the bytes of an input. */
#ifndef COUNTERSIGN_TESTS_SITUATION_H
#define COUNTERSIGN_TESTS_SITUATION_H

#include "common/policy/policy_private.h"

/* What every text of an input that is sensitive holds, and nothing else does. */
#define SITUATION_SECRET "zz-hidden"

/* A policy with the texts and numbers that matter to it. */
struct situation_policy {
	const struct policy *policy;
	struct policy_strings actions, agents, targets, tenants, words;
	int64_t *numbers;
	size_t number_count;
};

/* Reads a document of a file and gathers what stands in it. */
void situation_read(struct arena *arena, const char *path, struct situation_policy *out);

struct situation {
	struct policy_request request;
	int64_t now;
	size_t last; /* poll of the clock at which time is up; 0: never */
};

/*
 * Each byte is a choice, the first those of tenant, agent, action, target and time, then one or more for each declared input. With
 * "=" in front the rest is five lines: tenant, agent, action, target and the context as JSON. False when that is no context,
 * or holds SITUATION_SECRET itself.
 * request.used tells the same for the same limit and key.
 */
bool situation_make(struct arena *arena, const struct situation_policy *of, const uint8_t *bytes,
		    size_t length, struct situation *out);

#endif
