/* SPDX-License-Identifier: Apache-2.0 */
/* policy_strings.c - lists of texts: in order, each once; or as patterns, one of which must match. */
#include "common/policy/policy.h"
#include "common/policy/policy_private.h"

#include <stdlib.h>
#include <string.h>

static int
compare_strings(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

size_t
policy_strings_distinct(const char **strings, size_t count)
{
	size_t kept = 0;

	qsort(strings, count, sizeof *strings, compare_strings);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || strcmp(strings[i], strings[kept - 1]) != 0)
			strings[kept++] = strings[i];
	return kept;
}

bool
policy_strings_match(const struct policy_strings *patterns, const char *text)
{
	for (size_t i = 0; i < patterns->count; i++)
		if (policy_pattern_match(patterns->items[i], text))
			return true;
	return false;
}
