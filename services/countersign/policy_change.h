/* SPDX-License-Identifier: Apache-2.0 */
/* policy_change.h - what was added, removed and changed from one policy document to another. */
#ifndef COUNTERSIGN_POLICY_CHANGE_H
#define COUNTERSIGN_POLICY_CHANGE_H

#include "common/value/value.h"

/*
 * A list of maps {part, name, change: "added" | "removed" | "changed", key, before, after}, in the order of the manual: parts are "policy" (its own
 * scalars, name NULL), "input", "param", "let", "class", "approval", "rule", "limit", "invariant". Of what is changed each key has a
 * map of its own; before and after are values, absent where there is none. The order of rules, classes and names is no change, the
 * order within any other list is. In the arena, borrowing from both.
 */
struct value *policy_changes(struct arena *arena, const struct value *before, const struct value *after);

#endif
