/* SPDX-License-Identifier: Apache-2.0 */
/* test_backoff.c - between nothing and the table's row, and never outside. */
#include "services/notifier/backoff.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define SECOND INT64_C(1000000)

static const int64_t table[] = {5, 30, 120, 600, 1800, 7200, 18000, 36000};

static void
pauses_fill_the_whole_row_and_stay_in_it(void **state)
{
	(void)state;
	for (int64_t attempt = 1; attempt <= 12; attempt++) {
		int64_t most = table[attempt <= 8 ? attempt - 1 : 7] * SECOND;

		assert_int_equal(backoff_pause(5 * SECOND, attempt, false, 0), 0);
		assert_int_equal(backoff_pause(5 * SECOND, attempt, false, (uint64_t)most), most);
		assert_int_equal(backoff_pause(5 * SECOND, attempt, false, (uint64_t)most + 1), 0);
		for (uint64_t random = UINT64_MAX; random > UINT64_MAX - 1000; random--) {
			int64_t pause = backoff_pause(5 * SECOND, attempt, false, random);

			assert_true(pause >= 0 && pause <= most);
		}
	}
}

static void
who_asks_for_patience_gets_the_upper_half_of_the_next_row(void **state)
{
	(void)state;
	for (int64_t attempt = 1; attempt <= 12; attempt++) {
		int64_t most = table[attempt <= 7 ? attempt : 7] * SECOND;

		assert_int_equal(backoff_pause(5 * SECOND, attempt, true, 0), most / 2);
		assert_int_equal(backoff_pause(5 * SECOND, attempt, true, (uint64_t)(most - most / 2)), most);
	}
}

static void
the_first_pause_scales_the_table(void **state)
{
	(void)state;
	assert_int_equal(backoff_pause(1000, 8, false, 7200000), 7200000);
	assert_int_equal(backoff_pause(0, 8, false, 12345), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(pauses_fill_the_whole_row_and_stay_in_it),
	    cmocka_unit_test(who_asks_for_patience_gets_the_upper_half_of_the_next_row),
	    cmocka_unit_test(the_first_pause_scales_the_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
