/* SPDX-License-Identifier: Apache-2.0 */
/* test_store_lost.c - connections that never come, break or fall silent, above all around COMMIT. */
#include "common/store/store_position.h"
#include "common/clock/clock.h"
#include "proxy.h"

static const char group[] = "lost";

static struct store_position
position_of(int32_t partition)
{
	return (struct store_position){.group = group, .topic = "t", .partition = partition};
}

static int64_t
stored_offset(struct scratch *scratch, int32_t partition)
{
	char sql[128];

	snprintf(sql, sizeof sql,
		 "SELECT next_offset FROM consumer_position WHERE consumer_group = '%s' AND partition = %d",
		 group, partition);
	return atoll(scratch_text(scratch_raw(scratch), sql));
}

static struct proxy *
open_behind_proxy(struct scratch *scratch, int64_t statement_timeout_us, struct store **store)
{
	struct proxy *proxy = proxy_open(scratch_raw(scratch));
	struct store_options options =
	    scratch_options(scratch_uri(scratch->arena, scratch->name, "127.0.0.1", proxy->port, NULL));

	options.statement_timeout_us = statement_timeout_us;
	*store = scratch_store_with(&options);
	return proxy;
}

/* A claimed position and a transaction that has moved it to 10, before COMMIT. */
static void
begin_move(struct store *store, struct store_position *position)
{
	struct error error = {0};

	assert_true(store_position_claim(store, position, 0, "me", &error));
	assert_true(store_begin(store, &error));
	assert_true(store_position_advance(store, position, 10, &error) && store_settle(store, &error));
}

/* ------------------------------------------------------------------ around COMMIT */

static void
a_commit_whose_answer_was_lost_is_unknown_and_the_position_tells(void **state)
{
	struct scratch *scratch = *state;
	struct store_position position = position_of(0), read = position_of(0);
	struct error error = {0};
	struct store *store;
	struct proxy *proxy = open_behind_proxy(scratch, 5000000, &store);
	bool unknown = false;

	begin_move(store, &position);
	proxy->mode = PROXY_CUT;
	assert_false(store_commit(store, &unknown, &error));
	assert_true(unknown);
	scratch_assert_error(&error, ERROR_UNAVAILABLE, "connection_lost");
	assert_false(store_connected(store));
	store_rollback(store);
	proxy->mode = PROXY_PASS;
	error_clear(&error);
	assert_true(store_reconnect(store, &error));
	assert_true(store_position_read(store, &read, &error));
	assert_int_equal(read.next_offset, 10); /* it had happened */
	assert_int_equal(read.epoch, position.epoch);
	store_close(store);
	proxy_close(proxy);
}

static void
a_server_that_does_not_answer_commit_is_given_up_five_seconds_after_its_own_limit(void **state)
{
	struct scratch *scratch = *state;
	struct store_position position = position_of(1);
	struct error error = {0};
	struct store *store;
	struct proxy *proxy = open_behind_proxy(scratch, 200000, &store);
	bool unknown = false;
	int64_t begun, took;

	begin_move(store, &position);
	proxy->mode = PROXY_SILENT;
	begun = clock_monotonic();
	assert_false(store_commit(store, &unknown, &error));
	took = clock_monotonic() - begun;
	assert_true(unknown);
	assert_true(took >= 5200000 && took < 7000000);
	scratch_assert_error(&error, ERROR_UNAVAILABLE, "connection_lost");
	store_close(store);
	proxy_close(proxy);
}

/* A deferred trigger makes COMMIT wait for a lock that the test holds: time to end the session in the midst of it. */
static void
hold_commits(struct scratch *scratch)
{
	scratch_run(
	    scratch_raw(scratch),
	    "CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS "
	    "$$ BEGIN PERFORM pg_advisory_xact_lock(42); RETURN NULL; END $$;"
	    "CREATE CONSTRAINT TRIGGER hold AFTER UPDATE ON consumer_position DEFERRABLE INITIALLY DEFERRED "
	    "FOR EACH ROW EXECUTE FUNCTION hold(); SELECT pg_advisory_lock(42)");
}

static void
let_commits_go(struct scratch *scratch)
{
	scratch_run(
	    scratch_raw(scratch),
	    "SELECT pg_advisory_unlock(42); DROP TRIGGER hold ON consumer_position; DROP FUNCTION hold()");
}

/* Waits until the store's session hangs in COMMIT, then does that to it. */
struct interrupter {
	const char *uri, *sql;
};

