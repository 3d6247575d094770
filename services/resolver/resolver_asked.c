/* SPDX-License-Identifier: Apache-2.0 */
/* resolver_asked.c - what a locked approval asks, what time has done to that, and what has been answered, from rows. */
#include "services/resolver/resolver.h"

#include <string.h>

/* ------------------------------------------------------------------ what is asked */

static bool
is_broken(const char *what, struct error *error)
{
	return error_set(error, ERROR_BROKEN, "stored_approval", "%s", what);
}

/* Demands and stages are numbered in the order of the asks that name them first. */
static bool
read_ask(const struct store_rows *rows, size_t row, struct resolver_approval *approval, struct error *error)
{
	struct approval *now = &approval->now;
	struct asking *asking = &approval->asking;
	int64_t demand = store_row_int(rows, row, 6), stage = store_row_int(rows, row, 7);
	bool of_step = store_row_bool(rows, row, 9);
	unsigned n = now->ask_count;

	if (n == APPROVAL_ASKS_MAX || store_row_int(rows, row, 1) != n)
		return is_broken("requirements are not numbered from 0", error);
	if (demand < 0 || demand > now->demand_count || demand >= APPROVAL_DEMANDS_MAX)
		return is_broken("demands are not numbered from 0", error);
	if (!of_step && (stage < 0 || stage > now->stage_count || stage >= APPROVAL_STAGES_MAX))
		return is_broken("stages are not numbered from 0", error);
	if (demand == now->demand_count) {
		now->demands[now->demand_count++] =
		    (struct approval_demand){.deny_quorum = store_row_int(rows, row, 10),
					     .distinct = store_row_bool(rows, row, 11),
					     .require_reason = store_row_bool(rows, row, 12),
					     .overridable = !store_row_null(rows, row, 15)};
		asking->profiles[demand] = store_row_text(rows, row, 2);
		asking->policies[demand] = store_row_text(rows, row, 5);
		asking->overrides[demand] = store_row_text(rows, row, 15);
		asking->fallback[demand] = store_row_bool(rows, row, 14);
		asking->since[demand] =
		    store_row_null(rows, row, 13) ? now->opened_at : store_row_time(rows, row, 13);
	}
	if (!of_step && stage == now->stage_count)
		now->stages[now->stage_count++] =
		    (struct approval_stage){.demand = (unsigned)demand, .all = store_row_bool(rows, row, 8)};
	now->asks[n] = (struct approval_ask){.stage = of_step ? 0 : (unsigned)stage,
					     .quorum = store_row_int(rows, row, 4),
					     .of_step = of_step,
					     .active = !of_step};
	asking->groups[n] = store_row_text(rows, row, 3);
	now->ask_count++;
	return true;
}

static bool
load_asks(struct work *work, const struct resolver_approvals *approvals, struct error *error)
{
	struct store_rows *rows = resolver_ask(work, STATEMENT_RESOLVER_REQUIREMENTS, approvals, error);

	if (!rows)
		return false;
	for (size_t row = 0; row < store_rows_count(rows); row++)
		if (!read_ask(rows, row, resolver_owner_of(approvals, rows, row), error))
			return false;
	for (size_t i = 0; i < approvals->count; i++) {
		approvals->items[i].loaded_demands = approvals->items[i].now.demand_count;
		approvals->items[i].loaded_asks = approvals->items[i].now.ask_count;
	}
	return true;
}

/* What a step that was taken did to the asks. */
static void
apply_step(struct approval *now, const struct approval_timed_step *step)
{
	if (step->kind == APPROVAL_STEP_NOTIFY || step->stage >= now->stage_count)
		return;
	for (unsigned i = 0; step->kind == APPROVAL_STEP_REPLACE && i < now->ask_count; i++)
		if (now->asks[i].active && now->asks[i].stage == step->stage)
			now->asks[i].active = false;
	now->asks[step->ask].stage = step->stage;
	now->asks[step->ask].active = true;
}

static bool
kind_of(const char *how, enum approval_step_kind *kind)
{
	*kind = strcmp(how, "add") == 0	      ? APPROVAL_STEP_ADD
		: strcmp(how, "replace") == 0 ? APPROVAL_STEP_REPLACE
					      : APPROVAL_STEP_NOTIFY;
	return *kind != APPROVAL_STEP_NOTIFY || strcmp(how, "notify") == 0;
}

static bool
read_step(const struct store_rows *rows, size_t row, struct resolver_approval *approval, struct error *error)
{
	struct approval *now = &approval->now;
	struct approval_timed_step step = {.at = store_row_time(rows, row, 6),
					   .stage = (unsigned)store_row_int(rows, row, 7)};
	int64_t demand = store_row_int(rows, row, 2), asked = store_row_int(rows, row, 3);
	unsigned n = now->step_count;

	if (n == APPROVAL_STEPS_MAX || !kind_of(store_row_text(rows, row, 4), &step.kind) || demand < 0
	    || demand >= now->demand_count || asked < 0 || asked >= now->ask_count
	    || (step.kind != APPROVAL_STEP_NOTIFY && !now->asks[asked].of_step)
	    || store_row_null(rows, row, 7) != (n >= now->steps_taken))
		return is_broken("a step fits nowhere", error);
	step.demand = (unsigned)demand;
	step.ask = (unsigned)asked;
	now->steps[n] = step;
	approval->asking.step_groups[n] = store_row_text(rows, row, 5);
	approval->asking.step_rows[n] = (unsigned)store_row_int(rows, row, 1);
	now->step_count++;
	if (n < now->steps_taken)
		apply_step(now, &step);
	return true;
}

