/* SPDX-License-Identifier: Apache-2.0 */
/* store_private.h - what the files of this room share: the connection, its pipeline, values on their way to and from libpq. */
#ifndef COUNTERSIGN_STORE_PRIVATE_H
#define COUNTERSIGN_STORE_PRIVATE_H

#include "common/crypto/crypto.h"
#include "common/store/store.h"
#include <libpq-fe.h>

#define STORE_PARAMETERS_MAX 48

/* Types by their fixed OIDs (pg_type.dat); libpq has no header for them. */
enum store_type {
	TYPE_BOOL = 16,
	TYPE_BYTEA = 17,
	TYPE_NAME = 19,
	TYPE_INT8 = 20,
	TYPE_INT2 = 21,
	TYPE_INT4 = 23,
	TYPE_TEXT = 25,
	TYPE_JSON = 114,
	TYPE_FLOAT8 = 701,
	TYPE_BYTEA_LIST = 1001,
	TYPE_INT2_LIST = 1005,
	TYPE_INT4_LIST = 1007,
	TYPE_TEXT_LIST = 1009,
	TYPE_INT8_LIST = 1016,
	TYPE_VARCHAR = 1043,
	TYPE_TIMESTAMPTZ = 1184,
	TYPE_VOID = 2278,
	TYPE_UUID = 2950,
	TYPE_UUID_LIST = 2951,
};

/* What the server said a prepared statement takes. */
struct store_shape {
	bool asked, prepared;
	size_t count;
	Oid types[STORE_PARAMETERS_MAX];
};

enum expectation_kind {
	EXPECT_DONE,  /* a command without rows */
	EXPECT_SHAPE, /* the description of a prepared statement */
	EXPECT_TAG,   /* BEGIN, COMMIT, ROLLBACK: the tag is compared */
	EXPECT_COUNT, /* so many affected rows */
	EXPECT_ROWS,  /* rows to be copied */
	EXPECT_SYNC,  /* the end of a pipeline */
};

/* One answer that the server owes us, in the order in which we asked. */
struct expectation {
	enum expectation_kind kind;
	enum statement statement; /* STATEMENTS: none of them */
	const char *tag;	  /* EXPECT_TAG */
	int64_t count;		  /* EXPECT_COUNT; -1: any */
	struct arena *arena;	  /* EXPECT_ROWS */
	struct store_rows **rows; /* EXPECT_ROWS; valid until the pipeline is settled */
};

struct store {
	/* from the options, owned */
	char *uri, *application_name;
	int64_t statement_timeout_us, lock_timeout_us;
	bool by_key;
	const struct log *log; /* borrowed; NULL: silent */
	enum statement *statements;
	size_t statement_count;
	char **channels; /* listened to in every session */
	size_t channel_count;

	/* the session */
	PGconn *connection; /* NULL: closed */
	struct store_shape shapes[STATEMENTS + 1];
	struct arena *scratch; /* parameters, until libpq has copied them */

	/* the pipeline */
	struct expectation *pending;
	size_t pending_first, pending_count, pending_room;
	bool in_transaction;
	bool unsynced;	 /* something was sent after the last sync */
	size_t unpushed; /* bytes of parameters that libpq may still hold */
	enum commit_answer {
		COMMIT_UNANSWERED,
		COMMIT_DONE,
		COMMIT_REFUSED
	} commit_answer;   /* to the last COMMIT */
	struct error doom; /* the first thing that went wrong since begin */
};

/* ------------------------------------------------------------------ store.c */

/* Tells the caller what dooms the transaction. Always false. */
bool store_report(struct store *store, struct error *error);
/* Sets it, and tells: whoever does not listen can't commit all the same. Always false. */
bool store_doom(struct store *store, struct error *error, enum error_kind kind, const char *code,
		const char *format, ...) CS_PRINTF(5, 6);

/* ------------------------------------------------------------------ store_statements.c */

const char *store_statement_name(enum statement statement);
const char *store_statement_text(enum statement statement);

/* ------------------------------------------------------------------ store_error.c */

/* The reaction to a SQLSTATE; NULL is a lost connection. *code is the word for machines. */
enum error_kind store_sqlstate_kind(const char *sqlstate, const char **code);
/* Sets *error from a failed result: SQLSTATE, names of constraint and table, never values. Always false. */
bool store_error_result(struct error *error, const char *what, const PGresult *result);
/* The server ended the session with this result. */
bool store_result_fatal(const PGresult *result);

/* ------------------------------------------------------------------ store_connection.c */

/* poll(2) for one socket until a CLOCK_MONOTONIC time: 1 ready, 0 not in time, -1 interrupted by a signal. */
int store_await(int descriptor, short events, int64_t until);
/* Connects to a writable server, within seconds, over all hosts. No session is built. */
PGconn *store_connection_open(const char *uri, const char *application_name, const struct log *log,
			      struct error *error) CS_MUST_CHECK;
/* A server that is new enough and stores UTF-8. */
bool store_connection_check(PGconn *connection, struct error *error) CS_MUST_CHECK;

/* ------------------------------------------------------------------ store_session.c */

/* Builds everything that a session has; on failure the connection is closed. */
bool store_session_build(struct store *store, struct error *error) CS_MUST_CHECK;
/* LISTEN on all channels. */
bool store_session_listen(struct store *store) CS_MUST_CHECK;

/* ------------------------------------------------------------------ store_schema.c: sql/schema as it was compiled in */

struct store_migration {
	int version;
	const char *name, *text;
	char checksum[CRYPTO_DIGEST_TEXT_SIZE]; /* SHA-256 of the text */
};
/* The i-th in ascending order; false: there are not so many. */
bool store_schema_migration(size_t i, struct store_migration *migration) CS_MUST_CHECK;
/*
 * `rows` are (version, checksum) in ascending order as the database has them; NULL: the table is missing. Errors: BROKEN
 * "schema", saying what to do: a newer, changed or unknown one, and when `complete` is wanted a missing one.
 */
bool store_schema_check(const struct store_rows *rows, bool complete, struct error *error) CS_MUST_CHECK;

/* ------------------------------------------------------------------ store_pipeline.c */

/* These return false when something is wrong by now; what is in store->doom. */
bool pipeline_send(struct store *store, const struct expectation *expectation,
		   const struct store_param *params, size_t count);
/* Text that is not prepared; parameters as text. */
bool pipeline_send_text(struct store *store, const struct expectation *expectation, const char *sql,
			const char *const *params, size_t count);
bool pipeline_prepare(struct store *store, enum statement statement);
bool pipeline_sync(struct store *store);
/* Waits for all answers that are due. */
bool pipeline_settle(struct store *store);
/* Gives the connection up: *doom says why. Always false. */
bool pipeline_lost(struct store *store, const char *why);
void pipeline_close(struct store *store);

/* ------------------------------------------------------------------ store_param.c, store_rows.c */

struct store_value {
	const char *bytes; /* NULL: SQL NULL */
	int length;
};
/* In PostgreSQL's binary format for a type. Errors: INVALID "not_storable"; BROKEN when the type does not fit. */
bool store_param_encode(struct arena *arena, const struct store_param *param, Oid type,
			struct store_value *value, struct error *error) CS_MUST_CHECK;
bool store_param_type_known(Oid type);
struct store_rows *store_rows_copy(struct arena *arena, const PGresult *result);
bool store_rows_type_known(Oid type);

/* Seconds between 1970 and 2000, where PostgreSQL's time begins, in microseconds. */
#define STORE_EPOCH INT64_C(946684800000000)

#endif
