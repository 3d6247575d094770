/* SPDX-License-Identifier: Apache-2.0 */
/* snapshot_hold.c - what must not be granted now. */
#include "common/snapshot/snapshot_private.h"

#include <inttypes.h>
#include <string.h>

static const char *
text_of(const struct store_rows *rows, size_t row, unsigned column)
{
	return store_row_null(rows, row, column) ? NULL : store_row_text(rows, row, column);
}

void
snapshot_read_holds(struct snapshot *snapshot, struct arena *arena)
{
	const struct store_rows *rows = snapshot->asked_holds;

	snapshot->asked_holds = NULL;
	snapshot->hold_count = store_rows_count(rows);
	snapshot->holds = arena_take_array(arena, snapshot->hold_count, sizeof *snapshot->holds);
	for (size_t i = 0; i < snapshot->hold_count; i++)
		snapshot->holds[i] = (struct snapshot_hold){
		    .hold_id = store_row_int(rows, i, 0),
		    .class_id = text_of(rows, i, 1),
		    .target = text_of(rows, i, 2),
		    .agent = text_of(rows, i, 3),
		    .tenant = text_of(rows, i, 4),
		    .refuses = store_row_bool(rows, i, 5),
		    .reason = store_row_text(rows, i, 6),
		    .until = store_row_null(rows, i, 7) ? INT64_MAX : store_row_time(rows, i, 7),
		};
}

/* A pattern that is none can only have been written by hand: it holds everything. */
static bool
matches(const char *pattern, const char *text)
{
	struct error unused = {0};

	return !pattern || !policy_pattern_check(pattern, "hold", &unused)
	       || policy_pattern_match(pattern, text);
}

const struct snapshot_hold *
snapshot_held(const struct snapshot *snapshot, const char *tenant, const char *agent_id, const char *target,
	      const struct policy_decision *decision, int64_t now)
{
	const struct snapshot_hold *found = NULL;

	for (size_t i = 0; i < snapshot->hold_count; i++) {
		const struct snapshot_hold *hold = &snapshot->holds[i];

		if (hold->until <= now || (found && !hold->refuses)
		    || (hold->tenant && strcmp(hold->tenant, tenant) != 0) || !matches(hold->agent, agent_id)
		    || !matches(hold->target, target)
		    || (hold->class_id && !policy_is_of_class(decision, hold->class_id)))
			continue;
		if (hold->refuses)
			return hold;
		found = hold;
	}
	return found;
}

const char *
snapshot_hold_text(const struct snapshot_hold *hold, struct arena *arena)
{
	return arena_format(arena, "Hold %" PRId64 ": %s", hold->hold_id, hold->reason);
}
