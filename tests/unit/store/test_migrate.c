/* SPDX-License-Identifier: Apache-2.0 */
/* test_migrate.c - a database gets its schema once and whole, and no program works with another one than its own. */
#include "scratch.h"

#include <pthread.h>

static bool
migrate(struct scratch *scratch, uint32_t chains, unsigned *applied, struct error *error)
{
	error_clear(error);
	return migrate_run(scratch->uri, chains, &scratch_log, applied, error);
}

static void
expect_refused(struct scratch *scratch, const char *text)
{
	struct store_options options = scratch_options(scratch->uri);
	struct error error = {0};

	assert_null(store_open(&options, NULL, 0, &error));
	scratch_assert_error(&error, ERROR_BROKEN, "schema");
	if (!strstr(error.text, text))
		fail_msg("no \"%s\" in: %s", text, error.text);
}

static unsigned
files(void)
{
	struct store_migration migration;
	unsigned count = 0;

	while (store_schema_migration(count, &migration))
		count++;
	return count;
}

static void
an_empty_database_gets_everything_and_the_second_time_nothing(void **state)
{
	struct scratch *scratch = *state;
	struct error error = {0};
	unsigned applied = 0;

	expect_refused(scratch, "countersign migrate");
	assert_true(migrate(scratch, 12, &applied, &error));
	assert_int_equal(applied, files());
	assert_string_equal(
	    scratch_text(scratch_raw(scratch),
			 "SELECT count(*) || ' ' || min(chain) || ' ' || max(chain) || ' ' || sum(sequence)"
			 " || ' ' || bool_and(hash = decode(repeat('00', 32), 'hex')) FROM ledger_head"),
	    "12 0 11 0 true");
	assert_string_equal(scratch_text(scratch_raw(scratch),
					 "SELECT count(*) || ' ' || bool_and(next_sequence = 1 AND "
					 "lease_until < now()) FROM relay_position"),
			    "12 true");
	assert_true(migrate(scratch, 12, &applied, &error));
	assert_int_equal(applied, 0);
	store_close(scratch_store(scratch));
}

/* A migrated database whose record is changed, for as long as the test looks. */
static void
refused_with(struct scratch *scratch, const char *change, const char *undo, const char *text)
{
	struct error error = {0};
	unsigned applied;

	scratch_run(scratch_raw(scratch), change);
	expect_refused(scratch, text);
	assert_false(migrate(scratch, SCRATCH_CHAINS, &applied, &error));
	scratch_assert_error(&error, ERROR_BROKEN, "schema");
	scratch_run(scratch_raw(scratch), undo);
	assert_true(migrate(scratch, SCRATCH_CHAINS, &applied, &error));
	assert_int_equal(applied, 0);
}

static void
a_schema_that_was_made_with_another_file_is_refused_by_all(void **state)
{
	refused_with(*state, "UPDATE schema_migration SET checksum = reverse(checksum) WHERE version = 1",
		     "UPDATE schema_migration SET checksum = reverse(checksum) WHERE version = 1", "001_walk");
}

static void
a_newer_schema_is_refused_by_all(void **state)
{
	refused_with(*state,
		     "INSERT INTO schema_migration (version, name, checksum) VALUES (900, '900_later', 'x')",
		     "DELETE FROM schema_migration WHERE version = 900", "newer (900)");
}

static void
a_schema_with_a_file_missing_in_the_middle_is_refused_by_all(void **state)
{
	refused_with(*state, "UPDATE schema_migration SET version = 901 WHERE version = 1",
		     "UPDATE schema_migration SET version = 1 WHERE version = 901", "001_walk");
}

/* The last migration undone, and what was there before it. */
#define BEFORE_STAGES                                                                                        \
	"DELETE FROM schema_migration WHERE version = 14; DROP TABLE approval_step;"                         \
	"ALTER TABLE approval ALTER COLUMN deadline SET NOT NULL, DROP COLUMN hold_for_us, DROP COLUMN "     \
	"latest,"                                                                                            \
	" DROP COLUMN remind_before_us, DROP COLUMN remind_every_us, DROP COLUMN reminded_at,"               \
	" DROP COLUMN steps_taken, DROP COLUMN asked, DROP COLUMN next_at;"                                  \
	"CREATE INDEX approval_open ON approval (deadline) WHERE state = 'PENDING';"                         \
	"ALTER TABLE approval_requirement DROP COLUMN demand, DROP COLUMN stage, DROP COLUMN stage_all,"     \
	" DROP COLUMN of_step, DROP COLUMN deny_quorum, DROP COLUMN distinct_persons,"                       \
	" DROP COLUMN require_reason, DROP COLUMN added_at;"                                                 \
	"DROP INDEX response_of_approval;"                                                                   \
	"CREATE UNIQUE INDEX response_counts_once ON response (approval_id, responder, verdict, kid)"        \
	" WHERE result = 'counted'"
