/* SPDX-License-Identifier: Apache-2.0 */
/* store_position.c - the row that is fence, de-duplication and commit record of a consumer. */
#include "common/store/store_position.h"
#include "common/store/store_private.h"

static bool
claimed(const struct store_rows *rows, struct store_position *position, struct error *error)
{
	if (store_rows_count(rows) != 1)
		return error_set(error, ERROR_FENCED, "no_position",
				 "%s partition %d: there is no position row", position->topic,
				 (int)position->partition);
	position->epoch = store_row_int(rows, 0, 0);
	position->next_offset = store_row_int(rows, 0, 1);
	return true;
}

bool
store_position_claim(struct store *store, struct store_position *position, int64_t low, const char *owner,
		     struct error *error)
{
	struct arena *arena = arena_open();
	const struct store_param params[] = {store_text(position->group), store_text(position->topic),
					     store_int(position->partition), store_int(low), store_text(owner)};
	struct store_rows *rows = NULL;
	bool good = !store->in_transaction
		    || store_doom(store, error, ERROR_BROKEN, "transaction",
				  "a claim belongs in a transaction of its own");

	if (good)
		rows = store_query(store, arena, STATEMENT_POSITION_CLAIM, params, 5, error);
	good = rows && claimed(rows, position, error);

	arena_close(arena);
	return good;
}

bool
store_position_read(struct store *store, struct store_position *position, struct error *error)
{
	struct arena *arena = arena_open();
	const struct store_param params[] = {store_text(position->group), store_text(position->topic),
					     store_int(position->partition)};
	struct store_rows *rows = store_query(store, arena, STATEMENT_POSITION_READ, params, 3, error);
	bool good = rows && claimed(rows, position, error);

	arena_close(arena);
	return good;
}

/* What the same pipeline does behind it is undone with it: a zombie finds out before it has decided anything. */
bool
store_position_advance(struct store *store, const struct store_position *position, int64_t end,
		       struct error *error)
{
	const struct store_param params[] = {store_text(position->group),    store_text(position->topic),
					     store_int(position->partition), store_int(position->next_offset),
					     store_int(position->epoch),     store_int(end)};

	if (end <= position->next_offset) /* what does not move can't tell whether it was committed */
		return store_doom(store, error, ERROR_BROKEN, "position",
				  "%s partition %d: the position must rise", position->topic,
				  (int)position->partition);
	return store_queue(store, STATEMENT_POSITION_ADVANCE, params, 6, 1, error);
}
