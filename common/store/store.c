/* SPDX-License-Identifier: Apache-2.0 */
/* store.c - the door of the room: open and close, one transaction at a time, and waiting for a notification. */
#include "common/store/store_private.h"
#include "common/clock/clock.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ opening */

static struct store *
store_of(const struct store_options *options, const enum statement *statements, size_t count)
{
	struct store *store = memory_take(sizeof *store);

	store->uri = options->uri ? memory_string(options->uri) : NULL;
	store->application_name = options->application_name ? memory_string(options->application_name) : NULL;
	store->statement_timeout_us = options->statement_timeout_us;
	store->by_key = options->by_key;
	store->lock_timeout_us = options->lock_timeout_us;
	store->log = options->log;
	store->statement_count = count;
	store->statements = memory_grow(NULL, count, sizeof *statements);
	if (count)
		memcpy(store->statements, statements, count * sizeof *statements);
	store->scratch = arena_open();
	return store;
}

struct store *
store_open(const struct store_options *options, const enum statement *statements, size_t count,
	   struct error *error)
{
	struct store *store = store_of(options, statements, count);

	if (!store_session_build(store, error)) {
		store_close(store);
		store = NULL;
	}
	return store;
}

/* The URI may hold a password. */
void
store_close(struct store *store)
{
	if (!store)
		return;
	pipeline_close(store);
	if (store->uri)
		explicit_bzero(store->uri, strlen(store->uri));
	for (size_t i = 0; i < store->channel_count; i++)
		free(store->channels[i]);
	arena_close(store->scratch);
	free(store->channels);
	free(store->pending);
	free(store->statements);
	free(store->application_name);
	free(store->uri);
	free(store);
}

bool
store_connected(const struct store *store)
{
	return store->connection && PQstatus(store->connection) == CONNECTION_OK;
}

bool
store_reconnect(struct store *store, struct error *error)
{
	return store_session_build(store, error);
}

/* ------------------------------------------------------------------ transactions */

/* Outside of a transaction there is nothing left to be rolled back, so what is told is also forgotten. */
bool
store_report(struct store *store, struct error *error)
{
	if (error->kind == ERROR_NONE)
		*error = store->doom;
	if (!store->in_transaction)
		error_clear(&store->doom);
	return false;
}

bool
store_doom(struct store *store, struct error *error, enum error_kind kind, const char *code,
	   const char *format, ...)
{
	char text[ERROR_TEXT_SIZE];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	error_set(&store->doom, kind, code, "%s", text);
	return store_report(store, error);
}

static bool
send_tag(struct store *store, enum statement statement, const char *tag)
{
	struct expectation expectation = {.kind = EXPECT_TAG, .statement = statement, .tag = tag};

	return pipeline_send(store, &expectation, NULL, 0);
}

bool
store_begin(struct store *store, struct error *error)
{
	if (store->in_transaction)
		return error_set(error, ERROR_BROKEN, "transaction", "begin inside a transaction");
	error_clear(&store->doom);
	if (!send_tag(store, STATEMENT_STORE_BEGIN, "BEGIN"))
		return store_report(store, error);
	store->in_transaction = true;
	return true;
}

static bool
queue(struct store *store, const struct expectation *expectation, const struct store_param *params,
      size_t count, struct error *error)
{
	if (!store->in_transaction && store->doom.kind == ERROR_NONE)
		return error_set(error, ERROR_BROKEN, "transaction", "statement %s outside of a transaction",
				 store_statement_name(expectation->statement));
	if (store->doom.kind != ERROR_NONE || !pipeline_send(store, expectation, params, count))
		return store_report(store, error);
	return true;
}

bool
store_queue(struct store *store, enum statement statement, const struct store_param *params, size_t count,
	    int64_t expected_rows, struct error *error)
{
	struct expectation expectation = {.kind = EXPECT_COUNT, .statement = statement, .count = expected_rows};

	return queue(store, &expectation, params, count, error);
}

bool
store_ask(struct store *store, struct arena *arena, enum statement statement,
	  const struct store_param *params, size_t count, struct store_rows **rows, struct error *error)
{
	struct expectation expectation = {
	    .kind = EXPECT_ROWS, .statement = statement, .arena = arena, .rows = rows};

	*rows = NULL;
	return queue(store, &expectation, params, count, error);
}

/*
 * A sync, not a flush request: only after a sync does the server count the session as idle in its transaction, so that a
 * process that is stopped here loses its locks to idle_in_transaction_session_timeout.
 */
static bool
settle(struct store *store)
{
	return store->doom.kind == ERROR_NONE && (store->pending_count == 0 || pipeline_sync(store))
	       && pipeline_settle(store);
}