#define BEFORE_FLOOD                                                                                         \
	"DELETE FROM schema_migration WHERE version = 15; DROP TABLE open_approval, open_ask;"               \
	"ALTER TABLE incident DROP COLUMN subject; DROP TRIGGER closed ON approval;"                         \
	"DROP TRIGGER asks ON approval_requirement; DROP FUNCTION approval_closed, approval_asks;"           \
	"DELETE FROM ledger_writer WHERE role = 'countersign_evaluator' AND topic = 'incidents'"
#define BEFORE_AHEAD                                                                                         \
	"DELETE FROM schema_migration WHERE version = 16;"                                                   \
	"ALTER TABLE approval_requirement DROP COLUMN ahead"
#define BEFORE_WITHDRAW                                                                                      \
	"DELETE FROM schema_migration WHERE version = 17;"                                                   \
	"ALTER TABLE approval DROP COLUMN revoked_at; DROP FUNCTION authorization_revoked CASCADE"
#define BEFORE_HOLDS                                                                                         \
	"DELETE FROM schema_migration WHERE version = 18;"                                                   \
	"ALTER TABLE approval DROP COLUMN held_by; DROP TABLE held_request, hold;"                           \
	"DROP FUNCTION hold_alone, hold_stamp"
#define BEFORE_OVERRIDE                                                                                      \
	"DELETE FROM schema_migration WHERE version = 22;"                                                   \
	"ALTER TABLE approval_requirement DROP COLUMN override_group; DROP TABLE approval_review"
#define BEFORE_FALLBACK                                                                                      \
	"DELETE FROM schema_migration WHERE version = 19;"                                                   \
	"ALTER TABLE approval_requirement DROP COLUMN fallback"
#define BEFORE_OUTCOMES_TOLD                                                                                 \
	"DELETE FROM schema_migration WHERE version = 20;"                                                   \
	"DROP FUNCTION outcome_reported CASCADE; DROP TABLE outcome_news, setback"
#define BEFORE_DIRECTORY                                                                                     \
	"DELETE FROM schema_migration WHERE version = 21;"                                                   \
	"ALTER TABLE directory_history DROP COLUMN transaction;"                                             \
	"DELETE FROM ledger_writer WHERE role = 'countersign_operator'"
#define BEFORE_SIGNED_OUTCOMES                                                                               \
	"DELETE FROM schema_migration WHERE version = 23; DROP VIEW limit_usage;"                            \
	"ALTER TABLE outcome DROP COLUMN issued_at, DROP COLUMN verified_kid, DROP COLUMN verified_owner;"   \
	"ALTER TABLE limit_use DROP COLUMN releases, DROP COLUMN released_at;"                               \
	"ALTER TABLE limit_counter DROP COLUMN since;"                                                       \
	"CREATE INDEX limit_use_holder ON limit_use (tenant, request_id) WHERE held_until IS NOT NULL"
#define OPEN_BEFORE_STAGES                                                                                   \
	"INSERT INTO request (tenant, request_id, chain, valid, content_hash, origin_topic,"                 \
	" origin_partition, origin_offset, received_at)"                                                     \
	" VALUES ('t', 'r1', 0, false, '', 'requests', 0, 1, now());"                                        \
	"INSERT INTO approval (approval_id, tenant, request_id, state, request_digest, reason_text,"         \
	" valid_for_us, opened_at, deadline, notices)"                                                       \
	" VALUES ('00000000-0000-0000-0000-000000000001', 't', 'r1', 'PENDING', 'd', 'x', 1, now(),"         \
	" now() + interval '1 hour', 1);"                                                                    \
	"INSERT INTO approval_requirement (approval_id, n, profile, group_name, quorum) VALUES"              \
	" ('00000000-0000-0000-0000-000000000001', 0, 'p', 'g', 1),"                                         \
	" ('00000000-0000-0000-0000-000000000001', 1, 'q', 'h', 2)"

static void
an_older_schema_tells_what_to_do_and_migrate_does_it(void **state)
{
	struct scratch *scratch = *state;
	struct error error = {0};
	unsigned applied;

	scratch_run(scratch_raw(scratch), BEFORE_SIGNED_OUTCOMES);
	scratch_run(scratch_raw(scratch), BEFORE_OVERRIDE);
	scratch_run(scratch_raw(scratch), BEFORE_DIRECTORY);
	scratch_run(scratch_raw(scratch), BEFORE_OUTCOMES_TOLD);
	scratch_run(scratch_raw(scratch), BEFORE_FALLBACK);
	scratch_run(scratch_raw(scratch), BEFORE_HOLDS);
	scratch_run(scratch_raw(scratch), BEFORE_WITHDRAW);
	scratch_run(scratch_raw(scratch), BEFORE_AHEAD);
	scratch_run(scratch_raw(scratch), BEFORE_FLOOD);
	scratch_run(scratch_raw(scratch), BEFORE_STAGES);
	scratch_run(scratch_raw(scratch), OPEN_BEFORE_STAGES);
	expect_refused(scratch, "lacks migration 014_approvals: run `countersign migrate`");
	assert_true(migrate(scratch, SCRATCH_CHAINS, &applied, &error));
	assert_int_equal(applied, 10);
	/* what was open goes on to ask what it asked: every requirement is a demand of its own */
	assert_string_equal(
	    scratch_text(scratch_raw(scratch),
			 "SELECT string_agg(format('%s/%s/%s/%s/%s', n, demand, stage, deny_quorum, "
			 "distinct_persons), ' ' ORDER BY n) FROM approval_requirement"),
	    "0/0/0/1/f 1/1/1/1/f");
	assert_string_equal(
	    scratch_text(scratch_raw(scratch),
			 "SELECT format('%s %s %s', asked, next_at = deadline, steps_taken) FROM approval"),
	    "3 t 0");
}

