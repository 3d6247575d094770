/* SPDX-License-Identifier: Apache-2.0 */
/* sheet.h - rows collected for one statement and handed to PostgreSQL column by column, to be taken apart by unnest(). */
#ifndef COUNTERSIGN_SHEET_H
#define COUNTERSIGN_SHEET_H

#include "common/store/store.h"

#define SHEET_COLUMNS_MAX 24

/*
 * `kinds` has one letter for each column: t text[], u uuid[], b bytea[], n bigint[] (instants as microseconds since 1970, 0
 * for none; 0 and 1 for booleans). All but numbers may be NULL. What the cells point to must live until the sheet is sent.
 */
struct sheet {
	struct arena *arena;
	enum statement statement;
	const char *kinds;
	size_t width, count, room;
	struct store_param *cells;
};

struct sheet sheet_open(struct arena *arena, enum statement statement, const char *kinds);
void sheet_row(struct sheet *sheet, const struct store_param *cells, size_t count);
#define sheet_add(sheet, ...)                                                                                \
	sheet_row((sheet), (struct store_param[]){__VA_ARGS__},                                              \
		  sizeof((struct store_param[]){__VA_ARGS__}) / sizeof(struct store_param))

/* Queues the statement if there are rows; it must affect exactly one row for each. */
bool sheet_send(const struct sheet *sheet, struct store *store, struct error *error) CS_MUST_CHECK;
/* Sends and waits for an answer: a look-up. No rows: asks with empty columns. */
struct store_rows *sheet_query(const struct sheet *sheet, struct store *store,
			       struct error *error) CS_MUST_CHECK;

/* The same in a round trip with others: *rows are there after store_settle. */
bool sheet_ask(const struct sheet *sheet, struct store *store, struct store_rows **rows,
	       struct error *error) CS_MUST_CHECK;

/* Texts as one text cell, separated by line feeds: string_to_array(cell, E'\n') in the statement makes a list of it. */
struct store_param sheet_list(struct arena *arena, const char *const *items, size_t count);

#endif