static void *
interrupt(void *argument)
{
	const struct interrupter *interrupter = argument;
	PGconn *connection = scratch_connect(interrupter->uri);

	while (strcmp(scratch_text(connection, interrupter->sql), "t") != 0)
		usleep(10000);
	PQfinish(connection);
	return NULL;
}

static void
interrupted_commit(struct scratch *scratch, int32_t partition, const char *function, const char *sqlstate)
{
	struct store *store = scratch_store(scratch);
	struct store_position position = position_of(partition);
	struct interrupter interrupter = {.uri = scratch->uri};
	struct error error = {0};
	bool unknown = false;
	pthread_t thread;

	interrupter.sql =
	    arena_format(scratch->arena,
			 "SELECT %s(pid) FROM pg_stat_activity WHERE application_name = 'countersign-test' "
			 "AND datname = current_database() AND wait_event_type = 'Lock'",
			 function);
	hold_commits(scratch);
	begin_move(store, &position);
	assert_int_equal(pthread_create(&thread, NULL, interrupt, &interrupter), 0);
	assert_false(store_commit(store, &unknown, &error));
	pthread_join(thread, NULL);
	assert_true(unknown);
	assert_int_equal(error.kind, ERROR_UNAVAILABLE);
	assert_non_null(strstr(error.text, sqlstate));
	assert_false(store_connected(store));
	let_commits_go(scratch);
	assert_int_equal(stored_offset(scratch, partition), 0);
	error_clear(&error);
	assert_true(store_reconnect(store, &error));
	store_close(store);
}

static void
a_session_ended_during_commit_leaves_it_unknown(void **state)
{
	interrupted_commit(*state, 2, "pg_terminate_backend", "57P01");
}

static void
a_commit_that_was_cancelled_is_unknown_too(void **state)
{
	interrupted_commit(*state, 3, "pg_cancel_backend", "57014");
}

/* An error of COMMIT itself is an answer: known not to have happened. */
static void
a_commit_that_fails_is_known_to_have_failed(void **state)
{
	struct scratch *scratch = *state;
	struct store *store = scratch_store(scratch);
	struct store_position position = position_of(4);
	struct error error = {0};
	bool unknown = true;

	scratch_run(scratch_raw(scratch), "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ "
					  "BEGIN RAISE check_violation; END $$;"
					  "CREATE CONSTRAINT TRIGGER refuse AFTER UPDATE ON "
					  "consumer_position DEFERRABLE INITIALLY DEFERRED "
					  "FOR EACH ROW EXECUTE FUNCTION refuse()");
	begin_move(store, &position);
	assert_false(store_commit(store, &unknown, &error));
	assert_false(unknown);
	scratch_assert_error(&error, ERROR_INVALID, "constraint");
	store_rollback(store);
	assert_true(store_connected(store));
	scratch_run(scratch_raw(scratch), "DROP TRIGGER refuse ON consumer_position; DROP FUNCTION refuse()");
	assert_int_equal(stored_offset(scratch, 4), 0);
	store_close(store);
}

/* The same trigger without BEGIN fails at the sync, after the statement itself was answered with success. */
static void
a_statement_of_its_own_that_fails_at_its_commit_has_failed(void **state)
{
	struct scratch *scratch = *state;
	struct store *store = scratch_store(scratch);
	struct store_position position = position_of(5);
	struct error error = {0};

	assert_true(store_position_claim(store, &position, 0, "me", &error));
	scratch_run(scratch_raw(scratch), "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ "
					  "BEGIN RAISE check_violation; END $$;"
					  "CREATE CONSTRAINT TRIGGER refuse AFTER UPDATE ON "
					  "consumer_position DEFERRABLE INITIALLY DEFERRED "
					  "FOR EACH ROW EXECUTE FUNCTION refuse()");
	assert_false(store_position_claim(store, &position, 0, "me", &error));
	scratch_assert_error(&error, ERROR_INVALID, "constraint");
	scratch_run(scratch_raw(scratch), "DROP TRIGGER refuse ON consumer_position; DROP FUNCTION refuse()");
	error_clear(&error);
	assert_true(store_connected(store));
	assert_true(store_position_claim(store, &position, 0, "me", &error));
	assert_int_equal(position.epoch, 2);
	store_close(store);
}

/* ------------------------------------------------------------------ before COMMIT */

