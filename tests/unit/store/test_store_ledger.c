/* SPDX-License-Identifier: Apache-2.0 */
/* test_store_ledger.c - the ledger on a real database: gapless, in commit order, and its hashes by a second computation in SQL. */
#include "common/store/store_ledger.h"
#include "scratch.h"

#include <pthread.h>

static struct event
event_of(struct arena *arena, uint32_t chain, const char *topic, const char *key, const char *payload,
	 size_t length)
{
	struct event event = {.event_id = id_random(), .chain = chain, .topic = topic, .key = key};

	event.headers = arena_format(arena, "[[\"ce_id\",\"%s\"]]", event.event_id.text);
	event.payload = payload;
	event.payload_length = length;
	return event;
}

static struct event
simple_event(struct arena *arena, uint32_t chain, const char *payload)
{
	return event_of(arena, chain, "authorizations", "a-key", payload, strlen(payload));
}

static bool
append(struct store *store, struct arena *arena, const struct event *events, size_t count, struct error *error)
{
	bool unknown, good = store_begin(store, error)
			     && store_ledger_append(store, arena, events, count, error)
			     && store_commit(store, &unknown, error);

	if (!good)
		store_rollback(store);
	return good;
}

/* As ledger.h describes it, in SQL: fields of an 8-byte length and their bytes, numbers as fields of 8 bytes. */
static const char independent_hash[] =
    "CREATE FUNCTION field(bytes bytea) RETURNS bytea LANGUAGE sql IMMUTABLE AS 'SELECT "
    "int8send(length(bytes)) || bytes';"
    "CREATE FUNCTION field(text) RETURNS bytea LANGUAGE sql IMMUTABLE AS 'SELECT field(convert_to($1, "
    "''UTF8''))';"
    "CREATE FUNCTION field(bigint) RETURNS bytea LANGUAGE sql IMMUTABLE AS 'SELECT field(int8send($1))';"
    "CREATE VIEW recomputed AS SELECT b.chain, b.first, b.last, b.prev_hash, b.hash, sha256("
    "  field('countersign-ledger-v1'::text) || field(b.prev_hash) || field(b.chain::bigint) || "
    "field(b.first) || field(b.last)"
    "  || field((extract(epoch FROM b.created_at) * 1000000)::bigint)"
    "  || (SELECT string_agg(field(e.sequence) || field(e.event_id::text) || field(e.topic) || field(e.key)"
    "             || field(e.headers) || field(e.payload), ''::bytea ORDER BY e.sequence)"
    "        FROM ledger_event e WHERE e.chain = b.chain AND e.sequence BETWEEN b.first AND b.last)) AS again"
    "  FROM ledger_batch b";

static void
assert_none(PGconn *raw, const char *what, const char *sql)
{
	const char *count = scratch_text(raw, sql);

	if (strcmp(count, "0") != 0)
		fail_msg("%s: %s", what, count);
}

/* Everything that must hold of a ledger at rest. */
static void
assert_whole(struct scratch *scratch)
{
	PGconn *raw = scratch_raw(scratch);

	assert_none(raw, "hashes that differ", "SELECT count(*) FROM recomputed WHERE hash <> again");
	assert_none(raw, "batches that do not follow their predecessor",
		    "SELECT count(*) FROM (SELECT prev_hash, first, lag(hash, 1, decode(repeat('00', 32), "
		    "'hex')) OVER w AS before,"
		    " lag(last, 1, 0::bigint) OVER w AS ended FROM ledger_batch WINDOW w AS (PARTITION BY "
		    "chain ORDER BY last)) b"
		    " WHERE prev_hash <> before OR first <> ended + 1");
	assert_none(raw, "chains with gaps",
		    "SELECT count(*) FROM (SELECT chain, count(*), max(sequence) FROM ledger_event GROUP BY "
		    "chain) c WHERE count <> max");
	assert_none(raw, "heads that are not the end",
		    "SELECT count(*) FROM ledger_head h LEFT JOIN ledger_batch b ON b.chain = h.chain AND "
		    "b.last = h.sequence"
		    " WHERE CASE WHEN h.sequence = 0 THEN h.hash <> decode(repeat('00', 32), 'hex')"
		    " OR EXISTS (SELECT FROM ledger_event e WHERE e.chain = h.chain) ELSE b.hash IS DISTINCT "
		    "FROM h.hash END");
	assert_none(raw, "events with another time than their batch",
		    "SELECT count(*) FROM ledger_event e WHERE NOT EXISTS (SELECT FROM ledger_batch b WHERE "
		    "b.chain = e.chain"
		    " AND e.sequence BETWEEN b.first AND b.last AND b.created_at = e.created_at)");
}

