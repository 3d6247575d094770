/* SPDX-License-Identifier: Apache-2.0 */
/* store_pipeline.c - what was asked and what is owed: sends without waiting, settles in order, and gives a silent server up. */
#include "common/store/store_private.h"
#include "common/clock/clock.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#define PUSH_BYTES ((size_t)16 * 1024)	 /* so much is worth a packet of its own before the sync */
#define ANSWER_PATIENCE INT64_C(5000000) /* beyond the server's own statement_timeout */

void
pipeline_close(struct store *store)
{
	PQfinish(store->connection);
	store->connection = NULL;
	store->pending_first = store->pending_count = 0;
	store->in_transaction = store->unsynced = false;
	store->unpushed = 0;
}

bool
pipeline_lost(struct store *store, const char *why)
{
	if (store->connection && store->log)
		log_warn(store->log, "database_lost", log_text("reason", why));
	pipeline_close(store);
	return error_set(&store->doom, ERROR_UNAVAILABLE, "connection_lost", "database: %s", why);
}

/* ------------------------------------------------------------------ waiting */

/*
 * One step of traffic, in whichever direction it moves: the server may be unable to read before we have read. It is
 * given up when nothing at all moves for longer than the server itself allows a statement.
 */
static bool
exchange(struct store *store)
{
	int64_t end = clock_monotonic() + store->statement_timeout_us + ANSWER_PATIENCE;
	int unsent = PQflush(store->connection), ready;

	if (unsent < 0)
		return pipeline_lost(store, "connection lost while sending");
	do
		ready = store_await(PQsocket(store->connection), unsent > 0 ? POLLIN | POLLOUT : POLLIN, end);
	while (ready < 0);
	if (ready == 0)
		return pipeline_lost(store, "no answer in time");
	return PQconsumeInput(store->connection) || !PQisBusy(store->connection)
	       || pipeline_lost(store, "connection lost");
}

/* So that what is sent never piles up here: a batch may be larger than the socket's buffer. */
static bool
push(struct store *store)
{
	int unsent;

	store->unpushed = 0;
	while ((unsent = PQflush(store->connection)) > 0)
		if (!exchange(store))
			return false;
	return unsent == 0 || pipeline_lost(store, "connection lost while sending");
}

/* NULL: lost. */
static PGresult *
next_result(struct store *store)
{
	PGresult *result;

	while (PQisBusy(store->connection))
		if (!exchange(store))
			return NULL;
	result = PQgetResult(store->connection);
	if (!result)
		pipeline_lost(store, "an answer is missing");
	return result;
}

/* ------------------------------------------------------------------ asking */

static void
expect(struct store *store, const struct expectation *expectation)
{
	if (store->pending_count == store->pending_room) {
		store->pending_room = store->pending_room ? 2 * store->pending_room : 64;
		store->pending = memory_grow(store->pending, store->pending_room, sizeof *store->pending);
	}
	store->pending[store->pending_count++] = *expectation;
	store->unsynced = expectation->kind != EXPECT_SYNC;
}

/* `sent` is what libpq said. Small statements leave together with the sync: the server wakes up once for all of them. */
static bool
asked(struct store *store, int sent, const struct expectation *expectation)
{
	if (!sent)
		return pipeline_lost(store, "connection lost before sending");
	expect(store, expectation);
	return (store->unsynced && store->unpushed < PUSH_BYTES) || push(store);
}

static bool
is_ready(struct store *store)
{
	if (store->connection)
		return true;
	return error_set(&store->doom, ERROR_UNAVAILABLE, "connection_lost", "database: not connected");
}

static const char *
expectation_name(const struct expectation *expectation)
{
	return expectation->statement < STATEMENTS ? store_statement_name(expectation->statement) : "session";
}

static bool
encode(struct store *store, const struct expectation *expectation, const struct store_param *params,
       size_t count, struct store_value *values)
{
	const struct store_shape *shape = &store->shapes[expectation->statement];
	bool good = true;

	if (!shape->prepared || shape->count != count)
		return error_set(&store->doom, ERROR_BROKEN, "parameter", "statement %s: %s",
				 expectation_name(expectation),
				 shape->prepared ? "another number of parameters" : "was not prepared");
	for (size_t i = 0; good && i < count; i++)
		good =
		    store_param_encode(store->scratch, &params[i], shape->types[i], &values[i], &store->doom);
	return good ? true : error_wrap(&store->doom, "statement %s", expectation_name(expectation));
}

