/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evaluator_held.c - what a hold stands in the way of: refused, or kept waiting as a whole, nobody being asked, and decided again
 * as if it had just come once the hold is over. It is granted by that decision or not at all; who is held for too long ends EXPIRED.
 */
#include "services/evaluator/evaluator.h"

#include "common/clock/clock.h"
#include "common/message/json.h"
#include "common/message/request.h"

#define SECOND INT64_C(1000000)
enum { AT_ONCE = 100 };

/* ------------------------------------------------------------------ deciding */

bool
evaluator_is_held(const struct evaluator *evaluator, const struct work *work, struct evaluator_item *item)
{
	item->hold = NULL;
	item->is_over = false;
	if (item->decision.verdict == POLICY_BLOCK)
		return false;
	item->is_over = item->decided > 0 && work->now >= item->held_until;
	if (!item->is_over)
		item->hold = snapshot_held(evaluator->snapshot, item->about.tenant, item->about.agent_id,
					   item->about.target, &item->decision, work->now);
	return item->is_over || item->hold;
}

/* ------------------------------------------------------------------ answering */

void
evaluator_release(struct evaluator_answers *answers, const struct evaluator_item *item)
{
	sheet_add(&answers->released, store_text(item->about.tenant), store_text(item->about.request_id),
		  store_int(0), store_time(answers->work->now));
}

/* The decision is what the policy says; the word tells what became of it. */
static bool
end(struct evaluator_answers *answers, const struct evaluator_item *item, enum authorization_status status,
    const char *code, const char *text, struct error *error)
{
	struct authorization word = word_make(answers->work, &item->about, &item->stored);

	word_decided(&answers->words, &item->about, item->decided, &item->stored);
	if (item->decided > 0)
		evaluator_release(answers, item);
	word.status = status;
	word.reason_code = code;
	word.reason_text = text;
	return evaluator_speak(answers, item, &word, error);
}

static bool
wait(struct evaluator_answers *answers, const struct evaluator_item *item, struct error *error)
{
	struct authorization word = word_make(answers->work, &item->about, &item->stored);
	int64_t until = answers->work->now + answers->evaluator->config->held_limit;

	word_decided(&answers->words, &item->about, 0, &item->stored);
	sheet_add(&answers->held, store_text(item->about.tenant), store_text(item->about.request_id),
		  store_int(item->hold->hold_id), store_time(answers->work->now), store_time(until));
	word.status = AUTHORIZATION_PENDING;
	word.reason_code = "held";
	word.reason_text = snapshot_hold_text(item->hold, answers->arena);
	word.held_until = until;
	return evaluator_speak(answers, item, &word, error);
}

/* It waits already, and for nothing else than before, or for another hold. */
static void
wait_on(struct evaluator_answers *answers, const struct evaluator_item *item)
{
	if (item->hold->hold_id != item->held_by)
		sheet_add(&answers->released, store_text(item->about.tenant),
			  store_text(item->about.request_id), store_int(item->hold->hold_id), store_time(0));
}

bool
evaluator_answer_held(struct evaluator_answers *answers, const struct evaluator_item *item, struct error *error)
{
	if (item->is_over)
		return end(answers, item, AUTHORIZATION_EXPIRED, "held_too_long",
			   "A hold has stood in its way until its time was over.", error);
	if (item->hold->refuses)
		return end(answers, item, AUTHORIZATION_DENIED, "held",
			   snapshot_hold_text(item->hold, answers->arena), error);
	if (item->decided == 0)
		return wait(answers, item, error);
	wait_on(answers, item);
	return true;
}

/* ------------------------------------------------------------------ deciding again */

static bool
read_item(struct arena *arena, const struct store_rows *rows, size_t row, struct evaluator_item *item,
	  struct error *error)
{
	struct word_request *about = &item->about;

	item->fate = EVALUATOR_NEW;
	about->tenant = store_row_text(rows, row, 0);
	about->request_id = store_row_text(rows, row, 1);
	about->key = request_key(arena, about->tenant, about->request_id);
	item->held_by = store_row_int(rows, row, 2);
	item->held_until = store_row_time(rows, row, 3);
	about->agent_id = store_row_text(rows, row, 4);
	about->action = store_row_text(rows, row, 5);
	about->target = store_row_text(rows, row, 6);
	item->request.deadline = store_row_time(rows, row, 9);
	about->on_behalf_of = store_row_text(rows, row, 10);
	about->reason = store_row_text(rows, row, 11);
	about->digest_text = store_row_text(rows, row, 12);
	about->traceparent = store_row_text(rows, row, 13);
	about->verified_kid = store_row_text(rows, row, 14);
	about->verified_owner = store_row_text(rows, row, 15);
	item->decided = store_row_int(rows, row, 16);
	return json_stored(arena, store_row_text(rows, row, 7), &about->context, error)
	       && json_stored(arena, store_row_text(rows, row, 8), &about->execution, error);
}

static bool
decide_again(struct evaluator *evaluator, struct work *work, const struct store_rows *rows, struct error *error)
{
	size_t count = store_rows_count(rows);
	struct evaluator_item *items = arena_take_array(work->arena, count, sizeof *items);
	struct limits *limits = limits_open(work, evaluator->journal);

	for (size_t i = 0; i < count; i++)
		if (!read_item(work->arena, rows, i, &items[i], error))
			return false;
	return snapshot_refresh(evaluator->snapshot, work, error) && work_now(work, error)
	       && evaluator_decide(evaluator, work, limits, items, count, error) && limits_send(limits, error)
	       && evaluator_answer(evaluator, work, items, count, error);
}

static bool
release(struct evaluator *evaluator, struct arena *arena, bool *again, struct error *error)
{
	struct store_param limit = store_int(AT_ONCE);
	struct store_rows *rows = NULL;
	struct work work;
	size_t count = 0;
	bool ok;

	journal_begin(evaluator->journal);
	if (work_begin(evaluator->context, arena, &work, error))
		rows = store_query(work.store, arena, STATEMENT_HELD_DUE, &limit, 1, error);
	if (rows)
		count = store_rows_count(rows);
	ok = rows && (count == 0 || decide_again(evaluator, &work, rows, error));
	*again = *again || count == AT_ONCE;
	return journal_finish(evaluator->journal, &work, ok, count > 0, error);
}

/* ------------------------------------------------------------------ the tick */

static bool
gauge(struct evaluator *evaluator, struct arena *arena, struct error *error)
{
	struct work work;
	struct store_rows *rows = NULL;

	journal_begin(evaluator->journal);
	if (work_begin(evaluator->context, arena, &work, error))
		rows = store_query(work.store, arena, STATEMENT_HELD_COUNT, NULL, 0, error);
	if (rows)
		monitor_set(evaluator->context->monitor, "requests_held", "",
			    (double)store_row_int(rows, 0, 0));
	return journal_finish(evaluator->journal, &work, rows != NULL, false, error);
}

bool
evaluator_tick(void *state, struct arena *arena, bool *again, struct error *error)
{
	struct evaluator *evaluator = state;

	if (!release(evaluator, arena, again, error))
		return false;
	arena_reset(arena);
	if (clock_monotonic() < evaluator->gauge_at)
		return true;
	evaluator->gauge_at = clock_monotonic() + 5 * SECOND;
	return gauge(evaluator, arena, error);
}