static void
the_number_of_chains_can_not_be_changed(void **state)
{
	struct scratch *scratch = *state;
	struct error error = {0};
	unsigned applied;

	assert_false(migrate(scratch, 2 * SCRATCH_CHAINS, &applied, &error));
	scratch_assert_error(&error, ERROR_BROKEN, "chains");
	assert_int_equal(atoi(scratch_text(scratch_raw(scratch), "SELECT count(*) FROM ledger_head")),
			 SCRATCH_CHAINS);
	assert_false(migrate(scratch, 0, &applied, &error));
	scratch_assert_error(&error, ERROR_BROKEN, "chains");
	assert_false(migrate(scratch, 1025, &applied, &error));
}

/* Each file is one transaction: what failed in the middle leaves nothing, and can be run again. */
static void
a_file_that_fails_leaves_nothing_behind(void **state)
{
	struct scratch *scratch = *state;
	struct error error = {0};
	unsigned applied;

	scratch_run(scratch_raw(scratch),
		    "CREATE SCHEMA countersign; CREATE TABLE countersign.ledger_writer (x int)");
	assert_false(migrate(scratch, SCRATCH_CHAINS, &applied, &error));
	assert_int_equal(error.kind, ERROR_BROKEN);
	assert_non_null(strstr(error.text, "001_walk"));
	assert_int_equal(applied, 0);
	assert_string_equal(
	    scratch_text(scratch_raw(scratch), "SELECT to_regclass('countersign.request') IS NULL"), "t");
	scratch_run(scratch_raw(scratch), "DROP TABLE countersign.ledger_writer");
	assert_true(migrate(scratch, SCRATCH_CHAINS, &applied, &error));
	assert_int_equal(applied, files());
}

struct migrator {
	struct scratch *scratch;
	unsigned applied;
	struct error error;
	bool good;
};

static void *
migrate_beside(void *argument)
{
	struct migrator *migrator = argument;

	migrator->good = migrate(migrator->scratch, SCRATCH_CHAINS, &migrator->applied, &migrator->error);
	return NULL;
}

static unsigned
migrate_at_once(struct migrator *migrators, size_t count)
{
	pthread_t threads[8];
	unsigned applied = 0;

	for (size_t i = 0; i < count; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, migrate_beside, &migrators[i]), 0);
	for (size_t i = 0; i < count; i++) {
		pthread_join(threads[i], NULL);
		if (!migrators[i].good)
			fail_msg("migrator %zu: %s", i, migrators[i].error.text);
		applied += migrators[i].applied;
	}
	return applied;
}

static void
four_that_migrate_one_database_at_once_do_it_once(void **state)
{
	struct migrator migrators[4] = {{0}};

	for (int i = 0; i < 4; i++)
		migrators[i].scratch = *state;
	assert_int_equal(migrate_at_once(migrators, 4), files());
	assert_string_equal(scratch_text(scratch_raw(*state), "SELECT count(*) FROM ledger_head"), "4");
}

/* Roles belong to the whole server: databases that are migrated at once meet there. */
static void
three_databases_may_be_migrated_at_once(void **state)
{
	struct migrator migrators[3] = {
	    {.scratch = *state}, {.scratch = scratch_open()}, {.scratch = scratch_open()}};

	assert_int_equal(migrate_at_once(migrators, 3), 3 * files());
	scratch_close(migrators[1].scratch);
	scratch_close(migrators[2].scratch);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_schema_that_was_made_with_another_file_is_refused_by_all),
	    cmocka_unit_test(a_newer_schema_is_refused_by_all),
	    cmocka_unit_test(a_schema_with_a_file_missing_in_the_middle_is_refused_by_all),
	    cmocka_unit_test(an_older_schema_tells_what_to_do_and_migrate_does_it),
	    cmocka_unit_test(the_number_of_chains_can_not_be_changed),
	};
	const struct CMUnitTest empty[] = {
	    cmocka_unit_test_setup_teardown(an_empty_database_gets_everything_and_the_second_time_nothing,
					    scratch_setup_empty, scratch_teardown),
	    cmocka_unit_test_setup_teardown(a_file_that_fails_leaves_nothing_behind, scratch_setup_empty,
					    scratch_teardown),
	    cmocka_unit_test_setup_teardown(four_that_migrate_one_database_at_once_do_it_once,
					    scratch_setup_empty, scratch_teardown),
	    cmocka_unit_test_setup_teardown(three_databases_may_be_migrated_at_once, scratch_setup_empty,
					    scratch_teardown),
	};
	int failed = cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);

	return failed + cmocka_run_group_tests(empty, NULL, NULL);
}
