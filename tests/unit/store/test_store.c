/* SPDX-License-Identifier: Apache-2.0 */
/* test_store.c - sessions, transactions and their failures on a real database. */
#include "common/store/store_position.h"
#include "common/clock/clock.h"
#include "scratch.h"

#include <pthread.h>
#include <time.h>

/* A setting as the store's own session has it. */
static const char *
setting(struct store *store, struct arena *arena, const char *name)
{
	struct store_rows *rows = NULL;
	struct expectation expectation = {
	    .kind = EXPECT_ROWS, .statement = STATEMENTS, .arena = arena, .rows = &rows};
	const char *const params[] = {name};

	assert_true(pipeline_send_text(store, &expectation, "SELECT current_setting($1)", params, 1));
	assert_true(pipeline_sync(store));
	assert_true(pipeline_settle(store));
	return store_row_text(rows, 0, 0);
}

/* Queues a row for consumer_position; by its key the tests find it again. */
static bool
queue_row(struct store *store, const char *group, int64_t expected_rows, struct error *error)
{
	const struct store_param params[] = {store_text(group), store_text("t"), store_int(0), store_int(0),
					     store_text("me")};

	return store_queue(store, STATEMENT_POSITION_CLAIM, params, 5, expected_rows, error);
}

static bool
row_exists(struct scratch *scratch, const char *group)
{
	char sql[256];

	snprintf(sql, sizeof sql, "SELECT count(*) FROM consumer_position WHERE consumer_group = '%s'", group);
	return strcmp(scratch_text(scratch_raw(scratch), sql), "1") == 0;
}

/* ------------------------------------------------------------------ sessions */

static void
a_session_is_the_same_whatever_the_defaults_of_the_database_are(void **state)
{
	static const char *const wanted[][2] = {
	    {"synchronous_commit", "on"},
	    {"TimeZone", "UTC"},
	    {"search_path", "countersign"},
	    {"client_encoding", "UTF8"},
	    {"default_transaction_isolation", "read committed"},
	    {"statement_timeout", "10s"},
	    {"lock_timeout", "5s"},
	    {"idle_in_transaction_session_timeout", "10s"},
	    {"application_name", "countersign-test"},
	};
	struct scratch *scratch = *state;
	struct store *store;

	scratch_run(scratch->server,
		    arena_format(scratch->arena,
				 "ALTER DATABASE %1$s SET synchronous_commit = off; ALTER DATABASE %1$s SET "
				 "timezone = 'Asia/Tokyo';"
				 "ALTER DATABASE %1$s SET default_transaction_isolation = serializable; "
				 "ALTER DATABASE %1$s SET search_path = pg_temp;"
				 "ALTER DATABASE %1$s SET client_encoding = latin1; ALTER DATABASE %1$s SET "
				 "statement_timeout = 900",
				 scratch->name));
	store = scratch_store(scratch);
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
		assert_string_equal(setting(store, scratch->arena, wanted[i][0]), wanted[i][1]);
	store_close(store);
	scratch_run(scratch->server,
		    arena_format(scratch->arena, "ALTER DATABASE %s RESET ALL", scratch->name));
}

static void
a_server_that_only_reads_is_no_server_for_us(void **state)
{
	struct scratch *scratch = *state;
	struct store_options options = scratch_options(scratch->uri);
	struct error error = {0};

	scratch_run(scratch->server,
		    arena_format(scratch->arena, "ALTER DATABASE %s SET default_transaction_read_only = on",
				 scratch->name));
	assert_null(store_open(&options, NULL, 0, &error));
	assert_int_equal(error.kind, ERROR_UNAVAILABLE);
	scratch_run(scratch->server,
		    arena_format(scratch->arena, "ALTER DATABASE %s RESET ALL", scratch->name));
}

static void
a_statement_that_does_not_fit_the_schema_fails_at_start_by_name(void **state)
{
	struct scratch *scratch = *state;
	struct store_options options = scratch_options(scratch->uri);
	struct error error = {0};

	scratch_run(scratch_raw(scratch), "ALTER TABLE consumer_position RENAME next_offset TO elsewhere");
	assert_null(store_open(&options, NULL, 0, &error));
	scratch_assert_error(&error, ERROR_BROKEN, "schema");
	assert_non_null(strstr(error.text, "position_claim"));
	scratch_run(scratch_raw(scratch), "ALTER TABLE consumer_position RENAME elsewhere TO next_offset");
}

