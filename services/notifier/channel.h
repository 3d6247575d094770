/* SPDX-License-Identifier: Apache-2.0 */
/*
 * channel.h - a way to reach people: the one vtable of the house. A channel makes one attempt and says how it ended; when to
 * try, how often and what to remember is decided above it. Attempts run in threads of their own: a channel keeps nothing.
 */
#ifndef COUNTERSIGN_NOTIFIER_CHANNEL_H
#define COUNTERSIGN_NOTIFIER_CHANNEL_H

#include "common/error/error.h"
#include "common/log/log.h"
#include "services/notifier/address.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define CHANNEL_CODE_SIZE 32
#define CHANNEL_TEXT_SIZE 200
#define CHANNEL_REFERENCE_SIZE 1600 /* 256 bytes, every one of them escaped */

struct target;
struct targets_place;

enum channel_verdict {
	CHANNEL_SENT,
	CHANNEL_RETRY,
	CHANNEL_BUSY,	 /* as RETRY, but the receiver wants less */
	CHANNEL_UNTRIED, /* as RETRY, but for our own reasons: it does not count */
	CHANNEL_REFUSED, /* never */
	CHANNEL_GONE	 /* never, and nothing else to this target either */
};

struct channel_result {
	enum channel_verdict verdict;
	char code[CHANNEL_CODE_SIZE];		/* for machines: "http_503", "timeout" */
	char text[CHANNEL_TEXT_SIZE];		/* one line for people; no URL, no secret */
	char reference[CHANNEL_REFERENCE_SIZE]; /* what the receiver calls it, or "" */
	int64_t retry_after;			/* microseconds that the receiver asked for; 0: it did not */
};
/* Sets verdict, code and text. */
void channel_end(struct channel_result *result, enum channel_verdict verdict, const char *code,
		 const char *format, ...) CS_PRINTF(4, 5);

/* What all attempts share. */
struct channel_settings {
	int64_t webhook_timeout, command_timeout;
	struct address_list allow_private;
	const struct log *log;
	const atomic_bool *abandoned; /* the process ends: stop */
};

/* One attempt. Everything is borrowed. */
struct channel_send {
	const struct channel_settings *settings;
	const struct target *target;
	const char *delivery_id, *approval_id, *tenant, *request_id, *kind;
	const void *body; /* RFC 8785 text: these bytes, no others */
	size_t length;
};

struct channel {
	const char *name;
	const char *const *members; /* which it has in the targets file, besides those that all have; ended by NULL */
	/* Reads and checks them. BROKEN "targets_file". */
	bool (*read)(const struct targets_place *place, struct target *target, struct error *error);
	/* The longest that send takes, in microseconds. */
	int64_t (*longest)(const struct channel_settings *settings);
	void (*send)(const struct channel_send *send, struct channel_result *result);
};
extern const struct channel channel_webhook, channel_command, channel_log;

#endif
