/* SPDX-License-Identifier: Apache-2.0 */
/* evaluator_people.c - is there anybody who could answer? */
#include "services/evaluator/evaluator.h"

#include <assert.h>

bool
evaluator_asks_people(const struct evaluator_item *item)
{
	return item->fate == EVALUATOR_NEW && item->decision.verdict == POLICY_REQUIRE_APPROVAL && !item->hold
	       && !item->is_over;
}

bool
evaluator_leads_nowhere(const struct evaluator_item *item)
{
	return item->nobody && !item->decision.hold_if_nobody;
}

/* One group that may be asked, with those who are not to answer. */
static void
ask_size(struct sheet *asked, const struct evaluator_item *item, const struct policy_ask *ask)
{
	sheet_add(asked, store_text(item->about.tenant), store_text(ask->group),
		  store_text(item->about.agent_id), store_text(item->about.on_behalf_of),
		  store_text(item->about.verified_owner));
}

/* For every ask of every requirement how many could meet it: the members of the group without the one who asks. */
static struct store_rows *
count_eligible(struct work *work, const struct evaluator_item *items, size_t count, struct error *error)
{
	struct sheet asked = sheet_open(work->arena, STATEMENT_EVALUATOR_ELIGIBLE, "ttttt");

	for (size_t i = 0; i < count; i++)
		for (size_t j = 0;
		     evaluator_asks_people(&items[i]) && j < items[i].decision.requirement_count; j++) {
			const struct policy_profile *profile = items[i].decision.requirements[j].terms;

			for (size_t k = 0; k < profile->stage_count; k++)
				for (size_t n = 0; n < profile->stages[k].ask_count; n++)
					ask_size(&asked, &items[i], &profile->stages[k].asks[n]);
			for (size_t k = 0; k < profile->step_count; k++)
				ask_size(&asked, &items[i], &profile->steps[k].to);
		}
	return sheet_query(&asked, work->store, error);
}

/* Is there a way for somebody to meet every stage, if need be by a step? Takes as many rows as count_eligible asked for. */
static bool
is_answerable(const struct policy_profile *profile, const struct store_rows *rows, size_t *row)
{
	bool all_stages = true, by_step = false;

	for (size_t k = 0; k < profile->stage_count; k++) {
		const struct policy_stage *stage = &profile->stages[k];
		size_t met = 0;

		for (size_t n = 0; n < stage->ask_count; n++)
			met += store_row_int(rows, (*row)++, 0) >= stage->asks[n].quorum;
		all_stages = all_stages && met >= (stage->all ? stage->ask_count : 1);
	}
	for (size_t k = 0; k < profile->step_count; k++) {
		int64_t members = store_row_int(rows, (*row)++, 0);

		by_step = by_step
			  || (profile->steps[k].how != POLICY_ESCALATE_NOTIFY
			      && members >= profile->steps[k].to.quorum);
	}
	return all_stages || (by_step && profile->stage_count == 1);
}

bool
evaluator_look_for_people(struct work *work, struct evaluator_item *items, size_t count, struct error *error)
{
	struct store_rows *rows = count_eligible(work, items, count, error);
	size_t row = 0;

	if (!rows)
		return false;
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0;
		     evaluator_asks_people(&items[i]) && j < items[i].decision.requirement_count; j++)
			if (!is_answerable(items[i].decision.requirements[j].terms, rows, &row))
				items[i].nobody = true;
	assert(row == store_rows_count(rows));
	return true;
}