static void
a_plan_whose_result_changed_asks_for_a_new_session(void **state)
{
	struct scratch *scratch = *state;
	struct store *store = scratch_store(scratch);
	struct store_position position = {.group = "stale", .topic = "t"};
	struct error error = {0};

	assert_true(store_position_claim(store, &position, 5, "me", &error));
	assert_true(store_position_read(store, &position, &error));
	scratch_run(scratch_raw(scratch), "ALTER TABLE consumer_position ALTER next_offset TYPE integer");
	assert_false(store_position_read(store, &position, &error));
	assert_int_equal(error.kind, ERROR_UNAVAILABLE);
	assert_false(store_connected(store));
	error_clear(&error);
	assert_true(store_reconnect(store, &error));
	assert_true(store_position_read(store, &position, &error));
	assert_int_equal(position.next_offset, 5);
	scratch_run(scratch_raw(scratch), "ALTER TABLE consumer_position ALTER next_offset TYPE bigint");
	store_close(store);
}

/* ------------------------------------------------------------------ transactions */

static void
what_was_committed_is_there_and_what_was_rolled_back_is_not(void **state)
{
	struct store *store = scratch_store(*state);
	struct error error = {0};
	bool unknown = true;

	assert_true(store_begin(store, &error) && queue_row(store, "kept", 1, &error)
		    && store_commit(store, &unknown, &error));
	assert_false(unknown);
	assert_true(store_begin(store, &error) && queue_row(store, "dropped", 1, &error));
	store_rollback(store);
	assert_true(row_exists(*state, "kept"));
	assert_false(row_exists(*state, "dropped"));
	store_rollback(store);
	assert_true(store_connected(store));
	store_close(store);
}

static void
a_wrong_number_of_rows_dooms_the_transaction_though_the_server_saw_no_error(void **state)
{
	struct store *store = scratch_store(*state);
	struct error error = {0};
	bool unknown;

	assert_true(store_begin(store, &error) && queue_row(store, "counted", 2, &error)
		    && queue_row(store, "after", 1, &error));
	assert_false(store_commit(store, &unknown, &error));
	assert_false(unknown);
	scratch_assert_error(&error, ERROR_CONFLICT, "affected_rows");
	store_rollback(store);
	assert_false(row_exists(*state, "counted"));
	assert_false(row_exists(*state, "after"));
	error_clear(&error);
	assert_true(store_begin(store, &error) && queue_row(store, "counted", -1, &error)
		    && store_commit(store, &unknown, &error));
	store_close(store);
}

static void
the_next_query_tells_what_a_queued_statement_did_wrong(void **state)
{
	struct scratch *scratch = *state;
	struct store *store = scratch_store(scratch);
	struct error error = {0};

	assert_true(store_begin(store, &error) && queue_row(store, "queued", 3, &error));
	assert_null(store_query(store, scratch->arena, STATEMENT_STORE_NOW, NULL, 0, &error));
	scratch_assert_error(&error, ERROR_CONFLICT, "affected_rows");
	error_clear(&error);
	assert_null(store_query(store, scratch->arena, STATEMENT_STORE_NOW, NULL, 0, &error));
	scratch_assert_error(&error, ERROR_CONFLICT, "affected_rows");
	store_rollback(store);
	store_close(store);
}

/* Not UTF-8 is the input's fault; the error names the statement and holds nothing of the value. */
static void
text_that_is_not_utf8_is_invalid_and_is_not_repeated(void **state)
{
	struct store *store = scratch_store(*state);
	struct error error = {0};
	bool unknown;

	assert_true(store_begin(store, &error) && queue_row(store, "secret\xff", 1, &error));
	assert_false(store_commit(store, &unknown, &error));
	scratch_assert_error(&error, ERROR_INVALID, "not_storable");
	assert_non_null(strstr(error.text, "22021"));
	assert_non_null(strstr(error.text, "position_claim"));
	assert_null(strstr(error.text, "secret"));
	store_rollback(store);
	error_clear(&error);
	assert_true(store_begin(store, &error) && queue_row(store, "after_utf8", 1, &error)
		    && store_commit(store, &unknown, &error));
	store_close(store);
}

