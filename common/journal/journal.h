/* SPDX-License-Identifier: Apache-2.0 */
/* journal.h - what a transaction did, kept until it is committed: only then it is counted and logged. */
#ifndef COUNTERSIGN_JOURNAL_H
#define COUNTERSIGN_JOURNAL_H

#include "common/log/log.h"
#include "common/monitor/monitor.h"
#include "common/service/service.h"

#define JOURNAL_FIELDS_MAX 8

struct journal;
struct journal *journal_open(const struct log *log, struct monitor *monitor);
void journal_close(struct journal *journal); /* NULL is fine */

/* Forgets what was noted by a transaction that did not commit. */
void journal_begin(struct journal *journal);
/* Adds one to a counter; the label values are copied. */
void journal_count(struct journal *journal, const char *counter, const char *label_values);
/* One line; texts are copied, names and the event are literals. */
void journal_line(struct journal *journal, enum log_level level, const char *event,
		  const struct log_field *fields, size_t count);
#define journal_note(journal, event, ...)                                                                    \
	journal_line((journal), LOG_INFO, (event), (struct log_field[]){__VA_ARGS__},                        \
		     sizeof((struct log_field[]){__VA_ARGS__}) / sizeof(struct log_field))
#define journal_warn(journal, event, ...)                                                                    \
	journal_line((journal), LOG_WARN, (event), (struct log_field[]){__VA_ARGS__},                        \
		     sizeof((struct log_field[]){__VA_ARGS__}) / sizeof(struct log_field))
/* The transaction was committed: counts, writes the lines, and forgets them. */
void journal_publish(struct journal *journal);
/*
 * Ends a transaction of a tick: commits and publishes when it went well and did anything, else leaves all as it was. Returns
 * false when it did not go well or could not be committed; run again it does the same.
 */
bool journal_finish(struct journal *journal, struct work *work, bool ok, bool anything,
		    struct error *error) CS_MUST_CHECK;

#endif
