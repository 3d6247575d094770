/* SPDX-License-Identifier: Apache-2.0 */
/* shelf.c - putting records on the shelf: counted first, since it is bounded. */
#include "common/shelf/shelf.h"

#include "common/canonical/canonical.h"
#include "common/sheet/sheet.h"

#include <string.h>

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
