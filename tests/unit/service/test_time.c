/* SPDX-License-Identifier: Apache-2.0 */
/* test_time.c - what counts as the database's time when its clock goes on, stands, steps back by a little and by much. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/service/service_private.h"

#define SECOND INT64_C(1000000)
#define NOON (1764504000 * SECOND)

static int64_t
taken(struct service_time *time, int64_t shown)
{
	struct error error = {0};

	assert_true(service_time_take(time, &shown, &error));
	assert_int_equal(error.kind, ERROR_NONE);
	return shown;
}

static void
refused(struct service_time *time, int64_t shown)
{
	int64_t now = shown;
	struct error error = {0};

	assert_false(service_time_take(time, &now, &error));
	assert_int_equal(error.kind, ERROR_UNAVAILABLE);
	assert_string_equal(error.code, "clock_back");
}

static void
time_goes_on(void **state)
{
	struct service_time time = {0};

	(void)state;
	assert_int_equal(taken(&time, NOON), NOON);
	assert_int_equal(taken(&time, NOON), NOON);
	assert_int_equal(taken(&time, NOON + 1), NOON + 1);
	assert_int_equal(taken(&time, NOON + 3600 * SECOND), NOON + 3600 * SECOND);
	assert_int_equal(time.behind, 0);
}

static void
by_a_little_it_stands_still_until_it_is_later_again(void **state)
{
	struct service_time time = {0};

	(void)state;
	assert_int_equal(taken(&time, NOON), NOON);
	assert_int_equal(taken(&time, NOON - 1), NOON);
	assert_int_equal(taken(&time, NOON - 5 * SECOND), NOON);
	assert_int_equal(time.behind, 5 * SECOND);
	assert_int_equal(taken(&time, NOON - SECOND), NOON);
	assert_int_equal(taken(&time, NOON + 1), NOON + 1);
	assert_int_equal(time.behind, 0);
}

static void
by_much_there_is_no_time_until_it_has_caught_up(void **state)
{
	struct service_time time = {.latest = NOON};

	(void)state;
	refused(&time, NOON - 5 * SECOND - 1);
	refused(&time, NOON - 600 * SECOND);
	assert_int_equal(time.behind, 600 * SECOND);
	refused(&time, 0);
	assert_int_equal(time.latest, NOON);
	assert_int_equal(taken(&time, NOON - 5 * SECOND), NOON);
	assert_int_equal(taken(&time, NOON + SECOND), NOON + SECOND);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(time_goes_on),
	    cmocka_unit_test(by_a_little_it_stands_still_until_it_is_later_again),
	    cmocka_unit_test(by_much_there_is_no_time_until_it_has_caught_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
