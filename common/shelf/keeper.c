/* SPDX-License-Identifier: Apache-2.0 */
/* keeper.c - taking records off the shelf again. */
#include "common/shelf/shelf.h"

#include "common/clock/clock.h"
#include "common/message/json.h"

#include <string.h>
#include <time.h>

enum { AT_ONCE = 100, LOOK_EVERY = 200 * 1000, LONGEST_REST = 2 * 1000 * 1000 };

static const struct json_limits header_limits = {
    .bytes = 256 * 1024, .depth = 3, .keys = 1, .items = 256, .string = 128 * 1024, .key = 1};

/* Records as they came, with those headers that mean something to us. */
struct taken {
	struct record *records;
	size_t count;
};

/* ------------------------------------------------------------------ from rows back to records */

static bool
read_header(struct arena *arena, const struct value *pair, struct record_header *header)
{
	if (pair->kind != VALUE_LIST || pair->as.list.count != 2)
		return false;

	const struct value *name = pair->as.list.items[0], *value = pair->as.list.items[1];

	if (name->kind != VALUE_STRING || (value->kind != VALUE_STRING && value->kind != VALUE_NULL))
		return false;
	header->name = name->as.string.bytes;
	if (value->kind == VALUE_STRING)
		header->value = crypto_base64_parse(arena, value->as.string.bytes, value->as.string.length,
						    &header->length);
	return value->kind == VALUE_NULL || header->value;
}

/* We wrote them ourselves: what can't be read is somebody else's hand in the database. */
static bool
read_headers(struct arena *arena, const char *text, struct record *record, struct error *error)
{
	struct value *list = json_parse(arena, text, strlen(text), &header_limits, error);
	bool ok = list && list->kind == VALUE_LIST;
	struct record_header *headers =
	    ok ? arena_take_array(arena, list->as.list.count, sizeof *headers) : NULL;

	for (size_t i = 0; ok && i < list->as.list.count; i++)
		ok = read_header(arena, list->as.list.items[i], &headers[i]);
	if (!ok) {
		error_clear(error);
		return error_set(error, ERROR_BROKEN, "shelf", "headers of a shelved record can't be read");
	}
	record->headers = headers;
	record->header_count = list->as.list.count;
	return true;
}

static bool
read_record(struct arena *arena, const struct store_rows *rows, size_t row, struct record *record,
	    struct error *error)
{
	struct store_bytes key = store_row_bytes(rows, row, 3), value = store_row_bytes(rows, row, 4);
	int64_t appended_at = store_row_time(rows, row, 6);

	*record = (struct record){
	    .topic = store_row_text(rows, row, 0),
	    .partition = (int32_t)store_row_int(rows, row, 1),
	    .offset = store_row_int(rows, row, 2),
	    .timestamp = appended_at ? appended_at : -1,
	    .timestamp_is_append = appended_at != 0,
	    .key = key.bytes,
	    .key_length = key.length,
	    .value = value.bytes,
	    .value_length = value.length,
	};
	return read_headers(arena, store_row_text(rows, row, 5), record, error);
}

static bool
take(struct work *work, enum statement statement, const struct store_param *params, size_t count,
     struct taken *taken, struct error *error)
{
	struct store_rows *rows = store_query(work->store, work->arena, statement, params, count, error);

	if (!rows)
		return false;
	taken->count = store_rows_count(rows);
	taken->records = arena_take_array(work->arena, taken->count, sizeof *taken->records);
	for (size_t i = 0; i < taken->count; i++)
		if (!read_record(work->arena, rows, i, &taken->records[i], error))
			return false;
	return true;
}

static bool
take_known(struct work *work, size_t limit, struct taken *taken, struct error *error)
{
	const struct store_param params[] = {store_text(work->context->service), store_int((int64_t)limit)};

	return take(work, STATEMENT_SHELF_KNOWN, params, 2, taken, error);
}