static bool
load_steps(struct work *work, const struct resolver_approvals *approvals, struct error *error)
{
	struct store_rows *rows = resolver_ask(work, STATEMENT_RESOLVER_STEPS, approvals, error);

	if (!rows)
		return false;
	for (size_t row = 0; row < store_rows_count(rows); row++)
		if (!read_step(rows, row, resolver_owner_of(approvals, rows, row), error))
			return false;
	for (size_t i = 0; i < approvals->count; i++)
		if (approvals->items[i].now.steps_taken > approvals->items[i].now.step_count)
			return is_broken("more steps were taken than there are", error);
	return true;
}

/* ------------------------------------------------------------------ what was answered */

void
resolver_add_answer(struct arena *arena, struct resolver_approval *approval,
		    struct authorization_response answer)
{
	if (approval->answer_count == approval->answer_room) {
		size_t room = approval->answer_room ? 2 * approval->answer_room : 8;
		struct authorization_response *answers = arena_take_array(arena, room, sizeof *answers);

		if (approval->answer_count)
			memcpy(answers, approval->answers, approval->answer_count * sizeof *answers);
		approval->answers = answers;
		approval->answer_room = room;
	}
	approval->answers[approval->answer_count++] = answer;
}

unsigned
resolver_voter(const struct resolver_approval *approval, const char *person)
{
	unsigned n = 0;

	while (n < approval->now.voter_count && strcmp(approval->persons[n], person) != 0)
		n++;
	return n;
}

static bool
read_counts(const struct store_rows *rows, size_t row, const struct approval *approval, uint32_t *counts,
	    struct error *error)
{
	size_t count = 0;
	const int64_t *counted_for = store_row_int_list(rows, row, 5, &count);

	*counts = 0;
	for (size_t i = 0; i < count; i++) {
		if (counted_for[i] < 0 || counted_for[i] >= approval->ask_count)
			return error_set(error, ERROR_BROKEN, "stored_response",
					 "a vote counts for no requirement");
		*counts |= UINT32_C(1) << counted_for[i];
	}
	return true;
}

/* What one person has answered comes in any order; who stepped aside stays so, and a deny undoes an approve. */
static bool
count(struct resolver_approval *approval, const char *person, enum approval_vote vote, uint32_t counts,
      struct error *error)
{
	unsigned n = resolver_voter(approval, person);
	struct approval_voter *voter = &approval->now.voters[n];

	if (n == APPROVAL_VOTERS_MAX)
		return error_set(error, ERROR_BROKEN, "stored_response", "more have answered than can");
	if (n == approval->now.voter_count) {
		approval->persons[n] = person;
		*voter = (struct approval_voter){.vote = APPROVAL_VOTE_NONE};
		approval->now.voter_count++;
	}
	if (vote == voter->vote)
		voter->counts |= counts;
	else if (vote > voter->vote)
		*voter = (struct approval_voter){.vote = vote, .counts = counts};
	return true;
}

static enum approval_vote
vote_of(const char *verdict)
{
	return strcmp(verdict, "approve") == 0	  ? APPROVAL_VOTE_APPROVE
	       : strcmp(verdict, "deny") == 0	  ? APPROVAL_VOTE_DENY
	       : strcmp(verdict, "recuse") == 0	  ? APPROVAL_VOTE_RECUSED
	       : strcmp(verdict, "override") == 0 ? APPROVAL_VOTE_OVERRIDE
						  : APPROVAL_VOTE_NONE;
}

static bool
load_answers(struct work *work, const struct resolver_approvals *approvals, struct error *error)
{
	struct store_rows *rows = resolver_ask(work, STATEMENT_RESOLVER_VOTES, approvals, error);

	if (!rows)
		return false;
	for (size_t row = 0; row < store_rows_count(rows); row++) {
		struct resolver_approval *approval = resolver_owner_of(approvals, rows, row);
		struct authorization_response answer = {.responder = store_row_text(rows, row, 1),
							.verdict = store_row_text(rows, row, 2),
							.reason = store_row_text(rows, row, 3),
							.at = store_row_time(rows, row, 4)};
		enum approval_vote vote = vote_of(answer.verdict);
		uint32_t counts;

		resolver_add_answer(work->arena, approval, answer);
		if (!read_counts(rows, row, &approval->now, &counts, error)
		    || (vote != APPROVAL_VOTE_NONE && !count(approval, answer.responder, vote, counts, error)))
			return false;
	}
	return true;
}

bool
resolver_load_asked(struct work *work, const struct resolver_approvals *approvals, struct error *error)
{
	return load_asks(work, approvals, error) && load_steps(work, approvals, error)
	       && load_answers(work, approvals, error);
}