static void
end_sessions(struct scratch *scratch)
{
	scratch_run(scratch_raw(scratch),
		    "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
		    "WHERE application_name = 'countersign-test' AND datname = current_database()");
}

static void
a_session_that_broke_before_commit_is_known_to_have_stored_nothing(void **state)
{
	struct scratch *scratch = *state;
	struct store *store = scratch_store(scratch);
	struct store_position position = position_of(6);
	struct error error = {0};
	bool unknown = true;
	int64_t now;

	begin_move(store, &position);
	end_sessions(scratch);
	assert_false(store_now(store, &now, &error));
	scratch_assert_error(&error, ERROR_UNAVAILABLE, "connection_lost");
	assert_false(store_connected(store));
	error_clear(&error);
	assert_false(store_commit(store, &unknown, &error));
	assert_false(unknown);
	store_rollback(store);
	error_clear(&error);
	assert_false(store_begin(store, &error));
	scratch_assert_error(&error, ERROR_UNAVAILABLE, "connection_lost");
	error_clear(&error);
	assert_true(store_reconnect(store, &error));
	assert_int_equal(stored_offset(scratch, 6), 0);
	store_close(store);
}

/* The server reads nothing more: what is sent is given up in time instead of waiting for room in a buffer. */
static void
a_server_that_takes_nothing_more_is_given_up_while_sending(void **state)
{
	struct scratch *scratch = *state;
	struct error error = {0};
	struct store *store;
	struct proxy *proxy = open_behind_proxy(scratch, 200000, &store);
	char *large = memory_take(4 * 1024 * 1024 + 1);
	const struct store_param params[] = {store_text(large), store_text("t"), store_int(0), store_int(0),
					     store_text("me")};
	int64_t begun = clock_monotonic();
	bool good = store_begin(store, &error);

	memset(large, 'x', 4 * 1024 * 1024);
	proxy->mode = PROXY_DEAF;
	usleep(50000);
	for (int i = 0; good && i < 16; i++)
		good = store_queue(store, STATEMENT_POSITION_CLAIM, params, 5, 1, &error);
	assert_false(good);
	assert_true(clock_monotonic() - begun < 8000000);
	scratch_assert_error(&error, ERROR_UNAVAILABLE, "connection_lost");
	store_rollback(store);
	store_close(store);
	proxy_close(proxy);
	free(large);
}

static void
a_wait_for_notifications_notices_the_end_and_then_still_waits(void **state)
{
	struct scratch *scratch = *state;
	struct store *store = scratch_store(scratch);
	struct error error = {0};
	int64_t begun = clock_monotonic();

	assert_true(store_listen(store, "countersign_ledger", &error));
	end_sessions(scratch);
	assert_false(store_wait(store, 200000));
	assert_false(store_connected(store));
	assert_true(clock_monotonic() - begun >= 200000);
	begun = clock_monotonic();
	assert_false(store_wait(store, 100000));
	assert_true(clock_monotonic() - begun >= 100000);
	store_close(store);
}

/* ------------------------------------------------------------------ connecting */

static void
expect_refused(const char *uri, enum error_kind kind, const char *code, const char *never)
{
	struct store_options options = scratch_options(uri);
	struct error error = {0};

	assert_null(store_open(&options, NULL, 0, &error));
	scratch_assert_error(&error, kind, code);
	if (never)
		assert_null(strstr(error.text, never));
}

static void
nobody_listens_means_wait_and_retry(void **state)
{
	struct scratch *scratch = *state;
	char port[8];

	close(proxy_listen(port, 1));
	expect_refused(scratch_uri(scratch->arena, scratch->name, "127.0.0.1", port, NULL), ERROR_UNAVAILABLE,
		       "connection_lost", NULL);
}

static void
a_login_or_database_that_is_not_there_stops_the_process(void **state)
{
	struct scratch *scratch = *state;

	expect_refused(scratch_uri(scratch->arena, "no_such_database", NULL, NULL, NULL), ERROR_BROKEN,
		       "no_database", NULL);
	expect_refused(scratch_uri(scratch->arena, scratch->name, NULL, NULL, "no_such_role"), ERROR_BROKEN,
		       "login_refused", NULL);
}