static void
append_batch(struct store *store, int64_t chain, int64_t last, struct error *error)
{
	const int64_t chains[] = {chain}, lasts[] = {last};
	const struct store_bytes hashes[] = {{"01234567890123456789012345678901", 32}};
	const struct store_param params[] = {store_int_list(chains, 1),	  store_int_list(lasts, 1),
					     store_int_list(lasts, 1),	  store_bytes_list(hashes, 1),
					     store_bytes_list(hashes, 1), store_time(1)};

	assert_true(store_queue(store, STATEMENT_LEDGER_BATCH, params, 6, 1, error));
}

static void
a_row_that_is_there_already_is_a_conflict_naming_the_constraint(void **state)
{
	struct store *store = scratch_store(*state);
	struct error error = {0};
	bool unknown;

	assert_true(store_begin(store, &error));
	append_batch(store, 3, 7, &error);
	append_batch(store, 3, 7, &error);
	assert_false(store_commit(store, &unknown, &error));
	scratch_assert_error(&error, ERROR_CONFLICT, "not_unique");
	assert_non_null(strstr(error.text, "ledger_batch_pkey"));
	store_rollback(store);
	store_close(store);
}

static void
a_parameter_that_does_not_fit_dooms_the_transaction_without_being_sent(void **state)
{
	const struct store_param far[] = {store_text("far"), store_text("t"), store_int(INT64_MAX),
					  store_int(0), store_text("me")};
	struct store *store = scratch_store(*state);
	struct error error = {0};
	bool unknown;

	assert_true(store_begin(store, &error) && queue_row(store, "before_far", 1, &error));
	assert_false(store_queue(store, STATEMENT_POSITION_CLAIM, far, 5, 1, &error));
	scratch_assert_error(&error, ERROR_INVALID, "not_storable");
	error_clear(&error);
	assert_false(store_commit(store, &unknown, &error));
	scratch_assert_error(&error, ERROR_INVALID, "not_storable");
	store_rollback(store);
	assert_false(row_exists(*state, "before_far"));
	assert_true(store_connected(store));
	store_close(store);
}

static void
statements_out_of_place_are_our_own_mistake(void **state)
{
	struct scratch *scratch = *state;
	struct store *store = scratch_store(scratch);
	struct error error = {0};
	bool unknown;

	assert_false(queue_row(store, "outside", 1, &error));
	assert_int_equal(error.kind, ERROR_BROKEN);
	error_clear(&error);
	assert_false(store_commit(store, &unknown, &error));
	assert_int_equal(error.kind, ERROR_BROKEN);
	error_clear(&error);
	assert_null(store_query(store, scratch->arena, STATEMENT_MIGRATE_CHAINS, NULL, 0,
				&error)); /* not in the list */
	assert_int_equal(error.kind, ERROR_BROKEN);
	error_clear(&error);
	assert_null(
	    store_query(store, scratch->arena, STATEMENT_POSITION_READ, NULL, 0, &error)); /* no parameters */
	assert_int_equal(error.kind, ERROR_BROKEN);
	error_clear(&error);
	assert_true(store_begin(store, &error));
	assert_false(store_begin(store, &error));
	assert_int_equal(error.kind, ERROR_BROKEN);
	store_rollback(store);
	assert_true(store_connected(store));
	store_close(store);
}

/*
 * COMMIT of a failed transaction is answered with success and the tag ROLLBACK. The store never sends it after an error
 * that it knows; here the transaction fails behind its back.
 */
static void
a_commit_that_was_a_rollback_is_no_commit(void **state)
{
	struct store *store = scratch_store(*state);
	struct error error = {0};
	bool unknown = true;

	assert_true(store_begin(store, &error) && queue_row(store, "vanished", 1, &error));
	assert_true(pipeline_sync(store) && pipeline_settle(store));
	assert_int_equal(PQsendQueryParams(store->connection, "SELECT 1/0", 0, NULL, NULL, NULL, NULL, 0), 1);
	assert_int_equal(PQpipelineSync(store->connection), 1);
	for (int synced = 0; !synced;) {
		PGresult *result = PQgetResult(store->connection);

		synced = result && PQresultStatus(result) == PGRES_PIPELINE_SYNC;
		PQclear(result);
	}
	assert_false(store_commit(store, &unknown, &error));
	assert_false(unknown);
	scratch_assert_error(&error, ERROR_BROKEN, "rolled_back");
	assert_false(row_exists(*state, "vanished"));
	store_rollback(store);
	store_close(store);
}

