/* SPDX-License-Identifier: Apache-2.0 */
/* asking_rows.c - an approval's asks and steps as rows, and as approvers' bots are told. */
#include "common/asking/asking.h"

struct asking_sheets
asking_sheets_open(struct arena *arena)
{
	return (struct asking_sheets){
	    .asks = sheet_open(arena, STATEMENT_APPROVALS_REQUIRE, "unttntnnnnnnnnnnt"),
	    .steps = sheet_open(arena, STATEMENT_APPROVALS_STEPS, "unnnttn"),
	};
}

static unsigned
demand_of_ask(const struct approval *approval, unsigned ask)
{
	if (!approval->asks[ask].of_step)
		return approval->stages[approval->asks[ask].stage].demand;
	for (unsigned i = 0; i < approval->step_count; i++)
		if (approval->steps[i].kind != APPROVAL_STEP_NOTIFY && approval->steps[i].ask == ask)
			return approval->steps[i].demand;
	return APPROVAL_DEMANDS_MAX;
}

static void
add_ask(struct sheet *sheet, const char *approval_id, const struct approval *approval,
	const struct asking *asking, unsigned n)
{
	const struct approval_ask *ask = &approval->asks[n];
	unsigned number = demand_of_ask(approval, n);
	const struct approval_demand *demand = &approval->demands[number];

	sheet_add(sheet, store_uuid(approval_id), store_int(n), store_text(asking->profiles[number]),
		  store_text(asking->groups[n]), store_int(ask->quorum), store_text(asking->policies[number]),
		  store_int(number), store_int(ask->of_step ? -1 : (int64_t)ask->stage),
		  store_int(!ask->of_step && approval->stages[ask->stage].all), store_int(ask->of_step),
		  store_int(demand->deny_quorum), store_int(demand->distinct),
		  store_int(demand->require_reason),
		  store_time(asking->since[number] == approval->opened_at ? 0 : asking->since[number]),
		  store_int(asking->ahead[n]), store_int(asking->fallback[number]),
		  store_text(asking->overrides[number]));
}

static const char *
how_of(enum approval_step_kind kind)
{
	return kind == APPROVAL_STEP_ADD ? "add" : kind == APPROVAL_STEP_REPLACE ? "replace" : "notify";
}

void
asking_rows(struct asking_sheets *sheets, const char *approval_id, const struct approval *approval,
	    const struct asking *asking, unsigned demand)
{
	for (unsigned i = 0; i < approval->ask_count; i++)
		if (demand_of_ask(approval, i) >= demand)
			add_ask(&sheets->asks, approval_id, approval, asking, i);
	for (unsigned i = 0; i < approval->step_count; i++) {
		const struct approval_timed_step *step = &approval->steps[i];

		if (step->demand >= demand)
			sheet_add(&sheets->steps, store_uuid(approval_id), store_int(asking->step_rows[i]),
				  store_int(step->demand),
				  store_int(step->kind == APPROVAL_STEP_NOTIFY ? -1 : (int64_t)step->ask),
				  store_text(how_of(step->kind)), store_text(asking->step_groups[i]),
				  store_time(step->at));
	}
}

bool
asking_sheets_send(const struct asking_sheets *sheets, struct store *store, struct error *error)
{
	return sheet_send(&sheets->asks, store, error) && sheet_send(&sheets->steps, store, error);
}

/* Of its demand, from 1. */
static int64_t
stage_shown(const struct approval *approval, unsigned stage)
{
	unsigned first = stage;

	while (first > 0 && approval->stages[first - 1].demand == approval->stages[stage].demand)
		first--;
	return (int64_t)(stage - first) + 1;
}

const struct notice_need *
asking_needs(struct arena *arena, const struct approval *approval, const struct asking *asking, size_t *count)
{
	struct notice_need *needs = arena_take_array(arena, approval->ask_count, sizeof *needs);
	uint32_t open = approval_open_asks(approval);

	*count = 0;
	for (unsigned i = 0; i < approval->ask_count; i++) {
		const struct approval_ask *ask = &approval->asks[i];
		unsigned demand = demand_of_ask(approval, i);

		if (!ask->active)
			continue;
		needs[(*count)++] = (struct notice_need){
		    .policy = asking->policies[demand],
		    .profile = asking->profiles[demand],
		    .group = asking->groups[i],
		    .quorum = ask->quorum,
		    .votes = approval_votes(approval, i),
		    .stage = stage_shown(approval, ask->stage),
		    .all = approval->stages[ask->stage].all && !ask->of_step,
		    .distinct = approval->demands[demand].distinct,
		    .escalated = ask->of_step,
		    .fallback = asking->fallback[demand],
		    .open = approval->state == APPROVAL_PENDING && (open & (UINT32_C(1) << i)),
		};
	}
	return needs;
}
