/* SPDX-License-Identifier: Apache-2.0 */
/* migrate.c - brings a database to the schema that was compiled in: one migration at a time, each whole or not at all. */
#include "common/store/migrate.h"
#include "common/clock/clock.h"
#include "common/store/store_private.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

#define LOCK_PATIENCE "60s" /* for another migration, and for tables in use */
#define ANSWER_PATIENCE INT64_C(3600000000)

struct run {
	PGconn *connection;
	const struct log *log;
	struct arena *arena;
	struct error *error;
};

/* ------------------------------------------------------------------ one statement, or one file of them */

/* Without pipeline mode: only the simple protocol takes a whole file at once. */
static bool
wait_answer(struct run *run, const char *what)
{
	int64_t end = clock_monotonic() + ANSWER_PATIENCE;

	while (PQisBusy(run->connection)) {
		int unsent = PQflush(run->connection);

		if (store_await(PQsocket(run->connection), unsent > 0 ? POLLIN | POLLOUT : POLLIN, end) == 0
		    || (!PQconsumeInput(run->connection) && PQisBusy(run->connection)))
			return error_set(run->error, ERROR_UNAVAILABLE, "connection_lost",
					 "%s: connection lost", what);
	}
	return true;
}

static bool
is_good(const PGresult *result)
{
	return PQresultStatus(result) == PGRES_COMMAND_OK || PQresultStatus(result) == PGRES_TUPLES_OK
	       || PQresultStatus(result) == PGRES_EMPTY_QUERY;
}

/* The last result of all that was sent; NULL and *error when one of them failed. */
static PGresult *
collect(struct run *run, int sent, const char *what)
{
	PGresult *last = NULL, *next;
	bool good =
	    sent || error_set(run->error, ERROR_UNAVAILABLE, "connection_lost", "%s: connection lost", what);

	while (good && wait_answer(run, what) && (next = PQgetResult(run->connection))) {
		if (!is_good(next))
			store_error_result(run->error, what, next);
		PQclear(last);
		last = next;
	}
	if (run->error->kind != ERROR_NONE) {
		PQclear(last);
		last = NULL;
	}
	return last;
}

/* Rows as they are read everywhere else. */
static struct store_rows *
ask(struct run *run, enum statement statement, const char *const *params, int count)
{
	const char *sql = store_statement_text(statement);
	PGresult *result =
	    collect(run, PQsendQueryParams(run->connection, sql, count, NULL, params, NULL, NULL, 1),
		    store_statement_name(statement));
	struct store_rows *rows = result ? store_rows_copy(run->arena, result) : NULL;

	PQclear(result);
	return rows;
}

static bool
tell(struct run *run, enum statement statement, const char *const *params, int count)
{
	return ask(run, statement, params, count) != NULL;
}

/* ------------------------------------------------------------------ one transaction */

static bool
commit(struct run *run)
{
	PGresult *result =
	    collect(run, PQsendQuery(run->connection, store_statement_text(STATEMENT_STORE_COMMIT)), "commit");
	bool good = result && strcmp(PQcmdStatus(result), "COMMIT") == 0;

	PQclear(result);
	return good ? true
		    : error_set(run->error, ERROR_BROKEN, "rolled_back",
				"commit: the migration was rolled back");
}

/* Not the caller's error: what went wrong is in there already. */
static void
rollback(struct run *run)
{
	struct error ignored = {0};
	struct run quiet = {.connection = run->connection, .arena = run->arena, .error = &ignored};

	PQclear(collect(&quiet, PQsendQuery(run->connection, store_statement_text(STATEMENT_STORE_ROLLBACK)),
			"rollback"));
}

static bool
run_text(struct run *run, const struct store_migration *migration)
{
	PGresult *result = collect(run, PQsendQuery(run->connection, migration->text), migration->name);
	bool good = result != NULL;

	PQclear(result);
	if (good && PQtransactionStatus(run->connection) != PQTRANS_INTRANS)
		good = error_set(run->error, ERROR_BROKEN, "migration", "%s: ended its transaction",
				 migration->name);
	return good;
}

static bool
apply(struct run *run, const struct store_migration *migration)
{
	char version[16];
	const char *const params[] = {version, migration->name, migration->checksum};
	bool good;

	snprintf(version, sizeof version, "%d", migration->version);
	good = tell(run, STATEMENT_STORE_BEGIN, NULL, 0) && run_text(run, migration)
	       && tell(run, STATEMENT_MIGRATE_RECORD, params, 3) && commit(run);
	if (!good)
		rollback(run);
	else if (run->log)
		log_info(run->log, "migrated", log_number("version", migration->version),
			 log_text("name", migration->name));
	return good;
}

/* ------------------------------------------------------------------ all of it */

static bool
prepare_session(struct run *run)
{
	const char *const params[] = {LOCK_PATIENCE};

	return store_connection_check(run->connection, run->error)
	       && tell(run, STATEMENT_MIGRATE_SESSION, params, 1)
	       && tell(run, STATEMENT_MIGRATE_LOCK, NULL, 0);
}

/* The table of migrations is made once, before all of them. */
static bool
prepare_table(struct run *run)
{
	const struct store_rows *exists = ask(run, STATEMENT_MIGRATE_EXISTS, NULL, 0);
	bool good;

	if (!exists || store_row_bool(exists, 0, 0))
		return exists != NULL;
	good = tell(run, STATEMENT_STORE_BEGIN, NULL, 0) && tell(run, STATEMENT_MIGRATE_SCHEMA, NULL, 0)
	       && tell(run, STATEMENT_MIGRATE_TABLE, NULL, 0) && commit(run);
	if (!good)
		rollback(run);
	return good;
}

static bool
apply_missing(struct run *run, unsigned *applied)
{
	const struct store_rows *rows = ask(run, STATEMENT_STORE_SCHEMA, NULL, 0);
	struct store_migration migration;
	bool good = rows && store_schema_check(rows, false, run->error);

	for (size_t i = rows ? store_rows_count(rows) : 0; good && store_schema_migration(i, &migration); i++) {
		good = apply(run, &migration);
		*applied += good;
	}
	return good;
}

static bool
install(struct run *run, uint32_t chains)
{
	char text[16];
	const char *const params[] = {text};
	const struct store_rows *rows;

	snprintf(text, sizeof text, "%u", (unsigned)chains);
	rows = tell(run, STATEMENT_MIGRATE_INSTALL, params, 1) ? ask(run, STATEMENT_MIGRATE_CHAINS, NULL, 0)
							       : NULL;
	if (rows && store_row_int(rows, 0, 0) != chains)
		return error_set(
		    run->error, ERROR_BROKEN, "chains",
		    "the ledger of this database has %d chains, not %u: the number can't be changed",
		    (int)store_row_int(rows, 0, 0), (unsigned)chains);
	return rows != NULL;
}

static bool
run_all(struct run *run, uint32_t chains, unsigned *applied)
{
	bool good =
	    prepare_session(run) && prepare_table(run) && apply_missing(run, applied) && install(run, chains);

	PQfinish(run->connection);
	return good;
}

bool
migrate_run(const char *uri, uint32_t chains, const struct log *log, unsigned *applied, struct error *error)
{
	struct run run = {.log = log, .error = error};
	bool good = (chains >= 1 && chains <= 1024)
		    || error_set(error, ERROR_BROKEN, "chains", "the number of chains is 1 to 1024");

	*applied = 0;
	if (good)
		run.connection = store_connection_open(uri, "countersign-migrate", log, error);
	if (!run.connection)
		return false;
	run.arena = arena_open();
	good = run_all(&run, chains, applied);
	arena_close(run.arena);
	return good;
}
