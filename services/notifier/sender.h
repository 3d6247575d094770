/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sender.h - attempts on their way: each in a thread of its own, at most so many for one target, so that one that hangs delays
 * nobody else. All calls from one thread; only the attempts run elsewhere.
 */
#ifndef COUNTERSIGN_NOTIFIER_SENDER_H
#define COUNTERSIGN_NOTIFIER_SENDER_H

#include "common/memory/memory.h"
#include "services/notifier/channel.h"

#include <pthread.h>

/* Made by whoever claims it, owned by the sender until it is given back, with its arena. */
struct attempt {
	struct arena *arena; /* where the attempt itself and all that it points to lies */
	struct channel_send send;
	const struct channel *channel;
	size_t lane; /* of the target */
	int64_t epoch, n;
	int64_t took; /* microseconds */
	struct channel_result result;
	/* the sender's */
	struct sender *sender;
	struct attempt *next;
	pthread_t thread;
};

struct sender;
/* `lanes` targets with `room` attempts at once for each. */
struct sender *sender_open(size_t lanes, size_t room);
/* How many more this target can take now. */
size_t sender_room(const struct sender *sender, size_t lane);
size_t sender_running(const struct sender *sender);
/* Begins it. One that can't begin has ended, as UNTRIED. */
void sender_start(struct sender *sender, struct attempt *take_attempt);
/* Those that have ended since the last call, in the order in which they did; NULL: none. Their threads are gone. */
struct attempt *sender_steal(struct sender *sender);
/* Waits until one has ended, at most so long. */
void sender_wait(struct sender *sender, int64_t timeout_us);
/*
 * Attempts that still run are left alone with what they use, for the process is about to end: false then. Nothing that
 * they were given may be freed.
 */
bool sender_close(struct sender *sender);

void attempt_close(struct attempt *attempt);

#endif