bool
store_settle(struct store *store, struct error *error)
{
	return settle(store) || store_report(store, error);
}

struct store_rows *
store_query(struct store *store, struct arena *arena, enum statement statement,
	    const struct store_param *params, size_t count, struct error *error)
{
	struct store_rows *rows = NULL;
	struct expectation expectation = {
	    .kind = EXPECT_ROWS, .statement = statement, .arena = arena, .rows = &rows};
	bool good = store->doom.kind == ERROR_NONE && pipeline_send(store, &expectation, params, count)
		    && settle(store);

	if (!good)
		store_report(store, error);
	return good ? rows : NULL;
}

bool
store_commit(struct store *store, bool *unknown, struct error *error)
{
	*unknown = false;
	if (!store->in_transaction && store->doom.kind == ERROR_NONE)
		return error_set(error, ERROR_BROKEN, "transaction", "commit outside of a transaction");
	/* Nothing may be wrong before COMMIT is sent: a wrong number of rows is no error to the server, it would commit. */
	if (!settle(store))
		return store_report(store, error);
	store->commit_answer = COMMIT_UNANSWERED;
	if (send_tag(store, STATEMENT_STORE_COMMIT, "COMMIT") && pipeline_sync(store))
		pipeline_settle(store);
	store->in_transaction = false;
	if (store->commit_answer == COMMIT_DONE) {
		error_clear(&store->doom); /* a connection that broke after the answer is the next caller's matter */
		return true;
	}
	*unknown = store->commit_answer == COMMIT_UNANSWERED;
	return store_report(store, error);
}

/* Whoever asked may be gone by now. */
static void
forget_rows(struct store *store)
{
	for (size_t i = store->pending_first; i < store->pending_count; i++)
		if (store->pending[i].kind == EXPECT_ROWS)
			store->pending[i].kind = EXPECT_DONE;
}

/* The server ends a transaction whose connection is closed; so when anything is odd, the connection is. */
void
store_rollback(struct store *store)
{
	bool good = store->connection != NULL;

	if (good && store->in_transaction) {
		forget_rows(store);
		if (!store->unsynced || pipeline_sync(store))
			pipeline_settle(store);
		error_clear(&store->doom);
		good = send_tag(store, STATEMENT_STORE_ROLLBACK, "ROLLBACK") && pipeline_sync(store)
		       && pipeline_settle(store) && PQtransactionStatus(store->connection) == PQTRANS_IDLE;
	}
	if (!good)
		pipeline_close(store);
	store->in_transaction = false;
	error_clear(&store->doom);
}

bool
store_now(struct store *store, int64_t *now, struct error *error)
{
	struct arena *arena = arena_open();
	struct store_rows *rows = store_query(store, arena, STATEMENT_STORE_NOW, NULL, 0, error);

	if (rows)
		*now = store_row_time(rows, 0, 0);
	arena_close(arena);
	return rows != NULL;
}

/* ------------------------------------------------------------------ notifications */

static bool
is_listened_to(const struct store *store, const char *channel)
{
	for (size_t i = 0; i < store->channel_count; i++)
		if (strcmp(store->channels[i], channel) == 0)
			return true;
	return false;
}

bool
store_listen(struct store *store, const char *channel, struct error *error)
{
	if (store->in_transaction)
		return error_set(error, ERROR_BROKEN, "transaction", "listen inside a transaction");
	if (!is_listened_to(store, channel)) {
		store->channels =
		    memory_grow(store->channels, store->channel_count + 1, sizeof *store->channels);
		store->channels[store->channel_count++] = memory_string(channel);
	}
	return store_session_listen(store) ? true : store_report(store, error);
}

/* Takes all that came; one is as good as many. */
static bool
take_notifications(struct store *store)
{
	PGnotify *notification;
	bool any = false;

	while ((notification = PQnotifies(store->connection))) {
		PQfreemem(notification);
		any = true;
	}
	return any;
}

/* Without a connection it still waits, so that a loop around it does not spin. */
bool
store_wait(struct store *store, int64_t timeout_us)
{
	int64_t end = clock_monotonic() + timeout_us;
	int ready = 1;

	while (store->connection && !take_notifications(store)) {
		ready = store_await(PQsocket(store->connection), POLLIN, end);
		if (ready <= 0)
			return false;
		if (!PQconsumeInput(store->connection))
			pipeline_lost(store, "connection lost while waiting");
	}
	if (store->connection)
		return true;
	error_clear(&store->doom);
	store_await(-1, 0, end);
	return false;
}
