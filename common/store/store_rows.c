/* SPDX-License-Identifier: Apache-2.0 */
/* store_rows.c - results out of PostgreSQL's binary formats. Asking for another type than the SELECT has is our own mistake: it ends the process. */
#include "common/store/store_private.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct store_rows {
	struct arena *arena; /* where all of it lies */
	size_t count;
	unsigned columns;
	Oid *types;
	struct store_bytes *cells; /* row by row; bytes NULL: SQL NULL */
};

struct store_rows *
store_rows_copy(struct arena *arena, const PGresult *result)
{
	struct store_rows *rows = arena_take(arena, sizeof *rows);
	struct store_bytes *cell;

	rows->arena = arena;
	rows->count = (size_t)PQntuples(result);
	rows->columns = (unsigned)PQnfields(result);
	rows->types = arena_take_array(arena, rows->columns, sizeof *rows->types);
	for (unsigned column = 0; column < rows->columns; column++)
		rows->types[column] = PQftype(result, (int)column);
	rows->cells = arena_take_array(arena, rows->count * rows->columns, sizeof *rows->cells);
	cell = rows->cells;
	for (int row = 0; row < PQntuples(result); row++)
		for (int column = 0; column < PQnfields(result); column++, cell++)
			if (!PQgetisnull(result, row, column)) {
				cell->length = (size_t)PQgetlength(result, row, column);
				cell->bytes = arena_copy(arena, PQgetvalue(result, row, column), cell->length);
			}
	return rows;
}

static void
must(bool holds, const char *what, unsigned column)
{
	if (holds)
		return;
	fprintf(stderr, "store: column %u of a result: %s\n", column, what);
	abort();
}

static struct store_bytes
cell_of(const struct store_rows *rows, size_t row, unsigned column)
{
	must(row < rows->count && column < rows->columns, "not there", column);
	return rows->cells[row * rows->columns + column];
}

static bool
is_text(Oid type)
{
	return type == TYPE_TEXT || type == TYPE_VARCHAR || type == TYPE_NAME || type == TYPE_JSON;
}

static bool
is_int(Oid type)
{
	return type == TYPE_INT2 || type == TYPE_INT4 || type == TYPE_INT8;
}

bool
store_rows_type_known(Oid type)
{
	return is_text(type) || is_int(type) || type == TYPE_UUID || type == TYPE_BOOL || type == TYPE_BYTEA
	       || type == TYPE_TIMESTAMPTZ || type == TYPE_FLOAT8 || type == TYPE_TEXT_LIST
	       || type == TYPE_INT4_LIST || type == TYPE_INT8_LIST || type == TYPE_VOID;
}

size_t
store_rows_count(const struct store_rows *rows)
{
	return rows->count;
}

bool
store_row_null(const struct store_rows *rows, size_t row, unsigned column)
{
	return !cell_of(rows, row, column).bytes;
}

