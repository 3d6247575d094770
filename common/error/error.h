/* SPDX-License-Identifier: Apache-2.0 */
/* error.h - what went wrong, and what the caller is to do about it. Pure. */
#ifndef COUNTERSIGN_ERROR_H
#define COUNTERSIGN_ERROR_H

#include <stdarg.h>
#include <stdbool.h>

#define CS_MUST_CHECK __attribute__((warn_unused_result))
#define CS_PRINTF(format_index, first) __attribute__((format(printf, format_index, first)))

/* The kinds are the reactions of whoever called. */
enum error_kind {
	ERROR_NONE = 0,
	ERROR_INVALID,	   /* the input is bad: refuse or quarantine it, go on */
	ERROR_CONFLICT,	   /* somebody else was first: look again, run again */
	ERROR_UNAVAILABLE, /* a server is away or busy: wait and retry */
	ERROR_FENCED,	   /* we are not the owner any more: drop the work */
	ERROR_BROKEN,	   /* deployment fault or broken invariant: stop the process with the text */
};

#define ERROR_CODE_SIZE 48
#define ERROR_FIELD_SIZE 192
#define ERROR_TEXT_SIZE 384

/*
 * Owned by the caller, starts zeroed (`struct error error = {0};`). The first writer wins; those above it wrap.
 * `code` is a stable snake_case word for machines ("duplicate_key"), `field` a path into the input
 * ("context.amount") or "", `text` one line for people. Never holds a value of the input, only its place.
 */
struct error {
	enum error_kind kind;
	char code[ERROR_CODE_SIZE];
	char field[ERROR_FIELD_SIZE];
	char text[ERROR_TEXT_SIZE];
};

/* Sets *error if nothing is set yet. Always returns false, so that `return error_set(...)` reads well. Cuts what is too long. */
bool error_set(struct error *error, enum error_kind kind, const char *code, const char *format, ...)
    CS_PRINTF(4, 5);

/* As error_set, with the path of the field that is to blame. */
bool error_set_field(struct error *error, enum error_kind kind, const char *code, const char *field,
		     const char *format, ...) CS_PRINTF(5, 6);

/* Puts "what: " in front of the text that is there. Always returns false. */
bool error_wrap(struct error *error, const char *format, ...) CS_PRINTF(2, 3);

/* Forgets what was set, so that the struct can be used again; or makes one usable that was not zeroed, which takes less. */
void error_clear(struct error *error);

/* "invalid", "conflict", "unavailable", "fenced", "broken"; "none". */
const char *error_kind_name(enum error_kind kind);

#endif
