/* SPDX-License-Identifier: Apache-2.0 */
/* store.h - PostgreSQL: one connection, one transaction at a time, prepared statements by name. The only room with libpq. */
#ifndef COUNTERSIGN_STORE_H
#define COUNTERSIGN_STORE_H

#include "common/error/error.h"
#include "common/log/log.h"
#include "common/memory/memory.h"
#include "statements.h" /* enum statement: STATEMENT_<FILE NAME IN UPPER CASE> for each sql/query/<name>.sql */
#include <stdint.h>

struct store;

struct store_options {
	const char *uri;	      /* libpq URI or conninfo; PG* variables count for what it leaves out */
	const char *application_name; /* "countersign-evaluator" */
	int64_t statement_timeout_us; /* server side, and our own deadline for every answer is this + 5 s */
	int64_t lock_timeout_us;
	bool by_key; /* all that is asked is asked by key: no plan may depend on how small a table once was */
	const struct log *log;
};

/*
 * Opens and builds the session (UTF8, UTC, synchronous_commit on, time-outs, search_path, read-write server), checks
 * that the schema is exactly the one this program was built with, and prepares the statements whose file names are
 * listed for this program. Errors: UNAVAILABLE (server away, starting, read-only), BROKEN (rights, missing or other schema).
 */
struct store *store_open(const struct store_options *options, const enum statement *statements, size_t count,
			 struct error *error) CS_MUST_CHECK;
void store_close(struct store *store);
/*
 * True while the connection is believed good. UNAVAILABLE closes it when the session is lost or stale, not when the
 * statement may just be run again (deadlock, time-outs); store_reconnect builds a new session, listening as before.
 */
bool store_connected(const struct store *store);
bool store_reconnect(struct store *store, struct error *error) CS_MUST_CHECK;

/* ------------------------------------------------------------------ parameters and rows */

enum store_param_kind {
	STORE_NULL,
	STORE_TEXT,
	STORE_BYTES,
	STORE_INT,
	STORE_BOOL,
	STORE_TIME,
	STORE_TEXT_LIST,
	STORE_INT_LIST,
	STORE_UUID,
	STORE_UUID_LIST,
	STORE_BYTES_LIST
};
/*
 * Borrowed for the call. Sent in binary, in the type that the server has found for the parameter: TEXT into text, json or
 * uuid, INT into any integer or float8, lists likewise. Items of text, uuid and bytes lists may be NULL. Another type is
 * BROKEN "parameter"; a value that does not fit (smallint, UUID, a time that would read as infinity) is INVALID.
 */
struct store_param {
	enum store_param_kind kind;
	const void *bytes; /* TEXT/UUID: NUL-terminated; BYTES; lists: const char *const * / int64_t * / struct store_bytes * */
	size_t length;	/* BYTES: bytes; lists: items */
	int64_t number; /* INT, BOOL, TIME (microseconds since 1970) */
};
struct store_bytes {
	const void *bytes;
	size_t length;
};
#define store_null() ((struct store_param){.kind = STORE_NULL})
#define store_text(t) store_text_param(t) /* NULL gives SQL NULL */
struct store_param store_text_param(const char *text);
struct store_param store_uuid(const char *text); /* NULL gives SQL NULL */
struct store_param store_bytes(const void *bytes, size_t length);
struct store_param store_int(int64_t number);
struct store_param store_bool(bool boolean);
struct store_param store_time(int64_t microseconds);
struct store_param store_time_or_null(int64_t microseconds); /* 0 gives SQL NULL */
struct store_param store_text_list(const char *const *items, size_t count);
struct store_param store_int_list(const int64_t *items, size_t count);
struct store_param store_uuid_list(const char *const *items, size_t count);
struct store_param store_bytes_list(const struct store_bytes *items, size_t count);

/* A result copied into an arena. Columns by their place in the SELECT; the types are asserted. NULLs: store_row_null, or the fallbacks. */
struct store_rows;
size_t store_rows_count(const struct store_rows *rows);
bool store_row_null(const struct store_rows *rows, size_t row, unsigned column);
const char *store_row_text(const struct store_rows *rows, size_t row,
			   unsigned column); /* text, uuid, name; NULL for SQL NULL */
