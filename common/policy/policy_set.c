/* SPDX-License-Identifier: Apache-2.0 */
/* policy_set.c - a set of rules by their place in the policy, that is, by id: what comes out is in order. */
#include "common/policy/policy.h"
#include "common/policy/policy_private.h"

enum { WORD_BITS = 64 };

struct policy_set
policy_set_make(struct arena *arena, const struct policy *policy)
{
	size_t count = policy->rule_count / WORD_BITS + 1;

	return (struct policy_set){arena_take_array(arena, count, sizeof(uint64_t)), count};
}

void
policy_set_add(struct policy_set *set, size_t member)
{
	set->words[member / WORD_BITS] |= UINT64_C(1) << (member % WORD_BITS);
}

size_t
policy_set_next(const struct policy_set *set, size_t from)
{
	size_t i = from / WORD_BITS;

	if (i >= set->word_count)
		return SIZE_MAX;

	uint64_t word = set->words[i] & (UINT64_MAX << (from % WORD_BITS));

	while (word == 0) {
		if (++i == set->word_count)
			return SIZE_MAX;
		word = set->words[i];
	}
	return i * WORD_BITS + (size_t)__builtin_ctzll(word);
}

size_t
policy_set_count(const struct policy_set *set)
{
	size_t count = 0;

	for (size_t i = policy_set_next(set, 0); i != SIZE_MAX; i = policy_set_next(set, i + 1))
		count++;
	return count;
}
