/* SPDX-License-Identifier: Apache-2.0 */
/* close.c - ends a client within a deadline, whatever librdkafka makes of it. */
#include "common/bus/bus_private.h"
#include "common/clock/clock.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

/* One closing on a thread of its own; whoever comes last frees. */
struct closing {
	pthread_mutex_t lock;
	pthread_cond_t over;
	bool done, abandoned;
	void (*close)(void *context);
	void *context;
};

static void
closing_free(struct closing *closing)
{
	pthread_cond_destroy(&closing->over);
	pthread_mutex_destroy(&closing->lock);
	free(closing);
}

static void *
run(void *argument)
{
	struct closing *closing = argument;
	bool abandoned;

	closing->close(closing->context);
	pthread_mutex_lock(&closing->lock);
	closing->done = true;
	abandoned = closing->abandoned;
	pthread_cond_signal(&closing->over);
	pthread_mutex_unlock(&closing->lock);
	if (abandoned)
		closing_free(closing);
	return NULL;
}

static bool
wait_for(struct closing *closing, int64_t timeout_us)
{
	int64_t deadline = clock_monotonic() + timeout_us;
	struct timespec until = {.tv_sec = (time_t)(deadline / 1000000), .tv_nsec = deadline % 1000000 * 1000};
	int result = 0;
	bool done;

	pthread_mutex_lock(&closing->lock);
	while (!closing->done && result == 0)
		result = pthread_cond_clockwait(&closing->over, &closing->lock, CLOCK_MONOTONIC, &until);
	done = closing->done;
	closing->abandoned = !done;
	pthread_mutex_unlock(&closing->lock);
	return done;
}

/* All signals are blocked in the helper: they are the main thread's. */
static bool
start(struct closing *closing)
{
	pthread_t thread;
	sigset_t all, before;
	int result;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	result = pthread_create(&thread, NULL, run, closing);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (result == 0)
		pthread_detach(thread);
	return result == 0;
}

bool
bus_close_within(void (*close)(void *context), void *take_context, int64_t timeout_us)
{
	struct closing *closing = memory_take(sizeof *closing);
	bool started, done = false;

	closing->close = close;
	closing->context = take_context;
	pthread_mutex_init(&closing->lock, NULL);
	pthread_cond_init(&closing->over, NULL);
	started = start(closing);
	if (started)
		done = wait_for(closing, timeout_us);
	if (!started || done)
		closing_free(closing);
	return done;
}
