/* SPDX-License-Identifier: Apache-2.0 */
/* monitor.h - /livez, /readyz and Prometheus /metrics on a loopback port, by libmicrohttpd's own thread. */
#ifndef COUNTERSIGN_MONITOR_H
#define COUNTERSIGN_MONITOR_H

#include "common/error/error.h"
#include <stdint.h>

struct monitor; /* a registry of series, and the server over it; thread-safe */

/* service is the label of build_info; the process_* series are always there. */
struct monitor *monitor_open(const char *service, const char *version);
void monitor_close(struct monitor *monitor);
/* Begins to listen. port 0: does not. address must be a literal IP. BROKEN when it is taken. */
bool monitor_listen(struct monitor *monitor, const char *address, uint16_t port,
		    struct error *error) CS_MUST_CHECK;

/*
 * Declares a family once: name without prefix "countersign_", counters end in _total. labels: comma-separated label names or "".
 */
void monitor_counter(struct monitor *monitor, const char *name, const char *help, const char *labels);
void monitor_gauge(struct monitor *monitor, const char *name, const char *help, const char *labels);
/* Values: label values in the order of the declaration, joined by '\n' ("" for none). Unknown names are an assertion. At most 1,000 series per family; beyond, label values become "other". */
void monitor_add(struct monitor *monitor, const char *name, const char *label_values, int64_t n);
void monitor_set(struct monitor *monitor, const char *name, const char *label_values, double value);
/* Removes all series of a gauge family before setting it anew. */
void monitor_clear(struct monitor *monitor, const char *name);

/* One readiness condition: name ("database", "kafka", "assignment"), good or not, and why. /readyz is 200 when all are good. */
void monitor_ready(struct monitor *monitor, const char *name, bool good, const char *why);
/* The loop says it turns; /livez is 503 when it has not for `stall_us`. */
void monitor_alive(struct monitor *monitor);
void monitor_stall_limit(struct monitor *monitor, int64_t stall_us);

#endif
