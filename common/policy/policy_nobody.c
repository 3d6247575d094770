/* SPDX-License-Identifier: Apache-2.0 */
/* policy_nobody.c - what becomes of a question that nobody could answer: the cells of the classes, and whom they ask instead. */
#include "common/policy/policy_deciding.h"

#include <string.h>

void
policy_set_nobody(struct policy_decision *decision, const struct policy_deciding *layers, size_t count)
{
	bool closed = false, hold = false;

	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < layers[i].class_count; j++) {
			enum policy_cell_nobody cell = layers[i].classes[j]->cells.no_eligible_approver;

			closed = closed || cell == POLICY_NOBODY_CLOSED;
			hold = hold || cell == POLICY_NOBODY_HOLD;
		}
	decision->hold_if_nobody = !closed && hold;
	decision->escalate_if_nobody = !closed && !hold;
}

/* A group that several classes name is asked once, with the largest quorum. */
static void
add_ask(struct policy_stage *stage, const struct policy_ask *ask)
{
	size_t n = 0;

	while (n < stage->ask_count && strcmp(stage->asks[n].group, ask->group) != 0)
		n++;
	if (n == stage->ask_count)
		stage->asks[stage->ask_count++] = *ask;
	else if (stage->asks[n].quorum < ask->quorum)
		stage->asks[n].quorum = ask->quorum;
}

const struct policy_profile *
policy_fallback_of(const struct policy_deciding *deciding, const struct policy_profile *profile)
{
	struct policy_profile *fallback = arena_take(deciding->arena, sizeof *fallback);
	struct policy_stage *stage = arena_take(deciding->arena, sizeof *stage);

	*stage = (struct policy_stage){
	    .asks = arena_take_array(deciding->arena, deciding->class_count, sizeof *stage->asks), .all = true};
	for (size_t i = 0; i < deciding->class_count; i++) {
		if (!deciding->classes[i]->fallback.group)
			return NULL; /* one of them does not escalate: none does */
		add_ask(stage, &deciding->classes[i]->fallback);
	}
	*fallback = *profile;
	fallback->stages = stage;
	fallback->stage_count = 1;
	fallback->step_count = 0;
	fallback->distinct = profile->distinct && stage->ask_count > 1;
	return fallback;
}

bool
policy_requirements_fit(const struct policy_decision *decision)
{
	return policy_asks_fit(decision);
}

struct policy_requirement
policy_requirement_escalate(const struct policy_requirement *requirement)
{
	struct policy_requirement other = *requirement;

	other.terms = requirement->fallback;
	other.fallback = NULL;
	other.is_fallback = true;
	other.group = other.terms->stages[0].asks[0].group;
	other.quorum = other.terms->stages[0].asks[0].quorum;
	return other;
}
