/* SPDX-License-Identifier: Apache-2.0 */
/* sheet.c - turning rows into columns. */
#include "common/sheet/sheet.h"

#include <assert.h>
#include <string.h>

struct sheet
sheet_open(struct arena *arena, enum statement statement, const char *kinds)
{
	size_t width = strlen(kinds);

	assert(width <= SHEET_COLUMNS_MAX);
	return (struct sheet){.arena = arena, .statement = statement, .kinds = kinds, .width = width};
}

static void
make_room(struct sheet *sheet)
{
	size_t room = sheet->room ? sheet->room * 2 : 16;
	struct store_param *cells = arena_take_array(sheet->arena, room * sheet->width, sizeof *cells);

	if (sheet->count)
		memcpy(cells, sheet->cells, sheet->count * sheet->width * sizeof *cells);
	sheet->cells = cells;
	sheet->room = room;
}

void
sheet_row(struct sheet *sheet, const struct store_param *cells, size_t count)
{
	assert(count == sheet->width);
	if (sheet->count == sheet->room)
		make_room(sheet);
	memcpy(&sheet->cells[sheet->count * sheet->width], cells, count * sizeof *cells);
	sheet->count++;
}

static const struct store_param *
cell(const struct sheet *sheet, size_t row, size_t column)
{
	return &sheet->cells[row * sheet->width + column];
}

static struct store_param
numbers(const struct sheet *sheet, size_t column)
{
	int64_t *items = arena_take_array(sheet->arena, sheet->count, sizeof *items);

	for (size_t row = 0; row < sheet->count; row++) {
		enum store_param_kind kind = cell(sheet, row, column)->kind;

		assert(kind == STORE_INT || kind == STORE_BOOL || kind == STORE_TIME);
		items[row] = cell(sheet, row, column)->number;
	}
	return store_int_list(items, sheet->count);
}

static const char **
texts(const struct sheet *sheet, size_t column, enum store_param_kind wanted)
{
	const char **items = arena_take_array(sheet->arena, sheet->count, sizeof *items);

	for (size_t row = 0; row < sheet->count; row++) {
		const struct store_param *here = cell(sheet, row, column);

		assert(here->kind == wanted || here->kind == STORE_NULL);
		items[row] = here->bytes;
	}
	return items;
}

static struct store_param
bytes(const struct sheet *sheet, size_t column)
{
	struct store_bytes *items = arena_take_array(sheet->arena, sheet->count, sizeof *items);

	for (size_t row = 0; row < sheet->count; row++) {
		const struct store_param *here = cell(sheet, row, column);

		assert(here->kind == STORE_BYTES || here->kind == STORE_NULL);
		items[row] = (struct store_bytes){.bytes = here->bytes, .length = here->length};
	}
	return store_bytes_list(items, sheet->count);
}

static struct store_param
column_of(const struct sheet *sheet, size_t column)
{
	switch (sheet->kinds[column]) {
	case 't':
		return store_text_list(texts(sheet, column, STORE_TEXT), sheet->count);
	case 'u':
		return store_uuid_list(texts(sheet, column, STORE_UUID), sheet->count);
	case 'b':
		return bytes(sheet, column);
	default:
		assert(sheet->kinds[column] == 'n');
		return numbers(sheet, column);
	}
}

static void
columns_of(const struct sheet *sheet, struct store_param params[SHEET_COLUMNS_MAX])
{
	for (size_t column = 0; column < sheet->width; column++)
		params[column] = column_of(sheet, column);
}

bool
sheet_send(const struct sheet *sheet, struct store *store, struct error *error)
{
	struct store_param params[SHEET_COLUMNS_MAX];

	if (sheet->count == 0)
		return true;
	columns_of(sheet, params);
	return store_queue(store, sheet->statement, params, sheet->width, (int64_t)sheet->count, error);
}

struct store_rows *
sheet_query(const struct sheet *sheet, struct store *store, struct error *error)
{
	struct store_param params[SHEET_COLUMNS_MAX];

	columns_of(sheet, params);
	return store_query(store, sheet->arena, sheet->statement, params, sheet->width, error);
}

bool
sheet_ask(const struct sheet *sheet, struct store *store, struct store_rows **rows, struct error *error)
{
	struct store_param params[SHEET_COLUMNS_MAX];

	columns_of(sheet, params);
	return store_ask(store, sheet->arena, sheet->statement, params, sheet->width, rows, error);
}

struct store_param
sheet_list(struct arena *arena, const char *const *items, size_t count)
{
	struct buffer buffer = {.arena = arena};

	buffer_add_text(&buffer, "");
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			buffer_add_byte(&buffer, '\n');
		buffer_add_text(&buffer, items[i]);
	}
	return store_text(buffer.bytes);
}
