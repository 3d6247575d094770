/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_pattern.c - a pattern and, behind a line feed, a text: the matcher against the plainest meaning of patterns. */
#include "common/policy/policy.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/policy/slow_pattern.h"

enum { SLOW_MAX = 40 }; /* bytes of either that the slow way is tried with */

int
FUZZ_TARGET(pattern)(const uint8_t *bytes, size_t length)
{
	struct arena *arena = arena_open();
	struct text rest = {(const char *)bytes, length};
	struct text first = fuzz_split(&rest, '\n');
	char *pattern = fuzz_string(arena, (const uint8_t *)first.bytes, first.length);
	char *text = fuzz_string(arena, (const uint8_t *)rest.bytes, rest.length);
	struct error error = {0};

	if (pattern && text && policy_pattern_check(pattern, "p", &error)) {
		bool matches = policy_pattern_match(pattern, text);

		if (first.length <= SLOW_MAX && rest.length <= SLOW_MAX)
			assert(matches == slow_pattern_match(pattern, text));
		if (!strchr(pattern, '*'))
			assert(matches == (strcmp(pattern, text) == 0));
	}
	arena_close(arena);
	return 0;
}