static void
a_database_that_does_not_store_utf8_is_refused(void **state)
{
	struct scratch *scratch = *state;
	const char *name = arena_format(scratch->arena, "%s_ascii", scratch->name);

	scratch_run(
	    scratch->server,
	    arena_format(
		scratch->arena,
		"CREATE DATABASE %s TEMPLATE template0 ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C'", name));
	expect_refused(scratch_uri(scratch->arena, name, NULL, NULL, NULL), ERROR_BROKEN, "encoding", NULL);
	scratch_run(scratch->server, arena_format(scratch->arena, "DROP DATABASE %s WITH (FORCE)", name));
}

static void
a_uri_whose_password_spills_over_is_refused_unseen(void **state)
{
	static const char *const bad[] = {
	    "postgresql://me:se@cret@127.0.0.1:1/x",
	    "postgresql://me:se/cret@127.0.0.1:1/x",
	    "postgresql://me:se?cr@et@127.0.0.1:1/x",
	    "postgresql://me:se%cret@127.0.0.1:1/x",
	    "host=127.0.0.1 password=se cret",
	    "host=127.0.0.1 password='se cret",
	    "host=127.0.0.1 port=secret",
	    "postgres://me:1/secret@127.0.0.1:1/x",
	    "host=127.0.0.1 secret=1",
	};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		expect_refused(bad[i], ERROR_BROKEN, "database_uri", "cret");
}

static void
the_password_is_in_no_error(void **state)
{
	(void)state;
	expect_refused("postgresql://me:secret@127.0.0.1:1/x?connect_timeout=2", ERROR_UNAVAILABLE,
		       "connection_lost", "secret");
	expect_refused("postgresql://me:se%40cret@127.0.0.1:1/x", ERROR_UNAVAILABLE, "connection_lost", "cret");
	expect_refused("host=127.0.0.1 port=1 password='secret' user=me@home", ERROR_UNAVAILABLE,
		       "connection_lost", "secret");
}

/* A listener whose queue is full drops what asks: the connection itself never comes about. */
static void
fill_queue(const char *port, int fillers[4])
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	for (int i = 0; i < 4; i++) {
		fillers[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		(void)!connect(fillers[i], (struct sockaddr *)&address, sizeof address);
	}
	usleep(50000);
}

/* One hangs after the kernel took the connection, one does not even connect; the third is the server. */
static void
silent_hosts_are_passed_over_for_the_next_one(void **state)
{
	struct scratch *scratch = *state;
	char hangs[8], full[8];
	int hanging = proxy_listen(hangs, 16), filled = proxy_listen(full, 0), fillers[4];
	const char *hosts =
	    arena_format(scratch->arena, "127.0.0.1,127.0.0.1,%s", PQhost(scratch_raw(scratch)));
	const char *ports = arena_format(scratch->arena, "%s,%s,%s", hangs, full, PQport(scratch_raw(scratch)));
	struct store_options options =
	    scratch_options(scratch_uri(scratch->arena, scratch->name, hosts, ports, NULL));
	int64_t begun = clock_monotonic(), took;

	fill_queue(full, fillers);
	store_close(scratch_store_with(&options));
	took = clock_monotonic() - begun;
	assert_true(took > 9000000 && took < 13000000);
	for (int i = 0; i < 4; i++)
		close(fillers[i]);
	close(filled);
	close(hanging);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_commit_whose_answer_was_lost_is_unknown_and_the_position_tells),
	    cmocka_unit_test(a_server_that_does_not_answer_commit_is_given_up_five_seconds_after_its_own_limit),
	    cmocka_unit_test(a_session_ended_during_commit_leaves_it_unknown),
	    cmocka_unit_test(a_commit_that_was_cancelled_is_unknown_too),
	    cmocka_unit_test(a_commit_that_fails_is_known_to_have_failed),
	    cmocka_unit_test(a_statement_of_its_own_that_fails_at_its_commit_has_failed),
	    cmocka_unit_test(a_session_that_broke_before_commit_is_known_to_have_stored_nothing),
	    cmocka_unit_test(a_server_that_takes_nothing_more_is_given_up_while_sending),
	    cmocka_unit_test(a_wait_for_notifications_notices_the_end_and_then_still_waits),
	    cmocka_unit_test(nobody_listens_means_wait_and_retry),
	    cmocka_unit_test(a_login_or_database_that_is_not_there_stops_the_process),
	    cmocka_unit_test(a_database_that_does_not_store_utf8_is_refused),
	    cmocka_unit_test(a_uri_whose_password_spills_over_is_refused_unseen),
	    cmocka_unit_test(the_password_is_in_no_error),
	    cmocka_unit_test(silent_hosts_are_passed_over_for_the_next_one),
	};

	return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
