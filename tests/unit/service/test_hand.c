/* SPDX-License-Identifier: Apache-2.0 */
/* test_hand.c - records in hand keep their order by partition, and a transaction takes what it must and no more. */
#include "common/service/service_private.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void
add(struct service_hand *hand, int32_t partition, int64_t offset, const char *value)
{
	struct record record = {.topic = "t",
				.partition = partition,
				.offset = offset,
				.value = value,
				.value_length = strlen(value),
				.key = "key",
				.key_length = 3};

	service_hand_add(hand, NULL, &record);
}

static void
interleaved_partitions_are_grouped_in_the_order_they_came(void **state)
{
	struct service_hand hand = {0};

	(void)state;
	add(&hand, 4, 10, "a");
	add(&hand, 1, 7, "b");
	add(&hand, 4, 11, "c");
	add(&hand, 1, 9, "d");
	assert_int_equal(hand.count, 2);
	assert_int_equal(hand.records, 4);
	assert_int_equal(hand.bytes, 4 * (1 + 3));
	assert_int_equal(hand.batches[0].partition, 4);
	assert_int_equal(hand.batches[0].records[0].offset, 10);
	assert_int_equal(hand.batches[0].records[1].offset, 11);
	assert_int_equal(hand.batches[1].partition, 1);
	assert_int_equal(hand.batches[1].records[0].offset, 7);
	assert_int_equal(hand.batches[1].records[1].offset, 9);
	service_hand_close(&hand);
}

static void
headers_weigh_too(void **state)
{
	const struct record_header headers[] = {{"name", "12345", 5}, {"x", NULL, 0}};
	struct record record = {.topic = "t", .headers = headers, .header_count = 2};
	struct service_hand hand = {0};

	(void)state;
	service_hand_add(&hand, NULL, &record);
	assert_int_equal(hand.bytes, 4 + 5 + 1);
	service_hand_close(&hand);
}

static void
a_dropped_batch_leaves_the_others_and_their_sums(void **state)
{
	struct service_hand hand = {0};

	(void)state;
	for (int32_t partition = 0; partition < 3; partition++)
		for (int64_t offset = 0; offset < 100; offset++)
			add(&hand, partition, offset, "value");
	service_hand_drop(&hand, 1);
	assert_int_equal(hand.count, 2);
	assert_int_equal(hand.records, 200);
	assert_int_equal(hand.bytes, 200 * 8);
	assert_int_equal(hand.batches[1].partition, 2);
	assert_int_equal(hand.batches[1].records[99].offset, 99);
	service_hand_clear(&hand);
	assert_int_equal(hand.count, 0);
	assert_int_equal(hand.records, 0);
	assert_int_equal(hand.bytes, 0);
	service_hand_close(&hand);
}

static void
a_transaction_takes_all_that_is_left(void **state)
{
	struct service_hand hand = {0};

	(void)state;
	for (int64_t offset = 0; offset < 5; offset++)
		add(&hand, 0, offset, "");
	hand.batches[0].done = 2;
	assert_int_equal(service_batch_next(&hand.batches[0]), 3);
	service_hand_close(&hand);
}

static void
after_a_failure_it_takes_one(void **state)
{
	struct service_hand hand = {0};

	(void)state;
	for (int64_t offset = 0; offset < 5; offset++)
		add(&hand, 0, offset, "");
	hand.batches[0].single = true;
	assert_int_equal(service_batch_next(&hand.batches[0]), 1);
	service_hand_close(&hand);
}

static void
what_a_commit_without_answer_took_is_run_again_alone(void **state)
{
	struct service_hand hand = {0};

	(void)state;
	for (int64_t offset = 10; offset < 20; offset += 2) /* offsets have gaps */
		add(&hand, 0, offset, "");
	hand.batches[0].unknown_end = 15; /* 10, 12 and 14 */
	assert_int_equal(service_batch_next(&hand.batches[0]), 3);
	hand.batches[0].done = 3;
	service_batch_unburden(&hand.batches[0]);
	assert_int_equal(service_batch_next(&hand.batches[0]), 2);
	service_hand_close(&hand);
}

static void
what_is_known_of_one_record_is_not_held_against_the_next(void **state)
{
	struct service_batch batch = {
	    .conflicts = 3, .not_before = 7, .unknown_end = 9, .ask = true, .single = true};

	(void)state;
	error_set(&batch.refusal, ERROR_INVALID, "not_storable", "22021");
	service_batch_unburden(&batch);
	assert_int_equal(batch.refusal.kind, ERROR_NONE);
	assert_int_equal(batch.conflicts, 0);
	assert_int_equal(batch.not_before, 0);
	assert_int_equal(batch.unknown_end, 0);
	assert_false(batch.ask);
	assert_true(batch.single);
}

static void
pauses_double_with_jitter_up_to_five_seconds(void **state)
{
	struct service_backoff backoff = {0};
	int64_t step = 100 * 1000;

	(void)state;
	for (int i = 0; i < 20; i++) {
		int64_t pause = service_backoff_next(&backoff);

		assert_true(pause >= step / 2 && pause <= step);
		step = 2 * step < 5000 * 1000 ? 2 * step : 5000 * 1000;
	}
	service_backoff_reset(&backoff);
	assert_true(service_backoff_next(&backoff) <= 100 * 1000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(interleaved_partitions_are_grouped_in_the_order_they_came),
	    cmocka_unit_test(headers_weigh_too),
	    cmocka_unit_test(a_dropped_batch_leaves_the_others_and_their_sums),
	    cmocka_unit_test(a_transaction_takes_all_that_is_left),
	    cmocka_unit_test(after_a_failure_it_takes_one),
	    cmocka_unit_test(what_a_commit_without_answer_took_is_run_again_alone),
	    cmocka_unit_test(what_is_known_of_one_record_is_not_held_against_the_next),
	    cmocka_unit_test(pauses_double_with_jitter_up_to_five_seconds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