static const char *
uuid_text(struct arena *arena, const unsigned char *at)
{
	struct buffer buffer = {.arena = arena};

	for (int i = 0; i < 16; i++)
		buffer_add_format(&buffer, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", at[i]);
	return buffer.bytes;
}

const char *
store_row_text(const struct store_rows *rows, size_t row, unsigned column)
{
	struct store_bytes cell = cell_of(rows, row, column);
	Oid type = rows->types[column];

	must(is_text(type) || type == TYPE_UUID, "not a text", column);
	if (!cell.bytes || is_text(type))
		return cell.bytes;
	must(cell.length == 16, "not a UUID", column);
	return uuid_text(rows->arena, cell.bytes);
}

static int64_t
int_of(const void *bytes, size_t length, unsigned column)
{
	uint16_t two;
	uint32_t four;
	uint64_t eight;

	switch (length) {
	case sizeof two:
		memcpy(&two, bytes, sizeof two);
		return (int16_t)be16toh(two);
	case sizeof four:
		memcpy(&four, bytes, sizeof four);
		return (int32_t)be32toh(four);
	default:
		must(length == sizeof eight, "not a number", column);
		memcpy(&eight, bytes, sizeof eight);
		return (int64_t)be64toh(eight);
	}
}

int64_t
store_row_int(const struct store_rows *rows, size_t row, unsigned column)
{
	struct store_bytes cell = cell_of(rows, row, column);

	must(is_int(rows->types[column]), "not an integer", column);
	return cell.bytes ? int_of(cell.bytes, cell.length, column) : 0;
}

bool
store_row_bool(const struct store_rows *rows, size_t row, unsigned column)
{
	struct store_bytes cell = cell_of(rows, row, column);

	must(rows->types[column] == TYPE_BOOL, "not a boolean", column);
	return cell.bytes && *(const char *)cell.bytes != 0;
}

/* 'infinity' becomes the end of our own range, so that it compares as it should. */
int64_t
store_row_time(const struct store_rows *rows, size_t row, unsigned column)
{
	struct store_bytes cell = cell_of(rows, row, column);
	int64_t wire, microseconds;

	must(rows->types[column] == TYPE_TIMESTAMPTZ, "not a timestamptz", column);
	if (!cell.bytes)
		return 0;
	wire = int_of(cell.bytes, cell.length, column);
	if (wire == INT64_MIN || __builtin_add_overflow(wire, STORE_EPOCH, &microseconds))
		microseconds = wire < 0 ? INT64_MIN : INT64_MAX;
	return microseconds;
}

double
store_row_real(const struct store_rows *rows, size_t row, unsigned column)
{
	struct store_bytes cell = cell_of(rows, row, column);
	int64_t bits;
	double real;

	must(rows->types[column] == TYPE_FLOAT8, "not a double precision", column);
	if (!cell.bytes)
		return 0;
	bits = int_of(cell.bytes, cell.length, column);
	memcpy(&real, &bits, sizeof real);
	return real;
}

struct store_bytes
store_row_bytes(const struct store_rows *rows, size_t row, unsigned column)
{
	must(rows->columns > column && rows->types[column] == TYPE_BYTEA, "not a bytea", column);
	return cell_of(rows, row, column);
}

/* ------------------------------------------------------------------ lists */

/* Reads a list from its front. */
struct reader {
	const char *at;
	size_t left;
	unsigned column;
};

static const char *
take_bytes(struct reader *reader, size_t length)
{
	const char *at = reader->at;

	must(length <= reader->left, "a list that ends too early", reader->column);
	reader->at += length;
	reader->left -= length;
	return at;
}

static int32_t
take_int32(struct reader *reader)
{
	return (int32_t)int_of(take_bytes(reader, 4), 4, reader->column);
}

/* Leaves the reader at the first item and says how many there are. */
static size_t
list_begin(const struct store_rows *rows, size_t row, unsigned column, struct reader *reader)
{
	struct store_bytes cell = cell_of(rows, row, column);
	int32_t dimensions, items;

	*reader = (struct reader){.at = cell.bytes, .left = cell.length, .column = column};
	if (!cell.bytes)
		return 0;
	dimensions = take_int32(reader);
	must(dimensions == 0 || dimensions == 1, "a list of lists", column);
	take_bytes(reader, 8); /* whether there are NULLs, and the type of the items */
	if (dimensions == 0)
		return 0;
	items = take_int32(reader);
	take_bytes(reader, 4); /* number of the first item */
	must(items >= 0, "a list of negative length", column);
	return (size_t)items;
}

const char *const *
store_row_list(const struct store_rows *rows, size_t row, unsigned column, size_t *count)
{
	struct reader reader;
	const char **items;

	must(column < rows->columns && rows->types[column] == TYPE_TEXT_LIST, "not a text[]", column);
	*count = list_begin(rows, row, column, &reader);
	items = arena_take_array(rows->arena, *count + 1, sizeof *items);
	for (size_t i = 0; i < *count; i++) {
		int32_t length = take_int32(&reader);

		if (length >= 0)
			items[i] = arena_copy(rows->arena, take_bytes(&reader, (size_t)length), (size_t)length);
	}
	return items;
}

const int64_t *
store_row_int_list(const struct store_rows *rows, size_t row, unsigned column, size_t *count)
{
	struct reader reader;
	int64_t *items;

	must(column < rows->columns
		 && (rows->types[column] == TYPE_INT4_LIST || rows->types[column] == TYPE_INT8_LIST),
	     "not an integer[] or bigint[]", column);
	*count = list_begin(rows, row, column, &reader);
	items = arena_take_array(rows->arena, *count + 1, sizeof *items);
	for (size_t i = 0; i < *count; i++) {
		int32_t length = take_int32(&reader);

		if (length >= 0)
			items[i] = int_of(take_bytes(&reader, (size_t)length), (size_t)length, column);
	}
	return items;
}
