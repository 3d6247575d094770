/* SPDX-License-Identifier: Apache-2.0 */
/* story_stages.c - an approval as it was asked, and as far as it had come. Only what is stored is counted; nothing is decided here. */
#include "services/countersign/story_stages.h"
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ reading */

static void
read_ask(struct stages *stages, const struct store_rows *rows, size_t row)
{
	struct approval *approval = &stages->approval;
	unsigned demand = (unsigned)store_row_int(rows, row, 1), stage = (unsigned)store_row_int(rows, row, 2);
	bool of_step = store_row_int(rows, row, 4) != 0;

	approval->asks[approval->ask_count] = (struct approval_ask){
	    .stage = stage, .quorum = store_row_int(rows, row, 5), .of_step = of_step, .active = !of_step};
	stages->groups[approval->ask_count++] = store_row_text(rows, row, 7);
	if (demand >= approval->demand_count)
		approval->demand_count = demand + 1;
	approval->demands[demand] =
	    (struct approval_demand){.deny_quorum = 1, .distinct = store_row_int(rows, row, 6) != 0};
	stages->profiles[demand] = store_row_text(rows, row, 8);
	stages->added_at[demand] = store_row_text(rows, row, 9);
	if (of_step)
		return;
	if (stage >= approval->stage_count)
		approval->stage_count = stage + 1;
	approval->stages[stage] =
	    (struct approval_stage){.demand = demand, .all = store_row_int(rows, row, 3) != 0};
}

static void
read_step(struct stages *stages, const struct store_rows *rows, size_t row)
{
	struct approval *approval = &stages->approval;
	const char *how = store_row_text(rows, row, 3);

	stages->step_groups[approval->step_count] = store_row_text(rows, row, 4);
	stages->step_at[approval->step_count] = store_row_text(rows, row, 6);
	approval->steps[approval->step_count++] = (struct approval_timed_step){
	    .kind = !strcmp(how, "add")	      ? APPROVAL_STEP_ADD
		    : !strcmp(how, "replace") ? APPROVAL_STEP_REPLACE
					      : APPROVAL_STEP_NOTIFY,
	    .demand = (unsigned)store_row_int(rows, row, 1),
	    .ask = (unsigned)store_row_int(rows, row, 2),
	    .stage = (unsigned)store_row_int(rows, row, 5),
	};
}

bool
stages_read(struct cli *cli, const char *request_id, struct stages **stages, struct error *error)
{
	struct store_param params[] = {store_text(cli->config.tenant), store_text(request_id)};
	struct store_rows *asks = cli_read(cli, STATEMENT_CLI_SHOW_STORY_ASKS, params, 2, error);
	struct store_rows *steps =
	    asks ? cli_read(cli, STATEMENT_CLI_SHOW_STORY_STEPS, params, 2, error) : NULL;

	*stages = NULL;
	if (!steps)
		return false;
	if (!store_rows_count(asks))
		return true;
	*stages = arena_take(cli->arena, sizeof **stages);
	(*stages)->approval.state = APPROVAL_PENDING;
	for (size_t i = 0; i < store_rows_count(asks) && i < APPROVAL_ASKS_MAX; i++)
		read_ask(*stages, asks, i);
	for (size_t i = 0; i < store_rows_count(steps) && i < APPROVAL_STEPS_MAX; i++)
		read_step(*stages, steps, i);
	return true;
}

/* ------------------------------------------------------------------ who is asked */

static unsigned
first_stage(const struct approval *approval, unsigned demand)
{
	unsigned stage = 0;

	while (stage + 1 < approval->stage_count && approval->stages[stage].demand != demand)
		stage++;
	return stage;
}

static unsigned
stages_of(const struct approval *approval, unsigned demand)
{
	unsigned count = 0;

	for (unsigned i = 0; i < approval->stage_count; i++)
		count += approval->stages[i].demand == demand;
	return count;
}

static void
add_members(struct buffer *out, int64_t quorum, const char *group)
{
	if (quorum == 1)
		buffer_add_text(out, "one member of ");
	else
		buffer_add_format(out, "%lld members of ", (long long)quorum);
	story_name(out, group);
}

static void
add_stage(struct buffer *out, const struct stages *stages, unsigned stage)
{
	const char *between = "";

	for (unsigned i = 0; i < stages->approval.ask_count; i++) {
		const struct approval_ask *ask = &stages->approval.asks[i];

		if (ask->of_step || ask->stage != stage)
			continue;
		buffer_add_text(out, between);
		add_members(out, ask->quorum, stages->groups[i]);
		between = stages->approval.stages[stage].all ? " and " : " or ";
	}
}

static void
add_demand(struct buffer *out, const struct stages *stages, unsigned demand)
{
	unsigned first = first_stage(&stages->approval, demand), count = stages_of(&stages->approval, demand);

	for (unsigned i = 0; i < count; i++) {
		if (count > 1)
			buffer_add_format(out, "%sin stage %u ", i ? ", then " : "", i + 1);
		add_stage(out, stages, first + i);
	}
	if (count > 1 && stages->approval.demands[demand].distinct)
		buffer_add_text(out, " (nobody counts twice)");
}

static bool
same(const char *left, const char *right)
{
	return left && right ? !strcmp(left, right) : left == right;
}

void
stages_asked(struct buffer *out, const struct stages *stages, const char *added_at)
{
	const char *between = "";

	for (unsigned i = 0; i < stages->approval.demand_count; i++) {
		if (!same(stages->added_at[i], added_at))
			continue;
		buffer_add_text(out, between);
		if (stages->approval.demand_count > 1) {
			buffer_add_text(out, "for ");
			story_name(out, stages->profiles[i]);
			buffer_add_text(out, " ");
		}
		add_demand(out, stages, i);
		between = "; and ";
	}
}