static int
setup(void **state)
{
	scratch_setup(state);
	scratch_run(scratch_raw(*state), independent_hash);
	return 0;
}

static void
events_get_the_next_sequence_of_their_chain_in_the_order_given(void **state)
{
	struct scratch *scratch = *state;
	struct store *store = scratch_store(scratch);
	struct error error = {0};
	const struct event first[] = {simple_event(scratch->arena, 2, "{\"n\":1}"),
				      simple_event(scratch->arena, 0, "{\"n\":2}"),
				      simple_event(scratch->arena, 2, "{\"n\":3}")};
	const struct event second[] = {simple_event(scratch->arena, 2, "{\"n\":4}")};

	assert_true(append(store, scratch->arena, first, 3, &error));
	assert_true(append(store, scratch->arena, second, 1, &error));
	assert_string_equal(
	    scratch_text(scratch_raw(scratch),
			 "SELECT string_agg(chain || '.' || sequence || convert_from(payload, 'UTF8'), ' '"
			 " ORDER BY chain, sequence) FROM ledger_event"),
	    "0.1{\"n\":2} 2.1{\"n\":1} 2.2{\"n\":3} 2.3{\"n\":4}");
	assert_whole(scratch);
	store_close(store);
}

/* A batch of so many is sent in several statements. */
static void
a_large_batch_is_one_run_of_sequences(void **state)
{
	struct scratch *scratch = *state;
	struct store *store = scratch_store(scratch);
	struct error error = {0};
	struct event events[600];

	for (uint32_t i = 0; i < 600; i++)
		events[i] = simple_event(scratch->arena, i % 7 == 0 ? 1 : 3,
					 arena_format(scratch->arena, "%u", (unsigned)i));
	assert_true(append(store, scratch->arena, events, 600, &error));
	assert_string_equal(
	    scratch_text(scratch_raw(scratch),
			 "SELECT string_agg(concat_ws(' ', chain, first, last), ', ' ORDER BY chain)"
			 " FROM ledger_batch WHERE chain IN (1, 3)"),
	    "1 1 86, 3 1 514");
	assert_none(
	    scratch_raw(scratch), "events out of order",
	    "SELECT count(*) FROM ledger_event WHERE chain IN (1, 3) AND convert_from(payload, 'UTF8') <>"
	    " (CASE chain WHEN 1 THEN 7 * (sequence - 1) ELSE sequence + (sequence - 1) / 6 END)::text");
	assert_whole(scratch);
	store_close(store);
}

static void
the_exact_bytes_are_kept_and_hashed_even_those_no_json_has(void **state)
{
	struct scratch *scratch = *state;
	struct store *store = scratch_store(scratch);
	struct error error = {0};
	const struct event events[] = {
	    event_of(scratch->arena, 1, "quarantine", "ke'y \\ \xc3\xa9", "ab\0cd\xff", 6),
	    event_of(scratch->arena, 1, "quarantine", "", "", 0),
	};

	assert_true(append(store, scratch->arena, events, 2, &error));
	assert_string_equal(
	    scratch_text(scratch_raw(scratch),
			 "SELECT string_agg(encode(payload, 'hex') || '|' || key, ',' ORDER BY sequence)"
			 " FROM ledger_event WHERE topic = 'quarantine'"),
	    "6162006364ff|ke'y \\ \xc3\xa9,|");
	assert_whole(scratch);
	store_close(store);
}

static void
nothing_to_say_says_nothing(void **state)
{
	struct scratch *scratch = *state;
	struct store *store = scratch_store(scratch);
	struct error error = {0};
	const char *before = arena_string(
	    scratch->arena, scratch_text(scratch_raw(scratch), "SELECT count(*) FROM ledger_batch"));

	assert_true(append(store, scratch->arena, NULL, 0, &error));
	assert_string_equal(scratch_text(scratch_raw(scratch), "SELECT count(*) FROM ledger_batch"), before);
	store_close(store);
}

static void
what_is_rolled_back_leaves_no_gap(void **state)
{
	struct scratch *scratch = *state;
	struct store *store = scratch_store(scratch);
	struct error error = {0};
	const struct event event = simple_event(scratch->arena, 1, "{}");

	assert_true(store_begin(store, &error));
	assert_true(store_ledger_append(store, scratch->arena, &event, 1, &error));
	store_rollback(store);
	assert_true(append(store, scratch->arena, &event, 1, &error));
	assert_whole(scratch);
	store_close(store);
}