bool
pipeline_send(struct store *store, const struct expectation *expectation, const struct store_param *params,
	      size_t count)
{
	struct store_value values[STORE_PARAMETERS_MAX] = {0};
	const char *bytes[STORE_PARAMETERS_MAX];
	int lengths[STORE_PARAMETERS_MAX], formats[STORE_PARAMETERS_MAX];
	bool good = is_ready(store) && encode(store, expectation, params, count, values);

	for (size_t i = 0; good && i < count; i++) {
		bytes[i] = values[i].bytes;
		lengths[i] = values[i].length;
		formats[i] = 1;
		store->unpushed += (size_t)values[i].length;
	}
	if (good)
		good =
		    asked(store,
			  PQsendQueryPrepared(store->connection, store_statement_name(expectation->statement),
					      (int)count, bytes, lengths, formats, 1),
			  expectation);
	arena_reset(store->scratch);
	return good;
}

bool
pipeline_send_text(struct store *store, const struct expectation *expectation, const char *sql,
		   const char *const *params, size_t count)
{
	return is_ready(store)
	       && asked(store,
			PQsendQueryParams(store->connection, sql, (int)count, NULL, params, NULL, NULL, 1),
			expectation);
}

/* Once per session: a program may name what the store itself needs. */
bool
pipeline_prepare(struct store *store, enum statement statement)
{
	struct expectation done = {.kind = EXPECT_DONE, .statement = statement};
	struct expectation shape = {.kind = EXPECT_SHAPE, .statement = statement};
	const char *name = store_statement_name(statement);

	if (store->shapes[statement].asked)
		return true;
	store->shapes[statement].asked = true;
	return is_ready(store)
	       && asked(store,
			PQsendPrepare(store->connection, name, store_statement_text(statement), 0, NULL), &done)
	       && asked(store, PQsendDescribePrepared(store->connection, name), &shape);
}

bool
pipeline_sync(struct store *store)
{
	struct expectation sync = {.kind = EXPECT_SYNC, .statement = STATEMENTS};

	return is_ready(store) && asked(store, PQpipelineSync(store->connection), &sync);
}

/* ------------------------------------------------------------------ settling */

static void
take_shape(struct store *store, enum statement statement, const PGresult *result)
{
	struct store_shape *shape = &store->shapes[statement];
	bool known = PQnparams(result) <= STORE_PARAMETERS_MAX;

	shape->count = known ? (size_t)PQnparams(result) : 0;
	for (size_t i = 0; i < shape->count; i++) {
		shape->types[i] = PQparamtype(result, (int)i);
		known = known && store_param_type_known(shape->types[i]);
	}
	for (int i = 0; i < PQnfields(result); i++)
		known = known && store_rows_type_known(PQftype(result, i));
	shape->prepared = known;
	if (!known)
		error_set(&store->doom, ERROR_BROKEN, "parameter",
			  "statement %s: too many parameters, or a type that has no format here",
			  store_statement_name(statement));
}

static void
check_count(struct store *store, const struct expectation *expectation, PGresult *result)
{
	int64_t affected = strtoll(PQcmdTuples(result), NULL, 10);
	bool fence = expectation->statement == STATEMENT_POSITION_ADVANCE;

	if (expectation->count >= 0 && affected != expectation->count)
		error_set(&store->doom, fence ? ERROR_FENCED : ERROR_CONFLICT,
			  fence ? "fenced" : "affected_rows", "statement %s: %lld rows instead of %lld",
			  expectation_name(expectation), (long long)affected, (long long)expectation->count);
}

/* A COMMIT of a failed transaction succeeds as ROLLBACK: only the tag tells. */
static void
check_tag(struct store *store, const struct expectation *expectation, PGresult *result)
{
	bool same = strcmp(PQcmdStatus(result), expectation->tag) == 0;

	if (expectation->statement == STATEMENT_STORE_COMMIT)
		store->commit_answer = same ? COMMIT_DONE : COMMIT_REFUSED;
	if (!same)
		error_set(&store->doom, ERROR_BROKEN, "rolled_back", "%s was answered with %s",
			  expectation->tag, PQcmdStatus(result));
}

