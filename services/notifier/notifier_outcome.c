/* SPDX-License-Identifier: Apache-2.0 */
/* notifier_outcome.c - who was asked is told what was reported of it: each outcome that is kept for that, once. */
#include "services/notifier/notifier.h"

#include "common/clock/clock.h"

#include <stdlib.h>
#include <string.h>

#define SECOND INT64_C(1000000)

static struct card_outcome
read_outcome(const struct store_rows *rows, size_t row)
{
	return (struct card_outcome){
	    .outcome_id = store_row_text(rows, row, 1),
	    .status = store_row_text(rows, row, 2),
	    .judgement = store_row_text(rows, row, 3),
	    .reported_by = store_row_text(rows, row, 4),
	    .code = store_row_text(rows, row, 5),
	    .detail = store_row_text(rows, row, 6),
	    .at = store_row_time(rows, row, 7),
	};
}

static int
compare_ids(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* The approvals that the outcomes are about, each once. */
static const char **
ids_of(struct arena *arena, const struct store_rows *rows, size_t *count)
{
	size_t all = store_rows_count(rows);
	const char **ids = arena_take_array(arena, all, sizeof *ids);

	for (size_t row = 0; row < all; row++)
		ids[row] = store_row_text(rows, row, 0);
	qsort(ids, all, sizeof *ids, compare_ids);
	*count = 0;
	for (size_t i = 0; i < all; i++)
		if (i == 0 || strcmp(ids[i], ids[*count - 1]) != 0)
			ids[(*count)++] = ids[i];
	return ids;
}

/* The card of its approval once more for each outcome. */
static bool
plan(struct notifier *notifier, struct work *work, const struct store_rows *rows, struct error *error)
{
	struct arena *arena = notifier->scratch;
	size_t all = store_rows_count(rows), id_count, card_count;
	const char **ids = ids_of(arena, rows, &id_count);
	struct card_outcome *outcomes = arena_take_array(arena, all, sizeof *outcomes);
	struct card *told = arena_take_array(arena, all, sizeof *told), *cards;
	size_t count = 0;

	if (!notifier_cards(notifier, work, ids, id_count, &cards, &card_count, error))
		return false;
	for (size_t row = 0; row < all; row++) {
		outcomes[row] = read_outcome(rows, row);
		for (size_t i = 0; i < card_count; i++)
			if (strcmp(cards[i].approval_id, store_row_text(rows, row, 0)) == 0) {
				told[count] = cards[i];
				told[count++].outcome = &outcomes[row];
			}
	}
	return notifier_plan_cards(notifier, work, told, count, error);
}

bool
notifier_tell_outcomes(struct notifier *notifier, struct arena *arena, bool *again, struct error *error)
{
	const struct store_param limit = store_int(NOTIFIER_AT_ONCE);
	struct store_rows *rows = NULL;
	struct work work;
	size_t count = 0;

	if (clock_monotonic() < notifier->outcomes_at)
		return true;
	journal_begin(notifier->journal);
	if (work_begin(notifier->context, arena, &work, error))
		rows = store_query(work.store, arena, STATEMENT_NOTIFIER_OUTCOMES, &limit, 1, error);
	if (rows)
		count = store_rows_count(rows);

	bool ok = rows && (count == 0 || (work_now(&work, error) && plan(notifier, &work, rows, error)));

	ok = journal_finish(notifier->journal, &work, ok, count > 0, error);
	arena_reset(notifier->scratch);
	if (ok && count == NOTIFIER_AT_ONCE)
		*again = true;
	else
		notifier->outcomes_at = clock_monotonic() + SECOND;
	return ok;
}
