/* SPDX-License-Identifier: Apache-2.0 */
/* scratch.h - a database of the test's own on the server of COUNTERSIGN_DATABASE_URI, and raw SQL beside the store. */
#ifndef COUNTERSIGN_TEST_SCRATCH_H
#define COUNTERSIGN_TEST_SCRATCH_H

#include "common/store/migrate.h"
#include "common/store/store_private.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { SCRATCH_CHAINS = 4 };

struct scratch {
	char name[64];
	char uri[1024]; /* owner, in the scratch database */
	PGconn *server; /* owner, in the database of the environment */
	PGconn *raw;	/* owner, in the scratch database; NULL until scratch_raw */
	struct arena *arena;
	struct error error;
};

static const struct log scratch_log = {.level = LOG_ERROR, .service = "test"};

/* One part of a connection string: name='value', quoted. */
static inline void
scratch_part(struct buffer *buffer, const char *name, const char *value)
{
	buffer_add_format(buffer, "%s='", name);
	for (; *value; value++) {
		if (*value == '\'' || *value == '\\')
			buffer_add_byte(buffer, '\\');
		buffer_add_byte(buffer, *value);
	}
	buffer_add_text(buffer, "' ");
}

/* The connection string of the environment with other values; NULL leaves one as it is. */
static inline const char *
scratch_uri(struct arena *arena, const char *dbname, const char *host, const char *port, const char *user)
{
	const char *uri = getenv("COUNTERSIGN_DATABASE_URI");
	PQconninfoOption *options = uri ? PQconninfoParse(uri, NULL) : NULL;
	struct buffer buffer = {.arena = arena};

	if (!options)
		fail_msg("COUNTERSIGN_DATABASE_URI names no database: run \"make unit\", or "
			 "deploy/dev/with-servers and this test");
	for (PQconninfoOption *option = options; option->keyword; option++) {
		const char *value = option->val;

		value = dbname && strcmp(option->keyword, "dbname") == 0 ? dbname : value;
		value = host && strcmp(option->keyword, "host") == 0 ? host : value;
		value = port && strcmp(option->keyword, "port") == 0 ? port : value;
		value = user && strcmp(option->keyword, "user") == 0 ? user : value;
		if (value)
			scratch_part(&buffer, option->keyword, value);
	}
	PQconninfoFree(options);
	return buffer.bytes;
}

/* Runs raw SQL; gives the SQLSTATE of its failure, "" when it went well. */
static inline const char *
scratch_state(PGconn *connection, const char *sql)
{
	static _Thread_local char sqlstate[6];
	PGresult *result = PQexec(connection, sql);
	const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);

	snprintf(sqlstate, sizeof sqlstate, "%s",
		 state					 ? state
		 : PQstatus(connection) == CONNECTION_OK ? ""
							 : "lost");
	PQclear(result);
	return sqlstate;
}

static inline void
scratch_run(PGconn *connection, const char *sql)
{
	PGresult *result = PQexec(connection, sql);
	ExecStatusType status = PQresultStatus(result);

	if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
		fail_msg("%s: %s", sql, PQerrorMessage(connection));
	PQclear(result);
}

/* The first column of the first row, as text; "" when there is none. */
static inline const char *
scratch_text(PGconn *connection, const char *sql)
{
	static _Thread_local char text[4096];
	PGresult *result = PQexec(connection, sql);

	if (PQresultStatus(result) != PGRES_TUPLES_OK)
		fail_msg("%s: %s", sql, PQerrorMessage(connection));
	snprintf(text, sizeof text, "%s", PQntuples(result) ? PQgetvalue(result, 0, 0) : "");
	PQclear(result);
	return text;
}

static inline PGconn *
scratch_connect(const char *uri)
{
	PGconn *connection = PQconnectdb(uri);

	if (PQstatus(connection) != CONNECTION_OK)
		fail_msg("the test's own connection: %s", PQerrorMessage(connection));
	scratch_run(connection, "SET client_min_messages = error");
	return connection;
}

static inline PGconn *
scratch_raw(struct scratch *scratch)
{
	if (!scratch->raw) {
		scratch->raw = scratch_connect(scratch->uri);
		scratch_run(scratch->raw, "SET search_path = countersign");
	}
	return scratch->raw;
}

static inline void
scratch_migrate(struct scratch *scratch)
{
	unsigned applied = 0;

	if (!migrate_run(scratch->uri, SCRATCH_CHAINS, &scratch_log, &applied, &scratch->error))
		fail_msg("migrate: %s", scratch->error.text);
}

/* An empty database. */
static inline struct scratch *
scratch_open(void)
{
	static unsigned made;
	struct scratch *scratch = memory_take(sizeof *scratch);
	char sql[256];

	scratch->arena = arena_open();
	snprintf(scratch->name, sizeof scratch->name, "scratch_%ld_%u", (long)getpid(), made++);
	snprintf(scratch->uri, sizeof scratch->uri, "%s",
		 scratch_uri(scratch->arena, scratch->name, NULL, NULL, NULL));
	scratch->server = scratch_connect(scratch_uri(scratch->arena, NULL, NULL, NULL, NULL));
	snprintf(sql, sizeof sql, "CREATE DATABASE %s TEMPLATE template0", scratch->name);
	scratch_run(scratch->server, sql);
	return scratch;
}

static inline void
scratch_close(struct scratch *scratch)
{
	char sql[256];

	PQfinish(scratch->raw);
	snprintf(sql, sizeof sql, "DROP DATABASE %s WITH (FORCE)", scratch->name);
	scratch_run(scratch->server, sql);
	PQfinish(scratch->server);
	arena_close(scratch->arena);
	free(scratch);
}

/* For cmocka: a migrated database in *state. */
static inline int
scratch_setup(void **state)
{
	struct scratch *scratch = scratch_open();

	scratch_migrate(scratch);
	*state = scratch;
	return 0;
}

static inline int
scratch_setup_empty(void **state)
{
	*state = scratch_open();
	return 0;
}

static inline int
scratch_teardown(void **state)
{
	scratch_close(*state);
	return 0;
}

static inline struct store_options
scratch_options(const char *uri)
{
	return (struct store_options){.uri = uri,
				      .application_name = "countersign-test",
				      .statement_timeout_us = 10000000,
				      .lock_timeout_us = 5000000,
				      .log = &scratch_log};
}

static inline struct store *
scratch_store_with(const struct store_options *options)
{
	struct error error = {0};
	struct store *store = store_open(options, NULL, 0, &error);

	if (!store)
		fail_msg("store_open: %s: %s", error.code, error.text);
	return store;
}

static inline struct store *
scratch_store(const struct scratch *scratch)
{
	struct store_options options = scratch_options(scratch->uri);

	return scratch_store_with(&options);
}

/* What went wrong must be this kind, with this code. */
static inline void
scratch_assert_error(const struct error *error, enum error_kind kind, const char *code)
{
	if (error->kind != kind || strcmp(error->code, code) != 0)
		fail_msg("expected %s %s, got %s %s: %s", error_kind_name(kind), code,
			 error_kind_name(error->kind), error->code, error->text);
}

#endif