/* ------------------------------------------------------------------ what is complete */

struct progress {
	unsigned current[APPROVAL_DEMANDS_MAX]; /* stages */
};

static struct progress
progress_of(const struct approval *approval)
{
	struct progress progress = {0};

	for (unsigned i = 0; i < approval->demand_count; i++)
		progress.current[i] = approval_current_stage(approval, i);
	return progress;
}

static bool
all_met(const struct approval *approval, const struct progress *progress)
{
	for (unsigned i = 0; i < approval->demand_count; i++)
		if (progress->current[i] != APPROVAL_STAGES_MAX)
			return false;
	return true;
}

/* Of what came of it. A demand with one stage is not said to have stages. */
static void
add_progress(struct buffer *out, const struct stages *stages, const struct progress *before)
{
	const struct approval *approval = &stages->approval;
	struct progress after = progress_of(approval);
	bool further = false;

	for (unsigned i = 0; i < approval->demand_count; i++) {
		unsigned first = first_stage(approval, i), count = stages_of(approval, i);
		unsigned was = before->current[i], is = after.current[i];

		if (was == is || was == APPROVAL_STAGES_MAX)
			continue;
		further = true;
		if (count > 1)
			buffer_add_format(out, " That completes stage %u of %u.",
					  (is == APPROVAL_STAGES_MAX ? count : is - first), count);
		else if (!all_met(approval, &after)) {
			buffer_add_text(out, " That is enough for ");
			story_name(out, stages->profiles[i]);
			buffer_add_text(out, ".");
		}
	}
	if (all_met(approval, &after))
		buffer_add_text(out, " That is all that was asked for.");
	else if (!further)
		buffer_add_text(out, " That is not enough yet.");
}

void
stages_step(struct buffer *out, struct stages *stages, unsigned n)
{
	struct approval *approval = &stages->approval;
	const struct approval_timed_step *step = &approval->steps[n];
	struct approval_ask *ask = &approval->asks[step->ask];
	unsigned first = first_stage(approval, step->demand);
	struct progress before = progress_of(approval);

	if (stages_of(approval, step->demand) > 1)
		buffer_add_format(out, "Nobody had completed stage %u in time", step->stage - first + 1);
	else
		buffer_add_text(out, "Not enough people had answered in time");
	buffer_add_text(out, step->kind == APPROVAL_STEP_NOTIFY ? ": " : ", so it was escalated: ");
	if (step->kind == APPROVAL_STEP_NOTIFY) {
		story_name(out, stages->step_groups[n]);
		buffer_add_text(out, " were told.");
		return;
	}
	buffer_add_text(out, step->kind == APPROVAL_STEP_REPLACE ? "instead of those who were asked, " : "");
	add_members(out, ask->quorum, stages->groups[step->ask]);
	buffer_add_text(out, step->kind == APPROVAL_STEP_REPLACE ? " must approve." : " may approve as well.");
	for (unsigned i = 0; step->kind == APPROVAL_STEP_REPLACE && i < approval->ask_count; i++)
		if (approval->asks[i].active && approval->asks[i].stage == step->stage)
			approval->asks[i].active = false;
	ask->stage = step->stage;
	ask->active = true;

	struct progress after = progress_of(approval);

	if (memcmp(&before, &after, sizeof before) != 0)
		add_progress(out, stages, &before);
}

static struct approval_voter *
voter_of(struct stages *stages, const char *person)
{
	struct approval *approval = &stages->approval;
	unsigned n = 0;

	while (n < approval->voter_count && strcmp(stages->people[n], person) != 0)
		n++;
	if (n == APPROVAL_VOTERS_MAX)
		return NULL;
	if (n == approval->voter_count) {
		stages->people[n] = person;
		approval->voters[n] = (struct approval_voter){0};
		approval->voter_count++;
	}
	return &approval->voters[n];
}

/* " as a member of a and b" of the groups that it counts for. */
static void
add_groups(struct buffer *out, const struct stages *stages, uint32_t counts)
{
	const char *between = " as a member of ";

	for (unsigned i = 0; i < stages->approval.ask_count; i++) {
		bool said = false;

		if (!(counts >> i & 1))
			continue;
		for (unsigned j = 0; j < i; j++)
			said = said || (counts >> j & 1 && !strcmp(stages->groups[i], stages->groups[j]));
		if (said)
			continue;
		buffer_add_text(out, between);
		story_name(out, stages->groups[i]);
		between = " and ";
	}
}

void
stages_answered(struct buffer *out, struct stages *stages, const struct value *row)
{
	const char *verdict = value_get_string(row, "verdict");
	const struct value *counted_for = value_get(row, "counted_for");
	struct progress before = progress_of(&stages->approval);
	struct approval_voter *voter = voter_of(stages, value_get_string(row, "responder"));
	uint32_t counts = 0;

	for (size_t i = 0; counted_for && i < counted_for->as.list.count; i++) {
		unsigned long ask = strtoul(counted_for->as.list.items[i]->as.string.bytes, NULL, 10);
		counts |= ask < APPROVAL_ASKS_MAX ? UINT32_C(1) << ask : 0;
	}
	if (!voter)
		return;
	voter->counts = counts;
	voter->vote = !strcmp(verdict, "approve") ? APPROVAL_VOTE_APPROVE
		      : !strcmp(verdict, "deny")  ? APPROVAL_VOTE_DENY
						  : APPROVAL_VOTE_RECUSED;
	if (voter->vote != APPROVAL_VOTE_APPROVE)
		return;
	add_groups(out, stages, counts);
	story_quote(out, value_get_string(row, "reason"));
	buffer_add_text(out, ".");
	add_progress(out, stages, &before);
}
