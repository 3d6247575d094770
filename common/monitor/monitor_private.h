/* SPDX-License-Identifier: Apache-2.0 */
/* monitor_private.h - the registry as its own files see it. Everything in it is read and written under its lock. */
#ifndef COUNTERSIGN_MONITOR_PRIVATE_H
#define COUNTERSIGN_MONITOR_PRIVATE_H

#include "common/memory/memory.h"
#include "common/monitor/monitor.h"

#include <pthread.h>
#include <stdatomic.h>

enum { MONITOR_MOST_SERIES = 1000, MONITOR_MOST_CONDITIONS = 16 };

struct monitor_series {
	char *label_values; /* owned; joined by '\n' */
	int64_t count;	    /* of a counter */
	double value;	    /* of a gauge */
};

struct monitor_family {
	char *name, *help, *labels; /* owned */
	bool counts;		    /* a counter, else a gauge */
	size_t label_count;
	struct monitor_series *series; /* sorted by label values */
	size_t count;
};

struct monitor_condition {
	char *name, *why; /* owned */
	bool good;
};

struct monitor {
	pthread_mutex_t lock;
	char *service, *version; /* owned */
	struct monitor_family *families;
	size_t family_count;
	struct monitor_condition conditions[MONITOR_MOST_CONDITIONS];
	size_t condition_count;
	_Atomic int64_t alive_at, stall_us; /* microseconds of CLOCK_MONOTONIC; 0: no limit */
	struct MHD_Daemon *server;
};

void monitor_free(struct monitor *monitor);
/* The whole exposition, format 0.0.4. */
void monitor_format_metrics(struct monitor *monitor, struct buffer *buffer);
/* process_*: of this process as the kernel counts it; what can't be read is left out. */
void monitor_format_process(struct buffer *buffer);
void monitor_format_number(struct buffer *buffer, double number);
/* The conditions as a JSON list; true when there are some and all are good. */
bool monitor_format_conditions(struct monitor *monitor, struct buffer *buffer);
/* Inside quotes, of JSON and of the exposition alike: valid UTF-8, nothing that ends the quotes or the line. */
void monitor_format_quoted(struct buffer *buffer, const char *text, size_t length);
bool monitor_is_alive(struct monitor *monitor);

#endif