static void
a_query_of_its_own_is_committed_at_once(void **state)
{
	const struct store_param params[] = {store_text("alone"), store_text("t"), store_int(0), store_int(0),
					     store_text("me")};
	struct scratch *scratch = *state;
	struct store *store = scratch_store(scratch);
	struct error error = {0};

	assert_non_null(store_query(store, scratch->arena, STATEMENT_POSITION_CLAIM, params, 5, &error));
	assert_true(row_exists(scratch, "alone"));
	assert_int_equal(PQtransactionStatus(store->connection), PQTRANS_IDLE);
	store_close(store);
}

/* Neither side may wait for the other to read: far more is sent and answered than any buffer holds. */
static void
sixty_thousand_queued_statements_do_not_stall(void **state)
{
	struct store *store = scratch_store(*state);
	struct error error = {0};
	bool unknown;

	assert_true(store_begin(store, &error));
	for (int i = 0; i < 60000; i++)
		assert_true(store_queue(store, STATEMENT_STORE_NOW, NULL, 0, 1, &error));
	assert_true(store_commit(store, &unknown, &error));
	store_close(store);
}

static void
statements_behind_a_failed_one_are_passed_over(void **state)
{
	struct store *store = scratch_store(*state);
	struct error error = {0};
	bool unknown;

	assert_true(store_begin(store, &error) && queue_row(store, "bad\xff", 1, &error));
	for (int i = 0; i < 1000; i++)
		assert_true(queue_row(store, "behind", 1, &error));
	assert_false(store_commit(store, &unknown, &error));
	scratch_assert_error(&error, ERROR_INVALID, "not_storable");
	store_rollback(store);
	assert_false(row_exists(*state, "behind"));
	assert_true(store_connected(store));
	store_close(store);
}

/* ------------------------------------------------------------------ waiting for others */

static void
expect_busy(struct scratch *scratch, const struct store_options *options, const char *sqlstate)
{
	struct store *store = scratch_store_with(options);
	struct error error = {0};
	bool unknown;

	scratch_run(scratch_raw(scratch), "BEGIN; LOCK TABLE consumer_position IN ACCESS EXCLUSIVE MODE");
	assert_true(store_begin(store, &error) && queue_row(store, "busy", 1, &error));
	assert_false(store_commit(store, &unknown, &error));
	assert_false(unknown);
	scratch_assert_error(&error, ERROR_UNAVAILABLE, "run_again");
	assert_non_null(strstr(error.text, sqlstate));
	scratch_run(scratch_raw(scratch), "ROLLBACK");
	store_rollback(store);
	assert_true(store_connected(store));
	error_clear(&error);
	assert_true(store_begin(store, &error) && queue_row(store, "busy", 1, &error)
		    && store_commit(store, &unknown, &error));
	store_close(store);
}

static void
a_lock_that_others_hold_too_long_and_a_statement_that_takes_too_long_are_run_again(void **state)
{
	struct scratch *scratch = *state;
	struct store_options options = scratch_options(scratch->uri);

	options.lock_timeout_us = 100000;
	expect_busy(scratch, &options, "55P03");
	options.lock_timeout_us = 20000000;
	options.statement_timeout_us = 100000;
	expect_busy(scratch, &options, "57014");
}

struct crossing {
	struct store *store;
	const char *first, *second;
	struct error error;
	bool committed;
	pthread_barrier_t *both;
};

/* Two rows in one transaction, the second only when the other transaction has its first. */
static void *
cross(void *argument)
{
	struct crossing *crossing = argument;
	struct arena *arena = arena_open();
	bool unknown,
	    good = store_begin(crossing->store, &crossing->error)
		   && queue_row(crossing->store, crossing->first, 1, &crossing->error)
		   && store_query(crossing->store, arena, STATEMENT_STORE_NOW, NULL, 0, &crossing->error);

	pthread_barrier_wait(crossing->both);
	crossing->committed = good && queue_row(crossing->store, crossing->second, 1, &crossing->error)
			      && store_commit(crossing->store, &unknown, &crossing->error);
	if (!crossing->committed)
		store_rollback(crossing->store);
	arena_close(arena);
	return NULL;
}

