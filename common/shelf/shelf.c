/* SPDX-License-Identifier: Apache-2.0 */
/* shelf.c - counting before putting, and from rows back to records. */
#include "common/shelf/shelf.h"

#include "common/canonical/canonical.h"
#include "common/message/json.h"
#include "common/sheet/sheet.h"

#include <string.h>

static const struct json_limits header_limits = {
    .bytes = 256 * 1024, .depth = 3, .keys = 1, .items = 256, .string = 128 * 1024, .key = 1};

/* ------------------------------------------------------------------ putting */

/* One row for each item, in their order: how many wait for its request, how many wait at all. */
static struct store_rows *
count_waiting(struct work *work, const struct shelf_item *items, size_t count, struct error *error)
{
	struct sheet asked = sheet_open(work->arena, STATEMENT_SHELF_COUNT, "ttt");

	for (size_t i = 0; i < count; i++)
		sheet_add(&asked, store_text(work->context->service), store_text(items[i].tenant),
			  store_text(items[i].request_id));
	return sheet_query(&asked, work->store, error);
}

static int64_t
put_before(const struct shelf_item *items, size_t n)
{
	int64_t same = 0;

	for (size_t i = 0; i < n; i++)
		same += !items[i].full && strcmp(items[i].request_id, items[n].request_id) == 0
			&& strcmp(items[i].tenant, items[n].tenant) == 0;
	return same;
}

static bool
matters(const char *name)
{
	return strncmp(name, "ce_", 3) == 0 || strcmp(name, "content-type") == 0
	       || strcmp(name, "signature") == 0 || strcmp(name, "traceparent") == 0;
}

static const char *
format_headers(struct arena *arena, const struct record *record, struct error *error)
{
	struct value *list = value_list(arena);
	struct buffer text = {.arena = arena};

	for (size_t i = 0; i < record->header_count; i++) {
		const struct record_header *header = &record->headers[i];

		if (!matters(header->name))
			continue;

		struct value *pair = value_list(arena);

		value_append(arena, pair, value_string(arena, header->name));
		value_append(arena, pair,
			     header->value ? value_string(arena, crypto_base64_format(arena, header->value,
										      header->length))
					   : value_null(arena));
		value_append(arena, list, pair);
	}
	return canonical_format(&text, list, error) ? text.bytes : NULL;
}

static bool
add_row(struct sheet *rows, struct work *work, const struct shelf_item *item, struct error *error)
{
	const struct record *record = item->record;
	const char *headers = format_headers(work->arena, record, error);

	if (!headers)
		return false;
	sheet_add(rows, store_text(record->topic), store_int(record->partition), store_int(record->offset),
		  store_text(work->context->service), store_text(item->tenant), store_text(item->request_id),
		  store_bytes(record->key, record->key_length),
		  store_bytes(record->value, record->value_length), store_text(headers),
		  store_time(record->timestamp_is_append ? record->timestamp : 0), store_time(work->now));
	return true;
}

bool
shelf_put(struct work *work, struct shelf_item *items, size_t count, struct error *error)
{
	struct sheet rows = sheet_open(work->arena, STATEMENT_SHELF_PUT, "tnntttbbtnn");

	if (count == 0)
		return true;

	struct store_rows *waiting = count_waiting(work, items, count, error);

	if (!waiting)
		return false;
	for (size_t i = 0; i < count; i++) {
		items[i].full = store_row_int(waiting, i, 0) + put_before(items, i) >= SHELF_PER_REQUEST
				|| store_row_int(waiting, i, 1) + (int64_t)rows.count >= SHELF_ALL;
		if (!items[i].full && !add_row(&rows, work, &items[i], error))
			return false;
	}
	return sheet_send(&rows, work->store, error);
}

/* ------------------------------------------------------------------ taking */

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
     struct shelf_taken *taken, struct error *error)
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

bool
shelf_take_known(struct work *work, size_t limit, struct shelf_taken *taken, struct error *error)
{
	const struct store_param params[] = {store_text(work->context->service), store_int((int64_t)limit)};

	return take(work, STATEMENT_SHELF_KNOWN, params, 2, taken, error);
}

bool
shelf_take_overdue(struct work *work, int64_t age_us, size_t limit, struct shelf_taken *taken,
		   struct error *error)
{
	const struct store_param params[] = {store_text(work->context->service), store_int((int64_t)limit),
					     store_int(age_us)};

	return take(work, STATEMENT_SHELF_OVERDUE, params, 3, taken, error);
}
