/* SPDX-License-Identifier: Apache-2.0 */
/* policy_layout.h - a policy as text for people, in the one layout that it has in each form. */
#ifndef COUNTERSIGN_POLICY_LAYOUT_H
#define COUNTERSIGN_POLICY_LAYOUT_H

#include "common/document/document.h"

/*
 * Appends the policy: known keys in the order of the manual, names that its author gave (of inputs, approvals …) and items in theirs;
 * what fits into 100 columns stands in one line, but for the sections and the rules; ended by a newline. The value is a good policy. In
 * YAML what any reader might take for something else than the text that it is stands in quotes.
 */
void policy_layout(struct arena *arena, const struct value *policy, enum document_form form,
		   struct buffer *out);

#endif
