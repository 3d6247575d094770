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
	    cmocka_unit_test(time_that_goes_back_fills_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
