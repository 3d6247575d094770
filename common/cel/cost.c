/* SPDX-License-Identifier: Apache-2.0 */
/* cost.c - the static estimate. */
#include "common/cel/cost.h"

uint64_t
cel_cost_estimate(const struct cel_cost_question *question, struct arena *arena, struct cel_faults *faults)
{
	(void)arena;
	if (question->max > 0)
		cel_fault_add(faults, question->tree->source, question->tree->source_length, CEL_COST,
			      question->node->position, "cost: no bound is known");
	return UINT64_MAX;
}
