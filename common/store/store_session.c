/* SPDX-License-Identifier: Apache-2.0 */
/* store_session.c - the one function that builds a session: settings, the schema's version, prepared statements, channels. */
#include "common/store/store_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What the store itself sends, whichever program it is. */
static const enum statement own_statements[] = {
    STATEMENT_STORE_BEGIN,     STATEMENT_STORE_COMMIT,	  STATEMENT_STORE_ROLLBACK,   STATEMENT_STORE_NOW,
    STATEMENT_POSITION_CLAIM,  STATEMENT_POSITION_READ,	  STATEMENT_POSITION_ADVANCE, STATEMENT_LEDGER_LOCK,
    STATEMENT_LEDGER_LOCK_ONE, STATEMENT_LEDGER_MOVE_ONE, STATEMENT_LEDGER_APPEND,    STATEMENT_LEDGER_BATCH,
    STATEMENT_LEDGER_MOVE,     STATEMENT_LEDGER_NOTIFY,
};

/* Sends one text and waits for its rows. */
static struct store_rows *
ask(struct store *store, struct arena *arena, enum statement statement, const char *const *params, size_t count)
{
	struct store_rows *rows = NULL;
	struct expectation expectation = {
	    .kind = EXPECT_ROWS, .statement = statement, .arena = arena, .rows = &rows};
	bool good = pipeline_send_text(store, &expectation, store_statement_text(statement), params, count)
		    && pipeline_sync(store) && pipeline_settle(store);

	return good ? rows : NULL;
}

/* ------------------------------------------------------------------ settings */

static void
milliseconds(char *text, size_t size, int64_t microseconds)
{
	int64_t rounded = (microseconds + 999) / 1000;

	snprintf(text, size, "%" PRId64, rounded > 0 ? rounded : 1); /* 0 would mean: for ever */
}

static bool
is_setting(struct store *store, const struct store_rows *rows, unsigned column, const char *name,
	   const char *wanted)
{
	const char *found = store_row_text(rows, 0, column);

	if (strcmp(found, wanted) == 0)
		return true;
	return error_set(&store->doom, ERROR_BROKEN, "setting", "the session has %s = %s, needed is %s", name,
			 found, wanted);
}

/* remote_apply also waits for the standbys: more than on, and the one other value that is enough. */
static bool
commits_durably(struct store *store, const struct store_rows *rows)
{
	return strcmp(store_row_text(rows, 0, 0), "remote_apply") == 0
	       || is_setting(store, rows, 0, "synchronous_commit", "on");
}

/*
 * A process that is stopped (SIGSTOP, a frozen machine) in the middle of a transaction holds its locks, the heads of the
 * ledger among them, for so long. A live one never idles inside a transaction for more than some milliseconds.
 */
#define IDLE_IN_TRANSACTION INT64_C(10000000)

static bool
build_settings(struct store *store, struct arena *arena)
{
	char statement_timeout[32], lock_timeout[32], idle_timeout[32];
	const char *const params[] = {statement_timeout, lock_timeout, idle_timeout,
				      store->by_key ? "key" : "any"};
	const struct store_rows *rows;

	milliseconds(statement_timeout, sizeof statement_timeout, store->statement_timeout_us);
	milliseconds(lock_timeout, sizeof lock_timeout, store->lock_timeout_us);
	milliseconds(idle_timeout, sizeof idle_timeout, IDLE_IN_TRANSACTION);
	rows = ask(store, arena, STATEMENT_STORE_SESSION, params, sizeof params / sizeof *params);
	return rows && commits_durably(store, rows)
	       && is_setting(store, rows, 5, "default_transaction_isolation", "read committed")
	       && is_setting(store, rows, 6, "TimeZone", "UTC")
	       && is_setting(store, rows, 7, "search_path", "countersign");
}

/* ------------------------------------------------------------------ schema */

static bool
check_schema(struct store *store, struct arena *arena)
{
	const struct store_rows *rows = ask(store, arena, STATEMENT_STORE_SCHEMA, NULL, 0);
	bool missing = !rows && strcmp(store->doom.code, "schema") == 0;

	if (missing)
		error_clear(&store->doom);
	return (rows || missing) && store_schema_check(rows, true, &store->doom);
}

/* ------------------------------------------------------------------ statements and channels */

static bool
prepare_list(struct store *store, const enum statement *statements, size_t count)
{
	bool good = true;

	for (size_t i = 0; good && i < count; i++)
		good = pipeline_prepare(store, statements[i]);
	return good;
}

static bool
prepare(struct store *store)
{
	return prepare_list(store, own_statements, sizeof own_statements / sizeof *own_statements)
	       && prepare_list(store, store->statements, store->statement_count) && pipeline_sync(store)
	       && pipeline_settle(store);
}

/* LISTEN takes no parameter. */
static bool
listen_to(struct store *store, const char *channel)
{
	struct expectation done = {.kind = EXPECT_DONE, .statement = STATEMENTS};
	char *name = PQescapeIdentifier(store->connection, channel, strlen(channel));
	const char *sql = arena_format(store->scratch, "LISTEN %s", name ? name : "");
	bool good =
	    pipeline_send_text(store, &done, sql, NULL, 0) && pipeline_sync(store) && pipeline_settle(store);

	PQfreemem(name);
	arena_reset(store->scratch);
	return good;
}

bool
store_session_listen(struct store *store)
{
	bool good = true;

	for (size_t i = 0; good && i < store->channel_count; i++)
		good = listen_to(store, store->channels[i]);
	return good;
}

/* ------------------------------------------------------------------ all of it */

static bool
connect_store(struct store *store)
{
	store->connection =
	    store_connection_open(store->uri, store->application_name, store->log, &store->doom);
	if (!store->connection)
		return false;
	return (PQsetnonblocking(store->connection, 1) == 0 && PQenterPipelineMode(store->connection))
	       || pipeline_lost(store, "no pipeline mode");
}

bool
store_session_build(struct store *store, struct error *error)
{
	struct arena *arena = arena_open();
	bool good;

	pipeline_close(store);
	error_clear(&store->doom);
	memset(store->shapes, 0, sizeof store->shapes);
	good = connect_store(store) && store_connection_check(store->connection, &store->doom)
	       && build_settings(store, arena) && check_schema(store, arena) && prepare(store)
	       && store_session_listen(store);
	if (good && store->log)
		log_info(store->log, "database_connected",
			 log_number("server_version", PQserverVersion(store->connection)));
	if (!good) {
		pipeline_close(store);
		if (error->kind == ERROR_NONE)
			*error = store->doom;
		error_clear(&store->doom);
	}
	arena_close(arena);
	return good;
}
