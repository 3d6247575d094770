/* SPDX-License-Identifier: Apache-2.0 */
/* service_signal.c - SIGTERM and SIGINT ask to stop, a second one ends at once, an alarm bounds how long stopping takes. */
#include "common/service/service_private.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

/* Signal handlers can reach nothing else. */
static volatile sig_atomic_t stopping;

static void
on_stop(int number)
{
	static const char text[] = "second signal: ended at once\n";

	if (stopping) {
		if (write(STDERR_FILENO, text, sizeof text - 1) >= 0)
			_exit(128 + number);
		_exit(128 + number);
	}
	stopping = 1;
	alarm(SERVICE_STOP_LIMIT); /* even if the loop never turns again */
}

/* What was not committed is rolled back by the server when the connection ends. */
static void
on_alarm(int number)
{
	static const char text[] = "stopping took too long: ended\n";

	(void)number;
	if (write(STDERR_FILENO, text, sizeof text - 1) >= 0)
		_exit(1);
	_exit(1);
}

static void
handle(int number, void (*handler)(int))
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};

	sigemptyset(&action.sa_mask);
	sigaction(number, &action, NULL);
}

void
service_signals_open(void)
{
	handle(SIGTERM, on_stop);
	handle(SIGINT, on_stop);
	handle(SIGALRM, on_alarm);
	handle(SIGPIPE, SIG_IGN); /* a peer that went away is an error of that write, not of the process */
}

bool
service_stopping(void)
{
	return stopping != 0;
}

void
service_stop_clock_start(void)
{
	unsigned running = alarm(SERVICE_STOP_LIMIT);

	if (running > 0) /* the signal has started it already */
		alarm(running);
}

int64_t
service_stop_clock_left(void)
{
	unsigned running = alarm(0);

	alarm(running > 0 ? running : 1);
	return running * INT64_C(1000000);
}
