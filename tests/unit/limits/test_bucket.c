/* SPDX-License-Identifier: Apache-2.0 */
/* A bucket is exact to the microsecond, whatever its size, and never fuller than it is. */
#include "common/limits/bucket.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#define MOST ((INT64_C(1) << 53) - 1)
#define MONTH (INT64_C(720) * 3600 * 1000000)

static void
a_unit_is_back_when_its_time_is_over_and_not_before(void **state)
{
	const struct bucket three = {.max = 3, .per = 1000000, .level = 3};

	(void)state;
	assert_int_equal(bucket_missing(three), 3);
	assert_int_equal(bucket_next(three), 333334);
	assert_int_equal(bucket_missing(bucket_after(three, 333333)), 3);
	assert_int_equal(bucket_missing(bucket_after(three, 333334)), 2);
	assert_int_equal(bucket_missing(bucket_after(three, 666666)), 2);
	assert_int_equal(bucket_missing(bucket_after(three, 666667)), 1);
	assert_int_equal(bucket_missing(bucket_after(three, 999999)), 1);
	assert_int_equal(bucket_missing(bucket_after(three, 1000000)), 0);
	assert_int_equal(bucket_full(three), 1000000);
}

static void
many_small_steps_are_one_large_one(void **state)
{
	const struct bucket start = {.max = 7, .per = 1000003, .level = 7};
	struct bucket step = start;

	(void)state;
	for (int i = 1; i <= 1200; i++) {
		struct bucket once = bucket_after(start, i * INT64_C(997));

		step = bucket_after(step, 997);
		assert_true(step.level == once.level && step.part == once.part);
	}
	assert_int_equal(bucket_missing(step), 0);
	assert_int_equal(bucket_next(step), 0);
	assert_int_equal(bucket_full(step), 0);
}

static void
the_next_unit_comes_when_it_was_said_to(void **state)
{
	struct bucket bucket = {.max = 7, .per = 1000003, .level = 7};

	(void)state;
	while (bucket_missing(bucket) > 0) {
		int64_t missing = bucket_missing(bucket), next = bucket_next(bucket);

		assert_int_equal(bucket_missing(bucket_after(bucket, next - 1)), missing);
		bucket = bucket_after(bucket, next);
		assert_int_equal(bucket_missing(bucket), missing - 1);
	}
}

static void
the_largest_bucket_is_as_exact(void **state)
{
	const struct bucket large = {.max = MOST, .per = MONTH, .level = MOST},
			    over = {.max = 1, .per = MONTH, .level = INT64_MAX};

	(void)state;
	assert_int_equal(bucket_missing(bucket_after(large, MONTH)), 0);
	assert_true(bucket_missing(bucket_after(large, MONTH - 1)) > 0);
	assert_int_equal(bucket_missing(bucket_after(large, 0)), MOST);
	assert_int_equal(bucket_missing(bucket_after(over, 1)), INT64_MAX);
	assert_int_equal(bucket_full(over), INT64_MAX / 4);
}

static void
what_was_just_taken_is_given_back_whole(void **state)
{
	const struct bucket before = {.max = 7, .per = 1000003, .level = 3, .part = 11};
	struct bucket bucket = before;

	(void)state;
	bucket.level += 4;
	bucket = bucket_give_back(bucket, 4, 0);
	assert_true(bucket.level == before.level && bucket.part == before.part);
	bucket.level += 4;
	bucket = bucket_give_back(bucket, 4, -5);
	assert_true(bucket.level == before.level && bucket.part == before.part);
}

static void
what_may_have_been_filled_is_not_given_back(void **state)
{
	const struct bucket full = {.max = 2, .per = 1000, .level = 2};
	struct bucket bucket = bucket_after(full, 250); /* 1.5 are missing; of one that was taken then, 0.5 */

	(void)state;
	bucket = bucket_give_back(bucket, 1, 250);
	assert_int_equal(bucket.level, 1);
	assert_int_equal(bucket.part, 0);
	bucket = bucket_give_back(bucket_after(full, 250), 1, 499);
	assert_true(bucket.level == 1 && bucket.part == 498);
	bucket = bucket_give_back(bucket_after(full, 250), 1, 500);
	assert_true(bucket.level == 1 && bucket.part == 500);
	bucket = bucket_give_back(bucket_after(full, 250), 1, INT64_MAX);
	assert_true(bucket.level == 1 && bucket.part == 500);
}

static void
no_more_is_there_than_the_bucket_holds(void **state)
{
	const struct bucket bucket = {.max = 5, .per = 1000, .level = 1, .part = 999},
			    large = {.max = MOST, .per = MONTH, .level = MOST};

	(void)state;
	assert_int_equal(bucket_missing(bucket_give_back(bucket, 2, 0)), 0);
	assert_int_equal(bucket_missing(bucket_give_back(bucket, INT64_MAX, 0)), 0);
	assert_int_equal(bucket_missing(bucket_give_back(large, MOST, 0)), 0);
	assert_int_equal(bucket_missing(bucket_give_back(large, MOST, MONTH)), MOST);
}

/* Of whatever is taken at whatever times: without one of it at least as much is missing as if it had never been. */
static void
never_is_more_given_back_than_if_it_had_never_been_taken(void **state)
{
	uint32_t chance = 1;

	(void)state;
	for (int n = 0; n < 20000; n++) {
		struct bucket with = {.max = 1 + n % 5, .per = 1000}, without = with;
		int64_t at = 0, lost_at = 0, amount = 1 + n % 3;
		int steps = 1 + n % 7, lost = n % steps;

		for (int step = 0; step < steps; step++) {
			int64_t pause = (int64_t)((chance = chance * 1664525 + 1013904223) >> 22);

			with = bucket_after(with, pause);
			without = bucket_after(without, pause);
			at += pause;
			with.level += amount;
			if (step == lost)
				lost_at = at;
			else
				without.level += amount;
		}
		with = bucket_give_back(with, amount, at - lost_at);
		assert_true(with.level * with.per + with.part >= without.level * without.per + without.part);
	}
}

static void
time_that_goes_back_fills_nothing(void **state)
{
	const struct bucket bucket = {.max = 3, .per = 1000000, .level = 2, .part = 5};

	(void)state;
	assert_int_equal(bucket_missing(bucket_after(bucket, -1)), 3);
	assert_int_equal(bucket_missing(bucket_after(bucket, INT64_MIN)), 3);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_unit_is_back_when_its_time_is_over_and_not_before),
	    cmocka_unit_test(many_small_steps_are_one_large_one),
	    cmocka_unit_test(the_next_unit_comes_when_it_was_said_to),
	    cmocka_unit_test(the_largest_bucket_is_as_exact),
	    cmocka_unit_test(what_was_just_taken_is_given_back_whole),
	    cmocka_unit_test(what_may_have_been_filled_is_not_given_back),
	    cmocka_unit_test(no_more_is_there_than_the_bucket_holds),
	    cmocka_unit_test(never_is_more_given_back_than_if_it_had_never_been_taken),
	    cmocka_unit_test(time_that_goes_back_fills_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