static bool
take_overdue(struct work *work, int64_t age_us, struct taken *taken, struct error *error)
{
	const struct store_param params[] = {store_text(work->context->service), store_int(AT_ONCE),
					     store_int(age_us)};

	return take(work, STATEMENT_SHELF_OVERDUE, params, 3, taken, error);
}

/* ------------------------------------------------------------------ those whose request is there */

static bool
is_same(const struct record *left, const struct record *right)
{
	return left->offset == right->offset && left->partition == right->partition
	       && strcmp(left->topic, right->topic) == 0;
}

/* A record that fails alone is refused for the reason for which it failed, if no other instance has taken it meanwhile. */
static bool
set_aside(const struct shelf_keeper *keeper, struct arena *arena, const struct record *failing,
	  const struct error *reason, struct error *error)
{
	struct taken taken = {0};
	struct work work;

	journal_begin(keeper->journal);

	bool ok = work_begin(keeper->context, arena, &work, error) && take_known(&work, 1, &taken, error);
	bool there = ok && taken.count == 1 && is_same(taken.records, failing);

	if (there)
		ok = work_now(&work, error) && work_quarantine(&work, taken.records, reason, NULL, NULL, error);
	return journal_finish(keeper->journal, &work, ok, there, error);
}

static bool
drain_once(const struct shelf_keeper *keeper, struct arena *arena, size_t limit, struct taken *taken,
	   struct error *error)
{
	struct work work;

	journal_begin(keeper->journal);

	bool ok =
	    work_begin(keeper->context, arena, &work, error) && take_known(&work, limit, taken, error)
	    && (taken->count == 0 || keeper->apply(keeper->state, &work, taken->records, taken->count, error));

	return journal_finish(keeper->journal, &work, ok, taken->count > 0, error);
}

/* All together as long as that goes well; after a failure one by one, until one goes well. */
static bool
drain(struct shelf_keeper *keeper, struct arena *arena, bool *again, struct error *error)
{
	struct taken taken = {0};
	struct error reason = {0};
	size_t limit = keeper->one_by_one ? 1 : AT_ONCE;

	if (drain_once(keeper, arena, limit, &taken, &reason)) {
		*again = *again || taken.count == limit;
		keeper->one_by_one = false;
		return true;
	}
	if (reason.kind == ERROR_INVALID && taken.count == 1)
		return set_aside(keeper, arena, taken.records, &reason, error);
	if (reason.kind == ERROR_INVALID || (reason.kind == ERROR_CONFLICT && limit > 1)) {
		keeper->one_by_one = true;
		*again = true;
		return true;
	}
	*error = reason;
	return false;
}

/* ------------------------------------------------------------------ those that waited in vain */

static bool
clear(const struct shelf_keeper *keeper, struct arena *arena, bool *again, struct error *error)
{
	struct taken taken = {0};
	struct work work;

	journal_begin(keeper->journal);

	bool ok =
	    work_begin(keeper->context, arena, &work, error)
	    && take_overdue(&work, keeper->limit_us, &taken, error)
	    && (taken.count == 0 || keeper->give_up(keeper->state, &work, taken.records, taken.count, error));

	*again = *again || taken.count == AT_ONCE;
	return journal_finish(keeper->journal, &work, ok, taken.count > 0, error);
}

/* ------------------------------------------------------------------ the look */

/* A large shelf is looked at less often. That a lock or an outage held the look up is no reason to be late for long. */
static int64_t
rest_after(int64_t took)
{
	return LOOK_EVERY + (took < LONGEST_REST / 10 ? 10 * took : LONGEST_REST);
}

bool
shelf_tend(struct shelf_keeper *keeper, struct arena *arena, bool *again, struct error *error)
{
	int64_t begun = clock_monotonic();
	bool more = false, ok = true;

	if (begun < keeper->next_look)
		return true;
	ok = drain(keeper, arena, &more, error);
	arena_reset(arena);
	ok = ok && clear(keeper, arena, &more, error);
	arena_reset(arena);
	keeper->next_look = more ? 0 : begun + rest_after(clock_monotonic() - begun);
	*again = *again || more;
	return ok;
}