static void
of_two_that_lock_crosswise_one_is_run_again(void **state)
{
	pthread_barrier_t both;
	struct crossing left = {.store = scratch_store(*state), .first = "x", .second = "y", .both = &both};
	struct crossing right = {.store = scratch_store(*state), .first = "y", .second = "x", .both = &both};
	struct error *loser;
	pthread_t thread;

	pthread_barrier_init(&both, NULL, 2);
	assert_int_equal(pthread_create(&thread, NULL, cross, &right), 0);
	cross(&left);
	pthread_join(thread, NULL);
	assert_true(left.committed != right.committed);
	loser = left.committed ? &right.error : &left.error;
	scratch_assert_error(loser, ERROR_UNAVAILABLE, "run_again");
	assert_non_null(strstr(loser->text, "40P01"));
	assert_true(store_connected(left.store) && store_connected(right.store));
	store_close(left.store);
	store_close(right.store);
	pthread_barrier_destroy(&both);
}

/* ------------------------------------------------------------------ several questions at once */

static void
questions_that_were_queued_are_answered_by_one_settling(void **state)
{
	struct scratch *scratch = *state;
	struct store *store = scratch_store(scratch);
	const struct store_param params[] = {store_text("asked"), store_text("t"), store_int(0)};
	struct store_rows *read = (struct store_rows *)store, *now = read;
	struct error error = {0};
	bool unknown;

	assert_true(store_begin(store, &error) && queue_row(store, "asked", 1, &error)
		    && store_ask(store, scratch->arena, STATEMENT_POSITION_READ, params, 3, &read, &error)
		    && store_ask(store, scratch->arena, STATEMENT_STORE_NOW, NULL, 0, &now, &error));
	assert_null(read);
	assert_null(now);
	assert_true(store_settle(store, &error) && store_settle(store, &error));
	assert_int_equal(store_rows_count(read), 1);
	assert_int_equal(store_rows_count(now), 1);
	assert_true(store_commit(store, &unknown, &error));
	store_close(store);
}

static void
a_question_behind_a_statement_that_went_wrong_is_not_answered(void **state)
{
	struct scratch *scratch = *state;
	struct store *store = scratch_store(scratch);
	struct store_rows *now = NULL;
	struct error error = {0};
	bool unknown;

	assert_true(store_begin(store, &error) && queue_row(store, "wrong", 2, &error)
		    && store_ask(store, scratch->arena, STATEMENT_STORE_NOW, NULL, 0, &now, &error));
	assert_false(store_settle(store, &error));
	scratch_assert_error(&error, ERROR_CONFLICT, "affected_rows");
	assert_false(store_ask(store, scratch->arena, STATEMENT_STORE_NOW, NULL, 0, &now, &error));
	assert_null(now);
	assert_false(store_commit(store, &unknown, &error));
	store_rollback(store);
	assert_false(row_exists(scratch, "wrong"));
	error_clear(&error);
	assert_false(store_ask(store, scratch->arena, STATEMENT_STORE_NOW, NULL, 0, &now, &error));
	scratch_assert_error(&error, ERROR_BROKEN, "transaction");
	assert_true(store_connected(store));
	store_close(store);
}

static void
rows_that_were_asked_for_are_not_given_any_more_after_a_rollback(void **state)
{
	struct scratch *scratch = *state;
	struct store *store = scratch_store(scratch);
	struct store_rows *now = NULL;
	struct error error = {0};

	assert_true(store_begin(store, &error)
		    && store_ask(store, scratch->arena, STATEMENT_STORE_NOW, NULL, 0, &now, &error));
	store_rollback(store);
	assert_null(now);
	assert_true(store_connected(store));
	store_close(store);
}

/* ------------------------------------------------------------------ time and notifications */

