/* SPDX-License-Identifier: Apache-2.0 */
/* finding.c - keeping findings, the first as an error. */
#include "common/finding/finding.h"

#include <assert.h>

struct findings
findings_open(struct arena *arena, size_t max)
{
	assert(max >= 1 && max <= FINDINGS_MAX);
	return (struct findings){.arena = arena, .max = max};
}

bool
findings_full(const struct findings *findings)
{
	return findings->count >= findings->max;
}

bool
findings_add(struct findings *findings, struct finding finding)
{
	if (findings_full(findings))
		return false;
	finding.path = arena_string(findings->arena, finding.path);
	finding.text = arena_string(findings->arena, finding.text);
	findings->items[findings->count++] = finding;
	return false;
}

bool
findings_first(const struct findings *findings, struct error *error)
{
	if (findings->count)
		error_set_field(error, ERROR_INVALID, findings->items[0].word, findings->items[0].path, "%s",
				findings->items[0].text);
	return false;
}

static bool
stands_before(const struct finding *left, const struct finding *right)
{
	if (left->at.line != right->at.line)
		return left->at.line < right->at.line;
	return left->at.column < right->at.column;
}

void
findings_sort(struct findings *findings)
{
	for (size_t i = 1; i < findings->count; i++) {
		struct finding finding = findings->items[i];
		size_t to = i;

		for (; to > 0 && stands_before(&finding, &findings->items[to - 1]); to--)
			findings->items[to] = findings->items[to - 1];
		findings->items[to] = finding;
	}
}