static void
a_chain_that_does_not_exist_and_an_append_without_a_transaction_are_our_own_mistakes(void **state)
{
	struct scratch *scratch = *state;
	struct store *store = scratch_store(scratch);
	struct error error = {0};
	const struct event events[] = {simple_event(scratch->arena, 0, "{}"),
				       simple_event(scratch->arena, SCRATCH_CHAINS, "{}")};
	bool unknown;

	assert_false(store_ledger_append(store, scratch->arena, events, 1, &error));
	assert_int_equal(error.kind, ERROR_BROKEN);
	error_clear(&error);
	assert_true(store_begin(store, &error));
	assert_false(store_ledger_append(store, scratch->arena, events, 2, &error));
	scratch_assert_error(&error, ERROR_BROKEN, "no_chain");
	error_clear(&error);
	assert_false(store_commit(store, &unknown, &error)); /* nor may it be forgotten */
	store_rollback(store);
	store_close(store);
}

static void
too_much_for_one_transaction_is_an_error_of_the_batch(void **state)
{
	struct scratch *scratch = *state;
	struct store *store = scratch_store(scratch);
	struct error error = {0};
	size_t length = 900 * 1024, count = 80;
	char *payload = memory_take(length);
	struct event *events = arena_take_array(scratch->arena, count, sizeof *events);

	for (size_t i = 0; i < count; i++)
		events[i] = event_of(scratch->arena, 0, "authorizations", "k", payload, length);
	assert_false(append(store, scratch->arena, events, count, &error));
	scratch_assert_error(&error, ERROR_INVALID, "ledger_too_large");
	error_clear(&error);
	assert_true(append(store, scratch->arena, events, 4, &error));
	assert_whole(scratch);
	store_close(store);
	free(payload);
}

static void
the_relay_is_woken_once_per_transaction(void **state)
{
	struct scratch *scratch = *state;
	struct store *store = scratch_store(scratch), *relay = scratch_store(scratch);
	struct error error = {0};
	const struct event events[] = {simple_event(scratch->arena, 0, "{}"),
				       simple_event(scratch->arena, 1, "{}")};

	assert_true(store_listen(relay, "countersign_ledger", &error));
	assert_true(store_begin(store, &error) && store_ledger_append(store, scratch->arena, events, 2, &error));
	assert_false(store_wait(relay, 100000)); /* not before COMMIT */
	store_rollback(store);
	assert_false(store_wait(relay, 100000));
	assert_true(append(store, scratch->arena, events, 2, &error));
	assert_true(store_wait(relay, 5000000));
	store_close(store);
	store_close(relay);
}

/* ------------------------------------------------------------------ four writers at once */

enum { WRITERS = 4, TRANSACTIONS = 60 };

struct writer {
	struct store *store;
	unsigned number;
	struct error error;
	bool good;
};

/* One to six events over all chains in a different order each time; a few are rolled back. */
static bool
write_once(struct writer *writer, struct arena *arena, unsigned turn)
{
	struct event events[6];
	size_t count = 1 + (turn + writer->number) % 6;
	bool unknown, good;

	for (size_t i = 0; i < count; i++)
		events[i] = simple_event(
		    arena, (uint32_t)((turn * 7 + writer->number * 3 + i * 5) % SCRATCH_CHAINS),
		    arena_format(arena, "{\"writer\":%u,\"turn\":%u,\"i\":%zu}", writer->number, turn, i));
	good = store_begin(writer->store, &writer->error)
	       && store_ledger_append(writer->store, arena, events, count, &writer->error);
	if (good && turn % 10 == 9)
		store_rollback(writer->store);
	else
		good = good && store_commit(writer->store, &unknown, &writer->error);
	return good;
}

static void *
write_all(void *argument)
{
	struct writer *writer = argument;
	struct arena *arena = arena_open();

	writer->good = true;
	for (unsigned turn = 0; writer->good && turn < TRANSACTIONS; turn++) {
		writer->good = write_once(writer, arena, turn);
		arena_reset(arena);
	}
	arena_close(arena);
	return NULL;
}

/*
 * A reader that only remembers how far it has read never misses an event: whatever becomes visible in a chain is the
 * next of that chain. That is what "in commit order" means to the relay.
 */