static void
now_is_the_databases_clock_inside_a_transaction_too(void **state)
{
	struct store *store = scratch_store(*state);
	struct error error = {0};
	int64_t first = 0, second = 0, here = (int64_t)time(NULL) * 1000000;

	assert_true(store_begin(store, &error));
	assert_true(store_now(store, &first, &error));
	usleep(2000);
	assert_true(store_now(store, &second, &error));
	assert_true(second >= first + 2000);
	assert_true(llabs((long long)(first - here)) < 3600000000LL);
	store_rollback(store);
	store_close(store);
}

/* So that idle_in_transaction_session_timeout takes the locks of a process that is stopped between two statements. */
static void
between_two_statements_the_server_sees_an_idle_transaction(void **state)
{
	struct scratch *scratch = *state;
	struct store *store = scratch_store(scratch);
	struct error error = {0};
	int64_t now = 0;
	PGresult *result;

	assert_true(store_begin(store, &error) && queue_row(store, "idle", 1, &error)
		    && store_now(store, &now, &error));
	result = PQexec(scratch_raw(scratch),
			arena_format(scratch->arena,
				     "SELECT count(*) FROM pg_stat_activity WHERE pid = %d AND "
				     "state = 'idle in transaction'",
				     PQbackendPID(store->connection)));
	assert_string_equal(PQgetvalue(result, 0, 0), "1");
	PQclear(result);
	store_rollback(store);
	store_close(store);
}

static void
a_notification_ends_the_wait_also_after_a_new_session(void **state)
{
	struct scratch *scratch = *state;
	struct store *store = scratch_store(scratch);
	struct error error = {0};
	int64_t begun = clock_monotonic();

	assert_true(store_listen(store, "countersign_ledger", &error));
	assert_false(store_wait(store, 50000));
	assert_true(clock_monotonic() - begun >= 50000);
	for (int session = 0; session < 2; session++) {
		scratch_run(scratch_raw(scratch), "NOTIFY countersign_ledger; NOTIFY countersign_ledger");
		assert_true(store_wait(store, 5000000));
		assert_true(store_reconnect(store, &error));
	}
	assert_true(store_begin(store, &error));
	assert_false(store_listen(store, "other", &error));
	store_rollback(store);
	store_close(store);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_session_is_the_same_whatever_the_defaults_of_the_database_are),
	    cmocka_unit_test(a_server_that_only_reads_is_no_server_for_us),
	    cmocka_unit_test(a_statement_that_does_not_fit_the_schema_fails_at_start_by_name),
	    cmocka_unit_test(a_plan_whose_result_changed_asks_for_a_new_session),
	    cmocka_unit_test(what_was_committed_is_there_and_what_was_rolled_back_is_not),
	    cmocka_unit_test(a_wrong_number_of_rows_dooms_the_transaction_though_the_server_saw_no_error),
	    cmocka_unit_test(the_next_query_tells_what_a_queued_statement_did_wrong),
	    cmocka_unit_test(text_that_is_not_utf8_is_invalid_and_is_not_repeated),
	    cmocka_unit_test(a_row_that_is_there_already_is_a_conflict_naming_the_constraint),
	    cmocka_unit_test(a_parameter_that_does_not_fit_dooms_the_transaction_without_being_sent),
	    cmocka_unit_test(statements_out_of_place_are_our_own_mistake),
	    cmocka_unit_test(questions_that_were_queued_are_answered_by_one_settling),
	    cmocka_unit_test(a_question_behind_a_statement_that_went_wrong_is_not_answered),
	    cmocka_unit_test(rows_that_were_asked_for_are_not_given_any_more_after_a_rollback),
	    cmocka_unit_test(a_commit_that_was_a_rollback_is_no_commit),
	    cmocka_unit_test(a_query_of_its_own_is_committed_at_once),
	    cmocka_unit_test(sixty_thousand_queued_statements_do_not_stall),
	    cmocka_unit_test(statements_behind_a_failed_one_are_passed_over),
	    cmocka_unit_test(a_lock_that_others_hold_too_long_and_a_statement_that_takes_too_long_are_run_again),
	    cmocka_unit_test(of_two_that_lock_crosswise_one_is_run_again),
	    cmocka_unit_test(now_is_the_databases_clock_inside_a_transaction_too),
	    cmocka_unit_test(between_two_statements_the_server_sees_an_idle_transaction),
	    cmocka_unit_test(a_notification_ends_the_wait_also_after_a_new_session),
	};

	return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