int64_t store_row_int(const struct store_rows *rows, size_t row, unsigned column); /* int2/4/8; 0 for NULL */
bool store_row_bool(const struct store_rows *rows, size_t row, unsigned column);   /* false for NULL */
int64_t store_row_time(const struct store_rows *rows, size_t row,
		       unsigned column); /* microseconds since 1970; 0 for NULL */
double store_row_real(const struct store_rows *rows, size_t row, unsigned column); /* float8; 0 for NULL */
struct store_bytes store_row_bytes(const struct store_rows *rows, size_t row,
				   unsigned column); /* bytea; NULL,0 for NULL */
const char *const *store_row_list(const struct store_rows *rows, size_t row, unsigned column,
				  size_t *count); /* text[] */
const int64_t *store_row_int_list(const struct store_rows *rows, size_t row, unsigned column,
				  size_t *count); /* int4[]/int8[] */

/* ------------------------------------------------------------------ transactions */

/*
 * Everything below runs in pipeline mode: store_queue only sends; its failure, or a number of affected rows other than
 * expected, is reported by the next store_query, store_settle or store_commit, whichever comes first, and dooms the transaction:
 * nothing but store_rollback follows. Outside of a transaction store_query commits by itself.
 *
 * Kinds of errors by SQLSTATE (reliability 2.9): 40001, 40P01, 55P03, 57014, 57P0x, 53xxx, 08xxx, 25006, no answer in
 * time: UNAVAILABLE; 22xxx, 54xxx: INVALID "not_storable"; 23505: CONFLICT "not_unique"; other 23xxx: INVALID "constraint";
 * 28xxx, 3Dxxx, 42xxx, our own protocol mistakes (08P01, 22P03) and what is not listed: BROKEN.
 * A wrong number of affected rows: CONFLICT "affected_rows". Codes hold the SQLSTATE in the text, never values.
 */
#define STORE_RUN_AGAIN                                                                                      \
	"run_again" /* the code of what another session's locks, or a limit of time, stood in the way of */
bool store_begin(struct store *store, struct error *error) CS_MUST_CHECK;
/* expected_rows -1: any. */
bool store_queue(struct store *store, enum statement statement, const struct store_param *params,
		 size_t count, int64_t expected_rows, struct error *error) CS_MUST_CHECK;
/*
 * Statements whose rows do not depend on each other's share one round trip: store_ask queues one, and *rows (NULL before) is
 * there after store_settle, which waits for all that was queued. Inside of a transaction. `rows` must stay until then, or until store_rollback.
 */
bool store_ask(struct store *store, struct arena *arena, enum statement statement,
	       const struct store_param *params, size_t count, struct store_rows **rows,
	       struct error *error) CS_MUST_CHECK;
bool store_settle(struct store *store, struct error *error) CS_MUST_CHECK;
/* Sends, waits for all that was queued and for this one; the rows are copied into the arena. */
struct store_rows *store_query(struct store *store, struct arena *arena, enum statement statement,
			       const struct store_param *params, size_t count,
			       struct error *error) CS_MUST_CHECK;
/*
 * COMMIT, and the command tag is checked. `unknown` is set when the connection died, or COMMIT was cancelled, after it was
 * sent and before it was answered: the connection is closed, and after store_reconnect the caller must look at what the
 * transaction would have changed (position row).
 */
bool store_commit(struct store *store, bool *unknown, struct error *error) CS_MUST_CHECK;
/* Harmless when nothing was begun. Leaves the connection usable or closed. */
void store_rollback(struct store *store);
/* Listens to a channel, in this session and those to come. Outside of a transaction. */
bool store_listen(struct store *store, const char *channel, struct error *error) CS_MUST_CHECK;
/* Waits for a NOTIFY, at most so long; false when none came, a signal did, or there is no connection. Polling is the base; this shortens it. */
bool store_wait(struct store *store, int64_t timeout_us);
/* clock_timestamp() in a statement of its own: call it after all locks are held. */
bool store_now(struct store *store, int64_t *now, struct error *error) CS_MUST_CHECK;

#endif
