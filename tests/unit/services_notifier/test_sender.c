/* SPDX-License-Identifier: Apache-2.0 */
/* test_sender.c - many attempts at once: none is lost, none is held up by another target's, and the end does not wait for ever. */
#include "services/notifier/sender.h"
#include "services/notifier/targets.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <time.h>
#include <unistd.h>

static atomic_bool abandoned, open_gate;
static const struct channel_settings settings = {.abandoned = &abandoned};

static int64_t
milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Ends at once for target "quick", else when the gate opens or the process ends. */
static void
wait_at_gate(const struct channel_send *send, struct channel_result *result)
{
	bool quick = strcmp(send->target->name, "quick") == 0;

	while (!quick && !atomic_load(&open_gate) && !atomic_load(send->settings->abandoned))
		usleep(1000);
	channel_end(result, CHANNEL_SENT, quick ? "quick" : "slow", "%s", send->delivery_id);
}
static const struct channel gate = {.name = "gate", .send = wait_at_gate};
static const struct target targets[] = {{.name = "slow", .channel = &gate},
					{.name = "quick", .channel = &gate}};

static struct attempt *
attempt_of(size_t lane, int n)
{
	struct arena *arena = arena_open();
	struct attempt *attempt = arena_take(arena, sizeof *attempt);

	attempt->arena = arena;
	attempt->lane = lane;
	attempt->channel = &gate;
	attempt->n = n;
	attempt->send = (struct channel_send){
	    .settings = &settings, .target = &targets[lane], .delivery_id = arena_format(arena, "%d", n)};
	return attempt;
}

static void
one_target_that_hangs_delays_no_other(void **state)
{
	struct sender *sender = sender_open(2, 2);
	int quick = 0, slow = 0;

	(void)state;
	atomic_store(&open_gate, false);
	sender_start(sender, attempt_of(0, 0));
	sender_start(sender, attempt_of(0, 1));
	assert_int_equal(sender_room(sender, 0), 0);
	for (int n = 0; n < 200; n++) {
		while (sender_room(sender, 1) == 0) {
			sender_wait(sender, 1000000);
			for (struct attempt *one = sender_steal(sender), *next; one; one = next, quick++) {
				next = one->next;
				assert_string_equal(one->result.code, "quick");
				assert_string_equal(one->result.text, one->send.delivery_id);
				attempt_close(one);
			}
		}
		sender_start(sender, attempt_of(1, n));
	}
	atomic_store(&open_gate, true);
	while (sender_running(sender) > 0) {
		sender_wait(sender, 1000000);
		for (struct attempt *one = sender_steal(sender), *next; one; one = next) {
			next = one->next;
			quick += strcmp(one->result.code, "quick") == 0;
			slow += strcmp(one->result.code, "slow") == 0;
			attempt_close(one);
		}
	}
	assert_int_equal(quick, 200);
	assert_int_equal(slow, 2);
	assert_int_equal(sender_room(sender, 0), 2);
	assert_true(sender_close(sender));
}

static void
waiting_ends_when_its_time_is_over(void **state)
{
	struct sender *sender = sender_open(1, 1);
	int64_t begun = milliseconds();

	(void)state;
	sender_wait(sender, 100000);
	assert_true(milliseconds() - begun >= 99);
	assert_null(sender_steal(sender));
	assert_true(sender_close(sender));
}

static void
who_still_runs_is_left_alone(void **state)
{
	struct sender *sender = sender_open(1, 1);
	struct attempt *attempt;

	(void)state;
	atomic_store(&open_gate, false);
	sender_start(sender, attempt_of(0, 7));
	assert_false(sender_close(sender));
	assert_int_equal(sender_running(sender), 1);
	atomic_store(&abandoned, true);
	sender_wait(sender, 5000000);
	attempt = sender_steal(sender);
	assert_non_null(attempt);
	attempt_close(attempt);
	assert_true(sender_close(sender));
	atomic_store(&abandoned, false);
}

static void
what_ended_and_was_not_asked_for_is_freed(void **state)
{
	struct sender *sender = sender_open(2, 4);

	(void)state;
	for (int n = 0; n < 4; n++)
		sender_start(sender, attempt_of(1, n));
	while (!sender_close(sender))
		usleep(1000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(one_target_that_hangs_delays_no_other),
	    cmocka_unit_test(waiting_ends_when_its_time_is_over),
	    cmocka_unit_test(who_still_runs_is_left_alone),
	    cmocka_unit_test(what_ended_and_was_not_asked_for_is_freed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