static void
take_answer(struct store *store, const struct expectation *expectation, PGresult *result)
{
	switch (expectation->kind) {
	case EXPECT_SHAPE:
		take_shape(store, expectation->statement, result);
		break;
	case EXPECT_TAG:
		check_tag(store, expectation, result);
		break;
	case EXPECT_COUNT:
		check_count(store, expectation, result);
		break;
	case EXPECT_ROWS:
		*expectation->rows = store_rows_copy(expectation->arena, result);
		break;
	case EXPECT_DONE:
	case EXPECT_SYNC:
		break;
	}
}

/* What was prepared is gone, or was prepared for a table that has changed since: a new session prepares it again. */
static bool
is_stale(const struct expectation *expectation, const char *sqlstate)
{
	return (expectation->kind == EXPECT_COUNT || expectation->kind == EXPECT_ROWS)
	       && (strcmp(sqlstate, "0A000") == 0 || strcmp(sqlstate, "26000") == 0);
}

/* Whether this failure is the end of the session. */
static bool
is_last(const struct expectation *expectation, const PGresult *result, const char *sqlstate)
{
	if (store_result_fatal(result) || strcmp(sqlstate, "25006") == 0 || is_stale(expectation, sqlstate))
		return true;
	return expectation->statement == STATEMENT_STORE_COMMIT && strcmp(sqlstate, "57014") == 0;
}

/*
 * A session that was ended is begun anew, whatever ended it; if there is a fault of the deployment, that will tell. A
 * COMMIT that was cancelled is as unknown as one whose session was ended: the word may have come after the deed.
 */
static bool
take_failure(struct store *store, const struct expectation *expectation, const PGresult *result)
{
	const char *sqlstate = PQresultErrorField(result, PG_DIAG_SQLSTATE);
	bool last = is_last(expectation, result, sqlstate);
	struct error failure = {0};

	store_error_result(&failure, expectation_name(expectation), result);
	if (store->doom.kind == ERROR_NONE)
		error_set(&store->doom, last ? ERROR_UNAVAILABLE : failure.kind, failure.code, "%s",
			  failure.text);
	if (last)
		return pipeline_lost(store, sqlstate ? sqlstate : "connection lost");
	if (expectation->statement == STATEMENT_STORE_COMMIT)
		store->commit_answer = COMMIT_REFUSED;
	return true;
}

/* Something before it has failed and is known, so it was not run. */
static void
take_abortion(struct store *store, const struct expectation *expectation)
{
	error_set(&store->doom, ERROR_BROKEN, "protocol", "%s: was not run, and nothing before it had failed",
		  expectation_name(expectation));
	if (expectation->statement == STATEMENT_STORE_COMMIT)
		store->commit_answer = COMMIT_REFUSED;
}

/* The result that ends a pipeline stands alone; all others are followed by NULL. */
static bool
end_answer(struct store *store, const PGresult *result)
{
	PGresult *next = PQresultStatus(result) == PGRES_PIPELINE_SYNC ? NULL : PQgetResult(store->connection);

	if (!next)
		return true;
	PQclear(next);
	return pipeline_lost(store, "answers out of step");
}

static bool
settle_result(struct store *store, const struct expectation *expectation, PGresult *result)
{
	ExecStatusType status = PQresultStatus(result);
	bool failed = status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && status != PGRES_PIPELINE_SYNC
		      && status != PGRES_PIPELINE_ABORTED;

	if (failed)
		return take_failure(store, expectation, result) && end_answer(store, result);
	if ((status == PGRES_PIPELINE_SYNC) != (expectation->kind == EXPECT_SYNC))
		return pipeline_lost(store, "answers out of step");
	if (status == PGRES_PIPELINE_ABORTED)
		take_abortion(store, expectation);
	else
		take_answer(store, expectation, result);
	return end_answer(store, result);
}

/* A statement without BEGIN may still fail when the sync commits it: that failure comes before the sync's own answer. */
static bool
settle_one(struct store *store)
{
	struct expectation expectation = store->pending[store->pending_first];
	PGresult *result = next_result(store);
	bool alive = result && settle_result(store, &expectation, result);

	if (alive && (expectation.kind != EXPECT_SYNC || PQresultStatus(result) == PGRES_PIPELINE_SYNC))
		store->pending_first++;
	PQclear(result);
	return alive;
}

bool
pipeline_settle(struct store *store)
{
	bool alive = store->connection != NULL;

	while (alive && store->pending_first < store->pending_count)
		alive = settle_one(store);
	store->pending_first = store->pending_count = 0;
	return alive && store->doom.kind == ERROR_NONE;
}
