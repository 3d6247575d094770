/* SPDX-License-Identifier: Apache-2.0 */
/* clock.h - the clock of waits, time-outs and leases. Never asked about deadlines of requests: those are the database's. */
#ifndef COUNTERSIGN_CLOCK_H
#define COUNTERSIGN_CLOCK_H

#include <stdint.h>

/* Microseconds of CLOCK_MONOTONIC: only differences mean anything, and only within this process. */
int64_t clock_monotonic(void);

/* Microseconds of CLOCK_THREAD_CPUTIME_ID: what this thread has computed. Only differences mean anything. A busy machine does not make it pass. */
int64_t clock_computing(void);

#endif