static int64_t
follow(PGconn *raw, int64_t seen[SCRATCH_CHAINS])
{
	int64_t total = 0;

	for (int chain = 0; chain < SCRATCH_CHAINS; chain++) {
		char sql[256];
		PGresult *result;

		snprintf(
		    sql,
		    sizeof sql, "SELECT sequence FROM ledger_event WHERE chain = %d AND sequence > %lld ORDER BY sequence",
		    chain, (long long)seen[chain]);
		result = PQexec(raw, sql);
		assert_int_equal(PQresultStatus(result), PGRES_TUPLES_OK);
		for (int row = 0; row < PQntuples(result); row++)
			if (atoll(PQgetvalue(result, row, 0)) != ++seen[chain])
				fail_msg("chain %d: %s was seen where %lld was due", chain,
					 PQgetvalue(result, row, 0), (long long)seen[chain]);
		PQclear(result);
		total += seen[chain];
	}
	return total;
}

static void
four_writers_make_one_gapless_ledger_in_commit_order(void **state)
{
	struct scratch *scratch = *state;
	struct writer writers[WRITERS] = {{0}};
	pthread_t threads[WRITERS];
	int64_t seen[SCRATCH_CHAINS] = {0}, expected = 0, before;

	before = follow(scratch_raw(scratch), seen);
	for (unsigned i = 0; i < WRITERS; i++) {
		for (unsigned turn = 0; turn < TRANSACTIONS; turn++)
			expected += turn % 10 == 9 ? 0 : 1 + (turn + i) % 6;
		writers[i] = (struct writer){.store = scratch_store(scratch), .number = i};
	}
	for (unsigned i = 0; i < WRITERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, write_all, &writers[i]), 0);
	for (int idle = 0; follow(scratch_raw(scratch), seen) < before + expected && idle < 20000; idle++)
		usleep(500);
	for (unsigned i = 0; i < WRITERS; i++) {
		pthread_join(threads[i], NULL);
		if (!writers[i].good)
			fail_msg("writer %u: %s", i, writers[i].error.text);
		store_close(writers[i].store);
	}
	assert_int_equal(follow(scratch_raw(scratch), seen), before + expected);
	assert_whole(scratch);
}

/* The clock is read after the locks are held, so a chain's times rise with its sequence. */
static void
times_rise_along_a_chain(void **state)
{
	assert_none(scratch_raw(*state), "batches that are older than their predecessor",
		    "SELECT count(*) FROM (SELECT created_at, lag(created_at) OVER (PARTITION BY chain ORDER "
		    "BY last) AS before"
		    " FROM ledger_batch) b WHERE created_at < before");
}

/* What the hash is for. */
static void
a_changed_row_is_found(void **state)
{
	static const char *const changes[] = {
	    "UPDATE ledger_event SET payload = payload || 'x' WHERE chain = 2 AND sequence = 2",
	    "UPDATE ledger_event SET topic = 'incidents' WHERE chain = 2 AND sequence = 2",
	    "UPDATE ledger_event SET key = 'k' || key WHERE chain = 2 AND sequence = 2",
	    "UPDATE ledger_event SET headers = '[]' WHERE chain = 2 AND sequence = 2",
	    "UPDATE ledger_event SET event_id = gen_random_uuid() WHERE chain = 2 AND sequence = 2",
	    "DELETE FROM ledger_event WHERE chain = 2 AND sequence = 2",
	    "UPDATE ledger_batch SET created_at = created_at + interval '1 microsecond' WHERE chain = 2 AND "
	    "last = 2",
	    "UPDATE ledger_batch SET prev_hash = sha256('x') WHERE chain = 2 AND last = 2",
	};
	PGconn *raw = scratch_raw(*state);

	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
		scratch_run(raw, "BEGIN");
		scratch_run(raw, changes[i]);
		assert_string_not_equal(
		    scratch_text(raw, "SELECT count(*) FROM recomputed WHERE hash IS DISTINCT FROM again"),
		    "0");
		scratch_run(raw, "ROLLBACK");
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(events_get_the_next_sequence_of_their_chain_in_the_order_given),
	    cmocka_unit_test(a_large_batch_is_one_run_of_sequences),
	    cmocka_unit_test(the_exact_bytes_are_kept_and_hashed_even_those_no_json_has),
	    cmocka_unit_test(nothing_to_say_says_nothing),
	    cmocka_unit_test(what_is_rolled_back_leaves_no_gap),
	    cmocka_unit_test(
		a_chain_that_does_not_exist_and_an_append_without_a_transaction_are_our_own_mistakes),
	    cmocka_unit_test(too_much_for_one_transaction_is_an_error_of_the_batch),
	    cmocka_unit_test(the_relay_is_woken_once_per_transaction),
	    cmocka_unit_test(four_writers_make_one_gapless_ledger_in_commit_order),
	    cmocka_unit_test(times_rise_along_a_chain),
	    cmocka_unit_test(a_changed_row_is_found),
	};

	return cmocka_run_group_tests(tests, setup, scratch_teardown);
}
