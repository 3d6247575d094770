/* SPDX-License-Identifier: Apache-2.0 */
/* test_store_position.c - one owner moves a position, once: on a real database. */
#include "common/store/store_position.h"
#include "scratch.h"

#include <pthread.h>
#include <unistd.h>

static struct store_position
position_of(int32_t partition)
{
	return (struct store_position){
	    .group = "countersign.evaluator", .topic = "countersign.requests", .partition = partition};
}

/* begin, advance, commit. */
static bool
advance(struct store *store, const struct store_position *position, int64_t end, struct error *error)
{
	bool unknown, good = store_begin(store, error) && store_position_advance(store, position, end, error)
			     && store_commit(store, &unknown, error);

	if (!good)
		store_rollback(store);
	return good;
}

static void
a_new_partition_begins_where_the_caller_says_and_an_old_one_where_it_was(void **state)
{
	struct store *store = scratch_store(*state);
	struct store_position position = position_of(0), again = position_of(0);
	struct error error = {0};

	assert_true(store_position_claim(store, &position, 40, "a", &error));
	assert_int_equal(position.next_offset, 40);
	assert_int_equal(position.epoch, 1);
	assert_true(advance(store, &position, 45, &error));
	assert_true(store_position_claim(store, &again, 7, "b", &error));
	assert_int_equal(again.next_offset, 45);
	assert_int_equal(again.epoch, 2);
	store_close(store);
}

static void
a_position_moves_from_where_it_was_and_only_once(void **state)
{
	struct store *store = scratch_store(*state);
	struct store_position position = position_of(1), read = position_of(1);
	struct error error = {0};

	assert_true(store_position_claim(store, &position, 0, "a", &error));
	assert_true(advance(store, &position, 10, &error));
	assert_int_equal(position.next_offset, 0);
	assert_false(advance(store, &position, 10, &error));
	scratch_assert_error(&error, ERROR_FENCED, "fenced");
	error_clear(&error);
	assert_true(store_position_read(store, &read, &error));
	assert_int_equal(read.next_offset, 10);
	assert_int_equal(read.epoch, position.epoch);
	store_close(store);
}

static void
a_zombie_of_epoch_7_moves_nothing_after_epoch_8_took_over(void **state)
{
	struct scratch *scratch = *state;
	struct store *zombie = scratch_store(scratch), *owner = scratch_store(scratch);
	struct store_position old = position_of(2), new = position_of(2);
	struct error error = {0};

	for (int epoch = 1; epoch <= 7; epoch++)
		assert_true(store_position_claim(zombie, &old, 100, "zombie", &error));
	assert_int_equal(old.epoch, 7);
	assert_true(store_position_claim(owner, &new, 0, "owner", &error));
	assert_int_equal(new.epoch, 8);
	assert_int_equal(new.next_offset, 100);
	assert_false(advance(zombie, &old, 150, &error));
	scratch_assert_error(&error, ERROR_FENCED, "fenced");
	error_clear(&error);
	assert_true(advance(owner, &new, 120, &error));
	assert_string_equal(
	    scratch_text(scratch_raw(scratch),
			 "SELECT next_offset || ' ' || owner FROM consumer_position WHERE partition = 2"),
	    "120 owner");
	store_close(zombie);
	store_close(owner);
}

static void
a_fenced_transaction_can_not_commit_even_when_the_caller_tries(void **state)
{
	struct store *store = scratch_store(*state);
	struct store_position position = position_of(3);
	struct error error = {0};
	bool unknown;

	assert_true(store_position_claim(store, &position, 0, "a", &error));
	position.epoch = 99;
	assert_true(store_begin(store, &error));
	assert_true(store_position_advance(store, &position, 5, &error));
	assert_false(store_settle(store, &error));
	scratch_assert_error(&error, ERROR_FENCED, "fenced");
	error_clear(&error);
	assert_false(store_commit(store, &unknown, &error));
	assert_false(unknown);
	scratch_assert_error(&error, ERROR_FENCED, "fenced");
	store_rollback(store);
	assert_true(store_connected(store));
	store_close(store);
}

static void *
let_go_later(void *raw)
{
	usleep(300000);
	scratch_run(raw, "COMMIT");
	return NULL;
}

/* What is asked in the same round trip is asked behind the wait: the clock of a decision is never older than its locks. */
static void
the_clock_behind_a_position_is_read_after_the_wait_for_it(void **state)
{
	struct scratch *scratch = *state;
	struct store *store = scratch_store(scratch);
	struct store_position position = position_of(6);
	struct store_rows *now = NULL;
	struct error error = {0};
	int64_t before;
	pthread_t thread;

	assert_true(store_position_claim(store, &position, 0, "a", &error));
	scratch_run(scratch_raw(scratch),
		    "BEGIN; SELECT FROM consumer_position WHERE partition = 6 FOR UPDATE");
	assert_true(store_begin(store, &error) && store_now(store, &before, &error)
		    && store_position_advance(store, &position, 5, &error)
		    && store_ask(store, scratch->arena, STATEMENT_STORE_NOW, NULL, 0, &now, &error));
	assert_int_equal(pthread_create(&thread, NULL, let_go_later, scratch_raw(scratch)), 0);
	assert_true(store_settle(store, &error));
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(store_row_time(now, 0, 0) >= before + 250000);
	store_rollback(store);
	store_close(store);
}

static void
a_position_that_does_not_rise_is_our_own_mistake(void **state)
{
	struct store *store = scratch_store(*state);
	struct store_position position = position_of(4);
	struct error error = {0};

	assert_true(store_position_claim(store, &position, 10, "a", &error));
	assert_false(advance(store, &position, 10, &error));
	assert_int_equal(error.kind, ERROR_BROKEN);
	error_clear(&error);
	assert_false(advance(store, &position, 9, &error));
	assert_int_equal(error.kind, ERROR_BROKEN);
	store_close(store);
}

static void
a_claim_has_a_transaction_of_its_own(void **state)
{
	struct store *store = scratch_store(*state);
	struct store_position position = position_of(5);
	struct error error = {0};

	assert_true(store_begin(store, &error));
	assert_false(store_position_claim(store, &position, 0, "a", &error));
	assert_int_equal(error.kind, ERROR_BROKEN);
	store_rollback(store);
	store_close(store);
}

static void
a_position_nobody_claimed_is_nobodys(void **state)
{
	struct store *store = scratch_store(*state);
	struct store_position position = position_of(77);
	struct error error = {0};

	assert_false(store_position_read(store, &position, &error));
	scratch_assert_error(&error, ERROR_FENCED, "no_position");
	store_close(store);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_new_partition_begins_where_the_caller_says_and_an_old_one_where_it_was),
	    cmocka_unit_test(a_position_moves_from_where_it_was_and_only_once),
	    cmocka_unit_test(a_zombie_of_epoch_7_moves_nothing_after_epoch_8_took_over),
	    cmocka_unit_test(a_fenced_transaction_can_not_commit_even_when_the_caller_tries),
	    cmocka_unit_test(the_clock_behind_a_position_is_read_after_the_wait_for_it),
	    cmocka_unit_test(a_position_that_does_not_rise_is_our_own_mistake),
	    cmocka_unit_test(a_claim_has_a_transaction_of_its_own),
	    cmocka_unit_test(a_position_nobody_claimed_is_nobodys),
	};

	return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
