/* SPDX-License-Identifier: Apache-2.0 */
/* sender.c - the threads, and the one list that they share with whoever started them. */
#include "services/notifier/sender.h"
#include "common/clock/clock.h"

#include <assert.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SECOND INT64_C(1000000)

struct sender {
	size_t *running; /* by lane; of the starting thread alone, like `all` */
	size_t lanes, room, all;
	/* under the lock */
	pthread_mutex_t lock;
	pthread_cond_t ended;
	struct attempt *first, **last;
};

struct sender *
sender_open(size_t lanes, size_t room)
{
	struct sender *sender = memory_take(sizeof *sender);

	sender->running = memory_take((lanes + 1) * sizeof *sender->running);
	sender->lanes = lanes;
	sender->room = room;
	sender->last = &sender->first;
	pthread_mutex_init(&sender->lock, NULL);
	pthread_cond_init(&sender->ended, NULL);
	return sender;
}

size_t
sender_room(const struct sender *sender, size_t lane)
{
	assert(lane < sender->lanes);
	return sender->room - sender->running[lane];
}

size_t
sender_running(const struct sender *sender)
{
	return sender->all;
}

/* ------------------------------------------------------------------ threads */

static void
put(struct attempt *attempt)
{
	struct sender *sender = attempt->sender;

	pthread_mutex_lock(&sender->lock);
	*sender->last = attempt;
	sender->last = &attempt->next;
	pthread_cond_signal(&sender->ended);
	pthread_mutex_unlock(&sender->lock);
}

static void *
run(void *context)
{
	struct attempt *attempt = context;
	int64_t begun = clock_monotonic();

	attempt->channel->send(&attempt->send, &attempt->result);
	attempt->took = clock_monotonic() - begun;
	put(attempt);
	return NULL;
}

/* Signals are for the thread that runs the loop. */
static bool
begin(struct attempt *attempt)
{
	sigset_t all, before;
	int fault;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	fault = pthread_create(&attempt->thread, NULL, run, attempt);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return fault == 0;
}

void
sender_start(struct sender *sender, struct attempt *take_attempt)
{
	assert(sender_room(sender, take_attempt->lane) > 0);
	take_attempt->sender = sender;
	take_attempt->next = NULL;
	sender->running[take_attempt->lane]++;
	sender->all++;
	if (begin(take_attempt))
		return;
	take_attempt->thread = pthread_self();
	channel_end(&take_attempt->result, CHANNEL_UNTRIED, "no_thread", "the system gives no more threads");
	put(take_attempt);
}

struct attempt *
sender_steal(struct sender *sender)
{
	struct attempt *list;

	pthread_mutex_lock(&sender->lock);
	list = sender->first;
	sender->first = NULL;
	sender->last = &sender->first;
	pthread_mutex_unlock(&sender->lock);
	for (const struct attempt *attempt = list; attempt; attempt = attempt->next) {
		if (!pthread_equal(attempt->thread, pthread_self()))
			pthread_join(attempt->thread, NULL); /* it has nothing left to do */
		sender->running[attempt->lane]--;
		sender->all--;
	}
	return list;
}

void
sender_wait(struct sender *sender, int64_t timeout_us)
{
	int64_t at = clock_monotonic() + timeout_us;
	const struct timespec until = {.tv_sec = at / SECOND, .tv_nsec = at % SECOND * 1000};
	int fault = 0;

	pthread_mutex_lock(&sender->lock);
	while (!sender->first && fault == 0)
		fault = pthread_cond_clockwait(&sender->ended, &sender->lock, CLOCK_MONOTONIC, &until);
	pthread_mutex_unlock(&sender->lock);
}

/* ------------------------------------------------------------------ ending */

void
attempt_close(struct attempt *attempt)
{
	arena_close(attempt->arena);
}

bool
sender_close(struct sender *sender)
{
	struct attempt *list = sender_steal(sender);

	while (list) {
		struct attempt *attempt = list;

		list = attempt->next;
		attempt_close(attempt);
	}
	if (sender->all > 0)
		return false;
	pthread_cond_destroy(&sender->ended);
	pthread_mutex_destroy(&sender->lock);
	free(sender->running);
	free(sender);
	return true;
}
