/* SPDX-License-Identifier: Apache-2.0 */
/* log.h - one logfmt line per event on stderr: time, level, service, event, then the ids that belong to it. */
#ifndef COUNTERSIGN_LOG_H
#define COUNTERSIGN_LOG_H

#include <stddef.h>
#include <stdint.h>

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

/* Handed down, not global. Thread-safe: a line is written with one write(2). */
struct log {
	enum log_level level; /* lines above it are not written */
	const char *service;  /* borrowed */
};

/* What log_text does with NULL; a function, since a `?:` on an array's address is a warning. */
static inline const char *
log_or_empty(const char *text)
{
	return text ? text : "";
}

/* One name and its value; exactly one of text or number is used. */
struct log_field {
	const char *name;
	const char *text; /* NULL: the number counts */
	int64_t number;
};
#define log_text(field_name, value) ((struct log_field){.name = (field_name), .text = log_or_empty(value)})
#define log_number(field_name, value) ((struct log_field){.name = (field_name), .number = (int64_t)(value)})

/*
 * log_info(log, "decided", log_text("request_id", id), log_number("offset", n));
 * Values are quoted and escaped where logfmt needs it: control characters, quotes and line feeds of others never start
 * a new line or a new field. Lines are cut at 4 KiB.
 */
#define log_error(log, ...) log_event((log), LOG_ERROR, __VA_ARGS__, LOG_END)
#define log_warn(log, ...) log_event((log), LOG_WARN, __VA_ARGS__, LOG_END)
#define log_info(log, ...) log_event((log), LOG_INFO, __VA_ARGS__, LOG_END)
#define log_debug(log, ...) log_event((log), LOG_DEBUG, __VA_ARGS__, LOG_END)
#define LOG_END ((struct log_field){.name = NULL})

/* The fields are passed by value (struct log_field ...), ended by LOG_END. */
void log_event(const struct log *log, enum log_level level, const char *event, ...);

/*
 * Many lines that belong together: they are handed to write(2) by the page, a page never ends within a line, and none is
 * larger than what a pipe takes in one piece. Start with length 0; log_page_write writes what is left.
 */
#define LOG_PAGE_SIZE 4096
struct log_page {
	size_t length;
	char bytes[LOG_PAGE_SIZE];
};
void log_page_add(struct log_page *page, const struct log *log, enum log_level level, const char *event, ...);
void log_page_write(struct log_page *page);

/* "error", "warn", "info", "debug"; -1 for anything else. */
int log_level_parse(const char *text);

#endif
