/* SPDX-License-Identifier: Apache-2.0 */
/* random_policy.h - random policy documents with conditions over inputs of every type, and random requests for them. */
#ifndef COUNTERSIGN_TESTS_RANDOM_POLICY_H
#define COUNTERSIGN_TESTS_RANDOM_POLICY_H

#include "common/policy/policy.h"

/* What a context may hold and can be taken out of it, one bit each, in the order of random_paths. */
enum { RANDOM_PATHS = 19 };
extern const char *const random_paths[RANDOM_PATHS];

struct random_policy {
	struct value *document;
	/* of random_paths: what some expression asks for whether it is there, or has a default. To leave it out is to say
	 * something else, not to say less. */
	uint32_t outside;
	bool has_inputs;
	bool is_heavy; /* its conditions take thousands of units */
	size_t profile_count, let_count, rule_count;
};

/* Numbers below a limit; the seed is never 0. */
size_t random_below(uint64_t *seed, size_t limit);
bool random_one_in(uint64_t *seed, size_t chances);
/* A seed that is far from that of the next number. */
uint64_t random_seed(uint64_t number);

/* Appends an expression of type bool for `when`, `unless` or a limit. */
void random_condition(uint64_t *seed, struct random_policy *policy, struct buffer *out);

void random_policy_make(uint64_t *seed, struct arena *arena, struct random_policy *policy);
/* One more rule, appended to the document; its `decision` is returned. */
enum policy_verdict random_policy_add(uint64_t *seed, struct arena *arena, struct random_policy *policy);
/* Changes the order of everything that is said to have none; the classes' too, on wish. */
void random_policy_shuffle(uint64_t *seed, struct value *document, bool classes);
/* Writes each `when` so that it is one term instead of several between &&. */
void random_policy_join(struct arena *arena, struct value *document);

struct policy_request random_policy_request(uint64_t *seed, struct arena *arena,
					    const struct random_policy *policy);
/* The context without random_paths[path]; NULL when it is not there. */
struct value *random_context_without(struct arena *arena, const struct value *context, size_t path);
/* For policy_request.used: what is used of a limit, drawn from its id and key; now and then nobody knows. */
bool random_usage(void *usage, const struct policy_counter *counter, struct policy_usage *usage_of);

#endif
